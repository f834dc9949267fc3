// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules and their inputs.

use super::check::*;
use drra_isa::{Geometry, UnitKind};

use crate::{connections::KeyMatch, model::*, types::filled};

pub(super) fn block(block: &mut BlockInfo, _: &Description) -> Check {
    chapter(block.chapter)?;
    ensure(!block.rtl.is_empty(), "rtl", "expected a module")
}

/// Fills in what the rule has in common with its block, and resolves its inputs.
pub(super) fn rule(r: &mut RuleInfo, d: &Description) -> Check {
    r.block.find(&d.blocks, "block")?;
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
    section(r.chapter, &r.section)?;
    let resolved = |text: &String| {
        let named = d.named_inputs.iter().position(|n| n.name == *text);
        named.map_or_else(|| registers(r.unit, text, d), |index| Ok(InputKind::Named(index)))
    };
    r.found = each("inputs", &r.inputs, resolved)?;
    Ok(())
}

/// Finds the rules of `rules_of_modules`, which must include one for every module named by a block.
pub(super) fn of_modules(d: &mut Description) -> Check {
    each("rules_of_modules", &mut d.rules_of_modules, |rule| rule.find(&d.rules, ""))?;
    let covered = |module: &String| {
        let rule = d.rules_of_modules.iter().find(|r| d.rules[r.at].rtl.contains(module));
        found(rule, "", "rule in `rules_of_modules` for the module", module)
    };
    each("blocks", &d.blocks, |block| each("rtl", &block.rtl, covered)).map(drop)
}

/// Registers of a unit whose paths equal `pattern`, or start with `pattern` followed by `.` or `[`. A `*` in the
/// pattern stands for the key of the register in question.
fn registers(unit: UnitKind, pattern: &str, d: &Description) -> Check<InputKind> {
    let fits = |path: &str, pattern: &str| {
        let rest = path.strip_prefix(pattern);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let mut all = Vec::new();
    for (index, r) in d.registers.iter().enumerate().filter(|(_, r)| r.unit == unit) {
        // Every command reads the description, so a path is taken apart only as far as the pattern goes.
        let (path, same) = (r.path.as_bytes(), common(&r.path, pattern));
        if same < pattern.len() && path.get(same) != Some(&b'{') {
            continue;
        }
        let key = r.key.filter(|_| path.get(same) == Some(&b'{')).map(|k| &d.keys[k]);
        if let Some(key) = key.filter(|_| pattern.contains('*')) {
            let pattern = pattern.replace('*', &format!("{{{}}}", key.name));
            all.extend(fits(&r.path, &pattern).then_some((index, KeyMatch::Same)));
        } else if let Some(key) = key {
            let keys = 0..key.count(&Geometry::default());
            let hits = keys.filter(|k| fits(&filled(&r.path, Some(key), *k), pattern));
            all.extend(hits.map(|k| (index, KeyMatch::Only(k))));
        } else if fits(&r.path, pattern) && !pattern.contains('{') {
            all.push((index, KeyMatch::All));
        }
    }
    let all = Some(all).filter(|all| !all.is_empty());
    found(all, "", "register of this unit or named input", pattern).map(InputKind::Registers)
}

/// Number of bytes with which both texts begin.
fn common(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count()
}
