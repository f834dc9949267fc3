// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds one path form for all instances of a register, from the fingerprints of signals and of their bits.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
};

use super::{
    fingerprint::{Fingerprint, later, plus, times},
    number::{Indices, PathNumber, numbers},
    paths::{Paths, WILDCARD, split},
};

/// For each instance, the signals of one form that may show it: the numbers in the path of each, followed by its lowest
/// bit.
type FormCandidates = BTreeMap<usize, Vec<Vec<i64>>>;

/// Maximum number of signals considered per fingerprint.
const MAX_SIGNALS: usize = 400;
/// Maximum number of forms tried for a register.
const MAX_FORMS: usize = 40;
/// Maximum number of formulas tried for a number, and of their combinations tried for a form.
const MAX_FORMULAS: usize = 5;
const MAX_COMBINATIONS: usize = 64;
/// Maximum number of equally good combinations kept.
const MAX_TIED: usize = 6;

/// The way in which a signal shows a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Unchanged.
    Same,
    /// As some of the bits of the signal.
    Part,
    /// With every bit inverted.
    Inverted,
    /// One cycle late.
    Late,
    /// One cycle early.
    Early,
    /// With other codes for the same values.
    Coded,
}

impl Encoding {
    pub(super) const ALL: [Self; 6] =
        [Self::Same, Self::Part, Self::Inverted, Self::Late, Self::Early, Self::Coded];

    /// Number of cycles by which the signal is later than the register.
    pub(super) fn offset(self) -> i64 {
        match self {
            Self::Late => 1,
            Self::Early => -1,
            Self::Same | Self::Part | Self::Inverted | Self::Coded => 0,
        }
    }
}

/// Bits of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct RegisterField {
    pub(super) lsb: usize,
    pub(super) width: usize,
}

/// A signal, and the lowest of its bits that show a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FieldSource {
    pub(super) signal: usize,
    pub(super) lsb: usize,
}

/// An instance of a register: its indices, and its fingerprint.
pub(super) struct RegisterInstance<'a> {
    pub(super) indices: Indices,
    pub(super) fingerprint: &'a Fingerprint,
}

/// A path form that shows a field of all instances of a register.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    pub(super) encoding: Encoding,
    pub(super) field: RegisterField,
    pub(super) form: String,
    /// The numbers for the wildcards of the form, and for the lowest bit.
    pub(super) numbers: Vec<PathNumber>,
    /// For each instance, the signal that shows it, if there is one.
    pub(super) shows: Vec<Option<FieldSource>>,
}

impl Solution {
    /// The path form without its last level, with the numbers for its wildcards.
    pub(super) fn scope(&self) -> String {
        let scope = split(&self.form).0;
        let wildcards = scope.chars().filter(|c| *c == WILDCARD).count();
        self.numbers[..wildcards].iter().fold(scope.to_owned(), |text, number| {
            let number = number.text(0, &mut |rows| format!("{rows:?}"));
            text.replacen(WILDCARD, &format!("{{{number}}}"), 1)
        })
    }
}

/// Signals by their fingerprints.
pub(super) struct Solver<'a> {
    fingerprints: &'a [Fingerprint],
    paths: &'a Paths,
    /// The contribution of a bit that is initially 1 in all runs.
    pub(super) total: u64,
    /// Bits by their changes.
    bits: HashMap<u64, Vec<FieldSource>>,
    shapes: HashMap<u64, Vec<FieldSource>>,
    /// Fingerprint factors by the offset of an encoding, starting with offset -1.
    factors: [u64; 3],
}

impl<'a> Solver<'a> {
    pub(super) fn new(fingerprints: &'a [Fingerprint], paths: &'a Paths, total: u64) -> Self {
        let mut bits: HashMap<u64, Vec<FieldSource>> = HashMap::new();
        let mut shapes: HashMap<u64, Vec<FieldSource>> = HashMap::new();
        for (signal, fingerprint) in fingerprints.iter().enumerate() {
            for (lsb, bit) in
                fingerprint.bits.iter().enumerate().filter(|(_, bit)| bit.toggles != 0)
            {
                bits.entry(bit.toggles).or_default().push(FieldSource { signal, lsb });
            }
            if let Some(shape) = fingerprint.shape() {
                shapes.entry(shape).or_default().push(FieldSource { signal, lsb: 0 });
            }
        }
        Self { fingerprints, paths, total, bits, shapes, factors: [-1, 0, 1].map(later) }
    }

    /// True if a signal shows a field in a given encoding.
    fn agrees(
        &self,
        register: &Fingerprint,
        field: RegisterField,
        encoding: Encoding,
        shows: FieldSource,
    ) -> bool {
        let signal = &self.fingerprints[shows.signal];
        if encoding == Encoding::Coded {
            return match register.shape() {
                None => register.changes + signal.changes == 0,
                shape => signal.shape() == shape,
            };
        }
        let seen = signal.bits.get(shows.lsb..shows.lsb + field.width);
        let Some(seen) =
            seen.filter(|s| (s.len() == signal.bits.len()) == (encoding != Encoding::Part))
        else {
            return false;
        };
        let factor = self.factors[(encoding.offset() + 1) as usize];
        seen.iter().zip(&register.bits[field.lsb..]).all(|(seen, wanted)| {
            seen.toggles == times(wanted.toggles, factor)
                && match encoding {
                    Encoding::Inverted => plus(seen.ones, wanted.ones) == self.total,
                    Encoding::Late | Encoding::Early => true,
                    Encoding::Same | Encoding::Part | Encoding::Coded => seen.ones == wanted.ones,
                }
        })
    }

    /// The signals that show a field of a changing register in a given encoding.
    fn candidates(
        &self,
        register: &Fingerprint,
        field: RegisterField,
        encoding: Encoding,
    ) -> Vec<FieldSource> {
        let bits = &register.bits[field.lsb..field.lsb + field.width];
        let Some(bit) = bits.iter().position(|bit| bit.toggles != 0) else { return Vec::new() };
        let list = match encoding {
            Encoding::Coded => register.shape().and_then(|shape| self.shapes.get(&shape)),
            _ => {
                let factor = self.factors[(encoding.offset() + 1) as usize];
                self.bits.get(&times(bits[bit].toggles, factor))
            }
        };
        let bit = if encoding == Encoding::Coded { 0 } else { bit };
        let from = |shows: &FieldSource| {
            let shows = FieldSource { lsb: shows.lsb.checked_sub(bit)?, ..*shows };
            self.agrees(register, field, encoding, shows).then_some(shows)
        };
        list.into_iter().flatten().filter_map(from).take(MAX_SIGNALS).collect()
    }

    /// The fields of a register that whole signals show.
    pub(super) fn fields(&self, register: &Fingerprint) -> HashSet<RegisterField> {
        let mut fields = HashSet::new();
        for (bit, fingerprint) in register.bits.iter().enumerate().filter(|(_, b)| b.toggles != 0) {
            for shows in self.bits.get(&fingerprint.toggles).into_iter().flatten().take(MAX_SIGNALS)
            {
                let Some(lsb) = bit.checked_sub(shows.lsb) else { continue };
                let field =
                    RegisterField { lsb, width: self.fingerprints[shows.signal].bits.len() };
                let inside = lsb + field.width <= register.bits.len();
                let whole = FieldSource { lsb: 0, ..*shows };
                if inside && self.agrees(register, field, Encoding::Same, whole) {
                    fields.insert(field);
                }
            }
        }
        fields
    }

    /// Forms that show a field of all instances of a register. `partial` receives the number of instances for which
    /// each form has a candidate.
    pub(super) fn solve(
        &self,
        instances: &[RegisterInstance<'_>],
        field: RegisterField,
        encoding: Encoding,
        partial: &mut BTreeMap<String, usize>,
    ) -> Vec<Solution> {
        let indices: Vec<&Indices> = instances.iter().map(|i| &i.indices).collect();
        let candidates =
            instances.iter().map(|i| self.candidates(i.fingerprint, field, encoding)).collect();
        let changing = instances.iter().filter(|instance| changes(instance, field)).count();
        let fits = |i: usize, shows: Option<FieldSource>| match shows {
            Some(shows) => self.agrees(instances[i].fingerprint, field, encoding, shows),
            None => !changes(&instances[i], field),
        };
        self.forms((field, encoding), &indices, candidates, changing, &fits, partial)
    }

    /// Forms that fit all instances and have candidate signals for exactly `changing` of them.
    pub(super) fn forms(
        &self,
        of: (RegisterField, Encoding),
        indices: &[&Indices],
        candidates: Vec<Vec<FieldSource>>,
        changing: usize,
        fits: &dyn Fn(usize, Option<FieldSource>) -> bool,
        partial: &mut BTreeMap<String, usize>,
    ) -> Vec<Solution> {
        let mut by_form: BTreeMap<(usize, &str), FormCandidates> = BTreeMap::new();
        for (i, candidates) in candidates.into_iter().enumerate() {
            for shows in candidates {
                let path = &self.paths.forms[shows.signal];
                let numbers = path.numbers.iter().copied().chain([shows.lsb as i64]).collect();
                let of_form = by_form.entry((path.form.len(), &path.form)).or_default();
                of_form.entry(i).or_default().push(numbers);
            }
        }
        for ((_, form), members) in &by_form {
            let count = partial.entry((*form).to_owned()).or_default();
            *count = members.len().max(*count);
        }
        by_form.retain(|_, members| members.len() == changing);
        let forms = by_form.into_iter().take(MAX_FORMS);
        forms
            .flat_map(|((_, form), members)| self.of_form(of, indices, form, &members, fits))
            .collect()
    }

    /// The best numbers for the wildcards of a form: at most [`MAX_TIED`] equally good ones, the most plausible first.
    fn of_form(
        &self,
        (field, encoding): (RegisterField, Encoding),
        all: &[&Indices],
        form: &str,
        members: &FormCandidates,
        fits: &dyn Fn(usize, Option<FieldSource>) -> bool,
    ) -> Vec<Solution> {
        let wildcards = members.values().next().map_or(0, |numbers| numbers[0].len());
        let mut combinations: Vec<Vec<PathNumber>> = vec![Vec::new()];
        for wildcard in 0..wildcards {
            let of = |(i, lists): (&usize, &Vec<Vec<i64>>)| {
                (all[*i], lists.iter().map(|numbers| numbers[wildcard]).collect())
            };
            let found = numbers(&members.iter().map(of).collect::<Vec<_>>(), all);
            let with = |before: &Vec<PathNumber>, n: &PathNumber| {
                before.iter().chain([n]).cloned().collect()
            };
            combinations = combinations
                .iter()
                .flat_map(|before| found.iter().take(MAX_FORMULAS).map(move |n| with(before, n)))
                .collect();
            combinations.sort_by_key(|numbers| PathNumber::oddity(numbers));
            combinations.truncate(MAX_COMBINATIONS);
        }
        let solution = |numbers: Vec<PathNumber>| {
            let shows = |indices: &&Indices| {
                let numbers: Option<Vec<i64>> = numbers.iter().map(|n| n.value(indices)).collect();
                let mut numbers = numbers?;
                let lsb = usize::try_from(numbers.pop()?).ok()?;
                Some(FieldSource { signal: self.paths.find(form, &numbers)?, lsb })
            };
            let shows: Vec<Option<FieldSource>> = all.iter().map(shows).collect();
            let fit = shows.iter().enumerate().all(|(i, shows)| fits(i, *shows));
            fit.then(|| Solution { encoding, field, form: form.to_owned(), numbers, shows })
        };
        let mut solutions: Vec<Solution> = combinations.into_iter().filter_map(solution).collect();
        // Preferably, all instances have a signal, and the signals are different.
        let rank = |s: &Solution| {
            let there = s.shows.iter().flatten();
            Reverse((there.clone().collect::<HashSet<_>>().len(), there.count()))
        };
        let best = solutions.iter().map(rank).min();
        solutions.retain(|s| Some(rank(s)) == best);
        solutions.truncate(MAX_TIED);
        solutions
    }
}

/// True if a field of an instance changes.
pub(super) fn changes(instance: &RegisterInstance<'_>, field: RegisterField) -> bool {
    instance.fingerprint.bits[field.lsb..field.lsb + field.width].iter().any(|bit| bit.toggles != 0)
}
