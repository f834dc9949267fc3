// SPDX-License-Identifier: MIT OR Apache-2.0
//! A case: everything a run needs, in one JSON file (`case.schema.json`).

use std::collections::BTreeSet;

use drra_isa::{
    CellId, ColumnId, Geometry, MemoryImage, ProgramImage,
    ports::{Block, Inputs},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    idle::{IdlePorts, Noise},
    stimulus::{Player, PortCycle, Stimulus},
};

/// Longest run of a case, in cycles; so that a mistyped number does not run for days.
pub const MAX_CYCLES: u64 = 100_000_000;

/// A case, ready to run.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Name for people: the one in the case file, else the name of the file.
    pub name: String,
    /// Size of the fabric that it is for.
    pub geometry: Geometry,
    /// Instruction words, for reports. What is run is the stimulus.
    pub program: ProgramImage,
    /// Contents of the memories at the start; not used if `ports` is true.
    pub memory: MemoryImage,
    /// True if the stimulus was given cycle by cycle instead of following from programs and
    /// memories.
    pub ports: bool,
    /// I/O cells.
    pub io_cells: BTreeSet<CellId>,
    /// Inputs of the fabric.
    pub stimulus: Stimulus,
    /// Contents of the input buffers: column, address, block.
    pub input_buffers: Vec<(ColumnId, u32, Block)>,
    /// Cycles to run; `None`: until the fabric is quiet.
    pub cycles: Option<u64>,
    /// Seed of register bits without a reset value, and of random bits on ports.
    pub seed: u64,
    /// Values of the lines of ports that are not used, where no entry of the stimulus gives them.
    pub idle_ports: IdlePorts,
    /// Where a generated case came from.
    pub origin: Option<Origin>,
    /// First divergence of a failing case.
    pub expect: Option<Expect>,
}

/// Where a generated case came from; information only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Profile of the generator.
    pub profile: String,
    /// Seed of the generator.
    pub seed: u64,
}

/// First divergence of a failing case; information only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// First cycle whose state differs.
    pub cycle: u64,
    /// First register that differs.
    pub path: String,
}

impl Case {
    /// A case of program words and memory images, for a fabric that has these cells and memories.
    pub fn new(
        name: &str,
        geometry: &Geometry,
        program: ProgramImage,
        memory: MemoryImage,
    ) -> Self {
        let (name, geometry) = (name.to_owned(), *geometry);
        let stimulus = Stimulus::load(&program, &memory);
        Self { name, geometry, program, memory, stimulus, ..Self::default() }
    }

    /// Hands out what is on the load ports, cycle by cycle from cycle 0.
    pub fn player(&self) -> Player<'_> {
        self.stimulus.player().with(self.noise())
    }

    /// The same case with the random bits of its first cycles written into its stimulus. Answers of input
    /// buffers that nobody asked for are 0 then.
    pub fn with_explicit_lines(&self, cycles: u64) -> Self {
        let Some(noise) = self.noise() else { return self.clone() };
        let idle = (0..cycles).filter_map(|cycle| {
            noise.lines(cycle).map(|idle| PortCycle {
                cycle,
                idle: Some(idle),
                ..PortCycle::default()
            })
        });
        // Lines that the stimulus has already win: of two entries the later one counts.
        let entries = idle.chain(self.stimulus.entries().iter().copied()).collect();
        Self {
            ports: true,
            idle_ports: IdlePorts::Zero,
            stimulus: Stimulus::new(entries),
            ..self.clone()
        }
    }

    /// What is on the input ports while the design is in reset, which ignores it (chapter 5, 5.6). All 0 unless
    /// ports that are not used have random bits.
    pub fn in_reset(&self) -> Inputs<'static> {
        self.noise().map_or_else(Inputs::default, |noise| noise.in_reset())
    }

    /// The random bits on ports that are not used, if there are some.
    pub(crate) fn noise(&self) -> Option<Noise> {
        (self.idle_ports == IdlePorts::Random).then(|| Noise::new(self.seed, &self.geometry))
    }

    /// The straps as bits r*cols+c.
    pub fn straps(&self) -> u64 {
        self.io_cells.iter().fold(0, |straps, cell| straps | 1 << cell.index(&self.geometry))
    }
}
