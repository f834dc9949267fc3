# SPDX-License-Identifier: MIT OR Apache-2.0
"""Blocks of chapter 6."""
from blocks.messages import message, received, taken
from proof import block, case

SIDES = "NSEW"
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
    b.next(b.run("6.sram_agu_next", s, new, 1 << b.parameters["AddrW"]))
    b.equal(en_o=s["en"], addr_o=b.value("s['addr'] % depth", s=s, depth=1 << b.parameters["AddrW"]), cfg_o=s["cfg"],
            busy_o=b.value("s['state'] != IDLE", s=s))


@block("6, 7.2", "tile", "drra_crossbar", case("8x2", "u_xbar"))
def crossbar(b):
    s = b.state("", dict(xsel=[b.ch[6].NONE] * 5, xout=[0] * 5))
    b.invariant("there are these sources only", "all(k <= NONE for k in s['xsel'])")
    b.invariant("a ROUTE makes one connection, and the memory listens to it",
                "sum(k != NONE for k in s['xsel'][:4]) <= 1 and all(k == NONE or k == s['xsel'][MEM] for k in s['xsel'][:4])")
    b.assume("noc_side: a connection has ends", "not connect or (frm <= MEM and to <= MEM)", connect=b["connect_i"], frm=b["from_i"], to=b["to_i"])
    connect = b.value("(frm, to) if connect else None", connect=b["connect_i"], frm=b["from_i"], to=b["to_i"])
    b.next(b.run("6.crossbar", s, connect, b["data_i"], b["mem_i"]))
    b.equal(xout_o=s["xout"])


@block("6, 7.3", "tile", "drra_sram", *(case(size, "u_mem", SramDepth=depth) for size, depth in (("8x2", 128), ("2x2-rf32-sram16", 16))))
def sram(b):
    s = b.state("", dict(sram=[0] * b.size["SRAM_DEPTH"], mem_q=0, mem_rvalid=0))
    b.next(b.run("6.memory", s, b["re_i"], b["ra_i"], b["we_i"], b["wa_i"], b["wd_i"]))
    b.equal(rvalid_o=s["mem_rvalid"], rdata_o=b.value("s['mem_q'] if s['mem_rvalid'] else 0", s=s))


@block("6, 6.2 and 6.4", "tile", "drra_noc_side", *(case("8x2", f"gen_side[{k}].u_side", Side=k) for k in range(4)))
def noc_side(b):
    x = b.parameters["Side"]
    s = b.state(f"side[{SIDES[x]}]", b.ch[6].side_reset(), fwd=lambda z: message(b, z), agu=lambda z: taken(b, z))
    b.invariant("a path has one exit", "not (s['hsel'] and s['vsel']) and (s['active'] or not (s['hsel'] or s['vsel']))")
    b.invariant("a message is passed on or taken", "s['fwd'] is None or s['agu'] is None")
    rx = received(b, "rx_i")
    got = b.value("rx is not None and rx['kind'] == ROUTE", rx=rx)
    b.assume("tile: any_route_i is 1 with a ROUTE at any side", "any_route or not got", any_route=b["any_route_i"], got=got)
    b.next(b.run("6.side_next", s, rx, x, b["any_route_i"]))
    route = b.value("route_decode(rx, x) if got else None", rx=rx, x=x, got=got)
    side, frm, to = (b.value(f"route{part} if got else None", route=route, got=got) for part in ("[0]", "[2][0]", "[2][1]"))
    b.equal(got_o=got, path_o=s, fwd_o=b.run("6.message_bits", s["fwd"]), agu_o=b.packed("tile.side.agu", s["agu"], 55))
    b.equal(dict(from_o=frm, to_o=to, exit_o=side), some=True)
    b.equal({"ends_o": b.value("side is None", side=side)}, when=got)
    b.promise("noc_side: a connection has ends", "not got or (frm <= MEM and to <= MEM)", got=got, frm=b.output("from_o"), to=b.output("to_o"))
