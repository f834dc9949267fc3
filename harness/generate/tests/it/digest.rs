// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same seeds give the same cases on every platform and in every version: SHA-256 over the
//! case files of each shipped profile, one after the other with a newline after each.
//!
//! A digest changes only with the generator, a profile or the form of a case file. After a change
//! of one of the first two, seeds noted earlier name other cases.

use drra_case::Case;
use drra_case::to_json;
use drra_generate::Profile;
use drra_generate::SHIPPED;
use drra_generate::generate;
use drra_isa::Geometry;
use sha2::Digest;
use sha2::Sha256;

/// Cases of a profile that are pinned.
const CASES: u64 = 1000;

/// Digest of the cases with the generator seeds 0 to 999.
const GENERATED: [(&str, &str); 10] = [
    ("smoke", "2bd9f7c437c263b0c8d073391e8e3c809d8866609fd3defd3ee0c96cbc627ae4"),
    ("default", "b4aefda990992c2a07d3a8dfe8cde5c41d17abd4f6f3ea16e78f8dac13568f21"),
    ("agu", "220941ac0dfae01abc96a3a47a94f034ae368100df76d8c391b3c53f00eb0bb6"),
    ("dpu", "406a77b2f1f38db9bad14313f028d33fac9622e1a8e7361fdb0cd58ef4a51750"),
    ("interconnect", "76f6c26c2eefdf775501469f8a67cad9c7d2eda6a3c9679261152fdd94a4298a"),
    ("dimarch", "060f0d0ce80e87b35cb67374e6d0f80cbc788a19aa9c6f55691bd3c196a18452"),
    ("loops", "7578d37034eb53340e9917fd17a4fba653ad070a2f67a5e7d52785ab5ecfc9c4"),
    ("chaos", "72bc20867737caec1b67ecfad69a0f5445ac5295cc838981c6b6b2668f07aa25"),
    ("io_perm", "e742957d334f97d474a6918a9ce525506127b562e62a7139d934177ed232ebdc"),
    ("silago-published", "154e0cdbb7d4389320d10b3e55250280f2deca517d34bbd1ea2ed11a6c67f3c3"),
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
