// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs written by compilers and people: detects the format of a text ([`TextFormat`]) and its revision of the
//! instruction set ([`RevisionChoice`]).

mod choice;
mod form;
mod schedule_json;
mod schedule_text;

use std::collections::BTreeSet;

use crate::{
    Geometry,
    asm::{AsmError, Assembler, Assembly, TextKind},
    instruction_set::InstructionSet,
    place::CellId,
};

pub use choice::RevisionChoice;
pub use form::TextFormat;
pub use schedule_json::read_sync_json;
pub use schedule_text::read_sync_text;

/// Settings of an import.
#[derive(Clone, Debug, Default)]
pub struct Importer {
    /// Instruction set of the text. If `None`, it is inferred for texts that compilers write; other texts have the newest
    /// revision. An `.ISA` line replaces a published revision with another one.
    pub isa: Option<InstructionSet>,
    /// Fabric the program is written for.
    pub geometry: Geometry,
    /// I/O cells, in addition to those declared in the text.
    pub io_cells: BTreeSet<CellId>,
}

/// A program that has been read.
#[derive(Clone, Debug)]
pub struct ImportedProgram {
    /// Words, memory contents and warnings.
    pub assembly: Assembly,
    /// The inference of the revision; `None` if it was not inferred.
    pub choice: Option<RevisionChoice>,
}

impl Importer {
    /// Reads a program text. `form` is one of [`TextFormat::Source`], [`TextFormat::Manas`], [`TextFormat::Listing`],
    /// [`TextFormat::ScheduleText`] and [`TextFormat::ScheduleJson`].
    ///
    /// # Errors
    /// The first error of the text, with its location; `A22` if its revision cannot be determined.
    ///
    /// # Panics
    /// If the form is another one, which is a bug in the caller.
    pub fn import(&self, text: &str, form: TextFormat) -> Result<ImportedProgram, AsmError> {
        let read = |isa: InstructionSet| self.read(text, form, isa);
        match &self.isa {
            Some(isa) => Ok(ImportedProgram { assembly: read(isa.clone())?, choice: None }),
            None if form == TextFormat::Source || form::names_revision(text) => {
                Ok(ImportedProgram { assembly: read(InstructionSet::default())?, choice: None })
            }
            None => {
                let (assembly, choice) = choice::decide(text, |revision| read(revision.into()))?;
                Ok(ImportedProgram { assembly, choice: Some(choice) })
            }
        }
    }

    fn read(
        &self,
        text: &str,
        form: TextFormat,
        isa: InstructionSet,
    ) -> Result<Assembly, AsmError> {
        let (geometry, io_cells) = (self.geometry, self.io_cells.clone());
        let kind = if form == TextFormat::Listing { TextKind::Listing } else { TextKind::Source };
        let assembler = Assembler { isa, geometry, kind, io_cells };
        match form {
            TextFormat::Source | TextFormat::Manas => {
                assembler.assemble(text).map_err(|e| form::positional(e, text))
            }
            TextFormat::Listing => assembler.assemble(text),
            TextFormat::ScheduleText => read_sync_text(&assembler, text),
            TextFormat::ScheduleJson => read_sync_json(&assembler, text),
            TextFormat::Image | TextFormat::Memory | TextFormat::TestBench | TextFormat::Case => {
                unreachable!("{form} is not a program text")
            }
        }
    }
}
