// SPDX-License-Identifier: MIT OR Apache-2.0
//! Small modules with mutants that a comparison proves to be equal, and mutants that it must not. Where Yosys is
//! not installed the tests say so and pass, unless `DRRA_YOSYS=required` is set.

use std::path::Path;

use drra_mutate::Design;
use drra_mutate::Operator;

use super::*;

/// A register of two flip-flops, one of which enters a part of the module.
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

/// What Yosys says of a script that is refused, and of one that finds a loop.
const FAILED: [&str; 2] = ["ERROR: Assertion failed", "SCCs but expected 0"];

/// True if Yosys is there; says so if not.
fn installed() -> bool {
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/yosys").is_dir();
    if !installed {
        assert!(std::env::var_os("DRRA_YOSYS").is_none(), "Yosys is required: .ci/synthesize");
        println!("skipped: no Yosys in target/yosys; .ci/synthesize installs it");
    }
    installed
}

/// Compares a change of the first module in its view with a number, and after it other texts of that module: what
/// the log of each says, and whether it is a proof.
fn compared(
    modules: &[(&str, &str)],
    number: usize,
    (old, new): (&str, &str),
    others: &[&str],
) -> Vec<(String, bool)> {
    let (folder, run) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let files = modules.iter().map(|(name, text)| (format!("{name}.sv"), (*text).to_owned()));
    let files: Vec<(String, String)> = files.collect();
    for (name, text) in &files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let design = Design::read(&files).unwrap();
    let mutant = design.planted(&files[0].0, old, new, Operator::Constant).unwrap().mutant;
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).to_owned();
    let rtl = Rtl { project, folder: folder.path().to_owned(), files, design };
    let stop = AtomicBool::new(false);
    let prover = Prover::new(&rtl, run.path(), "2x1", 1, &stop).unwrap();
    let changed = mutant.apply(modules[0].1);
    let texts: Vec<&str> = [&*changed].into_iter().chain(others.iter().copied()).collect();
    let numbered = |number| Mutant { number, ..mutant.clone() };
    let mutants: Vec<Mutant> = (0..).map(numbered).take(texts.len()).collect();
    for (mutant, text) in mutants.iter().zip(texts) {
        prover.write(&format!("mutants/{}.sv", mutant.number), text).unwrap();
    }
    let view = &views(&rtl.design, modules[0].0, ("2", "1"))[number][..1];
    prover.compare(0, &view[0], &mutants.iter().collect::<Vec<_>>()).unwrap();
    let said = mutants.iter().map(|mutant| prover.said(mutant));
    said.map(|said| (said.clone(), proved(&said, view))).collect()
}

#[test]
fn a_register_that_enters_a_part_is_compared() {
    if !installed() {
        return;
    }
    let modules = [("part", PART), ("example", COUNTER)];
    let proved = |change| compared(&modules, 1, change, &[])[0].1;
    assert!(proved(("count_i[0] ? 2'd1 : 2'd2", "!count_i[0] ? 2'd2 : 2'd1")));
    assert!(!proved(("2'd2", "2'd3")));
}

#[test]
fn a_comparison_that_does_not_cut_the_registers_is_no_proof() {
    if !installed() {
        return;
    }
    let equal = ("!parity", "parity ^ 1'b1");
    // A register that is not cut would become a wire that is its own next value, which no value is.
    let named = NAMES.replace("parity", "parity_q");
    let uncut = NAMES.replace("count_q", "count");
    let [(_, true), (said, false)] = &compared(&[("example", NAMES)], 0, equal, &[&uncut])[..]
    else {
        panic!("the first one is proved, the second one is not");
    };
    let failed = |said: &str| FAILED.iter().any(|failed| said.contains(failed));
    assert!(failed(said), "{said}");
    let looped = NAMES.replace("= count_q;", "= d_i + 8'd2;").replace("^d_i", "^count_q");
    for (text, change) in [
        (looped, ("d_i + 8'd2", "d_o + 8'd2")),
        (uncut, ("8'd1", "8'd2")),
        (named.clone(), ("!parity_q", "parity_q ^ 1'b1")),
        (named.replace("^d_i", "count_q[0]"), ("!parity_q", "parity_q ^ 1'b1")),
        (NAMES.replace("posedge", "negedge"), equal),
        (NAMES.replace("posedge clk_i", "posedge d_i[0]"), equal),
    ] {
        let all = compared(&[("example", &text)], 0, change, &[]);
        assert!(!all[0].1 && failed(&all[0].0), "{}", all[0].0);
    }
}
