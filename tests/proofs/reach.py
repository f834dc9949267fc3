# SPDX-License-Identifier: MIT OR Apache-2.0
"""Searches generated cases, run on the chapters, for a call of a block's function with arguments for which block and RTL differ."""
import argparse
import shutil
import tempfile
import time
from pathlib import Path

import z3

import check
from symbolic import Cond, Num

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 40                                         # to search at most


class Found(Exception):
    """Ends a case in which the arguments occur."""


def equations(symbolic, value, out):
    """What makes the symbolic arguments of a call equal to those of another one. Registers of cut instances are not compared."""
    if isinstance(symbolic, Num) and isinstance(value, int): out.append(symbolic.z == z3.BitVecVal(value, symbolic.z.size()))
    elif isinstance(symbolic, Cond): out.append(symbolic.z == bool(value))
    elif isinstance(symbolic, dict) and isinstance(value, dict):
        for k in symbolic.keys() & value.keys(): equations(symbolic[k], value[k], out)
    elif isinstance(symbolic, (list, tuple)) and isinstance(value, (list, tuple)):
        for s, v in zip(symbolic, value): equations(s, v, out)
    elif isinstance(symbolic, int) and symbolic != value: out.append(z3.BoolVal(False))


def search(fabric, size, name, arguments, wrong, chapters, title, cases):
    """A sentence: the case that makes block and RTL differ, or how many do not. name: "ch3.agu_cycle"; wrong: a formula."""
    binary = ROOT / "target" / "release" / "drra"
    if not binary.exists(): return "build the program (`cargo build --release`) to search for a case that reaches this"
    solver, seen, cycles, end = z3.SolverFor("QF_BV"), set(), 0, time.monotonic() + SECONDS
    solver.add(wrong)
    model = check.model(chapters, tuple(size.items()))
    modules = [model.chapter(n) for n in (2, 3, 4, 5, 6, 7)]
    function = vars(model.chapter(int(name[2])))[name[4:]]
    def watched(*values):
        key = repr(values)
        if key not in seen:
            seen.add(key)
            given = []
            equations(list(arguments), list(values), given)
            if solver.check(*[z3.simplify(g) for g in given]) == z3.sat: raise Found
        return function(*values)
    places = [(vars(m), n) for m in modules for n, v in vars(m).items() if v is function]
    with tempfile.TemporaryDirectory() as folder:
        options = argparse.Namespace(fabric=fabric, drra=binary, profile="default", seed=1, cases=cases, jobs=1)
        number = 0
        for number, case in enumerate(sorted(check.generated(options, Path(folder))), 1):
            try:
                for scope, n in places: scope[n] = watched
                for cycle in run(model, case):
                    cycles += 1
                    if time.monotonic() > end: break
            except Found:
                kept = ROOT / "target" / "proofs" / f"{title}.json"
                shutil.copy(case / "case.json", kept)
                return f"reached in cycle {cycle}: target/release/drra run {kept.relative_to(ROOT)}, with this RTL built"
            finally:
                for scope, n in places: scope[n] = function
            if time.monotonic() > end: break
    return f"no program of {number} generated cases of the profile default ({cycles} cycles) reaches this"


def run(model, case):
    """Runs the chapters on a case; yields the number of each cycle before it."""
    parameters, inputs = check.stimulus(case)
    columns, rows = parameters["COLS"], parameters["DIMARCH_ROWS"]
    contents, answers, blank = check.buffers(case, columns), [0] * columns, [0] * parameters["SRAM_DEPTH"]
    ch5, ch7 = model.chapter(5), model.chapter(7)
    state = ch5.fabric_reset({(R, c): blank for R in range(1, rows + 1) for c in range(columns)})
    for cycle, ports in enumerate(inputs):
        yield cycle
        outputs, state = ch5.fabric_cycle(state, dict(ports, io_in_data=answers))
        answers = [ch7.buffer_answer(blocks, o) for blocks, o in zip(contents, outputs)]
