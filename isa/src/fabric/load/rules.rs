// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules, and what they look at.

use super::{
    FabricError, Loader,
    chapters::{chapter_text, has_section},
    names::{Names, filled, identifier, unit_kind},
};
use crate::{
    Geometry,
    fabric::{file::*, model::*},
    place::UnitKind,
};

impl Loader {
    pub(super) fn rules(
        &self,
        file: &File,
        blocks: &[BlockInfo],
        registers: &[RegisterInfo],
        named: &[NamedInputInfo],
    ) -> Result<Vec<RuleInfo>, FabricError> {
        let block_names = Names::of("block", "blocks", blocks.iter().map(|b| &*b.name))?;
        let mut rules = Vec::new();
        for (i, r) in file.rules.iter().enumerate() {
            let at = format!("rules[{i}]");
            let block = block_names.get(&format!("{at}.block"), &r.block)?;
            let unit = unit_kind(format!("{at}.unit"), &r.unit)?;
            let chapter = r.chapter.unwrap_or(blocks[block].chapter);
            let text = chapter_text(format!("{at}.chapter"), chapter)?;
            if !has_section(text, &r.section) {
                let (at, section) = (format!("{at}.section"), r.section.clone());
                return Err(FabricError::Section { at, chapter, section });
            }
            let mut inputs = Vec::new();
            for (k, text) in r.inputs.iter().enumerate() {
                let at = format!("{at}.inputs[{k}]");
                let what = match named.iter().position(|n| n.name == *text) {
                    Some(index) => InputKind::Named(index),
                    None => InputKind::Registers(self.matching(&at, unit, text, registers)?),
                };
                inputs.push(InputInfo { text: text.clone(), what });
            }
            rules.push(RuleInfo {
                name: r.name.clone(),
                id: identifier("", &r.name),
                block,
                unit,
                chapter,
                section: r.section.clone(),
                rtl: r.rtl.clone().unwrap_or_else(|| blocks[block].rtl.clone()),
                golden: r.golden.clone().unwrap_or_else(|| blocks[block].golden.clone()),
                inputs,
                text: r.text.clone(),
            });
        }
        Ok(rules)
    }

    /// Registers of a unit whose paths are `pattern`, or begin with it and go on with `.` or `[`.
    /// `[*]` in the pattern stands for the key of the register in question.
    pub(super) fn matching(
        &self,
        at: &str,
        unit: UnitKind,
        pattern: &str,
        registers: &[RegisterInfo],
    ) -> Result<Vec<(usize, KeyMatch)>, FabricError> {
        let fits = |path: &str, pattern: &str| {
            path.strip_prefix(pattern)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let mut found = Vec::new();
        // Every command reads the description: most paths differ before their first key.
        let similar = |r: &RegisterInfo| {
            let before_key = r.path.split('{').next().unwrap_or_default();
            before_key.starts_with(pattern) || pattern.starts_with(before_key)
        };
        for (index, r) in registers.iter().enumerate() {
            if r.unit != unit || !similar(r) {
                continue;
            }
            let key = r.key.map(|k| &self.keys[k]);
            let count = key.map_or(1, |k| k.count(&Geometry::default()));
            if let Some(k) = key
                && pattern.contains("[*]")
            {
                if fits(&r.path, &pattern.replace("[*]", &format!("[{{{}}}]", k.name))) {
                    found.push((index, KeyMatch::Same));
                }
                continue;
            }
            let hits: Vec<usize> =
                (0..count).filter(|k| fits(&filled(&r.path, key, *k), pattern)).collect();
            match hits.len() {
                n if n == count => found.push((index, KeyMatch::All)),
                _ => found.extend(hits.into_iter().map(|k| (index, KeyMatch::Only(k)))),
            }
        }
        if found.is_empty() {
            let name = pattern.to_owned();
            let what = "register of this unit or named input";
            return Err(FabricError::Unknown { at: at.to_owned(), what, name });
        }
        Ok(found)
    }
}

/// Every module that a block names leads to a rule.
pub(super) fn every_module_has_a_rule(d: &Description) -> Result<(), FabricError> {
    for (i, block) in d.blocks.iter().enumerate() {
        for (k, module) in block.rtl.iter().enumerate() {
            if !d.rules_of_modules.iter().any(|r| d.rules[*r].rtl.contains(module)) {
                return Err(FabricError::Unknown {
                    at: format!("blocks[{i}].rtl[{k}]"),
                    what: "rule in `rules_of_modules` for the module",
                    name: module.clone(),
                });
            }
        }
    }
    Ok(())
}
