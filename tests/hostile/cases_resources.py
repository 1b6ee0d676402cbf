"""cases_resources.py: R, memory, time and counts."""
import ctypes
import os
import signal
import subprocess

from ground import case, fault, litter, until

MB = 1 << 20


# ---- memory ----

@case("R01 twice the memory")
def memory(world):
    run = world.run("memory", 128, options=["--memory-mb", 64]).expect(137, "oom")
    if not run.usage("oom_events"):
        fault("no event was counted", run)
    if run.usage("memory_peak_bytes") > 64 * MB:
        fault("it had more than its limit", run)


@case("R01 half the memory")
def half(world):
    run = world.run("memory", 32, options=["--memory-mb", 64]).expect(0)
    if run.usage("oom_events") or run.usage("memory_peak_bytes") < 32 * MB:
        fault("the count is wrong", run)


def hoard(form):
    @case(f"R03 memory as {form}")
    def play(world):
        world.expected.add("work/hoard")
        run = world.run("hoard", form, 256, options=["--memory-mb", 64])
        if run["cause"] not in ("oom", "exited") or run.usage("memory_peak_bytes") > 65 * MB:
            fault("it had more than its limit", run)
        if run["cause"] == "exited":
            run.expect(0)


for one in ("tmpfs", "memfd", "shm", "pipes", "sockets", "tables", "names", "tcp", "udp"):
    hoard(one)


def hoard_uncounted(form, megabytes):
    @case(f"R03 memory as {form}, which no group counts")
    def play(world):
        run = world.run("hoard", form, megabytes, options=["--memory-mb", 64])
        if run["cause"] != "violation":
            run.expect(0)  # it was refused, where it is nothing that a bound is on
        elif run.status != 137 or not run["reason"]:
            fault("it was ended, and the record does not say why", run)


hoard_uncounted("locks", 5)
hoard_uncounted("unaccepted", 24)
hoard_uncounted("memberships", 1)
hoard_uncounted("keys", 1)


@case("R04 memory that cannot be taken back")
def locked(world):
    world.holds("locked_memory")


@case("R04 memory, filled by the kernel")
def populate(world):
    world.run("populate", 128, options=["--memory-mb", 64]).expect(137, "oom")


@case("R05 killed from outside is not out of memory")
def killed(world):
    with world.running("sleep") as child:
        until(lambda: len(world.tools()) == 1, "the tool")
        os.kill(world.tools()[0], signal.SIGKILL)
        run = world.end(child).expect(137, "signaled", signal=9)
        if run.usage("oom_events") or run["meaning"] == "OOM killed":
            fault("it was taken for out of memory", run)


# ---- time ----

@case("R06 busy on all cores")
def spin(world):
    run = world.run("spin", 4, options=["--timeout-ms", 2000, "--cpu-cores", 1]).expect(143, "timeout")
    if run.usage("cpu_ms") is not None and run.usage("cpu_ms") > run["duration_ms"] * 1.1 + 100:
        fault("it had more than one core", run)


@case("R06 the time of a program that had to be killed is counted")
def deaf_spin(world):
    run = world.run("deaf_spin", 1, options=["--timeout-ms", 1000]).expect(143, "timeout")
    if run.usage("cpu_ms") is not None and run.usage("cpu_ms") < 500:
        fault("it was busy all the time", run)


@case("R07 sleeping for ever")
def sleeps(world):
    world.expected.add("work/ready")
    world.run("sleep", options=["--timeout-ms", 1000]).expect(143, "timeout")


@case("R07 waiting for a FIFO for ever")
def fifo(world):
    os.mkfifo(world.work / "fifo")
    world.expected |= {"work/ready", "work/fifo"}
    world.run("read_fifo", "fifo", options=["--timeout-ms", 1000]).expect(143, "timeout")


@case("R07 waiting for stdin for ever")
def stdin(world):
    world.expected.add("work/ready")
    child = world.start(world.command("read_stdin", options=["--timeout-ms", 1000, "--stdin", "-"]),
                        stdin=subprocess.PIPE)
    try:
        world.end(child, 15).expect(143, "timeout")
    finally:
        child.stdin.close()


@case("R07 without --stdin there is an end of stdin")
def no_stdin(world):
    world.expected.add("work/ready")
    child = world.start(world.command("read_stdin"), stdin=subprocess.PIPE)
    run = world.end(child)
    child.stdin.close()
    run.expect(0)


@case("R08 deaf to SIGTERM at the timeout")
def deaf(world):
    world.expected.add("work/ready")
    world.run("deaf", options=["--timeout-ms", 1000]).expect(143, "timeout")


@case("R09 ending at the deadline is either in time or not")
def deadline(world):
    for microseconds in (900000, 985000, 990000, 995000, 998000, 1000000):
        run = world.run("nap", microseconds, options=["--timeout-ms", 1000])
        run.expect(*((0, "exited") if run.status == 0 else (143, "timeout")))


# ---- counts ----

def million(what):
    @case(f"R19 a million {what}")
    def play(world):
        run = world.run("million", what, options=["--memory-mb", 256])
        if run["cause"] != "oom":
            run.expect(0)


for one in ("files", "epolls", "timerfds", "eventfds", "inotifies", "pipes", "timers", "signals"):
    million(one)


@case("R19 watching leaves others something to watch with")
def watchers(world):
    libc = ctypes.CDLL(None, use_errno=True)
    world.expected.add("work/go")
    with world.running("watchers", 16, 4096) as child:
        watcher = libc.inotify_init1(0)
        (world.work / "go").touch()
        run = world.end(child).expect()
        if watcher < 0:
            fault(f"the caller got {os.strerror(ctypes.get_errno())}", run)
        os.close(watcher)


@case("R19 descriptors under way stop no other run")
def under_way(world):
    world.expected |= {"work/go"}
    with world.running("under_way") as child:
        other = world.end(world.start(world.command("exit", 3)), strays=False)
        (world.work / "go").touch()
        world.end(child).expect()
        other.expect(3)


@case("R21 no cgroup can be seen or left")
def cgroups(world):
    world.holds("cgroups")


# ---- again and again ----

@case("R22 many runs in a row leave nothing")
def again(world):
    for _ in range(3):  # somebody else may have started a writ of their own meanwhile
        before = litter()
        for _ in range(1000 if world.place.long else 50):
            world.run("exit", 3).expect(3)
        left = (litter() - before) | world.groups()
        if not left:
            return
    fault(f"left: {left}")


@case("R23 a limit does not outlive its run")
def carried(world):
    world.run("memory", 128, options=["--memory-mb", 64]).expect(137, "oom")
    run = world.run("memory", 128, options=["--memory-mb", 256]).expect(0)
    if run.usage("oom_events") or run.usage("pids_hits"):
        fault("an event of the run before", run)
    world.run("fork_bomb", "once", options=["--max-children", 2])
    run = world.run("children", 8, 8).expect(0)
    if run.usage("pids_hits"):
        fault("an event of the run before", run)
    if run.usage("memory_peak_bytes") > 64 * MB:
        fault("a peak of the run before", run)


@case("R24 many runs at once, each at its limit")
def parallel(world):
    acts = [(["memory", 128], (137, "oom")), (["exit", 9], (9, "exited")), (["memory", 32], (0, "exited")),
            (["spin", 2], (143, "timeout"))]
    count = 64 if world.place.long else 16
    children = []
    for number in range(count):
        act, wanted = acts[number % len(acts)]
        options = ["--memory-mb", 64, "--timeout-ms", 1500 if act[0] == "spin" else 30000]
        children.append((world.start(world.command(*act, options=options)), wanted))
    wrong = []
    for child, wanted in children:
        try:
            run = world.end(child, strays=False)
            run.expect(*wanted)
            if bool(run.usage("oom_events")) != (wanted[1] == "oom"):
                fault("an event of another run", run)
        except AssertionError as why:
            wrong.append(str(why))
    world.alone()
    if wrong:
        fault(f"{len(wrong)} of {count}\n{wrong[0]}")
