// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the variables of one kind of unit are in the model, and their comparison in place.

use drra_isa::{
    fabric::{Layout, Variable},
    ports::{Block, ZERO_BLOCK},
};

/// Where a variable is on both sides: bytes from the base of the unit in the model, first word in the
/// golden image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoredAt {
    pub(super) offset: u32,
    pub(super) slot: u32,
    pub(super) bytes: u32,
}

/// The places of one kind of unit. All instances of a module have one layout, so that one table serves them all and
/// stays in the cache. For the comparison variables are cut into pieces, sorted by size, so that each size is compared
/// in a tight loop without a branch, in several units at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct UnitMap {
    /// In table order, for reading.
    pub(super) all: Vec<StoredAt>,
    one: Vec<StoredAt>,
    two: Vec<StoredAt>,
    four: Vec<StoredAt>,
    eight: Vec<StoredAt>,
    blocks: Vec<StoredAt>,
    /// Compared only while another register of the unit is 1.
    conditional: Vec<(StoredAt, Condition)>,
    words: usize,
}

/// A register of one bit in the golden image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) word: usize,
    pub(super) mask: u64,
}

/// The register that must be 1 for a comparison of a variable, if there is one.
pub(super) fn condition(layout: &Layout, variable: &Variable) -> Option<Condition> {
    let (holder, field) = layout.find(variable.group.compared_while()?.only())?;
    let word = holder.slot + (field.lsb / 64) as usize;
    Some(Condition { word, mask: 1 << (field.lsb % 64) })
}

impl UnitMap {
    /// No variables yet; images have so many words.
    pub(super) fn new(words: usize) -> Self {
        Self { words, ..Self::default() }
    }

    /// Words of an image.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Adds a variable, with the register that must be 1 for a comparison.
    pub(super) fn add(&mut self, place: StoredAt, condition: Option<Condition>) {
        self.all.push(place);
        if let Some(condition) = condition {
            self.conditional.push((place, condition));
            return;
        }
        let mut rest = place;
        while rest.bytes > 0 {
            let (pieces, bytes) = match rest.bytes {
                32.. => (&mut self.blocks, 32),
                8.. => (&mut self.eight, 8),
                4.. => (&mut self.four, 4),
                2.. => (&mut self.two, 2),
                _ => (&mut self.one, 1),
            };
            pieces.push(StoredAt { bytes, ..rest });
            rest.offset += bytes;
            rest.slot += bytes / 8;
            rest.bytes -= bytes;
        }
    }

    /// Copies the registers of a unit into an image.
    ///
    /// # Safety
    /// As for [`UnitMap::agrees`].
    pub(super) unsafe fn read(&self, base: *const u8, image: &mut Vec<u64>) {
        image.clear();
        image.resize(self.words, 0);
        for place in &self.all {
            for i in 0..place.bytes as usize {
                // SAFETY: `i` lies within the variable.
                let byte = unsafe { *base.add(place.offset as usize + i) };
                image[place.slot as usize + i / 8] |= u64::from(byte) << (8 * (i % 8));
            }
        }
    }

    /// Compares the registers of some units with their golden images.
    ///
    /// # Safety
    /// * each of `bases` must be the base of a unit for which this table was made;
    /// * the model must be alive and not be evaluated meanwhile.
    #[inline]
    pub(super) unsafe fn agrees<const N: usize>(
        &self,
        bases: [*const u8; N],
        images: [&[u64]; N],
    ) -> bool {
        assert!(images.iter().all(|image| image.len() >= self.words), "images of the units");
        let units = std::array::from_fn(|k| (bases[k], images[k]));
        // SAFETY: promised by the caller; every piece lies within a variable, its slots within an image of so many
        // words.
        let differ = unsafe {
            differing::<u64, N>(&self.eight, &units)
                | differing::<u32, N>(&self.four, &units)
                | differing::<u16, N>(&self.two, &units)
                | differing::<u8, N>(&self.one, &units)
                | differing_blocks(&self.blocks, &units)
        };
        // SAFETY: as above.
        let wide = |p: &StoredAt, base, image| unsafe { p.agrees_wide(base, image) };
        differ == 0
            && units.iter().all(|(base, image)| {
                let compared = self.conditional.iter().filter(|(_, c)| image[c.word] & c.mask != 0);
                compared.map(|(p, _)| p).all(|p| wide(p, *base, image))
            })
    }
}

/// Bits in which pieces of a size differ, of some units together. A piece of less than a word is a golden word.
///
/// # Safety
/// As for [`UnitMap::agrees`]; the pieces have the size of `T`, their slots lie within the images.
#[inline]
unsafe fn differing<T: Into<u64>, const N: usize>(
    pieces: &[StoredAt],
    units: &[(*const u8, &[u64]); N],
) -> u64 {
    let mut differ = [0; N];
    for piece in pieces {
        let (offset, slot) = (piece.offset as usize, piece.slot as usize);
        for (differ, (base, image)) in differ.iter_mut().zip(units) {
            // SAFETY: promised by the caller.
            unsafe {
                let rtl: u64 = base.add(offset).cast::<T>().read_unaligned().into();
                *differ |= rtl ^ image.get_unchecked(slot);
            }
        }
    }
    differ.into_iter().fold(0, |all, bits| all | bits)
}

/// Bits in which blocks differ.
///
/// # Safety
/// As for [`differing`]; the pieces are blocks.
#[inline]
unsafe fn differing_blocks<const N: usize>(
    pieces: &[StoredAt],
    units: &[(*const u8, &[u64]); N],
) -> u64 {
    let mut differ = ZERO_BLOCK;
    for piece in pieces {
        let (offset, slot) = (piece.offset as usize, piece.slot as usize);
        for (base, image) in units {
            // SAFETY: promised by the caller.
            let (rtl, golden) = unsafe {
                let golden = image.as_ptr().add(slot).cast::<Block>();
                (base.add(offset).cast::<Block>().read_unaligned(), golden.read())
            };
            for (k, differ) in differ.iter_mut().enumerate() {
                *differ |= rtl[k] ^ golden[k];
            }
        }
    }
    differ.into_iter().fold(0, |all, bits| all | bits)
}

impl StoredAt {
    /// Compares a variable of several 32-bit words with the words of the image.
    ///
    /// # Safety
    /// As for [`UnitMap::agrees`].
    #[inline]
    unsafe fn agrees_wide(&self, base: *const u8, image: &[u64]) -> bool {
        let (slot, bytes) = (self.slot as usize, self.bytes as usize);
        let words = &image[slot..slot + bytes.div_ceil(8)];
        // SAFETY: the variable has `bytes` bytes, and the model is not evaluated meanwhile.
        let rtl = unsafe { std::slice::from_raw_parts(base.add(self.offset as usize), bytes) };
        rtl == &bytes_of(words)[..bytes]
    }
}

/// The bytes of numbers in memory order, which is that of the model on a little-endian machine.
pub(super) fn bytes_of<T: Pod>(values: &[T]) -> &[u8] {
    const { assert!(cfg!(target_endian = "little"), "images are compared in place") };
    // SAFETY: `Pod` types are plain numbers without padding; the length is that of the slice.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// Plain numbers without padding.
pub(super) trait Pod {}
impl Pod for u64 {}
impl Pod for Block {}
