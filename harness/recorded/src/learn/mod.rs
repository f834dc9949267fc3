// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proposes a signal map for dumps whose names nobody knows, by comparing change sequences: a signal that changes
//! at the same times to the same values as a register of the golden model, in all recordings and all instances,
//! probably shows it.
//!
//! Clock, ports and reset come first ([`clock`], [`ports`]); then the golden model runs with the stimulus as it was
//! really driven. All signals and registers get fingerprints ([`prints`]). For each pattern of registers
//! a form of path is looked for that fits all instances ([`patterns`], [`solve`]), and numbers in paths become
//! arithmetic with indices ([`number`]). Memories that no signals show are looked for by their write ports
//! ([`memory`]), and for what agrees most of the time a condition is looked for ([`near`]). A proposal is not a result: only a check tells whether the map agrees.

mod align;
mod clock;
mod common;
mod index;
mod join;
mod memory;
mod near;
mod number;
mod paths;
mod patterns;
mod ports;
mod prints;
mod recording;
mod report;
mod solve;
mod terms;
mod track;
mod write;

use std::collections::BTreeMap;

use drra_case::Case;
use drra_isa::Geometry;

use crate::{
    dump::{Dump, DumpError},
    frames::Edge,
    map::{InputPort, MapError, MapFile, SignalMap, quoted},
    survey::{SurveyError, survey},
};
use common::Common;
use index::Index;
use memory::Timeline;
pub use near::NearMiss;
use paths::Paths;
use ports::{Ports, Reset, Transfer};
use prints::Registers;
pub use recording::Recording;
use recording::Recordings;
pub use report::{LearnedPattern, SURE, Totals, Verdict};
use solve::Solver;
use terms::Terms;

#[derive(Clone, Debug)]
pub struct Learned {
    pub map: MapFile,
    /// What became of each pattern of registers.
    pub patterns: Vec<LearnedPattern>,
    /// Signals that all dumps have.
    pub signals: usize,
    /// By recording: the edge that ends cycle 0, and the cycles from there on.
    pub cycles: Vec<(u64, u64)>,
}

/// Why nothing can be proposed.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// A dump cannot be read.
    #[error(transparent)]
    Dump(#[from] DumpError),
    /// There is nothing to learn from.
    #[error("no recordings: give at least one case and its dump")]
    Nothing,
    /// The dumps have no signals in common.
    #[error("the dumps have no signal in common: give dumps of one design and one format")]
    NoSignals,
    /// No bit looks like a clock.
    #[error(
        "no signal of one bit has edges at regular times: name the clock in a map and give it with --map"
    )]
    NoClock,
    /// The clock of the partial map is not in all dumps.
    #[error("the dumps do not all have the clock `{path}` of the map")]
    ClockMissing { path: String },
    /// Stimulus or cycle 0 cannot be read from a dump.
    #[error(transparent)]
    Survey(#[from] SurveyError),
    /// What is given does not fit a dump.
    #[error(transparent)]
    Map(#[from] MapError),
    /// Neither ports nor reset are found.
    #[error(
        "the words of the cases are on no signals of 27 bits with a valid bit, and no register moves as in the golden \
         model from any cycle on: give the cases that were run, and dump the load port"
    )]
    NoAlignment,
}

/// Proposes a map. `partial` gives the clock and entries that are kept.
///
/// # Errors
/// If a dump cannot be read, or clock and stimulus cannot be found.
pub fn learn(
    recordings: &[Recording],
    partial: Option<&MapFile>,
    geometry: &Geometry,
) -> Result<Learned, LearnError> {
    let recordings = Recordings(recordings);
    let dumps: Vec<_> = recordings.dumps().map(|(_, dump)| dump).collect();
    let first = dumps.first().ok_or(LearnError::Nothing)?;
    let common = Common::new(&dumps);
    if common.signals.is_empty() {
        return Err(LearnError::NoSignals);
    }
    let clock = match partial {
        Some(map) => given_clock(map, &common, first)?,
        None => clock::find(&common, first)?.ok_or(LearnError::NoClock)?,
    };
    let ports = ports::find(&common, recordings, clock, geometry)?;
    let mut statements = head(&common, clock, &ports, recordings, geometry);
    if let Some(partial) = partial {
        keep(&mut statements, partial);
    }
    let head = written(&statements)?;
    let mut registers = Registers::new(geometry);
    let (mut starts, mut cycles, mut cases) = (Vec::new(), Vec::new(), Vec::new());
    for (n, dump) in recordings.dumps() {
        let (case, start, count) = if head.ports.contains_key(&InputPort::ProgValid) {
            driven(recordings.case(n), dump, &head, geometry)?
        } else {
            // Nothing tells what was driven: the case is taken as it is.
            let aligned = align::find(&common, recordings, n, clock)?;
            let (start, count) = aligned.ok_or(LearnError::NoAlignment)?;
            (recordings.case(n).clone(), start, count)
        };
        registers.run(n, &case, count);
        cases.push(case);
        starts.push(start);
        cycles.push((start, count));
    }
    let has = |key: &str| statements.iter().any(|(known, _)| known == key);
    if !head.ports.contains_key(&InputPort::ProgValid) && !has("cycle_0") {
        statements.push(("cycle_0".to_owned(), skipped(ports.reset.as_ref(), &starts)));
    }
    let signals = prints::of_signals(&common, recordings, clock, &starts)?;
    let total = (0..recordings.count()).fold(0, |sum: u64, n| sum.wrapping_add(track::salt(n)));
    let index = Index::new(&signals, total);
    let paths = Paths::new(&common);
    let solver = Solver { index: &index, paths: &paths, registers: &registers.tracks };
    let kept: Vec<&str> =
        partial.iter().flat_map(|m| &m.registers).map(|e| e.register.as_str()).collect();
    let mut patterns = patterns::all(&registers);
    patterns.retain(|p| !kept.contains(&write::pattern_path(p).as_str()));
    let mut outcomes = patterns::learn(&patterns, &solver, &registers);
    let timeline = Timeline { common: &common, recordings, clock, cycles: &cycles };
    memory::learn(&patterns, &mut outcomes, &registers, &paths, &timeline)?;
    let near =
        near::learn(&patterns, &mut outcomes, &registers, (&paths, &timeline), (&cases, geometry))?;
    let mut terms = Terms {
        common: &common,
        paths: &paths,
        signals: &signals,
        registers: &registers.tracks,
        tables: BTreeMap::new(),
    };
    for (key, text) in &statements {
        if let (Some(name), Some((_, rows))) = (key.strip_prefix("table "), text.split_once('=')) {
            terms.tables.insert(name.to_owned(), rows.trim().to_owned());
        }
    }
    let known: Vec<String> = statements.iter().map(|(key, _)| key.clone()).collect();
    let mut entries = write::entries(&patterns, &outcomes, &registers, &mut terms);
    let prefixes = write::name_prefixes(&mut entries, &known);
    let prefixes = prefixes.into_iter().map(|(name, path)| format!("let {name} = {path}"));
    let tables = terms.tables.iter().map(|(name, rows)| (format!("table {name}"), rows));
    let tables = tables.filter(|(key, _)| !known.contains(key));
    let tables = tables.map(|(key, rows)| format!("{key} = {rows}"));
    let found = entries.iter().map(write::Entry::line);
    let found = prefixes.chain(tables).chain(found).map(|line| (String::new(), line));
    statements.extend(found.collect::<Vec<_>>());
    let map = written(&statements)?;
    let patterns = report::of(&patterns, &outcomes, (&solver, &registers), &near, &mut terms);
    Ok(Learned { map, patterns, signals: common.signals.len(), cycles })
}

/// The clock of a map that is given.
fn given_clock(map: &MapFile, common: &Common, first: &Dump) -> Result<(usize, Edge), LearnError> {
    let (edge, path) = map.clock.as_ref().ok_or(LearnError::NoClock)?;
    let path = map.source(path);
    let missing = || LearnError::ClockMissing { path: path.to_owned() };
    let id = first.names().find(path).map_err(|_| missing())?;
    Ok((common.number(0, id).ok_or_else(missing)?, *edge))
}

/// Statements of a map: what each defines, and its text.
type Statements = Vec<(String, String)>;

/// The map of some statements.
fn written(statements: &Statements) -> Result<MapFile, MapError> {
    let lines: String = statements.iter().map(|(_, line)| format!("{line}\n")).collect();
    MapFile::parse("the proposal", &format!("# proposed by drra map learn\n{lines}"))
}

/// The case of a recording as its dump shows that it was driven, the edge that ends cycle 0, and the cycles from
/// there on.
fn driven(
    given: &Case,
    dump: &Dump,
    head: &MapFile,
    geometry: &Geometry,
) -> Result<(Case, u64, u64), LearnError> {
    let map = SignalMap::without_registers(head, dump.names(), geometry)?;
    let survey = survey(dump, &map, geometry)?;
    let driver = survey.driver.ok_or(LearnError::NoAlignment)?;
    let (driven, answers) = driver.case(&given.name, survey.cycles);
    if let Some((_, e)) = answers.failed {
        return Err(SurveyError::from(e).into());
    }
    let case = Case { ports: true, stimulus: driven.stimulus, ..given.clone() };
    Ok((case, survey.start, survey.cycles))
}

/// Everything but the registers.
fn head(
    common: &Common,
    clock: (usize, Edge),
    ports: &Ports,
    recordings: Recordings<'_>,
    geometry: &Geometry,
) -> Statements {
    let text = |n: usize| quoted(&common.signals[n].path);
    let mut inputs = BTreeMap::new();
    let mut add = |transfer: &Option<Transfer>, names: [InputPort; 2], place: &[InputPort]| {
        let Some(transfer) = transfer else { return };
        inputs.insert(names[0], text(transfer.valid));
        inputs.insert(names[1], text(transfer.data));
        inputs.extend(place.iter().copied().zip(transfer.place.iter().map(|n| text(*n))));
    };
    use InputPort as P;
    add(&ports.program, [P::ProgValid, P::ProgInstr], &[P::ProgRowSel, P::ProgColSel]);
    add(
        &ports.sram,
        [P::SramInitValid, P::SramInitData],
        &[P::SramInitRow, P::SramInitCol, P::SramInitAddr],
    );
    add(&ports.rf, [P::RfInitValid, P::RfInitData], &[P::RfInitRow, P::RfInitCol, P::RfInitBlock]);
    if let Some(flag) = ports.flag {
        inputs.insert(P::ProgImm, text(flag.signal));
    }
    if ports.program.is_some() && recordings.cases().all(|case| case.io_cells.is_empty()) {
        inputs.insert(P::IoCell, "1'b0".to_owned());
    }
    let valid = |t: &Option<Transfer>| t.as_ref().map(|t| text(t.valid));
    let any: Vec<String> =
        [&ports.program, &ports.sram, &ports.rf].into_iter().filter_map(valid).collect();
    let Geometry { columns, tile_rows, rf_words, sram_blocks } = geometry;
    let edge = if clock.1 == Edge::Rising { "rising" } else { "falling" };
    let mut lines = vec![
        format!(
            "fabric columns: {columns}, tile_rows: {tile_rows}, rf_words: {rf_words}, sram_blocks: {sram_blocks}"
        ),
        format!("clock {edge} {}", text(clock.0)),
    ];
    if let Some(Reset { signal, high, .. }) = &ports.reset {
        lines.push(format!("reset {} {}", if *high { "high" } else { "low" }, text(*signal)));
    } else if ports.program.is_some() {
        lines.push(format!("cycle_0 when {}", any.join(" | ")));
    }
    if ports.flag.is_some_and(|flag| flag.delayed) {
        lines.push("flag_delay = r+c".to_owned());
    }
    lines.extend(inputs.into_iter().map(|(port, text)| format!("port {} = {text}", port.name())));
    let key = |line: &String| {
        let words = if line.starts_with("port") { 2 } else { 1 };
        line.split(' ').take(words).collect::<Vec<_>>().join(" ")
    };
    lines.into_iter().map(|line| (key(&line), line)).collect()
}

/// Cycle 0 by a number of edges: after the reset if that is the same number in all recordings, else after the
/// first edge of the first one.
fn skipped(reset: Option<&Reset>, starts: &[u64]) -> String {
    let after = |reset: &Reset| {
        let mut each = starts.iter().zip(&reset.ends).map(|(start, end)| start.checked_sub(*end));
        let first = each.next()??;
        each.all(|other| other == Some(first)).then_some(first)
    };
    match reset.and_then(after) {
        Some(edges) => format!("cycle_0 skip {edges}"),
        None => format!("cycle_0 when 1'b1 skip {}", starts.first().copied().unwrap_or(0)),
    }
}

/// Puts what is given in front of what is proposed.
fn keep(statements: &mut Statements, partial: &MapFile) {
    statements.retain(|(key, _)| !partial.statements.iter().any(|(given, _)| given == key));
    let given = partial.statements.iter();
    let given = given.map(|(key, span)| (key.clone(), partial.source(span).trim_end().to_owned()));
    statements.splice(0..0, given);
}
