// SPDX-License-Identifier: MIT OR Apache-2.0
//! Disassembly cases, and assemble(disassemble(x)) = x for any words.

use drra_isa::{Assembler, CellId, Revision, Word, disassemble};
use proptest::prelude::*;

use crate::*;

#[test]
fn listings_are_as_given() {
    let file = encoding_cases();
    let cases = list(&file, "disassembly");
    assert_eq!(cases.len(), 13);
    for case in cases {
        let flags = list(case, "immediate").iter().map(|f| f.as_u64().unwrap() == 1);
        let words: Vec<Word> = bits(&strings(case, "words"))
            .into_iter()
            .zip(flags)
            .map(|(bits, immediate)| Word { bits, immediate })
            .collect();
        let lines: Vec<Value> = disassemble(isa(case), &words, is_io(case))
            .into_iter()
            .map(|l| serde_json::json!([l.address, l.text]))
            .collect();
        assert_eq!(Value::from(lines), case["listing"], "{}", text(case, "id"));
    }
}

proptest! {
    #[test]
    fn assembling_a_disassembly_gives_the_words(
        raw in prop::collection::vec((0u64..1 << 27, any::<bool>(), 0u8..4), 1..64),
        io_cell: bool,
        revision in prop::sample::select(Revision::ALL.to_vec()),
    ) {
        // Three quarters of the words get an existing code and few bits, so that whole
        // instructions occur.
        let words: Vec<Word> = raw
            .into_iter()
            .map(|(bits, immediate, form)| match form {
                0 => Word { bits, immediate },
                1 => Word { bits: bits & !0x7ff, immediate: true },
                _ => Word { bits: bits & 0x7ff_f800, immediate: true },
            })
            .collect();
        let text: String = disassemble(revision.isa(), &words, io_cell)
            .into_iter()
            .map(|l| l.text + "\n")
            .collect();
        let mut assembler = Assembler { isa: revision.into(), ..Default::default() };
        if io_cell {
            assembler.io_cells.insert(CellId::FIRST);
        }
        let assembly = assembler.assemble(&text).unwrap();
        prop_assert_eq!(assembly.image.cell(CellId::FIRST).unwrap(), words);
    }
}
