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
    ("smoke", "f7fd6425d3b45daa76979ed751a6699a8f7ac80528eaad6345542fb6cad90bf9"),
    ("default", "060a2bc7207b9aa094a24ffe8a7205ca25c5fb217a3241fafe5be6153b2a11b8"),
    ("agu", "42a36e2a6d75eb9c71d37248c3c67afe45d62f3b99f152b73cddcb6b6f62d43c"),
    ("dpu", "42d2be269c15496dfe0c345faacbd21f36dd1fa5f8ee7431ff6c52177db92022"),
    ("interconnect", "76f6c26c2eefdf775501469f8a67cad9c7d2eda6a3c9679261152fdd94a4298a"),
    ("dimarch", "4158f7c89c614c573d6d87cc02d384b8f801171de470b785638fdbb0581297d6"),
    ("loops", "7578d37034eb53340e9917fd17a4fba653ad070a2f67a5e7d52785ab5ecfc9c4"),
    ("chaos", "39c7c03f66c112cbf1b41a2b94b133521cf5880f03bc9742b6f09cbc55fbc575"),
    ("io_perm", "85e82b4907a9735074a97e971ea587f5cdaaabef41c16a247bce3e266d01baae"),
    ("silago-published", "14164e378f5421785e89ac4bcf1da2540508374da3f4badc7ba6fa1dca0195d7"),
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
