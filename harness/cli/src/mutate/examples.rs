// SPDX-License-Identifier: MIT OR Apache-2.0
//! Small modules, each with a mutant that one way proves to be equal and with some that are not. Where Yosys is
//! not installed the tests say so and pass, unless `DRRA_YOSYS=required` is set.

use std::path::Path;

use drra_mutate::{Design, Operator};

use super::*;

/// A register that is looked at behind a read only.
const MEMORY: &str = "module example (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       re_i,
  input  logic [7:0] d_i,
  output logic       valid_o,
  output logic [7:0] d_o
);
  logic       valid_q;
  logic [7:0] mem_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      mem_q   <= 8'h00;
    end else begin
      valid_q <= re_i;
      if (re_i) mem_q <= d_i;
    end
  end
  assign valid_o = valid_q;
  assign d_o     = valid_q ? mem_q : '0;
endmodule
";

/// A register that is 0 whenever another one is.
const MESSAGE: &str = "module example (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       en_i,
  input  logic [7:0] d_i,
  output logic       valid_o,
  output logic [7:0] d_o
);
  logic       valid_q;
  logic [7:0] d_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      d_q     <= 8'h00;
    end else begin
      valid_q <= en_i;
      d_q     <= en_i ? d_i : 8'd0;
    end
  end
  assign valid_o = valid_q;
  assign d_o     = valid_q ? d_q : 8'b0;
endmodule
";

/// Two inputs that choose.
const CHOICE: &str = "module example (
  input  logic       a_i,
  input  logic       b_i,
  input  logic [7:0] x_i,
  input  logic [7:0] y_i,
  output logic [7:0] r_o
);
  logic [7:0] r;
  assign r   = a_i ? x_i + y_i : x_i;
  assign r_o = b_i ? r : y_i;
endmodule
";

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

/// The folder of the project.
const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// What Yosys says of a script that is refused, and of one that finds a loop.
const FAILED: [&str; 2] = ["ERROR: Assertion failed", "SCCs but expected 0"];

/// True if Yosys is there; says so if not.
fn installed() -> bool {
    let installed = Path::new(PROJECT).join("target/yosys").is_dir();
    if !installed {
        assert!(std::env::var_os("DRRA_YOSYS").is_none(), "Yosys is required: .ci/synthesize");
        println!("skipped: no Yosys in target/yosys; .ci/synthesize installs it");
    }
    installed
}

/// True if a way proves the change of a module, after a comparison that took too long if `slow`.
fn holds(way: Way, slow: bool, text: &str, (old, new): (&str, &str)) -> bool {
    let files = [("example", text)];
    in_a_view(&files, 0, (old, new), &|prover, view, mutant| {
        let miter = prover.miter(view, mutant).unwrap_or_else(|| panic!("{}", prover.said(mutant)));
        let miter = Miter { timed_out: slow, ..miter };
        fs::write(prover.log(mutant), "").unwrap();
        if let Some(question) = way(&miter, view, &prover.log_name(mutant)) {
            prover.answer(0, view, mutant, "tried", &question).unwrap();
        }
    })
}

/// True if a change of the first module is proved in its view with a number, by a plain comparison and what
/// is done after it.
fn in_a_view(
    modules: &[(&str, &str)],
    number: usize,
    (old, new): (&str, &str),
    then: &dyn Fn(&Prover<'_>, &View, &Mutant),
) -> bool {
    let (folder, run) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let files = modules.iter().map(|(name, text)| (format!("{name}.sv"), (*text).to_owned()));
    let files: Vec<(String, String)> = files.collect();
    for (name, text) in &files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let design = Design::read(&files).unwrap();
    let mutant = design.planted(&files[0].0, old, new, Operator::Constant).unwrap().mutant;
    let project = Path::new(PROJECT).to_owned();
    let rtl = Rtl { project, folder: folder.path().to_owned(), files, design };
    let stop = AtomicBool::new(false);
    let prover = Prover::new(&rtl, run.path(), "2x1", 1, &stop).unwrap();
    prover.write("mutants/0.sv", &mutant.apply(modules[0].1)).unwrap();
    let view = views(&rtl.design, modules[0].0, ("2", "1")).remove(number).remove(0);
    prover.compare(0, &view, &[&mutant]).unwrap();
    then(&prover, &view, &mutant);
    proved(&prover.said(&mutant), &[view])
}

/// One change that is proved, and some that are not.
fn try_all(way: Way, slow: bool, text: &str, equal: (&str, &str), different: &[(&str, &str)]) {
    assert!(holds(way, slow, text, equal), "{equal:?}");
    for change in different {
        assert!(!holds(way, slow, text, *change), "{change:?}");
    }
}

#[test]
fn a_register_may_differ_until_somebody_looks_at_it() {
    if !installed() {
        return;
    }
    let different = [
        ("1'b0", "1'b1"),                  // the other register is looked at
        ("mem_q <= d_i", "mem_q <= re_i"), // it is looked at after the next read
        ("valid_q <= re_i", "valid_q <= 1'b1"),
        ("mem_q : '0", "mem_q : d_i"), // no register differs
    ];
    try_all(own::question, false, MEMORY, ("8'h00", "8'hff"), &different);
    let seen = MEMORY.replace("valid_q ? mem_q : '0", "mem_q");
    assert!(!holds(own::question, false, &seen, ("8'h00", "8'hff")));
}

#[test]
fn a_step_leads_to_states_in_which_one_register_follows_from_another() {
    if !installed() {
        return;
    }
    let different = [("8'b0", "8'b1"), ("d_q : 8'b0", "8'b0 : d_q")];
    try_all(step::question, false, MESSAGE, ("valid_q ? d_q : 8'b0", "d_q"), &different);
    let free = MESSAGE.replace("en_i ? d_i : 8'd0", "d_i");
    assert!(!holds(step::question, false, &free, ("valid_q ? d_q : 8'b0", "d_q")));
}

#[test]
fn each_case_has_to_be_equal() {
    if !installed() {
        return;
    }
    let sum = "a_i ? x_i + y_i : x_i";
    let different = [
        (sum, "a_i ? x_i - y_i : x_i"),       // where both are 1
        (sum, "a_i ? x_i + y_i : y_i"),       // where only b_i is
        ("r : y_i", "r : (a_i ? x_i : y_i)"), // where only a_i is
        ("r : y_i", "r : (a_i ? y_i : x_i)"), // where none is
    ];
    try_all(split::question, true, CHOICE, (sum, "a_i ? y_i - ~x_i - 8'd1 : x_i"), &different);
}

#[test]
fn a_register_that_enters_a_part_is_compared() {
    if !installed() {
        return;
    }
    let modules = [("part", PART), ("example", COUNTER)];
    let proved = |change| in_a_view(&modules, 1, change, &|_, _, _| ());
    assert!(proved(("count_i[0] ? 2'd1 : 2'd2", "!count_i[0] ? 2'd2 : 2'd1")));
    assert!(!proved(("2'd2", "2'd3")));
}

#[test]
fn a_comparison_that_does_not_cut_the_registers_is_no_proof() {
    if !installed() {
        return;
    }
    let equal = ("!parity", "parity ^ 1'b1");
    let named = NAMES.replace("parity", "parity_q");
    let looped = NAMES.replace("= count_q;", "= d_i + 8'd2;").replace("^d_i", "^count_q");
    // A register that is not cut would become a wire that is its own next value, which no value is.
    let uncut = NAMES.replace("count_q", "count");
    let no_proof = |prover: &Prover<'_>, view: &View, mutant: &Mutant| {
        let said = prover.said(mutant);
        let failed = FAILED.iter().any(|failed| said.contains(failed));
        assert!(failed && !proved(&said, std::slice::from_ref(view)), "{said}");
    };
    let two_at_once = |prover: &Prover<'_>, view: &View, mutant: &Mutant| {
        let other = Mutant { number: 1, ..mutant.clone() };
        fs::write(prover.log(mutant), "").unwrap();
        prover.write("mutants/1.sv", &uncut).unwrap();
        prover.compare(0, view, &[mutant, &other]).unwrap();
        no_proof(prover, view, &other);
    };
    assert!(in_a_view(&[("example", NAMES)], 0, equal, &two_at_once));
    for (text, change) in [
        (looped, ("d_i + 8'd2", "d_o + 8'd2")),
        (uncut.clone(), ("8'd1", "8'd2")),
        (named.clone(), ("!parity_q", "parity_q ^ 1'b1")),
        (named.replace("^d_i", "count_q[0]"), ("!parity_q", "parity_q ^ 1'b1")),
        (NAMES.replace("posedge", "negedge"), equal),
        (NAMES.replace("posedge clk_i", "posedge d_i[0]"), equal),
    ] {
        in_a_view(&[("example", &text)], 0, change, &no_proof);
    }
}

#[test]
fn what_takes_too_long_is_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("script.ys"), "").unwrap();
    let yosys = Yosys::at(folder.path().join("none"));
    let said = yosys.run(folder.path(), "script.ys", Duration::ZERO, &|| 0).unwrap();
    assert!(said.ends_with(crate::mutate::said::TIMED_OUT), "{said}");
}
