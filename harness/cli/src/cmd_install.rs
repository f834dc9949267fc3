// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra version`, and the files for an installation: completions for a shell (`drra completions`) and man pages (`drra
//! man`).

use std::io;

use clap::{Arg, CommandFactory, builder::PossibleValuesParser};
use drra_files::shell;
use drra_generate::SHIPPED;
use drra_isa::Geometry;
use drra_lockstep::Design;
use serde_json::json;

use crate::{args::Args, command_prelude::*, help};

/// Prints the version of the program and what it was built from.
pub(super) fn version(json: bool, build: &Build) -> Result<Exit, CommandError> {
    let setup = build.design.map(|_| build.quiet_setup(None)).transpose()?;
    let design = setup.map(|setup| setup.design);
    let made_from = design.map(Design::fingerprint);
    let sizes: Vec<String> = build.sizes.iter().map(ToString::to_string).collect();
    let all = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "revision": build.revision,
        "program": build.sources,
        "simulator": design.map(Design::simulator),
        "rtl": made_from.as_ref().map(|f| f.sources),
        "model": made_from.as_ref().map(|f| f.model),
        "fabrics": sizes,
    });
    if json {
        say!("{all:#}")?;
        return Ok(Exit::Agreed);
    }
    say!("drra {}", env!("CARGO_PKG_VERSION"))?;
    for name in ["revision", "simulator", "RTL", "model"] {
        say!("{name}: {}", all[name.to_lowercase()].as_str().unwrap_or("none"))?;
    }
    say!("fabric sizes: {}", sizes.join(", "))?;
    Ok(Exit::Agreed)
}

/// Prints the completions of a shell. The completions offer the names of profiles, and the fabric sizes that this build
/// supports.
pub(super) fn completions(
    shell: clap_complete::Shell,
    build: &Build,
) -> Result<Exit, CommandError> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut completed(Args::command(), build), "drra", &mut text);
    stdout().write_all(&text)?;
    Ok(Exit::Agreed)
}

/// A command with the known values of its options.
fn completed(command: clap::Command, build: &Build) -> clap::Command {
    let values = |arg: Arg| match arg.get_id().as_str() {
        "profile" => {
            let names = SHIPPED.iter().map(|(name, _)| *name);
            arg.value_parser(PossibleValuesParser::new(names))
        }
        "fabric" => {
            arg.value_parser(PossibleValuesParser::new(build.sizes.iter().map(Geometry::to_string)))
        }
        _ => arg,
    };
    command.mut_args(values).mut_subcommands(|command| completed(command, build))
}

/// Writes a man page for each command into a folder.
pub(super) fn man(folder: &Path) -> Result<Exit, CommandError> {
    std::fs::create_dir_all(folder)
        .and_then(|()| {
            let mut command = Args::command().disable_help_subcommand(true);
            command.build();
            write_page(&command, "drra", folder)
        })
        .map_err(|e| file(folder, e, "give a writable folder"))?;
    let page = shell::path(&folder.join("drra.1"));
    say!("man pages in {}; read them with man -l {page}", folder.display())?;
    Ok(Exit::Agreed)
}

/// Writes the man pages of a command and of those below it; `name` is its full name.
fn write_page(command: &clap::Command, name: &str, folder: &Path) -> io::Result<()> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    page.extend(help::of(name).map(|help| help.man()).unwrap_or_default().into_bytes());
    std::fs::write(folder.join(format!("{}.1", name.replace(' ', "-"))), page)?;
    let mut below = command.get_subcommands().filter(|below| !below.is_hide_set());
    below.try_for_each(|below| write_page(below, &format!("{name} {}", below.get_name()), folder))
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    /// Completions offer profiles and fabric sizes; every command has a page.
    #[test]
    fn values_are_completed_and_pages_written() {
        static SIZES: LazyLock<[Geometry; 1]> = LazyLock::new(|| ["5x2".parse().unwrap()]);
        let build = Build {
            sizes: &*SIZES,
            design: None,
            map: None,
            project: "",
            revision: None,
            sources: "",
        };
        let mut text = Vec::new();
        let mut command = completed(Args::command(), &build);
        clap_complete::generate(clap_complete::Shell::Bash, &mut command, "drra", &mut text);
        let text = String::from_utf8(text).unwrap();
        for value in ["silago-published", "5x2", "--min-compared"] {
            assert!(text.contains(value), "{value}");
        }
        let folder = tempfile::tempdir().unwrap();
        man(&folder.path().join("new")).unwrap();
        let page = std::fs::read_to_string(folder.path().join("new/drra-fuzz.1")).unwrap();
        for part in ["Run a campaign of generated cases in parallel", "EXIT STATUS"] {
            assert!(page.contains(part), "{page}");
        }
    }
}
