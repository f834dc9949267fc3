// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra view`: an HTML page that shows a program cycle by cycle.

use drra_files::shell;
use drra_view::{CycleWindow, record};

use super::{
    args::{self, FindingArgs, ProgramArgs, ViewArgs},
    cmd_run,
    findings::{self, FindingRules},
    program, run_checks,
};
use crate::command_prelude::*;

/// Maximum size of a page in bytes, so that browsers stay fast.
const MAX_BYTES: usize = 5_000_000;

pub(super) fn run(a: &ViewArgs, build: &Build) -> Result<Exit, CommandError> {
    args::check_cycles(a.from, a.to)?;
    let ProgramArgs { file: path, start } = &a.program;
    let extras = args::extras(start, build)?;
    let program = program::load_for(path, &extras, start.fabric, build)?;
    let (case, cycles) = (&program.case, start.cycles);
    let mut marks = Vec::new();
    if findings::is_program(&program) {
        let rules = FindingRules {
            args: &FindingArgs::default(),
            hints: false,
            deny_lost: false,
            lost_only: false,
        };
        let found = findings::examine(path, &program, cycles, rules)?;
        found.others.iter().for_each(|finding| note!("{finding}"));
        marks = found.all;
        // What the text alone shows comes first.
        marks.sort_by_key(|mark| mark.cycle);
    }
    let plan = a.schedule.as_deref().map(|path| run_checks::planned(path, case, &extras, cycles));
    let plan = plan.transpose()?.unwrap_or_default();
    let mut window = CycleWindow { from: a.from, to: a.to };
    let (recording, page) = loop {
        let mut recording = record(case, cycles, window);
        recording.statistics = recording.statistics.locate(&program.lines);
        let (name, last) = (&recording.name, recording.statistics.cycles);
        // The page also shows the state after the last cycle.
        if let Some(from) = a.from.filter(|from| *from > last) {
            let message = format!("{name}: --from {from} is after the end of the run");
            return Err(usage(message, format!("give a cycle up to {last}")));
        }
        let wanted = a.to.unwrap_or(last).min(last);
        if recording.to < wanted {
            let files = [("schedule", &a.schedule)];
            let options = cmd_run::options(start, &files);
            let to = a.to.map_or_else(String::new, |to| format!(" --to {to}"));
            let next = recording.to + 1;
            let (file, stem) = (shell::path(path), drra_files::stem(path));
            // The page that names the command is kept.
            let out = shell::path(format!("{stem}-{next}.html").as_ref());
            recording.rest =
                Some(format!("drra view {file}{options} --from {next}{to} --out {out}"));
        }
        recording.add_source(&program.lines, program.text.as_deref());
        recording.add_plan(&plan);
        recording.marks.clone_from(&marks);
        let page = recording.page();
        let shown = recording.to - recording.from + 1;
        if page.len() <= MAX_BYTES || shown == 1 {
            break (recording, page);
        }
        // Busy cycles take more space than others, so that this can happen again.
        let fits = shown * MAX_BYTES as u64 / page.len() as u64 * 19 / 20;
        window.to = Some(recording.from + fits.max(1) - 1);
    };
    let (name, statistics) = (&recording.name, &recording.statistics);
    if let Some(rest) = &recording.rest {
        note!(
            "warning: {name}: the page shows only cycles {} to {} of {}; for the next ones, use\n  {rest}",
            recording.from,
            recording.to,
            statistics.cycles
        );
    }
    let out = a.out.clone().unwrap_or_else(|| format!("{}.html", drra_files::stem(path)).into());
    drra_files::write_whole(&out, page.as_bytes())
        .map_err(|e| file(&out, e, "give a writable file with --out"))?;
    match a.stats {
        true => write!(stdout(), "{}", statistics.text())?,
        false => say!("{name}: {}", statistics.sentence())?,
    }
    say!("page in {}", out.display())?;
    Ok(Exit::Agreed)
}
