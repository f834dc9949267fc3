// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra map check`: shows the signals that a map finds in a waveform, entry by entry. `drra map learn`: infers a map
//! from waveforms of known cases. `drra map rtl`: prints the map of this project's RTL. `drra map verilator`: prints a
//! configuration file that makes the signals of a map readable.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    ops::ControlFlow,
};

use drra_case::load::ProgramInputs;
use drra_fabric::Location;
use drra_isa::Geometry;
use drra_lockstep::{ComparisonCoverage, StateCount, UncomparedReason};
use drra_recorded::{
    LatestValues, SignalNames, Waveform, WaveformError,
    infer::{InferenceVerdict, InferredFamily, InferredMap, RecordedCase, SURE, infer},
    map::{EntryUse, Expression, MapError, MapFile, MapProblem, RegisterEntry, SignalMap},
    own_map, samples,
};
use serde_json::{Value, json};

use super::{args::MapCommand, program, waveform::read_map};
use crate::command_prelude::*;

pub(super) fn run(command: &MapCommand, build: &Build) -> Result<Exit, CommandError> {
    match command {
        MapCommand::Check { map, waveform, json } => {
            check(map, waveform, *json, build.default_size())
        }
        MapCommand::Learn { files, map, out } => {
            learn(files, map.as_deref(), out.as_deref(), build)
        }
        MapCommand::Rtl { fabric } => {
            write!(stdout(), "{}", own_map(&fabric.unwrap_or(build.default_size())))?;
            Ok(Exit::Agreed)
        }
        MapCommand::Verilator { map } => verilator(map, build.default_size()),
    }
}

/// Prints the variables that a map names, in all modules, because a map does not name modules.
fn verilator(map: &Path, usual: Geometry) -> Result<Exit, CommandError> {
    let read = read_map(map)?;
    let paths = SignalMap::missing(&read, &SignalNames::default(), &read.size(usual));
    let names: BTreeSet<&str> = paths.iter().map(|path| variable(path)).collect();
    say!("`verilator_config")?;
    for name in names {
        say!("public_flat_rd -module \"*\" -var \"{name}\"")?;
    }
    Ok(Exit::Agreed)
}

/// The last level of a path, without indices.
fn variable(mut path: &str) -> &str {
    while let Some(open) = path.strip_suffix(']').and_then(|path| path.rfind('[')) {
        path = path[..open].trim_end_matches('.');
    }
    path.rsplit('.').next().unwrap_or(path)
}

/// Checks a map for the fabric size that it specifies; unspecified dimensions are as in `usual`.
fn check(map: &Path, waveform: &Path, json: bool, usual: Geometry) -> Result<Exit, CommandError> {
    let read = read_map(map)?;
    let size = &read.size(usual);
    let opened = Waveform::open(waveform).map_err(|e| usage(e.to_string(), ""))?;
    let bound = match SignalMap::resolve(&read, opened.names(), size) {
        Ok(bound) => bound,
        Err(e) if json => return refused(&e),
        Err(e) => return Err(e.into()),
    };
    let clock = WaveformClock::of(&opened, &bound).map_err(|e| usage(e.to_string(), ""))?;
    let found = MappedSignals { file: &read, map: &bound, clock, waveform: &opened, size };
    if json {
        say!("{:#}", found.as_json())?;
    } else {
        found.write()?;
    }
    Ok(if found.clock.cycle_0.is_some() { Exit::Agreed } else { Exit::BadInput })
}

/// Prints all problems of a map as JSON.
fn refused(e: &MapError) -> Result<Exit, CommandError> {
    let problem = |p: &MapProblem| {
        let (line, column) = e.place(p);
        json!({
            "line": line, "column": column, "problem": p.what, "remedy": p.help,
            "register": p.example.map(|l| l.to_string()), "more": p.more
        })
    };
    let problems: Vec<Value> = e.problems.iter().map(problem).collect();
    say!("{:#}", json!({"usable": false, "problems": problems}))?;
    Ok(Exit::BadInput)
}

/// Clock and cycle 0 of a waveform.
struct WaveformClock {
    edges: u64,
    /// Times of the first two edges.
    times: Vec<u64>,
    /// The edge that ends cycle 0.
    cycle_0: Option<u64>,
    /// The place where the file is truncated, if it is truncated.
    cut: Option<String>,
}

impl WaveformClock {
    fn of(waveform: &Waveform, map: &SignalMap) -> Result<Self, WaveformError> {
        let mut wanted: Vec<_> = map.reset.iter().map(|r| r.signal).collect();
        wanted.extend(map.cycle_0.when.iter().flat_map(Expression::signals));
        let mut clock = Self { edges: 0, times: Vec::new(), cycle_0: None, cut: None };
        let mut values = LatestValues::default();
        let cut = samples(waveform, map.clock, &wanted, &mut |sample| {
            values.apply(&sample);
            if clock.times.len() < 2 {
                clock.times.push(sample.time);
            }
            if clock.cycle_0.is_none() && map.begins(&values) == Ok(true) {
                clock.cycle_0 = Some(sample.edge + u64::from(map.cycle_0.skip));
            }
            clock.edges = sample.edge + 1;
            ControlFlow::Continue(())
        })?;
        clock.cycle_0 = clock.cycle_0.filter(|edge| *edge < clock.edges);
        clock.cut = cut;
        Ok(clock)
    }

    fn period(&self) -> Option<u64> {
        Some(self.times.get(1)? - self.times.first()?)
    }
}

/// The signals that a map finds in a waveform.
struct MappedSignals<'a> {
    file: &'a MapFile,
    map: &'a SignalMap,
    clock: WaveformClock,
    waveform: &'a Waveform,
    size: &'a Geometry,
}

impl MappedSignals<'_> {
    /// Names of the ports that carry the stimulus, and of the ports that are compared.
    fn ports(&self) -> [Vec<&'static str>; 2] {
        let ports = &self.map.ports;
        let inputs = ports.inputs.keys().map(|port| port.name()).collect();
        [inputs, ports.outputs.keys().map(|port| port.name()).collect()]
    }

    fn write(&self) -> io::Result<()> {
        let Self { file, map, clock, waveform, size } = self;
        for (written, entry) in file.registers.iter().zip(&map.entries) {
            write_entry(written, entry)?;
        }
        let path = |id| &waveform.names().signal(id).path;
        let period =
            clock.period().map_or_else(String::new, |p| format!(", the first two {p} apart"));
        say!("\nclock: {}, {} edges{period}", path(map.clock.signal), clock.edges)?;
        if let Some(reset) = &map.reset {
            let level = if reset.high { "high" } else { "low" };
            say!("reset: {}, active {level}", path(reset.signal))?;
        }
        match clock.cycle_0 {
            Some(edge) => say!("cycle 0: ends with edge {edge} (counted from 0)")?,
            None => say!("cycle 0: not in the waveform; check `reset` and `cycle_0` of the map")?,
        }
        let [ports, outputs] = self.ports();
        say!("ports: {}", if ports.is_empty() { "none".to_owned() } else { ports.join(", ") })?;
        if !outputs.is_empty() {
            say!("outputs: {}", outputs.join(", "))?;
        }
        for (port, path) in &map.ports.lacking {
            say!("port {port}: {path} is missing from the waveform")?;
        }
        if let Some(cut) = &clock.cut {
            say!("the waveform is truncated: {cut}")?;
        }
        say!("")?;
        let names = ["compared", "not in the waveform", "excluded by the map", "not in the map"];
        for (name, StateCount { registers, bits }) in names.iter().zip(amounts(map, size)) {
            say!("{name:<20} {registers:>6} registers {bits:>8} bits")?;
        }
        let mut patterns: BTreeMap<String, usize> = BTreeMap::new();
        unmapped(map).for_each(|(at, _)| *patterns.entry(starred(*at)).or_default() += 1);
        for (pattern, count) in patterns.iter().take(MAX_UNMAPPED) {
            say!("not in the map: {pattern} ({count})")?;
        }
        if patterns.len() > MAX_UNMAPPED {
            say!("not in the map: {} other patterns", patterns.len() - MAX_UNMAPPED)?;
        }
        Ok(())
    }

    fn as_json(&self) -> Value {
        let Self { file, map, clock, waveform, size } = self;
        let amount = |a: StateCount| json!({"registers": a.registers, "bits": a.bits});
        let [compared, lacking, excluded, unmapped_all] = amounts(map, size).map(amount);
        let entries = file.registers.iter().zip(&map.entries);
        let entries: Vec<Value> =
            entries.map(|(written, entry)| entry_as_json(written, entry)).collect();
        let [inputs, outputs] = self.ports();
        json!({
            "usable": clock.cycle_0.is_some(),
            "entries": entries,
            "clock": {
                "signal": waveform.names().signal(map.clock.signal).path,
                "edges": clock.edges, "period": clock.period()
            },
            "reset": map.reset.map(|r| waveform.names().signal(r.signal).path.clone()),
            "cycle_0_edge": clock.cycle_0,
            "cut": clock.cut,
            "ports": inputs,
            "outputs": outputs,
            "lacking_ports": map.ports.lacking,
            "compared": compared,
            "lacking": lacking,
            "excluded": excluded,
            "unmapped": unmapped_all,
            "unmapped_registers": unmapped(map).map(|(l, _)| l.to_string()).collect::<Vec<_>>()
        })
    }
}

/// Counts the registers that are compared, not in the waveform, excluded by the map, and not in the map.
fn amounts(map: &SignalMap, size: &Geometry) -> [StateCount; 4] {
    let ComparisonCoverage { units, not_compared, .. } = map.compared(size);
    let left_out = |is: fn(&UncomparedReason) -> bool| {
        not_compared.iter().filter(|n| is(&n.why)).map(|n| n.count).sum()
    };
    [
        units.iter().map(|unit| unit.compared).sum(),
        left_out(|why| {
            matches!(why, UncomparedReason::Lacking { .. } | UncomparedReason::Removed { .. })
        }),
        left_out(|why| matches!(why, UncomparedReason::Excluded { .. })),
        left_out(|why| *why == UncomparedReason::Unmapped),
    ]
}

/// Registers that are not in the map.
fn unmapped(map: &SignalMap) -> impl Iterator<Item = &(Location, UncomparedReason)> {
    map.left_out.iter().filter(|(_, why)| *why == UncomparedReason::Unmapped)
}

/// Maximum number of patterns of registers that are not in the map.
const MAX_UNMAPPED: usize = 19;

/// The path of a register, with `*` for each index.
fn starred(location: Location) -> String {
    let path = location.to_string();
    let pieces = path.split('[').map(|piece| piece.split_once(']').map_or(piece, |(_, rest)| rest));
    pieces.collect::<Vec<_>>().join("[*]")
}

/// Prints an entry: the number of registers, the signals, and the missing signals.
fn write_entry(written: &RegisterEntry, entry: &EntryUse) -> io::Result<()> {
    let width = match entry.widths {
        None => String::new(),
        Some((least, most)) if least == most => format!(", width {least}"),
        Some((least, most)) => format!(", width {least} to {most}"),
    };
    let counts: Vec<String> =
        [(entry.mapped, "compared"), (entry.lacking, "missing"), (entry.excluded, "excluded")]
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
    let counts = if counts.is_empty() { "no registers".to_owned() } else { counts.join(", ") };
    say!("{}: {counts}{width}", written.register)?;
    if entry.elsewhere > 0 {
        say!("    {} covered by entries with more fixed indices", entry.elsewhere)?;
    }
    if let Some((location, paths)) = &entry.example {
        say!("    {location} = {}", paths.join(", "))?;
    }
    let choices: Vec<String> =
        entry.choices.iter().map(|(place, count)| format!("{place} ({count})")).collect();
    if !choices.is_empty() {
        say!("    alternatives used: {}", choices.join(", "))?;
    }
    if let Some((location, path, nearest)) = &entry.missing {
        say!("    {location}: {path} is missing from the waveform")?;
        if !nearest.is_empty() {
            say!("    similar signals: {}", nearest.join(", "))?;
        }
    }
    if let Some(reason) = &entry.reason {
        say!("    excluded: {reason}")?;
    }
    if let Some(note) = &written.note {
        say!("    note: {note}")?;
    }
    Ok(())
}

fn entry_as_json(written: &RegisterEntry, entry: &EntryUse) -> Value {
    json!({
        "register": written.register,
        "compared": entry.mapped,
        "lacking": entry.lacking,
        "excluded": entry.excluded,
        "elsewhere": entry.elsewhere,
        "widths": entry.widths,
        "example": entry.example.as_ref().map(|(l, signals)| json!({"register": l.to_string(), "signals": signals})),
        "alternatives": entry.choices,
        "missing": entry.missing.as_ref().map(|(location, path, nearest)| json!({
            "register": location.to_string(), "path": path, "nearest": nearest
        })),
        "reason": entry.reason,
        "note": written.note
    })
}

/// Maximum number of further matches to list.
const MAX_OTHERS: usize = 3;

fn learn(
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
        let case = program::read(case, &ProgramInputs::default(), build)?;
        let waveform = Waveform::open(waveform).map_err(|e| usage(e.to_string(), ""))?;
        runs.push(RecordedCase { case, waveform });
    }
    let size = runs.first().map_or(build.default_size(), |r| r.case.geometry);
    if let Some(other) = runs.iter().find(|r| r.case.geometry != size) {
        let what = format!("{}: fabric {}, not {size}", other.case.name, other.case.geometry);
        return Err(usage(what, "give cases of one fabric size"));
    }
    let inferred = infer(&runs, partial.as_ref(), &size)
        .map_err(|e| usage(e.to_string(), "see harness/guide/signal-map.md"))?;
    show(&inferred, waveforms)?;
    if inferred.map.registers.is_empty() {
        let what = format!("no register was found in {} signals", inferred.signals);
        let help = "check that each waveform shows the registers and belongs to the case at the same position; give \
                    cases that use more of the fabric";
        return Err(usage(what, help));
    }
    match out {
        Some(out) => {
            save(out, &inferred.map.text)?;
            say!("{} is a proposal: review it, then run drra check with it", out.display())?;
        }
        None => say!("add --out FILE to write the map")?,
    }
    Ok(Exit::Agreed)
}

fn show(inferred: &InferredMap, waveforms: &[PathBuf]) -> Result<(), CommandError> {
    for family in &inferred.families {
        show_family(family)?;
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
        |of: fn(&InferredFamily) -> bool| inferred.families.iter().filter(|p| of(p)).count();
    say!(
        "\n{} register patterns, {} signals: {} found ({} ambiguous, {} weak with fewer than {SURE} distinct changes), {} \
         not found or not expressible, {} cannot be inferred because they never change or their block is never active",
        inferred.families.len(),
        inferred.signals,
        count(|p| matches!(p.verdict, InferenceVerdict::Found { .. })),
        count(
            |p| matches!(&p.verdict, InferenceVerdict::Found { others, .. } if !others.is_empty())
        ),
        count(InferredFamily::is_weak),
        count(|p| matches!(p.verdict, InferenceVerdict::Missing(_))),
        count(|p| p.verdict == InferenceVerdict::Quiet),
    )?;
    Ok(())
}

/// The verdict for a family without an entry, which `count` describes, and the best match.
fn missing_text(nearest: Option<&(String, usize)>, changing: usize, count: &str) -> String {
    let Some((path, agreed)) = nearest else { return format!("not found, {count}") };
    let (verdict, best, why) = if *agreed == changing {
        let why = ", but no arithmetic on the indices yields a matching path for every register: write the entries by hand";
        ("not expressible", "path", why)
    } else {
        ("not found", "partial match", "")
    };
    format!("{verdict}, {count}\n    {best}: {path} matches {agreed} of {changing}{why}")
}

fn show_family(family: &InferredFamily) -> Result<(), CommandError> {
    let InferredFamily { register, registers, changing, changes, different, verdict } = family;
    let count = format!(
        "{changing} of {registers} change, {changes} changes in total, {different} distinct"
    );
    match verdict {
        InferenceVerdict::Quiet if *changing == 0 => say!("{register}: never changes")?,
        InferenceVerdict::Quiet => say!("{register}: its block is never active, {count}")?,
        InferenceVerdict::Missing(nearest) => {
            say!("{register}: {}", missing_text(nearest.as_ref(), *changing, &count))?;
        }
        InferenceVerdict::Found { paths, constant_bits, others } => {
            let weak = if family.is_weak() { "weak, " } else { "" };
            let word = if others.is_empty() { "found" } else { "ambiguous" };
            say!("{register}: {weak}{word}, {count}")?;
            paths.iter().try_for_each(|path| say!("    {path}"))?;
            if *constant_bits > 0 {
                say!("    {constant_bits} bits never change and are written as constants")?;
            }
            others.iter().take(MAX_OTHERS).try_for_each(|other| say!("    or {other}"))?;
            if others.len() > MAX_OTHERS {
                say!("    or {} others", others.len() - MAX_OTHERS)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_of_a_path_is_its_last_level_without_indices() {
        let paths = ["tb.clk", "tb.u[0].x_q", "tb.u.mem[3][1]", "tb.u.mem.[3]", "clk"];
        assert_eq!(paths.map(variable), ["clk", "x_q", "mem", "mem", "clk"]);
    }

    #[test]
    fn a_path_that_matches_all_registers_is_found() {
        let nearest = ("t.u[#].x".to_owned(), 4);
        let all = missing_text(Some(&nearest), 4, "4 of 4 change");
        let begin =
            "not expressible, 4 of 4 change\n    path: t.u[#].x matches 4 of 4, but no arithmetic";
        assert!(all.starts_with(begin), "{all}");
        let some = missing_text(Some(&nearest), 5, "5 of 5 change");
        assert_eq!(some, "not found, 5 of 5 change\n    partial match: t.u[#].x matches 4 of 5");
    }
}
