// SPDX-License-Identifier: MIT OR Apache-2.0
//! Neither variables of the caller nor settings of pip mislead a program.

use std::{fs, process::Output};

use super::*;

/// Writes a wheel with one module into a folder, and prints a requirement with its hash.
const WHEEL: &str = "
import hashlib, sys, zipfile
name = sys.argv[1] + '/drra_nothing-1.0-py3-none-any.whl'
with zipfile.ZipFile(name, 'w') as wheel:
    info = 'drra_nothing-1.0.dist-info/'
    wheel.writestr('drra_nothing.py', '')
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: drra-nothing\\nVersion: 1.0\\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + 'RECORD', '')
print('drra-nothing==1.0 --hash=sha256:' + hashlib.sha256(open(name, 'rb').read()).hexdigest())
";

/// Runs the script that installs packages, with settings of pip that send packages elsewhere or refuse to install.
fn install(folder: &Path, requirements: &str) -> Output {
    let settings = folder.join("pip.conf");
    let text = "[global]\nuser = true\nprefix = /nowhere\nroot = /nowhere\ntarget = /nowhere\n\
                require-virtualenv = true\ndry-run = true\nno-binary = :all:\n";
    fs::write(&settings, text).unwrap();
    let mut command = python();
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/src/packages.py"));
    command.arg(folder.join("target")).args(["nothing-{}", requirements]);
    let links = folder.parent().unwrap();
    command.env("PIP_CONFIG_FILE", settings).env("PIP_NO_INDEX", "1").env("PIP_FIND_LINKS", links);
    for name in ["USER", "TARGET", "PREFIX", "REQUIRE_VIRTUALENV", "DRY_RUN"] {
        command.env(format!("PIP_{name}"), "1");
    }
    command.output().unwrap()
}

#[test]
fn packages_are_installed_whatever_the_settings_of_pip() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("ein Ordner ü 'q'");
    fs::create_dir(&folder).unwrap();
    let mut python = python();
    // A list of folders for pip is separated by blanks.
    let wheel = python.args(["-c", WHEEL]).arg(dir.path()).output().unwrap();
    let pinned = String::from_utf8(wheel.stdout).unwrap();
    let both = [0; 2].map(|_| {
        let (folder, pinned) = (folder.clone(), pinned.clone());
        std::thread::spawn(move || install(&folder, &pinned))
    });
    let both = both.map(|one| one.join().unwrap());
    let text = String::from_utf8_lossy(&both[0].stdout).into_owned();
    assert!(both.iter().all(|one| one.status.success()), "{both:?}");
    assert_eq!(both[0].stdout, both[1].stdout);
    assert!(Path::new(text.trim_end()).join("drra_nothing.py").is_file(), "{text}");
    let target = || fs::read_dir(folder.join("target")).unwrap().count();
    assert_eq!(target(), 1, "a partial folder is left");
    // A changed pin has another folder; a wrong hash leaves nothing.
    let wrong = pinned.replace(|c: char| c.is_ascii_digit(), "0").replace("==0.0", "==1.0");
    let refused = install(&folder, &wrong.replace("sha000", "sha256"));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success() && said.contains("cannot install drra-nothing==1.0"),
        "{said}"
    );
    assert_eq!(target(), 1, "{said}");
}

#[test]
fn foreign_programs_do_not_inherit_what_misleads_them() {
    let local = Command::new("git").args(["rev-parse", "--local-env-vars"]).output().unwrap();
    let local = String::from_utf8(local.stdout).unwrap();
    for name in local.lines() {
        assert!(misleads_git(name), "{name} reaches git");
    }
}
