// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first difference.

use drra_fabric::{Location, PortId};
use drra_isa::{ColumnId, Unit};
use drra_lockstep::{AssertionFailure, DrivenInput, WaveformEnd};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reading::Reading;

/// The first difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Mismatch")]
pub struct ReportedMismatch {
    /// First cycle whose state, output ports or inputs differ; if the design violates an assertion or stops, the cycle
    /// in which it does so; for a waveform that ends early, its last cycle.
    pub cycle: u64,
    /// The place of that cycle in the waveform, if the design is a waveform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moment: Option<String>,
    /// First cycle in which a program word was on the load port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_program_cycle: Option<u64>,
    /// The kind of disagreement.
    pub what: Disagreement,
}

/// Kinds of disagreement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Disagreement {
    /// Registers differ in the cycle of the mismatch. At most 64 are listed, in the order of the fabric description,
    /// but those that are merely unknown last; `total` is the number of all.
    State { differences: Vec<ReportedDifference>, total: usize },
    /// No known bit of any register differs, but some bits of the design are unknown. The registers with unknown bits
    /// are listed in the same way.
    Unknown { differences: Vec<ReportedDifference>, total: usize },
    /// The waveform ends before the case does.
    Ended(WaveformEnd),
    /// The design was not driven with the values of the case.
    Stimulus {
        /// The input that differs.
        driven: DrivenInput,
        /// Value in the case; absent if the case has no value there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        case: Option<Reading>,
        /// Value that was driven; absent if no value was driven.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        recorded: Option<Reading>,
    },
    /// All registers agree, but output ports differ.
    Ports { ports: Vec<ReportedPortDifference> },
    /// All registers agree and no known bit of any output port differs, but some bits are unknown.
    UnknownPorts { ports: Vec<ReportedPortDifference> },
    /// The design violates one of its assertions, or stops for another reason.
    Assertion(AssertionFailure),
}

/// One register that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Difference")]
pub struct ReportedDifference {
    /// The register.
    pub location: Location,
    /// The design's own name for the register, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Value on both sides in the previous cycle; absent in cycle 0 and for memory rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Reading>,
    /// Value of the golden model.
    pub golden: Reading,
    /// Value of the RTL.
    pub rtl: Reading,
    /// Bits that differ or are unknown, highest first.
    pub bits: Vec<u32>,
}

/// An output port that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PortDifference")]
pub struct ReportedPortDifference {
    /// The port.
    pub port: PortId,
    /// Column of the port, if every column has such a port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<ColumnId>,
    /// Unit that drives the port; absent if the port is driven by the fabric as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Value of the golden model.
    pub golden: Reading,
    /// Value of the RTL.
    pub rtl: Reading,
    /// Bits that differ or are unknown, highest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bits: Vec<u32>,
}

impl ReportedDifference {
    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.golden.value.width()
    }
}

impl ReportedMismatch {
    /// Registers that differ or are unknown.
    pub fn differences(&self) -> &[ReportedDifference] {
        match &self.what {
            Disagreement::State { differences, .. } | Disagreement::Unknown { differences, .. } => {
                differences
            }
            _ => &[],
        }
    }

    /// Output ports that differ or are unknown.
    pub fn ports(&self) -> &[ReportedPortDifference] {
        match &self.what {
            Disagreement::Ports { ports } | Disagreement::UnknownPorts { ports } => ports,
            _ => &[],
        }
    }

    /// The unit of the first register that differs, or the unit that drives the first port that differs.
    pub fn unit(&self) -> Option<Unit> {
        let register = self.differences().first().map(|d| d.location.unit);
        register.or_else(|| self.ports().first()?.unit)
    }

    /// The cycle whose registers lead to the difference; both sides agree on these registers, unless registers differ
    /// in cycle 0. A register captures values of the previous cycle, whereas a port shows values of its own cycle.
    pub fn leading_cycle(&self) -> u64 {
        if self.ports().is_empty() { self.cycle.saturating_sub(1) } else { self.cycle }
    }
}
