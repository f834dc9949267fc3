// SPDX-License-Identifier: MIT OR Apache-2.0
//! Designs that depend on the lines of a port that is not in use: random bits on these lines expose such designs
//! (chapter 5, 5.1; chapter 7, A4).

use std::sync::Arc;

use drra_case::{Case, IdlePorts};
use drra_fabric::{
    GroupId, Layout,
    ports::{Block, Inputs},
};
use drra_isa::{TileId, Unit};
use drra_lockstep::{
    AssertionFailure, Compare, Design, Dut, Ports, RunSetup, StartError, StateSource, StepError,
    run,
};

use crate::{GEOMETRY, setup};

/// The port whose lines take effect in every cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
enum UngatedPort {
    Program,
    Tiles,
    RegisterFiles,
    Answers,
}

/// A golden model that lacks the gate of a port.
#[derive(Debug)]
struct GatelessDesign(UngatedPort);

impl Design for GatelessDesign {
    fn start(&self, case: &Case, layout: &Arc<Layout>) -> Result<Box<dyn Dut>, StartError> {
        let dut = setup().design.start(case, layout)?;
        let leaked = vec![None; case.geometry.columns];
        let layout = Arc::clone(layout);
        let answers = Vec::new();
        Ok(Box::new(LeakingDut { dut, port: self.0, asked: 0, answers, leaked, layout }))
    }

    fn simulator(&self) -> &str {
        "golden model"
    }
}

struct LeakingDut {
    dut: Box<dyn Dut>,
    port: UngatedPort,
    /// Bit c: the input buffer of column c received a request in the previous cycle.
    asked: u32,
    /// The answers of the input buffers in the current cycle.
    answers: Vec<Block>,
    /// The block that each column captured without a request.
    leaked: Vec<Option<Block>>,
    layout: Arc<Layout>,
}

impl StateSource for LeakingDut {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        self.dut.read(unit, image);
        if let Unit::Column(column) = unit
            && let Some(block) = self.leaked[column.col()]
        {
            image[self.layout.slots().of(GroupId::ColumnIoRdata)..][..4].copy_from_slice(&block);
        }
    }

    fn sram_block(&self, tile: TileId, row: usize) -> Block {
        self.dut.sram_block(tile, row)
    }
}

impl Compare for LeakingDut {}

impl Dut for LeakingDut {
    fn drive(&mut self, inputs: &Inputs<'_>) -> Result<(), AssertionFailure> {
        let mut inputs = *inputs;
        let idle = inputs.idle.unwrap_or_default();
        match self.port {
            // Lines that are 0 select no cell and no tile.
            UngatedPort::Program if idle.prog.row_sel != 0 => {
                inputs.prog = inputs.prog.or(Some(idle.prog));
            }
            UngatedPort::Tiles if idle.sram_init.row != 0 => {
                inputs.sram_init = inputs.sram_init.or(Some(idle.sram_init));
            }
            UngatedPort::RegisterFiles if inputs.idle.is_some() => {
                inputs.rf_init = inputs.rf_init.or(Some(idle.rf_init));
            }
            _ => {}
        }
        self.answers = inputs.io_in_data.to_vec();
        self.dut.drive(&inputs)
    }

    fn step(&mut self) -> Result<(), StepError> {
        if let UngatedPort::Answers = self.port {
            for (c, leaked) in self.leaked.iter_mut().enumerate() {
                *leaked = (self.asked >> c & 1 == 0).then_some(self.answers[c]);
            }
            self.asked = self.dut.ports().unwrap().outputs().io_in_en;
        }
        self.dut.step()
    }

    fn ports(&self) -> Option<&dyn Ports> {
        self.dut.ports()
    }
}

/// Lines that are 0 hide every missing gate, and random bits expose it; a design with all gates agrees even with random
/// bits.
#[test]
fn a_missing_gate_is_found() {
    let setup = setup();
    let program = drra_case::programs::ALL[0].case(&GEOMETRY).unwrap();
    let zero = Case { seed: 11, cycles: Some(400), ..program };
    let random = Case { idle_ports: IdlePorts::Random, ..zero.clone() };
    assert_eq!(run(&random, &setup).unwrap().mismatch, None);
    for port in
        [UngatedPort::Program, UngatedPort::Tiles, UngatedPort::RegisterFiles, UngatedPort::Answers]
    {
        let design = GatelessDesign(port);
        let setup = RunSetup { design: &design, ..setup };
        assert_eq!(run(&zero, &setup).unwrap().mismatch, None, "{port:?}");
        assert!(run(&random, &setup).unwrap().mismatch.is_some(), "{port:?}");
    }
}
