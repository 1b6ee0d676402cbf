"""processes.py: daemons of our own, each ended by its id, and who is alive on this machine."""
import contextlib
import os
import pathlib
import pwd
import queue
import select
import signal
import socket
import subprocess
import threading
import time

SECONDS = 60
ENV = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


class Missing(Exception):
    """It cannot be had here; says why."""


def program(name):
    """The path of a program, which is often where only root looks."""
    for directory in ENV["PATH"].split(":"):
        if os.access(path := f"{directory}/{name}", os.X_OK):
            return path
    raise Missing(f"{name} is not installed")


def free_ports(count):
    """Ports of loopback that nobody has just now."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def until(truth, what, seconds=SECONDS, pause=0.02):
    """Asks until the answer is true, and returns it."""
    end = time.monotonic() + seconds
    while not (answer := truth()):
        if time.monotonic() > end:
            raise RuntimeError(f"waited in vain: {what}")
        time.sleep(pause)  # lets others work; nothing depends on how long it is
    return answer


# ---- users ----

def has_shell(user):
    return user.pw_shell in pathlib.Path("/etc/shells").read_text().split() and os.path.isdir(user.pw_dir)


def ordinary():
    """A user who is not root and has a shell, for whom root can start things."""
    for user in pwd.getpwall():
        if user.pw_uid and has_shell(user):
            return user
    raise Missing("there is no ordinary user with a shell")


def as_user(user):
    """The words before a command that make it run as this user."""
    if user.pw_uid == os.getuid():
        return []
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


# ---- who is alive ----

def parent(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except (OSError, IndexError):
        return 0


def everybody():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def children(pid):
    return [one for one in everybody() if parent(one) == pid]


def descendants(pid):
    """All that came from it and still hang on it, nearest first."""
    found, parents = [], {one: parent(one) for one in everybody()}
    level = [pid]
    while level:
        level = [one for one, above in parents.items() if above in level]
        found += level
    return found


def words_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:-1]
    except OSError:
        return []


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def holders(token, *parts):
    """The processes that have a text in their arguments or environment: {pid: command line}. A process
    that has ended and waits for its parent has neither."""
    found = {}
    for pid in everybody():
        for part in parts or ("cmdline", "environ"):
            with contextlib.suppress(OSError):
                if token.encode() in pathlib.Path(f"/proc/{pid}/{part}").read_bytes():
                    found[pid] = b" ".join(words_of(pid)).decode(errors="replace")
    found.pop(os.getpid(), None)
    return found


def kill(*pids, signal=signal.SIGKILL, seconds=SECONDS):
    """Ends processes, all at once; returns when they are gone."""
    fds = []
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            fds.append(os.pidfd_open(pid))
    for fd in fds:
        with contextlib.suppress(ProcessLookupError):
            send(fd, signal)
    for fd in fds:
        select.select([fd], [], [], seconds)
        os.close(fd)


send = signal.pidfd_send_signal


class Daemon:
    """A program in the foreground that dies with us. What it says is kept."""

    def __init__(self, *command, user=None, env=None, cwd="/"):
        self.log, self.lines = [], queue.Queue()
        words = (as_user(user) if user else []) or ["setpriv"]
        self.process = subprocess.Popen([*words, "--pdeathsig", "KILL", *map(str, command)], cwd=cwd,
                                        env=ENV | (env or {}), text=True, errors="replace",
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, start_new_session=True)
        threading.Thread(target=self.listen, daemon=True).start()

    @property
    def pid(self):
        return self.process.pid

    def listen(self):
        for line in self.process.stdout:
            self.log.append(line)
            self.lines.put(line)
        self.lines.put("")

    def says(self, words):
        """Waits until it says so; False: it ended before."""
        while words not in (line := self.lines.get(timeout=SECONDS)):
            if not line:
                return False
        return True

    def last(self):
        return "".join(self.log[-20:])

    def end(self, how=signal.SIGTERM):
        """Asks it to end, and makes it."""
        if self.process.poll() is None:
            self.process.send_signal(how)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(10)
        self.process.kill()
        self.process.wait(SECONDS)
