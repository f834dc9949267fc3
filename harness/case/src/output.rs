// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes files so that they are either complete or not there.

use std::fs;
use std::fs::File;
use std::io;
use std::path::Path;

use tempfile::Builder;

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
    let name = path.file_name().unwrap_or_default();
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let partial = Builder::new()
        .prefix(name)
        .suffix(".part")
        .make_in(folder, |partial| File::create_new(partial))?
        .into_temp_path();
    let done = write(&partial)?;
    partial.persist(path).map_err(|e| e.error)?;
    Ok(done)
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
        let refused = write_partial(&file, |partial| {
            fs::write(partial, b"thr")?;
            Err::<(), _>(io::Error::other("no more room"))
        });
        assert!(refused.is_err());
        assert_eq!(fs::read(&file).unwrap(), b"two", "the file before stays");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    /// Others may read what they may read of a file that was written directly.
    #[test]
    #[cfg(unix)]
    fn rights_are_the_usual_ones() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let [direct, whole] = ["direct", "whole"].map(|name| dir.path().join(name));
        fs::write(&direct, b"text").unwrap();
        write_whole(&whole, b"text").unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&whole), mode(&direct));
    }
}
