# SPDX-License-Identifier: MIT OR Apache-2.0
"""The golden model, the assembler and the findings."""

import dataclasses
import re
from ctypes import byref, c_uint32, c_uint64
from typing import Any

from ._library import Case, Context

WORD = 16
"""Bits of a word of the register files and of the memories."""
ALL = (1 << 64) - 1
"""Number of cycles that stands for the rest of the case."""


class Golden(Context):
    """The golden model with a program or a case.

    case: path of a program (`.sasm`, `.bin`, ...) or case (`.json`), or a case as a dictionary, as of `assemble`.
    size: size of the fabric, columns by tile rows, such as "2x1"; by default that of the case, else "8x2".

    The model starts in cycle 0, the first cycle after reset. The state of a cycle is the content of the registers
    during that cycle; the edge that ends the cycle changes it.

        >>> golden = Golden("isa/vec_add.sasm")
        >>> golden.run()
        98
        >>> golden.array("cell[0][0].rf.mem", signed=True)[32:36]
        array([16, 18, 20, 22])
    """

    def __init__(self, case: Case, size: str | None = None) -> None:
        super().__init__(case, size)
        self._registers: dict[str, int] = {}

    def __enter__(self) -> "Golden":
        return self

    @property
    def cycle(self) -> int:
        """The current cycle, from 0."""
        return int(self._c.drra_cycle(self.handle))

    @property
    def done(self) -> bool:
        """True from the end of the case on: after its number of cycles, or when the fabric has become idle."""
        return bool(self._c.drra_done(self.handle))

    def step(self, cycles: int = 1) -> int:
        """Executes this number of cycles and returns the current cycle."""
        if not 0 <= cycles <= ALL:
            raise ValueError(f"{cycles} cycles; give 0 to {ALL}")
        self.check(self._c.drra_step(self.handle, cycles))
        return self.cycle

    def run(self) -> int:
        """Executes the rest of the case and returns its number of cycles."""
        return self.step(ALL)

    @property
    def registers(self) -> dict[str, int]:
        """All registers of the fabric by path, as in chapter 5, section 7, with their widths in bits."""
        if not self._registers:
            self._registers = {entry["path"]: entry["bits"] for entry in self.json("registers")}
        return self._registers

    def read(self, register: str, signed: bool = False) -> int:
        """A register in the current cycle, such as "cell[0][0].rf.mem[3]". signed: as two's complement."""
        words, bits = (c_uint64 * 8)(), c_uint32()
        self.check(self._c.drra_read(self.handle, register.encode(), words, len(words), byref(bits)))
        value = int.from_bytes(words, "little")
        return value - (1 << bits.value) if signed and value >> (bits.value - 1) else value

    def array(self, path: str, signed: bool = False) -> Any:
        """The registers `path[0]`, `path[1]`, ... in the current cycle, as a NumPy array (int64), or as a list if
        NumPy is not installed.

        The shape is (elements,): "cell[0][0].rf.mem" has 64 words of 16 bits. For registers with more than 64 bits, it
        is (elements, words of 16 bits), the lowest word first: "tile[1][0].sram" has shape (128, 16). signed: each
        element, or each word, as two's complement.
        """
        pattern = re.compile(re.escape(path) + r"\[(\d+)\]")
        found = {int(match[1]): name for name in self.registers if (match := pattern.fullmatch(name))}
        if not found:
            raise KeyError(f"{path}[0] is not a register of the fabric; `registers` lists all of them")
        names = [found[index] for index in sorted(found)]
        bits = self.registers[names[0]]
        if bits <= 64:
            return _array([self.read(name, signed) for name in names])
        return _array([_words(self.read(name), -(-bits // WORD), signed) for name in names])


def _words(value: int, count: int, signed: bool) -> list[int]:
    """The words of a block, the lowest first."""
    words = [value >> WORD * index & 0xFFFF for index in range(count)]
    return [word - 0x10000 if signed and word >> 15 else word for word in words]


def _array(values: list[Any]) -> Any:
    try:
        import numpy
    except ImportError:
        return values
    return numpy.array(values)


def assemble(text: str, size: str | None = None, name: str = "program.sasm") -> dict[str, Any]:
    """Assembles a program (`isa/spec/01-isa.md`, section 8) and returns it as a case.

    text: the assembly text, with its `.DATA` and `.CODE` sections.
    size: size of the fabric, such as "2x1".
    name: name of the case and of the file in messages.
    """
    with Context((name, text), size) as context:
        case: dict[str, Any] = context.json("case")
    return case


@dataclasses.dataclass(frozen=True)
class Finding:
    """A probable mistake in a program, as `drra lint` prints it (`harness/lint/findings.schema.json`)."""

    kind: str
    unit: str
    port: str
    count: int
    """Number of times it happens."""
    text: str
    section: str
    """Chapter and section that define it."""
    register: str | None = None
    instruction: Any = None
    """The cell, and the address of the first word of the instruction."""
    line: int | None = None
    """Line of the instruction in the text, from 1."""
    cycle: int | None = None
    """First cycle in which it happens."""


def lint(case: Case, size: str | None = None) -> list[Finding]:
    """The findings in a program or case, which is run on the golden model: those that `drra lint` prints."""
    known = {field.name for field in dataclasses.fields(Finding)}
    with Context(case, size) as context:
        programs = context.json("lint")
    found = [entry for program in programs for entry in program["findings"]]
    return [Finding(**{key: value for key, value in entry.items() if key in known}) for entry in found]
