// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads cases from files.

use std::collections::{BTreeMap, BTreeSet};

use drra_fabric::{
    Parameter,
    ports::{Block, IdleLines, ProgWord, RfInit, SramInit},
};
use drra_isa::{
    Assembler, Blocks, CellId, ColumnId, Geometry, MemoryImage, ProgramImage, Revision, TextKind,
    TileId, instructions::WORD_BITS,
};

use super::{
    CaseFile, HexBlock, StoredCell, StoredIdlePorts, StoredInitPort, StoredPortCycle,
    StoredProgramPort, VERSION,
};
use crate::{
    Case, MAX_CYCLES,
    error::{ElementError, ElementProblem, ElementWarning},
    stimulus::{self, Stimulus, StimulusEntry},
};

/// Warnings that are normal for generated and reduced cases, where every field is written out, including padding,
/// `link` and source rows, and a program may end anywhere.
const USUAL: [&str; 4] = ["W01", "W02", "W03", "W10"];

/// Number of blocks of an input buffer.
const BUFFER_BLOCKS: usize = 1 << 25;

/// Reads a case and ignores warnings of the assembler.
///
/// # Errors
/// As for [`parse_with_warnings`].
pub fn parse(text: &str) -> Result<Case, ElementError> {
    Ok(parse_with_warnings(text)?.0)
}

/// Reads a case, with the assembler's warnings about its programs except W01, W02, W03 and W10, which are normal in
/// generated and reduced cases.
///
/// # Errors
/// Malformed JSON, JSON that does not follow the schema, values outside the fabric, or assembly errors in a program,
/// each with the JSON path of the element.
pub fn parse_with_warnings(text: &str) -> Result<(Case, Vec<ElementWarning>), ElementError> {
    // Keeping track of paths takes longer and is only necessary for errors.
    if let Ok(file) = serde_json::from_str::<CaseFile>(text) {
        return file.resolve();
    }
    let deserializer = &mut serde_json::Deserializer::from_str(text);
    let file: CaseFile = serde_path_to_error::deserialize(&mut *deserializer).map_err(|e| {
        // An error at the end of a truncated text has no path.
        let path = e.path().to_string();
        ElementProblem::Form(e.into_inner()).at(if path == "?" { ".".to_owned() } else { path })
    })?;
    deserializer.end().map_err(|e| ElementProblem::Form(e).at("."))?;
    file.resolve()
}

impl CaseFile {
    fn resolve(self) -> Result<(Case, Vec<ElementWarning>), ElementError> {
        let revision = self.head()?;
        let geometry = &self.fabric;
        let mut warnings = Vec::new();
        let mut io_cells = BTreeSet::new();
        for (i, &[row, col]) in self.io_cells.iter().enumerate() {
            io_cells.insert(cell_at(&format!("io_cells[{i}]"), row, col, geometry)?);
        }
        let mut case = match (&self.cells, &self.stimulus) {
            (Some(cells), None) => {
                let program = programs(cells, revision, geometry, &io_cells, &mut warnings)?;
                Case::new(&self.name, geometry, program, self.memory(geometry)?)
            }
            (None, Some(_)) if !self.sram.is_empty() || !self.rf.is_empty() => {
                return Err(ElementProblem::MemoriesOfStimulus.at("stimulus"));
            }
            (None, Some(entries)) => {
                let stimulus = port_stimulus(entries, geometry)?;
                let (name, program) = (self.name.clone(), stimulus.program(geometry));
                let geometry = *geometry;
                Case { name, geometry, program, stimulus, ports: true, ..Case::default() }
            }
            _ => return Err(ElementProblem::Kind.at(".")),
        };
        case.io_cells = io_cells;
        case.input_buffers = self.buffers(geometry)?;
        case.compare_from = self.compare_from;
        case.cycles = self.cycles;
        case.seed = self.seed;
        case.idle_ports = self.idle_ports;
        case.origin = self.origin;
        case.expect = self.expect;
        Ok((case, warnings))
    }

    /// Checks the properties of the case as a whole. Returns the revision of its programs.
    fn head(&self) -> Result<Revision, ElementError> {
        if self.version != VERSION {
            return Err(
                ElementProblem::Version { found: self.version, known: VERSION }.at("version")
            );
        }
        if self.name.contains(char::is_control) {
            return Err(ElementProblem::Name.at("name"));
        }
        self.fabric.check().map_err(|e| ElementProblem::Fabric(e).at("fabric"))?;
        let revision =
            self.isa.parse().map_err(|()| ElementProblem::Revision(self.isa.clone()).at("isa"))?;
        match self.cycles {
            Some(cycles) if cycles > MAX_CYCLES => {
                Err(ElementProblem::TooManyCycles(cycles).at("cycles"))
            }
            _ => Ok(revision),
        }
    }

    /// The initial memory contents of a case with programs.
    fn memory(&self, geometry: &Geometry) -> Result<MemoryImage, ElementError> {
        let mut memory = MemoryImage::default();
        for (i, file) in self.sram.iter().enumerate() {
            let path = format!("sram[{i}]");
            inside(&path, file.row, file.col, geometry.tile_rows, geometry.columns)?;
            let tile = TileId::from_image_row(file.row, file.col).expect("inside the fabric");
            let into = memory.sram.entry(tile).or_default();
            blocks(&path, &file.blocks, geometry.sram_blocks, into)?;
        }
        for (i, file) in self.rf.iter().enumerate() {
            let path = format!("rf[{i}]");
            let cell = cell_at(&path, file.row, file.col, geometry)?;
            blocks(&path, &file.blocks, geometry.rf_blocks(), memory.rf.entry(cell).or_default())?;
        }
        Ok(memory)
    }

    /// Contents of the input buffers: column, address, block.
    fn buffers(&self, geometry: &Geometry) -> Result<Vec<(ColumnId, u32, Block)>, ElementError> {
        let mut blocks = Vec::new();
        for (i, buffer) in self.input_buffers.iter().enumerate() {
            let path = format!("input_buffers[{i}]");
            inside(&path, 0, buffer.col, 1, geometry.columns)?;
            let column = ColumnId::new(buffer.col).expect("inside the fabric");
            for (&address, hex) in &buffer.blocks {
                let path = format!("{path}.blocks.{address}");
                below(&path, address as usize, BUFFER_BLOCKS)?;
                blocks.push((column, address, hex.block().map_err(|p| p.at(path))?));
            }
        }
        Ok(blocks)
    }
}

fn inside(
    path: &str,
    row: usize,
    col: usize,
    rows: usize,
    cols: usize,
) -> Result<(), ElementError> {
    if row < rows && col < cols {
        return Ok(());
    }
    Err(ElementProblem::Outside { row, col, rows, cols }.at(path))
}

fn cell_at(
    path: &str,
    row: usize,
    col: usize,
    geometry: &Geometry,
) -> Result<CellId, ElementError> {
    inside(path, row, col, Geometry::ROWS, geometry.columns)?;
    Ok(CellId::new(row, col).expect("inside the fabric"))
}

/// Checks an address of a memory of `depth` blocks.
fn below(path: &str, address: usize, depth: usize) -> Result<(), ElementError> {
    if address < depth {
        return Ok(());
    }
    Err(ElementProblem::Address(depth - 1).at(path))
}

fn programs(
    cells: &[StoredCell],
    revision: Revision,
    geometry: &Geometry,
    io_cells: &BTreeSet<CellId>,
    warnings: &mut Vec<ElementWarning>,
) -> Result<ProgramImage, ElementError> {
    let mut program = ProgramImage::default();
    for (i, cell) in cells.iter().enumerate() {
        let path = format!("cells[{i}]");
        let id = cell_at(&path, cell.row, cell.col, geometry)?;
        if program.cell(id).is_some() {
            return Err(ElementProblem::CellTwice(id).at(path));
        }
        // The text is assembled in cell (0,0) of a separate fabric, so that line numbers refer to the text.
        let (isa, kind) = (revision.into(), TextKind::Case);
        let mut assembler = Assembler { isa, kind, geometry: *geometry, ..Assembler::default() };
        if io_cells.contains(&id) {
            assembler.io_cells.insert(CellId::FIRST);
        }
        let path = format!("{path}.text");
        let assembly = match assembler.assemble(&cell.text) {
            Ok(assembly) => assembly,
            Err(e) => return Err(ElementProblem::Program(Box::new(e)).at(path)),
        };
        if assembly.image.cells().any(|(at, _)| at != CellId::FIRST) || !assembly.memory.is_empty()
        {
            return Err(ElementProblem::NotOneCell.at(path));
        }
        let of_cell = assembly.warnings.into_iter().filter(|w| !USUAL.contains(&w.code));
        warnings.extend(of_cell.map(|warning| ElementWarning { path: path.clone(), warning }));
        let words = assembly.image.cell(CellId::FIRST).unwrap_or_default().to_vec();
        program.set(id, words);
    }
    Ok(program)
}

/// Adds the blocks in `file`, the contents of a memory of `depth` blocks, to `into`.
fn blocks(
    path: &str,
    file: &BTreeMap<u32, HexBlock>,
    depth: usize,
    into: &mut Blocks,
) -> Result<(), ElementError> {
    for (&address, hex) in file {
        let path = format!("{path}.blocks.{address}");
        below(&path, address as usize, depth)?;
        into.insert(address as usize, stimulus::words(&hex.block().map_err(|p| p.at(path))?));
    }
    Ok(())
}

fn port_stimulus(
    entries: &[StoredPortCycle],
    geometry: &Geometry,
) -> Result<Stimulus, ElementError> {
    let mut cycles = Vec::new();
    let mut seen = BTreeSet::new();
    for (i, entry) in entries.iter().enumerate() {
        let (path, cycle) = (format!("stimulus[{i}]"), entry.cycle);
        if cycle >= MAX_CYCLES {
            return Err(ElementProblem::TooManyCycles(cycle).at(format!("{path}.cycle")));
        }
        if !seen.insert(cycle) {
            return Err(ElementProblem::CycleTwice(cycle).at(format!("{path}.cycle")));
        }
        let init = |file: &StoredInitPort, name: &str, rows: usize, depth: usize| {
            let path = format!("{path}.{name}");
            inside(&path, file.row, file.col, rows, geometry.columns)?;
            below(&path, file.address, depth)?;
            file.data.block().map_err(|p| p.at(path))
        };
        let prog = entry.prog.as_ref().map(|p| program_port(p, &path, geometry)).transpose()?;
        let sram_init = entry.sram_init.as_ref().map(|f| {
            let data = init(f, "sram_init", geometry.tile_rows, geometry.sram_blocks)?;
            // Tile rows in files are numbered from 0.
            Ok(SramInit { row: f.row + 1, col: f.col, addr: f.address, data, valid: true })
        });
        let rf_init = entry.rf_init.as_ref().map(|f| {
            let data = init(f, "rf_init", Geometry::ROWS, geometry.rf_blocks())?;
            Ok(RfInit { row: f.row, col: f.col, block: f.address, data })
        });
        let (sram_init, rf_init) = (sram_init.transpose()?, rf_init.transpose()?);
        let idle = entry.idle.as_ref();
        let idle = idle.map(|i| idle_lines(i, &format!("{path}.idle"), geometry)).transpose()?;
        cycles.push(StimulusEntry { cycle, prog, sram_init, rf_init, idle });
    }
    Ok(Stimulus::new(cycles))
}

/// The values of unused port lines, for which any value that fits is allowed.
fn idle_lines(
    file: &StoredIdlePorts,
    path: &str,
    geometry: &Geometry,
) -> Result<IdleLines, ElementError> {
    let init = |file: &StoredInitPort, name: &str, row_bits: u32, depth: usize| {
        let path = format!("{path}.{name}");
        let columns = 1 << Parameter::Column.value(geometry);
        inside(&path, file.row, file.col, 1 << row_bits, columns)?;
        below(&path, file.address, depth)?;
        file.data.block().map_err(|p| p.at(path))
    };
    let mut idle = IdleLines::default();
    if let Some(prog) = &file.prog {
        idle.prog = program_port(prog, path, geometry)?;
    }
    if let Some(f) = &file.sram_init {
        let bits = Parameter::TileRow.value(geometry);
        let data = init(f, "sram_init", bits, geometry.sram_blocks)?;
        idle.sram_init = SramInit { row: f.row, col: f.col, addr: f.address, data, valid: false };
    }
    if let Some(f) = &file.rf_init {
        let data = init(f, "rf_init", 1, geometry.rf_blocks())?;
        idle.rf_init = RfInit { row: f.row, col: f.col, block: f.address, data };
    }
    Ok(idle)
}

fn program_port(
    file: &StoredProgramPort,
    path: &str,
    geometry: &Geometry,
) -> Result<ProgWord, ElementError> {
    let &StoredProgramPort { word, imm, row_sel, col_sel } = file;
    let fits = word >> WORD_BITS == 0
        && row_sel >> Geometry::ROWS == 0
        && u64::from(col_sel) >> geometry.columns == 0;
    if !fits {
        return Err(ElementProblem::ProgramPort.at(format!("{path}.prog")));
    }
    Ok(ProgWord { instr: word, imm, row_sel, col_sel })
}
