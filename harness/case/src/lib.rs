// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cases: everything that a run of the fabric needs, as data and as files.
//!
//! A file becomes a [`Case`] ([`load`], [`parse`]); a case contains a [`Stimulus`], which supplies the values of the
//! input ports in every cycle; [`Buffers`] answer the requests of the fabric. The bundled programs are in [`programs`].
//!
//! The crate contains no model; it neither runs nor generates cases.
//!
//! ```
//! use drra_case::programs;
//! use drra_isa::Geometry;
//!
//! let geometry = Geometry::default();
//! let case = programs::ALL[0].case(&geometry).unwrap();
//! let text = drra_case::to_json(&case);
//! let again = drra_case::parse(&text).unwrap();
//! assert_eq!(again.stimulus, case.stimulus);
//! ```

mod buffers;
mod case;
mod directed_sequence;
mod error;
mod file;
mod idle;
pub mod load;
pub mod programs;
pub mod stimulus;

pub use buffers::Buffers;
pub use case::{Case, CaseOrigin, Divergence, MAX_CYCLES};
pub use directed_sequence::{DirectedCell, DirectedSequence, InstructionTemplate, Step, Steps};
pub use error::{CaseError, ElementError, ElementProblem, ElementWarning, ReadError, TextError};
pub use file::{VERSION, parse, parse_with_warnings, schema, to_json};
pub use idle::IdlePorts;
pub use stimulus::{Stimulus, StimulusEntry};
