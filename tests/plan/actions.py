#!/usr/bin/env python3
"""actions: what steps of a plan can do, and what a plan is told when they cannot.

usage: actions.py [--postgres] RUN_PLAN WRIT      prints TAP
"""
import json
import socket
import sys

import plans
from plans import (canon, digest, execute, hold, plan, python, retries, same, sh, step, touch, true, until)

CASES = []
case = plans.collector(CASES)


def only(ran):
    """The output of the only step."""
    output, = ran.result["result_payload"]["steps"].values()
    return output


def why(ran):
    """The error of the step that failed first."""
    return ran.error["context"]["errors"][0]


def refused(place, ran, code, *ran_not):
    """The plan failed with this code, and before any step of it began."""
    hold(ran.status == 1 and ran.error["error_code"] == code, ran)
    same((ran.result["steps_executed"], ran.error["severity"], ran.result["result_payload"]), (0, "fatal", {"steps": {}}))
    same(ran.events("step_started"), [])
    same(place.there(*ran_not), [])
    same([entry["state"] for entry in place.log("--kind", "execution_event")], ["planned", "running", "failed"])


def problems(ran):
    """(code, place) of what is wrong with the document."""
    return [(one["code"], one["pointer"]) for one in ran.error["context"]["problems"]]


# ---- execute ----

@case
def R_004_205_a_command_that_succeeds_says_how_and_what_it_printed_is_kept(place):
    ran = place.comes_to("success", plan(sh("printf hello; printf words >&2")))
    output = only(ran)
    same((output["exit_code"], output["cause"]), (0, "exited"))
    for name, text in (("stdout", b"hello"), ("stderr", b"words")):
        same((output[name]["bytes"], output[name]["digest"]), (5, digest(text)))
        same(place.kept(output[name]["evidence"]), text)
    same(ran.record["evidence"], {"files": 2, "bytes": 10, "directory": str(place.state / "evidence")})
    true("hello" not in json.dumps(ran.record), "what it printed is not in the result")


@case
def A04_34_R_004_071_a_command_that_fails_is_step_failed_with_its_exit_code(place):
    for script, code, cause in (("exit 1", 1, "exited"), ("exit 77", 77, "exited"), ("exit 255", 255, "exited"),
                                ("kill -9 $$", 137, "signaled"), ("kill -15 $$", 143, "signaled")):
        ran = place.comes_to("failure", plan(sh(script)))
        same((why(ran)["error_code"], why(ran)["severity"], why(ran)["recoverable"]), ("STEP_FAILED", "error", True))
        same((why(ran)["context"]["exit_code"], why(ran)["context"]["cause"]), (code, cause), script)


@case
def the_last_words_of_a_command_that_fails_are_told(place):
    ran = place.comes_to("failure", plan(sh("seq 1000 >&2; echo the reason >&2; exit 2")))
    line, = [line for line in ran.news if line["event"] == "step_failed"]
    true(line["last_words"].endswith("1000\nthe reason\n") and "\n3\n" not in line["last_words"], line)
    true("the reason" in why(ran)["message"] and "exit 2" in why(ran)["message"], why(ran))
    same(why(ran)["context"]["last_words"], line["last_words"])


@case
def the_last_words_are_the_last_however_much_came_before_them(place):
    script = ("import sys\nsys.stderr.write('progress-line-\u00e4\\n' * 30000)\n"
              "sys.stderr.write('FATAL the real reason\\n')\nsys.exit(1)")
    ran = place.comes_to("failure", plan(python(script)))
    line, = [line for line in ran.news if line["event"] == "step_failed"]
    words = line["last_words"].split("\n")
    same((words[0], words[-2:]), ("progress-line-\u00e4", ["FATAL the real reason", ""]))
    true("exit 1: FATAL the real reason" in why(ran)["message"] and "262144 are kept" in why(ran)["message"], why(ran))
    same((why(ran)["context"]["stderr"]["truncated"], why(ran)["context"]["stderr"]["bytes"]), (True, 30000 * 17 + 22))
    same(len(place.kept(why(ran)["context"]["stderr"]["evidence"])), 262144)


@case
def last_words_that_fit_are_whole_and_others_begin_with_a_character(place):
    for wrote, told in (("first\n" + "x" * 2042, "first\n" + "x" * 2042), ("\u00e4" * 1024 + "x", "\u00e4" * 1023 + "x")):
        script = f"import os, sys; os.write(2, {wrote.encode()!r}); sys.exit(1)"
        same(why(place.comes_to("failure", plan(python(script))))["context"]["last_words"], told)


@case
def bytes_that_are_no_text_do_not_spoil_the_result(place):
    ran = place.comes_to("failure", plan(python("import os, sys; os.write(2, bytes(range(256)) * 3); sys.exit(3)")))
    true("\ufffd" in why(ran)["context"]["last_words"], why(ran))
    same(place.kept(why(ran)["context"]["stderr"]["evidence"]), bytes(range(256)) * 3)


# Which ports of the host's loop are reached through the gate of the step, and which straight.
REACH = """
import socket, sys
for port in map(int, sys.argv[1:]):
    s = socket.create_connection(("127.0.0.1", 3128), 20)
    s.sendall(f"CONNECT 127.0.0.1:{port} HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\n\\r\\n".encode())
    print(s.recv(99).split()[1].decode(), flush=True)
"""


@case
def R_001_018_R_001_052_each_step_reaches_its_own_hosts_and_no_others(place):
    place.registry({"tool_id": "TL-1", "scope": {"commands": plans.COMMANDS, "network": "api"}})
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
        ports = [server.getsockname()[1] for server in (one, two)]
        steps = [python(REACH, *ports, sandbox={"network": {"enabled": True, "allow": [f"127.0.0.1:{port}"]}})
                 for port in ports]
        offline = python(REACH, *ports, on_failure="skip")
        ran = place.comes_to("partial", plan(*steps, offline, steps[0] | {"id": plans.new()}), jobs=3)
        kept = [place.kept(ran.result["result_payload"]["steps"][one["id"]]["stdout"]["evidence"]) for one in steps]
        same(kept, [b"200\n403\n", b"403\n200\n"])
        true("Connection refused" in why(ran)["context"]["last_words"], why(ran))


@case
def a_step_that_missed_a_network_says_what_to_do(place):
    ran = place.comes_to("failure", plan(python("import urllib.request as u; u.urlopen('http://example.org')")))
    true("network.allow" in why(ran)["context"]["why"], why(ran))


# Asks the gate for one host and fails.
ASKS = """
import socket, sys
s = socket.create_connection(("127.0.0.1", 3128), 20)
s.sendall(f"CONNECT {sys.argv[1]} HTTP/1.1\\r\\nHost: {sys.argv[1]}\\r\\n\\r\\n".encode())
s.recv(99)
sys.exit(1)
"""


@case
def a_step_that_was_refused_a_host_says_what_to_do(place):
    place.registry({"tool_id": "TL-1", "scope": {"commands": plans.COMMANDS, "network": "api"}})
    network = {"enabled": True, "allow": ["example.org", "*.example.org"], "deny": ["denied.example.org"]}
    for asked, mend in {"example.invalid:443": "; allow it with network.allow",
                        "example.org:8443": "; allow it with its port in network.allow",
                        "denied.example.org:443": "; what is denied is not reached, whatever allows it",
                        "me:pw@example.org:443": "a user or a password stands before its host"}.items():
        ran = place.comes_to("failure", plan(python(ASKS, asked, sandbox={"network": network})))
        true(why(ran)["context"]["why"].endswith(mend), why(ran))


@case
def a_step_whose_child_came_to_a_limit_says_to_which(place):
    ran = place.comes_to("failure", plan(python(
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'bytearray(200 << 20)'])\nsys.exit('child')",
        sandbox={"memory_mb": 64})))
    same(why(ran)["message"], "exit 1: child (a process was killed, out of memory: memory_mb is 64)")
    ran = place.comes_to("failure", plan(python(
        "import os, sys\ntry: os.fork() and os.fork()\nexcept OSError: sys.exit('parent')",
        sandbox={"processes": {"max_children": 1}})))
    same(why(ran)["message"], "exit 1: parent (a process was refused: max_children is 1)")


@case
def R_004_072_R_004_081_R_004_163_A04_33_out_of_memory_is_fatal_whatever_on_failure_says(place):
    hungry = "x = []\nwhile True: x.append(bytearray(1 << 20))"
    for on_failure in ("skip", "retry"):
        ran = place.comes_to("failure", plan(sh("true"), python(hungry, sandbox={"memory_mb": 64}, on_failure=on_failure),
                                             touch("after"), retry_policy=retries(3, "RESOURCE_EXHAUSTED")))
        same((ran.error["error_code"], ran.error["severity"]), ("RESOURCE_EXHAUSTED", "fatal"))
        same(len(ran.events("step_started")), 2)
        true("64 MB" in ran.error["message"], ran.error)
    same(place.there("after"), [])


@case
def a_command_that_the_registry_does_not_list_is_refused_and_on_failure_decides(place):
    other = execute("/usr/bin/mkdir", "made", on_failure="skip")
    ran = place.comes_to("partial", plan(other, touch("next")))
    same((why(ran)["error_code"], why(ran)["context"]["code"]), ("STEP_FAILED", "COMMAND_NOT_ALLOWED"))
    same([line["note"] for line in ran.news if line["event"] == "step_failed"], ["refused"])
    same(place.there("made", "next"), ["next"])
    reject, = place.rejects()
    same((reject["code"], reject["message"]), ("COMMAND_NOT_ALLOWED", why(ran)["message"]))


@case
def without_a_registry_no_command_of_a_plan_runs(place):
    (place.repo / ".writ/tools.yaml").unlink()
    ran = place.comes_to("failure", plan(touch("ran")))
    same((why(ran)["error_code"], why(ran)["context"]["code"]), ("STEP_FAILED", "COMMAND_NOT_ALLOWED"))
    same(place.there("ran"), [])


@case
def a_registry_that_is_wrong_lets_nothing_run(place):
    place.put(".writ/tools.yaml", "tools: 7\n")
    ran = place.run(plan(touch("ran", on_failure="skip")))
    hold(ran.status in (1, 65), ran)
    same(place.there("ran"), [])


@case
def a_registry_that_is_wrong_is_told_by_what_is_wrong_and_not_by_a_warning_before_it(place):
    place.put(".writ/tools.yaml", "tools: [{tool_id: TL-1, name: all, owner: me, status: active, "
                                  "scope: {commands: [sh], bogus: 1}}]\n")
    told = "registry: a tool's scope has no field 'bogus'; it has commands, operations, filesystem, network, iv02"
    document = plan(touch("ran"))
    foretold = json.loads(place.writ("run", "--dry-run", "--json", place.document(document)).out)
    same(foretold["steps"][0]["refused"]["message"], told)
    same(why(place.comes_to("failure", document))["message"], told)


@case
def files_and_artifacts_are_collected_and_kept_under_their_digests(place):
    script = "printf out > out.txt; mkdir logs; printf one > logs/1.log; printf two > logs/2.log"
    ran = place.comes_to("success", plan(sh(script, outputs={"output_files": ["out.txt"],
                                                             "artifacts": ["logs/*.log", "none.txt"]})))
    output = only(ran)
    files = {one["path"]: one for one in output["output_files"] + output["artifacts"]}
    same(sorted(files), ["logs/1.log", "logs/2.log", "none.txt", "out.txt"])
    for path, text in (("out.txt", b"out"), ("logs/1.log", b"one"), ("logs/2.log", b"two")):
        same((files[path]["state"], files[path]["bytes"], files[path]["digest"]), ("collected", 3, digest(text)))
        same(place.kept(files[path]["digest"]), text)
    true(files["none.txt"]["state"] != "collected" and "digest" not in files["none.txt"], files)
    same(ran.record["evidence"], {"files": 3, "bytes": 9, "directory": str(place.state / "evidence")})
    same([line["note"] for line in ran.news if line["event"] == "step_completed"], ["3 files, 1 not kept"])


@case
def R_001_025_R_001_169_a_step_fails_that_does_not_deliver_its_output_files(place):
    ran = place.comes_to("failure", plan(sh("printf out > out.txt", outputs={"output_files": ["out.txt", "none.txt"]}),
                                         touch("after")))
    true("the output file 'none.txt' was not delivered: missing" in json.dumps(why(ran)), why(ran))
    hold(not (place.work / "after").exists(), ran)


@case
def what_is_expected_of_a_command_decides_whether_its_step_completed(place):
    right = sh("echo yes; exit 3", outputs={"stdout": {"expected": "yes\n"}, "exit_code": 3})
    wrong = sh("echo no", outputs={"stdout": {"expected": "yes\n"}}, on_failure="skip")
    ran = place.run(plan(right, wrong))
    hold(ran.status == 3, ran)
    same(list(ran.result["result_payload"]["steps"]), [right["id"]])
    true("expected" in why(ran)["message"], why(ran))


@case
def R_004_069_R_004_075_A04_24_a_payload_that_does_not_suit_fails_the_plan_before_anything_runs(place):
    bad = [step("execute", {}), step("execute", {"inputs": {"command": 7}}), execute("sh", sandbox={"memory_mb": 1}),
           step("execute", {"inputs": {"command": "sh"}, "comand": 1}),
           step("validate", {"schema": {}}), step("execute_plan", {}),
           step("validate", {"schema": {"type": "strnig"}, "document": 1}),
           step("execute_plan", {"file": "x", "plan": {}})]
    document = place.put("work/plan.json", json.dumps(plan(touch("ran"), *bad), indent=1))
    ran = place.run(document)
    refused(place, ran, "INVALID_PAYLOAD", "ran")
    found = problems(ran)
    for n in range(len(bad)):
        true(any(pointer.startswith(f"/steps/{n + 1}/payload") for _, pointer in found), (n, found))
    text = document.read_text().split("\n")
    for one in ran.error["context"]["problems"]:
        true(one["line"] > 1 and one["message"], one)
    memory, = [one for one in ran.error["context"]["problems"] if one["pointer"].endswith("memory_mb")]
    true("memory_mb" in text[memory["line"] - 1], (memory, text[memory["line"] - 1]))


@case
def R_001_016_a_step_that_is_no_longer_kept_from_a_file_is_ended(place):
    path = place.put("work/.envrc", "old")  # protected; from the second step on, in a sandbox that is kept
    child = place.begin(plan(sh("true"), sh("true"), sh("touch up; while :; do sleep 1; done")))
    until(lambda: (place.work / "up").exists(), "the last step", child)
    place.put("work/beside", "new").rename(path)
    ran = place.end(child)
    hold(ran.status == 1 and why(ran)["error_code"] == "STEP_FAILED" and "replaced" in why(ran)["message"], ran)
    same(why(ran)["context"]["cause"], "violation")


# ---- executors ----

@case
def R_004_205_an_executor_is_an_action_and_its_result_is_that_of_apply(place):
    payload = {"target": {"b": 1, "a": [1, 2]}, "patch": {"b": None, "c": "\u00e9"}}
    output = only(place.comes_to("success", plan(step("json_merge", payload))))
    applied = place.apply("json_merge", payload)
    for name in ("executor_id", "executor_version", "status", "reason_codes", "input_digest", "output_digest"):
        same(output[name], applied[name], name)
    same(output["input_digest"], digest(canon(payload)))
    same(output["output_digest"], digest(canon({"a": [1, 2], "c": "\u00e9"})))
    true("output" not in output, output)
    same([(record["status"], record["output_digest"]) for record in place.records(output["trace_id"])],
         [("PENDING", None), ("SUCCESS", output["output_digest"])])


@case
def an_executor_that_fails_is_a_step_that_failed(place):
    ran = place.comes_to("partial", plan(step("json_select", {"path": "$[", "document": {}}, on_failure="skip"),
                                         step("noop")))
    same((why(ran)["error_code"], why(ran)["context"]["status"], why(ran)["context"]["reason_codes"]),
         ("STEP_FAILED", "FAILED", ["EXECUTOR_EXCEPTION"]))
    same(len(place.records(why(ran)["context"]["trace_id"])), 2)


@case
def an_executor_of_our_own_is_an_action_once_it_is_reviewed(place):
    document = plan(step("mine", {"a": 2}), touch("ran"))
    refused(place, place.run(document), "ACTION_NOT_FOUND", "ran")
    manifest = place.jq(".a * 21", fixtures=[{"payload": {"a": 1}}])
    run = place.writ("executors", "add", manifest, "--json")
    if run.status == 69:
        raise plans.tap.Skip("jq is not built in")
    hold(run.status == 0, run)
    ran = place.comes_to("success", plan(step("mine", {"a": 2}), touch("ran")))
    output = list(ran.result["result_payload"]["steps"].values())[0]
    applied = place.apply("mine", {"a": 2})
    same((output["input_digest"], output["output_digest"]), (digest(b'{"a":2}'), digest(b"42")))
    same((applied["input_digest"], applied["output_digest"]), (output["input_digest"], output["output_digest"]))
    same((output["executor_version"], place.there("ran")), ("1.0.0", ["ran"]))


@case
def an_executor_that_this_ledger_has_not_approved_is_no_action(place):
    place.add_jq(".a", fixtures=[{"payload": {"a": 1}}])
    document = plan(touch("ran"), step("mine", {"a": 2}))
    ran = place.run(document, ledger=place.outside / "other.db")
    hold(ran.status == 1 and ran.error["error_code"] == "ACTION_NOT_FOUND", ran)
    same(place.there("ran"), [])
    place.comes_to("success", document)


@case
def an_executor_without_end_is_stopped_at_the_time_of_its_step(place):
    place.add_jq("if . == {} then last(range(1e18)) else . end", fixtures=[{"payload": 1}],
                 limits={"timeout_ms": 60000})
    ran = place.comes_to("failure", plan(step("mine", {}, timeout_ms=400), touch("after")))
    same((ran.error["error_code"], place.there("after")), ("STEP_TIMEOUT", []))
    ran = place.comes_to("failure", plan(step("mine", {}), touch("after"), timeout_ms=400))
    same((ran.error["error_code"], place.there("after")), ("PLAN_TIMEOUT", []))


# ---- validate, notify ----

@case
def R_004_075_validate_passes_what_its_schema_asks_for_and_fails_what_not(place):
    schema = {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}
    good = step("validate", {"schema": schema, "document": {"a": 1}})
    same(only(place.comes_to("success", plan(good)))["valid"], True)
    bad = step("validate", {"schema": schema, "document": {"a": "x"}}, on_failure="skip")
    ran = place.comes_to("failure", plan(sh("true"), bad, touch("after")))
    same((ran.error["error_code"], ran.error["step_id"], place.there("after")), ("INVALID_PAYLOAD", bad["id"], []))
    true("/a" in json.dumps(why(ran)["context"]), why(ran))
    true("asks for: /a: " in why(ran)["message"] and "more" not in why(ran)["message"], why(ran))
    schema["properties"]["a"]["minimum"] = schema["minProperties"] = 2
    bad = step("validate", {"schema": schema, "document": {"a": 1}})
    told = why(place.comes_to("failure", plan(bad)))["message"]
    true("asks for: " in told and told.endswith(" (and 1 more)"), told)


@case
def R_004_076_validate_has_the_time_of_its_step_and_no_more(place):
    twice = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(18)} | {"d18": {}}
    slow = {"schema": {"$defs": twice, "$ref": "#/$defs/d0"}, "document": 1}
    same(only(place.comes_to("success", plan(step("validate", slow))))["valid"], True)
    ran = place.comes_to("failure", plan(step("validate", slow, timeout_ms=1, on_failure="skip"), touch("after")))
    same((ran.error["error_code"], place.there("after")), ("STEP_TIMEOUT", []))
    ran = place.comes_to("failure", plan(step("validate", slow), timeout_ms=1))
    same((ran.error["error_code"], ran.result["steps_executed"]), ("PLAN_TIMEOUT", 0))


@case
def R_004_086_notify_tells_its_payload_to_who_listens(place):
    payload = {"to": "somebody", "text": "h\u00e9llo\n\u2028", "deep": {"list": [1, None, True, 1.5]}}
    tells = step("notify", payload)
    ran = place.comes_to("success", plan(sh("true"), tells, sh("true")))
    line, = [line for line in ran.news if line["event"] == "notify"]
    same((line["step_id"], line["index"], line["payload"]), (tells["id"], 1, payload))
    kinds = [line["event"] for line in ran.news]
    true(kinds.index("notify") > kinds.index("step_completed"), kinds)
    same(ran.result["result_payload"]["steps"][tells["id"]], {})


# ---- actions that are not there ----

@case
def R_004_070_R_004_080_an_action_that_nobody_knows_fails_the_plan_before_anything_runs(place):
    ran = place.run(plan(touch("ran"), step("exec"), step("noop"), step("json_selct"), step("no such", {})))
    refused(place, ran, "ACTION_NOT_FOUND", "ran")
    same(problems(ran), [("ACTION_NOT_FOUND", f"/steps/{n}/action") for n in (1, 3, 4)])


@case
def R_004_001_all_that_is_wrong_is_said_at_once(place):
    wrong = plan(touch("ran"), step("nobody"), execute("sh", sandbox={"cpu_cores": 99}), step("validate", {}))
    ran = place.run(wrong)
    hold(ran.status == 1, ran)
    same(sorted({pointer.split("/")[2] for _, pointer in problems(ran)}), ["1", "2", "3"])
    same((place.there("ran"), len(ran.error["context"]["problems"]) >= 3), ([], True))


FIVE = """\
{head}timeout_ms: 0
steps:
  - {{{one} action: execute, on_failure: halt, payload: {{inputs: {{command: sh}}, sandbox: {{memory_mb: 1}}}}}}
  - {{{two} action: validate, on_failure: halt, payload: {{schema: {{}}}}}}
  - {{{three} action: exekute, on_failure: halt, payload: {{}}, {after}: [{known}]}}
  - {{{four} action: notify, on_failure: halt, payload: {{}}, {after}: [{other}]}}
"""
FIVE_TOLD = [("/timeout_ms", 1), ("/steps/0/payload/sandbox/memory_mb", 3), ("/steps/1/payload", 4),
             ("/steps/2/action", 5), ("/steps/3/{after}/0", 6)]


def five():
    """A plan and a template with five things that are wrong, each of another kind."""
    head = f"id: {plans.new()}\nversion: 1\ncreated_at: 1\nname: five\ncontext_requirements: [working_directory]\n"
    own = [plans.new() for _ in range(4)]
    steps = {name: f"id: {one}," for name, one in zip(("one", "two", "three", "four"), own)}
    yield FIVE.format(head=head, after="depends_on", known=own[0], other=plans.new(), **steps), 5, "depends_on"
    steps = {name: f"name: {name}," for name in steps}
    yield FIVE.format(head="name: five\n", after="after", known="one", other="nobody", **steps), 1, "after"


@case
def R_004_001_no_problem_hides_another_whoever_is_asked(place):
    for text, above, after in five():
        document = place.put("work/five.yaml", text)
        wanted = [(pointer.format(after=after), line + above) for pointer, line in FIVE_TOLD]
        for words in (["check", "--json"], ["run", "--dry-run", "--json"], ["run", "--json"]):
            done = place.writ(*words, document)
            answer = json.loads(done.out)
            told = answer["problems"] if "problems" in answer else answer["error"]["context"]["problems"]
            same([(one["pointer"], one["line"]) for one in told], wanted, done)
            same(done.status, 1 if "error" in answer else 65)
        shown = place.writ("check", document)
        lines = (shown.out + shown.err).decode().splitlines()
        same([line.split(" ")[1].rstrip(":") for line in lines[:-1]], [pointer for pointer, _ in wanted], shown)
        true(all(line.startswith(f"{document}:{at}:") for line, (_, at) in zip(lines, wanted)), shown)


@case
def what_is_right_but_for_its_steps_is_told_by_check(place):
    place.document(plan(step("nobody"), context_requirements=["key"]), "work/inner.json")
    right = plan(touch("ran"), step("execute_plan", {"plan": plan(sh("true"), context_requirements=["key"])}))
    hold(place.writ("check", place.document(right)).status == 0, right)  # nobody has said with which context
    for bad in (step("execute", {}), step("nobody"), step("execute_plan", {"file": "inner.json"}),
                step("no-adapter.search"), step("validate", {"schema": {"type": 7}, "document": 1})):
        done = place.writ("check", "--json", place.document(plan(touch("ran"), bad)))
        hold(done.status == 65 and json.loads(done.out)["problems"][0]["pointer"].startswith("/steps/1/"), done)


@case
def A04_24_a_plan_that_is_wrong_has_a_result_if_it_has_an_id_and_else_none(place):
    ran = place.run(plan(touch("ran"), name=""))
    refused(place, ran, "INVALID_PAYLOAD", "ran")
    same(problems(ran)[0][1], "/name")
    for document in ({"id": plans.new()}, plan(touch("ran"), name=7), plan(), plan(7),
                     {key: value for key, value in plan(touch("ran")).items() if key != "context_requirements"}):
        ran = place.run(document)
        hold(ran.status == 1 and ran.error["error_code"] == "INVALID_PAYLOAD" and problems(ran), ran)
        same((ran.result["plan_id"], ran.result["steps_executed"]), (document["id"], 0))
    before = len(place.log())
    ran = place.run(plan(touch("ran"), id="no uuid"))
    hold(ran.status == 65 and "result" not in ran.record and ran.record["problems"], ran)
    ran = place.run("{")
    hold(ran.status == 65 and "result" not in ran.record, ran)
    same((place.there("ran"), len(place.log())), ([], before))


@case
def R_004_021_a_plan_whose_steps_have_one_id_is_refused_before_anything_runs(place):
    one, other = touch("one"), touch("other")
    document = plan(one, other | {"id": one["id"]})
    ran = place.run(document)
    refused(place, ran, "INVALID_PAYLOAD", "one", "other")
    same(problems(ran), [("INVALID_PAYLOAD", "/steps/1/id")])
    same(ran.record["names"], {one["id"]: one["id"][:8]})
    for options in ((), ("--json",), ("--progress", "json")):
        told = place.writ("run", *options, place.document(document | {"id": plans.new()}))
        hold(told.status == 1 and b" is the id of step 0 already" in told.out, told)


@case
def R_004_158_R_004_160_R_004_217_a_plan_that_goes_in_a_circle_is_refused_before_anything_runs(place):
    a, b = touch("a"), touch("b")
    a["depends_on"], b["depends_on"] = [b["id"]], [a["id"]]
    ran = place.run(plan(touch("ran"), a, b))
    hold(ran.status == 1 and ran.error["severity"] == "fatal", ran)
    same((ran.events("step_started"), place.there("ran", "a", "b")), ([], []))


@case
def R_004_003_R_004_193_A04_28_a_plan_of_another_version_is_refused(place):
    ran = place.run(plan(touch("ran"), version=2))
    refused(place, ran, "INVALID_PAYLOAD", "ran")
    same(problems(ran), [("INVALID_PAYLOAD", "/version")])


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
