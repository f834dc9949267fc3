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

use drra_recorded::{SignalHandle, Waveform, WaveformError, WaveformValue};

use crate::support::{Folder, VCD, all, counter_fst, fixture, text};

const TRACE: &str = r#"{"format":"drra-trace","version":2,"fabric":{"rows":2,"columns":4,"tile_rows":1,"rf_words":64,"sram_blocks":128}}
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
    let kind = |id| &waveform.names().signal(id).kind;
    let path = |id| &waveform.names().signal(id).path;
    let mut lines: Vec<_> =
        waveform.names().all().map(|(_, signal)| format!("{signal:?}")).collect();
    let cut = waveform.play(&all(&waveform), &mut |step| {
        let mut changes: Vec<_> = step.changes.iter().collect();
        changes.sort_by_key(|(id, _)| *id);
        let line = |(id, value): &(SignalHandle, WaveformValue)| {
            format!("{} {} {:?} {}", step.time, path(*id), kind(*id), text(value))
        };
        lines.extend(changes.into_iter().map(line));
        ControlFlow::Continue(())
    })?;
    lines.push(format!("{cut:?}"));
    Ok(lines)
}

#[test]
fn a_fifo_shows_what_the_file_shows() {
    let folder = Folder::new();
    let ghw = fs::read(fixture("small.ghw")).unwrap();
    let marked = format!("\u{feff}{VCD}");
    // Identifiers so far apart that the library reads the definitions twice.
    let apart = VCD.replace('"', "zzzzz");
    let texts = VCD.replace("string 1", "wire 0");
    for bytes in [
        VCD.as_bytes(),
        marked.as_bytes(),
        apart.as_bytes(),
        texts.as_bytes(),
        TRACE.as_bytes(),
        &ghw,
    ] {
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
    for (bytes, what) in [
        (
            fs::read(&fst).unwrap(),
            "is FST from a pipe, whose names come last: write VCD or GHW to the pipe",
        ),
        (Vec::new(), "is empty: "),
        (b"\x1f\x8b\x08".to_vec(), "decompress it with `gunzip`"),
    ] {
        let (path, writer) = written(&folder, &bytes);
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

/// Writes the next time only when the changes at the time before the last have arrived, until nobody reads. The clock
/// is not wanted, and the other signal changes only at every fourth time.
#[test]
fn changes_arrive_while_the_writer_still_writes() {
    let folder = Folder::new();
    let (path, fifo) = (fifo(&folder), fifo(&folder));
    let head = "$var wire 1 ! clk $end\n$var wire 8 # n $end\n$enddefinitions $end\n";
    let (arrived, arrivals) = mpsc::channel();
    let writer = thread::spawn(move || {
        let mut fifo = File::create(fifo).unwrap();
        fifo.write_all(head.as_bytes()).unwrap();
        for time in 0_u64.. {
            let n =
                if time % 4 == 0 { format!("b{:b} #\n", time / 4 % 256) } else { String::new() };
            let written = fifo.write_all(format!("#{time}\n{n}").as_bytes());
            // Without an end, a reader that waits for more fails here.
            let waits = time % 4 == 1;
            if written.is_err()
                || waits && arrivals.recv_timeout(Duration::from_secs(60)) != Ok(time - 1)
            {
                return time;
            }
        }
        0
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
    assert!(writer.join().unwrap() > 4 * 4999);
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
