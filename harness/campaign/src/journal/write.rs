// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes journals. One process at a time does.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::{
    FILE_NAME, Header,
    read::{Each, Outline, is_begun, read_file},
};
use crate::{
    CampaignError,
    moments::{self, Moment},
    sums::Sums,
};

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Starts a journal in a folder, which is made if it does not exist. One without a whole first line, which a
    /// process leaves that is killed at once, is started again.
    ///
    /// # Errors
    /// If the folder holds one already, which another process may be writing, or writing fails.
    pub fn create(folder: &Path, header: &Header) -> Result<Self, CampaignError> {
        let path = folder.join(FILE_NAME);
        let error = |source| CampaignError::File { path: path.clone(), source };
        std::fs::create_dir_all(folder).map_err(error)?;
        let mut options = OpenOptions::new();
        options.append(true);
        let file = options.create(true).open(&path).map_err(error)?;
        // Who loses a race for the folder learns that the other one runs.
        lock(&file, &path)?;
        if is_begun(folder) {
            return Err(CampaignError::Exists { path });
        }
        file.set_len(0).map_err(error)?;
        let mut journal = Self { file, path };
        journal.line(header)?;
        Ok(journal)
    }

    /// Continues a journal: drops a torn last line; `each` gets what was read.
    ///
    /// # Errors
    /// As [`read`], and if another process writes it.
    pub fn resume(folder: &Path, each: &mut Each<'_>) -> Result<(Self, Outline), CampaignError> {
        let path = folder.join(FILE_NAME);
        let error = |source| CampaignError::File { path: path.clone(), source };
        let file = OpenOptions::new().append(true).open(&path).map_err(error)?;
        lock(&file, &path)?;
        let written = file.metadata().and_then(|data| data.modified()).map_err(error)?;
        let mut outline = read_file(&path, Some(each), &mut Err)?;
        file.set_len(outline.whole).map_err(error)?;
        let mut journal = Self { file, path };
        if let Some(Moment::Started(_)) = outline.moments.last() {
            // The part before this one was killed.
            let ended = Moment::Ended { at: moments::text(written), until: Vec::new() };
            journal.mark(&ended)?;
            outline.moments.push(ended);
        }
        Ok((journal, outline))
    }

    /// Lets the campaign have more cases than before, or be one of several builds.
    ///
    /// # Errors
    /// If writing fails.
    pub fn extend(&mut self, header: &Header) -> Result<(), CampaignError> {
        self.line(header)
    }

    /// Tells when a part of the campaign began or ended.
    ///
    /// # Errors
    /// If writing fails.
    pub fn mark(&mut self, moment: &Moment) -> Result<(), CampaignError> {
        self.line(moment)
    }

    /// Appends finished cases.
    ///
    /// # Errors
    /// If writing fails.
    pub fn append(&mut self, sums: &Sums) -> Result<(), CampaignError> {
        self.line(sums)
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), CampaignError> {
        let text = sealed(serde_json::to_string(value).expect("plain data"));
        self.file
            .write_all(text.as_bytes())
            .map_err(|source| CampaignError::File { path: self.path.clone(), source })
    }
}

/// Keeps other processes from writing a journal as long as its file is open.
fn lock(file: &File, path: &Path) -> Result<(), CampaignError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(CampaignError::Running { path: path.to_owned() }),
        // Some network file systems know no locks: better an unprotected campaign than none.
        Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(source)) => {
            Err(CampaignError::File { path: path.to_owned(), source })
        }
    }
}

/// An object with the checksum of its text as last field, as a line.
pub(super) fn sealed(object: String) -> String {
    let sum = crc32fast::hash(object.as_bytes());
    let fields = object.strip_suffix('}').expect("an object");
    format!("{fields},\"crc\":\"{sum:08x}\"}}\n")
}
