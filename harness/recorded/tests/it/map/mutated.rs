// SPDX-License-Identifier: MIT OR Apache-2.0
//! Damaged maps are always accepted or rejected without a crash.

use drra_fabric::RegisterId;
use drra_isa::Geometry;
use drra_lockstep::{ComparisonCoverage, StateCount};
use drra_recorded::map::{MapFile, SignalMap};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{SMALL, names, resolve};

/// Pieces of text, most of which have a meaning in a map.
const PIECES: [&str; 28] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "(",
    ")",
    "~",
    " | ",
    " ? ",
    "\n",
    "\n    ",
    "#",
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
    "%0}",
    "\u{e9}",
    "{units[k]}",
];

/// Number of registers of a fabric, including the blocks of the tiles.
fn registers(geometry: &Geometry) -> usize {
    let of_kind = |id: &RegisterId| id.info().unit.count(geometry) * id.all(geometry).count();
    RegisterId::ALL.iter().map(of_kind).sum()
}

/// Maps of the published fabric and of a small fabric, with characters removed, inserted or replaced, are rejected or
/// bound, and a bound map has every register once.
#[test]
fn mutated_maps_are_refused_or_bound() {
    let published = include_str!("../../../maps/silago-published.map");
    let small = "\
let top = top
let cell = x.{c} | {top}
table units = 1
clock rising top.clk
reset low top.rst_n
cell[r][c].seq.pc = {cell}.pc[5+r-r:0]
cell[0][1].seq.pc = first(no, a)
cell[r][c].seq.state = enum({cell}.s, a: 2'd0, b: 2'd1)
tile[R][c].sram[a] = memory(enable: b, address: a, data: d)
";
    let names =
        names(&[("top.pc", 7), ("top.s", 0), ("a", 6), ("b", 1), ("d", 256), ("x.1.pc", 6)]);
    let random = &mut ChaCha8Rng::seed_from_u64(11);
    let mut bound = 0;
    for round in 0..2000 {
        // The large map takes a long time to bind, although most of its mutants are rejected because of their clock.
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
        let file = MapFile::parse("mutated", &text);
        match file.and_then(|file| SignalMap::resolve(&file, &names, &geometry)) {
            Err(e) => assert!(!e.problems.is_empty() && !e.to_string().is_empty()),
            Ok(map) => {
                bound += 1;
                let ComparisonCoverage { units, not_compared, .. } = map.compared(&geometry);
                let compared = units.iter().map(|u| u.compared);
                let all: StateCount = compared.chain(not_compared.iter().map(|n| n.count)).sum();
                assert_eq!(all.registers, registers(&geometry) as u64, "{text}");
            }
        }
    }
    assert!(bound > 10, "{bound}: the mutations destroy every map");
}

/// Maps that are designed to take a long time are rejected at once.
#[test]
fn explosions_are_refused() {
    let mut lets: String = (0..40)
        .map(|i| format!("let p{i} = {} | x\n", format!("{{p{}}}", i + 1).repeat(8)))
        .collect();
    lets += "let p40 = \"\"\nclock rising {p0}\n";
    let [long, deep, not] = [("1+", "1"), ("(", "1"), ("(", "")]
        .map(|(piece, end)| format!("{}{end}", piece.repeat(100_000)));
    for value in
        ["{p0}", &format!("{{{long}}}"), &format!("{{{deep}}}"), &not, &"~".repeat(100_000)]
    {
        let error = resolve(&format!("{lets}cell[r][c].seq.pc = {value}\n"), &names(&[]));
        let problems = error.expect_err("too much").problems;
        let value = lets.len() + "cell[r][c].seq.pc = ".len();
        assert!(problems.iter().any(|p| p.span.start >= value), "{problems:?}");
    }
}
