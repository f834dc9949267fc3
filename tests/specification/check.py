#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs the code in the chapters as a third model alongside the golden model and the RTL, and compares every register
defined in the chapters in every cycle.

Runs the given CASE files (cases or programs), or else generated cases. The stimulus comes from `drra export`, the traces
of the other two models from `drra trace`. Exit code: 0 all agree, 1 a difference or a register that no chapter
computes, 2 bad input."""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "specification"))  # missing if PYTHONSAFEPATH is set

from chapters import FOLDER, Chapters

KEPT = ROOT / "target" / "specification"
CHANGE = re.compile(r'^\{"cycle": (\d+), "path": "([^"]+)", "value": "0x([0-9a-f]+)"\}$', re.M)
INDEX = re.compile(r"\[[^]]*\]")
# A model as the subject of a sentence.
ALONE = {"golden": "the golden model is", "rtl": "the RTL is", "chapters": "the chapters are"}


class BadInput(Exception):
    """A problem that the caller can fix."""


class Stopped(Exception):
    """A model cannot continue, which is a finding."""


class Description:
    """Reset values, sections and validity of the registers by their kind, from `isa/fabric.json`."""

    def __init__(self):
        fabric = json.loads((ROOT / "isa" / "fabric.json").read_text(encoding="utf-8"))
        chapters = {block["name"]: block["chapter"] for block in fabric["blocks"]}
        rules = {rule["name"]: rule for rule in fabric["rules"]}
        units = {"cell": "cell.", "column": "col.", "tile": "tile.", "fabric": ""}
        self.reset, self.section, self.valid = {}, {}, {}
        for group in fabric["groups"]:
            for register in group["registers"]:
                # A generator is a part of the path; all other keys are in brackets.
                for generator in ("rd", "wr") if "{generator}." in group["path"] else ("",):
                    path = group["path"].replace("{register}", register["name"]).replace("{generator}", generator)
                    kind = units[group["unit"]] + INDEX.sub("", path)
                    rule = rules[register["rule"]]
                    self.reset[kind] = register.get("reset") or 0
                    self.section[kind] = f"chapter {rule.get('chapter', chapters[rule['block']])}, {rule['section']}"
                    if "compared_while" in group:
                        self.valid[kind] = group["compared_while"]


DESCRIPTION = Description()


def drra(binary, *arguments, codes=(0,)):
    """Standard output of a command of the program."""
    try:
        done = subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True)
    except OSError as error:
        raise BadInput(f"{binary}: {error.strerror}; build it with `cargo build --release`") from error
    if done.returncode not in codes:
        # 3: the design stops, for example because an assertion is violated.
        raise (Stopped if done.returncode == 3 else BadInput)(f"drra {arguments[0]}: {done.stderr.strip()}")
    return done.stdout


def generated(arguments, folder):
    """Folders with the exported cases of a campaign."""
    size = ["--fabric", arguments.fabric] if arguments.fabric else []
    campaign = folder / "campaign"
    # Cases in which golden model and RTL differ (exit code 1) are cases like all others.
    drra(arguments.drra, "fuzz", "--profile", arguments.profile, "--seed", arguments.seed, "--cases", arguments.cases, "--jobs",
         arguments.jobs, "--shrink-time", "1s", "--out", campaign, *size, codes=(0, 1))
    summary = json.loads((campaign / "summary.json").read_text(encoding="utf-8"))
    for fabric in summary["fabrics"]:
        exported = folder / fabric["fabric"]
        drra(arguments.drra, "export", "--campaign", campaign, "--fabric", fabric["fabric"], "--idle-cycles", 0, "--out", exported)
        yield from sorted(exported.glob("case-*"))


def named(arguments, folder):
    """Folders with the exported cases of these files."""
    size = ["--fabric", arguments.fabric] if arguments.fabric else []
    for number, case in enumerate(arguments.case):
        memory = ["--mem", case.with_suffix(".mem")] if case.suffix == ".bin" and case.with_suffix(".mem").exists() else []
        exported = folder / f"{number:04}-{case.stem}"
        drra(arguments.drra, "export", case, *memory, "--idle-cycles", 0, "--out", exported, *size)
        yield exported


def stimulus(folder):
    """Parameters of the fabric, and the inputs of every cycle in the form of chapter 5, 5.7."""
    lines = (folder / "stimulus.txt").read_text(encoding="utf-8").splitlines()
    sizes = map(int, re.search(r"columns (\d+), tile rows (\d+), register file words (\d+), blocks per tile (\d+)", lines[0]).groups())
    cycles = []
    for line in lines:
        if line.startswith("#"):
            continue
        _, count, *values = line.split()
        v = [int(value, 16) for value in values]
        cycles += int(count) * [dict(
            io_cell=v[0], prog=dict(zip(("valid", "instr", "imm", "row_sel", "col_sel"), v[1:6])),
            sram_init=dict(zip(("en", "row", "col", "addr", "data"), v[6:11])),
            rf_init=dict(zip(("valid", "row", "col", "block", "data"), v[11:16])))]
    return dict(zip(("COLS", "DIMARCH_ROWS", "RF_DEPTH", "SRAM_DEPTH"), sizes)), cycles


def buffers(folder, columns):
    """Contents of the input buffer of each column."""
    contents = [{} for _ in range(columns)]
    for line in (folder / "buffers.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            column, address, data = line.split()
            contents[int(column)][int(address, 16)] = int(data, 16)
    return contents


def changes(trace):
    """Changes of a trace by their cycle."""
    by_cycle = {}
    for cycle, path, value in CHANGE.findall(trace):
        by_cycle.setdefault(int(cycle), []).append((path, int(value, 16)))
    return by_cycle


class Models:
    """The current values of the registers in each model, and the registers that are still to be compared."""

    def __init__(self, names, initial):
        self.kind = {path: kind for path, kind, _ in initial}
        self.now = {name: {path: DESCRIPTION.reset.get(kind, 0) for path, kind, _ in initial} for name in names}
        self.now["chapters"] = {path: value for path, _, value in initial}
        # Registers that are compared only while another register of the same block is 1.
        self.guards = {path: path.rsplit(".", 1)[0] + "." + DESCRIPTION.valid[kind]
                       for path, kind in self.kind.items() if kind in DESCRIPTION.valid}
        self.guarded = {guard: path for path, guard in self.guards.items()}
        self.touched = set(self.kind)

    def change(self, name, updates):
        """New values of a model."""
        now = self.now[name]
        for path, value in updates:
            now[path] = value
            self.touched.add(path)
            if path in self.guarded:
                self.touched.add(self.guarded[path])

    def differences(self):
        """Paths on which the models differ now, in the order of the chapters."""
        different = []
        for path in self.touched:
            values = {now.get(path) for now in self.now.values()}
            if len(values) > 1 and path in self.kind and (path not in self.guards or self.now["chapters"][self.guards[path]]):
                different.append(path)
        self.touched = set()
        if len(different) > 1:
            order = {path: place for place, path in enumerate(self.kind)}
            different.sort(key=order.get)
        return different


def examine(job):
    """Runs a case on all models. Returns what was compared, and the first difference or None."""
    folder, binary, chapters, golden_only = job
    result = dict(case=folder, cycles=0, values=0, unknown=set(), seen=set(), difference=None)
    try:
        traces = {name: drra(binary, "trace", folder / "case.json", "--with-end", "--model", name).split("\n", 1)[1]
                  for name in ("golden", "rtl")[: 1 if golden_only else 2]}
        recorded = {"golden": changes(traces["golden"])}
        if not golden_only:
            recorded["rtl"] = recorded["golden"] if traces["rtl"] == traces["golden"] else changes(traces["rtl"])
        compare(result, recorded, chapters)
    except Stopped as stopped:
        result["difference"] = 0, str(stopped), {}
    except BadInput:
        raise
    except Exception as error:  # Chapters that cannot continue are a finding, too.
        place = traceback.extract_tb(error.__traceback__)[-1]
        result["difference"] = result["cycles"], f"{Path(place.filename).name}:{place.lineno}: {error!r}", {}
    return result


def compare(result, recorded, chapters):
    """Runs the chapters alongside the recorded changes of the other models, up to the first difference."""
    parameters, inputs = stimulus(result["case"])
    columns, rows = parameters["COLS"], parameters["DIMARCH_ROWS"]
    contents, answers, blank = buffers(result["case"], columns), [0] * columns, [0] * parameters["SRAM_DEPTH"]
    modules = model(chapters, tuple(parameters.items()))
    ch5, ch7 = modules.chapter(5), modules.chapter(7)
    state = ch5.fabric_reset({(R, c): blank for R in range(1, rows + 1) for c in range(columns)})
    models = Models(recorded, list(ch5.registers(state)))
    result["seen"] = {INDEX.sub("", path) for events in recorded["golden"].values() for path, _ in events}
    result["unknown"] = result["seen"] - set(models.kind.values())
    for cycle, ports in enumerate(inputs):
        for name, events in recorded.items():
            models.change(name, events.get(cycle, ()))
        different = models.differences()
        result["cycles"] += 1
        result["values"] += len(models.kind)
        if different:
            values = {path: {name: now.get(path) for name, now in models.now.items()} for path in different}
            result["difference"] = cycle, different[0], values
            return
        outputs, after = ch5.fabric_cycle(state, dict(ports, io_in_data=answers))
        answers = [ch7.buffer_answer(blocks, o) for blocks, o in zip(contents, outputs)]
        models.change("chapters", ((path, value) for path, _, value in ch5.registers(after, state)))
        state = after


MODULES = {}


def model(folder, parameters):
    """The chapters for a size, kept for the next case of this process."""
    if (folder, parameters) not in MODULES:
        MODULES[folder, parameters] = Chapters(folder, **dict(parameters))
    return MODULES[folder, parameters]


def verdict(values):
    """Which of these models is alone, and the models that agree, if two do."""
    common, times = Counter(values.values()).most_common(1)[0]
    alone = [model for model, value in values.items() if value != common]
    if len(values) < 3:
        return "golden and chapters differ", []
    if times < 2:
        return "all three differ", []
    return f"{ALONE[alone[0]]} alone", [model for model in values if model != alone[0]]


def report(name, result, kept):
    """The first difference of a case, as text; the case is copied to `kept`, if given."""
    cycle, first, different = result["difference"]
    lines = [f"{name}: differs in cycle {cycle}: {first}"]
    if different:
        values = different[first]
        lines += [f"  {model:<8} {value:#x}" if value is not None else f"  {model:<8} has no such register" for model, value in values.items()]
        found, agree = verdict(values)
        names = " and ".join(agree).replace("rtl", "RTL")
        lines.append(f"  {found}" + (f": {names} agree on {values[agree[0]]:#x}" if agree else ""))
        lines.append(f"  decided by {DESCRIPTION.section.get(INDEX.sub('', first), 'a chapter that the description does not name')}")
    if len(different) > 1:
        counts = Counter(verdict(values)[0] for values in different.values())
        which = ", ".join(f"{text} in {count}" for text, count in counts.items())
        lines.append(f"  registers that differ in this cycle: {len(different)}" + (f" ({which})" if len(counts) > 1 else ""))
    if kept:
        shutil.copy(result["case"] / "case.json", kept)
        lines.append(f"  case: {os.path.relpath(kept)}")
    print("\n".join(lines), flush=True)


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)

    def number(text):
        if not text.isdecimal() or int(text) == 0:
            raise argparse.ArgumentTypeError(f"{text}: give a number from 1 on")
        return int(text)

    parser.add_argument("drra", metavar="DRRA", help="the program, such as target/release/drra")
    parser.add_argument("case", metavar="CASE", nargs="*", type=Path, help="cases or programs; the memory of a .bin is in the .mem file next to it")
    parser.add_argument("--profile", default="default", help="profile of generated cases [default: default]")
    parser.add_argument("--seed", type=int, default=1, help="seed of generated cases [default: 1]")
    parser.add_argument("--cases", type=number, default=100, help="number of generated cases [default: 100]")
    parser.add_argument("--fabric", metavar="SIZE", help="fabric size, such as 2x1 [default: those of the profile]")
    parser.add_argument("--chapters", type=Path, default=FOLDER, help="folder of the chapters [default: isa/spec]")
    parser.add_argument("--jobs", type=number, default=os.cpu_count() or 1, help="number of cases to run in parallel [default: number of cores]")
    parser.add_argument("--golden-only", action="store_true", help="omit the RTL, for a build without it")
    parser.add_argument("--verdict", action="store_true", help="print only the result of each case, and keep no case, as for `drra replay --chapters`")
    return parser.parse_args(arguments)


def main(arguments):
    begin = time.monotonic()
    try:
        Chapters(arguments.chapters).chapter(5)
    except Exception as error:
        raise BadInput(f"the chapters cannot be read: {error}") from error
    different, cycles, values, unknown, seen, cases = 0, 0, 0, set(), set(), 0
    kept = None if arguments.verdict else KEPT
    if kept:
        kept.mkdir(parents=True, exist_ok=True)
    stay = signal.signal, (signal.SIGINT, signal.SIG_IGN)  # An interruption ends the parent process and all others.
    with tempfile.TemporaryDirectory(dir=kept) as folder, ProcessPoolExecutor(arguments.jobs, None, *stay) as pool:
        folders = (named if arguments.case else generated)(arguments, Path(folder))
        jobs = [(case, arguments.drra, arguments.chapters, arguments.golden_only) for case in folders]
        for result in pool.map(examine, jobs):
            cases, cycles, values = cases + 1, cycles + result["cycles"], values + result["values"]
            unknown |= result["unknown"]
            seen |= result["seen"]
            name = json.loads((result["case"] / "case.json").read_text(encoding="utf-8"))["name"]
            if result["difference"]:
                different += 1
                report(name, result, kept and kept / (re.sub(r"[^\w.-]+", "-", name) + ".json"))
            elif arguments.verdict:
                agree = f"golden and chapters agree{'' if arguments.golden_only else ' with the RTL'}"
                print(f"{name}: {agree}: {result['cycles'] - 1} cycles, {result['values'] // result['cycles']} registers")
    if arguments.verdict:
        if unknown:
            print(f"no chapter computes: {', '.join(sorted(unknown))}")
        return 1 if different or unknown else 0
    quiet = sorted(set(DESCRIPTION.reset) - seen - unknown)
    print(f"{cases} cases, {cycles} cycles, {values:.2e} values of registers compared; chapters, golden{'' if arguments.golden_only else ', rtl'}; "
          f"{different} cases differ; {time.monotonic() - begin:.0f} s")
    print(f"no chapter computes: {', '.join(sorted(unknown)) or 'none'}")
    print(f"no trace prints: {', '.join(quiet) or 'none'}")
    return 1 if different or unknown else 0


if __name__ == "__main__":
    try:
        sys.exit(main(parsed(sys.argv[1:])))
    except BadInput as problem:
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
