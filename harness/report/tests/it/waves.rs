// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waves show what the run did, and can be read back.

use std::{collections::BTreeSet, fs};

use drra_case::Case;
use drra_diagnose::signature;
use drra_lockstep::{RunSetup, SignalLocation, find};
use drra_report::{
    ReportInput, build,
    waves::{self, RecordedCycles, WaveWindow},
};
use drra_testkit::{Fault, FaultyDesign, Flip};

use crate::{
    planted::{flipped, location, vec_add},
    setup,
};

/// Decodes a variable with 8 bits per character.
fn text(bits: &str) -> String {
    let characters = bits.as_bytes().chunks(8).map(|byte| std::str::from_utf8(byte).unwrap());
    let characters = characters.map(|c| char::from(u8::from_str_radix(c, 2).unwrap()));
    characters.collect::<String>().trim_end().to_owned()
}

/// Waves read back by an independent reader.
struct Values(wellen::simple::Waveform);

impl Values {
    /// The bits of a variable in a cycle.
    fn at(&mut self, path: &str, cycle: u64) -> String {
        let Self(waves) = self;
        let names: Vec<&str> = path.split('.').collect();
        let (name, scopes) = names.split_last().unwrap();
        let hierarchy = waves.hierarchy();
        let var = hierarchy.lookup_var(scopes, *name).unwrap_or_else(|| panic!("no {path}"));
        let signal = hierarchy[var].signal_ref();
        if waves.get_signal(signal).is_none() {
            waves.load_signals(&[signal]);
        }
        let time = waves.time_table().iter().rposition(|t| *t <= cycle).unwrap() as u32;
        let signal = waves.get_signal(signal).unwrap();
        let offset = signal.get_offset(time).unwrap();
        signal.get_value_at(&offset, 0).to_bit_string().unwrap()
    }
}

/// The waves of the case around its mismatch.
fn recorded(case: &Case) -> (RecordedCycles, Values) {
    let faulty = flipped(case);
    let with_fault = RunSetup { design: &faulty, ..setup() };
    let failing = signature::check(case, &with_fault).unwrap().unwrap();
    let window = WaveWindow::around(failing.mismatch.cycle);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.fst");
    let recorded = waves::record(case, &with_fault, window, &path).unwrap();
    assert_eq!(recorded.mismatch, Some(failing.mismatch.cycle));
    (recorded, Values(wellen::simple::read(&path).unwrap()))
}

/// The window, values and differences can be read back.
#[test]
fn waves_read_back() {
    let (mut recorded, mut waves) = recorded(&vec_add());
    let mismatch = recorded.mismatch.unwrap();
    assert_eq!((recorded.from, recorded.to), (mismatch.saturating_sub(64), mismatch + 32));
    assert_eq!(recorded.differing, [(location("rf.mem[33]"), 16)]);
    assert_eq!(waves.0.time_table().first(), Some(&recorded.from));
    assert_eq!(waves.0.time_table().last(), Some(&(recorded.to + 1)));
    let mut at = |path: &str, cycle: u64| waves.at(path, cycle);
    // A[1] + B[1] = 1 + 17 = 18.
    let (word, other) = ("0000000000010010", "0000000000010110");
    let zero = "0".repeat(16);
    for (path, before, then) in [
        ("golden.cell_0_0.rf.mem_33", zero.as_str(), word),
        ("rtl.cell_0_0.rf.mem_33", zero.as_str(), other),
        ("diff.cell_0_0.rf.mem_33", "0", "1"),
        ("diff.any", "0", "1"),
    ] {
        assert_eq!(at(path, mismatch - 1), before, "{path}");
        assert_eq!(at(path, mismatch), then, "{path}");
        assert_eq!(at(path, recorded.to), then, "{path}");
    }
    // Word 32 was written one cycle earlier; sequencer, AGU and DPU are the same on both sides.
    assert_eq!(at("golden.cell_0_0.rf.mem_32", mismatch), "0000000000010000");
    for register in ["seq.pc", "seq.state", "rf.agu_w0.addr_reg", "dpu.acc_0"] {
        for cycle in recorded.from..=recorded.to {
            let both = ["golden", "rtl"].map(|s| at(&format!("{s}.cell_0_0.{register}"), cycle));
            assert_eq!(both[0], both[1], "{register} in cycle {cycle}");
        }
    }

    // Cycles are counted.
    assert_eq!(u64::from_str_radix(&at("cycle", mismatch), 2), Ok(mismatch));

    // The files for the viewers contain signals that exist, and the cycle.
    let names = |text: &str| -> Vec<String> {
        let signal =
            |l: &str| l.starts_with("golden.") || l.starts_with("rtl.") || l.starts_with("diff.");
        text.lines()
            .map(|l| l.trim_start_matches("variable_add "))
            .map(|l| l.rsplit_once("} ").map_or(l, |(_, path)| path))
            .filter(|l| signal(l))
            .map(|l| l.split('[').next().unwrap().to_owned())
            .collect()
    };
    // The inputs of the rule are opened, too; data are signed numbers (flag 420 of GTKWave).
    let inputs = [("cell[0][0].dpu.acc[0]", 32), ("cell[0][0].seq.pc", 6)];
    recorded.inputs = inputs.map(|(path, width)| (path.parse().unwrap(), width)).to_vec();
    assert!(
        recorded.gtkwave("w.fst").contains(
            "-inputs of the rule\n@420\n+{golden acc_0} golden.cell_0_0.dpu.acc_0[31:0]\n"
        )
    );
    // Names are shown as ASCII (flag 820). Surfer numbers the items from 0, in letters: cycle, any, a group of four
    // items, a group of five items, and a last group of a divider and eight signals, the first four of which are names.
    let instruction = "@820\n+{golden instruction} golden.cell_0_0.seq.instruction[47:0]\n";
    assert!(recorded.gtkwave("w.fst").contains(instruction), "{}", recorded.gtkwave("w.fst"));
    let formats: String = [
        ("h", "Signed"),
        ("i", "Signed"),
        ("m", "ASCII"),
        ("n", "ASCII"),
        ("o", "ASCII"),
        ("p", "ASCII"),
    ]
    .map(|(item, format)| format!("item_focus {item}\nitem_set_format {format}\n"))
    .concat();
    assert!(recorded.surfer().contains(&(formats + "item_unfocus\n")), "{}", recorded.surfer());
    for text in [recorded.gtkwave("w.fst"), recorded.surfer()] {
        let opened = names(&text);
        for signal in ["seq.pc", "seq.state_name", "seq.instruction"] {
            assert!(opened.contains(&format!("rtl.cell_0_0.{signal}")), "{text}");
        }
        assert!(opened.contains(&"rtl.cell_0_0.rf.mem_33".to_owned()), "{text}");
        for path in opened {
            at(&path, mismatch);
        }
        assert!(text.contains(&mismatch.to_string()), "{text}");
    }
}

/// States have the names of chapters 2 and 3, and `seq.instruction` is the instruction at the program counter.
#[test]
fn states_and_instructions_have_names() {
    let case = vec_add();
    let (recorded, mut waves) = recorded(&case);
    let words = case.program.cells().next().unwrap().1;
    let program = drra_isa::disassemble(drra_isa::Revision::R4.isa(), words, false);
    let mut seen = BTreeSet::new();
    for (side, cycle) in (recorded.from..=recorded.to).flat_map(|c| [("golden", c), ("rtl", c)]) {
        let mut bits = |path: &str| waves.at(&format!("{side}.cell_0_0.{path}"), cycle);
        let mut number = |path: &str| usize::from_str_radix(&bits(path), 2).unwrap();
        let (state, pc, agu) = (number("seq.state"), number("seq.pc"), number("rf.agu_w0.state"));
        let executed = match ["idle", "LOAD", "RUN"][state] {
            "RUN" => program.iter().find(|line| line.address == pc).unwrap().text.as_str(),
            other => other,
        };
        assert_eq!(text(&bits("seq.state_name")), ["IDLE", "LOAD", "RUN"][state]);
        assert_eq!(text(&bits("seq.instruction")), executed.split(' ').next().unwrap());
        let name = text(&bits("rf.agu_w0.state_name"));
        assert_eq!(name, ["IDLE", "INIT_WAIT", "RUN", "ROW_WAIT", "ROW_START"][agu]);
        seen.extend([text(&bits("seq.instruction")), name]);
    }
    for name in ["WAIT", "DPU", "HALT", "idle", "INIT_WAIT", "RUN"] {
        assert!(seen.contains(name), "{seen:?}");
    }
}

/// The offset that viewers add to all times of a file (`$timezero`) is 0, wherever the window begins; before the first
/// cycle of the window, no value is known.
#[test]
fn waves_have_the_true_time_axis() {
    /// Offset of the number in the header of an FST: after the kind of block, nine words of 8 bytes, the time unit,
    /// texts of 128 and 119 bytes and the kind of file.
    const TIME_ZERO: usize = 1 + 9 * 8 + 1 + 128 + 119 + 1;
    let case = vec_add();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.fst");
    for (cycle, from) in [(10, 0), (90, 26), (98, 34)] {
        waves::record(&case, &setup(), WaveWindow::around(cycle), &path).unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes[TIME_ZERO..][..8], [0; 8], "window from cycle {from}");
        let waves = wellen::simple::read(&path).unwrap();
        assert!(waves.time_table().iter().all(|time| *time == 0 || *time >= from));
        assert!(waves.time_table().contains(&from));
    }
}

/// Waves of a whole run, with the rows of the memories that are written.
#[test]
fn waves_of_a_whole_run() {
    let case = vec_add();
    let outcome = drra_lockstep::run(&case, &setup()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.fst");
    let recorded = waves::record(&case, &setup(), WaveWindow::Full, &path).unwrap();
    assert_eq!((recorded.from, recorded.to), (0, outcome.cycles));
    assert_eq!((recorded.mismatch, recorded.differing.len()), (None, 0));
    let waves = wellen::simple::read(&path).unwrap();
    for side in ["golden", "rtl"] {
        // The data of the program fill four rows.
        let row = |n: usize| {
            waves.hierarchy().lookup_var(&[side, "tile_1_0"], &format!("sram_{n}")).is_some()
        };
        assert!((0..4).all(row) && !row(4), "{side}");
    }
    // The same run yields the same file.
    let again = dir.path().join("again.fst");
    waves::record(&case, &setup(), WaveWindow::Full, &again).unwrap();
    assert_eq!(fs::read(path).unwrap(), fs::read(again).unwrap());
}

/// The signal in which the difference originates is written on both sides, and the viewers open it.
#[test]
fn signals_between_blocks_are_in_the_waves() {
    let (case, name) = (vec_add(), "cell[0][0].rf_wdata[0]");
    let all = SignalLocation::all(&case.geometry);
    let signal = *all.iter().find(|signal| signal.to_string() == name).unwrap();
    let cycle = case.stimulus.end() + 1 + 21;
    let flip = Flip { cycle, location: location("rf.mem[33]"), bit: 2 };
    let faulty = FaultyDesign::new(setup().design, Fault::Carried(flip, vec![(signal, 2)]));
    let setup = RunSetup { design: &faulty, ..setup() };
    let mut outcome = find(&case, &setup, &mut ()).unwrap();
    let (failing, around) = &signature::recorded(&case, &setup, &mut outcome).unwrap().unwrap();
    let (case, repeat, reduced) = (&case, "", None);
    let report = build(&ReportInput { case, failing, around, setup, repeat, reduced });
    let (signals, values) = (report.rule.compared_signals(), |s, cycle| around.signal(s, cycle));
    assert_eq!(signals[0], signal);
    let file = tempfile::NamedTempFile::new().unwrap();
    let signals = (&signals[..], &values as _);
    let recorded = waves::write(&around.log, case, cycle - 4, signals, file.as_file()).unwrap();
    let mut waves = Values(wellen::simple::read(file.path()).unwrap());
    // Word 1 of both operands, 1 + 17, is written one cycle before it can be read.
    for (side, value) in [("golden", "0000000000010010"), ("rtl", "0000000000010110")] {
        let path = format!("{side}.cell_0_0.rf_wdata_0");
        assert_eq!(waves.at(&path, cycle - 1), value);
        assert!(recorded.gtkwave("w").contains(&format!("{{{side} rf_wdata_0}} {path}[15:0]")));
    }
}
