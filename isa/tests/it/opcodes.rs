// SPDX-License-Identifier: MIT OR Apache-2.0
//! Positions of instructions and their fields.

use drra_isa::{
    Opcode, Revision, encode,
    instructions::{CODE_BITS, WORD_BITS},
};

/// The value of a field at its position equals the encoded value.
#[test]
fn places_are_those_of_the_encoder() {
    let isa = Revision::R4.isa();
    for &opcode in Opcode::ALL {
        let instruction = opcode.description();
        for (k, placed) in opcode.fields().iter().enumerate() {
            let mut values = vec![0; instruction.fields.len()];
            values[k] = (1 << placed.field.width) - 1;
            let words = encode(isa, instruction, &values, opcode.max_words());
            let mut mine = vec![0u64; opcode.max_words()];
            mine[0] = opcode.code() << (WORD_BITS - CODE_BITS);
            placed.place.set(&mut mine, values[k]);
            assert_eq!(mine, words, "{opcode} {}", placed.field.name);
        }
    }
    assert_eq!(Opcode::MAX_WORDS, 3);
}

/// Records of campaigns store instructions as positions in the description.
#[test]
fn positions_are_those_of_the_description() {
    let names: Vec<&str> =
        Revision::R4.isa().instructions.iter().map(|i| i.name.as_str()).collect();
    let mine: Vec<&str> = Opcode::ALL.iter().map(|o| o.name()).collect();
    assert_eq!(mine, names);
}
