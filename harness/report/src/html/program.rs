// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs of the case, with the responsible instruction marked.

use maud::{Markup, html};

use super::{
    document::{head, section},
    sentence,
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
pub fn listing(program: &CellProgram) -> Markup {
    html! {
        div.wide {
            table.program {
                (head(&["address", "instruction", "decoded in cycle"]))
                tbody {
                    @for line in &program.lines {
                        tr.responsible[line.responsible] data-address=(line.address) {
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

/// Cycles in ascending order; three or more cycles in equal steps become one item.
pub fn cycles(all: &[u64]) -> String {
    if all.is_empty() {
        return "-".to_owned();
    }
    let mut items: Vec<String> = Vec::new();
    let mut rest = all;
    while let [first, ..] = rest {
        let step = rest.get(1).map_or(0, |next| next - first);
        let same = rest.windows(2).take_while(|pair| pair[1] - pair[0] == step).count() + 1;
        let taken = if same >= 3 { same } else { 1 };
        items.push(match (taken, step) {
            (1, _) => first.to_string(),
            (_, 1) => format!("{first} to {}", rest[taken - 1]),
            _ => format!("{first} to {} every {step}", rest[taken - 1]),
        });
        rest = &rest[taken..];
    }
    items.join(", ")
}
