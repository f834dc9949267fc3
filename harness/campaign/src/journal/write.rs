// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes journals. Only one process at a time may write to a journal.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::{
    FILE_NAME, Header,
    read::{JournalMetadata, OnSums, is_begun, read_file},
};
use crate::{
    CampaignError,
    error::unusable,
    timestamps::{self, Timestamp},
};

/// A journal open for writing.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Starts a journal in a folder, which is created if it does not exist. A journal without a complete first line,
    /// left by a process that was killed at once, is started again.
    ///
    /// # Errors
    /// If the folder already contains a campaign, if another process is writing its journal, or if writing fails.
    pub fn create(folder: &Path, header: &Header) -> Result<Self, CampaignError> {
        let path = folder.join(FILE_NAME);
        let error = |source| CampaignError::File { path: path.clone(), source };
        std::fs::create_dir_all(folder).map_err(error)?;
        let mut options = OpenOptions::new();
        options.append(true);
        let file = options.create(true).open(&path).map_err(error)?;
        // The loser of a race for the folder is told that another process is running the campaign.
        lock(&file, &path)?;
        if is_begun(folder) {
            let message = format!("{}: this folder already contains a campaign", path.display());
            let remedy = "give another folder, or resume the campaign with drra fuzz --resume";
            return Err(unusable(message, remedy));
        }
        file.set_len(0).map_err(error)?;
        let mut journal = Self { file, path };
        journal.append(header)?;
        Ok(journal)
    }

    /// Continues a journal: drops an incomplete last line, and passes the sums that were read to `on_sums`.
    ///
    /// # Errors
    /// As for [`read_each`](super::read_each), if writing fails, or if another process is writing the journal.
    pub fn resume(
        folder: &Path,
        on_sums: &mut OnSums<'_>,
    ) -> Result<(Self, JournalMetadata), CampaignError> {
        let path = folder.join(FILE_NAME);
        let error = |source| CampaignError::File { path: path.clone(), source };
        let file = OpenOptions::new().append(true).open(&path).map_err(error)?;
        lock(&file, &path)?;
        let written = file.metadata().and_then(|data| data.modified()).map_err(error)?;
        let mut outline = read_file(&path, Some(on_sums), &mut Err)?;
        file.set_len(outline.whole).map_err(error)?;
        let mut journal = Self { file, path };
        if let Some(Timestamp::Started(_)) = outline.timestamps.last() {
            // The previous part was killed.
            let ended = Timestamp::Ended { at: timestamps::text(written), until: Vec::new() };
            journal.append(&ended)?;
            outline.timestamps.push(ended);
        }
        Ok((journal, outline))
    }

    /// Appends a line: settings ([`Header`]), a [`Timestamp`], or finished cases ([`Sums`](crate::Sums)).
    ///
    /// # Errors
    /// If writing fails.
    pub fn append(&mut self, line: &impl Serialize) -> Result<(), CampaignError> {
        let text = sealed(serde_json::to_string(line).expect("plain data"));
        self.file
            .write_all(text.as_bytes())
            .map_err(|source| CampaignError::File { path: self.path.clone(), source })
    }
}

/// Prevents other processes from writing a journal while its file is open.
fn lock(file: &File, path: &Path) -> Result<(), CampaignError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(unusable(
            format!("{}: another process is running this campaign", path.display()),
            "wait until it ends, or stop it; its journal stays intact",
        )),
        // Some network file systems have no locks; an unprotected campaign is better than no campaign.
        Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(source)) => {
            Err(CampaignError::File { path: path.to_owned(), source })
        }
    }
}

/// A line with a JSON object, to which the checksum of its text is added as the last field.
pub(super) fn sealed(object: String) -> String {
    let sum = crc32fast::hash(object.as_bytes());
    let fields = object.strip_suffix('}').expect("an object");
    format!("{fields},\"crc\":\"{sum:08x}\"}}\n")
}
