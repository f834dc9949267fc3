// SPDX-License-Identifier: MIT OR Apache-2.0
//! Coverage steers a campaign: its first cases run on the golden model alone beforehand, and every
//! second case is directed at bins that they leave empty: in turn at all groups, at large ones more
//! often, and within a group at one after the other in a mixed order, and from the start again. That
//! depends on profile and seed alone, so that workers, shards and interruptions change nothing.

use std::collections::BTreeMap;

use drra_coverage::{Collector, Coverage, Target};
use drra_generate::{Generated, generate, generate_with};
use drra_isa::DirectedSequence;
use drra_lockstep::{EndRule, LockstepRun};
use rand::{Rng, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

use crate::settings::Settings;

/// Cases that are run on the golden model before the campaign starts.
const PROBED: u64 = 256;
/// Every case whose number is one less than a multiple of this is directed at empty bins.
const PERIOD: u64 = 2;
/// Bins at which such a case is directed.
const BINS: usize = 6;

/// Bins that are tried, one after the other, until constraints permit what hits one.
const TRIES: usize = 8;

/// Generator seed of a case of a campaign.
pub fn case_seed(campaign: u64, case: u64) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(campaign);
    rng.set_stream(case);
    // Whole numbers up to 2^53 survive every JSON reader.
    rng.next_u64() >> 11
}

/// The bins at which cases are directed.
#[derive(Clone, Debug)]
pub(super) struct Steering {
    turns: Turns<Target>,
}

impl Steering {
    /// Looks for bins that the first cases of a campaign do not hit.
    pub(super) fn new(settings: &Settings) -> Self {
        let mut coverage = Coverage::default();
        let mut collector = Collector::new();
        for case in 0..PROBED {
            let case = Self::plain(settings, case).case;
            collector.start(&case);
            let end = EndRule::at(case.cycles.unwrap_or(0));
            LockstepRun::alone(&case).run(end, &mut collector);
            coverage.add(&collector.bins().collect::<Vec<_>>());
        }
        let mut targets = coverage.targets();
        targets.shuffle(&mut ChaCha8Rng::seed_from_u64(settings.seed));
        Self::at(targets, settings.seed)
    }

    /// Steering at bins: those of a group take the turns of the group in this order.
    fn at(targets: impl IntoIterator<Item = Target>, seed: u64) -> Self {
        let mut groups: BTreeMap<usize, Vec<Target>> = BTreeMap::new();
        for target in targets {
            groups.entry(target.group().first).or_default().push(target);
        }
        let groups = groups.into_values().collect();
        Self { turns: Turns::new(groups, &mut ChaCha8Rng::seed_from_u64(seed)) }
    }

    /// A case that is directed at nothing.
    pub(super) fn plain(settings: &Settings, case: u64) -> Generated {
        let seed = case_seed(settings.seed, case);
        generate(&settings.profile, seed, &settings.profile.fabrics.of(seed))
    }

    /// Steering as another process of the same campaign found it ([`Steering::bins`]).
    pub(super) fn of(bins: &[u32], settings: &Settings) -> Self {
        Self::at(bins.iter().filter_map(|bin| Target::of_bin(*bin as usize)), settings.seed)
    }

    /// Numbers of the bins at which cases are directed, in their order.
    pub(super) fn bins(&self) -> Vec<u32> {
        self.turns.groups.iter().flatten().map(|target| target.bin() as u32).collect()
    }

    /// A case of the campaign.
    pub(super) fn case(&self, settings: &Settings, case: u64) -> Generated {
        if case % PERIOD != PERIOD - 1 || self.turns.is_empty() {
            return Self::plain(settings, case);
        }
        let seed = case_seed(settings.seed, case);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let first = (case / PERIOD) as usize * BINS;
        let sequences: Vec<DirectedSequence> =
            (first..first + BINS).filter_map(|k| self.sequence(settings, k, &mut rng)).collect();
        generate_with(&settings.profile, seed, &settings.profile.fabrics.of(seed), &sequences)
    }

    /// What hits the k-th of the empty bins; where constraints exclude that, one of those behind it.
    fn sequence(
        &self,
        settings: &Settings,
        k: usize,
        rng: &mut ChaCha8Rng,
    ) -> Option<DirectedSequence> {
        let of = |k: usize, rng: &mut ChaCha8Rng| self.turns.at(k).sequence(rng);
        if settings.profile.constraints.is_empty() {
            return Some(of(k, rng));
        }
        let mut sequences = (0..TRIES).map(|i| of(TRIES * k + i, rng));
        sequences.find(|sequence| settings.profile.permits(sequence))
    }
}

/// Groups of things that take turns. The share of a group grows with the cube root of its size: there
/// are groups of a few dozen bins beside one of a hundred thousand, and what tells bins of a large
/// one apart is often of less weight than what tells groups apart.
#[derive(Clone, Debug)]
struct Turns<T> {
    groups: Vec<Vec<T>>,
    /// One round: a group, and which of its turns in the round this is.
    round: Vec<(usize, usize)>,
    /// Turns of each group in a round.
    share: Vec<usize>,
}

impl<T> Turns<T> {
    fn new(groups: Vec<Vec<T>>, rng: &mut ChaCha8Rng) -> Self {
        let share: Vec<usize> =
            groups.iter().map(|group| (group.len() as f64).cbrt().round() as usize).collect();
        let mut order: Vec<usize> =
            share.iter().enumerate().flat_map(|(g, turns)| (0..*turns).map(move |_| g)).collect();
        order.shuffle(rng);
        let mut taken = vec![0; groups.len()];
        let round = order.into_iter().map(|g| {
            taken[g] += 1;
            (g, taken[g] - 1)
        });
        Self { round: round.collect(), groups, share }
    }

    fn is_empty(&self) -> bool {
        self.round.is_empty()
    }

    /// Whose turn is the k-th.
    fn at(&self, k: usize) -> &T {
        let (group, turn) = self.round[k % self.round.len()];
        let members = &self.groups[group];
        &members[(k / self.round.len() * self.share[group] + turn) % members.len()]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn all_groups_take_turns_and_all_members_theirs() {
        let groups = vec![vec![0; 1], (1..28).collect(), (28..1028).collect()];
        let turns = Turns::new(groups, &mut ChaCha8Rng::seed_from_u64(1));
        let round: Vec<i32> = (0..14).map(|k| *turns.at(k)).collect();
        assert_eq!(round.iter().filter(|n| **n == 0).count(), 1);
        assert_eq!(round.iter().filter(|n| (1..28).contains(*n)).count(), 3);
        assert_eq!(round.iter().collect::<BTreeSet<_>>().len(), 14);
        let all: BTreeSet<i32> = (0..1400).map(|k| *turns.at(k)).collect();
        assert_eq!(all.len(), 1028);
    }

    #[test]
    fn nobody_takes_turns_without_groups() {
        assert!(Turns::<u8>::new(Vec::new(), &mut ChaCha8Rng::seed_from_u64(1)).is_empty());
    }

    /// A worker process makes the cases that its campaign would make.
    #[test]
    fn another_process_directs_alike() {
        let settings = Settings::default();
        let here = Steering::new(&settings);
        let there = Steering::of(&here.bins(), &settings);
        assert!(!here.bins().is_empty() && here.bins() == there.bins());
        for case in [0, 1, 777] {
            let [one, other] = [&here, &there].map(|s| s.case(&settings, case).case);
            assert_eq!(drra_case::to_json(&one), drra_case::to_json(&other));
        }
    }
}
