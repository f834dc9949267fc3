# SPDX-License-Identifier: MIT OR Apache-2.0
"""Two simulators that run exported cases: each compiles a design once, with the script that was exported, and runs
cases, two at a time."""

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import maps

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "harness" / "host" / "src"))
import packages  # noqa: E402

TARGET = ROOT / "target" / "mutate"
WORK = ROOT / "target" / "offline"
DRRA = TARGET / "release" / "drra"
SIZE = "2 columns and 1 tile row"
ENV = {"DRRA_COLS": "2", "DRRA_TILE_ROWS": "1", "CARGO_TARGET_DIR": str(TARGET)}
# The program with the usual sizes, which exists in most checkouts.
USUAL = {"DRRA_COLS": None, "DRRA_TILE_ROWS": None, "CARGO_TARGET_DIR": str(ROOT / "target")}


def run(command, cwd=ROOT, codes=(0,), **variables):
    """Runs a command, with variables set, or removed if they are None, and returns what it printed; ends the test if it
    fails."""
    env = {k: v for k, v in os.environ.items() if k != "DRRA_RTL"} | ENV | variables
    env = {k: v for k, v in env.items() if v is not None}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    if done.returncode not in codes:
        print(done.stdout[-4000:], done.stderr[-4000:])
        sys.exit(f"FAILED with {done.returncode}: {' '.join(str(word) for word in command)[:400]}")
    return done.stdout


def recorded(folder, map_file):
    """The results of `drra check` for the waveforms of a folder: None, or cycle and first register; and the smallest
    share of the state that was compared in any of them."""
    out = folder / "check.json"
    run([DRRA, "check", "--batch", folder, "--map", map_file, "--json", out, "--jobs", "2"], codes=(0, 1))
    batch = json.loads(out.read_text())["cases"]
    results = {c["name"]: (c["cycle"], c["first"]) if c["exit"] else None for c in batch}
    return results, min(maps.share(case["compared"]) for case in batch)


class Simulator:
    """Runs exported cases on rtl/ (number 0), or on the copy with faults (other numbers)."""

    name = ""

    def __init__(self, cases, planted):
        self.cases = cases
        self.designs = {"rtl": ROOT / "rtl", "planted": planted}
        self.programs = {}
        self.names = sorted(path.parent.name for path in cases.glob("*/case.json"))
        self.folder = WORK / self.name

    def compile(self, design, bench):
        """Compiles a design with the test bench and the scripts in a folder, and runs one case with it."""
        raise NotImplementedError

    def cases_of(self, program, folders):
        """Runs the cases of some folders with what `compile` returned."""
        raise NotImplementedError

    def map(self, folder):
        """The signal map, made once the waveforms without faults exist."""
        raise NotImplementedError

    def simulate(self, number, names):
        """Runs some cases with a fault. Returns the folder with their waveforms."""
        design = "planted" if number else "rtl"
        if design not in self.programs:
            bench = self.folder / design
            shutil.copytree(self.cases, bench)
            self.programs[design] = self.compile(design, bench)
        folder = self.folder / str(number)
        others = set(self.names) - set(names)
        shutil.copytree(self.cases, folder, ignore=lambda _, found: others & set(found))
        folders = [folder / name for name in names]
        for here in folders if number else []:
            (here / "planted.txt").write_text(f"{number}\n")
        self.cases_of(self.programs[design], folders)
        return folder


class Verilator(Simulator):
    """A stand-alone program. Each structure is dumped as it is stored, as one signal."""

    name = "verilator"

    def compile(self, design, bench):
        root = next(TARGET.glob("verilator-*/verilator"))
        run(
            [bench / "run-verilator.sh", "--no-trace-structs", "-f", "rtl.f"], cwd=self.designs[design],
            CASES=str(bench / "tiles"), VERILATOR_ROOT=str(root), VERILATOR=str(root / "bin" / "verilator_bin")
        )
        return bench / "build-verilator" / "Vtb"

    def cases_of(self, program, folders):
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda folder: run([program], cwd=folder), folders))

    def map(self, folder):
        return maps.write(self.folder / "signals.map", maps.of_bench(run([DRRA, "map", "rtl"])))


class Icarus(Simulator):
    """A netlist that Yosys makes of somebody else's design (tests/own-rtl/make.py): all names are different, and the
    states of the address generators are one-hot. Memories stay arrays, whose words Icarus dumps by name."""

    name = "icarus"

    def compile(self, design, bench):
        rtl = bench / "rtl"
        own = maps.write(bench / "own.map", maps.read(run([DRRA, "map", "rtl"])))
        run([sys.executable, ROOT / "tests" / "own-rtl" / "make.py", own, rtl, "--rtl", self.designs[design]])
        # Yosys omits black boxes; their bodies are in the sources.
        black_boxes = rtl.glob("fab_cynagrq.sv")
        return self.synthesized(bench, rtl, maps.of_bench((rtl / "signals.map").read_text()), black_boxes)

    def synthesized(self, bench, rtl, found, sources, *options):
        """Compiles a netlist of the RTL in a folder; a map names its memories."""
        netlist, words = bench / "netlist.v", bench / "words.sv"
        pins = (ROOT / "harness" / "mutate" / "src" / "hdl-tools.txt").read_text()
        tools = packages.folder_of(ROOT / "target", "hdl-tools-{}", pins)
        run([sys.executable, Path(__file__).parent / "netlist.py", netlist, *options], cwd=rtl,
            PYTHONPATH=tools, YOWASP_CACHE_DIR=f"{tools}/cache")
        words.write_text(self.words(found))
        sources = [netlist, words, "-s", "words", *sources]
        # Loading the netlist takes longer than running a case, so all cases run after a single load (cases.c).
        run(["iverilog-vpi", Path(__file__).parent / "cases.c"], cwd=bench)
        run([bench / "run-icarus.sh", "-DDUT_WITHOUT_PARAMETERS", *sources], CASES=str(bench / "tiles"), FST="1")
        return bench

    def cases_of(self, program, folders, *options):
        command = ["vvp", "-N", f"-M{program}", "-mcases", program / "build-icarus" / "tb.vvp", "-fst", *options]
        run(command, JOBS="2", FOLDERS="\n".join(map(str, folders)))

    def words(self, found):
        """A module that names all words of the memories to $dumpvars, by the names in a map."""
        size = {name: int(number) for name, number in re.findall(r"(\w+): (\d+)", found["fabric"])}
        tile = found["let tile"].split(" = ")[1]
        memory = found["tile[R][c].sram[k]"].split(" = ")[1].replace("{tile}", tile)
        memory = re.sub(r"\[(\w)\]", r"[{\1}]", memory)
        parts = re.fullmatch(r"(tb\.dut\.\w+)\.(.*\]\.\w+)\.(\w+\.\w+\[\{k\}\])", memory)
        top, instance, inside = parts.groups()
        names = [
            f"    $dumpvars(0, {top}.\\{instance} .{inside});".format(R=row + 1, c=column, k=block)
            for row in range(size["tile_rows"])
            for column in range(size["columns"])
            for block in range(size["sram_blocks"])
        ]
        return "\n".join(["module words;", "  initial begin", *names, "  end", "endmodule", ""])

    def map(self, folder):
        dumps = sorted(folder.glob("*/dump.fst"), key=lambda dump: dump.stat().st_size)[-maps.LEARNED:]
        cases = [dump.with_name("case.json") for dump in dumps]
        learned = self.folder / "learned.map"
        told = run([DRRA, "map", "learn", *cases, *dumps, "--out", learned])
        (self.folder / "learned.txt").write_text(told)
        print("  " + next(line for line in told.splitlines() if "register patterns" in line))
        names = maps.in_vectors(maps.of_bench((self.folder / "rtl" / "rtl" / "signals.map").read_text()))
        found = maps.of_registers(maps.read(learned.read_text()))
        # An inferred entry is only a proposal: a register that differs without a fault, but not in lock-step, was
        # inferred wrongly.
        out, wrong = self.folder / "signals.map", {}
        for attempt in range(6):
            found = maps.without(found, {first for _, first in filter(None, wrong.values())})
            maps.write(out, found)
            seen = json.loads(run([DRRA, "map", "check", out, dumps[0], "--json"]))
            maps.write(out, maps.completed(found, names, seen["unmapped_registers"]))
            again = self.folder / f"attempt-{attempt}"
            again.mkdir()
            for path in folder.glob("*/case.json"):
                if not attempt or wrong[path.parent.name]:
                    (again / path.parent.name).symlink_to(path.parent)
            wrong, _ = recorded(again, out)
            wrong = {name: wrong.get(name) for name in self.names}
            if not any(wrong.values()):
                break
        print(f"  {maps.entries(found)} learned entries are right")
        return out


class Synthesized(Icarus):
    """A netlist of rtl/ with the names of commercial synthesis (netlist.py --flat), on Icarus. The map is that of the
    RTL. With `+unknown=0` or `+unknown=1`, a register becomes X or Z."""

    name = "synthesized"
    # The names of the register in the netlist and in the golden model.
    UNKNOWN = r"\gen_row[1].gen_col[0].u_cell_inst/u_seq/core_q_reg_24_ ", "cell[1][0].seq.pc"
    CYCLE = 15

    def compile(self, design, bench):
        found = maps.of_bench(run([DRRA, "map", "rtl"]))
        maps.write(self.folder / "signals.map", found)
        return self.synthesized(bench, self.designs[design], found, [], "--flat")

    def words(self, found):
        tile = r"tb.dut.\gen_tile_row[{}].gen_tile_col[{}].u_tile/u_mem .sram_q[{}]"
        names = [f"    $dumpvars(0, {tile.format(1, column, k)});" for column in range(2) for k in range(128)]
        unknown = [
            f'    if ($value$plusargs("unknown=%d", z)) begin',
            f"      wait (tb.rst_n) repeat ({self.CYCLE}) @(negedge tb.clk);",
            f"      force tb.dut.{self.UNKNOWN[0]}.Q = z ? 1'bz : 1'bx;",
            "    end",
        ]
        return "\n".join(["module words;", "  reg z;", "  initial begin", *names, *unknown, "  end", "endmodule", ""])

    def map(self, folder):
        return self.folder / "signals.map"


ALL = {simulator.name: simulator for simulator in (Verilator, Icarus, Synthesized)}
