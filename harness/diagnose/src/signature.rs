// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which failures are one: the kind of the first diverging register or signal, its block, and the kind
//! of the responsible instruction. Instance numbers, cycles and values do not count.

use drra_case::Case;
use drra_golden::Owner;
use drra_lockstep::DutError;
use drra_lockstep::Instance;
use drra_lockstep::Mismatch;
use drra_lockstep::MismatchKind;
use drra_lockstep::Outcome;
use drra_lockstep::Setup;
use drra_lockstep::Signal;

use crate::explain;
use crate::explain::Explanation;

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
/// If the design does not fit its maps.
pub fn failing(
    case: &Case,
    setup: &Setup<'_>,
    outcome: &Outcome,
) -> Result<Option<Failing>, DutError> {
    let Some(mismatch) = outcome.mismatch.clone() else { return Ok(None) };
    let explanation = explain::explain(case, setup, &mismatch)?;
    let signature = signature(&mismatch, &explanation);
    Ok(Some(Failing { mismatch, explanation, signature }))
}

/// Runs a case and explains its mismatch, if there is one.
///
/// # Errors
/// If the design does not fit its maps.
pub fn check(case: &Case, setup: &Setup<'_>) -> Result<Option<Failing>, DutError> {
    let outcome = drra_lockstep::run(case, setup)?;
    failing(case, setup, &outcome)
}

/// The signature of a mismatch. Of a difference that arose in a signal between blocks the signal
/// counts, not the register that took it over: that may be any.
pub fn signature(mismatch: &Mismatch, explanation: &Explanation) -> String {
    let owner = explanation.owner.as_ref();
    let instruction = owner.map_or_else(|| "none".to_owned(), |d| d.mnemonic());
    match (&mismatch.kind, &explanation.arose) {
        (MismatchKind::State(_), Some(arose)) => {
            format!("{} {instruction}", signal_name(arose.signal))
        }
        (MismatchKind::State(differences), None) => {
            let Some(first) = differences.first() else { return "state".to_owned() };
            let owner = match first.unit.owner {
                Owner::Cell => "cell",
                Owner::Column => "column",
                Owner::Tile => "tile",
                Owner::Fabric => "fabric",
            };
            let mut element = without_indices(&first.register);
            if explanation.launch {
                // The generator instead of one of its registers.
                element.truncate(element.rfind('.').unwrap_or(element.len()));
                element += ".launch";
            }
            format!("{owner}.{element} {instruction}")
        }
        (MismatchKind::Output { port, .. }, _) => format!("port {}", without_indices(port)),
        (MismatchKind::Assertion(failure), _) => match failure.instances.first() {
            Some(Instance { name, .. }) => {
                let file = failure.place.split('.').next().unwrap_or_default();
                format!("assertion {file}.{name}")
            }
            None => format!("assertion {}", failure.place),
        },
    }
}

/// Kind of a signal, by its name in chapter 5, 7.3.
fn signal_name(signal: Signal) -> &'static str {
    match signal {
        Signal::Lane { lane: 0 | 1, .. } => "cell.rdata",
        Signal::Lane { .. } => "cell.dpu_out",
        Signal::Input { v: 0 | 1, .. } => "cell.wdata",
        Signal::Input { .. } => "cell.dpu_in",
        Signal::BlockRead { .. } => "cell.blk_rdata",
        Signal::BlockWrite { .. } => "cell.blk_wdata",
        Signal::CellMessage { .. } => "cell.cell_noc",
        Signal::ColumnMessage { .. } => "column.col_noc",
        Signal::Up { .. } => "column.up",
        Signal::TileMessage { .. } => "tile.msg_in",
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
