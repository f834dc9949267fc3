// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conditioned operands and operand select of the DPU (chapter 4, 5.2 and section 6).

use drra_fabric::DpuOperation as Op;
use drra_isa::instructions::{DpuIoChange, DpuMode as Mode};

use super::{
    control::{InForce, Registers},
    lanes::neg,
};

/// The operation and the operands of one channel in a mode.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Task {
    pub(super) op: Op,
    pub(super) x: u16,
    pub(super) y: u16,
    /// Second term of a MAC, if it is not the accumulator.
    pub(super) addend: Option<u16>,
}

fn task(op: Op, x: u16, y: u16) -> Task {
    Task { op, x, y, addend: None }
}

/// Operands after the negation requested by `io`, on lanes of width `w`.
#[inline]
pub(super) fn conditioned(input: [u16; 4], io: DpuIoChange, w: u32) -> [u16; 4] {
    let [in0, in1, in2, in3] = input;
    match io {
        DpuIoChange::NegateIn0 => [neg(in0, w), in1, neg(in2, w), in3],
        DpuIoChange::NegateIn1 => [in0, neg(in1, w), in2, neg(in3, w)],
        DpuIoChange::NoChange | DpuIoChange::AbsOut => input,
    }
}

impl Registers {
    /// Operand select (section 6) from the raw operands `r` and the conditioned operands `x`. If it were inlined,
    /// each arm would copy its result.
    #[inline(never)]
    pub(super) fn tasks(&self, g: &InForce, r: [u16; 4], x: [u16; 4]) -> [Task; 2] {
        let (w, [ir0, ir1]) = (g.lw_c, self.ir);
        let pair = |op, a0, b0, a1, b1| [task(op, a0, b0), task(op, a1, b1)];
        let first = |t| [t, Task::default()];
        match g.mode {
            Mode::Add => pair(Op::Add, x[0], x[1], x[2], x[3]),
            Mode::SumAcc => pair(Op::Acc, x[0], 0, x[2], 0),
            Mode::AddConst => pair(Op::Add, x[0], ir0, x[2], ir1),
            Mode::Subt | Mode::SubtAbs => pair(Op::Add, x[0], neg(r[1], w), x[2], neg(r[3], w)),
            Mode::Mult => pair(Op::Mul, x[0], x[1], x[2], x[3]),
            Mode::MultAdd => first(Task { addend: Some(r[2]), ..task(Op::Mac, x[0], x[1]) }),
            Mode::MultConst => pair(Op::Mul, x[0], ir0, x[2], ir1),
            Mode::Mac => pair(Op::Mac, x[0], x[1], x[2], x[3]),
            Mode::Axpy => [
                Task { addend: Some(r[1]), ..task(Op::Mac, x[0], ir0) },
                Task { addend: Some(r[3]), ..task(Op::Mac, x[2], ir1) },
            ],
            Mode::MaxMinAcc => [
                task(Op::Max, x[0], self.format(g, 0, false)),
                task(Op::Min, x[0], self.format(g, 1, false)),
            ],
            Mode::MaxMinConst => [task(Op::Max, x[0], ir0), task(Op::Min, x[0], ir0)],
            Mode::MaxMin => [task(Op::Max, x[0], x[1]), task(Op::Min, x[0], x[1])],
            Mode::ShiftL => pair(Op::Shl, x[0], x[1], x[2], x[3]),
            Mode::ShiftR => pair(Op::Shr, x[0], x[1], x[2], x[3]),
            Mode::Sigm => first(task(Op::Sigm, x[0], 0)),
            Mode::Tanhyp => first(task(Op::Tanh, x[0], 0)),
            Mode::Expon => first(task(Op::Exp, x[0], 0)),
            Mode::LkRelu => [task(Op::Max, r[0], 0), task(Op::Mul, r[0], g.cur_const.into())],
            Mode::Relu => pair(Op::Max, x[0], 0, x[2], 0),
            Mode::Div => first(task(Op::Div, x[0], x[1])),
            Mode::AccSoftmax => [task(Op::Idle, x[0], 0), task(Op::Acc, x[0], 0)],
            Mode::DivSoftmax => first(task(Op::Div, x[0], 0)), // divisor: `division`
            Mode::LdAcc => pair(Op::Ld, x[0], 0, x[2], 0),
            Mode::MacInter => pair(Op::Mac, x[0], ir0, x[2], ir1),
            Mode::Idle
            | Mode::Mode6
            | Mode::LdIr
            | Mode::Mode15
            | Mode::ScaleDw
            | Mode::ScaleUp
            | Mode::Mode31 => [Task::default(); 2],
        }
    }
}
