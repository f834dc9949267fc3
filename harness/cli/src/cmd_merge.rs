// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra merge`: merges shards.

use std::{collections::BTreeMap, fs};

use drra_campaign::{
    Shards,
    journal::{self, Journal},
    timestamps::Timestamp,
};
use drra_diagnose::signature;
use drra_files::write_partial;
use drra_lockstep::Design;
use drra_results::summary::{Environment, Timing};

use super::{args::MergeArgs, cmd_fuzz};
use crate::command_prelude::*;

pub(super) fn run(a: &MergeArgs, design: &dyn Design) -> Result<Exit, CommandError> {
    let MergeArgs { folders, out, mix, partial, known } = a;
    let known = known.read()?;
    let mut shards = Shards::open(folders, *mix)?;
    let (header, range) = (shards.header.clone(), shards.range.clone());
    let mut journal = Journal::create(out, &header)?;
    journal.append(&Timestamp::Started(range.started.clone()))?;
    // The files of a failure come from the shard that ran its first case.
    let mut ran: BTreeMap<String, (u64, PathBuf)> = BTreeMap::new();
    let tally = shards.read(&mut |folder, part| {
        for (signature, count) in &part.failures {
            let failure = signature::failure(signature);
            if ran.get(&failure).is_none_or(|(first, _)| count.first.0 < *first) {
                ran.insert(failure, (count.first.0, folder.to_owned()));
            }
        }
        journal.append(part)
    });
    // An incomplete journal could be mistaken for a complete journal.
    let tally = tally.inspect_err(|_| drop(fs::remove_file(out.join(journal::FILE_NAME))))?;
    shards.damage.iter().for_each(|damage| note!("warning: {damage}"));
    journal.append(&Timestamp::Ended { at: range.ended.clone(), until: tally.ends() })?;
    let timing = Timing {
        environment: Environment::here(design.simulator()),
        started: range.started,
        ended: range.ended,
        ..together(folders)
    };
    let mut summary = tally.summarize(&header, timing);
    summary.mark(&known);
    for failure in &summary.failures {
        if let Some((_, folder)) = ran.get(&failure.signature) {
            let stored = out.join(&failure.folder);
            copy_folder(&folder.join(drra_campaign::stored_folder(folder, failure)), &stored)?;
            drra_campaign::update_report(&stored, failure)?;
        }
    }
    let entries = drra_campaign::stored_entries(out, &summary)?;
    drra_campaign::publish(out, &header, &tally, &summary, &entries)?;
    write!(stdout(), "{}", summary.to_text())?;
    cmd_fuzz::annotate_failures(&summary, &entries)?;
    say!("results in {}", out.join("index.html").display())?;
    match cmd_fuzz::verdict(&summary, None)? {
        Exit::Interrupted if *partial => Ok(Exit::Agreed),
        exit => Ok(exit),
    }
}

/// The combined timing of all shards, if all of them have a summary.
fn together(folders: &[PathBuf]) -> Timing {
    let timing = |folder: &PathBuf| Some(summary(folder).ok()??.timing);
    let Some(parts) = folders.iter().map(timing).collect::<Option<Vec<_>>>() else {
        return Timing::default();
    };
    Timing {
        seconds: parts.iter().map(|t| t.seconds).fold(0.0, f64::max),
        cycles_per_second: parts.iter().map(|t| t.cycles_per_second).sum(),
        jobs: parts.iter().map(|t| t.jobs).sum(),
        ..Timing::default()
    }
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), CommandError> {
    if !from.is_dir() {
        return Ok(()); // the shard was stopped before storing the failure
    }
    let remedy = "check that the folder can be read and written";
    fs::create_dir_all(to).map_err(|e| file(to, e, remedy))?;
    for path in entries(from, remedy)?.iter().filter(|path| path.is_file()) {
        let target = to.join(path.file_name().unwrap_or_default());
        let copied = write_partial(&target, |partial| fs::copy(path, partial));
        copied.map_err(|e| file(path, e, remedy))?;
    }
    Ok(())
}
