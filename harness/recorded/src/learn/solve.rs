// SPDX-License-Identifier: MIT OR Apache-2.0
//! One form of path for all instances of a register.

use std::collections::{HashMap, HashSet};

use super::{
    index::{Field, Index, Shows, Way},
    number::{Indices, Sum, sums},
    paths::{HOLE, PathForm, Paths},
    track::Track,
};

/// Forms that are tried for a register.
const FORMS: usize = 40;
/// Sums that are tried for a number.
const SUMS: usize = 5;
/// Combinations of sums that are tried for a form.
const COMBINATIONS: usize = 64;
/// Combinations of which these are taken.
const MOST_COMBINATIONS: usize = 4096;
/// Combinations that are kept of those that agree equally well.
const TIED: usize = 6;
/// Most instances that a form may leave to entries of their own.
const EXCEPTIONS: usize = 16;

/// What is needed to find forms.
pub(super) struct Solver<'a> {
    pub(super) index: &'a Index<'a>,
    pub(super) paths: &'a Paths,
    pub(super) registers: &'a [Track],
}

/// An instance of a register: its indices, and its place among the registers.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub(super) indices: Indices,
    pub(super) register: usize,
}

/// A form of path with its numbers.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    pub(super) way: Way,
    pub(super) field: Field,
    pub(super) form: String,
    /// For the holes of the form; the last one for the first bit, if the way is [`Way::Part`].
    pub(super) sums: Vec<Sum>,
    /// By instance: what shows it.
    pub(super) shows: Vec<Option<Shows>>,
    /// Instances that change, and how many of them agree.
    pub(super) changing: usize,
    pub(super) agreed: usize,
    /// Instances that do not change, with a signal that does.
    pub(super) against: usize,
    /// Instances that change and have another signal.
    pub(super) exceptions: Vec<(usize, Shows)>,
}

impl Solution {
    /// True if everything agrees.
    pub(super) fn is_full(&self) -> bool {
        self.agreed + self.exceptions.len() == self.changing
            && self.agreed > self.exceptions.len()
            && self.against == 0
    }

    /// The form of the path without its last level, with the numbers in it.
    pub(super) fn scope(&self) -> String {
        let scope = PathForm::scope(&self.form);
        let holes = scope.chars().filter(|c| *c == HOLE).count();
        let numbers = self.sums.iter().take(holes);
        numbers.fold(scope.to_owned(), |text, sum| {
            let number = sum.text(&mut |rows| format!("{rows:?}"));
            text.replacen(HOLE, &format!("{{{number}}}"), 1)
        })
    }
}

/// What instances have under one form: the instance, the numbers, the signal.
type Members = Vec<(usize, Vec<i64>, Shows)>;

impl Solver<'_> {
    /// Forms for a field of all instances of a register, the best first.
    pub(super) fn solve(&self, instances: &[Instance], field: Field, way: Way) -> Vec<Solution> {
        let changing: Vec<usize> = (0..instances.len())
            .filter(|&i| Index::changes(&self.registers[instances[i].register], field))
            .collect();
        let mut by_form: HashMap<&str, Members> = HashMap::new();
        for &i in &changing {
            let register = &self.registers[instances[i].register];
            for shows in self.index.candidates(register, field, way) {
                let path = &self.paths.forms[shows.signal];
                let mut numbers = path.numbers.clone();
                if way == Way::Part {
                    numbers.push(i64::from(shows.lsb));
                }
                by_form.entry(&path.form).or_default().push((i, numbers, shows));
            }
        }
        let covered = |members: &Members| members.iter().map(|m| m.0).collect::<HashSet<_>>().len();
        let mut forms: Vec<(usize, &str)> =
            by_form.iter().map(|(form, members)| (covered(members), *form)).collect();
        forms.sort_by_key(|(count, form)| (usize::MAX - count, form.len(), *form));
        let most = forms.first().map_or(0, |(count, _)| *count);
        forms.retain(|(count, _)| 2 * count >= most);
        forms.truncate(FORMS);
        let mut solutions: Vec<Solution> = forms
            .iter()
            .flat_map(|(_, form)| {
                self.of_form(instances, (field, way), form, &by_form[form], &changing)
            })
            .collect();
        for solution in &mut solutions {
            self.add_exceptions(solution, instances, &changing, &by_form);
        }
        solutions.sort_by_key(|s| {
            let found = s.agreed + s.exceptions.len();
            (usize::MAX - found, s.against, s.exceptions.len(), s.form.len(), Sum::oddity(&s.sums))
        });
        solutions
    }

    /// The best sums for the holes of a form: all that agree equally well, the least odd ones first.
    fn of_form(
        &self,
        instances: &[Instance],
        (field, way): (Field, Way),
        form: &str,
        members: &Members,
        changing: &[usize],
    ) -> Vec<Solution> {
        let all: Vec<&Indices> = instances.iter().map(|i| &i.indices).collect();
        let holes = members.first().map_or(0, |m| m.1.len());
        let mut lists: Vec<Vec<Sum>> = Vec::new();
        for hole in 0..holes {
            let mut allowed: Vec<(usize, Vec<i64>)> = Vec::new();
            for (i, numbers, _) in members {
                match allowed.last_mut() {
                    Some((last, values)) if last == i => values.push(numbers[hole]),
                    _ => allowed.push((*i, vec![numbers[hole]])),
                }
            }
            let allowed: Vec<_> = allowed.into_iter().map(|(i, v)| (all[i], v)).collect();
            let mut best = sums(&allowed, &all);
            best.truncate(SUMS);
            lists.push(best);
        }
        let mut combinations: Vec<Vec<Sum>> = vec![Vec::new()];
        for list in lists {
            let with = |before: &Vec<Sum>, sum: &Sum| before.iter().chain([sum]).cloned().collect();
            combinations = combinations
                .iter()
                .flat_map(|b| list.iter().map(move |sum| with(b, sum)))
                .collect();
            combinations.truncate(MOST_COMBINATIONS);
        }
        combinations.sort_by_key(|sums| Sum::oddity(sums));
        combinations.truncate(COMBINATIONS);
        let of = |sums| self.with_sums(instances, (field, way), form, sums, changing);
        let mut solutions: Vec<Solution> = combinations.into_iter().map(of).collect();
        let best = solutions.iter().map(rank).min();
        solutions.retain(|s| Some(rank(s)) == best);
        solutions.truncate(TIED);
        solutions
    }

    fn with_sums(
        &self,
        instances: &[Instance],
        (field, way): (Field, Way),
        form: &str,
        sums: Vec<Sum>,
        changing: &[usize],
    ) -> Solution {
        let shows = |instance: &Instance| {
            let numbers: Option<Vec<i64>> =
                sums.iter().map(|s| s.value(&instance.indices)).collect();
            let mut numbers = numbers?;
            let lsb = if way == Way::Part { u32::try_from(numbers.pop()?).ok()? } else { 0 };
            Some(Shows { way, signal: self.paths.find(form, &numbers)?, lsb })
        };
        let shows: Vec<Option<Shows>> = instances.iter().map(shows).collect();
        let (mut agreed, mut against) = (0, 0);
        for (i, (instance, shows)) in instances.iter().zip(&shows).enumerate() {
            let register = &self.registers[instance.register];
            let agrees = shows.map(|shows| self.index.agrees(register, field, shows));
            if changing.binary_search(&i).is_ok() {
                agreed += usize::from(agrees == Some(true));
            } else {
                against += usize::from(agrees == Some(false));
            }
        }
        let form = form.to_owned();
        let (changing, exceptions) = (changing.len(), Vec::new());
        Solution { way, field, form, sums, shows, changing, agreed, against, exceptions }
    }

    /// Gives instances that change and do not agree a signal of their own: of the same form, or one whose last
    /// level is the same.
    fn add_exceptions(
        &self,
        solution: &mut Solution,
        instances: &[Instance],
        changing: &[usize],
        by_form: &HashMap<&str, Members>,
    ) {
        let field = solution.field;
        let disagrees = |i: &&usize| {
            let register = &self.registers[instances[**i].register];
            !solution.shows[**i].is_some_and(|s| self.index.agrees(register, field, s))
        };
        let left: Vec<usize> = changing.iter().filter(disagrees).copied().collect();
        if left.len() > EXCEPTIONS || left.is_empty() {
            return;
        }
        let leaf = PathForm::leaf(&solution.form);
        for i in left {
            let of = |form: &str| {
                let members = by_form.get(form)?;
                members.iter().find(|(other, ..)| *other == i).map(|(.., shows)| *shows)
            };
            let mut others: Vec<&str> =
                by_form.keys().copied().filter(|form| PathForm::leaf(form) == leaf).collect();
            others.sort_by_key(|form| (form.len(), *form));
            let found = of(&solution.form).or_else(|| others.into_iter().find_map(of));
            solution.exceptions.extend(found.map(|shows| (i, shows)));
        }
    }
}

/// Less is better: what agrees, what is against it, different signals for different instances, what is there.
fn rank(solution: &Solution) -> (usize, usize, usize, usize) {
    let there = solution.shows.iter().flatten().count();
    let different: HashSet<(usize, u32)> =
        solution.shows.iter().flatten().map(|s| (s.signal, s.lsb)).collect();
    (
        usize::MAX - solution.agreed,
        solution.against,
        usize::MAX - different.len(),
        usize::MAX - there,
    )
}
