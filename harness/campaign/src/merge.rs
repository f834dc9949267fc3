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
/// If a journal cannot be read, or the journals are not of one campaign. Shards that compared other parts of the
/// state are not joined: their sum would say of no case how much was compared.
pub fn merge(folders: &[PathBuf]) -> Result<(Header, Vec<Record>), CampaignError> {
    let mut joined: Option<Header> = None;
    let mut records: Vec<Record> = Vec::new();
    for folder in folders {
        let (mut header, more) = journal::read(folder)?;
        header.shard = [1, 1];
        match &joined {
            None => joined = Some(header),
            Some(first) if *first == header => {}
            Some(first) if same_but_state(first, &header) => {
                return Err(CampaignError::OtherState {
                    folder: folder.clone(),
                    found: header.compared.share(),
                    other: folders[0].display().to_string(),
                    compared: first.compared.share(),
                });
            }
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

/// True for headers that differ in nothing but how much of the state is compared.
pub(super) fn same_but_state(one: &Header, other: &Header) -> bool {
    let same = Header { compared: one.compared.clone(), ..other.clone() };
    *one == same && one.compared != other.compared
}
