#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Opens pages of `drra view` in headless Chromium and compares what they show with traces of the same programs.

    view.py PAGE TRACE [PAGE TRACE ..]

A trace is the output of `drra trace`. Exit code: 0 if everything is correct, 1 after listing the problems, 77 if there is
no browser or no driver. The time that a page takes to show a cycle is printed, but not checked.
"""

import json
import re
import sys
from pathlib import Path

from pages import Pages, in_browser

# Shows some cycles one after another; returns the milliseconds for each cycle, including style and layout.
FRAMES = """(cycles) => {
  const slider = document.getElementById("slider");
  return cycles.map((cycle) => {
    const start = performance.now();
    slider.value = cycle;
    slider.dispatchEvent(new Event("input"));
    document.body.getBoundingClientRect();
    return performance.now() - start;
  });
}"""
# Shows some cycles; returns, for each cycle, the words of the register file and the addresses of the marked
# instructions.
STATES = """([cell, cycles]) => {
  const slider = document.getElementById("slider");
  return cycles.map((cycle) => {
    slider.value = cycle;
    slider.dispatchEvent(new Event("input"));
    const all = (selector) => Array.from(document.querySelectorAll(selector));
    const marked = all(`.listing[data-cell="${cell}"] tr.responsible`);
    return [all("#words td").map((e) => e.textContent), marked.map((e) => Number(e.dataset.address))];
  });
}"""
# At least this number of cycles is checked for each cell, if the page has as many.
SAMPLES = 40


class Trace:
    """Registers over the cycles."""

    def __init__(self, path):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        self.changes = {}
        for line in lines[1:]:
            if "path" in line:
                self.changes.setdefault(line["path"], []).append((line["cycle"], int(line["value"], 16)))

    def at(self, path, cycle):
        value = 0
        for start, new in self.changes.get(path, []):
            if start > cycle:
                break
            value = new
        return value

    def cells(self):
        """Cells that run a program."""
        found = {m[1] for m in (re.match(r"(cell\[\d]\[\d+])\.seq\.state", p) for p in self.changes) if m}
        return sorted(found)


class View(Pages):
    def go(self, page, cycle):
        page.locator("#slider").evaluate(
            "(e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }", str(cycle)
        )

    def cycle(self, page):
        return int(page.locator("#slider-cycle").inner_text())

    def follows_the_trace(self, path, trace):
        """Checks that register file, current instruction and memory are those of the chosen cycle."""
        page = self.page()
        page.goto(path.as_uri())
        first, last = (int(page.locator("#slider").get_attribute(a)) for a in ("min", "max"))
        step = max(1, (last - first) // SAMPLES)
        for cell in trace.cells()[:3]:
            page.locator("#cell").select_option(cell)
            cycles = list(range(first, last + 1, step))
            for cycle, (shown, addresses) in zip(cycles, page.evaluate(STATES, [cell, cycles])):
                wanted = [f"{trace.at(f'{cell}.rf.mem[{k}]', cycle):04x}" for k in range(len(shown))]
                self.that(shown == wanted, f"{path.name}: {cell} in cycle {cycle}: {shown} instead of {wanted}")
                runs = trace.at(f"{cell}.seq.state", cycle) == 2
                wanted = [trace.at(f"{cell}.seq.pc", cycle)] if runs else []
                # If the last cycle shown is the last of the run, no edge follows, so no decode is marked.
                self.that(cycle == last or addresses == wanted, f"{path.name}: {cell} at {addresses} in cycle {cycle}, not {wanted}")
        rows = page.locator("#rows td[data-row]")
        tile = page.locator("#tile").input_value()
        if rows.count():
            number = int(rows.first.get_attribute("data-row"))
            self.go(page, last)
            shown = "".join(reversed(page.locator(f"#rows td[data-row='{number}']").all_inner_texts()))
            wanted = f"{trace.at(f'{tile}.sram[{number}]', last):064x}"
            self.that(shown == wanted, f"{path.name}: row {number} of {tile}: {shown} instead of {wanted}")

    def jumps(self, path, trace):
        """Checks the jumps to the next and previous write of a word and to the next decode of an instruction, and the
        keys."""
        page = self.page()
        page.goto(path.as_uri())
        first, last = (int(page.locator("#slider").get_attribute(a)) for a in ("min", "max"))
        press = page.keyboard.press
        press("End")
        self.that(self.cycle(page) == last, "End does not go to the last cycle")
        press("Home")
        self.that(self.cycle(page) == first, "Home does not go to the first cycle")
        press("ArrowRight")
        press("Shift+ArrowRight")
        press("ArrowLeft")
        self.that(self.cycle(page) == first + 10, "the arrow keys do not step")
        page.locator("#slider").focus()
        press("Home")
        press("ArrowRight")
        self.that(self.cycle(page) == first + 1, "an arrow on the slider is not one cycle")
        cell = page.locator("#cell").input_value()
        words = [w for w in page.locator("#word option").evaluate_all("o => o.map((e) => e.value)") if w.startswith("word")]
        for word in words[-3:]:
            changes = [c for c, _ in trace.changes.get(f"{cell}.rf.mem[{word.split()[1]}]", []) if c > first]
            page.locator("#word").select_option(word)
            self.go(page, first)
            seen = []
            for _ in range(len(changes) + 3):
                page.locator("#word-on").click()
                seen.append(self.cycle(page))
            self.that(set(changes[:4]) <= set(seen), f"{path.name}: {word}: {seen} without {changes[:4]}")
            if len(set(seen)) > 1:
                self.go(page, seen[-1])
                page.locator("#word-back").click()
                self.that(self.cycle(page) < seen[-1], f"{path.name}: {word}: no way back")
        self.go(page, first)
        press("d")
        wanted = int(page.locator("#instruction").input_value())
        self.that(trace.at(f"{cell}.seq.pc", self.cycle(page)) == wanted, f"{path.name}: d does not go to a decode")
        page.locator("#play").click()
        before = self.cycle(page)
        page.wait_for_function(f"Number(document.getElementById('slider-cycle').textContent) > {before}")
        press("Space")
        self.that(page.locator("#slider").is_visible(), "the slider is hidden")
        page.locator("#format").select_option("decimal")
        self.that("-" in "".join(page.locator("#words td").all_inner_texts())
                  or all(len(t) < 6 for t in page.locator("#words td").all_inner_texts()), "no decimal values")

    def arrows(self, path, trace):
        """Checks that a new value of word 32 of a register file is seen in the cycle before, in the text or on an arrow
        into the register file or its cell. Returns how many are on an arrow."""
        page = self.page()
        page.goto(path.as_uri())
        carried = 0
        last = int(page.locator("#slider").get_attribute("max"))
        for cell in trace.cells()[:3]:
            for cycle in [c for c, _ in trace.changes.get(f"{cell}.rf.mem[32]", []) if c <= last][-2:]:
                self.go(page, cycle - 1)
                value = f"{trace.at(f'{cell}.rf.mem[32]', cycle):04x}"
                texts = page.locator(f"svg .flow.carries[data-flow$='>{cell}.rf'] text, svg .flow.carries[data-flow$='>{cell}'] text")
                shown = " ".join(texts.all_text_contents())
                listed = page.locator("#happens").inner_text()
                self.that(value in listed or value in shown, f"{path.name}: {value} is not seen on its way to {cell}")
                carried += value in shown
        return carried

    def without_script(self, path, trace):
        """Checks that every change of a register file is in the text, and that the parts that need the script are not
        shown."""
        page = self.page(java_script_enabled=False)
        page.goto(path.as_uri())
        for part in ("#player", ".jumps", "#words"):
            self.that(not page.locator(part).is_visible(), f"{path.name}: {part} is shown without script")
        text = page.locator("body").text_content()
        self.that(not page.locator(".listing").first.get_attribute("hidden"), "programs are hidden without script")
        rows = dict(page.locator("table.facts tr").evaluate_all(
            "rows => rows.map((r) => [r.cells[0].textContent, r.cells[1].textContent])"))
        last = int(page.locator("#slider").get_attribute("max"))
        for name, changes in trace.changes.items():
            word = re.match(r"cell\[(\d)]\[(\d+)]\.rf\.mem\[(\d+)]", name)
            for cycle, value in changes if word else []:
                told = f", {rows.get(f'cell ({word[1]},{word[2]}) word {word[3]}', '')},"
                wanted = f", {cycle}: {value:04x},"
                if cycle <= last and wanted not in told:
                    self.that(False, f"{path.name}: without script no{wanted} in {name}")
                    break
            else:
                self.done += 1
        self.that("Utilisation" in text and "busy" in text, f"{path.name}: no figures")

    def print(self, path):
        """Checks that a printed page has no controls."""
        page = self.page()
        page.goto(path.as_uri())
        page.emulate_media(media="print")
        self.that(not page.locator("#player").is_visible(), "the controls are printed")
        self.that(len(page.pdf()) > 10_000, "nothing is printed")

    def speed(self, path):
        """Measures how long it takes to show a cycle."""
        page = self.page()
        page.goto(path.as_uri())
        first, last = (int(page.locator("#slider").get_attribute(a)) for a in ("min", "max"))
        step = max(1, (last - first) // 200)
        times = sorted(page.evaluate(FRAMES, list(range(first, last + 1, step))))
        size = path.stat().st_size / 1e6
        print(f"{path.name}: {size:.2f} MB; a cycle is shown in {times[len(times) // 2]:.1f} ms, "
              f"95 % in {times[len(times) * 95 // 100]:.1f} ms, at most {times[-1]:.1f} ms")


def main(browser):
    pages = [Path(word).resolve() for word in sys.argv[1:]]
    check = View(browser)
    carried = 0
    for path, trace in zip(pages[::2], map(Trace, pages[1::2])):
        check.follows_the_trace(path, trace)
        check.jumps(path, trace)
        carried += check.arrows(path, trace)
        check.without_script(path, trace)
        check.print(path)
        check.speed(path)
    check.that(carried > 0, "no arrow carries a value")
    for path in pages[::2]:
        for width in (1280, 400):
            check.structure(path, width)
    browser.close()
    check.finish(f"{len(pages) // 2} pages")


in_browser(main)
