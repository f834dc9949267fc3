// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that open a wave file in viewers.

use drra_isa::{
    Geometry, Unit,
    fabric::{Location, Register},
};

use super::{Recorded, scopes::wave_path};

/// Signals that a viewer opens.
const OPENED: usize = 24;

impl Recorded {
    /// Where a viewer puts its cursor.
    fn cursor(&self) -> u64 {
        self.mismatch.unwrap_or(self.from)
    }

    /// Registers that a viewer opens besides those that differ: what the cell of the first one
    /// executes.
    fn context(&self) -> Vec<(Location, u32)> {
        let first = self.differing.first().map(|(location, _)| location.unit);
        let Some(unit @ Unit::Cell(_)) = first else { return Vec::new() };
        [Register::SeqState, Register::SeqPc, Register::SeqImmediate]
            .into_iter()
            .map(|register| (Location { unit, register }, register.width(&Geometry::LARGEST)))
            .collect()
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
        out += "@28\ndiff.any\n";
        for signal in self.differing.iter().take(OPENED) {
            let path = wave_path(signal.0);
            out += &format!("@800200\n-{path}\n@22\n");
            out += &full("golden", signal);
            out += &full("rtl", signal);
            out += "@28\n";
            out += &full("diff", &(signal.0, 1));
            out += &format!("@1000200\n-{path}\n");
        }
        let context = self.context();
        if !context.is_empty() {
            out += "@800200\n-sequencer\n@22\n";
            for signal in &context {
                out += &full("golden", signal);
                out += &full("rtl", signal);
            }
            out += "@1000200\n-sequencer\n";
        }
        out + "[pattern_trace] 1\n[pattern_trace] 0\n"
    }

    /// A Surfer command file that does the same.
    pub fn surfer(&self) -> String {
        let mut out = String::from("variable_add diff.any\n");
        for (location, _) in self.differing.iter().take(OPENED) {
            let path = wave_path(*location);
            out += &format!("divider_add {path}\n");
            for side in ["golden", "rtl", "diff"] {
                out += &format!("variable_add {side}.{path}\n");
            }
        }
        let context = self.context();
        if !context.is_empty() {
            out += "divider_add sequencer\n";
            for (location, _) in &context {
                let path = wave_path(*location);
                out += &format!("variable_add golden.{path}\nvariable_add rtl.{path}\n");
            }
        }
        out + &format!("zoom_fit\ncursor_set {}\n", self.cursor())
    }
}
