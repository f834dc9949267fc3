# SPDX-License-Identifier: MIT OR Apache-2.0
"""Blocks of chapter 2."""
from proof import block, case

DPU = dict(mode="dpu_mode", control="dpu_control", cnst="dpu_const", io="dpu_io")


@block("2, 6", "cell", "drra_decoder", case("8x2", "u_seq.u_decoder"))
def decoder(b):
    d = b.value("decode(pc, w0, w1, w2, cond, R, io_cell) if run else NOTHING", pc=b["pc_i"], w0=b["w0_i"], w1=b["w1_i"], w2=b["w2_i"],
                cond=b["cond_i"], R=b["raccu_i"], io_cell=b["io_cell_i"], run=b["run_i"])
    get = lambda text: b.value(text, d=d)
    b.equal(halt_o=d["halt"], wait_o=get("d['wait'] is not None"), adv_o=d["adv"], jump_o=get("d['jump'] is not None"), raccu_o=d["raccu"],
            loop_o=d["loop"], swb_dec_o=d["swb"], perm_dec_o=d["perm"], noc_dec_o=d["noc"],
            refi_o={f: get(f"d['o'].get('{f}', 0)") for f in ("cfg_start", "cfg_port", "cfg_dimarch", *b.ch[3].FIELDS)},
            dpu_o=get("d['o'].get('dpu_start', 0)"), bw_o=get("'cfg_bw' in d['o']"))
    # Taken only with the signal that says so.
    b.equal(wait_target_o=d["wait"], jump_pc_o=d["jump"])
    b.equal(dpu_instr_o={f: get(f"d['o'].get('{n}', 0)") for f, n in DPU.items()}, when=get("'dpu_start' in d['o']"))
    b.equal(bw_config_o=get("d['o'].get('cfg_bw', 0)"), when=get("'cfg_bw' in d['o']"))
