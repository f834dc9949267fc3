// SPDX-License-Identifier: MIT OR Apache-2.0
//! The picture of the fabric (chapter 0, section 1): tiles above, then the columns with their I/O
//! units, then the two rows of cells.

use std::collections::BTreeMap;

use maud::Markup;
use maud::html;

use super::super::LinkKind;
use super::super::Report;

const WIDTH: usize = 92;
const HEIGHT: usize = 54;
const COLUMN_HEIGHT: usize = 30;
const GAP_X: usize = 26;
const GAP_Y: usize = 34;
const LEFT: usize = 64;
const TOP: usize = 28;

/// A box of the picture.
struct Place {
    name: String,
    label: String,
    x: usize,
    y: usize,
    height: usize,
}

/// All units with their places.
fn places(columns: usize, tile_rows: usize) -> Vec<Place> {
    let x = |col: usize| LEFT + col * (WIDTH + GAP_X);
    let mut all = Vec::new();
    let mut y = TOP;
    for row in (1..=tile_rows).rev() {
        for col in 0..columns {
            let (name, label) = (format!("tile[{row}][{col}]"), format!("tile ({row},{col})"));
            all.push(Place { name, label, x: x(col), y, height: HEIGHT });
        }
        y += HEIGHT + GAP_Y;
    }
    for col in 0..columns {
        let (name, label) = (format!("col[{col}]"), format!("column {col}"));
        all.push(Place { name, label, x: x(col), y, height: COLUMN_HEIGHT });
    }
    y += COLUMN_HEIGHT + GAP_Y;
    for row in 0..2 {
        for col in 0..columns {
            let (name, label) = (format!("cell[{row}][{col}]"), format!("cell ({row},{col})"));
            all.push(Place { name, label, x: x(col), y, height: HEIGHT });
        }
        y += HEIGHT + GAP_Y;
    }
    all
}

/// The picture in the cycle of the mismatch; the script moves it on.
pub(super) fn fabric(report: &Report) -> Markup {
    let places = places(report.fabric.columns, report.fabric.tile_rows);
    let width = LEFT + report.fabric.columns * (WIDTH + GAP_X);
    let height = places.last().map_or(0, |p| p.y + p.height + 24);
    let by_name: BTreeMap<&str, &Place> = places.iter().map(|p| (p.name.as_str(), p)).collect();
    let differing: BTreeMap<&str, usize> = report
        .spread
        .first()
        .map(|s| s.units.iter().map(|(u, n)| (u.as_str(), *n)).collect())
        .unwrap_or_default();
    let first = report.mismatch.differences.first().map(|d| d.unit.as_str());
    let has_program = |name: &str| {
        report.program.iter().any(|p| format!("cell[{}][{}]", p.cell[0], p.cell[1]) == name)
    };
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
            (row_labels(&places))
            @for link in report.links.iter().filter(|l| !l.data_path).chain(report.links.iter().filter(|l| l.data_path)) {
                @if let (Some(from), Some(to)) = (by_name.get(link.from.as_str()), by_name.get(link.to.as_str())) {
                    @let class = if link.data_path { "way" } else if link.kind == LinkKind::Noc { "noc" } else { "switchbox" };
                    path class=(format!("link {class}")) d=(route(from, to)) marker-end=(format!("url(#arrow-{class})")) {
                        title { (link.from) " to " (link.to) }
                    }
                }
            }
            @for p in &places {
                @let count = differing.get(p.name.as_str()).copied().unwrap_or(0);
                @let is_first = first == Some(p.name.as_str());
                g data-unit=(p.name) class=(classes(count > 0, is_first, has_program(&p.name))) {
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
fn row_labels(places: &[Place]) -> Markup {
    let mut rows: BTreeMap<usize, (String, usize)> = BTreeMap::new();
    for p in places {
        let mut parts = p.name.split(['[', ']']);
        let name = match (parts.next(), parts.next()) {
            (Some("tile"), Some(row)) => format!("tiles {row}"),
            (Some("cell"), Some(row)) => format!("cells {row}"),
            _ => "I/O".to_owned(),
        };
        rows.entry(p.y).or_insert((name, p.height));
    }
    html! {
        @for (y, (name, height)) in rows {
            text.row x="6" y=(y + height / 2 + 4) { (name) }
        }
    }
}

/// A line between two boxes: straight between neighbours, else an arc beside them.
fn route(from: &Place, to: &Place) -> String {
    let centre = |p: &Place| ((p.x + WIDTH / 2) as f64, (p.y + p.height / 2) as f64);
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
