// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares generated field positions, codes and values with the tables of chapter 1.

use drra_isa::{InstructionField, Revision, decode, encode, instructions::*};

const CHAPTER: &str = include_str!("../../spec/01-isa.md");

/// Positions printed in chapter 1, section 3, as `word:msb..lsb` parts, upper bits first.
fn printed(instruction: &str, field: &str) -> String {
    let section = CHAPTER
        .split("\n### ")
        .find(|s| s.split_whitespace().next() == Some(instruction) && s.contains("| instr_code |"));
    let row = format!("| {field} |");
    let row = section.unwrap().lines().find(|l| l.starts_with(&row)).unwrap();
    row.split('|').nth(3).unwrap().trim().to_owned()
}

fn position(field: InstructionField) -> String {
    let span = |word: usize, msb: u32, lsb: u32| match msb == lsb {
        true => format!("{word}:{msb}"),
        false => format!("{word}:{msb}..{lsb}"),
    };
    let msb = field.lsb() + field.width() - 1;
    if field.crosses() {
        let before = span(field.word() - 1, msb - 27, 0);
        format!("{before} + {}", span(field.word(), 26, field.lsb()))
    } else {
        span(field.word(), msb, field.lsb())
    }
}

#[test]
fn fields_are_where_the_chapter_prints_them() {
    for (instruction, name, field) in [
        ("REFI", "port_no", refi::PORT_NO),
        ("REFI", "l2_step_ext", refi::L2_STEP_EXT),
        ("REFI", "l1_step_sign", refi::L1_STEP_SIGN),
        ("DPU", "mode", dpu::MODE),
        ("DPU", "acc_clear", dpu::ACC_CLEAR),
        ("SWB", "v_index", swb::V_INDEX),
        ("WAIT", "cycle", wait::CYCLE),
        ("LOOP", "link", loop_::LINK),
        ("RACCU", "operand2", raccu::OPERAND2),
        ("ROUTE", "select_drra_row", route::SELECT_DRRA_ROW),
        ("SRAM", "l1_step", sram::L1_STEP),
        ("SRAM", "l2_delay", sram::L2_DELAY),
        ("SRAM", "hops", sram::HOPS),
        ("PERM", "distance", perm::DISTANCE),
        ("IO", "init_addr", io::INIT_ADDR),
        ("IO", "mask", io::MASK),
    ] {
        assert_eq!(position(field), printed(instruction, name), "{instruction} {name}");
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
