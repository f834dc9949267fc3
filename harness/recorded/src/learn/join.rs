// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers that the design keeps in several signals: their fields side by side, with constants between.

use std::collections::{HashMap, HashSet};

use super::{
    index::{Field, Index},
    solve::{Instance, Solution, Solver},
};

/// Fields that are tried of a register.
const FIELDS: usize = 96;
/// Widest register that is put together.
const WIDEST: u32 = 128;
/// What a signal costs that is in another scope than most.
const ELSEWHERE: u32 = 25;
/// What a signal costs.
const SIGNAL: u32 = 10;
/// What a bit costs that never changes and is written as a constant.
const CONSTANT: u32 = 4;

/// Bits of a register.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// Bits that never change, lowest first.
    Constant(Vec<bool>),
    Signal(Solution),
}

/// The fields that whole signals show for some instance; those of many instances first.
pub(super) fn fields(solver: &Solver<'_>, instances: &[Instance]) -> Vec<Field> {
    let mut counts: HashMap<Field, usize> = HashMap::new();
    for instance in instances {
        let track = &solver.registers[instance.register];
        if track.width > WIDEST {
            return Vec::new();
        }
        for field in solver.index.fields(track) {
            *counts.entry(field).or_default() += 1;
        }
    }
    let mut fields: Vec<(usize, Field)> = counts.into_iter().map(|(f, n)| (n, f)).collect();
    fields.sort_by_key(|(count, field)| (usize::MAX - count, u32::MAX - field.width, field.lsb));
    fields.truncate(FIELDS);
    fields.into_iter().map(|(_, field)| field).collect()
}

/// The value of a bit that never changes in any instance and is the same in all.
fn constant(solver: &Solver<'_>, instances: &[Instance], bit: usize) -> Option<bool> {
    let mut bits = instances.iter().map(|i| solver.registers[i.register].bits[bit]);
    let first = bits.next()?;
    let same = first.toggles == 0 && bits.all(|b| b == first);
    match first.ones {
        _ if !same => None,
        0 => Some(false),
        ones => (ones == solver.index.total).then_some(true),
    }
}

/// Puts a register together from fields, each with solutions; `vote` tells how many other registers are in a scope.
/// The highest piece comes first. `None` if some bits that change are in no field.
pub(super) fn join(
    solver: &Solver<'_>,
    instances: &[Instance],
    fields: Vec<Vec<Solution>>,
    vote: &dyn Fn(&str) -> f64,
) -> Option<Vec<Piece>> {
    let width = solver.registers[instances.first()?.register].width as usize;
    let scope = common_scope(&fields, vote)?;
    let fields: Vec<Solution> =
        fields.into_iter().filter_map(|f| nearest(f, &scope, vote)).collect();
    // Cheapest way to the lowest bits, and its last piece: a field, or a constant bit.
    let mut cost: Vec<Option<(u32, Option<usize>)>> = vec![None; width + 1];
    cost[0] = Some((0, None));
    for end in 1..=width {
        let mut ways = Vec::new();
        if constant(solver, instances, end - 1).is_some()
            && let Some((before, _)) = cost[end - 1]
        {
            ways.push((before + CONSTANT, None));
        }
        for (n, solution) in fields.iter().enumerate() {
            let Field { lsb, width } = solution.field;
            if (lsb + width) as usize == end
                && let Some((before, _)) = cost[lsb as usize]
            {
                let price = if solution.scope() == scope { SIGNAL } else { ELSEWHERE };
                ways.push((before + price, Some(n)));
            }
        }
        cost[end] = ways.into_iter().min();
    }
    let mut pieces: Vec<Piece> = Vec::new();
    let mut end = width;
    while end > 0 {
        match cost[end]?.1 {
            Some(n) => {
                end = fields[n].field.lsb as usize;
                pieces.push(Piece::Signal(fields[n].clone()));
            }
            None => {
                end -= 1;
                let value = constant(solver, instances, end)?;
                match pieces.last_mut() {
                    Some(Piece::Constant(bits)) => bits.insert(0, value),
                    _ => pieces.push(Piece::Constant(vec![value])),
                }
            }
        }
    }
    Some(pieces)
}

/// The scope with solutions for most bits.
fn common_scope(fields: &[Vec<Solution>], vote: &dyn Fn(&str) -> f64) -> Option<String> {
    let mut bits: HashMap<String, u32> = HashMap::new();
    for solutions in fields {
        let scopes: HashSet<String> = solutions.iter().map(Solution::scope).collect();
        let width = solutions.first().map_or(0, |s| s.field.width);
        scopes.into_iter().for_each(|scope| *bits.entry(scope).or_default() += width);
    }
    let best = bits.into_iter().max_by(|(a, bits_a), (b, bits_b)| {
        bits_a.cmp(bits_b).then_with(|| vote(a).total_cmp(&vote(b))).then_with(|| b.cmp(a))
    });
    best.map(|(scope, _)| scope)
}

/// Of the solutions of a field one in the scope, else the one with most votes.
fn nearest(solutions: Vec<Solution>, scope: &str, vote: &dyn Fn(&str) -> f64) -> Option<Solution> {
    let near = |s: &Solution| (s.scope() == scope, vote(&s.scope()));
    solutions.into_iter().reduce(|best, other| {
        let (a, b) = (near(&best), near(&other));
        if (b.0, b.1) > (a.0, a.1) { other } else { best }
    })
}

/// True if a constant is among the pieces of a register that may have other values in other programs.
pub(super) fn has_constants(pieces: &[Piece]) -> bool {
    pieces.iter().any(|piece| matches!(piece, Piece::Constant(_)))
}

/// True if some bit of a field changes.
pub(super) fn changes(solver: &Solver<'_>, instances: &[Instance]) -> usize {
    let whole = |i: &&Instance| {
        let track = &solver.registers[i.register];
        Index::changes(track, Field { lsb: 0, width: track.width })
    };
    instances.iter().filter(whole).count()
}
