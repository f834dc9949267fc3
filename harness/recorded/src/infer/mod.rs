// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proposes a signal map for waveforms with unknown names by comparing change sequences: a signal that changes at the
//! same times to the same values as a register of the golden model, in all runs and all instances, probably shows
//! that register.
//!
//! Clock, ports and reset come first (`clock`, `ports`); then the golden model is run with the stimulus on the ports
//! or, if the waveform does not show them, with the case (`golden`). Fingerprints of signals and registers are computed
//! (`fingerprint`). For each family of registers (`families`), a path form that fits all instances is searched for
//! (`solve`); numbers in paths become arithmetic on indices (`number`). A proposal is not proof: only a check shows
//! whether the map is correct.

mod clock;
mod families;
mod fingerprint;
mod golden;
mod memory;
mod number;
mod paths;
mod ports;
mod runs;
mod solve;
mod write;

use std::collections::BTreeMap;

use drra_case::Case;
use drra_fabric::{RegisterId, ports::InputPort};
use drra_isa::Geometry;

use crate::{
    RecordedError,
    map::{MapError, MapFile, SignalMap, Span, quoted, size_statement},
    samples::Edge,
    scan::scan,
    waveform::Waveform,
};
pub use families::SURE;
use families::{FamilyOutcome, RegisterFamily, RegisterPiece};
use fingerprint::Fingerprint;
use golden::GoldenRegisters;
use paths::{Paths, levels};
use ports::{InferredPorts, InferredReset, PortSignals};
use runs::CommonSignals;
pub use runs::RecordedCase;
use solve::Solver;
use write::ExpressionWriter;

#[derive(Clone, Debug)]
pub struct InferredMap {
    pub map: MapFile,
    /// The results, one for each family of registers that has no entry in the given map.
    pub families: Vec<InferredFamily>,
    /// Number of signals that all waveforms have.
    pub signals: usize,
    /// For each run, the edge that ends cycle 0, and the number of cycles from there on.
    pub cycles: Vec<(u64, u64)>,
}

/// The result for a family of registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InferredFamily {
    /// Path of the family, with letters for indices.
    pub register: String,
    /// Number of registers in the family.
    pub registers: usize,
    /// Number of registers that change in some run.
    pub changing: usize,
    /// Total number of changes of these registers.
    pub changes: u64,
    /// Number of distinct changes: registers that change to equal values at the same time are counted once. The fewer
    /// distinct changes there are, the more likely is a match by chance.
    pub different: usize,
    /// The signals that were found, or the reason why there are none.
    pub verdict: InferenceVerdict,
}

impl InferredFamily {
    /// True if a match was found that may be due to chance.
    pub fn is_weak(&self) -> bool {
        matches!(self.verdict, InferenceVerdict::Found { .. }) && self.different < SURE
    }
}

/// The signals found for a family. In paths, `#` stands for a number, and `*` for a level without alternatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InferenceVerdict {
    /// Signals that match every register that changes.
    Found {
        /// The form of the signals' paths; if several signals make up the register, one form for each signal.
        paths: Vec<String>,
        /// Number of bits that never change and are written as constants.
        constant_bits: usize,
        /// Other forms that match equally well.
        others: Vec<String>,
    },
    /// Nothing matches all of the registers, or the match cannot be written in a map. Contains the best partial match,
    /// if any, and the number of changing registers that it matches.
    Missing(Option<(String, usize)>),
    /// Cannot be inferred: no register of the family changes in any run, or the block of the registers is never
    /// active.
    Quiet,
}

/// The error if there is no clock.
const NO_CLOCK: &str = "no one-bit signal has edges at regular intervals: name the clock in a map and give that map with --map";
/// The error if cycle 0 cannot be found.
const NO_ALIGNMENT: &str = "no 27-bit signals with a valid bit carry the words of the cases, and there is no cycle from which \
     on registers change as in the golden model: give the cases that were run, and record the load port";

/// Statements of a map, each with the name of what it defines and its text.
type Statements = Vec<(String, String)>;

/// Proposes a map. All statements of `partial` are kept; its clock, if it has one, is used.
///
/// # Errors
/// If there are no runs, a waveform cannot be read, the waveforms have no signal in common, `partial` does not fit
/// them, the clock or cycle 0 cannot be found, or the golden model cannot be driven with the values on the ports.
pub fn infer(
    runs: &[RecordedCase],
    partial: Option<&MapFile>,
    geometry: &Geometry,
) -> Result<InferredMap, RecordedError> {
    let first =
        &runs.first().ok_or_else(|| "give at least one case and its waveform".to_owned())?.waveform;
    let mut signals = CommonSignals::new(runs);
    if signals.all.is_empty() {
        let what = "the waveforms have no signal in common: give waveforms of the same design in the same format";
        return Err(what.to_owned().into());
    }
    signals.clock = match partial.and_then(|map| Some((map, map.clock.as_ref()?))) {
        Some((map, clock)) => given_clock(map, clock, &signals, first)?,
        None => clock::find(&signals)?.ok_or_else(|| NO_CLOCK.to_owned())?,
    };
    let ports = ports::find(&signals, geometry)?;
    let mut statements = head(&signals, &ports, geometry);
    if let Some(partial) = partial {
        // Given statements come first.
        statements.retain(|(key, _)| !partial.statements.iter().any(|(given, _)| given == key));
        let text = |span| partial.source(span).trim_end().to_owned();
        let given = partial.statements.iter().map(|(key, span)| (key.clone(), text(span)));
        statements.splice(0..0, given);
    }
    let head = written(&statements)?;
    let shows_ports = head.ports.contains_key(&InputPort::ProgValid);
    let mut registers = GoldenRegisters::new(geometry);
    let width = |n| Fingerprint::new(signals.width(n));
    let mut fingerprints: Vec<Fingerprint> = (0..signals.all.len()).map(width).collect();
    let mut cycles = Vec::new();
    for (n, RecordedCase { case, waveform }) in runs.iter().enumerate() {
        let (start, count) = if shows_ports {
            let (driven, start, count) = driven(case, waveform, &head, geometry)?;
            registers.run(n, &driven, count);
            (start, count)
        } else {
            // The waveform does not show what was driven, so the case is used unchanged.
            let (start, count) =
                golden::align(&signals, n)?.ok_or_else(|| NO_ALIGNMENT.to_owned())?;
            registers.run(n, case, count);
            (start, count)
        };
        fingerprint::add(&signals, n, start, &mut fingerprints)?;
        cycles.push((start, count));
    }
    if !shows_ports && !statements.iter().any(|(key, _)| key == "cycle_0") {
        statements.push(("cycle_0".to_owned(), skipped(ports.reset.as_ref(), &cycles)));
    }
    let paths = Paths::new(&signals);
    let total = (0..runs.len()).fold(0, |sum, n| fingerprint::plus(sum, fingerprint::moment(n, 0)));
    let mut families = families::all(&registers, geometry);
    let given = partial.map_or(&[][..], |map| &map.registers);
    families.retain(|p| given.iter().all(|entry| entry.register != p.path));
    let solver = Solver::new(&fingerprints, &paths, total);
    let mut outcomes = families::infer(&families, &solver);
    for (family, outcome) in families.iter().zip(&mut outcomes) {
        if family.id == RegisterId::TileSram && matches!(outcome, FamilyOutcome::Missing(_)) {
            let starts: Vec<u64> = cycles.iter().map(|(start, _)| *start).collect();
            let (writes, enables) = ((&registers.writes[..], &starts[..]), &registers.enables);
            let port = memory::find(&signals, writes, enables, &solver, geometry)?;
            port.into_iter().for_each(|port| *outcome = FamilyOutcome::Memory(Box::new(port)));
        }
    }
    let rows = |(key, text): &(String, String)| {
        Some((key.strip_prefix("table ")?.to_owned(), text.split_once('=')?.1.trim().to_owned()))
    };
    let tables = statements.iter().filter_map(rows).collect();
    let mut writer = ExpressionWriter {
        signals: &signals,
        paths: &paths,
        fingerprints: &fingerprints,
        tables,
        prefixes: BTreeMap::new(),
    };
    let taken: Vec<String> = statements.iter().map(|(key, _)| key.clone()).collect();
    let found = writer.statements(&families, &mut outcomes, &taken);
    statements.extend(found.into_iter().map(|line| (String::new(), line)));
    let map = written(&statements)?;
    let families = families.iter().zip(outcomes).map(|(p, outcome)| report(p, outcome)).collect();
    Ok(InferredMap { map, families, signals: signals.all.len(), cycles })
}

/// The result for a family.
fn report(family: &RegisterFamily<'_>, outcome: FamilyOutcome) -> InferredFamily {
    let verdict = match outcome {
        FamilyOutcome::Quiet => InferenceVerdict::Quiet,
        FamilyOutcome::Missing(nearest) => InferenceVerdict::Missing(nearest),
        FamilyOutcome::Memory(port) => {
            let paths = [port.enable, port.address, port.data].map(|shows| shows.form).to_vec();
            InferenceVerdict::Found { paths, constant_bits: 0, others: Vec::new() }
        }
        FamilyOutcome::Found(pieces, others) => {
            let (mut paths, mut constant_bits) = (Vec::new(), 0);
            for piece in pieces.into_iter().rev() {
                match piece {
                    RegisterPiece::Signal(solution) => paths.push(solution.form),
                    RegisterPiece::Constant(bits) => constant_bits += bits.len(),
                }
            }
            InferenceVerdict::Found { paths, constant_bits, others }
        }
    };
    InferredFamily {
        register: family.path.clone(),
        registers: family.instances.len(),
        changing: family.changing(),
        changes: family.instances.iter().map(|i| i.fingerprint.changes).sum(),
        different: family.different(),
        verdict,
    }
}

/// The clock of the given map.
fn given_clock(
    map: &MapFile,
    (edge, path): &(Edge, Span),
    signals: &CommonSignals<'_>,
    first: &Waveform,
) -> Result<(usize, Edge), RecordedError> {
    let path = map.source(path).trim_matches('"');
    let missing = || format!("not all waveforms have the clock `{path}` of the map");
    let id = first.names().find(path).map_err(|_| missing())?;
    Ok((signals.number(0, id).ok_or_else(missing)?, *edge))
}

/// The map of some statements.
fn written(statements: &Statements) -> Result<MapFile, MapError> {
    let lines: String = statements.iter().map(|(_, line)| format!("{line}\n")).collect();
    MapFile::parse("the proposal", &format!("# proposed by drra map learn\n{lines}"))
}

/// The case that a run was driven with according to its waveform, the edge that ends cycle 0, and the number of cycles
/// from there on.
fn driven(
    given: &Case,
    waveform: &Waveform,
    head: &MapFile,
    geometry: &Geometry,
) -> Result<(Case, u64, u64), RecordedError> {
    let map = SignalMap::without_registers(head, waveform.names(), geometry)?;
    let scan = scan(waveform, &map, geometry)?;
    let driver = scan.driver.ok_or_else(|| NO_ALIGNMENT.to_owned())?;
    let (driven, answers) = driver.case(&given.name, scan.cycles);
    if let Some((_, e)) = answers.failed {
        return Err(e.into());
    }
    let case = Case { ports: true, stimulus: driven.stimulus, ..given.clone() };
    Ok((case, scan.start, scan.cycles))
}

/// The statements for the fabric size, the clock, the reset or cycle 0, and the ports.
fn head(signals: &CommonSignals<'_>, ports: &InferredPorts, geometry: &Geometry) -> Statements {
    use InputPort as P;
    let text = |n: usize| quoted(&levels(&signals.all[n].path).join("."));
    let mut inputs = BTreeMap::new();
    let mut add = |transfer: &Option<PortSignals>, names: &[InputPort]| {
        let Some(PortSignals { valid, data, place, .. }) = transfer else { return };
        let signals = [valid, data].into_iter().chain(place).map(|n| text(*n));
        inputs.extend(names.iter().copied().zip(signals));
    };
    add(&ports.program, &[P::ProgValid, P::ProgInstr, P::ProgRowSel, P::ProgColSel]);
    add(
        &ports.sram,
        &[P::SramInitValid, P::SramInitData, P::SramInitRow, P::SramInitCol, P::SramInitAddr],
    );
    add(&ports.rf, &[P::RfInitValid, P::RfInitData, P::RfInitRow, P::RfInitCol, P::RfInitBlock]);
    inputs.extend(ports.flag.map(|(signal, _)| (P::ProgImm, text(signal))));
    if ports.program.is_some() && signals.runs.iter().all(|r| r.case.io_cells.is_empty()) {
        inputs.insert(P::IoCell, "1'b0".to_owned());
    }
    let transfers = [&ports.program, &ports.sram, &ports.rf].into_iter().flatten();
    let any: Vec<String> = transfers.map(|t| text(t.valid)).collect();
    let edge = if signals.clock.1 == Edge::Rising { "rising" } else { "falling" };
    let mut lines =
        vec![size_statement(*geometry), format!("clock {edge} {}", text(signals.clock.0))];
    if let Some(InferredReset { signal, high, .. }) = &ports.reset {
        lines.push(format!("reset {} {}", if *high { "high" } else { "low" }, text(*signal)));
    } else if ports.program.is_some() {
        lines.push(format!("cycle_0 when {}", any.join(" | ")));
    }
    if ports.flag.is_some_and(|(_, delayed)| delayed) {
        lines.push("flag_delay = r+c".to_owned());
    }
    lines.extend(inputs.into_iter().map(|(port, text)| format!("port {} = {text}", port.name())));
    let key = |line: &String| {
        let words = if line.starts_with("port") { 2 } else { 1 };
        line.split(' ').take(words).collect::<Vec<_>>().join(" ")
    };
    lines.into_iter().map(|line| (key(&line), line)).collect()
}

/// The statement for cycle 0, as a number of edges: counted from the end of reset if the number is the same in all
/// runs, or otherwise from the first edge, as in the first run.
fn skipped(reset: Option<&InferredReset>, cycles: &[(u64, u64)]) -> String {
    let after = |reset: &InferredReset| {
        let mut each =
            cycles.iter().zip(&reset.ends).map(|((start, _), end)| start.checked_sub(*end));
        let first = each.next()??;
        each.all(|other| other == Some(first)).then_some(first)
    };
    match reset.and_then(after) {
        Some(edges) => format!("cycle_0 skip {edges}"),
        None => format!("cycle_0 when 1'b1 skip {}", cycles.first().map_or(0, |(start, _)| *start)),
    }
}
