// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every bit pattern is legal: programs of uniformly random words in all cells run without a difference and without a
//! panic.

use drra_case::{Case, IdlePorts};
use drra_cosim::GEOMETRY;
use drra_isa::{CellId, ColumnId, Geometry, MemoryImage, ProgramImage, TileId, Word};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::agree::agree;

/// Number of programs, and number of cycles for which each program runs after its load phase.
const PROGRAMS: u64 = 400;
const CYCLES: u64 = 500;

/// Random words, memories, straps and buffers.
fn random_case(seed: u64) -> Case {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut program = ProgramImage::default();
    // Three quarters of the programs avoid early ends by leaving HALT out; if they end at all, they end at or after
    // their last word (chapter 2, 5.3).
    let halts = rng.random_bool(0.25);
    for cell in CellId::all(&GEOMETRY) {
        let words = (0..rng.random_range(1..=Geometry::IMEM_DEPTH))
            .map(|_| {
                let mut bits: u64 = rng.random_range(0..1 << 27);
                if !halts && bits >> 23 == 0 {
                    bits |= 4 << 23;
                }
                Word { bits, immediate: rng.random_bool(0.7) }
            })
            .collect();
        program.set(cell, words);
    }
    let mut memory = MemoryImage::default();
    for _ in 0..16 {
        let (row, col) =
            (rng.random_range(0..GEOMETRY.tile_rows), rng.random_range(0..GEOMETRY.columns));
        let tile = TileId::from_image_row(row, col).unwrap();
        let block = std::array::from_fn(|_| rng.random());
        memory
            .sram
            .entry(tile)
            .or_default()
            .insert(rng.random_range(0..GEOMETRY.sram_blocks), block);
        let (row, col) = (rng.random_range(0..2), rng.random_range(0..GEOMETRY.columns));
        let cell = CellId::new(row, col).unwrap();
        let block = std::array::from_fn(|_| rng.random());
        memory.rf.entry(cell).or_default().insert(rng.random_range(0..GEOMETRY.rf_blocks()), block);
    }
    let mut case = Case::new(&format!("random words, seed {seed}"), &GEOMETRY, program, memory);
    case.seed = seed;
    // Half of the programs have no I/O cell, like the published fabric.
    if seed % 2 == 1 {
        case.io_cells = CellId::all(&GEOMETRY).filter(|_| rng.random_bool(0.4)).collect();
        for _ in 0..8 {
            let block = std::array::from_fn(|_| rng.next_u64());
            case.input_buffers.push((
                ColumnId::new(rng.random_range(0..GEOMETRY.columns)).unwrap(),
                rng.random_range(0..64),
                block,
            ));
        }
    }
    if seed.is_multiple_of(3) {
        case.idle_ports = IdlePorts::Random;
    }
    case.cycles = Some(case.stimulus.end() + CYCLES);
    case
}

#[test]
fn random_programs_agree() {
    let workers = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    std::thread::scope(|scope| {
        for worker in 0..workers {
            scope.spawn(move || {
                for seed in (0..PROGRAMS).filter(|s| s % workers == worker) {
                    let case = random_case(seed);
                    agree(&case, &case.name);
                }
            });
        }
    });
}
