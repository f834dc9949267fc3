#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tests a user's own design in lock-step: DRRA_RTL with a renamed copy of rtl/.

The copy must agree on the bundled programs and in a campaign. A fault injected there must be found under the names of the
copy. Folders that cannot be built, and maps that do not fit, must be refused with a reason. A design that prints, violates
an assertion, ends the simulation or has a combinational loop must be reported as such, and one that crashes, hangs or
prints endlessly must cost a campaign only the cases concerned. State that is added to our own RTL must be reported, and no
verdict may depend on the cases before. Uses a small fabric and a separate target directory.

    check.py [SECONDS]      length of the campaign [default: 60]

DRRA_COLS and DRRA_TILE_ROWS select another size, DRRA_VERILATOR=system the system's Verilator.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "target" / "mutate"
WORK = TARGET / "rtl"
ENV = {"DRRA_COLS": "2", "DRRA_TILE_ROWS": "1"} | {
    name: os.environ[name] for name in ("DRRA_COLS", "DRRA_TILE_ROWS") if name in os.environ
} | {"CARGO_TARGET_DIR": str(TARGET)}
# The program with the usual sizes, which exists in most checkouts.
USUAL = {"DRRA_COLS": None, "DRRA_TILE_ROWS": None, "DRRA_VERILATOR": None, "CARGO_TARGET_DIR": str(ROOT / "target")}
MAKE = [sys.executable, str(ROOT / "tests" / "own-rtl" / "make.py")]


# The design prints or stops when a program with one of these words is loaded. The loop consists of two gates.
PRINT, VIOLATE, FINISH, LOOP = 0x7FFFFF1, 0x7FFFFF2, 0x7FFFFF3, 0x7FFFFF4
# In a campaign, each of several remainders of the sum of all words so far causes its own kind of failure. Single words
# would not be suitable, because most programs share some words.
HARM = 257
WATCH = f"""
  wire [26:0] word = prog_valid_i ? prog_instr_i : '0;
  logic [26:0] sum_q;
  wire [26:0] sum = sum_q + word;
  wire [8:0] harm = prog_valid_i ? 9'(sum % {HARM}) : '0;
  always_ff @(posedge clk_i) sum_q <= #1 rst_ni ? sum : '0;
  logic loop_q;
  initial loop_q = 1'b0;
  wire loop_a, loop_b;
  assign loop_a = loop_q & ~loop_b;
  assign loop_b = loop_a;
  import "DPI-C" context function int odd_count();
  export "DPI-C" function exported;
  function void exported(input int n); exported_n = n; endfunction
  int exported_n = 0;
  logic [7:0] rom[2];
  initial $readmemh("data/rom.hex", rom);
  initial if (rom[1] != 8'h2b) $fatal(1, "the file is not found");
  initial if (odd_count() % 2 != 1 || exported_n % 2 != 1) $fatal(1, "the imported function is wrong");
  initial if ($test$plusargs("verbose")) $fatal(1, "a plusarg was given");
  always_ff @(posedge clk_i) begin
    loop_q <= rst_ni & (loop_q | word == {LOOP} | harm == 1);
    if (word == {PRINT}) $display("the word was seen\\033[2J\\n::error::no command");
    if (word == {FINISH} | harm == 2) $finish;
    if (harm == 3) begin
      $display("last words");
      $c("abort();");
    end
    if (harm == 4) $c("for (volatile int i = 0;; i = i);");
    if (harm > 200) $warning("an odd sum");
    if (harm == 5) for (int i = 0; i < 100_000; i++) $display("a line of many");
  end
  typedef struct {{
    logic first;
    logic [5:0] others;
  }} unpacked_t;
  unpacked_t unpacked;
  always_ff @(posedge clk_i) {{unpacked.first, unpacked.others}} <= word[6:0];
  logic gated;
  wire gated_clk = clk_i & rst_ni;
  always_ff @(posedge gated_clk or negedge rst_ni) if (!rst_ni) gated <= 0;
  always_comb if (rst_ni & gated) $error("a register behind a clock gate was not reset");
  watch i_watch (.clk_i, .word, .harm);
endmodule

module watch (input logic clk_i, input logic [26:0] word, input logic [8:0] harm);
  other: assert property (@(posedge clk_i) word != {VIOLATE}) else $error("the word is %h", word);
  always_ff @(posedge clk_i) if (harm == 6) $fatal(1, "a word that is fatal\\033[2J");
endmodule
"""
# The function that the design imports, which calls one that the design exports, and a file that the design reads.
FILES = {
    "data/rom.hex": "17 2b\n",
    "inc/start.h": "constexpr int kStart = 1;\n",
    "csrc/imported.cpp": """#include <start.h>
#include "Vdrra_fabric__Dpi.h"
int odd_count() {
  static int n = kStart - STEP;
  exported(n += STEP);
  return n;
}
""",
}
# The signals between blocks of the copy with a fault, and a fault in the window of the switchboxes.
SIGNALS = """signal wdata[k] = {cell}.vin_i[16*k+15:16*k]
signal dpu_in[k] = {cell}.vin_i[16*k+47:16*k+32]
signal rdata[k] = {cell}.lane_o[16*k+15:16*k]
signal dpu_out[k] = {cell}.lane_o[16*k+47:16*k+32]
"""
SELECTED = "{sel.block, sel.port}", "{sel.block, sel.port & ~sel.other}"
# Failures of a campaign on the design: the beginning of the signature, and what the report states.
HARMS = {
    "aborted ": ["converge"],
    "finish wrapper.sv:": ["$finish at wrapper.sv:"],
    "model crash SIGABRT": ["the model crashes: SIGABRT; its last output: last words"],
    "model hang": ["the model does not finish a clock cycle"],
    "excessive output": ["prints"],
    "assertion wrapper.sv:": ["drra_fabric.i_watch", "a word that is fatal␛[2J"],
}

# State of our own RTL that is not in the fabric description: a register without a reset, a latch, a memory and a variable
# with an initial value. Together, they sometimes make a result wrong.
UNKNOWN = """
  logic sticky, held;
  logic [6:0] store [3];
  logic [7:0] count;
  initial count = 8'd0;
  always_ff @(posedge clk_i) begin
    if (exec.mode == RACCU_MODE_MULT_SUB) sticky <= 1'b1;
    if (exec.mode == RACCU_MODE_SUB && exec.dst < 3) store[exec.dst[1:0]] <= result;
    if (exec.mode == RACCU_MODE_MULT) count <= count + 8'd1;
  end
  always_latch if (exec.mode == RACCU_MODE_ADD) held = result[0];
  wire wrong = exec.mode == RACCU_MODE_SHIFT_R & (sticky ^ held ^ count[0] ^ store[0][0] ^ store[1][1] ^ store[2][2]);
"""
NAMES = "drra_cell.u_seq.u_raccu.count, drra_cell.u_seq.u_raccu.held, drra_cell.u_seq.u_raccu.sticky, drra_cell.u_seq.u_raccu.store"


def run(command, errors=subprocess.STDOUT, **variables):
    """Runs a command, with variables set, or removed if they are None. Returns its exit code and its output, from both channels or only standard output."""
    drop = ("DRRA_RTL", "DRRA_RTL_MAP", "DRRA_PLUSARGS")
    env = {k: v for k, v in os.environ.items() if k not in drop} | ENV | variables
    env = {k: v for k, v in env.items() if v is not None}
    done = subprocess.run(
        command, cwd=ROOT, env=env, text=True, stdout=subprocess.PIPE, stderr=errors
    )
    return done.returncode, done.stdout


def build(folder):
    return run(["cargo", "build", "--release"], DRRA_RTL=str(folder))


def drra(*arguments, **options):
    return run([str(TARGET / "release" / "drra"), *arguments], **options)


def program(word):
    """A program that loads a word."""
    path = WORK / f"word{word & 15}.sasm"
    path.write_text(f".ISA r4\n.CODE\nCELL <0,0>\n  HALT\n  .WORD {word:#x}\n")
    return str(path)


def expect(what, result, code, *texts):
    found, output = result
    missing = [text for text in texts if text not in output]
    if found != code or missing:
        print(output)
        sys.exit(f"FAILED: {what}: exit code {found}, expected {code}; not printed: {missing}")
    print(f"ok: {what}", flush=True)


def stops():
    """A design without public.vlt that prints and stops."""
    noisy = WORK / "noisy"
    (noisy / "public.vlt").unlink()
    wrapper = noisy / "wrapper.sv"
    wrapper.write_text(wrapper.read_text().replace("endmodule\n", WATCH))
    files = (noisy / "rtl.f").read_text()
    expect("functions without C++ files are refused", build(noisy), 101, "lists neither C++ files", ": odd_count")
    files += 'csrc/imported.cpp\n-CFLAGS "-Iinc -DSTEP=2"\n'
    (noisy / "rtl.f").write_text(files)
    expect("a missing C++ file is refused", build(noisy), 101, "does not exist: ", "csrc/imported.cpp")
    for name, text in FILES.items():
        (noisy / name).parent.mkdir()
        (noisy / name).write_text(text)
    for option, text in ("--trace-fst", "the option --trace-fst"), ("--lint-only", "no model"):
        (noisy / "rtl.f").write_text(files + option + "\n")
        expect(f"{option} is refused", build(noisy), 101, text, "help: remove ")
    more = "--trace --coverage --savable --threads 2\n--prefix other --top-module watch\n--binary --timing --vpi -j 2\n"
    (noisy / "rtl.f").write_text(files + more)
    expect("a design that prints and stops builds, without public.vlt, with options of its own", build(noisy), 0)
    other = WORK / "other.map"
    text = (noisy / "signals.map").read_text()
    entry = next(line for line in text.splitlines() if line.startswith("cell[r][c].seq.pend_valid "))
    other.write_text(text.replace(entry, f"{entry.split('=')[0]}= drra_fabric.unpacked"))
    unpacked = drra("run", program(0), DRRA_RTL_MAP=str(other))
    expect("an unpacked structure is not read as its first member", unpacked, 0, "not in the design: drra_fabric.unpacked")
    run_program = lambda word, **options: drra("run", program(word), **options)
    seen = "the word was seen␛[2J\n"
    expect("what it prints is shown", run_program(PRINT), 0, seen, "compared: ")
    expect("what it prints is also shown by `drra trace`", drra("trace", program(PRINT), "--model", "rtl"), 0, seen)
    for _, output in run_program(PRINT), drra("trace", program(PRINT), "--model", "rtl"):
        if "\x1b[2J" in output or "\n::" in output:
            sys.exit(f"FAILED: its output could be taken for a command:\n{output}")
    code, output = run_program(PRINT, errors=subprocess.DEVNULL)
    if "the word was seen" in output:
        sys.exit("FAILED: the design prints to standard output")
    code, output = drra("trace", program(PRINT), "--model", "rtl", errors=subprocess.DEVNULL)
    if code != 0 or not all(line.startswith("{") for line in output.splitlines()):
        sys.exit(f"FAILED: the trace is not pure JSON, or exit code {code}:\n{output}")
    found = run_program(VIOLATE)
    expect("an assertion, with its instance", found, 1, "wrapper.sv:", "drra_fabric.i_watch.other: the word is ")
    given = run_program(0, DRRA_PLUSARGS="+other +verbose")
    expect("the plusargs that are given", given, 1, "a plusarg was given")
    expect("$finish", run_program(FINISH), 1, "$finish at wrapper.sv:", "ends the simulation")
    expect("a combinational loop", run_program(LOOP), 1, "converge", "aborts")
    harms()
    wrapper.write_text(wrapper.read_text().replace("wire loop_a, loop_b;", "wire loop_a loop_b;"))
    expect("an error of SystemVerilog", build(noisy), 101, "%Error: wrapper.sv:", "help: ")


def unknown_state():
    """Our own RTL with more state: reported once, by all its names, and without any effect on other cases."""
    changed = WORK / "unknown"
    shutil.copytree(ROOT / "rtl", changed)
    raccu = changed / "drra_raccu.sv"
    text = raccu.read_text().replace("  // Register file: ", UNKNOWN + "  // Register file: ")
    raccu.write_text(text.replace("[exec.dst] = result;", "[exec.dst] = result ^ 7'(wrong);"))
    built = run(["cargo", "build", "--release"], DRRA_MUTATED_RTL=str(changed))
    expect("our own RTL with more state builds", built, 0)
    # Some case of this campaign executes a mult_sub in a cell whose `sticky` is 0 at first.
    fuzz = ["fuzz", "--seed", "2", "--cases", "100", "--shrink-steps", "0"]
    summaries = []
    for jobs in "1", "2", "4":
        out = WORK / f"unknown{jobs}"
        found = drra(*fuzz, "--jobs", jobs, "--out", str(out))
        expect(f"{jobs} workers report the state", found, 1, f"is not compared: {NAMES}; ")
        expect("once", (found[1].count("warning: "), found[1]), 1)
        summaries.append(summary_of(out))
    cut = WORK / "unknown-cut"
    cut.mkdir()
    journal = (WORK / "unknown1" / "journal.jsonl").read_bytes()
    (cut / "journal.jsonl").write_bytes(journal[: (journal.index(b"\n") + len(journal)) // 2])
    expect("a truncated campaign on it continues", drra("fuzz", "--resume", str(cut), "--shrink-steps", "0"), 1)
    summaries.append(summary_of(cut))
    failures = [summary["failures"] for summary in summaries]
    expect("the same cases fail", (sum(other != failures[0] for other in failures), str(failures)), 0)
    for failure in failures[0]:
        case = str(WORK / "unknown1" / failure["folder"] / "case.json")
        expect("a case fails alone", drra("replay", case), 1, failure["signature"])


def summary_of(folder):
    """The summary of a campaign without anything that depends on time or machine."""
    summary = json.loads((folder / "summary.json").read_text())
    del summary["timing"]
    return summary


def harms():
    """A campaign on a design that fails in many ways: it continues, even if interrupted, and reports every way."""
    whole, cut = WORK / "harms", WORK / "cut"
    cases = 40
    often = ["--watchdog", "2s", "--shrink-steps", "12"]
    fuzz = ["fuzz", "--profile", "smoke", "--cases", str(cases), *often]
    result = drra(*fuzz, "--out", str(whole), errors=subprocess.DEVNULL)
    expect("a campaign on a harmful design", result, 1, *HARMS)
    if "a line of many" in result[1]:
        sys.exit("FAILED: the design prints to standard output")
    summary = summary_of(whole)
    expect("all of its cases", (summary["cases"], ""), cases)
    agreeing = range(1, cases - summary["failed"] + 1)
    warnings = [(w["text"], w["count"] in agreeing) for w in summary.get("warnings", [])]
    texts = "%Warning: wrapper.sv:", "an odd sum', True)]"
    expect("the warning of its agreeing cases", (len(warnings), str(warnings)), 1, *texts)
    found = {failure["signature"]: whole / failure["folder"] for failure in summary["failures"]}
    for signature, texts in HARMS.items():
        folders = [folder for name, folder in found.items() if name.startswith(signature)]
        expect(f"one kind of failure `{signature}`", (len(folders), str(found)), 1)
        # The table is as wide as a terminal, and its texts are wrapped.
        report = (folders[0] / "report.txt").read_text().replace("│", " ")
        expect("its report", (0, " ".join(report.split())), 0, *texts)
        expect("its case fails again", drra("replay", str(folders[0] / "case.json"), "--watchdog", "2s"), 1, signature)
    journal = (whole / "journal.jsonl").read_bytes()
    cut.mkdir()
    # The journal is cut after the settings, in the middle of the cases.
    (cut / "journal.jsonl").write_bytes(journal[: (journal.index(b"\n") + len(journal)) // 2])
    expect("a truncated campaign continues", drra("fuzz", "--resume", str(cut), *often), 1)
    expect("to the same result", (int(summary_of(cut) != summary), ""), 0)


def maps():
    """Maps that do not fit, tried without a build."""
    text = (WORK / "copy" / "signals.map").read_text()
    other = WORK / "other.map"
    result = lambda: drra("run", str(ROOT / "isa" / "vec_add.sasm"), DRRA_RTL_MAP=str(other))
    expect("no map", result(), 2, f"DRRA_RTL_MAP={other}", "there is no such file")
    for what, old, new, *texts in (
        ("a statement that does not exist", "fabric ", "fabrics ", "`=` and an expression"),
        ("another size", "columns: ", "columns: 1", "the map is for", "columns"),
        ("a width that does not fit", "[27:22]", "[127:122]", "of a value of"),
        ("a positive offset", "[27:22]", "[27:22] offset 1", "later than the architecture", "drra check"),
    ):
        other.write_text(text.replace(old, new, 1))
        expect(what, result(), 2, str(other), *texts)
    lacking = text.replace("= {cell}.", "= {cell}.no_", 1)
    other.write_text(lacking)
    expect("missing registers", result(), 0, "not compared: ", "not in the design: ", "nearest: ")
    (WORK / "copy" / "signals.map").write_text(lacking)
    changed = drra("run", str(ROOT / "isa" / "vec_add.sasm"))
    expect("a map that has changed", changed, 0, "signals.map:", "has changed since this program was built")
    (WORK / "copy" / "signals.map").write_text(text)


def main():
    seconds = sys.argv[1] if len(sys.argv) > 1 else "60"
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    map_of_rtl = WORK / "own.map"
    size = f"{ENV['DRRA_COLS']}x{ENV['DRRA_TILE_ROWS']}"
    code, text = run(["cargo", "run", "--release", "--quiet", "--", "map", "rtl", "--fabric", size], **USUAL)
    if code != 0:
        sys.exit(text)
    map_of_rtl.write_text(text)
    for folder, *options in (["copy"], ["broken", "--fault"], ["noisy"]):
        subprocess.run([*MAKE, str(map_of_rtl), str(WORK / folder), *options], check=True)

    expect("the copy builds", build(WORK / "copy"), 0)
    programs = sorted(str(p) for p in (ROOT / "tests" / "programs").glob("*.sasm") if p.stem != "dense")
    result = drra("run", str(ROOT / "isa" / "vec_add.sasm"), *programs)
    expect("the bundled programs agree", result, 0, "compared: ")
    expect("a campaign agrees", drra("fuzz", "--time", f"{seconds}s"), 0, "state compared")

    maps()
    campaign = str(WORK / "campaign")
    expect("a campaign that is kept", drra("fuzz", "--cases", "5", "--out", campaign), 0, "state compared")
    expect("its report", drra("report", campaign), 0, "compared: ")
    expect("merged", drra("merge", campaign, "--out", str(WORK / "joined")), 0, "state compared")

    stops()
    unknown_state()
    with (WORK / "broken" / "signals.map").open("a") as signals:
        signals.write(SIGNALS)
    [window] = [path for path in (WORK / "broken").glob("*.sv") if SELECTED[0] in path.read_text()]
    window.write_text(window.read_text().replace(*SELECTED))
    with (WORK / "broken" / "rtl.f").open("a") as files:
        files.write("-LDFLAGS -lm\n")
    expect("the copy with a fault builds, with a library but without C++ files", build(WORK / "broken"), 0)
    report = WORK / "report"
    result = drra("run", str(ROOT / "isa" / "vec_add.sasm"), "--report", str(report))
    expect("the fault is found under its name", result, 1, "i_es.blk_nth")
    text = (report / "report.json").read_text()
    expect("the report names the folder of the RTL", (0, text), 0, "RTL broken", "i_nth.reg_fg")

    drra("fuzz", "--cases", "60", "--shrink-steps", "0", "--out", str(WORK / "window"))
    found = [failure["signature"] for failure in summary_of(WORK / "window")["failures"]]
    others = sum("DPU" in name or "RF write" in name for name in found)
    expect("the fault in the window is one failure, of its block", (others, str(found)), 0, "'cell window'")

    (WORK / "broken" / "signals.map").unlink()
    expect("a folder without a map", build(WORK / "broken"), 101, "the folder has no signals.map")
    (WORK / "broken" / "rtl.f").unlink()
    expect("a folder without a list", build(WORK / "broken"), 101, "the folder has no rtl.f")
    expect("no folder", build(WORK / "nowhere"), 101, "there is no folder ")
    wrapper = WORK / "copy" / "wrapper.sv"
    wrapper.write_text(wrapper.read_text().replace("agu_busy_o\n", "busy_o\n").replace("(.*)", "(.*, .agu_busy_o(busy_o))"))
    expect("a wrong port", build(WORK / "copy"), 101, "it has no port `agu_busy_o`, output of 1 bit")


if __name__ == "__main__":
    main()
