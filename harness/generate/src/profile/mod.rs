// SPDX-License-Identifier: MIT OR Apache-2.0
//! Profiles: weights and ranges that steer the generator (`harness/profiles/profile.schema.json`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

mod check;
mod data;
mod error;
mod fabrics;
mod file;
mod kinds;
mod limits;
mod read;

pub use data::DataWeights;
pub use error::ProfileError;
pub use fabrics::FabricWeights;
pub use file::schema;
pub use kinds::Scenario;
pub use read::SHIPPED;

use drra_case::Case;
use drra_case::DirectedSequence;

use crate::{
    constraint::{self, Constraint, Enforcer, ResolvedConstraints},
    op::Op,
};

/// A resolved profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    pub name: String,
    /// Minimum and maximum number of cells with a program.
    pub cells: [u64; 2],
    /// Minimum and maximum number of cycles planned after the load phase; a case can end earlier or later.
    pub cycles: [u64; 2],
    /// Maximum number of scenarios of a case, divided by the number of its cells with a program; each case draws its
    /// own number.
    pub scenarios_per_cell: f64,
    /// Weights of the scenarios.
    pub scenarios: BTreeMap<Scenario, u32>,
    /// Share of the cases that get mutations.
    pub mutated: f64,
    /// Maximum number of mutations in a case that gets any.
    pub mutations: u64,
    /// Chance that a gap begins with an arbitrary instruction, and that each such instruction is followed by another;
    /// a WAIT fills the rest.
    pub noise: f64,
    /// Chance that an arbitrary instruction in a gap is a word of arbitrary bits.
    pub raw: f64,
    /// Chance that an instruction of a scenario waits for the flag of the next one.
    pub deferred: f64,
    /// Chance that a cell is an I/O cell.
    pub io_cells: f64,
    /// Chance that memories are written through the ports while programs run.
    pub late_init: f64,
    /// Chance that words of a program are loaded a second time, usually into several cells at once.
    pub reload: f64,
    /// Chance that operands of an instruction come from RACCU registers that are loaded before it.
    #[serde(default)]
    pub dynamic: f64,
    /// Chance that one cell starts up to four cycles earlier or later than its transfers assume.
    #[serde(default)]
    pub moved_start: f64,
    /// Chance that one cell of a small fabric waits for 2048 to 40000 cycles; long times are less likely.
    #[serde(default)]
    pub long_waits: f64,
    /// Chance that unused port lines carry random bits in some cycles.
    #[serde(default)]
    pub idle_ports: f64,
    /// Kinds of data.
    pub data: DataWeights,
    /// Sizes of the fabric.
    #[serde(default, skip_serializing_if = "FabricWeights::is_empty")]
    pub fabrics: FabricWeights,
    /// Constraints on the cases: first those of the extended profile, then those of this profile, then those that avoid
    /// deviations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
}

impl Profile {
    /// The constraints with their names looked up.
    ///
    /// # Panics
    /// If they were never checked.
    pub(crate) fn rules(&self) -> ResolvedConstraints {
        ResolvedConstraints::new(&self.constraints)
            .expect("constraints are checked when a profile is read")
    }

    /// The scenarios that the constraints do not exclude completely, with their weights.
    pub(crate) fn weights(
        &self,
        rules: &ResolvedConstraints,
    ) -> impl Iterator<Item = (Scenario, u32)> {
        let all = self.scenarios.iter().map(|(scenario, weight)| (*scenario, *weight));
        all.filter(|(scenario, _)| scenario.hindered(rules).is_none())
    }

    /// The first constraint that a case violates.
    ///
    /// # Panics
    /// If the constraints were never checked.
    pub fn violated(&self, case: &Case) -> Option<&Constraint> {
        constraint::violated(&self.rules(), case).map(|k| &self.constraints[k])
    }

    /// True if the constraints leave each instruction of a directed sequence, considered alone, unchanged in
    /// [`generate_with`](crate::generate_with).
    ///
    /// # Panics
    /// If the constraints were never checked.
    pub fn permits(&self, sequence: &DirectedSequence) -> bool {
        let mut enforcer = Enforcer::new(self.rules());
        sequence.templates().all(|template| {
            let op = Op::of_template(template);
            let io_cell = template.opcode == drra_isa::Opcode::Io;
            enforcer.rules.lacks(template.opcode).is_none()
                && enforcer.permitted(op.clone(), io_cell) == op
        })
    }
}
