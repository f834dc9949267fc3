// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sums over the finished cases of a campaign, in whatever order they come. Their size does not depend on the number
//! of cases, but for one bit each that says that a case is finished.

use std::collections::BTreeMap;

use drra_coverage::Coverage;
use drra_diagnose::signature;
use drra_isa::Geometry;
use drra_report::summary::Moved;

use crate::journal::Record;

/// Sums over finished cases.
#[derive(Clone, Debug)]
pub struct Tally {
    finished: Finished,
    pub(crate) cases: u64,
    pub(crate) cycles: u64,
    /// Cases and cycles by size of the fabric, where the profile names sizes.
    pub(crate) fabrics: BTreeMap<Geometry, [u64; 2]>,
    pub(crate) instructions: u64,
    /// Instructions by kind, as in the records.
    pub(crate) kinds: Vec<u64>,
    /// Changes by constraint, as in the records.
    pub(crate) replaced: Vec<u64>,
    pub(crate) moved: Moved,
    pub(crate) coverage: Coverage,
    /// The variants of each failure, by signature.
    pub(crate) failures: BTreeMap<String, BTreeMap<String, Seen>>,
}

/// What a case is the first to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum New {
    Failure,
    /// A variant of a failure that was seen before; it may be another fault.
    Variant,
}

/// A variant of a distinct failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Cases that show it.
    pub(crate) count: u64,
    /// The first of them, and its cycle.
    pub(crate) first: (u64, u64),
}

impl Tally {
    /// Of nothing yet, for a campaign in so many shards.
    pub fn new(shards: u64) -> Self {
        Self {
            finished: Finished { shards: shards.max(1), blocks: BTreeMap::new() },
            cases: 0,
            cycles: 0,
            fabrics: BTreeMap::new(),
            instructions: 0,
            kinds: Vec::new(),
            replaced: Vec::new(),
            moved: Moved::default(),
            coverage: Coverage::default(),
            failures: BTreeMap::new(),
        }
    }

    /// Adds a case, unless it was added before, and tells what it is the first to show.
    pub fn add(&mut self, record: &Record) -> Option<New> {
        if !self.finished.insert(record.case) {
            return None;
        }
        self.cases += 1;
        self.cycles += record.cycles;
        if let Some(fabric) = record.fabric {
            let [cases, cycles] = self.fabrics.entry(fabric).or_default();
            (*cases, *cycles) = (*cases + 1, *cycles + record.cycles);
        }
        self.instructions += record.instructions;
        add_all(&mut self.kinds, &record.kinds);
        add_all(&mut self.replaced, &record.replaced);
        if let Some([transfers, results, write_backs]) = record.moved {
            self.moved.add(&Moved { cases: 1, transfers, results, write_backs });
        }
        self.coverage.add(&record.bins);
        let (signature, cycle) = record.failure.as_ref()?;
        let first = (record.case, *cycle);
        let variants = self.failures.entry(signature::failure(signature)).or_default();
        let new = if variants.is_empty() { New::Failure } else { New::Variant };
        let seen = variants.entry(signature.clone()).or_insert(Seen { count: 0, first });
        seen.count += 1;
        seen.first = seen.first.min(first);
        (seen.count == 1).then_some(new)
    }

    /// True if a case was added.
    pub fn has(&self, case: u64) -> bool {
        self.finished.has(case)
    }

    /// Number of the cases.
    pub fn cases(&self) -> u64 {
        self.cases
    }

    /// Hits of all bins.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }
}

/// Adds numbers to those of the same place.
fn add_all(sums: &mut Vec<u64>, numbers: &[u64]) {
    sums.resize(sums.len().max(numbers.len()), 0);
    sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
}

/// Numbers of cases, a bit each.
#[derive(Clone, Debug)]
struct Finished {
    shards: u64,
    /// By shard and place in it: 64 cases of the shard.
    blocks: BTreeMap<(u64, u64), u64>,
}

impl Finished {
    fn place(&self, case: u64) -> ((u64, u64), u64) {
        let (shard, place) = (case % self.shards, case / self.shards);
        ((shard, place / 64), 1 << (place % 64))
    }

    /// False if it was there.
    fn insert(&mut self, case: u64) -> bool {
        let (block, bit) = self.place(case);
        let bits = self.blocks.entry(block).or_default();
        let new = *bits & bit == 0;
        *bits |= bit;
        new
    }

    fn has(&self, case: u64) -> bool {
        let (block, bit) = self.place(case);
        self.blocks.get(&block).is_some_and(|bits| bits & bit != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(case: u64, failure: Option<(&str, u64)>) -> Record {
        Record {
            case,
            fabric: (case > 1).then(Geometry::default),
            cycles: 10 + case,
            instructions: 1,
            kinds: vec![1, case],
            replaced: vec![2],
            moved: (case == 1).then_some([[3, 2], [1, 1], [0, 0]]),
            bins: vec![5],
            failure: failure.map(|(signature, cycle)| (signature.to_owned(), cycle)),
        }
    }

    fn of<'r>(records: impl IntoIterator<Item = &'r Record>) -> Tally {
        let mut tally = Tally::new(1);
        for record in records {
            tally.add(record);
        }
        tally
    }

    #[test]
    fn the_order_does_not_matter() {
        let records = [
            record(0, None),
            record(1, Some(("a", 7))),
            record(2, Some(("b", 1))),
            record(3, Some(("a", 2))),
        ];
        let forward = of(&records);
        let backward = of(records.iter().rev());
        for tally in [&forward, &backward] {
            assert_eq!((tally.cases, tally.cycles, tally.instructions), (4, 46, 4));
            assert_eq!(tally.fabrics, [(Geometry::default(), [2, 25])].into());
            assert_eq!((&tally.kinds, &tally.replaced), (&vec![4, 6], &vec![8]));
            assert_eq!((tally.moved.cases, tally.moved.transfers), (1, [3, 2]));
            let seen = |signature| tally.failures[signature][signature];
            assert_eq!(seen("a"), Seen { count: 2, first: (1, 7) });
            assert_eq!(seen("b"), Seen { count: 1, first: (2, 1) });
        }
    }

    #[test]
    fn a_case_counts_once() {
        let mut tally = Tally::new(3);
        let new = [5, 5, 8].map(|case| tally.add(&record(case, Some(("a", 1)))));
        assert_eq!(new, [Some(New::Failure), None, None]);
        assert_eq!((tally.cases, tally.failures["a"]["a"].count), (2, 2));
        let here: Vec<u64> = (0..300).filter(|case| tally.has(*case)).collect();
        assert_eq!(here, [5, 8]);
    }

    /// Variants of a failure are one failure, in whatever order they come.
    #[test]
    fn variants_are_one_failure() {
        let records = [
            record(4, Some(("cell.agu_addr REFI", 7))),
            record(5, Some(("cell.rf.agu.p_l1_step none", 2))),
            record(6, Some(("cell.agu_addr REFI", 1))),
        ];
        let mut tally = Tally::new(1);
        let new: Vec<_> = records.iter().rev().map(|record| tally.add(record)).collect();
        assert_eq!(new, [Some(New::Failure), Some(New::Variant), None]);
        let variants = &tally.failures["cell AGU"];
        assert_eq!((tally.failures.len(), variants.len()), (1, 2));
        assert_eq!(variants["cell.agu_addr REFI"], Seen { count: 2, first: (4, 7) });
    }

    /// A million cases of a shard take some ten thousand blocks, and a number from a damaged file takes one.
    #[test]
    fn numbers_take_a_bit_each() {
        let mut finished = Finished { shards: 7, blocks: BTreeMap::new() };
        assert!((0..1_000_000).all(|k| finished.insert(7 * k + 3)));
        assert_eq!(finished.blocks.len(), 1_000_000 / 64);
        assert!(finished.insert(u64::MAX) && !finished.insert(u64::MAX));
        assert_eq!(finished.blocks.len(), 1_000_000 / 64 + 1);
    }
}
