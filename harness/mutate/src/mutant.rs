// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mutants of a design: all mutants that the operators yield, and the random order in which they are drawn.

use std::collections::BTreeMap;

use rand::{SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    bug::Bug,
    design::{DesignModules, SiteKind, Span},
    guard::Guard,
    operators::{Operator, changes},
};

/// A mutant, as shown to the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mutant {
    /// Number of the mutant in its run, counted from 1.
    pub number: u32,
    /// File in the folder of the RTL.
    pub file: String,
    /// Module.
    pub block: String,
    /// The kind of change.
    pub operator: Operator,
    /// Line of the change, counted from 1.
    pub line: u32,
    /// Column of the change, counted from 1.
    pub column: u32,
    /// First byte of the change in the file, and the byte after its last byte.
    pub bytes: [usize; 2],
    /// The original text.
    pub before: String,
    /// The text of the mutant.
    pub after: String,
    /// The condition under which alone the mutant acts, if it is guarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Guard>,
    /// The published bug, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bug: Option<Bug>,
}

impl Mutant {
    /// The file with this change alone.
    pub fn apply(&self, text: &str) -> String {
        let own = (self.bytes, &self.after);
        let ([from, to], after) = self.guard.as_ref().map_or(own, |g| (g.bytes, &g.after));
        format!("{}{after}{}", &text[..from], &text[to..])
    }
}

/// A mutant with its place in the design.
#[derive(Clone, Debug)]
pub struct MutantCandidate {
    /// The mutant; its number is 0 until it is drawn.
    pub mutant: Mutant,
    /// Index of the mutant's module in the design, and of its site in the module.
    pub(crate) place: (usize, usize),
    /// For a case item: the label that is removed.
    pub(crate) label: Option<Span>,
    /// The signal on which the targets of the site depend only because of this mutant.
    pub(crate) uses: Option<String>,
}

impl MutantCandidate {
    /// A mutant that is not a change at a site.
    pub(crate) fn whole(mutant: Mutant) -> Self {
        Self { mutant, place: (0, 0), label: None, uses: None }
    }

    /// Sort key: the place in the sources.
    pub fn by_place(&self) -> (usize, usize) {
        self.place
    }
}

impl DesignModules {
    /// The mutant that replaces `old`, a part of one statement, condition or connected expression, by `new`. `None`
    /// unless `old` occurs exactly once in the file, and within a site.
    pub fn planted(
        &self,
        file: &str,
        old: &str,
        new: &str,
        operator: Operator,
    ) -> Option<MutantCandidate> {
        let place = self.modules.iter().position(|m| m.file == file)?;
        let module = &self.modules[place];
        let mut found = module.text.match_indices(old).map(|(from, _)| from);
        let (from, None) = (found.next()?, found.next()) else { return None };
        let bytes = [from, from + old.len()];
        let around = |at: &Span| at[0] <= bytes[0] && bytes[1] <= at[1];
        let sites = module.sites.iter().enumerate();
        let sites =
            sites.filter(|(_, s)| around(&s.at) && !matches!(s.what, SiteKind::Item { .. }));
        let (site, _) = sites.min_by_key(|(_, s)| s.at[1] - s.at[0])?;
        Some(self.candidate((place, site), operator, bytes, new.to_owned()))
    }

    /// The mutant that changes a range of bytes at a site.
    fn candidate(
        &self,
        place: (usize, usize),
        operator: Operator,
        bytes: Span,
        after: String,
    ) -> MutantCandidate {
        let module = &self.modules[place.0];
        let (line, column) = module.place(bytes[0]);
        let mutant = Mutant {
            number: 0,
            file: module.file.clone(),
            block: module.name.clone(),
            operator,
            line,
            column,
            bytes,
            before: module.line(bytes),
            after,
            guard: None,
            bug: None,
        };
        MutantCandidate { place, ..MutantCandidate::whole(mutant) }
    }
}

/// All mutants of a design in the order of the sources.
pub fn candidates(design: &DesignModules) -> Vec<MutantCandidate> {
    let mut all = Vec::new();
    for (place, module) in design.modules.iter().enumerate() {
        // Contains the dependencies that earlier mutants add, because combinational loops, even of several mutants
        // together, would slow down the model for all mutants.
        let mut with_mutants = module.clone();
        for (site_place, site) in module.sites.iter().enumerate() {
            let targets = match &site.what {
                SiteKind::Assignment { targets, .. } => targets.as_slice(),
                _ => &[],
            };
            for change in changes(module, site) {
                let added = |o: &String| !site.process.is_clocked() && !o.ends_with("_q");
                let uses = change.uses.filter(added);
                if let Some(other) = &uses {
                    if targets.is_empty() || !with_mutants.can_use(other, targets) {
                        continue;
                    }
                    with_mutants.computed_from(targets, other);
                }
                let place = (place, site_place);
                let candidate = design.candidate(place, change.operator, change.at, change.text);
                all.push(MutantCandidate { label: change.label, uses, ..candidate });
            }
        }
    }
    all
}

/// The order in which mutants are drawn. The pairs of block and operator take turns, so that small blocks and rare
/// operators are represented; the pairs, and the mutants of each pair, are in random order. The order depends only on
/// the seed and the candidates.
pub fn order(candidates: &[MutantCandidate], seed: u64) -> Vec<usize> {
    let mut groups: BTreeMap<(&str, Operator), Vec<usize>> = BTreeMap::new();
    for (place, c) in candidates.iter().enumerate() {
        groups.entry((&c.mutant.block, c.mutant.operator)).or_default().push(place);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.iter_mut().for_each(|group| group.shuffle(&mut rng));
    groups.shuffle(&mut rng);
    let longest = groups.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|turn| groups.iter().filter_map(move |g| g.get(turn).copied())).collect()
}
