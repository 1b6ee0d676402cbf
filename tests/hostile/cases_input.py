"""cases_input.py: I, arguments, environment, stdin and requests."""
import glob
import json
import os
import subprocess

from ground import case, digest, fault

MIB = 1 << 20
SPECIAL = ["; | & $ ` ( ) { } [ ] < > \\ \" ' ! # * ?".split(), ["$(touch x)", "`touch x`", "; touch x", "&& x",
           "| x", "> x", "*", "?", "~", "$HOME", "${IFS}", "\n", "a\nb", "\t", "", " ", "'", '"', "\\", "--json",
           "--", "-", "%s%n", "\x1b[31m", "é", "🙂", "a=b", "!!", "#", "{a,b}", "[a]", "<(x)"]]


# ---- I01 ----

@case("I01 every character of a shell stays an argument")
def arguments(world):
    for words in SPECIAL:
        run = world.run("args", *words).expect(0)
        got = [bytes.fromhex(line) for line in run.stream("stdout").decode().split("\n")[:-1]]
        if got != [word.encode() for word in words]:
            fault(f"wanted {words}\ngot    {got}", run)
    checks = run["checks"]
    if not checks["IV-02"].startswith("escaped"):
        fault("the record does not say so", run)


@case("I01 bytes that are not UTF-8 stay an argument, or are refused")
def raw_argument(world):
    command = [os.fsencode(word) for word in world.command("args")] + [b"\xff\xfe", b"\xc3"]
    run = world.end(world.start(command))
    run.out.decode()
    if run.status == 0 and run.stream("stdout") != b"fffe\nc3\n":
        fault("they are other bytes now", run)
    if run.status:
        run.refused(64, 65, 77)


# ---- I02, I03 ----

STEERING = {"LD_LIBRARY_PATH": "/x", "GCONV_PATH": "/x", "PYTHONPATH": "/x", "BASH_ENV": "/x", "ENV": "/x",
            "NODE_OPTIONS": "--x", "GIT_DIR": "/x", "GIT_SSH_COMMAND": "x", "PERL5OPT": "-x", "IFS": "x",
            "RUBYOPT": "-x", "LD_BIND_NOW": "1"}


def names(run):
    return {line.split("=", 1)[0] for line in run.stream("stdout").decode().splitlines() if "=" in line}


@case("I02 the caller's variables are not passed on")
def callers(world):
    library = glob.glob("/lib/*-linux-gnu/libm.so.6")
    env = world.env | STEERING | {"SOME_SECRET": world.token} | ({"LD_PRELOAD": library[0]} if library else {})
    run = world.run("environment", env=env).expect(0)
    left = names(run) & {*STEERING, "LD_PRELOAD", "SOME_SECRET", "CANARY_TOKEN"}
    if left:
        fault(f"passed on: {left}", run)


@case("I02 those that steer are stripped where they are asked for")
def asked(world):
    steering = {name: value for name, value in STEERING.items() if name.startswith("LD_")} | {"LD_PRELOAD": "/x.so"}
    options = [word for name, value in steering.items() for word in ("--env", f"{name}={value}")]
    run = world.run("environment", options=options)
    if run.status in (64, 65, 77):
        return
    run.expect(0)
    if names(run) & set(steering):
        fault(f"passed on: {names(run) & set(steering)}", run)
    for name in ("LD_PRELOAD", "LD_LIBRARY_PATH"):
        if name not in run["checks"]["IV-04"]:
            fault(f"the record does not name {name}", run)


@case("I02 a PATH that leads elsewhere is not taken")
def search_path(world):
    for value in (".:/usr/bin", "/tmp:/usr/bin", ":/usr/bin", str(world.outside)):
        run = world.run("environment", options=["--env", f"PATH={value}"], env=world.env | {"PATH": value + ":/usr/bin:/bin"})
        if run.status in (64, 65, 77):
            continue
        run.expect(0)
        if f"PATH={value}" in run.stream("stdout").decode().splitlines():
            fault(f"PATH is {value}", run)


@case("I02 a variable that is asked for is passed on")
def wanted(world):
    run = world.run("environment", options=["--env", "GREETING=hello world"]).expect(0)
    if "GREETING=hello world" not in run.stream("stdout").decode().splitlines():
        fault("it is not there", run)


@case("I03 the caller's secret is in no memory the command can see")
def secret(world):
    run = world.run("environment", "CANARY_TOKEN=", "SOME_SECRET=").expect(0)
    world.holds("peek")
    if "CANARY_TOKEN" in names(run):
        fault("the name is there", run)


# ---- I04 ----

@case("I04 exactly 1 MiB of stdin, and one byte more")
def stdin_limit(world):
    path = world.home / "stdin"
    path.write_bytes(b"x" * MIB)
    run = world.run("count_stdin", options=["--stdin", path]).expect(0)
    if run.stream("stdout") != b"1048576\n":
        fault("not all of it arrived", run)
    path.write_bytes(b"x" * (MIB + 1))
    run = world.run("touch", "ran", options=["--stdin", path]).refused(65, 77)
    if (world.work / "ran").exists():
        fault("it ran all the same", run)


@case("I04 the same from a pipe")
def stdin_pipe(world):
    world.expected.add("work/ran")
    for size in (0, 1, MIB):
        child = world.start(world.command("count_stdin", options=["--stdin", "-"]), stdin=subprocess.PIPE)
        child.stdin.write(b"x" * size)
        child.stdin.close()
        run = world.end(child).expect(0)
        if run.stream("stdout") != b"%d\n" % size:
            fault(f"not all of {size} bytes arrived", run)
    child = world.start(world.command("count_stdin", options=["--stdin", "-"]), stdin=subprocess.PIPE)
    try:
        child.stdin.write(b"x" * (MIB + 1))
        child.stdin.close()
    except BrokenPipeError:
        pass
    run = world.end(child)
    if run.status == 0:
        fault("one byte more was taken", run)


@case("I04 stdin that is swapped while it is read comes from one file")
def swapped(world):
    one, other = world.home / "one", world.home / "other"
    contents = [b"a" * MIB, b"b" * MIB]
    one.write_bytes(contents[0])
    other.write_bytes(contents[1])
    swapper = subprocess.Popen([world.place.hostile, "swap", one, other])
    try:
        for _ in range(30):
            run = world.run("cat", options=["--stdin", one]).expect(0)
            if run["stdout"]["digest"] not in map(digest, contents):
                fault("it is a mixture", run)
    finally:
        swapper.kill()
        swapper.wait()


# ---- I06 ----

REQUEST = {
    "execution_id": "6f1c1d4e-0f3b-4f57-9d8b-0c2f6a8d9e10", "tool_id": "TL-001", "adapter_id": "ADP-001",
    "inputs": {"command": "touch", "arguments": ["ran"], "environment": {"A": "b"}, "working_directory": ".",
               "input_files": ["ro.txt"], "stdin": "x"},
    "sandbox": {"timeout_ms": 1000, "memory_mb": 64, "cpu_cores": 1,
                "filesystem": {"read": ["."], "write": ["."], "deny": ["deny"]},
                "network": {"enabled": False, "allow": ["a.example"], "deny": ["b.example"]},
                "processes": {"max_children": 0, "allow_fork": False}},
    "outputs": {"stdout": "captured", "stderr": "captured", "exit_code": 0, "output_files": ["o"],
                "artifacts": ["a"]},
    "metadata": {"requested_by": "x", "requested_at": "2026-01-01T00:00:00Z", "purpose": "x",
                 "evidence_ref": "x"},
}
BAD = {"NUL": "a\0b", "1 MB": "x" * MIB, "an invalid letter": b"\xff\xfe", "half a letter": "\ud800"}


def places(value, way=()):
    """The way to every text of a request."""
    if isinstance(value, str):
        yield way
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*way, key))


def changed(value, way, text):
    if not way:
        return text
    copy = value.copy()
    copy[way[0]] = changed(value[way[0]], way[1:], text)
    return copy


@case("I06 bytes that no field of a request takes")
def requests(world):
    path = world.home / "request.json"
    for name, bad in BAD.items():
        for way in places(REQUEST):
            mark = "@MARK@" if isinstance(bad, bytes) else bad
            text = json.dumps(changed(REQUEST, way, mark)).encode()
            path.write_bytes(text.replace(b"@MARK@", bad) if isinstance(bad, bytes) else text)
            run = world.end(world.start([str(world.place.writ), "exec", "--json", "-f", str(path)]))
            run.out.decode()
            run.err.decode()
            if run.status not in (64, 65, 77):
                fault(f"{name} in /{'/'.join(map(str, way))} was taken", run)
            if (world.work / "ran").exists():
                fault(f"it ran with {name} in /{'/'.join(map(str, way))}", run)


@case("I06 bytes that no option takes")
def options(world):
    for option in ("--cwd", "--read", "--write", "--stdin", "--fs", "--timeout-ms", "--memory-mb",
                   "--max-children", "--cpu-cores", "--allow-weak", "--env"):
        for value in (b"\xff\xfe", b"", b"x" * 100000, b"=", b"\n"):
            command = [os.fsencode(word) for word in world.command("touch", "ran")]
            command[3:3] = [os.fsencode(option), value]
            run = world.end(world.start(command))
            run.out.decode()
            run.err.decode()
            if run.status not in (64, 65, 69, 77, 125):
                fault(f"{option} {value[:10]!r} was taken", run)
    for option, value in (("--timeout-ms", "999"), ("--timeout-ms", "600001"), ("--memory-mb", "63"),
                          ("--memory-mb", "4097"), ("--cpu-cores", "0"), ("--cpu-cores", "5"),
                          ("--max-children", "-1"), ("--max-children", "101"), ("--timeout-ms", "1e3"),
                          ("--timeout-ms", "99999999999999999999"), ("--memory-mb", "0x40")):
        world.run("touch", "ran", options=[option, value]).refused(64, 65, 77)


@case("I06 bytes that no word of a command takes")
def words(world):
    for word in (b"\xff", b"a\xc3", b"\xed\xa0\x80"):
        command = [os.fsencode(part) for part in world.command("touch", "ran")] + [word]
        run = world.end(world.start(command))
        if run.status not in (64, 65, 77) or b"UTF-8" not in run.out + run.err:
            fault(f"{word!r} was taken", run)
        if (world.work / "ran").exists():
            fault(f"it ran with {word!r}", run)


# ---- I07 ----

SCRIPT = ("date +%s.%N; sleep 0.01; date +%s.%N; head -c 9 /dev/urandom | od -An -tx1; mktemp -u XXXXXXXX; "
          "hostname; echo $$; exec awk 'BEGIN { srand(); print srand() }'")


@case("I07 two fixed runs print the same bytes")
def fixed(world):
    runs = [world.run("-c", SCRIPT, options=["--deterministic", "fixed"], program="/bin/sh").expect(0)
            for _ in range(2)]
    texts = [run.stream("stdout") for run in runs]
    if texts[0] != texts[1] or not texts[0].startswith(b"315532800.000000000\n315532800.010000000\n"):
        fault(f"once {texts[0]!r}, then {texts[1]!r}", runs[1])
    if runs[0]["deterministic"]["mode"] != "fixed" or "file times" not in runs[0]["deterministic"]["open"]:
        fault("the record does not say what is held", runs[0])
