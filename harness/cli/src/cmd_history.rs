// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra report --history`: the campaigns of several nights beside each other.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

use drra_campaign::{Exam, Place, process::Limits};
use drra_diagnose::signature;
use drra_lockstep::Setup;
use drra_report::{
    history::{Course, History, Run},
    shown,
    summary::Summary,
};
use serde::Deserialize;

use super::{
    Exit,
    args::ReportArgs,
    build::Build,
    console::stdout,
    error::{CommandError, file},
    near, sizes, worker,
};

/// Name of the files that tell the figures of a campaign, and of a run of mutants.
const SUMMARY: &str = "summary.json";

/// What a folder of a night holds.
#[derive(Default)]
struct Found {
    campaigns: Vec<Summary>,
    /// Their folders.
    folders: Vec<PathBuf>,
    mutation_score: Option<f64>,
}

impl Found {
    /// The campaigns of a profile, with their folders.
    fn of(&self, profile: &str) -> impl Iterator<Item = (&PathBuf, &Summary)> {
        self.folders.iter().zip(&self.campaigns).filter(move |(_, s)| s.profile == profile)
    }
}

/// What a run of mutants says, as far as it counts here.
#[derive(Deserialize)]
struct Mutation {
    score: f64,
    #[serde(rename = "mutants")]
    _mutants: serde::de::IgnoredAny,
}

/// Where stored cases are run again.
struct Again<'a> {
    place: &'a dyn Place,
    setup: &'a Setup<'a>,
}

pub(super) fn run(a: &ReportArgs, build: &Build) -> Result<Exit, CommandError> {
    let setup = build.design.map(|_| build.setup(None)).transpose()?;
    let mut nights = Vec::new();
    for folder in &a.history {
        let found = read(folder)?;
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
        let name = absolute.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let night = Run::new(shown::line(&name), &found.campaigns, found.mutation_score);
        nights.push((folder, night, found));
    }
    nights.sort_by(|a, b| a.1.started.cmp(&b.1.started));
    let last = nights.last().map(|(folder, ..)| (*folder).clone()).unwrap_or_default();
    let out = a.out.as_ref().unwrap_or(&last);
    // A signal ends the command at once.
    let never = AtomicBool::new(false);
    let place = worker::processes(&never, Limits::default());
    let again = setup.as_ref().map(|setup| Again { place: &place, setup });
    let (nights, found): (Vec<_>, Vec<_>) = nights
        .into_iter()
        .map(|(_, night, found)| ((night, found.campaigns.clone()), found))
        .unzip();
    let history = History::new(nights, |course| {
        again.as_ref().map_or(Ok(None), |again| again.still_fails(course, &found))
    })?;
    fs::create_dir_all(out)
        .map_err(|e| file(out, e, "name a folder that can be written with --out"))?;
    let page = out.join("history.html");
    for (path, text) in
        [(out.join("history.json"), history.to_json()), (page.clone(), history.page())]
    {
        super::save(&path, &text)?;
    }
    write!(stdout(), "{}", history.to_text())?;
    writeln!(stdout(), "history in {}", page.display())?;
    Ok(if history.fails() { Exit::Mismatch } else { Exit::Agreed })
}

impl Again<'_> {
    /// Runs the stored cases of a failure that the last night does not show: true if one still fails so, false if all
    /// agree. It is not known if one is lacking or fails in another way, or if this build has not the RTL of the last
    /// night.
    fn still_fails(&self, course: &Course, nights: &[Found]) -> Result<Option<bool>, CommandError> {
        let rtl = self.setup.design.fingerprint().sources;
        let mut last = nights.iter().rev().take(1).flat_map(|night| night.of(&course.profile));
        if last.any(|(_, summary)| summary.identity.rtl != rtl) {
            return Ok(None);
        }
        let is_it = |name: &str| signature::failure(name) == course.signature;
        let mut known = None;
        for (folder, summary) in nights[course.last].of(&course.profile) {
            for failure in summary.failures.iter().filter(|f| is_it(&f.signature)) {
                let text = fs::read_to_string(folder.join(&failure.folder).join("case.json"));
                let case = text.ok().and_then(|text| drra_case::parse(&text).ok());
                let Some(case) = case.filter(|c| sizes::check("", c, self.setup.design).is_ok())
                else {
                    return Ok(None);
                };
                known = match self.place.examine(&Exam::of(&case), self.setup)?.found {
                    None => Some(false),
                    Some(found) if is_it(&found.signature) => return Ok(Some(true)),
                    Some(_) => return Ok(None),
                };
            }
        }
        Ok(known)
    }
}

/// The summaries in a folder and in the folders below it.
fn read(folder: &Path) -> Result<Found, CommandError> {
    let remedy = "name the folder of a campaign, or one with a folder for each profile";
    let entries = fs::read_dir(folder).map_err(|e| file(folder, e, remedy))?;
    let mut folders: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    folders.sort();
    folders.insert(0, folder.to_owned());
    let mut found = Found::default();
    for path in folders.iter().map(|folder| folder.join(SUMMARY)).filter(|path| path.is_file()) {
        let remedy = "write it again with drra report, or leave the folder out";
        let text = fs::read_to_string(&path).map_err(|e| file(&path, e, remedy))?;
        match serde_json::from_str::<Mutation>(&text) {
            Ok(mutation) => found.mutation_score = Some(mutation.score),
            Err(_) => {
                let summary = Summary::parse(&text).map_err(|e| file(&path, e, remedy))?;
                found.campaigns.push(summary);
                found.folders.extend(path.parent().map(Path::to_owned));
            }
        }
    }
    if found.campaigns.is_empty() && found.mutation_score.is_none() {
        let remedy = near::campaigns(folder, ", or one with such a folder for each profile");
        return Err(file(folder, format!("there is no {SUMMARY} in it"), remedy));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use drra_campaign::Here;
    use drra_case::{programs, to_json};
    use drra_isa::Geometry;
    use drra_lockstep::{Design, GoldenDesign};
    use drra_report::history::Status;
    use drra_testkit::{Fault, Faulty, Flip};
    use serde_json::json;

    use super::*;

    fn night(day: u32, failures: serde_json::Value, folder: &Path) -> Found {
        let summary = json!({
            "version": 2, "profile": "smoke", "seed": day, "cases": 9, "failed": 0, "cycles": 90,
            "compared": {"units": [], "ports": 0, "cycles": 90, "bit_cycles": 1, "not_compared": []},
            "instructions": 1, "kinds": {}, "coverage": [], "failures": failures,
            "moved": {"cases": 0, "transfers": [0, 0], "results": [0, 0], "write_backs": [0, 0]},
            "new_signature": 0.5, "new_bin": 0.5,
            "identity": {"version": "0", "program": "p", "model": "m", "profile": "q",
                "rtl": GoldenDesign.fingerprint().sources},
            "timing": {"seconds": 1.0, "cycles_per_second": 1.0, "jobs": 1,
                "started": format!("2026-01-{day:02}T22:00:00Z")},
        });
        let campaigns = vec![Summary::parse(&summary.to_string()).unwrap()];
        Found { campaigns, folders: vec![folder.to_owned()], mutation_score: None }
    }

    /// What the last night does not show is fixed if its stored case agrees, and there if that still fails. Else it is
    /// not known: without the case, if it fails in another way, or if the last night had other RTL.
    #[test]
    fn only_what_agrees_is_fixed() {
        let dir = tempfile::tempdir().unwrap();
        let case = programs::ALL[0].case(&Geometry::default()).unwrap();
        let flip = Flip { cycle: 30, location: "cell[0][0].rf.mem[40]".parse().unwrap(), bit: 3 };
        let faulty = Faulty::new(&GoldenDesign, Fault::Flip(flip));
        let of = |design| Setup { design, cycles: None };
        let seen = Here.examine(&Exam::of(&case), &of(&faulty)).unwrap().found.unwrap();
        let status = |design, name: &str, folder: &str, rtl: Option<&str>| {
            let failure = json!([{"signature": name, "count": 1, "first_case": 1, "first_seed": 1, "cycle": 30,
                "folder": folder}]);
            let mut found = [night(1, failure, dir.path()), night(2, json!([]), dir.path())];
            if let Some(rtl) = rtl {
                found[1].campaigns[0].identity.rtl = rtl.to_owned();
            }
            let nights = found
                .iter()
                .map(|f| (Run::new("n".into(), &f.campaigns, None), f.campaigns.clone()));
            let setup = of(design);
            let again = Again { place: &Here, setup: &setup };
            let history = History::new(nights.collect(), |c| again.still_fails(c, &found)).unwrap();
            assert_eq!(history.fails(), history.failures[0].status == Status::Still);
            history.failures[0].status
        };
        fs::create_dir(dir.path().join("stored")).unwrap();
        fs::write(dir.path().join("stored/case.json"), to_json(&case)).unwrap();
        let name = &*seen.signature;
        assert_eq!(status(&GoldenDesign, name, "stored", None), Status::Gone);
        assert_eq!(status(&faulty, name, "stored", None), Status::Still);
        assert_eq!(status(&faulty, "another", "stored", None), Status::NotReached);
        assert_eq!(status(&GoldenDesign, name, "nowhere", None), Status::NotReached);
        assert_eq!(status(&GoldenDesign, name, "stored", Some("other")), Status::NotReached);
    }
}
