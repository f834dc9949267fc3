// SPDX-License-Identifier: MIT OR Apache-2.0
//! Damaged copies of waveforms: an error or a result, never a panic.

use std::fs;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::{Folder, VCD, counter_fst, fixture, play};

/// Damaged copies of each waveform.
const COPIES: u64 = 100;

/// A copy with 1 to 5 changed bytes, or cut, or with a block that is there twice.
fn damaged(bytes: &[u8], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    match random.random_range(0..4) {
        0 => copy.truncate(random.random_range(0..bytes.len())),
        1 => {
            let from = random.random_range(0..bytes.len());
            let to = random.random_range(from..bytes.len());
            copy.splice(from..from, bytes[from..to].iter().copied());
        }
        _ => {
            for _ in 0..random.random_range(1..=5) {
                let place = random.random_range(0..bytes.len());
                copy[place] = random.random();
            }
        }
    }
    copy
}

#[test]
fn no_damage_is_a_panic() {
    let folder = Folder::new();
    let fst = folder.path().join("fst");
    counter_fst(&fst, 40);
    let originals = [
        VCD.as_bytes().to_vec(),
        fs::read(&fst).unwrap(),
        fs::read(fixture("small.fst")).unwrap(),
        fs::read(fixture("small.ghw")).unwrap(),
    ];
    for (number, bytes) in originals.iter().enumerate() {
        let mut random = ChaCha8Rng::seed_from_u64(number as u64);
        let mut refused = 0;
        for _ in 0..COPIES {
            let path = folder.write(damaged(bytes, &mut random));
            if let Err(error) = play(&path) {
                assert!(error.to_string().contains("waveform"), "{error}");
                refused += 1;
            }
        }
        assert!(
            refused > COPIES / 10,
            "only {refused} of the copies of waveform {number} were refused"
        );
    }
}
