// SPDX-License-Identifier: MIT OR Apache-2.0
//! The recordings that are learned from.

use drra_case::Case;

use crate::dump::Dump;

/// A case and the dump of its run.
#[derive(Debug)]
pub struct Recording {
    /// What was run. Only its words, blocks, straps and buffers count, and not their times.
    pub case: Case,
    /// What the simulator showed.
    pub dump: Dump,
}

/// All recordings.
#[derive(Clone, Copy)]
pub(super) struct Recordings<'a>(pub(super) &'a [Recording]);

impl<'a> Recordings<'a> {
    pub(super) fn count(self) -> usize {
        self.0.len()
    }

    pub(super) fn cases(self) -> impl Iterator<Item = &'a Case> {
        self.0.iter().map(|r| &r.case)
    }

    pub(super) fn case(self, n: usize) -> &'a Case {
        &self.0[n].case
    }

    pub(super) fn dump(self, n: usize) -> &'a Dump {
        &self.0[n].dump
    }

    pub(super) fn dumps(self) -> impl Iterator<Item = (usize, &'a Dump)> {
        self.0.iter().map(|r| &r.dump).enumerate()
    }
}
