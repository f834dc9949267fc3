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
    ("smoke", "5f0485064fa2bd313be84e58cd22bdcb27b41f6a7017c7db6d1836beeba84aa7"),
    ("default", "c3d8854ee56265eceaa05efc103dfd0847a33f592cd543cbbd4b8acb3897519e"),
    ("agu", "38821665a01b745a6f38c076c028eba76a901dfe3417b0713548561b67969fc8"),
    ("dpu", "24cafd2177952663126ede58c0519d905061a29ad58c71ae6de96123b20d30a9"),
    ("interconnect", "3edc2186e827abd94e5f08cb9657547fad41c7eab2d337b6fbf959df03182c83"),
    ("dimarch", "584a2949994b25eda8e0495e3a64580ef64ba1a83283a59a97dc0c9dde3a1740"),
    ("loops", "6b6cf7c9dc985b18905a36fb74d2a0a85753a9d4c55c594e4398f45127ed1e73"),
    ("chaos", "7f6252219081e743eff8b5a045d88962097d0308720b035ac9f78b478fc82834"),
    ("io_perm", "04162ed7bef7bb109064a402cf3f83a28360861a2616aecac9d923a5825262c7"),
    ("silago-published", "9c07246f972deb8c7fc0fb2650ac65b9b419c949121eda4427d82706a88bbd83"),
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
