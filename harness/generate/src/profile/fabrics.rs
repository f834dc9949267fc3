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
pub struct Fabrics(BTreeMap<SizeText, u32>);

impl Fabrics {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;

    fn profile(more: &str) -> Profile {
        Profile::parse(&format!(r#"{{"version": 1, "name": "x"{more}}}"#), None).unwrap()
    }

    /// The shares of the sizes over 3000 seeds match the weights.
    #[test]
    fn sizes_come_as_often_as_they_weigh() {
        let fabrics =
            profile(r#", "fabrics": {"8x2": 1, "2x1": 4, "2x2-rf32-sram16": 1, "3x3": 0}"#).fabrics;
        let count = |text: &str| {
            let size = text.parse().unwrap();
            (0..3000).filter(|seed| fabrics.of(*seed) == size).count()
        };
        let counts = ["2x1", "2x2-rf32-sram16", "8x2"].map(count);
        assert_eq!(counts.iter().sum::<usize>(), 3000);
        for (count, expected) in counts.into_iter().zip([2000, 500, 500]) {
            assert!(count.abs_diff(expected) < 100, "{counts:?}");
        }
        let names: Vec<String> = fabrics.sizes().iter().map(ToString::to_string).collect();
        assert_eq!(names, ["2x1", "2x2-rf32-sram16", "8x2"]);
    }

    #[test]
    fn without_sizes_the_default_one_is_used() {
        let fabrics = profile("").fabrics;
        assert_eq!(fabrics.sizes(), [Geometry::default()]);
        assert!((0..50).all(|seed| fabrics.of(seed) == Geometry::default()));
    }

    /// A build contains only some sizes, and constraints can leave no cell of a small one.
    #[test]
    fn a_profile_is_narrowed_to_what_there_is() {
        let sizes = ["8x2", "2x1", "3x3"].map(|text| text.parse().unwrap());
        let on = |more: &str, sizes: &[Geometry]| profile(more).on(sizes).map(|p| p.fabrics);
        let all = r#", "fabrics": {"8x2": 1, "2x1": 4, "5x1": 2}"#;
        let narrowed = Fabrics::new([(sizes[0], 1), (sizes[1], 4)]);
        assert_eq!(on(all, &sizes).unwrap(), narrowed);
        assert_eq!(on(all, &sizes[2..]).unwrap(), Fabrics::one(sizes[2]));
        assert!(on("", &sizes).unwrap().is_empty());
        assert_eq!(on("", &sizes[1..]).unwrap(), Fabrics::one(sizes[1]));
        let far = r#", "fabrics": {"8x2": 1, "2x1": 4}, "constraints": [{"only_cells": [[0, 7]]}]"#;
        assert_eq!(on(far, &sizes).unwrap(), Fabrics::one(sizes[0]));
        on(far, &sizes[1..]).unwrap_err();
    }
}
