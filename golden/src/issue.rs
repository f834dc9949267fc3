// SPDX-License-Identifier: MIT OR Apache-2.0
//! Issue registers between decode and the receiver of a ROUTE, SRAM or IO (chapter 6, section 4), or of a PERM
//! (chapter 7, B2): a stage that every such instruction passes through, and one slot in which an instruction waits for
//! the flag.

/// A stage and a shadow register; `None` where the chapter's register is not valid.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Issue<T> {
    pub(crate) stage: Option<T>,
    pub(crate) shadow: Option<T>,
}

impl<T: Copy> Issue<T> {
    /// The message or PERM that leaves in this cycle, `cell_noc` or `perm_go`.
    #[inline]
    pub(crate) fn leaving(&self, immediate: bool) -> Option<T> {
        if immediate { self.stage.or(self.shadow) } else { None }
    }

    /// The edge, `noc_next` and `perm_next`; `decoded` is the instruction decoded in this cycle. Returns whether a
    /// register may have changed.
    #[inline]
    pub(crate) fn commit(&mut self, immediate: bool, decoded: Option<T>) -> bool {
        let changed =
            decoded.is_some() || self.stage.is_some() || immediate && self.shadow.is_some();
        if changed {
            self.shadow = if immediate { None } else { self.stage.or(self.shadow) };
            self.stage = decoded;
        }
        changed
    }
}
