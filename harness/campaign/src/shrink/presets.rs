// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replaces sources of values: with initial contents of the memories, and with constants in instructions.

use std::collections::BTreeMap;

use drra_case::{Case, stimulus};
use drra_fabric::ports::Block;
use drra_golden::Fabric;
use drra_isa::{
    Blocks, CellId, Geometry, MemoryImage, Opcode, TileId, Word,
    instructions::{refi, swb},
};
use drra_lockstep::GoldenRun;

use super::{
    candidate::{BELOW_CODE, Candidate, CandidateInstruction, MAX_WAIT_CYCLES},
    shrinker::Shrinker,
};
use crate::CampaignError;

/// A change of a candidate.
type Change = Box<dyn Fn(&mut Candidate)>;

/// Number of cycles from the decode of a REFI to its first read (chapter 3, 5.3).
const READ_LATENCY: u64 = 2;

impl Shrinker<'_> {
    /// Removes sources of values: programs, inputs and instructions of which only values in memories are needed, DPUs
    /// in front of switchboxes, and RACCU registers in front of operands.
    pub(super) fn presets(&mut self) -> Result<(), CampaignError> {
        loop {
            let mut removed = false;
            for change in sources(&self.best, self.failing.expect.cycle) {
                removed = removed || self.change(change)?;
            }
            if !removed {
                return Ok(());
            }
        }
    }
}

/// What the golden model does until the failure shows.
struct GoldenHistory {
    /// The contents of the memories in that cycle.
    memory: MemoryImage,
    /// The first decode of each cell.
    starts: BTreeMap<CellId, u64>,
    /// The RACCU registers of a cell when the instruction at an address is first decoded.
    registers: BTreeMap<(CellId, usize), [u64; 16]>,
    /// The values on the lanes of the DPUs to which a SWB of another cell leads, by cycle.
    lanes: BTreeMap<(CellId, usize), Vec<u16>>,
}

impl GoldenHistory {
    /// Runs a candidate, as a case, until a cycle.
    fn new(c: &Candidate, case: &Case, cycle: u64) -> Self {
        let mut run = GoldenRun::new(case);
        let alone = c.loads.iter().filter_map(|load| Some((load.cell()?, &load.program)));
        let leading = alone.flat_map(|(cell, program)| program.iter().map(move |i| (cell, i)));
        let sources = leading
            .filter_map(|(cell, i)| dpu_source(cell, i).filter(|source| source.0 != cell))
            .filter(|(source, _)| source.is_in(&case.geometry));
        let mut history = Self {
            memory: c.rest.memory.clone(),
            starts: BTreeMap::new(),
            registers: BTreeMap::new(),
            lanes: sources.map(|source| (source, Vec::new())).collect(),
        };
        loop {
            for cell in case.program.cells().map(|(cell, _)| cell) {
                let sequencer = run.fabric.sequencer(cell);
                if sequencer.running() {
                    history.starts.entry(cell).or_insert(run.cycle);
                    let now = || std::array::from_fn(|k| sequencer.raccu_reg(k).into());
                    let address = (cell, sequencer.pc().into());
                    history.registers.entry(address).or_insert_with(now);
                }
            }
            for ((cell, port), values) in &mut history.lanes {
                values.push(run.fabric.lanes_of(*cell)[port + 2]);
            }
            if run.cycle >= cycle {
                break;
            }
            run.step();
        }
        history.take_memories(&run.fabric, &case.geometry);
        history
    }

    /// Adds the blocks that differ from the initial ones.
    fn take_memories(&mut self, fabric: &Fabric, geometry: &Geometry) {
        let differ = |blocks: &mut Blocks, k: usize, block: &Block| {
            let now = stimulus::words(block);
            if blocks.get(&k).copied().unwrap_or_default() != now {
                blocks.insert(k, now);
            }
        };
        let memory = &mut self.memory;
        for tile in TileId::all(geometry) {
            let blocks = memory.sram.entry(tile).or_default();
            fabric.sram(tile).iter().enumerate().for_each(|(k, block)| differ(blocks, k, block));
        }
        for cell in CellId::all(geometry) {
            let (blocks, file) = (memory.rf.entry(cell).or_default(), fabric.register_file(cell));
            (0..geometry.rf_blocks()).for_each(|k| differ(blocks, k, &file.block(k)));
        }
        memory.sram.retain(|_, blocks| !blocks.is_empty());
        memory.rf.retain(|_, blocks| !blocks.is_empty());
    }
}

/// The removals of single sources: the memories are initialised with what the golden model has in them when the failure
/// shows in this cycle.
fn sources(c: &Candidate, cycle: u64) -> Vec<Change> {
    let case = c.case();
    let geometry = case.geometry;
    let GoldenHistory { memory, starts, registers, lanes } = GoldenHistory::new(c, &case, cycle);
    let filled = |change: Change| -> Change {
        let memory = memory.clone();
        Box::new(move |c| {
            c.rest.memory.clone_from(&memory);
            change(c);
        })
    };
    let mut all: Vec<Change> = Vec::new();
    let loads = (0..c.loads.len()).rev();
    all.extend(loads.map(|load| filled(Box::new(move |c| c.remove_load(load)))));
    let inputs = 0..c.inputs.len();
    all.extend(inputs.map(|k| {
        filled(Box::new(move |c| {
            c.inputs.remove(k);
        }))
    }));
    for (load, of) in c.loads.iter().enumerate() {
        let Some(cell) = CellId::all(&geometry).find(|cell| of.selects(*cell)) else { continue };
        let io_cell = case.io_cells.contains(&cell);
        let mut address = 0;
        for (at, instruction) in of.program.iter().enumerate() {
            if instruction.wait_cycles().is_none() {
                all.push(filled(Box::new(move |c| c.set_wait(load, at, 1))));
            }
            if let Some(source) = dpu_source(cell, instruction)
                && let Some((values, start)) = lanes.get(&source).zip(starts.get(&source.0))
            {
                let earliest = (start + READ_LATENCY).min(cycle);
                let last = (cycle + 1).saturating_sub(16 * geometry.rf_blocks() as u64);
                for first in [earliest, last.max(earliest)] {
                    let (wait, values) = (first - earliest, values[first as usize..].to_vec());
                    all.push(Box::new(move |c| read_instead(c, source, &values, wait)));
                }
            }
            let decoded = instruction.decoded(io_cell).zip(registers.get(&(cell, address)));
            if let Some((decoded, registers)) = decoded
                && let Some(plain) = instruction.without_registers(&decoded, registers)
            {
                all.push(Box::new(move |c| c.loads[load].program[at] = plain.clone()));
            }
            address += instruction.words.len();
        }
    }
    all
}

/// The cell and the output of the DPU to which a SWB in this cell leads.
fn dpu_source(cell: CellId, instruction: &CandidateInstruction) -> Option<(CellId, usize)> {
    let first = [instruction.words[0].bits];
    let swb = Opcode::of(first[0], false) == Some(Opcode::Swb) && swb::SRC_BLOCK.is_set(&first);
    let row = cell.row() ^ swb::SEND_TO_OTHER_ROW.get(&first) as usize;
    let col = (cell.col() + swb::HB_INDEX.get(&first) as usize).checked_sub(2)?;
    let source = CellId::new(row, col).filter(|_| swb && swb::HB_INDEX.get(&first) < 5)?;
    Some((source, swb::SRC_PORT.get(&first) as usize))
}

/// Gives a cell a register file with these values and a program that reads them one by one after a WAIT, and leads to
/// this port of the register file what led to this output of the DPU.
fn read_instead(c: &mut Candidate, source: (CellId, usize), values: &[u16], wait: u64) {
    let mut read = [Opcode::Refi.code() << BELOW_CODE];
    refi::PORT_NO.set(&mut read, 2 + source.1 as u64);
    refi::L1_ITER.set(&mut read, (1 << refi::L1_ITER.width()) - 1);
    let read = read.map(|bits| Word { bits, immediate: true }).to_vec();
    for load in &mut c.loads {
        let cell = load.cell();
        if cell == Some(source.0) {
            let wait =
                (wait > 0).then(|| CandidateInstruction::wait(wait.min(MAX_WAIT_CYCLES), true));
            let read = CandidateInstruction { words: read.clone(), target: None };
            load.program = wait.into_iter().chain([read]).collect();
        }
        for i in &mut load.program {
            if cell.and_then(|cell| dpu_source(cell, i)) == Some(source) {
                let mut first = [i.words[0].bits];
                swb::SRC_BLOCK.set(&mut first, 0);
                i.words[0].bits = first[0];
            }
        }
    }
    let blocks =
        values.chunks(16).take(c.rest.geometry.rf_blocks()).enumerate().map(|(k, values)| {
            (k, std::array::from_fn(|word| values.get(word).copied().unwrap_or_default()))
        });
    c.rest.memory.rf.insert(source.0, blocks.collect());
}
