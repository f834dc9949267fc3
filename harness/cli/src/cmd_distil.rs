// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra distil`: a few cases of campaigns that together hit as many bins as they can.

use super::{args::DistilArgs, cmd_cover};
use crate::command_prelude::*;

pub(super) fn run(a: &DistilArgs) -> Result<Exit, CommandError> {
    let (header, tally) = cmd_cover::read(&a.folders, a.mix)?;
    let remedy = "give an empty folder that can be written";
    std::fs::create_dir_all(&a.out).map_err(|e| file(&a.out, e, remedy))?;
    if std::fs::read_dir(&a.out).map_err(|e| file(&a.out, e, remedy))?.next().is_some() {
        return Err(file(&a.out, "the folder is not empty", remedy));
    }
    let chosen = drra_campaign::distil(&tally, &header, a.cases as usize);
    for (number, case) in &chosen.cases {
        save(&a.out.join(format!("case-{number:06}.json")), &drra_case::to_json(case))?;
    }
    let (count, hit, bins) = (chosen.cases.len(), chosen.hit, chosen.bins);
    let share = 100.0 * hit as f64 / bins.max(1) as f64;
    let of = chosen.looked_at;
    say!("{count} cases hit {hit} of the {bins} bins that {of} cases hit ({share:.1} %)")?;
    say!("run them with: drra run {}/*.json", a.out.display())?;
    Ok(Exit::Agreed)
}
