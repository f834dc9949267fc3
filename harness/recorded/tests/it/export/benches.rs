// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs the test benches on real simulators with a design that writes its inputs, which must be exactly the stimulus
//! and the answers of the buffers.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use drra_case::Case;
use drra_fabric::ports::Block;
use drra_isa::{ColumnId, Geometry};
use drra_recorded::export::{CaseExport, ExportOptions, bench};
use drra_testkit::skip;

use super::{SMALL, at_the_ports, block, bundled, exported, file, format::PORTS, reader};

/// A simulator: the program that it needs, the script that runs it, the design, and the dump.
struct Simulator {
    program: &'static str,
    script: &'static str,
    design: &'static str,
    dump: &'static str,
}

const GHDL: Simulator =
    Simulator { program: "ghdl", script: "run-ghdl.sh", design: "recorder.vhd", dump: "dump.ghw" };

const ICARUS: Simulator = Simulator {
    program: "iverilog",
    script: "run-icarus.sh",
    design: "recorder.sv",
    dump: "dump.vcd",
};

/// True if the program is installed. `DRRA_SIMULATORS=required` makes its absence an error.
fn is_there(program: &str) -> bool {
    let answers = Command::new(program).arg("--version").output().is_ok()
        || Command::new(program).arg("-V").output().is_ok();
    if !answers {
        skip("DRRA_SIMULATORS", &format!("{program} is not installed"));
    }
    answers
}

/// Writes files as `drra export` does, except that no script is made executable: `bash` runs them here.
fn write(folder: &Path, exported: &CaseExport, geometry: &Geometry) {
    for file in exported.files.iter().chain(&bench(geometry, 0, None)) {
        fs::write(folder.join(file.name), &file.text).unwrap();
    }
}

/// The answer in a cycle: in cycle t, the design requests block 4t+c, modulo 16, for column c, and the answer arrives
/// one cycle later.
fn answer(case: &Case, cycle: usize, column: usize) -> Block {
    let Some(asked) = cycle.checked_sub(1) else { return [0; 4] };
    let address = (4 * asked + column) % 16;
    let of_block =
        |(col, addr, _): &&(ColumnId, u32, Block)| (col.col(), *addr as usize) == (column, address);
    case.input_buffers.iter().find(of_block).map_or([0; 4], |(_, _, data)| *data)
}

/// The text that the design must write in every cycle: the ports in the order of [`PORTS`], and the answers.
fn expected(case: &Case, stimulus: &str, geometry: &Geometry) -> Vec<Vec<String>> {
    let digits = |b: Block| format!("{:016x}{:016x}{:016x}{:016x}", b[3], b[2], b[1], b[0]);
    let row = |(cycle, row): (usize, reader::Row)| {
        let ports = PORTS.iter().map(|(port, _)| row[*port].clone());
        let answers = (0..geometry.columns).map(|column| digits(answer(case, cycle, column)));
        ports.chain(answers).collect()
    };
    reader::rows(stimulus).into_iter().enumerate().map(row).collect()
}

/// The design that a simulator runs.
fn design(simulator: &Simulator) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/export").join(simulator.design)
}

/// Runs the script of a simulator. Returns whether it succeeds, and its output.
fn run(simulator: &Simulator, folder: &Path) -> (bool, String) {
    let script = folder.join(simulator.script);
    let output = Command::new("bash").arg(script).arg(design(simulator)).output().unwrap();
    let said = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap());
    (output.status.success(), said.concat())
}

#[track_caller]
fn check(simulator: &Simulator, case: &Case, geometry: &Geometry) {
    if !is_there(simulator.program) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let exported = exported(case, &ExportOptions::default());
    write(folder.path(), &exported, geometry);
    let (success, said) = run(simulator, folder.path());
    assert!(success, "{said}");
    let recorded = fs::read_to_string(folder.path().join("recorded.txt")).unwrap();
    let recorded: Vec<Vec<String>> = recorded
        .lines()
        .map(|line| line.split_whitespace().map(str::to_lowercase).collect())
        .collect();
    let expected = expected(case, file(&exported, "stimulus.txt"), geometry);
    assert_eq!(recorded.len(), expected.len(), "{said}");
    for (cycle, (recorded, expected)) in recorded.iter().zip(&expected).enumerate() {
        assert_eq!(recorded, expected, "cycle {cycle}");
    }
    let waves = fs::metadata(folder.path().join(simulator.dump)).unwrap();
    assert!(waves.len() > 1000, "{} bytes", waves.len());
}

/// A case whose buffers contain blocks that the design requests.
fn with_buffers(geometry: &Geometry) -> Case {
    let places = ColumnId::all(geometry).flat_map(|c| (0..16).map(move |addr| (c, addr)));
    let blocks = places.filter(|(_, addr)| addr % 3 > 0);
    let input_buffers = blocks
        .map(|(column, addr)| (column, addr, block((column.col() as u64) << 8 | u64::from(addr))));
    Case { input_buffers: input_buffers.collect(), ..at_the_ports(geometry) }
}

/// Without a terminal, progress is a line per period on standard error, here every 0.2 s, and the exit code of a
/// simulation is empty until it has ended.
#[test]
#[cfg(unix)]
fn progress_of_a_script() {
    let folder = tempfile::tempdir().unwrap();
    for file in bench(&Geometry::default(), 0, None) {
        fs::write(folder.path().join(file.name), &file.text).unwrap();
    }
    for case in ["a", "b", "c"] {
        fs::create_dir(folder.path().join(case)).unwrap();
        fs::write(folder.path().join(case).join("stimulus.txt"), "").unwrap();
        fs::write(folder.path().join(case).join("sim.status"), "0").unwrap();
        fs::write(folder.path().join(case).join("dump.vcd"), "of an earlier design").unwrap();
    }
    let script = "source ./cases.sh; take_arguments; [[ ! -s a/sim.status && ! -e b/dump.vcd ]] || exit; read() { builtin read \"${@/#60/0.2}\"; }
        each_case bash -c 'sleep 0.8; [[ ! -s sim.status && $PWD != */b ]]'";
    let mut command = Command::new("bash");
    let command = command.current_dir(folder.path()).env("JOBS", "1").env_remove("CASES");
    let output = command.args(["-c", script]).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(output.status.code(), Some(1), "{out}{err}");
    assert!(out.ends_with("3 simulated, 1 failed\n") && !out.contains(" of "), "{out}");
    assert!(err.starts_with("0 of 3 simulated, 0 failed\n"), "{err}");
    assert!(err.ends_with("2 of 3 simulated, 1 failed\n"), "{err}");
}

/// A script that replaces Verilator, whose makefiles work only in folders without blanks.
const VERILATOR: &str = r#"#!/bin/bash
[[ $* != --getenv* ]] || exit 0
while [[ $1 != -Mdir ]]; do shift; done
[[ $2 != *[[:space:]]* ]] || exit 1
printf '#!/bin/sh\npwd\n' >"$2/Vtb"
chmod +x "$2/Vtb"
"#;

/// The folder of a design, of cases and of the script can have any name.
#[test]
#[cfg(unix)]
fn any_folder_can_be_simulated() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let verilator = folder.path().join("verilator");
    fs::write(&verilator, VERILATOR).unwrap();
    fs::set_permissions(&verilator, fs::Permissions::from_mode(0o700)).unwrap();
    let folder = folder.path().join("ein Ordner ü 'q'");
    fs::create_dir(&folder).unwrap();
    write(&folder, &exported(&bundled("vec_add"), &ExportOptions::default()), &Geometry::default());
    let mut command = Command::new("bash");
    command.arg(folder.join("run-verilator.sh")).env("VERILATOR", &verilator);
    let output = command.env("CASES", &folder).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said, format!("{}\n1 simulated, 0 failed\n", folder.display()));
}

#[test]
fn the_vhdl_bench_drives_the_stimulus() {
    check(&GHDL, &with_buffers(&SMALL), &SMALL);
    check(&GHDL, &bundled("vec_add"), &Geometry::default());
}

#[test]
fn the_systemverilog_bench_drives_the_stimulus() {
    check(&ICARUS, &with_buffers(&SMALL), &SMALL);
    check(&ICARUS, &bundled("vec_add"), &Geometry::default());
}

/// Several cases run from one elaboration. Each case is a separate simulation, whose dump is the same as without a C
/// compiler. A simulation that fails is listed and does not stop the others.
#[test]
fn many_cases_are_simulations_of_their_own() {
    for simulator in [GHDL, ICARUS] {
        if !is_there(simulator.program) {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let exported = exported(&with_buffers(&SMALL), &ExportOptions::default());
        write(folder.path(), &exported, &SMALL);
        let stimulus = file(&exported, "stimulus.txt");
        fs::remove_file(folder.path().join("stimulus.txt")).unwrap();
        let cases = ["a", "b", "c"].map(|name| folder.path().join(name));
        for (case, cut) in cases.iter().zip([0, 20, 0]) {
            fs::create_dir(case).unwrap();
            fs::write(case.join("stimulus.txt"), &stimulus[..stimulus.len() - cut]).unwrap();
            fs::write(case.join("buffers.txt"), file(&exported, "buffers.txt")).unwrap();
        }
        let dumps = |compiler: &str| {
            let design = design(&simulator);
            let script = folder.path().join(simulator.script);
            let mut command = Command::new("bash");
            command
                .arg(script)
                .arg(design)
                .env("CC", compiler)
                .env("JOBS", "2")
                .current_dir(folder.path());
            let output = command.output().unwrap();
            let said = String::from_utf8(output.stdout).unwrap();
            assert!(!output.status.success() && said.contains("3 simulated, 1 failed"), "{said}");
            let failed: Vec<&str> = said.lines().filter(|line| line.contains("FAILED")).collect();
            assert_eq!(failed, [format!("FAILED: {}", cases[1].display())]);
            assert!(said.contains("complete"), "{said}");
            let text = |name| cases.each_ref().map(|case| fs::read(case.join(name)).unwrap());
            (text("sim.status"), text(simulator.dump))
        };
        let (forked, alone) = (dumps("cc"), dumps("false"));
        assert_eq!(forked.0[0], b"0\n");
        assert_eq!(forked.0, alone.0);
        // An Icarus dump contains the date.
        let plain = |dump: &[u8]| String::from_utf8_lossy(dump).lines().skip(3).collect::<String>();
        for (forked, alone) in forked.1.iter().zip(&alone.1) {
            assert!(forked.len() > 1000 && plain(forked) == plain(alone), "{}", simulator.program);
        }
    }
}

/// A damaged file ends the simulation with an error instead of driving other values.
#[test]
fn damaged_files_are_refused() {
    for simulator in [GHDL, ICARUS] {
        if !is_there(simulator.program) {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let exported = exported(&with_buffers(&SMALL), &ExportOptions::default());
        for (name, damage) in [
            ("stimulus.txt", (|text| text.replacen(" 1 ", " zz ", 1)) as fn(&str) -> String),
            ("stimulus.txt", |text| text[..text.len() - 20].to_owned()),
            ("stimulus.txt", |text| {
                text.lines()
                    .filter(|line| !line.starts_with("        6 "))
                    .fold(String::new(), |all, line| all + line + "\n")
            }),
            ("buffers.txt", |text| text.replacen("0000001", "no number", 1)),
        ] {
            write(folder.path(), &exported, &SMALL);
            let text = file(&exported, name);
            let damaged = damage(text);
            assert_ne!(damaged, text);
            fs::write(folder.path().join(name), &damaged).unwrap();
            let (success, said) = run(&simulator, folder.path());
            assert!(!success, "{}, {name}: {damaged}\n{said}", simulator.program);
        }
    }
}
