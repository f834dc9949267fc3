// SPDX-License-Identifier: MIT OR Apache-2.0
//! The activity of the blocks of some units, cycle by cycle, on both sides.

use drra_fabric::{AguId, CrossbarPort, Generator, MessageKind, Register, Side};
use drra_isa::{TileId, Unit};

use super::{recording::MismatchContext, registers::CycleRegisters};
use crate::data::{Activity, ActivitySpan, SequencerActivity, Timeline, TimelineRow, UnitPart};

/// Numbers of cycles shown before and after the mismatch.
const BEFORE: u64 = 24;
const AFTER: u64 = 12;

/// The timeline of some units.
pub(super) fn timeline(recording: &MismatchContext<'_>, units: &[Unit]) -> Timeline {
    let from = recording.mismatch.saturating_sub(BEFORE);
    let to = recording.mismatch + AFTER;
    let mut rows = Vec::new();
    for &unit in units {
        for part in parts(unit) {
            let at = |r: CycleRegisters<'_>| activity(recording, &r, unit, part);
            let row = TimelineRow {
                unit,
                part,
                golden: spans(from, to, |c| recording.golden(c).and_then(at)),
                rtl: spans(from, to, |c| recording.rtl(c).and_then(at)),
            };
            // The sequencer is always shown, and other blocks only if they are active.
            if part == UnitPart::Sequencer || !row.golden.is_empty() || !row.rtl.is_empty() {
                rows.push(row);
            }
        }
    }
    Timeline { from, to, rows }
}

/// The parts of a unit whose activity is shown.
fn parts(unit: Unit) -> Vec<UnitPart> {
    let generators = || Generator::ALL.iter().copied();
    match unit {
        Unit::Cell(_) => {
            let agus = AguId::ALL.iter().map(|agu| UnitPart::Agu { agu: (*agu) });
            [UnitPart::Sequencer]
                .into_iter()
                .chain(agus)
                .chain([UnitPart::Dpu, UnitPart::Messages])
                .collect()
        }
        Unit::Column(_) => generators().map(|generator| UnitPart::IoAgu { generator }).collect(),
        Unit::Tile(_) => {
            let sides = Side::ALL.iter().map(|side| UnitPart::Side { side: (*side) });
            let outputs = CrossbarPort::ALL.iter().map(|k| UnitPart::Data { output: (*k) });
            let generators = generators().map(|generator| UnitPart::SramAgu { generator });
            sides.chain(generators).chain(outputs).collect()
        }
        Unit::Fabric => Vec::new(),
    }
}

/// The activity of a part in a cycle; `None` if there is no activity.
fn activity(
    recording: &MismatchContext<'_>,
    r: &CycleRegisters<'_>,
    unit: Unit,
    part: UnitPart,
) -> Option<Activity> {
    let state = |register: Register| {
        let reading = r.reading(unit, register).filter(|reading| !reading.is_zero())?;
        Some(Activity::State { reading })
    };
    match part {
        UnitPart::Sequencer => {
            let Unit::Cell(cell) = unit else { return None };
            match r.sequencer(cell, recording.is_io_cell(cell)) {
                SequencerActivity::Idle => None,
                activity => Some(Activity::Sequencer { activity }),
            }
        }
        UnitPart::Agu { agu } => state(Register::RfAguState(agu)),
        UnitPart::Dpu => state(Register::DpuModeReg),
        UnitPart::Messages => messages(r, unit),
        UnitPart::IoAgu { generator } => state(Register::ColumnIoGeneratorState(generator)),
        UnitPart::Side { side } => match unit {
            Unit::Tile(tile) => side_activity(r, tile, side),
            _ => None,
        },
        UnitPart::SramAgu { generator } => state(Register::TileGeneratorState(generator)),
        UnitPart::Data { output } => {
            let block = r.block(unit, output);
            (block != [0; 4]).then(|| Activity::Data { word: block[0] as u16 })
        }
    }
}

/// The message that a cell is about to send, or that waits for a flag. In its register, the kind and a valid bit are
/// above 64 bits of payload.
fn messages(r: &CycleRegisters<'_>, unit: Unit) -> Option<Activity> {
    let head = |register: Register| {
        let value = r.value(unit, register)?;
        value.words().get(1).copied().filter(|head| *head != 0)
    };
    let (head, waits) = match (head(Register::NocNocStage), head(Register::NocNocShadow)) {
        (Some(head), _) => (head, false),
        (None, Some(head)) => (head, true),
        (None, None) => return None,
    };
    let message = MessageKind::from_value(head & 3)?;
    Some(Activity::Message { message, waits })
}

fn side_activity(r: &CycleRegisters<'_>, tile: TileId, side: Side) -> Option<Activity> {
    let value = |of: fn(Side) -> Register| r.low(tile, of(side));
    if value(Register::TileSideAgu) != 0 {
        return Some(Activity::SramTaken);
    }
    // A NoC message: a valid bit and the kind above 60 bits of payload.
    let valid_route = 1 << 2 | MessageKind::Route.value();
    match value(Register::TileSideFwd) >> 60 {
        0 if value(Register::TileSideActive) == 1 => Some(Activity::PathOpen),
        0 => None,
        head if head == valid_route => Some(Activity::RoutePassed),
        _ => Some(Activity::SramPassed),
    }
}

/// Joins successive cycles with the same activity into one span.
fn spans(from: u64, to: u64, at: impl Fn(u64) -> Option<Activity>) -> Vec<ActivitySpan> {
    let mut spans: Vec<ActivitySpan> = Vec::new();
    for cycle in from..=to {
        let Some(activity) = at(cycle) else { continue };
        match spans.last_mut() {
            Some(last) if last.activity == activity && last.to + 1 == cycle => last.to = cycle,
            _ => spans.push(ActivitySpan { from: cycle, to: cycle, activity }),
        }
    }
    spans
}
