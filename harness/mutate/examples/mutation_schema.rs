// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes `summary.schema.json`: the command to run after one of its types has changed.

use std::path::Path;

use drra_case::output::write_whole;

fn main() -> std::io::Result<()> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("summary.schema.json");
    write_whole(&file, drra_mutate::summary::schema().as_bytes())
}
