// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reduces a failing case: instructions become WAITs of the same length, so that the others keep
//! their cycles; cells are emptied, memories cut, fields set to their defaults. A step counts only
//! if the case still fails with the same signature.

mod candidate;

use std::time::Duration;
use std::time::Instant;

use drra_case::Case;
use drra_case::Expect;
use drra_diagnose::signature;
use drra_diagnose::signature::Failing;
use drra_lockstep::DutError;
use drra_lockstep::MismatchKind;
use drra_lockstep::Setup;

use candidate::Candidate;
use candidate::Instr;

/// Bounds of a reduction. With the same bounds on steps the result is the same as long as the time
/// suffices.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Runs of a reduced case.
    pub steps: u64,
    /// Time.
    pub time: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { steps: 3000, time: Duration::from_secs(20) }
    }
}

/// Size of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Cells with a program.
    pub cells: usize,
    /// Instructions of all programs.
    pub instructions: usize,
    /// Cycles of the run.
    pub cycles: u64,
}

/// A reduced case.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The case, with its first divergence.
    pub case: Case,
    /// How it fails.
    pub failing: Failing,
    /// Size before the reduction.
    pub before: Size,
    /// Size now.
    pub after: Size,
    /// Runs that were done.
    pub steps: u64,
    /// The reduction ended because there was nothing left to take away, not because of a bound.
    pub complete: bool,
}

/// Reduces a case that fails as `failing` says. `interrupted` is asked before each step.
///
/// # Errors
/// If the design does not fit its maps.
pub fn shrink(
    case: &Case,
    failing: &Failing,
    setup: &Setup<'_>,
    bounds: Bounds,
    interrupted: &dyn Fn() -> bool,
) -> Result<Shrunk, DutError> {
    let cycles = failing.mismatch.cycle + 1;
    let best = Candidate::new(case, cycles);
    let before = size(case, &best);
    let mut work = Work {
        setup,
        best,
        failing: failing.clone(),
        steps: 0,
        bounds,
        start: Instant::now(),
        interrupted,
        stopped: false,
    };
    loop {
        let size = work.measure();
        work.ports()?;
        work.cells()?;
        work.instructions()?;
        work.memories()?;
        work.fields()?;
        if work.stopped || work.measure() == size {
            break;
        }
    }
    let mut reduced = work.best.case();
    match signature::check(&reduced, setup)? {
        Some(found) if found.signature == failing.signature => work.failing = found,
        // Taken apart, the case does not fail any more, and no step was accepted: it stays whole.
        _ => {
            reduced = case.clone();
            work.best = Candidate::new(case, case.cycles.unwrap_or(cycles));
            work.failing = failing.clone();
        }
    }
    let mut case = reduced;
    case.expect = Some(Expect {
        cycle: work.failing.mismatch.cycle,
        path: match &work.failing.mismatch.kind {
            MismatchKind::State(d) => {
                let layout = drra_golden::Layout::new(setup.geometry);
                d.first().map_or_else(String::new, |d| layout.path(d.unit, &d.register))
            }
            MismatchKind::Output { port, .. } => port.clone(),
            MismatchKind::Assertion(failure) => failure.place.clone(),
        },
    });
    Ok(Shrunk {
        after: size(&case, &work.best),
        case,
        failing: work.failing,
        before,
        steps: work.steps,
        complete: !work.stopped,
    })
}

fn size(case: &Case, candidate: &Candidate) -> Size {
    Size {
        cells: candidate.used_cells(),
        instructions: candidate.instructions(),
        cycles: case.cycles.unwrap_or(0),
    }
}

struct Work<'a> {
    setup: &'a Setup<'a>,
    best: Candidate,
    failing: Failing,
    steps: u64,
    bounds: Bounds,
    start: Instant,
    interrupted: &'a dyn Fn() -> bool,
    stopped: bool,
}

impl Work<'_> {
    /// Something that becomes smaller with every useful pass.
    fn measure(&self) -> (usize, usize, u64, usize, usize) {
        let c = &self.best;
        let blocks = c.memory.sram.values().chain(c.memory.rf.values()).map(|b| b.len()).sum();
        let words: usize =
            c.cells.values().flatten().map(|i| i.words.len()).sum::<usize>() + c.buffers.len();
        (c.instructions(), words, c.behind, blocks, c.entries.as_ref().map_or(0, Vec::len))
    }

    /// Tries a candidate; keeps it if it fails with the same signature.
    fn try_it(&mut self, mut candidate: Candidate) -> Result<bool, DutError> {
        self.stopped |= self.steps >= self.bounds.steps
            || self.start.elapsed() >= self.bounds.time
            || (self.interrupted)();
        if self.stopped {
            return Ok(false);
        }
        self.steps += 1;
        candidate.join_waits();
        let case = candidate.case();
        let Some(failing) = signature::check(&case, self.setup)? else {
            return Ok(false);
        };
        if failing.signature != self.failing.signature {
            return Ok(false);
        }
        candidate.behind =
            (failing.mismatch.cycle + 1).saturating_sub(case.stimulus.end()).min(candidate.behind);
        self.best = candidate;
        self.failing = failing;
        Ok(true)
    }

    /// Tries a change of the best candidate.
    fn change(&mut self, change: impl FnOnce(&mut Candidate)) -> Result<bool, DutError> {
        let mut candidate = self.best.clone();
        change(&mut candidate);
        self.try_it(candidate)
    }

    /// A case at the ports: as programs if that is enough, else with fewer inputs.
    fn ports(&mut self) -> Result<(), DutError> {
        if self.best.entries.is_none() {
            return Ok(());
        }
        if !self.best.cells.is_empty() && self.try_it(self.best.as_programs())? {
            return Ok(());
        }
        // Program words, many at once, what follows moves up.
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
        // Initialisations.
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
                    entries.retain(|e| {
                        e.prog.is_some() || e.sram_init.is_some() || e.rf_init.is_some()
                    });
                    let end = entries.last().map_or(0, |e| e.cycle + 1);
                    c.behind = cycles.saturating_sub(end);
                })?;
            }
            size /= 2;
        }
        Ok(())
    }

    /// Empties cells: many at once, then one by one.
    fn cells(&mut self) -> Result<(), DutError> {
        if self.best.entries.is_some() {
            return Ok(());
        }
        let mut size = self.best.cells.len().div_ceil(2);
        while size > 0 && !self.stopped {
            let all: Vec<_> = self.best.cells.keys().copied().collect();
            for chunk in all.chunks(size) {
                self.change(|c| c.cells.retain(|at, _| !chunk.contains(at)))?;
            }
            size /= 2;
        }
        let straps: Vec<_> = self.best.io_cells.iter().copied().collect();
        for strap in straps {
            self.change(|c| {
                c.io_cells.remove(&strap);
            })?;
        }
        Ok(())
    }

    /// Replaces runs of instructions by WAITs, long runs first, and cuts the ends of programs.
    fn instructions(&mut self) -> Result<(), DutError> {
        if self.best.entries.is_some() {
            return Ok(());
        }
        let cells: Vec<_> = self.best.cells.keys().copied().collect();
        for &cell in &cells {
            // Ends of programs.
            let mut keep = 0;
            let mut cut = self.best.cells[&cell].len();
            while keep < cut && !self.stopped {
                let middle = (keep + cut) / 2;
                let shorter = self.change(|c| {
                    c.cells.get_mut(&cell).expect("cell of the case").truncate(middle);
                })?;
                if shorter {
                    cut = self.best.cells[&cell].len().min(middle);
                } else {
                    keep = middle + 1;
                }
            }
        }
        for &cell in &cells {
            let mut size = self.best.cells[&cell].len().div_ceil(2);
            while size > 0 && !self.stopped {
                let mut at = 0;
                while at < self.best.cells[&cell].len() && !self.stopped {
                    let program = &self.best.cells[&cell];
                    let last = (at + size).min(program.len());
                    let only_waits = program[at..last].iter().all(|i| i.wait_cycles().is_some());
                    let replaced = !only_waits
                        && self.change(|c| {
                            let program = c.cells.get_mut(&cell).expect("cell of the case");
                            for i in &mut program[at..last] {
                                *i = Instr::wait(i.cycles(), i.words[0].immediate);
                            }
                        })?;
                    // Joined WAITs made the program shorter.
                    at = if replaced { at + 1 } else { last };
                }
                size /= 2;
            }
            // WAITs that are not needed, and shorter ones.
            let mut at = 0;
            while at < self.best.cells[&cell].len() && !self.stopped {
                let Some(cycles) = self.best.cells[&cell][at].wait_cycles() else {
                    at += 1;
                    continue;
                };
                let gone = self.change(|c| {
                    candidate::remove(c.cells.get_mut(&cell).expect("cell of the case"), at);
                })?;
                if gone {
                    continue;
                }
                let mut shorter = cycles / 2;
                while shorter > 0 {
                    let done = self.change(|c| {
                        let program = c.cells.get_mut(&cell).expect("cell of the case");
                        let flag = program[at].words[0].immediate;
                        program[at] = Instr::wait(shorter, flag);
                    })?;
                    if done {
                        shorter /= 2;
                    } else {
                        break;
                    }
                }
                at += 1;
            }
        }
        Ok(())
    }

    /// Drops memory contents: everything, then each block; what has to stay becomes plain.
    fn memories(&mut self) -> Result<(), DutError> {
        self.change(|c| c.buffers.clear())?;
        for k in (0..self.best.buffers.len()).rev() {
            self.change(|c| {
                c.buffers.remove(k);
            })?;
        }
        if self.best.entries.is_some() {
            return Ok(());
        }
        self.change(|c| c.memory.sram.clear())?;
        self.change(|c| c.memory.rf.clear())?;
        for sram in [true, false] {
            let of = |c: &Candidate| {
                let map = if sram { &c.memory.sram } else { &c.memory.rf };
                let keys: Vec<_> =
                    map.iter().flat_map(|(at, b)| b.keys().map(|k| (*at, *k))).collect();
                keys
            };
            let places: Vec<_> = of(&self.best).iter().map(|(at, _)| *at).collect();
            for at in places {
                self.change(|c| {
                    let map = if sram { &mut c.memory.sram } else { &mut c.memory.rf };
                    map.remove(&at);
                })?;
            }
            for (at, block) in of(&self.best) {
                let gone = self.change(|c| {
                    let map = if sram { &mut c.memory.sram } else { &mut c.memory.rf };
                    if let Some(blocks) = map.get_mut(&at) {
                        blocks.remove(&block);
                    }
                })?;
                if !gone {
                    self.change(|c| {
                        let map = if sram { &mut c.memory.sram } else { &mut c.memory.rf };
                        map.entry(at)
                            .or_default()
                            .insert(block, std::array::from_fn(|k| k as u16 + 1));
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Sets fields to their defaults, or at least to smaller numbers.
    fn fields(&mut self) -> Result<(), DutError> {
        if self.best.entries.is_some() {
            return Ok(());
        }
        let cells: Vec<_> = self.best.cells.keys().copied().collect();
        for cell in cells {
            let io_cell = self.best.io_cells.contains(&cell);
            let mut at = 0;
            while at < self.best.cells[&cell].len() && !self.stopped {
                let instruction = self.best.cells[&cell][at].clone();
                at += 1;
                if instruction.wait_cycles().is_some() {
                    continue;
                }
                let Some(decoded) = instruction.decoded(io_cell) else { continue };
                let mut values = decoded.values.clone();
                // Words from the back: a chunk field of a smaller number drops a word.
                let count = decoded.instruction.fields.len();
                for k in (0..count).rev().chain(decoded.instruction.chunk_field) {
                    let default = decoded.instruction.fields[k].default;
                    for smaller in [default, values[k] / 2] {
                        if values[k] == smaller || smaller > values[k] && smaller != default {
                            continue;
                        }
                        let mut tried = values.clone();
                        tried[k] = smaller;
                        let changed = instruction.with(&decoded, &tried);
                        let index = at - 1;
                        let done = self.change(|c| {
                            c.cells.get_mut(&cell).expect("cell of the case")[index] = changed;
                        })?;
                        if done {
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
