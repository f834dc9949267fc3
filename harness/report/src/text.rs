// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report for a terminal: at most 100 columns, readable without colour.

use std::fmt::Write;

use tabled::builder::Builder;
use tabled::settings::Color;
use tabled::settings::Modify;
use tabled::settings::Style;
use tabled::settings::Width;
use tabled::settings::object::Rows;

use super::Difference;
use super::Report;

/// Columns of the text at most.
const COLUMNS: usize = 100;
/// Further differences that are listed.
const LISTED: usize = 12;
/// Steps of the way of the value that are listed.
const STEPS: usize = 24;

/// Whether the text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Without colours: for files and pipes.
    Plain,
    /// With ANSI colours: for a terminal.
    Ansi,
}

impl Paint {
    fn bold_red(self, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Ansi => format!("\u{1b}[1;31m{text}\u{1b}[0m"),
        }
    }

    fn bold(self, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Ansi => format!("\u{1b}[1m{text}\u{1b}[0m"),
        }
    }
}

impl Report {
    /// As text with tables.
    pub fn text(&self, paint: Paint) -> String {
        let mut out = String::new();
        let mut line = |text: &str| writeln!(out, "{text}").expect("writing to a string");
        let heading = |text: &str| paint.bold(text);
        let m = &self.mismatch;
        let verb = if m.assertion.is_some() { "is violated" } else { "differs" };
        let place = self.place();
        line(&paint.bold_red(&format!("MISMATCH in cycle {}: {place} {verb}", m.cycle)));
        if let Some(r) = &self.reduced {
            line(&format!(
                "reduced from {} to {} instructions, {} to {} cells, {} to {} cycles in {} steps{}",
                r.instructions[0],
                r.instructions[1],
                r.cells[0],
                r.cells[1],
                r.cycles[0],
                r.cycles[1],
                r.steps,
                if r.complete { "" } else { " (stopped at a bound)" }
            ));
        }
        line(&self.summary(paint));

        let others = m.differences.get(1..).unwrap_or_default();
        if !others.is_empty() {
            line(&heading(&format!("also different in cycle {}", m.cycle)));
            line(&other_differences(others));
            let more = m.total.saturating_sub(1 + others.len().min(LISTED));
            if more > 0 {
                line(&format!("({more} more registers differ in this cycle)"));
            }
        }
        if !self.verdict.inputs.is_empty() {
            let before = m.cycle.saturating_sub(1);
            line(&heading(&format!(
                "what the rule looks at, in cycle {before} (both sides agree on all registers)"
            )));
            let rows = self.verdict.inputs.iter().map(|i| [i.name.clone(), i.value.clone()]);
            line(&pairs(rows.collect(), paint, &[]));
        }
        if !self.events.is_empty() {
            let unit = m.differences.first().map_or("", |d| &d.unit);
            line(&heading(&format!("last changes of {unit} up to cycle {}", m.cycle)));
            line(&self.event_table(paint));
        }
        if !self.neighbours.is_empty() {
            line(&heading(&format!("around it in cycle {} (golden model)", m.cycle)));
            let mut table = Builder::default();
            table.push_record(["where", "unit", "differing", "state"]);
            for n in &self.neighbours {
                table.push_record([&n.place, &n.unit, &n.differing.to_string(), &n.state]);
            }
            line(&fitted(table));
        }
        if !self.path.is_empty() {
            line(&heading("where the value came from (golden model)"));
            for step in self.path.iter().take(STEPS) {
                line(&self.path_line(step));
            }
            if self.path.len() > STEPS {
                line(&format!("  ({} more steps)", self.path.len() - STEPS));
            }
            line("");
        }
        let spread: Vec<String> = self
            .spread
            .iter()
            .step_by(8)
            .map(|s| format!("{} in cycle {}", s.units.len(), s.cycle))
            .collect();
        if !spread.is_empty() {
            line(&format!("units that differ: {}", spread.join(", ")));
        }
        line(&format!("repeat: {}", self.repeat));
        out
    }

    /// What, who, and which rule.
    fn summary(&self, paint: Paint) -> String {
        let mut rows: Vec<[String; 2]> = Vec::new();
        let mut row = |name: &str, value: String| rows.push([name.to_owned(), value]);
        let (mut golden, mut rtl) = (None, None);
        if let Some(d) = self.mismatch.differences.first() {
            row("register", format!("{} ({} bit)", d.path, d.width));
            if let Some(before) = &d.before {
                row("before", with_bits(before, d, None));
            }
            row("golden", with_bits(&d.golden, d, None));
            row("rtl", with_bits(&d.rtl, d, None));
            row("differing", with_bits("", d, Some(&d.bits)));
            golden = Some(if d.before.is_some() { 2 } else { 1 });
            rtl = golden.map(|g| g + 1);
        }
        if let Some(p) = &self.mismatch.port {
            row("port", p.name.clone());
            row("golden", p.golden.clone());
            row("rtl", p.rtl.clone());
            (golden, rtl) = (Some(1), Some(2));
        }
        if let Some(a) = &self.mismatch.assertion {
            row("assertion", format!("rtl/{}", a.place));
            for [name, scope] in &a.instances {
                row("", format!("{name} in {scope}"));
            }
        }
        row("expected", self.verdict.expected.clone());
        row("observed", self.verdict.observed.clone());
        match &self.owner {
            Some(o) => {
                let [r, c] = o.cell;
                row("owner", o.text.clone());
                row(
                    "",
                    format!(
                        "address {} of cell ({r},{c}), decoded in cycle {}, {}",
                        o.address,
                        o.decoded,
                        released(o.released, o.decoded, o.immediate)
                    ),
                );
            }
            None => row("owner", "no instruction was decoded for this unit".to_owned()),
        }
        let v = &self.verdict;
        row("block", format!("{}: {}", v.block, v.why));
        row("rule", format!("{}, {}: {}", v.chapter, v.section, v.rule));
        row("look at", format!("{} and {}", v.rtl.join(", "), v.golden));
        let seed = match (&self.case.profile, self.case.generator_seed) {
            (Some(profile), Some(seed)) => {
                format!(
                    "{} (profile {profile}, generator seed {seed}, state seed {})",
                    self.case.name, self.case.seed
                )
            }
            _ => format!("{} (state seed {})", self.case.name, self.case.seed),
        };
        row("case", seed);
        let painted: Vec<(usize, Color)> = [(golden, Color::FG_GREEN), (rtl, Color::FG_RED)]
            .into_iter()
            .filter_map(|(row, color)| Some((row?, color)))
            .collect();
        pairs(rows, paint, &painted)
    }

    /// Changes of both sides, cycle by cycle.
    fn event_table(&self, paint: Paint) -> String {
        const HALF: usize = 42;
        let mut table = Builder::default();
        table.push_record(["cycle", "golden", "rtl"]);
        let mut differing = Vec::new();
        for (i, e) in self.events.iter().enumerate() {
            let list = |side: &[String]| {
                let lines: Vec<String> = side.iter().map(|l| cut(l, HALF)).collect();
                lines.join("\n")
            };
            let rtl = if e.golden == e.rtl {
                "the same".to_owned()
            } else {
                differing.push(i + 1);
                list(&e.rtl)
            };
            table.push_record([e.cycle.to_string(), list(&e.golden), rtl]);
        }
        let mut table = table.build();
        table.with(Style::sharp());
        if paint == Paint::Ansi {
            for row in differing {
                table.with(Modify::new(Rows::one(row)).with(Color::FG_YELLOW));
            }
        }
        table.to_string()
    }

    fn path_line(&self, step: &super::PathStep) -> String {
        let value = step.value.as_deref().map_or(String::new(), |v| format!(" = {v}"));
        let by = step.by.as_deref().map_or(String::new(), |b| format!(" [{b}]"));
        let text = format!(
            "{}cycle {}, {}: {}{value}{by}",
            "  ".repeat(step.depth.min(8) + 1),
            step.cycle,
            step.unit,
            step.text
        );
        cut(&text, COLUMNS)
    }
}

/// When an instruction reached its unit, in words.
pub(super) fn released(released: Option<u64>, decoded: u64, immediate: bool) -> String {
    match released {
        Some(cycle) if cycle == decoded => "executed in the same cycle".to_owned(),
        Some(cycle) if immediate => format!("released by its own flag in cycle {cycle}"),
        Some(cycle) => format!("released by a later flag in cycle {cycle}"),
        None => "not released by a flag".to_owned(),
    }
}

/// A value with its bits, or the bits that differ, in groups of four.
fn with_bits(text: &str, d: &Difference, marked: Option<&[u32]>) -> String {
    if d.width > 32 {
        return match marked {
            Some(bits) if bits.len() > 8 => {
                format!("bits {} .. {} ({} bits)", bits[0], bits[bits.len() - 1], bits.len())
            }
            Some(bits) => {
                let bits: Vec<String> = bits.iter().map(u32::to_string).collect();
                format!("bits {}", bits.join(" "))
            }
            None => text.to_owned(),
        };
    }
    let hex = text.trim_start_matches("0x").split(' ').next().unwrap_or_default();
    let value = u64::from_str_radix(hex, 16).unwrap_or(0);
    let mut bits = String::new();
    for bit in (0..d.width).rev() {
        bits.push(match marked {
            Some(marked) => {
                if marked.contains(&bit) {
                    '^'
                } else {
                    '.'
                }
            }
            None if value >> bit & 1 == 1 => '1',
            None => '0',
        });
        if bit > 0 && bit.is_multiple_of(4) {
            bits.push(' ');
        }
    }
    // Wide enough for a name of a state or a decimal value behind ten digits.
    format!("{text:<24}{bits}")
}

/// A table of names and values.
fn pairs(rows: Vec<[String; 2]>, paint: Paint, painted: &[(usize, Color)]) -> String {
    let widest = rows.iter().map(|r| r[0].chars().count()).max().unwrap_or(0);
    let mut table = Builder::default();
    let room = COLUMNS.saturating_sub(widest + 7);
    for [name, value] in rows {
        table.push_record([name, wrapped(&value, room)]);
    }
    let mut table = table.build();
    table.with(Style::sharp().remove_horizontals());
    if paint == Paint::Ansi {
        for (row, color) in painted {
            table.with(Modify::new(Rows::one(*row)).with(color.clone()));
        }
    }
    table.to_string()
}

/// The other differences of the cycle.
fn other_differences(others: &[Difference]) -> String {
    let mut table = Builder::default();
    table.push_record(["register", "golden", "rtl"]);
    for d in others.iter().take(LISTED) {
        table.push_record([d.path.clone(), cut(&d.golden, 26), cut(&d.rtl, 26)]);
    }
    fitted(table)
}

/// A table that is not wider than the text, its last column wrapped.
fn fitted(table: Builder) -> String {
    let mut table = table.build();
    table.with(Style::sharp());
    table.with(Width::wrap(COLUMNS).keep_words(true));
    table.to_string()
}

/// Lines of at most so many characters, broken at spaces where that is possible. Lines that fit stay
/// as they are.
fn wrapped(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut rest: Vec<char> = word.chars().collect();
        loop {
            let last = lines.last_mut().expect("at least one line");
            let used = last.chars().count();
            let gap = usize::from(used > 0);
            if used + gap + rest.len() <= width {
                last.extend(std::iter::repeat_n(' ', gap).chain(rest));
                break;
            }
            if used > 0 {
                lines.push(String::new());
                continue;
            }
            last.extend(rest.drain(..width));
            lines.push(String::new());
        }
    }
    lines.join("\n")
}

/// Text shortened in its middle.
fn cut(text: &str, width: usize) -> String {
    let count = text.chars().count();
    if count <= width {
        return text.to_owned();
    }
    let tail = (width - 2) / 3;
    let head: String = text.chars().take(width - 2 - tail).collect();
    let end: String = text.chars().skip(count - tail).collect();
    format!("{head}..{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_spaces() {
        assert_eq!(wrapped("one two three", 7), "one two\nthree");
        assert_eq!(wrapped("abcdefghij kl", 4), "abcd\nefgh\nij\nkl");
        assert_eq!(wrapped("  as  it  is", 12), "  as  it  is");
    }

    #[test]
    fn long_text_is_cut_in_its_middle() {
        assert_eq!(cut("0123456789abcdef", 16), "0123456789abcdef");
        assert_eq!(cut("0123456789abcdefg", 11), "012345..efg");
    }
}
