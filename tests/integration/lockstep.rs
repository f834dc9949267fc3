// SPDX-License-Identifier: MIT OR Apache-2.0
//! The examples of the chapters and selected stimuli: RTL against golden model.

use drra_case::{Case, Stimulus, stimulus::StimulusEntry};
use drra_cosim::GEOMETRY;
use drra_isa::{CellId, ColumnId};
use drra_testkit::{
    example::{Example, ramp},
    examples,
};

use crate::agree::agree;

/// An example as a case.
fn case(example: &Example) -> Case {
    let entries = example
        .inputs
        .iter()
        .map(|(cycle, i)| StimulusEntry {
            cycle: *cycle,
            prog: i.prog,
            sram_init: i.sram_init,
            rf_init: i.rf_init,
            idle: i.idle,
        })
        .collect();
    let mut case = Case {
        name: example.name.clone(),
        geometry: GEOMETRY,
        stimulus: Stimulus::new(entries),
        input_buffers: example
            .buffers
            .iter()
            .map(|b| (ColumnId::new(b.0).unwrap(), b.1, ramp(b.2)))
            .collect(),
        cycles: Some(example.cycles),
        ..Case::default()
    };
    for i in (0..16).filter(|i| example.io_cells >> i & 1 == 1) {
        case.io_cells.extend(CellId::new(i / 8, i % 8));
    }
    case
}

/// In every example of the chapters that can be set up through the ports, the golden model produces the values of the
/// chapter, and golden model and RTL agree in every cycle.
#[test]
fn examples_of_the_chapters() {
    if GEOMETRY != drra_isa::Geometry::default() {
        println!("skipped: the examples are written for the default fabric");
        return;
    }
    let all = examples::all();
    assert!(all.len() > 90, "{} examples", all.len());
    for example in &all {
        assert_eq!(example.golden_failures(GEOMETRY), Vec::<String>::new());
        let outcome = agree(&case(example), &example.name);
        assert_eq!(outcome.cycles, example.cycles, "{}", example.name);
    }
}

/// Before the reset, registers have random values, which depend on the seed; every seed must yield the same result.
#[test]
fn seeds_of_uninitialised_state() {
    let mut case = drra_case::programs::ALL[0].case(&GEOMETRY).unwrap();
    for seed in [0, 1, 0x7fff_fffe, 0x7fff_ffff, u64::MAX] {
        case.seed = seed;
        agree(&case, &format!("seed {seed}"));
    }
}

/// Ports are used in every way at once: multicast words, gaps, reloads while other cells run, and memories initialised
/// while programs run.
#[test]
fn port_level_stimulus() {
    use rand::{Rng, RngExt, SeedableRng};
    for seed in 0..20 {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let block = |rng: &mut rand_chacha::ChaCha8Rng| std::array::from_fn(|_| rng.next_u64());
        let mut entries = Vec::new();
        for cycle in 0..600 {
            let mut entry = StimulusEntry { cycle, ..StimulusEntry::default() };
            if rng.random_bool(0.7) {
                entry.prog = Some(drra_golden::ProgWord {
                    instr: rng.random_range(0..1 << 27),
                    imm: rng.random(),
                    row_sel: rng.random_range(0..4),
                    col_sel: rng.random_range(0..1 << GEOMETRY.columns),
                });
            }
            if rng.random_bool(0.3) {
                entry.sram_init = Some(drra_golden::SramInit {
                    row: rng.random_range(0..=GEOMETRY.tile_rows),
                    col: rng.random_range(0..GEOMETRY.columns),
                    addr: rng.random_range(0..GEOMETRY.sram_blocks),
                    data: block(&mut rng),
                    valid: true,
                });
            }
            if rng.random_bool(0.3) {
                entry.rf_init = Some(drra_golden::RfInit {
                    row: rng.random_range(0..2),
                    col: rng.random_range(0..GEOMETRY.columns),
                    block: rng.random_range(0..GEOMETRY.rf_blocks()),
                    data: block(&mut rng),
                });
            }
            entries.push(entry);
        }
        let mut case = Case {
            geometry: GEOMETRY,
            stimulus: Stimulus::new(entries),
            cycles: Some(800),
            ..Case::default()
        };
        case.io_cells = [(0, 1), (1, 0)].map(|(row, col)| CellId::new(row, col).unwrap()).into();
        agree(&case, &format!("seed {seed}"));
    }
}
