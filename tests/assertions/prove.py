# SPDX-License-Identifier: MIT OR Apache-2.0
"""Plants a fault for each assertion of rtl/ and sees the assertion find it.

Usage: prove.py VERILATOR [NAME ...]

`faults.json` lists the faults, in the form of `tests/plant.py`; each has `fires`, the assertions
(module.name) that must find it. One model, of 2 columns and 2 tile rows, has all of them and runs
random programs; without a fault no assertion may be violated. VERILATOR is its executable; with
names only faults that list one of them are tried.
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
MACRO = re.compile(r"`DRRA_(ASSERT|CHECK|CHECK_NEXT|CHECK_STABLE|CHECK_STEP)\((\w+),")
EPISODES = 60


def prepare(faults):
    """Copies the RTL with all faults; a package has the number of the one that is active."""
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


def places():
    """The assertions: from file and line to module.name."""
    found = {}
    for path in sorted((WORK / "rtl").glob("drra_*.sv")):
        text = path.read_text()
        for match in MACRO.finditer(text):
            depth, end = 1, match.end()
            while depth:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            first = text.count("\n", 0, match.start()) + 1
            last = text.count("\n", 0, end) + 1
            name = f"{path.stem}.{match[2]}"
            found |= {f"{path.name}:{line}": name for line in range(first, last + 1)}
    return found


def build(verilator):
    subprocess.run(
        [verilator, "--cc", "--exe", "--build", "-j", "2", "-O3", "-fno-dfg", "-fno-table",
         "--no-assert", "-DDRRA_CHECKS", "-Wno-fatal", "-Wno-lint", "--prefix", "Vfabric",
         "--top-module", "drra_fabric", "-GCols=2", "-GDimarchRows=2", "-CFLAGS",
         "-O1 -DVL_USER_STOP",
         "-Mdir", str(WORK / "model"), "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include",
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
            if name == "REFI":
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

    def cycles(self):
        """Inputs of all cycles, as the bench reads them."""
        pick = self.random

        def line(word=None, reset=0, rows=0, cols=0):
            instr, imm = word or (0, 0)
            inits = f"{int(pick.random() < 0.1)} {int(pick.random() < 0.1)}"
            return f"{reset} {int(word is not None)} {instr:x} {imm} {rows:x} {cols:x} {inits}"

        for _ in range(EPISODES):
            yield from (line(reset=1) for _ in range(3))
            for rows in (1, 2):
                for cols in (1, 2):
                    yield from (line(w, 0, rows, cols) for w in self.program())
                    if pick.random() < 0.5:
                        yield line()
            yield from (line() for _ in range(250))


def main():
    verilator, only = sys.argv[1], set(sys.argv[2:])
    faults = json.loads((HERE / "faults.json").read_text())
    prepare(faults)
    assertions = places()
    unproved = set(assertions.values()) - {name for f in faults for name in f["fires"]}
    failures = [f"no fault for {name}" for name in sorted(unproved)]
    build(verilator)
    (WORK / "cycles.txt").write_text("\n".join(Programs().cycles()) + "\n")

    def run(number):
        out = subprocess.run(
            [WORK / "model" / "Vfabric", WORK / "cycles.txt", f"+planted={number}"],
            check=True, capture_output=True, text=True).stdout.split()
        if out.pop() != "end":
            sys.exit("the bench was interrupted")
        return {assertions[place] for place in out}

    failures += [f"violated without a fault: {name}" for name in sorted(run(0))]
    tried = [(number, fault) for number, fault in enumerate(faults, 1)
             if not only or only & set(fault["fires"])]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(run, [number for number, _ in tried]))
    for (number, fault), fired in zip(tried, results):
        failures += [f"not violated by fault {number}: {name} (violated: {sorted(fired)})"
                     for name in fault["fires"] if name not in fired]
    for failure in failures:
        print(failure)
    if failures:
        sys.exit(1)
    print(f"{len(tried)} faults found; {len(set(assertions.values()))} assertions have one")


if __name__ == "__main__":
    main()
