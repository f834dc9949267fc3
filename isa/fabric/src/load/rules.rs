// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules and their inputs.

use super::check::*;
use drra_isa::{Geometry, UnitKind};

use crate::{connections::KeyMatch, model::*};

pub(super) fn block(block: &mut BlockInfo, _: &Description) -> CheckResult {
    chapter(block.chapter)?;
    ensure(!block.rtl.is_empty(), "rtl", "expected a module")?;
    ensure(!block.golden.is_empty(), "golden", "expected a module")
}

/// Fills in what the rule has in common with its block, and resolves its inputs.
pub(super) fn rule(r: &mut RuleInfo, d: &Description) -> CheckResult {
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
        named.map_or_else(|| registers(r.unit, text, d), |index| Ok(ResolvedInput::Named(index)))
    };
    r.found = each("inputs", &r.inputs, resolved)?;
    Ok(())
}

/// Finds the rules of `rules_of_modules`, which must include one for every module named by a block.
pub(super) fn of_modules(d: &mut Description) -> CheckResult {
    each("rules_of_modules", &mut d.rules_of_modules, |rule| rule.find(&d.rules, ""))?;
    let covered = |module: &String| {
        let rule = d.rules_of_modules.iter().find(|r| d.rules[r.at].rtl.contains(module));
        found(rule, "", "rule in `rules_of_modules` for the module", module)
    };
    each("blocks", &d.blocks, |block| each("rtl", &block.rtl, covered)).map(drop)
}

/// Registers of a unit whose paths equal `pattern`, or start with `pattern` followed by `.` or `[`. A `*` in the
/// pattern stands for the key of the register in question.
fn registers(unit: UnitKind, pattern: &str, d: &Description) -> CheckResult<ResolvedInput> {
    let fits = |path: &str, pattern: &str| {
        let rest = path.strip_prefix(pattern);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let mut all = Vec::new();
    // Every command reads the description, so paths that begin differently are skipped at once.
    let begins =
        |path: &str| path.starts_with('{') || path.bytes().next() == pattern.bytes().next();
    let of_unit = |r: &RegisterInfo| r.unit == unit && begins(&r.path);
    for (index, r) in d.registers.iter().enumerate().filter(|(_, r)| of_unit(r)) {
        let parts = r
            .path
            .split_once('{')
            .and_then(|(before, rest)| Some((before, rest.split_once('}')?.1)));
        let (before, after) = parts.unwrap_or((&r.path, ""));
        let Some((key, rest)) = r.key.zip(pattern.strip_prefix(before)) else {
            all.extend(fits(before, pattern).then_some((index, KeyMatch::All)));
            continue;
        };
        if let Some(rest) = rest.strip_prefix('*') {
            all.extend(fits(after, rest).then_some((index, KeyMatch::Same)));
            continue;
        }
        let rest_after = |k: usize| rest.strip_prefix(&d.keys[key].text(k));
        let keys = 0..d.keys[key].count(&Geometry::default());
        let hits = keys.filter(|k| rest_after(*k).is_some_and(|rest| fits(after, rest)));
        all.extend(hits.map(|k| (index, KeyMatch::Only(k))));
    }
    let all = Some(all).filter(|all| !all.is_empty());
    found(all, "", "register of this unit or named input", pattern).map(ResolvedInput::Registers)
}
