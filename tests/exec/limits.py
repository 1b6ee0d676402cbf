#!/usr/bin/env python3
"""limits: time, memory, cores and processes, held while a command runs.

usage: limits.py WRIT      prints TAP
"""
import fcntl
import os
import resource
import subprocess
import sys

import ground
from ground import PYTHON, TOUCH, expect, hold, printed, refused

CASES = []
case = ground.collector(CASES)

# option, member of the document, default, least, most
LIMITS = [
    ("timeout-ms", ("timeout_ms",), 30000, 1000, 600000),
    ("memory-mb", ("memory_mb",), 512, 64, 4096),
    ("cpu-cores", ("cpu_cores",), 1, 1, 4),
    ("max-children", ("processes", "max_children"), 10, 0, 100),
]


def member(at, value):
    """The value below these names."""
    for name in reversed(at):
        value = {name: value}
    return value


# ---- defaults and ranges ----

@case
def R_001_031_R_001_034_R_001_038_R_001_042_a_run_without_limits_has_the_defaults(place):
    for run in (place.exec("/usr/bin/true"), place.ask_python("pass")):
        expect(run, exit_code=0)
        for _, at, default, _, _ in LIMITS:
            hold(run.record["limits"][at[-1]] == default, run)


@case
def R_001_032_R_001_033_R_001_035_R_001_036_R_001_039_R_001_040_R_001_043_R_001_044_options_outside_are_refused(place):
    for option, _, _, least, most in LIMITS:
        for value in (least - 1, most + 1):
            run = place.writ("exec", f"--{option}={value}", "--", *TOUCH)
            said = run.err.decode()
            hold(run.status == 64 and not (place.work / "ran").exists(), run)
            hold(f"--{option}" in said and f"{value}" in said and f"allowed {least}..{most}" in said, run)


@case
def R_001_032_R_001_033_R_001_035_R_001_036_R_001_039_R_001_040_R_001_043_R_001_044_documents_outside_are_refused(place):
    for _, at, _, least, most in LIMITS:
        for value in (least - 1, most + 1):
            run = place.ask(*TOUCH, sandbox=member(at, value))
            refused(place, run, 65, "LIMIT_RANGE", at[-1], str(value), f"allowed {least}..{most}")
            hold(run.record["problems"][0]["pointer"] == "/sandbox/" + "/".join(at), run)


@case
def R_001_032_R_001_033_R_001_035_R_001_036_R_001_039_R_001_040_R_001_043_R_001_044_both_ends_run(place):
    for end in (3, 4):
        options = [f"--{limit[0]}={limit[end]}" for limit in LIMITS]
        run = place.exec("/usr/bin/true", options=options)
        expect(run, exit_code=0)
        for limit in LIMITS:
            hold(run.record["limits"][limit[1][-1]] == limit[end], run)


# ---- rights ----

@case
def R_001_161_no_right_is_left_nor_could_be_got(place):
    for options in ([], ["--class", "generic"], ["--deterministic", "fixed"]):
        run = place.exec("/bin/grep", "^Cap", "/proc/self/status", options=options)
        sets = dict(line.split() for line in run.record["stdout"]["text"].splitlines())
        hold(set(sets) >= {"CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"}, run)
        hold(set(sets.values()) == {"0" * 16}, run)


# ---- time ----

@case
def R_001_011_R_001_164_a_command_is_stopped_at_the_end_of_its_time(place):
    for run in (place.exec("/usr/bin/sleep", "50", options=["--timeout-ms=1000"]),
                place.ask("/usr/bin/sleep", "50", sandbox={"timeout_ms": 1000})):
        expect(run, exit_code=143, signal=15, cause="timeout", outcome_class="timeout")
        hold(run.status == 143 and 1000 <= run.record["duration_ms"] < 30000, run)


IGNORES = """
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: (print("asked", flush=True), time.sleep(50)))
print("ready", flush=True)
while True: time.sleep(50)
"""


@case
def R_001_011_R_001_164_who_does_not_listen_is_killed_after_the_grace_and_timed_out(place):
    run = place.python(IGNORES, options=["--timeout-ms=1000"])
    expect(run, exit_code=143, signal=9, cause="timeout", stdout__text="ready\nasked\n")
    hold(run.status == 143 and run.record["duration_ms"] < 30000, run)


@case
def R_001_011_a_command_that_ends_in_time_is_left_alone(place):
    printed(place.exec("/usr/bin/echo", "done", options=["--timeout-ms=1000"]), "done\n")


# A child in a session of its own that ignores every signal it can, and holds a lock.
STAYS = """
import fcntl, os, signal
r, w = os.pipe()
if os.fork() == 0:
    os.setsid()
    for s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)
    held = open("lock", "w")
    fcntl.flock(held, fcntl.LOCK_EX)
    os.write(w, b"x")
    signal.pause()
os.read(r, 1)
print("gone")
"""


@case
def R_001_011_R_001_164_R_001_172_children_do_not_outlive_the_command(place):
    run = place.python(STAYS)
    printed(run, "gone\n")
    with open(place.work / "lock") as held:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises where somebody has it


# ---- memory ----

@case
def R_001_012_a_command_over_its_memory_is_killed(place):
    hungry = "b = bytearray(200 << 20); print('had it')"
    for run in (place.python(hungry, options=["--memory-mb=64"]),
                place.ask_python(hungry, sandbox={"memory_mb": 64})):
        expect(run, exit_code=137, signal=9, cause="oom", stdout__text="")
        hold(run.status == 137 and run.record["usage"]["oom_events"] >= 1, run)
        hold(run.record["usage"]["memory_peak_bytes"] <= 64 << 20, run)
    printed(place.python(hungry, options=["--memory-mb=256"]), "had it\n")


# Both hold 40 MB at the same time, and answer, or one of them was killed.
TOGETHER = """
import os, signal
signal.signal(signal.SIGPIPE, signal.SIG_IGN)
def child():
    (ready, told), (heard, ask) = os.pipe(), os.pipe()
    if os.fork() == 0:
        b = bytearray(40 << 20)
        while os.write(told, b"x"):
            os.read(heard, 1)
    os.close(told)
    os.close(heard)
    return os.read(ready, 1) and (ready, ask)
def lives(one):
    try:
        return one and os.write(one[1], b"?") and os.read(one[0], 1)
    except BrokenPipeError:
        return False
both = [child(), child()]
print("together" if all([lives(one) for one in both]) else "not together")
"""


@case
def R_001_012_R_001_037_memory_counts_for_all_processes_together(place):
    run = place.python(TOGETHER, options=["--memory-mb=64"])
    hold(run.record["stdout"]["text"] in ("", "not together\n"), run)
    hold(run.record["usage"]["oom_events"] >= 1, run)
    run = place.python(TOGETHER, options=["--memory-mb=128"])
    printed(run, "together\n")
    hold(run.record["usage"]["memory_peak_bytes"] > 80 << 20, run)


@case
def R_001_012_R_001_037_files_in_memory_count_too(place):
    run = place.python("for p in ('/tmp', '/dev/shm', '/run'):\n"
                       "    open(p + '/big', 'wb').write(bytes(60 << 20))\n"
                       "print('had it')", options=["--memory-mb=64"])
    hold(run.record["exit_code"] != 0 and run.record["stdout"]["text"] == "", run)


# ---- cores ----

@case
def R_001_013_R_001_041_a_command_sees_as_many_processors_as_it_has_cores(place):
    for cores in (1, 2):
        run = place.python("import os; print(len(os.sched_getaffinity(0)))",
                           options=[f"--cpu-cores={cores}"])
        printed(run, f"{min(cores, len(os.sched_getaffinity(0)))}\n")


# Two processes that are busy for a second of wall time, on every processor they can get hold of.
BUSY = """
import os, time
try: os.sched_setaffinity(0, range(256))
except PermissionError: pass
else: raise SystemExit(9)
end = time.monotonic() + 1
pid = os.fork()
while time.monotonic() < end: pass
if pid: os.waitpid(pid, 0)
"""


@case
def R_001_013_cores_are_a_share_of_time_that_a_command_cannot_widen(place):
    for cores in (1, 2):
        run = place.python(BUSY, options=[f"--cpu-cores={cores}"])
        expect(run, exit_code=0)
        hold(0 < run.record["usage"]["cpu_ms"] <= 1.1 * cores * run.record["duration_ms"], run)


def share(group):
    """How many cores a group may keep busy; None where it is not the one that says so."""
    if (group / "cpu.max").exists():
        quota, period = (group / "cpu.max").read_text().split()
        return None if quota == "max" else float(quota) / float(period)
    if (group / "cpu.cfs_quota_us").exists():
        return float((group / "cpu.cfs_quota_us").read_text()) / float((group / "cpu.cfs_period_us").read_text())
    return None


@case
def R_001_013_R_001_161_R_001_165_the_kernel_knows_the_share_while_it_runs(place):
    os.mkfifo(place.work / "fifo")
    for cores in (1, 2, 4):
        child = place.start(f"--cpu-cores={cores}", "--", PYTHON, "-c", "open('fifo', 'w'); open('fifo').read()")
        with open(place.work / "fifo"):  # it runs
            shares = [share(group) for group in ground.groups(child.pid)]
        with open(place.work / "fifo", "w"):
            pass
        if child.wait(60) != 0 or [each for each in shares if each] != [cores]:
            raise AssertionError(f"{cores} cores: {shares}")


# ---- processes ----

# Starts children that stay, until one is refused or there are enough; then one ends and one starts.
STARTS = """
import errno, os, signal, sys
children = []
def start():
    try: pid = os.fork()
    except OSError as e: return errno.errorcode[e.errno]
    if pid == 0: signal.pause()
    children.append(pid)
while len(children) < int(sys.argv[1]):
    why = start()
    if why: break
print(len(children), why)
if children and why:
    os.kill(children[0], 9)
    os.waitpid(children.pop(0), 0)
    print(start(), start())
"""


@case
def R_001_020_as_many_children_as_allowed_run_and_no_more(place):
    for most in (1, 3, 10, 25):
        run = place.python(STARTS, 50, options=[f"--max-children={most}"])
        printed(run, f"{most} EAGAIN\nNone EAGAIN\n")
        expect(run, usage__pids_hits=2)
    run = place.ask_python(STARTS, "50", sandbox={"processes": {"max_children": 2}})
    printed(run, "2 EAGAIN\nNone EAGAIN\n")


@case
def R_001_020_the_default_of_children_is_held(place):
    printed(place.python(STARTS, 10), "10 None\n")
    printed(place.python(STARTS, 11), "10 EAGAIN\nNone EAGAIN\n")


@case
def R_001_020_children_of_children_count(place):
    run = place.python("import os, signal\n"
                       "depth = 0\n"
                       "try:\n"
                       "    while True:\n"
                       "        r, w = os.pipe()\n"
                       "        if os.fork():\n"
                       "            os.close(w)\n"
                       "            if os.read(r, 1): signal.pause()\n"
                       "            os._exit(0)\n"
                       "        depth += 1\n"
                       "except BlockingIOError:\n"
                       "    print(depth, flush=True)\n", options=["--max-children=4"])
    expect(run, stdout__text="4\n", usage__pids_hits=1)


@case
def R_001_020_R_001_043_no_child_at_all_means_none(place):
    for run in (place.python(STARTS, 1, options=["--max-children=0"]),
                place.ask_python(STARTS, "1", sandbox={"processes": {"max_children": 0}})):
        expect(run, exit_code=0, limits__max_children=0)
        hold(run.record["stdout"]["text"] in ("0 EPERM\n", "0 EAGAIN\n"), run)


# Threads are no processes.
THREADS = """
import threading
go = threading.Barrier(101)
all = [threading.Thread(target=go.wait) for _ in range(100)]
for t in all: t.start()
go.wait()
for t in all: t.join()
print("all")
"""


# Starts threads until it is refused one; each with a small stack.
MANY = """
import threading
threading.stack_size(1 << 18)
end, n = threading.Event(), 0
try:
    for n in range(600):
        threading.Thread(target=end.wait).start()
except RuntimeError:
    pass
end.set()
print("refused" if n < 599 else "all")
"""


@case
def threads_that_are_refused_are_no_children_that_are(place):
    run = place.python(MANY, options=["--max-children=100"])
    printed(run, "refused\n")
    expect(run, usage__pids_hits=0, usage__thread_hits=1)
    run = place.writ("exec", "--", ground.PYTHON, "-c", MANY)
    hold(b"1 time a thread was refused: a command has 512 threads at most" in run.err, run)
    hold(b"max_children" not in run.err, run)


@case
def R_001_020_R_001_021_threads_are_not_children(place):
    for option in ("--max-children=10", "--max-children=0", "--no-fork"):
        printed(place.python(THREADS, options=[option]), "all\n")


@case
def R_001_021_without_fork_there_is_no_child_whatever_their_number(place):
    for run in (place.python(STARTS, 1, options=["--no-fork", "--max-children=10"]),
                place.ask_python(STARTS, "1", sandbox={"processes": {"allow_fork": False,
                                                                     "max_children": 10}})):
        printed(run, "0 EPERM\n")
        expect(run, limits__allow_fork=False)


@case
def R_001_021_without_fork_every_way_to_a_process_is_closed(place):
    run = place.python("import ctypes, os, subprocess\n"
                       "libc = ctypes.CDLL(None, use_errno=True)\n"
                       "def spawn(): os.posix_spawn('/usr/bin/touch', ['touch', 'ran'], {})\n"
                       "def popen(): subprocess.run(['/usr/bin/touch', 'ran'])\n"
                       "def system():\n"
                       "    if os.system('/usr/bin/touch ran') == -1 or True: raise OSError\n"
                       "def vfork():\n"
                       "    if libc.syscall(220 if os.uname().machine == 'aarch64' else 58,\n"
                       "                    0x4111, 0, 0, 0, 0) == -1: raise OSError\n"
                       "    os._exit(0)\n"
                       "for way in (spawn, popen, system, vfork):\n"
                       "    try: way()\n"
                       "    except OSError: print('no')\n", options=["--no-fork"])
    expect(run, exit_code=0, stdout__text="no\n" * 4)
    hold(not (place.work / "ran").exists(), run)


@case
def R_001_021_without_fork_a_command_may_become_another(place):
    printed(place.python("import os; os.execv('/usr/bin/echo', ['echo', 'other'])",
                         options=["--no-fork"]), "other\n")


# ---- all of them ----

@case
def R_001_161_limits_stand_before_the_first_instruction(place):
    run = place.exec("/bin/sh", "-c", "nproc; ulimit -c; ulimit -n",
                     options=["--cpu-cores=1", "--max-children=1"])
    printed(run, "1\n0\n1024\n")
    expect(run, assurance="full", missing=[])
    hold("cgroup" in run.record["layers"] and "seccomp" in run.record["layers"], run)


@case
def R_001_165_what_a_run_used_is_measured(place):
    run = place.python("b = bytearray(100 << 20)\nwhile __import__('time').process_time() < 0.2: pass")
    expect(run, exit_code=0, usage__oom_events=0, usage__pids_hits=0)
    hold(run.record["usage"]["cpu_ms"] >= 200, run)
    hold(100 << 20 <= run.record["usage"]["memory_peak_bytes"] <= 512 << 20, run)


@case
def R_001_165_the_time_of_who_was_not_waited_for_is_measured(place):
    for beyond in ("", "trap '' CHLD; "):  # nobody is ever waited for
        run = place.exec("/bin/sh", "-c", beyond + "(while :; do :; done) & sleep 2")
        expect(run, exit_code=0)
        hold(run.record["usage"]["cpu_ms"] is None or run.record["usage"]["cpu_ms"] >= 300, run)
        hold(os.geteuid() != 0 or run.record["usage"]["cpu_ms"] is not None, run)


@case
def R_001_165_processes_that_may_not_be_are_counted(place):
    for option in ("--no-fork", "--max-children=0"):
        run = place.exec("/usr/bin/python3", "-c",
                         "import os\nfor i in range(3):\n    try: os.fork()\n    except PermissionError: print(i)",
                         options=[option])
        printed(run, "0\n1\n2\n")
        expect(run, exit_code=0, usage__pids_hits=3)


# ---- descriptors ----

def modules(place, count):
    """A repository of many: in each of them names must not come into being."""
    for i in range(count):
        subprocess.run(["git", "init", "-q", "--bare", place.repo / f".git/modules/{i}"], check=True,
                       env=ground.tap.ENV | {"HOME": str(place.home)})


@case
def R_001_015_a_repository_of_many_has_the_descriptors_that_it_needs(place):
    modules(place, 60)
    own = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = min(1024, own[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(256, own[0]), own[1]))
    try:
        printed(place.exec("sh", "-c", "ulimit -Sn", options=[f"--cwd={place.repo}"]), f"{enough}\n")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, own)


if __name__ == "__main__":
    sys.exit(ground.main(CASES))
