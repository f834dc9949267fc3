// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of a campaign: its distinct failures, its coverage, its speed, and the command that repeats the campaign.

use drra_coverage::{Coverage, GroupCoverage, Holes};
use drra_report::{
    data::FabricFailures,
    html::{
        compared_section,
        document::{bar, captioned, closed, document, head, section, table, wide_table},
    },
    text::{counted, percent},
};
use maud::{Markup, html};

use super::groups::{FailureEntry, FailureGroup, groups};
use crate::summary::{self, BEHIND, Summary};

/// Maximum number of values and holes listed for each covergroup.
const MAX_HOLES: usize = 12;

/// The page of a campaign.
#[derive(Clone, Copy, Debug)]
pub struct CampaignPage<'a> {
    /// Figures of the campaign.
    pub summary: &'a Summary,
    /// Number of the shard, starting at 1, and number of shards.
    pub shard: [u64; 2],
    /// Hits of all bins by the finished cases.
    pub coverage: &'a Coverage,
    /// The failures, in the order of the summary.
    pub entries: &'a [FailureEntry],
}

impl CampaignPage<'_> {
    /// The page as self-contained HTML.
    pub fn page(&self) -> String {
        let s = self.summary;
        let all_known = s.new_failures().next().is_none();
        let title = format!("Campaign {}, seed {}", s.profile, s.seed);
        let body = html! {
            a.skip href="#main" { "To the failures" }
            header {
                p.kind {
                    "Golden model against RTL, " @if s.compared.is_whole() { "every register" }
                    @else { "the compared registers" } " in every cycle"
                }
                h1 { (title) }
                @if s.failures.is_empty() {
                    p.status.good { "No mismatch in " (s.cases) " cases." }
                } @else {
                    p.status.bad[!all_known].good[all_known] {
                        "Distinct failures: " (s.distinct()) ", in " (s.failed) " of " (s.cases) " cases."
                    }
                }
                @for line in &s.unmatched { p { "Known deviations: " (line) } }
                @for other in &s.mixed {
                    p.status.bad { "Results of several builds: " (s.identity.text()) " and " (other.text()) }
                }
                @if !s.missing.is_empty() {
                    p.status.bad { "The campaign is incomplete. Missing:" @for line in s.missing_lines() { br; (line) } }
                }
                @if s.timing.interrupted {
                    p.status.bad { "The campaign was interrupted (Ctrl-C, SIGTERM or SIGHUP, or an error such as a full disk)." }
                }
            }
            main id="main" {
                (self.cards())
                (self.failures())
                (compared_section(&self.summary.compared))
                (self.coverage_section())
                (self.stimulus())
                (self.environment())
            }
            footer { "drra " (env!("CARGO_PKG_VERSION")) ", summary version " (s.version) }
        };
        document(&title, &body, None)
    }

    fn cards(&self) -> Markup {
        let s = self.summary;
        let t = &s.timing;
        html! {
            section.cards aria-label="Overview" {
                div.card {
                    h2 { "Compared" }
                    p { strong { (grouped(s.cases)) } " cases, " strong { (grouped(s.cycles)) } " cycles" }
                    @if s.cycles < s.planned { p { (grouped(s.planned)) " cycles planned" } }
                    @if let Some(warning) = s.ended_early() { p { "Warning: " (warning) "." } }
                    p { (grouped(s.instructions)) " instructions decoded" }
                    p { (s.compared.share()) }
                    @if !s.fabrics.is_empty() { p { "cases by fabric size: " (s.sizes()) } }
                    @if let Some(all) = s.all_coverage() { p { "coverage: " strong { (all) } } }
                }
                div.card {
                    h2 { "Speed" }
                    @if t.seconds > 0.0 {
                        p { strong { (grouped(t.cycles_per_second.round() as u64)) } " cycles/s" }
                        p { (format!("{:.1}", t.seconds)) " s, " (counted(t.jobs as u64, "worker")) }
                    } @else {
                        p { "not measured" }
                    }
                }
                div.card {
                    h2 { "Convergence" }
                    @for (name, bound) in s.bounds() {
                        p { (name) " in the next 1000 cases: " strong { (bound) } }
                    }
                    @if s.bounds().next().is_none() { p { "too few cases to say" } }
                }
                div.card {
                    h2 { "Seeds" }
                    p { "profile " strong { (s.profile) } ", seed " strong { (s.seed) } }
                    p {
                        @if self.shard == [1, 1] { "the whole campaign" }
                        @else { "shard " (self.shard[0]) " of " (self.shard[1]) }
                    }
                }
            }
        }
    }

    fn failures(&self) -> Markup {
        let body = html! {
            @if self.entries.is_empty() { p { "None." } } @else {
                div.wide {
                    table {
                        (head(&["failure", "cases", "first difference", "block", "responsible instruction", "first case", "generator seed", "reduced to"]))
                        @for group in groups(self.entries) {
                            tbody {
                                tr.group { th scope="rowgroup" colspan="8" { (heading(&group)) } }
                                @for e in &group.entries { (entry(e)) }
                            }
                        }
                    }
                }
            }
        };
        section("failures", "Distinct failures", &body)
    }

    fn coverage_section(&self) -> Markup {
        let body = html! {
            @if let Some(all) = self.summary.all_coverage() { p { strong { (all) } ". The group with the most bins not hit comes first." } }
            (wide_table(&["covergroup", "not hit", "hit", "bins", "share", "ignored bins"], &html! { @for g in &self.summary.coverage { (coverage_row(g)) } }))
            details.holes {
                summary { "Uncovered bins" }
                @for (group, _) in drra_coverage::by_missing(self.coverage) { (holes(&Holes::new(self.coverage, group, MAX_HOLES), &group.name)) }
            }
        };
        section("coverage", "Coverage", &body)
    }

    fn stimulus(&self) -> Markup {
        let m = &self.summary.moved;
        let body = html! {
            @let caption = html! { "Expected transfers, measured in " (m.cases) " cases; the data of effective ones are not all the same" };
            (captioned(&caption, &["transfer", "expected", "effective", "share"], &html! {
                @for (name, [expected, effective]) in m.kinds() {
                    tr { th scope="row" { (name) } td.number { (grouped(expected)) } td.number { (grouped(effective)) } td.number { (percent(effective, expected)) } }
                }
            }))
            @if let Some(warning) = m.warning() {
                p { "Warning: " (warning) "." }
            }
            @if !self.summary.constraints.is_empty() {
                (closed("Constraints of the profile", &wide_table(&["never", "reason", "replaced"], &html! {
                    @for c in &self.summary.constraints {
                        tr { th scope="row" { (c.constraint) } td { (c.reason.as_deref().unwrap_or_default()) } td.number { (grouped(c.replaced)) } }
                    }
                })))
            }
            (closed("Instructions in the programs", &table(&["instruction", "count"], &html! {
                @for (name, count) in &self.summary.kinds {
                    tr { th scope="row" { (name) } td.number { (grouped(*count)) } }
                }
            })))
        };
        section("stimulus", "Stimulus effectiveness", &body)
    }

    fn environment(&self) -> Markup {
        let s = self.summary;
        let e = &s.timing.environment;
        let body = html! {
            dl {
                @if !s.identity.entries().is_empty() {
                    dt { "Built from" }
                    dd { @for (name, value) in s.identity.entries() { (name) " " code { (value) } br; } }
                }
                @if !s.timing.started.is_empty() {
                    dt { "Started" } dd { (s.timing.started) }
                }
                @if !s.timing.ended.is_empty() { dt { "Ended" } dd { (s.timing.ended) } }
                @if e.version.is_empty() {
                    dt { "Machine" } dd { "not recorded" }
                } @else {
                    dt { "Program" } dd { "drra " (e.version) }
                    dt { "Verilator" } dd { (e.verilator) }
                    dt { "Machine" } dd { (e.system) ", " (counted(e.cores as u64, "core")) }
                }
                dt { "Reproduce" } dd { code { (s.command()) } }
            }
            p {
                a href="summary.json" { "summary.json" } ", " a href="journal.jsonl" { "journal.jsonl" } ", "
                a href="junit.xml" { "junit.xml" }
            }
        };
        section("environment", "Environment", &body)
    }
}

/// A heading with the features that the failures of a group have in common.
fn heading(group: &FailureGroup<'_>) -> Markup {
    html! {
        @match group.block {
            Some(block) => { "Block " strong { (block) } }
            None => { "Unknown block" }
        }
        ": " (counted(group.entries.len() as u64, "failure")) " in " (grouped(group.cases())) " case"
        @if group.cases() != 1 { "s" }
        @if let Some(common) = &group.common { ", all with " code { (common) } }
    }
}

fn entry(e: &FailureEntry) -> Markup {
    let f = &e.failure;
    html! {
        tr {
            th scope="row" {
                @if e.page { a href=(format!("{}/report.html", f.folder)) { (f.signature) } }
                @else { (f.signature) }
                @if f.behind { (BEHIND) }
                @for v in f.shown_variants() {
                    br; span.muted { (v.signature) ": " (grouped(v.count)) ", first in case " (v.first_case) }
                }
                @if let Some(sizes) = FabricFailures::text(&f.fabrics) { br; span.muted { (sizes) } }
                @let decisive = e.report.as_ref().and_then(|r| r.variation.as_ref()?.decisive());
                @if let Some(decisive) = decisive { br; (decisive) }
                @if let Some(known) = &f.known { br; (known.text()) }
                @if let Some(note) = &e.note { br; span.muted { (note) } }
            }
            td.number { (grouped(f.count)) }
            @match &e.report {
                Some(r) => {
                    td { code { (r.place()) } ", cycle " (r.mismatch.cycle) }
                    td { (r.rule.block()) }
                    td {
                        @match &r.responsible {
                            Some(o) => { code { (o.instruction.text()) } }
                            None => { "none" }
                        }
                    }
                }
                None => { td { "cycle " (f.cycle) " of the whole case" } td { "-" } td { "-" } }
            }
            td.number { (f.first_case) }
            td.number { (f.first_seed) }
            td {
                @match e.report.as_ref().and_then(|r| r.reduced.as_ref()) {
                    Some(r) => {
                        (counted(r.instructions[1] as u64, "instruction")) ", " (r.cycles[1]) " cycles"
                    }
                    None => { "-" }
                }
            }
        }
    }
}

fn coverage_row(g: &GroupCoverage) -> Markup {
    let percent = summary::share(g);
    html! {
        tr {
            th scope="row" { (g.name) }
            td.number { (grouped(g.missing())) }
            td.number { (grouped(g.hit)) }
            td.number { (grouped(g.bins)) }
            td.number { (bar(percent)) }
            td.number { (g.excluded) }
        }
    }
}

/// The holes of a covergroup.
fn holes(holes: &Holes, group: &str) -> Markup {
    html! {
        @if holes.count > 0 {
            @let summary = format!("{group}: {} uncovered bins", grouped(holes.count as u64));
            (closed(summary, &html! {
                ul {
                    @for (axis, value, bins) in &holes.whole {
                        li { "nothing with " (axis) " " strong { (value) } ": " (grouped(*bins as u64)) " bins" }
                    }
                    @for hole in &holes.nearest { li { (hole) } }
                }
                @if holes.count > holes.nearest.len() { p { "Only the holes closest to a hit are listed. To list all holes: " code { "drra cover --json" } } }
            }))
        }
    }
}

/// A number with its thousands separated.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out
}
