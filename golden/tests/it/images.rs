// SPDX-License-Identifier: MIT OR Apache-2.0
//! Images of the registers.

use drra_case::{Buffers, IdlePorts};
use drra_fabric::{Key, Layout, Side};
use drra_generate::{Profile, generate};
use drra_golden::Fabric;
use drra_isa::{Geometry, UnitKind};

/// Every word of the images differs from 0 in some cycle of some case; a word that `pack` does not write would remain 0.
#[test]
fn every_group_is_packed() {
    let geometry = Geometry::default();
    let layout = Layout::new(&geometry);
    let mut ones: Vec<Vec<u64>> =
        UnitKind::ALL.iter().map(|kind| vec![0; layout.words(*kind)]).collect();
    for (name, seed) in ["default", "chaos", "dimarch", "dpu", "io_perm"]
        .iter()
        .flat_map(|name| (0..16).map(move |k| (name, k)))
    {
        let mut case = generate(&Profile::shipped(name).unwrap(), seed, &geometry).case;
        case.idle_ports = IdlePorts::Random;
        let mut fabric = Fabric::new(geometry, case.straps());
        let (mut player, mut buffers) = (case.player(), Buffers::new(&case));
        for _ in 0..case.cycles.unwrap() {
            fabric.step(&player.next(buffers.answers()));
            buffers.step([], []);
            fabric.pack();
            for unit in layout.units() {
                let ones = ones[unit.kind() as usize].iter_mut();
                ones.zip(fabric.image(unit)).for_each(|(ones, word)| *ones |= word);
            }
        }
    }
    for variable in layout.variables() {
        let words = variable.words(&ones[variable.unit as usize]);
        // The north side never receives a message (chapter 6, section 5).
        let is_used = variable.key != Key::Side(Side::N);
        assert!(
            !is_used || words.iter().all(|word| *word != 0),
            "{} {:?}",
            variable.group,
            variable.key
        );
    }
}
