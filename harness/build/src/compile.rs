// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compiles the bridge, the models and the Verilator runtime.

use std::{
    cmp::Reverse,
    collections::BTreeSet,
    env,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use crate::{
    archive::{self, Archive},
    error::{BuildError, FileError},
    members,
    model::{Model, ModelKind, path},
    units::{self, GeneratedFile},
};

/// The files of the bridge: those that are compiled, and those that they include.
const BRIDGE: [&str; 10] = [
    "src/sim.rs",
    "sim.cc",
    "stop.cc",
    "open.cc",
    "sim.h",
    "sim_of.h",
    "stop.h",
    "open.h",
    "print.h",
    "shown.h",
];

/// Compiles everything. The archive of the bridge comes before the archives of the models, because the linker resolves
/// the references of an archive in the archives after it.
pub(crate) fn compile(kind: &ModelKind, models: &[Model<'_>]) -> Result<(), BuildError> {
    write_list(kind, models)?;
    let (mut fast, mut slow) = (Vec::new(), Vec::new());
    for model in models {
        // Construction and initialisation run once, and writing waves need not be fast, so minutes of optimisation by
        // the compiler would be wasted. Level 2 makes the other code a tenth faster than level 1; level 3 would compile
        // for minutes.
        let (once, often): (Vec<GeneratedFile>, Vec<GeneratedFile>) =
            generated(model)?.into_iter().partition(|file| {
                let name = file.path.file_name().unwrap_or_default().to_string_lossy();
                name.contains("Slow") || name.contains("__Trace")
            });
        fast.extend(often);
        slow.extend(once);
    }
    let (fast, slow) =
        (together(kind, "fast", fast, 2 << 20)?, together(kind, "slow", slow, 4 << 20)?);
    let mut archives = vec![
        bridge(kind, models)?,
        Archive::new("drra_model", including("shown.h", generic(kind, 2))?, fast)?,
        Archive::new("drra_model_slow", including("shown.h", generic(kind, 0))?, slow)?,
        runtime(kind, models)?,
    ];
    if let [model, ..] = models {
        archives.splice(1..1, model.imported()?.archive(model)?);
    }
    archive::build(&archives, kind.out.join("objects"))
}

/// Writes a header for the bridge that includes the headers of all models and lists their classes in the order of the
/// sizes.
fn write_list(kind: &ModelKind, models: &[Model<'_>]) -> Result<(), BuildError> {
    let mut text =
        "// Written by build.rs: the models of this build, in the order of their sizes.\n\
                    #pragma once\n"
            .to_owned();
    let names: Vec<String> = models.iter().map(Model::name).collect();
    for name in &names {
        for part in ["", "___024root", "__Syms"] {
            writeln!(text, "#include \"{name}{part}.h\"").expect("writing to a string");
        }
    }
    writeln!(text, "#define DRRA_MODELS {}", names.join(", ")).expect("writing to a string");
    let mut copyable = true;
    for model in models {
        copyable &= model.is_copyable()?;
        text += &members::functions(model)?;
    }
    writeln!(text, "#define DRRA_COPYABLE {copyable}").expect("writing to a string");
    let file = kind.out.join("drra_models.h");
    fs::write(&file, text).map_err(FileError::of(&file))?;
    Ok(())
}

/// Our own bridge: optimised, and with every warning treated as an error.
fn bridge(kind: &ModelKind, models: &[Model<'_>]) -> Result<Archive, BuildError> {
    for file in BRIDGE {
        println!("cargo::rerun-if-changed=harness/bridge/{file}");
    }
    let mut bridge = cxx_build::bridge("harness/bridge/src/sim.rs");
    bridge.files(["sim.cc", "stop.cc", "open.cc"].map(|name| format!("harness/bridge/{name}")));
    let folder = if kind.source.of_user { path(&kind.source.folder)? } else { "" };
    bridge.define("DRRA_DESIGN_FOLDER", format!("{folder:?}").as_str());
    bridge.std("c++17").opt_level(2).flag("-Wall").flag("-Wextra").flag("-Werror");
    if kind.counting {
        bridge.define("VM_COVERAGE", "1");
    }
    if kind.tracing {
        bridge.define("VM_TRACE", "1").define("VM_TRACE_FST", "1");
    }
    let include = kind.include();
    let generated = models.iter().map(Model::folder).chain([kind.out.to_owned()]);
    for folder in [include.clone(), include.join("vltstd")].into_iter().chain(generated) {
        bridge.flag("-isystem").flag(path(&folder)?);
    }
    let sources = bridge.get_files().map(Path::to_owned).collect();
    // The Rust side is in a crate that comes after these archives.
    Ok(Archive::new("drra_bridge", bridge, sources)?.whole())
}

/// Verilator's runtime, with everything that one of the models needs.
fn runtime(kind: &ModelKind, models: &[Model<'_>]) -> Result<Archive, BuildError> {
    let mut runtime = kind.runtime();
    runtime.extend(["verilated", "verilated_dpi", "verilated_threads"]);
    let mut runtime: BTreeSet<String> = runtime.into_iter().map(str::to_owned).collect();
    for model in models {
        runtime.extend(model.makefile()?.runtime().map(str::to_owned));
    }
    let files = runtime.iter().map(|file| kind.include().join(format!("{file}.cpp"))).collect();
    let mut build = including("open.h", including("print.h", generic(kind, 1))?)?;
    // The bridge handles the end of a simulation and its output.
    build.define("VL_USER_FINISH", None).define("VL_USER_FATAL", None);
    build.define("VL_PRINTF", "drra_model_print");
    Archive::new("drra_runtime", build, files)
}

/// Includes a header of the bridge before everything else.
fn including(header: &str, mut build: cc::Build) -> Result<cc::Build, BuildError> {
    // The folder of the project at run time: it may have been moved since this script was compiled.
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by Cargo"));
    let header = root.join("harness/bridge").join(header);
    build.flag("-include").flag(path(&header)?);
    Ok(build)
}

/// The compiler settings for C++ that comes from Verilator.
fn generic(kind: &ModelKind, opt_level: u32) -> cc::Build {
    let flag = |on: bool| if on { "1" } else { "0" };
    let include = kind.include();
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").opt_level(opt_level).warnings(false).debug(false);
    build.define("VM_TRACE", flag(kind.tracing)).define("VL_USER_STOP", None);
    build.define("VM_COVERAGE", flag(kind.counting));
    if kind.tracing {
        build.define("VM_TRACE_FST", "1");
        // The waveform writer uses compression libraries, which come from Cargo packages.
        for name in ["DEP_LZ4_INCLUDE", "DEP_Z_INCLUDE"] {
            build.includes(env::var_os(name));
        }
    }
    build.include(&include).include(include.join("vltstd"));
    build
}

/// The C++ files of a model.
fn generated(model: &Model<'_>) -> Result<Vec<GeneratedFile>, BuildError> {
    let (folder, model_name) = (model.folder(), model.name());
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).map_err(FileError::of(&folder))? {
        let path = entry.map_err(FileError::of(&folder))?.path();
        if path.extension().is_none_or(|ending| ending != "cpp") {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut module = units::module(&model_name, &name).to_owned();
        // The waveform writers of all models have functions with the same names, so files of different models are kept
        // apart.
        if model.kind.tracing {
            module = format!("{model_name}-{module}");
        }
        let bytes = fs::metadata(&path).map_err(FileError::of(&path))?.len();
        files.push(GeneratedFile { module, path, bytes });
    }
    Ok(files)
}

/// Writes files, each of which includes the generated files that are compiled together. The largest comes first, so
/// that it does not keep one processor busy at the end while the others are idle.
fn together(
    kind: &ModelKind,
    how: &str,
    files: Vec<GeneratedFile>,
    most: u64,
) -> Result<Vec<PathBuf>, BuildError> {
    let folder = kind.folder();
    let mut sources = Vec::new();
    let mut units = units::together(files, most);
    units.sort_by_key(|unit| Reverse(unit.bytes));
    for unit in units {
        let mut text = String::new();
        for file in &unit.paths {
            let file = path(file.strip_prefix(&folder).unwrap_or(file))?;
            // Each model has a header for precompilation that rejects those of other models; here none is precompiled.
            let include = format!("#undef VL_PCH_INCLUDED\n#include \"{file}\"");
            writeln!(text, "{include}").expect("writing to a string");
        }
        let file = folder.join(format!("{how}-{}.cc", unit.name));
        fs::write(&file, text).map_err(FileError::of(&file))?;
        sources.push(file);
    }
    Ok(sources)
}
