// SPDX-License-Identifier: MIT OR Apache-2.0
//! The instruction that had set up the driver of a signal.

use drra_fabric::{
    AguId, BlockId, CellPart, Generator, Key, Lane, Register, RuleId, Side, SignalId,
};
use drra_golden::Signals;
use drra_isa::{CellId, Geometry, Unit};
use drra_lockstep::SignalLocation;

use crate::attribution::{Attribution, Cause, IssuedInstruction, offered};

/// True for a register of the data path of a DPU (chapter 4, section 3).
pub fn is_dpu_data(register: Register) -> bool {
    register.id().part() == CellPart::DpuData.name()
}

/// The instruction that had set up the driver of a signal, of which there may be none; `None` if the instruction must be
/// found from the register that captures the signal. `followed` is what had been set up in the cycle of the signal.
#[expect(clippy::too_many_lines, reason = "one table, in the order of the units")]
pub(crate) fn responsible(
    signal: SignalLocation,
    followed: &Attribution,
    signals: &Signals,
) -> Option<Cause> {
    use SignalId as S;
    let key = signal.key();
    Some(match (signal.unit, signal.id) {
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
        // The block of row 1 is a cycle older (chapter 5, 4.1).
        (Unit::Cell(cell), S::BlkWrite) => followed.passed_down(cell.column(), 2 + cell.row()),
        (Unit::Cell(cell), S::CellNoc) => followed.message(cell),
        (Unit::Cell(cell), S::AguEn | S::AguAddr | S::AguActive) => {
            followed.agu(cell, key.agu()?).clone()
        }
        (Unit::Cell(cell), S::AguHit | S::AguLaunch | S::AguLaunchCfg) => {
            followed.cell(cell).arrives(key.agu()?)
        }
        (Unit::Cell(cell), S::PermGo | S::PermWe | S::PermOld | S::PermNew) => {
            followed.cell(cell).permutes()
        }
        (Unit::Cell(cell), S::DpuLaunch | S::DpuConst) => followed.cell(cell).launches_dpu(),
        (Unit::Cell(cell), S::DpuClear) => followed.cell(cell).accumulates(),
        // Chapter 4 is about the DPU.
        (Unit::Cell(cell), id) if id.rule().info().chapter == 4 => followed.dpu(cell),
        (Unit::Cell(cell), S::IterWe | S::IterValue) => followed.cell(cell).of_slot(key.number()?),
        // A loop that ends at the decoded instruction affects neither the decode nor the length of a WAIT.
        (Unit::Cell(cell), S::Waiting) => followed.cell(cell).decoding(),
        (Unit::Cell(cell), id) if id.block() == BlockId::Decoder => followed.cell(cell).decoding(),
        (Unit::Cell(cell), S::Busy) => {
            followed.agu(cell, active(AguId::ALL, S::AguActive, signal.unit, signals)?).clone()
        }
        (Unit::Cell(_), S::RfInitWe | S::RfInitBlock | S::RfInitData) => None,
        (Unit::Column(column), S::ColNoc) => {
            followed.message_for(column, IssuedInstruction::is_message)
        }
        (Unit::Column(column), S::Up) => {
            let reads = |c: &CellId| signals.cell(*c).blk_rdata.is_some();
            match column.cells().into_iter().find(reads) {
                Some(cell) => followed.agu(cell, AguId::Rb).clone(),
                None => followed.column(column).flow[2].clone(),
            }
        }
        (Unit::Column(column), S::IoEn | S::IoAddr | S::IoMask | S::IoActive) => {
            followed.io_generator(column, key.generator()?).clone()
        }
        (Unit::Column(column), S::ColumnBusy) => {
            let generator = active(Generator::ALL, S::IoActive, signal.unit, signals)?;
            followed.io_generator(column, generator).clone()
        }
        // The message may be for the other generator.
        (Unit::Column(column), S::IoNew | S::IoNewCfg) => {
            followed.column(column).io_msg_before.clone()
        }
        (Unit::Tile(tile), S::SramEn | S::SramAddr | S::SramActive) => {
            followed.generator(tile, key.generator()?).clone()
        }
        (Unit::Tile(tile), S::TileBusy) => {
            let generator = active(Generator::ALL, S::SramActive, signal.unit, signals)?;
            followed.generator(tile, generator).clone()
        }
        (Unit::Tile(tile), S::MemWe | S::MemWa | S::MemWd) => {
            followed.accesses(tile, Generator::Write, signals)
        }
        (Unit::Tile(tile), S::MemRdata) => followed.generator(tile, Generator::Read).clone(),
        // The requesting tile need not be the tile that owns the segment.
        (Unit::Tile(tile), S::ReqN | S::ReqE | S::SideAnyRoute) => followed.route(tile),
        (Unit::Tile(tile), S::Connect | S::ConnectFrom | S::ConnectTo) => followed.route(tile),
        (
            Unit::Tile(tile),
            S::RouteGot | S::RouteEnds | S::RouteExit | S::RouteFrom | S::RouteTo | S::Rx,
        ) => followed.arrived(tile, key.side()?).clone(),
        (Unit::Tile(tile), S::MsgV) => followed.tile(tile).leaving(Side::N),
        (Unit::Tile(tile), S::MsgH) => followed.tile(tile).leaving(Side::E),
        (Unit::Tile(tile), S::TakeNew | S::TakeCfg) => {
            let taken = &followed.tile(tile).take;
            offered(taken, key.generator()?).or_else(|| taken.iter().find_map(Clone::clone))
        }
        (Unit::Tile(_), id) if id.rule() == RuleId::InitialisationWiring => None,
        _ => return None,
    })
}

/// The instruction that had set up the first active AGU or generator of the fabric.
pub(crate) fn busy(followed: &Attribution, signals: &Signals, geometry: &Geometry) -> Cause {
    let all = [SignalId::Busy, SignalId::ColumnBusy, SignalId::TileBusy];
    let of = |unit| all.map(|id| SignalLocation::new(unit, id, Key::None));
    Unit::all(geometry).flat_map(of).find_map(|s| responsible(s, followed, signals)?)
}

/// The first AGU or generator of a unit that is active.
fn active<K: Copy + Into<Key>>(
    all: &[K],
    id: SignalId,
    unit: Unit,
    signals: &Signals,
) -> Option<K> {
    let is_active = |k: &&K| signals.wire(unit, id, (**k).into()).is_some_and(|w| w != [0]);
    all.iter().find(is_active).copied()
}
