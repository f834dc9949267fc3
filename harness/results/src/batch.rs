// SPDX-License-Identifier: MIT OR Apache-2.0
//! The results of checking a batch of waveforms.

use std::collections::{BTreeMap, BTreeSet};

use drra_diagnose::signature;
use drra_lockstep::ComparisonCoverage;
use drra_report::{Report, table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{junit::TestRun, known::Deviation};

/// Version of the format.
const VERSION: u32 = 1;

/// The results of a batch of waveforms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    version: u32,
    /// All waveforms, in the order of their names.
    pub cases: Vec<BatchCase>,
    /// Distinct failures, in the order of their signatures.
    pub failures: Vec<BatchFailure>,
}

/// The result of one waveform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchCase {
    /// Name of the folder.
    pub name: String,
    /// Exit code for this waveform, in `drra check` regardless of comparison coverage: 0 agreed or known, 1 mismatch, 2 bad input,
    /// 3 tool failure, 4 not finished.
    pub exit: u8,
    /// `agreed`, the signature of the mismatch, `not finished` if the simulation has not ended or not begun, or the
    /// reason the waveform could not be compared.
    pub verdict: String,
    /// The known deviation that explains the mismatch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Deviation>,
    /// Cycles compared.
    pub cycles: u64,
    /// Cycle of the mismatch.
    pub cycle: Option<u64>,
    /// The first difference.
    pub first: Option<String>,
    /// Comparison coverage; absent if the waveform could not be compared.
    pub compared: Option<ComparisonCoverage>,
}

/// A distinct failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchFailure {
    /// Identifies the failure: the rule for the value that differs, if there is one; for a variant,
    /// the verdict.
    pub signature: String,
    /// Number of waveforms with this failure.
    pub count: usize,
    /// Name of the first of these waveforms.
    pub first: String,
    /// Cycle of the mismatch in that waveform.
    pub cycle: u64,
    /// The verdicts with which the failure occurred, in the order of their first waveforms; a verdict has no variants
    /// of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<BatchFailure>,
}

impl BatchCase {
    /// The result of a run with this exit code.
    pub fn new(ran: &TestRun, exit: u8) -> Self {
        let report = ran.report.as_ref();
        Self {
            name: ran.name.clone(),
            exit,
            verdict: match (&ran.refused, report) {
                (Some(why), _) if ran.skipped => why.clone(),
                (Some(why), _) => format!("not compared: {why}"),
                (None, Some(report)) => report.signature.clone(),
                (None, None) => "agreed".to_owned(),
            },
            cycles: ran.cycles,
            known: ran.known.clone(),
            cycle: report.map(|report| report.mismatch.cycle),
            first: report.map(Report::place),
            compared: ran.compared.clone(),
        }
    }
}

impl Batch {
    /// The results of a batch.
    pub fn new(cases: Vec<BatchCase>) -> Self {
        let mut failures: BTreeMap<String, BatchFailure> = BTreeMap::new();
        for case in &cases {
            let Some(cycle) = case.cycle else { continue };
            let fresh = |signature: &str| BatchFailure {
                signature: signature.to_owned(),
                count: 0,
                first: case.name.clone(),
                cycle,
                variants: Vec::new(),
            };
            let name = signature::failure(&case.verdict);
            let failure = failures.entry(name).or_insert_with_key(|name| fresh(name));
            failure.count += 1;
            let variants = &mut failure.variants;
            match variants.iter_mut().find(|v| v.signature == case.verdict) {
                Some(variant) => variant.count += 1,
                None => variants.push(BatchFailure { count: 1, ..fresh(&case.verdict) }),
            }
        }
        let failures = failures.into_values().collect();
        Self { version: VERSION, cases, failures }
    }

    /// Name of the first waveform with a failure that is not known, or of the first with this failure if all are known.
    pub fn to_report<'a>(&'a self, failure: &'a BatchFailure) -> &'a str {
        let is_new = |c: &&BatchCase| c.cycle.is_some() && c.known.is_none();
        let mut new = self.cases.iter().filter(is_new);
        let case = new.find(|case| signature::failure(&case.verdict) == failure.signature);
        case.map_or(&failure.first, |case| &case.name)
    }

    /// The distinct failures as a table for a terminal; empty if there are no failures.
    pub fn failures_table(&self) -> String {
        // Cases with one verdict can have several provenances, not all of them known.
        let known = |name: &str| {
            let cases = || self.cases.iter().filter(|case| case.verdict == name);
            let known: Vec<_> = cases().filter_map(|c| Some(c.known.as_ref()?.label())).collect();
            let labels: Vec<_> = BTreeSet::from_iter(&known).into_iter().cloned().collect();
            match (known.len(), labels.join("; ")) {
                (0, _) => String::new(),
                (n, labels) if n == cases().count() => format!(" (known: {labels})"),
                (n, labels) => format!(" ({n} known: {labels})"),
            }
        };
        let row = |indent: &str, f: &BatchFailure| {
            let name = format!("{indent}{}{}", f.signature, known(&f.signature));
            vec![name, f.count.to_string(), f.first.clone(), f.cycle.to_string()]
        };
        let rows = self.failures.iter().flat_map(|f| {
            let variants = f.variants.iter().filter(|v| v.signature != f.signature);
            [row("", f)].into_iter().chain(variants.map(|v| row("  ", v)))
        });
        table(&["distinct failure", "waveforms", "first", "cycle"], rows, [1, 3])
    }

    /// The text of the file, which follows `batch.schema.json`.
    ///
    /// # Panics
    /// Never: a batch is plain data.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data") + "\n"
    }
}
