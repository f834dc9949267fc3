# SPDX-License-Identifier: MIT OR Apache-2.0
"""The interface of each block: which function of a chapter computes it, which module, and how ports are named in the chapter.

To add a block, write a function `def name(b)` with the decorator `@block(...)` here. `b` is a `prove.Proof`:

* `b["port_i"]` is an input port as a number, a dictionary (structure) or a list (packed array); so is an output of a cut instance,
  `b["u_seq.word_o"]`. `b.ch[3].NAME` is a constant of a chapter.
* `b.state(path, template)` is the state in the form of the chapter: `template` is a reset value of the chapter, `path` its path without
  the unit, such as "rf.agu[w0]". Registers are found by their names in `isa/fabric.json`.
* `b.run(function, *arguments)` runs a function of a chapter, given by its name such as "3.agu_cycle"; `b.value(text, **names)` computes
  an expression in Python.
* `b.invariant(reason, text)` restricts the states; `s` in the text is the state. It is proved to hold after reset and after every step.
* `b.next(value)` compares the next state, and the reset values; `b.equal(port_o=value, ...)` compares output ports and, with names in a
  dictionary, inputs of cut instances. Fields of a structure are found by their names. `b.when(condition, port_o=value)` compares a port
  only where it has a meaning; the reason is a comment.

Cases of a block differ in their parameters: `case(size, instance, AddrW=6)` for the module below that instance in a unit.
"""
from prove import block, case

RF64, RF32 = "8x2", "2x2-rf32-sram16"
DPU = dict(mode="dpu_mode", control="dpu_control", cnst="dpu_const", io="dpu_io")
WORD, BLOCK = "u_rf.gen_agu[0].u_agu", "u_rf.gen_agu[2].u_agu"


@block("3, 6", "cell", "drra_agu", case(RF64, WORD, AddrW=6), case(RF64, BLOCK, AddrW=2), case(RF32, WORD, AddrW=5), case(RF32, BLOCK, AddrW=1))
def agu(b):
    s = b.state(f"rf.agu[{'wb' if b.instance == BLOCK else 'w0'}]", b.ch[3].AGU_RESET)
    b.invariant("a step leads to these states only", "s['state'] <= ROW_START")
    b.invariant("the last address and the reset clear the count of rows; only a pattern counts them", "s['state'] != IDLE or s['l2_cnt'] == 0")
    o, n = b.run("3.agu_cycle", s, b["launch_i"], b["cfg_i"], b.parameters["AddrW"])
    b.next(n)
    b.equal(en_o=o["en"], addr_o=o["addr"], busy_o=b.value("s['state'] != IDLE", s=s))


@block("2, 6", "cell", "drra_decoder", case(RF64, "u_seq.u_decoder"))
def decoder(b):
    d = b.value("decode(pc, w0, w1, w2, cond, R, io_cell) if run else NOTHING", pc=b["pc_i"], w0=b["w0_i"], w1=b["w1_i"], w2=b["w2_i"],
                cond=b["cond_i"], R=b["raccu_i"], io_cell=b["io_cell_i"], run=b["run_i"])
    get = lambda text: b.value(text, d=d)
    b.equal(halt_o=d["halt"], wait_o=get("d['wait'] is not None"), adv_o=d["adv"], jump_o=get("d['jump'] is not None"), raccu_o=d["raccu"],
            loop_o=d["loop"], swb_dec_o=d["swb"], perm_dec_o=d["perm"], noc_dec_o=d["noc"],
            refi_o={f: get(f"d['o'].get('{f}', 0)") for f in ("cfg_start", "cfg_port", "cfg_dimarch", *b.ch[3].FIELDS)},
            dpu_o=get("d['o'].get('dpu_start', 0)"), bw_o=get("'cfg_bw' in d['o']"))
    # Taken only with the signal that says so.
    b.when(get("d['wait'] is not None"), wait_target_o=get("d['wait'] or 0"))
    b.when(get("d['jump'] is not None"), jump_pc_o=get("d['jump'] or 0"))
    b.when(get("'dpu_start' in d['o']"), dpu_instr_o={f: get(f"d['o'].get('{n}', 0)") for f, n in DPU.items()})
    b.when(get("'cfg_bw' in d['o']"), bw_config_o=get("d['o'].get('cfg_bw', 0)"))
