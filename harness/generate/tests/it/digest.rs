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
    ("smoke", "249c1badc6ba6b36d21cf568872735939034ac286c050b57eeca6a7d337cedc1"),
    ("default", "d681be944f4421f18b40b5a1b553c7f74b1874093476b899e5f184e7115d643d"),
    ("agu", "013b456ac2d801ab46b519fffd5f0815557ac419c522f5c8184f8ee6c64e3325"),
    ("dpu", "0817dfd3d5df8bb328953d7552ef36ef5fce4bbebba9d3d22cc1349e2036172a"),
    ("interconnect", "42061588459c75abbebad3047f598a796b4fe493546284783524991e8d678a55"),
    ("dimarch", "36ed5c605760d921c4b0f3a79639ae5982827917fd9504e754e2f775ca1cb601"),
    ("loops", "d71d6fa2e0547f49bc477d7954d2b7bf757b9fa978d1793fe0bc91812c5edc91"),
    ("chaos", "1816a918f435f74d1647e2f8e49af0baa12dba50e799b0a9a6c633a5e58378a7"),
    ("io_perm", "3c310bf9e3b7c8f2dd59e0546d3b9bc15a85f4f8f04df98131b31494cc459a36"),
    ("silago-published", "48197c15459341189071cbb83f82c578113d985b1386f6dd85854c0caed45767"),
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
