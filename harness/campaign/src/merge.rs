// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shards joined into one campaign.

use std::path::Path;
use std::path::PathBuf;

use crate::CampaignError;
use crate::journal;
use crate::journal::Header;
use crate::journal::Record;

/// Joins the journals of shards into one campaign.
///
/// # Errors
/// If a journal cannot be read, or the journals are not of one campaign.
pub fn merge(folders: &[PathBuf]) -> Result<(Header, Vec<Record>), CampaignError> {
    let mut joined: Option<Header> = None;
    let mut records: Vec<Record> = Vec::new();
    for folder in folders {
        let (mut header, more) = journal::read(folder)?;
        header.shard = [1, 1];
        match &joined {
            None => joined = Some(header),
            Some(first) if *first == header => {}
            Some(first) => {
                let of = |folder: &Path, header: &Header| {
                    (folder.to_owned(), header.profile.name.clone(), header.seed)
                };
                let first = of(&folders[0], first);
                return Err(CampaignError::NotOneCampaign { first, other: of(folder, &header) });
            }
        }
        records.extend(more);
    }
    records.sort_by_key(|r| r.case);
    records.dedup_by_key(|r| r.case);
    let header = joined.ok_or(CampaignError::NoFolder)?;
    Ok((header, records))
}
