// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra bisect`: finds the RTL commit that made a case fail.
//!
//! Git chooses the commits, in a separate clone; each commit is built with this version of the harness. Verdicts are
//! stored, so an interrupted run continues where it stopped.

use std::{
    collections::BTreeMap,
    env, fs,
    process::{Command, Output},
    time::Instant,
};

use drra_case::load::Extras;

use super::{args::BisectArgs, program};
use crate::command_prelude::*;

/// Folder for the clone, the builds and the verdicts, relative to the folder of the project.
const FOLDER: &str = "target/bisect";
const REMEDY: &str = "the target folder must be writable";

/// The result of a case for a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Agrees,
    Fails,
    /// The reason there is no result.
    Unknown(String),
}

pub(super) fn run(a: &BisectArgs, build: &Build) -> Result<Exit, CommandError> {
    let case = program::read(&a.case, &Extras::default(), build)?;
    let project = Path::new(build.project);
    if !project.join("Cargo.toml").is_file() {
        let what =
            format!("the sources of drra, which each build needs, are not in {}", build.project);
        return Err(usage(
            what,
            "run drra bisect in a checkout: cargo run --release -- bisect CASE GOOD",
        ));
    }
    let (rtl, variable) = match env::var_os("DRRA_RTL").filter(|folder| !folder.is_empty()) {
        Some(folder) => (PathBuf::from(folder), "DRRA_RTL"),
        None => (project.join("rtl"), "DRRA_MUTATED_RTL"),
    };
    let path = a.case.canonicalize().map_err(|e| file(&a.case, e, "give a case file"))?;
    let folder = project.join(FOLDER);
    let of_folder = |e| file(&folder, e, REMEDY);
    fs::create_dir_all(&folder).map_err(of_folder)?;
    let lock = fs::File::create(folder.join("lock")).map_err(of_folder)?;
    lock.lock().map_err(of_folder)?;
    let top = PathBuf::from(git(&rtl, &["rev-parse", "--show-toplevel"])?);
    let clone = folder.join("clone");
    if clone.exists() {
        fs::remove_dir_all(&clone).map_err(of_folder)?;
    }
    let [from, to] = [&top, &clone].map(|path| path.display().to_string());
    git(&top, &["clone", "--quiet", "--shared", "--no-checkout", &from, &to])?;
    let key = git(&top, &["hash-object", &path.to_string_lossy()])?;
    let key = format!("{key} {} ", build.sources);
    let kept = folder.join("verdicts.txt");
    let mut bisection = Bisection {
        inside: git(&rtl, &["rev-parse", "--show-prefix"])?,
        variable,
        size: case.geometry.to_string(),
        verdicts: verdicts(&kept, &key),
        key,
        kept,
        case: path,
        project,
        folder: &folder,
        clone,
    };
    let [good, bad] = [&a.good, &a.bad].map(|name| {
        let commit = format!("{name}^{{commit}}");
        git(&top, &["rev-parse", "--quiet", "--verify", &commit])
            .map_err(|_| usage(format!("{name} is not a commit of {from}"), "give a git revision"))
    });
    let (good, bad) = (good?, bad?);
    for (name, commit, expected) in
        [(&a.bad, &bad, Verdict::Fails), (&a.good, &good, Verdict::Agrees)]
    {
        let found = bisection.test(commit)?;
        if found != expected {
            let what = format!("the case {} with {name}", found.text());
            return Err(usage(
                what,
                "give a commit at which it agrees, then one at which it fails",
            ));
        }
    }
    let mut said = bisection.git(&["bisect", "start", &bad, &good, "--", &bisection.path()])?;
    loop {
        if let Some(commit) = said.lines().find_map(|l| l.strip_suffix(" is the first bad commit"))
        {
            write!(stdout(), "{}", bisection.describe(commit)?)?;
            return Ok(Exit::Mismatch);
        }
        if said.contains("only 'skip'ped commits left") {
            say!("{}", said.lines().skip(1).collect::<Vec<_>>().join("\n"))?;
            return Ok(Exit::Mismatch);
        }
        let commit = bisection.git(&["rev-parse", "HEAD"])?;
        said = match bisection.test(&commit)? {
            Verdict::Agrees => bisection.git(&["bisect", "good"])?,
            Verdict::Fails => bisection.git(&["bisect", "bad"])?,
            Verdict::Unknown(_) => bisection.git(&["bisect", "skip"])?,
        };
    }
}

impl Verdict {
    fn text(&self) -> String {
        match self {
            Self::Agrees => "agrees".to_owned(),
            Self::Fails => "fails".to_owned(),
            Self::Unknown(why) => format!("cannot be run ({why})"),
        }
    }
}

struct Bisection<'a> {
    /// Folder of the RTL in its repository, with a slash at the end; empty if the folder is the whole repository.
    inside: String,
    /// Environment variable that names the RTL to build.
    variable: &'static str,
    size: String,
    case: PathBuf,
    /// Everything that a verdict depends on, other than the RTL.
    key: String,
    project: &'a Path,
    folder: &'a Path,
    clone: PathBuf,
    /// The file with the verdicts of all runs.
    kept: PathBuf,
    /// Verdicts by the hash that git computes for the RTL folder.
    verdicts: BTreeMap<String, Verdict>,
}

impl Bisection<'_> {
    /// The folder of the RTL, relative to the clone.
    fn path(&self) -> String {
        if self.inside.is_empty() { ".".to_owned() } else { self.inside.clone() }
    }

    fn git(&self, arguments: &[&str]) -> Result<String, CommandError> {
        git(&self.clone, arguments)
    }

    /// Builds a commit and runs the case, unless the verdict for the same RTL is already known.
    fn test(&mut self, commit: &str) -> Result<Verdict, CommandError> {
        let start = Instant::now();
        let shown = self.git(&["show", "--no-patch", "--format=%h %s", commit])?;
        let tree =
            self.git(&["rev-parse", &format!("{commit}:{}", self.inside.trim_end_matches('/'))])?;
        let (verdict, how) = match self.verdicts.get(&tree) {
            Some(known) => (known.clone(), "known".to_owned()),
            None => {
                let verdict = self.build_and_run(commit)?;
                (verdict, format!("{:.0} s", start.elapsed().as_secs_f64()))
            }
        };
        note!("{shown}: {} ({how})", verdict.text());
        if self.verdicts.insert(tree.clone(), verdict.clone()).is_none()
            && !matches!(verdict, Verdict::Unknown(_))
        {
            let line = format!("{}{tree} {}\n", self.key, verdict.text());
            let append = fs::File::options().append(true).create(true).open(&self.kept);
            append
                .and_then(|mut f| f.write_all(line.as_bytes()))
                .map_err(|e| file(&self.kept, e, REMEDY))?;
        }
        Ok(verdict)
    }

    fn build_and_run(&self, commit: &str) -> Result<Verdict, CommandError> {
        self.git(&["checkout", "--quiet", "--force", commit])?;
        let rtl = self.clone.join(&self.inside);
        let target = self.folder.join("target");
        let build = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["build", "--release", "--bin", "drra"])
            .current_dir(self.project)
            .env("CARGO_TARGET_DIR", &target)
            .env_remove("DRRA_RTL")
            .env(self.variable, &rtl)
            .env("DRRA_FABRICS", &self.size)
            .output();
        let build = build.map_err(|e| tool(format!("cargo: {e}")))?;
        if !build.status.success() {
            let log = self.folder.join(format!("build-{}.log", &commit[..12]));
            fs::write(&log, &build.stderr).map_err(|e| file(&log, e, REMEDY))?;
            return Ok(Verdict::Unknown(format!("it does not build: {}", log.display())));
        }
        let program = target.join("release").join("drra");
        let ran = Command::new(&program).arg("replay").arg(&self.case).output();
        let ran = ran.map_err(|e| file(&program, e, REMEDY))?;
        Ok(match ran.status.code() {
            Some(0) => Verdict::Agrees,
            Some(1) => Verdict::Fails,
            _ => Verdict::Unknown(last_line(&ran)),
        })
    }

    /// The first bad commit, and its changes to the RTL.
    fn describe(&self, commit: &str) -> Result<String, CommandError> {
        let format = "--format=first bad commit: %h%n%an, %as: %s";
        let (path, show) = (self.path(), ["show", "--stat", format, commit, "--"]);
        Ok(self.git(&[&show[..], &[&path]].concat())? + "\n")
    }
}

/// The verdicts of earlier runs. Each line contains the key, the hash of the RTL folder, and the verdict.
fn verdicts(kept: &Path, key: &str) -> BTreeMap<String, Verdict> {
    let text = fs::read_to_string(kept).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.strip_prefix(key)?.split_once(' '));
    let read = |(tree, verdict): (&str, &str)| match verdict {
        "agrees" => Some((tree.to_owned(), Verdict::Agrees)),
        "fails" => Some((tree.to_owned(), Verdict::Fails)),
        _ => None,
    };
    lines.filter_map(read).collect()
}

fn last_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().rfind(|line| !line.is_empty()).unwrap_or("no message");
    drra_report::shown::line(line)
}

/// Runs git in a folder. Returns the output of git without the last line feed.
fn git(folder: &Path, arguments: &[&str]) -> Result<String, CommandError> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output();
    let output = output.map_err(|e| tool(format!("git: {e}")))?;
    // Git bisect ends with exit code 2 when only skipped commits are left.
    if output.status.success() || output.status.code() == Some(2) && arguments[0] == "bisect" {
        return Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned());
    }
    let why = last_line(&output);
    Err(usage(
        format!("git {} in {}: {why}", arguments[0], folder.display()),
        "the RTL must be in a git repository",
    ))
}
