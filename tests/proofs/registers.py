# SPDX-License-Identifier: MIT OR Apache-2.0
"""Which bits of which variable of the RTL hold each register, from `isa/fabric.json`."""
import itertools
import json
import re
from collections import namedtuple
from pathlib import Path

FABRIC = Path(__file__).resolve().parents[2] / "isa" / "fabric.json"
UNITS = {"cell": ("cell[0][0].", "cell."), "column": ("col[0].", "col."), "tile": ("tile[1][0].", "tile."), "fabric": ("", "")}
# path and kind as in `registers` of chapter 5, 7; wire: variable of the RTL below the unit; fields: (name, lowest bit, width).
# resets: false if reset does not touch it; valid: the path of a register, and it has a meaning only while that one is 1.
Register = namedtuple("Register", "path kind wire low width fields resets valid")


class Registers:
    """All registers of one cell, one column, one tile and the fabric, of a size."""

    def __init__(self, size):
        self.json = json.loads(FABRIC.read_text(encoding="utf-8"))
        self.keys = {k["name"]: k for k in self.json["keys"]}
        self.types = {t["name"]: t["fields"] for t in self.json["types"]}
        rf, sram = size["RF_DEPTH"], size["SRAM_DEPTH"]
        bits = lambda n: max(1, (n - 1).bit_length())
        self.counts = dict(rf_words=rf, sram_blocks=sram, load_stages=size["COLS"])
        self.widths = dict(rf_address=bits(rf), rf_block=bits(rf // 16), sram_address=bits(sram), columns=size["COLS"],
                           tile_row=bits(size["DIMARCH_ROWS"] + 1), column=bits(size["COLS"]))
        self.all = [r for group in self.json["groups"] for r in self.group(group)]

    def values(self, key):
        k = self.keys[key]
        if "values" in k: return k["values"]
        count = k["count"]
        return range(self.counts[count] if isinstance(count, str) else count)

    def group(self, g):
        before, of = UNITS[g["unit"]]
        used = re.findall(r"\{(\w+)\}", g["path"].replace("{register}", ""))
        element = next((k for k in used if not re.search(rf"\{{{k}[:}}]", g["rtl"])), None) if "array" in g else None
        for values in itertools.product(*map(self.values, used)):
            at = dict(zip(used, values))
            index = {k: list(self.values(k)).index(v) for k, v in at.items()}
            path, wire = g["path"], g["rtl"]
            for k, v in at.items():
                path = path.replace(f"{{{k}}}", str(v))
                wire = wire.replace(f"{{{k}:index}}", str(index[k])).replace(f"{{{k}}}", str(v))
            widths = [self.width(r, at) for r in g["registers"]]
            low = 0
            if element and g["array"] == "packed": low = index[element] * sum(widths)
            elif element and g["array"] == "unpacked": low = (len(self.values(element)) - 1 - index[element]) * sum(widths)  # the first one is leftmost
            elif element: wire += f"[{index[element]}]"
            for k, r in reversed(list(enumerate(g["registers"]))):
                full = path.replace("{register}", r["name"])
                valid = g.get("compared_while") and before + path.replace("{register}", g["compared_while"])
                yield Register(before + full, of + re.sub(r"\[[^]]*\]", "", full), wire, low, widths[k], self.fields(r, low, widths[k]),
                               r.get("reset", 0) is not None, valid)
                low += widths[k]

    def width(self, r, at):
        if "type" in r: return sum(self.width(f, at) for f in self.types[r["type"]])
        w = r["width"]
        if isinstance(w, int): return w
        if w in self.widths: return self.widths[w]
        by = next(x for x in self.json["widths"] if x["name"] == w)
        return self.widths[by["of"][list(self.values(by["by"])).index(at[by["by"]])]]

    def fields(self, r, low, width):
        if "type" not in r: return [(r["name"], low, width)]
        out, top = [], low + width
        for f in self.types[r["type"]]:
            top -= self.width(f, {})
            out += self.fields(f, top, self.width(f, {}))
        return out
