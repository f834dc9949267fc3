// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares schedules and expected end states with runs of the golden model.

use drra_case::{Case, programs};
use drra_isa::{Assembler, Assembly, CellId, Geometry, SourceLine};
use drra_lockstep::{
    DecodeTimes, EndRule, EndState, GoldenRun, Schedule, ScheduleComparison, ScheduleDeviation,
    ScheduleError, Slice,
};

fn geometry() -> Geometry {
    Geometry::default()
}

fn assembled(text: &str) -> Assembly {
    Assembler::default().assemble(text).unwrap()
}

/// The program with these fetch cycles, in the order of its lines.
fn scheduled(text: &str, fetch: &[u64]) -> Assembly {
    let mut assembly = assembled(text);
    assert_eq!(assembly.lines.len(), fetch.len());
    let lines = assembly.lines.into_iter().zip(fetch);
    assembly.lines =
        lines.map(|(line, fetch)| SourceLine { fetch: Some(*fetch), ..line }).collect();
    assembly
}

/// Runs a program to its end and compares it with a schedule.
fn compare(program: &str, schedule: &Assembly) -> ScheduleComparison {
    let assembly = assembled(program);
    let case = Case::new("p", &geometry(), assembly.image, assembly.memory);
    Schedule::new(schedule).unwrap().compare(&case.program, |_| false, &run_to_end(&case).1)
}

/// The length of a run to its end, and its decode times.
fn run_to_end(case: &Case) -> (u64, DecodeTimes) {
    let mut run = GoldenRun::new(case);
    let mut times = DecodeTimes::new(&geometry());
    let mut end = EndRule::new(case, None);
    while !end.ends(run.cycle, || run.quiet()) {
        times.look(&run.fabric, run.cycle);
        run.step();
    }
    (run.cycle, times)
}

fn vec_add() -> &'static str {
    programs::ALL[0].text
}

/// Fetch cycles of vec_add, as published in chapter 2, 11.1.
const VEC_ADD: [u64; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 34];

#[test]
fn vec_add_keeps_its_published_schedule() {
    let timed = compare(vec_add(), &scheduled(vec_add(), &VEC_ADD));
    assert_eq!((timed.compared, timed.skipped, timed.deviations.len()), (16, 0, 0));
    let mut late = VEC_ADD;
    late[13] = 15;
    let timed = compare(vec_add(), &scheduled(vec_add(), &late));
    let [(instruction, deviation)] = &timed.deviations[..] else { panic!("{timed:?}") };
    assert_eq!((instruction.address, instruction.fetch), (24, 15));
    assert_eq!(*deviation, ScheduleDeviation::Cycle { cycle: 16, expected: 15 });
    assert!(deviation.to_string().ends_with("1 late"));
}

#[test]
fn the_first_deviation_is_the_earliest() {
    let mut late = VEC_ADD;
    (late[12], late[2]) = (13, 3);
    let timed = compare(vec_add(), &scheduled(vec_add(), &late));
    let addresses: Vec<usize> = timed.deviations.iter().map(|(i, _)| i.address).collect();
    assert_eq!(addresses, [4, 23]);
}

/// Cell (1,0) starts one cycle after cell (0,0).
#[test]
fn cycles_count_from_the_cell_or_from_the_fabric() {
    let program = "CELL <0,0>\nWAIT cycle=3\nHALT\nCELL <1,0>\nWAIT cycle=3\nHALT";
    for (fetch, deviations) in [
        ([0, 4, 0, 4], 0),
        ([0, 4, 1, 5], 0),
        ([0, 4, 0, 5], 1),
        ([0, 4, 1, 4], 1),
        ([0, 4, 2, 6], 2),
    ] {
        let timed = compare(program, &scheduled(program, &fetch));
        assert_eq!(timed.deviations.len(), deviations, "{fetch:?}: {timed:?}");
    }
    // A schedule of only one of the two cells is incomplete.
    let timed = compare(program, &scheduled("WAIT cycle=3\nHALT", &[0, 4]));
    let missing: Vec<_> = timed.deviations.iter().map(|(i, d)| (i.cell, i.address, d)).collect();
    let cell = CellId::new(1, 0).unwrap();
    assert_eq!(
        missing,
        [(cell, 0, &ScheduleDeviation::Unscheduled), (cell, 1, &ScheduleDeviation::Unscheduled)]
    );
    assert_eq!(timed.compared, 4);
}

/// In a schedule of another version of the program, missing or additional instructions and different fields are
/// deviations, but different padding is not.
#[test]
fn a_schedule_that_is_cut_or_stale_deviates() {
    let program = "REFI port_no=r0, l1_iter=3\nWAIT cycle=3\nDPU mode=add\nHALT";
    let deviations = |schedule: &str, fetch: &[u64]| -> Vec<(usize, String)> {
        let timed = compare(program, &scheduled(schedule, fetch));
        timed.deviations.iter().map(|(i, d)| (i.address, d.to_string())).collect()
    };
    assert_eq!(deviations(program, &[0, 1, 5, 6]), []);
    let padded = program.replace("mode=add", "mode=add, unused_0=3");
    assert_eq!(deviations(&padded, &[0, 1, 5, 6]), []);
    let cut = program.rsplit_once("\nDPU").unwrap().0;
    let missing = "not in the schedule".to_owned();
    assert_eq!(deviations(cut, &[0, 1]), [(2, missing.clone()), (3, missing)]);
    let longer = format!("{program}\nHALT");
    let nothing = "no instruction of the program begins there".to_owned();
    assert_eq!(deviations(&longer, &[0, 1, 5, 6, 7]), [(4, nothing)]);
    let fields = program.replace("l1_iter=3", "l1_iter=4");
    let [(0, text)] = &deviations(&fields, &[0, 1, 5, 6])[..] else { panic!("one field differs") };
    assert!(text.starts_with("the program has REFI ") && text.contains("l1_iter=3"), "{text}");
}

#[test]
fn what_is_not_decoded_is_passed_over_or_deviates() {
    let program = "JUMP pc=end\nWAIT cycle=9\nend: HALT";
    let timed = compare(program, &scheduled(program, &[0, 1, 1]));
    assert_eq!((timed.compared, timed.skipped, timed.deviations.len()), (2, 1, 0));
    let program = "HALT\nWAIT cycle=9";
    let timed = compare(program, &scheduled(program, &[0, 1]));
    assert_eq!(timed.deviations[0].1, ScheduleDeviation::Never);
    let timed = compare("HALT", &scheduled("WAIT cycle=0\nHALT", &[0, 1]));
    let found: Vec<_> = timed.deviations.into_iter().map(|(_, d)| d).collect();
    let other = |text: Option<&str>| ScheduleDeviation::Instruction(text.map(str::to_owned));
    assert_eq!(found, [other(Some("HALT")), other(None)]);
}

/// A loop is compared in its first iteration.
#[test]
fn an_instruction_in_a_loop_has_the_cycle_of_its_first_run() {
    let program = "LOOP loopid=0, endpc=e, iter=3\ne: WAIT cycle=1\nHALT";
    let timed = compare(program, &scheduled(program, &[0, 1, 7]));
    assert!(timed.deviations.is_empty(), "{timed:?}");
}

#[test]
fn a_schedule_without_cycles_is_refused() {
    assert_eq!(Schedule::new(&assembled("\nHALT")).unwrap_err(), ScheduleError::NoFetch(2));
    assert_eq!(Schedule::new(&assembled("")).unwrap_err(), ScheduleError::Empty);
}

/// The differences at the end of vec_add.
fn unexpected(text: &str) -> Vec<String> {
    let case = programs::ALL[0].case(&geometry()).unwrap();
    let mut run = GoldenRun::new(&case);
    (0..98).for_each(|_| run.step());
    let expected = EndState::read(text, &geometry()).unwrap_or_else(|e| panic!("{e}: {text}"));
    expected.check(&mut run).iter().map(ToString::to_string).collect()
}

/// The contents of the tile of vec_add do not change, but the contents of the register file do.
fn tile_memory() -> &'static str {
    include_str!("../../../../isa/tests/data/vec_add.mem.expected").split_once("\n\n").unwrap().0
}

#[test]
fn end_states_are_compared() {
    let nothing: [&str; 0] = [];
    for text in [
        "cell[0][0].rf.mem[32] = 16 18 0x14 22",
        "# comment\n\n# END cell[0][0].rf.mem[33] = 18\nHALT is ignored",
        "cell[0][0].rf.mem[48..63] = 0\ncell[0][0].dpu.mode_reg = 1 # of the last instruction",
        "tile[1][0].sram[4..127] = 0",
        "tile[1][0].sram[0] = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
        "tile[1][0].sram[1] = 0x001f001e001d001c001b001a0019001800170016001500140013001200110010",
        "output_buffer[0][0..3] = 0",
        "cell[0][0].rf.mem[32..35],width=8 = 16 0 18 0 20 0 22 0",
        "cell[0][0].rf.mem[33],width=4 = 2 1 0 0 4 1",
        "cell[0][0].rf.mem[32..37],offset=1,stride=2 = 18 22 26",
        "# END tile[1][0].sram[0], offset=3, stride=5 = 3 8 13 18",
        tile_memory(),
    ] {
        assert_eq!(unexpected(text), nothing, "{text}");
    }
    assert_eq!(
        unexpected("\ncell[0][0].rf.mem[32] = 16 19"),
        ["cell[0][0].rf.mem[33] is 18 (0x12), expected 19 (0x13) (line 2)"]
    );
    // Words are signed, unless the text writes unsigned ones.
    for (values, shown) in [
        ("-1", "-1 (0xffff)"),
        ("0xffff", "-1 (0xffff)"),
        ("65535", "65535 (0xffff)"),
        ("0xffff 65535", "65535 (0xffff)"),
        ("65535 -1", "-1 (0xffff)"),
    ] {
        assert_eq!(
            unexpected(&format!("cell[0][0].rf.mem[0] = {values}"))[0],
            format!("cell[0][0].rf.mem[0] is 0 (0x0), expected {shown} (line 1)")
        );
    }
    assert_eq!(
        unexpected("cell[0][0].dpu.bw_reg = 2"),
        ["cell[0][0].dpu.bw_reg is 0 (0x0), expected 2 (0x2) (line 1)"]
    );
    // The highest bit of another register is no sign.
    assert_eq!(
        unexpected("cell[0][0].dpu.bw_reg = 2\ncell[0][0].rf.mem[0] = 0xffff")[1],
        "cell[0][0].rf.mem[0] is 0 (0x0), expected -1 (0xffff) (line 2)"
    );
    assert_eq!(unexpected("tile[1][0].sram[0..1] = 5").len(), 31);
    assert_eq!(unexpected("output_buffer[0][7] = 1").len(), 1);
    let memory = tile_memory().replacen("000f", "000e", 1);
    assert_eq!(
        unexpected(&memory),
        ["tile[1][0].sram[0] word 15 is 15 (0xf), expected 14 (0xe) (line 2)"]
    );
}

#[test]
fn end_states_that_cannot_be_meant_are_refused() {
    for (text, line) in [
        ("", 1),
        ("# only a comment", 1),
        ("cell[0][0].rf.mem[32] 1", 1),
        ("\ncell[0][0].rf.mem[64] = 1", 2),
        ("cell[0][0].rf.mem[63] = 1 2", 1),
        ("cell[0][0].rf.mem[32] = 65536", 1),
        ("cell[0][0].rf.mem[32] = -32769", 1),
        ("cell[0][0].rf.mem[32] = 0x1ffff", 1),
        ("cell[0][0].rf.mem[0..3] = 1 2", 1),
        ("cell[0][0].rf.mem[3..0] = 1", 1),
        ("tile[1][0].sram[0..128] = 0", 1),
        ("tile[1][0].sram[0..18446744073709551615] = 0", 1),
        ("tile[0][0].sram[0] = 0", 1),
        ("output_buffer[8][0] = 0", 1),
        ("output_buffer[0][33554432] = 0", 1),
        ("cell[0][0].rf.mem[32] =", 1),
        ("SRAM 0 0\n200 00\n", 2),
        // No expectation is passed over silently.
        ("# END cell[0][0].rf.mem[0] = 1\ncell[0][0].rf.mem[64] = 7", 2),
        ("# END cell[0][0].rf.mem[0] = 1\n# At 5 cell[0][0].seq.pc = 1", 2),
        ("## END: tile[1][0].sram[0] = 1", 1),
        ("# END cell[0][0].rf.mem[0] = 1\nAT 5 cell[0][0].seq.pc = 64", 2),
        // The range is that of the last index.
        ("cell[0..1][0].rf.mem[32] = 16 18", 1),
        ("output_buffer[1..2][0] = 0", 1),
        ("output_buffer[0][0..65535],width=1 = 0", 1),
        ("SRAM 0 0\n", 1),
    ] {
        let error = EndState::read(text, &geometry()).unwrap_err();
        assert_eq!(error.line, line, "{text}: {error}");
    }
}

/// Reads expectations beside a program and runs it; the differences are these lines. PC stands for the program counter
/// of cell (0,0), LAST for the cycle after the last edge, and NEXT for the one after that.
#[track_caller]
fn check_times(program: &str, expected: &str, differences: &str) {
    let assembly = assembled(program);
    let case = Case::new("p", &geometry(), assembly.image, assembly.memory);
    let (cycles, times) = run_to_end(&case);
    let full = |text: &str| {
        let text = text.replace("PC", "cell[0][0].seq.pc").replace("LAST", &cycles.to_string());
        text.replace("NEXT", &(cycles + 1).to_string())
    };
    let state = EndState::read_with_labels(&full(expected), &geometry(), &assembly.labels).unwrap();
    let found = state.check_times(&case, &times, cycles);
    let found: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found.join("\n"), full(differences), "{expected}");
}

/// Two words are loaded in cycles 0 and 1, so the first is decoded in cycle 3 (chapter 2, section 4). A WAIT of 3 cycles
/// delays the next instruction by 4 (chapter 1, 7.2). An instruction is decoded while `pc` is its address.
#[test]
fn values_are_expected_in_cycles_and_after_labels() {
    let waiting = "WAIT cycle=3\ngo: HALT";
    for text in ["# END PC = 9\n#AT 6 PC = 0 # why", "AT 7 PC = 1", "AT go PC = 1"] {
        check_times(waiting, text, "");
    }
    check_times(
        waiting,
        "AT cell[0][0]:go+0 PC = 5\nAT 6 PC = 1\nAT NEXT PC = 9\nAT LAST PC = 0",
        "PC, expected 9 (0x9): cycle NEXT is after the end of the run, cycle LAST (line 3)\n\
         PC in cycle 6 is 0 (0x0), expected 1 (0x1) (line 2)\n\
         PC in cycle 7 is 1 (0x1), expected 5 (0x5) (line 1)",
    );
    // A LOOP has one word here, and its body is decoded in the cycle after it. The first iteration counts.
    let looping = "LOOP loopid=0, endpc=e, iter=3\ne: WAIT cycle=1\nHALT";
    let difference = "PC in cycle 5 is 1 (0x1), expected 9 (0x9) (line 1)";
    check_times(looping, "AT e PC = 9", difference);
    let skipping = "JUMP pc=end\nskipped: WAIT cycle=9\nend: HALT";
    let difference = "PC, expected 1 (0x1): skipped is never decoded (line 1)";
    check_times(skipping, "AT skipped PC = 1", difference);
    let labels = assembled("CELL <0,0>\ngo: HALT\nb: HALT\nCELL <0,1>\nb: HALT").labels;
    for time in ["og", "0:go", "go+", "go-1", "+1", "7x", "7+1", "", "b"] {
        let text = format!("\nAT {time} cell[0][0].seq.pc = 0");
        let error = EndState::read_with_labels(&text, &geometry(), &labels).unwrap_err();
        assert!(error.to_string().starts_with("line 2: `"), "{error}");
    }
}

/// At the end of vec_add, words 32 to 47 of the register file are 16, 18, ..., 46.
#[test]
fn slices_select_words_and_lanes() {
    for (text, difference) in [
        ("rf.mem[32],width=8 = 16 255", "rf.mem[32] lane 1 is 0 (0x0), expected 255 (0xff)"),
        ("rf.mem[32],width=8,signed = -1", "rf.mem[32] lane 0 is 16 (0x10), expected -1 (0xff)"),
        ("dpu.acc[0] = -2", "dpu.acc[0] is 0 (0x0), expected -2 (0xfffffffe)"),
    ] {
        let difference = format!("cell[0][0].{difference} (line 1)");
        assert_eq!(unexpected(&format!("cell[0][0].{text}")), [difference]);
    }
    let options = ["width=3", "width=32", "width=0", "stride=0", "stride=-1", "stride", "signed=1"];
    let options = options.iter().map(|option| format!("{option} = 0"));
    let values = ["base=1 = 0", "offset=1 = 0", "width=8 = 256", "width=8,signed = 128"];
    for option in options.chain(values.map(str::to_owned)) {
        let text = format!("cell[0][0].rf.mem[0],{option}");
        assert!(EndState::read(&text, &geometry()).is_err(), "{text}");
    }
}

#[test]
fn arrays_are_expected_and_read() {
    let case = programs::ALL[0].case(&geometry()).unwrap();
    let mut run = GoldenRun::new(&case);
    (0..98).for_each(|_| run.step());
    let slice = |text: &str| Slice::parse(text, &geometry()).unwrap();
    let sums = slice("cell[0][0].rf.mem[32],signed");
    let unexpected = EndState::of_array(&sums, &[16, 18, 20, 23]).unwrap().check(&mut run);
    let found = "cell[0][0].rf.mem[35] is 22 (0x16), expected 23 (0x17) (element 3)";
    assert_eq!(unexpected.iter().map(ToString::to_string).collect::<Vec<_>>(), [found]);
    assert!(EndState::of_array(&sums, &[0; 33]).is_err());
    assert_eq!(slice("cell[0][0].rf.mem[33],width=4").values(&mut run), [2, 1, 0, 0]);
    assert_eq!(slice("tile[1][0].sram[1]").values(&mut run), (16..32).collect::<Vec<_>>());
    assert_eq!(slice("cell[0][0].dpu.acc[0..1]").values(&mut run), [0; 2]);
    assert_eq!(run.memory().sram, case.memory.sram);
}
