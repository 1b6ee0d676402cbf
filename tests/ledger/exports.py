#!/usr/bin/env python3
"""exports: whoever has an export, a checkpoint and the key checks the ledger without writ.

usage: exports.py [--postgres] WRIT      prints TAP

He has writ-ledger(7): the program that is in it, and what it says about headers.
"""
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "executor"))
import desk  # noqa: E402
import ledger  # noqa: E402
import tap  # noqa: E402
import vault  # noqa: E402
from ledger import STATES, hold, same, true  # noqa: E402

CASES = []
case = desk.collector(CASES)

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "man" / "writ-ledger.7.scd"
KINDS = {"input", "execution_event", "action_audit", "manifest", "plan_result", "approval", "note", "refusal"}
ODD = {"\U0001f511": 1e21, "\uff5e": [1e-7, -0.5, 4.5e15, 1152921504606846976], "\u2028\x7f": "\x01\n\"\\/\u00e9"}


def program():
    """The one that the manual has for a whole ledger, as it is shown."""
    parts = [part.strip("\n").replace("\\\\", "\\") for part in PAGE.read_text().split("```")[1::2]]
    text, = (part for part in parts if part.startswith("import ") and "sys.argv" in part)
    return text


def audited(place, lines, note, key):
    """What the manual's program says to this, and how it ends."""
    if not shutil.which("openssl"):
        raise tap.Skip("no openssl")
    given = [place.put(f"outside/{name}", data) for name, data in
             (("export.jsonl", b"".join(lines)), ("checkpoint", note), ("key", key))]
    return subprocess.run([sys.executable, "-c", program(), *given], cwd=place.outside, capture_output=True, text=True,
                          timeout=120)


def handed_over(place):
    """The lines of an export, a checkpoint and the key."""
    note, key = place.writ("checkpoint").out, place.one("checkpoint")["key"]
    return place.writ("export").out.splitlines(keepends=True), note, key


# ---- a ledger with everything in it ----

def events(place):
    """Events of every coherence, policy and end, with times finer than a millisecond; some are refused."""
    fine = place.base[1].replace("Z", "123456Z")
    place.chain("fine", "planned", "running", "succeeded", snapshotAt=fine, createdAt=fine)
    place.chain("leap", "planned", snapshotAt="2099-12-31T23:59:60.123456789Z", createdAt="2100-01-01T00:00:00Z")
    place.chain("again", "planned", "running", "failed")
    failed = {"error": {"code": "ASSERTION_FAILED", "message": "no", "retryable": False}}
    place.chain("over", "planned", "running")
    place.accept(place.event("failed", "over", **failed))
    place.chain("real", "planned", dryRun=False)
    stopped = place.chain("stopped", "planned", "running", "cancelled")
    place.accept(place.verdict("blocked"), place.verdict("stale", coherenceStatus="stale"))
    place.accept(*(place.event(state, "draft", coherenceStatus="partial") for state in STATES[:3]),
                 place.review("reviewed"), policy="draft_only")
    base, last = place.base[0], stopped[-1]
    place.accept(place.event(execution="set", dependsOnLedgerIds=[max(base, last), min(base, last), base]))
    place.accept(place.event(execution="odd \u00e9\u2028", robotId="r\"\\\x7f", **ODD))
    place.refuse("VALIDATION_ERROR", place.event(attempt=0))
    place.append(b"{")


def filled(place):
    """Every kind of entry, and bodies that were erased."""
    events(place)
    place.exec("/bin/sh", "-c", "echo made >made", options=["--artifact", "made"])
    run = place.writ("run", place.put("plan.yaml", "name: one\nsteps:\n  - {name: a, action: noop}\n"))
    hold(run.status == 0, run)
    place.add_jq(".")
    place.apply("mine", {"a": 1})
    erased = [place.enter(ODD, "to go")["ledger_id"], *place.accept(place.event(execution="to go", **ODD))]
    for id in erased:
        place.one("ledger", "erase", id, "--reason", "asked for")
    return handed_over(place)


# ---- what the manual says about a header ----

def digest(text):
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def content(body):
    """RFC 8785 where the ids are in no order; these bodies have names and texts that Python sorts so."""
    lineage = body["lineage"] | {"dependsOnLedgerIds": sorted(set(body["lineage"]["dependsOnLedgerIds"]))}
    return digest(json.dumps({"lineage": lineage, "payload": body["payload"]}, sort_keys=True,
                             separators=(",", ":"), ensure_ascii=False))


def instant(text):
    """Milliseconds, and nanoseconds below them."""
    second, _, fraction = text.removesuffix("Z").partition(".")
    leap = second.endswith(":60")
    ms, nano = ledger.instant(second.replace(":60", ":59") + "Z"), int(fraction.ljust(9, "0"))
    return ms + (999 if leap else nano // 10**6), nano % 10**6 + (2**20 if leap else 0)


def header_of(entry):
    """The header of an event, from its body and what the line says."""
    body, payload = entry["body"], entry["body"]["payload"]
    ms, below = instant(payload["snapshotAt"])
    traits = {"coherent": 0, "partial": 1, "stale": 2}[payload["coherenceStatus"]]
    traits += {"block": 0, "draft_only": 4}[entry["policy"]] + 16 * payload["dryRun"]
    traits += 32 * (payload.get("error") or {}).get("retryable", True) + 256 * below
    return {"body_digest": entry["body_digest"], "content_digest": entry["content_digest"],
            "createdAt": ledger.stamp(instant(body["createdAt"])[0]),
            "event": {"attempt": payload["attempt"], "robot": body["robotId"], "snapshot": ms,
                      "state": body["state"], "traits": traits},
            "id": entry["ledger_id"], "kind": "execution_event", "recordedAt": entry["recordedAt"],
            "seq": entry["seq"], "subject": payload["executionId"], "tenant": body["tenantId"], "v": 1}


# ---- cases ----

@case
def an_export_of_every_kind_of_entry_is_checked_by_the_program_of_the_manual(place):
    lines, note, key = filled(place)
    entries = [json.loads(line) for line in lines]
    same({entry["kind"] for entry in entries}, KINDS)
    same(sum(entry["erased"] for entry in entries), 3)
    said = audited(place, lines, note, key)
    same((said.returncode, said.stdout), (0, f"{len(lines)} entries are as they were signed, 0 came later,"
                                             " 3 were erased\n"), said.stderr)
    place.chain("later", "planned")
    said = audited(place, handed_over(place)[0], note, key)
    true(said.returncode == 0 and " 1 came later" in said.stdout, said)


@case
def a_header_is_what_the_manual_makes_of_the_body(place):
    events(place)
    entries = [json.loads(line) for line in handed_over(place)[0]]
    packed = set()
    for entry in (entry for entry in entries if entry["kind"] == "execution_event"):
        same(entry["header"], header_of(entry))
        packed.add(entry["header"]["event"]["traits"] & 63)
        if entry["subject"] != "odd \u00e9\u2028":
            same(entry["content_digest"], content(entry["body"]), entry)
    true({bit for bit in range(6) for traits in packed if traits >> bit & 1} == {0, 1, 2, 4, 5}, packed)
    true(any(not traits & 32 for traits in packed), packed)
    for entry in (entry for entry in entries if entry["kind"] == "input" and not entry["erased"]):
        text = json.dumps(entry["body"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        same(entry["content_digest"], digest(text), entry)


@case
def a_log_has_the_lines_of_an_export_without_what_they_are_hashed_of(place):
    place.chain("one", "planned", "running", "succeeded")
    lines = [json.loads(line) for line in handed_over(place)[0]]
    for line in lines:
        proof = place.one("prove", line["ledger_id"])
        same((line.pop("header"), line.pop("salt")), (proof["header"], proof["salt"]))
    same(lines, place.log())


def altered(entry):
    """The line with one thing changed, in every place there is."""
    for name, value in entry.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{of}", entry | {name: bad}) for of, bad in altered(value))
        elif isinstance(value, str):
            yield name, entry | {name: value[:-1] + ("0" if value[-1:] != "0" else "1")}
        elif isinstance(value, list):
            yield name, entry | {name: value + ["x"]}
        else:
            yield name, entry | {name: 7 if value is None else not value if isinstance(value, bool) else value + 1}


@case
def whatever_is_changed_in_an_export_is_found(place):
    place.chain("one", "planned", "running")
    gone, = place.accept(place.event("succeeded", "one"))
    place.one("ledger", "erase", gone, "--reason", "asked for")
    lines, note, key = handed_over(place)
    same(audited(place, lines, note, key).returncode, 0)
    missed, tries = [], 0
    for n in (0, 2, 3, 4):  # an input, an event, the one that was erased, the note
        for name, bad in altered(json.loads(lines[n])):
            text = json.dumps(bad, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
            said = audited(place, [*lines[:n], text, *lines[n + 1:]], note, key)
            tries += 1
            if said.returncode == 0:
                missed.append((n, name))
    same((missed, tries > 90), ([], True), tries)
    for less in (lines[1:], lines[:-1], [*lines[:2], *lines[3:]], [lines[1], lines[0], *lines[2:]]):
        true(audited(place, less, note, key).returncode == 1)
    other = place.other("another")
    other.accept(other.event())
    for bad in ((lines, note, other.one("checkpoint")["key"]), (lines, note.replace(b"\nmade 2", b"\nmade 1"), key),
                (lines, other.writ("checkpoint").out, key)):
        true(audited(place, *bad).returncode == 1, bad)


@case
def a_name_that_is_no_text_any_more_leaves_the_line_readable(place):
    place.chain("one", "planned")
    behind = vault.of(place)
    if ledger.POSTGRES:
        raise tap.Skip("a server takes no such text")
    behind.sql("UPDATE entries SET subject = CAST(x'6ff06f' AS TEXT) WHERE seq = 1")
    lines, note, key = place.writ("export").out.splitlines(keepends=True), b"", b""
    same(json.loads(lines[1])["header"]["subject"], "o\ufffdo")
    true("the leaf is another" in audited(place, lines, note, key).stderr)


if __name__ == "__main__":
    sys.exit(ledger.main(CASES, sandbox=True))
