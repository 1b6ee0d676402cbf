#!/usr/bin/env python3
"""server: a PostgreSQL server of our own, for as long as one command runs.

usage: server.py COMMAND...    $WRIT_TEST_STORE tells the command its address

It listens on a socket in a directory of its own, and keeps its promises (fsync is on). The address
is that of an ordinary user who owns the database and nothing else.
"""
import contextlib
import os
import pathlib
import pwd
import queue
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

HOMES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin")
READY = "database system is ready to accept connections"
SECONDS = 60
ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


class Missing(Exception):
    """There is no PostgreSQL here; says what was looked for."""


def programs():
    """The directory of the newest server that is installed."""
    found = [path for home in HOMES for path in pathlib.Path("/").glob(home[1:])
             if (path / "initdb").exists() and (path / "postgres").exists()]
    if not found:
        raise Missing("PostgreSQL is not installed")
    return max(found, key=lambda path: [int(n) for n in re.findall(r"\d+", str(path))])


def somebody():
    """The words before a command that make it run as an ordinary user: PostgreSQL refuses root."""
    if os.getuid() != 0:
        return os.getuid(), os.getgid(), []
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            user = pwd.getpwnam(name)
            return user.pw_uid, user.pw_gid, ["setpriv", f"--reuid={user.pw_uid}",
                                              f"--regid={user.pw_gid}", "--clear-groups"]
    raise Missing("there is no user who could run PostgreSQL")


class Server:
    """start(), kill() and start() again as often as one likes; stop() at the end."""

    def __init__(self, settings=()):
        self.bin, self.settings, self.process, self.log = programs(), settings, None, []
        self.uid, self.gid, self.as_user = somebody()
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="writ-pg-"))
        os.chown(self.home, self.uid, self.gid)
        self.data = self.home / "data"

    @property
    def address(self):
        return f"postgres:///ledger?host={self.home}&user=keeper"

    def run(self, *command, **more):
        done = subprocess.run([*self.as_user, *map(str, command)], cwd=self.home, env=ENV, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS, **more)
        if done.returncode != 0:
            raise RuntimeError(f"{command[0]}: {done.stdout}")
        return done.stdout

    def make(self):
        self.run(self.bin / "initdb", "-D", self.data, "-U", "root_of_it", "-A", "trust", "-E", "UTF8",
                 "--locale=C", "--no-sync")
        self.start()
        self.sql("CREATE ROLE keeper LOGIN", "CREATE DATABASE ledger OWNER keeper")

    def sql(self, *statements, user="root_of_it", database="postgres"):
        """Runs statements; what they answer, as text."""
        words = [word for text in statements for word in ("-c", text)]
        return self.run(*self.psql(user, database), *words)

    def psql(self, user, database):
        return [self.bin / "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", self.home, "-U", user, "-d", database]

    @contextlib.contextmanager
    def session(self, database):
        """A psql that statements are written to; what it holds is let go of at the end."""
        with subprocess.Popen([*self.as_user, *self.psql("root_of_it", database)], cwd=self.home, env=ENV, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as psql:
            yield psql

    def start(self):
        """Returns when it takes connections: it says so itself."""
        words = [word for text in ("listen_addresses=", f"unix_socket_directories={self.home}", "fsync=on",
                                   "logging_collector=off", "log_destination=stderr", *self.settings)
                 for word in ("-c", text)]
        death = ["setpriv", "--pdeathsig", "QUIT"]  # it must not outlive us, whatever happens
        self.process = subprocess.Popen([*(self.as_user or ["setpriv"]), *death[1:], self.bin / "postgres",
                                         "-D", self.data, *words], cwd=self.home, env=ENV, text=True,
                                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        lines = queue.Queue()
        threading.Thread(target=self.listen, args=(self.process.stderr, lines), daemon=True).start()
        while READY not in (line := lines.get(timeout=SECONDS)):
            if not line:
                raise RuntimeError("PostgreSQL does not start:\n" + "".join(self.log[-20:]))

    def listen(self, stream, lines):
        for line in stream:
            self.log.append(line)
            lines.put(line)
        lines.put("")

    def children(self):
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):  # it may be gone by now
                parent = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1]
                if int(parent) == self.process.pid:
                    yield int(pid)

    def kill(self):
        """All of it, at once, without a word; returns when nothing of it is left."""
        os.kill(self.process.pid, signal.SIGSTOP)  # so that it starts no more
        fds = [os.pidfd_open(pid) for pid in self.children()]
        self.process.kill()
        for fd in fds:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(fd, signal.SIGKILL)
            select.select([fd], [], [], SECONDS)
            os.close(fd)
        self.process.wait(SECONDS)
        self.process = None

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGINT)  # a fast shutdown
            try:
                self.process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
        shutil.rmtree(self.home, ignore_errors=True)


@contextlib.contextmanager
def server(settings=()):
    it = Server(settings)
    try:
        it.make()
        yield it
    finally:
        it.stop()


def end(*_):
    sys.exit(1)


def main(command):
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, end)
    try:
        with server() as it:
            return subprocess.run(command, env=os.environ | {"WRIT_TEST_STORE": it.address}).returncode
    except Missing as why:
        print(f"1..0 # SKIP {why}")
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
