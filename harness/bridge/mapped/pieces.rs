// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers that are bits of variables of the model, but not whole variables as the layout has them: compared
//! in place, chunk by chunk.

use drra_recorded::{Bits, map::Piece};

use super::names::ModelNames;
use crate::bridge::unit_map::Condition;

/// Bits within one word of the model and one word of the golden image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    /// Of the word of the model, from the base of the unit.
    pub(super) offset: u32,
    /// Size of that word: 1, 2, 4 or 8.
    bytes: u8,
    /// Lowest of the bits in it.
    shift: u8,
    /// Lowest of the bits in the golden word.
    lsb: u8,
    /// As many ones as there are bits.
    mask: u64,
    /// The golden word.
    slot: u32,
    /// Compared only while another register of the unit is 1.
    condition: Option<Condition>,
}

/// Bits of the golden image that the design does not hold, because they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fixed {
    slot: u32,
    mask: u64,
    value: u64,
}

/// Where a register is in the golden image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// First bit, counted from that of word 0.
    pub(super) bit: usize,
    pub(super) condition: Option<Condition>,
}

/// The registers of one kind of unit that are not whole variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pieces {
    chunks: Vec<Chunk>,
    fixed: Vec<Fixed>,
}

impl Pieces {
    /// Adds a register made of pieces, lowest first. Offsets count from `base`, the lowest address of the unit;
    /// `None` if one is too far away.
    pub(super) fn add(
        &mut self,
        pieces: &[Piece],
        names: &ModelNames,
        base: usize,
        target: Target,
    ) -> Option<()> {
        let mut bit = target.bit;
        for piece in pieces {
            match piece {
                Piece::Constant(bits) => {
                    self.add_constant(bits, bit);
                    bit += bits.width() as usize;
                }
                Piece::Signal { id, lsb, width } => {
                    let place = names.place(*id);
                    let word_bits = if place.width > 64 { 32 } else { 8 * place.bytes() };
                    let (mut from, end) = (*lsb as usize, (*lsb + *width) as usize);
                    while from < end {
                        let left = word_bits - from % word_bits;
                        let count = (end - from).min(left).min(64 - bit % 64);
                        let address = place.address + from / word_bits * (word_bits / 8);
                        self.chunks.push(Chunk {
                            offset: u32::try_from(address - base).ok()?,
                            bytes: (word_bits / 8) as u8,
                            shift: (from % word_bits) as u8,
                            lsb: (bit % 64) as u8,
                            mask: u64::MAX >> (64 - count),
                            slot: (bit / 64) as u32,
                            condition: target.condition,
                        });
                        from += count;
                        bit += count;
                    }
                }
            }
        }
        Some(())
    }

    fn add_constant(&mut self, bits: &Bits, first: usize) {
        for n in 0..bits.width() {
            let (slot, lsb) = ((first + n as usize) / 64, (first + n as usize) % 64);
            let value = u64::from(bits.bit(n) == Some(true)) << lsb;
            self.fixed.push(Fixed { slot: slot as u32, mask: 1 << lsb, value });
        }
    }

    /// Compares the registers with the golden image.
    ///
    /// # Safety
    /// `base` must be the base of a unit for which this table was made; the model must be alive and not be
    /// evaluated meanwhile.
    #[inline]
    pub(super) unsafe fn agrees(&self, base: *const u8, image: &[u64]) -> bool {
        let chunk = |c: &Chunk| {
            // SAFETY: promised by the caller.
            let rtl = unsafe { c.load(base) };
            image[c.slot as usize] >> c.lsb & c.mask == rtl
                || c.condition.is_some_and(|hold| image[hold.word] & hold.mask == 0)
        };
        self.chunks.iter().all(chunk)
            && self.fixed.iter().all(|f| image[f.slot as usize] & f.mask == f.value)
    }

    /// Copies the registers into an image whose words are 0 there.
    ///
    /// # Safety
    /// As for [`Self::agrees`].
    pub(super) unsafe fn read(&self, base: *const u8, image: &mut [u64]) {
        for c in &self.chunks {
            // SAFETY: promised by the caller.
            image[c.slot as usize] |= unsafe { c.load(base) } << c.lsb;
        }
        for f in &self.fixed {
            image[f.slot as usize] |= f.value;
        }
    }

    /// The byte offset and the bit in that byte that a bit of the golden image is in.
    pub(super) fn bit(&self, bit: usize) -> Option<(u32, u32)> {
        self.chunks.iter().find_map(|c| {
            let at = bit.checked_sub(c.slot as usize * 64 + usize::from(c.lsb))?;
            let found = at < 64 && c.mask >> at & 1 == 1;
            let bit = u32::from(c.shift) + at as u32;
            found.then(|| (c.offset + bit / 8, bit % 8))
        })
    }
}

impl Chunk {
    /// The bits in the model.
    ///
    /// # Safety
    /// As for [`Pieces::agrees`].
    #[inline]
    unsafe fn load(&self, base: *const u8) -> u64 {
        // SAFETY: the word is a variable of this size, or a word of a wide one; both are aligned.
        let word = unsafe {
            let at = base.add(self.offset as usize);
            match self.bytes {
                1 => u64::from(*at),
                2 => u64::from(*at.cast::<u16>()),
                4 => u64::from(*at.cast::<u32>()),
                _ => *at.cast::<u64>(),
            }
        };
        word >> self.shift & self.mask
    }
}
