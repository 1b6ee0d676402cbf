#!/usr/bin/env python3
"""by_hand: plans as a person runs them, with `writ run`.

usage: by_hand.py [--postgres] RUN_PLAN WRIT      prints TAP
"""
import fcntl
import json
import os
import resource
import select
import signal
import subprocess
import sys

import plans
from plans import alive, canon, digest, hold, marker, plan, same, sh, step, step, tap, touch, true, until

CASES = []
case = plans.collector(CASES)

STUBBORN = 'trap "" TERM INT; (setsid sleep "$1" &); touch up; sleep "$1"; sleep "$1"'


def run(place, document, *options, **more):
    """`writ run --json`; the record is what it printed, which must be one object."""
    path = place.document(document) if isinstance(document, (dict, str)) else document
    done = place.writ("run", "--json", *options, path, **more)
    return done._replace(record=json.loads(done.out) if done.out else {})


def start(place, document):
    """Lets it run; what it prints goes into a file."""
    return subprocess.Popen([tap.WRIT, "run", "--json", place.document(document)], cwd=place.work,
                            env=place.environment({}), stdin=subprocess.DEVNULL,
                            stdout=open(place.scratch / "out", "wb"), stderr=subprocess.DEVNULL)


def ended(place, child):
    try:
        status = child.wait(timeout=plans.SECONDS)
    finally:
        child.kill()
    out = (place.scratch / "out").read_bytes()
    return status, json.loads(out) if out else {}


@case
def a_reader_that_goes_away_changes_no_outcome(place):
    for how in ("json", "lines", "none"):
        for status, command in ((0, "true"), (1, "false")):
            path = place.document(plan(sh(command)))
            reader, writer = os.pipe()
            os.close(reader)
            with open(writer, "wb") as closed:
                done = subprocess.run([tap.WRIT, "run", "--progress", how, path], cwd=place.work, stdout=closed,
                                      env=place.environment({}), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
            hold(done.returncode == status, (how, done))
            hold(b"the reader of standard output went away" in done.stderr, (how, done))


@case
def R_004_100_R_004_119_R_004_143_the_result_and_nothing_else_is_printed_and_the_status_says_which(place):
    for status, code, steps in (("success", 0, [sh("echo out; echo err >&2")]), ("failure", 1, [sh("echo out; false")]),
                                ("partial", 3, [sh("echo out"), sh("false", on_failure="skip")])):
        document = plan(*steps)
        done = run(place, document)
        hold(done.status == code and done.record["status"] == status and done.record["plan_id"] == document["id"], done)
        place.check("result", done.record)
        kept, = place.of(done.record["execution_id"], "plan_result")
        same((kept["body"], kept["content_digest"]), (done.record, digest(canon(done.record))))
    place.verify()


@case
def A04_24_A04_25_A04_26_without_a_result_nothing_like_one_is_printed(place):
    document = plan(sh("true"))
    hold(run(place, document).status == 0, document)
    place.put("plain", "no directory")
    bad = "postgres://127.0.0.1:1/none" if plans.ledger.POSTGRES else str(place.repo / "plain" / "ledger.db")
    for code, done in ((77, run(place, document)), (65, run(place, plan(touch("ran"), id="x"))), (65, run(place, "{")),
                       (74, run(place, plan(touch("ran")), "--ledger", bad))):
        hold(done.status == code and b"plan_id" not in done.out and b"steps_executed" not in done.out, done)
        hold(done.out or done.err, done)
    same(place.there("ran"), [])


@case
def R_004_194_R_004_195_one_plan_is_run_at_a_time_and_wrong_words_run_nothing(place):
    one, two = place.document(plan(touch("one")), "work/one.json"), place.document(plan(touch("two")), "work/two.json")
    for words in ([one, two], [], ["--resume", one], ["--jobs", "0", one], ["--jobs", "x", one], ["--nobody", one]):
        done = place.writ("run", *words)
        hold(done.status == 64 and done.err, done)
    same(place.there("one", "two"), [])


@case
def keys_are_set_by_hand_and_from_a_file(place):
    path = place.put("given.yaml", "branch: main\ndepth: 3\n")
    wants = ["branch", "depth", "who"]
    done = run(place, plan(step("noop"), context_requirements=wants), "--context", path, "--set", "who=me")
    hold(done.status == 0, done)
    done = run(place, plan(touch("ran"), context_requirements=wants), "--set", "who=me")
    hold(done.status == 1 and done.record["error"]["error_code"] == "CONTEXT_MISSING" and not place.there("ran"), done)


@case
def steps_of_a_refused_plan_are_told_by_their_names(place):
    path = place.document("name: t\nsteps:\n - {name: first, action: execute, payload: {x: 1}}\n"
                          " - {name: second, run: [/bin/true]}\n", "work/t.yaml")
    done = place.writ("run", path)
    hold(done.status == 1 and b"INVALID_PAYLOAD" in done.out and b"not run    first, second\n" in done.out, done)


@case
def a_step_that_halts_a_plan_is_told_by_its_name_and_a_partial_plan_is_shown_as_one(place):
    text = ("name: t\nsteps:\n - {name: first, run: [/bin/sh, -c, 'exit 1'], on_failure: %s}\n"
            " - {name: second, run: [/bin/sh, -c, ':']}\n")
    done = place.writ("run", place.document(text % "halt", "work/t.yaml"))
    hold(done.status == 1 and b"step first failed, and its on_failure is halt" in b" ".join(done.out.split()), done)
    shown = place.writ("show", done.out.rpartition(b"writ show ")[2].strip().decode())
    hold(b": step first failed, and its on_failure is halt (" in shown.out, shown)
    done = place.writ("run", place.document(text % "skip", "work/t.yaml"))
    shown = place.writ("show", done.out.rpartition(b"writ show ")[2].strip().decode())
    hold(done.status == 3 and shown.out.startswith(b"partial  plan t\n"), shown)


@case
def a_plan_that_fails_within_a_plan_is_told_by_its_steps_name_and_what_it_said(place):
    path = place.document("name: t\nsteps:\n - {name: outer, action: execute_plan, payload: {plan: {name: inner, steps: ["
                          "{name: fine, run: [/bin/true]}, {name: breaks, run: [/bin/sh, -c, 'echo no luck >&2; exit 4']}]}}}\n",
                          "work/t.yaml")
    done = place.writ("run", path)
    hold(done.status == 1 and b"its plan ended in failure: step breaks: exit 4: no luck" in b" ".join(done.out.split()), done)


@case
def what_a_step_of_an_inner_plan_says_is_told_of_the_step_that_has_it(place):
    path = place.document("name: t\nsteps:\n - {name: first, run: [/bin/true]}\n - {name: outer, action: execute_plan, payload: "
                          "{plan: {name: inner, steps: [{name: speaks, action: notify, payload: {text: hello}}]}}}\n",
                          "work/t.yaml")
    done = place.writ("run", "--progress", "lines", path)
    hold(done.status == 0 and b"\nt: outer: speaks says hello\n" in done.err, done)


@case
def a_notice_that_is_too_large_is_told_as_missed(place):
    path = place.document(plan(step("notify", {"text": "x" * 1100000}), step("noop")))
    done = place.writ("run", "--progress", "lines", path)
    hold(done.status == 0 and b"a plan: 1 change was missed here\n" in done.err, done)


@case
def what_was_expected_and_what_came_is_told(place):
    path = place.document("name: t\nsteps:\n"
                          " - {name: code, run: [/bin/true], outputs: {exit_code: 1}, on_failure: skip}\n"
                          " - {name: out, run: [/bin/sh, -c, echo hi], outputs: {stdout: {expected: ho}}, on_failure: skip}\n"
                          " - {name: all, run: [/bin/sh, -c, echo hi], outputs: {exit_code: 3, stdout: {expected: ho}, "
                          "stderr: {expected: ho}}, on_failure: skip}\n", "work/t.yaml")
    errors = json.loads(place.writ("run", "--json", path).out)["error"]["context"]["errors"]
    told = [error["message"] for error in errors if error["error_code"] == "STEP_FAILED"]
    same(told, ["the exit code is 0, expected was 1", "stdout is not what was expected",
                "the exit code is 0, expected was 3; stdout and stderr are not what was expected"])


@case
def R_004_111_a_step_that_was_completed_at_last_is_not_told_as_a_failure(place):
    path = place.document("name: t\nretry: {max_attempts: 2, retryable_error_codes: [STEP_FAILED]}\nsteps:\n"
                          " - {name: flaky, run: [/bin/sh, -c, 'test -e up || { touch up; exit 7; }'], on_failure: retry}\n"
                          " - {name: bad, run: [/bin/sh, -c, 'exit 5'], on_failure: skip}\n"
                          " - {name: never, run: [/bin/sh, -c, 'exit 6'], on_failure: retry}\n", "work/t.yaml")
    done = place.writ("run", "--progress", "lines", path)
    hold(done.status == 3 and b"flaky: failed" in done.err, done)
    true(b"flaky" not in done.out and b"\n  bad " in done.out and b" (2 attempts) (skipped)\n" in done.out, done)


@case
def files_that_were_asked_for_and_not_kept_are_told(place):
    path = place.document("name: t\nsteps:\n - {name: a, run: [/bin/sh, -c, 'echo x > there; mkfifo pipe1'], "
                          "outputs: {output_files: [there], artifacts: [nofile.txt, pipe1]}}\n"
                          " - {name: b, run: [/bin/sh, -c, 'exit 1'], outputs: {output_files: [gone]}, on_failure: skip}\n",
                          "work/t.yaml")
    done = place.writ("run", "--progress", "lines", path)
    hold(done.status == 3 and b", 1 file, 2 not kept\n" in done.err, done)
    true(b"\nnot kept   a: nofile.txt (missing), pipe1 (not_regular)\n           b: gone (missing)\n" in done.out, done)
    one = [entry["subject"] for entry in place.log("--kind", "execution_event")
           if entry["state"] == "failed" and b"exit 1" in json.dumps(entry).encode()][0]
    shown = place.writ("show", one)
    hold(b"not kept" in shown.out and b"gone (missing)" in shown.out, shown)


@case
def what_is_kept_several_times_is_counted_once(place):
    ran = place.comes_to("success", plan(*(sh("echo same; echo same > f", outputs={"output_files": ["f"]}) for _ in range(5)),
                                         sh("echo other")))
    same((ran.record["evidence"]["files"], ran.record["evidence"]["bytes"]), (2, 11))
    same(sum(path.is_file() for path in (place.state / "evidence").rglob("*")), 2)


@case
def what_a_step_wrote_beside_the_disk_is_told_and_how_to_bring_it_there(place):
    path = place.document("name: t\nsteps:\n - {name: w, run: [/bin/sh, -c, 'echo one > new.txt; echo two > old.txt'], "
                          "sandbox: {filesystem: {write_mode: cow}}}\n", "work/t.yaml")
    place.put("work/old.txt", "old")
    foreseen = place.writ("run", "--dry-run", path)
    hold(foreseen.status == 0 and b"(cow: not on the disk)" in b" ".join(foreseen.out.split()), foreseen)
    done = place.writ("run", "--progress", "lines", path)
    if b"LAYER_MISSING" in done.out or b"6.6" in done.out:
        raise tap.Skip("no layers here")
    words = b" ".join(done.out.split())
    hold(done.status == 0 and b", 2 changes, not on the disk\n" in done.err, done)
    true(b"changes w: 1 changed, 1 added, not on the disk; see: writ diff " in words and not place.there("new.txt"), done)
    commit = place.writ("commit", words.partition(b"; writ commit ")[2].split()[0].decode())
    hold(commit.status == 0 and place.there("new.txt"), commit)


@case
def the_id_of_a_plan_leads_to_what_the_ledger_has_about_it(place):
    document = plan(step("noop"))
    run(place, document)
    about = place.of(document["id"])
    shown = place.writ("show", document["id"])
    if len(about) == 1:
        hold(shown.status == 0 and about[0]["ledger_id"].encode() in shown.out, shown)
    else:
        hold(shown.status == 1 and b"is no execution" in shown.err, shown)
        true(all(entry["ledger_id"].encode() in shown.err + shown.out for entry in about), shown)


@case
def a_layer_that_is_none_is_refused_before_anything_is_entered(place):
    hold(run(place, plan(step("noop"))).status == 0, "there is a ledger")
    before = place.log()
    for layer in ("foo", "mount"):
        for option in ([], ["--dry-run"]):
            done = place.writ("run", *option, "--allow-weak", layer, place.document(json.dumps(plan(touch("ran")))))
            hold(done.status == 64 and layer.encode() in done.err and not done.out and not place.there("ran"), done)
    same(place.log(), before)


@case
def a_file_that_may_not_grow_is_said_and_a_command_has_its_signals_as_ever(place):
    path = place.document(json.dumps(plan(sh("grep -q 'SigIgn:.0*$' /proc/self/status"))))
    hold(place.writ("run", path).status == 0, "no signal is ignored")
    if plans.ledger.POSTGRES:
        raise tap.Skip("the server's files")
    path = place.document(json.dumps(plan(*(step("notify", {"text": "x" * 4000}) for _ in range(200)))))
    done = subprocess.run([tap.WRIT, "run", path], cwd=place.work, env=place.environment({}), stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=plans.SECONDS,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300 << 10, 300 << 10)))
    hold(done.returncode == 74 and b"cannot be" in done.stderr, done)


@case
def who_does_not_read_how_it_goes_gets_the_result_all_the_same(place):
    steps = "".join(f" - {{name: s{i}, action: notify, payload: {{text: {'x' * 500}}}}}\n" for i in range(300))
    path = place.document("name: t\nsteps:\n" + steps, "work/t.yaml")
    deaf, stderr = os.pipe()
    for options in (["--json"], ["--progress", "lines"]):
        done = subprocess.run([tap.WRIT, "run", *options, path], cwd=place.work, env=place.environment({}),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, timeout=plans.SECONDS)
        hold(done.returncode == 0 and (b'"steps_executed":300' in done.stdout or b"300 of 300" in done.stdout), done)
    os.close(deaf)
    os.close(stderr)


@case
def a_plan_from_standard_input_is_run(place):
    done = place.writ("run", "--json", "-", stdin=json.dumps(plan(touch("ran"))).encode())
    hold(done.status == 0 and json.loads(done.out)["steps_executed"] == 1 and place.there("ran"), done)


@case
def what_would_run_is_shown_and_nothing_runs(place):
    document = plan(touch("ran"), sh("true"))
    done = place.writ("run", "--dry-run", place.document(document))
    hold(done.status == 0 and done.out and not place.there("ran"), done)
    hold(run(place, document).status == 0 and place.there("ran"), document)  # so it was not used


def foretold(place, document, *options):
    """What --dry-run --json says."""
    done = place.writ("run", "--dry-run", "--json", *options, place.document(document))
    return done.status, json.loads(done.out)


@case
def what_a_run_would_be_refused_for_is_told_before_and_ends_with_1(place):
    inner = plan(sh("true"), context_requirements=["missing"])
    wrong = plan(plans.step("nobody"), plans.step("validate", {}), plans.step("execute", {"inputs": {}}),
                 plans.step("execute_plan", {"plan": inner}), plans.step("execute_plan", {"file": "plan.json"}))
    status, told = foretold(place, wrong)
    shown = place.writ("run", "--dry-run", place.document(wrong))
    ran = run(place, wrong)
    problems = json.loads(ran.out)["error"]["context"]["problems"]
    same([(one["code"], one["pointer"]) for one in told["problems"]],
         [(one["code"], one["pointer"]) for one in problems])
    same((status, shown.status, ran.status, len(problems) >= 5), (1, 1, 1, True))
    for one in told["problems"]:
        true(one["pointer"].encode() in shown.err + shown.out, shown)


@case
def a_key_that_is_missing_hides_no_other_problem(place):
    document = plan(plans.step("nobody"), context_requirements=["missing"])
    told, ran = foretold(place, document), run(place, document)
    problems = [(one["code"], one["pointer"]) for one in ran.record["error"]["context"]["problems"]]
    same(problems, [("CONTEXT_MISSING", ""), ("ACTION_NOT_FOUND", "/steps/0/action")])
    same((ran.record["error"]["error_code"], ran.status), ("CONTEXT_MISSING", 1))
    same((told[0], [(one["code"], one["pointer"]) for one in told[1]["problems"]]), (1, problems))


@case
def A04_26_that_a_plan_was_used_is_told_before(place):
    document, own = plan(touch("ran")), {"environment": plans.HERE, "execution_id": plans.new()}
    same(foretold(place, document)[0], 0)
    place.comes_to("success", document, context=own)
    entries = place.log()
    context = place.put("own.json", json.dumps(own))
    for again, *options in ((document,), (plan(touch("ran")), "--context", context)):
        status, told = foretold(place, again, *options)
        same((status, told["refused"]["code"]), (1, "EXECUTION_USED"))
    same(place.log(), entries)


@case
def as_many_steps_at_a_time_are_told_as_there_may_be(place):
    status, told = foretold(place, plan(touch("ran")), "--jobs", "256")
    same((status, told["jobs"]), (0, 256))
    for verb in ([], ["--dry-run"]):
        done = place.writ("run", *verb, "--jobs", "257", place.document(plan(touch("ran"))))
        hold(done.status == 64 and b"--jobs is 1 to 256" in done.err, done)
    same(place.there("ran"), [])


@case
def what_the_registry_will_refuse_is_told_before_and_is_what_it_refuses(place):
    place.registry({"tool_id": "TL-1", "scope": {"commands": plans.COMMANDS}},
                   {"tool_id": "TL-2", "scope": {"commands": ["rm"]}, "status": "blocked"},
                   {"tool_id": "TL-3", "scope": {"commands": ["date"]}, "status": "deprecated"})
    skip = {"on_failure": "skip"}
    other = sh(":", **skip)
    other["payload"]["tool_id"] = "TL-9"
    document = plan(touch("ran"), plans.execute("rm", "x", **skip), plans.execute("id", **skip),
                    plans.execute("date", **skip), other,
                    sh(":", sandbox={"filesystem": {"level": "extended"}}, **skip))
    status, told = foretold(place, document)
    same((status, told["refused"], told["missing"], place.there("ran")), (0, None, [], []))
    refused = [one["refused"] and (one["refused"]["code"], one["refused"]["sure"]) for one in told["steps"]]
    same(refused, [None, ("COMMAND_NOT_ALLOWED", True), ("COMMAND_NOT_ALLOWED", True), None,
                   ("COMMAND_NOT_ALLOWED", True), ("APPROVAL_MISSING", True)])
    same([one["warnings"] for one in told["steps"] if one["warnings"]], [["the tool TL-3 is deprecated"]])
    shown = place.writ("run", "--dry-run", place.document(document)).out.decode()
    true("tool 'TL-2' is blocked in the registry" in shown and "4 of 6 steps would be refused" in shown, shown)
    ran = place.writ("run", "--progress", "json", place.document(document))
    lines = [json.loads(line) for line in ran.out.splitlines()]
    same({line["index"]: line["message"] for line in lines if line["event"] == "step_failed"},
         {n: one["refused"]["message"] for n, one in enumerate(told["steps"]) if one["refused"]})


@case
def what_waits_for_a_step_that_will_be_refused_is_not_said_to_run(place):
    place.registry({"tool_id": "TL-1", "scope": {"commands": plans.COMMANDS}})
    fine, bad = sh(":"), plans.execute("id", on_failure="skip")
    waits = sh(":", after=[fine, bad])
    _, told = foretold(place, plan(fine, bad, waits, sh(":", after=[waits]), sh(":", after=[fine])))
    names, whys = zip(*((one["name"], one["why"]) for one in told["steps"]))
    same(whys[2:], (f"waits for {names[1]}, which will be refused", f"waits for {names[2]}, which will not be run",
                    f"{names[0]} is completed by then"))


@case
def what_an_inner_plan_will_be_refused_for_is_told_before(place):
    place.registry({"tool_id": "TL-1", "scope": {"commands": plans.COMMANDS}})
    good = plan(touch("inner"))
    bad, same_again = (plan(touch("inner"), plans.execute("id", on_failure="skip"), name="bad") for _ in range(2))
    outer = plan(step("execute_plan", {"plan": same_again}), name="outer")
    document = plan(*(step("execute_plan", {"plan": inner}, on_failure="skip") for inner in (good, bad, outer)))
    status, told = foretold(place, document)
    said = [one["refused"] and one["refused"]["message"] for one in told["steps"]]
    same((status, said[0], place.there("inner")), (0, None, []))
    true(said[1].endswith(" of bad: " + said[1].split(": ", 1)[1]) and "'id' is listed by no tool of " in said[1], said)
    true("/.writ/tools.yaml; list '/usr/bin/id' in a tool's scope.commands there" in said[1], said)
    true(" of outer: step " in said[2] and said[2].endswith(said[1].split(": ", 1)[1]), said)
    same([one["about"] for one in told["steps"]], [f"plan {one['name']}" for one in (good, bad, outer)])


@case
def what_a_step_before_may_make_is_not_said_to_be_refused_for_sure(place):
    place.registry({"tool_id": "TL-1", "scope": {"commands": [*plans.COMMANDS, str(place.work / "made")]}})
    make = sh("printf '#!/bin/sh\\n:\\n' > made; chmod +x made")
    document = plan(make, plans.execute("./made", after=[make]))
    status, told = foretold(place, document)
    same((status, [one["refused"] and one["refused"]["sure"] for one in told["steps"]]), (0, [None, False]))
    hold(run(place, document).status == 0, document)


@case
def R_004_074_keys_that_are_missing_are_told_before(place):
    document = plan(touch("ran"), context_requirements=["repo", "token", "working_directory"])
    status, told = foretold(place, document, "--set", "repo=.")
    same((status, told["missing"], told["refused"]["code"]), (1, ["token"], "CONTEXT_MISSING"))
    shown = place.writ("run", "--dry-run", "--set", "repo=.", place.document(document))
    hold(shown.status == 1 and b"would be refused before anything runs: the context has no key 'token'" in shown.out,
         shown)
    shown = place.writ("run", "--dry-run", place.document(document))
    hold(b"the context has no keys 'repo', 'token'; give them with --set or --context" in shown.out, shown)
    status, told = foretold(place, document, "--set", "repo=.", "--context", place.put("c.yaml", "{token: 1, working_directory: .}"))
    same((status, told["missing"], told["refused"]), (0, [], None))
    done = run(place, document, "--set", "repo=.")
    same((done.status, done.record["error"]["error_code"], place.there("ran")), (1, "CONTEXT_MISSING", []))


@case
def A04_13_R_004_199_an_interrupt_is_the_end_of_the_plans_time(place):
    mark = marker()
    child = start(place, plan(touch("first"), sh(STUBBORN, mark), touch("after")))
    until(lambda: (place.work / "up").exists(), "the second step", child)
    child.send_signal(signal.SIGINT)
    status, result = ended(place, child)
    same((status, result["status"], result["error"]["error_code"]), (1, "failure", "PLAN_TIMEOUT"))
    same((alive(mark), place.there("first", "after"), result["steps_executed"]), ([], ["first"], 1))
    kept, = place.of(result["execution_id"], "plan_result")
    same(kept["body"], result)
    place.verify()


def doubling(levels):
    """A schema that takes twice as long with each level."""
    defs = {"a0": {"type": ["null", "string"]}}
    for n in range(levels):
        defs[f"a{n + 1}"] = {"allOf": [{"$ref": f"#/$defs/a{n}"}] * 2}
    return {"$defs": defs, "$ref": f"#/$defs/a{levels}"}


@case
def what_checking_schemas_before_may_take_is_shared_by_all_steps(place):
    wrong = step("validate", {"schema": {"type": "strnig"}, "document": 1})
    for levels, status in ((3, 1), (40, 0)):  # where nothing is left, the step finds out when it runs
        document = plan(step("validate", {"schema": doubling(levels), "document": None}), wrong)
        same(foretold(place, document)[0], status)


@case
def who_waits_for_somebody_to_read_the_result_is_ended_by_a_signal(place):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        child = subprocess.Popen([tap.WRIT, "run", "--json", place.document(plan(*[step("noop") for _ in range(100)]))],
                                 cwd=place.work, env=place.environment({}), stdin=subprocess.DEVNULL, stdout=writer,
                                 stderr=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
        os.close(writer)
        select.select([reader], [], [])  # the plan has ended, and its result is more than the pipe takes
        child.send_signal(number)
        try:
            same(child.wait(timeout=plans.SECONDS), -number)
        finally:
            child.kill()
            os.close(reader)


@case
def a_plan_that_is_killed_by_hand_leaves_nothing_that_runs(place):
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP):
        mark = marker()
        (place.work / "up").unlink(missing_ok=True)
        child = start(place, plan(sh(STUBBORN, mark), touch("after")))
        until(lambda: (place.work / "up").exists(), "the first step", child)
        child.send_signal(number)
        status, result = ended(place, child)
        true(status != 0, status)
        until(lambda: not alive(mark), "the end of its processes")
        same(place.there("after"), [])
        place.verify()
        if number == signal.SIGKILL:
            same(result, {})
    hold(run(place, plan(sh("true"))).status == 0, "the next one")


@case
def news_are_lines_of_json_where_that_is_asked_for(place):
    document = plan(sh("true"), step("notify", {"text": "hello"}))
    done = place.writ("run", "--progress=json", place.document(document))
    lines = [json.loads(line) for line in done.out.splitlines()]
    hold(done.status == 0 and done.out.endswith(b"\n"), done)
    same((lines[0]["event"], [line["payload"] for line in lines if line["event"] == "notify"]),
         ("plan_started", [{"text": "hello"}]))
    same((lines[-1]["event"], lines[-1]["result"]["status"]), ("plan_execution_success", "success"))


@case
def the_news_are_kept_for_somebody_who_reads_them_elsewhere(place):
    with open("/dev/full", "wb") as full:  # where they cannot be written the plan runs all the same
        child = subprocess.Popen([tap.WRIT, "run", "--json", place.document(plan(touch("ran")))], cwd=place.work,
                                 env=place.environment({}), stdin=subprocess.DEVNULL,
                                 stdout=open(place.scratch / "out", "wb"), stderr=full)
        status, result = ended(place, child)
    same((status, result["status"], place.there("ran")), (0, "success", ["ran"]))


# ---- templates ----

def template(*steps, **members):
    return {"name": "a template", "steps": list(steps)} | members


@case
def a_template_is_run_as_often_as_one_likes_and_each_time_is_a_plan_of_its_own(place):
    path = place.document(template({"name": "one", "run": ["/bin/sh", "-c", "echo one >> times"]},
                                   {"name": "two", "run": ["/usr/bin/touch", "two"], "after": ["one"]}))
    results = [run(place, path).record for _ in range(3)]
    same([(result["status"], result["steps_executed"]) for result in results], [("success", 2)] * 3)
    for name in ("plan_id", "execution_id"):
        same(len({result[name] for result in results}), 3)
    same(place.lines_of("times"), ["one"] * 3)
    for result in results:
        entry, = place.of(result["plan_id"], "input")
        place.check("plan", entry["body"])  # what is recorded is the plan that ran
        same([one["id"] in result["result_payload"]["steps"] for one in entry["body"]["steps"]], [True, True])


@case
def R_004_177_a_template_fills_nothing_in(place):
    path = place.document(template({"name": "one", "run": ["/usr/bin/touch", "${name}"]},
                                   {"name": "two", "run": ["/usr/bin/touch", "{{name}}"]}))
    done = run(place, path, "--set", "name=put-in")
    hold(done.status == 0, done)
    same(place.there("${name}", "{{name}}", "put-in"), ["${name}", "{{name}}"])


@case
def R_004_165_A04_26_a_template_as_a_child_is_a_new_plan_at_each_attempt(place):
    child = template({"name": "one", "run": ["/bin/sh", "-c", 'echo once >> times; test "$(wc -l < times)" -ge 2']})
    place.put("work/child.json", json.dumps(child))
    inner = step("execute_plan", {"file": "child.json"}, on_failure="retry")
    done = run(place, plan(inner, retry_policy=plans.retries(3, "STEP_FAILED")))
    hold(done.status == 0, done)
    same(place.lines_of("times"), ["once"] * 2)
    children = [entry["body"] for entry in place.log("--kind", "plan_result")
                if entry["subject"] != done.record["execution_id"]]
    same([body["status"] for body in children], ["failure", "success"])
    same(len({body["plan_id"] for body in children}), 2)
    for body in children:
        context, = place.of(body["execution_id"], "input")
        same(context["body"]["parent_execution_id"], done.record["execution_id"])


@case
def A04_29_a_template_that_is_a_step_of_itself_is_refused_before_anything_runs(place):
    path = place.document(template({"name": "one", "run": ["/usr/bin/touch", "ran"]},
                                   {"name": "two", "action": "execute_plan", "payload": {"file": "plan.json"}}))
    done = run(place, path)
    hold(done.status == 1 and done.record["error"]["error_code"] == "INVALID_PAYLOAD", done)
    same((place.there("ran"), done.record["steps_executed"]), ([], 0))


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
