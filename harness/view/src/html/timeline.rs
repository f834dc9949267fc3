// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timeline of the whole run: a bar for each part of each unit, in which instructions are in force, and lines for the
//! cycles in which the part is active. All spans of one kind in a bar are a single SVG path, and those that would touch
//! on paper are joined, so that long runs stay small. The script draws the same bars in more detail on the screen.

use drra_fabric::AguId;
use drra_isa::{CellId, Unit};
use drra_report::text;
use maud::{Markup, html};

use crate::{
    RecordedRun, Track, sequencing,
    spans::{Part, Span},
};

const LABEL: u64 = 150;
const BAR: u64 = 10;
/// Space between the bars of two units.
const GAP: u64 = 5;
const TOP: u64 = 18;
/// Width of the bars. Positions are in tenths of a pixel.
const WIDTH: u64 = 1060;
/// The first part of a unit in the order of the bars; the last one is the path.
const FIRST: Part = Part::Agu(AguId::W0);
/// Width of a character of the text in a bar, in tenths of a pixel.
const LETTER: u64 = 46;

/// A bar: its unit and part, and its spans by kind, as first cycle and length.
struct TimelineBar<'a> {
    unit: Unit,
    part: String,
    spans: Vec<(&'static str, Vec<(u64, u64)>)>,
    /// The instructions in force.
    instructions: &'a [Span],
}

/// The legend: class and text of each kind.
const KINDS: [(&str, &str); 7] = [
    ("works", "decodes, or works on data"),
    ("waits", "held by a WAIT"),
    ("loads", "stores its program"),
    ("reads", "reads"),
    ("writes", "writes"),
    ("message", "message"),
    ("path", "connection or path"),
];

/// The bars of all active parts.
fn bars(r: &RecordedRun) -> Vec<TimelineBar<'_>> {
    let spans = |track: &Track| track.runs(r.to).map(|run| (run.from, run.cycles)).collect();
    let mut bars = Vec::new();
    for unit in Unit::all(&r.geometry) {
        let mut add = |part: String, spans: Vec<_>, instructions| {
            bars.push(TimelineBar { unit, part, spans, instructions });
        };
        let mut messages = Vec::new();
        if let Unit::Cell(cell) = unit {
            let t = &r.tracks.cells[cell.index(&r.geometry)];
            let (load, hold) = (sequencing::LOAD, sequencing::HOLD);
            let kinds = [("loads", load..hold), ("waits", hold..i64::MAX), ("works", 0..load)];
            let kinds = kinds.map(|(class, values)| {
                let runs = t.sequencer.runs(r.to).filter(|run| values.contains(&run.value));
                (class, runs.map(|run| (run.from, run.cycles)).collect())
            });
            add("sequencer".to_owned(), kinds.into(), &[][..]);
            messages = spans(&t.messages);
        } else if let Unit::Tile(tile) = unit {
            let arrivals = &r.tracks.tiles[tile.index(&r.geometry)].arrivals;
            messages = arrivals.iter().flat_map(spans).collect();
        }
        for ((_, part), instructions) in r.tracks.spans.0.range((unit, FIRST)..=(unit, Part::Path))
        {
            let (class, track) = active(r, unit, *part);
            add(part.name(), vec![(class, track.map(spans).unwrap_or_default())], instructions);
        }
        add("messages".to_owned(), vec![("message", messages)], &[]);
    }
    let some = |bar: &TimelineBar<'_>| bar.spans.iter().any(|(_, spans)| !spans.is_empty());
    bars.retain(|bar| !bar.instructions.is_empty() || some(bar));
    bars
}

/// The kind of a part, and the track of the cycles in which it is active.
fn active(r: &RecordedRun, unit: Unit, part: Part) -> (&'static str, Option<&Track>) {
    let class = match part.name().as_bytes() {
        [b'r', ..] => "reads",
        [b'w', ..] => "writes",
        b"DPU" => "works",
        _ => "path",
    };
    let cell = |cell: CellId| &r.tracks.cells[cell.index(&r.geometry)];
    let track = match (unit, part) {
        (Unit::Cell(of), Part::Agu(agu)) => Some(&cell(of).addresses[agu.index()]),
        (Unit::Cell(of), Part::Input(input)) => Some(&cell(of).taken[input.index()]),
        (Unit::Cell(of), Part::Dpu) => Some(&cell(of).operates),
        (Unit::Tile(tile), Part::Generator(generator)) => {
            let t = &r.tracks.tiles[tile.index(&r.geometry)];
            Some([&t.row_reads, &t.row_writes][generator.index()])
        }
        (Unit::Column(column), Part::Generator(generator)) => {
            let t = &r.tracks.columns[column.col()];
            Some([&t.buffer_reads, &t.buffer_writes][generator.index()])
        }
        _ => None,
    };
    (class, track)
}

/// The cycles of the picture, and their width.
#[derive(Clone, Copy)]
struct Scale {
    from: u64,
    to: u64,
}

impl Scale {
    /// The program, from its first decode to its last activity, if that is shown.
    fn of(r: &RecordedRun) -> Self {
        let last = r.statistics.span.map_or(r.to, |span| span.last_active);
        let from = r.begin().clamp(r.from, r.to);
        Self { from, to: last.clamp(from, r.to) }
    }

    /// The left edge of a cycle, in tenths of a pixel.
    fn x(self, cycle: u64) -> u64 {
        (cycle.clamp(self.from, self.to + 1) - self.from) * WIDTH * 10 / (self.to - self.from + 1)
    }

    /// Spans as an SVG path; those that touch on paper are joined.
    fn path(self, spans: impl Iterator<Item = (u64, u64)>) -> String {
        let mut spans: Vec<_> =
            spans.map(|(from, cycles)| (self.x(from), self.x(from + cycles))).collect();
        spans.retain(|(left, right)| left < right);
        spans.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (left, right) in spans {
            match joined.last_mut() {
                Some((_, end)) if left <= *end + 1 => *end = right.max(*end),
                _ => joined.push((left, right)),
            }
        }
        joined.iter().map(|(left, right)| format!("M{left} 0H{right}")).collect()
    }

    /// The labelled cycles, which are round numbers at least 56 pixels apart.
    fn ticks(self) -> impl Iterator<Item = u64> {
        let steps = (0..).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u64.pow(power)));
        let wide = |step: &u64| step * WIDTH >= 56 * (self.to - self.from + 1);
        let step = steps.into_iter().find(wide).unwrap_or(1);
        (self.from.next_multiple_of(step)..=self.to).step_by(step as usize)
    }
}

/// The timeline on paper and without a script, and the frame in which the script draws.
pub(super) fn timeline(r: &RecordedRun) -> Markup {
    let (bars, scale) = (bars(r), Scale::of(r));
    let mut y = TOP;
    let mut placed = Vec::new();
    for (k, bar) in bars.iter().enumerate() {
        let first = k == 0 || bars[k - 1].unit != bar.unit;
        y += if first { GAP } else { 0 };
        placed.push((first, bar, y));
        y += BAR;
    }
    html! {
        @if bars.is_empty() { p { "No unit is active." } }
        @else {
            ul.legend {
                @for (class, text) in KINDS { li { span class=(format!("line span-{class}")) {} (text) } }
                li { "light: an instruction is in force; tick: its decode" }
                @if !r.marks.is_empty() { li { span.tag { "\u{25bc}" } " LOST or another finding" } }
            }
            div.jumps.needs-script {
                span {
                    button type="button" id="zoom-out" { "\u{2212}" }
                    button type="button" id="zoom-in" { "+" }
                    "zoom"
                }
                span { input id="only" type="checkbox"; label for="only" { "only the selected cell" } }
            }
            div.bars.needs-script {
                svg.labels id="bar-names" width=(LABEL) aria-hidden="true" {}
                svg id="bar-chart" role="img" aria-labelledby="bar-title" {
                    title id="bar-title" { "The instructions in force, by unit" }
                    rect.now y="14" {}
                    g {}
                }
            }
            svg.overview id="overview" data-from=(scale.from) data-to=(scale.to) viewBox=(format!("0 0 {} {}", LABEL + WIDTH, y + 2)) role="img" aria-labelledby="overview-title" {
                title id="overview-title" { "What the units of " (r.name) " did in cycles " (scale.from) " to " (scale.to) }
                @for cycle in scale.ticks() {
                    @let x = LABEL + scale.x(cycle) / 10;
                    text.tick x=(x + 2) y="10" { (cycle) }
                    path.grid d=(format!("M{x} 4V{y}")) {}
                }
                @for (first, bar, y) in &placed {
                    @if *first { text.unit-name x="0" y=(y + BAR - 2) { (text::unit(bar.unit)) } }
                    text.part-name x=(LABEL - 6) y=(y + BAR - 2) data-unit=(bar.unit) { (bar.part) }
                    (drawn(r, scale, bar, *y))
                }
                @for mark in &r.marks {
                    @let place = placed.iter().find(|(_, bar, _)| bar.unit == mark.unit);
                    @if let (Some(cycle), Some((_, _, y))) = (mark.cycle, place) {
                        path.mark d=(format!("M{} {y}h9l-4.5 8z", LABEL + scale.x(cycle) / 10)) {}
                    }
                }
            }
        }
    }
}

fn drawn(r: &RecordedRun, scale: Scale, bar: &TimelineBar<'_>, y: u64) -> Markup {
    let in_force = bar.instructions.iter().map(|span| (span.from, span.to - span.from + 1));
    html! {
        g transform=(format!("translate({LABEL} {}) scale(.1 1)", y + BAR / 2)) {
            @if let [(class, _), ..] = bar.spans[..] {
                path class=(format!("force {class}")) d=(scale.path(in_force)) {}
            }
            @for (class, spans) in &bar.spans {
                path class=(class) d=(scale.path(spans.iter().copied())) {}
            }
        }
        @for span in bar.instructions {
            @let (left, right) = (scale.x(span.from), scale.x(span.to + 1));
            @let short = r.instructions.get(&(span.cell, span.address)).map_or("", |i| &i.short);
            @if !short.is_empty() && LETTER * short.len() as u64 <= right - left {
                text.short x=(LABEL + left / 10 + 1) y=(y + BAR - 3) { (short) }
            }
        }
    }
}
