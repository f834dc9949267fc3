// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra distil`: selects a few cases of campaigns that together kill as many mutants and hit as many bins as possible.

use std::collections::BTreeMap;

use drra_campaign::{CampaignCase, Tally, journal::JournalHeader};
use drra_files::{check_new_folder, shell};
use drra_mutate::record::{self, MutationPlan};
use drra_results::summary::profile_argument;

use super::{args::DistilArgs, cmd_cover, cmd_fuzz};
use crate::command_prelude::*;

pub(super) fn run(a: &DistilArgs, build: &Build) -> Result<Exit, CommandError> {
    let campaigns = cmd_cover::read(&a.folders, a.mix)?.campaigns;
    let mut builds = campaigns.iter().flat_map(|(header, _)| header.identities());
    if builds.any(|by| by.program != build.sources) {
        note!(
            "warning: other builds ran some of these cases, which may differ in this one, and fail"
        );
    }
    let kills = a.mutation.as_ref().map(|folder| kills(folder, &campaigns, build)).transpose()?;
    let kills = kills.unwrap_or_default();
    check_new_folder(&a.out)
        .and_then(|()| std::fs::create_dir_all(&a.out))
        .map_err(|e| file(&a.out, e, "give an empty, writable folder"))?;
    let chosen = drra_campaign::distil(&campaigns, a.cases as usize, &kills);
    for ((campaign, number), case) in &chosen.cases {
        let name = match campaigns.len() {
            1 => format!("case-{number:06}.json"),
            _ => format!("case-{}-{number:06}.json", campaign + 1),
        };
        save(&a.out.join(name), &drra_case::to_json(case))?;
    }
    let (count, hit, bins) = (chosen.cases.len(), chosen.hit, chosen.bins);
    let share = 100.0 * hit as f64 / bins.max(1) as f64;
    let of = chosen.examined;
    say!("{count} cases hit {hit} of the {bins} bins that {of} cases hit ({share:.1} %)")?;
    if a.mutation.is_some() {
        let all: usize = kills.values().map(Vec::len).sum();
        let killed = chosen.killed;
        say!("of the {all} killed mutants, {killed} were first killed by one of these cases")?;
    }
    say!("run them with: drra run {}/*.json", shell::path(&a.out))?;
    Ok(Exit::Agreed)
}

/// The mutants that cases of the campaigns killed in a mutation run with the same profile, seed and fabric size.
fn kills(
    folder: &Path,
    campaigns: &[(JournalHeader, Tally)],
    build: &Build,
) -> Result<BTreeMap<CampaignCase, Vec<u32>>, CommandError> {
    let MutationPlan { profile, seed, fabrics, .. } = MutationPlan::read(folder)?;
    let campaign = |fabric: &String| {
        let size = Some(fabric.parse().ok()?);
        let profile = cmd_fuzz::read_profile(&profile, size, build.sizes).ok()?;
        let same = |of: &JournalHeader| of.seed == seed && of.profile == profile;
        Some((fabric.clone(), campaigns.iter().position(|(header, _)| same(header))?))
    };
    let places: BTreeMap<String, usize> = fabrics.iter().filter_map(campaign).collect();
    if places.is_empty() {
        let size = fabrics.first().map_or("SIZE", String::as_str);
        let of_profile = cmd_fuzz::profile_file(&profile);
        let profile = profile_argument(&profile, of_profile.as_deref());
        let cases = format!("--profile {profile} --seed {seed} --fabric {size}");
        let remedy =
            format!("give a campaign that has the cases of this mutation run: drra fuzz {cases}");
        return Err(file(
            folder,
            "this mutation run did not use the cases of these campaigns",
            remedy,
        ));
    }
    let mut kills: BTreeMap<CampaignCase, Vec<u32>> = BTreeMap::new();
    for (mutant, fabric, case) in record::kills(folder)? {
        if let Some(place) = places.get(&fabric) {
            kills.entry((*place, case)).or_default().push(mutant);
        }
    }
    Ok(kills)
}
