// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the variables of one kind of unit are in the model, and their comparison in place.

use drra_isa::fabric::Layout;
use drra_isa::fabric::Variable;
use drra_isa::ports::Block;

/// Where a variable is on both sides: bytes from the base of the unit in the model, first word in the
/// golden image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoredAt {
    pub(super) offset: u32,
    pub(super) slot: u32,
    pub(super) bytes: u32,
}

/// The places of one kind of unit. All instances of a module have one layout, so that one table
/// serves them all and stays in the cache; places are sorted by size, so that each size is compared
/// in a tight loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct UnitMap {
    /// In table order, for reading.
    pub(super) all: Vec<StoredAt>,
    one: Vec<StoredAt>,
    two: Vec<StoredAt>,
    four: Vec<StoredAt>,
    eight: Vec<StoredAt>,
    wide: Vec<StoredAt>,
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

    /// Adds a variable, with the register that must be 1 for a comparison.
    pub(super) fn add(&mut self, place: StoredAt, condition: Option<Condition>) {
        self.all.push(place);
        if let Some(condition) = condition {
            self.conditional.push((place, condition));
            return;
        }
        match place.bytes {
            1 => self.one.push(place),
            2 => self.two.push(place),
            4 => self.four.push(place),
            8 => self.eight.push(place),
            _ => self.wide.push(place),
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

    /// Compares the registers of a unit with its golden image.
    ///
    /// # Safety
    /// * `base` must be the base of a unit for which this table was made;
    /// * the model must be alive and not be evaluated meanwhile.
    #[inline]
    pub(super) unsafe fn agrees(&self, base: *const u8, image: &[u64]) -> bool {
        assert!(image.len() >= self.words, "image of the unit");
        let mut differ = 0;
        for p in &self.eight {
            // SAFETY: a variable of eight bytes, aligned as a member of its class; the slot lies
            // within the image by the assertion above. The same holds for the other sizes.
            differ |= unsafe { *base.add(p.offset as usize).cast::<u64>() ^ p.word(image) };
        }
        for p in &self.four {
            // SAFETY: as above, four bytes.
            differ |=
                unsafe { u64::from(*base.add(p.offset as usize).cast::<u32>()) ^ p.word(image) };
        }
        for p in &self.two {
            // SAFETY: as above, two bytes.
            differ |=
                unsafe { u64::from(*base.add(p.offset as usize).cast::<u16>()) ^ p.word(image) };
        }
        for p in &self.one {
            // SAFETY: as above, one byte.
            differ |= unsafe { u64::from(*base.add(p.offset as usize)) ^ p.word(image) };
        }
        // SAFETY: as above.
        let wide = |p: &StoredAt| unsafe { p.agrees_wide(base, image) };
        differ == 0
            && self.wide.iter().all(wide)
            && self.conditional.iter().all(|(p, c)| image[c.word] & c.mask == 0 || wide(p))
    }
}

impl StoredAt {
    /// The golden word of a register that fits into one.
    ///
    /// # Safety
    /// The slot must lie within the image.
    #[inline]
    unsafe fn word(&self, image: &[u64]) -> u64 {
        // SAFETY: promised by the caller.
        unsafe { *image.get_unchecked(self.slot as usize) }
    }

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
