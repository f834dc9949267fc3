# SPDX-License-Identifier: MIT OR Apache-2.0
"""Blocks of chapter 4. The DPU is cut at channels, squash unit, divider and scaler. Products and quotients are any functions of equal operands
(`Proof.abstract`), but the small products of the scaler. Lanes of each width are a part of the proof."""
import z3

from proof import block, case
from symbolic import UNDEFINED, Num, bits, equal, ite, or_all, signed, unsigned

LANES = {16: 0, 8: 1, 4: 2}                          # width of a lane in the chapter: lane_e of the RTL
# What the blocks promise to each other.
OPERATIONS = "dpu: a mode selects operations of the table", "op <= MIN and op != 5"
WIDTHS = "dpu: there are three widths of lanes", "lane <= 2"
DIRECTIONS = "dpu: down_i and up_i say the mode", "down == (mode == M['scale_dw']) and up == (mode == M['scale_up'])"
EXECUTED = "dpu_channel: the operation of the mode is executed", "op == IDLE or ope == op"
RESULTS = "dpu_squash: a result is from -1.0 to 1.0", "kind not in (SIGM, TANH, EXP) or y <= 0x800 or y >= 0xF800"
CLEARED = "dpu_channel: a clear leaves 0", "not clear or acc == 0"


def for_each_width(b, *names):
    """Runs functions of the chapter once for each width of a lane, so that their loops have a fixed length. Their `sx`, proved once for
    all numbers, is a bit field."""
    chapter = lambda name: b.interpreter.closure(vars(b.ch[4])[name])
    def stub(name, position):
        function = chapter(name)
        def run(*arguments):
            w, result = arguments[position], UNDEFINED
            if not isinstance(w, Num): return b.interpreter.call(function, *arguments)
            b.interpreter.require(or_all(equal(w, width) for width in LANES), "width of a lane")
            for width in LANES:
                given = *arguments[:position], width, *arguments[position + 1:]
                result = ite(equal(w, width), b.interpreter.under(equal(w, width), lambda: b.interpreter.call(function, *given)), result)
            return result
        b.cut(f"4.{name}", run)
    for name, position in names: stub(name, position)
    proved, read, v64 = set(), chapter("sx"), z3.BitVec("v", 64)
    def sx(v, n):
        if not isinstance(v, Num) or v.lo < 0 or v.hi >> 64: return b.interpreter.call(read, v, n)
        if n not in proved:
            proved.add(n)
            b.promise(f"{b.name}: sx reads {n} bits", "a == z", a=b.interpreter.call(read, unsigned(v64), n), z=signed(bits(unsigned(v64), n)))
        return signed(bits(v, n))
    b.cut("4.sx", sx)


@block("4, 5.3", "cell", "drra_dpu_channel", *(case("8x2", f"u_dpu.gen_channel[{k}].u_channel") for k in (0, 1)),
       inside=["drra_lane_add", "drra_lane_mul", "drra_lane_widen"])
def dpu_channel(b):
    k = int(b.instance[-12])
    b.abstract = True
    for_each_width(b, ("widen", 1), ("mul", 2), ("add", 2))
    b.split("lane_i", 2)
    s = b.state("dpu", {name: b.ch[4].DPU_RESET[name] for name in ("acc", "status", "prev_op")})
    b.invariant("a status is less, greater or equal", f"s['status'][{k}] <= 2")
    b.invariant("the operation before is one of a mode", f"s['prev_op'][{k}] <= MIN and s['prev_op'][{k}] != 5")
    b.assume(*OPERATIONS, op=b["op_i"])
    b.assume(*WIDTHS, lane=b["lane_i"])
    ope = b.value("op if op != IDLE else prev", op=b["op_i"], prev=s["prev_op"][k])
    acc, status = b.run("4.dpu_channel", s["acc"][k], s["status"][k], ope, b["x_i"], b["y_i"],
                        b.value("addend if valid else None", addend=b["addend_i"], valid=b["addend_valid_i"]),
                        b.value("(16, 8, 4)[lane]", lane=b["lane_i"]), b["fx_i"], b["sat_i"], b["clear_i"], b["unit_i"])
    b.next({name: [v if j == k else b.after(s[name][j]) for j in (0, 1)] for name, v in dict(acc=acc, status=status, prev_op=b["op_i"]).items()})
    b.equal(ope_o=ope, acc_o=s["acc"][k], status_o=s["status"][k])
    b.promise(*EXECUTED, op=b["op_i"], ope=b.output("ope_o"))
    b.promise(*CLEARED, clear=b["clear_i"], acc=b.later("acc_o"))


@block("4, 8", "cell", "drra_dpu", case("8x2", "u_dpu"), inside=["drra_lane_abs", "drra_lane_format", "drra_lane_neg"])
def dpu(b):
    """Launch, operands and outputs. Channels, squash unit, divider and scaler are cut."""
    for_each_width(b, ("neg", 1), ("absv", 1), ("lane_format", 1))
    s = b.state("dpu", b.ch[4].DPU_RESET)
    b.invariant("no instruction waits in an empty shadow register", "s['sh_valid'] or not any(s['sh_' + f] for f in ('mode', 'control', 'const', 'io'))")
    b.invariant("fx16 is kept as int16", "s['bw_reg'] != 2")
    at = [f"gen_channel[{k}].u_channel." for k in (0, 1)]
    for port in at:
        b.promise(*OPERATIONS, op=b.output(port + "op_i"))
        b.promise(*WIDTHS, lane=b.output(port + "lane_i"))
        b.assume(*EXECUTED, op=b.output(port + "op_i"), ope=b[port + "ope_o"])
        b.assume(*CLEARED, clear=b.output(port + "clear_i"), acc=b.later(port + "acc_o"))
    # Where an operation is IDLE, ope_o is the operation before.
    now = dict(s, pack_reg=b["u_scaler.pack_reg_o"], div_p3=b["u_divider.div_p3_o"],
               **{name: [b[port + p] for port in at] for name, p in dict(acc="acc_o", status="status_o", prev_op="ope_o").items()})
    channels = iter((0, 1))
    lane, flag = lambda w: b.value("LANES[w]", LANES=LANES, w=w), lambda v: b.value("bool(v)", v=v)

    def channel(acc, status, ope, x, y, addend, lw, fx, sat, clear, unit):
        k = next(channels)
        b.promise("dpu: a channel goes on from its own state", "acc == mine['acc'][k] and status == mine['status'][k] and ope == mine['prev_op'][k]",
                  acc=acc, status=status, ope=ope, mine=now, k=k)
        ports = dict(x=x, y=y, lane=lane(lw), fx=fx, sat=sat, clear=flag(clear), addend_valid=b.value("addend is not None", addend=addend))
        b.equal({f"{at[k]}{name}_i": v for name, v in ports.items()})
        b.equal({at[k] + "addend_i": addend}, some=True)
        b.equal({at[k] + "unit_i": b.value("unit & 0xFFFFFFFF", unit=unit)}, when=b.value("ope in (SIGM, TANH, EXP, DIV)", ope=ope))
        return b.after(s["acc"][k]), b.after(s["status"][k])

    b.assume(*RESULTS, y=b["u_squash.y_o"], kind=b.output("u_squash.op_i"))

    def pwl(v, kind):
        b.equal({"u_squash.op_i": kind, "u_squash.x_i": b.value("v & 0xFFFF", v=v)})
        return b.run("4.sx", b["u_squash.y_o"], 16)

    def divide(dividend, divisor):
        for name, v, width in (("dividend", dividend, 16), ("divisor", divisor, 32)):
            b.equal({f"u_divider.{name}_i": b.value("v & ((1 << width) - 1)", v=v, width=width)})
            b.promise(f"dpu: a {name} has {width} bits", "v == sx(v, width)", v=v, width=width)
        return b.after(s["div_p1"])

    def scaler(_, mode, launch, w, in0, factor):
        b.promise(*DIRECTIONS, down=b.output("u_scaler.down_i"), up=b.output("u_scaler.up_i"), mode=mode)
        b.promise(*WIDTHS, lane=b.output("u_scaler.lanes_i"))
        ports = dict(launch=flag(launch), lanes=lane(w), in0=in0, factor=factor,
                     **{name: b.value("mode == M[scale]", mode=mode, scale=scale) for name, scale in (("down", "scale_dw"), ("up", "scale_up"))})
        b.equal({f"u_scaler.{name}_i": v for name, v in ports.items()})
        return {name: b.after(s[name]) for name in ("pack_reg", "pack_phase")}

    b.cut("4.dpu_channel", channel)
    b.cut("4.pwl", pwl)
    b.cut("4.divide", divide)
    b.cut("4.dpu_scaler", scaler)
    issue = b["dpu_i"]
    i = dict(immediate=b["immediate_i"], dpu_start=issue["dpu_start"], cfg_bw=issue["cfg_bw"],
             **{f"dpu_{f}": issue["instr"][n] for f, n in dict(mode="mode", control="control", const="cnst", io="io").items()},
             **{f"in{k}": v for k, v in enumerate(b["in_i"])})
    g = b.run("4.dpu_control", now, i)
    n = b.run("4.dpu_next", now, i, g)
    b.equal({port + "op_i": op for port, op in zip(at, n["prev_op"])})
    stages = {name: b.after(s[name]) for name, before in (("div_p2", "div_p1"), ("div_p3", "div_p2")) if n[name] is s[before]}
    b.next(dict(n, **stages, prev_op=b.after(s["prev_op"])))
    b.equal(out_o=list(b.run("4.dpu_outputs", now, g)), cond_status_o=now["status"][0])


@block("4, 9", "cell", "drra_dpu_squash", case("8x2", "u_dpu.u_squash"))
def dpu_squash(b):
    b.abstract = True
    kind, x = b["op_i"], b.run("4.sx", b["x_i"], 16)
    b.equal({"y_o": b.value("pwl(x, kind) & 0xFFFF", x=x, kind=kind)}, when=b.value("kind in (SIGM, TANH, EXP)", kind=kind))
    # Of the chapter, for each number: 16 bits hold the result.
    pwl, kinds = b.ch[4].pwl, (b.ch[4].SIGM, b.ch[4].TANH, b.ch[4].EXP)
    b.promise(RESULTS[0], "small", instead=RESULTS[1], small=all(abs(pwl(v, k)) <= 0x800 for k in kinds for v in range(-0x8000, 0x8000)))


@block("4, 11", "cell", "drra_dpu_scaler", case("8x2", "u_dpu.u_scaler"))
def dpu_scaler(b):
    for_each_width(b, ("dpu_scaler", 3))
    b.split("lanes_i", 2)
    s = b.state("dpu", {name: b.ch[4].DPU_RESET[name] for name in ("pack_reg", "pack_phase")})
    mode = unsigned(z3.BitVec("mode", 5))
    b.assume(*DIRECTIONS, down=b["down_i"], up=b["up_i"], mode=mode)
    b.assume(*WIDTHS, lane=b["lanes_i"])
    b.next(b.run("4.dpu_scaler", s, mode, b["launch_i"], b.value("(16, 8, 4)[lane]", lane=b["lanes_i"]), b["in0_i"], b["factor_i"]))
    b.equal(pack_reg_o=s["pack_reg"])


@block("4, 10", "cell", "drra_dpu_divider", case("8x2", "u_dpu.u_divider"))
def dpu_divider(b):
    b.abstract = True
    for_each_width(b)
    b.split("dividend_i", 1, low=15)
    b.split("divisor_i", 1, low=31)
    s = b.state("dpu", {name: b.ch[4].DPU_RESET[name] for name in ("div_p1", "div_p2", "div_p3")})
    b.next(dict(div_p1=b.run("4.divide", b.run("4.sx", b["dividend_i"], 16), b.run("4.sx", b["divisor_i"], 32)), div_p2=s["div_p1"], div_p3=s["div_p2"]))
    b.equal(div_p3_o=s["div_p3"])
