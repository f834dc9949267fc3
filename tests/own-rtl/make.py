#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Turns rtl/ into somebody else's design: the same behaviour under different names.

All modules, packages, instances, generate scopes and registers are renamed, the state machine of the address
generators is encoded one-hot, and a wrapper gives the top module the name and the ports that DRRA_RTL requires.
The map of rtl/ (`drra map rtl`, for the wanted size) is rewritten for these names.

    make.py MAP OUT [--fault] [--rtl FOLDER]

--fault makes the address generators leave their initial delay one cycle early; --rtl uses a folder other than rtl/.
"""

import argparse
import codecs
import re
import sys
from pathlib import Path

RTL = Path(__file__).resolve().parents[2] / "rtl"
# The states in the order of their numbers in the architecture; `one_hot` encodes number n as bit n.
STATES = ["AguIdle", "AguInitWait", "AguRun", "AguRowWait", "AguRowStart"]
NAMES = re.compile(r"(?<![\w`])(drra|u|gen)_(\w+)|\b([A-Za-z]\w*)_([qd])\b")


def rot13(text):
    return codecs.encode(text, "rot13")


def new_name(match):
    kind, name, register, suffix = match.groups()
    if register:
        return {"q": "reg_", "d": "nxt_"}[suffix] + rot13(register)
    return {"drra": "fab_", "u": "i_", "gen": "blk_"}[kind] + rot13(name)


def renamed(text):
    return NAMES.sub(new_name, text)


def replaced(text, old, new):
    if text.count(old) != 1:
        sys.exit(f"make.py: `{old}` occurs {text.count(old)} times in the RTL, not once")
    return text.replace(old, new)


def one_hot(text):
    """The type of the state, one-hot."""
    old = "typedef enum logic [2:0] {\n" + ",\n".join(
        f"    {name:<11} = 3'd{i}" for i, name in enumerate(STATES)
    )
    new = "typedef enum logic [4:0] {\n" + ",\n".join(
        f"    {name} = 5'b{1 << i:05b}" for i, name in enumerate(STATES)
    )
    return replaced(text, old, new)


def wrapper(top):
    """A module drra_fabric around the renamed top module; its header is that of the original."""
    header = renamed(top[top.index("module drra_fabric") : top.index("\n);\n") + 4])
    inner = renamed("drra_fabric")
    parameters = ", ".join(f".{p}({p})" for p in ("Cols", "DimarchRows", "RfDepth", "SramDepth"))
    return (
        "// The top module under the name and with the ports that are asked for.\n"
        + header.replace(f"module {inner}", "module drra_fabric")
        + f"  {inner} #({parameters}) i_gbc (.*);\nendmodule\n"
    )


def design(rtl, out, fault):
    for path in sorted(rtl.glob("*.*v*")) + [rtl / "rtl.f"]:
        text = path.read_text()
        if path.name == "drra_state_pkg.sv":
            text = one_hot(text)
        if path.name == "drra_agu.sv":
            legal = "st_q.state <= AguRowStart"
            text = replaced(text, legal, "$onehot(st_q.state)")
            if fault:
                end = "st_q.init_cnt == p_q.p_init_delay - 6'd1"
                text = replaced(text, end, "st_q.init_cnt == p_q.p_init_delay - 6'd2")
        if path.name == "rtl.f":
            text += "wrapper.sv\n"
        if path.name == "public.vlt":
            text = text.replace('"*_q"', '"reg_*"').replace('"drra_*"', '"fab_*"')
        (out / renamed(path.name)).write_text(renamed(text))
    (out / "wrapper.sv").write_text(wrapper((rtl / "drra_fabric.sv").read_text()))


def line(old):
    """A statement of the map of rtl/ for the new names."""
    if old.startswith(("clock", "reset", "#")):
        return []
    left, _, value = old.partition(" = ")
    # Instances whose names end in the name of a key.
    value = re.sub(r"\bu_(io_)?\{k\}", lambda m: f"i_{rot13(m[1] or '')}{{renamed[k]}}", value)
    value = renamed(value)
    if left.startswith("let "):
        value = value.replace(renamed("drra_fabric"), "drra_fabric.i_gbc")
    if left == "cell[r][c].rf.agu[k].state":
        # The highest field of its structure, which is two bits wider in the copy.
        codes = ", ".join(f"5'b{1 << i:05b}: 3'd{i}" for i in range(len(STATES)))
        value = f"translate({value.replace(':', '+2:')}, {codes})"
    return [f"{left} = {value}" if value else left]


def signal_map(text):
    """The map of rtl/ for the new names."""
    keys = ", ".join(f"{key}: {rot13(key)}" for key in ("rd", "wr"))
    lines = ["# A renamed copy of the RTL, with one-hot address generators.", f"table renamed = {keys}"]
    return "\n".join(lines + [new for old in text.splitlines() for new in line(old)]) + "\n"


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    arguments.add_argument("map", type=Path)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--fault", action="store_true")
    arguments.add_argument("--rtl", type=Path, default=RTL)
    given = arguments.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    design(given.rtl, given.out, given.fault)
    (given.out / "signals.map").write_text(signal_map(given.map.read_text()))


if __name__ == "__main__":
    main()
