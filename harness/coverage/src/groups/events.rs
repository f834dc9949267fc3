// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events: what instructions of several cells or cycles do to each other.

use drra_isa::Wanted;
use rand_chacha::ChaCha8Rng;

use crate::group::Bins;
use crate::observed::Event;
use crate::observed::Observed;
use crate::observed::Source;

/// A bin for each event. Instructions of one cell alone do not bring them about.
pub(crate) struct Events;

impl Bins for Events {
    fn name(&self) -> String {
        "events".to_owned()
    }

    fn labels(&self) -> Vec<String> {
        Event::ALL.iter().map(|e| e.name().to_owned()).collect()
    }

    fn source(&self) -> Source {
        Source::Event
    }

    fn hit(&self, seen: &Observed<'_>, note: &mut dyn FnMut(usize)) {
        if let Observed::Event(event) = seen {
            note(*event as usize);
        }
    }

    fn is_directed(&self) -> bool {
        false
    }

    fn recipe(&self, _bin: usize, _rng: &mut ChaCha8Rng) -> Vec<Wanted> {
        Vec::new()
    }
}
