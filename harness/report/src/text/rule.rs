// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rule that applies, and its inputs, in words.

use drra_fabric::{CellInput, RuleId, SignalId};
use drra_isa::Unit;
use drra_lockstep::SignalLocation;

use super::{cell, counted, joined, lane_name, place};
use crate::data::{AppliedRule, AttributionReason, RegisterReading, RuleInputValue};

impl AppliedRule {
    /// Name of the block in which the difference originated.
    pub fn block(&self) -> &'static str {
        self.rule.block().name()
    }

    /// The rule that the report names: for a difference right after reset, the rule about the reset, and otherwise the
    /// rule of the block.
    pub(crate) fn named(&self) -> RuleId {
        if self.why == AttributionReason::AfterReset { RuleId::Reset } else { self.rule }
    }

    /// The rule to read.
    pub fn cited(&self) -> RuleId {
        self.narrower.unwrap_or(self.named())
    }

    /// The rule with the chapter and section in which it is.
    pub fn text(&self) -> String {
        let (name, cited) = (&self.named().info().name, self.cited());
        let info = cited.info();
        format!("{name}, {}, {}: {}", cited.chapter_file(), info.section, info.text)
    }

    /// Name and value of an input of the rule.
    pub(crate) fn input(&self, input: &RuleInputValue) -> [String; 2] {
        const ZERO: &str = "all 0";
        let row = |name: &str, value: String| [name.to_owned(), value];
        match input {
            RuleInputValue::Register(register) => self.register(register),
            RuleInputValue::AllZero { name, .. } => {
                row(name.as_deref().unwrap_or("registers of the rule"), ZERO.into())
            }
            RuleInputValue::OthersZero { of } => {
                let [name, _] = self.input(of);
                row(&format!("others of {name}"), ZERO.into())
            }
            RuleInputValue::LoadStageZero { stage } => {
                row(&format!("ld_pipe[{stage}]"), ZERO.into())
            }
            RuleInputValue::Instruction { address, instruction, immediate } => row(
                "instruction at pc",
                format!("{address}: {} (immediate {})", instruction.text(), u8::from(*immediate)),
            ),
            RuleInputValue::NotRunning => row("instruction at pc", "none, not in RUN".to_owned()),
            RuleInputValue::ProgramPort => {
                row("load port", "the program port of the fabric".to_owned())
            }
            RuleInputValue::Addresses { emitted } => {
                let all = emitted.iter().map(|(agu, address)| format!("{agu} {address}"));
                row("addresses", joined(all, ", ", "none"))
            }
            RuleInputValue::CellInput { input, from, reading } => {
                let value = match from {
                    Some((from, lane)) => {
                        format!("{} from {} of {}", reading.text(), lane_name(*lane), cell(*from))
                    }
                    None => "0, connected to no lane".to_owned(),
                };
                row(cell_input_name(*input, self.rule), value)
            }
            RuleInputValue::WriteBlock { reading } => row("blk_wdata", reading.digits()),
            RuleInputValue::WriteMask { reading } => row("blk_wmask", reading.digits()),
            RuleInputValue::RowBlock { row: number, reading } => {
                let block = reading.as_ref().map(|block| block.digits());
                row(&format!("blk_rdata of row {number}"), block.unwrap_or("none".to_owned()))
            }
            RuleInputValue::RowMessage { row: number, reading } => {
                row(&format!("cell_noc of row {number}"), reading.text())
            }
            RuleInputValue::Message { side, reading } => {
                row(&format!("message at side {side}"), reading.text())
            }
            RuleInputValue::Lane { lane, reading } => {
                row(["rdata_0", "rdata_1", "out0", "out1"][lane.index()], reading.digits())
            }
            RuleInputValue::ReadBlock { reading: Some(block) } => row("blk_rdata", block.digits()),
            RuleInputValue::ReadBlock { reading: None } => row("blk_rd_en", "0".to_owned()),
            RuleInputValue::ColumnBlock { reading } => row("up", reading.digits()),
            RuleInputValue::Signal { signal, reading } => {
                row(&self.signals(std::slice::from_ref(signal)), reading.text())
            }
            RuleInputValue::InitialisationPort => {
                row("initialisation port", "the ports of the fabric".to_owned())
            }
            RuleInputValue::BusyCells { cells } => {
                let all = cells.iter().map(|c| format!("({},{})", c.row(), c.col()));
                row("cells not idle", joined(all, " ", "all cells are idle"))
            }
            RuleInputValue::ActiveUnits { units } => row(
                "units with an active AGU",
                joined(units.iter().map(Unit::to_string), " ", "none"),
            ),
        }
    }

    /// Name and value of a register. A register of the unit itself is named without the unit; a register of the home
    /// tile, seen from a cell or column, is shown as digits only.
    fn register(&self, register: &RegisterReading) -> [String; 2] {
        let RegisterReading { location, reading } = register;
        let name = location.register.to_string();
        match (self.unit, location.unit) {
            (Some(Unit::Tile(own)), Unit::Tile(tile)) if own != tile => {
                [location.to_string(), reading.text()]
            }
            (Some(Unit::Cell(_) | Unit::Column(_)), Unit::Tile(_)) => {
                [format!("{name} of the home tile"), reading.digits()]
            }
            _ => [name, reading.text()],
        }
    }

    /// The compared signals: signals entering the block and signals leaving it. All of these signals agree; only the
    /// register, signal or port of the mismatch differs.
    pub fn compared(&self) -> Vec<[String; 2]> {
        let row = |name: &str, all: &[SignalLocation]| {
            let text = format!("{}: {}", counted(all.len() as u64, "signal"), self.signals(all));
            (!all.is_empty()).then(|| [name.to_owned(), text])
        };
        let rows = [row("inputs", &self.entering), row("outputs", &self.leaving)];
        rows.into_iter().flatten().collect()
    }

    /// Names of signals; signals of the unit itself are named without the unit.
    fn signals(&self, all: &[SignalLocation]) -> String {
        let own = self.unit;
        let name = |s: &SignalLocation| match own == Some(s.unit) {
            true => s.element(),
            false => s.to_string(),
        };
        joined(all.iter().map(name), ", ", "none")
    }

    /// The reason the difference is attributed to the block.
    pub fn why_text(&self) -> String {
        match &self.why {
            AttributionReason::AfterReset => "the registers differ right after reset".to_owned(),
            AttributionReason::InputsAgree => {
                "all registers and all compared inputs of the block agree in the cycle before"
                    .to_owned()
            }
            AttributionReason::SignalsUnknown { compared } => {
                let names = compared.iter().map(|id| format!("{}.{id}", id.info().unit));
                let signals = match &*joined(names, ", ", "") {
                    "" => "the signals between blocks are not compared".to_owned(),
                    names => format!("no signals between blocks are compared except {names}"),
                };
                format!(
                    "all compared registers agree in the cycle before; {signals}, so the fault may be in a block that \
                     drives this one"
                )
            }
            AttributionReason::Ended => "the waveform ends".to_owned(),
            AttributionReason::Stimulus => "the design was not driven with the values of the case".to_owned(),
            AttributionReason::Port => {
                "all registers and all compared inputs of the block agree, but the output port does not"
                    .to_owned()
            }
            AttributionReason::Assertion => "the design stopped the simulation".to_owned(),
            AttributionReason::Signal { signal, golden, rtl } => format!(
                "all registers agree in the cycle before; {} {} instead of {}",
                signal_gets(signal),
                rtl.beside(&[golden]),
                golden.beside(&[rtl])
            ),
        }
    }
}

/// A signal and its verb.
fn signal_gets(signal: &SignalLocation) -> String {
    let index = signal.key().index();
    let of = place(signal.unit);
    match signal.id {
        SignalId::Rdata => format!("read port r{index} of {of} is"),
        SignalId::DpuOut => format!("DPU out {index} of {of} is"),
        SignalId::Wdata => format!("all lanes agree, but w{index} of {of} gets"),
        SignalId::DpuIn => format!("all lanes agree, but DPU in {index} of {of} gets"),
        SignalId::BlkRead => format!("the block that {of} reads for its column is"),
        SignalId::BlkWrite => format!("mask and block written to {of} are"),
        SignalId::CellNoc => format!("{of} sends"),
        SignalId::ColNoc => format!("the cells agree, but {of} sends"),
        SignalId::Up => format!("the cells agree, but the block that {of} passes up is"),
        SignalId::MsgIn => match signal.key().side() {
            Some(side) => format!("at side {side}, {of} gets"),
            None => format!("{of} gets"),
        },
        _ => format!("{} of {of} is", signal.element()),
    }
}

/// The name of an input of a cell: an input of the switchbox, or of the block that reads it.
fn cell_input_name(input: CellInput, rule: RuleId) -> &'static str {
    let [w0, w1] = if rule == RuleId::Window { ["w0", "w1"] } else { ["wdata_0", "wdata_1"] };
    [w0, w1, "in0", "in1", "in2", "in3"][input.index()]
}
