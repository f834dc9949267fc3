// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the C++ of models to archives that are linked into the program: the bridge, the models, the runtime of
//! Verilator.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::path::PathBuf;

use crate::error::BuildError;
use crate::error::FileError;
use crate::model::Kind;
use crate::model::Model;
use crate::model::path;

/// Bytes of generated C++ that are compiled in one go. Every file of a model includes the same headers, which take a
/// second each: longer than what is in most of the files.
const TOGETHER: u64 = 2 << 20;

/// Compiles everything. The archive of the bridge comes before those of the models: the linker resolves references in
/// archives that follow.
pub(crate) fn compile(kind: &Kind<'_>, models: &[Model<'_>]) -> Result<(), BuildError> {
    write_list(kind, models)?;
    compile_bridge(kind, models)?;
    let (mut fast, mut slow) = (Vec::new(), Vec::new());
    for model in models {
        // Construction and reset run once, and what writes waves may take its time; the compiler
        // needs minutes for them when it optimises.
        let (once, often): (Vec<PathBuf>, Vec<PathBuf>) =
            sources(&model.folder())?.into_iter().partition(|p| {
                let name = p.file_name().unwrap_or_default().to_string_lossy();
                name.contains("Slow") || name.contains("__Trace")
            });
        fast.extend(together(model, "fast", &often)?);
        slow.extend(together(model, "slow", &once)?);
    }
    // A model with mutants is several times larger and runs for minutes only.
    let opt_level = if kind.source.mutants { 1 } else { 2 };
    archive(kind, &fast, opt_level).compile("drra_model");
    archive(kind, &slow, 0).compile("drra_model_slow");
    compile_runtime(kind)
}

/// Writes the headers of all models, and their classes in the order of the sizes, as a header for the bridge.
fn write_list(kind: &Kind<'_>, models: &[Model<'_>]) -> Result<(), BuildError> {
    let mut text =
        "// Written by build.rs: the models of this build, in the order of their sizes.\n\
                    #pragma once\n"
            .to_owned();
    let parts: &[&str] = if kind.counting { &["", "___024root", "__Syms"] } else { &[""] };
    let names: Vec<String> = models.iter().map(Model::name).collect();
    for name in &names {
        for part in parts {
            writeln!(text, "#include \"{name}{part}.h\"").expect("writing to a string");
        }
    }
    writeln!(text, "#define DRRA_MODELS {}", names.join(", ")).expect("writing to a string");
    let file = kind.out.join("drra_models.h");
    fs::write(&file, text).map_err(FileError::of(&file))?;
    Ok(())
}

/// Compiles our bridge: optimised, every warning an error.
fn compile_bridge(kind: &Kind<'_>, models: &[Model<'_>]) -> Result<(), BuildError> {
    let mut bridge = cxx_build::bridge("harness/bridge/sim.rs");
    bridge.file("harness/bridge/sim.cc").file("harness/bridge/stop.cc");
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
    bridge.compile("drra_bridge");
    Ok(())
}

/// Compiles the runtime.
fn compile_runtime(kind: &Kind<'_>) -> Result<(), BuildError> {
    let mut runtime = vec!["verilated.cpp", "verilated_dpi.cpp", "verilated_threads.cpp"];
    if kind.counting {
        runtime.push("verilated_cov.cpp");
    }
    if kind.tracing {
        runtime.push("verilated_fst_c.cpp");
    }
    let runtime: Vec<PathBuf> = runtime.into_iter().map(|f| kind.include().join(f)).collect();
    let mut archive = archive(kind, &runtime, 2);
    // What ends a simulation, and what it prints, is taken by the bridge.
    archive.define("VL_USER_FINISH", None).define("VL_USER_FATAL", None);
    let print = Path::new(env!("CARGO_MANIFEST_DIR")).join("harness/bridge/print.h");
    archive.define("VL_PRINTF", "drra_model_print").flag("-include").flag(path(&print)?);
    archive.compile("drra_runtime");
    Ok(())
}

/// Prepares the compilation of some files.
fn archive(kind: &Kind<'_>, files: &[PathBuf], opt_level: u32) -> cc::Build {
    let flag = |on: bool| if on { "1" } else { "0" };
    let include = kind.include();
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").opt_level(opt_level).warnings(false).debug(false);
    build.define("VM_TRACE", flag(kind.tracing)).define("VL_USER_STOP", None);
    build.define("VM_COVERAGE", flag(kind.counting));
    if kind.tracing {
        build.define("VM_TRACE_FST", "1");
        // The writer compresses with libraries that come as packages.
        for name in ["DEP_LZ4_INCLUDE", "DEP_Z_INCLUDE"] {
            build.includes(env::var_os(name));
        }
    }
    build.include(&include).include(include.join("vltstd"));
    build.files(files);
    build
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

/// Writes files that include those of a model, each as many as are compiled in one go.
fn together(model: &Model<'_>, kind: &str, files: &[PathBuf]) -> Result<Vec<PathBuf>, BuildError> {
    let mut written: Vec<(PathBuf, String)> = Vec::new();
    let mut room = 0;
    for file in files {
        let bytes = fs::metadata(file).map_err(FileError::of(file))?.len();
        if written.is_empty() || bytes > room {
            let name = format!("{}_{kind}_{}.cc", model.name(), written.len());
            written.push((model.folder().join(name), String::new()));
            room = TOGETHER;
        }
        room = room.saturating_sub(bytes);
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if let Some((_, text)) = written.last_mut() {
            writeln!(text, "#include \"{name}\"").expect("writing to a string");
        }
    }
    for (file, text) in &written {
        fs::write(file, text).map_err(FileError::of(file))?;
    }
    Ok(written.into_iter().map(|(file, _)| file).collect())
}
