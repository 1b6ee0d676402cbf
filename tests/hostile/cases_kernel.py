"""cases_kernel.py: P, the acts that need nothing around them: a row each."""
import fcntl
import hashlib
import os
import platform
import pty
import select
import struct
import subprocess
import termios

import old_program
from ground import Skip, case, fault, until

ROWS = [
    ("P08 init's limits and priorities", ["change_init"]),
    ("P09 tracing and writing other processes", ["trace"]),
    ("P10 the memory and environment of other processes", ["peek"]),
    ("P13 namespaces of every kind", ["namespaces"]),
    ("P14 io_uring and its elder", ["ring"]),
    ("P15 calls that only root makes", ["privileged"]),
    ("P16 the kernel's keys", ["keys"]),
    ("P20 personalities", ["personality"]),
    ("P21 prctl and more filters", ["prctl"]),
    ("P21 filters of sockets", ["socket_filters"]),
    ("P21 many filters of system calls", ["seccomp_filters"]),
    ("P25 becoming somebody else", ["become"]),
    ("R20 raising a limit", ["raise_limits"]),
]


def row(name, act):
    @case(name)
    def play(world):
        world.holds(*act)


for one in ROWS:
    row(*one)


@case("P11 overwriting writ's own program")
def overwrite(world):
    before = hashlib.sha256(world.place.writ.read_bytes()).digest()
    world.holds("overwrite", world.place.writ)
    script = world.work / "script"
    world.expected.add("work/script")
    for interpreter in ("/proc/self/exe", "/proc/1/exe", "/proc/thread-self/exe"):
        script.write_text(f"#!{interpreter}\n")
        script.chmod(0o755)
        run = world.run(program="./script")
        if run.record.get("cause") != "exec_failed":
            fault("writ itself was started inside", run)
    if hashlib.sha256(world.place.writ.read_bytes()).digest() != before:
        fault("writ's program has changed")


@case("P12 descriptors that the caller left open")
def descriptors(world):
    fds = []
    for path in (world.secret, world.outside, "/etc/passwd", "/"):
        fds += [os.open(path, os.O_RDONLY) for _ in range(4)]
    reader, writer = os.pipe()
    try:
        world.holds("descriptors", pass_fds=(*fds, reader, writer))
        high = fcntl.fcntl(fds[0], fcntl.F_DUPFD, 900)
        fds.append(high)
        world.holds("descriptors", pass_fds=(*fds, reader, writer))
    finally:
        for fd in (*fds, reader, writer):
            os.close(fd)


# ---- programs of another architecture ----

@case("P18 the entrances of another architecture")
def compat(world):
    world.holds("compat")


@case("P18 a program of 32 bits")
def compat_program(world):
    if not old_program.made():
        raise Skip(f"no such program for {platform.machine()}")
    program = world.work / (world.mark + "c")
    program.write_bytes(old_program.made())
    program.chmod(0o755)
    world.expected.add(f"work/{program.name}")
    run = world.run(program=f"./{program.name}")
    if run["exit_code"] == 0 or run["cause"] not in ("exec_failed", "signaled"):
        fault("it ran", run)


# ---- filters of a user ----

@case("P21 filters of all runs of a user together, also when writ is killed")
def many_runs(world):
    world.expected |= {"work/ready", "work/wait"}
    (world.work / "wait").touch()
    children = []

    try:
        for number in range(12):
            children.append(world.start(world.command("seccomp_filters", 100, 1, 120, 1)))
            until(lambda: (world.work / "ready").exists() or children[-1].poll() is not None, "the act")
            (world.work / "ready").unlink()
        children[0].kill()
        children[0].wait()
        again = world.start(world.command("seccomp_filters", 100, 1, 120, 1))
        until(lambda: (world.work / "ready").exists() or again.poll() is not None, "the act after the kill")
        (world.work / "wait").unlink()
        runs = [world.end(child, strays=False) for child in [*children[1:], again]]
    finally:
        for child in children:
            if child.poll() is None:
                child.kill()
                child.wait()
    made = [int(run.expect().stream("stdout").split(b" filters")[0].split()[-1]) for run in runs]
    if made[:9] != [100] * 9 or made[9:11] != [0, 0] or made[11] != 100:
        fault(f"wanted nine runs with 100 filters, two with none, and one more with 100; found {made}")


# ---- the terminal ----

@case("P19 the caller's terminal")
def terminal(world):
    main, side = pty.openpty()

    def own():  # the terminal becomes the one that controls writ
        os.setsid()
        fcntl.ioctl(side, termios.TIOCSCTTY, 0)

    try:
        settings = termios.tcgetattr(side)
        settings[3] &= ~(termios.ICANON | termios.ECHO)
        termios.tcsetattr(side, termios.TCSANOW, settings)
        world.holds("terminal", stdin=side, preexec_fn=own)
        waiting = struct.unpack("i", fcntl.ioctl(side, termios.FIONREAD, b"\0" * 4))[0]
        if waiting:
            fault(f"{os.read(side, 100)!r} was typed into the terminal")
    finally:
        os.close(side)
        os.close(main)


@case("P19 the caller's terminal, with the output passed through")
def terminal_through(world):
    main, side = pty.openpty()

    def own():
        os.setsid()
        fcntl.ioctl(side, termios.TIOCSCTTY, 0)

    try:
        command = world.command("terminal", json=False)
        child = subprocess.Popen(command, cwd=world.work, env=world.env, stdin=side, stdout=side,
                                 stderr=side, preexec_fn=own)
        text = b""
        while child.poll() is None or select.select([main], [], [], 0)[0]:
            if select.select([main], [], [], 0.05)[0]:
                text += os.read(main, 65536)
        if child.returncode != 0:
            fault(text.decode(errors="replace"))
        if struct.unpack("i", fcntl.ioctl(side, termios.FIONREAD, b"\0" * 4))[0]:
            fault("something was typed into the terminal")
    finally:
        os.close(side)
        os.close(main)


# ---- what stays ----

@case("P26 shared memory, semaphores and queues do not stay")
def ipc(world):
    world.run("ipc_leave").expect()
    world.holds("ipc_find")


@case("P24 no core is dumped")
def core(world):
    run = world.run("core")
    run.expect(128 + 6, "signaled", signal=6)


@case("P23 more than its share of the processor")
def priorities(world):
    world.holds("priorities", 1, options=["--cpu-cores", 1])
