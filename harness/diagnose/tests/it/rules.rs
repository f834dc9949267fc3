// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rules that decide: what they name exists.

use std::path::Path;

use drra_isa::fabric::RuleId;

/// Loading the description checks that every register has a rule and that the section of a rule is a
/// heading; here that its files are in the repository.
#[test]
fn the_files_of_every_rule_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for rule in RuleId::ALL {
        let named = rule.rtl_files().chain([rule.golden_file(), rule.chapter_file().to_owned()]);
        for file in named {
            assert!(root.join(&file).is_file(), "{rule}: {file}");
        }
        assert!(rule.rtl_files().next().is_some(), "{rule} names no file of the RTL");
    }
}
