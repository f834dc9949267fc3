# SPDX-License-Identifier: MIT OR Apache-2.0
"""A block: one module of the RTL and the functions of the chapters that compute the same.

To add a block, write a function with the decorator `@block(...)` in a file of `blocks/`. Its argument `b` is a `Proof`:

* `b["port_i"]` is an input port as a number, a dictionary (structure) or a list (packed array); so is an output of a cut instance,
  `b["u_seq.word_o"]`; `b.number("port_i")` is a structure as one number. `b.ch[3].NAME` is a constant of a chapter.
* `b.state(path, template)` is the state in the form of the chapter: `template` is its reset value, `path` its path without the unit,
  such as "rf.agu[w0]". Registers are found by their names in `isa/fabric.json`; a register of a cut instance is opaque.
* `b.run("3.agu_cycle", *arguments)` runs a function of a chapter; `b.value(text, **names)` computes an expression in Python. Symbolic
  numbers have no operators of their own: write such expressions as text.
* `b.invariant(reason, text)` restricts the states; `s` in the text is the state. It is proved to hold after reset and after every step.
  `b.assume("block: reason", text, **names)` restricts inputs. That block proves it of its outputs: it has a property of this name, or
  `b.promise("block: reason", text, **names)` with the same text and `b.output("port_o")`.
* `b.next(value)` compares the next state and the reset values. `b.equal(port_o=value)` compares output ports and, in the form
  `b.equal({"u_seq.ld_imm_i": value})`, inputs of cut instances. Fields of a structure are found by their names. `b.equal(ports, when=c)`
  compares where c holds; everywhere else the port has no meaning. `b.equal(ports, some=True)` compares what is not None.
* `b.cut("3.agu_cycle", f)` lets `f` stand for a function of a chapter that another block proves: it compares the arguments with the inputs of
  the instance and returns its outputs; `b.after(s)` is the next state of an opaque one. `b.free(like)` is any value of the form of another.
* `b.split("port_i", width)` proves each comparison for each value of the low bits of an input, where multiplexers are too much for the solver.
  `b.abstract = True` proves it for any functions in place of products and quotients; only if that fails, for these.

A case is a size, the instance of the module in its unit and the parameters of the module: `case(size, instance, AddrW=6)`.
"""
import ast
import inspect
import itertools
import random
import re
import time
from pathlib import Path

import z3

import chapters
import reach
import registers
import rtl
from check import DESCRIPTION
from symbolic import (FALSE, TRUE, UNDEFINED, Cond, Frame, Interpreter, Num, Union, and_, and_all, bits, concrete, equal, is_number, ite, not_, num, or_,
                      or_all, truth, uninterpreted, unsigned)

SIZES = {name: dict(COLS=cols, DIMARCH_ROWS=rows, RF_DEPTH=rf, SRAM_DEPTH=sram) for name, cols, rows, rf, sram in (
    ("8x2", 8, 2, 64, 128), ("2x1", 2, 1, 64, 128), ("3x3", 3, 3, 64, 128), ("2x2-rf32-sram16", 2, 2, 32, 16))}
BLOCKS = {}
SAMPLES = 2                                          # states for which Python itself runs the chapter
# Functions of the chapters that no block executes. The first three give reset values, which every proof compares.
OUTSIDE = {"fabric_reset", "tile_reset", "side_reset", "registers", "buffer_answer"}
UNREACHED = {}                                       # text of a line of a chapter that no block executes: reason


def block(section, unit, module, *cases, inside=()):
    """Declares a block: "chapter, section", the unit that contains it, its module, and the modules in it that are not cut."""
    def declare(function):
        BLOCKS[function.__name__] = dict(function=function, section=section, unit=unit, module=module, cases=cases, inside=inside)
        return function
    return declare


def case(size, instance="", **parameters):
    return size, instance, parameters


def key_of(name, number):
    return BLOCKS[name]["module"], tuple(BLOCKS[name]["cases"][number][2].items()), tuple(BLOCKS[name]["inside"])


class Leaf:
    """A register of a template."""


class Opaque:
    """A register of a cut instance, in this cycle or in the next one."""

    def __init__(self, path, later=False):
        self.path, self.later = path, later


class Identity(dict):
    """A table of packing functions that leave each value as it is."""

    def get(self, kind, default=None):
        return lambda v: v


class Proof:
    """One case of a block: the chapter's side, the RTL's side, and what must be equal."""

    def __init__(self, name, number, sources, text, folder, cases=0, patience=None):
        self.name, self.case, self.folder, self.cases, self.patience, self.block = name, number, folder, cases, patience, BLOCKS[name]
        size, self.instance, self.parameters = self.block["cases"][number]
        self.size = SIZES[size]
        self.title = name + (f" ({', '.join(f'{n}={v}' for n, v in self.parameters.items())})" if self.parameters else "")
        modules = chapters.Chapters(folder, **self.size)
        self.ch = {n: modules.chapter(n) for n in range(8) if n != 1}
        self.module = rtl.Module(sources, key_of(name, number), text)
        self.interpreter = Interpreter()
        self.table = {r.path: r for r in registers.Registers(self.size).all}
        self.packing = self.ch[5].PACKED
        self.state_value, self.template, self.root = None, {}, None
        self.invariants, self.assumptions, self.compared, self.kinds, self.outputs, self.bits, self.assumed, self.promised = [], [], [], [], {}, 0, [], []
        self.splits = []                                                # for each split input: (its variable, a value of some bits, the lowest one)
        self.abstract = False                                           # products and quotients of variables are any functions
        self.decode = {}                                                # by path: the value of a register from its bits
        self.shown = {}                                                 # state and inputs by name, for a difference

    # The RTL

    def __getitem__(self, name):
        if name not in self.module.inputs: raise rtl.Error(f"{self.title}: {self.module.name} has no input {name}; it has {', '.join(self.module.inputs)}")
        value = self.shown[name] = rtl.view(self.module.types[name], self.module.wire(name))
        return value

    def number(self, name):
        """An input or an output as one number, whatever its type."""
        if name in self.module.inputs: self[name]
        return unsigned(self.module.wire(name))

    def local(self, register):
        """The variable of a register in the module, or None."""
        prefix = self.instance + "." if self.instance else ""
        name = register.wire[len(prefix):]
        return name if register.wire.startswith(prefix) and name in self.module.wires else None

    # The chapter

    def leaves(self, value, path, kind):
        """(path, kind, leaf) of a state, as `registers` of chapter 5, 7 walks it, with leaves as they are."""
        module = vars(self.ch[5])
        module["PACKED"] = Identity(self.packing)
        try: return list(self.ch[5].registers(value, None, path, kind))
        finally: module["PACKED"] = self.packing

    def state(self, path, template, **decode):
        """decode: for registers whose value may be None or of several forms, a function of their bits, by the last part of their kind."""
        before, of = registers.UNITS[self.block["unit"]]
        self.root, self.template = ((before + path).rstrip("."), (of + re.sub(r"\[[^]]*\]", "", path)).rstrip(".")), template
        def fresh(v):                                                   # leaves that can be told apart
            if isinstance(v, dict): return {k: fresh(x) for k, x in v.items()}
            return [fresh(x) for x in v] if isinstance(v, list) else Leaf()
        copy = fresh(template)
        places = {id(leaf): (at, kind) for at, kind, leaf in self.leaves(copy, *self.root)}
        def build(v, original):
            if id(v) in places: return self.register(*places[id(v)], original, decode)
            return {k: build(x, original[k]) for k, x in v.items()} if isinstance(v, dict) else [build(x, o) for x, o in zip(v, original)]
        self.state_value = build(copy, template)
        return self.state_value

    def register(self, path, kind, original, decode):
        if path not in self.table: raise rtl.Error(f"{self.title}: isa/fabric.json has no register {path}")
        r = self.table[path]
        if self.local(r) is None: return Opaque(path)
        z = rtl.part(self.module.wire(self.local(r)), r.low, r.width)
        name = kind.rpartition(".")[2]
        if name in decode:
            value = decode[name](unsigned(z))
            self.decode[path] = decode[name]
            self.assumptions.append(self.packed(kind, value, r.width) == z) # and `next` proves that the register keeps this form
        elif isinstance(original, dict):
            fields = {f: unsigned(rtl.part(z, low - r.low, width)) for f, low, width in r.fields}
            value = {f: fields[f] for f in original}
            self.decode[path] = lambda v: {f: self.value("v >> low & mask", v=v, low=low - r.low, mask=(1 << width) - 1) for f, low, width in r.fields if f in original}
        else: value = unsigned(z)
        self.shown[path.partition(".")[2] or path] = value if name not in decode else unsigned(z)
        if r.valid: value = self.value("value if valid else other", value=value, valid=self.bit(r.valid, "now"), other=self.free(value))
        return value

    def bit(self, path, when):
        r = self.table[path]
        return unsigned(rtl.part(self.module.wire(self.local(r), when), r.low, r.width))

    def packed(self, kind, value, width):
        """The bits of a register from its value in the chapter."""
        return bits(self.interpreter.lift(value, lambda v: self.interpreter.call(self.packing[kind], v)), width)

    def run(self, function, *arguments, **named):
        number, name = function.split(".")
        return self.interpreter.call(vars(self.ch[int(number)])[name], *arguments, **named)

    def value(self, text, **names):
        """An expression with the names of the block's chapter."""
        module = vars(self.ch[int(self.block["section"].split(",")[0])])
        return self.interpreter.value(ast.parse(text.strip(), mode="eval").body, Frame([names, module], TRUE))

    def invariant(self, reason, text):
        self.invariants.append((reason, text))
        self.assumptions.append(truth(self.value(text, s=self.state_value)))

    def assume(self, reason, text, **names):
        self.assumed.append((reason, text))
        self.assumptions.append(truth(self.value(text, **names)))

    def promise(self, reason, text, instead=None, **names):
        """What other blocks may assume of outputs is proved here. They assume `instead` if that follows from what is proved."""
        self.promised.append((reason, instead or text))
        self.compared.append(("property", f"promise: {reason}", None, truth(self.value(text, **names)), None, None))

    def output(self, name):
        return rtl.view(self.module.types[name], self.module.wire(name))

    def split(self, name, width, low=0):
        z = self.module.wire(name)
        self.splits.append([(z, z3.BitVecVal(k, width), low) for k in range(1 << width)])

    def later(self, name):
        """An input or an output in the next cycle."""
        return rtl.view(self.module.types[name], self.module.wire(name, "next"))

    def cut(self, function, stub):
        self.interpreter.stubs["ch" + function] = stub

    def after(self, s):
        if isinstance(s, dict): return {k: self.after(v) for k, v in s.items()}
        return [self.after(v) for v in s] if isinstance(s, list) else Opaque(s.path, True)

    def free(self, like):
        if isinstance(like, dict): return {k: self.free(v) for k, v in like.items()}
        if isinstance(like, list): return [self.free(v) for v in like]
        return Num(z3.FreshConst(like.z.sort(), "free"), like.lo, like.hi)

    # Comparison

    def next(self, value):
        for what, state, when in (("next", value, "next"), ("reset", self.template, "reset")):
            for path, kind, leaf in self.leaves(state, *self.root):
                r = self.table[path]
                if self.local(r) is None:
                    if what == "next" and not (isinstance(leaf, Opaque) and leaf.later and leaf.path == path):
                        raise rtl.Error(f"{self.title}: the next value of {path} does not come from its instance")
                    continue
                z = rtl.part(self.module.wire(self.local(r), when), r.low, r.width)
                if what == "next" or r.resets:
                    condition = truth(self.bit(r.valid, when)) if r.valid else TRUE
                    self.compare(what, path, kind, unsigned(self.packed(kind, leaf, r.width)) if kind in self.packing else leaf, z, condition)
                if what == "next" and path in self.decode:              # else the chapter could go on from another value than this proof
                    meant = equal(leaf, self.decode[path](unsigned(self.packed(kind, leaf, r.width))))
                    self.compared.append(("chapter", f"{path} has a value that its bits do not mean", None, or_(not_(and_(self.interpreter.guard, condition)), meant), None, None))
                if what == "next":
                    self.kinds.append(kind)
                    self.bits += r.width
            for reason, text in self.invariants: self.compared.append((what, f"invariant: {reason}", None, truth(self.value(text, s=state)), None, None))

    def compare(self, what, name, kind, value, z, when):
        self.compared.append((what, name, kind, or_(not_(and_(self.interpreter.guard, when)), equal(value, unsigned(z))), value, z))

    def equal(self, ports=None, when=True, some=False, **more):
        for name, value in {**(ports or {}), **more}.items():
            if name not in self.module.outputs: raise rtl.Error(f"{self.title}: {self.module.name} has no output {name}; it has {', '.join(self.module.outputs)}")
            self.outputs[name] = or_(self.outputs.get(name, FALSE), and_(self.interpreter.guard, truth(when)))
            z = self.module.wire(name)
            if isinstance(value, z3.BitVecRef): value = unsigned(value)
            self.match(name, unsigned(z) if is_number(value) else rtl.view(self.module.types[name], z), value, truth(when), some)

    def match(self, name, z, value, when, some):
        if isinstance(value, Union):
            for c, v in value.cases: self.match(name, z, v, and_(when, c), some)
        elif value is None or value is UNDEFINED:
            if not some: self.compared.append(("output", name, None, not_(and_(self.interpreter.guard, when)), None, z.z if isinstance(z, Num) else None))
        elif isinstance(z, dict):
            for field, inner in z.items():
                if field not in value and not isinstance(inner, dict): raise rtl.Error(f"{self.title}: no value for {name}.{field}")
                self.match(f"{name}.{field}", inner, value.get(field, value), when, some)
        elif isinstance(z, list):
            for k, inner in enumerate(z): self.match(f"{name}[{k}]", inner, value[k], when, some)
        else: self.compare("output", name, None, value, z.z, when)

    # Proof

    def prove(self):
        begin = time.process_time()
        self.block["function"](self)
        missing = sorted(set(self.module.outputs) - set(self.outputs))
        if missing: raise rtl.Error(f"outputs that are not compared: {', '.join(missing)}")
        if self.module.register_bits != self.bits:
            of_block = [r for r in self.table.values() if self.root and r.path.startswith(self.root[0]) and self.local(r) is not None]
            missing = [f"{r.path} is in isa/fabric.json, but the code of chapter {self.block['section']} does not return it" for r in of_block if r.kind not in self.kinds]
            raise rtl.Error(f"{self.title}: {self.module.name} has {self.module.register_bits} bits of registers, {self.bits} were compared: "
                            + ("; ".join(missing) or "isa/fabric.json does not list the others"))
        self.compared += [("output", name, None, same, None, None) for name, same in self.module.clocks()]
        properties = list(self.module.properties())
        self.compared += [("property", f"property {name}", None, formula, None, None) for name, formula in properties]
        self.compared += [("chapter", f"{message} ({Path(file or '').name}:{line})", None, not_(bad), None, None)
                          for bad, message, file, line in self.interpreter.obligations]
        result = dict(name=self.name, title=self.title, kinds=sorted(set(self.kinds)), registers=len(self.kinds), outputs=len(self.outputs), properties={})
        self.run_by_python()
        result["differences"] = list(self.differences())
        for name, _ in properties:
            for module in (self.block["module"], *self.block["inside"]): result["properties"].setdefault(module, set()).add(name.rpartition(".")[2])
        silent = [n for n, yes in self.feasible(self.outputs).items() if not yes]
        if silent and not result["differences"]: raise rtl.Error(f"outputs that have no meaning in any state: {', '.join(silent)}")
        result["assumed"] = self.assumed
        result["promised"] = self.promised + [(f"{self.name}: {name.rpartition('.')[2]}", None) for name, _ in properties]
        result["lines"] = self.feasible({p: or_all(g) for p, g in self.interpreter.lines.items() if p[0] and p[0].endswith(".md")})
        result["seconds"] = time.process_time() - begin
        return result

    def solver(self, *more):
        solver = z3.SolverFor("QF_UFBV" if self.abstract else "QF_BV")
        solver.add(*self.assumptions, *more)
        if self.patience: solver.set("timeout", 1000 * self.patience)
        return solver

    def holds(self, solver):
        answer = solver.check()
        if answer == z3.unknown: raise rtl.Error(f"{self.title}: the solver gives up: {solver.reason_unknown()}")
        return answer == z3.sat

    def parts(self, formula):
        """The formula for each value of the inputs that are split, simplified."""
        for values in itertools.product(*self.splits):
            known = and_all(z3.Extract(low + value.size() - 1, low, z) == value for z, value, low in values)
            pairs = [(z, rtl.with_bits(z, low, value)) for z, value, low in values]
            yield z3.simplify(and_(known, z3.substitute(formula, *pairs) if pairs else formula))

    def model(self, *formulas, milliseconds=None):
        """A state and inputs for which the formulas hold, or None if there are none or the time is over."""
        solver = self.solver(*formulas)
        if milliseconds: solver.set("timeout", milliseconds)
        return solver.model() if (solver.check() == z3.sat if milliseconds else self.holds(solver)) else None

    def possible(self, formula):
        return any(not z3.is_false(part) and self.holds(self.solver(part)) for part in self.parts(formula))

    def differences(self):
        """The first differences in words: one by one, because their disjunction is much harder."""
        if not self.holds(self.solver()): yield f"{self.title}: the invariants exclude every state"
        found = []
        for c in self.compared:
            wrong = not_(c[3])
            if self.abstract and self.possible(uninterpreted(wrong)): wrong = wrong if not z3.is_true(self.example(wrong)(wrong)) else TRUE
            elif self.abstract: continue
            if self.possible(wrong): found.append(c)
        self.wrong = or_all(not_(c[3]) for c in found if c[0] in ("next", "output"))
        for c in found[:3]: yield self.difference(*c)
        if len(found) > 3: yield f"  and {len(found) - 3} more: {', '.join(c[1] for c in found[3:23])}"
        if self.cases and self.wrong is not FALSE and self.interpreter.called:
            yield "  " + reach.search(self.block["cases"][self.case][0], self.size, *max(self.interpreter.called, key=lambda c: len(c[1]))[:2], self.wrong, self.folder, f"{self.name}-{self.case}", self.cases)

    def feasible(self, conditions):
        """Which of these formulas hold in some state."""
        todo, result = dict(conditions), dict.fromkeys(conditions, False)
        while todo:
            place, formula = todo.popitem()
            solver = self.solver(formula)
            if self.holds(solver):
                model = solver.model()
                for p in [place, *(p for p, c in todo.items() if z3.is_true(model.eval(c, model_completion=True)))]:
                    result[p] = True
                    todo.pop(p, None)
        return result

    def run_by_python(self):
        """Runs the functions of this block, without symbols, on some states and inputs: the interpreter must not be wrong about Python."""
        leaves, chance = [leaf for _, leaf in flat(self.shown) if isinstance(leaf, Num)], random.Random(1)
        for _ in range(0 if self.interpreter.stubs else SAMPLES):
            solver = z3.Solver()
            solver.add(*self.assumptions)
            wishes = {z3.FreshBool(): leaf.z == chance.getrandbits(leaf.z.size()) >> chance.choice((0, leaf.z.size() // 2)) for leaf in leaves}
            for name, wish in wishes.items(): solver.add(z3.Implies(name, wish))
            while solver.check(*wishes) != z3.sat:
                for name in solver.unsat_core(): del wishes[name]
            state = solver.model()
            model = lambda z: state.eval(z, model_completion=True)
            for name, arguments, result in self.interpreter.called:
                native = inspect.unwrap(vars(self.ch[int(name[2])])[name[4:]])
                if native(*concrete(arguments, model)) != concrete(result, model): raise rtl.Error(f"{name}: Python computes something else")

    # Differences in words

    def example(self, wrong):
        """A state and inputs for which the formula holds, with few values other than 0, as a model."""
        for formula in [uninterpreted(wrong), wrong] if self.abstract else [wrong]:
            found = next(((p, m) for p in self.parts(formula) if (m := self.model(p)) is not None), None)  # a model without variables is false
            if not found: break
            (part, model), zeros = found, []
            for _, leaf in flat(self.shown):
                if not isinstance(leaf, Num): continue
                less = model if not model.eval(leaf.z, model_completion=True).as_long() else self.model(part, *zeros, leaf.z == 0, milliseconds=300)
                if less is not None:
                    model = less
                    zeros.append(leaf.z == 0)
            if z3.is_true(model.eval(wrong, model_completion=True)): break
        return lambda z: model.eval(z, model_completion=True)

    def executed(self, formula, model):
        """Statements that gave a value in a model, the last one first: their paths are conditions in the formula (value, or not on this path)."""
        todo, seen = [(e, z3.is_not(e)) for e in formula.children()], set()
        while todo:
            e, condition = todo.pop()
            if (e.get_id(), condition) in seen: continue
            seen.add((e.get_id(), condition))
            if condition and e.get_id() in self.interpreter.effects and z3.is_true(model(e)): yield self.interpreter.effects[e.get_id()][1:]
            elif z3.is_app_of(e, z3.Z3_OP_ITE): todo += [(e.arg(1 if z3.is_true(model(e.arg(0))) else 2), False), (e.arg(0), True)]
            else: todo += [(c, condition and z3.is_bool(c)) for c in e.children()]

    def difference(self, what, name, kind, same, value, z):
        model = self.example(not_(same))
        section = DESCRIPTION.section.get(kind) or "chapter " + self.block["section"]
        title = {"next": f"{self.title} differs from {section}: {name} in the next cycle", "reset": f"{self.title} differs from {section}: {name} after reset",
                 "output": f"{self.title} differs from {section}: {name}", "property": f"{self.title}: {name} does not hold",
                 "chapter": f"{self.title}: {section} cannot go on: {name}"}[what]
        shown = [f"{at} = {v}" for at, leaf in flat(self.shown) if isinstance(leaf, Num) and (v := model(leaf.z).as_long())]
        lines = [title] + ([] if what == "reset" else [f"  state and inputs other than 0: {', '.join(shown) or 'none'}"])
        if z is not None: lines.append(f"  chapter {int(v) if isinstance(v := concrete(value, model), bool) else v}, RTL {model(z).as_long()}")
        written = [w[1:] for w in reversed(self.interpreter.writes.get(re.sub(r".*[.]|\[.*", "", name), [])) if what == "next" and z3.is_true(model(w[0]))][:1]
        places = [p for p in dict.fromkeys([*written, *self.executed(same, model)]) if p[0] and p[0].endswith(".md")]
        for file, line in places[:4]: lines.append(f"  {Path(file).name}:{line}: {Path(file).read_text(encoding='utf-8').splitlines()[line - 1].strip()}")
        return "\n".join(lines)


def flat(values, prefix=""):
    for name, v in values.items() if isinstance(values, dict) else enumerate(values):
        at = (f"{prefix}[{name}]" if isinstance(name, int) else f"{prefix}.{name}") if prefix else name
        if isinstance(v, (dict, list)): yield from flat(v, at)
        else: yield at, v
