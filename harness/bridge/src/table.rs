// SPDX-License-Identifier: MIT OR Apache-2.0
//! Locations of a unit's registers in a model, and their in-place comparison with the unit's golden image.

use std::ops::Range;

use drra_fabric::{Layout, Variable};
use drra_lockstep::Value;
use rand::Rng;

/// A one-bit register in the golden image that must be 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    word: usize,
    mask: u64,
}

impl Condition {
    /// The register that must be 1 for a comparison of a variable, if there is one.
    pub(crate) fn of(layout: &Layout, variable: &Variable) -> Option<Self> {
        let (holder, field) = layout.find(variable.group.compared_while()?)?;
        let word = holder.slot + (field.lsb / 64) as usize;
        Some(Self { word, mask: 1 << (field.lsb % 64) })
    }

    #[inline]
    pub(crate) fn holds(self, image: &[u64]) -> bool {
        image[self.word] & self.mask != 0
    }
}

/// Bits that are consecutive in a model and in the golden image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitRun {
    /// Position of the first bit in the model, counted from address 0.
    pub(crate) model: usize,
    /// First bit in the image.
    pub(crate) image: usize,
    pub(crate) width: usize,
    /// The bits are compared only while this condition is met.
    pub(crate) condition: Option<Condition>,
}

/// Bits of a golden image with the value that they must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FixedBits {
    pub(crate) slot: usize,
    mask: u64,
    pub(crate) value: u64,
}

impl FixedBits {
    /// Expects these bits from bit `first` of the image on.
    pub(crate) fn of(first: usize, bits: &Value) -> Vec<Self> {
        let (mut all, mut done, width) = (Vec::new(), 0, bits.width() as usize);
        while done < width {
            let (slot, lsb) = ((first + done) / 64, (first + done) % 64);
            let count = (width - done).min(64 - lsb).min(64 - done % 64);
            let mask = u64::MAX >> (64 - count);
            let value = bits.words()[done / 64] >> (done % 64) & mask;
            all.push(Self { slot, mask: mask << lsb, value: value << lsb });
            done += count;
        }
        all
    }

    #[inline]
    pub(crate) fn is_in(&self, image: &[u64]) -> bool {
        image[self.slot] & self.mask == self.value
    }
}

/// Bits within 8 bytes of the model, and the word of the golden image that they are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ComparedWord {
    /// Offset of the bytes in the model, from the base of the unit.
    offset: usize,
    /// The word of the image.
    slot: usize,
    /// The number of bits by which the model's bits must be rotated to the right.
    rotate: u32,
    /// A 1 for every bit of the image word that is compared.
    mask: u64,
    /// The bits are compared only while this condition is met.
    condition: Option<Condition>,
}

/// Words that are consecutive in the model and in the golden image, compared in all cycles, and not rotated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PlainWords<const W: usize> {
    offset: u32,
    slot: u32,
    mask: [u64; W],
}

/// The registers of a unit. All instances of a module have the same layout, so one table serves them all and stays in
/// the cache.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ComparisonTable {
    /// Words of an image.
    pub(crate) words: usize,
    /// All words, in the order of the image.
    all: Vec<ComparedWord>,
    /// The same words for the comparison: plain words in groups of four, single plain words, and other words. Plain
    /// words are in the order of the model, which is better for the cache.
    fours: Vec<PlainWords<4>>,
    ones: Vec<PlainWords<1>>,
    others: Vec<ComparedWord>,
    /// Constants: bits that the design does not store.
    fixed: Vec<FixedBits>,
}

impl BitRun {
    /// Splits the bits into words, which read only bytes of the model within `readable`.
    fn words(self, base: usize, readable: &Range<usize>) -> Vec<ComparedWord> {
        let (mut words, mut done) = (Vec::new(), 0);
        while done < self.width {
            let (model, image) = (self.model + done, self.image + done);
            let lsb = image % 64;
            // The bit of the model that corresponds to bit 0 of the word of the image. Only if a byte begins there can
            // eight bytes of the model contain all 64 bits.
            let first = model - lsb;
            let most = if first % 8 == 0 { 64 } else { 56 };
            let count = (self.width - done).min(64 - lsb).min(most);
            let next = usize::from(model + count > first / 8 * 8 + 64);
            let byte = (first / 8 + next).clamp(readable.start, readable.end - 8);
            words.push(ComparedWord {
                offset: byte - base,
                slot: image / 64,
                rotate: (64 + model - 8 * byte - lsb) as u32 % 64,
                mask: u64::MAX >> (64 - count) << lsb,
                condition: self.condition,
            });
            done += count;
        }
        words
    }
}

impl ComparisonTable {
    /// A table for units of a kind, whose images have `words` words. No byte of the unit before `base` is read.
    pub(crate) fn new(
        words: usize,
        base: usize,
        readable: &Range<usize>,
        runs: &[BitRun],
        fixed: Vec<FixedBits>,
    ) -> Self {
        let mut all: Vec<ComparedWord> =
            runs.iter().flat_map(|run| run.words(base, readable)).collect();
        all.sort_by_key(|word| (word.slot, word.offset, word.rotate));
        all.dedup_by(|word, before| {
            let same = ComparedWord { mask: before.mask, ..*word } == *before;
            before.mask |= if same { word.mask } else { 0 };
            same
        });
        let mut table = Self { words, fixed, ..Self::default() };
        let mut rest = &all[..];
        while let [first, others @ ..] = rest {
            if let Some(four) = rest.first_chunk().and_then(PlainWords::of) {
                table.fours.push(four);
                rest = &rest[4..];
                continue;
            }
            match PlainWords::of(&[*first]) {
                Some(one) => table.ones.push(one),
                None => table.others.push(*first),
            }
            rest = others;
        }
        table.fours.sort_unstable();
        table.ones.sort_unstable();
        Self { all, ..table }
    }

    /// Compares the registers of some units with their golden images.
    ///
    /// # Safety
    /// * each of `bases` must be the base of a unit for which this table was made;
    /// * the model must be alive and must not be evaluated meanwhile.
    #[inline]
    pub(crate) unsafe fn agrees<const N: usize>(
        &self,
        bases: [*const u8; N],
        images: [&[u64]; N],
    ) -> bool {
        assert!(images.iter().all(|image| image.len() >= self.words), "images of the units");
        let units: [_; N] = std::array::from_fn(|k| (bases[k], images[k].as_ptr()));
        // SAFETY: `differing` asks for what the caller promises of bases and model, and for words within the images:
        // the slots of the table are below `self.words`, and the assertion above checks the images.
        let differ = unsafe { differing(&self.fours, &units) | differing(&self.ones, &units) };
        let rest = |(base, image): (*const u8, &[u64])| {
            // SAFETY: `load` asks for what the caller promises.
            let same =
                |word: &ComparedWord| unsafe { word.load(base) } == image[word.slot] & word.mask;
            let on = |hold: Option<Condition>| hold.is_none_or(|hold| hold.holds(image));
            self.others.iter().all(|word| same(word) || !on(word.condition))
                && self.fixed.iter().all(|fixed| fixed.is_in(image))
        };
        differ == 0 && bases.into_iter().zip(images).all(rest)
    }

    /// Copies the registers of a unit into an image.
    ///
    /// # Safety
    /// As for [`Self::agrees`].
    pub(crate) unsafe fn read(&self, base: *const u8, image: &mut Vec<u64>) {
        image.clear();
        image.resize(self.words, 0);
        for word in &self.all {
            // SAFETY: `load` asks for what the caller promises.
            image[word.slot] |= unsafe { word.load(base) };
        }
        for fixed in &self.fixed {
            image[fixed.slot] |= fixed.value;
        }
    }

    /// Gives the registers of a unit random values.
    ///
    /// # Safety
    /// As for [`Self::agrees`]; nothing else may refer to the memory of the model meanwhile.
    pub(crate) unsafe fn randomize(&self, base: *const u8, random: &mut impl Rng) {
        for word in &self.all {
            let mask = word.mask.rotate_left(word.rotate);
            // SAFETY: as in `load`, the eight bytes lie in the model, whose memory is writable; the caller promises
            // that nothing else refers to it.
            unsafe {
                let at = base.add(word.offset).cast_mut().cast::<u64>();
                at.write_unaligned(at.read_unaligned() & !mask | random.next_u64() & mask);
            }
        }
    }

    /// The byte (relative to the base of the unit), and the bit in that byte, that contain a bit of the golden image.
    pub(crate) fn bit(&self, bit: usize) -> Option<(usize, u32)> {
        let (slot, lsb) = (bit / 64, bit % 64);
        let word = self.all.iter().find(|word| word.slot == slot && word.mask >> lsb & 1 == 1)?;
        let at = (lsb + word.rotate as usize) % 64;
        Some((word.offset + at / 8, at as u32 % 8))
    }
}

/// Bits in which the words of some units differ, over all units; a unit is given by its base and its image.
///
/// # Safety
/// As for [`ComparisonTable::agrees`]; the words lie within the images.
#[inline]
unsafe fn differing<const W: usize, const N: usize>(
    words: &[PlainWords<W>],
    units: &[(*const u8, *const u64); N],
) -> u64 {
    let mut differ = [0; W];
    for PlainWords { offset, slot, mask } in words {
        for (base, image) in units {
            // SAFETY: plain words are words of the table, so as in `load`, their bytes lie in the model. The caller
            // promises that the base is that of the table, that the slots lie within the image, and that the model is
            // not evaluated.
            let (rtl, golden): ([u64; W], [u64; W]) = unsafe {
                let rtl = base.add(*offset as usize).cast::<[u64; W]>();
                (rtl.read_unaligned(), image.add(*slot as usize).cast::<[u64; W]>().read())
            };
            for k in 0..W {
                differ[k] |= (rtl[k] ^ golden[k]) & mask[k];
            }
        }
    }
    differ.into_iter().fold(0, |all, bits| all | bits)
}

impl<const W: usize> PlainWords<W> {
    /// Joins words; `None` unless they are plain and consecutive.
    fn of(words: &[ComparedWord; W]) -> Option<Self> {
        let ComparedWord { offset, slot, .. } = words[0];
        let plain = |word: &ComparedWord| word.rotate == 0 && word.condition.is_none();
        let follows = |n: usize| (words[n].offset, words[n].slot) == (offset + 8 * n, slot + n);
        let short = |n: usize| u32::try_from(n).ok();
        let joined = words.iter().all(plain) && (0..W).all(follows);
        let mask = words.map(|word| word.mask);
        joined.then_some(Self { offset: short(offset)?, slot: short(slot)?, mask })
    }
}

impl ComparedWord {
    /// The bits of the model, arranged as in the image.
    ///
    /// # Safety
    /// As for [`ComparisonTable::agrees`].
    #[inline]
    unsafe fn load(&self, base: *const u8) -> u64 {
        const { assert!(cfg!(target_endian = "little"), "images are compared in place") };
        // SAFETY: `BitRun::words` chooses offsets whose eight bytes are readable bytes of the model, counted from the
        // base; the caller promises that this is the base, and that the model lives and is not evaluated.
        let bits = unsafe { base.add(self.offset).cast::<u64>().read_unaligned() };
        bits.rotate_right(self.rotate) & self.mask
    }
}
