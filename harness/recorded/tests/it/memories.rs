// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memories that a waveform does not show are reconstructed from their write ports.

use drra_fabric::{Location, Register};
use drra_isa::{TileId, Unit};
use drra_lockstep::{Mismatch, MismatchKind};

use crate::recording::{
    Map, RESET, Recording, found, geometry, locations, map, name, prepared, recorded, vec_add,
};

fn row(tile: TileId, row: usize) -> Location {
    Location { unit: Unit::Tile(tile), register: Register::TileSram(row) }
}

/// Shows the memories only by their write ports: `en_`, `addr_` and `data_`, followed by the row and the column of the
/// tile. Returns the edges of the writes of tile (1,0).
fn with_write_ports(recording: &mut Recording) -> Vec<usize> {
    let mut writes = Vec::new();
    let rows = geometry().sram_blocks;
    for tile in TileId::all(&geometry()) {
        let key = format!("{}_{}", tile.row(), tile.col());
        for edge in 0..recording.samples.len() {
            let content =
                |edge: usize, n| recording.samples.get(edge).map(|f| &f[&name(row(tile, n))]);
            let written = (0..rows).find(|n| {
                content(edge + 1, *n).is_some_and(|after| Some(after) != content(edge, *n))
            });
            let data = written.and_then(|n| content(edge + 1, n)).cloned();
            if written.is_some() && key == "1_0" {
                writes.push(edge);
            }
            let enable = u8::from(written.is_some()).to_string();
            let address = format!("{:04b}", written.unwrap_or(0));
            let data = data.unwrap_or_else(|| "0".repeat(256));
            let sample = &mut recording.samples[edge];
            sample.insert(format!("en_{key}"), enable);
            sample.insert(format!("addr_{key}"), address);
            sample.insert(format!("data_{key}"), data);
        }
    }
    for sample in &mut recording.samples {
        sample.retain(|name, _| !name.starts_with("their_tile") || !name.contains("_sram_"));
    }
    writes
}

fn memory_map(unknown: &str) -> Map {
    let mut map = map();
    let port = "enable: bench.en_{a}_{b}, address: bench.addr_{a}_{b}, data: bench.data_{a}_{b}";
    map.set("tile[a][b].sram[c]", &format!("= memory({port}{unknown})"));
    map
}

/// The first register that differs in the first mismatch, with its cycle.
fn differing(mismatch: Option<Mismatch>) -> (String, u64) {
    let Some(Mismatch { cycle, kind: MismatchKind::State(differences) }) = mismatch else {
        panic!("{mismatch:?}")
    };
    (differences[0].location.to_string(), cycle)
}

/// All rows are compared from the first cycle on, including rows that are never written.
#[test]
fn all_rows_are_compared() {
    let mut recording = recorded(&vec_add());
    assert!(with_write_ports(&mut recording).len() >= 4);
    let check = prepared(&recording.text(), &memory_map(""), None).unwrap();
    assert_eq!(check.run(None).unwrap().outcome.mismatch, None);
    let account = check.setup().design.mapped().unwrap().compared();
    assert_eq!(account.compared().registers, locations().len() as u64);
}

/// A row that is never written is wrong for two cycles, far from the cycles in which all rows are compared anyway.
#[test]
fn a_row_is_wrong_for_some_cycles() {
    let mut recording = recorded(&vec_add());
    let (signal, wrong) = (name(row(TileId::all(&geometry()).next().unwrap(), 9)), "1".repeat(256));
    let cycle = 37;
    let edge = (RESET + cycle) as usize;
    for sample in &mut recording.samples[edge..edge + 2] {
        assert_ne!(sample.insert(signal.clone(), wrong.clone()), Some(wrong.clone()));
    }
    let expected = ("tile[1][0].sram[9]".to_owned(), cycle);
    assert_eq!(differing(found(&recording.text(), &map(), None)), expected);
}

/// Writes that the design misses, makes to a wrong row, or makes without a reason are found.
#[test]
fn wrong_writes_are_found() {
    let mut whole = recorded(&vec_add());
    let edge = with_write_ports(&mut whole)[2];
    let cycle = edge as u64 - RESET + 1;
    let address = whole.samples[edge]["addr_1_0"].clone();
    let written = usize::from_str_radix(&address, 2).unwrap();

    let mut missed = whole.clone();
    missed.samples[edge].insert("en_1_0".to_owned(), "0".to_owned());
    let expected = (format!("tile[1][0].sram[{written}]"), cycle);
    assert_eq!(differing(found(&missed.text(), &memory_map(""), None)), expected);

    let mut elsewhere = whole.clone();
    elsewhere.samples[edge].insert("addr_1_0".to_owned(), "1111".to_owned());
    assert_eq!(differing(found(&elsewhere.text(), &memory_map(""), None)), expected);

    let mut extra = whole.clone();
    for (signal, value) in [("en_1_0", "1".to_owned()), ("addr_1_0", "1110".to_owned())] {
        extra.samples[0].insert(signal.to_owned(), value);
    }
    extra.samples[0].insert("data_1_0".to_owned(), "1".repeat(256));
    let expected = ("tile[1][0].sram[14]".to_owned(), 0);
    assert_eq!(differing(found(&extra.text(), &memory_map(""), None)), expected);
}

/// An enable that is unknown in reset writes nothing; later, it makes all rows unknown that may have been written.
#[test]
fn unknown_enables() {
    let mut recording = recorded(&vec_add());
    with_write_ports(&mut recording);
    for edge in 0..RESET as usize {
        recording.samples[edge].insert("en_1_0".to_owned(), "x".to_owned());
        recording.samples[edge].insert("addr_1_0".to_owned(), "xxxx".to_owned());
    }
    assert_eq!(found(&recording.text(), &memory_map(""), None), None);
    // Enable and address stay unknown: they do not change at the edge that ends cycle 0.
    let first = recording.samples[0].clone();
    for signal in ["en_1_0", "addr_1_0"] {
        recording.samples[RESET as usize].insert(signal.to_owned(), first[signal].clone());
    }
    let mismatch = found(&recording.text(), &memory_map(""), None).unwrap();
    assert!(matches!(mismatch.kind, MismatchKind::Unknown(_)), "{mismatch:?}");
    assert_eq!(mismatch.cycle, 1);
}

/// A memory can be loaded in other ways than through its write port.
#[test]
fn backdoor_contents() {
    let case = vec_add();
    let mut recording = recorded(&case);
    with_write_ports(&mut recording);
    let loaded = (case.stimulus.end() + RESET) as usize;
    for sample in &mut recording.samples[..loaded] {
        sample.insert("en_1_0".to_owned(), "0".to_owned());
    }
    let without_ports = |unknown| memory_map(unknown).without_ports();
    let text = recording.text();
    assert_eq!(found(&text, &without_ports(", unknown"), Some(&case)), None);
    let from_zeros = found(&text, &without_ports(""), Some(&case));
    assert_eq!(differing(from_zeros).0, "tile[1][0].sram[0]");
}
