// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the blocks of a unit did, cycle by cycle, on both sides.

use drra_diagnose::attribution::AGUS;
use drra_diagnose::attribution::SIDES;
use drra_golden::Owner;
use drra_golden::Unit;

use super::Span;
use super::Timeline;
use super::TimelineRow;
use super::recording::Recording;
use super::registers::Registers;
use super::registers::agu_state;
use super::registers::dpu_mode;
use super::registers::sram_agu_state;

/// Cycles before and behind the mismatch.
const BEFORE: u64 = 24;
const AFTER: u64 = 12;

/// The timeline of some units.
pub(super) fn timeline(
    recording: &Recording<'_>,
    units: &[Unit],
    is_io_cell: &dyn Fn(usize) -> bool,
) -> Timeline {
    let from = recording.mismatch.saturating_sub(BEFORE);
    let to = recording.mismatch + AFTER;
    let mut rows = Vec::new();
    for &unit in units {
        let name = recording.layout.unit_name(unit);
        for (block, label) in blocks(unit, is_io_cell(unit.index)) {
            let row = TimelineRow {
                name: format!("{name} {block}"),
                golden: spans(from, to, |c| recording.golden(c), unit, &*label),
                rtl: spans(from, to, |c| recording.rtl(c), unit, &*label),
            };
            // The sequencer is always shown, other blocks only if they do something.
            if block == "sequencer" || !row.golden.is_empty() || !row.rtl.is_empty() {
                rows.push(row);
            }
        }
    }
    Timeline { from, to, rows }
}

/// Tells what a block does in a cycle; `None`: nothing.
type Label = Box<dyn Fn(&Registers<'_>, Unit) -> Option<String>>;

fn blocks(unit: Unit, io_cell: bool) -> Vec<(String, Label)> {
    let mut all: Vec<(String, Label)> = Vec::new();
    let mut add = |name: &str, label: Label| all.push((name.to_owned(), label));
    match unit.owner {
        Owner::Cell => {
            add(
                "sequencer",
                Box::new(move |r, u| {
                    let (pc, text) = match r.instruction(u, io_cell) {
                        Some(found) => found,
                        None if r.low(u, "seq.state") == 1 => return Some("LOAD".to_owned()),
                        None => return None,
                    };
                    let name = text.split(' ').next().unwrap_or_default();
                    Some(format!("{pc} {name}"))
                }),
            );
            for k in AGUS {
                add(
                    &format!("AGU {k}"),
                    Box::new(move |r, u| {
                        let state = r.low(u, &format!("rf.agu[{k}].state"));
                        (state != 0).then(|| agu_state(state).to_owned())
                    }),
                );
            }
            add(
                "DPU",
                Box::new(|r, u| {
                    let mode = r.low(u, "dpu.mode_reg");
                    (mode != 0).then(|| dpu_mode(mode).to_owned())
                }),
            );
            add(
                "messages",
                Box::new(|r, u| {
                    let at = |path: &str| r.value(u, path).map_or(0, |v| v.0[1]);
                    let kind = |head: u64| ["-", "IO", "ROUTE", "SRAM"][head as usize & 3];
                    match (at("noc.noc_stage"), at("noc.noc_shadow")) {
                        (0, 0) => None,
                        (0, waiting) => Some(format!("{} waits", kind(waiting))),
                        (stage, _) => Some(kind(stage).to_owned()),
                    }
                }),
            );
        }
        Owner::Column => {
            for k in ["io_rd", "io_wr"] {
                add(
                    k,
                    Box::new(move |r, u| {
                        let state = r.low(u, &format!("{k}.state"));
                        (state != 0).then(|| sram_agu_state(state).to_owned())
                    }),
                );
            }
        }
        Owner::Tile => {
            for x in SIDES {
                add(
                    &format!("side {x}"),
                    Box::new(move |r, u| {
                        let get = |f: &str| r.low(u, &format!("side[{x}].{f}"));
                        let (fwd, agu) = (get("fwd"), get("agu"));
                        if agu != 0 {
                            return Some("SRAM taken".to_owned());
                        }
                        match fwd >> 60 {
                            0 if get("active") == 1 => Some("path".to_owned()),
                            0 => None,
                            6 => Some("ROUTE on".to_owned()),
                            _ => Some("SRAM on".to_owned()),
                        }
                    }),
                );
            }
            for k in ["rd", "wr"] {
                add(
                    &format!("AGU {k}"),
                    Box::new(move |r, u| {
                        let state = r.low(u, &format!("{k}.state"));
                        (state != 0).then(|| sram_agu_state(state).to_owned())
                    }),
                );
            }
            for k in SIDES.into_iter().chain(["MEM"]) {
                add(
                    &format!("data {k}"),
                    Box::new(move |r, u| {
                        let block = r.block(u, &format!("xout[{k}]"));
                        (block != [0; 4]).then(|| format!("{:04x}..", block[0] as u16))
                    }),
                );
            }
        }
        Owner::Fabric => {}
    }
    all
}

/// Successive cycles with the same label become one span.
fn spans<'a>(
    from: u64,
    to: u64,
    at: impl Fn(u64) -> Option<Registers<'a>>,
    unit: Unit,
    label: &dyn Fn(&Registers<'_>, Unit) -> Option<String>,
) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for cycle in from..=to {
        let Some(label) = at(cycle).and_then(|r| label(&r, unit)) else { continue };
        match spans.last_mut() {
            Some(last) if last.label == label && last.to + 1 == cycle => last.to = cycle,
            _ => spans.push(Span { from: cycle, to: cycle, label }),
        }
    }
    spans
}
