// SPDX-License-Identifier: MIT OR Apache-2.0
//! Guards: a guarded mutant acts only while a second condition of its module holds.

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    design::{
        DesignModules, Expr, ExprKind, Module, MutationSite, ProcessKind, SignalDependencies,
        SignalLeaf, SiteKind,
    },
    mutant::{MutantCandidate, order},
    record::Waiver,
};

/// The condition under which alone a mutant acts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Guard {
    /// The condition. It reads nothing that the mutated statement reads.
    pub when: String,
    /// First byte of the statement or expression in the file, and the byte after its last byte.
    pub bytes: [usize; 2],
    /// The text in its place: the mutant where the condition holds, otherwise the original.
    pub after: String,
}

/// Minimum number of bits of a signal that has rare values.
const RARE: u32 = 3;
/// Maximum number of bits that a guard compares with a value.
const BITS: u32 = 6;

/// Beginnings of the names of ports through which memories are loaded. They are 0 while instructions run.
const LOADING: [&str; 3] = ["init_", "ld_", "rf_init_"];

/// The first `count` mutants of the [`order`] that are not waived and can have a guard, each with one, in the order of
/// the sources. They depend only on the arguments.
pub fn guarded(
    design: &DesignModules,
    all: &[MutantCandidate],
    waivers: &[Waiver],
    seed: u64,
    count: usize,
) -> Vec<MutantCandidate> {
    // Contains the dependencies that mutants and guards add, as in `candidates`.
    let mut modules = design.modules.clone();
    let depend = |module: &mut Module, site: usize, other: &str| {
        let targets = module.sites[site].drives.clone();
        module.computed_from(&targets, other);
    };
    for candidate in all {
        let (module, site) = candidate.place;
        candidate.uses.iter().for_each(|other| depend(&mut modules[module], site, other));
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // The first stream gives the order.
    rng.set_stream(1);
    let (mut drawn, mut signals) = (BTreeMap::new(), BTreeMap::new());
    for place in order(all, seed) {
        if drawn.len() == count {
            break;
        }
        let mut candidate = all[place].clone();
        if waivers.iter().any(|w| w.is_about(&candidate.mutant, &design.line(&candidate.mutant))) {
            continue;
        }
        let (module, site) = candidate.place;
        let original = &design.modules[module];
        let signals = signals.entry(module).or_insert_with(|| {
            let names = original.leaves.iter().map(source);
            names
                .map(|name| (name, original.sources(vec![name.to_owned()])))
                .collect::<ModuleDependencies<'_>>()
        });
        let guards = Guards::new((original, signals), &modules[module], &candidate);
        // The kinds take turns; rare values have every other one.
        let mut turns = drawn.len()..drawn.len() + 4;
        let Some(when) = turns.find_map(|turn| match turn % 4 {
            1 => guards.together(&mut rng),
            3 => guards.end(&mut rng),
            _ => guards.value(&mut rng),
        }) else {
            continue;
        };
        let added = guards.added(&when);
        candidate.mutant.guard = Some(guards.around(&candidate, when));
        added.iter().for_each(|other| depend(&mut modules[module], site, other));
        drawn.insert(place, candidate);
    }
    drawn.into_values().collect()
}

/// The path of a leaf of a register; for any other leaf, its signal.
fn source(leaf: &SignalLeaf) -> &str {
    if leaf.is_register() { &leaf.path } else { leaf.signal() }
}

/// The dependencies of each register leaf or signal of a module, by its name.
type ModuleDependencies<'a> = BTreeMap<&'a str, SignalDependencies<'a>>;

/// The guards that a mutant can have.
struct Guards<'a> {
    module: &'a Module,
    signals: &'a ModuleDependencies<'a>,
    site: &'a MutationSite,
    /// The original and the mutant.
    texts: [String; 2],
    /// The leaves that a guard may read, each with its relation to the statement.
    usable: Vec<(GuardRelation, &'a SignalLeaf)>,
}

/// The relation between a leaf that a guard reads and the mutated statement. Relations listed first are preferred: a
/// guard on a value from which the statement is computed may contradict the statement, so that the mutant never acts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum GuardRelation {
    /// A register from which the statement is not computed.
    OtherRegister,
    /// Another signal from which the statement is not computed, and that is not computed from the same signals.
    OtherSignal,
    /// A register or input from which the statement is computed through other signals.
    Source,
    /// A signal that is computed from the same signals as the statement.
    Common,
}

impl<'a> Guards<'a> {
    /// `module` is the original, with the sources of its signals, and `mutated` also has the dependencies that mutants
    /// and guards add.
    fn new(
        (module, signals): (&'a Module, &'a ModuleDependencies<'a>),
        mutated: &Module,
        candidate: &MutantCandidate,
    ) -> Self {
        let (site, m) = (&module.sites[candidate.place.1], &candidate.mutant);
        let original = module.line(site.at);
        let mut read = Vec::from_iter(site.under.iter().map(|at| module.line(*at)));
        let mutant = match &site.what {
            SiteKind::Item { default, subject, .. } => {
                read.push(module.line(*subject));
                format!("begin {} end", module.line(*default))
            }
            _ => {
                let value = site.value();
                read.push(module.line(value));
                read.extend(
                    (value[0] <= m.bytes[0]).then(|| module.line_with(value, m.bytes, &m.after)),
                );
                module.line_with(site.at, m.bytes, &m.after)
            }
        };
        let sources = module.sources(read.clone());
        read.extend([original.clone(), mutant.clone()]);
        let relation = |leaf: &SignalLeaf| match leaf.is_register() {
            true if !sources.has(leaf) => GuardRelation::OtherRegister,
            true => GuardRelation::Source,
            false if signals[source(leaf)].are_disjoint(&sources) => GuardRelation::OtherSignal,
            false if module.is_input(leaf.signal()) => GuardRelation::Source,
            false => GuardRelation::Common,
        };
        let free = |l: &SignalLeaf| site.process.is_clocked() || l.is_register();
        let usable = module.leaves.iter().filter(|leaf| {
            // While a register is reset, the others are reset, too.
            site.process != ProcessKind::Reset
                && leaf.declared < site.at[0]
                && !LOADING.iter().any(|name| leaf.path.starts_with(name))
                && !read.iter().any(|text| leaf.is_read(text))
                && (free(leaf) || mutated.can_use(leaf.signal(), &site.drives))
        });
        let usable = usable.map(|leaf| (relation(leaf), leaf)).collect();
        Self { module, signals, site, texts: [original, mutant], usable }
    }

    /// Of the leaves that fit, those with the best relation; relations up to `equal` are equally good.
    fn best(
        &self,
        equal: GuardRelation,
        fits: impl Fn(&SignalLeaf) -> bool,
    ) -> Vec<&'a SignalLeaf> {
        let fit = self.usable.iter().filter(|(_, leaf)| fits(leaf));
        let fit: Vec<_> = fit.map(|(relation, leaf)| (equal.max(*relation), *leaf)).collect();
        let best = fit.iter().map(|(relation, _)| *relation).min();
        fit.into_iter().filter(|(r, _)| Some(*r) == best).map(|(_, leaf)| leaf).collect()
    }

    /// A rare value of a register or, if there is none to use, of another signal.
    fn value(&self, rng: &mut ChaCha8Rng) -> Option<String> {
        let mut leaves = self.best(GuardRelation::OtherRegister, |leaf| leaf.bits >= RARE);
        // A signal with many parts is not drawn more often.
        let signals: BTreeSet<&str> = leaves.iter().map(|leaf| leaf.signal()).collect();
        let signal = *Vec::from_iter(signals).choose(rng)?;
        leaves.retain(|leaf| leaf.signal() == signal);
        let leaf = leaves.choose(rng)?;
        // Value 0, and the first value of an enumeration, are the values after reset. A value that the module does not name
        // may have no meaning for it.
        let mut values = Vec::from_iter(leaf.values.iter().skip(1));
        let named = |v: &str| self.module.text.contains(v.rsplit("::").next().unwrap_or(v));
        if values.iter().any(|v| named(v)) {
            values.retain(|v| named(v));
        }
        Some(match values.choose(rng) {
            Some(value) => format!("{} == {value}", leaf.path),
            None => {
                let bits = leaf.bits.min(BITS);
                equals(leaf, rng.random_range(0..=leaf.bits - bits), rng.random_range(1..1 << bits))
            }
        })
    }

    /// Two one-bit signals that are 1 in the same cycle, and are computed from different signals.
    fn together(&self, rng: &mut ChaCha8Rng) -> Option<String> {
        let bits = |fits: &dyn Fn(&SignalLeaf) -> bool| {
            let bit = |l: &SignalLeaf| l.bits == 1 && l.values.is_empty() && fits(l);
            self.best(GuardRelation::OtherSignal, bit)
        };
        let one = *bits(&|_| true).choose(rng)?;
        let sources = |leaf: &SignalLeaf| &self.signals[source(leaf)];
        let apart = |l: &SignalLeaf| l.path != one.path && sources(l).are_disjoint(sources(one));
        let other = *bits(&apart).choose(rng)?;
        Some(format!("{} && {}", one.path, other.path))
    }

    /// The end of a counter, which is a register to which the module adds: a comparison that the module makes, or the
    /// largest value.
    fn end(&self, rng: &mut ChaCha8Rng) -> Option<String> {
        let usable = |path: &str| self.usable.iter().map(|u| u.1).find(|leaf| leaf.path == path);
        let counts = self.binaries("+").map(|[counter, _]| self.module.line(counter.at));
        let counts = counts.filter(|path| usable(path).is_some_and(|leaf| leaf.is_register()));
        let counts: BTreeSet<String> = counts.collect();
        let made = self.binaries("==").filter(|sides| {
            let counted = sides.iter().any(|side| counts.contains(&self.module.line(side.at)));
            let paths = sides.iter().flat_map(|side| self.paths(side));
            counted && paths.into_iter().all(|path| is_constant(&path) || usable(&path).is_some())
        });
        let made = made.map(|sides| sides.map(|side| self.module.line(side.at)).join(" == "));
        let last = counts.iter().filter_map(|path| {
            let leaf = usable(path)?;
            Some(equals(leaf, 0, (1 << leaf.bits.min(BITS)) - 1))
        });
        Vec::from_iter(BTreeSet::from_iter(made.chain(last))).choose(rng).cloned()
    }

    /// The operands of each binary operator of one kind in the module.
    fn binaries(&self, operator: &str) -> impl Iterator<Item = [&'a Expr; 2]> {
        let (module, mut all) = (self.module, Vec::new());
        for site in &module.sites {
            if let SiteKind::Assignment { value, .. }
            | SiteKind::Condition { value }
            | SiteKind::Connection { value, .. } = &site.what
            {
                all.push(value);
            }
        }
        let mut next = 0;
        while let Some(e) = all.get(next).copied() {
            all.extend(&e.parts);
            next += 1;
        }
        let of_kind = all.into_iter().filter(move |e| {
            e.kind == ExprKind::Binary && e.op.is_some_and(|at| module.line(at) == operator)
        });
        of_kind
            .filter_map(|e| <&[Expr; 2]>::try_from(e.parts.as_slice()).ok().map(|p| p.each_ref()))
    }

    /// The signals, constants and parts of signals in an expression.
    fn paths(&self, e: &Expr) -> Vec<String> {
        match e.kind {
            ExprKind::Name | ExprKind::Member | ExprKind::Element | ExprKind::Slice => {
                vec![self.module.line(e.at)]
            }
            _ => e.parts.iter().flat_map(|part| self.paths(part)).collect(),
        }
    }

    /// The signals that a guard reads and on which the targets of the statement will depend.
    fn added(&self, when: &str) -> BTreeSet<String> {
        let read = self.usable.iter().map(|u| u.1);
        let read = read.filter(|leaf| !leaf.is_register() && leaf.is_read(when));
        let read = read.filter(|_| !self.site.process.is_clocked());
        read.map(|leaf| leaf.signal().to_owned()).collect()
    }

    /// A guard around the statement or expression.
    fn around(&self, candidate: &MutantCandidate, when: String) -> Guard {
        let [original, mutant] = &self.texts;
        let after = match &self.site.what {
            SiteKind::Assignment { .. } if self.site.process == ProcessKind::Continuous => {
                let [o, m] = [original, mutant].map(|text| text.trim_start_matches("assign "));
                format!("always_comb begin if ({when}) {m} else {o} end")
            }
            SiteKind::Assignment { .. } => {
                format!("begin if ({when}) {mutant} else {original} end")
            }
            SiteKind::Condition { .. } => format!("({when}) ? !(!({mutant})) : !(!({original}))"),
            SiteKind::Connection { .. } => format!("({when}) ? ({mutant}) : ({original})"),
            SiteKind::Item { subject, .. } => {
                let label = candidate.label.map(|at| self.module.line(at)).unwrap_or_default();
                let subject = self.module.line(*subject);
                format!(
                    "begin if (({when}) && ({subject}) == ({label})) {mutant} else {original} end"
                )
            }
        };
        Guard { when, bytes: self.site.at, after }
    }
}

/// A comparison of a leaf, or of some bits from `low` on, with a value.
fn equals(leaf: &SignalLeaf, low: u32, value: u32) -> String {
    match leaf.bits > BITS {
        true => format!("{}[{low} +: {BITS}] == {BITS}'d{value}", leaf.path),
        false => format!("{} == {}'d{value}", leaf.path, leaf.bits),
    }
}

/// True for parameters and values of enumerations, which begin with a capital letter or name their package.
fn is_constant(name: &str) -> bool {
    name.contains("::") || name.starts_with(char::is_uppercase)
}
