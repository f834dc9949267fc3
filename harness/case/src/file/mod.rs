// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file format of cases: [`read`] turns a file into a case, [`write`] a case into a file. The types here define
//! the format; `case.schema.json` is derived from them.

mod read;
mod write;

use std::collections::BTreeMap;

use drra_fabric::ports::Block;
use drra_isa::Geometry;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};

use crate::{CaseOrigin, Divergence, IdlePorts, error::ElementProblem, stimulus};

pub use read::{parse, parse_with_warnings};
pub use write::to_json;

/// Format version that this build reads and writes.
pub const VERSION: u32 = 1;

/// The JSON schema of case files, as it is committed in `case.schema.json`.
pub fn schema() -> String {
    let schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<CaseFile>();
    serde_json::to_string_pretty(&schema).expect("plain data") + "\n"
}

/// Everything that a run needs: per-cell programs with memory images, or a port-level stimulus. Tile rows are counted
/// from 0, as in the assembly language, except in `idle`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    title = "DRRA case, version 1",
    extend("oneOf" = [{"required": ["cells"]}, {"required": ["stimulus"]}])
)]
struct CaseFile {
    /// Version of the format.
    #[schemars(extend("const" = VERSION))]
    version: u32,
    /// Human-readable name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(regex(pattern = r"^[^\x00-\x1F\x7F-\x9F]*$"))]
    name: String,
    /// Size of the fabric; defaults to the size in chapter 0, section 4.
    #[serde(default, with = "StoredFabric")]
    #[schemars(with = "StoredFabric")]
    fabric: Geometry,
    /// Revision of the instruction set in which the programs are written.
    #[schemars(regex(pattern = r"^([rR][0-4]|[vV][23])$"))]
    isa: String,
    /// Seed for register bits without a reset value and for random bits on ports.
    #[serde(default)]
    seed: u64,
    /// Values of port lines that a cycle does not use and the stimulus does not specify: `zero`, or `random` (in some
    /// cycles, bits derived from the seed).
    #[serde(default, skip_serializing_if = "is_default")]
    idle_ports: IdlePorts,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "CaseOrigin")]
    origin: Option<CaseOrigin>,
    /// Row and column of each I/O cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    io_cells: Vec<[usize; 2]>,
    /// Programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<StoredCell>")]
    cells: Option<Vec<StoredCell>>,
    /// Initial contents of SRAM tiles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sram: Vec<StoredMemory>,
    /// Initial contents of register files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rf: Vec<StoredMemory>,
    /// Inputs of the ports, instead of programs and memories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<StoredPortCycle>")]
    stimulus: Option<Vec<StoredPortCycle>>,
    /// Contents of input buffers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    input_buffers: Vec<StoredBuffer>,
    /// First cycle whose differences count: in earlier cycles in which the design differs, it takes over the state of
    /// the golden model.
    #[serde(default, skip_serializing_if = "is_default")]
    compare_from: u64,
    /// Number of cycles to run; by default, until the fabric is idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64", range(max = crate::MAX_CYCLES))]
    cycles: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Divergence")]
    expect: Option<Divergence>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Size of the fabric that the case is for.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Geometry", deny_unknown_fields)]
#[schemars(rename = "Fabric")]
struct StoredFabric {
    #[schemars(range(min = 2, max = Geometry::MAX_COLUMNS))]
    columns: usize,
    #[schemars(range(min = 1, max = Geometry::MAX_TILE_ROWS))]
    tile_rows: usize,
    #[schemars(extend("enum" = [32, 64]))]
    rf_words: usize,
    #[schemars(extend("enum" = [2, 4, 8, 16, 32, 64, 128]))]
    sram_blocks: usize,
}

/// The program of a cell.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Cell")]
struct StoredCell {
    row: usize,
    col: usize,
    /// Assembly text of the cell, without headings or data.
    text: String,
}

/// Initial contents of one memory.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Memory")]
struct StoredMemory {
    row: usize,
    col: usize,
    /// Contents by address.
    blocks: BTreeMap<u32, HexBlock>,
}

/// Contents of the input buffer of a column.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Buffer")]
struct StoredBuffer {
    col: usize,
    /// Contents by address.
    blocks: BTreeMap<u32, HexBlock>,
}

/// Inputs of one cycle.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PortCycle")]
struct StoredPortCycle {
    cycle: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "StoredProgramPort")]
    prog: Option<StoredProgramPort>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "StoredInitPort")]
    sram_init: Option<StoredInitPort>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "StoredInitPort")]
    rf_init: Option<StoredInitPort>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "StoredIdlePorts")]
    idle: Option<StoredIdlePorts>,
}

/// Values of the port lines that are not used in this cycle. Tile rows are numbered as on the port lines, from 1.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "IdlePorts")]
struct StoredIdlePorts {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "StoredProgramPort")]
    prog: Option<StoredProgramPort>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "StoredInitPort")]
    sram_init: Option<StoredInitPort>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "StoredInitPort")]
    rf_init: Option<StoredInitPort>,
}

/// The program port.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProgramPort")]
struct StoredProgramPort {
    #[schemars(range(max = (1u32 << drra_isa::instructions::WORD_BITS) - 1))]
    word: u32,
    imm: bool,
    #[schemars(range(max = 3))]
    row_sel: u8,
    col_sel: u32,
}

/// An initialisation port.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "InitPort")]
struct StoredInitPort {
    row: usize,
    col: usize,
    address: usize,
    data: HexBlock,
}

/// A block of 16 words as 64 hexadecimal digits, word 15 first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Block")]
struct HexBlock(#[schemars(regex(pattern = r"^[0-9a-fA-F]{64}$"))] String);

impl HexBlock {
    fn of(block: &Block) -> Self {
        Self(stimulus::words(block).iter().rev().map(|w| format!("{w:04x}")).collect())
    }

    /// Parses a block; an error if the text does not have this form.
    fn block(&self) -> Result<Block, ElementProblem> {
        let digits = self.0.as_bytes();
        if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(ElementProblem::Block);
        }
        let words = std::array::from_fn(|k| {
            let first = 4 * (15 - k);
            u16::from_str_radix(&self.0[first..first + 4], 16).expect("four digits")
        });
        Ok(stimulus::block(&words))
    }
}
