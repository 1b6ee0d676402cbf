#!/usr/bin/env python3
"""again: calls that are tried again, fall back to another adapter, or are remembered.

usage: again.py RUN_PLAN WRIT      prints TAP
"""
import json
import shutil
import signal
import subprocess
import sys

import toolshed
from toolshed import SECRET, cli, hold, plans, retry, same, script, tool, true

CASES = []
case = toolshed.collector(CASES)

ARGS = "import sys,json; print(json.dumps(sys.argv[1:]))"
FLAKY = ("import os,sys\n"
         "n = int(open('count').read()) if os.path.exists('count') else 0\n"
         "open('count', 'w').write(str(n + 1))\n"
         "sys.exit(75 if n < 2 else 0)\n")
PARSED = {"transforms": {"input": [], "output": [{"type": "parse", "spec": "json"}]}}


# ---- again, and otherwise ----

@case
def R_001_109_R_001_110_R_001_111_A01_12_listed_exit_codes_are_tried_again(place):
    place.stock(script("flaky", FLAKY, errors=retry(3, 75)))
    run = place.call("flaky.run")
    hold(run.status == 0, run)
    same([attempt["exit_code"] for attempt in run.record["attempts"]], [75, 75, 0])
    same(len(set(place.executions(run))), 3)
    place.recorded(run)


@case
def R_001_109_R_001_111_nothing_else_is_tried_again(place):
    place.stock(script("flaky", FLAKY, errors=retry(3, 74)), script("twice", FLAKY, errors=retry(2, 75)))
    for name, attempts in (("flaky.run", 1), ("twice.run", 2)):
        (place.work / "count").unlink(missing_ok=True)
        run = place.fails(75, "command_failed", name)
        same(len(run.record["attempts"]), attempts)


@case
def R_001_112_R_001_113_another_adapter_takes_over_when_its_condition_holds(place):
    def first(condition, code=3):
        return script("first", f"import sys; print('no', file=sys.stderr); sys.exit({code})",
                      errors={"fallback": {"adapter_id": "ADP-second", "condition": condition}})

    second = script("second", ARGS, **PARSED)
    for condition, holds in (("failed", True), ("3", True), ("1, 3", True), ("4", False), ("timeout", False),
                             ("unavailable", False)):
        place.stock(first(condition), second)
        run = place.call("first.run", "word=x")
        hold((run.status == 0) == holds and run.record["fell_back"] == holds, run)
        if holds:
            same((run.record["output"], run.record["adapter_id"], len(run.record["attempts"])), (["x"], "ADP-second", 2))
        else:
            true("no" in run.record["error"]["message"], run.record)


@case
def why_the_first_failed_is_told_where_its_fallback_does_not_help(place):
    def first(other):
        return script("first", "import sys; print('went wrong', file=sys.stderr); sys.exit(3)",
                      errors={"fallback": {"adapter_id": other, "condition": "failed"}})

    last = script("last", "import sys; print('out of order', file=sys.stderr); sys.exit(4)")
    place.stock(first("ADP-last"), last)
    place.fails(4, "command_failed", "first.run", told=["ADP-first: ", "went wrong", "fell back to ADP-last: ", "out of order"])
    true(b"went wrong" in place.writ("call", "first.run").err, "text")
    place.stock(first("ADP-none"), last)
    run = place.fails(3, "command_failed", "first.run", told=["ADP-first: ", "went wrong", "cannot fall back to ADP-none: "])
    same(len(run.record["attempts"]), 1)
    place.stock(first("ADP-last"), last | {"version": 7})
    place.fails(3, "command_failed", "first.run", told=["went wrong", "cannot fall back to ADP-last: "])
    place.stock(first("ADP-last"), script("last", ARGS, {"other": "{other}"}))
    run = place.fails(3, "command_failed", "first.run", "word=x",
                      told=["ADP-first: ", "went wrong", "cannot fall back to ADP-last: 'word' is no parameter"])
    same((run.record["fell_back"], run.record["adapter_id"]), (False, "ADP-first"))
    for other, told in (("ADP-last", b""), ("ADP-none", b"'ADP-none' is no adapter of this project or of writ")):
        place.stock(first(other), last)
        run = place.writ("check", str(place.repo / ".writ/adapters/first.yaml"))
        hold(run.status == 0 and told in run.out and (b"warning" in run.out) == bool(told), run)


@case
def R_001_113_a_call_that_is_refused_is_no_failure_of_its_adapter(place):
    back = {"errors": {"fallback": {"adapter_id": "ADP-second", "condition": "failed"}}}
    second = script("second", ARGS, {"word": "{word}", "wrod": "--wrod={value}"})
    place.stock(script("first", ARGS, **back), second)
    run = place.fails(64, "PARAMETER_REFUSED", "first.run", "wrod=x", told=["'wrod' is no parameter"])
    same((run.record["fell_back"], len(run.record["attempts"])), (False, 1))
    place.stock(script("first", ARGS, **back), second, tools=[tool("first", commands=["/bin/true"]), tool("second")])
    run = place.fails(77, "COMMAND_NOT_ALLOWED", "first.run", "word=x")
    same((run.record["fell_back"], len(run.record["attempts"])), (False, 1))
    place.stock(script("first", ARGS, secrets=[{"name": "t", "env": "T", "variable": "T"}], **back), second)
    hold(place.call("first.run", "word=x").record["fell_back"], "a secret that is not there is the adapter's failure")


@case
def R_001_112_a_circle_of_fallbacks_ends(place):
    def of(name, other):
        return script(name, "import sys; sys.exit(1)",
                      errors={"fallback": {"adapter_id": f"ADP-{other}", "condition": "failed"}})

    place.stock(of("a", "b"), of("b", "a"))
    run = place.fails(1, "command_failed", "a.run")
    same([attempt["adapter_id"] for attempt in run.record["attempts"]], ["ADP-a", "ADP-b"])


# ---- the same again ----

COUNT = ("import os,sys\n"
         "try: open('left', 'w')\n"
         "except OSError: pass\n"
         "print(sys.argv[1], sorted(os.listdir('.')))\n")


@case
def R_001_156_A01_13_a_deterministic_operation_is_remembered_for_its_session(place):
    place.stock(script("d", COUNT, operations={"run": {"deterministic": True}}), script("n", COUNT))
    env = {"WRIT_SESSION": "one"}
    for name, word, more, cached in (("d", "x", (), False), ("d", "x", (), True), ("d", "y", (), False),
                                     ("d", "x", ("--fresh",), False), ("n", "x", (), False), ("n", "x", (), False)):
        run = place.call(f"{name}.run", f"word={word}", env=env, options=more)
        hold(run.status == 0 and run.record["cached"] == cached, run)
        if name == "d":  # it sees and leaves nothing
            same(run.record["text"], f"{word} []\n")
        place.recorded(run)
    run = place.call("d.run", "word=x", env={"WRIT_SESSION": "other"})
    same(run.record["cached"], False)
    listed = json.loads(place.writ("cache", "list", "--level", "execution-results", "--json", env=env).out)["items"]
    same({item.get("about") for item in listed}, {"ADP-d.run 1.0.0"})
    true(b"ADP-d.run 1.0.0\n" in place.writ("cache", "list", env=env).out, "for people")
    run = place.call("d.run", "word=x", env=env)
    bodies = [entry["body"] for entry in place.log("--execution", place.executions(run)[0])]
    true(any('"kind": "cache"' in json.dumps(body) for body in bodies), bodies)
    place.verify()


CHANCE = ("import os,random,time,uuid\n"
          "print(time.time(), time.monotonic(), random.random(), os.urandom(4), uuid.uuid4())\n")


@case
def R_001_150_R_001_153_a_deterministic_operation_draws_the_same_at_the_same_time(place):
    place.stock(script("d", CHANCE, operations={"run": {"deterministic": True}}), script("n", CHANCE))
    texts = {name: [place.call(f"{name}.run", "word=x", options=["--fresh"]).record["text"] for _ in range(2)]
             for name in "dn"}
    true(texts["d"][0] == texts["d"][1] and texts["d"][0].startswith("315532800.0 "), texts)
    true(texts["n"][0] != texts["n"][1], texts)


@case
def R_001_156_a_secret_or_a_changed_adapter_is_another_result(place):
    one = script("d", COUNT, operations={"run": {"deterministic": True}})
    env = {"WRIT_SESSION": "one", "T": SECRET}
    place.stock(one)
    place.fine("d.run", "word=x", env=env)
    place.stock(one | {"version": "1.0.1"})
    same(place.call("d.run", "word=x", env=env).record["cached"], False)
    place.stock(one | {"secrets": [{"name": "t", "env": "T", "variable": "T"}]})
    for _ in range(2):
        same(place.call("d.run", "word=x", env=env).record["cached"], False)


@case
def R_001_156_a_result_is_not_given_to_who_denies_what_it_was_made_from(place):
    read = "/usr/lib/os-release"
    place.stock(cli("show", "cat", read, operations={"run": {"deterministic": True}}), tools=[tool("show", commands=["cat"])])
    env = {"WRIT_SESSION": "one"}
    for more in ((), ("--memory-mb", 64), ("--deny", "/opt")):
        for cached in (False, True):
            run = place.call("show.run", env=env, options=more)
            hold(run.status == 0 and run.record["cached"] == cached, run)
    for _ in range(2):
        run = place.call("show.run", env=env, options=("--deny", read))
        hold(run.status != 0 and not run.record["cached"] and "text" not in run.record, run)


@case
def a_tool_that_brings_its_own_files_is_not_remembered(place):
    # what lies around its program, or reads it, is an input that nobody has a digest of
    reader = place.put("outside/reader", "")
    shutil.copy("/bin/sh", reader)
    names = {"kit": place.put("outside/kit/bin/show", '#!/bin/sh\nread -r word <"${0%/*}/../share/data"; echo "$word"\n'),
             "lone": place.put("outside/lone/show", "#!/bin/sh\necho one\n"),
             "read": place.put("outside/read/show", f"#!{reader}\necho one\n")}
    for path in (reader, *names.values()):
        path.chmod(0o755)
    place.stock(*(cli(name, str(path), operations={"run": {"deterministic": True}}) for name, path in names.items()),
                tools=[tool(name, commands=[str(path)]) for name, path in names.items()])
    for name, data, cached in (("kit", "one", False), ("kit", "two", False), ("lone", "one", False), ("lone", "one", True),
                               ("read", "one", False), ("read", "one", False)):
        place.put("outside/kit/share/data", data + "\n")
        run = place.call(f"{name}.run", env={"WRIT_SESSION": "one"})
        hold(run.status == 0 and (run.record["text"], run.record["cached"]) == (data + "\n", cached), run)


@case
def R_001_159_A01_17_another_version_of_the_tool_is_not_called(place):
    for where in ("registry", "adapter"):
        for wanted, fits in (("3+", True), ("999+", False), ("2.7", False)):
            one = cli("py", "python3", "-c", "print(1)", operations={"run": {}},
                      **({"tool_version": wanted} if where == "adapter" else {}))
            allowed = tool("py", commands=["python3"]) | ({"version": wanted} if where == "registry" else {})
            place.stock(one, tools=[allowed])
            if fits:
                same(place.fine("py.run"), "1\n")
            else:
                place.fails(77, "TOOL_VERSION", "py.run", told=["python3", wanted, where])


@case
def a_call_that_is_called_off_before_another_attempt_does_nothing_more(place):
    second = {"fallback": {"adapter_id": "ADP-second", "condition": "failed"}}
    place.stock(script("first", "import sys; sys.exit(75)", errors=retry(2, 75, backoff_ms=30000) | second),
                script("second", "open('fell', 'w')"))
    with open(place.scratch / "out", "w+b") as out, open(place.scratch / "err", "w+b") as err:
        child = subprocess.Popen([plans.tap.WRIT, "call", "--json", "first.run"], cwd=place.work,
                                 env=place.environment(None), stdin=subprocess.DEVNULL, stdout=out, stderr=err)
    plans.until(lambda: b'"failed"' in place.writ("log", "--json").out, "the first attempt", child)
    child.send_signal(signal.SIGINT)
    run = place.end(child)
    hold(run.status == 143 and run.record["error"]["code"] == "EXECUTION_HALTED", run)
    hold(len(run.record["attempts"]) == 1 and not run.record["fell_back"], run)
    true(not (place.work / "fell").exists(), run)


@case
def a_step_whose_time_is_up_before_another_attempt_does_nothing_more(place):
    second = {"fallback": {"adapter_id": "ADP-second", "condition": "failed"}}
    place.stock(script("first", "import sys; sys.exit(75)", errors=retry(2, 75, backoff_ms=30000) | second),
                script("second", "open('fell', 'w')"))
    ran = place.comes_to("failure", plans.plan(plans.step("first.run", {}, timeout_ms=2000)))
    same(ran.error["error_code"], "STEP_TIMEOUT")
    true("second" not in str(place.log()), ran)


INSTALLED = 'mount --bind "$1" /usr/local/bin && shift && exec "$@"'


@case
def a_call_that_is_called_off_waits_for_no_version(place):
    mark = plans.marker()
    path = place.put("outside/bin/slow-tool", f"#!/bin/sh\nexec sleep {mark}\n")
    path.chmod(0o755)
    inside = ["unshare", "-m", "/bin/sh", "-c", INSTALLED, "sh", str(path.parent)]
    if not shutil.which("unshare") or subprocess.run([*inside, "true"], capture_output=True).returncode:
        raise plans.tap.Skip("may not mount")
    place.stock(cli("slow", "slow-tool", operations={"run": {}}), tools=[tool("slow", commands=["slow-tool"]) | {"version": "1+"}])
    with open(place.scratch / "out", "w+b") as out, open(place.scratch / "err", "w+b") as err:
        child = subprocess.Popen([*inside, plans.tap.WRIT, "call", "--json", "slow.run"], cwd=place.work,
                                 env=place.environment(None), stdin=subprocess.DEVNULL, stdout=out, stderr=err)
    plans.until(lambda: plans.alive(mark), "it is asked for its version", child)
    child.send_signal(signal.SIGINT)
    run = place.end(child)
    hold(run.status == 130 and run.record["error"]["code"] == "EXECUTION_HALTED", run)
    true("slow-tool" in run.record["error"]["message"], run)
    same(plans.alive(mark), [])


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
