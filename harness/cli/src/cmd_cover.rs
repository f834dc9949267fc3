// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra cover`: the coverage of campaigns and its holes, and cases that hit a bin.

use std::collections::BTreeMap;

use drra_campaign::JoinedCampaigns;
use drra_coverage::{
    Coverage, CoverageTotal, Covergroup, GroupCoverage, Holes, by_missing, groups,
    rtl::{self, PointCounts, PointKind},
};
use drra_report::{table, text::counted};
use schemars::JsonSchema;
use serde::Serialize;

use super::{args::CoverArgs, cmd_fuzz, suggest};
use crate::command_prelude::*;

/// Version of the format of [`CoverageReport`].
const VERSION: u32 = 1;

/// Coverage of campaigns, as `drra cover --json` prints it.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "Coverage of DRRA campaigns")]
pub(crate) struct CoverageReport {
    /// Version of the format.
    #[schemars(extend("const" = VERSION))]
    version: u32,
    /// Number of campaigns. Folders with the same profile, seed, fabric sizes and number of shards are one campaign.
    campaigns: u64,
    /// Number of cases in all campaigns.
    cases: u64,
    /// All covergroups together.
    total: CoverageTotal,
    /// All covergroups; the one with the most bins not hit comes first.
    groups: Vec<CovergroupReport>,
    /// RTL coverage by module, then by kind: `lines`, `branches`, `toggles`. Empty if RTL coverage was not collected.
    rtl: BTreeMap<String, BTreeMap<&'static str, PointCounts>>,
}

/// Coverage of a covergroup, with its holes.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Group")]
struct CovergroupReport {
    #[serde(flatten)]
    counts: GroupCoverage,
    /// Bins not hit.
    holes: Vec<String>,
    /// Bins that are ignored as unreachable but were hit.
    refuted: Vec<String>,
}

pub(super) fn run(a: &CoverArgs, build: &Build) -> Result<Exit, CommandError> {
    if let Some(bin) = &a.make {
        return make(bin, a, build);
    }
    let joined = read(&a.folders, a.mix)?;
    let coverage = &joined.coverage;
    let below = below(coverage, &a.min_coverage)?;
    below.iter().for_each(|line| note!("{line}"));
    let exit = if below.is_empty() { Exit::Agreed } else { Exit::Mismatch };
    if let Some(other) = &a.diff {
        let other = read(std::slice::from_ref(other), a.mix)?;
        differences(&other.coverage, coverage, a.holes as usize)?;
        return Ok(exit);
    }
    let paths: Vec<PathBuf> =
        a.folders.iter().map(|f| f.join(drra_campaign::RTL_COVERAGE)).collect();
    let found: Vec<&Path> = paths.iter().map(PathBuf::as_path).filter(|p| p.is_file()).collect();
    let rtl = rtl::report(&found)
        .map_err(|e| usage(e.to_string(), "delete the file, and write it again with drra fuzz"))?;
    if a.json {
        let group = |(group, counts): (&'static Covergroup, GroupCoverage)| CovergroupReport {
            counts,
            holes: coverage.holes(group).collect(),
            refuted: coverage.refuted(group).collect(),
        };
        let kinds = |kinds: BTreeMap<PointKind, PointCounts>| {
            kinds.into_iter().map(|(kind, points)| (kind_name(kind), points)).collect()
        };
        let all = CoverageReport {
            version: VERSION,
            campaigns: joined.campaigns.len() as u64,
            cases: joined.cases(),
            total: CoverageTotal::of(&coverage.groups()),
            groups: by_missing(coverage).into_iter().map(group).collect(),
            rtl: rtl.into_iter().map(|(module, points)| (module, kinds(points))).collect(),
        };
        say!("{}", serde_json::to_string_pretty(&all).map_err(tool)?)?;
        return Ok(exit);
    }
    let [cases, campaigns] = [joined.cases(), joined.campaigns.len() as u64];
    say!("{} of {}", counted(cases, "case"), counted(campaigns, "campaign"))?;
    groups_text(coverage, a.holes as usize)?;
    if !rtl.is_empty() {
        rtl_text(&rtl, a.holes as usize)?;
    }
    Ok(exit)
}

/// Reads campaigns, with a warning for each damaged part.
pub(super) fn read(folders: &[PathBuf], mix: bool) -> Result<JoinedCampaigns, CommandError> {
    let mut warn = |damage| {
        note!("warning: {damage}");
        Ok(())
    };
    Ok(JoinedCampaigns::read(folders, mix, &mut warn)?)
}

/// Descriptions of the covergroups with less coverage than required.
fn below(coverage: &Coverage, least: &[(String, f64)]) -> Result<Vec<String>, CommandError> {
    let counts = coverage.groups();
    let mut lines = Vec::new();
    for (name, least) in least {
        if name != "all" {
            group(name)?;
        }
        let mine = counts.iter().filter(|group| name == "all" || group.name == *name);
        let [hit, bins] = mine.fold([0, 0], |[hit, bins], g| [hit + g.hit, bins + g.bins]);
        let share = 100.0 * hit as f64 / bins.max(1) as f64;
        if share < *least {
            lines.push(format!("{name}: {share:.1} % of the bins are hit; {least} % are required"));
        }
    }
    Ok(lines)
}

/// Prints the bins that only one of two campaigns hit.
fn differences(before: &Coverage, now: &Coverage, most: usize) -> Result<(), CommandError> {
    let mut all = [0, 0];
    for group in groups() {
        let only = |one: &Coverage, other: &Coverage| -> Vec<usize> {
            let only = |bin: &usize| one.is_hit(group, *bin) && !other.is_hit(group, *bin);
            group.bins().filter(only).collect()
        };
        let changes = [("no longer hit", only(before, now)), ("newly hit", only(now, before))];
        let [lost, new] = [0, 1].map(|k| changes[k].1.len());
        all = [all[0] + lost, all[1] + new];
        if lost + new > 0 {
            say!("{}: {lost} bins no longer hit, {new} newly hit", group.name)?;
        }
        for (what, bins) in changes {
            for bin in bins.iter().take(most) {
                say!("    {what}: {}", group.label(*bin))?;
            }
        }
    }
    say!("all covergroups: {} bins no longer hit, {} newly hit", all[0], all[1])?;
    Ok(())
}

/// Prints the total, then the covergroups with their holes: first the values without any hit, then single bins.
fn groups_text(coverage: &Coverage, most: usize) -> Result<(), CommandError> {
    let all = CoverageTotal::of(&coverage.groups());
    say!("all covergroups: {all} of {} bins, {} ignored (unreachable)", all.bins, all.excluded)?;
    for (group, counts) in by_missing(coverage) {
        let excluded = match counts.excluded {
            0 => String::new(),
            n => format!(", {n} ignored (unreachable)"),
        };
        say!("{}: {} of {} bins{excluded}", counts.name, counts.hit, counts.bins)?;
        let holes = Holes::new(coverage, group, most);
        for (axis, value, bins) in &holes.whole {
            say!("    no hit with {axis} \"{value}\": {bins} bins")?;
        }
        for hole in &holes.nearest {
            say!("    not hit: {hole}")?;
        }
        if holes.count > holes.nearest.len() && most > 0 {
            say!("    {} holes in total (show more with --holes N or --json)", holes.count)?;
        }
        for label in coverage.refuted(group) {
            say!("    ignored but hit: {label}")?;
        }
    }
    Ok(())
}

fn kind_name(kind: PointKind) -> &'static str {
    match kind {
        PointKind::Line => "lines",
        PointKind::Branch => "branches",
        PointKind::Toggle => "toggles",
    }
}

/// Prints the RTL coverage: a table, then the holes of each module.
fn rtl_text(report: &rtl::PointsByModule, most: usize) -> Result<(), CommandError> {
    let cell =
        |p: Option<&PointCounts>| p.map_or("-".to_owned(), |p| format!("{} of {}", p.hit, p.all));
    let rows = report.iter().map(|(module, kinds)| {
        let of = |kind| cell(kinds.get(&kind));
        let excluded: u64 = kinds.values().map(|p| p.excluded).sum();
        let counts = [
            of(PointKind::Line),
            of(PointKind::Branch),
            of(PointKind::Toggle),
            excluded.to_string(),
        ];
        [module.clone()].into_iter().chain(counts).collect()
    });
    let names = ["RTL module", "lines", "branches", "toggles", "excluded"];
    write!(stdout(), "{}", table(&names, rows, 1..names.len()))?;
    for (module, kinds) in report {
        for (kind, points) in kinds {
            let kind = kind_name(*kind);
            for hole in points.holes.iter().take(most) {
                say!("{module}, {kind}, not hit: {hole}")?;
            }
            if points.holes.len() > most {
                say!("{module}, {kind}: and {} more", points.holes.len() - most)?;
            }
            for place in &points.refuted {
                say!("{module}, {kind}, excluded but hit: {place}")?;
            }
        }
    }
    Ok(())
}

/// Maximum number of cases to try.
const MAX_TRIES: u64 = 2000;

/// Writes a case that hits the bin, if one is found.
fn make(name: &str, a: &CoverArgs, build: &Build) -> Result<Exit, CommandError> {
    let (group, bin) = bin(name)?;
    if let Some(ignored) = group.ignored(bin) {
        return Err(usage(format!("{name}: no case can hit this bin"), ignored.reason.as_str()));
    }
    let profile = cmd_fuzz::profile(&a.profile, None, build)?;
    let Some((number, case)) = drra_campaign::case_hitting(&profile, group, bin, MAX_TRIES) else {
        say!("{name}: not hit by {MAX_TRIES} cases of profile {}", profile.name)?;
        return Ok(Exit::Mismatch);
    };
    save(&a.out, &drra_case::to_json(&case))?;
    say!("{name}: hit by {} (attempt {number})", a.out.display())?;
    Ok(Exit::Agreed)
}

/// Finds a covergroup by its name.
fn group(name: &str) -> Result<&'static Covergroup, CommandError> {
    groups().iter().find(|group| group.name == name).ok_or_else(|| {
        let names: Vec<&str> = groups().iter().map(|group| group.name.as_str()).collect();
        let similar = suggest::did_you_mean(name, names.iter().copied());
        let remedy = format!("{similar}the covergroups are: {}", names.join(", "));
        usage(format!("there is no covergroup {name}"), remedy)
    })
}

/// Finds a bin by the name that `drra cover` prints. Returns the group, and the number of the bin in the group.
fn bin(name: &str) -> Result<(&'static Covergroup, usize), CommandError> {
    let Some((of, label)) = name.split_once(": ") else {
        let remedy = "give GROUP: BIN, as printed by drra cover";
        return Err(usage(format!("{name} is not a bin"), remedy));
    };
    let group = group(of)?;
    let bin = group.bins().find(|bin| group.label(*bin) == label);
    bin.map(|bin| (group, bin)).ok_or_else(|| {
        let labels: Vec<String> = group.bins().map(|bin| group.label(bin)).collect();
        let similar = suggest::did_you_mean(label, labels.iter().map(String::as_str));
        let what = format!("covergroup {of} has no bin {label}");
        usage(what, format!("{similar}drra cover DIR --holes N lists the bins without a hit"))
    })
}
