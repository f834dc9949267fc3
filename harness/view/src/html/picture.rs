// SPDX-License-Identifier: MIT OR Apache-2.0
//! The picture of the fabric, with the data that move in it. Without a script, it shows all paths that are ever open.

use std::collections::{BTreeMap, BTreeSet};

use drra_isa::Unit;
use drra_report::{
    data::LinkKind,
    html::fabric::{BoxSizes, Route, UnitBox, arrow_heads, boxes, route, row_labels},
};
use maud::{Markup, html};

use super::flows::{Flow, flows};
use crate::RecordedRun;

const MEASURES: BoxSizes = BoxSizes {
    width: 126,
    tile_height: 58,
    column_height: 34,
    cell_height: 130,
    gap_x: 32,
    gap_y: 42,
};
/// Width of a part (register file or DPU) inside the box of a cell.
const PART_WIDTH: usize = 41;
const PART_HEIGHT: usize = 70;
const PART_TOP: usize = 38;
/// Distance of a part from the edge of the box.
const PART_SIDE: usize = 5;

/// A part of a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CellPart {
    RegisterFile,
    Dpu,
}

impl CellPart {
    fn of(name: &str) -> Self {
        if name.ends_with(".rf") { Self::RegisterFile } else { Self::Dpu }
    }

    /// Left edge.
    fn x(self, cell: &UnitBox) -> usize {
        match self {
            Self::RegisterFile => cell.x + PART_SIDE,
            Self::Dpu => cell.x + cell.width - PART_SIDE - PART_WIDTH,
        }
    }
}

pub(super) fn picture(r: &RecordedRun) -> Markup {
    let (boxes, [width, height]) = boxes(&r.geometry, &MEASURES);
    let by_name: BTreeMap<String, &UnitBox> =
        boxes.iter().map(|b| (b.unit.to_string(), b)).collect();
    let programs: BTreeSet<Unit> = r.programs.iter().map(|p| Unit::Cell(p.cell)).collect();
    html! {
        svg.fabric.moving style=(format!("--width: {width}")) viewBox=(format!("0 0 {width} {height}")) role="img" aria-labelledby="fabric-title fabric-desc" {
            title id="fabric-title" { "The fabric and what moves in it" }
            desc id="fabric-desc" {
                "Boxes are tiles, columns with their I/O units, and cells with register file and DPU. Arrows are "
                "open paths; those that carry data show the value. The list and the tables "
                "below give the same information."
            }
            (arrow_heads(&["switchbox", "noc"]))
            (row_labels(&boxes))
            @for b in &boxes { (unit(b, programs.contains(&b.unit))) }
            @for flow in flows(r) {
                @if let Some(route) = flow_route(&flow, &by_name) { (arrow(&flow, &route)) }
            }
        }
    }
}

/// A box; the script fills in its texts.
fn unit(b: &UnitBox, program: bool) -> Markup {
    let (left, middle) = (b.x + PART_SIDE, b.x + b.width / 2);
    html! {
        g.unit.program[program] data-unit=(b.unit) {
            rect x=(b.x) y=(b.y) width=(b.width) height=(b.height) rx="6" {}
            @match b.unit {
                Unit::Cell(_) => {
                    text.label x=(left + 2) y=(b.y + 15) { (b.label) }
                    text.says x=(left + 2) y=(b.y + 30) {}
                    (part(b, CellPart::RegisterFile, "RF"))
                    (part(b, CellPart::Dpu, "DPU"))
                }
                _ => {
                    text.name x=(middle) y=(b.y + 15) { (b.label) }
                    text.says.name x=(middle) y=(b.y + 29) {}
                    @if b.height > MEASURES.column_height {
                        text.says.name x=(middle) y=(b.y + 44) {}
                    }
                }
            }
        }
    }
}

/// Register file or DPU of a cell, with lines of text.
fn part(cell: &UnitBox, part: CellPart, label: &str) -> Markup {
    let (x, y) = (part.x(cell), cell.y + PART_TOP);
    let class = if part == CellPart::Dpu { "part dpu" } else { "part rf" };
    html! {
        g class=(class) {
            rect x=(x) y=(y) width=(PART_WIDTH) height=(PART_HEIGHT) rx="4" {}
            text.name x=(x + PART_WIDTH / 2) y=(y + 13) { (label) }
            @for line in 0..4 { text.says x=(x + 3) y=(y + 26 + 11 * line) {} }
        }
    }
}

/// The route of a flow's arrow, if both ends are in the picture.
fn flow_route(flow: &Flow, boxes: &BTreeMap<String, &UnitBox>) -> Option<Route> {
    if let (Some(from), Some(to)) = (boxes.get(&flow.from), boxes.get(&flow.to)) {
        return Some(route(from, to));
    }
    let cell = boxes.get(flow.from.rsplit_once('.')?.0)?;
    Some(inside(cell, CellPart::of(&flow.from), CellPart::of(&flow.to)))
}

/// An arrow inside a cell: to the DPU along the top, from the DPU along the bottom, or a loop under either part.
fn inside(cell: &UnitBox, from: CellPart, to: CellPart) -> Route {
    let [left, right] =
        [CellPart::RegisterFile.x(cell) + PART_WIDTH, CellPart::Dpu.x(cell)].map(|x| x as f64);
    let top = (cell.y + PART_TOP) as f64;
    let (middle, above, below) = ((left + right) / 2.0, top + 30.0, top + 64.0);
    match (from, to) {
        (CellPart::RegisterFile, CellPart::Dpu) => Route {
            path: format!("M{left} {above} L{right} {above}"),
            middle: (middle, above - 16.0),
        },
        (CellPart::Dpu, CellPart::RegisterFile) => Route {
            path: format!("M{right} {below} L{left} {below}"),
            middle: (middle, below - 16.0),
        },
        (part, _) => loop_under(part.x(cell) as f64, top + PART_HEIGHT as f64),
    }
}

/// A loop under a part, with its value next to it.
fn loop_under(x: f64, y: f64) -> Route {
    let (start, end, low) = (x + 6.0, x + 18.0, y + 13.0);
    let path = format!("M{start} {y} C{start} {low} {end} {low} {end} {y}");
    Route { path, middle: (x + 34.0, y + 9.0) }
}

fn arrow(flow: &Flow, route: &Route) -> Markup {
    let kind = match flow.kind {
        LinkKind::Switchbox => "switchbox",
        LinkKind::Noc => "noc",
    };
    let (x, y) = route.middle;
    html! {
        g.flow data-flow=(format!("{}>{}", flow.from, flow.to)) {
            path class=(format!("link {kind}")) d=(route.path) marker-end=(format!("url(#arrow-{kind})")) {
                title { (flow.from) " to " (flow.to) }
            }
            text.value x=(x) y=(y) {}
            // Inside a cell, there is room for two short lines, but not for a long line.
            @if flow.is_inside() { text.value x=(x) y=(y + 11.0) {} }
        }
    }
}
