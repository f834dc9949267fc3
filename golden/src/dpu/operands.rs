// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operand select of the DPU (chapter 4, 5.2 and section 6).

use drra_fabric::DpuOperation as Op;
use drra_isa::instructions::{DpuIoChange, DpuMode as Mode};

use super::{
    control::{DpuSettings, Registers},
    lanes::neg,
};

/// The names of operands in section 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    Zero,
    /// Conditioned inputs.
    X0,
    X1,
    X2,
    X3,
    /// Raw inputs.
    R0,
    R1,
    R2,
    R3,
    /// Inputs that are always negated.
    N1,
    N3,
    Ir0,
    Ir1,
    /// Formatted accumulators.
    F0,
    F1,
    /// `cur_const`.
    C,
}

use Operand::*;

/// The table of section 6: operation, x and y of channel 0 and of channel 1.
pub(super) const fn select(mode: Mode) -> [(Op, Operand, Operand); 2] {
    const OFF: (Op, Operand, Operand) = (Op::Idle, Zero, Zero);
    match mode {
        Mode::Add => [(Op::Add, X0, X1), (Op::Add, X2, X3)],
        Mode::SumAcc => [(Op::Acc, X0, Zero), (Op::Acc, X2, Zero)],
        Mode::AddConst => [(Op::Add, X0, Ir0), (Op::Add, X2, Ir1)],
        Mode::Subt | Mode::SubtAbs => [(Op::Add, X0, N1), (Op::Add, X2, N3)],
        Mode::Mult => [(Op::Mul, X0, X1), (Op::Mul, X2, X3)],
        Mode::MultAdd => [(Op::Mac, X0, X1), OFF],
        Mode::MultConst => [(Op::Mul, X0, Ir0), (Op::Mul, X2, Ir1)],
        Mode::Mac => [(Op::Mac, X0, X1), (Op::Mac, X2, X3)],
        Mode::Axpy | Mode::MacInter => [(Op::Mac, X0, Ir0), (Op::Mac, X2, Ir1)],
        Mode::MaxMinAcc => [(Op::Max, X0, F0), (Op::Min, X0, F1)],
        Mode::MaxMinConst => [(Op::Max, X0, Ir0), (Op::Min, X0, Ir0)],
        Mode::MaxMin => [(Op::Max, X0, X1), (Op::Min, X0, X1)],
        Mode::ShiftL => [(Op::Shl, X0, X1), (Op::Shl, X2, X3)],
        Mode::ShiftR => [(Op::Shr, X0, X1), (Op::Shr, X2, X3)],
        Mode::Sigm => [(Op::Sigm, X0, Zero), OFF],
        Mode::Tanhyp => [(Op::Tanh, X0, Zero), OFF],
        Mode::Expon => [(Op::Exp, X0, Zero), OFF],
        Mode::LkRelu => [(Op::Max, R0, Zero), (Op::Mul, R0, C)],
        Mode::Relu => [(Op::Max, X0, Zero), (Op::Max, X2, Zero)],
        Mode::Div => [(Op::Div, X0, X1), OFF],
        Mode::AccSoftmax => [(Op::Idle, X0, Zero), (Op::Acc, X0, Zero)],
        Mode::DivSoftmax => [(Op::Div, X0, Zero), OFF], // its divisor: stage C
        Mode::LdAcc => [(Op::Ld, X0, Zero), (Op::Ld, X2, Zero)],
        Mode::Idle
        | Mode::Mode6
        | Mode::LdIr
        | Mode::Mode15
        | Mode::ScaleDw
        | Mode::ScaleUp
        | Mode::Mode31 => [OFF, OFF],
    }
}

/// Column A of that table: the addends of channels 0 and 1.
const fn addends(mode: Mode) -> [Option<Operand>; 2] {
    match mode {
        Mode::MultAdd => [Some(R2), None],
        Mode::Axpy => [Some(R1), Some(R3)],
        _ => [None, None],
    }
}

/// The operation and the operands of one channel in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChannelOperation {
    pub(super) op: Op,
    pub(super) x: u16,
    pub(super) y: u16,
    /// Second term of a MAC, if it is not the accumulator.
    pub(super) addend: Option<u16>,
}

impl Registers {
    /// `dpu_operands` of section 8 for both channels.
    pub(super) fn dpu_operands(&self, g: &DpuSettings, input: [u16; 4]) -> [ChannelOperation; 2] {
        let mode = self.instr.mode;
        let value = |name| self.operand(g, input, name);
        [0, 1].map(|ch| {
            let (op, x, y) = select(mode)[ch];
            ChannelOperation { op, x: value(x), y: value(y), addend: addends(mode)[ch].map(value) }
        })
    }

    /// The value of an operand.
    pub(super) fn operand(&self, g: &DpuSettings, input: [u16; 4], name: Operand) -> u16 {
        let [in0, in1, in2, in3] = input;
        let negated = |v, negates| if negates { neg(v, g.lw_c) } else { v };
        let even = |v| negated(v, g.cur_io == DpuIoChange::NegateIn0);
        let odd = |v| negated(v, g.cur_io == DpuIoChange::NegateIn1);
        match name {
            Zero => 0,
            X0 => even(in0),
            X1 => odd(in1),
            X2 => even(in2),
            X3 => odd(in3),
            R0 => in0,
            R1 => in1,
            R2 => in2,
            R3 => in3,
            N1 => negated(in1, true),
            N3 => negated(in3, true),
            Ir0 => self.ir[0],
            Ir1 => self.ir[1],
            F0 => self.fmt(g, 0).word,
            F1 => self.fmt(g, 1).word,
            C => g.cur_const.into(),
        }
    }
}
