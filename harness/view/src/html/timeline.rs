// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timeline: a bar for each active part of each unit. All spans of one kind in a bar are a single SVG path, so
//! that pages with thousands of cycles stay small.

use std::{collections::BTreeMap, fmt::Write};

use drra_fabric::AguId;
use drra_isa::Unit;
use drra_report::text;
use maud::{Markup, html};

use crate::{RecordedRun, Track, sequencing};

const LABEL: u64 = 164;
const BAR: u64 = 9;
/// Space between the bars of two units.
const GAP: u64 = 7;
const TOP: u64 = 22;
/// Width that the picture fills, as far as the limits of a cycle's width permit.
const WIDTH: u64 = 1060;
/// Minimum and maximum width of a cycle.
const CYCLE: [u64; 2] = [2, 14];

/// Kinds of spans in the bars; each kind has a colour. Later kinds are drawn on top of earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SpanKind {
    Loads,
    Waits,
    Works,
    Reads,
    Writes,
    Message,
}

impl SpanKind {
    const ALL: [(Self, &str, &str); 6] = [
        (Self::Works, "works", "decodes, or works on data"),
        (Self::Waits, "waits", "held by a WAIT, counts a delay, or has a mode and no data"),
        (Self::Loads, "loads", "stores its program"),
        (Self::Reads, "reads", "reads"),
        (Self::Writes, "writes", "writes"),
        (Self::Message, "message", "message"),
    ];

    fn class(self) -> &'static str {
        Self::ALL.iter().find(|(kind, ..)| *kind == self).map_or("", |(_, class, _)| class)
    }
}

/// A bar: the part that it shows, and its spans as first cycle and length.
struct TimelineBar {
    part: &'static str,
    spans: BTreeMap<SpanKind, Vec<(u64, u64)>>,
}

/// A track, with the kind of all its spans.
type KindTrack<'a> = (SpanKind, &'a Track);

impl TimelineBar {
    fn new(part: &'static str, r: &RecordedRun, tracks: &[KindTrack<'_>]) -> Option<Self> {
        let runs = tracks.iter().flat_map(|(kind, track)| {
            track.runs(r.to).map(move |run| (*kind, (run.from, run.cycles)))
        });
        Self::of(part, runs)
    }

    /// The bar of a sequencer.
    fn sequencer(r: &RecordedRun, track: &Track) -> Option<Self> {
        let kind = |value| match value {
            sequencing::LOAD => SpanKind::Loads,
            value if value >= sequencing::HOLD => SpanKind::Waits,
            _ => SpanKind::Works,
        };
        Self::of("sequencer", track.runs(r.to).map(|run| (kind(run.value), (run.from, run.cycles))))
    }

    /// A bar with these spans, unless there are none.
    fn of(part: &'static str, all: impl Iterator<Item = (SpanKind, (u64, u64))>) -> Option<Self> {
        let mut spans: BTreeMap<SpanKind, Vec<(u64, u64)>> = BTreeMap::new();
        for (kind, span) in all {
            spans.entry(kind).or_default().push(span);
        }
        for spans in spans.values_mut() {
            *spans = joined(std::mem::take(spans));
        }
        (!spans.is_empty()).then_some(Self { part, spans })
    }

    /// The spans as an SVG path, with cycles counted from the first cycle.
    fn path(spans: &[(u64, u64)], from: u64, scale: u64) -> String {
        let mut path = String::new();
        let mut at = 0;
        for (start, cycles) in spans {
            let x = (start - from) * scale;
            // Relative moves are shorter.
            let _ =
                write!(path, "{}{} 0h{}", if at == 0 { "M" } else { "m" }, x - at, cycles * scale);
            at = x + cycles * scale;
        }
        path
    }
}

/// The same spans in ascending order, with touching or overlapping spans joined.
fn joined(mut spans: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    spans.sort_unstable();
    let mut all: Vec<(u64, u64)> = Vec::new();
    for (from, cycles) in spans {
        match all.last_mut() {
            Some((start, length)) if *start + *length >= from => {
                *length = (*length).max(from + cycles - *start);
            }
            _ => all.push((from, cycles)),
        }
    }
    all
}

/// The bars of all active units.
fn bars(r: &RecordedRun) -> Vec<(Unit, Vec<TimelineBar>)> {
    let mut all: Vec<(Unit, Vec<TimelineBar>)> = Vec::new();
    let mut add = |unit: Unit, bars: Vec<Option<TimelineBar>>| {
        let bars: Vec<TimelineBar> = bars.into_iter().flatten().collect();
        if !bars.is_empty() {
            all.push((unit, bars));
        }
    };
    for (tile, t) in r.tiles() {
        let entering: Vec<KindTrack<'_>> =
            t.entering.iter().map(|t| (SpanKind::Works, t)).collect();
        let arrivals: Vec<KindTrack<'_>> =
            t.arrivals.iter().map(|t| (SpanKind::Message, t)).collect();
        let memory = [(SpanKind::Reads, &t.row_reads), (SpanKind::Writes, &t.row_writes)];
        add(
            tile.into(),
            vec![
                TimelineBar::new("memory", r, &memory),
                TimelineBar::new("blocks", r, &entering),
                TimelineBar::new("messages", r, &arrivals),
            ],
        );
    }
    for (column, t) in drra_isa::ColumnId::all(&r.geometry).zip(&r.tracks.columns) {
        let buffers = [(SpanKind::Reads, &t.buffer_reads), (SpanKind::Writes, &t.buffer_writes)];
        let up = [(SpanKind::Works, &t.up)];
        add(
            column.into(),
            vec![TimelineBar::new("buffers", r, &buffers), TimelineBar::new("blocks up", r, &up)],
        );
    }
    for (cell, t) in r.cells() {
        let of = |kind, agus: [AguId; 3]| agus.map(|agu| (kind, &t.addresses[agu.index()]));
        let delays: Vec<KindTrack<'_>> = t.delays.iter().map(|t| (SpanKind::Waits, t)).collect();
        let dpu = [(SpanKind::Waits, &t.mode), (SpanKind::Works, &t.operates)];
        let reads = of(SpanKind::Reads, [AguId::R0, AguId::R1, AguId::Rb]);
        let writes = of(SpanKind::Writes, [AguId::W0, AguId::W1, AguId::Wb]);
        add(
            cell.into(),
            vec![
                TimelineBar::sequencer(r, &t.sequencer),
                TimelineBar::new("reads", r, &[&delays[3..], &reads[..]].concat()),
                TimelineBar::new("writes", r, &[&delays[..3], &writes[..]].concat()),
                TimelineBar::new("DPU", r, &dpu),
                TimelineBar::new("messages", r, &[(SpanKind::Message, &t.messages)]),
            ],
        );
    }
    all
}

/// The timeline, preceded by a legend of its colours; the script moves `bars-now`, the line that marks the current
/// cycle.
pub(super) fn timeline(r: &RecordedRun) -> Markup {
    let bars = bars(r);
    let count = r.to - r.from + 1;
    let scale = (WIDTH / count).clamp(CYCLE[0], CYCLE[1]);
    let x = |cycle: u64| (cycle - r.from) * scale;
    let height = bars.iter().map(|(_, l)| l.len() as u64 * BAR + GAP).sum::<u64>() + TOP;
    let mut y = TOP;
    let mut placed = Vec::new();
    for (unit, unit_bars) in &bars {
        for (i, bar) in unit_bars.iter().enumerate() {
            placed.push((i == 0, *unit, bar, y));
            y += BAR;
        }
        y += GAP;
    }
    html! {
        ul.legend {
            @for (_, class, text) in SpanKind::ALL { li { span class=(format!("line span-{class}")) {} (text) } }
        }
        @if bars.is_empty() { p { "No unit is active." } }
        @else {
            div.wide.bars {
                svg.timeline.labels width=(LABEL) height=(height) aria-hidden="true" {
                    @for (first, unit, bar, y) in &placed {
                        @if *first { text.unit-name x="2" y=(y + BAR) { (text::unit(*unit)) } }
                        text.part-name x=(LABEL - 6) y=(y + BAR - 1) { (bar.part) }
                    }
                }
                svg.timeline data-bars="bars-now" data-scale=(scale) data-from=(r.from) width=(count * scale) height=(height) role="img" aria-labelledby="bars-now-title" {
                    title id="bars-now-title" { "What the units of " (r.name) " did in cycles " (r.from) " to " (r.to) }
                    @for cycle in ticks(r.from, r.to, scale) {
                        text.tick x=(x(cycle)) y="12" { (cycle) }
                        line.grid x1=(x(cycle)) x2=(x(cycle)) y1="16" y2=(height) {}
                    }
                    rect.now id="bars-now" x="0" y="14" width=(scale) height=(height - 14) visibility="hidden" {}
                    @for (_, _, bar, y) in &placed {
                        @for (kind, spans) in &bar.spans {
                            path class=(kind.class()) transform=(format!("translate(0 {})", y + BAR / 2)) d=(TimelineBar::path(spans, r.from, scale)) {}
                        }
                    }
                }
            }
        }
    }
}

/// The labelled cycles, which are round numbers at least 56 pixels apart.
fn ticks(from: u64, to: u64, scale: u64) -> impl Iterator<Item = u64> {
    let step = [5, 10, 20, 50, 100, 200, 500, 1000];
    let step = step.into_iter().find(|step| step * scale >= 56).unwrap_or(2000);
    (from.next_multiple_of(step)..=to).step_by(step as usize)
}
