// SPDX-License-Identifier: MIT OR Apache-2.0
//! Locks a file that only one process at a time may write.

use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
};

use tempfile::TempPath;

/// Completes an attempt to lock a file, the result of [`File::try_lock`]. On a file system without locks (some network
/// file systems), a file next to it, with the extension `lock`, takes the place of the lock; it is removed when the
/// returned path is dropped. Such a file is respected on every file system, because the same folder may be without
/// locks on another machine.
///
/// # Errors
/// [`WouldBlock`](io::ErrorKind::WouldBlock) if another process has locked the file,
/// [`AlreadyExists`](io::ErrorKind::AlreadyExists) if the file next to it exists, or the error of creating that file.
pub fn lock(path: &Path, locked: Result<(), TryLockError>) -> io::Result<Option<TempPath>> {
    let claim = path.with_extension("lock");
    match locked {
        Ok(()) if claim.exists() => Err(io::ErrorKind::AlreadyExists.into()),
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
        Err(TryLockError::Error(_)) => {
            File::create_new(&claim)?;
            TempPath::try_from_path(claim).map(Some)
        }
    }
}
