// SPDX-License-Identifier: MIT OR Apache-2.0
//! Both sides in lock-step, all state compared in every cycle.

use drra_golden::Fabric;
use drra_golden::Owner;
use drra_golden::Unit;
use drra_isa::Geometry;

use crate::bridge::AssertionFailure;
use crate::bridge::Dut;
use crate::case::Case;
use crate::environment::Environment;
use crate::golden_run::EndRule;
use crate::golden_run::GoldenRun;
use crate::signal_map::SignalMap;
use crate::state_map::Difference;
use crate::state_map::StateMap;
use crate::stimulus::Player;

/// The memories of the tiles are compared row by row where a row is written, and as a whole after
/// so many cycles and at the end.
pub const SRAM_PERIOD: u64 = 64;

/// What a run in lock-step came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Cycles in which both sides were compared, cycle 0 included.
    pub cycles: u64,
    /// Instructions decoded by the golden model.
    pub instructions: u64,
    /// Bits of state compared in each cycle.
    pub state_bits: u64,
    /// Some sequencer was still running at the end.
    pub unfinished: bool,
    /// The first disagreement, if there is one.
    pub mismatch: Option<Mismatch>,
}

/// The first disagreement of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// First cycle whose state differs; for an assertion the cycle in which it was violated.
    pub cycle: u64,
    /// What it is.
    pub kind: MismatchKind,
}

/// Kinds of disagreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MismatchKind {
    /// Registers differ; in table order, at least one.
    State(Vec<Difference>),
    /// An output port differs: name, golden value, RTL value.
    Output {
        /// Port and index.
        port: String,
        /// Value of the golden model.
        golden: String,
        /// Value of the RTL.
        rtl: String,
    },
    /// The RTL violates one of its own assertions.
    Assertion(AssertionFailure),
}

/// A fault put into the RTL side, for tests of the comparison.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Poke {
    /// Cycle whose state is changed.
    pub cycle: u64,
    /// Owner of the register.
    pub unit: Unit,
    /// Path of the register without the owner.
    pub register: String,
    /// Bit of the register.
    pub bit: u32,
}

/// A fault of the RTL side that stays: what its program port makes of a word. For tests.
#[doc(hidden)]
pub type WordFault = fn(u32) -> u32;

/// Settings of a run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Cycles to run; `None`: what the case says, else until the fabric is quiet.
    pub cycles: Option<u64>,
    /// Test-only fault.
    #[doc(hidden)]
    pub poke: Option<Poke>,
    /// Test-only fault.
    #[doc(hidden)]
    pub fault: Option<WordFault>,
}

/// The RTL with its buffers, its inputs and the map of its state.
#[derive(Debug)]
pub struct RtlRun<'a> {
    // `map` points into `dut` and is dropped first.
    map: StateMap,
    dut: Dut,
    environment: Environment,
    player: Player<'a>,
    cycle: u64,
    cols: usize,
    tiles: usize,
    fault: Option<WordFault>,
}

impl<'a> RtlRun<'a> {
    /// A run in cycle 0.
    ///
    /// # Errors
    /// `Ok(Err(..))` if an assertion fails in reset, `Err(..)` if the model does not fit the state
    /// map.
    pub fn new(
        case: &'a Case,
        geometry: &Geometry,
        golden: &Fabric,
    ) -> Result<Result<Self, AssertionFailure>, String> {
        let dut = match Dut::new(case.seed, case.straps(geometry)) {
            Ok(dut) => dut,
            Err(failure) => return Ok(Err(failure)),
        };
        let map = StateMap::new(&dut, golden.layout(), geometry)?;
        Ok(Ok(Self {
            map,
            dut,
            environment: Environment::new(geometry.columns, &case.input_buffers),
            player: case.stimulus.player(),
            cycle: 0,
            cols: geometry.columns,
            tiles: geometry.tiles(),
            fault: None,
        }))
    }

    /// Executes one cycle.
    ///
    /// # Errors
    /// If an assertion fails.
    pub fn step(&mut self) -> Result<(), AssertionFailure> {
        let outputs = self.dut.outputs();
        let (reads, writes) = (outputs.io_in_en, outputs.io_out_en);
        let columns = |mask: u32| (0..self.cols).filter(move |c| mask >> c & 1 == 1);
        let reads: Vec<_> = columns(reads).map(|c| (c, self.dut.io_in_addr(c))).collect();
        let writes: Vec<_> = columns(writes)
            .map(|c| {
                let (addr, data, mask) = self.dut.io_out(c);
                (c, addr, data, mask)
            })
            .collect();
        let mut inputs = self.player.next(self.environment.answers());
        if let (Some(fault), Some(word)) = (self.fault, &mut inputs.prog) {
            word.instr = fault(word.instr);
        }
        self.dut.step(&inputs)?;
        self.environment.step(reads, writes);
        self.cycle += 1;
        Ok(())
    }

    /// The map of its state.
    pub fn map(&self) -> &StateMap {
        &self.map
    }

    /// Writes waves of all signals of the RTL from now on; see [`Dut::open_waves`].
    ///
    /// # Errors
    /// As [`Dut::open_waves`].
    pub fn open_waves(&mut self, path: &str) -> Result<(), String> {
        self.dut.open_waves(path)
    }

    /// The map of the signals between its blocks.
    ///
    /// # Errors
    /// If the model does not fit the signal map.
    pub fn signals(&self, geometry: &Geometry) -> Result<SignalMap, String> {
        SignalMap::new(&self.dut, geometry)
    }

    /// The simulation.
    pub fn dut(&self) -> &Dut {
        &self.dut
    }

    /// Current cycle.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Makes the program port faulty from now on, for tests.
    #[doc(hidden)]
    pub fn set_fault(&mut self, fault: Option<WordFault>) {
        self.fault = fault;
    }

    /// Flips a bit, for tests.
    #[doc(hidden)]
    pub fn poke(&mut self, poke: &Poke) {
        self.map.poke(poke.unit, &poke.register, poke.bit);
    }
}

/// Watches the golden model while a case runs.
pub trait Observer {
    /// The registers are those of the current cycle, both sides agree, the edge is still to come.
    fn before(&mut self, _golden: &Fabric, _cycle: u64) {}

    /// The edge is over: the registers are those of the next cycle; what was emitted or written in
    /// this one can still be asked for.
    fn after(&mut self, _golden: &Fabric) {}
}

impl Observer for () {}

/// Runs a case in lock-step.
///
/// # Errors
/// If the model does not fit the state map (a defect of the build). A disagreement is no error.
pub fn run(case: &Case, geometry: &Geometry, options: &Options) -> Result<Outcome, String> {
    run_observed(case, geometry, options, &mut ())
}

/// As [`run`], with an observer of the golden model.
///
/// # Errors
/// As [`run`].
pub fn run_observed(
    case: &Case,
    geometry: &Geometry,
    options: &Options,
    observer: &mut impl Observer,
) -> Result<Outcome, String> {
    let first = attempt(case, geometry, options, u64::MAX, observer)?;
    // Whatever was found first may follow from an older difference in a memory: run again and
    // compare the memories in every cycle since the last time they agreed.
    match &first.mismatch {
        Some(m) => attempt(case, geometry, options, m.cycle.saturating_sub(SRAM_PERIOD), &mut ()),
        None => Ok(first),
    }
}

/// One pass; from cycle `sram_from` on the memories are compared as a whole in every cycle.
fn attempt(
    case: &Case,
    geometry: &Geometry,
    options: &Options,
    sram_from: u64,
    observer: &mut impl Observer,
) -> Result<Outcome, String> {
    let mut golden = GoldenRun::new(case, geometry);
    let mut outcome = Outcome {
        cycles: 0,
        instructions: 0,
        state_bits: golden.fabric.layout().state_bits(),
        unfinished: false,
        mismatch: None,
    };
    let mut rtl = match RtlRun::new(case, geometry, &golden.fabric)? {
        Ok(rtl) => rtl,
        Err(failure) => {
            let kind = MismatchKind::Assertion(failure);
            outcome.mismatch = Some(Mismatch { cycle: 0, kind });
            return Ok(outcome);
        }
    };
    rtl.set_fault(options.fault);
    outcome.cycles = drive(
        &mut golden,
        &mut rtl,
        EndRule::new(case, options.cycles),
        options.poke.as_ref(),
        sram_from,
        &mut outcome.mismatch,
        observer,
    );
    outcome.instructions = golden.fabric.instructions();
    outcome.unfinished = !golden.fabric.status().all_idle;
    Ok(outcome)
}

/// The loop: compare, then step both sides, until the end or the first disagreement. Returns the
/// number of cycles compared.
fn drive(
    golden: &mut GoldenRun<'_>,
    rtl: &mut RtlRun<'_>,
    mut end: EndRule,
    poke: Option<&Poke>,
    sram_from: u64,
    mismatch: &mut Option<Mismatch>,
    observer: &mut impl Observer,
) -> u64 {
    loop {
        let cycle = golden.cycle;
        if let Some(poke) = poke.filter(|p| p.cycle == cycle) {
            rtl.poke(poke);
        }
        let ends = end.ends(cycle, || golden.quiet());
        let whole = ends || cycle.is_multiple_of(SRAM_PERIOD) || cycle >= sram_from;
        if let Some(kind) = compare(&golden.fabric, rtl, whole) {
            *mismatch = Some(Mismatch { cycle, kind });
            return cycle + 1;
        }
        if ends {
            return cycle + 1;
        }
        observer.before(&golden.fabric, cycle);
        golden.step();
        golden.fabric.pack();
        observer.after(&golden.fabric);
        if let Err(failure) = rtl.step() {
            *mismatch = Some(Mismatch { cycle, kind: MismatchKind::Assertion(failure) });
            return cycle + 1;
        }
    }
}

/// Both sides of a case that is run piece by piece, for measurements.
pub(crate) struct Pair<'a> {
    golden: GoldenRun<'a>,
    rtl: RtlRun<'a>,
}

impl<'a> Pair<'a> {
    /// Both sides in cycle 0.
    ///
    /// # Errors
    /// If the model does not fit the state map, or an assertion fails in reset.
    pub(crate) fn new(case: &'a Case, geometry: &Geometry) -> Result<Self, String> {
        let golden = GoldenRun::new(case, geometry);
        let rtl = RtlRun::new(case, geometry, &golden.fabric)?
            .map_err(|f| format!("assertion at {}", f.place))?;
        Ok(Self { golden, rtl })
    }

    /// Runs in lock-step until `cycle`, everything compared.
    ///
    /// # Errors
    /// If the two sides disagree.
    pub(crate) fn run_to(
        &mut self,
        cycle: u64,
        observer: &mut impl Observer,
    ) -> Result<(), String> {
        let mut mismatch = None;
        let end = EndRule::at(cycle);
        let (golden, rtl) = (&mut self.golden, &mut self.rtl);
        drive(golden, rtl, end, None, u64::MAX, &mut mismatch, observer);
        match mismatch {
            None => Ok(()),
            Some(m) => Err(format!("the two sides disagree in cycle {}", m.cycle)),
        }
    }
}

/// Compares the current cycle of both sides.
#[inline]
fn compare(golden: &Fabric, rtl: &RtlRun<'_>, whole: bool) -> Option<MismatchKind> {
    let map = &rtl.map;
    let memories = if whole {
        map.srams_agree(golden)
    } else {
        (0..rtl.tiles)
            .all(|tile| golden.written_row(tile).is_none_or(|row| map.sram_row(golden, tile, row)))
    };
    if !memories || !map.agrees(golden) {
        return Some(MismatchKind::State(map.differences(golden)));
    }
    compare_outputs(golden, rtl)
}

/// The output ports are functions of registers that agree; here the functions are compared.
fn compare_outputs(golden: &Fabric, rtl: &RtlRun<'_>) -> Option<MismatchKind> {
    if rtl.cycle == 0 {
        return None; // the ports are read behind the first edge
    }
    let differ = |port: &str, golden: String, rtl: String| {
        (golden != rtl).then(|| MismatchKind::Output { port: port.to_owned(), golden, rtl })
    };
    let (ours, theirs) = (golden.status(), rtl.dut.outputs());
    if ours.cell_idle != theirs.cell_idle {
        return differ(
            "cell_idle",
            format!("{:#x}", ours.cell_idle),
            format!("{:#x}", theirs.cell_idle),
        );
    }
    if ours.all_idle != theirs.all_idle {
        return differ("all_idle", ours.all_idle.to_string(), theirs.all_idle.to_string());
    }
    if ours.agu_busy != theirs.agu_busy {
        return differ("agu_busy", ours.agu_busy.to_string(), theirs.agu_busy.to_string());
    }
    let mut reads = 0;
    for read in golden.buffer_reads() {
        reads |= 1 << read.col;
        let addr = rtl.dut.io_in_addr(read.col);
        if addr != read.addr {
            let port = format!("io_in_addr[{}]", read.col);
            return differ(&port, format!("{:#x}", read.addr), format!("{addr:#x}"));
        }
    }
    if reads != theirs.io_in_en {
        return differ("io_in_en", format!("{reads:#x}"), format!("{:#x}", theirs.io_in_en));
    }
    let mut writes = 0;
    for write in golden.buffer_writes() {
        writes |= 1 << write.col;
        let ours = (write.addr, write.data, write.mask);
        let theirs = rtl.dut.io_out(write.col);
        if ours != theirs {
            let port = format!("io_out_*[{}]", write.col);
            return differ(&port, format!("{ours:x?}"), format!("{theirs:x?}"));
        }
    }
    if writes != theirs.io_out_en {
        return differ("io_out_en", format!("{writes:#x}"), format!("{:#x}", theirs.io_out_en));
    }
    None
}

/// All registers that a test can poke: unit and path without the owner, for every row of the state
/// table.
#[doc(hidden)]
pub fn registers(fabric: &Fabric) -> Vec<(Unit, String, u32)> {
    let layout = fabric.layout();
    let mut all = Vec::new();
    for unit in layout.units() {
        for group in layout.groups_of(unit.owner) {
            for r in &group.registers {
                all.push((unit, r.path.clone(), r.width));
            }
        }
        if unit.owner == Owner::Tile {
            all.push((unit, "sram[5]".to_owned(), 256));
        }
    }
    all
}
