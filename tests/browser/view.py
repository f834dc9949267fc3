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
# Pairs of texts in the picture of the fabric that overlap.
OVERLAPS = """() => {
  const picture = document.querySelector("#pictures .wide:not([hidden]) svg");
  const texts = Array.from(picture.querySelectorAll("text")).filter((e) => e.textContent && e.getClientRects().length > 0);
  const boxes = texts.map((e) => { const r = e.getBoundingClientRect(); return [r.left, r.right, r.top, r.bottom, e]; });
  const height = (b) => (b[3] - b[2]) / 4;
  const meet = (a, b) => Math.min(a[1], b[1]) - Math.max(a[0], b[0]) > 0.5
    && Math.min(a[3], b[3]) - Math.max(a[2], b[2]) > Math.max(height(a), height(b));
  return boxes.flatMap((a, k) => boxes.slice(k + 1).filter((b) => meet(a, b)).map((b) => `${a[4].textContent} and ${b[4].textContent}`));
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
        return int(page.locator("#slider-cycle").input_value())

    def instruction(self, page):
        """Address of the selected instruction."""
        return int(page.locator(".listing:not([hidden]) tr.chosen").get_attribute("data-address"))

    def opened(self, path, address="", **options):
        """A page with hexadecimal values."""
        page = self.page(**options)
        page.goto(path.as_uri() + address)
        page.locator("#format").select_option("hex")
        return page

    def follows_the_trace(self, path, trace):
        """Checks that register file, current instruction and memory are those of the chosen cycle."""
        page = self.opened(path)
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
        page = self.opened(path)
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
        wanted = self.instruction(page)
        self.that(trace.at(f"{cell}.seq.pc", self.cycle(page)) == wanted, f"{path.name}: d does not go to a decode")
        page.locator("#play").click()
        before = self.cycle(page)
        page.wait_for_function(f"Number(document.getElementById('slider-cycle').value) > {before}")
        press("Space")
        self.that(page.locator("#slider").is_visible(), "the slider is hidden")
        hexadecimal = page.locator("#words td").all_inner_texts()
        press("x")
        signed = [(int(t, 16) ^ 0x8000) - 0x8000 for t in hexadecimal]
        self.that([int(t) for t in page.locator("#words td").all_inner_texts()] == signed, "no decimal values")
        field = page.locator("#slider-cycle")
        for typed, wanted in ((str(first + 7), first + 7), (str(last + 5), last)):
            field.fill(typed)
            field.press("Enter")
            self.that(self.cycle(page) == wanted, f"typing {typed} leads to {self.cycle(page)}")

    def arrows(self, path, trace):
        """Checks that a new value of word 32 of a register file is seen in the cycle before, in the text or on an arrow
        into the register file or its cell. Returns how many are on an arrow."""
        page = self.opened(path)
        carried = 0
        last = int(page.locator("#slider").get_attribute("max"))
        for cell in trace.cells()[:3]:
            for cycle in [c for c, _ in trace.changes.get(f"{cell}.rf.mem[32]", []) if c <= last][-2:]:
                self.go(page, cycle - 1)
                value = f"{trace.at(f'{cell}.rf.mem[32]', cycle):04x}"
                texts = page.locator(f"#pictures .wide:not([hidden]) .flow.carries[data-flow*='>{cell}.w'] text")
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
        for part in ("#player", "#word", "#words", "#bar-chart", "#h-state", "#whole"):
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
                if "more; fewer cycles" in told:
                    break
                if cycle <= last and wanted not in told:
                    self.that(False, f"{path.name}: without script no{wanted} in {name}")
                    break
            else:
                self.done += 1
        self.that("Utilisation" in text and "busy" in text, f"{path.name}: no figures")

    def address(self, path):
        """Checks that the page opens at the first cycle with data, and that the address gives and takes the cycle."""
        page = self.opened(path)
        opened = self.cycle(page)
        told = page.locator("#happens").inner_text()
        self.that(re.search("enters|from|block", told) or not page.locator("#pictures .flow").count(), f"{path.name} opens with `{told}`")
        first, last = (int(page.locator("#slider").get_attribute(a)) for a in ("min", "max"))
        for cycle in range(max(first, opened - 5), opened):
            self.go(page, cycle)
            moving = page.locator("#pictures .flow.carries .switchbox").count()
            self.that(moving == 0, f"{path.name}: a word moves in {cycle}, before the page opens at {opened}")
        self.go(page, first + 9)
        page.wait_for_function(f"location.hash === '#cycle={first + 9}'")
        for asked, wanted in ((first + 3, first + 3), (last + 900, last)):
            page.evaluate(f"location.hash = '#cycle={asked}'")
            page.wait_for_function(f"document.getElementById('slider-cycle').value === '{wanted}'")
            self.that(self.cycle(self.opened(path, f"#cycle={asked}")) == wanted, f"{path.name}: #cycle={asked} is not {wanted}")
        self.that(self.cycle(self.opened(path, "#main")) == opened, "#main is taken for a cycle")

    def picture(self, path):
        """Checks that no texts overlap, in the units in use and in the whole fabric, and that fabric, events and
        instruction are on one screen."""
        page = self.opened(path)
        page.set_viewport_size({"width": 1280, "height": 800})
        first, last = (int(page.locator("#slider").get_attribute(a)) for a in ("min", "max"))
        for cycle in [self.cycle(page), *range(first, last + 1, max(1, (last - first) // SAMPLES))]:
            self.go(page, cycle)
            self.that(not page.evaluate(OVERLAPS), f"{path.name}, cycle {cycle}: {page.evaluate(OVERLAPS)[:3]} overlap")
            for part in ("#pictures .wide:not([hidden]) svg", "#happens li >> nth=0", "#programs"):
                box = page.locator(part).bounding_box()
                seen = box["y"] >= 0 and min(box["y"] + box["height"], box["y"] + 40 if part == "#programs" else 9e9) <= 800
                self.that(seen, f"{path.name}: {part} is not on the first screen: {box}")
        units = page.locator("#pictures .wide:not([hidden]) .unit")
        used = units.count()
        if page.locator("#whole").is_visible():
            page.locator("#whole").click()
            self.that(units.count() > used, f"{path.name}: the whole fabric has {units.count()} units")
            self.that(not page.evaluate(OVERLAPS), f"{path.name}: {page.evaluate(OVERLAPS)[:3]} overlap in the whole fabric")
            page.keyboard.press("f")
            self.that(units.count() == used, f"{path.name}: f does not lead back")

    def state(self, path, trace):
        """Checks the registers of the cells, and who wrote a word."""
        page = self.opened(path)
        first, last = (int(page.locator("#slider").get_attribute(a)) for a in ("min", "max"))
        for cell in trace.cells()[:3]:
            page.locator("#cell").select_option(cell)
            for cycle in range(first, last + 1, max(1, (last - first) // SAMPLES)):
                self.go(page, cycle)
                shown = page.locator("#registers").inner_text()
                signed = [(trace.at(f"{cell}.dpu.acc[{k}]", cycle) ^ 1 << 31) - (1 << 31) for k in (0, 1)]
                wanted = [f"acc0 {signed[0]}, acc1 {signed[1]}, acc_cnt {trace.at(f'{cell}.dpu.acc_cnt', cycle)};"]
                for k in range(16):
                    value = trace.at(f"{cell}.seq.raccu_reg[{k}]", cycle)
                    wanted += [f"R{k} {value}"] if value else []
                for k in range(4):
                    at = lambda name: trace.at(f"{cell}.seq.loop[{k}].{name}", cycle)
                    wanted += [f"iteration {at('count') + 1} of {at('iter')}, addresses {at('start_pc')} to {at('end_pc')}"] if at("active") else []
                for text in wanted:
                    self.that(text in shown, f"{path.name}: {cell} in cycle {cycle}: no `{text}` in {shown}")
            self.go(page, last)
            words = page.locator("#word option").evaluate_all("o => o.map((e) => e.value)")
            for word in [w.split()[1] for w in words if w.startswith("word")][-2:]:
                page.locator(f"#words td[data-word='{word}']").click()
                writes = [c for c, _ in trace.changes.get(f"{cell}.rf.mem[{word}]", []) if first < c <= last]
                told = page.locator("#origin").inner_text()
                value = f"{trace.at(f'{cell}.rf.mem[{word}]', last):04x}"
                self.that(f"word {word} of {cell} is {value}" in told, f"{path.name}: origin of word {word}: {told}")
                stored = [int(n) for n in re.findall(r"at the end of cycle (\d+)", told)]
                self.that(not writes or (stored and stored[0] + 1 >= writes[-1]), f"{path.name}: word {word} changes in {writes}: {told}")
        if page.locator("#origin button").count():
            button = page.locator("#origin button").first
            wanted = int(button.get_attribute("data-cycle"))
            button.click()
            self.that(self.cycle(page) == wanted, "the origin of a word does not lead to its cycle")

    def timeline(self, path, trace):
        """Checks the bars: their texts, and that a click leads to the decode of the instruction."""
        page = self.opened(path)
        bars = page.locator("#bar-chart .bar-of[data-address]:not(.waits)")
        self.that(bars.count() > 0, f"{path.name}: no bar")
        for bar in bars.all()[:: max(1, bars.count() // 12)]:
            place = bar.evaluate("e => e.dataset")
            told = bar.locator("title").text_content()
            bar.locator("rect").dispatch_event("click")
            cell = page.locator("#cell").input_value()
            self.that(self.cycle(page) == int(place["cycle"]), f"{path.name}: {told}: the click leads to {self.cycle(page)}")
            self.that(self.instruction(page) == int(place["address"]), f"{path.name}: {told} is not selected")
            self.that(trace.at(f"{cell}.seq.pc", self.cycle(page)) == int(place["address"]), f"{path.name}: {told} is not decoded there")
            page.wait_for_timeout(10)
        before = page.locator("#bar-chart").inner_html()
        page.locator("#zoom-in").click()
        self.that(page.locator("#bar-chart").inner_html() != before, "zoom does nothing")
        parts = page.locator("#bar-names .part-name").count()
        page.locator("#only").check()
        self.that(0 < page.locator("#bar-names .part-name").count() <= parts, "no bars of the selected cell")
        for label in page.locator("#bar-names text").all():
            self.that(label.evaluate("e => e.getBBox().x >= 0"), f"{path.name}: {label.text_content()} is clipped")

    def findings(self, path):
        """Checks that each finding with a cycle leads there."""
        page = self.opened(path)
        for button in page.locator(".findings button").all():
            button.click()
            self.that(self.cycle(page) == int(button.get_attribute("data-cycle")), f"{path.name}: a finding leads elsewhere")
        return page.locator(".findings button").count()

    def print(self, path):
        """Checks that a printed page has no controls, and has the whole run as a picture."""
        page = self.page()
        page.goto(path.as_uri())
        pages = len(re.findall(rb"/Type\s*/Page[^s]", page.pdf(format="A4")))
        page.emulate_media(media="print")
        self.that(not page.locator("#player").is_visible(), "the controls are printed")
        self.that(page.locator("#overview").is_visible() and not page.locator("#bar-chart").is_visible(), "no timeline is printed")
        return pages

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
        check.address(path)
        check.picture(path)
        check.state(path, trace)
        check.timeline(path, trace)
        print(f"{path.name}: {check.print(path)} pages on paper, {check.findings(path)} findings with a cycle")
        check.speed(path)
    check.that(carried > 0, "no arrow carries a value")
    for path in pages[::2]:
        for width in (1280, 400):
            check.structure(path, width)
    browser.close()
    check.finish(f"{len(pages) // 2} pages")


in_browser(main)
