// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a design under test is.

use std::{fmt, path::Path, sync::Arc};

use drra_case::Case;
use drra_golden::{BufferWrite, Fabric, Signals};
use drra_isa::{
    ColumnId, Geometry, TileId, Unit,
    fabric::{Layout, Location, PortId},
    ports::Inputs,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    compared::Compared,
    difference::{self, Difference},
    port::{self, Outputs, PortDifference},
    signal::SignalDifference,
    state_source::StateSource,
};

/// A design under test in one cycle. A new design is in cycle 0; each cycle begins with [`Dut::drive`] and ends
/// with [`Dut::step`]. In between, everything that is read is what registers hold and wires carry in the current
/// cycle, just before the edge that ends it.
pub trait Dut: StateSource {
    /// Puts the inputs of the current cycle on the ports, once in each cycle, and lets the logic behind them
    /// settle.
    ///
    /// # Errors
    /// If an assertion of the design is violated; it cannot go on then.
    fn drive(&mut self, inputs: &Inputs<'_>) -> Result<(), AssertionFailure>;

    /// The clock edge that ends the cycle.
    ///
    /// # Errors
    /// If an assertion of the design is violated, or its recording ends; it cannot go on then.
    fn step(&mut self) -> Result<(), StepError>;

    /// Status outputs of the current cycle.
    fn outputs(&self) -> Outputs;

    /// What is on the address port to the input buffer of a column in the current cycle, whether there is a
    /// request or not.
    fn io_in_addr(&self, column: ColumnId) -> u32;

    /// What is on the ports to the output buffer of a column in the current cycle, whether there is a write or
    /// not.
    fn io_out(&self, column: ColumnId) -> BufferWrite;

    /// True only if every address, data and mask on the ports to the buffers is 0 in the current cycle: a
    /// design that can tell at once saves the comparison of each.
    fn buffer_ports_are_zero(&self) -> bool {
        false
    }

    /// The signals between its blocks that differ from those of the golden model in the same cycle, in
    /// the order of [`SignalAt::all`](crate::SignalAt::all). Asked for where registers are about to differ.
    ///
    /// # Errors
    /// If the design does not have the signals that its map names.
    fn differing_signals(&self, golden: &Signals) -> Result<Vec<SignalDifference>, DutError>;

    /// True if all registers that it shows agree with the golden model; the memories of the tiles, of which
    /// the rows that a cycle touches are asked for besides, may be left out.
    /// Asked in every cycle: a design that can compare in place overrides it.
    fn agrees(&self, golden: &Fabric) -> bool {
        difference::agrees(self, golden)
    }

    /// True if a row of a tile's memory agrees.
    fn sram_row_agrees(&self, golden: &Fabric, tile: TileId, row: usize) -> bool {
        self.sram_block(tile, row) == golden.sram(tile)[row]
    }

    /// True if the memories of all tiles agree.
    fn srams_agree(&self, golden: &Fabric) -> bool {
        let geometry = golden.geometry();
        TileId::all(geometry).all(|tile| {
            (0..geometry.sram_blocks).all(|row| self.sram_row_agrees(golden, tile, row))
        })
    }

    /// All registers and rows that differ, in table order.
    fn differences(&self, golden: &Fabric) -> Vec<Difference> {
        difference::differences(self, golden)
    }

    /// Whether the design shows an output port. What it does not show is not compared.
    fn shows_port(&self, _port: PortId, _column: Option<ColumnId>) -> bool {
        true
    }

    /// All output ports that differ, in whatever cycle (chapter 7, A4).
    fn differing_ports(&self, golden: &Fabric) -> Vec<PortDifference> {
        let (reads, writes) = (|column| self.io_in_addr(column), |column| self.io_out(column));
        let zero = self.buffer_ports_are_zero();
        let mut found = port::differing_ports(golden, self.outputs(), zero, reads, writes);
        found.retain(|d| self.shows_port(d.port, d.column));
        found
    }

    /// Flips one bit of a register, or of a row of a tile's memory, in the current cycle, to plant a fault.
    /// False if the design cannot, or has no such bit.
    fn flip(&mut self, _location: Location, _bit: u32) -> bool {
        false
    }

    /// Writes waves of all signals into a file from now on, until the design is gone: the state of cycle
    /// t from t ns on.
    ///
    /// # Errors
    /// If the design cannot, or the file cannot be written.
    fn open_waves(&mut self, _path: &Path) -> Result<(), DutError> {
        Err(DutError::NoWaves)
    }
}

/// Digests of what a design was made from: equal digests are equal files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    /// Of its sources.
    pub sources: &'static str,
    /// Of the model that was generated from them: parameters and the generating program count, too.
    pub model: &'static str,
}

/// Makes designs under test: one for each run, for all workers at the same time.
pub trait Design: fmt::Debug + Sync {
    /// A design in cycle 0 of a case, its inputs not driven yet: reset with its straps, bits without a reset
    /// value at random from its seed.
    ///
    /// # Errors
    /// If an assertion is violated in reset, or the design does not have the registers that its map names.
    fn start(&self, case: &Case, layout: &Arc<Layout>) -> Result<Box<dyn Dut>, StartError>;

    /// The sizes of the fabric for which it can be made; `None`: for all.
    fn sizes(&self) -> Option<&[Geometry]> {
        None
    }

    /// What is kept from one case for another is given up: what designs are chosen by when they are made has
    /// changed.
    fn renew(&self) {}

    /// What simulates it, with its version, for reports.
    fn simulator(&self) -> &str;

    /// Digests of what it was made from; empty for a design that is part of this program.
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::default()
    }

    /// Name that the design itself has for a register, or for a row of a tile's memory, if it is not the one of
    /// this project.
    fn name_of(&self, _location: Location) -> Option<String> {
        None
    }

    /// Where the state of a cycle is in the recording that the design is, in words.
    fn moment(&self, _cycle: u64) -> Option<String> {
        None
    }

    /// Whether the signals between blocks are known ([`Dut::differing_signals`]).
    fn shows_signals(&self) -> bool {
        true
    }

    /// How much of the state the last run compared, for a design that does not show everything.
    fn compared(&self) -> Option<Compared> {
        None
    }

    /// True if [`Dut::open_waves`] works.
    fn writes_waves(&self) -> bool {
        false
    }

    /// True if lines, branches and toggles are counted.
    fn counts_coverage(&self) -> bool {
        false
    }

    /// Writes those counts of all designs whose run is over.
    ///
    /// # Errors
    /// If nothing is counted, or the file cannot be written.
    fn write_coverage(&self, _path: &Path) -> Result<(), DutError> {
        Err(DutError::NoCoverage)
    }
}

/// Why a design cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// It violates one of its own assertions.
    #[error("{}", .0.text())]
    Violated(AssertionFailure),
    /// It is a recording, and the next cycle is not recorded.
    #[error("the recording ends")]
    Ended {
        /// What the file is in the middle of, if it is cut.
        cut: Option<String>,
    },
}

impl From<AssertionFailure> for StepError {
    fn from(failure: AssertionFailure) -> Self {
        Self::Violated(failure)
    }
}

/// An assertion of the design that is violated, or what else in its sources ends its simulation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssertionFailure {
    /// What it is.
    #[serde(default, skip_serializing_if = "Stop::is_assertion")]
    pub stop: Stop,
    /// Source file, without directories: `drra_agu.sv`.
    pub file: String,
    /// Line in it.
    pub line: u32,
    /// Where it is violated, in the order of the scopes.
    pub instances: Vec<Instance>,
}

/// `file:line`; `the model` where no line of its sources is known.
impl fmt::Display for AssertionFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.file {
            "" => f.write_str("the model"),
            file => write!(f, "{file}:{}", self.line),
        }
    }
}

impl AssertionFailure {
    /// What stopped the design, and where: `assertion at drra_agu.sv:7`.
    pub fn text(&self) -> String {
        match &self.stop {
            Stop::Assertion => format!("assertion at {self}"),
            Stop::Finish => format!("$finish at {self}"),
            Stop::Fatal { message } => format!("the simulator gives up at {self}: {message}"),
            Stop::Flood => format!("{self} prints without end"),
            Stop::Crash { cause, printed: None } => format!("{self} crashes: {cause}"),
            Stop::Crash { cause, printed: Some(line) } => {
                format!("{self} crashes: {cause}; it printed last: {line}")
            }
            Stop::Hang => format!("{self} does not come to the end of the cycle"),
        }
    }
}

impl From<Stop> for AssertionFailure {
    /// A stop of which no line of the sources is known.
    fn from(stop: Stop) -> Self {
        Self { stop, file: String::new(), line: 0, instances: Vec::new() }
    }
}

/// What ends the simulation of a design.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Stop {
    /// An assertion is violated: `assert`, `$error`, `$fatal`, `$stop`.
    #[default]
    Assertion,
    /// The design ends the simulation with `$finish`.
    Finish,
    /// The simulator gives up: a combinational loop does not settle.
    Fatal {
        /// Its words.
        message: String,
    },
    /// The design prints more within one evaluation than anybody could read.
    Flood,
    /// The process that simulated it ended within a clock cycle.
    Crash {
        /// The signal or the exit code, in words.
        cause: String,
        /// The last line that was printed, if there was one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        printed: Option<String>,
    },
    /// A clock cycle did not come to its end.
    Hang,
}

impl Stop {
    fn is_assertion(&self) -> bool {
        *self == Self::Assertion
    }
}

/// An instance with a violated assertion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The unit that it is part of, if it is part of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Name of the assertion; empty if only its place is known.
    pub name: String,
    /// Its place in the hierarchy of the design.
    pub scope: String,
    /// What it prints, if it prints anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Which assertion it is, where, and what it prints.
impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.name.is_empty() {
            write!(f, "{} in ", self.name)?;
        }
        f.write_str(&self.scope)?;
        self.message.iter().try_for_each(|message| write!(f, ": {message}"))
    }
}

/// What a design cannot do: defects of its build, not disagreements.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DutError {
    /// A register or signal of the map is missing in the design, or has another size.
    #[error("{0}")]
    Map(String),
    /// The design cannot be made for a fabric of this size.
    #[error("the design has no model of a fabric {0}")]
    Size(Geometry),
    /// The design, or this build of it, writes no waves of its own.
    #[error("the design writes no waves of its own signals")]
    NoWaves,
    /// Its waves cannot be written.
    #[error("{0}")]
    Waves(String),
    /// The design, or this build of it, counts no coverage.
    #[error("the design counts no coverage")]
    NoCoverage,
    /// Its coverage cannot be written.
    #[error("{0}")]
    Coverage(String),
}

/// Why a design did not start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// An assertion is violated in reset, or by the inputs of cycle 0: a finding about the design.
    #[error("{}", .0.text())]
    Violated(AssertionFailure),
    /// The design does not fit its map.
    #[error(transparent)]
    Dut(#[from] DutError),
}

impl From<AssertionFailure> for StartError {
    fn from(failure: AssertionFailure) -> Self {
        Self::Violated(failure)
    }
}
