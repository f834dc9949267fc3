// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Yosys has said about a mutant: a log with a section for each attempt.

use super::views::View;

/// The first line of a section, up to the name of the view.
pub(super) const BEGINS: &str = "== compared in";
/// What stands before what the solver says about one question.
pub(super) const ASKED: &str = "== asked";
/// The last line of a section.
pub(super) const ENDS: &str = "== end";
/// What the solver says of a proof that holds.
const PROVED: &str = "no model found: SUCCESS!";
/// What is said of one that took too long.
pub(super) const TIMED_OUT: &str = "== interrupted";

/// True if a mutant is equal in all views of an attempt: each has a section with nothing but proofs.
pub(super) fn proved(log: &str, attempt: &[View]) -> bool {
    let holds = |section: &str| {
        let asked = section.matches(ASKED).count();
        asked > 0 && section.matches(PROVED).count() == asked
    };
    !attempt.is_empty() && attempt.iter().all(|view| sections(log, view).any(holds))
}

/// True if the solver came to no end in the first section of a view.
pub(super) fn timed_out(log: &str, view: &View) -> bool {
    sections(log, view).next().is_some_and(|section| section.contains(TIMED_OUT))
}

/// How many proofs hold, of whatever view.
pub(super) fn proofs(log: &str) -> usize {
    log.matches(PROVED).count()
}

/// True if there is a whole section of a view.
pub(super) fn compared(log: &str, view: &View) -> bool {
    sections(log, view).next().is_some()
}

/// The whole sections of a view.
fn sections<'l>(log: &'l str, view: &View) -> impl Iterator<Item = &'l str> {
    let name = view.name();
    let all = log.split(BEGINS).skip(1).filter_map(|section| section.split_once(ENDS));
    all.filter_map(move |(section, _)| section.strip_prefix(&format!(" {name}\n")))
}

/// What the reader of Yosys says of a mutant that it refuses, as for an index that is always out of range.
pub(super) fn refused(log: &str) -> Option<String> {
    log.contains("ERROR: Design elaboration failed").then_some(())?;
    log.lines().find_map(|line| line.split_once(": ERROR: ")).map(|(_, text)| text.to_owned())
}

#[cfg(test)]
mod tests {
    use drra_mutate::Design;

    use super::*;
    use crate::mutate::views::views;

    fn attempt() -> Vec<View> {
        let leaf = ("m.sv".to_owned(), "module m (input logic a_i);\nendmodule\n".to_owned());
        let parent = |name: &str| {
            let text = format!("module {name} (input logic a_i);\nm u_m (.a_i);\nendmodule\n");
            (format!("{name}.sv"), text)
        };
        let design = Design::read(&[leaf, parent("p"), parent("q")]).unwrap();
        views(&design, "m", ("2", "1")).swap_remove(1)
    }

    #[test]
    fn a_proof_needs_all_views_of_an_attempt() {
        let one = format!("{BEGINS} p with m\n{ASKED}\nmodel found: FAIL!\n{ENDS}\n");
        let later = format!("{BEGINS} p with m\nafter a step\n{ASKED}\n{PROVED}\n{ENDS}\n");
        let other = format!("{BEGINS} q with m\n{ASKED}\n{PROVED}\n{ENDS}\n");
        assert!(!proved(&format!("{one}{other}"), &attempt()));
        assert!(!proved(&later, &attempt()));
        assert!(proved(&format!("{one}{other}{later}"), &attempt()));
    }

    #[test]
    fn a_proof_answers_all_questions_of_a_section_that_has_an_end() {
        let other = format!("{BEGINS} q with m\n{ASKED}\n{PROVED}\n{ENDS}\n");
        for section in [
            format!("{BEGINS} p with m\n{ASKED}\n{PROVED}\n{ASKED}\n{TIMED_OUT}\n{ENDS}\n"),
            format!("{BEGINS} p with m\n{ASKED}\n{PROVED}\n"),
            format!("{BEGINS} p with m\n{ENDS}\n"),
            format!("{BEGINS} p with m with q\n{ASKED}\n{PROVED}\n{ENDS}\n"),
        ] {
            assert!(!proved(&format!("{section}{other}"), &attempt()), "{section}");
        }
        let both = format!("{BEGINS} p with m\n{ASKED}\n{PROVED}\n{ASKED}\n{PROVED}\n{ENDS}\n");
        assert!(proved(&format!("{both}{other}"), &attempt()));
    }

    #[test]
    fn a_mutant_that_is_refused_is_told_with_the_reason() {
        let log =
            "mutants/7.sv:3: ERROR: no such element\nERROR: Design elaboration failed; see log\n";
        assert_eq!(refused(log).as_deref(), Some("no such element"));
        assert_eq!(refused("ERROR: out of memory\n"), None);
    }
}
