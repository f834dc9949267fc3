#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""A design of somebody else in lock-step: DRRA_RTL with a renamed copy of rtl/.

The copy agrees on the bundled programs and in a campaign; a fault planted there is found under its own names;
folders that cannot be built are refused with a reason. Small fabric, a target directory of its own.

    check.py [SECONDS]      length of the campaign, 60 without it
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "target" / "own"
WORK = TARGET / "rtl"
ENV = {"DRRA_COLS": "2", "DRRA_TILE_ROWS": "1", "CARGO_TARGET_DIR": str(TARGET)}
MAKE = [sys.executable, str(ROOT / "tests" / "own-rtl" / "make.py")]


def run(command, **variables):
    """Runs a command; its exit code and all that it printed."""
    env = {k: v for k, v in os.environ.items() if k != "DRRA_RTL"} | ENV | variables
    done = subprocess.run(
        command, cwd=ROOT, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return done.returncode, done.stdout


def build(folder):
    return run(["cargo", "build", "--release"], DRRA_RTL=str(folder))


def drra(*arguments):
    return run([str(TARGET / "release" / "drra"), *arguments])


def expect(what, result, code, *texts):
    found, output = result
    missing = [text for text in texts if text not in output]
    if found != code or missing:
        print(output)
        sys.exit(f"FAILED: {what}: exit code {found}, expected {code}; not printed: {missing}")
    print(f"ok: {what}", flush=True)


def main():
    seconds = sys.argv[1] if len(sys.argv) > 1 else "60"
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    map_of_rtl = WORK / "map.json"
    code, text = run(["cargo", "run", "--release", "--quiet", "--no-default-features", "--", "map", "rtl"])
    if code != 0:
        sys.exit(text)
    map_of_rtl.write_text(text)
    for folder, *options in (["copy"], ["broken", "--fault"]):
        subprocess.run([*MAKE, str(map_of_rtl), str(WORK / folder), *options], check=True)

    expect("the copy builds", build(WORK / "copy"), 0)
    programs = sorted(str(p) for p in (ROOT / "tests" / "programs").glob("*.sasm") if p.stem != "dense")
    result = drra("run", str(ROOT / "isa" / "vec_add.sasm"), *programs)
    expect("the bundled programs agree", result, 0, "compared: ")
    expect("a campaign agrees", drra("fuzz", "--time", f"{seconds}s"), 0, "compared: ")

    expect("the copy with a fault builds", build(WORK / "broken"), 0)
    report = WORK / "report"
    result = drra("run", str(ROOT / "isa" / "vec_add.sasm"), "--report", str(report))
    expect("the fault is found under its name", result, 1, "i_es.blk_nth", "i_nth.reg_fg")
    text = (report / "report.json").read_text()
    expect("the report names the folder of the RTL", (0, text), 0, "RTL broken")

    (WORK / "broken" / "map.json").unlink()
    expect("a folder without a map", build(WORK / "broken"), 101, "the folder has no map.json")
    (WORK / "broken" / "rtl.f").unlink()
    expect("a folder without a list", build(WORK / "broken"), 101, "the folder has no rtl.f")
    expect("no folder", build(WORK / "nowhere"), 101, "there is no such folder")
    wrapper = WORK / "copy" / "wrapper.sv"
    wrapper.write_text(wrapper.read_text().replace("agu_busy_o\n", "busy_o\n").replace("(.*)", "(.*, .agu_busy_o(busy_o))"))
    expect("another port", build(WORK / "copy"), 101, "it has no port `agu_busy_o`, output of 1 bit")


if __name__ == "__main__":
    main()
