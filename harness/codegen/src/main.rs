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
    files.extend(schemas().into_iter().chain(drra_cli::schemas()));
    for (path, text) in files.drain(..) {
        replace(&root.join(path), &text)?;
    }
    Ok(())
}

#[cfg(feature = "schemas")]
fn schemas() -> [(&'static str, String); 9] {
    [
        ("harness/lockstep/trace.schema.json", drra_lockstep::trace::schema()),
        ("harness/case/case.schema.json", drra_case::schema()),
        ("harness/profiles/profile.schema.json", drra_generate::schema()),
        ("harness/campaign/summary.schema.json", drra_report::summary::schema()),
        ("harness/mutate/summary.schema.json", drra_mutate::summary::schema()),
        ("harness/report/report.schema.json", drra_report::data::schema()),
        ("harness/report/batch.schema.json", drra_report::batch::schema()),
        ("harness/report/history.schema.json", drra_report::history::schema()),
        ("harness/report/statistics.schema.json", drra_report::view::schema()),
    ]
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
