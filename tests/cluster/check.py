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
        """Submits a campaign; its folder and the number of its array."""
        out = self.folder / name
        amount = ["--cases", str(self.number), "--shards", str(SHARDS)]
        text = self.slurm.run(self.drra, "cluster", "slurm", *PROFILE, *amount, "--out", str(out))
        return out, text.split("array ")[1].split()[0]

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

    def disturb(self, out, array):
        """Preempts, kills, loses the node."""
        # Shard 1 has to give way: the two processors are those of shards 1 and 2.
        self.wait_until_running(out, 1)
        self.wait_until_running(out, 2)
        script = self.folder / "urgent.sh"
        script.write_text("#!/bin/bash\nsleep 1\n")
        self.slurm.run("sbatch", "--partition=high", "--output=/dev/null", "--cpus-per-task=1", str(script))
        restarted = lambda: any("restart 1" in log.read_text() for log in (out / "log").glob("shard-*.txt"))
        self.slurm.wait("the preempted shard", restarted)
        print("preempted and queued again: one shard")
        killed, running = set(), lambda: [s for s in range(1, SHARDS + 1) if self.campaign_of(out, s)]

        def next_running():
            """A shard that was not killed yet, while it runs."""
            self.slurm.wait("another shard", lambda: set(running()) - killed)
            shard = min(set(running()) - killed)
            killed.add(shard)
            return shard

        shard = next_running()
        campaign, _ = self.wait_until_running(out, shard)
        os.kill(campaign, signal.SIGKILL)
        print(f"killed with SIGKILL: the campaign of shard {shard}")
        shard = next_running()
        campaign, batch = self.wait_until_running(out, shard)
        os.kill(batch, signal.SIGKILL)
        os.kill(campaign, signal.SIGKILL)
        print(f"killed with SIGKILL: the whole job of shard {shard}")
        shard = next_running()
        self.wait_until_running(out, shard)
        names = (str(out / "slurm" / "drra"), "slurm_script")
        lost = [pid for pid in self.slurm.children() if any(name in command(pid) for name in names)]
        self.slurm.lose_node(lost)
        time.sleep(1)
        self.slurm.start_node()
        print(f"lost and started again: the node, with shard {shard}")


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
            out, _ = check.submit("quiet")
            start = time.monotonic()
            check.wait_until_joined(out)
            together = time.monotonic() - start
            assert timeless(out / "report") == timeless(whole), "the joined result is another one"
            print(f"{number} cases: one run with 2 workers {alone:.1f} s, {SHARDS} shards on 2 processors {together:.1f} s")
            out, array = check.submit("disturbed")
            check.disturb(out, array)
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
