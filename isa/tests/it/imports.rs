// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs as compilers write them (chapter 1, sections 7 and 8.8): form, revision, warnings.

use drra_isa::{
    AsmError, Assembler, CellId, ImportedProgram, Importer, Revision, TextFormat, TextKind,
    disassemble, read_program,
};

use crate::*;

const VEC_ADD: &str = include_str!("../data/vec_add.bin.expected");

/// The words of vec_add as a listing that a compiler for a revision writes.
fn listing(revision: Revision) -> String {
    let image = read_program(VEC_ADD, &Default::default(), 27).unwrap();
    let lines = disassemble(revision.isa(), image.cell(CellId::FIRST).unwrap(), false);
    let text: Vec<String> = lines.into_iter().map(|line| line.text).collect();
    format!("0_0\n{}\n\n", text.join("\n"))
}

fn import(text: &str) -> Result<ImportedProgram, AsmError> {
    Importer::default().import(text, TextFormat::of(text).unwrap())
}

#[track_caller]
fn refused(text: &str, code: &str, line: usize) -> String {
    let error = import(text).unwrap_err();
    assert_eq!((error.code, error.line), (code, line), "{error}");
    error.message
}

#[test]
fn the_revision_of_a_listing_is_decided_from_its_names() {
    for (revision, decided) in [
        (Revision::R0, Revision::R0),
        (Revision::R1, Revision::R2),
        (Revision::R2, Revision::R2),
        (Revision::R3, Revision::R4),
        (Revision::R4, Revision::R4),
    ] {
        let import = import(&listing(revision)).unwrap();
        assert_eq!(import.assembly.image.to_text(27), VEC_ADD, "{revision:?}");
        let choice = import.choice.unwrap();
        assert_eq!(choice.revision, decided, "{choice}");
    }
    let choice = import(&listing(Revision::R2)).unwrap().choice.unwrap().to_string();
    assert!(
        choice.starts_with("read as r2 (r1 gives the same words); not r3 and r4 (line 8: SWB"),
        "{choice}"
    );
    assert!(choice.contains("send_to_other_row=y") && choice.contains("src_row=0"), "{choice}");
}

#[test]
fn a_revision_that_is_given_wins_with_a_warning() {
    let importer = Importer { isa: Some(Revision::R4.into()), ..Importer::default() };
    let import = importer.import(&listing(Revision::R2), TextFormat::Listing).unwrap();
    assert!(import.choice.is_none());
    assert_ne!(import.assembly.image.to_text(27), VEC_ADD);
    let lines: Vec<usize> =
        import.assembly.warnings.iter().filter(|w| w.code == "W10").map(|w| w.line).collect();
    assert_eq!(lines, [8, 9, 10]);
    // A text that names its revision is read in that revision.
    let named = format!(".ISA r4\n{}", listing(Revision::R2));
    let import = Importer::default().import(&named, TextFormat::Listing).unwrap();
    assert!(import.choice.is_none() && import.assembly.image.to_text(27) != VEC_ADD);
}

#[test]
fn a_revision_that_cannot_be_determined_is_refused() {
    // `mult` is 8 in r1 and 7 in r2, and nothing else distinguishes the two.
    let swb = "SWB (unused0=1, src_row=0, src_block=rf, src_port=0, hb_index=2, send_to_other_row=y, v_index=2)";
    let dpu = |mode: &str| {
        format!("DPU (mode={mode}, control=sat_int, unused_0=2, acc_clear=0, io_change=no_change)")
    };
    let message = refused(&format!("0_0\n{swb}\n{}\nHALT ()\n", dpu("mult")), "A22", 3);
    assert!(
        message.contains("--isa") && message.contains("r1") && message.contains("r2"),
        "{message}"
    );
    // A name that exists in only one of two revisions distinguishes them.
    for (mode, revision) in [("add_3", Revision::R1), ("axpy", Revision::R2)] {
        let text = format!("0_0\n{swb}\n{}\n{}\nHALT ()\n", dpu("mult"), dpu(mode));
        assert_eq!(import(&text).unwrap().choice.unwrap().revision, revision);
    }
    // Two SWBs that fit different revisions.
    let other = swb.replace("other_row=y", "other_row=n");
    let message = refused(&format!("0_0\n{swb}\n{other}\nHALT ()\n"), "A22", 2);
    assert!(message.contains("line 2") && message.contains("line 3"), "{message}");
    // Without src_row, nothing determines the meaning of the name.
    let silent = swb.replace("src_row=0, ", "");
    refused(&format!("0_0\n{silent}\nHALT ()\n"), "A22", 2);
    // Numbers yield the same words in all revisions.
    let number = silent.replace("other_row=y", "other_row=0");
    import(&format!("0_0\n{number}\nHALT ()\n")).unwrap();
}

#[test]
fn an_error_in_all_revisions_is_the_one_found_farthest() {
    refused("0_0\nDPU (mode=axpy, unused_0=2)\nWAIT (cycel=3)\n", "A04", 3);
}

#[test]
fn an_swb_without_a_source_has_no_row() {
    let warnings = |text: &str| {
        let assembly = Assembler::default().assemble(text).unwrap();
        assembly.warnings.into_iter().filter(|w| w.code == "W10").count()
    };
    assert_eq!(warnings("SWB src_row=0, hb_index=2, send_to_other_row=y\nHALT"), 1);
    assert_eq!(warnings("SWB src_row=1, hb_index=2, send_to_other_row=y\nHALT"), 0);
    assert_eq!(warnings("CELL <1,0>\nSWB src_row=1, hb_index=2, send_to_other_row=y\nHALT"), 1);
    assert_eq!(warnings("SWB src_row=0, hb_index=7, send_to_other_row=y\nHALT"), 0);
    assert_eq!(warnings("SWB hb_index=2, send_to_other_row=y\nHALT"), 0);
}

#[test]
fn manas_loops_without_an_end_are_warned_about() {
    let body =
        ".CODE\nCELL <0,0>\n\"i0\" LOOP loopid=0, iter=2\n\"i1\" WAIT cycle=0\n\"i2\" HALT\n";
    let manas = format!("{body}.RELATION\n\"ROOT\" 1 0 [\"LOOP0\"] [] 0\n");
    let codes = |text: &str| -> Vec<(&'static str, usize)> {
        let assembly = import(text).unwrap().assembly;
        assembly.warnings.iter().map(|w| (w.code, w.line)).collect()
    };
    assert_eq!(codes(&manas), [("W09", 3), ("W04", 6)]);
    assert_eq!(codes(&manas.replace("iter=2", "iter=2, endpc=i1")), [("W04", 6)]);
    assert_eq!(codes(body), []);
}

#[test]
fn positional_text_is_refused_where_it_shows() {
    // The data line is the first line that reveals the format; the assembler stops at it, too.
    let text = ".DATA\n$A FULL_DISTR [<0,0>] [1,2]\n.CODE\nCELL <0,0>\nREFI_1 0 0 0 0\n";
    assert!(refused(text, "A08", 2).contains("positional"));
    let message = refused(".CODE\nCELL <0,0>\nDELAY 0 3\nHALT\n", "A03", 3);
    assert!(message.contains("DELAY") && message.contains("not supported"), "{message}");
    // An earlier error of another kind does not hide the format of the file.
    refused("CELL 0 0 0\nREFI_1 0 0 0 0\n", "A03", 2);
    refused("WAIT 3\n", "A08", 1);
}

#[test]
fn the_form_is_determined_by_the_content() {
    let word = "0".repeat(27);
    let row = "0".repeat(64);
    for (text, form) in [
        ("[]", Some(TextFormat::ScheduleJson)),
        ("\u{feff} {\"version\": 1}", Some(TextFormat::Case)),
        ("# c\n# CELL <0, 0>\n\n0 (0):|Sch:[0,0,0,0,0] I|HALT ()", Some(TextFormat::ScheduleText)),
        ("0 ( 0 ) : | Sch : [0,0,0,0,0]|HALT ()", Some(TextFormat::ScheduleText)),
        (&format!("CELL 0 0\n1 {word}\n"), Some(TextFormat::Image)),
        (&format!("1 {word}\n"), Some(TextFormat::Image)),
        (&format!("SRAM 0 0\n0 {row}\n"), Some(TextFormat::Memory)),
        (&format!("RF 1 0\n0 {row}\n"), Some(TextFormat::Memory)),
        ("-- bench\nlibrary ieee;\n", Some(TextFormat::TestBench)),
        ("LIBRARY ieee;\n", Some(TextFormat::TestBench)),
        ("0_0\nHALT ()\n", Some(TextFormat::Listing)),
        (&listing(Revision::R2)[4..], Some(TextFormat::Listing)),
        ("HALT ()\n", Some(TextFormat::Source)),
        ("/* 0_0\n*/ // c\nHALT\n", Some(TextFormat::Source)),
        ("SRAM <0,0> [0] = ZEROS(16)", Some(TextFormat::Source)),
        ("add: DPU (mode=add, unused_0=2)\n", Some(TextFormat::Source)),
        ("HALT\n.DEPENDENCY\n", Some(TextFormat::Manas)),
        ("", None),
        ("# only a comment\nCELL 0 0\n", None),
        ("\u{0}\u{1}", None),
        ("?", None),
    ] {
        assert_eq!(TextFormat::of(text), form, "{text}");
    }
    for (path, form) in [
        (include_str!("../../vec_add.sasm"), TextFormat::Source),
        (VEC_ADD, TextFormat::Image),
        (include_str!("../data/vec_add.mem.expected"), TextFormat::Memory),
    ] {
        assert_eq!(TextFormat::of(path), Some(form));
    }
}

#[test]
fn programs_of_the_examples_keep_their_words() {
    let file = encoding_cases();
    for case in list(&file, "programs") {
        let (id, source) = (text(case, "id"), text(case, "text"));
        let listing = case["mode"] == "listing";
        let form = TextFormat::of(source).unwrap();
        assert_eq!(form == TextFormat::Listing, listing, "{id}");
        let import = import(source).unwrap_or_else(|e| panic!("{id}: {e}"));
        assert_eq!(import.assembly.image.to_text(27), text(case, "bin"), "{id}");
    }
}

/// Any text is either read or causes an error with a valid location in the text; detecting its form never panics.
#[test]
fn any_text_is_read_or_refused() {
    use proptest::prelude::*;
    let words = "0_0 SWB DPU ( ) mode=mult src_row=0 , send_to_other_row=y unused0=1 [ ] { } \"row\": 0 \
                 null \n \n .RELATION /* */ é \u{feff} -- REFI_1";
    let parts =
        ["# CELL <0, 0>", "0 (0):|Sch:[0,0,0,0,0] I|", "HALT ()", ".ISA r2", "$a EVEN_DISTR"];
    let words: Vec<&str> = words.split(' ').chain(parts).collect();
    let text = prop::collection::vec(prop::sample::select(words), 0..16).prop_map(|w| w.join(" "));
    proptest!(|(text in text)| {
        for form in [TextFormat::Source, TextFormat::Manas, TextFormat::Listing, TextFormat::ScheduleText, TextFormat::ScheduleJson] {
            if let Err(e) = Importer::default().import(&text, form) {
                prop_assert!(e.line >= 1 && text.get(e.span.clone()).is_some(), "{:?}", e);
            }
        }
        let _ = TextFormat::of(&text);
    });
}

/// The same listing as a schedule listing.
#[test]
fn schedules_are_decided_like_listings() {
    let r2 = Assembler { isa: Revision::R2.into(), kind: TextKind::Listing, ..Default::default() };
    let listing = listing(Revision::R2);
    let lines = r2.assemble(&listing).unwrap().lines;
    let mut schedule = String::from("# CELL <0, 0>\n");
    for source in &lines {
        let line = listing.lines().nth(source.line - 1).unwrap();
        schedule += &format!("{}({}):|Sch:[0,0,0,0,0] I|{line}\n", source.address, source.line);
    }
    let read = import(&schedule).unwrap();
    assert_eq!(read.assembly.image.to_text(27), VEC_ADD);
    assert_eq!(read.choice.unwrap().revision, Revision::R2);
    assert_eq!(read.assembly.lines[3].fetch, Some(5), "as written in the brackets");
    // An error is reported with its bytes in the file rather than in the listing made from the file.
    let wrong = schedule.replacen("mode=add", "mode=ade", 1);
    let error = import(&wrong).unwrap_err();
    assert_eq!((error.code, &wrong[error.span.clone()]), ("A06", "ade"));
    assert_eq!(error.line, 15);
}

const NULL_CELL: &str = r#"[
  {"row": 0, "col": 0, "instr_list": [
    {"name": "SWB", "immediate": 1, "start": 3,
     "segment_values": {"src_row": 0, "hb_index": 2, "src_port": 3,
                        "send_to_other_row": 1}},
    {"name": "HALT", "immediate": 1, "segment_values": null, "timestamps": [[4, 9], [0, 7]]}]},
  {"row": 1, "col": 1, "instr_list": null}
]"#;

#[test]
fn an_idle_cell_is_null_and_warnings_state_their_places() {
    let import = import(NULL_CELL).unwrap();
    assert_eq!(import.assembly.image.word_count(), 2);
    let places: Vec<(&str, usize, &str)> = import
        .assembly
        .warnings
        .iter()
        .map(|w| (w.code, w.line, w.message.split(": ").next().unwrap()))
        .collect();
    let expected = [
        ("W05", 4, "at `/0/instr_list/0/segment_values/src_port`"),
        ("W10", 3, "at `/0/instr_list/0`"),
    ];
    assert_eq!(places, expected);
    let lines: Vec<(usize, Option<u64>)> =
        import.assembly.lines.iter().map(|l| (l.line, l.fetch)).collect();
    assert_eq!(lines, [(3, Some(3)), (6, Some(7))]);
    assert_eq!(import.choice.unwrap().revision, Revision::R4);
}

#[test]
fn errors_in_schedules_state_line_and_pointer() {
    let message = refused(&NULL_CELL.replace("\"HALT\"", "\"STOP\""), "A03", 6);
    assert!(message.contains("/0/instr_list/1"), "{message}");
    refused(&NULL_CELL.replace("\"hb_index\": 2", "\"hop\": 2"), "A04", 4);
    refused(&NULL_CELL.replace("null}\n]", "null}\n"), "SYNC-E1", 8);
    refused(&NULL_CELL.replace(": null}\n", ": 1}\n"), "SYNC-E1", 7);
}
