// SPDX-License-Identifier: MIT OR Apache-2.0
//! The picture of the fabric, with the data that move in it. Every value has a place of its own at the port that it
//! enters, so values never overlap. Without a script, the picture shows all paths that are ever open.

use std::collections::{BTreeMap, BTreeSet};

use drra_isa::{CellId, Geometry, TileId, Unit};
use drra_report::{html::fabric::arrow_heads, text};
use maud::{Markup, html};

use super::flows::{Flow, PathEnd, flows};
use crate::RecordedRun;

const WIDTH: usize = 156;
/// Space between two boxes, in which the block paths of the cells run.
const GAP: usize = 20;
/// Space between two rows of boxes.
const ROW_GAP: usize = 24;
const TILE_HEIGHT: usize = 62;
const COLUMN_HEIGHT: usize = 46;
const CELL_HEIGHT: usize = 124;
/// Height of the part of a cell's box that holds its name and its instruction.
const HEADER: usize = 30;
const PART_HEIGHT: usize = 90;
/// Distance of the ports of a part.
const PORT: usize = 12;
/// From this width on, the picture needs the whole width of the page.
const LARGE: usize = 5 * (WIDTH + GAP);
/// Left edge and width of the register file and the DPU in the box of a cell. The wires run between the two.
const PARTS: [[usize; 2]; 2] = [[4, 68], [94, 58]];
/// Ports of the parts, from the top down.
const PORTS: [[&str; 6]; 2] =
    [["r0", "r1", "w0", "w1", "rb", "wb"], ["in0", "in1", "in2", "in3", "out0", "out1"]];
/// The wires between the parts, from the left to the right.
const WIRES: [&str; 10] = ["r0", "r1", "w0", "w1", "in0", "in1", "in2", "in3", "out0", "out1"];

/// The picture of the units in use and, if there are others, the picture of the whole fabric.
pub(super) fn pictures(r: &RecordedRun) -> Markup {
    let (flows, used) = (flows(r), r.used());
    let all = Unit::all(&r.geometry).collect();
    let [used, whole] = [&used, &all].map(|units| Picture::new(&r.geometry, units, &flows));
    html! {
        svg.heads aria-hidden="true" width="0" height="0" { (arrow_heads(&["switchbox", "noc"])) }
        (used.draw(r, &flows, "used", false))
        @if used.boxes.len() < whole.boxes.len() { (whole.draw(r, &flows, "whole", true)) }
    }
}

/// Positions of the units in a picture, and of the lanes that lead to other cells.
struct Picture {
    /// Left and top edge.
    boxes: BTreeMap<Unit, [usize; 2]>,
    /// Y positions of the lanes between the two rows of cells.
    lanes: BTreeMap<PathEnd, usize>,
    width: usize,
    height: usize,
}

impl Picture {
    /// A picture of the rows and columns that have one of the units.
    fn new(geometry: &Geometry, units: &BTreeSet<Unit>, flows: &BTreeSet<Flow>) -> Self {
        let cells = geometry.tile_rows + 1;
        let (mut columns, mut rows) = (BTreeSet::new(), BTreeSet::new());
        for unit in units {
            let (column, row) = match *unit {
                Unit::Tile(tile) => (tile.column(), tile.row()),
                Unit::Cell(cell) => (cell.column(), cells + cell.row()),
                Unit::Column(column) => (column, 0),
                Unit::Fabric => continue,
            };
            columns.insert(column);
            rows.insert(row);
        }
        let mut lanes = lanes(flows);
        let tracks = lanes.values().max().map_or(0, |last| last + 1);
        let (mut boxes, mut y) = (BTreeMap::new(), 2);
        for row in (1..cells).rev().chain([0, cells, cells + 1]) {
            if row == cells + 1 {
                // The lanes between the cells run between the two rows.
                lanes.values_mut().for_each(|track| *track = y + 4 * *track);
                y += 4 * tracks + 4;
            }
            let (height, gap) = match row {
                _ if !rows.contains(&row) => continue,
                0 => (COLUMN_HEIGHT, ROW_GAP),
                row if row < cells => (TILE_HEIGHT, ROW_GAP),
                _ => (CELL_HEIGHT, 8),
            };
            for (k, column) in columns.iter().enumerate() {
                let unit = match row {
                    0 => Some((*column).into()),
                    row if row < cells => TileId::new(row, column.col()).map(Unit::from),
                    _ => CellId::new(row - cells, column.col()).map(Unit::from),
                };
                boxes.extend(unit.map(|unit| (unit, [GAP + k * (WIDTH + GAP), y])));
            }
            y += height + gap;
        }
        Self { boxes, lanes, width: GAP + columns.len() * (WIDTH + GAP), height: y }
    }

    fn draw(&self, r: &RecordedRun, flows: &BTreeSet<Flow>, name: &str, hidden: bool) -> Markup {
        let drawn =
            |(from, to): &&Flow| [from, to].iter().all(|end| self.boxes.contains_key(&end.0));
        html! {
            div.wide.large[self.width > LARGE] hidden[hidden] { svg.fabric.moving style=(format!("--width: {}", self.width)) viewBox=(format!("0 0 {} {}", self.width, self.height)) role="img" aria-labelledby={ (name) "-title " (name) "-desc" } {
                title id={ (name) "-title" } { "The fabric and the data that move in it" }
                desc id={ (name) "-desc" } {
                    "Boxes are tiles, columns with their I/O units, and cells with the ports of register file and DPU. Lines are open "
                    "paths; a value stands at the port that it enters. List and tables give the same information."
                }
                @for (unit, [x, y]) in &self.boxes {
                    @let program = r.programs.iter().any(|program| Unit::Cell(program.cell) == *unit);
                    g.unit.program[program] data-unit=(unit) { (unit_box(*unit, *x, *y)) }
                }
                @for flow in flows.iter().filter(drawn) { (self.arrow(flow)) }
            } }
        }
    }

    /// The line of a path, and the place of its value.
    fn arrow(&self, flow: &Flow) -> Markup {
        let [from, to] = [flow.0, flow.1].map(|(unit, port)| {
            [&unit.to_string(), port].join(if port.is_empty() { "" } else { "." })
        });
        let kind = if WIRES.contains(&flow.1.1) { "switchbox" } else { "noc" };
        let (path, [x, y]) = self.path(flow.0, flow.1);
        html! {
            g.flow data-flow=(format!("{from}>{to}")) {
                path class=(format!("link {kind}")) d=(path) marker-end=(format!("url(#arrow-{kind})")) {
                    title { (from) " to " (to) }
                }
                text.value x=(x) y=(y) {}
            }
        }
    }

    /// The line of a path, and the right end of the value that it carries.
    fn path(&self, from: PathEnd, to: PathEnd) -> (String, [usize; 2]) {
        let [[x1, y1], [x2, y2]] = [from, to].map(|end| self.boxes[&end.0]);
        let [[px, pw, py], [qx, qw, qy]] = [from, to].map(|end| self.port(end));
        let right = x2 + WIDTH - 3;
        let inside = |port| {
            let (part, _) = place(port)?;
            Some([x2 + PARTS[part][0] + PARTS[part][1] - 3, qy + 3])
        };
        match (from, to) {
            ((Unit::Cell(_), port), (Unit::Column(_), _)) => {
                let y = y2 + if port == "rb" { 27 } else { 41 };
                let place = [if is_lower(from.0) { right - 57 } else { right }, y];
                (format!("M{px} {py}H{pw}V{}", y2 + COLUMN_HEIGHT), place)
            }
            (_, (_, port)) => match (from.0, inside(port)) {
                (Unit::Column(_), Some(place)) => {
                    (format!("M{qw} {}V{qy}H{qx}", y1 + COLUMN_HEIGHT), place)
                }
                (unit, Some(place)) if unit != to.0 => {
                    (format!("M{px} {py}H{pw}V{}H{qw}V{qy}H{qx}", self.lanes[&from]), place)
                }
                (_, Some(place)) if px == qx => (format!("M{px} {py}H{qw}V{qy}H{qx}"), place),
                (_, Some(place)) => (format!("M{px} {py}L{qx} {qy}"), place),
                _ if y1 == y2 && x1 < x2 => {
                    (format!("M{} {}H{x2}", x1 + WIDTH, y1 + 22), [x2 + 78, y2 + 31])
                }
                _ if y1 == y2 => (format!("M{x1} {}H{}", y1 + 34, x2 + WIDTH), [right, y2 + 31]),
                _ if y1 < y2 => {
                    (format!("M{} {}V{y2}", x1 + 114, y1 + TILE_HEIGHT), [right, y2 + 13])
                }
                _ => (format!("M{} {y1}V{}", x1 + 100, y2 + TILE_HEIGHT), [right, y2 + 57]),
            },
        }
    }

    /// A port of a cell: its edge, the wire that leads to it, and its middle. The wires of blocks and messages are left
    /// of the box, all others between the two parts.
    fn port(&self, (unit, port): PathEnd) -> [usize; 3] {
        let ([x, y], [header, parts]) = (self.boxes[&unit], offsets(unit));
        let outer = |wire: usize| x - 3 - 2 * wire - if is_lower(unit) { 6 } else { 0 };
        let Some((part, row)) = place(port) else { return [x, outer(2), y + header + 8] };
        let middle = y + parts + 19 + PORT * row;
        let Some(wire) = WIRES.iter().position(|wire| *wire == port) else {
            return [x + PARTS[0][0], outer(5 - row), middle];
        };
        let inner = x + PARTS[0][0] + PARTS[0][1];
        [[inner, x + PARTS[1][0]][part], inner + 2 + 2 * wire, middle]
    }
}

/// The part and the row of a port of a cell.
fn place(port: &str) -> Option<(usize, usize)> {
    let row = |ports: &[&str; 6]| ports.iter().position(|other| *other == port);
    PORTS.iter().enumerate().find_map(|(part, ports)| Some((part, row(ports)?)))
}

/// Offsets of header and parts in the box of a cell. The header is at the far side from the lanes between the two rows.
fn offsets(unit: Unit) -> [usize; 2] {
    if is_lower(unit) { [CELL_HEIGHT - HEADER, 4] } else { [0, HEADER] }
}

fn is_lower(unit: Unit) -> bool {
    matches!(unit, Unit::Cell(cell) if cell.row() == 1)
}

/// A track between the two rows of cells for each lane that other cells read.
fn lanes(flows: &BTreeSet<Flow>) -> BTreeMap<PathEnd, usize> {
    let mut spans: BTreeMap<PathEnd, [usize; 2]> = BTreeMap::new();
    for (source, to) in flows {
        let (Unit::Cell(from), Unit::Cell(cell)) = (source.0, to.0) else { continue };
        if from != cell {
            let [first, last] = spans.entry(*source).or_insert([from.col(); 2]);
            (*first, *last) = ((*first).min(cell.col()), (*last).max(cell.col()));
        }
    }
    let mut spans: Vec<_> = spans.into_iter().collect();
    spans.sort_by_key(|(_, [first, _])| *first);
    let mut ends: Vec<usize> = Vec::new();
    let track = |(lane, [first, last]): (_, [usize; 2])| {
        let free = ends.iter().position(|end| *end < first).unwrap_or(ends.len());
        ends.resize(ends.len().max(free + 1), 0);
        ends[free] = last;
        (lane, free)
    };
    spans.into_iter().map(track).collect()
}

/// The box of a unit; the script fills in its texts.
fn unit_box(unit: Unit, x: usize, y: usize) -> Markup {
    let label = text::place(unit);
    html! {
        @if let Unit::Cell(_) = unit {
            @let [header, parts] = offsets(unit);
            rect x=(x) y=(y) width=(WIDTH) height=(CELL_HEIGHT) rx="4" {}
            text.label x=(x + PARTS[0][0]) y=(y + header + 12) { (label) }
            text.says x=(x + PARTS[0][0]) y=(y + header + 25) {}
            @for (part, (ports, [left, width])) in PORTS.iter().zip(PARTS).enumerate() {
                @let (x, y) = (x + left, y + parts);
                g class={ "part " (["rf", "dpu"][part]) } {
                    rect x=(x) y=(y) width=(width) height=(PART_HEIGHT) rx="3" {}
                    text.mode x=(x + 3) y=(y + 10) { (["RF", "DPU"][part]) }
                    @for (row, port) in ports.iter().enumerate() {
                        @let y = y + 22 + PORT * row;
                        text.port x=(x + 3) y=(y) { (port) }
                        @if part == 0 { text.says x=(x + 16) y=(y) {} }
                        @if part == 0 && row < 2 { text.value x=(x + width - 3) y=(y) {} }
                    }
                }
            }
        } @else {
            // A column is wider, because the wires of its cells are left of their boxes.
            @let (wider, height, says) = match unit {
                Unit::Column(_) => (GAP - 4, COLUMN_HEIGHT, &[41][..]),
                _ => (0, TILE_HEIGHT, &[46, 57][..]),
            };
            rect x=(x - wider) y=(y) width=(WIDTH + wider) height=(height) rx="4" {}
            text.label x=(x - wider + 5) y=(y + 13) { (label) }
            @for below in says { text.says x=(x - wider + 5) y=(y + below) {} }
        }
    }
}
