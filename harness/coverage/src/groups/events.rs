// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events: what instructions of several cells or cycles do to each other.

use drra_isa::Recipe;
use rand_chacha::ChaCha8Rng;

use crate::axes::Axes;
use crate::axes::Axis;
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

    fn axes(&self) -> Axes {
        Axes(vec![Axis::new("event", Event::ALL.iter().map(|e| e.name()))])
    }

    fn source(&self) -> Option<Source> {
        Some(Source::Event)
    }

    fn hit(&self, seen: &Observed<'_>, note: &mut dyn FnMut(usize)) {
        if let Observed::Event(event) = seen {
            note(*event as usize);
        }
    }

    fn recipe(&self, _index: &[usize], _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        None
    }
}
