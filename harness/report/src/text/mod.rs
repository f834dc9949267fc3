// SPDX-License-Identifier: MIT OR Apache-2.0
//! The data of a report in words, shared by all views.

mod activity;
mod port;
mod rule;
mod step;
mod variation;

use drra_diagnose::signature;
use drra_fabric::{CellInput, Lane};
use drra_isa::{CellId, Opcode, Unit};
use drra_lockstep::{AssertionFailure, DrivenInput, Stop, Value, WaveformEnd};

use crate::data::{
    CommonSituation, Disagreement, FabricFailures, InstructionLocation, ProgramLine, Reading,
    RegisterReading, Report, ReportedDifference, ReportedPortDifference, ResponsibleInstruction,
    Variation,
};

/// Bits of a word, and of a block of words.
const WORD: u32 = 16;
const BLOCK: u32 = 256;
/// Widest value whose digits a sentence shows along with its fields.
const FIELDS: u32 = 32;
/// Bits of an instruction word.
const INSTRUCTION: u32 = drra_isa::instructions::WORD_BITS;
/// The page about the chapters as a third model, for a program without a checkout of its version.
const CHAPTERS_PAGE: &str = "see harness/guide/trust.md#which-side-is-right";
/// Placeholder for a code that is not an instruction.
pub const NO_INSTRUCTION: &str = ".WORD";

/// A cell as written in the chapters.
pub fn cell(cell: CellId) -> String {
    format!("cell ({},{})", cell.row(), cell.col())
}

/// A unit, named by its path; the load pipeline is named by its registers.
pub fn unit(unit: Unit) -> String {
    match unit {
        Unit::Fabric => "ld_pipe".to_owned(),
        Unit::Cell(_) | Unit::Column(_) | Unit::Tile(_) => unit.to_string(),
    }
}

/// A unit, named by its place, as in the chapters.
pub fn place(of: Unit) -> String {
    match of {
        Unit::Cell(at) => cell(at),
        Unit::Column(column) => format!("column {}", column.col()),
        Unit::Tile(at) => format!("tile ({},{})", at.row(), at.col()),
        Unit::Fabric => unit(of),
    }
}

/// Name of an input of a cell.
pub fn input_name(input: CellInput) -> &'static str {
    ["w0", "w1", "DPU in 0", "DPU in 1", "DPU in 2", "DPU in 3"][input.index()]
}

/// Name of a lane of a cell.
pub fn lane_name(lane: Lane) -> &'static str {
    ["r0", "r1", "DPU out 0", "DPU out 1"][lane.index()]
}

impl Reading {
    /// The digits of the value; for a block, in groups between which a line can be broken.
    pub(crate) fn digits(&self) -> String {
        let (width, digits) = (self.value.width(), self.value.to_string());
        let numbered = digits.char_indices().map(|(at, digit)| (digits.len() - 1 - at, digit));
        let mut text = String::new();
        for (place, digit) in numbered {
            text.push(digit);
            text.extend(ends_group(4 * place as u32, width).then_some(' '));
        }
        text
    }

    /// The value with its meaning. A value of 5 to 32 bits that has no meaning is followed by its decimal value, unless
    /// it has the width of an instruction word.
    pub fn text(&self) -> String {
        let (digits, low) = (self.digits(), self.value.low());
        match (&self.decoded, self.value.width()) {
            _ if !self.value.is_known() => digits,
            (Some(decoded), 1) => format!("{low} ({decoded})"),
            (Some(decoded), _) => format!("{digits} {decoded}"),
            (None, 1) => low.to_string(),
            (None, INSTRUCTION) => digits,
            (None, 5..=32) => format!("{digits} ({low})"),
            (None, _) => digits,
        }
    }

    /// Like [`Self::text`], but next to other values: only the fields of a long value are written, unless a different
    /// value has the same fields.
    fn beside(&self, others: &[&Self]) -> String {
        let same = |other: &&Self| other.decoded == self.decoded && other.value != self.value;
        match &self.decoded {
            Some(decoded) if self.value.width() > FIELDS && !others.iter().any(same) => {
                decoded.clone()
            }
            _ => self.text(),
        }
    }

    /// A word of a block.
    fn word(&self, word: u32) -> Self {
        let bit = |bit| u64::from(self.value.bit(WORD * word + bit) == Some(true)) << bit;
        Self::number(Value::new(vec![(0..WORD).map(bit).sum()], WORD)).signed(1)
    }
}

impl RegisterReading {
    /// As `register = value`, without the unit.
    pub fn text(&self) -> String {
        format!("{} = {}", self.location.register, self.reading.text())
    }
}

impl Report {
    /// The text in place of the responsible instruction if there is none.
    pub(crate) fn nobody(&self) -> &'static str {
        match self.mismatch.unit() {
            Some(Unit::Cell(_) | Unit::Column(_) | Unit::Tile(_)) => {
                "none: no instruction configured or changed it"
            }
            Some(Unit::Fabric) | None => "none: it belongs to the fabric as a whole",
        }
    }

    /// The first difference in a few words: path, port or assertion.
    pub fn place(&self) -> String {
        self.place_and_verb().0
    }

    /// The mismatch in one line.
    pub fn line(&self) -> String {
        format!("MISMATCH in cycle {}: {} {}", self.mismatch.cycle, self.place(), self.verb())
    }

    /// The event, as a verb.
    pub fn verb(&self) -> &'static str {
        self.place_and_verb().1
    }

    fn place_and_verb(&self) -> (String, &'static str) {
        let register = || Some(self.mismatch.differences().first()?.location.to_string());
        let port = || Some(format!("output port {}", self.mismatch.ports().first()?.name()));
        let first = || register().or_else(port).unwrap_or_else(|| "state".to_owned());
        match &self.mismatch.what {
            Disagreement::State { .. } | Disagreement::Ports { .. } => (first(), "differs"),
            Disagreement::Unknown { .. } | Disagreement::UnknownPorts { .. } => {
                (first(), "is unknown")
            }
            Disagreement::Ended(_) => ("the waveform".to_owned(), "ends"),
            Disagreement::Stimulus { driven, .. } => {
                (driven.to_string(), "was driven with another value")
            }
            Disagreement::Assertion(assertion) => match assertion.stop {
                Stop::Assertion => (assertion.text(), "is violated"),
                Stop::Finish => (assertion.text(), "ends the simulation"),
                Stop::Aborted { .. } => ("the simulation".to_owned(), "aborts"),
                Stop::ExcessiveOutput => (assertion.to_string(), "prints excessive output"),
                Stop::Crash { .. } => (assertion.to_string(), "crashes"),
                Stop::Hang => (assertion.to_string(), "hangs"),
                Stop::OutOfMemory => (assertion.to_string(), "uses too much memory"),
            },
        }
    }

    /// What the failing cases have in common, one line each. First what separates them from agreeing cases: the conditions
    /// found by experiment; the size, if all have the same; the situations found by statistics or, if there are
    /// conditions, only those of all failing and no agreeing cases. Then the other results: conditions of other cases,
    /// several sizes, and what was tried.
    pub(crate) fn in_common(&self) -> [Vec<String>; 2] {
        let variation = self.variation.as_ref();
        let decisive = variation.and_then(Variation::decisive);
        let others = variation.map_or_else(Vec::new, Variation::others);
        // A condition says more than a situation that only some cases have.
        let tells = |s: &&CommonSituation| s.separates() && (decisive.is_none() || s.is_exact());
        let statistics = self.common.iter().filter(tells).map(CommonSituation::text);
        let only = |line: &String| line.starts_with(FabricFailures::ONLY);
        let (size, sizes): (Vec<_>, Vec<_>) =
            FabricFailures::text(&self.fabrics).into_iter().partition(only);
        let groups = variation.into_iter().flat_map(Variation::other_groups);
        let separating = decisive.iter().cloned().chain(size).chain(statistics);
        [separating.collect(), groups.chain(sizes).chain(others).collect()]
    }

    /// The failure of which this is a variant, and the signature.
    pub fn heading(&self) -> String {
        signature::heading(&self.signature)
    }

    /// True if the design did something wrong, so that a block and an instruction can be responsible.
    pub fn is_explained(&self) -> bool {
        !matches!(self.mismatch.what, Disagreement::Ended(_) | Disagreement::Stimulus { .. })
    }

    /// The place where the design stops, in a file of this project's RTL or of a user's design, and the reason.
    pub(crate) fn stopped_at(&self, assertion: &AssertionFailure) -> String {
        let folder = if self.compared.is_none() { "rtl/" } else { "" };
        let place = format!("{folder}{assertion}");
        match &assertion.stop {
            Stop::Assertion => place,
            Stop::Finish => format!("$finish at {place}"),
            Stop::Aborted { message } => format!("{message} ({place})"),
            Stop::ExcessiveOutput | Stop::Crash { .. } | Stop::Hang | Stop::OutOfMemory => {
                assertion.text()
            }
        }
    }

    /// The command that asks the chapters which side is right, or the page about it; `None` if the design did nothing
    /// wrong.
    pub(crate) fn ask(&self) -> Option<&str> {
        self.is_explained().then(|| self.chapters.as_deref().unwrap_or(CHAPTERS_PAGE))
    }

    /// The files of the design to examine, the file that connects the block, and the files of the golden model. For a
    /// user's design, only signal names are known.
    pub(crate) fn files(&self) -> String {
        let rule = self.rule.rule;
        let design = match (&self.compared, self.mismatch.differences().first()) {
            (None, _) => {
                let mut files: Vec<String> = rule.rtl_files().collect();
                if let (Some(first), Some(other)) = (files.first_mut(), rule.connecting_file()) {
                    *first += &format!(" (connected in {other})");
                }
                files.join(", ")
            }
            (Some(_), Some(ReportedDifference { name: Some(name), .. })) => {
                format!("what drives {name} in the design")
            }
            (Some(_), _) => "the design".to_owned(),
        };
        let golden: Vec<String> = self.rule.cited().golden_files().collect();
        format!("{design}; golden model: {}", golden.join(", "))
    }

    /// The unit that the rule is about, if it is not the unit that differs.
    pub(crate) fn rule_unit(&self) -> String {
        let other = self.rule.unit.filter(|rule| self.mismatch.unit().is_some_and(|u| u != *rule));
        other.map_or_else(String::new, |other| format!(" in {}", unit(other)))
    }

    /// A note on the parts that are missing from the last changes of the unit: memory rows are not recorded.
    pub(crate) fn left_out(&self) -> &'static str {
        let tile = matches!(self.mismatch.unit(), Some(Unit::Tile(_)));
        if tile { ", without the memory" } else { "" }
    }

    /// Describes what the golden model did.
    pub fn expected(&self) -> String {
        match &self.mismatch.what {
            Disagreement::Ended(WaveformEnd { goes_on_to, .. }) => {
                format!("the case continues to cycle {goes_on_to}")
            }
            Disagreement::Stimulus { driven, case, .. } => driven_is(driven, case, "the case"),
            Disagreement::Assertion(AssertionFailure { stop: Stop::Assertion, .. }) => {
                "no assertion is violated".to_owned()
            }
            Disagreement::Assertion(_) => "the simulation continues".to_owned(),
            _ => self.did(|d| &d.golden, |p| &p.golden),
        }
    }

    /// Describes what the RTL did.
    pub fn observed(&self) -> String {
        match &self.mismatch.what {
            Disagreement::Ended(WaveformEnd { running, cut, said, .. }) => {
                let cut = cut.as_ref().map_or_else(String::new, |cut| format!(" ({cut})"));
                let cells = joined(running.iter().map(|c| cell(*c)), ", ", "");
                let running = match running.len() {
                    0 => String::new(),
                    1 => format!(" while {cells} is still running"),
                    _ => format!(" while these are still running: {cells}"),
                };
                let said = said.as_ref().map_or_else(String::new, |said| {
                    format!("; last message of the simulator: {said}")
                });
                format!("the waveform ends in cycle {}{cut}{running}{said}", self.mismatch.cycle)
            }
            Disagreement::Stimulus { driven, recorded, .. } => {
                driven_is(driven, recorded, "the waveform")
            }
            Disagreement::Assertion(a) => a.text(),
            _ => self.did(|d| &d.rtl, |p| &p.rtl),
        }
    }

    /// Describes what a side did to the first register at the last edge, or what it shows at the first port.
    fn did(
        &self,
        side: impl Fn(&ReportedDifference) -> &Reading,
        of_port: impl Fn(&ReportedPortDifference) -> &Reading,
    ) -> String {
        let Some(d) = self.mismatch.differences().first() else {
            return self.mismatch.ports().first().map_or_else(String::new, |p| p.shows(of_port(p)));
        };
        // For a block, the first word that differs.
        let word =
            d.bits.last().map(|bit| bit / WORD).filter(|_| d.width() == BLOCK && is_known(d));
        let path = match word {
            Some(word) => format!("word {word} of {}", d.location),
            None => d.location.to_string(),
        };
        let part = |r: &Reading| word.map_or_else(|| r.clone(), |word| r.word(word));
        let (value, golden, rtl) = (part(side(d)), part(&d.golden), part(&d.rtl));
        let old = d.before.as_ref().map(part);
        let all: Vec<&Reading> = [&golden, &rtl].into_iter().chain(&old).collect();
        let to = value.beside(&all);
        match &old {
            None if self.mismatch.cycle == 0 => format!("{path} = {to} after reset"),
            None => format!("{path} is {to}"),
            Some(old) if old.value == value.value => format!("{path} keeps {to}"),
            Some(old) => format!("{path} goes from {} to {to}", old.beside(&all)),
        }
    }
}

/// True if the digits of a value of this width can be split after the digit with this lowest bit.
pub(crate) fn ends_group(lsb: u32, width: u32) -> bool {
    width > 128 && lsb > 0 && lsb < width && lsb.is_multiple_of(64)
}

fn is_known(d: &ReportedDifference) -> bool {
    d.golden.value.is_known() && d.rtl.value.is_known()
}

fn driven_is(driven: &DrivenInput, value: &Option<Reading>, side: &str) -> String {
    match value {
        Some(value) => format!("{} is {}", driven, value.text()),
        None => format!("{side} has no {}", driven),
    }
}

/// A number with its noun.
pub fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The first cycle whose differences count in a case.
pub(crate) fn compared_from(cycle: u64) -> String {
    format!(
        "differences before cycle {cycle} do not count: there, the design takes over the state of the golden model"
    )
}

/// A part of a whole, in percent.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.0} %", 100.0 * part as f64 / whole as f64) }
}

/// The texts joined, or a placeholder if there are no texts.
fn joined(all: impl Iterator<Item = String>, between: &str, none: &str) -> String {
    let all: Vec<String> = all.collect();
    if all.is_empty() { none.to_owned() } else { all.join(between) }
}

/// Name of an instruction.
pub(crate) fn opcode(opcode: Option<Opcode>) -> String {
    opcode.map_or_else(|| NO_INSTRUCTION.to_owned(), |opcode| opcode.to_string())
}

impl InstructionLocation {
    /// Cell, address and name.
    pub fn text(&self) -> String {
        format!("{} @{} {}", cell(self.cell), self.address, opcode(self.opcode))
    }
}

impl ResponsibleInstruction {
    /// The place and time of the decode, and the time at which the instruction reached its unit.
    pub fn place(&self) -> String {
        format!("address {} of {}, decoded {}", self.address, cell(self.cell), self.released_text())
    }

    fn released_text(&self) -> String {
        let decoded = self.decoded;
        match self.released {
            // A WAIT takes longer.
            Some(cycle) if cycle == decoded && self.instruction.opcode() != Some(Opcode::Wait) => {
                format!("and executed in cycle {decoded}")
            }
            Some(cycle) if cycle == decoded => format!("in cycle {decoded}"),
            Some(cycle) => {
                let flag = if self.immediate { "its own" } else { "a later" };
                format!("in cycle {decoded}, released by {flag} flag in cycle {cycle}")
            }
            None if self.immediate => format!("in cycle {decoded}"),
            None => format!("in cycle {decoded} without an immediate flag"),
        }
    }
}

impl ProgramLine {
    /// Assembly text, without fields that have their default value.
    pub fn text(&self) -> String {
        let flag = if self.immediate { "" } else { "waits for a flag: " };
        format!("{flag}{}", self.instruction.text())
    }
}

/// The name of a state.
fn state(reading: &Reading) -> String {
    reading.decoded.clone().unwrap_or_else(|| reading.text())
}
