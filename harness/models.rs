// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilated models of this build.

use std::sync::OnceLock;

use drra_bridge::{BuiltModels, MappedDesignError, RtlDesign, UserDesign};
use drra_lockstep::{Design, DesignFingerprint};
// Linked for the waveform writer in C++.
#[cfg(feature = "rtl-trace")]
use libz_sys as _;
#[cfg(feature = "rtl-trace")]
use lz4_sys as _;

use crate::sizes::SIZES;

/// Name of the folder that the models were built from; empty for the RTL of this project.
const FOLDER: &str = env!("DRRA_RTL_NAME");
const OF_USER: bool = !FOLDER.is_empty();
/// The map in that folder.
const MAP: (&str, &str) =
    (env!("DRRA_RTL_MAP_FILE"), include_str!(concat!(env!("OUT_DIR"), "/signals.map")));
const VERILATOR: &str = env!("DRRA_VERILATOR_VERSION");
const WITH_FOLDER: &str = concat!(env!("DRRA_VERILATOR_VERSION"), ", RTL ", env!("DRRA_RTL_NAME"));

/// The models that the build script has compiled.
pub static BUILT: BuiltModels = BuiltModels {
    sizes: SIZES,
    user_design: if OF_USER { Some(UserDesign { folder: FOLDER, map: MAP }) } else { None },
    simulator: if OF_USER { WITH_FOLDER } else { VERILATOR },
    fingerprint: DesignFingerprint {
        sources: env!("DRRA_RTL_DIGEST"),
        model: env!("DRRA_MODEL_DIGEST"),
    },
    writes_waves: cfg!(feature = "rtl-trace"),
    counts_coverage: cfg!(feature = "rtl-coverage"),
};

/// The RTL of this project, in the sizes of this build.
pub static OWN: RtlDesign = RtlDesign::own(&BUILT);

/// The design of this build: the RTL of this project, or a user's with its map, which is bound once.
///
/// # Errors
/// If the map cannot be read or does not fit the design.
pub fn design() -> Result<&'static dyn Design, &'static MappedDesignError> {
    static DESIGN: OnceLock<Result<RtlDesign, MappedDesignError>> = OnceLock::new();
    DESIGN.get_or_init(|| RtlDesign::of(&BUILT)).as_ref().map(|design| design as &dyn Design)
}
