// SPDX-License-Identifier: MIT OR Apache-2.0
//! The order of cells and the timing of flags.

use std::collections::BTreeMap;

use drra_case::{Case, Divergence, Stimulus, StimulusEntry};
use drra_fabric::ports::ProgWord;
use drra_recorded::export::{ExportOptions, FlagTiming, WordOrder};

use super::{
    SMALL, bundled, exported, file,
    reader::{self, Row, number},
    word,
};

/// A case of words from cycle 0 on, one per cycle.
fn stream(words: &[ProgWord]) -> Case {
    let entry = |(cycle, word): (usize, &ProgWord)| StimulusEntry {
        cycle: cycle as u64,
        prog: Some(*word),
        ..StimulusEntry::default()
    };
    let entries = words.iter().enumerate().map(entry).collect();
    let stimulus = Stimulus::new(entries);
    Case { geometry: SMALL, ports: true, stimulus, cycles: Some(60), ..Case::default() }
}

fn rows(case: &Case, order: WordOrder, flag: FlagTiming) -> Vec<Row> {
    let options = ExportOptions { idle_cycles: 0, order, flag };
    reader::rows(file(&exported(case, &options), "stimulus.txt"))
}

/// Instructions in the order in which they are on the port; `None` for a valid word that selects no cell.
fn instructions(rows: &[Row]) -> Vec<Option<u64>> {
    let valid = rows.iter().filter(|row| number(row, "prog_valid") == 1);
    valid.map(|row| (number(row, "prog_row_sel") > 0).then(|| number(row, "prog_instr"))).collect()
}

/// Cycles in which the flag is 1.
fn flags(rows: &[Row]) -> Vec<usize> {
    (0..rows.len()).filter(|cycle| number(&rows[*cycle], "prog_imm") == 1).collect()
}

#[test]
fn near_cells_first() {
    let case = stream(&[
        word(1, false, (0, 0)),
        word(2, false, (0, 2)),
        word(3, false, (0, 2)),
        word(4, false, (1, 0)),
        word(5, false, (1, 1)),
        word(6, false, (0, 1)),
    ]);
    let order = |order| instructions(&rows(&case, order, FlagTiming::Word));
    assert_eq!(order(WordOrder::RowMajor), [1, 2, 3, 4, 5, 6].map(Some));
    // Distances 0; 1, 1; 2, 2, 2.
    assert_eq!(order(WordOrder::Diagonal), [1, 4, 6, 2, 3, 5].map(Some));
}

/// A gap starts the cells loaded so far, so every load is sorted separately.
#[test]
fn loads_are_sorted_one_by_one() {
    let mut entries =
        stream(&[word(1, false, (0, 2)), word(2, false, (0, 0))]).stimulus.entries().to_vec();
    let second = [word(3, false, (1, 2)), word(4, false, (0, 1))];
    for (cycle, word) in (20..).zip(second) {
        entries.push(StimulusEntry { cycle, prog: Some(word), ..StimulusEntry::default() });
    }
    let case = Case { stimulus: Stimulus::new(entries), ..stream(&[]) };
    let rows = rows(&case, WordOrder::Diagonal, FlagTiming::Word);
    assert_eq!(instructions(&rows), [2, 1, 4, 3].map(Some));
    assert_eq!(number(&rows[20], "prog_instr"), 4);
}

/// Two words select cell (0,0), one of them together with another cell, so sorting could change the order of the words
/// of cell (0,0).
#[test]
fn a_cell_selected_in_two_ways_keeps_the_order() {
    let both = ProgWord { instr: 1, imm: false, row_sel: 1, col_sel: 0b101 };
    let case = stream(&[both, word(2, false, (0, 0))]);
    assert_eq!(instructions(&rows(&case, WordOrder::Diagonal, FlagTiming::Word)), [1, 2].map(Some));
}

#[test]
fn flags_come_with_the_word_or_when_it_arrives() {
    let case = stream(&[
        word(1, true, (0, 0)),
        word(2, false, (1, 0)),
        word(3, true, (1, 0)),
        word(4, true, (1, 2)),
    ]);
    assert_eq!(flags(&rows(&case, WordOrder::RowMajor, FlagTiming::Word)), [0, 2, 3]);
    let delayed = rows(&case, WordOrder::RowMajor, FlagTiming::Delayed);
    // Distances 0, 1, 1, 3.
    assert_eq!(flags(&delayed), [0, 3, 6]);
    assert_eq!(instructions(&delayed), [1, 2, 3, 4].map(Some), "nothing is inserted");
}

/// The flag of cell (0,2), which is 2 cycles away, is on the port together with the second word of cell (0,0). If the
/// flags of these words are equal, nothing changes; otherwise the latter word waits for one cycle.
#[test]
fn different_flags_do_not_meet() {
    let case = |second| {
        stream(&[
            word(1, true, (0, 2)),
            word(2, false, (0, 0)),
            word(3, second, (0, 0)),
            word(4, true, (0, 0)),
        ])
    };
    let equal = rows(&case(true), WordOrder::RowMajor, FlagTiming::Delayed);
    assert_eq!(
        (instructions(&equal), flags(&equal)),
        ([1, 2, 3, 4].map(Some).to_vec(), vec![2, 3])
    );
    let different = rows(&case(false), WordOrder::RowMajor, FlagTiming::Delayed);
    let words = [Some(1), Some(2), None, Some(3), Some(4)];
    assert_eq!((instructions(&different), flags(&different)), (words.to_vec(), vec![2, 4]));
    assert_eq!(different.len(), 62, "the run is longer by the inserted cycle");
}

/// The first word of a second load waits without continuing the first load.
#[test]
fn a_wait_between_loads_is_a_gap() {
    let first =
        StimulusEntry { cycle: 0, prog: Some(word(1, true, (1, 2))), ..StimulusEntry::default() };
    let second =
        StimulusEntry { cycle: 3, prog: Some(word(2, false, (0, 0))), ..StimulusEntry::default() };
    let case = Case { stimulus: Stimulus::new(vec![first, second]), ..stream(&[]) };
    let rows = rows(&case, WordOrder::RowMajor, FlagTiming::Delayed);
    let valid: Vec<usize> =
        (0..rows.len()).filter(|cycle| number(&rows[*cycle], "prog_valid") == 1).collect();
    assert_eq!((valid, flags(&rows)), (vec![0, 4], vec![3]));
}

/// For several programs and all options, each cell receives its words in order, without a gap in the load, and the flag
/// of each word is on the port when the word arrives.
#[test]
fn every_cell_finds_its_words_and_flags() {
    for name in ["vec_add", "dense", "pending", "row_priority", "dpu_chain"] {
        let case = bundled(name);
        for (order, flag) in [
            (WordOrder::RowMajor, FlagTiming::Word),
            (WordOrder::Diagonal, FlagTiming::Word),
            (WordOrder::RowMajor, FlagTiming::Delayed),
            (WordOrder::Diagonal, FlagTiming::Delayed),
        ] {
            let options = ExportOptions { idle_cycles: 3, order, flag };
            let exported = exported(&case, &options);
            let rows = reader::rows(file(&exported, "stimulus.txt"));
            let mut cells: BTreeMap<(usize, usize), Vec<(u64, bool)>> = BTreeMap::new();
            let mut distances = Vec::new();
            let valid: Vec<usize> =
                (0..rows.len()).filter(|c| number(&rows[*c], "prog_valid") == 1).collect();
            assert_eq!(valid.len() - 1, valid[valid.len() - 1] - valid[0], "a load without a gap");
            for cycle in valid {
                let row = &rows[cycle];
                let [rows_selected, columns] =
                    ["prog_row_sel", "prog_col_sel"].map(|port| number(row, port));
                if rows_selected == 0 {
                    continue;
                }
                let cell = (rows_selected.ilog2() as usize, columns.ilog2() as usize);
                let distance = cell.0 + cell.1;
                let arrival = if flag == FlagTiming::Word { cycle } else { cycle + distance };
                let flag = number(&rows[arrival], "prog_imm") == 1;
                cells.entry(cell).or_default().push((number(row, "prog_instr"), flag));
                distances.push(distance);
            }
            let of_program: BTreeMap<_, Vec<(u64, bool)>> = case
                .program
                .cells()
                .map(|(cell, words)| {
                    (
                        (cell.row(), cell.col()),
                        words.iter().map(|w| (w.bits, w.immediate)).collect(),
                    )
                })
                .collect();
            assert_eq!(cells, of_program, "{name}, {options:?}");
            if order == WordOrder::Diagonal {
                assert!(distances.is_sorted(), "{name}");
                assert_eq!(
                    exported.inserted_cycles, 0,
                    "no flags collide if near cells come first"
                );
            }
        }
    }
}

/// The expected first difference moves with the case, and is dropped if the timing also changes in other ways.
#[test]
fn the_known_difference_moves_with_the_case() {
    let case = Case {
        expect: Some(Divergence { cycle: 9, path: "cell[0][0].seq.pc".to_owned() }),
        ..stream(&[word(1, false, (0, 2)), word(2, false, (0, 0))])
    };
    let expect = |order| {
        let options = ExportOptions { order, ..ExportOptions::default() };
        exported(&case, &options).case.expect.map(|expect| expect.cycle)
    };
    assert_eq!((expect(WordOrder::RowMajor), expect(WordOrder::Diagonal)), (Some(11), None));
}
