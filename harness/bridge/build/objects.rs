// SPDX-License-Identifier: MIT OR Apache-2.0
//! Objects of the build before: one that the same command would make of the same files is not made again.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    hash::{DefaultHasher, Hasher},
    io,
    path::{Path, PathBuf},
    sync::Mutex,
    time::SystemTime,
};

/// The target of the rule that the compiler writes.
pub(crate) const TARGET: &str = "object";

/// A folder of objects. Beside each is a record: marks of its command, of the object itself and of all files that the
/// compiler read for it. A mark is a hash; that of `digest.rs` takes seconds for so many files in a program that is not
/// optimised.
pub(crate) struct Objects {
    folder: PathBuf,
    /// When this build began to read files.
    since: SystemTime,
    /// Marks of files, none of one that cannot be read.
    marks: Mutex<BTreeMap<PathBuf, Option<u64>>>,
}

impl Objects {
    /// Opens a folder, when all files that are compiled have been written.
    pub(crate) fn open(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        Ok(Self { folder, since: SystemTime::now(), marks: Mutex::default() })
    }

    /// Where an object is, once it is made.
    pub(crate) fn object(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.o"))
    }

    /// Where the compiler writes an object, and the rule that tells what it has read.
    pub(crate) fn fresh(&self, name: &str) -> (PathBuf, PathBuf) {
        let file = |ending| self.folder.join(format!("{name}.new.{ending}"));
        (file("o"), file("d"))
    }

    fn record(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.record"))
    }

    /// Whether there is an object that this command made, and everything is as it was.
    pub(crate) fn has(&self, name: &str, command: &str) -> bool {
        let Ok(record) = fs::read_to_string(self.record(name)) else { return false };
        let paths = record.lines().skip(1).filter_map(|line| Some(line.split_once(' ')?.1));
        let files: Vec<PathBuf> = paths.map(PathBuf::from).collect();
        self.describe(&self.object(name), command, &files).is_some_and(|now| now == record)
    }

    /// Takes over the new object that a command has made.
    pub(crate) fn keep(&self, name: &str, command: &str) -> io::Result<()> {
        let (object, rule) = self.fresh(name);
        let record = fs::read_to_string(&rule).ok().and_then(|rule| {
            let files = dependencies(&rule)?;
            // What was edited meanwhile may be newer than the object.
            let edited = files.iter().any(|file| {
                fs::metadata(file).and_then(|m| m.modified()).map_or(true, |time| time > self.since)
            });
            self.describe(&object, command, &files).filter(|_| !edited)
        });
        fs::rename(&object, self.object(name))?;
        // If the build ends here, the record is that of another object.
        match record {
            Some(text) => fs::write(self.record(name), text),
            None => self.remove(&self.record(name)),
        }
    }

    /// Removes everything but the objects of these names.
    pub(crate) fn clean<'a>(&self, names: impl Iterator<Item = &'a str>) -> io::Result<()> {
        let kept: BTreeSet<PathBuf> =
            names.flat_map(|name| [self.object(name), self.record(name)]).collect();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if !kept.contains(&path) {
                self.remove(&path)?;
            }
        }
        Ok(())
    }

    fn remove(&self, file: &Path) -> io::Result<()> {
        match fs::remove_file(file) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result,
        }
    }

    /// The record of an object, unless a file cannot be read. The number of files shows one that was cut short.
    fn describe(&self, object: &Path, command: &str, files: &[PathBuf]) -> Option<String> {
        let (command, object) = (mark(command.as_bytes()), mark(&fs::read(object).ok()?));
        let mut text = format!("{command:016x} {object:016x} {}\n", files.len());
        for file in files {
            let mark = self.mark_of(file)?;
            writeln!(text, "{mark:016x} {}", file.to_str()?).expect("writing to a string");
        }
        Some(text)
    }

    /// The mark of a file, which is read once: many objects are made from the same headers.
    fn mark_of(&self, file: &Path) -> Option<u64> {
        let known = self.marks.lock().expect("no panic while it is held").get(file).copied();
        known.unwrap_or_else(|| {
            let mark = fs::read(file).ok().map(|bytes| mark(&bytes));
            self.marks.lock().expect("no panic while it is held").insert(file.to_owned(), mark);
            mark
        })
    }
}

fn mark(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// The files that a rule names, as compilers write it: `object: FILE FILE \`, with a backslash before a blank or `#` of
/// a name, and `$` twice.
fn dependencies(rule: &str) -> Option<Vec<PathBuf>> {
    let mut rest = rule.strip_prefix(TARGET)?.strip_prefix(':')?.chars().peekable();
    let (mut files, mut name) = (Vec::new(), String::new());
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('\\', Some(&next @ (' ' | '#'))) | (next @ '$', Some('$')) => {
                name.push(next);
                rest.next();
            }
            ('\\', Some('\n')) => {}
            _ if c.is_whitespace() => files.push(std::mem::take(&mut name)),
            _ => name.push(c),
        }
    }
    files.push(name);
    Some(files.into_iter().filter(|name| !name.is_empty()).map(PathBuf::from).collect())
}
