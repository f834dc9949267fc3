// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra lint`: probable mistakes in programs.

use std::time::Instant;

use drra_files::from_here;
use drra_lint::{Kind, ProgramFindings, VERSION};
use drra_report::text::counted;
use drra_results::junit;

use super::{
    args::{self, LintArgs},
    findings::{FindingRules, Findings, examine},
    program,
};
use crate::command_prelude::*;

pub(super) fn run(a: &LintArgs, build: &Build) -> Result<Exit, CommandError> {
    if a.kinds {
        return kinds();
    }
    if a.files.len() > 1 && (a.start.mem.is_some() || !a.start.arrays.is_empty()) {
        let help = "check the programs one by one, or put their data into the programs";
        return Err(usage("--mem and --in can be used with one program only", help));
    }
    let extras = args::extras(&a.start, build)?;
    let rules =
        FindingRules { args: &a.findings, hints: a.all, deny_lost: false, lost_only: false };
    let (mut exit, mut count, mut allowed, mut cycles) = (Exit::Agreed, 0, 0, 0);
    let (mut all, mut runs) = (Vec::new(), Vec::new());
    for path in &a.files {
        let start = Instant::now();
        let name = from_here(path).to_string();
        let examined = program::load_for(path, &extras, a.start.fabric, build)
            .and_then(|program| examine(path, &program, a.start.cycles, rules));
        let found: Findings = match examined {
            Ok(found) => found,
            Err(e) => {
                // An invalid file does not prevent the others from being checked.
                note!("{}", e.text());
                exit = exit.max(e.exit());
                let refused = Some(e.to_string());
                runs.push(junit::TestRun { name, refused, ..Default::default() });
                continue;
            }
        };
        for line in &found.denied {
            say!("{line}")?;
        }
        for line in &found.others {
            say!("{line}")?;
        }
        if !found.denied.is_empty() {
            exit = exit.max(Exit::Mismatch);
        }
        count += found.all.len();
        allowed += found.allowed;
        cycles += found.run.cycles;
        let program = path.display().to_string();
        let (length, unexpected, warnings) = (found.run.cycles, found.denied, found.others);
        all.push(ProgramFindings {
            version: VERSION,
            program,
            cycles: length,
            allowed: found.allowed,
            findings: found.all,
        });
        let time = start.elapsed();
        let run = junit::TestRun {
            name,
            time,
            cycles: length,
            unexpected,
            warnings,
            ..Default::default()
        };
        runs.push(run);
    }
    if let Some(path) = &a.json {
        save(path, &ProgramFindings::to_json(&all))?;
    }
    if let Some(path) = &a.junit {
        save(path, &junit::findings(&runs))?;
    }
    if all.is_empty() {
        return Ok(exit);
    }
    let programs = counted(all.len() as u64, "program");
    let comments = match allowed {
        0 => String::new(),
        _ => format!("; {allowed} allowed by comments"),
    };
    match count {
        0 => say!("no findings in {programs}, {cycles} cycles on the golden model{comments}")?,
        _ => say!("{} in {programs}, {cycles} cycles{comments}", counted(count as u64, "finding"))?,
    }
    Ok(exit)
}

/// Prints the kinds of findings.
fn kinds() -> Result<Exit, CommandError> {
    for kind in Kind::ALL {
        let level = kind.level().name();
        say!("{:22} {level:8} {}; {}", kind.name(), kind.section(), kind.help())?;
    }
    Ok(Exit::Agreed)
}
