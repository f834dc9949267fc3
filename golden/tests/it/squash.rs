// SPDX-License-Identifier: MIT OR Apache-2.0
//! Functions of one operand over all inputs with a meaning (chapter 4, section 9): the error against an `f64` reference
//! is within the bound of the chapter, and the results are monotonic except for small steps between pieces.

use drra_fabric::{DpuOperation as Op, images::DpuInstr};
use drra_golden::units::{Dpu, pwl};
use drra_isa::instructions::{BwConfig, DpuControl, DpuIoChange, DpuMode};

use crate::dpu::step;

const ONE: f64 = 2048.0;

/// Largest error in steps of 2^-11 over all inputs.
fn largest_error(op: Op, reference: impl Fn(f64) -> f64) -> f64 {
    let error = |x: i16| (pwl(x, op) as f64 - ONE * reference(f64::from(x) / ONE)).abs();
    (i16::MIN..=i16::MAX).map(error).fold(0.0, f64::max)
}

/// Measured: 2.25 steps; the chapter states 2.3.
#[test]
fn sigmoid() {
    let error = largest_error(Op::Sigm, |x| 1.0 / (1.0 + (-x).exp()));
    assert!((2.0..=2.3).contains(&error), "{error}");
    assert!((i16::MIN..=i16::MAX).all(|x| (0..=0x800).contains(&pwl(x, Op::Sigm))));
}

/// Measured: 3.54 steps; the chapter states 3.6.
#[test]
fn tanh() {
    let error = largest_error(Op::Tanh, f64::tanh);
    assert!((3.0..=3.6).contains(&error), "{error}");
    assert!((i16::MIN..=i16::MAX).all(|x| (-0x800..=0x800).contains(&pwl(x, Op::Tanh))));
}

/// Runs `count` operands through a DPU mode and returns out0 `latency` cycles after each of them.
fn through(
    mode: DpuMode,
    acc_clear: u8,
    input: impl Fn(usize) -> i16,
    count: usize,
    latency: usize,
) -> Vec<i16> {
    let mut dpu = Dpu::new();
    let (control, io) = (DpuControl::SatInt, DpuIoChange::NoChange);
    let bw = BwConfig::Int16;
    step(&mut dpu, Some(&DpuInstr { mode, control, cnst: acc_clear, io }), bw, [0; 4]);
    let mut out = Vec::new();
    for k in 0..count + latency {
        let x = if k < count { input(k) as u16 } else { 0 };
        let [out0, _] = step(&mut dpu, None, bw, [x, 0, 0, 0]);
        if k >= latency {
            out.push(out0 as i16);
        }
    }
    out
}

/// Measured: 3.01 steps for arguments up to 0; the chapter states 3.1. Arguments above 0 have no meaning.
#[test]
fn exponential() {
    let inputs: Vec<i16> = (i16::MIN..=0).collect();
    let outputs = through(DpuMode::Expon, 0, |k| inputs[k], inputs.len(), 4);
    let mut error = 0.0;
    for (x, y) in inputs.iter().zip(&outputs) {
        error = f64::max(error, (f64::from(*y) - ONE * (f64::from(*x) / ONE).exp()).abs());
    }
    assert!((2.5..=3.1).contains(&error), "{error}");
    assert!(outputs.windows(2).all(|w| w[1] - w[0] >= -2), "rises except for steps between pieces");
}

#[test]
fn rectifiers() {
    let all = |k: usize| (k as i32 - 32768) as i16;
    let relu = through(DpuMode::Relu, 0, all, 65536, 1);
    assert!((0..65536).all(|k| relu[k] == all(k).max(0)));
    assert!(relu.windows(2).all(|w| w[0] <= w[1]), "monotonic");
    let leaky = through(DpuMode::LkRelu, 3, all, 65536, 1);
    let expected = |x: i16| if x > 0 { x } else { (i32::from(x) * 3).max(-32768) as i16 };
    assert!((0..65536).all(|k| leaky[k] == expected(all(k))));
    assert!(leaky.windows(2).all(|w| w[0] <= w[1]), "monotonic");
}

/// The pieces of the table do not join exactly; the functions fall by at most `allowed` between two neighbouring
/// inputs.
#[test]
fn monotonic_except_between_pieces() {
    for (op, allowed) in [(Op::Sigm, 2), (Op::Tanh, 3)] {
        let fall = (i16::MIN..i16::MAX).map(|x| pwl(x, op) - pwl(x + 1, op)).max().unwrap();
        assert!(fall <= allowed, "{op:?} falls by {fall}");
    }
}
