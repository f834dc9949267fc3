// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra cover --make`: finds a case that hits a bin.

use drra_coverage::{Covergroup, groups};

use super::{args::CoverArgs, cmd_fuzz, suggest};
use crate::command_prelude::*;

/// Number of cases to try.
const TRIES: u64 = 2000;

/// Writes a case that hits the bin, if one is found.
pub(super) fn run(name: &str, a: &CoverArgs, build: &Build) -> Result<Exit, CommandError> {
    let (group, bin) = bin(name)?;
    if let Some(ignored) = group.ignored(bin) {
        return Err(usage(format!("{name}: no case can hit this bin"), ignored.reason.as_str()));
    }
    let profile = cmd_fuzz::profile(&a.profile, None, build)?;
    let Some((number, case)) = drra_campaign::case_hitting(&profile, group, bin, TRIES) else {
        say!("{name}: not hit by {TRIES} cases of profile {}", profile.name)?;
        return Ok(Exit::Mismatch);
    };
    save(&a.out, &drra_case::to_json(&case))?;
    say!("{name}: hit by {} (attempt {number})", a.out.display())?;
    Ok(Exit::Agreed)
}

/// A covergroup by its name.
pub(super) fn group(name: &str) -> Result<&'static Covergroup, CommandError> {
    groups().iter().find(|group| group.name == name).ok_or_else(|| {
        let names: Vec<&str> = groups().iter().map(|group| group.name.as_str()).collect();
        let similar = suggest::did_you_mean(name, names.iter().copied());
        let remedy = format!("{similar}the covergroups are: {}", names.join(", "));
        usage(format!("there is no covergroup {name}"), remedy)
    })
}

/// Finds a bin by the name that `drra cover` prints. Returns its group, and its number in the group.
fn bin(name: &str) -> Result<(&'static Covergroup, usize), CommandError> {
    let Some((of, label)) = name.split_once(": ") else {
        let remedy = "give GROUP: BIN, as printed by drra cover";
        return Err(usage(format!("{name} is not a bin"), remedy));
    };
    let group = group(of)?;
    let bin = group.bins().find(|bin| group.label(*bin) == label);
    bin.map(|bin| (group, bin)).ok_or_else(|| {
        let labels: Vec<String> = group.bins().map(|bin| group.label(bin)).collect();
        let similar = suggest::did_you_mean(label, labels.iter().map(String::as_str));
        let what = format!("covergroup {of} has no bin {label}");
        usage(what, format!("{similar}drra cover DIR --holes N lists the bins without a hit"))
    })
}
