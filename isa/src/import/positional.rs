// SPDX-License-Identifier: MIT OR Apache-2.0
//! The positional text of an older assembler (chapter 1, 7.7), which is not read.

use crate::{asm::AsmError, image::line_span};

/// Mnemonics that the older instruction set alone has.
const MNEMONICS: [&str; 8] =
    ["REFI_1", "REFI_2", "REFI_3", "DELAY", "LOOP_HEADER", "LOOP_TAIL", "SRAM_READ", "SRAM_WRITE"];

/// How its data section distributes variables.
const DISTRIBUTIONS: [&str; 2] = ["FULL_DISTR", "EVEN_DISTR"];

/// The first line that tells that a text is positional, if there is one, instead of an error that
/// the assembler found in it.
pub(super) fn instead_of(error: AsmError, text: &str) -> AsmError {
    let told = |(index, line): (usize, &str)| {
        let mut words = line.split_whitespace();
        let (first, second) = (words.next()?, words.next().unwrap_or_default());
        let one_of =
            |words: &[&str], word: &str| words.iter().any(|w| w.eq_ignore_ascii_case(word));
        // A label may stand before the mnemonic.
        let named = if first.starts_with('"') { second } else { first };
        if one_of(&MNEMONICS, named) {
            let what =
                format!("`{named}` belongs to an older instruction set with positional operands");
            Some((index, "A03", what))
        } else if first.starts_with('$') && one_of(&DISTRIBUTIONS, second) {
            Some((
                index,
                "A08",
                format!("`{second}` belongs to an older, positional format of data"),
            ))
        } else {
            None
        }
    };
    let Some((index, code, what)) = text.lines().enumerate().find_map(told) else { return error };
    let line = index + 1;
    let message = format!(
        "{what}, which is not read (chapter 1, 7.7 names the operands); write the program with \
         `name=value` operands, or hand in its image"
    );
    AsmError { code, line, span: line_span(text, line), message }
}
