"""cases_process.py: P, starting, outliving and dying."""
import contextlib
import os
import random
import resource
import signal
import subprocess
import threading
import time

from ground import case, fault, processes, until

STOPS = {signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
PASSES = {signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}  # do nothing by default


# ---- how many ----

@case("P01 a fork bomb")
def fork_bomb(world):
    run = world.run("fork_bomb", options=["--timeout-ms", 2000])
    run.expect(143, "timeout")
    if not run.usage("pids_hits"):
        fault("no refused process was counted", run)


@case("P02 no process at all, by --no-fork")
def no_fork(world):
    world.holds("no_fork", options=["--no-fork"])


@case("P02 no process at all, by --max-children 0")
def no_children(world):
    world.holds("no_fork", options=["--max-children", 0])


@case("P02 --no-fork wins over --max-children")
def no_fork_wins(world):
    world.holds("no_fork", options=["--no-fork", "--max-children", 10])


@case("P02 exactly so many children at once")
def children(world):
    for allowed in (1, 3, 10, 100):
        world.holds("children", allowed + 5, allowed, options=["--max-children", allowed])
        world.holds("children", allowed, allowed, options=["--max-children", allowed])


@case("P02 children that have ended do not count")
def one_by_one(world):
    world.holds("one_by_one", 50, options=["--max-children", 2])


@case("P03 ten thousand threads")
def threads(world):
    world.holds("threads", 10000)


def most_alive(world, child):
    """The most processes that a run had at once, seen from outside as often as can be."""
    most = 0
    while child.poll() is None:
        most = max(most, len(world.tools()))
    return most


@case("P03 room for a thread is no room for a process")
def thread_room(world):
    child = world.start(world.command("thread_room", 10, 0, 0, options=["--max-children", 10]))
    world.expected.add("work/ready")
    most = most_alive(world, child)
    run = world.end(child).expect()
    if most > 11:
        fault(f"{most} processes were there at once", run)


def storms(world, *how):
    """One process may slip into the room of a thread for a moment; the second time that ends the run."""
    world.expected.add("work/ready")
    child = world.start(world.command("thread_room", 10, 3, *how, options=["--max-children", 10]))
    most = most_alive(world, child)
    run = world.end(child)
    if run["cause"] != "violation":
        run.expect()
    if most > 12:
        fault(f"{most} processes were there at once", run)


@case("P03 processes beside a storm of threads")
def thread_storm(world):
    storms(world, 3, 0)


@case("P03 processes beside threads that the kernel refuses")
def thread_refusals(world):
    storms(world, 1, 2)


# ---- outliving ----

@case("P04 a daemon, deaf to signals")
def daemon(world):
    world.expected.add("work/daemon")
    for _ in range(10):
        world.run("daemon").expect()


@case("P05 kill -9 of writ takes the whole tree along")
def kill_writ(world):
    with world.running("family", 5, options=["--max-children", 20]) as child:
        until(lambda: len(world.tools()) == 6, "the family")
        child.kill()
        child.wait()
        world.gone()
    world.run("exit", 0).expect()


@case("P05 kill -9 of every process of writ but the sandbox's first")
def kill_keepers(world):
    with world.running("family", 5, options=["--max-children", 20]) as child:
        for pid, (_, comm, _) in processes(world.mark).items():
            status = contextlib.suppress(OSError, IndexError)
            with status:
                spaces = [line for line in open(f"/proc/{pid}/status") if line.startswith("NSpid")]
                if comm != world.mark[:15] and len(spaces[0].split()) == 2:
                    os.kill(pid, signal.SIGKILL)
        child.wait()
        world.gone()
    world.run("exit", 0).expect()


@case("P05 kill -9 of the sandbox's first process")
def kill_init(world):
    with world.running("family", 5, options=["--max-children", 20]) as child:
        for pid in processes(world.mark):
            with contextlib.suppress(OSError):
                line = [line for line in open(f"/proc/{pid}/status") if line.startswith("NSpid")][0]
                if line.split()[2:] == ["1"]:
                    os.kill(pid, signal.SIGKILL)
        run = world.end(child)
        if run.status == 0 or run.record.get("cause") == "exited":
            fault("it looks as if the command had ended by itself", run)


@case("P05 a polite end: SIGTERM and SIGINT cancel")
def cancel(world):
    for number in (signal.SIGTERM, signal.SIGINT):
        with world.running("sleep") as child:
            child.send_signal(number)
            run = world.end(child)
            if run.record.get("cause") != "cancelled" or run.status == 0:
                fault(f"wanted it to be cancelled by signal {number}", run)
        (world.work / "ready").unlink()


@case("P05 kill -9 of writ at random moments")
def kill_anywhen(world):
    chance = random.Random(world.mark)
    world.expected.add("work/ready")
    for _ in range(200 if world.place.long else 20):
        child = world.start(world.command("family", 3))
        time.sleep(chance.uniform(0, 0.03))  # the moment is the point: nothing is awaited
        child.kill()
        child.wait()
        world.gone()
    world.run("exit", 0).expect()


@case("P06 the thread that started writ ends")
def thread_ends(world):
    started = []

    def start():
        started.append(world.start(world.command("flood", 1, 10)))

    world.expected |= {"work/ready", "work/go"}
    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    until(lambda: (world.work / "ready").exists() or started[0].poll() is not None, "the act")
    (world.work / "go").touch()
    world.end(started[0]).expect()


# ---- the caller ----

@case("P07 a caller that ignores SIGCHLD")
def ignored_child(world):
    world.run("exit", 7, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)).expect(7)


@case("P07 a caller that ignores or blocks everything")
def blocked(world):
    def deaf():
        for number in range(1, 65):
            with contextlib.suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, range(1, 65))

    world.holds("fresh", preexec_fn=deaf)
    world.run("exit", 7, preexec_fn=deaf).expect(7)
    world.run("sleep", options=["--timeout-ms", 1000], preexec_fn=deaf).expect(143, "timeout")
    world.expected.add("work/ready")


@case("P07 a program starts with nothing blocked, ignored or open")
def fresh(world):
    world.holds("fresh")


@case("P07 children that writ does not know")
def strangers(world):
    run = world.end(world.start(["sh", "-c", 'sleep 30 >/dev/null 2>&1 & echo $! > "$0"; sleep 0 & exec "$@"',
                                 str(world.home / "stranger"), *world.command("exit", 7)]))
    run.expect(7)
    pid = int((world.home / "stranger").read_text())
    if not os.path.exists(f"/proc/{pid}"):
        fault("a child that was not writ's was killed")
    os.kill(pid, signal.SIGKILL)


@case("P08 signals to init, to all, and to the outside")
def signals(world):
    witness = subprocess.Popen(["sleep", "60"])
    try:
        world.holds("signals", os.getpid(), witness.pid)
        if witness.poll() is not None:
            fault("a process outside was killed")
    finally:
        witness.kill()
        witness.wait()


# ---- ending ----

@case("P27 a parent that waits in vfork for ever")
def vfork_hang(world):
    world.expected.add("work/ready")
    world.run("vfork_hang", options=["--timeout-ms", 1000]).expect(143, "timeout")


def script(world, name, text, mode=0o755):
    path = world.work / name
    path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
    path.chmod(mode)
    world.expected.add(f"work/{name}")
    return f"./{name}"


def cannot_start(world, command, *codes, **how):
    run = world.run(program=command, **how)
    if run.status not in codes or run.record.get("cause") != "exec_failed" or run.record.get("exit_code") != run.status:
        fault(f"wanted {codes}, exec_failed", run)


@case("P29 a script whose interpreters never end")
def shebangs(world):
    for number in range(40):
        script(world, f"s{number}", f"#!{world.work}/s{number + 1}\n")
    cannot_start(world, "./s0", 126, 127)
    script(world, "loop", f"#!{world.work}/loop\n")
    cannot_start(world, "./loop", 126, 127)


@case("P29 more arguments than the kernel takes")
def arguments(world):
    def room():
        resource.setrlimit(resource.RLIMIT_STACK, (64 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))

    run = world.run("exit", 0, *(["x" * 120000] * 40), preexec_fn=room)
    if run.status != 0 and (run.status != 126 or run.record.get("cause") != "exec_failed"):
        run.refused(64, 65, 77)


@case("P30 what cannot be started")
def not_started(world):
    cannot_start(world, "no-such-program-anywhere", 127)
    cannot_start(world, "./no-such-file", 127)
    cannot_start(world, script(world, "plain", "x\n", 0o644), 126)
    cannot_start(world, "./deny", 126)
    cannot_start(world, script(world, "dangling", "#!/no/such/interpreter\n"), 126, 127)
    cannot_start(world, script(world, "empty", b"\0\0\0\0"), 126)
    other = bytearray(world.act.read_bytes())
    other[18:20] = (8).to_bytes(2, "little")  # MIPS
    cannot_start(world, script(world, "foreign", bytes(other)), 126)
    cannot_start(world, script(world, "short", world.act.read_bytes()[:60]), 126)


@case("P31 exit codes that mean something else")
def exit_codes(world):
    for code in (0, 1, 2, 77, 125, 126, 127, 128, 137, 143, 255):
        run = world.run("exit", code).expect(code, "exited", signal=None)
        if run.usage("oom_events") or run["meaning"] in ("OOM killed", "SIGTERM (timeout)"):
            fault("it was taken for something else", run)


@case("P32 dying by each of 64 signals")
def die(world):
    for number in range(1, 65):
        if number in STOPS:
            continue
        run = world.run("die", number)
        if number in PASSES:
            run.expect(0)
        else:
            run.expect(128 + number, "signaled", signal=number)
            if run.usage("oom_events"):
                fault("no memory was missing", run)


@case("P32 stopping itself ends at the timeout")
def stopped(world):
    world.run("die", int(signal.SIGSTOP), options=["--timeout-ms", 1000]).expect(143, "timeout")
