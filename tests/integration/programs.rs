// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bundled programs end in the state that their comments promise.

use drra_case::programs;
use drra_case::programs::Bundled;
use drra_cosim::GEOMETRY;
use drra_isa::CellId;
use drra_isa::TileId;
use drra_lockstep::GoldenRun;
use drra_lockstep::run_golden;

/// End state in the comments of a program: lines `# END path = value value ...`; several values are
/// those of the following elements.
fn promised(text: &str) -> Vec<(String, Vec<u64>)> {
    text.lines()
        .filter_map(|l| l.trim().strip_prefix("# END "))
        .map(|l| {
            let (path, values) = l.split_once('=').expect("path = values");
            let number = |v: &str| match v.strip_prefix("0x") {
                Some(hex) => u64::from_str_radix(hex, 16).expect("hex"),
                None => v.parse::<i64>().map(|n| n as u64).expect("number"),
            };
            (path.trim().to_owned(), values.split_whitespace().map(number).collect())
        })
        .collect()
}

/// Row, column and element of `cell[r][c].rf.mem[w]`, `cell[r][c].seq.raccu_reg[n]` or
/// `tile[R][c].sram[a]`.
fn place(path: &str) -> [usize; 3] {
    let numbers: Vec<usize> = path.split(['[', ']']).filter_map(|p| p.parse().ok()).collect();
    numbers.try_into().unwrap_or_else(|_| panic!("{path}"))
}

/// Whether this build's fabric has the cell or tile of a path.
fn exists(path: &str) -> bool {
    let [row, col, _] = place(path);
    let rows = if path.starts_with("tile") { 1..=GEOMETRY.tile_rows } else { 0..=1 };
    rows.contains(&row) && col < GEOMETRY.columns
}

fn value(run: &GoldenRun<'_>, path: &str, offset: usize) -> u64 {
    let [row, col, index] = place(path);
    let cell = || CellId::new(row, col).unwrap();
    if path.contains(".rf.mem[") {
        u64::from(run.fabric.register_file(cell()).word(index + offset))
    } else if path.contains(".raccu_reg[") {
        let words = run.fabric.sequencer(cell()).raccu_words();
        let all = u128::from(words[1]) << 64 | u128::from(words[0]);
        (all >> (7 * (index + offset))) as u64 & 127
    } else if path.contains(".sram[") {
        let tile = TileId::new(row, col).unwrap();
        let block = run.fabric.sram(tile)[index + offset / 16];
        block[offset % 16 / 4] >> (16 * (offset % 4)) & 0xffff
    } else {
        panic!("{path}")
    }
}

fn check(program: &Bundled) {
    let case = match program.case(&GEOMETRY) {
        Ok(case) => case,
        Err(e) if e.code == "A12" => {
            println!("skipped: {} needs the default fabric ({})", program.name(), e.message);
            return;
        }
        Err(e) => panic!("{}: {e}", program.path),
    };
    let promised = promised(program.text);
    if program.name() != "dense" && program.name() != "vec_add" {
        assert!(!promised.is_empty(), "{} promises nothing", program.name());
    }
    if let Some((path, _)) = promised.iter().find(|(path, _)| !exists(path)) {
        println!("skipped: {} needs {path}, which this fabric lacks", program.name());
        return;
    }
    let result = run_golden(&case, &GEOMETRY, None);
    assert!(!result.unfinished, "{} does not end", program.name());
    let mut run = GoldenRun::new(&case, &GEOMETRY);
    for _ in 0..result.cycles {
        run.step();
    }
    for (path, values) in promised {
        for (offset, want) in values.iter().enumerate() {
            let width_mask = if path.contains("raccu") { 127 } else { 0xffff };
            let found = value(&run, &path, offset);
            assert_eq!(found, want & width_mask, "{}: {path} + {offset}", program.name());
        }
    }
}

#[test]
fn end_states() {
    for program in programs::ALL {
        check(program);
    }
}

/// The published result: words 32..47 of cell (0,0) are 16, 18, .. 46.
#[test]
fn vec_add_adds() {
    let case = programs::ALL[0].case(&GEOMETRY).unwrap();
    let result = run_golden(&case, &GEOMETRY, None);
    let mut run = GoldenRun::new(&case, &GEOMETRY);
    for _ in 0..result.cycles {
        run.step();
    }
    let words: Vec<u16> =
        (32..48).map(|w| run.fabric.register_file(CellId::new(0, 0).unwrap()).word(w)).collect();
    let expected: Vec<u16> = (0..16).map(|i| 16 + 2 * i).collect();
    assert_eq!(words, expected);
}

#[test]
#[cfg(feature = "rtl")]
fn all_agree_in_lockstep() {
    for program in programs::ALL {
        let Ok(case) = program.case(&GEOMETRY) else { continue };
        let outcome = drra_lockstep::run(&case, &crate::setup()).unwrap();
        assert_eq!(outcome.mismatch, None, "{}", program.name());
        assert!(!outcome.unfinished, "{}", program.name());
    }
}
