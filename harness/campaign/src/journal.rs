// SPDX-License-Identifier: MIT OR Apache-2.0
//! The journal of a campaign: one line for its settings, one line for each finished case. Lines are
//! appended as cases finish, in any order; whatever is computed from a journal sorts them first.
//!
//! The line of settings comes again where a continued campaign has more cases than before, or is mixed with results
//! of another build. Lines of their own tell when its parts began and ended.
//!
//! A line is a JSON object whose last field is the checksum of the others. One process writes a journal at a
//! time: it holds a lock on the file, which the system takes back when the process ends, however it ends.

mod read;

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
};

use drra_generate::Profile;
use drra_isa::Geometry;
use drra_lockstep::Compared;
use drra_report::identity::Identity;
use serde::{Deserialize, Serialize};

use crate::{
    CampaignError,
    moments::{self, Moment},
};
use read::read_file;
pub use read::spent;
pub use read::{Each, Outline, is_begun, read, read_each};

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
    /// Columns, tile rows, register file words, blocks per tile; of the largest fabric, if the profile has several.
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
    /// What the campaign was begun with.
    #[serde(default)]
    pub identity: Identity,
    /// Other builds whose results were mixed into it on purpose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixed: Vec<Identity>,
}

impl Header {
    /// Those that differ in their number of cases and in the builds that ran them have cases of one campaign.
    fn is_of(&self, other: &Self) -> bool {
        let (cases, mixed) = (other.cases, other.mixed.clone());
        Self { cases, mixed, ..self.clone() } == *other
    }

    /// The builds that ran the campaign.
    pub fn identities(&self) -> impl Iterator<Item = &Identity> {
        std::iter::once(&self.identity).chain(&self.mixed)
    }

    /// Mixes in the results of other builds; true if there is one that was not among them.
    pub fn mix<'a>(&mut self, others: impl IntoIterator<Item = &'a Identity>) -> bool {
        let before = self.mixed.len();
        for other in others {
            if !self.identities().any(|known| known.fits(other)) {
                self.mixed.push(other.clone());
            }
        }
        self.mixed.len() > before
    }
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
    /// Size of its fabric, where the profile names sizes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fabric: Option<Geometry>,
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
    use serde::{Deserialize, Deserializer, Serializer};

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
    /// Starts a journal in a folder, which is made if it does not exist. One without a whole first line, which a
    /// process leaves that is killed at once, is started again.
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
        let mut options = OpenOptions::new();
        options.append(true);
        let file = match options.clone().create_new(true).open(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && !is_begun(folder) => {
                options.open(&path).map_err(error)?
            }
            opened => opened.map_err(error)?,
        };
        lock(&file, &path)?;
        if is_begun(folder) {
            return Err(CampaignError::Running { path });
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
        let mut outline = read_file(&path, Some(each))?;
        file.set_len(outline.whole).map_err(error)?;
        let mut journal = Self { file, path };
        if let Some(Moment::Started(_)) = outline.moments.last() {
            // The part before this one was killed.
            let ended = Moment::Ended(moments::text(written));
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

#[cfg(test)]
mod tests;
