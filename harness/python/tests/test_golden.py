# SPDX-License-Identifier: MIT OR Apache-2.0
"""The golden model, the assembler and the findings in Python. Needs libdrra and NumPy."""

import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import drra
import pytest

ROOT = Path(__file__).resolve().parents[3]
VEC_ADD = ROOT / "isa" / "vec_add.sasm"
# A = 0..15 and B = 16..31, of which the program stores the sums from word 32 on.
SUMS = [a + b for a, b in zip(range(16), range(16, 32))]


def test_a_program_runs_to_its_end():
    golden = drra.Golden(VEC_ADD)
    assert (golden.cycle, golden.done, golden.step(50)) == (0, False, 50)
    assert golden.run() == 98 and golden.done  # of the README
    memory = golden.array("cell[0][0].rf.mem")
    assert memory.shape == (64,) and memory[32:48].tolist() == SUMS
    assert golden.read("cell[0][0].rf.mem[33]") == SUMS[1] and golden.registers["tile[1][0].sram[5]"] == 256
    assert (sram := golden.array("tile[1][0].sram")).shape == (128, 16) and sram[1].tolist() == list(range(16, 32))


def test_fir_equals_numpy(capsys):
    runpy.run_path(str(ROOT / "harness/python/examples/fir.py"))
    assert capsys.readouterr().out.endswith(" cycles\n")


def test_signed_values_and_lists_without_numpy(monkeypatch):
    golden = drra.Golden(drra.assemble(".DATA\nRF <1,0> [2] = [-3, 5]\nSRAM <0,1> [1] = [7, -1]\n", "2x1"))
    golden.run()
    monkeypatch.setitem(sys.modules, "numpy", None)  # cannot be imported
    assert golden.array("cell[1][0].rf.mem", signed=True)[:5] == [0, 0, -3, 5, 0]
    assert golden.array("cell[1][0].rf.mem")[2] == 0xFFFD
    assert golden.array("tile[1][1].sram", signed=True)[1] == [7, -1] + 14 * [0]


def test_findings():
    assert drra.lint(VEC_ADD) == []
    # Nothing is connected to the write port, so zeros are stored.
    found = drra.lint(drra.assemble("REFI port_no=w0\nHALT\n"))
    assert [(one.kind, one.unit, one.port) for one in found] == [("store-unconnected", "cell[0][0]", "w0")]


def test_errors_name_file_place_and_remedy(tmp_path):
    golden = drra.Golden(VEC_ADD)
    for call, text in [
        (lambda: drra.Golden(tmp_path / "no.sasm"), f"{tmp_path}/no.sasm: there is no such file"),
        (lambda: drra.assemble("HALT\nXYZ\n", name="my.sasm"), "my.sasm:2: A03 unknown mnemonic `XYZ`"),
        (lambda: drra.Golden({"version": 1}), "case.json: "),
        (lambda: drra.Golden(VEC_ADD, "9x"), "`9x` is not a fabric size"),
        (lambda: golden.read("cell[9][9].x"), "`cell[9][9].x` is not a register"),
    ]:
        with pytest.raises(drra.DrraError) as raised:
            call()
        assert str(raised.value).startswith(text)
    pytest.raises(KeyError, golden.array, "cell[0][0].seq.pc")
    pytest.raises(ValueError, golden.step, -1)
    # Only the new error is told.
    for name in "ab":
        with pytest.raises(drra.DrraError, match=f"^`{name}` "):
            golden.read(name)


def test_a_closed_context_is_refused():
    with drra.Golden(VEC_ADD) as golden:
        golden.step()
    golden.close()
    for call in (lambda: golden.cycle, lambda: golden.done, golden.run, lambda: golden.read("cell[0][0].seq.pc"),
                 lambda: golden.json("case"), lambda: golden.buffer(0, 0)):
        pytest.raises(drra.DrraError, call).match("^this Golden is closed; ")


def test_versions_agree():
    written = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    assert drra.__version__ == drra.library_version() == written


@pytest.mark.parametrize("source, expected", [
    ("unsigned drra_abi(void) { return 99; }", "has ABI 99, expected 1; use the library of the same version"),
    (None, "set DRRA_LIBRARY to its path"),
])
def test_other_libraries_are_refused(tmp_path, monkeypatch, source, expected):
    path = tmp_path / "libdrra.so"
    if source:
        subprocess.run(["cc", "-shared", "-xc", "-", "-o", path], input=source, text=True, check=True)
    monkeypatch.setenv("DRRA_LIBRARY", str(path))
    done = subprocess.run([sys.executable, "-c", "import drra; drra.library_version()"], capture_output=True, text=True)
    assert done.returncode == 1 and expected in done.stderr.splitlines()[-1]
