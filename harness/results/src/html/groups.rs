// SPDX-License-Identifier: MIT OR Apache-2.0
//! Groups the failures of a campaign that are likely to have the same cause: failures of the same block, with the
//! common features of their responsible instructions.

use drra_isa::{DecodedInstruction, Revision};
use drra_report::{Report, data::InstructionWords};

use crate::summary::Failure;

/// A distinct failure with its report.
#[derive(Clone, Debug)]
pub struct FailureEntry {
    /// The failure in the summary.
    pub failure: Failure,
    /// The report of the failure; `None` if there is no report, for the reason in `note`.
    pub report: Option<Report>,
    /// A note to the reader, for example that the stored case no longer fails.
    pub note: Option<String>,
    /// True if the folder of the failure has a `report.html` to link to.
    pub page: bool,
}

/// Failures of a block.
pub(super) struct FailureGroup<'a> {
    /// Name of the block; `None` if it is unknown.
    pub(super) block: Option<&'static str>,
    /// The features that the responsible instructions of several failures have in common: `DPU io_change=negate_in1`.
    pub(super) common: Option<String>,
    pub(super) entries: Vec<&'a FailureEntry>,
}

impl FailureGroup<'_> {
    /// Number of failing cases.
    pub(super) fn cases(&self) -> u64 {
        self.entries.iter().map(|e| e.failure.count).sum()
    }
}

/// Groups the failures of a campaign. Groups with the most failures come first, and failures of an unknown block come
/// last.
pub(super) fn groups(entries: &[FailureEntry]) -> Vec<FailureGroup<'_>> {
    let mut groups: Vec<FailureGroup<'_>> = Vec::new();
    for entry in entries {
        let explained = entry.report.as_ref().filter(|report| report.is_explained());
        let block = explained.map(|report| report.rule.block());
        match groups.iter_mut().find(|group| group.block == block) {
            Some(group) => group.entries.push(entry),
            None => groups.push(FailureGroup { block, common: None, entries: vec![entry] }),
        }
    }
    for group in &mut groups {
        let reports = group.entries.iter().filter_map(|entry| entry.report.as_ref());
        let all: Vec<&InstructionWords> =
            reports.filter_map(|r| Some(&r.responsible.as_ref()?.instruction)).collect();
        group.common = Some(all).filter(|all| all.len() > 1).and_then(|all| common(&all));
    }
    groups.sort_by_key(|group| (group.block.is_none(), usize::MAX - group.entries.len()));
    groups
}

/// The common opcode, with the fields that have the same value in all instructions.
fn common(all: &[&InstructionWords]) -> Option<String> {
    let isa = Revision::R4.isa();
    let decoded = |i: &&InstructionWords| drra_isa::decode(isa, &i.words, i.io_cell);
    let decoded: Vec<DecodedInstruction<'_>> = all.iter().map(decoded).collect::<Option<_>>()?;
    let name = &decoded.first()?.instruction.name;
    let same = decoded.iter().all(|other| other.instruction.name == *name);
    let mut lists = decoded.iter().map(|d| drra_isa::instruction_fields(isa, d));
    let mut fields = lists.next().filter(|_| same)?;
    lists.for_each(|other| fields.retain(|field| other.contains(field)));
    Some(format!("{name} {}", fields.join(", ")).trim_end().to_owned())
}
