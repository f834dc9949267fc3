// SPDX-License-Identifier: MIT OR Apache-2.0
//! Descriptions supplied by the user: assembler, disassembler and images follow them, and the first difference from the
//! published layouts is reported.

use drra_codegen::AnyDescription;
use drra_isa::{
    Assembler, CellId, Geometry, InstructionSet, Revision, TextKind, Word, disassemble, load,
    published_layout, read_program, read_sync_json,
};
use proptest::prelude::*;
use serde_json::json;

use crate::*;

fn given(document: &Value) -> Isa {
    let report = load(&document.to_string());
    report.isa.unwrap_or_else(|| panic!("{:?}", report.findings))
}

/// The description of a revision after a change to its document.
fn changed(revision: Revision, change: impl FnOnce(&mut Value)) -> Isa {
    let mut document: Value = serde_json::from_str(revision.source()).unwrap();
    change(&mut document);
    given(&document)
}

fn field<'a>(document: &'a mut Value, instruction: &str, field: &str) -> &'a mut Value {
    let named = |v: &Value, name: &str| v["name"] == name;
    let templates = document["instruction_templates"].as_array_mut().unwrap();
    let instruction = templates.iter_mut().find(|i| named(i, instruction)).unwrap();
    let fields = instruction["segment_templates"].as_array_mut().unwrap();
    fields.iter_mut().find(|f| named(f, field)).unwrap()
}

/// Two instructions of an 8-bit machine: `PUT` is code 2 with a 4-bit value, and `END` is code 7.
fn small() -> Value {
    json!({
        "platform": "small", "revision": "mine", "instr_bitwidth": 8, "instr_code_bitwidth": 3,
        "instruction_templates": [
            {"code": 7, "name": "END"},
            {"code": 2, "name": "PUT", "segment_templates": [
                {"name": "what", "bitwidth": 4, "comment": "", "default_val": 1,
                 "verbo_map": [{"key": 9, "val": "nine"}]},
                {"name": "fast", "bitwidth": 1, "comment": ""}]}
        ]
    })
}

#[test]
fn a_given_description_is_the_language_of_a_text() {
    let isa: InstructionSet = given(&small()).into();
    let assembler = Assembler { isa: isa.clone(), ..Default::default() };
    let assembly = assembler.assemble(".ISA MINE\nPUT what=nine, fast=1\nPUT\nEND").unwrap();
    // 010 1001 1, 010 0001 0, 111 00000
    let text = "CELL 0 0\n1 01010011\n1 01000010\n1 11100000\n\n";
    assert_eq!(assembly.image.to_text(8), text);
    assert_eq!(read_program(text, &Geometry::default(), 8).unwrap(), assembly.image);
    let lines: Vec<String> =
        disassemble(isa.isa(), assembly.image.cell(CellId::FIRST).unwrap(), false)
            .into_iter()
            .map(|l| l.text)
            .collect();
    assert_eq!(lines, ["PUT (what=nine, fast=1)", "PUT (what=1, fast=0)", "END ()"]);

    let error = |text: &str| assembler.assemble(text).unwrap_err();
    assert_eq!(error("HALT").code, "A03");
    assert!(error("HALT").message.contains("the given description small mine"));
    assert_eq!(error(".ISA r4\nEND").code, "A19");
    assert_eq!(error("PUT what=16").code, "A07");
    assert_eq!(read_program(text, &Geometry::default(), 27).unwrap_err().code, "BIN-E1");
}

/// The number of words is checked in its encoded form: -1 in two bits is 3.
#[test]
fn a_count_of_words_is_checked_as_it_is_encoded() {
    for (kind, signed) in [(TextKind::Listing, false), (TextKind::Source, true)] {
        let isa = given(&json!({
            "platform": "counts", "instr_bitwidth": 8, "instr_code_bitwidth": 3,
            "instruction_templates": [{"code": 1, "name": "GO", "max_chunk": 2, "segment_templates": [
                {"name": "extra", "bitwidth": 2, "comment": "", "signed": signed},
                {"name": "far", "bitwidth": 3, "comment": ""},
                {"name": "next", "bitwidth": 8, "comment": ""}]}]}));
        let assembler = Assembler { isa: isa.into(), kind, ..Default::default() };
        assert_eq!(assembler.assemble("GO (extra=-1)").unwrap_err().code, "A09");
        assert_eq!(assembler.assemble("GO (extra=1)").unwrap().image.word_count(), 2);
    }
}

/// If `x_sd` is 1, the field `x` is a register number, unsigned in any width, even if `x_sd` is 1 only by default, in a
/// word that is not emitted.
#[test]
fn register_numbers_follow_their_selector() {
    let isa: InstructionSet = given(&json!({
        "platform": "registers", "instr_bitwidth": 16, "instr_code_bitwidth": 3,
        "instruction_templates": [{"code": 1, "name": "GO", "max_chunk": 2, "segment_templates": [
            {"name": "extra", "bitwidth": 1, "comment": ""},
            {"name": "x", "bitwidth": 6, "comment": ""},
            {"name": "y", "bitwidth": 4, "comment": "", "signed": true},
            {"name": "y_sd", "bitwidth": 1, "comment": ""},
            {"name": "fill", "bitwidth": 1, "comment": ""},
            {"name": "x_sd", "bitwidth": 1, "comment": "", "default_val": 1}]}]}))
    .into();
    let assembler = Assembler { isa: isa.clone(), ..Default::default() };
    assert_eq!(assembler.assemble("GO x=16").unwrap_err().code, "A15");
    assert_eq!(assembler.assemble("GO x=16, x_sd=0").unwrap().image.word_count(), 2);
    let image = assembler.assemble("GO x=15, y=9, y_sd=1").unwrap().image;
    let words = image.cell(CellId::FIRST).unwrap();
    // code, extra, x, y, y_sd, fill
    let bits = ["001", "0", "001111", "1001", "1", "0"].concat();
    assert_eq!(format!("{:016b}", words[0].bits), bits);
    let listed = disassemble(isa.isa(), words, false);
    assert_eq!(listed[0].text, "GO (extra=0, x=15, y=9, y_sd=1, fill=0)");
    assert_eq!(assembler.assemble(&listed[0].text).unwrap().image, image);
}

#[test]
fn a_schedule_follows_a_given_description() {
    let assembler = Assembler { isa: given(&small()).into(), ..Default::default() };
    let schedule = json!([{"row": 0, "col": 0, "instr_list": [
        {"name": "PUT", "immediate": 1, "segment_values": {"what": 9}}]}]);
    let assembly = read_sync_json(&assembler, &schedule.to_string()).unwrap();
    assert_eq!(assembly.image.to_text(8), "CELL 0 0\n1 01010010\n\n");
}

#[test]
fn published_layouts_are_recognised() {
    // The newest revision in which every instruction has the fields that it has in the given revision is recognised.
    // r0 and r1 are recognised as themselves: r0 has its own field names, and r1 has no LOOP.link.
    let fields = |revision: Revision, name: &str| -> Option<Vec<(String, u32)>> {
        let found = revision.isa().instructions.iter().find(|i| i.name == name)?;
        Some(found.fields.iter().map(|f| (f.name.clone(), f.width)).collect())
    };
    let mut found = Vec::new();
    for revision in Revision::ALL {
        let names: Vec<&str> =
            revision.isa().instructions.iter().map(|i| i.name.as_str()).collect();
        let has = |other: &Revision| names.iter().all(|n| fields(*other, n) == fields(revision, n));
        let newest = Revision::ALL.into_iter().rev().find(has).unwrap();
        assert_eq!(published_layout(revision.isa()), Ok(newest));
        found.push(newest);
    }
    assert_eq!(found[..2], [Revision::R0, Revision::R1]);
    // Value names, defaults, signs and missing instructions affect only the text. The table of modes must be removed
    // with the names.
    let isa = changed(Revision::R4, |document| {
        document["instruction_templates"][2].as_object_mut().unwrap().remove("modes").unwrap();
        field(document, "DPU", "mode")["verbo_map"] = json!([]);
        field(document, "DPU", "control")["default_val"] = json!(0);
        field(document, "LOOP", "start")["signed"] = json!(false);
        document["instruction_templates"].as_array_mut().unwrap().remove(3);
    });
    assert_eq!(published_layout(&isa), Ok(Revision::R4));
}

#[test]
fn the_first_difference_from_a_published_layout_is_named() {
    #[track_caller]
    fn check(revision: Revision, text: &str, change: impl FnOnce(&mut Value)) {
        let foreign = published_layout(&changed(revision, change)).unwrap_err();
        assert_eq!(foreign.revision, revision);
        assert_eq!(foreign.difference, text);
        assert!(foreign.to_string().contains(text) && foreign.to_string().contains("nearest"));
    }
    let r4 = Revision::R4;
    check(r4, "words of 8 bits (published: 27)", |d| *d = small());
    check(r4, "instruction HALT: code 15 has no instruction", |d| {
        d["instruction_templates"][0]["code"] = json!(15);
    });
    check(r4, "instruction JUMP: code 7 is WAIT", |d| {
        d["instruction_templates"][4]["code"] = json!(7);
        d["instruction_templates"][5]["code"] = json!(6);
    });
    check(r4, "instruction HALT: code 0 has no instruction in cells of kind io", |d| {
        d["instruction_templates"][0]["cell_kind"] = json!("io");
    });
    check(r4, "instruction JUMP: at most 2 words (published: 1)", |d| {
        d["instruction_templates"][4]["max_chunk"] = json!(2);
    });
    let narrow = "instruction WAIT: field 2 is cycle of 14 bits (published: cycle of 15 bits)";
    check(r4, narrow, |d| field(d, "WAIT", "cycle")["bitwidth"] = json!(14));
    check(r4, "instruction HALT: field 1 is now of 1 bit (published: missing)", |d| {
        let fields = d["instruction_templates"][0]["segment_templates"].as_array_mut().unwrap();
        fields.push(json!({"name": "now", "bitwidth": 1, "comment": ""}));
    });
    check(r4, "instruction REFI: chunk field port_no (published: extra)", |d| {
        let refi = d["instruction_templates"][1].as_object_mut().unwrap();
        refi.insert("chunk_field".into(), json!("port_no"));
    });
    // The nearest revision is the one whose first difference comes last, here in SRAM.
    let old = "instruction SRAM: field 18 is way of 4 bits (published: hops of 4 bits)";
    check(Revision::R0, old, |d| field(d, "SRAM", "hops")["name"] = json!("way"));
    check(r4, "codes of 5 bits (published: 4)", |d| {
        d["instr_code_bitwidth"] = json!(5);
        d["instruction_templates"] = json!([{"code": 0, "name": "HALT"}]);
    });
}

#[test]
fn descriptions_without_names_have_a_clean_title() {
    let title = |platform: &str, revision: &str| {
        let mut document = small();
        document["platform"] = json!(platform);
        document["revision"] = json!(revision);
        let isa = given(&document);
        let isa = AnyDescription::Instructions(Box::new(isa));
        let text = isa.markdown();
        assert!(!text.contains("  "), "{text}");
        assert!(text.contains("`CO` is both") && text.contains("`--` is padding"), "{text}");
        let line = isa.to_string();
        [line.split(',').next().unwrap(), text.lines().next().unwrap()].map(str::to_owned)
    };
    assert_eq!(title("a", "b"), ["a b", "# Instruction set a b"]);
    assert_eq!(title("a", ""), ["a", "# Instruction set a"]);
    assert_eq!(title("", "b"), ["b", "# Instruction set b"]);
    assert_eq!(title("", ""), ["without a name", "# Instruction set"]);
}

/// A document with any layout: words of 8 to 64 bits, instructions of 1 to 4 words.
fn any_document() -> impl Strategy<Value = Value> {
    let field = (1u32..12, any::<[bool; 4]>(), any::<u32>());
    let instruction = (1u64..5, any::<bool>(), prop::collection::vec(field, 0..9));
    (8u64..=64, prop::collection::vec(instruction, 0..8)).prop_map(|(word_bits, instructions)| {
        let templates: Vec<Value> = instructions
            .into_iter()
            .enumerate()
            .map(|(code, (max_chunk, variable, widths))| {
                let mut room = (word_bits * max_chunk) as u32 - 3;
                let mut fields = Vec::new();
                for (k, (width, [named, signed, controllable, selector], default)) in
                    widths.into_iter().enumerate()
                {
                    let width = if selector { 1 } else { width };
                    if width > room {
                        break;
                    }
                    room -= width;
                    let base = k.checked_sub(1).filter(|_| selector);
                    let name = base.map_or(format!("f{k}"), |b| format!("f{b}_sd"));
                    let names = if named { json!([{"key": 0, "val": "x"}]) } else { json!([]) };
                    fields.push(json!({
                        "name": name, "bitwidth": width, "comment": "", "signed": signed,
                        "default_val": u64::from(default) & ((1 << width) - 1),
                        "controllable": controllable, "verbo_map": names}));
                }
                let mut template = json!({"code": code, "name": format!("i{code}"),
                                          "max_chunk": max_chunk, "segment_templates": fields});
                if variable && !fields.is_empty() {
                    template["chunk_field"] = json!("f0");
                }
                template
            })
            .collect();
        json!({"platform": "any", "instr_bitwidth": word_bits, "instr_code_bitwidth": 3,
               "instruction_templates": templates})
    })
}

proptest! {
    #[test]
    fn any_description_reads_back_what_it_writes(
        document in any_document(),
        raw in prop::collection::vec((any::<u64>(), any::<bool>(), any::<bool>()), 1..64),
    ) {
        let report = load(&document.to_string());
        let Some(isa) = report.isa else { return Ok(()) };
        let described = AnyDescription::Instructions(Box::new(isa.clone()));
        let _ = (described.markdown(), described.systemverilog(None), described.rust());
        let word_bits = isa.word_bits;
        let words: Vec<Word> = raw
            .into_iter()
            .map(|(bits, immediate, sparse)| {
                let bits = bits >> (64 - word_bits);
                // Only the upper half of the bits, so that reserved bits are 0.
                let bits = if sparse { bits >> (word_bits / 2) << (word_bits / 2) } else { bits };
                Word { bits, immediate }
            })
            .collect();
        for kind in [TextKind::Source, TextKind::Listing] {
            let text: String =
                disassemble(&isa, &words, false).into_iter().map(|l| l.text + "\n").collect();
            let set: InstructionSet = isa.clone().into();
            let assembly = Assembler { isa: set, kind, ..Default::default() }.assemble(&text);
            prop_assert!(assembly.is_ok(), "{:?}\n{}", assembly, text);
            let image = assembly.unwrap().image;
            prop_assert_eq!(image.cell(CellId::FIRST).unwrap(), &words[..], "{}", text);
            let again = read_program(&image.to_text(word_bits), &Geometry::default(), word_bits);
            prop_assert_eq!(again.unwrap(), image);
        }
    }
}
