// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns of registers, and what shows each of them.

use std::collections::{BTreeMap, HashMap, HashSet};

use drra_isa::{
    UnitKind,
    fabric::{Key, Location, RegisterId},
};

use super::{
    index::{Field, Index, Way},
    join::{self, Piece},
    memory::WritePort,
    number::Sum,
    paths::PathForm,
    prints::Registers,
    solve::{Instance, Solution, Solver},
};
use crate::map::Golden;

/// Solutions that are kept of a pattern.
const KEPT: usize = 48;

/// Registers that one form of path is looked for.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) id: RegisterId,
    /// The key, if keys have names: each has a pattern of its own.
    pub(super) key: Option<Key>,
    pub(super) instances: Vec<Instance>,
    pub(super) locations: Vec<Location>,
}

/// What was found for a pattern.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// Nothing of it ever changes.
    Quiet,
    /// One signal for each.
    Signal {
        best: Solution,
        /// Other forms that agree as well.
        others: Vec<String>,
    },
    /// Several signals side by side, the highest first.
    Joined(Vec<Piece>),
    /// One signal for each while a register of the golden model has or has not a value.
    Conditional {
        best: Solution,
        condition: Golden,
        /// Other conditions that explain as much.
        others: Vec<Golden>,
    },
    /// The memories, by their write port.
    Memory(Box<WritePort>),
    /// Nothing that agrees everywhere: the forms that agree most often, with how often, and of how many.
    Missing(Vec<(String, usize, usize)>),
}

/// The solutions of a pattern before one is chosen.
enum Found {
    Quiet,
    Full(Vec<Solution>),
    /// Fields of registers, each with solutions; and for the report the best of the whole.
    Fields(Vec<Vec<Solution>>, Vec<Solution>),
}

/// All numbers of a text, in their order.
fn numbers(text: &str) -> Vec<i64> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
}

/// The letters of the indices of a unit, as maps write them.
pub(super) fn letters(unit: UnitKind) -> &'static [char] {
    match unit {
        UnitKind::Cell => &['r', 'c'],
        UnitKind::Column => &['c'],
        UnitKind::Tile => &['R', 'c'],
        UnitKind::Fabric => &[],
    }
}

/// The patterns of all registers.
pub(super) fn all(registers: &Registers) -> Vec<Pattern> {
    let mut patterns: BTreeMap<(RegisterId, Option<usize>), Pattern> = BTreeMap::new();
    for (n, location) in registers.locations.iter().enumerate() {
        let (id, key) = (location.register.id(), location.register.key());
        let number = location.register.key().number();
        let named = (id.key_kind().is_some() && number.is_none()).then_some(key);
        let place = numbers(&location.unit.to_string());
        let mut indices: Vec<(char, i64)> =
            letters(location.unit.kind()).iter().copied().zip(place).collect();
        indices.extend(number.map(|n| ('k', n as i64)));
        let pattern = patterns.entry((id, named.map(|k| k.index()))).or_insert(Pattern {
            id,
            key: named,
            instances: Vec::new(),
            locations: Vec::new(),
        });
        pattern.instances.push(Instance { indices, register: n });
        pattern.locations.push(*location);
    }
    patterns.into_values().collect()
}

impl Pattern {
    /// The part of the design that it belongs to.
    fn block(&self) -> (RegisterBlock, Option<usize>) {
        let path = &self.id.info().path;
        let block = path.rsplit_once('.').map_or("", |(block, _)| block);
        ((self.id.info().unit.name(), block.to_owned()), self.key.map(|k| k.index()))
    }

    /// The name of the register without what is around it.
    pub(super) fn name(&self) -> &str {
        let path = self.id.info().path.as_str();
        path.rsplit_once('.').map_or(path, |(_, name)| name)
    }

    pub(super) fn width(&self, registers: &Registers) -> u32 {
        self.instances.first().map_or(0, |i| registers.tracks[i.register].width)
    }

    fn find(&self, solver: &Solver<'_>, registers: &Registers) -> Found {
        let whole = Field { lsb: 0, width: self.width(registers) };
        let track = |i: &Instance| &solver.registers[i.register];
        if !self.instances.iter().any(|i| Index::changes(track(i), whole)) {
            return Found::Quiet;
        }
        let mut nearest = Vec::new();
        for way in Way::ALL {
            let mut solutions = solver.solve(&self.instances, whole, way);
            if solutions.iter().any(Solution::is_full) {
                solutions.retain(Solution::is_full);
                solutions.truncate(KEPT);
                return Found::Full(solutions);
            }
            nearest.extend(solutions);
        }
        let fields = join::fields(solver, &self.instances);
        let solved = fields.into_iter().map(|field| {
            let mut solutions = solver.solve(&self.instances, field, Way::Same);
            solutions.retain(Solution::is_full);
            solutions.truncate(KEPT);
            solutions
        });
        nearest.sort_by_key(|s| (usize::MAX - s.agreed, s.against));
        Found::Fields(solved.filter(|s| !s.is_empty()).collect(), nearest)
    }
}

type RegisterBlock = (&'static str, String);

/// How many patterns of a block have solutions in a scope.
#[derive(Default)]
struct Votes(HashMap<((RegisterBlock, Option<usize>), String), f64>);

impl Votes {
    fn add(&mut self, pattern: &Pattern, solutions: &[Solution]) {
        let scopes: HashSet<String> = solutions.iter().map(Solution::scope).collect();
        let share = 1.0 / scopes.len() as f64;
        for scope in scopes {
            *self.0.entry((pattern.block(), scope)).or_default() += share;
        }
    }

    fn of(&self, pattern: &Pattern, scope: &str) -> f64 {
        self.0.get(&(pattern.block(), scope.to_owned())).copied().unwrap_or(0.0)
    }
}

/// What shows the patterns.
pub(super) fn learn(
    patterns: &[Pattern],
    solver: &Solver<'_>,
    registers: &Registers,
) -> Vec<Outcome> {
    let found: Vec<Found> = patterns.iter().map(|p| p.find(solver, registers)).collect();
    let mut votes = Votes::default();
    for (pattern, found) in patterns.iter().zip(&found) {
        match found {
            Found::Quiet => {}
            Found::Full(solutions) => votes.add(pattern, solutions),
            Found::Fields(fields, _) => fields.iter().for_each(|f| votes.add(pattern, f)),
        }
    }
    let choose = |(pattern, found): (&Pattern, Found)| match found {
        Found::Quiet => Outcome::Quiet,
        Found::Full(solutions) => chosen(pattern, &votes, solutions),
        Found::Fields(fields, nearest) => {
            let vote = |scope: &str| votes.of(pattern, scope);
            match join::join(solver, &pattern.instances, fields, &vote) {
                Some(pieces) => Outcome::Joined(pieces),
                None => Outcome::Missing(named(&nearest)),
            }
        }
    };
    patterns.iter().zip(found).map(choose).collect()
}

/// The best of several solutions that agree.
fn chosen(pattern: &Pattern, votes: &Votes, mut solutions: Vec<Solution>) -> Outcome {
    let score = |s: &Solution| {
        let name = strsim::jaro_winkler(pattern.name(), PathForm::leaf(&s.form));
        let lacking = s.shows.iter().filter(|s| s.is_none()).count() as f64;
        let exceptions = s.exceptions.len() as f64;
        votes.of(pattern, &s.scope()) + name
            - lacking / s.shows.len() as f64
            - exceptions
            - Sum::oddity(&s.sums) as f64 / 100.0
    };
    solutions.sort_by(|a, b| score(b).total_cmp(&score(a)).then_with(|| a.form.cmp(&b.form)));
    let mut solutions = solutions.into_iter();
    match solutions.next() {
        None => Outcome::Missing(Vec::new()),
        Some(best) => {
            let mut others: Vec<String> =
                solutions.map(|s| s.form).filter(|form| *form != best.form).collect();
            others.dedup();
            Outcome::Signal { best, others }
        }
    }
}

/// The forms of some solutions, and how often they agree.
fn named(solutions: &[Solution]) -> Vec<(String, usize, usize)> {
    solutions.iter().take(3).map(|s| (s.form.clone(), s.agreed, s.changing)).collect()
}
