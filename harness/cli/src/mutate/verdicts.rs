// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra mutate --verdicts`: how often a report names the right block and instruction. Of each module some
//! mutants are planted; every failing case of each is explained, and the module of the mutant has to be one of
//! the files that the report tells to look at.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{Write, stdout},
    path::Path,
};

use drra_case::output::write_whole;
use drra_mutate::{
    Candidate, Mutant, candidates, order,
    record::{Found, PLAN_VERSION, Plan},
    schemata::Purpose,
    worker::{Task, Verdict, Work},
};
use serde::Serialize;
use tabled::builder::Builder;

use super::{
    model,
    plan::{Rtl, faults},
    pool,
};
use crate::{
    Exit,
    args::MutateArgs,
    cmd_fuzz,
    console::note,
    error::{CommandError, file, usage},
};

/// Mutants of a module that are tried, so that some are left of those that fail.
const TRIED: usize = 5;
/// Failing mutants of a module that count.
const COUNTED: usize = 2;
/// Share of the failing cases whose block has to be right, in percent.
const BLOCKS: f64 = 95.0;
/// Share of those whose instruction has to be right.
const INSTRUCTIONS: f64 = 90.0;

/// A mutant with what was said about its failing cases.
#[derive(Serialize)]
struct Judged {
    mutant: Mutant,
    verdicts: Vec<Verdict>,
}

impl Judged {
    fn is_right(&self, verdict: &Verdict) -> bool {
        verdict.modules.contains(&self.mutant.block)
    }
}

/// Sums over failing cases.
#[derive(Default, Serialize)]
struct Sums {
    mutants: usize,
    cases: usize,
    blocks: usize,
    instructions: usize,
    /// Another block is named, and nothing warns of that.
    wrong: usize,
}

impl Sums {
    fn add(&mut self, judged: &Judged) {
        self.mutants += 1;
        for v in &judged.verdicts {
            let right = judged.is_right(v);
            self.cases += 1;
            self.blocks += usize::from(right);
            self.instructions += usize::from(v.causal);
            self.wrong += usize::from(!right && !v.hedged);
        }
    }

    fn share(&self, of: usize) -> f64 {
        100.0 * of as f64 / self.cases.max(1) as f64
    }
}

pub(super) fn run(a: &MutateArgs, folder: &Path, rtl: &Rtl) -> Result<Exit, CommandError> {
    let fabric = a.fabric.first().ok_or_else(|| usage("no fabric", "name one with --fabric"))?;
    let mutants = drawn(a, rtl)?;
    let remedy = "name a folder that can be written";
    fs::create_dir_all(folder).map_err(|e| file(folder, e, remedy))?;
    note!("building a model of {fabric} with {} mutants", mutants.len());
    let model = model::build(rtl, &mutants, Purpose::Behave, fabric, folder)?;
    let plan = Plan {
        version: PLAN_VERSION,
        seed: a.seed,
        profile: a.profile.clone(),
        cases: a.cases,
        fabrics: vec![fabric.clone()],
        mutants: mutants.iter().map(|c| c.mutant.clone()).collect(),
        saved: None,
    };
    let tasks = mutants.iter().map(|c| c.mutant.number).filter(|n| model.slot(*n) > 0);
    let work = Work::Verdicts { first: 0, end: a.cases };
    let tasks = tasks.map(|n| (n, Task { slot: model.slot(n), work: work.clone() })).collect();
    let mut said: BTreeMap<u32, Vec<Verdict>> = BTreeMap::new();
    let stop = cmd_fuzz::interrupt();
    pool(a, &plan, &model.program, &stop).run(tasks, &mut |number, found| {
        if let Found::Verdicts(verdicts) = found {
            said.insert(number, verdicts);
        }
        Ok(())
    })?;
    let judged = counted(mutants, &mut said);
    let sums = print(&judged)?;
    let path = folder.join("verdicts.json");
    let text = serde_json::to_string_pretty(&(&sums, &judged)).unwrap_or_default();
    write_whole(&path, text.as_bytes()).map_err(|e| file(&path, e, remedy))?;
    let enough = sums.share(sums.blocks) >= BLOCKS && sums.share(sums.instructions) >= INSTRUCTIONS;
    Ok(if enough && sums.wrong == 0 { Exit::Agreed } else { Exit::Mismatch })
}

/// Of each module the first mutants of different operators, without the faults of the saved cases.
fn drawn(a: &MutateArgs, rtl: &Rtl) -> Result<Vec<Candidate>, CommandError> {
    let saved: BTreeSet<[usize; 2]> = faults(rtl)?.0.iter().map(|c| c.mutant.bytes).collect();
    let all = candidates(&rtl.design);
    let mut operators: BTreeMap<&str, BTreeSet<_>> = BTreeMap::new();
    let mut chosen = Vec::new();
    for candidate in order(&all, a.seed).into_iter().map(|place| &all[place]) {
        let m = &candidate.mutant;
        let wanted = a.blocks.is_empty() || a.blocks.contains(&m.block);
        let used = operators.entry(&m.block).or_default();
        if wanted && !saved.contains(&m.bytes) && used.len() < TRIED && used.insert(m.operator) {
            chosen.push(candidate.clone());
        }
    }
    chosen.sort_by_key(Candidate::by_place);
    for (place, candidate) in chosen.iter_mut().enumerate() {
        candidate.mutant.number = place as u32 + 1;
    }
    Ok(chosen)
}

/// Of each module the first mutants that fail.
fn counted(mutants: Vec<Candidate>, said: &mut BTreeMap<u32, Vec<Verdict>>) -> Vec<Judged> {
    let mut of_module: BTreeMap<String, usize> = BTreeMap::new();
    let mut judged = Vec::new();
    for mutant in mutants.into_iter().map(|c| c.mutant) {
        let verdicts = said.remove(&mutant.number).unwrap_or_default();
        let count = of_module.entry(mutant.block.clone()).or_default();
        if !verdicts.is_empty() && *count < COUNTED {
            *count += 1;
            judged.push(Judged { mutant, verdicts });
        }
    }
    judged
}

/// Prints what was right in each module, and what was not.
fn print(judged: &[Judged]) -> Result<Sums, CommandError> {
    let mut modules: BTreeMap<&str, Sums> = BTreeMap::new();
    let mut all = Sums::default();
    for j in judged {
        modules.entry(&j.mutant.block).or_default().add(j);
        all.add(j);
    }
    let mut table = Builder::default();
    table.push_record([
        "module",
        "mutants",
        "failing cases",
        "block right",
        "instruction right",
        "wrong",
    ]);
    for (name, sums) in modules.iter().map(|(name, sums)| (*name, sums)).chain([("all", &all)]) {
        table.push_record([
            name.to_owned(),
            sums.mutants.to_string(),
            sums.cases.to_string(),
            format!("{:.1} %", sums.share(sums.blocks)),
            format!("{:.1} %", sums.share(sums.instructions)),
            sums.wrong.to_string(),
        ]);
    }
    let mut out = stdout().lock();
    writeln!(out, "{}", drra_report::fit(table.build()))?;
    for j in judged {
        let m = &j.mutant;
        if let Some(v) = j.verdicts.iter().find(|v| !j.is_right(v)) {
            let place = format!("{}:{} `{}` -> `{}`", m.file, m.line, m.before, m.after);
            writeln!(out, "block: {place}: case {} says {} for {}", v.case, v.block, v.path)?;
        }
    }
    Ok(all)
}
