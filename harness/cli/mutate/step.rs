// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lets a comparison of two modules take a step first: what is compared then starts from a state that the
//! original gets to from some state, not from any state whatever.
//!
//! That is a proof for all states of a design that resets: a step under reset leads to the first one, and as
//! long as nothing has differed, the next one follows from a step of the original. Only what is there before
//! the first reset is left out.

use std::collections::BTreeSet;

/// The miter as Yosys calls it, and what its ports are called.
const MITER: &str = "module \\miter";
const NEXT: &str = "\\gold_";
const STATE: &str = "\\in_";

/// The design of a miter with its registers: each input that is a register of both modules gets what the
/// original has computed for it in the cycle before. `None` if there are none.
pub(super) fn with_registers(design: &str) -> Option<String> {
    let (before, miter) = design.split_at(design.find(MITER)?);
    let ports =
        |direction: &'static str| miter.lines().filter_map(move |line| Port::read(line, direction));
    let next: BTreeSet<&str> =
        ports("output").filter_map(|port| port.name.strip_prefix(NEXT)).collect();
    let mut cells = String::new();
    let mut text = before.to_owned();
    for line in miter.lines() {
        let register = Port::read(line, "input").and_then(|port| Some((port.register()?, port)));
        match register.filter(|(name, _)| next.contains(name)) {
            Some((name, Port { width, .. })) => {
                cells += &format!(
                    "  cell $ff $step${name}\n    parameter \\WIDTH {width}\n    \
                     connect \\D {NEXT}{name}\n    connect \\Q {STATE}{name}.i\n  end\n"
                );
                text += &format!("  wire width {width} {STATE}{name}.i\n");
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

/// A port of the miter.
struct Port<'a> {
    name: &'a str,
    width: &'a str,
}

impl<'a> Port<'a> {
    /// What a line declares, as `wire width 41 input 2 \in_st_q.i`.
    fn read(line: &'a str, direction: &str) -> Option<Self> {
        let words: Vec<&str> = line.strip_prefix("  wire ")?.split(' ').collect();
        let at = words.iter().position(|word| *word == direction)?;
        let width = words.iter().position(|word| *word == "width").map_or("1", |w| words[w + 1]);
        Some(Self { name: words.get(at + 2)?, width })
    }

    /// Name of the register whose state comes in here.
    fn register(&self) -> Option<&'a str> {
        let name = self.name.strip_prefix(STATE)?.strip_suffix(".i")?;
        // Those of memories have an index after the `_q`.
        (name.ends_with("_q") || name.contains("_q[")).then_some(name)
    }
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
