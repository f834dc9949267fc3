// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra cluster slurm`: writes the scripts of a campaign for Slurm, and submits them as an array of shards and a job
//! that merges the shards. `drra cluster status`: progress and failures of a submitted campaign.

use std::{collections::BTreeMap, fs, process::Command};

use drra_campaign::{
    Tally,
    journal::{self, JournalMetadata, MAX_SHARDS},
    timestamps,
};
use drra_case::load::read_text;
use drra_files::{shell, write_partial};
use drra_generate::Profile;
use drra_report::table;
use drra_results::summary::Timing;
use serde::{Deserialize, Serialize};

use super::{
    args::{ClusterCommand, SlurmArgs, StatusArgs},
    cmd_fuzz,
};
use crate::command_prelude::*;

/// Script of a shard.
const SHARD: &str = include_str!("cluster/shard.sh");
/// Script that merges the shards.
const MERGE: &str = include_str!("cluster/merge.sh");
/// Remedy if the folder cannot be written.
const REMEDY: &str = "give a writable folder on a file system shared by all nodes";

pub(super) fn run(command: &ClusterCommand, build: &Build) -> Result<Exit, CommandError> {
    match command {
        ClusterCommand::Slurm(a) => submit(a, build),
        ClusterCommand::Status(a) => status(a),
    }
}

fn submit(a: &SlurmArgs, build: &Build) -> Result<Exit, CommandError> {
    let profile = cmd_fuzz::profile(&a.profile, None, build)?;
    let out = std::path::absolute(&a.out).map_err(|e| file(&a.out, e, REMEDY))?;
    let scripts = scripts(a, &profile, &out)?;
    if a.print {
        write!(stdout(), "{}", scripts.join("\n"))?;
        return Ok(Exit::Agreed);
    }
    write_files(a, &out, scripts)?;
    let refused = "correct the --sbatch options, and submit again with the same folder";
    // If the submission was rejected, the folder can be used again.
    let array = sbatch(&[], &out.join("slurm/shard.sh"), refused).inspect_err(|e| {
        if matches!(e, CommandError::Usage { .. }) {
            drop(fs::remove_file(out.join(FILE_NAME)));
        }
    })?;
    let after = format!("--dependency=afterany:{array}");
    let submitted = format!("submit it by hand with {after}; the shards run as array {array}");
    let merge = sbatch(&[&after], &out.join("slurm/merge.sh"), &submitted)?;
    say!("submitted: array {array} of {} shards, then job {merge} to merge them", a.shards)?;
    say!("new failures are logged in: {}", out.join("failures.log").display())?;
    say!("show progress with: drra cluster status {}", shell::path(&a.out))?;
    say!("result: {}", out.join("report/index.html").display())?;
    say!("cancel with: scancel {array} {merge}")?;
    Ok(Exit::Agreed)
}

/// The scripts of a shard and of the merge.
fn scripts(a: &SlurmArgs, profile: &Profile, out: &Path) -> Result<[String; 2], CommandError> {
    // These characters have a special meaning in the names of Slurm logs.
    let log = out.join("log");
    let log = log.to_str().filter(|text| !text.contains(['\n', '%', '\\', '"']));
    let log = log.ok_or_else(|| {
        let remedy = "give a folder whose path has no %, \\ or \", and is UTF-8";
        file(out, "Slurm cannot write logs into a folder with this name", remedy)
    })?;
    // Arguments with line feeds have already been rejected.
    let options: Vec<String> = a.sbatch.iter().map(|o| format!("#SBATCH {o}")).collect();
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let values = [
        ("NAME", profile.name.chars().map(word).collect()),
        ("SHARDS", a.shards.to_string()),
        ("MARGIN", a.margin.to_string()),
        ("JOBS", a.jobs.to_string()),
        ("RETRIES", a.retries.to_string()),
        ("LOG", log.to_owned()),
        ("OUT", shell::word(&out.to_string_lossy())),
        ("ARGUMENTS", arguments(a)?),
        ("KNOWN", known(a)?),
        ("OPTIONS", options.join("\n")),
        ("SETUP", a.setup.join("\n")),
    ];
    Ok([SHARD, MERGE].map(|script| filled(script, &values)))
}

/// Profile, seed and length of the campaign as arguments of `drra fuzz`.
fn arguments(a: &SlurmArgs) -> Result<String, CommandError> {
    let profile = match Profile::shipped(&a.profile) {
        Some(_) => a.profile.clone(),
        None => full(Path::new(&a.profile))?,
    };
    // The seed is chosen now, so that shards that start after midnight belong to the same campaign.
    let seed = a.seed.map_or_else(|| date(&timestamps::now()), |seed| seed.to_string());
    let mut text = format!("--profile {} --seed {seed}", shell::word(&profile));
    if let Some(time) = a.time {
        text += &format!(" --time {}s", time.as_secs());
    }
    if let Some(cases) = a.cases {
        text += &format!(" --cases {cases}");
    }
    Ok(text)
}

/// The option `--known` for `drra fuzz` and `drra merge`, with a space before it; empty without a list.
fn known(a: &SlurmArgs) -> Result<String, CommandError> {
    // An invalid list is rejected here rather than by every shard.
    a.known.read()?;
    let path = a.known.known.as_deref().map(full).transpose()?;
    Ok(path.map_or_else(String::new, |path| format!(" --known {}", shell::word(&path))))
}

/// The absolute path of a file.
fn full(path: &Path) -> Result<String, CommandError> {
    let path = path.canonicalize().map_err(|e| file(path, e, REMEDY))?;
    Ok(path.to_string_lossy().into_owned())
}

/// The date of a time, as YYYYMMDD.
pub(super) fn date(time: &str) -> String {
    time.chars().filter(char::is_ascii_digit).take(8).collect()
}

/// A script with each `@NAME@` replaced by its value, which is not searched for names.
fn filled(script: &str, values: &[(&str, String)]) -> String {
    let place = |(name, value)| Some((script.find(&format!("@{name}@"))?, name, value));
    match values.iter().map(|(name, value)| (name, value)).filter_map(place).min() {
        Some((at, name, value)) => {
            script[..at].to_owned() + value + &filled(&script[at + name.len() + 2..], values)
        }
        None => script.to_owned(),
    }
}

/// Writes the scripts, a description of the submission, and a copy of this program, so that a later build does not
/// change a waiting campaign.
fn write_files(a: &SlurmArgs, out: &Path, [shard, merge]: [String; 2]) -> Result<(), CommandError> {
    let submitted = out.join(FILE_NAME);
    if submitted.exists() {
        let what = "this folder already belongs to a submitted campaign";
        return Err(file(&submitted, what, "give another folder"));
    }
    for name in ["slurm", "log", "shards"] {
        let folder = out.join(name);
        fs::create_dir_all(&folder).map_err(|e| file(&folder, e, REMEDY))?;
    }
    let program = std::env::current_exe().map_err(tool)?;
    let copy = out.join("slurm/drra");
    let copied = write_partial(&copy, |partial| fs::copy(&program, partial));
    copied.map_err(|e| file(&copy, e, REMEDY))?;
    let written = Submission { version: 1, shards: a.shards };
    let written = serde_json::to_string(&written).map_err(tool)? + "\n";
    for (path, text) in [
        (out.join("slurm/shard.sh"), shard),
        (out.join("slurm/merge.sh"), merge),
        (submitted, written),
    ] {
        save(&path, &text)?;
    }
    Ok(())
}

/// Submits a script and returns the number of its job; `refused` is the remedy if Slurm rejects it.
fn sbatch(options: &[&str], script: &PathBuf, refused: &str) -> Result<String, CommandError> {
    let run = Command::new("sbatch").arg("--parsable").args(options).arg(script).output();
    let remedy = "submit on a machine with the Slurm commands, or print the scripts with --print";
    let output = run.map_err(|e| usage(format!("sbatch: {e}"), remedy))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let message = format!("{}: refused by sbatch: {}", script.display(), said.trim());
        return Err(usage(message, refused));
    }
    // The number of the job, and the name of the cluster if there are several; a wrapper may print lines before it.
    let said = String::from_utf8_lossy(&output.stdout);
    let last = said.trim().lines().last().unwrap_or_default();
    let job = last.split(';').next().unwrap_or_default().trim();
    if job.is_empty() || !job.bytes().all(|b| b.is_ascii_digit()) {
        let what = format!("sbatch printed no number of a job: {}", said.trim());
        return Err(tool(format!("{what}; find the job with squeue")));
    }
    Ok(job.to_owned())
}

/// Name of the file that describes the submission, in the folder of the campaign.
const FILE_NAME: &str = "cluster.json";

/// A submission.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Submission {
    /// Version of the format.
    version: u32,
    /// Number of shards; the folder of shard I is `shards/I`.
    shards: u64,
}

/// True if the shard in a folder has its final summary, and its journal ends with all cases. Returns `None` if it has
/// no journal.
fn is_complete(folder: &Path) -> Result<Option<bool>, CommandError> {
    // The summary may be that of an earlier part, if a later part was killed or the disk was full.
    let ends = || JournalMetadata::read(folder).is_ok_and(|m| m.is_complete());
    Ok(match summary(folder)? {
        Some(summary) => Some(!summary.timing.interrupted && ends()),
        None => journal::is_begun(folder).then_some(false),
    })
}

fn status(a: &StatusArgs) -> Result<Exit, CommandError> {
    let shards = submitted(&a.folder)?.shards;
    let folder = |shard: u64| a.folder.join("shards").join(shard.to_string());
    let states = (1..=shards).map(|shard| Ok((shard, is_complete(&folder(shard))?)));
    let states = states.collect::<Result<Vec<_>, CommandError>>()?;
    if a.unfinished {
        let unfinished = states.iter().filter(|(_, complete)| *complete != Some(true));
        let numbers: Vec<String> = unfinished.map(|(shard, _)| shard.to_string()).collect();
        say!("{}", numbers.join(","))?;
        return Ok(Exit::Agreed);
    }
    let mut rows = Vec::new();
    let mut failures: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (shard, complete) in states {
        let mut counts = [0; 3];
        if complete.is_some() {
            let (outline, tally) = Tally::read(&folder(shard))?;
            let summary = tally.figures(&outline.header, Timing::default());
            counts = [summary.cases, summary.failed, summary.cycles];
            for found in summary.failures {
                let (first, count) =
                    failures.entry(found.signature).or_insert((found.first_case, 0));
                *first = found.first_case.min(*first);
                *count += found.count;
            }
        }
        let [cases, failed, cycles] = counts.map(|number| number.to_string());
        let state = complete.map_or("not started", |c| if c { "complete" } else { "incomplete" });
        rows.push(vec![shard.to_string(), state.to_owned(), cases, failed, cycles]);
    }
    let names = ["shard", "state", "cases", "failed", "cycles"];
    write!(stdout(), "{}", table(&names, rows, [0, 2, 3, 4]))?;
    for (failure, (first, count)) in &failures {
        say!("{failure}: {count} cases, first case {first}")?;
    }
    Ok(if failures.is_empty() { Exit::Agreed } else { Exit::Mismatch })
}

/// Reads the submission in a folder.
fn submitted(folder: &Path) -> Result<Submission, CommandError> {
    let path = folder.join(FILE_NAME);
    let remedy = "give the folder that was given to drra cluster slurm with --out";
    let text = read_text(&path).map_err(|e| file(&path, e, remedy))?;
    let submitted: Submission = serde_json::from_str(&text).map_err(|e| file(&path, e, remedy))?;
    match submitted {
        Submission { version: 1, shards: 1..=MAX_SHARDS } => Ok(submitted),
        Submission { version: 1, shards } => {
            let what = format!("{shards} shards; expected 1 to {MAX_SHARDS}");
            Err(file(&path, what, "submit the campaign again with another folder"))
        }
        Submission { version, .. } => {
            Err(file(&path, format!("unknown version {version}"), remedy))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{date, filled};

    #[test]
    fn scripts_are_filled_once() {
        let values = [("A", "@B@".to_owned()), ("B", "two".to_owned())];
        assert_eq!(filled("x@@A@ ${y[@]} @C@ @B@@", &values), "x@@B@ ${y[@]} @C@ two@");
    }

    #[test]
    fn seeds_are_dates() {
        assert_eq!(date("2026-07-04T12:00:00Z"), "20260704");
    }
}
