// SPDX-License-Identifier: MIT OR Apache-2.0
//! The meaning of a word in the hardware, which implements one revision: the value tables of the description with which
//! a text is read are compared with the tables of that revision (W07 of chapter 1, 8.6). Fields of one instruction that
//! contradict each other are detected as well (W10).

use crate::{
    description::{Field, Instruction, Isa},
    layout_difference::published_layout,
    revision::Revision,
};

/// The revision of the hardware, if its value names can differ from those in a description.
pub(crate) struct HardwareMeanings {
    isa: Option<&'static Isa>,
}

impl HardwareMeanings {
    /// The meanings to compare with a text read with `isa`. Words whose layout differs from all published layouts are
    /// for other hardware and are not checked.
    pub(crate) fn compared_with(isa: &Isa) -> Self {
        let hardware = Revision::default().isa();
        let comparable = !std::ptr::eq(isa, hardware) && published_layout(isa).is_ok();
        Self { isa: comparable.then_some(hardware) }
    }

    /// Differences between the text of an instruction and its effect, one message each. `values` are the raw values of
    /// the fields in the emitted words, that is, of the first fields of the instruction.
    pub(crate) fn surprises(
        &self,
        instruction: &Instruction,
        values: &[u64],
        io_cell: bool,
    ) -> Vec<String> {
        let Some(isa) = self.isa else { return Vec::new() };
        let newest = Revision::default().name();
        let executed = isa.by_code(instruction.code, io_cell);
        let Some(executed) = executed.filter(|e| e.name.eq_ignore_ascii_case(&instruction.name))
        else {
            let name = executed.map_or("nothing", |e| &e.name);
            return vec![format!(
                "{} has code {}, which runs as {name} in this kind of cell ({newest})",
                instruction.name, instruction.code
            )];
        };
        let fields = instruction.fields.iter().zip(&executed.fields).zip(values);
        fields
            .filter_map(|((given, known), &raw)| changed_name(given, known, raw))
            .map(|text| format!("{} {text} ({newest})", instruction.name))
            .collect()
    }
}

/// The difference between the name of a value in the description and its name in the hardware, if there is one.
fn changed_name(given: &Field, known: &Field, raw: u64) -> Option<String> {
    let name = given.value_name(raw)?;
    if given.renamed || known.values.is_empty() {
        return None;
    }
    let runs_as = match known.value_name(raw) {
        Some(other) if other.eq_ignore_ascii_case(name) => return None,
        Some(other) => format!("runs as {other}"),
        None => "has no name".to_owned(),
    };
    let elsewhere = match known.value_of(name) {
        Some(value) => format!("{name} is {value} there"),
        None => format!("there is no {name}"),
    };
    Some(format!("{}={name} is value {raw}, which {runs_as}; {elsewhere}", given.name))
}

/// The contradiction between two written fields of an SWB: `src_row` is the row of the source, and `send_to_other_row`
/// specifies whether that row differs from the row of the cell. `values` are the raw values of all fields.
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
