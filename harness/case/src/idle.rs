// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bits on port lines that a cycle does not use. The bits have no meaning (chapter 5, 5.1; chapter 7, A4). A design
//! that nevertheless depends on them can only be detected if they are not 0.
//!
//! The bits depend only on the seed and the cycle, so both sides of a comparison get the same bits, whatever the order
//! of their requests.

use drra_fabric::{
    Parameter,
    ports::{Block, IdleLines, Inputs, ProgWord, RfInit, SramInit},
};
use drra_isa::{Geometry, instructions::WORD_BITS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Values of port lines that a cycle does not use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum IdlePorts {
    /// All lines are 0.
    #[default]
    Zero,
    /// Random bits in some cycles, derived from the seed of the case.
    Random,
}

/// On average, one in this many cycles has random bits on the program port, if the port is unused.
const PROGRAM: u64 = 4;
/// Like `PROGRAM`, for the initialisation port of the tiles, whose lines pass through all tiles.
const TILES: u64 = 16;
/// Like `PROGRAM`, for the initialisation port of the register files.
const REGISTER_FILES: u64 = 8;
/// Like `PROGRAM`, for the answers of the input buffers.
const ANSWERS: u64 = 8;

/// Random bits on unused ports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortNoise {
    seed: u64,
    geometry: Geometry,
}

impl PortNoise {
    /// Random bits that depend on a seed, for the ports of a fabric of this size.
    pub(crate) fn new(seed: u64, geometry: &Geometry) -> Self {
        Self { seed, geometry: *geometry }
    }

    /// Independent bits for a port in a cycle, on average in one of `period` cycles.
    fn bits(&self, port: u64, cycle: u64, period: u64) -> Option<RandomBits> {
        let mut bits = RandomBits(mix(mix(self.seed ^ port << 56) ^ cycle));
        bits.next().is_multiple_of(period).then_some(bits)
    }

    /// Values of the load port lines in a cycle that does not use them; `None`: all lines are 0.
    pub(crate) fn lines(&self, cycle: u64) -> Option<IdleLines> {
        let [word, tiles, files] = [(1, PROGRAM), (2, TILES), (3, REGISTER_FILES)]
            .map(|(port, period)| self.bits(port, cycle, period));
        if word.is_none() && tiles.is_none() && files.is_none() {
            return None;
        }
        Some(IdleLines {
            prog: word.map(|mut bits| self.word(&mut bits)).unwrap_or_default(),
            sram_init: tiles.map(|mut bits| self.block_of_tile(&mut bits)).unwrap_or_default(),
            rf_init: files.map(|mut bits| self.block_of_file(&mut bits)).unwrap_or_default(),
        })
    }

    /// The values on the load ports during reset, which the design ignores (chapter 5, 5.6): a word for the program
    /// port, a block for a tile (for half of the seeds, the tile next to the port), and a block for a register file.
    pub(crate) fn in_reset(&self) -> Inputs<'static> {
        let bits = |port: u64| RandomBits(mix(mix(self.seed ^ port << 56)));
        let (mut place, mut init) = (bits(7), self.block_of_tile(&mut bits(6)));
        if place.of(1) == 1 {
            (init.row, init.col) = (1, 0);
        }
        Inputs {
            prog: Some(self.word(&mut bits(5))),
            sram_init: Some(init),
            rf_init: Some(self.block_of_file(&mut bits(8))),
            ..Inputs::default()
        }
    }

    fn word(&self, bits: &mut RandomBits) -> ProgWord {
        ProgWord {
            instr: bits.of(WORD_BITS) as u32,
            imm: bits.of(1) == 1,
            row_sel: bits.of(Geometry::ROWS as u32) as u8,
            col_sel: bits.of(self.geometry.columns as u32) as u32,
        }
    }

    fn block_of_tile(&self, bits: &mut RandomBits) -> SramInit {
        SramInit {
            row: bits.of(Parameter::TileRow.value(&self.geometry)) as usize,
            col: bits.of(Parameter::Column.value(&self.geometry)) as usize,
            addr: bits.next() as usize % self.geometry.sram_blocks,
            data: bits.block(),
            valid: false,
        }
    }

    fn block_of_file(&self, bits: &mut RandomBits) -> RfInit {
        RfInit {
            row: bits.next() as usize % Geometry::ROWS,
            col: bits.of(Parameter::Column.value(&self.geometry)) as usize,
            block: bits.next() as usize % self.geometry.rf_blocks(),
            data: bits.block(),
        }
    }

    /// `io_in_data` of every column without a request in the previous cycle; `None`: 0.
    pub(crate) fn answer(&self, cycle: u64) -> Option<Block> {
        self.bits(4, cycle, ANSWERS).map(|mut bits| bits.block())
    }
}

/// The finaliser of SplitMix64.
fn mix(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A sequence of random bits, SplitMix64.
struct RandomBits(u64);

impl RandomBits {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A random number of `width` bits; `width` is at most 63.
    fn of(&mut self, width: u32) -> u64 {
        self.next() & ((1 << width) - 1)
    }

    fn block(&mut self) -> Block {
        std::array::from_fn(|_| self.next())
    }
}
