// SPDX-License-Identifier: MIT OR Apache-2.0
//! Transfers of blocks: paths through the NoC, patterns of tiles and I/O units, permutations.

use drra_isa::{
    Opcode, Wanted,
    instructions::{io, perm, route, sram},
};

use super::product::{Classes, Product, Rule, at, draw_levels, levels};

/// Names of the two directions of a transfer.
const READ_OR_WRITE: [&str; 2] = ["read", "write"];

/// Names of no delay and of any.
const DELAY: [&str; 2] = ["no delay", "delay"];

/// Vertical moves of a path.
const VERTICAL: Classes = Classes { limits: &[1, 2], top: 8 };
/// Horizontal moves of a path.
const HORIZONTAL: Classes = Classes { limits: &[1, 2, 4], top: 8 };

/// Direction of the data, vertical direction and moves, horizontal direction and moves.
pub(crate) const NOC_PATH: Product = Product {
    name: "NoC path",
    sizes: &[2, 2, 3, 2, 4],
    rule: Rule::Decode(Opcode::Route, |d| {
        let vertical = VERTICAL.of(d.get(route::VERTICAL_HOPS));
        let horizontal = HORIZONTAL.of(d.get(route::HORIZONTAL_HOPS));
        let [data, up, east] = [route::DIRECTION, route::VERTICAL_DIR, route::HORIZONTAL_DIR]
            .map(|field| d.index(field));
        Some(at([data, up, vertical, east, horizontal]))
    }),
    label: |k| {
        let vertical = format!("{} {}", ["0", "1", "2 or more"][k[2]], ["south", "north"][k[1]]);
        let across = ["0", "1", "2 or 3", "4 or more"][k[4]];
        format!("{}, {vertical}, {across} {}", READ_OR_WRITE[k[0]], ["west", "east"][k[3]])
    },
    recipe: |k, rng| {
        let fields = [
            (route::DIRECTION, k[0] as u64),
            (route::VERTICAL_DIR, k[1] as u64),
            (route::VERTICAL_HOPS, VERTICAL.draw(k[2], rng)),
            (route::HORIZONTAL_DIR, k[3] as u64),
            (route::HORIZONTAL_HOPS, HORIZONTAL.draw(k[4], rng)),
        ];
        vec![Wanted::new(Opcode::Route, &fields)]
    },
};

/// Moves from the first tile of a path to the tile of a pattern.
const HOPS: Classes = Classes { limits: &[1, 2, 3], top: 16 };
/// Delays before a pattern of a tile or an I/O unit.
const FIRST_DELAY: Classes = Classes { limits: &[1], top: 16 };

/// Direction, moves to the tile, levels of the pattern, delay before it.
pub(crate) const SRAM_PATTERN: Product = Product {
    name: "SRAM pattern",
    sizes: &[2, 4, 4, 2],
    rule: Rule::Decode(Opcode::Sram, |d| {
        let levels = levels(d.get(sram::L1_ITER), d.get(sram::L2_ITER));
        let delay = FIRST_DELAY.of(d.get(sram::INIT_DELAY));
        Some(at([d.index(sram::RW), HOPS.of(d.get(sram::HOPS)), levels, delay]))
    }),
    label: |k| {
        let hops = ["0 hops", "1 hop", "2 hops", "3 or more hops"][k[1]];
        let levels = ["single block", "one level", "second level only", "two levels"][k[2]];
        format!("{}, {hops}, {levels}, {}", READ_OR_WRITE[k[0]], DELAY[k[3]])
    },
    recipe: |k, rng| {
        let [l1, l2] = draw_levels(k[2]);
        let path = [(route::VERTICAL_DIR, 1), (route::HORIZONTAL_DIR, 1)];
        let fields = [
            (sram::RW, k[0] as u64),
            (sram::HOPS, HOPS.draw(k[1], rng)),
            (sram::L1_ITER, l1),
            (sram::L2_ITER, l2),
            (sram::INIT_DELAY, FIRST_DELAY.draw(k[3], rng)),
        ];
        vec![Wanted::new(Opcode::Route, &path), Wanted::new(Opcode::Sram, &fields)]
    },
};

/// Blocks of an I/O pattern beyond the first.
const BLOCKS: Classes = Classes { limits: &[1], top: 8 };
/// Masked words, as the value of the mask.
pub(super) const MASK: Classes = Classes { limits: &[1, 0xffff], top: 0x1_0000 };

/// Direction, number of blocks, delay before them, masked words.
pub(crate) const IO_PATTERN: Product = Product {
    name: "IO pattern",
    sizes: &[2, 2, 2, 3],
    rule: Rule::Decode(Opcode::Io, |d| {
        let blocks = BLOCKS.of(d.get(io::L1_ITER));
        let delay = FIRST_DELAY.of(d.get(io::INIT_DELAY));
        Some(at([d.index(io::RW), blocks, delay, MASK.of(d.get(io::MASK))]))
    }),
    label: |k| {
        let count = ["single block", "several blocks"][k[1]];
        let mask = ["no mask", "some words masked", "all words masked"][k[3]];
        format!("{}, {count}, {}, {mask}", READ_OR_WRITE[k[0]], DELAY[k[2]])
    },
    recipe: |k, rng| {
        let fields = [
            (io::RW, k[0] as u64),
            (io::L1_ITER, BLOCKS.draw(k[1], rng)),
            (io::INIT_DELAY, FIRST_DELAY.draw(k[2], rng)),
            (io::MASK, [0, 0x00f0, 0xffff][k[3]]),
        ];
        vec![Wanted::new(Opcode::Io, &fields)]
    },
};

/// Distances of permutations; a row has 16 words.
const DISTANCE: Classes = Classes { limits: &[1, 16, 17], top: 0x1_0000 };

/// Mode, distance.
pub(crate) const PERM_DISTANCE: Product = Product {
    name: "PERM distance",
    sizes: &[8, 4],
    rule: Rule::Decode(Opcode::Perm, |d| {
        Some(at([d.index(perm::MODE), DISTANCE.of(d.get(perm::DISTANCE))]))
    }),
    label: |k| format!("mode {}, distance {}", k[0], ["0", "1 to 15", "16", "17 or more"][k[1]]),
    recipe: |k, _| {
        let distance = [0, 5, 16, 40][k[1]];
        let fields = [(perm::MODE, k[0] as u64), (perm::DISTANCE, distance)];
        vec![Wanted::new(Opcode::Perm, &fields)]
    },
};
