// SPDX-License-Identifier: MIT OR Apache-2.0
//! The result of a campaign as data, and as tables for a terminal. Values that depend on time or machine are kept
//! separate.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

use drra_coverage::{CoverageTotal, GroupCoverage};
use drra_diagnose::signature;
use drra_files::shell;
use drra_lockstep::ComparisonCoverage;
use drra_report::{
    data::{CommonSituation, FabricFailures},
    stored::{self, StoredError},
    table,
    text::{counted, percent},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    identity::CampaignIdentity,
    known::{Deviation, KnownDeviations},
};

/// Version of `summary.json`.
pub const VERSION: u32 = 2;

/// A distinct failure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// Identifies the failure: the rule for the value that differs, or the way the design stopped.
    #[serde(deserialize_with = "signature::deserialize")]
    pub signature: String,
    /// Number of cases with this failure.
    pub count: u64,
    /// Lowest number of a case with this failure.
    pub first_case: u64,
    /// Seed from which the generator makes this case.
    pub first_seed: u64,
    /// Cycle of the first divergence in this case.
    pub cycle: u64,
    /// Folder with the files of the failure, relative to the folder of the campaign.
    pub folder: String,
    /// The signatures with which the failure occurred, in the order of their first cases; empty in summaries of earlier
    /// versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<FailureVariant>,
    /// Situations that the failing cases have in common; the situations that best separate failing from agreeing cases
    /// come first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub common: Vec<CommonSituation>,
    /// Failing cases by fabric size, smallest size first; empty if the campaign has fewer than two sizes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fabrics: Vec<FabricFailures>,
    /// True if no case shows the failure as its first difference: it was found behind other failures, and its cycle is
    /// that of the first difference that counts in its case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub behind: bool,
    /// The known deviation that explains the failure, if all of its variants are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Deviation>,
}

impl Failure {
    /// The signatures of the variants; for a summary of an earlier version, the signature of the failure itself.
    pub(crate) fn signatures(&self) -> impl Iterator<Item = &str> {
        let own = self.variants.is_empty().then_some(self.signature.as_str());
        self.variants.iter().map(|v| v.signature.as_str()).chain(own)
    }

    /// The variants that the name of the failure does not already include.
    pub fn shown_variants(&self) -> impl Iterator<Item = &FailureVariant> {
        self.variants.iter().filter(|v| v.signature != self.signature)
    }
}

/// A variant of a failure: a place where the rule is violated, with the kind of the responsible instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Variant")]
pub struct FailureVariant {
    /// Identifies the value that differs first, and the kind of the responsible instruction.
    #[serde(deserialize_with = "signature::deserialize")]
    pub signature: String,
    /// Number of cases with this variant.
    pub count: u64,
    /// Lowest number of a case with this variant.
    pub first_case: u64,
    /// Seed from which the generator makes this case.
    pub first_seed: u64,
    /// Cycle of the first divergence in this case.
    pub cycle: u64,
}

/// Cases of one fabric size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FabricCases {
    /// Columns x tile rows, followed by any other differences from the default fabric: `8x2`, `2x2-rf32-sram16`.
    pub fabric: String,
    /// Cases run.
    pub cases: u64,
    /// Number of cycles compared in these cases.
    pub cycles: u64,
}

/// A range of cases that belong to the campaign, but have not finished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MissingCases {
    /// The number of the shard that runs these cases, starting at 1, and the number N of shards. A shard runs every
    /// N-th case of the campaign.
    pub shard: [u64; 2],
    /// Number of the first case.
    pub first: u64,
    /// Number of the last case; absent if this is unknown, because the campaign has no fixed number of cases and the
    /// shard did not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<u64>,
}

impl MissingCases {
    /// The number of cases, if it is known.
    pub fn cases(&self) -> Option<u64> {
        Some(self.last?.checked_sub(self.first)? / self.shard[1].max(1) + 1)
    }
}

/// As text, with the shard if there is more than one: `cases 2 to 23 of shard 3 of 3`.
impl fmt::Display for MissingCases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.first;
        match self.last {
            Some(last) if last == first => write!(f, "case {first}")?,
            Some(last) => write!(f, "cases {first} to {last}")?,
            None => write!(f, "cases from {first} on")?,
        }
        match self.shard {
            [_, 1] => Ok(()),
            [shard, shards] => write!(f, " of shard {shard} of {shards}"),
        }
    }
}

/// Maximum number of warnings of the design in a summary.
pub const MAX_WARNINGS: usize = 20;

/// A warning that the design printed in agreeing cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DesignWarning {
    /// The line without its time, cut after 256 bytes.
    pub text: String,
    /// Number of agreeing cases with this warning.
    pub count: u64,
    /// Lowest number of such a case.
    pub first_case: u64,
}

/// A constraint of the profile, and its effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConstraintEffect {
    /// The constraint, in one line.
    pub constraint: String,
    /// Reason, if the profile states one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Number of replacements and omissions that the constraint caused.
    pub replaced: u64,
}

/// The part of the summary that depends on time or machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Run time of the campaign in seconds, including the shrinking of failures; for a resumed campaign, the run time
    /// of its last part; for a merged campaign, the longest run time of a shard; 0 if unknown.
    #[schemars(range(min = 0))]
    pub seconds: f64,
    /// Cycles compared per second by all workers together; 0 if unknown.
    #[schemars(range(min = 0))]
    pub cycles_per_second: f64,
    /// Number of workers.
    pub jobs: usize,
    /// Time at which the campaign began, in UTC; absent if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub started: String,
    /// Time at which the campaign, or its last part, ended.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ended: String,
    /// True if the campaign was ended early by Ctrl-C, SIGTERM or SIGHUP, or by an error such as a full disk.
    #[serde(default)]
    pub interrupted: bool,
    /// The machine on which the campaign ran or was merged.
    #[serde(default)]
    pub environment: Environment,
}

/// The program, the simulator and the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// Version of `drra`.
    pub version: String,
    /// Name and version of the design's simulator, usually Verilator.
    pub verilator: String,
    /// Operating system and processor.
    pub system: String,
    /// Number of cores available to the process.
    pub cores: usize,
}

impl Environment {
    /// The environment of this process; `simulator` names the simulator of the design.
    pub fn here(simulator: &str) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            verilator: simulator.to_owned(),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// Stimulus effectiveness: expected transfers, and effective ones, whose data are not all the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Effectiveness {
    /// Number of cases in which stimulus effectiveness was measured.
    pub cases: u64,
    /// Block transfers: expected and effective.
    pub transfers: [u64; 2],
    /// DPU results: expected and effective.
    pub results: [u64; 2],
    /// Words written back: expected and effective.
    pub write_backs: [u64; 2],
}

/// Minimum number of expected transfers for which a share is meaningful.
const MIN_EXPECTED: u64 = 12;

impl Effectiveness {
    /// Adds the counts of other cases.
    pub fn add(&mut self, other: &Self) {
        self.cases = self.cases.saturating_add(other.cases);
        for (mine, others) in [
            (&mut self.transfers, other.transfers),
            (&mut self.results, other.results),
            (&mut self.write_backs, other.write_backs),
        ] {
            *mine = [0, 1].map(|k| mine[k].saturating_add(others[k]));
        }
    }

    /// The kinds of transfers, each with the numbers of expected and effective transfers.
    pub fn kinds(&self) -> [(&'static str, [u64; 2]); 3] {
        [
            ("transfers", self.transfers),
            ("DPU results", self.results),
            ("write-backs", self.write_backs),
        ]
    }

    /// A warning if more than a third of the expected transfers of a kind are not effective.
    pub fn warning(&self) -> Option<String> {
        let few = |[expected, effective]: [u64; 2]| {
            expected >= MIN_EXPECTED && u128::from(effective) * 3 < u128::from(expected) * 2
        };
        let weak = self.kinds().into_iter().filter(|(_, counts)| few(*counts));
        let names: Vec<&str> = weak.map(|(name, _)| name).collect();
        let text = "more than a third of the expected transfers are not effective";
        let remedy = "cases may compute only on zeros: check what the profile excludes";
        (!names.is_empty()).then(|| format!("{text} ({}); {remedy}", names.join(", ")))
    }
}

/// Result of a campaign. Everything except `timing` depends only on the builds, the profile, the seed, the finished
/// cases and the list of known deviations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Summary of a DRRA campaign, version 2")]
pub struct Summary {
    /// Version of the format.
    #[schemars(extend("const" = VERSION))]
    pub version: u32,
    /// Profile of the generator.
    pub profile: String,
    /// Absolute path of the profile; absent for a bundled profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile_file: Option<PathBuf>,
    /// Seed of the campaign.
    pub seed: u64,
    /// The versions of `drra`, the design and the profile with which the campaign was run.
    #[serde(default)]
    pub identity: CampaignIdentity,
    /// Other builds that ran parts of the campaign; empty unless mixing the results of several builds was requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixed: Vec<CampaignIdentity>,
    /// Cases run.
    pub cases: u64,
    /// Cases that failed.
    pub failed: u64,
    /// Cycles compared.
    pub cycles: u64,
    /// Cycles that would have been compared if no case had failed; 0 in summaries of earlier versions.
    #[serde(default)]
    pub planned: u64,
    /// Last cycle that a case reached; 0 in summaries of earlier versions.
    #[serde(default)]
    pub last_cycle: u64,
    /// Comparison coverage in these cycles, over the registers of all fabric sizes.
    pub compared: ComparisonCoverage,
    /// Cases by fabric size, smallest first; empty if neither the profile nor `--fabric` specifies a size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fabrics: Vec<FabricCases>,
    /// Instructions decoded.
    pub instructions: u64,
    /// Instructions in the programs, by kind.
    pub kinds: BTreeMap<String, u64>,
    /// The constraints of the profile, in the order in which it lists them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<ConstraintEffect>,
    /// Stimulus effectiveness.
    pub moved: Effectiveness,
    /// Coverage by group; the group with the most bins not hit comes first.
    pub coverage: Vec<GroupCoverage>,
    /// Distinct failures, in the order of their first cases.
    pub failures: Vec<Failure>,
    /// Known deviations that match no failure, each as a sentence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmatched: Vec<String>,
    /// Upper bound (95 % confidence) on the probability that the next 1000 cases show a failure with a new signature.
    #[schemars(range(min = 0, max = 1))]
    pub new_signature: f64,
    /// Upper bound (95 % confidence) on the probability that the next 1000 cases hit a coverage bin that no case has
    /// hit; 0 if all bins are hit.
    #[schemars(range(min = 0, max = 1))]
    pub new_bin: f64,
    /// Warnings that the design printed in agreeing cases; of more than 20 distinct texts, the first 20 in alphabetical
    /// order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<DesignWarning>,
    /// Unfinished cases of the campaign, by shard; empty if the campaign is complete.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingCases>,
    /// Values that depend on time or machine.
    pub timing: Timing,
}

/// Added to a failure that no case shows as its first difference.
pub(crate) const BEHIND: &str = ", behind the first difference";

/// Maximum number of missing ranges listed in text; the data contain all of them.
const MAX_LISTED: usize = 20;

impl Summary {
    /// Reads the text of a summary file.
    ///
    /// # Errors
    /// If the file is not a summary, or has another version.
    pub fn parse(text: &str) -> Result<Self, StoredError> {
        stored::parse(text, VERSION)
    }

    /// The text of `summary.json`.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data") + "\n"
    }

    /// Marks the known failures, and notes the known deviations that match no failure.
    pub fn mark(&mut self, known: &KnownDeviations) {
        for failure in &mut self.failures {
            failure.known = known.of_all(failure.signatures()).cloned();
        }
        let seen = self.failures.iter().flat_map(Failure::signatures).map(|name| (name, None));
        self.unmatched = known.unmatched(seen);
    }

    /// The failures that are not known.
    pub fn new_failures(&self) -> impl Iterator<Item = &Failure> {
        self.failures.iter().filter(|f| f.known.is_none())
    }

    /// The cycles compared and, if cases ended early, those planned: `12 of 4000 planned`.
    fn compared_cycles(&self) -> String {
        let planned = (self.cycles < self.planned).then(|| format!(" of {} planned", self.planned));
        self.cycles.to_string() + &planned.unwrap_or_default()
    }

    /// A warning if every case ended early.
    pub fn ended_early(&self) -> Option<String> {
        let all = self.failed >= self.cases && self.cycles < self.planned;
        let last = self.last_cycle;
        all.then(|| format!("every case ended by cycle {last}: nothing behind it was tested"))
    }

    /// Number of distinct failures: `3`, or `1 new, 2 known`.
    pub(crate) fn distinct(&self) -> String {
        let new = self.new_failures().count();
        match self.failures.len() - new {
            0 => new.to_string(),
            known => format!("{new} new, {known} known"),
        }
    }

    /// The missing cases as text: each range, or the first ranges if there are many.
    pub fn missing_lines(&self) -> impl Iterator<Item = String> {
        let more = self.missing.len().saturating_sub(MAX_LISTED);
        let more = (more > 0).then(|| format!("{more} more ranges, see summary.json"));
        self.missing.iter().take(MAX_LISTED).map(ToString::to_string).chain(more)
    }

    /// The verdict in one line, followed by notes and tables for a terminal, except [the table of the
    /// coverage](Self::coverage_table).
    pub fn to_text(&self) -> String {
        let failing = if self.failed == 0 { String::new() } else { format!("{} of ", self.failed) };
        let cases = counted(self.cases, "case");
        let mut out = format!("failures: {} in {failing}{cases}", self.distinct());
        out += if self.missing.is_empty() { "\n" } else { ", incomplete\n" };
        self.missing_lines().for_each(|line| out += &format!("missing: {line}\n"));
        out += &self.figures_table();
        for warning in self.ended_early().into_iter().chain(self.moved.warning()) {
            out += &format!("warning: {warning}\n");
        }
        for DesignWarning { text, count, first_case, .. } in &self.warnings {
            let cases = counted(*count, "agreeing case");
            out += &format!("printed in {cases}, first in case {first_case}: {text}\n");
        }
        for line in self.compared.lines() {
            out += &format!("not compared: {line}\n");
        }
        for other in &self.mixed {
            out += &format!("mixed: {} and {}\n", self.identity.text(), other.text());
        }
        for (failure, known) in self.failures.iter().filter_map(|f| Some((f, f.known.as_ref()?))) {
            let cases = counted(failure.count, "case");
            let (name, why) = (&failure.signature, known.text());
            out += &format!("{name}: {why} (in {cases})\n");
        }
        self.unmatched.iter().for_each(|line| out += &format!("warning: {line}\n"));
        out + &self.constraints_table() + &self.failures_table()
    }

    /// Key figures of the run and of the comparison.
    fn figures_table(&self) -> String {
        let moved = self.moved.kinds().map(|(name, [expected, completed])| {
            format!("{name} {}", percent(completed, expected))
        });

        let mut rows = Vec::new();
        let mut row = |name: &str, value: String| rows.push(vec![name.to_owned(), value]);
        row("profile, seed", format!("{}, {}", self.profile, self.seed));
        let interrupted = if self.timing.interrupted { ", interrupted" } else { "" };
        row("cases", format!("{}{interrupted}", self.cases));
        if !self.fabrics.is_empty() {
            row("cases by size", self.sizes());
        }
        row("cycles compared", self.compared_cycles());
        let compared = match (self.cases, self.cycles) {
            (0, _) => "nothing".to_owned(),
            (_, 0) => "at most cycle 0".to_owned(),
            _ => self.compared.share(),
        };
        row("state compared", compared);
        row("instructions decoded", self.instructions.to_string());
        row(
            "speed",
            format!(
                "{:.0} cycles/s in {:.1} s, {}",
                self.timing.cycles_per_second,
                self.timing.seconds,
                counted(self.timing.jobs as u64, "worker")
            ),
        );
        row("stimulus effectiveness", moved.join(", "));
        if let Some(all) = self.all_coverage() {
            row("coverage", all.to_string());
        }
        for (name, bound) in self.bounds() {
            row(&format!("{name} in the next 1000 cases"), bound);
        }
        table(&["campaign", ""], rows, 0..0)
    }

    /// Cases by size of the fabric: `2x1: 40, 8x2: 12`.
    pub(crate) fn sizes(&self) -> String {
        let each = self.fabrics.iter().map(|f| format!("{}: {}", f.fabric, f.cases));
        each.collect::<Vec<_>>().join(", ")
    }

    /// The command that runs the campaign again.
    pub(crate) fn command(&self) -> String {
        let fabric = match &self.fabrics[..] {
            [one] => format!(" --fabric {}", one.fabric),
            _ => String::new(),
        };
        let profile = profile_argument(&self.profile, self.profile_file.as_deref());
        let (seed, cases) = (self.seed, self.cases);
        format!("drra fuzz --profile {profile}{fabric} --seed {seed} --cases {cases}")
    }

    /// The coverage of all groups, if there are any.
    pub(crate) fn all_coverage(&self) -> Option<CoverageTotal> {
        Some(CoverageTotal::of(&self.coverage)).filter(|all| all.groups > 0)
    }

    /// Coverage by group, with its total above it; empty if there are no groups.
    pub fn coverage_table(&self) -> String {
        let Some(all) = self.all_coverage() else { return String::new() };
        let row = |g: &GroupCoverage| {
            let share = format!("{:.1} %", share(g));
            let numbers = [g.missing(), g.hit, g.bins].map(|number| number.to_string());
            [g.name.clone()].into_iter().chain(numbers).chain([share]).collect()
        };
        let names = ["coverage", "not hit", "hit", "bins", "share"];
        format!("coverage: {all}\n{}", table(&names, self.coverage.iter().map(row), 1..5))
    }

    /// The distinct failures, each with its variants below it; empty if there are no failures.
    fn failures_table(&self) -> String {
        let row = |name: String, numbers: [u64; 3]| -> Vec<String> {
            [name].into_iter().chain(numbers.map(|number| number.to_string())).collect()
        };
        let rows = self.failures.iter().flat_map(|f| {
            let variant = |v: &FailureVariant| {
                row(format!("  {}", v.signature), [v.count, v.first_case, v.cycle])
            };
            let behind = if f.behind { BEHIND } else { "" };
            let failure = row(format!("{}{behind}", f.signature), [f.count, f.first_case, f.cycle]);
            [failure].into_iter().chain(f.shown_variants().map(variant))
        });
        table(&["distinct failure", "cases", "first case", "cycle"], rows, 1..4)
    }

    /// Bounds, as text, on the probability that the next 1000 cases show a new failure, or hit a bin that has not been
    /// hit. A bound without information is omitted.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = (&'static str, String)> {
        let full = self.all_coverage().filter(|all| all.hit == all.bins);
        let full = full.map(|all| format!("none: all {} bins are hit", all.bins));
        let bins = full.or_else(|| bound(self.new_bin));
        let bounds = [("new failure", bound(self.new_signature)), ("new coverage", bins)];
        bounds.into_iter().filter_map(|(name, bound)| Some((name, bound?)))
    }

    /// The constraints of the profile as a table for a terminal; empty if there are no constraints.
    fn constraints_table(&self) -> String {
        let row = |c: &ConstraintEffect| {
            let reason = c.reason.iter().map(|reason| format!("\n  {reason}"));
            vec![c.constraint.clone() + &reason.collect::<String>(), c.replaced.to_string()]
        };
        table(&["never", "replaced"], self.constraints.iter().map(row), 1..2)
    }
}

/// A profile as the argument of a command: its file or, for a bundled profile, its name.
pub fn profile_argument(name: &str, file: Option<&Path>) -> String {
    match file.map(shell::path) {
        // Without a slash or dot, a file would be taken for a bundled profile.
        Some(path) if !path.contains(['/', '.']) => format!("./{path}"),
        Some(path) => path,
        None => shell::word(name),
    }
}

/// An upper bound on a probability as text, rounded up; `None` if it is 100 %.
fn bound(probability: f64) -> Option<String> {
    let percent = (1000.0 * probability).ceil() / 10.0;
    (percent < 100.0).then(|| format!("chance below {percent:.1} % (95 % confidence)"))
}

/// Bins hit, as a percentage of the bins that can be hit, rounded down.
pub(crate) fn share(group: &GroupCoverage) -> f64 {
    (1000 * group.hit / group.bins.max(1)) as f64 / 10.0
}
