// SPDX-License-Identifier: MIT OR Apache-2.0
//! Findings in the words of a program, without a run.
//!
//! `program` decodes the words of a cell and knows which instructions can follow which. The rules warn only if no order
//! of execution makes sense of an instruction: a path that is never taken hides a mistake, but does not invent one.

mod control;
mod fields;
mod modes;
mod order;
mod program;
mod switchbox;

use drra_case::Case;
use drra_isa::{CellId, RawValue};

use crate::{Finding, Findings, Kind};
use program::{CellProgram, Instruction};

/// Adds a finding about a port of an instruction, if there is a text.
type Add<'a> = dyn FnMut(Kind, &Instruction, &str, Option<String>) + 'a;

/// Adds the findings in the programs of a case, of which `raw` contains the raw patterns of the text.
pub(crate) fn check(case: &Case, raw: &[RawValue], findings: &mut Findings) {
    for (cell, words) in case.program.cells().filter(|(_, words)| !words.is_empty()) {
        let program = CellProgram::new(case, cell, words);
        for check in [switchbox::check, control::check, fields::check, modes::check, order::check] {
            check(&program, &mut |kind, i, port, text| {
                let found = text.map(|text| finding(kind, cell, i.address, port, text));
                found.into_iter().for_each(|finding| findings.add(finding));
            });
        }
    }
    // Chapter 1, 4.2.
    for RawValue { cell, address, field, written, meaning } in raw {
        let text = format!("{field}={written} stands for {meaning}");
        findings.add(finding(Kind::SignedRaw, *cell, *address, field, text));
    }
}

/// A finding about a port of an instruction.
fn finding(kind: Kind, cell: CellId, address: usize, port: &str, text: String) -> Finding {
    let new = Finding::new(kind, cell, text);
    let waits = matches!(kind, Kind::Replaced | Kind::NeverReleased);
    let section = match port {
        "w0" | "w1" | "r0" | "r1" | "wb" | "rb" if waits => "chapter 3, 5.2",
        "dpu" if waits => "chapter 4, 4.1",
        "swb" if waits => "chapter 5, 2.3",
        "noc" if waits => "chapter 6, section 4",
        "perm" if waits => "chapter 7, B2",
        _ => new.section,
    };
    let (port, instruction) = (port.to_owned(), Some((cell, address)));
    Finding { port, instruction, section, ..new }
}
