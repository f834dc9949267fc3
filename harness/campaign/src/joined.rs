// SPDX-License-Identifier: MIT OR Apache-2.0
//! The coverage of several campaigns: of other seeds, profiles, fabric sizes or nights.

use std::{mem, path::PathBuf};

use drra_coverage::Coverage;

use crate::{
    CampaignError, Tally,
    journal::{self, JournalHeader},
    merge::check_builds,
};

/// Several campaigns and the bins that they hit together.
#[derive(Clone, Debug, Default)]
pub struct JoinedCampaigns {
    /// The settings and cases of each campaign, without its bins, in the order of the folders. Folders with the same
    /// profile, seed, fabric sizes and number of shards are parts of one campaign, whose cases count once.
    pub campaigns: Vec<(JournalHeader, Tally)>,
    /// The bins that the campaigns hit.
    pub coverage: Coverage,
}

impl JoinedCampaigns {
    /// Reads campaigns from their journals or, if they have none, from their files of hit bins. `mix` accepts results
    /// of different builds; the profile is not part of the build. Damaged lines of a journal are left out if `damaged`
    /// accepts the error.
    ///
    /// # Errors
    /// If a folder cannot be read, or its bins are not those of this program or, without `mix`, if the builds differ.
    pub fn read(
        folders: &[PathBuf],
        mix: bool,
        damaged: &mut dyn FnMut(CampaignError) -> Result<(), CampaignError>,
    ) -> Result<Self, CampaignError> {
        let mut joined = Self::default();
        for folder in folders {
            let (header, mut tally) = journal::read_tally(folder, damaged)?;
            if let Some((first, _)) = joined.campaigns.first().filter(|_| !mix) {
                check_builds(first, &folders[0], &header, folder)?;
            }
            joined.coverage.join(&mem::take(&mut tally.coverage));
            let same = |of: &JournalHeader| {
                (&of.profile, of.fabric, of.seed, of.shards())
                    == (&header.profile, header.fabric, header.seed, header.shards())
            };
            match joined.campaigns.iter_mut().find(|(known, _)| same(known)) {
                Some((_, known)) => known.join(&tally),
                None => joined.campaigns.push((header, tally)),
            }
        }
        Ok(joined)
    }

    /// Number of cases of all campaigns.
    pub fn cases(&self) -> u64 {
        self.campaigns.iter().map(|(_, tally)| tally.cases()).sum()
    }
}
