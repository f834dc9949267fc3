# SPDX-License-Identifier: MIT OR Apache-2.0
"""A Slurm of one machine for tests: munged, slurmctld and slurmd as root, without systemd, all files in one folder.

Two partitions: jobs of `high` preempt those of `low`, which are sent SIGTERM, have 10 s to end, and are queued again.
"""

import os
import pathlib
import signal
import socket
import subprocess
import time

HOST = socket.gethostname().split(".")[0]

CONFIGURATION = """\
ClusterName=drra
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={ctld}
SlurmdPort={slurmd}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,bf_interval=1,sched_interval=1
SlurmdParameters=config_overrides
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
KillWait=5
MinJobAge=3600
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=1000
PartitionName=low Nodes={host} Default=YES PriorityTier=1 GraceTime=10 MaxTime=10
PartitionName=high Nodes={host} PriorityTier=10 PreemptMode=OFF MaxTime=10
"""


def free_port():
    """A port that nothing listens on."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Slurm:
    """A running Slurm, as a context manager that ends it."""

    def __init__(self, folder, cpus=2):
        self.folder = pathlib.Path(folder).resolve()
        self.cpus = cpus
        self.daemons = {}
        self.env = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"))

    def __enter__(self):
        for name in ["state", "spool", "cgroup"]:
            (self.folder / name).mkdir(parents=True)
        ports = {"ctld": free_port(), "slurmd": free_port()}
        text = CONFIGURATION.format(host=HOST, folder=self.folder, cpus=self.cpus, **ports)
        (self.folder / "slurm.conf").write_text(text)
        # slurmd requires this file even if nothing uses control groups.
        mount = self.folder / "cgroup"
        (self.folder / "cgroup.conf").write_text(f"CgroupPlugin=cgroup/v1\nCgroupMountpoint={mount}\n")
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.folder.chmod(0o755)
        names = {"key-file": "munge.key", "socket": "munge.socket", "pid-file": "munge.pid",
                 "log-file": "munge.log", "seed-file": "munge.seed"}
        files = [f"--{option}={self.folder / name}" for option, name in names.items()]
        try:
            self.start("munged", "--foreground", "--force", *files)
            self.wait("munged", lambda: (self.folder / "munge.socket").exists())
            self.start("slurmctld", "-D")
            self.start_node()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in ["slurmd", "slurmctld", "munged"]:
            daemon = self.daemons.pop(name, None)
            if daemon:
                daemon.terminate()
                try:
                    daemon.wait(20)
                except subprocess.TimeoutExpired:
                    daemon.kill()
        # Jobs outlive the daemons, and a job that is stopped would never end.
        kill(self.children())

    def start(self, name, *arguments):
        """Starts a daemon."""
        log = open(self.folder / f"{name}.out", "ab")
        self.daemons[name] = subprocess.Popen([name, *arguments], env=self.env, stdout=log, stderr=log)

    def start_node(self):
        """Starts slurmd and waits until the node takes jobs."""
        self.start("slurmd", "-D")
        ready = ("idle", "mix", "alloc", "comp")
        self.wait("the node", lambda: self.run("sinfo", "-h", "-o", "%t", check=False).startswith(ready))

    def lose_node(self, processes):
        """Simulates a reset of the node: kills its daemon, the given processes of its jobs, and each slurmstepd."""
        os.kill(self.daemons["slurmd"].pid, signal.SIGKILL)
        self.daemons.pop("slurmd").wait()
        keepers = [pid for pid in self.children() if command(pid).startswith("slurmstepd")]
        kill([*keepers, *processes])
        # The controller would do this on its own once the node had not answered for some minutes.
        self.run("scontrol", "update", f"NodeName={HOST}", "State=DOWN", "Reason=lost")

    def children(self):
        """Processes that this Slurm started, recognised by their environment."""
        mine = f"SLURM_CONF={self.folder}".encode()
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if mine in path.read_bytes():
                    found.append(int(path.parent.name))
            except OSError:
                pass  # The process has ended, or is not ours.
        return [pid for pid in found if pid != os.getpid()]

    def run(self, *words, check=True):
        """Standard output of a command that uses this Slurm."""
        done = subprocess.run(words, env=self.env, capture_output=True, text=True)
        if check and done.returncode:
            raise SystemExit(f"{' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout.strip()

    def wait(self, what, ready, seconds=60):
        """Waits until a condition holds."""
        end = time.monotonic() + seconds
        while not ready():
            for name, daemon in self.daemons.items():
                if daemon.poll() is not None:
                    text = (self.folder / f"{name}.out").read_text()
                    raise SystemExit(f"{name} ended with {daemon.returncode}\n{text[-2000:]}")
            if time.monotonic() > end:
                raise SystemExit(f"gave up waiting for {what} after {seconds} s; logs in {self.folder}")
            time.sleep(0.1)


def kill(processes):
    """Ends processes, some of which may be gone."""
    for pid in processes:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def command(pid):
    """Command line of a process."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
