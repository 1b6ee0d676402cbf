#!/usr/bin/env python3
"""absent: what contract 004 forbids (section 6), looked for and not found.

usage: absent.py RUN_PLAN WRIT      prints TAP
"""
import json
import platform
import re
import sys

import plans
from plans import canon, digest, execute, hold, marker, new, plan, python, retries, same, sh, step, touch, true, until

CASES = []
case = plans.collector(CASES)

HEX = r"[0-9a-f]{2,}"  # ids
UNTIL_GO = "touch up; until test -e go; do :; done"
FORMS = ["${x}", "$x", "{{x}}", "{{ x }}", "${{ x }}", "%x%", "$(x)", "`x`", "<x>", ":x", "@x", "{x}", "#{x}", "${{ env.x }}",
         "{{context.environment.x}}", "$.x", "${environment.x}", "~", "*", "\\n", "%s"]
SAY = "import json, sys; json.dump(sys.argv[1:] + [sys.stdin.read()], sys.stdout)"


def said(place, ran, one):
    """What a step printed."""
    return place.kept(ran.result["result_payload"]["steps"][one["id"]]["stdout"]["evidence"])


def plans_run(place):
    """How many executions of plans the ledger has."""
    return len([entry for entry in place.log("--kind", "execution_event")
                if entry["state"] == "planned" and entry["body"]["payload"]["target"] == "plan"])


def in_the_middle(place, document, act, **how):
    """Does something while a plan runs that has a step UNTIL_GO; returns how it ended."""
    child = place.begin(document, **how)
    until(lambda: (place.work / "up").exists(), "the step that waits", child)
    act()
    place.put("work/go", "")
    return place.end(child)


# ---- 6.1 automatic retry, 6.11 replay ----

@case
def R_004_104_R_004_123_R_004_148_R_004_150_R_004_151_a_plan_is_run_once_however_it_ends(place):
    for n, (status, last) in enumerate((("success", "exit 0"), ("failure", "exit 1"), ("partial", "exit 1"))):
        on_failure = "skip" if status == "partial" else "halt"
        place.comes_to(status, plan(sh("echo once >> times"), sh(f"echo twice >> times; {last}", on_failure=on_failure),
                                    retry_policy=retries(5, "STEP_FAILED", "EXECUTION_HALTED", "UNKNOWN_ERROR")))
        same((place.lines_of("times"), plans_run(place)), (["once", "twice"] * (n + 1), n + 1))


@case
def R_004_125_R_004_168_R_004_186_R_004_198_no_verb_resumes_replays_retries_or_cancels_a_plan(place):
    ran = place.comes_to("failure", plan(touch("first"), sh("echo once >> times; exit 1")))
    execution, before = ran.result["execution_id"], place.log()
    document = place.work / "plan.json"
    for words in (["resume", execution], ["replay", execution], ["retry", execution], ["rerun", execution],
                  ["continue", execution], ["plan", "resume", execution], ["plan", "cancel", execution],
                  ["plan", "stop", execution], ["run", "--resume", document], ["run", "--resume", execution],
                  ["run", "--continue", document], ["run", "--retry", document], ["run", "--from", "2", document],
                  ["run", "--replay", execution], ["run", "--checkpoint", "x", document], ["run", "--cache", document],
                  ["run", "--restart", document], ["run", execution]):
        run = place.writ(*words)
        hold(run.status in (64, 65, 69, 74, 77), run)
    same((place.log(), place.lines_of("times")), (before, ["once"]))


@case
def R_004_198_R_004_200_what_cancels_other_things_does_not_cancel_a_plan(place):
    context = {"environment": plans.HERE, "execution_id": new()}

    def cancel():
        for words in (["cancel", context["execution_id"]], ["cancel", "--force", context["execution_id"]]):
            hold(place.writ(*words).status != 0, words)
    ran = in_the_middle(place, plan(sh(UNTIL_GO), touch("after")), cancel, context=context)
    hold(ran.status == 0 and place.there("after"), ran)


# ---- 6.2 modification ----

@case
def R_004_004_R_004_153_R_004_154_R_004_155_R_004_156_a_file_that_changes_while_its_plan_runs_ends_the_plan(place):
    document = plan(sh(UNTIL_GO), sh("echo $1 >> seen", "as planned"), sh("echo $1 >> seen", "and again"))
    path = place.document(document)

    def change():
        other = json.loads(path.read_text())
        for one in other["steps"][1:]:
            one["payload"]["inputs"]["arguments"][-1] = "changed"
        other["steps"] = [other["steps"][0], touch("inserted"), other["steps"][2]]
        path.write_text(json.dumps(other))
    ran = in_the_middle(place, path, change)
    same((ran.error["error_code"], ran.error["severity"], ran.result["steps_executed"], ran.result["steps_total"]),
         ("PLAN_MODIFIED", "fatal", 0, 3))
    same(place.there("seen", "inserted"), [])
    same(place.of(document["id"], "input")[0]["body"], document)


@case
def R_004_153_a_file_that_is_gone_while_its_plan_runs_changes_nothing(place):
    path = place.document(plan(sh(UNTIL_GO), touch("after")))
    ran = in_the_middle(place, path, path.unlink)
    hold(ran.status == 0 and place.there("after"), ran)


@case
def a_registry_that_changes_while_a_plan_runs_changes_nothing(place):
    registry = place.repo / ".writ/tools.yaml"
    ran = in_the_middle(place, plan(sh(UNTIL_GO), touch("after")), lambda: registry.write_text("tools: []\n"))
    hold(ran.status == 0 and place.there("after"), ran)


@case
def R_004_155_R_004_156_a_step_that_rewrites_its_own_plan_ends_the_plan(place):
    """Whatever its on_failure says, however it writes, and though it fails or is the last one."""
    keep = "cp plan.json plan.next; "
    for script in ("echo '{}' > plan.json", "echo >> plan.json", keep + "echo >> plan.next; mv plan.next plan.json",
                   keep + "rm plan.json; ln -s plan.next plan.json", "rm plan.json; mkfifo plan.json",
                   "echo '{}' > plan.json; exit 1"):
        for after in ([], [touch("after")]):
            writer = sh(script, on_failure="skip")
            path = place.document(plan(touch("before"), writer, *after))
            ran = place.comes_to("failure", path)
            same((ran.error["error_code"], ran.error["severity"], ran.error["step_id"], ran.result["steps_executed"]),
                 ("PLAN_MODIFIED", "fatal", writer["id"], 1), script)
            true(str(path) in ran.error["message"] and ran.error["context"]["execution_id"], ran.error)
            same(place.there("after"), [])
            path.unlink()


@case
def R_004_156_a_retry_does_not_help_a_step_that_rewrites_its_plan(place):
    ran = place.comes_to("failure", plan(sh("echo once >> times; echo >> plan.json; exit 1", on_failure="retry"),
                                         retry_policy=retries(3, "STEP_FAILED", "PLAN_MODIFIED")))
    same((ran.error["error_code"], place.lines_of("times")), ("PLAN_MODIFIED", ["once"]))


@case
def R_004_156_a_template_is_the_file_of_its_plan(place):
    path = place.put("work/plan.yaml", "name: t\nsteps: [{name: a, run: [/bin/sh, -c, 'echo >> plan.yaml']},"
                     " {name: b, run: [/usr/bin/touch, after]}]\n")
    ran = place.comes_to("failure", path)
    same((ran.error["error_code"], place.there("after")), ("PLAN_MODIFIED", []))
    by_hand = place.writ("run", path, "--json")
    same((by_hand.status, json.loads(by_hand.out)["error"]["error_code"]), (1, "PLAN_MODIFIED"))


@case
def R_004_156_a_step_that_writes_what_the_file_says_already_changes_nothing(place):
    place.comes_to("success", plan(sh("cp plan.json next; mv next plan.json; touch plan.json"), touch("after")))


# ---- 6.3 dependencies, 6.10 branching ----

@case
def R_004_157_R_004_159_a_step_that_reads_what_another_writes_does_not_wait_for_it(place):
    wait = "touch $1; until test -e $2; do :; done"  # only if both run at once does either end
    place.comes_to("success", plan(sh(wait, "a", "b"), sh(wait + "; cat a", "b", "a")), jobs=2)


@case
def R_004_182_R_004_183_R_004_184_R_004_185_a_step_has_no_condition(place):
    for name, value in (("if", "false"), ("when", False), ("unless", True), ("condition", "x == 1"), ("else", []),
                        ("loop", 2), ("for_each", [1]), ("on_success", "skip"), ("retry_if", "x"), ("needs", [])):
        ran = place.run(plan(touch("ran"), touch("other", **{name: value})))
        hold(ran.status == 1 and ran.error["error_code"] == "INVALID_PAYLOAD", ran)
    for value in ("continue", {"if": "x", "then": "skip"}, ["skip"], None, "${x}", ""):
        ran = place.run(plan(touch("ran"), touch("other", on_failure=value)))
        hold(ran.status == 1 and ran.error["error_code"] == "INVALID_PAYLOAD", ran)
    same(place.there("ran", "other"), [])


@case
def R_004_184_R_004_204_R_004_206_R_004_207_what_a_step_says_of_itself_decides_nothing(place):
    document = plan(step("notify", {"status": "failure", "error": {"severity": "fatal"}, "on_failure": "halt"}),
                    sh("echo '{\"status\":\"failure\",\"error_code\":\"PLAN_TIMEOUT\"}'; echo fatal: ERROR >&2"),
                    step("json_merge", {"target": {}, "patch": {"skip": True, "halt": True}}), touch("after"))
    ran = place.comes_to("success", document)
    same((place.there("after"), "warnings" in ran.result["result_payload"]), (["after"], False))


# ---- 6.4 resources ----

@case
def R_004_161_R_004_162_A04_16_a_step_is_held_to_its_own_limits_and_the_plan_adds_none(place):
    plain, held = sh("true"), sh("true", sandbox={"memory_mb": 99, "timeout_ms": 4321, "cpu_cores": 2})
    ran = place.comes_to("success", plan(plain, held, timeout_ms=60000))
    limits = []
    for one in (plain, held):
        manifest, = place.of(ran.result["result_payload"]["steps"][one["id"]]["execution_id"], "manifest")
        limits.append([manifest["body"]["limits"][name] for name in ("memory_mb", "cpu_cores")])
    same(limits, [[512, 1], [99, 2]])


# ---- 6.5 nesting ----

@case
def R_004_164_R_004_165_only_execute_plan_runs_a_plan(place):
    child = plan(touch("child"))
    place.put("work/child.json", json.dumps(child))
    document = plan(step("notify", {"plan": child, "file": "child.json", "action": "execute_plan"}),
                    step("noop", {"plan": child}), step("json_merge", {"target": {}, "patch": {"plan": child}}),
                    sh("cat child.json"), metadata={"plan": child, "children": ["child.json"]})
    place.comes_to("success", document)
    same((place.there("child"), plans_run(place)), ([], 1))


# ---- 6.6 checkpoints, 6.7 logs ----

@case
def R_004_168_R_004_169_A04_15_while_it_runs_there_is_its_record_and_nothing_else_of_it(place):
    document = plan(sh("echo said"), sh(UNTIL_GO), sh("echo more"))
    place.comes_to("success", plan(sh("echo said")))  # what a ledger has anyway
    kinds, held = set(), []

    def look():
        held.extend(path.read_text() for path in place.state.glob("running/*"))
        kinds.update(re.sub(HEX, "#", str(path.relative_to(place.state)))
                     for path in place.state.rglob("*") if path.is_file())
    look()
    before = set(kinds)
    ran = in_the_middle(place, document, look)
    hold(ran.status == 0, ran)
    names = {name for name in kinds - before if not name.startswith("ledger.db")}
    names = {name.removesuffix("@" + re.sub(HEX, "#", platform.node())) for name in names}
    same(names, {"running/#-#-#-#-#"})  # who runs it
    same(held, [""] * 2)  # and nothing of how far it is
    same([*(place.state / "running").iterdir()], [])


@case
def R_004_171_R_004_172_R_004_173_there_is_no_log_and_all_that_is_known_is_in_the_result(place):
    members = {"plan_id", "execution_id", "status", "completed_at", "duration_ms", "steps_executed", "steps_total",
               "result_payload"}
    for status, script in (("success", "true"), ("failure", "echo because >&2; exit 5")):
        ran = place.comes_to(status, plan(sh(script)))
        same((ran.err, set(ran.result) - {"error"}), (b"", members))
    cause = ran.error["cause"]["context"]
    same((cause["exit_code"], cause["last_words"]), (5, "because\n"))
    same([path for path in place.scratch.rglob("*.log")], [])


# ---- 6.8 chaining, substitution ----

@case
def R_004_175_R_004_177_A04_17_what_looks_like_a_variable_reaches_a_command_as_it_is(place):
    one = python(SAY, *FORMS, inputs={"stdin": "${x} {{x}} $x"})
    ran = place.comes_to("success", plan(sh("echo x"), one), set=["x=put in"], context={"environment": plans.HERE | {"y": "put in"}},
                         env={"x": "put in"})
    same(json.loads(said(place, ran, one)), [*FORMS, "${x} {{x}} $x"])


@case
def R_004_175_R_004_177_what_looks_like_a_variable_reaches_executors_and_readers_as_it_is(place):
    payload = {form: [form, {"deep": form}] for form in FORMS}
    noop, tells = step("noop", payload), step("notify", payload)
    ran = place.comes_to("success", plan(noop, tells), set=["x=put in"])
    same(ran.result["result_payload"]["steps"][noop["id"]]["input_digest"], digest(canon(payload)))
    same([line["payload"] for line in ran.news if line["event"] == "notify"], [payload])


@case
def R_004_177_names_of_files_and_plans_are_not_filled_in_either(place):
    place.put("work/child.json", json.dumps(plan(touch("child"))))
    ran = place.run(plan(touch("ran"), step("execute_plan", {"file": "${name}.json"})), set=["name=child"])
    hold(ran.status == 1 and place.there("ran", "child") == [], ran)
    place.comes_to("success", plan(touch("${name}"), touch("{{name}}")), set=["name=child"])
    same(place.there("${name}", "{{name}}", "child"), ["${name}", "{{name}}"])


@case
def R_004_174_R_004_176_R_004_189_what_a_step_put_out_is_not_fed_to_the_next(place):
    mark = marker()
    first = sh("echo $1; touch made", mark)
    second = python(SAY, f"${{steps.{first['id']}.stdout}}", f"{{{{{first['id']}}}}}", f"${{{first['id']}}}", "$1",
                    after=[first])
    ran = place.comes_to("success", plan(first, second))
    text = said(place, ran, second)
    true(mark.encode() not in text, text)
    execution = ran.result["result_payload"]["steps"][second["id"]]["execution_id"]
    request, = place.of(execution, "input")
    same(request["body"]["inputs"], second["payload"]["inputs"])


# ---- 6.12 versions, 6.13 several plans ----

@case
def R_004_190_R_004_191_R_004_192_R_004_193_no_other_version_is_read(place):
    for version in (0, 2, 1.5, "1", "v1", None, True):
        ran = place.run(plan(touch("ran"), version=version))
        hold(ran.status == 1 and ran.error["error_code"] == "INVALID_PAYLOAD", ran)
    same(place.there("ran"), [])


@case
def R_004_194_R_004_195_R_004_197_a_document_is_one_plan(place):
    for documents in ([plan(touch("ran")), plan(touch("ran"))], {"plans": [plan(touch("ran"))]}):
        hold(place.run(documents).status == 65, documents)
    lines = "\n".join(json.dumps(plan(touch("ran"))) for _ in range(2))
    hold(place.run(lines).status == 65, lines)
    ran = place.run(plan(touch("ran"), after=[new()]))
    hold(ran.status == 1 and ran.error["error_code"] == "INVALID_PAYLOAD", ran)
    same(place.there("ran"), [])


@case
def R_004_194_R_004_219_no_step_waits_for_a_step_of_another_plan(place):
    other = touch("other")
    place.comes_to("success", plan(other))
    ran = place.run(plan(touch("ran"), touch("after", after=[other])))
    hold(ran.status == 1 and ran.result["steps_executed"] == 0, ran)
    same(place.there("ran", "after"), [])


# ---- 6.15 caching ----

@case
def R_004_201_R_004_202_A04_14_steps_that_say_the_same_are_each_run(place):
    steps = [sh("date +%N; echo ran >> times") for _ in range(3)] + [step("text_digest", {"text": "a"}) for _ in range(3)]
    ran = place.comes_to("success", plan(*steps))
    outputs = [ran.result["result_payload"]["steps"][one["id"]] for one in steps]
    same(place.lines_of("times"), ["ran"] * 3)
    same(len({output["execution_id"] for output in outputs[:3]}), 3)
    same(len({output["trace_id"] for output in outputs[3:]}), 3)
    for output in outputs[3:]:
        same(len(place.records(output["trace_id"])), 2)


@case
def R_004_202_R_004_203_a_command_that_changed_its_mind_is_believed(place):
    steps = [execute("/bin/sh", "-c", "cat n 2> /dev/null; echo x >> n") for _ in range(3)]
    ran = place.comes_to("success", plan(*steps))
    sizes = [ran.result["result_payload"]["steps"][one["id"]].get("stdout", {}).get("bytes", 0) for one in steps]
    same(sizes, [0, 2, 4])


# ---- 7 amendments ----

# What documents of version 1 may say: digests of their JSON Schemas without the words for people. A change is an
# amendment: another version with shapes of its own, a way to migrate and a decision (docs/decisions/025), not
# another digest here.
VERSION_1 = {
    "plan": "sha256:c1037da33ad8fa19a7e14ed2b654e841c70b11146a8dc5d2d1950a7e66310c28",
    "context": "sha256:7265df8e13f44a022a692ee3a1d2aba6bba886cdb72cf6a449630c6653be1e76",
    "result": "sha256:9befedf031434cb233563897e92d2f6be08b933773647a2733a9ce64ea7daf71",
}


@case
def R_004_212_R_004_213_R_004_214_the_documents_of_version_1_are_what_they_were(place):
    for kind, wanted in VERSION_1.items():
        schema = json.loads(place.writ("explain", kind, "--schema").out)
        same((kind, digest(canon(plans.desk.bare(schema)))), (kind, wanted))
    for version in (0, 2, 3):
        ran = place.comes_to("failure", plan(touch("ran"), version=version))
        same((ran.error["error_code"], place.there("ran")), ("INVALID_PAYLOAD", []))


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
