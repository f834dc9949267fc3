// SPDX-License-Identifier: MIT OR Apache-2.0
//! Digests that identify the RTL and the model in campaigns.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use drra_host::digest;

use crate::{
    error::{BuildError, FileError},
    list,
    model::{Model, ModelKind},
};

/// Passes the digests of a design's sources, and of the C++ generated from them for all sizes, to the root package.
/// Lets Cargo watch those files of a user's design that are outside its folder, and lists all files for `drra bisect`.
pub(crate) fn write(models: &[Model<'_>]) -> Result<(), BuildError> {
    let Some(model) = models.first() else { return Ok(()) };
    let ModelKind { source, verilator, out, .. } = model.kind;
    // The models of two sizes may need different files of a library.
    let mut files = BTreeSet::new();
    for model in models {
        files.extend(source.files(&model.dependencies(), verilator)?);
        files.extend(model.imported()?.files());
    }
    for path in list::outside(&source.folder, &files).filter(|_| source.of_user) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let written = out.join("design.txt");
    let lines: String = files.iter().map(|path| format!("{}\n", path.display())).collect();
    fs::write(&written, lines).map_err(FileError::of(&written))?;
    let sources = files.iter().map(part).collect::<Result<Vec<_>, _>>()?;
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
