// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra mutate`: plants systematic faults in the RTL and measures how many the harness finds.

mod cut;
mod direction;
mod miter;
mod model;
mod nearest;
mod own;
mod plan;
mod pool;
mod prove;
mod said;
mod show;
mod split;
mod step;
mod verdict;
mod verdicts;
mod verify;
mod views;
pub(super) mod worker;
mod yosys;

use std::{
    collections::BTreeSet,
    fs,
    io::{Write, stdout},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use drra_case::output::write_whole;
use drra_mutate::{
    Candidate, Mutant, Summary,
    record::{Found, Journal, Plan, Record, judgements},
    schemata::Purpose,
    summarize,
    worker::{Task, Work},
};

use super::{
    Exit,
    args::MutateArgs,
    build::Build,
    cmd_fuzz,
    console::note,
    error::{CommandError, file, tool, usage},
};
use model::Model;
use plan::Rtl;
use pool::Pool;

pub(super) fn run(a: &MutateArgs, build: &Build) -> Result<Exit, CommandError> {
    let start = Instant::now();
    for fabric in &a.fabric {
        let numbers = fabric.split_once('x').map(|(c, r)| (c.parse::<u8>(), r.parse::<u8>()));
        if !matches!(numbers, Some((Ok(_), Ok(_)))) {
            return Err(usage(format!("--fabric {fabric}: no size"), "write COLUMNSxROWS, as 2x1"));
        }
    }
    let rtl = Rtl::read(Path::new(build.project))?;
    if let (true, Some(folder)) = (a.verdicts, &a.out) {
        return verdicts::run(a, folder, &rtl);
    }
    let (folder, (plan, mutants)) = match (&a.resume, &a.out) {
        (Some(folder), _) => (folder.clone(), plan::stored(folder, &rtl)?),
        (None, Some(folder)) => {
            let drawn = plan::draw(a, &rtl)?;
            plan::store(folder, &drawn.0)?;
            (folder.clone(), drawn)
        }
        (None, None) => return Err(usage("no folder", "name one with --out")),
    };
    if mutants.is_empty() {
        writeln!(stdout(), "no mutants: nothing to try")?;
        return Ok(Exit::Agreed);
    }
    let (journal, records) = Journal::open(&folder).map_err(tool)?;
    let stop = cmd_fuzz::interrupt();
    let mut run = Run {
        a,
        rtl: &rtl,
        folder: &folder,
        plan: &plan,
        mutants: &mutants,
        journal,
        records,
        stop,
    };
    run.all()?;
    let summary = run.publish(start.elapsed().as_secs_f64())?;
    show::print(&summary, &folder)?;
    if run.stopped() {
        writeln!(stdout(), "interrupted; go on with: drra mutate --resume {}", folder.display())?;
    }
    if !summary.deviating.is_empty() {
        return Err(tool(format!(
            "mutants differ from single builds: {}",
            summary.deviating.join("; ")
        )));
    }
    let below = a.at_least.is_some_and(|least| summary.score < least);
    let elsewhere = show::elsewhere(&plan, &run.records)?;
    for text in &elsewhere {
        writeln!(stdout(), "{text}")?;
    }
    let missed = plan.saved.is_some() && summary.total.killed < plan.mutants.len() as u64;
    let missed = missed || !elsewhere.is_empty();
    Ok(if below || missed { Exit::Mismatch } else { Exit::Agreed })
}

/// A run of mutants.
struct Run<'a> {
    a: &'a MutateArgs,
    rtl: &'a Rtl,
    folder: &'a Path,
    plan: &'a Plan,
    mutants: &'a [Candidate],
    journal: Journal,
    records: Vec<Record>,
    stop: Arc<AtomicBool>,
}

impl Run<'_> {
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn found(&mut self, mutant: u32, fabric: &str, found: Found) -> Result<(), CommandError> {
        let record = Record { mutant, fabric: fabric.to_owned(), found };
        self.journal.append(&record).map_err(tool)?;
        self.records.push(record);
        Ok(())
    }

    /// Mutants about which nothing was found that fits.
    fn without(&self, fits: &dyn Fn(&Record) -> bool) -> Vec<Candidate> {
        let known: BTreeSet<u32> =
            self.records.iter().filter(|r| fits(r)).map(|r| r.mutant).collect();
        let open = self.mutants.iter().filter(|c| !known.contains(&c.mutant.number));
        open.cloned().collect()
    }

    /// Everything that is not done yet.
    fn all(&mut self) -> Result<(), CommandError> {
        let saved = self.plan.saved.is_some();
        for (place, fabric) in self.plan.fabrics.iter().enumerate() {
            self.kill(fabric)?;
            // On a larger fabric only those run that may differ.
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
            self.probe(fabric)?;
        }
        if let Some(fabric) = self.plan.fabrics.first() {
            self.verify(fabric)?;
            self.direction(fabric)?;
        }
        Ok(())
    }

    /// A model that behaves as the mutants.
    fn behaving(
        &self,
        mutants: &[Candidate],
        fabric: &str,
    ) -> Result<(Model, PathBuf), CommandError> {
        self.model(mutants, Purpose::Behave, fabric)
    }

    fn model(
        &self,
        mutants: &[Candidate],
        purpose: Purpose,
        fabric: &str,
    ) -> Result<(Model, PathBuf), CommandError> {
        let name = match purpose {
            Purpose::Behave => fabric.to_owned(),
            Purpose::Probe => format!("{fabric}-probe"),
        };
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder)
            .map_err(|e| file(&folder, e, "name a folder that can be written"))?;
        note!("building a model of {fabric} with {} mutants", mutants.len());
        let start = Instant::now();
        let model = model::build(self.rtl, mutants, purpose, fabric, &folder)?;
        note!("built in {:.0} s", start.elapsed().as_secs_f64());
        Ok((model, folder))
    }

    /// Runs the mutants that nothing has killed yet on a fabric.
    fn kill(&mut self, fabric: &str) -> Result<(), CommandError> {
        let open = self.without(&|r| match &r.found {
            Found::Killed(_) | Found::Illegal { .. } | Found::Equivalent { .. } => true,
            Found::Survived { .. } => r.fabric == fabric,
            _ => false,
        });
        if open.is_empty() || self.stopped() {
            return Ok(());
        }
        let (model, _) = self.behaving(&open, fabric)?;
        for (number, message) in &model.illegal {
            self.found(*number, fabric, Found::Illegal { message: message.clone() })?;
        }
        self.original(&model)?;
        let tasks = open.iter().filter(|c| model.slot(c.mutant.number) > 0);
        let tasks = tasks.map(|c| (c.mutant.number, self.task(&model, c.mutant.number))).collect();
        self.run_tasks(&model.program, tasks, fabric, &|found| found)
    }

    /// What kills a mutant: its saved case, or the campaign.
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
    ) -> Result<(), CommandError> {
        let (all, stop) = (tasks.len(), Arc::clone(&self.stop));
        let mut results = Vec::new();
        let (mut done, mut left) = (0, 0);
        {
            // The journal is written as results come in; the pool borrows the rest.
            let Run { journal, .. } = self;
            let mut append = |mutant: u32, found: Found| -> Result<(), CommandError> {
                let found = translate(found);
                done += 1;
                left += usize::from(matches!(found, Found::Survived { .. }));
                if done % 100 == 0 || done == all {
                    note!("{fabric}: {done} of {all} mutants, {left} survive");
                }
                let record = Record { mutant, fabric: fabric.to_owned(), found };
                journal.append(&record).map_err(tool)?;
                results.push(record);
                Ok(())
            };
            let pool = pool(self.a, self.plan, program, &stop);
            pool.run(tasks, &mut append)?;
        }
        self.records.append(&mut results);
        Ok(())
    }

    /// Sees that the model without a mutant behaves as the golden model does, with which the original agrees.
    fn original(&self, model: &Model) -> Result<(), CommandError> {
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
        pool(self.a, self.plan, &model.program, &self.stop).run(tasks, &mut |_, found| match found {
            Found::Killed(k) => Err(tool(format!(
                "the model with mutants differs without one, in case {}: {}; `drra fuzz --profile {} \
                 --seed {}` tells whether the original does",
                k.case, k.signature, self.plan.profile, self.plan.seed
            ))),
            _ => Ok(()),
        })
    }

    /// Proves survivors to be equal to the original, where they are.
    fn prove(&mut self, fabric: &str) -> Result<(), CommandError> {
        let open = self.without(&|r| {
            matches!(
                r.found,
                Found::Killed(_)
                    | Found::Illegal { .. }
                    | Found::Equivalent { .. }
                    | Found::NotProved { .. }
            )
        });
        if open.is_empty() || self.stopped() {
            return Ok(());
        }
        note!("comparing {} survivors with the original by proof", open.len());
        let (start, stop) = (Instant::now(), Arc::clone(&self.stop));
        let prover = prove::Prover::new(self.rtl, self.folder, fabric, jobs(self.a), &stop)?;
        let mutants: Vec<Mutant> = open.into_iter().map(|c| c.mutant).collect();
        let mut proved = 0;
        prover.prove(&mutants, &mut |number, found| {
            proved += usize::from(matches!(found, Found::Equivalent { .. }));
            self.found(number, fabric, found)
        })?;
        note!("{proved} are equal; {:.0} s", start.elapsed().as_secs_f64());
        Ok(())
    }

    /// Tells of survivors whether they ever differ from the original.
    fn probe(&mut self, fabric: &str) -> Result<(), CommandError> {
        let open = self.without(&|r| {
            matches!(
                r.found,
                Found::Killed(_)
                    | Found::Illegal { .. }
                    | Found::Equivalent { .. }
                    | Found::Activated { .. }
                    | Found::NeverActivated { .. }
            )
        });
        if open.is_empty() || self.stopped() {
            return Ok(());
        }
        let (model, _) = self.model(&open, Purpose::Probe, fabric)?;
        let tasks = open.iter().filter(|c| model.slot(c.mutant.number) > 0);
        let tasks = tasks.map(|c| (c.mutant.number, self.task(&model, c.mutant.number))).collect();
        self.run_tasks(&model.program, tasks, fabric, &|found| match found {
            Found::Killed(k) => Found::Activated { case: k.case },
            Found::Survived { cases } => Found::NeverActivated { cases },
            other => other,
        })
    }

    /// Writes summary, page and JUnit report.
    fn publish(&self, seconds: f64) -> Result<Summary, CommandError> {
        let judgements = judgements(&self.rtl.folder).map_err(tool)?;
        let line = |mutant: &drra_mutate::Mutant| self.rtl.line(mutant);
        let summary = summarize(self.plan, &self.records, &judgements, seconds, &line);
        let source = |name: &str| self.rtl.text(name).to_owned();
        let page = drra_mutate::page(&summary, &source, &nearest::bins);
        let junit = summary.junit(self.a.at_least.unwrap_or(0.0));
        for (name, text) in
            [("summary.json", summary.to_json()), ("index.html", page), ("junit.xml", junit)]
        {
            let path = self.folder.join(name);
            let remedy = "name a folder that can be written";
            write_whole(&path, text.as_bytes()).map_err(|e| file(&path, e, remedy))?;
        }
        Ok(summary)
    }
}

/// Processes at a time.
fn jobs(a: &MutateArgs) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    a.jobs.map_or_else(cores, |jobs| jobs as usize)
}

/// Workers for a program with mutants.
fn pool<'p>(a: &MutateArgs, plan: &'p Plan, program: &'p Path, stop: &'p AtomicBool) -> Pool<'p> {
    Pool {
        program,
        profile: &plan.profile,
        seed: plan.seed,
        directed: true,
        jobs: jobs(a),
        watchdog: a.watchdog.into(),
        stop,
    }
}
