// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constraints as written in a profile. The types here define the format.

use std::{collections::BTreeMap, fmt};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Excludes something from the cases of a profile. A constraint has one kind: conditions on an instruction
/// (`instruction`, `fields`, `immediate`; it excludes the instructions that meet all of them together), a `situation`,
/// `most_cells`, `only_cells` or `only_columns`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Constraint {
    /// Name of an instruction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// Conditions on the fields of the instruction. A field in an absent word has its default value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, FieldCondition>,
    /// Immediate flag of the instruction; without `instruction`, of every loaded word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub immediate: Option<bool>,
    /// A situation that never occurs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub situation: Option<Situation>,
    /// At most this many cells get a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub most_cells: Option<usize>,
    /// Only these cells, each as [row, column], can get programs or be I/O cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub only_cells: Option<Vec<[usize; 2]>>,
    /// Only these columns are used for programs, contents of memories and buffers, I/O cells, sources
    /// of SWB and paths of ROUTE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub only_columns: Option<Vec<usize>>,
    /// The reason, listed in the summary of a campaign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Condition on the value of a field; it must have exactly one key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct FieldCondition {
    /// The value is one of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is: Option<Vec<FieldValue>>,
    /// The value is none of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_not: Option<Vec<FieldValue>>,
    /// The value is at least the first and at most the second number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between: Option<[i64; 2]>,
    /// The value is less than the first number or more than the second one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<[i64; 2]>,
}

/// A value of a field: its name or its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a number or the name of a value")]
pub enum FieldValue {
    /// A number, negative for some values of a signed field.
    Number(i64),
    /// A name from the instruction set description, in upper or lower case.
    Name(String),
}

/// Situations that a constraint can exclude. A case counts as containing one if its words and inputs permit it, so
/// excluding a situation can exclude more than its name suggests.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Situation {
    /// A word that is not an instruction, at an address where an instruction may begin.
    UndefinedWords,
    /// A cell is an I/O cell.
    IoCells,
    /// An input buffer has contents.
    InputBuffers,
    /// A register file is written through its initialisation port.
    RegisterFileInit,
    /// A tile is written through its initialisation port.
    TileInit,
    /// A memory is written through an initialisation port in the cycle of the first program word or later.
    LateInit,
    /// Programs are loaded a second time.
    Reload,
    /// The DPU instructions of a program use several modes.
    DpuModeChange,
    /// A REFI arrives while the address generator that it configures may be active. To determine this, cycles are
    /// counted in straight-line code; elsewhere, only one REFI per generator is allowed, and none that can be executed
    /// twice.
    AguRelaunch,
    /// A REFI for one direction of block transfers arrives while the other direction may be active; determined as for
    /// `agu_relaunch`.
    BlockPortsOverlap,
    /// A JUMP or BRANCH is at the end of a loop of its program.
    JumpAtLoopEnd,
    /// Messages of two cells can reach tiles of the same column.
    MessagesMeet,
    /// A tile can read and write in one cycle: SRAMs of both directions can reach tiles of the same column, and either
    /// they belong to two cells, or the first may be active when the second arrives; determined as for `agu_relaunch`.
    TileReadAndWrite,
    /// An SRAM has no immediate ROUTE before it in straight-line code of its program, or `messages_meet` occurs.
    SramWithoutPath,
    /// A register number above 15, in a field that has room for it.
    HighRegisterNumbers,
    /// A program can run into the memory after its words: it does not end with a HALT, or a jump, a skipped loop or an
    /// instruction of several words can pass over the HALT.
    UnloadedMemory,
    /// A program contains both a BW that selects 8- or 4-bit lanes and a DPU instruction that scales.
    ScaledLanes,
}

/// The situations that the constraint excludes, in one line.
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The keys of the constraint as they are written.
        let plain = Self { reason: None, ..self.clone() };
        let value = serde_json::to_value(&plain).map_err(|_| fmt::Error)?;
        let Some(keys) = value.as_object() else { return Err(fmt::Error) };
        let mut separator = "";
        for key in ["instruction", "fields", "immediate", "situation"].into_iter().chain([
            "most_cells",
            "only_cells",
            "only_columns",
        ]) {
            let Some(value) = keys.get(key) else { continue };
            f.write_str(separator)?;
            match (key, value) {
                ("instruction" | "situation", serde_json::Value::String(name)) => {
                    f.write_str(name)?;
                }
                ("fields", serde_json::Value::Object(fields)) => {
                    for (k, (name, condition)) in fields.iter().enumerate() {
                        let and = if k > 0 { ", " } else { "" };
                        let text = condition.to_string().replace(['{', '}', '"'], "");
                        write!(f, "{and}{name} {}", text.replacen(':', " ", 1))?;
                    }
                }
                _ => write!(f, "{key} {value}")?,
            }
            separator = " ";
        }
        Ok(())
    }
}
