// SPDX-License-Identifier: MIT OR Apache-2.0
//! PERM (chapter 7, part B).

/// Words of a block after PERM, or `None` for the reserved modes 6 and 7, which write nothing.
pub fn permute(old: &[u16; 16], mode: u8, distance: u16) -> Option<[u16; 16]> {
    let shift = i32::from(distance.min(16));
    let turn = i32::from(distance % 16);
    // Index of the old word that moves to place i; left means towards the higher index.
    let source = |i: usize| {
        let i = i as i32;
        match mode {
            0 | 2 => i - shift,
            1 | 3 => i + shift,
            4 => (i - turn).rem_euclid(16),
            _ => (i + turn).rem_euclid(16),
        }
    };
    let pick = |i: usize| match (source(i), mode) {
        (j @ 0..=15, _) => old[j as usize],
        (_, 0 | 1) => 0,
        (j, _) => old[j.clamp(0, 15) as usize],
    };
    (mode <= 5).then(|| std::array::from_fn(pick))
}
