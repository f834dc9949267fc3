// SPDX-License-Identifier: MIT OR Apache-2.0
//! The revision of a text that does not name it (chapter 1, 8.8): the text is read in several revisions, and the
//! revisions in which it is not valid are dropped.

use std::fmt;

use crate::{
    asm::{AsmError, Assembly},
    place::CellId,
    revision::Revision,
};

/// The choice of a revision for a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisionChoice {
    /// The revision that the text was read in.
    pub revision: Revision,
    /// All revisions in which the text is valid and yields the same words, oldest first.
    pub same_words: Vec<Revision>,
    /// Revisions in which the text is not valid or contradicts itself, oldest first, with the line and the reason.
    pub excluded: Vec<(Revision, usize, String)>,
}

/// Shown as a sentence without a full stop: `read as r2; not r3 and r4 (line 8: ...)`.
impl fmt::Display for RevisionChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "read as {}", self.revision.name())?;
        let others: Vec<Revision> =
            self.same_words.iter().copied().filter(|r| *r != self.revision).collect();
        if !others.is_empty() {
            write!(f, " ({} the same words)", give(&others))?;
        }
        let mut excluded = self.excluded.iter().peekable();
        while let Some((first, line, why)) = excluded.next() {
            let mut revisions = vec![*first];
            while let Some((next, ..)) = excluded.next_if(|(_, l, w)| (l, w) == (line, why)) {
                revisions.push(*next);
            }
            write!(f, "; not {} (line {line}: {why})", names(&revisions))?;
        }
        Ok(())
    }
}

fn give(revisions: &[Revision]) -> String {
    format!("{} give{}", names(revisions), if revisions.len() == 1 { "s" } else { "" })
}

/// `r1`, `r1 and r2`, `r1, r2 and r3`
fn names(revisions: &[Revision]) -> String {
    let names: Vec<&str> = revisions.iter().map(|r| r.name()).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// A text read in a revision.
type RevisionReading = (Revision, Result<Assembly, AsmError>);

/// Reads a text in every revision except r0 and takes the newest one in which it is valid and, if possible, does not
/// contradict itself. r0, which no known compiler writes, is considered only if the text is invalid in all others.
///
/// # Errors
/// If the text is valid in no revision, the error of the revision that reads the furthest; `A22` if the words depend on
/// the revision.
pub(super) fn decide(
    text: &str,
    read: impl Fn(Revision) -> Result<Assembly, AsmError>,
) -> Result<(Assembly, RevisionChoice), AsmError> {
    let read = |revision| (revision, read(revision));
    let mut readings: Vec<RevisionReading> = Revision::ALL[1..].iter().copied().map(read).collect();
    if readings.iter().all(|(_, reading)| reading.is_err()) {
        readings.insert(0, read(Revision::R0));
    }
    let mut excluded = Vec::new();
    let mut fitting: Vec<(Revision, Assembly)> = Vec::new();
    let mut farthest: Option<AsmError> = None;
    for (revision, reading) in readings {
        match reading {
            Ok(assembly) => fitting.push((revision, assembly)),
            Err(e) => {
                excluded.push((revision, e.line, e.message.clone()));
                if farthest.as_ref().is_none_or(|f| e.line >= f.line) {
                    farthest = Some(e);
                }
            }
        }
    }
    if let (true, Some(error)) = (fitting.is_empty(), farthest) {
        return Err(error);
    }
    // A text that contradicts itself in every revision is rejected unless it is read the same way in all of them.
    if fitting.iter().any(|(_, assembly)| contradiction(assembly).is_none()) {
        fitting.retain(|(revision, assembly)| match contradiction(assembly) {
            None => true,
            Some((line, why)) => {
                excluded.push((*revision, line, why));
                false
            }
        });
        excluded.sort_by_key(|(revision, ..)| *revision);
    }
    if let Some(refusal) = ambiguous(text, &fitting) {
        return Err(refusal);
    }
    let same_words = fitting.iter().map(|(revision, _)| *revision).collect();
    let (revision, assembly) = fitting.pop().expect("there is one that fits");
    Ok((assembly, RevisionChoice { revision, same_words, excluded }))
}

/// The first warning W10 of a reading.
fn contradiction(assembly: &Assembly) -> Option<(usize, String)> {
    let warning = assembly.warnings.iter().find(|w| w.code == "W10")?;
    Some((warning.line, warning.message.clone()))
}

/// The error about readings that yield different words.
fn ambiguous(text: &str, readings: &[(Revision, Assembly)]) -> Option<AsmError> {
    let (newest, last) = readings.last()?;
    let (other, line) = readings
        .iter()
        .rev()
        .find(|(_, a)| (&a.image, &a.memory) != (&last.image, &last.memory))
        .map(|(revision, a)| (*revision, first_difference(a, last)))?;
    let why = readings.iter().filter_map(|(revision, assembly)| {
        let (line, message) = contradiction(assembly)?;
        Some(format!("; line {line} does not fit {}: {message}", revision.name()))
    });
    let message = format!(
        "the text does not determine the revision of the instruction set: in {} this line gives \
         different words than in {}{}; name the revision with --isa",
        other.name(),
        newest.name(),
        why.collect::<String>()
    );
    Some(AsmError::of_line("A22", text, line, message))
}

/// Line of the first instruction that two readings of a text encode differently; the line of the last instruction if
/// there is none.
fn first_difference(a: &Assembly, b: &Assembly) -> usize {
    let word = |of: &Assembly, cell: CellId, address: usize| {
        of.image.cell(cell).and_then(|words| words.get(address)).copied()
    };
    let mut line = 1;
    for source in &a.lines {
        let (cell, start) = (source.cell, source.address);
        let next = a.lines.iter().find(|l| l.cell == cell && l.address > start);
        let end =
            next.map_or_else(|| a.image.cell(cell).map_or(start, <[_]>::len), |next| next.address);
        line = source.line;
        if (start..end.max(start + 1)).any(|at| word(a, cell, at) != word(b, cell, at)) {
            break;
        }
    }
    line
}
