# SPDX-License-Identifier: MIT OR Apache-2.0
"""Blocks of chapter 5."""
from blocks.messages import CELL_MESSAGE, cell_message
from blocks.sequencer import DPU
from proof import SIZES, block, case
from rtl import Error

IO = ("io_in_en", "io_in_addr", "io_out_en", "io_out_addr", "io_out_data", "io_out_mask")


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


@block("5, 4", "cell", "drra_cell", case("8x2", RfDepth=64), case("2x2-rf32-sram16", RfDepth=32), inside=["drra_issue"])
def cell(b):
    """With sequencer, switchbox, register file and DPU cut; the registers of messages and of PERM are proved here."""
    s = b.state("", b.ch[5].CELL_RESET)
    for name in ("noc_stage", "noc_shadow"):
        b.invariant(f"{name} is a message", CELL_MESSAGE.replace("m[", f"s['noc']['{name}'][").replace("m ==", f"s['noc']['{name}'] ==").replace("others", str(cell_message(b, 0)["others"])))
        perm = name.replace("noc", "perm")
        b.invariant(f"{perm} is a PERM or 0", f"s['perm']['{perm}']['valid'] or not any(s['perm']['{perm}'].values())")
    b.assume("sequencer: a message has the bits of its kind", CELL_MESSAGE, **cell_message(b, b["u_seq.noc_dec_o"]))
    refi, dpu = b["u_seq.refi_o"], b["u_seq.dpu_o"]
    issued = dict(immediate=b["u_seq.immediate_o"], **{name: refi[name] for name in ("cfg_start", "cfg_port", "cfg_dimarch")}, **refi["cfg"],
                  dpu_start=dpu["dpu_start"], cfg_bw=dpu["cfg_bw"], **{DPU[name]: v for name, v in dpu["instr"].items()})
    own = dict(s, seq=dict(s["seq"], **issued), swb=dict(s["swb"], swb_cfg=b["u_swb.sel_o"]), dpu=dict(s["dpu"], status=[b["u_dpu.cond_status_o"], None]))

    def seq_cycle(_, valid, match, instr, imm, status, io_cell):
        b.equal({f"u_seq.{name}_i": v for name, v in dict(ld_valid=valid, ld_match=match, ld_instr=instr, ld_imm=imm, seq_cond_status=status,
                                                          io_cell=io_cell).items()})
        return {name: b[f"u_seq.{name}_o"] for name in ("swb_dec", "word", "noc_dec", "perm_dec")}, b.after(s["seq"])

    def swb_next(_, swb_dec, word, immediate):
        b.equal({"u_swb.swb_dec_i": swb_dec, "u_swb.word_i": word, "u_swb.immediate_i": immediate})
        return b.after(s["swb"])

    def rf_agus(sh, agu, immediate, cfg_start, cfg_port, cfg_dimarch, cfg):
        b.equal({"u_rf.immediate_i": immediate, "u_rf.refi_i": dict(cfg_start=cfg_start, cfg_port=cfg_port, cfg_dimarch=cfg_dimarch, cfg=cfg)})
        return None, b.after(sh), b.after(agu)

    def rf_writes(mem, _, wdata_0, wdata_1, blk_wdata, blk_wmask, rf_init, perm):
        b.equal({f"u_rf.{name}_i": v for name, v in dict(wdata_0=wdata_0, wdata_1=wdata_1, blk_wdata=blk_wdata, blk_wmask=blk_wmask, perm_go=perm,
                                                         rf_init_we=b.value("init is not None", init=rf_init)).items()})
        for name, place in (("block", 0), ("data", 1)):
            b.equal({f"u_rf.rf_init_{name}_i": b.value("init and init[place]", init=rf_init, place=place)}, some=True)
        return b.after(mem)

    def dpu_control(_, i):
        if any(v is not issued[name] for name, v in i.items()): raise Error("dpu_control gets other inputs than the sequencer issues")

    def dpu_next(_, i, __):
        b.equal({"u_dpu.immediate_i": i["immediate"], "u_dpu.in_i": [i[f"in{k}"] for k in range(4)]})
        b.equal({"u_dpu.dpu_i": dict(dpu_start=i["dpu_start"], cfg_bw=i["cfg_bw"], instr={name: i[field] for name, field in DPU.items()})})
        return b.after(s["dpu"])

    reads = lambda *_: {name: b[f"u_rf.{name}_o"] for name in ("rdata_0", "rdata_1", "blk_rd_en", "blk_rdata")}
    for name, stub in {"2.seq_cycle": seq_cycle, "5.swb_next": swb_next, "3.rf_agus": rf_agus, "3.rf_reads": reads, "3.rf_writes": rf_writes,
                       "4.dpu_control": dpu_control, "4.dpu_outputs": lambda *_: tuple(b["u_dpu.out_o"]), "4.dpu_next": dpu_next}.items(): b.cut(name, stub)
    a = b.run("5.cell_outputs", own, {name: b[f"ld_{name}_i"] for name in ("valid", "instr", "imm")}, b["ld_match_i"], b["io_cell_i"])
    init = b.value("(block, data) if we else None", block=b["rf_init_block_i"], data=b["rf_init_data_i"], we=b["rf_init_we_i"])
    b.next(b.run("5.cell_next", own, a, b["vin_i"], b["blk_wdata_i"], b["blk_wmask_i"], init))
    b.equal(swb_sel_o=own["swb"]["swb_cfg"], lane_o=a["lanes"], blk_rd_en_o=a["blk"][0], blk_rdata_o=a["blk"][1], cell_noc_o=a["cell_noc"],
            idle_o=b["u_seq.idle_o"], agu_busy_o=b["u_rf.busy_o"])
    b.promise("cell: a message has the bits of its kind", CELL_MESSAGE, **cell_message(b, b.output("cell_noc_o")))


@block("5, 5", "fabric", "drra_fabric", *(case(name, Cols=size["COLS"], DimarchRows=size["DIMARCH_ROWS"], RfDepth=size["RF_DEPTH"], SramDepth=size["SRAM_DEPTH"])
                                         for name, size in SIZES.items()))
def fabric(b):
    """With cells, sliding window, columns and tiles cut: the load pipeline and the wiring."""
    cols, rows = b.size["COLS"], b.size["DIMARCH_ROWS"]
    s = b.state("", dict(ld_pipe=[b.ch[5].NO_WORD] * cols))
    cells, tiles = [(r, c) for r in range(2) for c in range(cols)], [(R, c) for R in range(1, rows + 1) for c in range(cols)]
    cell_at = lambda rc: "gen_row[{}].gen_col[{}].u_cell.".format(*rc)
    tile_at = lambda rc: "gen_tile_row[{}].gen_tile_col[{}].u_tile.".format(*rc)
    column_at = lambda c: f"gen_column[{c}].u_column."
    packed = lambda values, width: b.value("sum((0 if v is None else v) << width * k for k, v in enumerate(values))", values=values, width=width)
    compare = lambda at, **values: b.equal({f"{at}{name}_i": v for name, v in values.items()})
    asked = lambda req: b.value("req['dir'] if req['valid'] else None", req=req)
    state = dict(
        cell={rc: dict(place=rc, seq=dict(state=b.value("0 if idle else 1 + running", idle=b[cell_at(rc) + "idle_o"], running=b.free(b[cell_at(rc) + "idle_o"]))), swb=dict(swb_cfg=b[cell_at(rc) + "swb_sel_o"]),
                       rf=dict(agu=dict(busy=b[cell_at(rc) + "agu_busy_o"], units=b.ch[3].AGUS))) for rc in cells},
        col=[dict(place=c, busy=b[column_at(c) + "agu_busy_o"], units=("io_rd", "io_wr")) for c in range(cols)],
        tile={rc: dict(place=rc, seg_w=b[tile_at(rc) + "segdir_w_o"], seg_s=b[tile_at(rc) + "segdir_s_o"], xout=b[tile_at(rc) + "data_o"],
                       init=b[tile_at(rc) + "init_o"], busy=b[tile_at(rc) + "agu_busy_o"], units=("rd", "wr")) for rc in tiles}, ld_pipe=s["ld_pipe"])

    def cell_outputs(cell, tap, match, io_cell):
        at = cell_at(cell["place"])
        compare(at, ld_valid=tap["valid"], ld_match=match, ld_instr=tap["instr"], ld_imm=tap["imm"], io_cell=io_cell)
        return dict(lanes=b[at + "lane_o"], cell_noc=b[at + "cell_noc_o"], blk=(b[at + "blk_rd_en_o"], b[at + "blk_rdata_o"]))

    def cell_next(cell, _, v, blk_wdata, blk_wmask, rf_init):
        at = cell_at(cell["place"])
        compare(at, vin=v, blk_wdata=blk_wdata, blk_wmask=blk_wmask, rf_init_we=b.value("init is not None", init=rf_init))
        for name, place in (("block", 0), ("data", 1)):
            b.equal({f"{at}rf_init_{name}_i": b.value("init and init[place]", init=rf_init, place=place)}, some=True)
        return f"cell {cell['place']}"

    def vin(lane, cfg, r, c):
        compare("u_interconnect.", lane=[lane[rc] for rc in cells])
        if cfg is not state["cell"][r, c]["swb"]["swb_cfg"]: raise Error(f"cell ({r}, {c}) gets the selections of another")
        return b["u_interconnect.vin_o"][r * cols + c]

    def column(u, cell_noc, blk, io_in_data, tile_down):
        at = column_at(u["place"])
        compare(at, cell_noc=cell_noc, blk_rd_en=packed([en for en, _ in blk], 1), blk_rdata=[data for _, data in blk], io_in_data=io_in_data, tile_down=tile_down)
        o = {name: b[f"{at}{name}_o"] for name in ("up", *IO)}
        return dict(o, col_noc=b.number(at + "col_noc_o"), blk_in=list(zip(b[at + "blk_wdata_o"], b[at + "blk_wmask_o"]))), f"column {u['place']}"

    def busy(u, agus):
        if set(agus) != set(u["units"]): raise Error(f"busy asks for {', '.join(agus)} of {', '.join(u['units'])}")
        return u["busy"]

    order = iter(tiles)
    def tile_decode(msg, segdir):                                       # called for the tiles in their order
        req = {y: asked(b[f"{tile_at(rc)}req_{name}_o"]) for rc in [next(order)] for y, name in ((0, "n"), (2, "e"))}
        return None, None, req, None

    def tile_next(t, row, col, msg, segdir, data, ask_w, ask_s, init):
        at = tile_at(t["place"])
        compare(at, row=row, col=col, msg=packed([msg[x] for x in range(4)], 63), data=data, init=init, segdir_n=segdir[0], segdir_e=segdir[2])
        for name, ask in (("w", ask_w), ("s", ask_s)):
            b.equal({f"{at}req_{name}_i": dict(valid=b.value("ask is not None", ask=ask), dir=ask)}, some=True)
        b.promise("fabric: the segment below the home row is open", "row != 1 or (req['valid'] and req['dir'] == ahead)", row=row, req=b.output(at + "req_s_i"),
                  ahead=b.ch[6].AHEAD)
        return f"tile {t['place']}"

    for name, stub in {"5.cell_outputs": cell_outputs, "5.cell_next": cell_next, "5.vin": vin, "5.column": column, "5.busy": busy,
                       "6.bus_out": lambda t, sel: b.number(f"{tile_at(t['place'])}msg_{sel[0]}_o"), "6.tile_decode": tile_decode,
                       "6.tile_next": tile_next}.items(): b.cut(name, stub)
    compare("u_interconnect.", sel=[state["cell"][rc]["swb"]["swb_cfg"] for rc in cells])
    port = lambda prefix, *names: {name: b[f"{prefix}_{name}_i"] for name in names}
    out, n = b.run("5.fabric_cycle", state, dict(prog=port("prog", "valid", "instr", "imm", "row_sel", "col_sel"), io_cell=b["io_cell_i"], io_in_data=b["io_in_data_i"],
                   sram_init=dict(port("sram_init", "row", "col", "addr", "data"), en=b["sram_init_valid_i"]), rf_init=port("rf_init", "valid", "row", "col", "block", "data")))
    if n["cell"] != {rc: f"cell {rc}" for rc in cells} or n["tile"] != {rc: f"tile {rc}" for rc in tiles} or n["col"] != [f"column {c}" for c in range(cols)]:
        raise Error("the next state of the fabric is not that of its parts")
    b.next(dict(ld_pipe=n["ld_pipe"]))
    idle, all_idle, busy = b.run("5.status", state)
    b.equal(cell_idle_o=packed([idle[rc] for rc in cells], 1), all_idle_o=all_idle, agu_busy_o=busy)
    b.equal({f"{name}_o": packed([o[name] for o in out], 1) if name.endswith("_en") else [o[name] for o in out] for name in IO})
