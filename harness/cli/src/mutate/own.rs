// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lets the mutant have its own state of the registers whose next values it changes, and does not compare
//! these: a register that nobody looks at before it is loaded may differ until then.
//!
//! Two proofs together are one for all cycles. Let both modules start from the same state, any one.
//!
//! * *Start*: where all registers are the same, all outputs are, and so are the next values of all other
//!   registers.
//! * *Step*: take any two states in which the other registers are the same, and let both modules take a step,
//!   the other registers of the mutant with what the original computes for them. In the two states it leads
//!   to, all outputs and the next values of all other registers are the same.
//!
//! By the first, the outputs of the first cycle are the same, and so are the other registers in the second
//! one. If in two cycles, one after the other, the other registers are the same, the two states of the second
//! follow from those of the first as in the second proof: the outputs of that cycle are the same, and so are
//! the other registers in the one after it. So it is for all cycles, reset or not.
//!
//! The argument needs nothing of the registers that are chosen; the choice decides only whether it succeeds.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    miter::{
        FLATTEN, GATE, GOLD, IN, MITER, Miter, ONLY_TRIGGER, Question, SIMPLIFY, ask, computed,
        ports, register,
    },
    step,
    views::View,
};

/// How it is called in a log.
pub(super) const NAME: &str = "with a state of its own of registers that differ";
/// How many registers may differ: more are a memory, with contents that somebody looks at.
const AT_MOST: usize = 8;

/// Asks both questions; the second one only if the first proof holds.
pub(super) fn question(miter: &Miter, _: &View, log: &str) -> Option<Question> {
    let own = differing(&miter.shared);
    if miter.timed_out || own.is_empty() || own.len() > AT_MOST {
        return None;
    }
    let part = |start: u8| {
        format!("cd miter\nconnect -set start 1'{start}\ncd\n{FLATTEN}{SIMPLIFY}{ONLY_TRIGGER}")
    };
    let script = format!(
        "design -save apart\n{}{}design -load apart\n{}{}{}",
        part(1),
        ask(log, "-verify"),
        part(0),
        step::only_near(1),
        ask(log, "-verify -seq 2 -prove-skip 1")
    );
    Some(Question { design: separated(&miter.apart, &own)?, script })
}

/// Registers whose next values the two modules do not share; none if there is anything else that they do not.
fn differing(design: &str) -> Vec<String> {
    let Some(at) = design.find(MITER) else { return Vec::new() };
    let miter = &design[at..];
    let connected =
        miter.lines().filter_map(|line| line.strip_prefix("  connect ")?.split_once(' '));
    let connected: BTreeMap<&str, &str> = connected.collect();
    let source = |name: String| connected.get(&*name).map_or(name.clone(), |s| (*s).to_owned());
    let states: BTreeSet<&str> = ports(miter, "input").filter_map(|port| port.register()).collect();
    let differs = |name: &&str| source(format!("{GOLD}{name}")) != source(format!("{GATE}{name}"));
    let own: Vec<&str> = computed(miter).into_iter().filter(differs).collect();
    let only = own.iter().all(|name| states.contains(name));
    own.into_iter().filter(|_| only).map(str::to_owned).collect()
}

/// The design in which the mutant has its own state of some registers, and these are not compared. Where
/// `start` is 1, that state is the one of the original. `None` if one of them is not found in all places.
fn separated(design: &str, own: &[String]) -> Option<String> {
    let mut design = step::with_registers(design)?;
    for name in own {
        let at = design.find(MITER)?;
        let (gold, state) = (format!("{GOLD}{name}"), format!("{IN}{name}.i"));
        let (gate, of_gate, next) =
            (format!("{GATE}{name}"), format!("{state}.gate"), format!("{state}.own"));
        let width = ports(&design[at..], "output").find(|port| port.name == gold)?.width.to_owned();
        let cell = at + design[at..].find("  cell \\gate \\gate\n")?;
        once(
            &mut design,
            cell,
            &format!("connect \\{name}.i {state}\n"),
            &format!("connect \\{name}.i {of_gate}\n"),
        )?;
        once(&mut design, at, &format!("connect \\B {gate}\n"), &format!("connect \\B {gold}\n"))?;
        let wires = format!("  wire width {width} {of_gate}\n  wire width {width} {next}\n");
        let line = at + design[at..].find('\n')? + 1;
        design.insert_str(line, &wires);
        let end = design.rfind("end\n")?;
        let choose = format!(
            "  cell $mux $start${name}\n    parameter \\WIDTH {width}\n    connect \\A {next}\n    \
             connect \\B {state}\n    connect \\S \\start\n    connect \\Y {of_gate}\n  end\n"
        );
        design.insert_str(end, &(register(&format!("own${name}"), &width, &gate, &next) + &choose));
    }
    let at = design.find(MITER)?;
    let line = at + design[at..].find('\n')? + 1;
    design.insert_str(line, "  wire \\start\n");
    Some(design)
}

/// Replaces the only occurrence of a text behind a place; `None` if there is not just one.
fn once(text: &mut String, from: usize, what: &str, with: &str) -> Option<()> {
    let mut found = text[from..].match_indices(what);
    let (at, _) = found.next()?;
    if found.next().is_some() {
        return None;
    }
    let at = from + at;
    text.replace_range(at..at + what.len(), with);
    Some(())
}
