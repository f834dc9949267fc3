#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs a campaign on a real Slurm on this machine (packages slurmctld, slurmd, slurm-client, munge; run as root).

    check.py DRRA

There are four shards. The campaign of shard 1 is killed with SIGKILL. Then shard 1 or 2 is preempted and requeued, and
the whole job of the other is killed. Shard 3 is warned that its time limit is near, and finally the node is lost
with its daemon and its jobs. A shard is stopped while it waits for its turn, so that it has enough cases left however
fast the machine is. The summary of the merged campaign must equal that of a single run, except for `timing`. A shard of
another campaign is cancelled and must not be requeued. Prints the time of four undisturbed shards and that of a single
run.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from slurm import Slurm, command

SHARDS = 4
# A single run lasts at least this number of seconds, so that a shard never finishes before it is stopped (checked every
# 0.1 s).
SECONDS = 5
PROFILE = ["--profile", "smoke", "--seed", "5"]


def timeless(folder):
    """The summary of a campaign without anything that depends on time or machine, with its keys in their order."""
    summary = json.loads((folder / "summary.json").read_text())
    del summary["timing"]
    return json.dumps(summary)


def cases(folder):
    """Finished cases of a shard."""
    journal = folder / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True) if journal.exists() else []
    sums = [json.loads(line) for line in lines if line.startswith(b'{"cases":') and line.endswith(b"\n")]
    return sum(last - first + 1 for line in sums for _, first, last in line["cases"])


def status_of(pid):
    """What the system reports about a process: its state (`T` if it is stopped) and whether SIGTERM is pending."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return "gone", False
    fields = dict(line.split(":", 1) for line in lines)
    waiting = int(fields["ShdPnd"], 16) >> (signal.SIGTERM - 1) & 1
    return fields["State"].split()[0], bool(waiting)


def parent(pid):
    """The parent of a process; 0 if it is gone."""
    try:
        return int(pathlib.Path(f"/proc/{pid}/status").read_text().split("PPid:")[1].split()[0])
    except OSError:
        return 0


class Check:
    """A campaign of the check, in its own folder."""

    def __init__(self, slurm, drra, number, out):
        self.slurm, self.number, self.out = slurm, number, out
        amount = ["--cases", str(number), "--shards", str(SHARDS)]
        told = slurm.run(drra, "cluster", "slurm", *PROFILE, *amount, "--out", str(out))
        self.array = told.split("submitted: array ")[1].split()[0]

    def folder(self, shard):
        return self.out / "shards" / str(shard)

    def log(self, name):
        """The output of a job."""
        path = self.out / "log" / f"{name}.txt"
        return path.read_text() if path.exists() else ""

    def campaign_of(self, shard):
        """The process of the campaign of a shard, and the script that waits for it."""
        place = str(self.folder(shard))
        lines = {pid: command(pid) for pid in self.slurm.children()}
        for pid, line in lines.items():
            if "/slurm/drra fuzz" in line and place in line.split():
                # Its workers have the same command, but only its own parent is the script.
                script = parent(pid)
                if "slurm_script" in lines.get(script, ""):
                    return pid, script
        return None

    def hold(self, *shards):
        """Stops the campaigns of shards, each as soon as it runs. Then lets one after the other go on in short steps
        until it has made progress, so that no fast machine and no late look lets one end. Returns the process of each
        campaign and its script."""
        held = {}

        def all_stopped():
            for shard in shards:
                if shard not in held and (processes := self.campaign_of(shard)):
                    os.kill(processes[0], signal.SIGSTOP)
                    held[shard] = processes
                early = shard not in held and cases(self.folder(shard)) == self.number // SHARDS
                assert not early, f"shard {shard} ended too early: more cases are needed"
            return len(held) == len(shards)

        self.slurm.wait(f"shards {shards}", all_stopped)
        for shard, (campaign, _) in held.items():
            before = cases(self.folder(shard))
            while cases(self.folder(shard)) < before + 20:
                early = status_of(campaign)[0] in ("Z", "gone")
                assert not early, f"shard {shard} ended too early: more cases are needed"
                os.kill(campaign, signal.SIGCONT)
                time.sleep(0.05)
                os.kill(campaign, signal.SIGSTOP)
        return [held[shard] for shard in shards]

    def wait_until_told(self, what, held):
        """Waits until one of the held campaigns has been told to end, and lets it end. Returns the shard."""
        told = lambda: [s for s, (pid, _) in held.items() if status_of(pid)[0] not in "Tt" or status_of(pid)[1]]
        self.slurm.wait(what, told, seconds=90)
        shard = told()[0]
        try:
            os.kill(held[shard][0], signal.SIGCONT)
        except ProcessLookupError:
            pass  # Slurm has woken the process, and it has ended.
        return shard

    def wait_until_joined(self):
        """Waits until no job is left."""
        self.slurm.wait("the last job", lambda: not self.slurm.run("squeue", "-h"), seconds=150)
        assert (self.out / "report" / "summary.json").exists(), self.log("merge") or "no merge"

    def kill_campaign(self, campaign):
        """Sends SIGKILL to the campaign of shard 1, which its script runs again."""
        os.kill(campaign, signal.SIGKILL)
        self.slurm.wait("the next attempt", lambda: "attempt 1 ended with 137" in self.log("shard-1"))
        print("killed with SIGKILL: the campaign of shard 1")

    def preempt(self, second):
        """An urgent job preempts shard 1 or 2, of which the second one is held already. Returns that shard, then the
        other one with its processes."""
        [first] = self.hold(1)
        held = {1: first, 2: second}
        script = self.out / "urgent.sh"
        script.write_text("#!/bin/bash\nsleep 1\n")
        self.slurm.run("sbatch", "--partition=high", "--output=/dev/null", str(script))
        shard = self.wait_until_told("a preempted shard", held)
        signs = ("DUE TO PREEMPTION", "resumes when this job runs again")
        self.slurm.wait("the message of Slurm", lambda: any(sign in self.log(f"shard-{shard}") for sign in signs))
        print(f"preempted and requeued: shard {shard}")
        other = 3 - shard
        return shard, other, held[other]

    def near_the_limit(self, shard, campaign, script):
        """A held shard is told that the time limit of its job is near."""
        limit = lambda minutes: ["scontrol", "update", f"JobId={self.array}_{shard}", f"TimeLimit={minutes}"]
        self.slurm.run(*limit(1))
        self.wait_until_told("the signal before the time limit", {shard: (campaign, script)})
        sign = "stopped, resumes when this job runs again"
        self.slurm.wait("the end of this part", lambda: sign in self.log(f"shard-{shard}"))
        self.slurm.run(*limit(10))
        print(f"warned of its time limit and requeued: shard {shard}")

    def cancel(self):
        """A shard that is cancelled ends with its summary and is not queued again."""
        shard = 1
        [held] = self.hold(shard)
        self.slurm.run("scancel", f"{self.array}_{shard}")
        self.wait_until_told("the end of a cancelled shard", {shard: held})
        left = lambda: self.slurm.run("squeue", "-h", "-r", "-j", f"{self.array}_{shard}", check=False)
        self.slurm.wait("the end of its job", lambda: not left() and not self.campaign_of(shard))
        summary = json.loads((self.folder(shard) / "summary.json").read_text())
        assert summary["timing"]["interrupted"], "a cancelled shard has no summary"
        assert "resumes when this job runs again" not in self.log(f"shard-{shard}"), "a cancelled shard was queued again"
        print(f"cancelled, and ended with its summary: shard {shard}")
        self.slurm.run("scancel", "--user=root")

    def disturb(self):
        """Disturbs the campaign in every way, each time in a shard that is in the middle of its cases."""
        first, second = self.hold(1, 2)
        self.kill_campaign(first[0])
        preempted, killed, (campaign, script) = self.preempt(second)
        os.kill(script, signal.SIGKILL)
        os.kill(campaign, signal.SIGKILL)
        print(f"killed with SIGKILL: the whole job of shard {killed}")
        limited, _ = self.hold(3, 4)
        self.near_the_limit(3, *limited)
        names = (str(self.out / "slurm" / "drra"), "slurm_script")
        self.slurm.lose_node([p for p in self.slurm.children() if any(name in command(p) for name in names)])
        self.slurm.start_node()
        print(f"lost and restarted: the node, with shard 4")
        self.wait_until_joined()
        assert "restart 1" in self.log("shard-4"), "the shard of the lost node was not queued again"
        again = f"resubmitting unfinished shards {killed}"
        assert again in self.log("merge"), "the killed job was not submitted again"


def single_run(drra, folder):
    """The campaign in a single run that is long enough: its folder, its number of cases and its seconds."""
    number, seconds = 1000, 0
    while seconds < SECONDS:
        number *= 2
        whole, start = folder / f"whole-{number}", time.monotonic()
        single = [drra, "fuzz", *PROFILE, "--cases", str(number), "--jobs", "2", "--out", str(whole)]
        subprocess.run(single, check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - start
    return whole, number, seconds


def main():
    drra = str(pathlib.Path(sys.argv[1]).resolve())
    folder = pathlib.Path(tempfile.mkdtemp(prefix="drra-slurm-"))
    try:
        whole, number, alone = single_run(drra, folder)
        with Slurm(folder / "slurm") as slurm:
            start = time.monotonic()
            quiet = Check(slurm, drra, number, folder / "quiet")
            quiet.wait_until_joined()
            together = time.monotonic() - start
            assert timeless(quiet.out / "report") == timeless(whole), "the merged result differs from that of a single run"
            print(f"{number} cases: one run with 2 workers {alone:.1f} s, {SHARDS} shards on 2 processors {together:.1f} s")
            disturbed = Check(slurm, drra, number, folder / "disturbed")
            disturbed.disturb()
            for log in sorted((disturbed.out / "log").iterdir()):
                print(f"--- {log.name}")
                print("\n".join(line for line in log.read_text().splitlines() if line.startswith("20")))
            assert timeless(disturbed.out / "report") == timeless(whole), "the merged result differs from that of a single run"
            print("the merged result equals that of a single run")
            Check(slurm, drra, number, folder / "cancelled").cancel()
    except BaseException:
        print(f"files are kept in {folder}", file=sys.stderr)
        raise
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
