// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stimulus as it was really driven, from the ports of a dump.

use std::collections::HashMap;

use drra_case::Case;
use drra_case::PortCycle;
use drra_case::Stimulus;
use drra_isa::Geometry;
use drra_isa::ports::Block;
use drra_isa::ports::ProgWord;
use drra_isa::ports::RfInit;
use drra_isa::ports::SramInit;

use super::common::Common;
use super::ports::Ports;
use super::ports::Transfer;
use super::recording::Recordings;
use crate::dump::DumpError;
use crate::dump::Shown;
use crate::frames::Edge;

/// The latest values of the ports.
#[derive(Default)]
struct Now(HashMap<usize, Vec<u64>>);

impl Now {
    fn number(&self, signal: usize) -> u64 {
        self.0.get(&signal).and_then(|words| words.first().copied()).unwrap_or(0)
    }

    fn place(&self, transfer: &Transfer) -> Vec<usize> {
        transfer.place.iter().map(|signal| self.number(*signal) as usize).collect()
    }

    fn block(&self, transfer: &Transfer) -> Block {
        let words = self.0.get(&transfer.data).map_or(&[][..], Vec::as_slice);
        std::array::from_fn(|i| words.get(i).copied().unwrap_or(0))
    }

    fn valid<'a>(&self, transfer: Option<&'a Transfer>) -> Option<&'a Transfer> {
        transfer.filter(|t| self.number(t.valid) == 1)
    }
}

/// The case of a recording with the stimulus of its dump, cycle 0 at the edge `start`, and the number of cycles.
pub(super) fn case(
    common: &Common,
    recordings: Recordings<'_>,
    n: usize,
    clock: (usize, Edge),
    (ports, start): (&Ports, u64),
    geometry: &Geometry,
) -> Result<(Case, u64), DumpError> {
    let transfers = [&ports.program, &ports.sram, &ports.rf].into_iter().flatten();
    let mut wanted: Vec<usize> =
        transfers.flat_map(|t| t.place.iter().copied().chain([t.valid, t.data])).collect();
    wanted.extend(ports.flag.map(|flag| flag.signal));
    let (mut now, mut entries) = (Now::default(), Vec::new());
    let mut flags: Vec<bool> = Vec::new();
    let edges = common.edges((recordings.dump(n), n), clock, &wanted, &mut |edge, changes| {
        for (signal, shown) in changes {
            if let Shown::Bits(bits) = shown {
                now.0.insert(*signal, bits.words().to_vec());
            }
        }
        let Some(cycle) = edge.checked_sub(start) else { return };
        flags.push(ports.flag.is_some_and(|flag| now.number(flag.signal) == 1));
        let mut entry = PortCycle { cycle, ..PortCycle::default() };
        entry.prog = now.valid(ports.program.as_ref()).map(|t| ProgWord {
            instr: now.number(t.data) as u32,
            imm: false,
            row_sel: now.number(t.place[0]) as u8,
            col_sel: now.number(t.place[1]) as u32,
        });
        entry.sram_init = now.valid(ports.sram.as_ref()).map(|t| {
            let place = now.place(t);
            SramInit {
                row: place[0],
                col: place[1],
                addr: place[2],
                data: now.block(t),
                valid: true,
            }
        });
        entry.rf_init = now.valid(ports.rf.as_ref()).map(|t| {
            let place = now.place(t);
            RfInit { row: place[0], col: place[1], block: place[2], data: now.block(t) }
        });
        let inside =
            |init: &SramInit| init.col < geometry.columns && init.addr < geometry.sram_blocks;
        entry.sram_init = entry.sram_init.filter(inside);
        if entry != (PortCycle { cycle, ..PortCycle::default() }) {
            entries.push(entry);
        }
    })?;
    let delayed = ports.flag.is_some_and(|flag| flag.delayed);
    for entry in &mut entries {
        let Some(word) = &mut entry.prog else { continue };
        let away = word.row_sel.trailing_zeros() + word.col_sel.trailing_zeros();
        let cycle = entry.cycle + if delayed { u64::from(away) } else { 0 };
        word.imm = flags.get(cycle as usize).copied().unwrap_or(false);
    }
    let given = recordings.case(n);
    let case = Case { ports: true, stimulus: Stimulus::new(entries), ..given.clone() };
    Ok((case, edges.saturating_sub(start)))
}
