// SPDX-License-Identifier: MIT OR Apache-2.0
//! Merges shards into one campaign.

use std::path::{Path, PathBuf};

use drra_results::identity::CampaignIdentity;

use crate::{
    AddOutcome, CampaignError, Tally,
    error::{differ, other_state, unusable},
    journal::{self, FILE_NAME, JournalHeader},
    sums::CaseSums,
    timestamps::TimeRange,
};

/// Remedy if there is nothing to merge.
const NO_CAMPAIGN: &str =
    "give the folder of a campaign; to start a new one, give a writable folder";

/// The shards of one campaign. The cases are streamed, so the use of memory does not grow with their number.
#[derive(Debug)]
pub struct Shards<'f> {
    /// Merged campaigns come first, because one line of their sums may include the cases of several other folders.
    folders: Vec<&'f Path>,
    /// Settings of the campaign as a whole.
    pub header: JournalHeader,
    /// The times at which the first shard started and the last shard ended.
    pub range: TimeRange,
    /// Damaged or partly overlapping parts, which are left out.
    pub damage: Vec<CampaignError>,
}

impl<'f> Shards<'f> {
    /// Opens the shards in some folders. `mix` accepts results of different builds; the header names all of these
    /// builds.
    ///
    /// # Errors
    /// If a file cannot be read, if no journal has valid settings, if the journals belong to different campaigns or,
    /// without `mix`, to different builds, or if the shards compared different parts of the state, because the
    /// comparison coverage of their cases would then be unknown.
    pub fn open(folders: &'f [PathBuf], mix: bool) -> Result<Self, CampaignError> {
        let (mut read, mut damage) = (Vec::new(), Vec::new());
        for folder in folders {
            match journal::read_file(&folder.join(FILE_NAME), None, &mut |_| Ok(())) {
                Ok(outline) => read.push((folder.as_path(), outline)),
                // A journal is useless without its settings.
                Err(e @ CampaignError::Settings { .. }) => damage.push(e),
                Err(e) => return Err(e),
            }
        }
        read.sort_by_key(|(_, outline)| outline.header.joined.is_none());
        let Some((first, outline)) = read.first() else {
            let nothing = || unusable("no folders to merge".to_owned(), NO_CAMPAIGN);
            return Err(damage.pop().unwrap_or_else(nothing));
        };
        let mut header = JournalHeader { shard: [1, 1], ..outline.header.clone() };
        header.joined = Some(outline.header.shards());
        let mut range = TimeRange::default();
        for (folder, outline) in &read {
            add(&mut header, first, &outline.header, folder, mix)?;
            range.join(outline.range());
        }
        let folders = read.into_iter().map(|(folder, _)| folder).collect();
        Ok(Self { folders, header, range, damage })
    }

    /// Adds up all cases; damaged or partly overlapping parts are left out and added to [`damage`](Self::damage).
    /// `on_shard` receives each folder, with the sums of the cases that no earlier folder contains.
    ///
    /// # Errors
    /// If a journal cannot be read, or `on_shard` fails.
    pub fn read(&mut self, on_shard: &mut ShardHandler<'_>) -> Result<Tally, CampaignError> {
        let mut tally = Tally::new(self.header.shards());
        for folder in &self.folders {
            let (mut part, mut cases) = (CaseSums::default(), 0);
            let mut take = |sums: CaseSums| {
                match tally.add(&sums) {
                    AddOutcome::New => part.add(&sums),
                    AddOutcome::Known => {}
                    AddOutcome::Overlap => cases += sums.cases.count(),
                }
                Ok(())
            };
            let mut damaged = |e| {
                self.damage.push(e);
                Ok(())
            };
            let path = folder.join(FILE_NAME);
            let outline = journal::read_file(&path, Some(&mut take), &mut damaged)?;
            if cases > 0 {
                let message = format!(
                    "{}: {cases} cases are left out, because their sums include cases of another folder",
                    folder.display()
                );
                let remedy = "merge each folder once, without those that a merged one includes";
                self.damage.push(unusable(message, remedy));
            }
            for (shard, cases) in outline.ends() {
                let end = tally.ends.entry(shard).or_default();
                *end = cases.max(*end);
            }
            on_shard(folder, &part)?;
        }
        Ok(tally)
    }
}

/// Receives the folder of a shard and the sums of its cases.
pub type ShardHandler<'e> = dyn FnMut(&Path, &CaseSums) -> Result<(), CampaignError> + 'e;

/// Checks that a shard matches the first shard, and adds its build.
fn add(
    first: &mut JournalHeader,
    first_folder: &Path,
    header: &JournalHeader,
    folder: &Path,
    mix: bool,
) -> Result<(), CampaignError> {
    let whole = JournalHeader { shard: [1, 1], ..header.clone() };
    let mut differing = differing_settings(first, &whole);
    if first.shards() != header.shards() {
        differing.push("number of shards");
    }
    if first.cases != header.cases {
        differing.push("number of cases");
    }
    if !differing.is_empty() {
        let name = |of: &JournalHeader| format!("{} with seed {}", of.profile.name, of.seed);
        let message = format!(
            "{}: {} is a different campaign from {} in {}: {}",
            folder.display(),
            name(header),
            name(first),
            first_folder.display(),
            differ(&differing)
        );
        return Err(unusable(message, "give the folders of shards of one campaign"));
    }
    if !mix {
        check_builds(first, first_folder, header, folder)?;
    }
    first.mix(header.identities());
    if first.compared != header.compared {
        let other = first_folder.display().to_string();
        return Err(other_state(folder, &header.compared, &other, &first.compared));
    }
    Ok(())
}

/// Checks that the same builds ran both parts.
pub(super) fn check_builds(
    first: &JournalHeader,
    first_folder: &Path,
    header: &JournalHeader,
    folder: &Path,
) -> Result<(), CampaignError> {
    let other = first_folder.display().to_string();
    let lacks =
        |known: &JournalHeader, one: &&CampaignIdentity| !known.identities().any(|k| k.fits(one));
    if let Some(one) = first.identities().find(|one| lacks(header, one)) {
        return Err(other_build(folder, header, &other, one));
    }
    if header.identities().any(|one| lacks(first, &one)) {
        return Err(other_build(folder, header, &other, &first.identity));
    }
    Ok(())
}

/// The names of the settings that differ, although all parts of a campaign must agree in them.
pub(super) fn differing_settings(one: &JournalHeader, other: &JournalHeader) -> Vec<&'static str> {
    let JournalHeader { version, fabric, profile, seed, shard, bins, first_only, .. } = one;
    let found = [
        ("version", *version != other.version),
        ("fabric", *fabric != other.fabric),
        ("profile", *profile != other.profile),
        ("seed", *seed != other.seed),
        ("shard", *shard != other.shard),
        ("numbering of coverage bins", *bins != other.bins),
        ("--first-only", *first_only != other.first_only),
    ];
    found.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}

/// The error for combining a folder with the results of a different build.
pub(super) fn other_build(
    folder: &Path,
    found: &JournalHeader,
    other: &str,
    here: &CampaignIdentity,
) -> CampaignError {
    let differing = |known: &&CampaignIdentity| known.differences(here).len();
    let nearest = found.identities().min_by_key(differing).unwrap_or(&found.identity);
    let mut differing = nearest.differences(here);
    differing.retain(|item| *item != "profile"); // not part of a build
    let message = format!(
        "{}: run with {}, but {other} is {} ({})",
        folder.display(),
        nearest.text(),
        here.text(),
        differ(&differing)
    );
    let remedy = "run the campaign again with one build, or add --mix to accept all builds (they are recorded)";
    unusable(message, remedy)
}
