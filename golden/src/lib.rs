// SPDX-License-Identifier: MIT OR Apache-2.0
//! Golden model of the DRRA/DiMArch fabric (chapters 2 to 7 of the specification).
//!
//! # The cycle contract
//!
//! A [`Fabric`] holds the register contents of one cycle. [`Fabric::step`] takes the values on the input ports during
//! that cycle and advances to the next one: everything is computed from the registers before the edge and the inputs
//! sampled at the edge, and the new contents are visible when the call returns. Cycle 0 is the first cycle after reset;
//! [`Fabric::new`] is in cycle 0.
//!
//! Every bit pattern of every input is legal; no call panics because of an input value.
//!
//! # How to read a block
//!
//! Each block has its own file, which contains a type with its registers, and a function that executes a cycle. It has
//! the names and the order of the chapter: as there, everything is computed from the registers `s` before the edge and
//! the inputs `i`, and the registers `n` after it are written as soon as their values are known. What a chapter defines as
//! a pure function is one here, too. Idle blocks are skipped by a rule that knows nothing of their contents (`idle`).
//! Most of the observers' view is in separate files (`activity`, `show`, `view`, `signals`).
//!
//! # State
//!
//! The registers are visible as words, one array per unit (cell, column, tile, fabric): [`Fabric::image`], brought up
//! to date by [`Fabric::pack`]. The layout of the words is [`drra_fabric::Layout`]; [`Fabric::value`] reads a
//! single register. [`Fabric::sram`] is the memory of a tile.
//!
//! The crate does no input or output, starts no threads and does not depend on other models.
//!
//! ```
//! use drra_golden::{Fabric, Inputs, ProgWord};
//! use drra_isa::{Assembler, CellId, Geometry};
//!
//! let text = "RACCU mode=add, operand1=20, operand2=22, result=0\nHALT";
//! let program = Assembler::default().assemble(text).unwrap();
//! let mut fabric = Fabric::new(Geometry::default(), 0);
//! for word in program.image.cell(CellId::FIRST).unwrap() {
//!     let instr = word.bits as u32;
//!     let word = ProgWord { instr, imm: word.immediate, row_sel: 0b01, col_sel: 0b1 }; // cell (0,0)
//!     fabric.step(&Inputs { prog: Some(word), ..Inputs::default() });
//! }
//! while !fabric.quiet() {
//!     fabric.step(&Inputs::default());
//! }
//! fabric.pack();
//! let register = "cell[0][0].seq.raccu_reg[0]".parse().unwrap();
//! assert_eq!(fabric.value(register), Some(vec![42]));
//! ```

#![warn(missing_docs)]

mod agu;
mod bits;
mod block;
mod cell;
mod column;
mod decode;
mod dpu;
mod fabric;
mod idle;
mod issue;
mod loops;
mod message;
mod permute;
mod raccu;
mod register_file;
mod sequencer;
mod signals;
mod situation;
mod sram_agu;
mod switchbox;
mod tile;

pub use drra_fabric::ports::{Block, IdleLines, Inputs, ProgWord, RfInit, SramInit, ZERO_BLOCK};

pub use self::{
    agu::AguPhase,
    cell::view::{CellView, Receiver},
    column::ColumnActivity,
    dpu::{output::SaturatedLanes, show::DpuActivity},
    fabric::{
        Fabric,
        ports::{BufferRead, BufferWrite, FabricStatus},
    },
    loops::SlotPhase,
    register_file::port::PortSignals,
    sequencer::activity::{LoadEvent, ProgramEnd, SequencerActivity},
    signals::{CellSignalValues, ColumnSignalValues, Signals, TileSignalValues},
    sram_agu::{ConfigOffer, PatternPhase},
    tile::{activity::TileActivity, route::Arrival, show::SideRegisters},
};

/// Parts of the model; all but the sequencer can be used without a fabric around them.
pub mod units {
    pub use crate::{
        agu::{Agu, AguSignals},
        dpu::{Dpu, DpuInputs, DpuSignals, control::DpuSettings, output::DpuOutputs, squash::pwl},
        idle::Clocked,
        permute::permute,
        register_file::{PermWrite, RegisterFile, RfInputs, RfReads, port::selected},
        sequencer::Sequencer,
        sram_agu::{PatternAgu, PatternConfig},
    };
}
