// SPDX-License-Identifier: MIT OR Apache-2.0
//! The verdict about a failing case of a mutant, made in its worker: the block that is named, and whether the
//! instruction that is named is involved in the failure.

use std::error::Error;

use drra_campaign::shrink;
use drra_case::{
    Case,
    stimulus::{Stimulus, StimulusEntry},
};
use drra_diagnose::{attribution::IssuedInstruction, signature};
use drra_isa::{
    CellId,
    instructions::{CODE_BITS, WORD_BITS},
};
use drra_lockstep::{MismatchKind, Outcome, RunSetup};
use serde::{Deserialize, Serialize};

/// The verdict about a failing case of a mutant.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Verdict {
    pub(crate) case: u64,
    pub(crate) cycle: u64,
    /// The first register or port that differs.
    pub(crate) path: String,
    /// The block that is named.
    pub(crate) block: String,
    /// The modules of the RTL to inspect.
    pub(crate) modules: Vec<String>,
    /// True if the report only states that registers differ right after reset.
    pub(crate) hedged: bool,
    /// The instruction that is named, if there is one.
    pub(crate) instruction: Option<String>,
    /// True if the case no longer fails at that register or port in that cycle without the named instruction. If no
    /// instruction is named, true if the case still fails there without any instruction.
    pub(crate) causal: bool,
    pub(crate) signature: String,
}

/// A word with a code that has no instruction; it has no effect (chapter 2, 6.1).
const NOTHING: u32 = 2 << (WORD_BITS - CODE_BITS);

/// The verdict about a case that fails with this outcome; `None` if no register or port differs in known bits.
pub(crate) fn verdict(
    case: &Case,
    number: u64,
    setup: &RunSetup<'_>,
    outcome: &Outcome,
) -> Result<Option<Verdict>, Box<dyn Error>> {
    let failing = signature::failing(case, setup, &mut outcome.clone())?;
    let Some(failing) = failing else { return Ok(None) };
    let (mismatch, explanation) = (&failing.mismatch, &failing.explanation);
    if !matches!(mismatch.kind, MismatchKind::State(_) | MismatchKind::Port(_)) {
        return Ok(None);
    }
    let expect = shrink::expect(mismatch);
    let causal = match &explanation.responsible {
        Some(instruction) => {
            let other = drra_lockstep::run(&without(case, instruction), setup)?;
            other.mismatch.is_none_or(|m| shrink::expect(&m) != expect)
        }
        None => {
            let other = drra_lockstep::run(&without_all(case), setup)?;
            other.mismatch.is_some_and(|m| shrink::expect(&m) == expect)
        }
    };
    Ok(Some(Verdict {
        case: number,
        cycle: expect.cycle,
        path: expect.path,
        block: explanation.rule.block().name().to_owned(),
        modules: explanation.rule.info().rtl.clone(),
        // Directly after reset, there is no earlier comparison.
        hedged: mismatch.leading_cycle().is_none(),
        instruction: explanation.responsible.as_ref().map(IssuedInstruction::text),
        causal,
        signature: failing.signature,
    }))
}

/// The case in which words without an effect replace the words of an instruction, whose flags are kept.
fn without(case: &Case, instruction: &IssuedInstruction) -> Case {
    let mut entries: Vec<StimulusEntry> = case.stimulus.entries().to_vec();
    let words = instruction.opcode().map_or(1, |opcode| opcode.words(instruction.words[0]));
    // The words are from the latest load before the decode, and the words of a cell are counted from the start of a
    // load.
    let (mut count, mut last, mut found) = (0_usize, None, Vec::new());
    for (i, entry) in entries.iter().enumerate().take_while(|(_, e)| e.cycle < instruction.cycle) {
        let Some(word) = entry.prog else { continue };
        if last.is_none_or(|before: u64| before + 1 != entry.cycle) {
            count = 0;
        }
        last = Some(entry.cycle);
        if !selects(entry, instruction.cell) {
            continue;
        }
        let ahead = count.checked_sub(usize::from(instruction.address));
        if ahead.is_some_and(|ahead| ahead < words) {
            if ahead == Some(0) {
                found.clear();
            }
            if ahead != Some(0) || word.instr == instruction.words[0] {
                found.push(i);
            }
        }
        count += 1;
    }
    for i in found {
        if let Some(word) = &mut entries[i].prog {
            word.instr = NOTHING;
        }
    }
    Case { stimulus: Stimulus::new(entries), ..case.clone() }
}

/// The case with only words without an effect.
fn without_all(case: &Case) -> Case {
    let mut entries: Vec<StimulusEntry> = case.stimulus.entries().to_vec();
    for word in entries.iter_mut().filter_map(|entry| entry.prog.as_mut()) {
        word.instr = NOTHING;
    }
    Case { stimulus: Stimulus::new(entries), ..case.clone() }
}

fn selects(entry: &StimulusEntry, cell: CellId) -> bool {
    entry.prog.is_some_and(|word| {
        word.row_sel >> cell.row() & 1 == 1 && word.col_sel >> cell.col() & 1 == 1
    })
}
