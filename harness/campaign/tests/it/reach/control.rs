// SPDX-License-Identifier: MIT OR Apache-2.0
//! Control: operands from registers, ends of loops, programs of one word, and messages on closed segments.

use drra_fabric::{Register, Side};
use drra_golden::Fabric;
use drra_isa::{CellId, Opcode, PlacedField, TileId};

use super::{Occurrences, SEEN, all_occur, note, value};
use crate::GEOMETRY;

pub(super) fn look(
    seen: &mut Occurrences,
    now: &Fabric,
    next: &Fabric,
    cell: CellId,
    io_cell: bool,
) {
    if cell.row() == 0 {
        closed_segments(seen, now, cell.col());
    }
    let sequencer = now.sequencer(cell);
    if !sequencer.running() {
        return;
    }
    let at = |k| u64::from(sequencer.imem(usize::from(sequencer.pc()) + k));
    let words = [at(0), at(1), at(2)];
    let Some(opcode) = Opcode::of(words[0], io_cell) else { return };
    dynamic_operands(seen, now, next, cell, opcode, &words);
    if value(now, cell, Register::SeqLoadCount) == 1 && sequencer.wait_count() == 0 {
        let kind = if opcode == Opcode::Wait { "WAIT" } else { "another word" };
        note(seen, format!("program of {kind}"));
    }
    if opcode == Opcode::Loop || sequencer.active_loops() != 0 {
        ends_of_loops(seen, now, cell, opcode);
        ends_that_cross(seen, now, next, cell);
    }
}

/// Notes operands that come from a register with a useful value, and registers that change while in use.
fn dynamic_operands(
    seen: &mut Occurrences,
    now: &Fabric,
    next: &Fabric,
    cell: CellId,
    opcode: Opcode,
    words: &[u64; 3],
) {
    let len = opcode.words(words[0]);
    let is_flag = |p: &&PlacedField| p.field.name.ends_with("_sd") && p.place.word() < len;
    for flag in opcode.fields().iter().filter(is_flag) {
        if flag.place.get(words) == 0 {
            continue;
        }
        let name = flag.field.name.trim_end_matches("_sd");
        let operand = opcode.fields().iter().find(|p| p.field.name == name).unwrap();
        let number = (operand.place.get(words) & 15) as usize;
        let register = |fabric| value(fabric, cell, Register::SeqRaccuReg(number));
        let held = register(now);
        let starts = now.sequencer(cell).wait_count() == 0;
        // The largest useful value: counts and delays end within a case; SRAM has 4 bits of initial delay.
        let most = match name {
            "init_delay" if opcode == Opcode::Sram => 15,
            "l1_iter" | "l1_step" if opcode == Opcode::Io => 31,
            _ if name.contains("iter") || name.contains("delay") || name == "cycle" => 40,
            _ => 127,
        };
        if starts && (1..=most).contains(&held) {
            note(seen, format!("{opcode:?}.{name} from a register"));
        }
        if register(next) != held {
            let when = if starts { "as it is read" } else { "during a WAIT" };
            note(seen, format!("a register changes {when}"));
        }
    }
}

/// Notes how the ends of loops relate, by the loop slots (chapter 2, section 9).
fn ends_of_loops(seen: &mut Occurrences, now: &Fabric, cell: CellId, opcode: Opcode) {
    let sequencer = now.sequencer(cell);
    let pc = u64::from(sequencer.pc());
    let end = |slot: usize| value(now, cell, Register::SeqLoopEndPc(slot));
    let active: Vec<usize> =
        (0..4).filter(|slot| sequencer.active_loops() >> slot & 1 == 1).collect();
    let here: Vec<usize> = active.iter().copied().filter(|slot| end(*slot) == pc).collect();
    if here.len() > 1 {
        note(seen, format!("{} loops end together", here.len()));
    }
    if active.iter().any(|outer| here.iter().any(|k| k > outer && end(*outer) == pc + 1)) {
        note(seen, "a loop ends after the one inside".to_owned());
    }
    // True if the word at this address is a LOOP that ends just before the current instruction.
    let ends_before = |at: usize| {
        let word = [u64::from(sequencer.imem(at))];
        let end = Opcode::Loop.target_field().map(|field| field.get(&word));
        Opcode::of(word[0], false) == Some(Opcode::Loop) && end.is_some_and(|end| end + 1 == pc)
    };
    if opcode == Opcode::Loop && (0..pc as usize).any(ends_before) {
        note(seen, "a loop begins where one ends".to_owned());
    }
}

/// Notes loops that reach their end while a loop inside them, which ends later, is not in its last iteration (chapter
/// 2, section 9).
fn ends_that_cross(seen: &mut Occurrences, now: &Fabric, next: &Fabric, cell: CellId) {
    let sequencer = now.sequencer(cell);
    let pc = u64::from(sequencer.pc());
    let of =
        |fabric: &Fabric, slot: usize, of: fn(usize) -> Register| value(fabric, cell, of(slot));
    let active = |slot: usize| sequencer.active_loops() >> slot & 1 == 1;
    // A WAIT that has not ended keeps the program counter.
    if next.sequencer(cell).pc() == sequencer.pc() {
        return;
    }
    for outer in 0..3 {
        let inner = outer + 1;
        let ends = |slot: usize| of(now, slot, Register::SeqLoopEndPc);
        let counts = |fabric: &Fabric| of(fabric, outer, Register::SeqLoopCount);
        let more = |slot: usize| {
            of(now, slot, Register::SeqLoopCount) + 1 < of(now, slot, Register::SeqLoopIter)
        };
        let innermost = !(inner + 1..4).any(active);
        let crossing =
            active(outer) && active(inner) && innermost && ends(outer) == pc && more(inner);
        if !crossing || ends(inner) <= pc || ends(inner) > pc + 9 {
            continue;
        }
        let what = if counts(next) == counts(now) + 1 {
            "steps"
        } else if next.sequencer(cell).active_loops() >> outer & 1 == 0 {
            "ends"
        } else {
            "goes on"
        };
        let before = if ends(inner) == pc + 1 { "just" } else { "long" };
        note(seen, format!("a loop {what} {before} before the end of the one inside"));
    }
}

/// Notes messages that a tile sends to the east and west and that neither neighbour accepts.
fn closed_segments(seen: &mut Occurrences, now: &Fabric, col: usize) {
    let geometry = &GEOMETRY;
    if col == 0 || col + 1 == geometry.columns {
        return; // the message may leave the fabric
    }
    for row in 1..=geometry.tile_rows {
        let tile = |col| TileId::new(row, col).unwrap();
        // The first of these sides that sends to the east and west has priority (chapter 6, 6.5).
        let sides = [Side::W, Side::E, Side::S, Side::N];
        let sender = sides.into_iter().map(|side| now.side(tile(col), side)).find(|s| s.hsel);
        if sender.is_none_or(|side| side.fwd == 0) {
            continue;
        }
        let signals = now.signals();
        let taken =
            signals.tile(tile(col + 1)).rx(Side::W) | signals.tile(tile(col - 1)).rx(Side::E);
        if taken == 0 {
            note(seen, "message on closed segments".to_owned());
        }
    }
}

#[test]
fn every_operand_comes_out_of_a_register() {
    let mut wanted = Vec::new();
    for &opcode in Opcode::ALL {
        let flags = opcode.fields().iter().filter(|p| p.field.name.ends_with("_sd"));
        wanted.extend(flags.map(|p| {
            format!("{opcode:?}.{} from a register", p.field.name.trim_end_matches("_sd"))
        }));
    }
    assert_eq!(wanted.len(), 7 + 1 + 3 + 2 + 8 + 4, "REFI, WAIT, LOOP, RACCU, SRAM, IO");
    all_occur(&wanted);
}

#[test]
fn registers_change_while_they_are_in_use() {
    all_occur(&["as it is read", "during a WAIT"].map(|when| format!("a register changes {when}")));
}

#[test]
fn ends_of_loops_touch() {
    let wanted = [
        "2 loops end together",
        "3 loops end together",
        "a loop ends after the one inside",
        "a loop begins where one ends",
    ];
    all_occur(&wanted.map(str::to_owned));
}

/// If ends of loops cross, the outer loop takes effect only if the end of the inner loop is the next address, as the
/// chapter specifies.
#[test]
fn ends_of_loops_cross() {
    let told = ["steps just", "ends just", "goes on long"];
    all_occur(&told.map(|what| format!("a loop {what} before the end of the one inside")));
    let never = ["goes on just", "steps long", "ends long"];
    let wrong = never.map(|what| format!("a loop {what} before the end of the one inside"));
    assert!(wrong.iter().all(|what| !SEEN.contains_key(what)), "{wrong:?}");
}

#[test]
fn programs_of_one_word() {
    all_occur(&["WAIT", "another word"].map(|kind| format!("program of {kind}")));
}

#[test]
fn messages_on_closed_segments() {
    all_occur(&["message on closed segments".to_owned()]);
}
