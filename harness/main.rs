// SPDX-License-Identifier: MIT OR Apache-2.0
//! The `drra` command: passes the design of this build to the commands.

use std::process::ExitCode;

#[cfg(feature = "rtl")]
use drra_bridge::MappedDesignError;
use drra_cli::Build;
use drra_cosim::SIZES;
#[cfg(feature = "rtl")]
use drra_cosim::{BUILT, design};

fn main() -> ExitCode {
    let build = Build {
        sizes: SIZES,
        #[cfg(feature = "rtl")]
        design: Some(|| design().map_err(MappedDesignError::with_remedy)),
        #[cfg(not(feature = "rtl"))]
        design: None,
        #[cfg(feature = "rtl")]
        map: BUILT.user_design.as_ref().map(|design| design.map),
        #[cfg(not(feature = "rtl"))]
        map: None,
        project: env!("CARGO_MANIFEST_DIR"),
        revision: drra_origin::REVISION,
        sources: drra_origin::SOURCES,
    };
    drra_cli::main(&build)
}
