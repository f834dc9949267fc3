// SPDX-License-Identifier: MIT OR Apache-2.0
//! The generated files of this project.

use drra_fabric::load_fabric;

use crate::{
    DescribeError, describe,
    fabric::{rust_fields, rust_ids, rust_images, systemverilog_state, verilator_public},
};

/// The files that are generated from `isa/silago1.json` and `isa/fabric.json`: the path of each from the root of the
/// project, and its text.
///
/// # Errors
/// The findings about a description.
pub fn generated(
    instructions: &str,
    fabric: &str,
) -> Result<[(&'static str, String); 7], DescribeError> {
    let instructions = describe(instructions)?.description;
    let fabric = load_fabric(fabric)?;
    Ok([
        ("isa/src/instructions.rs", instructions.rust()),
        ("isa/fabric/src/ids.rs", rust_ids(&fabric)),
        ("isa/fabric/src/images.rs", rust_images(&fabric)),
        ("isa/fabric/src/fields.rs", rust_fields(&fabric)),
        ("rtl/drra_isa_pkg.sv", instructions.systemverilog(None)),
        ("rtl/drra_state_pkg.sv", systemverilog_state(&fabric, "drra_state_pkg")),
        ("rtl/public.vlt", verilator_public(&fabric)),
    ])
}
