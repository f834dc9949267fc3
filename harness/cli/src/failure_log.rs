// SPDX-License-Identifier: MIT OR Apache-2.0
//! A file that gets a line as soon as a campaign finds a new failure or a new variant of one: long before the end of the campaign,
//! and the same one for all shards.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use drra_campaign::{Settings, generate_command, moments};
use drra_diagnose::signature;

use super::{
    console::note,
    error::{self, CommandError},
};

/// The file, open for appending.
#[derive(Debug)]
pub(super) struct FailureLog {
    file: File,
    path: PathBuf,
    settings: Settings,
}

impl FailureLog {
    /// Opens the file, which is made if it does not exist.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn open(path: &Path, settings: &Settings) -> Result<Self, CommandError> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|e| error::file(path, e, "name a file that can be written"))?;
        Ok(Self { file, path: path.to_owned(), settings: settings.clone() })
    }

    /// Appends a failure. One that cannot be written is in the journal nevertheless.
    pub(super) fn add(&mut self, case: u64, signature: &str) {
        let [shard, shards] = self.settings.shard;
        let repeat = generate_command(&self.settings, case);
        let now = moments::now();
        let failure = signature::failure(signature);
        let variant = if failure == signature { String::new() } else { format!(" ({signature})") };
        let line = format!(
            "{now} shard {shard} of {shards}, case {case}: {failure}{variant}; repeat with: {repeat}\n"
        );
        // One call for the whole line: those of other processes come before or after it.
        if let Err(e) = self.file.write_all(line.as_bytes()) {
            note!("warning: {}: {e}", self.path.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use drra_campaign::Settings;

    use super::FailureLog;

    /// Lines of several processes stand beside each other, each with the command that makes its case again.
    #[test]
    fn lines_are_appended() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("failures.log");
        for shard in [1, 2] {
            let settings = Settings { shard: [shard, 2], seed: 9, ..Settings::default() };
            FailureLog::open(&path, &settings).unwrap().add(7, "cell.rf.mem REFI");
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let expected = "shard 2 of 2, case 7: cell RF write (cell.rf.mem REFI); \
            repeat with: drra replay --profile default --seed 9 --number 7";
        assert_eq!(text.lines().count(), 2);
        assert!(text.lines().last().unwrap().ends_with(expected), "{text}");
    }
}
