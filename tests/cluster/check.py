#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""A campaign on a real Slurm on this machine (packages slurmctld, slurmd, slurm-client, munge; run as root).

    check.py DRRA [CASES]

Four shards: one is preempted and queued again, the campaign of one is killed with SIGKILL, the script of one as well,
and the node is lost with its daemon and its jobs. The joined result has to be that of a single run in every byte
outside of `timing`. Prints the time of four shards without disturbance against that of a single run.
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
PROFILE = ["--profile", "smoke", "--seed", "5"]


def timeless(folder):
    """The summary of a campaign without what depends on time or machine, in its own order."""
    summary = json.loads((folder / "summary.json").read_text())
    del summary["timing"]
    return json.dumps(summary)


def cases(folder):
    """Finished cases of a shard."""
    journal = folder / "journal.jsonl"
    return journal.read_bytes().count(b'{"case":') if journal.exists() else 0


class Check:
    """The campaigns of the check, in a folder."""

    def __init__(self, slurm, drra, number, folder):
        self.slurm, self.drra, self.number, self.folder = slurm, drra, number, folder

    def submit(self, name):
        """Submits a campaign; its folder."""
        out = self.folder / name
        amount = ["--cases", str(self.number), "--shards", str(SHARDS)]
        self.slurm.run(self.drra, "cluster", "slurm", *PROFILE, *amount, "--out", str(out))
        return out

    def campaign_of(self, out, shard):
        """The process of the campaign of a shard, and the script that waits for it."""
        place = str(out / "shards" / str(shard))
        lines = {pid: command(pid) for pid in self.slurm.children()}
        campaigns = [pid for pid, line in lines.items() if "/slurm/drra fuzz" in line and place in line.split()]
        if not campaigns:
            return None
        # Workers have the first process of the campaign as parent, and that one the script.
        oldest = min(campaigns)
        status = pathlib.Path(f"/proc/{oldest}/status").read_text()
        return oldest, int(status.split("PPid:")[1].split()[0])

    def wait_until_running(self, out, shard, more=20):
        """Waits until a shard has got on; the process of its campaign and its script."""
        folder = out / "shards" / str(shard)
        before = cases(folder)
        self.slurm.wait(f"shard {shard}", lambda: cases(folder) >= before + more)
        processes = self.campaign_of(out, shard)
        assert processes, f"shard {shard} ended too early: more cases are needed"
        return processes

    def wait_until_joined(self, out):
        """Waits until no job is left."""
        self.slurm.wait("the last job", lambda: not self.slurm.run("squeue", "-h"), seconds=150)
        log = out / "log" / "merge.txt"
        assert (out / "report" / "summary.json").exists(), log.read_text() if log.exists() else "no merge"

    def running(self, out, without=()):
        """Waits until a shard runs that is not among some: of several the one with the fewest cases."""
        found = lambda: [s for s in range(1, SHARDS + 1) if s not in without and self.campaign_of(out, s)]
        self.slurm.wait("another shard", found)
        return min(found(), key=lambda shard: cases(out / "shards" / str(shard)))

    def preempted(self, out):
        """Shards that had to give way: Slurm ended the job, or the script did when it was told."""
        signs = ("DUE TO PREEMPTION", "goes on in the next run")
        return [s for s in range(1, SHARDS + 1) if any(sign in self.log(out, s) for sign in signs)]

    def disturb(self, out):
        """Kills, preempts, loses the node, while shards are left to run."""
        campaign, _ = self.wait_until_running(out, 1)
        os.kill(campaign, signal.SIGKILL)
        print("killed with SIGKILL: the campaign of shard 1")
        self.wait_until_running(out, 1)
        self.wait_until_running(out, 2)
        script = self.folder / "urgent.sh"
        script.write_text("#!/bin/bash\nsleep 1\n")
        self.slurm.run("sbatch", "--partition=high", "--output=/dev/null", str(script))
        self.slurm.wait("a preempted shard", lambda: self.preempted(out))
        stopped = self.preempted(out)
        print(f"preempted and queued again: shard {stopped[0]}")
        killed = self.running(out, stopped)
        campaign, batch = self.wait_until_running(out, killed, more=5)
        os.kill(batch, signal.SIGKILL)
        os.kill(campaign, signal.SIGKILL)
        print(f"killed with SIGKILL: the whole job of shard {killed}")
        shard = self.running(out, [*stopped, killed])
        self.wait_until_running(out, shard, more=5)
        names = (str(out / "slurm" / "drra"), "slurm_script")
        self.slurm.lose_node([p for p in self.slurm.children() if any(name in command(p) for name in names)])
        time.sleep(1)
        self.slurm.start_node()
        print(f"lost and started again: the node, with shard {shard}")

    @staticmethod
    def log(out, shard):
        """What a shard has said."""
        path = out / "log" / f"shard-{shard}.txt"
        return path.read_text() if path.exists() else ""


def main():
    drra = str(pathlib.Path(sys.argv[1]).resolve())
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 6000
    folder = pathlib.Path(tempfile.mkdtemp(prefix="drra-slurm-"))
    try:
        whole, start = folder / "whole", time.monotonic()
        single = [drra, "fuzz", *PROFILE, "--cases", str(number), "--jobs", "2", "--out", str(whole)]
        subprocess.run(single, check=True, stdout=subprocess.DEVNULL)
        alone = time.monotonic() - start
        with Slurm(folder / "slurm") as slurm:
            check = Check(slurm, drra, number, folder)
            out = check.submit("quiet")
            start = time.monotonic()
            check.wait_until_joined(out)
            together = time.monotonic() - start
            assert timeless(out / "report") == timeless(whole), "the joined result is another one"
            print(f"{number} cases: one run with 2 workers {alone:.1f} s, {SHARDS} shards on 2 processors {together:.1f} s")
            out = check.submit("disturbed")
            check.disturb(out)
            check.wait_until_joined(out)
            for log in sorted((out / "log").iterdir()):
                print(f"--- {log.name}")
                print("\n".join(line for line in log.read_text().splitlines() if line.startswith("20")))
            assert timeless(out / "report") == timeless(whole), "the joined result is another one"
            print("the joined result is that of a single run")
    except BaseException:
        print(f"files are kept in {folder}", file=sys.stderr)
        raise
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
