// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an engineer needs to decide between RTL and golden model: the rule, what it looks at, and what
//! both sides made of it.

use drra_diagnose::attribution::AGUS;
use drra_diagnose::attribution::SIDES;
use drra_diagnose::attribution::key;
use drra_diagnose::signature::Failing;
use drra_golden::Layout;
use drra_golden::Owner;
use drra_golden::Unit;
use drra_lockstep::MismatchKind;
use drra_lockstep::Signal;

use super::Input;
use super::Verdict;
use super::recording::Recording;
use super::registers;
use super::registers::Registers;

/// The rule, its inputs, and what both sides made of them.
pub(super) fn verdict(
    r: &Recording<'_>,
    failing: &Failing,
    io_cell: &dyn Fn(usize) -> bool,
) -> Verdict {
    let rule = r.explanation.rule;
    let (expected, observed) = match &failing.mismatch.kind {
        MismatchKind::State(differences) => match differences.first() {
            Some(d) => both_sides(r, d),
            None => Default::default(),
        },
        MismatchKind::Output { port, golden, rtl } => {
            (format!("{port} = {golden}"), format!("{port} = {rtl}"))
        }
        MismatchKind::Assertion(failure) => {
            ("no assertion is violated".to_owned(), format!("assertion at {}", failure.place))
        }
    };
    let unit = match (&r.explanation.arose, &failing.mismatch.kind) {
        (Some(arose), _) => Some(signal_unit(arose.signal)),
        (None, MismatchKind::State(differences)) => differences.first().map(|d| d.unit),
        _ => None,
    };
    let register = match &failing.mismatch.kind {
        MismatchKind::State(differences) => differences.first().map_or("", |d| &d.register),
        _ => "",
    };
    Verdict {
        block: rule.block.to_owned(),
        why: why(r, failing),
        chapter: rule.chapter.to_owned(),
        section: rule.section.to_owned(),
        rule: rule.text.to_owned(),
        rtl: rule.rtl.iter().map(|f| (*f).to_owned()).collect(),
        golden: rule.golden.to_owned(),
        expected,
        observed,
        inputs: match r.mismatch.checked_sub(1) {
            Some(before) => rule
                .inputs
                .iter()
                .flat_map(|name| inputs(r, name, before, unit, register, io_cell))
                .collect(),
            None => Vec::new(),
        },
    }
}

/// What each side did with the register in the last edge.
fn both_sides(r: &Recording<'_>, d: &drra_lockstep::Difference) -> (String, String) {
    let path = r.layout.path(d.unit, &d.register);
    let text = |value: &[u64]| {
        let meaning = registers::meaning(d.unit.owner, &d.register, value[0]);
        let text = registers::text(value, d.width, meaning);
        // The whole value stands in the table of the difference.
        match text.len() {
            0..=40 => text,
            n => format!("{}..{}", &text[..10], &text[n - 8..]),
        }
    };
    let before = r.mismatch.checked_sub(1).and_then(|c| r.golden(c));
    let before = before.and_then(|b| b.value(d.unit, &d.register)).map(|(v, _)| v);
    let did = |value: &[u64]| match &before {
        None if r.mismatch == 0 => format!("{path} = {} after reset", text(value)),
        None => format!("{path} becomes {}", text(value)),
        Some(old) if old == value => format!("{path} keeps {}", text(old)),
        Some(old) => format!("{path} goes from {} to {}", text(old), text(value)),
    };
    (did(&d.golden), did(&d.rtl))
}

/// Why the difference is said to have arisen in a block.
fn why(r: &Recording<'_>, failing: &Failing) -> String {
    let cell = |i: usize| format!("cell ({},{})", i / r.geometry.columns, i % r.geometry.columns);
    let tile =
        |i: usize| format!("tile ({},{})", i / r.geometry.columns + 1, i % r.geometry.columns);
    let Some(arose) = &r.explanation.arose else {
        let text = match &failing.mismatch.kind {
            MismatchKind::State(_) if r.mismatch == 0 => "the registers differ right after reset",
            MismatchKind::State(_) => {
                "all registers and all signals that enter the block agree in the cycle before"
            }
            MismatchKind::Output { .. } => "all registers agree, the output port differs",
            MismatchKind::Assertion(_) => "the RTL violates its own assertion",
        };
        return text.to_owned();
    };
    let what = match arose.signal {
        Signal::Lane { cell: i, lane } => {
            let name = ["read port r0", "read port r1", "DPU out 0", "DPU out 1"][lane];
            format!("{name} of {} is", cell(i))
        }
        Signal::Input { cell: i, v } => {
            let name = ["w0", "w1", "DPU in 0", "DPU in 1", "DPU in 2", "DPU in 3"][v];
            format!("all lanes agree, but {name} of {} gets", cell(i))
        }
        Signal::BlockRead { cell: i } => format!("{} hands to its column", cell(i)),
        Signal::BlockWrite { cell: i } => format!("mask and block that reach {} are", cell(i)),
        Signal::CellMessage { cell: i } => format!("{} sends", cell(i)),
        Signal::ColumnMessage { col } => format!("the cells agree, but column {col} sends"),
        Signal::Up { col } => format!("the cells agree, but column {col} hands up"),
        Signal::TileMessage { tile: i, side } => {
            format!("at side {} {} gets", SIDES[side], tile(i))
        }
    };
    let value = |words: &[u64]| registers::text(words, arose.width, None);
    let what = format!("{what} {} instead of {}", value(&arose.rtl), value(&arose.golden));
    format!("all registers agree in the cycle before; {what}")
}

fn signal_unit(signal: Signal) -> Unit {
    match signal {
        Signal::Lane { cell, .. }
        | Signal::Input { cell, .. }
        | Signal::BlockRead { cell }
        | Signal::BlockWrite { cell }
        | Signal::CellMessage { cell } => Unit { owner: Owner::Cell, index: cell },
        Signal::ColumnMessage { col } | Signal::Up { col } => {
            Unit { owner: Owner::Column, index: col }
        }
        Signal::TileMessage { tile, .. } => Unit { owner: Owner::Tile, index: tile },
    }
}

/// Values of one input of a rule in a cycle.
fn inputs(
    r: &Recording<'_>,
    name: &str,
    cycle: u64,
    unit: Option<Unit>,
    register: &str,
    io_cell: &dyn Fn(usize) -> bool,
) -> Vec<Input> {
    let (Some(now), Some(signals)) = (r.golden(cycle), r.signals(cycle)) else {
        return Vec::new();
    };
    let one = |name: &str, value: String| vec![Input { name: name.to_owned(), value }];
    let block = |b: &[u64; 4]| Layout::hex(b, 256);
    let fabric = Unit { owner: Owner::Fabric, index: 0 };
    let Some(unit) = unit else {
        return match name {
            "idle cells" => {
                let busy = (0..r.geometry.cells())
                    .filter(|&index| now.low(Unit { owner: Owner::Cell, index }, "seq.state") != 0)
                    .map(|i| format!("({},{})", i / r.geometry.columns, i % r.geometry.columns));
                let busy: Vec<String> = busy.collect();
                let none = "all cells are idle".to_owned();
                one("cells not idle", if busy.is_empty() { none } else { busy.join(" ") })
            }
            "ld_pipe" => named(&now, fabric, name),
            _ => Vec::new(),
        };
    };
    let i = unit.index;
    let cols = r.geometry.columns;
    let word = |v: u16| Layout::hex(&[v.into()], 16);
    let sources = |v: usize| match signals.cells[i].sources[v] {
        Some((cell, lane)) => format!(
            "{} from {} of cell ({},{})",
            word(signals.cells[i].vin[v]),
            ["r0", "r1", "DPU out 0", "DPU out 1"][lane],
            cell / cols,
            cell % cols
        ),
        None => "0, not connected".to_owned(),
    };
    let emitted = |ks: &[usize]| -> String {
        let all = ks
            .iter()
            .filter_map(|&k| signals.cells[i].emitted[k].map(|a| format!("{} {a}", AGUS[k])));
        let all: Vec<String> = all.collect();
        if all.is_empty() { "none".to_owned() } else { all.join(", ") }
    };
    match name {
        "instruction" => match now.instruction(unit, io_cell(i)) {
            Some((pc, text)) => {
                let flags = now.low(unit, &format!("seq.imem_imm[{pc}]"));
                one("instruction at pc", format!("{pc}: {text} (immediate {flags})"))
            }
            None => one("instruction at pc", "none, not in RUN".to_owned()),
        },
        "load port" => {
            let (row, col) = (i / cols, i % cols);
            match (row + col).checked_sub(1) {
                Some(k) => named(&now, fabric, &format!("ld_pipe[{k}]")),
                None => one("load port", "the program port of the fabric".to_owned()),
            }
        }
        "write addresses" => one("addresses", emitted(&[0, 1, 2])),
        "read addresses" => one("addresses", emitted(&[3, 4, 5])),
        "wdata_0" => one(name, sources(0)),
        "wdata_1" => one(name, sources(1)),
        "dpu in 0" => one("in0", sources(2)),
        "dpu in 1" => one("in1", sources(3)),
        "dpu in 2" => one("in2", sources(4)),
        "dpu in 3" => one("in3", sources(5)),
        "inputs" => (0..6)
            .flat_map(|v| {
                let name = ["w0", "w1", "in0", "in1", "in2", "in3"][v];
                one(name, sources(v))
            })
            .collect(),
        "lanes" => (0..4)
            .flat_map(|lane| {
                let name = ["rdata_0", "rdata_1", "out0", "out1"][lane];
                one(name, word(signals.cells[i].lanes[lane]))
            })
            .collect(),
        "blk_wdata" => one(name, block(&signals.cells[i].blk_wdata)),
        "blk_wmask" => one(name, word(signals.cells[i].blk_wmask)),
        "blk_rdata" => match &signals.cells[i].blk_rdata {
            Some(b) => one(name, block(b)),
            None => one("blk_rd_en", "0".to_owned()),
        },
        "blk_rdata of both rows" | "cell_noc of both rows" => {
            let col = if unit.owner == Owner::Cell { i % cols } else { i };
            [col, cols + col]
                .into_iter()
                .enumerate()
                .flat_map(|(row, cell)| {
                    let s = &signals.cells[cell];
                    if name.starts_with("cell_noc") {
                        let what = format!("cell_noc of row {row}");
                        return one(&what, Layout::hex(&s.cell_noc, 67));
                    }
                    let what = format!("blk_rdata of row {row}");
                    one(&what, s.blk_rdata.as_ref().map_or("none".to_owned(), block))
                })
                .collect()
        }
        "col io_rvalid" | "col io_rdata" => {
            let col = if unit.owner == Owner::Cell { i % cols } else { i };
            let column = Unit { owner: Owner::Column, index: col };
            named(&now, column, name.trim_start_matches("col "))
        }
        "tile xout[S]" => {
            let col = if unit.owner == Owner::Cell { i % cols } else { i };
            let home = Unit { owner: Owner::Tile, index: col };
            one("xout[S] of the home tile", block(&now.block(home, "xout[S]")))
        }
        "messages in" => (0..4)
            .filter(|&x| signals.tiles[i].rx[x] != 0)
            .flat_map(|x| {
                let what = format!("message at side {}", SIDES[x]);
                one(&what, Layout::hex(&[signals.tiles[i].rx[x]], 63))
            })
            .collect(),
        // A tile sees what its south or west neighbour has registered (chapter 6, 7.4).
        "initialisation" => {
            let source = match i {
                0 => {
                    return one(
                        "initialisation port",
                        "as it is on the ports of the fabric".into(),
                    );
                }
                _ if i < cols => i - 1,
                _ => i - cols,
            };
            let neighbour = Unit { owner: Owner::Tile, index: source };
            let from = r.layout.unit_name(neighbour);
            ["init_en", "init_row", "init_col", "init_addr"]
                .iter()
                .flat_map(|name| named(&now, neighbour, name))
                .map(|input| Input { name: format!("{from}.{}", input.name), ..input })
                .collect()
        }
        "offered configurations" => SIDES
            .iter()
            .map(|x| format!("side[{x}].agu"))
            .filter(|p| now.low(unit, p) != 0)
            .flat_map(|p| named(&now, unit, &p))
            .collect(),
        "data in" if i < cols => one("up", block(&signals.columns[i].up)),
        "data in" => Vec::new(),
        "ld_pipe" => named(&now, fabric, name),
        _ => {
            let path = match name.strip_suffix("[*]") {
                Some(base) => match key(register) {
                    Some(k) => format!("{base}[{k}]"),
                    None => base.to_owned(),
                },
                None => name.to_owned(),
            };
            named(&now, unit, &path)
        }
    }
}

/// Registers with their values; of arrays only the elements that are not 0.
fn named(now: &Registers<'_>, unit: Unit, path: &str) -> Vec<Input> {
    let found = now.matching(unit, path);
    let zero = |value: &str| {
        let digits = value.trim_start_matches("0x").split(' ').next().unwrap_or_default();
        digits.chars().all(|c| c == '0')
    };
    let many = found.len() > 2;
    let kept: Vec<Input> = found
        .into_iter()
        .filter(|(_, value)| !many || !zero(value))
        .map(|(name, value)| Input { name, value })
        .collect();
    if kept.is_empty() && many {
        return vec![Input { name: path.to_owned(), value: "all 0".to_owned() }];
    }
    kept
}
