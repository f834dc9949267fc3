#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Measures the benefit of coverage-directed generation: mutants that were killed, but not by the first 100 cases, are
run again with other seeds, with and without direction.

    direction.py DIR SEEDS      DIR: a finished run of `drra mutate`, SEEDS: the number of other seeds
"""
import sys
from concurrent.futures import ThreadPoolExecutor

from runs import Run

LATE = 100

run, seeds = Run(sys.argv[1]), int(sys.argv[2])
late = [n for n, k in run.found.items() if k and k["by"] == "difference" and k["case"] >= LATE]
if not late:
    sys.exit("no mutant was killed late")
slots = [run.slot(number) for number in late]


def needed(seed, more):
    """Number of cases until each mutant is killed; one more than were run if it is not."""
    killed = run.work(run.program, slots, seed, more)
    return [k["case"] + 1 if k else run.plan["cases"] + 1 for k in killed]


def at(values, percent):
    return sorted(values)[max(-(-len(values) * percent // 100), 1) - 1]


first = run.plan["seed"] + 1
with ThreadPoolExecutor() as pool:
    for name, more in [("with", []), ("without", ["--undirected"])]:
        runs = pool.map(lambda seed: needed(seed, more), range(first, first + seeds))
        cases = [c for of_seed in runs for c in of_seed]
        print(f"{len(late)} late mutants, {seeds} seeds, {name} direction: median {at(cases, 50)}, 95 % {at(cases, 95)}")
