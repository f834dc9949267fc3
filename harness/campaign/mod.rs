// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns: cases of one profile in parallel workers, a journal of the finished ones, distinct
//! failures with reduced cases, a summary.
//!
//! A case depends on the profile, the seed of the campaign and its own number alone, and the
//! summary on the finished cases alone: the number of workers, interruptions and shards change
//! nothing.

pub mod journal;
mod publish;
mod steer;
mod summary;

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

use drra_isa::Geometry;
use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub use publish::publish;
pub use publish::reduction;
pub use publish::stored_entries;
pub use publish::stored_report;
pub use summary::Environment;
pub use summary::Failure;
pub use summary::GroupCoverage;
pub use summary::Moved;
pub use summary::Summary;
pub use summary::Timing;

use crate::bridge;
use crate::case::Case;
use crate::coverage::Collector;
use crate::coverage::Coverage;
use crate::generate::Profile;
use crate::generate::achieved;
use crate::lockstep;
use crate::report;
use crate::report::Entry;
use crate::shrink;
use crate::signature;
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
    Bundle(#[from] report::BundleError),
    /// A stored report.
    #[error("{path}: {source}")]
    Report {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: report::ReportError,
    },
    /// The journal belongs to another campaign.
    #[error("{0}")]
    Other(String),
    /// The model does not fit the state map.
    #[error("{0}")]
    Tool(String),
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

/// Runs a campaign. `tell` hears what happens; `stop` ends it cleanly.
///
/// # Errors
/// If the journal cannot be used, or a file cannot be written.
pub fn run(
    settings: &Settings,
    geometry: &Geometry,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<Outcome, CampaignError> {
    let start = Instant::now();
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
                let mut worker = Worker::new(settings, geometry, steering);
                while !ended() {
                    let Some(case) = take() else { break };
                    match worker.run(case) {
                        Ok(record) => {
                            if sender.send(record).is_err() {
                                break;
                            }
                        }
                        Err(message) => {
                            *failed.lock().expect("no worker panics") = Some(message);
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
    if let Some(message) = failed.into_inner().expect("no worker panics") {
        return Err(CampaignError::Tool(message));
    }
    records.sort_by_key(|r| r.case);

    let mut summary = Summary::new(&header, &records, Timing::default());

    // The first case of each signature is reduced and stored: again in a resumed campaign, because
    // what is there may have been cut short, or a case with a lower number may have come since.
    let mut entries = Vec::new();
    for failure in &summary.failures {
        tell(Event::Shrinking { signature: &failure.signature });
        let full = steering.case(settings, failure.first_case, geometry).case;
        entries.push(publish::store(settings, geometry, failure, &full, stop, tell)?);
    }

    let seconds = start.elapsed().as_secs_f64();
    summary.timing = Timing {
        seconds,
        cycles_per_second: (summary.cycles - resumed_cycles) as f64 / seconds.max(1e-9),
        jobs: settings.jobs,
        environment: Environment::here(),
    };
    if let Some(folder) = &settings.folder {
        publish(folder, &header, &records, &summary, &entries)?;
        if bridge::COUNTS_COVERAGE {
            let path = folder.join(RTL_COVERAGE);
            bridge::write_coverage(&path.to_string_lossy()).map_err(CampaignError::Tool)?;
        }
    }
    Ok(Outcome { summary, entries, interrupted: stop.load(Ordering::Relaxed) })
}

/// One worker: it makes cases, runs them and sums up what they hit.
struct Worker<'a> {
    settings: &'a Settings,
    geometry: &'a Geometry,
    steering: &'a Steering,
    collector: Collector,
    known: Coverage,
}

impl<'a> Worker<'a> {
    fn new(settings: &'a Settings, geometry: &'a Geometry, steering: &'a Steering) -> Self {
        let collector = Collector::new(geometry);
        Self { settings, geometry, steering, collector, known: Coverage::default() }
    }

    fn run(&mut self, case: u64) -> Result<Record, String> {
        let generated = self.steering.case(self.settings, case, self.geometry);
        self.collector.start(generated.case.straps(self.geometry));
        let options = self.settings.shrink.options();
        let outcome =
            lockstep::run_observed(&generated.case, self.geometry, &options, &mut self.collector)?;
        let failing = signature::failing(&generated.case, self.geometry, &options, &outcome)?;
        let moved = case.is_multiple_of(MOVED_PERIOD).then(|| {
            let a = achieved(&generated, self.geometry);
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
