// SPDX-License-Identifier: MIT OR Apache-2.0
//! The summary of a run of mutants, computed from its plan and its records alone.

use std::collections::BTreeMap;

use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};

use crate::{
    mutant::Mutant,
    operators::Operator,
    record::{Found, Killed, Plan, Record, Waiver},
};

/// Version of `summary.json`.
pub const VERSION: u32 = 2;

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
    /// Proved to be equivalent to the original; it does not count.
    Equivalent,
    /// Waived with an argument: it differs only in states that cannot be reached. It does not count.
    Waived,
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
            Self::Waived => "waived",
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
    /// Those that are proved to be equivalent to the original.
    pub equivalent: u64,
    /// Those that are waived with an argument.
    pub waived: u64,
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
            State::Waived => &mut self.waived,
            State::Open => &mut self.open,
            State::Illegal => return,
        } += 1;
    }

    /// All that Verilator accepts.
    pub fn all(&self) -> u64 {
        self.killed + self.activated + self.never + self.equivalent + self.waived + self.open
    }

    /// Those that a case could show: all but the equivalent and the waived ones.
    pub fn visible(&self) -> u64 {
        self.all() - self.equivalent - self.waived
    }

    /// Killed ones of those that a case could show, in percent; 100 if there are none.
    pub fn score(&self) -> f64 {
        if self.visible() == 0 { 100.0 } else { 100.0 * self.killed as f64 / self.visible() as f64 }
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

/// A mutant and what is known about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// The mutant.
    pub mutant: Mutant,
    /// What is known.
    pub state: State,
    /// The fabric on which it was tried last.
    pub fabric: String,
    /// How it was killed.
    pub killed: Option<Killed>,
    /// The log of the proof, the message of Verilator, or the argument of the waiver.
    pub note: Option<String>,
    /// The proof was stopped or could not run, and the mutant counts as one that could be killed.
    pub undecided: bool,
}

/// A run of mutants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Mutants of the DRRA RTL, version 2")]
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
    /// Killed ones of all but the equivalent and the waived ones, in percent.
    pub score: f64,
    /// Survivors whose proof was stopped or could not run.
    pub undecided: u64,
    /// All together.
    pub total: Counts,
    /// By block.
    pub blocks: Vec<Counts>,
    /// By operator.
    pub operators: Vec<Counts>,
    /// How many cases it takes.
    pub cases_to_kill: Vec<CasesToKill>,
    /// Every mutant.
    pub mutants: Vec<Outcome>,
}

/// Sums up the records of a plan. `line` gives the line of a source, for waivers.
pub fn summarize(
    plan: &Plan,
    records: &[Record],
    waivers: &[Waiver],
    seconds: f64,
    line: &dyn Fn(&Mutant) -> String,
) -> Summary {
    let mut by_mutant: BTreeMap<u32, Vec<&Record>> = BTreeMap::new();
    for record in records {
        by_mutant.entry(record.mutant).or_default().push(record);
    }
    let mutants: Vec<Outcome> = plan
        .mutants
        .iter()
        .map(|m| {
            let records = by_mutant.get(&m.number).map(Vec::as_slice).unwrap_or_default();
            outcome(m, records, waivers, line)
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
    Summary {
        version: VERSION,
        seed: plan.seed,
        profile: plan.profile.clone(),
        cases: plan.cases,
        seconds,
        score: total.score(),
        undecided: mutants.iter().filter(|m| m.undecided).count() as u64,
        blocks: blocks.into_iter().map(|(n, c)| named((n.to_owned(), c))).collect(),
        operators: operators.into_iter().map(|(o, c)| named((o.name(), c))).collect(),
        total,
        cases_to_kill: plan.fabrics.iter().filter_map(|f| cases_to_kill(f, &mutants)).collect(),
        mutants,
    }
}

fn outcome(
    mutant: &Mutant,
    records: &[&Record],
    waivers: &[Waiver],
    line: &dyn Fn(&Mutant) -> String,
) -> Outcome {
    let mut state = State::Open;
    let mut killed = None;
    let mut note = None;
    let mut undecided = false;
    for record in records {
        match &record.found {
            Found::Killed(k) => (state, killed) = (State::Killed, Some(k.clone())),
            Found::Illegal { message } => {
                (state, note) = (State::Illegal, Some(message.clone()));
            }
            _ if matches!(state, State::Killed | State::Equivalent | State::Illegal) => {}
            Found::Survived { .. } => {}
            Found::Activated { .. } => state = State::Activated,
            Found::NeverActivated { .. } => state = State::Never,
            Found::Equivalent { log } => {
                (state, note) = (State::Equivalent, Some(log.display().to_string()));
            }
            Found::NotProved { log } | Found::NotDecided { log } => {
                undecided = matches!(record.found, Found::NotDecided { .. });
                note = Some(log.display().to_string());
            }
        }
    }
    if matches!(state, State::Activated | State::Never) {
        let code = line(mutant);
        let found = waivers.iter().find(|j| {
            j.file == mutant.file
                && j.code == code
                && j.before == mutant.before
                && j.after == mutant.after
        });
        if let Some(j) = found {
            (state, note) = (State::Waived, Some(j.argument.clone()));
        }
    }
    let fabric = records.last().map(|r| r.fabric.clone()).unwrap_or_default();
    let undecided = undecided && matches!(state, State::Activated | State::Never | State::Open);
    Outcome { mutant: mutant.clone(), state, fabric, killed, note, undecided }
}

fn cases_to_kill(fabric: &str, mutants: &[Outcome]) -> Option<CasesToKill> {
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

impl Summary {
    /// Mutants that no case showed and that are not proved to be equivalent.
    pub fn survivors(&self) -> impl Iterator<Item = &Outcome> {
        let survives = [State::Activated, State::Never, State::Waived, State::Open];
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
                let survive = counts.activated + counts.never + counts.open;
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
