# SPDX-License-Identifier: MIT OR Apache-2.0
"""Blocks of chapter 6."""
from blocks.messages import message, received, taken
from proof import SIZES, block, case

NAMES = "NSEW"
# Of both kinds of generators, tile and I/O. The states are 0 IDLE, 1 INIT_WAIT, 2 RUN.
LIMITS = "s['{0}'] <= (s['cfg']['{1}'] if s['state'] == {2} else 0)"
AGU_STATES = [("a step leads to these states only", "s['state'] <= 2"), ("a configuration waits in IDLE", "s['state'] == 0 or not s['cfg_valid']"),
              ("an access is made in RUN", "s['state'] == 2 or not s['en']"),
              *((f"{count} is 0 outside its state, and stays within its limit", LIMITS.format(count, limit, state))
                for count, limit, state in (("init_cnt", "init_delay", 1), ("l1_cnt", "l1_iter", 2), ("l1_dly", "l1_delay", 2)))]


@block("6, 7.1", "tile", "drra_pattern_agu", *(case(size, unit, AddrW=width) for size, width in (("8x2", 7), ("2x2-rf32-sram16", 4)) for unit in ("u_rd", "u_wr")))
def pattern_agu(b):
    s = b.state(b.instance[2:], b.ch[6].AGU_RESET)
    rows = [(f"{count} likewise", LIMITS.format(count, limit, 2)) for count, limit in (("l2_cnt", "l2_iter"), ("l2_dly", "l2_delay"))]
    for reason, text in (*AGU_STATES, *rows): b.invariant(reason, text)
    new = b.value("new if valid else None", new=b["new_cfg_i"], valid=b["new_valid_i"])
    b.next(b.run("6.sram_agu_next", s, new))
    b.equal(en_o=s["en"], addr_o=b.value("s['addr'] % depth", s=s, depth=1 << b.parameters["AddrW"]), cfg_o=s["cfg"],
            busy_o=b.value("s['state'] != IDLE", s=s))


@block("6, 7.2", "tile", "drra_crossbar", case("8x2", "u_xbar"))
def crossbar(b):
    s = b.state("", dict(xsel=[b.ch[6].NONE] * 5, xout=[0] * 5))
    b.invariant("there are these sources only", "all(k <= NONE for k in s['xsel'])")
    b.invariant("a ROUTE makes one connection, and the memory listens to it",
                "sum(k != NONE for k in s['xsel'][:4]) <= 1 and all(k == NONE or k == s['xsel'][MEM] for k in s['xsel'][:4])")
    b.assume("tile: a connection has ends", "not connect or (frm <= MEM and to <= MEM)", connect=b["connect_i"], frm=b["from_i"], to=b["to_i"])
    connect = b.value("(frm, to) if connect else None", connect=b["connect_i"], frm=b["from_i"], to=b["to_i"])
    b.next(b.run("6.crossbar", s, connect, b["data_i"], b["mem_i"]))
    b.equal(xout_o=s["xout"])


@block("6, 7.3", "tile", "drra_sram", *(case(size, "u_mem", SramDepth=depth) for size, depth in (("8x2", 128), ("2x2-rf32-sram16", 16))))
def sram(b):
    s = b.state("", dict(sram=[0] * b.size["SRAM_DEPTH"], mem_q=0, mem_rvalid=0))
    # The ports have the lower bits of an address, as the tile proves.
    ra, wa = (b.value("a + SRAM_DEPTH * more", a=b[port], more=b.free(b["re_i"])) for port in ("ra_i", "wa_i"))
    b.split("we_i", 1)                                                   # selects the address of the one port
    b.next(b.run("6.memory", s, b["re_i"], ra, b["we_i"], wa, b["wd_i"]))
    b.equal(rvalid_o=s["mem_rvalid"], rdata_o=b.value("s['mem_q'] if s['mem_rvalid'] else 0", s=s))


@block("6, 6.2 and 6.4", "tile", "drra_noc_side", *(case("8x2", f"gen_side[{k}].u_side", Side=k) for k in range(4)))
def noc_side(b):
    x = b.parameters["Side"]
    s = b.state(f"side[{NAMES[x]}]", b.ch[6].side_reset(), fwd=lambda z: message(b, z), agu=lambda z: taken(b, z))
    b.invariant("a path has one exit", "not (s['hsel'] and s['vsel']) and (s['active'] or not (s['hsel'] or s['vsel']))")
    b.invariant("a message is passed on or taken", "s['fwd'] is None or s['agu'] is None")
    rx = received(b, b.number("rx_i"))
    got = b.value("rx is not None and rx['kind'] == ROUTE", rx=rx)
    b.assume("tile: any_route_i is 1 with a ROUTE at any side", "any_route or not got", any_route=b["any_route_i"], got=got)
    b.next(b.run("6.side_next", s, rx, x, b["any_route_i"]))
    route = b.value("route_decode(rx, x) if got else None", rx=rx, x=x, got=got)
    side, frm, to = (b.value(f"route{part} if got else None", route=route, got=got) for part in ("[0]", "[2][0]", "[2][1]"))
    b.equal(got_o=got, path_o=s, fwd_o=b.run("6.message_bits", s["fwd"]), agu_o=b.packed("tile.side.agu", s["agu"], 55))
    b.equal(dict(from_o=frm, to_o=to, exit_o=side), some=True)
    b.equal({"ends_o": b.value("side is None", side=side)}, when=got)
    b.promise("noc_side: got_o is a ROUTE", "got == (rx is not None and rx['kind'] == ROUTE)", got=b.output("got_o"), rx=rx)
    fwd = b.number("fwd_o")
    b.promise("noc_side: a message has the bits of its fields", "bits == z", bits=b.run("6.message_bits", message(b, fwd)), z=fwd)
    b.promise("noc_side: a connection has ends", "not got or (frm <= MEM and to <= MEM)", got=got, frm=b.output("from_o"), to=b.output("to_o"))


@block("6, 8", "tile", "drra_tile", *(case(name, SramDepth=size["SRAM_DEPTH"], DimarchRows=size["DIMARCH_ROWS"], Cols=size["COLS"])
                                      for name, size in SIZES.items()))
def tile(b):
    """With its sides, generators, crossbar and memory cut."""
    s = b.state("", b.ch[6].tile_reset([0] * b.size["SRAM_DEPTH"]))
    b.invariant("a segment has these directions only", "s['seg_w'] <= AHEAD and s['seg_s'] <= AHEAD")
    inside = [f"gen_side[{x}].u_side." for x in range(4)]
    xout, own = b["u_xbar.xout_o"], dict(s)                             # own: with the outputs of the instances in place of their registers
    own["side"] = {x: dict(s["side"][x], hsel=b[at + "path_o"]["hsel"], vsel=b[at + "path_o"]["vsel"], fwd=received(b, b.number(at + "fwd_o"), "noc_side"),
                           agu=taken(b, b.number(at + "agu_o"))) for x, at in enumerate(inside)}
    read, valid = b["u_mem.rdata_o"], b["u_mem.rvalid_o"]
    own.update(xout=xout, mem_q=b.value("read if valid else old", read=read, valid=valid, old=b.free(read)), mem_rvalid=valid,
               **{g: dict(s[g], en=b[f"u_{g}.en_o"], addr=b[f"u_{g}.addr_o"]) for g in ("rd", "wr")})
    b.assume("sram: NoBlockWithoutRead", "valid or not read", valid=valid, read=read)

    def route_decode(m, x):
        o = {name: b[f"{inside[x]}{name}_o"] for name in ("ends", "exit", "from", "to")}
        return b.value("None if ends else exit", **{k: o[k] for k in ("ends", "exit")}), None, (o["from"], o["to"])

    def side_next(side, rx, x, any_route):
        b.equal({inside[x] + "rx_i": b.run("6.message_bits", rx), inside[x] + "any_route_i": any_route})
        return b.after(s["side"][x])

    def crossbar(_, connect, data, mem):
        b.equal({"u_xbar.connect_i": b.value("connect is not None", connect=connect), "u_xbar.data_i": data, "u_xbar.mem_i": mem})
        b.equal({"u_xbar.from_i": b.value("connect and connect[0]", connect=connect), "u_xbar.to_i": b.value("connect and connect[1]", connect=connect)}, some=True)
        return b.after({name: s[name] for name in ("xsel", "xout")})

    def memory(_, re, ra, we, wa, wd):
        b.equal({"u_mem.re_i": re, "u_mem.we_i": we, "u_mem.ra_i": b.value("ra % SRAM_DEPTH", ra=ra), "u_mem.wa_i": b.value("wa % SRAM_DEPTH", wa=wa)})
        b.equal({"u_mem.wd_i": wd})
        return b.after({name: s[name] for name in ("sram", "mem_q", "mem_rvalid")})

    def generator(state, new):
        at = "u_" + state["state"].path.split(".")[-2]
        b.equal({at + ".new_valid_i": b.value("new is not None", new=new)})
        b.equal({at + ".new_cfg_i": new}, some=True)
        return b.after(s[at[2:]])

    for name, stub in dict(route_decode=route_decode, side_next=side_next, crossbar=crossbar, memory=memory, sram_agu_next=generator).items():
        b.cut("6." + name, stub)
    msg = {x: received(b, b.value("z >> 63 * x & ((1 << 63) - 1)", z=b.number("msg_i"), x=x)) for x in range(4)}
    segdir = {0: b["segdir_n_i"], 1: s["seg_s"], 2: b["segdir_e_i"], 3: s["seg_w"]}
    rx, _, ask, _ = b.run("6.tile_decode", msg, segdir)
    for x, at in enumerate(inside):
        b.assume("noc_side: got_o is a ROUTE", "got == (rx is not None and rx['kind'] == ROUTE)", got=b[at + "got_o"], rx=rx[x])
        b.assume("noc_side: a connection has ends", "not got or (frm <= MEM and to <= MEM)", got=b[at + "got_o"], frm=b[at + "from_o"], to=b[at + "to_o"])
        b.promise("tile: any_route_i is 1 with a ROUTE at any side", "any_route or not got", any_route=b.output(at + "any_route_i"), got=b[at + "got_o"])
    for port in ("segdir_n_i", "segdir_e_i"): b.assume("tile: SegmentDirectionLegal", "direction <= AHEAD", direction=b[port])
    for port in ("req_w_i", "req_s_i"): b.assume("tile: a request has a direction", "req['dir'] <= AHEAD", req=b[port])
    b.assume("fabric: the segment below the home row is open", "row != 1 or (req['valid'] and req['dir'] == ahead)", row=b["row_i"], req=b["req_s_i"],
             ahead=b.ch[6].AHEAD)
    b.promise("tile: a connection has ends", "not connect or (frm <= MEM and to <= MEM)",
              **{name: b.output(f"u_xbar.{port}_i") for name, port in (("connect", "connect"), ("frm", "from"), ("to", "to"))})
    asked = lambda port: b.value("req['dir'] if req['valid'] else None", req=b[port])
    b.next(b.run("6.tile_next", own, b["row_i"], b["col_i"], msg, segdir, b["data_i"], asked("req_w_i"), asked("req_s_i"), b["init_i"]))
    b.equal(msg_v_o=b.run("6.message_bits", b.run("6.bus_out", own, "vsel")), msg_h_o=b.run("6.message_bits", b.run("6.bus_out", own, "hsel")),
            segdir_w_o=s["seg_w"], segdir_s_o=s["seg_s"], data_o=xout[:4], init_o=s["init"],
            agu_busy_o=b.value("rd or wr", rd=b["u_rd.busy_o"], wr=b["u_wr.busy_o"]))
    for port, y in (("req_e_o", 2), ("req_n_o", 0)):
        b.promise("tile: a request has a direction", "req['dir'] <= AHEAD", req=b.output(port))
        b.equal({port: dict(valid=b.value("ask is not None", ask=ask[y]), dir=b.value("ask or 0", ask=ask[y]))})
    for port in ("msg_v_o", "msg_h_o"):
        m = b.number(port)
        b.promise("tile: a message has the bits of its fields", "bits == z", bits=b.run("6.message_bits", message(b, m)), z=m)
