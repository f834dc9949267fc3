// SPDX-License-Identifier: MIT OR Apache-2.0
//! A mutation run: campaigns on the mutants, equivalence proofs of survivors, and the results.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use drra_case::{output::write_whole, shell};

use crate::{
    Candidate, Mutant, MutateError, Rtl, Summary,
    built::PROGRAM,
    error::{WRITABLE, file, tool},
    model::{self, Model},
    page,
    plan::{self, Options},
    pool::Pool,
    prove::Prover,
    record::{Found, Journal, Plan, Record, Verdict, waivers},
    schemata::Purpose,
    summarize,
    worker::{Task, Work},
};

/// The result of a run.
#[derive(Debug)]
pub struct Finished {
    pub plan: Plan,
    pub records: Vec<Record>,
    pub summary: Summary,
}

/// Makes the plan of a run or reads the plan of a resumed run, does the remaining work, and writes the results into the
/// folder. `stop` ends the run cleanly; `note` receives lines of progress.
///
/// # Errors
/// If the sources, the folder or a tool cannot be used, or the model without a mutant differs from the golden model.
pub fn run(
    project: &Path,
    folder: &Path,
    resume: bool,
    options: &Options,
    stop: &AtomicBool,
    note: &dyn Fn(&str),
) -> Result<Finished, MutateError> {
    let start = Instant::now();
    let rtl = &Rtl::read(project)?;
    let (plan, mutants) = if resume {
        plan::stored(folder, rtl)?
    } else {
        let drawn = plan::draw(options, rtl)?;
        plan::store(folder, &drawn.0)?;
        drawn
    };
    let (journal, records) = Journal::open(folder)?;
    let (plan, mutants) = (&plan, mutants.as_slice());
    let mut run = Run { options, rtl, folder, plan, mutants, journal, records, stop, note };
    run.all()?;
    let summary = run.publish(start.elapsed().as_secs_f64())?;
    Ok(Finished { plan: plan.clone(), records: run.records, summary })
}

/// A mutation run.
struct Run<'a> {
    options: &'a Options,
    rtl: &'a Rtl,
    folder: &'a Path,
    plan: &'a Plan,
    mutants: &'a [Candidate],
    journal: Journal,
    records: Vec<Record>,
    stop: &'a AtomicBool,
    note: &'a dyn Fn(&str),
}

impl Run<'_> {
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn found(&mut self, mutant: u32, fabric: &str, found: Found) -> Result<(), MutateError> {
        let record = Record { mutant, fabric: fabric.to_owned(), found };
        self.journal.append(&record)?;
        self.records.push(record);
        Ok(())
    }

    /// Mutants without a matching result.
    fn without(&self, fits: &dyn Fn(&Record) -> bool) -> Vec<Candidate> {
        let known: BTreeSet<u32> =
            self.records.iter().filter(|r| fits(r)).map(|r| r.mutant).collect();
        let open = self.mutants.iter().filter(|c| !known.contains(&c.mutant.number));
        open.cloned().collect()
    }

    /// Does all remaining work.
    fn all(&mut self) -> Result<(), MutateError> {
        let saved = self.plan.saved.is_some();
        for (place, fabric) in self.plan.fabrics.iter().enumerate() {
            self.kill(fabric)?;
            // Mutants that have been proved equivalent are not retried on a larger fabric.
            if place == 0
                && !saved
                && let Some(largest) = self.plan.fabrics.last()
            {
                self.prove(largest)?;
            }
        }
        if saved {
            return Ok(());
        }
        if let Some(fabric) = self.plan.fabrics.last() {
            self.against_chapters(fabric)?;
            self.probe(fabric)?;
        }
        Ok(())
    }

    fn model(
        &self,
        mutants: &[Candidate],
        purpose: Purpose,
        fabric: &str,
    ) -> Result<Model, MutateError> {
        let name = match purpose {
            Purpose::Behave => fabric.to_owned(),
            Purpose::Probe => format!("{fabric}-probe"),
        };
        (self.note)(&format!(
            "building the model of fabric {fabric} with {} mutants",
            mutants.len()
        ));
        let start = Instant::now();
        let folder = self.folder.join(name);
        let model = model::build(self.rtl, mutants, purpose, fabric, &folder, PROGRAM)?;
        (self.note)(&format!("built in {:.0} s", start.elapsed().as_secs_f64()));
        Ok(model)
    }

    /// Runs the remaining mutants on a fabric size.
    fn kill(&mut self, fabric: &str) -> Result<(), MutateError> {
        let open = self.without(&|r| match &r.found {
            Found::Survived { .. } => r.fabric == fabric,
            found => found.is_final(),
        });
        if open.is_empty() || self.stopped() {
            return Ok(());
        }
        let model = self.model(&open, Purpose::Behave, fabric)?;
        for (number, message) in &model.illegal {
            self.found(*number, fabric, Found::Illegal { message: message.clone() })?;
        }
        self.original(&model)?;
        let tasks = open.iter().filter(|c| model.slot(c.mutant.number) > 0);
        let tasks = tasks.map(|c| (c.mutant.number, self.task(&model, c.mutant.number))).collect();
        self.run_tasks(&model.program, tasks, fabric, &|found| found)
    }

    /// The task for a mutant: its regression case, or the campaign.
    fn task(&self, model: &Model, number: u32) -> Task {
        let work = match &self.plan.saved {
            Some(cases) => Work::File(cases[number as usize - 1].clone()),
            None => Work::Campaign { first: 0, end: self.plan.cases },
        };
        Task { slot: model.slot(number), work }
    }

    fn run_tasks(
        &mut self,
        program: &Path,
        tasks: Vec<(u32, Task)>,
        fabric: &str,
        translate: &dyn Fn(Found) -> Found,
    ) -> Result<(), MutateError> {
        let (all, mut done, mut left) = (tasks.len(), 0, 0);
        let note = self.note;
        pool(self.options, self.plan, program, self.stop).run(tasks, &mut |mutant, found| {
            let found = translate(found);
            done += 1;
            left += usize::from(matches!(found, Found::Survived { .. }));
            if done % 100 == 0 || done == all {
                note(&format!("{fabric}: {done} of {all} mutants run, {left} survived"));
            }
            self.found(mutant, fabric, found)
        })
    }

    /// Checks that the model agrees with the golden model when no mutant is selected.
    fn original(&self, model: &Model) -> Result<(), MutateError> {
        let work = match &self.plan.saved {
            Some(cases) => cases.iter().map(|case| Work::File(case.clone())).collect(),
            None => {
                let (cases, jobs) = (self.plan.cases, 8);
                let part = |job| cases * job / jobs;
                (0..jobs)
                    .map(|j| Work::Campaign { first: part(j), end: part(j + 1) })
                    .collect::<Vec<_>>()
            }
        };
        let tasks = work.into_iter().map(|work| (0, Task { slot: 0, work })).collect();
        pool(self.options, self.plan, &model.program, self.stop).run(tasks, &mut |_, found| match found {
            Found::Killed(k) => Err(tool(format!(
                "the model disagrees with the golden model although no mutant is selected, in case {}: {}; check the \
                 original RTL with `drra fuzz --profile {} --seed {}`",
                k.case, k.signature, shell::word(&self.plan.profile), self.plan.seed
            ))),
            _ => Ok(()),
        })
    }

    /// Tries to prove that survivors are equivalent to the original.
    fn prove(&mut self, fabric: &str) -> Result<(), MutateError> {
        let open = self.without(&|r| {
            r.found.is_final() || differs(&r.found) || matches!(r.found, Found::NotProved { .. })
        });
        if open.is_empty() || self.stopped() {
            return Ok(());
        }
        self.rtl.tools.prepare(self.note)?;
        (self.note)(&format!("trying to prove {} survivors equivalent", open.len()));
        let start = Instant::now();
        let prover = Prover::new(self.rtl, self.folder, fabric, self.options.jobs, self.stop)?;
        let mutants: Vec<Mutant> = open.into_iter().map(|c| c.mutant).collect();
        let (mut proved, mut undecided) = (0, 0);
        prover.prove(&mutants, &mut |number, found| {
            proved += usize::from(matches!(found, Found::Equivalent { .. }));
            undecided += usize::from(matches!(found, Found::NotDecided { .. }));
            self.found(number, fabric, found)
        })?;
        let seconds = start.elapsed().as_secs_f64();
        (self.note)(&format!(
            "{proved} proved equivalent, {undecided} undecided in {seconds:.0} s"
        ));
        Ok(())
    }

    /// Compares survivors with the chapters.
    fn against_chapters(&mut self, fabric: &str) -> Result<(), MutateError> {
        let open = self.without(&|r| r.found.is_final() || differs(&r.found));
        if open.is_empty() || self.stopped() {
            return Ok(());
        }
        self.rtl.tools.prepare(self.note)?;
        (self.note)(&format!("comparing {} survivors with the chapters", open.len()));
        let start = Instant::now();
        let prover = Prover::new(self.rtl, self.folder, fabric, self.options.jobs, self.stop)?;
        let mut counts = [0; 3];
        for Candidate { mutant, .. } in &open {
            let found = prover.against_chapter(mutant)?;
            if self.stopped() {
                break;
            }
            if let Found::Chapter { verdict, .. } = &found {
                counts[*verdict as usize] += 1;
            }
            self.found(mutant.number, fabric, found)?;
        }
        let ([proved, differ, undecided], seconds) = (counts, start.elapsed().as_secs_f64());
        (self.note)(&format!(
            "{proved} proved against the chapters, {differ} differ from them, {undecided} undecided in {seconds:.0} s"
        ));
        Ok(())
    }

    /// Finds out whether survivors were ever activated.
    fn probe(&mut self, fabric: &str) -> Result<(), MutateError> {
        let open = self.without(&|r| {
            r.found.is_final()
                || matches!(r.found, Found::Activated { .. } | Found::NeverActivated { .. })
        });
        if open.is_empty() || self.stopped() {
            return Ok(());
        }
        let model = self.model(&open, Purpose::Probe, fabric)?;
        let tasks = open.iter().filter(|c| model.slot(c.mutant.number) > 0);
        let tasks = tasks.map(|c| (c.mutant.number, self.task(&model, c.mutant.number))).collect();
        self.run_tasks(&model.program, tasks, fabric, &|found| match found {
            Found::Killed(k) => Found::Activated { case: k.case },
            Found::Survived { cases } => Found::NeverActivated { cases },
            other => other,
        })
    }

    /// Writes summary, page and JUnit report.
    fn publish(&self, seconds: f64) -> Result<Summary, MutateError> {
        let waivers = waivers(&self.rtl.folder)?;
        let line = |mutant: &Mutant| self.rtl.line(mutant);
        let project = self.rtl.project.display().to_string();
        let summary = summarize(self.plan, &self.records, &waivers, seconds, &line);
        let summary = Summary { project, ..summary };
        let page = page::page(&summary, &|name| self.rtl.design.text(name).to_owned());
        let junit = summary.junit(self.options.min_score);
        for (name, text) in
            [("summary.json", summary.to_json()), ("index.html", page), ("junit.xml", junit)]
        {
            let path = self.folder.join(name);
            write_whole(&path, text.as_bytes()).map_err(|e| file(&path, e, WRITABLE))?;
        }
        Ok(summary)
    }
}

/// True for a mutant that differs from its chapter.
fn differs(found: &Found) -> bool {
    matches!(found, Found::Chapter { verdict: Verdict::Differs, .. })
}

/// The worker pool for a program with mutants.
fn pool<'p>(
    options: &Options,
    plan: &'p Plan,
    program: &'p Path,
    stop: &'p AtomicBool,
) -> Pool<'p> {
    let Options { jobs, watchdog, memory, .. } = *options;
    Pool { program, profile: &plan.profile, seed: plan.seed, jobs, watchdog, memory, stop }
}
