// SPDX-License-Identifier: MIT OR Apache-2.0
//! The plan of a mutation run: mutants selected from the sources or from changed lines, the faults of the regression
//! cases, or published bugs.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use drra_case::load::read_text;
use drra_files::write_whole;
use drra_host::foreign;

use crate::{
    DesignModules, Mutant, MutantCandidate, MutateError, Operator, Tools,
    bug::planted,
    candidates,
    error::{WRITABLE, file, usage},
    guarded, order,
    record::{MutationPlan, PLAN, PLAN_VERSION, RegressionFault, waivers},
};

/// Folder of the regression cases, below that of the project.
const REGRESSIONS: &str = "tests/regressions";
/// Their faults.
const FAULTS: &str = "faults.json";

/// Options of a run.
#[derive(Clone, Debug)]
pub struct MutationOptions {
    /// Modules to mutate; if empty, all modules.
    pub modules: Vec<String>,
    /// Maximum number of mutants.
    pub count: usize,
    /// Seed for the selection and the campaign.
    pub seed: u64,
    /// Give each mutant a guard, without which it does not act.
    pub guarded: bool,
    /// Mutate only lines that changed since this git revision.
    pub changed_since: Option<String>,
    /// Run the bugs of a folder with patches instead of selected mutants or, without a folder, each regression case on
    /// its fault.
    pub regressions: Option<Option<PathBuf>>,
    /// Profile of the generator: a name or a file.
    pub profile: String,
    /// Number of cases to run on each mutant and fabric size, or fewer if one of them kills the mutant.
    pub cases: u64,
    /// Fabric sizes, columns by tile rows: `2x1`.
    pub fabrics: Vec<String>,
    /// Worker processes.
    pub jobs: usize,
    /// A case that takes longer is a hang.
    pub watchdog: Duration,
    /// Bytes of memory that a worker may use.
    pub memory: u64,
    /// The JUnit report has failures below this score, in percent.
    pub min_score: f64,
}

/// The RTL of a project on disk.
#[derive(Debug)]
pub struct RtlProject {
    /// The folder of the project.
    pub(crate) project: PathBuf,
    /// The folder of the RTL.
    pub(crate) folder: PathBuf,
    /// Names of the files in the list.
    pub(crate) files: Vec<String>,
    pub(crate) tools: Tools,
    pub design: DesignModules,
}

impl RtlProject {
    /// Reads the RTL of the project in a folder.
    ///
    /// # Errors
    /// If slang cannot be installed, or there is no RTL that can be read.
    pub fn read(project: &Path) -> Result<Self, MutateError> {
        Self::in_folder(Tools::of(project)?, project, &project.join("rtl"))
    }

    /// Reads the RTL in a folder with a file list.
    pub(crate) fn in_folder(
        tools: Tools,
        project: &Path,
        folder: &Path,
    ) -> Result<Self, MutateError> {
        let list = folder.join("rtl.f");
        let remedy = "run drra from a checkout that still has its sources";
        let text = read_text(&list).map_err(|e| file(&list, e, remedy))?;
        let names = text.lines().filter(|line| line.ends_with(".sv"));
        let files: Vec<String> = names.map(str::to_owned).collect();
        let design = DesignModules::read(&tools, folder, &files)?;
        Ok(Self { project: project.to_owned(), folder: folder.to_owned(), files, tools, design })
    }

    /// Copies the files of the RTL into a folder.
    pub(crate) fn copy(&self, to: &Path) -> Result<(), MutateError> {
        copy(&self.folder, to)
    }
}

/// Copies the files of a folder, except those in folders, into a folder, which is created.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), MutateError> {
    let of = |path: &Path| {
        let path = path.to_owned();
        move |e: std::io::Error| file(&path, e, WRITABLE)
    };
    fs::create_dir_all(to).map_err(of(to))?;
    for entry in fs::read_dir(from).map_err(of(from))? {
        let path = entry.map_err(of(from))?.path();
        if path.is_file() {
            let target = to.join(path.file_name().unwrap_or_default());
            fs::copy(&path, target).map_err(of(&path))?;
        }
    }
    Ok(())
}

/// Makes the plan for the options.
pub(crate) fn draw(
    a: &MutationOptions,
    rtl: &RtlProject,
) -> Result<(MutationPlan, Vec<MutantCandidate>), MutateError> {
    let own = a.regressions == Some(None);
    let (mut chosen, saved) = match &a.regressions {
        Some(None) => faults(rtl)?,
        Some(Some(folder)) => (planted(rtl, folder)?, None),
        None => (drawn(a, rtl)?, None),
    };
    for (place, candidate) in chosen.iter_mut().enumerate() {
        candidate.mutant.number = place as u32 + 1;
    }
    let fabrics = if own { vec!["8x2".to_owned()] } else { a.fabrics.clone() };
    let sizes = chosen.iter().filter_map(|c| c.mutant.bug.as_ref()).map(|bug| bug.fabric.clone());
    let sizes = Vec::from_iter(BTreeSet::from_iter(sizes));
    let fabrics = if sizes.is_empty() { fabrics } else { sizes };
    let plan = MutationPlan {
        version: PLAN_VERSION,
        seed: a.seed,
        profile: a.profile.clone(),
        cases: if own { 1 } else { a.cases },
        fabrics,
        mutants: chosen.iter().map(|c| c.mutant.clone()).collect(),
        saved,
    };
    Ok((plan, chosen))
}

fn drawn(a: &MutationOptions, rtl: &RtlProject) -> Result<Vec<MutantCandidate>, MutateError> {
    let mut all = candidates(&rtl.design);
    let known: BTreeSet<&str> = all.iter().map(|c| c.mutant.block.as_str()).collect();
    if let Some(unknown) = a.modules.iter().find(|b| !known.contains(b.as_str())) {
        let names: Vec<&str> = known.into_iter().collect();
        return Err(usage(
            format!("--modules {unknown}: no module of this name has mutants"),
            format!("give one of: {}", names.join(", ")),
        ));
    }
    if !a.modules.is_empty() {
        all.retain(|c| a.modules.contains(&c.mutant.block));
    }
    if let Some(revision) = &a.changed_since {
        let lines = changed_lines(rtl, revision)?;
        all.retain(|c| lines.get(&c.mutant.file).is_some_and(|l| touches(&c.mutant, rtl, l)));
    }
    if a.guarded {
        return Ok(guarded(&rtl.design, &all, &waivers(&rtl.folder)?, a.seed, a.count));
    }
    let mut places = order(&all, a.seed);
    places.truncate(a.count);
    places.sort_unstable();
    Ok(places.into_iter().map(|place| all[place].clone()).collect())
}

/// True if a mutant changes one of the lines.
fn touches(mutant: &Mutant, rtl: &RtlProject, lines: &BTreeSet<u32>) -> bool {
    let [from, to] = mutant.bytes;
    let more = rtl.design.text(&mutant.file)[from..to].matches('\n').count() as u32;
    lines.range(mutant.line..=mutant.line + more).next().is_some()
}

/// New and changed lines of the RTL since a revision, by file.
fn changed_lines(
    rtl: &RtlProject,
    revision: &str,
) -> Result<BTreeMap<String, BTreeSet<u32>>, MutateError> {
    let output = foreign::git(&rtl.project)
        .args(["diff", "--unified=0", "--no-color", "--no-ext-diff", revision, "--", "rtl"])
        .output()
        .map_err(|e| usage(format!("git: {e}"), "install git, or omit --changed-since"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(usage(format!("--changed-since {revision}: {text}"), "give a git revision"));
    }
    Ok(lines_of_diff(&String::from_utf8_lossy(&output.stdout)))
}

/// Lines on the new side of a diff without context, by file name without folder.
fn lines_of_diff(diff: &str) -> BTreeMap<String, BTreeSet<u32>> {
    let mut all: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    let mut name = String::new();
    for line in diff.lines() {
        if let Some(path) = line.strip_prefix("+++ ") {
            name = path.rsplit('/').next().unwrap_or_default().to_owned();
        } else if let Some(hunk) = line.strip_prefix("@@ ") {
            let new = hunk.split(' ').nth(1).and_then(|n| n.strip_prefix('+')).unwrap_or_default();
            let (first, count) = new.split_once(',').unwrap_or((new, "1"));
            let (first, count) = (first.parse().unwrap_or(0), count.parse::<u32>().unwrap_or(0));
            all.entry(name.clone()).or_default().extend(first..first + count);
        }
    }
    all
}

/// The faults of the regression cases, and the files of these cases.
///
/// # Errors
/// If the list of faults cannot be read, or one of the faults is not a fault of this RTL.
pub fn faults(
    rtl: &RtlProject,
) -> Result<(Vec<MutantCandidate>, Option<Vec<String>>), MutateError> {
    let path = rtl.project.join(REGRESSIONS).join(FAULTS);
    let read = |e: Box<dyn std::error::Error + Send + Sync>| file(&path, e, "correct the file");
    let text = read_text(&path).map_err(|e| read(e.into()))?;
    let faults: Vec<RegressionFault> = serde_json::from_str(&text).map_err(|e| read(e.into()))?;
    let mut all = Vec::new();
    for fault in faults {
        let case = path.with_file_name(&fault.case);
        if !case.is_file() {
            let what = format!("{}: there is no such case", fault.case);
            return Err(file(&path, what, "restore the case, or remove its entry"));
        }
        let case = case.display().to_string();
        let candidate = rtl.design.planted(&fault.file, &fault.old, &fault.new, fault.operator);
        match candidate {
            Some(candidate) => all.push((candidate, case)),
            None => {
                let what = format!(
                    "{}: {:?} does not occur exactly once in {}",
                    fault.case, fault.old, fault.file
                );
                return Err(file(&path, what, "give whole tokens of one statement"));
            }
        }
    }
    all.sort_by_key(|(candidate, _)| candidate.by_place());
    let (candidates, cases) = all.into_iter().unzip();
    Ok((candidates, Some(cases)))
}

/// Writes the plan into a folder that has none.
pub(crate) fn store(folder: &Path, plan: &MutationPlan) -> Result<(), MutateError> {
    fs::create_dir_all(folder).map_err(|e| file(folder, e, WRITABLE))?;
    let path = folder.join(PLAN);
    if path.exists() {
        return Err(file(
            &path,
            "this folder already contains a mutation run",
            "resume it with --resume, or give another folder",
        ));
    }
    let text = serde_json::to_string_pretty(plan).unwrap_or_default();
    write_whole(&path, text.as_bytes()).map_err(|e| file(&path, e, WRITABLE))
}

/// Reads the plan in a folder, and finds its mutants in the sources.
pub(crate) fn stored(
    folder: &Path,
    rtl: &RtlProject,
) -> Result<(MutationPlan, Vec<MutantCandidate>), MutateError> {
    let plan = MutationPlan::read(folder)?;
    if plan.is_of_bugs() {
        let chosen = plan.mutants.iter().cloned().map(MutantCandidate::whole).collect();
        return Ok((plan, chosen));
    }
    let all = match plan.saved {
        Some(_) => faults(rtl)?.0,
        None => candidates(&rtl.design),
    };
    let mut by_change: BTreeMap<_, MutantCandidate> =
        all.into_iter().map(|c| (identity(&c.mutant), c)).collect();
    let find = |m: &Mutant| {
        let mut found = by_change.remove(&identity(m))?;
        found.mutant.number = m.number;
        found.mutant.guard = m.guard.clone();
        (found.mutant == *m).then_some(found)
    };
    let found: Option<Vec<MutantCandidate>> = plan.mutants.iter().map(find).collect();
    let chosen = found.ok_or_else(|| {
        file(
            &folder.join(PLAN),
            "the RTL has changed since the run was started",
            "start a new run with another --out",
        )
    })?;
    Ok((plan, chosen))
}

fn identity(m: &Mutant) -> (String, [usize; 2], String, Operator) {
    (m.file.clone(), m.bytes, m.after.clone(), m.operator)
}

#[cfg(test)]
mod tests {
    use drra_testkit::{PROJECT, skip};

    use super::*;

    /// The guards of a resumed run are those of its plan.
    #[test]
    fn a_guarded_run_is_resumed() {
        let Some(tools) = Tools::installed(PROJECT.as_ref()) else {
            return skip("DRRA_HDL_TOOLS", "slang and Yosys are not installed: .ci/synthesize");
        };
        let folder = tempfile::tempdir().unwrap();
        let text = "module m (input logic clk_i, input logic [3:0] a_i, output logic [3:0] x_o);\n\
                    logic [3:0] n_q;\nalways_ff @(posedge clk_i) n_q <= a_i;\nassign x_o = ~a_i;\nendmodule\n";
        fs::write(folder.path().join("m.sv"), text).unwrap();
        fs::write(folder.path().join("rtl.f"), "m.sv\n").unwrap();
        let rtl = RtlProject::in_folder(tools, PROJECT.as_ref(), folder.path()).unwrap();
        let mut chosen = guarded(&rtl.design, &candidates(&rtl.design), &[], 1, 9);
        chosen.iter_mut().zip(1..).for_each(|(c, number)| c.mutant.number = number);
        let mutants: Vec<Mutant> = chosen.into_iter().map(|c| c.mutant).collect();
        assert!(!mutants.is_empty() && mutants.iter().all(|m| m.guard.is_some()), "{mutants:?}");
        let plan = MutationPlan {
            version: PLAN_VERSION,
            seed: 1,
            profile: "default".to_owned(),
            cases: 1,
            fabrics: Vec::new(),
            mutants: mutants.clone(),
            saved: None,
        };
        store(folder.path(), &plan).unwrap();
        let (again, found) = stored(folder.path(), &rtl).unwrap();
        assert_eq!((again, found.into_iter().map(|c| c.mutant).collect()), (plan, mutants));
    }

    #[test]
    fn lines_of_a_diff() {
        let diff = "--- a/rtl/x.sv\n+++ b/rtl/x.sv\n@@ -3 +3,2 @@ module x\n-a\n+b\n+c\n@@ -9,2 +10,0 @@\n-d\n-e\n";
        let lines: Vec<u32> = lines_of_diff(diff)["x.sv"].iter().copied().collect();
        assert_eq!(lines, [3, 4]);
    }
}
