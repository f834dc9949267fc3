// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings compared through a map. Everything other than agreement must be reported.

use std::collections::BTreeMap;

use drra_case::{
    Case,
    stimulus::{Stimulus, StimulusEntry},
};
use drra_fabric::Location;
use drra_isa::CellId;
use drra_lockstep::{GoldenDesign, Mismatch, MismatchKind, UncomparedReason, WaveformEnd};
use drra_report::{Colouring, Report, html::document::UNLINKED};

use crate::recording::{
    LATE, Map, RESET, Recording, bit_in_netlist, cycles, entry, flipped, forget, found, geometry,
    locations, map, name, prepared, recorded, report, vec_add,
};

/// The stimulus comes from the recording, and all registers agree, although they have other names, one register is
/// late, and another register is encoded differently.
#[test]
fn equal_designs_agree() {
    let case = vec_add();
    let (mut recording, mut map) = (recorded(&case), map());
    let late: Location = "cell[0][0].seq.pc".parse().unwrap();
    recording.delay(&name(late), LATE);
    entry(&mut map, "cell[0][0].seq.pc", &format!("offset {LATE}"));
    let coded: Location = "cell[0][0].seq.state".parse().unwrap();
    for sample in &mut recording.samples {
        let one_hot = match sample[&name(coded)].as_str() {
            "00" => "0001",
            "01" => "0010",
            "10" => "0100",
            other => panic!("{other}"),
        };
        sample.insert(name(coded), one_hot.to_owned());
    }
    let codes = "4'b0001: 2'd0, 4'b0010: 2'd1, 4'b0100: 2'd2";
    let value = format!("= translate(bench.{}, {codes})", name(coded));
    map.set("cell[0][0].seq.state", &value);
    for given in [None, Some(&case)] {
        let check = prepared(&recording.text(), &map, given).unwrap();
        let outcome = check.run(None).unwrap().outcome;
        assert_eq!(outcome.mismatch, None);
        // The cycles of the case from 0 on, except the cycles needed for the late register.
        assert_eq!(outcome.cycles, cycles(&case) - LATE);
        assert_eq!(check.case.stimulus, case.stimulus);
        assert_eq!(check.case.program, case.program);
        let account = check.setup().design.mapped().unwrap().compared();
        assert_eq!(account.compared().registers, locations().len() as u64);
        assert!(account.is_whole());
        assert_eq!(account.cycles, outcome.cycles);
    }
    // Without the offset, the late register differs as soon as it leaves its reset value in the golden model.
    entry(&mut map, "cell[0][0].seq.pc", "");
    let mismatch = found(&recording.text(), &map, None).unwrap();
    assert_eq!(mismatch.differences()[0].location, late);
}

/// The map of a design also applies to its netlist: every register is compared, and an unknown bit is a finding.
#[test]
fn a_netlist_has_the_map_of_the_design() {
    let case = vec_add();
    let mut recording = recorded(&case).in_netlist();
    let check = prepared(&recording.text(), &map(), Some(&case)).unwrap();
    assert_eq!(check.run(None).unwrap().outcome.mismatch, None);
    assert!(check.setup().design.mapped().unwrap().compared().is_whole());
    let location: Location = "cell[1][0].seq.pc".parse().unwrap();
    let cycle = case.stimulus.end() + 12;
    for unknown in ["x", "z"] {
        let sample = &mut recording.samples[(cycle + RESET) as usize];
        sample.insert(bit_in_netlist(&name(location), 2), unknown.to_owned());
        let mismatch = found(&recording.text(), &map(), Some(&case)).unwrap();
        assert!(matches!(&mismatch.kind, MismatchKind::Unknown(_)), "{mismatch:?}");
        assert_eq!((mismatch.cycle, mismatch.differences()[0].location), (cycle, location));
    }
}

/// Synthesis removed bits of a register: the others are compared, and the check names the bits that are not there. A
/// register of which most bits are missing is missing.
#[test]
fn removed_bits_are_named() {
    let case = vec_add();
    let pc: Location = "cell[1][0].seq.pc".parse().unwrap();
    let few: Location = "cell[0][1].seq.pc".parse().unwrap();
    let without = |mut recording: Recording| {
        for sample in &mut recording.samples {
            let _ = [5, 2].map(|bit| sample.remove(&bit_in_netlist(&name(pc), bit)).unwrap());
            let _ = [0, 3, 5].map(|bit| sample.remove(&bit_in_netlist(&name(few), bit)).unwrap());
        }
        recording
    };
    let check =
        prepared(&without(recorded(&case).in_netlist()).text(), &map(), Some(&case)).unwrap();
    assert_eq!(check.run(None).unwrap().outcome.mismatch, None);
    let account = check.setup().design.mapped().unwrap().compared();
    let (all, compared) = (account.all(), account.compared());
    assert_eq!((all.bits - compared.bits, all.registers - compared.registers), (2 + 6, 1));
    assert_eq!(account.bit_cycles, account.compared().bits * account.cycles);
    let removed = "2 bits of registers compared in part, bits 5, 2 not in the design: cell.seq.pc";
    assert!(account.lines().iter().any(|line| line == removed), "{:?}", account.lines());
    // A complete alternative is preferred: here, the register of another cell that does nothing.
    let rest = map().0["cell[a][b].seq.pc"].replace("= ", "");
    let text = without(recorded(&case).in_netlist()).text();
    for (statement, to) in [("let pc", " | "), ("cell[a][b].seq.pc", ", ")] {
        let mut map = map();
        let both = format!("{rest}{to}{}", rest.replace("{b}", "1"));
        if statement == "let pc" {
            map.set(statement, &format!("= {both}"));
            map.set("cell[a][b].seq.pc", "= {pc}");
        } else {
            map.set(statement, &format!("= first({both})"));
        }
        let check = prepared(&text, &map, Some(&case)).unwrap();
        assert_eq!(check.run(None).unwrap().outcome.mismatch, None);
        let account = check.setup().design.mapped().unwrap().compared();
        assert!(!account.lines().iter().any(|line| line.contains("in part")), "{statement}");
    }
    let cycle = case.stimulus.end() + 12;
    let flip = |bit| {
        let recording = flipped(&case, "cell[1][0].seq.pc", cycle, bit).in_netlist();
        found(&without(recording).text(), &map(), Some(&case))
    };
    assert_eq!(flip(2), None);
    let mismatch = flip(3).unwrap();
    let difference = &mismatch.differences()[0];
    assert_eq!(difference.golden.bits_that_differ(&difference.dut), [3]);
}

/// Registers are compared even if the last state is the only state.
#[test]
fn the_last_state_counts() {
    let text = recorded(&vec_add()).text();
    let check = prepared(&text, &map(), None).unwrap();
    let outcome = check.run(Some(0)).unwrap().outcome;
    assert_eq!((outcome.mismatch, outcome.cycles), (None, 0));
}

/// A planted fault is found in its cycle and reported with the names of the design.
#[test]
fn faults_are_found() {
    let case = vec_add();
    let cycle = case.stimulus.end() + 12;
    for (location, bit) in [
        ("cell[0][0].rf.mem[33]", 2),
        ("cell[1][1].seq.pc", 0),
        ("tile[1][0].sram[3]", 200),
        ("ld_pipe[1].instr", 26),
    ] {
        let text = flipped(&case, location, cycle, bit).text();
        let mismatch = found(&text, &map(), Some(&case)).unwrap();
        assert_eq!(mismatch.cycle, cycle, "{location}");
        let MismatchKind::State(differences) = mismatch.kind else { panic!("{:?}", mismatch.kind) };
        assert_eq!(differences[0].location.to_string(), location);
        assert_eq!(differences[0].golden.bits_that_differ(&differences[0].dut), [bit]);
    }
    let text = flipped(&case, "cell[0][0].rf.mem[33]", cycle, 2).text();
    let check = prepared(&text, &map(), None).unwrap();
    let (signature, report) = report(&check);
    assert!(signature.starts_with("cell.rf.mem "), "{signature}");
    let text = report.text(Colouring::Plain);
    for part in ["bench.their_cell_0__0__rf_mem_33_", "signals between blocks", "drra export"] {
        assert!(text.replace("\n", " ").contains(part), "{part} is missing: {text}");
    }
    let edge = format!(
        "just before edge {} of bench.clk, at time {} of the waveform",
        cycle + RESET,
        10 * (cycle + RESET) + 10
    );
    assert_eq!(report.mismatch.moment.as_deref(), Some(edge.as_str()));
    assert_eq!(Report::parse(&report.to_json()).unwrap(), report);
    assert!(report.page(None, UNLINKED).contains("bench.their_cell_0__0__rf_mem_33_"));
}

/// Signals between blocks in the map lead to the block in which a difference originates. At first, only the register
/// differs, then also its input, and then also the lane that the input is connected to.
#[test]
fn signals_between_blocks_lead_to_the_block() {
    let case = vec_add();
    let word = "cell[0][0].rf.mem[32]";
    let register = name(word.parse().unwrap());
    let written = |sample: &BTreeMap<String, String>| sample[&register].contains('1');
    let cycle = recorded(&case).samples.iter().position(written).unwrap() as u64 - RESET;
    let mut map = map();
    map.set("signal wdata[k]", "= bench.write_{r}_{c}_{k}");
    map.set("signal dpu_out[k]", "= bench.result_{r}_{c}_{k}");
    let mut recording = flipped(&case, word, cycle, 3);
    for (wire, place) in
        [("", "cell.rf.mem "), ("write", "cell.wdata "), ("result", "cell.dpu_out ")]
    {
        let sample = &mut recording.samples[(cycle - 1 + RESET) as usize];
        for (name, value) in sample.iter_mut() {
            if !wire.is_empty() && name.starts_with(&format!("{wire}_0_0_")) {
                *value = value.replace('0', "x").replace('1', "0").replace('x', "1");
            }
        }
        let check = prepared(&recording.text(), &map, Some(&case)).unwrap();
        let (signature, report) = report(&check);
        assert!(signature.starts_with(place), "{signature}");
        assert_eq!(report.mismatch.cycle, cycle);
        if wire.is_empty() {
            let why = report.rule.why_text();
            assert!(why.contains("compared except cell.dpu_out, cell.wdata, so"), "{why}");
            assert_eq!(report.rule.compared()[0], ["inputs", "1 signal: wdata[0]"]);
        }
    }
    map.set("signal dpu_sum", "= bench.idle");
    let refused = prepared(&recording.text(), &map, None).err().unwrap().to_string();
    assert!(refused.contains("`dpu_sum` is not a signal between blocks"), "{refused}");
}

/// Unknown bits that are compared are a separate finding; known bits that differ come first.
#[test]
fn unknown_bits_are_found() {
    let case = vec_add();
    let mut recording = recorded(&case);
    recording.value("cell[0][1].seq.pc", 40).replace_range(0..1, "x");
    let check = prepared(&recording.text(), &map(), None).unwrap();
    let (signature, unknown) = report(&check);
    assert_eq!((signature.as_str(), unknown.mismatch.cycle), ("unknown cell.seq.pc", 40));
    assert!(unknown.text(Colouring::Plain).contains("cell[0][1].seq.pc is unknown"));
    *recording.value("cell[1][1].seq.pc", 40) = "111111".to_owned();
    let mismatch = found(&recording.text(), &map(), None).unwrap();
    assert_eq!(mismatch.cycle, 40);
    let MismatchKind::State(differences) = mismatch.kind else { panic!("{:?}", mismatch.kind) };
    let paths: Vec<String> = differences.iter().map(|d| d.location.to_string()).collect();
    assert_eq!(paths, ["cell[1][1].seq.pc", "cell[0][1].seq.pc"]);
}

/// A recording never agrees if it ends before its case does. Without a case, the recording determines how far to
/// compare, and the result states which units are still busy at its end.
#[test]
fn an_early_end_is_found() {
    let case = vec_add();
    let all = cycles(&case);
    let last = case.stimulus.end() + 5;
    let text = Recording::of(&case, &GoldenDesign, last).text();
    let running: Vec<CellId> = CellId::all(&geometry()).take(1).collect();

    let open = prepared(&text, &map(), None).unwrap().run(None).unwrap();
    assert_eq!(open.outcome.mismatch, None);
    let busy = open.busy.unwrap();
    assert_eq!((&busy.running, busy.generating), (&running, vec![running[0].into()]));
    let whole = prepared(&recorded(&case).text(), &map(), None).unwrap().run(None).unwrap();
    assert_eq!((whole.outcome.mismatch, whole.busy), (None, None));

    let check = prepared(&text, &map(), Some(&case)).unwrap();
    let ended = WaveformEnd { goes_on_to: all, running: running.clone(), cut: None, said: None };
    let mismatch = check.run(None).unwrap().outcome.mismatch;
    assert_eq!(mismatch, Some(Mismatch { cycle: last, kind: MismatchKind::Ended(ended) }));
    assert_eq!(report(&check).0, "recording ended");
    // The recording agrees up to the cycle that was requested, but not further.
    assert_eq!(check.run(Some(last)).unwrap().outcome.mismatch, None);
    let further = check.run(Some(last + 3)).unwrap().outcome.mismatch;
    let ended = WaveformEnd { goes_on_to: last + 3, running, cut: None, said: None };
    assert_eq!(further, Some(Mismatch { cycle: last, kind: MismatchKind::Ended(ended) }));

    // A recording that ends while words are driven does not agree either. In a complete recording, a word that has not
    // been driven by the end is a difference in the stimulus.
    let loading = case.stimulus.end() - 3;
    let text = Recording::of(&case, &GoldenDesign, loading).text();
    let found_there = found(&text, &map(), Some(&case)).unwrap();
    assert_eq!(found_there.cycle, loading);
    assert!(matches!(found_there.kind, MismatchKind::Ended(_)), "{found_there:?}");
    let mut entries = case.stimulus.entries().to_vec();
    let last_word = *entries.last().unwrap();
    entries.push(StimulusEntry { cycle: last_word.cycle + 1, ..last_word });
    let longer = Case { stimulus: Stimulus::new(entries), cycles: Some(all), ..case.clone() };
    let text = recorded(&case).text();
    let missing = found(&text, &map(), Some(&longer)).unwrap();
    assert!(matches!(missing.kind, MismatchKind::Stimulus(_)), "{missing:?}");

    // A file that ends in the middle of a value. After the end of the case, nothing is missing.
    let text = recorded(&case).text();
    let cut = &text[..text.len() - 3];
    for given in [None, Some(&case)] {
        let found = found(cut, &map(), given);
        let Some(Mismatch { kind: MismatchKind::Ended(ended), .. }) = found else {
            panic!("a truncated file agrees: {given:?}")
        };
        assert!(ended.cut.is_some());
    }
    let longer = Recording::of(&case, &GoldenDesign, all + 9).text();
    for longer in [longer.trim_end(), &format!("{longer}$comment the end")] {
        assert_eq!(found(longer, &map(), Some(&case)), None);
    }
}

/// If the case differs from the driven inputs, this is reported with the place and both values.
#[test]
fn another_stimulus_is_found() {
    let case = vec_add();
    let text = recorded(&case).text();
    let changed = |change: fn(&mut drra_case::stimulus::StimulusEntry)| {
        let mut entries = case.stimulus.entries().to_vec();
        entries.iter_mut().for_each(change);
        Case { stimulus: Stimulus::new(entries), ..case.clone() }
    };
    let word = changed(|e| e.prog.iter_mut().for_each(|w| w.instr ^= 1));
    let flag = changed(|e| e.prog.iter_mut().for_each(|w| w.imm = !w.imm));
    let block = changed(|e| e.sram_init.iter_mut().for_each(|b| b.data[2] ^= 4));
    let strap = Case { io_cells: [CellId::new(1, 1).unwrap()].into(), ..case.clone() };
    let mut with_straps = map();
    with_straps.set("port io_cell", "= 1'b0");
    for (given, map, signature) in [
        (word, &map(), "stimulus word"),
        (flag, &map(), "stimulus flag"),
        (block, &map(), "stimulus row"),
        (strap, &with_straps, "stimulus io_cell"),
    ] {
        let check = prepared(&text, map, Some(&given)).unwrap();
        let (found, report) = report(&check);
        assert_eq!(found, signature);
        assert!(report.text(Colouring::Plain).contains("was driven with another value"));
    }
    // A later start and gaps do not matter.
    let later = changed(|e| e.cycle = 3 * e.cycle + 7);
    assert_eq!(found(&text, &map(), Some(&later)), None);
}

/// Registers that are not compared are counted, with the reason.
#[test]
fn the_account_tells_what_is_missing() {
    let case = vec_add();
    let text = recorded(&case).text();
    let mut map = map();
    map.set("cell[0][0].seq.pc", "= bench.their_cell_0__0__seq_pd");
    map.set("cell[0][1].seq.pc", "excluded: it has none");
    entry(&mut map, "cell[1][0].seq.pc", "from 1000000");
    forget(&mut map, "cell[a][b].seq.pc");
    let check = prepared(&text, &map, None).unwrap();
    assert_eq!(check.run(None).unwrap().outcome.mismatch, None);
    let account = check.setup().design.mapped().unwrap().compared();
    assert_eq!(account.compared().registers + 4, locations().len() as u64);
    assert_eq!(account.all().bits - account.compared().bits, 24);
    let whys: Vec<&UncomparedReason> = account.not_compared.iter().map(|n| &n.why).collect();
    let [
        UncomparedReason::Never,
        UncomparedReason::Lacking { path, nearest },
        UncomparedReason::Excluded { reason },
        UncomparedReason::Unmapped,
    ] = whys[..]
    else {
        panic!("{whys:?}")
    };
    assert_eq!((path.as_str(), reason.as_str()), ("bench.their_cell_0__0__seq_pd", "it has none"));
    assert!(!nearest.is_empty());
}

/// A recording that cannot be compared is rejected, and never agrees.
#[test]
fn what_cannot_be_compared_is_refused() {
    let case = vec_add();
    let text = recorded(&case).text();
    let refused = |change: fn(&mut Map), text: &str| {
        let mut map = map();
        change(&mut map);
        match prepared(text, &map, None) {
            Err(e) => e.to_string(),
            Ok(check) => check.run(None).unwrap_err().to_string(),
        }
    };
    // The reset as the clock, incomplete ports, no ports, no register that is compared, and an unknown port.
    let stuck = refused(|map| map.set("clock", "rising bench.rst_n"), &text);
    assert!(stuck.contains("ends cycle 0") || stuck.contains("not a clock"), "{stuck}");
    let partly = refused(|map| forget(map, "port prog_imm"), &text);
    assert!(partly.contains("not `prog_imm`"), "{partly}");
    let none = refused(|map| *map = map.clone().without_ports(), &text);
    assert!(none.contains("give the case that was simulated"), "{none}");
    let elsewhere = |map: &mut Map| {
        *map = map.clone().without_ports();
        map.set("port prog_valid", "= first(bench.load, bench.put)");
    };
    let named = refused(elsewhere, &text);
    assert!(named.contains("waveform, no bench.load or bench.put for prog_valid, so"), "{named}");
    let nothing = refused(
        |map| {
            let entries = map.0.values_mut().filter(|rest| rest.contains("their_"));
            entries.for_each(|rest| *rest += " from 1000000");
        },
        &text,
    );
    assert!(nothing.contains("nothing was compared"), "{nothing}");
    let mut unknown = recorded(&case);
    unknown.samples[9].insert("ld".to_owned(), "x".to_owned());
    let unknown = refused(|_| (), &unknown.text());
    assert!(unknown.contains("port `prog_valid` is 0xx in cycle 7"), "{unknown}");
}

/// Without ports, a case is aligned by cycle 0 of the map.
#[test]
fn a_case_without_ports() {
    let case = vec_add();
    let mut map = map().without_ports();
    let text = recorded(&case).text();
    assert_eq!(found(&text, &map, Some(&case)), None);
    map.set("cycle_0", "skip 1");
    let mismatch = found(&text, &map, Some(&case)).unwrap();
    assert!(matches!(mismatch.kind, MismatchKind::State(_)));
}

/// The map names as the clock a signal with half the rate of the clock, or a signal that is not a clock, with either
/// edge.
#[test]
fn a_wrong_clock_never_agrees() {
    let case = vec_add();
    let text = recorded(&case).text();
    for (signal, edge) in
        [("half", "rising"), ("half", "falling"), ("ld", "rising"), ("ld", "falling")]
    {
        let mut map = map();
        map.set("clock", &format!("{edge} bench.{signal}"));
        for given in [None, Some(&case)] {
            let Ok(check) = prepared(&text, &map, given) else { continue };
            match check.run(None) {
                Ok(ran) => assert!(ran.outcome.mismatch.is_some(), "{signal} {edge} agrees"),
                Err(e) => assert!(e.to_string().starts_with("nothing was compared"), "{e}"),
            }
        }
    }
}
