// SPDX-License-Identifier: MIT OR Apache-2.0
//! A clone of the repository of some RTL, in which commits are checked out with their submodules.

use std::{fs, os::unix::fs::symlink, process::Output};

use drra_host::foreign;

use crate::command_prelude::*;

pub(crate) const REMEDY: &str = "the target folder must be writable";

/// A clone without objects of its own; it uses those of the original.
pub(crate) struct RepositoryClone {
    /// Root folder of the original.
    original: PathBuf,
    /// Root folder of the clone.
    pub(crate) folder: PathBuf,
    around: PathBuf,
}

impl Drop for RepositoryClone {
    /// Removes the links, through which other programs would leave the target folder.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.around);
    }
}

impl RepositoryClone {
    /// Makes an empty clone of the repository in a folder. The folder `around` stands for `/`: with the clone at the
    /// path of the original and links to everything else on the way to it, a relative path that leaves the repository
    /// leads to the same file as in the original.
    pub(crate) fn new(original: PathBuf, around: &Path) -> Result<Self, CommandError> {
        if around.exists() {
            fs::remove_dir_all(around).map_err(|e| file(around, e, REMEDY))?;
        }
        let folder = around.join(original.strip_prefix("/").unwrap_or(&original));
        initialise(&original, &folder)?;
        for inner in original.ancestors() {
            let Some(outer) = inner.parent() else { break };
            // A folder that cannot be listed has no files that a build can find by listing it.
            for entry in fs::read_dir(outer).into_iter().flatten().flatten() {
                let link = around.join(entry.path().strip_prefix("/").unwrap_or(outer));
                if entry.path() != inner {
                    symlink(entry.path(), &link).map_err(|e| file(&link, e, REMEDY))?;
                }
            }
        }
        Ok(Self { original, folder, around: around.to_owned() })
    }

    /// Checks out a commit. Returns a description of each submodule whose commit is missing.
    pub(crate) fn check_out(&self, commit: &str) -> Result<Vec<String>, CommandError> {
        check_out(&self.original, &self.folder, commit)
    }
}

/// Makes an empty repository that uses the objects of another one.
fn initialise(original: &Path, clone: &Path) -> Result<(), CommandError> {
    fs::create_dir_all(clone).map_err(|e| file(clone, e, REMEDY))?;
    let format = git(original, &["rev-parse", "--show-object-format"])?;
    git(clone, &["init", "--quiet", "--template=", &format!("--object-format={format}")])?;
    let own = clone.join(".git");
    let [objects, shallow] = ["objects", "shallow"].map(|name| {
        git(original, &["rev-parse", "--git-path", name]).map(|path| original.join(path))
    });
    let (objects, shallow) = (objects?, shallow?);
    let list = own.join("objects/info/alternates");
    fs::write(&list, format!("{}\n", objects.display())).map_err(|e| file(&list, e, REMEDY))?;
    if shallow.is_file() {
        fs::copy(&shallow, own.join("shallow")).map_err(|e| file(&shallow, e, REMEDY))?;
    }
    Ok(())
}

fn check_out(original: &Path, clone: &Path, commit: &str) -> Result<Vec<String>, CommandError> {
    let mut missing = Vec::new();
    if !clone.join(".git").is_dir() {
        initialise(original, clone)?;
    }
    git(clone, &["checkout", "--quiet", "--force", "--detach", commit])?;
    git(clone, &["clean", "-ffdxq"])?;
    for entry in git(clone, &["ls-tree", "-r", "-z", "--full-tree", commit])?.split('\0') {
        let Some((submodule, name)) =
            entry.strip_prefix("160000 commit ").and_then(|rest| rest.split_once('\t'))
        else {
            continue;
        };
        let (from, to) = (original.join(name), clone.join(name));
        let object = format!("{submodule}^{{commit}}");
        if from.join(".git").exists() && git(&from, &["cat-file", "-e", &object]).is_ok() {
            missing.extend(check_out(&from, &to, submodule)?);
            continue;
        }
        // The commit that was checked out before must not be used in place of this one.
        let _ = fs::remove_dir_all(&to);
        missing.push(format!("the submodule {} has no commit {submodule}", from.display()));
    }
    Ok(missing)
}

/// Runs git in a folder. Returns the output of git without the last line feed.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> Result<String, CommandError> {
    let output = foreign::git(folder).args(arguments).output();
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

/// The last line of the messages of a program.
pub(crate) fn last_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().rfind(|line| !line.is_empty()).unwrap_or("no message");
    drra_report::shown::line(line)
}
