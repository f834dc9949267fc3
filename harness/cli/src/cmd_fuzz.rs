// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra fuzz`: a campaign.

use std::{
    io::{ErrorKind, Write},
    path::Path,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use drra_campaign::{
    CampaignResult, New, Progress, Settings,
    journal::{self, Outline},
    process::Limits,
    shrink,
};
use drra_generate::{Profile, SHIPPED};
use drra_isa::Geometry;
use drra_lockstep::Setup;
use drra_report::{Entry, Report, shown, summary::Summary};
use indicatif::ProgressStyle;

use super::{
    Exit,
    args::{FuzzArgs, ShrinkBounds},
    build::Build,
    console::{note, stdout},
    error::{CommandError, file, tool, usage},
    failure_log::FailureLog,
    near, progress, shard, sizes, worker,
};

/// Length of a campaign for which neither cases nor time are given.
pub(super) const DEFAULT_TIME: Duration = Duration::from_secs(30);

/// Signals within this time are one: a scheduler signals a script and its programs, and the script its programs again.
const SAME_SIGNAL: Duration = Duration::from_millis(500);

pub(super) fn run(a: &FuzzArgs, setup: &Setup<'_>, build: &Build) -> Result<Exit, CommandError> {
    let settings = settings(a, build)?;
    let log = a.failures.as_deref().map(|path| FailureLog::open(path, &settings)).transpose()?;
    let FuzzArgs { min_compared, coverage, limits, .. } = *a;
    report(&settings, setup, log, How { limits: limits.into(), min_compared, coverage })
}

/// How a campaign is run, judged and shown.
pub(super) struct How {
    /// What its workers may take.
    pub(super) limits: Limits,
    /// What share of the state an agreement needs, in percent.
    pub(super) min_compared: Option<f64>,
    /// The coverage of each group is printed.
    pub(super) coverage: bool,
}

/// Runs a campaign and prints its summary and its failures.
pub(super) fn report(
    settings: &Settings,
    setup: &Setup<'_>,
    log: Option<FailureLog>,
    how: How,
) -> Result<Exit, CommandError> {
    let result = campaign(settings, setup, log, how.limits)?;
    write!(stdout(), "{}", result.summary.to_text())?;
    if how.coverage {
        write!(stdout(), "{}", result.summary.coverage_table())?;
    }
    for entry in &result.entries {
        match (&entry.report, &entry.note) {
            (Some(report), _) => {
                writeln!(stdout(), "{}\n{}", report.heading(), report.text(super::paint()))?;
            }
            (None, Some(note)) => writeln!(stdout(), "{}\n{note}\n", entry.failure.signature)?,
            (None, None) => {}
        }
    }
    announce(&result.summary, &result.entries)?;
    if settings.folder.is_none() && !result.entries.is_empty() {
        writeln!(stdout(), "pages and waves: add --out DIR, or --report DIR to a repeat command")?;
    }
    // What was found is told; now why that is not all.
    if let Some(e) = result.incomplete {
        return Err(CommandError::Incomplete(e));
    }
    if let Some(folder) = &settings.folder {
        writeln!(stdout(), "results in {}", folder.join("index.html").display())?;
        if result.summary.timing.interrupted {
            writeln!(stdout(), "interrupted; go on with: drra fuzz --resume {}", folder.display())?;
        }
    }
    verdict(&result.summary, how.min_compared)
}

/// What a campaign says about the design: nothing compared is no agreement, nor is less than was asked for.
pub(super) fn verdict(summary: &Summary, min_compared: Option<f64>) -> Result<Exit, CommandError> {
    match summary {
        s if s.failed > 0 => Ok(Exit::Mismatch),
        s if s.timing.interrupted || !s.missing.is_empty() => Ok(Exit::Interrupted),
        s if s.cycles == 0 => {
            Err(usage("no case was finished: nothing was compared", "give --cases from 1 on"))
        }
        s => super::enough(&s.compared, min_compared).map(|()| Exit::Agreed),
    }
}

/// Tells GitHub Actions about the failures of a campaign, if this process runs there.
pub(super) fn announce(summary: &Summary, entries: &[Entry]) -> Result<(), CommandError> {
    let reports: Vec<&Report> = entries.iter().filter_map(|e| e.report.as_ref()).collect();
    let title = format!("drra fuzz, profile {}, seed {}", summary.profile, summary.seed);
    super::announce(&title, &reports)
}

/// Runs a campaign with progress on a terminal; a signal ends it with its summary.
fn campaign(
    settings: &Settings,
    setup: &Setup<'_>,
    mut log: Option<FailureLog>,
    limits: Limits,
) -> Result<CampaignResult, CommandError> {
    let stop = interrupt();
    let place = worker::place(setup.design, &stop, limits);
    let bar = progress::bar();
    let style = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}");
    bar.set_style(style.map_err(tool)?);
    let mut tell = |progress: Progress<'_>| match progress {
        Progress::Case { cases, cycles, failures } => {
            bar.set_message(format!(
                "{cases} cases, {cycles} cycles, {failures} distinct failures"
            ));
            bar.tick();
        }
        Progress::NewFailure { new, signature, case, after } => {
            let seconds = after.as_secs_f64();
            bar.suspend(|| {
                if new == New::Failure {
                    note!("new failure after {seconds:.1} s, case {case}: {signature}");
                }
                if let Some(log) = &mut log {
                    log.add(case, signature);
                }
            });
        }
        Progress::Reduced { signature, instructions: [before, after], time } => {
            let seconds = time.as_secs_f64();
            bar.suspend(|| {
                note!(
                    "reduced from {before} to {after} instructions in {seconds:.1} s: {signature}"
                );
            });
        }
        Progress::Reported { signature, time } => {
            let seconds = time.as_secs_f64();
            bar.suspend(|| note!("report written in {seconds:.1} s: {signature}"));
        }
        Progress::Shrinking { signature } => {
            bar.set_message(format!("reducing {}", shown::line(signature)));
            bar.tick();
        }
    };
    let result = drra_campaign::run_at(settings, setup, &*place, &stop, &mut tell);
    bar.finish_and_clear();
    Ok(result?)
}

/// A flag that Ctrl-C, SIGTERM and SIGHUP set.
pub(super) fn interrupt() -> Arc<AtomicBool> {
    static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let flag = STOP.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&flag);
        let mut first = None;
        // Without a handler a signal ends the process at once; the journal stays complete, as it does when a
        // second signal comes because the end takes too long.
        let _ = ctrlc::set_handler(move || {
            let since = first.get_or_insert_with(Instant::now).elapsed();
            if seen.swap(true, Ordering::Relaxed) && since > SAME_SIGNAL {
                std::process::exit(Exit::Interrupted as i32);
            }
        });
        flag
    });
    Arc::clone(flag)
}

fn settings(a: &FuzzArgs, build: &Build) -> Result<Settings, CommandError> {
    let environment = |name: &str| std::env::var(name).ok();
    let shard = a.shard.as_deref().map_or(Ok([1, 1]), |text| shard::parse(text, &environment))?;
    let mut settings = Settings {
        profile: profile(&a.profile, a.fabric, build)?,
        seed: a.seed,
        cases: a.cases,
        time: a.time.map(Into::into),
        jobs: worker::number(a.jobs),
        shard,
        folder: a.out.clone(),
        resume: false,
        mix: a.mix,
        shrink: bounds(&a.shrink),
        ..of_this_program(build)
    };
    if let Some(folder) = &a.resume {
        let header = Outline::read(folder)?.header;
        sizes::check_campaign(folder, &header.profile, build.sizes)?;
        settings.profile = header.profile;
        settings.seed = header.seed;
        settings.cases = a.cases.or(header.cases);
        settings.shard = header.shard;
        settings.folder = Some(folder.clone());
        settings.resume = true;
    }
    if let Some(folder) = a.out.as_ref().filter(|folder| a.go_on && journal::is_begun(folder)) {
        settings.resume = true;
        let spent = journal::spent(folder)?;
        settings.time = settings.time.map(|time| time.saturating_sub(spent));
    }
    if settings.cases.is_none() && settings.time.is_none() {
        settings.time = Some(DEFAULT_TIME);
    }
    Ok(settings)
}

/// The settings that a campaign has by default, run by this program.
pub(super) fn of_this_program(build: &Build) -> Settings {
    let settings = Settings::default();
    let profile = sizes::narrowed(settings.profile, None, build.sizes);
    let profile = profile.expect("a shipped profile fits all sizes");
    Settings {
        profile,
        revision: build.revision.map(str::to_owned),
        program: build.sources.to_owned(),
        ..Settings::default()
    }
}

/// Bounds of a reduction.
pub(super) fn bounds(a: &ShrinkBounds) -> shrink::Bounds {
    shrink::Bounds { steps: a.shrink_steps, time: a.shrink_time.into() }
}

/// A shipped profile by name, or one from a file, for the sizes of the fabric that this program has, or for one.
pub(super) fn profile(
    name: &str,
    only: Option<Geometry>,
    build: &Build,
) -> Result<Profile, CommandError> {
    sizes::check_option(only, build.sizes)?;
    let path = Path::new(name);
    let unusable = |e| file(path, e, "harness/profiles/profile.schema.json tells the rest");
    if let Some(profile) = Profile::shipped(name) {
        return sizes::narrowed(profile, only, build.sizes).map_err(unusable);
    }
    let text = std::fs::read_to_string(path).map_err(|e| {
        let names: Vec<&str> = SHIPPED.iter().map(|(n, _)| *n).collect();
        let near = near::did_you_mean(name, names.iter().copied());
        let remedy = format!("{near}name a file, or one of {}", names.join(", "));
        match e.kind() {
            ErrorKind::NotFound => {
                file(path, "there is neither a profile nor a file of this name", remedy)
            }
            _ => file(path, e, remedy),
        }
    })?;
    Profile::parse(&text, path.parent())
        .and_then(|profile| sizes::narrowed(profile, only, build.sizes))
        .map_err(unusable)
}
