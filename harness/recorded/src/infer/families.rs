// SPDX-License-Identifier: MIT OR Apache-2.0
//! Families of registers, and the signals that show each of them: one signal, or several signals concatenated with
//! constants.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
};

use drra_fabric::{RegisterId, RuleId, RuleInput};
use drra_isa::Geometry;

use super::{
    fingerprint::BitFingerprint,
    golden::{GoldenRegister, GoldenRegisters},
    memory::WritePort,
    number::PathNumber,
    paths::split,
    solve::{Encoding, RegisterField, RegisterInstance, Solution, Solver, changes},
};
use crate::{map::RegisterPattern, own_map::register_pattern};

/// Minimum number of distinct changes for which a match is not attributed to chance.
pub const SURE: usize = 8;
/// Maximum number of solutions kept for a family.
const MAX_SOLUTIONS: usize = 48;
/// Maximum number of fields tried for a register.
const MAX_FIELDS: usize = 96;
/// Maximum width of a register that is composed of several pieces.
const MAX_WIDTH: usize = 128;

/// Registers that are expected to share one path form.
pub(super) struct RegisterFamily<'a> {
    /// The register pattern of the family, as written in maps.
    pub(super) path: String,
    pub(super) id: RegisterId,
    /// The name of the key, if keys have names: each named key has its own family.
    pub(super) key: Option<&'static str>,
    pub(super) registers: Vec<&'a GoldenRegister>,
    pub(super) instances: Vec<RegisterInstance<'a>>,
}

/// A part of a register.
#[derive(Clone, Debug)]
pub(super) enum RegisterPiece {
    /// Bits that never change, lowest first.
    Constant(Vec<bool>),
    Signal(Solution),
}

/// The result for a family.
pub(super) enum FamilyOutcome {
    /// None of the registers ever changes, or their block is never active.
    Quiet,
    /// Pieces, lowest first, and other path forms that match equally well.
    Found(Vec<RegisterPiece>, Vec<String>),
    /// The write port of the memory.
    Memory(Box<WritePort>),
    /// Nothing matches all of the registers. Contains the form that matches the most changing registers.
    Missing(Option<(String, usize)>),
}

/// The families of all registers.
pub(super) fn all<'a>(
    registers: &'a GoldenRegisters,
    geometry: &Geometry,
) -> Vec<RegisterFamily<'a>> {
    let mut families = Vec::new();
    for id in RegisterId::ALL {
        let names: Vec<_> = id.all(geometry).filter_map(|r| r.key().name()).collect();
        let keys: Vec<Option<&'static str>> =
            if names.is_empty() { vec![None] } else { names.into_iter().map(Some).collect() };
        for key in keys {
            let path = register_pattern(*id, key);
            let pattern = RegisterPattern::parse(&path, &(0..path.len()));
            let Ok(locations) = pattern.and_then(|p| p.locations(geometry)) else { continue };
            let (mut of_family, mut instances) = (Vec::new(), Vec::new());
            for (location, bindings) in locations {
                let golden = &registers.all[registers.places[&location]];
                of_family.push(golden);
                let numbers =
                    bindings.into_iter().map(|(letter, item)| Some((letter, item.number?)));
                let indices = numbers.flatten().collect();
                instances.push(RegisterInstance { indices, fingerprint: &golden.fingerprint });
            }
            families.push(RegisterFamily { path, id: *id, key, registers: of_family, instances });
        }
    }
    families
}

impl RegisterFamily<'_> {
    /// The part of the design that the family belongs to.
    fn block(&self) -> (&str, Option<&str>) {
        (self.path.rsplit_once('.').map_or("", |(block, _)| block), self.key)
    }

    /// All bits of a register.
    fn whole(&self) -> RegisterField {
        RegisterField {
            lsb: 0,
            width: self.instances.first().map_or(0, |i| i.fingerprint.bits.len()),
        }
    }

    /// Number of registers that change.
    pub(super) fn changing(&self) -> usize {
        self.instances.iter().filter(|i| changes(i, self.whole())).count()
    }

    /// Number of distinct changes: registers that change to equal values at the same time are counted once.
    pub(super) fn different(&self) -> usize {
        self.registers.iter().flat_map(|g| &g.moments).collect::<HashSet<_>>().len()
    }

    /// The value of a bit that never changes and is the same in all instances.
    fn constant(&self, total: u64, bit: usize) -> Option<bool> {
        let first = self.instances.first()?.fingerprint.bits[bit];
        let same = self.instances.iter().all(|i| i.fingerprint.bits[bit] == first);
        let is = |ones| same && first == BitFingerprint { toggles: 0, ones };
        (is(0) || is(total)).then_some(first.ones != 0)
    }

    /// Solutions for the whole register, or for each of several fields of the register.
    fn find(
        &self,
        solver: &Solver<'_>,
        partial: &mut BTreeMap<String, usize>,
    ) -> Vec<Vec<Solution>> {
        let whole = self.whole();
        for encoding in Encoding::ALL {
            let mut solutions = solver.solve(&self.instances, whole, encoding, partial);
            if !solutions.is_empty() {
                solutions.truncate(MAX_SOLUTIONS);
                return vec![solutions];
            }
        }
        let mut counts: BTreeMap<RegisterField, usize> = BTreeMap::new();
        for instance in self.instances.iter().filter(|i| i.fingerprint.bits.len() <= MAX_WIDTH) {
            solver
                .fields(instance.fingerprint)
                .into_iter()
                .for_each(|f| *counts.entry(f).or_default() += 1);
        }
        let mut fields: Vec<(RegisterField, usize)> = counts.into_iter().collect();
        fields.sort_by_key(|(field, count)| Reverse((*count, field.width, Reverse(field.lsb))));
        let of = |(field, _)| {
            let mut solutions =
                solver.solve(&self.instances, field, Encoding::Same, &mut BTreeMap::new());
            solutions.truncate(MAX_SOLUTIONS);
            solutions
        };
        let solved = fields.into_iter().take(MAX_FIELDS).map(of);
        solved.filter(|solutions| !solutions.is_empty()).collect()
    }
}

/// For each block and scope, the number of solved families and fields of the block, each divided equally among the
/// scopes of its solutions.
#[derive(Default)]
struct ScopeVotes<'a>(HashMap<((&'a str, Option<&'a str>), String), f64>);

impl<'a> ScopeVotes<'a> {
    fn add(&mut self, family: &'a RegisterFamily<'_>, solutions: &[Solution]) {
        let scopes: HashSet<String> = solutions.iter().map(Solution::scope).collect();
        let share = 1.0 / scopes.len() as f64;
        for scope in scopes {
            *self.0.entry((family.block(), scope)).or_default() += share;
        }
    }

    fn of(&self, family: &RegisterFamily<'_>, scope: &str) -> f64 {
        self.0.get(&(family.block(), scope.to_owned())).copied().unwrap_or_default()
    }
}

/// True if the block of a register is active: an input of its rule other than the register itself changes. A register
/// of a block that is never active may still pick up stray data. Inputs from other blocks are treated as changing. If
/// the rule of a register reads no registers, a rule that reads the register, if there is one, must read another
/// register that changes.
fn works(id: RegisterId, changing: &HashSet<RegisterId>) -> bool {
    let reads = |rule: RuleId, wanted: &dyn Fn(RegisterId) -> bool| {
        rule.inputs().any(|(_, input)| match input {
            RuleInput::Registers(of) => of.iter().any(|(r, _)| wanted(*r)),
            RuleInput::Named(_) => false,
        })
    };
    let moved = |rule: RuleId| reads(rule, &|r| r != id && changing.contains(&r));
    let named = |(_, input)| matches!(input, RuleInput::Named(_));
    let readers = RuleId::ALL.iter().copied().filter(|rule| reads(*rule, &|r| r == id));
    let readers: Vec<RuleId> = readers.collect();
    if readers.is_empty() || reads(id.rule(), &|_| true) {
        moved(id.rule()) || id.rule().inputs().any(named)
    } else {
        readers.into_iter().any(moved)
    }
}

/// Finds the signals that show each family.
pub(super) fn infer(families: &[RegisterFamily<'_>], solver: &Solver<'_>) -> Vec<FamilyOutcome> {
    let changing: HashSet<RegisterId> =
        families.iter().filter(|p| p.changing() > 0).map(|p| p.id).collect();
    let mut votes = ScopeVotes::default();
    let mut found = Vec::new();
    for family in families {
        let mut partial = BTreeMap::new();
        let quiet = family.changing() == 0 || !works(family.id, &changing);
        let fields = if quiet { Vec::new() } else { family.find(solver, &mut partial) };
        fields.iter().for_each(|solutions| votes.add(family, solutions));
        let nearest = partial.into_iter().max_by_key(|(form, count)| (*count, Reverse(form.len())));
        found.push((quiet, fields, nearest));
    }
    let choose = |(family, (quiet, mut fields, nearest)): (
        &RegisterFamily<'_>,
        (bool, Vec<Vec<Solution>>, _),
    )| {
        if quiet {
            return FamilyOutcome::Quiet;
        }
        if fields.len() == 1 && fields[0].first().is_some_and(|s| s.field == family.whole()) {
            let (best, others) = chosen(family, &votes, fields.swap_remove(0));
            return FamilyOutcome::Found(vec![RegisterPiece::Signal(best)], others);
        }
        match side_by_side(family, solver.total, fields, &votes) {
            Some(pieces) => FamilyOutcome::Found(pieces, Vec::new()),
            None => FamilyOutcome::Missing(nearest),
        }
    };
    families.iter().zip(found).map(choose).collect()
}

/// The best of several matching solutions, and the forms of the others.
fn chosen(
    family: &RegisterFamily<'_>,
    votes: &ScopeVotes<'_>,
    mut solutions: Vec<Solution>,
) -> (Solution, Vec<String>) {
    let name = split(&family.path).1;
    let score = |s: &Solution| {
        let lacking = s.shows.iter().filter(|s| s.is_none()).count() as f64;
        votes.of(family, &s.scope()) + strsim::jaro_winkler(name, split(&s.form).1)
            - lacking / s.shows.len() as f64
            - PathNumber::oddity(&s.numbers) as f64 / 100.0
    };
    solutions.sort_by(|a, b| score(b).total_cmp(&score(a)).then_with(|| a.form.cmp(&b.form)));
    let best = solutions.remove(0);
    let mut others: Vec<String> = solutions.into_iter().map(|s| s.form).collect();
    others.retain(|form| *form != best.form);
    others.dedup();
    (best, others)
}

/// Composes a register from constants and from fields with their solutions, starting with the lowest bit; prefers
/// signals of one scope. `None` if a bit is neither constant nor covered by the chosen fields.
fn side_by_side(
    family: &RegisterFamily<'_>,
    total: u64,
    fields: Vec<Vec<Solution>>,
    votes: &ScopeVotes<'_>,
) -> Option<Vec<RegisterPiece>> {
    let mut bits: BTreeMap<String, usize> = BTreeMap::new();
    for solutions in &fields {
        let scopes: HashSet<String> = solutions.iter().map(Solution::scope).collect();
        scopes.into_iter().for_each(|s| *bits.entry(s).or_default() += solutions[0].field.width);
    }
    let rank = |scope: &str| (bits.get(scope), votes.of(family, scope));
    let mut pieces: Vec<RegisterPiece> = Vec::new();
    let mut at = 0;
    while at < family.whole().width {
        let here = fields.iter().flatten().filter(|s| s.field.lsb == at);
        let best =
            here.map(|s| (rank(&s.scope()), s)).max_by(|((bits_a, a), s), ((bits_b, b), t)| {
                bits_a.cmp(bits_b).then(a.total_cmp(b)).then(s.field.width.cmp(&t.field.width))
            });
        match (best, pieces.last_mut()) {
            (Some((_, solution)), _) => {
                at += solution.field.width;
                pieces.push(RegisterPiece::Signal(solution.clone()));
                continue;
            }
            (None, Some(RegisterPiece::Constant(bits))) => bits.push(family.constant(total, at)?),
            (None, _) => pieces.push(RegisterPiece::Constant(vec![family.constant(total, at)?])),
        }
        at += 1;
    }
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Registers through which data only passes. The initialisation registers of a tile take what its neighbour or the
    /// port sends (chapter 6, 7.4), which is treated as changing; data for an output buffer has no meaning unless a
    /// block is written (chapter 7, A4).
    #[test]
    fn registers_that_only_take_data() {
        let works = |id, changing: &[RegisterId]| works(id, &changing.iter().copied().collect());
        assert!(works(RegisterId::TileInitAddr, &[]));
        assert!(!works(RegisterId::ColumnIoWdata, &[RegisterId::ColumnIoWdata]));
        let written = [RegisterId::ColumnIoWdata, RegisterId::ColumnIoGeneratorEn];
        assert!(works(RegisterId::ColumnIoWdata, &written));
    }
}
