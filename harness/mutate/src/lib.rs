// SPDX-License-Identifier: MIT OR Apache-2.0
//! Systematic faults in the RTL: how good is the harness at finding them?
//!
//! [`Design::read`] reads the sources, [`candidates`] lists what the operators can change in them, [`order`]
//! draws from that. [`schemata`] writes sources of one model that has all drawn mutants; which one it behaves
//! as is chosen when it starts. Findings go into a [`record::Journal`] and are summed up by [`summarize`].
//!
//! The crate runs nothing: it neither builds models nor starts cases. It reads the subset of SystemVerilog
//! that `rtl/` is written in, and refuses the rest with its place.
//!
//! ```
//! use drra_mutate::{Design, candidates};
//!
//! let text = "module m (input logic a_i, input logic b_i, output logic x_o);\n\
//!             assign x_o = a_i && b_i;\nendmodule\n";
//! let design = Design::read(&[("m.sv".to_owned(), text.to_owned())]).unwrap();
//! let mutants = candidates(&design);
//! assert!(mutants.iter().any(|c| c.mutant.apply(text).contains("x_o = ((a_i) || (b_i))")));
//! ```

mod design;
mod error;
mod expression;
mod hierarchy;
mod module;
mod mutant;
mod number;
mod operators;
mod page;
mod reader;
pub mod record;
pub mod schemata;
mod source;
mod statement;
pub mod summary;
pub mod worker;

pub use design::Design;
pub use error::MutateError;
pub use mutant::{Candidate, Mutant, candidates, order};
pub use operators::Operator;
pub use page::page;
pub use source::Source;
pub use summary::{Summary, summarize};
