// SPDX-License-Identifier: MIT OR Apache-2.0
//! Resolves the signals that enter blocks, and those that make up named inputs.

use super::{
    FabricError,
    entry::{fault, position, unique, unknown},
    signals::key_index,
};
use crate::{
    fabric::{
        connections::{KeyMatch, SignalSource, Source, Whose},
        model::Description,
        text::name_and_key,
    },
    place::UnitKind,
};

/// Kind of unit and kind of key of a block output.
type Handed = (UnitKind, Option<usize>);

/// Fills in the inputs of the blocks of registers, signals and ports, and the signals of named inputs.
pub(super) fn connect(d: &mut Description) -> Result<(), FabricError> {
    unique("signal_sets", &d.signal_sets)?;
    for i in 0..d.groups.len() {
        let g = &d.groups[i];
        let from = sources(&format!("groups[{i}]"), &g.sources, (g.unit, g.key), d)?;
        d.groups[i].from = from;
    }
    for i in 0..d.signals.len() {
        let s = &d.signals[i];
        let from = sources(&format!("signals[{i}]"), &s.sources, (s.unit, s.key()), d)?;
        d.signals[i].from = from;
    }
    for i in 0..d.ports.len() {
        let p = &d.ports[i];
        let from = sources(&format!("ports[{i}]"), &p.sources, (p.unit, None), d)?;
        d.ports[i].from = from;
    }
    unique("named_inputs", &d.named_inputs)?;
    for i in 0..d.named_inputs.len() {
        let n = &d.named_inputs[i];
        let from = sources(&format!("named_inputs[{i}]"), &n.sources, (n.unit, None), d)?;
        d.named_inputs[i].from = from;
    }
    Ok(())
}

/// Parses sources in their written form: `refi`, `agu_hit[*]`, `N: north.msg_v`, `@loop` for a set.
fn sources(
    at: &str,
    texts: &[String],
    handed: Handed,
    d: &Description,
) -> Result<Vec<Source>, FabricError> {
    let mut found = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        let at = format!("{at}.from[{i}]");
        match text.strip_prefix('@') {
            None => found.push(source(&at, text, handed, d)?),
            Some(set) => {
                for text in &d.signal_sets[position(&d.signal_sets, &at, set)?].signals {
                    found.push(source(&at, text, handed, d)?);
                }
            }
        }
    }
    Ok(found)
}

fn source(
    at: &str,
    text: &str,
    (unit, key): Handed,
    d: &Description,
) -> Result<Source, FabricError> {
    match text {
        "selected lane" => return Ok(Source::SelectedLane),
        "selected write port" => return Ok(Source::SelectedWritePort),
        _ => {}
    }
    let (only_at, text) = match text.split_once(": ") {
        None => (None, text),
        Some((own, rest)) => {
            let kind = key.ok_or_else(|| fault(at, "there is no key to select by"))?;
            (Some(key_index(at, kind, own, d)?), rest)
        }
    };
    let (whose, text) = match text.split_once('.') {
        None => (Whose::Own, text),
        Some((whose, rest)) => {
            (Whose::from_name(whose).ok_or_else(|| unknown(at, "neighbour", whose))?, rest)
        }
    };
    let (name, of_key) = name_and_key(text);
    let signal = position(&d.signals, at, name)?;
    let found = &d.signals[signal];
    if found.unit != whose.kind(unit) {
        return Err(fault(at, "the signal belongs to another kind of unit"));
    }
    let keys = match (of_key, found.key()) {
        (None, _) => KeyMatch::All,
        (Some("*"), of) if of.is_some() && of == key => KeyMatch::Same,
        (Some(text), Some(kind)) if text != "*" => KeyMatch::Only(key_index(at, kind, text, d)?),
        (Some(_), _) => return Err(fault(at, "the signal has no such key")),
    };
    Ok(Source::Signals(SignalSource { whose, signal, keys, only_at }))
}
