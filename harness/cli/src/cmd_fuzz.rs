// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra fuzz`: runs a campaign.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use drra_campaign::{
    CampaignResult, CampaignSettings, Novelty, ProgressEvent,
    journal::{self, JournalMetadata},
    process::WorkerLimits,
    shrink,
};
use drra_case::{ReadError, load::read_text};
use drra_files::shell;
use drra_generate::{Profile, SHIPPED};
use drra_isa::Geometry;
use drra_lockstep::RunSetup;
use drra_report::{Report, shown};
use drra_results::{FailureEntry, summary::Summary};
use indicatif::ProgressStyle;

use super::{
    args::{FuzzArgs, ShrinkBounds},
    failure_log::FailureLog,
    progress, shard, signals, sizes, suggest, worker,
};
use crate::command_prelude::*;

/// Duration of a campaign without --cases and --time.
const DEFAULT_TIME: Duration = Duration::from_secs(30);

/// Signals within this time are treated as one signal: a scheduler signals a script and its programs, and the script
/// then signals its programs again.
const SAME_SIGNAL: Duration = Duration::from_millis(500);

pub(super) fn run(a: &FuzzArgs, setup: &RunSetup<'_>, build: &Build) -> Result<Exit, CommandError> {
    let settings = CampaignSettings { known: a.known.read()?, ..settings(a, build)? };
    let log = a.failure_log.as_deref().map(|path| FailureLog::open(path, &settings)).transpose()?;
    let result = campaign(&settings, setup, log, a.limits.into())?;
    write!(stdout(), "{}", result.summary.to_text())?;
    if a.coverage {
        write!(stdout(), "{}", result.summary.coverage_table())?;
    }
    for entry in result.entries.iter().filter(|entry| entry.failure.known.is_none()) {
        match (&entry.report, &entry.note) {
            (Some(report), _) => {
                say!("{}\n{}", report.heading(), report.text(paint()))?;
            }
            (None, Some(note)) => say!("{}\n{note}\n", entry.failure.signature)?,
            (None, None) => {}
        }
    }
    annotate_failures(&result.summary, &result.entries)?;
    if settings.folder.is_none() && !result.entries.is_empty() {
        say!(
            "for HTML reports and waveforms, add --out DIR, or add --report DIR to the command that repeats a failure"
        )?;
    }
    // The findings have been printed; now report why they are incomplete.
    if let Some(e) = result.incomplete {
        return Err(CommandError::Incomplete(e));
    }
    if let Some(folder) = &settings.folder {
        say!("results in {}", folder.join("index.html").display())?;
        if result.summary.timing.interrupted {
            say!("interrupted; resume with: drra fuzz --resume {}", shell::path(folder))?;
        }
    }
    verdict(&result.summary, a.min_compared)
}

/// The verdict of a campaign. It is an error if nothing, or less than required, was compared.
pub(super) fn verdict(summary: &Summary, min_compared: Option<f64>) -> Result<Exit, CommandError> {
    match summary {
        s if s.new_failures().next().is_some() => Ok(Exit::Mismatch),
        s if s.timing.interrupted || !s.missing.is_empty() => Ok(Exit::Interrupted),
        s if s.cases == 0 => Err(usage(
            "no case was run, so nothing was compared",
            "give more --cases, or a longer --time",
        )),
        s if s.cycles == 0 => Err(only_known()),
        s => check_min_compared(&s.compared, min_compared).map(|()| Exit::Agreed),
    }
}

/// Annotates the failures of a campaign for GitHub Actions, if this process runs there.
pub(super) fn annotate_failures(
    summary: &Summary,
    entries: &[FailureEntry],
) -> Result<(), CommandError> {
    let new = entries.iter().filter(|e| e.failure.known.is_none());
    let reports: Vec<&Report> = new.filter_map(|e| e.report.as_ref()).collect();
    let title = format!("drra fuzz, profile {}, seed {}", summary.profile, summary.seed);
    annotate_ci(&title, &reports)
}

/// Runs a campaign and shows its progress. A signal ends the campaign, whose summary is still written.
fn campaign(
    settings: &CampaignSettings,
    setup: &RunSetup<'_>,
    mut log: Option<FailureLog>,
    limits: WorkerLimits,
) -> Result<CampaignResult, CommandError> {
    let stop = interrupt();
    let executor = worker::executor(setup.design, &stop, limits);
    let bar = progress::bar();
    let style = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}");
    bar.set_style(style.map_err(tool)?);
    let mut on_progress = |progress: ProgressEvent<'_>| match progress {
        ProgressEvent::Case { cases, cycles, failures } => {
            bar.set_message(format!(
                "{cases} cases, {cycles} cycles, {failures} distinct failures"
            ));
            bar.tick();
        }
        ProgressEvent::NewFailure { new, signature, case, compare_from, after } => {
            let seconds = after.as_secs_f64();
            bar.suspend(|| {
                let known = settings.known.of(signature).is_some();
                if new == Novelty::Failure {
                    let new = if known { "known" } else { "new" };
                    note!("{new} failure after {seconds:.1} s, case {case}: {signature}");
                }
                if let Some(log) = log.as_mut().filter(|_| !known) {
                    log.add(case, compare_from, signature);
                }
            });
        }
        ProgressEvent::Reduced { signature, instructions: [before, after], time } => {
            let how =
                format!("from {before} to {after} instructions in {:.1} s", time.as_secs_f64());
            bar.suspend(|| note!("reduced {how}: {signature}"));
        }
        ProgressEvent::Reported { signature, time } => {
            let seconds = time.as_secs_f64();
            bar.suspend(|| note!("report written in {seconds:.1} s: {signature}"));
        }
        ProgressEvent::Shrinking { signature } => {
            bar.set_message(format!("reducing {}", shown::line(signature)));
            bar.tick();
        }
    };
    let result = drra_campaign::run_on(settings, setup, &*executor, &stop, &mut on_progress);
    bar.finish_and_clear();
    Ok(result?)
}

/// A flag that is set by Ctrl-C, SIGTERM and SIGHUP, unless they are ignored.
pub(super) fn interrupt() -> Arc<AtomicBool> {
    static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let flag = STOP.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&flag);
        let mut first = None;
        // A second signal ends the process at once, and so does the first one if no handler can be set; the journal
        // stays intact.
        let _ = signals::on_end(move || {
            let since = first.get_or_insert_with(Instant::now).elapsed();
            if seen.swap(true, Ordering::Relaxed) && since > SAME_SIGNAL {
                std::process::exit(Exit::Interrupted.code().into());
            }
        });
        flag
    });
    Arc::clone(flag)
}

fn settings(a: &FuzzArgs, build: &Build) -> Result<CampaignSettings, CommandError> {
    let environment = |name: &str| std::env::var(name).ok();
    let shard = a.shard.as_deref().map_or(Ok([1, 1]), |text| shard::parse(text, &environment))?;
    let mut settings = CampaignSettings {
        profile: profile(&a.profile, a.fabric, build)?,
        profile_file: profile_file(&a.profile),
        seed: a.seed,
        cases: a.cases,
        time: a.time,
        max_failures: a.max_failures.or(a.until_failure.then_some(1)),
        jobs: worker::worker_count(a.jobs),
        shard,
        folder: a.out.clone(),
        resume: false,
        mix: a.mix,
        first_only: a.first_only,
        shrink: bounds(&a.shrink),
        vary: variation_bounds(&a.shrink),
        revision: build.revision.map(str::to_owned),
        program: build.sources.to_owned(),
        checkout: crate::checkout::same_version(build).is_some(),
        ..CampaignSettings::default()
    };
    if let Some(folder) = &a.resume {
        let header = JournalMetadata::read(folder)?.header;
        sizes::check_campaign(folder, &header.profile, build.sizes)?;
        settings.profile = header.profile;
        settings.profile_file = header.profile_file;
        settings.seed = header.seed;
        settings.first_only = header.first_only;
        settings.cases = a.cases.or(header.cases);
        settings.shard = header.shard;
        settings.folder = Some(folder.clone());
        settings.resume = true;
    }
    if let Some(folder) =
        a.out.as_ref().filter(|folder| a.resume_or_start && journal::is_begun(folder))
    {
        settings.resume = true;
        let elapsed = journal::duration(folder)?;
        settings.time = settings.time.map(|time| time.saturating_sub(elapsed));
    }
    if settings.cases.is_none() && settings.time.is_none() {
        settings.time = Some(DEFAULT_TIME);
    }
    Ok(settings)
}

/// Limits of a reduction.
pub(super) fn bounds(a: &ShrinkBounds) -> shrink::ReductionBounds {
    shrink::ReductionBounds { steps: a.shrink_steps, time: a.shrink_time }
}

/// Limits of a variation.
pub(super) fn variation_bounds(a: &ShrinkBounds) -> shrink::VariationBounds {
    shrink::VariationBounds { runs: a.vary_steps, time: a.shrink_time }
}

/// A bundled profile by name, or a profile from a file, restricted to the fabric sizes of this program or to one of
/// them.
pub(super) fn profile(
    name: &str,
    only: Option<Geometry>,
    build: &Build,
) -> Result<Profile, CommandError> {
    sizes::check_option(only, build.sizes)?;
    read_profile(name, only, build.sizes)
}

/// The absolute path of a profile; `None` for a bundled profile.
pub(super) fn profile_file(name: &str) -> Option<PathBuf> {
    Profile::shipped(name).is_none().then(|| std::path::absolute(name).ok()).flatten()
}

/// Like [`profile`], but also for a size that this program has no model for.
pub(super) fn read_profile(
    name: &str,
    only: Option<Geometry>,
    sizes: &[Geometry],
) -> Result<Profile, CommandError> {
    let path = Path::new(name);
    let unusable = |e| file(path, e, "see harness/profiles/profile.schema.json for the format");
    if let Some(profile) = Profile::shipped(name) {
        return sizes::narrowed(profile, only, sizes).map_err(unusable);
    }
    let text = read_text(path).map_err(|e| {
        let names: Vec<&str> = SHIPPED.iter().map(|(n, _)| *n).collect();
        let similar = suggest::did_you_mean(name, names.iter().copied());
        let remedy = format!("{similar}give a file or one of: {}", names.join(", "));
        match e {
            ReadError::Missing => file(path, "there is no profile or file with this name", remedy),
            _ => file(path, e, remedy),
        }
    })?;
    Profile::parse(&text, path.parent())
        .and_then(|profile| sizes::narrowed(profile, only, sizes))
        .map_err(unusable)
}
