// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a campaign: workers take cases, finished cases are written to the journal, failures are reduced and stored, and
//! everything is summarized.

use std::{
    collections::BTreeMap,
    ops::Deref,
    sync::{
        LazyLock, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread::Builder,
    time::{Duration, Instant},
};

use drra_case::Case;
use drra_lockstep::{Design, RunSetup};
use drra_results::{
    FailureEntry,
    summary::{Environment, Summary, Timing},
};

use crate::{
    CampaignCases, CampaignError, CampaignSettings, ProgressEvent,
    error::{differ, other_state, unusable},
    executor::{Executor, InProcessExecutor, WorkerContext},
    header,
    journal::{Journal, JournalHeader},
    merge::{differing_settings, other_build},
    publish,
    store::FailureWriter,
    sums::{CaseRecord, CaseSums, FailureCount},
    tally::Tally,
    timestamps::{self, TimeRange, Timestamp},
};

/// Maximum number of finished cases of each worker, on average, waiting to be added to the tally. A worker thread that
/// has to wait costs CPU time.
const MAX_WAITING: usize = 16;
/// Time after which finished cases are written to the journal; a campaign that is killed loses only the running cases
/// and those that finished in this time.
const PERIOD: Duration = Duration::from_millis(250);

/// Result of a campaign.
#[derive(Debug)]
pub struct CampaignResult {
    pub summary: Summary,
    /// The failures with their reports, in the order of the summary.
    pub entries: Vec<FailureEntry>,
    /// The reason the campaign or its files are incomplete.
    pub incomplete: Option<CampaignError>,
}

/// Runs a campaign on a design, in threads of this process. `stop` ends it cleanly.
///
/// # Errors
/// As for [`run_on`].
pub fn run(
    settings: &CampaignSettings,
    design: &dyn Design,
    stop: &AtomicBool,
    on_progress: &mut dyn FnMut(ProgressEvent<'_>),
) -> Result<CampaignResult, CampaignError> {
    run_on(settings, &RunSetup::new(design), &InProcessExecutor, stop, on_progress)
}

/// Runs a campaign on an executor. `stop` ends it cleanly.
///
/// # Errors
/// If the journal cannot be used, if an error occurs before any case has run, or if the design cannot be run when a
/// failure is reduced. Any other error is part of the result, so that no finding is lost.
pub fn run_on(
    settings: &CampaignSettings,
    setup: &RunSetup<'_>,
    executor: &dyn Executor,
    stop: &AtomicBool,
    on_progress: &mut dyn FnMut(ProgressEvent<'_>),
) -> Result<CampaignResult, CampaignError> {
    #[cfg(unix)]
    crate::process::check_memory(settings.jobs)?;
    let start = Instant::now();
    let design = setup.design;
    let mut tally = Tally::new(1);
    let (mut journal, header, mut range) = open(settings, header(settings, setup), &mut tally)?;
    mark(&mut journal, &mut range, Timestamp::Started(timestamps::now()))?;
    let resumed_cycles = tally.sums.cycles;

    let cases = LazyLock::new(|| CampaignCases::new(settings.profile.clone(), settings.seed));
    let (enough, first_line) = (AtomicBool::new(false), OnceLock::new());
    let campaign = Campaign {
        settings,
        setup: *setup,
        executor,
        first_line: &first_line,
        cases: &cases,
        start,
        stop,
        enough: &enough,
    };
    let mut incomplete = campaign.run(&mut journal, &mut tally, on_progress).err();
    if let Some(e) = incomplete.take_if(|_| tally.cases == 0) {
        return Err(e);
    }
    if incomplete.is_none() && !stop.load(Ordering::Relaxed) {
        tally.complete(&header);
    }
    let mut summary = tally.summarize(&header, Timing::default());
    summary.mark(&settings.known);

    // The first case of each failure is reduced and stored. A resumed campaign does this again, because the files may
    // be incomplete, or a case with a lower number may have failed since.
    let mut entries = Vec::new();
    for failure in &summary.failures {
        on_progress(ProgressEvent::Shrinking { signature: &failure.signature });
        let case = |(number, cycle)| {
            let compare_from = if failure.behind { cycle } else { 0 };
            Case { compare_from, ..cases.case(number) }
        };
        let full = case((failure.first_case, failure.cycle));
        let others = tally.next_of(failure).map(|place| (place.0, case(place)));
        let others: Vec<(u64, Case)> = others.collect();
        let others = &others[..];
        let store = FailureWriter { settings, setup, executor, failure, full: &full, others, stop };
        let folder = settings.folder.as_ref().filter(|_| incomplete.is_none());
        let stored = store.store(folder.map(|f| f.join(&failure.folder)).as_deref(), on_progress);
        // A failure that cannot be stored is still shown.
        entries.push(match stored {
            Err(e) if e.is_file_error() => {
                incomplete.get_or_insert(e);
                store.store(None, on_progress)?
            }
            stored => stored?,
        });
    }

    let seconds = start.elapsed().as_secs_f64();
    let ended = mark(
        &mut journal,
        &mut range,
        Timestamp::Ended { at: timestamps::now(), until: tally.ends() },
    );
    incomplete = incomplete.or(ended.err());
    if let (Some(folder), Some(counts)) = (&settings.folder, design.counts()) {
        let published = publish::publish_counts(folder, settings.resume, counts);
        incomplete = incomplete.or(published.err());
    }
    summary.timing = Timing {
        seconds,
        cycles_per_second: (summary.cycles - resumed_cycles) as f64 / seconds.max(1e-9),
        jobs: settings.jobs,
        started: range.started,
        ended: range.ended,
        interrupted: stop.load(Ordering::Relaxed) || incomplete.is_some(),
        environment: Environment::here(design.simulator()),
    };
    if let Some(folder) = &settings.folder {
        let published = publish::publish(folder, &header, &tally, &summary, &entries);
        incomplete = incomplete.or(published.err());
    }
    Ok(CampaignResult { summary, entries, incomplete })
}

/// Adds a timestamp to the range and the journal.
fn mark(
    journal: &mut Option<Journal>,
    range: &mut TimeRange,
    timestamp: Timestamp,
) -> Result<(), CampaignError> {
    range.add(&timestamp);
    journal.as_mut().map_or(Ok(()), |journal| journal.append(&timestamp))
}

/// Opens the journal, if the campaign has a folder, and adds the cases that have already finished to the tally. Returns
/// the journal, the settings, and the time range of the campaign so far.
fn open(
    settings: &CampaignSettings,
    header: JournalHeader,
    tally: &mut Tally,
) -> Result<(Option<Journal>, JournalHeader, TimeRange), CampaignError> {
    tally.shards = header.shards();
    let Some(folder) = &settings.folder else { return Ok((None, header, TimeRange::default())) };
    if !settings.resume {
        return Ok((Some(Journal::create(folder, &header)?), header, TimeRange::default()));
    }
    let (mut journal, outline) = Journal::resume(folder, &mut |sums| {
        tally.add(&sums);
        Ok(())
    })?;
    tally.shards = outline.header.shards();
    let (range, found) = (outline.range(), outline.header);
    let differing = differing_settings(&found, &header);
    if !differing.is_empty() {
        let JournalHeader { profile, seed, shard: [shard, shards], .. } = found;
        let message = format!(
            "{}: the journal belongs to another campaign ({}, seed {seed}, shard {shard} of {shards}): {}",
            folder.display(),
            profile.name,
            differ(&differing)
        );
        let remedy = "resume it with its original settings and build, or give another folder";
        return Err(unusable(message, remedy));
    }
    if let (Some(before), Some(now)) = (found.cases, header.cases)
        && before > now
    {
        return Err(unusable(
            format!(
                "{}: the campaign already has {before} cases, more than {now}",
                folder.display()
            ),
            "give at least as many cases as before, or omit --cases to keep their number",
        ));
    }
    let mut now = JournalHeader { cases: header.cases, ..found.clone() };
    if now.mix([&header.identity]) && !settings.mix {
        return Err(other_build(folder, &found, "this program", &header.identity));
    }
    if found.compared != header.compared {
        return Err(other_state(folder, &found.compared, "this build", &header.compared));
    }
    if now != found {
        journal.append(&now)?;
    }
    Ok((Some(journal), now, range))
}

/// A running campaign.
struct Campaign<'a> {
    settings: &'a CampaignSettings,
    setup: RunSetup<'a>,
    executor: &'a dyn Executor,
    first_line: &'a OnceLock<String>,
    cases: &'a (dyn Deref<Target = CampaignCases> + Sync),
    start: Instant,
    stop: &'a AtomicBool,
    /// True if the requested number of failures has been reached.
    enough: &'a AtomicBool,
}

impl Campaign<'_> {
    /// True if no more cases are to be started. A campaign whose time is too short for one case still runs a case.
    fn ended(&self, is_first: bool) -> bool {
        let is_late = || self.settings.time.is_some_and(|t| self.start.elapsed() >= t);
        let stopped = [self.stop, self.enough].map(|flag| flag.load(Ordering::Relaxed));
        stopped.contains(&true) || !is_first && is_late()
    }

    /// Returns the numbers of the unfinished cases of the shard, one by one in ascending order.
    fn take(&self, next: &AtomicU64, tally: &Tally) -> Option<u64> {
        let [shard, shards] = self.settings.shard;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let case = number * shards + shard - 1;
            let is_first = number == 0 && tally.cases == 0;
            if self.settings.cases.is_some_and(|n| case >= n) || self.ended(is_first) {
                return None;
            }
            if !tally.has(case) {
                return Some(case);
            }
        }
    }

    /// Runs the unfinished cases, and adds them to the tally and the journal.
    fn run(
        &self,
        journal: &mut Option<Journal>,
        tally: &mut Tally,
        on_progress: &mut dyn FnMut(ProgressEvent<'_>),
    ) -> Result<(), CampaignError> {
        let (next, before) = (AtomicU64::new(0), tally.clone());
        self.count_failures(tally);
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::sync_channel(MAX_WAITING * self.settings.jobs.max(16));
            for _ in 0..self.settings.jobs {
                let (own, next, before) = (sender.clone(), &next, &before);
                let work = move || self.work(&|| self.take(next, before), &own);
                Builder::new().spawn_scoped(scope, work).map_err(CampaignError::NoWorker)?;
            }
            drop(sender);
            // An error ends the loop, and workers end when their results are no longer received.
            let (mut waiting, mut since) = (CaseSums::default(), Instant::now());
            let mut ended = None;
            while ended.is_none() {
                let mut is_new = false;
                match receiver.recv_timeout(PERIOD) {
                    Ok(Ok(record)) => {
                        is_new = self.finished(record, tally, &mut waiting, on_progress)
                    }
                    Ok(Err(e)) => ended = Some(Err(e)),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => ended = Some(Ok(())),
                }
                if is_new || ended.is_some() || since.elapsed() >= PERIOD {
                    since = Instant::now();
                    let sums = std::mem::take(&mut waiting);
                    if let Some(journal) = journal.as_mut().filter(|_| sums != CaseSums::default())
                    {
                        journal.append(&sums)?;
                    }
                }
            }
            ended.unwrap_or(Ok(()))
        })
    }

    /// Adds a finished case to the tally, and to the sums waiting for the journal; true if it is the first case with
    /// its failure or variant.
    fn finished(
        &self,
        mut record: CaseRecord,
        tally: &mut Tally,
        waiting: &mut CaseSums,
        on_progress: &mut dyn FnMut(ProgressEvent<'_>),
    ) -> bool {
        let case = record.case;
        // The journal lists a bin at most twice.
        record.bins.retain(|bin| tally.coverage.is_rare(*bin));
        let sums = CaseSums::of(record, tally.shards);
        let first = sums.failures.keys().map(|signature| (signature, 0));
        let behind = sums.behind.iter().map(|(signature, seen)| (signature, seen.first.1));
        let all = first.chain(behind);
        let new = all.filter_map(|(name, from)| Some((name, from, tally.novelty(name)?)));
        let new: Vec<_> = new.collect();
        for &(signature, compare_from, new) in &new {
            on_progress(ProgressEvent::NewFailure {
                new,
                signature,
                case,
                compare_from,
                after: self.start.elapsed(),
            });
        }
        tally.add(&sums);
        waiting.add(&sums);
        if !new.is_empty() {
            self.count_failures(tally);
        }
        let (cases, cycles) = (tally.cases, tally.sums.cycles);
        let failures = tally.all_failures().count();
        on_progress(ProgressEvent::Case { cases, cycles, failures });
        !new.is_empty()
    }

    /// Stops the start of new cases once the number of distinct failures that are not known reaches `max_failures`.
    fn count_failures(&self, tally: &Tally) {
        let known = &self.settings.known;
        let is_new = |variants: &BTreeMap<String, FailureCount>| {
            known.of_all(variants.keys().map(String::as_str)).is_none()
        };
        let all = tally.all_failures();
        let new = all.filter(|(_, variants, _)| is_new(variants)).count() as u64;
        if self.settings.max_failures.is_some_and(|most| new >= most) {
            self.enough.store(true, Ordering::Relaxed);
        }
    }

    /// Runs one worker, which sends its records and, if an error ends it, this error.
    fn work(
        &self,
        next: &(dyn Fn() -> Option<u64> + Sync),
        sender: &mpsc::SyncSender<Result<CaseRecord, CampaignError>>,
    ) {
        let context = WorkerContext {
            settings: self.settings,
            setup: self.setup,
            first_line: self.first_line,
            cases: self.cases,
            next,
            done: &|record| sender.send(Ok(record)).is_ok(),
        };
        if let Err(e) = self.executor.run_worker(&context) {
            // The receiver stops at the first error; further errors are dropped.
            let _ = sender.send(Err(e));
        }
    }
}
