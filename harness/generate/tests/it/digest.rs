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
    ("smoke", "10def18510ef9630e3fe888704f566cb3f2e96c5dabd22dd98bb9b49a8b6fe67"),
    ("default", "4a2d818dc3c4c1f1e345f5e1b9b5472f5b4ceb8b2b35b4e3a0c2861cbe665e2c"),
    ("agu", "13cb39b42d4d05e2d9911e1240a1e766e47de7fab025b37c9677ce0bf7615b85"),
    ("dpu", "830287a44a4bdb146c185bd6d62b2d2f0ccf1c85a7200808a360e31c1f475b94"),
    ("interconnect", "42b18dd8d36e791abb1677826d9d8dcc4fcbd26a318c73d8f53a6b41fb0922de"),
    ("dimarch", "780739fd9e71b8929777bc4583fd76d3c800695f3b3c7e8359f3477c3eefe394"),
    ("loops", "958bb341b23721007dd350b8aaab3d0a9090310239a581192c7a1b1e7b3249ea"),
    ("chaos", "c83c9dd0dba98715c93efe4843526b4e5c4a533c92a6a15c7d0d632f50e2e3eb"),
    ("io_perm", "fe6bcf962d0243bba243679b90567610514689b6894f0f71cc551b5e0f445ae2"),
    ("silago-published", "1da033f8fd0ec9f3310285a8cc7ce431b73ceca792af964a3deb32797ee8da61"),
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
