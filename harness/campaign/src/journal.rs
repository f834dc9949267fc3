// SPDX-License-Identifier: MIT OR Apache-2.0
//! The journal of a campaign: one line for its settings, one line for each finished case. Lines are
//! appended as cases finish, in any order; whatever is computed from a journal sorts them first.
//!
//! The line of settings comes again where a continued campaign has more cases than before.
//!
//! A line is a JSON object whose last field is the checksum of the others. One process writes a journal at a
//! time: it holds a lock on the file, which the system takes back when the process ends, however it ends.

use std::fs::File;
use std::fs::OpenOptions;
use std::fs::TryLockError;
use std::io;
use std::io::Read;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;

use drra_generate::Profile;
use drra_report::data::Compared;
use serde::Deserialize;
use serde::Serialize;

use crate::CampaignError;

/// Version of the format that this build reads and writes.
pub const VERSION: u32 = 2;

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
    /// How much of the state the design lets compare; cycles are not counted here.
    pub compared: Compared,
    /// Fingerprint of the coverage bins, whose numbers are in the records.
    pub bins: u64,
}

/// The version alone, whatever else the first line says.
#[derive(Deserialize)]
struct Version {
    version: u32,
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
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "gaps")]
    pub bins: Vec<u32>,
    /// Signature and cycle of the mismatch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<(String, u64)>,
}

/// Ascending numbers as the differences between each and the one before it, which are short.
mod gaps {
    use serde::Deserialize;
    use serde::Deserializer;
    use serde::Serializer;

    pub(super) fn serialize<S: Serializer>(bins: &[u32], to: S) -> Result<S::Ok, S::Error> {
        let before = [0].into_iter().chain(bins.iter().copied());
        to.collect_seq(bins.iter().zip(before).map(|(bin, before)| bin - before))
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<u32>, D::Error> {
        let gaps = Vec::<u32>::deserialize(from)?;
        let sums = gaps.iter().scan(0u32, |sum, gap| {
            *sum = sum.saturating_add(*gap);
            Some(*sum)
        });
        Ok(sums.collect())
    }
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
        lock(&file, &path)?;
        let mut journal = Self { file, path };
        journal.line(header)?;
        Ok(journal)
    }

    /// Continues a journal: drops a torn last line and returns what was read.
    ///
    /// # Errors
    /// As [`read`], and if another process writes it.
    pub fn resume(folder: &Path) -> Result<(Self, Header, Vec<Record>), CampaignError> {
        let path = folder.join(FILE_NAME);
        let error = |source| CampaignError::File { path: path.clone(), source };
        let file = OpenOptions::new().append(true).open(&path).map_err(error)?;
        lock(&file, &path)?;
        let (header, records, whole) = read_file(&path)?;
        file.set_len(whole).map_err(error)?;
        Ok((Self { file, path }, header, records))
    }

    /// Lets the campaign have more cases than before.
    ///
    /// # Errors
    /// If writing fails.
    pub fn extend(&mut self, header: &Header) -> Result<(), CampaignError> {
        self.line(header)
    }

    /// Appends a finished case.
    ///
    /// # Errors
    /// If writing fails.
    pub fn append(&mut self, record: &Record) -> Result<(), CampaignError> {
        self.line(record)
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
fn sealed(object: String) -> String {
    let sum = crc32fast::hash(object.as_bytes());
    let fields = object.strip_suffix('}').expect("an object");
    format!("{fields},\"crc\":\"{sum:08x}\"}}\n")
}

/// The object of a line without its checksum; `None` if the checksum does not fit.
fn opened(line: &[u8]) -> Option<Vec<u8>> {
    // `,"crc":"01234567"}` has 18 characters.
    let (fields, seal) = line.split_at_checked(line.len().checked_sub(18)?)?;
    let sum = seal.strip_prefix(b",\"crc\":\"")?.strip_suffix(b"\"}")?;
    let object = [fields, b"}"].concat();
    (format!("{:08x}", crc32fast::hash(&object)).as_bytes() == sum).then_some(object)
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
    // The version comes first: older ones had no checksums.
    match serde_json::from_slice(first) {
        Ok(Version { version: VERSION }) => {}
        Ok(Version { version }) => return Err(CampaignError::Version { path, found: version }),
        Err(source) => return Err(CampaignError::Header { path, source }),
    }
    let Some(first) = opened(first) else { return Err(CampaignError::Damaged { path, line: 1 }) };
    let mut header: Header = match serde_json::from_slice(&first) {
        Ok(header) => header,
        Err(source) => return Err(CampaignError::Header { path, source }),
    };
    if header.bins != drra_coverage::fingerprint() {
        return Err(CampaignError::OtherBins { path });
    }
    if let Err(source) = header.profile.check() {
        return Err(CampaignError::Profile { path, source });
    }
    let mut records: Vec<Record> = Vec::new();
    for (i, line) in lines.enumerate().filter(|(_, l)| !l.is_empty()) {
        let Some(line) = opened(line) else {
            return Err(CampaignError::Damaged { path, line: i + 2 });
        };
        if let Ok(extended) = serde_json::from_slice::<Header>(&line)
            && (Header { cases: header.cases, ..extended.clone() }) == header
        {
            header = extended;
            continue;
        }
        match serde_json::from_slice(&line) {
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
    use drra_isa::Geometry;
    use drra_lockstep::Account;

    use super::*;

    fn header() -> Header {
        Header {
            version: VERSION,
            fabric: [8, 2, 64, 128],
            profile: Profile::shipped("default").unwrap(),
            seed: 1,
            cases: Some(3),
            shard: [1, 1],
            compared: (&Account::whole(&Geometry::default())).into(),
            bins: drra_coverage::fingerprint(),
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
            bins: vec![3, 4, 20_000],
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
        drop(journal);

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
        let text = std::fs::read_to_string(&path).unwrap() + &sealed("{\"case\":1}".to_owned());
        std::fs::write(&path, text).unwrap();
        let error = read(dir.path()).unwrap_err().to_string();
        assert!(error.contains("journal.jsonl:3: not a finished case"), "{error}");
    }

    /// No flipped bit of any line changes what is read: it is an error that names the line, or makes the last
    /// line a torn one.
    #[test]
    fn a_flipped_bit_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(dir.path(), &header()).unwrap();
        journal.append(&record(0)).unwrap();
        journal.append(&record(1)).unwrap();
        let path = dir.path().join(FILE_NAME);
        let good = std::fs::read(&path).unwrap();
        let line_of = |at: usize| 1 + good[..at].iter().filter(|b| **b == b'\n').count();
        for at in 0..good.len() {
            for bit in [0, 1, 4, 5] {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                std::fs::write(&path, &bad).unwrap();
                match read(dir.path()) {
                    Err(e) => {
                        let place = format!("journal.jsonl:{}:", line_of(at));
                        assert!(e.to_string().contains(&place), "byte {at}, bit {bit}: {e}");
                    }
                    Ok((_, records)) => {
                        assert_eq!(at, good.len() - 1, "byte {at}, bit {bit}");
                        assert_eq!(records, [record(0)], "the last line is torn");
                    }
                }
            }
        }
    }

    /// Two writers would mix their lines.
    #[test]
    fn a_running_campaign_is_not_resumed() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::create(dir.path(), &header()).unwrap();
        let second = Journal::resume(dir.path());
        assert!(matches!(second, Err(CampaignError::Running { .. })), "{second:?}");
        assert!(read(dir.path()).is_ok(), "reading is allowed");
        drop(journal);
        assert!(Journal::resume(dir.path()).is_ok());
    }

    #[test]
    fn a_campaign_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        Journal::create(dir.path(), &header()).unwrap();
        let again = Journal::create(dir.path(), &header());
        assert!(matches!(again, Err(CampaignError::Exists { .. })), "{again:?}");
    }

    /// A bin costs a few bytes, however large its number.
    #[test]
    fn bins_are_written_as_differences() {
        let line = serde_json::to_string(&record(1)).unwrap();
        assert!(line.contains(r#""bins":[3,1,19996]"#), "{line}");
        assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), record(1));
    }

    /// The numbers of bins mean something else in another version.
    #[test]
    fn other_versions_and_bins_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE_NAME);
        std::fs::write(&path, "{\"version\": 1, \"fabric\": [8, 2, 64, 128]}\n").unwrap();
        let error = Journal::resume(dir.path()).unwrap_err();
        assert!(matches!(error, CampaignError::Version { found: 1, .. }), "{error}");
        let other = Header { bins: 5, ..header() };
        std::fs::write(&path, sealed(serde_json::to_string(&other).unwrap())).unwrap();
        let error = read(dir.path()).unwrap_err().to_string();
        assert!(error.ends_with("counts other coverage bins than this program"), "{error}");
    }
}
