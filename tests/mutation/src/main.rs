// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measures how often a report names the correct block and instruction. Some mutants of each module of the RTL are
//! planted. Every failing case of each mutant is explained; the block is correct if the module of the mutant is one of
//! the modules that the report points to, and the instruction is correct if the failure does not occur without it.
//!
//! Usage: `drra-verdicts CASES SEED DIR`. This builds the program with the mutants, and runs it for each mutant as
//! `drra-verdicts CASES SEED`.

mod verdict;

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    path::Path,
    process::{Command, ExitCode},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use drra_campaign::CampaignCases;
use drra_cosim::{GEOMETRY, design};
use drra_generate::{FabricWeights, Profile};
use drra_lockstep::RunSetup;
use drra_mutate::{
    Mutant, MutantCandidate, RtlProject, candidates, faults, model, order,
    schemata::{MutantEffect, VARIABLE},
};
use serde::Serialize;
use verdict::Verdict;

/// Maximum number of mutants of a module that are tried: more than `COUNTED`, because some never fail.
const TRIED: usize = 5;
/// Maximum number of failing mutants that are counted for a module.
const COUNTED: usize = 2;
/// Minimum share of the failing cases whose block is correct, in percent.
const BLOCKS: f64 = 95.0;
/// Minimum share of the failing cases whose instruction is correct, in percent.
const INSTRUCTIONS: f64 = 90.0;
const FABRIC: &str = "2x1";
/// A mutant that takes longer than this many seconds is treated as hanging, and is not counted.
const WATCHDOG: &str = "600";

/// A mutant with the verdicts about its failing cases.
#[derive(Serialize)]
struct MutantVerdicts {
    mutant: Mutant,
    verdicts: Vec<Verdict>,
}

/// Sums over failing cases.
#[derive(Default, Serialize)]
struct Sums {
    mutants: usize,
    cases: usize,
    blocks: usize,
    instructions: usize,
    /// Cases in which a wrong block is named and the report states more than that registers differ right after reset.
    wrong: usize,
}

impl Sums {
    fn add(&mut self, told: &MutantVerdicts) {
        self.mutants += 1;
        for v in &told.verdicts {
            let right = v.modules.contains(&told.mutant.block);
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

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [cases, seed] => work(cases.parse()?, seed.parse()?),
        [cases, seed, folder] => measure(cases, seed, Path::new(folder)),
        _ => Err("usage: drra-verdicts CASES SEED DIR".into()),
    }
}

/// Runs all cases on the mutant that the environment selects; prints a line for each verdict.
fn work(cases: u64, seed: u64) -> Result<ExitCode, Box<dyn Error>> {
    let setup = RunSetup::new(design().map_err(ToString::to_string)?);
    let profile = Profile::shipped("default").ok_or("no default profile")?;
    let profile = Profile { fabrics: FabricWeights::one(GEOMETRY), ..profile };
    let made = CampaignCases::new(profile, seed);
    for number in 0..cases {
        let case = made.case(number);
        let outcome = drra_lockstep::run(&case, &setup)?;
        if let Some(verdict) = verdict::verdict(&case, number, &setup, &outcome)? {
            println!("{}", serde_json::to_string(&verdict)?);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Plants the mutants and sums up the verdicts about them.
fn measure(cases: &str, seed: &str, folder: &Path) -> Result<ExitCode, Box<dyn Error>> {
    let rtl = RtlProject::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))?;
    let mutants = drawn(&rtl, seed.parse()?)?;
    let program = ["drra-verdicts", "drra-verdicts"];
    let model = model::build(&rtl, &mutants, MutantEffect::Behave, FABRIC, folder, program)?;
    let verdicts = |number: u32| {
        let slot = model.slot(number);
        let mut command = Command::new("timeout");
        command.arg(WATCHDOG).arg(&model.program).args([cases, seed]);
        let output = command.env(VARIABLE, slot.to_string()).output().ok()?;
        // There is no verdict about a mutant that crashes or hangs.
        (slot > 0 && output.status.success()).then_some(())?;
        let text = String::from_utf8(output.stdout).ok()?;
        text.lines().map(|line| serde_json::from_str(line).ok()).collect::<Option<Vec<Verdict>>>()
    };
    let (next, said) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(c) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let verdicts = verdicts(c.mutant.number).unwrap_or_default();
                    said.lock().expect("no thread panics").insert(c.mutant.number, verdicts);
                }
            });
        }
    });
    let told = counted(mutants, &mut said.into_inner()?);
    let sums = print(&told);
    std::fs::write(folder.join("verdicts.json"), serde_json::to_string_pretty(&(&sums, &told))?)?;
    let enough = sums.share(sums.blocks) >= BLOCKS && sums.share(sums.instructions) >= INSTRUCTIONS;
    Ok(if enough && sums.wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The mutants to plant: for each module, up to `TRIED` mutants of different operators in random order, without the
/// faults of the regression cases.
fn drawn(rtl: &RtlProject, seed: u64) -> Result<Vec<MutantCandidate>, Box<dyn Error>> {
    let saved: BTreeSet<[usize; 2]> = faults(rtl)?.0.iter().map(|c| c.mutant.bytes).collect();
    let all = candidates(&rtl.design);
    let mut operators: BTreeMap<&str, BTreeSet<_>> = BTreeMap::new();
    let mut chosen = Vec::new();
    for candidate in order(&all, seed).into_iter().map(|place| &all[place]) {
        let m = &candidate.mutant;
        let used = operators.entry(&m.block).or_default();
        if !saved.contains(&m.bytes) && used.len() < TRIED && used.insert(m.operator) {
            chosen.push(candidate.clone());
        }
    }
    chosen.sort_by_key(MutantCandidate::by_place);
    for (place, candidate) in chosen.iter_mut().enumerate() {
        candidate.mutant.number = place as u32 + 1;
    }
    Ok(chosen)
}

/// The first failing mutants of each module.
fn counted(
    mutants: Vec<MutantCandidate>,
    said: &mut BTreeMap<u32, Vec<Verdict>>,
) -> Vec<MutantVerdicts> {
    let mut of_module: BTreeMap<String, usize> = BTreeMap::new();
    let mut told = Vec::new();
    for mutant in mutants.into_iter().map(|c| c.mutant) {
        let verdicts = said.remove(&mutant.number).unwrap_or_default();
        let count = of_module.entry(mutant.block.clone()).or_default();
        if !verdicts.is_empty() && *count < COUNTED {
            *count += 1;
            told.push(MutantVerdicts { mutant, verdicts });
        }
    }
    told
}

/// Prints the results of each module and of all modules, and one wrong block for each mutant that has one. Returns the
/// sums of all modules.
fn print(told: &[MutantVerdicts]) -> Sums {
    let mut modules: BTreeMap<&str, Sums> = BTreeMap::new();
    let mut all = Sums::default();
    for t in told {
        modules.entry(&t.mutant.block).or_default().add(t);
        all.add(t);
    }
    println!("module               mutants  failing cases  block right  instruction right  wrong");
    for (name, s) in modules.iter().map(|(name, sums)| (*name, sums)).chain([("all", &all)]) {
        let (blocks, instructions) = (s.share(s.blocks), s.share(s.instructions));
        let (mutants, cases, wrong) = (s.mutants, s.cases, s.wrong);
        println!(
            "{name:20} {mutants:7} {cases:14} {blocks:10.1} % {instructions:16.1} % {wrong:6}"
        );
    }
    for MutantVerdicts { mutant: m, verdicts } in told {
        if let Some(v) = verdicts.iter().find(|v| !v.modules.contains(&m.block)) {
            let place = format!("{}:{} `{}` -> `{}`", m.file, m.line, m.before, m.after);
            println!("block: {place}: case {} says {} for {}", v.case, v.block, v.path);
        }
    }
    all
}
