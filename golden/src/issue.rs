// SPDX-License-Identifier: MIT OR Apache-2.0
//! Issue registers between decode and the receiver of a ROUTE, SRAM or IO (chapter 6, section 4), or of a PERM
//! (chapter 7, B2): a stage that every such instruction passes through, and one slot in which an instruction waits for
//! the flag.

/// A stage and a shadow register; `None` where the chapter's register is not valid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Issue<T> {
    pub(crate) stage: Option<T>,
    pub(crate) shadow: Option<T>,
}

impl<T: Copy + PartialEq> Issue<T> {
    /// The message or PERM that leaves in this cycle, `cell_noc` or `perm_go`.
    pub(crate) fn leaving(&self, immediate: bool) -> Option<T> {
        self.stage.or(self.shadow).filter(|_| immediate)
    }

    /// `noc_next` and `perm_next`; `decoded` is the instruction decoded in this cycle. Returns whether anything has
    /// changed.
    pub(crate) fn next(&mut self, immediate: bool, decoded: Option<T>) -> bool {
        let shadow = self.stage.or(self.shadow).filter(|_| !immediate);
        let next = Self { stage: decoded, shadow };
        let changed = *self != next;
        *self = next;
        changed
    }
}
