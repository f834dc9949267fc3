// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report for a terminal: at most 80 columns, readable without colour.

mod end_state;
mod tables;

use std::fmt::Write;

use drra_lockstep::Stop;
use tabled::{builder::Builder, settings::Color};

use crate::{
    data::{
        CellProgram, Disagreement, InstructionLocation, PathStep, ProgramLine, ProvenanceEvent,
        Report,
    },
    text::{self, compared_from},
};
use tables::{
    COLUMNS, change_table, fit, hanging, other_differences, pairs, with_bits, with_marks, wrapped,
};

pub use end_state::{ProgramSource, provenances};
pub use tables::{Colouring, table, unfitted};

/// Maximum number of further differences listed.
const MAX_LISTED: usize = 12;
/// Instructions for reducing a case by hand.
pub(crate) const SMALLER: &str = "to reduce the case, remove instructions, write its stimulus with drra export, \
                                  simulate the design, and check again";
/// The reason why there are no programs to show.
pub(crate) const NO_PROGRAM: &str =
    "the stimulus is given at the ports, cycle by cycle, so the report has no program.sasm";
/// Placeholder for a provenance without steps.
pub(crate) const NO_PROVENANCE: &str =
    "not traced, because no instruction was found that leads to this difference";
/// Maximum number of provenance steps listed.
const MAX_STEPS: usize = 24;

impl Report {
    /// The report as text with tables.
    pub fn text(&self, paint: Colouring) -> String {
        let mut out = String::new();
        let mut add = |text: &str| writeln!(out, "{text}").expect("writing to a string");
        for part in [
            self.headline(paint),
            self.common_part(paint),
            self.program_part(paint),
            self.summary(paint),
            self.others(paint),
            self.inputs(paint),
            self.last_changes(paint),
            self.neighbours_part(paint),
            self.provenance(paint),
            self.spread_line(),
            self.compared_part(paint),
        ]
        .into_iter()
        .flatten()
        {
            add(&part);
        }
        add(&format!("repeat: {}", self.repeat));
        self.ask().into_iter().for_each(|ask| add(&format!("chapters: {ask}")));
        out
    }

    /// The mismatch in one line, and the result of shrinking.
    fn headline(&self, paint: Colouring) -> Option<String> {
        let mut text = paint.failure(&self.line());
        if let Some(r) = &self.reduced {
            text += &format!("\n{}", r.text());
        }
        Some(text)
    }

    /// What decides whether the case fails, or else the situations that the failing cases have in common.
    fn common_part(&self, paint: Colouring) -> Option<String> {
        let lines: Vec<String> =
            self.in_common().concat().iter().map(|line| hanging(line, COLUMNS, "  ")).collect();
        let heading = paint.heading("what failing cases have in common");
        (!lines.is_empty()).then(|| format!("{heading}\n{}", lines.join("\n")))
    }

    /// The program of a varied case, unless it is long.
    fn program_part(&self, paint: Colouring) -> Option<String> {
        let lines = |p: &CellProgram| {
            let line = |l: &ProgramLine| {
                let text = format!("  {} @{} {}", text::cell(p.cell), l.address, l.text());
                hanging(&text, COLUMNS, "    ")
            };
            p.lines.iter().map(line).collect::<Vec<_>>()
        };
        let lines: Vec<String> = self.program.iter().flat_map(lines).collect();
        let heading = paint.heading("program of the reduced case");
        (self.variation.is_some() && lines.len() <= MAX_STEPS)
            .then(|| format!("{heading}\n{}", lines.join("\n")))
    }

    /// Further registers that differ.
    fn others(&self, paint: Colouring) -> Option<String> {
        let (Disagreement::State { differences, total }
        | Disagreement::Unknown { differences, total }) = &self.mismatch.what
        else {
            return None;
        };
        let others = differences.get(1..).filter(|others| !others.is_empty())?;
        let heading = format!("other differences in cycle {}", self.mismatch.cycle);
        let others = &others[..others.len().min(MAX_LISTED)];
        let mut text = format!("{}\n{}", paint.heading(&heading), other_differences(others));
        let more = total.saturating_sub(1 + others.len());
        if more > 0 {
            text += &format!("\n({more} more not listed)");
        }
        Some(text)
    }

    /// The inputs of the rule.
    fn inputs(&self, paint: Colouring) -> Option<String> {
        if self.rule.inputs.is_empty() {
            return None;
        }
        let before = self.mismatch.leading_cycle();
        let heading = format!(
            "inputs of the rule{}, cycle {before} (both sides agree on all registers{})",
            self.rule_unit(),
            if self.compared.is_some() { " compared" } else { "" }
        );
        let rows = self.rule.inputs.iter().map(|input| self.rule.input(input)).collect();
        Some(format!("{}\n{}", paint.heading(&heading), pairs(rows, paint, &[])))
    }

    fn last_changes(&self, paint: Colouring) -> Option<String> {
        if self.changes.is_empty() {
            return None;
        }
        let unit = self.mismatch.unit().map_or_else(String::new, text::unit);
        let cycle = self.mismatch.cycle;
        let heading = format!("last changes of {unit} up to cycle {cycle}{}", self.left_out());
        Some(format!("{}\n{}", paint.heading(&heading), change_table(&self.changes, paint)))
    }

    fn neighbours_part(&self, paint: Colouring) -> Option<String> {
        if self.neighbours.is_empty() {
            return None;
        }
        let heading = format!("neighbours in cycle {} (golden model)", self.mismatch.cycle);
        let mut table = Builder::default();
        table.push_record(["position", "unit", "differing", "state"]);
        for n in &self.neighbours {
            let (unit, differing) = (n.unit.to_string(), n.differing.to_string());
            table.push_record([n.direction.text(), &unit, &differing, &n.state.text()]);
        }
        Some(format!("{}\n{}", paint.heading(&heading), fit(table.build())))
    }

    /// The provenance of the value.
    fn provenance(&self, paint: Colouring) -> Option<String> {
        if self.path.is_empty() {
            let said = !self.mismatch.differences().is_empty() && self.mismatch.cycle > 0;
            return said
                .then(|| wrapped(&format!("provenance of the value: {NO_PROVENANCE}"), COLUMNS));
        }
        let mut text = paint.heading("provenance of the value (golden model)") + "\n";
        for step in self.path.iter().take(MAX_STEPS) {
            let by = InstructionLocation::text;
            text += &(path_line(step, step.value_text(), by, COLUMNS) + "\n");
        }
        if self.path.len() > MAX_STEPS {
            text += &format!("  ({} more steps)\n", self.path.len() - MAX_STEPS);
        }
        Some(text)
    }

    fn spread_line(&self) -> Option<String> {
        let spread: Vec<String> = self
            .spread
            .iter()
            .step_by(8)
            .map(|s| format!("{} in cycle {}", s.units.len(), s.cycle))
            .collect();
        let line = format!("units that differ as the run continues: {}", spread.join(", "));
        (!spread.is_empty()).then(|| wrapped(&line, COLUMNS))
    }

    /// Comparison coverage, and what was not compared.
    fn compared_part(&self, paint: Colouring) -> Option<String> {
        let compared = self.compared.as_ref()?;
        let mut rows = vec![["compared".to_owned(), compared.text()]];
        for (i, line) in compared.lines().iter().enumerate() {
            let name = if i == 0 { "not compared" } else { "" };
            rows.push([name.to_owned(), line.clone()]);
        }
        // Only a waveform has sample times. With any other design, a case can be shrunk by running smaller cases.
        if self.mismatch.moment.is_some() {
            rows.push(["reduce".to_owned(), SMALLER.to_owned()]);
        }
        Some(pairs(rows, paint, &[]))
    }

    /// The difference, the responsible instruction, and the rule.
    fn summary(&self, paint: Colouring) -> Option<String> {
        let mut rows = Vec::new();
        let golden = self.what_rows(&mut rows);
        let mut row = |name: &str, value: String| rows.push([name.to_owned(), value]);
        row("expected", self.expected());
        row("observed", self.observed());
        if let Some(moment) = &self.mismatch.moment {
            row("sampled", moment.clone());
        }
        if !self.is_explained() {
            row("case", self.case_text());
            return Some(pairs(rows, paint, &[]));
        }
        match &self.responsible {
            Some(o) => {
                row("set up by", o.instruction.text());
                row("", o.place());
            }
            None => row("set up by", self.nobody().to_owned()),
        }
        row("block", format!("{}: {}", self.rule.block(), self.rule.why_text()));
        for [name, signals] in self.rule.compared() {
            row(&format!("  {name}"), signals);
        }
        row("rule", self.rule.text());
        row("files", self.files());
        row("case", self.case_text());
        let painted = golden.map_or_else(Vec::new, |golden| {
            vec![(golden, Color::FG_GREEN), (golden + 1, Color::FG_RED)]
        });
        Some(pairs(rows, paint, &painted))
    }

    /// Adds rows for the difference. Returns the index of the row with the golden value, which is followed by the row
    /// of the RTL.
    fn what_rows(&self, rows: &mut Vec<[String; 2]>) -> Option<usize> {
        let mut row = |name: &str, value: String| rows.push([name.to_owned(), value]);
        match &self.mismatch.what {
            Disagreement::State { differences, .. } | Disagreement::Unknown { differences, .. } => {
                let d = differences.first()?;
                row("register", format!("{} ({} bit)", d.location, d.width()));
                if let Some(name) = &d.name {
                    row("name", name.clone());
                }
                if let Some(before) = &d.before {
                    row("before", with_bits(before));
                }
                row("golden", with_bits(&d.golden));
                row("rtl", with_bits(&d.rtl));
                row("differing", with_marks(d.width(), &d.bits));
                Some(1 + usize::from(d.name.is_some()) + usize::from(d.before.is_some()))
            }
            Disagreement::Ended { .. } => None,
            Disagreement::Stimulus { driven, .. } => {
                row("driven", driven.to_string());
                None
            }
            Disagreement::Ports { ports } | Disagreement::UnknownPorts { ports } => {
                for (i, p) in ports.iter().enumerate() {
                    let name = format!("{} ({} bit)", p.name(), p.golden.value.width());
                    row(if i == 0 { "port" } else { "also" }, name);
                    row("golden", with_bits(&p.golden));
                    row("rtl", with_bits(&p.rtl));
                    row("differing", with_marks(p.golden.value.width(), &p.bits));
                    let words: Vec<String> = p.words().iter().map(u32::to_string).collect();
                    if !words.is_empty() {
                        row("words", words.join(" "));
                    }
                }
                (!ports.is_empty()).then_some(1)
            }
            Disagreement::Assertion(a) => {
                let name = match a.stop {
                    Stop::Assertion => "assertion",
                    _ => "stopped by",
                };
                row(name, self.stopped_at(a));
                for i in &a.instances {
                    row("", i.to_string());
                }
                None
            }
        }
    }

    fn case_text(&self) -> String {
        let case = &self.case;
        let ports = if case.ports { format!("; {NO_PROGRAM}") } else { String::new() };
        let origin = match (&case.profile, case.generator_seed) {
            (Some(profile), Some(seed)) => format!(
                "{} (profile {profile}, generator seed {seed}, state seed {})",
                case.name, case.seed
            ),
            _ => format!("{} (state seed {})", case.name, case.seed),
        };
        let from = match case.compare_from {
            0 => String::new(),
            from => format!("; {}", compared_from(from)),
        };
        origin + &ports + &from
    }
}

/// A step with its value and its instruction.
fn path_line(
    step: &PathStep,
    value: Option<String>,
    by: impl Fn(&InstructionLocation) -> String,
    width: usize,
) -> String {
    let between = if step.step == ProvenanceEvent::Kept { " " } else { " = " };
    let value = value.map_or_else(String::new, |v| format!("{between}{v}"));
    let by = step.by.as_ref().map_or_else(String::new, |at| format!(" [{}]", by(at)));
    let indent = "  ".repeat(step.depth.min(8) + 1);
    let text = format!(
        "{indent}cycle {}, {}: {}{value}{by}",
        step.cycle,
        text::unit(step.unit),
        step.step.text()
    );
    hanging(&text, width, &(indent + "    "))
}
