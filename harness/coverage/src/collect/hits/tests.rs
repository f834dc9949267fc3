// SPDX-License-Identifier: MIT OR Apache-2.0
//! Observations made by hand hit the bins that they are said to hit.

use drra_isa::{
    InstructionField, Opcode,
    instructions::{
        BwConfig, CODE_BITS, WORD_BITS, dpu, io, jump, loop_, perm, raccu, refi, route, sram, swb,
    },
};

use super::Hits;
use crate::{decode::Decode, table::groups};

/// Names of the bins that a decode hits, `GROUP: BIN`, less those of fields unless asked.
fn hits(decode: &Decode, with_fields: bool) -> Vec<String> {
    let mut hits = Hits::default();
    hits.decode(decode);
    names(&hits, with_fields)
}

/// Names of the bins that were hit, likewise.
fn names(hits: &Hits, with_fields: bool) -> Vec<String> {
    let hit: Vec<u32> = hits.bins().collect();
    let mut names = Vec::new();
    for group in groups().iter().filter(|g| with_fields || !g.name.ends_with(" fields")) {
        for bin in group.bins().filter(|bin| hit.contains(&((group.first + bin) as u32))) {
            names.push(format!("{}: {}", group.name, group.label(bin)));
        }
    }
    names
}

/// Words of an instruction with these fields, the others 0.
fn words(opcode: Opcode, fields: &[(InstructionField, u64)]) -> [u32; Opcode::MOST_WORDS] {
    let mut words = [0; Opcode::MOST_WORDS];
    words[0] = (opcode.code() << (WORD_BITS - CODE_BITS)) as u32;
    for (field, value) in fields {
        field.set(&mut words, *value);
    }
    words
}

/// A decode in an idle cell.
fn decode(opcode: Opcode, fields: &[(InstructionField, u64)]) -> Decode {
    let words = words(opcode, fields);
    Decode {
        opcode,
        words,
        len: opcode.words(words[0]),
        immediate: true,
        width: BwConfig::Int16,
        active_loops: 0,
    }
}

/// The only bin outside the groups of fields that a decode hits.
#[track_caller]
fn assert_hit(decode: Decode, name: &str) {
    assert_eq!(hits(&decode, false), [name]);
}

#[test]
fn fields_hit_the_bins_of_their_values() {
    let one_word = decode(Opcode::Refi, &[(refi::PORT_NO, 2), (refi::INIT_ADDR, 63)]);
    let found = hits(&Decode { immediate: false, ..one_word }, true);
    assert_eq!(
        found,
        [
            "REFI fields: REFI without immediate flag",
            "REFI fields: REFI port_no = r0",
            "REFI fields: REFI extra = 0",
            "REFI fields: REFI init_addr_sd = s",
            "REFI fields: REFI init_addr = max",
            "REFI fields: REFI l1_iter = 0",
            "REFI fields: REFI init_delay = 0",
        ]
    );
    let value_of = |value: u64| {
        let found = hits(&decode(Opcode::Jump, &[(jump::PC, value)]), true);
        found.into_iter().find(|n| n.contains("JUMP pc")).unwrap()
    };
    for (value, name) in
        [(0, "0"), (1, "1"), (2, "others"), (32, "sign bit alone"), (62, "max - 1"), (63, "max")]
    {
        assert_eq!(value_of(value), format!("JUMP fields: JUMP pc = {name}"));
    }
}

#[test]
fn decodes_hit_the_bins_of_their_groups() {
    let mac = [(dpu::MODE, 10), (dpu::CONTROL, 3), (dpu::IO_CHANGE, 1)];
    assert_hit(
        Decode { width: BwConfig::Int8, ..decode(Opcode::Dpu, &mac) },
        "DPU configuration: mac, sat_fx, negate_in0, int8",
    );
    let lane = [(swb::SRC_BLOCK, 1), (swb::V_INDEX, 4), (swb::HB_INDEX, 1)];
    assert_hit(decode(Opcode::Swb, &lane), "switchbox: dpu 0 to input 4, -1 columns, own row");
    let slot = [(loop_::LOOPID, 2), (loop_::ITER, 1)];
    // Slots 0 and 3 of the others are active, and so is the slot itself.
    assert_hit(
        Decode { active_loops: 0b1101, ..decode(Opcode::Loop, &slot) },
        "loops: slot 2, 2 others active, once",
    );
    let add = [(raccu::MODE, 1), (raccu::OPERAND2_SD, 1)];
    assert_hit(decode(Opcode::Raccu, &add), "RACCU: mode 1, literal and register");
    let path = [
        (route::DIRECTION, 1),
        (route::VERTICAL_DIR, 1),
        (route::VERTICAL_HOPS, 1),
        (route::HORIZONTAL_HOPS, 4),
    ];
    assert_hit(decode(Opcode::Route, &path), "NoC path: write, 1 north, 4 or more west");
    let rows = [(sram::HOPS, 3), (sram::L2_ITER, 1), (sram::INIT_DELAY, 15)];
    let name = "SRAM pattern: read, 3 or more hops, second level only, delay";
    assert_hit(decode(Opcode::Sram, &rows), name);
    let blocks = [(io::RW, 1), (io::L1_ITER, 31), (io::MASK, 0xfffe)];
    let name = "IO pattern: write, several blocks, no delay, some words masked";
    assert_hit(decode(Opcode::Io, &blocks), name);
    let rotation = [(perm::MODE, 4), (perm::DISTANCE, 16)];
    assert_hit(decode(Opcode::Perm, &rotation), "PERM distance: mode 4, distance 16");
}

/// HB_INDEX 7 disconnects; inputs 6 and 7 do not exist.
#[test]
fn what_connects_nothing_hits_no_connection() {
    for field in [(swb::HB_INDEX, 7), (swb::HB_INDEX, 5), (swb::V_INDEX, 6)] {
        assert!(hits(&decode(Opcode::Swb, &[field]), false).is_empty());
    }
}
