# SPDX-License-Identifier: MIT OR Apache-2.0
"""A finished run of `drra mutate`, and workers that run its mutants again."""
import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Run:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.plan = json.loads((self.folder / "plan.json").read_text())
        self.fabric = self.plan["fabrics"][0]
        journal = (self.folder / "journal.jsonl").read_text().splitlines()
        records = [r for r in map(json.loads, journal) if r["fabric"] == self.fabric]
        # The result of the campaign on the first fabric for each mutant that it ran.
        self.found = {r["mutant"]: r["found"].get("Killed") for r in records
                      if "Killed" in r["found"] or "Survived" in r["found"]}
        self.program = self.folder / self.fabric / "drra"
        self.slots = json.loads((self.folder / self.fabric / "mutants.json").read_text())

    def slot(self, number):
        return self.slots.index(number) + 1

    def work(self, program, slots, seed, more=()):
        """How the campaign with this seed kills the mutant in each slot of a program; None if it does not."""
        campaign = {"Campaign": {"first": 0, "end": self.plan["cases"]}}
        tasks = "".join(json.dumps({"slot": slot, "work": campaign}) + "\n" for slot in slots)
        command = [program, "mutate-worker", "--profile", self.plan["profile"], "--seed", str(seed), *more]
        done = subprocess.run(command, input=tasks, capture_output=True, text=True, check=True)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(('{"Killed"', '"Survived"'))]
        return [None if line == "Survived" else line["Killed"] for line in lines]
