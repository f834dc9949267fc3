// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of several runs: the changes, plots, and a table of all figures.

use drra_coverage::CoverageTotal;
use drra_report::{
    html::{
        capital,
        document::{document, section, wide_table},
    },
    text::counted,
};
use maud::{Markup, html};

use super::plot::{COLOURS, Plot, Series, exact};
use crate::history::{CampaignFigures, FailureHistory, FailureStatus, History};

/// The columns of the table of runs.
const RUN_COLUMNS: [&str; 9] =
    ["run", "profile", "seed", "cases", "failed", "distinct", "coverage", "cases/s", "built from"];

impl History {
    /// The page as self-contained HTML.
    pub fn page(&self) -> String {
        let dates = self.dates();
        let dates: Vec<&str> = dates.iter().map(String::as_str).collect();
        let title = match dates.as_slice() {
            [first, .., last] => format!("{} runs, {first} to {last}", dates.len()),
            [only] => format!("One run, {only}"),
            [] => "No run".to_owned(),
        };
        let new = self.present().filter(|history| history.status != FailureStatus::Known).count();
        let body = html! {
            a.skip href="#main" { "To the failures" }
            header {
                p.kind { "Regression history" }
                h1 { (title) }
                @if new > 0 { p.status.bad { (counted(new as u64, "distinct failure")) " now." } }
                @else if self.present().next().is_some() { p.status.good { "No failures in the last run except known ones." } }
                @else if self.incomplete().next().is_none() { p.status.good { "No failures in the last run." } }
                @if let Some((run, all)) = self.nights.last().and_then(|n| n.reached.zip(n.joined)) { p { "Coverage of all profiles: " strong { (run) } ". With earlier runs whose hit bins are known: " strong { (all) } "." } }
                @for campaign in self.incomplete() { p.status.bad { "The last run is incomplete: " (campaign) "." } }
            }
            main id="main" {
                section.cards aria-label="Since the previous run" {
                    @for status in [FailureStatus::New, FailureStatus::Returned, FailureStatus::StillFailing, FailureStatus::Known, FailureStatus::NotReached, FailureStatus::Fixed] {
                        div.card { h2 { (capital(status.text())) } p { strong { (self.with(status).count()) } } }
                    }
                }
                (section("plots", "Trend", &html! {
                    (self.legend())
                    @if self.nights.iter().any(|n| n.joined.is_some()) { p { "The plots of all profiles have two lines: the lower one is for each run alone, the upper one includes all earlier runs whose hit bins are known." } }
                    div.plots { @for plot in self.plots(&dates) { (plot.figure()) } }
                }))
                (section("failures", "Failures", &html! {
                    @if self.failures.is_empty() { p { "None in any run." } } @else { (self.failures_table(&dates)) }
                }))
                (section("nights", "Runs", &self.nights_table(&dates)))
            }
            footer { "drra " (env!("CARGO_PKG_VERSION")) ", history version " (self.version) }
        };
        document(&title, &body, None)
    }

    fn legend(&self) -> Markup {
        html! {
            ul.legend {
                @for (colour, profile) in self.profiles().iter().enumerate() {
                    li { span class=(format!("dot c{}", colour % COLOURS)) {} (profile) }
                }
            }
        }
    }

    fn plots<'a>(&'a self, nights: &'a [&'a str]) -> Vec<Plot<'a>> {
        let by_profile = |figure: &dyn Fn(&CampaignFigures) -> Option<f64>| {
            let series = |(colour, name): (usize, &'a str)| {
                let of_night = |night: &crate::history::HistoryRun| {
                    night.campaigns.iter().find(|c| c.profile == name).and_then(figure)
                };
                Series { name, colour, values: self.nights.iter().map(of_night).collect() }
            };
            self.profiles().into_iter().enumerate().map(series).collect::<Vec<_>>()
        };
        let scores = self.nights.iter().map(|night| night.mutation_score).collect();
        let percent = |all: &CoverageTotal| 100.0 * all.hit as f64 / all.bins.max(1) as f64;
        let complete = |all: &CoverageTotal| all.complete as f64;
        let together = |figure: fn(&CoverageTotal) -> f64| {
            let all = self.nights.iter();
            let reached = all.clone().map(|night| night.reached.as_ref().map(figure)).collect();
            let joined = all.map(|night| night.joined.as_ref().map(figure)).collect();
            vec![
                Series { name: "this run", colour: COLOURS - 2, values: reached },
                Series { name: "with earlier runs", colour: COLOURS - 1, values: joined },
            ]
        };
        let plot = |title, unit, series, zoomed| Plot { title, unit, nights, series, zoomed };
        vec![
            plot("Distinct failures", "", by_profile(&|c| Some(c.distinct as f64)), false),
            plot("Coverage", " %", by_profile(&|c| Some(c.coverage())), true),
            plot("Coverage of all profiles", " %", together(percent), true),
            plot("Complete covergroups of all profiles", "", together(complete), false),
            plot("Cases per second", "", by_profile(&|c| c.cases_per_second), false),
            plot(
                "Mutation score",
                " %",
                vec![Series { name: "mutation score", colour: 0, values: scores }],
                true,
            ),
        ]
    }

    fn failures_table(&self, dates: &[&str]) -> Markup {
        let night = |number: usize| dates.get(number).copied().unwrap_or("-");
        let row = |history: &FailureHistory| {
            html! {
                tr {
                    th scope="row" {
                        @match &history.report {
                            Some(page) => { a href=(page) { (history.signature) } }
                            None => { (history.signature) }
                        }
                        @for variant in history.shown_variants() { br; span.muted { (variant) } }
                        @if let Some(known) = &history.known { br; (known.text()) }
                    }
                    td { (history.profile) }
                    td { (history.status.text()) }
                    td { (night(history.first)) }
                    td { (night(history.last)) }
                    td.number {
                        @match history.cases.last() { Some(Some(n)) => { (n) } _ => { "-" } }
                    }
                }
            }
        };
        let names =
            ["failure", "profile", "status", "first run", "last run", "cases in the last run"];
        wide_table(&names, &html! { @for history in &self.failures { (row(history)) } })
    }

    fn nights_table(&self, dates: &[&str]) -> Markup {
        let speed =
            |c: &CampaignFigures| c.cases_per_second.map_or("-".to_owned(), |n| format!("{n:.0}"));
        let rows = html! {
            @for (night, date) in self.nights.iter().zip(dates) {
                @for c in &night.campaigns {
                    tr {
                        th scope="row" { (date) @if let Some(lacks) = c.incomplete() { " (incomplete: " (lacks) ")" } }
                        td { (c.profile) }
                        td.number { (c.seed) }
                        td.number { (c.cases) }
                        td.number { (c.failed) }
                        td.number { (c.distinct) }
                        td.number { (format!("{:.2} %", c.coverage())) }
                        td.number { (speed(c)) }
                        td {
                            @if let Some(revision) = &c.identity.revision { code { (revision) } " " }
                            @if !c.identity.rtl.is_empty() { "RTL " code { (c.identity.rtl) } }
                        }
                    }
                }
                @if let Some(score) = night.mutation_score {
                    tr { th scope="row" { (date) } td colspan="8" { "mutation score " (exact(score)) " %" } }
                }
            }
        };
        wide_table(&RUN_COLUMNS, &rows)
    }
}
