// SPDX-License-Identifier: MIT OR Apache-2.0
//! A view of a program that runs on the golden model: the data that move between the units in each cycle, the activity
//! of the units, the contents of the memories, and statistics.
//!
//! [`record`] runs a case and keeps everything as numbers ([`RecordedRun`]); [`count`] only computes the totals
//! ([`Statistics`]). The page ([`RecordedRun::page`]) and the table ([`Statistics::text`]) are views.
//!
//! No design under test is involved here, and the correctness of a program is not checked.
//!
//! ```
//! use drra_isa::Geometry;
//! use drra_view::{CycleWindow, record};
//!
//! let geometry = Geometry::default();
//! let case = drra_case::programs::ALL[0].case(&geometry).unwrap();
//! let recording = record(&case, None, CycleWindow::default());
//! assert_eq!(recording.statistics.instructions, 16);
//! assert!(recording.page().starts_with("<!DOCTYPE html>"));
//! ```

mod cost;
mod html;
mod recording;
mod short;
mod spans;
mod statistics;
mod table;
mod trace_diff;
mod trace_table;
mod track;
mod watch;

pub use cost::LoopStatistics;
pub(crate) use recording::{CellTracks, ColumnTracks, TileTracks, sequencing};
pub use recording::{Instruction, RecordedRun};
pub(crate) use spans::Part;
pub use spans::Span;
pub use statistics::{
    AguStatistics, CellStatistics, ColumnStatistics, ProgramSpan, Statistics, TileStatistics,
    Totals, VERSION,
};
pub(crate) use table::UnitTable;
pub use trace_diff::differences;
pub use track::Track;
pub use watch::{CycleWindow, MAX_CYCLES, count, record};
