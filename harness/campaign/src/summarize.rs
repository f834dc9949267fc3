// SPDX-License-Identifier: MIT OR Apache-2.0
//! The summary of a campaign, computed from its records alone: the same cases give the same summary,
//! however many workers or shards ran them.

use std::collections::BTreeMap;

use drra_coverage::Coverage;
use drra_generate::Constraint;
use drra_isa::Revision;
use drra_report::summary::Excluded;
use drra_report::summary::Failure;
use drra_report::summary::Moved;
use drra_report::summary::Summary;
use drra_report::summary::Timing;
use drra_report::summary::VERSION;

use crate::estimate;
use crate::journal::Header;
use crate::journal::Record;

/// The summary of a campaign's records, in the order of their cases.
pub fn summarize(header: &Header, records: &[Record], timing: Timing) -> Summary {
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    let names = Revision::R4.isa().instructions.iter().map(|i| i.name.clone());
    let names: Vec<String> = names.chain(["raw words".to_owned()]).collect();
    let mut moved = Moved::default();
    let mut failures: Vec<Failure> = Vec::new();
    let mut coverage = Coverage::default();
    let mut constraints: Vec<Excluded> = header.profile.constraints.iter().map(excluded).collect();
    for record in records {
        for (constraint, count) in constraints.iter_mut().zip(&record.replaced) {
            constraint.replaced += count;
        }
        for (name, count) in names.iter().zip(&record.kinds) {
            *kinds.entry(name.clone()).or_default() += count;
        }
        if let Some([transfers, results, write_backs]) = record.moved {
            moved.cases += 1;
            for (sum, add) in [
                (&mut moved.transfers, transfers),
                (&mut moved.results, results),
                (&mut moved.write_backs, write_backs),
            ] {
                *sum = [sum[0] + add[0], sum[1] + add[1]];
            }
        }
        coverage.add(&record.bins);
        if let Some((signature, cycle)) = &record.failure {
            match failures.iter_mut().find(|f| f.signature == *signature) {
                Some(known) => known.count += 1,
                None => failures.push(Failure {
                    signature: signature.clone(),
                    count: 1,
                    first_case: record.case,
                    first_seed: crate::case_seed(header.seed, record.case),
                    cycle: *cycle,
                    folder: crate::failure_folder(signature),
                }),
            }
        }
    }
    let cases = records.len() as u64;
    let groups = coverage.groups();
    let complete = groups.iter().all(|g| g.hit == g.bins);
    let seen = |count| failures.iter().filter(|f| f.count == count).count() as u64;
    let new_signature = estimate::of_something_new(seen(1), seen(2), cases);
    // Journals do not tell which bins were hit just twice. Of bins that are hit up to three times on average there
    // are at most one and a half times as many as of those hit once.
    let bins = coverage.hit_once();
    let cycles = records.iter().map(|r| r.cycles).sum();
    Summary {
        version: VERSION,
        profile: header.profile.name.clone(),
        seed: header.seed,
        identity: header.identity.clone(),
        mixed: header.mixed.clone(),
        cases,
        failed: failures.iter().map(|f| f.count).sum(),
        cycles,
        compared: header.compared.clone().in_cycles(cycles),
        instructions: records.iter().map(|r| r.instructions).sum(),
        kinds,
        constraints,
        moved,
        coverage: groups,
        failures,
        new_signature,
        // Where every bin was hit there is no new one, however rare the hits.
        new_bin: if complete { 0.0 } else { estimate::of_something_new(bins, bins * 3 / 2, cases) },
        timing,
    }
}

/// A constraint of which nothing was replaced yet.
fn excluded(constraint: &Constraint) -> Excluded {
    Excluded { constraint: constraint.to_string(), reason: constraint.reason.clone(), replaced: 0 }
}
