// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults that are planted in a design: tests check that the comparison finds them.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use drra_case::Case;
use drra_fabric::{
    Layout, Location, PortId, Register, RegisterId,
    ports::{Block, Inputs},
};
use drra_golden::{BufferWrite, Fabric, Signals};
use drra_isa::{ColumnId, Geometry, TileId, Unit};

use drra_lockstep::{
    AssertionFailure, Compare, ComparisonCoverage, CoverageCounter, Design, DesignFingerprint,
    Difference, Dut, DutError, KnownStop, MappedDesign, PortDifference, Ports, SignalDifference,
    SignalLocation, StartError, StateSource, StatusOutputs, StepError, Value, agrees,
    differing_ports,
};

/// A fault of a design.
#[derive(Clone, Debug)]
pub enum Fault {
    /// A bit of a register flips.
    Flip(Flip),
    /// A bit of a register flips because bits of these signals flip in the previous cycle.
    Carried(Flip, Vec<(SignalLocation, u32)>),
    /// The program port changes every word in this way.
    Word(fn(u32) -> u32),
    /// A port to a buffer is not 0 where it must be.
    Idle(IdlePort),
    /// A bit of a port to a buffer flips with every access.
    Access(AccessPort),
    /// The status outputs and the access enables change in this way.
    Outputs(fn(StatusOutputs) -> StatusOutputs),
    /// An assertion is violated, or the design stops for another reason.
    Assertion(KnownStop),
    /// The registers of one kind are not shown.
    Hidden(HiddenRegisters),
}

/// Registers that are not shown.
#[derive(Clone, Debug)]
pub struct HiddenRegisters {
    /// The kind of register.
    pub register: RegisterId,
    /// The comparison coverage that the design reports.
    pub compared: Box<ComparisonCoverage>,
}

impl MappedDesign for HiddenRegisters {
    fn compared(&self) -> ComparisonCoverage {
        ComparisonCoverage::clone(&self.compared)
    }

    fn name_of(&self, _location: Location) -> Option<String> {
        None
    }
}

/// A bit that flips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flip {
    /// Cycle whose state is changed.
    pub cycle: u64,
    /// The register, or row of a tile's memory.
    pub location: Location,
    /// Bit of the register.
    pub bit: u32,
}

/// A port to a buffer of a column; the lowest bit of the port is 1 in cycles without an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdlePort {
    /// The cycle from which the fault acts.
    pub from: u64,
    /// An address, data or mask port.
    pub port: PortId,
    /// Its column.
    pub column: ColumnId,
}

/// One bit of a port to a buffer, which flips in every access of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessPort {
    /// An address, data or mask port.
    pub port: PortId,
    /// Its column.
    pub column: ColumnId,
    /// The bit.
    pub bit: u32,
}

/// A design with a fault.
#[derive(Clone, Debug)]
pub struct FaultyDesign<'a> {
    design: &'a dyn Design,
    fault: Fault,
}

impl<'a> FaultyDesign<'a> {
    /// Plants a fault in a design.
    pub fn new(design: &'a dyn Design, fault: Fault) -> Self {
        Self { design, fault }
    }
}

impl Design for FaultyDesign<'_> {
    /// # Panics
    /// If the fault flips a bit that the design does not have.
    fn start(&self, case: &Case, layout: &Arc<Layout>) -> Result<Box<dyn Dut>, StartError> {
        let dut = self.design.start(case, layout)?;
        let mut dut = FaultyDut { dut, cycle: 0, fault: self.fault.clone() };
        dut.enter_cycle();
        Ok(Box::new(dut))
    }

    fn known_stop(&self) -> Option<&KnownStop> {
        match &self.fault {
            Fault::Assertion(stop) => Some(stop),
            _ => self.design.known_stop(),
        }
    }

    fn sizes(&self) -> Option<&[Geometry]> {
        self.design.sizes()
    }

    fn renew(&self) {
        self.design.renew();
    }

    fn simulator(&self) -> &str {
        self.design.simulator()
    }

    fn fingerprint(&self) -> DesignFingerprint {
        self.design.fingerprint()
    }

    fn writes_waves(&self) -> bool {
        self.design.writes_waves()
    }

    fn mapped(&self) -> Option<&dyn MappedDesign> {
        match &self.fault {
            Fault::Hidden(hidden) => Some(hidden),
            _ => self.design.mapped(),
        }
    }

    fn counts(&self) -> Option<&dyn CoverageCounter> {
        self.design.counts()
    }
}

struct FaultyDut {
    dut: Box<dyn Dut>,
    cycle: u64,
    fault: Fault,
}

impl FaultyDut {
    /// Flips the bit of the fault when its cycle begins.
    fn enter_cycle(&mut self) {
        if let Fault::Flip(flip) | Fault::Carried(flip, _) = &self.fault
            && flip.cycle == self.cycle
        {
            let done = self.dut.flip(flip.location, flip.bit);
            assert!(done, "the design has no bit {} of {}", flip.bit, flip.location);
        }
    }

    /// The kind of register that is not shown.
    fn hidden(&self) -> Option<RegisterId> {
        match &self.fault {
            Fault::Hidden(hidden) => Some(hidden.register),
            _ => None,
        }
    }

    /// The bit of this port of a column that is wrong; `enables` are the access enables of the columns.
    fn wrong_bit(&self, port: PortId, column: ColumnId, enables: u32) -> Option<u32> {
        let accessed = enables >> column.col() & 1 == 1;
        let here = (port, column);
        match &self.fault {
            Fault::Idle(idle) => {
                let wrong = idle.from <= self.cycle && (idle.port, idle.column) == here;
                (wrong && !accessed).then_some(0)
            }
            Fault::Access(access) => {
                ((access.port, access.column) == here && accessed).then_some(access.bit)
            }
            Fault::Flip(_)
            | Fault::Carried(..)
            | Fault::Word(_)
            | Fault::Outputs(_)
            | Fault::Assertion(_)
            | Fault::Hidden(_) => None,
        }
    }

    /// The ports of the design without the fault.
    fn sound(&self) -> &dyn Ports {
        self.dut.ports().expect("a port is faulty in a design that has ports")
    }

    /// True if the fault is at an output port.
    fn is_of_port(&self) -> bool {
        matches!(self.fault, Fault::Idle(_) | Fault::Access(_) | Fault::Outputs(_))
    }
}

impl StateSource for FaultyDut {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        self.dut.read(unit, image);
    }

    fn unknown(&self, unit: Unit, image: &mut Vec<u64>) {
        self.dut.unknown(unit, image);
    }

    fn shows(&self, unit: Unit, register: Register) -> bool {
        self.hidden() != Some(register.id()) && self.dut.shows(unit, register)
    }

    fn sram_block(&self, tile: TileId, row: usize) -> Block {
        self.dut.sram_block(tile, row)
    }
}

impl Compare for FaultyDut {
    fn agrees(&self, golden: &Fabric) -> bool {
        match self.hidden() {
            None => self.dut.agrees(golden),
            Some(_) => agrees(self, golden),
        }
    }

    fn sram_row_agrees(&self, golden: &Fabric, tile: TileId, row: usize) -> bool {
        self.dut.sram_row_agrees(golden, tile, row)
    }

    fn srams_agree(&self, golden: &Fabric) -> bool {
        self.dut.srams_agree(golden)
    }

    fn differences(&self, golden: &Fabric) -> Vec<Difference> {
        let mut found = self.dut.differences(golden);
        found.retain(|difference| self.hidden() != Some(difference.location.register.id()));
        found
    }
}

/// The ports of a design with a faulty port.
impl Ports for FaultyDut {
    fn outputs(&self) -> StatusOutputs {
        // A faulty bit can be 1, regardless of the values of the correct ports.
        let outputs = StatusOutputs { still: false, ..self.sound().outputs() };
        if let Fault::Outputs(change) = self.fault { change(outputs) } else { outputs }
    }

    fn io_in_addr(&self, column: ColumnId) -> u32 {
        let bit = self.wrong_bit(PortId::IoInAddr, column, self.outputs().io_in_en);
        self.sound().io_in_addr(column) ^ bit.map_or(0, |bit| 1 << bit)
    }

    fn io_out(&self, column: ColumnId) -> BufferWrite {
        let mut write = self.sound().io_out(column);
        let bit = |port| self.wrong_bit(port, column, self.outputs().io_out_en);
        write.addr ^= bit(PortId::IoOutAddr).map_or(0, |bit| 1 << bit);
        if let Some(bit) = bit(PortId::IoOutData) {
            write.data[bit as usize / 64] ^= 1 << (bit % 64);
        }
        write.mask ^= bit(PortId::IoOutMask).map_or(0, |bit| 1 << bit);
        write
    }
}

impl Dut for FaultyDut {
    fn drive(&mut self, inputs: &Inputs<'_>) -> Result<(), AssertionFailure> {
        let mut inputs = *inputs;
        if let Fault::Word(fault) = &self.fault
            && let Some(word) = &mut inputs.prog
        {
            word.instr = fault(word.instr);
        }
        self.dut.drive(&inputs)
    }

    fn step(&mut self) -> Result<(), StepError> {
        self.dut.step()?;
        self.cycle += 1;
        self.enter_cycle();
        Ok(())
    }

    fn ports(&self) -> Option<&dyn Ports> {
        if self.is_of_port() { Some(self) } else { self.dut.ports() }
    }

    fn differing_ports(&self, golden: &Fabric) -> Vec<PortDifference> {
        if self.is_of_port() {
            differing_ports(golden, self)
        } else {
            self.dut.differing_ports(golden)
        }
    }

    fn differing_signals(&self, golden: &Signals) -> Result<Vec<SignalDifference>, DutError> {
        let Fault::Carried(_, signals) = &self.fault else {
            return self.dut.differing_signals(golden);
        };
        let flipped = |(signal, bit): &(SignalLocation, u32)| {
            let value = signal.value(golden)?;
            let mut words = value.words().to_vec();
            words[(bit / 64) as usize] ^= 1 << (bit % 64);
            let dut = Value::new(words, value.width());
            Some(SignalDifference { signal: *signal, golden: value, dut })
        };
        Ok(signals.iter().filter_map(flipped).collect())
    }

    fn shown_signals(&self) -> Option<BTreeSet<SignalLocation>> {
        self.dut.shown_signals()
    }

    fn flip(&mut self, location: Location, bit: u32) -> bool {
        self.dut.flip(location, bit)
    }

    fn take_over(&mut self, golden: &Fabric) -> bool {
        self.dut.take_over(golden)
    }

    fn open_waves(&mut self, path: &Path) -> Result<(), DutError> {
        self.dut.open_waves(path)
    }
}

/// All registers whose bits can be flipped, in table order, with one row of the memory of each tile.
pub fn registers(layout: &Layout) -> Vec<Location> {
    let row = 5.min(layout.geometry().sram_blocks - 1);
    let shown = |l: &Location| !matches!(l.register, Register::TileSram(other) if other != row);
    layout.locations().filter(shown).collect()
}
