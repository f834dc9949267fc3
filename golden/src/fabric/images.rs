// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of the fabric as words (chapter 5, section 7).

use drra_fabric::Layout;
use drra_isa::UnitKind;

/// The registers of all units, grouped by kind.
#[derive(Clone, Debug)]
pub(super) struct UnitImages {
    pub(super) of: [Vec<u64>; UnitKind::ALL.len()],
    /// Number of words of a unit, by kind.
    words: [usize; UnitKind::ALL.len()],
}

impl UnitImages {
    pub(super) fn new(layout: &Layout) -> Self {
        let units = |kind: UnitKind| layout.units().filter(|unit| unit.kind() == kind).count();
        let words = UnitKind::ALL.map(|kind| layout.words(kind));
        let of = UnitKind::ALL.map(|kind| vec![0; units(kind) * words[kind as usize]]);
        Self { of, words }
    }

    /// The image of the unit of a kind with this index.
    pub(super) fn unit(&self, kind: UnitKind, index: usize) -> &[u64] {
        let words = self.words[kind as usize];
        &self.of[kind as usize][index * words..][..words]
    }

    /// The images of all units of a kind.
    pub(super) fn units(&mut self, kind: UnitKind) -> impl Iterator<Item = &mut [u64]> {
        self.of[kind as usize].chunks_exact_mut(self.words[kind as usize])
    }
}
