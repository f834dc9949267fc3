# SPDX-License-Identifier: MIT OR Apache-2.0
"""The golden model of the SiLago fabric in Python. `drra.cocotb` has a scoreboard that compares a design with it."""

from ._golden import Finding, Golden, assemble, lint
from ._library import ABI, Case, Difference, DrraError, library

__version__ = "1.0.0"
__all__ = ["ABI", "Case", "Difference", "DrraError", "Finding", "Golden", "assemble", "library_version", "lint"]


def library_version() -> str:
    """Version of the C library that is loaded."""
    return str(library().drra_version().decode())
