"""ground.py: a project for each case, secrets around it, and eyes on the outside while writ runs.

A case is a function that is given a World. It runs writ there, looks at the record, and returns;
the world then looks whether anything got out or was left: the token in any output, a secret that
changed, a listener that was spoken to, a process, a cgroup, a mount, a file nobody expected.
"""
import base64
import contextlib
import glob
import hashlib
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "faces"))
import tap  # noqa: E402

SECONDS = 60  # no run of writ takes that long, unless it hangs
CASES = []
OWNER = 12345  # of the projects, where root plays without namespaces


class Skip(Exception):
    """This case cannot be played here; the text says why."""


class Place(NamedTuple):
    """What all cases share."""
    writ: pathlib.Path
    hostile: pathlib.Path
    without: pathlib.Path
    base: pathlib.Path  # a directory of the user who plays
    user: bool  # an ordinary one
    long: bool
    process: bool = False  # without namespaces: each run is held by lists alone
    cow: bool = False  # every run writes beside the disk, which stays as it is


def case(name):
    """Marks a case; its name begins with the id that HOSTILE gives it."""
    def mark(function):
        CASES.append((name, function))
        return function

    return mark


def fault(text, run=None):
    raise AssertionError(f"{text}\n{run.shown()}" if run else text)


def until(truth, what, seconds=20.0):
    """Waits for something outside; it comes at once, or something is wrong."""
    end = time.monotonic() + seconds
    while not truth():
        if time.monotonic() > end:
            fault(f"waited {seconds:.0f} s for {what}")
        time.sleep(0.005)


# ---- what a run left behind ----

class Run(NamedTuple):
    """One run of writ that has ended."""
    status: int
    out: bytes
    err: bytes
    record: dict

    def shown(self):
        record = {key: value for key, value in self.record.items() if key not in ("stdout", "stderr")}
        lines = self.stream("stdout").decode(errors="backslashreplace").splitlines()
        telling = [line for line in lines if line.endswith(("GOT IT", ": NO", "MUST WORK")) or "WANTED" in line]
        return "\n".join([f"status {self.status}, record {json.dumps(record)[:1500]}",
                          *(telling or lines[-8:])[:20],
                          "stderr of it: " + self.stream("stderr")[-300:].decode(errors="backslashreplace"),
                          "stderr: " + self.err[-600:].decode(errors="backslashreplace")])

    def stream(self, name):
        """The bytes that were kept of stdout or stderr."""
        kept = self.record.get(name) or {}
        if "base64" in kept:
            return base64.b64decode(kept["base64"])
        text = kept.get("text", "")
        return base64.b64decode(text["base64"]) if isinstance(text, dict) else text.encode()

    def __getitem__(self, key):
        if key not in self.record:
            fault(f"the record has no {key}", self)
        return self.record[key]

    def usage(self, key):
        if key not in self["usage"]:
            fault(f"the record has no usage.{key}", self)
        return self["usage"][key]

    def expect(self, exit_code=0, cause="exited", **more):
        """The record says so, and the exit status is the command's."""
        found = {key: self.record.get(key) for key in ("exit_code", "cause", *more)}
        wanted = {"exit_code": exit_code, "cause": cause, **more}
        if found != wanted:
            fault(f"wanted {wanted}\nfound  {found}", self)
        if exit_code is not None and self.status != exit_code:
            fault(f"wanted status {exit_code}", self)
        return self

    def refused(self, *statuses, says=""):
        """Of writ itself: nothing ran."""
        if self.status not in statuses:
            fault(f"wanted status {' or '.join(map(str, statuses))}", self)
        if says.encode() not in self.err + self.out:
            fault(f"wanted '{says}' in the message", self)
        return self

    def files(self):
        """What was collected, by path."""
        return {entry["path"] if isinstance(entry["path"], str) else base64.b64decode(entry["path"]["base64"]):
                entry for entry in self["output_files"]}

    def state(self, path, wanted):
        entry = self.files().get(path)
        if not entry or entry["state"] != wanted:
            fault(f"wanted {path} to be {wanted}, found {entry}", self)
        return entry


# ---- eyes on the machine ----

def processes(mark):
    """Host ids of the processes that carry the mark: {pid: (state, comm, exe)}."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            text = pathlib.Path("/proc", entry, "stat").read_text(errors="replace")
            comm, state = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2]
            line = pathlib.Path("/proc", entry, "cmdline").read_bytes()
            if comm == mark[:15] or mark.encode() in line:
                found[int(entry)] = (state, comm, line.replace(b"\0", b" ").decode(errors="replace"))
    return found


def mounts(base):
    """Where writ mounts things, if it were in the wrong place: in the cases, and over the root."""
    rows = [line.split() for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()]
    return {(row[0], row[4]) for row in rows
            if row[4] in ("/", "/proc", "/dev", "/dev/shm", "/run", "/tmp") or str(base) in " ".join(row)}


def group_owners():
    """Every cgroup of a run and the process id of its writ: their names are writ-SPACE-PROCESS-SINCE-NUMBER.
    Ids come again, so what was there before a case is of somebody else."""
    found = ((path, re.fullmatch(r"writ-\d+-(\d+)-\d+-\d+", pathlib.Path(path).name))
             for path in glob.glob("/sys/fs/cgroup/**/writ-*/", recursive=True))
    return {(path, name[1]) for path, name in found if name}


def litter():
    """What writ might leave in the places everybody uses."""
    return {path for place in ("/tmp", "/dev/shm", "/run", "/var/tmp")
            for path in glob.glob(f"{place}/writ*") + glob.glob(f"{place}/.writ*")
            if "writ-hostile-" not in path}


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


class Listener:
    """A socket of the host. Whoever speaks to it is remembered by the kernel until it is asked."""

    def __init__(self, family, kind, address):
        self.socket = socket.socket(family, kind | socket.SOCK_NONBLOCK)
        self.socket.bind(address)
        if kind != socket.SOCK_DGRAM:
            self.socket.listen(8)
        self.name = self.socket.getsockname()
        self.kind = kind

    def heard(self):
        try:
            if self.kind == socket.SOCK_DGRAM:
                return self.socket.recvfrom(100)
            return self.socket.accept()
        except BlockingIOError:
            return None


# ---- a world ----

class World:
    def __init__(self, place, number):
        self.place, self.token = place, "canary" + secrets.token_hex(16)
        self.home = place.base / str(number)
        self.repo, self.work = self.home / "repo", self.home / "repo" / "work"
        self.outside, self.user_home = self.home / "outside", self.home / "home"
        for path in (self.home, self.repo, self.work, self.outside, self.user_home, self.work / "deny"):
            path.mkdir(mode=0o755)
        self.secret = self.outside / "secret"
        self.canaries = [self.secret, self.user_home / "secret", self.work / "deny/secret",
                         self.work / "deny-file"]
        for path in self.canaries:
            path.write_text(self.token + "\n")
            path.chmod(0o644)
        (self.repo / "ro.txt").write_text("may be read\n")
        self.git("init", "-q")
        self.mark = "h" + secrets.token_hex(5)
        self.act = self.work / self.mark
        shutil.copy(place.hostile, self.act)
        self.act.chmod(0o755)
        self.env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(self.user_home),
                    "CANARY_TOKEN": self.token}
        self.listeners, self.expected, self.moved, self.deep = [], set(), False, False
        self.restless = False  # somebody changes the disk while writ runs
        self.started, self.before = set(), mounts(place.base)
        self.groups_before = group_owners()
        self.there = self.tree()
        if place.process and not place.user:  # never root: who owns the project runs its commands
            subprocess.run(["chown", "-R", f"{OWNER}:{OWNER}", str(self.home)], check=True)
        self.hidden = ["--deny", str(self.work / "deny"), "--deny", str(self.work / "deny-file")]

    def git(self, *args, cwd=None):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=main",
                        *args], cwd=cwd or self.repo, check=True, stdout=subprocess.DEVNULL,
                       env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"})

    def tree(self):
        found = set()
        for top, dirs, files in os.walk(self.repo):
            found |= {os.path.relpath(os.path.join(top, name), self.repo) for name in dirs + files}
            if ".git" in dirs:
                dirs.remove(".git")
        return found

    def picture(self):
        """In write mode cow: all that can be told of the disk, but when it was read."""
        def row(path):
            at = os.lstat(path)
            what = os.readlink(path) if stat.S_ISLNK(at.st_mode) else ""
            if stat.S_ISREG(at.st_mode) and os.access(path, os.R_OK):
                what = digest(pathlib.Path(path).read_bytes())
            return (path, at.st_mode, at.st_uid, at.st_gid, at.st_size, at.st_nlink, at.st_ino, at.st_mtime_ns,
                    at.st_ctime_ns, what)
        if not self.place.cow or self.deep or self.restless:
            return set()
        places = [path for path in self.home.iterdir() if path.is_dir() and path != self.user_home]
        return {row(os.path.join(top, name)) for place in places for top, dirs, files in os.walk(place)
                for name in (".", *dirs, *files)}

    # ---- running ----

    def command(self, *act, options=(), json=True, program=None):
        before, weak = ([], []) if not self.place.process else (
            [str(self.place.without), "user", "--"], ["--allow-weak", "user"])
        cow = ["--write-mode", "cow"] if self.place.cow else []
        return [*before, str(self.place.writ), "exec", *(["--json"] if json else []), *weak, *cow,
                *map(str, options), "--", *([program] if program else [str(self.act)]), *map(str, act)]

    def start(self, command, **how):
        """Starts writ; end() waits for it."""
        files = [open(self.home / f"{name}{secrets.token_hex(4)}", "w+b") for name in ("out", "err")]
        how = {"cwd": self.work, "env": self.env, "stdin": subprocess.DEVNULL,
               "stdout": files[0], "stderr": files[1]} | how
        picture = self.picture()
        child = subprocess.Popen(command, **how)
        child.files, child.picture = files, picture
        self.started.add(str(child.pid))
        return child

    def end(self, child, seconds=SECONDS, strays=True):
        try:
            status = child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            fault(f"writ did not come back in {seconds} s")
        if strays:
            self.alone()
        texts = []
        for file in child.files:
            file.seek(0)
            texts.append(file.read())
            file.close()
        try:
            record = json.loads(texts[0].decode())
        except ValueError:
            record = {}
        run = Run(status, *texts, record if isinstance(record, dict) else {})
        self.expected |= {os.path.relpath(row["moved_to"], self.repo) for row in run.record.get("denials", ())
                          if "moved_to" in row}
        self.tight(run)
        changed = {row[0] for row in self.picture() ^ child.picture}
        if changed:
            fault(f"the disk has changed: {sorted(changed)[:10]}", run)
        return run

    def run(self, *act, options=(), json=True, program=None, seconds=SECONDS, **how):
        """Runs an act of the hostile program under writ, and waits."""
        return self.end(self.start(self.command(*act, options=options, json=json, program=program), **how),
                        seconds)

    def holds(self, *act, **how):
        """Runs an act, each try of which must have ended as it must; a file of output_files that did not come is told."""
        run = self.run(*act, **how)
        states = [entry["state"] for entry in run.record.get("output_files", [])]
        if all(state == "collected" for state in states):
            return run.expect()
        return run.expect(73, "undelivered", own_exit_code=0)

    @contextlib.contextmanager
    def running(self, *act, ready="ready", options=(), **how):
        """A run that has come to the point where it made the file `ready`."""
        self.expected.add(f"work/{ready}")
        child = self.start(self.command(*act, options=options), **how)
        try:
            until(lambda: (self.work / ready).exists() or child.poll() is not None, "the act to begin")
            if child.poll() is not None:
                fault("writ ended early", self.end(child))
            yield child
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()

    def tools(self):
        """The running processes of the hostile program, by host id."""
        return [pid for pid, (state, comm, _) in processes(self.mark).items()
                if comm == self.mark[:15] and state != "Z"]

    def gone(self):
        until(lambda: not processes(self.mark), f"processes to end: {processes(self.mark)}")

    # ---- looking ----

    def groups(self):
        """The cgroups of this world's runs that are still there."""
        return {path for path, process in group_owners() - self.groups_before if process in self.started}

    def alone(self):
        """Nothing runs any more. A zombie may still wait for its new parent."""
        left = {pid: row for pid, row in processes(self.mark).items() if row[0] not in "ZX"}
        if left:
            for pid in left:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            fault(f"still running when writ had returned: {left}")
        self.gone()

    def tight(self, run):
        """The token got nowhere."""
        token = self.token.encode()
        texts = (run.out, run.err, run.stream("stdout"), run.stream("stderr"))
        if any(token in text or token[::-1] in text for text in texts):
            fault("THE SECRET GOT OUT", run)

    def listen(self, *listeners):
        self.listeners += [Listener(*listener) for listener in listeners]
        return self.listeners[-len(listeners):]

    def finish(self):
        """The outside is as it was."""
        for path in self.canaries:
            if not self.moved and (not path.exists() or path.read_text() != self.token + "\n"):
                fault(f"{path} has changed")
        for listener in self.listeners:
            heard = listener.heard()
            if heard:
                fault(f"somebody spoke to {listener.name}: {heard}")
        new = {path for path in (set() if self.deep else self.tree()) - self.there if not any(
            path == known or path.startswith(known + "/") for known in self.expected)}
        if new:
            fault(f"new in the project: {sorted(new)[:10]}")
        until(lambda: not self.groups(), f"cgroups to go: {self.groups()}", 5)
        new = mounts(self.place.base) - self.before
        if new:
            fault(f"new mounts: {new}")

    def close(self):
        for listener in self.listeners:
            listener.socket.close()
        for pid in processes(self.mark):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        subprocess.run(["chmod", "-R", "u+rwx", str(self.home)], stderr=subprocess.DEVNULL)
        subprocess.run(["rm", "-rf", str(self.home)], stderr=subprocess.DEVNULL)


def play(place, only=()):
    """Plays the cases, prints TAP; the exit status."""
    output = tap.Tap()
    for number, (name, function) in enumerate(CASES):
        if only and not any(name.startswith(word) for word in only):
            continue
        wrong, skip, world = "", "", World(place, number)
        try:
            function(world)
            world.finish()
        except Skip as why:
            skip = str(why)
        except Exception as why:
            wrong = f"{type(why).__name__}: {why}" if not isinstance(why, AssertionError) else str(why)
        finally:
            world.close()
        output.case(name, wrong, skip)
    return output.finish()

