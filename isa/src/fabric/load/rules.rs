// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules, what they look at, and where another one applies.

use super::FabricError;
use super::Loader;
use super::chapters::chapter_text;
use super::chapters::has_section;
use super::names::Names;
use super::names::filled;
use super::names::identifier;
use super::names::unit_kind;
use crate::Geometry;
use crate::Revision;
use crate::fabric::file::*;
use crate::fabric::model::*;
use crate::place::UnitKind;

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
        for (index, r) in registers.iter().enumerate().filter(|(_, r)| r.unit == unit) {
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

    pub(super) fn variants(
        &self,
        file: &File,
        registers: &[RegisterInfo],
    ) -> Result<Vec<RuleVariant>, FabricError> {
        let mut variants = Vec::new();
        for (i, v) in file.variants.iter().enumerate() {
            let at = format!("variants[{i}]");
            let unit = unit_kind(format!("{at}.unit"), &v.unit)?;
            let mut of = Vec::new();
            for (k, pattern) in v.registers.iter().enumerate() {
                of.extend(self.matching(
                    &format!("{at}.registers[{k}]"),
                    unit,
                    pattern,
                    registers,
                )?);
            }
            if let Some(name) = &v.instruction
                && Revision::R4.isa().by_name(name).is_none()
            {
                let (at, name) = (format!("{at}.instruction"), name.clone());
                return Err(FabricError::Unknown { at, what: "instruction", name });
            }
            let mut dpu_modes = Vec::new();
            for (k, name) in v.dpu_modes.iter().enumerate() {
                let at = format!("{at}.dpu_modes[{k}]");
                let dpu = Revision::R4.isa().by_name("DPU");
                let mode = dpu.and_then(|d| d.fields[d.field_index("mode")?].value_of(name));
                let unknown = FabricError::Unknown { at, what: "DPU mode", name: name.clone() };
                dpu_modes.push(mode.ok_or(unknown)?);
            }
            variants.push(RuleVariant {
                rule: self.rule_names.get(&format!("{at}.rule"), &v.rule)?,
                unit,
                launch: v.launch,
                registers: of,
                instruction: v.instruction.clone(),
                dpu_modes,
            });
        }
        Ok(variants)
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
