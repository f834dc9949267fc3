// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loader of fabric descriptions: resolves names and checks consistency.

mod connections;
mod entry;
mod groups;
mod messages;
mod rules;
mod signals;
mod values;

use std::sync::LazyLock;

use super::model::Description;
use entry::{fault, unique};

pub use entry::FabricError;
pub(super) use entry::{CHAPTERS, Entry};

/// Text of the embedded description.
pub const SOURCE: &str = include_str!("../../../fabric.json");

/// The embedded description.
///
/// # Panics
/// Never: a test loads it.
pub fn description() -> &'static Description {
    static LOADED: LazyLock<Description> =
        LazyLock::new(|| load_fabric(SOURCE).unwrap_or_else(|e| panic!("isa/fabric.json: {e}")));
    &LOADED
}

/// Reads a fabric description and checks it.
///
/// # Errors
/// The first error, with its JSON path.
pub fn load_fabric(text: &str) -> Result<Description, FabricError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let mut d: Description = serde_path_to_error::deserialize(&mut json)
        .map_err(|e| fault(e.path().to_string(), e.inner().to_string()))?;
    json.end().map_err(|e| fault("", e.to_string()))?;
    values::keys(&mut d)?;
    values::widths(&mut d)?;
    values::enumerations(&d)?;
    messages::fields(&mut d)?;
    values::types(&mut d)?;
    messages::members(&mut d)?;
    blocks(&d)?;
    unique("parts", &d.parts)?;
    unique("rules", &d.rules)?;
    groups::groups(&mut d)?;
    signals::signals(&mut d)?;
    signals::ports(&mut d)?;
    connections::connect(&mut d)?;
    rules::rules(&mut d)?;
    rules::rules_of_modules(&mut d)?;
    Ok(d)
}

fn blocks(d: &Description) -> Result<(), FabricError> {
    unique("blocks", &d.blocks)?;
    for (i, block) in d.blocks.iter().enumerate() {
        entry::chapter_text(&format!("blocks[{i}].chapter"), block.chapter)?;
        if block.rtl.is_empty() {
            return Err(fault(format!("blocks[{i}].rtl"), "expected a module"));
        }
    }
    Ok(())
}
