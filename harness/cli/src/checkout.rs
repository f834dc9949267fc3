// SPDX-License-Identifier: MIT OR Apache-2.0
//! The checkout of this project that a command builds.

use std::{env, fs};

use drra_mutate::built::PROGRAM;

use crate::command_prelude::*;

/// The given checkout, or that of the current folder, or else that of this program; also returns whether it is that of
/// this program. Prints its path.
pub(crate) fn checkout(
    given: Option<&Path>,
    build: &Build,
) -> Result<(PathBuf, bool), CommandError> {
    let here = env::current_dir().unwrap_or_default();
    let of_program = of_program(build);
    let found = match given {
        Some(folder) => {
            let whole = folder.canonicalize().map_err(|e| file(folder, e, REMEDY))?;
            if !is_checkout(&whole) {
                let what =
                    format!("--project {}: not a checkout of this project", folder.display());
                return Err(usage(what, REMEDY));
            }
            whole
        }
        None => chosen(around(&here), of_program.clone(), &here, build.project)?,
    };
    note!("checkout: {}", found.display());
    let own = of_program.as_ref() == Some(&found);
    Ok((found, own))
}

/// The checkout of this program, or else that of the current folder, if it has the version of this program.
pub(crate) fn same_version(build: &Build) -> Option<PathBuf> {
    let found = of_program(build).or_else(|| around(&env::current_dir().ok()?))?;
    let text = fs::read_to_string(found.join("Cargo.toml")).ok()?;
    text.contains(concat!("\nversion = \"", env!("CARGO_PKG_VERSION"), "\"")).then_some(found)
}

/// The checkout that contains this program, even if it was moved with its target folder, or else that in which this
/// program was built.
fn of_program(build: &Build) -> Option<PathBuf> {
    let program = env::current_exe().ok().and_then(|program| around(&program));
    program.or_else(|| around(Path::new(build.project)))
}

const REMEDY: &str = "give the folder of a clone, with its Cargo.toml: --project DIR";

fn chosen(
    found: Option<PathBuf>,
    of_program: Option<PathBuf>,
    here: &Path,
    built: &str,
) -> Result<PathBuf, CommandError> {
    match (found, of_program) {
        (Some(found), Some(other)) if found != other => Err(usage(
            format!(
                "two checkouts: {} around the current folder, and {} of this program",
                found.display(),
                other.display()
            ),
            "name one of them: --project DIR",
        )),
        (Some(found), _) | (None, Some(found)) => Ok(found),
        (None, None) => Err(usage(
            format!(
                "no checkout of this project, whose sources each build needs: neither around {} nor in {built}, from which \
                 this program was built",
                here.display()
            ),
            REMEDY,
        )),
    }
}

/// The nearest checkout that contains a path.
fn around(path: &Path) -> Option<PathBuf> {
    let whole = path.canonicalize().ok()?;
    whole.ancestors().find(|folder| is_checkout(folder)).map(Path::to_owned)
}

/// True for a folder whose Cargo.toml is that of the root package of this project.
fn is_checkout(folder: &Path) -> bool {
    let text = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    text.lines().any(|line| line.trim() == format!("name = \"{}\"", PROGRAM[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_checkout_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("ein Ordner ü 'q'");
        let inner = root.join("rtl/deep");
        fs::create_dir_all(&inner).unwrap();
        assert_eq!(around(&inner), None);
        fs::write(root.join("Cargo.toml"), "[package]\nname = \"drra-cosim\"\n").unwrap();
        // Another package inside is not the project.
        fs::write(root.join("rtl/Cargo.toml"), "[package]\nname = \"drra-cosim-2\"\n").unwrap();
        assert_eq!(around(&inner).as_deref(), Some(&*root));
        assert_eq!(around(&root).as_deref(), Some(&*root));
    }

    #[test]
    fn two_checkouts_are_refused() {
        let choose = |found: Option<&str>, program: Option<&str>| {
            chosen(found.map(Into::into), program.map(Into::into), Path::new("/here"), "/old")
                .map_err(|e| e.to_string())
        };
        assert_eq!(choose(Some("/a"), Some("/a")), Ok("/a".into()));
        assert_eq!(choose(Some("/a"), None), Ok("/a".into()));
        assert_eq!(choose(None, Some("/b")), Ok("/b".into()));
        let two = choose(Some("/a"), Some("/b")).unwrap_err();
        assert!(two.contains("/a around the current folder, and /b of this program"), "{two}");
        let none = choose(None, None).unwrap_err();
        assert!(none.contains("/here") && none.contains("/old"), "{none}");
    }
}
