// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra check` with damaged waveforms and maps: it produces a result in bounded time and memory, and never reports an
//! agreement that the file does not show. `DRRA_HOSTILE=N` tries N damaged copies of each file instead of a few.

mod ghw;
mod process;
mod recording;
mod shown;

use std::{fs, path::Path};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use process::{ProcessResult, drra};
use recording::Recording;
use shown::ShownValues;

/// The formats, by file extension.
const FORMATS: [&str; 4] = ["vcd", "fst", "ghw", "jsonl"];
/// Number of damaged copies of each file.
const COPIES: usize = 24;
/// Number of faulty values in each format.
const FAULTS: usize = 6;

fn copies(default: usize) -> usize {
    let asked = std::env::var("DRRA_HOSTILE").ok().and_then(|n| n.parse().ok());
    asked.unwrap_or(default)
}

/// A folder with the case and a map for each format.
fn folder(recording: &Recording) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("isa/vec_add.sasm");
    fs::copy(source, dir.path().join("vec_add.sasm")).unwrap();
    for format in FORMATS {
        let map = recording.map(format);
        fs::write(dir.path().join(format!("{format}.map")), map).unwrap();
    }
    dir
}

/// The output of `drra check` for a waveform, with or without the case; a trace is always checked with the case.
fn check(folder: &Path, format: &str, bytes: &[u8], given: bool) -> ProcessResult {
    let (name, map) = (format!("dump.{format}"), format!("{format}.map"));
    fs::write(folder.join(&name), bytes).unwrap();
    let case = if given || format == "jsonl" { Some("vec_add.sasm") } else { None };
    let arguments = [Some("check"), case, Some(&name), Some("--map"), Some(&map)];
    drra(folder, arguments.into_iter().flatten())
}

/// A copy with changed bytes, or with a part that is missing, doubled, or overwritten with another byte.
fn damaged(bytes: &[u8], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    let from = random.random_range(0..bytes.len());
    let to = (from + random.random_range(1..400)).min(bytes.len());
    match random.random_range(0..6) {
        0 => _ = copy.drain(from..to),
        1 => _ = copy.splice(from..from, bytes[from..to].iter().copied()),
        2 => copy[from..to].fill(random.random()),
        _ => {
            for _ in 0..random.random_range(1..=5) {
                let place = random.random_range(0..bytes.len());
                // Text stays text most of the time.
                let plain = bytes[place].is_ascii_graphic() && random.random_bool(0.7);
                copy[place] = if plain { random.random_range(33..127) } else { random.random() };
            }
        }
    }
    copy
}

/// Keeps the file that is about to make a test fail, and returns its path.
fn kept(folder: &Path, format: &str, number: usize) -> String {
    let to = std::env::temp_dir().join(format!("drra-hostile-{number}.{format}"));
    match fs::copy(folder.join(format!("dump.{format}")), &to) {
        Ok(_) => to.display().to_string(),
        Err(e) => e.to_string(),
    }
}

/// Damaged copies of a waveform.
fn damage(format: &str) {
    let recording = Recording::of_vec_add();
    let dir = folder(&recording);
    let whole = recording.bytes(format, dir.path());
    for given in [false, true] {
        let ran = check(dir.path(), format, &whole, given);
        assert_eq!(ran.code, Some(0), "{format}: {}{}", ran.out, ran.err);
    }
    let mut random = ChaCha8Rng::seed_from_u64(format.len() as u64 + u64::from(whole[0]));
    let (mut agreed, mut refused) = (0, 0);
    for number in 0..copies(COPIES) {
        let bytes = damaged(&whole, &mut random);
        let ran = check(dir.path(), format, &bytes, number % 2 == 0);
        let place = || kept(dir.path(), format, number);
        assert!(ran.is_an_answer(), "{}: {:?} {}{}", place(), ran.code, ran.out, ran.err);
        refused += usize::from(ran.code == Some(2));
        if ran.code == Some(0) {
            agreed += 1;
            let shown = ShownValues::read(
                format,
                &dir.path().join(format!("dump.{format}")),
                &recording.names,
            );
            let verdict = shown.and_then(|shown| recording.justifies(&shown, &ran.out));
            assert!(verdict.is_ok(), "{}: {verdict:?}: {}", place(), ran.out);
        }
    }
    assert!(refused > 0 && agreed < copies(COPIES), "{format}: {refused} refused, {agreed} agree");
}

#[test]
fn damaged_vcd() {
    damage("vcd");
}

#[test]
fn damaged_fst() {
    damage("fst");
}

#[test]
fn damaged_ghw() {
    damage("ghw");
}

#[test]
fn damaged_traces() {
    damage("jsonl");
}

/// A truncated file is detected. A VCD that is cut between two lines cannot be distinguished from a VCD that ends
/// there. In this case, the reported cycles must be the cycles in the file.
#[test]
fn cut_files() {
    let recording = Recording::of_vec_add();
    let dir = folder(&recording);
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for format in FORMATS {
        let whole = recording.bytes(format, dir.path());
        for _ in 0..copies(COPIES / 2) {
            let length = random.random_range(0..whole.len());
            let ran = check(dir.path(), format, &whole[..length], true);
            assert!(ran.is_an_answer(), "{format} {length}: {}{}", ran.out, ran.err);
            let line_end = format == "vcd" && whole[..length].ends_with(b"\n");
            if ran.code == Some(0) {
                assert!(line_end, "{format} cut after {length} bytes agrees: {}", ran.out);
                let shown = ShownValues::read(
                    format,
                    &dir.path().join(format!("dump.{format}")),
                    &recording.names,
                );
                assert_eq!(shown.and_then(|s| recording.justifies(&s, &ran.out)), Ok(()));
            }
        }
    }
}

/// A wrong or unknown bit of a compared register is found in its cycle.
#[test]
fn wrong_values() {
    let recording = Recording::of_vec_add();
    let dir = folder(&recording);
    let mut random = ChaCha8Rng::seed_from_u64(6);
    for format in FORMATS {
        for number in 0..copies(FAULTS) {
            let unknown = format != "jsonl" && number % 3 == 0;
            let (faulty, cycle, register) = recording.with_fault(&mut random, unknown);
            let ran = check(dir.path(), format, &faulty.bytes(format, dir.path()), number % 2 == 0);
            let verb = if unknown { "is unknown" } else { "differs" };
            let expected = format!("MISMATCH in cycle {cycle}: {register} {verb}");
            assert_eq!(ran.code, Some(1), "{format} {expected}: {}{}", ran.out, ran.err);
            assert!(ran.out.contains(&expected), "{format} {expected}: {}", ran.out);
        }
    }
}

/// The command produces a result for damaged maps.
#[test]
fn damaged_maps() {
    let recording = Recording::of_vec_add();
    let dir = folder(&recording);
    let map = recording.map("fst");
    let dump = recording.bytes("fst", dir.path());
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut refused = 0;
    for number in 0..copies(COPIES) {
        let bytes = damaged(map.as_bytes(), &mut random);
        fs::write(dir.path().join("fst.map"), &bytes).unwrap();
        let ran = check(dir.path(), "fst", &dump, number % 2 == 0);
        let text = String::from_utf8_lossy(&bytes);
        assert!(ran.is_an_answer(), "{:?} {}{}\n{text}", ran.code, ran.out, ran.err);
        refused += usize::from(ran.code == Some(2));
    }
    assert!(refused > 0, "the damage has no effect");
}
