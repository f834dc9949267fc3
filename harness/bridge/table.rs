// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the registers of a unit are in a model, and their comparison with its golden image in place.

use drra_isa::{
    UnitKind,
    fabric::{Layout, Variable},
};
use drra_recorded::Bits;
use rand::Rng;

/// A register of one bit in the golden image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    word: usize,
    mask: u64,
}

impl Condition {
    /// The register that must be 1 for a comparison of a variable, if there is one.
    pub(super) fn of(layout: &Layout, variable: &Variable) -> Option<Self> {
        let (holder, field) = layout.find(variable.group.compared_while()?.only())?;
        let word = holder.slot + (field.lsb / 64) as usize;
        Some(Self { word, mask: 1 << (field.lsb % 64) })
    }

    #[inline]
    pub(super) fn holds(self, image: &[u64]) -> bool {
        image[self.word] & self.mask != 0
    }
}

/// Bits that follow each other in a model and in the golden image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// First bit in the model, counted from address 0.
    pub(super) model: usize,
    /// First bit in the image.
    pub(super) image: usize,
    pub(super) width: usize,
    /// Bits behind it in the model that belong to no signal and are always 0.
    pub(super) padding: usize,
    /// Compared while this holds.
    pub(super) condition: Option<Condition>,
}

/// Bits of a golden image with the value that they must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fixed {
    pub(super) slot: usize,
    mask: u64,
    pub(super) value: u64,
}

impl Fixed {
    /// These bits, from a bit of the image on.
    pub(super) fn of(first: usize, bits: &Bits) -> Vec<Self> {
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
    pub(super) fn is_in(&self, image: &[u64]) -> bool {
        image[self.slot] & self.mask == self.value
    }
}

/// Bytes: where they are from the base of the unit in the model, and in the golden image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    offset: u32,
    image: u32,
    bytes: u32,
}

/// Bits within one word of the model, of at most 32 bits, and one word of the golden image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chunk {
    /// Of the word of the model, from the base of the unit.
    offset: u32,
    /// Size of that word: 1, 2 or 4.
    bytes: u8,
    /// Lowest of the bits in it.
    shift: u8,
    /// Lowest of the bits in the golden word.
    lsb: u8,
    /// As many ones as there are bits.
    mask: u32,
    /// The golden word.
    slot: u32,
    condition: Option<Condition>,
}

/// Bytes from which on a comparison as one string is faster than word by word.
const LONG: u32 = 32;

/// The registers of a unit. All instances of a module have one layout, so that one table serves them all and stays in
/// the cache. For the comparison registers are joined to runs of bytes and cut into words, sorted by size, so that each
/// size is compared in a tight loop without a branch, in several units at a time.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    /// Words of an image.
    pub(super) words: usize,
    /// All registers, to read and write them.
    all: Vec<Chunk>,
    one: Vec<Place>,
    two: Vec<Place>,
    four: Vec<Place>,
    eight: Vec<Place>,
    /// Longer runs, and those that are compared under a condition.
    long: Vec<(Place, Option<Condition>)>,
    /// What is not whole bytes on both sides.
    odd: Vec<Chunk>,
    /// What the design does not hold, because it never changes.
    fixed: Vec<Fixed>,
}

impl Run {
    /// Joins runs that follow each other on both sides.
    fn joined(runs: impl Iterator<Item = Self>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for run in runs {
            match all.last_mut() {
                Some(last)
                    if last.model + last.width == run.model
                        && last.image + last.width == run.image
                        && last.condition == run.condition =>
                {
                    last.width += run.width;
                }
                _ => all.push(run),
            }
        }
        all
    }

    /// Cuts it into words. None of them leaves the variable, whose storage has 1, 2, 4, 8 bytes or words of 4.
    fn chunks(self, base: usize) -> Vec<Chunk> {
        let (mut chunks, mut done) = (Vec::new(), 0);
        while done < self.width {
            let (model, image) = (self.model + done, self.image + done);
            let count = (self.width - done).min(32 - model % 32).min(64 - image % 64);
            let fits = |bytes: &usize| model % (8 * bytes) + count <= 8 * bytes;
            let bytes = [1, 2].into_iter().find(fits).unwrap_or(4);
            chunks.push(Chunk {
                offset: short(model / (8 * bytes) * bytes - base),
                bytes: bytes as u8,
                shift: (model % (8 * bytes)) as u8,
                lsb: (image % 64) as u8,
                mask: u32::MAX >> (32 - count),
                slot: short(image / 64),
                condition: self.condition,
            });
            done += count;
        }
        chunks
    }
}

fn short(number: usize) -> u32 {
    u32::try_from(number).expect("a model has less than 4 GiB")
}

impl Table {
    /// A table for units of a kind. `base` is a multiple of 4 below all runs.
    pub(super) fn new(
        layout: &Layout,
        kind: UnitKind,
        base: usize,
        mut runs: Vec<Run>,
        fixed: Vec<Fixed>,
    ) -> Self {
        runs.sort_by_key(|run| run.image);
        let words = layout.words(kind);
        let fields = layout
            .variables_of(kind)
            .flat_map(|v| v.fields.iter().map(|f| 64 * v.slot + f.lsb as usize));
        let mut starts: Vec<usize> = fields.chain([64 * words]).collect();
        starts.sort_unstable();
        let mut table = Self { words, fixed, ..Self::default() };
        for run in Run::joined(runs.iter().copied()) {
            table.all.extend(run.chunks(base));
        }
        // Padding is compared with what is free in the image, where it makes whole words.
        let padded = runs.into_iter().map(|run| {
            let end = run.image + run.width;
            let next = starts[starts.partition_point(|start| *start < end)];
            Run { width: run.width + run.padding.min(next - end), ..run }
        });
        for run in Run::joined(padded) {
            table.compare(run, base);
        }
        table
    }

    /// Adds a run to what is compared.
    fn compare(&mut self, run: Run, base: usize) {
        let aligned = run.model % 8 == 0 && run.image % 8 == 0;
        let whole = if aligned { run.width / 8 * 8 } else { 0 };
        let (model, image) = (run.model + whole, run.image + whole);
        let odd = Run { model, image, width: run.width - whole, ..run };
        self.odd.extend(odd.chunks(base));
        if whole == 0 {
            return;
        }
        let mut rest = Place {
            offset: short(run.model / 8 - base),
            image: short(run.image / 8),
            bytes: short(whole / 8),
        };
        if run.condition.is_some() || rest.bytes >= LONG {
            self.long.push((rest, run.condition));
            return;
        }
        while rest.bytes > 0 {
            let (places, bytes) = match rest.bytes {
                8.. => (&mut self.eight, 8),
                4.. => (&mut self.four, 4),
                2.. => (&mut self.two, 2),
                _ => (&mut self.one, 1),
            };
            places.push(Place { bytes, ..rest });
            rest.offset += bytes;
            rest.image += bytes;
            rest.bytes -= bytes;
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
        const { assert!(cfg!(target_endian = "little"), "images are compared in place") };
        assert!(images.iter().all(|image| image.len() >= self.words), "images of the units");
        let units = std::array::from_fn(|k| (bases[k], images[k].as_ptr().cast::<u8>()));
        // SAFETY: promised by the caller; the places lie within an image of so many words.
        let differ = unsafe {
            differing::<u64, N>(&self.eight, &units)
                | differing::<u32, N>(&self.four, &units)
                | differing::<u16, N>(&self.two, &units)
                | differing::<u8, N>(&self.one, &units)
        };
        let rest = |(base, image): (*const u8, &[u64])| {
            let on = |hold: Option<Condition>| hold.is_none_or(|hold| hold.holds(image));
            // SAFETY: as above.
            let long = |p: &Place| unsafe { p.agrees(base, image.as_ptr().cast()) };
            // SAFETY: as above.
            let odd = |c: &Chunk| unsafe { c.load(base) } == image[c.slot as usize] >> c.lsb & u64::from(c.mask);
            self.long.iter().all(|(place, hold)| long(place) || !on(*hold))
                && self.odd.iter().all(|chunk| odd(chunk) || !on(chunk.condition))
                && self.fixed.iter().all(|fixed| fixed.is_in(image))
        };
        differ == 0 && bases.into_iter().zip(images).all(rest)
    }

    /// Copies the registers of a unit into an image.
    ///
    /// # Safety
    /// As for [`Self::agrees`].
    pub(super) unsafe fn read(&self, base: *const u8, image: &mut Vec<u64>) {
        image.clear();
        image.resize(self.words, 0);
        for c in &self.all {
            // SAFETY: promised by the caller.
            image[c.slot as usize] |= unsafe { c.load(base) } << c.lsb;
        }
        for f in &self.fixed {
            image[f.slot] |= f.value;
        }
    }

    /// Gives the registers of a unit random values.
    ///
    /// # Safety
    /// As for [`Self::agrees`]; nothing else may refer to the memory of the model meanwhile.
    pub(super) unsafe fn randomize(&self, base: *const u8, random: &mut impl Rng) {
        for c in &self.all {
            let bytes = (random.next_u32() & c.mask) << c.shift;
            let keep = !(c.mask << c.shift);
            for n in 0..usize::from(c.bytes) {
                // SAFETY: promised by the caller; the memory of a model is writable.
                unsafe {
                    let byte = base.add(c.offset as usize + n).cast_mut();
                    *byte = *byte & keep.to_le_bytes()[n] | bytes.to_le_bytes()[n];
                }
            }
        }
    }

    /// The byte, from the base of the unit, and the bit in that byte that a bit of the golden image is in.
    pub(super) fn bit(&self, bit: usize) -> Option<(usize, u32)> {
        self.all.iter().find_map(|c| {
            let at = bit.checked_sub(c.slot as usize * 64 + usize::from(c.lsb))?;
            let found = at < 32 && c.mask >> at & 1 == 1;
            let bit = usize::from(c.shift) + at;
            found.then(|| (c.offset as usize + bit / 8, bit as u32 % 8))
        })
    }
}

/// Bits in which places of a size differ, of some units together: per unit its base and its image.
///
/// # Safety
/// As for [`Table::agrees`]; the places have the size of `T` and lie within the images.
#[inline]
unsafe fn differing<T: Into<u64>, const N: usize>(
    places: &[Place],
    units: &[(*const u8, *const u8); N],
) -> u64 {
    let mut differ = [0; N];
    for place in places {
        let (offset, image) = (place.offset as usize, place.image as usize);
        for (differ, (base, golden)) in differ.iter_mut().zip(units) {
            // SAFETY: promised by the caller.
            unsafe {
                let rtl: u64 = base.add(offset).cast::<T>().read_unaligned().into();
                let golden: u64 = golden.add(image).cast::<T>().read_unaligned().into();
                *differ |= rtl ^ golden;
            }
        }
    }
    differ.into_iter().fold(0, |all, bits| all | bits)
}

impl Place {
    /// Compares its bytes.
    ///
    /// # Safety
    /// As for [`Table::agrees`], with the base and the image of one unit.
    #[inline]
    unsafe fn agrees(self, base: *const u8, image: *const u8) -> bool {
        let bytes = self.bytes as usize;
        // SAFETY: promised by the caller.
        unsafe {
            let rtl = std::slice::from_raw_parts(base.add(self.offset as usize), bytes);
            rtl == std::slice::from_raw_parts(image.add(self.image as usize), bytes)
        }
    }
}

impl Chunk {
    /// The bits in the model.
    ///
    /// # Safety
    /// As for [`Table::agrees`].
    #[inline]
    unsafe fn load(&self, base: *const u8) -> u64 {
        // SAFETY: promised by the caller.
        let word = unsafe {
            let at = base.add(self.offset as usize);
            match self.bytes {
                1 => u32::from(*at),
                2 => u32::from(at.cast::<u16>().read_unaligned()),
                _ => at.cast::<u32>().read_unaligned(),
            }
        };
        u64::from(word >> self.shift & self.mask)
    }
}
