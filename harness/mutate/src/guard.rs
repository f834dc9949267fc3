// SPDX-License-Identifier: MIT OR Apache-2.0
//! Guards: a guarded mutant acts only while a second condition of its module holds.

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    design::{Design, Expr, ExprKind, Leaf, Module, Process, Site, SiteKind},
    mutant::{Candidate, order},
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

/// The first `count` mutants of the [`order`] that can have a guard, each with one, in the order of the sources. They
/// depend only on the design, the candidates and the seed.
pub fn guarded(design: &Design, all: &[Candidate], seed: u64, count: usize) -> Vec<Candidate> {
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
    let mut drawn = BTreeMap::new();
    for place in order(all, seed) {
        if drawn.len() == count {
            break;
        }
        let mut candidate = all[place].clone();
        let (module, site) = candidate.place;
        let guards = Guards::new(&modules[module], &candidate);
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

/// The guards that a mutant can have.
struct Guards<'a> {
    module: &'a Module,
    site: &'a Site,
    /// The original and the mutant.
    texts: [String; 2],
    /// What a guard may read.
    usable: Vec<&'a Leaf>,
}

impl<'a> Guards<'a> {
    fn new(module: &'a Module, candidate: &Candidate) -> Self {
        let (site, m) = (&module.sites[candidate.place.1], &candidate.mutant);
        let original = module.line(site.at);
        let (mutant, subject) = match &site.what {
            SiteKind::Item { default, subject, .. } => {
                (format!("begin {} end", module.line(*default)), module.line(*subject))
            }
            _ => (module.line_with(site.at, m.bytes, &m.after), String::new()),
        };
        let free = |l: &Leaf| site.process.is_clocked() || l.is_register();
        let usable = module.leaves.iter().filter(|leaf| {
            // While a register is reset, the others are reset, too.
            site.process != Process::Reset
                && ![&original, &mutant, &subject].iter().any(|text| leaf.is_read(text))
                && (free(leaf) || module.can_use(leaf.signal(), &site.drives))
        });
        let usable = usable.collect();
        Self { module, site, texts: [original, mutant], usable }
    }

    /// A rare value of a register or, if there is none to use, of another signal.
    fn value(&self, rng: &mut ChaCha8Rng) -> Option<String> {
        let wide = |register| {
            self.usable.iter().filter(move |l| l.bits >= RARE && l.is_register() == register)
        };
        let mut leaves: Vec<&&Leaf> = wide(true).collect();
        if leaves.is_empty() {
            leaves = wide(false).collect();
        }
        // A signal with many parts is not drawn more often.
        let signals: BTreeSet<&str> = leaves.iter().map(|leaf| leaf.signal()).collect();
        let signal = *Vec::from_iter(signals).choose(rng)?;
        leaves.retain(|leaf| leaf.signal() == signal);
        let leaf = leaves.choose(rng)?;
        // Value 0, and the first value of an enumeration, are the values after reset.
        Some(match leaf.values.get(1..).and_then(|others| others.choose(rng)) {
            Some(value) => format!("{} == {value}", leaf.path),
            None => {
                let bits = leaf.bits.min(BITS);
                equals(leaf, rng.random_range(0..=leaf.bits - bits), rng.random_range(1..1 << bits))
            }
        })
    }

    /// Two one-bit signals that are 1 in the same cycle.
    fn together(&self, rng: &mut ChaCha8Rng) -> Option<String> {
        let bits = self.usable.iter().filter(|l| l.bits == 1 && l.values.is_empty());
        let two = Vec::from_iter(bits).sample_array::<_, 2>(rng)?;
        Some(two.map(|leaf| leaf.path.as_str()).join(" && "))
    }

    /// The end of a counter, which is a register to which the module adds: a comparison that the module makes, or the
    /// largest value.
    fn end(&self, rng: &mut ChaCha8Rng) -> Option<String> {
        let usable = |path: &str| self.usable.iter().find(|leaf| leaf.path == path);
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
        let read = self.usable.iter().filter(|leaf| !leaf.is_register() && leaf.is_read(when));
        let read = read.filter(|_| !self.site.process.is_clocked());
        read.map(|leaf| leaf.signal().to_owned()).collect()
    }

    /// A guard around the statement or expression.
    fn around(&self, candidate: &Candidate, when: String) -> Guard {
        let [original, mutant] = &self.texts;
        let after = match &self.site.what {
            SiteKind::Assignment { .. } if self.site.process == Process::Continuous => {
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
fn equals(leaf: &Leaf, low: u32, value: u32) -> String {
    match leaf.bits > BITS {
        true => format!("{}[{low} +: {BITS}] == {BITS}'d{value}", leaf.path),
        false => format!("{} == {}'d{value}", leaf.path, leaf.bits),
    }
}

/// True for parameters and values of enumerations, which begin with a capital letter or name their package.
fn is_constant(name: &str) -> bool {
    name.contains("::") || name.starts_with(char::is_uppercase)
}
