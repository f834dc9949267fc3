// SPDX-License-Identifier: MIT OR Apache-2.0
//! The clock cycles of waveforms.

use std::{ops::ControlFlow, path::Path};

use drra_recorded::{Clock, Edge, LatestValues, Waveform, WaveformError, samples};

use crate::support::{Folder, text};

/// Number and time of every edge, with the value of a signal just before it.
fn read(path: &Path, clock: &str, edge: Edge, signal: &str) -> Result<Vec<String>, WaveformError> {
    let waveform = Waveform::open(path).unwrap();
    let clock = Clock { signal: waveform.names().find(clock).unwrap(), edge };
    let signal = waveform.names().find(signal).unwrap();
    let (mut lines, mut values) = (Vec::new(), LatestValues::default());
    samples(&waveform, clock, &[signal], &mut |sample| {
        values.apply(&sample);
        let value = values.get(signal).map_or("none".to_owned(), text);
        lines.push(format!("{} {} {value}", sample.edge, sample.time));
        ControlFlow::Continue(())
    })?;
    Ok(lines)
}

fn vcd(values: &str) -> (Folder, std::path::PathBuf) {
    let folder = Folder::new();
    let head = "$var wire 1 ! c $end\n$var wire 2 \" d $end\n$enddefinitions $end\n";
    let path = folder.write(format!("{head}{values}"));
    (folder, path)
}

#[test]
fn values_stand_just_before_the_edge() {
    let (_folder, path) =
        vcd("#0\n0!\nb00 \"\n#5\n1!\nb01 \"\n#6\nb10 \"\n#9\nb11 \"\n0!\n#12\n1!\n#14\n0!\n");
    let lines = read(&path, "c", Edge::Rising, "d").unwrap();
    assert_eq!(lines, ["0 5 00", "1 12 11"]);
    let lines = read(&path, "c", Edge::Falling, "d").unwrap();
    assert_eq!(lines, ["0 9 10", "1 14 11"]);
}

/// A change from an unknown value to 1 is not an edge, nor is a pulse within one timestamp or a repeated value.
#[test]
fn an_edge_is_found_by_settled_values() {
    let (_folder, path) =
        vcd("#0\nx!\nb00 \"\n#1\n1!\n#2\n0!\n#3\n1!\n0!\n#4\n1!\n#5\n1!\n#6\nz!\n#7\n1!\n");
    let lines = read(&path, "c", Edge::Rising, "d").unwrap();
    assert_eq!(lines, ["0 4 00"]);
}

#[test]
fn what_is_no_clock_says_so() {
    for (values, what) in [
        ("#0\n0!\n#5\n0!\n", "never goes from 0 to 1, and is 0 at the end"),
        ("#0\nx!\n", "its value is never known"),
        ("", "its value is never known"),
    ] {
        let (_folder, path) = vcd(values);
        let error = read(&path, "c", Edge::Rising, "d").unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
        let error = read(&path, "d", Edge::Rising, "c").unwrap_err().to_string();
        assert!(error.contains("is not a one-bit signal"), "{error}");
    }
}
