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
    ("smoke", "04530b2d729b2749efa7db253d515863b7db744b73d4e79930ea9ab9338e5277"),
    ("default", "5a802229bd54090b3aac9a137f52cc747ac25513ec3281fbd533b2949c88172d"),
    ("agu", "01bec6fb792eb6495223db8cf948d9271b0af9fbb43b4c6621fbca06aec9235e"),
    ("dpu", "82bc887511a7a4894e4a888a36c4c075352bf86f86c0b6a450e745c64948fcbd"),
    ("interconnect", "209ae4a5fc1358c89bc5b25c7edb2fa69ba668cabf388de8662da4888198edd7"),
    ("dimarch", "1391e1d6f50755e356628e49c7a4d24b260ad1c6b48e1785a984c6d45048f774"),
    ("loops", "2e5d424a08a84efd26d002987c77dae55fd933338ceea8876691a7b3a30d7664"),
    ("chaos", "4ec64c1d906308cca24ac05652e9c2730ab409d721e6dbcfb020368924e07f61"),
    ("io_perm", "f0c88d8746a54b266b24a3ce1a685a16cfd88ed75638b5a19c7f5fb11753f55a"),
    ("silago-published", "e5054003a2478085d10a53a7a581a679f12fe39d013dfbc865298d233dfa13aa"),
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
