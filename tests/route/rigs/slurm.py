#!/usr/bin/env python3
"""slurm: a Slurm of our own, two nodes on this machine: munged, slurmctld and two slurmd.

usage: slurm.py     tries it; prints TAP

It needs root, and Debian's slurm-wlm and munge. Everything of it is in one directory, by which
its processes are found again: each has it in its environment. It listens on the address that this
machine's name has, and no other: Slurm's daemons can be told no more than that.
"""
import contextlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parents[2] / "faces")]
import processes  # noqa: E402
from processes import Daemon, Missing, free_ports, holders, kill, name_of, program, until  # noqa: E402

NODES = ("n1", "n2")
CPUS = 4  # as many tasks as this go to a node at once; that it has as many cores is not asked
CONF = """\
ClusterName=writ
SlurmctldHost={host}({address})
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={home}/run/munge.sock
CredType=cred/munge
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/spool-%n
SlurmctldPidFile={home}/run/slurmctld.pid
SlurmdPidFile={home}/run/slurmd-%n.pid
SlurmctldLogFile={home}/log/slurmctld.log
SlurmdLogFile={home}/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
KillWait=3
MessageTimeout=10
PropagateResourceLimits=NONE
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
{nodes}PartitionName=all Nodes={names} Default=YES MaxTime=INFINITE State=UP
"""
NODE = "NodeName={name} NodeHostname={host} NodeAddr={address} Port={port} CPUs={cpus} RealMemory=8000\n"


class Slurm:
    """.env has SLURM_CONF; allocate() gives the words for srun that put a step into an allocation."""

    def __init__(self):
        if os.getuid() != 0:
            raise Missing("Slurm's daemons are started by root only")
        self.programs = {name: program(name) for name in
                         ("munged", "slurmctld", "slurmd", "sinfo", "srun", "salloc", "scancel", "squeue")}
        self.host, self.daemons, self.jobs = socket.gethostname().split(".")[0], [], []
        try:
            self.address = socket.gethostbyname(self.host)
        except OSError:
            raise Missing(f"{self.host}, the name of this machine, has no address") from None
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="writ-slurm-"))
        self.home.chmod(0o755)

    @property
    def env(self):
        return {"SLURM_CONF": str(self.home / "slurm.conf")}

    def make(self):
        for name in ("run", "log", "state", *(f"spool-{node}" for node in NODES)):
            (self.home / name).mkdir(mode=0o755)
        key = self.home / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(1024))
        first, *ports = free_ports(1 + len(NODES))
        nodes = "".join(NODE.format(name=name, host=self.host, address=self.address, port=port, cpus=CPUS)
                        for name, port in zip(NODES, ports))
        (self.home / "slurm.conf").write_text(CONF.format(
            home=self.home, host=self.host, address=self.address, port=first, nodes=nodes,
            names=",".join(NODES)))
        run = self.home / "run"
        self.daemon("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={run}/munge.sock",
                    f"--pid-file={run}/munged.pid", f"--log-file={self.home}/log/munged.log",
                    f"--seed-file={run}/munged.seed", "--num-threads=2")
        until((run / "munge.sock").exists, "munged's socket")
        self.daemon("slurmctld", "-D", "-c", "-i", "-f", self.home / "slurm.conf")
        for node in NODES:
            self.daemon("slurmd", "-D", "-N", node, "-f", self.home / "slurm.conf")
        until(self.idle, "both nodes are idle", pause=0.1)

    def daemon(self, name, *words):
        self.daemons.append(Daemon(self.programs[name], *words, env=self.env))

    def idle(self):
        """Are both nodes ready for work? A daemon that has ended is told with what it said."""
        for one in self.daemons:
            if one.process.poll() is not None:
                raise RuntimeError(f"{one.process.args[3]} ended with {one.process.returncode}:\n{one.last()}\n"
                                   + self.logs())
        said = self.run("sinfo", "-h", "-N", "-o", "%N %t")
        return said.returncode == 0 and sorted(said.stdout.split("\n")[:-1]) == [f"{n} idle" for n in NODES]

    def logs(self):
        return "".join(path.read_text(errors="replace")[-1500:] for path in (self.home / "log").iterdir())

    def run(self, name, *words, **more):
        """One of Slurm's own programs; each may hang where a daemon is dead, so it has its time."""
        given = {"capture_output": True, "text": True, "stdin": subprocess.DEVNULL,
                 "timeout": processes.SECONDS, "env": processes.ENV | self.env} | more
        return subprocess.run([self.programs[name], *map(str, words)], **given)

    def allocate(self, *words):
        """An allocation that stays; its id."""
        said = self.run("salloc", "--no-shell", *(words or ("-N1", "-n1", "--overcommit")))
        found = re.search(r"Granted job allocation (\d+)", said.stderr)
        if not found:
            raise RuntimeError(f"salloc: {said.stderr}{self.logs()}")
        self.jobs.append(found[1])
        return found[1]

    @staticmethod
    def within(job):
        """The options of srun that put a step into an allocation, beside what is there already."""
        return [f"--jobid={job}", "--overlap", "-n1"]

    def steps(self):
        """The processes that serve a step."""
        return [pid for pid in holders(str(self.home), "environ", "cmdline") if name_of(pid) == "slurmstepd"]

    def stop(self):
        """Whoever has our directory in his environment is ours."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self.daemons and self.daemons[-1].process.poll() is None:
                self.run("scancel", "--signal=KILL", "--full", *self.jobs) if self.jobs else None
                self.run("scancel", "-u", "root")
        for one in reversed(self.daemons):
            one.end()
        kill(*holders(f"SLURM_CONF={self.home}/", "environ"))
        shutil.rmtree(self.home, ignore_errors=True)


@contextlib.contextmanager
def slurm():
    """A cluster whose nodes are idle. Missing where there is none to be had."""
    it = Slurm()
    try:
        it.make()
        yield it
    finally:
        it.stop()


# ---- tried alone ----

def same(found, expected):
    if found != expected:
        raise AssertionError(f"found {found!r}, expected {expected!r}")


def it_listens_on_one_address_only(cluster):
    """Every socket that its daemons listen on."""
    mine = set()
    for daemon in cluster.daemons:
        for fd in os.listdir(f"/proc/{daemon.pid}/fd"):
            with contextlib.suppress(OSError):
                mine.add(os.readlink(f"/proc/{daemon.pid}/fd/{fd}"))
    found = [row.split() for kind in ("tcp", "tcp6") for row in
             pathlib.Path(f"/proc/net/{kind}").read_text().splitlines()[1:]]
    open_to = {row[1].split(":")[0] for row in found if row[3] == "0A" and f"socket:[{row[9]}]" in mine}
    same(open_to, {socket.inet_aton(cluster.address)[::-1 if sys.byteorder == "little" else 1].hex().upper()})


def a_step_of_its_own_runs_and_its_exit_code_comes_back(cluster):
    done = cluster.run("srun", "-n1", "sh", "-c", "echo $SLURMD_NODENAME; exit 7")
    same(done.returncode, 7)
    same(done.stdout.strip() in NODES, True)


def steps_go_into_an_allocation_beside_each_other(cluster):
    job = cluster.allocate()
    first = subprocess.Popen([cluster.programs["srun"], *cluster.within(job), "cat"], text=True,
                             env=processes.ENV | cluster.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    first.stdin.write("held\n")
    first.stdin.flush()
    same(first.stdout.readline(), "held\n")
    done = cluster.run("srun", *cluster.within(job), "sh", "-c", "echo $SLURM_JOB_ID")
    same((done.returncode, done.stdout), (0, f"{job}\n"))
    same(len(cluster.steps()) >= 1, True)
    first.communicate(timeout=processes.SECONDS)
    same(first.returncode, 0)


def a_step_can_be_killed_by_its_daemon(cluster):
    job = cluster.allocate()
    first = subprocess.Popen([cluster.programs["srun"], *cluster.within(job), "sh", "-c", "echo up; exec sleep 600"],
                             env=processes.ENV | cluster.env, stdin=subprocess.DEVNULL, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    same(first.stdout.readline(), "up\n")
    cluster.run("scancel", "--signal=KILL", f"{job}.0")
    same(first.wait(processes.SECONDS) != 0, True)
    first.stdout.close()


CASES = (it_listens_on_one_address_only, a_step_of_its_own_runs_and_its_exit_code_comes_back,
         steps_go_into_an_allocation_beside_each_other, a_step_can_be_killed_by_its_daemon)


def main():
    import tap
    it = tap.Tap()
    try:
        with slurm() as cluster:
            for function in CASES:
                fault = ""
                try:
                    function(cluster)
                except Exception as wrong:
                    fault = f"{type(wrong).__name__}: {wrong}"
                it.case(function.__name__, fault)
            home = cluster.home
        left = holders(str(home))
        it.case("nothing_is_left_of_it", f"{left}" if left or home.exists() else "")
    except Missing as why:
        print(f"1..0 # SKIP {why}")
        return 0
    return it.finish()


if __name__ == "__main__":
    sys.exit(main())
