// SPDX-License-Identifier: MIT OR Apache-2.0
//! Determines which instruction is responsible for a register, from the part of the unit to which the register belongs
//! and the instructions that act on this part.

use drra_fabric::{
    AguId, CellInput, CellPart, ColumnPart, Generator, Location, PortId, Register, RegisterId,
    Side, TilePart,
};
use drra_isa::{CellId, ColumnId, Opcode, TileId, Unit, instructions::raccu};
use drra_lockstep::PortDifference;

use super::{
    all::Attribution,
    cell::CellCauses,
    issued::{Cause, IssuedInstruction, first, only},
    tile::offered,
};

impl Attribution {
    /// The instruction that is responsible for the value of a register after the last edge: the one that acted on the
    /// register in that cycle, or else the one that set up its unit.
    pub fn responsible(&self, location: Location) -> Cause {
        match location.unit {
            Unit::Cell(cell) => self.in_cell(cell, location.register),
            Unit::Column(column) => self.in_column(column, location.register),
            Unit::Tile(tile) => self.in_tile(tile, location.register),
            Unit::Fabric => None,
        }
    }

    /// The instruction that is responsible for the behaviour of a unit as a whole, if there is one.
    pub(crate) fn responsible_for_unit(&self, unit: Unit) -> Cause {
        match unit {
            Unit::Cell(cell) => self.cell(cell).current.clone(),
            Unit::Column(column) => self.column(column).responsible(Generator::Read),
            Unit::Tile(_) | Unit::Fabric => None,
        }
    }

    /// The instruction that is responsible for the value of an output port: the IO of the generator that drives it,
    /// or the latest instruction of a cell whose idle state differs.
    pub(crate) fn responsible_for_port(&self, port: &PortDifference) -> Cause {
        let generator = |generator| self.io_generator(port.column?, generator).clone();
        match port.port {
            PortId::IoInEn | PortId::IoInAddr => generator(Generator::Read),
            PortId::IoOutEn | PortId::IoOutAddr | PortId::IoOutData | PortId::IoOutMask => {
                generator(Generator::Write)
            }
            PortId::CellIdle => self.responsible_for_unit(port.unit(self.geometry())),
            PortId::AllIdle | PortId::AguBusy => None,
        }
    }

    fn in_cell(&self, cell: CellId, register: Register) -> Cause {
        let c = self.cell(cell);
        let last = &c.last;
        let current = || c.current.clone();
        let staged = |opcode: Opcode| only(&last.held.stage, |i| i.is(opcode));
        let sends = || only(&last.held.stage, IssuedInstruction::sends);
        match CellPart::from_name(register.id().part())? {
            CellPart::Program => None,
            CellPart::Decode => current(),
            CellPart::ProgramCounter => c.jumped(),
            CellPart::RaccuRegister => c.wrote_raccu(register.key().number()?),
            CellPart::WaitingRaccu => first([c.sh_raccu.clone(), last.raccu.clone(), current()]),
            CellPart::WaitingLoop => first([c.sh_loop.clone(), last.looped.clone(), current()]),
            CellPart::LoopSlot => {
                let slot = c.slots.get(register.key().number()?).cloned().flatten();
                first([last.looped.clone(), last.loop_end.clone(), slot, current()])
            }
            CellPart::InputSelection => {
                let input = CellInput::from_index(register.key().number()?)?;
                first([last.held.swb_iss.clone(), c.of_input(input).clone(), current()])
            }
            CellPart::WaitingMessage => {
                first([sends(), last.held.noc_shadow.clone(), last.left.clone()])
            }
            CellPart::WaitingPerm => {
                first([staged(Opcode::Perm), last.held.perm_shadow.clone(), last.perm.clone()])
            }
            CellPart::RegisterFileWord => c.wrote_word(register.key().number()?),
            CellPart::WaitingRefi => {
                let agu = register.key().agu()?;
                let (refi, launched) = (staged(Opcode::Refi), c.of_agu(agu).clone());
                let waits = &c.held.rf_shadow[agu.index()];
                let arrived = refi.clone().filter(|_| refi == *waits || refi == launched);
                first([arrived, last.held.rf_shadow[agu.index()].clone(), refi, launched])
            }
            CellPart::AguPattern => {
                let agu = register.key().agu()?;
                let waited = last.held.rf_shadow[agu.index()].clone();
                first([c.of_agu(agu).clone(), waited, staged(Opcode::Refi)])
            }
            CellPart::WaitingDpu => {
                first([staged(Opcode::Dpu), last.held.dpu_shadow.clone(), c.held.dpu.clone()])
            }
            CellPart::DpuInstruction => {
                first([c.held.dpu.clone(), staged(Opcode::Dpu), last.held.dpu_shadow.clone()])
            }
            CellPart::DpuFormat => first([c.bw.clone(), current()]),
            // A launch clears the counter; otherwise, the instruction in force is responsible.
            CellPart::DpuCounter if last.dpu_launched => c.held.dpu.clone(),
            CellPart::DpuCounter | CellPart::DpuOperation | CellPart::DpuData => {
                first([last.held.dpu.clone(), c.held.dpu.clone()])
            }
        }
    }

    fn in_column(&self, column: ColumnId, register: Register) -> Cause {
        let c = self.column(column);
        let crossbar = || self.tile(column.home_tile()).xbar.clone();
        let cells = || column.cells().into_iter().map(|cell| self.cell(cell));
        match ColumnPart::from_name(register.id().part())? {
            ColumnPart::IoMessage => self.message_for(column, |i| i.is(Opcode::Io)),
            ColumnPart::BufferData => cells()
                .filter(|cell| cell.last.emitted(AguId::Rb).is_some())
                .find_map(|cell| cell.of_agu(AguId::Rb).clone())
                // A block from the I/O unit must not change this register (chapter 7, A6).
                .or_else(|| c.responsible(Generator::Read).filter(|_| c.from_buffer))
                .or_else(crossbar),
            ColumnPart::BlockToRow1 if !c.from_buffer => crossbar(),
            ColumnPart::BlockToRow1 | ColumnPart::BufferRequest => c.responsible(Generator::Read),
            ColumnPart::IoGenerator => c.responsible(register.key().generator()?),
        }
    }

    fn in_tile(&self, tile: TileId, register: Register) -> Cause {
        let t = self.tile(tile);
        match TilePart::from_name(register.id().part())? {
            TilePart::NocSide => {
                let x = register.key().side()?.index();
                first([t.rx[x].clone(), t.route(), t.take_before[x].clone(), t.path[x].clone()])
            }
            TilePart::Segment => {
                let west = register.id() == RegisterId::TileSegW;
                let side = if west { Side::W } else { Side::S };
                self.route_beyond(tile, side).or_else(|| t.route())
            }
            TilePart::CrossbarConnections => first([t.route(), t.xbar.clone()]),
            TilePart::CrossbarOutput => t.xbar.clone(),
            TilePart::SramGenerator => {
                let generator = register.key().generator()?;
                first([offered(&t.take_before, generator), t.generators[generator.index()].clone()])
            }
            TilePart::MemoryOutput => self.generator(tile, Generator::Read).clone(),
            TilePart::MemoryRow => {
                self.generator(tile, Generator::Write).clone().filter(|_| t.wrote)
            }
            TilePart::TileInitialisation => None,
        }
    }

    /// The ROUTE that acted in the neighbour, whose request for the segment between the two tiles has priority (chapter
    /// 6, 6.3).
    fn route_beyond(&self, tile: TileId, side: Side) -> Cause {
        self.route(side.neighbour(tile, self.geometry())?)
    }
}

impl CellCauses {
    /// The instruction that moved the program counter.
    fn jumped(&self) -> Cause {
        let jumps = |i: &IssuedInstruction| {
            matches!(i.opcode(), Some(Opcode::Halt | Opcode::Jump | Opcode::Branch))
        };
        let skipped = self.last.looped.clone().filter(|_| self.skips);
        only(&self.current, jumps)
            .or_else(|| first([self.last.loop_end.clone(), skipped, self.current.clone()]))
    }

    /// The instruction that wrote a RACCU register.
    fn wrote_raccu(&self, number: usize) -> Cause {
        let last = &self.last;
        let here = only(&last.raccu, |i| raccu::RESULT.get(&i.words) == number as u64);
        // Slot k owns register 15-k.
        let slot = 15_usize.checked_sub(number).and_then(|k| self.slots.get(k).cloned().flatten());
        first([here, last.looped.clone(), slot, last.raccu.clone(), self.current.clone()])
    }

    /// The instruction that wrote a word at the last edge. If the golden model did not write it, only the RTL did, and
    /// any active port may be the reason.
    fn wrote_word(&self, word: usize) -> Cause {
        let last = &self.last;
        let ports = [(AguId::Wb, word / 16), (AguId::W0, word), (AguId::W1, word)];
        let hit = ports.into_iter().find(|(agu, at)| last.emitted(*agu) == Some(*at));
        let active = || {
            let mut without_perm = ports.into_iter().filter(|_| last.perm.is_none());
            without_perm.find(|(agu, _)| last.emitted(*agu).is_some())
        };
        match hit.or_else(active) {
            Some((agu, _)) => self.of_agu(agu).clone(),
            None => first([
                last.perm.clone(),
                last.held.perm_shadow.clone(),
                last.held.stage.clone(),
                self.current.clone(),
            ]),
        }
    }
}
