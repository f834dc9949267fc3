// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first difference, and the rule that applies.

use drra_lockstep::{ComparisonCoverage, bit_list};
use maud::{Markup, html};

use super::document::{
    Links, UNLINKED, captioned, closed, head, prose, section, table, wide_table,
};
use crate::{
    data::{Disagreement, Reading, Report, ReportedDifference, ReportedPortDifference},
    text::ends_group,
};

/// Widest value whose bits are shown.
const BITS: u32 = 32;

impl Report {
    pub(super) fn first_difference(&self) -> Markup {
        let cycle = self.mismatch.cycle;
        let body = html! {
            @match &self.mismatch.what {
                Disagreement::State { differences, total } | Disagreement::Unknown { differences, total } => {
                    (registers(differences, *total, cycle))
                }
                Disagreement::Ended { .. } | Disagreement::Stimulus { .. } => {
                    p { "Case: " (self.expected()) "." }
                    p { "Waveform: " (self.observed()) "." }
                }
                Disagreement::Ports { ports } | Disagreement::UnknownPorts { ports } => { @for p in ports { (port(p, cycle)) } }
                Disagreement::Assertion(a) => {
                    p { "The design stops: " code { (self.stopped_at(a)) } "." }
                    ul { @for i in &a.instances { li { code { (i) } } } }
                }
            }
        };
        section("difference", "First difference", &body)
    }

    pub(super) fn rule_section(&self, link: Links<'_>) -> Markup {
        let (rule, info) = (self.rule.cited(), self.rule.cited().info());
        let body = html! {
            p {
                code { (prose(rule.chapter_file(), link)) } ", section " strong { (info.section) } ": " (info.text)
            }
            @let compared = self.rule.compared();
            @if !compared.is_empty() {
                p {
                    "Why it is block " strong { (self.rule.block()) } ": in cycle "
                    (self.mismatch.leading_cycle()) " both sides agree on all registers"
                    @if self.compared.is_some() { " compared" }
                    ", and on these inputs and outputs of the block."
                }
                dl { @for [name, signals] in compared { dt { (name) } dd { (signals) } } }
            }
            @if !self.rule.inputs.is_empty() {
                @let caption = html! {
                    "Inputs of the rule" (self.rule_unit()) ", cycle " (self.mismatch.leading_cycle())
                    " (both sides agree on all registers" @if self.compared.is_some() { " compared" } ")"
                };
                (captioned(&caption, &["register or signal", "value"], &html! {
                    @for [name, value] in self.rule.inputs.iter().map(|i| self.rule.input(i)) {
                        tr { th scope="row" { code { (name) } } td { code { (prose(&value, UNLINKED)) } } }
                    }
                }))
            }
        };
        section("rule", format!("Rule {}", self.rule.named().info().name), &body)
    }
}

fn registers(differences: &[ReportedDifference], total: usize, cycle: u64) -> Markup {
    let others = differences.get(1..).unwrap_or_default();
    html! {
        @if let Some(d) = differences.first() {
            @let caption = html! {
                code { (d.location) } ", " (d.width()) " bit, in cycle " (cycle)
                @if let Some(name) = &d.name { ". Name in the design: " code { (name) } }
            };
            (values(&caption, d.before.as_ref(), [&d.golden, &d.rtl], &d.bits))
            p { "Differing bits: " (bit_list(&d.bits)) }
        }
        @if !others.is_empty() {
            @let summary = format!("Other differences in this cycle: {}", total - 1);
            (closed(summary, &wide_table(&["register", "before", "golden", "RTL"], &html! {
                @for d in others {
                    tr {
                        td { code { (d.location) } }
                        @let before = d.before.as_ref().map_or_else(|| "-".to_owned(), Reading::text);
                        @for value in [before, d.golden.text(), d.rtl.text()] { td { code { (prose(&value, UNLINKED)) } } }
                    }
                }
            })))
        }
    }
}

fn port(p: &ReportedPortDifference, cycle: u64) -> Markup {
    html! {
        @let caption = html! { "Output port " code { (p.name()) } ", " (p.golden.value.width()) " bit, in cycle " (cycle) };
        (values(&caption, None, [&p.golden, &p.rtl], &p.bits))
        p {
            "Differing bits: " (bit_list(&p.bits))
            @let words = p.words();
            @if !words.is_empty() {
                "; words of the block: "
                @for (n, word) in words.iter().enumerate() { @if n > 0 { ", " } (word) }
            }
        }
    }
}

/// The values on both sides.
fn values(
    caption: &Markup,
    before: Option<&Reading>,
    [golden, rtl]: [&Reading; 2],
    marked: &[u32],
) -> Markup {
    html! {
        table.values {
            caption { (caption) }
            (head(&["side", "value", "bits, highest first"]))
            tbody {
                @if let Some(before) = before {
                    tr { th scope="row" { "both, one cycle earlier" } td { (digits(before, &[])) } td { (bits(before, &[])) } }
                }
                tr.golden { th scope="row" { "golden" } td { (digits(golden, marked)) } td { (bits(golden, marked)) } }
                tr.rtl { th scope="row" { "RTL" } td { (digits(rtl, marked)) } td { (bits(rtl, marked)) } }
            }
        }
    }
}

/// The bits of a value, some of them marked.
fn bits(reading: &Reading, marked: &[u32]) -> Markup {
    let width = reading.value.width();
    if width > BITS {
        return html! { span.muted { "differing digits are marked" } };
    }
    html! {
        code.bits {
            @for bit in (0..width).rev() {
                @let digit = reading.digit(bit);
                @if marked.contains(&bit) { b { (digit) } } @else { (digit) }
                @if bit > 0 && bit % 4 == 0 { " " }
            }
        }
    }
}

/// A value; in a wide value, digits with marked bits are marked.
fn digits(reading: &Reading, marked: &[u32]) -> Markup {
    let width = reading.value.width();
    if width <= BITS {
        return html! { code { (prose(&reading.text(), UNLINKED)) } };
    }
    let digits = reading.value.to_string();
    html! {
        code.bits {
            "0x"
            @for (n, text) in (0..width.div_ceil(4)).rev().zip(digits.chars().skip(2)) {
                @let lsb = 4 * n;
                @if marked.iter().any(|b| (lsb..lsb + 4).contains(b)) { b { (text) } }
                @else { (text) }
                @if ends_group(lsb, width) { " " }
            }
            @if let Some(decoded) = &reading.decoded { " " (decoded) }
        }
    }
}

/// Comparison coverage, and what was not compared.
pub fn compared_section(compared: &ComparisonCoverage) -> Markup {
    let body = html! {
        p { (compared.text()) "." }
        @if !compared.not_compared.is_empty() {
            (table(&["not compared", "registers"], &html! {
                @for n in &compared.not_compared {
                    tr { th scope="row" { (n.text()) } td { code { (n.names()) } } }
                }
            }))
        }
    };
    section("compared", "Comparison coverage", &body)
}
