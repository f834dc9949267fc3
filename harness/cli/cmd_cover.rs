// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra cover`: coverage of a campaign, with its holes in words.

use std::io::Write;
use std::io::stdout;

use serde_json::json;

use super::Exit;
use super::args::CoverArgs;
use super::cmd_fuzz::failure;
use crate::campaign;
use crate::coverage::Coverage;
use crate::coverage::groups;
use crate::diagnostic::Failure;

pub(super) fn run(a: &CoverArgs) -> Result<Exit, Failure> {
    let (_, records) = campaign::merge(&a.folders).map_err(failure)?;
    let mut coverage = Coverage::default();
    for record in &records {
        coverage.add(&record.bins);
    }
    if a.json {
        let groups: Vec<_> = groups()
            .iter()
            .zip(coverage.groups())
            .map(|(group, counts)| {
                let holes: Vec<&str> = coverage.holes(group).collect();
                json!({"name": counts.name, "hit": counts.hit, "bins": counts.bins, "holes": holes})
            })
            .collect();
        let all = json!({"version": 1, "cases": records.len(), "groups": groups});
        writeln!(stdout(), "{all:#}")?;
        return Ok(Exit::Agreed);
    }
    for (group, counts) in groups().iter().zip(coverage.groups()) {
        writeln!(stdout(), "{}: {} of {} bins", counts.name, counts.hit, counts.bins)?;
        let holes: Vec<&str> = coverage.holes(group).collect();
        for hole in holes.iter().take(a.holes as usize) {
            writeln!(stdout(), "    not hit: {hole}")?;
        }
        if holes.len() > a.holes as usize {
            writeln!(stdout(), "    and {} more (--holes N)", holes.len() - a.holes as usize)?;
        }
    }
    Ok(Exit::Agreed)
}
