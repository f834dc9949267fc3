// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that this program has models for the fabric sizes of cases and profiles.

use drra_case::Case;
use drra_generate::{FabricWeights, Profile, ProfileError};
use drra_isa::Geometry;
use drra_lockstep::Design;

use crate::command_prelude::*;

/// Rejects a case if the design has no model of its size.
pub(super) fn check(name: &str, case: &Case, design: &dyn Design) -> Result<(), CommandError> {
    let size = case.geometry;
    let what = || format!("{name}: the case is for fabric {size}");
    design.sizes().map_or(Ok(()), |sizes| require(size, sizes, what))
}

/// Rejects a size given by an option if this program has no model of it.
pub(super) fn check_option(only: Option<Geometry>, sizes: &[Geometry]) -> Result<(), CommandError> {
    let required = |size| require(size, sizes, || format!("--fabric {size}: no such model"));
    only.map_or(Ok(()), required)
}

/// Rejects a campaign to be resumed if it has cases of sizes for which this program has no models.
pub(super) fn check_campaign(
    folder: &Path,
    profile: &Profile,
    sizes: &[Geometry],
) -> Result<(), CommandError> {
    profile.fabrics.sizes().into_iter().try_for_each(|size| {
        require(size, sizes, || {
            format!("{}: the campaign has cases for fabric {size}", folder.display())
        })
    })
}

/// Rejects a size without a model.
fn require(
    size: Geometry,
    sizes: &[Geometry],
    what: impl FnOnce() -> String,
) -> Result<(), CommandError> {
    if sizes.contains(&size) {
        return Ok(());
    }
    let Geometry { columns, tile_rows, rf_words, sram_blocks } = size;
    let has = sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let (message, remedy) = (
        format!("{}; this program has RTL models for {has}", what()),
        format!(
            "build it with CARGO_TARGET_DIR=target/{size} DRRA_COLS={columns} DRRA_TILE_ROWS={tile_rows} \
             DRRA_RF_DEPTH={rf_words} DRRA_SRAM_DEPTH={sram_blocks} cargo build --release \
             (harness/guide/toolchain.md), or use the golden model only, which supports all sizes: run --golden-only, \
             view, trace --model golden"
        ),
    );
    Err(CommandError::NoModel { message, remedy, skipped: false })
}

/// The size of the bundled profiles that only the builds for nights have, so other programs do not mention it.
const NIGHTLY: &str = "5x4";

/// Restricts a profile to the sizes of this program, or to the size `only`.
pub(super) fn narrowed(
    profile: Profile,
    only: Option<Geometry>,
    sizes: &[Geometry],
) -> Result<Profile, ProfileError> {
    let Some(size) = only else {
        let asked = profile.fabrics.sizes();
        let narrowed = profile.on(sizes)?;
        let missing = asked.iter().filter(|size| !sizes.contains(size)).map(ToString::to_string);
        let missing: Vec<String> = missing.filter(|size| size != NIGHTLY).collect();
        if !missing.is_empty() && !narrowed.fabrics.is_empty() {
            note!(
                "note: this program has no model for fabric size {}; profile {} runs without it",
                missing.join(", "),
                narrowed.name
            );
        }
        return Ok(narrowed);
    };
    profile.fits(&size)?;
    Ok(Profile { fabrics: FabricWeights::one(size), ..profile })
}
