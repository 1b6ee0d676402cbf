#!/usr/bin/env python3
"""nested: plans that are steps of plans.

usage: nested.py [--postgres] RUN_PLAN WRIT      prints TAP
"""
import os
import sys

import plans
from plans import alive, hold, marker, plan, python, same, sh, step, touch, true

CASES = []
case = plans.collector(CASES)

STUBBORN = 'trap "" TERM; (setsid sleep "$1" &); touch up; sleep "$1"; sleep "$1"'


def by_file(name, **members):
    return step("execute_plan", {"file": name}, **members)


def inline(document, **members):
    return step("execute_plan", {"plan": document}, **members)


def why(ran):
    return ran.error["context"]["errors"][0]


def refused(place, ran, *ran_not):
    hold(ran.status == 1 and ran.error["error_code"] == "INVALID_PAYLOAD", ran)
    same((ran.result["steps_executed"], ran.events("step_started"), place.there(*ran_not)), (0, [], []))


def context_of(place, execution):
    """What the ledger says an execution was run with."""
    entry, = place.of(execution, "input")
    return entry["body"]


def executions(place):
    """Those of plans, by the id of the plan."""
    return {context["plan_id"]: entry["subject"] for entry in place.log("--kind", "plan_result")
            for context in [entry["body"]]}


@case
def R_004_165_a_plan_of_another_file_or_written_in_place_is_run_as_a_step(place):
    for form in ("file", "inline"):
        child = plan(sh("echo child >> seen"), touch(f"made-{form}"))
        if form == "file":
            place.put("work/plans/child.json", plans.json.dumps(child))
        inner = by_file("plans/child.json") if form == "file" else inline(child)
        ran = place.comes_to("success", plan(inner, touch(f"after-{form}", after=[inner])))
        output = ran.result["result_payload"]["steps"][inner["id"]]
        same((output["plan_id"], output["status"], output["steps_executed"], output["steps_total"]),
             (child["id"], "success", 2, 2))
        same(place.there(f"made-{form}", f"after-{form}"), [f"made-{form}", f"after-{form}"])
        same(ran.result["steps_total"], 2)  # a child's steps are its own
        same([index for _, index in ran.events("step_started")], [0, 1])


@case
def R_004_165_the_file_of_a_child_lies_beside_that_of_its_plan(place):
    place.put("work/below/child.json", plans.json.dumps(plan(by_file("deeper/grandchild.json"))))
    place.put("work/below/deeper/grandchild.json", plans.json.dumps(plan(touch("made"))))
    ran = place.comes_to("success", plan(by_file("below/child.json")))
    same((ran.result["steps_executed"], place.there("made")), (1, ["made"]))


@case
def R_004_165_a_file_elsewhere_is_no_child_and_is_not_read(place):
    place.put("outside/secret", "token: [of mine\n")
    (place.work / "link.json").symlink_to(place.outside / "secret")
    secret = place.outside / "secret"
    for name in (str(secret), os.path.relpath(secret, place.work), "link.json", "/etc/passwd"):
        ran = place.comes_to("failure", plan(by_file(name)))
        told = plans.json.dumps(ran.result)
        true("lies beside the plan that has it, or below" in told and "of mine" not in told and "root" not in told, told)


@case
def R_004_033_A04_29_each_nested_execution_names_its_parent_in_the_ledger(place):
    grandchild = plan(sh("true"), name="grandchild")
    child = plan(inline(grandchild), name="child")
    parent = plan(inline(child), name="parent")
    ran = place.comes_to("success", parent)
    ran_as = executions(place)
    same(set(ran_as), {one["id"] for one in (parent, child, grandchild)})
    same(ran_as[parent["id"]], ran.result["execution_id"])
    same(context_of(place, ran_as[grandchild["id"]])["parent_execution_id"], ran_as[child["id"]])
    same(context_of(place, ran_as[child["id"]])["parent_execution_id"], ran_as[parent["id"]])
    true("parent_execution_id" not in context_of(place, ran_as[parent["id"]]))
    for one, of in ((grandchild, child), (child, parent)):
        context, = place.of(ran_as[one["id"]], "input")
        same(context["body"]["parent_step_id"], of["steps"][0]["id"])
        rests_on = [place.of(each["id"], "input")[0]["ledger_id"] for each in (one, of)]
        rests_on.insert(1, context["ledger_id"])
        for event in place.of(ran_as[one["id"]], "execution_event"):
            same(event["body"]["lineage"]["dependsOnLedgerIds"], rests_on)
    for execution in ran_as.values():
        same(place.states(execution), ["planned", "running", "succeeded"])
    same(len({context_of(place, execution)["environment_digest"] for execution in ran_as.values()}), 1)
    place.verify()


@case
def R_004_166_a_child_that_fails_is_a_step_that_failed_and_what_it_did_stays(place):
    child = plan(touch("done"), sh("echo woe >&2; exit 4"))
    ran = place.comes_to("partial", plan(inline(child, on_failure="skip"), touch("next")))
    same((why(ran)["error_code"], why(ran)["context"]["status"], why(ran)["context"]["code"],
          why(ran)["context"]["steps_executed"]), ("STEP_FAILED", "failure", "EXECUTION_HALTED", 1))
    same(place.there("done", "next"), ["done", "next"])
    same(place.states(why(ran)["context"]["execution_id"]), ["planned", "running", "failed"])


@case
def a_child_that_ends_partially_is_no_success(place):
    ran = place.comes_to("failure", plan(inline(plan(sh("true"), sh("false", on_failure="skip")))))
    same((why(ran)["error_code"], why(ran)["context"]["status"]), ("STEP_FAILED", "partial"))


@case
def A04_29_a_plan_that_is_a_step_of_itself_by_its_file_is_refused_before_anything_runs(place):
    path = place.document(plan(touch("ran"), by_file("plan.json")))
    refused(place, place.run(path), "ran")
    place.put("work/b.json", plans.json.dumps(plan(touch("ran-b"), by_file("plan.json"))))
    ran = place.run(plan(touch("ran"), by_file("b.json")))
    refused(place, ran, "ran", "ran-b")
    true("step of itself" in ran.error["message"], ran.error)
    os.symlink("plan.json", place.work / "other-name.json")
    refused(place, place.run(plan(touch("ran"), by_file("other-name.json"))), "ran")


@case
def A04_29_a_plan_that_is_a_step_of_itself_by_its_id_is_refused_before_anything_runs(place):
    own = plans.new()
    ran = place.run(plan(touch("ran"), inline(plan(touch("child"), id=own)), id=own))
    refused(place, ran, "ran", "child")
    own = plans.new()
    ran = place.run(plan(touch("ran"), inline(plan(inline(plan(touch("child"), id=own)))), id=own))
    refused(place, ran, "ran", "child")


@case
def A04_29_plans_are_nested_only_so_deep(place):
    def nest(depth):
        document = plan(touch(f"bottom-{depth}"))
        for _ in range(depth):
            document = plan(inline(document))
        return document
    place.comes_to("success", nest(8))
    refused(place, place.run(nest(9)), "bottom-9")
    same(place.there("bottom-8"), ["bottom-8"])


def thicket(place, depth, last):
    """Files of 30 steps each, all of which are the next file; where all begins."""
    for n in range(depth):
        steps = [{"name": f"s{k}", "action": "execute_plan", "payload": {"file": f"{n + 1}.json"}} for k in range(30)]
        place.put(f"work/{n}.json", plans.json.dumps({"name": f"f{n}", "steps": steps if n < depth - 1 else [last]}))
    return plan(by_file("0.json", on_failure="skip"), by_file("1.json"), timeout_ms=1000)


@case
def A04_29_a_file_that_many_steps_have_is_looked_into_once(place):
    document = thicket(place, 8, {"name": "last", "action": "noop", "payload": {}})
    dry = place.writ("run", "--dry-run", place.document(document))
    hold(dry.status == 0, dry)
    ran = place.comes_to("failure", document)
    same(ran.error["error_code"], "PLAN_TIMEOUT")


@case
def A04_29_a_file_that_is_right_in_one_place_may_be_too_deep_in_another(place):
    document = thicket(place, 8, {"name": "last", "action": "noop", "payload": {}})
    document["steps"].append(inline(plan(by_file("0.json"))))
    ran = place.run(document)
    refused(place, ran)
    one, = ran.error["context"]["problems"]
    hold(one["pointer"] == "/steps/2/payload" and "nested too deeply" in one["message"], one)


@case
def what_is_wrong_in_a_file_that_many_steps_have_is_found_once_a_step(place):
    document = thicket(place, 8, {"name": "last", "action": "nobody", "payload": {}})
    ran = place.run(document)
    hold(ran.status == 1 and ran.result["steps_executed"] == 0, ran)
    same([one["pointer"] for one in ran.error["context"]["problems"]], ["/steps/0/payload", "/steps/1/payload"])
    hold("there is no action 'nobody'" in ran.error["message"], ran)


@case
def what_is_wrong_with_a_child_is_found_before_anything_runs(place):
    place.put("work/wrong.json", plans.json.dumps(plan(step("nobody"))))
    for inner in (by_file("none.json"), by_file("wrong.json"), inline({"id": "x"}), inline(plan(step("nobody"))),
                  inline(plan(step("execute", {}))), inline(plan(sh("true"), context_requirements=["missing"]))):
        ran = place.run(plan(touch("ran"), inner))
        hold(ran.status == 1 and ran.error["severity"] == "fatal" and ran.result["steps_executed"] == 0, ran)
        same((ran.events("step_started"), place.there("ran")), ([], []), inner)
        one, = ran.error["context"]["problems"]
        same(one["pointer"], "/steps/1/payload", one)


@case
def a_child_that_is_wrong_is_told_by_what_is_wrong_and_not_by_a_warning_before_it(place):
    child = plan(touch("ran"), retry_policy={"max_attempts": 2, "retryable_error_codes": ["CONTEXT_MISSING"]})
    steps = child.pop("steps")
    place.put("work/child.json", plans.json.dumps(child | {"steps": [steps[0] | {"on_failure": "bogus"}]}))
    ran = place.run(plan(by_file("child.json")))
    refused(place, ran, "ran")
    one, = ran.error["context"]["problems"]
    hold(one["message"].endswith("/steps/0/on_failure: 'bogus' is not one of halt, skip, retry"), one)


@case
def a_child_that_cannot_be_read_has_no_place_in_it(place):
    document = plan(touch("ran"), by_file("none.json"))
    ran = place.run(document)
    refused(place, ran, "ran")
    one, = ran.error["context"]["problems"]
    hold(one["message"].endswith("/none.json: cannot be opened: No such file or directory"), one)
    same(one["code"], ran.error["error_code"])
    dry = place.writ("run", "--dry-run", place.document(document))
    hold(dry.status == 1 and b"[INVALID_PAYLOAD]" in dry.err and b"[IO]" not in dry.err, dry)


@case
def R_004_165_a_child_is_read_from_a_regular_file_and_nobody_waits_for_a_pipe(place):
    os.mkfifo(place.work / "pipe.json")
    os.mkdir(place.work / "directory.json")
    for name in ("pipe.json", "directory.json"):
        ran = place.run(plan(touch("ran"), by_file(name)))
        refused(place, ran, "ran")
        true("is no regular file" in ran.error["message"], ran.error)
        dry = place.writ("run", "--dry-run", place.work / "plan.json")
        hold(dry.status != 0 and b"is no regular file" in dry.out + dry.err, dry)
    place.put("work/child.json", plans.json.dumps(plan(touch("ran"))))
    ran = place.comes_to("failure", plan(python("import os; os.mkfifo('x'); os.replace('x', 'child.json')"),
                                         by_file("child.json")))
    same((ran.error["error_code"], ran.result["steps_executed"], place.there("ran")), ("INVALID_PAYLOAD", 1, []))


@case
def R_004_156_a_child_that_a_step_changed_is_not_run_and_the_plan_ends(place):
    def text(name):
        return plans.json.dumps(plan(touch(name)))
    place.put("work/other.json", text("other"))
    for change in ("open('child.json', 'w').write(open('other.json').read())",
                   "import os; os.replace('other.json', 'child.json')",
                   "import os; os.remove('child.json'); os.symlink('other.json', 'child.json')"):
        place.put("work/child.json", text("child"))
        place.put("work/other.json", text("other"))
        ran = place.comes_to("failure", plan(python(change), by_file("child.json", on_failure="skip"), touch("after")))
        same((ran.error["error_code"], ran.error["severity"], place.there("child", "other", "after")),
             ("PLAN_MODIFIED", "fatal", []), change)
        true("it was changed since the plan was checked" in ran.error["message"], ran.error)
        (place.work / "child.json").unlink()


@case
def R_004_156_nor_is_one_further_down(place):
    place.put("work/child.json", plans.json.dumps(plan(by_file("below/grandchild.json"))))
    place.put("work/below/grandchild.json", plans.json.dumps(plan(touch("first"))))
    place.put("work/other/grandchild.json", plans.json.dumps(plan(touch("second"))))
    ran = place.comes_to("failure", plan(python("import os; os.rename('below', 'x'); os.rename('other', 'below')"),
                                         by_file("child.json")))
    same((why(ran)["context"]["code"], place.there("first", "second")), ("PLAN_MODIFIED", []))
    true("it was changed since the plan was checked" in why(ran)["message"], why(ran))


@case
def R_004_156_a_step_of_a_child_that_rewrites_a_plan_ends_that_plan_and_those_below(place):
    child = plans.json.dumps(plan(sh("echo >> $1", "child.json"), touch("within")))
    place.put("work/child.json", child)
    ran = place.comes_to("partial", plan(by_file("child.json", on_failure="skip"), touch("after")))
    same((why(ran)["context"]["code"], place.there("within", "after")), ("PLAN_MODIFIED", ["after"]))
    (place.work / "after").unlink()
    place.put("work/child.json", plans.json.dumps(plan(sh("echo >> $1", "plan.json"), touch("within"))))
    ran = place.comes_to("failure", plan(by_file("child.json", on_failure="skip"), touch("after")))
    same((ran.error["error_code"], ran.errors[0], place.there("within", "after")),
         ("PLAN_MODIFIED", "PLAN_MODIFIED", []))


@case
def a_child_that_nobody_changed_may_be_a_step_more_than_once(place):
    place.put("work/child.yaml", "name: child\nsteps: [{name: a, run: [/bin/sh, -c, 'echo x >> times']}]\n")
    place.comes_to("success", plan(by_file("child.yaml"), python("open('child.yaml', 'a').close()"),
                                   by_file("child.yaml")))
    same(place.lines_of("times"), ["x", "x"])


@case
def R_004_133_A04_29_a_child_ends_when_the_time_of_its_step_is_up(place):
    mark = marker()
    child = plan(touch("first"), sh(STUBBORN, mark), touch("third"))
    ran = place.comes_to("failure", plan(inline(child, timeout_ms=900), touch("after")))
    same(alive(mark), [])
    same((ran.error["error_code"], place.there("first", "up", "third", "after")), ("STEP_TIMEOUT", ["first", "up"]))
    inner = executions(place)[child["id"]]
    result, = place.of(inner, "plan_result")
    same((result["body"]["status"], result["body"]["error"]["error_code"], result["body"]["steps_executed"]),
         ("failure", "PLAN_TIMEOUT", 1))
    same(place.states(inner), ["planned", "running", "failed"])


@case
def R_004_133_A04_29_a_grandchild_ends_when_the_time_of_the_first_plan_is_up(place):
    mark = marker()
    document = plan(inline(plan(inline(plan(sh(STUBBORN, mark))))), touch("after"), timeout_ms=1000)
    ran = place.comes_to("failure", document)
    same(alive(mark), [])
    same((ran.error["error_code"], place.there("up", "after")), ("PLAN_TIMEOUT", ["up"]))
    same([place.states(execution)[-1] for execution in executions(place).values()], ["failed"] * 3)
    place.verify()


@case
def A04_29_a_child_has_no_more_time_than_it_says_itself(place):
    mark = marker()
    ran = place.comes_to("failure", plan(inline(plan(sh(STUBBORN, mark), timeout_ms=700))))
    same(alive(mark), [])
    same((why(ran)["error_code"], why(ran)["context"]["code"]), ("STEP_FAILED", "PLAN_TIMEOUT"))


@case
def R_004_136_A04_9_a_child_that_ended_in_time_has_done_so_however_long_its_record_takes(place):
    mark = marker()
    plans.recorded_late(place, mark, inline(plan(plans.until_enough(mark)), timeout_ms=5000), touch("after"))
    same(place.there("after"), ["after"])


@case
def R_004_133_a_child_ends_when_a_step_beside_it_halts_the_plan(place):
    mark = marker()
    ran = place.comes_to("failure", plan(inline(plan(sh(STUBBORN, mark))), sh("until test -e up; do :; done; exit 1")),
                         jobs=2)
    same((alive(mark), ran.error["error_code"]), ([], "EXECUTION_HALTED"))


@case
def R_004_188_A04_26_a_child_is_used_once_as_every_plan(place):
    child = plan(sh("echo once >> times"))
    place.comes_to("success", plan(inline(child)))
    ran = place.comes_to("failure", plan(inline(child)))
    true("used once" in why(ran)["message"], why(ran))
    same(place.lines_of("times"), ["once"])


@case
def R_004_107_R_004_148_A04_26_a_child_that_is_used_once_is_not_tried_again(place):
    policy = {"retry_policy": plans.retries(3, "STEP_FAILED")}
    fails = sh("echo x >> times; exit 9")
    ran = place.comes_to("partial", plan(step("noop"), inline(plan(fails), on_failure="retry"), **policy))
    hold("exit 9" in ran.error["message"] and "used once" in ran.error["context"]["errors"][1]["message"], ran)
    same((len(ran.events("step_started")), place.lines_of("times")), (2, ["x"]))
    template = {"name": "new", "steps": [{"name": "a", "run": ["/bin/sh", "-c", "echo y >> times; exit 9"]}]}
    place.comes_to("partial", plan(step("noop"), inline(template, on_failure="retry"), **policy))
    same(place.lines_of("times"), ["x", "y", "y", "y"])


@case
def R_004_188_A04_26_a_child_that_is_used_once_is_the_step_of_one(place):
    child = plan(touch("ran"))
    ran = place.run(plan(inline(child), inline(plan(inline(child)))))
    refused(place, ran, "ran")
    one, = ran.error["context"]["problems"]
    hold(one["pointer"] == "/steps/1/payload" and "used once" in one["message"], one)


@case
def R_004_188_A04_26_a_template_with_a_child_that_is_used_once_is_the_step_of_one(place):
    within = {"name": "in", "action": "execute_plan", "payload": {"plan": plan(touch("ran"))}}
    place.put("work/inner.json", plans.json.dumps({"name": "inner", "steps": [within]}))
    deeper = {"name": "in", "action": "execute_plan", "payload": {"file": "inner.json"}}
    place.put("work/outer.json", plans.json.dumps({"name": "outer", "steps": [deeper]}))
    for first, second in (("inner", "inner"), ("outer", "outer"), ("inner", "outer")):
        ran = place.run(plan(by_file(f"{first}.json"), by_file(f"{second}.json")))
        refused(place, ran, "ran")
        one, = ran.error["context"]["problems"]
        hold(one["pointer"] == "/steps/1/payload" and "used once" in one["message"], one)
    place.comes_to("success", plan(by_file("outer.json")))


def foretold(place, document):
    """What --dry-run says: of each step whether it is refused, and what it is warned of."""
    done = place.writ("run", "--dry-run", "--json", place.document(document))
    return [((one["refused"] or {}).get("code"), one["warnings"]) for one in plans.json.loads(done.out)["steps"]]


@case
def A04_26_that_a_child_was_used_is_told_before(place):
    child = plan(touch("ran"))
    place.document(child, "work/child.json")
    again = [inline(child), by_file("child.json"), inline(plan(inline(child)))]
    for one in again:
        same(foretold(place, plan(sh("true"), one)), [(None, []), (None, [])])
    place.comes_to("success", plan(again[0]))
    before = place.log()
    for one in again:
        same(foretold(place, plan(sh("true"), one)), [(None, []), ("EXECUTION_USED", [])])
    same(place.log(), before)


@case
def A04_26_that_a_child_will_not_be_tried_again_is_told_before(place):
    template = {"name": "new", "steps": [{"name": "in", "action": "notify"}]}
    holder = {"name": "holder", "steps": [{"name": "in", "action": "execute_plan",
                                           "payload": {"plan": plan(step("notify"))}}]}
    place.document(holder, "work/holder.json")
    vain = {"on_failure": "retry"}
    policy = {"retry_policy": plans.retries(2, "STEP_FAILED")}
    for one, words in ((inline(plan(step("notify")), **vain), "not tried again"),
                       (by_file("holder.json", **vain), "does not help"),
                       (inline(template, **vain), None), (inline(plan(step("notify"))), None)):
        document = plan(one, **policy)
        (_, warned), = foretold(place, document)
        true(words in warned[0] if words else not warned, warned)
        for done in (place.writ("check", "--json", place.document(document)), place.run(document)):
            hold(done.status == 0, done)
            found = [problem["message"] for problem in plans.json.loads(done.out)["problems"]]
            same(found, warned, done)


@case
def what_steps_of_a_child_wrote_beside_the_disk_is_told_and_how_to_bring_it_there(place):
    def writes(name, more=""):
        return {"name": name, "run": ["/bin/sh", "-c", f"echo {name} > {name}.txt{more}"],
                "sandbox": {"filesystem": {"write_mode": "cow"}}}

    def holds(name, *steps, **members):
        return {"name": name, "action": "execute_plan", "payload": {"plan": {"name": name, "steps": list(steps)}}} | members

    deep = holds("deep", writes("low"))
    document = {"name": "outer", "steps": [writes("top"), holds("good", writes("done"), deep),
                                           holds("bad", writes("lost", "; exit 3"), on_failure="skip"),
                                           holds("plain", {"name": "says", "action": "notify"})]}
    done = place.writ("run", "--progress", "none", place.document(document))
    if b"LAYER_MISSING" in done.out or b"6.6" in done.out:
        raise plans.tap.Skip("no layers here")
    words = b" ".join(done.out.split()).decode()
    for name in ("top", "good/done", "good/deep/low", "bad/lost"):
        _, _, after = words.partition(f" {name}: 1 added, not on the disk; see: writ diff ")
        hold(after, done)
        commit = place.writ("commit", after.split()[0].rstrip(";"))
        hold(commit.status == 0 and place.there(f"{name.split('/')[-1]}.txt"), commit)
    same(words.count("not on the disk"), 4)


@case
def notices_of_a_child_arrive_and_the_news_of_its_steps_do_not(place):
    deep, speaks = step("notify", {"text": "from deep"}), step("notify", {"text": "from within"})
    middle = inline(plan(step("noop"), step("noop"), deep))
    document = plan(sh("true"), inline(plan(step("noop"), speaks, middle)))
    ran = place.comes_to("success", document)
    told = [line for line in ran.news if line["event"] == "notify"]
    same([(line["payload"]["text"], line["inner"]) for line in told],
         [("from within", speaks["id"][:8]), ("from deep", f"{middle['id'][:8]}/{deep['id'][:8]}")])
    for line in told:
        same((line["step_id"], line["name"], line["index"]), (document["steps"][1]["id"], document["steps"][1]["id"][:8], 1))
    same(ran.events("step_started"), [("step_started", 0), ("step_started", 1)])
    same(sum(line["event"].startswith("plan_execution") for line in ran.news), 1)


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
