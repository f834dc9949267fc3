# SPDX-License-Identifier: MIT OR Apache-2.0
"""Blocks of chapter 5."""
from proof import block, case


@block("5, 2", "cell", "drra_switchbox", case("8x2", "u_swb"))
def switchbox(b):
    s = b.state("swb", b.ch[5].SWB_RESET)
    b.invariant("nothing is 0", "s['swb_iss_valid'] or not any(s['swb_iss'].values())")
    b.next(b.run("5.swb_next", s, b["swb_dec_i"], b.number("word_i"), b["immediate_i"]))
    b.equal(sel_o=s["swb_cfg"])


@block("5, 3", "fabric", "drra_interconnect", *(case(size, "u_interconnect", Cols=cols) for size, cols in (("8x2", 8), ("3x3", 3), ("2x1", 2))))
def interconnect(b):
    cols = b.size["COLS"]
    lane = {divmod(k, cols): v for k, v in enumerate(b["lane_i"])}
    b.equal(vin_o=[b.run("5.vin", lane, cfg, *divmod(k, cols)) for k, cfg in enumerate(b["sel_i"])])
