// SPDX-License-Identifier: MIT OR Apache-2.0
//! The HTML page of a mutation run: scores, and each survivor with its source line.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use drra_coverage::groups;

use crate::summary::{MutantCounts, MutantOutcome, MutantState, MutationSummary};

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;\
color:#1b1f24;background:#fff}table{border-collapse:collapse;margin:.5rem 0 1.5rem}th,td{padding:.2rem .7rem;\
border-bottom:1px solid #d0d7de;text-align:right}th:first-child,td:first-child{text-align:left}\
article{border:1px solid #d0d7de;border-radius:6px;padding:.6rem 1rem;margin:.8rem 0}pre{overflow-x:auto;\
background:#f6f8fa;padding:.5rem;margin:.4rem 0}del{background:#ffd7d5}ins{background:#ccffd8;\
text-decoration:none}h3{margin:.2rem 0;font-size:1rem}.wide{overflow-x:auto}article p{overflow-wrap:anywhere}@media print{body{margin:0;\
font-size:10pt}.wide{overflow:visible}.wide table{font-size:8pt}th,td{padding:.1rem .3rem}pre{white-space:pre-wrap}}\
@media(prefers-color-scheme:dark){body{color:#e6edf3;\
background:#0d1117}pre{background:#161b22}del{background:#67060c}ins{background:#033a16}}";

/// The page as self-contained HTML. `source` returns the text of a file.
pub fn page(summary: &MutationSummary, source: &dyn Fn(&str) -> String) -> String {
    let survivors: Vec<&MutantOutcome> = summary.survivors().collect();
    let body = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { "Mutation score of the RTL" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                @if let Some(headline) = summary.headline() { p { strong { (headline) } } }
                h1 { "Mutation score of the RTL: " (format!("{:.2}", summary.score)) " %" }
                p {
                    (summary.total.all()) " mutants, seed " (summary.seed) ", profile " (summary.profile)
                    ", " (summary.cases) " cases on each fabric size. Not counted: "
                    (summary.total.equivalent) " proved equivalent to the original or to a chapter, "
                    (summary.total.waived) " waived with an argument."
                }
                h2 { "Cases until a mutant is killed" }
                div.wide {
                    table {
                        thead { tr { th { "fabric" } th { "killed" } th { "median" } th { "95 %" } th { "99 %" } th { "maximum" } } }
                        tbody {
                            @for c in &summary.cases_to_kill {
                                tr {
                                    td { (c.fabric) } td { (c.killed) } td { (c.median) } td { (c.p95) }
                                    td { (c.p99) } td { (c.max) }
                                }
                            }
                        }
                    }
                }
                @if summary.bugs().next().is_some() {
                    h2 { "Published bugs" }
                    div.wide { (bugs(summary)) }
                }
                h2 { "By module" }
                div.wide { (table("module", &summary.blocks)) }
                h2 { "By " (summary.kind()) }
                div.wide { (table(summary.kind(), &summary.operators)) }
                h2 { "Survivors" }
                @if survivors.is_empty() { p { "None." } }
                @for survivor in survivors { (article(survivor, source)) }
            }
        }
    };
    body.into_string()
}

fn bugs(summary: &MutationSummary) -> Markup {
    html! {
        table {
            thead { tr { th { "bug" } th { "module" } th { "instruction" } th { "class" } th { "cases needed" } } }
            tbody {
                @for (bug, outcome) in summary.bugs() {
                    tr {
                        td title=(bug.reference) { (bug.name()) ": " (bug.title) }
                        td { (bug.block) } td { (bug.instruction) } td { (bug.class) } td { (outcome.needed()) }
                    }
                }
            }
        }
    }
}

fn table(what: &str, rows: &[MutantCounts]) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th { (what) } th { "mutants" } th { "killed" } th { "activated, not killed" }
                    th { "never activated" } th { "waived" } th { "equivalent" } th { "open" } th { "score" }
                }
            }
            tbody {
                @for c in rows {
                    tr {
                        td { (c.name) } td { (c.all()) } td { (c.killed) } td { (c.activated) }
                        td { (c.never) } td { (c.waived) } td { (c.equivalent) } td { (c.open) }
                        td { (format!("{:.1} %", c.score())) }
                    }
                }
            }
        }
    }
}

fn article(survivor: &MutantOutcome, source: &dyn Fn(&str) -> String) -> Markup {
    let m = &survivor.mutant;
    let text = source(&m.file);
    let [from, to] = m.bytes;
    let first = text[..from].rfind('\n').map_or(0, |n| n + 1);
    let last = text[to..].find('\n').map_or(text.len(), |n| to + n);
    let related = covergroups(&m.block);
    html! {
        article id=(format!("m{}", m.number)) {
            h3 {
                (m.file) ":" (m.line) ", " (m.operator.name()) ": " (survivor.state.text())
                " (mutant " (m.number) ", fabric " (survivor.fabric) ")"
            }
            @if let Some(bug) = &m.bug {
                p { (bug.title) " (" (bug.reference) ")" }
                pre { code { (bug.diff) } }
            } @else {
                pre { code { (text[first..from]) del { (text[from..to]) } ins { (m.after) } (text[to..last]) } }
            }
            @if let Some(guard) = &m.guard {
                p {
                    "Acts only when " code { (guard.when) } "."
                    @if survivor.state == MutantState::Never { " No case reached this where the mutant differs." }
                }
            }
            @if let Some(note) = &survivor.note { p { (note) } }
            @if let Some(said) = &survivor.chapter { pre { (said) } }
            @if !related.is_empty() { p { "Related covergroups: " (related.join(", ")) "." } }
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
