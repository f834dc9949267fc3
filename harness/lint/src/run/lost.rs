// SPDX-License-Identifier: MIT OR Apache-2.0
//! Configurations and messages that have no effect, and loops that are still active when their program ends.

use std::rc::Rc;

use drra_diagnose::attribution::{Cause, IssuedInstruction};
use drra_fabric::{AguId, Generator, Register};
use drra_golden::{Arrival, Fabric, ProgramEnd};
use drra_isa::{CellId, ColumnId, Geometry, Opcode, TileId, Unit};

use super::{Now, RunWatch, finding};
use crate::{Finding, Kind, line_of};

/// The instructions in force, and the messages under way.
pub(super) struct Lost {
    geometry: Geometry,
    /// Per cell and AGU: the REFI whose pattern runs or ran last.
    running: Vec<[Cause; 6]>,
    /// SRAM messages that have reached no generator so far.
    sent: Vec<Rc<IssuedInstruction>>,
}

impl Lost {
    pub(super) fn new(geometry: &Geometry) -> Self {
        let running = vec![Default::default(); geometry.cells()];
        Self { geometry: *geometry, running, sent: Vec::new() }
    }

    /// The REFI whose pattern an AGU runs or ran last.
    pub(super) fn running(&self, cell: CellId, agu: AguId) -> Cause {
        self.running[cell.index(&self.geometry)][agu.index()].clone()
    }
}

impl RunWatch<'_> {
    /// The patterns that start in a cycle, which can already emit their first addresses.
    pub(super) fn launches(&mut self, now: &Now<'_>) {
        for cell in CellId::all(&self.geometry) {
            for agu in AguId::ALL {
                let by = self.attribution.agu(cell, *agu);
                let starts = by.as_ref().is_some_and(|by| by.released.get() == Some(now.cycle));
                if starts && !now.fabric.register_file(cell).agu(*agu).busy() {
                    self.lost.running[cell.index(&self.geometry)][agu.index()] = by.clone();
                    self.pattern_starts(cell, agu.name());
                }
            }
        }
    }

    /// The losses at the edge that ends a cycle. The attribution is that before the edge.
    pub(super) fn lost(&mut self, fabric: &Fabric, cycle: u64) {
        for cell in CellId::all(&self.geometry) {
            for (agu, port) in AguId::ALL.iter().zip(fabric.view(cell).agus()) {
                if port.is_lost() {
                    let by = self.attribution.agu(cell, *agu).clone();
                    let busy = self.lost.running(cell, *agu);
                    let place = (cell, agu.name(), Register::RfAguState(*agu));
                    self.lose(place, cycle, &by, &busy, "chapter 3, 6.5");
                }
            }
            let sram = |i: &&Rc<IssuedInstruction>| i.is(Opcode::Sram);
            self.lost.sent.extend(self.attribution.sent_by(cell).iter().filter(sram).cloned());
        }
        for column in ColumnId::all(&self.geometry) {
            self.messages_of(column, cycle);
            for (&generator, offer) in
                Generator::ALL.iter().zip(fabric.column_activity(column).offers)
            {
                if offer.is_some_and(|offer| !offer.phase.accepts()) {
                    let by = self.attribution.offered_io(column).clone();
                    let busy = self.attribution.io_generator(column, generator).clone();
                    let register = Register::ColumnIoGeneratorState(generator);
                    let place = (column, generator.name(), register);
                    self.lose(place, cycle, &by, &busy, "chapter 7, A4");
                }
            }
        }
        for tile in TileId::all(&self.geometry) {
            let activity = fabric.tile_activity(tile);
            for (&generator, offer) in Generator::ALL.iter().zip(activity.offers) {
                let Some(offer) = offer else { continue };
                let by = self.attribution.offered(tile, generator);
                self.arrived(&by);
                if offer.phase.accepts() {
                    self.pattern_starts(tile, generator.name());
                } else {
                    let busy = self.attribution.generator(tile, generator).clone();
                    let register = Register::TileGeneratorState(generator);
                    let place = (tile, generator.name(), register);
                    self.lose(place, cycle, &by, &busy, "chapter 6, 7.1");
                }
            }
            for (&side, arrival) in drra_fabric::Side::ALL.iter().zip(activity.arrivals) {
                if let Some(Arrival::SramReadLost | Arrival::SramWriteLost) = arrival {
                    let by = self.attribution.arrived(tile, side).clone();
                    self.arrived(&by);
                    let text = "an SRAM message arrives where no path leads on, and has no effect";
                    let place = (tile, side.name(), Register::TileSideActive(side));
                    self.add(Kind::NoPath, place, cycle, &by, text.to_owned());
                }
            }
        }
    }

    /// An SRAM message has arrived at a generator, or its loss is known.
    fn arrived(&mut self, by: &Cause) {
        if let Some(by) = by {
            self.lost.sent.retain(|sent| !Rc::ptr_eq(sent, by));
        }
    }

    /// SRAM messages that have reached no tile at the end of the run: a segment of their paths is closed, or they leave
    /// the fabric.
    pub(super) fn never_arrived(&mut self, end: u64) {
        // A message moves by one tile per cycle, so that later ones can still be under way.
        let tiles = self.geometry.tiles() as u64;
        for sent in std::mem::take(&mut self.lost.sent) {
            if sent.cycle + tiles > end {
                continue;
            }
            let (cell, cycle) = (sent.cell, sent.cycle);
            let text = "the message reaches no memory: its path has fewer hops".to_owned();
            let place = (cell, "SRAM", Register::NocNocStage);
            self.add(Kind::NoPath, place, cycle, &Some(sent), text);
        }
    }

    /// The messages of both cells of a column: row 0 takes precedence (chapter 6, section 4).
    fn messages_of(&mut self, column: ColumnId, cycle: u64) {
        let [row_0, row_1] = column.cells().map(|cell| self.attribution.sent_by(cell).clone());
        if let (Some(first), Some(second)) = (row_0, row_1)
            && first.is_message() == second.is_message()
        {
            self.arrived(&Some(Rc::clone(&second)));
            let place = (second.cell, "message", Register::NocNocStage);
            let of = (first.mnemonic(), first.cell);
            let text = format!(
                "{} is lost, because {} of {} is sent in the same cycle",
                second.mnemonic(),
                of.0,
                of.1
            );
            let lost = finding(Kind::Lost, place, cycle, &Some(second), text);
            self.findings.add(Finding { section: "chapter 6, section 4", ..lost });
        }
    }

    /// A configuration that has no effect, because an earlier one is still running.
    fn lose(
        &mut self,
        place: (impl Into<Unit>, &str, Register),
        cycle: u64,
        by: &Cause,
        busy: &Cause,
        section: &'static str,
    ) {
        let name = by.as_ref().map_or("a configuration", |by| by.mnemonic());
        let busy = busy.as_ref().map_or_else(String::new, |busy| {
            format!(", because that of the {} {} still runs", busy.mnemonic(), self.at(busy))
        });
        let text = format!("the pattern of the {name} does not start{busy}");
        self.findings.add(Finding { section, ..finding(Kind::Lost, place, cycle, by, text) });
    }

    /// The place of an instruction, in words.
    fn at(&self, instruction: &IssuedInstruction) -> String {
        let place = (instruction.cell, usize::from(instruction.address));
        match line_of(self.lines, place) {
            Some(line) => format!("in line {line}"),
            None => format!("at address {} of {}", place.1, place.0),
        }
    }

    /// The loops that are active when a program ends with a cycle.
    pub(super) fn program_ends(&mut self, fabric: &Fabric, cycle: u64) {
        for cell in CellId::all(&self.geometry) {
            let activity = fabric.view(cell).activity();
            let end = activity.map_or(ProgramEnd::No, |activity| activity.end);
            let ends = end != ProgramEnd::No;
            if ends && end != ProgramEnd::Halt {
                let place = (cell, "", Register::SeqPc);
                let text = "the program ends without HALT".to_owned();
                self.add(Kind::HaltMissing, place, cycle, &None, text);
            }
            let active = fabric.sequencer(cell).active_loops();
            for slot in (0..4).filter(|slot| ends && active >> slot & 1 == 1) {
                let by = self.attribution.slot(cell, slot).clone();
                let text = "the program ends inside the loop".to_owned();
                let port = format!("slot {slot}");
                let place = (cell, port.as_str(), Register::SeqRaccuReg(15 - slot));
                self.add(Kind::LoopActive, place, cycle, &by, text);
            }
        }
    }
}
