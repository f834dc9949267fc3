// SPDX-License-Identifier: MIT OR Apache-2.0
//! Small modules, each with an equivalent mutant and some mutants that are not equivalent. If Yosys is not installed,
//! the tests report this and pass, unless `DRRA_HDL_TOOLS=required` is set.

use drra_testkit::{PROJECT, skip};

use super::*;
use crate::{
    DesignModules, MutantCandidate, Operator, candidates, guarded,
    record::ProofVerdict,
    tools::{TIMED_OUT, Tools},
};

/// The tools, if they are installed.
fn tools() -> Option<Tools> {
    let tools = Tools::installed(PROJECT.as_ref());
    if tools.is_none() {
        skip("DRRA_HDL_TOOLS", "slang and Yosys are not installed: .ci/synthesize");
    }
    tools
}

/// A register that two processes write; the bits written by one of them enter an instance of `part`.
const COUNTER: &str = "module example (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [1:0] d_i,
  output logic [7:0] d_o
);
  logic [7:0] core_q;
  logic [1:0] advance;
  part u_part (
    .count_i  (core_q[5:0]),
    .advance_o(advance)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) core_q[7:6] <= 2'd0;
    else         core_q[7:6] <= d_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) core_q[5:0] <= 6'd0;
    else         core_q[5:0] <= core_q[5:0] + 6'(advance);
  end
  assign d_o = core_q;
endmodule
";
const PART: &str = "module part (
  input  logic [5:0] count_i,
  output logic [1:0] advance_o
);
  assign advance_o = count_i[0] ? 2'd1 : 2'd2;
endmodule
";

/// A register and a wire.
const NAMES: &str = "module example (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [7:0] d_i,
  output logic [7:0] d_o,
  output logic       p_o
);
  logic [7:0] count_q;
  logic       parity;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else         count_q <= count_q + 8'd1;
  end
  assign parity = ^d_i;
  assign d_o    = count_q;
  assign p_o    = !parity;
endmodule
";

/// The output of Yosys for a script whose assertion fails, and for a script that finds a loop.
const FAILED: [&str; 2] = ["ERROR: Assertion failed", "SCCs but expected 0"];

/// The results for changes of the first module of a design whose top is `example`, each with its log.
fn found(
    tools: &Tools,
    modules: &[(&str, &str)],
    changes: &[(&str, &str)],
) -> Vec<(MutantResult, String)> {
    let file = format!("{}.sv", modules[0].0);
    results(tools, modules, &|design| {
        let planted = |&(old, new)| design.planted(&file, old, new, Operator::Constant);
        changes.iter().map(|change| planted(change).unwrap()).collect()
    })
}

/// The results for mutants of a design whose top is `example`, each with its log.
fn results(
    tools: &Tools,
    modules: &[(&str, &str)],
    mutants: &dyn Fn(&DesignModules) -> Vec<MutantCandidate>,
) -> Vec<(MutantResult, String)> {
    let (folder, run) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut list = String::new();
    for (name, text) in modules {
        fs::write(folder.path().join(format!("{name}.sv")), text).unwrap();
        list += &format!("{name}.sv\n");
    }
    fs::write(folder.path().join("rtl.f"), list).unwrap();
    let rtl = RtlProject::in_folder(tools.clone(), PROJECT.as_ref(), folder.path()).unwrap();
    let numbered = |(c, number): (MutantCandidate, u32)| Mutant { number, ..c.mutant };
    let mutants: Vec<Mutant> = mutants(&rtl.design).into_iter().zip(0..).map(numbered).collect();
    let stop = AtomicBool::new(false);
    let prover =
        Prover { top: "example", ..Prover::new(&rtl, run.path(), "2x1", 1, &stop).unwrap() };
    let mut all = Vec::new();
    prover
        .prove(&mutants, &mut |number, found| {
            let said = prover.said(&mutants[number as usize]);
            all.push((found, said));
            Ok(())
        })
        .unwrap();
    all
}

fn is_proved((found, _): &(MutantResult, String)) -> bool {
    matches!(found, MutantResult::Equivalent { .. })
}

#[test]
fn a_register_that_enters_a_part_is_compared() {
    let Some(tools) = tools() else { return };
    let changes = [("count_i[0] ? 2'd1 : 2'd2", "!count_i[0] ? 2'd2 : 2'd1"), ("2'd2", "2'd3")];
    let part = found(&tools, &[("part", PART), ("example", COUNTER)], &changes);
    assert_eq!(part.iter().map(is_proved).collect::<Vec<_>>(), [true, false], "{part:?}");
    let changes =
        [("core_q[5:0] + 6'(advance)", "6'(advance) + core_q[5:0]"), ("<= d_i", "<= ~d_i")];
    let whole = found(&tools, &[("example", COUNTER), ("part", PART)], &changes);
    assert_eq!(whole.iter().map(is_proved).collect::<Vec<_>>(), [true, false], "{whole:?}");
}

#[test]
fn a_comparison_that_does_not_cut_the_registers_is_no_proof() {
    let Some(tools) = tools() else { return };
    let equal = ("!parity", "parity ^ 1'b1");
    let named = NAMES.replace("parity", "parity_q");
    let looped = NAMES.replace("= count_q;", "= d_i + 8'd2;").replace("^d_i", "^count_q");
    // A register that is not cut would become a wire that equals its own next value, and no value satisfies this
    // condition.
    let uncut = NAMES.replace("count_q", "count");
    assert!(is_proved(&found(&tools, &[("example", NAMES)], &[equal])[0]));
    for (text, change) in [
        (looped, ("d_i + 8'd2", "d_o + 8'd2")),
        (uncut, ("8'd1", "8'd2")),
        (named.clone(), ("!parity_q", "parity_q ^ 1'b1")),
        (named.replace("^d_i", "count_q[0]"), ("!parity_q", "parity_q ^ 1'b1")),
        (NAMES.replace("posedge", "negedge"), equal),
        (NAMES.replace("posedge clk_i", "posedge d_i[0]"), equal),
    ] {
        let all = found(&tools, &[("example", &text)], &[change]);
        let failed = FAILED.iter().any(|failed| all[0].1.contains(failed));
        assert!(failed && !is_proved(&all[0]), "{all:?}");
    }
}

/// A guard that cannot hold makes a mutant equivalent; one that holds in some state does not.
#[test]
fn a_proof_takes_the_guard_into_account() {
    let Some(tools) = tools() else { return };
    for (bits, equivalent) in [("{3{d_i[0]}}", true), ("d_i[2:0]", false)] {
        let signals = format!("logic parity;\n  logic [2:0] bits;\n  assign bits = {bits};");
        let text = NAMES.replace("logic       parity;", &signals);
        // The statement reads what would be preferred.
        let text = text.replace("= !parity;", "= !parity ^ count_q[0] ^ d_i[7] ^ d_o[1];");
        let all = results(&tools, &[("example", &text)], &|design| {
            let all = candidates(design);
            let drawn = (0..60).flat_map(|seed| guarded(design, &all, &[], seed, all.len()));
            let inverter = drawn.filter(|c| c.mutant.before == "!parity");
            let two = |c: &MutantCandidate| c.mutant.guard.as_ref().unwrap().when == "bits == 3'd2";
            inverter.filter(two).take(1).collect()
        });
        assert_eq!(all.iter().map(is_proved).collect::<Vec<_>>(), [equivalent], "{all:?}");
    }
}

#[test]
fn a_mutant_that_yosys_refuses_does_not_stop_those_after_it() {
    let Some(tools) = tools() else { return };
    let changes = [("8'd1", "nothing"), ("!parity", "parity ^ 1'b1"), ("!parity", "parity")];
    let all = found(&tools, &[("example", NAMES)], &changes);
    assert!(
        matches!(&all[0].0, MutantResult::Illegal { message } if message.contains("nothing")),
        "{all:?}"
    );
    assert_eq!(all[1..].iter().map(is_proved).collect::<Vec<_>>(), [true, false], "{all:?}");
}

#[test]
fn a_proof_that_cannot_run_is_not_decided() {
    let Some(tools) = tools() else { return };
    let equal = ("!parity", "parity ^ 1'b1");
    let refused = found(&tools, &[("example", &NAMES.replace("posedge", "negedge"))], &[equal]);
    assert!(matches!(refused[0].0, MutantResult::NotDecided { .. }), "{refused:?}");
    let differs = found(&tools, &[("example", NAMES)], &[("!parity", "parity")]);
    assert!(matches!(differs[0].0, MutantResult::NotProved { .. }), "{differs:?}");
}

#[test]
fn a_proof_answers_for_every_instance() {
    let one = format!("{ASKED} a\n{PROVED}\n");
    let other = format!("{ASKED} b\nmodel found: FAIL!\n");
    assert!(proved(&format!("{one}{one}{END}\n"), 2));
    for log in [format!("{one}{END}\n"), format!("{one}{other}{END}\n"), format!("{one}{one}")] {
        assert!(!proved(&log, 2), "{log}");
    }
    assert!(!proved(&format!("{END}\n"), 0), "nothing was asked");
}

/// A script that stands for the proof: it reads the mutant, and its exit code is in the text of the mutant.
const PROOF: &str = "\
import pathlib, sys
options = sys.argv[1:]
assert options[:2] == ['--module', 'example'], options
text = (pathlib.Path(options[-1]) / 'example.sv').read_text()
print('differs')
sys.exit(int(text.split(\"8'd\")[1][0]))
";

#[test]
fn the_exit_code_of_the_proof_is_the_verdict() {
    let Some(tools) = tools() else { return };
    let project = tempfile::Builder::new().prefix("ä 'b").tempdir().unwrap();
    let (proofs, rtl) = (project.path().join("tests/proofs"), project.path().join("rtl"));
    fs::create_dir_all(&proofs).unwrap();
    fs::create_dir(&rtl).unwrap();
    fs::write(proofs.join("prove.py"), PROOF).unwrap();
    let original = NAMES.replace("8'd1", "8'd9");
    fs::write(rtl.join("example.sv"), &original).unwrap();
    fs::write(rtl.join("rtl.f"), "example.sv\n").unwrap();
    let rtl = RtlProject::in_folder(tools, project.path(), &rtl).unwrap();
    let (run, stop) = (project.path().join("run"), AtomicBool::new(false));
    let prover = Prover::new(&rtl, &run, "2x1", 1, &stop).unwrap();
    let verdict = |new: &str| {
        let planted = rtl.design.planted("example.sv", "8'd9", new, Operator::Constant);
        let found = prover.against_chapter(&planted.unwrap().mutant).unwrap();
        let MutantResult::Chapter { verdict, log, said } = found else { panic!("{found:?}") };
        assert_eq!(fs::read_to_string(run.join(log)).unwrap(), format!("{said}\n"));
        assert_eq!(fs::read_to_string(run.join("proofs/rtl/example.sv")).unwrap(), original);
        assert!(said.starts_with("differs"), "{said}");
        verdict
    };
    assert_eq!(
        ["8'd0", "8'd1", "8'd2", "8'd3"].map(verdict),
        [
            ProofVerdict::Equal,
            ProofVerdict::Differs,
            ProofVerdict::NotDecided,
            ProofVerdict::NotDecided
        ]
    );
}

#[test]
fn what_takes_too_long_is_interrupted() {
    let Some(tools) = tools() else { return };
    tools.prepare(&|_| {}).unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("script.ys"), "").unwrap();
    let said = tools.yosys(folder.path(), "script.ys", Duration::ZERO, &|| 0).unwrap();
    assert!(said.ends_with(TIMED_OUT), "{said}");
}
