// SPDX-License-Identifier: MIT OR Apache-2.0
//! The contents of a waveform. VCD and traces are read by a few lines of code that the command does not use, FST and
//! GHW by the reader of the command.

use std::{collections::BTreeMap, fs, ops::ControlFlow, path::Path};

use drra_recorded::{Clock, Edge, LatestValues, Waveform, samples};
use serde_json::Value;

use super::recording::RST_N;

/// The values of signals from the end of the reset on.
#[derive(Default)]
pub(super) struct ShownValues {
    /// By path: a value for each cycle.
    pub(super) values: BTreeMap<String, Vec<String>>,
    pub(super) cycles: usize,
    /// True if signals without values are 0 all the time.
    pub(super) zeros: bool,
}

/// The paths and widths of a VCD by identifier.
type DeclaredSignals = BTreeMap<String, Vec<(String, usize)>>;

impl ShownValues {
    /// From FST and GHW, only signals with these names are read, because other signals, which are not compared, may be
    /// damaged.
    pub(super) fn read(format: &str, path: &Path, names: &[String]) -> Result<Self, String> {
        let text = || fs::read(path).map(|b| String::from_utf8_lossy(&b).into_owned());
        match format {
            "vcd" => text().map_err(|e| e.to_string()).and_then(|t| Self::of_vcd(&t)),
            "jsonl" => text().map_err(|e| e.to_string()).and_then(|t| Self::of_trace(&t)),
            _ => Self::of_waves(path, names),
        }
    }

    fn end_of_cycle(&mut self, now: &BTreeMap<String, String>) {
        if now.get(RST_N).is_none_or(|n| n == "1") {
            for (path, value) in now {
                // A signal without a value until now was unknown.
                let values = self.values.entry(path.clone()).or_default();
                values.resize(self.cycles, "x".repeat(value.len()));
                values.push(value.clone());
            }
            self.cycles += 1;
        }
    }

    fn of_vcd(text: &str) -> Result<Self, String> {
        let mut tokens = text.split_ascii_whitespace();
        let (mut declared, mut scopes) = (DeclaredSignals::new(), Vec::new());
        while let Some(token) = tokens.next() {
            let words: Vec<&str> = if token.starts_with('$') {
                tokens.by_ref().take_while(|t| *t != "$end").collect()
            } else {
                continue;
            };
            match (token, &words[..]) {
                ("$enddefinitions", _) => break,
                ("$scope", [_, name]) => scopes.push((*name).to_owned()),
                ("$upscope", _) => _ = scopes.pop(),
                ("$var", [_, width, id, name, ..]) => {
                    let path =
                        [&scopes[..], &[(*name).to_owned()]].concat().join(".").to_lowercase();
                    let width = width.parse().map_err(|_| "no width")?;
                    declared.entry((*id).to_owned()).or_default().push((path, width));
                }
                _ => {}
            }
        }
        let (mut shown, mut now) = (Self::default(), BTreeMap::new());
        let (mut level, mut before) = (None, BTreeMap::new());
        let mut settle = |now: &BTreeMap<String, String>, before: &mut BTreeMap<String, String>| {
            let clock = now.get("bench.clk").cloned();
            if level.as_deref() == Some("0") && clock.as_deref() == Some("1") {
                shown.end_of_cycle(before);
            }
            level = clock;
            before.clone_from(now);
        };
        while let Some(token) = tokens.next() {
            let (value, id) = match token.split_at_checked(1) {
                Some(("#", _)) => {
                    settle(&now, &mut before);
                    continue;
                }
                Some(("$", _)) => continue,
                Some(("b" | "B", value)) => (value, tokens.next().ok_or("half a value")?),
                Some(parts) => parts,
                None => return Err("not a token".to_owned()),
            };
            for (path, width) in declared.get(id).into_iter().flatten() {
                let value = value.to_ascii_lowercase().replace('h', "1").replace('l', "0");
                let fill = if value.starts_with(['x', 'z']) { &value[..1] } else { "0" };
                let long = fill.repeat(width.saturating_sub(value.len())) + &value;
                now.insert(path.clone(), long[long.len() - width..].to_owned());
            }
        }
        settle(&now, &mut before);
        Ok(shown)
    }

    fn of_trace(text: &str) -> Result<Self, String> {
        let mut lines =
            text.lines().map(|line| serde_json::from_str::<Value>(line).map_err(|e| e.to_string()));
        lines.next().ok_or("no header")??;
        let (mut shown, mut now) = (Self::default(), BTreeMap::new());
        for line in lines {
            let line = line?;
            let cycle = line["cycle"].as_u64().or(line["last_cycle"].as_u64()).ok_or("no cycle")?;
            while shown.cycles < cycle as usize {
                shown.end_of_cycle(&now);
            }
            let (Some(path), Some(value)) = (line["path"].as_str(), line["value"].as_str()) else {
                continue;
            };
            let location: drra_fabric::Location = path.parse().map_err(|_| "no path")?;
            let width = location.register.width(&drra_cosim::GEOMETRY) as usize;
            let bits = |c: char| format!("{:04b}", c.to_digit(16).unwrap_or(0));
            let bits: String = value.trim_start_matches("0x").chars().map(bits).collect();
            let long = format!("{bits:0>width$}");
            now.insert(path.to_owned(), long[long.len() - width..].to_owned());
        }
        shown.end_of_cycle(&now);
        shown.zeros = true;
        // In a trace, every signal starts at 0.
        for values in shown.values.values_mut() {
            values.iter_mut().for_each(|v| *v = v.replace('x', "0"));
        }
        Ok(shown)
    }

    /// Uses the reader of the command, but not its comparison.
    fn of_waves(path: &Path, names: &[String]) -> Result<Self, String> {
        let dump = Waveform::open(path).map_err(|e| e.to_string())?;
        let signal = dump.names().find("bench.clk").map_err(|e| format!("{e:?}"))?;
        let known = |path: &String| names.iter().any(|name| name.to_lowercase() == *path);
        let all: Vec<_> = dump.names().all().map(|(id, s)| (id, s.path.to_lowercase())).collect();
        let all: Vec<_> = all.into_iter().filter(|(_, path)| known(path)).collect();
        let ids: Vec<_> = all.iter().map(|(id, _)| *id).collect();
        let (mut shown, mut values) = (Self::default(), LatestValues::default());
        let digit = |bit: Option<bool>| bit.map_or('x', |bit| if bit { '1' } else { '0' });
        samples(&dump, Clock { signal, edge: Edge::Rising }, &ids, &mut |sample| {
            values.apply(&sample);
            let mut now = BTreeMap::new();
            for (id, path) in &all {
                if let Some(drra_recorded::WaveformValue::Bits(bits)) = values.get(*id) {
                    now.insert(
                        path.clone(),
                        (0..bits.width()).rev().map(|n| digit(bits.bit(n))).collect(),
                    );
                }
            }
            shown.end_of_cycle(&now);
            ControlFlow::Continue(())
        })
        .map_err(|e| e.to_string())?;
        Ok(shown)
    }
}
