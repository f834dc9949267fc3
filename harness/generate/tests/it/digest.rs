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
    ("smoke", "0d713c42da027d03dc517d9ecfea903e62f518e94a26577a28c61f17cbb6acd0"),
    ("default", "ce62162e4967e092afe8e1f4da0328352bef8680e83611ce3ed1996044bea381"),
    ("agu", "222efda8436e9145b90ec223cc91851e77d8e81a04570023950712799d6e2844"),
    ("dpu", "42d2be269c15496dfe0c345faacbd21f36dd1fa5f8ee7431ff6c52177db92022"),
    ("interconnect", "76f6c26c2eefdf775501469f8a67cad9c7d2eda6a3c9679261152fdd94a4298a"),
    ("dimarch", "03285bf22a05bedcda27569bea0df41bfc18cea8a896c8b2e48975f8a4a664d5"),
    ("loops", "7578d37034eb53340e9917fd17a4fba653ad070a2f67a5e7d52785ab5ecfc9c4"),
    ("chaos", "aac6d2791ae16912ba5f6b28a4265602fc539295e8e7a9a88987b4789aadccd7"),
    ("io_perm", "29765c94e4a698982bdeca093fd70299409e00768570b20e8eb2b3e5771e905b"),
    ("silago-published", "c3f9a2c282680edceb2f523037eb820611c9b1e6d5ae61e1eb98c953f73ba419"),
];

fn digest(cases: impl Iterator<Item = Case>) -> String {
    let mut hash = Sha256::new();
    for case in cases {
        hash.update(to_json(&case, &Geometry::default()));
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
