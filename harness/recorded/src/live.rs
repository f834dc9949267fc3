// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares a design while its samples arrive, from a source that cannot be read twice. The last samples and the state
//! before them are kept, so that a difference is reported like one in a waveform.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
};

use drra_case::{Buffers, Case, Stimulus, StimulusEntry};
use drra_fabric::{
    Layout,
    ports::{Block, InputPort, Inputs},
};
use drra_golden::Fabric;
use drra_isa::{ColumnId, Geometry};
use drra_lockstep::{
    CYCLES_AFTER, CYCLES_BEFORE, Comparator, CycleView, Dut, EndRule, Observer, Value,
};

use crate::{
    RecordedError, WaveformCheck,
    check::PassResult,
    design::{Recording, SampleSource},
    driven::ExpectedInputs,
    map::{CompareFrom, MapFile, SignalMap},
    names::{SignalHandle, SignalNames},
    plan::EvaluationPlan,
    samples::{Clock, LatestValues, Sample},
    scan::{Scan, no_cycle_0, scanned_signals},
    state::{Alignment, RecordedDut, RecordedState},
    stimulus::{InputCollector, block},
};

/// A design that is compared in every cycle as soon as the samples for this cycle are there.
#[derive(Debug)]
pub struct LiveCheck {
    recording: LiveRecording,
    map: SignalMap,
    plan: Arc<EvaluationPlan>,
    name: String,
    given: Option<GivenCase>,
    /// The inputs seen on the ports of the design, if the map has them.
    driver: Option<InputCollector>,
    /// The latest values of all signals.
    values: LatestValues,
    /// Number of samples so far.
    edges: u64,
    /// Number of the edge that ends cycle 0.
    start: Option<u64>,
    dut: RecordedDut,
    golden: GoldenSide,
    /// The first cycle with a difference.
    difference: Option<u64>,
    /// The last edge that is needed, once it is known.
    last_edge: Option<u64>,
}

/// The samples that are still needed, and their origin.
#[derive(Debug)]
struct LiveRecording {
    names: Arc<SignalNames>,
    source: String,
    /// Samples that the design has not taken yet.
    waiting: VecDeque<Arc<Sample>>,
    /// The last samples.
    kept: VecDeque<Arc<Sample>>,
    /// At most two states, [`CYCLES_BEFORE`] cycles apart, each before some of the kept samples.
    states: VecDeque<RecordedState>,
}

impl LiveRecording {
    /// Returns the next sample that the design has not taken, up to an edge.
    fn next(&mut self, edge: u64) -> Option<Arc<Sample>> {
        self.waiting
            .front()
            .is_some_and(|sample| sample.edge <= edge)
            .then(|| self.waiting.pop_front())?
    }

    fn keep(&mut self, state: RecordedState) {
        if self.states.len() == 2 {
            self.states.pop_front();
        }
        self.states.push_back(state);
        let needed = self.states[0].next_sample();
        self.kept.drain(..self.kept.partition_point(|sample| sample.edge < needed));
    }
}

/// The case with which the design should be driven.
#[derive(Debug)]
struct GivenCase {
    case: Case,
    expected: ExpectedInputs,
    buffers: BTreeMap<(ColumnId, u32), Block>,
}

/// The golden model in the next cycle to be compared.
#[derive(Debug)]
struct GoldenSide {
    fabric: Fabric,
    cycle: u64,
    /// The input buffers of the given case, used if the ports of the design do not show their answers.
    buffers: Buffers,
    /// The requests of the last cycle to the input buffers.
    requests: Vec<(ColumnId, u32)>,
    /// The answers on the ports of the design, by column, and the number of changes of them so far.
    answers: Vec<Value>,
    changes: usize,
    end: EndRule,
    /// True if the number of cycles to compare was given.
    is_limited: bool,
}

impl LiveCheck {
    /// A design with these signals before its first sample. If the map has the load ports, the golden model gets the
    /// inputs seen there, and a given case is compared with them; otherwise, a case must be given. `name` is the name of
    /// a case taken from the ports, and `source` describes the design in reports. If `cycles` is given, no cycle after
    /// it is compared.
    ///
    /// # Errors
    /// If the map does not fit the signals, or needs a case and none is given.
    pub fn new(
        names: Arc<SignalNames>,
        map: &MapFile,
        given: Option<&Case>,
        name: &str,
        geometry: &Geometry,
        source: &str,
        cycles: Option<u64>,
    ) -> Result<Self, RecordedError> {
        let map = SignalMap::resolve(map, &names, geometry)?;
        let driver = InputCollector::new(&map, geometry)?;
        let plan = Arc::new(EvaluationPlan::new(&map, &Layout::new(geometry)));
        let loaded = map.registers.iter().find(|register| register.from == CompareFrom::LoadEnd);
        let case = match (given, &driver, loaded) {
            (Some(case), ..) => case.clone(),
            (None, None, _) => return Err(RecordedError::no_stimulus(&map)),
            (None, Some(_), Some(register)) => {
                return Err(RecordedError::Unusable(format!(
                    "{} is compared from the end of the load, which is unknown while the design runs: give the case",
                    register.location
                )));
            }
            (None, Some(_), None) => Case { geometry: *geometry, ..Case::default() },
        };
        // Seen on the ports, the end of the load and of the run follow from the last input.
        let (load_end, end) = match &driver {
            None => (case.stimulus.load_end(geometry), EndRule::new(&case, cycles)),
            Some(_) => (u64::MAX, EndRule::at(cycles.unwrap_or(u64::MAX))),
        };
        let dut = RecordedDut::fed(Arc::clone(&plan), Alignment { start: u64::MAX, load_end });
        let golden = GoldenSide {
            fabric: Fabric::new(*geometry, case.straps()),
            cycle: 0,
            buffers: Buffers::new(&case),
            requests: Vec::new(),
            answers: vec![Value::new([], 256); geometry.columns],
            changes: 0,
            end,
            is_limited: cycles.is_some(),
        };
        let given = given.map(|_| GivenCase {
            expected: ExpectedInputs::new(&case, geometry),
            buffers: case.input_buffers.iter().map(|(c, a, block)| ((*c, *a), *block)).collect(),
            case,
        });
        let recording = LiveRecording {
            names,
            source: source.to_owned(),
            waiting: VecDeque::new(),
            kept: VecDeque::new(),
            states: VecDeque::new(),
        };
        Ok(Self {
            recording,
            map,
            plan,
            name: name.to_owned(),
            given,
            driver,
            values: LatestValues::default(),
            edges: 0,
            start: None,
            dut,
            golden,
            difference: None,
            last_edge: None,
        })
    }

    /// The clock, whose edges end the samples.
    pub fn clock(&self) -> Clock {
        self.map.clock
    }

    /// The signals whose changes belong in the samples.
    pub fn wanted(&self) -> Vec<SignalHandle> {
        let mut wanted = scanned_signals(&self.map, self.driver.is_some());
        wanted.extend(self.plan.watchers.keys());
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    /// The first cycle with a difference, as soon as it is known; [`Self::checked`] gives the difference.
    pub fn difference(&self) -> Option<u64> {
        self.difference
    }

    /// The golden model in its current cycle, which is the next one to be compared.
    pub fn golden(&self) -> &Fabric {
        &self.golden.fabric
    }

    /// The current cycle of the golden model. It lags behind the samples if the map shows registers or flags late.
    pub fn cycle(&self) -> u64 {
        self.golden.cycle
    }

    /// True if no more samples are needed: the run has ended, or a difference can be reported completely.
    pub fn is_done(&self) -> bool {
        self.last_edge.is_some_and(|last| self.edges > last)
    }

    /// Receives the next sample, and compares the cycles that are complete.
    ///
    /// # Errors
    /// If an input is unknown, or the map does not cover the value of a signal that determines cycle 0.
    pub fn sample(&mut self, sample: Sample) -> Result<(), RecordedError> {
        if self.is_done() {
            return Ok(());
        }
        let (edge, sample) = (sample.edge, Arc::new(sample));
        self.edges = edge + 1;
        self.values.apply(&sample);
        self.recording.kept.push_back(Arc::clone(&sample));
        self.recording.waiting.push_back(sample);
        if self.start.is_none() {
            let at = |e| format!("at edge {edge} of the clock: {e}");
            if self.map.begins(&self.values).map_err(at)? {
                let start = edge + u64::from(self.map.cycle_0.skip);
                self.start = Some(start);
                self.dut.state_mut().set_start(start);
            }
        }
        let Some(start) = self.start else {
            self.take_early(edge);
            return Ok(());
        };
        if edge < start {
            return Ok(());
        }
        match (self.take_inputs(edge - start), self.difference) {
            (Ok(true), None) => {}
            (Ok(false), None) => self.stop_at(edge - start),
            (Err(e), None) => return Err(e),
            (Ok(_), Some(_)) => return Ok(()),
            // Inputs that follow from the difference need not be usable.
            (Err(_), Some(_)) => {
                self.edges = edge;
                self.last_edge = Some(edge - 1);
                return Ok(());
            }
        }
        let delays = &self.map.ports.flag_delays;
        let delay = delays.iter().max().filter(|_| self.driver.is_some()).copied().unwrap_or(0);
        self.advance(delay.max(self.plan.lookahead), None);
        Ok(())
    }

    /// While cycle 0 is still to come, the design takes the samples that belong to no cycle, so that a long reset needs
    /// no memory.
    fn take_early(&mut self, edge: u64) {
        let Some(edge) = edge.checked_sub(self.plan.ahead.into()) else { return };
        while let Some(sample) = self.recording.next(edge) {
            self.dut.state_mut().take(&sample);
            self.recording.kept.pop_front();
        }
    }

    /// Receives the inputs on the ports in a cycle. Returns false if the given case does not have them.
    fn take_inputs(&mut self, cycle: u64) -> Result<bool, RecordedError> {
        let Some(driver) = &mut self.driver else { return Ok(true) };
        let new = driver.sample(cycle, &self.values)?;
        let geometry = self.plan.layout.geometry();
        let mut same = true;
        if cycle == 0 && self.map.ports.inputs.contains_key(&InputPort::IoCell) {
            let io_cells = driver.io_cells().clone();
            same = self.given.as_ref().is_none_or(|given| given.case.io_cells == io_cells);
            let straps = Case { geometry: *geometry, io_cells, ..Case::default() }.straps();
            self.golden.fabric = Fabric::new(*geometry, straps);
        }
        let Some(GivenCase { case, expected, .. }) = &mut self.given else { return Ok(true) };
        for entry in &new {
            same &= expected.take(entry);
        }
        let is_new = cycle == 0 || new.iter().any(StimulusEntry::uses_a_port);
        if is_new && expected.are_complete() {
            let stimulus = driver.stimulus();
            self.dut.state_mut().set_load_end(stimulus.load_end(geometry));
            if let Some(cycles) = case.cycles.filter(|_| !self.golden.is_limited) {
                let after = cycles.saturating_sub(case.stimulus.end());
                self.golden.end = EndRule::at(stimulus.end() + after);
            }
        }
        Ok(same)
    }

    /// Ends the comparison at a difference, a few cycles after which are still needed.
    fn stop_at(&mut self, cycle: u64) {
        self.difference = Some(cycle);
        self.last_edge = Some(self.dut.last_sample(cycle + CYCLES_AFTER));
    }

    /// Compares the cycles whose edge is at least `behind` edges before the last one. The inputs are those of the given
    /// stimulus, or else those seen so far.
    fn advance(&mut self, behind: u32, stimulus: Option<&Stimulus>) {
        let Some(start) = self.start else { return };
        while self.last_edge.is_none() && start + self.golden.cycle + u64::from(behind) < self.edges
        {
            let cycle = self.golden.cycle;
            if cycle.is_multiple_of(CYCLES_BEFORE) {
                self.recording.keep(RecordedState::clone(&self.dut));
            }
            while let Some(sample) = self.recording.next(self.dut.last_sample(cycle)) {
                self.dut.state_mut().take(&sample);
            }
            self.dut.state_mut().update(cycle);
            let golden = &self.golden.fabric;
            let last = self.golden.end.ends(cycle, || golden.quiet());
            let (dut, inputs): (&dyn Dut, _) = (&self.dut, Inputs::default());
            let view = CycleView { cycle, golden, inputs, dut: Some(dut), last };
            if Comparator::default().on_sample(&view).is_break() || !self.answers_agree() {
                self.stop_at(cycle);
            } else if last {
                self.last_edge = Some(self.dut.last_sample(cycle));
            } else {
                self.step_golden(stimulus);
            }
        }
    }

    /// Receives the answers on the ports in the current cycle of the golden model. Returns false if an answer to a
    /// request is unknown, or is not that of the given case.
    fn answers_agree(&mut self) -> bool {
        let GoldenSide { answers, changes, requests, cycle, .. } = &mut self.golden;
        let Some(driver) = self.driver.as_ref().filter(|driver| driver.shows_answers()) else {
            return true;
        };
        for (_, column, value) in driver.answers()[*changes..].iter().take_while(|a| a.0 <= *cycle)
        {
            answers[column.index(self.plan.layout.geometry())] = value.clone();
            *changes += 1;
        }
        requests.iter().all(|(column, address)| {
            let answer = &answers[column.index(self.plan.layout.geometry())];
            let is_given = |given: &GivenCase| {
                let expected = given.buffers.get(&(*column, *address)).copied().unwrap_or_default();
                block(answer) == expected
            };
            answer.is_known() && self.given.as_ref().is_none_or(is_given)
        })
    }

    fn step_golden(&mut self, stimulus: Option<&Stimulus>) {
        let GoldenSide { fabric, cycle, buffers, requests, answers, .. } = &mut self.golden;
        let shown = self.driver.as_ref().filter(|driver| driver.shows_answers());
        let data: Vec<Block> = match shown {
            Some(_) => answers.iter().map(block).collect(),
            None => buffers.answers().to_vec(),
        };
        let stimulus = stimulus.or(self.driver.as_ref().map(InputCollector::stimulus));
        let player = match (stimulus, &self.given) {
            (Some(stimulus), _) => stimulus.player(),
            (None, Some(given)) => given.case.player(),
            (None, None) => return,
        };
        *requests = fabric.buffer_reads().map(|read| (read.column, read.addr)).collect();
        let reads: Vec<_> =
            requests.iter().map(|(column, address)| (column.col(), *address)).collect();
        let writes: Vec<_> =
            fabric.buffer_writes().map(|w| (w.column.col(), w.addr, w.data, w.mask)).collect();
        fabric.step(&player.at(*cycle).next(&data));
        fabric.pack();
        buffers.step(reads, writes);
        *cycle += 1;
    }

    /// The comparison so far: ready to be reported at a difference, or as after reading a waveform that ends here; `cut`
    /// is the place where it ends if it was truncated. More samples may follow only if there is a difference.
    ///
    /// # Errors
    /// If cycle 0 has not been reached, or there is nothing to compare.
    pub fn checked(&mut self, cut: Option<String>) -> Result<WaveformCheck, RecordedError> {
        let edges = self.edges;
        let Some(start) = self.start.filter(|start| *start < edges) else {
            return Err(no_cycle_0(&self.map, edges));
        };
        if let (None, Some(driver)) = (self.difference, self.driver.clone()) {
            let (recorded, _) = driver.case(&self.name, 0);
            self.advance(self.plan.lookahead, Some(&recorded.stimulus));
        }
        let state = self.recording.states.front().unwrap_or(&self.dut).clone();
        let kept = self.recording.kept.iter().map(Arc::clone).collect();
        let recording = Recording {
            samples: SampleSource::Kept(kept, Box::new(Mutex::new(state))),
            names: Arc::clone(&self.recording.names),
            simulator: self.recording.source.clone(),
            cut: cut.clone(),
        };
        let scan = Scan { start, cycles: edges - start, cut, driver: self.driver.clone() };
        let pass = PassResult { tally: self.dut.tally(), difference: self.difference.is_some() };
        let (map, plan) = (self.map.clone(), Arc::clone(&self.plan));
        let given = self.given.as_ref().map(|given| &given.case);
        WaveformCheck::assemble(recording, map, plan, scan, given, &self.name, Some(pass))
    }
}
