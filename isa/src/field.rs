// SPDX-License-Identifier: MIT OR Apache-2.0
//! The position of a field in a number, or in the words of an instruction (chapter 1, section 1).

/// Number of bits of an instruction word. The generated `instructions.rs`, whose fields are checked with this number, repeats it;
/// `opcode.rs` asserts that they are equal.
pub(crate) const WORD_BITS: u32 = 27;

/// Bits `lsb .. lsb + width - 1` of a number of up to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitField {
    lsb: u8,
    width: u8,
}

impl BitField {
    /// A field of `width` bits whose lowest bit is bit `lsb` of the number. The field must lie in
    /// bits 63 to 0 and must not be empty; a constant that breaks these rules does not compile.
    pub const fn new(lsb: u32, width: u32) -> Self {
        assert!(width >= 1 && lsb < 64 && width <= 64 - lsb);
        Self { lsb: lsb as u8, width: width as u8 }
    }

    /// Lowest bit.
    pub const fn lsb(self) -> u32 {
        self.lsb as u32
    }

    /// Number of bits.
    pub const fn width(self) -> u32 {
        self.width as u32
    }

    /// A number with ones in the field and zeros elsewhere.
    pub const fn mask(self) -> u64 {
        (u64::MAX >> (64 - self.width())) << self.lsb
    }

    /// Value of the field in a number.
    #[inline(always)]
    pub const fn get(self, number: u64) -> u64 {
        (number & self.mask()) >> self.lsb
    }

    /// The number with this value in the field and zeros elsewhere; excess bits of the value are dropped.
    #[inline(always)]
    pub const fn put(self, value: u64) -> u64 {
        value << self.lsb & self.mask()
    }

    /// The number with this value in the field and all other bits unchanged.
    #[inline(always)]
    pub const fn set(self, number: u64, value: u64) -> u64 {
        number & !self.mask() | self.put(value)
    }
}

/// Position of a field in the words of an instruction, counted from the word with the code.
///
/// A field that crosses a word boundary has its upper bits at the bottom of the previous word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstructionField {
    word: u8,
    lsb: u8,
    width: u8,
}

impl InstructionField {
    /// A field of `width` bits, at most 32, whose lowest bit is bit `lsb` of word `word`. A constant that would start
    /// before word 0 does not compile.
    pub const fn new(word: u32, lsb: u32, width: u32) -> Self {
        assert!(word < 8 && lsb < WORD_BITS && width >= 1 && width <= 32);
        assert!(lsb + width <= if word == 0 { WORD_BITS } else { 2 * WORD_BITS });
        Self { word: word as u8, lsb: lsb as u8, width: width as u8 }
    }

    /// Word that contains the lowest bit.
    pub const fn word(self) -> usize {
        self.word as usize
    }

    /// Lowest bit in that word.
    pub const fn lsb(self) -> u32 {
        self.lsb as u32
    }

    /// Number of bits.
    pub const fn width(self) -> u32 {
        self.width as u32
    }

    /// True if the upper bits are in the previous word.
    pub const fn crosses(self) -> bool {
        self.lsb() + self.width() > WORD_BITS
    }

    /// Raw value in the words of an instruction, the first of which contains the code. Words missing at the end are
    /// read as 0.
    #[inline(always)]
    pub fn get<W: Copy + Into<u64>>(self, words: &[W]) -> u64 {
        let word = |k: usize| words.get(k).map_or(0, |w| (*w).into());
        let mut bits = word(self.word());
        if self.crosses() {
            bits |= word(self.word() - 1) << WORD_BITS;
        }
        bits >> self.lsb & ((1 << self.width) - 1)
    }

    /// True if any bit of the field is 1; intended for one-bit fields, which are flags.
    #[inline(always)]
    pub fn is_set<W: Copy + Into<u64>>(self, words: &[W]) -> bool {
        self.get(words) != 0
    }

    /// Writes a raw value into the words, each stored in the low bits of a number. Excess bits of the value, and bits
    /// of missing words, are dropped.
    pub fn set<W: Copy + Into<u64> + TryFrom<u64>>(self, words: &mut [W], value: u64) {
        let here = self.width().min(WORD_BITS - self.lsb());
        let mut put = |k: usize, field: BitField, value: u64| {
            if let Some(word) = words.get_mut(k)
                && let Ok(changed) = W::try_from(field.set((*word).into(), value))
            {
                *word = changed;
            }
        };
        put(self.word(), BitField::new(self.lsb(), here), value);
        if self.crosses() {
            put(self.word() - 1, BitField::new(0, self.width() - here), value >> here);
        }
    }
}
