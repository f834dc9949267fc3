// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra map learn`: infers a signal map from waveforms of known cases.

use drra_case::{load::Extras, output::write_whole};
use drra_recorded::{
    Waveform,
    infer::{CaseRun, Inferred, InferredPattern, SURE, Verdict, infer},
};

use super::{program, waveform::read_map};
use crate::command_prelude::*;

/// Maximum number of further matches to list.
const OTHERS: usize = 3;

pub(super) fn run(
    files: &[PathBuf],
    partial: Option<&Path>,
    out: Option<&Path>,
    build: &Build,
) -> Result<Exit, CommandError> {
    if !files.len().is_multiple_of(2) {
        let what = format!("{} files: the numbers of cases and waveforms differ", files.len());
        return Err(usage(what, "give all cases first, then their waveforms in the same order"));
    }
    let partial = partial.map(read_map).transpose()?;
    let (cases, waveforms) = files.split_at(files.len() / 2);
    let mut runs = Vec::new();
    for (case, waveform) in cases.iter().zip(waveforms) {
        let case = program::read(case, &Extras::default(), build)?;
        let waveform = Waveform::open(waveform).map_err(|e| usage(e.to_string(), ""))?;
        runs.push(CaseRun { case, waveform });
    }
    let size = runs.first().map_or(build.default_size(), |r| r.case.geometry);
    if let Some(other) = runs.iter().find(|r| r.case.geometry != size) {
        let what = format!("{}: fabric {}, not {size}", other.case.name, other.case.geometry);
        return Err(usage(what, "give cases of one fabric size"));
    }
    let inferred = infer(&runs, partial.as_ref(), &size)
        .map_err(|e| usage(e.to_string(), "see harness/guide/signal-map.md"))?;
    if let Some(out) = out {
        let written = write_whole(out, inferred.map.text.as_bytes());
        written.map_err(|e| file(out, e, "give a writable file"))?;
    }
    show(&inferred, waveforms, out)?;
    Ok(Exit::Agreed)
}

fn show(
    inferred: &Inferred,
    waveforms: &[PathBuf],
    out: Option<&Path>,
) -> Result<(), CommandError> {
    for pattern in &inferred.patterns {
        show_pattern(pattern)?;
    }
    let map = &inferred.map;
    let clock = map.clock.as_ref().map_or("not found", |(_, path)| map.source(path));
    say!("\nclock: {clock}")?;
    let reset = map.reset.as_ref().map_or("not found", |(_, path)| map.source(path));
    say!("reset: {reset}")?;
    let ports: Vec<&str> = map.ports.keys().map(|port| port.name()).collect();
    let ports = if ports.is_empty() { "not found".to_owned() } else { ports.join(", ") };
    say!("ports: {ports}")?;
    for (waveform, (edge, cycles)) in waveforms.iter().zip(&inferred.cycles) {
        let waveform = waveform.display();
        say!("{waveform}: cycle 0 ends with edge {edge} (counted from 0), {cycles} cycles")?;
    }
    let count =
        |of: fn(&InferredPattern) -> bool| inferred.patterns.iter().filter(|p| of(p)).count();
    say!(
        "\n{} register patterns, {} signals: {} found ({} ambiguous, {} weak with fewer than {SURE} distinct changes), {} \
         not found, {} cannot be inferred because they never change or their block is never active",
        inferred.patterns.len(),
        inferred.signals,
        count(|p| matches!(p.verdict, Verdict::Found { .. })),
        count(|p| matches!(&p.verdict, Verdict::Found { others, .. } if !others.is_empty())),
        count(InferredPattern::is_weak),
        count(|p| matches!(p.verdict, Verdict::Missing(_))),
        count(|p| p.verdict == Verdict::Quiet),
    )?;
    match out {
        Some(out) => {
            say!("{} is a proposal: review it, then run drra check with it", out.display())?
        }
        None => say!("add --out FILE to write the map")?,
    }
    Ok(())
}

fn show_pattern(pattern: &InferredPattern) -> Result<(), CommandError> {
    let InferredPattern { register, registers, changing, changes, different, verdict } = pattern;
    let count = format!(
        "{changing} of {registers} change, {changes} changes in total, {different} distinct"
    );
    match verdict {
        Verdict::Quiet if *changing == 0 => say!("{register}: never changes")?,
        Verdict::Quiet => say!("{register}: its block is never active, {count}")?,
        Verdict::Missing(nearest) => {
            say!("{register}: not found, {count}")?;
            if let Some((path, agreed)) = nearest {
                say!("    partial match: {path} matches {agreed} of {changing}")?;
            }
        }
        Verdict::Found { paths, constant_bits, others } => {
            let weak = if pattern.is_weak() { "weak, " } else { "" };
            let word = if others.is_empty() { "found" } else { "ambiguous" };
            say!("{register}: {weak}{word}, {count}")?;
            paths.iter().try_for_each(|path| say!("    {path}"))?;
            if *constant_bits > 0 {
                say!("    {constant_bits} bits never change and are written as constants")?;
            }
            others.iter().take(OTHERS).try_for_each(|other| say!("    or {other}"))?;
            if others.len() > OTHERS {
                say!("    or {} others", others.len() - OTHERS)?;
            }
        }
    }
    Ok(())
}
