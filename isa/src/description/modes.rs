// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of modes of an instruction (chapter 1, 6.1): reading and checks.

use super::{Check, Instruction};
use crate::{
    json::{At, integer},
    modes::{ModeInfo, Operand},
};

/// One entry of a table of modes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeEntry {
    /// Name, one of the value names of the field `mode`.
    pub name: String,
    /// What the mode does.
    pub info: ModeInfo,
}

impl Instruction {
    /// What the mode of a raw value of the field `mode` does, if the description says.
    pub fn mode_info(&self, raw: u64) -> Option<&ModeInfo> {
        let name = self.fields[self.field_index("mode")?].value_name(raw)?;
        self.modes.iter().find(|m| m.name.eq_ignore_ascii_case(name)).map(|m| &m.info)
    }
}

const KEYS: &[&str] = &["name", "operands", "outputs", "latency"];

impl Check {
    /// The part of the schema that is about modes.
    pub(super) fn modes_schema(&mut self, instruction: &At<'_>) {
        for mode in self.array(instruction, "modes", true) {
            if !self.is_object(&mode, &["name"]) {
                continue;
            }
            self.identifier(&mode, "name");
            self.int(&mode, "latency", 1, 255);
            let flags: Vec<&str> = ModeInfo::IDLE.flags().map(|(name, _)| name).collect();
            for flag in &flags {
                self.flag(&mode, flag);
            }
            if let Some(at) = mode.member("operands")
                && at.value.as_array().is_some_and(|channels| channels.len() != 2)
            {
                self.add("ISA-E02", at.pointer, "`operands` must have one element per channel, 2");
            }
            for channel in self.array(&mode, "operands", false) {
                if !channel.value.is_array() {
                    self.add("ISA-E02", &channel.pointer, "an array of operands is expected");
                }
                for at in channel.items() {
                    if operand(&at).is_none() {
                        let known = Operand::ALL.map(Operand::name).join(", ");
                        self.add("ISA-E02", at.pointer, format!("an operand is one of {known}"));
                    }
                }
            }
            for at in self.array(&mode, "outputs", false) {
                if output(&at).is_none() {
                    self.add("ISA-E02", at.pointer, "an output is 0 or 1");
                }
            }
            self.unknown(&mode, &[KEYS, &flags].concat());
        }
    }

    /// The checks beyond the schema: the entries are the value names of the field `mode`, each
    /// once.
    pub(super) fn modes(&mut self, instruction: &Instruction, at: &At<'_>) {
        let places = items(at, "modes");
        if places.is_empty() {
            return;
        }
        let Some(field) = instruction.field_index("mode").map(|k| &instruction.fields[k]) else {
            self.add("ISA-E16", at.key("modes"), "there is no field mode");
            return;
        };
        for (k, (mode, place)) in instruction.modes.iter().zip(&places).enumerate() {
            let name = &mode.name;
            let same = |m: &ModeEntry| m.name.eq_ignore_ascii_case(name);
            if instruction.modes[..k].iter().any(same) {
                self.add("ISA-E17", place.key("name"), format!("mode {name} is described twice"));
            } else if field.value_of(name).is_none() {
                let text = format!("{name} is no value name of the field mode");
                self.add("ISA-E17", place.key("name"), text);
            }
        }
        let described = |name: &str| {
            instruction.modes.iter().any(|m: &ModeEntry| m.name.eq_ignore_ascii_case(name))
        };
        let missing: Vec<&str> =
            field.values.iter().map(|(_, v)| v.as_str()).filter(|v| !described(v)).collect();
        if !missing.is_empty() {
            let text = format!("no entry for {}", missing.join(", "));
            self.add("ISA-E18", at.key("modes"), text);
        }
    }
}

/// The modes of an instruction that satisfies the schema.
pub(super) fn build(instruction: &At<'_>) -> Vec<ModeEntry> {
    items(instruction, "modes").iter().map(mode).collect()
}

fn mode(at: &At<'_>) -> ModeEntry {
    let flag = |key: &str| at.member(key).is_some_and(|m| m.value == true);
    let channels = items(at, "operands");
    let outputs: Vec<usize> = items(at, "outputs").iter().filter_map(output).collect();
    let operands = |c: usize| channels.get(c).map(|c| c.items()).unwrap_or_default();
    ModeEntry {
        name: at.member("name").and_then(|m| m.value.as_str()).unwrap_or_default().to_owned(),
        info: ModeInfo {
            operands: [0, 1].map(|c| operands(c).iter().filter_map(operand).collect()),
            outputs: [0, 1].map(|k| outputs.contains(&k)),
            latency: at.member("latency").and_then(|m| integer(m.value)).map(|v| v as u8),
            lanes: flag("lanes"),
            counts: flag("counts"),
            saturates: flag("saturates"),
            squash: flag("squash"),
            divider: flag("divider"),
            scaler: flag("scaler"),
            compares: flag("compares"),
        },
    }
}

fn items<'a>(at: &At<'a>, key: &str) -> Vec<At<'a>> {
    at.member(key).map(|m| m.items()).unwrap_or_default()
}

fn operand(at: &At<'_>) -> Option<Operand> {
    at.value.as_str().and_then(Operand::from_name)
}

fn output(at: &At<'_>) -> Option<usize> {
    integer(at.value).filter(|v| (0..2).contains(v)).map(|v| v as usize)
}
