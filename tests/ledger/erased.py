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


VERSION_1 = [  # what such a ledger had instead
    "DROP TABLE ledger",
    "CREATE TABLE ledger (name uuid NOT NULL, version int NOT NULL, made bigint NOT NULL)",
    "CREATE TRIGGER refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger"
    " FOR EACH STATEMENT EXECUTE FUNCTION refuse()",
    "CREATE TABLE rejects (n bigint PRIMARY KEY, recorded bigint NOT NULL, bytes bigint NOT NULL,"
    " code text NOT NULL, pointer bytea NOT NULL, message bytea NOT NULL, tenant bytea NOT NULL,"
    " subject bytea NOT NULL, digest bytea NOT NULL, event bytea NOT NULL)",
    "ALTER TABLE ledger OWNER TO keeper", "ALTER TABLE rejects OWNER TO keeper",
    "INSERT INTO rejects SELECT n, 1700000000000 + n, 6, 'VALIDATION_ERROR', '/p', convert_to('why ' || n, 'UTF8'), 't-1', 's',"
    " decode(repeat('ab', 32), 'hex'), CASE n WHEN 2 THEN ''::bytea ELSE convert_to('text-' || n, 'UTF8') END"
    " FROM generate_series(1, 3) n"] if POSTGRES else [
    "DROP TABLE ledger",
    "CREATE TABLE ledger (name TEXT NOT NULL, version INTEGER NOT NULL, made INTEGER NOT NULL) STRICT",
    "CREATE TABLE rejects (n INTEGER PRIMARY KEY, recorded INTEGER NOT NULL, code TEXT NOT NULL,"
    " pointer TEXT NOT NULL, message TEXT NOT NULL, tenant TEXT NOT NULL, subject TEXT NOT NULL,"
    " event BLOB NOT NULL, digest BLOB NOT NULL, bytes INTEGER NOT NULL) STRICT",
    "CREATE TRIGGER rejects_stay BEFORE DELETE ON rejects"
    " BEGIN SELECT RAISE(ABORT, 'what a ledger has it keeps'); END",
    "INSERT INTO rejects WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n < 3)"
    " SELECT n, 1700000000000 + n, 'VALIDATION_ERROR', '/p', 'why ' || n, 't-1', 's',"
    " CASE n WHEN 2 THEN x'' ELSE CAST('text-' || n AS BLOB) END, CAST(x'" + 32 * "ab" + "' AS BLOB), 6 FROM x"]


@case
def refusals_of_a_ledger_of_version_1_enter_the_tree_at_its_first_append(place):
    place.accept(place.event())
    behind = vault.of(place)
    (name, _), = behind.ask("SELECT name, version FROM ledger")
    behind.ask(*VERSION_1, f"INSERT INTO ledger VALUES ('{name}', 1, 5)")
    same([entry["state"] for entry in place.log("--kind", "execution_event")], ["planned"])
    answer = place.one("verify", status=69)
    true("append to it once" in answer["message"], answer)
    place.accept(place.event("running"))
    same([(r["code"], r["pointer"], r["message"], r["event"], r["erased"], r["bytes"], r["digest"])
          for r in place.rejects()],
         [("VALIDATION_ERROR", *rest, 6, "sha256:" + 32 * "ab")
          for rest in (("/p", "why 1", "text-1", False), (None, None, None, True), ("/p", "why 3", "text-3", False))])
    same(sorted(behind.tables()["ledger"]), ["name", "version"])
    same("rejects" in behind.tables(), False)
    place.verify()
    place.accept(place.event("succeeded"))
    same(len(place.rejects()), 3)


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
