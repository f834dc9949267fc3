// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties of the modes of an instruction: the table `modes` of a description (chapter 1, 6.1), which restates
//! sections 4.3, 5.5, 6, 7, 11 and 12 of chapter 4.

use crate::names::identities;

identities! {
    array
    /// An operand of a channel of the data processing unit.
    Operand {
        /// Input 0, conditioned or raw.
        In0 = "in0",
        /// Input 1.
        In1 = "in1",
        /// Input 2.
        In2 = "in2",
        /// Input 3.
        In3 = "in3",
        /// Constant register 0.
        Ir0 = "ir0",
        /// Constant register 1.
        Ir1 = "ir1",
        /// Softmax denominator.
        SmReg = "sm_reg",
        /// The field `acc_clear` used as a constant.
        Const = "const",
        /// The channel's own accumulator.
        Acc = "acc",
    }
}

impl Operand {
    /// Number of the input, 0 to 3; `None` for an operand that is not an input.
    pub const fn input(self) -> Option<usize> {
        match self {
            Self::In0 | Self::In1 | Self::In2 | Self::In3 => Some(self as usize),
            _ => None,
        }
    }
}

/// A set of operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OperandSet(u16);

impl OperandSet {
    /// The set of these operands.
    pub const fn of(operands: &[Operand]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < operands.len() {
            bits |= 1 << operands[i] as u32;
            i += 1;
        }
        Self(bits)
    }

    /// True if the operand is in the set.
    pub const fn contains(self, operand: Operand) -> bool {
        self.0 >> operand as u32 & 1 == 1
    }

    /// True if the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The union of this set and another one.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The operands in the order of [`Operand::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Operand> {
        Operand::ALL.into_iter().filter(move |o| self.contains(*o))
    }

    /// Numbers of the inputs in the set, in ascending order.
    pub fn inputs(self) -> impl Iterator<Item = usize> {
        self.iter().filter_map(Operand::input)
    }
}

impl FromIterator<Operand> for OperandSet {
    fn from_iter<I: IntoIterator<Item = Operand>>(operands: I) -> Self {
        operands.into_iter().fold(Self::default(), |set, o| set.union(Self::of(&[o])))
    }
}

/// The dependence of a result's saturation on the width of the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Saturation {
    /// Saturation (`control` bit 1) never changes a result.
    None,
    /// Each lane of the width given by BW saturates separately.
    Lane,
    /// The 16-bit word saturates, regardless of BW.
    Word,
}

/// Properties of one mode of the data processing unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ModeInfo {
    /// Operands of channels 0 and 1, except in the cycle after the end of another mode (5.3). The operands of a unit
    /// outside the channels are listed for channel 0.
    pub operands: [OperandSet; 2],
    /// For outputs 0 and 1, true if the output shows a result. Other outputs are 0, except that in the first cycle of
    /// the mode, output 1 of `mult_add` shows a value loaded by `ld_acc`.
    pub outputs: [bool; 2],
    /// Cycles from the cycle with the operands to the first cycle with their result; `None` if
    /// there are no operands.
    pub latency: Option<u8>,
    /// Works on lanes of the width given by BW; other modes work on the 16-bit word.
    pub lanes: bool,
    /// `acc_clear` is in use: the accumulators are cleared after that many operands (0: never).
    pub counts: bool,
    /// Saturation (`control` bit 1) can change a result.
    pub saturates: bool,
    /// Uses the table of the non-linear functions.
    pub squash: bool,
    /// Uses the divider.
    pub divider: bool,
    /// Uses the scaler.
    pub scaler: bool,
    /// Writes the compare status, which BRANCH reads.
    pub compares: bool,
}

impl ModeInfo {
    /// A mode that computes nothing.
    pub const IDLE: Self = Self {
        operands: [OperandSet::of(&[]); 2],
        outputs: [false; 2],
        latency: None,
        lanes: false,
        counts: false,
        saturates: false,
        squash: false,
        divider: false,
        scaler: false,
        compares: false,
    };

    /// The flags with their names in a description.
    pub fn flags(&self) -> impl Iterator<Item = (&'static str, bool)> {
        [
            ("lanes", self.lanes),
            ("counts", self.counts),
            ("saturates", self.saturates),
            ("squash", self.squash),
            ("divider", self.divider),
            ("scaler", self.scaler),
            ("compares", self.compares),
        ]
        .into_iter()
    }

    /// True if the mode uses no operand and shows no result.
    pub const fn is_idle(&self) -> bool {
        self.operands[0].is_empty()
            && self.operands[1].is_empty()
            && !self.outputs[0]
            && !self.outputs[1]
    }

    /// True if some channel has its accumulator as an operand.
    pub const fn accumulates(&self) -> bool {
        self.operands[0].contains(Operand::Acc) || self.operands[1].contains(Operand::Acc)
    }

    /// Kind of saturation.
    pub const fn saturation(&self) -> Saturation {
        match (self.saturates, self.lanes) {
            (false, _) => Saturation::None,
            (true, true) => Saturation::Lane,
            (true, false) => Saturation::Word,
        }
    }

    /// Operands of an output that shows a result: the operands of its own channel if both outputs show a result, else
    /// the operands of both channels.
    pub const fn operands_of_output(&self, output: usize) -> OperandSet {
        match (self.outputs[output], self.outputs[1 - output]) {
            (false, _) => OperandSet::of(&[]),
            (true, true) => self.operands[output],
            (true, false) => self.operands[0].union(self.operands[1]),
        }
    }
}
