// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes the generated files; run it after changing a description in `isa/`. With the feature `schemas`, it also
//! writes the JSON schemas; run it that way after changing a type that they describe.

use std::{error::Error, fs, io, path::Path};

use drra_isa::{
    describe,
    fabric::{
        load_fabric, rust_fields, rust_ids, rust_images, systemverilog_state, verilator_public,
    },
};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = |path: &str| fs::read_to_string(root.join(path));
    let instructions = describe(&text("isa/silago1.json")?)?.description;
    let fabric = load_fabric(&text("isa/fabric.json")?)?;
    let mut files = vec![
        ("isa/src/instructions.rs", instructions.rust()),
        ("isa/src/fabric/ids.rs", rust_ids(&fabric)),
        ("isa/src/fabric/images.rs", rust_images(&fabric)),
        ("isa/src/fabric/fields.rs", rust_fields(&fabric)),
        ("rtl/drra_isa_pkg.sv", instructions.systemverilog(None)),
        ("rtl/drra_state_pkg.sv", systemverilog_state(&fabric, "drra_state_pkg")),
        ("rtl/public.vlt", verilator_public(&fabric)),
    ];
    #[cfg(feature = "schemas")]
    files.extend(drra_cli::schemas());
    for (path, text) in files.drain(..) {
        replace(&root.join(path), &text)?;
    }
    Ok(())
}

/// Replaces a file atomically if its text has changed: a reader sees either the old text or the new one.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let new = path.with_extension("new");
    fs::write(&new, text)?;
    fs::rename(new, path)
}
