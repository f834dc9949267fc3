# SPDX-License-Identifier: MIT OR Apache-2.0
"""Injects a fault for each assertion in rtl/, except for those of parameters (`DRRA_ASSERT_INIT`),
and checks that the assertion, in each of its forms (`rtl/drra_assert.svh`), finds the fault. Also
checks that each cover property is hit without a fault.

Usage: prove.py VERILATOR [NAME ...]

`faults.json` lists the faults, in the form of `tests/plant.py`; each has `fires`, the assertions
(module.name) that must find it. One model per form, with 2 columns and 2 tile rows, contains all
faults and runs random programs; without a fault no assertion may be violated. VERILATOR is the
executable; if names are given, only faults that list one of them are tried.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from plant import plant  # noqa: E402

WORK = ROOT / "target" / "assertions"
MACRO = re.compile(r"`DRRA_(ASSERT|CHECK|CHECK_NEXT|CHECK_STABLE|COVER)\((\w+),")
# The arguments of Verilator for each form, and the macros that are assertions in it.
FORMS = {
    "flags": (["--no-assert"], {"ASSERT"}),
    "properties": (["--assert", "--no-assert-case", "--coverage-user", "-DDRRA_CHECKS"],
                   {"ASSERT", "CHECK", "CHECK_NEXT", "CHECK_STABLE"}),
}
# A point in a coverage file: file, line and count.
POINT = re.compile(r"^C '.*?\x01f\x02([^\x01]+)\x01l\x02(\d+)\x01.*' (\d+)$", re.M)
EPISODES = 80


def prepare(faults):
    """Copies the RTL with all faults; a package holds the number of the active one."""
    rtl = WORK / "rtl"
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    plant(rtl, faults, lambda number: f"(drra_fault_pkg::planted == {number})")
    top = rtl / "drra_fabric.sv"
    start = 'initial void\'($value$plusargs("planted=%d", drra_fault_pkg::planted));'
    top.write_text(top.read_text().replace("endmodule", f"  {start}\nendmodule"))
    (rtl / "drra_fault_pkg.sv").write_text(
        "package drra_fault_pkg;\n  int planted = 0;\nendpackage\n")
    sources = (rtl / "rtl.f").read_text()
    (rtl / "rtl.f").write_text("drra_fault_pkg.sv\n" + sources)


def places(macros):
    """The assertions and covers made with some macros: module.name by file and line."""
    found = {}
    for path in sorted((WORK / "rtl").glob("drra_*.sv")):
        text = path.read_text()
        for match in (m for m in MACRO.finditer(text) if m[1] in macros):
            depth, end = 1, match.end()
            while depth:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            first = text.count("\n", 0, match.start()) + 1
            last = text.count("\n", 0, end) + 1
            name = f"{path.stem}.{match[2]}"
            found |= {f"{path.name}:{line}": name for line in range(first, last + 1)}
    return found


def build(verilator, form):
    subprocess.run(
        [verilator, "--cc", "--exe", "--build", "-j", "2", "-O3", "-fno-dfg", "-fno-table",
         *FORMS[form][0], "-Wno-fatal", "-Wno-lint", "--prefix", "Vfabric",
         "--top-module", "drra_fabric", "-GCols=2", "-GDimarchRows=2", "-CFLAGS",
         "-O1 -DVL_USER_STOP",
         "-Mdir", str(WORK / form), "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include",
         "public.vlt", "-f", "rtl.f", str(HERE / "bench.cpp")],
        cwd=WORK / "rtl", check=True, stdout=subprocess.DEVNULL)


class Programs:
    """Random programs: mostly small operands, few of them from registers."""

    def __init__(self):
        self.random = random.Random(1)
        templates = json.loads((ROOT / "isa" / "silago1.json").read_text())
        self.templates = {t["name"]: t for t in templates["instruction_templates"]}

    def instruction(self, name, **given):
        """Words of an instruction."""
        template = self.templates[name]
        bits, width = template["code"], 4
        for field in template["segment_templates"]:
            size, key = field["bitwidth"], field["name"]
            value = self.random.getrandbits(size)
            if self.random.random() < 0.7:
                value = min(value, self.random.choice([1, 2, 3, 4, 8]))
            if key.endswith("_sd") and self.random.random() < 0.8:
                value = 0
            if key in ("unused0", "one"):
                value = 1
            value = given.get(key, value)
            bits, width = bits << size | value, width + size
        words = -(-width // 27)
        bits <<= words * 27 - width
        return [bits >> 27 * (words - 1 - w) & (1 << 27) - 1 for w in range(words)]

    def program(self):
        pick = self.random
        words = []

        def put(name, flag=None, **given):
            new = self.instruction(name, **given)
            if name == "REFI":
                new = new[:1 + given["extra"]]
            if name == "LOOP":
                new = new[:1 + given["extra"]]
            flag = pick.random() < 0.6 if flag is None else flag
            words.extend((w, int(flag)) for w in new)

        names = ["REFI", "REFI", "DPU", "DPU", "SWB", "WAIT", "WAIT", "LOOP", "BW", "RACCU",
                 "BRANCH", "ROUTE", "ROUTE", "SRAM", "SRAM", "PERM", "JUMP"]
        while len(words) < pick.randrange(4, 50):
            name = pick.choice(names)
            here = len(words)
            if pick.random() < 0.1:
                self.meeting(put, here)
            elif name == "REFI":
                put(name, extra=pick.randrange(3))
            elif name == "LOOP" and pick.random() < 0.3:  # a skipped loop released in a WAIT
                put(name, False, extra=0, iter=0, iter_sd=0, endpc=here + 2)
                put("WAIT", True, cycle=pick.randrange(2, 9), cycle_sd=0)
            elif name == "LOOP":
                put(name, True, extra=0, endpc=here + pick.randrange(1, 5))
            elif name == "JUMP":
                put(name, pc=min(here + pick.randrange(1, 4), 63))
            elif name == "BRANCH":
                put(name, false_pc=min(here + pick.randrange(1, 4), 63))
            elif name == "WAIT":
                put(name, cycle=pick.randrange(12), cycle_sd=0)
            else:
                put(name)
        words = words[:62]
        return words + [(0, 1)]

    def meeting(self, put, here):
        """Instructions of which several act in the same cycle, or at the same address."""
        first = {"extra": 2, "init_addr": 0, "init_addr_sd": 0, "init_delay": 0,
                 "init_delay_sd": 0, "l1_iter": 30, "l1_iter_sd": 0, "l1_step": 0,
                 "l1_step_sd": 0}
        kind = self.random.randrange(4)
        if kind == 0:  # writes of one block, and a configuration that is replaced
            put("REFI", False, port_no=0, dimarch=0, **first)
            put("REFI", False, port_no=0, dimarch=0, **first)
            put("REFI", False, port_no=1, dimarch=0, **first)
            put("REFI", False, port_no=0, dimarch=1, **first)
            put("PERM", False, block=0)
            put("WAIT", True, cycle=2, cycle_sd=0)
        elif kind == 1:  # rows of one address
            first |= {"l1_iter": 0, "l2_iter": 3, "l2_iter_sd": 0, "l2_delay": 2, "l2_delay_sd": 0}
            put("REFI", True, dimarch=0, **first)
        elif kind == 2:  # loops that share an end
            put("LOOP", True, extra=0, loopid=0, endpc=here + 3, iter=2, iter_sd=0)
            put("LOOP", True, extra=0, loopid=1, endpc=here + 3, iter=2, iter_sd=0)
            put("BW", True)
            put("SWB", True)
        else:  # a launch while a word is scaled
            put("BW", True, config=3)
            put("DPU", True, mode=29)
            put("WAIT", True, cycle=1, cycle_sd=0)
            put("DPU", True, mode=29)

    def cycles(self):
        """Inputs of all cycles, as the bench reads them."""
        pick = self.random

        def line(word=None, reset=0, rows=0, cols=0):
            instr, imm = word or (0, 0)
            inits = f"{int(pick.random() < 0.1)} {int(pick.random() < 0.1)}"
            return f"{reset} {int(word is not None)} {instr:x} {imm} {rows:x} {cols:x} {inits}"

        for _ in range(EPISODES):
            yield from (line(reset=1) for _ in range(3))
            # One program for all cells, or a program for each cell; occasionally, another program is loaded while they
            # run.
            cells = [(3, 3)] if pick.random() < 0.3 else [(1, 1), (1, 2), (2, 1), (2, 2)]
            for rows, cols in cells:
                yield from (line(w, 0, rows, cols) for w in self.program())
                if pick.random() < 0.5:
                    yield line()
            yield from (line() for _ in range(pick.randrange(40)))
            if pick.random() < 0.3:
                yield from (line(w, 0, 3, 3) for w in self.program())
            yield from (line() for _ in range(250))


def run(form, number):
    """The locations of the assertions that are violated in the model of a form, with a fault (0: none)."""
    # The messages of assertions are written to standard output, which is discarded.
    out = subprocess.run(
        [WORK / form / "Vfabric", WORK / "cycles.txt", WORK / "covered.dat",
         f"+planted={number}"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr.split()
    if out.pop() != "end":
        sys.exit("the bench was interrupted")
    return out


def not_covered():
    """Cover properties that no instance hit in the last run."""
    covers, hit = places({"COVER"}), set()
    for file, line, count in POINT.findall((WORK / "covered.dat").read_text()):
        if int(count) > 0:
            hit.add(covers.get(f"{Path(file).name}:{line}"))
    print(f"{len(set(covers.values()))} cover properties")
    return set(covers.values()) - hit


def prove(form, faults, only):
    """What is wrong with the assertions in a form."""
    assertions = places(FORMS[form][1])
    known = set(assertions.values())
    failures = [f"violated without a fault: {assertions[p]}" for p in sorted(run(form, 0))]
    if form == "properties":
        failures += [f"never hit: {name}" for name in sorted(not_covered())]
    tried = [(number, known & set(fault["fires"])) for number, fault in enumerate(faults, 1)
             if not only or only & set(fault["fires"])]
    tried = [(number, fires) for number, fires in tried if fires]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda fault: run(form, fault[0]), tried))
    for (number, fires), out in zip(tried, results):
        fired = {assertions[place] for place in out}
        failures += [f"not violated by fault {number}: {name} (violated: {sorted(fired)})"
                     for name in sorted(fires - fired)]
    print(f"{form}: {len(tried)} faults injected for {len(known)} assertions")
    return [f"{form}: {failure}" for failure in failures]


def main():
    verilator, only = sys.argv[1], set(sys.argv[2:])
    faults = json.loads((HERE / "faults.json").read_text())
    prepare(faults)
    (WORK / "cycles.txt").write_text("\n".join(Programs().cycles()) + "\n")
    everything = set(places(FORMS["properties"][1]).values())
    unproved = everything - {name for f in faults for name in f["fires"]}
    failures = [f"no fault for {name}" for name in sorted(unproved)]
    for form in FORMS:
        build(verilator, form)
        failures += prove(form, faults, only)
    for failure in failures:
        print(failure)
    if failures:
        sys.exit(1)
    print("each assertion finds its fault in each of its forms")


if __name__ == "__main__":
    main()
