// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a case on the golden model alone.

use drra_case::{
    Buffers, Case,
    stimulus::{self, StimulusPlayer},
};
use drra_fabric::ports::Inputs;
use drra_golden::Fabric;
use drra_isa::{BlockWords, CellId, Geometry, MemoryImage, TileId};

/// A run without a given length ends when the fabric has been idle for this number of cycles.
pub const QUIET_CYCLES: u64 = 32;
/// A run without a given length ends this number of cycles after its last input at the latest.
pub const DEFAULT_LIMIT: u64 = 100_000;

/// Decides when a run ends: after a given number of cycles or, if none is given, when `all_idle & !agu_busy` has held
/// for [`QUIET_CYCLES`] after the last input, at the latest [`DEFAULT_LIMIT`] cycles after that input.
#[derive(Clone, Debug)]
pub struct EndRule {
    cycles: Option<u64>,
    inputs_end: u64,
    quiet: u64,
}

impl EndRule {
    /// The rule for a case; `cycles` overrides the length given in the case.
    pub fn new(case: &Case, cycles: Option<u64>) -> Self {
        Self { cycles: cycles.or(case.cycles), inputs_end: case.stimulus.end(), quiet: 0 }
    }

    /// The rule for a run that ends before `cycle` is executed.
    pub fn at(cycle: u64) -> Self {
        Self { cycles: Some(cycle), inputs_end: 0, quiet: 0 }
    }

    /// True if a run of `cycles` cycles without a given length was cut off at the limit.
    pub fn is_cut(&self, cycles: u64) -> bool {
        self.cycles.is_none() && cycles >= self.limit()
    }

    fn limit(&self) -> u64 {
        DEFAULT_LIMIT + self.inputs_end
    }

    /// True if the run ends before `cycle` is executed. `quiet` returns true if the fabric is idle in that cycle.
    pub fn ends(&mut self, cycle: u64, quiet: impl FnOnce() -> bool) -> bool {
        if let Some(cycles) = self.cycles {
            return cycle >= cycles;
        }
        if cycle < self.inputs_end {
            return false;
        }
        self.quiet = if quiet() { self.quiet + 1 } else { 0 };
        self.quiet >= QUIET_CYCLES || cycle >= self.limit()
    }
}

/// A golden model with its buffers and its inputs.
#[derive(Clone, Debug)]
pub struct GoldenRun<'a> {
    /// The model, in the current cycle.
    pub fabric: Fabric,
    /// Its external buffers.
    pub buffers: Buffers,
    player: StimulusPlayer<'a>,
    /// Inputs of the current cycle, except the answers of the buffers.
    ports: Inputs<'static>,
    /// Current cycle.
    pub cycle: u64,
}

impl<'a> GoldenRun<'a> {
    /// A run in cycle 0.
    pub fn new(case: &'a Case) -> Self {
        let mut player = case.player();
        Self {
            fabric: Fabric::new(case.geometry, case.straps()),
            buffers: Buffers::new(case),
            ports: player.next(&[]),
            player,
            cycle: 0,
        }
    }

    /// Inputs of the current cycle.
    pub fn inputs(&self) -> Inputs<'_> {
        Inputs { io_in_data: self.buffers.answers(), ..self.ports }
    }

    /// Executes one cycle.
    pub fn step(&mut self) {
        // Requests and writes of this cycle, taken before the edge.
        let reads: Vec<_> = self.fabric.buffer_reads().map(|r| (r.column.col(), r.addr)).collect();
        let writes: Vec<_> =
            self.fabric.buffer_writes().map(|w| (w.column.col(), w.addr, w.data, w.mask)).collect();
        self.fabric.step(&Inputs { io_in_data: self.buffers.answers(), ..self.ports });
        self.buffers.step(reads, writes);
        self.ports = self.player.next(&[]);
        self.cycle += 1;
    }

    /// The rows of tiles and register files that are not 0 in the current cycle.
    pub fn memory(&self) -> MemoryImage {
        let (geometry, mut image) = (self.fabric.geometry(), MemoryImage::default());
        let used = |(_, row): &(usize, BlockWords)| *row != BlockWords::default();
        for tile in TileId::all(geometry) {
            let rows = self.fabric.sram(tile).iter().map(stimulus::words).enumerate();
            rows.filter(used).for_each(|(at, row)| {
                image.sram.entry(tile).or_default().insert(at, row);
            });
        }
        for cell in CellId::all(geometry) {
            let word = |n| self.fabric.register_file(cell).word(n);
            let row = |at| (at, std::array::from_fn(|k| word(Geometry::BLOCK_WORDS * at + k)));
            (0..geometry.rf_blocks()).map(row).filter(used).for_each(|(at, row)| {
                image.rf.entry(cell).or_default().insert(at, row);
            });
        }
        image
    }

    /// True if the fabric is idle in the current cycle.
    pub fn quiet(&self) -> bool {
        self.fabric.quiet()
    }
}
