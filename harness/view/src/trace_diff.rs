// SPDX-License-Identifier: MIT OR Apache-2.0
//! The differences between two runs. Instructions are aligned per cell, in the order in which they are decoded, so that
//! one more instruction does not make all later cycles different; then the events of aligned instructions are compared.

use std::collections::{BTreeMap, BTreeSet};

use drra_fabric::AguId;
use drra_isa::{Opcode, Unit, instructions::refi};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::{RecordedRun, cost::UNITS};

/// An executed instruction with the events that it causes. The first of each unit is none: it has all other events.
#[derive(Debug, Default)]
struct Decode {
    cycle: u64,
    address: usize,
    text: String,
    /// By part of the unit: text and cycle of each event.
    events: BTreeMap<&'static str, Vec<(String, u64)>>,
}

/// The differences between two completely recorded runs, a line each, below a headline; `old | new` separates their
/// values. Cycles are not compared, but the durations of instructions are. Of differences that repeat, only the first is
/// given.
pub fn differences(old: &RecordedRun, new: &RecordedRun) -> Vec<String> {
    let mut lines = Vec::new();
    let mut seen = BTreeSet::new();
    let mut add = |place: String, first: String| {
        if seen.insert(place.clone()) {
            lines.push(format!("{place}: {first}"));
        }
    };
    let [a, b] = [old, new].map(units);
    let none = vec![Decode::default()];
    for unit in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
        let [a, b] = [&a, &b].map(|of| of.get(unit).unwrap_or(&none));
        compare(*unit, a, b, &mut add);
    }
    let [a, b] = [old, new].map(|of| of.statistics.cycles);
    let count = drra_report::text::counted(lines.len() as u64, "difference");
    lines.insert(0, format!("{} | {}: {a} | {b} cycles, {count}", old.name, new.name));
    lines
}

/// The instructions of each unit, with their events.
fn units(run: &RecordedRun) -> BTreeMap<Unit, Vec<Decode>> {
    let mut units = BTreeMap::<Unit, Vec<Decode>>::new();
    // By part and by the first cycle in which the instruction has an effect: the position of the instruction.
    let mut effects = BTreeMap::<(Unit, &str, u64), usize>::new();
    let mut waiting = Vec::new();
    for (cycle, unit, line) in run.decodes() {
        let all = units.entry(unit).or_insert_with(|| vec![Decode::default()]);
        let words = &line.instruction.words;
        let port = (refi::PORT_NO.get(words), refi::DIMARCH.get(words) == 1);
        let is_port = |agu: &AguId| (agu.refi_port().0 as u64, agu.refi_port().1) == port;
        let part = match line.instruction.opcode() {
            Some(Opcode::Refi) => AguId::ALL.iter().position(is_port),
            Some(Opcode::Dpu) => Some(AguId::ALL.len()),
            _ => None,
        };
        waiting.extend(part.map(|part| (unit, UNITS[part], all.len())));
        for (_, part, position) in waiting.extract_if(.., |of| of.0 == unit && line.immediate) {
            effects.insert((unit, part, cycle + if part == "DPU" { 2 } else { 1 }), position);
        }
        all.push(Decode { cycle, address: line.address, text: line.text(), ..Decode::default() });
    }
    for (cycle, unit, _, part, text) in run.events() {
        // A result belongs to operands of an earlier cycle.
        let by =
            if part.starts_with("out") { ("DPU", cycle.saturating_sub(1)) } else { (part, cycle) };
        let before = effects.range((unit, by.0, 0)..=(unit, by.0, by.1)).next_back();
        let all = units.entry(unit).or_insert_with(|| vec![Decode::default()]);
        let events = &mut all[before.map_or(0, |(_, position)| *position)].events;
        events.entry(part).or_default().push((text, cycle));
    }
    units
}

/// Compares a unit in both runs.
fn compare(unit: Unit, a: &[Decode], b: &[Decode], add: &mut impl FnMut(String, String)) {
    let [old, new] = [a, b].map(|all| all.iter().map(|of| of.text.as_str()).collect::<Vec<_>>());
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let (old, new) = (op.old_range(), op.new_range());
        if !matches!(op, DiffOp::Equal { .. }) {
            for (sign, all) in [("-", &a[old]), ("+", &b[new])] {
                for Decode { cycle, address, text, .. } in all {
                    add(format!("{sign} {unit} {address} {text}"), format!("cycle {cycle}"));
                }
            }
            continue;
        }
        for (i, j) in old.clone().zip(new) {
            let instruction = format!(" {} {}", b[j].address, b[j].text);
            let place = format!("  {unit}{}", if j > 0 { &instruction } else { "" });
            let cycles = |all: &[Decode], k: usize| all[k + 1].cycle - all[k].cycle;
            if i > 0 && i + 1 < old.end && cycles(a, i) != cycles(b, j) {
                let [old, new] = [cycles(a, i), cycles(b, j)];
                add(format!("{place}, duration"), format!("{old} | {new} cycles"));
            }
            for part in a[i].events.keys().chain(b[j].events.keys()).collect::<BTreeSet<_>>() {
                let none = Vec::new();
                let [a, b] = [&a[i], &b[j]].map(|of| of.events.get(part).unwrap_or(&none));
                let text = |all: &[(String, u64)], k: usize| Some(all.get(k)?.0.clone());
                let length = a.len().max(b.len());
                let differ: Vec<_> = (0..length).filter(|k| text(a, *k) != text(b, *k)).collect();
                let Some(first) = differ.first() else { continue };
                let [a, b] = [a, b].map(|all| match all.get(*first) {
                    Some((text, cycle)) => format!("{text} in cycle {cycle}"),
                    None => "nothing".to_owned(),
                });
                let n = differ.len();
                add(format!("{place}, {part}"), format!("{n} of {length} differ, first {a} | {b}"));
            }
        }
    }
}
