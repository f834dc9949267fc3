// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comparison in a single pass: the end of the inputs, differences while inputs arrive, and maps that need the case.
//! `prepared` also compares every other test's result with that of a single pass.

use std::ops::ControlFlow;

use drra_case::{
    Case,
    stimulus::{Stimulus, StimulusEntry},
};
use drra_fabric::ports::SramInit;
use drra_lockstep::{GoldenDesign, MappedDesign, MismatchKind};
use drra_recorded::{LiveCheck, Waveform, map::MapFile, samples};

use crate::recording::{RESET, Recording, cycles, entry, flipped, found, geometry, map, vec_add};

/// The bundled program, and later loads of rows of tile (1,1): a row three times, and zeros; and of a tile that does not
/// exist.
fn late_loads() -> Case {
    let mut entries = vec_add().stimulus.entries().to_vec();
    for (cycle, row, addr, first) in
        [(40, 1, 3, 7), (60, 1, 3, 8), (80, 1, 3, 7), (100, 1, 4, 0), (120, 0, 4, 0)]
    {
        let data = [first, 0, 0, 0];
        let sram_init = Some(SramInit { row, col: 1, addr, data, valid: true });
        entries.push(StimulusEntry { cycle, sram_init, ..StimulusEntry::default() });
    }
    Case { stimulus: Stimulus::new(entries), cycles: Some(150), ..vec_add() }
}

/// The inputs are complete when every load has arrived, also a repeated one and one of zeros.
#[test]
fn late_loads_belong_to_the_run() {
    let case = late_loads();
    for (cycle, bit) in [(70, 0), (90, 1), (115, 2), (140, 3)] {
        let text = flipped(&case, "cell[0][0].seq.raccu_reg[1]", cycle, bit).text();
        let mismatch = found(&text, &map(), Some(&case)).unwrap();
        assert_eq!((mismatch.cycle, mismatch.differences().len()), (cycle, 1));
    }
    assert_eq!(found(&Recording::of(&case, &GoldenDesign, 150).text(), &map(), Some(&case)), None);
}

/// A design that stops at a difference has not received later loads, which is no fault of the stimulus. Without a
/// difference, it ends too early, even if it is idle and the case does not fix the number of cycles.
#[test]
fn a_simulation_that_ends_during_the_load() {
    let fixed = late_loads();
    let open = Case { cycles: None, ..fixed.clone() };
    for case in [&fixed, &open] {
        for cut in [5, 70] {
            let text = Recording::of(case, &GoldenDesign, cut).text();
            let mismatch = found(&text, &map(), Some(case)).unwrap();
            let MismatchKind::Ended(ended) = &mismatch.kind else { panic!("{mismatch:?}") };
            assert!(ended.goes_on_to > cut, "{cut}: {}", ended.goes_on_to);
        }
        // Neither if the waveform ends there, nor if the bench no longer drives anything.
        let mut cut = flipped(case, "cell[0][0].seq.raccu_reg[1]", 70, 0);
        let mut idle = cut.clone();
        cut.samples.truncate((RESET + 75) as usize);
        for sample in &mut idle.samples[(RESET + 75) as usize..] {
            sample.insert("en".to_owned(), "0".to_owned());
        }
        for recording in [cut, idle] {
            let mismatch = found(&recording.text(), &map(), Some(case)).unwrap();
            assert!(matches!(mismatch.kind, MismatchKind::State(_)), "{mismatch:?}");
        }
    }
}

/// Flags that arrive after a difference are not taken for wrong ones.
#[test]
fn flags_in_flight_at_a_difference() {
    let mut case = vec_add();
    case.cycles = Some(cycles(&case));
    let mut delayed = map();
    delayed.set("flag_delay", "= 3");
    for cycle in 4..12 {
        let mut recording = flipped(&case, "cell[0][0].seq.raccu_reg[1]", cycle, 0);
        recording.delay("imm", 3);
        let mismatch = found(&recording.text(), &delayed, Some(&case)).unwrap();
        assert_eq!((mismatch.cycle, mismatch.differences().len()), (cycle, 1));
    }
}

/// In a single pass without a case, the end of the load is not known in time.
#[test]
fn a_map_can_need_the_case() {
    let mut late = map();
    entry(&mut late, "cell[0][0].seq.pc", "from load_end");
    let case = vec_add();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.vcd");
    std::fs::write(&path, Recording::of(&case, &GoldenDesign, cycles(&case)).text()).unwrap();
    let file = MapFile::parse("signals.map", &late.text()).unwrap();
    let live = |given| {
        let names = Waveform::open(&path).unwrap().names().clone();
        LiveCheck::new(names, &file, given, "w", &geometry(), "test", None)
    };
    let refused = live(None).unwrap_err().to_string();
    assert!(
        refused.contains("cell[0][0].seq.pc") && refused.contains("give the case"),
        "{refused}"
    );

    // With the case, the register is compared from the end of the load on, and the run goes on as long as asked.
    let mut check = live(Some(&case)).unwrap();
    let waveform = Waveform::open(&path).unwrap();
    samples(&waveform, check.clock(), &check.wanted(), &mut |sample| {
        check.sample(sample).unwrap();
        ControlFlow::Continue(())
    })
    .unwrap();
    let checked = check.checked(None).unwrap();
    assert_eq!(checked.run(None).unwrap().outcome.mismatch, None);
    assert!(checked.design.compared().is_whole());
    assert_eq!(check.difference(), None);
}
