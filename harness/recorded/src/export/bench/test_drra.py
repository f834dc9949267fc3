# SPDX-License-Identifier: MIT OR Apache-2.0
"""A cocotb test: drives the case on a fabric and compares the state with the golden model in every cycle.

    python3 test_drra.py SIMULATOR SOURCES AND OPTIONS      such as: icarus my.v; verilator -f my.f +incdir+my

The signal map is signals.map beside this file, or the file in the variable DRRA_MAP. Its names begin with TOP.
"""

import os
import sys
from pathlib import Path

import cocotb
from drra.cocotb import Scoreboard, drive
from drra.simulate import simulate

HERE = Path(__file__).resolve().parent
# The fabric, and its parameters: {} if it has none.
TOP = "drra_fabric"
PARAMETERS = {"Cols": {{COLS}}, "DimarchRows": {{TILE_ROWS}}, "RfDepth": {{RF_DEPTH}}, "SramDepth": {{SRAM_DEPTH}}}
# Ports of the fabric with other names than those of the table in README.md followed by _i or _o, such as
# {"clk": "clock", "prog_imm": None}; None is a port that the fabric lacks.
PORTS = {}


@cocotb.test()
async def agrees_with_the_golden_model(dut):
    case = Path(os.environ["DRRA_CASE"])
    scoreboard = Scoreboard(dut, os.environ.get("DRRA_MAP", HERE / "signals.map"), case, out=case.with_name("live"))
    await scoreboard.finished(drive(dut, case, PORTS))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(simulate(__file__, sys.argv[1], TOP, sys.argv[2:], PARAMETERS) > 0)
