// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address patterns of transfers, and their directions.

use drra_fabric::AguId;
use drra_isa::{
    InstructionField, Opcode,
    instructions::{refi, sram},
};
use rand::RngExt;

use crate::{draw, op::Op, plan::CasePlan};

/// Values of `direction` of a ROUTE and of `rw` of an SRAM or IO.
pub(super) const READ: u64 = 0;
pub(super) const WRITE: u64 = 1;

/// Value of `most` from which on [`AddressPattern::draw`] occasionally returns a long pattern.
const LONG: u64 = 16;

/// The AGU at the register-file end of a block transfer.
pub(super) fn block_agu(direction: u64) -> AguId {
    if direction == READ { AguId::Wb } else { AguId::Rb }
}

/// Largest values of the fields of a pattern for a register file, a tile and an I/O unit: `l1_iter`, `l1_delay`,
/// `l2_iter`, `l2_delay`.
const OF_FILES: [u64; 4] = [63; 4];
pub(super) const OF_TILES: [u64; 4] = [127, 63, 127, 63];
pub(super) const OF_BUFFERS: [u64; 4] = [31, 63, 0, 0];

/// A two-level address pattern, shared by all ports of a transfer so that they run in step.
#[derive(Clone, Copy)]
pub(super) struct AddressPattern {
    pub(super) l1_iter: u64,
    pub(super) l1_delay: u64,
    pub(super) l2_iter: u64,
    pub(super) l2_delay: u64,
}

impl AddressPattern {
    /// Draws a pattern of up to `most` items; some patterns have several rows, or delays. If `most` is at least `LONG`,
    /// a few patterns have more items or longer delays.
    pub(super) fn draw(plan: &mut CasePlan<'_>, most: u64) -> Self {
        let pattern = Self::short(plan, most);
        if most < LONG || !plan.rare.random_bool(0.06) {
            return pattern;
        }
        Self::long(plan, OF_FILES)
    }

    /// The same pattern or, occasionally and only in cases that are not very short, a long one with values of up to
    /// `most`.
    pub(super) fn or_long(self, plan: &mut CasePlan<'_>, most: [u64; 4]) -> Self {
        if plan.spread > 16 && plan.rare.random_bool(0.08) {
            return Self::long(plan, most);
        }
        self
    }

    /// The same pattern, with counts reduced to the largest ones that a REFI can have.
    pub(super) fn for_file(self) -> Self {
        let [l1_iter, l2_iter] = [self.l1_iter, self.l2_iter].map(|iter| iter.min(OF_FILES[0]));
        Self { l1_iter, l2_iter, ..self }
    }

    /// A pattern in which one count or delay is at least half of the largest value of its field, rounded down, and
    /// often that value itself; the others are at most 1.
    fn long(plan: &mut CasePlan<'_>, most: [u64; 4]) -> Self {
        let rare = &mut plan.rare;
        let fields = most.iter().filter(|most| **most > 0).count();
        let which = rare.random_range(0..fields);
        let top = most[which];
        let any = rare.random_range(top / 2..=top);
        let value = draw::one_of(rare, &[top, top, top / 2 + 1, any]);
        let mut fields = [1, 0, 1, 1].map(|most| rare.random_range(0..=most));
        // A delay has an effect only between two items or two rows.
        fields[which & 2] = fields[which & 2].max((which & 1) as u64);
        fields[which] = value;
        let [l1_iter, l1_delay, l2_iter, l2_delay] = fields;
        Self { l1_iter, l1_delay, l2_iter, l2_delay }
    }

    fn short(plan: &mut CasePlan<'_>, most: u64) -> Self {
        let rng = &mut *plan.rng;
        let items = rng.random_range(1..=most.max(2));
        let mut pattern = Self { l1_iter: items - 1, l1_delay: 0, l2_iter: 0, l2_delay: 0 };
        if items >= 2 && rng.random_bool(0.12) {
            // Rows of one item.
            (pattern.l1_iter, pattern.l2_iter) = (0, items - 1);
            pattern.l2_delay = if rng.random_bool(0.5) { rng.random_range(0..5) } else { 0 };
            return pattern;
        }
        if rng.random_bool(0.25) {
            pattern.l1_delay = rng.random_range(0..4);
        }
        if items >= 4 && rng.random_bool(0.3) {
            let rows = rng.random_range(2..=items / 2);
            pattern.l1_iter = items / rows - 1;
            pattern.l2_iter = rows - 1;
            pattern.l2_delay = if rng.random_bool(0.5) { rng.random_range(0..5) } else { 0 };
        }
        pattern
    }

    /// Number of cycles from the first item to the last; 0 for a single item.
    pub(super) fn span(&self) -> u64 {
        let row = self.l1_iter * (1 + self.l1_delay) + 1;
        (self.l2_iter + 1) * row + self.l2_iter * self.l2_delay - 1
    }

    /// Fields of a REFI for words; each REFI has steps of its own.
    pub(super) fn words(&self, plan: &mut CasePlan<'_>) -> Vec<(InstructionField, u64)> {
        let rng = &mut *plan.rng;
        let step = if rng.random_bool(0.7) { 1 } else { rng.random_range(1..16) };
        let first = draw::address(rng, plan.geometry.rf_words.ilog2(), step as i64);
        let mut fields = vec![
            (refi::INIT_ADDR, first),
            (refi::L1_ITER, self.l1_iter),
            (refi::L1_STEP, step),
            (refi::L1_STEP_SIGN, u64::from(rng.random_bool(0.2))),
        ];
        if self.l2_iter > 0 {
            let step = rng.random_range(1..32u64);
            fields.extend(split(self.l2_iter, refi::L2_ITER, refi::L2_ITER_EXT));
            fields.extend(split(step, refi::L2_STEP, refi::L2_STEP_EXT));
            fields.push((refi::L2_DELAY, self.l2_delay));
        }
        self.with_delay(fields)
    }

    /// An SRAM instruction for the rows of a tile from `first` on.
    pub(super) fn sram(&self, direction: u64, first: u64, delay: u64, hops: u64) -> Op {
        Op::new(
            Opcode::Sram,
            &[
                (sram::RW, direction),
                (sram::INIT_ADDR, first),
                (sram::INIT_DELAY, delay),
                (sram::L1_ITER, self.l1_iter),
                (sram::L1_DELAY, self.l1_delay),
                (sram::L2_ITER, self.l2_iter),
                (sram::L2_DELAY, self.l2_delay),
                (sram::HOPS, hops),
            ],
        )
    }

    /// Adds the level-1 delay to the fields of a REFI, with its upper bits if any of them are set.
    fn with_delay(&self, mut fields: Vec<(InstructionField, u64)>) -> Vec<(InstructionField, u64)> {
        let [lower, upper] = split(self.l1_delay, refi::L1_DELAY, refi::L1_DELAY_EXT);
        fields.push(lower);
        fields.extend((upper.1 > 0).then_some(upper));
        fields
    }

    /// Fields of a REFI for blocks.
    pub(super) fn blocks(&self, plan: &mut CasePlan<'_>) -> Vec<(InstructionField, u64)> {
        let first = plan.rng.random_range(0..plan.geometry.rf_blocks() as u64);
        let [l2_iter, l2_iter_ext] = split(self.l2_iter, refi::L2_ITER, refi::L2_ITER_EXT);
        self.with_delay(vec![
            (refi::INIT_ADDR, first),
            (refi::L1_ITER, self.l1_iter),
            l2_iter,
            l2_iter_ext,
            (refi::L2_DELAY, self.l2_delay),
        ])
    }
}

/// Splits a value between a field and the field for its upper bits.
fn split(
    value: u64,
    lower: InstructionField,
    upper: InstructionField,
) -> [(InstructionField, u64); 2] {
    [(lower, value & ((1 << lower.width()) - 1)), (upper, value >> lower.width())]
}
