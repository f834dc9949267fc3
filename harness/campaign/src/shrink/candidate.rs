// SPDX-License-Identifier: MIT OR Apache-2.0
//! A case in the form used for the reduction: loads of instructions instead of words in cycles, with symbolic targets.

use std::collections::BTreeMap;

use drra_case::{
    Case, IdlePorts,
    stimulus::{self, Stimulus, StimulusEntry},
};
use drra_fabric::ports::ProgWord;
use drra_isa::{
    CellId, DecodedInstruction, Geometry, InstructionField, Isa, MemoryImage, Opcode, ProgramImage,
    Revision, TileId, Word, decode, encode,
    instructions::{CODE_BITS, WORD_BITS, wait},
};

pub(super) fn isa() -> &'static Isa {
    Revision::R4.isa()
}

/// Number of bits of an instruction word below its code.
pub(super) const BELOW_CODE: u32 = WORD_BITS - CODE_BITS;

/// Maximum number of cycles of a static WAIT; the field of a WAIT contains its number of cycles minus one.
pub(super) const MAX_WAIT_CYCLES: u64 = 1 << wait::CYCLE.width();

/// The words of a block that needs some contents, but no particular ones.
pub(super) const SIMPLE_BLOCK: [u16; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

/// One instruction of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CandidateInstruction {
    pub(super) words: Vec<Word>,
    /// The index of the instruction at the target address, if an instruction starts there.
    pub(super) target: Option<usize>,
}

impl CandidateInstruction {
    /// A static WAIT.
    pub(super) fn wait(cycles: u64, immediate: bool) -> Self {
        let mut words = [Opcode::Wait.code() << BELOW_CODE];
        wait::CYCLE.set(&mut words, cycles - 1);
        Self { words: words.map(|bits| Word { bits, immediate }).to_vec(), target: None }
    }

    /// Turns the words of the instruction into HALTs.
    pub(super) fn halt(&mut self) {
        self.words.iter_mut().for_each(|word| word.bits = Opcode::Halt.code() << BELOW_CODE);
        self.target = None;
    }

    /// Number of cycles of a static WAIT; `None` for any other instruction.
    pub(super) fn wait_cycles(&self) -> Option<u64> {
        let words = [self.words[0].bits];
        let is_static = opcode(words[0]) == Some(Opcode::Wait) && !wait::CYCLE_SD.is_set(&words);
        is_static.then(|| wait::CYCLE.get(&words) + 1)
    }

    /// Number of cycles of a static WAIT; 1 for any other instruction.
    pub(super) fn cycles(&self) -> u64 {
        self.wait_cycles().unwrap_or(1)
    }

    /// The fields of the instruction, if its code is known.
    pub(super) fn decoded(&self, io_cell: bool) -> Option<DecodedInstruction<'static>> {
        let bits: Vec<u64> = self.words.iter().map(|w| w.bits).collect();
        decode(isa(), &bits, io_cell).filter(|d| d.len == self.words.len())
    }

    /// The same instruction with other field values; the chunk field determines the number of words.
    pub(super) fn with(&self, decoded: &DecodedInstruction<'_>, values: &[u64]) -> Self {
        let i = decoded.instruction;
        let len = match i.chunk_field {
            Some(f) => i.words_for(values[f]) as usize,
            None => decoded.len,
        };
        let immediate = self.words[0].immediate;
        let words = encode(isa(), i, values, len);
        let words = words.into_iter().map(|bits| Word { bits, immediate }).collect();
        Self { words, target: self.target }
    }

    /// The same instruction with the contents of RACCU registers as operands; `None` if no operand is in a register.
    pub(super) fn without_registers(
        &self,
        decoded: &DecodedInstruction<'_>,
        registers: &[u64; 16],
    ) -> Option<Self> {
        let fields = &decoded.instruction.fields;
        let mut values = decoded.values.clone();
        for (k, field) in fields.iter().enumerate().filter(|(k, _)| decoded.values[*k] == 1) {
            let Some(name) = field.name.strip_suffix("_sd") else { continue };
            if let Some(operand) = fields.iter().position(|field| field.name == name) {
                let register = registers[values[operand] as usize % registers.len()];
                values[operand] = register % (1 << fields[operand].width);
                values[k] = 0;
            }
        }
        (values != decoded.values).then(|| self.with(decoded, &values))
    }
}

/// The instruction that begins with this word. SRAM and IO share a code; the difference does not matter here.
fn opcode(word: u64) -> Option<Opcode> {
    Opcode::of(word, false)
}

/// The field for the target address in this first word of an instruction, if the instruction has one.
fn target_field(word: u64) -> Option<InstructionField> {
    opcode(word)?.target_field()
}

/// A program on its way to the cells that it selects, one word per cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Load {
    /// Number of cycles between the previous load, or the initialisation of the memories, and this one.
    pub(super) gap: u64,
    /// The rows and columns selected, one bit each.
    pub(super) selects: [u32; 2],
    pub(super) program: Vec<CandidateInstruction>,
}

impl Load {
    /// The load of a program into one cell.
    fn of(cell: CellId, program: Vec<CandidateInstruction>) -> Self {
        Self { gap: 0, selects: [1 << cell.row(), 1 << cell.col()], program }
    }

    /// Number of cells selected.
    pub(super) fn cells(&self) -> usize {
        self.selects.iter().map(|bits| bits.count_ones() as usize).product()
    }

    /// The cell selected, if it is the only one.
    pub(super) fn cell(&self) -> Option<CellId> {
        let [row, col] = self.selects.map(|bits| bits.trailing_zeros() as usize);
        CellId::new(row, col).filter(|_| self.cells() == 1)
    }

    /// True if this cell is selected.
    pub(super) fn selects(&self, cell: CellId) -> bool {
        self.selects[0] >> cell.row() & 1 == 1 && self.selects[1] >> cell.col() & 1 == 1
    }
}

/// A use of the other ports, or lines of unused ports, in a case at the ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PortInput {
    /// Number of loads that end before the input.
    pub(super) loads: usize,
    /// Number of cycles between these loads and the input.
    pub(super) delay: u64,
    /// The input, without a program word; its cycle has no meaning.
    entry: StimulusEntry,
}

/// A case under reduction.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The loads in their order.
    pub(super) loads: Vec<Load>,
    /// Further inputs of a case at the ports.
    pub(super) inputs: Vec<PortInput>,
    /// True for a case at the ports.
    pub(super) ports: bool,
    /// Number of cycles of the run, if the inputs take no longer.
    pub(super) cycles: u64,
    /// The rest of the case. The program and stimulus follow from the fields above.
    pub(super) rest: Case,
}

impl Candidate {
    /// Sets the number of cycles of a static WAIT, or turns another instruction into one with the same flag. A WAIT of
    /// 0 cycles is removed.
    pub(super) fn set_wait(&mut self, load: usize, at: usize, cycles: u64) {
        let program = &mut self.loads[load].program;
        match cycles {
            0 => remove(program, at),
            _ => {
                let immediate = program[at].words[0].immediate;
                program[at] = CandidateInstruction::wait(cycles.min(MAX_WAIT_CYCLES), immediate);
            }
        }
    }

    /// The place of the load of a cell that has a program of its own.
    pub(super) fn load_of(&self, cell: CellId) -> usize {
        let found = self.loads.iter().position(|load| load.cell() == Some(cell));
        found.expect("a cell with a program")
    }

    /// The program of a cell that has one of its own.
    pub(super) fn program(&mut self, cell: CellId) -> &mut Vec<CandidateInstruction> {
        let load = self.load_of(cell);
        &mut self.loads[load].program
    }

    /// Removes a load; other inputs at the ports keep their cycles.
    pub(super) fn remove_load(&mut self, at: usize) {
        let removed = self.loads.remove(at);
        let freed = if self.ports { removed.gap + words(&removed.program).len() as u64 } else { 0 };
        if let Some(next) = self.loads.get_mut(at) {
            next.gap += freed;
        }
        for input in self.inputs.iter_mut().filter(|input| input.loads > at) {
            input.delay += if input.loads == at + 1 { freed } else { 0 };
            input.loads -= 1;
        }
    }

    /// The part of a case before cycle `cycles`.
    pub(super) fn new(case: &Case, cycles: u64) -> Self {
        let entries: Vec<StimulusEntry> =
            case.stimulus.entries().iter().filter(|e| e.cycle < cycles).copied().collect();
        let rest = Case {
            program: ProgramImage::default(),
            stimulus: Stimulus::default(),
            origin: None,
            expect: None,
            ..case.clone()
        };
        let mut new =
            Self { loads: Vec::new(), inputs: Vec::new(), ports: case.ports, cycles, rest };
        let io_cells = &case.io_cells;
        if !case.ports {
            let load = |(at, words): (CellId, &[Word])| {
                Load::of(at, instructions(words, io_cells.contains(&at)))
            };
            new.loads = case.program.cells().map(load).collect();
            return new;
        }
        // Blocks that are initialised first, in the usual order, are contents of memories.
        let first = entries.iter().position(|e| e.prog.is_some()).unwrap_or(entries.len());
        let memory = memory(&entries[..first], &case.geometry);
        let usual =
            Stimulus::load(&ProgramImage::default(), &memory).entries() == &entries[..first];
        new.rest.memory = if usual { memory } else { MemoryImage::default() };
        let entries = if usual { &entries[first..] } else { &entries };
        let mut end = new.ends()[0];
        let mut loads: Vec<(Load, Vec<Word>)> = Vec::new();
        for (cycle, prog) in entries.iter().filter_map(|e| Some((e.cycle, e.prog?))) {
            let selects = [prog.row_sel.into(), prog.col_sel];
            if cycle != end || loads.last().is_none_or(|(load, _)| load.selects != selects) {
                loads.push((Load { gap: cycle - end, selects, program: vec![] }, vec![]));
            }
            let word = Word { bits: prog.instr.into(), immediate: prog.imm };
            loads.last_mut().expect("a load").1.push(word);
            end = cycle + 1;
        }
        let decoded = loads.into_iter().map(|(load, words)| {
            let io_cell = io_cells.iter().any(|cell| load.selects(*cell));
            Load { program: instructions(&words, io_cell), ..load }
        });
        new.loads = decoded.collect();
        let ends = new.ends();
        for e in entries {
            let loads = ends[1..].iter().filter(|end| **end <= e.cycle).count();
            let none = StimulusEntry::default();
            let inputs = [
                StimulusEntry { sram_init: e.sram_init, ..none },
                StimulusEntry { rf_init: e.rf_init, ..none },
                StimulusEntry { idle: e.idle, ..none },
            ];
            let delay = e.cycle - ends[loads];
            let used = inputs.into_iter().filter(|entry| *entry != none);
            new.inputs.extend(used.map(|entry| PortInput { loads, delay, entry }));
        }
        new
    }

    /// The cycles in which the memories are initialised and then each of the loads has ended.
    fn ends(&self) -> Vec<u64> {
        let mut ends = vec![Stimulus::load(&ProgramImage::default(), &self.rest.memory).end()];
        for load in &self.loads {
            ends.push(ends[ends.len() - 1] + load.gap + words(&load.program).len() as u64);
        }
        ends
    }

    /// The candidate as a case that can be run.
    pub(super) fn case(&self) -> Case {
        let mut case = self.rest.clone();
        case.ports = self.ports;
        if self.ports {
            case.stimulus = self.stimulus();
            case.memory = MemoryImage::default();
        } else {
            for load in &self.loads {
                let mut words = words(&load.program);
                words.truncate(Geometry::IMEM_DEPTH);
                for cell in CellId::all(&case.geometry).filter(|cell| load.selects(*cell)) {
                    case.program.set(cell, words.clone());
                }
            }
            case.stimulus = Stimulus::load(&case.program, &case.memory);
        }
        case.cycles = Some(case.stimulus.end().max(self.cycles));
        case
    }

    /// The inputs of a case at the ports.
    fn stimulus(&self) -> Stimulus {
        let memory = Stimulus::load(&ProgramImage::default(), &self.rest.memory);
        let mut entries = memory.entries().to_vec();
        let ends = self.ends();
        for (load, end) in self.loads.iter().zip(&ends) {
            let (row_sel, col_sel) = (load.selects[0] as u8, load.selects[1]);
            for (cycle, word) in (end + load.gap..).zip(words(&load.program)) {
                let (instr, imm) = (word.bits as u32, word.immediate);
                let prog = Some(ProgWord { instr, imm, row_sel, col_sel });
                entries.push(StimulusEntry { cycle, prog, ..StimulusEntry::default() });
            }
        }
        for input in &self.inputs {
            entries.push(StimulusEntry { cycle: ends[input.loads] + input.delay, ..input.entry });
        }
        Stimulus::new(entries)
    }

    /// Number of instructions in the program of each cell that has one.
    pub(super) fn programs(&self) -> Vec<usize> {
        let io_cells = &self.rest.io_cells;
        let program = self.case().stimulus.program(&self.rest.geometry);
        let cells = program.cells();
        cells.map(|(at, words)| instructions(words, io_cells.contains(&at)).len()).collect()
    }

    /// A case at the ports as programs and memories: each cell executes the first or the last program that it is given,
    /// and starts in the same cycle relative to the others.
    pub(super) fn as_programs(&self, last: bool) -> Self {
        let geometry = &self.rest.geometry;
        let mut starts = self.ends();
        starts.remove(0);
        // Cells start together after loads that follow each other (chapter 2, section 4).
        for k in (1..self.loads.len()).rev().filter(|k| self.loads[*k].gap == 0) {
            starts[k - 1] = starts[k];
        }
        let mut programs: BTreeMap<CellId, (u64, Vec<Word>)> = BTreeMap::new();
        for (load, start) in self.loads.iter().zip(starts) {
            for cell in CellId::all(geometry).filter(|cell| load.selects(*cell)) {
                let own = programs.entry(cell).or_insert((start, Vec::new()));
                if own.0 != start && last {
                    *own = (start, Vec::new());
                }
                if own.0 == start {
                    own.1.extend(words(&load.program));
                }
            }
        }
        let first = programs.values().map(|(start, _)| *start).min().unwrap_or(0);
        let loads = programs.into_iter().map(|(cell, (start, words))| {
            let mut program = instructions(&words, self.rest.io_cells.contains(&cell));
            if start > first {
                program.iter_mut().flat_map(|i| &mut i.target).for_each(|target| *target += 1);
                let cycles = (start - first).min(MAX_WAIT_CYCLES);
                program.insert(0, CandidateInstruction::wait(cycles, false));
            }
            Load::of(cell, program)
        });
        let mut plain = self.clone();
        (plain.loads, plain.ports) = (loads.collect(), false);
        let inputs = std::mem::take(&mut plain.inputs).into_iter();
        let early: Vec<_> = inputs.filter(|i| i.loads == 0).map(|i| i.entry).collect();
        let early = memory(&early, geometry);
        plain.rest.memory.sram.extend(early.sram);
        plain.rest.memory.rf.extend(early.rf);
        plain
    }

    /// The measure of a case that a reduction makes smaller: what is compared first matters most.
    pub(super) fn measure(&self) -> [u64; 10] {
        let memory = &self.rest.memory;
        let blocks = || memory.sram.values().chain(memory.rf.values()).flat_map(BTreeMap::values);
        let straps =
            self.rest.io_cells.len() + usize::from(self.rest.idle_ports != IdlePorts::Zero);
        let inputs = self.inputs.len() + self.rest.input_buffers.len();
        let gaps = self.loads.iter().map(|l| l.gap).chain(self.inputs.iter().map(|i| i.delay));
        let (mut active, mut all, mut words) = (0, 0, 0);
        let (mut waits, mut fields, mut sum, mut bits) = (0, 0, 0_u64, 0);
        for load in &self.loads {
            let io_cell = self.rest.io_cells.iter().any(|cell| load.selects(*cell));
            for instruction in &load.program {
                all += load.cells();
                words += instruction.words.len();
                bits +=
                    instruction.words.iter().map(|w| u64::from(w.bits.count_ones())).sum::<u64>();
                if let Some(cycles) = instruction.wait_cycles() {
                    waits += cycles;
                    continue;
                }
                if opcode(instruction.words[0].bits) != Some(Opcode::Halt) {
                    active += load.cells();
                }
                let Some(decoded) = instruction.decoded(io_cell) else { continue };
                let set = decoded.instruction.fields.iter().zip(&decoded.values);
                for (field, value) in set.filter(|(field, value)| field.default != **value) {
                    // A literal is simpler than a register.
                    fields += 1 + u64::from(field.name.ends_with("_sd"));
                    sum = sum.saturating_add(*value);
                }
            }
        }
        [
            u64::from(self.ports),
            active as u64,
            (all + inputs) as u64,
            (words + straps) as u64,
            waits + gaps.sum::<u64>(),
            blocks().count() as u64,
            blocks().filter(|block| **block != SIMPLE_BLOCK).count() as u64,
            fields,
            sum,
            bits,
        ]
    }

    /// Merges consecutive WAITs with the same flag.
    pub(super) fn merge_waits(&mut self) {
        for Load { program, .. } in &mut self.loads {
            let mut k = 0;
            while k + 1 < program.len() {
                let targeted =
                    program.iter().any(|i| i.target == Some(k) || i.target == Some(k + 1));
                let both = program[k].wait_cycles().zip(program[k + 1].wait_cycles());
                let flags = program[k].words[0].immediate == program[k + 1].words[0].immediate;
                match both {
                    Some((a, b)) if flags && !targeted && a + b <= MAX_WAIT_CYCLES => {
                        program[k] =
                            CandidateInstruction::wait(a + b, program[k].words[0].immediate);
                        remove(program, k + 1);
                    }
                    _ => k += 1,
                }
            }
        }
    }
}

/// The memories after these initialisations.
fn memory(entries: &[StimulusEntry], geometry: &Geometry) -> MemoryImage {
    let mut memory = MemoryImage::default();
    for init in entries.iter().filter_map(|e| e.sram_init) {
        if let Some(tile) = TileId::new(init.row, init.col).filter(|tile| tile.is_in(geometry)) {
            memory.sram.entry(tile).or_default().insert(init.addr, stimulus::words(&init.data));
        }
    }
    for init in entries.iter().filter_map(|e| e.rf_init) {
        if let Some(cell) = CellId::new(init.row, init.col).filter(|cell| cell.is_in(geometry)) {
            memory.rf.entry(cell).or_default().insert(init.block, stimulus::words(&init.data));
        }
    }
    memory
}

/// Removes an instruction; targets that pointed to it then point to the next instruction.
pub(super) fn remove(program: &mut Vec<CandidateInstruction>, at: usize) {
    program.remove(at);
    for i in program {
        if let Some(target) = &mut i.target
            && *target > at
        {
            *target -= 1;
        }
    }
}

pub(super) fn instructions(words: &[Word], io_cell: bool) -> Vec<CandidateInstruction> {
    let mut starts = Vec::new();
    let mut list = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let rest: Vec<u64> = words[at..].iter().map(|w| w.bits).collect();
        let len = decode(isa(), &rest, io_cell).map_or(1, |d| d.len).min(rest.len());
        starts.push(at);
        list.push(CandidateInstruction { words: words[at..at + len].to_vec(), target: None });
        at += len;
    }
    starts.push(at);
    for i in &mut list {
        let word = i.words[0].bits;
        i.target = target_field(word)
            .and_then(|field| starts.iter().position(|s| *s as u64 == field.get(&[word])));
    }
    list
}

pub(super) fn words(instructions: &[CandidateInstruction]) -> Vec<Word> {
    let mut address = 0;
    let mut starts = Vec::new();
    for i in instructions {
        starts.push(address);
        address += i.words.len() as u64;
    }
    starts.push(address);
    let mut all = Vec::new();
    for i in instructions {
        let mut own = i.words.clone();
        if let (Some(target), Some(field)) = (i.target, target_field(own[0].bits))
            && let Some(start) = starts.get(target)
        {
            let mut first = [own[0].bits];
            field.set(&mut first, *start);
            own[0].bits = first[0];
        }
        all.extend(own);
    }
    all
}
