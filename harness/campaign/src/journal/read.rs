// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads journals, one record after the other.

use std::{
    fs::File,
    io::{BufRead, BufReader, ErrorKind},
    path::Path,
    time::Duration,
};

use drra_report::shown;
use serde::Deserialize;

use super::{FILE_NAME, Header, SHARDS, VERSION, Version};
use crate::{
    CampaignError,
    moments::{self, Moment, Span},
    sums::Sums,
};

/// How a line of finished cases begins.
const CASES: &[u8] = b"{\"cases\":";

/// Version 2 had a line for each case, with this beginning, and ends of this form.
const CASE: &[u8] = b"{\"case\":";
#[derive(Deserialize)]
struct End {
    ended: String,
}

/// What a journal tells besides its cases.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// The settings of the campaign, as they are by now.
    pub header: Header,
    /// When its parts began and ended, in their order.
    pub(super) moments: Vec<Moment>,
    /// Bytes of whole lines.
    pub(super) whole: u64,
}

impl Outline {
    /// Reads the journal of a folder and passes over its cases, whatever they are.
    ///
    /// # Errors
    /// If the file cannot be read, or a line that is not one of cases is not what it should be.
    pub fn read(folder: &Path) -> Result<Self, CampaignError> {
        read_file(&folder.join(FILE_NAME), None, &mut Err)
    }

    /// When the campaign began and ended.
    pub fn span(&self) -> Span {
        let mut span = Span::default();
        self.moments.iter().for_each(|moment| span.add(moment));
        span
    }

    /// How many cases the shards had that ran to their ends, by shard counted from 0.
    pub(crate) fn ends(&self) -> impl Iterator<Item = (u64, u64)> {
        let last = match self.moments.last() {
            Some(Moment::Ended { until, .. }) => &until[..],
            _ => &[],
        };
        last.iter().map(|[shard, cases]| (*shard, *cases))
    }
}

/// Reads the journal of a folder; `each` gets the sums as they are in the file, one after the other. A torn last line
/// does not count.
///
/// # Errors
/// If the file cannot be read, or a line before the last one is not what it should be, and the first error of `each`.
pub fn read_each(folder: &Path, each: &mut Each<'_>) -> Result<Outline, CampaignError> {
    read_file(&folder.join(FILE_NAME), Some(each), &mut Err)
}

/// Takes the lines of a journal, one after the other.
pub type Each<'e> = dyn FnMut(Sums) -> Result<(), CampaignError> + 'e;

/// As [`read_each`]; lines of cases are passed over if nobody wants them, and damaged ones if `damaged` says so.
pub(crate) fn read_file(
    path: &Path,
    mut each: Option<&mut Each<'_>>,
    damaged: &mut dyn FnMut(CampaignError) -> Result<(), CampaignError>,
) -> Result<Outline, CampaignError> {
    let error = |source| CampaignError::File { path: path.to_owned(), source };
    let file = File::open(path).map_err(|source| match source.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            let folder = path.parent().unwrap_or(path).to_owned();
            CampaignError::NoCampaign { folder }
        }
        _ => error(source),
    });
    let mut file = BufReader::new(file?);
    let mut line = Vec::new();
    let mut next = |line: &mut Vec<u8>| {
        line.clear();
        let length = file.read_until(b'\n', line).map_err(error)?;
        // What has no end is torn.
        Ok::<_, CampaignError>(line.pop_if(|b| *b == b'\n').map(|_| length as u64))
    };
    let whole = next(&mut line)?.unwrap_or(0);
    let header = first_line(path, if whole == 0 { b"" } else { &line })?;
    let shards = header.shards();
    let mut outline = Outline { header, moments: Vec::new(), whole };
    let mut number = 1;
    while let Some(length) = next(&mut line)? {
        outline.whole += length;
        number += 1;
        let of_case = line.starts_with(CASE);
        let of_cases = of_case || line.starts_with(CASES);
        if line.is_empty() || of_cases && each.is_none() {
            continue;
        }
        let path = || path.to_owned();
        let Some(line) = opened(&line) else {
            damaged(CampaignError::Damaged { path: path(), line: number })?;
            continue;
        };
        if !of_cases && outline.take(&line) {
            continue;
        }
        let sums = match of_case {
            true => serde_json::from_slice(&line).map(|case| Sums::of(case, shards)),
            false => serde_json::from_slice(&line),
        };
        match sums {
            Ok(sums) => each.as_mut().map_or(Ok(()), |each| each(cleaned(sums)))?,
            Err(source) => damaged(CampaignError::Cases { path: path(), line: number, source })?,
        }
    }
    Ok(outline)
}

/// With a signature that can be shown.
fn cleaned(mut sums: Sums) -> Sums {
    for (signature, seen) in std::mem::take(&mut sums.failures) {
        seen.add_to(&mut sums.failures, &shown::line(&signature));
    }
    sums
}

impl Outline {
    /// Takes a line that tells of the campaign as a whole; false if it does not.
    fn take(&mut self, line: &[u8]) -> bool {
        if let Ok(moment) = serde_json::from_slice(line) {
            self.moments.push(moment);
            return true;
        }
        if let Ok(End { ended: at }) = serde_json::from_slice(line) {
            self.moments.push(Moment::Ended { at, until: Vec::new() });
            return true;
        }
        match serde_json::from_slice::<Header>(line) {
            Ok(extended) if extended.is_of(&self.header) => {
                self.header = extended;
                true
            }
            _ => false,
        }
    }
}

/// Reads and checks the line of settings.
fn first_line(path: &Path, line: &[u8]) -> Result<Header, CampaignError> {
    let path = path.to_owned();
    // The version comes first: older ones had no checksums.
    match serde_json::from_slice(line) {
        Ok(Version { version: 2 | VERSION }) => {}
        Ok(Version { version }) => {
            return Err(CampaignError::Version { path, found: version, known: VERSION });
        }
        Err(source) => return Err(CampaignError::Header { path, source }),
    }
    let Some(line) = opened(line) else { return Err(CampaignError::Damaged { path, line: 1 }) };
    let mut header: Header = match serde_json::from_slice(&line) {
        Ok(header) => header,
        Err(source) => return Err(CampaignError::Header { path, source }),
    };
    header.version = VERSION;
    let [shard, shards] = header.shard;
    if !(1..=shards).contains(&shard) || !(1..=SHARDS).contains(&header.shards()) {
        let source = serde::de::Error::custom("no such shard");
        return Err(CampaignError::Header { path, source });
    }
    if header.bins != drra_coverage::fingerprint() {
        return Err(CampaignError::OtherBins { path });
    }
    match header.profile.check() {
        Ok(()) => Ok(header),
        Err(source) => Err(CampaignError::Profile { path, source }),
    }
}

/// The object of a line without its checksum; `None` if the checksum does not fit.
fn opened(line: &[u8]) -> Option<Vec<u8>> {
    // `,"crc":"01234567"}` has 18 characters.
    let (fields, seal) = line.split_at_checked(line.len().checked_sub(18)?)?;
    let sum = seal.strip_prefix(b",\"crc\":\"")?.strip_suffix(b"\"}")?;
    let object = [fields, b"}"].concat();
    (format!("{:08x}", crc32fast::hash(&object)).as_bytes() == sum).then_some(object)
}

/// True if the folder has a journal with a whole first line.
pub fn is_begun(folder: &Path) -> bool {
    let mut first = Vec::new();
    let read = File::open(folder.join(FILE_NAME))
        .and_then(|file| BufReader::new(file).read_until(b'\n', &mut first));
    read.is_ok() && first.ends_with(b"\n")
}

/// How long the campaign of a folder ran, all its parts together. One that was killed ran until the journal was
/// written last.
///
/// # Errors
/// As [`Outline::read`].
pub fn spent(folder: &Path) -> Result<Duration, CampaignError> {
    let path = folder.join(FILE_NAME);
    let written = std::fs::metadata(&path).and_then(|data| data.modified());
    let written = written.map_err(|source| CampaignError::File { path, source })?;
    Ok(moments::spent(&Outline::read(folder)?.moments, written))
}
