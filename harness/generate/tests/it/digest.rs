// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same seeds yield the same cases on every platform: SHA-256 over the case files of each shipped profile, one
//! after the other with a newline after each.
//!
//! A digest changes only with the generator, a profile or the form of a case file. After a change of the generator or a
//! profile, seeds noted earlier yield other cases.

use drra_case::{Case, to_json};
use drra_generate::{Profile, SHIPPED, generate};
use drra_isa::Geometry;
use sha2::{Digest, Sha256};

/// Number of cases of each profile that are pinned.
const CASES: u64 = 1000;

/// Digest of the cases with the generator seeds 0 to 999.
const GENERATED: [(&str, &str); 10] = [
    ("smoke", "ae03b045c8af8ec58d137906dc7b3a647006d716a5cfe83ac99606305fda5ccd"),
    ("default", "f22e12ab063a22b88772dc75b1314b5bc4a869d95ef9389c613b50f755c8f207"),
    ("agu", "1ebbeaab9af50912d16eff86694c91fd916606fa3db085f15560bd8d2dfed9af"),
    ("dpu", "e4eaa9a5f22a239f2086f0e86dc60ede2dd7def82f184dd77f6768c149437483"),
    ("interconnect", "ab8cdb9bc35aed0e9485c37a41cf3bfa6150641c7feebf64583ae79d2bdead90"),
    ("dimarch", "63f04cc2a2de482804c665ef09c00a1dc30b912db8abda6bc5a606e6ad10de85"),
    ("loops", "6be200c570ee9c0e505492e4e279416b0b949087847f2207d5053aa413268560"),
    ("chaos", "8f6655034820eb19e029f85f1f7200071f6ec4c39bf1c7e4be78a6d555df7abf"),
    ("io_perm", "6136c879bc74a7fc79f5cf456bdf0ed66b3f4f6e6e7a5e9b45e31955d7f8be68"),
    ("silago-published", "caf56c88809f379996a0f2d8a0783fd3f5800a99ebd8e5c04809fdf39a10671b"),
];

fn digest(cases: impl Iterator<Item = Case>) -> String {
    let mut hash = Sha256::new();
    for case in cases {
        hash.update(to_json(&case));
        hash.update("\n");
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn seeds_give_the_pinned_cases() {
    let geometry = Geometry::default();
    let digest_of = |name: &str| {
        let profile = Profile::shipped(name).unwrap();
        digest((0..CASES).map(|seed| generate(&profile, seed, &geometry).case))
    };
    let found: Vec<(&str, String)> = std::thread::scope(|scope| {
        let running: Vec<_> =
            SHIPPED.iter().map(|(name, _)| (*name, scope.spawn(|| digest_of(name)))).collect();
        running.into_iter().map(|(name, thread)| (name, thread.join().unwrap())).collect()
    });
    let found: Vec<(&str, &str)> = found.iter().map(|(name, hash)| (*name, &**hash)).collect();
    assert_eq!(found, GENERATED, "cases differ from the pinned ones");
}
