// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra report`: rebuilds the reports of a campaign from its stored cases. `drra report --history`: compares a series
//! of campaigns, such as nightly campaigns.

use std::fs;

use drra_campaign::{
    CampaignError, CaseResult, CaseRun, Executor, ReportRequest, Tally, journal,
    process::WorkerLimits, timestamps::TimeRange,
};
use drra_case::{Case, load::read_text};
use drra_coverage::Coverage;
use drra_diagnose::signature;
use drra_lockstep::{ComparisonCoverage, RunSetup};
use drra_report::{Report, shown};
use drra_results::{
    Bundle, FailureEntry,
    history::{FailureHistory, History, HistoryRun},
    known::KnownDeviations,
    summary::{Environment, Summary, Timing},
};
use serde::Deserialize;

use super::{args::ReportArgs, checkout, cmd_cover, cmd_fuzz, program, sizes, suggest, worker};
use crate::command_prelude::*;

/// Name of the file with the stored case, in the folder of a failure.
pub(super) const CASE: &str = "case.json";

pub(super) fn run(
    a: &ReportArgs,
    setup: &RunSetup<'_>,
    build: &Build,
) -> Result<Exit, CommandError> {
    let Some(folder) = &a.folder else {
        return Err(usage("no folder", "give the folder of a campaign or of one failure"));
    };
    let known = a.known.read()?;
    if !folder.join(journal::FILE_NAME).exists() {
        return failure_folder(folder, &known, setup, build);
    }
    let (outline, tally) = Tally::read(folder)?;
    let mut timing = summary(folder)?.map_or_else(
        || {
            let TimeRange { started, ended } = outline.range();
            let environment = Environment::here(setup.design.simulator());
            Timing { environment, started, ended, ..Timing::default() }
        },
        |summary| summary.timing,
    );
    // The summary may be missing, or may be that of an earlier part.
    timing.interrupted |= !outline.is_complete();
    let header = outline.header;
    let mut summary = tally.summarize(&header, timing);
    summary.mark(&known);
    for failure in &mut summary.failures {
        failure.folder = drra_campaign::stored_folder(folder, failure);
    }
    let mut entries = Vec::new();
    for failure in &summary.failures {
        let of_failure = folder.join(&failure.folder);
        let (report, note) = if of_failure.join(CASE).is_file() {
            let case = program::read_to_run(&of_failure.join(CASE), setup, build)?;
            rebuild(&of_failure, &case, Some(drra_results::INDEX_PATH), setup, build)?
        } else {
            (None, Some("the campaign was stopped before its case was stored".to_owned()))
        };
        if let Some(note) = &note {
            say!("{}: {note}", failure.signature)?;
        }
        let page = of_failure.join("report.html").is_file();
        entries.push(FailureEntry { failure: failure.clone(), report, note, page });
    }
    drra_campaign::publish(folder, &header, &tally, &summary, &entries)?;
    cmd_fuzz::annotate_failures(&summary, &entries)?;
    print_compared(&summary.compared)?;
    // The numbers of cycles and bits depend on the cases that ran, so they are taken from the summary.
    let ComparisonCoverage { cycles, bit_cycles, several_sizes, .. } = summary.compared;
    let now = setup.compared(&header.profile.fabrics.sizes());
    let now = ComparisonCoverage { cycles, bit_cycles, several_sizes, ..now };
    if now != summary.compared {
        note!(
            "warning: this build does not compare the same registers as the campaign: {}",
            now.share()
        );
    }
    let (count, new) = (entries.len(), summary.new_failures().count());
    let what = if count == 1 { "failure" } else { "failures" };
    let known = if new == count { String::new() } else { format!(" ({} known)", count - new) };
    summary.unmatched.iter().for_each(|line| note!("warning: {line}"));
    say!("{count} {what}{known}, reports in {}", folder.join("index.html").display())?;
    match new {
        0 if count > 0 && summary.cycles == 0 => Err(only_known()),
        0 => Ok(Exit::Agreed),
        _ => Ok(Exit::Mismatch),
    }
}

/// Rebuilds the report in the folder of one failure.
fn failure_folder(
    folder: &Path,
    known: &KnownDeviations,
    setup: &RunSetup<'_>,
    build: &Build,
) -> Result<Exit, CommandError> {
    if !folder.join(CASE).is_file() {
        let what = format!("this folder contains neither {} nor {CASE}", journal::FILE_NAME);
        return Err(file(
            folder,
            what,
            suggest::campaigns(folder, ", or the folder of one failure"),
        ));
    }
    let index = Path::new(drra_results::INDEX_PATH);
    let index = folder.join(index).is_file().then_some(drra_results::INDEX_PATH);
    let case = program::read_to_run(&folder.join(CASE), setup, build)?;
    let (report, note) = rebuild(folder, &case, index, setup, build)?;
    if let Some(note) = &note {
        say!("{note}")?;
    }
    print_comparison_coverage(setup, &case.geometry)?;
    let Some(report) = report else { return Ok(Exit::Agreed) };
    let known = known.of_report(Some(&report));
    let why = known.as_ref().map_or_else(String::new, |known| format!(" ({})", known.text()));
    say!("{}{why}: {}", report.signature, folder.join("report.html").display())?;
    Ok(if note.is_none() && known.is_none() { Exit::Mismatch } else { Exit::Agreed })
}

/// Runs the stored case of a failure again and writes its report. If the case no longer fails, the stored report is
/// kept and written again in the current format. Also returns a note if the case no longer fails, or fails in another
/// way than before.
fn rebuild(
    folder: &Path,
    case: &Case,
    index: Option<&str>,
    setup: &RunSetup<'_>,
    build: &Build,
) -> Result<(Option<Report>, Option<String>), CommandError> {
    let stored = drra_campaign::stored_report(folder)?;
    let request = ReportRequest {
        repeat: drra_campaign::repeat_command(folder),
        reduced: stored.as_ref().and_then(|s| s.reduced.clone()),
        checkout: checkout::same_version(build).is_some(),
        variation: stored.as_ref().and_then(|s| s.variation.clone()),
        common: stored.as_ref().map_or_else(Vec::new, |s| s.common.clone()),
        fabrics: stored.as_ref().map_or_else(Vec::new, |s| s.fabrics.clone()),
        waves: true,
    };
    let executor = worker::worker_pool(&worker::NEVER, WorkerLimits::default());
    let run = CaseRun { report: Some(&request), ..CaseRun::of(case) };
    let CaseResult { report, waves, .. } = executor.run_case(&run, setup)?;
    if let Some(report) = report.as_deref().or(stored.as_ref()) {
        let write = |bundle: Bundle<'_>| bundle.write_report(report, waves.as_ref(), index);
        Bundle::create(folder).and_then(write).map_err(CampaignError::Bundle)?;
    }
    let Some(report) = report else {
        let note = "the stored case does not fail with this build".to_owned();
        return Ok((stored, Some(note)));
    };
    let note = stored
        .filter(|s| s.signature != report.signature)
        .map(|_| format!("the stored case now fails as {}", report.signature));
    Ok((Some(*report), note))
}

/// The results in a folder of the series.
pub(super) struct NightResults {
    pub(super) folder: PathBuf,
    pub(super) run: HistoryRun,
    campaigns: Vec<Summary>,
    /// The folders of the campaigns.
    folders: Vec<PathBuf>,
    /// The bins that the campaigns hit; `None` if they are unknown for one of the campaigns.
    hits: Option<Coverage>,
}

/// The parts of a mutation run's summary that are needed here.
#[derive(Deserialize)]
struct MutationScore {
    score: f64,
    #[serde(rename = "mutants")]
    _mutants: serde::de::IgnoredAny,
}

pub(super) fn history(a: &ReportArgs, build: &Build) -> Result<Exit, CommandError> {
    let nights = a.history.iter().map(|folder| NightResults::read(folder));
    let mut nights = nights.collect::<Result<Vec<_>, _>>()?;
    nights.sort_by_key(|night| night.run.time());
    let last = nights.last().map(|night| night.folder.clone()).unwrap_or_default();
    compare(nights, a.out.as_ref().unwrap_or(&last), &a.known.read()?, build)
}

/// Compares the last of these nights with the others, and writes the history to `out`.
pub(super) fn compare(
    nights: Vec<NightResults>,
    out: &Path,
    known: &KnownDeviations,
    build: &Build,
) -> Result<Exit, CommandError> {
    let setup = build.design.map(|_| build.setup(None)).transpose()?;
    let executor = worker::worker_pool(&worker::NEVER, WorkerLimits::default());
    let runs = nights.iter().map(|night| (night.run.clone(), night.campaigns.clone())).collect();
    let mut history = History::new(runs, known, |failure| match &setup {
        Some(setup) => still_fails(failure, &nights, &executor, setup),
        None => Ok(None),
    })?;
    history.add_coverage(&nights.iter().map(|night| night.hits.as_ref()).collect::<Vec<_>>());
    fs::create_dir_all(out).map_err(|e| file(out, e, "give a writable folder with --out"))?;
    let page = out.join("history.html");
    for failure in &mut history.failures {
        failure.report = report(failure, &nights, out);
    }
    for (path, text) in
        [(out.join("history.json"), history.to_json()), (page.clone(), history.page())]
    {
        save(&path, &text)?;
    }
    write!(stdout(), "{}", history.to_text())?;
    let shown = history.present().flat_map(|failure| &failure.variants);
    for line in known.unmatched(shown.map(|variant| (variant.as_str(), None))) {
        say!("warning: {line}")?;
    }
    say!("history in {}", page.display())?;
    Ok(match history.incomplete().next() {
        _ if history.fails() => Exit::Mismatch,
        Some(_) => Exit::Interrupted,
        None => Exit::Agreed,
    })
}

/// True if a signature is a variant of a failure.
fn is_of(history: &FailureHistory, name: &str) -> bool {
    signature::failure(name) == history.signature
}

/// A link from `out` to the page of a failure in the last run in which it occurred. If that is the most recent run, a
/// page in the subfolder of the profile in `out` is preferred.
fn report(history: &FailureHistory, nights: &[NightResults], out: &Path) -> Option<String> {
    let last = (history.last + 1 == nights.len()).then(|| out.join(&history.profile));
    let page = nights[history.last].of(&history.profile).find_map(|(folder, summary)| {
        let failure = summary.failures.iter().find(|f| is_of(history, &f.signature))?;
        let pages =
            last.iter().chain([folder]).map(|f| f.join(&failure.folder).join("report.html"));
        pages.filter_map(|page| page.canonicalize().ok()).next()
    })?;
    let out = out.canonicalize().ok()?;
    let (above, common) =
        out.ancestors().enumerate().find(|(_, folder)| page.starts_with(folder))?;
    Some(format!("./{}{}", "../".repeat(above), page.strip_prefix(common).ok()?.to_str()?))
}

/// Runs the stored cases of a failure that did not occur in the last campaigns. Returns true if a case still fails in
/// this way, and false if all of them agree. Returns `None` if this is unknown, because a case is missing or fails in
/// another way, or because this build cannot run it or has other RTL than the last campaigns.
fn still_fails(
    history: &FailureHistory,
    nights: &[NightResults],
    executor: &dyn Executor,
    setup: &RunSetup<'_>,
) -> Result<Option<bool>, CommandError> {
    let rtl = setup.design.fingerprint().sources;
    let mut last = nights.iter().rev().take(1).flat_map(|night| night.of(&history.profile));
    if last.any(|(_, summary)| summary.identity.rtl != rtl) {
        return Ok(None);
    }
    let mut known = None;
    for (folder, summary) in nights[history.last].of(&history.profile) {
        for failure in summary.failures.iter().filter(|f| is_of(history, &f.signature)) {
            let text = read_text(&folder.join(&failure.folder).join(CASE));
            let case = text.ok().and_then(|text| drra_case::parse(&text).ok());
            let Some(case) = case.filter(|c| sizes::check("", c, setup.design).is_ok()) else {
                return Ok(None);
            };
            known = match executor.run_case(&CaseRun::of(&case), setup)?.failure {
                None => Some(false),
                Some(failure) if is_of(history, &failure.signature) => return Ok(Some(true)),
                Some(_) => return Ok(None),
            };
        }
    }
    Ok(known)
}

impl NightResults {
    /// Reads the summaries in a folder and in its direct subfolders.
    pub(super) fn read(folder: &Path) -> Result<Self, CommandError> {
        let remedy = "give the folder of a campaign, or one with a subfolder per profile";
        let mut all = entries(folder, remedy)?;
        all.insert(0, folder.to_owned());
        let (mut campaigns, mut folders, mut mutation_score) = (Vec::new(), Vec::new(), None);
        for of_campaign in all.into_iter().filter(|folder| folder.join(SUMMARY).is_file()) {
            let path = of_campaign.join(SUMMARY);
            let remedy = "write it again with drra report DIR, or leave this folder out";
            let text = read_text(&path).map_err(|e| file(&path, e, remedy))?;
            if let Ok(mutation) = serde_json::from_str::<MutationScore>(&text) {
                mutation_score = Some(mutation.score);
                continue;
            }
            campaigns.push(Summary::parse(&text).map_err(|e| file(&path, e, remedy))?);
            folders.push(of_campaign);
        }
        if campaigns.is_empty() && mutation_score.is_none() {
            let remedy = suggest::campaigns(folder, ", or one with such a subfolder per profile");
            return Err(file(folder, format!("this folder contains no {SUMMARY}"), remedy));
        }
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let name = absolute.file_name().unwrap_or_default().to_string_lossy();
        let run = HistoryRun::new(shown::line(&name), &campaigns, mutation_score);
        let hits = match cmd_cover::read(&folders, true) {
            Ok(joined) => (!folders.is_empty()).then_some(joined.coverage),
            // A night of an earlier version.
            Err(CommandError::Campaign(CampaignError::NoCampaign { .. })) => None,
            Err(e) => {
                note!("warning: the joint coverage lacks the hits of this run: {e}");
                None
            }
        };
        Ok(Self { folder: folder.to_owned(), run, campaigns, folders, hits })
    }

    /// True if both folders contain the results of the same campaigns.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.campaigns == other.campaigns && self.run.mutation_score == other.run.mutation_score
    }

    /// The campaigns of a profile, with their folders.
    fn of(&self, profile: &str) -> impl Iterator<Item = (&PathBuf, &Summary)> {
        self.folders.iter().zip(&self.campaigns).filter(move |(_, s)| s.profile == profile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drra_campaign::InProcessExecutor;
    use drra_case::{programs, to_json};
    use drra_isa::Geometry;
    use drra_lockstep::{Design, GoldenDesign};
    use drra_results::{
        history::FailureStatus,
        identity::CampaignIdentity,
        known::KnownDeviations,
        summary::{Failure, Timing},
    };
    use drra_testkit::{Fault, FaultyDesign, Flip};

    fn night(day: u32, failures: Vec<Failure>, folder: &Path) -> NightResults {
        let rtl = GoldenDesign.fingerprint().sources.to_owned();
        let identity = CampaignIdentity { rtl, ..CampaignIdentity::default() };
        let started = format!("2026-01-{day:02}T22:00:00Z");
        let timing = Timing { started, ..Timing::default() };
        let campaign =
            Summary { profile: "smoke".into(), identity, failures, timing, ..Summary::default() };
        let campaigns = vec![campaign];
        let run = HistoryRun::new("n".into(), &campaigns, None);
        let folders = vec![folder.into()];
        NightResults { folder: folder.into(), run, campaigns, folders, hits: None }
    }

    /// A failure that did not occur in the last campaign is fixed if its stored case agrees, and not fixed if the case
    /// still fails. Otherwise this is unknown: the case is missing or fails in another way, or the last campaign used
    /// different RTL.
    #[test]
    fn only_what_agrees_is_fixed() {
        let dir = tempfile::tempdir().unwrap();
        let case = programs::ALL[0].case(&Geometry::default()).unwrap();
        let flip = Flip { cycle: 30, location: "cell[0][0].rf.mem[40]".parse().unwrap(), bit: 3 };
        let faulty = FaultyDesign::new(&GoldenDesign, Fault::Flip(flip));
        let of = |design| RunSetup::new(design);
        let seen =
            InProcessExecutor.run_case(&CaseRun::of(&case), &of(&faulty)).unwrap().failure.unwrap();
        let status = |design, name: &str, folder: &str, rtl: Option<&str>| {
            let (signature, folder) = (name.to_owned(), folder.to_owned());
            let failure = Failure { signature, count: 1, folder, ..Failure::default() };
            let mut found = [night(1, vec![failure], dir.path()), night(2, vec![], dir.path())];
            if let Some(rtl) = rtl {
                found[1].campaigns[0].identity.rtl = rtl.to_owned();
            }
            let nights = found.iter().map(|n| (n.run.clone(), n.campaigns.clone())).collect();
            let again = |history: &FailureHistory| {
                still_fails(history, &found, &InProcessExecutor, &of(design))
            };
            let history = History::new(nights, &KnownDeviations::default(), again).unwrap();
            assert_eq!(history.fails(), history.failures[0].status == FailureStatus::StillFailing);
            history.failures[0].status
        };
        fs::create_dir(dir.path().join("stored")).unwrap();
        fs::write(dir.path().join("stored/case.json"), to_json(&case)).unwrap();
        let name = &*seen.signature;
        assert_eq!(status(&GoldenDesign, name, "stored", None), FailureStatus::Fixed);
        assert_eq!(status(&faulty, name, "stored", None), FailureStatus::StillFailing);
        assert_eq!(status(&faulty, "another", "stored", None), FailureStatus::NotReached);
        assert_eq!(status(&GoldenDesign, name, "nowhere", None), FailureStatus::NotReached);
        assert_eq!(status(&GoldenDesign, name, "stored", Some("other")), FailureStatus::NotReached);
    }
}
