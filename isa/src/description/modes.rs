// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of modes of an instruction (chapter 1, 6.1): reading and checks.

use serde::Deserialize;

use super::{
    Check, Instruction,
    form::{identifier, int},
};
use crate::modes::{ModeInfo, Operands};

/// One entry of a table of modes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "Written")]
pub struct ModeEntry {
    /// Name, one of the value names of the field `mode`.
    pub name: String,
    /// What the mode does.
    pub info: ModeInfo,
}

/// An entry as it is written.
#[derive(Deserialize)]
struct Written {
    #[serde(deserialize_with = "identifier")]
    name: String,
    #[serde(default, deserialize_with = "latency")]
    latency: Option<u8>,
    #[serde(default)]
    operands: [Operands; 2],
    #[serde(default)]
    outputs: Vec<Output>,
    #[serde(default)]
    lanes: bool,
    #[serde(default)]
    counts: bool,
    #[serde(default)]
    saturates: bool,
    #[serde(default)]
    squash: bool,
    #[serde(default)]
    divider: bool,
    #[serde(default)]
    scaler: bool,
    #[serde(default)]
    compares: bool,
}

/// Number of an output.
#[derive(PartialEq, Deserialize)]
struct Output(#[serde(deserialize_with = "int::<_, _, 0, 1>")] u8);

fn latency<'d, D: serde::Deserializer<'d>>(from: D) -> Result<Option<u8>, D::Error> {
    int::<_, _, 1, 255>(from).map(Some)
}

impl From<Written> for ModeEntry {
    fn from(written: Written) -> Self {
        let Written { name, latency, operands, outputs, lanes, counts, saturates, .. } = written;
        let Written { squash, divider, scaler, compares, .. } = written;
        let outputs = [0, 1].map(|k| outputs.contains(&Output(k)));
        let info = ModeInfo {
            operands,
            outputs,
            latency,
            lanes,
            counts,
            saturates,
            squash,
            divider,
            scaler,
            compares,
        };
        Self { name, info }
    }
}

impl Instruction {
    /// What the mode of a raw value of the field `mode` does, if the description says.
    pub fn mode_info(&self, raw: u64) -> Option<&ModeInfo> {
        let name = self.fields[self.field_index("mode")?].value_name(raw)?;
        self.modes.iter().find(|m| m.name.eq_ignore_ascii_case(name)).map(|m| &m.info)
    }
}

impl Check {
    /// The checks beyond the schema: the entries are the value names of the field `mode`, each
    /// once.
    pub(super) fn modes(&mut self, at: &str, instruction: &Instruction) {
        let modes = &instruction.modes;
        if modes.is_empty() {
            return;
        }
        let Some(field) = instruction.field_index("mode").map(|k| &instruction.fields[k]) else {
            return self.add("ISA-E16", format!("{at}/modes"), "there is no field mode");
        };
        let described = |modes: &[ModeEntry], name: &str| {
            modes.iter().any(|m| m.name.eq_ignore_ascii_case(name))
        };
        for (k, ModeEntry { name, .. }) in modes.iter().enumerate() {
            let at = format!("{at}/modes/{k}/name");
            if described(&modes[..k], name) {
                self.add("ISA-E17", at, format!("mode {name} is described twice"));
            } else if field.value_of(name).is_none() {
                self.add("ISA-E17", at, format!("{name} is no value name of the field mode"));
            }
        }
        let names = field.values.iter().map(|(_, name)| name.as_str());
        let missing: Vec<&str> = names.filter(|name| !described(modes, name)).collect();
        if !missing.is_empty() {
            let text = format!("no entry for {}", missing.join(", "));
            self.add("ISA-E18", format!("{at}/modes"), text);
        }
    }
}
