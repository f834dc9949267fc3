// SPDX-License-Identifier: MIT OR Apache-2.0
//! Variations of failing cases, with checks that stand for a design.

use std::time::Duration;

use drra_campaign::{
    CaseFailure,
    shrink::{CaseSize, Reduction, VariationBounds, vary},
};
use drra_case::{Case, Divergence};
use drra_fabric::CellInput;
use drra_isa::{
    Assembler, CellId, DecodedInstruction, Geometry, MemoryImage, Revision, decode,
    instructions::DpuMode,
};
use drra_lockstep::GoldenRun;
use drra_report::data::{FactorRole, Variation, VariationLimit};

/// The signature with which a case fails, if it does.
type Verdict<'v> = &'v dyn Fn(&Case) -> Option<&'static str>;

/// Varies the program of cell (0,0), whose register file contains 1 to 16 in its first block.
fn varied(text: &str, runs: u64, verdict: Verdict<'_>) -> Variation {
    varied_like(None, &[], text, runs, verdict)
}

/// The same, comparing with the result of another case; the value that differs passed through what the instructions at
/// these addresses had set up.
fn varied_like(
    like: Option<&Variation>,
    carriers: &[u8],
    text: &str,
    runs: u64,
    verdict: Verdict<'_>,
) -> Variation {
    let image = Assembler::default().assemble(text).unwrap().image;
    let mut memory = MemoryImage::default();
    memory.rf.entry(CellId::FIRST).or_default().insert(0, std::array::from_fn(|k| k as u16 + 1));
    let mut case = Case::new("varied", &Geometry::DEFAULT, image, memory);
    case.cycles = Some(20);
    let check = |case: &Case| {
        let path = "cell[0][0].seq.pc".to_owned();
        Ok(verdict(case).map(|signature| CaseFailure {
            signature: signature.to_owned(),
            expect: Divergence { cycle: 19, path },
            compare_from: 0,
            crash: None,
            note: None,
        }))
    };
    let failing = check(&case).unwrap().expect("the case fails");
    let carriers = carriers.iter().map(|address| (CellId::FIRST, *address)).collect();
    let size = CaseSize { cells: 1, instructions: 1, cycles: 20 };
    let reduction =
        Reduction { case, failing, before: size, after: size, steps: 0, carriers, complete: true };
    let sizes = ["2x1", "3x3", "8x2"].map(|size| size.parse().unwrap());
    let bounds = VariationBounds { runs, time: Duration::from_secs(1000) };
    vary(&reduction, &sizes, &check, bounds, &|| false, &|_| true, like)
        .unwrap()
        .expect("it is varied")
}

/// The instruction of this kind in cell (0,0).
fn instruction(case: &Case, name: &str) -> DecodedInstruction<'static> {
    let words = case.program.cell(CellId::FIRST).unwrap();
    let bits: Vec<u64> = words.iter().map(|word| word.bits).collect();
    let mut all = (0..bits.len()).filter_map(|at| decode(Revision::R4.isa(), &bits[at..], false));
    all.find(|d| d.instruction.name == name).unwrap()
}

fn value(case: &Case, name: &str, field: &str) -> u64 {
    instruction(case, name).value(field).unwrap()
}

fn decisive(text: &str, verdict: Verdict<'_>) -> String {
    let variation = varied(text, 400, verdict);
    assert_eq!(variation.stopped, None);
    variation.decisive().unwrap_or_default()
}

/// Each condition is found exactly: a set of modes, a bound, a bit, a bound among values with some bits, a size.
#[test]
fn the_condition_is_the_planted_one() {
    let counting = ["sum_acc", "mac", "max_min_acc", "mac_inter"];
    let counting = counting.map(|name| DpuMode::from_name(name).unwrap() as u64);
    let dpu = "DPU mode=mac, acc_clear=200\nHALT";
    let found = decisive(dpu, &|case| {
        let counts = counting.contains(&value(case, "DPU", "mode"));
        (counts && value(case, "DPU", "acc_clear") >= 33).then_some("count DPU")
    });
    let modes = "sum_acc, mac, max_min_acc or mac_inter (every mode that counts)";
    let expected = format!("fails only if DPU mode is {modes}; DPU acc_clear is 33 or more");
    assert_eq!(found, expected);

    let perm = "PERM mode=shr_zero, block=0, distance=0x8103\nHALT";
    let distance = |case: &Case| value(case, "PERM", "distance");
    for (fails, expected) in [
        ((|d| d >> 15 == 1) as fn(u64) -> bool, "is 32768 or more"),
        (|d| d >> 8 & 1 == 1, "has bit 8 set"),
        (|d| d >= 256 && d & 0xf0 == 0, "is 256 or more and has bits 7 to 4 clear"),
        (|d| d == 0x8103, "is 33027"),
        (|d| d != 0 && d != 0x8000, "is not 0 or 32768"),
    ] {
        let found = decisive(perm, &|case| fails(distance(case)).then_some("perm PERM"));
        assert_eq!(found, format!("fails only if PERM distance {expected}"));
    }
    let found = decisive("PERM mode=shr_zero, block=0, distance=2\nHALT", &|case| {
        (!(3..=34).contains(&distance(case))).then_some("perm PERM")
    });
    assert_eq!(found, "fails only if PERM distance is not 3 to 34");
    // All but two values fail, on both sides of 0; and all positive ones and some negative ones.
    for (fails, expected) in [
        ((|step| step != 0 && step != -128) as fn(i64) -> bool, "is not 0 or -128"),
        (|step| step > 0 || (-20..0).contains(&step), "is 1 to 127 or -20 to -1"),
    ] {
        let found = decisive("SRAM init_addr=0, l1_iter=2, l1_step=1\nHALT", &|case| {
            let step = value(case, "SRAM", "l1_step") as u8 as i8;
            fails(step.into()).then_some("agu SRAM")
        });
        assert_eq!(found, format!("fails only if SRAM l1_step {expected}"));
    }
    let found = decisive(perm, &|case| (case.geometry.columns == 8).then_some("size PERM"));
    assert_eq!(found, "fails only if fabric size is 8x2");
}

/// A value that comes from a register or from a memory is varied where the case sets it.
#[test]
fn registers_and_memories_are_varied() {
    let text = "RACCU mode=add, operand1=60, operand2=4, result=3\nLOOP endpc=4, iter_sd=d, iter=3\n\
                RACCU mode=idle\nHALT";
    let variation = varied(text, 400, &|case| {
        let mut run = GoldenRun::new(case);
        (0..19).for_each(|_| run.step());
        let read = value(case, "LOOP", "iter_sd") == 1 && value(case, "LOOP", "iter") == 3;
        let over = run.fabric.sequencer(CellId::FIRST).raccu_reg(3) >= 64;
        (read && over).then_some("loop LOOP")
    });
    let expected = "fails only if LOOP iter_sd is d; LOOP iter (R3) is 64 or more";
    assert_eq!(variation.decisive().unwrap(), expected);
    let others = variation.others();
    assert!(others[0].starts_with("only carries data or timing: LOOP iter"), "{others:#?}");
    // The same count as a literal fails alike: only the number decides.
    let variation = varied(text, 400, &|case| {
        let mut run = GoldenRun::new(case);
        (0..19).for_each(|_| run.step());
        let count = match value(case, "LOOP", "iter_sd") {
            0 => value(case, "LOOP", "iter"),
            _ => run.fabric.sequencer(CellId::FIRST).raccu_reg(3).into(),
        };
        (count % 64 == 0).then_some("loop LOOP")
    });
    assert_eq!(variation.decisive().unwrap(), "fails only if LOOP iter (R3) has bits 5 to 0 clear");

    let variation = varied("DPU mode=add\nHALT", 400, &|case| {
        let words = case.memory.rf[&CellId::FIRST][&0];
        (words[4] == 5 && words[9] != 0).then_some("data DPU")
    });
    let expected = "fails only if register-file word 4 of cell (0,0) is 0x0005 (5)";
    assert_eq!(variation.decisive().unwrap(), expected);
    let found = decisive("DPU mode=add\nHALT", &|case| {
        let word = case.memory.rf[&CellId::FIRST][&0][4] as i16;
        (5..=9).contains(&word.unsigned_abs()).then_some("data DPU")
    });
    assert_eq!(found, expected.to_owned() + " to 0x0009 (9) or 0xfff7 (-9) to 0xfffb (-5)");
    let found = decisive("DPU mode=add\nHALT", &|case| {
        (case.memory.rf[&CellId::FIRST][&0][4] >= 3).then_some("data DPU")
    });
    let range = "0x0003 (3) to 0x7fff (32767) or 0x8000 (-32768) to 0xffff (-1)";
    let expected = expected.replace("0x0005 (5)", range);
    assert_eq!(found, expected);
    let words: Vec<_> = variation.factors.iter().filter(|f| f.width == 16).collect();
    assert_eq!([words[0].role, words[1].role], [FactorRole::Decides, FactorRole::Carries]);
    assert_eq!((words.len(), &words[1].agreeing[..]), (2, &[0][..]));
}

/// Words that are 0 do not hide what a field does, and inputs of a DPU that are not connected are varied.
#[test]
fn zeros_do_not_hide_a_condition() {
    let found = decisive("PERM mode=shr_zero, block=0, distance=3\nHALT", &|case| {
        let block = value(case, "PERM", "block");
        let word = case.memory.rf[&CellId::FIRST].get(&(block as usize)).map_or(0, |b| b[3]);
        (block < 3 && word != 0).then_some("perm PERM")
    });
    assert_eq!(found, "fails only if PERM block is not 3");

    let found = decisive("DPU mode=div\nHALT", &|case| {
        let mut run = GoldenRun::new(case);
        (0..25).for_each(|_| run.step());
        let div = run.fabric.view(CellId::FIRST).dpu().mode() == DpuMode::Div;
        let operand = run.fabric.signals().cell(CellId::FIRST).input(CellInput::Dpu0);
        (div && operand == 0).then_some("divider DPU")
    });
    assert_eq!(found, "fails only if DPU mode is div; DPU input 0 of cell (0,0) is 0");
}

/// Fields of an instruction that carries the value that differs do not decide; those of another one do.
#[test]
fn an_instruction_that_only_coincides_decides() {
    let text =
        "REFI port_no=w0, init_addr=0, l1_iter=9\nPERM mode=shr_zero, block=0, distance=3\nHALT";
    let verdict: Verdict<'_> = &|case| (value(case, "REFI", "port_no") < 2).then_some("perm PERM");
    let of = |carriers| varied_like(None, carriers, text, 400, verdict);
    let expected = "fails only if REFI port_no is w0 or w1";
    assert_eq!(of(&[1]).decisive().as_deref(), Some(expected));
    assert_eq!(of(&[0, 1]).decisive(), None);
    assert_eq!(of(&[]).decisive(), None);
}

/// A single value decides even if it is the smallest one, and so does the missing distance of two instructions.
#[test]
fn coincidences_are_found() {
    let wait: Verdict<'_> = &|case| (value(case, "WAIT", "cycle") == 0).then_some("jump REFI");
    let text = "WAIT cycle=0\nREFI port_no=r0, init_addr=0\nHALT";
    assert_eq!(decisive(text, wait), "fails only if WAIT cycle is 0");

    let text = "DPU mode=add\nDPU mode=mac\nHALT";
    let found = decisive(text, &|case| {
        let words = case.program.cell(CellId::FIRST).unwrap();
        let dpu = |at: usize| words[at].bits >> 23 == words[0].bits >> 23;
        dpu(1).then_some("shadow DPU")
    });
    let expected =
        "fails only if DPU of cell (0,0) @1 comes directly after the instruction before it";
    assert_eq!(found, expected);
}

/// Of an instruction that is needed although none of its fields matters, the kind is varied; of two cells, the distance.
#[test]
fn kinds_and_meetings_are_found() {
    let text = "LOOP endpc=1, iter=3\nSRAM init_addr=3\nHALT";
    let found = decisive(text, &|case| {
        let words = case.program.cell(CellId::FIRST).unwrap();
        let bits: Vec<u64> = words.iter().map(|word| word.bits).collect();
        let loops = decode(Revision::R4.isa(), &bits, false).unwrap().len;
        let second = decode(Revision::R4.isa(), &bits[loops..], false).unwrap();
        (second.len == 3).then_some("loop LOOP")
    });
    assert_eq!(found, "fails only if the instruction of cell (0,0) @1 has 3 words");

    let text = "CELL <0,0>\nWAIT cycle=0\nROUTE horizontal_hops=1\nHALT\n\
                CELL <1,0>\nSRAM rw=r\nHALT";
    let meet = |case: &Case| {
        let start = |cell: CellId, code: u64| {
            let words = case.program.cell(cell)?;
            let mut cycle = 0;
            for word in words {
                if word.bits >> 23 == code {
                    return Some(cycle);
                }
                cycle += if word.bits >> 23 == 7 { 1 + (word.bits >> 7 & 0x7fff) } else { 1 };
            }
            None
        };
        let [route, sram] = [start(CellId::FIRST, 12)?, start(CellId::new(1, 0).unwrap(), 13)?];
        (route == sram + 1).then_some("column ROUTE")
    };
    let first = varied(text, 400, &meet);
    let expected = "fails only if the instruction of cell (1,0) @0 is SRAM of 3 words; \
                    ROUTE of cell (0,0) @1 and SRAM of cell (1,0) @0 meet in time";
    assert_eq!(first.decisive().unwrap(), expected);
    let later = "CELL <0,0>\nWAIT cycle=4\nROUTE horizontal_hops=1\nHALT\n\
                 CELL <1,0>\nWAIT cycle=3\nSRAM rw=r\nHALT";
    let mut joined = first.clone();
    joined.join(&varied_like(Some(&first), &[], later, 400, &meet));
    assert_eq!(joined.decisive().unwrap(), expected.to_owned() + " (in both cases varied)");
}

/// The register is read by a loop from its last writer, which comes later in the program.
#[test]
fn the_last_writer_of_a_register_is_varied() {
    let text = "RACCU mode=add, operand1=1, operand2=0, result=3\n\
                LOOP loopid=0, endpc=4, iter=5\n\
                LOOP loopid=1, endpc=3, iter_sd=d, iter=3\n\
                RACCU mode=add, operand1=60, operand2=4, result=3\n\
                WAIT cycle=0\nHALT";
    let found = varied(text, 400, &|case| {
        let mut run = GoldenRun::new(case);
        (0..19).for_each(|_| run.step());
        let over = run.fabric.sequencer(CellId::FIRST).raccu_reg(3) == 64;
        over.then_some("loop LOOP")
    });
    let found = found.decisive().unwrap();
    assert!(found.contains("LOOP iter (R3) of cell (0,0) @2 is 64"), "{found}");
}

/// Two numbers that have to be equal.
#[test]
fn equal_numbers_are_found() {
    let text = "RACCU mode=add, operand1=47, operand2=47, result=2\nHALT";
    let found = decisive(text, &|case| {
        let [one, other] = ["operand1", "operand2"].map(|field| value(case, "RACCU", field));
        (one == other && one < 48).then_some("raccu RACCU")
    });
    assert_eq!(found, "fails only if RACCU operand1 and RACCU operand2 are equal");
}

/// What is said of a field in one instruction is not said of the same field in another one, and data that decide together
/// do not only carry.
#[test]
fn what_does_not_matter_is_true() {
    let text = "WAIT cycle=9\nDPU mode=add\nREFI port_no=r0, init_addr=0\n\
                REFI port_no=r1, init_addr=0\nHALT";
    let variation = varied(text, 400, &|case| {
        let words = case.program.cell(CellId::FIRST).unwrap();
        let second = DecodedInstruction::value(
            &decode(Revision::R4.isa(), &[words[3].bits], false).unwrap(),
            "init_addr",
        );
        let data = &case.memory.rf[&CellId::FIRST][&0];
        let large = data.iter().filter(|word| **word > 0x7fff).count();
        (second == Some(0) && large < 3).then_some("agu REFI")
    });
    let expected = "fails only if REFI init_addr of cell (0,0) @3 is 0";
    let decisive = variation.decisive();
    assert!(decisive.is_some_and(|text| text.contains(expected)), "{:#?}", variation.others());
    let others = variation.others();
    let line = |start: &str| others.iter().find(|line| line.starts_with(start)).expect(start);
    let same = line("does not matter");
    assert!(same.contains("REFI of cell (0,0) @2 init_addr"), "{same}");
    assert!(line("not clear").contains("data"), "{others:#?}");
}

/// Two WAITs that have to differ by a number of cycles matter only relative to each other; another failure is neither
/// agreement nor the same failure.
#[test]
fn relations_and_other_failures_are_separate() {
    let text = "WAIT cycle=9\nDPU mode=add\nREFI port_no=r0, init_addr=0, init_delay=7\nHALT";
    let variation = varied(text, 400, &|case| {
        let [wait, delay] = [value(case, "WAIT", "cycle"), value(case, "REFI", "init_delay")];
        let mode = value(case, "DPU", "mode");
        (wait == delay + 2).then_some(if mode == 7 { "multiplier DPU" } else { "meet DPU" })
    });
    let expected = "matter only relative to each other: WAIT cycle (9), REFI init_delay (7)";
    assert_eq!(variation.others()[0], expected);
    assert_eq!(variation.decisive(), None);
    let mode = variation.factors.iter().find(|f| f.otherwise == [7]).unwrap();
    assert_eq!((mode.role, mode.failing.len()), (FactorRole::Unclear, 31));
}

/// Conditions that another failing case has as well come first; a condition that depends on something else, and one that
/// does not matter there, are only conditions of the first case.
#[test]
fn conditions_of_several_cases_are_joined() {
    let fails = |case: &Case| {
        let [mode, control, clear] =
            ["mode", "control", "acc_clear"].map(|field| value(case, "DPU", field));
        let mac = mode == DpuMode::from_name("mac").unwrap() as u64;
        (clear >= 33 && (mac || control == 1)).then_some("count DPU")
    };
    let first = varied("DPU mode=mac, acc_clear=200\nHALT", 400, &fails);
    let text = "DPU mode=add, control=1, acc_clear=60\nHALT";
    let other = varied_like(Some(&first), &[], text, 400, &fails);
    assert!(other.runs < first.runs, "only what decides in the first case is varied");
    let mut joined = first.clone();
    joined.join(&other);
    let expected = "fails only if DPU acc_clear is 33 or more (in both cases varied); \
                    here also only if DPU mode is mac";
    assert_eq!(joined.decisive().unwrap(), expected);
    assert_eq!((joined.others, joined.runs), (1, first.runs + other.runs));

    // A count in a register is like a literal one.
    let long = |case: &Case| {
        let mut run = GoldenRun::new(case);
        (0..19).for_each(|_| run.step());
        let count = match value(case, "LOOP", "iter_sd") {
            0 => value(case, "LOOP", "iter"),
            _ => run.fabric.sequencer(CellId::FIRST).raccu_reg(3).into(),
        };
        (count >= 20).then_some("loop LOOP")
    };
    let first = varied("LOOP endpc=2, iter=40\nRACCU mode=idle\nHALT", 400, &long);
    let text = "RACCU mode=add, operand1=40, operand2=4, result=3\nLOOP endpc=4, iter_sd=d, iter=3\n\
                RACCU mode=idle\nHALT";
    let mut joined = first.clone();
    joined.join(&varied_like(Some(&first), &[], text, 400, &long));
    let expected = "fails only if LOOP iter is 20 or more (in both cases varied)";
    assert_eq!(joined.decisive().unwrap(), expected);

    // The bound differs.
    let far = |case: &Case| {
        let least = if value(case, "PERM", "block") == 1 { 20 } else { 3 };
        (value(case, "PERM", "distance") >= least).then_some("perm PERM")
    };
    let first = varied("PERM mode=shr_zero, block=0, distance=9\nHALT", 400, &far);
    let text = "PERM mode=shr_zero, block=1, distance=40\nHALT";
    let other = varied_like(Some(&first), &[], text, 400, &far);
    let mut joined = first.clone();
    joined.join(&other);
    joined.join(&other);
    let found = joined.decisive().unwrap();
    assert!(found.ends_with("(here; not the same in all 3 cases varied)"), "{found}");
    assert_eq!(joined.factors, first.factors);
}

/// If the limit is reached, the result says so, does not claim that the rest does not matter, and is always the same.
#[test]
fn a_limit_is_reported() {
    let limited = || varied("DPU mode=add, acc_clear=3\nHALT", 36, &|_| Some("any DPU"));
    let variation = limited();
    assert_eq!((variation.runs, variation.stopped), (36, Some(VariationLimit::Runs)));
    let rest = variation.factors.iter().filter(|f| f.role == FactorRole::NoEffect);
    let names: Vec<_> = rest.map(|f| f.failing.len()).collect();
    assert_eq!(names, [32, 4], "mode and control");
    assert!(variation.others().last().unwrap().contains("stopped at the limit"));
    assert_eq!(limited(), variation);
}
