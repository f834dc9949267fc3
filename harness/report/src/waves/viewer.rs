// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that open a wave file in viewers.

use drra_fabric::{Location, Register, ValueType};
use drra_isa::{Geometry, Unit};
use drra_lockstep::SignalLocation;

use super::{
    RecordedCycles,
    scopes::{names, wave_path},
    side::longest_instruction,
};

/// The display format of a value: GTKWave flags, and a Surfer format unless it is the default.
type DisplayFormat = (&'static str, Option<&'static str>);
const NUMBER: DisplayFormat = ("@22", None);
const SIGNED: DisplayFormat = ("@420", Some("Signed"));
const TEXT: DisplayFormat = ("@820", Some("ASCII"));

/// A variable that a viewer opens for both sides.
struct ViewerSignal {
    path: String,
    width: u32,
    format: DisplayFormat,
    /// The register, if it differs.
    differs: Option<String>,
}

impl ViewerSignal {
    /// A register, or the name of its value if its values have names.
    fn new((location, width): (Location, u32), differs: bool) -> Self {
        let path = wave_path(location);
        let differs = differs.then(|| path.clone());
        if let Some(names) = names(location.register, width) {
            let width = 8 * names[0].len() as u32;
            return Self { path: path + "_name", width, format: TEXT, differs };
        }
        let signed = location.register.id().info().value_type == ValueType::Signed;
        Self { path, width, format: if signed { SIGNED } else { NUMBER }, differs }
    }

    /// A signal between blocks.
    fn between(signal: SignalLocation) -> Self {
        let signed = signal.id.info().value_type == ValueType::Signed;
        let format = if signed { SIGNED } else { NUMBER };
        Self { path: wave_path(signal), width: signal.width(), format, differs: None }
    }
}

/// Maximum number of differing registers, and of signals, that a viewer opens.
const MAX_OPENED: usize = 24;

impl RecordedCycles {
    /// The position of a viewer's cursor.
    fn cursor(&self) -> u64 {
        self.mismatch.unwrap_or(self.from)
    }

    /// The groups that a viewer opens, each with a name: one for each register that differs, after the first of them the
    /// signals between blocks, then the inputs of the rule, and the sequencer of the cell with the first differing
    /// register.
    fn groups(&self) -> Vec<(String, Vec<ViewerSignal>)> {
        let own = |signal: &(Location, u32)| {
            (wave_path(signal.0), vec![ViewerSignal::new(*signal, true)])
        };
        let mut groups: Vec<_> = self.differing.iter().take(MAX_OPENED).map(own).collect();
        if !self.signals.is_empty() {
            let signals = self.signals.iter().take(MAX_OPENED).copied().map(ViewerSignal::between);
            let place = groups.len().min(1);
            groups.insert(place, ("signals between blocks".to_owned(), signals.collect()));
        }
        if !self.inputs.is_empty() {
            let inputs = self.inputs.iter().map(|signal| ViewerSignal::new(*signal, false));
            groups.push(("inputs of the rule".to_owned(), inputs.collect()));
        }
        if let Some((Location { unit: unit @ Unit::Cell(_), .. }, _)) = self.differing.first() {
            let executed = [Register::SeqState, Register::SeqPc, Register::SeqImmediate];
            let signal = |register: Register| {
                let width = register.width(&Geometry::LARGEST);
                ViewerSignal::new((Location { unit: *unit, register }, width), false)
            };
            let mut executed = Vec::from(executed.map(signal));
            let path = executed[0].path.replace("state_name", "instruction");
            let width = 8 * longest_instruction() as u32;
            executed.insert(1, ViewerSignal { path, width, format: TEXT, differs: None });
            groups.push(("sequencer".to_owned(), executed));
        }
        groups
    }

    /// A GTKWave save file that opens the groups of signals of a wave file, with the cursor at the first difference.
    pub fn gtkwave(&self, wave: &str) -> String {
        let mut out = format!(
            "[*] GTKWave save file: gtkwave {wave} and this file\n[dumpfile] \"{wave}\"\n\
             [timestart] {}\n[size] 1400 800\n[pos] -1 -1\n",
            self.cursor().saturating_sub(16).max(self.from)
        );
        // The zoom, the cursor, and 26 named markers.
        out += &format!("*-3.000000 {}{}\n", self.cursor(), " -1".repeat(26));
        // An alias distinguishes the sides.
        let full = |side: &str, path: &str, width: u32| {
            let name = path.rsplit('.').next().unwrap_or_default();
            let range = if width == 1 { String::new() } else { format!("[{}:0]", width - 1) };
            format!("+{{{side} {name}}} {side}.{path}{range}\n")
        };
        out += "@24\ncycle[63:0]\n@28\ndiff.any\n";
        for (name, signals) in self.groups() {
            out += &format!("@800200\n-{name}\n");
            for signal in &signals {
                let sides = ["golden", "rtl"].map(|side| full(side, &signal.path, signal.width));
                out += &format!("{}\n{}", signal.format.0, sides.concat());
            }
            for register in signals.iter().filter_map(|signal| signal.differs.as_ref()) {
                out += &format!("@28\n{}", full("diff", register, 1));
            }
            out += &format!("@1000200\n-{name}\n");
        }
        out + "[pattern_trace] 1\n[pattern_trace] 0\n"
    }

    /// A Surfer command file that opens the same signals in the same way.
    pub fn surfer(&self) -> String {
        let mut items: Vec<String> =
            ["variable_add cycle", "variable_add diff.any"].map(str::to_owned).into();
        // Formats are set at the end: an item added while another item has the focus is inserted after the other item.
        let mut formats = String::new();
        for (name, signals) in self.groups() {
            items.push(format!("divider_add {name}"));
            for signal in signals {
                for side in ["golden", "rtl"] {
                    if let Some(format) = signal.format.1 {
                        let item = letters(items.len());
                        formats += &format!("item_focus {item}\nitem_set_format {format}\n");
                    }
                    items.push(format!("variable_add {side}.{}", signal.path));
                }
                items.extend(signal.differs.map(|path| format!("variable_add diff.{path}")));
            }
        }
        let (items, cursor) = (items.join("\n"), self.cursor());
        format!("{items}\n{formats}item_unfocus\nzoom_fit\ncursor_set {cursor}\n")
    }
}

/// The number of an item in Surfer's notation: hexadecimal, with the letters a to p as digits.
fn letters(item: usize) -> String {
    let digit = |c: char| char::from(b'a' + c.to_digit(16).unwrap_or_default() as u8);
    format!("{item:x}").chars().map(digit).collect()
}
