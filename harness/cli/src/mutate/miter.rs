// SPDX-License-Identifier: MIT OR Apache-2.0
//! The module in which Yosys compares two modules, as text, and what is asked about it.
//!
//! Both modules get the same inputs. What a register has now is an input of both, what it will have an output;
//! `trigger` is 1 where an output differs.

use std::collections::BTreeSet;

use super::said;

/// The module, and what its ports are called: what enters both, what leaves the original and the mutant.
pub(super) const MITER: &str = "module \\miter";
pub(super) const IN: &str = "\\in_";
pub(super) const GOLD: &str = "\\gold_";
pub(super) const GATE: &str = "\\gate_";

/// Reads the two modules, `gold` and `gate`, and the one around them as one module.
pub(super) const FLATTEN: &str =
    "hierarchy -top miter\nflatten -wb\nopt_expr -keepdc -undriven\nopt_clean\n";
/// Makes one of what both modules have in common.
pub(super) const SIMPLIFY: &str =
    "opt_expr\nopt_merge\nopt_clean\nopt_expr\nopt_merge\nopt_clean\n";
/// Leaves only what may differ: what both modules share is not asked about.
pub(super) const ONLY_TRIGGER: &str = "delete -output miter/w:gold_* miter/w:gate_*\nopt_clean\n";

/// Two modules that are compared in a view.
pub(super) struct Miter {
    /// The design, in which they share what is the same.
    pub(super) shared: String,
    /// The design, in which they are still modules of their own; empty if it is too large.
    pub(super) apart: String,
    /// Whether the solver came to no end when they were compared.
    pub(super) timed_out: bool,
}

/// What else is asked about two modules.
pub(super) struct Question {
    /// The design to be read.
    pub(super) design: String,
    /// What is done with it.
    pub(super) script: String,
}

/// Asks the solver whether `trigger` is 0, and appends what it says to a log.
pub(super) fn ask(log: &str, options: &str) -> String {
    let asked = said::ASKED;
    format!("tee -a {log} log {asked}\ntee -a {log} sat {options} -prove trigger 0 miter\n")
}

/// A port of the module.
pub(super) struct Port<'a> {
    pub(super) name: &'a str,
    pub(super) width: &'a str,
}

impl<'a> Port<'a> {
    /// What a line declares, as `wire width 41 input 2 \in_st_q.i`.
    pub(super) fn read(line: &'a str, direction: &str) -> Option<Self> {
        let words: Vec<&str> = line.strip_prefix("  wire ")?.split(' ').collect();
        let at = words.iter().position(|word| *word == direction)?;
        let width = words.iter().position(|word| *word == "width").map_or("1", |w| words[w + 1]);
        Some(Self { name: words.get(at + 2)?, width })
    }

    /// Name of the register whose state comes in here.
    pub(super) fn register(&self) -> Option<&'a str> {
        let name = self.name.strip_prefix(IN)?.strip_suffix(".i")?;
        // Those of memories have an index after the `_q`.
        (name.ends_with("_q") || name.contains("_q[")).then_some(name)
    }
}

/// All ports of a direction.
pub(super) fn ports<'a>(miter: &'a str, direction: &'a str) -> impl Iterator<Item = Port<'a>> {
    miter.lines().filter_map(move |line| Port::read(line, direction))
}

/// Names of what the original computes: next values of registers, outputs, inputs of instances.
pub(super) fn computed(miter: &str) -> BTreeSet<&str> {
    ports(miter, "output").filter_map(|port| port.name.strip_prefix(GOLD)).collect()
}

/// A register from `next`, what it will have, to `state`, what it has.
pub(super) fn register(name: &str, width: &str, next: &str, state: &str) -> String {
    format!(
        "  cell $ff $step${name}\n    parameter \\WIDTH {width}\n    connect \\D {next}\n    \
         connect \\Q {state}\n  end\n"
    )
}
