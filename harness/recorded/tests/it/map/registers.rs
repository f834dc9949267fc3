// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers that an entry covers, and their signals.

use std::collections::BTreeSet;

use drra_fabric::{RegisterId, ports::InputPort};
use drra_isa::Unit;
use drra_lockstep::{ComparisonCoverage, StateCount, UncomparedReason};
use drra_recorded::map::{CompareFrom, MapFile};

use super::{HEAD, SMALL, compared, names, resolve, resolved};

/// The paths of the signals of the compared registers.
pub(super) fn signals(
    map: &drra_recorded::map::SignalMap,
    names: &drra_recorded::SignalNames,
) -> Vec<String> {
    let ids = map.registers.iter().flat_map(|r| r.value.signals());
    ids.map(|id| names.signal(id).path.clone()).collect()
}

#[test]
fn letters_take_every_index() {
    let paths = ["top.r0.c0.pc", "top.r0.c1.pc", "top.r1.c0.pc", "top.r1.c1.pc"];
    let names = names(&paths.map(|p| (p, 6)));
    let map = resolved("cell[r][c].seq.pc = {cell}.pc", &names);
    let cells = ["cell[0][0]", "cell[0][1]", "cell[1][0]", "cell[1][1]"];
    assert_eq!(compared(&map), cells.map(|c| format!("{c}.seq.pc")));
    assert_eq!(signals(&map, &names), paths);
    assert_eq!((map.entries[0].mapped, map.entries[0].widths), (4, Some((6, 6))));
}

#[test]
fn tables_and_arithmetic() {
    let paths = ["u.first.x1_1", "u.second.x3_0"];
    let names = names(&paths.map(|p| (p, 6)));
    let registers = "\
cell[0][0].rf.agu[k].init_cnt = u.{units[k]}.x{2*(k+0)+1}_{swapped[k]}
cell[0][0].rf.agu[wb].init_cnt excluded: not
    shown # for now
cell[0][0].rf.agu[r0].init_cnt excluded: not shown
cell[0][0].rf.agu[r1].init_cnt excluded: not shown
cell[0][0].rf.agu[rb].init_cnt excluded: not shown";
    let map = resolved(registers, &names);
    assert_eq!(signals(&map, &names), paths);
    assert_eq!(
        (
            map.entries[0].mapped,
            map.entries[0].elsewhere,
            map.left_out
                .iter()
                .filter(|(_, w)| matches!(w, UncomparedReason::Excluded { .. }))
                .count()
        ),
        (2, 4, 4)
    );
    assert_eq!(map.entries[1].reason.as_deref(), Some("not shown"));
}

#[test]
fn fixed_indices_win_and_keys_outside_brackets_have_letters() {
    let names = names(&[("all", 6), ("one", 6), ("rd.en", 1), ("wr.en", 1)]);
    let registers = "\
cell[r][c].seq.pc = all
cell[1][c].seq.pc = one offset 2 from 7
tile[1][c].{g}.en = {g}.en
    from load_end";
    let map = resolved(registers, &names);
    assert_eq!(
        signals(&map, &names),
        ["all", "all", "one", "one", "rd.en", "wr.en", "rd.en", "wr.en"]
    );
    let of = |n: usize| (map.registers[n].offset, map.registers[n].from);
    assert_eq!(of(0), (0, CompareFrom::Reset));
    assert_eq!(of(2), (2, CompareFrom::Cycle(7)));
    assert_eq!(of(4), (0, CompareFrom::LoadEnd));
}

#[test]
fn prefixes_are_tried_in_their_order() {
    let names = names(&[("dut.a.pc", 6), ("dut.b.state", 2), ("dut.a.state", 2)]);
    let map = resolved(
        "\
let root = tb.dut | dut
let unit = {root}.b | {root}.a
cell[0][0].seq.pc = {unit}.pc
cell[0][0].seq.state = {unit}.state
cell[0][0].seq.pend_pc = {unit}.pend",
        &names,
    );
    assert_eq!(signals(&map, &names), ["dut.b.state", "dut.a.pc"]);
    let (location, UncomparedReason::Lacking { path, nearest }) = &map.left_out[0] else {
        panic!("{map:?}")
    };
    assert_eq!(
        (location.to_string().as_str(), path.as_str()),
        ("cell[0][0].seq.pend_pc", "dut.b.pend")
    );
    assert!(!nearest.is_empty());
    assert_eq!(map.entries[0].choices.get("let.unit[1]"), Some(&1));
    assert_eq!(map.entries[1].choices.get("let.unit[0]"), Some(&1));
}

#[test]
fn a_constant_is_not_compared() {
    let names = names(&[("top.r0.c0.pc", 6)]);
    let map = resolved("cell[r][0].seq.pc = first(top.r{r}.c0.pc, 6'd0)", &names);
    assert_eq!(compared(&map), ["cell[0][0].seq.pc"]);
    let (location, why) = &map.left_out[0];
    assert_eq!(location.to_string(), "cell[1][0].seq.pc");
    assert_eq!(*why, UncomparedReason::Excluded { reason: "the map has a constant".to_owned() });
    assert_eq!(map.entries[0].reason.as_deref(), Some("the map has a constant"));
}

#[test]
fn every_register_is_in_one_list() {
    let names =
        names(&[("top.r0.c0.pc", 6), ("w.en", 1), ("w.addr", 2), ("w.data", 256), ("row", 256)]);
    let registers = "\
cell[r][c].seq.pc = {cell}.pc
cell[r][c].rf.mem[w] excluded: not shown
tile[R][c].sram[a] = memory(enable: w.en, address: w.addr, data: w.data)
tile[1][0].sram[3] = row";
    let map = resolved(registers, &names);
    let mut all: Vec<String> = compared(&map);
    all.extend(map.left_out.iter().map(|(location, _)| location.to_string()));
    let expected: BTreeSet<String> = Unit::all(&SMALL)
        .flat_map(|unit| {
            let ids = RegisterId::ALL.iter().filter(move |id| id.info().unit == unit.kind());
            let paths = ids.flat_map(|id| id.all(&SMALL).collect::<Vec<_>>());
            paths.map(move |r| match unit {
                Unit::Fabric => r.to_string(),
                unit => format!("{unit}.{r}"),
            })
        })
        .collect();
    assert_eq!(all.len(), expected.len());
    assert_eq!(all.into_iter().collect::<BTreeSet<_>>(), expected);

    let ComparisonCoverage { units, not_compared, .. } = map.compared(&SMALL);
    let compared: StateCount = units.iter().map(|u| u.compared).sum();
    assert_eq!(compared, StateCount { registers: 1 + 8, bits: 6 + 8 * 256 });
    let [lacking, excluded, _] = &not_compared[..] else { panic!("{not_compared:?}") };
    assert_eq!(lacking.count, StateCount { registers: 3, bits: 3 * 6 });
    assert_eq!(excluded.count, StateCount { registers: 4 * 32, bits: 4 * 32 * 16 });
    let blocks = |n| map.registers.iter().filter(|r| r.memory == Some(n)).count();
    let blocks: Vec<usize> = (0..map.memories.len()).map(blocks).collect();
    assert_eq!(blocks, [3, 4]);
}

#[test]
fn conditions_of_both_sides() {
    let names = names(&[("a", 6), ("top.r0.c1.on", 1)]);
    let registers =
        "cell[0][c].seq.load_count = a while top.r0.c{c}.on while golden cell[0][c].seq.state != 2";
    let map = resolved(registers, &names);
    assert_eq!(
        compared(&map),
        ["cell[0][1].seq.load_count"],
        "a register without its condition is lacking"
    );
    let register = &map.registers[0];
    assert_eq!(register.while_waveform.as_ref().unwrap().width(), 1);
    let golden = register.while_golden.unwrap();
    assert_eq!(golden.location.to_string(), "cell[0][1].seq.state");
    assert_eq!((golden.value, golden.equals), (2, false));
}

#[test]
fn ports_and_their_delay() {
    let names = names(&[("a", 6), ("ld", 1), ("word", 27), ("answer0", 256), ("answer1", 256)]);
    let text = "\
port prog_valid = ld
port prog_instr = word
port prog_imm = flag
port io_cell = 1'b0
port io_in_data = answer{c}
output all_idle = ~ld
flag_delay = 2*r + c
cell[0][0].seq.pc = a";
    let ports = resolve(&format!("{HEAD}{text}"), &names).unwrap().ports;
    assert_eq!(ports.input(InputPort::ProgInstr).unwrap().width(), 27);
    assert_eq!(ports.input(InputPort::ProgImm), None);
    assert_eq!(ports.lacking, [("prog_imm".to_owned(), "flag".to_owned())]);
    assert_eq!(ports.inputs[&InputPort::IoCell].len(), 4);
    assert_ne!(ports.inputs[&InputPort::IoInData][0], ports.inputs[&InputPort::IoInData][1]);
    assert_eq!(ports.flag_delays, [0, 1, 2, 3]);
    assert_eq!(ports.outputs.len(), 1);
}

/// Comments at the end of an entry are shown with the entry; other comments are not shown.
#[test]
fn notes_stand_behind_their_entry() {
    let file = MapFile::parse(
        "notes",
        "\
# a comment
cell[0][0].seq.pc = a  # one line
    # and another
# a comment
cell[0][1].seq.pc = a
cell[1][c].seq.pc excluded: not
    shown # for now",
    );
    let entries = file.unwrap().registers;
    let notes: Vec<_> = entries.iter().map(|e| e.note.as_deref()).collect();
    assert_eq!(notes, [Some("one line and another"), None, Some("for now")]);
}
