#!/usr/bin/env python3
"""files: a ledger in an SQLite file, and what lies beside it.

usage: files.py WRIT      prints TAP
"""
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys

import ledger
import tap
import vault
from ledger import limited, ordinary, same, true

CASES = []
case = ledger.collector(CASES)


def log_of(place):
    return place.file.with_name(place.file.name + "-wal")


def shut(place):
    """The ledger's directory as one that an ordinary user can read, and cannot lock in. Returns how to be one."""
    user = ordinary(place)
    place.file.with_name(place.file.name + "-shm").unlink(missing_ok=True)
    for path in place.state.glob("ledger.db*"):
        path.chmod(0o444)
    place.state.chmod(0o555)
    return user


# ---- reading what cannot be locked ----

@case
def a_ledger_is_not_read_without_its_log_whatever_path_leads_to_it(place):
    place.accept(place.event())
    true(log_of(place).stat().st_size > 0, "there is no log to miss")
    link = place.scratch / "link.db"
    link.symlink_to(place.file)
    user = shut(place)
    for path in (place.file, link):
        for verb in (["verify"], ["log"]):
            run = limited(place, [], *verb, "--ledger", path, **user)
            same((run.status, run.out), (69, b""), run)
            true(b"has a log, 'ledger.db-wal'" in run.err and b"copy both" in run.err, run)
    copy = place.scratch / "copy"
    copy.mkdir()
    for path in (place.file, log_of(place)):
        shutil.copy(path, copy)
    place.verify("--ledger", str(copy / "ledger.db"))
    place.state.chmod(0o755)
    place.verify("--ledger", str(link))


@case
def a_ledger_that_needs_a_file_beside_it_where_none_can_be_made_says_so(place):
    if os.geteuid() != 0:
        raise tap.Skip("only root can mount")
    place.accept(place.event())
    script = ('mkdir "$1" && mount -t tmpfs -o nr_inodes=3 none "$1" && cp "$2" "$2-wal" "$1" || exit 98; shift 2;'
              'exec "$@"')
    small = place.scratch / "small"
    before = ["unshare", "-m", "sh", "-c", script, "sh", str(small), str(place.file)]
    run = limited(place, before, "log", "--ledger", small / "ledger.db")
    if run.status == 98:
        raise tap.Skip("this root may not mount")
    same((run.status, run.out), (69, b""), run)
    true(b"no file can be made beside it: No space left" in run.err, run)


@case
def a_limit_on_descriptors_is_told_as_one(place):
    place.accept(place.event())
    true(log_of(place).stat().st_size > 0, "there is no log to miss")
    refused = 0
    for most in range(3, 12):
        run = limited(place, ["sh", "-c", f'ulimit -n {most}; exec "$@"', "sh"], "log")
        if run.status == 127:  # it could not even be loaded
            continue
        refused += run.status != 0
        true(run.status == 0 or b"Too many open files (see ulimit -n)" in run.err, run)
        true(b"copy both" not in run.err, run)
    true(refused > 0, "nothing was refused")


@case
def a_limit_on_the_size_of_files_is_told_as_one(place):
    place.accept(place.event())
    document = place.put("outside/document.json", '"' + "x" * 100_000 + '"')
    for size in range(1000, 100_000, 3500):  # somewhere a write is cut short
        limit = ["sh", "-c", f'trap "" XFSZ; exec prlimit --fsize={size} "$@"', "sh"]
        run = limited(place, limit, "ledger", "input", document)
        true(run.status == 74 and f"longer than {size} bytes here (ulimit -f)".encode() in run.err, run)
    place.verify()


@case
def a_ledger_without_a_log_is_read_whatever_path_leads_to_it(place):
    place.accept(place.event())
    same(vault.of(place).ask("PRAGMA wal_checkpoint(TRUNCATE)")[0][0], 0)
    link = place.scratch / "link.db"
    link.symlink_to(place.file)
    user = shut(place)
    for path in (place.file, link):
        run = limited(place, [], "verify", "--ledger", path, **user)
        same(run.status, 0, run)
    place.state.chmod(0o755)


@case
def a_ledger_is_not_read_without_a_journal_that_was_left(place):
    place.accept(place.event())
    vault.of(place).ask("PRAGMA journal_mode = DELETE")
    journal = place.file.with_name(place.file.name + "-journal")
    journal.write_bytes(b"left by a writer that died" * 40)
    user = shut(place)
    run = limited(place, [], "verify", **user)
    same((run.status, run.out), (69, b""), run)
    place.state.chmod(0o755)
    journal.unlink()
    run = limited(place, [], "verify", **user)
    same(run.status, 0, run)


@case
def a_reader_does_not_go_past_a_lock(place):
    if not ledger.LONG:
        raise tap.Skip("WRIT_LONG=1: it waits for a minute")
    place.accept(place.event())
    vault.of(place).ask("PRAGMA journal_mode = DELETE")
    writer = sqlite3.connect(place.file, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    run = subprocess.run([tap.WRIT, "verify"], env=place.environment({}), capture_output=True, timeout=200)
    writer.close()
    same((run.returncode, run.stdout, b"is busy" in run.stderr), (69, b"", True), run)


# ---- how SQLite keeps it ----

@case
def a_ledger_of_two_names_is_read_and_not_written(place):
    place.accept(place.event())
    size = len(place.log())
    other = place.scratch / "other.db"
    other.hardlink_to(place.file)
    for path in (place.file, other):
        run = place.writ("ledger", "append", "-", "--ledger", path, stdin=ledger.text_of(place.event("running")))
        same((run.status, b"hard links" in run.err), (74, True), run)
    same(len(place.log()), size)
    other.unlink()
    place.accept(place.event("running"))
    place.verify()


@case
def a_ledger_that_was_taken_out_of_wal_mode_is_brought_back(place):
    place.accept(place.event())
    same(vault.of(place).ask("PRAGMA journal_mode = DELETE"), [("delete",)])
    true(not log_of(place).exists(), "it is still in WAL mode")
    place.verify()
    place.accept(place.event("running"))
    same(vault.of(place).ask("PRAGMA journal_mode"), [("wal",)])
    place.verify()


@case
def a_file_is_one_ledger(place):
    place.accept(place.event())
    behind = vault.of(place)
    behind.ask("INSERT INTO ledger SELECT '0b0e3b9c-8d7a-4c1e-9f52-3a1d5c7e9b10', version FROM ledger")
    true("two ledgers" in place.verify(status=1)["problem"]["message"])
    run = place.writ("ledger", "append", "-", stdin=ledger.text_of(place.event("running")))
    same((run.status, b"two ledgers" in run.err), (74, True), run)
    behind.ask("DELETE FROM ledger WHERE rowid > 1")
    place.verify()


# ---- erasing, while somebody is in the way ----

SECRET = "a-secret-that-must-not-be-found-anywhere"
HOLDS = """
import fcntl, sys
shared = open(sys.argv[1], "r+b")
fcntl.lockf(shared, fcntl.LOCK_EX, 1, 121)  # where SQLite keeps who checkpoints
print("held", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def checkpointing(place):
    """Another process that checkpoints, for as long as this lasts."""
    # A reader, so that nobody has to recover the log; one that may write would empty it on leaving.
    reader = sqlite3.connect(f"file:{place.file}?mode=ro", uri=True)
    reader.execute("SELECT count(*) FROM ledger").fetchall()
    holder = subprocess.Popen([sys.executable, "-c", HOLDS, f"{place.file}-shm"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE)
    try:
        same(holder.stdout.readline(), b"held\n")
        yield
    finally:
        holder.communicate()
        reader.close()


@contextlib.contextmanager
def erasing(place, id):
    """A `writ ledger erase` that has committed, and cannot empty the log."""
    size = len(place.log())
    with checkpointing(place):
        child = subprocess.Popen([tap.WRIT, "ledger", "erase", id, "--reason", "why", "--json"], cwd=place.work,
                                 stdout=subprocess.PIPE, env=place.environment({}))
        while len(place.log()) == size:
            true(child.poll() is None or len(place.log()) > size, "it has erased nothing")
        yield child


def has_secret(place):
    return [str(path) for path in place.state.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


@case
def erasing_waits_for_another_that_checkpoints(place):
    id, = place.accept(place.event(target=SECRET))
    with erasing(place, id) as child:
        pass
    out, _ = child.communicate(timeout=60)
    same((child.returncode, json.loads(out).get("erased")), (0, id), out)
    same(has_secret(place), [])


@case
def an_erasure_that_was_killed_is_finished_by_the_next(place):
    id, = place.accept(place.event(target=SECRET))
    with erasing(place, id) as child:
        child.kill()
        child.communicate()
    same(has_secret(place), [str(log_of(place))])
    size = len(place.log())
    answer = place.one("ledger", "erase", id, "--reason", "once more")
    note = place.log()[-1]
    same(answer, {"erased": id, "ledger_id": note["ledger_id"], "reason": "why", "again": True})
    same((has_secret(place), len(place.log())), ([], size))
    run = place.writ("ledger", "erase", id, "--reason", "once more")
    same((run.status, b"was before recorded" in run.out.replace(b"\n        ", b" ")), (0, True), run)
    place.verify()


if __name__ == "__main__":
    sys.exit(ledger.main(CASES))
