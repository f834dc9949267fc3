// SPDX-License-Identifier: MIT OR Apache-2.0
//! Determines which failing cases show the same failure. If registers differ, the signature consists of the kind of the
//! first diverging register or signal and the kind of the responsible instruction; instance numbers, cycles and values
//! are not part of it. One fault can cause several signatures, which are variants of one failure ([`failure`]).

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use drra_case::Case;
use drra_fabric::{PortId, Register, RegisterId, RuleId, SignalId};
use drra_isa::Geometry;
use drra_lockstep::{AssertionFailure, DutError, Mismatch, MismatchKind, Outcome, RunSetup, Stop};
use serde::{Deserialize, Deserializer};

use crate::{
    backtrace::Backtrace,
    explain::Explanation,
    fan_in::BlockOutput,
    rerun::{self, Surroundings},
};

/// Prefixes of signatures: of registers and ports that are unknown in the design, and of registers that differ right
/// after reset.
const UNKNOWN: &str = "unknown ";
const RESET: &str = "reset ";

/// Beginnings of signatures that version 1.0 wrote, each with its present form.
const RENAMED: [[&str; 2]; 3] = [
    ["broken off", "aborted"],
    ["model flood", "excessive output"],
    ["model memory", "out of memory"],
];

/// The mismatch of a failing case, with its explanation and signature.
#[derive(Clone, Debug)]
pub struct DiagnosedFailure {
    /// The mismatch.
    pub mismatch: Mismatch,
    /// The explanation.
    pub explanation: Explanation,
    /// The signature, which distinguishes this failure from others.
    pub signature: String,
}

impl DiagnosedFailure {
    fn new(mismatch: Mismatch, explanation: Explanation) -> Self {
        let signature = signature(&mismatch, &explanation);
        Self { mismatch, explanation, signature }
    }
}

/// Reruns a case with this outcome and explains its mismatch, if there is one. A mismatch that
/// [`find`](drra_lockstep::find) noticed late gets its exact cycle.
///
/// # Errors
/// If the design does not fit its map, or has no model of this size.
pub fn failing(
    case: &Case,
    setup: &RunSetup<'_>,
    outcome: &mut Outcome,
) -> Result<Option<DiagnosedFailure>, DutError> {
    let found = rerun::rerun(case, setup, outcome, false)?;
    Ok(found
        .zip(outcome.mismatch.clone())
        .map(|((explanation, _), m)| DiagnosedFailure::new(m, explanation)))
}

/// Like [`failing`], and records in the same run what happened around the mismatch.
///
/// # Errors
/// If the design does not fit its map, or has no model of this size.
pub fn recorded(
    case: &Case,
    setup: &RunSetup<'_>,
    outcome: &mut Outcome,
) -> Result<Option<(DiagnosedFailure, Surroundings)>, DutError> {
    let Some((explanation, Some(around))) = rerun::rerun(case, setup, outcome, true)? else {
        return Ok(None);
    };
    Ok(outcome.mismatch.clone().map(|m| (DiagnosedFailure::new(m, explanation), around)))
}

/// Runs a case and explains its mismatch, if there is one.
///
/// # Errors
/// If the design does not fit its map, or has no model of this size.
pub fn check(case: &Case, setup: &RunSetup<'_>) -> Result<Option<DiagnosedFailure>, DutError> {
    failing(case, setup, &mut drra_lockstep::find(case, setup, &mut ())?)
}

/// The signature of a mismatch. If the difference originated in a signal between blocks, the signature names the signal
/// instead of the register that captured it, because several registers can capture it.
pub fn signature(mismatch: &Mismatch, explanation: &Explanation) -> String {
    let instruction = explanation.responsible.as_ref().map_or("none", |i| i.mnemonic());
    let register = mismatch
        .differences()
        .first()
        .map_or_else(|| "state".to_owned(), |first| register_name(first.location.register));
    let port = mismatch.ports().first().map_or("", |first| port_name(first.port));
    match (&mismatch.kind, &explanation.root_cause) {
        (MismatchKind::State(_), Some(cause)) => {
            format!("{} {instruction}", signal_name(cause.signal.id))
        }
        (MismatchKind::State(_), None) if mismatch.cycle == 0 => format!("{RESET}{register}"),
        (MismatchKind::State(_), None) => format!("{register} {instruction}"),
        (MismatchKind::Unknown(_), _) => format!("{UNKNOWN}{register}"),
        (MismatchKind::Ended(ended), _) => match ended.cut {
            Some(_) => "recording cut".to_owned(),
            None => "recording ended".to_owned(),
        },
        (MismatchKind::Stimulus(difference), _) => {
            format!("stimulus {}", difference.driven.kind())
        }
        (MismatchKind::Port(ports), _) => {
            ports.first().map_or_else(String::new, |p| of_port(p.port))
        }
        (MismatchKind::UnknownPort(_), _) => format!("{UNKNOWN}port {port}"),
        (MismatchKind::Assertion(failure), _) => stopped(failure),
    }
}

/// The signature of a stop. Messages of the simulator, and values printed by an assertion, are not part of the
/// signature.
pub fn stopped(failure: &AssertionFailure) -> String {
    match (&failure.stop, failure.instances.first()) {
        (Stop::Finish, _) => format!("finish {failure}"),
        (Stop::Aborted { .. }, _) => format!("aborted {failure}"),
        (Stop::ExcessiveOutput, _) => "excessive output".to_owned(),
        (Stop::Crash { cause, .. }, _) => format!("model crash {cause}"),
        (Stop::Hang, _) => "model hang".to_owned(),
        (Stop::OutOfMemory, _) => "out of memory".to_owned(),
        (Stop::Assertion, Some(instance)) if !instance.name.is_empty() => {
            let module = failure.file.strip_suffix(".sv").unwrap_or(&failure.file);
            format!("assertion {module}.{}", instance.name)
        }
        (Stop::Assertion, _) => format!("assertion {failure}"),
    }
}

/// The signature that an earlier version wrote in place of `signature`, if it differs.
pub fn earlier(signature: &str) -> Option<String> {
    RENAMED.iter().find_map(|[old, new]| Some((*old).to_owned() + signature.strip_prefix(new)?))
}

/// The present form of a signature that any version wrote.
pub fn present(signature: &str) -> String {
    let renamed = |[old, new]: &[&str; 2]| Some((*new).to_owned() + signature.strip_prefix(old)?);
    RENAMED.iter().find_map(renamed).unwrap_or_else(|| signature.to_owned())
}

/// Reads a stored signature in its [`present`] form.
///
/// # Errors
/// If the value is not a string.
pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<String, D::Error> {
    String::deserialize(from).map(|signature| present(&signature))
}

/// The failures that the registers and ports of a mismatch show, each traced back on its own, if there is a leading
/// cycle.
pub(crate) fn all_failures(
    mismatch: &Mismatch,
    backtrace: Option<&Backtrace<'_>>,
) -> BTreeSet<String> {
    let prefix = if mismatch.cycle == 0 { RESET } else { "" };
    let place = |output: BlockOutput, own: String| {
        let cause = backtrace.and_then(|backtrace| backtrace.back(output).root_cause);
        cause.map_or(own, |cause| signal_name(cause.signal.id))
    };
    let registers = mismatch.differences().iter().map(|d| {
        let name = prefix.to_owned() + &register_name(d.location.register);
        place(BlockOutput::Register(d.location), name)
    });
    let ports = mismatch.ports();
    let ports = ports.iter().map(|p| place(p.into(), of_port(p.port)));
    registers.chain(ports).map(|place| failure(&place)).collect()
}

/// Kind of a signal. Two signals appear under the names of their ports in chapter 3, which differ from those in the
/// description.
fn signal_name(signal: SignalId) -> String {
    let name = match signal {
        SignalId::BlkRead => "blk_rdata",
        SignalId::BlkWrite => "blk_wdata",
        _ => signal.name(),
    };
    format!("{}.{name}", signal.info().unit)
}

/// The failure of a port that differs while all registers agree.
pub(crate) fn of_port(port: PortId) -> String {
    format!("port {}", port_name(port))
}

/// Kind of a port. Address, data and mask of a write to an output buffer are of one kind.
fn port_name(port: PortId) -> &'static str {
    match port {
        PortId::IoOutAddr | PortId::IoOutData | PortId::IoOutMask => "io_out_*",
        _ => port.name(),
    }
}

/// Kind of a register, including the kind of its unit.
fn register_name(register: Register) -> String {
    format!("{}.{}", register.unit_kind(), element(register))
}

/// Kind of a register: its path without the unit and without a key in brackets, which distinguishes registers of one
/// kind.
fn element(register: Register) -> String {
    let info = register.id().info();
    match info.path.split_once('[') {
        Some((before, rest)) => {
            let after = rest.split_once(']').map_or("", |(_, after)| after);
            format!("{before}{after}")
        }
        None => register.to_string(),
    }
}

/// The rule for each kind of register and of signal between blocks.
static RULES: LazyLock<BTreeMap<String, RuleId>> = LazyLock::new(|| {
    let registers = RegisterId::ALL.iter().flat_map(|id| id.all(&Geometry::default()));
    let registers = registers.map(|r| (register_name(r), r.id().rule()));
    registers.chain(SignalId::ALL.iter().map(|s| (signal_name(*s), s.rule()))).collect()
});

/// The kinds of registers and of signals between blocks as they appear in signatures: `cell.rf.agu.state`.
pub fn places() -> impl Iterator<Item = &'static str> {
    RULES.keys().map(String::as_str)
}

/// The prefix of a signature, empty for most, and the word after it, which can be one of the [`places`].
pub fn place(signature: &str) -> (&'static str, &str) {
    let kind = [UNKNOWN, RESET].into_iter().find(|kind| signature.starts_with(kind));
    let kind = kind.unwrap_or_default();
    (kind, signature[kind.len()..].split(' ').next().unwrap_or_default())
}

/// The failure of which a signature is a variant, named after the rule for the value that differs: `cell AGU`. The same
/// rule covers differences in another field, port or generator, under another instruction, or in another signal or
/// register of the same block. A signature without such a rule, and each wire between blocks, is a separate failure.
pub fn failure(signature: &str) -> String {
    let (kind, place) = place(signature);
    match RULES.get(place) {
        None => signature.to_owned(),
        Some(
            RuleId::Wiring
            | RuleId::CellWiring
            | RuleId::ColumnWiring
            | RuleId::TileWiring
            | RuleId::InitialisationWiring,
        ) => format!("{kind}{place}"),
        Some(rule) => format!("{kind}{} {}", rule.info().unit, rule.info().name),
    }
}

/// A signature with the failure of which it is a variant, for a heading.
pub fn heading(signature: &str) -> String {
    match failure(signature) {
        failure if failure == signature => failure,
        failure => format!("{failure}: {signature}"),
    }
}

/// The name of a failure as a folder name, which cannot lead outside the parent folder.
pub fn folder_name(failure: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
    let name: String = failure.chars().map(|c| if plain(c) { c } else { '-' }).collect();
    if name.trim_matches('.').is_empty() { format!("-{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use drra_fabric::{AguId, CrossbarPort, Generator, Register, RegisterId};
    use drra_isa::Geometry;

    use super::{element, failure, folder_name, heading};

    #[test]
    fn indices_do_not_count() {
        let init_cnt = Register::RfAguInitCnt(AguId::R0);
        assert_eq!(element(init_cnt), "rf.agu.init_cnt");
        assert_eq!(element(Register::TileXout(CrossbarPort::Mem)), "xout");
        let io = Register::ColumnIoGeneratorL1Cnt(Generator::Read);
        assert_eq!(element(io), "io_rd.l1_cnt");
        assert_eq!(element(Register::SeqPc), "seq.pc");
        assert_eq!(folder_name("cell.rf.agu.init_cnt REFI"), "cell.rf.agu.init_cnt-REFI");
        assert_eq!([".", "..", "", "../x"].map(folder_name), ["-.", "-..", "-", "..-x"]);
    }

    /// Fields, instances, instructions and both sides of an edge within a block are variants; other blocks, ports,
    /// stops and wires are not. The rules are from chapters 2 to 7.
    #[test]
    fn a_failure_has_variants() {
        for (signatures, expected) in [
            (
                &["cell.rf.agu.p_l2_step REFI", "cell.rf.agu.addr_reg none", "cell.agu_addr REFI"]
                    [..],
                "cell AGU",
            ),
            (&["cell.loop_jump LOOP", "cell.loop_jump JUMP", "cell.iter_we BRANCH"], "cell loops"),
            (&["tile.rd.l1_cnt SRAM", "tile.wr.cfg SRAM", "tile.sram_en SRAM"], "tile SRAM AGU"),
            (&["column.io_rd.l1_cnt IO", "column.io_wr.cfg IO"], "column IO AGU"),
            (&["fabric.ld_pipe.instr none", "cell.load_instr none"], "fabric load pipeline"),
            (&["cell.dpu_x DPU", "cell.dpu_y DPU"], "cell DPU operands"),
            (&["unknown cell.rf.mem"], "unknown cell RF write"),
            // A missing reset (chapter 5, 5.6) is not the same bug as a wrong load.
            (&["reset cell.seq.imem", "reset cell.seq.load_count"], "reset cell program load"),
            (&["cell.seq.imem none"], "cell program load"),
            (&["tile.msg_in ROUTE", "tile.msg_in SRAM"], "tile.msg_in"),
            (&["unknown port agu_busy"], "unknown port agu_busy"),
            (&["model crash SIGABRT"], "model crash SIGABRT"),
        ] {
            for signature in signatures {
                assert_eq!(failure(signature), expected, "{signature}");
            }
            assert_eq!(failure(expected), expected);
        }
        assert_eq!(heading("cell.agu_addr REFI"), "cell AGU: cell.agu_addr REFI");
        assert_eq!(heading("model hang"), "model hang");
    }

    /// The path of every register without the parts in brackets.
    #[test]
    fn an_element_is_a_path_without_brackets() {
        for register in RegisterId::ALL.iter().flat_map(|id| id.all(&Geometry::default())) {
            let mut inside = false;
            let mut expected = register.to_string();
            expected.retain(|c| {
                inside = c == '[' || inside && c != ']';
                !inside && c != ']'
            });
            assert_eq!(element(register), expected);
        }
    }
}
