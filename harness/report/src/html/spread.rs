// SPDX-License-Identifier: MIT OR Apache-2.0
//! The picture of the fabric with the spread of the difference.

use drra_isa::Unit;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::{
    document::{closed, section, table},
    fabric,
};
use crate::{
    data::{Report, Spread},
    text,
};

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
            div.wide { (fabric::fabric(self)) }
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
            None => "The RTL stopped with the mismatch.".to_owned(),
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

    /// Data for the script: the contents of the boxes. `<` is escaped so that no text can end the element.
    pub(super) fn spread_json(&self) -> String {
        let step = |s: &Spread| {
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
