// SPDX-License-Identifier: MIT OR Apache-2.0
//! Suggestions in place of names that do not exist, and lists of subfolders.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use drra_campaign::journal;
use drra_isa::similar;

/// Maximum number of campaign folders to list.
const MAX_LISTED: usize = 5;

/// Suggests the known name that is most similar to this name, if one is similar enough.
pub(super) fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    similar(name, known).map_or_else(String::new, |known| format!("did you mean `{known}`? "))
}

/// The names of the files and folders in the folder of this file.
pub(super) fn siblings(path: &Path) -> Vec<String> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// The subfolders of a folder; links do not count.
pub(super) fn folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    let is_folder = |entry: &&fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    Ok(entries.iter().filter(is_folder).map(fs::DirEntry::path).collect())
}

/// A remedy that asks for the folder of a campaign (`or` adds alternatives) and lists the campaigns nearby.
pub(super) fn campaigns(folder: &Path, or: &str) -> String {
    let what = format!("give a folder written by drra fuzz --out DIR{or}");
    let start = folder.ancestors().find(|f| f.is_dir()).unwrap_or_else(|| Path::new("."));
    let inner = folders(start).unwrap_or_default();
    let innermost = inner.iter().flat_map(|folder| folders(folder).unwrap_or_default());
    let outer = folder.ancestors().map(Path::to_owned);
    let begun = |folder: &PathBuf| folder.join(journal::FILE_NAME).is_file();
    let mut all: Vec<PathBuf> = outer.chain(inner.clone()).chain(innermost).filter(begun).collect();
    all.sort();
    let names: Vec<String> = all.iter().take(MAX_LISTED).map(|f| f.display().to_string()).collect();
    let names = names.join(", ");
    match all.len() {
        0 => format!("{what}; there are none nearby"),
        1..=MAX_LISTED => format!("{what}; nearby: {names}"),
        count => format!("{what}; nearby: {names} and {} more", count - MAX_LISTED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_similar_name_is_suggested() {
        assert_eq!(did_you_mean("deafult", ["smoke", "default"]), "did you mean `default`? ");
        assert_eq!(did_you_mean("r9", ["r0", "r3"]), "did you mean `r0`? ");
        assert_eq!(did_you_mean("x", ["r0", "smoke"]), "");
    }

    #[test]
    fn campaigns_nearby_are_listed() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        let text = |name: &str| campaigns(&at(name), "").replace(&at("").display().to_string(), "");
        assert!(text("").ends_with("; there are none nearby"), "{}", text(""));
        for name in ["one", "nights/monday", "too/deep/down"] {
            fs::create_dir_all(at(name).join("failures")).unwrap();
            fs::write(at(name).join("journal.jsonl"), "").unwrap();
        }
        for name in ["", "onne", "no/such"] {
            assert!(text(name).ends_with("; nearby: nights/monday, one"), "{}", text(name));
        }
        assert!(text("one/failures").ends_with("; nearby: one"), "{}", text("one/failures"));
    }
}
