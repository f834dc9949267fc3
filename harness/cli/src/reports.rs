// SPDX-License-Identifier: MIT OR Apache-2.0
//! What commands do with reports, and what they say about how much was compared.

use std::{
    fs,
    io::{self, Write},
    path::Path,
    slice,
};

use drra_campaign::CampaignError;
use drra_case::output::write_whole;
use drra_isa::Geometry;
use drra_lockstep::{Compared, Setup};
use drra_report::{Paint, Report, Subject, github};

use super::{
    console::{command, note, stdout},
    error::{CommandError, file, usage},
};

/// Of a smaller share of the state, in percent, an agreement says little.
const HALF: f64 = 50.0;

/// Colours on a terminal, unless the environment asks for none (`NO_COLOR`).
pub(super) fn paint() -> Paint {
    match anstream::AutoStream::choice(&io::stdout()) {
        anstream::ColorChoice::Never => Paint::Plain,
        _ => Paint::Ansi,
    }
}

/// Annotations and a job summary for GitHub Actions, if this process runs there.
pub(super) fn announce(title: &str, reports: &[&Report]) -> Result<(), CommandError> {
    if github::is_here() {
        for report in reports {
            command(&github::annotation(report))?;
        }
        // The job's page is a convenience: the verdict does not depend on it.
        if let Err(e) = github::summarize(title, reports) {
            note!("warning: GITHUB_STEP_SUMMARY: {e}");
        }
    }
    Ok(())
}

/// Writes a file, whole or not at all.
pub(super) fn save(path: &Path, text: &str) -> Result<(), CommandError> {
    write_whole(path, text.as_bytes()).map_err(|e| file(path, e, "name a file that can be written"))
}

/// Writes page, data and waves of a mismatch into a folder, which is made if it does not exist.
pub(super) fn write_bundle(
    folder: &Path,
    subject: &Subject<'_>,
    report: &Report,
) -> Result<(), CommandError> {
    fs::create_dir_all(folder).map_err(|e| file(folder, e, "name a folder that can be written"))?;
    save(&folder.join("case.json"), &drra_case::to_json(subject.case))?;
    drra_report::write_waves(folder, subject)
        .and_then(|()| drra_report::write_report(folder, report, None))
        .map_err(|e| CampaignError::Bundle(e).into())
}

/// Prints the report of a mismatch below or beside a heading, and where its files are.
pub(super) fn show_report(heading: &str, report: &Report, folder: Option<&Path>) -> io::Result<()> {
    writeln!(stdout(), "{heading}{}", report.text(paint()))?;
    match folder {
        Some(folder) => writeln!(stdout(), "report in {}", folder.join("report.html").display()),
        None => Ok(()),
    }
}

/// Says that there is nothing to report, where a report was asked for.
pub(super) fn no_report(folder: Option<&Path>) -> io::Result<()> {
    match folder {
        Some(folder) => writeln!(stdout(), "no mismatch: no report in {}", folder.display()),
        None => Ok(()),
    }
}

/// Prints how much of the state a design of a size lets compare, and what not.
pub(super) fn print_account(setup: &Setup<'_>, size: &Geometry) -> Result<(), CommandError> {
    print_compared(&setup.compared(slice::from_ref(size)))
}

/// Where nothing differs: what was compared has to be something, and as much of the state as is asked for.
pub(super) fn enough(compared: &Compared, least: Option<f64>) -> Result<(), CommandError> {
    let share = compared.percent();
    if compared.compared().bits == 0 {
        let remedy = "map registers of the design (harness/guide/signal-map.md)";
        return Err(usage("nothing of the state was compared", remedy));
    }
    if let Some(least) = least.filter(|least| share < *least) {
        let what = format!("{share:.1} % of the state was compared, {least} % are asked for");
        return Err(usage(what, "map more registers, or give a smaller --min-compared"));
    }
    if share < HALF {
        note!("warning: only {share:.1} % of the state was compared");
    }
    Ok(())
}

/// Prints how much of the state was compared, and what not.
pub(super) fn print_compared(compared: &Compared) -> Result<(), CommandError> {
    writeln!(stdout(), "compared: {}", compared.share())?;
    for line in compared.lines() {
        writeln!(stdout(), "not compared: {line}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use drra_isa::Geometry;
    use drra_lockstep::Compared;

    use super::enough;

    #[test]
    fn nothing_is_no_agreement() {
        let whole = Compared::whole(&[Geometry::default()]);
        assert!(enough(&whole, Some(100.0)).is_ok());
        let mut none = whole;
        none.units.iter_mut().for_each(|unit| unit.compared = Default::default());
        let error = enough(&none, None).unwrap_err();
        assert_eq!(error.to_string(), "nothing of the state was compared");
    }
}
