// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra distil`: selects a few cases of campaigns that together kill as many mutants and hit as many bins as possible.

use std::collections::BTreeMap;

use drra_campaign::journal::JournalHeader;
use drra_files::{check_new_folder, shell};
use drra_mutate::record::{self, MutationPlan};
use drra_results::summary::profile_argument;

use super::{args::DistilArgs, cmd_cover, cmd_fuzz};
use crate::command_prelude::*;

pub(super) fn run(a: &DistilArgs, build: &Build) -> Result<Exit, CommandError> {
    let (header, tally) = cmd_cover::read(&a.folders, a.mix)?;
    let kills = a.mutation.as_ref().map(|folder| kills(folder, &header, build)).transpose()?;
    let kills = kills.unwrap_or_default();
    check_new_folder(&a.out)
        .and_then(|()| std::fs::create_dir_all(&a.out))
        .map_err(|e| file(&a.out, e, "give an empty, writable folder"))?;
    let chosen = drra_campaign::distil(&tally, &header, a.cases as usize, &kills);
    for (number, case) in &chosen.cases {
        save(&a.out.join(format!("case-{number:06}.json")), &drra_case::to_json(case))?;
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

/// The mutants that cases of a campaign killed in a mutation run with the same profile, seed and fabric size.
fn kills(
    folder: &Path,
    header: &JournalHeader,
    build: &Build,
) -> Result<BTreeMap<u64, Vec<u32>>, CommandError> {
    let MutationPlan { profile, seed, fabrics, .. } = MutationPlan::read(folder)?;
    let of_campaign = |fabric: &str| {
        let size = fabric.parse().ok();
        let profile = cmd_fuzz::read_profile(&profile, size, build.sizes);
        size.is_some() && seed == header.seed && profile.is_ok_and(|p| p == header.profile)
    };
    let Some(size) = fabrics.iter().find(|fabric| of_campaign(fabric)) else {
        let size = fabrics.first().map_or("SIZE", String::as_str);
        let of_profile = cmd_fuzz::profile_file(&profile);
        let profile = profile_argument(&profile, of_profile.as_deref());
        let cases = format!("--profile {profile} --seed {seed} --fabric {size}");
        let remedy =
            format!("give a campaign that has the cases of this mutation run: drra fuzz {cases}");
        return Err(file(
            folder,
            "this mutation run did not use the cases of the campaign",
            remedy,
        ));
    };
    let mut kills: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for (mutant, _, case) in
        record::kills(folder)?.into_iter().filter(|(_, fabric, _)| fabric == size)
    {
        kills.entry(case).or_default().push(mutant);
    }
    Ok(kills)
}
