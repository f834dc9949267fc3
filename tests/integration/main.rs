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
mod models;
#[cfg(feature = "rtl")]
mod own_map;
#[cfg(feature = "rtl")]
mod processes;
#[cfg(feature = "rtl")]
mod rebuild;
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
mod lint;
mod nights;
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
    fs,
    path::{Path, PathBuf},
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

/// Exit code, standard output and standard error of a command.
fn said(output: Output) -> (Option<i32>, String, String) {
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code(), out, err)
}

/// A temporary folder.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// The path of a file as an argument.
    fn name(&self, name: &str) -> String {
        self.join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file, and returns its path as an argument.
    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        fs::create_dir_all(self.join(name).parent().unwrap()).unwrap();
        fs::write(self.join(name), text).unwrap();
        self.name(name)
    }

    /// Writes a program, and returns its path as an argument.
    #[cfg(unix)]
    fn program(&self, name: &str, text: &str) -> String {
        use std::os::unix::fs::PermissionsExt;
        let path = self.write(name, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }
}

/// Sends a signal to a process.
#[cfg(all(unix, feature = "rtl"))]
fn kill(signal: &str, child: &std::process::Child) {
    let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
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
fn setup() -> drra_lockstep::RunSetup<'static> {
    drra_lockstep::RunSetup::new(&drra_cosim::OWN)
}

#[cfg(feature = "rtl")]
drra_testkit::fault_tests!(setup());
