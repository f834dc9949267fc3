// SPDX-License-Identifier: MIT OR Apache-2.0
//! The journal of a campaign: one line for its settings, one line for each finished case. Lines are
//! appended as cases finish, in any order; whatever is computed from a journal sorts them first.

use std::fs::File;
use std::fs::OpenOptions;
use std::io;
use std::io::Read;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;

use drra_generate::Profile;
use serde::Deserialize;
use serde::Serialize;

use crate::CampaignError;

/// Version of the format that this build reads and writes.
pub const VERSION: u32 = 1;

/// Name of the file in the folder of a campaign.
pub const FILE_NAME: &str = "journal.jsonl";

/// First line: what makes the cases of a campaign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Version of the format.
    pub version: u32,
    /// Columns, tile rows, register file words, blocks per tile.
    pub fabric: [usize; 4],
    /// Profile of the generator, resolved.
    pub profile: Profile,
    /// Seed of the campaign.
    pub seed: u64,
    /// Cases of the whole campaign, all shards together; `None`: as many as the time allows.
    pub cases: Option<u64>,
    /// This shard and the number of shards, counted from 1.
    pub shard: [u64; 2],
}

/// One finished case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Number of the case in the campaign.
    pub case: u64,
    /// Cycles compared.
    pub cycles: u64,
    /// Instructions decoded.
    pub instructions: u64,
    /// Instructions in the programs: kinds in the order of the description, raw words last.
    pub kinds: Vec<u64>,
    /// Changes that the constraints of the profile asked for, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<u64>,
    /// Intended and achieved transfers, results and write-backs, where that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<[[u64; 2]; 3]>,
    /// Coverage bins that this case hits and that the worker had seen less than twice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bins: Vec<u32>,
    /// Signature and cycle of the mismatch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<(String, u64)>,
}

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Starts a journal in a folder, which is made if it does not exist.
    ///
    /// # Errors
    /// If the folder holds one already, or writing fails.
    pub fn create(folder: &Path, header: &Header) -> Result<Self, CampaignError> {
        let path = folder.join(FILE_NAME);
        let error = |source: io::Error| match source.kind() {
            io::ErrorKind::AlreadyExists => CampaignError::Exists { path: path.clone(), source },
            _ => CampaignError::File { path: path.clone(), source },
        };
        std::fs::create_dir_all(folder).map_err(error)?;
        let file = OpenOptions::new().write(true).create_new(true).open(&path).map_err(error)?;
        let mut journal = Self { file, path };
        journal.line(header)?;
        Ok(journal)
    }

    /// Continues a journal: drops a torn last line and returns what was read.
    ///
    /// # Errors
    /// As [`read`].
    pub fn resume(folder: &Path) -> Result<(Self, Header, Vec<Record>), CampaignError> {
        let path = folder.join(FILE_NAME);
        let (header, records, whole) = read_file(&path)?;
        let error = |source| CampaignError::File { path: path.clone(), source };
        let file = OpenOptions::new().append(true).open(&path).map_err(error)?;
        file.set_len(whole).map_err(error)?;
        Ok((Self { file, path }, header, records))
    }

    /// Appends a finished case.
    ///
    /// # Errors
    /// If writing fails.
    pub fn append(&mut self, record: &Record) -> Result<(), CampaignError> {
        self.line(record)
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), CampaignError> {
        let mut text = serde_json::to_string(value).expect("plain data");
        text.push('\n');
        self.file
            .write_all(text.as_bytes())
            .map_err(|source| CampaignError::File { path: self.path.clone(), source })
    }
}

/// Reads the journal of a folder. Records come in the order of their cases; a torn last line, and
/// a second line for the same case, do not count.
///
/// # Errors
/// If the file cannot be read, or a line before the last one is not what it should be.
pub fn read(folder: &Path) -> Result<(Header, Vec<Record>), CampaignError> {
    let (header, records, _) = read_file(&folder.join(FILE_NAME))?;
    Ok((header, records))
}

/// As [`read`], with the number of bytes of whole lines.
fn read_file(path: &Path) -> Result<(Header, Vec<Record>, u64), CampaignError> {
    let mut text = Vec::new();
    File::open(path)
        .and_then(|mut f| f.read_to_end(&mut text))
        .map_err(|source| CampaignError::File { path: path.to_owned(), source })?;
    let path = path.to_owned();
    let whole = text.iter().rposition(|b| *b == b'\n').map_or(0, |p| p + 1);
    let mut lines = text[..whole].split(|b| *b == b'\n');
    let first = lines.next().unwrap_or_default();
    let header: Header = match serde_json::from_slice(first) {
        Ok(header) => header,
        Err(source) => return Err(CampaignError::Header { path, source }),
    };
    if header.version != VERSION {
        return Err(CampaignError::Version { path, found: header.version });
    }
    if let Err(source) = header.profile.check() {
        return Err(CampaignError::Profile { path, source });
    }
    let mut records: Vec<Record> = Vec::new();
    for (i, line) in lines.enumerate().filter(|(_, l)| !l.is_empty()) {
        match serde_json::from_slice(line) {
            Ok(record) => records.push(record),
            Err(source) => return Err(CampaignError::Record { path, line: i + 2, source }),
        }
    }
    records.sort_by_key(|r| r.case);
    records.dedup_by_key(|r| r.case);
    Ok((header, records, whole as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            version: VERSION,
            fabric: [8, 2, 64, 128],
            profile: Profile::shipped("default").unwrap(),
            seed: 1,
            cases: Some(3),
            shard: [1, 1],
        }
    }

    fn record(case: u64) -> Record {
        Record {
            case,
            cycles: 100 + case,
            instructions: 10,
            kinds: vec![1, 2],
            replaced: Vec::new(),
            moved: None,
            bins: vec![3, 4],
            failure: None,
        }
    }

    #[test]
    fn a_torn_line_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(dir.path(), &header()).unwrap();
        journal.append(&record(1)).unwrap();
        journal.append(&record(0)).unwrap();
        let path = dir.path().join(FILE_NAME);
        let mut text = std::fs::read(&path).unwrap();
        text.extend_from_slice(b"{\"case\": 2, \"cyc");
        std::fs::write(&path, text).unwrap();

        let (mut journal, read_header, records) = Journal::resume(dir.path()).unwrap();
        assert_eq!(read_header, header());
        assert_eq!(records, [record(0), record(1)]);
        journal.append(&record(2)).unwrap();
        assert_eq!(read(dir.path()).unwrap().1, [record(0), record(1), record(2)]);
    }

    #[test]
    fn damage_inside_is_an_error_with_its_line() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(dir.path(), &header()).unwrap();
        journal.append(&record(0)).unwrap();
        let path = dir.path().join(FILE_NAME);
        let text = std::fs::read_to_string(&path).unwrap() + "{}\n";
        std::fs::write(&path, text).unwrap();
        let error = read(dir.path()).unwrap_err().to_string();
        assert!(error.contains("journal.jsonl:3: not a finished case"), "{error}");
    }

    #[test]
    fn a_campaign_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        Journal::create(dir.path(), &header()).unwrap();
        let again = Journal::create(dir.path(), &header());
        assert!(matches!(again, Err(CampaignError::Exists { .. })), "{again:?}");
    }
}
