// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals by their fingerprints, and what of them can show a register.

use std::collections::HashMap;

use super::track::{BitPrint, Track, mix};

/// Most signals with one fingerprint that are looked at.
const MOST: usize = 400;

/// How a signal shows a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Way {
    /// As it is.
    Same,
    /// Some of its bits.
    Part,
    /// Every bit inverted.
    Inverted,
    /// A cycle later.
    Late,
    /// A cycle earlier.
    Early,
    /// By other codes.
    Coded,
}

impl Way {
    pub(super) const ALL: [Self; 6] =
        [Self::Same, Self::Part, Self::Inverted, Self::Late, Self::Early, Self::Coded];

    /// Cycles that the signal is later than the register.
    pub(super) fn offset(self) -> i32 {
        match self {
            Self::Late => 1,
            Self::Early => -1,
            Self::Same | Self::Part | Self::Inverted | Self::Coded => 0,
        }
    }
}

/// Bits of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Field {
    pub(super) lsb: u32,
    pub(super) width: u32,
}

/// A signal, or bits of it from a bit on, that shows a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shows {
    pub(super) way: Way,
    pub(super) signal: usize,
    /// Its first bit.
    pub(super) lsb: u32,
}

/// Signals by their fingerprints.
pub(super) struct Index<'a> {
    tracks: &'a [Track],
    /// Sum over all recordings of what a bit adds that is 1 at their beginnings.
    pub(super) total: u64,
    whole: HashMap<u64, Vec<usize>>,
    toggles: HashMap<u64, Vec<usize>>,
    shapes: HashMap<u64, Vec<usize>>,
    bits: HashMap<BitPrint, Vec<(usize, u32)>>,
}

fn whole(bits: &[BitPrint]) -> u64 {
    bits.iter().fold(0, |sum, bit| mix(mix(sum, bit.toggles), bit.ones))
}

fn folded(toggles: impl Iterator<Item = u64>) -> u64 {
    toggles.fold(0, mix)
}

impl<'a> Index<'a> {
    pub(super) fn new(tracks: &'a [Track], total: u64) -> Self {
        let mut index = Self {
            tracks,
            total,
            whole: HashMap::new(),
            toggles: HashMap::new(),
            shapes: HashMap::new(),
            bits: HashMap::new(),
        };
        for (n, track) in tracks.iter().enumerate().filter(|(_, t)| t.changes > 0) {
            index.whole.entry(whole(&track.bits)).or_default().push(n);
            let toggles = folded(track.bits.iter().map(|b| b.toggles));
            index.toggles.entry(toggles).or_default().push(n);
            if let Some(print) = track.shape.print() {
                index.shapes.entry(print).or_default().push(n);
            }
            for (bit, print) in track.bits.iter().enumerate().filter(|(_, b)| b.toggles != 0) {
                index.bits.entry(*print).or_default().push((n, bit as u32));
            }
        }
        index
    }

    /// The bits of a field.
    fn field(register: &Track, field: Field) -> &[BitPrint] {
        &register.bits[field.lsb as usize..(field.lsb + field.width) as usize]
    }

    /// Toggles of the bits of a field as of a signal that shows it later or earlier.
    fn moved(register: &Track, field: Field, way: Way) -> &[u64] {
        let moved = if way == Way::Late { &register.late } else { &register.early };
        &moved[field.lsb as usize..(field.lsb + field.width) as usize]
    }

    /// True if a field changes.
    pub(super) fn changes(register: &Track, field: Field) -> bool {
        Self::field(register, field).iter().any(|bit| bit.toggles != 0)
    }

    /// True if a signal shows a field.
    pub(super) fn agrees(&self, register: &Track, field: Field, shows: Shows) -> bool {
        let signal = &self.tracks[shows.signal];
        let wanted = Self::field(register, field);
        let (from, to) = (shows.lsb as usize, (shows.lsb + field.width) as usize);
        if shows.way == Way::Coded {
            let quiet = signal.changes == 0 && register.changes == 0;
            return quiet
                || register.shape.print().is_some_and(|p| signal.shape.print() == Some(p));
        }
        let Some(bits) = signal.bits.get(from..to) else { return false };
        if shows.way != Way::Part && signal.width != field.width {
            return false;
        }
        match shows.way {
            Way::Same | Way::Part => bits == wanted,
            Way::Inverted => bits.iter().zip(wanted).all(|(bit, wanted)| {
                bit.toggles == wanted.toggles && bit.ones == self.total.wrapping_sub(wanted.ones)
            }),
            Way::Late | Way::Early => {
                let moved = Self::moved(register, field, shows.way);
                bits.iter().map(|b| b.toggles).eq(moved.iter().copied())
            }
            Way::Coded => false,
        }
    }

    /// The signals that show a field of a register in a way.
    pub(super) fn candidates(&self, register: &Track, field: Field, way: Way) -> Vec<Shows> {
        let wanted = Self::field(register, field);
        let of = |list: Option<&Vec<usize>>| -> Vec<Shows> {
            let signals = list.into_iter().flatten().take(MOST);
            signals.map(|&signal| Shows { way, signal, lsb: 0 }).collect()
        };
        let mut found = match way {
            Way::Same => of(self.whole.get(&whole(wanted))),
            Way::Inverted => of(self.toggles.get(&folded(wanted.iter().map(|b| b.toggles)))),
            Way::Late | Way::Early => {
                let moved = Self::moved(register, field, way);
                of(self.toggles.get(&folded(moved.iter().copied())))
            }
            Way::Coded if field.width == register.width => {
                of(register.shape.print().and_then(|print| self.shapes.get(&print)))
            }
            Way::Coded => Vec::new(),
            Way::Part => self.aligned(register, field).collect(),
        };
        found.retain(|shows| {
            let wider = self.tracks[shows.signal].width > field.width;
            (way != Way::Part || wider) && self.agrees(register, field, *shows)
        });
        found
    }

    /// Signals that have a bit of the field, aligned to it.
    fn aligned(&self, register: &Track, field: Field) -> impl Iterator<Item = Shows> + '_ {
        let bits = Self::field(register, field);
        let bit = bits.iter().position(|bit| bit.toggles != 0).unwrap_or(0);
        let same = self.bits.get(&bits[bit]).into_iter().flatten().take(MOST);
        same.filter_map(move |&(signal, place)| {
            let lsb = place.checked_sub(bit as u32)?;
            Some(Shows { way: Way::Part, signal, lsb })
        })
    }

    /// The fields of a register that whole signals show.
    pub(super) fn fields(&self, register: &Track) -> Vec<Field> {
        let mut fields = Vec::new();
        for (bit, print) in register.bits.iter().enumerate().filter(|(_, b)| b.toggles != 0) {
            for &(signal, place) in self.bits.get(print).into_iter().flatten().take(MOST) {
                let Some(lsb) = (bit as u32).checked_sub(place) else { continue };
                let field = Field { lsb, width: self.tracks[signal].width };
                let inside =
                    field.width < register.width && field.lsb + field.width <= register.width;
                let shows = Shows { way: Way::Same, signal, lsb: 0 };
                if inside && !fields.contains(&field) && self.agrees(register, field, shows) {
                    fields.push(field);
                }
            }
        }
        fields
    }
}
