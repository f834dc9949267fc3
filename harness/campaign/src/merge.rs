// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shards joined into one campaign.

use std::path::{Path, PathBuf};

use drra_report::identity::Identity;

use crate::{
    CampaignError, Tally,
    journal::{self, Header, Outline, Record},
    moments::Span,
};

/// The shards of one campaign. Their cases are read one after the other, however many there are.
#[derive(Debug)]
pub struct Shards<'f> {
    folders: &'f [PathBuf],
    /// Settings of the campaign as a whole.
    pub header: Header,
    /// When the first of them began, and the last one ended.
    pub span: Span,
}

impl<'f> Shards<'f> {
    /// The shards in some folders. `mix` takes results of different builds together, too; the header names them all.
    ///
    /// # Errors
    /// If a journal cannot be read, or the journals are not of one campaign. Shards that compared other parts of the
    /// state do not fit together: their sum would say of no case how much was compared.
    pub fn open(folders: &'f [PathBuf], mix: bool) -> Result<Self, CampaignError> {
        let mut joined: Option<Self> = None;
        for folder in folders {
            let outline = Outline::read(folder)?;
            let span = outline.span();
            let header = Header { shard: [1, 1], ..outline.header };
            match &mut joined {
                None => joined = Some(Self { folders, header, span }),
                Some(first) => {
                    add(&mut first.header, &folders[0], &header, folder, mix)?;
                    first.span.join(span);
                }
            }
        }
        joined.ok_or(CampaignError::NoFolder)
    }

    /// Adds up all cases. `each` gets every one of them once, with the folder of its shard.
    ///
    /// # Errors
    /// If a journal cannot be read, and the first error of `each`.
    pub fn read(&self, each: &mut EachOf<'_>) -> Result<Tally, CampaignError> {
        let mut tally = Tally::new(1);
        for folder in self.folders {
            journal::read_each(folder, &mut |record| {
                if tally.has(record.case) {
                    return Ok(());
                }
                tally.add(&record);
                each(folder, &record)
            })?;
        }
        Ok(tally)
    }
}

/// Takes the records of shards, with the folder of the shard.
pub type EachOf<'e> = dyn FnMut(&Path, &Record) -> Result<(), CampaignError> + 'e;

/// Adds the settings of a shard to those of the first one.
fn add(
    first: &mut Header,
    first_folder: &Path,
    header: &Header,
    folder: &Path,
    mix: bool,
) -> Result<(), CampaignError> {
    let mut differing = differing_settings(first, header);
    if first.cases != header.cases {
        differing.push("number of cases");
    }
    if !differing.is_empty() {
        let of = |folder: &Path, header: &Header| {
            (folder.to_owned(), format!("{} with seed {}", header.profile.name, header.seed))
        };
        let (first, other) = (of(first_folder, first), of(folder, header));
        let differing = differing.into();
        return Err(CampaignError::NotOneCampaign { first, other, differing });
    }
    if !mix {
        let other = first_folder.display().to_string();
        let lacks = |known: &Header, one: &&Identity| !known.identities().any(|k| k.fits(one));
        if let Some(one) = first.identities().find(|one| lacks(header, one)) {
            return Err(other_build(folder, header, &other, one));
        }
        if header.identities().any(|one| lacks(first, &one)) {
            return Err(other_build(folder, header, &other, &first.identity));
        }
    }
    first.mix(header.identities());
    if first.compared != header.compared {
        return Err(CampaignError::OtherState {
            folder: folder.to_owned(),
            found: header.compared.share(),
            other: first_folder.display().to_string(),
            compared: first.compared.share(),
        });
    }
    Ok(())
}

/// What makes other cases of the same numbers, and differs between two headers.
pub(super) fn differing_settings(one: &Header, other: &Header) -> Vec<&'static str> {
    let Header { version, fabric, profile, seed, shard, bins, .. } = one;
    let found = [
        ("version", *version != other.version),
        ("fabric", *fabric != other.fabric),
        ("profile", *profile != other.profile),
        ("seed", *seed != other.seed),
        ("shard", *shard != other.shard),
        ("numbers of coverage bins", *bins != other.bins),
    ];
    found.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}

/// The error about a folder that other builds ran than the one that it is to be put together with.
pub(super) fn other_build(
    folder: &Path,
    found: &Header,
    other: &str,
    here: &Identity,
) -> CampaignError {
    let differing = |known: &&Identity| known.differences(here).len();
    let nearest = found.identities().min_by_key(differing).unwrap_or(&found.identity);
    CampaignError::OtherIdentity {
        folder: folder.to_owned(),
        found: nearest.text(),
        other: other.to_owned(),
        here: here.text(),
        differing: nearest.differences(here),
    }
}
