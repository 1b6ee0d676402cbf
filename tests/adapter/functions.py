#!/usr/bin/env python3
"""functions: adapters of the kind sdk: real functions in Python, node, Go and Rust, in the sandbox.

usage: functions.py RUN_PLAN WRIT      prints TAP
"""
import json
import os
import shutil
import subprocess
import sys
import time

import toolshed
from toolshed import SECRET, adapter, hold, plan, plans, retry, same, step, tool, true

CASES = []
case = toolshed.collector(CASES)


def sdk(name, language, package, module, functions, **members):
    interface = {"language": language, "package": package, "import_path": module, "function_mapping": functions}
    return adapter(name, "sdk", interface, **members)


def stock(place, one, *commands):
    place.stock(one, tools=[tool(one["name"], commands=[*commands, "python3", "node"])])


PYTHON = """
import os, sys
def add(a, b=1):
    print("noise"); print("more", file=sys.stderr)
    return {"sum": a + b}
def seeds(): return [str(hash("x")), os.environ.get("PYTHONHASHSEED")]
def wrong(): raise ValueError("it is wrong")
def nan(): return float("nan")
def leave(): os._exit(0)
def token(): return [os.environ.get("TOKEN"), os.environ.get("OTHER")]
"""


@case
def R_001_094_R_001_095_R_001_096_R_001_097_a_python_function_is_called(place):
    place.put("lib/mine.py", PYTHON)
    stock(place, sdk("py", "python", "./lib", "mine", {n: n for n in ("add", "seeds", "wrong", "nan", "leave")}))
    same(place.fine("py.add", "a:=1", "b:=2"), {"sum": 3})
    same(place.fine("py.add", "a:=1"), {"sum": 2})
    same(place.fine("py.seeds"), place.fine("py.seeds"))
    run = place.call("py.wrong")
    hold(run.status == 1 and "it is wrong" in run.record["error"]["message"], run)
    true("mine.py:7: it is wrong" in run.record["error"]["message"], run.record)
    for name in ("nan", "leave"):
        run = place.call(f"py.{name}")
        hold(run.status != 0 and not run.record["ok"], run)
    run = place.call("py.add", "c:=1")
    hold(run.status == 1 and not run.record["ok"], run)


@case
def R_001_094_a_project_s_functions_are_the_project_s(place):
    place.put("outside/theirs/mine.py", PYTHON)
    os.symlink(f"{place.repo}/../outside/theirs", f"{place.repo}/up")
    for package, status in (("./..", 65), ("./lib/../..", 65), ("./up", 64)):
        stock(place, sdk("py", "python", package, "mine", {"add": "add"}))
        place.fails(status, "PATH_REFUSED", "py.add", "a:=1", told=["outside of the project"])


LEAVES = """
import json, sys
def leave(code): sys.exit(code)
def deep(text): return json.loads(text)
"""


@case
def R_001_109_A01_12_the_code_that_a_function_ends_with_is_its_exit_code(place):
    place.put("lib/mine.py", LEAVES)
    stock(place, sdk("py", "python", "./lib", "mine", {"leave": "leave", "deep": "deep"}, errors=retry(2, 3)))
    for code, status, attempts in (("3", 3, 2), ("4", 4, 1), ("0", 1, 1), ("null", 1, 1), ('"no"', 1, 1), ("256", 1, 1)):
        run = place.call("py.leave", f"code:={code}")
        hold(run.status == status and run.record["attempts"][-1]["exit_code"] == status, run)
        hold(len(run.record["attempts"]) == attempts and "mine.py:3: " in run.record["error"]["message"], run)
    place.fails(1, "command_failed", "py.deep", "text=x", told=["JSONDecodeError: mine.py:4: "])


@case
def a_node_function_tells_its_line_and_its_code(place):
    if not shutil.which("node", path="/usr/bin:/usr/local/bin"):
        raise plans.tap.Skip("there is no node")
    place.put("lib/mine.mjs", "export function leave({code}) { process.exit(code); }\n"
                              "export function wrong() {\n  return JSON.parse('x'); }\n")
    stock(place, sdk("js", "node", "./lib", "mine.mjs", {"leave": "leave", "wrong": "wrong"},
                     sandbox_override={"memory_mb": 1024, "timeout_ms": 20000}))
    for code, status in ((3, 3), (0, 1)):
        place.fails(status, "command_failed", "js.leave", f"code:={code}")
    place.fails(1, "command_failed", "js.wrong", told=["SyntaxError: mine.mjs:3: "])


@case
def a_text_that_ends_its_line_is_printed_with_no_other(place):
    place.put("lib/mine.py", "def line(): return 'a\\nb\\n'\ndef word(): return 'a'\n")
    stock(place, sdk("py", "python", "./lib", "mine", {"line": "line", "word": "word"}))
    same((place.writ("call", "py.line").out, place.writ("call", "py.word").out), (b"a\nb\n", b"a\n"))


@case
def R_001_095_a_function_of_the_standard_library_is_called(place):
    stock(place, sdk("mean", "python", "statistics", "statistics", {"mean": "mean"}))
    same(place.fine("mean.mean", "data:=[1,2,6]"), 3)


def told_by_its_operation(place, name, function):
    """People are told which operation it was, and not the program that calls it; what is recorded is whole."""
    run = place.call(name)
    id, = place.executions(run)
    for words in (("log",), ("log", "--execution", id), ("show", id)):
        run = place.writ(*words)
        hold(run.status == 0 and f"call {name}".encode() in run.out and b"SPDX" not in run.out, run)
    run = place.writ("log", "--state", "planned")  # nothing there says which operation it is
    hold(function.encode() in run.out and b"SPDX" not in run.out and b"calls one" not in run.out, run)
    true("SPDX" in json.dumps(place.log("--execution", id)), "what ran is on record")


@case
def a_function_s_run_is_told_by_its_operation(place):
    place.put("lib/mine.py", PYTHON)
    stock(place, sdk("py", "python", "./lib", "mine", {"sow": "seeds"}))
    told_by_its_operation(place, "py.sow", "mine seeds")


@case
def a_node_function_s_run_is_told_by_its_operation(place):
    if not shutil.which("node", path="/usr/bin:/usr/local/bin"):
        raise plans.tap.Skip("there is no node")
    place.put("lib/mine.mjs", "export function chance() { return Math.random(); }\n")
    stock(place, sdk("js", "node", "./lib", "mine.mjs", {"roll": "chance"},
                     sandbox_override={"memory_mb": 1024, "timeout_ms": 20000}))
    told_by_its_operation(place, "js.roll", "mine.mjs chance")


@case
def R_001_094_a_node_function_is_called(place):
    if not shutil.which("node", path="/usr/bin:/usr/local/bin"):
        raise plans.tap.Skip("there is no node")
    place.put("lib/mine.mjs", "export async function add({a, b}) { console.log('noise'); return {sum: a + b}; }\n"
                              "export function chance() { return Math.random(); }\n"
                              "export function wrong() { throw new Error('it is wrong'); }\n")
    stock(place, sdk("js", "node", "./lib", "mine.mjs", {n: n for n in ("add", "chance", "wrong")},
                     sandbox_override={"memory_mb": 1024, "timeout_ms": 20000}))
    same(place.fine("js.add", "a:=1", "b:=2"), {"sum": 3})
    same(place.fine("js.chance"), place.fine("js.chance"))
    run = place.call("js.wrong")
    hold(run.status == 1 and "it is wrong" in run.record["error"]["message"], run)


CHANCE = """
import os, random, time
def chance(): return [random.random(), hash("a"), time.time(), os.urandom(4).hex(), os.listdir(".")]
"""


@case
def R_001_150_R_001_153_a_deterministic_function_draws_the_same_at_the_same_time(place):
    place.put("lib/mine.py", CHANCE)
    both = {"d": "chance", "n": "chance"}
    stock(place, sdk("py", "python", "./lib", "mine", both, operations={"d": {"deterministic": True}, "n": {}}))
    env = {"WRIT_SESSION": "one"}
    same(place.fine("py.d", env=env), place.fine("py.d", env=env))
    same(place.fine("py.d", env=env)[4], [])
    true(place.fine("py.n", env=env) != place.fine("py.n", env=env), "another time each time")
    same(place.call("py.d", env=env).record["cached"], False)  # it can read all of lib


@case
def R_001_150_R_001_153_a_deterministic_node_function_is_held(place):
    if not shutil.which("node", path="/usr/bin:/usr/local/bin"):
        raise plans.tap.Skip("there is no node")
    place.put("lib/mine.mjs", "import { randomUUID } from 'node:crypto';\n"
                              "export function chance() { return [Math.random(), Date.now(), randomUUID()]; }\n")
    stock(place, sdk("js", "node", "./lib", "mine.mjs", {"d": "chance"}, operations={"d": {"deterministic": True}},
                     sandbox_override={"memory_mb": 1024, "timeout_ms": 20000}))
    same(place.fine("js.d"), place.fine("js.d"))


@case
def R_001_156_A01_13_a_function_that_reads_no_package_is_remembered_for_its_session(place):
    stock(place, sdk("mean", "python", "statistics", "statistics", {"mean": "mean"},
                     operations={"mean": {"deterministic": True}}))
    for data, session, cached in (("[1,2,6]", "one", False), ("[1,2,6]", "one", True), ("[1,2,9]", "one", False),
                                  ("[1,2,6]", "other", False)):
        run = place.call("mean.mean", f"data:={data}", env={"WRIT_SESSION": session})
        hold(run.status == 0 and run.record["cached"] == cached, run)
        same(run.record["output"], 3 if "6" in data else 4)
        place.recorded(run)
    place.verify()


@case
def R_001_094_a_rust_function_is_built_once_and_called(place):
    cargo = shutil.which("cargo", path=f"{os.path.expanduser('~')}/.cargo/bin:/usr/bin")
    if not cargo:
        raise plans.tap.Skip("there is no cargo")
    place.put("crate/Cargo.toml", '[package]\nname = "mine"\nversion = "0.1.0"\nedition = "2021"\n')
    place.put("crate/src/lib.rs", "pub fn twice(s: &str) -> Result<String, String> { Ok(format!(\"[{s},{s}]\")) }\n")
    stock(place, sdk("rs", "rust", "./crate", "mine", {"twice": "twice"},
                     sandbox_override={"memory_mb": 1024, "timeout_ms": 60000}), "cargo")
    env = {"PATH": f"{os.path.dirname(cargo)}:/usr/bin:/bin", "HOME": os.path.expanduser("~"),
           "XDG_CACHE_HOME": str(place.outside / "cache")}
    first = place.call("rs.twice", "a:=1", env=env)
    hold(first.status == 0 and first.record["output"] == [{"a": 1}, {"a": 1}], first)
    before = len(place.log("--kind", "input"))
    same(place.fine("rs.twice", "a:=2", env=env), [{"a": 2}, {"a": 2}])
    same(len(place.log("--kind", "input")), before + 1)


@case
def R_001_094_a_go_function_is_built_once_and_called(place):
    if not shutil.which("go", path="/usr/bin:/usr/local/go/bin"):
        raise plans.tap.Skip("there is no go")
    place.put("mod/go.mod", "module example.org/mine\n\ngo 1.18\n")
    place.put("mod/mine.go", "package mine\n\ntype In struct{ A int `json:\"a\"` }\n\n"
                             "func Twice(in In) (int, error) { return 2 * in.A, nil }\n")
    stock(place, sdk("go", "go", "./mod", "example.org/mine", {"twice": "Twice"},
                     sandbox_override={"memory_mb": 2048, "timeout_ms": 300000}), "go")
    env = {"XDG_CACHE_HOME": str(place.outside / "cache")}
    same(place.fine("go.twice", "a:=4", env=env), 8)
    same(place.fine("go.twice", "a:=5", env=env), 10)


# A compiler that takes its time, and has a product half way that is none.
SLOW_GO = """#!/bin/sh
echo '#!/bin/false' >program; chmod +x program
sleep 2
printf '%s\\n' '#!/bin/sh' 'echo "{\\"ok\\":true,\\"value\\":7}" >&3' >program
"""


@case
def builds_at_once_and_builds_cut_short_leave_each_other_alone(place):
    place.put("outside/tools/go", SLOW_GO).chmod(0o755)
    place.put("mod/mine.go", "package mine\n\nfunc Seven() int { return 7 }\n")
    stock(place, sdk("go", "go", "./mod", "example.org/mine", {"seven": "Seven"}), "go")
    env = {"XDG_CACHE_HOME": str(place.outside / "cache"), "PATH": f"{place.outside / 'tools'}:/usr/bin:/bin"}
    built = place.outside / "cache/writ/sdk"

    def begin():
        seen = set(built.glob("*/program"))
        child = subprocess.Popen([plans.tap.WRIT, "call", "--json", "go.seven"], cwd=place.work, env=place.environment(env),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 20
        while child.poll() is None and set(built.glob("*/program")) == seen and time.monotonic() < deadline:
            time.sleep(0.02)
        return child

    cut = begin()
    cut.kill()
    cut.communicate()
    left, = (path for path in built.iterdir() if "." in path.name)
    os.utime(left, (0, 0))
    both = [begin(), begin()]
    for child in both:
        out = child.communicate(timeout=60)[0]
        same((child.returncode, json.loads(out).get("output")), (0, 7))
    same(place.fine("go.seven", env=env), 7)
    same([path.name.count(".") for path in built.iterdir()], [0])


@case
def a_project_does_not_choose_what_else_a_function_reads(place):
    for package in ("/etc", "../outside", "./../outside"):
        stock(place, sdk("far", "python", package, "mine", {"add": "add"}))
        place.never("PATH_REFUSED", "far", "far.add", "a:=1", at="/interface/sdk/package", told=["outside"])


@case
def secrets_reach_a_function_only_where_the_adapter_names_them(place):
    place.put("lib/mine.py", PYTHON)
    one = sdk("py", "python", "./lib", "mine", {"token": "token"},
              secrets=[{"name": "t", "env": "MINE", "variable": "TOKEN"}])
    stock(place, one)
    same(place.fine("py.token", env={"MINE": SECRET, "OTHER": SECRET}), ["[redacted]", None])


@case
def the_digest_of_a_result_is_that_of_what_is_kept(place):
    place.put("lib/mine.py", PYTHON)
    stock(place, sdk("py", "python", "./lib", "mine", {"token": "token"},
                     secrets=[{"name": "t", "env": "MINE", "variable": "TOKEN"}]))
    for secret in (SECRET, SECRET[::-1], SECRET + SECRET):
        same(place.fine("py.token", env={"MINE": secret}), ["[redacted]", None])
    results = [entry["body"]["result"] for entry in place.log("--kind", "manifest")]
    same((len(results), len({result["digest"] for result in results})), (3, 1), results)
    true(not any(result["truncated"] for result in results), results)


@case
def a_function_is_an_action_of_a_plan(place):
    place.put("lib/mine.py", PYTHON)
    stock(place, sdk("py", "python", "./lib", "mine", {"add": "add"}))
    ran = place.comes_to("success", plan(step("py.add", {"a": 1}), step("py.add", {"a": 2})))
    true(len(ran.result["result_payload"]["steps"]) == 2, json.dumps(ran.record))


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
