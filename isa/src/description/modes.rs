// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of modes of an instruction (chapter 1, 6.1): reading and checks.

use super::{
    finding::Check,
    model::{Instruction, ModeEntry},
};
use crate::{
    json::{LocatedValue, integer},
    modes::{ModeInfo, Operand},
};

impl Check {
    /// The checks beyond the schema: the names of the entries must be the value names of the field `mode`, once each.
    pub(super) fn modes(&mut self, instruction: &Instruction, at: &LocatedValue<'_>) {
        let (places, modes) = (at.list("modes"), &instruction.modes);
        if places.is_empty() {
            return;
        }
        let Some(field) = instruction.field_index("mode").map(|k| &instruction.fields[k]) else {
            return self.add("ISA-E16", at.key("modes"), "there is no field `mode`");
        };
        let described = |modes: &[ModeEntry], name: &str| {
            modes.iter().any(|m| m.name.eq_ignore_ascii_case(name))
        };
        for (k, (ModeEntry { name, .. }, place)) in modes.iter().zip(&places).enumerate() {
            if described(&modes[..k], name) {
                self.add("ISA-E17", place.key("name"), format!("mode {name} is described twice"));
            } else if field.value_of(name).is_none() {
                let text = format!("{name} is not the name of a value of the field `mode`");
                self.add("ISA-E17", place.key("name"), text);
            }
        }
        let names = field.values.iter().map(|(_, name)| name.as_str());
        let missing: Vec<&str> = names.filter(|name| !described(modes, name)).collect();
        if !missing.is_empty() {
            self.add("ISA-E18", at.key("modes"), format!("no entry for {}", missing.join(", ")));
        }
    }
}

/// Builds an entry from JSON that satisfies the schema.
pub(super) fn build(at: &LocatedValue<'_>) -> ModeEntry {
    let flag = |key: &str| at.flag(key, false);
    let channels = at.list("operands");
    let outputs: Vec<usize> = at.list("outputs").iter().filter_map(output).collect();
    let operands = |c: usize| channels.get(c).map(LocatedValue::items).unwrap_or_default();
    let info = ModeInfo {
        operands: [0, 1].map(|c| operands(c).iter().filter_map(operand).collect()),
        outputs: [0, 1].map(|k| outputs.contains(&k)),
        latency: at.member("latency").map(|_| at.number("latency", 0) as u8),
        lanes: flag("lanes"),
        counts: flag("counts"),
        saturates: flag("saturates"),
        squash: flag("squash"),
        divider: flag("divider"),
        scaler: flag("scaler"),
        compares: flag("compares"),
    };
    ModeEntry { name: at.text("name"), info }
}

pub(super) fn operand(at: &LocatedValue<'_>) -> Option<Operand> {
    at.value.as_str().and_then(Operand::from_name)
}

pub(super) fn output(at: &LocatedValue<'_>) -> Option<usize> {
    integer(at.value).filter(|v| (0..2).contains(v)).map(|v| v as usize)
}
