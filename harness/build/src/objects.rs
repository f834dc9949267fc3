// SPDX-License-Identifier: MIT OR Apache-2.0
//! Objects of earlier builds, each in a file named by a hash of its sources and its command. An object that the same
//! command would make from the same files is reused.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
    sync::Mutex,
    time::SystemTime,
};

/// A folder of objects.
pub(crate) struct ObjectFolder {
    folder: PathBuf,
    /// The time at which this build began to read files.
    since: SystemTime,
    /// The files read so far, kept because many objects are made from the same headers.
    read: Mutex<BTreeMap<PathBuf, Option<SourceText>>>,
}

/// A C++ file that has been read: its hash, and the files that it includes.
struct SourceText {
    /// A hash of the whole file. The hash of `digest.rs` would take seconds for this many files in an unoptimised
    /// program.
    hash: u64,
    includes: Vec<PathBuf>,
}

/// The source of an object, and the command that makes it.
pub(crate) struct Recipe<'a> {
    pub(crate) source: &'a Path,
    /// The command line without the names of source and object, with the version and search paths of the compiler.
    pub(crate) command: &'a str,
    /// Headers that the command includes.
    pub(crate) included: &'a [PathBuf],
    /// Folders in which the compiler looks for headers. System folders are covered by the version of the compiler.
    pub(crate) folders: &'a [PathBuf],
}

impl ObjectFolder {
    /// Opens a folder; all files to be compiled must have been written.
    pub(crate) fn open(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        Ok(Self { folder, since: SystemTime::now(), read: Mutex::default() })
    }

    /// The folder in which a compiler may write new objects.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of an object; the file exists if the object was made before.
    pub(crate) fn object(&self, made: &Recipe<'_>) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        (made.command, self.files(made)).hash(&mut hasher);
        let name = made.source.file_stem().unwrap_or_default().to_string_lossy();
        self.folder.join(format!("{name}-{:016x}.o", hasher.finish()))
    }

    /// Stores a new object, unless a source was edited during the compilation. Returns its path.
    pub(crate) fn keep(&self, made: &Recipe<'_>, new: PathBuf) -> io::Result<PathBuf> {
        let edited = |file: &PathBuf| {
            fs::metadata(file).and_then(|m| m.modified()).is_ok_and(|time| time > self.since)
        };
        if self.files(made).keys().any(edited) {
            return Ok(new);
        }
        let object = self.object(made);
        fs::rename(new, &object)?;
        Ok(object)
    }

    /// Removes everything except these objects.
    pub(crate) fn clean(&self, objects: &[PathBuf]) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if !objects.contains(&path) {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    /// The source and all files that it includes, with the hashes of their texts.
    fn files(&self, made: &Recipe<'_>) -> BTreeMap<PathBuf, u64> {
        let mut read = self.read.lock().expect("no panic while it is held");
        let (mut files, mut next) = (BTreeMap::new(), made.included.to_vec());
        next.push(made.source.to_owned());
        while let Some(file) = next.pop() {
            if files.contains_key(&file) {
                continue;
            }
            let text = read.entry(file.clone()).or_insert_with_key(|file| SourceText::read(file));
            let Some(text) = text else { continue };
            let folder = file.parent().unwrap_or(&file);
            for name in &text.includes {
                next.push(folder.join(name));
                next.extend(made.folders.iter().map(|folder| folder.join(name)));
            }
            files.insert(file, text.hash);
        }
        files
    }
}

/// A source and the headers that it includes, from its own folder or from `folders`.
pub(crate) fn with_headers(source: &Path, folders: &[PathBuf]) -> BTreeSet<PathBuf> {
    let (folder, since) = (PathBuf::new(), SystemTime::now());
    let none = ObjectFolder { folder, since, read: Mutex::default() };
    let recipe = Recipe { source, command: "", included: &[], folders };
    none.files(&recipe).into_keys().collect()
}

impl SourceText {
    fn read(file: &Path) -> Option<Self> {
        let bytes = fs::read(file).ok()?;
        let mut hasher = DefaultHasher::new();
        hasher.write(&bytes);
        let text = String::from_utf8_lossy(&bytes);
        let includes = text.split('#').skip(1).filter_map(|line| {
            let name = line.trim_start().strip_prefix("include")?.trim_start();
            let end = if name.starts_with('<') { '>' } else { '"' };
            Some(name.get(1..)?.split_once(end)?.0.into())
        });
        Some(Self { hash: hasher.finish(), includes: includes.collect() })
    }
}

#[cfg(test)]
mod tests;
