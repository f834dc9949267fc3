// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cases of a folder: those of a campaign by its journal, or files.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::path::PathBuf;

use drra_campaign::Cases;
use drra_campaign::Settings;
use drra_campaign::journal;
use drra_case::Case;
use drra_case::load::Extras;
use drra_isa::Geometry;
use drra_recorded::export::MANIFEST;

use super::error::CommandError;
use super::error::file;
use super::program;
use crate::GEOMETRY;

/// Cases that are made or read one by one.
pub(super) enum Sources {
    /// Finished cases of a campaign, by number.
    Campaign(Box<Cases>, Vec<u64>),
    /// Files, each with a name that no other one has.
    Files(Vec<(String, PathBuf)>),
}

impl Sources {
    /// The cases of a campaign by its journal, else those of the files in a folder and of the folders with
    /// a case in it.
    pub(super) fn of(folder: &Path) -> Result<Self, CommandError> {
        if folder.join(journal::FILE_NAME).exists() { campaign(folder) } else { files(folder) }
    }

    /// Number of cases.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Campaign(_, numbers) => numbers.len(),
            Self::Files(files) => files.len(),
        }
    }

    /// Keeps so many of them at most.
    pub(super) fn truncate(&mut self, len: usize) {
        match self {
            Self::Campaign(_, numbers) => numbers.truncate(len),
            Self::Files(files) => files.truncate(len),
        }
    }

    /// The case at a place: a name for its folder, the case, what an error with it is about.
    pub(super) fn case(&self, place: usize) -> Result<(String, Case, PathBuf), CommandError> {
        match self {
            Self::Campaign(cases, numbers) => {
                let name = format!("case-{:06}", numbers[place]);
                Ok((name.clone(), cases.case(numbers[place]), PathBuf::from(name)))
            }
            Self::Files(files) => {
                let (name, path) = &files[place];
                Ok((name.clone(), program::read(path, &Extras::default())?, path.clone()))
            }
        }
    }
}

fn campaign(folder: &Path) -> Result<Sources, CommandError> {
    let (header, records) = journal::read(folder)?;
    let Geometry { columns, tile_rows, rf_words, sram_blocks } = GEOMETRY;
    if header.fabric != [columns, tile_rows, rf_words, sram_blocks] {
        let what = format!("the campaign is for another fabric, {:?}", header.fabric);
        return Err(file(folder, what, "use the build of drra that ran the campaign"));
    }
    let numbers = records.iter().map(|record| record.case).collect();
    let settings = Settings { profile: header.profile, seed: header.seed, ..Settings::default() };
    Ok(Sources::Campaign(Box::new(Cases::new(settings, &GEOMETRY)), numbers))
}

fn files(folder: &Path) -> Result<Sources, CommandError> {
    let remedy = "name the folder of a campaign, or of cases (.json) and programs (.sasm, .bin)";
    let entries = fs::read_dir(folder)
        .and_then(|entries| entries.collect::<io::Result<Vec<_>>>())
        .map_err(|e| file(folder, e, remedy))?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    let mut files: BTreeMap<String, PathBuf> = BTreeMap::new();
    for path in paths {
        if path.file_name().is_some_and(|name| name == MANIFEST) {
            continue;
        }
        let (name, path) = match path.extension().and_then(|e| e.to_str()) {
            Some("json" | "sasm" | "bin") if path.is_file() => (path.file_stem(), path.clone()),
            _ if path.join("case.json").is_file() => (path.file_name(), path.join("case.json")),
            _ => continue,
        };
        let name = name.unwrap_or_default().to_string_lossy().into_owned();
        if let Some(other) = files.get(&name) {
            let what = format!("{} would get the same folder, {name}", other.display());
            return Err(file(&path, what, "rename one of the two"));
        }
        files.insert(name, path);
    }
    if files.is_empty() {
        return Err(file(folder, "there are no cases in this folder", remedy));
    }
    Ok(Sources::Files(files.into_iter().collect()))
}
