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
    ("smoke", "4a8c6e02839bc617da0f66176787dfe2fd32d648ab8b507a12877b4910a9bc60"),
    ("default", "0b699c58b607ffb6f385d70f0cd082108bcfbc8083ebf6dcefbfd53394a4ae3b"),
    ("agu", "0d170460eb955021b29fb2c58f3098246b10c86fbf097b4a410c646e51434100"),
    ("dpu", "c0a479624e155d69afc4685f7971c275b6d9f37e4991e19626efec9d4fe74b3b"),
    ("interconnect", "76f6c26c2eefdf775501469f8a67cad9c7d2eda6a3c9679261152fdd94a4298a"),
    ("dimarch", "060f0d0ce80e87b35cb67374e6d0f80cbc788a19aa9c6f55691bd3c196a18452"),
    ("loops", "4089f090c96544656feb9c99bdf7caf19f4933bf3c757e8f3a964ae5073c8ef8"),
    ("chaos", "ece211c251eb1598fe36349b84e3d7f47fc9dfe8b8ba763ee00d5bd7cd56d841"),
    ("io_perm", "e742957d334f97d474a6918a9ce525506127b562e62a7139d934177ed232ebdc"),
    ("silago-published", "8d87a5ddedc0963f828a657b895ad280bc27777bfb86d6d7c73513161c9ba266"),
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
