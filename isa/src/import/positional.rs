// SPDX-License-Identifier: MIT OR Apache-2.0
//! The positional text of an older assembler (chapter 1, 7.7), which is not read.

use crate::asm::AsmError;

/// Mnemonics that the older instruction set alone has.
const MNEMONICS: [&str; 8] =
    ["REFI_1", "REFI_2", "REFI_3", "DELAY", "LOOP_HEADER", "LOOP_TAIL", "SRAM_READ", "SRAM_WRITE"];

/// How its data section distributes variables.
const DISTRIBUTIONS: [&str; 2] = ["FULL_DISTR", "EVEN_DISTR"];

/// An error at the first line that shows that a text is positional, if there is one, instead of the error that the
/// assembler found.
pub(super) fn instead_of(error: AsmError, text: &str) -> AsmError {
    let one_of = |words: &[&str], word: &str| words.iter().any(|w| w.eq_ignore_ascii_case(word));
    let positional = |(line, content): (usize, &str)| {
        let mut words = content.split_whitespace();
        let (first, second) = (words.next()?, words.next().unwrap_or_default());
        // A label may precede the mnemonic.
        let named = if first.starts_with('"') { second } else { first };
        let (code, word, what) = if one_of(&MNEMONICS, named) {
            ("A03", named, " instruction set with positional operands")
        } else if first.starts_with('$') && one_of(&DISTRIBUTIONS, second) {
            ("A08", second, ", positional format of data")
        } else {
            return None;
        };
        let message = format!(
            "`{word}` belongs to an older{what}, which is not read (chapter 1, 7.7 names the \
             operands); write the program with `name=value` operands, or hand in its image"
        );
        Some(AsmError::of_line(code, text, line, message))
    };
    (1..).zip(text.lines()).find_map(positional).unwrap_or(error)
}
