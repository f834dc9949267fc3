# SPDX-License-Identifier: MIT OR Apache-2.0
"""Blocks of chapter 3."""
from proof import UNREACHED, block, case
from rtl import Error

RF64, RF32 = "8x2", "2x2-rf32-sram16"
WORD, BLOCK = "u_rf.gen_agu[0].u_agu", "u_rf.gen_agu[2].u_agu"
UNREACHED["n.update(state=IDLE)"] = "the states 5 to 7 of an AGU do not exist"


@block("3, 6", "cell", "drra_agu", case(RF64, WORD, AddrW=6), case(RF64, BLOCK, AddrW=2), case(RF32, WORD, AddrW=5), case(RF32, BLOCK, AddrW=1))
def agu(b):
    s = b.state(f"rf.agu[{'wb' if b.instance == BLOCK else 'w0'}]", b.ch[3].AGU_RESET)
    b.invariant("a step leads to these states only", "s['state'] <= ROW_START")
    b.invariant("a count is 0 outside its state", "all([s['init_cnt'] == 0 or s['state'] == INIT_WAIT, s['l2_dly_cnt'] == 0 or s['state'] == ROW_WAIT,"
                " s['l1_dly_cnt'] == 0 or s['state'] == RUN])")
    b.invariant("the last address of a pattern clears its counts", "s['state'] != IDLE or (s['l1_cnt'] == 0 and s['l2_cnt'] == 0)")
    cfg = b.value("cfg if launch else other", launch=b["launch_i"], cfg=b["cfg_i"], other=b.free(b["cfg_i"]))
    o, n = b.run("3.agu_cycle", s, b["launch_i"], cfg, b.parameters["AddrW"])
    b.next(n)
    b.equal(en_o=o["en"], addr_o=o["addr"], busy_o=b.value("s['state'] != IDLE", s=s))


@block("3, 5", "cell", "drra_register_file", case(RF64, "u_rf", RfDepth=64), case(RF32, "u_rf", RfDepth=32), inside=["drra_agu_shadow"])
def register_file(b):
    """With the shadow registers of the AGUs; AGUs and PERM are cut."""
    s = b.state("rf", b.ch[3].RF_RESET)
    b.invariant("an empty shadow register is 0", "all([s['sh'][k]['sh_valid'] or not any([s['sh'][k]['sh_cfg'][f] for f in FIELDS]) for k in AGUS])")
    def agu(state, launch, cfg, aw):
        at = f"gen_agu[{b.ch[3].AGUS.index(state['state'].path.split('[')[-1].split(']')[0])}].u_agu."
        b.equal({at + "launch_i": launch})
        b.equal({at + "cfg_i": cfg}, when=launch)
        addr = b[at + "addr_o"]
        if addr.z.size() != aw: raise Error(f"{at}addr_o has {addr.z.size()} bits, but the chapter calls agu_cycle with {aw}")
        return dict(en=b[at + "en_o"], addr=addr), b.after(state)
    b.cut("3.agu_cycle", agu)
    refi = b["refi_i"]
    o, sh, agus = b.run("3.rf_agus", s["sh"], s["agu"], b["immediate_i"], refi["cfg_start"], refi["cfg_port"], refi["cfg_dimarch"], refi["cfg"])
    reads = b.run("3.rf_reads", s["mem"], o)
    go = b["perm_go_i"]
    writes = b.value("go['mode'] <= 5", go=go)                         # as `permute` proves
    b.equal({"u_permute.en_i": b.value("go['valid'] and writes", go=go, writes=writes)})
    def permute(words, mode, distance):
        b.equal({"u_permute.mode_i": mode, "u_permute.distance_i": distance, "u_permute.block_i": b.value("sum(w << 16 * k for k, w in enumerate(words))", words=words)}, when=writes)
        return b.value("[(new >> 16 * k) & 0xFFFF for k in range(16)] if writes else None", new=b["u_permute.block_o"], writes=writes)
    b.cut("7.perm_words", permute)
    init = b.value("(block, data) if we else None", block=b["rf_init_block_i"], data=b["rf_init_data_i"], we=b["rf_init_we_i"])
    mem = b.run("3.rf_writes", s["mem"], o, b["wdata_0_i"], b["wdata_1_i"], b["blk_wdata_i"], b["blk_wmask_i"], init, go)
    b.next(dict(mem=mem, sh=sh, agu=agus))
    b.equal(rdata_0_o=reads["rdata_0"], rdata_1_o=reads["rdata_1"], blk_rd_en_o=reads["blk_rd_en"], blk_rdata_o=reads["blk_rdata"],
            busy_o=b.value("any(busy)", busy=[b[f"gen_agu[{k}].u_agu.busy_o"] for k in range(6)]))
