// SPDX-License-Identifier: MIT OR Apache-2.0
//! Digests that identify the RTL and the model in campaigns.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    digest::digest,
    error::{BuildError, FileError},
    model::{Kind, Model},
};

/// Passes the digests of a design's sources, and of the C++ generated from them for all sizes, to the crate.
pub(crate) fn write(models: &[Model<'_>]) -> Result<(), BuildError> {
    let Some(model) = models.first() else { return Ok(()) };
    let Kind { source, verilator, .. } = model.kind;
    let mut sources = Vec::new();
    for path in source.files(&model.dependencies())? {
        // Verilator itself, which is listed as well, is covered by the digest of the model.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !path.starts_with(&verilator.root) && !name.starts_with("verilator_bin") {
            sources.push(part(&path)?);
        }
    }
    let map = source.folder.join("signals.map");
    if source.of_user {
        sources.push(part(&map)?);
    }
    println!("cargo::rustc-env=DRRA_RTL_DIGEST={}", digest(sources));

    let mut generated = vec![("verilator".to_owned(), verilator.version.clone().into())];
    for folder in models.iter().map(Model::folder) {
        for entry in fs::read_dir(&folder).map_err(FileError::of(&folder))? {
            let path = entry.map_err(FileError::of(&folder))?.path();
            if path.extension().is_some_and(|ending| ending == "cpp" || ending == "h") {
                generated.push(part(&path)?);
            }
        }
    }
    println!("cargo::rustc-env=DRRA_MODEL_DIGEST={}", digest(generated));
    Ok(())
}

/// A file, identified by its name alone, because folders differ between machines.
fn part(path: &PathBuf) -> Result<(String, Vec<u8>), BuildError> {
    let name = path.file_name().map(Path::new).unwrap_or(path).display().to_string();
    Ok((name, fs::read(path).map_err(FileError::of(path))?))
}
