// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fields of one instruction that say the opposite of each other (W10 of chapter 1, 8.6).

use crate::description::Instruction;

/// The contradiction of an SWB of which both fields are written and do not agree: `src_row` is the row of
/// the source, `send_to_other_row` says if that is not the row of the cell. `values` are
/// the raw values of all fields.
pub(crate) fn rows_of_swb(
    instruction: &Instruction,
    values: &[u64],
    row: usize,
    is_written: impl Fn(usize) -> bool,
) -> Option<String> {
    let index = |name| instruction.field_index(name);
    let (source, other) = (index("src_row")?, index("send_to_other_row")?);
    // A disconnected input has no source.
    let connects = index("hb_index").is_some_and(|hops| values[hops] <= 4);
    let crosses = values[source] != row as u64;
    if !connects || !is_written(source) || !is_written(other) || crosses == (values[other] == 1) {
        return None;
    }
    let field = &instruction.fields[other];
    let name =
        field.value_name(values[other]).map_or_else(|| values[other].to_string(), String::from);
    let relation = if values[other] == 1 { "the other" } else { "the same" };
    Some(format!(
        "{}: send_to_other_row={name} (a source in {relation} row) contradicts src_row={} in a cell of row {row}",
        instruction.name, values[source]
    ))
}
