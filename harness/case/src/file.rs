// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file format of cases.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use drra_isa::Assembler;
use drra_isa::Geometry;
use drra_isa::MemoryImage;
use drra_isa::ProgramImage;
use drra_isa::Revision;
use drra_isa::ports::Block;
use drra_isa::ports::ProgWord;
use drra_isa::ports::RfInit;
use drra_isa::ports::SramInit;
use serde::Deserialize;
use serde::Serialize;

use super::Case;
use super::CaseError;
use super::Expect;
use super::MAX_CYCLES;
use super::Origin;
use crate::stimulus;
use crate::stimulus::PortCycle;
use crate::stimulus::Stimulus;

/// Version of the file format that this build reads and writes.
pub const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    version: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    fabric: FabricFile,
    isa: String,
    #[serde(default)]
    seed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<Origin>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    io_cells: Vec<[usize; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cells: Option<Vec<CellFile>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sram: Vec<MemoryFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rf: Vec<MemoryFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stimulus: Option<Vec<StimulusFile>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    input_buffers: Vec<BufferFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cycles: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expect: Option<Expect>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FabricFile {
    columns: usize,
    tile_rows: usize,
    rf_words: usize,
    sram_blocks: usize,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CellFile {
    row: usize,
    col: usize,
    text: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MemoryFile {
    row: usize,
    col: usize,
    /// Address to 64 hex digits.
    blocks: BTreeMap<u32, String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BufferFile {
    col: usize,
    blocks: BTreeMap<u32, String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StimulusFile {
    cycle: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prog: Option<ProgFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sram_init: Option<InitFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rf_init: Option<InitFile>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgFile {
    word: u32,
    imm: bool,
    row_sel: u8,
    col_sel: u32,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct InitFile {
    row: usize,
    col: usize,
    address: usize,
    data: String,
}

/// Reads a case for a fabric of this size.
///
/// # Errors
/// JSON that is malformed or does not follow the schema, values outside the fabric, assembly
/// errors in a program: with the JSON path of the element.
pub fn parse(text: &str, geometry: &Geometry) -> Result<Case, CaseError> {
    let deserializer = &mut serde_json::Deserializer::from_str(text);
    let file: CaseFile = serde_path_to_error::deserialize(&mut *deserializer).map_err(|e| {
        // A text that ends early has no path.
        let path = e.path().to_string();
        error(if path == "?" { "." } else { &path }, e.inner().to_string())
    })?;
    deserializer.end().map_err(|e| error(".", e.to_string()))?;
    file.resolve(geometry)
}

fn error(path: impl Into<String>, message: impl Into<String>) -> CaseError {
    CaseError { path: path.into(), message: message.into() }
}

impl CaseFile {
    fn resolve(self, geometry: &Geometry) -> Result<Case, CaseError> {
        if self.version != VERSION {
            let what = format!(
                "version {} is unknown, this program reads version {VERSION}",
                self.version
            );
            return Err(error("version", what));
        }
        let built = FabricFile {
            columns: geometry.columns,
            tile_rows: geometry.tile_rows,
            rf_words: geometry.rf_words,
            sram_blocks: geometry.sram_blocks,
        };
        if self.fabric != built {
            let what = format!(
                "the case is for {:?}, this program was built for {built:?}; \
                 see README for builds of other sizes",
                self.fabric
            );
            return Err(error("fabric", what));
        }
        let revision: Revision = self.isa.parse().map_err(|()| {
            error("isa", format!("unknown revision `{}`; r0 to r4, v2 and v3 are known", self.isa))
        })?;
        if let Some(cycles) = self.cycles
            && cycles > MAX_CYCLES
        {
            return Err(error("cycles", format!("{cycles} is more than {MAX_CYCLES}")));
        }

        let mut io_cells = BTreeSet::new();
        for (i, &[row, col]) in self.io_cells.iter().enumerate() {
            inside(format!("io_cells[{i}]"), row, col, Geometry::ROWS, geometry.columns)?;
            io_cells.insert((row, col));
        }

        let mut input_buffers = Vec::new();
        for (i, buffer) in self.input_buffers.iter().enumerate() {
            let path = format!("input_buffers[{i}]");
            inside(path.clone(), 0, buffer.col, 1, geometry.columns)?;
            for (&address, hex) in &buffer.blocks {
                let path = format!("{path}.blocks.{address}");
                if address >= 1 << 25 {
                    return Err(error(path, "the address is outside 0..33554431"));
                }
                input_buffers.push((buffer.col, address, data(path, hex)?));
            }
        }

        let mut case = match (&self.cells, &self.stimulus) {
            (Some(cells), None) => {
                let program = programs(cells, revision, geometry, &io_cells)?;
                let mut memory = MemoryImage::default();
                let tiles = (geometry.tile_rows, geometry.sram_blocks);
                images("sram", &self.sram, tiles, geometry, &mut memory.sram)?;
                images(
                    "rf",
                    &self.rf,
                    (Geometry::ROWS, geometry.rf_blocks()),
                    geometry,
                    &mut memory.rf,
                )?;
                Case::new(&self.name, program, &memory)
            }
            (None, Some(entries)) => {
                if !self.sram.is_empty() || !self.rf.is_empty() {
                    let what =
                        "a case with a stimulus writes its memories there (`sram_init`, `rf_init`)";
                    return Err(error("stimulus", what));
                }
                let stimulus = port_stimulus(entries, geometry)?;
                let mut program = ProgramImage::default();
                for prog in stimulus.entries().iter().filter_map(|e| e.prog) {
                    for row in (0..Geometry::ROWS).filter(|r| prog.row_sel >> r & 1 == 1) {
                        for col in (0..geometry.columns).filter(|c| prog.col_sel >> c & 1 == 1) {
                            let word =
                                drra_isa::Word { bits: prog.instr.into(), immediate: prog.imm };
                            program.push(row, col, word);
                        }
                    }
                }
                Case { name: self.name.clone(), program, stimulus, ports: true, ..Case::default() }
            }
            _ => return Err(error(".", "a case has either `cells` or `stimulus`")),
        };
        case.io_cells = io_cells;
        case.input_buffers = input_buffers;
        case.cycles = self.cycles;
        case.seed = self.seed;
        case.origin = self.origin;
        case.expect = self.expect;
        Ok(case)
    }
}

fn inside(path: String, row: usize, col: usize, rows: usize, cols: usize) -> Result<(), CaseError> {
    if row < rows && col < cols {
        return Ok(());
    }
    Err(error(path, format!("row {row}, column {col} is outside {rows} x {cols}")))
}

fn data(path: String, hex: &str) -> Result<Block, CaseError> {
    let image = drra_isa::read_memory(&format!("SRAM 0 0\n0 {hex}\n"), &Geometry::default());
    let words = image.ok().and_then(|m| m.sram.get(&(0, 0)).and_then(|b| b.get(&0).copied()));
    match words {
        Some(words) => Ok(stimulus::block(&words)),
        None => Err(error(path, "a block is written with 64 hex digits, word 15 first")),
    }
}

fn programs(
    cells: &[CellFile],
    revision: Revision,
    geometry: &Geometry,
    io_cells: &BTreeSet<(usize, usize)>,
) -> Result<ProgramImage, CaseError> {
    let mut program = ProgramImage::default();
    for (i, cell) in cells.iter().enumerate() {
        let path = format!("cells[{i}]");
        inside(path.clone(), cell.row, cell.col, Geometry::ROWS, geometry.columns)?;
        if program.cell(cell.row, cell.col).is_some() {
            return Err(error(path, format!("cell {} {} is given twice", cell.row, cell.col)));
        }
        // The text is assembled in cell (0,0) of a fabric of its own, so that line numbers are
        // those of the text.
        let mut assembler = Assembler { revision, geometry: *geometry, ..Assembler::default() };
        if io_cells.contains(&(cell.row, cell.col)) {
            assembler.io_cells.insert((0, 0));
        }
        let assembly = assembler.assemble(&cell.text).map_err(|e| {
            error(format!("{path}.text"), format!("line {}: {} {}", e.line, e.code, e.message))
        })?;
        if assembly.image.cells().any(|(at, _)| at != (0, 0)) || !assembly.memory.is_empty() {
            return Err(error(
                format!("{path}.text"),
                "CELL headings and .DATA do not belong here",
            ));
        }
        let words = assembly.image.cell(0, 0).unwrap_or_default().to_vec();
        program.set(cell.row, cell.col, words);
    }
    Ok(program)
}

fn images(
    name: &str,
    files: &[MemoryFile],
    (rows, depth): (usize, usize),
    geometry: &Geometry,
    into: &mut BTreeMap<(usize, usize), BTreeMap<usize, drra_isa::Block>>,
) -> Result<(), CaseError> {
    for (i, memory) in files.iter().enumerate() {
        let path = format!("{name}[{i}]");
        inside(path.clone(), memory.row, memory.col, rows, geometry.columns)?;
        for (&address, hex) in &memory.blocks {
            let path = format!("{path}.blocks.{address}");
            if address as usize >= depth {
                return Err(error(path, format!("the address is outside 0..{}", depth - 1)));
            }
            let words = stimulus::words(&data(path, hex)?);
            into.entry((memory.row, memory.col)).or_default().insert(address as usize, words);
        }
    }
    Ok(())
}

fn port_stimulus(entries: &[StimulusFile], geometry: &Geometry) -> Result<Stimulus, CaseError> {
    let mut cycles = Vec::new();
    let mut seen = BTreeSet::new();
    for (i, entry) in entries.iter().enumerate() {
        let path = format!("stimulus[{i}]");
        if entry.cycle >= MAX_CYCLES {
            return Err(error(
                format!("{path}.cycle"),
                format!("{} is more than {MAX_CYCLES}", entry.cycle),
            ));
        }
        if !seen.insert(entry.cycle) {
            return Err(error(
                format!("{path}.cycle"),
                format!("cycle {} is given twice", entry.cycle),
            ));
        }
        let prog = match &entry.prog {
            None => None,
            Some(p) => {
                let path = format!("{path}.prog");
                if p.word >= 1 << 27
                    || p.row_sel >= 4
                    || u64::from(p.col_sel) >= 1 << geometry.columns
                {
                    return Err(error(
                        path,
                        "the word has 27 bits, `row_sel` 2, `col_sel` one per column",
                    ));
                }
                Some(ProgWord { instr: p.word, imm: p.imm, row_sel: p.row_sel, col_sel: p.col_sel })
            }
        };
        let init = |file: &InitFile, name: &str, rows: usize, depth: usize| {
            let path = format!("{path}.{name}");
            inside(path.clone(), file.row, file.col, rows, geometry.columns)?;
            if file.address >= depth {
                return Err(error(path, format!("the address is outside 0..{}", depth - 1)));
            }
            data(path, &file.data)
        };
        let sram_init = match &entry.sram_init {
            None => None,
            Some(f) => {
                let data = init(f, "sram_init", geometry.tile_rows, geometry.sram_blocks)?;
                Some(SramInit { row: f.row + 1, col: f.col, addr: f.address, data, valid: true })
            }
        };
        let rf_init = match &entry.rf_init {
            None => None,
            Some(f) => {
                let data = init(f, "rf_init", Geometry::ROWS, geometry.rf_blocks())?;
                Some(RfInit { row: f.row, col: f.col, block: f.address, data })
            }
        };
        cycles.push(PortCycle { cycle: entry.cycle, prog, sram_init, rf_init });
    }
    Ok(Stimulus::new(cycles))
}

/// A case as a file: cells as assembly text, or the stimulus of a case that is given at the ports.
pub fn to_json(case: &Case, geometry: &Geometry) -> String {
    let mut file = CaseFile {
        version: VERSION,
        name: case.name.clone(),
        fabric: FabricFile {
            columns: geometry.columns,
            tile_rows: geometry.tile_rows,
            rf_words: geometry.rf_words,
            sram_blocks: geometry.sram_blocks,
        },
        isa: Revision::R4.name().to_owned(),
        seed: case.seed,
        origin: case.origin.clone(),
        io_cells: case.io_cells.iter().map(|&(row, col)| [row, col]).collect(),
        cells: None,
        sram: Vec::new(),
        rf: Vec::new(),
        stimulus: None,
        input_buffers: Vec::new(),
        cycles: case.cycles,
        expect: case.expect.clone(),
    };
    if case.ports {
        file.stimulus = Some(case.stimulus.entries().iter().map(entry).collect());
    } else {
        let text = |at: (usize, usize), words: &[drra_isa::Word]| -> String {
            let lines =
                drra_isa::disassemble(Revision::R4.isa(), words, case.io_cells.contains(&at));
            lines.into_iter().map(|l| l.text + "\n").collect()
        };
        let cells = case.program.cells();
        file.cells = Some(
            cells
                .map(|(at, words)| CellFile { row: at.0, col: at.1, text: text(at, words) })
                .collect(),
        );
        file.sram = memory_files(&case.memory.sram);
        file.rf = memory_files(&case.memory.rf);
    }
    let mut buffers: BTreeMap<usize, BTreeMap<u32, String>> = BTreeMap::new();
    for (col, address, block) in &case.input_buffers {
        buffers.entry(*col).or_default().insert(*address, hex(&stimulus::words(block)));
    }
    file.input_buffers =
        buffers.into_iter().map(|(col, blocks)| BufferFile { col, blocks }).collect();
    serde_json::to_string_pretty(&file).expect("plain data") + "\n"
}

fn hex(words: &[u16; 16]) -> String {
    words.iter().rev().map(|w| format!("{w:04x}")).collect()
}

fn memory_files(
    memories: &BTreeMap<(usize, usize), BTreeMap<usize, drra_isa::Block>>,
) -> Vec<MemoryFile> {
    memories
        .iter()
        .map(|(&(row, col), blocks)| MemoryFile {
            row,
            col,
            blocks: blocks.iter().map(|(a, b)| (*a as u32, hex(b))).collect(),
        })
        .collect()
}

fn entry(e: &PortCycle) -> StimulusFile {
    let init = |row, col, address, data: drra_isa::ports::Block| {
        let data = hex(&stimulus::words(&data));
        InitFile { row, col, address, data }
    };
    StimulusFile {
        cycle: e.cycle,
        prog: e.prog.map(|p| ProgFile {
            word: p.instr,
            imm: p.imm,
            row_sel: p.row_sel,
            col_sel: p.col_sel,
        }),
        sram_init: e.sram_init.map(|i| init(i.row - 1, i.col, i.addr, i.data)),
        rf_init: e.rf_init.map(|i| init(i.row, i.col, i.block, i.data)),
    }
}
