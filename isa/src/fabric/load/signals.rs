// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals and ports.

use super::{
    FabricError,
    entry::{fault, position, unique, unknown},
    values::{Written, by_key},
};
use crate::{
    Geometry,
    fabric::{model::*, types::Meaning, width::Width},
};

pub(super) fn signals(d: &mut Description) -> Result<(), FabricError> {
    unique("signals", &d.signals)?;
    for i in 0..d.signals.len() {
        let at = format!("signals[{i}]");
        let mut s = d.signals[i].clone();
        if let Some(key) = &mut s.key {
            key.find(&d.keys, &format!("{at}.key"))?;
        }
        let SignalInfo { width, packed, enumeration, signed, .. } = &s;
        let (width, signed) = (*width, *signed);
        let written = Written { width, packed, enumeration, instruction: &None, signed };
        (s.width, s.meaning) = written.meaning(&at, &d.types, &d.enumerations)?;
        parts(&at, &mut s, d)?;
        s.rule.find(&d.rules, &format!("{at}.rule"))?;
        d.signals[i] = s;
    }
    Ok(())
}

/// Resolves the parts of a signal. A single part is the whole signal; several parts are the fields of its type, lowest
/// field first.
fn parts(at: &str, s: &mut SignalInfo, d: &Description) -> Result<(), FabricError> {
    let widths: Vec<u32> = match (s.rtl.len(), &s.meaning) {
        (1, _) => vec![s.width],
        (_, Meaning::Fields(t)) => d.types[*t].fields.iter().rev().map(|f| f.width).collect(),
        _ => Vec::new(),
    };
    if widths.len() != s.rtl.len() {
        let (found, expected) = (widths.iter().sum::<u32>(), s.width);
        let what = format!("the parts of the signal have {found} bits, expected {expected}");
        return Err(fault(format!("{at}.rtl"), what));
    }
    for (k, (part, width)) in s.rtl.iter_mut().zip(widths).enumerate() {
        let at = format!("{at}.rtl[{k}]");
        part.width = width;
        part.module = module_of(&format!("{at}.variable"), s.unit, part, d)?;
        part.element = match part.element_name.as_deref() {
            None => Element::Whole,
            Some("row") => Element::Row,
            Some("key") => Element::Key(part.first),
            Some(other) => {
                let side = d.keys.iter().find(|k| k.name == "side");
                let found = side.and_then(|k| k.values.iter().position(|v| v == other));
                let unknown = || unknown(format!("{at}.element"), "element", other);
                Element::Fixed(found.ok_or_else(unknown)?)
            }
        };
    }
    Ok(())
}

/// The module of the last instance in the path of a variable; without an instance, the module of the unit.
fn module_of(
    at: &str,
    unit: crate::UnitKind,
    part: &SignalPart,
    d: &Description,
) -> Result<String, FabricError> {
    let mut path = part.variable.rsplit('.').skip(1);
    Ok(match (path.find(|segment| !segment.starts_with("gen_")), part.of) {
        (Some(instance), _) => d.instances[position(&d.instances, at, instance)?].module.clone(),
        (None, PartOf::Unit) => format!("drra_{unit}"),
        (None, PartOf::Column) => "drra_column".to_owned(),
        (None, PartOf::HomeTile) => "drra_tile".to_owned(),
    })
}

pub(super) fn ports(d: &mut Description) -> Result<(), FabricError> {
    unique("ports", &d.ports)?;
    for i in 0..d.ports.len() {
        let at = format!("ports[{i}]");
        let mut p = d.ports[i].clone();
        by_key(&format!("{at}.width"), &mut p.width, None, d)?;
        if matches!(p.width, Width::Fixed(bits) if !(1..=256).contains(&bits)) {
            return Err(fault(at + ".width", "expected a width of 1 to 256 bits"));
        }
        p.rule.find(&d.rules, &format!("{at}.rule"))?;
        d.ports[i] = p;
    }
    Ok(())
}

/// Position of a key among the keys of its kind.
pub(super) fn key_index(
    at: &str,
    kind: usize,
    text: &str,
    d: &Description,
) -> Result<usize, FabricError> {
    let key = &d.keys[kind];
    let mut all = 0..key.count(&Geometry::default());
    all.find(|k| key.text(*k) == text).ok_or_else(|| unknown(at, "key", text))
}
