// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files appear whole or not at all.

use std::fs;
use std::io;
use std::path::Path;

/// Writes a file through a temporary name beside it.
///
/// # Errors
/// If writing or renaming fails; the temporary file is removed then and an existing file stays.
pub fn write_whole(path: &Path, contents: &[u8]) -> io::Result<()> {
    write_partial(path, |partial| fs::write(partial, contents))
}

/// Has a file written under a temporary name beside it, and renames it.
///
/// # Errors
/// If writing or renaming fails; the temporary file is removed then and an existing file stays.
pub fn write_partial<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<T, E>,
) -> Result<T, E> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".part{}", std::process::id()));
    let partial = path.with_file_name(name);
    let result = write(&partial).and_then(|done| {
        fs::rename(&partial, path)?;
        Ok(done)
    });
    if result.is_err() {
        let _ = fs::remove_file(&partial);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("folder");
        fs::create_dir(&target).unwrap();
        assert!(write_whole(&target, b"text").is_err(), "a folder cannot be replaced");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        let file = dir.path().join("file");
        write_whole(&file, b"one").unwrap();
        write_whole(&file, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }
}
