"""ground.py: a fresh repository for every case, and the real `writ exec` in it."""
import contextlib
import errno
import functools
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faces"))
import tap  # noqa: E402

PYTHON = shutil.which("python3", path="/usr/bin:/bin")
REAL_PYTHON = os.path.realpath(PYTHON)
TOUCH = ("/usr/bin/touch", "ran")  # what would show that a refused command ran all the same
SECONDS = 60
USER = 12345
UNBOUND_MB = 1 << 30  # the command's memory is writ's affair here


class Run(NamedTuple):
    status: int
    record: dict
    out: bytes
    err: bytes


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


@functools.cache
def record_fields():
    """What `writ explain record` says a record can have; of stdout's members stderr and result have the same."""
    table = json.loads(tap.run([tap.WRIT, "explain", "--json", "record"], memory_mb=UNBOUND_MB).out)
    rows = {row["field"]: row["when"] for row in table["tables"][0]["rows"]}
    like = {name.replace("stdout", other, 1): "like stdout's" for other in ("stderr", "result")
            for name in rows if name.startswith("stdout.")}
    return rows | like


def fields_of(value, name=""):
    """The names of all members, as the table writes them: down to those it describes as a whole."""
    rows = record_fields()
    whole = name and not any(row.startswith((name + ".", name + "[]")) for row in rows)
    if isinstance(value, dict) and name + ".*" not in rows and not whole:
        return {field for key in value for field in fields_of(value[key], f"{name}.{key}".lstrip("."))}
    return {name + (".*" if name + ".*" in rows else "[]" if isinstance(value, list) else "")}


class Place:
    """repo/work is where commands run; outside, home and state lie beside the repository."""
    always = ()  # options that every command of a case is given

    def __init__(self, scratch):
        self.repo, self.outside, self.home, self.state = (
            scratch / name for name in ("repo", "outside", "home", "state"))
        self.work = self.repo / "work"
        for directory in (self.work, self.outside, self.home):
            directory.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", self.repo], check=True,
                       env=tap.ENV | {"HOME": str(self.home)})
        self.put("outside/secret", "a secret\n")

    def path(self, name):
        """The name may begin with outside/ or home/; else it is below the repository."""
        first, _, rest = name.partition("/")
        return getattr(self, first) / rest if first in ("outside", "home", "state") else self.repo / name

    def put(self, name, data, mode=0o644):
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        path.chmod(mode)
        return path

    # ---- running ----

    def environment(self, more):
        """A value of None takes a variable away."""
        given = tap.ENV | {"HOME": str(self.home), "WRIT_STATE": str(self.state), "USER": "tester"}
        return {name: value for name, value in (given | (more or {})).items() if value is not None}

    def writ(self, *args, env=None, stdin=b"", at=None, **more):
        with tempfile.TemporaryFile() as given:
            given.write(stdin)
            given.seek(0)
            answer = tap.run(["env", "-i", *(f"{k}={v}" for k, v in self.environment(env).items()),
                              tap.WRIT, *map(str, args)],
                             stdin=given, memory_mb=UNBOUND_MB, seconds=SECONDS, cwd=at or self.work,
                             **more)
        return Run(answer.status, {}, answer.out, answer.err)

    def record_of(self, *args, **more):
        run = self.writ("exec", "--json", *args, **more)
        try:
            record = json.loads(run.out)
        except ValueError:
            raise AssertionError(f"no record: status {run.status}\nstdout {run.out[-600:]!r}\n"
                                 f"stderr {run.err[-600:]!r}") from None
        unexplained = fields_of(record) - record_fields().keys() if "cause" in record else ()
        assert not unexplained, f"`writ explain record` has no row for {sorted(unexplained)}"
        return run._replace(record=record)

    def exec(self, *command, options=(), **more):
        return self.record_of(*self.always, *options, "--", *command, **more)

    def python(self, code, *args, **more):
        return self.exec(PYTHON, "-c", code, *args, **more)

    def start(self, *args):
        """Lets `writ exec` run while we do something else; what it prints is nobody's."""
        return subprocess.Popen([tap.WRIT, "exec", *map(str, args)], cwd=self.work, env=self.environment({}),
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def exec_while(self, script, change, options=()):
        """Runs a shell script, and `change` here while it waits at its `$wait`."""
        gate = self.outside / f"gate-{uuid.uuid4()}"
        os.mkfifo(gate)
        run = subprocess.Popen([tap.WRIT, "exec", "--json", "--read", gate, *options, "--", "/bin/sh", "-c",
                                script.replace("$wait", f"cat {gate}")],
                               cwd=self.work, env=self.environment({}), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with contextlib.ExitStack() as held:
            while run.poll() is None:
                try:
                    held.callback(os.close, os.open(gate, os.O_WRONLY | os.O_NONBLOCK))
                    change()
                    break
                except OSError as not_yet:
                    if not_yet.errno != errno.ENXIO:
                        raise
                    time.sleep(.01)
        out, err = run.communicate(timeout=SECONDS)
        return Run(run.returncode, json.loads(out), out, err)

    # ---- documents ----

    def registry(self, *tools, allowlist="strict", at="."):
        """Writes .writ/tools.yaml. A tool is a dict; what it leaves out is filled in."""
        like = {"name": "a tool", "owner": "somebody", "status": "active"}
        self.put(f"{at}/.writ/tools.yaml",
                 json.dumps({"allowlist": allowlist, "tools": [like | tool for tool in tools]}))

    def request(self, command, *arguments, inputs=None, tool="TL-1", metadata=None, **members):
        """Writes a request document and returns its path."""
        document = {"execution_id": str(uuid.uuid4()), "tool_id": tool,
                    "adapter_id": "ADP-1",
                    "inputs": {"command": command, "arguments": list(arguments),
                               "working_directory": str(self.work)} | (inputs or {}),
                    "metadata": {"requested_by": "tester", "requested_at": "2026-01-16T10:20:00Z"}
                    | (metadata or {})} | members
        return self.put("request.json", json.dumps(document))

    def ask(self, *command, env=None, stdin=b"", at=None, **members):
        """Runs a request document; the registry allows what the cases use, unless there is one."""
        if not (self.repo / ".writ").exists():
            self.registry({"tool_id": "TL-1", "scope": {"commands": [REAL_PYTHON, "/usr/bin/touch",
                                                                     "/usr/bin/sleep"],
                                                        "filesystem": "extended"}})
        return self.record_of("-f", self.request(*command, **members), env=env, stdin=stdin, at=at)

    def ask_python(self, code, *arguments, **members):
        return self.ask(PYTHON, "-c", code, *arguments, **members)


def groups(pid):
    """The control groups that a writ with this process id has made."""
    return [pathlib.Path(above, name) for above, names, _ in os.walk("/sys/fs/cgroup")  # others come and go meanwhile
            for name in names if name.startswith("writ-") and f"-{pid}-" in name]


# ---- saying what must hold ----

def hold(truth, run):
    """What a case is about; the run is shown when it does not hold."""
    if not truth:
        text = json.dumps(run.record) if run.record else run.out.decode(errors="replace")
        raise AssertionError(f"status {run.status}\nrecord {text[:2500]}\nstderr {run.err[-600:]!r}")


def expect(run, **members):
    """Members of the record have these values; a__b is b within a."""
    for name, value in members.items():
        at = run.record
        for part in name.split("__"):
            at = at.get(part) if isinstance(at, dict) else None
        if at != value:
            raise AssertionError(f"{name} is {at!r}, expected {value!r}\nstatus {run.status}\n"
                                 f"record {json.dumps(run.record)[:3000]}\nstderr {run.err[-600:]!r}")


def printed(run, text, code=0):
    """It ended with this code, printed this and complained about nothing."""
    expect(run, exit_code=code, stderr__text="", stdout__text=text)
    hold(run.status == code, run)


def refused(place, run, status, code, *words):
    """Nothing ran, and the message names the reason."""
    problem = run.record.get("problems", [run.record])[0]
    hold(run.status == status and problem.get("code") == code, run)
    for word in words:
        hold(word in problem["message"], run)
    hold("exit_code" not in run.record and not (place.work / "ran").exists(), run)


# ---- cases ----

def denied_is_not_kept(place, *options):
    """Artifacts are collected where no mask is: what was denied is left all the same."""
    place.put("work/shut", "shut\n")
    place.put("work/dir/in", "in\n")
    place.put("work/open", "open\n")
    patterns = ("**", "sh*", "dir/*", "./dir//in", "./shut")
    run = place.exec("/usr/bin/true", options=[*options, "--deny=shut", "--deny=dir",
                                               *(f"--artifact={pattern}" for pattern in patterns)])
    expect(run, exit_code=0)
    states = {(entry["path"], entry["state"]) for entry in run.record["artifacts"]}
    hold({("open", "collected"), ("shut", "unreadable"), ("dir", "unreadable")} <= states, run)
    hold([state for _, state in states].count("collected") == 1, run)
    kept = {path.read_bytes() for path in (place.state / "evidence").rglob("*") if path.is_file()}
    hold(b"open\n" in kept and not kept & {b"shut\n", b"in\n"}, run)


def collector(cases, kind=Place):
    """The decorator that marks a case: a function that is given a Place. Its name says which
    requirements it proves and what is true."""
    def case(function):
        @functools.wraps(function)
        def play(scratch):
            function(kind(scratch))

        cases.append(play)
        return function

    return case


def may_everything():
    """Are we root with all rights? Then the sandbox must work, else the machine may lack for it."""
    status = pathlib.Path("/proc/self/status").read_text()
    return os.geteuid() == 0 and int(status.split("CapEff:")[1].split()[0], 16) >> 21 & 1


def no_sandbox():
    """Why no command can run here where that is the machine's fault, or nothing."""
    with tempfile.TemporaryDirectory() as scratch:
        run = Place(pathlib.Path(scratch)).writ("exec", "--", "/usr/bin/true")
    if run.status == 125 and not may_everything():
        return run.err.decode(errors="replace").splitlines()[0]
    return ""


def play_as_user(cases, before):
    """The cases, played by an ordinary user; `before` is called when we have become one."""
    if os.geteuid() != 0:
        print("1..0 # SKIP the cases are played by an ordinary user already")
        return 0
    with tempfile.TemporaryDirectory() as place:  # what root has built an ordinary user may not reach
        os.chmod(place, 0o755)
        tap.WRIT = pathlib.Path(shutil.copy2(tap.WRIT, place))
        tap.WRIT.chmod(0o755)
        pid = os.fork()
        if pid:
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.setgroups([])
        os.setgid(USER)
        os.setuid(USER)
        before()
        os._exit(tap.play(cases))


def main(cases):
    why = no_sandbox()
    if why:
        print("1..0 # SKIP", why)
        return 0
    return tap.play(cases)


def main_as_either(cases):
    """As whoever we are; with --user as an ordinary user, who may have no groups here."""
    def be_weak():
        Place.always = ("--allow-weak", "cgroup")

    return play_as_user(cases, be_weak) if "--user" in sys.argv[1:-1] else main(cases)
