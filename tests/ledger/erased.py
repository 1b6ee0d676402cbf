#!/usr/bin/env python3
"""erased: what is left of a body that was erased, and what may come after it.

usage: erased.py [--postgres] WRIT      prints TAP
"""
import contextlib
import json
import subprocess
import sys

import ledger
import tap
import vault
from ledger import POSTGRES, same, true

CASES = []
case = ledger.collector(CASES)


@case
def an_input_that_was_erased_can_be_entered_again(place):
    first = place.enter({"a": 7}, subject="mine")["ledger_id"]
    place.enter({"a": 7}, subject="mine", status="duplicate")
    place.one("ledger", "erase", first, "--reason", "r")
    second = place.enter({"a": 7}, subject="mine")
    same(second["ledger_id"] == first, False, second)
    same(place.entry(second["ledger_id"])["body"], {"a": 7})
    same(place.enter({"a": 7}, subject="mine", status="duplicate")["ledger_id"], second["ledger_id"])
    same(place.verify()["erased"], 1)


SECRET = "a-secret-that-must-not-be-found-anywhere"


@case
def what_was_refused_goes_with_what_was_entered(place):
    id, = place.accept(place.event(target=SECRET))
    place.refuse("IDEMPOTENCY_CONFLICT", place.event(target=SECRET + "-2"))
    place.refuse("VALIDATION_ERROR", place.event(**{SECRET: 1, "attempt": "x" * 70000}))
    place.refuse("IDEMPOTENCY_CONFLICT", place.event(target="other"))
    place.accept(place.event(execution="exec-2"), place.event(tenantId="t-2"))
    place.refuse("IDEMPOTENCY_CONFLICT", place.event(execution="exec-2", target="not mine"))
    place.refuse("IDEMPOTENCY_CONFLICT", place.event(tenantId="t-2", target="not mine"))
    before = place.rejects()
    place.one("ledger", "erase", id, "--reason", "r")
    after = place.rejects()
    gone = {"pointer": None, "message": None, "event": None, "erased": True}
    same(after, [r | gone for r in before[:3]] + before[3:])
    true(b"was erased" in place.writ("ledger", "rejects").out)
    place.verify()
    if not POSTGRES:
        for path in place.state.rglob("*"):
            true(not path.is_file() or SECRET.encode() not in path.read_bytes(), f"{path} still has it")


@case
def what_was_erased_does_not_come_back_by_being_refused(place):
    id, = place.accept(place.event(target="first"))
    place.accept(place.event("running", target=SECRET))
    place.one("ledger", "erase", id, "--reason", "r")
    answer = place.refuse("IDEMPOTENCY_CONFLICT", place.event(target=SECRET + "-2"))
    true("its body was erased" in answer["message"], answer)
    nobody = "led-00000000-0000-4000-8000-000000000000"
    place.refuse("LINEAGE_MISSING", place.event(target=SECRET + "-3", dependsOnLedgerIds=[nobody]))
    place.refuse("IDEMPOTENCY_CONFLICT", place.event("running", target="kept"))
    found = [(r["code"], r["erased"], r["event"] and "kept" in r["event"]) for r in place.rejects()]
    same(found, [("IDEMPOTENCY_CONFLICT", True, None), ("LINEAGE_MISSING", True, None),
                 ("IDEMPOTENCY_CONFLICT", False, True)])
    for r in place.rejects()[:2]:
        same((r["message"], r["pointer"], r["bytes"] > 0, r["digest"][:7]), (None, None, True, "sha256:"), r)
    place.verify()


@case
def nothing_else_of_a_refusal_changes(place):
    place.accept(place.event())
    place.refuse("IDEMPOTENCY_CONFLICT", place.event(target="other"))
    guarded = ["SET session_replication_role = origin"] if POSTGRES else []
    empty = "pointer = '', message = '', event = " + ("''" if POSTGRES else "x''")
    before = place.rejects()
    for change in ("pointer = 'x'", "code = 'x'", f"{empty}, code = 'x'", "message = ''", f"{empty}, bytes = 1"):
        try:
            vault.of(place).ask(*guarded, f"UPDATE rejects SET {change}")
        except Exception as why:
            true("ledger" in str(why), why)
        else:
            raise AssertionError(f"{change} was let through")
    same(place.rejects(), before)


FORMER = ["DROP TRIGGER only_forget ON rejects", "DROP FUNCTION only_forget", "DROP TRIGGER refuse ON rejects",
          "CREATE TRIGGER refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON rejects"
          " FOR EACH STATEMENT EXECUTE FUNCTION refuse()"] if POSTGRES else \
    ["DROP TRIGGER rejects_fixed", "CREATE TRIGGER rejects_fixed BEFORE UPDATE ON rejects"
     " BEGIN SELECT RAISE(ABORT, 'what a ledger has it keeps'); END"]


@case
def a_ledger_from_before_refusals_were_erased_is_intact_and_lets_them_go(place):
    id, = place.accept(place.event(target=SECRET))
    place.refuse("IDEMPOTENCY_CONFLICT", place.event(target=SECRET + "-2"))
    vault.of(place).ask(*FORMER)
    place.verify()
    for again in range(2):
        place.one("ledger", "erase", id, "--reason", "r")
        same([r["event"] for r in place.rejects()], [None])
        place.verify()


@contextlib.contextmanager
def somebody_who_looks(place):
    """A reader that has looked at the entries and keeps to what it saw, until the block ends."""
    server = ledger.databases().server
    reader = subprocess.Popen([*server.as_user, server.bin / "psql", "-XqAt", "-h", server.home, "-U", "keeper",
                               "-d", ledger.databases().name(place.address)], cwd=server.home, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with reader:
        reader.stdin.write("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM writ.entries;\n")
        reader.stdin.flush()
        true(int(reader.stdout.readline()) > 0)
        yield
        reader.stdin.close()


def erasing(place, id):
    """An erasure that has found out that somebody looks: it has vacuumed more than once."""
    child = subprocess.Popen([tap.WRIT, "ledger", "erase", id, "--reason", "r", "--json"], cwd=place.work,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=place.environment({}))
    while child.poll() is None:
        (count,), = vault.of(place).ask("SELECT vacuum_count FROM pg_stat_all_tables WHERE relid = 'entries'::regclass")
        if int(count) >= 3:
            break
    return child


def answer_of(child):
    out, _ = child.communicate(timeout=60)
    return child.returncode, json.loads(out)


@case
def whoever_still_looks_at_what_is_erased_is_waited_for(place):
    if not POSTGRES:
        raise tap.Skip("a server's old rows")
    id, = place.accept(place.event(target=SECRET * 100))
    with somebody_who_looks(place):
        child = erasing(place, id)
        same(child.poll(), None, "it says that it is gone, and it is not")
    status, answer = answer_of(child)
    same((status, answer.get("erased")), (0, id), answer)
    server = ledger.databases().server
    server.sql("CHECKPOINT")
    for path in (server.data / "base").rglob("*"):
        true(not path.is_file() or SECRET.encode() * 2 not in path.read_bytes(), f"{path} still has it")


@case
def an_erasure_that_is_stopped_while_somebody_looks_is_not_called_done(place):
    if not POSTGRES:
        raise tap.Skip("a server's old rows")
    id, = place.accept(place.event(target=SECRET))
    with somebody_who_looks(place):
        child = erasing(place, id)
        vault.of(place).ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'writ'")
        status, answer = answer_of(child)
    same(status, 74, answer)
    true("until the owner of writ.entries erases it again" in answer["message"], answer)
    same(place.one("ledger", "erase", id, "--reason", "r")["again"], True)


if __name__ == "__main__":
    sys.exit(ledger.main(CASES))
