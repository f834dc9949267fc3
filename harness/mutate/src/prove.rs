// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proves that mutants are equivalent to the original. The mutated module and the original are cut at their registers
//! and instances: the inputs of registers and instances become outputs, and their outputs become inputs. If the solver
//! of Yosys proves that all outputs are equal for all inputs, the two behave alike in every cycle. One instance is
//! checked for each set of parameters that the module has in the design.

mod chapter;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    time::Duration,
};

use crate::{
    Mutant, MutateError, RtlProject,
    error::{WRITABLE, file},
    pool::in_parallel,
    record::MutantResult,
};

/// The top of the design.
const TOP: &str = "drra_fabric";
/// Folder of the proofs, below the folder of the run.
const FOLDER: &str = "proofs";
/// Processor time that Yosys may use for one comparison.
const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum number of mutants of a module that one Yosys process checks.
const BATCH: usize = 8;

/// The text in the log of a mutant that introduces the result for an instance.
const ASKED: &str = "== asked about";
/// The solver's message for a proof.
const PROVED: &str = "no model found: SUCCESS!";
/// The solver's message for a counterexample.
const DIFFERS: &str = "model found: FAIL!";
/// The last line of the log of a mutant.
const END: &str = "== end";

/// Compares the modules `gold` and `gate`. Names of registers end in `_q`, followed by an index for memories. All other
/// signals lose their names: a register named after the port that it drives would be cut only behind that port, and its
/// next value would not be compared.
///
/// The script ends without a proof unless all registers load at the same edge of the only clock and drive nothing but
/// the cut signals, which nothing else may drive or read. It also ends if a state or a combinational loop is left after
/// registers have been replaced by wires from their next values: a signal that would be its own inverse can have no
/// value, and then everything could be proved. A register without a reader may be missing in either module. Undefined
/// values are treated as 0.
const COMPARE: &str = "\
select gold gate
rename -hide w:* w:*_q %d w:*_q[*] %d
memory -nomap
memory_map
dffunmap
opt_clean
setundef -zero
expose -evert gold/c:* gate/c:*
expose -cut w:*_q w:*_q[*]
select -set registers t:$*ff* t:$*latch* %u gold gate %u %i
select -set cut o:*_q o:*_q[*] %u gold gate %u %i
select -assert-none @registers r:CLK_POLARITY=0 %i
select -assert-none @registers %ci1:+[CLK] w:* %i i:clk_i %d
select -assert-none @registers %co1:+[Q] w:* %i @cut %d
select -assert-none @cut %co1 c:* %i
design -push-copy
insbuf @cut
select -assert-none @cut %ci1 c:* %i @registers %d
design -pop
async2sync
dffunmap
techmap -map wire.v
select -assert-none t:$*ff* t:$*latch* %u t:$mem* %u gold gate %u %i
scc -expect 0
select *
miter -equiv -make_outputs gold gate miter
hierarchy -top miter
flatten -wb
opt_expr -keepdc -undriven
opt_clean
opt_expr
opt_merge
opt_clean
opt_expr
opt_merge
opt_clean
delete -output miter/w:gold_* miter/w:gate_*
opt_clean
";

/// Replaces a register by a wire from its next value to its output.
const WIRE: &str = "\
(* techmap_celltype = \"$dff\" *)
module _wire (CLK, D, Q);
parameter WIDTH = 1;
parameter CLK_POLARITY = 1;
input CLK;
input [WIDTH-1:0] D;
output [WIDTH-1:0] Q;
assign Q = D;
endmodule
";

/// Tries to prove that mutants of one design are equivalent to the original.
pub(crate) struct Prover<'a> {
    rtl: &'a RtlProject,
    /// Folder of the proofs.
    folder: PathBuf,
    top: &'a str,
    /// Columns and rows of tiles.
    fabric: (&'a str, &'a str),
    jobs: usize,
    stop: &'a AtomicBool,
}

impl<'a> Prover<'a> {
    /// Copies the original into the folder of the proofs.
    pub(crate) fn new(
        rtl: &'a RtlProject,
        run: &Path,
        fabric: &'a str,
        jobs: usize,
        stop: &'a AtomicBool,
    ) -> Result<Self, MutateError> {
        let fabric = fabric.split_once('x').unwrap_or_default();
        let prover = Self { rtl, folder: run.join(FOLDER), top: TOP, fabric, jobs, stop };
        let mutants = prover.folder.join("mutants");
        fs::create_dir_all(&mutants).map_err(|e| file(&mutants, e, WRITABLE))?;
        prover.write("wire.v", WIRE)?;
        rtl.copy(&prover.folder.join("rtl"))?;
        Ok(prover)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), MutateError> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(|e| file(&path, e, WRITABLE))
    }

    /// Tries to prove that mutants, sorted by module, are equivalent to the original; `tell` receives each result.
    pub(crate) fn prove(
        &self,
        mutants: &[Mutant],
        tell: &mut dyn FnMut(u32, MutantResult) -> Result<(), MutateError>,
    ) -> Result<(), MutateError> {
        let of_blocks = mutants.chunk_by(|a, b| a.block == b.block);
        let batches = of_blocks.flat_map(|m| m.chunks(BATCH));
        let worker = |job| move |batch| self.batch(job, batch);
        let on_batch = &mut |found: Vec<_>| found.into_iter().try_for_each(|(m, f)| tell(m, f));
        in_parallel(self.jobs, self.stop, batches, worker, on_batch)
    }

    /// Compares mutants of a module with the original. A mutant that Yosys rejects is illegal; one for which the solver
    /// runs out of time is undecided. Either ends the process; another process continues with the mutants after it.
    fn batch(
        &self,
        job: usize,
        mutants: &[Mutant],
    ) -> Result<Vec<(u32, MutantResult)>, MutateError> {
        for mutant in mutants {
            let _ = fs::remove_file(self.folder.join(log_name(mutant)));
            let text = mutant.apply(self.rtl.design.text(&mutant.file));
            self.write(&format!("mutants/{}.sv", mutant.number), &text)?;
        }
        let mut all = Vec::new();
        let mut open = mutants;
        while !open.is_empty() {
            let name = format!("script-{job}.ys");
            self.write(&name, &self.script(open))?;
            let asked = || open.iter().map(|m| self.said(m).matches(ASKED).count()).sum();
            let printed = self.rtl.tools.yosys(&self.folder, &name, PATIENCE, &asked)?;
            let whole = |m: &&Mutant| self.said(m).contains(END);
            let ended = open.iter().take_while(whole).count();
            all.extend(open[..ended].iter().map(|m| (m.number, self.found(m))));
            let Some(failed) = open.get(ended) else { break };
            let log = self.said(failed) + &printed + "\n";
            self.write(&log_name(failed), &log)?;
            let illegal = refused(&printed).map(|message| MutantResult::Illegal { message });
            all.push((failed.number, illegal.unwrap_or_else(|| self.found(failed))));
            open = &open[ended + 1..];
        }
        Ok(all)
    }

    /// The result in the log of a mutant.
    fn found(&self, mutant: &Mutant) -> MutantResult {
        let log = [FOLDER, &log_name(mutant)].iter().collect();
        let said = self.said(mutant);
        match proved(&said, self.instances(mutant).len()) {
            true => MutantResult::Equivalent { log },
            false if said.contains(DIFFERS) => MutantResult::NotProved { log },
            false => MutantResult::NotDecided { log },
        }
    }

    /// The output of Yosys about a mutant.
    fn said(&self, mutant: &Mutant) -> String {
        fs::read_to_string(self.folder.join(log_name(mutant))).unwrap_or_default()
    }

    fn instances(&self, mutant: &Mutant) -> &[String] {
        self.rtl.design.module(&mutant.block).map_or(&[], |m| &m.instances)
    }

    fn script(&self, mutants: &[Mutant]) -> String {
        let mut script = self.read(&mutants[0], "gold", "rtl/") + "design -stash original\n";
        for mutant in mutants {
            let log = log_name(mutant);
            let path = format!("mutants/{}.sv", mutant.number);
            script += &format!("{}design -stash mutant\n", self.read(mutant, "gate", &path));
            for (place, instance) in self.instances(mutant).iter().enumerate() {
                script += &format!(
                    "design -copy-from original =*\n\
                     design -copy-from original -as gold gold{place}\n\
                     design -copy-from mutant -as gate gate{place}\n{COMPARE}\
                     tee -a {log} log {ASKED} {instance}\n\
                     tee -a {log} sat -show-inputs -prove trigger 0 miter\ndesign -reset\n"
                );
            }
            script += &format!("tee -a {log} log {END}\ndesign -delete mutant\n");
        }
        script
    }

    /// The commands that read the design and rename the modules of the instances to compare. `path` is the file of the
    /// mutant, or `rtl/` for the original. Modules that contain none of these instances are black boxes, unless they have type
    /// parameters.
    fn read(&self, mutant: &Mutant, name: &str, path: &str) -> String {
        let design = &self.rtl.design;
        let around = design.around(&mutant.block);
        let boxes = design.modules.iter().filter(|m| !m.typed && !around.contains(m.name.as_str()));
        let boxes: String = boxes.map(|m| format!(" --blackboxed-module {}", m.name)).collect();
        let (columns, rows) = self.fabric;
        let size = match self.top {
            TOP => format!("-G Cols={columns} -G DimarchRows={rows}"),
            _ => String::new(),
        };
        let mut text = format!(
            "read_slang --threads 1 -DSYNTHESIS -I rtl --top {} {size}{boxes} --keep-hierarchy",
            self.top
        );
        for file in &self.rtl.files {
            let mutated = *file == mutant.file && path != "rtl/";
            text += &if mutated { format!(" {path}") } else { format!(" rtl/{file}") };
        }
        text.push('\n');
        for (place, instance) in self.instances(mutant).iter().enumerate() {
            let module = match instance == self.top {
                true => self.top.to_owned(),
                false => format!("{}${instance}", mutant.block),
            };
            text += &format!("rename {module} {name}{place}\n");
        }
        text + &format!("proc {name}*\n")
    }
}

fn log_name(mutant: &Mutant) -> String {
    format!("mutant-{}.log", mutant.number)
}

/// True if all instances of a module were checked and each was proved to be equivalent.
fn proved(log: &str, instances: usize) -> bool {
    let count = |text| log.matches(text).count();
    instances > 0 && log.contains(END) && count(ASKED) == instances && count(PROVED) == instances
}

/// The message of Yosys for a mutant that it rejects, such as one with an index that is always out of range.
fn refused(printed: &str) -> Option<String> {
    printed.contains("ERROR: Design elaboration failed").then_some(())?;
    printed.lines().find_map(|line| line.split_once(": ERROR: ")).map(|(_, text)| text.to_owned())
}

#[cfg(test)]
mod tests;
