// SPDX-License-Identifier: MIT OR Apache-2.0
//! The HTML page of a mutation run: score and cases needed, then each survivor with its source line.

use maud::{Markup, html};

use drra_coverage::groups;
use drra_report::{
    html::document::{bar, captioned, closed, document, section, wide_table},
    text::counted,
};

use crate::summary::{CasesNeeded, MutantCounts, MutantOutcome, MutantState, MutationSummary};

/// The page as self-contained HTML. `source` returns the text of a file.
pub fn page(summary: &MutationSummary, source: &dyn Fn(&str) -> String) -> String {
    let left = summary.survivors();
    let (waived, mut survivors): (Vec<_>, Vec<_>) =
        left.partition(|m| m.state == MutantState::Waived);
    // A mutant without a result is only counted: there is nothing to learn from its source line.
    survivors.retain(|m| !m.fabric.is_empty());
    survivors.sort_by_key(|m| m.state);
    let (total, kind) = (&summary.total, summary.kind());
    let (title, left) = (format!("{kind}, seed {}", summary.seed), total.counted() - total.killed);
    let articles = |all: &[&MutantOutcome]| html! { @for m in all { (article(m, source)) } };
    let body = html! {
        a.skip href="#main" { "To the survivors" }
        header {
            p.kind { "Faults planted in the RTL, against the golden model" }
            h1 { (title) }
            p.status.good[left == 0].bad[left > 0] {
                "Not " (summary.verb()) ": " (left) " of " (total.counted())
            }
        }
        main id="main" {
            (cards(summary))
            (section("survivors", "Survivors", &html! {
                @if survivors.is_empty() { p { "None." } }
                (articles(&survivors))
            }))
            (section("cases", "Cases until a mutant is killed", &cases(summary)))
            @if summary.bugs().next().is_some() {
                (section("bugs", "Published bugs", &bugs(summary)))
            }
            (section("modules", "By module", &table("module", &summary.blocks)))
            @let group = summary.group();
            (section("groups", format!("By {group}"), &table(group, &summary.operators)))
            @if !waived.is_empty() {
                (section("waived", "Waived", &closed(counted(waived.len() as u64, "mutant"), &articles(&waived))))
            }
            (section("files", "Files", &html! {
                p { a href="summary.json" { "summary.json" } ", " a href="plan.json" { "plan.json" } ", "
                    a href="journal.jsonl" { "journal.jsonl" } ", " a href="junit.xml" { "junit.xml" } }
            }))
        }
        footer { "drra " (env!("CARGO_PKG_VERSION")) ", summary version " (summary.version) }
    };
    document(&title, &body, None)
}

/// Score and cases needed, and what they were measured with.
fn cards(summary: &MutationSummary) -> Markup {
    let MutantCounts { killed, activated, never, equivalent, waived, open, .. } = summary.total;
    html! {
        section.cards aria-label="Overview" {
            div.card {
                h2 { "Score" }
                p { strong { (format!("{:.2}", summary.score)) " %" } ": " (killed) " of " (summary.total.counted()) " " (summary.verb()) }
                p { "not counted: " (equivalent) " proved equivalent, " (waived) " waived" }
            }
            @if let Some(needed) = &summary.cases_needed {
                div.card {
                    h2 { "Cases needed" }
                    @for (share, cases) in needed.levels(summary.verb()) { p { (share) " " strong { (cases) } } }
                }
            }
            div.card {
                h2 { "Not " (summary.verb()) }
                p { strong { (activated) } " activated, " strong { (never) } " never activated" }
                @if open > 0 { p { strong { (open) } " not completely run; they count as not " (summary.verb()) } }
                @if summary.undecided > 0 { p { strong { (summary.undecided) } " undecided: the proof timed out or could not run" } }
            }
            div.card {
                h2 { "Campaign" }
                p { "profile " strong { (summary.profile) } ", seed " strong { (summary.seed) } }
                @if summary.cases_needed.is_some() { p { "up to " (summary.cases) " cases on each fabric size" } }
                @if !summary.project.is_empty() { p { "RTL of " code { (summary.project) } } }
            }
        }
    }
}

/// The shares that numbers of cases kill, and the cases by fabric size.
fn cases(summary: &MutationSummary) -> Markup {
    let all = summary.total.counted().max(1) as f64;
    html! {
        @if let Some(CasesNeeded { within, .. }) = &summary.cases_needed {
            (captioned(&html! { "Of the counted mutants, on all fabric sizes together" }, &["cases", "killed", "share"], &html! {
                @for w in within {
                    tr { td.number { (w.cases) } td.number { (w.killed) } td.number { (bar(100.0 * w.killed as f64 / all)) } }
                }
            }))
        }
        (captioned(&html! { "Of the mutants killed on a fabric size" }, &["fabric", "killed", "median", "95 %", "99 %", "maximum"], &html! {
            @for c in &summary.cases_to_kill {
                tr { th scope="row" { (c.fabric) } @for n in [c.killed, c.median, c.p95, c.p99, c.max] { td.number { (n) } } }
            }
        }))
    }
}

fn bugs(summary: &MutationSummary) -> Markup {
    wide_table(
        &["bug", "module", "instruction", "class", "cases needed"],
        &html! {
            @for (bug, outcome) in summary.bugs() {
                tr {
                    td title=(bug.reference) { (bug.name()) ": " (bug.title) }
                    td { (bug.block) } td { (bug.instruction) } td { (bug.class) } td.number { (outcome.needed()) }
                }
            }
        },
    )
}

fn table(what: &str, rows: &[MutantCounts]) -> Markup {
    let rest = ["activated, not killed", "never activated", "waived", "equivalent", "open"];
    wide_table(
        &[&[what, "mutants", "killed", "score"], &rest[..]].concat(),
        &html! {
            @for c in rows {
                tr {
                    th scope="row" { (c.name) } td.number { (c.all()) } td.number { (c.killed) } td.number { (bar(c.score())) }
                    @for n in [c.activated, c.never, c.waived, c.equivalent, c.open] { td.number { (n) } }
                }
            }
        },
    )
}

fn article(survivor: &MutantOutcome, source: &dyn Fn(&str) -> String) -> Markup {
    let m = &survivor.mutant;
    let text = source(&m.file);
    let [from, to] = m.bytes;
    let first = text[..from].rfind('\n').map_or(0, |n| n + 1);
    let before = text[first..from].trim_start();
    let last = text[to..].find('\n').map_or(text.len(), |n| to + n);
    let related = covergroups(&m.block);
    html! {
        article.card id=(format!("m{}", m.number)) {
            h3 { (m.file) ":" (m.line) ", " (m.operator.name()) ": " (survivor.state.text()) }
            @if let Some(bug) = &m.bug {
                p { (bug.title) " (" (bug.reference) ")" }
                pre.command { code { (bug.diff) } }
            } @else {
                pre.command { code { (before) del { (text[from..to]) } ins { (m.after) } (text[to..last]) } }
            }
            @if let Some(guard) = &m.guard {
                p {
                    "Acts only when " code { (guard.when) } "."
                    @if survivor.state == MutantState::Never { " No case reached this where the mutant differs." }
                }
            }
            @match &survivor.note {
                Some(reason) if survivor.state == MutantState::Waived => { p { (reason) } }
                Some(log) => { p { "Proof: " a href=(log) { (log) } } }
                None => {}
            }
            @if let Some(said) = &survivor.chapter { pre.command { (said) } }
            p.muted {
                "Mutant " (m.number) ", fabric " (survivor.fabric) "."
                @if !related.is_empty() { " Related covergroups: " (related.join(", ")) "." }
            }
        }
    }
}

/// Words in the names of related covergroups, by prefix of the module name.
const RELATED: [(&str, &[&str]); 15] = [
    ("drra_agu", &["AGU", "REFI"]),
    ("drra_register_file", &["AGU", "REFI", "PERM"]),
    ("drra_dpu", &["DPU"]),
    ("drra_lane", &["DPU"]),
    ("drra_loop", &["loops", "LOOP"]),
    ("drra_raccu", &["RACCU"]),
    ("drra_sequencer", &["BRANCH", "WAIT", "JUMP"]),
    ("drra_decoder", &["fields"]),
    ("drra_switchbox", &["switchbox", "SWB"]),
    ("drra_interconnect", &["switchbox"]),
    ("drra_per", &["PERM"]),
    ("drra_issue", &["NoC", "ROUTE", "PERM"]),
    ("drra_pattern", &["SRAM", "IO "]),
    ("drra_sram", &["SRAM"]),
    ("drra_", &["NoC", "ROUTE"]),
];

/// Names of the covergroups related to a module.
fn covergroups(block: &str) -> Vec<String> {
    let words =
        RELATED.iter().find(|(prefix, _)| block.starts_with(prefix)).map_or(&[][..], |n| n.1);
    let names = groups().iter().map(|group| group.name.clone());
    names.filter(|name| words.iter().any(|word| name.contains(word))).collect()
}

#[cfg(test)]
mod tests {
    use super::{RELATED, covergroups};

    #[test]
    fn every_module_has_related_covergroups() {
        for (block, _) in RELATED {
            assert!(!covergroups(block).is_empty(), "{block}");
        }
    }
}
