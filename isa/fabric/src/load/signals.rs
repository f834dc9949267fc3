// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals and ports, and the signals that enter blocks and make up named inputs.

use super::{check::*, values::*};
use drra_isa::{Geometry, UnitKind};

use crate::{connections::*, model::*, text::name_and_key, types::ValueType, width::Width};

pub(super) fn signal(s: &mut SignalInfo, d: &Description) -> CheckResult {
    if let Some(key) = &mut s.key {
        key.find(&d.keys, "key")?;
    }
    (s.width, s.value_type) = value(s.width, [&s.packed, &s.enumeration, &None], s.signed, d)?;
    s.rule.find(&d.rules, "rule")?;
    ensure(!s.rtl.is_empty(), "rtl", "expected a variable of the RTL")?;
    // A single part is the whole signal; several parts are the fields of its type, lowest field first.
    let widths: Vec<u32> = match (s.rtl.len(), &s.value_type) {
        (1, _) => vec![s.width],
        (_, ValueType::Fields(t)) => d.types[*t].fields.iter().rev().map(|f| f.width).collect(),
        _ => Vec::new(),
    };
    let (bits, expected) = (widths.iter().sum::<u32>(), s.width);
    let message = format_args!("the parts of the signal have {bits} bits, expected {expected}");
    ensure(widths.len() == s.rtl.len(), "rtl", message)?;
    each("rtl", s.rtl.iter_mut().zip(widths), |(p, width)| part(p, width, s.unit, d)).map(drop)
}

fn part(part: &mut SignalPart, width: u32, unit: UnitKind, d: &Description) -> CheckResult {
    part.width = width;
    // The module of the last instance in the path; without an instance, that of the unit.
    let mut path = part.variable.rsplit('.').skip(1);
    part.module = match (path.find(|segment| !segment.starts_with("gen_")), part.of) {
        (Some(instance), _) => {
            d.instances[position(&d.instances, "variable", instance)?].module.clone()
        }
        (None, PartOwner::Unit) => format!("drra_{unit}"),
        (None, PartOwner::Column) => "drra_column".to_owned(),
        (None, PartOwner::HomeTile) => "drra_tile".to_owned(),
    };
    part.element = match part.element_name.as_deref() {
        None => VariableElement::Whole,
        Some("row") => VariableElement::Row,
        Some("key") => VariableElement::Key(part.first),
        Some(other) => {
            let side = d.keys.iter().find(|k| k.name == "side");
            let index = side.and_then(|k| k.values.iter().position(|v| v == other));
            VariableElement::Fixed(found(index, "element", "element", other)?)
        }
    };
    Ok(())
}

pub(super) fn port(p: &mut PortInfo, d: &Description) -> CheckResult {
    by_key(&mut p.width, None, d)?;
    let is_wrong = matches!(p.width, Width::Fixed(bits) if !(1..=256).contains(&bits));
    ensure(!is_wrong, "width", "expected a width of 1 to 256 bits")?;
    p.rule.find(&d.rules, "rule")?;
    sources(&p.sources, (p.unit, None), d).map(|all| p.from = all)
}

pub(super) fn named_input(n: &mut NamedInputInfo, d: &Description) -> CheckResult {
    sources(&n.sources, (n.unit, None), d).map(|all| n.from = all)
}

/// Finds the sources of the signals, which may also be later signals.
pub(super) fn connect(d: &mut Description) -> CheckResult {
    let of = |s: &SignalInfo| sources(&s.sources, (s.unit, s.key()), d);
    let all = each("signals", &d.signals, of)?;
    d.signals.iter_mut().zip(all).for_each(|(s, from)| s.from = from);
    Ok(())
}

/// Kind of unit, and kind of key, of the output of a block.
type BlockOutput = (UnitKind, Option<usize>);

/// Parses sources: `refi`, `agu_hit[*]`, `N: north.msg_v`, `@loop` for a set.
pub(super) fn sources(
    texts: &[String],
    of: BlockOutput,
    d: &Description,
) -> CheckResult<Vec<FanInSource>> {
    let parsed = |text: &String| match text.strip_prefix('@') {
        None => Ok(vec![source(text, of, d)?]),
        Some(set) => {
            let set = &d.signal_sets[position(&d.signal_sets, "", set)?];
            set.signals.iter().map(|text| source(text, of, d)).collect()
        }
    };
    Ok(each("from", texts, parsed)?.concat())
}

fn source(text: &str, (unit, key): BlockOutput, d: &Description) -> CheckResult<FanInSource> {
    match text {
        "selected lane" => return Ok(FanInSource::SelectedLane),
        "selected write port" => return Ok(FanInSource::SelectedWritePort),
        _ => {}
    }
    let index = |kind: usize, text: &str| {
        let kind = &d.keys[kind];
        let index = (0..kind.count(&Geometry::default())).find(|k| kind.text(*k) == text);
        found(index, "", "key", text)
    };
    let (own, text) = text.split_once(": ").map_or((None, text), |(own, rest)| (Some(own), rest));
    ensure(own.is_none() || key.is_some(), "", "there is no key to select by")?;
    let only_at = own.zip(key).map(|(own, kind)| index(kind, own)).transpose()?;
    let (owner, text) = match text.split_once('.') {
        None => (SignalOwner::Own, text),
        Some((owner, rest)) => {
            (found(SignalOwner::from_name(owner), "", "neighbour", owner)?, rest)
        }
    };
    let (name, of_key) = name_and_key(text);
    let signal = position(&d.signals, "", name)?;
    let s = &d.signals[signal];
    ensure(s.unit == owner.kind(unit), "", "the signal belongs to another kind of unit")?;
    let same = s.key().is_some() && s.key() == key;
    let has_key = of_key.is_none_or(|text| if text == "*" { same } else { s.key().is_some() });
    ensure(has_key, "", "the signal has no such key")?;
    let keys = match (of_key, s.key()) {
        (Some("*"), _) => KeyMatch::Same,
        (Some(text), Some(kind)) => KeyMatch::Only(index(kind, text)?),
        _ => KeyMatch::All,
    };
    Ok(FanInSource::Signals(SignalSource { owner, signal, keys, only_at }))
}
