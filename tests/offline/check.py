#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Checks that the complete flow for other simulators gives the same result as lock-step, case by case.

    check.py [--cases N] [--faults N] [--simulators NAME...] [--sample N]

Generated cases are exported and run by Verilator as a stand-alone program and by Icarus on a Yosys netlist; their
waveforms are compared with the golden model by `drra check --batch`. The same cases run in lock-step. This is done
with the original rtl/, then with the faults in faults.json, one at a time. For every case, all three must give the
same result: agreement, or the same first divergence, that is, its cycle and the first register or port reported.

Icarus also runs some cases without a fault on a netlist of rtl/ with names as in commercial synthesis. A register that
is forced to X or Z there must be the first difference.

The map for Verilator and for these names is that of `drra map rtl` below the test bench. The map for the other netlist is
inferred from the waveforms of some cases. For registers that cannot be inferred because they never change, and for those
that were inferred incorrectly, as the waveforms of the original rtl/ show, the entries are made from the names in the RTL.

Uses a small fabric with a separate target directory, and the Verilator and Yosys below target/.
"""

import argparse
import json
import re
import shutil
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import simulators
from simulators import DRRA, ROOT, SIZE, USUAL, WORK, recorded, run

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tests"))
from plant import plant  # noqa: E402

SEED = "4"
# Number of cases run on the netlist with the names of commercial synthesis, which is slow.
SYNTHESIZED = 4
# The beginning of a failure message in the JUnit report of `drra run`.
FIRST = re.compile(r"(.*?) (?:differs|is unknown|is violated) in cycle (\d+);")


def prepare(faults):
    """Makes a folder for DRRA_RTL that contains all faults, and builds `drra` with it. Returns the folder."""
    folder = WORK / "planted"
    changed = plant(folder, faults, lambda number: f"(planted == 8'd{number})")
    instance = "\n);\n  logic [7:0] planted;\n  drra_planted u_planted (\n    .number_o(planted)\n  );\n"
    for name in changed:
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace("\n);\n", instance, 1))
    shutil.copy(HERE / "drra_planted.sv", folder)
    sources = folder / "rtl.f"
    sources.write_text("drra_planted.sv\n" + sources.read_text())
    cargo = ["cargo", "run", "--release", "--quiet", "--", "map", "rtl", "--fabric", "2x1"]
    (folder / "signals.map").write_text(run(cargo, **USUAL))
    run(["cargo", "build", "--release", "--quiet"], DRRA_RTL=str(folder))
    return folder


def generate(count):
    """Exports the cases: generated ones, and those of tests/exported. Returns their folder."""
    night, programs, cases = WORK / "night", WORK / "programs", WORK / "cases"
    profile = ["--profile", HERE / "profile.json", "--seed", SEED]
    run([DRRA, "fuzz", *profile, "--cases", count, "--jobs", "2", "--out", night])
    run([DRRA, "export", "--campaign", night, "--out", WORK / "generated"])
    programs.mkdir()
    for case in sorted((WORK / "generated").glob("*/case.json")):
        shutil.copy(case, programs / f"{case.parent.name}.json")
    for case in (ROOT / "tests" / "exported").glob("*.json"):
        shutil.copy(case, programs)
    print(run([DRRA, "export", "--campaign", programs, "--out", cases, "--idle-cycles", "0"]), end="")
    return cases


def lockstep(cases, number):
    """The lock-step result of every case: None, or cycle and first register."""
    folder = WORK / "lockstep" / str(number)
    folder.mkdir(parents=True)
    (folder / "planted.txt").write_text(f"{number}\n")
    names = sorted(path.parent.name for path in cases.glob("*/case.json"))
    files = [cases / name / "case.json" for name in names]
    run([DRRA, "run", *files, "--junit", "junit.xml"], cwd=folder, codes=(0, 1))
    results = []
    for case in ElementTree.parse(folder / "junit.xml").iter("testcase"):
        failure = case.find("failure")
        told = None if failure is None else FIRST.match(failure.get("message"))
        if failure is not None and told is None:
            sys.exit(f"{folder}/junit.xml: {failure.get('message')}")
        results.append(told and (int(told[2]), told[1]))
    if len(results) != len(names):
        sys.exit(f"{folder}/junit.xml: {len(results)} results of {len(names)} cases")
    return dict(zip(names, results))


def differences(expected, results):
    """Cases whose two results differ, as lines."""
    lines = []
    for name, told in expected.items():
        found = results.get(name, "not compared")
        if found != told:
            lines.append(f"  {name}: lock-step {told}, recording {found}")
    return lines


def sample(told, count):
    """A sample of `count` cases; half of them are mismatches, if there are enough."""
    differing = [name for name, result in told.items() if result][: count // 2]
    agreeing = [name for name, result in told.items() if not result][: count - len(differing)]
    return {name: told[name] for name in sorted(differing + agreeing)}


def unknown(simulator, names):
    """Checks that a register that becomes X or Z differs first. Returns the problems, as lines."""
    for number in range(2):
        folder = simulator.folder / f"unknown-{number}"
        for name in names:
            shutil.copytree(simulator.cases / name, folder / name)
        simulator.cases_of(simulator.programs["rtl"], [folder / name for name in names], f"+unknown={number}")
        results, _ = recorded(folder, simulator.map(folder))
        for name, found in results.items():
            if found != (simulator.CYCLE, simulator.UNKNOWN[1]):
                yield f"  {name}: {'XZ'[number]} at {simulator.UNKNOWN[1]}, recording {found}"


def main():
    arguments = argparse.ArgumentParser(description="Compares waveforms from other simulators with lock-step.")
    arguments.add_argument("--cases", type=int, default=200)
    arguments.add_argument("--faults", type=int, default=10, help="number of faults, from the first on [default: 10]")
    arguments.add_argument("--simulators", nargs="+", default=list(simulators.ALL), choices=list(simulators.ALL))
    arguments.add_argument("--sample", type=int, help="number of cases that Icarus runs with each fault [default: all]")
    given = arguments.parse_args()
    for old in ("night", "generated", "programs", "cases", "lockstep", *simulators.ALL):
        shutil.rmtree(WORK / old, ignore_errors=True)
    faults = json.loads((HERE / "faults.json").read_text())
    start = time.monotonic()

    def note(text):
        print(f"[{time.monotonic() - start:5.0f} s] {text}", flush=True)

    planted = prepare(faults)
    note(f"drra for {SIZE} with {len(faults)} faults planted")
    cases = generate(given.cases)
    numbers = range(given.faults + 1)
    expected = [lockstep(cases, number) for number in numbers]
    note("lock-step")
    for number, results in enumerate(expected):
        what = f"fault {number}, {faults[number - 1]['what']}" if number else "no fault"
        print(f"  {sum(r is not None for r in results.values()):4} of {len(results)} mismatch: {what}")
    if any(expected[0].values()) or not all(any(results.values()) for results in expected[1:]):
        sys.exit("without a fault all cases must agree, and each fault must be found")

    failures = []
    for name in given.simulators:
        simulator = simulators.ALL[name](cases, planted)
        map_file = None
        for number, told in enumerate(expected[: 1 if name == "synthesized" else None]):
            if name == "synthesized":
                told = sample(told, SYNTHESIZED)
            if number and name == "icarus" and given.sample:
                told = sample(told, given.sample)
            folder = simulator.simulate(number, list(told))
            map_file = map_file or simulator.map(folder)
            results, share = recorded(folder, map_file)
            lines = differences(told, results)
            failures += lines if share == 1 else [*lines, f"{name}: only {share:.1%} of the state is compared"]
            same = len(told) - len(lines)
            note(f"{name}, fault {number or 'none'}: {same} of {len(told)} the same, {share:.1%} of the state compared")
            print("\n".join(lines), end="\n" if lines else "")
            if number:
                shutil.rmtree(folder)
        if name == "synthesized":
            failures += (lines := list(unknown(simulator, list(told)[:1])))
            note("synthesized: X and Z at a register")
            print("\n".join(lines), end="\n" if lines else "")
    if failures:
        sys.exit(f"{len(failures)} differences")


if __name__ == "__main__":
    main()
