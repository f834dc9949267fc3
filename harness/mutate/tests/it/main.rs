// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mutants of small modules and of the RTL of this project, without running any.

mod results;
mod sources;

use std::{
    fs,
    path::{Path, PathBuf},
};

use drra_mutate::Design;

/// The folder of the project.
fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The RTL of this project.
fn rtl() -> Design {
    let folder = project().join("rtl");
    let list = fs::read_to_string(folder.join("rtl.f")).unwrap();
    let names = list.lines().filter(|line| line.ends_with(".sv"));
    let read = |name: &str| (name.to_owned(), fs::read_to_string(folder.join(name)).unwrap());
    Design::read(&names.map(read).collect::<Vec<_>>()).unwrap_or_else(|e| panic!("{e}"))
}

/// A design of one module.
fn design(text: &str) -> Design {
    Design::read(&[("m.sv".to_owned(), text.to_owned())]).unwrap_or_else(|e| panic!("{e}"))
}
