// SPDX-License-Identifier: MIT OR Apache-2.0
//! slang and Yosys for tests, which pass without them unless `DRRA_HDL_TOOLS=required` is set.

use std::path::{Path, PathBuf};

use super::Tools;

/// The folder of the project.
pub(crate) fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The tools, if they are installed.
pub(crate) fn tools() -> Option<Tools> {
    let tools = Tools::installed(&project());
    if tools.is_none() {
        assert!(std::env::var_os("DRRA_HDL_TOOLS").is_none(), "required: .ci/synthesize");
        println!("skipped: not installed; .ci/synthesize installs them");
    }
    tools
}
