// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which failures are one: the kind of the first diverging element, its block, and the kind of the
//! instruction that owns it. Instance numbers, cycles and values do not count.

use drra_golden::Owner;
use drra_isa::Geometry;

use crate::case::Case;
use crate::explain;
use crate::explain::Explanation;
use crate::lockstep;
use crate::lockstep::Mismatch;
use crate::lockstep::MismatchKind;
use crate::lockstep::Options;
use crate::lockstep::Outcome;

/// A failure of a case with what is known about it.
#[derive(Clone, Debug)]
pub struct Failing {
    /// The disagreement.
    pub mismatch: Mismatch,
    /// Who is responsible.
    pub explanation: Explanation,
    /// What makes it distinct.
    pub signature: String,
}

/// Explains the mismatch of an outcome, if there is one.
///
/// # Errors
/// If the model does not fit the state map.
pub fn failing(
    case: &Case,
    geometry: &Geometry,
    options: &Options,
    outcome: &Outcome,
) -> Result<Option<Failing>, String> {
    let Some(mismatch) = outcome.mismatch.clone() else { return Ok(None) };
    let explanation = explain::explain(case, geometry, options, &mismatch)?;
    let signature = signature(&mismatch, &explanation);
    Ok(Some(Failing { mismatch, explanation, signature }))
}

/// Runs a case and explains its mismatch, if there is one.
///
/// # Errors
/// If the model does not fit the state map.
pub fn check(
    case: &Case,
    geometry: &Geometry,
    options: &Options,
) -> Result<Option<Failing>, String> {
    let outcome = lockstep::run(case, geometry, options)?;
    failing(case, geometry, options, &outcome)
}

/// The signature of a mismatch.
pub fn signature(mismatch: &Mismatch, explanation: &Explanation) -> String {
    match &mismatch.kind {
        MismatchKind::State(differences) => {
            let Some(first) = differences.first() else { return "state".to_owned() };
            let owner = match first.unit.owner {
                Owner::Cell => "cell",
                Owner::Column => "column",
                Owner::Tile => "tile",
                Owner::Fabric => "fabric",
            };
            let instruction =
                explanation.owner.as_ref().map_or_else(|| "none".to_owned(), |d| d.mnemonic());
            format!("{owner}.{} {instruction}", without_indices(&first.register))
        }
        MismatchKind::Output { port, .. } => format!("port {}", without_indices(port)),
        MismatchKind::Assertion(failure) => match failure.instances.first() {
            Some((_, name)) => {
                let file = failure.place.split('.').next().unwrap_or_default();
                format!("assertion {file}.{name}")
            }
            None => format!("assertion {}", failure.place),
        },
    }
}

/// A path without what stands in brackets.
fn without_indices(path: &str) -> String {
    let mut out = String::new();
    let mut depth = 0;
    for c in path.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// A signature as the name of a folder.
pub fn folder_name(signature: &str) -> String {
    signature
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') { c } else { '-' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::folder_name;
    use super::without_indices;

    #[test]
    fn indices_do_not_count() {
        assert_eq!(without_indices("rf.agu[r0].init_cnt"), "rf.agu.init_cnt");
        assert_eq!(without_indices("xout[MEM]"), "xout");
        assert_eq!(folder_name("cell.rf.agu.init_cnt REFI"), "cell.rf.agu.init_cnt-REFI");
    }
}
