# SPDX-License-Identifier: MIT OR Apache-2.0
"""Signal maps for the waveforms of the exported test bench."""

import re

# Number of waveforms from which a map is inferred.
LEARNED = 24

PORTS = """prog_valid prog_instr prog_imm prog_row_sel prog_col_sel sram_init_valid sram_init_row sram_init_col
sram_init_addr sram_init_data rf_init_valid rf_init_row rf_init_col rf_init_block rf_init_data""".split()
# Output ports of a column, and their bits.
OF_COLUMN = {"io_in_en": 1, "io_in_addr": 25, "io_out_en": 1, "io_out_addr": 25, "io_out_data": 256, "io_out_mask": 16}


def read(text):
    """The statements of a map, by the names that they define; each statement of these maps is one line."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        if words and not line.startswith("#"):
            named = words[0] in ("let", "table", "port", "output")
            found[" ".join(words[: 2 if named else 1])] = line
    return found


def of_kind(found, kind):
    """The statements of a kind."""
    return {key: line for key, line in found.items() if key.startswith(f"{kind} ")}


def of_column(port, bits):
    """The bits of column c of a port, column 0 in the lowest."""
    return f"tb.{port}[c]" if bits == 1 else f"tb.{port}[{bits}*c+{bits - 1}:{bits}*c]"


def of_bench(text):
    """The map of a fabric for DRRA_RTL, below the test bench."""
    found = read(text)
    columns = int(re.search(r"columns: (\d+)", found["fabric"])[1])
    ports = {port: f"tb.{port}" for port in PORTS}
    ports |= {"io_cell": f"tb.io_cell[{columns}*r+c]", "io_in_data": of_column("io_in_data", 256)}
    outputs = {port: of_column(port, bits) for port, bits in OF_COLUMN.items()}
    outputs |= {port: f"tb.{port}" for port in ("cell_idle", "all_idle", "agu_busy")}
    return (
        found
        | {key: line.replace("drra_fabric", "tb.dut", 1) for key, line in of_kind(found, "let").items()}
        | {"clock": "clock rising tb.clk", "reset": "reset low tb.rst_n"}
        | {f"port {port}": f"port {port} = {value}" for port, value in ports.items()}
        | {f"output {port}": f"output {port} = {value}" for port, value in outputs.items()}
    )


def in_vectors(found):
    """The map for a netlist in which arrays are vectors, element 0 in the highest bits; memories stay arrays."""
    columns = int(re.search(r"columns: (\d+)", found["fabric"])[1])
    # Number of elements, and bits of each element.
    arrays = {r"cell\[r\]\[c\]\.seq\.imem\[": (64, 27), r"ld_pipe\[": (columns, 31 + columns)}

    def entry(register, line):
        array = next((size for path, size in arrays.items() if re.match(path, register)), None)
        if array is None:
            return line
        count, width = array
        signal, letter, bits = re.fullmatch(r".* = (.*?)\[(\w)\](?:\[([\d:]+)\])?", line).groups()
        msb, _, lsb = (bits or f"{width - 1}:0").partition(":")
        first = f"{width}*({count - 1}-{letter})"
        return f"{register} = {signal}[{first}+{msb}:{first}+{lsb or msb}]"

    return {key: entry(key, line) for key, line in found.items()}


def of_registers(learned):
    """An inferred map without the entries for nets that Yosys numbered, which are not registers."""
    return {key: line for key, line in learned.items() if not re.search(r"\._\d+_", line)}


def covers(register, registers):
    """True if an entry is for one of these registers."""
    path = re.sub(r"\\\[[A-Za-z]\\\]", r"\\[[^]]+\\]", re.escape(register))
    path = re.sub(r"\\\{[A-Za-z]\\\}", r"\\w+", path)
    return any(re.fullmatch(path, register) for register in registers)


def without(found, registers):
    """A map without the entries for these registers."""
    return {key: line for key, line in found.items() if not covers(key, registers)}


def entries(found):
    """How many entries of registers a map has."""
    return sum("." in key for key in found)


def completed(learned, other, lacking):
    """An inferred map, with entries from another map for the registers that it lacks."""
    added = {key: line for key, line in other.items() if covers(key, lacking)}
    print(f"  {entries(learned)} entries learned, {len(added)} by name for {len(lacking)} registers")
    # The ports are the ports of the test bench, whose names are known.
    return (
        of_kind(other, "let") | of_kind(other, "table") | learned | of_kind(other, "port") | of_kind(other, "output") | added
    )


def share(compared):
    """The share of the state bits that was compared."""
    units = compared["units"]
    return sum(u["compared"]["bits"] for u in units) / sum(u["all"]["bits"] for u in units)


def write(path, found):
    path.write_text("".join(f"{line}\n" for line in found.values()))
    return path
