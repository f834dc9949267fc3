// SPDX-License-Identifier: MIT OR Apache-2.0
//! Golden model and RTL in lock-step, and the `drra` command.

#[cfg(feature = "rtl")]
mod agree;
mod browser;
#[cfg(feature = "rtl")]
mod campaign_files;
#[cfg(feature = "rtl")]
mod dpu_cases;
#[cfg(feature = "rtl")]
mod lockstep;
#[cfg(feature = "rtl")]
mod own_map;
#[cfg(feature = "rtl")]
mod processes;
#[cfg(feature = "rtl")]
mod refusals;
#[cfg(feature = "rtl")]
mod regressions;
#[cfg(feature = "rtl")]
mod rtl_registers;
#[cfg(feature = "rtl")]
mod simulations;
#[cfg(feature = "rtl")]
mod sizes;
#[cfg(feature = "rtl")]
mod totality;
#[cfg(feature = "rtl")]
mod units;

#[cfg(unix)]
mod bisect;
mod check;
mod cli;
mod cluster;
mod economy;
mod export;
mod guide;
mod hostile;
mod imports;
mod nights;
mod objects;
mod origin;
mod programs;
mod proofs;
mod specification;
mod stability;
mod streaming;
mod traces;
mod view;
mod written;

use std::{
    path::Path,
    process::{Command, Output},
};

/// Runs `drra` in the folder of the project.
fn drra(arguments: &[&str]) -> Output {
    drra_in(Path::new(env!("CARGO_MANIFEST_DIR")), arguments)
}

/// Runs `drra` in a folder.
fn drra_in(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drra"));
    command.args(arguments).current_dir(folder).output().unwrap()
}

/// Checks that a command is refused with these texts, which say what is wrong and what to do.
#[track_caller]
fn refused(folder: &Path, arguments: &[&str], parts: &[&str]) {
    let output = drra_in(folder, arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
    for part in parts {
        assert!(text.contains(part), "{arguments:?}: {part} is not in: {text}");
    }
}

/// The setup of the cases in these tests.
#[cfg(feature = "rtl")]
fn setup() -> drra_lockstep::Setup<'static> {
    drra_lockstep::Setup { design: &drra_cosim::bridge::OWN, cycles: None }
}

#[cfg(feature = "rtl")]
drra_testkit::fault_tests!(setup());
