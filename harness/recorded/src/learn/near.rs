// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers that no signal shows in all cycles: the signals that do most of the time, where they first do not, and
//! whether a state of the golden model tells when they do.
//!
//! A condition is proposed only if nothing disagrees while it holds, enough different changes agree while it holds,
//! and the disagreements that it explains are not one accident. It is a condition on the golden model, so that a
//! fault of the design cannot switch off the comparison.

use std::collections::{BTreeMap, HashMap, HashSet};

use drra_case::Case;
use drra_golden::Fabric;
use drra_isa::{
    Geometry,
    fabric::{Location, RegisterId},
};
use drra_lockstep::GoldenRun;

use super::{
    index::{Field, Shows, Way},
    memory::Timeline,
    paths::{HOLE, PathForm, Paths},
    patterns::{Outcome, Pattern},
    prints::Registers,
    report::SURE,
    solve::Solution,
    track::mix,
    write::register_path,
};
use crate::{
    dump::{DumpError, Shown},
    map::Golden,
};

/// Signals that are tried for a pattern.
const TRIED: usize = 3;
/// Widest register that can be a condition.
const CONDITION_BITS: u32 = 2;
/// Least share of cycles with the same value, in percent.
const LEAST_SHARE: u64 = 60;
/// Separate times of disagreement from which on a condition explains more than an accident.
const EPISODES: u64 = 3;

/// A register that a signal shows most of the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearMiss {
    /// The form of the path.
    pub path: String,
    /// Of how many cycles in percent, over all registers of the pattern that change.
    pub percent: u64,
    /// The register, the recording counted from 0 and the cycle where it first does not.
    pub first: (String, usize, u64),
}

/// How often a signal agrees while a register of the golden model has a value.
#[derive(Default)]
struct Count {
    agrees: u64,
    disagrees: u64,
    /// Different changes that agree, without those at which the condition changes, too.
    changes: HashSet<u64>,
}

/// A signal for a pattern.
struct Candidate {
    pattern: usize,
    /// Registers that change, with their signals.
    pairs: Vec<(Location, usize)>,
    solution: Solution,
    /// Registers of the block that can be a condition.
    conditions: Vec<RegisterId>,
    counts: BTreeMap<(RegisterId, u64), Count>,
    all: Count,
    /// Times at which it begins to disagree.
    episodes: u64,
    disagreed: Vec<bool>,
    last: Vec<Vec<u64>>,
    /// By register and condition: its value in the cycle before.
    last_conditions: Vec<Vec<Option<u64>>>,
    first: Option<(Location, usize, u64)>,
}

/// Finds what is near for all patterns without a signal; the drafts of conditions become outcomes.
pub(super) fn learn(
    patterns: &[Pattern],
    outcomes: &mut [Outcome],
    registers: &Registers,
    (paths, timeline): (&Paths, &Timeline<'_>),
    (cases, geometry): (&[Case], &Geometry),
) -> Result<BTreeMap<usize, NearMiss>, DumpError> {
    let conditions = conditions(geometry);
    let mut candidates = candidates(patterns, outcomes, registers, (paths, timeline), &conditions);
    let mut wanted: Vec<usize> =
        candidates.iter().flat_map(|c| &c.pairs).map(|(_, signal)| *signal).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut near = BTreeMap::new();
    if wanted.is_empty() {
        return Ok(near);
    }
    let (mut number, mut left) = (0, 0);
    let mut run: Option<GoldenRun<'_>> = None;
    timeline.play(&wanted, &mut |_, _, now| {
        if left == 0 {
            left = timeline.cycles[number].1;
            run = Some(GoldenRun::new(&cases[number]));
        }
        let Some(run) = &mut run else { return };
        run.fabric.pack();
        for candidate in &mut candidates {
            candidate.look(&run.fabric, now, (number, run.cycle));
        }
        run.step();
        left -= 1;
        number += usize::from(left == 0);
    })?;
    let share = |c: &Candidate| 100 * c.all.agrees / (c.all.agrees + c.all.disagrees).max(1);
    candidates.sort_by_key(|c| (c.pattern, 100 - share(c)));
    candidates.dedup_by_key(|c| c.pattern);
    for candidate in candidates.iter().filter(|c| share(c) >= LEAST_SHARE) {
        let solution = candidate.solution.clone();
        let mut conditions = candidate.conditions().into_iter();
        match (conditions.next(), candidate.first) {
            (Some(condition), _) => {
                let others = conditions.collect();
                outcomes[candidate.pattern] =
                    Outcome::Conditional { best: solution, condition, others };
            }
            (None, Some((location, recording, cycle))) => {
                let (percent, first) = (share(candidate), (location.to_string(), recording, cycle));
                near.insert(candidate.pattern, NearMiss { path: solution.form, percent, first });
            }
            (None, None) => {}
        }
    }
    Ok(near)
}

/// By block: the registers of few values that are there once.
fn conditions(geometry: &Geometry) -> HashMap<String, Vec<RegisterId>> {
    let mut conditions: HashMap<String, Vec<RegisterId>> = HashMap::new();
    for id in RegisterId::ALL.iter().copied().filter(|id| id.key_kind().is_none()) {
        let width = id.all(geometry).next().map_or(u32::MAX, |register| register.width(geometry));
        if width <= CONDITION_BITS {
            conditions.entry(block(id)).or_default().push(id);
        }
    }
    conditions
}

/// The unit and the block of a register.
fn block(id: RegisterId) -> String {
    let path = &id.info().path;
    format!("{} {}", id.info().unit.name(), path.rsplit_once('.').map_or("", |(block, _)| block))
}

/// Signals of the width of a register in the scope that shows most registers of its block.
fn candidates(
    patterns: &[Pattern],
    outcomes: &[Outcome],
    registers: &Registers,
    (paths, timeline): (&Paths, &Timeline<'_>),
    conditions: &HashMap<String, Vec<RegisterId>>,
) -> Vec<Candidate> {
    let scopes = scopes(outcomes, paths);
    let mut found = Vec::new();
    for (n, pattern) in patterns.iter().enumerate() {
        let scalar = pattern.id.key_kind().is_none();
        let Outcome::Missing(_) = &outcomes[n] else { continue };
        let Some(shown) = scope_of(pattern, patterns, outcomes).filter(|_| scalar) else {
            continue;
        };
        let own = |id: &RegisterId| *id == pattern.id;
        let of_block = conditions.get(&block(pattern.id)).into_iter().flatten().copied();
        let of_block: Vec<RegisterId> = of_block.filter(|id| !own(id)).collect();
        let form = PathForm::scope(&shown.form);
        let holes = form.chars().filter(|c| *c == HOLE).count();
        let beside = |i: usize| -> &[usize] {
            let indices = &pattern.instances[i].indices;
            let numbers: Option<Vec<i64>> =
                shown.sums[..holes].iter().map(|s| s.value(indices)).collect();
            let signals = numbers.and_then(|numbers| scopes.get(&(form, numbers)));
            signals.map_or(&[], Vec::as_slice)
        };
        let changing: Vec<usize> = (0..pattern.instances.len())
            .filter(|i| registers.tracks[pattern.instances[*i].register].changes > 0)
            .collect();
        let Some(first) = changing.first() else { continue };
        let width = pattern.width(registers);
        let leaf = |signal: usize| PathForm::leaf(&paths.forms[signal].form);
        let mut names: Vec<&str> = beside(*first)
            .iter()
            .filter(|signal| timeline.common.width(**signal) == width)
            .map(|signal| leaf(*signal))
            .collect();
        let likeness = |name: &str| strsim::jaro_winkler(pattern.name(), name);
        names.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)).then_with(|| a.cmp(b)));
        for name in names.into_iter().take(TRIED) {
            let signal = |i: usize| beside(i).iter().copied().find(|s| leaf(*s) == name);
            let shows: Vec<Option<Shows>> = (0..pattern.instances.len())
                .map(|i| signal(i).map(|signal| Shows { way: Way::Same, signal, lsb: 0 }))
                .collect();
            let pairs: Option<Vec<(Location, usize)>> =
                changing.iter().map(|i| Some((pattern.locations[*i], shows[*i]?.signal))).collect();
            let Some(pairs) = pairs else { continue };
            let solution = Solution {
                way: Way::Same,
                field: Field { lsb: 0, width },
                form: format!("{form}.{name}"),
                sums: shown.sums[..holes].to_vec(),
                shows,
                changing: changing.len(),
                agreed: 0,
                against: 0,
                exceptions: Vec::new(),
            };
            found.push(Candidate {
                pattern: n,
                disagreed: vec![false; pairs.len()],
                last: vec![Vec::new(); pairs.len()],
                last_conditions: vec![vec![None; of_block.len()]; pairs.len()],
                pairs,
                solution,
                conditions: of_block.clone(),
                counts: BTreeMap::new(),
                all: Count::default(),
                episodes: 0,
                first: None,
            });
        }
    }
    found
}

/// The signals that show nothing else, by the form of their scope and its numbers.
fn scopes<'p>(outcomes: &[Outcome], paths: &'p Paths) -> HashMap<(&'p str, Vec<i64>), Vec<usize>> {
    let shows = |outcome: &Outcome| match outcome {
        Outcome::Signal { best, .. } => best.shows.clone(),
        _ => Vec::new(),
    };
    let used: HashSet<usize> =
        outcomes.iter().flat_map(shows).flatten().map(|shows| shows.signal).collect();
    let mut scopes: HashMap<(&str, Vec<i64>), Vec<usize>> = HashMap::new();
    for (n, path) in paths.forms.iter().enumerate().filter(|(n, _)| !used.contains(n)) {
        let scope = PathForm::scope(&path.form);
        let holes = scope.chars().filter(|c| *c == HOLE).count();
        if path.numbers.len() == holes {
            scopes.entry((scope, path.numbers.clone())).or_default().push(n);
        }
    }
    scopes
}

/// A solution in the scope that shows most patterns of the block of a pattern.
fn scope_of<'a>(
    pattern: &Pattern,
    patterns: &[Pattern],
    outcomes: &'a [Outcome],
) -> Option<&'a Solution> {
    let mut scopes: BTreeMap<String, (usize, &Solution)> = BTreeMap::new();
    for (other, outcome) in patterns.iter().zip(outcomes) {
        if let Outcome::Signal { best, .. } = outcome
            && block(other.id) == block(pattern.id)
            && other.id.key_kind().is_none()
        {
            scopes.entry(best.scope()).or_insert((0, best)).0 += 1;
        }
    }
    scopes.into_values().max_by_key(|(count, _)| *count).map(|(_, best)| best)
}

impl Candidate {
    /// Compares one cycle of a recording.
    fn look(&mut self, golden: &Fabric, now: &HashMap<usize, Shown>, moment: (usize, u64)) {
        for (i, (location, signal)) in self.pairs.iter().enumerate() {
            let Some(value) = golden.value(*location) else { continue };
            let agrees = match now.get(signal) {
                Some(Shown::Bits(bits)) => bits.is_known() && bits.words() == value,
                _ => false,
            };
            let changed = self.last[i] != value && !self.last[i].is_empty();
            let hash = || value.iter().fold(mix(moment.0 as u64, moment.1), |m, w| mix(m, *w));
            let change = changed.then(hash);
            if !agrees {
                self.episodes += u64::from(!self.disagreed[i]);
                self.first.get_or_insert((*location, moment.0, moment.1));
            }
            self.disagreed[i] = !agrees;
            self.all.add(agrees, change);
            for (n, condition) in self.conditions.iter().enumerate() {
                let register = condition.all(golden.geometry()).next();
                let place = register.and_then(|r| Location::new(location.unit, r));
                let Some(words) = place.and_then(|place| golden.value(place)) else { continue };
                let word = words.first().copied().unwrap_or(0);
                let before = self.last_conditions[i][n].replace(word);
                let steady = change.filter(|_| before == Some(word));
                self.counts.entry((*condition, word)).or_default().add(agrees, steady);
            }
            self.last[i] = value;
        }
    }

    /// The conditions that explain all disagreements: those on a state before those on a flag, then those with more
    /// agreements.
    fn conditions(&self) -> Vec<Golden> {
        if self.episodes < EPISODES || self.all.disagrees == 0 {
            return Vec::new();
        }
        let mut found: Vec<(bool, u64, Golden)> = Vec::new();
        for ((id, value), own) in &self.counts {
            let of_register = || self.counts.iter().filter(|((i, _), _)| i == id);
            let others: Vec<&Count> =
                of_register().filter(|((_, v), _)| v != value).map(|(_, count)| count).collect();
            let is_state = of_register().count() > 2;
            for (counts, equals) in [(others, false), (vec![own], true)] {
                let changes: HashSet<u64> =
                    counts.iter().flat_map(|c| &c.changes).copied().collect();
                let agrees = counts.iter().map(|c| c.agrees).sum::<u64>();
                let silent = counts.iter().all(|c| c.disagrees == 0);
                // Of a flag one value is not the other one.
                let twice = equals && !is_state;
                if silent && changes.len() >= SURE && !twice {
                    let register = register_path(*id, None);
                    let condition = Golden { register, span: 0..0, equals, value: *value };
                    found.push((is_state, agrees, condition));
                }
            }
        }
        found.sort_by_key(|(is_state, agrees, _)| (!is_state, u64::MAX - agrees));
        found.into_iter().map(|(.., entry)| entry).collect()
    }
}

impl Count {
    fn add(&mut self, agrees: bool, change: Option<u64>) {
        if agrees {
            self.agrees += 1;
            self.changes.extend(change);
        } else {
            self.disagrees += 1;
        }
    }
}
