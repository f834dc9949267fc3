// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cases of a campaign and the bins that they hit, in a small file that stands for the journal once that is gone.
//!
//! The file begins with two lines as in a journal: the settings, then the sums of all cases, without their bins. A bit
//! for each bin and the checksum of these bits (CRC-32, four bytes, lowest byte first) follow.

use std::{fs, path::Path};

use drra_coverage::Coverage;
use drra_files::write_whole;

use super::{
    FILE_NAME, JournalHeader,
    read::{cleaned, first_line, opened},
    write::sealed,
};
use crate::{
    CampaignError, Tally,
    error::{of_file, unusable},
};

/// Name of the file in the folder of a campaign.
pub const HITS: &str = "hits.bin";

/// Writes the file.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn write(
    folder: &Path,
    header: &JournalHeader,
    tally: &Tally,
) -> Result<(), CampaignError> {
    let line = |text: serde_json::Result<String>| sealed(text.expect("plain data")).into_bytes();
    let sums = line(serde_json::to_string(&tally.sums));
    let bits = tally.coverage.to_bits();
    let sum = crc32fast::hash(&bits).to_le_bytes();
    let path = folder.join(HITS);
    let parts = [line(serde_json::to_string(header)), sums, bits, sum.to_vec()];
    write_whole(&path, &parts.concat()).map_err(of_file(&path))
}

/// Reads the settings and the cases of a folder from its journal or, if there is none, from [`HITS`]: the journal also
/// has the cases that ran since that file was written. Damaged lines of a journal are left out if `damaged` accepts the
/// error.
///
/// # Errors
/// If neither file can be read, the settings are invalid or of other bins, or [`HITS`] is damaged.
pub(crate) fn read_tally(
    folder: &Path,
    damaged: &mut dyn FnMut(CampaignError) -> Result<(), CampaignError>,
) -> Result<(JournalHeader, Tally), CampaignError> {
    let path = folder.join(HITS);
    if folder.join(FILE_NAME).exists() || !path.exists() {
        return Tally::read_whole(folder, damaged).map(|(outline, tally)| (outline.header, tally));
    }
    let data = fs::read(&path).map_err(of_file(&path))?;
    let mut parts = data.splitn(3, |byte| *byte == b'\n');
    let header = first_line(&path, parts.next().unwrap_or_default())?;
    let mut rest = || {
        let sums = serde_json::from_slice(&opened(parts.next()?)?).ok()?;
        let (bits, sum) = parts.next()?.split_last_chunk()?;
        let intact = crc32fast::hash(bits).to_le_bytes() == *sum;
        Some((sums, Coverage::from_bits(bits).filter(|_| intact)?))
    };
    let (sums, coverage) = rest().ok_or_else(|| {
        let message = format!("{}: damaged file: wrong checksum", path.display());
        unusable(message, "copy the file again, or leave this folder out")
    })?;
    let mut tally = Tally::new(header.shards());
    tally.add(&cleaned(sums));
    tally.coverage = coverage;
    Ok((header, tally))
}
