#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Proves that blocks of the RTL equal their chapters: for all states and all inputs, the next state and the outputs are the same.

Without BLOCK, proves all blocks and that each register and each output was compared. `blocks.py` says how to add one.
Exit code: 0 all proved, 1 a difference, 2 bad input, 3 a tool failed."""
import argparse
import ast
import os
import re
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "specification"), str(ROOT / "tests" / "proofs"), str(ROOT / "target" / "hdl-tools")]

import z3

import chapters
import registers
import rtl
from check import DESCRIPTION
from symbolic import (FALSE, TRUE, UNDEFINED, Cond, Frame, Interpreter, Num, Union, Unsupported, and_, and_all, bits, equal, is_number, ite, not_,
                      num, or_, or_all, truth, unsigned)

SIZES = {name: dict(COLS=cols, DIMARCH_ROWS=rows, RF_DEPTH=rf, SRAM_DEPTH=sram) for name, cols, rows, rf, sram in (
    ("8x2", 8, 2, 64, 128), ("2x1", 2, 1, 64, 128), ("3x3", 3, 3, 64, 128), ("2x2-rf32-sram16", 2, 2, 32, 16))}
BLOCKS = {}


def block(section, unit, module, *cases):
    """Declares a block: "chapter, section", the unit that contains it, its module and its cases."""
    def declare(function):
        BLOCKS[function.__name__] = dict(function=function, section=section, unit=unit, module=module, cases=cases)
        return function
    return declare


def case(size, instance="", flat=False, **parameters):
    return dict(size=size, instance=instance, flat=flat, parameters=parameters)


class Identity(dict):
    """A table of packing functions that leave each value as it is."""

    def __init__(self, kinds):
        super().__init__((kind, lambda v: v) for kind in kinds)

    def get(self, kind, default=None):
        return lambda v: v


class Proof:
    """One case of a block: the chapter's side, the RTL's side, and what must be equal."""

    def __init__(self, name, number, sources, text, folder):
        self.name, self.block = name, BLOCKS[name]
        c = self.case = self.block["cases"][number]
        self.instance, self.parameters, self.size = c["instance"], c["parameters"], SIZES[c["size"]]
        self.title = name + (f" ({', '.join(f'{n}={v}' for n, v in self.parameters.items())})" if self.parameters else "")
        modules = chapters.Chapters(folder, **self.size)
        self.ch = {n: modules.chapter(n) for n in range(8)}
        self.module = rtl.Module(sources, key_of(self.block, c), text)
        self.interpreter = Interpreter(modules)
        self.table = {r.path: r for r in registers.Registers(self.size).all}
        self.invariants, self.compared, self.kinds, self.bits_compared, self.state_value = [], [], [], 0, None
        self.packing = dict(self.ch[5].PACKED)
        self.leaves_shown, self.outputs_seen = {}, set()
        self.assumptions = [self.module.running]

    # The RTL

    def __getitem__(self, name):
        if name not in self.module.inputs: raise rtl.Error(f"{self.title}: {self.module.name} has no input {name}")
        value = rtl.view(self.module.types[name], self.module.wire(name))
        self.leaves_shown[name] = value
        return value

    def local(self, register):
        """The variable of a register in the module, or None if it is not below the instance."""
        prefix = self.instance + "." if self.instance else ""
        return register.wire[len(prefix):] if register.wire.startswith(prefix) else None

    def bits_of(self, register, wire=None):
        z = (wire or self.module.wire)(self.local(register))
        return z if register.width == z.size() else z3.Extract(register.low + register.width - 1, register.low, z)

    # The chapter

    def leaves(self, value, path, kind):
        """(path, kind, leaf) of a state, as `registers` of chapter 5, 7 walks it, with leaves as they are."""
        module = vars(self.ch[5])
        saved = {k: module.get(k) for k in ("PACKED", "int")}
        module["PACKED"], module["int"] = Identity(self.packing), lambda v: v
        try: return list(self.ch[5].registers(value, None, path, kind))
        finally:
            module["PACKED"] = saved["PACKED"]
            del module["int"]

    def state(self, path, template, **decode):
        """The state, symbolic. decode: for a register whose value may be None or of several kinds, a function of its bits."""
        before, of = registers.UNITS[self.block["unit"]]
        kind = of + re.sub(r"\[[^]]*\]", "", path)
        self.root = before + path, kind
        self.template = template
        def fresh(v):                                                   # leaves that can be told apart
            if isinstance(v, dict): return {k: fresh(x) for k, x in v.items()}
            return [fresh(x) for x in v] if isinstance(v, list) else Leaf()
        copy = fresh(template)
        places = {}
        for at, kind, leaf in self.leaves(copy, *self.root): places[id(leaf)] = at, kind
        def build(v, original):
            if id(v) in places: return self.register(*places[id(v)], original, decode)
            return {k: build(x, original[k]) for k, x in v.items()} if isinstance(v, dict) else [build(x, o) for x, o in zip(v, original)]
        self.state_value = build(copy, template)
        return self.state_value

    def register(self, path, kind, original, decode):
        if path not in self.table: raise rtl.Error(f"{self.title}: isa/fabric.json has no register {path}")
        r = self.table[path]
        if self.local(r) is None: raise rtl.Error(f"{self.title}: {path} is not below {self.instance}")
        z = self.bits_of(r)
        if kind.rpartition(".")[2] in decode:
            value = decode[kind.rpartition(".")[2]](unsigned(z))
            self.assumptions.append(self.packed(kind, value, r.width) == z)
            self.invariants.append((f"{path} has the form of the chapter", None))
        elif isinstance(original, dict):
            fields = {name: unsigned(z3.simplify(z3.Extract(low - r.low + width - 1, low - r.low, z))) for name, low, width, _ in r.fields}
            value = {name: fields[name] for name in original}
        else: value = unsigned(z)
        self.leaves_shown[path] = value
        return value

    def packed(self, kind, value, width):
        """The bits of a register from its value in the chapter."""
        pack = self.packing.get(kind)
        return bits(self.interpreter.call(pack, value) if pack else value, width)

    def run(self, function, *arguments):
        number, name = function.split(".")
        return self.interpreter.call(vars(self.ch[int(number)])[name], *arguments)

    def value(self, text, **names):
        """An expression with the names of the block's chapter."""
        module = vars(self.ch[int(self.block["section"].split(",")[0])])
        node = ast.parse(text.strip(), mode="eval").body
        saved, self.interpreter.file, self.interpreter.line = self.interpreter.file, __file__, 0
        try: return self.interpreter.value(node, Frame([names, module], TRUE))
        finally: self.interpreter.file = saved

    def invariant(self, reason, text):
        self.invariants.append((reason, text))
        self.assumptions.append(truth(self.value(text, s=self.state_value)))

    # Comparison

    def next(self, value):
        """The next state equals that of the RTL, the invariants still hold, and so do both after reset."""
        for what, state, wire in (("next", value, self.module.wire_later), ("reset", self.template, self.module.wire_reset)):
            for path, kind, leaf in self.leaves(state, *self.root):
                r = self.table[path]
                rtl_bits = self.bits_of(r, wire)
                self.compare(what, path, kind, leaf if leaf is None or kind in self.packing else leaf, rtl_bits, TRUE)
                if what == "next":
                    self.kinds.append(kind)
                    self.bits_compared += r.width
            for reason, text in self.invariants:
                if text: self.compared.append((what, f"invariant: {reason}", None, truth(self.value(text, s=state)), None, None))

    def compare(self, what, name, kind, value, z, when):
        try: chapter = self.packed(kind, value, z.size()) if kind in self.packing else value
        except Unsupported as e: raise Unsupported(f"{name}: {e}") from e
        same = equal(unsigned(chapter) if isinstance(chapter, z3.BitVecRef) else chapter, unsigned(z))
        self.compared.append((what, name, kind, or_(not_(when), same), chapter, z))

    def equal(self, ports=None, **more):
        self.when(True, **(ports or {}), **more)

    def when(self, condition, ports=None, **more):
        for name, value in {**(ports or {}), **more}.items():
            if name not in self.module.outputs: raise rtl.Error(f"{self.title}: {self.module.name} has no output {name}")
            self.outputs_seen.add(name)
            self.match(name, rtl.view(self.module.types[name], self.module.wire(name)), value, truth(condition))

    def match(self, name, z, value, when):
        if isinstance(z, dict):
            for field, inner in z.items():
                if isinstance(value, Union): part = ite_fields(value, field, self.interpreter)
                else: part = value[field] if field in value else value if isinstance(inner, dict) else None
                if part is None: raise rtl.Error(f"{self.title}: no value for {name}.{field}")
                self.match(f"{name}.{field}", inner, part, when)
        elif isinstance(z, list):
            for k, inner in enumerate(z): self.match(f"{name}[{k}]", inner, value[k], when)
        else:
            if isinstance(value, Union):                               # None where the port has no meaning
                value = next(v for _, v in value.cases if v is not None) if len(value.cases) == 2 else value
            self.compare("output", name, None, value, z.z, when)

    # Proof

    def prove(self):
        begin = time.process_time()
        self.block["function"](self)
        missing = sorted(set(self.module.outputs) - self.outputs_seen)
        if missing: raise rtl.Error(f"{self.title}: outputs that are not compared: {', '.join(missing)}")
        own = [r for r in self.table.values() if unit_of(r) == self.block["unit"] and self.local(r) is not None and self.local(r) in self.module.wires]
        if sum(hi - lo + 1 for lo, (hi, _) in self.module.parts.items()) != self.bits_compared:
            raise rtl.Error(f"{self.title}: {self.module.name} has registers of {sum(hi - lo + 1 for lo, (hi, _) in self.module.parts.items())} bits, "
                            f"{self.bits_compared} were compared of {sum(r.width for r in own)} in isa/fabric.json")
        solver = z3.Solver()
        solver.add(*[a for a in self.assumptions if not z3.is_true(a)])
        result = dict(name=self.name, title=self.title, differences=[], kinds=sorted(set(self.kinds)), compared=len(self.compared), lines={})
        if solver.check() != z3.sat: result["differences"].append("the invariants exclude every state")
        for bad, message, file, line in self.interpreter.obligations:
            if self.possible(solver, bad):
                result["differences"].append(f"{self.title}: the chapter cannot go on: {message} ({Path(file or '').name}:{line})\n" + self.state_of(solver, bad))
        for what, name, kind, same, chapter, z in self.compared:
            if self.possible(solver, not_(same)) and len(result["differences"]) < 3:
                result["differences"].append(self.difference(solver, what, name, kind, same, chapter, z))
        for place, guards in self.interpreter.lines.items():
            if place[0] and place[0].endswith(".md"): result["lines"][place] = any(self.possible(solver, g) for g in guards)
        result["seconds"] = time.process_time() - begin
        return result

    def possible(self, solver, formula):
        formula = z3.simplify(formula)
        if z3.is_false(formula): return False
        solver.push()
        solver.add(formula)
        answer = solver.check()
        solver.pop()
        if answer == z3.unknown: raise rtl.Error(f"{self.title}: the solver gives up")
        return answer == z3.sat

    # Differences in words

    def state_of(self, solver, bad):
        """A state and inputs for which the formula holds, with as few values other than 0 as possible."""
        solver.push()
        solver.add(bad)
        solver.check()
        for name, leaf in flat(self.leaves_shown):
            if isinstance(leaf, Num):
                solver.push()
                solver.add(leaf.z == 0)
                if solver.check() != z3.sat: solver.pop()
        solver.check()
        model = solver.model()
        self.example = lambda z: model.eval(z, model_completion=True)
        shown = [f"{name}={v}" for name, leaf in flat(self.leaves_shown) if isinstance(leaf, Num) and (v := self.example(leaf.z).as_long())]
        while solver.num_scopes(): solver.pop()
        return "  " + (", ".join(shown) or "all") + "; all other state and inputs 0"

    def difference(self, solver, what, name, kind, same, chapter, z):
        text = self.state_of(solver, not_(same))
        section = DESCRIPTION.section.get(kind) or "chapter " + self.block["section"]
        lines = [f"{self.title} differs from {section}: {name}" + dict(next=" of the next cycle", reset=" after reset", output="")[what], text]
        if z is not None:
            number = lambda v: str(v) if isinstance(v, int) or v is None else "None" if isinstance(v, Union) else str(self.example(v if isinstance(v, z3.BitVecRef) else num(v).z))
            lines.append(f"  chapter {number(chapter)}, RTL {number(z)}")
        key = re.sub(r".*[.]|\[.*", "", name)
        for guard, file, line in reversed(self.interpreter.writes.get(key, [])):
            if z3.is_true(self.example(guard)) and file and file.endswith(".md"):
                lines.append(f"  {Path(file).name}:{line}: {Path(file).read_text(encoding='utf-8').splitlines()[line - 1].strip()}")
                break
        return "\n".join(lines)


class Leaf:
    pass


def unit_of(register):
    return next(u for u, (_, kind) in registers.UNITS.items() if register.kind.startswith(kind))


def ite_fields(value, field, interpreter):
    """The field of a value that may be None (where a port has no meaning)."""
    result = UNDEFINED
    for c, v in value.cases:
        if v is not None: result = ite(c, v.get(field, v), result)
    return result


def flat(values, prefix=""):
    for name, v in values.items() if isinstance(values, dict) else enumerate(values):
        at = (f"{prefix}[{name}]" if isinstance(name, int) else f"{prefix}.{name}") if prefix else name
        if isinstance(v, (dict, list)): yield from flat(v, at)
        else: yield at, v


def key_of(b, c):
    return b["module"], tuple(c["parameters"].items()), c["flat"]


def job(arguments):
    name, number, sources, text, folder = arguments
    try: return Proof(name, number, sources, text, folder).prove()
    except (rtl.Error, Unsupported) as e: return dict(name=name, title=name, error=f"{name}: {e}")
    except Exception: return dict(name=name, title=name, error=f"{name}: {traceback.format_exc()}")


def main():
    import blocks                                                       # noqa: F401  (declares the blocks)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("block", metavar="BLOCK", nargs="*", help=f"blocks to prove [default: all]: {', '.join(BLOCKS)}")
    parser.add_argument("--rtl", type=Path, default=ROOT / "rtl", help="folder of the RTL [default: rtl]")
    parser.add_argument("--chapters", type=Path, default=chapters.FOLDER, help="folder of the chapters [default: isa/spec]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="number of blocks in parallel [default: number of cores]")
    a = parser.parse_args()
    unknown = [n for n in a.block if n not in BLOCKS]
    if unknown: parser.error(f"no block {unknown[0]}; there are {', '.join(BLOCKS)}")
    names = a.block or list(BLOCKS)
    try:
        sources = rtl.Sources(a.rtl)
        texts = sources.translate({key_of(BLOCKS[n], c): None for n in names for c in BLOCKS[n]["cases"]})
        jobs = [(n, k, sources, texts[key_of(BLOCKS[n], c)], a.chapters) for n in names for k, c in enumerate(BLOCKS[n]["cases"])]
        with ProcessPoolExecutor(a.jobs) as pool: results = list(pool.map(job, jobs))
    except rtl.Error as e:
        print(f"error: {e}", file=sys.stderr)
        return 3
    failed = False
    for r in results:
        if "error" in r:
            failed = True
            print(r["error"])
            continue
        failed |= bool(r["differences"])
        print(f"{r['title']}: {'differs' if r['differences'] else 'proved'}, {r['compared']} comparisons, {r['seconds']:.1f} s")
        for d in r["differences"]: print(d)
    for name in names:                                                  # lines of the chapters that no case of the block executes
        reached = {}
        for r in results:
            if r["name"] == name:
                for place, yes in r.get("lines", {}).items(): reached[place] = reached.get(place, False) or yes
        for (file, line, _), yes in sorted(reached.items()):
            if not yes:
                print(f"{name}: on no path: {Path(file).name}:{line}: {Path(file).read_text(encoding='utf-8').splitlines()[line - 1].strip()}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.modules["prove"] = sys.modules["__main__"]
    sys.exit(main())
