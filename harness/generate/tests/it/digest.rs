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
    ("smoke", "9cd3c104a94a36e45de0aac1fb1ce163ca01edd5bb28c5e014da3fd93d304dfd"),
    ("default", "38a9ccbc2d7c007f9aff693e930093c94f79647c1d29b92ca297301712f9116c"),
    ("agu", "bb1d988e1b2ebd03a25125d48d35b14ae29ed9c33596022e2fd742546f073455"),
    ("dpu", "274055d1d4e46ef93f6e3ecbbf3d7be86fd3910fbc7a50463c888fbbb6bab72c"),
    ("interconnect", "3d9b2411ab2bfc75d04504c2366178dd94dff5b00353eb12d8285e21e0c9cdda"),
    ("dimarch", "8a6c38ff53a5f2bb7eecc7d639f46bd6c06d7362c7273a56d46f47cfd9173143"),
    ("loops", "617b2026bf08cd411be48e3203ea24ca96c35649ebe9af5cf3bf9f109a77acfa"),
    ("chaos", "59c8ada1975e0ba82f54a64280e62b266d454a1e6041786fd8e69bf20585aa31"),
    ("io_perm", "5e5a6bdf4796cecb7b7f1090c092cbd62d3833504cf19a9886d0407f89776bed"),
    ("silago-published", "57ceff81ae268d18e54936e6c540d8192cd883244180426e34db6a1b39d779db"),
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
