// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals, ports and what else rules look at.

use super::{
    FabricError, Loader,
    names::{Names, form, identifier, unit_kind},
};
use crate::{
    Geometry,
    fabric::{file::*, model::*},
};

impl Loader {
    pub(super) fn signals(&self, file: &File) -> Result<(Vec<SignalInfo>, Names), FabricError> {
        let mut names = Names::new("signal");
        let mut signals = Vec::new();
        for (i, s) in file.signals.iter().enumerate() {
            let at = format!("signals[{i}]");
            names.add(&format!("{at}.name"), &s.name)?;
            let key = match &s.key {
                Some(name) => Some(self.key_names.get(&format!("{at}.key"), name)?),
                None => None,
            };
            let (width, meaning) = self.meaning(&at, s.width, s.packed.as_deref(), None, None)?;
            let rtl = self.signal_parts(&at, file, s, width, &meaning)?;
            signals.push(SignalInfo {
                name: s.name.clone(),
                id: identifier("", &s.name),
                unit: unit_kind(format!("{at}.unit"), &s.unit)?,
                key,
                width,
                meaning,
                rule: self.rule_names.get(&format!("{at}.rule"), &s.rule)?,
                from: Vec::new(),
                rtl,
            });
        }
        Ok((signals, names))
    }

    /// One part is the whole signal; several are the fields of its type, lowest first.
    pub(super) fn signal_parts(
        &self,
        at: &str,
        file: &File,
        s: &SignalEntry,
        width: u32,
        meaning: &Meaning,
    ) -> Result<Vec<SignalPart>, FabricError> {
        let widths: Vec<u32> = match (s.rtl.len(), meaning) {
            (1, _) => vec![width],
            (_, Meaning::Fields(t)) => {
                self.types[*t].fields.iter().rev().map(|f| f.width).collect()
            }
            _ => Vec::new(),
        };
        if widths.len() != s.rtl.len() {
            return Err(FabricError::Width {
                at: format!("{at}.rtl"),
                what: "the signal in its parts".into(),
                found: widths.iter().sum(),
                expected: width,
            });
        }
        let mut parts = Vec::new();
        for (k, (p, width)) in s.rtl.iter().zip(widths).enumerate() {
            let at = format!("{at}.rtl[{k}]");
            let of = match p.of.as_deref() {
                None => PartOf::Unit,
                Some("column") => PartOf::Column,
                Some("home tile") => PartOf::HomeTile,
                Some(other) => {
                    let (at, name) = (format!("{at}.of"), other.to_owned());
                    return Err(FabricError::Unknown { at, what: "neighbour", name });
                }
            };
            let side = self.keys.iter().find(|k| k.name == "side");
            let element = match p.element.as_deref() {
                None => Element::Whole,
                Some("row") => Element::Row,
                Some("key") => Element::Key(p.first as usize),
                Some(other) => {
                    let found = side.and_then(|k| k.values.iter().position(|v| v == other));
                    let (at, name) = (format!("{at}.element"), other.to_owned());
                    let unknown = FabricError::Unknown { at, what: "element", name };
                    Element::Fixed(found.ok_or(unknown)?)
                }
            };
            parts.push(SignalPart {
                of,
                module: module_of(&format!("{at}.variable"), file, of, s, p)?,
                variable: p.variable.clone(),
                element,
                width,
                only_while: p.only_while.clone(),
            });
        }
        Ok(parts)
    }

    pub(super) fn ports(&self, file: &File) -> Result<Vec<PortInfo>, FabricError> {
        Names::of("port", "ports", file.ports.iter().map(|p| &*p.name))?;
        let entry = |(i, p): (usize, &PortEntry)| {
            let at = format!("ports[{i}]");
            Ok(PortInfo {
                name: p.name.clone(),
                id: identifier("", &p.name),
                unit: unit_kind(format!("{at}.unit"), &p.unit)?,
                width: self.width(&format!("{at}.width"), &p.width, None)?,
                rule: self.rule_names.get(&format!("{at}.rule"), &p.rule)?,
                from: Vec::new(),
            })
        };
        file.ports.iter().enumerate().map(entry).collect()
    }

    pub(super) fn named_inputs(
        &self,
        file: &File,
        signals: &[SignalInfo],
        names: &Names,
    ) -> Result<Vec<NamedInputInfo>, FabricError> {
        let all = file.named_inputs.iter().map(|n| &*n.name);
        Names::of("named input", "named_inputs", all)?;
        let entry = |(i, n): (usize, &NamedInputEntry)| {
            let at = format!("named_inputs[{i}].signal");
            let signal = match &n.signal {
                None => None,
                Some(text) => {
                    let (name, key) = match text.split_once('[') {
                        Some((name, rest)) => (name, Some(rest.trim_end_matches(']'))),
                        None => (text.as_str(), None),
                    };
                    let index = names.get(&at, name)?;
                    let key = match (key, signals[index].key) {
                        (None, None) => None,
                        (Some(text), Some(kind)) => Some(self.key_index(&at, kind, text)?),
                        _ => return Err(form(at, "a key is missing, or is one too many")),
                    };
                    Some((index, key))
                }
            };
            Ok(NamedInputInfo { name: n.name.clone(), id: identifier("", &n.name), signal })
        };
        file.named_inputs.iter().enumerate().map(entry).collect()
    }

    pub(super) fn key_index(
        &self,
        at: &str,
        kind: usize,
        text: &str,
    ) -> Result<usize, FabricError> {
        let key = &self.keys[kind];
        let count = key.count(&Geometry::default());
        (0..count).find(|k| key.text(*k) == text).ok_or_else(|| FabricError::Unknown {
            at: at.to_owned(),
            what: "key",
            name: text.to_owned(),
        })
    }
}

/// The module of the last instance in the path of a variable; without one that of the unit.
fn module_of(
    at: &str,
    file: &File,
    of: PartOf,
    signal: &SignalEntry,
    part: &SignalPartEntry,
) -> Result<String, FabricError> {
    let mut path = part.variable.rsplit('.').skip(1);
    match (path.find(|segment| !segment.starts_with("gen_")), of) {
        (Some(instance), _) => {
            let known = file.instances.iter().find(|i| i.name == instance);
            known.map(|i| i.module.clone()).ok_or_else(|| FabricError::Unknown {
                at: at.to_owned(),
                what: "instance",
                name: instance.to_owned(),
            })
        }
        (None, PartOf::Unit) => Ok(format!("drra_{}", signal.unit)),
        (None, PartOf::Column) => Ok("drra_column".to_owned()),
        (None, PartOf::HomeTile) => Ok("drra_tile".to_owned()),
    }
}
