// SPDX-License-Identifier: MIT OR Apache-2.0
//! A simulation that is compared with the golden model while it runs.

use std::{
    collections::{HashMap, HashSet},
    ffi::{CString, c_int},
    fmt::Display,
    fs,
    io::ErrorKind,
    mem,
    path::Path,
    sync::Arc,
    time::Instant,
};

use drra_case::Case;
use drra_isa::Geometry;
use drra_lockstep::{MappedDesign, Value, ValueWords};
use drra_recorded::{
    CheckResult, LiveCheck, RecordedError, Sample, SignalHandle, SignalKind, SignalNames, Vectors,
    WaveformCheck, WaveformValue,
    map::{MapFile, SignalMap},
};
use drra_report::{Report, html::FILES};
use drra_results::{
    Bundle,
    batch::{Batch, BatchCase},
    checked::{ExplainError, agreement, explain, too_little},
    junit::{self, TestRun},
};

use crate::{
    DRRA_AGREED, DRRA_BAD_INPUT, DRRA_MISMATCH, VecVal,
    text::{Failure, bad, c_text, tool},
};

/// Maximum width of a signal in bits, as in maps.
const MAX_BITS: u32 = 1 << 16;
/// The design in reports.
const SOURCE: &str = "live simulation";
/// Name of a case taken from the ports of the design.
const NAME: &str = "live";
/// How to reproduce a mismatch.
const REPEAT: &str = "simulate case.json again";

/// The signals of a design, which are added one after another.
pub(crate) struct Signals {
    map: MapFile,
    names: SignalNames,
    /// The signals with their widths in bits, by number.
    signals: Vec<(SignalHandle, u32)>,
    /// Numbers of the signals by path.
    known: HashMap<String, usize>,
    /// The paths that the map looks for.
    pub(crate) needed: Vec<CString>,
    listed: HashSet<String>,
    /// True if signals were added since the map was last searched.
    stale: bool,
}

impl Signals {
    pub(crate) fn new(map: MapFile) -> Self {
        Self {
            map,
            names: SignalNames::default(),
            signals: Vec::new(),
            known: HashMap::new(),
            needed: Vec::new(),
            listed: HashSet::new(),
            stale: true,
        }
    }

    /// Adds a signal and returns its number. A signal that is added again keeps its number.
    pub(crate) fn add(&mut self, path: &str, bits: u32) -> Result<usize, Failure> {
        let number = self.known.get(path).copied();
        let known = number.map_or(bits, |number| self.signals[number].1);
        if !(1..=MAX_BITS).contains(&bits) || known != bits {
            let expected = if known == bits {
                format!("1 to {MAX_BITS}")
            } else {
                format!("{known} as before")
            };
            return Err(bad(format!("signal {path}: {bits} bits, expected {expected}")));
        }
        Ok(number.unwrap_or_else(|| {
            let signal = self.names.add(path, SignalKind::Bits { width: bits }, Vec::new());
            self.signals.push((signal, bits));
            self.known.insert(path.to_owned(), self.signals.len() - 1);
            self.stale = true;
            self.signals.len() - 1
        }))
    }

    /// The n-th path that the map looks for.
    pub(crate) fn needed(&mut self, n: usize, geometry: &Geometry) -> Option<&CString> {
        if n >= self.needed.len() && mem::take(&mut self.stale) {
            let mut missing = SignalMap::missing(&self.map, &self.names, geometry);
            missing.retain(|path| self.listed.insert(path.clone()));
            self.needed.extend(missing.iter().map(|path| c_text(path)));
        }
        self.needed.get(n)
    }

    /// Binds the map.
    pub(crate) fn bind(mut self, given: Option<&Case>, size: &Geometry) -> Result<Live, Failure> {
        self.names.join();
        let names = Arc::new(self.names);
        let check = LiveCheck::new(Arc::clone(&names), &self.map, given, NAME, size, SOURCE, None);
        let check = check.map_err(refused)?;
        let wanted = check.wanted();
        let vectors = Vectors::new(&names, &wanted);
        let mut places = vec![None; self.signals.len()];
        for signal in vectors.as_ref().map_or(wanted, Vectors::read) {
            places[signal.index()] = Some(0);
        }
        Ok(Live {
            check,
            signals: self.signals,
            vectors,
            changes: Vec::new(),
            places,
            edges: 0,
            failed: None,
            finished: None,
            begin: Instant::now(),
        })
    }
}

/// A comparison that is going on or has ended.
pub(crate) struct Live {
    pub(crate) check: LiveCheck,
    /// The signals with their widths in bits, by number.
    signals: Vec<(SignalHandle, u32)>,
    /// Vectors whose bits are separate signals.
    vectors: Option<Vectors>,
    /// The values set since the last edge, one for each signal at most.
    changes: Vec<(SignalHandle, WaveformValue)>,
    /// For each signal that the comparison needs, where it is in `changes`, if it is there.
    places: Vec<Option<usize>>,
    /// Number of edges so far.
    pub(crate) edges: u64,
    /// The reason the comparison cannot continue.
    failed: Option<Failure>,
    finished: Option<Finished>,
    begin: Instant,
}

/// The end of a comparison.
struct Finished {
    /// `None` if it could not be compared.
    ran: Option<Ran>,
    test: TestRun,
    status: c_int,
    text: String,
}

impl Live {
    /// The width of a signal in bits.
    pub(crate) fn width(&self, number: usize) -> Result<u32, Failure> {
        let signal = self.signals.get(number).map(|(_, width)| *width);
        signal.ok_or_else(|| bad(format!("no signal has the number {number}")))
    }

    /// Sets the value of an existing signal.
    pub(crate) fn set(&mut self, number: usize, value: &[VecVal]) {
        let Some(place) = &mut self.places[number] else { return };
        let (signal, width) = self.signals[number];
        let words = |part: fn(&VecVal) -> u32| {
            let join = |word, half| word << 32 | u64::from(part(half));
            value.chunks(2).map(|pair| pair.iter().rev().fold(0, join)).collect::<ValueWords>()
        };
        let value = Value::with_unknown(words(|half| half.aval), words(|half| half.bval), width);
        let value = WaveformValue::Bits(value);
        match self.changes.get_mut(*place) {
            Some((known, last)) if *known == signal => *last = value,
            _ => {
                *place = self.changes.len();
                self.changes.push((signal, value));
            }
        }
    }

    /// Compares the values just before an edge.
    pub(crate) fn compare(&mut self, time: u64) -> Result<c_int, Failure> {
        if self.finished.is_some() {
            return Err(bad("the comparison has ended: no drra_compare after drra_finish"));
        }
        if let Some(failure) = &self.failed {
            return Ok(failure.status);
        }
        if !self.check.is_done() {
            let changes = mem::take(&mut self.changes);
            let changes = match &mut self.vectors {
                Some(vectors) => vectors.joined(&changes),
                None => changes,
            };
            let sample = Sample { edge: self.edges, time, changes };
            self.edges += 1;
            let sampled = self.check.sample(sample).map_err(refused);
            sampled.inspect_err(|e| self.failed = Some(e.clone()))?;
        }
        Ok(if self.check.difference().is_some() { DRRA_MISMATCH } else { DRRA_AGREED })
    }

    /// The status if there is no difference.
    pub(crate) fn status(&self) -> c_int {
        let failed = self.failed.as_ref().map_or(DRRA_AGREED, |failure| failure.status);
        self.finished.as_ref().map_or(failed, |finished| finished.status)
    }

    pub(crate) fn is_done(&self) -> bool {
        self.finished.is_some() || self.failed.is_some() || self.check.is_done()
    }

    /// The report of the mismatch, if there is one.
    pub(crate) fn report(&mut self) -> Result<Option<Report>, Failure> {
        match (&self.finished, self.check.difference()) {
            (Some(Finished { test, .. }), _) => Ok(test.report.clone()),
            (None, Some(_)) => self.run()?.report(None),
            (None, None) => Ok(None),
        }
    }

    /// Runs the comparison again with what is known so far.
    fn run(&mut self) -> Result<Ran, Failure> {
        let check = self.check.checked(None).map_err(refused)?;
        let result = check.run(None).map_err(refused)?;
        Ok(Ran { check, result })
    }

    /// Ends the comparison, unless it has ended already. Returns the status and the verdict in words.
    pub(crate) fn finish(&mut self, min_compared: f64) -> Result<(c_int, String), Failure> {
        if !(0.0..=100.0).contains(&min_compared) {
            return Err(bad(format!("min_compared is {min_compared}, expected 0 to 100 percent")));
        }
        let finished = match self.finished.take() {
            Some(finished) => finished,
            None => self.verdict(min_compared)?,
        };
        let finished = self.finished.insert(finished);
        Ok((finished.status, finished.text.clone()))
    }

    fn verdict(&mut self, min_compared: f64) -> Result<Finished, Failure> {
        let ran = self.failed.clone().map_or_else(|| self.run(), Err);
        let test =
            TestRun { name: NAME.to_owned(), time: self.begin.elapsed(), ..TestRun::default() };
        let ran = match ran {
            Ok(ran) => ran,
            Err(Failure { status, text: why }) => {
                let text = format!("{NAME}: not compared: {why}");
                let test = TestRun { refused: Some(why), ..test };
                return Ok(Finished { ran: None, test, status, text });
            }
        };
        let (case, compared) = (&ran.check.case, ran.check.design.compared());
        let (report, name) = (ran.report(None)?, case.name.clone());
        let with_rest = |line: String| {
            let rest = compared.lines().into_iter();
            rest.fold(format!("{name}: {line}"), |text, line| text + "\n  not compared: " + &line)
        };
        let refused = too_little(&compared, Some(min_compared)).filter(|_| report.is_none());
        let (status, text) = match (&report, &refused) {
            (Some(report), _) => (DRRA_MISMATCH, with_rest(report.line())),
            (None, Some(why)) => (DRRA_BAD_INPUT, with_rest(why.clone())),
            (None, None) => {
                let busy = ran.result.busy.as_ref().map(|busy| busy as &dyn Display);
                (DRRA_AGREED, agreement(&name, "simulation", &compared, busy))
            }
        };
        let test = TestRun {
            name,
            cycles: ran.result.outcome.cycles,
            seed: case.seed,
            report,
            refused,
            compared: Some(compared),
            warnings: ran.check.design.notes(),
            ..test
        };
        Ok(Finished { ran: Some(ran), test, status, text })
    }

    fn finished(&self) -> Result<&Finished, Failure> {
        self.finished.as_ref().ok_or_else(|| bad("there is no verdict yet: call drra_finish first"))
    }

    /// The case that was driven.
    pub(crate) fn case(&mut self) -> Result<Case, Failure> {
        match &self.finished {
            Some(Finished { ran: Some(ran), .. }) => Ok(ran.check.case.clone()),
            None if self.check.difference().is_some() => Ok(self.run()?.check.case),
            _ => Err(bad("the case is known after a difference or a verdict: call drra_finish")),
        }
    }

    /// The result as JSON.
    pub(crate) fn result(&self) -> Result<String, Failure> {
        let Finished { test, status, .. } = self.finished()?;
        Ok(Batch::new(vec![BatchCase::new(test, *status as u8)]).to_json())
    }

    /// Writes the result, and the report of a mismatch, into a folder. An older report does not stay there.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), Failure> {
        let (Finished { ran, test, .. }, result) = (self.finished()?, self.result()?);
        if let (Some(ran), Some(_)) = (ran, &test.report) {
            ran.report(Some(folder))?;
        } else {
            // The cases and programs there may be those of the caller.
            let is_report = |file: &&str| file.starts_with("report.") || file.starts_with("wave.");
            let files = FILES.iter().map(|(file, _)| *file).chain(["report.html"]);
            for path in files.filter(is_report).map(|file| folder.join(file)) {
                match fs::remove_file(&path) {
                    Err(e) if e.kind() != ErrorKind::NotFound => {
                        return Err(unwritable(format!("{}: {e}", path.display())));
                    }
                    _ => {}
                }
            }
        }
        let junit = junit::recordings([test]);
        let bundle = Bundle::create(folder).and_then(|bundle| {
            bundle.write("result.json", result.as_bytes())?;
            bundle.write("junit.xml", junit.as_bytes())
        });
        bundle.map_err(unwritable)
    }
}

/// A comparison that was run, up to a difference or the last sample.
struct Ran {
    check: WaveformCheck,
    result: CheckResult,
}

impl Ran {
    /// The report of the mismatch, if there is one; its files are written into a folder.
    fn report(&self, folder: Option<&Path>) -> Result<Option<Report>, Failure> {
        let (case, setup, outcome) = (&self.check.case, self.check.setup(), &self.result.outcome);
        explain(case, setup, outcome, REPEAT, false, folder).map_err(|e| match e {
            ExplainError::Bundle(e) => unwritable(e),
            e => tool(e),
        })
    }
}

/// The failure if a simulation cannot be compared.
fn refused(e: RecordedError) -> Failure {
    if matches!(e, RecordedError::Dut(_)) { tool(e) } else { bad(e) }
}

fn unwritable(e: impl Display) -> Failure {
    bad(format!("{e}; give a writable folder"))
}
