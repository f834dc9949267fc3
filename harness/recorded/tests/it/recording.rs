// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings of a design with its own names, made here from the golden model, with or without faults.

use std::{
    cell::Cell,
    collections::BTreeMap,
    fmt::Write,
    ops::{ControlFlow, Deref},
    sync::OnceLock,
};

use drra_case::{Case, programs, to_json};
use drra_diagnose::signature;
use drra_fabric::{Location, Register, RegisterId, SignalId, ports::Inputs};
use drra_golden::{BufferRead, Fabric};
use drra_isa::{CellId, ColumnId, Geometry, Unit};
use drra_lockstep::{
    CycleView, Design, EndRule, GoldenDesign, LockstepRun, MappedDesign, Mismatch, MismatchKind,
    Observer, RunSetup, SignalLocation,
};
use drra_recorded::{CheckResult, RecordedError, Waveform, WaveformCheck, map::MapFile};
use drra_report::{Report, ReportInput};
use drra_testkit::{Fault, FaultyDesign, Flip};
use tempfile::TempDir;

use crate::support::{Sample, digits, vcd};

/// Number of clock edges in reset.
pub(crate) const RESET: u64 = 2;
/// Number of cycles by which the late register is late.
pub(crate) const LATE: u64 = 3;

pub(crate) fn geometry() -> Geometry {
    Geometry { columns: 2, tile_rows: 1, sram_blocks: 16, ..Geometry::default() }
}

pub(crate) fn vec_add() -> Case {
    programs::ALL[0].case(&geometry()).unwrap()
}

pub(crate) fn cycles(case: &Case) -> u64 {
    drra_lockstep::run_golden(case, None).cycles
}

pub(crate) fn locations() -> Vec<Location> {
    let geometry = geometry();
    let of = |unit: Unit| {
        let ids = RegisterId::ALL.iter().filter(move |id| id.info().unit == unit.kind());
        ids.flat_map(move |id| id.all(&geometry)).map(move |register| Location { unit, register })
    };
    Unit::all(&geometry).flat_map(of).collect()
}

/// Name of a register in the recording: its canonical path, with `_` for all characters except letters and digits.
pub(crate) fn name(location: Location) -> String {
    let path = location.to_string();
    let word: String =
        path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("their_{word}")
}

/// The values of every cycle, by name.
struct Cycles<'a> {
    case: &'a Case,
    samples: Vec<Sample>,
    /// Requests to the input buffers in the previous cycle.
    requests: Vec<BufferRead>,
}

impl Cycles<'_> {
    /// Status outputs, requests to the buffers, the answers to the requests of the previous cycle, and signals between
    /// blocks.
    fn ports(&mut self, golden: &Fabric) -> Sample {
        let (geometry, status) = (golden.geometry(), golden.status());
        let mut sample = Sample::new();
        let mut put = |name: &str, words: &[u64], width| {
            sample.insert(name.to_owned(), digits(words, width));
        };
        put("idle", &[status.all_idle.into()], 1);
        put("busy", &[status.agu_busy.into()], 1);
        let asked: Vec<BufferRead> = golden.buffer_reads().collect();
        for column in ColumnId::all(geometry) {
            let number = column.col();
            let before = self.requests.iter().find(|read| read.column == column);
            let answer = before.and_then(|read| {
                let buffers = &self.case.input_buffers;
                buffers.iter().find(|(c, addr, _)| *c == column && *addr == read.addr)
            });
            let answer = answer.map_or([0; 4], |(.., block)| *block);
            put(&format!("answer_{number}"), &answer, 256);
            let asks = asked.iter().find(|read| read.column == column);
            put(&format!("asks_{number}"), &[asks.is_some().into()], 1);
            let address = asks.map_or(0, |read| read.addr);
            put(&format!("asked_{number}"), &[address.into()], 25);
        }
        self.requests = asked;
        let signals = golden.signals();
        for signal in SignalLocation::all(geometry) {
            let Unit::Cell(cell) = signal.unit else { continue };
            let wire = match signal.id {
                SignalId::Wdata => "write",
                SignalId::DpuOut => "result",
                _ => continue,
            };
            let name = format!("{wire}_{}_{}_{}", cell.row(), cell.col(), signal.key().index());
            sample.insert(name, digits(signal.value(&signals).unwrap().words(), 16));
        }
        sample
    }
}

impl Observer for Cycles<'_> {
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        let (dut, layout) = (view.dut.unwrap(), view.golden.layout());
        let mut sample = self.ports(view.golden);
        for unit in layout.units() {
            let mut image = Vec::new();
            dut.read(unit, &mut image);
            for field in
                layout.variables_of(unit.kind()).flat_map(|v| v.fields.iter().map(move |f| (v, f)))
            {
                let (variable, field) = field;
                let location = Location { unit, register: field.register };
                let words = field.value(variable.words(&image));
                sample.insert(name(location), digits(&words, field.width));
            }
            let Unit::Tile(tile) = unit else { continue };
            for row in 0..layout.geometry().sram_blocks {
                let location = Location { unit, register: Register::TileSram(row) };
                sample.insert(name(location), digits(&dut.sram_block(tile, row), 256));
            }
        }
        self.samples.push(sample);
        ControlFlow::Continue(())
    }
}

/// A recording of a design, which can be changed before it is written.
#[derive(Clone)]
pub(crate) struct Recording {
    pub(crate) samples: Vec<Sample>,
}

impl Recording {
    pub(crate) fn of(case: &Case, design: &dyn Design, cycles: u64) -> Self {
        let geometry = geometry();
        let mut run = LockstepRun::new(case, &RunSetup::new(design)).unwrap();
        let mut seen = Cycles { case, samples: Vec::new(), requests: Vec::new() };
        run.run(EndRule::at(cycles), &mut seen);
        let mut samples = vec![seen.samples[0].clone(); RESET as usize];
        samples.extend(seen.samples);
        let mut player = case.player();
        for (edge, sample) in samples.iter_mut().enumerate() {
            let cycle = (edge as u64).checked_sub(RESET);
            let entry = cycle.map_or_else(Inputs::default, |_| player.next(&[]));
            let idle = entry.idle.unwrap_or_default();
            let word = entry.prog.unwrap_or(idle.prog);
            let init = entry.sram_init.unwrap_or(idle.sram_init);
            for (port, value, width) in [
                ("rst_n", u64::from(cycle.is_some()), 1),
                ("ld", entry.prog.is_some().into(), 1),
                ("instr", word.instr.into(), 27),
                ("imm", word.imm.into(), 1),
                ("rows", word.row_sel.into(), 2),
                ("cols", word.col_sel.into(), 2),
                ("en", entry.sram_init.is_some().into(), 1),
                ("row", init.row as u64, 1),
                ("col", init.col as u64, 1),
                ("addr", init.addr as u64, 4),
            ] {
                sample.insert(port.to_owned(), digits(&[value], width));
            }
            sample.insert("half".to_owned(), digits(&[edge as u64 % 2], 1));
            for cell in CellId::all(&geometry) {
                let (row, col) = (cell.row(), cell.col());
                let strap = case.io_cells.contains(&cell);
                sample.insert(format!("strap_{row}_{col}"), digits(&[strap.into()], 1));
            }
            sample.insert("data".to_owned(), digits(&init.data, 256));
            let block = entry.rf_init.unwrap_or(idle.rf_init);
            for (port, value, width) in [
                ("rf_en", u64::from(entry.rf_init.is_some()), 1),
                ("rf_row", block.row as u64, 1),
                ("rf_col", block.col as u64, 1),
                ("rf_block", block.block as u64, 2),
            ] {
                sample.insert(port.to_owned(), digits(&[value], width));
            }
            sample.insert("rf_data".to_owned(), digits(&block.data, 256));
        }
        Self { samples }
    }

    /// Value of a register in a cycle.
    pub(crate) fn value(&mut self, location: &str, cycle: u64) -> &mut String {
        let name = name(location.parse().unwrap());
        self.samples[(cycle + RESET) as usize].get_mut(&name).unwrap()
    }

    /// Delays a signal by a number of cycles.
    pub(crate) fn delay(&mut self, name: &str, cycles: u64) {
        for edge in (cycles as usize..self.samples.len()).rev() {
            let before = self.samples[edge - cycles as usize][name].clone();
            self.samples[edge].insert(name.to_owned(), before);
        }
    }

    /// The recording with the registers of the cells as synthesis names them, with one instance for each bit.
    pub(crate) fn in_netlist(&self) -> Self {
        let register = |(name, value): (&String, &String)| -> Vec<(String, String)> {
            let bits = value.chars().rev().enumerate();
            match value.len() {
                _ if !name.starts_with("their_cell") => vec![(name.clone(), value.clone())],
                1 => vec![(format!("{name}_reg/Q"), value.clone())],
                _ => bits.map(|(n, bit)| (bit_in_netlist(name, n), bit.to_string())).collect(),
            }
        };
        let sample = |sample: &BTreeMap<_, _>| sample.iter().flat_map(register).collect();
        Self { samples: self.samples.iter().map(sample).collect() }
    }

    pub(crate) fn text(&self) -> String {
        vcd("bench", "clk", &self.samples)
    }
}

/// The output of the instance that holds a bit of a register.
pub(crate) fn bit_in_netlist(name: &str, bit: usize) -> String {
    format!("{name}_reg_{bit}_/Q")
}

/// A path with a letter for every index, and the name in the recording with the same letters.
fn pattern(path: &str) -> (String, String) {
    let (mut register, mut signal, mut letters) = (String::new(), String::new(), 'a'..);
    let mut digits = path.chars().peekable();
    while let Some(c) = digits.next() {
        register.push(c);
        signal.push(if c.is_ascii_alphanumeric() { c } else { '_' });
        if c == '[' && digits.peek().is_some_and(char::is_ascii_digit) {
            while digits.next_if(char::is_ascii_digit).is_some() {}
            let letter = letters.next().unwrap();
            register.push(letter);
            write!(signal, "{{{letter}}}").unwrap();
        }
    }
    (register, format!("bench.their_{signal}"))
}

/// A map: the beginning of each statement, and the rest.
#[derive(Clone)]
pub(crate) struct Map(pub(crate) BTreeMap<String, String>);

impl Map {
    pub(crate) fn set(&mut self, statement: &str, rest: &str) {
        self.0.insert(statement.to_owned(), rest.to_owned());
    }

    pub(crate) fn text(&self) -> String {
        self.0.iter().map(|(statement, rest)| format!("{statement} {rest}\n")).collect()
    }

    pub(crate) fn without_ports(mut self) -> Self {
        self.0.retain(|statement, _| !statement.starts_with("port "));
        self
    }
}

/// The map for these recordings, with every register under its own name.
pub(crate) fn map() -> Map {
    let mut map = Map(BTreeMap::new());
    for location in locations() {
        let (register, signal) = pattern(&location.to_string());
        map.set(&register, &format!("= {signal}"));
    }
    map.set("clock", "rising bench.clk");
    map.set("reset", "low bench.rst_n");
    for (port, signal) in [
        ("prog_valid", "ld"),
        ("prog_instr", "instr"),
        ("prog_imm", "imm"),
        ("prog_row_sel", "rows"),
        ("prog_col_sel", "cols"),
        ("sram_init_valid", "en"),
        ("sram_init_row", "row"),
        ("sram_init_col", "col"),
        ("sram_init_addr", "addr"),
        ("sram_init_data", "data"),
        ("rf_init_valid", "rf_en"),
        ("rf_init_row", "rf_row"),
        ("rf_init_col", "rf_col"),
        ("rf_init_block", "rf_block"),
        ("rf_init_data", "rf_data"),
    ] {
        map.set(&format!("port {port}"), &format!("= bench.{signal}"));
    }
    map
}

/// Maps one register to its signal, followed by `more`.
pub(crate) fn entry(map: &mut Map, register: &str, more: &str) {
    let signal = name(register.parse().unwrap());
    map.set(register, &format!("= bench.{signal} {more}"));
}

/// Removes the statement that begins with `pattern` from a map, which must have it.
pub(crate) fn forget(map: &mut Map, pattern: &str) {
    assert!(map.0.remove(pattern).is_some(), "{pattern}");
}

/// The file name of a recording.
const WAVE: &str = "wave.vcd";

/// A comparison with the folder of its waveform, which must exist while the waveform is read.
pub(crate) struct PreparedCheck {
    check: WaveformCheck,
    folder: TempDir,
    map: MapFile,
    case: Option<Case>,
    ran: Cell<bool>,
}

/// True if the inputs differ from those of the case.
fn is_stimulus(result: &CheckResult) -> bool {
    let mismatch = result.outcome.mismatch.as_ref();
    mismatch.is_some_and(|m| matches!(m.kind, MismatchKind::Stimulus(_)))
}

impl PreparedCheck {
    /// Runs the comparison, and once more in a single pass, which must have the same result.
    pub(crate) fn run(&self, cycles: Option<u64>) -> Result<CheckResult, RecordedError> {
        let result = self.check.run(cycles);
        let waveform = Waveform::open(&self.folder.path().join(WAVE)).unwrap();
        let case = self.case.as_ref();
        let live = WaveformCheck::live(waveform, &self.map, case, WAVE, &geometry(), cycles);
        let live = live.and_then(|check| check.run(cycles).map(|result| (result, check)));
        match (&result, &live) {
            // All inputs are known before two passes compare anything, but a single pass ends at the first difference.
            (Ok(whole), Ok((single, _))) if is_stimulus(whole) => {
                let (single, whole) = (&single.outcome.mismatch, &whole.outcome.mismatch);
                let cycle = |mismatch: &Option<Mismatch>| mismatch.as_ref().unwrap().cycle;
                assert!(single == whole || cycle(single) < cycle(whole), "{single:?} {whole:?}");
            }
            (Ok(whole), Ok((single, check))) => {
                assert_eq!(single.outcome.mismatch, whole.outcome.mismatch);
                assert_eq!(single.outcome.cycles, whole.outcome.cycles);
                assert_eq!(single.busy, whole.busy);
                // The counts of a design are those of its first run.
                if !self.ran.replace(true) {
                    assert_eq!(check.design.compared(), self.check.design.compared());
                }
                // A single pass ends with the run.
                if cycles.is_none() && case.is_none() && single.outcome.mismatch.is_none() {
                    assert_eq!(to_json(&check.case), to_json(&self.check.case));
                }
            }
            (Err(whole), Err(single)) => assert_eq!(single.to_string(), whole.to_string()),
            (whole, single) => panic!("{whole:?}, in a single pass {single:?}"),
        }
        result
    }
}

impl Deref for PreparedCheck {
    type Target = WaveformCheck;

    fn deref(&self) -> &WaveformCheck {
        &self.check
    }
}

pub(crate) fn prepared(
    text: &str,
    map: &Map,
    case: Option<&Case>,
) -> Result<PreparedCheck, RecordedError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(WAVE);
    std::fs::write(&path, text).unwrap();
    let map = MapFile::parse("signals.map", &map.text()).unwrap();
    let check = WaveformCheck::new(Waveform::open(&path).unwrap(), &map, case, WAVE, &geometry())?;
    Ok(PreparedCheck { check, folder, map, case: case.cloned(), ran: Cell::new(false) })
}

/// The mismatch found in a recording.
pub(crate) fn found(text: &str, map: &Map, case: Option<&Case>) -> Option<Mismatch> {
    prepared(text, map, case).unwrap().run(None).unwrap().outcome.mismatch
}

/// The recording of `vec_add` without a fault.
pub(crate) fn recorded(case: &Case) -> Recording {
    static MADE: OnceLock<Recording> = OnceLock::new();
    MADE.get_or_init(|| Recording::of(case, &GoldenDesign, cycles(case))).clone()
}

pub(crate) fn flipped(case: &Case, location: &str, cycle: u64, bit: u32) -> Recording {
    let flip = Flip { cycle, location: location.parse().unwrap(), bit };
    Recording::of(case, &FaultyDesign::new(&GoldenDesign, Fault::Flip(flip)), cycles(case))
}

/// The signature and the report of the mismatch in a recording.
pub(crate) fn report(check: &WaveformCheck) -> (String, Report) {
    let mut outcome = check.run(None).unwrap().outcome;
    let (case, setup, repeat) = (&check.case, check.setup(), "again");
    let (failing, around) = signature::recorded(case, &setup, &mut outcome).unwrap().unwrap();
    let subject =
        ReportInput { case, failing: &failing, around: &around, setup, repeat, reduced: None };
    (failing.signature.clone(), drra_report::build(&subject))
}
