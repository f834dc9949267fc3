// SPDX-License-Identifier: MIT OR Apache-2.0
//! PERM on a block (chapter 7, examples 1 and 2).

use drra_golden::units::permute;

#[test]
fn examples_1_and_2() {
    let old: [u16; 16] = std::array::from_fn(|i| 100 + i as u16);
    let join = |a: &[u16], b: &[u16]| -> Vec<u16> { [a, b].concat() };
    let up = |from: u16, to: u16| -> Vec<u16> { (from..=to).collect() };
    let check = |mode, distance, expected: Vec<u16>| {
        assert_eq!(permute(&old, mode, distance).unwrap().to_vec(), expected, "{mode} {distance}");
    };
    check(0, 3, join(&[0; 3], &up(100, 112)));
    check(1, 3, join(&up(103, 115), &[0; 3]));
    check(2, 3, join(&[100; 3], &up(100, 112)));
    check(3, 3, join(&up(103, 115), &[115; 3]));
    check(4, 3, join(&up(113, 115), &up(100, 112)));
    check(5, 3, join(&up(103, 115), &up(100, 102)));
    check(0, 16, vec![0; 16]);
    check(2, 40000, vec![100; 16]);
    check(3, 17, vec![115; 16]);
    assert_eq!(permute(&old, 4, 19), permute(&old, 4, 3));
    check(5, 65535, join(&[115], &up(100, 114)));
    for mode in 0..6 {
        assert_eq!(permute(&old, mode, 0), Some(old), "mode {mode}, distance 0");
    }
    assert_eq!((permute(&old, 6, 1), permute(&old, 7, 1)), (None, None));
}
