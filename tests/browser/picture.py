#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Takes a screenshot of a page for the guide: of `drra view` in a given cycle, or of a report.

    picture.py PAGE OUT.png [CYCLE]
"""

import sys
from pathlib import Path

from pages import in_browser


def main(browser):
    path, out, cycle = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3:]
    page = browser.new_page(viewport={"width": 1280, "height": 1460 if cycle else 720})
    page.goto(path.as_uri())
    if cycle:
        page.locator("#slider").evaluate("(e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }", cycle[0])
    page.screenshot(path=out)
    browser.close()


in_browser(main)
