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

use crate::journal::Header;
use crate::journal::Record;

/// The normal distribution exceeds this with a probability of 5 %.
const NORMAL_95: f64 = 1.644_853_627;
/// Cases for which the stop estimate looks ahead.
const AHEAD: u64 = 1000;

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
    let once = failures.iter().filter(|f| f.count == 1).count() as u64;
    let cycles = records.iter().map(|r| r.cycles).sum();
    Summary {
        version: VERSION,
        profile: header.profile.name.clone(),
        seed: header.seed,
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
        new_signature: good_turing(once, cases),
        // Where every bin was hit there is no new one, however rare the hits.
        new_bin: if complete { 0.0 } else { good_turing(coverage.hit_once(), cases) },
        timing,
    }
}

/// A constraint of which nothing was replaced yet.
fn excluded(constraint: &Constraint) -> Excluded {
    Excluded { constraint: constraint.to_string(), reason: constraint.reason.clone(), replaced: 0 }
}

/// Upper bound of the probability that the next [`AHEAD`] cases show something new, if `once` of the
/// things seen so far were seen in one case only. Good and Turing estimate the chance of a case by the
/// share of the cases that showed such things; the bound takes the largest number of them that would
/// still be as few as these with a probability of 5 % (Wilson and Hilferty's approximation of the
/// Poisson bound).
fn good_turing(once: u64, cases: u64) -> f64 {
    if cases == 0 {
        return 1.0;
    }
    let freedom = 2.0 * (once as f64 + 1.0);
    let spread = 2.0 / (9.0 * freedom);
    let most = freedom / 2.0 * (1.0 - spread + NORMAL_95 * spread.sqrt()).powi(3);
    let per_case = (most / cases as f64).min(1.0);
    let none = (1.0 - per_case).powf(AHEAD as f64);
    // Six digits: the last bits of a power differ between platforms.
    ((1.0 - none) * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::good_turing;

    #[test]
    fn estimate_of_what_is_new() {
        let near = |found: f64, exact: f64| (found - exact).abs() < 0.01 * exact;
        assert_eq!(good_turing(5, 5), 1.0);
        assert_eq!(good_turing(0, 1), 1.0);
        // Exact Poisson bounds: 2.9957 for none, 4.7439 for one. 1 - (1 - 2.9957/10000)^1000
        assert!(near(good_turing(0, 10_000), 0.258_9), "{}", good_turing(0, 10_000));
        assert!(near(good_turing(1, 10_000), 0.377_8), "{}", good_turing(1, 10_000));
        assert!(near(good_turing(0, 10_000_000), 0.000_299_5));
    }
}
