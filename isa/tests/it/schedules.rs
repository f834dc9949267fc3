// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compiler listings and schedules of vec_add (chapter 1, section 12, examples 1 and 9).

use drra_isa::{Assembler, CellId, Revision, TextKind, decode, read_sync_json, read_sync_text};
use serde_json::json;

use crate::*;

/// The compiler listing of vec_add, cell (0,0).
fn listing() -> String {
    let file = encoding_cases();
    let case = list(&file, "programs").iter().find(|p| p["id"] == "listing_import").unwrap();
    text(case, "text").to_owned()
}

fn expected() -> &'static str {
    include_str!("../data/vec_add.bin.expected")
}

/// The listing as a schedule; the cycles are the numbers of its lines.
fn schedule() -> String {
    let r2 = Assembler { isa: Revision::R2.into(), kind: TextKind::Listing, ..Default::default() };
    let mut out = String::from("# written by a compiler\n# CELL <0, 0>\n\n");
    let assembly = r2.assemble(&listing()).unwrap();
    for source in &assembly.lines {
        let line = listing().lines().nth(source.line - 1).unwrap().to_owned();
        out += &format!("{} ({}):|Sch:[0,0,0,18, 33] I|{line}\n", source.address, source.line);
    }
    out
}

#[test]
fn listing_needs_import_and_its_revision() {
    let source =
        |revision: Revision, kind| Assembler { isa: revision.into(), kind, ..Default::default() };
    let r2 = source(Revision::R2, TextKind::Listing).assemble(&listing()).unwrap();
    assert_eq!(r2.image.to_text(27), expected());
    let cut: Vec<_> = r2.warnings.iter().filter(|w| w.code == "W05").collect();
    assert_eq!(cut.len(), 2, "the two SWB lines with src_port 2 and 3");
    assert_eq!(
        source(Revision::R2, TextKind::Source).assemble(&listing()).unwrap_err().code,
        "A07"
    );
    let r4 = source(Revision::R4, TextKind::Listing).assemble(&listing()).unwrap();
    for address in [13, 14, 15] {
        let bit15 =
            |a: &drra_isa::Assembly| a.image.cell(CellId::FIRST).unwrap()[address].bits >> 15 & 1;
        assert_eq!((bit15(&r2), bit15(&r4)), (0, 1), "address {address}");
    }
}

#[test]
fn schedule_text_gives_the_image() {
    let r2 = Assembler { isa: Revision::R2.into(), ..Default::default() };
    let assembly = read_sync_text(&r2, &schedule()).unwrap();
    assert_eq!(assembly.image.to_text(27), expected());
    // The flag of a line applies to all its words.
    let delayed = schedule().replacen("] I|", "] D|", 1);
    let assembly = read_sync_text(&r2, &delayed).unwrap();
    let flags: Vec<bool> =
        assembly.image.cell(CellId::FIRST).unwrap().iter().take(3).map(|w| w.immediate).collect();
    assert_eq!(flags, [false, false, true]);
}

#[test]
fn schedule_text_errors() {
    let r2 = Assembler { isa: Revision::R2.into(), ..Default::default() };
    let code = |text: &str| read_sync_text(&r2, text).unwrap_err().code;
    assert_eq!(code("0 (0):|Sch:[0,0,0,0] I|HALT ()"), "SYNC-E1");
    assert_eq!(code("HALT ()"), "SYNC-E1");
    assert_eq!(code("# CELL <0>"), "SYNC-E1");
    assert_eq!(code("1 (0):|Sch:[0,0,0,0,0] I|HALT ()"), "SYNC-E2");
    assert_eq!(code("0 (0):|Sch:[0,0,0,0,0] I|STOP ()"), "A03");
    assert_eq!(code("# CELL <2, 0>\n"), "A12");
}

#[test]
fn schedule_json_gives_the_image() {
    let r2 = Assembler { isa: Revision::R2.into(), kind: TextKind::Listing, ..Default::default() };
    let isa = Revision::R2.isa();
    let words: Vec<u64> = {
        let assembly = r2.assemble(&listing()).unwrap();
        assembly.image.cell(CellId::FIRST).unwrap().iter().map(|w| w.bits).collect()
    };
    let mut instructions = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let decoded = decode(isa, &words[at..], false).unwrap();
        let mut values = serde_json::Map::new();
        for (field, value) in decoded.instruction.fields.iter().zip(&decoded.values) {
            values.insert(field.name.clone(), json!(value));
        }
        values.insert(".hint".into(), json!("ignored"));
        let values = if values.len() == 1 { Value::Null } else { values.into() };
        instructions.push(json!({"name": decoded.instruction.name, "immediate": 1, "start": at,
                                 "segment_values": values, "timestamps": [[0, 1]], "id": 7}));
        at += decoded.len;
    }
    let mut schedule = json!([{"row": 0, "col": 0, "instr_list": instructions}]);
    let assembly = read_sync_json(&r2, &schedule.to_string()).unwrap();
    assert_eq!(assembly.image.to_text(27), expected());
    // Of equal keys, the last one counts.
    let twice = schedule.to_string().replacen("\"row\":0", "\"row\":9,\"row\":0", 1);
    assert_eq!(read_sync_json(&r2, &twice).unwrap().image.to_text(27), expected());

    let mut error = |pointer: &str, value: Value| {
        let old = std::mem::replace(schedule.pointer_mut(pointer).unwrap(), value);
        let error = read_sync_json(&r2, &schedule.to_string()).unwrap_err();
        *schedule.pointer_mut(pointer).unwrap() = old;
        let place = error.message.strip_prefix("at `").unwrap().split('`').next().unwrap();
        (error.code, place.to_owned())
    };
    let place = "/0/instr_list/0";
    assert_eq!(error("/0/instr_list/0/name", json!("STOP")), ("A03", place.into()));
    assert_eq!(error("/0/instr_list/0/immediate", json!(2)), ("SYNC-E1", place.into()));
    assert_eq!(
        error("/0/instr_list/0/segment_values", json!({"no": 1})),
        ("A04", format!("{place}/segment_values/no"))
    );
    assert_eq!(error("/0/row", json!(-1)), ("SYNC-E1", "/0".into()));
    assert_eq!(error("/0/col", json!(8)), ("A12", "/0".into()));
    assert_eq!(read_sync_json(&r2, "{}").unwrap_err().code, "SYNC-E1");
    // A slash in a key is escaped in a pointer.
    assert_eq!(
        error("/0/instr_list/0/segment_values", json!({"a/b": 1})),
        ("A04", format!("{place}/segment_values/a~1b"))
    );
    assert_eq!(read_sync_json(&r2, "[").unwrap_err().code, "SYNC-E1");
}
