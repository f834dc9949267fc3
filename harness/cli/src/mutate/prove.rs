// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proves mutants to be equal to the original: the module of the mutant and the original get the same inputs,
//! the same registers and the same outputs of their instances, and Yosys proves that all outputs, all next
//! values of registers and all inputs of instances are the same then. Where that fails, the modules around it
//! are compared in the same way, with its instances in them: what never reaches it cannot show it. And where
//! that fails, too, states are left out to which no step leads.

use std::{
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Duration,
};

use drra_mutate::{Mutant, record::Found};

use super::{
    cut::{CHECK, CUT, JOIN, WIRE, WIRE_FILE},
    miter::{FLATTEN, Miter, ONLY_TRIGGER, Question, SIMPLIFY, ask},
    own,
    plan::Rtl,
    said::{BEGINS, ENDS, compared, proofs, proved, refused, timed_out},
    split, step,
    views::{View, views},
    yosys::Yosys,
};
use crate::error::{CommandError, file};

/// Folder of the proofs, below that of the run.
const FOLDER: &str = "proofs";
/// How long a plain comparison may have the processor, and a proof in another way, with what is done before the
/// solver is asked.
const PATIENCE: Duration = Duration::from_secs(45);
const MORE_PATIENCE: Duration = Duration::from_secs(120);
/// Mutants for one process of Yosys.
const BATCH: usize = 8;

/// Compares what has been cut.
const COMPARE: &str = "miter -equiv -make_outputs gold gate miter\n";

/// Ways to prove what the plain comparison has not, from the cheapest on: what is asked of two modules in a view,
/// and how it is called in the log that gets the answer.
type Way = fn(&Miter, &View, &str) -> Option<Question>;
const WAYS: [(&str, Way); 3] =
    [(split::NAME, split::question), (own::NAME, own::question), (step::NAME, step::question)];

/// Proves mutants of one design.
pub(super) struct Prover<'a> {
    rtl: &'a Rtl,
    /// Folder of the run, and of the proofs.
    run: PathBuf,
    folder: PathBuf,
    yosys: Yosys,
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
        let prover = Self {
            rtl,
            run: run.to_owned(),
            folder,
            yosys: Yosys::of(&rtl.project)?,
            fabric,
            jobs,
            stop,
        };
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
            // An interrupted run may have left them.
            for name in [shared_name(mutant), apart_name(mutant)] {
                let _ = fs::remove_file(self.folder.join(name));
            }
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
            for mutant in mutants {
                self.further(job, view, mutant)?;
            }
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

    fn log_name(&self, mutant: &Mutant) -> String {
        format!("mutant-{}.log", mutant.number)
    }

    fn log(&self, mutant: &Mutant) -> PathBuf {
        self.folder.join(self.log_name(mutant))
    }

    /// Appends to the log of a mutant.
    fn say(&self, mutant: &Mutant, text: &str) -> Result<(), CommandError> {
        self.write(&self.log_name(mutant), &(self.said(mutant) + text))
    }

    /// What Yosys has said about a mutant.
    fn said(&self, mutant: &Mutant) -> String {
        fs::read_to_string(self.log(mutant)).unwrap_or_default()
    }

    /// Compares mutants with the original in a view. A mutant that Yosys cannot read ends the process; those
    /// after it go to another one.
    fn compare(&self, job: usize, view: &View, mutants: &[&Mutant]) -> Result<(), CommandError> {
        let done = |mutant: &Mutant| compared(&self.said(mutant), view);
        let mut open = mutants.to_vec();
        while !open.is_empty() {
            let ended = || open.iter().filter(|m| done(m)).count();
            let said = self.run(job, &self.script(view, &open), PATIENCE, &ended)?;
            let Some(failed) = open.iter().position(|m| !done(m)) else { return Ok(()) };
            let mutant = open[failed];
            self.say(mutant, &format!("{BEGINS} {}\n{said}\n{ENDS}\n", view.name()))?;
            open.drain(..=failed);
        }
        Ok(())
    }

    /// Tries other ways for a mutant that differs in a view, until one is a proof.
    fn further(&self, job: usize, view: &View, mutant: &Mutant) -> Result<(), CommandError> {
        let Some(miter) = self.miter(view, mutant) else { return Ok(()) };
        let only = std::slice::from_ref(view);
        for (way, question) in WAYS {
            if self.stopped() || proved(&self.said(mutant), only) {
                break;
            }
            if let Some(question) = question(&miter, view, &self.log_name(mutant)) {
                self.answer(job, view, mutant, way, &question)?;
            }
        }
        Ok(())
    }

    /// Lets Yosys answer a question; the log of the mutant gets a section with what it says.
    fn answer(
        &self,
        job: usize,
        view: &View,
        mutant: &Mutant,
        way: &str,
        question: &Question,
    ) -> Result<(), CommandError> {
        let name = format!("mutants/further-{}.il", mutant.number);
        self.write(&name, &question.design)?;
        self.say(mutant, &format!("{BEGINS} {}\n== {way}\n", view.name()))?;
        // A proof that does not hold may end the process.
        let script = format!("read_rtlil {name}\n{}", question.script);
        self.run(job, &script, MORE_PATIENCE, &|| proofs(&self.said(mutant)))?;
        let _ = fs::remove_file(self.folder.join(&name));
        self.say(mutant, &format!("{ENDS}\n"))
    }

    /// The two modules that were compared, which are not kept.
    fn miter(&self, view: &View, mutant: &Mutant) -> Option<Miter> {
        let take = |name: String| {
            let path = self.folder.join(name);
            let text = fs::read_to_string(&path).ok();
            let _ = fs::remove_file(path);
            text
        };
        let shared = take(shared_name(mutant));
        let apart = take(apart_name(mutant)).unwrap_or_default();
        let timed_out = timed_out(&self.said(mutant), view);
        Some(Miter { shared: shared?, apart, timed_out })
    }

    fn script(&self, view: &View, mutants: &[&Mutant]) -> String {
        let mut script =
            self.read(view, None) + &format!("rename {} gold\ndesign -stash a\n", view.top);
        for mutant in mutants {
            let log = self.log_name(mutant);
            // The whole is too large to be kept twice, and too deep to differ within one step.
            let apart = match view.steps {
                1 => format!("write_rtlil {}\n", apart_name(mutant)),
                _ => String::new(),
            };
            script += &format!(
                "{}rename {} gate\ndesign -stash b\ndesign -copy-from a =*\n\
                 design -copy-from b -as gate gate\n{CUT}{CHECK}{JOIN}{COMPARE}{apart}{FLATTEN}{SIMPLIFY}\
                 write_rtlil {}\ntee -a {log} log {BEGINS} {}\n{ONLY_TRIGGER}{}\
                 tee -a {log} log {ENDS}\ndesign -reset\n",
                self.read(view, Some(mutant)),
                view.top,
                shared_name(mutant),
                view.name(),
                ask(&log, "-show-inputs"),
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
    fn run(
        &self,
        job: usize,
        script: &str,
        patience: Duration,
        progress: &dyn Fn() -> usize,
    ) -> Result<String, CommandError> {
        let name = format!("script-{job}.ys");
        self.write(&name, script)?;
        self.yosys.run(&self.folder, &name, patience, progress)
    }
}

/// Files with the two modules that are compared: as one, and each by itself.
fn shared_name(mutant: &Mutant) -> String {
    format!("mutants/{}.il", mutant.number)
}

fn apart_name(mutant: &Mutant) -> String {
    format!("mutants/{}-apart.il", mutant.number)
}

#[cfg(test)]
#[path = "examples.rs"]
mod examples;
