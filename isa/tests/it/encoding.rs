// SPDX-License-Identifier: MIT OR Apache-2.0
//! Encodings of every field: text to words, words to fields, words to listing.

#![expect(clippy::too_many_lines, reason = "tables of examples")]

use std::collections::BTreeSet;

use drra_isa::{Assembler, CellId, Revision, decode, encode, listing_line};

use crate::*;

#[test]
fn text_gives_the_words() {
    let file = encoding_cases();
    let cases = list(&file, "cases");
    for case in cases {
        let id = text(case, "id");
        let mut assembler = Assembler { isa: revision(case).into(), ..Default::default() };
        if is_io(case) {
            assembler.io_cells.insert(CellId::FIRST);
        }
        let assembly =
            assembler.assemble(text(case, "text")).unwrap_or_else(|e| panic!("{id}: {e}"));
        let words: Vec<String> = assembly
            .image
            .cell(CellId::FIRST)
            .unwrap()
            .iter()
            .map(|w| format!("{:027b}", w.bits))
            .collect();
        assert_eq!(words, strings(case, "words"), "{id}");
        let warnings: Vec<String> = assembly
            .warnings
            .iter()
            .filter(|w| w.code != "W03")
            .map(|w| w.code.to_owned())
            .collect();
        assert_eq!(warnings, strings(case, "warnings"), "{id}");
    }
}

#[test]
fn words_give_the_fields_and_the_listing() {
    for case in list(&encoding_cases(), "cases") {
        let id = text(case, "id");
        let isa = isa(case);
        let words = bits(&strings(case, "words"));
        let decoded = decode(isa, &words, is_io(case)).unwrap_or_else(|| panic!("{id}"));
        assert_eq!(decoded.len, words.len(), "{id}");
        for (name, value) in case["fields"].as_object().unwrap() {
            let index =
                decoded.instruction.field_index(name).unwrap_or_else(|| panic!("{id} {name}"));
            let field = &decoded.instruction.fields[index];
            assert_eq!(Some(field.number(decoded.values[index])), value.as_i64(), "{id} {name}");
        }
        assert_eq!(listing_line(isa, &decoded), text(case, "listing"), "{id}");
        assert_eq!(encode(isa, decoded.instruction, &decoded.values, decoded.len), words, "{id}");
    }
}

/// For every field of the newest revision that a program may set, some encoding gives it another
/// value than its default.
#[test]
fn every_field_has_an_encoding() {
    let file = encoding_cases();
    let mut set = BTreeSet::new();
    for case in list(&file, "cases").iter().filter(|case| revision(case) == Revision::R4) {
        let words = bits(&strings(case, "words"));
        let found = decode(isa(case), &words, is_io(case)).unwrap();
        let all = found.instruction.fields.iter().zip(&found.values);
        let changed = all.filter(|(field, value)| **value != field.default);
        set.extend(changed.map(|(field, _)| (&*found.instruction.name, &*field.name)));
    }
    for instruction in &Revision::R4.isa().instructions {
        for field in instruction.fields.iter().filter(|field| field.controllable) {
            let (of, name) = (&*instruction.name, &*field.name);
            assert!(set.contains(&(of, name)), "encoding_cases.json has no value for {of}.{name}");
        }
    }
}

/// Examples 2 to 5 of chapter 1, section 12, decoded on the published fabric.
#[test]
fn published_decoder_examples() {
    #[track_caller]
    fn check(words: &[&str], expected: &[(&str, u64)]) {
        let words: Vec<u64> = words.iter().map(|w| u64::from_str_radix(w, 2).unwrap()).collect();
        let decoded = decode(drra_isa::Revision::R4.isa(), &words, false).unwrap();
        for (name, value) in expected {
            assert_eq!(decoded.value(name), Some(*value), "{name}");
        }
    }
    check(
        &[
            "000111101010101010101010101",
            "110110110101101011010110101",
            "001111011010000001110000011",
        ],
        &[
            ("port_no", 3),
            ("extra", 2),
            ("init_addr_sd", 1),
            ("init_addr", 21),
            ("l1_iter", 21),
            ("init_delay", 21),
            ("l1_iter_sd", 1),
            ("init_delay_sd", 1),
            ("l1_step_sd", 1),
            ("l1_step", 26),
            ("l1_step_sign", 1),
            ("l1_delay_sd", 1),
            ("l1_delay", 5),
            ("l2_iter_sd", 1),
            ("l2_iter", 11),
            ("l2_step", 5),
            ("l2_delay_sd", 1),
            ("l2_delay", 45),
            ("l1_delay_ext", 3),
            ("l2_iter_ext", 1),
            ("l2_step_ext", 0),
            ("dimarch", 1),
            ("compress", 1),
        ],
    );
    check(
        &[
            "110111010101010110101100111",
            "000111001011010101001110010",
            "110010101010011101000000000",
        ],
        &[("rw", 1), ("init_addr", 85), ("init_delay", 5), ("l1_iter", 86), ("l1_step", 113)],
    );
    check(
        &[
            "110111010101010110101100111",
            "000111001011010101001110010",
            "110010101010011101000000000",
        ],
        &[("l1_delay", 50), ("l2_iter", 106), ("l2_step", 156), ("l2_delay", 44), ("hops", 7)],
    );
    check(
        &["100011010101011100001110011", "111001100110000000000000000"],
        &[
            ("extra", 1),
            ("loopid", 2),
            ("endpc", 42),
            ("start_sd", 1),
            ("start", 48),
            ("iter_sd", 1),
            ("iter", 51),
            ("step_sd", 1),
            ("step", 51),
            ("link", 3),
        ],
    );
    check(
        &["101011011000000001111111010"],
        &[("mode", 6), ("operand1_sd", 1), ("operand1", 64), ("operand2", 63), ("result", 10)],
    );
    check(
        &["010111011001101000000000000"],
        &[("src_row", 1), ("src_block", 0), ("src_port", 1), ("hb_index", 4), ("v_index", 5)],
    );
    check(
        &["110011010101110000000000000"],
        &[
            ("horizontal_dir", 1),
            ("horizontal_hops", 5),
            ("vertical_dir", 0),
            ("vertical_hops", 5),
            ("direction", 1),
            ("select_drra_row", 1),
        ],
    );
    check(&["011111000000000000110000000"], &[("cycle_sd", 1), ("cycle", 16387)]);
}
