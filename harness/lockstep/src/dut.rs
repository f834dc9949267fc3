// SPDX-License-Identifier: MIT OR Apache-2.0
//! The design under test, one trait per capability: an implementation provides those that it has.
//!
//! A [`Design`] starts a [`Dut`] for each case. Of a `Dut` registers are read ([`StateSource`]) and compared
//! ([`Compare`]); it has [`Ports`] unless it is a recording. A design may have a signal map ([`Mapped`]) and may count
//! what its sources execute ([`CountsCoverage`]).

use std::{collections::BTreeSet, fmt, path::Path, sync::Arc};

use drra_case::Case;
use drra_golden::{Fabric, Signals};
use drra_isa::{
    Geometry, TileId,
    fabric::{Layout, Location},
    ports::Inputs,
};

use crate::{
    compared::Compared,
    difference::{self, Difference, StateSource},
    port::{self, PortDifference, Ports},
    signal::{SignalAt, SignalDifference},
    stop::{AssertionFailure, DutError, StartError, StepError},
};

/// Something whose registers are compared with those of the golden model. By default they are read; a design that
/// can compare in place, or knows of bits that mean nothing, overrides what it can do better.
pub trait Compare: StateSource {
    /// True if all registers that it shows agree with the golden model; the memories of the tiles, of which
    /// the rows that a cycle touches are asked for besides, may be left out.
    /// Asked in every cycle.
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
}

/// A design under test in one cycle. A new design is in cycle 0; each cycle begins with [`Dut::drive`] and ends
/// with [`Dut::step`]. In between, everything that is read is what registers hold and wires carry in the current
/// cycle, just before the edge that ends it.
pub trait Dut: Compare {
    /// Puts the inputs of the current cycle on the ports, once in each cycle, and lets the logic behind them
    /// settle.
    ///
    /// # Errors
    /// If an assertion of the design is violated; it has stopped then.
    fn drive(&mut self, inputs: &Inputs<'_>) -> Result<(), AssertionFailure>;

    /// The clock edge that ends the cycle.
    ///
    /// # Errors
    /// If an assertion of the design is violated, or its recording ends; it has stopped then.
    fn step(&mut self) -> Result<(), StepError>;

    /// Its output ports; `None` for a recording, which asks nothing of the buffers.
    fn ports(&self) -> Option<&dyn Ports>;

    /// All output ports that differ, in whatever cycle (chapter 7, A4).
    fn differing_ports(&self, golden: &Fabric) -> Vec<PortDifference> {
        self.ports().map_or_else(Vec::new, |ports| port::differing_ports(golden, ports))
    }

    /// The signals between its blocks that differ from those of the golden model in the same cycle, in
    /// the order of [`SignalAt::all`]; none if they are not known. Asked for where registers are
    /// about to differ.
    ///
    /// # Errors
    /// If the design does not have the signals that its map names.
    fn differing_signals(&self, _golden: &Signals) -> Result<Vec<SignalDifference>, DutError> {
        Ok(Vec::new())
    }

    /// The signals between its blocks that are known, if they are not all.
    fn shown_signals(&self) -> Option<BTreeSet<SignalAt>> {
        None
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

    /// Where its process is known to end: the run stops just before.
    fn known_stop(&self) -> Option<&KnownStop> {
        None
    }

    /// Name and version of its simulator, for reports.
    fn simulator(&self) -> &str;

    /// The sizes of the fabric for which it can be made; `None`: for all.
    fn sizes(&self) -> Option<&[Geometry]> {
        None
    }

    /// Digests of what it was made from; empty for a design that is part of this program.
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::default()
    }

    /// Drops cached models. Call this after changing anything that [`Design::start`] depends on.
    fn renew(&self) {}

    /// Registers of a design without a map that the fabric description does not have, and their bits: they are not
    /// compared.
    fn unknown_state(&self) -> Vec<(String, u32)> {
        Vec::new()
    }

    /// True if [`Dut::open_waves`] works.
    fn writes_waves(&self) -> bool {
        false
    }

    /// Its signal map. One without shows all registers by their own names, and the signals between blocks
    /// ([`Dut::differing_signals`]).
    fn mapped(&self) -> Option<&dyn Mapped> {
        None
    }

    /// Its counts of lines, branches and toggles, if there are any.
    fn counts(&self) -> Option<&dyn CountsCoverage> {
        None
    }
}

/// A design whose registers a signal map finds. It need not show everything.
pub trait Mapped {
    /// How much of the state the last run compared.
    fn compared(&self) -> Compared;

    /// Name that the design itself has for a register, or for a row of a tile's memory.
    fn name_of(&self, location: Location) -> Option<String>;

    /// Where the state of a cycle is in the recording that the design is, in words.
    fn moment(&self, _cycle: u64) -> Option<String> {
        None
    }
}

/// A design that counts the lines, branches and toggles of its sources.
pub trait CountsCoverage {
    /// Writes the counts of all designs whose run is over.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn write(&self, path: &Path) -> Result<(), DutError>;
}

/// Where a design stops: an assertion, or the end of the process that simulates it.
#[derive(Clone, Debug)]
pub struct KnownStop {
    /// Cycle whose edge it does not survive; `None`: reset.
    pub cycle: Option<u64>,
    /// Why it stops.
    pub failure: AssertionFailure,
}

/// A design of which it is known where it stops.
#[derive(Clone, Debug)]
pub struct Stopping<'a> {
    /// The design.
    pub design: &'a dyn Design,
    /// Where it stops.
    pub stop: KnownStop,
}

impl Design for Stopping<'_> {
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

    fn fingerprint(&self) -> Fingerprint {
        self.design.fingerprint()
    }

    fn renew(&self) {
        self.design.renew();
    }

    fn unknown_state(&self) -> Vec<(String, u32)> {
        self.design.unknown_state()
    }

    fn writes_waves(&self) -> bool {
        self.design.writes_waves()
    }

    fn mapped(&self) -> Option<&dyn Mapped> {
        self.design.mapped()
    }

    fn counts(&self) -> Option<&dyn CountsCoverage> {
        self.design.counts()
    }
}
