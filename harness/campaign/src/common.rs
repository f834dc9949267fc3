// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds what the failing cases of a failure have in common. These are situations that occurred in at least half of the
//! failing cases before their first difference, and in a smaller share of agreeing cases. A situation is a value of one
//! coverpoint of a covergroup, or a pair of values of two of its coverpoints.
//!
//! The first failing cases of each failure and the first agreeing cases run on the golden model again. The result
//! depends only on the finished cases, costs nothing in a campaign without failures, and is also available in merged
//! campaigns.

use std::collections::{BTreeSet, HashMap, HashSet};

use drra_coverage::{Collector, Coverpoint, groups};
use drra_report::data::CommonSituation;
use drra_results::summary::Failure;

use crate::{CampaignCases, journal::JournalHeader, sums::FailureCount, tally::Tally};

/// Maximum number of failing cases examined for a failure.
const MAX_FAILING: usize = 64;
/// Maximum number of agreeing cases examined.
const MAX_AGREEING: usize = 512;
/// Minimum number of failing cases, and of agreeing cases; fewer cases can have something in common by chance.
const MIN_CASES: usize = 3;
/// Maximum number of situations per covergroup that are extended to sets of values.
const MAX_CANDIDATES: usize = 8;
/// Maximum number of statements per failure.
const MAX_STATEMENTS: usize = 3;

/// A set of examined cases, one bit for each case: first the failing cases, then the agreeing cases.
type CaseSet = [u64; (MAX_FAILING + MAX_AGREEING) / 64];

/// A situation: a covergroup, and values of one or two of its coverpoints; if there is only one coverpoint, the second
/// entry equals the first.
type SituationKey = (usize, [(usize, usize); 2]);

/// Adds to each failure of a campaign the situations that its cases have in common.
pub(crate) fn add(failures: &mut [Failure], tally: &Tally, header: &JournalHeader) {
    if failures.iter().all(|failure| failure.count < MIN_CASES as u64) {
        return;
    }
    let cases = CampaignCases::new(header.profile.clone(), header.seed);
    let agreeing = tally.first_agreeing(MAX_AGREEING);
    let mut collector = Collector::new();
    let mut met = |number: u64, cycle: Option<u64>| {
        collector.run(&cases.case(number), cycle);
        situations(collector.bins())
    };
    let mut all: HashMap<SituationKey, CaseSet> = HashMap::new();
    for (place, number) in agreeing.iter().enumerate() {
        met(*number, None)
            .iter()
            .for_each(|s| insert(all.entry(*s).or_default(), MAX_FAILING + place));
    }
    for failure in failures {
        let Some(variants) = tally.variants(&failure.signature) else { continue };
        let failing: BTreeSet<(u64, u64)> =
            variants.values().flat_map(FailureCount::cases).collect();
        let mut sets = HashMap::new();
        let count = failing.len().min(MAX_FAILING);
        if count < MIN_CASES || agreeing.len() < MIN_CASES {
            continue;
        }
        for (place, (number, cycle)) in failing.into_iter().take(MAX_FAILING).enumerate() {
            for situation in met(number, Some(cycle)) {
                let known = || all.get(&situation).copied().unwrap_or_default();
                insert(sets.entry(situation).or_insert_with(known), place);
            }
        }
        failure.common = statements(&sets, [count, agreeing.len()]);
    }
}

/// The situations of some bins.
fn situations(bins: impl Iterator<Item = u32>) -> HashSet<SituationKey> {
    let mut all = HashSet::new();
    for bin in bins {
        let place = groups().partition_point(|group| group.first <= bin as usize) - 1;
        let values = groups()[place].index(bin as usize - groups()[place].first);
        for (k, first) in values.iter().enumerate() {
            let seconds = values.iter().enumerate().skip(k);
            all.extend(seconds.map(|(l, second)| (place, [(k, *first), (l, *second)])));
        }
    }
    all
}

fn insert(set: &mut CaseSet, place: usize) {
    set[place / 64] |= 1 << (place % 64);
}

/// The numbers of failing and agreeing cases in a set.
fn counts(set: &CaseSet) -> [usize; 2] {
    let count = |words: &[u64]| words.iter().map(|word| word.count_ones() as usize).sum();
    let (failing, agreeing) = set.split_at(MAX_FAILING / 64);
    [count(failing), count(agreeing)]
}

/// A measure of how well a set separates failing from agreeing cases: the information, in bits per case, that
/// membership in the set provides about failing if both kinds of case are equally frequent. Negative if failing cases
/// are in the set less often than agreeing ones.
fn score(set: &CaseSet, of: [usize; 2]) -> f64 {
    let [failing, agreeing] = counts(set);
    // Half a case is added inside and outside the set, because a few cases prove little.
    let [p, q] = [(failing, of[0]), (agreeing, of[1])]
        .map(|(count, of)| (count as f64 + 0.5) / (of as f64 + 1.0));
    let entropy = |p: f64| -p * p.log2() - (1.0 - p) * (1.0 - p).log2();
    let information = entropy((p + q) / 2.0) - (entropy(p) + entropy(q)) / 2.0;
    if p > q { information } else { -information }
}

/// Describes the situations, extended to sets of values, that best separate failing from agreeing cases.
fn statements(sets: &HashMap<SituationKey, CaseSet>, of: [usize; 2]) -> Vec<CommonSituation> {
    let mut best: Vec<(f64, SituationKey)> =
        sets.iter().map(|(situation, set)| (score(set, of), *situation)).collect();
    // Of equally good situations, the simplest comes first: those with one coverpoint before those with two and, if the
    // number of coverpoints is the same, those of groups with fewer bins.
    let cost = |(group, [first, second]): &SituationKey| {
        (first != second, groups()[*group].bins().len(), *group, *first, *second)
    };
    best.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| cost(one).cmp(&cost(other))));
    // Only the best statement of each group is kept, because other statements of the same group contain nearly the same
    // information.
    let mut found: Vec<(f64, CoverpointSituation)> = Vec::new();
    let mut tried = vec![0; groups().len()];
    for (_, situation) in best {
        tried[situation.0] += 1;
        if tried[situation.0] > MAX_CANDIDATES {
            continue;
        }
        for statement in CoverpointSituation::widest(situation, sets, of) {
            let score = score(&statement.set, of);
            match found.iter_mut().find(|(_, known)| known.group == statement.group) {
                None => found.push((score, statement)),
                Some(known) if score > known.0 => *known = (score, statement),
                Some(_) => {}
            }
        }
    }
    found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    found.dedup_by(|(_, one), (_, other)| one.set == other.set);
    // A situation that occurred in fewer than half of the failing cases is not considered common.
    let common = |(score, statement): &(f64, CoverpointSituation)| {
        *score > 0.0 && 2 * counts(&statement.set)[0] >= of[0]
    };
    let told = found.into_iter().filter(common).take(MAX_STATEMENTS);
    let number = |count: usize| count as u64;
    told.map(|(_, statement)| {
        let [failing, agreeing] = counts(&statement.set);
        CommonSituation {
            what: statement.text(),
            failing: [failing, of[0]].map(number),
            agreeing: [agreeing, of[1]].map(number),
        }
    })
    .collect()
}

/// The cases in which one of several values of a coverpoint occurred, possibly together with a value of another
/// coverpoint.
struct CoverpointSituation {
    group: usize,
    fixed: Option<(usize, usize)>,
    point: usize,
    values: BTreeSet<usize>,
    set: CaseSet,
}

impl CoverpointSituation {
    /// For each coverpoint of a situation, a statement with a set of its values. A value is added only if it improves
    /// the separation and adds at least two failing cases, and at least a twentieth of all failing cases.
    fn widest(
        (group, [first, second]): SituationKey,
        sets: &HashMap<SituationKey, CaseSet>,
        of: [usize; 2],
    ) -> Vec<Self> {
        let single = [(None, first)];
        let pair = [(Some(first), second), (Some(second), first)];
        let ways: &[_] = if first == second { &single } else { &pair };
        let wide = |(fixed, (point, value)): &(Option<(usize, usize)>, (usize, usize))| {
            let set = |value: usize| {
                let own = (*point, value);
                let mut both = [fixed.unwrap_or(own), own];
                both.sort_unstable();
                sets.get(&(group, both)).copied()
            };
            let mut statement = Self {
                group,
                fixed: *fixed,
                point: *point,
                values: [*value].into(),
                set: set(*value).unwrap_or_default(),
            };
            loop {
                let others = 0..groups()[group].coverpoints()[*point].values.len();
                let joined = others.filter(|value| !statement.values.contains(value));
                let joined = joined.filter_map(|value| {
                    let other = set(value)?;
                    let set: CaseSet = std::array::from_fn(|k| statement.set[k] | other[k]);
                    Some((score(&set, of), value, set))
                });
                let best = joined.max_by(|(a, ..), (b, ..)| a.total_cmp(b));
                let is_better = |(better, _, set): &(f64, usize, CaseSet)| {
                    let more = counts(set)[0] - counts(&statement.set)[0];
                    *better > score(&statement.set, of) && more >= 2 && more * 20 >= of[0]
                };
                let Some((_, value, set)) = best.filter(is_better) else { break statement };
                statement.values.insert(value);
                statement.set = set;
            }
        };
        ways.iter().map(wide).collect()
    }

    /// The statement as text: `DPU configuration: mode = mac_inter, width = int8 or int4`.
    fn text(&self) -> String {
        let points = groups()[self.group].coverpoints();
        let named = |point: &Coverpoint, values: &[&str]| {
            // The words that a value needs only in the name of a bin are removed, as in `then HALT` and `mode 6`.
            let bare = |value: &&str| {
                let prefixes = ["then ", &format!("{} ", point.name)];
                prefixes
                    .iter()
                    .fold(*value, |v, prefix| v.strip_prefix(prefix).unwrap_or(v))
                    .to_owned()
            };
            let values = values.iter().map(bare).collect::<Vec<_>>().join(" or ");
            if points.len() == 1 { values } else { format!("{} = {values}", point.name) }
        };
        let point = &points[self.point];
        let values: Vec<&str> = self.values.iter().map(|v| point.values[*v].as_str()).collect();
        let mut parts = vec![(self.point, named(point, &values))];
        if let Some((point, value)) = self.fixed {
            parts.push((point, named(&points[point], &[&points[point].values[value]])));
        }
        parts.sort_unstable();
        let parts: Vec<String> = parts.into_iter().map(|(_, text)| text).collect();
        format!("{}: {}", groups()[self.group].name, parts.join(", "))
    }
}
