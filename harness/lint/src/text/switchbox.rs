// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connections without a source, or with another one than written, and connections that nothing can use (chapter 5,
//! 2.1 to 2.3 and 3.3).

use drra_isa::CellId;

use super::{Add, CellProgram, Instruction, Kind};

/// The inputs of a cell in the order of `v_index`.
const INPUTS: [&str; 6] = ["w0", "w1", "in0", "in1", "in2", "in3"];

pub(super) fn check(program: &CellProgram<'_>, add: &mut Add<'_>) {
    for swb in program.instructions.values().filter(|i| i.pending() == Some("swb")) {
        let Some(input) = INPUTS.get(swb.value("v_index") as usize) else { continue };
        if swb.value("hb_index") <= 4 {
            let row = program.cell.row() ^ swb.value("send_to_other_row") as usize;
            let (kind, text) = no_source(program, swb, row).unzip();
            add(kind.unwrap_or(Kind::SourceOutside), swb, input, text);
            // For a source in row 1, src_row can have its default.
            let contradicts = swb.value("src_row") == 1 && row == 0;
            let text = "src_row=1, but send_to_other_row selects row 0".to_owned();
            add(Kind::NoEffect, swb, "src_row", contradicts.then_some(text));
        }
        add(Kind::InputTwice, swb, input, replacement(program, swb, input));
    }
}

/// The reason why the source of an SWB, in a row, never has data.
fn no_source(program: &CellProgram<'_>, swb: &Instruction, row: usize) -> Option<(Kind, String)> {
    let column = program.cell.col() as i64 + swb.value("hb_index") as i64 - 2;
    let last = program.case.geometry.columns as i64 - 1;
    if !(0..=last).contains(&column) {
        let text = format!("the source is column {column}, and the fabric has columns 0 to {last}");
        return Some((Kind::SourceOutside, text));
    }
    let source = CellId::new(row, column as usize)?;
    let has_program = program.case.program.cell(source).is_some_and(|words| !words.is_empty());
    let text = format!("the source is {source}, which has no program: it is always 0");
    (!has_program).then_some((Kind::SourceIdle, text))
}

/// The problem with a connection that another SWB replaces before any instruction can use it: only SWBs are between the
/// two, and no user of the input was configured earlier.
fn replacement(program: &CellProgram<'_>, swb: &Instruction, input: &str) -> Option<String> {
    let user = Some(if input.starts_with('w') { input } else { "dpu" });
    let is_swb = |i: &Instruction| i.pending() == Some("swb") && i.immediate;
    let replaces = |i: &Instruction| is_swb(i) && i.value("v_index") == swb.value("v_index");
    let following = program.reached(Some(swb), &|i| !is_swb(i) || replaces(i));
    let unused = is_swb(swb) && following.iter().all(|i| is_swb(i));
    let unused = unused && program.last_before(swb, &|i| i.pending() == user).is_empty();
    let second = following.into_iter().find(|i| unused && replaces(i))?;
    Some(format!("the {} connects {input} again, before any data", second.place()))
}
