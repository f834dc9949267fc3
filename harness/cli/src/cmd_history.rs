// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra report --history`: the campaigns of several nights beside each other.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use drra_report::{
    history::{History, Night},
    summary::Summary,
};
use serde::Deserialize;

use super::{
    Exit,
    args::ReportArgs,
    console::stdout,
    error::{CommandError, file},
    near,
};

/// Name of the files that tell the figures of a campaign, and of a run of mutants.
const SUMMARY: &str = "summary.json";

/// What a folder of a night holds.
#[derive(Default)]
struct Found {
    campaigns: Vec<Summary>,
    mutation_score: Option<f64>,
}

/// What a run of mutants says, as far as it counts here.
#[derive(Deserialize)]
struct Mutation {
    score: f64,
    #[serde(rename = "mutants")]
    _mutants: serde::de::IgnoredAny,
}

pub(super) fn run(a: &ReportArgs) -> Result<Exit, CommandError> {
    let mut nights = Vec::new();
    for folder in &a.history {
        let Found { campaigns, mutation_score } = read(folder)?;
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
        let name = absolute.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let night = Night::new(name, &campaigns, mutation_score);
        nights.push((folder, night, campaigns));
    }
    nights.sort_by(|a, b| a.1.started.cmp(&b.1.started));
    let last = nights.last().map(|(folder, ..)| (*folder).clone()).unwrap_or_default();
    let out = a.out.as_ref().unwrap_or(&last);
    let history =
        History::new(nights.into_iter().map(|(_, night, found)| (night, found)).collect());
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
            }
        }
    }
    if found.campaigns.is_empty() && found.mutation_score.is_none() {
        let remedy = near::campaigns(folder) + ", or a folder with one for each profile";
        return Err(file(folder, format!("there is no {SUMMARY} in it"), remedy));
    }
    Ok(found)
}
