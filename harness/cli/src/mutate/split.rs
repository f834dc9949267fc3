// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares two modules case by case, where the solver has come to no end: once for each value of the inputs of
//! one bit that choose most. With them most of what differs goes away without the solver.
//!
//! It is the same comparison, of all states and inputs: each of them belongs to one of the cases.

use std::cmp::Reverse;

use super::{
    miter::{MITER, Miter, ONLY_TRIGGER, Question, SIMPLIFY, ask, ports},
    views::View,
};

/// How it is called in a log.
pub(super) const NAME: &str = "case by case";
/// Inputs of one bit with values of their own in the cases.
const INPUTS: usize = 2;

/// Asks about each case, as long as the proofs hold.
pub(super) fn question(miter: &Miter, _: &View, log: &str) -> Option<Question> {
    let inputs = choosing(&miter.shared);
    if !miter.timed_out || inputs.is_empty() {
        return None;
    }
    let case = |values: usize| {
        let set = |(place, name): (usize, &String)| {
            format!("connect -set {name} 1'{}\n", values >> place & 1)
        };
        let set: String = inputs.iter().enumerate().map(set).collect();
        let asked = ask(log, "-verify");
        format!("design -load whole\n{set}{SIMPLIFY}{ONLY_TRIGGER}{asked}")
    };
    let cases: String = (0..1 << inputs.len()).map(case).collect();
    let script = format!("hierarchy -top miter\ndesign -save whole\n{cases}");
    Some(Question { design: miter.shared.clone(), script })
}

/// The inputs of one bit that choose in most places, from most on.
fn choosing(design: &str) -> Vec<String> {
    let Some(at) = design.find(MITER) else { return Vec::new() };
    let miter = &design[at..];
    let places = |name: &str| {
        let chooses = |line: &&str| line.strip_prefix("    connect \\S ") == Some(name);
        miter.lines().filter(chooses).count()
    };
    let inputs = ports(miter, "input").filter(|port| port.width == "1");
    let mut inputs: Vec<(usize, &str)> = inputs
        .map(|port| (places(port.name), port.name))
        .filter(|(places, _)| *places > 0)
        .collect();
    inputs.sort_by_key(|(places, name)| (Reverse(*places), *name));
    inputs.into_iter().take(INPUTS).map(|(_, name)| name.to_owned()).collect()
}
