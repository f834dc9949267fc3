// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cases of a campaign: each can be made again from its number.

use drra_case::Case;
use drra_generate::Generated;

use crate::{Settings, steer::Steering};

/// A case of a campaign, made again.
pub fn case_of(settings: &Settings, number: u64) -> Case {
    Cases::new(settings.clone()).case(number)
}

/// The cases of a campaign, made again in any order.
#[derive(Clone, Debug)]
pub struct Cases {
    settings: Settings,
    pub(crate) steering: Steering,
}

impl Cases {
    /// Those of a campaign; runs its first cases on the golden model, as the campaign did.
    pub fn new(settings: Settings) -> Self {
        let steering = Steering::new(&settings);
        Self { settings, steering }
    }

    /// Those of a campaign whose first cases another process has run: the bins at which it directs cases.
    pub(crate) fn directed_at(bins: &[u32], settings: Settings) -> Self {
        let steering = Steering::of(bins, &settings);
        Self { settings, steering }
    }

    /// The case with a number.
    pub fn case(&self, number: u64) -> Case {
        self.generated(number).case
    }

    /// Whether the profile says for which sizes of the fabric its cases are.
    pub(crate) fn names_sizes(&self) -> bool {
        !self.settings.profile.fabrics.is_empty()
    }

    /// The case with a number as it is where none is directed at bins.
    pub fn undirected(&self, number: u64) -> Case {
        Steering::plain(&self.settings, number).case
    }

    /// The case with a number, and what is expected of it.
    pub(crate) fn generated(&self, number: u64) -> Generated {
        self.steering.case(&self.settings, number)
    }
}
