// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fabric sizes for which a profile generates cases.

use std::collections::BTreeMap;

use drra_isa::{Geometry, SizeText};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::draw;

/// Stream of the random numbers that choose sizes; the contents of a case are drawn from another stream.
const STREAM: u64 = 1;

/// Sizes with their weights; the default size alone if there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FabricWeights(BTreeMap<SizeText, u32>);

impl FabricWeights {
    /// Sizes with their weights.
    pub(super) fn new(weights: impl IntoIterator<Item = (Geometry, u32)>) -> Self {
        Self(weights.into_iter().map(|(geometry, weight)| (SizeText(geometry), weight)).collect())
    }

    /// One size.
    pub fn one(geometry: Geometry) -> Self {
        Self::new([(geometry, 1)])
    }

    /// True if no size is named.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The sizes that cases can have, in ascending order.
    pub fn sizes(&self) -> Vec<Geometry> {
        let named: Vec<Geometry> = self.weights().map(|(geometry, _)| geometry).collect();
        if named.is_empty() { vec![Geometry::default()] } else { named }
    }

    /// The fabric size of the case with this seed.
    pub fn of(&self, seed: u64) -> Geometry {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(STREAM);
        let weights: Vec<(Geometry, u32)> = self.weights().collect();
        draw::weighted(&mut rng, &weights).unwrap_or_default()
    }

    /// Fraction of the cases with this size, from 0 to 1.
    pub fn share(&self, size: &Geometry) -> f64 {
        if self.is_empty() {
            return f64::from(u8::from(*size == Geometry::default()));
        }
        let total: u32 = self.weights().map(|(_, weight)| weight).sum();
        let of_size = self.weights().find(|(named, _)| named == size);
        of_size.map_or(0.0, |(_, weight)| f64::from(weight) / f64::from(total))
    }

    /// The named sizes whose weight is not 0.
    pub(super) fn weights(&self) -> impl Iterator<Item = (Geometry, u32)> {
        self.0.iter().map(|(size, weight)| (size.0, *weight)).filter(|(_, w)| *w > 0)
    }

    /// Checks that weights are not too large, and not all 0 if there are any.
    pub(super) fn are_weights(&self, most: u32) -> bool {
        self.0.values().all(|w| *w <= most)
            && (self.0.is_empty() || self.weights().next().is_some())
    }
}
