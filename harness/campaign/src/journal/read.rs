// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads journals line by line.

use std::{
    fs::File,
    io::{BufRead, BufReader, ErrorKind},
    path::Path,
    time::Duration,
};

use drra_diagnose::signature;
use drra_report::shown;
use serde::{Deserialize, de::Error as _};

use super::{FILE_NAME, JournalHeader, MAX_SHARDS, VERSION, VersionLine};
use crate::{
    CampaignError,
    error::{of_file, unusable},
    sums::CaseSums,
    timestamps::{self, TimeRange, Timestamp},
};

/// Start of a line with finished cases.
const CASES: &[u8] = b"{\"cases\":";

/// The problem with a line whose checksum is wrong.
const DAMAGED: &str = "damaged line: wrong checksum";

/// Start of a line with a finished case in version 2.
const CASE: &[u8] = b"{\"case\":";

/// The line for the end of a part of the campaign in version 2.
#[derive(Deserialize)]
struct PartEnd {
    ended: String,
}

/// The contents of a journal except its cases.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalMetadata {
    /// The current settings of the campaign.
    pub header: JournalHeader,
    /// The times at which the parts of the campaign started and ended, in order.
    pub(super) timestamps: Vec<Timestamp>,
    /// Number of bytes in complete lines.
    pub(super) whole: u64,
}

impl JournalMetadata {
    /// Reads the journal of a folder, except for the lines with cases, which may even be damaged.
    ///
    /// # Errors
    /// If the file cannot be read, or any other line is invalid.
    pub fn read(folder: &Path) -> Result<Self, CampaignError> {
        read_file(&folder.join(FILE_NAME), None, &mut Err)
    }

    /// The times at which the campaign started and ended.
    pub fn range(&self) -> TimeRange {
        let mut range = TimeRange::default();
        self.timestamps.iter().for_each(|timestamp| range.add(timestamp));
        range
    }

    /// True if the last part of the campaign ended with all of its cases.
    pub fn is_complete(&self) -> bool {
        self.ends().next().is_some()
    }

    /// Shard, numbered from 0, and final number of cases of each completed shard.
    pub(crate) fn ends(&self) -> impl Iterator<Item = (u64, u64)> {
        let last = match self.timestamps.last() {
            Some(Timestamp::Ended { until, .. }) => &until[..],
            _ => &[],
        };
        last.iter().map(|[shard, cases]| (*shard, *cases))
    }
}

/// Reads the journal of a folder; `on_sums` receives the sums of each line. An incomplete last line is ignored.
///
/// # Errors
/// If the file cannot be read, a complete line is invalid, or `on_sums` fails.
pub fn read_each(
    folder: &Path,
    on_sums: &mut CaseSumsHandler<'_>,
) -> Result<JournalMetadata, CampaignError> {
    read_file(&folder.join(FILE_NAME), Some(on_sums), &mut Err)
}

/// Receives the sums of a line of a journal.
pub type CaseSumsHandler<'e> = dyn FnMut(CaseSums) -> Result<(), CampaignError> + 'e;

/// Like [`read_each`], but skips lines of cases if there is no `on_sums`, and damaged lines if `damaged` accepts the
/// error.
pub(crate) fn read_file(
    path: &Path,
    mut on_sums: Option<&mut CaseSumsHandler<'_>>,
    damaged: &mut dyn FnMut(CampaignError) -> Result<(), CampaignError>,
) -> Result<JournalMetadata, CampaignError> {
    let file = File::open(path).map_err(|source| match source.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            let folder = path.parent().unwrap_or(path).to_owned();
            CampaignError::NoCampaign { folder, file: FILE_NAME }
        }
        _ => of_file(path)(source),
    });
    let mut file = BufReader::new(file?);
    let mut line = Vec::new();
    let mut next = |line: &mut Vec<u8>| {
        line.clear();
        let length = file.read_until(b'\n', line).map_err(of_file(path))?;
        // A line without a line feed is incomplete.
        Ok::<_, CampaignError>(line.pop_if(|b| *b == b'\n').map(|_| length as u64))
    };
    let whole = next(&mut line)?.unwrap_or(0);
    let header = first_line(path, if whole == 0 { b"" } else { &line })?;
    let shards = header.shards();
    let mut outline = JournalMetadata { header, timestamps: Vec::new(), whole };
    let mut number = 1;
    while let Some(length) = next(&mut line)? {
        outline.whole += length;
        number += 1;
        let of_case = line.starts_with(CASE);
        let of_cases = of_case || line.starts_with(CASES);
        if line.is_empty() || of_cases && on_sums.is_none() {
            continue;
        }
        let bad_line = |reason: &str| {
            let message = format!("{}:{number}: {reason}", path.display());
            unusable(message, "delete this line; drra fuzz --resume then runs its cases again")
        };
        let Some(line) = opened(&line) else {
            damaged(bad_line(DAMAGED))?;
            continue;
        };
        if !of_cases && outline.take(&line) {
            continue;
        }
        let sums = match of_case {
            true => serde_json::from_slice(&line).map(|case| CaseSums::of(case, shards)),
            false => serde_json::from_slice(&line),
        };
        match sums {
            Ok(sums) => on_sums.as_mut().map_or(Ok(()), |on_sums| on_sums(cleaned(sums)))?,
            Err(e) => damaged(bad_line(&format!("invalid record: {e}")))?,
        }
    }
    Ok(outline)
}

/// Makes the signatures safe to print, and replaces signatures of earlier versions with their present form.
pub(super) fn cleaned(mut sums: CaseSums) -> CaseSums {
    for (signature, seen) in std::mem::take(&mut sums.failures) {
        seen.add_to(&mut sums.failures, &signature::present(&shown::line(&signature)));
    }
    sums
}

impl JournalMetadata {
    /// Adds a line about the campaign as a whole; returns false for any other line.
    fn take(&mut self, line: &[u8]) -> bool {
        if let Ok(timestamp) = serde_json::from_slice(line) {
            self.timestamps.push(timestamp);
            return true;
        }
        if let Ok(PartEnd { ended: at }) = serde_json::from_slice(line) {
            self.timestamps.push(Timestamp::Ended { at, until: Vec::new() });
            return true;
        }
        match serde_json::from_slice::<JournalHeader>(line) {
            Ok(extended) if extended.is_of(&self.header) => {
                self.header = extended;
                true
            }
            _ => false,
        }
    }
}

/// Reads and checks the line of settings.
pub(super) fn first_line(path: &Path, line: &[u8]) -> Result<JournalHeader, CampaignError> {
    let damaged = |reason: String| CampaignError::Settings { path: path.to_owned(), reason };
    let invalid = |e: serde_json::Error| damaged(format!("invalid settings: {e}"));
    let other = |what, remedy| Err(unusable(format!("{}:1: {what}", path.display()), remedy));
    // The version is checked first, because older versions had no checksums.
    let VersionLine { version } = serde_json::from_slice(line).map_err(invalid)?;
    if !matches!(version, 2 | VERSION) {
        return other(
            format!("unknown version {version}; this program reads version 2 or {VERSION}"),
            "use the program that started the campaign, or start it again in another folder",
        );
    }
    let line = opened(line).ok_or_else(|| damaged(DAMAGED.to_owned()))?;
    let mut header: JournalHeader = serde_json::from_slice(&line).map_err(invalid)?;
    header.version = VERSION;
    let [shard, shards] = header.shard;
    if !(1..=shards).contains(&shard) || !(1..=MAX_SHARDS).contains(&header.shards()) {
        return Err(invalid(serde_json::Error::custom(
            "`shard` is not within the number of shards",
        )));
    }
    let bins = drra_coverage::fingerprint();
    if header.bins != bins {
        let (theirs, by, here) = (header.bins, &header.identity.version, env!("CARGO_PKG_VERSION"));
        return other(
            format!(
                "the coverage bins differ: digest {theirs:x} of drra {by} here, {bins:x} of this drra {here}"
            ),
            "run the campaign again, use the program that ran it, or leave this folder out",
        );
    }
    match header.profile.check() {
        Ok(()) => Ok(header),
        Err(e) => other(
            format!("profile: {e}"),
            "start the campaign again in another folder; this version cannot use its profile",
        ),
    }
}

/// The object in a line, without its checksum; `None` if the checksum is wrong.
pub(super) fn opened(line: &[u8]) -> Option<Vec<u8>> {
    // `,"crc":"01234567"}` has 18 characters.
    let (fields, seal) = line.split_at_checked(line.len().checked_sub(18)?)?;
    let sum = seal.strip_prefix(b",\"crc\":\"")?.strip_suffix(b"\"}")?;
    let object = [fields, b"}"].concat();
    (format!("{:08x}", crc32fast::hash(&object)).as_bytes() == sum).then_some(object)
}

/// True if the folder has a journal with a complete first line.
pub fn is_begun(folder: &Path) -> bool {
    let mut first = Vec::new();
    let read = File::open(folder.join(FILE_NAME))
        .and_then(|file| BufReader::new(file).read_until(b'\n', &mut first));
    read.is_ok() && first.ends_with(b"\n")
}

/// The total duration of the parts of the campaign in a folder. A part that was killed is counted until the journal
/// was last written.
///
/// # Errors
/// As for [`JournalMetadata::read`].
pub fn duration(folder: &Path) -> Result<Duration, CampaignError> {
    let path = folder.join(FILE_NAME);
    let written = std::fs::metadata(&path).and_then(|data| data.modified());
    let written = written.map_err(of_file(&path))?;
    Ok(timestamps::duration(&JournalMetadata::read(folder)?.timestamps, written))
}
