// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns: cases of one profile in parallel workers, a journal of the finished ones, distinct
//! failures with reduced cases, a summary.
//!
//! A case depends on the profile, the seed of the campaign and its own number alone, and the
//! summary on the finished cases alone: the number of workers, interruptions and shards change
//! nothing.
//!
//! The crate runs on any design; what a failure looks like is the business of `drra-report`.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use drra_campaign::{Settings, run};
//! use drra_isa::Geometry;
//! use drra_lockstep::GoldenDesign;
//!
//! let settings = Settings { cases: Some(3), ..Settings::default() };
//! let stop = AtomicBool::new(false);
//! let outcome = run(&settings, &Geometry::default(), &GoldenDesign, &stop, &mut |_| {}).unwrap();
//! assert_eq!((outcome.summary.cases, outcome.summary.failed), (3, 0));
//! ```

mod achieved;
pub mod journal;
mod publish;
pub mod shrink;
mod steer;
mod summarize;

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;
use std::time::Instant;

use drra_case::Case;
use drra_coverage::Collector;
use drra_coverage::Coverage;
use drra_diagnose::signature;
use drra_generate::Profile;
use drra_isa::Geometry;
use drra_lockstep::Design;
use drra_lockstep::DutError;
use drra_lockstep::Setup;
use drra_report::Entry;
use drra_report::summary::Environment;
use drra_report::summary::Summary;
use drra_report::summary::Timing;
use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub use achieved::Achieved;
pub use achieved::achieved;
pub use publish::publish;
pub use publish::reduction;
pub use publish::stored_entries;
pub use publish::stored_report;
pub use summarize::summarize;

use journal::Header;
use journal::Journal;
use journal::JournalError;
use journal::Record;
use steer::Steering;

/// Of so many cases one is run once more to see whether its data move.
const MOVED_PERIOD: u64 = 16;

/// Name of the file with the coverage of the RTL, in builds that count it.
pub const RTL_COVERAGE: &str = "rtl_coverage.dat";

/// Settings of a campaign.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Profile of the generator.
    pub profile: Profile,
    /// Seed of the campaign.
    pub seed: u64,
    /// Cases of the whole campaign; `None`: as many as the time allows.
    pub cases: Option<u64>,
    /// Time after which no case is started; `None`: until all cases are done.
    pub time: Option<Duration>,
    /// Workers.
    pub jobs: usize,
    /// This shard and the number of shards, counted from 1: it runs every n-th case.
    pub shard: [u64; 2],
    /// Folder for journal, failures and summary.
    pub folder: Option<PathBuf>,
    /// Continue the journal in the folder.
    pub resume: bool,
    /// Bounds of the reduction of a failing case.
    pub shrink: shrink::Bounds,
}

impl Default for Settings {
    /// Cases of the profile `default` with seed 1, until it is stopped, by one worker.
    fn default() -> Self {
        Self {
            profile: Profile::shipped("default").expect("shipped profile"),
            seed: 1,
            cases: None,
            time: None,
            jobs: 1,
            shard: [1, 1],
            folder: None,
            resume: false,
            shrink: shrink::Bounds::default(),
        }
    }
}

/// What a campaign tells while it runs.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// A case is finished: cases and cycles so far, distinct failures so far.
    Case {
        /// Finished cases.
        cases: u64,
        /// Cycles compared.
        cycles: u64,
        /// Distinct failures.
        failures: usize,
    },
    /// A failure of a new kind.
    NewFailure {
        /// What makes it distinct.
        signature: &'a str,
        /// Number of the case.
        case: u64,
        /// Time since the start.
        after: Duration,
    },
    /// A failing case is being reduced.
    Shrinking {
        /// Its signature.
        signature: &'a str,
    },
    /// The files of a failure are written.
    Reported {
        /// Its signature.
        signature: &'a str,
        /// Time that it took behind the reduction.
        time: Duration,
    },
    /// A failing case was reduced.
    Reduced {
        /// Its signature.
        signature: &'a str,
        /// Instructions before and after.
        instructions: [usize; 2],
        /// Time that it took.
        time: Duration,
    },
}

/// Why a campaign could not run.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file of the campaign.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The files of a failure.
    #[error(transparent)]
    Bundle(#[from] drra_report::BundleError),
    /// A stored report.
    #[error("{path}: {source}")]
    Report {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: drra_report::ReportError,
    },
    /// The journal belongs to another campaign.
    #[error("{0}")]
    Other(String),
    /// The design does not fit its maps, or its coverage cannot be written.
    #[error(transparent)]
    Dut(#[from] DutError),
}

/// Result of a campaign.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The summary.
    pub summary: Summary,
    /// Its failures with their reports, in the order of the summary.
    pub entries: Vec<Entry>,
    /// It was interrupted.
    pub interrupted: bool,
}

/// Generator seed of a case of a campaign.
pub fn case_seed(campaign: u64, case: u64) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(campaign);
    rng.set_stream(case);
    // Whole numbers up to 2^53 survive every JSON reader.
    rng.next_u64() >> 11
}

/// Folder of a failure, below that of its campaign.
pub fn failure_folder(signature: &str) -> String {
    format!("failures/{}", signature::folder_name(signature))
}

/// A case of a campaign, made again.
pub fn case_of(settings: &Settings, number: u64, geometry: &Geometry) -> Case {
    Steering::new(settings, geometry).case(settings, number, geometry).case
}

/// The first line of the journal of a campaign.
pub fn header(settings: &Settings, geometry: &Geometry) -> Header {
    Header {
        version: journal::VERSION,
        fabric: [geometry.columns, geometry.tile_rows, geometry.rf_words, geometry.sram_blocks],
        profile: settings.profile.clone(),
        seed: settings.seed,
        cases: settings.cases,
        shard: settings.shard,
    }
}

/// Runs a campaign on a design. `tell` hears what happens; `stop` ends it cleanly.
///
/// # Errors
/// If the journal cannot be used, or a file cannot be written.
pub fn run(
    settings: &Settings,
    geometry: &Geometry,
    design: &dyn Design,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<Outcome, CampaignError> {
    let start = Instant::now();
    let setup = Setup { geometry, design, cycles: None };
    let header = header(settings, geometry);
    let (mut journal, mut records) = match &settings.folder {
        None => (None, Vec::new()),
        Some(folder) if settings.resume => {
            let (journal, found, records) = Journal::resume(folder)?;
            if found != header {
                let what = format!(
                    "{}: the journal belongs to another campaign ({}, seed {}, shard {} of {})",
                    folder.display(),
                    found.profile.name,
                    found.seed,
                    found.shard[0],
                    found.shard[1]
                );
                return Err(CampaignError::Other(what));
            }
            (Some(journal), records)
        }
        Some(folder) => (Some(Journal::create(folder, &header)?), Vec::new()),
    };
    let resumed_cycles: u64 = records.iter().map(|r| r.cycles).sum();

    let steering = Steering::new(settings, geometry);
    // Numbers of the cases of this shard that are not done yet, handed out in ascending order.
    let done: BTreeSet<u64> = records.iter().map(|r| r.case).collect();
    let [shard, shards] = settings.shard;
    let next = AtomicU64::new(0);
    let take = || loop {
        let case = next.fetch_add(1, Ordering::Relaxed) * shards + shard - 1;
        if settings.cases.is_some_and(|n| case >= n) {
            return None;
        }
        if !done.contains(&case) {
            return Some(case);
        }
    };
    let ended =
        || stop.load(Ordering::Relaxed) || settings.time.is_some_and(|t| start.elapsed() >= t);
    let mut known: BTreeSet<String> =
        records.iter().filter_map(|r| r.failure.as_ref().map(|(s, _)| s.clone())).collect();

    let failed = Mutex::new(None);
    std::thread::scope(|scope| -> Result<(), CampaignError> {
        let (sender, receiver) = mpsc::channel::<Record>();
        for _ in 0..settings.jobs {
            let sender = sender.clone();
            let (take, ended, failed, steering) = (&take, &ended, &failed, &steering);
            scope.spawn(move || {
                let mut worker = Worker::new(settings, setup, steering);
                while !ended() {
                    let Some(case) = take() else { break };
                    match worker.run(case) {
                        Ok(record) => {
                            if sender.send(record).is_err() {
                                break;
                            }
                        }
                        Err(error) => {
                            *failed.lock().expect("no worker panics") = Some(error);
                            break;
                        }
                    }
                }
            });
        }
        drop(sender);
        let (mut cases, mut cycles) = (records.len() as u64, resumed_cycles);
        let mut result = Ok(());
        for record in receiver {
            if let Some(journal) = &mut journal
                && let Err(e) = journal.append(&record)
            {
                stop.store(true, Ordering::Relaxed);
                result = Err(e.into());
                break;
            }
            cases += 1;
            cycles += record.cycles;
            if let Some((signature, _)) = &record.failure
                && known.insert(signature.clone())
            {
                let after = start.elapsed();
                tell(Event::NewFailure { signature, case: record.case, after });
            }
            records.push(record);
            tell(Event::Case { cases, cycles, failures: known.len() });
        }
        result
    })?;
    if let Some(error) = failed.into_inner().expect("no worker panics") {
        return Err(error.into());
    }
    records.sort_by_key(|r| r.case);

    let mut summary = summarize(&header, &records, Timing::default());

    // The first case of each signature is reduced and stored: again in a resumed campaign, because
    // what is there may have been cut short, or a case with a lower number may have come since.
    let mut entries = Vec::new();
    for failure in &summary.failures {
        tell(Event::Shrinking { signature: &failure.signature });
        let full = steering.case(settings, failure.first_case, geometry).case;
        entries.push(publish::store(settings, &setup, failure, &full, stop, tell)?);
    }

    let seconds = start.elapsed().as_secs_f64();
    summary.timing = Timing {
        seconds,
        cycles_per_second: (summary.cycles - resumed_cycles) as f64 / seconds.max(1e-9),
        jobs: settings.jobs,
        environment: Environment::here(design.simulator()),
    };
    if let Some(folder) = &settings.folder {
        publish(folder, &header, &records, &summary, &entries)?;
        if design.counts_coverage() {
            design.write_coverage(&folder.join(RTL_COVERAGE))?;
        }
    }
    Ok(Outcome { summary, entries, interrupted: stop.load(Ordering::Relaxed) })
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
            let a = achieved(&generated, geometry);
            [a.transfers, a.results, a.write_backs]
        });
        Ok(Record {
            case,
            cycles: outcome.cycles,
            instructions: outcome.instructions,
            kinds: generated.kinds,
            moved,
            bins: self.collector.rare_bins(&mut self.known),
            failure: failing.map(|f| (f.signature, f.mismatch.cycle)),
        })
    }
}

/// Joins the journals of shards into one campaign.
///
/// # Errors
/// If a journal cannot be read, or the journals are not of one campaign.
pub fn merge(folders: &[PathBuf]) -> Result<(Header, Vec<Record>), CampaignError> {
    let mut joined: Option<Header> = None;
    let mut records: Vec<Record> = Vec::new();
    for folder in folders {
        let (mut header, more) = journal::read(folder)?;
        header.shard = [1, 1];
        match &joined {
            None => joined = Some(header),
            Some(first) if *first == header => {}
            Some(first) => {
                return Err(CampaignError::Other(format!(
                    "{}: {} with seed {} is another campaign than {} with seed {} in {}",
                    folder.display(),
                    header.profile.name,
                    header.seed,
                    first.profile.name,
                    first.seed,
                    folders[0].display()
                )));
            }
        }
        records.extend(more);
    }
    records.sort_by_key(|r| r.case);
    records.dedup_by_key(|r| r.case);
    let header = joined.ok_or_else(|| CampaignError::Other("no folder to join".into()))?;
    Ok((header, records))
}
