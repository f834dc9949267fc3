# SPDX-License-Identifier: MIT OR Apache-2.0
"""The C library (`drra.h`), loaded with ctypes, and a context of it."""

import contextlib
import ctypes
import dataclasses
import functools
import json
import os
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

ABI = 1
"""Number of the C interface that this package uses."""
REMEDY = "use the library of the same version as this package"

Case = str | os.PathLike[str] | Mapping[str, Any]
"""A program or a case: the path of a file, or a case as a dictionary (`harness/case/case.schema.json`)."""


Text = tuple[str, str]
"""Name and text of a program that is not a file."""


class DrraError(Exception):
    """Bad input, a missing library, or a failure of the tool. The text names the file, the place and the remedy."""


@dataclasses.dataclass(frozen=True)
class Difference:
    """The first difference between a design and the golden model. A text is "" if it is not known."""

    cycle: int
    """Cycle of the case whose state differs."""
    register: str
    """Path of the register, or name of the output port."""
    design_name: str
    """The design's own name for it."""
    golden: str
    """Value in the golden model."""
    design: str
    """Value in the design."""
    instruction: str
    """The responsible instruction."""
    block: str
    """Block in which the difference arose."""
    rule: str
    """Chapter and section of the rule, and the rule."""
    signature: str
    """Identifies the failure."""
    text: str
    """The report, as `drra check` prints it."""


class CDifference(ctypes.Structure):
    """A difference, as the C library gives it."""

    _fields_ = [
        (field.name, c_uint64 if field.name == "cycle" else c_char_p) for field in dataclasses.fields(Difference)
    ]


Functions = Mapping[str, tuple[Any, list[Any]]]
# Result and arguments of each function; the status of an `int` is an exit code of the command line.
FUNCTIONS: Functions = {
    "drra_version": (c_char_p, []),
    "drra_create": (c_int, [c_char_p, c_char_p, c_char_p, POINTER(c_void_p)]),
    "drra_destroy": (None, [c_void_p]),
    "drra_error_count": (c_size_t, [c_void_p]),
    "drra_error": (c_char_p, [c_void_p, c_size_t]),
    "drra_stimulus": (c_int, [c_void_p, c_uint64, c_char_p, c_uint32, POINTER(c_uint64), c_size_t]),
    "drra_buffer": (c_int, [c_void_p, c_uint32, c_uint32, POINTER(c_uint64)]),
    "drra_done": (c_bool, [c_void_p]),
    "drra_first_difference": (c_int, [c_void_p, POINTER(CDifference)]),
    "drra_finish": (c_int, [c_void_p, c_double, POINTER(c_char_p)]),
    "drra_report": (c_int, [c_void_p, c_char_p]),
    "drra_step": (c_int, [c_void_p, c_uint64]),
    "drra_cycle": (c_uint64, [c_void_p]),
    "drra_read": (c_int, [c_void_p, c_char_p, POINTER(c_uint64), c_size_t, POINTER(c_uint32)]),
    "drra_json": (c_char_p, [c_void_p, c_char_p]),
}


def find(name: str, variable: str) -> Path:
    """The shared library of this name: that of the variable if it is set, else beside the package, else in
    `target/release` of the checkout."""
    here = Path(__file__).resolve().parent
    places = [here / name, *(folder / "target" / "release" / name for folder in here.parents[2:3])]
    if given := os.environ.get(variable):
        places = [Path(given)]
    for path in places:
        if path.is_file():
            return path
    looked = ", ".join(map(str, places))
    raise DrraError(f"{name} is not found at {looked}; set {variable} to its path, or install the wheel of a release")


def load(path: Path, functions: Functions) -> ctypes.CDLL:
    """Loads a shared library and gives its functions their types."""
    try:
        loaded = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        for name, (result, arguments) in functions.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise DrraError(f"{path} cannot be used: {error}; {REMEDY}") from error
    return loaded


@functools.cache
def library() -> ctypes.CDLL:
    """The C library, loaded once; its ABI number is checked first."""
    path = find("libdrra.so", "DRRA_LIBRARY")
    abi = load(path, {"drra_abi": (c_uint32, [])}).drra_abi()
    if abi != ABI:
        raise DrraError(f"{path} has ABI {abi}, expected {ABI}; {REMEDY}")
    return load(path, FUNCTIONS)


@contextlib.contextmanager
def as_file(case: Case | Text) -> Iterator[tuple[str, str]]:
    """Folder and path of a case. The folder is temporary for a case that is not a file yet, else ""."""
    if isinstance(case, str | os.PathLike):
        yield "", os.fspath(case)
        return
    name, text = case if isinstance(case, tuple) else ("case.json", json.dumps(case))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_text(text)
        yield f"{folder}/", str(path)


def destroy(c: ctypes.CDLL, handle: c_void_p) -> None:
    """Frees a context, whose handle is then NULL."""
    c.drra_destroy(handle)
    handle.value = None


class Context:
    """A context of the C library. Contexts are independent; each is for one thread at a time. Memory is freed by
    `close` or when the object is no longer used."""

    def __init__(self, case: Case | Text | None, size: str | None = None,
                 map: str | os.PathLike[str] | None = None) -> None:
        self._c, self._told = library(), 0
        self._handle = c_void_p()
        with contextlib.nullcontext(("", None)) if case is None else as_file(case) as (folder, path):
            arguments = [None if part is None else os.fsencode(part) for part in (size, map, path)]
            status = self._c.drra_create(*arguments, byref(self._handle))
        self.close: weakref.finalize[..., Any] = weakref.finalize(self, destroy, self._c, self._handle)
        self.close.atexit = False
        self.check(status, folder)

    @property
    def handle(self) -> c_void_p:
        """The context for functions of the C library."""
        if not self._handle:
            raise DrraError(f"this {type(self).__name__} is closed; use it before `close` or the end of `with`")
        return self._handle

    def __enter__(self) -> "Context":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check(self, status: int, hidden: str = "") -> None:
        """Raises `DrraError` with the new errors of the context if a status is not 0, without the text `hidden`."""
        if status:
            told, self._told = self._told, self._c.drra_error_count(self.handle)
            texts = [self._c.drra_error(self.handle, number) for number in range(told, self._told)]
            text = "\n".join(text.decode() for text in texts if text)
            raise DrraError(text.replace(hidden, "") or f"status {status} without a reason")

    def json(self, what: str) -> Any:
        """A document of the context: "case", "lint", "registers" or "result"."""
        text = self._c.drra_json(self.handle, what.encode())
        if text is None:
            self.check(2)
        return json.loads(text)

    def stimulus(self, cycle: int, port: str, unit: int = 0) -> int:
        """The value to drive on an input port (named as in chapter 5, 5.1) in a cycle of the case. unit: column of
        `io_in_data`, index r*columns+c of `io_cell`, else 0."""
        words = (c_uint64 * 4)()
        self.check(self._c.drra_stimulus(self.handle, cycle, port.encode(), unit, words, 4))
        return int.from_bytes(words, "little")

    def buffer(self, column: int, address: int) -> int:
        """The block (256 bits, word j in bits 16j+15:16j) of an input buffer; address: 25 bits."""
        words = (c_uint64 * 4)()
        self.check(self._c.drra_buffer(self.handle, column, address, words))
        return int.from_bytes(words, "little")
