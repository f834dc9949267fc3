// SPDX-License-Identifier: MIT OR Apache-2.0
//! The instruction that had set up what drives a signal.

use drra_golden::Signals;
use drra_isa::{
    CellId, ColumnId, Lane, TileId, Unit,
    fabric::{AguId, CellPart, Generator, Key, Register, SignalId},
};
use drra_lockstep::SignalAt;

use crate::attribution::{Attribution, Cause, IssuedInstruction};

/// Registers of a DPU that take what comes in at its inputs.
pub fn is_dpu_data(register: Register) -> bool {
    register.id().part() == CellPart::DpuData.name()
}

/// The instruction that had set up what drives a signal.
pub(crate) fn responsible(signal: SignalAt, followed: &Attribution, signals: &Signals) -> Cause {
    let cell = match signal.unit {
        Unit::Cell(cell) => Some(cell),
        Unit::Column(_) | Unit::Tile(_) | Unit::Fabric => None,
    };
    let column = match signal.unit {
        Unit::Column(column) => Some(column),
        Unit::Cell(_) | Unit::Tile(_) | Unit::Fabric => None,
    };
    match signal.id {
        SignalId::Rdata | SignalId::DpuOut => match signal.as_lane()? {
            (cell, Lane::Rf0) => followed.agu(cell, AguId::R0).clone(),
            (cell, Lane::Rf1) => followed.agu(cell, AguId::R1).clone(),
            (cell, Lane::Dpu0 | Lane::Dpu1) => followed.dpu(cell),
        },
        SignalId::Wdata | SignalId::DpuIn => {
            let (cell, input) = signal.as_input()?;
            followed.input(cell, input).clone()
        }
        SignalId::BlkRead => followed.agu(cell?, AguId::Rb).clone(),
        SignalId::CellNoc => followed.message(cell?),
        SignalId::ColNoc => followed.message_for(column?, IssuedInstruction::is_message),
        SignalId::Up => {
            let reads = |c: &CellId| signals.cell(*c).blk_rdata.is_some();
            followed.agu(column?.cells().into_iter().find(reads)?, AguId::Rb).clone()
        }
        _ => match signal.unit {
            Unit::Cell(cell) => in_cell(cell, signal, followed, signals),
            Unit::Column(column) => in_column(column, signal, followed),
            Unit::Tile(tile) => in_tile(tile, signal, followed),
            Unit::Fabric => None,
        },
    }
}

/// Of a signal between the modules of a cell; `None` if the register shows it that takes the signal over.
fn in_cell(cell: CellId, signal: SignalAt, followed: &Attribution, signals: &Signals) -> Cause {
    match signal.id {
        SignalId::AguEn | SignalId::AguAddr | SignalId::AguActive => {
            followed.agu(cell, signal.key().agu()?).clone()
        }
        SignalId::DpuOp
        | SignalId::DpuX
        | SignalId::DpuY
        | SignalId::DpuAddendValid
        | SignalId::DpuAddend
        | SignalId::DpuFormat
        | SignalId::DpuSquash
        | SignalId::DpuUnit
        | SignalId::DpuDividend
        | SignalId::DpuDivisor
        | SignalId::DpuOpe
        | SignalId::DpuLanes
        | SignalId::DpuFx
        | SignalId::DpuSat => followed.dpu(cell),
        SignalId::RfWdata | SignalId::DpuOperand => {
            let id = match signal.id {
                SignalId::RfWdata => SignalId::Wdata,
                _ => SignalId::DpuIn,
            };
            let (cell, input) = SignalAt { id, ..signal }.as_input()?;
            followed.input(cell, input).clone()
        }
        SignalId::Busy => {
            let active = |agu: &&AguId| {
                let key = Key::from(**agu);
                signals.wire(signal.unit, SignalId::AguActive, key).is_some_and(|w| w != [0])
            };
            followed.agu(cell, *AguId::ALL.iter().find(active)?).clone()
        }
        _ => None,
    }
}

/// Likewise of a column.
fn in_column(column: ColumnId, signal: SignalAt, followed: &Attribution) -> Cause {
    let of = |generator: Generator| followed.io_generator(column, generator).clone();
    match signal.id {
        SignalId::IoEn | SignalId::IoAddr | SignalId::IoMask | SignalId::IoActive => {
            of(signal.key().generator()?)
        }
        // The one of the other generator may have been taken for it.
        SignalId::IoNew | SignalId::IoNewCfg => of(signal.key().generator()?)
            .or_else(|| Generator::ALL.iter().find_map(|generator| of(*generator))),
        _ => None,
    }
}

/// Likewise of a tile.
fn in_tile(tile: TileId, signal: SignalAt, followed: &Attribution) -> Cause {
    match signal.id {
        SignalId::SramEn | SignalId::SramAddr | SignalId::SramActive => {
            followed.generator(tile, signal.key().generator()?).clone()
        }
        SignalId::MemWe | SignalId::MemWa | SignalId::MemWd => {
            followed.generator(tile, Generator::Write).clone()
        }
        SignalId::MemRdata => followed.generator(tile, Generator::Read).clone(),
        SignalId::RouteGot
        | SignalId::RouteEnds
        | SignalId::RouteExit
        | SignalId::RouteFrom
        | SignalId::RouteTo
        | SignalId::Rx => followed.arrived(tile, signal.key().side()?).clone(),
        _ => None,
    }
}
