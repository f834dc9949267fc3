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

/// Texts of reports show fields that determine the effect even if they are 0 (chapter 1, section 3); numbers in later
/// words and `_sd` fields are left out if they have their default.
#[test]
fn texts_of_reports_show_what_decides() {
    for (source, expected) in [
        ("PERM", "PERM mode=shl_zero, block=0, distance=0"),
        ("JUMP pc=0", "JUMP pc=0"),
        (
            "SRAM rw=r, init_addr=0, l2_iter=2",
            "SRAM rw=r, init_addr=0, init_delay=0, l1_iter=0, l1_step=1, l2_iter=2",
        ),
        (
            "SWB.D src_block=rf, v_index=0, hb_index=0",
            "SWB src_row=0, src_block=rf, src_port=0, hb_index=0, send_to_other_row=n, v_index=0",
        ),
        (
            "REFI port_no=w0, l1_delay=2",
            "REFI port_no=w0, extra=1, init_addr=0, l1_iter=0, init_delay=0, l1_step_sign=+, l1_delay=2",
        ),
        ("LOOP loopid=0, endpc=5", "LOOP extra=0, loopid=0, endpc=5, start=0, iter=0"),
    ] {
        let image =
            Assembler::default().assemble(&format!("CELL <0,0>\n{source}\n")).unwrap().image;
        let words: Vec<u64> = image.cell(CellId::FIRST).unwrap().iter().map(|w| w.bits).collect();
        assert_eq!(drra_isa::instruction_text(Revision::R4.isa(), &words, false), expected);
    }
}

proptest! {
    #[test]
    fn assembling_a_disassembly_gives_the_words(
        raw in prop::collection::vec((0u64..1 << 27, any::<bool>(), 0u8..4), 1..64),
        io_cell: bool,
        revision in prop::sample::select(Revision::ALL.to_vec()),
    ) {
        // In three quarters of the words, the low bits are 0 and the flag is 1, so that complete instructions occur.
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
