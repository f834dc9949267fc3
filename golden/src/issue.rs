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
    /// `issue` of chapter 6, section 4: what leaves in this cycle, and the registers in the next one.
    fn issue(&self, decoded: Option<T>, immediate: bool) -> (Option<T>, Self) {
        let latest = self.stage.or(self.shadow);
        if immediate {
            (latest, Self { stage: decoded, shadow: None })
        } else {
            (None, Self { stage: decoded, shadow: latest })
        }
    }

    /// The message or PERM that leaves in this cycle, `cell_noc` or `perm_go`.
    pub(crate) fn leaving(&self, immediate: bool) -> Option<T> {
        self.issue(None, immediate).0
    }
}

impl<T: Copy + Default + PartialEq> Clocked for Issue<T> {
    type Inputs = IssueInputs<T>;

    /// `noc_next`, `perm_next`.
    fn next(&mut self, i: &IssueInputs<T>) -> bool {
        let (_, next) = self.issue(i.decoded, i.immediate);
        let changed = *self != next;
        *self = next;
        changed
    }
}
