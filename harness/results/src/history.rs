// SPDX-License-Identifier: MIT OR Apache-2.0
//! Regression history: which failures are new, persistent or fixed, and the trend of coverage, speed and mutation
//! score over several runs.

use std::collections::{BTreeMap, BTreeSet};

use drra_coverage::{Coverage, CoverageTotal};
use drra_diagnose::signature;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    identity::CampaignIdentity,
    known::{Deviation, KnownDeviations},
    summary::{Failure, MissingCases, Summary},
};

/// Version of `history.json`.
pub const VERSION: u32 = 2;

/// The runs, oldest first, and the status of each failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "History of DRRA campaigns, version 2")]
pub struct History {
    /// Version of the format.
    #[schemars(extend("const" = VERSION))]
    pub version: u32,
    /// The runs, oldest first.
    pub nights: Vec<HistoryRun>,
    /// Every failure of every profile, sorted by status (new failures first), then by signature and profile.
    pub failures: Vec<FailureHistory>,
}

/// The campaigns of one run, usually a nightly run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryRun {
    /// Name of the run, which is the name of its folder.
    pub name: String,
    /// Time at which the first campaign of the run began, in UTC; empty if unknown.
    pub started: String,
    /// The campaigns of the run, sorted by profile.
    pub campaigns: Vec<CampaignFigures>,
    /// Coverage of all campaigns of the run together; absent if the hit bins of a campaign are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<CoverageTotal>,
    /// Coverage of this run and of all earlier ones together, as far as their hit bins are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joined: Option<CoverageTotal>,
    /// Share of killed mutants in percent, if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutation_score: Option<f64>,
}

/// The figures of a campaign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Campaign")]
pub struct CampaignFigures {
    /// Profile of the generator.
    pub profile: String,
    /// Seed of the campaign.
    pub seed: u64,
    /// The versions of `drra`, the design and the profile with which the campaign was run.
    pub identity: CampaignIdentity,
    /// Cases run.
    pub cases: u64,
    /// Cases that failed.
    pub failed: u64,
    /// Distinct failures.
    pub distinct: u64,
    /// Number of coverage bins hit.
    pub hit: u64,
    /// Number of coverage bins that can be hit.
    pub bins: u64,
    /// Cases per second of all workers of all shards together; absent if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases_per_second: Option<f64>,
    /// True if the campaign was interrupted, or cases are missing.
    #[serde(default)]
    pub interrupted: bool,
    /// Number of missing cases; absent if no case is missing, or if the number is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<u64>,
}

/// The history of a failure in the campaigns of one profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailureHistory {
    /// Identifies the failure.
    pub signature: String,
    /// Profile in whose campaigns the failure occurred.
    pub profile: String,
    /// Status in the last run.
    pub status: FailureStatus,
    /// First run in which the failure occurred; runs are numbered from 0.
    pub first: usize,
    /// Last run in which the failure occurred.
    pub last: usize,
    /// Number of cases with this failure in each run; `null` if the profile was not run.
    pub cases: Vec<Option<u64>>,
    /// All signatures with which the failure occurred, over all runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<String>,
    /// Signatures that occurred only in the last run; a new signature may have another cause.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new_variants: Vec<String>,
    /// The known deviation that explains the failure, as of the last run in which the failure occurred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Deviation>,
    /// Page of the report in the last run in which the failure occurred, relative to the folder of the history; absent
    /// if there is no page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
}

/// The status of a failure in the last run, compared with the earlier runs of its profile.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Status")]
pub enum FailureStatus {
    /// Present now, and never before.
    New,
    /// Present now and in an earlier run, but not in the previous run.
    Returned,
    /// Present now and in the previous run, or its stored case still fails.
    StillFailing,
    /// Present, but explained by a known deviation.
    Known,
    /// Absent now, but not known to be fixed: its stored case was not run again, or fails in another way.
    NotReached,
    /// Present in the previous run; its stored case agrees now.
    Fixed,
    /// Present in an earlier run; its stored case agrees now.
    FixedEarlier,
    /// The profile of the failure was not part of the last run.
    NotRun,
}

impl FailureStatus {
    /// All statuses, most interesting first.
    pub const ALL: [Self; 8] = [
        Self::New,
        Self::Returned,
        Self::StillFailing,
        Self::Known,
        Self::NotReached,
        Self::Fixed,
        Self::FixedEarlier,
        Self::NotRun,
    ];

    /// True if the failure is present.
    fn is_present(self) -> bool {
        matches!(self, Self::New | Self::Returned | Self::StillFailing | Self::Known)
    }

    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Returned => "returned",
            Self::StillFailing => "still failing",
            Self::Known => "known",
            Self::NotReached => "not reached in the last run",
            Self::Fixed => "fixed since the previous run",
            Self::FixedEarlier => "fixed earlier",
            Self::NotRun => "profile not in the last run",
        }
    }

    /// The status of a failure, given its numbers of cases in the runs.
    fn of(cases: &[Option<u64>]) -> Self {
        let Some(Some(now)) = cases.last() else { return Self::NotRun };
        let mut before = cases[..cases.len() - 1].iter().rev().filter_map(|n| *n).map(|n| n > 0);
        let previous = before.next().unwrap_or(false);
        match (*now > 0, previous, before.any(|there| there)) {
            (true, true, _) => Self::StillFailing,
            (true, false, true) => Self::Returned,
            (true, false, false) => Self::New,
            (false, true, _) => Self::Fixed,
            (false, false, _) => Self::FixedEarlier,
        }
    }
}

impl HistoryRun {
    /// A run whose campaigns have these summaries. [`History::add_coverage`] adds the coverage of all campaigns together.
    pub fn new(name: String, summaries: &[Summary], mutation_score: Option<f64>) -> Self {
        let begun = summaries.iter().map(|s| &s.timing.started).filter(|at| !at.is_empty()).min();
        let mut campaigns: Vec<CampaignFigures> =
            summaries.iter().map(CampaignFigures::new).collect();
        campaigns.sort_by(|a, b| a.profile.cmp(&b.profile));
        let started = begun.cloned().unwrap_or_default();
        Self { name, started, campaigns, reached: None, joined: None, mutation_score }
    }

    /// The time at which the run began, or the date with which its name begins; sorts chronologically. Empty if neither
    /// is known.
    pub fn time(&self) -> String {
        let date = self.name.get(..8).filter(|date| date.bytes().all(|b| b.is_ascii_digit()));
        match date {
            Some(date) if self.started.is_empty() => {
                format!("{}-{}-{}", &date[..4], &date[4..6], &date[6..])
            }
            _ => self.started.clone(),
        }
    }
}

impl CampaignFigures {
    fn new(summary: &Summary) -> Self {
        let measured = summary.timing.cycles_per_second > 0.0 && summary.cycles > 0;
        let speed = summary.timing.cycles_per_second * summary.cases as f64 / summary.cycles as f64;
        let missing = summary.missing.iter().map(MissingCases::cases);
        let missing = missing.into_iter().try_fold(0_u64, |sum, cases| sum.checked_add(cases?));
        Self {
            profile: summary.profile.clone(),
            seed: summary.seed,
            identity: summary.identity.clone(),
            cases: summary.cases,
            failed: summary.failed,
            distinct: summary.failures.len() as u64,
            hit: summary.coverage.iter().map(|g| g.hit).sum(),
            bins: summary.coverage.iter().map(|g| g.bins).sum(),
            cases_per_second: measured.then_some(speed),
            interrupted: summary.timing.interrupted || !summary.missing.is_empty(),
            missing: missing.filter(|count| *count > 0),
        }
    }

    /// The missing cases of an incomplete campaign, as text; `None` if it is complete.
    pub(crate) fn incomplete(&self) -> Option<String> {
        let missing = || match self.missing {
            Some(1) => "1 case is missing".to_owned(),
            Some(count) => format!("{count} cases are missing"),
            None => "an unknown number of cases is missing".to_owned(),
        };
        self.interrupted.then(missing)
    }

    /// Coverage in percent.
    pub fn coverage(&self) -> f64 {
        100.0 * self.hit as f64 / self.bins.max(1) as f64
    }
}

impl History {
    /// Builds the history from runs with the summaries of their campaigns, oldest first. A failure is known if all its
    /// variants are known in the last run in which it occurred. A failure that is absent from the last run is fixed if
    /// its stored case agrees now. `fails` returns whether that case fails, or `None` if this is unknown.
    ///
    /// # Errors
    /// If `fails` returns an error.
    pub fn new<E>(
        nights: Vec<(HistoryRun, Vec<Summary>)>,
        known: &KnownDeviations,
        mut fails: impl FnMut(&FailureHistory) -> Result<Option<bool>, E>,
    ) -> Result<Self, E> {
        let mut seen: BTreeSet<(String, &str)> = BTreeSet::new();
        for summary in nights.iter().flat_map(|(_, summaries)| summaries) {
            seen.extend(summary.failures.iter().map(|f| (name(f), summary.profile.as_str())));
        }
        let history = |(signature, profile): (String, &str)| {
            FailureHistory::new(signature, profile, &nights, known)
        };
        let mut failures: Vec<FailureHistory> = seen.into_iter().map(history).collect();
        for history in &mut failures {
            if matches!(history.status, FailureStatus::Fixed | FailureStatus::FixedEarlier) {
                history.status = match fails(history)? {
                    Some(true) => FailureStatus::StillFailing,
                    Some(false) => history.status,
                    None => FailureStatus::NotReached,
                };
            }
            if history.known.is_some() && history.status.is_present() {
                history.status = FailureStatus::Known;
            }
        }
        failures.sort_by_key(|history| history.status);
        let nights = nights.into_iter().map(|(night, _)| night).collect();
        Ok(Self { version: VERSION, nights, failures })
    }

    /// Adds the coverage of each run, and of all runs up to it, given the bins that each run hit, where they are known.
    pub fn add_coverage(&mut self, hits: &[Option<&Coverage>]) {
        let mut all = Coverage::default();
        for (night, hits) in self.nights.iter_mut().zip(hits) {
            let Some(hits) = hits else { continue };
            all.join(hits);
            let total = |coverage: &Coverage| Some(CoverageTotal::of(&coverage.groups()));
            (night.reached, night.joined) = (total(hits), total(&all));
        }
    }

    /// The failures with this status.
    pub fn with(&self, status: FailureStatus) -> impl Iterator<Item = &FailureHistory> {
        self.failures.iter().filter(move |history| history.status == status)
    }

    /// The failures that occurred in the last run, or whose stored cases still fail.
    pub fn present(&self) -> impl Iterator<Item = &FailureHistory> {
        self.failures.iter().filter(|history| history.status.is_present())
    }

    /// True if one of the present failures is not known.
    pub fn fails(&self) -> bool {
        self.present().any(|history| history.status != FailureStatus::Known)
    }

    /// The incomplete campaigns of the last run, one text each.
    pub fn incomplete(&self) -> impl Iterator<Item = String> {
        let campaigns = self.nights.last().into_iter().flat_map(|night| &night.campaigns);
        campaigns.filter_map(|c| Some(format!("{}, {}", c.profile, c.incomplete()?)))
    }

    /// The date on which each run began, with the time if another run began on that day; if the date is unknown, the
    /// name of the run.
    pub fn dates(&self) -> Vec<String> {
        let day = |run: &HistoryRun| run.started.get(..10).map(str::to_owned);
        let date = |run: &HistoryRun| {
            let alike = self.nights.iter().filter(|other| day(other) == day(run)).count();
            match day(run) {
                Some(day) if alike > 1 => {
                    format!("{day} {}", run.started.get(11..16).unwrap_or(&run.name))
                }
                day => day.unwrap_or_else(|| run.name.clone()),
            }
        };
        self.nights.iter().map(date).collect()
    }

    /// All profiles, in the order of their names.
    pub fn profiles(&self) -> Vec<&str> {
        let campaigns = self.nights.iter().flat_map(|night| &night.campaigns);
        let mut profiles: Vec<&str> = campaigns.map(|c| c.profile.as_str()).collect();
        profiles.sort_unstable();
        profiles.dedup();
        profiles
    }

    /// The text of `history.json`.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data") + "\n"
    }

    /// The status of every failure, as text for a terminal.
    pub fn to_text(&self) -> String {
        let mut text = match self.dates().as_slice() {
            [] => String::new(),
            [only] => format!("one run: {only}\n"),
            [first, .., last] => format!("{} runs: {first} to {last}\n", self.nights.len()),
        };
        for status in FailureStatus::ALL {
            for history in self.with(status) {
                let known = history.known.iter().map(|known| format!(", {}", known.text()));
                let known: String = known.collect();
                let (status, signature, profile) =
                    (history.status.text(), &history.signature, &history.profile);
                text += &format!("{status}: {signature} ({profile}){known}\n");
                for variant in history.shown_variants() {
                    text += &format!("  {variant}\n");
                }
            }
        }
        if self.failures.is_empty() {
            text += "no failures in any run\n";
        }
        let last = self.nights.last().and_then(|night| night.reached.zip(night.joined));
        text.extend(last.map(|(last, all)| {
            format!("coverage of the last run: {last}\ncoverage with earlier runs whose hits are known: {all}\n")
        }));
        text.extend(self.incomplete().map(|campaign| format!("incomplete: {campaign}\n")));
        text
    }
}

impl FailureHistory {
    /// The variants that the name does not already include; if the failure is not new, new variants are marked.
    pub(crate) fn shown_variants(&self) -> impl Iterator<Item = String> {
        let new = |v| self.status != FailureStatus::New && self.new_variants.contains(v);
        let shown = self.variants.iter().filter(|v| **v != self.signature);
        shown.map(move |v| format!("{v}{}", if new(v) { ", new" } else { "" }))
    }

    fn new(
        signature: String,
        profile: &str,
        nights: &[(HistoryRun, Vec<Summary>)],
        known: &KnownDeviations,
    ) -> Self {
        let mut cases = Vec::new();
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        // The variants in the last run in which the failure occurred.
        let mut last = Vec::new();
        for (night, (_, summaries)) in nights.iter().enumerate() {
            let mut run = summaries.iter().filter(|s| s.profile == profile).peekable();
            let was_run = run.peek().is_some();
            let mut count = 0;
            let mut now = Vec::new();
            for failure in run.flat_map(|s| &s.failures).filter(|f| name(f) == signature) {
                count += failure.count;
                for variant in failure.signatures() {
                    seen.entry(variant.to_owned()).or_insert(night);
                    now.push(variant);
                }
            }
            if !now.is_empty() {
                last = now;
            }
            cases.push(was_run.then_some(count));
        }
        let is_new = |(_, first): &(&String, &usize)| **first + 1 == nights.len();
        let shown = |n: &Option<u64>| n.is_some_and(|n| n > 0);
        Self {
            signature,
            profile: profile.to_owned(),
            status: FailureStatus::of(&cases),
            first: cases.iter().position(shown).unwrap_or_default(),
            last: cases.iter().rposition(shown).unwrap_or_default(),
            cases,
            new_variants: seen.iter().filter(is_new).map(|(name, _)| name.clone()).collect(),
            variants: seen.into_keys().collect(),
            known: known.of_all(last.into_iter()).cloned(),
            report: None,
        }
    }
}

/// The name of a failure, also for summaries that list each variant as a failure.
fn name(failure: &Failure) -> String {
    signature::failure(&failure.signature)
}
