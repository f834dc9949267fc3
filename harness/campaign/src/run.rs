// SPDX-License-Identifier: MIT OR Apache-2.0
//! A campaign runs: workers take cases, finished ones go into the journal, failures are reduced and
//! stored, then everything is summed up.

use std::{
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread::Builder,
    time::{Duration, Instant},
};

use drra_lockstep::{Design, Setup};
use drra_report::{
    Entry,
    summary::{Environment, Summary, Timing},
};

use crate::{
    CampaignError, Progress, Settings, header,
    journal::{Header, Journal},
    merge::{differing_settings, other_build},
    moments::{self, Moment, Span},
    place::{Here, LazyCases, Place, Work},
    publish,
    store::Store,
    sums::{Record, Sums},
    tally::Tally,
};

/// Finished cases that wait for the journal at most.
const WAITING: usize = 256;
/// Finished cases are summed up for the journal so long; a kill costs no more.
const PERIOD: Duration = Duration::from_millis(250);

/// Result of a campaign.
#[derive(Debug)]
pub struct CampaignResult {
    pub summary: Summary,
    /// Its failures with their reports, in the order of the summary.
    pub entries: Vec<Entry>,
    /// Why the campaign, or its files, are not complete.
    pub incomplete: Option<CampaignError>,
}

/// Runs a campaign on a design, in threads of this process. `tell` hears what happens; `stop` ends it cleanly.
///
/// # Errors
/// As [`run_at`].
pub fn run(
    settings: &Settings,
    design: &dyn Design,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Progress<'_>),
) -> Result<CampaignResult, CampaignError> {
    run_at(settings, &Setup { design, cycles: None }, &Here, stop, tell)
}

/// Runs a campaign at a place. `tell` hears what happens; `stop` ends it cleanly.
///
/// # Errors
/// If the journal cannot be used, or nothing was run before something failed. What fails later is part of the
/// result: nothing that was found is lost.
pub fn run_at(
    settings: &Settings,
    setup: &Setup<'_>,
    place: &dyn Place,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Progress<'_>),
) -> Result<CampaignResult, CampaignError> {
    let start = Instant::now();
    let design = setup.design;
    let mut tally = Tally::new(1);
    let (mut journal, header, mut span) = open(settings, header(settings, setup), &mut tally)?;
    mark(&mut journal, &mut span, Moment::Started(moments::now()))?;
    let resumed_cycles = tally.sums.cycles;

    let cases = LazyCases::new(settings);
    let campaign = Campaign { settings, setup: *setup, place, cases: &cases, start, stop };
    let mut incomplete = campaign.run(&mut journal, &mut tally, tell).err();
    if let Some(e) = incomplete.take_if(|_| tally.cases == 0) {
        return Err(e);
    }
    if incomplete.is_none() && !stop.load(Ordering::Relaxed) {
        tally.end(&header);
    }
    let mut summary = tally.summarize(&header, Timing::default());

    // The first case of each signature is reduced and stored: again in a resumed campaign, because
    // what is there may have been cut short, or a case with a lower number may have come since.
    let mut entries = Vec::new();
    for failure in &summary.failures {
        tell(Progress::Shrinking { signature: &failure.signature });
        let full = cases.get().case(failure.first_case);
        let store = Store { settings, setup, place, failure, full: &full, stop };
        let folder = settings.folder.as_ref().filter(|_| incomplete.is_none());
        let stored = store.store(folder.map(|f| f.join(&failure.folder)).as_deref(), tell);
        // What cannot be written is shown at least.
        entries.push(match stored {
            Err(e) if e.is_of_a_file() => {
                incomplete.get_or_insert(e);
                store.store(None, tell)?
            }
            stored => stored?,
        });
    }

    let seconds = start.elapsed().as_secs_f64();
    let ended =
        mark(&mut journal, &mut span, Moment::Ended { at: moments::now(), until: tally.ends() });
    incomplete = incomplete.or(ended.err());
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
        let published = publish::publish(folder, &header, tally.coverage(), &summary, &entries);
        incomplete = incomplete.or(published.err());
        if let Some(counts) = design.counts() {
            let published = publish::publish_counts(folder, settings.resume, counts);
            incomplete = incomplete.or(published.err());
        }
    }
    Ok(CampaignResult { summary, entries, incomplete })
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

/// The journal of a campaign that has a folder, its settings with those of its parts until now, and when these were;
/// the cases that are finished already are added to the sums.
fn open(
    settings: &Settings,
    header: Header,
    tally: &mut Tally,
) -> Result<(Option<Journal>, Header, Span), CampaignError> {
    tally.shards = header.shards();
    let Some(folder) = &settings.folder else { return Ok((None, header, Span::default())) };
    if !settings.resume {
        return Ok((Some(Journal::create(folder, &header)?), header, Span::default()));
    }
    let (mut journal, outline) = Journal::resume(folder, &mut |sums| {
        tally.add(&sums);
        Ok(())
    })?;
    tally.shards = outline.header.shards();
    let (span, found) = (outline.span(), outline.header);
    let differing = differing_settings(&found, &header);
    if !differing.is_empty() {
        return Err(CampaignError::OtherCampaign {
            folder: folder.clone(),
            profile: found.profile.name,
            seed: found.seed,
            shard: found.shard,
            differing,
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
    Ok((Some(journal), now, span))
}

/// A campaign that runs.
struct Campaign<'a> {
    settings: &'a Settings,
    setup: Setup<'a>,
    place: &'a dyn Place,
    cases: &'a LazyCases<'a>,
    start: Instant,
    stop: &'a AtomicBool,
}

impl Campaign<'_> {
    /// No case is started any more. A campaign whose time is too short for one finishes one.
    fn ended(&self, is_first: bool) -> bool {
        let is_late = || self.settings.time.is_some_and(|t| self.start.elapsed() >= t);
        self.stop.load(Ordering::Relaxed) || !is_first && is_late()
    }

    /// Numbers of the cases of the shard that are not finished yet, handed out in ascending order.
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

    /// Runs the cases that are not among the sums; each finished one is added to them and to the journal.
    fn run(
        &self,
        journal: &mut Option<Journal>,
        tally: &mut Tally,
        tell: &mut dyn FnMut(Progress<'_>),
    ) -> Result<(), CampaignError> {
        let (next, before) = (AtomicU64::new(0), tally.clone());
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::sync_channel(WAITING);
            for _ in 0..self.settings.jobs {
                let (own, next, before) = (sender.clone(), &next, &before);
                let work = move || self.work(&|| self.take(next, before), &own);
                Builder::new().spawn_scoped(scope, work).map_err(CampaignError::NoWorker)?;
            }
            drop(sender);
            // An error ends the loop; workers end when nobody takes their results any more.
            let (mut waiting, mut since) = (Sums::default(), Instant::now());
            let mut ended = None;
            while ended.is_none() {
                let mut is_new = false;
                match receiver.recv_timeout(PERIOD) {
                    Ok(Ok(record)) => is_new = self.finished(record, tally, &mut waiting, tell),
                    Ok(Err(e)) => ended = Some(Err(e)),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => ended = Some(Ok(())),
                }
                if is_new || ended.is_some() || since.elapsed() >= PERIOD {
                    since = Instant::now();
                    let sums = std::mem::take(&mut waiting);
                    if let Some(journal) = journal.as_mut().filter(|_| sums != Sums::default()) {
                        journal.append(&sums)?;
                    }
                }
            }
            ended.unwrap_or(Ok(()))
        })
    }

    /// Adds a finished case to the sums, and to those that wait for the journal; true if it is the first to show
    /// a failure or a variant.
    fn finished(
        &self,
        mut record: Record,
        tally: &mut Tally,
        waiting: &mut Sums,
        tell: &mut dyn FnMut(Progress<'_>),
    ) -> bool {
        let case = record.case;
        // The journal tells no bin more than twice.
        record.bins.retain(|bin| tally.coverage.is_rare(*bin));
        let sums = Sums::of(record, tally.shards);
        let signature = sums.failures.keys().next();
        let new = signature.and_then(|signature| Some((signature, tally.is_new(signature)?)));
        if let Some((signature, new)) = new {
            tell(Progress::NewFailure { new, signature, case, after: self.start.elapsed() });
        }
        tally.add(&sums);
        waiting.add(&sums);
        let (cases, cycles) = (tally.cases, tally.sums.cycles);
        tell(Progress::Case { cases, cycles, failures: tally.failures.len() });
        new.is_some()
    }

    /// One worker: its records, or why it cannot go on.
    fn work(
        &self,
        next: &(dyn Fn() -> Option<u64> + Sync),
        sender: &mpsc::SyncSender<Result<Record, CampaignError>>,
    ) {
        let work = Work {
            settings: self.settings,
            setup: self.setup,
            cases: self.cases,
            next,
            done: &|record| sender.send(Ok(record)).is_ok(),
        };
        if let Err(e) = self.place.work(&work) {
            // The receiver ends when it gets an error, and nobody else hears of it then.
            let _ = sender.send(Err(e));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, path::Path};

    use drra_lockstep::GoldenDesign;

    use super::*;
    use crate::{
        exam::{Exam, Examined},
        journal,
    };

    /// A place where every case is finished at once.
    struct Stub;

    impl Place for Stub {
        fn work(&self, work: &Work<'_>) -> Result<(), CampaignError> {
            while let Some(case) = (work.next)() {
                let kinds = vec![1; 20];
                let (replaced, bins) = (Vec::new(), vec![3, 4 + (case % 1000) as u32]);
                let moved = (case % 16 == 0).then_some([[9, 8]; 3]);
                let (cycles, instructions, failure) = (300, 40, None);
                let record = Record {
                    case,
                    fabric: None,
                    cycles,
                    instructions,
                    kinds,
                    replaced,
                    moved,
                    bins,
                    failure,
                };
                if !(work.done)(record) {
                    break;
                }
            }
            Ok(())
        }

        fn examine(&self, _: &Exam<'_>, _: &Setup<'_>) -> Result<Examined, CampaignError> {
            unreachable!("no case fails")
        }
    }

    /// Bytes of memory that this process has; `None` where the system does not tell.
    fn resident_bytes() -> Option<u64> {
        let text = std::fs::read_to_string(Path::new("/proc/self/status")).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        Some(1024 * line.split_whitespace().next()?.parse::<u64>().ok()?)
    }

    /// The memory of a campaign does not grow with its cases. `DRRA_HOSTILE=N` runs N thousand of them.
    #[test]
    fn memory_is_constant() {
        let asked = std::env::var("DRRA_HOSTILE").ok().and_then(|n| n.parse::<u64>().ok());
        let cases = 1000 * asked.unwrap_or(60);
        let dir = tempfile::tempdir().unwrap();
        let folder = Some(dir.path().join("campaign"));
        let settings = Settings { cases: Some(cases), jobs: 2, folder, ..Settings::default() };
        let setup = Setup { design: &GoldenDesign, cycles: None };
        let (early, late) = (Cell::new(None), Cell::new(None));
        let stop = AtomicBool::new(false);
        let run = |settings: &Settings| {
            run_at(settings, &setup, &Stub, &stop, &mut |progress| {
                if let Progress::Case { cases: done, .. } = progress {
                    if done == cases / 10 {
                        early.set(resident_bytes());
                    }
                    if done == cases {
                        late.set(resident_bytes());
                    }
                }
            })
        };
        let summary = run(&settings).unwrap().summary;
        assert_eq!((summary.cases, summary.cycles), (cases, 300 * cases));
        let journal = dir.path().join("campaign").join(journal::FILE_NAME);
        let bytes = std::fs::metadata(journal).unwrap().len();
        let (Some(early), Some(late)) = (early.get(), late.get()) else {
            println!("the system does not tell the memory of a process: it is not checked");
            return;
        };
        println!("{cases} cases: {early} bytes early, {late} at the end, journal of {bytes} bytes");
        // Records that are on their way to the journal count for some megabytes.
        assert!(bytes <= 40 * cases, "{bytes} bytes of journal");
        let per_case = late.saturating_sub(early) as f64 / (cases as f64 * 0.9);
        assert!(per_case < 60.0, "{per_case} bytes per case");
        // A resumed campaign reads its journal line by line, however often it is resumed.
        let again = run(&Settings { resume: true, ..settings.clone() }).unwrap().summary;
        assert_eq!(again.cases, cases);
    }
}
