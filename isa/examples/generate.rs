// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes the files that are generated from the descriptions `isa/silago1.json` and
//! `isa/fabric.json`: the command to run after one of them has changed.

use std::{fs, path::Path};

use drra_isa::{
    describe,
    fabric::{load_fabric, rust_fields, rust_ids, rust_images, systemverilog_state},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let isa = Path::new(env!("CARGO_MANIFEST_DIR"));
    let instructions = describe(&fs::read_to_string(isa.join("silago1.json"))?)?.description;
    let fabric = load_fabric(&fs::read_to_string(isa.join("fabric.json"))?)?;
    let files = [
        ("src/instructions.rs", instructions.rust()),
        ("../rtl/drra_isa_pkg.sv", instructions.systemverilog(None)),
        ("src/fabric/ids.rs", rust_ids(&fabric)),
        ("src/fabric/images.rs", rust_images(&fabric)),
        ("src/fabric/fields.rs", rust_fields(&fabric)),
        ("../rtl/drra_state_pkg.sv", systemverilog_state(&fabric, "drra_state_pkg")),
    ];
    for (path, text) in files {
        replace(&isa.join(path), &text)?;
    }
    Ok(())
}

/// Replaces a file at once: a reader sees the old text or the new one.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let new = path.with_extension("new");
    fs::write(&new, text)?;
    fs::rename(new, path)
}
