// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes journals. Only one process at a time may write to a journal.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use serde::Serialize;
use tempfile::TempPath;

use super::{
    FILE_NAME, JournalHeader,
    read::{CaseSumsHandler, JournalMetadata, is_begun, read_file},
};
use crate::{
    CampaignError,
    error::{of_file, unusable},
    timestamps::{self, Timestamp},
};

/// A journal open for writing.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// Number of bytes in complete lines.
    whole: u64,
    /// True if a line was not written completely and is still in the file.
    torn: bool,
    /// Where the file system has no locks: the file that stands for one, and is removed with this value.
    _claim: Option<TempPath>,
}

/// Start of every journal, whatever its version.
const START: &[u8] = b"{\"version\":";

impl Journal {
    /// Starts a journal in a folder, which is created if it does not exist. A journal without a complete first line,
    /// left by a process that was killed before it had written one, is started again.
    ///
    /// # Errors
    /// If the folder already contains a campaign or another file or link of this name, if another process is writing
    /// its journal, or if writing fails.
    pub fn create(folder: &Path, header: &JournalHeader) -> Result<Self, CampaignError> {
        std::fs::create_dir_all(folder).map_err(of_file(&folder.join(FILE_NAME)))?;
        for name in [FILE_NAME, "failures"] {
            let path = folder.join(name);
            if path.is_symlink() {
                let message = format!("{}: a link, which leads out of the folder", path.display());
                return Err(unusable(message, "remove the link, or give another folder"));
            }
        }
        // The loser of a race for the folder is told that another process is running the campaign.
        let mut journal = Self::open(folder, true)?;
        let path = &journal.path;
        if is_begun(folder) {
            let message = format!("{}: this folder already contains a campaign", path.display());
            let remedy = "give another folder, or resume the campaign with drra fuzz --resume";
            return Err(unusable(message, remedy));
        }
        let mut start = Vec::new();
        let read =
            File::open(path).map(|file| file.take(START.len() as u64).read_to_end(&mut start));
        read.flatten().map_err(of_file(path))?;
        if !START.starts_with(&start) {
            let message = format!("{}: not a journal, so it is not overwritten", path.display());
            return Err(unusable(message, "move the file away, or give another folder"));
        }
        journal.file.set_len(0).map_err(of_file(path))?;
        journal.append(header)?;
        Ok(journal)
    }

    /// Opens the journal of a folder, and prevents other processes from writing it.
    fn open(folder: &Path, create: bool) -> Result<Self, CampaignError> {
        let path = folder.join(FILE_NAME);
        let file = OpenOptions::new().append(true).create(create).open(&path);
        let file = file.map_err(of_file(&path))?;
        let claim = drra_files::lock(&path, file.try_lock());
        let claim = claim.map_err(|e| locked_out(&path, e))?;
        Ok(Self { file, path, whole: 0, torn: false, _claim: claim })
    }

    /// Continues a journal: drops an incomplete last line, and passes the sums that were read to `on_sums`.
    ///
    /// # Errors
    /// As for [`read_each`](super::read_each), if writing fails, or if another process is writing the journal.
    pub fn resume(
        folder: &Path,
        on_sums: &mut CaseSumsHandler<'_>,
    ) -> Result<(Self, JournalMetadata), CampaignError> {
        let mut journal = Self::open(folder, false)?;
        let Self { file, path, .. } = &journal;
        let written = file.metadata().and_then(|data| data.modified()).map_err(of_file(path))?;
        let mut outline = read_file(path, Some(on_sums), &mut Err)?;
        file.set_len(outline.whole).map_err(of_file(path))?;
        journal.whole = outline.whole;
        if let Some(Timestamp::Started(_)) = outline.timestamps.last() {
            // The previous part was killed.
            let ended = Timestamp::Ended { at: timestamps::text(written), until: Vec::new() };
            journal.append(&ended)?;
            outline.timestamps.push(ended);
        }
        Ok((journal, outline))
    }

    /// Appends a line: settings ([`JournalHeader`]), a [`Timestamp`], or finished cases
    /// ([`CaseSums`](crate::CaseSums)). A line that could not be written completely is removed, at the latest before
    /// the next line is appended.
    ///
    /// # Errors
    /// If writing fails.
    pub fn append(&mut self, line: &impl Serialize) -> Result<(), CampaignError> {
        let text = sealed(serde_json::to_string(line).expect("plain data"));
        let written = self.cut().and_then(|()| {
            self.torn = true;
            self.file.write_all(text.as_bytes())
        });
        match written {
            Ok(()) => (self.whole, self.torn) = (self.whole + text.len() as u64, false),
            // If this fails, too, it is tried again before the next line is appended.
            Err(_) => drop(self.cut()),
        }
        written.map_err(of_file(&self.path))
    }

    /// Removes a line that was not written completely.
    fn cut(&mut self) -> io::Result<()> {
        if self.torn {
            self.file.set_len(self.whole)?;
            self.torn = false;
        }
        Ok(())
    }
}

/// Checks that no process is running the campaign in a folder.
///
/// # Errors
/// If a process is running it, or the journal cannot be opened.
pub fn idle(folder: &Path) -> Result<(), CampaignError> {
    Journal::open(folder, false).map(drop)
}

/// The error for a journal that cannot be locked.
fn locked_out(path: &Path, error: io::Error) -> CampaignError {
    let claim = path.with_extension("lock");
    let (path, remedy) = match error.kind() {
        io::ErrorKind::WouldBlock => {
            (path, "wait until it ends, or stop it; its journal stays intact")
        }
        io::ErrorKind::AlreadyExists => {
            (&*claim, "wait until it ends; if it was killed, delete this file")
        }
        _ => return of_file(&claim)(error),
    };
    let path = path.display();
    unusable(format!("{path}: another process is running this campaign"), remedy)
}

/// A line with a JSON object, to which the checksum of its text is added as the last field.
pub(super) fn sealed(object: String) -> String {
    let sum = crc32fast::hash(object.as_bytes());
    let fields = object.strip_suffix('}').expect("an object");
    format!("{fields},\"crc\":\"{sum:08x}\"}}\n")
}
