// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lets a comparison of two modules take a step first: what is compared then starts from a state that the
//! original gets to from some state, not from any state whatever.
//!
//! That is a proof for all states of a design that resets: a step under reset leads to the first one, and as
//! long as nothing has differed, the next one follows from a step of the original. Only what is there before
//! the first reset is left out.

use super::{
    miter::{GOLD, IN, MITER, Miter, ONLY_TRIGGER, Port, Question, ask, computed, register},
    views::View,
};

/// How it is called in a log.
pub(super) const NAME: &str = "after steps of the original";

/// Asks about the states that the steps of a view lead to.
pub(super) fn question(miter: &Miter, view: &View, log: &str) -> Option<Question> {
    let steps = view.steps;
    let options = format!("-seq {} -prove-skip {steps} -show-inputs", steps + 1);
    Some(Question {
        design: with_registers(&miter.shared)?,
        script: format!("{ONLY_TRIGGER}{}{}", only_near(steps), ask(log, &options)),
    })
}

/// Leaves out registers whose value can only be seen after more steps than are taken: their input in the
/// first step makes no difference to what is compared behind the last one, and the solver may choose their
/// outputs at will, as it may choose the state that it starts from.
pub(super) fn only_near(steps: u32) -> String {
    let behind = " %ci*:-$ff %ci2:+$ff".repeat(steps as usize);
    format!(
        "select -set near miter/w:trigger{behind} miter/t:$ff %i\ndelete miter/t:$ff @near %d\nopt_clean\n"
    )
}

/// The design of a miter with its registers: each input that is a register of both modules gets what the
/// original has computed for it in the cycle before. `None` if there are none.
pub(super) fn with_registers(design: &str) -> Option<String> {
    let (before, miter) = design.split_at(design.find(MITER)?);
    let next = computed(miter);
    let mut cells = String::new();
    let mut text = before.to_owned();
    for line in miter.lines() {
        let state = Port::read(line, "input").and_then(|port| Some((port.register()?, port)));
        match state.filter(|(name, _)| next.contains(name)) {
            Some((name, Port { width, .. })) => {
                let state = format!("{IN}{name}.i");
                cells += &register(name, width, &format!("{GOLD}{name}"), &state);
                text += &format!("  wire width {width} {state}\n");
            }
            None if line == "end" => {
                text += &std::mem::take(&mut cells);
                text += "end\n";
            }
            None => text = text + line + "\n",
        }
    }
    text.contains("$step$").then_some(text)
}

#[cfg(test)]
mod tests {
    use super::with_registers;

    #[test]
    fn registers_of_both_modules_take_a_step() {
        let design = "module \\other\nend\nmodule \\miter\n  wire width 4 input 2 \\in_a_q.i\n  \
                      wire input 3 \\in_u.b_q.i\n  wire input 4 \\in_c_i\n  wire output 1 \\trigger\n  \
                      wire width 4 output 5 \\gold_a_q\n  wire width 4 output 6 \\gate_a_q\nend\n";
        let text = with_registers(design).unwrap();
        assert!(text.contains("  wire width 4 \\in_a_q.i\n"), "{text}");
        assert!(text.contains("  wire input 3 \\in_u.b_q.i\n"), "no next value: {text}");
        assert!(text.contains(
            "  cell $ff $step$a_q\n    parameter \\WIDTH 4\n    connect \\D \\gold_a_q\n    connect \\Q \\in_a_q.i\n  \
             end\nend\n"
        ));
        assert_eq!(text.matches("cell $ff").count(), 1);
        assert_eq!(with_registers("module \\miter\nend\n"), None);
    }
}
