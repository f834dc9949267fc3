// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes `report.schema.json`, `batch.schema.json`, `history.schema.json` and `statistics.schema.json`: the command to
//! run after one of their types has changed.

use std::path::Path;

use drra_case::output::write_whole;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    write_whole(&folder.join("report.schema.json"), drra_report::data::schema().as_bytes())?;
    write_whole(&folder.join("batch.schema.json"), drra_report::batch::schema().as_bytes())?;
    write_whole(&folder.join("history.schema.json"), drra_report::history::schema().as_bytes())?;
    let statistics = drra_report::view::schema();
    write_whole(&folder.join("statistics.schema.json"), statistics.as_bytes())
}
