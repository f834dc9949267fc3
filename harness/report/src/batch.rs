// SPDX-License-Identifier: MIT OR Apache-2.0
//! The results of many recordings that were checked together.

use std::collections::BTreeMap;

use drra_lockstep::Compared;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::table;

/// Version of the format.
const VERSION: u32 = 1;

/// The results of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    version: u32,
    /// All recordings, in the order of their names.
    pub cases: Vec<BatchCase>,
    /// Distinct failures, in the order of their signatures.
    pub failures: Vec<BatchFailure>,
}

/// The result of one recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchCase {
    /// Name of the folder.
    pub name: String,
    /// Exit code that it would have on its own: 0 agreed, 1 mismatch, 2 bad input, 3 tool failure.
    pub exit: u8,
    /// `agreed`, the signature of the mismatch, or why it could not be compared.
    pub verdict: String,
    /// Cycles compared.
    pub cycles: u64,
    /// Cycle of the mismatch.
    pub cycle: Option<u64>,
    /// What differs first.
    pub first: Option<String>,
    /// How much was compared; missing if it could not be compared.
    pub compared: Option<Compared>,
}

/// A distinct failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchFailure {
    /// What makes it distinct.
    pub signature: String,
    /// Recordings that fail so.
    pub count: usize,
    /// The first of them.
    pub first: String,
    /// Cycle of its mismatch.
    pub cycle: u64,
}

impl Batch {
    /// The results of a batch.
    pub fn new(cases: Vec<BatchCase>) -> Self {
        let mut failures: BTreeMap<&str, BatchFailure> = BTreeMap::new();
        for case in &cases {
            let Some(cycle) = case.cycle else { continue };
            let fresh = || BatchFailure {
                signature: case.verdict.clone(),
                count: 0,
                first: case.name.clone(),
                cycle,
            };
            failures.entry(&case.verdict).or_insert_with(fresh).count += 1;
        }
        let failures = failures.into_values().collect();
        Self { version: VERSION, cases, failures }
    }

    /// The distinct failures for a terminal; empty if there are none.
    pub fn failures_table(&self) -> String {
        let row = |f: &BatchFailure| {
            vec![f.signature.clone(), f.count.to_string(), f.first.clone(), f.cycle.to_string()]
        };
        let names = ["distinct failure", "dumps", "first", "cycle"];
        table(&names, self.failures.iter().map(row), [1, 3])
    }

    /// The text of the file, which follows `batch.schema.json`.
    ///
    /// # Panics
    /// Never: a batch is plain data.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data") + "\n"
    }
}

/// The schema of the file, `batch.schema.json`.
///
/// # Panics
/// Never: a schema is plain data.
pub fn schema() -> String {
    let schema = schemars::schema_for!(Batch);
    serde_json::to_string_pretty(&schema).expect("plain data") + "\n"
}
