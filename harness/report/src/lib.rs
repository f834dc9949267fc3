// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report of a mismatch: what differs first, where and when, which instruction is responsible, how the difference
//! spreads, and how to reproduce it.
//!
//! A [`Report`] is plain data: the numbers and identities ([`data`]) that its views show. The views put the data into
//! words: [`text`](Report::text) for a terminal, a [page](Report::page), and [`waves`]. A report is stored as
//! `report.json` (`report.schema.json`), so a later build can show it again, even if the case no longer fails.
//!
//! Other crates also use the frame and tables of pages ([`html`]), the lines of a program ([`program`]), the texts for
//! units and values ([`mod@text`]), the reader of stored documents ([`stored`]), and [`shown`], which makes text safe
//! to print.
//!
//! [`end_state`] traces the values at the end of a program that are not the expected ones.
//!
//! The crate runs a case only to record its waves or its end; `drra-diagnose` finds the responsible instruction, and
//! `drra-campaign` runs the cases of campaigns.
//!
//! ```
//! use drra_diagnose::signature;
//! use drra_isa::Geometry;
//! use drra_lockstep::{GoldenDesign, RunSetup, find};
//! use drra_testkit::{Fault, FaultyDesign, Flip};
//! use drra_report::{Colouring, ReportInput, build};
//!
//! let geometry = Geometry::default();
//! let case = drra_case::programs::ALL[0].case(&geometry).unwrap();
//! let location = "cell[0][0].rf.mem[40]".parse().unwrap();
//! let flip = Flip { cycle: 30, location, bit: 3 };
//! let design = FaultyDesign::new(&GoldenDesign, Fault::Flip(flip));
//! let setup = RunSetup::new(&design);
//! let mut outcome = find(&case, &setup, &mut ()).unwrap();
//! let (failing, around) = signature::recorded(&case, &setup, &mut outcome).unwrap().unwrap();
//! let repeat = "drra replay case.json";
//! let subject = ReportInput { case: &case, failing: &failing, around: &around, setup, repeat, reduced: None };
//! let text = build(&subject).text(Colouring::Plain);
//! assert!(text.contains("MISMATCH in cycle 30: cell[0][0].rf.mem[40] differs"));
//! ```

mod build;
pub mod data;
pub mod html;
pub mod program;
pub mod shown;
pub mod stored;
mod terminal;
pub mod text;
pub mod waves;

pub use build::{EndStateProvenance, ReportInput, build, end_state};
pub use data::{ReductionSizes, Report, VERSION};
pub use terminal::{Colouring, ProgramSource, provenances, table, unfitted};
