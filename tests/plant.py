# SPDX-License-Identifier: MIT OR Apache-2.0
"""Injects faults into a copy of rtl/, all of them at once; a simulation selects one by its number.

A fault consists of the `file`, the text `old`, which must occur there exactly once, and `new`, which replaces it, or
`after`, which is inserted after it. `@` in the new text stands for a condition that is true only in the simulation with
this fault.
"""

import shutil
import sys
from pathlib import Path

RTL = Path(__file__).resolve().parent.parent / "rtl"


def plant(folder, faults, condition):
    """Copies rtl/ into a new folder, with all faults. `condition(number)` is the text that replaces `@` in the fault of
    that number, counted from 1. Returns the names of the files that changed."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(RTL, folder)
    texts = {}
    for number, fault in enumerate(faults, 1):
        name, old = fault["file"], fault["old"]
        text = texts.setdefault(name, (RTL / name).read_text())
        if (RTL / name).read_text().count(old) != 1:
            sys.exit(f"{name}: does not occur exactly once: {old!r}")
        if text.count(old) != 1:
            sys.exit(f"{name}: another fault has already changed {old!r}")
        new = fault.get("new", old + fault.get("after", ""))
        texts[name] = text.replace(old, new.replace("@", condition(number)))
    for name, text in texts.items():
        (folder / name).write_text(text)
    return sorted(texts)
