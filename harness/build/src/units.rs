// SPDX-License-Identifier: MIT OR Apache-2.0
//! Groups generated files that are compiled together.

use std::path::PathBuf;

/// A group with fewer bytes also gets files of the next module.
const MIN_BYTES: u64 = 1 << 18;

/// A generated file. Files are ordered by their modules.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GeneratedFile {
    /// The module that the file was made from.
    pub(crate) module: String,
    /// Its path.
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
}

/// Files that are compiled together.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CompilationUnit {
    /// The name of the first module, and a number.
    pub(crate) name: String,
    /// The last module among the files.
    module: String,
    /// Their paths.
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) bytes: u64,
}

/// The module that a file of a model was made from; `top` for files that exist once per model. Verilator names files
/// `MODEL_MODULE__NUMBER.cpp`, or `MODEL__Syms.cpp`, `MODEL___024root__0.cpp` and the like.
pub(crate) fn module<'a>(model: &str, file: &'a str) -> &'a str {
    let rest = file.strip_prefix(model).unwrap_or_default();
    let module = rest.strip_prefix('_').filter(|rest| !rest.starts_with('_'));
    module.and_then(|module| module.split("__").next()).unwrap_or("top")
}

/// Groups files. The files of one module, from all models, are next to each other, so after an edit of a module, only
/// the few groups with files of that module are recompiled. A group has at most `most` bytes, unless a single file is
/// larger: every file includes the same headers, which take about a second to compile, longer than most files need for
/// their own contents.
pub(crate) fn together(mut files: Vec<GeneratedFile>, most: u64) -> Vec<CompilationUnit> {
    files.sort();
    let mut units: Vec<CompilationUnit> = Vec::new();
    for GeneratedFile { module, path, bytes } in files {
        let open = units.last_mut().filter(|unit| {
            unit.bytes + bytes <= most && (unit.module == module || unit.bytes < MIN_BYTES)
        });
        if let Some(unit) = open {
            unit.module = module;
            unit.paths.push(path);
            unit.bytes += bytes;
        } else {
            let number = units.iter().filter(|unit| unit.name.starts_with(&module)).count();
            units.push(CompilationUnit {
                name: format!("{module}_{number}"),
                module,
                paths: vec![path],
                bytes,
            });
        }
    }
    units
}

#[cfg(test)]
mod tests;
