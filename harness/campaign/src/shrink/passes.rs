// SPDX-License-Identifier: MIT OR Apache-2.0
//! The passes of a reduction, each of which tries to remove one kind of content.

use std::collections::BTreeMap;

use drra_case::{IdlePorts, Stimulus, StimulusEntry};
use drra_isa::Blocks;

use super::{
    candidate::{Candidate, CandidateInstruction, SIMPLE_BLOCK},
    shrinker::Shrinker,
};
use crate::CampaignError;

impl Shrinker<'_> {
    /// Runs every pass once.
    pub(super) fn all_passes(&mut self) -> Result<(), CampaignError> {
        self.lines()?;
        self.ports()?;
        self.loads()?;
        self.instructions()?;
        self.presets()?;
        self.buffers()?;
        self.memories()?;
        self.fields()
    }

    /// Clears the lines of unused ports.
    fn lines(&mut self) -> Result<(), CampaignError> {
        self.change(|c| c.rest.idle_ports = IdlePorts::Zero)?;
        self.change(|c| {
            let mut case = c.case();
            let plain = case.stimulus.entries().iter().map(|e| StimulusEntry { idle: None, ..*e });
            case.stimulus = Stimulus::new(plain.filter(StimulusEntry::uses_a_port).collect());
            *c = Candidate::new(&case, case.cycles.unwrap_or(c.cycles));
        })?;
        Ok(())
    }

    /// Turns a case at the ports into programs if the programs still fail, or else drops inputs, many at once, and
    /// loads fewer cells.
    fn ports(&mut self) -> Result<(), CampaignError> {
        for last in [false, true] {
            if self.best.ports && self.try_candidate(self.best.as_programs(last))? {
                return Ok(());
            }
        }
        let mut size = self.best.inputs.len();
        while size > 0 && !self.stopped {
            let mut at = 0;
            while at < self.best.inputs.len() && !self.stopped {
                let end = (at + size).min(self.best.inputs.len());
                if !self.change(|c| drop(c.inputs.drain(at..end)))? {
                    at = end;
                }
            }
            size /= 2;
        }
        for load in 0..self.best.loads.len() {
            for (k, bit) in [0, 1].into_iter().flat_map(|k| (0..u32::BITS).map(move |bit| (k, bit)))
            {
                let rest = self.best.loads[load].selects[k] & !(1 << bit);
                if rest != 0 && rest != self.best.loads[load].selects[k] {
                    self.change(|c| c.loads[load].selects[k] = rest)?;
                }
            }
        }
        Ok(())
    }

    /// Drops programs, many at once, then one by one, and clears the straps of I/O cells.
    fn loads(&mut self) -> Result<(), CampaignError> {
        let mut size = self.best.loads.len();
        while size > 0 && !self.stopped {
            let mut end = self.best.loads.len();
            while end > 0 && !self.stopped {
                let first = end.saturating_sub(size);
                self.change(|c| (first..end).rev().for_each(|k| c.remove_load(k)))?;
                end = first;
            }
            size /= 2;
        }
        for strap in self.best.rest.io_cells.clone() {
            self.change(|c| c.rest.io_cells.remove(&strap))?;
        }
        Ok(())
    }

    /// Shortens programs: cuts their ends, replaces instructions with WAITs, and removes WAITs.
    fn instructions(&mut self) -> Result<(), CampaignError> {
        for load in 0..self.best.loads.len() {
            self.cut_end(load)?;
        }
        for load in 0..self.best.loads.len() {
            self.replace_by_waits(load)?;
        }
        self.shorten_delays()
    }

    /// Cuts as many instructions as possible from the end of a program.
    fn cut_end(&mut self, load: usize) -> Result<(), CampaignError> {
        let mut keep = 0;
        let mut cut = self.best.loads[load].program.len();
        while keep < cut && !self.stopped {
            let middle = (keep + cut) / 2;
            if self.change(|c| c.loads[load].program.truncate(middle))? {
                cut = self.best.loads[load].program.len().min(middle);
            } else {
                keep = middle + 1;
            }
        }
        Ok(())
    }

    /// Replaces runs of instructions with WAITs, long runs first.
    fn replace_by_waits(&mut self, load: usize) -> Result<(), CampaignError> {
        let mut size = self.best.loads[load].program.len().div_ceil(2);
        while size > 0 && !self.stopped {
            let mut at = 0;
            while at < self.best.loads[load].program.len() && !self.stopped {
                let program = &self.best.loads[load].program;
                let last = (at + size).min(program.len());
                let only_waits = program[at..last].iter().all(|i| i.wait_cycles().is_some());
                let replaced = !only_waits
                    && self.change(|c| {
                        for i in &mut c.loads[load].program[at..last] {
                            *i = CandidateInstruction::wait(i.cycles(), i.words[0].immediate);
                        }
                    })?;
                let removed = !replaced
                    && size == 1
                    && !only_waits
                    && (self.change(|c| c.set_wait(load, at, 0))?
                        || self.best.ports && self.change(|c| c.loads[load].program[at].halt())?);
                // The WAITs may have been merged, so the next instruction may now be at `at + 1`.
                at = if replaced || removed { at + 1 } else { last };
            }
            size /= 2;
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
                self.change(|c| map(c).entry(at).or_default().insert(block, SIMPLE_BLOCK))?;
            }
        }
        Ok(())
    }

    /// Sets fields to their defaults, or to smaller numbers.
    fn fields(&mut self) -> Result<(), CampaignError> {
        for load in 0..self.best.loads.len() {
            let of = &self.best.loads[load];
            let io_cell = self.best.rest.io_cells.iter().any(|cell| of.selects(*cell));
            let mut at = 0;
            while at < self.best.loads[load].program.len() && !self.stopped {
                let length = self.best.loads[load].program.len();
                let instruction = self.best.loads[load].program[at].clone();
                at += 1;
                if let Some(cycles) = instruction.wait_cycles() {
                    let plain = CandidateInstruction::wait(cycles, instruction.words[0].immediate);
                    if plain != instruction {
                        self.change(|c| c.loads[load].program[at - 1] = plain)?;
                    }
                    continue;
                }
                let Some(decoded) = instruction.decoded(io_cell) else { continue };
                let mut values = decoded.values.clone();
                // Clears reserved bits, which have no field.
                let plain = instruction.with(&decoded, &values);
                if plain != instruction {
                    self.change(|c| c.loads[load].program[at - 1] = plain)?;
                }
                // From the last field to the first, and finally the chunk field again, whose smaller values drop words.
                let count = decoded.instruction.fields.len();
                for k in (0..count).rev().chain(decoded.instruction.chunk_field) {
                    // The instruction may have become a WAIT and part of another one.
                    if self.best.loads[load].program.len() != length {
                        break;
                    }
                    let default = decoded.instruction.fields[k].default;
                    for smaller in [default, values[k] / 2] {
                        if values[k] == default || smaller > values[k] && smaller != default {
                            continue;
                        }
                        let mut tried = values.clone();
                        tried[k] = smaller;
                        let changed = instruction.with(&decoded, &tried);
                        if self.change(|c| c.loads[load].program[at - 1] = changed)? {
                            values = tried;
                            break;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
