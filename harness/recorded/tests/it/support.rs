// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waveforms for the tests, made here or by GHDL from `fixtures/small.vhd`.

use std::{
    collections::BTreeMap,
    fmt::Write,
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use drra_recorded::{SignalHandle, Waveform, WaveformError, WaveformValue};
use drra_testkit::fst;
use tempfile::TempDir;

/// A VCD with two names for its clock, an array, an escaped name, a number, an event and a text.
pub(crate) const VCD: &str = "$timescale 1ns $end
$scope module tb $end
$var wire 1 ! clk $end
$var wire 1 ! ck $end
$scope module dut $end
$var reg 6 \" pc [5:0] $end
$var reg 8 # mem[3] [7:0] $end
$var reg 8 $ \\odd[2]  [7:0] $end
$var real 64 % heat $end
$var event 1 & tick $end
$var string 1 ' state $end
$var wire 1 ( bit [4] $end
$var reg 72 ) wide [71:0] $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
0!
bx \"
b101 #
bz0 $
r1.5 %
sidle '
1(
b1 )
$end
#5
1!
b11 \"
b100 \"
#10
0!
srun '
1&
#15
1!
b1000000000000000000000000000000000000000000000000000000000000000000000x1 )
";

/// A folder that contains one waveform.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    pub(crate) fn write(&self, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join("waveform");
        fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures").join(name)
}

/// An FST with a clock period of ten units, and a four-bit counter of its rising edges, partly `x` at first.
pub(crate) fn counter_fst(path: &Path, cycles: u64) {
    let (mut body, ids) = fst::begin(path, "tb", [("clk".into(), 1), ("n [3:0]".into(), 4)]);
    let [clock, counter] = ids[..] else { panic!("two wires") };
    body.time_change(0).unwrap();
    body.signal_change(clock, b"0").unwrap();
    body.signal_change(counter, b"xx0x").unwrap();
    for cycle in 0..cycles {
        body.time_change(10 * cycle + 5).unwrap();
        body.signal_change(clock, b"1").unwrap();
        body.signal_change(counter, format!("{:04b}", (cycle + 1) % 16).as_bytes()).unwrap();
        body.time_change(10 * cycle + 10).unwrap();
        body.signal_change(clock, b"0").unwrap();
    }
    body.finish().unwrap();
}

pub(crate) fn all(waveform: &Waveform) -> Vec<SignalHandle> {
    waveform.names().all().map(|(id, _)| id).collect()
}

/// Opens a waveform and plays all of it. Returns the time of the last change, and the place where the file is
/// truncated.
pub(crate) fn play(path: &Path) -> Result<(u64, Option<String>), WaveformError> {
    let waveform = Waveform::open(path)?;
    let mut last = 0;
    let cut = waveform.play(&all(&waveform), &mut |time_step| {
        last = time_step.time;
        ControlFlow::Continue(())
    })?;
    Ok((last, cut))
}

/// A value as its bits, with `x` for an unknown bit, or its text.
pub(crate) fn text(value: &WaveformValue) -> String {
    match value {
        WaveformValue::Text(text) => text.to_string(),
        WaveformValue::Bits(bits) => (0..bits.width())
            .rev()
            .map(|n| bits.bit(n).map_or('x', |bit| if bit { '1' } else { '0' }))
            .collect(),
    }
}

/// All changes of these signals, with a line for each time.
pub(crate) fn changes(path: &Path, signals: &[&str]) -> Vec<String> {
    let waveform = Waveform::open(path).unwrap();
    let wanted: Vec<_> = signals.iter().map(|path| waveform.names().find(path).unwrap()).collect();
    let mut lines = Vec::new();
    waveform
        .play(&wanted, &mut |time_step| {
            let of = |n: usize| {
                let change = time_step.changes.iter().find(|(id, _)| *id == wanted[n]);
                change.map(|(_, value)| format!("{}={}", signals[n], text(value)))
            };
            let changes: Vec<_> = (0..wanted.len()).filter_map(of).collect();
            lines.push(format!("{}: {}", time_step.time, changes.join(" ")));
            ControlFlow::Continue(())
        })
        .unwrap();
    lines
}

pub(crate) type Sample = BTreeMap<String, String>;

pub(crate) fn digits(words: &[u64], width: u32) -> String {
    let bit = |b: u32| words.get((b / 64) as usize).is_some_and(|w| w >> (b % 64) & 1 == 1);
    (0..width).rev().map(|b| if bit(b) { '1' } else { '0' }).collect()
}

/// A VCD with a clock period of ten units; registers change at the rising edge.
pub(crate) fn vcd(module: &str, clock: &str, samples: &[Sample]) -> String {
    let mut out = format!(
        "$timescale 1ns $end\n$scope module {module} $end\n$var wire 1 clock {clock} $end\n"
    );
    let mut number = 0;
    for name in samples[0].keys() {
        let levels: Vec<&str> = name.split(['.', '/']).collect();
        let (last, scopes) = levels.split_last().unwrap();
        scopes.iter().for_each(|s| writeln!(out, "$scope module {s} $end").unwrap());
        writeln!(out, "$var wire {} i{number} {last} $end", samples[0][name].len()).unwrap();
        scopes.iter().for_each(|_| out += "$upscope $end\n");
        number += 1;
    }
    out += "$upscope $end\n$enddefinitions $end\n";
    let mut last: Vec<&str> = vec![""; number];
    for (edge, sample) in samples.iter().enumerate() {
        writeln!(out, "#{}", 10 * edge).unwrap();
        writeln!(out, "{}clock", u8::from(edge > 0)).unwrap();
        for (n, value) in sample.values().enumerate() {
            if last[n] != value {
                writeln!(out, "b{value} i{n}").unwrap();
                last[n] = value;
            }
        }
        writeln!(out, "#{}\n0clock", 10 * edge + 5).unwrap();
    }
    writeln!(out, "#{}\n1clock", 10 * samples.len()).unwrap();
    out
}
