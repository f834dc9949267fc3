// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which coverage is next to a block: where to look for what a surviving mutant needs.

use drra_coverage::groups;

/// Words in the names of coverage groups, by the beginning of the name of a module.
const NEAR: [(&str, &[&str]); 15] = [
    ("drra_agu", &["AGU", "REFI"]),
    ("drra_register_file", &["AGU", "REFI", "PERM"]),
    ("drra_dpu", &["DPU"]),
    ("drra_lane", &["DPU"]),
    ("drra_loop", &["loops", "LOOP"]),
    ("drra_raccu", &["RACCU"]),
    ("drra_sequencer", &["BRANCH", "WAIT", "JUMP"]),
    ("drra_decoder", &["fields"]),
    ("drra_switchbox", &["switchbox", "SWB"]),
    ("drra_interconnect", &["switchbox"]),
    ("drra_per", &["PERM"]),
    ("drra_issue", &["NoC", "ROUTE", "PERM"]),
    ("drra_pattern", &["SRAM", "IO "]),
    ("drra_sram", &["SRAM"]),
    ("drra_", &["NoC", "ROUTE"]),
];

/// Names of the coverage groups next to a module.
pub(super) fn bins(block: &str) -> Vec<String> {
    let words = NEAR.iter().find(|(prefix, _)| block.starts_with(prefix)).map_or(&[][..], |n| n.1);
    let names = groups().iter().map(|group| group.name.clone());
    names.filter(|name| words.iter().any(|word| name.contains(word))).collect()
}

#[cfg(test)]
mod tests {
    use super::{NEAR, bins};

    #[test]
    fn every_module_has_coverage_next_to_it() {
        for (block, _) in NEAR {
            assert!(!bins(block).is_empty(), "{block}");
        }
    }
}
