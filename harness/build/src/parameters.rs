// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fabric sizes to build, as set by environment variables.

use std::{env, fs, path::Path};

use drra_geometry::{Geometry, SizeError};

use crate::error::{BuildError, FileError};

/// Environment variables, each with the parameter of the top module that it sets (chapter 0, section 4).
const PARAMETERS: [(&str, &str); 4] = [
    ("DRRA_COLS", "Cols"),
    ("DRRA_TILE_ROWS", "DimarchRows"),
    ("DRRA_RF_DEPTH", "RfDepth"),
    ("DRRA_SRAM_DEPTH", "SramDepth"),
];
/// Environment variable with a list of sizes.
const LIST: &str = "DRRA_FABRICS";
/// Default sizes: the usual one, the smallest, a tall one whose numbers of columns and rows are not powers of two,
/// and one with small memories.
const USUAL: &str = "8x2 2x1 3x3 2x2-rf32-sram16";

/// Sizes of the fabric; the first is the default size of this build.
pub(crate) struct Sizes(Vec<Geometry>);

impl Sizes {
    /// Reads the sizes and passes them to the root package as a Rust list. By default, a large model is built for the
    /// default size only.
    pub(crate) fn read(large: bool, out: &Path) -> Result<Self, BuildError> {
        for variable in PARAMETERS.iter().map(|(variable, _)| *variable).chain([LIST]) {
            println!("cargo::rerun-if-env-changed={variable}");
        }
        let sizes = match (one()?, env::var(LIST).ok().filter(|list| !list.trim().is_empty())) {
            (Some(size), None) => vec![size],
            (None, Some(list)) => listed(&list)?,
            (None, None) if large => vec![Geometry::DEFAULT],
            (None, None) => listed(USUAL)?,
            (Some(_), Some(_)) => return Err(BuildError::TwoSizes(LIST)),
        };
        let all: String = sizes.iter().map(|size| format!("drra_isa::{size:?}, ")).collect();
        let file = out.join("sizes.rs");
        fs::write(&file, format!("&[{all}]\n")).map_err(FileError::of(&file))?;
        Ok(Self(sizes))
    }

    /// Each size, the default size of this build first.
    pub(crate) fn all(&self) -> &[Geometry] {
        &self.0
    }
}

/// The sizes of a list.
fn listed(list: &str) -> Result<Vec<Geometry>, BuildError> {
    let mut sizes = Vec::new();
    for text in list.split([' ', ',']).filter(|text| !text.is_empty()) {
        let size = text.parse().map_err(|e| BuildError::Fabric(LIST, e))?;
        if !sizes.contains(&size) {
            sizes.push(size);
        }
    }
    if sizes.is_empty() {
        return Err(BuildError::Fabric(LIST, SizeError::Text(list.to_owned())));
    }
    Ok(sizes)
}

/// The size given by single parameters, if any of them is set.
fn one() -> Result<Option<Geometry>, BuildError> {
    let mut size = Geometry::DEFAULT;
    let Geometry { columns, tile_rows, rf_words, sram_blocks } = &mut size;
    let mut given = None;
    for ((variable, _), value) in
        PARAMETERS.into_iter().zip([columns, tile_rows, rf_words, sram_blocks])
    {
        let Ok(text) = env::var(variable) else { continue };
        match text.parse() {
            Ok(number) => *value = number,
            Err(_) => return Err(BuildError::Size { variable, text, default: *value }),
        }
        given = Some(variable);
    }
    let Some(variable) = given else { return Ok(None) };
    size.check().map_err(|e| BuildError::Fabric(variable, e))?;
    Ok(Some(size))
}

/// A size as arguments for Verilator.
pub(crate) fn arguments(size: &Geometry) -> Vec<String> {
    let &Geometry { columns, tile_rows, rf_words, sram_blocks } = size;
    let all = PARAMETERS.iter().zip([columns, tile_rows, rf_words, sram_blocks]);
    all.map(|((_, parameter), value)| format!("-G{parameter}={value}")).collect()
}
