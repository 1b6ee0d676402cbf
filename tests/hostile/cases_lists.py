"""cases_lists.py: runs without namespaces, held by Landlock, seccomp and a cgroup alone.

Played with --process: user namespaces are really gone, and each run says --allow-weak user. Of the
cases of the other files those are played that promise the same here: a few every day (DAILY), all
in the long form (PLAYED).
"""
import contextlib
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from ground import OWNER, Skip, case, fault, processes, until

PLAYED = ("lists", "P01", "P02", "P03", "P04", "P05 kill -9 of writ", "P05 a polite", "P06",
          "P07 a caller that ignores SIGCHLD", "P07 children", "P08 signals", "P09", "P10", "P11", "P12", "P13", "P14",
          "P15", "P16", "P18", "P19", "P20", "P21", "P24", "P26", "P27", "P29", "P30", "P31", "P32",
          "R01", "R05", "R06", "R07", "R08", "R11", "R12", "R13", "R14", "R20", "R21", "R22", "R23",
          "N01", "N02", "N03", "N04", "N05", "N17")
DAILY = ("lists", "P02", "P04", "P05 kill -9 of writ", "P08 signals", "P09", "P12", "P13", "R01", "R08",
         "N01", "N03", "N05")
LIBC = ctypes.CDLL(None, use_errno=True)
IPC_CREAT, IPC_RMID = 0o1000, 0


def uid(world):
    return os.geteuid() or OWNER


def demote(world):
    """Somebody of the same user as the command, outside."""
    return {} if os.geteuid() else {"user": OWNER, "group": OWNER, "extra_groups": []}


def state(world):
    return pathlib.Path(world.user_home, ".local/state/writ/scratch")


def scratches(world):
    """Directories of runs that are still there."""
    return {path for place in (state(world), pathlib.Path("/var/tmp"), pathlib.Path("/tmp"))
            if place.is_dir() for path in place.iterdir()
            if path.name.startswith("writ-") and world.started & set(path.name.split("-"))}


def nothing_left(world):
    if scratches(world):
        fault(f"left: {scratches(world)}")


# ---- what works ----

@case("lists: the record says what holds it and what does not")
def record(world):
    world.expected.add("work/ran")
    run = world.run("touch", "ran").expect(
        0, assurance="weak", isolation="process", missing=["mount", "net", "pid", "user"],
        layers=["cgroup", "landlock", "seccomp"])
    for gap in ("end", "hostname", "metadata", "processes", "scratch"):
        if gap not in run["not_held"]:
            fault(f"{gap} is not told", run)
    if not run["landlock_abi"] >= 6:
        fault("the version of Landlock is missing", run)
    nothing_left(world)


@case("lists: where namespaces can be had they are used, whatever is spared")
def not_needed(world):
    world.expected.add("work/ran")
    command = world.command("touch", "ran")[3:]
    if os.geteuid() == 0:
        os.chown(world.home, 0, 0)
    world.end(world.start(command)).expect(0, assurance="full", isolation="namespaces", missing=[])


@case("lists: sh, python3, find and pipes work")
def ordinary(world):
    world.expected |= {"work/out", "work/sorted"}
    script = ("mkdir out && for i in 3 1 2; do echo $i; done | sort > sorted && cat sorted && chmod +x sorted && "
              "cp -a sorted out/ && mv out/sorted out/moved && touch -d @1000000000 out/moved && "
              "find out -type f && test $(stat -c %Y out/moved) = 1000000000 && test -x out/moved && "
              "echo $TMPDIR > $TMPDIR/x && cat $TMPDIR/x >/dev/null && cd && pwd >/dev/null && ls -la >/dev/null")
    run = world.run("-c", script, program="/bin/sh").expect()
    if run.stream("stdout") != b"1\n2\n3\nout/moved\n":
        fault("wanted other output", run)
    run = world.run("-c", "import tempfile, subprocess, shutil, threading; "
                    "t = threading.Thread(target=print, args=('thread',)); t.start(); t.join(); "
                    "f = tempfile.NamedTemporaryFile(); shutil.copy(__import__('sys').executable, f.name + 'x'); "
                    "print(subprocess.run(['echo', 'child'], capture_output=True).stdout)",
                    program="/usr/bin/python3").expect()
    if b"thread" not in run.stream("stdout") or b"child" not in run.stream("stdout"):
        fault("wanted a thread and a child", run)
    nothing_left(world)


@case("lists: make builds into --write out, and what it built runs")
def build(world):
    if not shutil.which("make") or not shutil.which("cc"):
        raise Skip("no make, or no compiler")
    (world.repo / "out").mkdir()
    if os.geteuid() == 0:
        os.chown(world.repo / "out", OWNER, OWNER)
    world.expected.add("out")
    (world.repo / "x.c").write_text("int main(void) { return 7; }\n")
    (world.repo / "Makefile").write_text("out/x: x.c\n\tcc -o $@ x.c\n\tout/x; test $$? = 7\n")
    world.expected |= {"x.c", "Makefile"}
    options = ["--fs", "minimal", "--write", world.repo / "out", "--cwd", world.repo, "--memory-mb", 1024]
    world.run(options=options, program="/usr/bin/make").expect()
    if not os.access(world.repo / "out/x", os.X_OK):
        fault("it did not build")


@case("lists: rg searches")
def search(world):
    if not shutil.which("rg", path="/usr/bin:/bin"):
        raise Skip("no rg")
    run = world.run("-n", "may be", "..", program="rg").expect()
    if b"may be read" not in run.stream("stdout"):
        fault("it found nothing", run)


@case("lists: where clone3 is forbidden, as in containers")
def no_clone3(world):
    world.expected.add("work/ran")
    command = world.command("touch", "ran")
    world.end(world.start([command[0], "user-filter", *command[2:]])).expect(0, isolation="process")


# ---- what is refused ----

def refuses(name, says, options, cwd=None, prepare=None, way=()):
    @case(f"lists: refused: {name}")
    def refuse(world):
        world.expected |= {"work/ran", "work/sub"}
        (world.work / "sub").mkdir()
        if os.geteuid() == 0:
            os.chown(world.work / "sub", OWNER, OWNER)
        if prepare:
            prepare(world)
        where = cwd(world) if cwd else world.work
        command = world.command("touch", "ran", options=[o.format(w=world) for o in options])
        run = world.end(world.start([*(str(world.place.without) if w == "WITHOUT" else w for w in way), *command],
                                    cwd=where))
        if run.status == 98:
            fault("the layer could not be taken away", run)
        for text in says:
            run.refused(125, says=text.format(w=world))
        if (where / "ran").exists():
            fault("it ran", run)
        nothing_left(world)


def make_sub(world):
    (world.outside / "sub").mkdir()
    os.chown(world.outside / "sub", uid(world), uid(world))


MEND = "--fs minimal --write out"
refuses("a denied directory in what is written", ("{w.work}/deny is denied", MEND), ["--deny", "deny"])
refuses("a denied file in what is read", ("{w.work}/deny-file is denied", MEND),
        ["--fs", "minimal", "--deny", "deny-file"])
refuses("a denied name that is not there", ("{w.work}/nothing is denied", MEND), ["--deny", "nothing"])
refuses("something to be read in what is written", ("{w.work}/sub is only to be read", MEND), ["--read", "sub"])
refuses("protected names in what is written", ("/.git", MEND), [], cwd=lambda world: world.repo)
refuses("the working directory in what is written", ("{w.outside}/sub has to stay", MEND),
        ["--write", "{w.outside}"], cwd=lambda world: world.outside / "sub", prepare=make_sub)
refuses("a network", ("LAYER_MISSING:net", "offline"), ["--net", "open", "--approve", "a test"])
refuses("write mode cow", ("LAYER_MISSING:mount", "cow"), ["--write-mode", "cow"])
refuses("deterministic fixed", ("LAYER_MISSING:",), ["--deterministic", "fixed"])
refuses("no Landlock", ("LAYER_MISSING:landlock", "ABI 6"), ["--allow-weak", "landlock"],
        way=("WITHOUT", "landlock", "--"))
refuses("no filter", ("LAYER_MISSING:seccomp",), ["--allow-weak", "seccomp"], way=("WITHOUT", "seccomp", "--"))
refuses("no cgroup, which is not spared", ("LAYER_MISSING:cgroup",), [], way=("WITHOUT", "cgroup", "--"))


@case("lists: root's own directory is refused, and nothing ever is root")
def never_root(world):
    if os.geteuid():
        raise Skip("for root")
    world.holds("is_user", OWNER)
    subprocess.run(["chown", "-R", "0:0", str(world.home)], check=True)
    run = world.run("touch", "ran").refused(125, says="LAYER_MISSING:user")
    if b"chown" not in run.out + run.err or (world.work / "ran").exists():
        fault("no mend, or it ran", run)


@case("lists: who it is")
def who(world):
    world.holds("is_user", uid(world))


@case("lists: P07 it begins with nothing blocked, ignored or open, whatever its caller has")
def fresh(world):
    def deafen():
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        for number in (signal.SIGPIPE, signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            signal.signal(number, signal.SIG_IGN)

    world.holds("fresh_calls")
    world.holds("fresh_calls", preexec_fn=deafen)


@case("lists: a state directory behind a link")
def linked_state(world):
    (world.home / "real").mkdir()
    (world.home / "link").symlink_to("real")
    if os.geteuid() == 0:
        os.chown(world.home / "real", OWNER, OWNER)
    env = world.env | {"WRIT_STATE": str(world.home / "link/state")}
    world.run("-c", 'touch "$TMPDIR/x" && chmod 700 "$TMPDIR/x" && cd && chmod 755 .', program="/bin/sh",
              env=env).expect()
    if list((world.home / "real").glob("state/scratch/*")):
        fault("something is left")


# ---- the host around it ----

@contextlib.contextmanager
def neighbour(world):
    child = subprocess.Popen(["sleep", "600"], start_new_session=True, **demote(world))
    try:
        yield child
        if child.poll() is not None:
            fault(f"the neighbour is dead: {child.returncode}")
    finally:
        child.kill()
        child.wait()


@case("lists: P08 P09 other processes of the same user")
def neighbours(world):
    with neighbour(world) as one, neighbour(world) as two:
        before = [os.sched_getscheduler(one.pid), os.getpriority(os.PRIO_PROCESS, one.pid),
                  pathlib.Path(f"/proc/{one.pid}/limits").read_text()]
        world.holds("neighbours", one.pid, two.pid)
        after = [os.sched_getscheduler(one.pid), os.getpriority(os.PRIO_PROCESS, one.pid),
                 pathlib.Path(f"/proc/{one.pid}/limits").read_text()]
        if before != after:
            fault(f"{before} became {after}")


@case("lists: P26 shared memory, queues and semaphores of the host")
def host_ipc(world):
    made = (LIBC.shmget(0, 4096, IPC_CREAT | 0o666), LIBC.msgget(0, IPC_CREAT | 0o666),
            LIBC.semget(0, 1, IPC_CREAT | 0o666))
    try:
        world.holds("host_ipc", *made, f"queue-{world.mark}")
        if os.path.exists(f"/dev/shm/queue-{world.mark}"):
            fault("a file in /dev/shm")
    finally:
        gone = (LIBC.shmctl(made[0], IPC_RMID, None), LIBC.msgctl(made[1], IPC_RMID, None),
                LIBC.semctl(made[2], 0, IPC_RMID))
    if any(gone):
        fault(f"somebody has removed them: {gone}")


def seen(path):
    found = os.stat(path)
    return found.st_mode, found.st_uid, found.st_gid, found.st_mtime_ns, found.st_nlink, found.st_ino


@case("lists: F26 modes, times and names of files outside, and of what may only be read")
def metadata(world):
    paths = [world.secret, world.repo / "ro.txt", world.user_home / "secret"]
    for path in paths:
        if os.geteuid() == 0:
            os.chown(path, OWNER, OWNER)
    before = [seen(path) for path in paths]
    world.expected |= {"work/taken", "work/linked", "work/leads"}
    world.holds("metadata", *paths)
    if before != [seen(path) for path in paths]:
        fault("something has changed")


@case("lists: F26 modes and times of one's own files")
def own_metadata(world):
    world.expected |= {"work/own", "work/sub"}
    world.holds("own_metadata")


@case("lists: F26 a name that leads outside by turns")
def flip(world):
    world.expected |= {f"work/{name}" for name in ("mine", "name", "a", "b")}
    os.chmod(world.secret, 0o640)
    before = seen(world.secret)
    world.holds("flip_link", world.secret)
    if seen(world.secret) != before:
        fault("the secret has changed")
    os.chmod(world.secret, 0o644)


@case("lists: F01 F10 F13 what is outside is not read, written or linked")
def outside(world):
    with tempfile.NamedTemporaryFile("w", prefix="hostile-") as file:
        file.write(world.token)
        file.flush()
        os.chmod(file.name, 0o644)
        script = ('for f in "$@"; do cat "$f" && exit 1; cat "/proc/self/root$f" && exit 1; '
                  'cat "/proc/1/root$f" && exit 1; ln "$f" here && exit 1; cp "$f" here && exit 1; '
                  'ls "$(dirname "$f")" && exit 1; echo x > "$f" && exit 1; echo x >> "$f" && exit 1; '
                  'mv "$f" here && exit 1; rm -f "$f" && exit 1; ln -s "$f" link; cat link && exit 1; rm link; '
                  'echo x > "$(dirname "$f")/new" && exit 1; mkdir "$(dirname "$f")/newd" && exit 1; done; exit 0')
        world.run("-c", script, "sh", world.secret, world.user_home / "secret", file.name, "/etc/passwd",
                  program="/bin/sh").expect()
        if pathlib.Path(file.name).read_text() != world.token:
            fault("the file has changed")


@case("lists: F27 HOME and TMPDIR are the run's own, and nothing else is there")
def places(world):
    world.holds("places")


@case("lists: no directory of the host is watched")
def watch_dirs(world):
    world.holds("watch_dirs", "/usr/bin", world.work)
    nothing_left(world)
    for name in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/"):
        if os.path.exists(f"{name}/hostile-file"):
            fault(f"a file in {name}")


# ---- the end ----

@case("lists: P04 P05 without a cgroup, too, the whole tree ends")
def no_group(world):
    without = [str(world.place.without), "cgroup", "--"]
    for act in (("daemon",), ("fork_bomb",)):
        command = world.command(*act, options=["--allow-weak", "cgroup", "--timeout-ms", 2000])
        run = world.end(world.start([*without, *command]))
        if "cgroup" not in run["missing"] or run["isolation"] != "process":
            fault("it had a group", run)
        for path in world.work.iterdir():
            world.expected.add(f"work/{path.name}")


@case("lists: P05 kill -9 of writ leaves a directory, which the next run removes")
def sweep(world):
    with world.running("family", 5, options=["--max-children", 20]) as child:
        until(lambda: len(world.tools()) == 6, "the family")
        if len(scratches(world)) != 1:
            fault(f"wanted one directory: {scratches(world)}")
        child.kill()
        child.wait()
        world.gone()
    if len(scratches(world)) != 1:
        fault("who has removed it?")
    world.run("exit", 0).expect()
    nothing_left(world)


@case("lists: P05 kill -9 of the first process: the rest is killed by the group")
def first(world):
    with world.running("family", 5, options=["--max-children", 20]) as child:
        until(lambda: len(world.tools()) == 6, "the family")
        for pid, (_, comm, _) in processes(world.mark).items():
            with contextlib.suppress(OSError):
                if comm != world.mark[:15] and pid != child.pid:
                    os.kill(pid, signal.SIGKILL)
        run = world.end(child)
        if run.status == 0 or run.record.get("cause") == "exited":
            fault("it looks as if the command had ended by itself", run)
    nothing_left(world)
