// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verilates `rtl/`, or the folder that `DRRA_RTL` names, and builds the bridge to it. See README, "Toolchain", for
//! how Verilator is found.

#[path = "harness/origin/src/digest.rs"]
mod digest;
#[path = "harness/bridge/build/error.rs"]
mod error;
#[path = "harness/bridge/build/identity.rs"]
mod identity;
#[path = "harness/bridge/build/model.rs"]
mod model;
#[path = "harness/bridge/build/parameters.rs"]
mod parameters;
#[path = "harness/bridge/build/ports.rs"]
mod ports;
#[path = "harness/bridge/build/source.rs"]
mod source;
#[path = "harness/bridge/build/verilator.rs"]
mod verilator;

use std::env;
use std::path::PathBuf;

use error::BuildError;
use model::Model;
use parameters::Parameters;
use source::Source;
use verilator::Verilator;

fn main() {
    for changed in ["harness/bridge/build", "harness/origin/src/digest.rs", "build.rs"] {
        println!("cargo::rerun-if-changed={changed}");
    }
    for file in ["sim.rs", "sim.h", "sim.cc", "print.h"] {
        println!("cargo::rerun-if-changed=harness/bridge/{file}");
    }
    if let Err(e) = build() {
        eprintln!("error: {e}");
        std::process::exit(1);
    }
}

fn build() -> Result<(), BuildError> {
    let parameters = Parameters::read()?;
    let feature = |name: &str| env::var_os(format!("CARGO_FEATURE_{name}")).is_some();
    if !feature("RTL") {
        return Ok(());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by Cargo"));
    let source = Source::find(&out)?;
    let verilator = Verilator::find(&out)?;
    println!("cargo::rustc-env=DRRA_VERILATOR_VERSION={}", verilator.version);
    let model = Model {
        verilator: &verilator,
        source: &source,
        parameters: &parameters,
        out: &out,
        checking: feature("RTL_CHECKS"),
        counting: feature("RTL_COVERAGE"),
        tracing: feature("RTL_TRACE"),
    };
    model.verilate()?;
    identity::write(&model)?;
    model.compile_bridge()?;
    model.compile()?;
    model.write_tree()
}
