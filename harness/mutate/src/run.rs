// SPDX-License-Identifier: MIT OR Apache-2.0
//! A mutation run: campaigns on the mutants, equivalence proofs of survivors, and the results.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use drra_files::{shell, write_whole};

use crate::{
    Bug, Mutant, MutantCandidate, MutateError, MutationSummary, RtlProject,
    built::PROGRAM,
    error::{WRITABLE, file, tool},
    model, page,
    plan::{self, MutationOptions},
    pool::Pool,
    prove::Prover,
    record::{JournalRecord, MutantResult, MutationJournal, MutationPlan, ProofVerdict, waivers},
    schemata::MutantEffect,
    summarize,
    worker::{MutantTask, TaskCases},
};

/// The result of a run.
#[derive(Debug)]
pub struct RunResult {
    pub plan: MutationPlan,
    pub records: Vec<JournalRecord>,
    pub summary: MutationSummary,
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
    options: &MutationOptions,
    stop: &AtomicBool,
    note: &dyn Fn(&str),
) -> Result<RunResult, MutateError> {
    let start = Instant::now();
    let rtl = &RtlProject::read(project)?;
    let (plan, mutants) = if resume {
        plan::stored(folder, rtl)?
    } else {
        let drawn = plan::draw(options, rtl)?;
        plan::store(folder, &drawn.0)?;
        drawn
    };
    let (journal, records) = MutationJournal::open(folder)?;
    let (plan, mutants) = (&plan, mutants.as_slice());
    let mut run = MutationRun { options, rtl, folder, plan, mutants, journal, records, stop, note };
    run.all()?;
    let summary = run.publish(start.elapsed().as_secs_f64())?;
    Ok(RunResult { plan: plan.clone(), records: run.records, summary })
}

/// A mutation run.
struct MutationRun<'a> {
    options: &'a MutationOptions,
    rtl: &'a RtlProject,
    folder: &'a Path,
    plan: &'a MutationPlan,
    mutants: &'a [MutantCandidate],
    journal: MutationJournal,
    records: Vec<JournalRecord>,
    stop: &'a AtomicBool,
    note: &'a dyn Fn(&str),
}

impl<'a> MutationRun<'a> {
    fn found(&mut self, mutant: u32, fabric: &str, found: MutantResult) -> Result<(), MutateError> {
        let record = JournalRecord { mutant, fabric: fabric.to_owned(), found };
        self.journal.append(&record)?;
        self.records.push(record);
        Ok(())
    }

    /// Mutants without a matching result; none once the run has been told to stop.
    fn without(&self, fits: &dyn Fn(&JournalRecord) -> bool) -> Vec<MutantCandidate> {
        let known: BTreeSet<u32> =
            self.records.iter().filter(|r| fits(r)).map(|r| r.mutant).collect();
        let open = self.mutants.iter().filter(|c| !known.contains(&c.mutant.number));
        open.filter(|_| !self.stop.load(Ordering::Relaxed)).cloned().collect()
    }

    /// Does all remaining work.
    fn all(&mut self) -> Result<(), MutateError> {
        if self.plan.is_of_bugs() {
            return self.bugs();
        }
        let Some(largest) = self.plan.fabrics.last() else { return Ok(()) };
        for (place, fabric) in self.plan.fabrics.iter().enumerate() {
            self.campaign(MutantEffect::Behave, fabric)?;
            // Mutants that have been proved equivalent are not retried on a larger fabric.
            if place == 0 && self.plan.saved.is_none() {
                self.prove(false, largest)?;
            }
        }
        if self.plan.saved.is_some() {
            return Ok(());
        }
        self.prove(true, largest)?;
        self.campaign(MutantEffect::Probe, largest)
    }

    /// Runs the remaining mutants on a fabric size, or finds out whether survivors were ever activated.
    fn campaign(&mut self, purpose: MutantEffect, fabric: &str) -> Result<(), MutateError> {
        let open = self.without(&|r| match (purpose, &r.found) {
            (MutantEffect::Behave, MutantResult::Survived { .. }) => r.fabric == fabric,
            (
                MutantEffect::Probe,
                MutantResult::Activated { .. } | MutantResult::NeverActivated { .. },
            ) => true,
            (_, found) => found.is_final(),
        });
        if open.is_empty() {
            return Ok(());
        }
        let name = match purpose {
            MutantEffect::Behave => fabric.to_owned(),
            MutantEffect::Probe => format!("{fabric}-probe"),
        };
        let (note, count) = (self.note, open.len());
        note(&format!("building the model of fabric {fabric} with {count} mutants"));
        let (start, folder) = (Instant::now(), self.folder.join(name));
        let model = model::build(self.rtl, &open, purpose, fabric, &folder, PROGRAM)?;
        note(&format!("built in {:.0} s", start.elapsed().as_secs_f64()));
        let pool = self.pool(&model.program);
        if purpose == MutantEffect::Behave {
            for (number, message) in &model.illegal {
                self.found(*number, fabric, MutantResult::Illegal { message: message.clone() })?;
            }
            let saved = self.plan.saved.iter().flatten().cloned().map(TaskCases::File);
            let saved = Vec::from_iter(saved);
            self.original(&pool, if saved.is_empty() { self.in_parts() } else { saved })?;
        }
        let cases = || TaskCases::Campaign { first: 0, end: self.plan.cases };
        let saved = self.plan.saved.as_ref();
        let tasks = open.iter().map(|c| c.mutant.number).map(|number| {
            let work =
                saved.map_or_else(cases, |s| TaskCases::File(s[number as usize - 1].clone()));
            (number, MutantTask { slot: model.slot(number), work })
        });
        let tasks: Vec<_> = tasks.filter(|(_, task)| task.slot > 0).collect();
        let (all, mut done, mut left) = (tasks.len(), 0, 0);
        pool.run(tasks, &mut |mutant, found| {
            let found = match found {
                MutantResult::Killed(k) if purpose == MutantEffect::Probe => {
                    MutantResult::Activated { case: k.case }
                }
                MutantResult::Survived { cases } if purpose == MutantEffect::Probe => {
                    MutantResult::NeverActivated { cases }
                }
                found => found,
            };
            done += 1;
            left += usize::from(matches!(found, MutantResult::Survived { .. }));
            if done % 100 == 0 || done == all {
                note(&format!("{fabric}: {done} of {all} mutants run, {left} survived"));
            }
            self.found(mutant, fabric, found)
        })
    }

    /// The workers of a program.
    fn pool<'p>(&self, program: &'p Path) -> Pool<'p>
    where
        'a: 'p,
    {
        let MutationOptions { jobs, watchdog, memory, .. } = *self.options;
        let (profile, seed) = (&self.plan.profile, self.plan.seed);
        Pool { program, profile, seed, jobs, watchdog, memory, stop: self.stop }
    }

    /// The campaign in parts, which can run in parallel.
    fn in_parts(&self) -> Vec<TaskCases> {
        let (cases, jobs) = (self.plan.cases, 8);
        let part = |job| cases * job / jobs;
        (0..jobs).map(|j| TaskCases::Campaign { first: part(j), end: part(j + 1) }).collect()
    }

    /// Runs the remaining published bugs, each in its own model: first the witness, then the campaign.
    fn bugs(&mut self) -> Result<(), MutateError> {
        let done = |r: &JournalRecord| {
            r.found.is_final() || matches!(r.found, MutantResult::Survived { .. })
        };
        let open = self.without(&done);
        let bug = |c: &MutantCandidate| c.mutant.bug.clone();
        let open: Vec<(u32, Bug)> =
            open.iter().filter_map(|c| Some((c.mutant.number, bug(c)?))).collect();
        // A patch that no longer applies is reported before anything is built.
        for (_, bug) in &open {
            bug.plant(&self.rtl.folder, &self.folder.join(bug.name()))?;
        }
        let (note, of_all) = (self.note, self.plan.mutants.len());
        let fabrics: BTreeSet<&str> = open.iter().map(|(_, bug)| bug.fabric.as_str()).collect();
        for fabric in fabrics {
            note(&format!("building the model of fabric {fabric} without a bug"));
            let folder = self.folder.join(fabric);
            self.rtl.copy(&folder.join("rtl"))?;
            let program = model::build_one(self.rtl, fabric, &folder)?;
            let of_size = open.iter().filter(|(_, bug)| bug.fabric == fabric);
            let witnesses = of_size.filter_map(|(_, bug)| bug.witness.clone().map(TaskCases::File));
            self.original(&self.pool(&program), witnesses.chain(self.in_parts()).collect())?;
            let _ = fs::remove_file(&program);
        }
        for (number, bug) in open {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let folder = self.folder.join(bug.name());
            let program = model::build_one(self.rtl, &bug.fabric, &folder)?;
            let witness = bug.witness.clone().map(|path| (0, TaskCases::File(path)));
            let campaign = (number, TaskCases::Campaign { first: 0, end: self.plan.cases });
            let tasks = witness.into_iter().chain([campaign]);
            let tasks = tasks.map(|(task, work)| (task, MutantTask { slot: 0, work })).collect();
            let mut all = Vec::new();
            self.pool(&program).run(tasks, &mut |task, found| {
                all.push((task, found));
                Ok(())
            })?;
            for (task, found) in all {
                let found = match found {
                    MutantResult::Killed(k) if task == 0 => {
                        MutantResult::Witness { found: Some(k) }
                    }
                    _ if task == 0 => MutantResult::Witness { found: None },
                    MutantResult::Killed(k) => {
                        let needed = format!("found within {} cases", k.case + 1);
                        note(&format!("{} of {of_all}: {}: {needed}", number, bug.name()));
                        MutantResult::Killed(k)
                    }
                    found => {
                        note(&format!("{} of {of_all}: {}: not found", number, bug.name()));
                        found
                    }
                };
                self.found(number, &bug.fabric, found)?;
            }
            let _ = fs::remove_file(&program);
        }
        Ok(())
    }

    /// Checks that the model agrees with the golden model when no mutant is selected.
    fn original(&self, pool: &Pool<'_>, work: Vec<TaskCases>) -> Result<(), MutateError> {
        let tasks = work.into_iter().map(|work| (0, MutantTask { slot: 0, work })).collect();
        pool.run(tasks, &mut |_, found| match found {
            MutantResult::Killed(k) => Err(tool(format!(
                "the model disagrees with the golden model although no mutant is selected, in case {}: {}; check the \
                 original RTL with `drra fuzz --profile {} --seed {}`",
                k.case, k.signature, shell::word(&self.plan.profile), self.plan.seed
            ))),
            _ => Ok(()),
        })
    }

    /// Tries to prove that survivors are equivalent to the original, or to the chapters.
    fn prove(&mut self, chapters: bool, fabric: &str) -> Result<(), MutateError> {
        let open = self.without(&|r| match r.found {
            MutantResult::Chapter { verdict: ProofVerdict::Differs, .. } => true,
            MutantResult::NotProved { .. } => !chapters,
            _ => r.found.is_final(),
        });
        if open.is_empty() {
            return Ok(());
        }
        self.rtl.tools.prepare(self.note)?;
        let (note, count) = (self.note, open.len());
        note(&match chapters {
            true => format!("comparing {count} survivors with the chapters"),
            false => format!("trying to prove {count} survivors equivalent"),
        });
        let start = Instant::now();
        let prover = Prover::new(self.rtl, self.folder, fabric, self.options.jobs, self.stop)?;
        let mutants: Vec<Mutant> = open.into_iter().map(|c| c.mutant).collect();
        let [mut proved, mut undecided, mut differ] = [0; 3];
        let mut tell = |number, found| {
            match &found {
                MutantResult::Equivalent { .. }
                | MutantResult::Chapter { verdict: ProofVerdict::Equal, .. } => {
                    proved += 1;
                }
                MutantResult::NotDecided { .. }
                | MutantResult::Chapter { verdict: ProofVerdict::NotDecided, .. } => {
                    undecided += 1;
                }
                _ => differ += 1,
            }
            self.found(number, fabric, found)
        };
        match chapters {
            true => prover.against_chapters(&mutants, &mut tell)?,
            false => prover.prove(&mutants, &mut tell)?,
        }
        let proved = match chapters {
            true => format!("{proved} proved against the chapters, {differ} differ from them"),
            false => format!("{proved} proved equivalent"),
        };
        let seconds = start.elapsed().as_secs_f64();
        note(&format!("{proved}, {undecided} undecided in {seconds:.0} s"));
        Ok(())
    }

    /// Writes summary, page and JUnit report.
    fn publish(&self, seconds: f64) -> Result<MutationSummary, MutateError> {
        let waivers = waivers(&self.rtl.folder)?;
        let line = |mutant: &Mutant| self.rtl.design.line(mutant);
        let project = self.rtl.project.display().to_string();
        let summary = summarize(self.plan, &self.records, &waivers, seconds, &line);
        let summary = MutationSummary { project, ..summary };
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
