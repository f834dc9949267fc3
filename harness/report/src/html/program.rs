// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs of the case, with the responsible instruction marked.

use maud::{Markup, html};

use super::{
    document::{head, section},
    sentence,
    view::cycles,
};
use crate::{
    data::{CellProgram, Report},
    terminal::NO_PROGRAM,
};

impl Report {
    pub(super) fn programs(&self) -> Markup {
        let body = html! {
            @if self.case.ports {
                p { (sentence(NO_PROGRAM)) }
            } @else if self.program.is_empty() {
                p { "No cell has a program." }
            }
            @for cell in &self.program {
                h3 { "Cell (" (cell.cell.row()) "," (cell.cell.col()) ")" @if cell.io { ", I/O cell" } }
                (listing(cell))
            }
        };
        section("program", "Program", &body)
    }
}

/// The lines of a program, with the line of the responsible instruction marked.
pub(super) fn listing(program: &CellProgram) -> Markup {
    html! {
        div.wide {
            table.program {
                (head(&["address", "instruction", "decoded in cycle"]))
                tbody {
                    @for line in &program.lines {
                        tr.owner[line.responsible] data-address=(line.address) {
                            td.number { (line.address) }
                            td {
                                @if line.responsible {
                                    mark { code { (line.text()) } } " " strong.tag { "responsible" }
                                } @else { code { (line.text()) } }
                            }
                            td { (cycles(&line.decoded)) }
                        }
                    }
                }
            }
        }
    }
}
