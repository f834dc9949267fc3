// SPDX-License-Identifier: MIT OR Apache-2.0
//! The provenance of a configuration: from the register back to the program memory.

use std::collections::BTreeSet;

use drra_diagnose::attribution::{Cause, IssuedInstruction};
use drra_fabric::{Register, Side};
use drra_isa::{TileId, Unit};

use super::Tracer;
use crate::{
    build::program,
    data::{ProvenanceEvent, Reading},
};

impl Tracer<'_> {
    /// Traces the configuration that the responsible instruction set up, or the effect of the instruction at decode.
    pub(super) fn configuration(&mut self, cycle: u64, by_decode: bool) {
        let Some(responsible) = self.responsible.cloned() else { return };
        let unit = Unit::Cell(responsible.cell);
        let by: Cause = Some(responsible.clone().into());
        let mut steps: Vec<(u64, Unit, ProvenanceEvent)> = self
            .hops(&responsible, cycle)
            .into_iter()
            .rev()
            .map(|(tile, side, at)| (at, tile.into(), ProvenanceEvent::MessageArrives { side }))
            .collect();
        steps.extend(match responsible.released.get() {
            _ if by_decode => None,
            Some(released) if released > responsible.cycle => {
                let (message, own_flag) = (responsible.sends(), responsible.immediate);
                Some((released, unit, ProvenanceEvent::Released { message, own_flag }))
            }
            // With its own flag, the instruction has only just reached its issue register.
            None if responsible.immediate => None,
            None => Some((cycle, unit, ProvenanceEvent::Waiting)),
            Some(_) => Some((responsible.cycle, unit, ProvenanceEvent::Immediate)),
        });
        let instruction = program::words(&responsible, self.r.is_io_cell(responsible.cell));
        let address = responsible.address;
        steps.push((responsible.cycle, unit, ProvenanceEvent::Decoded { address, instruction }));
        let registers = self.raccu_registers(&responsible);
        if !registers.is_empty() {
            steps.push((responsible.cycle, unit, ProvenanceEvent::DynamicFields { registers }));
        }
        let mut loser = None;
        for (depth, (cycle, unit, step)) in steps.into_iter().enumerate() {
            let sent = matches!(step, ProvenanceEvent::Released { message: true, .. });
            self.add((depth, cycle), unit, step, None, &by);
            loser = Some((depth, cycle)).filter(|_| sent && self.beyond_cells).or(loser);
        }
        if let Some((depth, cycle)) = loser {
            self.loser(depth, &responsible, cycle);
        }
    }

    /// Adds the message that the column received in the same cycle as `message` and dropped.
    fn loser(&mut self, depth: usize, message: &IssuedInstruction, cycle: u64) {
        if let Some(other) = self.r.attribution.competitor(message) {
            let row = message.cell.row();
            self.add(
                (depth, cycle),
                other.cell,
                ProvenanceEvent::Loses { row },
                None,
                &Some(other),
            );
        }
    }

    /// The RACCU registers that the dynamic fields of an instruction read.
    fn raccu_registers(&self, by: &IssuedInstruction) -> Vec<(usize, Reading)> {
        let numbers: BTreeSet<usize> = by.dynamic_fields().into_iter().map(|(_, n)| n).collect();
        let (unit, now) = (by.cell.into(), self.r.golden(by.cycle));
        let of = |n| Some((n, now?.reading(unit, Register::SeqRaccuReg(n))?));
        numbers.into_iter().filter_map(of).collect()
    }

    /// The tiles that a ROUTE or SRAM reaches before the cycle `until`, each with the side and the cycle of arrival. The
    /// message moves by one tile per cycle, starting at the home tile.
    fn hops(&self, message: &IssuedInstruction, until: u64) -> Vec<(TileId, Side, u64)> {
        let mut hops: Vec<(TileId, Side, u64)> = Vec::new();
        let Some(sent) = message.released.get().filter(|_| message.is_message()) else {
            return hops;
        };
        for cycle in sent..until {
            let Some(signals) = self.r.signals(cycle) else { break };
            let arrives = |tile: TileId, side: Side| {
                (signals.tile(tile).rx(side) != 0).then_some((tile, side))
            };
            let next = match hops.last() {
                None => arrives(message.cell.column().home_tile(), Side::S),
                Some(&(tile, ..)) => {
                    [Side::N, Side::S, Side::E, Side::W].into_iter().find_map(|side| {
                        arrives(side.neighbour(tile, self.r.geometry)?, side.opposite())
                    })
                }
            };
            match next {
                Some((tile, side)) => hops.push((tile, side, cycle)),
                None => break,
            }
        }
        hops
    }
}
