# SPDX-License-Identifier: MIT OR Apache-2.0
"""Blocks of chapter 2."""
from blocks.messages import CELL_MESSAGE, cell_message
from proof import block, case

DPU = dict(mode="dpu_mode", control="dpu_control", cnst="dpu_const", io="dpu_io")
DECODED = ("halt", "wait", "wait_target", "adv", "jump", "jump_pc", "raccu", "loop", "refi", "dpu", "dpu_instr", "bw", "bw_config", "swb_dec",
           "perm_dec", "noc_dec")
# What the decoder promises to the sequencer.
EFFECTS = "[o['halt'], o['wait'], o['jump'], o['dpu'], o['bw'], o['swb_dec'], o['perm_dec'], o['noc_dec']['valid'], o['refi']['cfg_start'], o['loop']['valid']]"
DECODES = [("decoder: nothing without a program", f"run or not (any({EFFECTS}) or o['raccu']['mode'])"),
           ("decoder: only a WAIT waits, and only a HALT halts", "(o['wait'] == (run and w0 >> 23 == 7)) and (o['halt'] == (run and w0 >> 23 == 0))"),
           ("decoder: one effect", f"sum({EFFECTS}) <= 1")]


@block("2, 6", "cell", "drra_decoder", case("8x2", "u_seq.u_decoder"))
def decoder(b):
    d = b.value("decoder(run, pc, w0, w1, w2, cond, R, io_cell)", pc=b["pc_i"], w0=b["w0_i"], w1=b["w1_i"], w2=b["w2_i"],
                cond=b["cond_i"], R=b["raccu_i"], io_cell=b["io_cell_i"], run=b["run_i"])
    get = lambda text: b.value(text, d=d)
    b.equal(halt_o=d["halt"], wait_o=get("d['wait'] is not None"), adv_o=d["adv"], jump_o=get("d['jump'] is not None"), raccu_o=d["raccu"],
            loop_o=d["loop"], swb_dec_o=d["swb"], perm_dec_o=d["perm"], noc_dec_o=d["noc"],
            refi_o={f: get(f"d['o'].get('{f}', 0)") for f in ("cfg_start", "cfg_port", "cfg_dimarch", *b.ch[3].FIELDS)},
            dpu_o=get("d['o'].get('dpu_start', 0)"), bw_o=get("'cfg_bw' in d['o']"))
    # Taken only with the signal that says so.
    b.equal(wait_target_o=d["wait"], jump_pc_o=d["jump"], some=True)
    b.equal(dpu_instr_o={f: get(f"d['o'].get('{n}', 0)") for f, n in DPU.items()}, when=get("'dpu_start' in d['o']"))
    b.equal(bw_config_o=get("d['o'].get('cfg_bw', 0)"), when=get("'cfg_bw' in d['o']"))
    for reason, text in DECODES: b.promise(reason, text, o={name: b.output(f"{name}_o") for name in DECODED}, run=b["run_i"], w0=b["w0_i"])
    b.promise("decoder: a message has the bits of its kind", CELL_MESSAGE, **cell_message(b, b.output("noc_dec_o")))


def part(b, path, names):
    """Some registers of the sequencer."""
    return b.state(path, {name: b.ch[2].SEQ_RESET[name] for name in names})


@block("2, 8", "cell", "drra_raccu", case("8x2", "u_seq.u_raccu"))
def raccu(b):
    s = part(b, "seq", ("sh_raccu", "raccu_reg"))
    b.invariant("only an operation is kept", "s['sh_raccu']['mode'] != 0 or s['sh_raccu'] == NO_RACCU")
    values = [given(b, "iter_we_i", k, v) for k, v in enumerate(b["iter_value_i"])]
    b.next(b.run("2.raccu", s, b["imm_now_i"], b["op_i"], values))
    b.equal(raccu_o=s["raccu_reg"])


def given(b, enable, k, value):
    """A value, or None if bit k of its enable signal is 0."""
    return b.value("value if (enable >> k) & 1 else None", enable=b[enable], k=k, value=value)


def enables(b, values):
    return b.value("sum(int(v is not None) << k for k, v in enumerate(values))", values=values)


@block("2, 9", "cell", "drra_loop_unit", case("8x2", "u_seq.u_loop_unit"), inside=["drra_loop_slot"])
def loop_unit(b):
    s = part(b, "seq", ("sh_loop", "loop"))
    b.invariant("only a LOOP is kept", "s['sh_loop']['valid'] or s['sh_loop'] == NO_LOOP")
    b.invariant("an unused slot is 0, and the count of a slot stays below its iterations", "all([slot['count'] < slot['iter'] if slot['active'] else slot == NO_SLOT for slot in s['loop']])")
    jump, jump_pc, values, n = b.run("2.loop_unit", s, b["imm_now_i"], b["pc_i"], b["waiting_i"], b["op_i"], b["raccu_i"])
    b.next(n)
    b.equal(jump_o=jump, jump_pc_o=jump_pc, iter_we_o=enables(b, values))
    b.equal(iter_value_o=[b.value("0 if v is None else v", v=v) for v in values])


@block("2, 10", "cell", "drra_sequencer", case("8x2", "u_seq"))
def sequencer(b):
    names = [name for name in b.ch[2].SEQ_RESET if name not in ("sh_raccu", "sh_loop", "raccu_reg", "loop")]      # those are in instances
    s = part(b, "seq", names)
    b.invariant("a step leads to these states only", "s['state'] <= RUN")
    b.invariant("only a program counts, and a jump is pending only in a WAIT",
                "(s['state'] == RUN or s['wait_count'] == 0) and (not s['pend_valid'] or (s['state'] == RUN and s['imem'][s['pc']] >> 23 == 7))")
    b.invariant("the end of the program clears the count of loaded words", "(s['state'] == IDLE) == (s['load_count'] == 0)")
    b.invariant("an instruction starts one unit", "not (s['cfg_start'] and s['dpu_start'])")
    b.assume("dpu_channel: StatusLegal", "status <= 2", status=b["seq_cond_status_i"])
    R = b["u_raccu.raccu_o"]

    def decoder(run, pc, w0, w1, w2, cond, R, io_cell):
        o = {name: b[f"u_decoder.{name}_o"] for name in DECODED}
        for reason, text in DECODES: b.assume(reason, text, o=o, run=run, w0=w0)
        b.assume("decoder: a message has the bits of its kind", CELL_MESSAGE, **cell_message(b, o["noc_dec"]))
        b.equal({f"u_decoder.{name}_i": v for name, v in dict(run=run, pc=pc, w0=w0, w1=w1, w2=w2, cond=cond, raccu=R, io_cell=io_cell).items()})
        refi = {**o["refi"], **o["refi"]["cfg"]}
        written = {}
        for start, fields in ((refi["cfg_start"], {n: v for n, v in refi.items() if n != "cfg"}),
                              (o["dpu"], dict(dpu_start=1, **{DPU[n]: v for n, v in o["dpu_instr"].items()})), (o["bw"], dict(cfg_bw=o["bw_config"]))):
            written = b.value("dict(written, **fields) if start else written", written=written, fields=fields, start=start)
        return dict(halt=o["halt"], wait=given(b, "u_decoder.wait_o", 0, o["wait_target"]), adv=o["adv"], raccu=o["raccu"], loop=o["loop"], o=written,
                    jump=given(b, "u_decoder.jump_o", 0, o["jump_pc"]), swb=o["swb_dec"], perm=o["perm_dec"], noc=o["noc_dec"])

    def loop_unit(s, imm_now, pc, waiting, op, R):
        b.equal({f"u_loop_unit.{name}_i": v for name, v in dict(imm_now=imm_now, pc=pc, waiting=waiting, op=op, raccu=R).items()})
        values = [given(b, "u_loop_unit.iter_we_o", k, v) for k, v in enumerate(b["u_loop_unit.iter_value_o"])]
        return b["u_loop_unit.jump_o"], b["u_loop_unit.jump_pc_o"], values, {}

    def raccu(s, imm_now, op, iter_value):
        b.equal({f"u_raccu.{name}_i": v for name, v in dict(imm_now=imm_now, op=op, iter_we=enables(b, iter_value)).items()})
        b.equal({"u_raccu.iter_value_i": iter_value}, some=True)
        return {}

    b.cut("2.decoder", decoder)
    b.cut("2.loop_unit", loop_unit)
    b.cut("2.raccu", raccu)
    out, n = b.run("2.seq_cycle", dict(s, raccu_reg=R), b["ld_valid_i"], b["ld_match_i"], b["ld_instr_i"], b["ld_imm_i"], b["seq_cond_status_i"],
                   b["io_cell_i"])
    b.next({name: n[name] for name in names})
    b.equal(swb_dec_o=out["swb_dec"], perm_dec_o=out["perm_dec"], word_o=out["word"], noc_dec_o=out["noc_dec"], immediate_o=s["immediate"],
            idle_o=b.value("s['state'] == IDLE", s=s), refi_o=s,
            dpu_o=dict(dpu_start=s["dpu_start"], cfg_bw=s["cfg_bw"], instr={name: s[field] for name, field in DPU.items()}))
    b.promise("sequencer: a message has the bits of its kind", CELL_MESSAGE, **cell_message(b, b.output("noc_dec_o")))
