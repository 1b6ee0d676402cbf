#!/usr/bin/env python3
"""lacking: what else runs things says the same as writ exec where a layer is missing, and runs where that does.

usage: lacking.py WITHOUT WRIT      prints TAP; WITHOUT takes a layer away (tests/hostile/without.c)
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import tap
from doctor import NOBODY, ROOT, Place
from tap import WRIT, insist

CASES = []
case = tap.collector(CASES)

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/executors"
WAYS = ("cgroup", "landlock", "user")

# A server in a few lines.
SERVER = r"""
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    answers = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                              "serverInfo": {"name": "small", "version": "1"}},
               "tools/list": {"tools": [{"name": "run", "inputSchema": {"type": "object"}}]},
               "tools/call": {"content": [{"type": "text", "text": "1"}]}}
    if "id" in m:
        known = {"result": answers[m["method"]]} if m["method"] in answers else {
            "error": {"code": -32601, "message": "what"}}
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"]} | known), flush=True)
"""


def weak(place):
    """The options that let a run go on without what is missing; or the case is over."""
    (place.work / "out").mkdir(exist_ok=True)
    found = place.ask("out")[1]
    if not found["weak"]:
        raise tap.Skip(f"nothing runs here without {place.way}")
    return [f"--allow-weak={one['layer']}" for one in found["spare"]]


def stock(place, name, kind, interface, commands, version):
    """An adapter of the project that may be called, of a user's own."""
    dates = {"created": "2026-01-16", "updated": "2026-01-16"}
    for directory in (place.work / ".writ", place.work / ".writ/adapters"):
        directory.mkdir(exist_ok=True)
    (place.work / f".writ/adapters/{name}.yaml").write_text(json.dumps(
        {"adapter_id": f"ADP-{name}", "name": name, "version": "1.0.0", "tool_id": f"TL-{name}", "type": kind,
         "interface": {kind: interface}, "operations": {"run": {}},
         "metadata": {"author": "somebody", "status": "active"} | dates}))
    (place.work / ".writ/tools.yaml").write_text(json.dumps(
        {"tools": [{"tool_id": f"TL-{name}", "name": name, "owner": "me", "status": "active", "version": version,
                    "approval": {"by": "me", "at": "2026-01-16", "reason": "a test"},
                    "scope": {"commands": commands, "operations": ["*"]}}]}))
    # without namespaces nothing protects it inside of what is written
    (place.work / "out").mkdir(exist_ok=True)
    for path in [place.work / "out", *(place.work / ".writ").rglob("*"), place.work / ".writ"]:
        if ROOT and place.who:
            os.chown(path, NOBODY, NOBODY)


def call(place, name, *options):
    answer = place.run("call", "--json", *options, f"{name}.run", seconds=60, below="out")
    return answer, json.loads(answer.out)


def each_way(check):
    for way in WAYS:
        def played(scratch, way=way):
            check(Place(scratch, way))
        played.__doc__ = f"without {way}: {check.__doc__}"
        CASES.append(played)
    return check


@each_way
def versions(place):
    """a tool is asked for its version, where the caller may do without; else the layer is named"""
    stock(place, "py", "cli", {"executable": "python3", "base_args": ["-c", "print(1)"], "arg_mapping": {}},
          ["python3"], "3+")
    answer, found = call(place, "py")
    insist(answer.status == 125 and found["error"]["code"] == "LAYER_MISSING", answer)
    insist("LAYER_MISSING:" in found["message"], answer)
    answer, found = call(place, "py", *weak(place))
    insist(answer.status == 0 and found["text"] == "1\n", answer)


@each_way
def servers(place):
    """a server of tools is started, where the caller may do without; else the layer is named"""
    stock(place, "mcp", "mcp", {"server": "small", "transport": "stdio", "tool_mapping": {"run": "run"},
                              "command": ["python3", "-c", SERVER]},
          ["python3"], "1.0.0")
    answer, found = call(place, "mcp")
    insist(answer.status == 125 and found["error"]["code"] == "LAYER_MISSING", answer)
    answer, found = call(place, "mcp", *weak(place))
    insist(answer.status == 0 and found["ok"], answer)


@each_way
def imports(place):
    """the tools of a server become an adapter, where the caller may do without; else the layer is named"""
    words = ["mcp", "--", "python3", "-c", SERVER]
    answer = place.run("adapters", "import", "--json", *words)
    insist(answer.status == 125 and json.loads(answer.out)["code"] == "LAYER_MISSING", answer)
    answer = place.run("adapters", "import", "--json", *weak(place), *words, seconds=60)
    insist(answer.status == 0 and json.loads(answer.out)["operations"] == 1, answer)
    answer = place.run("adapters", "import", "--json", "--allow-weak=nosuch", *words)
    insist(answer.status == 64 and b"'nosuch' is no layer" in answer.out, answer)


@each_way
def compilers(place):
    """wasm is compiled, where the caller may do without; else the layer is named, and not the module blamed"""
    if not all(map(shutil.which, ("clang", "wasm-ld", "wasm2c"))):
        raise tap.Skip("nothing here compiles wasm")
    there, worker = place.state.parent / "words", WRIT.parent / "writ-pure"
    shutil.copytree(EXAMPLE, there)
    shutil.copy(worker, place.state.parent)
    subprocess.run(["clang", "--target=wasm32", "-O2", "-nostdlib", "-Wl,--no-entry", "-Wl,--max-memory=1048576",
                    "-o", there / "word_count.wasm", there / "word_count.c"], check=True)
    words = ["executors", "add", "--json", there / "word_count.yaml"]
    answer = place.run(*words)
    insist(answer.status == 125 and b": LAYER_MISSING:" in answer.out, answer)
    insist(b"does not take" not in answer.out and b"SIMD" not in answer.out, answer)
    answer = place.run(*words, *weak(place), seconds=60)
    insist(answer.status == 0, answer)
    answer = place.run(*words, "--allow-weak=nosuch")
    insist(answer.status == 64 and b"'nosuch' is no layer" in answer.out, answer)


@case
def groups_at_once(scratch):
    """where root has to lend a user its groups, what writ exec prints does that for all of them, as it is printed"""
    place = Place(scratch)
    told = place.run("exec", "--", "true")
    begin = "in the shell that runs writ: "
    if not ROOT or begin.encode() not in told.err:
        raise tap.Skip("no group of version 1 is root's here")
    typed = told.err.decode().splitlines()[0].split(begin)[1].replace("sudo ", "")
    names = re.search("for d in (.*?); do", typed)
    groups = [name + f"/writ-user-{NOBODY}" for name in names[1].split()] if names else re.findall(r"d=(\S+);", typed)
    try:
        done = tap.run(["/bin/sh", "-c", f"{typed}; exec setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups "
                        f"{place.writ} exec -- true"], cwd=place.work, env=place.env)
        insist(done.status == 0, done)
    finally:
        for group in groups:
            pathlib.Path(group).rmdir()


@case
def grants(scratch):
    """what a step is told to grant instead is what a step can say, and then it runs"""
    place = Place(scratch, "user")
    stock(place, "py", "cli", {"executable": "python3", "base_args": [], "arg_mapping": {}}, ["touch"], "1.0.0")
    plan = place.work / "plan.yaml"
    plan.write_text("name: t\nsteps: [{name: a, run: [touch, out/made]}]\n")
    answer = place.run("run", "--json", *weak(place), "plan.yaml")
    advice = re.search(r"in a document by (sandbox: .*?\}\})", answer.out.decode())
    insist(advice, answer)
    plan.write_text(f"name: t\nsteps: [{{name: a, run: [touch, out/made], {advice[1]}}}]\n")
    answer = place.run("run", "--json", *weak(place), "plan.yaml")
    insist(answer.status == 0 and (place.work / "out/made").exists(), answer)


# ---- without namespaces and groups, where the kernel's limit on processes is on all of a user's ----

def alone(scratch, script, *options):
    """Runs a script for sh that has writ exec as "$@", where there is neither a user namespace nor a group."""
    place = Place(scratch)
    ways = [word for way in ("cgroup", "user-filter") for word in (place.without, way, "--")]
    if tap.run([*ways, place.writ, "doctor", "--json"], cwd=place.work, env=place.env, **place.who).out[:1] != b"{":
        raise tap.Skip("these layers cannot be taken away together")
    answer = tap.run([*ways, "sh", "-c", script, "sh", place.writ, "exec", "--json", "--allow-weak=cgroup",
                      "--allow-weak=user", *options, "--", "sh", "-c"],
                     cwd=place.work, env=place.env, seconds=60, **place.who)
    insist(answer.status != 98, answer)
    return answer, json.loads(answer.out)


@case
def beside_others(scratch):
    """what else a user starts takes no room from a run without a group"""
    script = r"""mkfifo ready go; "$@" 'echo >ready; read go <go; for i in 1 2 3 4 5 6 7 8; do echo $i; done | cat' &
        run=$! others=; read ready <ready
        for i in $(seq 40); do sleep 60 & others="$others $!"; done
        echo >go; wait $run; kill $others"""
    answer, record = alone(scratch, script)
    insist((record["exit_code"], len(record["stdout"]["text"].split()), record["usage"]["pids_hits"]) == (0, 8, 0), answer)
    insist("children" in record["not_held"], answer)


@case
def too_many(scratch):
    """without a group the youngest that are too many are ended"""
    answer, record = alone(scratch, r"""mkfifo never; "$@" 'all=
        for i in 1 2 3 4 5 6; do (read x <never) & all="$! $all"; done
        for pid in $all; do n=$((n+1)); [ $n -gt 4 ] && kill $pid; wait $pid; echo $?; done; exit 0'""", "--max-children=2")
    insist(record["exit_code"] == 0 and record["usage"]["pids_hits"] == 4, answer)
    insist(record["stdout"]["text"].split() == ["137"] * 4 + ["143"] * 2, answer)


@case
def first_threads_ended(scratch):
    """one whose first thread has ended counts as well"""
    answer, record = alone(scratch, r"""cat >one.py <<'END'
import ctypes, os, signal, threading, time
all = []
for _ in range(6):
    pid = os.fork()
    if pid == 0:
        threading.Thread(target=time.sleep, args=(60,)).start()
        ctypes.CDLL(None).pthread_exit(None)
    all.append(pid)
dead = [os.wait() for _ in range(4)]
print(*(os.WTERMSIG(status) for _, status in dead))
for pid in set(all) - {pid for pid, _ in dead}:
    os.kill(pid, signal.SIGKILL)
END
"$@" 'exec /usr/bin/python3 one.py'""", "--max-children=2")
    insist(record["exit_code"] == 0 and record["stdout"]["text"] == "9 9 9 9\n", answer)


@case
def no_room(scratch):
    """a user who may have no more processes is told so"""
    place = Place(scratch, "user-filter")
    told = [place.run("exec", "--allow-weak=cgroup", "--allow-weak=user", "--", "true",
                      before=["prlimit", f"--nproc={most}"]) for most in range(1, 13)]
    if all(one.status == 0 for one in told):
        raise tap.Skip("this user is not held to that")
    for one in told:
        insist(one.status == 0 or b" process " in one.err and b"vanished" not in one.err, one)


if __name__ == "__main__":
    sys.exit(tap.play(CASES))
