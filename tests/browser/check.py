#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Opens the pages of a campaign in headless Chromium and uses them as a reader would.

    check.py FOLDER

Exit code: 0 if everything is correct, 1 after listing the problems, 77 if there is no browser or no driver.
"""

import json
import sys
from pathlib import Path
from urllib.parse import unquote

from pages import Pages, in_browser


def register(path):
    """The path of a register without its unit."""
    unit, bracket, rest = path.partition("].")
    return rest if bracket and unit.startswith(("cell[", "col[", "tile[")) else path


def unit_text(unit):
    """The load pipeline belongs to the fabric itself; the page names it after its registers."""
    return "ld_pipe" if unit == "fabric" else unit


def readings(value):
    """Digits and meanings of all values in a part of a report; a single bit is shown as 0 or 1."""
    if isinstance(value, list):
        for item in value:
            yield from readings(item)
    elif isinstance(value, dict):
        if "value" in value and value.get("width", 1) > 1:
            yield value["value"]
        if "decoded" in value and isinstance(value["decoded"], str):
            yield value["decoded"]
        for item in value.values():
            yield from readings(item)


def meanings(value):
    """Meanings of all values in a part of a report."""
    return (text for text in readings(value) if not text.startswith("0x"))


def wanted(report):
    """What a reader must find on the page of a report."""
    yield report["repeat"]
    what = report["mismatch"]["what"]
    for difference in what.get("differences", []):
        yield difference["location"]
        yield from readings(difference)
    for instance in what.get("instances", []):
        yield instance["name"]
        yield instance["scope"]
    for item in report["rule"]["inputs"]:
        if "location" in item:
            yield register(item["location"])
        yield from readings(item)
    yield from meanings(report.get("responsible", {}))
    for change in report["changes"]:
        for item in change["golden"] + change["rtl"]:
            yield register(item["location"]) + " = "
            yield from readings(item)
    for step in report["path"]:
        yield unit_text(step["unit"])
        yield from readings(step.get("value", {}))
        yield from meanings(step["step"])
    for neighbour in report["neighbours"]:
        yield neighbour["unit"]
        yield from meanings(neighbour["state"])
    for cell in report["program"]:
        yield from meanings(cell["lines"])
    for row in report["timeline"]["rows"]:
        yield row["unit"]
        yield from meanings(row)


# The names of the cards, the one that reaches over the whole row below the others, and the first table with its bottom.
CARDS = """() => {
  const box = (e) => e.getBoundingClientRect();
  const cards = Array.from(document.querySelectorAll(".first-screen .card"));
  const common = document.querySelector(".first-screen .common");
  const others = cards.filter((card) => card !== common);
  const alone = !common || others.every((o) => box(o).bottom <= box(common).top && box(o).width < box(common).width / 2);
  const table = document.querySelector("table.values");
  return [cards.map((card) => card.querySelector("h2").textContent), alone, table ? box(table).bottom : 0];
}"""
# Values and paths that are broken although a line has room for them.
BROKEN = """() => Array.from(document.querySelectorAll(".value")).filter((e) => {
  const lines = e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight);
  if (lines < 1.6) return false;
  e.style.whiteSpace = "nowrap";
  const fits = e.scrollWidth <= e.parentElement.clientWidth;
  e.style.whiteSpace = "";
  return fits;
}).map((e) => e.textContent)"""


class Check(Pages):
    def __init__(self, browser, folder):
        super().__init__(browser)
        self.folder = folder

    def links(self):
        """From the index to each failure and back."""
        page = self.page()
        page.goto((self.folder / "index.html").as_uri())
        links = page.locator("table a")
        folders = sorted(p.name for p in (self.folder / "failures").iterdir())
        self.that(links.count() == len(folders), f"{links.count()} links for {len(folders)} failures")
        for i in range(links.count()):
            name = links.nth(i).inner_text()
            links.nth(i).click()
            # The heading of a page is its failure and, if the text differs, the variant that the page shows.
            heading = page.locator("h1").inner_text()
            self.that(heading == name or heading.startswith(f"{name}: "), f"{name}: page of {heading}")
            page.locator("nav a").click()
            self.that(page.url.endswith("index.html"), f"{name}: no way back")
        return folders

    def first_screen(self, folder):
        """The facts, what the cases have in common, and the first difference are on the first screen."""
        page = self.page()
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto((folder / "report.html").as_uri())
        names, alone, bottom = page.evaluate(CARDS)
        self.that(names[:4] == ["What", "Responsible instruction", "Where", "Repeat"], f"{folder.name}: cards {names}")
        self.that(names[4:] in ([], ["In common"]) and alone, f"{folder.name}: no row of its own for {names[4:]}")
        self.that(bottom <= 800, f"{folder.name}: the first difference ends at {bottom}, below the first screen")
        further = page.locator(".common details")
        if further.count():
            self.that(not further.locator("p").first.is_visible(), f"{folder.name}: further results are open")
            further.locator("summary").click()
            self.that(further.locator("p").first.is_visible(), f"{folder.name}: further results do not open")

    def followed(self, folder):
        """Every link leads to something that is there."""
        page = self.page()
        page.goto((folder / "report.html").as_uri())
        for href in page.locator("a").evaluate_all("links => links.map((a) => a.getAttribute('href'))"):
            there = page.locator(href).count() if href.startswith("#") else (folder / unquote(href)).is_file()
            self.that(there, f"{folder.name}: nothing at {href}")
        page.locator(".first-screen a[href='#h-rule']").click()
        self.that(page.url.endswith("#h-rule"), f"{folder.name}: the rule is not reached")

    def narrow(self, folder):
        """In a window of 400 pixels, no value or path is broken that fits."""
        page = self.page(400)
        page.goto((folder / "report.html").as_uri())
        page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
        for text in page.evaluate(BROKEN):
            self.that(False, f"{folder.name}: `{text}` is broken")

    def slider(self, folder):
        """The picture follows the slider, and the keyboard moves the slider."""
        report = json.loads((folder / "report.json").read_text())
        page = self.page()
        page.goto((folder / "report.html").as_uri())
        spread = report["spread"]
        shown = lambda: sorted(e.get_attribute("data-unit") for e in page.locator("svg.fabric .unit.differs").all())
        # The load pipeline has no box in the picture.
        units = lambda step: sorted(u for u, _ in step["units"] if u != "fabric")
        slider = page.locator("#slider")
        self.that(slider.is_visible(), "the slider is hidden")
        for step in spread:
            slider.evaluate("(e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }", str(step["cycle"]))
            self.that(shown() == units(step), f"cycle {step['cycle']}: {shown()} instead of {units(step)}")
            self.that(f"Cycle {step['cycle']}:" in page.locator("#spread-text").inner_text(), f"cycle {step['cycle']}: text")
        slider.focus()
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        self.that(page.locator("#slider-cycle").inner_text() == str(spread[1]["cycle"]), "the keyboard does not move the slider")
        changes = len({json.dumps(s["units"]) for s in spread})
        return changes

    def without_script(self, folder):
        """All text is visible without JavaScript, and nothing that needs JavaScript is shown."""
        report = json.loads((folder / "report.json").read_text())
        page = self.page(java_script_enabled=False)
        page.goto((folder / "report.html").as_uri())
        self.that(not page.locator("#slider").is_visible(), "a dead slider is shown")
        body = page.locator("body")
        text = " ".join(body.text_content().split())
        for part in wanted(report):
            self.that(" ".join(part.split()) in text, f"without script: no `{part}`")
        for step in report["spread"]:
            for unit, count in step["units"]:
                self.that(f"{unit_text(unit)} ({count})" in text, f"without script: no {unit} in cycle {step['cycle']}")

    def print(self, folder):
        """A printed page has no controls, and all folded parts are unfolded."""
        page = self.page()
        page.goto((folder / "report.html").as_uri())
        page.emulate_media(media="print")
        self.that(not page.locator("#slider").is_visible(), "the slider is printed")
        table = page.locator("details table").first
        self.that(table.is_visible(), "folded tables are not printed")
        self.that(len(page.pdf()) > 10_000, "nothing is printed")


def main(browser):
    check = Check(browser, Path(sys.argv[1]).resolve())
    failures = [check.folder / "failures" / name for name in check.links()]
    check.that(len(failures) > 0, "no failures")
    changes = 0
    for failure in failures:
        changes = max(changes, check.slider(failure))
        check.without_script(failure)
        check.structure(failure / "report.html")
        check.structure(failure / "report.html", 400)
        check.first_screen(failure)
        check.followed(failure)
        check.narrow(failure)
        check.print(failure)
    check.that(changes > 1, "the spread never changes")
    check.structure(check.folder / "index.html")
    check.structure(check.folder / "history.html")
    check.structure(check.folder / "history.html", 400)
    browser.close()
    check.finish(f"{len(failures)} pages and their index")


in_browser(main)
