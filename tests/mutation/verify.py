#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Compares mutants in the combined model with builds that contain only their change: case, cycle, register.

    verify.py DIR N      N mutants of the finished run of `drra mutate` in DIR; one minute of build time each
"""
import os
import shutil
import subprocess
import sys

from runs import ROOT, Run


def build(run, mutant):
    """The program with the single change of a mutant, built without the combined model."""
    sources = run.folder.resolve() / "single"
    shutil.copytree(ROOT / "rtl", sources, dirs_exist_ok=True)
    path = sources / mutant["file"]
    change = mutant.get("guard", mutant)
    text, (first, end) = path.read_bytes(), change["bytes"]
    path.write_bytes(text[:first] + change["after"].encode() + text[end:])
    columns, rows = run.fabric.split("x")
    target = ROOT / "target" / "mutate"
    settings = {"CARGO_TARGET_DIR": str(target), "DRRA_MUTATED_RTL": str(sources), "DRRA_COLS": columns,
                "DRRA_TILE_ROWS": rows}
    subprocess.run(["cargo", "build", "--release", "--bin", "drra"], cwd=ROOT, env=os.environ | settings, check=True)
    return target / "release" / "drra"


def behaviour(killed):
    # The line of an assertion differs between the combined model and the model of one mutant, so its name is compared.
    if killed and killed["signature"].startswith("assertion "):
        return killed["case"], killed["cycle"], killed["signature"]
    return killed and (killed["case"], killed["cycle"], killed["path"])


run, count = Run(sys.argv[1]), int(sys.argv[2])
# Mutants that crash or hang are left out; the others are sampled evenly.
mutants = [m for m in run.plan["mutants"] if m["number"] in run.found
           and (run.found[m["number"]] or {}).get("by", "difference") == "difference"]
deviating = 0
for mutant in mutants[::max(1, len(mutants) // count)][:count]:
    many = behaviour(run.found[mutant["number"]])
    alone = behaviour(run.work(build(run, mutant), [0], run.plan["seed"])[0])
    deviating += many != alone
    print(f"mutant {mutant['number']}: {many} in the model with many, alone {alone}")
sys.exit(f"{deviating} mutants differ" if deviating else 0)
