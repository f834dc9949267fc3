// SPDX-License-Identifier: MIT OR Apache-2.0
//! Makes a report of a failing case.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use drra_case::Case;
use drra_diagnose::attribution::Decoded;
use drra_diagnose::attribution::SIDES;
use drra_diagnose::signature::Failing;
use drra_golden::Owner;
use drra_golden::Unit;
use drra_isa::Geometry;
use drra_isa::Revision;
use drra_lockstep::DutError;
use drra_lockstep::MismatchKind;
use drra_lockstep::Setup;

use super::Assertion;
use super::CaseInfo;
use super::CellProgram;
use super::Difference;
use super::Event;
use super::Fabric;
use super::Instruction;
use super::Link;
use super::LinkKind;
use super::Mismatch;
use super::Neighbour;
use super::Port;
use super::ProgramLine;
use super::Reduced;
use super::Report;
use super::Spread;
use super::Tool;
use super::VERSION;
use super::data_path;
use super::data_path::DataPath;
use super::recording::BEFORE;
use super::recording::Recording;
use super::registers;
use super::timeline::timeline;
use super::verdict;

/// Differences that a report lists.
const LISTED: usize = 64;
/// Changes of each side that a report lists: so many, and the rest of the cycle they are in.
const EVENTS: usize = 16;

/// A failing case and what is known besides its mismatch.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The case.
    pub case: &'a Case,
    /// How it fails.
    pub failing: &'a Failing,
    /// What it ran on.
    pub setup: Setup<'a>,
    /// Command that shows the mismatch again.
    pub repeat: &'a str,
    /// What the reduction did.
    pub reduced: Option<&'a Reduced>,
}

/// Runs the case once more and writes down what happens around the mismatch.
///
/// # Errors
/// If the design does not fit its maps.
pub fn build(subject: &Subject<'_>) -> Result<Report, DutError> {
    let Subject { case, failing, setup, repeat, reduced } = *subject;
    let geometry = setup.geometry;
    let r = Recording::new(case, &setup, &failing.mismatch)?;
    let first = match &failing.mismatch.kind {
        MismatchKind::State(differences) => differences.first(),
        _ => None,
    };
    let path = first.map_or_else(DataPath::default, |d| data_path::trace(&r, d));
    let unit = first.map(|d| d.unit);
    let io_cell = |i: usize| case.io_cells.contains(&(i / geometry.columns, i % geometry.columns));
    let owner = r.explanation.owner.as_ref();

    // The unit itself, that of the responsible instruction, and the last ones on the way.
    let mut units: Vec<Unit> = unit.into_iter().collect();
    units.extend(owner.map(|d| cell_unit(d.cell, geometry)));
    units.extend(path.links.iter().flat_map(|(from, to, _)| [*to, *from]).take(4));
    let mut seen = BTreeSet::new();
    units.retain(|u| u.owner != Owner::Fabric && seen.insert(*u));
    units.truncate(4);

    Ok(Report {
        version: VERSION,
        tool: Tool {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            verilator: setup.design.simulator().to_owned(),
        },
        fabric: Fabric {
            columns: geometry.columns,
            tile_rows: geometry.tile_rows,
            rf_words: geometry.rf_words,
            sram_blocks: geometry.sram_blocks,
        },
        signature: failing.signature.clone(),
        case: CaseInfo {
            name: case.name.clone(),
            seed: case.seed,
            profile: case.origin.as_ref().map(|o| o.profile.clone()),
            generator_seed: case.origin.as_ref().map(|o| o.seed),
        },
        repeat: repeat.to_owned(),
        reduced: reduced.cloned(),
        mismatch: mismatch(&r, case, failing),
        verdict: verdict::verdict(&r, failing, &io_cell),
        owner: owner.map(|d| instruction(&r, d)),
        events: unit.map_or_else(Vec::new, |u| events(&r, u)),
        neighbours: unit.map_or_else(Vec::new, |u| neighbours(&r, u, &io_cell)),
        spread: spread(&r),
        links: links(&r, &path),
        timeline: timeline(&r, &units, &io_cell),
        program: program(&r, case),
        path: path.steps,
    })
}

fn cell_unit(cell: (usize, usize), geometry: &Geometry) -> Unit {
    Unit { owner: Owner::Cell, index: cell.0 * geometry.columns + cell.1 }
}

fn instruction(r: &Recording<'_>, d: &Decoded) -> Instruction {
    // The flag may come behind the mismatch.
    let later = r.later.log().find(|l| l.cell == d.cell && l.cycle == d.cycle);
    Instruction {
        cell: [d.cell.0, d.cell.1],
        address: d.address,
        text: d.text(),
        immediate: d.immediate,
        decoded: d.cycle,
        released: d.released.get().or_else(|| later.and_then(|l| l.released.get())),
    }
}

fn mismatch(r: &Recording<'_>, case: &Case, failing: &Failing) -> Mismatch {
    let mut found = Mismatch {
        cycle: failing.mismatch.cycle,
        first_program_cycle: case.stimulus.first_program_cycle(),
        differences: Vec::new(),
        total: 0,
        port: None,
        assertion: None,
    };
    match &failing.mismatch.kind {
        MismatchKind::State(differences) => {
            found.total = differences.len();
            found.differences = differences.iter().take(LISTED).map(|d| difference(r, d)).collect();
        }
        MismatchKind::Output { port, golden, rtl } => {
            found.port =
                Some(Port { name: port.clone(), golden: golden.clone(), rtl: rtl.clone() });
        }
        MismatchKind::Assertion(failure) => {
            let instances = failure.instances.iter();
            found.assertion = Some(Assertion {
                place: failure.place.clone(),
                instances: instances.map(|i| [i.name.clone(), i.scope.clone()]).collect(),
            });
        }
    }
    found
}

fn difference(r: &Recording<'_>, d: &drra_lockstep::Difference) -> Difference {
    let text = |value: &[u64]| {
        let meaning = registers::meaning(d.unit.owner, &d.register, value[0]);
        registers::text(value, d.width, meaning)
    };
    let before = r.mismatch.checked_sub(1).and_then(|c| r.golden(c));
    Difference {
        unit: r.layout.unit_name(d.unit),
        path: r.layout.path(d.unit, &d.register),
        width: d.width,
        before: before.and_then(|b| b.value(d.unit, &d.register)).map(|(v, _)| text(&v)),
        golden: text(&d.golden),
        rtl: text(&d.rtl),
        bits: (0..d.width)
            .rev()
            .filter(|b| {
                let (word, shift) = ((b / 64) as usize, b % 64);
                (d.golden[word] ^ d.rtl[word]) >> shift & 1 == 1
            })
            .collect(),
    }
}

/// The last changes of a unit, as far as both sides are recorded.
fn events(r: &Recording<'_>, unit: Unit) -> Vec<Event> {
    let mut by_cycle: BTreeMap<u64, [Vec<String>; 2]> = BTreeMap::new();
    let mut counts = [0; 2];
    let from = r.mismatch.saturating_sub(BEFORE).max(1);
    for cycle in (from..=r.mismatch).rev() {
        let (Some(golden), Some(golden_before)) = (r.golden(cycle), r.golden(cycle - 1)) else {
            break;
        };
        let rtl = r.rtl(cycle).zip(r.rtl(cycle - 1));
        let mut found = [Vec::new(), Vec::new()];
        for group in r.layout.groups_of(unit.owner) {
            let ours = [&golden, &golden_before].map(|side| group.words(side.image(unit)));
            let theirs =
                rtl.as_ref().map(|(new, old)| [new, old].map(|side| group.words(side.image(unit))));
            if ours[0] == ours[1] && theirs.is_none_or(|[new, old]| new == old) {
                continue;
            }
            for register in &group.registers {
                let [new, old] = ours.map(|words| register.value(words));
                let theirs = theirs.map(|sides| sides.map(|words| register.value(words)));
                let same = theirs.as_ref().is_some_and(|[theirs, _]| *theirs == new);
                // What merely counts the cycles would hide everything else.
                let counts = matches!(register.path.as_str(), "dpu.acc_cnt" | "seq.wait_count");
                if counts && same {
                    continue;
                }
                let text = |value: &[u64]| {
                    let meaning = registers::meaning(unit.owner, &register.path, value[0]);
                    let text = registers::text(value, register.width, meaning);
                    format!("{} = {text}", register.path)
                };
                if new != old {
                    found[0].push(text(&new));
                }
                if let Some([new, old]) = theirs
                    && new != old
                {
                    found[1].push(text(&new));
                }
            }
        }
        if found.iter().all(Vec::is_empty) {
            continue;
        }
        for (count, side) in counts.iter_mut().zip(&found) {
            *count += side.len();
        }
        by_cycle.insert(cycle, found);
        if counts.iter().any(|c| *c >= EVENTS) {
            break;
        }
    }
    by_cycle.into_iter().map(|(cycle, [golden, rtl])| Event { cycle, golden, rtl }).collect()
}

fn neighbours(r: &Recording<'_>, unit: Unit, io_cell: &dyn Fn(usize) -> bool) -> Vec<Neighbour> {
    let g = r.geometry;
    let (row, col) = (unit.index / g.columns, unit.index % g.columns);
    let cell = |row: usize, col: usize| Unit { owner: Owner::Cell, index: row * g.columns + col };
    let tile = |index: usize| Unit { owner: Owner::Tile, index };
    let column = |index: usize| Unit { owner: Owner::Column, index };
    let mut around: Vec<(&str, Unit)> = Vec::new();
    let (west, east) = (col.checked_sub(1), Some(col + 1).filter(|c| *c < g.columns));
    match unit.owner {
        Owner::Cell => {
            around.extend(west.map(|c| ("west", cell(row, c))));
            around.extend(east.map(|c| ("east", cell(row, c))));
            around.push(("other row", cell(1 - row, col)));
            around.push(("column", column(col)));
            around.push(("home tile", tile(col)));
        }
        Owner::Column => {
            around.push(("row 0", cell(0, unit.index)));
            around.push(("row 1", cell(1, unit.index)));
            around.push(("home tile", tile(unit.index)));
        }
        Owner::Tile => {
            around.extend(west.map(|_| ("west", tile(unit.index - 1))));
            around.extend(east.map(|_| ("east", tile(unit.index + 1))));
            let north = unit.index + g.columns;
            around.extend((north < g.tiles()).then(|| ("north", tile(north))));
            match unit.index.checked_sub(g.columns) {
                Some(south) => around.push(("south", tile(south))),
                None => around.push(("column", column(col))),
            }
        }
        Owner::Fabric => {}
    }
    around.insert(0, ("itself", unit));
    let differing = |unit: Unit| {
        let now = r.differences.first().filter(|(c, _)| *c == r.mismatch);
        now.map_or(0, |(_, d)| d.iter().filter(|d| d.unit == unit).count())
    };
    let Some(now) = r.golden(r.mismatch) else { return Vec::new() };
    around
        .into_iter()
        .filter(|(_, u)| u.owner != Owner::Fabric)
        .map(|(place, u)| Neighbour {
            unit: r.layout.unit_name(u),
            place: place.to_owned(),
            state: now.summary(u, u.owner == Owner::Cell && io_cell(u.index)),
            differing: differing(u),
        })
        .collect()
}

fn spread(r: &Recording<'_>) -> Vec<Spread> {
    r.differences
        .iter()
        .map(|(cycle, differences)| {
            let mut units: BTreeMap<Unit, usize> = BTreeMap::new();
            for d in differences {
                *units.entry(d.unit).or_default() += 1;
            }
            let name = |u: Unit| match u.owner {
                Owner::Fabric => "ld_pipe".to_owned(),
                _ => r.layout.unit_name(u),
            };
            Spread { cycle: *cycle, units: units.into_iter().map(|(u, n)| (name(u), n)).collect() }
        })
        .collect()
}

/// Connections in the cycle before the mismatch.
fn links(r: &Recording<'_>, path: &DataPath) -> Vec<Link> {
    let mut links: BTreeSet<(Unit, Unit, LinkKind)> = BTreeSet::new();
    let g = r.geometry;
    let cycle = r.mismatch.saturating_sub(1);
    if let (Some(now), Some(signals)) = (r.golden(cycle), r.signals(cycle)) {
        for (i, cell) in signals.cells.iter().enumerate() {
            let to = Unit { owner: Owner::Cell, index: i };
            for (source, _) in cell.sources.iter().flatten().filter(|s| s.0 != i) {
                let from = Unit { owner: Owner::Cell, index: *source };
                links.insert((from, to, LinkKind::Switchbox));
            }
        }
        for index in 0..g.tiles() {
            let tile = Unit { owner: Owner::Tile, index };
            let at = |index: usize| Unit { owner: Owner::Tile, index };
            let column = Unit { owner: Owner::Column, index: index % g.columns };
            for k in SIDES.into_iter().chain(["MEM"]) {
                let source = now.low(tile, &format!("xsel[{k}]"));
                let from = match source {
                    0 => (index + g.columns < g.tiles()).then(|| at(index + g.columns)),
                    1 => Some(if index < g.columns { column } else { at(index - g.columns) }),
                    2 => (index % g.columns + 1 < g.columns).then(|| at(index + 1)),
                    3 => (!index.is_multiple_of(g.columns)).then(|| at(index - 1)),
                    _ => None,
                };
                links.extend(from.map(|from| (from, tile, LinkKind::Noc)));
                if k == "S" && source < 5 && index < g.columns {
                    links.insert((tile, column, LinkKind::Noc));
                }
            }
        }
    }
    let way: BTreeSet<_> = path.links.iter().copied().collect();
    links.extend(way.iter().copied());
    links
        .into_iter()
        .map(|link| Link {
            from: r.layout.unit_name(link.0),
            to: r.layout.unit_name(link.1),
            kind: link.2,
            data_path: way.contains(&link),
        })
        .collect()
}

fn program(r: &Recording<'_>, case: &Case) -> Vec<CellProgram> {
    let owner = r.explanation.owner.as_ref();
    let mut decoded: BTreeMap<((usize, usize), u8), Vec<u64>> = BTreeMap::new();
    for d in r.later.log() {
        let cycles = decoded.entry((d.cell, d.address)).or_default();
        if cycles.len() < 8 {
            cycles.push(d.cycle);
        }
    }
    case.program
        .cells()
        .map(|(cell, words)| {
            let io = case.io_cells.contains(&cell);
            let listed = drra_isa::disassemble(Revision::R4.isa(), words, io);
            let lines = listed.into_iter().map(|line| {
                // In short: without the fields that have their default.
                let rest: Vec<u64> = words[line.address..].iter().map(|w| w.bits).collect();
                let flag = if words[line.address].immediate { "" } else { "waits for a flag: " };
                let text = drra_isa::instruction_text(Revision::R4.isa(), &rest, io);
                ProgramLine {
                    owner: owner
                        .is_some_and(|d| d.cell == cell && usize::from(d.address) == line.address),
                    decoded: decoded.get(&(cell, line.address as u8)).cloned().unwrap_or_default(),
                    address: line.address,
                    text: format!("{flag}{text}"),
                }
            });
            CellProgram { cell: [cell.0, cell.1], io, lines: lines.collect() }
        })
        .collect()
}
