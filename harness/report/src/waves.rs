// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waves of both sides in one FST file: all registers under `golden` and `rtl`, and under `diff` a bit
//! for every register that differs at some time. One time unit is one cycle.
//!
//! Names are the canonical paths with brackets turned into underscores, because viewers disagree
//! about brackets: `cell[0][3].rf.agu[w0].addr_reg` is `golden.cell_0_3.rf.agu_w0.addr_reg`.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufWriter;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use drra_case::Case;
use drra_case::output;
use drra_golden::Block;
use drra_golden::Fabric;
use drra_golden::Layout;
use drra_golden::Owner;
use drra_golden::Unit;
use drra_lockstep::AssertionFailure;
use drra_lockstep::DutError;
use drra_lockstep::EndRule;
use drra_lockstep::Now;
use drra_lockstep::Observer;
use drra_lockstep::Pair;
use drra_lockstep::Setup;
use drra_lockstep::StartError;
use drra_lockstep::StateSource;
use fst_writer::FstBodyWriter;
use fst_writer::FstFileType;
use fst_writer::FstHeaderWriter;
use fst_writer::FstInfo;
use fst_writer::FstScopeType;
use fst_writer::FstSignalId;
use fst_writer::FstSignalType;
use fst_writer::FstVarDirection;
use fst_writer::FstVarType;

/// Cycles before a mismatch that are shown if nothing else is asked for.
pub const BEFORE: u64 = 64;
/// Cycles behind it.
pub const AFTER: u64 = 32;
/// Signals that a viewer opens.
const OPENED: usize = 24;
/// Buffered changes are written when they have so many bytes.
const FLUSH: usize = 64 << 20;

/// Which cycles are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// Some cycles around one.
    Around {
        /// That cycle.
        cycle: u64,
        /// Cycles before it.
        before: u64,
        /// Cycles behind it.
        after: u64,
    },
    /// The whole run.
    Full,
}

impl Window {
    /// The usual cycles around a mismatch.
    pub fn around(cycle: u64) -> Self {
        Self::Around { cycle, before: BEFORE, after: AFTER }
    }
}

/// What was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// First cycle.
    pub from: u64,
    /// Last cycle.
    pub to: u64,
    /// First cycle with a difference.
    pub mismatch: Option<u64>,
    /// Names of the registers that differ, without the side, in the order in which they begin to,
    /// each with its width.
    pub differing: Vec<(String, u32)>,
}

/// Why nothing was recorded.
#[derive(Debug, thiserror::Error)]
pub enum WaveError {
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// The same, or a defect of the writer.
    #[error(transparent)]
    Format(#[from] fst_writer::FstWriteError),
    /// The design does not fit its maps, or cannot write waves.
    #[error(transparent)]
    Dut(#[from] DutError),
    /// An assertion of the design is violated in reset.
    #[error("an assertion fails in reset")]
    Reset,
    /// The path of the file cannot be handed on.
    #[error("the path is not UTF-8")]
    Path,
}

/// A register, or a row of a tile's memory.
type Element = (Unit, String);

/// Records a case into a file, which appears whole or not at all.
///
/// # Errors
/// If the design does not fit its map, or the file cannot be written.
pub fn record(
    case: &Case,
    setup: &Setup<'_>,
    window: Window,
    path: &Path,
) -> Result<Recorded, WaveError> {
    let survey = survey(case, setup, window)?;
    output::write_partial(path, |partial| {
        let file = BufWriter::new(File::create(partial)?);
        write(case, setup, &survey, file)
    })
}

/// Records all signals of the design in a whole run, as its simulator writes them; the state of cycle t
/// is there from t ns on. What a violated assertion stops ends there. Returns the last cycle.
///
/// # Errors
/// If the design cannot, or the file cannot be written.
pub fn record_rtl(case: &Case, setup: &Setup<'_>, path: &Path) -> Result<u64, WaveError> {
    output::write_partial(path, |partial| {
        let name = partial.to_str().ok_or(WaveError::Path)?;
        let mut pair = match Pair::new(case, setup.geometry, setup.design) {
            Ok(pair) => pair,
            Err(StartError::Violated(_)) => return Err(WaveError::Reset),
            Err(StartError::Dut(e)) => return Err(e.into()),
        };
        pair.dut_mut().ok_or(DutError::NoWaves)?.open_waves(name)?;
        pair.run(setup.end(case), &mut ());
        Ok(pair.cycle())
    })
}

/// What a run contains, found before anything is written.
struct Survey {
    from: u64,
    to: u64,
    mismatch: Option<u64>,
    differing: Vec<Element>,
    /// Rows of the memories that change or differ.
    rows: BTreeSet<(usize, usize)>,
}

/// Surveys a run.
struct Surveyor {
    found: Survey,
    seen: BTreeSet<Element>,
}

impl Observer for Surveyor {
    fn look(&mut self, now: &Now<'_>) -> ControlFlow<()> {
        let (found, cycle, golden) = (&mut self.found, now.cycle, now.golden);
        if cycle >= found.from
            && let Some(dut) = now.dut
            && (!dut.agrees(golden) || !dut.srams_agree(golden))
        {
            found.mismatch.get_or_insert(cycle);
            for d in dut.differences(golden) {
                if let Some(row) = row_of(&d.register) {
                    found.rows.insert((d.unit.index, row));
                }
                if self.seen.insert((d.unit, d.register.clone())) {
                    found.differing.push((d.unit, d.register));
                }
            }
        }
        found.to = cycle;
        ControlFlow::Continue(())
    }

    fn after(&mut self, golden: &Fabric, cycle: u64) {
        if cycle >= self.found.from {
            for tile in 0..golden.geometry().tiles() {
                self.found.rows.extend(golden.written_row(tile).map(|row| (tile, row)));
            }
        }
    }

    fn violated(&mut self, _cycle: u64, _failure: &AssertionFailure) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

fn survey(case: &Case, setup: &Setup<'_>, window: Window) -> Result<Survey, DutError> {
    let (from, end) = match window {
        Window::Around { cycle, before, after } => {
            (cycle.saturating_sub(before), EndRule::at(cycle.saturating_add(after)))
        }
        Window::Full => (0, setup.end(case)),
    };
    let found =
        Survey { from, to: from, mismatch: None, differing: Vec::new(), rows: BTreeSet::new() };
    let mut surveyor = Surveyor { found, seen: BTreeSet::new() };
    Pair::replay(case, setup.geometry, setup.design)?.run(end, &mut surveyor);
    Ok(surveyor.found)
}

/// Row of a tile's memory.
fn row_of(register: &str) -> Option<usize> {
    register.strip_prefix("sram[")?.trim_end_matches(']').parse().ok()
}

/// Signals of one side.
struct Signals {
    /// Per unit, per group, per register.
    registers: Vec<Vec<Vec<FstSignalId>>>,
    rows: BTreeMap<(usize, usize), FstSignalId>,
}

/// A path in the names of the waves: scopes and name.
fn wave_path(layout: &Layout, unit: Unit, register: &str) -> String {
    let path = layout.path(unit, register);
    path.replace("][", "_").replace('[', "_").replace(']', "")
}

/// Name of a variable with its range, as other writers have it.
fn variable(name: &str, width: u32) -> String {
    if width == 1 { name.to_owned() } else { format!("{name} [{}:0]", width - 1) }
}

/// Adds variables in their scopes; successive paths share scopes where they begin alike.
struct Scopes<'a, W: std::io::Write + std::io::Seek> {
    header: &'a mut FstHeaderWriter<W>,
    open: Vec<String>,
}

impl<W: std::io::Write + std::io::Seek> Scopes<'_, W> {
    fn var(&mut self, path: &str, width: u32) -> fst_writer::Result<FstSignalId> {
        let mut parts: Vec<&str> = path.split('.').collect();
        let name = parts.pop().unwrap_or_default();
        let common = self.open.iter().zip(&parts).take_while(|(a, b)| a == b).count();
        while self.open.len() > common {
            self.header.up_scope()?;
            self.open.pop();
        }
        for part in &parts[common..] {
            self.header.scope(part, "", FstScopeType::Module)?;
            self.open.push((*part).to_owned());
        }
        self.header.var(
            variable(name, width),
            FstSignalType::bit_vec(width),
            FstVarType::Reg,
            FstVarDirection::Implicit,
            None,
        )
    }

    fn close(&mut self) -> fst_writer::Result<()> {
        while self.open.pop().is_some() {
            self.header.up_scope()?;
        }
        Ok(())
    }
}

fn write(
    case: &Case,
    setup: &Setup<'_>,
    survey: &Survey,
    file: BufWriter<File>,
) -> Result<Recorded, WaveError> {
    let mut pair = Pair::replay(case, setup.geometry, setup.design)?;
    let layout = Arc::clone(pair.golden().layout());
    let units = layout.units();

    // No date: the same run gives the same file.
    let info = FstInfo {
        start_time: survey.from,
        timescale_exponent: -9,
        version: format!("drra {}", env!("CARGO_PKG_VERSION")),
        date: String::new(),
        file_type: FstFileType::Verilog,
    };
    let mut header = FstHeaderWriter::new(file, &info)?;
    let mut side = |name: &str| -> fst_writer::Result<Signals> {
        let mut scopes = Scopes { header: &mut header, open: Vec::new() };
        let mut signals = Signals { registers: Vec::new(), rows: BTreeMap::new() };
        for &unit in &units {
            let mut groups = Vec::new();
            for group in layout.groups_of(unit.owner) {
                let mut ids = Vec::new();
                for r in &group.registers {
                    let path = format!("{name}.{}", wave_path(&layout, unit, &r.path));
                    ids.push(scopes.var(&path, r.width)?);
                }
                groups.push(ids);
            }
            signals.registers.push(groups);
            if unit.owner == Owner::Tile {
                for &(tile, row) in survey.rows.iter().filter(|r| r.0 == unit.index) {
                    let path = wave_path(&layout, unit, &format!("sram[{row}]"));
                    let id = scopes.var(&format!("{name}.{path}"), 256)?;
                    signals.rows.insert((tile, row), id);
                }
            }
        }
        scopes.close()?;
        Ok(signals)
    };
    let golden_ids = side("golden")?;
    let rtl_ids = side("rtl")?;
    let mut scopes = Scopes { header: &mut header, open: Vec::new() };
    let mut diff_ids: BTreeMap<Element, FstSignalId> = BTreeMap::new();
    // In the order of their paths, so that scopes are opened once.
    for element in survey.differing.iter().collect::<BTreeSet<_>>() {
        let path = wave_path(&layout, element.0, &element.1);
        let id = scopes.var(&format!("diff.{path}"), 1)?;
        diff_ids.insert(element.clone(), id);
    }
    let any = scopes.var("diff.any", 1)?;
    scopes.close()?;
    let body = header.finish()?;

    let mut writer = Writer {
        survey,
        golden: Side::new(&golden_ids, &layout, &units),
        rtl: Side::new(&rtl_ids, &layout, &units),
        diff: diff_ids,
        any,
        body,
        written: Ok(()),
    };
    pair.run(EndRule::at(survey.to), &mut writer);
    writer.written?;
    let mut body = writer.body;
    // The last cycle ends, too.
    body.time_change(survey.to + 1)?;
    body.finish()?;
    let width = |(unit, register): &Element| {
        if row_of(register).is_some() {
            return 256;
        }
        let registers = layout.groups_of(unit.owner).flat_map(|g| &g.registers);
        registers.into_iter().find(|r| r.path == *register).map_or(1, |r| r.width)
    };
    Ok(Recorded {
        from: survey.from,
        to: survey.to,
        mismatch: survey.mismatch,
        differing: survey
            .differing
            .iter()
            .map(|e| (wave_path(&layout, e.0, &e.1), width(e)))
            .collect(),
    })
}

/// Writes what a survey found while the case runs again.
struct Writer<'a, W: std::io::Write + std::io::Seek> {
    survey: &'a Survey,
    golden: Side<'a>,
    rtl: Side<'a>,
    diff: BTreeMap<Element, FstSignalId>,
    any: FstSignalId,
    body: FstBodyWriter<W>,
    written: fst_writer::Result<()>,
}

impl<W: std::io::Write + std::io::Seek> Writer<'_, W> {
    fn cycle(&mut self, now: &Now<'_>) -> fst_writer::Result<()> {
        let body = &mut self.body;
        body.time_change(now.cycle)?;
        self.golden.emit(body, now.golden)?;
        let mut differing = BTreeSet::new();
        if let Some(dut) = now.dut {
            self.rtl.emit(body, dut)?;
            if self.survey.mismatch.is_some_and(|m| now.cycle >= m) {
                let found = dut.differences(now.golden);
                differing.extend(found.into_iter().map(|d| (d.unit, d.register)));
            }
        }
        for (element, id) in &self.diff {
            let bit = if differing.contains(element) { b"1" } else { b"0" };
            body.signal_change(*id, bit)?;
        }
        body.signal_change(self.any, if differing.is_empty() { b"0" } else { b"1" })?;
        if body.size() > FLUSH {
            body.flush()?;
        }
        Ok(())
    }
}

impl<W: std::io::Write + std::io::Seek> Observer for Writer<'_, W> {
    fn look(&mut self, now: &Now<'_>) -> ControlFlow<()> {
        if now.cycle >= self.survey.from {
            self.written = self.cycle(now);
        }
        if self.written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn violated(&mut self, _cycle: u64, _failure: &AssertionFailure) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn reads_images(&self) -> bool {
        true
    }
}

/// One side while it is written.
struct Side<'a> {
    ids: &'a Signals,
    layout: &'a Layout,
    units: &'a [Unit],
    images: Vec<Vec<u64>>,
    rows: BTreeMap<(usize, usize), Block>,
    scratch: Vec<u64>,
    text: Vec<u8>,
}

impl<'a> Side<'a> {
    fn new(ids: &'a Signals, layout: &'a Layout, units: &'a [Unit]) -> Self {
        Self {
            ids,
            layout,
            units,
            images: vec![Vec::new(); units.len()],
            rows: BTreeMap::new(),
            scratch: Vec::new(),
            text: Vec::new(),
        }
    }

    /// Writes what changed since the last call; at first everything.
    fn emit<W: std::io::Write + std::io::Seek>(
        &mut self,
        body: &mut FstBodyWriter<W>,
        source: &dyn StateSource,
    ) -> fst_writer::Result<()> {
        for (i, &unit) in self.units.iter().enumerate() {
            source.read(unit, &mut self.scratch);
            let old = &self.images[i];
            if *old == self.scratch {
                continue;
            }
            let ids = &self.ids.registers[i];
            for (group, ids) in self.layout.groups_of(unit.owner).zip(ids) {
                let new = group.words(&self.scratch);
                if !old.is_empty() && group.words(old) == new {
                    continue;
                }
                for (register, id) in group.registers.iter().zip(ids) {
                    let value = register.value(new);
                    if !old.is_empty() && register.value(group.words(old)) == value {
                        continue;
                    }
                    bits(&value, register.width, &mut self.text);
                    body.signal_change(*id, &self.text)?;
                }
            }
            std::mem::swap(&mut self.images[i], &mut self.scratch);
        }
        for (&(tile, row), id) in &self.ids.rows {
            let block = source.sram_block(tile, row);
            if self.rows.insert((tile, row), block) != Some(block) {
                bits(&block, 256, &mut self.text);
                body.signal_change(*id, &self.text)?;
            }
        }
        Ok(())
    }
}

/// A value as characters, highest bit first.
fn bits(value: &[u64], width: u32, out: &mut Vec<u8>) {
    out.clear();
    let bit = |b: u32| value[(b / 64) as usize] >> (b % 64) & 1 == 1;
    out.extend((0..width).rev().map(|b| if bit(b) { b'1' } else { b'0' }));
}

impl Recorded {
    /// Where a viewer puts its cursor.
    fn cursor(&self) -> u64 {
        self.mismatch.unwrap_or(self.from)
    }

    /// Scopes and registers that a viewer opens besides those that differ: what the cell of the
    /// first one executes.
    fn context(&self) -> Vec<(String, u32)> {
        let cell = self.differing.first().and_then(|(path, _)| path.split('.').next());
        match cell.filter(|c| c.starts_with("cell_")) {
            Some(cell) => [("seq.state", 2), ("seq.pc", 6), ("seq.immediate", 1)]
                .into_iter()
                .map(|(name, width)| (format!("{cell}.{name}"), width))
                .collect(),
            None => Vec::new(),
        }
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
        let full = |side: &str, (path, width): &(String, u32)| {
            let name = path.rsplit('.').next().unwrap_or_default();
            let range = if *width == 1 { String::new() } else { format!("[{}:0]", width - 1) };
            format!("+{{{side} {name}}} {side}.{path}{range}\n")
        };
        out += "@28\ndiff.any\n";
        for signal in self.differing.iter().take(OPENED) {
            out += &format!("@800200\n-{}\n@22\n", signal.0);
            out += &full("golden", signal);
            out += &full("rtl", signal);
            out += "@28\n";
            out += &full("diff", &(signal.0.clone(), 1));
            out += &format!("@1000200\n-{}\n", signal.0);
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
        for (path, _) in self.differing.iter().take(OPENED) {
            out += &format!("divider_add {path}\n");
            for side in ["golden", "rtl", "diff"] {
                out += &format!("variable_add {side}.{path}\n");
            }
        }
        let context = self.context();
        if !context.is_empty() {
            out += "divider_add sequencer\n";
            for (path, _) in &context {
                out += &format!("variable_add golden.{path}\nvariable_add rtl.{path}\n");
            }
        }
        out + &format!("zoom_fit\ncursor_set {}\n", self.cursor())
    }
}
