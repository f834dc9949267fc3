// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra replay` and `drra shrink`: one case again, and smaller.

use std::{
    io::Write,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use drra_campaign::{Exam, Found, Place, Settings, Wanted, shrink};
use drra_case::{Case, load::Extras, output::from_here};
use drra_generate::Profile;
use drra_lockstep::Setup;
use drra_report::{
    shown,
    waves::{self, Window},
};

use super::{
    Exit,
    args::{ReplayArgs, ShrinkArgs, Waves},
    build::Build,
    cmd_fuzz,
    console::{note, stdout},
    error::{CommandError, file, usage},
    program, progress, sizes, worker,
};

pub(super) fn replay(
    a: &ReplayArgs,
    setup: &Setup<'_>,
    build: &Build,
) -> Result<Exit, CommandError> {
    let (case, repeat) = match (&a.case, a.number) {
        (Some(path), None) => {
            let case = read(path, build)?;
            sizes::check(&path.display().to_string(), &case, setup.design)?;
            (case, format!("drra replay {}", from_here(path)))
        }
        (None, Some(number)) => {
            let settings = Settings {
                profile: cmd_fuzz::profile(&a.profile, a.fabric, build)?,
                seed: a.seed,
                ..Settings::default()
            };
            let of_size = a.fabric.map_or_else(String::new, |size| format!(" --fabric {size}"));
            let repeat = format!(
                "drra replay --profile {}{of_size} --seed {} --number {number}",
                a.profile, a.seed
            );
            (drra_campaign::case_of(&settings, number), repeat)
        }
        _ => {
            let help = "name a case file, or profile, seed and number of a campaign's case";
            return Err(usage("nothing to replay, or more than one case", help));
        }
    };
    if let Some(out) = &a.out {
        super::save(out, &drra_case::to_json(&case))?;
    }
    // A signal ends the command at once.
    let never = AtomicBool::new(false);
    let place = worker::processes(&never, a.limits.into()).with_echo();
    let wanted = Wanted { repeat, folder: a.report.clone(), case: true, ..Wanted::default() };
    let exam = Exam { report: Some(&wanted), ..Exam::of(&case) };
    let seen = progress::tell_cycles(&case.name, case.cycles, &|| place.cycle(), || {
        place.examine(&exam, setup)
    })?;
    if let Some(report) = &seen.report {
        let heading = format!("{}: {}\n", case.name, report.heading());
        super::show_report(&heading, report, a.report.as_deref())?;
        if let Some(folder) = &a.report {
            drra_campaign::write_log(folder, &seen.printed)?;
        }
        super::announce("drra replay", &[report])?;
    } else {
        writeln!(stdout(), "{}: golden model and RTL agree", case.name)?;
        super::print_account(setup, &case.geometry)?;
        super::no_report(a.report.as_deref())?;
    }
    say_expected(&case, seen.found.as_ref())?;
    if let Some(which) = a.waves {
        waves_of(a, which, &case, seen.found.as_ref(), setup)?;
    }
    Ok(if seen.found.is_none() { Exit::Agreed } else { Exit::Mismatch })
}

/// Compares what a case says about its failure with what was found.
fn say_expected(case: &Case, found: Option<&Found>) -> Result<(), CommandError> {
    if let Some(expected) = &case.expect {
        let verdict = match found {
            Some(found) if found.expect == *expected => "which is what was found",
            Some(_) => "which is not what was found",
            None => "which is not there",
        };
        let (cycle, path) = (expected.cycle, shown::line(&expected.path));
        writeln!(stdout(), "the case expects a difference in cycle {cycle} at {path}, {verdict}")?;
    }
    Ok(())
}

/// Writes waves of a case. A design that ends its process is stopped just before.
fn waves_of(
    a: &ReplayArgs,
    which: Waves,
    case: &Case,
    found: Option<&Found>,
    setup: &Setup<'_>,
) -> Result<(), CommandError> {
    let ending = found.and_then(|found| found.ending.as_ref());
    let known = ending.map(|ending| ending.known_to(setup.design));
    let mut setup = *setup;
    if let Some(known) = &known {
        setup.design = known;
    }
    let path = match (&a.waves_out, &a.case) {
        (Some(path), _) => path.clone(),
        (None, Some(case)) => case.with_extension(waves_ending(which)),
        (None, None) => Path::new("case").with_extension(waves_ending(which)),
    };
    let window = match (which, found) {
        (Waves::Full, _) => Some(Window::Full),
        (_, Some(found)) => Some(Window::Around {
            cycle: found.expect.cycle,
            before: a.waves_before,
            after: a.waves_after,
        }),
        (_, None) => None,
    };
    match which {
        Waves::Rtl => write_rtl_waves(case, &setup, &path),
        Waves::Window | Waves::Full => write_waves(case, &setup, window, &path),
    }
}

fn waves_ending(which: Waves) -> &'static str {
    match which {
        Waves::Window | Waves::Full => "fst",
        Waves::Rtl => "rtl.fst",
    }
}

/// What a person can do if waves cannot be written.
const WAVES_REMEDY: &str = "name a file that can be written with --waves-out";

/// Records all signals of the RTL.
fn write_rtl_waves(case: &Case, setup: &Setup<'_>, path: &Path) -> Result<(), CommandError> {
    if !setup.design.writes_waves() {
        let help = "CARGO_TARGET_DIR=target/trace cargo run --release --features rtl-trace -- \
                    replay ...";
        return Err(usage("this build writes no waves of the RTL", help));
    }
    let cycles = waves::record_rtl(case, setup, path).map_err(|e| file(path, e, WAVES_REMEDY))?;
    writeln!(stdout(), "waves of the RTL in {}, cycles 0 to {cycles}", path.display())?;
    Ok(())
}

/// Records the registers of both sides, and writes the files that open them in viewers.
fn write_waves(
    case: &Case,
    setup: &Setup<'_>,
    window: Option<Window>,
    path: &Path,
) -> Result<(), CommandError> {
    let Some(window) = window else {
        note!("no waves: there is no mismatch to show; --waves full records the whole run");
        return Ok(());
    };
    let recorded =
        waves::record(case, setup, window, path).map_err(|e| file(path, e, WAVES_REMEDY))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for (ending, text) in [("gtkw", recorded.gtkwave(&name)), ("sucl", recorded.surfer())] {
        let path = path.with_extension(ending);
        super::save(&path, &text)?;
    }
    writeln!(
        stdout(),
        "waves in {}, cycles {} to {}; open with: gtkwave {} {}, or surfer {} -c {}",
        path.display(),
        recorded.from,
        recorded.to,
        path.display(),
        path.with_extension("gtkw").display(),
        path.display(),
        path.with_extension("sucl").display()
    )?;
    Ok(())
}

pub(super) fn shrink(
    a: &ShrinkArgs,
    setup: &Setup<'_>,
    build: &Build,
) -> Result<Exit, CommandError> {
    let case = read(&a.case, build)?;
    sizes::check(&a.case.display().to_string(), &case, setup.design)?;
    let stop = cmd_fuzz::interrupt();
    let stopped = || stop.load(Ordering::Relaxed);
    let place = worker::processes(&stop, a.limits.into());
    let Some(found) = place.examine(&Exam::of(&case), setup)?.found else {
        writeln!(stdout(), "{}: golden model and RTL agree, nothing to reduce", case.name)?;
        super::print_account(setup, &case.geometry)?;
        return Ok(Exit::Agreed);
    };
    if let Some(note) = &found.note {
        writeln!(stdout(), "{}: {}: {note}, nothing to reduce", case.name, found.signature)?;
        return Ok(Exit::Mismatch);
    }
    let bounds = cmd_fuzz::bounds(&a.bounds);
    // A case of a shipped profile keeps to the constraints of that profile.
    let profile = case.origin.as_ref().and_then(|origin| Profile::shipped(&origin.profile));
    let profile = profile.filter(|p| p.violated(&case).is_none());
    let permitted = |smaller: &Case| profile.as_ref().is_none_or(|p| p.violated(smaller).is_none());
    let check = drra_campaign::tries(&place, setup, &found);
    let shrunk = shrink::shrink(&case, &found, &check, bounds, &stopped, &permitted)?;
    let out = a.out.clone().unwrap_or_else(|| beside(&a.case));
    super::save(&out, &drra_case::to_json(&shrunk.case))?;
    let repeat = format!("drra replay {}", from_here(&out));
    let reduced = Some(drra_campaign::reduction(&shrunk));
    let wanted = Wanted { repeat, reduced, ..Wanted::default() };
    let ending = shrunk.failing.ending.as_ref();
    let exam = Exam { ending, report: Some(&wanted), ..Exam::of(&shrunk.case) };
    if let Some(report) = place.examine(&exam, setup)?.report {
        writeln!(stdout(), "{}\n{}", report.heading(), report.text(super::paint()))?;
    }
    Ok(Exit::Mismatch)
}

/// `NAME.small.json` for `NAME.json`: the original stays.
fn beside(path: &Path) -> PathBuf {
    path.with_extension("small.json")
}

fn read(path: &Path, build: &Build) -> Result<Case, CommandError> {
    program::read(path, &Extras::default(), build)
}
