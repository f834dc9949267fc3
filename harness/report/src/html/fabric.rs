// SPDX-License-Identifier: MIT OR Apache-2.0
//! The picture of the fabric (chapter 0, section 1): tiles above, then the columns with their I/O
//! units, then the two rows of cells.

use std::collections::BTreeMap;

use drra_isa::CellId;
use drra_isa::ColumnId;
use drra_isa::TileId;
use drra_isa::Unit;
use maud::Markup;
use maud::html;

use crate::data::FabricSize;
use crate::data::LinkKind;
use crate::data::Report;

const WIDTH: usize = 92;
const HEIGHT: usize = 54;
const COLUMN_HEIGHT: usize = 30;
const GAP_X: usize = 26;
const GAP_Y: usize = 34;
const LEFT: usize = 64;
const TOP: usize = 28;

/// A unit of the picture with its box.
struct Boxed {
    unit: Unit,
    label: String,
    x: usize,
    y: usize,
    height: usize,
}

/// All units with their boxes.
fn boxes(size: &FabricSize) -> Vec<Boxed> {
    let mut all = Vec::new();
    let mut y = TOP;
    let mut row = |units: Vec<(Unit, String)>, height: usize| {
        for (col, (unit, label)) in units.into_iter().enumerate() {
            all.push(Boxed { unit, label, x: LEFT + col * (WIDTH + GAP_X), y, height });
        }
        y += height + GAP_Y;
    };
    for tiles in (1..=size.tile_rows).rev() {
        let tile = |col| {
            let label = format!("tile ({tiles},{col})");
            TileId::new(tiles, col).map(|tile| (tile.into(), label))
        };
        row((0..size.columns).filter_map(tile).collect(), HEIGHT);
    }
    let column = |col| ColumnId::new(col).map(|c| (c.into(), format!("column {col}")));
    row((0..size.columns).filter_map(column).collect(), COLUMN_HEIGHT);
    for cells in 0..2 {
        let cell = |col| {
            let label = format!("cell ({cells},{col})");
            CellId::new(cells, col).map(|cell| (cell.into(), label))
        };
        row((0..size.columns).filter_map(cell).collect(), HEIGHT);
    }
    all
}

/// The picture in the cycle of the mismatch; the script moves it on.
pub(super) fn fabric(report: &Report) -> Markup {
    let boxes = boxes(&report.fabric);
    let width = LEFT + report.fabric.columns * (WIDTH + GAP_X);
    let height = boxes.last().map_or(0, |b| b.y + b.height + 24);
    let by_unit: BTreeMap<Unit, &Boxed> = boxes.iter().map(|b| (b.unit, b)).collect();
    let differing: BTreeMap<Unit, usize> = report
        .spread
        .first()
        .map(|s| s.units.iter().map(|(unit, n)| (**unit, *n)).collect())
        .unwrap_or_default();
    let first = report.mismatch.differences().first().map(|d| d.location.unit);
    let has_program = |unit: Unit| report.program.iter().any(|p| Unit::Cell(*p.cell) == unit);
    html! {
        svg.fabric viewBox=(format!("0 0 {width} {height}")) role="img" aria-labelledby="fabric-title fabric-desc" {
            title id="fabric-title" { "The fabric in the cycle of the mismatch" }
            desc id="fabric-desc" {
                (report.place()) " differs first. Boxes are tiles, columns and cells; lines are the switchbox "
                "connections and NoC paths in use. The table below has the same as text."
            }
            defs {
                @for kind in ["switchbox", "noc", "way"] {
                    marker id=(format!("arrow-{kind}")) class=(format!("arrow {kind}")) viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto-start-reverse" {
                        path d="M0 0 L8 4 L0 8 z" {}
                    }
                }
            }
            (row_labels(&boxes))
            @for link in report.links.iter().filter(|l| !l.data_path).chain(report.links.iter().filter(|l| l.data_path)) {
                @if let (Some(from), Some(to)) = (by_unit.get(&link.from), by_unit.get(&link.to)) {
                    @let class = if link.data_path { "way" } else if link.kind == LinkKind::Noc { "noc" } else { "switchbox" };
                    path class=(format!("link {class}")) d=(route(from, to)) marker-end=(format!("url(#arrow-{class})")) {
                        title { (link.from) " to " (link.to) }
                    }
                }
            }
            @for p in &boxes {
                @let count = differing.get(&p.unit).copied().unwrap_or(0);
                @let is_first = first == Some(p.unit);
                g data-unit=(p.unit) class=(classes(count > 0, is_first, has_program(p.unit))) {
                    rect x=(p.x) y=(p.y) width=(WIDTH) height=(p.height) rx="6" {}
                    text.name x=(p.x + WIDTH / 2) y=(p.y + 19) { (p.label) }
                    text.count x=(p.x + WIDTH / 2) y=(p.y + p.height - 8) {
                        @if count > 0 { (count) }
                    }
                    @if is_first { text.flag x=(p.x + WIDTH - 2) y=(p.y - 4) { "first" } }
                }
            }
        }
    }
}

fn classes(differs: bool, first: bool, program: bool) -> String {
    let mut all = vec!["unit"];
    all.extend(differs.then_some("differs"));
    all.extend(first.then_some("first"));
    all.extend(program.then_some("program"));
    all.join(" ")
}

/// Names of the rows at the left edge.
fn row_labels(boxes: &[Boxed]) -> Markup {
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

/// A line between two boxes: straight between neighbours, else an arc beside them.
fn route(from: &Boxed, to: &Boxed) -> String {
    let centre = |p: &Boxed| ((p.x + WIDTH / 2) as f64, (p.y + p.height / 2) as f64);
    let ((x1, y1), (x2, y2)) = (centre(from), centre(to));
    let (dx, dy) = (x2 - x1, y2 - y1);
    // Both ways between two boxes stay apart.
    let shift = if (dx, dy) > (0.0, 0.0) { -7.0 } else { 7.0 };
    if dx == 0.0 {
        let (half1, half2) = (from.height as f64 / 2.0, to.height as f64 / 2.0);
        let sign = dy.signum();
        let x = x1 + 2.0 * shift;
        return format!("M{x} {} L{x} {}", y1 + sign * half1, y2 - sign * half2);
    }
    let half = WIDTH as f64 / 2.0;
    let sign = dx.signum();
    let near = dx.abs() <= (WIDTH + GAP_X) as f64;
    if dy == 0.0 && near {
        let y = y1 + shift;
        return format!("M{} {y} L{} {y}", x1 + sign * half, x2 - sign * half);
    }
    if dy == 0.0 {
        // Over the box between: an arc below the lower row, above the upper one.
        let bend = from.height as f64 / 2.0 + 14.0;
        let (top, control) = (y1 + from.height as f64 / 2.0, y1 + bend + 16.0);
        return format!(
            "M{} {top} Q{} {control} {} {top}",
            x1 + sign * half / 2.0,
            (x1 + x2) / 2.0,
            x2 - sign * half / 2.0
        );
    }
    let down = dy.signum();
    let (half1, half2) = (from.height as f64 / 2.0, to.height as f64 / 2.0);
    let (sy, ty) = (y1 + down * half1, y2 - down * half2);
    format!("M{} {sy} L{} {ty}", x1 + sign * half / 2.0 + shift, x2 - sign * half / 2.0 + shift)
}
