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

/// The size of a fabric.
pub(crate) struct Parameters([u32; 4]);

impl Parameters {
    /// Reads the size and hands it to the crate as environment variables of the same names.
    pub(crate) fn read() -> Result<Self, BuildError> {
        let mut values = [0; 4];
        for ((variable, _, default), value) in PARAMETERS.iter().zip(&mut values) {
            println!("cargo::rerun-if-env-changed={variable}");
            *value = match env::var(variable) {
                Ok(text) => match text.parse() {
                    Ok(value) => value,
                    Err(_) => return Err(BuildError::Size { variable, text, default: *default }),
                },
                Err(_) => *default,
            };
            println!("cargo::rustc-env={variable}={value}");
        }
        Ok(Self(values))
    }

    /// The size as arguments for Verilator.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let all = PARAMETERS.iter().zip(self.0);
        all.map(|((_, parameter, _), value)| format!("-G{parameter}={value}")).collect()
    }

    /// Columns, rows of tiles, words of a register file, blocks of a tile.
    pub(crate) fn values(&self) -> [u32; 4] {
        self.0
    }
}
