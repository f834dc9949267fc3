// SPDX-License-Identifier: MIT OR Apache-2.0
//! The data of generated cases really move.

use drra_campaign::Achieved;
use drra_campaign::achieved;
use drra_generate::Profile;
use drra_generate::generate;

use crate::setup;

/// Of the movements that the scenarios intend, at least four fifths move data that are not all 0
/// and not all the same; a little more in cases without mutations and noise.
#[test]
fn data_really_move() {
    for (name, share) in [("default", 0.80), ("smoke", 0.85)] {
        let profile = Profile::shipped(name).unwrap();
        let mut all = Achieved::default();
        for seed in 0..300 {
            all.add(&achieved(&generate(&profile, seed, setup().geometry), setup().geometry));
        }
        for (what, [intended, moved]) in [
            ("transfers", all.transfers),
            ("results", all.results),
            ("write-backs", all.write_backs),
        ] {
            assert!(intended > 100, "{name}: {intended} {what}");
            let reached = moved as f64 / intended as f64;
            println!("{name} {what}: {moved} of {intended}");
            assert!(reached >= share, "{name}: {moved} of {intended} {what}");
        }
    }
}
