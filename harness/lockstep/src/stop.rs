// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reasons why a design stops, and operations that it does not support.

use std::fmt;

use drra_isa::{Geometry, Unit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reason why a design stops.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// The design violates one of its own assertions, or stops for another reason.
    #[error("{}", .0.text())]
    Violated(AssertionFailure),
    /// The design is a waveform that does not contain the next cycle.
    #[error("the waveform ends")]
    Ended {
        /// The place where the file ends, if it is truncated.
        cut: Option<String>,
    },
}

impl From<AssertionFailure> for StepError {
    fn from(failure: AssertionFailure) -> Self {
        Self::Violated(failure)
    }
}

/// A violated assertion of the design, or another reason why the simulation ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssertionFailure {
    /// The reason why the design stops.
    #[serde(default, skip_serializing_if = "Stop::is_assertion")]
    pub stop: Stop,
    /// Source file, without directories: `drra_agu.sv`.
    pub file: String,
    /// Line in this file.
    pub line: u32,
    /// The instances in which the assertion is violated, in the order of their scopes.
    pub instances: Vec<AssertionInstance>,
}

/// `file:line`; `the model` if no source line is known.
impl fmt::Display for AssertionFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.file {
            "" => f.write_str("the model"),
            file => write!(f, "{file}:{}", self.line),
        }
    }
}

impl AssertionFailure {
    /// The reason why the design stops, and the place: `assertion at drra_agu.sv:7`.
    pub fn text(&self) -> String {
        match &self.stop {
            Stop::Assertion => format!("assertion at {self}"),
            Stop::Finish => format!("$finish at {self}"),
            Stop::Aborted { message } => format!("the simulator aborts at {self}: {message}"),
            Stop::ExcessiveOutput => format!("{self} prints excessive output"),
            Stop::Crash { cause, printed: None } => format!("{self} crashes: {cause}"),
            Stop::Crash { cause, printed: Some(line) } => {
                format!("{self} crashes: {cause}; its last output: {line}")
            }
            Stop::Hang => format!("{self} does not finish a clock cycle"),
            Stop::OutOfMemory => format!("{self} uses more memory than a worker is allowed"),
        }
    }
}

impl From<Stop> for AssertionFailure {
    /// A stop without a known source line.
    fn from(stop: Stop) -> Self {
        Self { stop, file: String::new(), line: 0, instances: Vec::new() }
    }
}

/// Reasons why the simulation of a design ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Stop {
    /// An assertion is violated: `assert`, `$error`, `$fatal`, `$stop`.
    #[default]
    Assertion,
    /// The design ends the simulation with `$finish`.
    Finish,
    /// The simulator aborts, for example because a combinational loop does not settle.
    #[serde(rename = "fatal")]
    Aborted {
        /// Its message.
        message: String,
    },
    /// The design prints too much in one evaluation.
    #[serde(rename = "flood")]
    ExcessiveOutput,
    /// The process that simulated the design ended during a clock cycle.
    Crash {
        /// The signal or the exit code, in words.
        cause: String,
        /// The last line that the process printed, if there was one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        printed: Option<String>,
    },
    /// A clock cycle did not finish.
    Hang,
    /// The process that simulated the design used more memory than allowed.
    #[serde(rename = "memory")]
    OutOfMemory,
}

impl Stop {
    fn is_assertion(&self) -> bool {
        *self == Self::Assertion
    }
}

/// An instance with a violated assertion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Instance")]
pub struct AssertionInstance {
    /// The unit that the instance is part of, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Name of the assertion; empty if only its location is known.
    pub name: String,
    /// Location of the instance in the hierarchy of the design.
    pub scope: String,
    /// The output of the assertion, if there is any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The assertion, its scope and its output.
impl fmt::Display for AssertionInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.name.is_empty() {
            write!(f, "{} in ", self.name)?;
        }
        f.write_str(&self.scope)?;
        self.message.iter().try_for_each(|message| write!(f, ": {message}"))
    }
}

/// The reason why a design or one of its operations cannot be used: a limitation of its build or of the system, not a
/// disagreement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DutError {
    /// A register or signal of the map is missing from the design, or has a different size.
    #[error("{0}")]
    Map(String),
    /// The design cannot be built for this fabric size.
    #[error("the design has no model for fabric size {0}")]
    Size(Geometry),
    /// The design, or this build of it, cannot write waves of its own.
    #[error("the design cannot write waveforms of its own signals")]
    NoWaves,
    /// The waves of the design cannot be written.
    #[error("{0}")]
    Waves(String),
    /// The coverage of the design cannot be written.
    #[error("{0}")]
    Coverage(String),
}

/// The reason why a design did not start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// An assertion is violated in reset, or by the inputs of cycle 0: a finding about the design.
    #[error("{}", .0.text())]
    Violated(AssertionFailure),
    /// The design does not fit its map, or has no model of this size.
    #[error(transparent)]
    Dut(#[from] DutError),
}

impl From<AssertionFailure> for StartError {
    fn from(failure: AssertionFailure) -> Self {
        Self::Violated(failure)
    }
}
