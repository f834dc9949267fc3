// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds the Verilated models of the RTL and the bridge to them, for the build script of the root package.
//!
//! [`Models::find`] finds a Verilator, the RTL and the sizes of the fabric, as requested by variables and features
//! (harness/guide/toolchain.md). [`Models::verilate`] generates the C++ of the models; [`Models::bridge`] compiles
//! those files of the models and of the bridge that have changed, and links all of them into the program.
//!
//! Folders are determined when the build script runs, not when this crate is compiled: a project may be moved or copied
//! together with its target folder.

mod archive;
mod compile;
mod error;
mod identity;
mod imported;
mod list;
mod makefile;
mod members;
mod model;
mod objects;
mod parameters;
mod ports;
mod source;
mod units;
mod verilator;

use std::{env, fs, iter, num::NonZero, path::PathBuf, sync::Mutex, thread};

pub use error::BuildError;
use error::FileError;
use model::{Model, ModelKind};
use parameters::Sizes;
use source::SourceFolder;
use verilator::Verilator;

/// The models of a build, one for each size.
pub struct Models {
    kind: ModelKind,
    sizes: Sizes,
}

impl Models {
    /// Determines the models that features and environment variables request; returns `None` without the feature
    /// `rtl`. The list of sizes is passed to the root package in both cases.
    ///
    /// # Errors
    /// If a variable has an unusable value, or the RTL or a Verilator is missing.
    pub fn find() -> Result<Option<Self>, BuildError> {
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by Cargo"));
        let feature = |name: &str| env::var_os(format!("CARGO_FEATURE_{name}")).is_some();
        let (counting, tracing) = (feature("RTL_COVERAGE"), feature("RTL_TRACE"));
        if !feature("RTL") {
            return Sizes::read(false, &out).map(|_| None);
        }
        let source = SourceFolder::find(&out)?;
        let large = source.of_user || source.mutants || counting || tracing;
        let sizes = Sizes::read(large, &out)?;
        let verilator = Verilator::find(&out)?;
        println!("cargo::rustc-env=DRRA_VERILATOR_VERSION={}", verilator.version);
        let checking = feature("RTL_CHECKS");
        let kind = ModelKind { verilator, source, out, checking, counting, tracing };
        Ok(Some(Self { kind, sizes }))
    }

    /// Generates the C++ of all models, one per processor at a time; the largest come first.
    ///
    /// # Errors
    /// If Verilator rejects the RTL, or the RTL does not have the ports of a fabric.
    pub fn verilate(&self) -> Result<(), BuildError> {
        let folder = self.kind.folder();
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(FileError::of(&folder))?;
        }
        let mut queue = self.all();
        queue.sort_by_key(|model| model.size.cells());
        let queue = Mutex::new(queue);
        let next = || queue.lock().expect("no panic while it is held").pop();
        let work = || iter::from_fn(next).try_for_each(|model| model.verilate());
        thread::scope(|scope| {
            let processors = thread::available_parallelism().map_or(1, NonZero::get);
            let running: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
            running.into_iter().try_for_each(|one| one.join().expect("no panic while it runs"))
        })
    }

    /// Compiles the models and the bridge, and passes the digests of the RTL and of the models to the root package.
    ///
    /// # Errors
    /// If a file cannot be read or compiled.
    pub fn bridge(&self) -> Result<(), BuildError> {
        let models = self.all();
        thread::scope(|scope| {
            let identity = scope.spawn(|| identity::write(&models));
            compile::compile(&self.kind, &models)?;
            identity.join().expect("no panic while it runs")
        })
    }

    fn all(&self) -> Vec<Model<'_>> {
        self.sizes.all().iter().map(|size| Model { kind: &self.kind, size }).collect()
    }
}
