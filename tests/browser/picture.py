#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Makes the picture of a page of `drra view` that the README shows.

    picture.py PAGE CYCLE OUT.png
"""

import sys
from pathlib import Path

from pages import in_browser


def main(browser):
    path, cycle, out = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    page = browser.new_page(viewport={"width": 1280, "height": 1460})
    page.goto(path.as_uri())
    page.locator("#slider").evaluate("(e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }", cycle)
    page.screenshot(path=out)
    browser.close()


in_browser(main)
