// SPDX-License-Identifier: MIT OR Apache-2.0
//! Determines which instruction is responsible for a register, from the part of the unit to which the register belongs
//! and the instructions that act on this part.

use drra_fabric::{
    AguId, CellInput, CellPart, ColumnPart, Generator, GroupId, Key, Location, PortId, Register,
    RegisterId, Side, SignalId, TilePart,
};
use drra_golden::{CellSignalValues, Signals};
use drra_isa::{
    CellId, ColumnId, Opcode, TileId, Unit,
    instructions::{DpuMode, loop_, raccu},
};
use drra_lockstep::{Difference, PortDifference};

use super::{
    all::Attribution,
    cell::CellCauses,
    issued::{Cause, IssuedInstruction, first, only},
    tile::offered,
};

impl Attribution {
    /// The instruction that is responsible for a difference after the edge that ends the cycle with these signals: the
    /// one that acted on the register in that cycle, or else the one that set up its unit.
    pub(crate) fn responsible(&self, difference: &Difference, signals: &Signals) -> Cause {
        let Location { unit, register } = difference.location;
        match unit {
            Unit::Cell(cell) if register.id() == RegisterId::RfMem => {
                let word = register.key().number()?;
                self.cell(cell).wrote_word(word, signals.cell(cell), difference.dut.low())
            }
            Unit::Cell(cell) => self.in_cell(cell, register),
            Unit::Column(column) => self.in_column(column, register),
            Unit::Tile(tile) => self.in_tile(tile, register, signals),
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
        let decoding = |opcode| only(&c.decoding(), |i| i.is(opcode));
        let sends = || only(&last.held.stage, IssuedInstruction::sends);
        match CellPart::from_name(register.id().part())? {
            CellPart::Program | CellPart::RegisterFileWord => None,
            // Instructions for the sequencer alone, such as WAIT, have nothing to issue.
            CellPart::Decode => match register.id().group() {
                GroupId::SeqCore | GroupId::SeqImmediate => c.decoding(),
                _ => only(&c.decoding(), |i| !i.is_control()),
            },
            CellPart::ProgramCounter => c.jumped(),
            CellPart::RaccuRegister => c.wrote_raccu(register.key().number()?),
            CellPart::WaitingRaccu => {
                first([c.sh_raccu.clone(), last.raccu.clone(), decoding(Opcode::Raccu)])
            }
            CellPart::WaitingLoop => {
                first([c.sh_loop.clone(), last.looped.clone(), decoding(Opcode::Loop)])
            }
            CellPart::LoopSlot => c.of_slot(register.key().number()?),
            CellPart::InputSelection => {
                let input = CellInput::from_index(register.key().number()?)?;
                let issued = &last.held.swb_iss;
                let selects = only(issued, |swb| swb.input() == Some(input));
                first([selects, c.of_input(input).clone(), issued.clone()])
            }
            CellPart::WaitingMessage => {
                first([sends(), last.held.noc_shadow.clone(), last.left.clone()])
            }
            CellPart::WaitingPerm => c.permutes(),
            CellPart::WaitingRefi => c.arrives(register.key().agu()?),
            CellPart::AguPattern => {
                let agu = register.key().agu()?;
                first([c.of_agu(agu).clone(), c.arrives(agu)])
            }
            CellPart::WaitingDpu | CellPart::DpuInstruction => c.launches_dpu(),
            CellPart::DpuFormat => first([c.bw.clone(), decoding(Opcode::Bw)]),
            // A launch clears the counters and, except after ld_acc, the accumulators (chapter 4, 5.5).
            CellPart::DpuCounter if last.dpu_launched => c.held.dpu.clone(),
            CellPart::DpuData if register.id() == RegisterId::DpuAcc => c.accumulates(),
            CellPart::DpuCounter | CellPart::DpuOperation | CellPart::DpuData => {
                first([last.held.dpu.clone(), c.held.dpu.clone()])
            }
        }
    }

    /// The IO for which a column has worked in the last cycle, `stage` cycles after the request, or otherwise the ROUTE
    /// of its home tile: the one whose block the cells of row `stage` - 2 receive.
    pub(crate) fn passed_down(&self, column: ColumnId, stage: usize) -> Cause {
        self.column(column).flow[stage]
            .clone()
            .or_else(|| self.crossbar(column.home_tile()).clone())
    }

    fn in_column(&self, column: ColumnId, register: Register) -> Cause {
        let c = self.column(column);
        let cells = || column.cells().into_iter().map(|cell| self.cell(cell));
        match ColumnPart::from_name(register.id().part())? {
            ColumnPart::IoMessage => self.message_for(column, |i| i.is(Opcode::Io)),
            ColumnPart::BufferData => cells()
                .filter(|cell| cell.last.emitted(AguId::Rb).is_some())
                .find_map(|cell| cell.of_agu(AguId::Rb).clone())
                // A block from the I/O unit must not change this register (chapter 7, A6).
                .or_else(|| self.passed_down(column, 2)),
            ColumnPart::BlockToRow1 => self.passed_down(column, 2),
            ColumnPart::BufferRequest => {
                let requested =
                    matches!(register.id(), RegisterId::ColumnIoPend | RegisterId::ColumnIoPmask);
                let by = c.flow[usize::from(!requested)].clone();
                by.or_else(|| c.responsible(Generator::Read))
            }
            ColumnPart::IoGenerator => c.responsible(register.key().generator()?),
        }
    }

    fn in_tile(&self, tile: TileId, register: Register, signals: &Signals) -> Cause {
        let t = self.tile(tile);
        match TilePart::from_name(register.id().part())? {
            TilePart::NocSide => {
                let x = register.key().side()?.index();
                first([t.rx[x].clone(), t.route(), t.take[x].clone(), t.path[x].clone()])
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
                first([offered(&t.take, generator), t.generators[generator.index()].clone()])
            }
            TilePart::MemoryOutput => self.accesses(tile, Generator::Read, signals),
            TilePart::MemoryRow => self.accesses(tile, Generator::Write, signals),
            TilePart::TileInitialisation => None,
        }
    }

    /// The SRAM that accesses the memory of a tile in the cycle with these signals: of two, the one of the `wanted`
    /// generator. The initialisation port has precedence over a write (chapter 6, 7.3) and has no instruction.
    pub(crate) fn accesses(&self, tile: TileId, wanted: Generator, signals: &Signals) -> Cause {
        let wire = |id, key| signals.wire(tile.into(), id, key).map(|words| words[0]);
        let hit = wire(SignalId::InitIn, Key::None) == Some(1)
            && wire(SignalId::InitInRow, Key::None) == Some(tile.row() as u64)
            && wire(SignalId::InitInCol, Key::None) == Some(tile.col() as u64);
        if hit && wanted == Generator::Write {
            return None;
        }
        let enabled = |g: &Generator| wire(SignalId::SramEn, (*g).into()) == Some(1);
        let other = Generator::ALL.iter().filter(|g| **g != wanted && !hit).copied();
        let found = std::iter::once(wanted).chain(other).find(enabled);
        let idle = Some(wanted).filter(|g| *g == Generator::Read);
        self.generator(tile, found.or(idle)?).clone()
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
        only(&self.decoding(), jumps)
            .or_else(|| first([self.last.loop_end.clone(), skipped, self.decoding()]))
    }

    /// The instruction that wrote a RACCU register.
    fn wrote_raccu(&self, number: usize) -> Cause {
        let last = &self.last;
        let here = only(&last.raccu, |i| raccu::RESULT.get(&i.words) == number as u64);
        // Slot k owns register 15-k.
        let slot = 15_usize.checked_sub(number).and_then(|k| self.of_slot(k));
        let decoded = only(&self.decoding(), |i| i.is(Opcode::Raccu));
        first([here, slot, last.looped.clone(), last.raccu.clone(), decoded])
    }

    /// The LOOP that changed a slot: the one that took effect on this slot, or else the one in it.
    pub(crate) fn of_slot(&self, slot: usize) -> Cause {
        let (last, own) = (&self.last, self.slots.get(slot)?);
        let acts = |i: &IssuedInstruction| {
            loop_::LOOPID.get(&i.words) == slot as u64
                || self.skips && loop_::LINK.get(&i.words) >> slot & 1 == 1
        };
        let active = own.clone().filter(|_| last.active_loops >> slot & 1 == 1);
        let looped = only(&last.looped, acts);
        first([looped, active, last.looped.clone(), last.loop_end.clone(), own.clone()])
    }

    /// The REFI that arrives at the shadow register of an AGU, or waits there.
    pub(crate) fn arrives(&self, agu: AguId) -> Cause {
        let refi = only(&self.last.held.stage, |i| i.is(Opcode::Refi));
        let launched = self.of_agu(agu).clone();
        let waits = &self.held.rf_shadow[agu.index()];
        let arrived = refi.clone().filter(|_| refi == *waits || refi == launched);
        first([arrived, self.last.held.rf_shadow[agu.index()].clone(), refi, launched])
    }

    /// The DPU instruction that is launched, or else one that could have been.
    pub(crate) fn launches_dpu(&self) -> Cause {
        let (last, in_force) = (&self.last, self.held.dpu.clone());
        let staged = only(&last.held.stage, |i| i.is(Opcode::Dpu));
        let launched = in_force.clone().filter(|_| last.dpu_launched);
        first([launched, staged, last.held.dpu_shadow.clone(), in_force])
    }

    /// The DPU instruction that determines the accumulators: the one that is launched, if its launch clears them, or
    /// else the one in force (chapter 4, 5.5).
    pub(crate) fn accumulates(&self) -> Cause {
        let (launched, in_force) = (self.held.dpu.clone(), self.last.held.dpu.clone());
        let loads = in_force.as_ref().and_then(|i| i.dpu_mode()) == Some(DpuMode::LdAcc);
        if self.last.dpu_launched && !loads { launched } else { first([in_force, launched]) }
    }

    /// The PERM that executes, or else one that could have.
    pub(crate) fn permutes(&self) -> Cause {
        let last = &self.last;
        let staged = only(&last.held.stage, |i| i.is(Opcode::Perm));
        first([last.perm.clone(), last.held.perm_shadow.clone(), staged])
    }

    /// The instruction that wrote a word in a cycle with these signals: that of the first writer of chapter 3, 4.2,
    /// which for the initialisation port is none. If the golden model did not write the word, a writer that is active
    /// may have: preferably one whose data the design has in the word, `dut`.
    fn wrote_word(&self, word: usize, now: &CellSignalValues, dut: u64) -> Cause {
        let (block, bit) = (word / 16, word % 16);
        let masked = now.blk_wmask >> bit & 1 == 1;
        let in_block = now.blk_wdata[bit / 4] >> (16 * (bit % 4)) & 0xffff;
        // AGU, address of the word, whether a write is possible, and data.
        let mut ports = vec![
            (AguId::Wb, block, !masked, in_block),
            (AguId::W0, word, true, now.vin[0].into()),
            (AguId::W1, word, true, now.vin[1].into()),
        ];
        ports.retain(|(agu, ..)| self.last.emitted(*agu).is_some());
        let hits = |agu, at| self.last.emitted(agu) == Some(at);
        let permutes = now.perm_block.map(usize::from) == Some(block);
        let by = match ports.iter().find(|(agu, at, open, _)| *open && hits(*agu, *at)) {
            _ if self.last.init == Some(block) => return None,
            None if permutes => return self.last.perm.clone(),
            None => {
                let same = ports.iter().find(|(.., data)| *data == dut);
                same.or_else(|| ports.iter().find(|(agu, at, ..)| hits(*agu, *at)))
            }
            writes => writes,
        };
        let of_port = |(agu, ..): &(AguId, usize, bool, u64)| self.of_agu(*agu).clone();
        let others = || first([self.permutes(), ports.first().and_then(of_port)]);
        by.map_or_else(others, of_port)
    }
}
