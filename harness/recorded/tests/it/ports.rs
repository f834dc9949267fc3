// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ports of a recorded design: delayed flags, answers of input buffers, and outputs.

use drra_case::{
    Case, IdlePorts,
    load::{ProgramInputs, load},
    stimulus::Stimulus,
};
use drra_fabric::PortId;
use drra_lockstep::{DrivenInput, GoldenDesign, MismatchKind};
use drra_recorded::RecordedError;
use drra_report::{Colouring, Report};

use crate::recording::{
    Map, RESET, Recording, cycles, found, geometry, map, prepared, recorded, report, vec_add,
};

/// A flag that is broadcast to all cells arrives r+c cycles after the word for cell (r,c) was driven.
#[test]
fn flags_come_later() {
    let mut entries = vec_add().stimulus.entries().to_vec();
    for word in entries.iter_mut().filter_map(|entry| entry.prog.as_mut()) {
        (word.row_sel, word.col_sel) = (2, 2);
    }
    let case = Case { stimulus: Stimulus::new(entries), ..vec_add() };
    let mut recording = Recording::of(&case, &GoldenDesign, cycles(&case));
    recording.delay("imm", 2);
    let mut delayed = map();
    delayed.set("flag_delay", "= r+c");
    let check = prepared(&recording.text(), &delayed, None).unwrap();
    assert_eq!(check.run(None).unwrap().outcome.mismatch, None);
    assert_eq!(check.case.stimulus, case.stimulus);
    assert!(found(&recording.text(), &map(), None).is_some(), "flags with their words agree");
}

/// A generated case with input buffers, for the fabric of these tests.
fn with_buffers() -> Case {
    let text = include_str!("../../../../tests/exported/buffers.json");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case.json");
    let size = format!("\"sram_blocks\": {}", geometry().sram_blocks);
    std::fs::write(&path, text.replace("\"sram_blocks\": 128", &size)).unwrap();
    load(&path, &ProgramInputs::default(), &geometry()).unwrap().case
}

fn map_with_buffers() -> Map {
    let mut map = map();
    map.set("port io_cell", "= bench.strap_{r}_{c}");
    map.set("port io_in_data", "= bench.answer_{c}");
    map
}

/// The contents of the input buffers are the answers that the design received.
#[test]
fn answers_of_input_buffers() {
    let case = with_buffers();
    let mut recording = Recording::of(&case, &GoldenDesign, cycles(&case));
    let check = prepared(&recording.text(), &map_with_buffers(), None).unwrap();
    assert_eq!(check.run(None).unwrap().outcome.mismatch, None);
    assert_eq!(check.case.io_cells, case.io_cells);
    assert!(!check.case.input_buffers.is_empty());
    for (column, address, block) in &check.case.input_buffers {
        let ours = case.input_buffers.iter().find(|(c, a, _)| (c, a) == (column, address));
        assert_eq!(*block, ours.map_or([0; 4], |(.., block)| *block));
    }
    // With this change, the waveform shows an answer that differs from the data that the design received.
    let (_, answer) = first_answer(&mut recording);
    *answer = inverted(answer);
    match prepared(&recording.text(), &map_with_buffers(), None).unwrap().run(None) {
        Ok(ran) => assert!(ran.outcome.mismatch.is_some()),
        Err(RecordedError::Unusable(e)) => assert!(e.contains("different data"), "{e}"),
        Err(e) => panic!("{e}"),
    }
}

/// The first answer to a request of column 1, and its cycle.
fn first_answer(recording: &mut Recording) -> (u64, &mut String) {
    let asked = recording.samples.iter().position(|sample| sample["asks_1"] == "1").unwrap();
    let answer = recording.samples[asked + 1].get_mut("answer_1").unwrap();
    (asked as u64 + 1 - RESET, answer)
}

fn inverted(bits: &str) -> String {
    bits.chars().map(|bit| if bit == '1' { '0' } else { '1' }).collect()
}

/// A wrong answer is a finding about the inputs of the design, unless the design differs earlier, because then it may
/// have made a different request.
#[test]
fn a_wrong_answer_counts_until_the_design_differs() {
    let case = with_buffers();
    let recording = || Recording::of(&case, &GoldenDesign, cycles(&case));
    let run = |recording: &Recording, given: bool| {
        let given = given.then_some(&case);
        prepared(&recording.text(), &map_with_buffers(), given).unwrap().run(None)
    };
    let mut other = recording();
    let (cycle, answer) = first_answer(&mut other);
    *answer = inverted(answer);
    let mismatch = run(&other, true).unwrap().outcome.mismatch.unwrap();
    assert_eq!(mismatch.cycle, cycle);
    let MismatchKind::Stimulus(wrong) = &mismatch.kind else { panic!("{mismatch:?}") };
    assert!(
        matches!(wrong.driven, DrivenInput::Buffer { column, .. } if column.col() == 1),
        "{wrong:?}"
    );

    let mut unknown = recording();
    let (_, answer) = first_answer(&mut unknown);
    *answer = "x".repeat(answer.len());
    for given in [false, true] {
        let refused = run(&unknown, given).unwrap_err().to_string();
        assert!(refused.contains("`io_in_data`") && refused.contains("unknown bits"), "{refused}");
    }

    for mut wrong in [other, unknown] {
        let pc = wrong.value("cell[0][0].seq.pc", cycle);
        *pc = inverted(pc);
        for given in [false, true] {
            let mismatch = run(&wrong, given).unwrap().outcome.mismatch.unwrap();
            assert!(matches!(mismatch.kind, MismatchKind::State(_)), "{mismatch:?}");
            assert_eq!((mismatch.cycle, mismatch.differences().len()), (cycle, 1));
        }
    }
}

/// Outputs that are in the map are compared and counted.
#[test]
fn output_ports() {
    let mut map = map();
    map.set("output all_idle", "= bench.idle");
    map.set("output agu_busy", "= bench.busy");
    let mut recording = recorded(&vec_add());
    let check = prepared(&recording.text(), &map, None).unwrap();
    assert_eq!(check.run(None).unwrap().outcome.mismatch, None);
    assert_eq!(check.setup().design.mapped().unwrap().compared().ports, 2);
    let busy = recording.samples.iter().position(|sample| sample["busy"] == "1").unwrap();
    recording.samples[busy].insert("busy".to_owned(), "0".to_owned());
    let mismatch = found(&recording.text(), &map, None).unwrap();
    let MismatchKind::Port(ports) = mismatch.kind else { panic!("{mismatch:?}") };
    assert_eq!(ports[0].port, PortId::AguBusy);
    // An unknown port is a separate finding; a port that differs in known bits comes first.
    recording.samples[busy].insert("busy".to_owned(), "x".to_owned());
    let check = prepared(&recording.text(), &map, None).unwrap();
    let (signature, unknown) = report(&check);
    assert_eq!(signature, "unknown port agu_busy");
    let text = unknown.text(Colouring::Plain);
    assert!(text.contains("output port agu_busy is unknown"), "{text}");
    assert_eq!(Report::parse(&unknown.to_json()).unwrap(), unknown);
    let idle =
        recording.samples[busy]["idle"].replace('1', "y").replace('0', "1").replace('y', "0");
    recording.samples[busy].insert("idle".to_owned(), idle);
    let mismatch = found(&recording.text(), &map, None).unwrap();
    let MismatchKind::Port(ports) = mismatch.kind else { panic!("{mismatch:?}") };
    let order: Vec<PortId> = ports.iter().map(|p| p.port).collect();
    assert_eq!(order, [PortId::AllIdle, PortId::AguBusy]);
    recording.samples[busy].insert("busy".to_owned(), "0".to_owned());
    assert_eq!(found(&recording.text(), &crate::recording::map(), None), None);
}

/// Addresses for the input buffers are also compared in cycles without a request.
#[test]
fn idle_output_ports() {
    let case = with_buffers();
    let mut map = map_with_buffers();
    map.set("output io_in_addr", "= bench.asked_{c}");
    let mut recording = Recording::of(&case, &GoldenDesign, cycles(&case));
    assert_eq!(found(&recording.text(), &map, None), None);
    let asked = recording.samples.iter().position(|sample| sample["asks_1"] == "1").unwrap();
    let still = recording.samples.iter().position(|sample| sample["rst_n"] == "1").unwrap();
    assert!(still < asked, "the first cycle has a request");
    let address = recording.samples[still].get_mut("asked_1").unwrap();
    *address = address.replacen('0', "1", 1);
    let mismatch = found(&recording.text(), &map, None).unwrap();
    let MismatchKind::Port(ports) = mismatch.kind else { panic!("{mismatch:?}") };
    assert_eq!((mismatch.cycle, ports[0].port), (0, PortId::IoInAddr));
}

/// The values on unused ports are taken from the waveform, because some of them are stored in registers.
#[test]
fn lines_of_ports_that_are_not_used() {
    let case = Case { idle_ports: IdlePorts::Random, seed: 3, ..vec_add() };
    let recording = Recording::of(&case, &GoldenDesign, cycles(&case));
    let check = prepared(&recording.text(), &map(), None).unwrap();
    assert_eq!(check.run(None).unwrap().outcome.mismatch, None);
    let shown = check.case.stimulus.entries().iter().filter(|e| e.idle.is_some()).count();
    assert!(shown > 20, "{shown} cycles with lines that are not 0");
    assert_eq!(check.case.stimulus.end(), case.stimulus.end());
    let given = prepared(&recording.text(), &map(), Some(&case)).unwrap();
    assert_eq!(given.run(None).unwrap().outcome.mismatch, None);
}
