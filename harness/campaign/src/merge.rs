// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shards joined into one campaign.

use std::path::Path;
use std::path::PathBuf;

use drra_report::identity::Identity;

use crate::CampaignError;
use crate::journal;
use crate::journal::Header;
use crate::journal::Record;

/// Joins the journals of shards into one campaign. `mix` joins results of different builds, too; the header names
/// them all.
///
/// # Errors
/// If a journal cannot be read, or the journals are not of one campaign. Shards that compared other parts of the
/// state are not joined: their sum would say of no case how much was compared.
pub fn merge(folders: &[PathBuf], mix: bool) -> Result<(Header, Vec<Record>), CampaignError> {
    let mut joined: Option<Header> = None;
    let mut records: Vec<Record> = Vec::new();
    for folder in folders {
        let (mut header, more) = journal::read(folder)?;
        header.shard = [1, 1];
        match &mut joined {
            None => joined = Some(header),
            Some(first) => add(first, &folders[0], &header, folder, mix)?,
        }
        records.extend(more);
    }
    records.sort_by_key(|r| r.case);
    records.dedup_by_key(|r| r.case);
    let header = joined.ok_or(CampaignError::NoFolder)?;
    Ok((header, records))
}

/// Adds the settings of a shard to those of the first one.
fn add(
    first: &mut Header,
    first_folder: &Path,
    header: &Header,
    folder: &Path,
    mix: bool,
) -> Result<(), CampaignError> {
    if !same_settings(first, header) || first.cases != header.cases {
        let of = |folder: &Path, header: &Header| {
            (folder.to_owned(), header.profile.name.clone(), header.seed)
        };
        let first = of(first_folder, first);
        return Err(CampaignError::NotOneCampaign { first, other: of(folder, header) });
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

/// True for headers that differ at most in the number of cases, in the build and in how much of the state it
/// compares.
pub(super) fn same_settings(one: &Header, other: &Header) -> bool {
    let other = Header {
        cases: one.cases,
        compared: one.compared.clone(),
        identity: one.identity.clone(),
        mixed: one.mixed.clone(),
        ..other.clone()
    };
    *one == other
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
