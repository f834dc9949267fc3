// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loop that steps the golden model and the design.

use std::{
    cell::RefCell,
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use drra_case::{Buffers, Case, stimulus::StimulusPlayer};
use drra_fabric::ports::Inputs;
use drra_golden::{BufferWrite, Fabric};
use drra_isa::{ColumnId, Geometry};

use crate::{
    compared::ComparisonCoverage,
    dut::{Design, Dut, KnownStop},
    golden_run::{EndRule, GoldenRun},
    golden_thread::{Golden, GoldenThread},
    run::{GoldenResult, compare},
    stop::{AssertionFailure, DutError, StartError, StepError},
};

/// The design to run, and the length of the run.
#[derive(Clone, Copy, Debug)]
pub struct RunSetup<'a> {
    /// The design that is compared with the golden model.
    pub design: &'a dyn Design,
    /// Number of cycles to run. If `None`, the run has the length given in the case or, without one, ends when the
    /// fabric is idle.
    pub cycles: Option<u64>,
    /// Whether the golden model steps on a second thread while the design does, as long as that is faster.
    pub two_threads: bool,
}

impl<'a> RunSetup<'a> {
    /// Runs with this design, of the lengths given in the cases, each on one thread.
    pub fn new(design: &'a dyn Design) -> Self {
        Self { design, cycles: None, two_threads: false }
    }

    /// The end of a case.
    pub fn end(&self, case: &Case) -> EndRule {
        EndRule::new(case, self.cycles)
    }

    /// The comparison coverage of designs of these sizes together: what the design itself reports if it has a signal
    /// map, and otherwise everything.
    pub fn compared(&self, sizes: &[Geometry]) -> ComparisonCoverage {
        self.design
            .mapped()
            .map_or_else(|| ComparisonCoverage::whole(sizes), |mapped| mapped.compared())
    }
}

/// Both sides in the current cycle.
#[derive(Clone, Copy)]
pub struct CycleView<'r> {
    /// Current cycle.
    pub cycle: u64,
    /// The golden model.
    pub golden: &'r Fabric,
    /// The inputs of the golden model in this cycle.
    pub inputs: Inputs<'r>,
    /// The design; `None` if there is none, or after it has stopped.
    pub dut: Option<&'r dyn Dut>,
    /// True if the run ends with this cycle: no edge follows.
    pub last: bool,
}

/// Watches a case while it runs. Called in every cycle: [`Observer::on_sample`], then, unless the run ends there,
/// [`Observer::pre_edge`], the edge of both sides, [`Observer::post_edge`].
pub trait Observer {
    /// Both sides are in the current cycle with their inputs driven. `Break` ends the run.
    fn on_sample(&mut self, _view: &CycleView<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The registers have their values in this cycle; the run does not end here, and the edge is still to come.
    fn pre_edge(&mut self, _golden: &Fabric, _cycle: u64) {}

    /// The edge that ends `cycle` is over. The registers have their values in the next cycle; what was emitted or
    /// written in `cycle` can still be read.
    fn post_edge(&mut self, _golden: &Fabric, _cycle: u64) {}

    /// The design stops at the edge that ends `cycle`. `Break` ends the run; otherwise, the golden model continues
    /// alone, which is the default when a waveform ends.
    fn stopped(&mut self, _cycle: u64, why: &StepError) -> ControlFlow<()> {
        match why {
            StepError::Violated(_) => ControlFlow::Break(()),
            StepError::Ended { .. } => ControlFlow::Continue(()),
        }
    }

    /// True if the observer reads the images of the golden model, which take time to build. The images are always
    /// available while there is a design.
    fn reads_images(&self) -> bool {
        false
    }
}

impl Observer for () {}

impl<O: Observer + ?Sized> Observer for &mut O {
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        (**self).on_sample(view)
    }

    fn pre_edge(&mut self, golden: &Fabric, cycle: u64) {
        (**self).pre_edge(golden, cycle);
    }

    fn post_edge(&mut self, golden: &Fabric, cycle: u64) {
        (**self).post_edge(golden, cycle);
    }

    fn stopped(&mut self, cycle: u64, why: &StepError) -> ControlFlow<()> {
        (**self).stopped(cycle, why)
    }

    fn reads_images(&self) -> bool {
        (**self).reads_images()
    }
}

/// Two observers; the second does not see a cycle in which the first ends the run.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        self.0.on_sample(view)?;
        self.1.on_sample(view)
    }

    fn pre_edge(&mut self, golden: &Fabric, cycle: u64) {
        self.0.pre_edge(golden, cycle);
        self.1.pre_edge(golden, cycle);
    }

    fn post_edge(&mut self, golden: &Fabric, cycle: u64) {
        self.0.post_edge(golden, cycle);
        self.1.post_edge(golden, cycle);
    }

    fn stopped(&mut self, cycle: u64, why: &StepError) -> ControlFlow<()> {
        self.0.stopped(cycle, why)?;
        self.1.stopped(cycle, why)
    }

    fn reads_images(&self) -> bool {
        self.0.reads_images() || self.1.reads_images()
    }
}

/// Both sides of a case in the same cycle, each with its own buffers.
pub struct LockstepRun<'a> {
    golden: Golden<'a>,
    dut: Option<DutRun<'a>>,
    two_threads: bool,
    /// Before this cycle, the design takes over the state of the golden model where it differs.
    compare_from: u64,
}

impl<'a> LockstepRun<'a> {
    /// Both sides in cycle 0, with inputs driven. The length in the setup is not used.
    ///
    /// # Errors
    /// If the design does not start.
    pub fn new(case: &'a Case, setup: &RunSetup<'_>) -> Result<Self, StartError> {
        let RunSetup { design, two_threads, .. } = *setup;
        let golden = Golden::new(GoldenRun::new(case));
        let stop = design.known_stop();
        if let Some(stop) = stop.filter(|stop| stop.cycle.is_none()) {
            return Err(stop.failure.clone().into());
        }
        let dut = design.start(case, golden.fabric.layout())?;
        let dut = DutRun::new(dut, case, stop.cloned())?;
        Ok(Self { golden, dut: Some(dut), two_threads, compare_from: case.compare_from })
    }

    /// Like [`LockstepRun::new`]; a design that violates an assertion in reset, or when the inputs of cycle 0 are
    /// driven, is left out.
    ///
    /// # Errors
    /// If the design does not fit its map, or has no model of this size.
    pub fn replay(case: &'a Case, setup: &RunSetup<'_>) -> Result<Self, DutError> {
        match Self::new(case, setup) {
            Ok(run) => Ok(run),
            Err(StartError::Violated(_)) => Ok(Self::alone(case)),
            Err(StartError::Dut(e)) => Err(e),
        }
    }

    /// The golden model without a design.
    pub fn alone(case: &'a Case) -> Self {
        let golden = Golden::new(GoldenRun::new(case));
        Self { golden, dut: None, two_threads: false, compare_from: 0 }
    }

    /// The golden model in the current cycle.
    pub fn golden(&self) -> &Fabric {
        &self.golden.fabric
    }

    /// The result of the golden model so far.
    pub fn result(&self) -> GoldenResult {
        let golden = self.golden();
        GoldenResult {
            cycles: self.cycle(),
            instructions: golden.instructions(),
            unfinished: !golden.status().all_idle,
        }
    }

    /// Current cycle.
    pub fn cycle(&self) -> u64 {
        self.golden.cycle
    }

    /// The design, if there is one.
    pub fn dut_mut(&mut self) -> Option<&mut dyn Dut> {
        match &mut self.dut {
            Some(run) => Some(run.dut.as_mut()),
            None => None,
        }
    }

    /// True if the design differs in the current cycle.
    fn differs(&self) -> bool {
        let dut = self.dut.as_ref().map(|run| run.dut.as_ref());
        dut.is_some_and(|dut| compare(&self.golden.fabric, dut, true).is_some())
    }

    /// Makes the design take over the state of the golden model in the current cycle, and its buffers in the next one.
    /// Returns false if the design cannot do this.
    pub fn take_over(&mut self) -> bool {
        let golden = &self.golden;
        self.dut.as_mut().is_some_and(|run| run.take_over(golden))
    }

    /// Runs from the current cycle until the end, or until the observer stops it; can be called again to continue.
    pub fn run(&mut self, end: EndRule, observer: &mut dyn Observer) {
        if self.two_threads && self.dut.is_some() {
            thread::scope(|scope| self.run_with(GoldenThread::start(scope), end, observer));
        } else {
            self.run_with(None, end, observer);
        }
    }

    fn run_with(
        &mut self,
        mut thread: Option<GoldenThread<'a>>,
        mut end: EndRule,
        observer: &mut dyn Observer,
    ) {
        let pack = self.dut.is_some() || observer.reads_images();
        let heartbeat = WATCHED.with_borrow(Clone::clone);
        loop {
            let cycle = self.golden.cycle;
            if let Some(heartbeat) = &heartbeat {
                heartbeat.beat(cycle);
            }
            if cycle < self.compare_from && self.differs() && !self.take_over() {
                self.compare_from = 0; // the observer sees the difference
            }
            let last = end.ends(cycle, || self.golden.quiet());
            let dut = self.dut.as_ref().map(|run| run.dut.as_ref());
            let inputs = self.golden.inputs();
            let view = CycleView { cycle, golden: &self.golden.fabric, inputs, dut, last };
            if observer.on_sample(&view).is_break() || last {
                return;
            }
            observer.pre_edge(&self.golden.fabric, cycle);
            let used = thread.as_mut().is_some_and(GoldenThread::is_used);
            let dut = match (&thread, &mut self.dut) {
                (Some(thread), Some(run)) if used && !run.taken_over => {
                    thread.step(&mut self.golden, || run.step(cycle, None))
                }
                (_, run) => {
                    self.golden.step();
                    if pack {
                        self.golden.fabric.pack();
                    }
                    run.as_mut().map_or(Ok(()), |run| run.step(cycle, Some(&self.golden.buffers)))
                }
            };
            observer.post_edge(&self.golden.fabric, cycle);
            if let Err(why) = dut {
                self.dut = None;
                if observer.stopped(cycle, &why).is_break() {
                    return;
                }
            }
        }
    }
}

/// A design with its buffers and its inputs.
struct DutRun<'a> {
    dut: Box<dyn Dut>,
    buffers: Buffers,
    player: StimulusPlayer<'a>,
    geometry: Geometry,
    stop: Option<KnownStop>,
    /// True if the design has taken over the state of the golden model in the current cycle.
    taken_over: bool,
}

impl<'a> DutRun<'a> {
    /// A run in cycle 0, with its inputs driven.
    fn new(
        dut: Box<dyn Dut>,
        case: &'a Case,
        stop: Option<KnownStop>,
    ) -> Result<Self, AssertionFailure> {
        let (buffers, player) = (Buffers::new(case), case.player());
        let geometry = case.geometry;
        let mut run = Self { dut, buffers, player, geometry, stop, taken_over: false };
        run.drive()?;
        Ok(run)
    }

    fn drive(&mut self) -> Result<(), AssertionFailure> {
        self.dut.drive(&self.player.next(self.buffers.answers()))
    }

    /// Takes over the state of the golden model, which is in the same cycle.
    fn take_over(&mut self, golden: &GoldenRun<'_>) -> bool {
        self.taken_over = true;
        self.dut.take_over(&golden.fabric) && self.dut.drive(&golden.inputs()).is_ok()
    }

    /// Ends the current cycle and drives the inputs of the next one; `golden` are the buffers of the golden model, after
    /// the cycle, which a design that has taken over its state needs.
    fn step(&mut self, cycle: u64, golden: Option<&Buffers>) -> Result<(), StepError> {
        if let Some(stop) = self.stop.as_ref().filter(|stop| stop.cycle == Some(cycle)) {
            return Err(stop.failure.clone().into());
        }
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        if let Some(ports) = self.dut.ports() {
            let outputs = ports.outputs();
            for column in ColumnId::all(&self.geometry) {
                if outputs.io_in_en >> column.col() & 1 == 1 {
                    reads.push((column.col(), ports.io_in_addr(column)));
                }
                if outputs.io_out_en >> column.col() & 1 == 1 {
                    let BufferWrite { addr, data, mask, .. } = ports.io_out(column);
                    writes.push((column.col(), addr, data, mask));
                }
            }
        }
        self.dut.step()?;
        let taken_over = std::mem::take(&mut self.taken_over);
        match golden.filter(|_| taken_over) {
            Some(golden) => self.buffers.clone_from(golden),
            None => self.buffers.step(reads, writes),
        }
        Ok(self.drive()?)
    }
}

thread_local! {
    static WATCHED: RefCell<Option<Arc<Heartbeat>>> = const { RefCell::new(None) };
}

/// The progress of the runs of a thread. It lets a watchdog detect a clock cycle that hangs, and shows people how far a
/// long run has got.
#[derive(Debug, Default)]
pub struct Heartbeat {
    count: AtomicU64,
    cycle: AtomicU64,
}

impl Heartbeat {
    /// Starts to follow all later runs of this thread. A thread that does not call this has no heartbeat.
    pub fn of_this_thread() -> Arc<Self> {
        let heartbeat = Arc::new(Self::default());
        WATCHED.set(Some(Arc::clone(&heartbeat)));
        heartbeat
    }

    /// Changes with every cycle of every run.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// The cycle that a run reached last.
    pub fn cycle(&self) -> u64 {
        self.cycle.load(Ordering::Relaxed)
    }

    /// Counts a cycle that a run reaches. Only the thread of the runs calls this, so the count needs no atomic addition,
    /// which would cost more.
    #[inline]
    fn beat(&self, cycle: u64) {
        self.count.store(self.count().wrapping_add(1), Ordering::Relaxed);
        self.cycle.store(cycle, Ordering::Relaxed);
    }
}
