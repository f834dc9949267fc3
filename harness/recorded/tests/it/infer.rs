// SPDX-License-Identifier: MIT OR Apache-2.0
//! Maps that are inferred from runs of a design with its own names.

use std::sync::OnceLock;

use drra_case::Case;
use drra_isa::UnitKind;
use drra_lockstep::{GoldenRun, MappedDesign};
use drra_recorded::{
    LatestValues, Waveform, WaveformCheck,
    infer::{InferenceVerdict, InferredFamily, InferredMap, RecordedCase, SURE, infer},
    map::{MapFile, MappedRegister, SignalMap},
    samples,
};

use crate::{
    infer_design::{ALL, PROGRAMS, RESET, ShownSignals, geometry, runs},
    support::Folder,
};

/// The result inferred from all programs and signals.
fn inferred() -> &'static (Vec<RecordedCase>, InferredMap) {
    // The files must exist as long as the waveforms are read.
    static FOLDERS: OnceLock<Vec<Folder>> = OnceLock::new();
    static INFERRED: OnceLock<(Vec<RecordedCase>, InferredMap)> = OnceLock::new();
    INFERRED.get_or_init(|| {
        let (folders, runs) = runs(ALL, &PROGRAMS);
        FOLDERS.get_or_init(|| folders);
        let inferred = infer(&runs, None, &geometry()).unwrap();
        (runs, inferred)
    })
}

#[track_caller]
fn family<'a>(inferred: &'a InferredMap, register: &str) -> &'a InferredFamily {
    inferred.families.iter().find(|p| p.register == register).expect("a family with this path")
}

/// The value of a register's entry, as text with all prefixes written out.
#[track_caller]
fn value(map: &MapFile, register: &str) -> String {
    let entry = map.registers.iter().find(|e| e.register == register);
    let entry = entry.unwrap_or_else(|| panic!("no entry {register}"));
    let statement = map.statements.iter().find(|(key, _)| key == &entry.register).unwrap();
    let mut text = map.source(&statement.1).split_once(" = ").unwrap().1.to_owned();
    for (name, prefix) in &map.prefixes {
        text = text.replace(&format!("{{{name}}}"), map.source(&prefix[0]));
    }
    text
}

#[test]
fn clock_reset_and_ports() {
    let map = &inferred().1.map;
    for statement in ["clock rising sim.ck\n", "reset low sim.nreset\n"] {
        assert!(map.text.contains(statement), "{}", map.text);
    }
    for (port, signal) in [
        ("prog_valid", "go"),
        ("prog_instr", "word"),
        ("prog_imm", "flag"),
        ("prog_row_sel", "rows"),
        ("prog_col_sel", "cols"),
        ("sram_init_valid", "fill"),
        ("sram_init_col", "fill_col"),
        ("sram_init_addr", "fill_at"),
    ] {
        let statement = format!("port {port} = sim.{signal}\n");
        assert!(map.text.contains(&statement), "{statement}: {}", map.text);
    }
    let starts: Vec<u64> = inferred().1.cycles.iter().map(|(start, _)| *start).collect();
    assert_eq!(starts, [RESET as u64; PROGRAMS.len()]);
}

#[test]
fn every_form_is_found() {
    let (_folders, runs) = runs(ShownSignals { netlist: true, ..ALL }, &PROGRAMS);
    check_forms(&inferred().1.map);
    check_forms(&infer(&runs, None, &geometry()).unwrap().map);
}

#[track_caller]
fn check_forms(map: &MapFile) {
    for (register, parts) in [
        ("cell[r][c].seq.pc", &["row_{1-r}", "col[table", ".fetch.counter"][..]),
        (
            "cell[r][c].seq.state",
            &["translate(", "one_hot", "3'd4: 2'd0", "3'd2: 2'd1", "3'd1: 2'd2"],
        ),
        ("cell[r][c].seq.init_addr", &["packed[7:2]"]),
        ("cell[r][c].seq.l1_iter", &["~", "iterations_n"]),
        ("cell[r][c].rf.mem[k]", &["words.w{63-k}"]),
    ] {
        let value = value(map, register);
        assert!(parts.iter().all(|part| value.contains(part)), "{register}: {value}");
    }
    let offset = |register: &str| {
        map.registers.iter().find(|e| e.register == register).map(|e| e.when.offset)
    };
    assert_eq!(offset("cell[r][c].dpu.mode_reg"), Some(-1));
    assert_eq!(offset("cell[r][c].seq.pc"), Some(0));
}

/// The enable is a bit that is low when a tile is written. A check with the inferred map compares the blocks.
#[test]
fn write_ports_of_memories_are_found() {
    let (runs, inferred) = inferred();
    assert_eq!(
        value(&inferred.map, "tile[R][c].sram[k]").split(" # ").next().unwrap().trim_end(),
        "memory(enable: ~sim.bank_{3-c}.write_not, address: sim.bank_{3-c}.at, data: sim.bank_{3-c}.data)"
    );
    let memory = family(inferred, "tile[R][c].sram[k]");
    let InferenceVerdict::Found { paths, .. } = &memory.verdict else { panic!("{memory:?}") };
    assert!(paths.iter().any(|path| path.ends_with(".write_not")), "{paths:?}");
    let waveform = Waveform::open(runs[0].waveform.path()).unwrap();
    let check = WaveformCheck::new(waveform, &inferred.map, None, "", &geometry()).unwrap();
    let outcome = check.run(None).unwrap().outcome;
    assert!(outcome.mismatch.is_none(), "{:?}", outcome.mismatch);
    let units = check.design.compared().units;
    let tiles = units.iter().find(|share| share.unit == UnitKind::Tile).unwrap();
    assert!(tiles.compared.registers >= 4 * 16, "{tiles:?}");
}

/// The values that the map yields for registers without an offset equal those of the golden model in every cycle of
/// every recording.
#[test]
fn the_proposal_agrees() {
    let (runs, inferred) = inferred();
    check_proposal(runs, inferred);
}

/// A map with names of all kinds is read again, compares as much, and can be given to the next inference.
#[test]
fn strange_names_are_written_and_read() {
    let (_folders, runs) = runs(ShownSignals { strange: true, ..ALL }, &PROGRAMS);
    let strange = infer(&runs, None, &geometry()).unwrap();
    check_proposal(&runs, &strange);
    assert_eq!(strange.map.registers.len(), inferred().1.map.registers.len());
    let read = MapFile::parse("inferred", &strange.map.text).unwrap();
    let again = infer(&runs, Some(&read), &geometry()).unwrap();
    assert_eq!(again.map.registers.len(), strange.map.registers.len());
}

#[track_caller]
fn check_proposal(runs: &[RecordedCase], inferred: &InferredMap) {
    let mut compared = 0;
    let read = MapFile::parse("inferred", &inferred.map.text).unwrap();
    for recording in runs {
        let map = SignalMap::resolve(&read, recording.waveform.names(), &geometry()).unwrap();
        assert!(map.entries.iter().all(|entry| entry.mapped > 0), "{}", read.text);
        let wanted: Vec<_> = map.registers.iter().flat_map(|r| r.value.signals()).collect();
        let mut run = GoldenRun::new(&recording.case);
        let mut values = LatestValues::default();
        samples(&recording.waveform, map.clock, &wanted, &mut |sample| {
            values.apply(&sample);
            if sample.edge < RESET as u64 {
                return std::ops::ControlFlow::Continue(());
            }
            run.fabric.pack();
            let always = |r: &&MappedRegister| r.offset == 0 && r.memory.is_none();
            for register in map.registers.iter().filter(always) {
                let golden = run.fabric.value(register.location).unwrap();
                let shown = register.value.value(&values).unwrap();
                assert_eq!(shown.words(), golden, "{} at {}", register.location, run.cycle);
                compared += 1;
            }
            run.step();
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    }
    assert!(compared > 50_000, "{compared}");
}

#[test]
fn what_is_not_there_is_told() {
    let inferred = &inferred().1;
    let missing = family(inferred, "cell[r][c].dpu.acc_cnt");
    assert!(matches!(missing.verdict, InferenceVerdict::Missing(_)), "{missing:?}");
    let quiet = family(inferred, "cell[r][c].perm.perm_stage");
    assert_eq!(quiet.verdict, InferenceVerdict::Quiet);
    let still = inferred.families.iter().filter(|p| p.changing == 0);
    assert!(still.clone().all(|p| p.verdict == InferenceVerdict::Quiet) && still.count() > 50);
}

/// The I/O of the design is never active, so a bus that agrees with an I/O register is no evidence.
#[test]
fn a_block_that_never_works_is_not_inferred() {
    let inferred = &inferred().1;
    let data = family(inferred, "col[c].io_wdata");
    assert!(data.changing > 0 && data.verdict == InferenceVerdict::Quiet, "{data:?}");
    assert!(!inferred.map.text.contains("\ncol[c].io"), "{}", inferred.map.text);
}

/// Patterns with few distinct changes are marked as weak, in the list and in the map.
#[test]
fn rare_changes_are_weak() {
    let inferred = &inferred().1;
    let mut marked = 0;
    for family in &inferred.families {
        let entry = inferred.map.registers.iter().find(|e| e.register == family.register);
        let Some(entry) = entry else { continue };
        let weak = entry.note.as_ref().is_some_and(|note| note.starts_with("weak: "));
        assert_eq!(weak, family.is_weak(), "{family:?}");
        assert_eq!(weak, family.different < SURE, "{family:?}");
        assert!(family.different as u64 <= family.changes);
        marked += usize::from(weak);
    }
    assert!(marked > 0 && inferred.families.iter().any(|p| p.different >= SURE));
}

#[test]
fn two_forms_that_agree_are_told() {
    let (_folders, runs) = runs(ShownSignals { copy: true, ..ALL }, &PROGRAMS[..2]);
    let inferred = infer(&runs, None, &geometry()).unwrap();
    let verdict = &family(&inferred, "cell[r][c].seq.pc").verdict;
    let InferenceVerdict::Found { paths, others, .. } = verdict else { panic!("{verdict:?}") };
    assert!(paths[0].ends_with("fetch.counter"), "{paths:?}");
    assert_eq!(others.len(), 1);
    assert!(others[0].ends_with("twin.counter"), "{others:?}");
}

#[test]
fn without_ports_the_registers_tell_cycle_0() {
    let (_folders, runs) = runs(ShownSignals { ports: false, ..ALL }, &PROGRAMS);
    let inferred = infer(&runs, None, &geometry()).unwrap();
    let starts: Vec<u64> = inferred.cycles.iter().map(|(start, _)| *start).collect();
    assert_eq!(starts, [RESET as u64; PROGRAMS.len()]);
    assert!(value(&inferred.map, "cell[r][c].seq.pc").contains("fetch.counter"));
}

#[test]
fn entries_that_are_given_stay() {
    let (_folders, runs) = runs(ALL, &PROGRAMS[..1]);
    // Without a clock in the map, the clock is inferred.
    for clock in ["clock rising sim.ck\n", ""] {
        let text = format!("{clock}cell[r][c].seq.pc excluded: not now\n");
        let given = MapFile::parse("given", &text).unwrap();
        let inferred = infer(&runs, Some(&given), &geometry()).unwrap();
        assert!(inferred.map.text.contains("\ncell[r][c].seq.pc excluded: not now\n"));
        assert!(inferred.map.text.contains("clock rising sim.ck\n"));
        assert!(inferred.families.iter().all(|p| p.register != "cell[r][c].seq.pc"));
    }
}

#[test]
fn another_case_than_was_run() {
    let (_folders, mut runs) = runs(ShownSignals { ports: false, ..ALL }, &PROGRAMS[..1]);
    runs[0].case = Case::default();
    let error = infer(&runs, None, &geometry()).unwrap_err();
    assert!(error.to_string().contains("record the load port"), "{error}");
    let error = infer(&[], None, &geometry()).unwrap_err();
    assert!(error.to_string().contains("at least one case"), "{error}");
}
