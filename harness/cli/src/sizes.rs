// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sizes of the fabric: what this program has models for, and what cases and profiles ask for.

use std::path::Path;

use drra_case::Case;
use drra_generate::{Fabrics, Profile, ProfileError};
use drra_isa::Geometry;
use drra_lockstep::Design;

use super::{
    console::note,
    error::{CommandError, usage},
};

/// Refuses a case of which the design has no model.
pub(super) fn check(name: &str, case: &Case, design: &dyn Design) -> Result<(), CommandError> {
    let size = case.geometry;
    match design.sizes() {
        Some(sizes) if !sizes.contains(&size) => {
            Err(lacking(format!("{name}: the case is for a fabric {size}"), size, sizes))
        }
        _ => Ok(()),
    }
}

/// The refusal of a size that is not among those of the design.
fn lacking(what: String, size: Geometry, sizes: &[Geometry]) -> CommandError {
    let Geometry { columns, tile_rows, rf_words, sram_blocks } = size;
    let has = sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    usage(
        format!("{what}; the RTL of this program has {has}"),
        format!(
            "build it with CARGO_TARGET_DIR=target/{size} DRRA_COLS={columns} DRRA_TILE_ROWS={tile_rows} \
             DRRA_RF_DEPTH={rf_words} DRRA_SRAM_DEPTH={sram_blocks} cargo build --release \
             (harness/guide/toolchain.md); the golden model alone has all sizes: run --golden-only, view, \
             trace --model golden"
        ),
    )
}

/// A profile for these sizes, which are those of this program, or for one of them.
pub(super) fn narrowed(
    profile: Profile,
    only: Option<Geometry>,
    sizes: &[Geometry],
) -> Result<Profile, ProfileError> {
    let Some(size) = only else {
        let asked = profile.fabrics.sizes();
        let narrowed = profile.on(sizes)?;
        let missing = |size: &&Geometry| !sizes.contains(size);
        let missing: Vec<String> = asked.iter().filter(missing).map(ToString::to_string).collect();
        if !missing.is_empty() && !narrowed.fabrics.is_empty() {
            note!(
                "note: this program has no fabric {}: profile {} runs without",
                missing.join(", "),
                narrowed.name
            );
        }
        return Ok(narrowed);
    };
    profile.fits(&size)?;
    Ok(Profile { fabrics: Fabrics::one(size), ..profile })
}

/// Refuses a size that this program does not have, asked for by an option.
pub(super) fn check_option(only: Option<Geometry>, sizes: &[Geometry]) -> Result<(), CommandError> {
    match only {
        Some(size) if !sizes.contains(&size) => {
            Err(lacking(format!("--fabric {size}: there is no such model"), size, sizes))
        }
        _ => Ok(()),
    }
}

/// Refuses to go on with a campaign that has cases of other sizes than this program.
pub(super) fn check_campaign(
    folder: &Path,
    profile: &Profile,
    sizes: &[Geometry],
) -> Result<(), CommandError> {
    match profile.fabrics.sizes().into_iter().find(|size| !sizes.contains(size)) {
        Some(size) => {
            let what = format!("{}: the campaign has cases of a fabric {size}", folder.display());
            Err(lacking(what, size, sizes))
        }
        None => Ok(()),
    }
}
