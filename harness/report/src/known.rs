// SPDX-License-Identifier: MIT OR Apache-2.0
//! Known deviations: expected failures, usually with a ticket or a number in a chapter's list of deviations.
//!
//! One line per deviation: `cell.seq.load_count HALT = 2.1 since=2026-11-03 owner=Kim: a HALT does not clear it`. The
//! left side is the name of a failure or of one of its variants, with `*` for any text and `?` for any character. A
//! line that begins with `#` is a comment. A register, signal or field that does not exist is an error.

use drra_diagnose::signature;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

use crate::data::Report;

/// A known deviation, which explains failures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// Ticket, or chapter and number in the chapter's list of deviations (`6.D3`); empty if there is neither.
    pub ticket: String,
    /// Date or revision since which the deviation has been known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub since: String,
    /// Person responsible for the deviation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub owner: String,
    /// Reason for the deviation.
    pub reason: String,
}

impl Deviation {
    /// As text: `known deviation 2.1, owner Kim: a HALT does not clear it`.
    pub fn text(&self) -> String {
        format!("known deviation {}: {}", self.label(), self.reason)
    }

    /// Everything but the reason: `2.1, owner Kim`.
    pub(crate) fn label(&self) -> String {
        let ticket = if self.ticket.is_empty() { "without ticket" } else { &self.ticket };
        let fields = [(", since ", &self.since), (", owner ", &self.owner)];
        let given = fields.into_iter().filter(|(_, value)| !value.is_empty());
        given.fold(ticket.to_owned(), |label, (name, value)| label + name + value)
    }

    /// Reads everything but the reason; a word without `=` continues the previous item. On error, returns the unknown
    /// field.
    fn read(text: &str, reason: &str) -> Result<Self, String> {
        let [mut ticket, mut since, mut owner] = [const { String::new() }; 3];
        let mut field = &mut ticket;
        for word in text.split_whitespace() {
            let (name, value) = word.split_once('=').unwrap_or(("", word));
            field = match name {
                "" => field,
                "since" => &mut since,
                "owner" => &mut owner,
                _ => return Err(name.to_owned()),
            };
            *field = format!("{field} {value}").trim().to_owned();
        }
        Ok(Self { ticket, since, owner, reason: reason.to_owned() })
    }
}

/// A line that is not a known deviation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}{}", .name.as_deref().unwrap_or_default())]
pub struct KnownError {
    /// Line number, starting at 1.
    pub line: usize,
    /// The problem.
    pub what: &'static str,
    /// The register, signal or field that does not exist, if that is the problem.
    pub name: Option<String>,
}

#[derive(Clone, Debug)]
struct Entry {
    line: usize,
    pattern: String,
    deviation: Deviation,
}

impl Entry {
    /// True if the entry names a variant, or the failure to which the variant belongs.
    fn matches(&self, variant: &str) -> bool {
        let pattern = WildMatch::new(&self.pattern);
        pattern.matches(variant) || pattern.matches(&signature::failure(variant))
    }
}

/// A list of known deviations. The first matching entry applies.
#[derive(Clone, Debug, Default)]
pub struct Known(Vec<Entry>);

impl Known {
    /// Reads a list.
    ///
    /// # Errors
    /// If a line is neither empty nor a comment nor a deviation, or if it names a register, signal or field that does
    /// not exist.
    pub fn parse(text: &str) -> Result<Self, KnownError> {
        let lines = text.lines().enumerate().map(|(n, line)| (n + 1, line.trim()));
        let entries = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        entries.map(|(line, text)| entry(line, text)).collect::<Result<_, _>>().map(Self)
    }

    /// The deviation that explains a variant of a failure, if there is one.
    pub fn of(&self, variant: &str) -> Option<&Deviation> {
        self.0.iter().find(|entry| entry.matches(variant)).map(|entry| &entry.deviation)
    }

    /// The deviation that explains the mismatch of a run, if there is one.
    pub fn of_report(&self, report: Option<&Report>) -> Option<Deviation> {
        self.of(&report?.signature).cloned()
    }

    /// The deviation that explains the first variant of a failure, if all its variants are known.
    pub fn of_all<'a>(&self, mut variants: impl Iterator<Item = &'a str>) -> Option<&Deviation> {
        let first = self.of(variants.next()?)?;
        variants.all(|v| self.of(v).is_some()).then_some(first)
    }

    /// The entries that match none of these variants, as sentences: their deviations may have been fixed.
    pub fn unmatched<'a>(&self, variants: impl Iterator<Item = &'a str>) -> Vec<String> {
        let variants: Vec<&str> = variants.collect();
        let left = self.0.iter().filter(|entry| !variants.iter().any(|v| entry.matches(v)));
        let text = |e: &Entry| {
            format!("no failure matches line {}: {} ({})", e.line, e.pattern, e.deviation.label())
        };
        left.map(text).collect()
    }
}

fn entry(line: usize, text: &str) -> Result<Entry, KnownError> {
    let error = |what| KnownError { line, what, name: None };
    let (pattern, why) = text.split_once('=').ok_or_else(|| error("`=` is missing"))?;
    let (fields, reason) = why.split_once(": ").ok_or_else(|| error("the reason is missing"))?;
    let (pattern, reason) = (pattern.trim().to_owned(), reason.trim());
    let unknown = |what, name| KnownError { name: Some(name), ..error(what) };
    let deviation =
        Deviation::read(fields, reason).map_err(|name| unknown("there is no field ", name))?;
    match () {
        () if pattern.is_empty() => Err(error("the failure is missing")),
        () if pattern.chars().all(|c| "*? ".contains(c)) => Err(error("matches every failure")),
        () if reason.is_empty() => Err(error("the reason is missing")),
        () => match unknown_place(&pattern) {
            Some(name) => Err(unknown("no register or signal ", name.to_owned())),
            None => Ok(Entry { line, pattern, deviation }),
        },
    }
}

/// The register or signal named by a pattern, such as `cell.seq.pc`, if it does not exist. Anything may follow a
/// placeholder.
fn unknown_place(pattern: &str) -> Option<&str> {
    let (_, place) = signature::place(pattern);
    let begin = place.split(['*', '?']).next()?;
    let (unit, _) = begin.split_once('.')?;
    let mut alike = signature::places().filter(|p| p.split('.').next() == Some(unit)).peekable();
    alike.peek()?;
    let fits = |p: &str| if begin == place { p == begin } else { p.starts_with(begin) };
    (!alike.any(fits)).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::{Known, KnownError};

    const LIST: &str = "# of the published fabric\n\ncell.seq.load_count HALT = 2.1: a HALT does not clear it\n\
                        cell AGU = #12: see the ticket: it is long\ntile.x* = 6.D9: never written\ntile.xout * = 1: again";

    /// A failure is known if its own name or all its variants are listed; an entry that matches nothing is reported.
    #[test]
    fn variants_decide() {
        let known = Known::parse(LIST).unwrap();
        let ticket = |variant| known.of(variant).map(|d| d.ticket.as_str());
        assert_eq!(ticket("cell.seq.load_count HALT"), Some("2.1"));
        assert_eq!(ticket("cell.seq.load_count JUMP"), None);
        // This signature is a variant of `cell AGU`.
        assert_eq!(ticket("cell.rf.agu.state REFI"), Some("#12"));
        let all = |variants: &[&'static str]| {
            known.of_all(variants.iter().copied()).map(|d| d.reason.as_str())
        };
        assert_eq!(all(&["tile.xout SRAM", "tile.xin"]), Some("never written"));
        assert_eq!(all(&["tile.xout SRAM", "tile.mem_q SRAM"]), None);
        let unmatched = known.unmatched(["tile.xout SRAM", "cell.rf.agu.state REFI"].into_iter());
        assert_eq!(unmatched, ["no failure matches line 3: cell.seq.load_count HALT (2.1)"]);
    }

    /// Ticket, `since` and `owner` are optional and can have several words; `since` and `owner` may come in either
    /// order; other fields are rejected with their line.
    #[test]
    fn fields_are_optional() {
        let text = |fields| Known::parse(&format!("\ncell AGU = {fields}: why = so: it is"));
        for (fields, expected) in [
            ("#12", "#12"),
            ("#12 since=2026-11-03 owner=Kim Lee", "#12, since 2026-11-03, owner Kim Lee"),
            ("owner=Kim since=v2", "without ticket, since v2, owner Kim"),
            ("", "without ticket"),
        ] {
            let known = text(fields).unwrap();
            let expected = format!("known deviation {expected}: why = so: it is");
            assert_eq!(known.of("cell AGU").unwrap().text(), expected);
        }
        let error = text("#12 onwer=Kim").unwrap_err().to_string();
        assert_eq!(error, "line 2: there is no field onwer");
    }

    #[test]
    fn damaged_lines_are_named() {
        for (text, line, what) in [
            ("# fine\ncell AGU", 2, "`=` is missing"),
            ("cell AGU = 12", 1, "the reason is missing"),
            ("cell AGU = 12:  ", 1, "the reason is missing"),
            (" = 12: why", 1, "the failure is missing"),
            ("a = 1: b\n* = 12: why", 2, "matches every failure"),
        ] {
            let error = KnownError { line, what, name: None };
            assert_eq!(Known::parse(text).unwrap_err(), error, "{text}");
        }
    }

    /// A register or signal has to exist, up to the first placeholder; names of blocks and other words are not checked.
    #[test]
    fn names_exist() {
        let parse = |pattern| Known::parse(&format!("# one\n{pattern} = 1: why"));
        for (pattern, name) in [
            ("cell.seq.load_cuont HALT", "cell.seq.load_cuont"),
            ("unknown tile.xuot", "tile.xuot"),
            ("reset cell.seq.imme", "cell.seq.imme"),
            ("cell.seq", "cell.seq"),
            ("cell.sek.* HALT", "cell.sek.*"),
            ("tile.xu?t", "tile.xu?t"),
            ("column.pc", "column.pc"),
        ] {
            let error = parse(pattern).map(|_| ()).map_err(|e| e.to_string());
            assert_eq!(error, Err(format!("line 2: no register or signal {name}")), "{pattern}");
        }
        for pattern in [
            "cell.seq.load_count HALT",
            "unknown cell.rf.mem",
            "cell.blk_rdata REFI",
            "cell.rf.agu.* REFI",
            "cell.*HALT",
            "tile.xo?t",
            "tile.msg_in",
            "*.xuot",
            "cell AGU",
            "unknown cell RF write",
            "cell *",
            "port agu_busy",
            "assertion cell.pc_is_known",
            "broken off cell.sv:7",
            "model crash SIGABRT",
        ] {
            assert!(parse(pattern).is_ok(), "{pattern}");
        }
    }
}
