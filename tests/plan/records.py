#!/usr/bin/env python3
"""records: what a plan leaves in the ledger, and that a plan and an execution are used once.

usage: records.py [--postgres] RUN_PLAN WRIT      prints TAP
"""
import json
import sqlite3
import subprocess
import sys

import plans
from plans import canon, digest, execute, hold, new, plan, python, retries, same, sh, step, touch, true

CASES = []
case = plans.collector(CASES)

ROW = ["action", "attempt", "code", "duration_ms", "execution_id", "index", "message", "name", "started_at",
       "state", "step_id"]
WORD = "planted-5d1e9a"


# ---- the record as a whole ----

def rows_of(place, execution):
    """The rows of the manifests of a plan's execution, oldest first."""
    manifests = [entry["body"] for entry in place.of(execution, "manifest")]
    for body in manifests[:-1]:
        true(all(row["state"] != "not_run" for row in body["steps"]), body)
    return [row for body in manifests for row in body["steps"]]


def rows_agree(ran, document, rows):
    """Each attempt is a row, and each step that was never begun is one; they say what the result says."""
    result = ran.result
    done = [row["step_id"] for row in rows if row["state"] == "completed"]
    same(sorted(done), sorted(result["result_payload"]["steps"]), rows)
    told = {(line["index"], line["attempt"]): line.get("code") for line in ran.news
            if line["event"] in ("step_completed", "step_failed")}
    tried = [row for row in rows if row["state"] != "not_run"]
    same({(row["index"], row["attempt"]): row["code"] for row in tried}, told, rows)
    same(len(tried), len(told))
    for index, one in enumerate(document["steps"]):
        mine = [row for row in rows if row["index"] == index]
        true(mine and all((row["step_id"], row["action"]) == (one["id"], one["action"]) for row in mine), rows)
        same([row["attempt"] for row in mine], [0] if mine[0]["state"] == "not_run" else list(range(1, len(mine) + 1)))
    if result["status"] != "success":
        unfinished = [one["id"] for one in document["steps"] if one["id"] not in done]
        same(result["error"]["context"]["incomplete_steps"], unfinished)


def row_is_right(place, row, plan_entry):
    true(set(ROW) <= set(row), row)
    if row["state"] == "not_run":
        same((row["started_at"], row["duration_ms"], row["execution_id"], row["code"]), (None,) * 4, row)
        return
    same(row["state"] == "failed", row["code"] is not None, row)
    true(row["started_at"] > 0 and row["duration_ms"] >= 0, row)
    if row["action"] != "execute" or row["code"] and not row["execution_id"]:
        return
    events = place.of(row["execution_id"], "execution_event")
    for event in events:
        true(plan_entry in event["body"]["lineage"]["dependsOnLedgerIds"], event)
    if events:
        same(events[-1]["state"], "succeeded" if row["state"] == "completed" else "failed", row)
        request, = place.of(row["execution_id"], "input")
        true(request["ledger_id"] in events[0]["body"]["lineage"]["dependsOnLedgerIds"], events[0])
    else:
        true(row["execution_id"] in [reject["subject"] for reject in place.rejects()], row)


def recorded(place, ran, document):
    """All that the ledger must have of an execution, and that it says the same as the result."""
    execution, result = ran.result["execution_id"], ran.result
    same([entry["kind"] for entry in place.of(execution)][:3], ["input", "execution_event", "execution_event"])
    whole, = [entry for entry in place.of(document["id"], "input")]
    same(whole["body"], document)
    end = "succeeded" if result["status"] == "success" else "failed"
    same(place.states(execution), ["planned", "running", end])
    kept, = place.of(execution, "plan_result")
    same(kept["body"], result)
    same(kept["content_digest"], digest(canon(result)))
    context, = place.of(execution, "input")
    events = place.of(execution, "execution_event")
    for event in events:
        same(event["body"]["lineage"]["dependsOnLedgerIds"], [whole["ledger_id"], context["ledger_id"]])
    payload = events[-1]["body"]["payload"]
    same(payload["externalRefs"]["plan_result"], kept["ledger_id"])
    same(payload.get("error", {}).get("code"),
         {"success": None, "partial": "PLAN_PARTIAL"}.get(result["status"], (result.get("error") or {}).get("error_code")))
    rows = rows_of(place, execution)
    if ran.events("step_started"):
        rows_agree(ran, document, rows)
    for row in rows:
        row_is_right(place, row, whole["ledger_id"])
    for id in ran.record["ledger"]:
        place.entry(id)
    place.verify()
    return rows


@case
def R_004_096_R_004_098_R_004_103_a_success_is_recorded_with_each_of_its_steps(place):
    document = plan(sh("echo a"), step("noop"), step("notify", {"text": "hello"}),
                    step("validate", {"schema": {}, "document": 1}), python("pass"))
    rows = recorded(place, place.comes_to("success", document, jobs=2), document)
    same(len(rows), 5)
    executor, = [row for row in rows if row["action"] == "noop"]
    same(len(place.records(executor["execution_id"])), 2)
    note, = place.of(document["id"], "note")
    same(note["body"]["plan_state"], "completed")
    told = place.writ("log", "--kind", "note").out.decode()
    true(f"{document['id']} plan used by {note['body']['execution_id']}, completed\n" in told, told)
    run = place.writ("ledger", "erase", note["ledger_id"], "--reason", "asked for")
    same((run.status, b"note of how a plan ended" in run.err), (1, True), run)


@case
def R_004_116_R_004_118_R_004_121_A04_12_X_1_a_partial_end_is_recorded_with_what_is_incomplete(place):
    a = sh("false", on_failure="skip")
    document = plan(a, sh("exit 3", on_failure="retry"), execute("/usr/bin/mkdir", "x", on_failure="skip"), sh("true"),
                    retry_policy=retries(3, "STEP_FAILED"))
    rows = recorded(place, place.comes_to("partial", document), document)
    same([(row["index"], row["state"]) for row in rows],
         [(0, "failed"), (1, "failed"), (1, "failed"), (1, "failed"), (2, "failed"), (3, "completed")])
    note, = [entry["body"] for entry in place.of(document["id"], "note")]
    same((note["plan_state"], note["incomplete_steps"]), ("incomplete", [one["id"] for one in document["steps"][:3]]))


@case
def R_004_134_R_004_139_R_004_147_a_failure_is_recorded_with_the_steps_that_never_began(place):
    document = plan(sh("true"), sh("echo >&2 no; exit 9"), touch("after"), step("noop"))
    rows = recorded(place, place.comes_to("failure", document), document)
    same([row["state"] for row in rows], ["completed", "failed", "not_run", "not_run"])
    same((rows[1]["code"], rows[1]["message"]), ("STEP_FAILED", "exit 9: no"))


@case
def R_004_139_what_ended_while_another_was_stopped_is_recorded_as_it_was_judged(place):
    # Collecting the files of the first takes its time; others end in that, and the plan is halted for the first.
    many = "import os, time; os.mkdir('o'); [open(f'o/{n}', 'w').close() for n in range(3000)]; time.sleep(600)"
    slow = python(many, outputs={"artifacts": ["o/**"]}, timeout_ms=2000)
    document = plan(slow, *[sh(f"sleep 0.{n % 7 + 1}") for n in range(60)])
    rows = recorded(place, place.comes_to("failure", document, jobs=8), document)
    same([row["code"] for row in rows if row["index"] == 0], ["STEP_TIMEOUT"])


@case
def R_004_139_what_was_stopped_with_the_plan_is_recorded_as_stopped(place):
    document = plan(sh("until test -e up; do :; done; exit 1"), sh("touch up; sleep 600"), step("noop"))
    rows = recorded(place, place.comes_to("failure", document, jobs=2), document)
    same({row["index"]: (row["state"], row["code"]) for row in rows},
         {0: ("failed", "STEP_FAILED"), 1: ("failed", "EXECUTION_HALTED"), 2: ("not_run", None)})
    document = plan(sh("sleep 600"), step("noop"), timeout_ms=500)
    rows = recorded(place, place.comes_to("failure", document), document)
    same([(row["state"], row["code"]) for row in rows], [("failed", "PLAN_TIMEOUT"), ("not_run", None)])


@case
def R_004_139_a_plan_that_is_refused_is_recorded_too(place):
    document = plan(step("nobody"))
    ran = place.comes_to("failure", document)
    same(recorded(place, ran, document), [])
    document = plan(sh("true"), context_requirements=["none"])
    recorded(place, place.comes_to("failure", document), document)


@case
def a_long_plan_is_recorded_while_it_runs_and_whole_at_its_end(place):
    document = plan(*(step("noop") for _ in range(700)), *(sh("true") for _ in range(20)))
    rows = recorded(place, place.comes_to("success", document, jobs=4), document)
    same(len(rows), 720)
    true(len(place.of(place.log("--kind", "plan_result")[0]["subject"], "manifest")) > 1)


def proves(place, ran):
    """What the ledger has of a plan can be read, proved, and is canonical."""
    for entry in place.of(ran.result["execution_id"], "plan_result", "input"):
        true("damaged_body" not in entry, entry["ledger_id"])
        done = place.writ("prove", entry["ledger_id"])
        hold(done.status == 0, done._replace(out=done.out[:400]))


@case
def R_004_096_a_name_that_is_no_utf_8_does_not_spoil_the_record(place):
    script = "import os; os.mkdir('d'); open(b'd/\\xff', 'w').close()"
    ran = place.comes_to("success", plan(python(script, outputs={"artifacts": ["d/*"]})))
    output, = ran.result["result_payload"]["steps"].values()
    same([one["path"] for one in output["artifacts"]], ["d/\ufffd"])
    proves(place, ran)


@case
def R_004_096_a_result_larger_than_any_document_that_is_taken_is_recorded_and_can_be_proved(place):
    names = ["x"] * 90000  # none of them is there; each is a value of the plan, and three of the result
    ran = place.run(plan(*(sh("true", outputs={"artifacts": names}) for _ in range(4))))
    hold(ran.status == 0, ran._replace(out=ran.out[:400], record={}))
    proves(place, ran)


@case
def R_004_097_R_004_117_R_004_140_the_last_news_is_the_result(place):
    for status, steps in (("success", [sh("true")]), ("partial", [sh("true"), sh("false", on_failure="skip")]),
                          ("failure", [sh("false")])):
        ran = place.comes_to(status, plan(*steps))
        same((ran.news[-1]["event"], ran.news[-1]["result"]), (f"plan_execution_{status}", ran.result))
        same(sum(line["event"].startswith("plan_execution_") for line in ran.news), 1)
        same((ran.news[0]["event"], ran.news[0]["execution_id"]), ("plan_started", ran.result["execution_id"]))


@case
def R_004_232_R_004_047_times_of_a_result_fit_those_of_its_context(place):
    ran = place.comes_to("success", plan(sh("true")))
    context, = place.of(ran.result["execution_id"], "input")
    true(ran.result["completed_at"] >= context["body"]["started_at"] > 0, ran.result)
    true(ran.result["duration_ms"] >= 0, ran.result)


# ---- used once ----

@case
def R_004_124_R_004_187_R_004_188_A04_26_a_plan_is_run_once_however_it_ended(place):
    for steps, status in (([sh("echo ran >> times")], "success"), ([sh("echo ran >> times; exit 1")], "failure"),
                          ([sh("echo ran >> times"), sh("false", on_failure="skip")], "partial"),
                          ([step("nobody")], "failure")):
        document = plan(*steps)
        place.comes_to(status, document)
        times, entries = place.lines_of("times"), place.log()
        ran = place.run(document)
        hold(ran.status == 77 and ran.record["code"] == "EXECUTION_USED" and "result" not in ran.record, ran)
        true(document["id"] in ran.record["message"], ran.record)
        same((place.lines_of("times"), place.log(), ran.news), (times, entries, []))


@case
def R_004_029_R_004_187_A04_26_an_execution_id_is_used_once(place):
    own = {"environment": plans.HERE, "execution_id": new()}
    ran = place.comes_to("success", plan(sh("true")), context=own)
    same(ran.result["execution_id"], own["execution_id"])
    entries = place.log()
    ran = place.run(plan(touch("ran")), context=own)
    hold(ran.status == 77 and ran.record["code"] == "EXECUTION_USED" and own["execution_id"] in ran.record["message"],
         ran)
    same((place.there("ran"), place.log()), ([], entries))


@case
def R_004_051_R_004_057_R_004_060_what_is_not_there_is_null_wherever_a_result_is_printed_or_kept(place):
    members = ["plan_id", "execution_id", "status", "completed_at", "duration_ms", "steps_executed", "steps_total",
               "result_payload", "error"]

    def everywhere(document):
        path = place.document(document)
        done = place.writ("run", "--progress", "json", path)
        result = json.loads(done.out.splitlines()[-1])["result"]
        entry, = place.of(result["execution_id"], "plan_result")
        same((entry["body"], list(result)), (result, members))
        again = place.run(document | {"id": new()})
        same(list(again.result), members)
        same(again.news[-1]["result"], again.result)
        return result
    same(everywhere(plan(sh("true")))["error"], None)
    halted = everywhere(plan(sh("exit 5")))["error"]
    same((halted["step_id"], halted["cause"]["cause"], halted["cause"]["step_id"] is not None), (None, None, True))
    same([(one["step_id"] is None, one["cause"] is None) for one in halted["context"]["errors"]],
         [(False, True), (True, False)])
    missing = everywhere(plan(sh("true"), context_requirements=["none"]))["error"]
    same((missing["step_id"], missing["cause"]), (None, None))


def repeats(place, execution):
    """What the events of an execution say that it repeats."""
    said = {entry["body"]["lineage"].get("rerunOfExecutionId") for entry in place.of(execution, "execution_event")}
    same(len(said), 1)
    return said.pop()


@case
def R_002_009_R_002_062_X_20_a_rerun_says_what_it_repeats(place):
    first = place.comes_to("failure", plan(sh("exit 5"))).result["execution_id"]
    ran = place.comes_to("success", plan(sh("true")), rerun=first)
    same((repeats(place, first), repeats(place, ran.result["execution_id"])), (None, first))
    done = place.writ("run", "--rerun-of", first.upper(), place.document(plan(sh("true"))), "--json")
    again = json.loads(done.out)["execution_id"]
    same(repeats(place, again), first)
    shown = place.one("show", first)
    same(sorted(shown["reruns"]), sorted([ran.result["execution_id"], again]))
    command = [entry["subject"] for entry in place.log("--kind", "execution_event")
               if entry["body"]["payload"]["target"] == "exec"][-1]
    same(repeats(place, command), None)
    before = place.log()
    for strange in (new(), "x", ""):
        ran = place.run(plan(touch("ran")), rerun=strange)
        hold(ran.status == 64 and ran.record["code"] == "USAGE" and "no execution" in ran.record["message"], ran)
    same((place.there("ran"), place.log()), ([], before))
    place.verify()


@case
def R_002_009_an_attempt_at_a_step_says_which_attempt_it_repeats(place):
    command = sh("echo once >> times; test $(wc -l < times) = 3", on_failure="retry")
    ran = place.comes_to("success", plan(command, retry_policy=plans.retries(3, "STEP_FAILED")))
    rows = rows_of(place, ran.result["execution_id"])
    ids = [row["execution_id"] for row in sorted(rows, key=lambda row: row["attempt"])]
    same([repeats(place, one) for one in ids], [None, *ids[:2]])
    (place.work / "times").unlink()
    place.put("work/child.yaml", "name: c\nsteps: [{name: a, run: [/bin/sh, -c, 'echo once >> times; "
                                 "test $(wc -l < times) = 2']}]\n")
    ran = place.comes_to("success", plan(step("execute_plan", {"file": "child.yaml"}, on_failure="retry"),
                                         retry_policy=plans.retries(2, "STEP_FAILED")))
    rows = rows_of(place, ran.result["execution_id"])
    ids = [row["execution_id"] for row in sorted(rows, key=lambda row: row["attempt"])]
    same([repeats(place, one) for one in ids], [None, ids[0]])
    place.verify()


@case
def X_7_A04_26_an_id_in_upper_case_is_the_same_id(place):
    own = {"environment": plans.HERE, "execution_id": new()}
    document = plan(sh("true"))
    place.comes_to("success", document, context=own)
    for again, context in ((document | {"id": document["id"].upper()}, None),
                           (plan(touch("ran")), own | {"execution_id": own["execution_id"].upper()})):
        ran = place.run(again, context=context)
        hold(ran.status == 77 and ran.record["code"] == "EXECUTION_USED", ran)
    same(place.there("ran"), [])
    loud = plan(touch("loud"), id=new().upper())
    ran = place.comes_to("success", loud)
    same(ran.result["plan_id"], loud["id"].lower())
    place.verify()
    inner = plan(step("execute_plan", {"plan": plan(touch("inner"))}))
    inner["steps"][0]["payload"]["plan"]["id"] = inner["id"].upper()
    ran = place.run(inner)
    hold(ran.status == 1 and "step of itself" in ran.error["message"], ran)


@case
def A04_26_of_many_that_start_at_once_with_one_plan_one_runs(place):
    for context in (None, {"environment": plans.HERE, "execution_id": new()}):
        shared = plan(sh("echo ran >> times"))
        (place.work / "times").unlink(missing_ok=True)
        given, children = context and place.put("given.json", json.dumps(context)), []
        for n in range(8):
            document = shared if context is None else plan(sh("echo ran >> times"))
            path = place.document(document, f"work/plan-{n}.json")
            children.append(subprocess.Popen(place.command(path, context=given), cwd=place.work,
                                             env=place.environment({}), stdin=subprocess.DEVNULL,
                                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        same(sorted(child.wait(timeout=120) for child in children), [0] + [77] * 7)
        same(place.lines_of("times"), ["ran"])
    same(len(place.log("--kind", "plan_result")), 2)
    place.verify()


@case
def R_004_201_R_004_203_plans_that_say_the_same_are_run_each_for_itself(place):
    steps = [sh("echo ran >> times")]
    runs = [place.comes_to("success", plan(*steps)) for _ in range(3)]
    same(len({ran.result["execution_id"] for ran in runs}), 3)
    same(place.lines_of("times"), ["ran"] * 3)


@case
def R_004_196_plans_that_run_at_once_do_not_meet(place):
    documents = []
    for n in range(4):
        first = sh("echo $1 >> seen-$1", n)
        documents.append(plan(first, sh("cat seen-$1", n, after=[first])))
    children = [subprocess.Popen(place.command(place.document(document, f"work/plan-{n}.json"), jobs=2), cwd=place.work,
                                 env=place.environment({}), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
                for n, document in enumerate(documents)]
    for n, (child, document) in enumerate(zip(children, documents)):
        answer = json.loads(child.communicate(timeout=120)[0])
        same((child.returncode, answer["result"]["plan_id"], answer["result"]["status"]), (0, document["id"], "success"))
        output = answer["result"]["result_payload"]["steps"][document["steps"][1]["id"]]
        same(place.kept(output["stdout"]["evidence"]), b"%d\n" % n)
    place.verify()


# ---- never changed ----

@case
def R_004_102_R_004_170_A04_27_a_result_cannot_be_changed_and_a_changed_one_is_found(place):
    ran = place.comes_to("success", plan(sh("true")))
    if plans.ledger.POSTGRES:
        raise plans.tap.Skip("tables of a file")
    with sqlite3.connect(place.file) as store:
        tables = [name for name, in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        guarded = 0
        for table in tables:
            columns = [row[1] for row in store.execute(f"PRAGMA table_info({table})")]
            if "body" not in columns:
                continue
            for statement in (f"DELETE FROM {table}", *(f"UPDATE {table} SET {name} = NULL" for name in columns),
                              f"UPDATE {table} SET body = 'x'"):
                try:
                    store.execute(statement)
                except sqlite3.Error:
                    guarded += 1
                    continue
                raise AssertionError(f"not refused: {statement}")
        true(guarded > 2, tables)
    kept, = place.of(ran.result["execution_id"], "plan_result")
    same(kept["body"], ran.result)
    place.verify()


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
