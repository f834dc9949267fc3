// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes files so that they are either complete or absent, and shortens paths for display.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::Path,
};

use tempfile::{Builder, TempPath};

/// Suffix of temporary names.
const SUFFIX: &str = ".part";

/// The path of a file, relative to the working folder if the file is inside that folder, so that names are the same on
/// every machine.
pub fn from_here(path: &Path) -> impl std::fmt::Display {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).or_else(|_| path.strip_prefix(".")).unwrap_or(path).display()
}

/// The name of a file without its extension, for a file or folder that is named after it. Leading dots are left out,
/// because `..` would be another folder; if nothing remains, the name is `program`.
pub fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    match stem.trim_start_matches('.') {
        "" => "program".to_owned(),
        stem => stem.to_owned(),
    }
}

/// Writes a file under a temporary name in the same folder and renames it.
///
/// # Errors
/// If writing or renaming fails; the temporary file is then removed and an existing file is kept.
pub fn write_whole(path: &Path, contents: &[u8]) -> io::Result<()> {
    write_partial(path, |partial| fs::write(partial, contents))
}

/// Writes a file under a temporary name in the same folder and renames it. If the target is neither a regular file nor
/// a folder but, for example, a device or a pipe, it is written to directly, because a file must not replace it.
///
/// # Errors
/// If writing or renaming fails; the temporary file is then removed and an existing file is kept.
pub fn write_partial<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<T, E>,
) -> Result<T, E> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return write(path);
    }
    let (partial, _writing) = partial(path, |partial| File::create_new(partial).map(drop))?;
    let done = write(&partial)?;
    partial.persist(path).map_err(|e| e.error)?;
    Ok(done)
}

/// Writes the files of a new folder into a temporary folder next to it, which is then renamed. If the folder exists, it
/// must be empty.
///
/// # Errors
/// If the folder contains files, or writing or renaming fails; the temporary folder is then removed.
pub fn write_folder<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<T, E>,
) -> Result<T, E> {
    check_new_folder(path)?;
    fs::create_dir_all(folder_of(path))?;
    let (partial, _writing) = partial(path, |partial| fs::create_dir(partial))?;
    let partial = partial.keep().map_err(|e| e.error)?;
    let written = write(&partial).and_then(|done| {
        fs::rename(&partial, path)?;
        Ok(done)
    });
    if written.is_err() {
        // The first error is reported; an error in the removal is ignored.
        let _ = fs::remove_dir_all(&partial);
    }
    written
}

/// The folder that contains a file.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a file or folder under a temporary name next to a path. Its writer holds a lock on it; files and folders
/// whose writer was killed are removed first.
fn partial(path: &Path, create: impl Fn(&Path) -> io::Result<()>) -> io::Result<(TempPath, File)> {
    let mut prefix = path.file_name().unwrap_or_default().to_owned();
    prefix.push(".drra-");
    for entry in fs::read_dir(folder_of(path)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let left = name.starts_with(prefix.as_encoded_bytes()) && name.ends_with(SUFFIX.as_bytes());
        // A link is left alone, and so is everything that cannot be locked or removed: it does no harm.
        if left && entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            let lock = File::open(entry.path());
            if lock.as_ref().is_ok_and(|file| file.try_lock().is_ok()) {
                let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
            }
        }
    }
    loop {
        let partial =
            Builder::new().prefix(&prefix).suffix(SUFFIX).make_in(folder_of(path), &create)?;
        let partial = partial.into_temp_path();
        let writing = File::open(&partial)?;
        // Before it was locked, another process may have removed it, taking it for the file of a killed writer.
        if !matches!(writing.try_lock(), Err(TryLockError::WouldBlock)) && partial.exists() {
            return Ok((partial, writing));
        }
    }
}

/// Checks that a folder does not exist or is empty.
///
/// # Errors
/// If the folder is not empty, or the path cannot be read as a folder.
pub fn check_new_folder(path: &Path) -> io::Result<()> {
    match fs::read_dir(path).map(|mut entries| entries.next().is_some()) {
        Ok(true) => Err(io::ErrorKind::DirectoryNotEmpty.into()),
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}
