# SPDX-License-Identifier: MIT OR Apache-2.0
"""A FIR filter in one cell of the fabric, on the golden model, against NumPy."""

import drra
import numpy

x, h = numpy.arange(-11, 12) * 7, numpy.array([3, -1, 4, 1, -5, 9, 2, -6])
taps, outputs = len(h), len(x) - len(h) + 1
rows = f"l1_iter={taps - 1}, l2_iter={outputs - 1}, l2_delay=1"
text = f""".DATA
RF <0,0> [0]  = {x.tolist()}
RF <0,0> [32] = {h[::-1].tolist()}
.CODE
SWB src_block=rf,  src_port=0, hb_index=2, v_index=2
SWB src_block=rf,  src_port=1, hb_index=2, v_index=3
SWB src_block=dpu, src_port=0, hb_index=2, v_index=0
REFI port_no=r0, init_addr=0,  {rows}, l2_step=1, init_delay=4
REFI port_no=r1, init_addr=32, {rows}, l2_step=0, init_delay=3
REFI port_no=w0, init_addr=48, l1_iter={outputs - 1}, l1_delay={taps}, l2_step=0, init_delay={taps + 2}
DPU mode=mac, acc_clear={taps}
HALT"""
golden = drra.Golden(drra.assemble(text))
print(golden.run(), "cycles")
y = golden.array("cell[0][0].rf.mem", signed=True)[48 : 48 + outputs]
assert (y == numpy.convolve(x, h, "valid")).all()
