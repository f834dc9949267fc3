// SPDX-License-Identifier: MIT OR Apache-2.0
//! The register-file block alone (chapter 3, 9.4 and section 11, examples 12 to 15, 17 and 18).

use drra_fabric::{
    AguId,
    images::{AguCfg, PermOp, SeqRefi},
};
use drra_golden::units::{RegisterFile, RfInputs, RfReads};
use drra_isa::instructions::{PermMode, RefiPortNo};
use drra_testkit::example::block;

/// A REFI: port, dimarch, init_addr, l1_iter, l1_step, init_delay, l1_delay.
#[derive(Clone, Copy)]
struct Launch(u8, bool, u8, u8, u8, u8, u8);

impl Launch {
    fn refi(self) -> SeqRefi {
        let cfg = AguCfg {
            init_addr: self.2,
            l1_iter: self.3,
            l1_step: self.4,
            init_delay: self.5,
            l1_delay: self.6,
            ..AguCfg::default()
        };
        let cfg_port = RefiPortNo::from_bits(self.0.into());
        SeqRefi { cfg_start: true, cfg_port, cfg_dimarch: self.1, cfg }
    }
}

/// The AGUs and the reads in a cycle.
fn reads(rf: &mut RegisterFile, immediate: bool, launch: Option<Launch>) -> RfReads {
    rf.rf_agus(immediate, &launch.map(Launch::refi).unwrap_or_default());
    rf.rf_reads()
}

/// Drives one cycle with the data of trace 9.4; returns rdata_0, rdata_1.
fn cycle(rf: &mut RegisterFile, cycle: u16, immediate: bool, launch: Option<Launch>) -> (u16, u16) {
    let [rdata_0, rdata_1] = reads(rf, immediate, launch).rdata;
    rf.rf_writes(
        &RfInputs {
            wdata: [0xa000 + cycle, 0xb000 + cycle],
            blk_wdata: block(std::array::from_fn(|i| 0xc000 + i as u16)),
            ..RfInputs::default()
        },
        &PermOp::default(),
    );
    (rdata_0, rdata_1)
}

#[test]
fn trace_9_4() {
    let mut rf = RegisterFile::new(64);
    let valid = |rf: &RegisterFile| {
        AguId::ALL.iter().map(|k| u64::from(rf.shadow(*k).is_some())).collect::<Vec<_>>()
    };
    cycle(&mut rf, 0, false, Some(Launch(0, false, 5, 0, 0, 0, 0)));
    assert_eq!(valid(&rf), [1, 0, 0, 0, 0, 0]);
    cycle(&mut rf, 1, false, Some(Launch(1, false, 5, 1, 1, 0, 0)));
    assert_eq!(valid(&rf), [1, 1, 0, 0, 0, 0]);
    cycle(&mut rf, 2, false, Some(Launch(2, false, 5, 1, 0, 0, 0)));
    assert_eq!(valid(&rf), [1, 1, 0, 1, 0, 0]);
    assert_eq!(cycle(&mut rf, 3, true, None).0, 0, "the old content");
    assert_eq!((rf.word(5), valid(&rf)), (0xa003, vec![0; 6]));
    assert_eq!(cycle(&mut rf, 4, false, None).0, 0xa003);
    assert_eq!(rf.word(6), 0xb004);
    cycle(&mut rf, 5, false, None);
    cycle(&mut rf, 6, false, None);
    cycle(&mut rf, 7, false, Some(Launch(0, false, 5, 0, 0, 0, 0)));
    cycle(&mut rf, 8, false, Some(Launch(1, false, 16, 0, 0, 0, 0)));
    assert_eq!(valid(&rf), [1, 1, 0, 0, 0, 0]);
    cycle(&mut rf, 9, true, Some(Launch(0, true, 0, 0, 0, 0, 0)));
    assert_eq!([rf.word(4), rf.word(5), rf.word(6), rf.word(16)], [0xc004, 0xc005, 0xc006, 0xb009]);
    let words = |rf: &RegisterFile| (0..64).map(|k| rf.word(k)).collect::<Vec<_>>();
    let before = words(&rf);
    cycle(&mut rf, 12, true, Some(Launch(1, true, 0, 0, 0, 0, 0)));
    cycle(&mut rf, 13, true, Some(Launch(3, true, 0, 0, 0, 0, 0)));
    assert_eq!((words(&rf), rf.busy()), (before, false));
}

#[test]
fn example_13_shadow_overwrite_and_bypass() {
    for with_third in [true, false] {
        let mut rf = RegisterFile::new(64);
        cycle(&mut rf, 0, false, Some(Launch(0, false, 8, 0, 0, 0, 0)));
        cycle(&mut rf, 1, false, Some(Launch(0, false, 9, 0, 0, 0, 0)));
        if with_third {
            cycle(&mut rf, 2, true, Some(Launch(0, false, 10, 0, 0, 0, 0)));
        }
        cycle(&mut rf, 3, true, None);
        let expected = if with_third { [0, 0, 0xa002] } else { [0, 0xa003, 0] };
        assert_eq!([rf.word(8), rf.word(9), rf.word(10)], expected);
    }
}

#[test]
fn example_14_launch_by_another_ports_refi() {
    let mut rf = RegisterFile::new(64);
    cycle(&mut rf, 4, false, Some(Launch(0, false, 11, 0, 0, 0, 0)));
    cycle(&mut rf, 5, false, Some(Launch(3, false, 11, 0, 0, 1, 0)));
    cycle(&mut rf, 6, false, None);
    cycle(&mut rf, 7, true, Some(Launch(2, false, 11, 0, 0, 2, 0)));
    assert_eq!(rf.word(11), 0xa007);
    let seen: Vec<_> = (8..11).map(|c| cycle(&mut rf, c, false, None)).collect();
    assert_eq!(seen, [(0, 0xa007), (0xa007, 0), (0, 0)]);
}

#[test]
fn example_15_read_output_between_addresses() {
    let mut rf = RegisterFile::new(64);
    for (c, word) in [(1, 1), (2, 2), (3, 3)] {
        cycle(&mut rf, c, true, Some(Launch(0, false, word, 0, 0, 0, 0)));
    }
    cycle(&mut rf, 4, true, None);
    let mut seen = vec![cycle(&mut rf, 5, true, Some(Launch(2, false, 1, 2, 1, 0, 1))).0];
    seen.extend((6..11).map(|c| cycle(&mut rf, c, true, None).0));
    assert_eq!(seen, [0xa001, 0, 0xa002, 0, 0xa003, 0]);
}

#[test]
fn examples_17_and_18_block_ports() {
    let mut rf = RegisterFile::new(64);
    cycle(&mut rf, 0, true, Some(Launch(0, true, 2, 0, 0, 0, 0)));
    let v = block(std::array::from_fn(|i| 0xc000 + i as u16));
    assert_eq!(rf.block(2), v, "delay 0 writes its data");
    // A block read that waits in INIT_WAIT while a block write is launched.
    cycle(&mut rf, 8, true, Some(Launch(2, true, 2, 0, 0, 5, 0)));
    cycle(&mut rf, 9, true, Some(Launch(0, true, 1, 0, 0, 9, 0)));
    for c in 10..=18 {
        assert_eq!(reads(&mut rf, true, None).blk, (c == 13).then_some(v), "cycle {c}");
        let written = rf.signals()[AguId::Wb.index()].agu.emitted;
        assert_eq!(written, (c == 18).then_some(1), "cycle {c}");
        rf.rf_writes(&RfInputs { blk_wdata: v, ..RfInputs::default() }, &PermOp::default());
    }
    assert_eq!(rf.block(1), v);
}

/// One to five writers write the same word; they are added in ascending order of priority (4.2).
#[test]
fn priority_of_the_writers() {
    let base = block([100; 16]);
    let expected = [100, 0xb, 0xa, 0xc, 0xd];
    for (strongest, &value) in expected.iter().enumerate() {
        let mut rf = RegisterFile::new(64);
        rf.rf_writes(
            &RfInputs { init: Some((0, base)), ..RfInputs::default() },
            &PermOp::default(),
        );
        let wanted = |k: usize| k <= strongest;
        // Configure the ports among w1, w0 and wb that take part; the REFIs wait for the flag.
        for (k, launch) in [
            (1, Launch(1, false, 3, 0, 0, 0, 0)),
            (2, Launch(0, false, 3, 0, 0, 0, 0)),
            (3, Launch(0, true, 0, 0, 0, 0, 0)),
        ] {
            if wanted(k) {
                reads(&mut rf, false, Some(launch));
                rf.rf_writes(&RfInputs::default(), &PermOp::default());
            }
        }
        reads(&mut rf, true, None);
        rf.rf_writes(
            &RfInputs {
                wdata: [0xa, 0xb],
                blk_wdata: block([0xc; 16]),
                blk_wmask: 0,
                init: wanted(4).then_some((0, block([0xd; 16]))),
            },
            &PermOp { valid: true, mode: PermMode::RotL.code(), block: 0, distance: 1 },
        );
        assert_eq!(rf.word(3), value, "writer {strongest}");
    }
}

/// A masked word receives the data of the next writer.
#[test]
fn mask_lets_the_next_writer_through() {
    let mut rf = RegisterFile::new(64);
    reads(&mut rf, false, Some(Launch(0, false, 3, 0, 0, 0, 0)));
    rf.rf_writes(&RfInputs::default(), &PermOp::default());
    reads(&mut rf, true, Some(Launch(0, true, 0, 0, 0, 0, 0)));
    rf.rf_writes(
        &RfInputs {
            wdata: [7, 0],
            blk_wdata: block([9; 16]),
            blk_wmask: 0b1100,
            ..RfInputs::default()
        },
        &PermOp::default(),
    );
    assert_eq!([rf.word(1), rf.word(2), rf.word(3), rf.word(4)], [9, 0, 7, 9]);
}
