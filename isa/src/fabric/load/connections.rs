// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of units, and the signals that enter blocks.

use std::collections::BTreeMap;

use super::{
    FabricError, Loader,
    names::{Names, form, unit_kind},
};
use crate::{
    fabric::{
        connections::{SignalSource, Source, Whose},
        file::*,
        model::*,
    },
    place::UnitKind,
};

/// The signals and sets of signals that sources name.
struct Connections<'a> {
    /// Unit and key of each signal.
    kinds: Vec<(UnitKind, Option<usize>)>,
    names: &'a Names,
    sets: BTreeMap<&'a str, &'a [String]>,
}

impl Loader {
    pub(super) fn parts(file: &File) -> Result<(Vec<PartInfo>, Names), FabricError> {
        let names = Names::of("part", "parts", file.parts.iter().map(|p| &*p.name))?;
        let entry = |(i, p): (usize, &PartEntry)| {
            Ok(PartInfo {
                name: p.name.clone(),
                unit: unit_kind(format!("parts[{i}].unit"), &p.unit)?,
            })
        };
        Ok((file.parts.iter().enumerate().map(entry).collect::<Result<_, _>>()?, names))
    }

    /// Fills in what enters the blocks of registers, signals and ports.
    pub(super) fn connect(
        &self,
        file: &File,
        (groups, signals, ports): (&mut [GroupInfo], &mut [SignalInfo], &mut [PortInfo]),
        names: &Names,
    ) -> Result<(), FabricError> {
        Names::of("signal set", "signal_sets", file.signal_sets.iter().map(|s| &*s.name))?;
        let sets = file.signal_sets.iter().map(|s| (&*s.name, &*s.signals)).collect();
        let known =
            Connections { kinds: signals.iter().map(|s| (s.unit, s.key)).collect(), names, sets };
        for (i, (g, entry)) in groups.iter_mut().zip(&file.groups).enumerate() {
            g.from = self.sources(&format!("groups[{i}]"), &entry.from, (g.unit, g.key), &known)?;
        }
        for (i, (s, entry)) in signals.iter_mut().zip(&file.signals).enumerate() {
            s.from =
                self.sources(&format!("signals[{i}]"), &entry.from, (s.unit, s.key), &known)?;
        }
        for (i, (p, entry)) in ports.iter_mut().zip(&file.ports).enumerate() {
            p.from = self.sources(&format!("ports[{i}]"), &entry.from, (p.unit, None), &known)?;
        }
        Ok(())
    }

    /// Sources as they are written: `refi`, `agu_hit[*]`, `N: north.msg_v`, `@loop` for a set. `unit` and
    /// `key` are those of what the block hands out.
    fn sources(
        &self,
        at: &str,
        texts: &[String],
        (unit, key): (UnitKind, Option<usize>),
        known: &Connections<'_>,
    ) -> Result<Vec<Source>, FabricError> {
        let mut found = Vec::new();
        for (i, text) in texts.iter().enumerate() {
            let at = format!("{at}.from[{i}]");
            match text.strip_prefix('@') {
                None => found.push(self.source(&at, text, (unit, key), known)?),
                Some(set) => {
                    let unknown = || FabricError::Unknown {
                        at: at.clone(),
                        what: "signal set",
                        name: set.to_owned(),
                    };
                    for text in *known.sets.get(set).ok_or_else(unknown)? {
                        found.push(self.source(&at, text, (unit, key), known)?);
                    }
                }
            }
        }
        Ok(found)
    }

    fn source(
        &self,
        at: &str,
        text: &str,
        (unit, key): (UnitKind, Option<usize>),
        known: &Connections<'_>,
    ) -> Result<Source, FabricError> {
        match text {
            "selected lane" => return Ok(Source::SelectedLane),
            "selected write port" => return Ok(Source::SelectedWritePort),
            _ => {}
        }
        let (only_at, text) = match text.split_once(": ") {
            None => (None, text),
            Some((own, rest)) => {
                let kind =
                    key.ok_or_else(|| form(at.to_owned(), "there is no key to choose by"))?;
                (Some(self.key_index(at, kind, own)?), rest)
            }
        };
        let (whose, text) = match text.split_once('.') {
            None => (Whose::Own, text),
            Some((whose, rest)) => {
                let (at, name) = (at.to_owned(), whose.to_owned());
                let unknown = FabricError::Unknown { at, what: "neighbour", name };
                (Whose::from_name(whose).ok_or(unknown)?, rest)
            }
        };
        let (name, of_key) = match text.split_once('[') {
            None => (text, None),
            Some((name, rest)) => (name, Some(rest.trim_end_matches(']'))),
        };
        let signal = known.names.get(at, name)?;
        let (signal_unit, signal_key) = known.kinds[signal];
        if signal_unit != whose.kind(unit) {
            return Err(form(at.to_owned(), "the signal belongs to another kind of unit"));
        }
        let keys = match (of_key, signal_key) {
            (None, _) => KeyMatch::All,
            (Some("*"), of) if of.is_some() && of == key => KeyMatch::Same,
            (Some(text), Some(kind)) if text != "*" => {
                KeyMatch::Only(self.key_index(at, kind, text)?)
            }
            (Some(_), _) => return Err(form(at.to_owned(), "the signal has no such key")),
        };
        Ok(Source::Signals(SignalSource { whose, signal, keys, only_at }))
    }
}
