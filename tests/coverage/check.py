#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Compares RTL coverage counts with the sums of Verilator's own tool.

A campaign adds up the counts of all its cases' models in one process. Here each of its cases runs once more, in a
separate process with one model, whose counts are written by Verilator's runtime before the harness sees them
(`DRRA_RTL_COVERAGE`); `verilator_coverage --write` adds up these files. The campaign must have the same counts for every
point, and so must a resumed campaign. The output of `drra cover` is also checked against Verilator's sums.

    check.py DRRA FOLDER [CASES]    a drra that counts, a folder for all files (deleted first), the number of cases
                                    [default: 16]

`VERILATOR_COVERAGE` names the tool if it is not on PATH.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

SETTINGS = ["--profile", "default", "--seed", "11"]
COUNTS = "rtl_coverage.dat"
TOOL = os.environ.get("VERILATOR_COVERAGE", "verilator_coverage")
SHOWN = 20  # limit on the points that are listed


def run(*command, **variables):
    done = subprocess.run(command, text=True, capture_output=True, env=os.environ | variables)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def counts_of(path):
    """Count of each point by its fields."""
    counts = {}
    for line in path.read_text().splitlines():
        if line.startswith("C '"):
            fields, count = line.removeprefix("C '").rsplit("' ", 1)
            fields = tuple(sorted(fields.strip("\x01").split("\x01")))
            assert fields not in counts, f"{path}: twice: {fields}"
            counts[fields] = int(count)
    return counts


def compare(what, found, expected):
    """Reports how many counts differ, and which."""
    different = [p for p in sorted(expected | found) if found.get(p) != expected.get(p)]
    for point in different[:SHOWN]:
        name = " ".join(field.replace("\x02", "=") for field in point)
        print(f"{name}: {found.get(point, 'no such point')}, Verilator {expected.get(point, 'no such point')}")
    hit = sum(count > 0 for count in expected.values())
    print(f"{what}: {len(expected)} points, {hit} hit, {len(different)} counts differ", flush=True)
    return len(different)


def by_module(counts):
    """Lines, branches and toggles of each module: how many there are, and those that are not hit."""
    sums = {}
    for point, count in counts.items():
        field = dict(f.split("\x02", 1) for f in point)
        variant = field["page"].split("/", 1)[1]
        kind = {"toggle": "toggles", "line": "lines"}.get(field["t"], "branches")
        place = f"{field['f']}:{field['l']} {field.get('o', '')}, {variant}"
        if kind != "toggles":
            place += f", column {field.get('n', '0')}"
        places = sums.setdefault((variant.split("__")[0], kind), {})
        places[place] = places.get(place, 0) + count
    return {key: (len(p), {name for name, count in p.items() if count == 0}) for key, p in sums.items()}


def cover(drra, folder, expected):
    """Reports where the table of `drra cover` is wrong: a point that it does not exclude must be hit or listed as a hole."""
    rtl = json.loads(run(drra, "cover", folder, "--json"))["rtl"]
    found = {(m, kind): p for m, kinds in rtl.items() for kind, p in kinds.items()}
    modules = by_module(expected)
    wrong = sorted(found.keys() ^ modules.keys())
    for key in found.keys() & modules.keys():
        told, (points, unhit) = found[key], modules[key]
        fits = (
            told["points"] + told["excluded"] == points
            and told["points"] - told["hit"] == len(told["holes"])
            and unhit.issuperset(told["holes"])
            and len(unhit) - len(told["holes"]) <= told["excluded"]
        )
        if not fits:
            wrong.append(key)
    for key in sorted(wrong):
        holes = sorted(set(found.get(key, {}).get("holes", [])) - modules.get(key, (0, set()))[1])
        print(f"{' '.join(key)}: not as in Verilator's sums; hit there: {holes[:SHOWN]}")
    print(f"drra cover: {len(modules)} rows, {len(wrong)} differ", flush=True)
    return len(wrong)


def refuses(drra, folder):
    """A missing folder is reported."""
    lost = str(folder / "nowhere")
    command = [drra, "fuzz", *SETTINGS, "--cases", "1", "--jobs", "1", "--out", folder / "lost"]
    done = subprocess.run(command, text=True, capture_output=True, env=os.environ | {"DRRA_RTL_COVERAGE": lost})
    told = f"error: DRRA_RTL_COVERAGE: {lost}/0.dat cannot be written\nhelp: name a folder" in done.stderr
    if done.returncode != 3 or not told:
        sys.exit(f"a folder that is not there: exit code {done.returncode}\n{done.stderr}")


def main():
    drra, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    cases = int(sys.argv[3]) if len(sys.argv) > 3 else 16
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    fuzz = [drra, "fuzz", *SETTINGS]
    refuses(drra, folder)

    whole, parts = folder / "whole", folder / "parts"
    run(*fuzz, "--cases", str(cases), "--jobs", "1", "--out", whole)
    run(*fuzz, "--cases", str(cases // 2), "--jobs", "2", "--out", parts)
    run(drra, "fuzz", "--resume", parts, "--cases", str(cases), "--jobs", "2")

    alone = folder / "alone"
    for case in range(1, cases + 1):
        out, own = alone / str(case), alone / f"{case}.own"
        own.mkdir(parents=True)
        shard = ["--cases", str(cases), "--shard", f"{case}/{cases}", "--jobs", "1"]
        run(*fuzz, *shard, "--out", out, DRRA_RTL_COVERAGE=str(own))
        ran = json.loads((out / "summary.json").read_text())["cases"]
        assert ran == 1, f"{out}: {ran} cases"
    sums = folder / "verilator.dat"
    run(TOOL, "--write", sums, *sorted(alone.glob("*.own/*.dat")))

    expected = counts_of(sums)
    wrong = compare(f"campaign of {cases} cases", counts_of(whole / COUNTS), expected)
    wrong += compare("resumed campaign", counts_of(parts / COUNTS), expected)
    wrong += cover(drra, whole, expected)
    sys.exit(min(wrong, 1))


if __name__ == "__main__":
    main()
