// SPDX-License-Identifier: MIT OR Apache-2.0
//! Assembler (chapter 1, section 8).
//!
//! `lexer` makes tokens, `parser` parses statements and expressions, `expr` evaluates expressions, `data` fills the
//! memory image, `values` evaluates the fields of an instruction, and `layout` chooses word counts and encodes.

mod assembly;
mod data;
mod error;
mod expr;
mod layout;
mod lexer;
mod parser;
mod values;

pub use assembly::{Assembler, Assembly, RawValue, SourceLine, TextKind};
pub use error::{AsmError, Warning};

impl Assembler {
    /// Assembles a text.
    ///
    /// # Errors
    /// The first error found, with its code from chapter 1, 8.6, its line and its bytes.
    pub fn assemble(&self, text: &str) -> Result<Assembly, AsmError> {
        let parsed = parser::parse(self, text)?;
        layout::finish(self, parsed)
    }
}
