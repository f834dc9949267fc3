// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same seeds give the same cases on every platform and in every version: SHA-256 over the
//! case files of each shipped profile, one after the other with a newline after each.
//!
//! A digest changes only with the generator, a profile or the form of a case file. After a change
//! of one of the first two, seeds noted earlier name other cases.

use drra_case::{Case, to_json};
use drra_generate::{Profile, SHIPPED, generate};
use drra_isa::Geometry;
use sha2::{Digest, Sha256};

/// Cases of a profile that are pinned.
const CASES: u64 = 1000;

/// Digest of the cases with the generator seeds 0 to 999.
const GENERATED: [(&str, &str); 10] = [
    ("smoke", "4910fa8c9f0d9c69d1fdf01cd2e1d0f04953f0845b1aa63e217d9e9616868d1e"),
    ("default", "5b01e0bb1dc11c6a28fc7355cf0ae9e75c65d5ba1782ff43b43089b24aa926cf"),
    ("agu", "13cb39b42d4d05e2d9911e1240a1e766e47de7fab025b37c9677ce0bf7615b85"),
    ("dpu", "eed8855d914e998a6654250d5c406c4965c996cd33f108b1e81eb32ecbee100e"),
    ("interconnect", "42b18dd8d36e791abb1677826d9d8dcc4fcbd26a318c73d8f53a6b41fb0922de"),
    ("dimarch", "780739fd9e71b8929777bc4583fd76d3c800695f3b3c7e8359f3477c3eefe394"),
    ("loops", "958bb341b23721007dd350b8aaab3d0a9090310239a581192c7a1b1e7b3249ea"),
    ("chaos", "b974d4bff2a79faa3d7859544ffac1e50b820a26026a391281c388a59944cbf4"),
    ("io_perm", "fe6bcf962d0243bba243679b90567610514689b6894f0f71cc551b5e0f445ae2"),
    ("silago-published", "564b71a0812e18311b00dc85400fc0499a970519dfeb75df5c392d589a12aef0"),
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
    assert_eq!(found, GENERATED, "cases differ from those that were pinned");
}
