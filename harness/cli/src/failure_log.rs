// SPDX-License-Identifier: MIT OR Apache-2.0
//! A log of new failures, and of new variants of failures, written while the campaign runs. Several shards can use the
//! same file.

use std::fs::{File, OpenOptions};

use drra_campaign::{CampaignSettings, generate_command, timestamps};
use drra_diagnose::signature;

use super::error::{self};
use crate::command_prelude::*;

/// The file, open for appending.
#[derive(Debug)]
pub(super) struct FailureLog {
    file: File,
    path: PathBuf,
    settings: CampaignSettings,
    /// Text before the next line: a line feed if the previous line could not be written completely.
    before: &'static str,
}

impl FailureLog {
    /// Opens the file, which is created if it does not exist.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn open(path: &Path, settings: &CampaignSettings) -> Result<Self, CommandError> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|e| error::file(path, e, "give a writable file"))?;
        Ok(Self { file, path: path.to_owned(), settings: settings.clone(), before: "" })
    }

    /// Appends a failure. If the file cannot be written, only a warning is printed, because the campaign also reports
    /// the failure.
    pub(super) fn add(&mut self, case: u64, compare_from: u64, signature: &str) {
        let [shard, shards] = self.settings.shard;
        let repeat = generate_command(&self.settings, case, compare_from);
        let now = timestamps::now();
        let failure = signature::failure(signature);
        let variant = if failure == signature { String::new() } else { format!(" ({signature})") };
        let line = format!(
            "{}{now} shard {shard} of {shards}, case {case}: {failure}{variant}; repeat with: {repeat}\n",
            self.before
        );
        // The whole line is written in a single call, so that lines of other processes cannot be interleaved with it.
        let written = self.file.write_all(line.as_bytes());
        self.before = if written.is_ok() { "" } else { "\n" };
        if let Err(e) = written {
            note!("warning: {}: {e}", self.path.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use drra_campaign::CampaignSettings;

    use super::FailureLog;

    /// Several shards append lines, each with the command that regenerates its case.
    #[test]
    fn lines_are_appended() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("failures.log");
        for shard in [1, 2] {
            let profile_file = (shard == 1).then(|| "/x/my profile.json".into());
            let shard = [shard, 2];
            let settings =
                CampaignSettings { shard, profile_file, seed: 9, ..CampaignSettings::default() };
            FailureLog::open(&path, &settings).unwrap().add(7, 0, "cell.rf.mem REFI");
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let expected = "shard 2 of 2, case 7: cell RF write (cell.rf.mem REFI); \
            repeat with: drra replay --profile default --seed 9 --number 7";
        assert_eq!(text.lines().count(), 2);
        let file = "drra replay --profile '/x/my profile.json' --seed 9 --number 7";
        assert!(text.lines().next().unwrap().ends_with(file), "{text}");
        assert!(text.lines().last().unwrap().ends_with(expected), "{text}");
    }
}
