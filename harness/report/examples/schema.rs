// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes `report.schema.json` anew, as the types of a report have it.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("report.schema.json");
    std::fs::write(file, drra_report::data::schema())
}
