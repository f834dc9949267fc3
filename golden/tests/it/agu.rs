// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address generators alone (chapter 3, sections 6, 9 and 11).

use drra_fabric::images::AguCfg;
use drra_golden::units::Agu;

/// Fields in the order init_addr, l1_iter, init_delay, l1_step, sign, l1_delay, l2_iter, l2_step,
/// l2_delay.
fn cfg(f: [u8; 9]) -> AguCfg {
    AguCfg {
        init_addr: f[0],
        l1_iter: f[1],
        init_delay: f[2],
        l1_step: f[3],
        l1_step_sign: f[4] == 1,
        l1_delay: f[5],
        l2_iter: f[6],
        l2_step: f[7],
        l2_delay: f[8],
    }
}

/// Executes one cycle; returns the address emitted in it.
fn step(agu: &mut Agu, launch: Option<&AguCfg>) -> Option<u8> {
    agu.agu_cycle(launch).0.emitted
}

/// Launches configurations in given cycles and checks all pairs (cycle, address); `states` are
/// expected state numbers in some cycles.
#[track_caller]
fn check(
    bits: u32,
    launches: &[(usize, [u8; 9])],
    addresses: &[(usize, u8)],
    states: &[(usize, u64)],
) {
    let mut agu = Agu::new(bits);
    let mut found = Vec::new();
    for cycle in 0..200 {
        if let Some((_, state)) = states.iter().find(|(c, _)| *c == cycle) {
            let shift = 30 + 2 * bits;
            assert_eq!(agu.state_word() >> shift, *state, "state in cycle {cycle}");
        }
        let launch = launches.iter().find(|(c, _)| *c == cycle).map(|(_, f)| cfg(*f));
        if let Some(a) = step(&mut agu, launch.as_ref()) {
            found.push((cycle, a));
        }
    }
    assert_eq!(found, addresses);
}

#[test]
fn examples_2_to_11() {
    // 2
    check(
        6,
        &[(0, [60, 2, 0, 3, 0, 0, 1, 7, 0])],
        &[(0, 60), (1, 63), (2, 2), (3, 3), (4, 6), (5, 9)],
        &[(3, 4), (6, 0)],
    );
    // 3
    check(6, &[(0, [9, 0, 0, 0, 0, 0, 3, 60, 0])], &[(0, 9), (1, 5), (2, 1), (3, 61)], &[]);
    check(6, &[(0, [9, 0, 0, 0, 0, 0, 2, 60, 2])], &[(0, 9), (3, 5), (6, 1)], &[(1, 3)]);
    // 4: the extra cycle
    check(6, &[(0, [7, 0, 0, 0, 0, 2, 2, 5, 0])], &[(0, 7), (2, 12), (3, 17)], &[(4, 0)]);
    check(6, &[(0, [7, 0, 0, 0, 0, 2, 2, 5, 1])], &[(0, 7), (3, 12), (5, 17)], &[]);
    check(6, &[(0, [7, 0, 0, 0, 0, 2, 0, 5, 0])], &[(0, 7)], &[(1, 2), (2, 0)]);
    // 5: block addresses
    check(
        2,
        &[(0, [3, 3, 1, 1, 0, 0, 1, 5, 1])],
        &[(1, 3), (2, 0), (3, 1), (4, 2), (6, 0), (7, 1), (8, 2), (9, 3)],
        &[],
    );
    // 6 and 9.2
    check(
        6,
        &[(0, [3, 2, 2, 2, 1, 1, 1, 10, 3])],
        &[(2, 3), (4, 1), (6, 63), (10, 13), (12, 11), (14, 9)],
        &[(0, 0), (1, 1), (2, 2), (7, 3), (8, 3), (9, 3), (10, 4), (11, 2), (14, 2), (15, 0)],
    );
    // 7 and 9.3
    check(
        6,
        &[(0, [0, 7, 0, 1, 0, 0, 0, 0, 0]), (2, [40, 5, 9, 4, 0, 0, 0, 0, 0])],
        &[(0, 0), (1, 1), (2, 2), (3, 3), (4, 7), (5, 11)],
        &[(6, 0)],
    );
    // 8: a launch in the last cycle is lost
    check(
        6,
        &[
            (0, [10, 2, 0, 1, 0, 0, 0, 0, 0]),
            (2, [40, 1, 0, 1, 0, 0, 0, 0, 0]),
            (5, [50, 0, 0, 0, 0, 0, 0, 0, 0]),
        ],
        &[(0, 10), (1, 11), (2, 12), (5, 50)],
        &[],
    );
    // 9: a new limit that has already been passed
    let addresses: Vec<(usize, u8)> = (0..66).map(|c| (c, (c % 64) as u8)).collect();
    check(
        6,
        &[(0, [0, 7, 0, 1, 0, 0, 0, 0, 0]), (4, [40, 1, 0, 1, 0, 0, 0, 0, 0])],
        &addresses,
        &[(66, 0)],
    );
    // 10: re-configuration in ROW_WAIT
    check(
        6,
        &[(0, [0, 1, 0, 1, 0, 0, 2, 8, 3]), (3, [33, 1, 0, 2, 0, 0, 2, 16, 1])],
        &[(0, 0), (1, 1), (67, 8), (68, 10), (70, 24), (71, 26)],
        &[],
    );
    // 11: re-configuration in INIT_WAIT
    check(
        6,
        &[(0, [5, 0, 6, 0, 0, 0, 0, 0, 0]), (2, [33, 0, 4, 0, 0, 0, 0, 0, 0])],
        &[(4, 33)],
        &[],
    );
}

/// Registers of 9.2: init_cnt, l1_dly_cnt, l2_dly_cnt, l1_cnt, l2_cnt, row_base, and addr_reg.
#[test]
fn worked_trace_9_2() {
    const ROWS: [[u64; 7]; 17] = [
        [0, 0, 0, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 3],
        [0, 1, 0, 0, 0, 0, 3],
        [0, 0, 0, 1, 0, 0, 1],
        [0, 1, 0, 1, 0, 0, 1],
        [0, 0, 0, 2, 0, 0, 63],
        [0, 0, 0, 0, 1, 13, 63],
        [0, 0, 1, 0, 1, 13, 63],
        [0, 0, 2, 0, 1, 13, 63],
        [0, 0, 0, 0, 1, 13, 63],
        [0, 1, 0, 0, 1, 13, 13],
        [0, 0, 0, 1, 1, 13, 11],
        [0, 1, 0, 1, 1, 13, 11],
        [0, 0, 0, 2, 1, 13, 9],
        [0, 0, 0, 0, 0, 13, 7],
        [0, 0, 0, 0, 0, 13, 0],
    ];
    let mut agu = Agu::new(6);
    let c = cfg([3, 2, 2, 2, 1, 1, 1, 10, 3]);
    for (cycle, row) in ROWS.iter().enumerate() {
        let word = agu.state_word();
        let found: Vec<u64> = (0..7).map(|i| word >> (36 - 6 * i) & 63).collect();
        assert_eq!(found, row, "cycle {cycle}");
        assert_eq!(agu.pattern_word() != 0, (1..15).contains(&cycle), "p in cycle {cycle}");
        step(&mut agu, (cycle == 0).then_some(&c));
    }
}

/// The formula of 6.4 for all 1024 small combinations.
#[test]
fn closed_formula() {
    for n in 0..1024u32 {
        let f = |i: u32| (n >> (2 * i) & 3) as u8;
        let (d, l1, d1, l2, d2) = (f(0), f(1), f(2), f(3), f(4));
        let row = usize::from(l1) * (1 + usize::from(d1)) + 1 + usize::from(d2);
        let extra = usize::from(d == 0 && l1 == 0 && d1 > 0);
        let mut expected = Vec::new();
        for j in 0..=usize::from(l2) {
            for i in 0..=usize::from(l1) {
                let t = usize::from(d) + j * row + i * (1 + usize::from(d1));
                let address = (10 + 7 * j + 3 * i) % 64;
                expected.push((t + if j > 0 { extra } else { 0 }, address as u8));
            }
        }
        check(6, &[(0, [10, l1, d, 3, 0, d1, l2, 7, d2])], &expected, &[]);
    }
}
