# SPDX-License-Identifier: MIT OR Apache-2.0
"""Signal maps for the dumps of the exported test bench."""

import json
import re

# Dumps from which a map is learned.
LEARNED = 24

PORTS = """prog_valid prog_instr prog_imm prog_row_sel prog_col_sel sram_init_valid sram_init_row sram_init_col
sram_init_addr sram_init_data rf_init_valid rf_init_row rf_init_col rf_init_block rf_init_data""".split()
# Output ports of a column, and their bits.
OF_COLUMN = {"io_in_en": 1, "io_in_addr": 25, "io_out_en": 1, "io_out_addr": 25, "io_out_data": 256, "io_out_mask": 16}


def of_column(port, bits):
    """The bits of column {c} of a port, column 0 in the lowest."""
    if bits == 1:
        return {"bit": f"tb.{port}", "index": "{c}"}
    return {"slice": f"tb.{port}", "msb": f"{{{bits}*c+{bits - 1}}}", "lsb": f"{{{bits}*c}}"}


def of_bench(text):
    """The map of a fabric for DRRA_RTL, below the test bench."""
    found = json.loads(text)
    columns = found["fabric"]["columns"]
    below = {name: path.replace("drra_fabric", "tb.dut", 1) for name, path in found["let"].items()}
    of_cell = f"{{{columns}*r+c}}"
    return found | {
        "let": below,
        "clock": {"signal": "tb.clk", "edge": "rising"},
        "reset": {"signal": "tb.rst_n", "active": "low"},
        "ports": {port: f"tb.{port}" for port in PORTS}
        | {"io_cell": {"bit": "tb.io_cell", "index": of_cell}, "io_in_data": of_column("io_in_data", 256)},
        "outputs": {port: of_column(port, bits) for port, bits in OF_COLUMN.items()}
        | {port: f"tb.{port}" for port in ("cell_idle", "all_idle", "agu_busy")},
    }


def in_vectors(found):
    """The map for a netlist in which arrays are vectors, element 0 in the highest bits; memories stay arrays."""
    columns = found["fabric"]["columns"]
    # Elements and their bits.
    arrays = {r"cell\[r\]\[c\]\.seq\.imem\[": (64, 27), r"ld_pipe\[": (columns, 31 + columns)}

    def entry(old):
        array = next((size for path, size in arrays.items() if re.match(path, old["register"])), None)
        if array is None:
            return old
        count, width = array
        value = old["value"]
        if isinstance(value, str):
            value = {"slice": value, "msb": width - 1, "lsb": 0}
        elif "bit" in value:
            value = {"slice": value["bit"], "msb": value["index"], "lsb": value["index"]}
        signal, letter = re.fullmatch(r"(.*)\[\{(\w)\}\]", value["slice"]).groups()
        first = f"{width}*({count - 1}-{letter})"
        bits = {end: f"{{{first}+{value[end]}}}" for end in ("msb", "lsb")}
        return old | {"value": {"slice": signal, **bits}}

    return found | {"registers": [entry(old) for old in found["registers"]]}


def of_registers(learned):
    """A learned map without the entries for nets that Yosys gave a number: they are no registers."""
    kept = [e for e in learned["registers"] if not re.search(r"\._\d+_", json.dumps(e["value"]))]
    return learned | {"registers": kept}


def covers(entry, registers):
    """True if an entry is for one of some registers."""
    path = re.sub(r"\\\[[A-Za-z]\\\]", r"\\[[^]]+\\]", re.escape(entry["register"]))
    path = re.sub(r"\\\{[A-Za-z]\\\}", r"\\w+", path)
    return any(re.fullmatch(path, register) for register in registers)


def without(found, registers):
    """A map without the entries for some registers."""
    return found | {"registers": [entry for entry in found["registers"] if not covers(entry, registers)]}


def completed(learned, other, lacking):
    """A learned map, with the entries of another one for the registers that it lacks."""
    added = [entry for entry in other["registers"] if covers(entry, lacking)]
    print(f"  {len(learned['registers'])} entries learned, {len(added)} by name for {len(lacking)} registers")
    return learned | {
        "let": other["let"] | learned.get("let", {}),
        "tables": other.get("tables", {}) | learned.get("tables", {}),
        # The ports are those of the test bench, whose names are known.
        "ports": other["ports"],
        "outputs": other["outputs"],
        "registers": learned["registers"] + added,
    }


def share(compared):
    """How much of all bits of the state was compared."""
    units = compared["units"]
    return sum(u["compared"]["bits"] for u in units) / sum(u["all"]["bits"] for u in units)


def write(path, found):
    path.write_text(json.dumps(found, indent=1) + "\n")
    return path
