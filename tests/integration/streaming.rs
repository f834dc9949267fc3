// SPDX-License-Identifier: MIT OR Apache-2.0
//! Long waveforms through `drra check`, whose use of memory does not grow with their length. `DRRA_LONG=N` uses
//! waveforms of N and of N/10 cycles. The memory and time that each comparison takes are printed.

use std::{
    fs::{self, File},
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use drra_case::{
    Case,
    load::{ProgramInputs, load},
};
use drra_cosim::GEOMETRY;
use drra_fabric::Location;
use drra_isa::CellId;
use drra_lockstep::GoldenRun;

use crate::written::WaveFile;

/// A program without an end.
const PROGRAM: &str = ".CODE
CELL <0,0>
again:  RACCU mode=add, operand1=11, operand2=0, result=0
        WAIT cycle=3
        RACCU mode=add, operand1=22, operand2=0, result=0
        JUMP pc=again
";
/// Number of cycles of the longer waveform.
const CYCLES: u64 = 20_000;
/// Additional memory that the longer waveform may take compared with the shorter waveform, in units of 1024 bytes.
const GROWTH: u64 = 12_000;

fn registers() -> Vec<Location> {
    let cells = CellId::all(&GEOMETRY).flat_map(|cell| {
        let (r, c) = (cell.row(), cell.col());
        let names = ["seq.pc", "seq.state", "seq.wait_count", "dpu.acc_cnt", "seq.raccu_reg[0]"];
        names.map(|name| format!("cell[{r}][{c}].{name}").parse().unwrap())
    });
    cells.collect()
}

/// Writes a waveform of this many cycles, and its map.
fn write(case: &Case, format: &str, folder: &Path, cycles: u64) {
    let (all, trace) = (registers(), format == "jsonl");
    let signal = |(n, location): (usize, &Location)| {
        let name = if trace { location.to_string() } else { format!("r{n}") };
        (name, location.register.width(&GEOMETRY))
    };
    let signals: Vec<(String, u32)> = all.iter().enumerate().map(signal).collect();
    let path = folder.join(format!("dump.{format}"));
    let mut written = WaveFile::begin(format, &path, "top", &signals);
    let mut run = GoldenRun::new(case);
    let mut last = vec![String::new(); all.len()];
    for cycle in 0..cycles {
        run.fabric.pack();
        let mut changes = Vec::new();
        for (n, ((location, (_, width)), last)) in
            all.iter().zip(&signals).zip(&mut last).enumerate()
        {
            let value = run.fabric.value(*location).unwrap()[0];
            let bits = format!("{value:0width$b}", width = *width as usize);
            if *last != bits {
                *last = bits;
                changes.push((n, last.as_str()));
            }
        }
        written.cycle(cycle, &changes);
        run.step();
    }
    written.end(cycles);
    let entry = |(n, location): (usize, &Location)| {
        let signal = if trace { location.to_string() } else { format!("top.r{n}") };
        format!("{location} = {signal}\n")
    };
    let clock = if trace { "clock" } else { "top.clk" };
    let registers: String = all.iter().enumerate().map(entry).collect();
    let map = format!("clock rising {clock}\ncycle_0 when 1'b1\n{registers}");
    fs::write(folder.join("signals.map"), map).unwrap();
}

/// Checks the waveform, as a file or while it arrives on standard input. Returns the peak memory of the process, if the
/// system reports it.
fn check(format: &str, folder: &Path, cycles: u64, arrives: bool) -> Option<u64> {
    let (dump, last) = (format!("dump.{format}"), (cycles - 1).to_string());
    let input = File::open(folder.join(&dump)).unwrap();
    let dump = if arrives { "-" } else { &dump };
    let mut child = Command::new(env!("CARGO_BIN_EXE_drra"))
        .args(["check", "endless.sasm", dump, "--map", "signals.map", "--cycles", &last])
        .current_dir(folder)
        .stdin(input)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let (mut most, begin) = (None, Instant::now());
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
        most = most.max(number);
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{format}: {text}");
    assert!(text.contains(&format!(" in {last} cycles, ")), "{format}: {text}");
    println!(
        "{format}, {dump}: {cycles} cycles, at most {most:?} kB, {:.1} s",
        begin.elapsed().as_secs_f64()
    );
    most
}

#[test]
fn memory_does_not_grow_with_the_length() {
    let asked = std::env::var("DRRA_LONG").ok().and_then(|n| n.parse().ok());
    let cycles: u64 = asked.unwrap_or(CYCLES);
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("endless.sasm");
    fs::write(&program, PROGRAM).unwrap();
    let case = load(&program, &ProgramInputs::default(), &GEOMETRY).unwrap().case;
    let files = ["vcd", "fst", "jsonl"].map(|format| (format, false));
    for (format, arrives) in files.into_iter().chain([("vcd", true), ("jsonl", true)]) {
        let most = [cycles / 10, cycles].map(|cycles| {
            write(&case, format, dir.path(), cycles);
            check(format, dir.path(), cycles, arrives)
        });
        let [Some(short), Some(long)] = most else {
            println!("{format}: the system does not report the memory of a process");
            continue;
        };
        assert!(long < short + GROWTH, "{format}: {short} kB became {long} kB");
    }
}
