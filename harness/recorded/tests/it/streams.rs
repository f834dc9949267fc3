// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waveforms from a FIFO.
#![cfg(unix)]

use std::{
    fs::{self, File},
    io::Write,
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread::{self, JoinHandle},
    time::Duration,
};

use drra_recorded::{Waveform, WaveformError};

use crate::support::{Folder, VCD, all, counter_fst, fixture};

const TRACE: &str = r#"{"format": "drra-trace", "version": 2, "fabric": {"rows": 2, "columns": 4, "tile_rows": 1, "rf_words": 64, "sram_blocks": 128}}
{"cycle": 1, "path": "cell[1][3].seq.pc", "value": "0x05"}
{"cycle": 3, "path": "cell[1][3].seq.pc", "value": "0x06"}
{"last_cycle": 5}
"#;

fn fifo(folder: &Folder) -> PathBuf {
    let path = folder.path().join("fifo");
    assert!(path.exists() || Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

/// A FIFO, and what writes these bytes to it.
fn written(folder: &Folder, bytes: &[u8]) -> (PathBuf, JoinHandle<()>) {
    let (path, writer, bytes) = (fifo(folder), fifo(folder), bytes.to_owned());
    // The reader may stop early.
    (path, thread::spawn(move || drop(File::create(writer).unwrap().write_all(&bytes))))
}

/// All names and changes, and the place where the source is truncated.
fn contents(path: &Path) -> Result<Vec<String>, WaveformError> {
    let waveform = Waveform::open(path)?;
    let mut lines: Vec<_> = waveform.names().all().map(|signal| format!("{signal:?}")).collect();
    let cut = waveform.play(&all(&waveform), &mut |step| {
        let mut changes = step.changes.to_vec();
        changes.sort_by_key(|(id, _)| *id);
        lines.push(format!("{} {changes:?}", step.time));
        ControlFlow::Continue(())
    })?;
    lines.push(format!("{cut:?}"));
    Ok(lines)
}

#[test]
fn a_fifo_shows_what_the_file_shows() {
    let folder = Folder::new();
    // Identifiers so far apart that the library reads the definitions twice.
    let apart = VCD.replace('"', "zzzzz");
    let texts = [
        VCD.into(),
        format!("\u{feff}{VCD}"),
        apart,
        VCD.replace("string 1", "wire 0"),
        TRACE.into(),
    ];
    let ghw = ["small.ghw", "arrays.ghw"].map(|name| fs::read(fixture(name)).unwrap());
    for bytes in texts.map(String::into_bytes).iter().chain(&ghw) {
        for bytes in [bytes, &bytes[..bytes.len() - 9], &bytes[..bytes.len() / 4], b"$x"] {
            let file = contents(&folder.write(bytes)).map_err(|error| error.to_string());
            let (path, writer) = written(&folder, bytes);
            let stream =
                contents(&path).map_err(|error| error.to_string().replace("fifo`", "waveform`"));
            writer.join().unwrap();
            assert_eq!(stream, file, "{}", bytes.len());
        }
    }
}

#[test]
fn what_a_stream_cannot_do_says_so() {
    let folder = Folder::new();
    let fst = folder.path().join("fst");
    counter_fst(&fst, 3);
    let (fst, names_last) = (fs::read(&fst).unwrap(), "is FST from a pipe, whose names come last");
    for (bytes, what) in
        [(&fst[..], names_last), (b"", "is empty: "), (b"\x1f\x8b\x08", "decompress it with")]
    {
        let (path, writer) = written(&folder, bytes);
        let error = Waveform::open(&path).unwrap_err().to_string();
        writer.join().unwrap();
        assert!(error.contains(what), "{error}");
    }
    let (path, writer) = written(&folder, VCD.as_bytes());
    let waveform = Waveform::open(&path).unwrap();
    assert!(waveform.is_stream() && !Waveform::open(&folder.write(VCD)).unwrap().is_stream());
    let play = || waveform.play(&all(&waveform), &mut |_| ControlFlow::Break(()));
    assert_eq!(play().unwrap(), None);
    assert!(play().unwrap_err().to_string().contains("can be played only once"));
    writer.join().unwrap();
}

/// Each change is written with the next time, and the next change only when it has arrived, until nobody reads.
#[test]
fn changes_arrive_while_the_writer_still_writes() {
    let folder = Folder::new();
    let (path, fifo) = (fifo(&folder), fifo(&folder));
    let (arrived, arrivals) = mpsc::channel();
    let writer = thread::spawn(move || {
        let mut fifo = File::create(fifo).unwrap();
        fifo.write_all(b"$var wire 8 # n $end\n$enddefinitions $end\n").unwrap();
        (0..).step_by(4).find(|time| {
            let text = format!("#{time}\nb{:b} #\n#{}\n", time / 4 % 256, time + 1);
            // Without an end, a reader that waits for more fails here.
            let arrived = || arrivals.recv_timeout(Duration::from_secs(60));
            fifo.write_all(text.as_bytes()).is_err() || arrived() != Ok(*time)
        })
    });
    let waveform = Waveform::open(&path).unwrap();
    let n = waveform.names().find("n").unwrap();
    let mut times = Vec::new();
    waveform
        .play(&[n], &mut |step| {
            times.push(step.time);
            arrived.send(step.time).unwrap();
            if times.len() < 5000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
        .unwrap();
    assert!(times.iter().copied().eq((0..5000).map(|n| 4 * n)), "{times:?}");
    drop((waveform, arrived));
    assert_eq!(writer.join().unwrap(), Some(4 * 5000));
}

/// All but the end is written before the values at the time before the last arrive.
#[test]
fn changes_of_a_ghw_arrive_before_its_end() {
    let folder = Folder::new();
    let bytes = fs::read(fixture("small.ghw")).unwrap();
    let end = bytes.windows(4).position(|window| window == b"ECY\0").unwrap();
    let (path, fifo) = (fifo(&folder), fifo(&folder));
    let (arrived, arrivals) = mpsc::channel();
    let writer = thread::spawn(move || {
        let mut fifo = File::create(fifo).unwrap();
        fifo.write_all(&bytes[..end]).unwrap();
        let arrived = || arrivals.recv_timeout(Duration::from_secs(60)).ok();
        let waited = std::iter::from_fn(arrived).find(|time| *time == 35_000_000);
        fifo.write_all(&bytes[end..]).unwrap();
        waited
    });
    let waveform = Waveform::open(&path).unwrap();
    waveform
        .play(&all(&waveform), &mut |step| {
            let _ = arrived.send(step.time);
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(writer.join().unwrap(), Some(35_000_000));
}

/// Standard input belongs to the process, so this test is run in a process of its own.
#[test]
fn standard_input() {
    let is_inner = std::env::var_os("DRRA_TEST_INPUT").is_some();
    if is_inner {
        return assert_eq!(contents(Path::new("-")).unwrap().last().unwrap(), "None");
    }
    let mut inner = Command::new(std::env::current_exe().unwrap())
        .args(["streams::standard_input", "--exact"])
        .env("DRRA_TEST_INPUT", "")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    inner.stdin.take().unwrap().write_all(VCD.as_bytes()).unwrap();
    assert!(inner.wait().unwrap().success());
}
