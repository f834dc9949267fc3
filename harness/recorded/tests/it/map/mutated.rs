// SPDX-License-Identifier: MIT OR Apache-2.0
//! Damaged maps: always an answer.

use drra_isa::{Geometry, fabric::RegisterId};
use drra_recorded::map::{MapFile, SignalMap};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{SMALL, names};

/// Pieces that mean something in a map.
const PIECES: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "{c}",
    "{cell}",
    "{1-r}",
    "{0-1}",
    "'",
    "6'b0",
    "*",
    "..",
    "9999999999",
    "-1",
    "null",
    "[]",
    "{}",
    "r",
    "%0}",
    "\u{e9}",
    "{units[k]}",
];

/// Registers of a fabric, blocks of the tiles included.
fn registers(geometry: &Geometry) -> usize {
    let of_kind = |id: &RegisterId| id.info().unit.count(geometry) * id.all(geometry).count();
    RegisterId::ALL.iter().map(of_kind).sum()
}

/// Maps of the published fabric and of a small one with characters removed, doubled or replaced: they are refused
/// or bound, and what is bound has every register once.
#[test]
fn mutated_maps_are_refused_or_bound() {
    let published = include_str!("../../../maps/silago-published.json");
    let small = r#"{"version": 1, "let": {"cell": ["x.{c}", "{top}"], "top": "top"}, "tables": {"units": [1]},
        "clock": {"signal": "top.clk", "edge": "rising"}, "reset": {"signal": "top.rst_n", "active": "low"},
        "registers": [{"register": "cell[r][c].seq.pc", "value": {"slice": "{cell}.pc", "msb": "{5+r-r}", "lsb": 0}},
        {"register": "cell[0][1].seq.pc", "value": {"first_of": ["no", "a"]}},
        {"register": "cell[r][c].seq.state", "value": {"enum": "{cell}.s", "literals": ["a", "b"], "width": 2}},
        {"register": "tile[R][c].sram[a]", "value": {"memory": {"enable": "b", "address": "a", "data": "d"}}}]}"#;
    let names =
        names(&[("top.pc", 7), ("top.s", 0), ("a", 6), ("b", 1), ("d", 256), ("x.1.pc", 6)]);
    let random = &mut ChaCha8Rng::seed_from_u64(11);
    let mut bound = 0;
    for round in 0..1000 {
        // The large map takes long to bind; most of its mutants are refused as JSON or for their clock.
        let (text, geometry) =
            if round % 50 == 0 { (published, Geometry::default()) } else { (small, SMALL) };
        let mut characters: Vec<char> = text.chars().collect();
        for _ in 0..random.random_range(1..4) {
            let at = random.random_range(0..characters.len());
            let end = (at + random.random_range(0..4)).min(characters.len());
            let piece = PIECES[random.random_range(0..PIECES.len())];
            let new = if random.random_bool(0.3) { "" } else { piece };
            characters.splice(at..end, new.chars());
        }
        let text: String = characters.into_iter().collect();
        match MapFile::parse(&text) {
            Err(e) => assert!(!e.to_string().is_empty()),
            Ok(file) => match SignalMap::resolve(&file, &names, &geometry) {
                Err(problems) => assert!(!problems.is_empty()),
                Ok(map) => {
                    bound += 1;
                    let a = map.amounts(&geometry);
                    let parts =
                        [a.compared, a.lacking, a.excluded, a.unmapped].map(|a| a.registers);
                    assert_eq!(parts.iter().sum::<u64>(), registers(&geometry) as u64, "{text}");
                }
            },
        }
    }
    assert!(bound > 10, "{bound}: the mutations destroy every map");
}

/// Maps that are made to take long are refused at once.
#[test]
fn explosions_are_refused() {
    let repeated: Vec<String> = (0..40)
        .map(|i| format!(r#""p{i}": ["{}", "{}"]"#, format!("{{p{}}}", i + 1).repeat(8), "x"))
        .collect();
    let map = |value: &str| {
        format!(
            r#"{{"version": 1, "let": {{{}, "p40": ""}}, "clock": {{"signal": "{{p0}}", "edge": "rising"}},
            "registers": [{{"register": "cell[r][c].seq.pc", "value": "{value}"}}]}}"#,
            repeated.join(", ")
        )
    };
    let long = format!("{{{}1}}", "1+".repeat(100_000));
    let deep = format!("{{{}1}}", "(".repeat(100_000));
    for value in ["{p0}", &long, &deep] {
        let file = MapFile::parse(&map(value)).unwrap();
        let problems = SignalMap::resolve(&file, &names(&[]), &SMALL).expect_err("too much");
        assert!(problems.iter().any(|p| p.at == "registers[0].value"), "{problems:?}");
    }
}
