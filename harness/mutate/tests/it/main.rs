// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mutants of small modules and of the RTL of this project; no mutant is run. Where slang is not installed, tests that
//! need it report this and pass, unless `DRRA_HDL_TOOLS=required` is set.

mod bugs;
mod results;
mod sources;

use std::{fs, path::Path};

use drra_mutate::{DesignModules, MutateError, Tools};
use drra_testkit::{PROJECT, skip};

/// The tools, if they are installed.
fn tools() -> Option<Tools> {
    let tools = Tools::installed(PROJECT.as_ref());
    if tools.is_none() {
        skip("DRRA_HDL_TOOLS", "slang and Yosys are not installed: .ci/synthesize");
    }
    tools
}

/// The RTL of this project; `None` without slang.
fn rtl() -> Option<DesignModules> {
    let folder = Path::new(PROJECT).join("rtl");
    let list = fs::read_to_string(folder.join("rtl.f")).unwrap();
    let names = list.lines().filter(|line| line.ends_with(".sv"));
    let names: Vec<String> = names.map(str::to_owned).collect();
    Some(DesignModules::read(&tools()?, &folder, &names).unwrap_or_else(|e| panic!("{e}")))
}

/// A design of one module; `None` without slang.
fn read(text: &str) -> Option<Result<DesignModules, MutateError>> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("m.sv"), text).unwrap();
    Some(DesignModules::read(&tools()?, folder.path(), &["m.sv".to_owned()]))
}
