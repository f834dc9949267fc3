#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Takes the pictures of README and guide: the report of the tutorial's bug, and `drra view` of a program.

    picture.py              runs the tutorial (first-bug.md) and takes the pictures of the pages that it leaves
    picture.py --check      after the tutorial: fails if the text of a page is not the text that its picture shows

Pixels differ between browsers and fonts, so a picture carries the digest of the text of its page, and only the digests
are compared. The check needs no browser.
"""

import hashlib
import html.parser
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FIRST_BUG = ROOT / "target/first-bug"
# Each picture with its page and the end of its address.
PICTURES = {
    ROOT / "harness/guide/report.png": (FIRST_BUG / "failures/cell-DPU-operands/report.html", ""),
    ROOT / "harness/guide/view.png": (FIRST_BUG / "vec_add.html", "#cycle=51"),
}


class Text(html.parser.HTMLParser):
    """The text of a page, without scripts and styles, and without the footer, which contains versions."""

    def __init__(self):
        super().__init__()
        self.hidden, self.words = 0, []

    def handle_starttag(self, tag, attributes):
        self.hidden += tag in ("script", "style", "footer")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style", "footer")

    def handle_data(self, data):
        self.words += [] if self.hidden else data.split()


def digest(page):
    text = Text()
    text.feed(page.read_text())
    return hashlib.sha256(" ".join(text.words).encode()).hexdigest().encode()


def check():
    for picture, (page, _) in PICTURES.items():
        found = re.search(rb"tEXtpage\0([0-9a-f]{64})", picture.read_bytes())
        if not found or found[1] != digest(page):
            sys.exit(f"{picture.relative_to(ROOT)} does not show what the program writes today in "
                     f"{page.relative_to(ROOT)}: run tests/browser/picture.py, and commit the pictures")


def take(browser):
    for picture, (page, anchor) in PICTURES.items():
        shown = browser.new_page(viewport={"width": 1280, "height": 800})
        shown.goto(page.as_uri() + anchor)
        png, text = shown.screenshot(), b"tEXtpage\0" + digest(page)
        chunk = struct.pack(">I", len(text) - 4) + text + struct.pack(">I", zlib.crc32(text))
        # The chunk follows the signature and the header, which have 8 and 25 bytes.
        picture.write_bytes(png[:33] + chunk + png[33:])
    browser.close()


if sys.argv[1:] not in ([], ["--check"]):
    sys.exit(__doc__)
if not sys.argv[1:]:
    from pages import in_browser

    subprocess.run([ROOT / ".ci/tutorial", "first-bug.md"], check=True)
# The program may be built for another fabric size, as own-rtl.md does.
view = [ROOT / "target/release/drra", "view", "isa/vec_add.sasm", "--fabric", "8x2", "-o", FIRST_BUG / "vec_add.html"]
subprocess.run(view, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
if sys.argv[1:]:
    check()
else:
    in_browser(take)
