# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the checks of all pages share: a browser whose console and requests are watched, and
checks of structure and contrast."""

import shutil
import sys

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    print("no Playwright for Python: pip install -r tests/browser/requirements.txt")
    sys.exit(77)

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    print("no chromium on PATH")
    sys.exit(77)


def luminance(color):
    parts = [float(p) for p in color[color.index("(") + 1 : -1].split(",")[:3]]
    linear = [p / 255 / 12.92 if p / 255 <= 0.04045 else ((p / 255 + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# For every visible element with text of its own, except in pictures: text colour, nearest background, and text.
COLOURS = """() => Array.from(document.querySelectorAll("body *")).filter((e) =>
    e.getClientRects().length && !e.closest("svg") &&
    Array.from(e.childNodes).some((n) => n.nodeType === 3 && n.textContent.trim())
  ).map((e) => {
    let back = e;
    const of = (x) => getComputedStyle(x).backgroundColor;
    while (back && of(back) === "rgba(0, 0, 0, 0)") back = back.parentElement;
    return [getComputedStyle(e).color, back ? of(back) : "rgb(255, 255, 255)", e.textContent.trim().slice(0, 40)];
  })"""


class Pages:
    def __init__(self, browser):
        self.browser = browser
        self.problems = []
        self.done = 0

    def that(self, holds, what):
        self.done += 1
        if not holds:
            self.problems.append(what)

    def page(self, width=1280, **options):
        """A page whose console and requests are watched."""
        page = self.browser.new_context(viewport={"width": width, "height": 900}, **options).new_page()
        page.on("console", lambda m: self.problems.append(f"console: {m.text}") if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: self.problems.append(f"script: {e}"))
        page.on("request", lambda r: self.that(r.url.startswith(("file:", "data:")), f"request: {r.url}"))
        page.on("requestfailed", lambda r: self.problems.append(f"not loaded: {r.url}"))
        return page

    def structure(self, path, width=1280):
        """Checks headings, language, names of pictures, labels, the contrast of text, and the width."""
        for scheme in ("light", "dark"):
            page = self.page(width, color_scheme=scheme)
            page.goto(path.as_uri())
            self.that(page.locator("h1").count() == 1, f"{path.name}: not one h1")
            levels = [int(e.evaluate("e => e.tagName")[1]) for e in page.locator("h1, h2, h3").all()]
            self.that(all(b - a <= 1 for a, b in zip(levels, levels[1:])), f"{path.name}: headings {levels}")
            self.that(page.locator("html").get_attribute("lang") == "en", f"{path.name}: no language")
            for svg in page.locator("svg:not([aria-hidden])").all():
                title = svg.locator("> title").text_content()
                self.that(bool(title) and svg.get_attribute("role") == "img", f"{path.name}: a picture without a name")
            for e in page.locator("input, select").all():
                self.that(page.locator(f"label[for={e.get_attribute('id')}]").count() == 1, f"{path.name}: no label")
            for color, back, text in page.evaluate(COLOURS):
                a, b = sorted((luminance(color), luminance(back)))
                ratio = (b + 0.05) / (a + 0.05)
                self.that(ratio >= 4.5, f"{path.name}, {scheme}: contrast {ratio:.1f} of `{text}`")
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            self.that(wide <= 0, f"{path.name}: {wide} pixels wider than a window of {width}")

    def finish(self, what):
        """Prints the problems; exits with 0 if there are none."""
        for problem in self.problems:
            print(problem)
        print(f"{self.done} checks on {what}, {len(self.problems)} problems")
        sys.exit(1 if self.problems else 0)


def in_browser(check):
    """Runs a check with a browser."""
    with sync_playwright() as playwright:
        check(playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]))
