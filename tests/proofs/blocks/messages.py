# SPDX-License-Identifier: MIT OR Apache-2.0
"""Messages on the NoC as numbers and in the form of chapter 6."""


def message(b, z):
    """None, a ROUTE or an SRAM, from its 63 bits."""
    route, sram = (b.run("6.message", dict(kind=kind, payload=b.value("z & ((1 << 60) - 1)", z=z))) for kind in (b.ch[6].ROUTE, b.ch[6].SRAM))
    return b.value("(sram if z >> 60 & 1 else route) if z >> 62 else None", z=z, sram=sram, route=route)


def taken(b, z):
    """None or the configuration of an SRAM that a side has taken, from its 55 bits."""
    fields, at = {}, 53
    for name, width in dict(init_addr=7, init_delay=4, l1_iter=7, l1_step=8, l1_delay=6, l2_iter=7, l2_step=8, l2_delay=6).items():
        at -= width
        fields[name] = b.value("z >> at & ((1 << width) - 1)", z=z, at=at, width=width)
    return b.value("dict(kind=3, hops=0, rw=z >> 53 & 1, **fields) if z >> 54 else None", z=z, fields=fields)


def received(b, z, sender="column"):
    """A message on an input, from its bits."""
    m = message(b, z)
    b.assume(f"{sender}: a message has the bits of its fields", "bits == z", bits=b.run("6.message_bits", m), z=z)
    return m


# A message of a cell, `m`, has only the bits of its kind (chapter 6, 3, and chapter 7, A3).
CELL_MESSAGE = ("m == dict(valid=0, kind=0, payload=0) if not m['valid'] else m['kind'] == 1 or (m['kind'] == 2 and m['payload'] & others == 0)"
                " or (m['kind'] == 3 and m['payload'] >> 58 == 2)")


def cell_message(b, m):
    """The names in CELL_MESSAGE."""
    return dict(m=m, others=(1 << 64) - 1 - sum(((1 << width) - 1) << low for low, width in b.ch[6].FIELDS[2].values()))
