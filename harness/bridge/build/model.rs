// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a folder of RTL to archives that are linked into the program: generated C++, the bridge to it, the
//! runtime of Verilator, and the elaborated design as a tree.

use std::env;
use std::fs;
use std::path::Path;
use std::path::PathBuf;

use crate::error::BuildError;
use crate::error::FileError;
use crate::parameters::Parameters;
use crate::ports;
use crate::source::Source;
use crate::verilator::Verilator;

/// What a model is made from.
pub(crate) struct Model<'a> {
    /// The Verilator that makes it.
    pub(crate) verilator: &'a Verilator,
    /// Where its sources are.
    pub(crate) source: &'a Source,
    /// Its parameters.
    pub(crate) parameters: &'a Parameters,
    /// Output folder of the build script.
    pub(crate) out: &'a Path,
    /// It checks itself over time (feature `rtl-checks`).
    pub(crate) checking: bool,
    /// It counts lines, branches and toggles (feature `rtl-coverage`).
    pub(crate) counting: bool,
    /// It can write waves of all its signals (feature `rtl-trace`).
    pub(crate) tracing: bool,
}

impl Model<'_> {
    /// Where its C++ is generated.
    pub(crate) fn folder(&self) -> PathBuf {
        self.out.join("verilated")
    }

    fn include(&self) -> PathBuf {
        self.verilator.root.join("include")
    }

    /// Generates the C++ of the model.
    pub(crate) fn verilate(&self) -> Result<(), BuildError> {
        let folder = self.folder();
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(FileError::of(&folder))?;
        }
        let checks: &[&str] = if self.checking { &["-DDRRA_CHECKS"] } else { &[] };
        let coverage: &[&str] =
            if self.counting { &["--coverage-line", "--coverage-toggle"] } else { &[] };
        let trace: &[&str] = if self.tracing { &["--trace-fst", "--trace-structs"] } else { &[] };
        let parameters = self.parameters.arguments();
        self.verilator.run(
            &self.source.folder,
            ["--cc", "--prefix", "Vfabric", "-O3"]
                // Numbered temporaries of these passes would give every instance of a cell code of
                // its own: the model would be four times larger and slower to compile.
                .into_iter()
                .chain(["-fno-dfg", "-fno-table"])
                .chain(self.assertions().iter().copied())
                .chain(checks.iter().copied())
                .chain(["--x-assign", "unique", "--x-initial", "unique"])
                .chain(coverage.iter().copied())
                .chain(trace.iter().copied())
                .chain(self.source.arguments()?)
                .chain(parameters.iter().map(String::as_str))
                .chain(["-Mdir", path(&folder)?]),
        )?;
        self.source.watch(&folder.join("Vfabric__ver.d"))?;
        let header = folder.join("Vfabric.h");
        let header = fs::read_to_string(&header).map_err(FileError::of(&header))?;
        match ports::problems(&header, self.parameters) {
            problems if problems.is_empty() => Ok(()),
            problems => Err(BuildError::Ports(self.source.folder.clone(), problems)),
        }
    }

    /// Which assertions are compiled in.
    fn assertions(&self) -> &'static [&'static str] {
        // What Verilator makes of `unique case` are messages with the names of all instances: 32 MB of C++ for our own
        // RTL instead of 8. They could report overlapping items only, as every `unique case` of it has a default, and
        // the items are constants: the lint finds an overlap (CASEOVERLAP). Its assertions are statements of another
        // kind and stay.
        const NOT_OF_CASES: &str = "--no-assert-case";
        match (self.source.of_user, self.verilator.knows(NOT_OF_CASES)) {
            (false, _) => &["--no-assert"],
            (true, true) => &["--assert", NOT_OF_CASES],
            (true, false) => &["--assert"],
        }
    }

    /// Compiles our bridge: optimised, every warning an error. Its archive must come before those
    /// of the model: the linker resolves references in archives that follow.
    pub(crate) fn compile_bridge(&self) -> Result<(), BuildError> {
        let mut bridge = cxx_build::bridge("harness/bridge/sim.rs");
        bridge.file("harness/bridge/sim.cc").std("c++17").opt_level(2);
        bridge.flag("-Wall").flag("-Wextra").flag("-Werror");
        if self.counting {
            bridge.define("VM_COVERAGE", "1");
        }
        if self.tracing {
            bridge.define("VM_TRACE", "1").define("VM_TRACE_FST", "1");
        }
        let include = self.include();
        for folder in [&include, &include.join("vltstd"), &self.folder()] {
            bridge.flag("-isystem").flag(path(folder)?);
        }
        bridge.compile("drra_bridge");
        Ok(())
    }

    /// Compiles the model and the runtime.
    pub(crate) fn compile(&self) -> Result<(), BuildError> {
        // Construction and reset run once, and what writes waves may take its time; the compiler
        // needs minutes for them when it optimises.
        let (slow, fast): (Vec<PathBuf>, Vec<PathBuf>) =
            sources(&self.folder())?.into_iter().partition(|p| {
                let name = p.file_name().unwrap_or_default().to_string_lossy();
                name.contains("Slow") || name.contains("__Trace")
            });
        // A model with mutants is several times larger and runs for minutes only.
        let opt_level = if self.source.mutants { 1 } else { 2 };
        self.archive(&fast, opt_level).compile("drra_model");
        self.archive(&slow, 0).compile("drra_model_slow");
        let mut runtime = vec!["verilated.cpp", "verilated_dpi.cpp", "verilated_threads.cpp"];
        if self.counting {
            runtime.push("verilated_cov.cpp");
        }
        if self.tracing {
            runtime.push("verilated_fst_c.cpp");
        }
        let runtime: Vec<PathBuf> = runtime.into_iter().map(|f| self.include().join(f)).collect();
        let mut archive = self.archive(&runtime, 2);
        // What ends a simulation, and what it prints, is taken by the bridge.
        archive.define("VL_USER_FINISH", None).define("VL_USER_FATAL", None);
        let print = Path::new(env!("CARGO_MANIFEST_DIR")).join("harness/bridge/print.h");
        archive.define("VL_PRINTF", "drra_model_print").flag("-include").flag(path(&print)?);
        archive.compile("drra_runtime");
        Ok(())
    }

    /// Prepares the compilation of some files.
    fn archive(&self, files: &[PathBuf], opt_level: u32) -> cc::Build {
        let flag = |on: bool| if on { "1" } else { "0" };
        let include = self.include();
        let mut build = cc::Build::new();
        build.cpp(true).std("c++17").opt_level(opt_level).warnings(false).debug(false);
        build.define("VM_TRACE", flag(self.tracing)).define("VL_USER_STOP", None);
        build.define("VM_COVERAGE", flag(self.counting));
        if self.tracing {
            build.define("VM_TRACE_FST", "1");
            // The writer compresses with libraries that come as packages.
            for name in ["DEP_LZ4_INCLUDE", "DEP_Z_INCLUDE"] {
                build.includes(env::var_os(name));
            }
        }
        build.include(&include).include(include.join("vltstd")).include(self.folder());
        build.files(files);
        build
    }

    /// Writes the elaborated design as a tree, for the test that no register of our own RTL is missing from the
    /// state map.
    pub(crate) fn write_tree(&self) -> Result<(), BuildError> {
        let tree = self.out.join("tree");
        println!("cargo::rustc-env=DRRA_RTL_TREE={}", path(&tree)?);
        if self.source.of_user {
            return Ok(());
        }
        let parameters = self.parameters.arguments();
        self.verilator.run(
            &self.source.folder,
            [self.verilator.tree_option(), "--prefix", "Vtree", "-Mdir", path(&tree)?]
                .into_iter()
                .chain(self.source.arguments()?)
                .chain(parameters.iter().map(String::as_str)),
        )
    }
}

fn path(p: &Path) -> Result<&str, BuildError> {
    p.to_str().ok_or_else(|| BuildError::Path(p.to_owned()))
}

/// Generated C++ files, sorted so that builds are reproducible.
fn sources(dir: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let entries = fs::read_dir(dir).map_err(FileError::of(dir))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|x| x == "cpp"))
        .collect();
    files.sort();
    Ok(files)
}
