// SPDX-License-Identifier: MIT OR Apache-2.0
//! A case: everything a run needs, in one JSON file (schema: `case.schema.json`).

use std::collections::BTreeSet;

use drra_fabric::ports::{Block, Inputs, ZERO_BLOCK};
use drra_isa::{CellId, ColumnId, Geometry, MemoryImage, ProgramImage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    idle::{IdlePorts, PortNoise},
    stimulus::{Stimulus, StimulusEntry, StimulusPlayer},
};

/// Maximum length of a run in cycles, so that a mistyped number does not cause a run of several days.
pub const MAX_CYCLES: u64 = 100_000_000;

/// A case, ready to run.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Human-readable name, taken from the case file or else from the file name.
    pub name: String,
    /// Size of the fabric that the case is for.
    pub geometry: Geometry,
    /// Instruction words, for reports. The run uses the stimulus.
    pub program: ProgramImage,
    /// Initial contents of the memories; not used if `ports` is true.
    pub memory: MemoryImage,
    /// True if the stimulus was given cycle by cycle instead of being derived from programs and memories.
    pub ports: bool,
    /// I/O cells.
    pub io_cells: BTreeSet<CellId>,
    /// Inputs of the fabric.
    pub stimulus: Stimulus,
    /// Contents of the input buffers: column, address, block.
    pub input_buffers: Vec<(ColumnId, u32, Block)>,
    /// First cycle whose differences count. In earlier cycles in which the design differs, it takes over the state of the
    /// golden model, so that an earlier difference does not hide a later one.
    pub compare_from: u64,
    /// Number of cycles to run; if `None`, the run ends when the fabric is idle.
    pub cycles: Option<u64>,
    /// Seed for register bits without a reset value and for random bits on ports.
    pub seed: u64,
    /// Values of unused port lines that the stimulus does not specify.
    pub idle_ports: IdlePorts,
    /// Origin of a generated case.
    pub origin: Option<CaseOrigin>,
    /// First divergence of a failing case.
    pub expect: Option<Divergence>,
}

/// Origin of a generated case; information only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Origin")]
pub struct CaseOrigin {
    /// Profile of the generator.
    pub profile: String,
    /// Seed of the generator.
    pub seed: u64,
}

/// First divergence of a failing case; information only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Divergence {
    /// First cycle whose state differs.
    pub cycle: u64,
    /// First register or port that differs, or the violated assertion.
    pub path: String,
}

impl Case {
    /// A case made of program words and memory images, for a fabric of this size.
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

    /// True if no cell has more words than an assembled program can have.
    pub fn is_assembly(&self) -> bool {
        self.program.cells().all(|(_, words)| words.len() <= Geometry::PROGRAM_WORDS)
    }

    /// The programs as assembly text, from which the assembler makes the same words. A comment says if the words of a
    /// cell are not those of one load, or are more than the assembler accepts.
    pub fn program_text(&self) -> String {
        let isa = drra_isa::Revision::R4.isa();
        let mut text = String::new();
        let loaded = self.stimulus.entries().iter().filter(|e| e.prog.is_some()).map(|e| e.cycle);
        if loaded.clone().zip(loaded.skip(1)).any(|(cycle, next)| next > cycle + 1) {
            text += "# All loads, one after another; the case has the cycle of each word.\n";
        }
        if !self.is_assembly() {
            text += "# A cell has more words than an assembled program can have; run the case instead.\n";
        }
        if self.geometry != Geometry::default() {
            text += &format!("# For fabric {0}: drra run --fabric {0}\n", self.geometry);
        }
        for cell in &self.io_cells {
            text += &format!(".IOCELL <{},{}>\n", cell.row(), cell.col());
        }
        for (cell, words) in self.program.cells() {
            text += &format!("CELL <{},{}>\n", cell.row(), cell.col());
            for line in drra_isa::disassemble(isa, words, self.io_cells.contains(&cell)) {
                text += &format!("        {}\n", line.text);
            }
        }
        text
    }

    /// Returns a reader of the inputs of the load ports, cycle by cycle from cycle 0.
    pub fn player(&self) -> StimulusPlayer<'_> {
        self.stimulus.player().with(self.noise())
    }

    /// The values of the load ports in a cycle, including those of unused lines.
    pub fn entry(&self, cycle: u64) -> StimulusEntry {
        let Inputs { prog, sram_init, rf_init, idle, .. } = self.player().at(cycle).next(&[]);
        StimulusEntry { cycle, prog, sram_init, rf_init, idle }
    }

    /// The answer of an input buffer in a cycle, if nothing was requested in the previous cycle.
    pub fn idle_answer(&self, cycle: u64) -> Block {
        self.noise().and_then(|noise| noise.answer(cycle)).unwrap_or(ZERO_BLOCK)
    }

    /// Returns the same case with the random bits of its first `cycles` cycles written into its stimulus. In the
    /// returned case, the answer of an input buffer is 0 if nothing was requested.
    pub fn with_explicit_lines(&self, cycles: u64) -> Self {
        let Some(noise) = self.noise() else { return self.clone() };
        let idle = (0..cycles).filter_map(|cycle| {
            noise.lines(cycle).map(|idle| StimulusEntry {
                cycle,
                idle: Some(idle),
                ..StimulusEntry::default()
            })
        });
        // Lines given in the stimulus take precedence, because the later of two entries is used.
        let entries = idle.chain(self.stimulus.entries().iter().copied()).collect();
        Self {
            ports: true,
            idle_ports: IdlePorts::Zero,
            stimulus: Stimulus::new(entries),
            ..self.clone()
        }
    }

    /// The values on the input ports during reset, which the design ignores (chapter 5, 5.6). All values are 0 unless
    /// unused ports have random bits.
    pub fn in_reset(&self) -> Inputs<'static> {
        self.noise().map_or_else(Inputs::default, |noise| noise.in_reset())
    }

    /// The random bits on unused ports, if there are any.
    pub(crate) fn noise(&self) -> Option<PortNoise> {
        (self.idle_ports == IdlePorts::Random).then(|| PortNoise::new(self.seed, &self.geometry))
    }

    /// The straps: bit r*cols+c is 1 if cell (r,c) is an I/O cell.
    pub fn straps(&self) -> u64 {
        self.io_cells.iter().fold(0, |straps, cell| straps | 1 << cell.index(&self.geometry))
    }
}
