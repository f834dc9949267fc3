// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cases for simulators that this project does not run: the stimulus as plain text, test benches that read it,
//! scripts that run them, and the case as the golden model must run it.
//!
//! [`export`] makes the files of one case, and [`bench`](fn@bench) makes the files that all cases of a fabric share.
//! This module does not open files.
//!
//! ```
//! use drra_isa::Geometry;
//! use drra_recorded::export::{ExportOptions, export};
//!
//! let geometry = Geometry::default();
//! let case = drra_case::programs::ALL[0].case(&geometry).unwrap();
//! let exported = export(&case, &ExportOptions::default()).unwrap();
//! let names: Vec<&str> = exported.files.iter().map(|file| file.name).collect();
//! assert_eq!(names, ["stimulus.txt", "buffers.txt", "case.json", "program.sasm"]);
//! // Two idle cycles come before the first block of the case.
//! assert_eq!(exported.case.stimulus.entries()[0].cycle, 2);
//! ```

mod arrange;
mod bench;
mod file;
mod lock_step;
mod manifest;
mod options;
mod text;

use drra_case::{Case, IdlePorts, MAX_CYCLES};

pub use bench::{ExportTarget, bench, cocotb};
pub use file::ExportFile;
pub use lock_step::lock_step;
pub use manifest::{ExportedCase, MANIFEST, Manifest, ManifestError};
pub use options::{ExportOptions, FlagTiming, WordOrder};

/// A case as it was exported.
#[derive(Clone, Debug)]
pub struct CaseExport {
    /// The case with the stimulus as the test bench drives it: cycle 0 is the first cycle after the test bench
    /// releases reset, and the number of cycles is fixed.
    pub case: Case,
    /// Cycles that were inserted because two flags would otherwise have collided.
    pub inserted_cycles: u64,
    pub files: Vec<ExportFile>,
}

/// The reason a case cannot be exported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// With the idle cycles, the run exceeds the maximum length of a case.
    #[error("the run has {cycles} cycles including idle ones; the maximum is {MAX_CYCLES}")]
    TooLong {
        /// Number of cycles of the run.
        cycles: u64,
    },
}

/// Creates the files of a case: `stimulus.txt`, `buffers.txt`, `case.json` and `program.sasm`. A case that runs until the fabric is
/// idle is first run on the golden model to find its length. Random bits on lines of load ports are written out; the
/// test bench drives 0 on `io_in_data` for a column without a request.
///
/// # Errors
/// If the run, including idle cycles, is longer than [`MAX_CYCLES`].
pub fn export(case: &Case, options: &ExportOptions) -> Result<CaseExport, ExportError> {
    let random = case.idle_ports == IdlePorts::Random;
    let lines = random.then(|| {
        let quiet = || drra_lockstep::run_golden(case, None).cycles;
        // One cycle more than the case has, as in `stimulus.txt`.
        let cycles = case.cycles.unwrap_or_else(quiet).min(MAX_CYCLES) + 1;
        case.with_explicit_lines(cycles)
    });
    let mut arranged = arrange::arrange(lines.as_ref().unwrap_or(case), options);
    let cycles = match arranged.case.cycles {
        Some(cycles) => cycles,
        None => drra_lockstep::run_golden(&arranged.case, None).cycles,
    };
    if cycles > MAX_CYCLES {
        return Err(ExportError::TooLong { cycles });
    }
    arranged.case.cycles = Some(cycles);
    let file = |name, text| ExportFile { name, text, executable: false };
    arranged.case.program = arranged.case.stimulus.program(&arranged.case.geometry);
    let files = vec![
        file("stimulus.txt", text::stimulus(&arranged, cycles, options)),
        file("buffers.txt", text::buffers(&arranged.case)),
        file("case.json", drra_case::to_json(&arranged.case)),
        file("program.sasm", arranged.case.program_text()),
    ];
    Ok(CaseExport { case: arranged.case, inserted_cycles: arranged.inserted_cycles, files })
}
