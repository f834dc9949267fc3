// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constraints hold in every case. The tests search the stimulus for what is excluded, with the decoder of `drra_isa`
//! and code that shares nothing with the generator.

use std::collections::{BTreeMap, BTreeSet};

use drra_case::Case;
use drra_case::{DirectedSequence, InstructionTemplate};
use drra_generate::{GeneratedCase, Profile, generate, generate_with};
use drra_isa::{
    CellId, DecodedInstruction, Geometry, Opcode, Revision, decode, instructions::loop_,
};

/// Number of cases for each constraint.
const CASES: u64 = 100;

/// A profile that extends a shipped profile with constraints.
fn profile(base: &str, constraints: &str) -> Profile {
    let text = format!(
        r#"{{"version": 1, "name": "mine", "extends": "{base}", "constraints": [{constraints}]}}"#
    );
    Profile::parse(&text, None).unwrap_or_else(|e| panic!("{constraints}: {e}"))
}

pub(crate) fn cases(profile: &Profile) -> impl Iterator<Item = GeneratedCase> {
    (0..CASES).map(|seed| generate(profile, seed, &Geometry::default()))
}

/// An instruction found in a load: its address, the flags of its words, and the decoded instruction.
pub(crate) struct LoadedInstruction {
    pub(crate) at: usize,
    pub(crate) flags: Vec<bool>,
    pub(crate) decoded: Option<DecodedInstruction<'static>>,
}

impl LoadedInstruction {
    pub(crate) fn is(&self, name: &str) -> bool {
        self.decoded.as_ref().is_some_and(|d| d.instruction.name == name)
    }

    /// Value of a field, as a number.
    pub(crate) fn value(&self, name: &str) -> i64 {
        let d = self.decoded.as_ref().unwrap();
        let k = d.instruction.field_index(name).unwrap();
        d.instruction.fields[k].number(d.values[k])
    }

    pub(crate) fn target(&self) -> Option<usize> {
        let names = [("JUMP", "pc"), ("BRANCH", "false_pc"), ("LOOP", "endpc")];
        names.iter().find(|(name, _)| self.is(name)).map(|(_, f)| self.value(f) as usize)
    }
}

/// Words and flags for each cell.
pub(crate) type Load = BTreeMap<CellId, Vec<(u64, bool)>>;

/// The words on the program port, divided into loads.
pub(crate) fn loads(case: &Case) -> Vec<Load> {
    let mut loads: Vec<Load> = Vec::new();
    let mut last = None;
    for e in case.stimulus.entries() {
        let Some(p) = e.prog else { continue };
        if last.is_none_or(|l| l + 1 != e.cycle) {
            loads.push(BTreeMap::new());
        }
        last = Some(e.cycle);
        for cell in CellId::all(&case.geometry) {
            if p.row_sel >> cell.row() & 1 == 1 && p.col_sel >> cell.col() & 1 == 1 {
                let words = loads.last_mut().unwrap().entry(cell).or_default();
                words.push((p.instr.into(), p.imm));
            }
        }
    }
    loads
}

/// Instructions that can be decoded: one after another from each of the `begins`, and from every target.
fn found(words: &[(u64, bool)], io_cell: bool, begins: &[usize]) -> Vec<LoadedInstruction> {
    let mut open: BTreeSet<usize> = begins.iter().copied().collect();
    let mut seen: BTreeMap<usize, LoadedInstruction> = BTreeMap::new();
    while let Some(at) = open.pop_first() {
        if at >= words.len() || seen.contains_key(&at) {
            continue;
        }
        let rest: Vec<u64> = (at..at + 3).map(|k| words.get(k % 64).map_or(0, |w| w.0)).collect();
        let decoded = decode(Revision::R4.isa(), &rest, io_cell);
        let len = decoded.as_ref().map_or(1, |d| d.len);
        let flags = words[at..].iter().take(len).map(|w| w.1).collect();
        let one = LoadedInstruction { at, flags, decoded };
        open.insert((at + len) % 64);
        let behind = usize::from(one.is("LOOP"));
        open.extend(one.target().map(|t| (t + behind) % 64));
        seen.insert(at, one);
    }
    seen.into_values().collect()
}

/// Every instruction of a case, with its cell. A cell that is still running can miss the first words of a second load.
pub(crate) fn instructions(case: &Case) -> Vec<(CellId, LoadedInstruction)> {
    let mut all = Vec::new();
    let loads = loads(case);
    for (n, load) in loads.iter().enumerate() {
        for (cell, words) in load {
            let io_cell = case.io_cells.contains(cell);
            let runs = n > 0 && loads[0].contains_key(cell);
            let starts = if runs { words.len() } else { 1 };
            for from in 0..starts {
                let part = &words[from..words.len().min(from + 64)];
                all.extend(found(part, io_cell, &[0]).into_iter().map(|f| (*cell, f)));
            }
        }
    }
    all
}

/// In [`CASES`] cases, no instruction meets `excluded`; cases without the constraint contain such instructions.
#[track_caller]
fn never(base: &str, constraints: &str, excluded: impl Fn(&LoadedInstruction) -> bool) {
    let constrained = profile(base, constraints);
    for generated in cases(&constrained) {
        for (cell, one) in instructions(&generated.case) {
            let (at, name) = (one.at, &generated.case.name);
            assert!(!excluded(&one), "{name}: {cell:?} {at}: {:?} {constraints}", one.decoded);
        }
        let violated = constrained.violated(&generated.case);
        assert_eq!(violated, None, "{}", generated.case.name);
    }
    let free = Profile::shipped(base).unwrap();
    let guilty = cases(&free).filter(|g| instructions(&g.case).iter().any(|(_, i)| excluded(i)));
    assert!(guilty.count() > 2, "{constraints}: nothing to exclude");
    // Scenarios that need an excluded instruction are omitted, so only noise contains it, and finding it takes more
    // cases.
    let mut all = (0..20 * CASES).map(|seed| generate(&constrained, seed, &Geometry::default()));
    assert!(all.any(|g| g.replaced[0] > 0), "{constraints}: nothing was replaced");
}

#[test]
fn instructions_are_left_out() {
    for name in ["PERM", "IO", "BW", "LOOP", "WAIT", "ROUTE", "HALT"] {
        for base in ["default", "chaos"] {
            never(base, &format!(r#"{{"instruction": "{name}"}}"#), |i| i.is(name));
        }
    }
}

#[test]
fn fields_and_their_combinations_are_left_out() {
    never(
        "default",
        r#"{"instruction": "BW", "fields": {"config": {"is_not": ["int16"]}}}"#,
        |i| i.is("BW") && i.value("config") != 0,
    );
    never(
        "chaos",
        r#"{"instruction": "wait", "fields": {"cycle": {"between": [30, 32767]}}}"#,
        |i| i.is("WAIT") && i.value("cycle") >= 30,
    );
    never("chaos", r#"{"instruction": "LOOP", "fields": {"start": {"outside": [-4, 3]}}}"#, |i| {
        i.is("LOOP") && !(-4..4).contains(&i.value("start"))
    });
    let pair = r#"{"instruction": "REFI",
                   "fields": {"extra": {"is": [2]}, "l1_step_sign": {"is": ["-"]}}}"#;
    never("default", pair, |i| {
        i.is("REFI") && i.value("extra") == 2 && i.value("l1_step_sign") == 1
    });
    let address =
        r#"{"instruction": "IO", "fields": {"init_addr": {"between": [4096, 33554431]}}}"#;
    never("io_perm", address, |i| i.is("IO") && i.value("init_addr") >= 4096);
}

/// LOOP.start has 6 bits in two's complement: -3 is 61. The remaining values replace the excluded ones.
#[test]
fn every_other_value_remains() {
    for (condition, excluded) in [
        (r#""between": [-3, 1]"#, vec![0, 1, 61, 62, 63]),
        (r#""between": [-32, -30]"#, vec![32, 33, 34]),
        (r#""between": [31, 31]"#, vec![31]),
        (r#""outside": [-4, 3]"#, (4..60).collect()),
        (r#""is": [2, 0, 1]"#, vec![0, 1, 2]),
        (r#""outside": [-32, -2]"#, (0..32).chain([63]).collect()),
        (r#""is_not": [0, -1, 5]"#, (0..63).filter(|raw| ![0, 5].contains(raw)).collect()),
    ] {
        let start = format!(r#"{{"instruction": "LOOP", "fields": {{"start": {{{condition}}}}}}}"#);
        let bound = profile("chaos", &start);
        let permits = |raw: &u64| {
            let template = InstructionTemplate::new(Opcode::Loop, &[(loop_::START, *raw)]);
            bound.permits(&DirectedSequence::in_order([template]))
        };
        let left: Vec<u64> = (0..64).filter(|raw| !excluded.contains(raw)).collect();
        assert_eq!((0..64).filter(permits).collect::<Vec<_>>(), left, "{condition}");
        let mut seen = BTreeSet::new();
        for case in (0..3 * CASES).map(|seed| generate(&bound, seed, &Geometry::default()).case) {
            let all = instructions(&case);
            seen.extend(all.iter().filter(|(_, i)| i.is("LOOP")).map(|(_, i)| i.value("start")));
        }
        let seen: BTreeSet<u64> = seen.into_iter().map(|number| number as u64 & 63).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), left, "{condition}");
    }
}

#[test]
fn flags_are_left_out() {
    never("default", r#"{"instruction": "DPU", "immediate": false}"#, |i| {
        i.is("DPU") && !i.flags[0]
    });
    never("chaos", r#"{"immediate": false}"#, |i| i.flags.contains(&false));
    never("chaos", r#"{"immediate": true}"#, |i| i.flags.contains(&true));
    let halt = r#"{"instruction": "HALT", "immediate": true}, {"situation": "unloaded_memory"}"#;
    never("default", halt, |i| i.is("HALT") && i.flags[0]);
}

#[test]
fn undefined_words_are_left_out() {
    never("chaos", r#"{"situation": "undefined_words"}"#, |i| i.decoded.is_none());
    never("default", r#"{"situation": "undefined_words"}"#, |i| i.decoded.is_none());
}

/// No case contains an excluded situation; cases without the constraint do.
#[track_caller]
fn no_case(base: &str, constraint: &str, has: impl Fn(&Case) -> bool) {
    let constrained = profile(base, constraint);
    for generated in cases(&constrained) {
        assert!(!has(&generated.case), "{}: {constraint}", generated.case.name);
        assert_eq!(constrained.violated(&generated.case), None);
    }
    let free = Profile::shipped(base).unwrap();
    let with: Vec<Case> = cases(&free).map(|g| g.case).filter(&has).collect();
    assert!(with.len() > 1, "{constraint}: nothing to exclude");
    for case in with {
        let violated = constrained.violated(&case);
        assert!(violated.is_some(), "{}: {constraint} is not detected", case.name);
    }
}

#[test]
fn inputs_are_left_out() {
    let of = |name: &str| format!(r#"{{"situation": "{name}"}}"#);
    no_case("io_perm", &of("io_cells"), |c| !c.io_cells.is_empty());
    no_case("io_perm", &of("input_buffers"), |c| !c.input_buffers.is_empty());
    let entries = |c: &Case| c.stimulus.entries().to_vec();
    let file = |c: &Case| entries(c).iter().any(|e| e.rf_init.is_some());
    no_case("default", &of("register_file_init"), file);
    let tile = |c: &Case| entries(c).iter().any(|e| e.sram_init.is_some());
    no_case("default", &of("tile_init"), tile);
    no_case("default", &of("late_init"), |c| {
        let first = c.stimulus.first_program_cycle().unwrap();
        let init = |e: &drra_case::stimulus::StimulusEntry| {
            e.cycle >= first && (e.rf_init.is_some() || e.sram_init.is_some())
        };
        entries(c).iter().any(init)
    });
    no_case("default", &of("reload"), |c| loads(c).len() > 1);
}

#[test]
fn cells_and_columns_are_left_out() {
    let programs = |c: &Case| -> BTreeSet<CellId> {
        loads(c).into_iter().flat_map(|load| load.into_keys()).collect()
    };
    no_case("default", r#"{"most_cells": 3}"#, |c| programs(c).len() > 3);
    let strict_first = profile("default", r#"{"most_cells": 3}, {"most_cells": 7}"#);
    let free = Profile::shipped("default").unwrap();
    let case = cases(&free).map(|g| g.case).find(|c| programs(c).len() > 3).unwrap();
    assert_eq!(strict_first.violated(&case).unwrap().most_cells, Some(3));
    no_case("default", r#"{"only_cells": [[0, 0], [1, 5], [0, 6]]}"#, |c| {
        programs(c).iter().any(|cell| ![(0, 0), (1, 5), (0, 6)].contains(&(cell.row(), cell.col())))
    });
    no_case("default", r#"{"only_columns": [2, 3, 4]}"#, |c| {
        let used = |col: usize| (2..5).contains(&col);
        let beyond = |(cell, i): &(CellId, LoadedInstruction)| {
            let (col, near) =
                (cell.col() as i64, |c: i64| (0..8).contains(&c) && !used(c as usize));
            if i.is("SWB") && i.value("unused0") == 1 && i.value("hb_index") < 5 {
                return near(col + i.value("hb_index") - 2);
            }
            let step = |i: &LoadedInstruction| if i.value("horizontal_dir") == 1 { 1 } else { -1 };
            i.is("ROUTE") && (0..=i.value("horizontal_hops")).any(|k| near(col + k * step(i)))
        };
        programs(c).iter().any(|cell| !used(cell.col()))
            || c.io_cells.iter().any(|cell| !used(cell.col()))
            || c.input_buffers.iter().any(|(col, _, _)| !used(col.col()))
            || c.stimulus.entries().iter().any(|e| {
                e.sram_init.is_some_and(|s| !used(s.col)) || e.rf_init.is_some_and(|r| !used(r.col))
            })
            || instructions(c).iter().any(beyond)
    });
}

/// Instructions of each cell in the first load.
pub(crate) fn by_cell(case: &Case) -> BTreeMap<CellId, Vec<LoadedInstruction>> {
    let load = loads(case).swap_remove(0);
    let of = |(cell, words): (CellId, Vec<_>)| {
        (cell, found(&words, case.io_cells.contains(&cell), &[0]))
    };
    load.into_iter().map(of).collect()
}

#[test]
fn situations_of_a_program_are_left_out() {
    let of = |name: &str| format!(r#"{{"situation": "{name}"}}"#);
    no_case("default", &of("dpu_mode_change"), |c| {
        by_cell(c).values().any(|p| {
            let modes = p.iter().filter(|i| i.is("DPU")).map(|i| i.value("mode"));
            modes.collect::<BTreeSet<_>>().len() > 1
        })
    });
    no_case("chaos", &of("jump_at_loop_end"), jumps_at_a_loop_end);
    no_case("chaos", &of("unloaded_memory"), leaves_its_words);
    no_case("dimarch", &of("sram_without_path"), |c| {
        by_cell(c).values().any(|p| {
            let first = |name: &str| p.iter().position(|i| i.is(name));
            first("SRAM").is_some_and(|s| first("ROUTE").is_none_or(|r| s < r))
        })
    });
}

/// Returns whether a JUMP or BRANCH of a case is at the end of a loop of its program.
pub(crate) fn jumps_at_a_loop_end(case: &Case) -> bool {
    by_cell(case).values().any(|p| {
        let loops = p.iter().filter(|i| i.is("LOOP"));
        let ends: Vec<usize> = loops.filter_map(LoadedInstruction::target).collect();
        p.iter().any(|i| (i.is("JUMP") || i.is("BRANCH")) && ends.contains(&i.at))
    })
}

/// Columns that the messages of a cell can reach.
fn reach(col: usize, program: &[LoadedInstruction]) -> BTreeSet<i64> {
    let mut columns = BTreeSet::new();
    for i in program.iter().filter(|i| i.is("ROUTE") || i.is("SRAM") || i.is("IO")) {
        columns.insert(col as i64);
        let hops = if i.is("ROUTE") { i.value("horizontal_hops") } else { 0 };
        for k in 0..=hops {
            let step = if hops > 0 && i.value("horizontal_dir") == 1 { k } else { -k };
            columns.insert(col as i64 + step);
        }
    }
    columns.into_iter().filter(|c| (0..8).contains(c)).collect()
}

#[test]
fn situations_of_several_cells_are_left_out() {
    no_case("dimarch", r#"{"situation": "messages_meet"}"#, |c| {
        let cells = by_cell(c);
        let columns: Vec<i64> = cells.iter().flat_map(|(cell, p)| reach(cell.col(), p)).collect();
        columns.iter().collect::<BTreeSet<_>>().len() < columns.len()
    });
    no_case("dimarch", r#"{"situation": "tile_read_and_write"}"#, |c| {
        let cells = by_cell(c);
        cells.iter().any(|(cell, p)| {
            let writes = |i: &LoadedInstruction| i.is("SRAM") && i.value("rw") == 1;
            let reads = |i: &LoadedInstruction| i.is("SRAM") && i.value("rw") == 0;
            let mut others = cells.iter().filter(|(c, _)| c.col() == cell.col() && *c != cell);
            p.iter().any(reads) && others.any(|(_, p)| p.iter().any(writes))
        })
    });
}

/// Returns whether a program of the first load of a case can leave its words: it ends without a HALT, or an instruction
/// can pass over the HALT.
pub(crate) fn leaves_its_words(case: &Case) -> bool {
    loads(case)[0].iter().any(|(cell, words)| {
        let last = words.len() - 1;
        let program = found(words, case.io_cells.contains(cell), &[0]);
        words[last].0 >> 23 != 0
            || words.len() > 63
            || program.iter().any(|i| {
                let behind = i.target().map_or(0, |t| t + usize::from(i.is("LOOP")));
                let len = i.decoded.as_ref().map_or(1, |d| d.len);
                behind > last || i.at < last && i.at + len > last
            })
    })
}

/// Fields that no constraint names keep the distribution of their values. A value is counted once per case: a program
/// may repeat one instruction many times.
#[test]
fn other_fields_keep_their_spread() {
    let names = ["init_addr", "l1_iter", "init_delay", "port_no", "l2_iter"];
    let spread = |profile: &Profile| {
        let mut values: BTreeMap<&str, BTreeMap<i64, u64>> = BTreeMap::new();
        for seed in 0..3 * CASES {
            let case = generate(profile, seed, &Geometry::default()).case;
            let found = instructions(&case);
            let refi = found.iter().map(|(_, i)| i).filter(|i| i.is("REFI"));
            let once: BTreeSet<(&str, i64)> =
                refi.flat_map(|i| names.map(|name| (name, i.value(name)))).collect();
            for (name, value) in once {
                *values.entry(name).or_default().entry(value).or_default() += 1;
            }
        }
        values
    };
    let step = r#"{"instruction": "REFI", "fields": {"l1_step": {"is_not": [1, 2, 3]}}}"#;
    let (free, bound) = (spread(&profile("agu", "")), spread(&profile("agu", step)));
    for name in names {
        let sum = |v: &BTreeMap<i64, u64>| v.values().sum::<u64>() as f64;
        let (before, after) = (&free[name], &bound[name]);
        let share = |v: &BTreeMap<i64, u64>, k: &i64| *v.get(k).unwrap_or(&0) as f64 / sum(v);
        let keys: BTreeSet<i64> = before.keys().chain(after.keys()).copied().collect();
        let moved: f64 = keys.iter().map(|k| (share(before, k) - share(after, k)).abs()).sum();
        assert!(moved / 2.0 < 0.05, "{name}: {before:?} {after:?}");
        assert!(sum(after) > 0.9 * sum(before), "{name}");
    }
}

/// Directed sequences add nothing that is excluded.
#[test]
fn extras_keep_to_the_constraints() {
    let bound = profile("default", r#"{"instruction": "PERM"}, {"situation": "io_cells"}"#);
    let groups = [Opcode::Perm, Opcode::Io]
        .map(|o| DirectedSequence::in_order([InstructionTemplate::new(o, &[])]));
    for group in &groups {
        assert!(!bound.permits(group));
        assert!(Profile::shipped("default").unwrap().permits(group));
    }
    for seed in 0..40 {
        let case = generate_with(&bound, seed, &Geometry::default(), &groups).case;
        assert!(case.io_cells.is_empty());
        assert!(instructions(&case).iter().all(|(_, i)| !i.is("PERM") && !i.is("IO")));
    }
}
