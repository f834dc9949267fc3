// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that open a wave file in viewers.

use drra_isa::{
    Geometry, Unit,
    fabric::{Location, Meaning, Register},
};

use super::{Recorded, scopes::wave_path};

/// Registers under a name, each with its width, and if they differ.
type Group = (String, Vec<(Location, u32)>, bool);
/// Signals that a viewer opens.
const OPENED: usize = 24;

impl Recorded {
    /// Where a viewer puts its cursor.
    fn cursor(&self) -> u64 {
        self.mismatch.unwrap_or(self.from)
    }

    /// What a viewer opens, under a name each: the registers that differ, what the rule looks at, and what the cell of
    /// the first one executes.
    fn groups(&self) -> Vec<Group> {
        let own = |signal: &(Location, u32)| (wave_path(signal.0), vec![*signal], true);
        let mut groups: Vec<_> = self.differing.iter().take(OPENED).map(own).collect();
        if !self.inputs.is_empty() {
            groups.push(("inputs of the rule".to_owned(), self.inputs.clone(), false));
        }
        if let Some((Location { unit: unit @ Unit::Cell(_), .. }, _)) = self.differing.first() {
            let width = |register: Register| register.width(&Geometry::LARGEST);
            let executed = [Register::SeqState, Register::SeqPc, Register::SeqImmediate];
            let executed = executed.map(|r| (Location { unit: *unit, register: r }, width(r)));
            groups.push(("sequencer".to_owned(), executed.to_vec(), false));
        }
        groups
    }

    /// A GTKWave save file that opens the differing signals of a wave file, grouped, with the
    /// cursor at the first difference.
    pub fn gtkwave(&self, wave: &str) -> String {
        let mut out = format!(
            "[*] GTKWave save file: gtkwave {wave} and this file\n[dumpfile] \"{wave}\"\n\
             [timestart] {}\n[size] 1400 800\n[pos] -1 -1\n",
            self.cursor().saturating_sub(16).max(self.from)
        );
        // Zoom, cursor, 26 named markers.
        out += &format!("*-3.000000 {}{}\n", self.cursor(), " -1".repeat(26));
        // With an alias that tells the sides apart.
        let full = |side: &str, (location, width): &(Location, u32)| {
            let path = wave_path(*location);
            let name = path.rsplit('.').next().unwrap_or_default();
            let range = if *width == 1 { String::new() } else { format!("[{}:0]", width - 1) };
            format!("+{{{side} {name}}} {side}.{path}{range}\n")
        };
        out += "@24\ncycle[63:0]\n@28\ndiff.any\n";
        for (name, signals, differ) in self.groups() {
            out += &format!("@800200\n-{name}\n");
            for signal in &signals {
                let signed = signal.0.register.id().info().meaning == Meaning::Signed;
                out += if signed { "@420\n" } else { "@22\n" };
                out += &(full("golden", signal) + &full("rtl", signal));
            }
            for (location, _) in signals.iter().filter(|_| differ) {
                out += &format!("@28\n{}", full("diff", &(*location, 1)));
            }
            out += &format!("@1000200\n-{name}\n");
        }
        out + "[pattern_trace] 1\n[pattern_trace] 0\n"
    }

    /// A Surfer command file that does the same.
    pub fn surfer(&self) -> String {
        let mut out = String::from("variable_add cycle\nvariable_add diff.any\n");
        for (name, signals, differ) in self.groups() {
            out += &format!("divider_add {name}\n");
            for path in signals.iter().map(|(location, _)| wave_path(*location)) {
                for side in &["golden", "rtl", "diff"][..if differ { 3 } else { 2 }] {
                    out += &format!("variable_add {side}.{path}\n");
                }
            }
        }
        out + &format!("zoom_fit\ncursor_set {}\n", self.cursor())
    }
}
