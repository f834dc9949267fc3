// SPDX-License-Identifier: MIT OR Apache-2.0
//! Worked traces and checkable examples of chapters 2, 3, 5, 6 and 7 that can be set up through
//! the ports of the fabric. Cycles count from the first decode cycle of cell (0,0) unless an
//! example says otherwise.

#![expect(clippy::too_many_lines, reason = "tables of examples")]

use crate::example::{Example, ramp};

/// All examples.
pub fn all() -> Vec<Example> {
    [sequencer(), register_file(), interconnect(), dimarch(), io_perm()].concat()
}

fn new(name: &str) -> Example {
    Example::new(name)
}

/// 7-bit two's complement.
fn s7(v: i64) -> u64 {
    (v & 127) as u64
}

/// `cell[0][0].` + path
fn c00(path: &str) -> String {
    format!("cell[0][0].{path}")
}

const PC: &str = "cell[0][0].seq.pc";
const STATE: &str = "cell[0][0].seq.state";
const IMMEDIATE: &str = "cell[0][0].seq.immediate";
const WAIT_COUNT: &str = "cell[0][0].seq.wait_count";

fn raccu(n: usize) -> String {
    format!("cell[0][0].seq.raccu_reg[{n}]")
}

/// Expects fields of the REFI outputs: port, dimarch, init_addr, l1_iter, init_delay, l1_step,
/// sign, l1_delay, l2_iter, l2_step, l2_delay.
fn refi(mut e: Example, c: i64, values: [u64; 11]) -> Example {
    let names = [
        "cfg_port",
        "cfg_dimarch",
        "init_addr",
        "l1_iter",
        "init_delay",
        "l1_step",
        "l1_step_sign",
        "l1_delay",
        "l2_iter",
        "l2_step",
        "l2_delay",
    ];
    e = e.expect(c, &c00("seq.cfg_start"), 1);
    for (name, value) in names.iter().zip(values) {
        e = e.expect(c, &c00(&format!("seq.{name}")), value);
    }
    e
}

/// Expects a message in `noc_stage`: kind and payload.
fn message(e: Example, c: i64, kind: u64, payload: u64) -> Example {
    e.expect_wide(c, &c00("noc.noc_stage"), &[payload, 4 | kind])
}

fn sequencer() -> Vec<Example> {
    let mut all = Vec::new();

    // 1: words of other cells keep LOAD going. Here c counts from cycle 0 of the fabric.
    let mut e = new("02/1 load with foreign words");
    for (cycle, mine) in [true, false, false, true, true].into_iter().enumerate() {
        let col_sel = if mine { 1 } else { 0 };
        e = e.word(cycle as u64, 0x100_0000 + cycle as u32, true, 1, col_sel);
    }
    let back = -(e.start(0, 0) as i64);
    e = e.sequence(back, STATE, &[0, 1, 1, 1, 1, 1, 2]);
    e = e.sequence(back + 1, &c00("seq.load_count"), &[1, 1, 1, 2, 3, 3]);
    for (a, word) in [(0, 0x100_0000), (1, 0x100_0003), (2, 0x100_0004), (3, 0)] {
        e = e.expect(back + 6, &c00(&format!("seq.imem[{a}]")), word);
    }
    all.push(e);

    all.push(
        new("02/2 end of program without HALT")
            .hex(0, 0, "2C01000 2C02000 2C03000")
            .sequence(1, &c00("swb.swb_iss"), &[1, 2, 3])
            .sequence(3, STATE, &[0, 0])
            .sequence(3, PC, &[3, 0])
            .expect(3, &c00("seq.load_count"), 0)
            .sequence(3, IMMEDIATE, &[1, 0, 1]),
    );
    all.push(
        new("02/3 one WAIT alone")
            .hex(0, 0, "3800100")
            .sequence(0, WAIT_COUNT, &[0, 1, 2])
            .expect(3, STATE, 0)
            .expect(3, PC, 1),
    );
    all.push(
        new("02/3 last instruction of two words")
            .hex(0, 0, "2C01000 0885000 1010001")
            .sequence(0, PC, &[0, 1, 3])
            .expect(3, STATE, 0)
            .expect(2, &c00("seq.cfg_start"), 1)
            .expect(2, &c00("seq.init_addr"), 5)
            .expect(2, &c00("seq.l1_step"), 1)
            .expect(2, &c00("seq.l2_step"), 1),
    );
    let mut e = new("02/4 RACCU").hex(
        0,
        0,
        "5164320 52030A1 5379012 5340093 5425014 5425075 5240016 510900F 0000000",
    );
    for (i, value) in [22, -7, -4, -1, -54, 0, 63].into_iter().enumerate() {
        e = e.expect(i as i64 + 1, &raccu(i), s7(value));
    }
    all.push(e.sequence(8, &raccu(15), &[9, 0]));
    all.push(
        new("02/5 RACCU products")
            .hex(0, 0, "5105000 5503020 5603020 5703020 5501070 567F010 553F3F0 557D050 0000000")
            .sequence(1, &raccu(0), &[5, 6, 12, s7(-6), 7, 6, 1, s7(-15)]),
    );
    let e = new("02/6 REFI operands").hex(
        0,
        0,
        "5121073 510B004 517D005 0D43105 7071115 18302A3 0A89207 145CF49 0F81083",
    );
    let e = refi(e, 4, [2, 1, 40, 11, 61, 7, 0, 36, 49, 21, 3]);
    let e = refi(e, 5, [1, 0, 9, 8, 7, 61, 1, 40, 11, 9, 0]);
    all.push(refi(e, 6, [3, 0, 1, 2, 3, 1, 0, 0, 0, 0, 0]));
    let e = new("02/7 REFI sign and dynamic l2_delay").hex(
        0,
        0,
        "5121073 510B004 517D005 0D43105 7079115 1C302A3 0000000",
    );
    all.push(refi(e, 4, [2, 1, 40, 11, 61, 7, 1, 36, 49, 21, 40]));
    let e = new("02/8 messages").hex(
        0,
        0,
        "517D005 5164006 6C2B050 28C1818 2FFC800 6BFF81F 7061014 3001000 669E000 6170000 0000000",
    );
    let e = message(e, 3, 3, 0xA7E_A7DF_D932_727B);
    let e = message(e, 4, 3, 0x8BF_F81F_E0C2_028C);
    let e = message(e, 5, 2, 0x000_0001_0400_B600);
    all.push(message(e, 6, 2, 0x000_0000_0200_4D00));
    all.push(
        new("02/9 dynamic LOOP start and step")
            .hex(0, 0, "5121000 515E001 4616002 4100000 3800000 3800000 0000000")
            .sequence(2, PC, &[2, 4, 5, 4, 5, 6])
            .sequence(3, &raccu(13), &[1, 1, s7(-1), s7(-1), 0]),
    );
    all.push(
        new("02/10 dynamic LOOP count")
            .hex(0, 0, "5103001 430C3C1 1000000 1000000 0000000")
            .sequence(0, PC, &[0, 1, 2, 3, 2, 3, 2, 3, 4])
            .sequence(2, &raccu(12), &[7, 7, 8, 8, 9, 9, 0]),
    );
    // 11: status 1 comes from the DPU, which compares 5 with 0 in every cycle; the branches start
    // at address 5.
    all.push(
        new("02/11 BRANCH on status greater")
            .rf(0, 0, 0, 0, ramp(5))
            .asm(
                0,
                0,
                "SWB src_block=rf, hb_index=2, v_index=2
                 DPU mode=relu
                 REFI port_no=r0, l1_iter=63, l1_step=0
                 WAIT cycle=1
                 BRANCH mode=gt, false_pc=12
                 BRANCH mode=eq, false_pc=9
                 HALT
                 HALT
                 BRANCH mode=ge, false_pc=12
                 BRANCH mode=never, false_pc=12
                 HALT
                 HALT",
            )
            .expect(5, &c00("dpu.status[0]"), 1)
            .sequence(0, PC, &[0, 1, 2, 4, 4, 5, 6, 9, 10, 12, 0]),
    );
    all.push(
        new("02/12 shadows")
            .hex(
                0,
                0,
                "5105060'0 2803000'0 2804000 1000000 5105071'0 5105082'0 5101013 4124382'0 \
                 1000000'0 1000000 0000000'0",
            )
            .sequence(0, &c00("seq.sh_raccu.mode"), &[0, 1, 1, 0, 0, 1, 1, 0])
            .sequence(7, &c00("seq.sh_loop.valid"), &[0, 1, 1, 0])
            .expect(2, &raccu(0), 0)
            .expect(3, &raccu(0), 11)
            .expect(12, &raccu(1), 0)
            .expect(12, &raccu(2), 0)
            .expect(7, &raccu(3), 2)
            .expect(9, &c00("seq.loop[1].active"), 0)
            .expect(10, &c00("seq.loop[1].active"), 1)
            .expect(10, &c00("seq.loop[1].start_pc"), 8)
            .expect(10, &raccu(14), 7)
            .expect(14, &c00("seq.loop[1].active"), 1)
            .expect(14, &c00("seq.loop[1].count"), 0),
    );
    all.push(
        new("02/13 skip")
            .hex(0, 0, "4018280 1000000 1000000 1000000 1000000 1000000 1000000 1000000 0000000")
            .sequence(0, PC, &[0, 7, 8]),
    );
    all.push(
        new("02/13 skip pending over WAIT")
            .hex(0, 0, "4014180'0 3800100 1000000 1000000 1000000 1000000 1000000 0000000")
            .sequence(0, PC, &[0, 1, 1, 1, 6, 7])
            .sequence(1, &c00("seq.pend_valid"), &[0, 1, 1, 0])
            .sequence(2, &c00("seq.pend_pc"), &[6, 6]),
    );
    all.push(
        new("02/14 skip with link")
            .hex(0, 0, "4418003 0100000 4518000 0110000 1000000 1000000 1000000 1000000 0000000")
            .sequence(0, PC, &[0, 2, 2, 2, 7, 8])
            .sequence(1, &raccu(15), &[0, 1, 2, 0]),
    );
    all.push(
        new("02/14 skip with two links")
            .hex(
                0,
                0,
                "4024002 4124002 4624000 0130000 1000000 1000000 1000000 1000000 1000000 1000000 \
                 0000000",
            )
            .sequence(0, PC, &[0, 1, 2, 2, 1, 2, 2, 10]),
    );
    all.push(
        new("02/15 body of one instruction")
            .hex(0, 0, "4005F03 518F000 0000000")
            .sequence(0, PC, &[0, 1, 1, 1, 2])
            .sequence(1, &raccu(15), &[s7(-2), s7(-1), 0, 0])
            .sequence(2, &raccu(0), &[s7(-2), s7(-1), 0]),
    );
    all.push(
        new("02/16 JUMP at the end of a loop")
            .hex(0, 0, "400C002 1000000 1000000 3100000 1000000 1000000 1000000 1000000 0000000")
            .sequence(0, PC, &[0, 1, 2, 3, 1, 2, 3, 8]),
    );
    // 17: a second program is loaded after the first one has halted.
    let first = new("02/17 reload").hex(0, 0, "2FFF000 0000000");
    let reload = first.start(0, 0) + 6;
    let e = first
        .word(reload, 0x2805000, true, 1, 1)
        .word(reload + 1, 0, true, 1, 1)
        .sequence(-2, &c00("seq.load_count"), &[1, 2, 2])
        .expect(0, &c00("seq.imem[0]"), 0x2805000);
    all.push(e);
    all.push(
        new("02/18 BW is held").hex(0, 0, "4C00000 1000000 1000000 4A00000 0000000").sequence(
            0,
            &c00("seq.cfg_bw"),
            &[0, 2, 2, 2, 1, 1],
        ),
    );
    all.push(
        new("02/19 longest WAITs")
            .hex(0, 0, "39FFF80 3A00000 0000000")
            .expect(16383, PC, 0)
            .expect(16384, PC, 1)
            .expect(16384 + 16384, PC, 1)
            .expect(16384 + 16385, PC, 2),
    );
    for count in [63u32, 64, 66] {
        let words: Vec<String> = (0..count).map(|i| format!("{:07X}", 0x2C00000 + i)).collect();
        let pcs: Vec<u64> = (0..63).collect();
        all.push(
            new(&format!("02/20 {count} words"))
                .hex(0, 0, &words.join(" "))
                .sequence(0, PC, &pcs)
                .expect(0, &c00("seq.load_count"), 63)
                .expect(62, STATE, 2)
                .expect(63, STATE, 0),
        );
    }
    all.push(
        new("02/21 one flag releases RACCU and LOOP")
            .hex(0, 0, "4110482'0 5105060'0 1000000 1000000 1000000 0000000")
            .sequence(0, PC, &[0, 1, 2, 3, 4, 1, 2, 3, 4, 5])
            .expect(3, &raccu(0), 11)
            .expect(3, &c00("seq.loop[1].active"), 1)
            .expect(3, &raccu(14), 9),
    );
    all.push(
        new("02/22 slots with a gap")
            .hex(0, 0, "400C002 420C002 1000000 1000000 0000000")
            .sequence(0, PC, &[0, 1, 2, 3, 1, 2, 3, 2, 3, 4]),
    );
    all.push(
        new("02/23 codes 14 and 15")
            .hex(0, 0, "7000000 7800000 2C01000 2C02000 0000000")
            .sequence(0, PC, &[0, 1, 2, 3, 4])
            .sequence(1, &c00("perm.perm_stage"), &[1 << 21, 0])
            .sequence(3, &c00("swb.swb_iss"), &[1, 2]),
    );

    all.push(vec_add_trace());
    all.extend(loop_traces());

    // Chapter 1, 6: the program counter steps by whole instructions.
    all.push(
        new("01/6 lengths")
            .hex(
                0,
                0,
                "0880000 5000000 0980000 1000000 1800000 7800000 4800000 3800180 6800000 0800000 \
                 0000000 0000000",
            )
            .sequence(0, PC, &[0, 2, 3, 4, 5, 6, 7, 7, 7, 7, 8, 11]),
    );
    all
}

/// 11.1: the published program, cell (0,0).
const VEC_ADD: &str = "08A03D2 1010000 0C803D0 1010000 6440000 6808000 0800000 0000000 0901004 \
    1010000 1800002 0E903CC 1010000 2D20000 2C22000 2CA3000 0900007 1010000 1800002 6440000 \
    6800000 0800000 0000000 3800180 20609FC 3800800 0000000";

/// The program with its two blocks in tile (1,0).
fn vec_add(name: &str) -> Example {
    new(name).sram(0, 1, 0, 0, ramp(0)).sram(1, 1, 0, 1, ramp(16)).hex(0, 0, VEC_ADD)
}

/// Worked traces 2 §11.1, 3 §9.1, 5 §6.1 and 6 §11.1 together.
fn vec_add_trace() -> Example {
    let mut e = vec_add("02/11.1 vec_add");
    // Sequencer.
    let pcs = [0, 2, 4, 5, 8, 11, 13, 14, 15, 16, 19, 20, 23, 23, 23, 23, 24];
    e = e.sequence(0, PC, &pcs).sequence(17, PC, &[25; 17]).expect(34, PC, 26).expect(35, PC, 0);
    e = e.sequence(-27, &c00("seq.load_count"), &(1..=27).collect::<Vec<u64>>());
    e = e.sequence(-1, STATE, &[1, 2]).expect(34, STATE, 2).expect(35, STATE, 0);
    e = e.sequence(12, WAIT_COUNT, &[0, 1, 2, 3, 0, 0, 1]);
    e = e.expect(-27, IMMEDIATE, 0).expect(-26, IMMEDIATE, 1).expect(40, IMMEDIATE, 1);
    e = refi(e, 1, [0, 0, 32, 15, 18, 1, 0, 0, 0, 0, 0]);
    e = refi(e, 2, [2, 0, 0, 15, 16, 1, 0, 0, 0, 0, 0]);
    e = message(e, 3, 2, 0x0000_0000_0200_1100);
    e = message(e, 4, 3, 0x800_8000_1000_0000);
    e = refi(e, 5, [0, 1, 1, 0, 4, 1, 0, 0, 0, 0, 0]);
    e = refi(e, 6, [3, 0, 16, 15, 12, 1, 0, 0, 0, 0, 0]);
    e = refi(e, 10, [0, 1, 0, 0, 7, 1, 0, 0, 0, 0, 0]);
    e = e.sequence(17, &c00("seq.dpu_start"), &[1, 0]);
    e = e.expect(17, &c00("seq.dpu_mode"), 1).expect(40, &c00("seq.dpu_const"), 127);
    // Switchbox.
    for (c, v, cfg) in [(8, 0, 0b010010), (9, 2, 0b000010), (10, 3, 0b001010)] {
        let path = c00(&format!("swb.swb_cfg[{v}]"));
        e = e.expect(c - 1, &path, 0b000111).expect(c, &path, cfg);
    }
    // Tile (1,0).
    for (c, en, addr, rvalid, block) in [
        (7, 1, 1, 0, [0; 4]),
        (8, 0, 1, 1, [0; 4]),
        (9, 0, 1, 0, ramp(16)),
        (10, 0, 0, 0, [0; 4]),
        (15, 1, 0, 0, [0; 4]),
        (16, 0, 0, 1, [0; 4]),
        (17, 0, 0, 0, ramp(0)),
        (18, 0, 0, 0, [0; 4]),
    ] {
        e = e.expect(c, "tile[1][0].rd.en", en).expect(c, "tile[1][0].mem_rvalid", rvalid);
        e = e.expect_wide(c, "tile[1][0].xout[S]", &block);
        if c != 10 {
            e = e.expect(c, "tile[1][0].rd.addr", addr);
        }
    }
    // Register file and data path.
    e = e.expect(9, &c00("rf.mem[17]"), 0).expect(10, &c00("rf.mem[17]"), 17);
    for (c, a, b, out) in
        [(17, 0, 0, 0), (18, 0, 0x10, 0), (19, 1, 0x11, 0x10), (20, 2, 0x12, 0x12)]
    {
        e = e.expect(c, &c00("lane[0]"), a).expect(c, &c00("lane[1]"), b);
        e = e.expect(c, &c00("vin[2]"), a).expect(c, &c00("vin[3]"), b);
        e = e.expect(c, &c00("lane[2]"), out).expect(c, &c00("vin[0]"), out);
    }
    e = e.expect(34, &c00("vin[0]"), 0x2e).expect(35, &c00("vin[0]"), 0);
    for i in 0..16 {
        let path = c00(&format!("rf.mem[{}]", 32 + i));
        e = e.expect(19 + i, &path, 0).expect(20 + i, &path, 16 + 2 * i as u64);
    }
    e.run(60)
}

/// 11.2 and 11.3.
fn loop_traces() -> [Example; 2] {
    let mut two = new("02/11.2 nested loops").hex(
        0,
        0,
        "4420102 0400000 4114002 518F8E0 3800080 5480011 5280012 3800000 3800100 0000000",
    );
    // pc, R0, R1, R2, R14, R15
    let rows = [
        [0, 0, 0, 0, 0, 0],
        [2, 0, 0, 0, 0, 2],
        [3, 0, 0, 0, 0, 2],
        [4, 2, 0, 0, 0, 2],
        [4, 2, 0, 0, 0, 2],
        [5, 2, 0, 0, 0, 2],
        [3, 2, 4, 0, 1, 2],
        [4, 3, 4, 0, 1, 2],
        [4, 3, 4, 0, 1, 2],
        [5, 3, 4, 0, 1, 2],
        [6, 3, 6, 0, 0, 2],
        [7, 3, 6, 2, 0, 2],
        [8, 3, 6, 2, 0, 2],
        [8, 3, 6, 2, 0, 2],
        [8, 3, 6, 2, 0, 2],
        [2, 3, 6, 2, 0, 6],
        [3, 3, 6, 2, 0, 6],
        [4, 6, 6, 2, 0, 6],
        [4, 6, 6, 2, 0, 6],
        [5, 6, 6, 2, 0, 6],
        [3, 6, 12, 2, 1, 6],
        [4, 7, 12, 2, 1, 6],
        [4, 7, 12, 2, 1, 6],
        [5, 7, 12, 2, 1, 6],
        [6, 7, 14, 2, 0, 6],
        [7, 7, 14, 6, 0, 6],
        [8, 7, 14, 6, 0, 6],
        [8, 7, 14, 6, 0, 6],
        [8, 7, 14, 6, 0, 6],
        [9, 7, 14, 6, 0, 0],
        [0, 7, 14, 6, 0, 0],
    ];
    for (c, [pc, r0, r1, r2, r14, r15]) in rows.into_iter().enumerate() {
        let c = c as i64;
        two = two.expect(c, PC, pc);
        for (n, value) in [(0, r0), (1, r1), (2, r2), (14, r14), (15, r15)] {
            two = two.expect(c, &raccu(n), value);
        }
    }
    let mut three = new("02/11.3 loops with a common end").hex(
        0,
        0,
        "4414082 0100000 4515E83 0210000 518F8E0 3800080 0000000",
    );
    // pc, R0, R14, R15
    let rows: [[i64; 4]; 23] = [
        [0, 0, 0, 0],
        [2, 0, 0, 1],
        [4, 0, -3, 1],
        [5, -2, -3, 1],
        [5, -2, -3, 1],
        [4, -2, -1, 1],
        [5, 0, -1, 1],
        [5, 0, -1, 1],
        [4, 0, 1, 1],
        [5, 2, 1, 1],
        [5, 2, 1, 1],
        [2, 2, 0, 2],
        [4, 2, -3, 2],
        [5, -1, -3, 2],
        [5, -1, -3, 2],
        [4, -1, -1, 2],
        [5, 1, -1, 2],
        [5, 1, -1, 2],
        [4, 1, 1, 2],
        [5, 3, 1, 2],
        [5, 3, 1, 2],
        [6, 3, 0, 0],
        [0, 3, 0, 0],
    ];
    for (c, [pc, r0, r14, r15]) in rows.into_iter().enumerate() {
        let c = c as i64;
        three = three.expect(c, PC, pc as u64);
        for (n, value) in [(0, r0), (14, r14), (15, r15)] {
            three = three.expect(c, &raccu(n), s7(value));
        }
    }
    [two, three]
}

fn register_file() -> Vec<Example> {
    let mut all = Vec::new();
    // 16: a REFI of three words; compress (bit 0) is ignored.
    let word = |bits: &str| format!("{:07X}", u32::from_str_radix(bits, 2).unwrap());
    let words = [
        "000101100000001000000111111",
        "001000000010001000000010101",
        "001101010010000000111000001",
    ]
    .map(word);
    let e = new("03/16 field assembly").hex(0, 0, &format!("{} 0000000", words.join(" ")));
    all.push(refi(e, 1, [1, 0, 1, 0, 63, 1, 0, 20, 33, 37, 41]));

    // 2 to 11 through a REFI: the state of the AGU in chosen cycles. A REFI decoded in c launches
    // in c+1.
    let st = |k: &str, field: &str| format!("cell[0][0].rf.agu[{k}].{field}");
    all.push(
        new("03/2 two rows")
            .asm(0, 0, "REFI port_no=w0, init_addr=60, l1_iter=2, l1_step=3, l2_iter=1, l2_step=7; WAIT cycle=20; HALT")
            .sequence(1, &st("w0", "state"), &[0, 2, 2, 4, 2, 2, 0])
            .expect(4, &st("w0", "row_base"), 3)
            .expect(4, &st("w0", "addr_reg"), 5)
            .expect(7, &st("w0", "addr_reg"), 12),
    );
    all.push(
        new("03/4 extra cycle")
            .asm(0, 0, "REFI port_no=w0, init_addr=7, l1_delay=2, l2_step=5, l2_iter=2; WAIT cycle=20; HALT")
            .expect(5, &st("w0", "state"), 0)
            .expect(4, &st("w0", "state"), 2),
    );
    all.push(
        new("03/5 block AGU")
            .asm(0, 0, "REFI dimarch=y, init_addr=3, init_delay=1, l1_iter=3, l2_iter=1, l2_step=5, l2_delay=1; WAIT cycle=20; HALT")
            .sequence(2, &st("wb", "addr_reg"), &[3, 0, 1, 2])
            .expect(2, &st("wb", "p_l2_step"), 1)
            .expect(10, &st("wb", "state"), 2)
            .expect(11, &st("wb", "state"), 0),
    );
    all.push(
        new("03/7 re-configuration while running")
            .asm(
                0,
                0,
                "REFI port_no=r0, init_addr=0, l1_iter=7; WAIT cycle=0
                 REFI port_no=r0, init_addr=40, init_delay=9, l1_iter=5, l1_step=4; WAIT cycle=20; HALT",
            )
            .sequence(2, &st("r0", "addr_reg"), &[1, 2, 3, 7, 11, 15, 0])
            .sequence(4, &st("r0", "p_init_addr"), &[40, 40, 40, 0]),
    );
    all.push(
        new("03/9 limit already passed")
            .asm(
                0,
                0,
                "REFI port_no=r1, init_addr=0, l1_iter=7; WAIT cycle=2
                 REFI port_no=r1, init_addr=40, l1_iter=1; WAIT cycle=90; HALT",
            )
            .expect(66, &st("r1", "state"), 2)
            .expect(67, &st("r1", "state"), 0),
    );
    all.push(
        new("03/10 re-configuration in ROW_WAIT")
            .asm(
                0,
                0,
                "REFI port_no=w1, l1_iter=1, l2_iter=2, l2_step=8, l2_delay=3; WAIT cycle=1
                 REFI port_no=w1, init_addr=33, l1_iter=1, l1_step=2, l2_iter=2, l2_step=0, l2_step_ext=1, l2_delay=1
                 WAIT cycle=90; HALT",
            )
            .expect(68, &st("w1", "state"), 4)
            .expect(68, &st("w1", "row_base"), 8)
            .expect(71, &st("w1", "row_base"), 24)
            .expect(73, &st("w1", "state"), 0),
    );
    all
}

fn interconnect() -> Vec<Example> {
    let mut all = Vec::new();
    // Lanes with constant values: read ports that emit one address for 64 cycles.
    let constant = "REFI port_no=r0, init_addr=0, l1_iter=63, l1_step=0; \
                    REFI port_no=r1, init_addr=1, l1_iter=63, l1_step=0; ";
    let block = |a: u16, b: u16| {
        let mut words = [0; 16];
        (words[0], words[1]) = (a, b);
        crate::example::block(words)
    };

    let mut e = new("05/1 reset").rf(0, 0, 0, 0, ramp(1)).asm(
        0,
        0,
        &format!("{constant} WAIT cycle=9; HALT"),
    );
    for v in 0..6 {
        for (r, c) in [(0, 0), (0, 1), (1, 0), (1, 7)] {
            e = e.expect(5, &format!("cell[{r}][{c}].swb.swb_cfg[{v}]"), 7);
            e = e.expect(5, &format!("cell[{r}][{c}].vin[{v}]"), 0);
        }
    }
    all.push(e.expect(5, &c00("lane[0]"), 1).expect(5, &c00("lane[1]"), 2));
    all.push(
        new("05/2 SWB timing")
            .hex(0, 0, "2CA3000 0000000")
            .expect(1, &c00("swb.swb_iss_valid"), 1)
            .expect(1, &c00("swb.swb_iss"), 0b0_1010_0011)
            .sequence(1, &c00("swb.swb_cfg[3]"), &[0b000111, 0b001010]),
    );

    // 3 to 5: source lanes of cell (0,s) are 0x0104, 0x0114 and DPU 0, 0x0216 (from cell (1,s)).
    for (number, s, readers) in [
        ("3", 0, vec![(0, 1, 1, false), (0, 2, 0, false)]),
        ("4", 0, vec![(1, 0, 2, true), (1, 2, 0, true), (1, 1, 1, true)]),
        (
            "5",
            5,
            vec![
                (0, 3, 4, false),
                (0, 4, 3, false),
                (0, 6, 1, false),
                (0, 7, 0, false),
                (1, 3, 4, true),
                (1, 7, 0, true),
            ],
        ),
    ] {
        for (r, c, hb, other) in readers {
            let row = if other { "y" } else { "n" };
            let swb = |block: &str, port: u8, v: u8| {
                format!(
                    "SWB src_block={block}, src_port={port}, hb_index={hb}, send_to_other_row={row}, v_index={v}; "
                )
            };
            let listen =
                [swb("rf", 0, 0), swb("rf", 1, 1), swb("dpu", 0, 2), swb("dpu", 1, 3)].concat();
            let mut e = new(&format!("05/{number} ({r},{c}) listens to (0,{s})"))
                .rf(0, 0, s, 0, block(0x0104, 0x0114))
                .rf(1, 1, s, 0, block(0x0216, 0))
                .asm(
                    0,
                    s,
                    &format!("{constant} SWB src_block=rf, hb_index=2, send_to_other_row=y, v_index=4; DPU mode=add; WAIT cycle=40; HALT"),
                );
            // The listener shares cell (1,s) with the source of 0x0216 in one case.
            if (r, c) == (1, s) {
                e = e.asm(1, s, &format!("{constant} {listen} DPU mode=mac; WAIT cycle=40; HALT"));
            } else {
                e = e.asm(1, s, &format!("{constant} WAIT cycle=40; HALT"));
                e = e.asm(r, c, &format!("{listen} DPU mode=mac; WAIT cycle=40; HALT"));
            }
            for (v, value) in [0x0104, 0x0114, 0x0000, 0x0216].into_iter().enumerate() {
                e = e.expect(30, &format!("cell[{r}][{c}].vin[{v}]"), value);
            }
            all.push(e);
        }
    }
    // 5: beyond the edges an input reads 0 although everything drives its lane.
    for (r, c, hbs) in [(0, 7, [3, 4]), (0, 1, [0, 0]), (0, 0, [0, 1]), (1, 0, [0, 1])] {
        let mut e = new(&format!("05/5 edge ({r},{c})"));
        for (i, s) in (0..8).map(|k| (k / 4, k % 4 * 2 + 1)).enumerate() {
            e = e.rf(i as u64, s.0, s.1, 0, ramp(0x0604));
        }
        e = e.rf(8, r, c, 0, ramp(0x0604)).asm(
            r,
            c,
            &format!(
                "{constant} SWB hb_index={}, v_index=2; SWB hb_index={}, v_index=3; WAIT cycle=9; HALT",
                hbs[0], hbs[1]
            ),
        );
        let path = format!("cell[{r}][{c}].vin[2]");
        all.push(e.expect(8, &path, 0).expect(8, &path.replace("[2]", "[3]"), 0));
    }
    // 7
    all.push(
        new("05/7 positions and inputs that do not exist")
            .rf(0, 0, 0, 0, ramp(9))
            .asm(
                0,
                0,
                &format!("{constant} SWB hb_index=5, v_index=2; SWB hb_index=6, v_index=3; SWB hb_index=2, v_index=6; SWB hb_index=2, v_index=7; WAIT cycle=9; HALT"),
            )
            .expect(8, &c00("swb.swb_cfg[2]"), 5)
            .expect(8, &c00("swb.swb_cfg[3]"), 6)
            .expect(8, &c00("swb.swb_cfg[4]"), 7)
            .expect(8, &c00("vin[2]"), 0)
            .expect(8, &c00("vin[3]"), 0),
    );
    all.push(swb_trace());
    // 10: a word with bit 22 = 0 does not disturb a pending SWB, and releases it by its flag.
    let swb = "2C25000'0"; // rf 0, hb 2, v 5
    for (name, words, c) in [
        ("05/10 released by WAIT", format!("{swb} 2811000'0 3800000 0000000'0"), 4),
        ("05/10 released by the word itself", format!("{swb} 2811000 3800000'0 0000000'0"), 3),
    ] {
        all.push(
            new(name)
                .hex(0, 0, &words)
                .sequence(c - 1, &c00("swb.swb_cfg[5]"), &[0b000111, 0b000010])
                .expect(c, &c00("swb.swb_iss"), 0b0_0010_0101),
        );
    }

    // 11: load skew; c counts from cycle 0 of the fabric.
    let mut e = new("05/11 load skew");
    for (cycle, rows, cols) in
        [(6, 0b11, 0xff), (7, 0b10, 0xff), (8, 0b11, 0b1000), (9, 0b11, 0xff)]
    {
        e = e.word(cycle, 0x100_0000 + cycle as u32, true, rows, cols);
    }
    let back = -(e.start(0, 0) as i64);
    for r in 0..2i64 {
        for c in 0..8i64 {
            let cell = format!("cell[{r}][{c}].seq.");
            let t = back + r + c;
            e = e.sequence(t + 6, &format!("{cell}state"), &[0, 1]);
            e = e.sequence(t + 10, &format!("{cell}state"), &[1, 2]);
            let count = 2 + u64::from(r == 1) + u64::from(c == 3);
            e = e.expect(t + 10, &format!("{cell}load_count"), count);
        }
    }
    all.push(e);

    // 12: the flag travels with its word.
    let e =
        new("05/12 flags of cell (0,2)").hex(0, 2, "1000000'0 1000000'0 1000000 1000000'0 1000000");
    let mut e = e.run(20);
    for (a, flag) in [0, 0, 1, 0, 1].into_iter().enumerate() {
        e = e.expect(5, &format!("cell[0][2].seq.imem_imm[{a}]"), flag);
    }
    all.push(e);

    // 13: SRAM initialisation travels; c counts from cycle 0 of the fabric.
    let places = [(2, 1, 0, 2), (3, 2, 3, 7), (4, 1, 7, 11), (5, 2, 7, 13)];
    let mut e = new("05/13 SRAM initialisation");
    for (cycle, row, col, _) in places {
        e = e.sram(cycle, row, col, 9, ramp(0x100 * cycle as u16));
    }
    let e = e.run(20);
    let back = -(e.start(0, 0) as i64);
    let mut e = e;
    for (cycle, row, col, write) in places {
        let path = format!("tile[{row}][{col}].sram[9]");
        e = e.expect_wide(back + write, &path, &[0; 4]);
        e = e.expect_wide(back + write + 1, &path, &ramp(0x100 * cycle as u16));
    }
    all.push(e);

    // 14: status of vec_add loaded in cycles 13..39; c counts from the first decode in cycle 41.
    let mut e = new("05/14 status")
        .sram(11, 1, 0, 0, ramp(0))
        .sram(12, 1, 0, 1, ramp(16))
        .hex(0, 0, VEC_ADD);
    assert_eq!(e.start(0, 0), 41);
    e = e.sequence(13 - 41, "all_idle", &[1, 0]).sequence(75 - 41, "all_idle", &[0, 1]);
    e = e.sequence(13 - 41, STATE, &[0, 1]).sequence(75 - 41, STATE, &[2, 0]);
    all.push(e);

    // 15: register file initialisation against the write ports of the same cycle.
    for (word, lost) in [(33, true), (31, false)] {
        let mut e = new(&format!("05/15 RF initialisation and w0 at {word}")).asm(
            1,
            3,
            &format!("REFI port_no=w0, init_addr={word}; WAIT cycle=9; HALT"),
        );
        // The REFI of cell (1,3) is decoded in S(1,3) = S(0,0)+4 and writes a cycle later; words of
        // the cell that writes are 0 (nothing is connected), so the words are preset.
        let write = e.start(1, 3) + 1;
        let preset = write - 3;
        e = e.rf(preset, 1, 3, word / 16, ramp(0x700));
        let gap_kept = e.clone();
        let mut e = gap_kept.rf(write, 1, 3, 2, ramp(0x100));
        let back = -(e.start(0, 0) as i64) + write as i64;
        let at = |w: usize| format!("cell[1][3].rf.mem[{w}]");
        for j in 0..16 {
            e = e.expect(back + 1, &at(32 + j), 0x100 + j as u64);
        }
        if !lost {
            e = e.expect(back, &at(31), 0x70f).expect(back + 1, &at(31), 0);
        }
        all.push(e);
    }

    // 16: attachment of row 1.
    let e = new("05/16 row 1").sram(0, 1, 0, 3, ramp(0x300)).asm(
        1,
        0,
        "ROUTE direction=r; SRAM init_addr=3; REFI dimarch=y, init_addr=1, init_delay=5; WAIT cycle=20; HALT",
    );
    // S(1,0) = S(0,0)+1; the SRAM is decoded in c = 2 = d.
    all.push(
        e.expect_wide(8, "tile[1][0].xout[S]", &ramp(0x300))
            .expect_wide(9, "col[0].blk_in_row1", &ramp(0x300))
            .expect(9, "cell[1][0].rf.mem[17]", 0)
            .expect(10, "cell[1][0].rf.mem[17]", 0x301),
    );

    // 6.2: a chain of cells.
    let add = "SWB src_block=dpu, hb_index=0, v_index=2; DPU mode=add; WAIT cycle=40; HALT";
    let write = "SWB src_block=dpu, hb_index=3, send_to_other_row=y, v_index=0; \
                 REFI port_no=w0, init_addr=5, l1_iter=15, init_delay=16; WAIT cycle=40; HALT";
    let mut e = vec_add("05/6.2 chain").asm(0, 2, add).asm(1, 1, write);
    // The trace counts from g, one cycle before the first decode of (0,0).
    for (t, a, b, c) in
        [(20, 0x10, 0, 0), (21, 0x12, 0x10, 0x10), (22, 0x14, 0x12, 0x12), (35, 0x2e, 0x2c, 0x2c)]
    {
        e = e.expect(t - 1, &c00("lane[2]"), a);
        e = e.expect(t - 1, "cell[0][2].lane[2]", b).expect(t - 1, "cell[1][1].vin[0]", c);
    }
    for i in 0..16 {
        e = e.expect(40, &format!("cell[1][1].rf.mem[{}]", 5 + i), 0x10 + 2 * i);
    }
    all.push(e.expect(40, "cell[1][1].rf.mem[4]", 0).expect(40, "cell[1][1].rf.mem[21]", 0));
    all
}

/// 6.3 with examples 6, 8 and 9: pending and replaced SWBs. Read patterns give k and 0x10+k.
fn swb_trace() -> Example {
    // The patterns emit k in cycle k+1 of the trace, so their first address is in cycle 1.
    let setup = "REFI port_no=r0, init_addr=0, l1_iter=15, init_delay=2; \
                 REFI port_no=r1, init_addr=16, l1_iter=15, init_delay=1; ";
    let swb = |suffix: &str, fields: &str| format!("SWB{suffix} {fields}; ");
    let words = [
        swb("", "src_block=rf, src_port=0, hb_index=2, v_index=5"),
        swb("", "src_block=rf, src_port=1, hb_index=2, v_index=5"),
        swb("", "src_block=dpu, src_port=0, hb_index=2, v_index=5"),
        swb("", "src_block=rf, src_port=0, hb_index=2, send_to_other_row=y, v_index=5"),
        swb(".D", "src_block=rf, src_port=0, hb_index=2, v_index=5"),
        swb(".D", "src_block=rf, src_port=1, hb_index=2, v_index=5"),
        swb(".D", "src_block=rf, src_port=0, hb_index=2, v_index=4"),
        "WAIT cycle=0; ".to_owned(),
        swb(".D", "src_block=rf, src_port=1, hb_index=2, v_index=5"),
        swb("", "src_block=dpu, src_port=0, hb_index=2, v_index=5"),
        swb("", "hb_index=7, v_index=5"),
        swb("", "src_block=rf, src_port=0, hb_index=2, v_index=5"),
        swb("", "src_block=rf, src_port=0, hb_index=3, v_index=5"),
        swb("", "src_block=rf, src_port=0, hb_index=2, src_row=1, v_index=5"),
        "HALT".to_owned(),
    ]
    .concat();
    let mut e = new("05/6.3 pending SWBs").rf(0, 0, 0, 0, ramp(0)).rf(1, 0, 0, 1, ramp(0x10)).asm(
        0,
        0,
        &(setup.to_owned() + &words),
    );
    let base = 2; // decode of A
    let cfg = [
        0b000111, 0b000111, 0b000010, 0b001010, 0b010010, 0b100010, 0b100010, 0b100010, 0b100010,
        0b100010, 0b100010, 0b010010, 0b000111, 0b000010, 0b000011, 0b000010, 0b000010,
    ];
    let in3 = [0, 0, 1, 0x12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc, 0, 0xe, 0xf];
    let in2 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 9, 0xa, 0xb, 0xc, 0xd, 0xe, 0xf];
    e = e.sequence(base, &c00("swb.swb_cfg[5]"), &cfg);
    e = e.sequence(base, &c00("vin[5]"), &in3);
    e.sequence(base, &c00("vin[4]"), &in2)
}

fn dimarch() -> Vec<Example> {
    let mut all = Vec::new();
    let e = new("06/1 messages").hex(
        0,
        0,
        "6548000 6186000 6848010 0800000 0001800 6f27fff 77e1602 0805800 0000000",
    );
    let e = message(e, 1, 2, 0x000_0000_0200_5300);
    let e = message(e, 2, 2, 0x000_0001_0400_6000);
    let e = message(e, 3, 3, 0x8c4_8010_1000_0000);
    all.push(message(e, 4, 3, 0xaf2_7fff_efc2_c043));

    // Read addresses of tile (1,0): (c, address) while `en` is 1, quiet around.
    let reads = |mut e: Example, list: &[(i64, u64)]| {
        let (first, last) = (list[0].0, list[list.len() - 1].0);
        for c in first - 2..=last + 2 {
            let hit = list.iter().find(|(at, _)| *at == c);
            e = e.expect(c, "tile[1][0].rd.en", u64::from(hit.is_some()));
            if let Some((_, address)) = hit {
                e = e.expect(c, "tile[1][0].rd.addr", *address);
            }
        }
        e
    };
    let seq = |from: i64, addresses: &[u64]| -> Vec<(i64, u64)> {
        addresses.iter().enumerate().map(|(i, a)| (from + i as i64, *a)).collect()
    };
    let e = new("06/2 wrap of addresses").asm(
        0,
        0,
        "ROUTE; SRAM init_addr=126, l1_iter=3, l1_step=1, l2_iter=1, l2_step=-3; WAIT cycle=30; HALT",
    );
    all.push(reads(e, &seq(5, &[126, 127, 0, 1, 123, 124, 125, 126])));
    let e = new("06/3 step -128").asm(
        0,
        0,
        "ROUTE; WAIT cycle=21; SRAM init_addr=5, l1_iter=2, l1_step=-128, l2_iter=1, l2_step=-128; WAIT cycle=30; HALT",
    );
    all.push(reads(e, &seq(27, &[5; 6])));
    let e = new("06/4 acceptance").asm(
        0,
        0,
        "ROUTE; SRAM init_addr=10; SRAM init_addr=20; SRAM init_addr=30; SRAM init_addr=40; WAIT cycle=10
         SRAM init_addr=50, l1_iter=2, init_delay=3; WAIT cycle=4; SRAM init_addr=60; SRAM init_addr=61
         WAIT cycle=20; HALT",
    );
    all.push(reads(e, &[(5, 10), (7, 30), (23, 50), (24, 51), (25, 52), (27, 61)]));
    let e = new("06/5 copies on the way").rf(0, 0, 0, 1, ramp(0x100)).asm(
        0,
        0,
        "WAIT cycle=12; ROUTE horizontal_dir=e, horizontal_hops=1, direction=w
         SRAM rw=w, init_addr=20, init_delay=1; SRAM rw=w, init_addr=21, hops=1
         REFI port_no=r0, dimarch=y, init_addr=1, init_delay=1; WAIT cycle=20; HALT",
    );
    all.push(
        e.sequence(18, "tile[1][0].wr.en", &[0, 1, 0])
            .sequence(19, "tile[1][1].wr.en", &[0, 1, 0])
            .expect_wide(19, "tile[1][0].sram[20]", &[0; 4])
            .expect_wide(20, "tile[1][0].sram[20]", &ramp(0x100))
            .expect_wide(21, "tile[1][1].sram[21]", &ramp(0x100)),
    );
    // 6: S(1,0) is one cycle later, so its REFI is decoded in c = 15 and wb.en is in c = 20.
    let e = new("06/6 loop at the home tile")
        .rf(0, 0, 0, 1, ramp(0x500))
        .asm(
            0,
            0,
            "WAIT cycle=12; ROUTE vertical_dir=s, vertical_hops=1
             REFI port_no=r0, dimarch=y, init_addr=1, init_delay=3; WAIT cycle=20; HALT",
        )
        .asm(1, 0, "WAIT cycle=13; REFI dimarch=y, init_addr=2, init_delay=4; WAIT cycle=20; HALT");
    all.push(
        e.expect_wide(19, "tile[1][0].xout[S]", &ramp(0x500))
            .expect(20, "cell[1][0].rf.mem[33]", 0)
            .expect(21, "cell[1][0].rf.mem[33]", 0x501),
    );
    for (name, text, c, address) in [
        (
            "one pending SRAM",
            "ROUTE; SRAM.D init_addr=1; WAIT.D cycle=3; REFI port_no=w1, dimarch=y; WAIT cycle=20; HALT",
            10,
            1,
        ),
        (
            "two pending SRAMs",
            "ROUTE; SRAM.D init_addr=1; SRAM.D init_addr=2; WAIT.D cycle=3; REFI port_no=w1, dimarch=y; WAIT cycle=20; HALT",
            11,
            2,
        ),
        (
            "a pending SRAM and one with the flag",
            "ROUTE; SRAM.D init_addr=1; SRAM init_addr=2; WAIT cycle=20; HALT",
            6,
            2,
        ),
    ] {
        all.push(reads(new(&format!("06/7 {name}")).asm(0, 0, text), &[(c, address)]));
    }
    let e = new("06/8 dynamic fields").asm(
        0,
        0,
        "RACCU mode=add, operand1=37, result=3; RACCU mode=add, operand1=21, result=4
         RACCU mode=add, operand1=-1, result=5; RACCU mode=add, operand1=2, result=6
         ROUTE; WAIT cycle=4
         SRAM init_addr_sd=d, init_addr=3, init_delay_sd=d, init_delay=4, l1_iter_sd=d, l1_iter=6, l1_step_sd=d, l1_step=5
         WAIT cycle=25
         SRAM init_addr=9, l1_iter=2, l1_step=1, l2_iter=1, l1_delay_sd=d, l1_delay=4, l2_step_sd=d, l2_step=5, l2_delay_sd=d, l2_delay=5
         WAIT cycle=200; HALT",
    );
    let list =
        [(19, 37), (20, 36), (21, 35), (41, 9), (63, 10), (85, 11), (149, 8), (171, 9), (193, 10)];
    all.push(reads(e, &list));

    // 10: the worked traces 11.2 to 11.5.
    all.push(write_over_hops(0));
    all.push(write_over_hops(1));
    all.push(read_over_hops());
    all.push(two_level());
    all.extend(two_cells());

    let e = new("06/11 over the edge").sram(0, 1, 7, 3, ramp(0x33)).asm(
        0,
        7,
        "ROUTE horizontal_dir=e, horizontal_hops=2; SRAM init_addr=3, hops=2; WAIT cycle=20; HALT",
    );
    // S(0,7) is seven cycles later.
    let mut e = e.expect(7 + 3, "tile[1][7].side[S].hsel", 1);
    for c in 7..30 {
        e = e.expect(c, "tile[1][7].rd.en", 0).expect_wide(c, "tile[1][7].xout[S]", &[0; 4]);
    }
    all.push(e);
    let mut e = new("06/11 beyond the end").sram(0, 1, 0, 3, ramp(0x33)).asm(
        0,
        0,
        "ROUTE; SRAM init_addr=3, hops=1; WAIT cycle=20; HALT",
    );
    for c in 0..20 {
        e = e.expect(c, "tile[1][0].rd.en", 0).expect(c, "tile[1][1].rd.en", 0);
    }
    all.push(e);

    // 12: read and write AGU in one cycle. A read over the path and a write to another row.
    let e = new("06/12 collision")
        .sram(0, 1, 0, 3, ramp(0x3333))
        .rf(0, 0, 0, 1, ramp(0x500))
        .asm(
            0,
            0,
            "ROUTE direction=w; SRAM rw=w, init_addr=8, init_delay=2; REFI port_no=r0, dimarch=y, init_addr=1, init_delay=3
             SRAM init_addr=3; WAIT cycle=20; HALT",
        );
    // wr.en in 1+4+2 = 7, rd.en in 3+4 = 7; rb.en in 6, so xout[MEM] has the block in 7.
    all.push(
        e.expect(7, "tile[1][0].wr.en", 1)
            .expect(7, "tile[1][0].rd.en", 1)
            .expect_wide(8, "tile[1][0].sram[8]", &ramp(0x500))
            .expect_wide(8, "tile[1][0].mem_q", &ramp(0x500))
            .expect_wide(8, "tile[1][0].sram[3]", &ramp(0x3333)),
    );
    all
}

/// 11.2 from cell (row, 0).
fn write_over_hops(row: usize) -> Example {
    let e = new(&format!("06/11.2 write over three hops, row {row}"))
        .rf(0, row, 0, 1, ramp(0x100))
        .rf(1, row, 0, 2, ramp(0x200))
        .asm(
            row,
            0,
            "WAIT cycle=12
             ROUTE horizontal_dir=e, horizontal_hops=2, vertical_dir=n, vertical_hops=1, direction=w
             SRAM rw=w, init_addr=5, l1_iter=1, l1_step=2, hops=3
             REFI port_no=r0, dimarch=y, init_addr=1, l1_iter=1, init_delay=1; WAIT cycle=20; HALT",
        );
    let t = row as i64; // start skew
    let zero = [0; 4];
    let mut e = e;
    for (path, first) in [
        ("tile[1][0].xout[N]", 18),
        ("tile[2][0].xout[E]", 19),
        ("tile[2][1].xout[E]", 20),
        ("tile[2][2].xout[MEM]", 21),
    ] {
        for (i, block) in [zero, ramp(0x100), ramp(0x200), zero].into_iter().enumerate() {
            e = e.expect_wide(t + first - 1 + i as i64, path, &block);
        }
    }
    e.sequence(t + 20, "tile[2][2].wr.en", &[0, 1, 1, 0])
        .sequence(t + 21, "tile[2][2].wr.addr", &[5, 7, 7])
        .expect_wide(t + 22, "tile[2][2].sram[5]", &ramp(0x100))
        .expect_wide(t + 23, "tile[2][2].sram[7]", &ramp(0x200))
}

fn read_over_hops() -> Example {
    let mut e = new("06/11.3 read over three hops")
        .sram(0, 2, 2, 9, ramp(0x900))
        .sram(1, 2, 2, 10, ramp(0xa00))
        .asm(
            0,
            0,
            "ROUTE horizontal_dir=e, horizontal_hops=2, vertical_dir=n, vertical_hops=1
             SRAM init_addr=9, l1_iter=1, hops=3
             REFI dimarch=y, init_addr=2, l1_iter=1, init_delay=10; WAIT cycle=30; HALT",
        );
    for (c, path, value) in [
        (2, "tile[1][0].side[S].vsel", 1),
        (2, "tile[2][0].seg_s", 2),
        (3, "tile[2][0].side[S].hsel", 1),
        (3, "tile[2][1].seg_w", 2),
        (4, "tile[2][1].side[W].hsel", 1),
        (4, "tile[2][2].seg_w", 2),
        (5, "tile[2][2].side[W].active", 1),
    ] {
        e = e.expect(c - 1, path, 0).expect(c, path, value);
    }
    e = e.sequence(7, "tile[2][2].rd.en", &[0, 1, 1, 0]).sequence(
        8,
        "tile[2][2].rd.addr",
        &[9, 10, 10],
    );
    let zero = [0; 4];
    for (path, first) in [
        ("tile[2][2].xout[W]", 10),
        ("tile[2][1].xout[W]", 11),
        ("tile[2][0].xout[S]", 12),
        ("tile[1][0].xout[S]", 13),
    ] {
        for (i, block) in [zero, ramp(0x900), ramp(0xa00), zero].into_iter().enumerate() {
            e = e.expect_wide(first - 1 + i as i64, path, &block);
        }
    }
    e.sequence(13, &c00("rf.mem[33]"), &[0, 0x901]).sequence(14, &c00("rf.mem[49]"), &[0, 0xa01])
}

fn two_level() -> Example {
    let mut e = new("06/11.4 two-level pattern");
    let order = [2, 5, 12, 15, 22, 25];
    for (i, a) in order.into_iter().enumerate() {
        e = e.sram(i as u64, 1, 0, a, ramp(0x100 * a as u16));
    }
    e = e.asm(
        0,
        0,
        "ROUTE
         SRAM init_addr=2, init_delay=2, l1_iter=1, l1_step=3, l1_delay=1, l2_iter=2, l2_step=10, l2_delay=2
         REFI dimarch=y, init_addr=0, l1_iter=1, l1_step=1, l1_delay=1, l2_iter=2, l2_step=2, l2_delay=2, init_delay=6
         WAIT cycle=40; HALT",
    );
    for (c, a) in [7, 9, 12, 14, 17, 19].into_iter().zip(order) {
        e = e.expect(c, "tile[1][0].rd.en", 1).expect(c, "tile[1][0].rd.addr", a as u64);
        e = e.expect(c + 1, "tile[1][0].rd.en", 0);
        e = e.expect_wide(c + 2, "tile[1][0].xout[S]", &ramp(0x100 * a as u16));
    }
    for (block, a) in [22u64, 25, 12, 15].into_iter().enumerate() {
        e = e.expect(30, &c00(&format!("rf.mem[{}]", 16 * block + 1)), 0x100 * a + 1);
    }
    e
}

fn two_cells() -> Vec<Example> {
    let mut all = Vec::new();
    let e = new("06/11.5a no common tile")
        .sram(0, 2, 0, 7, ramp(0x700))
        .sram(1, 1, 1, 3, ramp(0x300))
        .asm(
            0,
            0,
            "ROUTE vertical_dir=n, vertical_hops=1; SRAM init_addr=7, hops=1; REFI dimarch=y, init_delay=6; WAIT cycle=20; HALT",
        )
        .asm(
            0,
            2,
            "ROUTE horizontal_dir=w, horizontal_hops=1; SRAM init_addr=3, hops=1; REFI dimarch=y, init_delay=6; WAIT cycle=20; HALT",
        );
    all.push(e.sequence(9, &c00("rf.mem[1]"), &[0, 0x701]).sequence(
        11,
        "cell[0][2].rf.mem[1]",
        &[0, 0x301],
    ));

    // (b) Both rows decode in the same cycle: row 1 starts one cycle later.
    for (name, row1_wait, second) in [("the same cycle", 4, None), ("two cycles apart", 6, Some(5))]
    {
        let store = |d: u32| format!("REFI dimarch=y, init_delay={d}; WAIT cycle=30; HALT");
        let e = new(&format!("06/11.5b both rows, {name}"))
            .sram(0, 1, 0, 4, ramp(0x400))
            .sram(1, 1, 0, 5, ramp(0x500))
            .asm(0, 0, &format!("WAIT cycle=5; ROUTE; SRAM init_addr=4; {}", store(4)))
            .asm(1, 0, &format!("WAIT cycle={row1_wait}; ROUTE; SRAM init_addr=5; {}", store(5)));
        let mut e = e.expect(11, "tile[1][0].rd.en", 1).expect(11, "tile[1][0].rd.addr", 4);
        e = e.expect(12, "tile[1][0].rd.en", 0).sequence(13, &c00("rf.mem[1]"), &[0, 0x401]);
        let row1 = "cell[1][0].rf.mem[1]";
        e = match second {
            None => e.expect(13, "tile[1][0].rd.en", 0).sequence(14, row1, &[0, 0x401]),
            Some(a) => e
                .expect(13, "tile[1][0].rd.en", 1)
                .expect(13, "tile[1][0].rd.addr", a)
                .sequence(16, row1, &[0, 0x501]),
        };
        all.push(e);
    }

    // (c) Tear-down. Cell (0,1) starts one cycle later.
    let e = new("06/11.5c tear-down")
        .sram(0, 1, 2, 3, ramp(0x300))
        .sram(1, 1, 1, 6, ramp(0x600))
        .asm(
            0,
            0,
            "ROUTE horizontal_dir=e, horizontal_hops=2; SRAM init_addr=3, hops=2; REFI dimarch=y, init_delay=8
             WAIT cycle=13; SRAM init_addr=3, hops=2; REFI dimarch=y, init_addr=1, init_delay=8; WAIT cycle=30; HALT",
        )
        .asm(0, 1, "WAIT cycle=8; ROUTE; SRAM init_addr=6; REFI dimarch=y, init_delay=4; WAIT cycle=30; HALT");
    all.push(
        e.sequence(11, &c00("rf.mem[1]"), &[0, 0x301])
            .sequence(11, "tile[1][1].seg_w", &[2, 0])
            .sequence(11, "tile[1][2].seg_w", &[2, 0])
            .sequence(11, "tile[1][1].side[W].hsel", &[1, 0])
            .expect(12, "tile[1][0].side[S].hsel", 1)
            .sequence(15, "tile[1][1].rd.en", &[1, 0])
            .sequence(17, "cell[0][1].rf.mem[1]", &[0, 0x601])
            .expect(40, &c00("rf.mem[17]"), 0),
    );

    // (d) Two ROUTEs in one tile in the same cycle.
    let e = new("06/11.5d two ROUTEs in one tile")
        .sram(0, 1, 1, 3, ramp(0x300))
        .sram(1, 1, 1, 6, ramp(0x600))
        .asm(0, 0, "ROUTE horizontal_dir=e, horizontal_hops=1; SRAM init_addr=3, hops=1; WAIT cycle=30; HALT")
        .asm(0, 1, "ROUTE; SRAM init_addr=6; WAIT cycle=30; HALT");
    let mut e = e
        .expect(3, "tile[1][1].side[W].active", 1)
        .expect(3, "tile[1][1].side[S].active", 1)
        .expect(6, "tile[1][1].rd.en", 1)
        .expect(6, "tile[1][1].rd.addr", 6)
        .expect_wide(8, "tile[1][1].xout[S]", &ramp(0x600));
    for c in 4..15 {
        e = e.expect_wide(c, "tile[1][1].xout[W]", &[0; 4]);
    }
    all.push(e);
    all
}

fn io_perm() -> Vec<Example> {
    let mut all = Vec::new();
    let at = |w: usize| c00(&format!("rf.mem[{w}]"));
    // 3 and 4: the write port wins over PERM word by word.
    let e = new("07/4 PERM against w0").rf(0, 0, 0, 0, ramp(100)).rf(1, 0, 1, 0, ramp(7)).asm(
        0,
        0,
        "SWB hb_index=3, v_index=0; REFI port_no=w0, init_addr=5, init_delay=3
         WAIT cycle=1; PERM mode=rot_l, block=0, distance=1; WAIT cycle=9; HALT",
    );
    // REFI decoded in 1 writes in 1+1+3 = 5; PERM decoded in 4 executes in 5. The value 7 comes
    // from cell (0,1), which reads word 0 for many cycles.
    let e = e.asm(0, 1, "REFI port_no=r0, init_addr=0, l1_iter=63, l1_step=0; WAIT cycle=9; HALT");
    all.push(
        e.expect(5, &at(0), 100)
            .expect(5, &at(5), 105)
            .expect(6, &at(0), 115)
            .expect(6, &at(1), 100)
            .expect(6, &at(5), 7)
            .expect(6, &at(6), 105),
    );
    all.push(
        new("07/5 two PERMs")
            .rf(0, 0, 0, 0, ramp(100))
            .hex(0, 0, "7400004 7400004 0000000")
            .sequence(1, &at(0), &[100, 115, 114]),
    );
    all.push(
        new("07/2 all modes in place")
            .rf(0, 0, 0, 2, ramp(100))
            .asm(
                0,
                0,
                "PERM mode=shr_same, block=2, distance=17; PERM mode=6, block=2, distance=3
                 PERM mode=shl_zero, block=2, distance=15; PERM mode=rot_r, block=2, distance=65535; HALT",
            )
            .sequence(2, &at(32), &[115, 115, 0, 115])
            .sequence(2, &at(47), &[115, 115, 115, 0]),
    );
    all.push(
        new("07 pending PERM")
            .rf(0, 0, 0, 0, ramp(100))
            .asm(0, 0, "PERM.D mode=rot_l, distance=1; WAIT.D cycle=1; WAIT cycle=3; HALT")
            .sequence(
                2,
                &c00("perm.perm_shadow"),
                &[1 << 21 | 4 << 18 | 1, 1 << 21 | 4 << 18 | 1, 1 << 21 | 4 << 18 | 1, 0],
            )
            .sequence(4, &at(0), &[100, 115]),
    );
    // 6: input buffer to register file, in row 0 and in row 1.
    for row in 0..2i64 {
        let mut e = new(&format!("07/6 IO read, row {row}")).io_cell(row as usize, 0);
        e.buffers = vec![(0, 0x1ff_ffff, 0x100), (0, 0, 0x200), (0, 1, 0x300)];
        let e = e.asm(
            row as usize,
            0,
            &format!(
                "WAIT cycle=0; IO init_addr=0x1FFFFFF, init_delay=2, l1_iter=2, l1_step=1, l1_delay=1, mask=0x00F0
                 REFI dimarch=y, l1_iter=2, l1_delay=1, init_delay={}; WAIT cycle=30; HALT",
                6 + row
            ),
        );
        let t = row; // start skew
        let mem = |w: usize| format!("cell[{row}][0].rf.mem[{w}]");
        let mut e = e
            .sequence(t + 6, "col[0].io_rd.en", &[0, 1, 0, 1, 0, 1, 0])
            .expect(t + 7, "col[0].io_rd.addr", 0x1ff_ffff)
            .expect(t + 9, "col[0].io_rd.addr", 0)
            .expect(t + 11, "col[0].io_rd.addr", 1)
            .sequence(t + 8, "col[0].io_rvalid", &[0, 1, 0, 1, 0, 1, 0])
            .expect(t + 9, "col[0].io_rmask", 0x00f0)
            .expect_wide(
                t + 9,
                "col[0].io_rdata",
                &[0x0103_0102_0101_0100, 0, 0x010b_010a_0109_0108, 0x010f_010e_010d_010c],
            );
        for (block, base) in [(0, 0x100), (1, 0x200), (2, 0x300)] {
            // wb.en in 9, 11, 13 (row 0) or one later (row 1); words 4 to 7 are masked.
            let c = t + 9 + row + 2 * block as i64;
            e = e.sequence(c, &mem(16 * block + 1), &[0, base + 1]);
            e = e.expect(40, &mem(16 * block + 4), 0).expect(40, &mem(16 * block + 8), base + 8);
        }
        all.push(e);
    }
    // 7: register file to output buffer.
    let e = new("07/7 IO write")
        .io_cell(0, 0)
        .rf(0, 0, 0, 0, ramp(0x40))
        .rf(1, 0, 0, 1, ramp(0x80))
        .asm(
            0,
            0,
            "WAIT cycle=0; IO rw=w, init_addr=5, l1_iter=1, l1_step=31, mask=0x8001
         REFI port_no=r0, dimarch=y, l1_iter=1, init_delay=1; WAIT cycle=30; HALT",
        );
    all.push(
        e.sequence(4, "col[0].io_wr.en", &[0, 1, 1, 0])
            .sequence(5, "col[0].io_wr.addr", &[5, 4])
            .expect_wide(5, "col[0].io_wdata", &ramp(0x40))
            .expect_wide(6, "col[0].io_wdata", &ramp(0x80)),
    );
    // 8: input block to the memory of the home tile; cells start one cycle apart.
    let mut e = new("07/8 buffer to SRAM").io_cell(1, 0);
    e.buffers = vec![(0, 3, 0x600)];
    let e = e
        .asm(0, 0, "ROUTE direction=w; WAIT cycle=4; SRAM rw=w, init_addr=9; WAIT cycle=30; HALT")
        .asm(1, 0, "WAIT cycle=1; IO init_addr=3; WAIT cycle=30; HALT");
    all.push(
        e.expect_wide(9, "col[0].io_rdata", &ramp(0x600))
            .expect_wide(10, "tile[1][0].xout[MEM]", &ramp(0x600))
            .sequence(9, "tile[1][0].wr.en", &[0, 1, 0])
            .expect_wide(11, "tile[1][0].sram[9]", &ramp(0x600)),
    );
    // 9: code 13 without the strap, code 15 with it.
    let e = new("07/9 code 13 without the strap").hex(0, 0, "6848010 0800000 0001800 0000000");
    all.push(message(e, 1, 3, 0x8c4_8010_1000_0000).sequence(0, PC, &[0, 3]));
    all.push(
        new("07/9 code 15 in an I/O cell")
            .io_cell(0, 0)
            .hex(0, 0, "7FFFFFF 1000000 0000000")
            .sequence(0, PC, &[0, 1, 2])
            .expect(1, &c00("perm.perm_stage"), 0)
            .expect_wide(1, &c00("noc.noc_stage"), &[0, 0]),
    );
    // 10: an IO of row 1 and a ROUTE of row 0 in the same cycle both get through.
    let e = new("07/10 IO and ROUTE together")
        .io_cell(1, 0)
        .asm(0, 0, "WAIT cycle=1; ROUTE; WAIT cycle=9; HALT")
        .asm(1, 0, "WAIT cycle=0; IO init_addr=3; WAIT cycle=9; HALT");
    all.push(e.expect(4, "tile[1][0].side[S].active", 1).expect_wide(
        4,
        "col[0].io_msg",
        &[3 << 38 | 1 << 22, 1],
    ));
    all
}
