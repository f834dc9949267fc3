// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verilates `rtl/`, or the folder named by `DRRA_RTL`, for some fabric sizes, and builds the bridge to the models.
//! See harness/guide/toolchain.md for how Verilator is found.

#[path = "harness/bridge/build/archive.rs"]
mod archive;
#[path = "harness/bridge/build/compile.rs"]
mod compile;
#[path = "harness/origin/src/digest.rs"]
mod digest;
#[path = "harness/bridge/build/error.rs"]
mod error;
#[expect(dead_code, unreachable_pub, reason = "a part of a library")]
#[path = "harness/mutate/src/foreign.rs"]
mod foreign;
#[allow(dead_code, unreachable_pub)] // a part of a library
#[path = "isa/src/geometry.rs"]
mod geometry;
#[path = "harness/bridge/build/identity.rs"]
mod identity;
#[path = "harness/bridge/build/list.rs"]
mod list;
#[path = "harness/bridge/build/members.rs"]
mod members;
#[path = "harness/bridge/build/model.rs"]
mod model;
#[path = "harness/bridge/build/objects.rs"]
mod objects;
#[path = "harness/bridge/build/parameters.rs"]
mod parameters;
#[path = "harness/bridge/build/ports.rs"]
mod ports;
#[path = "harness/bridge/build/source.rs"]
mod source;
#[path = "harness/bridge/build/units.rs"]
mod units;
#[path = "harness/bridge/build/verilator.rs"]
mod verilator;

use std::{env, fs, iter, num::NonZero, path::PathBuf, sync::Mutex, thread};

use error::{BuildError, FileError};
use model::{Kind, Model};
use parameters::Sizes;
use source::Source;
use verilator::Verilator;

fn main() {
    for changed in [
        "harness/bridge/build",
        "harness/mutate/src/foreign.rs",
        "harness/origin/src/digest.rs",
        "isa/src/geometry.rs",
        "build.rs",
    ] {
        println!("cargo::rerun-if-changed={changed}");
    }
    for file in ["sim.rs", "sim.h", "sim_of.h", "sim.cc", "stop.h", "stop.cc", "print.h", "shown.h"]
    {
        println!("cargo::rerun-if-changed=harness/bridge/{file}");
    }
    if let Err(e) = build() {
        eprintln!("error: {e}");
        std::process::exit(1);
    }
}

fn build() -> Result<(), BuildError> {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by Cargo"));
    let feature = |name: &str| env::var_os(format!("CARGO_FEATURE_{name}")).is_some();
    let (counting, tracing) = (feature("RTL_COVERAGE"), feature("RTL_TRACE"));
    if !feature("RTL") {
        return Sizes::read(false, &out).map(drop);
    }
    let source = Source::find(&out)?;
    let large = source.of_user || source.mutants || counting || tracing;
    let sizes = Sizes::read(large, &out)?;
    let verilator = Verilator::find(&out)?;
    println!("cargo::rustc-env=DRRA_VERILATOR_VERSION={}", verilator.version);
    let checking = feature("RTL_CHECKS");
    let kind =
        Kind { verilator: &verilator, source: &source, out: &out, checking, counting, tracing };
    let models: Vec<Model<'_>> =
        sizes.all().iter().map(|size| Model { kind: &kind, size }).collect();
    verilate(&kind, &models)?;
    thread::scope(|scope| {
        let identity = scope.spawn(|| identity::write(&models));
        compile::compile(&kind, &models)?;
        identity.join().expect("no panic while it runs")
    })
}

/// Generates the C++ of all models, one per processor at a time; the largest come first.
fn verilate(kind: &Kind<'_>, models: &[Model<'_>]) -> Result<(), BuildError> {
    let folder = kind.folder();
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(FileError::of(&folder))?;
    }
    let mut queue: Vec<&Model<'_>> = models.iter().collect();
    queue.sort_by_key(|model| model.size.cells());
    let queue = Mutex::new(queue);
    let next = || queue.lock().expect("no panic while it is held").pop();
    let work = || iter::from_fn(next).try_for_each(Model::verilate);
    thread::scope(|scope| {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let running: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
        running.into_iter().try_for_each(|one| one.join().expect("no panic while it runs"))
    })
}
