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
    map::{
        ClockEdge, ClockEntry, CycleZeroEntry, FabricSize, InputPort, MapFile, MapProblem, Number,
        Prefix, ResetEntry, SignalMap, Term, VERSION,
    },
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
    #[error("{}", first(.0))]
    Map(Vec<MapProblem>),
    /// Neither ports nor reset are found.
    #[error(
        "the words of the cases are on no signals of 27 bits with a valid bit, and no register moves as in the golden \
         model from any cycle on: give the cases that were run, and dump the load port"
    )]
    NoAlignment,
}

fn first(problems: &[MapProblem]) -> String {
    problems.first().map_or_else(String::new, |p| format!("{p}; {}", p.what.remedy()))
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
    let mut head = head(&common, clock, &ports, recordings, geometry);
    if let Some(partial) = partial {
        keep(&mut head, partial);
    }
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
    if !head.ports.contains_key(&InputPort::ProgValid) && head.cycle_0.is_none() {
        head.cycle_0 = Some(skipped(ports.reset.as_ref(), &starts));
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
        tables: head.tables.clone(),
    };
    let mut entries = write::entries(&patterns, &outcomes, &registers, &mut terms);
    let tables = std::mem::take(&mut terms.tables);
    let prefixes = write::name_prefixes(&mut entries, &head.prefixes);
    let mut map = head;
    map.tables = tables;
    let named = prefixes.into_iter().map(|(name, path)| (name, Prefix::One(path)));
    map.prefixes.extend(named);
    map.registers.extend(entries);
    let patterns = report::of(&patterns, &outcomes, (&solver, &registers), &near, &mut terms);
    Ok(Learned { map, patterns, signals: common.signals.len(), cycles })
}

/// The clock of a map that is given.
fn given_clock(map: &MapFile, common: &Common, first: &Dump) -> Result<(usize, Edge), LearnError> {
    let path = &map.clock.signal;
    let missing = || LearnError::ClockMissing { path: path.clone() };
    let id = first.names().find(path).map_err(|_| missing())?;
    let edge = match map.clock.edge {
        ClockEdge::Rising => Edge::Rising,
        ClockEdge::Falling => Edge::Falling,
    };
    Ok((common.number(0, id).ok_or_else(missing)?, edge))
}

/// The case of a recording as its dump shows that it was driven, the edge that ends cycle 0, and the cycles from
/// there on.
fn driven(
    given: &Case,
    dump: &Dump,
    head: &MapFile,
    geometry: &Geometry,
) -> Result<(Case, u64, u64), LearnError> {
    let map =
        SignalMap::without_registers(head, dump.names(), geometry).map_err(LearnError::Map)?;
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
) -> MapFile {
    let path = |n: usize| common.signals[n].path.clone();
    let text = |n: usize| Term::Text(path(n));
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
        inputs.insert(P::IoCell, Term::Text("1'b0".to_owned()));
    }
    let valid = |t: &Option<Transfer>| t.as_ref().map(|t| text(t.valid));
    let any: Vec<Term> =
        [&ports.program, &ports.sram, &ports.rf].into_iter().filter_map(valid).collect();
    let cycle_0 = match (&ports.program, &ports.reset) {
        (None, _) | (Some(_), Some(_)) => None,
        (Some(_), None) => Some(CycleZeroEntry { when: Some(Term::Or { or: any }), skip: 0 }),
    };
    MapFile {
        version: VERSION,
        comment: "proposed by drra map learn".to_owned(),
        simulator: String::new(),
        fabric: Some(FabricSize {
            columns: Some(geometry.columns),
            tile_rows: Some(geometry.tile_rows),
            rf_words: Some(geometry.rf_words),
            sram_blocks: Some(geometry.sram_blocks),
        }),
        prefixes: BTreeMap::new(),
        tables: BTreeMap::new(),
        clock: ClockEntry {
            signal: path(clock.0),
            edge: match clock.1 {
                Edge::Rising => ClockEdge::Rising,
                Edge::Falling => ClockEdge::Falling,
            },
        },
        reset: ports
            .reset
            .as_ref()
            .map(|r| ResetEntry { signal: path(r.signal), active: r.active }),
        cycle_0,
        flag_delay: ports.flag.filter(|f| f.delayed).map(|_| Number::Text("r+c".to_owned())),
        ports: inputs,
        outputs: BTreeMap::new(),
        registers: Vec::new(),
    }
}

/// Cycle 0 by a number of edges: after the reset if that is the same number in all recordings, else after the
/// first edge of the first one.
fn skipped(reset: Option<&Reset>, starts: &[u64]) -> CycleZeroEntry {
    let after = |reset: &Reset| {
        let mut each = starts.iter().zip(&reset.ends).map(|(start, end)| start.checked_sub(*end));
        let first = each.next()??;
        each.all(|other| other == Some(first)).then_some(first)
    };
    let skip = |edges: u64| u32::try_from(edges).unwrap_or(u32::MAX);
    match reset.and_then(after) {
        Some(edges) => CycleZeroEntry { when: None, skip: skip(edges) },
        None => CycleZeroEntry {
            when: Some(Term::Text("1'b1".to_owned())),
            skip: skip(starts.first().copied().unwrap_or(0)),
        },
    }
}

/// Puts what is given in front of what is proposed.
fn keep(map: &mut MapFile, partial: &MapFile) {
    map.clock = partial.clock.clone();
    map.reset = partial.reset.clone().or(map.reset.take());
    map.cycle_0 = partial.cycle_0.clone().or(map.cycle_0.take());
    map.prefixes.extend(partial.prefixes.clone());
    map.tables.extend(partial.tables.clone());
    map.ports.extend(partial.ports.clone());
    map.outputs.extend(partial.outputs.clone());
    map.registers.splice(0..0, partial.registers.iter().cloned());
}
