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
    ("smoke", "9264fb088aaa82dda629cbad9fd64fa30101a64e3fa4aa9830d53710250e1303"),
    ("default", "a4d5afd9e74075c471b4289495ab839709ac4a26e17f7788556da5ad996db91e"),
    ("agu", "222efda8436e9145b90ec223cc91851e77d8e81a04570023950712799d6e2844"),
    ("dpu", "52085156024456143cbf85e091ae6d11619e681011c3a06d9fc290ee8af46f80"),
    ("interconnect", "76f6c26c2eefdf775501469f8a67cad9c7d2eda6a3c9679261152fdd94a4298a"),
    ("dimarch", "03285bf22a05bedcda27569bea0df41bfc18cea8a896c8b2e48975f8a4a664d5"),
    ("loops", "7578d37034eb53340e9917fd17a4fba653ad070a2f67a5e7d52785ab5ecfc9c4"),
    ("chaos", "9c3bc40aa4ce1f8e33c53a2be5c9bc4bf6564e6f985398b3953bf0e1de1256a0"),
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
