// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra replay` and `drra shrink`: rerun one case, or shrink it.

use std::sync::atomic::Ordering;

use drra_campaign::{CampaignCases, CaseFailure, CaseRun, Executor, ReportRequest, shrink};
use drra_case::Case;
use drra_files::shell;
use drra_generate::Profile;
use drra_lockstep::RunSetup;
use drra_report::{
    Report, shown,
    waves::{self, WaveWindow},
};
use drra_results::summary::profile_argument;

use super::{
    args::{ReplayArgs, ShrinkArgs, WaveChoice},
    chapters, checkout, cmd_fuzz, program, reports, worker,
};
use crate::command_prelude::*;

pub(super) fn replay(
    a: &ReplayArgs,
    setup: &RunSetup<'_>,
    build: &Build,
) -> Result<Exit, CommandError> {
    let (case, repeat) = match (&a.case, a.number) {
        (Some(path), None) => (
            program::read_to_run(path, setup, build)?,
            format!("drra replay {}", shell::path(path)),
        ),
        (None, Some(number)) => {
            let profile = cmd_fuzz::profile(&a.profile, a.fabric, build)?;
            let of_size = a.fabric.map_or_else(String::new, |size| format!(" --fabric {size}"));
            let file = cmd_fuzz::profile_file(&a.profile);
            let from = a.compare_from.map_or_else(String::new, |c| format!(" --compare-from {c}"));
            let repeat = format!(
                "drra replay --profile {}{of_size} --seed {} --number {number}{from}",
                profile_argument(&a.profile, file.as_deref()),
                a.seed
            );
            let compare_from = a.compare_from.unwrap_or(0);
            (Case { compare_from, ..CampaignCases::new(profile, a.seed).case(number) }, repeat)
        }
        _ => {
            let help = "give a case file, or --number with the --profile and --seed of a campaign";
            return Err(usage("expected exactly one case", help));
        }
    };
    if let Some(out) = &a.out {
        save(out, &drra_case::to_json(&case))?;
    }
    let pool = worker::worker_pool(&worker::NEVER, a.limits.into()).with_echo();
    if a.chapters {
        return chapters::ask(&case, Some(setup), &pool, build);
    }
    let (folder, checkout) = (a.report.as_deref(), checkout::same_version(build).is_some());
    let waves = folder.is_some();
    let request = ReportRequest { repeat, checkout, waves, ..ReportRequest::default() };
    let run = CaseRun { report: Some(&request), ..CaseRun::of(&case) };
    let heading = |report: &Report| format!("{}: {}\n", case.name, report.heading());
    let result = reports::run_and_show(&run, folder, &pool, setup, &heading)?;
    match &result.report {
        Some(report) => annotate_ci("drra replay", &[report])?,
        None => {
            let not_counted = program::not_counted(&case, result.cycles)?;
            say!("{}: golden model and RTL agree{not_counted}", case.name)?;
            print_comparison_coverage(setup, &case.geometry)?;
            no_report(folder)?;
        }
    }
    let failure = result.failure.as_ref();
    print_expectation(&case, failure)?;
    if let Some(waves) = a.waves {
        write_waves(a, waves, &case, failure, setup)?;
    }
    Ok(if failure.is_none() { Exit::Agreed } else { Exit::Mismatch })
}

/// Prints whether the mismatch that a case expects was found.
fn print_expectation(case: &Case, failure: Option<&CaseFailure>) -> Result<(), CommandError> {
    if let Some(expected) = &case.expect {
        let verdict = match failure {
            Some(failure) if failure.expect == *expected => "and it was found",
            Some(_) => "but a different one was found",
            None => "but none was found",
        };
        let (cycle, path) = (expected.cycle, shown::line(&expected.path));
        say!("the case expects a mismatch in cycle {cycle} at {path}, {verdict}")?;
    }
    Ok(())
}

/// Remedy if a waveform cannot be written.
const WAVES_REMEDY: &str = "give a writable file with --waves-out";

/// Writes waveforms of a case. A design that crashes is stopped just before the crash.
fn write_waves(
    a: &ReplayArgs,
    which: WaveChoice,
    case: &Case,
    failure: Option<&CaseFailure>,
    setup: &RunSetup<'_>,
) -> Result<(), CommandError> {
    let crash = failure.and_then(|failure| failure.crash.as_ref());
    let guarded = crash.map(|crash| crash.guard(setup.design));
    let mut setup = *setup;
    if let Some(guarded) = &guarded {
        setup.design = guarded;
    }
    let extension = if which == WaveChoice::Rtl { "rtl.fst" } else { "fst" };
    let of_case = || a.case.as_deref().unwrap_or(Path::new("case")).with_extension(extension);
    let path = &a.waves_out.clone().unwrap_or_else(of_case);
    let window = match (which, failure) {
        (WaveChoice::Rtl, _) => return write_rtl_waves(case, &setup, path),
        (WaveChoice::Full, _) => WaveWindow::Full,
        (WaveChoice::Window, Some(failure)) => WaveWindow::Around {
            cycle: failure.expect.cycle,
            before: a.waves_before,
            after: a.waves_after,
        },
        (WaveChoice::Window, None) => {
            note!(
                "no waveform was written, because there is no mismatch; use --waves full for the whole run"
            );
            return Ok(());
        }
    };
    let recorded =
        waves::record(case, &setup, window, path).map_err(|e| file(path, e, WAVES_REMEDY))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (gtkw, sucl) = (path.with_extension("gtkw"), path.with_extension("sucl"));
    save(&gtkw, &recorded.gtkwave(&name))?;
    save(&sucl, &recorded.surfer())?;
    let [waves, gtkw, sucl] = [path, &gtkw, &sucl].map(|path| shell::path(path));
    say!(
        "waves in {}, cycles {} to {}; open with: gtkwave {waves} {gtkw}, or surfer {waves} -c {sucl}",
        path.display(),
        recorded.from,
        recorded.to,
    )?;
    Ok(())
}

/// Records all signals of the RTL.
fn write_rtl_waves(case: &Case, setup: &RunSetup<'_>, path: &Path) -> Result<(), CommandError> {
    if !setup.design.writes_waves() {
        let help = "build with the feature rtl-trace: CARGO_TARGET_DIR=target/trace cargo run --release --features \
                    rtl-trace -- replay ...";
        return Err(usage("this build cannot write waveforms of the RTL", help));
    }
    let cycles = waves::record_rtl(case, setup, path).map_err(|e| file(path, e, WAVES_REMEDY))?;
    say!("waves of the RTL in {}, cycles 0 to {cycles}", path.display())?;
    Ok(())
}

pub(super) fn shrink(
    a: &ShrinkArgs,
    setup: &RunSetup<'_>,
    build: &Build,
) -> Result<Exit, CommandError> {
    let case = program::read_to_run(&a.case, setup, build)?;
    let stop = cmd_fuzz::interrupt();
    let stopped = || stop.load(Ordering::Relaxed);
    let pool = worker::worker_pool(&stop, a.limits.into());
    let Some(failure) = pool.run_case(&CaseRun::of(&case), setup)?.failure else {
        say!("{}: golden model and RTL agree, nothing to reduce", case.name)?;
        print_comparison_coverage(setup, &case.geometry)?;
        return Ok(Exit::Agreed);
    };
    if let Some(note) = &failure.note {
        say!("{}: {}: {note}, nothing to reduce", case.name, failure.signature)?;
        return Ok(Exit::Mismatch);
    }
    let bounds = cmd_fuzz::bounds(&a.bounds);
    // A reduced case of a bundled profile must still obey the constraints of that profile.
    let profile = case.origin.as_ref().and_then(|origin| Profile::shipped(&origin.profile));
    let profile = profile.filter(|p| p.violated(&case).is_none());
    let permitted = |smaller: &Case| profile.as_ref().is_none_or(|p| p.violated(smaller).is_none());
    let check = drra_campaign::shrink_check(&pool, setup, &failure);
    let mut shrunk = shrink::shrink(&case, &failure, &check, bounds, &stopped, &permitted)?;
    drra_campaign::find_carriers(&mut shrunk, &pool, setup)?;
    let bounds = cmd_fuzz::variation_bounds(&a.bounds);
    let variation = shrink::vary(&shrunk, build.sizes, &check, bounds, &stopped, &permitted, None)?;
    let out = a.out.clone().unwrap_or_else(|| a.case.with_extension("small.json"));
    save(&out, &drra_case::to_json(&shrunk.case))?;
    let repeat = format!("drra replay {}", shell::path(&out));
    let reduced = Some(drra_campaign::reduction(&shrunk));
    let checkout = checkout::same_version(build).is_some();
    let request =
        ReportRequest { repeat, checkout, reduced, variation, ..ReportRequest::default() };
    let crash = shrunk.failing.crash.as_ref();
    let run = CaseRun { crash, report: Some(&request), ..CaseRun::of(&shrunk.case) };
    if let Some(report) = pool.run_case(&run, setup)?.report {
        say!("{}\n{}", report.heading(), report.text(paint()))?;
    }
    Ok(Exit::Mismatch)
}
