// SPDX-License-Identifier: MIT OR Apache-2.0
//! The picture of the fabric (chapter 0, section 1): tiles at the top, then the columns with their I/O units, then the
//! two rows of cells. In a report, the picture shows the spread of the difference.

use std::collections::BTreeMap;

use drra_isa::{CellId, ColumnId, Geometry, TileId, Unit};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::document::{closed, section, table};
use crate::{
    data::{DifferenceSpread, LinkKind, Report},
    text,
};

/// Width of a box.
const WIDTH: usize = 92;
/// Height of the boxes of tiles and cells, and of columns.
const HEIGHT: usize = 54;
const COLUMN_HEIGHT: usize = 30;
/// Distance of two boxes in a row, and of two rows.
const GAP: usize = 26;
const ROW_GAP: usize = 34;
/// Space for the names of the rows.
const LEFT: usize = 64;
const TOP: usize = 28;

/// A unit in the picture with its box.
struct UnitBox {
    unit: Unit,
    label: String,
    x: usize,
    y: usize,
    height: usize,
}

impl UnitBox {
    /// The position of a number: below the name, or to its right in a low box.
    fn below_name(&self) -> [usize; 2] {
        match self.height {
            ..40 => [self.x + WIDTH - 12, self.y + 20],
            _ => [self.x + WIDTH / 2, self.y + self.height - 8],
        }
    }
}

/// All units with their boxes, and the width and height of the picture.
fn boxes(size: &Geometry) -> (Vec<UnitBox>, [usize; 2]) {
    let mut all = Vec::new();
    let mut y = TOP;
    let mut row = |unit: &dyn Fn(usize) -> Option<Unit>, height: usize| {
        for (col, unit) in (0..size.columns).filter_map(unit).enumerate() {
            let (label, x) = (text::place(unit), LEFT + col * (WIDTH + GAP));
            all.push(UnitBox { unit, label, x, y, height });
        }
        y += height + ROW_GAP;
    };
    for tiles in (1..=size.tile_rows).rev() {
        row(&|col| TileId::new(tiles, col).map(Unit::from), HEIGHT);
    }
    row(&|col| ColumnId::new(col).map(Unit::from), COLUMN_HEIGHT);
    for cells in 0..2 {
        row(&|col| CellId::new(cells, col).map(Unit::from), HEIGHT);
    }
    let height = all.last().map_or(0, |b| b.y + b.height + 24);
    (all, [LEFT + size.columns * (WIDTH + GAP), height])
}

/// The picture in the cycle of the mismatch; the script steps it through the cycles.
fn fabric(report: &Report) -> Markup {
    let (boxes, [width, height]) = boxes(&report.fabric);
    let by_unit: BTreeMap<Unit, &UnitBox> = boxes.iter().map(|b| (b.unit, b)).collect();
    let differing: BTreeMap<Unit, usize> = report
        .spread
        .first()
        .map(|s| s.units.iter().map(|(unit, n)| (*unit, *n)).collect())
        .unwrap_or_default();
    let first = report.mismatch.unit();
    let has_program = |unit: Unit| report.program.iter().any(|p| Unit::Cell(p.cell) == unit);
    html! {
        svg.fabric style=(format!("--width: {width}")) viewBox=(format!("0 0 {width} {height}")) role="img" aria-labelledby="fabric-title fabric-desc" {
            title id="fabric-title" { "The fabric in the cycle of the mismatch" }
            desc id="fabric-desc" {
                (report.place()) " " (report.verb()) ". Boxes are tiles, columns and cells; lines are the switchbox "
                "connections and NoC paths in use. The table below shows the spread as text."
            }
            (arrow_heads(&["switchbox", "noc", "taken"]))
            (row_labels(&boxes))
            @for link in report.links.iter().filter(|l| !l.data_path).chain(report.links.iter().filter(|l| l.data_path)) {
                @if let (Some(from), Some(to)) = (by_unit.get(&link.from), by_unit.get(&link.to)) {
                    @let class = if link.data_path { "taken" } else if link.kind == LinkKind::Noc { "noc" } else { "switchbox" };
                    path class=(format!("link {class}")) d=(route(from, to)) marker-end=(format!("url(#arrow-{class})")) {
                        title { (link.from) " to " (link.to) }
                    }
                }
            }
            @for p in &boxes {
                @let count = differing.get(&p.unit).copied().unwrap_or(0);
                @let is_first = first == Some(p.unit);
                g.unit.differs[count > 0].first[is_first].program[has_program(p.unit)] data-unit=(p.unit) {
                    rect x=(p.x) y=(p.y) width=(WIDTH) height=(p.height) rx="6" {}
                    text.name x=(p.x + WIDTH / 2) y=(p.y + 19) { (p.label) }
                    @let [x, y] = p.below_name();
                    text.count x=(x) y=(y) { @if count > 0 { (count) } }
                    @if is_first { text.flag x=(p.x + WIDTH - 2) y=(p.y - 4) { "first" } }
                }
            }
        }
    }
}

/// Arrowhead definitions, one for each kind of link.
pub fn arrow_heads(kinds: &[&str]) -> Markup {
    html! {
        defs {
            @for kind in kinds {
                marker id=(format!("arrow-{kind}")) class=(format!("arrow {kind}")) viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto-start-reverse" {
                    path d="M0 0 L8 4 L0 8 z" {}
                }
            }
        }
    }
}

/// Names of the rows at the left edge.
fn row_labels(boxes: &[UnitBox]) -> Markup {
    let mut rows: BTreeMap<usize, (String, usize)> = BTreeMap::new();
    for b in boxes {
        let name = match b.unit {
            Unit::Tile(tile) => format!("tiles {}", tile.row()),
            Unit::Cell(cell) => format!("cells {}", cell.row()),
            Unit::Column(_) | Unit::Fabric => "I/O".to_owned(),
        };
        rows.entry(b.y).or_insert((name, b.height));
    }
    html! {
        @for (y, (name, height)) in rows {
            text.row x="6" y=(y + height / 2 + 4) { (name) }
        }
    }
}

/// A line between two boxes: straight, or around the boxes in between if both are in one row or column.
fn route(from: &UnitBox, to: &UnitBox) -> String {
    let centre = |p: &UnitBox| ((p.x + WIDTH / 2) as f64, (p.y + p.height / 2) as f64);
    let ((x1, y1), (x2, y2)) = (centre(from), centre(to));
    let (dx, dy) = (x2 - x1, y2 - y1);
    // Keeps the lines of the two directions between two boxes apart.
    let shift = if (dx, dy) > (0.0, 0.0) { -7.0 } else { 7.0 };
    if dx == 0.0 {
        return vertical(from, to, (x1, y1), y2, shift);
    }
    let half = WIDTH as f64 / 2.0;
    let sign = dx.signum();
    let near = dx.abs() <= (WIDTH + GAP) as f64;
    if dy == 0.0 && near {
        let y = y1 + shift;
        return format!("M{} {y} L{} {y}", x1 + sign * half, x2 - sign * half);
    }
    if dy == 0.0 {
        // Around the boxes in between: an arc below the row.
        let bend = from.height as f64 / 2.0 + 14.0;
        let (top, control) = (y1 + from.height as f64 / 2.0, y1 + bend + 16.0);
        let (start, end) = (x1 + sign * half / 2.0, x2 - sign * half / 2.0);
        return format!("M{start} {top} Q{} {control} {end} {top}", (x1 + x2) / 2.0);
    }
    let down = dy.signum();
    let (half1, half2) = (from.height as f64 / 2.0, to.height as f64 / 2.0);
    let (sy, ty) = (y1 + down * half1, y2 - down * half2);
    let (sx, tx) = (x1 + sign * half / 2.0 + shift, x2 - sign * half / 2.0 + shift);
    format!("M{sx} {sy} L{tx} {ty}")
}

/// A line between two boxes of a column: straight, or around the box between them.
fn vertical(from: &UnitBox, to: &UnitBox, (x, y1): (f64, f64), y2: f64, shift: f64) -> String {
    let (half1, half2) = (from.height as f64 / 2.0, to.height as f64 / 2.0);
    let sign = (y2 - y1).signum();
    let (start, end) = (y1 + sign * half1, y2 - sign * half2);
    if (end - start).abs() <= 80.0 {
        let x = x + 2.0 * shift;
        return format!("M{x} {start} L{x} {end}");
    }
    let edge = x + WIDTH as f64 / 2.0;
    let beside = edge + 9.0 + shift / 2.0;
    let (start, end) = (y1 + sign * half1 / 2.0, y2 - sign * half2 / 4.0);
    format!("M{edge} {start} H{beside} V{end} H{edge}")
}

impl Report {
    pub(super) fn picture(&self) -> Markup {
        let first = self.spread.first().map_or(self.mismatch.cycle, |s| s.cycle);
        let last = self.spread.last().map_or(first, |s| s.cycle);
        let body = html! {
            div.slider id="slider-box" hidden {
                label for="slider" { "Cycle" }
                input id="slider" type="range" min=(first) max=(last) value=(first) step="1";
                output id="slider-cycle" for="slider" { (first) }
            }
            p id="spread-text" aria-live="polite" { (self.spread_sentence(0)) }
            div.wide { (fabric(self)) }
            ul.legend {
                li { span.key.differs {} "differs, with the number of registers or ports" }
                li { span.key.first {} "differs first" }
                li { span.key.program {} "has a program" }
                li { span.line.taken {} "provenance of the value" }
                li { span.line.noc {} "open NoC path" }
                li { span.line.switchbox {} "switchbox connection" }
            }
            (closed("The spread as a table", &table(&["cycles", "differing units (registers or ports)"], &html! {
                @for (from, to, units) in self.spread_steps() {
                    tr {
                        th scope="row" { @if from == to { (from) } @else { (from) " to " (to) } }
                        td { (units) }
                    }
                }
            })))
        };
        section("fabric", "Origin and spread", &body)
    }

    /// The differences in a cycle, as a sentence.
    fn spread_sentence(&self, step: usize) -> String {
        match self.spread.get(step) {
            None => "The RTL stopped at the mismatch.".to_owned(),
            Some(s) if s.units.is_empty() => format!("Cycle {}: no unit differs.", s.cycle),
            Some(s) => format!("Cycle {}: {}", s.cycle, units_text(&s.units)),
        }
    }

    /// The spread, with equal successive cycles joined.
    fn spread_steps(&self) -> Vec<(u64, u64, String)> {
        let mut steps: Vec<(u64, u64, String)> = Vec::new();
        for s in &self.spread {
            let text = if s.units.is_empty() { "none".to_owned() } else { units_text(&s.units) };
            match steps.last_mut() {
                Some(last) if last.2 == text && last.1 + 1 == s.cycle => last.1 = s.cycle,
                _ => steps.push((s.cycle, s.cycle, text)),
            }
        }
        steps
    }

    /// Data for the script: the numbers in the boxes, cycle by cycle. `<` is escaped so that no text can end the
    /// element.
    pub(super) fn spread_json(&self) -> String {
        let step = |s: &DifferenceSpread| {
            let units = s.units.iter().map(|(unit, n)| (text::unit(*unit), *n));
            json!({"cycle": s.cycle, "units": units.collect::<Vec<_>>()})
        };
        let steps: Vec<Value> = self.spread.iter().map(step).collect();
        json!(steps).to_string().replace('<', "\\u003c")
    }
}

/// Differing units, with the number of their registers and ports that differ.
fn units_text(units: &[(Unit, usize)]) -> String {
    let all: Vec<String> =
        units.iter().map(|(unit, n)| format!("{} ({n})", text::unit(*unit))).collect();
    all.join(", ")
}
