// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules and their inputs.

use super::{
    FabricError,
    entry::{check_section, unknown},
};
use crate::{
    Geometry,
    fabric::{connections::KeyMatch, model::*, types::filled},
    place::UnitKind,
};

pub(super) fn rules(d: &mut Description) -> Result<(), FabricError> {
    for i in 0..d.rules.len() {
        let at = format!("rules[{i}]");
        let mut r = d.rules[i].clone();
        r.block.find(&d.blocks, &format!("{at}.block"))?;
        let block = &d.blocks[r.block.at];
        if r.chapter == 0 {
            r.chapter = block.chapter;
        }
        if r.rtl.is_empty() {
            r.rtl.clone_from(&block.rtl);
        }
        if r.golden.is_empty() {
            r.golden.clone_from(&block.golden);
        }
        if r.within.is_none() {
            r.within.clone_from(&block.within);
        }
        check_section(&at, r.chapter, &r.section)?;
        for (k, text) in r.inputs.iter().enumerate() {
            let input = match d.named_inputs.iter().position(|n| n.name == *text) {
                Some(index) => InputKind::Named(index),
                None => registers(&format!("{at}.inputs[{k}]"), r.unit, text, d)?,
            };
            r.found.push(input);
        }
        d.rules[i] = r;
    }
    Ok(())
}

/// Registers of a unit whose paths equal `pattern`, or start with `pattern` followed by `.` or `[`. A `*` in the
/// pattern stands for the key of the register in question.
fn registers(
    at: &str,
    unit: UnitKind,
    pattern: &str,
    d: &Description,
) -> Result<InputKind, FabricError> {
    let fits = |path: &str, pattern: &str| {
        path.strip_prefix(pattern)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    // Every command reads the description, so this must be fast: most paths differ before their first key.
    let similar = |r: &RegisterInfo| {
        let before_key = r.path.split('{').next().unwrap_or_default();
        before_key.starts_with(pattern) || pattern.starts_with(before_key)
    };
    let mut found = Vec::new();
    for (index, r) in d.registers.iter().enumerate().filter(|(_, r)| r.unit == unit && similar(r)) {
        let key = r.key.map(|k| &d.keys[k]);
        if let Some(k) = key.filter(|_| pattern.contains('*')) {
            if fits(&r.path, &pattern.replace('*', &format!("{{{}}}", k.name))) {
                found.push((index, KeyMatch::Same));
            }
            continue;
        }
        let count = key.map_or(1, |k| k.count(&Geometry::default()));
        let hits = (0..count).filter(|k| fits(&filled(&r.path, key, *k), pattern));
        let hits: Vec<usize> = hits.collect();
        if hits.len() == count {
            found.push((index, KeyMatch::All));
        } else {
            found.extend(hits.into_iter().map(|k| (index, KeyMatch::Only(k))));
        }
    }
    if found.is_empty() {
        return Err(unknown(at, "register of this unit or named input", pattern));
    }
    Ok(InputKind::Registers(found))
}

/// Finds the rules in `rules_of_modules`, and checks that they include a rule for every module named by a block.
pub(super) fn rules_of_modules(d: &mut Description) -> Result<(), FabricError> {
    for (i, rule) in d.rules_of_modules.iter_mut().enumerate() {
        rule.find(&d.rules, &format!("rules_of_modules[{i}]"))?;
    }
    for (i, block) in d.blocks.iter().enumerate() {
        for (k, module) in block.rtl.iter().enumerate() {
            if !d.rules_of_modules.iter().any(|r| d.rules[r.at].rtl.contains(module)) {
                let what = "rule in `rules_of_modules` for the module";
                return Err(unknown(format!("blocks[{i}].rtl[{k}]"), what, module));
            }
        }
    }
    Ok(())
}
