// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bundled programs: vec_add and the directed programs of `tests/programs`.

use std::path::Path;

use drra_isa::{Assembler, Geometry};

use crate::Case;

/// A bundled program.
#[derive(Clone, Copy, Debug)]
pub struct BundledProgram {
    /// Path in the repository.
    pub path: &'static str,
    /// Assembly text.
    pub text: &'static str,
}

macro_rules! bundled {
    ($($path:literal),* $(,)?) => {
        &[$(BundledProgram { path: $path, text: include_str!(concat!("../../../", $path)) }),*]
    };
}

/// All bundled programs.
pub const ALL: &[BundledProgram] = bundled![
    "isa/vec_add.sasm",
    "tests/programs/nested_loops.sasm",
    "tests/programs/linked_loops.sasm",
    "tests/programs/raccu_addresses.sasm",
    "tests/programs/block_hops.sasm",
    "tests/programs/shared_noc.sasm",
    "tests/programs/row_priority.sasm",
    "tests/programs/dpu_chain.sasm",
    "tests/programs/branch_status.sasm",
    "tests/programs/reconfigure_busy.sasm",
    "tests/programs/pending.sasm",
    "tests/programs/dense.sasm",
];

impl BundledProgram {
    /// File name without folder and extension.
    pub fn name(&self) -> &'static str {
        let file = Path::new(self.path).file_stem().and_then(|s| s.to_str());
        file.expect("bundled names are plain")
    }

    /// The program as a case for a fabric of this size.
    ///
    /// # Errors
    /// The assembler's first error.
    pub fn case(&self, geometry: &Geometry) -> Result<Case, drra_isa::AsmError> {
        let assembler = Assembler { geometry: *geometry, ..Assembler::default() };
        let assembly = assembler.assemble(self.text)?;
        let mut case = Case::new(self.name(), geometry, assembly.image, assembly.memory);
        case.io_cells = assembly.io_cells;
        Ok(case)
    }
}
