// SPDX-License-Identifier: MIT OR Apache-2.0
//! Encodings of every field: text to words, words to fields, words to listing.

use std::collections::BTreeSet;

use drra_isa::{Assembler, CellId, Revision, Word, decode, disassemble, encode};

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
        let stored = words.iter().map(|&bits| Word { bits, immediate: true });
        let lines = disassemble(isa, &stored.collect::<Vec<_>>(), is_io(case));
        assert_eq!((lines.len(), &*lines[0].text), (1, text(case, "listing")), "{id}");
        assert_eq!(encode(isa, decoded.instruction, &decoded.values, decoded.len), words, "{id}");
    }
}

/// For every field of the newest revision that a program may set, at least one encoding has a value other than the
/// default.
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

/// Examples 2 to 5 of chapter 1, section 12, decoded on the published fabric: raw values.
#[test]
fn published_decoder_examples() {
    let file = encoding_cases();
    let examples = list(&file, "decoder_examples");
    assert_eq!(examples.len(), 8);
    for example in examples {
        let words = bits(&strings(example, "words"));
        let decoded = decode(Revision::R4.isa(), &words, false).unwrap();
        for (name, value) in example["fields"].as_object().unwrap() {
            assert_eq!(decoded.value(name), value.as_u64(), "{example}: {name}");
        }
    }
}
