// SPDX-License-Identifier: MIT OR Apache-2.0
//! The provenance of values of an end state as text.

use drra_isa::SourceLine;

use super::path_line;
use crate::{
    EndStateProvenance,
    data::{InstructionLocation, PathStep},
    text,
};

/// Maximum number of steps of a value.
const MAX_STEPS: usize = 20;
/// Width of the text.
const COLUMNS: usize = 120;
/// Bits of a word.
const WORD_BITS: u32 = 16;

/// The source file of a program.
#[derive(Clone, Copy, Debug)]
pub struct ProgramSource<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The line of each instruction; without them, instructions are named by cell and address.
    pub lines: &'a [SourceLine],
}

/// The provenance of some values, indented. If there are too many steps, the deepest are left out.
pub fn provenances(values: &[EndStateProvenance], source: &ProgramSource<'_>) -> String {
    values.iter().map(|value| value.text(source)).collect()
}

impl EndStateProvenance {
    fn text(&self, source: &ProgramSource<'_>) -> String {
        let up_to = |depth| self.steps.iter().filter(move |step| step.depth < depth);
        let deepest = self.steps.iter().map(|step| step.depth + 1).max().unwrap_or(0);
        let depth =
            (1..=deepest).rev().find(|depth| up_to(*depth).count() <= MAX_STEPS).unwrap_or(1);
        let mut text = format!("\n  provenance of {}", self.element);
        for step in up_to(depth) {
            let by = |by: &InstructionLocation| source.name(by);
            text += &format!("\n  {}", path_line(step, self.value(step), by, COLUMNS));
        }
        match self.steps.len() - up_to(depth).count() {
            0 => text,
            more => text + &format!("\n    ({more} more steps)"),
        }
    }

    /// The value of a step, decimal for a word.
    fn value(&self, step: &PathStep) -> Option<String> {
        let word = step.value.as_ref().map(|v| &v.value).filter(|v| v.width() == WORD_BITS);
        let decimal = word.map(|word| match word.low() {
            low if self.signed => (low as i16).to_string(),
            low => low.to_string(),
        });
        decimal.or_else(|| step.value_text())
    }
}

impl ProgramSource<'_> {
    /// An instruction, named by its line if that is known.
    fn name(&self, at: &InstructionLocation) -> String {
        let is_at = |line: &&SourceLine| (line.cell, line.address) == (at.cell, at.address.into());
        match self.lines.iter().find(is_at) {
            Some(line) => format!("{}, {}:{}", text::opcode(at.opcode), self.file, line.line),
            None => at.text(),
        }
    }
}
