// SPDX-License-Identifier: MIT OR Apache-2.0
//! Issue registers between decode and the receiver of a ROUTE, SRAM or IO (chapter 6, section 4), or of a PERM
//! (chapter 7, B2): a stage that every such instruction passes through, and one slot in which an instruction waits for
//! the flag.

use crate::idle::Clocked;

/// A stage and a shadow register; `None` where the chapter's register is not valid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Issue<T> {
    pub(crate) stage: Option<T>,
    pub(crate) shadow: Option<T>,
}

/// The inputs of the issue registers in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct IssueInputs<T> {
    pub(crate) immediate: bool,
    /// The message or PERM that is decoded.
    pub(crate) decoded: Option<T>,
}

impl<T: Copy> Issue<T> {
    /// `issue` of chapter 6, section 4: the message or PERM that leaves in this cycle, `cell_noc` or `perm_go`.
    pub(crate) fn leaving(&self, immediate: bool) -> Option<T> {
        if immediate { self.latest() } else { None }
    }

    fn latest(&self) -> Option<T> {
        self.stage.or(self.shadow)
    }
}

impl<T: Copy + Default + PartialEq> Clocked for Issue<T> {
    type Inputs = IssueInputs<T>;

    /// `noc_next`, `perm_next`: the registers of `issue` in the next cycle.
    fn next(&mut self, i: &IssueInputs<T>) -> bool {
        let shadow = if i.immediate { None } else { self.latest() };
        let next = Self { stage: i.decoded, shadow };
        let changed = *self != next;
        *self = next;
        changed
    }
}
