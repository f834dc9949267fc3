// SPDX-License-Identifier: MIT OR Apache-2.0
//! The header of a wave file with its variables and scopes, and the errors that can occur when a file is written.

use std::io::{Seek, Write};

use drra_fabric::{Register, ValueType};
use drra_lockstep::DutError;
use fst_writer::{
    FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType,
};

/// The reason no waves were written.
#[derive(Debug, thiserror::Error)]
pub enum WaveError {
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// A bug in the writer.
    #[error(transparent)]
    Format(fst_writer::FstWriteError),
    /// The design does not fit its map, has no model of this fabric size, or cannot write waves.
    #[error(transparent)]
    Dut(#[from] DutError),
    /// An assertion of the design is violated in reset, or because of the inputs of cycle 0.
    #[error("an assertion fails in reset or in cycle 0")]
    Reset,
    /// The first requested cycle is after the end of the run.
    #[error("the run ends with cycle {last}, before cycle {from}")]
    NoCycle { from: u64, last: u64 },
}

impl From<fst_writer::FstWriteError> for WaveError {
    fn from(e: fst_writer::FstWriteError) -> Self {
        match e {
            fst_writer::FstWriteError::Io(e) => Self::File(e),
            e => Self::Format(e),
        }
    }
}

/// Begins a file whose times are cycles.
pub(super) fn begin<W: Write + Seek>(file: W) -> fst_writer::Result<FstHeaderWriter<W>> {
    // There is no date, so the same run yields the same file.
    let info = FstInfo {
        // Viewers add this offset to all times; the times are already cycles.
        start_time: 0,
        timescale_exponent: -9,
        version: format!("drra {}", env!("CARGO_PKG_VERSION")),
        date: String::new(),
        file_type: FstFileType::Verilog,
    };
    FstHeaderWriter::new(file, &info)
}

/// The path of a register or signal in the waves: its scopes and its name.
pub(super) fn wave_path(location: impl ToString) -> String {
    location.to_string().replace("][", "_").replace('[', "_").replace(']', "")
}

/// The names of all values of a register with named values, such as a state machine or a mode, padded to the same
/// length; a value without a name is shown as its number.
pub(super) fn names(register: Register, width: u32) -> Option<Vec<String>> {
    let id = register.id();
    let (ValueType::Enumeration(_) | ValueType::Instruction(..)) = id.info().value_type else {
        return None;
    };
    let name = |value: u64| id.words(&[value]).filter(|name| name != "-");
    let names = (0..1 << width).map(|value| name(value).unwrap_or_else(|| value.to_string()));
    let names: Vec<String> = names.collect();
    let longest = names.iter().map(String::len).max()?;
    Some(names.into_iter().map(|name| format!("{name:<longest$}")).collect())
}

/// Bits of a text, 8 per character. All viewers show these bits as ASCII, whereas each viewer reads the value names of
/// the wave formats differently.
pub(super) fn text_bits(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:08b}")).collect()
}

/// Name of a variable with its range, as other programs write it.
fn variable(name: &str, width: u32) -> String {
    if width == 1 { name.to_owned() } else { format!("{name} [{}:0]", width - 1) }
}

/// Adds variables in their scopes; successive paths share the scopes of their common prefix.
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
