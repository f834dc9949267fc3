// SPDX-License-Identifier: MIT OR Apache-2.0
//! The summary of a mutation run, computed from its plan, its records and the waivers.

use std::collections::BTreeMap;

use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    bug::Bug,
    mutant::Mutant,
    operators::Operator,
    record::{JournalRecord, KillRecord, MutantResult, MutationPlan, ProofVerdict, Waiver},
};

/// Version of `summary.json`.
pub const VERSION: u32 = 2;

/// The state of a mutant.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "State")]
pub enum MutantState {
    /// A case killed it.
    Killed,
    /// The mutant was activated, but no case killed it.
    Activated,
    /// No case activated the mutant: its expression never differed from the original, or its case item was never
    /// reached.
    Never,
    /// Proved equivalent to the original or to its chapter; not counted.
    Equivalent,
    /// Waived with a reason why no case can kill it; not counted.
    Waived,
    /// Not completely run.
    Open,
    /// Verilator or Yosys does not accept it; not counted.
    Illegal,
}

impl MutantState {
    /// The state in words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Killed => "killed",
            Self::Activated => "activated, not killed",
            Self::Never => "never activated",
            Self::Equivalent => "equivalent",
            Self::Waived => "waived",
            Self::Open => "open",
            Self::Illegal => "illegal",
        }
    }
}

/// Number of mutants by state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Counts")]
pub struct MutantCounts {
    /// Module or operator; empty for the total.
    pub name: String,
    pub killed: u64,
    /// Activated, but not killed.
    pub activated: u64,
    /// Never activated.
    pub never: u64,
    /// Proved equivalent to the original or to its chapter.
    pub equivalent: u64,
    /// Waived with a reason.
    pub waived: u64,
    /// Not completely run.
    pub open: u64,
}

impl MutantCounts {
    fn add(&mut self, state: MutantState) {
        *match state {
            MutantState::Killed => &mut self.killed,
            MutantState::Activated => &mut self.activated,
            MutantState::Never => &mut self.never,
            MutantState::Equivalent => &mut self.equivalent,
            MutantState::Waived => &mut self.waived,
            MutantState::Open => &mut self.open,
            MutantState::Illegal => return,
        } += 1;
    }

    /// Number of mutants that are not illegal.
    pub fn all(&self) -> u64 {
        self.killed + self.activated + self.never + self.equivalent + self.waived + self.open
    }

    /// Number of mutants that are counted: all except illegal, equivalent and waived ones.
    pub fn counted(&self) -> u64 {
        self.all() - self.equivalent - self.waived
    }

    /// The mutation score: killed mutants as a percentage of the mutants that are counted; 100 if there are none.
    pub fn score(&self) -> f64 {
        if self.counted() == 0 { 100.0 } else { 100.0 * self.killed as f64 / self.counted() as f64 }
    }
}

/// Number of cases until mutants were killed on a fabric size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CasesToKill {
    /// Fabric size.
    pub fabric: String,
    /// Mutants killed on this size.
    pub killed: u64,
    /// Cases within which half of the mutants were killed.
    pub median: u64,
    /// Cases within which 95 % were killed.
    pub p95: u64,
    /// Cases within which 99 % were killed.
    pub p99: u64,
    /// Cases within which all were killed.
    pub max: u64,
}

/// Number of cases, on all fabric sizes together, until mutants were killed. `None`: not killed, also if a mutant was
/// never activated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CasesNeeded {
    /// Cases within which half of the counted mutants were killed.
    pub median: Option<u64>,
    /// Cases within which 90 % were killed.
    pub p90: Option<u64>,
    /// Cases within which 99 % were killed.
    pub p99: Option<u64>,
    /// Cases within which all were killed.
    pub worst: Option<u64>,
    /// The distribution.
    pub within: Vec<KilledWithin>,
}

impl CasesNeeded {
    /// The cases for each share of the mutants; `verb` is what the cases do to a mutant.
    pub(crate) fn levels(&self, verb: &str) -> [(&'static str, String); 4] {
        let text = |n: Option<u64>| n.map_or_else(|| format!("not {verb}"), |n| n.to_string());
        let Self { median, p90, p99, worst, .. } = *self;
        [("median", median), ("90 %", p90), ("99 %", p99), ("worst", worst)]
            .map(|(share, cases)| (share, text(cases)))
    }
}

/// Number of mutants that a number of cases killed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KilledWithin {
    pub cases: u64,
    pub killed: u64,
}

/// A mutant and its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Outcome")]
pub struct MutantOutcome {
    /// The mutant.
    pub mutant: Mutant,
    pub state: MutantState,
    /// The fabric size of its last result; empty if there is none.
    pub fabric: String,
    /// The kill, if there was one.
    pub killed: Option<KillRecord>,
    /// The log of the proof, the message of Verilator or Yosys, or the reason for the waiver.
    pub note: Option<String>,
    /// The log of the proof against the chapter: for a survivor, the state and the inputs for which it differs, or why
    /// the proof decides nothing.
    pub chapter: Option<String>,
    /// True if the proof timed out or could not run; the mutant is then counted.
    pub undecided: bool,
}

impl MutantOutcome {
    /// The number of cases that a published bug needed, in words.
    pub fn needed(&self) -> String {
        match (&self.killed, self.state) {
            (Some(killed), _) => (killed.case + 1).to_string(),
            (None, MutantState::Open) => "open".to_owned(),
            (None, _) => "not found".to_owned(),
        }
    }
}

/// A mutation run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Mutants of the DRRA RTL, version 2")]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Summary")]
pub struct MutationSummary {
    /// Version of the format.
    pub version: u32,
    /// The checkout whose RTL was mutated; empty in summaries of 1.0.
    #[serde(default)]
    pub project: String,
    /// Seed for the selection and the campaign.
    pub seed: u64,
    /// Profile of the stimulus generator.
    pub profile: String,
    /// Number of cases on each fabric size.
    pub cases: u64,
    /// Wall-clock time of the last invocation, in seconds.
    pub seconds: f64,
    /// Mutation score: killed mutants as a percentage of the mutants that are counted.
    pub score: f64,
    /// Survivors whose proof timed out or could not run.
    pub undecided: u64,
    /// All mutants.
    pub total: MutantCounts,
    /// By module.
    pub blocks: Vec<MutantCounts>,
    /// By operator.
    pub operators: Vec<MutantCounts>,
    /// Number of cases until mutants were killed, by fabric size.
    pub cases_to_kill: Vec<CasesToKill>,
    /// Number of cases until mutants were killed; missing in a run of regression cases, if no mutant counts, and in
    /// summaries of 1.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases_needed: Option<CasesNeeded>,
    /// Every mutant.
    pub mutants: Vec<MutantOutcome>,
}

/// Summarizes the records of a plan. `line` returns the source line of a mutant, for waivers.
pub fn summarize(
    plan: &MutationPlan,
    records: &[JournalRecord],
    waivers: &[Waiver],
    seconds: f64,
    line: &dyn Fn(&Mutant) -> String,
) -> MutationSummary {
    let mut by_mutant: BTreeMap<u32, Vec<&JournalRecord>> = BTreeMap::new();
    for record in records {
        by_mutant.entry(record.mutant).or_default().push(record);
    }
    let mutants: Vec<MutantOutcome> = plan
        .mutants
        .iter()
        .map(|m| {
            let records = by_mutant.get(&m.number).map(Vec::as_slice).unwrap_or_default();
            outcome(m, records, waivers, line)
        })
        .collect();
    let mut total = MutantCounts::default();
    let mut blocks: BTreeMap<&str, MutantCounts> = BTreeMap::new();
    let mut operators: BTreeMap<(Operator, &str), MutantCounts> = BTreeMap::new();
    for m in &mutants {
        total.add(m.state);
        blocks.entry(&m.mutant.block).or_default().add(m.state);
        let class = m.mutant.bug.as_ref().map_or("", |bug| &bug.class);
        operators.entry((m.mutant.operator, class)).or_default().add(m.state);
    }
    MutationSummary {
        version: VERSION,
        project: String::new(),
        seed: plan.seed,
        profile: plan.profile.clone(),
        cases: plan.cases,
        seconds,
        score: total.score(),
        undecided: mutants.iter().filter(|m| m.undecided).count() as u64,
        blocks: blocks.into_iter().map(|(n, c)| MutantCounts { name: n.to_owned(), ..c }).collect(),
        operators: operators
            .into_iter()
            .map(|(o, c)| MutantCounts { name: kind(o), ..c })
            .collect(),
        total,
        cases_to_kill: plan.fabrics.iter().filter_map(|f| cases_to_kill(f, &mutants)).collect(),
        cases_needed: cases_needed(plan, &mutants),
        mutants,
    }
}

/// Name of an operator or, of published bugs, of a class.
fn kind((operator, class): (Operator, &str)) -> String {
    if class.is_empty() { operator.name() } else { class.to_owned() }
}

fn outcome(
    mutant: &Mutant,
    records: &[&JournalRecord],
    waivers: &[Waiver],
    line: &dyn Fn(&Mutant) -> String,
) -> MutantOutcome {
    let mut state = MutantState::Open;
    let mut killed = None;
    let mut note = None;
    let mut chapter = None;
    let mut undecided = false;
    for record in records {
        match &record.found {
            MutantResult::Killed(k) => (state, killed) = (MutantState::Killed, Some(k.clone())),
            MutantResult::Illegal { message } => {
                (state, note) = (MutantState::Illegal, Some(message.clone()));
            }
            _ if matches!(
                state,
                MutantState::Killed | MutantState::Equivalent | MutantState::Illegal
            ) => {}
            // No model shows where a published bug is activated; its witness activates it.
            MutantResult::Survived { .. } if mutant.bug.is_some() => state = MutantState::Activated,
            MutantResult::Survived { .. } => {}
            MutantResult::Witness { .. } => {}
            MutantResult::Activated { .. } => state = MutantState::Activated,
            MutantResult::NeverActivated { .. } => state = MutantState::Never,
            MutantResult::Equivalent { log } => {
                (state, note) = (MutantState::Equivalent, Some(log.display().to_string()));
            }
            MutantResult::NotProved { log } | MutantResult::NotDecided { log } => {
                undecided = matches!(record.found, MutantResult::NotDecided { .. });
                note = Some(log.display().to_string());
            }
            MutantResult::Chapter { verdict, log, said } => {
                (note, chapter) = (Some(log.display().to_string()), Some(said.clone()));
                undecided = *verdict == ProofVerdict::NotDecided;
                if *verdict == ProofVerdict::Equal {
                    state = MutantState::Equivalent;
                }
            }
        }
    }
    if matches!(state, MutantState::Activated | MutantState::Never) {
        let code = line(mutant);
        if let Some(j) = waivers.iter().find(|j| j.is_about(mutant, &code)) {
            (state, note) = (MutantState::Waived, Some(j.argument.clone()));
        }
    }
    let fabric = records.last().map(|r| r.fabric.clone()).unwrap_or_default();
    let undecided = undecided
        && matches!(state, MutantState::Activated | MutantState::Never | MutantState::Open);
    MutantOutcome { mutant: mutant.clone(), state, fabric, killed, note, chapter, undecided }
}

fn cases_to_kill(fabric: &str, mutants: &[MutantOutcome]) -> Option<CasesToKill> {
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

/// The cases that mutants need; `None` if none counts, or if each has a regression case of its own.
fn cases_needed(plan: &MutationPlan, mutants: &[MutantOutcome]) -> Option<CasesNeeded> {
    let counts = |m: &&MutantOutcome| {
        !matches!(m.state, MutantState::Illegal | MutantState::Equivalent | MutantState::Waived)
    };
    let counted = mutants.iter().filter(counts).count();
    if counted == 0 || plan.saved.is_some() {
        return None;
    }
    let needed = mutants.iter().filter_map(|m| {
        // A bug is run on its own size only.
        let own = m.mutant.bug.is_some();
        let place = plan.fabrics.iter().position(|fabric| own || *fabric == m.fabric)?;
        Some(place as u64 * plan.cases + m.killed.as_ref()?.case + 1)
    });
    let mut needed: Vec<u64> = needed.collect();
    needed.sort_unstable();
    let at = |percent: usize| needed.get((counted * percent).div_ceil(100).max(1) - 1).copied();
    let sizes = if plan.is_of_bugs() { 1 } else { plan.fabrics.len() as u64 };
    let run = plan.cases * sizes;
    let steps = (0..).flat_map(|power| [10_u64.pow(power), 3 * 10_u64.pow(power)]);
    let steps = steps.take_while(|cases| *cases < run).chain([run]);
    let killed = |cases| needed.partition_point(|n| *n <= cases) as u64;
    let within = steps.map(|cases| KilledWithin { cases, killed: killed(cases) }).collect();
    Some(CasesNeeded { median: at(50), p90: at(90), p99: at(99), worst: at(100), within })
}

/// The percentile of ascending values.
fn at(values: &[u64], percent: usize) -> u64 {
    values[(values.len() * percent).div_ceil(100).max(1) - 1]
}

impl MutationSummary {
    /// Mutants that are not killed, equivalent or illegal.
    pub fn survivors(&self) -> impl Iterator<Item = &MutantOutcome> {
        let survives =
            [MutantState::Activated, MutantState::Never, MutantState::Waived, MutantState::Open];
        self.mutants.iter().filter(move |m| survives.contains(&m.state))
    }

    /// The main results of a run; `None` if it has no [`CasesNeeded`].
    pub fn headline(&self) -> Option<String> {
        let needed = self.cases_needed.as_ref()?;
        let MutantCounts { killed, activated, never, open, .. } = self.total;
        let (kind, verb) = (self.kind().to_lowercase(), self.verb());
        let levels = needed.levels(verb).map(|(share, cases)| format!("{share} {cases}"));
        let all = self.total.counted().max(1) as f64;
        let share =
            |w: &KilledWithin| format!("{}: {:.1} %", w.cases, 100.0 * w.killed as f64 / all);
        let shares = needed.within.iter().map(share).collect::<Vec<_>>().join(", ");
        let open = if open > 0 { format!(", {open} open") } else { String::new() };
        let of_bugs = self.bugs().next().is_some();
        let never = if of_bugs { String::new() } else { format!(", {never} never activated") };
        Some(format!(
            "{kind}: {killed} {verb}, {activated} not {verb}{never}{open}; cases needed: {}; {verb} within {shares}",
            levels.join(", ")
        ))
    }

    /// What was run: mutants, guarded mutants or published bugs.
    pub(crate) fn kind(&self) -> &'static str {
        match self.mutants.first().map(|m| &m.mutant) {
            Some(mutant) if mutant.bug.is_some() => "Published bugs",
            Some(mutant) if mutant.guard.is_some() => "Guarded mutants",
            _ => "Mutants",
        }
    }

    /// What a case does to a mutant: it is killed; a bug is found.
    pub(crate) fn verb(&self) -> &'static str {
        if self.bugs().next().is_some() { "found" } else { "killed" }
    }

    /// The published bugs, each with its result.
    pub fn bugs(&self) -> impl Iterator<Item = (&Bug, &MutantOutcome)> {
        self.mutants.iter().filter_map(|m| Some((m.mutant.bug.as_ref()?, m)))
    }

    /// What the mutants are counted by beside their modules: classes of published bugs, otherwise operators.
    pub fn group(&self) -> &'static str {
        if self.bugs().next().is_some() { "class" } else { "operator" }
    }

    /// The summary as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// A JUnit report with a test case for all modules together and one for each module. A test case fails if its score
    /// is below `min_score`, in percent.
    pub fn junit(&self, min_score: f64) -> String {
        let mut suite = TestSuite::new("drra mutate");
        let all = [MutantCounts { name: "all modules".to_owned(), ..self.total.clone() }];
        for counts in all.iter().chain(&self.blocks) {
            let score = counts.score();
            let mut status = TestCaseStatus::success();
            if score < min_score {
                status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_type("mutants survive");
                let survive = counts.activated + counts.never + counts.open;
                status.set_message(format!("score {score:.1} %, {survive} mutants survive"));
            }
            let mut case = TestCase::new(counts.name.as_str(), status);
            case.set_classname("drra.mutants");
            if let Some(headline) = self.headline().filter(|_| counts.name == all[0].name) {
                case.set_system_out(headline);
            }
            suite.add_test_case(case);
        }
        let mut junit = Junit::new("drra mutate");
        junit.add_test_suite(suite);
        // Writing to a string cannot fail.
        junit.to_string().unwrap_or_default() + "\n"
    }
}
