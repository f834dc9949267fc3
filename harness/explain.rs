// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report of a mismatch: what differs, who is responsible, what happened before.
//!
//! Nothing of this is recorded while a case runs; the case is run again up to the mismatch, which
//! gives the same result, and then everything is written down.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::Arc;

use drra_golden::Fabric;
use drra_golden::Layout;
use drra_golden::Owner;
use drra_golden::Unit;
use drra_isa::Geometry;
use drra_isa::Revision;
use drra_isa::instruction_text;
use tabled::builder::Builder;
use tabled::settings::Style;

use crate::case::Case;
use crate::golden_run::GoldenRun;
use crate::lockstep::Mismatch;
use crate::lockstep::MismatchKind;
use crate::lockstep::Options;
use crate::lockstep::RtlRun;
use crate::state_map::Difference;
use crate::trace::Change;
use crate::trace::Differ;

/// Events of the cell that are shown, of each side.
const EVENTS: usize = 16;
/// Differences that are listed.
const LISTED: usize = 12;

/// An instruction that a sequencer decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Cell that decoded it.
    pub cell: (usize, usize),
    /// Cycle of the decode.
    pub cycle: u64,
    /// Address of the first word.
    pub address: u8,
    /// First word.
    pub word: u32,
    /// Assembly text.
    pub text: String,
}

impl Decoded {
    fn code(&self) -> u32 {
        self.word >> 23
    }
}

/// What is known about a mismatch.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The instruction that owns the unit of the first difference, if one was decoded.
    pub owner: Option<Decoded>,
    /// Last changes of the unit in the golden model, oldest first.
    pub golden_events: Vec<(u64, Change)>,
    /// Last changes of the unit in the RTL, oldest first.
    pub rtl_events: Vec<(u64, Change)>,
}

/// Runs the case again up to the mismatch.
///
/// # Errors
/// If the model does not fit the state map.
pub fn explain(
    case: &Case,
    geometry: &Geometry,
    options: &Options,
    mismatch: &Mismatch,
) -> Result<Explanation, String> {
    let mut golden = GoldenRun::new(case, geometry);
    let layout = Arc::clone(golden.fabric.layout());
    let first = match &mismatch.kind {
        MismatchKind::State(differences) => differences.first(),
        _ => None,
    };
    let unit = first.map_or(Unit { owner: Owner::Cell, index: 0 }, |d| d.unit);
    let mut rtl = RtlRun::new(case, geometry, &golden.fabric)?.ok();

    if let Some(rtl) = &mut rtl {
        rtl.set_fault(options.fault);
    }

    let mut our_differ = Differ::new(&layout, geometry, &golden.fabric);
    let mut their_differ = Differ::new(&layout, geometry, &golden.fabric);
    let mut ours = VecDeque::new();
    let mut theirs = VecDeque::new();
    let mut log: Vec<Decoded> = Vec::new();
    // Write ports that were active in the cycle before the mismatch, with their addresses.
    let mut writers = Vec::new();
    loop {
        let cycle = golden.cycle;
        if let (Some(rtl), Some(poke)) = (&mut rtl, &options.poke)
            && poke.cycle == cycle
        {
            rtl.poke(poke);
        }
        keep_last(&mut ours, cycle, our_differ.changes(&golden.fabric, Some(unit)));
        if let Some(rtl) = &rtl {
            keep_last(&mut theirs, cycle, their_differ.changes(rtl.map(), Some(unit)));
        }
        if cycle >= mismatch.cycle {
            break;
        }
        record_decodes(&golden.fabric, case, geometry, cycle, &mut log);
        golden.step();
        golden.fabric.pack();
        if cycle + 1 == mismatch.cycle && unit.owner == Owner::Cell {
            let rf = golden.fabric.register_file(unit.index);
            writers = (0..3).filter_map(|k| rf.emitted(k).map(|a| (k, a))).collect();
        }
        if rtl.as_mut().is_some_and(|r| r.step().is_err()) {
            rtl = None;
        }
    }
    let owner = first.and_then(|d| owner(d, geometry, &log, &writers));
    Ok(Explanation { owner, golden_events: ours.into(), rtl_events: theirs.into() })
}

fn keep_last(events: &mut VecDeque<(u64, Change)>, cycle: u64, changes: Vec<Change>) {
    for change in changes {
        if events.len() == EVENTS {
            events.pop_front();
        }
        events.push_back((cycle, change));
    }
}

fn record_decodes(
    fabric: &Fabric,
    case: &Case,
    geometry: &Geometry,
    cycle: u64,
    log: &mut Vec<Decoded>,
) {
    for i in 0..geometry.cells() {
        let seq = fabric.sequencer(i);
        if !seq.running() || seq.wait_count() != 0 {
            continue;
        }
        let cell = (i / geometry.cols, i % geometry.cols);
        let pc = usize::from(seq.pc());
        let words: Vec<u64> = (0..3).map(|k| seq.imem()[(pc + k) % 64].into()).collect();
        let text = instruction_text(Revision::R4.isa(), &words, case.io_cells.contains(&cell));
        log.push(Decoded { cell, cycle, address: seq.pc(), word: words[0] as u32, text });
    }
}

/// The instruction that set up what drives the differing register: the latest decoded one of the
/// kind that configures its block.
fn owner(
    difference: &Difference,
    geometry: &Geometry,
    log: &[Decoded],
    writers: &[(usize, u8)],
) -> Option<Decoded> {
    let unit = difference.unit;
    let register = difference.register.as_str();
    let (row, col) = (unit.index / geometry.cols, unit.index % geometry.cols);
    let latest = |wanted: &dyn Fn(&Decoded) -> bool| log.iter().rev().find(|d| wanted(d)).cloned();
    match unit.owner {
        Owner::Cell => {
            let here = |d: &Decoded| d.cell == (row, col);
            let of = |codes: &'static [u32]| {
                latest(&|d| here(d) && codes.contains(&d.code())).or_else(|| latest(&here))
            };
            // A REFI for a port: w0, w1, r0, r1, with or without dimarch.
            let refi =
                |port: u32| latest(&|d| here(d) && d.code() == 1 && d.word >> 21 & 3 == port);
            let agu = |k: &str| match k {
                "w0" | "wb" => refi(0),
                "w1" => refi(1),
                "r0" | "rb" => refi(2),
                _ => refi(3),
            };
            if let Some(word) = register.strip_prefix("rf.mem[") {
                let word: u8 = word.trim_end_matches(']').parse().ok()?;
                let port = writers.iter().find(|(k, a)| match k {
                    2 => word / 16 == *a,
                    _ => word == *a,
                });
                // Without a golden write the RTL wrote on its own: any active port may be why.
                let port = port.or(writers.first());
                return match port {
                    Some((1, _)) => refi(1),
                    Some(_) => refi(0),
                    None => of(&[14, 1]),
                };
            }
            let bracket =
                |prefix: &str| register.strip_prefix(prefix).and_then(|r| r.split(']').next());
            if let Some(k) = bracket("rf.agu[").or(bracket("rf.sh[")) {
                return agu(k).or_else(|| latest(&here));
            }
            match register.split('.').next() {
                Some("dpu") => of(&[4, 9]),
                Some("swb") => of(&[5]),
                Some("noc") => of(&[12, 13]),
                Some("perm") => of(&[14]),
                _ => latest(&here),
            }
        }
        Owner::Column => latest(&|d| d.cell.1 == col && matches!(d.code(), 12 | 13)),
        // A tile is driven from any column; paths start in the column of their cell and reach at
        // most seven columns.
        Owner::Tile => latest(&|d| matches!(d.code(), 12 | 13) && d.cell.1.abs_diff(col) <= 7),
        Owner::Fabric => None,
    }
}

/// The report as text. `repeat` is the command that shows the mismatch again.
pub fn report(
    geometry: &Geometry,
    mismatch: &Mismatch,
    explanation: &Explanation,
    repeat: &str,
) -> String {
    let layout = Layout::new(geometry);
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").expect("writing to a string");
    line(format!("MISMATCH in cycle {}", mismatch.cycle));
    line(String::new());
    match &mismatch.kind {
        MismatchKind::State(differences) => {
            line(difference_table(&layout, differences));
            if differences.len() > LISTED {
                line(format!(
                    "({} more registers differ in this cycle)",
                    differences.len() - LISTED
                ));
            }
            if let Some(first) = differences.first() {
                line(format!("chapter: {}", chapter(first)));
            }
        }
        MismatchKind::Output { port, golden, rtl } => {
            line(format!("output port {port}: golden {golden}, rtl {rtl}"));
        }
        MismatchKind::Assertion(failure) => {
            line(format!("the RTL violates an assertion at rtl/{}", failure.place));
            for (scope, name) in &failure.instances {
                line(format!("  {name} in {scope}"));
            }
        }
    }
    match &explanation.owner {
        Some(d) => {
            line(format!(
                "owner:   the instruction at address {} of cell ({},{}), decoded in cycle {}:",
                d.address, d.cell.0, d.cell.1, d.cycle
            ));
            for part in wrapped(&d.text, 88) {
                line(format!("         {part}"));
            }
        }
        None => line("owner:   no instruction was decoded for this unit".into()),
    }
    line(format!("repeat:  {repeat}"));
    if matches!(mismatch.kind, MismatchKind::State(_)) {
        line(String::new());
        line(format!("last {EVENTS} changes of this unit up to cycle {}:", mismatch.cycle));
        line(event_table(explanation));
    }
    out
}

/// Path, both values, and the differing bits.
fn difference_table(layout: &Layout, differences: &[Difference]) -> String {
    let mut table = Builder::default();
    table.push_record(["register", "golden", "rtl", "differing bits"]);
    for d in differences.iter().take(LISTED) {
        table.push_record([
            layout.path(d.unit, &d.register),
            value_text(&d.golden, d.width),
            value_text(&d.rtl, d.width),
            bits_text(&d.golden, &d.rtl, d.width),
        ]);
    }
    table.build().with(Style::sharp()).to_string()
}

/// A line broken at its commas so that no part is longer than `width`, where possible.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for piece in text.split_inclusive(", ") {
        let last = lines.last_mut().expect("at least one line");
        if !last.is_empty() && last.len() + piece.trim_end().len() > width {
            lines.push(piece.to_owned());
        } else {
            last.push_str(piece);
        }
    }
    lines
}

/// Hexadecimal, and decimal where that is readable; wide values in lines of 16 digits.
fn value_text(value: &[u64], width: u32) -> String {
    let hex = Layout::hex(value, width);
    match width {
        0..=32 => format!("{hex} ({})", value[0]),
        33..=64 => hex,
        _ => {
            let digits = hex.trim_start_matches("0x");
            let first = digits.len() % 16;
            let mut parts = vec![&digits[..first]];
            parts.extend((first..digits.len()).step_by(16).map(|i| &digits[i..i + 16]));
            parts.retain(|p| !p.is_empty());
            format!("0x\n{}", parts.join("\n"))
        }
    }
}

/// Differing bits: as a pattern for narrow registers, as numbers for wide ones.
fn bits_text(golden: &[u64], rtl: &[u64], width: u32) -> String {
    let differs = |bit: u32| {
        let (word, shift) = ((bit / 64) as usize, bit % 64);
        (golden[word] ^ rtl[word]) >> shift & 1 == 1
    };
    if width <= 32 {
        return (0..width).rev().map(|b| if differs(b) { '^' } else { '.' }).collect();
    }
    let bits: Vec<String> =
        (0..width).rev().filter(|b| differs(*b)).map(|b| b.to_string()).collect();
    match bits.len() {
        0..=8 => bits.join(" "),
        n => format!("{} .. {} ({n} bits)", bits[0], bits[n - 1]),
    }
}

/// The chapter that defines a register.
fn chapter(d: &Difference) -> &'static str {
    let block = d.register.split(['.', '[']).next().unwrap_or_default();
    match (d.unit.owner, block) {
        (Owner::Cell, "seq") => "isa/spec/02-sequencer.md, section 3",
        (Owner::Cell, "rf") if d.register.starts_with("rf.mem") => {
            "isa/spec/03-register-file.md, 4.2"
        }
        (Owner::Cell, "rf") => "isa/spec/03-register-file.md, sections 5.2 and 6",
        (Owner::Cell, "dpu") => "isa/spec/04-dpu.md, sections 3 to 5",
        (Owner::Cell, "swb") => "isa/spec/05-interconnect.md, 2.3",
        (Owner::Cell, "noc") => "isa/spec/06-dimarch.md, section 4",
        (Owner::Cell, _) => "isa/spec/07-io-perm.md, B2",
        (Owner::Column, _) => "isa/spec/07-io-perm.md, A4, and isa/spec/05-interconnect.md, 4.1",
        (Owner::Tile, _) => "isa/spec/06-dimarch.md, sections 5 to 7",
        (Owner::Fabric, _) => "isa/spec/05-interconnect.md, 5.2",
    }
}

/// Changes of both sides, cycle by cycle.
fn event_table(explanation: &Explanation) -> String {
    let mut cycles: BTreeMap<u64, [Vec<String>; 2]> = BTreeMap::new();
    for (side, events) in
        [&explanation.golden_events, &explanation.rtl_events].into_iter().enumerate()
    {
        for (cycle, change) in events {
            let path = match change.path.split_once('.') {
                Some((unit, rest)) if !unit.starts_with("ld_pipe") => rest,
                _ => &change.path,
            };
            cycles.entry(*cycle).or_default()[side]
                .push(format!("{path} = {}", short(&change.value)));
        }
    }
    let mut table = Builder::default();
    table.push_record(["cycle", "golden", "rtl"]);
    for (cycle, [golden, rtl]) in cycles {
        table.push_record([cycle.to_string(), golden.join("\n"), rtl.join("\n")]);
    }
    table.build().with(Style::sharp()).to_string()
}

/// Wide values shortened to their ends.
fn short(value: &str) -> String {
    match value.len() {
        0..=20 => value.to_owned(),
        n => format!("{}..{}", &value[..10], &value[n - 8..]),
    }
}
