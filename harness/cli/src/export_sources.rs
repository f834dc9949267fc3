// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cases to export: the cases of a campaign or of a profile, or the files in a folder.

use std::collections::BTreeMap;

use drra_campaign::{CampaignCases, Tally, case_seed, journal};
use drra_case::{Case, load::ProgramInputs};
use drra_files::stem;
use drra_generate::Profile;
use drra_isa::Geometry;
use drra_recorded::export::MANIFEST;

use super::{program, suggest};
use crate::command_prelude::*;

/// Cases of one fabric size, which share a test bench. The cases are generated or read one by one.
pub(super) struct ExportCases {
    /// Size of the fabric.
    pub(super) size: Geometry,
    listed: CaseList,
}

/// The cases to export.
enum CaseList {
    /// Cases of a campaign or of a profile, by number.
    Campaign(Box<CampaignCases>, Vec<u64>),
    /// Files with their unique names.
    Files(Vec<(String, PathBuf)>),
}

impl ExportCases {
    /// The cases in the journal of a campaign, or else the cases in the files and subfolders of a folder. Without
    /// `size`, the cases have the default size or, if the profile of the campaign does not have that size, the largest
    /// size of the profile.
    pub(super) fn of(
        folder: &Path,
        size: Option<Geometry>,
        default: &Geometry,
    ) -> Result<Self, CommandError> {
        if folder.join(journal::FILE_NAME).exists() {
            return campaign(folder, size, default);
        }
        Ok(Self { size: size.unwrap_or(*default), listed: CaseList::Files(files(folder)?) })
    }

    /// Generated cases of a profile, which must be for one size.
    pub(super) fn generated(profile: Profile, seed: u64, cases: usize) -> Self {
        let size = profile.fabrics.sizes()[0];
        let (cases, numbers) = (CampaignCases::new(profile, seed), (0..cases as u64).collect());
        Self { size, listed: CaseList::Campaign(Box::new(cases), numbers) }
    }

    /// Number of cases.
    pub(super) fn len(&self) -> usize {
        match &self.listed {
            CaseList::Campaign(_, numbers) => numbers.len(),
            CaseList::Files(files) => files.len(),
        }
    }

    /// Keeps at most `len` cases.
    pub(super) fn truncate(&mut self, len: usize) {
        match &mut self.listed {
            CaseList::Campaign(_, numbers) => numbers.truncate(len),
            CaseList::Files(files) => files.truncate(len),
        }
    }

    /// Name, case and origin (for errors) of the case at a position.
    pub(super) fn case(&self, position: usize) -> Result<(String, Case, PathBuf), CommandError> {
        match &self.listed {
            CaseList::Campaign(cases, numbers) => {
                let name = format!("case-{:06}", numbers[position]);
                Ok((name.clone(), cases.case(numbers[position]), PathBuf::from(name)))
            }
            CaseList::Files(files) => {
                let (name, path) = &files[position];
                let case = program::read_for_programs(path, &ProgramInputs::default(), &self.size)?;
                if case.geometry != self.size {
                    let what = format!("case for fabric {}, expected {}", case.geometry, self.size);
                    let help = format!(
                        "put the cases of each size into a separate folder, and export with --fabric {}",
                        case.geometry
                    );
                    return Err(file(path, what, help));
                }
                Ok((name.clone(), case, path.clone()))
            }
        }
    }
}

fn campaign(
    folder: &Path,
    size: Option<Geometry>,
    default: &Geometry,
) -> Result<ExportCases, CommandError> {
    let (outline, tally) = Tally::read(folder)?;
    let header = outline.header;
    let sizes = header.profile.fabrics.sizes();
    let unasked = sizes.iter().find(|size| *size == default).or(sizes.last());
    let size = size.or(unasked.copied()).unwrap_or_default();
    let of = |case: u64| header.profile.fabrics.of(case_seed(header.seed, case));
    let mut numbers: Vec<u64> = tally.numbers().filter(|case| of(*case) == size).collect();
    numbers.sort_unstable();
    let names = sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if numbers.is_empty() {
        let what = format!("the campaign has no cases for fabric {size}");
        return Err(file(folder, what, format!("give --fabric with one of: {names}")));
    }
    let others = tally.cases() - numbers.len() as u64;
    if others > 0 {
        note!(
            "note: {others} cases for other fabric sizes are left out; export them with --fabric ({names})"
        );
    }
    let cases = CampaignCases::new(header.profile, header.seed);
    Ok(ExportCases { size, listed: CaseList::Campaign(Box::new(cases), numbers) })
}

fn files(folder: &Path) -> Result<Vec<(String, PathBuf)>, CommandError> {
    let remedy =
        suggest::campaigns(folder, ", or one with cases (.json) and programs (.sasm, .bin)");
    let mut files: BTreeMap<String, PathBuf> = BTreeMap::new();
    for path in entries(folder, &remedy)? {
        if path.file_name().is_some_and(|name| name == MANIFEST) {
            continue;
        }
        let (name, path) = match path.extension().and_then(|e| e.to_str()) {
            Some("json" | "sasm" | "bin") if path.is_file() => (stem(&path), path.clone()),
            _ if path.join("case.json").is_file() => {
                let name = path.file_name().unwrap_or_default();
                (name.to_string_lossy().into_owned(), path.join("case.json"))
            }
            _ => continue,
        };
        if let Some(other) = files.get(&name) {
            let what =
                format!("this file and {} would both be exported to {name}", other.display());
            return Err(file(&path, what, "rename one of the two"));
        }
        files.insert(name, path);
    }
    if files.is_empty() {
        return Err(file(folder, "this folder contains no campaign, cases or programs", remedy));
    }
    Ok(files.into_iter().collect())
}
