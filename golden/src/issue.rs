// SPDX-License-Identifier: MIT OR Apache-2.0
//! Issue registers between decode and the receiver of a ROUTE, SRAM, IO (chapter 6, section 4) or
//! PERM (chapter 7, B2): a stage that every decode passes, and one place to wait for the flag.

/// A stage and a shadow register. The value's default means "nothing".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Issue<T> {
    pub(crate) stage: T,
    pub(crate) shadow: T,
}

impl<T: Copy + Default + PartialEq> Issue<T> {
    /// What leaves in this cycle, `cell_noc` or `perm_go`.
    #[inline]
    pub(crate) fn leaving(&self, immediate: bool) -> T {
        if !immediate {
            T::default()
        } else if self.stage != T::default() {
            self.stage
        } else {
            self.shadow
        }
    }

    /// The edge, `noc_next` and `perm_next`; `decoded` is what is decoded in this cycle. Returns whether anything has changed.
    #[inline]
    pub(crate) fn commit(&mut self, immediate: bool, decoded: T) -> bool {
        let shadow = match immediate {
            true => T::default(),
            false if self.stage != T::default() => self.stage,
            false => self.shadow,
        };
        let next = Self { stage: decoded, shadow };
        let changed = *self != next;
        *self = next;
        changed
    }
}
