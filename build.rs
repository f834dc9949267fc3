// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verilates `rtl/`, or the folder named by `DRRA_RTL`, for some fabric sizes, and builds the bridge to the models:
//! harness/guide/toolchain.md.

use std::process::ExitCode;

use drra_build::{BuildError, Models};

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<(), BuildError> {
    // Without the feature `rtl`, there are no models.
    let Some(models) = Models::find()? else { return Ok(()) };
    models.verilate()?;
    models.bridge()
}
