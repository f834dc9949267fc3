// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tracks the instructions that set up the parts of columns and tiles (chapters 6 and 7).

use drra_fabric::{Generator, Side};
use drra_golden::SideRegisters;
use drra_isa::Opcode;

use super::issued::{Cause, only};

/// Causes for each side, in the order of [`Side::ALL`].
type SideCauses = [Cause; 4];
/// Causes for each generator, in the order of [`Generator::ALL`].
type GeneratorCauses = [Cause; 2];

/// Causes in a column after the last edge.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColumnCauses {
    /// IO message in the register of the column.
    io_msg: Cause,
    /// IO message in that register before the last edge, which was offered to the generators.
    pub(crate) io_msg_before: Cause,
    /// IO that set up the generators.
    pub(crate) io: GeneratorCauses,
    /// The IOs for which the column worked in the last cycle: the IO that requested a block, and the IOs whose blocks
    /// were about to be answered, in `io_rdata`, and in `blk_in_row1` (chapter 7, A4).
    pub(crate) flow: [Cause; 4],
}

impl ColumnCauses {
    /// Advances by one cycle; `sent` is the IO that the cells send, if any, and `requests` is true if a block is
    /// requested from the input buffer.
    pub(crate) fn step(&mut self, sent: Cause, requests: bool) {
        self.flow.rotate_right(1);
        self.flow[0] = self.io[Generator::Read.index()].clone().filter(|_| requests);
        self.io_msg_before = std::mem::replace(&mut self.io_msg, sent);
    }

    /// Lets a generator accept the IO that it receives, and returns this IO.
    pub(crate) fn take(&mut self, generator: Generator) -> Cause {
        self.io[generator.index()] = self.io_msg_before.clone();
        self.io_msg_before.clone()
    }

    /// The IO that a generator has just received, or else the IO that set it up.
    pub(crate) fn responsible(&self, generator: Generator) -> Cause {
        let now = only(&self.io_msg_before, |io| io.generator() == Some(generator));
        now.or_else(|| self.io[generator.index()].clone())
    }
}

/// Causes in a tile after the last edge.
#[derive(Clone, Debug, Default)]
pub(crate) struct TileCauses {
    /// Registers of the sides.
    sides: [SideRegisters; 4],
    /// ROUTE that opened the latest path at a side.
    pub(crate) path: SideCauses,
    /// Message that a side passes on.
    fwd: SideCauses,
    /// Message whose configuration a side has taken.
    pub(crate) take: SideCauses,
    /// Messages that arrived in the last cycle.
    pub(crate) rx: SideCauses,
    /// ROUTE that set the crossbar.
    pub(crate) xbar: Cause,
    /// SRAM that set up the generators.
    pub(crate) generators: GeneratorCauses,
}

impl TileCauses {
    /// The ROUTE of the last cycle that set the crossbar (chapter 6, 6.5).
    pub(crate) fn route(&self) -> Cause {
        let order = [Side::S, Side::N, Side::E, Side::W];
        order.into_iter().find_map(|x| only(&self.rx[x.index()], |i| i.is(Opcode::Route)))
    }

    /// The message that leaves at a side (chapter 6, 6.5).
    pub(crate) fn leaving(&self, at: Side) -> Cause {
        let order = [Side::W, Side::E, Side::S, Side::N];
        let selects = |x: &Side| {
            let registers = &self.sides[x.index()];
            match at {
                Side::N | Side::S => registers.vsel,
                Side::E | Side::W => registers.hsel,
            }
        };
        self.fwd[order.into_iter().find(selects)?.index()].clone()
    }

    /// Advances the sides by one clock edge: messages that arrived are passed on or taken.
    pub(crate) fn step_sides(&mut self, now: [SideRegisters; 4]) {
        for (x, side) in now.iter().enumerate() {
            let arrived = &self.rx[x];
            if let Some(route) = only(arrived, |i| i.is(Opcode::Route)) {
                self.path[x] = Some(route);
            }
            self.fwd[x] = arrived.clone().filter(|_| side.fwd != 0);
            self.take[x] = arrived.clone().filter(|_| side.agu != 0);
        }
        self.sides = now;
    }
}

/// The configuration that the sides of a tile offer to a generator (chapter 6, 6.5).
pub(crate) fn offered(sides: &SideCauses, generator: Generator) -> Cause {
    let order = [Side::S, Side::W, Side::E, Side::N];
    order.into_iter().find_map(|x| only(&sides[x.index()], |i| i.generator() == Some(generator)))
}
