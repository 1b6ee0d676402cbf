#!/usr/bin/env python3
"""ssh: a loopback sshd of our own, with its own keys, port and configuration.

usage: ssh.py [--user]     tries it: as root (or whoever we are), or as an ordinary user; prints TAP

Nobody's ~/.ssh is read or written. The server knows one key and the client one server.
"""
import contextlib
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parents[2] / "faces")]
import processes  # noqa: E402
from processes import (Daemon, Missing, children, descendants, free_ports, has_shell, kill, name_of, ordinary,  # noqa: E402
                       program)

HOST = "box"  # what people type; the configuration says where it is
PRIVSEP = pathlib.Path("/run/sshd")  # without which root's sshd does not start
SERVER = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {home}/host_key
AuthorizedKeysFile {home}/authorized_keys
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
PermitUserRC no
PrintMotd no
PrintLastLog no
UseDNS no
X11Forwarding no
MaxStartups 500
MaxSessions 500
{more}"""
CLIENT = """\
Host {host}
    HostName 127.0.0.1
    Port {port}
    User {user}
    HostKeyAlias {host}
    IdentityFile {home}/user_key
    IdentitiesOnly yes
    IdentityAgent none
    UserKnownHostsFile {home}/known_hosts
    GlobalKnownHostsFile /dev/null
    StrictHostKeyChecking yes
    BatchMode yes
    ControlMaster no
    ControlPath none
    ConnectTimeout 20
    LogLevel ERROR
"""
TRIES = 5  # somebody else may take the port before the server does


class Sshd:
    """.options are words for ssh before the host, .host; .sessions() are those who serve a client."""

    host = HOST

    def __init__(self, user=None, environment=None):
        self.server, self.keygen = program("sshd"), program("ssh-keygen")
        program("ssh")
        self.user, self.environment, self.daemon = user or pwd.getpwuid(os.getuid()), environment or {}, None
        if not has_shell(self.user):
            raise Missing(f"{self.user.pw_name} cannot log in")
        self.made_privsep = False
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="writ-ssh-"))
        self.home.chmod(0o755)

    @property
    def config(self):
        return self.home / "ssh_config"

    @property
    def options(self):
        return ["-F", str(self.config)]

    def make(self):
        for name in ("host_key", "user_key"):
            subprocess.run([self.keygen, "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", self.home / name],
                           check=True, stdin=subprocess.DEVNULL, timeout=processes.SECONDS)
        shutil.copy(self.home / "user_key.pub", self.home / "authorized_keys")
        key = (self.home / "host_key.pub").read_text()
        (self.home / "known_hosts").write_text(f"{self.host} {key}")
        if self.user.pw_uid != os.getuid():
            os.chown(self.home / "host_key", self.user.pw_uid, self.user.pw_gid)
        elif os.getuid() == 0 and not PRIVSEP.exists():
            PRIVSEP.mkdir(mode=0o755)
            self.made_privsep = True
        self.start()

    def start(self):
        for _ in range(TRIES):
            port, = free_ports(1)
            more = "SetEnv " + " ".join(f'"{k}={v}"' for k, v in self.environment.items()) + "\n"
            (self.home / "sshd_config").write_text(SERVER.format(
                home=self.home, port=port, more=more if self.environment else ""))
            self.config.write_text(CLIENT.format(home=self.home, port=port, host=self.host,
                                                 user=self.user.pw_name))
            self.daemon = Daemon(self.server, "-D", "-e", "-f", self.home / "sshd_config", user=self.user)
            if self.daemon.says(f"Server listening on 127.0.0.1 port {port}"):
                return
        raise RuntimeError(f"sshd does not start:\n{self.daemon.last()}")

    def command(self, *words):
        """A command line that runs words there; ssh has a shell split them again."""
        return ["ssh", *self.options, self.host, *words]

    def run(self, *words, **more):
        return subprocess.run(self.command(*words), capture_output=True, text=True, env=processes.ENV,
                              stdin=subprocess.DEVNULL, timeout=processes.SECONDS, **more)

    def sessions(self):
        """The ids of each session, a list of lists: for an ordinary user there are two processes."""
        return [[one, *(pid for pid in descendants(one) if name_of(pid) == "sshd")]
                for one in children(self.daemon.pid)]

    def stop(self):
        if self.daemon:
            left = descendants(self.daemon.pid)
            self.daemon.end()
            kill(*left)
        if self.made_privsep:
            with contextlib.suppress(OSError):
                PRIVSEP.rmdir()
        shutil.rmtree(self.home, ignore_errors=True)


@contextlib.contextmanager
def sshd(user=None, environment=None):
    """A server that runs as this user (ours), who can log in. Missing where there is none to be had."""
    it = Sshd(user, environment)
    try:
        it.make()
        yield it
    finally:
        it.stop()


# ---- tried alone ----

CASES = []


def case(function):
    CASES.append(function)


def same(found, expected):
    if found != expected:
        raise AssertionError(f"found {found!r}, expected {expected!r}")


@case
def a_command_runs_there_and_its_exit_code_comes_back(box):
    done = box.run("echo", "hello;", "exit", "7")
    same((done.returncode, done.stdout, done.stderr), (7, "hello\n", ""))
    same(box.run("id", "-u").stdout, f"{box.user.pw_uid}\n")


@case
def without_our_configuration_there_is_no_way_in(box):
    port = box.config.read_text().split("Port ")[1].split()[0]
    done = subprocess.run(["ssh", "-F", "/dev/null", "-o", "BatchMode=yes", "-o", "IdentityFile=/dev/null",
                           "-o", f"UserKnownHostsFile={box.home}/known_hosts", "-o", f"HostKeyAlias={box.host}",
                           "-o", "IdentityAgent=none", "-o", "IdentitiesOnly=yes", "-p", port,
                           f"{box.user.pw_name}@127.0.0.1", "echo", "in"],
                          capture_output=True, text=True, env=processes.ENV, stdin=subprocess.DEVNULL,
                          timeout=processes.SECONDS)
    same((done.returncode, done.stdout), (255, ""))
    if "Permission denied" not in done.stderr:
        raise AssertionError(done.stderr)


@case
def a_session_can_be_found_and_killed(box):
    client = subprocess.Popen(box.command("echo", "up;", "exec", "sleep", "600"), env=processes.ENV,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    same(client.stdout.readline(), b"up\n")
    there = box.sessions()
    same(len(there), 1)
    left = descendants(there[0][0])
    kill(*there[0])
    same(client.wait(processes.SECONDS), 255)
    client.stdout.close()
    kill(*left)  # a command outlives its session: that is what ssh does


@case
def it_is_told_an_environment(box):
    same(box.run("echo", "$WRIT_TOLD").stdout, "two words\n")


def main(args):
    import tap
    it = tap.Tap()
    try:
        user = None
        if "--user" in args and os.getuid() == 0:
            user = ordinary()
        with sshd(user, {"WRIT_TOLD": "two words"}) as box:
            for function in CASES:
                fault = ""
                try:
                    function(box)
                except Exception as wrong:
                    fault = f"{type(wrong).__name__}: {wrong}"
                it.case(function.__name__, fault)
            home, pid = box.home, box.daemon.pid
        left = processes.holders(str(home))
        it.case("nothing_is_left_of_it", f"{left}" if left or home.exists() or os.path.exists(f"/proc/{pid}")
                else "")
    except Missing as why:
        print(f"1..0 # SKIP {why}")
        return 0
    return it.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
