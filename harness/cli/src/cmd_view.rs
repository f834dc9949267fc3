// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra view`: an HTML page that shows a program cycle by cycle.

use drra_view::{CycleWindow, record};

use super::{
    args::{self, FindingArgs, ProgramArgs, ViewArgs},
    findings::{self, FindingRules},
    program,
};
use crate::command_prelude::*;

pub(super) fn run(a: &ViewArgs, build: &Build) -> Result<Exit, CommandError> {
    args::check_cycles(a.from, a.to)?;
    let ProgramArgs { file: path, start } = &a.program;
    let extras = args::extras(start, build)?;
    let program = program::load_for(path, &extras, start.fabric, build)?;
    let mut recording = record(&program.case, start.cycles, CycleWindow { from: a.from, to: a.to });
    if findings::is_program(&program) {
        let rules = FindingRules {
            args: &FindingArgs::default(),
            hints: false,
            deny_lost: false,
            lost_only: false,
        };
        recording.findings = findings::examine(path, &program, start.cycles, rules)?.others;
        recording.findings.iter().for_each(|finding| note!("{finding}"));
    }
    let (name, statistics) = (&recording.name, &recording.statistics);
    // The page also shows the state after the last cycle.
    let last = statistics.cycles;
    if let Some(from) = a.from.filter(|from| *from > last) {
        let message = format!("{name}: --from {from} is after the end of the run");
        return Err(usage(message, format!("give a cycle up to {last}")));
    }
    if recording.is_cut() && a.from.is_none() && a.to.is_none() {
        note!(
            "warning: {name}: the page shows only the first {} of {last} cycles; use --from and --to for others",
            recording.to + 1
        );
    }
    let out = a.out.clone().unwrap_or_else(|| format!("{}.html", drra_files::stem(path)).into());
    drra_files::write_whole(&out, recording.page().as_bytes())
        .map_err(|e| file(&out, e, "give a writable file with --out"))?;
    match a.stats {
        true => write!(stdout(), "{}", statistics.text())?,
        false => say!("{name}: {}", statistics.sentence())?,
    }
    say!("page in {}", out.display())?;
    Ok(Exit::Agreed)
}
