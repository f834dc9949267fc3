// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generated field positions, codes and values.

use drra_isa::{Revision, decode, encode, instructions::*};

/// The positions of the description are those of the encoder (`places_are_those_of_the_encoder`) and of chapter 1
/// (`chapter_1_has_the_fields_of_the_description`).
#[test]
fn fields_are_where_the_description_has_them() {
    for (opcode, name, field) in [
        (Opcode::Refi, "port_no", refi::PORT_NO),
        (Opcode::Refi, "l2_step_ext", refi::L2_STEP_EXT),
        (Opcode::Refi, "l1_step_sign", refi::L1_STEP_SIGN),
        (Opcode::Dpu, "mode", dpu::MODE),
        (Opcode::Dpu, "acc_clear", dpu::ACC_CLEAR),
        (Opcode::Swb, "v_index", swb::V_INDEX),
        (Opcode::Wait, "cycle", wait::CYCLE),
        (Opcode::Loop, "link", loop_::LINK),
        (Opcode::Raccu, "operand2", raccu::OPERAND2),
        (Opcode::Route, "select_drra_row", route::SELECT_DRRA_ROW),
        (Opcode::Sram, "l1_step", sram::L1_STEP),
        (Opcode::Sram, "l2_delay", sram::L2_DELAY),
        (Opcode::Sram, "hops", sram::HOPS),
        (Opcode::Perm, "distance", perm::DISTANCE),
        (Opcode::Io, "init_addr", io::INIT_ADDR),
        (Opcode::Io, "mask", io::MASK),
    ] {
        let placed = opcode.fields().iter().find(|placed| placed.field.name == name).unwrap();
        assert_eq!(placed.place, field, "{opcode} {name}");
    }
}

/// Chapter 6, section 14, example 1: SRAM r addr 9, l1_iter 1, l1_step 1, hops 3.
#[test]
fn a_field_that_crosses_words_is_read_and_written_in_both() {
    let mut words = [0x684_8010u32, 0x080_0000, 0x000_1800];
    assert_eq!(sram::INIT_ADDR.get(&words), 9);
    assert_eq!((sram::L1_ITER.get(&words), sram::L1_STEP.get(&words)), (1, 1));
    assert_eq!((sram::HOPS.get(&words), sram::RW.is_set(&words)), (3, false));
    // Bits of l1_step: 4 at the bottom of word 0, and 4 at the top of word 1.
    sram::L1_STEP.set(&mut words, 0x1a5);
    assert_eq!(words, [0x684_801a, 0x280_0000, 0x000_1800]);
    assert_eq!(sram::L1_STEP.get(&words), 0xa5);
    assert_eq!(sram::L1_STEP.get(&words[..1]), 0xa0, "a missing word counts as 0");
    sram::HOPS.set(&mut words[..1], 15);
    assert_eq!(words[0], 0x684_801a);
}

#[test]
fn fields_and_codec_agree_on_every_instruction() {
    let isa = Revision::R4.isa();
    for opcode in Opcode::ALL {
        let io_cell = *opcode == Opcode::Io;
        let instruction = isa.by_name(opcode.name()).unwrap();
        let values: Vec<u64> =
            instruction.fields.iter().map(|f| 0x5a5a_5a5a & ((1 << f.width) - 1)).collect();
        let words = encode(isa, instruction, &values, opcode.max_words());
        assert_eq!(Opcode::of(words[0], io_cell), Some(*opcode));
        let decoded = decode(isa, &words, io_cell).unwrap();
        assert_eq!(opcode.words(words[0]), decoded.len, "{opcode}");
        assert_eq!(opcode.code(), u64::from(instruction.code));
    }
    for (extra, words) in [(0, 1), (1, 2), (2, 3), (3, 1)] {
        let mut word = [Opcode::Refi.code() << 23];
        refi::EXTRA.set(&mut word, extra);
        assert_eq!(Opcode::Refi.words(word[0]), words);
    }
    assert_eq!(Opcode::new(13, false), Some(Opcode::Sram));
    assert_eq!(Opcode::new(13, true), Some(Opcode::Io));
    assert_eq!(Opcode::new(1, true), Some(Opcode::Refi));
    assert_eq!((Opcode::new(2, false), Opcode::new(15, true)), (None, None));
    assert_eq!(Opcode::from_name("loop"), Some(Opcode::Loop));
}

#[test]
fn values_have_the_names_and_codes_of_the_description() {
    assert_eq!((DpuMode::SumAcc.code(), DpuMode::SumAcc.name()), (2, "sum_acc"));
    assert_eq!(DpuMode::from_bits(0x3f), DpuMode::Mode31);
    assert_eq!(DpuMode::default(), DpuMode::Idle);
    assert_eq!(DpuMode::from_name("MAC"), Some(DpuMode::Mac));
    assert_eq!(PermMode::from_code(5), Some(PermMode::RotR));
    assert_eq!(PermMode::from_code(6), None);
    assert_eq!(RaccuMode::from_bits(7), RaccuMode::MultSub);
    assert_eq!(format!("{:>4}", BranchMode::Ge), "  ge");
    for (k, mode) in DpuMode::ALL.iter().enumerate() {
        assert_eq!(usize::from(mode.code()), k);
    }
}
