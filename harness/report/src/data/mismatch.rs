// SPDX-License-Identifier: MIT OR Apache-2.0
//! What differs first.

use drra_isa::ColumnId;
use drra_isa::Unit;
use drra_isa::fabric::Location;
use drra_isa::fabric::PortId;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::names::Named;
use super::reading::Reading;

/// The first difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mismatch {
    /// First cycle whose state differs; of a violated assertion the cycle in which it was.
    pub cycle: u64,
    /// First cycle in which a program word was on the load port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_program_cycle: Option<u64>,
    /// What it is.
    pub what: Disagreement,
}

/// Kinds of differences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Disagreement {
    /// Registers differ.
    State {
        /// Those that differ in that cycle, in table order; at most 64 of them.
        differences: Vec<Difference>,
        /// How many differ.
        total: usize,
    },
    /// All registers agree, output ports differ.
    Ports {
        /// The ports.
        ports: Vec<PortDifference>,
    },
    /// The design violates one of its assertions.
    Assertion(Assertion),
}

/// One register that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// The register.
    pub location: Named<Location>,
    /// Value of both sides in the cycle before; none in cycle 0, and for a row of a memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Reading>,
    /// Value of the golden model.
    pub golden: Reading,
    /// Value of the RTL.
    pub rtl: Reading,
    /// Bits that differ, highest first.
    pub bits: Vec<u32>,
}

/// An output port that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PortDifference {
    /// The port.
    pub port: Named<PortId>,
    /// Its column, if every column has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// Value of the golden model.
    pub golden: Reading,
    /// Value of the RTL.
    pub rtl: Reading,
}

/// A violated assertion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Assertion {
    /// File of the RTL, without its folder.
    pub file: String,
    /// Line.
    pub line: u32,
    /// The instances that violate it.
    pub instances: Vec<AssertionInstance>,
}

/// An instance of an assertion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssertionInstance {
    /// Unit that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Named<Unit>>,
    /// Name of the assertion.
    pub name: String,
    /// Scope in the RTL.
    pub scope: String,
}

impl Difference {
    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.golden.value.width()
    }
}

impl PortDifference {
    /// The column as an identity.
    pub fn column(&self) -> Option<ColumnId> {
        self.column.and_then(ColumnId::new)
    }
}

impl Mismatch {
    /// Registers that differ; none for ports and assertions.
    pub fn differences(&self) -> &[Difference] {
        match &self.what {
            Disagreement::State { differences, .. } => differences,
            Disagreement::Ports { .. } | Disagreement::Assertion(_) => &[],
        }
    }
}
