// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes the files that are generated from `isa/fabric.json`, whatever state they are in: the
//! command to run after the description has changed.

use std::fs;
use std::path::Path;

use drra_isa::fabric::load_fabric;
use drra_isa::fabric::rust_ids;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let isa = Path::new(env!("CARGO_MANIFEST_DIR"));
    let description = load_fabric(&fs::read_to_string(isa.join("fabric.json"))?)?;
    fs::write(isa.join("src/fabric/ids.rs"), rust_ids(&description))?;
    Ok(())
}
