#!/usr/bin/env python3
"""refusals: what is no event never becomes an entry, and what was refused is kept with its reason.

usage: refusals.py [--postgres] WRIT      prints TAP
"""
import copy
import json
import pathlib
import select
import subprocess
import sys

import ledger
import ground
import tap
import vault
from ledger import ABSENT, BLOCKED, STATES, same, true

CASES = []
case = ledger.collector(CASES)

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "data" / "contract-002"
WRONG = [  # members, and the place of the problem; each is wrong by itself
    ({"tenantId": ""}, "/tenantId"), ({"tenantId": 1}, "/tenantId"), ({"tenantId": ABSENT}, ""),
    ({"robotId": ""}, "/robotId"), ({"robotId": None}, "/robotId"), ({"robotId": ABSENT}, ""),
    ({"module": "agent_builder"}, "/module"), ({"module": ABSENT}, ""),
    ({"source": "Agent-Builder"}, "/source"), ({"source": ABSENT}, ""),
    ({"type": "event"}, "/type"), ({"type": ABSENT}, ""),
    ({"createdAt": "2025-01-19"}, "/createdAt"), ({"createdAt": 5}, "/createdAt"),
    ({"createdAt": "2025-02-30T00:00:00Z"}, "/createdAt"), ({"createdAt": "2025-01-19T10:15:30"}, "/createdAt"),
    ({"executionId": ""}, "/payload/executionId"), ({"executionId": 7}, "/payload/executionId"),
    ({"workflowVersion": ""}, "/payload/workflowVersion"), ({"workflowVersion": ABSENT}, "/payload"),
    ({"agentVersion": ""}, "/payload/agentVersion"), ({"agentVersion": ABSENT}, "/payload"),
    ({"executionContractVersion": "v2"}, "/payload/executionContractVersion"),
    ({"executionContractVersion": ABSENT}, "/payload"),
    ({"attempt": 0}, "/payload/attempt"), ({"attempt": -1}, "/payload/attempt"),
    ({"attempt": 1.5}, "/payload/attempt"), ({"attempt": "1"}, "/payload/attempt"),
    ({"attempt": True}, "/payload/attempt"), ({"attempt": ABSENT}, "/payload"),
    ({"target": ""}, "/payload/target"), ({"target": ABSENT}, "/payload"),
    ({"action": ""}, "/payload/action"), ({"action": ABSENT}, "/payload"),
    ({"snapshotAt": "yesterday"}, "/payload/snapshotAt"), ({"snapshotAt": 1}, "/payload/snapshotAt"),
    ({"snapshotAt": "9999-01-01T00:00:00Z"}, "/payload/snapshotAt"),
    ({"coherenceStatus": "fresh"}, "/payload/coherenceStatus"),
    ({"dryRun": "true"}, "/payload/dryRun"), ({"dryRun": 1}, "/payload/dryRun"), ({"dryRun": ABSENT}, "/payload"),
    ({"result": []}, "/payload/result"), ({"error": "bad"}, "/payload/error"),
    ({"error": {"code": "X", "message": "m"}}, "/payload/error"),
    ({"error": {"code": "", "message": "m", "retryable": False}}, "/payload/error/code"),
    ({"error": {"code": "X", "message": "m", "retryable": 0}}, "/payload/error/retryable"),
    ({"cancelReason": 1}, "/payload/cancelReason"), ({"externalRefs": "x"}, "/payload/externalRefs"),
    ({"durationMs": "1"}, "/payload/durationMs"),
    ({"dependsOnLedgerIds": []}, "/lineage/dependsOnLedgerIds"),
    ({"dependsOnLedgerIds": [""]}, "/lineage/dependsOnLedgerIds/0"),
    ({"dependsOnLedgerIds": [1]}, "/lineage/dependsOnLedgerIds/0"),
    ({"dependsOnLedgerIds": "led-1"}, "/lineage/dependsOnLedgerIds"),
    ({"dependsOnLedgerIds": ABSENT}, "/lineage"), ({"rerunOfExecutionId": 1}, "/lineage/rerunOfExecutionId"),
    ({"rerunOfExecutionId": "exec-1"}, "/lineage/rerunOfExecutionId"),
]
UNREADABLE = {  # what stands in place of the payload's target -> the code
    b"NaN": "SYNTAX", b"Infinity": "SYNTAX", b"-Infinity": "SYNTAX", b"undefined": "SYNTAX",
    b"function(){}": "SYNTAX", b"'x'": "SYNTAX", b"01": "SYNTAX", b"+1": "SYNTAX", b"1.": "SYNTAX",
    b'"\xff"': "ENCODING", b'"\xc0\x80"': "ENCODING", b'"\xed\xa0\x80"': "ENCODING",
    b'"a\tb"': "SYNTAX", b'"x", "target": "y"': "DUPLICATE_KEY", b'"x", "t\\u0061rget": "y"': "DUPLICATE_KEY",
    b'{"a": 1, "a": 1}': "DUPLICATE_KEY", b'"\\ud800"': None, b'"\\udc00\\ud800"': None,
    b"1e400": "NUMBER", b"-1e999": "NUMBER", b'"x",': "SYNTAX", b"[" * 200 + b"]" * 200: "CEILING",
}


def kept(place, count):
    """The last so many rejects."""
    rejects = place.rejects()
    same(len(rejects), count)
    return rejects


# ---- events that are wrong ----

@case
def R_002_037_R_002_038_R_002_039_R_002_040_R_002_041_R_002_043_R_002_063_what_is_wrong_is_refused(place):
    place.accept(place.event(execution="good"))
    events = [place.event(**members) for members, _ in WRONG]
    for event, (members, pointer), answer in zip(events, WRONG, place.append(*events), strict=True):
        same((answer["status"], answer.get("code"), answer.get("pointer"), answer["ledger_id"]),
             ("refused", "VALIDATION_ERROR", pointer, None), (members, answer))
        true(answer["message"] and answer["problems"], answer)
    same(len(place.log("--kind", "execution_event")), 1)
    for (_, pointer), reject in zip(WRONG, kept(place, len(WRONG)), strict=True):
        same((reject["code"], reject["pointer"]), ("VALIDATION_ERROR", pointer), reject)


@case
def R_002_044_R_002_060_payload_and_lineage_are_objects(place):
    for name in ("payload", "lineage"):
        for value in (None, [], "x", 1, {}):
            answer, = place.append(place.event() | {name: value})
            same((answer["status"], answer["code"]), ("refused", "VALIDATION_ERROR"), answer)
        event = place.event()
        del event[name]
        place.refuse("VALIDATION_ERROR", event, "")
    for text in (b"null", b"[]", b"1", b'"event"', b"true", b"{}"):
        answer, = place.append(text)
        same((answer["status"], answer["code"]), ("refused", "VALIDATION_ERROR"), (text, answer))


@case
def what_is_too_large_for_an_entry_is_told_how_large_it_may_be(place):
    half = "x" * (8 << 20)
    answer = place.refuse("CEILING", place.event(first=half, second=half), "")
    true("has more than 16 MiB" in answer["message"], answer)
    place.accept(place.event(first=half, second=half[:7 << 20]))


@case
def R_002_042_R_002_019_there_are_five_states(place):
    for state in ("queued", "PLANNED", "", None, 1, "cancel_requested", "success"):
        place.refuse("VALIDATION_ERROR", place.event() | {"state": state}, "/state")


@case
def R_002_069_R_002_070_R_002_072_an_end_says_why_and_has_no_result(place):
    place.chain("exec-1", "planned", "running")
    place.refuse("VALIDATION_ERROR", place.event("failed", error=ABSENT))
    place.refuse("VALIDATION_ERROR", place.event("cancelled", cancelReason=ABSENT))
    for end in ("failed", "cancelled"):
        place.refuse("VALIDATION_ERROR", place.event(end, result={}), "/payload/result")
    place.accept(place.event("failed"))


@case
def R_002_055_R_002_056_R_002_071_A02_7_A02_8_what_is_only_odd_is_accepted_with_a_warning(place):
    answers = place.append(place.event("planned", error=BLOCKED | {"code": "X"}), place.event("running"),
                           place.event("succeeded", result=ABSENT))
    same([answer["status"] for answer in answers], ["appended"] * 3, answers)
    same([[warning["code"] for warning in answer["warnings"]] for answer in answers],
         [["ERROR_UNEXPECTED"], [], ["RESULT_MISSING"]], answers)
    same(place.rejects(), [])


# ---- the contract's own examples ----

@case
def R_002_081_the_valid_example_lacks_nothing_but_what_it_rests_on(place):
    text = (EXAMPLES / "valid.json").read_bytes()
    run = place.writ("ledger", "append", EXAMPLES / "valid.json", "--json")
    answer = json.loads(run.out)
    same((run.status, answer["code"], answer["pointer"]),
         (1, "LINEAGE_MISSING", "/lineage/dependsOnLedgerIds/0"), answer)
    event = json.loads(text)
    event["lineage"]["dependsOnLedgerIds"] = [place.base[0]]
    event["payload"]["snapshotAt"] = event["createdAt"] = place.base[1]
    place.accept(event)


@case
def R_002_082_the_invalid_example_is_refused_for_both_reasons(place):
    answer = place.one("ledger", "append", EXAMPLES / "invalid.json", status=1)
    same(answer["code"], "VALIDATION_ERROR", answer)
    same(sorted(problem["pointer"] for problem in answer["problems"]),
         ["/lineage/dependsOnLedgerIds", "/payload/error/code", "/payload/error/retryable"], answer)


# ---- what is not JSON ----

def odd(place, text):
    line = json.dumps(place.event(target="@")).encode()
    return line.replace(b'"@"', text)


@case
def R_002_076_what_JSON_cannot_say_is_refused_and_kept(place):
    place.accept(place.event(execution="good"))
    texts = [odd(place, text) for text in UNREADABLE]
    answers = place.append(*texts)
    for text, code, answer in zip(texts, UNREADABLE.values(), answers, strict=True):
        same(answer["status"], "refused", (text, answer))
        true(code in (None, answer["code"]), (text[:400], answer))
    same(len(place.log("--kind", "execution_event")), 1)
    for text, answer, reject in zip(texts, answers, kept(place, len(texts)), strict=True):
        same((reject["code"], reject["bytes"], reject["digest"]),
             (answer["code"], len(text), ground.digest(text)), reject)


@case
def R_002_076_numbers_are_what_they_were(place):
    for n, number in enumerate((b"9007199254740993", b"18446744073709551616", b"123456789012345678901234567890")):
        answer, = place.append(odd(place, b'"x", "durationMs": ' + number).replace(b"exec-1", b"n-%d" % n))
        if answer["status"] == "appended":  # then exactly so
            body = place.entry(answer["ledger_id"])["body"]
            same(int(float(body["payload"]["durationMs"])), int(number), body)
        else:
            same(answer["code"], "NUMBER", answer)
    place.accept(place.event(durationMs=0.1, result={"a": [1e21, -0.0, 5e-324, 2**53 - 1]}))


@case
def R_002_076_any_character_comes_back(place):
    odd_text = "".join(map(chr, (*range(0x20), 0x7f, 0x85, 0xa0, 0x2028, 0xfeff, 0xfffe, 0x1f600, 0x10ffff))) + '"\\/'
    key = odd_text[1:]  # a key has no NUL: writ's reader does not take it
    id, = place.accept(place.event(execution=odd_text, target=odd_text, **{key: {key: [odd_text]}}))
    entry = place.entry(id)
    same((entry["subject"], entry["body"]["payload"]["target"]), (odd_text, odd_text))
    same(entry["body"]["payload"][key], {key: [odd_text]})
    same([entry["ledger_id"] for entry in place.log("--tenant", "t-1")], [id])
    place.verify()


# ---- what was refused ----

@case
def every_refusal_is_kept_with_its_code_place_and_text(place):
    place.accept(place.event())
    refused = [(place.event(target="other"), "IDEMPOTENCY_CONFLICT"),
               (place.event("succeeded"), "INVALID_TRANSITION"),
               (place.event(execution="e-2", dependsOnLedgerIds=["led-1"]), "LINEAGE_MISSING"),
               (place.event(execution="e-3", snapshotAt="2001-01-01T00:00:00Z"), "LINEAGE_LATER"),
               (place.event(execution="e-4", coherenceStatus="partial"), "COHERENCE_BLOCKED"),
               (place.event(execution="e-5", action=""), "VALIDATION_ERROR")]
    texts = [json.dumps(event).encode() for event, _ in refused]
    answers = place.append(*texts)
    for (event, code), text, answer, reject in zip(refused, texts, answers, kept(place, len(refused)), strict=True):
        same((answer["code"], reject["code"]), (code, code), (answer, reject))
        same((reject["pointer"], reject["message"]), (answer["pointer"], answer["message"]), reject)
        same((reject["tenant"], reject["subject"]), ("t-1", event["payload"]["executionId"]), reject)
        same((reject["event"].encode(), reject["bytes"], reject["digest"]),
             (text, len(text), ground.digest(text)), reject)
    same([reject["seq"] for reject in place.rejects()],
         [entry["seq"] for entry in place.log("--kind", "refusal")])
    same(len(place.lines("ledger", "rejects", "--limit", "2")), 2)


@case
def a_refusal_takes_nothing_else_with_it(place):
    good = [place.event(state, f"e-{n}") for n in range(20) for state in STATES[:3]]
    mixed = [event for one in good for event in (one, b"{", one | {"type": "x"})]
    answers = place.append(*mixed)
    same([answer["status"] for answer in answers], ["appended", "refused", "refused"] * len(good))
    same([answer["line"] for answer in answers], list(range(1, len(mixed) + 1)))
    same(len(place.log("--kind", "execution_event")), len(good))
    same(place.verify()["entries"], len(mixed) + 1)


@case
def one_event_may_take_many_lines_and_lines_may_be_empty(place):
    event = place.event()
    path = place.put("event.json", json.dumps(event, indent=4))
    same(place.one("ledger", "append", path)["status"], "appended")
    run = place.writ("ledger", "append", "-", "--json", stdin=b"\n" + ledger.text_of(event) + b"\r\n  \n"
                     + ledger.text_of(place.event("running")).rstrip())
    same([json.loads(line)["status"] for line in run.out.splitlines()], ["duplicate", "appended"], run)


@case
def a_pipe_gets_JSON_lines_without_asking(place):
    run = place.writ("ledger", "append", "-", stdin=ledger.text_of(place.event()))
    same(json.loads(run.out)["status"], "appended", run)


@case
def whoever_waits_for_each_answer_gets_each(place):
    place.base
    child = subprocess.Popen([tap.WRIT, "ledger", "append", "-", "--json"], cwd=place.work, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, env=place.environment({}))
    try:
        for event, status in ((place.event(), "appended"), (place.event(), "duplicate"), (b"{", "refused"),
                              (place.event("running"), "appended"), (place.event("succeeded"), "appended")):
            child.stdin.write(ledger.text_of(event))
            child.stdin.flush()
            true(select.select([child.stdout], [], [], 20)[0], f"no answer to {event}")
            same(json.loads(child.stdout.readline())["status"], status)
    finally:
        child.stdin.close()
        left = child.stdout.read()
        child.stdout.close()
    same((child.wait(20), left), (1, b""))


@case
def what_is_written_to_a_log_that_was_removed_is_not_told_as_kept(place):
    if ledger.POSTGRES:
        raise tap.Skip("a file")
    for anew in (False, True):
        at = place.other(f"anew-{anew}")
        at.base
        log = at.file.with_name(at.file.name + "-wal")
        child = subprocess.Popen([tap.WRIT, "ledger", "append", "-", "--json"], cwd=at.work, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, env=at.environment({}))
        try:
            for event, code in ((at.event(), None), (at.event("running"), "IO")):
                child.stdin.write(ledger.text_of(event))
                child.stdin.flush()
                true(select.select([child.stdout], [], [], 20)[0], f"no answer to {event}")
                answer = json.loads(child.stdout.readline())
                same(answer.get("code"), code, answer)
                log.unlink(missing_ok=True)
                if anew:
                    log.touch()
        finally:
            child.stdin.close()
            child.stdout.close()
        true("its log" in answer["message"] and "was removed or replaced" in answer["message"], answer)
        same(child.wait(20), 74)


@case
def X_26_a_header_has_65535_bytes_at_most_and_a_longer_one_is_never_written(place):
    place.accept(place.event(execution="x" * 64_000))
    size = place.verify()["entries"]
    for names in ({"execution": "x" * 65_500}, {"execution": "e", "tenantId": "\u0001" * 11_000},
                  {"execution": "x" * 30_000, "tenantId": "t" * 20_000, "robotId": "r" * 16_000}):
        answer = place.refuse("CEILING", place.event(**names))
        true("header of more than 65535 bytes" in answer["message"], answer)
    same([(r["tenant"], r["subject"]) for r in place.rejects()][:2], [("", "")] * 2)  # the text has them
    same(place.verify()["entries"], size + 3)
    path = place.put("document.json", "{}")
    answer = place.one("ledger", "input", path, "--subject", "s" * 65_500, status=74)
    true(answer["code"] == "CEILING" and "65535" in answer["message"], answer)
    same(place.verify()["entries"], size + 3)
    for row in vault.of(place).ask("SELECT max(length(subject) + length(tenant) + length(robot)) FROM entries"):
        true(int(row[0]) < 65_535, row)


@case
def a_large_event_is_kept_whole(place):
    event = place.event(result={"text": "x" * 3_000_000, "list": list(range(20000))})
    id, = place.accept(event)
    same(place.entry(id)["body"], event)
    variant = copy.deepcopy(event)
    variant["payload"]["result"]["list"][-1] = 0
    reject = place.refuse("IDEMPOTENCY_CONFLICT", variant) and place.rejects()[0]
    text = json.dumps(variant, ensure_ascii=False).encode()
    same((reject["bytes"], reject["digest"]), (len(text), ground.digest(text)))
    true(text.startswith(reject["event"].encode()), reject["event"][-100:])


if __name__ == "__main__":
    sys.exit(ledger.main(CASES))
