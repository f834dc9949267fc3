// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program after parsing, before layout.

use std::collections::{BTreeMap, HashMap};

use crate::{
    asm::{assembly::Assembly, data::DataSection, error::SourceSpan, expr::Expr},
    place::CellId,
};

/// A program after parsing, before layout.
#[derive(Default)]
pub(crate) struct ParsedProgram {
    pub(crate) cells: BTreeMap<CellId, CellCode>,
    pub(crate) data: DataSection,
    /// The result so far: I/O cells, instruction set, warnings.
    pub(crate) assembly: Assembly,
    /// True if there is a section .RELATION or .DEPENDENCY.
    pub(crate) has_relations: bool,
}

#[derive(Default)]
pub(crate) struct CellCode {
    pub(crate) items: Vec<CodeItem>,
    /// Labels, each with the index of the item that follows it.
    pub(crate) labels: HashMap<String, usize>,
}

pub(crate) struct CodeItem {
    pub(crate) place: SourceSpan,
    pub(crate) immediate: bool,
    pub(crate) body: ItemBody,
}

pub(crate) enum ItemBody {
    /// Index of the instruction in the description, and the written fields.
    Instruction(usize, Vec<Assignment>),
    Raw(Vec<Expr>),
}

pub(crate) struct Assignment {
    pub(crate) field: usize,
    pub(crate) value: Expr,
    pub(crate) place: SourceSpan,
}
