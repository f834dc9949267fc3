// SPDX-License-Identifier: MIT OR Apache-2.0
//! The passes of a reduction, each of which tries to remove one kind of content.

use std::collections::BTreeMap;

use drra_case::{IdlePorts, StimulusEntry};
use drra_isa::{Blocks, CellId};

use super::{
    candidate::{self, Candidate, CandidateInstruction},
    shrinker::Shrinker,
};
use crate::CampaignError;

impl Shrinker<'_> {
    /// Runs every pass once.
    pub(super) fn all_passes(&mut self) -> Result<(), CampaignError> {
        self.lines()?;
        self.ports()?;
        // A case at the ports that cannot become programs stays a list of inputs.
        let programs = self.best.entries.is_none();
        if programs {
            self.cells()?;
            self.instructions()?;
        }
        self.buffers()?;
        if programs {
            self.memories()?;
            self.fields()?;
        }
        Ok(())
    }

    /// Clears the lines of unused ports.
    fn lines(&mut self) -> Result<(), CampaignError> {
        if self.best.rest.idle_ports != IdlePorts::Zero {
            self.change(|c| c.rest.idle_ports = IdlePorts::Zero)?;
        }
        let lines = |e: &StimulusEntry| e.idle.is_some();
        if self.best.entries.as_deref().is_some_and(|entries| entries.iter().any(lines)) {
            self.change(|c| {
                let entries = c.entries.as_mut().expect("a case at the ports");
                entries.iter_mut().for_each(|e| e.idle = None);
                entries.retain(StimulusEntry::uses_a_port);
            })?;
        }
        Ok(())
    }

    /// Turns a case at the ports into programs if the programs still fail, or else drops inputs.
    fn ports(&mut self) -> Result<(), CampaignError> {
        if self.best.entries.is_none() {
            return Ok(());
        }
        if !self.best.cells.is_empty() && self.try_candidate(self.best.as_programs())? {
            return Ok(());
        }
        // Drops program words, many at once; later inputs move up.
        let mut size = self.best.instructions().div_ceil(2);
        while size > 0 && !self.stopped {
            let mut at = 0;
            while at < self.best.instructions() && !self.stopped {
                if !self.change(|c| c.drop_words(at, size))? {
                    at += size;
                }
            }
            size /= 2;
        }
        // Drops initialisations, many at once; other inputs keep their cycles.
        let inits = |c: &Candidate| {
            let entries = c.entries.as_deref().unwrap_or_default();
            let used = entries.iter().filter(|e| e.sram_init.is_some() || e.rf_init.is_some());
            used.map(|e| e.cycle).collect::<Vec<u64>>()
        };
        let mut size = inits(&self.best).len().div_ceil(2);
        while size > 0 && !self.stopped {
            for chunk in inits(&self.best).chunks(size) {
                self.change(|c| {
                    let cycles = c.case().cycles.unwrap_or(0);
                    let entries = c.entries.as_mut().expect("a case at the ports");
                    for e in entries.iter_mut().filter(|e| chunk.contains(&e.cycle)) {
                        (e.sram_init, e.rf_init) = (None, None);
                    }
                    entries.retain(|e| e.uses_a_port() || e.idle.is_some());
                    c.after = cycles.saturating_sub(candidate::end(entries));
                })?;
            }
            size /= 2;
        }
        Ok(())
    }

    /// Empties cells, many at once, then one by one, and clears the straps of I/O cells.
    fn cells(&mut self) -> Result<(), CampaignError> {
        let mut size = self.best.cells.len().div_ceil(2);
        while size > 0 && !self.stopped {
            let all: Vec<_> = self.best.cells.keys().copied().collect();
            for chunk in all.chunks(size) {
                self.change(|c| c.cells.retain(|at, _| !chunk.contains(at)))?;
            }
            size /= 2;
        }
        let straps: Vec<_> = self.best.rest.io_cells.iter().copied().collect();
        for strap in straps {
            self.change(|c| c.rest.io_cells.remove(&strap))?;
        }
        Ok(())
    }

    /// Shortens programs: cuts their ends, replaces instructions with WAITs, and removes WAITs.
    fn instructions(&mut self) -> Result<(), CampaignError> {
        let cells: Vec<_> = self.best.cells.keys().copied().collect();
        for &cell in &cells {
            self.cut_end(cell)?;
        }
        for &cell in &cells {
            self.replace_by_waits(cell)?;
            self.shorten_waits(cell)?;
        }
        self.shorten_together()
    }

    /// Cuts as many instructions as possible from the end of a program.
    fn cut_end(&mut self, cell: CellId) -> Result<(), CampaignError> {
        let mut keep = 0;
        let mut cut = self.best.cells[&cell].len();
        while keep < cut && !self.stopped {
            let middle = (keep + cut) / 2;
            if self.change(|c| c.program(cell).truncate(middle))? {
                cut = self.best.cells[&cell].len().min(middle);
            } else {
                keep = middle + 1;
            }
        }
        Ok(())
    }

    /// Replaces runs of instructions with WAITs, long runs first.
    fn replace_by_waits(&mut self, cell: CellId) -> Result<(), CampaignError> {
        let mut size = self.best.cells[&cell].len().div_ceil(2);
        while size > 0 && !self.stopped {
            let mut at = 0;
            while at < self.best.cells[&cell].len() && !self.stopped {
                let program = &self.best.cells[&cell];
                let last = (at + size).min(program.len());
                let only_waits = program[at..last].iter().all(|i| i.wait_cycles().is_some());
                let replaced = !only_waits
                    && self.change(|c| {
                        let program = c.program(cell);
                        for i in &mut program[at..last] {
                            *i = CandidateInstruction::wait(i.cycles(), i.words[0].immediate);
                        }
                    })?;
                // The WAITs may have been merged, so the next instruction may now be at `at + 1`.
                at = if replaced { at + 1 } else { last };
            }
            size /= 2;
        }
        Ok(())
    }

    /// Removes WAITs, and shortens those that remain.
    fn shorten_waits(&mut self, cell: CellId) -> Result<(), CampaignError> {
        let mut at = 0;
        while at < self.best.cells[&cell].len() && !self.stopped {
            let Some(cycles) = self.best.cells[&cell][at].wait_cycles() else {
                at += 1;
                continue;
            };
            if self.change(|c| candidate::remove(c.program(cell), at))? {
                continue;
            }
            let mut shorter = cycles / 2;
            while shorter > 0 && self.change(|c| c.set_wait(cell, at, shorter))? {
                shorter /= 2;
            }
            at += 1;
        }
        Ok(())
    }

    /// Drops contents of input buffers: first everything, then each block.
    fn buffers(&mut self) -> Result<(), CampaignError> {
        self.change(|c| c.rest.input_buffers.clear())?;
        for k in (0..self.best.rest.input_buffers.len()).rev() {
            self.change(|c| c.rest.input_buffers.remove(k))?;
        }
        Ok(())
    }

    /// Drops memory contents: first everything, then each memory, then each block; blocks that are needed receive
    /// simple values.
    fn memories(&mut self) -> Result<(), CampaignError> {
        self.change(|c| c.rest.memory.sram.clear())?;
        self.change(|c| c.rest.memory.rf.clear())?;
        self.memories_of(|c| &mut c.rest.memory.sram)?;
        self.memories_of(|c| &mut c.rest.memory.rf)
    }

    fn memories_of<P: Copy + Ord>(
        &mut self,
        map: fn(&mut Candidate) -> &mut BTreeMap<P, Blocks>,
    ) -> Result<(), CampaignError> {
        let blocks = |c: &mut Candidate| -> Vec<(P, usize)> {
            map(c).iter().flat_map(|(at, b)| b.keys().map(|k| (*at, *k))).collect()
        };
        for (at, _) in blocks(&mut self.best) {
            self.change(|c| map(c).remove(&at))?;
        }
        for (at, block) in blocks(&mut self.best) {
            if !self.change(|c| map(c).get_mut(&at).map(|blocks| blocks.remove(&block)))? {
                self.change(|c| {
                    let words = std::array::from_fn(|k| k as u16 + 1);
                    map(c).entry(at).or_default().insert(block, words);
                })?;
            }
        }
        Ok(())
    }

    /// Sets fields to their defaults, or to smaller numbers.
    fn fields(&mut self) -> Result<(), CampaignError> {
        let cells: Vec<_> = self.best.cells.keys().copied().collect();
        for cell in cells {
            let io_cell = self.best.rest.io_cells.contains(&cell);
            let mut at = 0;
            while at < self.best.cells[&cell].len() && !self.stopped {
                let instruction = self.best.cells[&cell][at].clone();
                at += 1;
                if let Some(cycles) = instruction.wait_cycles() {
                    let plain = CandidateInstruction::wait(cycles, instruction.words[0].immediate);
                    if plain != instruction {
                        self.change(|c| c.program(cell)[at - 1] = plain)?;
                    }
                    continue;
                }
                let Some(decoded) = instruction.decoded(io_cell) else { continue };
                let mut values = decoded.values.clone();
                // Clears reserved bits, which have no field.
                let plain = instruction.with(&decoded, &values);
                if plain != instruction {
                    self.change(|c| c.program(cell)[at - 1] = plain)?;
                }
                // From the last field to the first, and finally the chunk field again, whose smaller values drop words.
                let count = decoded.instruction.fields.len();
                for k in (0..count).rev().chain(decoded.instruction.chunk_field) {
                    let default = decoded.instruction.fields[k].default;
                    for smaller in [default, values[k] / 2] {
                        if values[k] == default || smaller > values[k] && smaller != default {
                            continue;
                        }
                        let mut tried = values.clone();
                        tried[k] = smaller;
                        let changed = instruction.with(&decoded, &tried);
                        if self.change(|c| c.program(cell)[at - 1] = changed)? {
                            values = tried;
                            break;
                        }
                    }
                }
                if self.best.cells.get(&cell).is_none_or(|p| at > p.len()) {
                    break;
                }
            }
        }
        Ok(())
    }
}
