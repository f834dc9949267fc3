// SPDX-License-Identifier: MIT OR Apache-2.0
//! The summary of a campaign. Except for its timing, it depends only on the settings and the finished cases: the same
//! cases yield the same summary, regardless of the number of workers and shards.

use std::{collections::BTreeMap, slice};

use drra_coverage::by_missing;
use drra_diagnose::signature::folder_name;
use drra_generate::Constraint;
use drra_isa::{Revision, SizeText};
use drra_lockstep::ComparisonCoverage;
use drra_report::data::FabricFailures;
use drra_results::summary::{
    ConstraintEffect, DesignWarning, FabricCases, Failure, FailureVariant, Summary, Timing, VERSION,
};

use crate::{
    common, directed::case_seed, estimate, journal::JournalHeader, sums::FailureCount, tally::Tally,
};

impl Tally {
    /// The summary of the campaign whose cases were added.
    pub fn summarize(&self, header: &JournalHeader, timing: Timing) -> Summary {
        let mut summary = self.figures(header, timing);
        common::add(&mut summary.failures, self, header);
        summary
    }

    /// The summary without the common situations of each failure, which are found by running some cases again.
    pub fn figures(&self, header: &JournalHeader, timing: Timing) -> Summary {
        let names = Revision::R4.isa().instructions.iter().map(|i| i.name.clone());
        let names = names.chain(["raw words".to_owned()]);
        let kinds: BTreeMap<String, u64> = names.zip(self.sums.kinds.iter().copied()).collect();
        let of = |place: usize| self.sums.replaced.get(place).copied().unwrap_or(0);
        let constraints = header.profile.constraints.iter().enumerate();
        let constraints = constraints.map(|(place, c)| excluded(c, of(place))).collect();
        let failures = self.failures(header);
        let groups: Vec<_> =
            by_missing(&self.coverage).into_iter().map(|(_, counts)| counts).collect();
        let complete = groups.iter().all(|g| g.hit == g.bins);
        let seen = |count| failures.iter().filter(|f| f.count == count).count() as u64;
        let new_signature = estimate::of_something_new(seen(1), seen(2), self.cases);
        // The number of bins hit exactly twice is unknown. If a bin is hit up to three times on average, it is at most
        // one and a half times the number of bins hit once (Poisson distribution).
        let bins = self.coverage.hit_once();
        let warning = |(text, &[count, first_case]): (&String, &[u64; 2])| DesignWarning {
            text: text.clone(),
            count,
            first_case,
        };
        let new_bin = estimate::of_something_new(bins, bins * 3 / 2, self.cases);
        Summary {
            version: VERSION,
            profile: header.profile.name.clone(),
            profile_file: header.profile_file.clone(),
            seed: header.seed,
            identity: header.identity.clone(),
            mixed: header.mixed.clone(),
            cases: self.cases,
            failed: failures.iter().filter(|f| !f.behind).map(|f| f.count).sum(),
            cycles: self.sums.cycles,
            planned: self.sums.planned,
            last_cycle: self.sums.last_cycle,
            compared: self.compared(header),
            fabrics: self.fabrics(),
            instructions: self.sums.instructions,
            kinds,
            constraints,
            moved: self.sums.moved.clone(),
            coverage: groups,
            failures,
            unmatched: Vec::new(),
            new_signature,
            // If every bin was hit, no bin can be new, however rare the hits.
            new_bin: if complete { 0.0 } else { new_bin },
            warnings: self.sums.warnings.iter().map(warning).collect(),
            missing: self.missing(header),
            timing,
        }
    }

    /// The comparison coverage. If the whole state is compared, the bits of a cycle depend on the case's fabric size.
    fn compared(&self, header: &JournalHeader) -> ComparisonCoverage {
        let mut compared = header.compared.clone().in_cycles(self.sums.cycles);
        if !self.sums.fabrics.is_empty() && compared.is_whole() {
            compared.several_sizes = self.sums.fabrics.len() > 1;
            let bits =
                |size: &SizeText| ComparisonCoverage::whole(slice::from_ref(&size.0)).all().bits;
            compared.bit_cycles =
                self.sums.fabrics.iter().map(|(size, [_, cycles])| cycles * bits(size)).sum();
        }
        compared
    }

    /// Cases and cycles by size.
    fn fabrics(&self) -> Vec<FabricCases> {
        let of = |(size, &[cases, cycles]): (&SizeText, &[u64; 2])| FabricCases {
            fabric: size.to_string(),
            cases,
            cycles,
        };
        self.sums.fabrics.iter().map(of).collect()
    }

    /// Failing cases of a failure by size; empty if there are fewer than two sizes.
    fn failing_fabrics(&self, variants: &BTreeMap<String, FailureCount>) -> Vec<FabricFailures> {
        if self.sums.fabrics.len() < 2 {
            return Vec::new();
        }
        let of = |(size, &[cases, _]): (&SizeText, &[u64; 2])| FabricFailures {
            fabric: size.to_string(),
            failing: variants.values().filter_map(|seen| seen.fabrics.get(size)).sum(),
            cases,
        };
        self.sums.fabrics.iter().map(of).collect()
    }

    /// The distinct failures, in the order of their first cases.
    fn failures(&self, header: &JournalHeader) -> Vec<Failure> {
        let variant = |(signature, seen): (&String, &FailureCount)| FailureVariant {
            signature: signature.clone(),
            count: seen.count,
            first_case: seen.first.0,
            first_seed: case_seed(header.seed, seen.first.0),
            cycle: seen.first.1,
        };
        let failure =
            |(name, variants, behind): (&String, &BTreeMap<String, FailureCount>, bool)| {
                let fabrics = self.failing_fabrics(variants);
                let mut variants: Vec<FailureVariant> = variants.iter().map(variant).collect();
                variants.sort_by_key(|v| v.first_case);
                let FailureVariant { first_case, first_seed, cycle, .. } = *variants.first()?;
                Some(Failure {
                    signature: name.clone(),
                    count: variants.iter().map(|v| v.count).sum(),
                    first_case,
                    first_seed,
                    cycle,
                    folder: format!("failures/{}", folder_name(name)),
                    variants,
                    common: Vec::new(),
                    fabrics,
                    behind,
                    known: None,
                })
            };
        let mut failures: Vec<Failure> = self.all_failures().filter_map(failure).collect();
        failures.sort_by_key(|f| (f.first_case, f.cycle));
        failures
    }
}

/// A constraint, and the number of instructions or fields that were replaced because of it.
fn excluded(constraint: &Constraint, replaced: u64) -> ConstraintEffect {
    ConstraintEffect {
        constraint: constraint.to_string(),
        reason: constraint.reason.clone(),
        replaced,
    }
}
