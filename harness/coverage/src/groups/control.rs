// SPDX-License-Identifier: MIT OR Apache-2.0
//! Control flow and address arithmetic of a sequencer.

use drra_isa::{
    Opcode, Wanted,
    instructions::{RaccuMode, loop_, raccu},
};
use rand::RngExt;

use super::product::{Classes, Product, Rule, at};

/// Numbers of iterations.
const ITERATIONS: Classes = Classes { limits: &[1, 2], top: 9 };

/// Loop slots of a cell.
const SLOTS: usize = 4;

/// Slot, active loops in other slots, iterations.
pub(crate) const LOOPS: Product = Product {
    name: "loops",
    sizes: &[SLOTS, SLOTS, 3],
    rule: Rule::Decode(Opcode::Loop, |d| {
        let slot = d.get(loop_::LOOPID);
        let iterations = ITERATIONS.of(d.get(loop_::ITER));
        Some(at([slot as usize, d.other_loops(slot), iterations]))
    }),
    label: |k| {
        let iter = ["skipped", "once", "several times"][k[2]];
        format!("slot {}, {} others active, {iter}", k[0], k[1])
    },
    recipe: |k, rng| {
        // Slots that end where no program gets by itself stay active.
        let slot = |slot: usize, iter| {
            let fields = [(loop_::LOOPID, slot as u64), (loop_::ENDPC, 63), (loop_::ITER, iter)];
            Wanted::new(Opcode::Loop, &fields)
        };
        let others = (0..SLOTS).filter(|s| *s != k[0]).take(k[1]);
        let mut all: Vec<Wanted> = others.map(|s| slot(s, 3)).collect();
        all.push(slot(k[0], ITERATIONS.draw(k[2], rng)));
        all
    },
};

/// Mode, kinds of both operands.
pub(crate) const RACCU: Product = Product {
    name: "RACCU",
    sizes: &[RaccuMode::ALL.len(), 2, 2],
    rule: Rule::Decode(Opcode::Raccu, |d| {
        let kinds = [raccu::OPERAND1_SD, raccu::OPERAND2_SD].map(|field| d.index(field));
        Some(at([d.index(raccu::MODE), kinds[0], kinds[1]]))
    }),
    label: |k| {
        let kind = ["literal", "register"];
        format!("mode {}, {} and {}", k[0], kind[k[1]], kind[k[2]])
    },
    recipe: |k, rng| {
        let fields = [
            (raccu::MODE, k[0] as u64),
            (raccu::OPERAND1_SD, k[1] as u64),
            (raccu::OPERAND2_SD, k[2] as u64),
            (raccu::OPERAND1, rng.random_range(0..128)),
            (raccu::OPERAND2, rng.random_range(0..128)),
        ];
        vec![Wanted::new(Opcode::Raccu, &fields)]
    },
};
