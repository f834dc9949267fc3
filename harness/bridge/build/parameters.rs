// SPDX-License-Identifier: MIT OR Apache-2.0
//! Size of the fabric that is built, from environment variables.

use std::env;

use crate::error::BuildError;

/// Environment variable, parameter of the top module, default (chapter 0, section 4).
const PARAMETERS: [(&str, &str, u32); 4] = [
    ("DRRA_COLS", "Cols", 8),
    ("DRRA_TILE_ROWS", "DimarchRows", 2),
    ("DRRA_RF_DEPTH", "RfDepth", 64),
    ("DRRA_SRAM_DEPTH", "SramDepth", 128),
];

/// Reads the size, hands it to the crate as environment variables of the same names, and returns
/// it as arguments for Verilator.
pub(crate) fn read() -> Result<Vec<String>, BuildError> {
    PARAMETERS
        .iter()
        .map(|(variable, parameter, default)| {
            println!("cargo::rerun-if-env-changed={variable}");
            let value = match env::var(variable) {
                Ok(text) => match text.parse() {
                    Ok(value) => value,
                    Err(_) => return Err(BuildError::Size { variable, text, default: *default }),
                },
                Err(_) => *default,
            };
            println!("cargo::rustc-env={variable}={value}");
            Ok(format!("-G{parameter}={value}"))
        })
        .collect()
}
