// SPDX-License-Identifier: MIT OR Apache-2.0
//! Findings of programs.

mod comments;
mod run;
mod text;

use std::path::Path;

use drra_case::load::{ProgramInputs, load_as};
use drra_isa::{Geometry, Revision, TextFormat};
use drra_lint::{CommentError, Finding, Kind, Level, Lint, lint};

/// Lints an assembly text.
fn lint_source(text: &str) -> Result<Lint, CommentError> {
    lint_cycles(text, None)
}

/// Lints an assembly text in a run of this length.
fn lint_cycles(text: &str, cycles: Option<u64>) -> Result<Lint, CommentError> {
    let (path, size) = (Path::new("p.sasm"), Geometry::default());
    let inputs = ProgramInputs::default();
    let program = load_as(path, text.to_owned(), TextFormat::Source, &inputs, &size).unwrap();
    lint(&program, cycles)
}

/// The findings of an assembly text, without hints.
fn lint_text(text: &str) -> Vec<Finding> {
    let mut found = lint_source(text).unwrap().findings;
    found.retain(|finding| finding.kind.level() != Level::Hint);
    found
}

/// Any words are a program, and any run of it can be examined.
#[test]
fn random_words_are_examined() {
    let mut seed = 1_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        seed >> 37
    };
    for _ in 0..300 {
        let mut text = String::new();
        for cell in ["0 0", "0 1", "1 0"] {
            text += &format!("CELL {cell}\n");
            for _ in 0..=next() % 62 {
                text += &format!("{} {:027b}\n", next() & 1, next() & 0x7ff_ffff);
            }
            text += "\n";
        }
        let (path, size) = (Path::new("p.bin"), Geometry::default());
        let inputs = ProgramInputs::default();
        let program = load_as(path, text, TextFormat::Image, &inputs, &size).unwrap();
        lint(&program, Some(300)).unwrap();
    }
}

/// Compilers fill fields that have no effect, so their output is not checked for them.
#[test]
fn compiled_texts_are_not_checked_for_fields() {
    let kinds = |text: &str, form| {
        let (path, size) = (Path::new("p"), Geometry::default());
        let inputs = ProgramInputs { isa: Some(Revision::R4.into()), ..Default::default() };
        let program = load_as(path, text.to_owned(), form, &inputs, &size).unwrap();
        let found = lint(&program, None).unwrap().findings.into_iter();
        found.map(|finding| finding.kind).collect::<Vec<_>>()
    };
    let swb = "SWB (unused0=1, hb_index=2, v_index=6)\nHALT ()\n";
    let source = kinds(&format!("CELL <0,0>\n{swb}"), TextFormat::Source);
    let listing = kinds(&format!("0_0\n{swb}"), TextFormat::Listing);
    assert_eq!((source, listing), (vec![Kind::NoEffect], vec![]));
}
