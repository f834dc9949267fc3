# SPDX-License-Identifier: MIT OR Apache-2.0
"""Verdicts in cocotb 2.1 while a design is simulated: `Scoreboard` compares it with the golden model in every cycle,
and `drive` drives a case."""

import ctypes
import dataclasses
import functools
import os
import weakref
from collections.abc import Coroutine, Mapping
from ctypes import CFUNCTYPE, byref, c_char_p, c_int, c_void_p
from typing import Any, cast

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Event, FallingEdge, RisingEdge, Timer

from ._golden import Golden
from ._library import Case, CDifference, Context, Difference, DrraError, Functions, destroy, find, library, load

RESET_EDGES = 4
"""Rising edges of the clock for which `drive` keeps the reset low."""
# Input ports of the fabric (chapter 5, 5.1) that have one value.
INPUTS = """prog_valid prog_instr prog_imm prog_row_sel prog_col_sel sram_init_valid sram_init_row sram_init_col
sram_init_addr sram_init_data rf_init_valid rf_init_row rf_init_col rf_init_block rf_init_data""".split()
ADDRESS_BITS, BLOCK_BITS = 25, 256
DONE = CFUNCTYPE(None)
MISMATCH = 1


@functools.cache
def _plug_in() -> ctypes.CDLL:
    """The VPI plug-in, which uses the VPI functions of the simulator and the C library, both in this process."""
    library()
    functions = {"drra_vpi_attach": (c_int, [c_void_p, DONE]), "drra_vpi_detach": (None, [c_void_p])}
    return load(find("drra_vpi.so", "DRRA_VPI"), cast(Functions, functions))


class _End:
    """The end of a comparison, which the plug-in reports in a callback that is not one of cocotb's. Therefore waiting
    tasks are woken with the next step of the simulation."""

    def __init__(self) -> None:
        self.event, self.callback = Event(), DONE(self._reported)
        self._step: Any = None

    def _reported(self) -> None:
        self._step = Timer(1, "step")._register(self._wake)

    def _wake(self) -> None:
        self._step = None
        self.event.set()

    def detach(self, handle: c_void_p) -> None:
        """No callback comes any more, which would be fatal after the end of Python."""
        _plug_in().drra_vpi_detach(handle)
        if self._step:
            self._step.cancel()
            self._step = None


def _release(c: ctypes.CDLL, handle: c_void_p, end: _End) -> None:
    """Frees a context."""
    end.detach(handle)
    destroy(c, handle)


class Scoreboard(Context):
    """Compares a design with the golden model at every edge of its clock, in C, inside the simulator.

    dut: the design, that is, the argument of the cocotb test.
    map: path of the signal map. Its names begin with the top of the simulation, as cocotb's runner names it.
    case: the case that is driven, as for `drra.Golden`; without one, the stimulus is taken from the ports of the
        design, which the map must then name.
    out: folder for the report of a difference, `result.json` and `junit.xml`, or None.
    min_compared: percentage of the state that must be compared.

    Create it before the reset ends; cycle 0 is found as the map says. End the test with `finished` or `finish`, or use
    the scoreboard as a context manager: without these, there is no verdict.
    """

    def __init__(self, dut: Any, map: str | os.PathLike[str], case: Case | None = None,
                 out: str | os.PathLike[str] | None = None, min_compared: float = 0) -> None:
        super().__init__(case, map=map)
        self._out, self._min_compared, self._dut, self._result = out, min_compared, dut, (3, "there is no verdict")
        self._end, self._finished = _End(), False
        self.close.detach()
        self.close = weakref.finalize(self, _release, self._c, self.handle, self._end)
        # A callback after the end of Python would be fatal.
        self.close.atexit = True
        self.check(_plug_in().drra_vpi_attach(self.handle, self._end.callback))

    def __enter__(self) -> "Scoreboard":
        return self

    def __exit__(self, *error: object) -> None:
        if error[0] is None or self.difference:
            self.finish()
        self._end.detach(self.handle)

    @property
    def difference(self) -> Difference | None:
        """The first difference so far; None if there is none, or if the comparison failed, which `finish` tells."""
        found = CDifference()
        if self._c.drra_first_difference(self.handle, byref(found)) != MISMATCH:
            return None
        texts = (getattr(found, field.name).decode() for field in dataclasses.fields(Difference)[1:])
        return Difference(found.cycle, *texts)

    async def finished(self, driver: Coroutine[Any, Any, None] | None = None) -> None:
        """Waits until the case has ended, or until there is a difference and its report is complete (up to 32 cycles
        later, and as many more as the map shows registers or flags late); then raises what `finish` raises. driver: a
        coroutine that drives the design meanwhile; its end is the end, too."""
        if driver is not None:
            cocotb.start_soon(self._run(driver))
        await self._end.event.wait()
        self.finish()

    async def _run(self, driver: Coroutine[Any, Any, None]) -> None:
        await driver
        self._end.event.set()

    def finish(self) -> None:
        """Ends the comparison, writes `out`, and logs the verdict.

        Raises `AssertionError` with the report if there is a difference, and with the reason if the case has not ended,
        or if nothing, or less than `min_compared` percent, was compared.
        """
        if not self._finished:
            self._finished, text = True, c_char_p()
            self._end.detach(self.handle)
            status = self._c.drra_finish(self.handle, self._min_compared, byref(text))
            if not text.value:
                self.check(status or 3)
            verdict, difference = (text.value or b"").decode(), self.difference
            self._result = status, difference.text if difference else verdict
            if self._out is not None:
                written = self._c.drra_report(self.handle, os.fsencode(self._out))
                self.check(written if written != MISMATCH else 0)
            self._dut._log.info("%s", verdict)
        status, text_of_all = self._result
        if status:
            raise AssertionError(text_of_all)


async def drive(dut: Any, case: Case, ports: Mapping[str, str | None] | None = None,
                period_ns: float | None = 10) -> None:
    """Drives a case on the ports of a fabric, from reset to its end, one clock edge after its last cycle.

    case: the case or program, as for `drra.Golden`.
    ports: names of ports that differ from those of `rtl/drra_fabric.sv`, by their names in chapter 5, 5.1, such as
        `{"clk": "clock", "prog_valid": "load"}`; None for a port that the design lacks. `rst_n` is active low.
        `io_in_*` have all columns concatenated, column 0 in the lowest bits.
    period_ns: period of the clock, which this function generates; None if the design has a clock already.

    The reset is low for four rising edges. Inputs change at the falling edge, and the rising edge that follows ends the
    cycle. Input buffers answer a request in the next cycle.
    """
    names: dict[str, str | None] = {"clk": "clk_i", "rst_n": "rst_ni"}
    names |= {"io_in_en": "io_in_en_o", "io_in_addr": "io_in_addr_o"}
    known = [*names, *INPUTS, "io_cell", "io_in_data"]
    if unknown := sorted(set(ports or ()) - set(known)):
        raise DrraError(f"ports has {', '.join(unknown)}; the ports of a fabric are {', '.join(known)}")
    names |= dict(ports or {})

    def port(name: str) -> Any:
        own = names.get(name, f"{name}_i")
        if own is not None and not hasattr(dut, own):
            raise DrraError(f"{dut._path} has no port {own}; give its name for {name} in ports, or None if it has none")
        return None if own is None else getattr(dut, own)

    golden = Golden(case)
    contents = golden.json("case")
    cycles, columns = golden.run(), contents["fabric"]["columns"]
    inputs = {name: handle for name in INPUTS if (handle := port(name)) is not None}
    driven = dict.fromkeys(inputs, 0)
    clock, reset, straps, answers = map(port, ("clk", "rst_n", "io_cell", "io_in_data"))
    requests = (port("io_in_en"), port("io_in_addr")) if contents.get("input_buffers") else None
    for handle in (reset, answers, *inputs.values()):
        if handle is not None:
            handle.value = 0
    if straps is not None:
        straps.value = sum(golden.stimulus(0, "io_cell", cell) << cell for cell in range(2 * columns))
    if period_ns is not None:
        Clock(clock, period_ns, unit="ns").start(start_high=False)
    for _ in range(RESET_EDGES):
        await RisingEdge(clock)
    await FallingEdge(clock)
    reset.value = 1
    answer = 0
    # The state after the last edge is compared at the next one.
    for cycle in range(cycles + 1):
        for name, handle in inputs.items():
            value = golden.stimulus(cycle, name)
            if value != driven[name]:
                handle.value = driven[name] = value
        if requests:
            answers.value = answer
            answer = _answers(golden, *(int(handle.value) for handle in requests))
        await FallingEdge(clock)


def _answers(golden: Golden, enabled: int, addresses: int) -> int:
    """The blocks that all columns request in a cycle."""
    blocks = 0
    for column in range(enabled.bit_length()):
        if enabled >> column & 1:
            address = addresses >> ADDRESS_BITS * column & (1 << ADDRESS_BITS) - 1
            blocks |= golden.buffer(column, address) << BLOCK_BITS * column
    return blocks
