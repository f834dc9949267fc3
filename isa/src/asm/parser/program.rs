// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program after parsing, before layout.

use std::collections::{BTreeMap, HashMap};

use crate::{
    asm::{assembly::Assembly, data::DataSection, error::SourceSpan, expr::Expr},
    place::CellId,
};

/// A program after parsing, before layout.
#[derive(Default)]
pub(crate) struct ParsedProgram<'a> {
    pub(crate) cells: BTreeMap<CellId, CellCode<'a>>,
    pub(crate) data: DataSection,
    /// The result so far: I/O cells, instruction set, warnings.
    pub(crate) assembly: Assembly,
    /// True if there is a section .RELATION or .DEPENDENCY.
    pub(crate) has_relations: bool,
}

#[derive(Default)]
pub(crate) struct CellCode<'a> {
    pub(crate) items: Vec<CodeItem<'a>>,
    /// Labels, each with the index of the item that follows it.
    pub(crate) labels: HashMap<&'a str, usize>,
}

pub(crate) struct CodeItem<'a> {
    pub(crate) place: SourceSpan,
    pub(crate) immediate: bool,
    pub(crate) body: ItemBody<'a>,
}

pub(crate) enum ItemBody<'a> {
    /// Index of the instruction in the description, and the written fields.
    Instruction(usize, Vec<Assignment<'a>>),
    Raw(Vec<Expr<'a>>),
}

pub(crate) struct Assignment<'a> {
    pub(crate) field: usize,
    pub(crate) value: Expr<'a>,
    pub(crate) place: SourceSpan,
}
