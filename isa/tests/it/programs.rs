// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole programs and the errors of the assembler.

use std::collections::BTreeSet;

use drra_isa::{Assembler, CellId, RawValue, TextKind};

use crate::*;

#[test]
fn programs_give_their_images() {
    let file = encoding_cases();
    let programs = list(&file, "programs");
    assert_eq!(programs.len(), 8);
    for case in programs {
        let id = text(case, "id");
        let kind = if case["mode"] == "listing" { TextKind::Listing } else { TextKind::Source };
        let assembler = Assembler { isa: revision(case).into(), kind, ..Default::default() };
        let assembly =
            assembler.assemble(text(case, "text")).unwrap_or_else(|e| panic!("{id}: {e}"));
        assert_eq!(assembly.image.to_text(27), text(case, "bin"), "{id}");
        assert_eq!(assembly.memory.to_text(), text(case, "mem"), "{id}");
        let warnings: BTreeSet<String> =
            assembly.warnings.iter().map(|w| w.code.to_owned()).collect();
        assert_eq!(warnings, strings(case, "warnings").into_iter().collect(), "{id}");
    }
}

#[test]
fn every_error_case_has_its_code() {
    let file = encoding_cases();
    let cases = list(&file, "assembler_errors");
    assert_eq!(cases.len(), 45);
    for case in cases {
        let id = text(case, "id");
        let source = text(case, "text");
        let assembler = Assembler { isa: revision(case).into(), ..Default::default() };
        let error = assembler.assemble(source).err().unwrap_or_else(|| panic!("{id}: no error"));
        assert_eq!(error.code, text(case, "error"), "{id}: {error}");
        assert!(error.span.end <= source.len() && error.span.start <= error.span.end, "{id}");
        assert!(error.line >= 1 && error.line <= source.lines().count().max(1), "{id}: {error}");
    }
}

#[track_caller]
fn check_error(source: &str, code: &str, at: &str) {
    let error = Assembler::default().assemble(source).unwrap_err();
    assert_eq!((error.code, &source[error.span.clone()]), (code, at), "{error}");
}

/// Chapter 2, section 4: the hardware executes at most 63 words. The program of a case may fill the memory.
#[test]
fn the_last_word_of_the_memory_is_never_executed() {
    let program = |words: usize| "SWB\n".repeat(words - 1) + "HALT";
    assert!(Assembler::default().assemble(&program(63)).is_ok());
    let error = Assembler::default().assemble(&program(64)).unwrap_err();
    assert_eq!((error.code, error.line), ("A13", 64));
    let case = Assembler { kind: TextKind::Case, ..Assembler::default() };
    assert!(case.assemble(&program(64)).is_ok() && case.assemble(&program(65)).is_err());
}

/// Chapter 2, 5.3: a program of several words ends at its last word, even if this is a JUMP; the word of a one-word
/// program ends it only if the word is a HALT or a WAIT.
#[test]
fn a_program_ends_at_its_last_word() {
    for (text, warned) in [
        ("SWB\nHALT", false),
        ("SWB\nSWB", true),
        ("SWB\nJUMP pc=0", true),
        ("SWB\n.WORD 6 << 23", true),
        ("JUMP pc=0", false),
    ] {
        let warnings = Assembler::default().assemble(text).unwrap().warnings;
        assert_eq!(warnings.iter().any(|w| w.code == "W03"), warned, "{text}: {warnings:?}");
    }
}

/// The error for an unknown name lists the existing names.
#[test]
fn unknown_names_list_what_exists() {
    let message = |line: &str| Assembler::default().assemble(line).unwrap_err().to_string();
    let text = message("WAIT cycel=1");
    assert!(text.contains("WAIT has no field `cycel`; it has cycle_sd, cycle"), "{text}");
    // Fields that are not for programs (chapter 1: neither controllable nor observable) are left out.
    let text = message("SWB source=1");
    assert!(text.contains("SWB has no field `source`; it has src_row, src_block"), "{text}");
    let text = message("HOLD");
    for name in ["HALT", "REFI", "SWB", "WAIT"] {
        assert!(text.contains(name), "{text}");
    }
}

/// Messages with the values that chapter 1, section 3 allows, and the fields that extend a range: {l2_step_ext, l2_step}
/// has 6 bits.
#[test]
fn messages_say_what_to_write() {
    for (line, expected) in [
        ("REFI l2_step=200", "is outside 0..15; with l2_step_ext, 0..63 is possible"),
        ("REFI l2_step=40", "0..63 is possible: write l2_step=8, l2_step_ext=2"),
        ("REFI l1_delay=63", "0..63 is possible: write l1_delay=15, l1_delay_ext=3"),
        ("REFI l2_iter=32", "0..63 is possible: write l2_iter=0, l2_iter_ext=1"),
        ("REFI l1_step=-1", "is outside 0..63; write l1_step=1, l1_step_sign=-"),
        ("REFI l1_step=-64", "is outside 0..63; meaning: Magnitude of the inner address step"),
        ("SWB hb_index=9", "is outside 0..7; meaning: Source column minus destination column"),
        ("WAIT 5", "write WAIT cycle=5"),
        ("JUMP (start)", "write JUMP pc=start"),
        ("WAIT 1.5", "write WAIT cycle=VALUE"),
        ("WAIT cycle=5, 6", "operands must be written as `name=value`"),
        ("REFI 5", "operands must be written as `name=value`"),
        ("start: JUMP pc=strat", "unknown name `strat`; did you mean `start`?"),
        ("start: JUMP pc=other", "unknown name `other`"),
        ("mac: DPU mode=maac", "unknown name `maac`; `mode` accepts idle, add"),
    ] {
        let message = Assembler::default().assemble(line).unwrap_err().message;
        assert!(message.contains(expected), "{line}: {message}");
        let ends =
            message.ends_with(expected) || expected.contains("meaning") || line.contains("mode");
        assert!(ends, "{line}: {message}");
    }
}

/// The span of an error is the text that the user must change.
#[test]
fn errors_point_at_their_cause() {
    check_error("WAIT cycle=1\nWAIT cycel=1", "A04", "cycel");
    check_error("DPU mode=mak", "A06", "mak");
    check_error("WAIT cycle=40000", "A07", "cycle=40000");
    check_error("a: HALT\nb: HALT\na: HALT", "A11", "a");
    check_error("WAIT cycle=(1", "A02", "");
    check_error(".EQU x = 1 << 64", "A18", "1 << 64");
    check_error("WAIT cycle=1.5", "A07", "1.5");
    check_error(".DATA\nCELL <0,0>", "A14", "CELL");
    check_error("IO rw=r", "A21", "IO");
}

#[test]
fn later_constants_are_not_visible_and_labels_win() {
    assert_eq!(Assembler::default().assemble("WAIT cycle=n\n.EQU n = 1").unwrap_err().code, "A06");
    // A label of the cell takes precedence over a constant of the same name.
    let assembly = Assembler::default().assemble(".EQU x = 9\nHALT\nx: JUMP pc=x").unwrap();
    assert_eq!(assembly.image.cell(CellId::FIRST).unwrap()[1].bits >> 17 & 63, 1);
}

#[test]
fn link_without_room_is_a_warning() {
    let source = "LOOP loopid=0, endpc=e, iter=2\nLOOP extra=0, loopid=1, endpc=e, iter=0\ne: HALT";
    let assembly = Assembler::default().assemble(source).unwrap();
    assert_eq!(assembly.image.cell(CellId::FIRST).unwrap().len(), 3);
    assert!(assembly.warnings.iter().any(|w| w.code == "W08"));
    // Without `extra`, the second LOOP grows, and the label moves.
    let assembly = Assembler::default().assemble(&source.replace("extra=0, ", "")).unwrap();
    let words = assembly.image.cell(CellId::FIRST).unwrap();
    assert_eq!(words.len(), 4);
    assert_eq!(words[1].bits >> 14 & 63, 3, "endpc");
    assert_eq!(words[2].bits >> 16 & 15, 1, "link");
}

/// Chapter 1, 4.2: in a signed field of w bits, a value from 2^(w-1) on is the raw pattern of a negative one.
#[test]
fn raw_patterns_of_signed_fields() {
    let raw = |text: &str, kind| {
        let assembly = Assembler { kind, ..Default::default() }.assemble(text).unwrap();
        let value = |v: RawValue| (v.cell.col(), v.address, v.field, v.written, v.meaning);
        assembly.raw_values.into_iter().map(value).collect::<Vec<_>>()
    };
    let text = "HALT\nCELL <0,1>\nLOOP start=33, step=-31\nSRAM l1_step=127, l2_step=0x80\nHALT";
    let expected = [(1, 0, "start".to_owned(), 33, -31), (1, 2, "l2_step".to_owned(), 128, -128)];
    assert_eq!(raw(text, TextKind::Source), expected);
    assert_eq!(
        raw("REFI l1_step=63\nRACCU operand1_sd=d, operand1=15\nHALT", TextKind::Source),
        []
    );
    // Compilers write patterns.
    let listing = "0_0\nLOOP (loopid=0, endpc=1, start=33, iter=2)\nHALT ()";
    assert_eq!(raw(listing, TextKind::Listing), []);
}

#[test]
fn any_text_is_an_image_or_an_error() {
    use proptest::prelude::*;
    let words = "REFI LOOP HALT SRAM RF CELL <0,0> < > ( ) [ ] = , + - ~ 1 0x1F 63 9999999999999999999 1.5 \
                 iter endpc x x: $v .DATA .CODE .EQU .ISA r0 .WORD .D .RELATION \"s\" X\"00\" \n #c\n \
                 /* */ // << >> % / mode ZEROS RAMP \u{e9} \"";
    let words: Vec<&str> = words.split(' ').collect();
    let text = prop::collection::vec(prop::sample::select(words), 0..24).prop_map(|w| w.join(" "));
    proptest!(|(text in text)| {
        for kind in [TextKind::Source, TextKind::Listing] {
            if let Err(e) = (Assembler { kind, ..Default::default() }).assemble(&text) {
                prop_assert!(text.get(e.span.clone()).is_some(), "{:?}", e);
            }
        }
    });
}
