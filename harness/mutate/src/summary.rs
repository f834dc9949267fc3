// SPDX-License-Identifier: MIT OR Apache-2.0
//! The summary of a run of mutants, computed from its plan and its records alone.

use std::collections::{BTreeMap, BTreeSet};

use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};

use crate::{
    mutant::Mutant,
    operators::Operator,
    record::{Found, Judgement, Killed, Plan, Record},
};

/// Version of `summary.json`.
pub const VERSION: u32 = 1;

/// The JSON schema of `summary.json`.
pub fn schema() -> String {
    let schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<Summary>();
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// What is known about a mutant.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// A case showed it.
    Killed,
    /// It differed from the original somewhere, and no case showed it.
    Activated,
    /// It never differed from the original.
    Never,
    /// Proved to be equal to the original; it does not count.
    Equivalent,
    /// Judged by a person: it differs in states only that cannot be reached. It counts as not killed.
    Judged,
    /// Not run to the end.
    Open,
    /// Verilator does not accept it; it does not count.
    Illegal,
}

impl State {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Killed => "killed",
            Self::Activated => "activated, not seen",
            Self::Never => "never activated",
            Self::Equivalent => "equivalent",
            Self::Judged => "judged",
            Self::Open => "open",
            Self::Illegal => "illegal",
        }
    }
}

/// Mutants by what is known about them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Block or operator; empty for all together.
    pub name: String,
    /// Killed ones.
    pub killed: u64,
    /// Those that differed from the original, and no case showed it.
    pub activated: u64,
    /// Those that never differed.
    pub never: u64,
    /// Those that are proved to be equal to the original.
    pub equivalent: u64,
    /// Those that a person has judged.
    pub judged: u64,
    /// Those that were not run to the end.
    pub open: u64,
}

impl Counts {
    fn add(&mut self, state: State) {
        *match state {
            State::Killed => &mut self.killed,
            State::Activated => &mut self.activated,
            State::Never => &mut self.never,
            State::Equivalent => &mut self.equivalent,
            State::Judged => &mut self.judged,
            State::Open => &mut self.open,
            State::Illegal => return,
        } += 1;
    }

    /// All that Verilator accepts.
    pub fn all(&self) -> u64 {
        self.killed + self.activated + self.never + self.equivalent + self.judged + self.open
    }

    /// Killed ones of all but the equivalent ones, in percent.
    pub fn score(&self) -> f64 {
        100.0 * self.killed as f64 / (self.all() - self.equivalent).max(1) as f64
    }
}

/// Cases until mutants were killed on a fabric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CasesToKill {
    /// Size of the fabric.
    pub fabric: String,
    /// Mutants killed there.
    pub killed: u64,
    /// Cases that half of them needed at most.
    pub median: u64,
    /// Cases that 95 % of them needed at most.
    pub p95: u64,
    /// Cases that 99 % of them needed at most.
    pub p99: u64,
    /// Cases that each of them needed at most.
    pub max: u64,
}

/// Cases after which a mutant that still lives is a late one.
pub const LATE: u64 = 100;

/// What it brings to direct cases at empty bins, for mutants that the first cases did not kill.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Direction {
    /// Late mutants.
    pub mutants: u64,
    /// Seeds with which they were run again.
    pub seeds: u64,
    /// Cases that half of the runs needed at most, with and without direction.
    pub median: [u64; 2],
    /// Cases that 95 % of the runs needed at most, with and without direction. A run that shows nothing
    /// counts as one case more than it had.
    pub p95: [u64; 2],
}

/// A mutant and what is known about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// The mutant.
    pub mutant: Mutant,
    /// What is known.
    pub state: State,
    /// The fabric on which it was tried last.
    pub fabric: String,
    /// How it was killed.
    pub killed: Option<Killed>,
    /// The log of the proof, the message of Verilator, or the argument of the judgement.
    pub note: Option<String>,
}

/// A run of mutants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Mutants of the DRRA RTL, version 1")]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Version of the format.
    pub version: u32,
    /// Seed of the draw and of the campaign.
    pub seed: u64,
    /// Profile of the generator.
    pub profile: String,
    /// Cases of the campaign on each fabric.
    pub cases: u64,
    /// Wall time in seconds, of this invocation.
    pub seconds: f64,
    /// Killed ones of all but the equivalent ones, in percent.
    pub score: f64,
    /// All together.
    pub total: Counts,
    /// By block.
    pub blocks: Vec<Counts>,
    /// By operator.
    pub operators: Vec<Counts>,
    /// How many cases it takes.
    pub cases_to_kill: Vec<CasesToKill>,
    /// What it brings to direct cases at empty bins, if that was measured.
    #[serde(default)]
    pub direction: Option<Direction>,
    /// Mutants that were compared with a build of their single change.
    pub verified: u64,
    /// Those that behaved differently there: defects of the tool.
    pub deviating: Vec<String>,
    /// Every mutant.
    pub mutants: Vec<Judged>,
}

/// Sums up the records of a plan. `line` gives the line of a source, for judgements.
pub fn summarize(
    plan: &Plan,
    records: &[Record],
    judgements: &[Judgement],
    seconds: f64,
    line: &dyn Fn(&Mutant) -> String,
) -> Summary {
    let mut by_mutant: BTreeMap<u32, Vec<&Record>> = BTreeMap::new();
    for record in records {
        by_mutant.entry(record.mutant).or_default().push(record);
    }
    let mutants: Vec<Judged> = plan
        .mutants
        .iter()
        .map(|m| {
            let records = by_mutant.get(&m.number).map(Vec::as_slice).unwrap_or_default();
            judged(m, records, judgements, line)
        })
        .collect();
    let mut total = Counts::default();
    let mut blocks: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut operators: BTreeMap<Operator, Counts> = BTreeMap::new();
    for m in &mutants {
        total.add(m.state);
        blocks.entry(&m.mutant.block).or_default().add(m.state);
        operators.entry(m.mutant.operator).or_default().add(m.state);
    }
    let named = |(name, counts): (String, Counts)| Counts { name, ..counts };
    let deviating = records.iter().filter_map(|r| match &r.found {
        Found::Deviates { message } => Some(format!("mutant {}: {message}", r.mutant)),
        _ => None,
    });
    Summary {
        version: VERSION,
        seed: plan.seed,
        profile: plan.profile.clone(),
        cases: plan.cases,
        seconds,
        score: total.score(),
        blocks: blocks.into_iter().map(|(n, c)| named((n.to_owned(), c))).collect(),
        operators: operators.into_iter().map(|(o, c)| named((o.name(), c))).collect(),
        total,
        cases_to_kill: plan.fabrics.iter().filter_map(|f| cases_to_kill(f, &mutants)).collect(),
        direction: direction(plan, records),
        verified: records.iter().filter(|r| r.found == Found::Verified).count() as u64,
        deviating: deviating.collect(),
        mutants,
    }
}

fn judged(
    mutant: &Mutant,
    records: &[&Record],
    judgements: &[Judgement],
    line: &dyn Fn(&Mutant) -> String,
) -> Judged {
    let mut state = State::Open;
    let mut killed = None;
    let mut note = None;
    for record in records {
        match &record.found {
            Found::Killed(k) => (state, killed) = (State::Killed, Some(k.clone())),
            Found::Illegal { message } => {
                (state, note) = (State::Illegal, Some(message.clone()));
            }
            _ if matches!(state, State::Killed | State::Equivalent | State::Illegal) => {}
            Found::Survived { .. }
            | Found::Again { .. }
            | Found::Verified
            | Found::Verdicts(_)
            | Found::Deviates { .. } => {}
            Found::Activated { .. } => state = State::Activated,
            Found::NeverActivated { .. } => state = State::Never,
            Found::Equivalent { log } => {
                (state, note) = (State::Equivalent, Some(log.display().to_string()));
            }
            Found::NotProved { log } => note = Some(log.display().to_string()),
        }
    }
    if matches!(state, State::Activated | State::Never) {
        let code = line(mutant);
        let found = judgements.iter().find(|j| {
            j.file == mutant.file
                && j.code == code
                && j.before == mutant.before
                && j.after == mutant.after
        });
        if let Some(j) = found {
            (state, note) = (State::Judged, Some(j.argument.clone()));
        }
    }
    let fabric = records.last().map(|r| r.fabric.clone()).unwrap_or_default();
    Judged { mutant: mutant.clone(), state, fabric, killed, note }
}

fn cases_to_kill(fabric: &str, mutants: &[Judged]) -> Option<CasesToKill> {
    let killed = mutants.iter().filter(|m| m.fabric == fabric).filter_map(|m| m.killed.as_ref());
    let mut cases: Vec<u64> = killed.map(|k| k.case + 1).collect();
    cases.sort_unstable();
    (!cases.is_empty()).then(|| CasesToKill {
        fabric: fabric.to_owned(),
        killed: cases.len() as u64,
        median: at(&cases, 50),
        p95: at(&cases, 95),
        p99: at(&cases, 99),
        max: at(&cases, 100),
    })
}

/// The value that so many percent of ascending ones do not exceed.
fn at(values: &[u64], percent: usize) -> u64 {
    values[(values.len() * percent).div_ceil(100).max(1) - 1]
}

fn direction(plan: &Plan, records: &[Record]) -> Option<Direction> {
    let mut mutants = BTreeSet::new();
    let mut seeds = BTreeSet::new();
    let mut runs = [Vec::new(), Vec::new()];
    for record in records {
        let Found::Again { seed, directed, cases } = record.found else { continue };
        mutants.insert(record.mutant);
        seeds.insert(seed);
        runs[usize::from(!directed)].push(cases.unwrap_or(plan.cases + 1));
    }
    if runs.iter().any(Vec::is_empty) {
        return None;
    }
    runs.iter_mut().for_each(|cases| cases.sort_unstable());
    let of = |percent| [0, 1].map(|k| at(&runs[k], percent));
    Some(Direction {
        mutants: mutants.len() as u64,
        seeds: seeds.len() as u64,
        median: of(50),
        p95: of(95),
    })
}

impl Summary {
    /// Mutants that no case showed, but those that are proved to be equal.
    pub fn survivors(&self) -> impl Iterator<Item = &Judged> {
        let survives = [State::Activated, State::Never, State::Judged, State::Open];
        self.mutants.iter().filter(move |m| survives.contains(&m.state))
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// As JUnit: a test case for each block, which fails below the threshold in percent.
    pub fn junit(&self, at_least: f64) -> String {
        let mut suite = TestSuite::new("drra mutate");
        let all = [Counts { name: "all blocks".to_owned(), ..self.total.clone() }];
        for counts in all.iter().chain(&self.blocks) {
            let score = counts.score();
            let mut status = TestCaseStatus::success();
            if score < at_least {
                status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_type("mutants survive");
                let survive = counts.activated + counts.never + counts.judged + counts.open;
                status.set_message(format!("score {score:.1} %, {survive} mutants survive"));
            }
            let mut case = TestCase::new(counts.name.as_str(), status);
            case.set_classname("drra.mutants");
            suite.add_test_case(case);
        }
        let mut junit = Junit::new("drra mutate");
        junit.add_test_suite(suite);
        // Writing fails only if the writer does, and a string never does.
        junit.to_string().unwrap_or_default() + "\n"
    }
}
