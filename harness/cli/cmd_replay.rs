// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra replay` and `drra shrink`: one case again, and smaller.

use std::io::Write;
use std::io::stdout;
use std::path::Path;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use super::Exit;
use super::args::ReplayArgs;
use super::args::ShrinkArgs;
use super::cmd_fuzz;
use crate::GEOMETRY;
use crate::campaign;
use crate::campaign::Settings;
use crate::case;
use crate::case::Case;
use crate::diagnostic::Failure;
use crate::diagnostic::file;
use crate::diagnostic::plain;
use crate::explain;
use crate::load::Extras;
use crate::load::load;
use crate::lockstep::Options;
use crate::output::write_whole;
use crate::shrink;
use crate::signature;

pub(super) fn replay(a: &ReplayArgs) -> Result<Exit, Failure> {
    let (case, repeat) = match (&a.case, a.number) {
        (Some(path), None) => (read(path)?, format!("drra replay {}", path.display())),
        (None, Some(number)) => {
            let settings = Settings {
                profile: cmd_fuzz::profile(&a.profile)?,
                seed: a.seed,
                ..Settings::default()
            };
            let repeat =
                format!("drra replay --profile {} --seed {} --number {number}", a.profile, a.seed);
            (campaign::case_of(&settings, number, &GEOMETRY), repeat)
        }
        _ => {
            let help = "name a case file, or profile, seed and number of a campaign's case";
            return Err(plain("nothing to replay, or more than one case", help));
        }
    };
    if let Some(out) = &a.out {
        write(out, &case)?;
    }
    let Some(failing) =
        signature::check(&case, &GEOMETRY, &Options::default()).map_err(Failure::Tool)?
    else {
        writeln!(stdout(), "{}: golden model and RTL agree", case.name)?;
        return Ok(Exit::Agreed);
    };
    writeln!(
        stdout(),
        "{}: {}\n{}",
        case.name,
        failing.signature,
        explain::report(&GEOMETRY, &failing.mismatch, &failing.explanation, &repeat)
    )?;
    Ok(Exit::Mismatch)
}

pub(super) fn shrink(a: &ShrinkArgs) -> Result<Exit, Failure> {
    let case = read(&a.case)?;
    let Some(failing) =
        signature::check(&case, &GEOMETRY, &Options::default()).map_err(Failure::Tool)?
    else {
        writeln!(stdout(), "{}: golden model and RTL agree, nothing to reduce", case.name)?;
        return Ok(Exit::Agreed);
    };
    let stop = cmd_fuzz::interrupt();
    let stopped = || stop.load(Ordering::Relaxed);
    let bounds = cmd_fuzz::bounds(&a.bounds);
    let shrunk =
        shrink::shrink(&case, &failing, &GEOMETRY, bounds, &stopped).map_err(Failure::Tool)?;
    let out = a.out.clone().unwrap_or_else(|| beside(&a.case));
    write(&out, &shrunk.case)?;
    let repeat = format!("drra replay {}", out.display());
    writeln!(stdout(), "{}", campaign::failure_report(&GEOMETRY, &shrunk, &repeat))?;
    Ok(Exit::Mismatch)
}

/// `NAME.small.json` for `NAME.json`: the original stays.
fn beside(path: &Path) -> PathBuf {
    path.with_extension("small.json")
}

fn read(path: &Path) -> Result<Case, Failure> {
    Ok(load(path, &Extras::default())?.case)
}

fn write(path: &Path, case: &Case) -> Result<(), Failure> {
    write_whole(path, case::to_json(case, &GEOMETRY).as_bytes())
        .map_err(|e| file(path, e.to_string(), "name a file that can be written"))
}
