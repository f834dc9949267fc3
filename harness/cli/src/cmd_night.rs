// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra night`: the campaigns of a night or of a change, with several profiles. A campaign that fails does not prevent
//! the others from running.

use std::{
    collections::BTreeSet,
    env,
    ffi::{OsStr, OsString},
    fs,
    io::{
        self,
        ErrorKind::{DirectoryNotEmpty, NotADirectory},
    },
    panic::{self, AssertUnwindSafe},
    sync::atomic::Ordering,
    time::Duration,
};

use drra_campaign::{journal, timestamps};
use drra_files::write_folder;

use super::{
    args::{KnownArgs, NightCommand},
    cmd_cluster::date,
    cmd_fuzz,
    cmd_report::{self, CASE, NightResults},
    shard,
};
use crate::command_prelude::*;

/// The profiles of a night without DRRA_PROFILES.
const PROFILES: &str = "default agu dpu interconnect dimarch loops chaos io_perm";

/// Number of nights that are kept.
const NIGHTS: usize = 90;

/// CI systems: a variable that each of them sets, and the variables for the number of the run, its branch and its
/// cause, which is `schedule` for scheduled runs. Jenkins has no variable for the cause.
const SYSTEMS: [[&str; 4]; 3] = [
    ["GITHUB_ACTIONS", "GITHUB_RUN_NUMBER", "GITHUB_REF_NAME", "GITHUB_EVENT_NAME"],
    ["GITLAB_CI", "CI_PIPELINE_IID", "CI_COMMIT_REF_NAME", "CI_PIPELINE_SOURCE"],
    ["JENKINS_URL", "BUILD_NUMBER", "BRANCH_NAME", ""],
];

/// Runs a command of this program, given by its words.
type CommandRunner<'a> = &'a dyn Fn(Vec<OsString>) -> Result<Exit, CommandError>;

pub(super) fn run(
    command: &NightCommand,
    run: CommandRunner<'_>,
    build: &Build,
) -> Result<Exit, CommandError> {
    match command {
        NightCommand::Shard { shard, time, folder } => {
            let shard = shard::parse(shard, &variable)?;
            Ok(run_shard(&profiles(PROFILES)?, shard, *time, folder, run))
        }
        NightCommand::Merge { folder, out } => merge(&profiles(PROFILES)?, folder, out, run),
        NightCommand::History { out, kept } => history(out, kept, build),
        NightCommand::Verify { cases, time, out, kept } => {
            let (profiles, saved) = (profiles("default")?, saved(cases)?);
            let (night, mut worst) = (cleared(out)?, Exit::Agreed);
            if !saved.is_empty() {
                let junit = out.join("saved.xml");
                worst = step("saved cases", "run", &[("junit", junit.as_ref())], &saved, run);
            }
            worst = worst.max(run_shard(&profiles, [1, 1], *time, &night, run));
            Ok(match kept.as_ref().filter(|_| !is_stopped()) {
                Some(kept) => worst.max(history(&night, kept, build).unwrap_or_else(|e| e.print())),
                None => worst,
            })
        }
    }
}

/// The value of an environment variable; `None` if it is unset or empty.
fn variable(name: &str) -> Option<String> {
    let value = env::var_os(name).filter(|value| !value.is_empty());
    value.map(|value| value.to_string_lossy().into_owned())
}

/// The path of the list of known deviations.
fn known() -> Option<PathBuf> {
    env::var_os("DRRA_KNOWN").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The profiles that the environment lists, or else `usual`: names or files, each with the name of its folder.
fn profiles(usual: &str) -> Result<Vec<(String, String)>, CommandError> {
    let given = variable("DRRA_PROFILES").unwrap_or_else(|| usual.to_owned());
    let words = given.lines().flat_map(|line| match Path::new(line).is_file() {
        true => vec![line],
        false => line.split_whitespace().collect(),
    });
    let stem = |word| Path::new(word).file_stem().unwrap_or_default().to_string_lossy();
    let profiles: Vec<_> = words.map(|word| (word.to_owned(), stem(word).into_owned())).collect();
    let names: BTreeSet<_> = profiles.iter().map(|(_, name)| name).collect();
    if names.len() < profiles.len() || names.is_empty() {
        let what = format!("DRRA_PROFILES={given}: no profile, or two with the same name");
        return Err(usage(what, "give names and files with different names"));
    }
    Ok(profiles)
}

/// True if a signal has asked the program to end.
fn is_stopped() -> bool {
    cmd_fuzz::interrupt().load(Ordering::Relaxed)
}

/// Runs a command of this program with the known deviations, unless a signal has asked the program to end. An error is
/// printed.
fn step(
    name: &str,
    command: &str,
    options: &[(&str, &OsStr)],
    files: &[PathBuf],
    run: CommandRunner<'_>,
) -> Exit {
    if is_stopped() {
        return Exit::Interrupted;
    }
    let known = known();
    let known = known.as_ref().map(|path| ("known", path.as_os_str()));
    let mut words = vec!["drra".into(), command.into()];
    for (name, value) in options.iter().copied().chain(known) {
        let mut word = OsString::from(format!("--{name}="));
        word.push(value);
        words.push(word);
    }
    words.push("--".into());
    words.extend(files.iter().map(Into::into));
    let run = || {
        say!("== {name}")?;
        run(words)
    };
    // A panic in one step does not prevent the others from running.
    let done = panic::catch_unwind(AssertUnwindSafe(run));
    done.map_or(Exit::ToolFailure, |done| done.unwrap_or_else(|e| e.print()))
}

/// Runs a shard of the campaign of each profile.
fn run_shard(
    profiles: &[(String, String)],
    [shard, shards]: [u64; 2],
    time: Duration,
    out: &Path,
    run: CommandRunner<'_>,
) -> Exit {
    let time = format!("{}ms", (time.as_millis() / profiles.len() as u128).max(1));
    let shard = format!("{shard}/{shards}");
    let seed = variable("DRRA_SEED").unwrap_or_else(|| date(&timestamps::now()));
    let campaigns = profiles.iter().map(|(profile, name)| {
        let out = out.join(name);
        let options = [("profile", profile), ("seed", &seed), ("shard", &shard), ("time", &time)];
        let options = options.map(|(name, value)| (name, value.as_ref()));
        step(name, "fuzz", &[&options[..], &[("out", out.as_ref())]].concat(), &[], run)
    });
    campaigns.max().unwrap_or(Exit::Agreed)
}

/// Merges the shards of each profile.
fn merge(
    profiles: &[(String, String)],
    folder: &Path,
    out: &Path,
    run: CommandRunner<'_>,
) -> Result<Exit, CommandError> {
    let shards = entries(folder, "give the folder that contains the folders of the shards")?;
    let merged = profiles.iter().map(|(_, name)| {
        let parts = shards.iter().map(|shard| shard.join(name)).filter(|part| part.is_dir());
        let parts: Vec<PathBuf> = parts.collect();
        if parts.is_empty() {
            let remedy = "run drra night shard, or remove the profile from DRRA_PROFILES";
            let what = format!("there is no shard of profile {name}");
            return file(folder, what, remedy).print();
        }
        step(name, "merge", &[("out", out.join(name).as_ref())], &parts, run)
    });
    Ok(merged.max().unwrap_or(Exit::Agreed))
}

/// The saved cases and programs in a folder. The command that runs them skips cases of other sizes.
fn saved(cases: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let mut files = entries(cases, "give the folder of your saved cases; it may be empty")?;
    files.retain(|file| {
        let hidden = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        !hidden && file.extension().is_some_and(|ending| ending == "json" || ending == "sasm")
    });
    Ok(files)
}

/// Removes the results of an earlier run from a folder, unless it is still running; returns the folder for the
/// campaigns.
fn cleared(out: &Path) -> Result<PathBuf, CommandError> {
    let night = out.join("night");
    let cannot = |e| file(out, e, "give a writable folder");
    fs::create_dir_all(&night).map_err(cannot)?;
    let mut campaigns = folders(&night).map_err(cannot)?;
    campaigns.retain(|folder| folder.join(journal::FILE_NAME).is_file());
    campaigns.iter().try_for_each(|campaign| journal::idle(campaign))?;
    let files = [out.join("saved.xml"), night.join("history.html"), night.join("history.json")];
    let mut files = files.iter().filter(|file| file.exists());
    let removed = files.try_for_each(fs::remove_file);
    removed.and_then(|()| campaigns.iter().try_for_each(fs::remove_dir_all)).map_err(cannot)?;
    Ok(night)
}

/// The branch and number of a run in a CI system, and whether the run counts as scheduled.
fn origin() -> Result<(Option<[String; 2]>, bool), CommandError> {
    let system = SYSTEMS.into_iter().find(|[present, ..]| variable(present).is_some());
    let key = system.and_then(|[_, number, branch, _]| {
        // The parts of a name are separated by dots.
        let letter = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '-' };
        let mut branch: String = variable(branch)?.chars().map(letter).take(60).collect();
        if is_number(&branch) {
            branch.insert(0, '-'); // a number is not recognised as a branch
        }
        Some([branch, variable(number).filter(|number| is_number(number))?])
    });
    let scheduled = match variable("DRRA_SCHEDULED").as_deref() {
        None => system.is_none_or(|[.., cause]| variable(cause).as_deref() == Some("schedule")),
        Some("yes") => true,
        Some("no") => false,
        Some(text) => return Err(usage(format!("DRRA_SCHEDULED={text}"), "give yes or no")),
    };
    Ok((key, scheduled))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The branch in the name of a night: DATE.BRANCH.N or DATE, either possibly followed by another number. Nights of
/// version 1.0 are named after their seeds. Returns `None` for the name of another folder.
fn branch(night: &NightResults) -> Option<Option<&str>> {
    let parts: Vec<&str> = night.run.name.split('.').collect();
    let branch = parts.get(1).copied().filter(|part| !is_number(part));
    let numbers = &parts[1 + usize::from(branch.is_some())..];
    let is_night = is_number(parts[0])
        && numbers.iter().all(|part| is_number(part))
        && (branch.is_none() || parts[0].len() == 8 && !numbers.is_empty());
    is_night.then_some(branch)
}

/// The files of a night, relative to its folder: the results and hit bins of its campaigns, and the cases and pages of
/// their failures. A failure that a later night does not show is considered fixed if its case agrees.
fn files(night: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let campaigns = [night.to_owned()].into_iter().chain(folders(night)?);
    for campaign in campaigns.filter(|folder| folder.join(SUMMARY).is_file()) {
        let failures = folders(&campaign.join("failures")).unwrap_or_default();
        let of_failure = |folder: PathBuf| [CASE, "report.html"].map(|name| folder.join(name));
        files.extend(failures.into_iter().flat_map(of_failure));
        files.extend([SUMMARY, journal::HITS].map(|name| campaign.join(name)));
    }
    files.retain(|path| path.is_file());
    Ok(files.iter().filter_map(|path| Some(path.strip_prefix(night).ok()?.to_owned())).collect())
}

/// Copies the files of a night to KEPT/NAME or, if there is such a night, KEPT/NAME.2 and so on.
fn store(out: &Path, kept: &Path, name: &str) -> io::Result<PathBuf> {
    let files = files(out)?;
    let copy = |night: &Path| {
        files.iter().try_for_each(|file| {
            let to = night.join(file);
            fs::create_dir_all(to.parent().unwrap_or(night))?;
            fs::copy(out.join(file), to).map(drop)
        })
    };
    let mut names = (2..).map(|number| format!("{name}.{number}"));
    let mut night = kept.join(name);
    loop {
        match write_folder(&night, copy) {
            Err(e) if matches!(e.kind(), DirectoryNotEmpty | NotADirectory) => {
                night = kept.join(names.next().unwrap_or_default());
            }
            written => return written.map(|()| night),
        }
    }
}

/// Removes the files of a night and its folders, unless they contain other files.
fn remove(night: &Path) -> io::Result<()> {
    let files = files(night)?;
    files.iter().try_for_each(|file| fs::remove_file(night.join(file)))?;
    for folder in files.iter().flat_map(|file| file.ancestors().skip(1)) {
        let _ = fs::remove_dir(night.join(folder)); // fails if it is not empty
    }
    Ok(())
}

/// Compares the campaigns in a folder with the nights in `kept`, and adds them there as a night if the run counts as
/// scheduled.
fn history(out: &Path, kept: &Path, build: &Build) -> Result<Exit, CommandError> {
    let cannot = |e: io::Error| file(kept, e, "give a writable folder for the nights");
    let known = KnownArgs { known: known() }.read()?;
    let (key, scheduled) = origin()?;
    let mut this = NightResults::read(out)?;
    fs::create_dir_all(kept).map_err(cannot)?;
    let mut nights = Vec::new();
    for folder in folders(kept).map_err(cannot)? {
        // Folders without results, and parts of a night whose storing was killed, are not nights.
        let is_part = folder.extension().is_some_and(|ending| ending == "part");
        if !is_part && files(&folder).is_ok_and(|files| !files.is_empty()) {
            let warn = |e: &CommandError| note!("warning: this night is left out: {e}");
            nights.extend(NightResults::read(&folder).inspect_err(warn).ok());
        }
    }
    nights.sort_by_cached_key(|night| (night.run.time(), night.run.name.clone()));
    let theirs = nights.iter().rev().find_map(|night| branch(night)?);
    if !scheduled {
        say!("not stored: this run was not scheduled (DRRA_SCHEDULED=yes overrides this)")?;
    } else if let Some(theirs) = theirs.filter(|b| key.as_ref().is_some_and(|[ours, _]| ours != b))
    {
        let kept = kept.display();
        say!("not stored: {kept} has the nights of branch {theirs}; give a folder of its own")?;
    } else {
        if let Some(same) = nights.iter().rposition(|night| night.is_same(&this)) {
            this = nights.remove(same);
        } else {
            let days = [this.run.time(), timestamps::now()].map(|time| date(&time));
            let day = days.into_iter().find(|day| day.len() == 8);
            let parts: Vec<_> = day.into_iter().chain(key.into_iter().flatten()).collect();
            this = NightResults::read(&store(out, kept, &parts.join(".")).map_err(cannot)?)?;
        }
        say!("stored in {}", this.folder.display())?;
        let own = nights.iter().filter(|night| branch(night).is_some());
        let old = own.clone().count().saturating_sub(NIGHTS - 1);
        let old: Vec<PathBuf> = own.take(old).map(|night| night.folder.clone()).collect();
        old.iter().try_for_each(|night| remove(night)).map_err(cannot)?;
        nights.retain(|night| !old.contains(&night.folder));
    }
    nights.push(this);
    cmd_report::compare(nights, out, &known, build)
}
