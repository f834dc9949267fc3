// SPDX-License-Identifier: MIT OR Apache-2.0
//! A campaign runs: workers take cases, finished ones go into the journal, failures are reduced and
//! stored, then everything is summed up.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Instant;

use drra_coverage::Collector;
use drra_coverage::Coverage;
use drra_diagnose::signature;
use drra_isa::Geometry;
use drra_lockstep::Design;
use drra_lockstep::DutError;
use drra_lockstep::Setup;
use drra_report::Entry;
use drra_report::summary::Environment;
use drra_report::summary::Summary;
use drra_report::summary::Timing;

use crate::CampaignError;
use crate::Progress;
use crate::RTL_COVERAGE;
use crate::Settings;
use crate::achieved;
use crate::header;
use crate::journal;
use crate::journal::Header;
use crate::journal::Journal;
use crate::journal::Record;
use crate::merge::other_build;
use crate::merge::same_settings;
use crate::moments;
use crate::moments::Moment;
use crate::moments::Span;
use crate::publish;
use crate::steer::Steering;
use crate::summarize;

/// Of so many cases one is run once more to see whether its data move.
const MOVED_PERIOD: u64 = 16;

/// Result of a campaign.
#[derive(Clone, Debug)]
pub struct CampaignResult {
    /// The summary.
    pub summary: Summary,
    /// Its failures with their reports, in the order of the summary.
    pub entries: Vec<Entry>,
}

/// Runs a campaign on a design. `tell` hears what happens; `stop` ends it cleanly.
///
/// # Errors
/// If the journal cannot be used, a file cannot be written, or the design fails.
pub fn run(
    settings: &Settings,
    geometry: &Geometry,
    design: &dyn Design,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Progress<'_>),
) -> Result<CampaignResult, CampaignError> {
    let start = Instant::now();
    let setup = Setup { geometry, design, cycles: None };
    let Open { mut journal, mut records, header } = open(settings, header(settings, &setup))?;
    let mut span = match &settings.folder {
        Some(folder) => journal::span(folder)?,
        None => Span::default(),
    };
    mark(&mut journal, &mut span, Moment::Started(moments::now()))?;
    let resumed_cycles: u64 = records.iter().map(|r| r.cycles).sum();

    let steering = Steering::new(settings, geometry);
    let workers = Workers { settings, setup, steering: &steering, start, stop };
    workers.run(&mut journal, &mut records, tell)?;
    records.sort_by_key(|r| r.case);
    let mut summary = summarize(&header, &records, Timing::default());

    // The first case of each signature is reduced and stored: again in a resumed campaign, because
    // what is there may have been cut short, or a case with a lower number may have come since.
    let mut entries = Vec::new();
    for failure in &summary.failures {
        tell(Progress::Shrinking { signature: &failure.signature });
        let full = steering.case(settings, failure.first_case, geometry).case;
        entries.push(publish::store(settings, &setup, failure, &full, stop, tell)?);
    }

    let seconds = start.elapsed().as_secs_f64();
    mark(&mut journal, &mut span, Moment::Ended(moments::now()))?;
    summary.timing = Timing {
        seconds,
        cycles_per_second: (summary.cycles - resumed_cycles) as f64 / seconds.max(1e-9),
        jobs: settings.jobs,
        started: span.started,
        ended: span.ended,
        interrupted: stop.load(Ordering::Relaxed),
        environment: Environment::here(design.simulator()),
    };
    if let Some(folder) = &settings.folder {
        publish::publish(folder, &header, &records, &summary, &entries)?;
        if design.counts_coverage() {
            design.write_coverage(&folder.join(RTL_COVERAGE))?;
        }
    }
    Ok(CampaignResult { summary, entries })
}

/// Tells the journal when a part of the campaign begins or ends.
fn mark(
    journal: &mut Option<Journal>,
    span: &mut Span,
    moment: Moment,
) -> Result<(), CampaignError> {
    span.add(&moment);
    journal.as_mut().map_or(Ok(()), |journal| journal.mark(&moment))
}

/// A campaign that begins or goes on.
struct Open {
    journal: Option<Journal>,
    /// The cases that are finished already.
    records: Vec<Record>,
    /// Its settings, with those of its parts until now.
    header: Header,
}

/// The journal of a campaign that has a folder, and the cases that are finished already.
fn open(settings: &Settings, header: Header) -> Result<Open, CampaignError> {
    let records = Vec::new();
    let Some(folder) = &settings.folder else { return Ok(Open { journal: None, records, header }) };
    if !settings.resume {
        let journal = Some(Journal::create(folder, &header)?);
        return Ok(Open { journal, records, header });
    }
    let (mut journal, found, records) = Journal::resume(folder)?;
    if !same_settings(&found, &header) {
        return Err(CampaignError::OtherCampaign {
            folder: folder.clone(),
            profile: found.profile.name,
            seed: found.seed,
            shard: found.shard,
        });
    }
    if let (Some(before), Some(now)) = (found.cases, header.cases)
        && before > now
    {
        return Err(CampaignError::FewerCases { folder: folder.clone(), before, now });
    }
    let mut now = Header { cases: header.cases, ..found.clone() };
    if now.mix([&header.identity]) && !settings.mix {
        return Err(other_build(folder, &found, "this program", &header.identity));
    }
    if found.compared != header.compared {
        return Err(CampaignError::OtherState {
            folder: folder.clone(),
            found: found.compared.share(),
            other: "this build".to_owned(),
            compared: header.compared.share(),
        });
    }
    if now != found {
        journal.extend(&now)?;
    }
    Ok(Open { journal: Some(journal), records, header: now })
}

/// Numbers of the cases of a shard that are not finished yet, handed out in ascending order.
struct Queue<'a> {
    settings: &'a Settings,
    finished: BTreeSet<u64>,
    next: AtomicU64,
}

impl Queue<'_> {
    fn take(&self) -> Option<u64> {
        let [shard, shards] = self.settings.shard;
        loop {
            let case = self.next.fetch_add(1, Ordering::Relaxed) * shards + shard - 1;
            if self.settings.cases.is_some_and(|n| case >= n) {
                return None;
            }
            if !self.finished.contains(&case) {
                return Some(case);
            }
        }
    }
}

/// The workers of a campaign.
struct Workers<'a> {
    settings: &'a Settings,
    setup: Setup<'a>,
    steering: &'a Steering,
    start: Instant,
    stop: &'a AtomicBool,
}

impl Workers<'_> {
    /// No case is started any more.
    fn ended(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.settings.time.is_some_and(|t| self.start.elapsed() >= t)
    }

    /// Runs the cases that are not among the records; each finished one is added to the records
    /// and to the journal.
    fn run(
        &self,
        journal: &mut Option<Journal>,
        records: &mut Vec<Record>,
        tell: &mut dyn FnMut(Progress<'_>),
    ) -> Result<(), CampaignError> {
        let finished = records.iter().map(|r| r.case).collect();
        let queue = Queue { settings: self.settings, finished, next: AtomicU64::new(0) };
        let failures = records.iter().filter_map(|r| r.failure.as_ref());
        let mut known: BTreeSet<String> =
            failures.map(|(signature, _)| signature.clone()).collect();
        let mut cycles = records.iter().map(|r| r.cycles).sum();
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..self.settings.jobs {
                let (sender, queue) = (sender.clone(), &queue);
                scope.spawn(move || self.work(queue, &sender));
            }
            drop(sender);
            // An error ends the loop; workers end when nobody takes their results any more.
            for record in receiver {
                let record: Record = record?;
                if let Some(journal) = journal {
                    journal.append(&record)?;
                }
                cycles += record.cycles;
                if let Some((signature, _)) = &record.failure
                    && known.insert(signature.clone())
                {
                    let (case, after) = (record.case, self.start.elapsed());
                    tell(Progress::NewFailure { signature, case, after });
                }
                records.push(record);
                let cases = records.len() as u64;
                tell(Progress::Case { cases, cycles, failures: known.len() });
            }
            Ok(())
        })
    }

    /// One worker: runs cases and sends their records until the campaign ends or the design fails.
    fn work(&self, queue: &Queue<'_>, sender: &mpsc::Sender<Result<Record, DutError>>) {
        let mut worker = Worker::new(self.settings, self.setup, self.steering);
        while !self.ended() {
            let Some(case) = queue.take() else { break };
            let result = worker.run(case);
            let failed = result.is_err();
            if sender.send(result).is_err() || failed {
                break;
            }
        }
    }
}

/// One worker: it makes cases, runs them and sums up what they hit.
struct Worker<'a> {
    settings: &'a Settings,
    setup: Setup<'a>,
    steering: &'a Steering,
    collector: Collector,
    known: Coverage,
}

impl<'a> Worker<'a> {
    fn new(settings: &'a Settings, setup: Setup<'a>, steering: &'a Steering) -> Self {
        let collector = Collector::new(setup.geometry);
        Self { settings, setup, steering, collector, known: Coverage::default() }
    }

    fn run(&mut self, case: u64) -> Result<Record, DutError> {
        let geometry = self.setup.geometry;
        let generated = self.steering.case(self.settings, case, geometry);
        self.collector.start(generated.case.straps(geometry));
        let outcome =
            drra_lockstep::run_observed(&generated.case, &self.setup, &mut self.collector)?;
        let failing = signature::failing(&generated.case, &self.setup, &outcome)?;
        let moved = case.is_multiple_of(MOVED_PERIOD).then(|| {
            let a = achieved::achieved(&generated, geometry);
            [a.transfers, a.results, a.write_backs]
        });
        Ok(Record {
            case,
            cycles: outcome.cycles,
            instructions: outcome.instructions,
            kinds: generated.kinds,
            replaced: generated.replaced,
            moved,
            bins: self.collector.rare_bins(&mut self.known),
            failure: failing.map(|f| (f.signature, f.mismatch.cycle)),
        })
    }
}
