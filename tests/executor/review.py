#!/usr/bin/env python3
"""review: the gate a new executor passes, and what holds for it afterwards.

usage: review.py [--postgres] WRIT      prints TAP
"""
import json
import pathlib
import sys

import desk
import ledger
import tap
from desk import LIMITS, canon, digest
from ledger import ABSENT, hold, same, true

CASES = []
case = desk.collector(CASES)
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/executor.yaml"


def refused(place, check, manifest):
    """The gate refuses at this check; nothing is registered and nothing approved."""
    answer = place.add(manifest, status=77)
    same((answer["accepted"], answer["ledger_id"]), (False, None), answer)
    last = answer["checks"][-1]
    same((last["check"], last["ok"]), (check, False), answer)
    true(not place.log("--kind", "approval"))
    return last["detail"]


def wrong(place, manifest, word):
    """The manifest itself is wrong."""
    run = place.writ("executors", "add", manifest)
    hold(run.status == 65 and word.encode() in run.err, run)


def names(place):
    return [(x["executor_id"], x["version"]) for x in place.one("executors")["executors"]]


# ---- the gate ----

@case
def R_003_001_R_003_068_what_is_accepted_is_approved_in_the_ledger(place):
    answer = place.add_jq(".a + 1", fixtures=[{"payload": {"a": 1}, "output": 2}])
    entry = place.entry(answer["ledger_id"])
    same((entry["kind"], entry["body"]["contract"], entry["body"]["executor_id"], entry["body"]["version"]),
         ("approval", "003-executor", "mine", "1.0.0"))
    same(entry["body"]["fixtures"], [{"input_digest": digest(canon({"a": 1})), "output_digest": digest(b"2"),
                                      "status": "SUCCESS"}])
    same([check["check"] for check in answer["checks"]],
         ["id", "version", "capabilities", "limits", "fixtures", "outputs", "determinism"])
    same(place.output("mine", {"a": 41}), 42)
    place.verify()


@case
def R_003_003_R_003_062_an_id_that_ships_is_taken(place):
    true("ships with writ" in refused(place, "id", place.jq(".", id="json_select")))


@case
def R_003_004_an_id_is_lower_case_with_underscores(place):
    for id in ("Mine", "my-id", "1st", "mine_", "_mine", ""):
        wrong(place, place.jq(".", id=id), "executor_id")


@case
def R_003_005_R_003_028_R_003_063_a_version_is_three_numbers(place):
    for version in ("1", "1.0", "v1.0.0", "1.0.0-rc.1", "01.0.0", "1.0.0.0", ""):
        wrong(place, place.jq(".", version=version), "version")


@case
def R_003_002_what_is_registered_stays_as_it_is(place):
    place.add_jq(".")
    for program in (".", ".a"):
        true("raise the version" in place.add(place.jq(program), status=77)["checks"][-1]["detail"])
    same(names(place).count(("mine", "1.0.0")), 1)


@case
def R_003_029_the_newest_version_is_called_unless_another_is_named(place):
    for n, version in enumerate(("1.2.0", "1.9.0", "1.10.0")):
        place.add_jq(str(n), version=version)
    same(place.output("mine"), 2)
    same(place.output("mine", None, "--version", "1.2.0"), 0)
    true("1.3.0 is lower than 1.10.0, which is registered; raise the version" in
         place.add(place.jq("3", version="1.3.0"), status=77)["checks"][-1]["detail"])


@case
def R_003_006_R_003_064_capabilities_are_declared_even_when_there_are_none(place):
    wrong(place, place.jq(".", capabilities=ABSENT), "capabilities")
    wrong(place, place.jq(".", capabilities="JSON"), "capabilities")
    place.add_jq(".", capabilities=[])


@case
def R_003_007_capabilities_are_upper_case_sorted_and_there_once(place):
    place.add_jq(".", capabilities=["text ", "json", "Text", " JSON"])
    mine = [x for x in place.one("executors")["executors"] if x["executor_id"] == "mine"][0]
    same(mine["capabilities"], ["JSON", "TEXT"])


@case
def R_003_007_A03_8_a_capability_that_has_no_plain_upper_case_is_refused_with_its_place(place):
    for name in ("stra\u00dfe", "\u00e9t\u00e9", "\u0131", "TEXT\u00a0"):
        path = place.jq(".", capabilities=["json", name])
        for words in (("check", "--as", "executor"), ("executors", "add")):
            run = place.writ(*words, path)
            hold(run.status == 65 and b"/capabilities/1" in run.out + run.err and b"ASCII" in run.out + run.err, run)
    same([x for x in place.one("executors")["executors"] if x["executor_id"] == "mine"], [])


@case
def R_003_008_R_003_012_R_003_065_each_of_the_four_limits_is_needed_and_a_number(place):
    for name in LIMITS:
        less = {key: value for key, value in LIMITS.items() if key != name}
        wrong(place, place.put("m.json", json.dumps(json.loads(place.jq(".").read_text()) | {"limits": less})), name)
        for value in ("1", 1.5, 0, -1, None, True):
            wrong(place, place.jq(".", limits={name: value}), name)


@case
def R_003_058_an_executor_may_have_more_fields(place):
    place.add_jq(".", author="somebody", notes={"a": 1})


@case
def R_003_013_a_program_that_does_not_compile_is_refused(place):
    refused(place, "outputs", place.jq("this is not | jq ("))


@case
def R_003_068_without_a_fixture_nothing_can_be_proven(place):
    refused(place, "fixtures", place.jq(".", fixtures=[]))


@case
def R_003_067_a_fixture_says_whether_there_is_an_output(place):
    place.add_jq("empty", fixtures=[{"payload": 1, "nothing": True}])
    same(place.apply("mine", 1)["output_digest"], None)
    true("expected nothing" in refused_again(place, ".", [{"payload": 1, "nothing": True}]))
    true("expected an output" in refused_again(place, "empty", [{"payload": 1, "output": 1}]))
    true("another output" in refused_again(place, ".", [{"payload": 1, "output": 2}]))
    true("FAILED" in refused_again(place, "error", [{"payload": 1}]))
    true("SUCCESS" in refused_again(place, ".", [{"payload": 1, "status": "FAILED"}]))


@case
def what_a_fixture_came_to_is_told(place):
    for program, fixture, told in ((".", {"output": 2}, 'than it says: {"a":1}'),
                                   (".", {"nothing": True}, 'expected nothing: {"a":1}'),
                                   (".", {"status": "FAILED"}, 'expected FAILED: {"a":1}'),
                                   (".a[0]", {}, "Cannot index number")):
        detail = refused_again(place, program, [{"payload": {"a": 1}} | fixture])
        true(told in detail, detail)
    long = refused_again(place, ".", [{"payload": "\u00e9" * 1000, "output": 2}])
    true(long.endswith("\u00e9..") and len(long) < 200, long)


def refused_again(place, program, fixtures):
    answer = place.add(place.jq(program, id="other", fixtures=fixtures), status=77)
    same(answer["checks"][-1]["check"], "outputs", answer)
    return answer["checks"][-1]["detail"]


@case
def R_003_024_a_fixture_may_expect_an_exception(place):
    place.add_jq("error", fixtures=[{"payload": 1, "status": "FAILED"}])


# The protocol of calls, version 1: digests of the JSON Schemas of a call and of its result, without the words for
# people. A change needs another version of the protocol and the approval that contract 003 asks for, not another
# digest here.
PROTOCOL_1 = {
    "action": "sha256:e7a7adba54456f55b09bcd17c0b2a9bd79efd76ae90d100e7792725d3f5cc331",
    "action_result": "sha256:079b76c1a19e98d7e908f13b8a395287fe1d212f77f2cc0cb5674c9b64cab5a8",
}


@case
def R_003_060_R_003_061_a_call_and_its_result_have_the_shapes_of_their_version(place):
    for kind, wanted in PROTOCOL_1.items():
        schema = json.loads(place.writ("explain", kind, "--schema").out)
        same((kind, digest(canon(desk.bare(schema)))), (kind, wanted))


@case
def R_003_059_an_executor_under_another_id_is_another_one_and_needs_its_own_approval(place):
    fixtures = [{"payload": 1, "output": 1}]
    first = place.add_jq(".", fixtures=fixtures)
    place.apply("mine", 1)
    run = place.call("yours", 1, "--json")
    hold(run.status != 0 and b"yours" in run.out, run)
    second = place.add_jq(".", id="yours", fixtures=fixtures)
    place.apply("yours", 1)
    bodies = [place.entry(answer["ledger_id"])["body"]["executor_id"] for answer in (first, second)]
    same((bodies, first["ledger_id"] != second["ledger_id"]), (["mine", "yours"], True))


@case
def R_003_059_R_003_060_R_003_061_a_document_of_another_shape_is_not_taken(place):
    call = {"executor_id": "noop", "payload": 1}
    result = place.apply("noop")
    for kind, document in (("action", call), ("action_result", result)):
        for more, status in (({}, 0), ({"more": 1}, 65)):
            run = place.writ("check", "--as", kind, place.put("x.json", json.dumps(document | more)))
            hold(run.status == status, run)


@case
def a_builtin_cannot_be_added_and_a_source_must_be_there(place):
    answer = place.add(place.manifest("builtin", "mine.jq", "."), status=77)
    same(answer["code"], "EXECUTOR_REFUSED")
    path = place.jq(".")
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({k: v for k, v in manifest.items() if k != "source"}))
    same(place.add(path, status=77)["code"], "EXECUTOR_REFUSED")
    path.write_text(json.dumps(manifest | {"source": "nowhere.jq"}))
    run = place.writ("executors", "add", path)
    hold(run.status == 65 and b"nowhere.jq" in run.err, run)


@case
def without_a_ledger_nothing_is_approved_and_nothing_registered(place):
    run = place.writ("executors", "add", place.jq("."), "--ledger", "/proc/nowhere/ledger.db")
    hold(run.status == 74, run)
    true(("mine", "1.0.0") not in names(place))


@case
def the_example_is_accepted_as_it_is(place):
    run = place.writ("executors", "add", EXAMPLE)
    hold(run.status == 0, run)
    same(place.output("changed_keys", {"before": {"a": 1, "b": 2}, "after": {"b": 3, "a": 1}}), ["b"])


# ---- afterwards ----

def changed(place):
    run = place.call("mine", 1)
    hold(run.status == 77 and b"EXECUTOR_CHANGED" in place.call("mine", 1, "--json").out, run)
    true(not place.log("--kind", "action_audit"))


@case
def R_003_002_a_program_that_was_changed_is_not_called(place):
    place.add_jq(".")
    (place.state / "executors/mine/1.0.0/program").write_text(".a")
    changed(place)


@case
def what_is_damaged_is_listed_as_that_and_takes_nothing_with_it(place):
    place.add_jq(".")
    place.add_jq(".", executor_id="fine")
    place.add_jq(".", version="1.0.1")
    (place.state / "executors/mine/1.0.1/program").write_text(".a")
    run = place.writ("executors", "--json")
    listed = json.loads(run.out)
    same((run.status, [(x["executor_id"], x["version"]) for x in listed["damaged"]]), (77, [("mine", "1.0.1")]))
    true("program is not what was registered" in listed["damaged"][0]["message"], listed)
    there = [(x["executor_id"], x["version"]) for x in listed["executors"]]
    true(("mine", "1.0.0") in there and ("fine", "1.0.0") in there and ("mine", "1.0.1") not in there, there)
    run = place.writ("executors")
    hold(run.status == 77 and b"damaged" in run.out and b"fine" in run.out, run)
    same((place.call("fine", 1).status, place.call("mine", 1, "--version", "1.0.0").status, place.call("mine", 1).status), (0, 0, 77))
    step = {"id": "7a9c3f7e-59f4-4f0e-9d0a-0d7a8a1c2b11", "name": "a", "action": "mine", "payload": 1}
    plan = place.put("plan.json", json.dumps({"id": "7a9c3f7e-59f4-4f0e-9d0a-0d7a8a1c2b10", "name": "p",
                                              "version": "1.0.0", "steps": [step]}))
    run = place.writ("run", plan)
    hold(b"there is no action 'mine': mine 1.0.1: " in run.out + run.err and b"did you mean" not in run.out + run.err, run)
    place.add_jq(".", version="1.0.2")  # as is advised
    same((place.call("mine", 1).status, place.call("mine", 1, "--version", "1.0.1").status), (0, 77))
    (place.state / "executors/README").write_text("what lies here is reviewed\n")
    damaged = place.one("executors", status=77)["damaged"]
    same([(x["executor_id"], x["version"]) for x in damaged], [("README", ""), ("mine", "1.0.1")])
    hold(b"there is no executor" in place.call("nobody", 1).err, "one that is not there")


@case
def what_many_steps_ask_for_in_vain_is_looked_for_once(place):
    place.add_jq(".")
    (place.state / "executors/mine/1.0.0/program").write_bytes(b"." * (5 << 20))
    env = ["env", "-i", *(f"{k}={v}" for k, v in place.environment({}).items())]

    def plan(*actions):
        return {"id": desk.trace(), "name": "p", "version": 1, "created_at": 1760000000000, "context_requirements": ["working_directory"],
                "steps": [{"id": desk.trace(), "action": action, "payload": payload, "depends_on": [], "on_failure": "halt"}
                          for action, payload in actions]}

    for actions, says in ((lambda n: ("mine", {}), b"'mine': mine 1.0.0: "),
                          (lambda n: (f"elsewhere_{n}", {}), b"there is no action 'elsewhere_"),
                          (lambda n: ("execute_plan", {"plan": plan(("mine", {}))}), b"'mine': mine 1.0.0: ")):
        document = place.put("plan.json", json.dumps(plan(*map(actions, range(60)))))
        for verb in (["check"], ["run", "--dry-run"], ["run"]):
            run = tap.run([*env, tap.WRIT, *verb, document], cwd=place.work, seconds=60)
            true(run.status in (1, 65) and says in run.out + run.err and run.peak_mb < 200, (verb, run))


@case
def R_003_002_a_manifest_that_was_changed_is_not_called(place):
    place.add_jq(".")
    path = place.state / "executors/mine/1.0.0/manifest.json"
    path.write_text(path.read_text().replace('"timeout_ms":2000', '"timeout_ms":9000'))
    changed(place)


@case
def R_003_002_a_program_and_its_digest_changed_together_have_no_approval(place):
    place.add_jq(".")
    there = place.state / "executors/mine/1.0.0"
    (there / "program").write_text(".a")
    manifest = json.loads((there / "manifest.json").read_text())
    (there / "manifest.json").write_bytes(canon(manifest | {"program_digest": digest(b".a")}))
    changed(place)


@case
def R_003_002_an_approval_of_something_else_is_none(place):
    place.add_jq(".")
    (place.state / "executors/mine/1.0.0/approval").write_text(place.enter()["ledger_id"])
    changed(place)


@case
def R_003_002_an_input_that_reads_like_an_approval_is_none(place):
    approval = place.add_jq(".")["ledger_id"]
    copy = place.enter(place.entry(approval)["body"])["ledger_id"]
    same(place.entry(copy)["body"], place.entry(approval)["body"])
    (place.state / "executors/mine/1.0.0/approval").write_text(copy)
    changed(place)


# ---- limits, at them and one above ----

@case
def R_003_009_R_003_042_payload_bytes_are_those_of_the_canonical_form(place):
    place.add_jq(".", limits={"max_payload_bytes": 10})
    place.apply("mine", raw=b'  "12345678"  ')
    place.apply("mine", raw=b'"123456789"', status="BLOCKED", reasons=["LIMIT_EXCEEDED"])
    place.apply("mine", raw=b'"\\u0031234567\\u0038"')


@case
def R_003_010_a_scalar_has_depth_0_and_the_outermost_container_1(place):
    place.add_jq(".", limits={"max_depth": 2})
    for fits in (b"1", b"[]", b"[{}]", b'{"a":[]}'):
        place.apply("mine", raw=fits)
    for deep in (b"[[[]]]", b'{"a":[{}]}'):
        place.apply("mine", raw=deep, status="BLOCKED", reasons=["LIMIT_EXCEEDED"])


@case
def R_003_011_only_lists_have_a_length(place):
    place.add_jq(".", limits={"max_list_items": 3})
    place.apply("mine", [1, 2, 3])
    place.apply("mine", {str(n): [1] for n in range(9)})
    place.apply("mine", [1, 2, 3, 4], status="BLOCKED", reasons=["LIMIT_EXCEEDED"])
    place.apply("mine", {"a": {"b": [0] * 4}}, status="BLOCKED", reasons=["LIMIT_EXCEEDED"])


@case
def R_003_043_R_003_008_a_call_that_does_not_end_is_ended(place):
    place.add_jq("if . == 1 then last(repeat(1)) else . end", limits={"timeout_ms": 200})
    place.apply("mine", 1, status="BLOCKED", reasons=["EXECUTOR_TIMEOUT"])
    place.apply("mine", 2)


@case
def R_003_027_A03_2_an_executor_cannot_claim_a_timeout(place):
    place.add_jq('error("EXECUTOR_TIMEOUT")', fixtures=[{"payload": 1, "status": "FAILED"}])
    place.apply("mine", 1, status="FAILED", reasons=["EXECUTOR_EXCEPTION"])


@case
def R_003_027_A03_2_what_a_program_raises_is_an_exception_whatever_it_says(place):
    place.add_jq("if . == 0 then 0 else error(.) end", fixtures=[{"payload": 0, "output": 0}])
    for code in ("EXECUTOR_TIMEOUT", "LIMIT_EXCEEDED", "NON_JSON_PAYLOAD", "EXECUTOR_NOT_FOUND", "SUCCESS"):
        for raised in (code, {"status": "SUCCESS", "reason_codes": [code]}, [code]):
            place.apply("mine", raised, status="FAILED", reasons=["EXECUTOR_EXCEPTION"])


@case
def R_003_027_a_program_that_catches_everything_cannot_catch_what_its_limits_end(place):
    place.add_jq('if . == 0 then 0 elif . == 1 then try (def f: f; f) catch "fine"'
                 ' else try ([range(1e9)] | length) catch "fine" end',
                 fixtures=[{"payload": 0, "output": 0}], limits={"timeout_ms": 1000})
    for payload in (1, 2):
        run = place.call("mine", payload, "--json")
        result = json.loads(run.out)
        hold(run.status != 0 and result["output_digest"] is None, run)
        true(result["reason_codes"] in (["EXECUTOR_TIMEOUT"], ["LIMIT_EXCEEDED"]), run)


@case
def R_003_014_R_003_023_an_executor_is_given_its_payload_and_nothing_else(place):
    place.add_jq(".", fixtures=[{"payload": {"a": [1, None]}, "output": {"a": [1, None]}}])
    same(place.output("mine", {"trace_id": "x"}), {"trace_id": "x"})


@case
def R_003_030_what_a_program_prints_about_its_payload_stays_nowhere(place):
    place.add_jq('error("planted-" + .)', fixtures=[{"payload": "x", "status": "FAILED"}])
    run = place.call("mine", "9d1e")
    hold(run.status == 1 and b"9d1e" not in run.out + run.err, run)
    told = place.call("mine", "9d1e", "--output")
    hold(told.status == 1 and b"planted-9d1e" in told.err and b"9d1e" not in told.out, told)
    kept = b"".join(path.read_bytes() for path in place.state.rglob("*") if path.is_file())
    true(b"planted-9d1e" not in kept)


# A module with all that an executor exports, in the fewest bytes; it fails in every call.
BARE = bytes.fromhex("0061736d01000000010c0260017f017f60027f7f017e030302000105040101010107"
                     "1b03066d656d6f7279020004726f6f6d0000076578656375746500010a0b02040041000b040042000b")


@case
def a_compiler_that_may_not_run_is_told_with_the_reason(place):
    manifest = place.manifest("wasm", "mine.wasm", BARE)
    place.put(".writ/tools.yaml", "allowlist: strict\ntools: []\n")
    answer = place.add(manifest, status=77)
    same(answer["code"], "COMMAND_NOT_ALLOWED", answer)
    true("wasm2c cannot run: 'wasm2c' is listed by no tool" in answer["message"], answer)
    place.put(".writ/tools.yaml", "tools: [\n")
    answer = place.add(manifest, status=65)
    true(answer["code"] != "LAYER_MISSING" and "wasm2c cannot run" in answer["message"], answer)


if __name__ == "__main__":
    sys.exit(ledger.main(CASES))
