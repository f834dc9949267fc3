// SPDX-License-Identifier: MIT OR Apache-2.0
//! Known deviations: expected failures, usually with a ticket or a number in a chapter's list of deviations.
//!
//! One line per deviation: `cell.seq.load_count HALT = 2.1 since=2026-11-03 owner=Kim: a HALT does not clear it`. The
//! left side is the name of a failure or of one of its variants, with `*` for any text and `?` for any character. A
//! line that begins with `#` is a comment. A register, signal or field that does not exist is an error.
//!
//! A line with `provenance=beyond the edge` explains only failures whose report traces the value to that origin. It
//! explains nothing where only the names of failures are stored, as in a campaign.

use drra_diagnose::signature;
use drra_report::{Report, data::ProvenanceEvent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

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
    /// Origin to which the report has to trace the value, `beyond the edge` or `never written`; empty if not required.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub provenance: String,
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
        let provenance = (", provenance ", &self.provenance);
        let fields = [(", since ", &self.since), (", owner ", &self.owner), provenance];
        let given = fields.into_iter().filter(|(_, value)| !value.is_empty());
        given.fold(ticket.to_owned(), |label, (name, value)| label + name + value)
    }

    /// Reads everything but the reason; a word without `=` continues the previous item. On error, returns the unknown
    /// field.
    fn read(text: &str, reason: &str) -> Result<Self, String> {
        let [mut ticket, mut since, mut owner, mut provenance] = [const { String::new() }; 4];
        let mut field = &mut ticket;
        for word in text.split_whitespace() {
            let (name, value) = word.split_once('=').unwrap_or(("", word));
            field = match name {
                "" => field,
                "since" => &mut since,
                "owner" => &mut owner,
                "provenance" => &mut provenance,
                _ => return Err(name.to_owned()),
            };
            *field = format!("{field} {value}").trim().to_owned();
        }
        Ok(Self { ticket, since, owner, provenance, reason: reason.to_owned() })
    }
}

/// The origins that a deviation can require.
const ORIGINS: [&str; 2] = ["beyond the edge", "never written"];

/// The origin at which a step of a provenance ends, if it is one of [`ORIGINS`].
fn origin(step: &ProvenanceEvent) -> Option<&'static str> {
    match step {
        ProvenanceEvent::BeyondEdge => Some(ORIGINS[0]),
        ProvenanceEvent::RowKept { since: None, .. }
        | ProvenanceEvent::WordKept { since: None, .. } => Some(ORIGINS[1]),
        _ => None,
    }
}

/// A failure as a list of deviations sees it: its signature, and its report unless only the signature is stored.
pub type ObservedVariant<'a> = (&'a str, Option<&'a Report>);

/// An invalid line of a list of known deviations.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}{name}")]
pub struct KnownDeviationError {
    /// Line number, starting at 1.
    pub line: usize,
    /// The problem.
    pub what: &'static str,
    /// The register, signal, field or provenance that does not exist, if that is the problem.
    pub name: String,
}

#[derive(Clone, Debug)]
struct KnownEntry {
    line: usize,
    pattern: String,
    deviation: Deviation,
}

impl KnownEntry {
    /// True if the entry matches the present or an earlier name of a variant, or the failure to which it belongs.
    fn names(&self, variant: &str) -> bool {
        let pattern = WildMatch::new(&self.pattern);
        let earlier = || signature::earlier(variant).is_some_and(|name| pattern.matches(&name));
        pattern.matches(variant) || pattern.matches(&signature::failure(variant)) || earlier()
    }

    /// True if the entry matches a variant, and its report shows the provenance that the entry requires, if any.
    fn matches(&self, (variant, report): ObservedVariant<'_>) -> bool {
        let wanted = self.deviation.provenance.as_str();
        let path = report.map_or(&[][..], |report| &report.path);
        let found = || path.iter().any(|step| origin(&step.step) == Some(wanted));
        self.names(variant) && (wanted.is_empty() || found())
    }
}

/// A list of known deviations. The first matching entry applies.
#[derive(Clone, Debug, Default)]
pub struct KnownDeviations(Vec<KnownEntry>);

impl KnownDeviations {
    /// Reads a list.
    ///
    /// # Errors
    /// If a line is neither empty nor a comment nor a deviation, or if it names a register, signal or field that does
    /// not exist.
    pub fn parse(text: &str) -> Result<Self, KnownDeviationError> {
        let lines = text.lines().enumerate().map(|(n, line)| (n + 1, line.trim()));
        let entries = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        entries.map(|(line, text)| entry(line, text)).collect::<Result<_, _>>().map(Self)
    }

    /// The deviation that explains a variant of a failure regardless of its provenance, if there is one.
    pub fn of(&self, variant: &str) -> Option<&Deviation> {
        self.first((variant, None))
    }

    /// The deviation that explains the mismatch of a run, if there is one.
    pub fn of_report(&self, report: Option<&Report>) -> Option<Deviation> {
        self.first((&report?.signature, report)).cloned()
    }

    fn first(&self, seen: ObservedVariant<'_>) -> Option<&Deviation> {
        self.0.iter().find(|entry| entry.matches(seen)).map(|entry| &entry.deviation)
    }

    /// The deviation that explains the first variant of a failure, if all its variants are known.
    pub fn of_all<'a>(&self, mut variants: impl Iterator<Item = &'a str>) -> Option<&Deviation> {
        let first = self.of(variants.next()?)?;
        variants.all(|v| self.of(v).is_some()).then_some(first)
    }

    /// The entries that match none of these failures, as sentences: their deviations may have been fixed, or need
    /// reports that were not kept.
    pub fn unmatched<'a>(
        &self,
        failures: impl Iterator<Item = ObservedVariant<'a>>,
    ) -> Vec<String> {
        let failures: Vec<ObservedVariant<'_>> = failures.collect();
        let left = self.0.iter().filter(|e| !failures.iter().any(|seen| e.matches(*seen)));
        let text = |e: &KnownEntry| {
            let named =
                failures.iter().any(|(variant, report)| report.is_none() && e.names(variant));
            let what = if named {
                "the provenance of failures is not stored here, so nothing is explained by"
            } else {
                "no failure matches"
            };
            format!("{what} line {}: {} ({})", e.line, e.pattern, e.deviation.label())
        };
        left.map(text).collect()
    }
}

fn entry(line: usize, text: &str) -> Result<KnownEntry, KnownDeviationError> {
    let error = |what, name: &str| KnownDeviationError { line, what, name: name.to_owned() };
    let (pattern, why) = text.split_once('=').ok_or_else(|| error("`=` is missing", ""))?;
    let (fields, reason) =
        why.split_once(": ").ok_or_else(|| error("the reason is missing", ""))?;
    let (pattern, reason) = (pattern.trim().to_owned(), reason.trim());
    let deviation =
        Deviation::read(fields, reason).map_err(|name| error("there is no field ", &name))?;
    let wanted = &deviation.provenance;
    if fields.contains("provenance=") && !ORIGINS.contains(&wanted.as_str()) {
        let what = "expected provenance=beyond the edge or provenance=never written, not ";
        return Err(error(what, &format!("`{wanted}`")));
    }
    match () {
        () if pattern.is_empty() => Err(error("the failure is missing", "")),
        () if pattern.chars().all(|c| "*? ".contains(c)) => Err(error("matches every failure", "")),
        () if reason.is_empty() => Err(error("the reason is missing", "")),
        () => match unknown_place(&pattern) {
            Some(name) => Err(error("no register or signal ", name)),
            None => Ok(KnownEntry { line, pattern, deviation }),
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
