// SPDX-License-Identifier: MIT OR Apache-2.0
//! Coverage steers a campaign: its first cases run on the golden model alone beforehand, and every
//! second case is directed at bins that they leave empty, one after the other in an order that
//! mixes the groups, and from the start again. That depends on profile and seed alone, so that
//! workers, shards and interruptions change nothing.

use drra_coverage::Collector;
use drra_coverage::Coverage;
use drra_coverage::Target;
use drra_generate::Generated;
use drra_generate::generate;
use drra_generate::generate_with;
use drra_isa::Geometry;
use drra_isa::Recipe;
use drra_lockstep::EndRule;
use drra_lockstep::Pair;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::Settings;
use super::case_seed;

/// Cases that are run on the golden model before the campaign starts.
const PROBED: u64 = 256;
/// Every case whose number is one less than a multiple of this is directed at empty bins.
const PERIOD: u64 = 2;
/// Bins at which such a case is directed.
const BINS: usize = 6;

/// Bins that are tried, one after the other, until constraints permit what hits one.
const TRIES: usize = 8;

/// The bins at which cases are directed.
#[derive(Clone, Debug)]
pub(super) struct Steering {
    holes: Vec<Target>,
}

impl Steering {
    /// Looks for bins that the first cases of a campaign do not hit.
    pub(super) fn new(settings: &Settings, geometry: &Geometry) -> Self {
        let mut coverage = Coverage::default();
        let mut collector = Collector::new(geometry);
        for case in 0..PROBED {
            let seed = case_seed(settings.seed, case);
            let case = generate(&settings.profile, seed, geometry).case;
            collector.start(case.straps(geometry));
            let end = EndRule::at(case.cycles.unwrap_or(0));
            Pair::alone(&case, geometry).run(end, &mut collector);
            coverage.add(&collector.bins().collect::<Vec<_>>());
        }
        let mut holes = coverage.targets();
        holes.shuffle(&mut ChaCha8Rng::seed_from_u64(settings.seed));
        Self { holes }
    }

    /// A case of the campaign.
    pub(super) fn case(&self, settings: &Settings, case: u64, geometry: &Geometry) -> Generated {
        let seed = case_seed(settings.seed, case);
        if case % PERIOD != PERIOD - 1 || self.holes.is_empty() {
            return generate(&settings.profile, seed, geometry);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let first = (case / PERIOD) as usize * BINS;
        let recipes: Vec<Recipe> =
            (first..first + BINS).filter_map(|k| self.recipe(settings, k, &mut rng)).collect();
        generate_with(&settings.profile, seed, geometry, &recipes)
    }
    /// What hits the k-th of the empty bins; where constraints exclude that, one of those behind it.
    fn recipe(&self, settings: &Settings, k: usize, rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let of = |k: usize, rng: &mut ChaCha8Rng| self.holes[k % self.holes.len()].recipe(rng);
        if settings.profile.constraints.is_empty() {
            return Some(of(k, rng));
        }
        let mut recipes = (0..TRIES).map(|i| of(TRIES * k + i, rng));
        recipes.find(|recipe| settings.profile.permits(recipe))
    }
}
