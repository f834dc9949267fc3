// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra night`: the campaigns of a night or of a change, with several profiles. Every campaign is a process of its own,
//! so that one that fails does not prevent the others from running.

use std::{
    collections::BTreeSet,
    env,
    ffi::OsString,
    fs, io,
    process::{Child, Command, ExitStatus},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, SystemTime},
};

use drra_campaign::journal;

use super::{
    args::{KnownArgs, NightArgs, NightCommand},
    cmd_cluster::date,
    cmd_fuzz,
    cmd_report::{self, CASE, Night, SUMMARY},
    shard,
    worker::this_program,
};
use crate::command_prelude::*;

/// The profiles of a night without DRRA_PROFILES.
const PROFILES: &str = "default agu dpu interconnect dimarch loops chaos io_perm";

/// Number of nights that are kept.
const NIGHTS: usize = 90;

/// CI systems: a variable that each of them sets, and the variables for the number of the run, its branch and its cause,
/// which is `schedule` for scheduled runs. Jenkins has no variable for the cause.
const SYSTEMS: [[&str; 4]; 3] = [
    ["GITHUB_ACTIONS", "GITHUB_RUN_NUMBER", "GITHUB_REF_NAME", "GITHUB_EVENT_NAME"],
    ["GITLAB_CI", "CI_PIPELINE_IID", "CI_COMMIT_REF_NAME", "CI_PIPELINE_SOURCE"],
    ["JENKINS_URL", "BUILD_NUMBER", "BRANCH_NAME", ""],
];

pub(super) fn run(a: &NightArgs, build: &Build) -> Result<Exit, CommandError> {
    match &a.command {
        NightCommand::Shard { shard, time, folder } => {
            let shard = shard::parse(shard, &variable)?;
            run_shard(&profiles(PROFILES)?, shard, (*time).into(), folder)
        }
        NightCommand::Merge { folder, out } => merge(&profiles(PROFILES)?, folder, out),
        NightCommand::History { out, kept } => history(out, kept, build),
        NightCommand::Verify { cases, time, out, kept } => {
            let (profiles, saved) = (profiles("default")?, saved(cases)?);
            let (night, mut worst) = (cleared(out)?, Exit::Agreed);
            if !saved.is_empty() {
                let mut command = this_program();
                command.arg("run").args(saved.iter().map(|file| plain(file)));
                command.arg("--junit").arg(plain(&out.join("saved.xml")));
                worst = joined(worst, start("saved cases", command));
            }
            worst = joined(worst, run_shard(&profiles, [1, 1], (*time).into(), &night));
            Ok(match kept.as_ref().filter(|_| !is_stopped()) {
                Some(kept) => joined(worst, history(&night, kept, build)),
                None => worst,
            })
        }
    }
}

/// The value of an environment variable that is not empty.
fn variable(name: &str) -> Option<String> {
    let value = env::var_os(name).filter(|value| !value.is_empty());
    value.map(|value| value.to_string_lossy().into_owned())
}

/// The list of known deviations.
fn known() -> Option<PathBuf> {
    env::var_os("DRRA_KNOWN").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The profiles of the environment: names or files, with the names of their folders.
fn profiles(usual: &str) -> Result<Vec<(String, String)>, CommandError> {
    let given = variable("DRRA_PROFILES").unwrap_or_else(|| usual.to_owned());
    let words = given.lines().flat_map(|line| match Path::new(line).is_file() {
        true => vec![line],
        false => line.split_whitespace().collect(),
    });
    let stem = |word| Path::new(word).file_stem().unwrap_or_default().to_string_lossy();
    let profiles = words.map(|word| (word.to_owned(), stem(word).into_owned()));
    let profiles: Vec<_> = profiles.collect();
    let names: BTreeSet<_> = profiles.iter().map(|(_, name)| name).collect();
    if names.len() < profiles.len() || names.is_empty() {
        let what = format!("DRRA_PROFILES={given}: no profile, or two with the same name");
        return Err(usage(what, "give names and files with different names"));
    }
    Ok(profiles)
}

/// A path as an argument that does not look like an option.
fn plain(path: &Path) -> OsString {
    let option = path.to_string_lossy().starts_with('-');
    if option { Path::new(".").join(path).into() } else { path.into() }
}

/// True if a signal has asked for the end.
fn is_stopped() -> bool {
    cmd_fuzz::interrupt().load(Ordering::Relaxed)
}

/// The worse of an exit code and that of another step, whose error is printed.
fn joined(worst: Exit, step: Result<Exit, CommandError>) -> Exit {
    let exit = step.unwrap_or_else(|e| {
        note!("{}", e.text());
        e.exit()
    });
    worst.or_worse(Some(exit as i32))
}

/// Runs a command for each profile, even if one fails.
fn each(
    profiles: &[(String, String)],
    command: impl Fn(&str, &str) -> Result<Command, CommandError>,
) -> Result<Exit, CommandError> {
    let mut worst = Exit::Agreed;
    for (profile, name) in profiles {
        if is_stopped() {
            return Ok(joined(worst, Ok(Exit::Interrupted)));
        }
        say!("== {name}")?;
        worst = joined(worst, command(profile, name).and_then(|command| start(name, command)));
    }
    Ok(worst)
}

/// Runs a shard of the campaign of each profile.
fn run_shard(
    profiles: &[(String, String)],
    [shard, shards]: [u64; 2],
    time: Duration,
    out: &Path,
) -> Result<Exit, CommandError> {
    let time = (time.as_millis() / profiles.len() as u128).max(1);
    let seed = variable("DRRA_SEED").unwrap_or_else(|| date(SystemTime::now()).to_string());
    each(profiles, |profile, name| {
        let mut command = this_program();
        command.args(["fuzz", "--profile"]).arg(plain(Path::new(profile)));
        command.arg(format!("--seed={seed}")).arg(format!("--shard={shard}/{shards}"));
        command.arg(format!("--time={time}ms")).arg("--out").arg(plain(&out.join(name)));
        Ok(command)
    })
}

/// Merges the shards of each profile.
fn merge(profiles: &[(String, String)], folder: &Path, out: &Path) -> Result<Exit, CommandError> {
    let shards = entries(folder, "give the folder that contains the folders of the shards")?;
    each(profiles, |_, name| {
        let shards = shards.iter().map(|shard| shard.join(name)).filter(|shard| shard.is_dir());
        let shards: Vec<OsString> = shards.map(|shard| plain(&shard)).collect();
        if shards.is_empty() {
            let remedy = "run drra night shard, or remove the profile from DRRA_PROFILES";
            return Err(file(folder, format!("there is no shard of profile {name}"), remedy));
        }
        let mut command = this_program();
        command.arg("merge").args(shards).arg("--out").arg(plain(&out.join(name)));
        Ok(command)
    })
}

/// Runs this program again, with the known deviations.
fn start(what: &str, mut command: Command) -> Result<Exit, CommandError> {
    if let Some(known) = known() {
        command.arg("--known").arg(plain(&known));
    }
    let stop = cmd_fuzz::interrupt();
    let status = command.spawn().and_then(|mut child| ended(&mut child, &stop)).map_err(tool)?;
    if status.code().is_none_or(|code| code > 1) {
        note!("{what}: {status}");
    }
    let stopped = is_stopped().then_some(Exit::Interrupted as i32);
    Ok(Exit::Agreed.or_worse(status.code().or(stopped)))
}

/// Waits for the end of a process. A signal is passed on, and the process then ends in bounded time.
fn ended(child: &mut Child, stop: &AtomicBool) -> io::Result<ExitStatus> {
    let mut told = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if !told && stop.load(Ordering::Relaxed) {
            told = true;
            #[cfg(unix)]
            let _ = rustix::process::kill_process(
                rustix::process::Pid::from_child(child),
                rustix::process::Signal::TERM,
            ); // fails if the process has just ended
            #[cfg(not(unix))]
            child.kill()?;
        }
        thread::sleep(Duration::from_millis(20));
    }
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

/// Removes the results of an earlier run from a folder, unless it is still running; returns the folder for the campaigns.
fn cleared(out: &Path) -> Result<PathBuf, CommandError> {
    let night = out.join("night");
    let cannot = |e| file(out, e, "give a writable folder");
    let campaigns = || {
        fs::create_dir_all(&night)?;
        let mut campaigns = folders(&night)?;
        campaigns.retain(|folder| folder.join(journal::FILE_NAME).is_file());
        Ok(campaigns)
    };
    let campaigns = campaigns().map_err(cannot)?;
    campaigns.iter().try_for_each(|campaign| journal::idle(campaign))?;
    let clear = || {
        for file in [out.join("saved.xml"), night.join("history.html"), night.join("history.json")]
        {
            if file.exists() {
                fs::remove_file(file)?;
            }
        }
        campaigns.iter().try_for_each(fs::remove_dir_all)
    };
    clear().map_err(cannot)?;
    Ok(night)
}

/// The branch and number of a run in a CI system, and whether the run can be added to the history.
type Origin = (Option<[String; 2]>, bool);

fn origin(variable: &dyn Fn(&str) -> Option<String>) -> Result<Origin, CommandError> {
    let system = SYSTEMS.into_iter().find(|[present, ..]| variable(present).is_some());
    let key = system.and_then(|[_, number, branch, _]| {
        // The parts of a name are separated by dots.
        let letter = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '-' };
        let mut branch: String = variable(branch)?.chars().map(letter).take(60).collect();
        if is_number(&branch) {
            branch.insert(0, '-'); // a number would not be taken for a branch
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

/// The branch in the name of a night: DATE.BRANCH.N or DATE, each perhaps with another number. Nights of version 1.0 are
/// named after their seeds. Returns `None` for the name of another folder.
fn branch(night: &Night) -> Option<Option<&str>> {
    let parts: Vec<&str> = night.run.name.split('.').collect();
    let branch = parts.get(1).copied().filter(|part| !is_number(part));
    let numbers = &parts[1 + usize::from(branch.is_some())..];
    let is_night = is_number(parts[0])
        && numbers.iter().all(|part| is_number(part))
        && (branch.is_none() || parts[0].len() == 8 && !numbers.is_empty());
    is_night.then_some(branch)
}

/// The files of a night, relative to its folder: the results of its campaigns, and the cases and pages of their
/// failures. A failure that a later night does not show is considered fixed if its case agrees.
fn files(night: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let campaigns = [night.to_owned()].into_iter().chain(folders(night)?);
    for campaign in campaigns.filter(|folder| folder.join(SUMMARY).is_file()) {
        let failures = folders(&campaign.join("failures")).unwrap_or_default();
        let of_failure = |folder: PathBuf| [CASE, "report.html"].map(|name| folder.join(name));
        files.extend(failures.into_iter().flat_map(of_failure).filter(|path| path.is_file()));
        files.push(campaign.join(SUMMARY));
    }
    Ok(files.iter().filter_map(|path| Some(path.strip_prefix(night).ok()?.to_owned())).collect())
}

/// The subfolders of a folder; links do not count.
fn folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    let is_folder = |entry: &&fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    Ok(entries.iter().filter(is_folder).map(fs::DirEntry::path).collect())
}

/// Copies the files of a night to KEPT/NAME or, if there is such a night, KEPT/NAME.2 and so on.
fn store(out: &Path, kept: &Path, name: &str) -> io::Result<PathBuf> {
    let mut names = (2..).map(|number| format!("{name}.{number}"));
    let mut night = kept.join(name);
    while let Err(e) = fs::create_dir(&night) {
        match e.kind() {
            io::ErrorKind::AlreadyExists => night = kept.join(names.next().unwrap_or_default()),
            _ => return Err(e),
        }
    }
    let copy = |file: PathBuf| {
        let to = night.join(&file);
        fs::create_dir_all(to.parent().unwrap_or(&night))?;
        fs::copy(out.join(file), to).map(drop)
    };
    let copied = files(out).and_then(|files| files.into_iter().try_for_each(copy));
    copied.inspect_err(|_| drop(fs::remove_dir_all(&night))).map(|()| night)
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

/// Compares the campaigns in a folder with the nights in `kept`, and adds them as a night.
fn history(out: &Path, kept: &Path, build: &Build) -> Result<Exit, CommandError> {
    let cannot = |e: io::Error| file(kept, e, "give a writable folder for the nights");
    let known = KnownArgs::of(known()).read()?;
    let (key, scheduled) = origin(&variable)?;
    let mut this = Night::read(out)?;
    fs::create_dir_all(kept).map_err(cannot)?;
    let mut nights = Vec::new();
    for folder in folders(kept).map_err(cannot)? {
        // Folders without results are not nights.
        if files(&folder).is_ok_and(|files| !files.is_empty()) {
            let warn = |e: &CommandError| note!("warning: this night is left out: {e}");
            nights.extend(Night::read(&folder).inspect_err(warn).ok());
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
            let day = this.run.time().replace('-', "").chars().take(8).collect::<String>();
            let day = Some(day).filter(|day| is_number(day));
            let day = day.unwrap_or_else(|| date(SystemTime::now()).to_string());
            let parts = [day].into_iter().chain(key.into_iter().flatten()).collect::<Vec<_>>();
            this = Night::read(&store(out, kept, &parts.join(".")).map_err(cannot)?)?;
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
