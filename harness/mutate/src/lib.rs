// SPDX-License-Identifier: MIT OR Apache-2.0
//! Systematic faults in the RTL: how good is the harness at finding them?
//!
//! [`Rtl::read`] reads the sources, [`candidates`] lists what the operators can change in them, [`order`] draws from
//! that. [`schemata`] writes the sources of one model that has all drawn mutants; which one it behaves as is chosen
//! when it starts. [`run`] builds that model, lets [`worker`] processes run a campaign against each mutant, tries to
//! prove that survivors are equivalent, and sums up what the journal ([`record`]) has.
//!
//! slang reads the sources (`reader.py`), Yosys proves; both are Python packages, installed when they are needed first.

mod design;
mod error;
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

pub use design::Design;
pub use error::MutateError;
pub use mutant::{Candidate, Mutant, candidates, order};
pub use operators::Operator;
pub use page::page;
pub use plan::{Options, Rtl, faults};
pub use run::{Finished, run};
pub use summary::{Summary, summarize};
pub use tools::Tools;
