// SPDX-License-Identifier: MIT OR Apache-2.0
//! The activity of units and their parts, as text.

use std::fmt::Display;

use drra_fabric::AguState;

use super::{joined, opcode, state, unit};
use crate::data::{
    Activity, Direction, GeneratorState, SequencerActivity, TimelineRow, UnitPart, UnitState,
};

impl Direction {
    /// The direction in words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Itself => "this unit",
            Self::North => "north",
            Self::South => "south",
            Self::East => "east",
            Self::West => "west",
            Self::OtherRow => "other row",
            Self::Row0 => "row 0",
            Self::Row1 => "row 1",
            Self::Column => "column",
            Self::HomeTile => "home tile",
        }
    }
}

impl UnitState {
    /// The activity of the unit, in one line.
    pub fn text(&self) -> String {
        let parts: Vec<String> = match self {
            Self::Cell { sequencer, dpu, agus } => {
                let sequencer = match sequencer {
                    SequencerActivity::Idle => "idle".to_owned(),
                    SequencerActivity::Load => "LOAD".to_owned(),
                    SequencerActivity::Run { address, opcode: o } => {
                        format!("RUN, {} at {address}", opcode(*o))
                    }
                };
                let dpu = dpu.iter().map(|mode| format!("DPU {}", state(mode)));
                [sequencer].into_iter().chain(dpu).chain(agus.iter().map(located)).collect()
            }
            Self::Column { generators } => generators
                .iter()
                .map(|g| format!("io_{} {}", g.generator, state(&g.state)))
                .collect(),
            Self::Tile { paths, generators } => {
                let paths = paths.iter().map(|side| format!("path enters at {side}"));
                paths.chain(generators.iter().map(located)).collect()
            }
        };
        joined(parts.into_iter(), "; ", "idle")
    }
}

/// A generator with its state and its address; during the initial delay, the address is not valid and is left out.
fn located<T: Display>(g: &GeneratorState<T>) -> String {
    // INIT_WAIT has the same code in cells and tiles.
    let waits = g.state.value.low() == AguState::InitWait.value();
    let at = if waits { String::new() } else { format!(" at {}", g.address) };
    format!("{} {}{at}", g.generator, state(&g.state))
}

impl TimelineRow {
    /// Unit and part.
    pub fn name(&self) -> String {
        let part = match self.part {
            UnitPart::Sequencer => "sequencer".to_owned(),
            UnitPart::Agu { agu } => format!("AGU {agu}"),
            UnitPart::Dpu => "DPU".to_owned(),
            UnitPart::Messages => "messages".to_owned(),
            UnitPart::IoAgu { generator } => format!("io_{generator}"),
            UnitPart::Side { side } => format!("side {side}"),
            UnitPart::SramAgu { generator } => format!("AGU {generator}"),
            UnitPart::Data { output } => format!("data {output}"),
        };
        format!("{} {part}", unit(self.unit))
    }
}

impl Activity {
    /// The activity in words.
    pub fn text(&self) -> String {
        match self {
            Self::Sequencer { activity: SequencerActivity::Run { address, opcode: o } } => {
                format!("{address} {}", opcode(*o))
            }
            Self::Sequencer { activity: SequencerActivity::Load } => "LOAD".to_owned(),
            Self::Sequencer { activity: SequencerActivity::Idle } => "idle".to_owned(),
            Self::State { reading } => state(reading),
            Self::Message { message, waits: true } => format!("{message} waits"),
            Self::Message { message, waits: false } => message.to_string(),
            Self::SramTaken => "SRAM taken".to_owned(),
            Self::PathOpen => "path".to_owned(),
            Self::RoutePassed => "ROUTE passed on".to_owned(),
            Self::SramPassed => "SRAM passed on".to_owned(),
            Self::Data { word } => format!("{word:04x}.."),
        }
    }

    /// A short form for narrow spaces: for an instruction, only its name.
    pub(crate) fn short(&self) -> String {
        match self {
            Self::Sequencer { activity: SequencerActivity::Run { opcode: o, .. } } => opcode(*o),
            Self::Message { waits: true, .. } => "waits".to_owned(),
            Self::SramTaken => "taken".to_owned(),
            Self::RoutePassed | Self::SramPassed => "passed".to_owned(),
            _ => self.text(),
        }
    }
}
