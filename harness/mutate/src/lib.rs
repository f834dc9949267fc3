// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mutation score: how many systematic faults in the RTL the harness finds.
//!
//! [`RtlProject::read`] reads the sources, [`candidates`] lists the mutants that the operators can make, and [`order`]
//! gives the order in which they are drawn; [`guarded`] also gives each a condition under which it acts. [`schemata`]
//! writes the sources of one model with all drawn mutants, of which one is selected at start. [`run`] builds that
//! model, runs a campaign on each mutant in [`worker`] processes, tries to prove survivors equivalent to the original
//! or to the chapters, and summarizes the journal ([`record`]). Published bugs ([`bugs`]) are patches, each in a model
//! of its own.
//!
//! slang reads the sources (`reader.py`), and Yosys makes the proofs; both are Python packages, installed on first use.

mod bug;
pub mod built;
mod design;
mod error;
mod guard;
pub mod model;
mod mutant;
mod number;
mod operators;
mod page;
mod plan;
mod pool;
mod prove;
pub mod record;
mod run;
pub mod schemata;
pub mod summary;
mod tools;
pub mod worker;

pub use bug::{Bug, bugs};
pub use design::DesignModules;
pub use error::MutateError;
pub use guard::{Guard, guarded};
pub use mutant::{Mutant, MutantCandidate, candidates, order};
pub use operators::Operator;
pub use page::page;
pub use plan::{MutationOptions, RtlProject, faults};
pub use run::{RunResult, run};
pub use summary::{MutationSummary, summarize};
pub use tools::Tools;
