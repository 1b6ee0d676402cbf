#!/usr/bin/env python3
"""apply: pure functions called through the pipeline: bounded, digested, recorded.

usage: apply.py [--postgres] WRIT      prints TAP
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import desk
import ledger
from desk import canon, digest
from ledger import hold, same, true

CASES = []
case = desk.collector(CASES)

DIFF = {"before": {"a": 1}, "after": {"a": 2}}
SECRET = "planted-7f3b1c"
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/executors"


# ---- results ----

@case
def R_003_045_a_result_has_the_members_of_the_contract_and_no_others(place):
    result = place.apply("json_diff", DIFF)
    same(list(result), desk.MEMBERS)
    same((result["executor_id"], result["executor_version"]), ("json_diff", "1.0.0"))
    true(ledger.instant(result["ts_utc"]) > 0)
    true(result["duration_ms"] >= 0)


@case
def R_003_032_R_003_053_R_003_054_digests_are_sha256_over_canonical_json(place):
    raw = '{ "before" : {"\\u20ac":1.0,"a":[1e2,"\\/"]}, "after":{"a":[100,"/"],"\u20ac":1}}'.encode()
    result = place.apply("json_diff", raw=raw)
    same(result["input_digest"],
         digest('{"after":{"a":[100,"/"],"\u20ac":1},"before":{"a":[100,"/"],"\u20ac":1}}'.encode()))
    same(result["output_digest"], digest(b"[]"))
    merged = place.apply("json_merge", {"target": {"b": 1}, "patch": {"a": "\u00e9"}})
    same(merged["output_digest"], digest(canon({"a": "\u00e9", "b": 1})))


@case
def R_003_056_without_an_output_its_digest_is_null(place):
    result = place.apply("noop", None)
    same(result["output_digest"], None)
    same([record["output_digest"] for record in place.records(result["trace_id"])], [None, None])


@case
def R_003_016_the_same_input_in_other_words_has_the_same_digests(place):
    digests = {(r["input_digest"], r["output_digest"]) for r in (
        place.apply("text_digest", raw=b'{"text":"a"}'),
        place.apply("text_digest", raw=b' {"text" : "\\u0061"}\n'),
        place.apply("text_digest", raw=b'{"text":"a"}', env={"TZ": "Asia/Tokyo", "LC_ALL": "tr_TR.UTF-8"}))}
    same(len(digests), 1, digests)


@case
def R_003_041_R_003_025_R_003_026_an_exception_is_failed_with_its_code(place):
    result = place.apply("json_select", {"path": "$[", "document": {}}, status="FAILED",
                         reasons=["EXECUTOR_EXCEPTION"])
    same(result["output_digest"], None)
    true("detail" not in result and "words" not in result)
    told = place.apply("json_select", {"path": "$[", "document": {}}, "--output", status="FAILED",
                       reasons=["EXECUTOR_EXCEPTION"])
    same((told["output"], told["detail"]), (None, "the executor raised an exception"))
    true(told["words"].startswith("/path: the path ends"))


@case
def R_003_024_a_payload_of_another_shape_is_an_exception(place):
    for payload in (None, 7, [], {}, {"path": 7, "document": {}}):
        place.apply("json_select", payload, status="FAILED", reasons=["EXECUTOR_EXCEPTION"])


@case
def A03_7_a_payload_that_is_no_json_is_blocked_and_known_by_its_bytes(place):
    for raw in (b"", b"{", b"{'a':1}", b'"\xff"', b'{"a":1,"a":2}', b"NaN", b"a: yaml"):
        result = place.apply("noop", raw=raw, status="BLOCKED", reasons=["NON_JSON_PAYLOAD"])
        same(result["input_digest"], digest(raw))
        record, = place.records(result["trace_id"])
        same(record["digest_alg"], "sha256-raw")


@case
def why_a_payload_is_not_read_is_told_with_its_place_and_without_its_words(place):
    for raw, told in ((b'{"x":9007199254740993}', "a number that cannot be held exactly; give it as text, at 1:6"),
                      (b'{"sesame":1,\n"sesame":2}', "gives a key twice in one map, at 2:1"),
                      (b'"\xff"', "what is not UTF-8, or half of a surrogate pair, at 1:2"),
                      (b'{"a\\u0000":1}', "a key with the character NUL, at 1:2"),
                      (b"sesame", "the payload is not JSON, at 1:1"),
                      (b"[" * 200, "deeper than any reader takes, at 1:129")):
        run = place.writ("apply", "noop", stdin=raw)
        true(told in run.err.decode() and b"sesame" not in run.err and b"90071" not in run.err, run)


@case
def R_003_044_what_no_reader_takes_is_above_the_limits(place):
    place.apply("noop", raw=b"[" * 200 + b"]" * 200, status="BLOCKED", reasons=["LIMIT_EXCEEDED"])


@case
def R_003_051_a_call_keeps_the_trace_id_it_is_given(place):
    mine = desk.trace()
    same(place.apply("noop", None, "--trace-id", mine)["trace_id"], mine)
    true(place.apply("noop")["trace_id"] != place.apply("noop")["trace_id"])
    run = place.call("noop", None, "--trace-id", "mine")
    hold(run.status == 64 and b"UUID" in run.err, run)


@case
def R_003_029_a_version_that_is_not_there_is_not_replaced_by_another(place):
    same(place.apply("noop", None, "--version", "1.0.0")["executor_version"], "1.0.0")
    run = place.call("noop", None, "--version", "9.0.0")
    hold(run.status == 64 and b"noop has no version 9.0.0" in run.err, run)


@case
def an_executor_that_is_not_there_is_named_and_a_near_one_too(place):
    run = place.call("json_selct")
    hold(run.status == 64 and b"'json_selct'" in run.err and b"json_select" in run.err, run)
    true(not place.log("--kind", "action_audit"))


# ---- records ----

@case
def R_003_047_R_003_048_R_003_049_R_003_050_R_003_052_each_call_has_two_records(place):
    result = place.apply("json_diff", DIFF)
    before, after = place.records(result["trace_id"])
    for record in (before, after):
        same((record["event_type"], record["executor_id"], record["executor_version"], record["digest_alg"]),
             ("action_audit", "json_diff", "1.0.0", "sha256-jcs"))
        same((record["trace_id"], record["input_digest"]), (result["trace_id"], result["input_digest"]))
    same((before["status"], before["reason_codes"], before["output_digest"]),
         ("PENDING", ["EXECUTION_ATTEMPT"], None))
    same((after["status"], after["reason_codes"], after["output_digest"], after["duration_ms"]),
         ("SUCCESS", [], result["output_digest"], result["duration_ms"]))


@case
def R_003_057_every_outcome_is_recorded(place):
    ends = {}
    for status, result in (
            ("SUCCESS", place.apply("noop")),
            ("FAILED", place.apply("json_patch", 1, status="FAILED", reasons=["EXECUTOR_EXCEPTION"])),
            ("BLOCKED", place.apply("noop", raw=b"?", status="BLOCKED", reasons=["NON_JSON_PAYLOAD"]))):
        ends[status] = [record["status"] for record in place.records(result["trace_id"])]
    same(ends, {"SUCCESS": ["PENDING", "SUCCESS"], "FAILED": ["PENDING", "FAILED"], "BLOCKED": ["BLOCKED"]})
    place.verify()


@case
def R_003_046_R_003_057_A03_12_without_a_ledger_nothing_runs(place):
    place.put("state/taken", "a file where a directory should be")
    run = place.call("noop", None, "--json", "--ledger", "/proc/nowhere/ledger.db")
    hold(run.status == 74, run)
    result = json.loads(run.out)
    same((result["status"], result["reason_codes"], result["output_digest"]),
         ("BLOCKED", ["AUDIT_LOG_FAILED"], None))


@case
def R_003_031_the_output_is_handed_over_only_when_asked_and_that_is_recorded(place):
    quiet = place.apply("json_merge", {"target": {}, "patch": {"a": 1}})
    true("output" not in quiet)
    told = place.apply("json_merge", {"target": {}, "patch": {"a": 1}}, "--output")
    same(told["output"], {"a": 1})
    same([r["delivered"] for r in place.records(quiet["trace_id"])], [False, False])
    same([r["delivered"] for r in place.records(told["trace_id"])], [False, True])


@case
def R_003_030_R_003_040_nothing_of_input_or_output_is_kept_or_said(place):
    said = b""
    for run in (place.call("json_merge", {"target": {SECRET: SECRET}, "patch": {"a": SECRET}}),
                place.call("json_select", {"path": f"$.{SECRET}[", "document": {SECRET: SECRET}}),
                place.call("json_patch", {"document": {}, "patch": [{"op": SECRET, "path": SECRET}]}),
                place.call("rule_evaluate", {SECRET: SECRET}),
                place.call("text_digest", {"text": SECRET, "encoding": SECRET}),
                place.call("schema_validate", {"schema": {"type": SECRET}, "document": SECRET}),
                place.call("semver_compare", {"left": SECRET, "right": SECRET}),
                place.call("noop", raw=f'{{"{SECRET}"'.encode())):
        said += run.out + run.err
    true(SECRET.encode() not in said, said.decode())
    kept = b"".join(path.read_bytes() for path in place.state.rglob("*") if path.is_file())
    true(ledger.POSTGRES or len(kept) > 4096)
    true(SECRET.encode() not in kept)
    true(SECRET not in json.dumps(place.log()))


@case
def what_an_executor_says_about_its_exception_is_for_who_asked_for_its_output(place):
    wrong = {"path": f"$.{SECRET}[", "document": {}}
    quiet, told = place.call("json_select", wrong), place.call("json_select", wrong, "--output")
    hold(quiet.status == 1 and b"--output shows" in quiet.err and SECRET.encode() not in quiet.err, quiet)
    hold(told.status == 1 and b"EXECUTOR_EXCEPTION" in told.err and len(told.err) > len(quiet.err) - 40, told)


# ---- many ----

@case
def many_calls_are_answered_in_order_and_recorded_together(place):
    payloads = [{"target": {"n": n}, "patch": {"m": n}} for n in range(2500)]
    run = place.call("json_merge", None, "--lines", "--json", "--output",
                     raw=b"\n\n".join(json.dumps(p).encode() for p in payloads) + b"\n")
    hold(run.status == 0, run)
    results = [json.loads(line) for line in run.out.splitlines()]
    same([r["output"] for r in results], [{"m": n, "n": n} for n in range(2500)])
    same(len({r["trace_id"] for r in results}), 2500)
    entries = place.log("--kind", "action_audit")
    same(sorted(len(entry["body"]["records"]) for entry in entries), [500, 500, 1000, 1000, 1000, 1000])
    for status in ("PENDING", "SUCCESS"):
        recorded = [r["trace_id"] for entry in entries for r in entry["body"]["records"] if r["status"] == status]
        same(sorted(recorded), sorted(r["trace_id"] for r in results), status)
    place.verify()


@case
def among_many_calls_each_has_its_own_end(place):
    run = place.call("json_merge", None, "--lines", "--json", raw=b'{"target":1,"patch":2}\n?\n3\n')
    hold(run.status == 77, run)
    same([json.loads(line)["status"] for line in run.out.splitlines()], ["SUCCESS", "BLOCKED", "FAILED"])


@case
def why_one_of_many_did_not_succeed_is_told_with_its_line(place):
    run = place.call("json_merge", None, "--lines", raw=b'\n{"target":1,"patch":2}\n \n?\n3')
    hold(b"line 4: the payload is not JSON" in run.err and b"line 5: the executor raised" in run.err, run)
    run = place.call("json_merge", None, raw=b"3")
    hold(b"the executor raised" in run.err and b"line" not in run.err, run)


@case
def which_limit_was_broken_is_told_with_what_it_is(place):
    place.add_jq(".", limits={"timeout_ms": 2000, "max_payload_bytes": 40, "max_depth": 2, "max_list_items": 3})
    for payload, told in (("x" * 50, b"max_payload_bytes: 52, allowed are 40"), ([[[1]]], b"max_depth: 3, allowed are 2"),
                          ([1, 2, 3, 4], b"max_list_items: 4, allowed are 3")):
        run = place.call("mine", payload)
        hold(run.status == 77 and told in run.err, run)


def add_words(place):
    """Adds the example that is written in C, where there is what compiles it."""
    if not all(map(shutil.which, ("clang", "wasm-ld", "wasm2c"))):
        return False
    there = place.work / "words"
    shutil.copytree(EXAMPLE, there)
    subprocess.run(["clang", "--target=wasm32", "-O2", "-nostdlib", "-Wl,--no-entry", "-Wl,--max-memory=1048576",
                    "-o", there / "word_count.wasm", there / "word_count.c"], check=True)
    run = place.writ("executors", "add", there / "word_count.yaml", "--json")
    if run.status == 125 or b"LAYER_MISSING" in run.out:
        return False  # compiling needs the sandbox
    hold(run.status == 0, run)
    return True


def mixed(n):
    """Payloads for builtins that differ in what they do, the same ones every time."""
    return [
        ("json_merge", {"target": {"a": n, "b": [n]}, "patch": {"b": None, "c": {"n": n / 7}}}),
        ("json_diff", {"before": list(range(n % 9)), "after": list(range(n % 7))}),
        ("json_patch", {"document": {"a": n}, "patch": [{"op": "add", "path": "/b", "value": n}]}),
        ("json_select", {"path": "$..a", "document": {"a": {"a": n}}}),
        ("text_digest", {"text": "\u00e4" * (n % 100)}),
        ("semver_compare", {"left": f"1.{n % 3}.0", "right": f"1.1.{n % 5}"}),
        ("schema_validate", {"schema": {"maximum": 1000}, "document": n}),
        ("rule_evaluate", n),
        ("noop", n),
    ]


@case
def R_003_016_R_003_022_10000_mixed_calls_come_to_the_same_on_two_machines_seeds(place):
    machines = [{}, {"TZ": "Pacific/Apia", "LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR", "HOSTNAME": "other",
                     "MALLOC_PERTURB_": "85", "EXTRA": "x" * 5000}]
    count, calls = 0, {}
    place.add_jq('{n: (.n * 2), "k": (.k | keys)}', id="mine", fixtures=[{"payload": {"n": 1, "k": {}}}])
    calls["mine"] = [json.dumps({"n": n, "k": {str(n): n, "a": n}}) for n in range(1000)]
    if add_words(place):
        calls["word_count"] = [json.dumps({"text": "to be " * (n % 50)}) for n in range(1000)]
    for n in range(1112):
        for executor, payload in mixed(n):
            calls.setdefault(executor, []).append(json.dumps(payload))
            count += 1
    true(count >= 10000, count)
    for executor, lines in calls.items():
        digests = []
        for env in machines:
            run = place.call(executor, None, "--lines", "--json", raw="\n".join(lines).encode(), env=env)
            hold(run.status in (0, 1), run)
            digests.append([(r["status"], r["input_digest"], r["output_digest"])
                            for r in map(json.loads, run.out.splitlines())])
        same(len(digests[0]), len(lines))
        same(digests[0], digests[1])


@case
def who_looks_at_the_log_sees_what_was_called_and_what_came_of_it(place):
    result = place.apply("json_diff", DIFF)
    run = place.writ("log")
    hold(run.status == 0 and b"json_diff SUCCESS" in run.out and b"json_diff PENDING" in run.out, run)
    run = place.writ("log", "--execution", result["trace_id"])
    hold(run.out.count(b"json_diff") == 2, run)


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(ledger.main(CASES))
