# SPDX-License-Identifier: MIT OR Apache-2.0
"""Blocks of chapter 7."""
from blocks.dimarch import AGU_STATES
from blocks.messages import CELL_MESSAGE, cell_message, message
from proof import block, case


@block("7, B1", "cell", "drra_permute", case("8x2", "u_rf.u_permute"))
def permute(b):
    b.split("mode_i", 3)
    b.split("distance_i", 4)
    words = b.value("[(block >> 16 * k) & 0xFFFF for k in range(16)]", block=b["block_i"])
    after = b.run("7.perm_words", words, b["mode_i"], b["distance_i"])
    b.promise("permute: the modes up to 5 write", "(after is not None) == (mode <= 5)", after=after, mode=b["mode_i"])
    after = b.interpreter.lift(after, lambda words: words and b.value("sum(word << 16 * k for k, word in enumerate(words))", words=words))
    b.equal({"block_o": after}, when=b["en_i"], some=True)


IO_CFG = "dict(init_addr=z >> 38, init_delay=z >> 32 & 63, l1_iter=z >> 27 & 31, l1_step=(z >> 22 & 31) - 2 * (z >> 22 & 16), l1_delay=z >> 16 & 63," \
         " mask=z & 0xFFFF, l2_iter=0, l2_step=0, l2_delay=0)"


@block("7, A4", "column", "drra_column", case("8x2"), inside=["drra_pattern_agu"])
def column(b):
    one_level = {name: value for name, value in b.ch[7].IO_AGU_RESET.items() if name not in ("l2_cnt", "l2_dly")}
    s = b.state("", dict(b.ch[5].COL_RESET, io_rd=one_level, io_wr=one_level), cfg=lambda z: b.value(IO_CFG, z=z),
                io_msg=lambda z: b.value("io_message(dict(payload=z & ((1 << 64) - 1))) if z >> 64 else None", z=z))
    for generator in ("io_rd", "io_wr"):
        for reason, text in AGU_STATES: b.invariant(f"{generator}: {reason}", text.replace("s[", f"s['{generator}']["))
    b.invariant("what no request asks for is 0", "(s['io_pend'] or not s['io_pmask']) and (s['io_rvalid'] or not (s['io_rmask'] or s['io_rdata']))")
    messages = b["cell_noc_i"]
    for m in messages: b.assume("cell: a message has the bits of its kind", CELL_MESSAGE, **cell_message(b, m))
    full = lambda u: {**u, "l2_cnt": 0, "l2_dly": 0}                    # there is no second level
    u = dict(s, io_rd=full(s["io_rd"]), io_wr=full(s["io_wr"]))
    blocks = [(b.value("en >> r & 1", en=b["blk_rd_en_i"], r=r), data) for r, data in enumerate(b["blk_rdata_i"])]
    o, n = b.run("5.column", u, messages, blocks, b["io_in_data_i"], b["tile_down_i"])
    for generator in ("io_rd", "io_wr"): b.promise("column: no second level", "n['l2_cnt'] == 0 and n['l2_dly'] == 0", n=n[generator])
    b.next(dict(n, **{g: {name: n[g][name] for name in one_level} for g in ("io_rd", "io_wr")}))
    b.equal(blk_wdata_o=[block for block, _ in o["blk_in"]], blk_wmask_o=[mask for _, mask in o["blk_in"]], up_o=o["up"],
            col_noc_o=b.run("6.message_bits", o["col_noc"]), agu_busy_o=b.value("ch5.busy(u, ('io_rd', 'io_wr'))", u=u, ch5=b.ch[5]),
            **{f"{name}_o": o[name] for name in ("io_in_en", "io_in_addr", "io_out_en", "io_out_addr", "io_out_data", "io_out_mask")})
    noc = b.number("col_noc_o")
    b.promise("column: a message has the bits of its fields", "bits == z", bits=b.run("6.message_bits", message(b, noc)), z=noc)
