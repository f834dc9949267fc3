#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Checks the VPI plug-in and the DPI package on Verilator and Icarus.

    check.py [--cases N] [--faults N]

A copy of rtl/ with the faults of tests/offline, for Icarus as a Yosys netlist, runs with the plug-in: first without a
fault, then with one fault at a time. For every case, the plug-in must report the first difference, instruction and
block of lock-step, and the result of `drra check` for the waveform of the same simulation; on Verilator, the exit code
must be the verdict. Wrong plusargs must end a simulation, and leave no old results. The example of the DPI package
must agree, and find a fault.

Uses a small fabric with a separate target directory, libdrra.a in target/release, and the Verilator and Yosys below
target/.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "offline"))
import check as offline  # noqa: E402
import maps  # noqa: E402
import simulators  # noqa: E402
from simulators import DRRA, run  # noqa: E402

WORK = offline.WORK = simulators.WORK = ROOT / "target" / "live"
VPI, LIBRARY = ROOT / "harness" / "vpi", [f"{ROOT}/target/release/libdrra.a", "-lpthread", "-ldl", "-lm"]
HOME = next((ROOT / "target").glob("verilator-*/verilator"))
TOOLS = {"VERILATOR_ROOT": str(HOME), "VERILATOR": str(HOME / "bin" / "verilator_bin")}
PLUSARGS = ["+drra_case=case.json", "+drra_out=live", "+drra_continue"]


def plug_in(out, include, *options):
    """Compiles the plug-in."""
    flags = ["-std=c11", "-O2", "-fPIC", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{include}"]
    run(["cc", *flags, f"-I{ROOT}/harness/capi/include", "-o", out, VPI / "drra_vpi.c", *options])


def result(folder):
    return json.loads((folder / "live" / "result.json").read_text())["cases"][0]


def ended(command, folder, text="", code=None):
    """Runs a simulation, which must print this text and end with this exit code [default: that of its result]."""
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != (result(folder)["exit"] if code is None else code) or text not in done.stdout:
        sys.exit(f"{folder}: exit code {done.returncode}, expected {code} and {text!r}: {done.stdout}")


class Verilator(simulators.Verilator):
    def verilate(self, bench, linked, *options):
        """Compiles the design. The script then runs a case without what a comparison needs, and fails."""
        flags = ["-MAKEFLAGS", "OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1", "-LDFLAGS", " ".join([*linked, *LIBRARY])]
        command = [bench / "run-verilator.sh", "--no-trace-structs", *flags, "-f", "rtl.f", *options]
        run(command, cwd=self.designs["planted"], codes=(1,), CASES=str(bench / "tiles"), **TOOLS)
        return bench / "build-verilator" / "Vtb"

    def compile(self, design, bench):
        (bench / "live.vlt").write_text(run([DRRA, "map", "verilator", self.map(bench)]))
        plug_in(bench / "drra_vpi.o", HOME / "include" / "vltstd", "-c")
        return self.verilate(bench, [f"{bench}/drra_vpi.o"], "--vpi", bench / "live.vlt")

    def cases_of(self, program, folders):
        for folder in folders:
            ended([program, *PLUSARGS, f"+drra_map={self.map(folder)}"], folder)

    def examples(self):
        """Checks plusargs, and the example of the DPI package without a fault and with one."""
        program, good = self.programs["rtl"], self.folder / "0" / "tiles"
        ended([program], good, "no signal map; add +drra_map=FILE", 2)
        ended([program, "+drra_map=none.map"], good, "none.map", 2)
        # Results of an earlier run do not stay.
        old = [good / "live" / name for name in ("result.json", "junit.xml")]
        for path in old:
            path.write_text("")
        ended([program, "+drra_maps=1", "+drra_out=live"], good, "+drra_maps=1: expected +drra_map=FILE", 2)
        if any(path.exists() for path in old):
            sys.exit(f"{good}/live still has the results of an earlier run")
        faulty = shutil.copytree(self.cases, bench := self.folder / "example") / "tiles"
        (faulty / "planted.txt").write_text("3\n")
        program = self.verilate(bench, [], VPI / "drra_dpi_pkg.sv", VPI / "examples" / "live.sv")
        for folder, text, code in ((good, "agree in", 0), (faulty, "cycle 50: cell[0][0].seq.pc differs", 1)):
            shutil.copy(VPI / "examples" / "live.map", folder)
            ended([program], folder, text, code)


class Icarus(simulators.Icarus):
    """A netlist of Yosys with the names of rtl/; memories stay arrays."""

    def compile(self, design, bench):
        plug_in(bench / "drra_vpi.vpi", "/usr/include/iverilog", "-shared", *LIBRARY)
        return self.synthesized(bench, self.designs["planted"], {}, [self.designs["planted"] / "drra_planted.sv"])

    def cases_of(self, program, folders):
        command = ["vvp", "-N", f"-M{program}", "-mdrra_vpi", "-mcases", program / "build-icarus" / "tb.vvp", "-fst"]
        command += [*PLUSARGS, f"+drra_map={self.map(program)}"]
        run(command, codes=(0, 1), FOLDERS="\n".join(map(str, folders)), JOBS="2")

    def words(self, found):
        tile = r"tb.dut.\gen_tile_row[1].gen_tile_col[{}].u_tile .u_mem.sram_q[{}]"
        names = [f"    $dumpvars(0, {tile.format(column, k)});" for column in range(2) for k in range(128)]
        return "\n".join(["module words;", "  initial begin", *names, "  end", "endmodule", ""])

    def map(self, folder):
        return maps.write(self.folder / "live.map", maps.in_vectors(maps.of_bench(run([DRRA, "map", "rtl"]))))


def told(element):
    """For each failure, the signature and the beginning of the rows of its report that name instruction and block."""
    pattern = r"│ (?:set up by|instruction|block) +│ (.*?) +│"
    return [[found.get("type"), *re.findall(pattern, found.text)] for found in element.iter("failure")]


def differences(number, folder, map_file, expected):
    """Differences between the results of the plug-in, of waveforms and of lock-step, as lines."""
    simulators.recorded(folder, map_file)
    recorded = {case["name"]: case for case in json.loads((folder / "check.json").read_text())["cases"]}
    for name, report in zip(expected, ElementTree.parse(WORK / f"lockstep/{number}/junit.xml").iter("testcase")):
        live, junit = result(folder / name), ElementTree.parse(folder / name / "live" / "junit.xml")
        found = (live["cycle"], live["first"]) if live["exit"] else None, told(junit)
        if found != (expected[name], told(report)):
            yield f"  {name}: lock-step {expected[name]} {told(report)}, live {found}"
        if live | {"name": name} != recorded[name]:
            yield f"  {name}: waveform {recorded[name]}, live {live}"


def main():
    arguments = argparse.ArgumentParser(description="Compares the verdicts of the VPI plug-in with lock-step.")
    arguments.add_argument("--cases", type=int, default=20)
    arguments.add_argument("--faults", type=int, default=10, help="number of faults, from the first on [default: 10]")
    given = arguments.parse_args()
    shutil.rmtree(WORK, ignore_errors=True)
    planted = offline.prepare(json.loads((ROOT / "tests" / "offline" / "faults.json").read_text()))
    cases = offline.generate(given.cases)
    expected = [offline.lockstep(cases, number) for number in range(given.faults + 1)]
    for simulator in Verilator(cases, planted), Icarus(cases, planted):
        for number, results in enumerate(expected):
            folder = simulator.simulate(number, list(results))
            # The first program has all faults.
            simulator.programs["planted"] = simulator.programs["rtl"]
            lines = list(differences(number, folder, simulator.map(folder), results))
            print(f"{simulator.name}, fault {number}: {len(lines)} differences in {len(results)} cases", flush=True)
            if lines:
                sys.exit("\n".join(lines))
        if simulator.name == "verilator":
            simulator.examples()


if __name__ == "__main__":
    main()
