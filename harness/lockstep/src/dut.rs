// SPDX-License-Identifier: MIT OR Apache-2.0
//! The design under test, with one trait per capability: an implementation provides those that it has.
//!
//! A [`Design`] starts a [`Dut`] for each case. The registers of a `Dut` are read ([`StateSource`]) and compared
//! ([`Compare`]); it has [`Ports`] unless it is a waveform. A design may have a signal map ([`MappedDesign`]) and may
//! collect coverage of its sources ([`CoverageCounter`]).

use std::{collections::BTreeSet, fmt, path::Path, sync::Arc};

use drra_case::Case;
use drra_fabric::{Layout, Location, ports::Inputs};
use drra_golden::{Fabric, Signals};
use drra_isa::{Geometry, TileId};

use crate::{
    compared::ComparisonCoverage,
    difference::{self, Difference, StateSource},
    port::{self, PortDifference, Ports},
    signal::{SignalDifference, SignalLocation},
    stop::{AssertionFailure, DutError, StartError, StepError},
};

/// A design whose registers are compared with those of the golden model. By default, the registers are read; a design
/// that can compare them in place, or knows that some bits are meaningless, overrides the methods concerned.
pub trait Compare: StateSource {
    /// True if all registers that the design shows agree with the golden model. The tile memories can be left out,
    /// because rows written in a cycle are compared separately. Called in every cycle.
    fn agrees(&self, golden: &Fabric) -> bool {
        difference::agrees(self, golden)
    }

    /// True if a memory row of a tile agrees.
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
}

/// A design under test in one cycle. A new design is in cycle 0; each cycle begins with [`Dut::drive`] and ends with
/// [`Dut::step`]. In between, everything that is read has its value in the current cycle, just before the edge that
/// ends it.
pub trait Dut: Compare {
    /// Drives the inputs of the current cycle, once per cycle, and lets the logic behind them settle.
    ///
    /// # Errors
    /// If an assertion of the design is violated; the design has then stopped.
    fn drive(&mut self, inputs: &Inputs<'_>) -> Result<(), AssertionFailure>;

    /// The clock edge that ends the cycle.
    ///
    /// # Errors
    /// If an assertion of the design is violated or its waveform ends; the design has then stopped.
    fn step(&mut self) -> Result<(), StepError>;

    /// The output ports of the design; `None` for a waveform, which reads nothing from the buffers.
    fn ports(&self) -> Option<&dyn Ports>;

    /// All output ports that differ in the current cycle (chapter 7, A4).
    fn differing_ports(&self, golden: &Fabric) -> Vec<PortDifference> {
        self.ports().map_or_else(Vec::new, |ports| port::differing_ports(golden, ports))
    }

    /// The signals between the blocks of the design that differ from the golden model in the same cycle, in the order
    /// of [`SignalLocation::all`]; empty if the signals are not known. Reports need them in the leading cycle of a mismatch.
    ///
    /// # Errors
    /// If the design does not have the signals that its map names.
    fn differing_signals(&self, _golden: &Signals) -> Result<Vec<SignalDifference>, DutError> {
        Ok(Vec::new())
    }

    /// The signals between the blocks that the design shows; `None` if it shows either all or none.
    fn shown_signals(&self) -> Option<BTreeSet<SignalLocation>> {
        None
    }

    /// Injects a fault by flipping one bit of a register, or of a memory row of a tile, in the current cycle. Returns
    /// false if the design cannot do this or has no such bit.
    fn flip(&mut self, _location: Location, _bit: u32) -> bool {
        false
    }

    /// Takes over the state of the golden model in the current cycle; [`Dut::drive`] follows. Returns false if the design
    /// cannot do this; part of its state may then have changed.
    fn take_over(&mut self, _golden: &Fabric) -> bool {
        false
    }

    /// From now until the design is dropped, writes waves of all its signals to a file; the state of cycle t starts
    /// at t ns.
    ///
    /// # Errors
    /// If the design cannot do this, or the file cannot be written.
    fn open_waves(&mut self, _path: &Path) -> Result<(), DutError> {
        Err(DutError::NoWaves)
    }
}

/// Digests of the files that a design was built from; equal digests mean equal files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DesignFingerprint {
    /// Digest of the sources.
    pub sources: &'static str,
    /// Digest of the model generated from the sources, including parameters and the generating program.
    pub model: &'static str,
}

/// Creates designs under test, one for each run; used by all workers at the same time.
pub trait Design: fmt::Debug + Sync {
    /// A design in cycle 0 of a case, before its inputs are driven. The design has been reset with the straps of the
    /// case, and its bits without a reset value are random, derived from the seed of the case.
    ///
    /// # Errors
    /// If an assertion is violated in reset, the design does not have the registers named in its map, or there is no
    /// model of the fabric size of the case.
    fn start(&self, case: &Case, layout: &Arc<Layout>) -> Result<Box<dyn Dut>, StartError>;

    /// The point at which the design is known to stop, if there is one; the run ends just before that point.
    fn known_stop(&self) -> Option<&KnownStop> {
        None
    }

    /// Name and version of the design's simulator, for reports.
    fn simulator(&self) -> &str;

    /// The fabric sizes for which the design can be created; `None` means all sizes.
    fn sizes(&self) -> Option<&[Geometry]> {
        None
    }

    /// Digests of the files that the design was built from; empty for a design that is part of this program.
    fn fingerprint(&self) -> DesignFingerprint {
        DesignFingerprint::default()
    }

    /// Drops cached models. Call this after changing anything that [`Design::start`] depends on.
    fn renew(&self) {}

    /// For a design without a map: the names of state that is not in the fabric description and is not compared, as far
    /// as it has been found by running cases since the last call.
    fn take_unknown_state(&self) -> Vec<String> {
        Vec::new()
    }

    /// Adds such names, found by a worker process.
    fn add_unknown_state(&self, _names: Vec<String>) {}

    /// The distinct warnings that the design has printed on this thread since the last call. A design that prints many
    /// returns the first ones in alphabetical order.
    fn take_warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// True if [`Dut::open_waves`] works.
    fn writes_waves(&self) -> bool {
        false
    }

    /// Its signal map. A design without one shows all registers under their own names, and the signals between blocks
    /// ([`Dut::differing_signals`]).
    fn mapped(&self) -> Option<&dyn MappedDesign> {
        None
    }

    /// The line, branch and toggle coverage of the design, if available.
    fn counts(&self) -> Option<&dyn CoverageCounter> {
        None
    }
}

/// A design whose registers are found through a signal map. Such a design need not show everything.
pub trait MappedDesign {
    /// Comparison coverage: for a waveform, of the last run; for a model, no cycles have been counted.
    fn compared(&self) -> ComparisonCoverage;

    /// The design's own name for a register, or for a memory row of a tile.
    fn name_of(&self, location: Location) -> Option<String>;

    /// The clock edge and the time at which the state of a cycle is sampled in the waveform, as text.
    fn moment(&self, _cycle: u64) -> Option<String> {
        None
    }
}

/// A design that counts the lines, branches and toggles of its sources.
pub trait CoverageCounter {
    /// Writes the counts of all designs whose runs have ended since the last call.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn write(&self, path: &Path) -> Result<(), DutError>;
}

/// The point at which a design stops: an assertion, or the end of the process that simulates it.
#[derive(Clone, Debug)]
pub struct KnownStop {
    /// Cycle at whose edge the design stops; `None` if it stops in reset, or if the cycle is unknown.
    pub cycle: Option<u64>,
    /// The reason why the design stops.
    pub failure: AssertionFailure,
}

/// A design with a known stop.
#[derive(Clone, Debug)]
pub struct StoppingDesign<'a> {
    /// The design.
    pub design: &'a dyn Design,
    /// The point at which it stops.
    pub stop: KnownStop,
}

impl Design for StoppingDesign<'_> {
    fn start(&self, case: &Case, layout: &Arc<Layout>) -> Result<Box<dyn Dut>, StartError> {
        self.design.start(case, layout)
    }

    fn known_stop(&self) -> Option<&KnownStop> {
        Some(&self.stop)
    }

    fn simulator(&self) -> &str {
        self.design.simulator()
    }

    fn sizes(&self) -> Option<&[Geometry]> {
        self.design.sizes()
    }

    fn fingerprint(&self) -> DesignFingerprint {
        self.design.fingerprint()
    }

    fn renew(&self) {
        self.design.renew();
    }

    fn take_unknown_state(&self) -> Vec<String> {
        self.design.take_unknown_state()
    }

    fn add_unknown_state(&self, names: Vec<String>) {
        self.design.add_unknown_state(names);
    }

    fn writes_waves(&self) -> bool {
        self.design.writes_waves()
    }

    fn mapped(&self) -> Option<&dyn MappedDesign> {
        self.design.mapped()
    }

    fn counts(&self) -> Option<&dyn CoverageCounter> {
        self.design.counts()
    }
}
