// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra map learn`: proposes a signal map for dumps of known cases.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use drra_case::{load::Extras, output::write_whole};
use drra_recorded::{
    Waveform,
    infer::{CaseRun, Inferred, InferredPattern, SURE, Verdict, infer},
};

use super::{
    Exit,
    build::Build,
    console::stdout,
    error::{CommandError, file, usage},
    map_file, program,
};

/// Forms that are named of those that agree as well.
const OTHERS: usize = 3;

pub(super) fn run(
    files: &[PathBuf],
    partial: Option<&Path>,
    out: Option<&Path>,
    build: &Build,
) -> Result<Exit, CommandError> {
    if !files.len().is_multiple_of(2) {
        let what = format!("{} files are not as many cases as dumps", files.len());
        return Err(usage(what, "give all cases first, then the dump of each in the same order"));
    }
    let partial = partial.map(map_file::read).transpose()?;
    let (cases, dumps) = files.split_at(files.len() / 2);
    let mut recordings = Vec::new();
    for (case, dump) in cases.iter().zip(dumps) {
        let case = program::read(case, &Extras::default(), build)?;
        let dump = Waveform::open(dump).map_err(|e| usage(e.to_string(), ""))?;
        recordings.push(CaseRun { case, waveform: dump });
    }
    let size = recordings.first().map_or(build.usual(), |r| r.case.geometry);
    if let Some(other) = recordings.iter().find(|r| r.case.geometry != size) {
        let what = format!("{}: for a fabric {}, not {size}", other.case.name, other.case.geometry);
        return Err(usage(what, "give recordings of fabrics of one size"));
    }
    let learned = infer(&recordings, partial.as_ref(), &size)
        .map_err(|e| usage(e.to_string(), "see harness/guide/signal-map.md"))?;
    if let Some(out) = out {
        let written = write_whole(out, learned.map.text.as_bytes());
        written.map_err(|e| file(out, e, "name a file that can be written"))?;
    }
    show(&learned, dumps, out)?;
    Ok(Exit::Agreed)
}

fn show(learned: &Inferred, dumps: &[PathBuf], out: Option<&Path>) -> Result<(), CommandError> {
    let to = &mut stdout();
    for pattern in &learned.patterns {
        show_pattern(to, pattern)?;
    }
    let map = &learned.map;
    let clock = map.clock.as_ref().map_or("not found", |(_, path)| map.source(path));
    writeln!(to, "\nclock: {clock}")?;
    let reset = map.reset.as_ref().map_or("not found", |(_, path)| map.source(path));
    writeln!(to, "reset: {reset}")?;
    let ports: Vec<&str> = map.ports.keys().map(|port| port.name()).collect();
    let ports = if ports.is_empty() { "not found".to_owned() } else { ports.join(", ") };
    writeln!(to, "ports: {ports}")?;
    for (dump, (edge, cycles)) in dumps.iter().zip(&learned.cycles) {
        let dump = dump.display();
        writeln!(to, "{dump}: cycle 0 ends with edge {edge} (counted from 0), {cycles} cycles")?;
    }
    let count =
        |of: fn(&InferredPattern) -> bool| learned.patterns.iter().filter(|p| of(p)).count();
    writeln!(
        to,
        "\n{} patterns of registers in {} signals: {} found, {} of them with several forms of path, {} weak (fewer than \
         {SURE} different changes); {} missing; {} never change or never work and cannot be learned",
        learned.patterns.len(),
        learned.signals,
        count(|p| matches!(p.verdict, Verdict::Found { .. })),
        count(|p| matches!(&p.verdict, Verdict::Found { others, .. } if !others.is_empty())),
        count(InferredPattern::is_weak),
        count(|p| matches!(p.verdict, Verdict::Missing(_))),
        count(|p| p.verdict == Verdict::Quiet),
    )?;
    match out {
        Some(out) => {
            writeln!(to, "{} is a proposal: look at it, then check dumps with it", out.display())?
        }
        None => writeln!(to, "with --out FILE the map is written")?,
    }
    Ok(())
}

fn show_pattern(to: &mut impl Write, pattern: &InferredPattern) -> Result<(), CommandError> {
    let InferredPattern { register, registers, changing, changes, different, verdict } = pattern;
    let count = format!(
        "{changing} of {registers} change, {changes} times in all, {different} of them different"
    );
    match verdict {
        Verdict::Quiet if *changing == 0 => writeln!(to, "{register}: never changes")?,
        Verdict::Quiet => writeln!(to, "{register}: its block never works, {count}")?,
        Verdict::Missing(nearest) => {
            writeln!(to, "{register}: missing, {count}")?;
            if let Some((path, agreed)) = nearest {
                writeln!(to, "    {path} agrees with {agreed} of {changing}")?;
            }
        }
        Verdict::Found { paths, constant_bits, others } => {
            let weak = if pattern.is_weak() { "weak, " } else { "" };
            let word = if others.is_empty() { "found" } else { "ambiguous" };
            writeln!(to, "{register}: {weak}{word}, {count}")?;
            paths.iter().try_for_each(|path| writeln!(to, "    {path}"))?;
            if *constant_bits > 0 {
                writeln!(to, "    {constant_bits} bits never change and are written as constants")?;
            }
            others.iter().take(OTHERS).try_for_each(|other| writeln!(to, "    or {other}"))?;
            if others.len() > OTHERS {
                writeln!(to, "    or {} others", others.len() - OTHERS)?;
            }
        }
    }
    Ok(())
}
