// SPDX-License-Identifier: MIT OR Apache-2.0
//! A model that leaves blocks at rest alone beside one that executes every block in every cycle and packs every
//! register.

use std::cell::Cell;

use drra_case::Buffers;
use drra_generate::Profile;
use drra_isa::{
    Assembler, Geometry, TileId, UnitKind,
    instructions::{DpuIoChange, DpuMode},
    ports::{Block, Inputs, ProgWord, RfInit, SramInit},
};

use crate::{
    Fabric,
    dpu::{Dpu, DpuInstruction},
    sequencer::LoadPort,
    tile,
};

thread_local! {
    static RESTLESS: Cell<bool> = const { Cell::new(false) };
}

/// Whether blocks at rest are left alone.
pub(crate) fn allowed() -> bool {
    !RESTLESS.get()
}

/// Does something with every block executed.
fn without_rest<R>(work: impl FnOnce() -> R) -> R {
    RESTLESS.set(true);
    let result = work();
    RESTLESS.set(false);
    result
}

/// Sizes of fabrics: the usual one, an odd one, one with few tiles, the smallest one.
const SIZES: [Geometry; 4] = [
    Geometry::DEFAULT,
    Geometry { columns: 3, tile_rows: 3, rf_words: 64, sram_blocks: 128 },
    Geometry { columns: 5, tile_rows: 1, rf_words: 32, sram_blocks: 16 },
    Geometry { columns: 2, tile_rows: 1, rf_words: 32, sram_blocks: 2 },
];

/// Both models in the same cycle.
struct Both {
    resting: Fabric,
    restless: Fabric,
    cycle: u64,
}

impl Both {
    fn new(geometry: Geometry, io_cells: u64) -> Self {
        let fabric = || Fabric::new(geometry, io_cells);
        Self { resting: fabric(), restless: fabric(), cycle: 0 }
    }

    /// Executes one cycle on both and compares what they show then.
    fn step(&mut self, inputs: &Inputs<'_>) {
        self.resting.step(inputs);
        without_rest(|| self.restless.step(inputs));
        self.cycle += 1;
        self.resting.pack();
        self.restless.mark_all_stale();
        self.restless.pack();

        let (a, b, cycle) = (&self.resting, &self.restless, self.cycle);
        for kind in UnitKind::ALL {
            let first = a.images(kind).iter().zip(b.images(kind)).position(|(a, b)| a != b);
            let words = a.layout().words(kind);
            let at = first.map(|at| (at / words, at % words));
            assert_eq!(at, None, "cycle {cycle}: {} and word of it that differ", kind.name());
        }
        assert_eq!(a.status(), b.status(), "cycle {cycle}");
        assert_eq!(a.lanes, b.lanes, "cycle {cycle}");
        assert_eq!(a.home, b.home, "cycle {cycle}");
        assert!(a.written_rows().eq(b.written_rows()), "cycle {cycle}");
        assert!(a.active_columns().eq(b.active_columns()), "cycle {cycle}");
        assert!(a.active_tiles().eq(b.active_tiles()), "cycle {cycle}");
        for (a, b) in a.cells().zip(b.cells()) {
            let (own, other) = (a.register_file(), b.register_file());
            assert_eq!(own.all_emitted(), other.all_emitted(), "cycle {cycle}: {:?}", a.id());
            assert_eq!(own.block_writes(), other.block_writes(), "cycle {cycle}: {:?}", a.id());
        }
        if cycle.is_multiple_of(64) {
            for tile in TileId::all(a.geometry()) {
                assert!(a.sram(tile) == b.sram(tile), "cycle {cycle}: {tile:?}");
            }
        }
    }
}

/// Generated cases, in which data flow, and what comes after them.
#[test]
fn generated_cases_run_alike_with_and_without_rest() {
    let profiles =
        ["default", "chaos", "dimarch", "io_perm", "interconnect", "agu", "dpu", "loops"];
    for (profile, seed) in profiles.into_iter().flat_map(|p| (0..16).map(move |seed| (p, seed))) {
        let profile = Profile::shipped(profile).expect("a profile");
        let geometry = SIZES[seed as usize % SIZES.len()];
        let case = drra_generate::generate(&profile, seed, &geometry).case;
        let (mut buffers, mut player) = (Buffers::new(&case), case.player());
        let mut both = Both::new(geometry, case.straps());
        for _ in 0..(case.stimulus.end() + 400).min(2500) {
            let fabric = &both.resting;
            let reads: Vec<_> = fabric.buffer_reads().map(|r| (r.column.col(), r.addr)).collect();
            let writes = fabric.buffer_writes().map(|w| (w.column.col(), w.addr, w.data, w.mask));
            let writes: Vec<_> = writes.collect();
            both.step(&player.next(buffers.answers()));
            buffers.step(reads, writes);
        }
    }
}

/// Random bits from a seed: SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end
    }

    fn block(&mut self) -> Block {
        std::array::from_fn(|_| self.next())
    }

    /// In one of `of` cycles what `make` gives.
    fn sometimes<T>(&mut self, of: usize, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.below(of) == 0).then(|| make(self))
    }
}

/// Words and blocks on all ports, most of them rare, so that every block comes to rest and wakes up again.
#[test]
fn random_ports_do_the_same_with_and_without_rest() {
    for seed in 0..96 {
        let mut random = Random(seed);
        let geometry = SIZES[seed as usize % SIZES.len()];
        let mut both = Both::new(geometry, random.next());
        let (mut words, mut selects) = (0, (0, 0));
        for _ in 0..1500 {
            // A few words for some cells, then time to run them.
            if words == 0 && random.below(120) == 0 {
                words = 1 + random.below(12);
                selects = (random.next() as u8, random.next() as u32 & random.next() as u32);
            }
            let prog = (words > 0).then(|| ProgWord {
                instr: random.next() as u32 & 0x7ff_ffff,
                imm: random.below(2) == 0,
                row_sel: selects.0,
                col_sel: selects.1,
            });
            words = words.saturating_sub(1);
            let rf_init = random.sometimes(60, |random| RfInit {
                row: random.below(Geometry::ROWS),
                col: random.below(geometry.columns),
                block: random.below(4),
                data: random.block(),
            });
            let sram_init = random.sometimes(90, |random| SramInit {
                valid: true,
                row: 1 + random.below(geometry.tile_rows),
                col: random.below(geometry.columns),
                addr: random.below(geometry.sram_blocks),
                data: random.block(),
            });
            let answers: Vec<_> = (0..geometry.columns).map(|_| random.block()).collect();
            both.step(&Inputs { prog, rf_init, sram_init, io_in_data: &answers, idle: None });
        }
    }
}

/// A block of the memory comes down to a column long after the program of its cell has ended: 20 cycles after the
/// SRAM is decoded (chapter 6, 11.1, with a delay of 15), for one cycle.
#[test]
fn a_block_wakes_a_column_at_rest() {
    let text =
        ".CODE\nCELL <0,0>\nROUTE direction=r\nSRAM rw=r, init_addr=1, init_delay=15\nHALT\n";
    let assembly = Assembler::default().assemble(text).expect("a program");
    let words = assembly.image.cell(0, 0).expect("a cell");
    let mut both = Both::new(Geometry::DEFAULT, 0);
    let init = SramInit { valid: true, row: 1, col: 0, addr: 1, data: [7; 4] };
    both.step(&Inputs { sram_init: Some(init), ..Inputs::default() });
    for word in words {
        let (instr, imm) = (word.bits as u32, word.immediate);
        let prog = Some(ProgWord { instr, imm, row_sel: 0b01, col_sel: 0b1 });
        both.step(&Inputs { prog, ..Inputs::default() });
    }
    let mut shown = 0;
    for _ in 0..60 {
        let cells = [0, 8].map(|cell| &both.resting.cells[cell]);
        let rest = cells.iter().all(|cell| cell.rests(LoadPort::default(), false));
        shown += u32::from(rest && both.resting.tiles[0].xout[tile::S] == [7; 4]);
        both.step(&Inputs::default());
    }
    assert_eq!(shown, 1);
}

/// DPUs that are idle again and again, and for a while what their former mode left.
#[test]
fn a_dpu_does_the_same_with_and_without_rest() {
    for seed in 0..400 {
        let mut random = Random(seed);
        let (mut resting, mut restless) = (Dpu::new(), Dpu::new());
        let mut bw = 0;
        for cycle in 0..300 {
            let issued = random.sometimes(7, |random| DpuInstruction {
                mode: DpuMode::from_bits(if random.below(3) == 0 { 0 } else { random.next() & 31 }),
                control: random.next() as u8 & 3,
                acc_clear: random.next() as u8,
                io: DpuIoChange::from_bits(random.next() & 3),
            });
            let issued = issued.as_ref();
            bw = random.sometimes(40, |random| random.next() as u8 & 3).unwrap_or(bw);
            let immediate = random.below(4) != 0;
            let input = random.sometimes(2, |random| random.next()).unwrap_or(0);
            let input = std::array::from_fn(|k| (input >> (16 * k)) as u16);

            let outputs = resting.outputs(immediate, issued, bw);
            assert_eq!(outputs, restless.outputs(immediate, issued, bw), "{seed}, {cycle}");
            resting.step(immediate, issued, bw, input);
            without_rest(|| restless.step(immediate, issued, bw, input));
            assert_eq!(resting.data_words(), restless.data_words(), "{seed}, {cycle}");
            assert_eq!(resting.config_word(), restless.config_word(), "{seed}, {cycle}");
            assert_eq!(resting.shadow_word(), restless.shadow_word(), "{seed}, {cycle}");
        }
    }
}
