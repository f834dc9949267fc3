// SPDX-License-Identifier: MIT OR Apache-2.0
//! The surroundings of the mismatch: the neighbouring units, the spread of the difference, the connections in use, and
//! the last changes of the unit.

use std::collections::{BTreeMap, BTreeSet};

use drra_diagnose::crossbar::side_of;
use drra_fabric::{
    AguId, AguState, CrossbarPort, CrossbarSource, Field, Generator, Location, Register,
    RegisterId, Side,
};
use drra_isa::{CellId, ColumnId, TileId, Unit};
use drra_lockstep::{CYCLES_BEFORE, Value};

use super::{provenance::Provenance, recording::MismatchContext, registers::CycleRegisters};
use crate::data::{
    DifferenceSpread, Direction, GeneratorState, Link, LinkKind, Neighbour, RegisterReading,
    UnitChanges, UnitState,
};

/// The unit and its neighbours in the cycle of the mismatch.
pub(super) fn neighbours(r: &MismatchContext<'_>, unit: Unit) -> Vec<Neighbour> {
    let Some(now) = r.golden(r.mismatch) else { return Vec::new() };
    let registers = r.log.differing.iter().filter(|(_, spans)| spans.has(r.mismatch));
    let differing = |unit| registers.clone().filter(|(at, _)| at.unit == unit).count();
    let of = |(direction, unit): (Direction, Unit)| {
        let state = state(r, &now, unit)?;
        Some(Neighbour { unit, direction, state, differing: differing(unit) })
    };
    around(r, unit).into_iter().filter_map(of).collect()
}

fn around(r: &MismatchContext<'_>, unit: Unit) -> Vec<(Direction, Unit)> {
    let geometry = r.geometry;
    let others: Vec<(Direction, Option<Unit>)> = match unit {
        Unit::Cell(cell) => {
            let at = |row: usize, col: Option<usize>| {
                CellId::new(row, col?).filter(|c| c.is_in(geometry)).map(Unit::Cell)
            };
            let (row, col) = (cell.row(), cell.col());
            vec![
                (Direction::West, at(row, col.checked_sub(1))),
                (Direction::East, at(row, Some(col + 1))),
                (Direction::OtherRow, at(1 - row, Some(col))),
                (Direction::Column, Some(cell.column().into())),
                (Direction::HomeTile, Some(cell.column().home_tile().into())),
            ]
        }
        Unit::Column(column) => {
            let [row0, row1] = column.cells().map(|cell| Some(cell.into()));
            let home = Some(column.home_tile().into());
            vec![(Direction::Row0, row0), (Direction::Row1, row1), (Direction::HomeTile, home)]
        }
        Unit::Tile(tile) => {
            let at = |side: Side| side.neighbour(tile, geometry).map(Unit::Tile);
            let home = tile == tile.column().home_tile();
            vec![
                (Direction::West, at(Side::W)),
                (Direction::East, at(Side::E)),
                (Direction::North, at(Side::N)),
                (Direction::South, at(Side::S)),
                (Direction::Column, home.then(|| tile.column().into())),
            ]
        }
        Unit::Fabric => Vec::new(),
    };
    let others = others.into_iter().filter_map(|(direction, unit)| Some((direction, unit?)));
    [(Direction::Itself, unit)].into_iter().chain(others).collect()
}

/// The activity of a unit; `None` for the load pipeline.
fn state(recording: &MismatchContext<'_>, r: &CycleRegisters<'_>, unit: Unit) -> Option<UnitState> {
    match unit {
        Unit::Cell(cell) => Some(UnitState::Cell {
            sequencer: r.sequencer(cell, recording.is_io_cell(cell)),
            dpu: r.reading(unit, Register::DpuModeReg).filter(|mode| !mode.is_zero()),
            agus: busy(r, unit, AguId::ALL, Register::RfAguState, |agu, state| {
                // A row starts at its base (chapter 3, 6.3).
                let starts = state == AguState::RowStart.value();
                if starts { Register::RfAguRowBase(agu) } else { Register::RfAguAddrReg(agu) }
            }),
        }),
        Unit::Column(_) => {
            let (state, address) =
                (Register::ColumnIoGeneratorState, |g, _| Register::ColumnIoGeneratorAddr(g));
            Some(UnitState::Column { generators: busy(r, unit, Generator::ALL, state, address) })
        }
        Unit::Tile(tile) => {
            let enters = |side: &&Side| r.low(tile, Register::TileSideActive(**side)) == 1;
            let (state, address) =
                (Register::TileGeneratorState, |g, _| Register::TileGeneratorAddr(g));
            Some(UnitState::Tile {
                paths: Side::ALL.iter().filter(enters).copied().collect(),
                generators: busy(r, unit, Generator::ALL, state, address),
            })
        }
        Unit::Fabric => None,
    }
}

/// Generators of a unit that are not idle; the state determines which register contains the address.
fn busy<K: Copy>(
    r: &CycleRegisters<'_>,
    unit: Unit,
    all: &[K],
    state: fn(K) -> Register,
    address: fn(K, u64) -> Register,
) -> Vec<GeneratorState<K>> {
    let of = |&key: &K| {
        let state = r.reading(unit, state(key)).filter(|state| !state.is_zero())?;
        let address = r.low(unit, address(key, state.value.low()));
        Some(GeneratorState { generator: key, state, address })
    };
    all.iter().filter_map(of).collect()
}

/// Units that differ, cycle by cycle, until the recording or the design ends.
pub(super) fn spread(r: &MismatchContext<'_>) -> Vec<DifferenceSpread> {
    let cycles = (r.mismatch..=r.log.last).take_while(|cycle| r.log.dut.has(*cycle));
    let of = |cycle| {
        let registers = r.log.differing.iter().map(|(location, spans)| (location.unit, spans));
        // The fabric as a whole is not a unit in the picture.
        let ports = r.log.ports.iter().map(|((_, _, unit), spans)| (*unit, spans));
        let ports = ports.filter(|(unit, _)| *unit != Unit::Fabric);
        let mut units: BTreeMap<Unit, usize> = BTreeMap::new();
        for (unit, _) in registers.chain(ports).filter(|(_, spans)| spans.has(cycle)) {
            *units.entry(unit).or_default() += 1;
        }
        DifferenceSpread { cycle, units: units.into_iter().collect() }
    };
    cycles.map(of).collect()
}

/// Connections in the cycle before the mismatch, and connections along the provenance of the value.
pub(super) fn links(r: &MismatchContext<'_>, provenance: &Provenance) -> Vec<Link> {
    let mut links: BTreeSet<(Unit, Unit, LinkKind)> = BTreeSet::new();
    let cycle = r.mismatch.saturating_sub(1);
    if let (Some(now), Some(signals)) = (r.golden(cycle), r.signals(cycle)) {
        for cell in CellId::all(r.geometry) {
            for (source, _) in signals.cell(cell).sources.iter().flatten() {
                if *source != cell {
                    links.insert(((*source).into(), cell.into(), LinkKind::Switchbox));
                }
            }
        }
        for tile in TileId::all(r.geometry) {
            crossbar_links(r, &now, tile, &mut links);
        }
    }
    let taken: BTreeSet<_> = provenance.links.iter().copied().collect();
    links.extend(taken.iter().copied());
    let link = |link: (Unit, Unit, LinkKind)| Link {
        from: link.0,
        to: link.1,
        kind: link.2,
        data_path: taken.contains(&link),
    };
    links.into_iter().map(link).collect()
}

/// The connections in the crossbar of a tile.
fn crossbar_links(
    r: &MismatchContext<'_>,
    now: &CycleRegisters<'_>,
    tile: TileId,
    links: &mut BTreeSet<(Unit, Unit, LinkKind)>,
) {
    let column: Option<ColumnId> = (tile == tile.column().home_tile()).then(|| tile.column());
    for &output in CrossbarPort::ALL {
        let selected = now.low(tile, Register::TileXsel(output));
        let source = CrossbarSource::from_value(selected);
        let from = source.and_then(side_of).and_then(|side| match (side, column) {
            (Side::S, Some(column)) => Some(Unit::Column(column)),
            _ => side.neighbour(tile, r.geometry).map(Unit::Tile),
        });
        links.extend(from.map(|from| (from, tile.into(), LinkKind::Noc)));
        let connected = source.is_some_and(|s| s != CrossbarSource::None);
        if let (CrossbarPort::S, true, Some(column)) = (output, connected, column) {
            links.insert((tile.into(), column.into(), LinkKind::Noc));
        }
    }
}

/// Once one side has this many changes, earlier cycles are not listed.
const MAX_CHANGES: usize = 16;
/// Counters that are listed only in cycles in which they differ between the sides; all other registers are listed
/// whenever they change.
const COUNTERS: [RegisterId; 2] = [RegisterId::DpuAccCnt, RegisterId::SeqWaitCount];

/// The last changes of a unit, at most [`CYCLES_BEFORE`] cycles before the mismatch.
pub(super) fn changes(r: &MismatchContext<'_>, unit: Unit) -> Vec<UnitChanges> {
    let mut by_cycle: BTreeMap<u64, UnitChanges> = BTreeMap::new();
    let mut counts = [0; 2];
    let from = r.mismatch.saturating_sub(CYCLES_BEFORE).max(1);
    for cycle in (from..=r.mismatch).rev() {
        let Some(found) = changes_of(r, unit, cycle) else { break };
        if found.golden.is_empty() && found.rtl.is_empty() {
            continue;
        }
        for (count, side) in counts.iter_mut().zip([&found.golden, &found.rtl]) {
            *count += side.len();
        }
        by_cycle.insert(cycle, found);
        if counts.iter().any(|c| *c >= MAX_CHANGES) {
            break;
        }
    }
    by_cycle.into_values().collect()
}

/// The changes at the clock edge before a cycle; `None` if the golden model is not recorded there.
fn changes_of(r: &MismatchContext<'_>, unit: Unit, cycle: u64) -> Option<UnitChanges> {
    let golden = [r.golden(cycle)?, r.golden(cycle - 1)?].map(|side| side.image(unit));
    let rtl = r.rtl(cycle).zip(r.rtl(cycle - 1));
    let rtl = rtl.map(|(new, old)| [new, old].map(|side| side.image(unit)));
    let differs = |register| {
        let mut differing = r.log.differing.iter();
        differing.any(|(at, spans)| *at == Location { unit, register } && spans.has(cycle))
    };
    let mut found = UnitChanges { cycle, golden: Vec::new(), rtl: Vec::new() };
    for variable in r.layout.variables_of(unit.kind()) {
        let golden = golden.each_ref().map(|image| variable.words(image));
        let rtl = rtl.as_ref().map(|sides| sides.each_ref().map(|image| variable.words(image)));
        if golden[0] == golden[1] && rtl.is_none_or(|[new, old]| new == old) {
            continue;
        }
        for field in &variable.fields {
            let [new, old] = golden.map(|words| field.value(words));
            let rtl = rtl.map(|sides| sides.map(|words| field.value(words)));
            if COUNTERS.contains(&field.register.id()) && !differs(field.register) {
                continue;
            }
            if new != old {
                found.golden.push(change(r, unit, field, new));
            }
            if let Some([new, old]) = rtl
                && new != old
            {
                found.rtl.push(change(r, unit, field, new));
            }
        }
    }
    Some(found)
}

fn change(r: &MismatchContext<'_>, unit: Unit, field: &Field, words: Vec<u64>) -> RegisterReading {
    let location = Location { unit, register: field.register };
    let value = Value::new(words, field.width);
    RegisterReading { location, reading: r.reading(r.mismatch, location, value) }
}
