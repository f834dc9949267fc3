// SPDX-License-Identifier: MIT OR Apache-2.0
//! An example of a chapter: the inputs of the fabric, and the values that registers must have in certain cycles.

use drra_golden::{Fabric, Inputs, ProgWord, RfInit, SramInit};
use drra_isa::{Assembler, CellId, Geometry, Unit};

/// A register value that an example expects.
#[derive(Clone, Debug)]
pub struct ExpectedValue {
    /// Cycle, counted from cycle 0 of the fabric.
    pub cycle: u64,
    /// Canonical path.
    pub path: String,
    /// Value, low word first.
    pub value: Vec<u64>,
}

/// An example.
#[derive(Clone, Debug, Default)]
pub struct Example {
    /// Chapter and number.
    pub name: String,
    /// Inputs by cycle.
    pub inputs: Vec<(u64, Inputs<'static>)>,
    /// Cells with the IO strap.
    pub io_cells: u64,
    /// Contents of input buffers: column, address, word 0 of the block (word k is this value plus k).
    pub buffers: Vec<(usize, u32, u16)>,
    /// Expected values.
    pub expected: Vec<ExpectedValue>,
    /// Cycles to run.
    pub cycles: u64,
    /// First cycle after all words and blocks that are on the ports.
    gap: u64,
}

/// A block whose word k is `base + k`.
pub fn ramp(base: u16) -> [u64; 4] {
    block(std::array::from_fn(|k| base.wrapping_add(k as u16)))
}

/// 16 words as a block.
pub fn block(words: [u16; 16]) -> [u64; 4] {
    std::array::from_fn(|i| (0..4).fold(0, |q, j| q | u64::from(words[4 * i + j]) << (16 * j)))
}

impl Example {
    /// An example without inputs and expected values.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    fn at(&mut self, cycle: u64) -> &mut Inputs<'static> {
        if let Some(i) = self.inputs.iter().position(|(c, _)| *c == cycle) {
            return &mut self.inputs[i].1;
        }
        self.inputs.push((cycle, Inputs::default()));
        &mut self.inputs.last_mut().unwrap().1
    }

    /// Adds a word on the program port.
    pub fn word(mut self, cycle: u64, instr: u32, imm: bool, row_sel: u8, col_sel: u32) -> Self {
        self.at(cycle).prog = Some(ProgWord { instr, imm, row_sel, col_sel });
        self.gap = self.gap.max(cycle + 1);
        self.cycles = self.cycles.max(cycle + 2);
        self
    }

    /// Adds a block for a tile; rows are numbered from 1.
    pub fn sram(mut self, cycle: u64, row: usize, col: usize, addr: usize, data: [u64; 4]) -> Self {
        self.at(cycle).sram_init = Some(SramInit { row, col, addr, data, valid: true });
        self.gap = self.gap.max(cycle + 1);
        self.cycles = self.cycles.max(cycle + 2);
        self
    }

    /// Adds a block for a register file.
    pub fn rf(mut self, cycle: u64, row: usize, col: usize, block: usize, data: [u64; 4]) -> Self {
        self.at(cycle).rf_init = Some(RfInit { row, col, block, data });
        self.gap = self.gap.max(cycle + 1);
        self.cycles = self.cycles.max(cycle + 2);
        self
    }

    /// Adds the words of a cell, loaded after everything that is already on the ports. They are given in hexadecimal,
    /// separated by blanks; a word followed by `'0` has the immediate flag 0.
    pub fn hex(mut self, row: usize, col: usize, words: &str) -> Self {
        for token in words.split_whitespace() {
            let (bits, imm) = match token.strip_suffix("'0") {
                Some(bits) => (bits, false),
                None => (token, true),
            };
            let instr = u32::from_str_radix(bits, 16).unwrap();
            let cycle = self.gap;
            self = self.word(cycle, instr, imm, 1 << row, 1 << col);
        }
        self
    }

    /// Like `hex`, but from assembly text; instructions are separated by line feeds or semicolons.
    pub fn asm(mut self, row: usize, col: usize, text: &str) -> Self {
        let mut assembler = Assembler::default();
        if self.io_cells >> (row * 8 + col) & 1 == 1 {
            assembler.io_cells.insert(CellId::FIRST);
        }
        let assembly = assembler.assemble(&text.replace(';', "\n")).unwrap_or_else(|e| {
            panic!("{}: {e}", self.name);
        });
        for word in assembly.image.cell(CellId::FIRST).unwrap() {
            let cycle = self.gap;
            self = self.word(cycle, word.bits as u32, word.immediate, 1 << row, 1 << col);
        }
        self
    }

    /// Sets the IO strap of a cell.
    pub fn io_cell(mut self, row: usize, col: usize) -> Self {
        self.io_cells |= 1 << (row * 8 + col);
        self
    }

    /// First decode cycle S(r,c) of a cell, once everything is loaded (chapter 5, 5.2).
    pub fn start(&self, row: usize, col: usize) -> u64 {
        self.gap + (row + col) as u64 + 1
    }

    /// Expects a value in a cycle counted from the first decode cycle of cell (0,0).
    pub fn expect(self, c: i64, path: &str, value: u64) -> Self {
        self.expect_wide(c, path, &[value])
    }

    /// Like `expect`, for registers of more than 64 bits.
    pub fn expect_wide(mut self, c: i64, path: &str, value: &[u64]) -> Self {
        let cycle = self.start(0, 0).checked_add_signed(c).expect("cycle of the run");
        self.expected.push(ExpectedValue { cycle, path: path.to_owned(), value: value.to_vec() });
        self.cycles = self.cycles.max(cycle + 1);
        self
    }

    /// Runs at least this many cycles, counted from the first decode cycle of cell (0,0).
    pub fn run(mut self, c: u64) -> Self {
        self.cycles = self.cycles.max(self.start(0, 0) + c);
        self
    }

    /// Inputs of a cycle.
    pub fn inputs_of(&self, cycle: u64) -> Inputs<'static> {
        self.inputs.iter().find(|(c, _)| *c == cycle).map(|(_, i)| *i).unwrap_or_default()
    }

    /// Runs the golden model; returns the values that are not as expected, as text.
    pub fn golden_failures(&self, geometry: Geometry) -> Vec<String> {
        let mut failures = Vec::new();
        let mut fabric = Fabric::new(geometry, self.io_cells);
        let mut answers = [[0; 4]; 8];
        for cycle in 0..self.cycles {
            for e in self.expected.iter().filter(|e| e.cycle == cycle) {
                let found = read(&fabric, &e.path);
                let c = cycle as i64 - self.start(0, 0) as i64;
                if !found.iter().chain(&[0; 4]).take(4).eq(e.value.iter().chain(&[0; 4]).take(4)) {
                    let (name, path, want) = (&self.name, &e.path, &e.value);
                    failures.push(format!(
                        "{name}: {path} in cycle {cycle} (c = {c}) is {found:x?}, not {want:x?}"
                    ));
                }
            }
            let reads: Vec<_> = fabric.buffer_reads().collect();
            let inputs = Inputs { io_in_data: &answers, ..self.inputs_of(cycle) };
            fabric.step(&inputs);
            fabric.pack();
            answers = [[0; 4]; 8];
            for r in reads {
                let base = self.buffers.iter().find(|b| (b.0, b.1) == (r.column.col(), r.addr));
                answers[r.column.col()] = base.map_or([0; 4], |b| ramp(b.2));
            }
        }
        failures
    }
}

/// Value of a register by its canonical path. Other paths are `CELL.vin[k]` for a selected input, `CELL.lane[k]` for a
/// lane, `all_idle`, and `agu_busy`.
pub fn read(fabric: &Fabric, path: &str) -> Vec<u64> {
    match path {
        "all_idle" => return vec![fabric.status().all_idle.into()],
        "agu_busy" => return vec![fabric.status().agu_busy.into()],
        _ => {}
    }
    if let Some(value) = signal(fabric, path) {
        return value;
    }
    let location = path.parse().unwrap_or_else(|e| panic!("{e}"));
    fabric.value(location).unwrap_or_else(|| panic!("no register {path}"))
}

fn signal(fabric: &Fabric, path: &str) -> Option<Vec<u64>> {
    let (unit, rest) = path.split_once("].")?;
    let Ok(Unit::Cell(cell)) = format!("{unit}]").parse() else { return None };
    let index = |prefix: &str| rest.strip_prefix(prefix)?.strip_suffix(']')?.parse::<usize>().ok();
    if let Some(k) = index("vin[") {
        return Some(vec![fabric.signals().cell(cell).vin[k].into()]);
    }
    index("lane[").map(|k| vec![fabric.lanes_of(cell)[k].into()])
}
