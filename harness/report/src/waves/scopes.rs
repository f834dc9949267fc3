// SPDX-License-Identifier: MIT OR Apache-2.0
//! The head of a wave file: variables in their scopes. And why there is none.

use std::io::{Seek, Write};

use drra_isa::fabric::{Location, Meaning, Register};
use drra_lockstep::DutError;
use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType,
};

/// Why nothing was recorded.
#[derive(Debug, thiserror::Error)]
pub enum WaveError {
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// A defect of the writer.
    #[error(transparent)]
    Format(fst_writer::FstWriteError),
    /// The design does not fit its maps, or cannot write waves.
    #[error(transparent)]
    Dut(#[from] DutError),
    /// An assertion of the design is violated in reset.
    #[error("an assertion fails in reset")]
    Reset,
    /// The first cycle that is wanted comes after the last one of the run.
    #[error("the run ends with cycle {last}, before cycle {from}")]
    NoCycle { from: u64, last: u64 },
    /// The path of the file cannot be handed on.
    #[error("the path is not UTF-8")]
    Path,
}

impl From<fst_writer::FstWriteError> for WaveError {
    fn from(e: fst_writer::FstWriteError) -> Self {
        match e {
            fst_writer::FstWriteError::Io(e) => Self::File(e),
            e => Self::Format(e),
        }
    }
}

/// Buffered changes are written when they have so many bytes.
const FLUSH: usize = 64 << 20;

/// Begins a file whose times are cycles.
pub(super) fn begin<W: Write + Seek>(file: W) -> fst_writer::Result<FstHeaderWriter<W>> {
    // No date: the same run gives the same file.
    let info = FstInfo {
        // Added to all times by viewers: times are cycles already.
        start_time: 0,
        timescale_exponent: -9,
        version: format!("drra {}", env!("CARGO_PKG_VERSION")),
        date: String::new(),
        file_type: FstFileType::Verilog,
    };
    FstHeaderWriter::new(file, &info)
}

/// Writes the changes of the cycles so far if they are many.
pub(super) fn flush_some<W: Write + Seek>(body: &mut FstBodyWriter<W>) -> fst_writer::Result<()> {
    if body.size() > FLUSH { body.flush() } else { Ok(()) }
}

/// A path in the names of the waves: scopes and name.
pub(super) fn wave_path(location: Location) -> String {
    location.to_string().replace("][", "_").replace('[', "_").replace(']', "")
}

/// The names of all values of a register with names, as a state machine or a mode has them, of the same length; a value
/// without one has its number.
pub(super) fn names(register: Register, width: u32) -> Option<Vec<String>> {
    let id = register.id();
    let (Meaning::Enumeration(_) | Meaning::Instruction(..)) = id.info().meaning else {
        return None;
    };
    let name = |value: u64| id.words(&[value]).filter(|name| name != "-");
    let names = (0..1 << width).map(|value| name(value).unwrap_or_else(|| value.to_string()));
    let names: Vec<String> = names.collect();
    let longest = names.iter().map(String::len).max()?;
    Some(names.into_iter().map(|name| format!("{name:<longest$}")).collect())
}

/// Bits of a text: 8 for a character. All viewers show them as ASCII; the names that formats of waves provide for values,
/// each viewer reads in another way.
pub(super) fn text_bits(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:08b}")).collect()
}

/// Name of a variable with its range, as other writers have it.
fn variable(name: &str, width: u32) -> String {
    if width == 1 { name.to_owned() } else { format!("{name} [{}:0]", width - 1) }
}

/// Adds variables in their scopes; successive paths share scopes where they begin alike.
pub(super) struct Scopes<'a, W: Write + Seek> {
    header: &'a mut FstHeaderWriter<W>,
    open: Vec<String>,
}

impl<'a, W: Write + Seek> Scopes<'a, W> {
    pub(super) fn new(header: &'a mut FstHeaderWriter<W>) -> Self {
        Self { header, open: Vec::new() }
    }

    pub(super) fn var(&mut self, path: &str, width: u32) -> fst_writer::Result<FstSignalId> {
        let mut parts: Vec<&str> = path.split('.').collect();
        let name = parts.pop().unwrap_or_default();
        let common = self.open.iter().zip(&parts).take_while(|(a, b)| a == b).count();
        while self.open.len() > common {
            self.header.up_scope()?;
            self.open.pop();
        }
        for part in &parts[common..] {
            self.header.scope(part, "", FstScopeType::Module)?;
            self.open.push((*part).to_owned());
        }
        self.header.var(
            variable(name, width),
            FstSignalType::bit_vec(width),
            FstVarType::Reg,
            FstVarDirection::Implicit,
            None,
        )
    }

    pub(super) fn close(&mut self) -> fst_writer::Result<()> {
        while self.open.pop().is_some() {
            self.header.up_scope()?;
        }
        Ok(())
    }
}
