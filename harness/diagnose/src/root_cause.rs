// SPDX-License-Identifier: MIT OR Apache-2.0
//! The instruction that had set up the driver of a signal.

use drra_fabric::{AguId, BlockId, CellPart, Generator, Key, Lane, Register, RuleId, SignalId};
use drra_golden::Signals;
use drra_isa::{CellId, Unit};
use drra_lockstep::SignalLocation;

use crate::attribution::{Attribution, Cause, IssuedInstruction};

/// True for a register of the data path of a DPU (chapter 4, section 3).
pub fn is_dpu_data(register: Register) -> bool {
    register.id().part() == CellPart::DpuData.name()
}

/// Rules for DPU signals that depend on the instruction in force.
const BY_MODE: [RuleId; 7] = [
    RuleId::DpuOperands,
    RuleId::DpuLanes,
    RuleId::DpuOutput,
    RuleId::DpuSquash,
    RuleId::DpuUnit,
    RuleId::DpuDivision,
    RuleId::DpuScalerMode,
];

/// The instruction that had set up the driver of a signal; `None` if the instruction must be found from the register
/// that captures the signal.
pub(crate) fn responsible(
    signal: SignalLocation,
    followed: &Attribution,
    signals: &Signals,
) -> Cause {
    use SignalId as S;
    let key = signal.key();
    match (signal.unit, signal.id) {
        (Unit::Cell(_), S::Rdata | S::DpuOut) => match signal.as_lane()? {
            (cell, Lane::Rf0) => followed.agu(cell, AguId::R0).clone(),
            (cell, Lane::Rf1) => followed.agu(cell, AguId::R1).clone(),
            (cell, Lane::Dpu0 | Lane::Dpu1) => followed.dpu(cell),
        },
        (Unit::Cell(_), S::Wdata | S::DpuIn | S::RfWdata | S::DpuOperand) => {
            let id = match signal.id {
                S::RfWdata => S::Wdata,
                S::DpuOperand => S::DpuIn,
                id => id,
            };
            let (cell, input) = SignalLocation { id, ..signal }.as_input()?;
            followed.input(cell, input).clone()
        }
        (Unit::Cell(cell), S::BlkRead) => followed.agu(cell, AguId::Rb).clone(),
        (Unit::Cell(cell), S::CellNoc) => followed.message(cell),
        (Unit::Cell(cell), S::AguEn | S::AguAddr | S::AguActive) => {
            followed.agu(cell, key.agu()?).clone()
        }
        (Unit::Cell(cell), S::DpuOpe) => followed.dpu(cell),
        (Unit::Cell(cell), id) if BY_MODE.contains(&id.rule()) => followed.dpu(cell),
        // A loop that ends at the decoded instruction does not affect the decode.
        (Unit::Cell(_), id) if id.block() == BlockId::Decoder => {
            followed.responsible_for_unit(signal.unit)
        }
        (Unit::Cell(cell), S::Busy) => {
            let active = |agu: &&AguId| {
                let active = signals.wire(signal.unit, S::AguActive, Key::from(**agu));
                active.is_some_and(|w| w != [0])
            };
            followed.agu(cell, *AguId::ALL.iter().find(active)?).clone()
        }
        (Unit::Column(column), S::ColNoc) => {
            followed.message_for(column, IssuedInstruction::is_message)
        }
        (Unit::Column(column), S::Up) => {
            let reads = |c: &CellId| signals.cell(*c).blk_rdata.is_some();
            followed.agu(column.cells().into_iter().find(reads)?, AguId::Rb).clone()
        }
        (Unit::Column(column), S::IoEn | S::IoAddr | S::IoMask | S::IoActive) => {
            followed.io_generator(column, key.generator()?).clone()
        }
        // A message for the other generator may have been mistaken for a message for this generator.
        (Unit::Column(column), S::IoNew | S::IoNewCfg) => {
            let own = followed.io_generator(column, key.generator()?).clone();
            let mut all = Generator::ALL.iter().map(|g| followed.io_generator(column, *g).clone());
            own.or_else(|| all.find_map(|io| io))
        }
        (Unit::Tile(tile), S::SramEn | S::SramAddr | S::SramActive) => {
            followed.generator(tile, key.generator()?).clone()
        }
        (Unit::Tile(tile), S::MemWe | S::MemWa | S::MemWd) => {
            followed.generator(tile, Generator::Write).clone()
        }
        // The requesting tile need not be the tile that owns the segment.
        (Unit::Tile(tile), S::ReqN | S::ReqE) => followed.route(tile),
        (Unit::Tile(tile), S::MemRdata) => followed.generator(tile, Generator::Read).clone(),
        (
            Unit::Tile(tile),
            S::RouteGot | S::RouteEnds | S::RouteExit | S::RouteFrom | S::RouteTo | S::Rx,
        ) => followed.arrived(tile, key.side()?).clone(),
        _ => None,
    }
}
