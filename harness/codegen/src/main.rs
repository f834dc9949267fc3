// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes the generated files; run it after changing a description in `isa/`.

use std::{error::Error, fs, io, path::Path};

use drra_codegen::generated;

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = |path: &str| fs::read_to_string(root.join(path));
    let [isa, fabric] = [text("isa/silago1.json")?, text("isa/fabric.json")?];
    for (path, text) in generated(&isa, &fabric)? {
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
