#!/usr/bin/env python3
"""crash: writers that are killed, disks that are full, places that cannot be written.

usage: crash.py [--postgres] WRIT      prints TAP

Whatever happens: what was answered is there, nothing is there twice, and the ledger is intact.
"""
import contextlib
import json
import os
import random
import select
import sqlite3
import subprocess
import sys
import threading
import time

import ledger
import tap
from ledger import LONG, POSTGRES, STATES, limited, ordinary, same, text_of, true

CASES = []
case = ledger.collector(CASES)

KILLS = 500 if LONG else 25
SERVER_KILLS = 20 if LONG else 2
BATCH = 400  # executions a writer takes through three states
A_LEDGER = 50  # kills that one ledger has to bear, before the next


def seeded():
    seed = int(os.environ.get("WRIT_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"# seed {seed}", flush=True)
    return random.Random(seed)


def batch(place, name):
    return [place.event(state, f"{name}-{n}") for n in range(BATCH) for state in STATES[:3]]


class Writer:
    """A `writ` that appends a file, and what it has answered so far."""

    def __init__(self, place, events):
        self.events, self.lines = events, []
        path = place.put("events", b"".join(map(text_of, events)))
        self.child = subprocess.Popen([tap.WRIT, "ledger", "append", path, "--json"], cwd=place.work,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      env=place.environment({}))
        self.some = threading.Condition()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.child.stdout:
            with self.some:
                if line.endswith(b"\n"):
                    self.lines.append(line)
                self.some.notify()
        with self.some:
            self.lines.append(None)  # no more
            self.some.notify()

    def wait_for(self, count):
        with self.some:
            self.some.wait_for(lambda: len(self.lines) >= count or None in self.lines, 60)

    def kill(self):
        """Ends it, however far it is; returns what it had answered."""
        self.child.kill()
        return self.end()

    def end(self):
        self.reader.join(60)
        self.error = self.child.stderr.read()
        self.child.stdout.close()
        self.child.stderr.close()
        self.status = self.child.wait(60)
        return [json.loads(line) for line in self.lines if line]


def made_good(place, events, answers):
    """After an end of any kind: what was answered is there, and the rest can follow."""
    place.verify()
    told = [answer for answer in answers if "status" in answer]
    for answer in told:
        same(answer["status"], "appended", answer)
    again = place.append(*events)
    for first, second in zip(told, again):
        same((second["status"], second["ledger_id"], second["seq"]),
             ("duplicate", first["ledger_id"], first["seq"]), second)
    true({answer["status"] for answer in again} <= {"appended", "duplicate"}, again)
    return sum(answer["status"] == "duplicate" for answer in again) - len(told)


def each_once(place, count):
    entries = place.log("--kind", "execution_event")
    keys = {(entry["subject"], entry["attempt"], entry["state"]) for entry in entries}
    same((len(entries), len(keys)), (count, count))


def timed(place):
    """How long a writer takes that nobody disturbs."""
    writer = Writer(place, batch(place, "warm"))
    start = time.monotonic()
    writer.wait_for(3 * BATCH)
    writer.end()
    same(writer.status, 0, writer.error)
    return time.monotonic() - start


def pick_moment(chance, writer, seconds):
    """Waits for a moment between the start of a writer and its end."""
    if chance.random() < 0.5:
        writer.wait_for(chance.randrange(1, len(writer.events)))
    else:
        time.sleep(chance.random() * seconds)


@case
def a_writer_killed_at_any_moment_loses_nothing_that_it_answered(place):
    chance, caught = seeded(), []
    for first in range(0, KILLS, A_LEDGER):
        book = place.other(f"ledger-{first}")
        seconds, rounds = timed(book), min(A_LEDGER, KILLS - first)
        for n in range(rounds):
            events = batch(book, n)
            writer = Writer(book, events)
            pick_moment(chance, writer, seconds)
            answers = writer.kill()
            caught.append(len(answers) < len(events))
            made_good(book, events, answers)
        each_once(book, (rounds + 1) * 3 * BATCH)
        book.verify()
    print(f"# {sum(caught)} of {KILLS} before the end", flush=True)
    true(sum(caught) >= KILLS // 4, "hardly any was killed in the middle")


@case
def a_writer_killed_while_it_makes_the_ledger_leaves_one_that_can_be_made(place):
    chance = seeded()
    if POSTGRES:
        raise tap.Skip("the database is there before")
    for n in range(KILLS):
        book = place.other(f"ledger-{n}")
        path = book.put("document.json", "{}")
        child = subprocess.Popen([tap.WRIT, "ledger", "input", path, "--json"], cwd=book.work,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=book.environment({}))
        time.sleep(chance.random() * 0.01)
        child.kill()
        out = child.communicate()[0]
        answer = book.one("ledger", "input", path)
        if out.endswith(b"\n"):
            same((answer["status"], answer["ledger_id"]), ("duplicate", json.loads(out)["ledger_id"]))
        same(book.verify()["entries"], 1)


@case
def checkpoints_and_erasures_that_are_killed_are_done_or_not(place):
    chance = seeded()
    ids = place.chain("exec-1", *STATES[:3]) + place.chain("exec-2", *STATES[:3])
    for n in range(KILLS):
        verb = ["checkpoint"] if n % 2 else ["ledger", "erase", ids[chance.randrange(len(ids))], "--reason", "kill"]
        child = subprocess.Popen([tap.WRIT, *verb, "--json"], cwd=place.work, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=place.environment({}))
        time.sleep(chance.random() * 0.01)
        child.kill()
        child.wait()
        erased = place.verify()["erased"]
        same(erased, sum(entry["erased"] for entry in place.log()))


@case
def a_server_killed_at_any_moment_loses_nothing_that_was_answered(place):
    if not POSTGRES:
        raise tap.Skip("a file has no server")
    chance = seeded()
    for n in range(SERVER_KILLS):
        events = batch(place, n)
        writer = Writer(place, events)
        pick_moment(chance, writer, 0.2)
        ledger.databases().server.kill()
        ledger.databases().server.start()
        answers = writer.end()
        told = [answer for answer in answers if "status" in answer]
        if len(told) < len(events):
            same(writer.status, 74, writer.error)
            true(writer.error or "message" in answers[-1], answers[-1:])
        made_good(place, events, told)
        each_once(place, (n + 1) * 3 * BATCH)


# ---- no room, no right ----

def fill(place, before=(), rounds=100, **more):
    """Appends until it cannot. Returns the events of the last round and what was answered."""
    for n in range(rounds):
        events = [place.event(state, f"fill-{n}-{k}", note="x" * 2000) for k in range(50) for state in STATES[:3]]
        path = place.put("outside/events", b"".join(map(text_of, events)))
        run = limited(place, before, "ledger", "append", path, "--json", **more)
        if run.status != 0:
            return events, [json.loads(line) for line in run.out.splitlines()], run
    raise AssertionError("it never became full")


def refused_for_room(run, answers):
    tap.insist(run.status == 74, run)
    tap.insist(answers and "status" not in answers[-1] and answers[-1]["message"] and answers[-1]["code"], run)


@case
def whoever_waits_for_each_answer_gets_each_and_is_told_when_there_is_no_room(place):
    if POSTGRES:
        raise tap.Skip("the server's files")
    place.base
    child = subprocess.Popen(["sh", "-c", 'trap "" XFSZ; ulimit -f 300; exec "$@"', "sh", tap.WRIT, "ledger", "append",
                              "-", "--json"], cwd=place.work, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, env=place.environment({}))
    told = []
    try:
        for n in range(1000):
            child.stdin.write(text_of(place.event(execution=f"e-{n}", note="x" * 2000)))
            child.stdin.flush()
            true(select.select([child.stdout], [], [], 20)[0], f"no answer to event {n}, which was the last")
            answer = json.loads(child.stdout.readline())
            if "status" not in answer:
                break
            told.append(answer["ledger_id"])
        true(answer.get("message") and told, answer)
    finally:
        child.stdin.close()
        status = child.wait(60)
        child.stdout.close()
        child.stderr.close()
    same(status, 74)
    same([entry["ledger_id"] for entry in place.log("--kind", "execution_event")], told)
    place.verify()


@contextlib.contextmanager
def small_disk(path, size):
    path.mkdir(parents=True, exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path], capture_output=True).returncode:
        raise tap.Skip("may not mount")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", path], check=True)


@case
def a_full_disk_is_said_and_leaves_the_ledger_intact(place):
    if POSTGRES:
        raise tap.Skip("the server's disk")
    with small_disk(place.state, "4m"):
        place.base  # the first entry
        events, answers, run = fill(place)
        refused_for_room(run, answers)
        place.verify()  # also while there is no room
        true(place.log(), "nothing can be read")
        subprocess.run(["mount", "-o", "remount,size=64m", place.state], check=True)
        made_good(place, events, answers)


def fill_up(path):
    with contextlib.suppress(OSError), open(path, "wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


@case
def R_001_171_that_it_ran_is_told_from_that_nothing_did_where_the_disk_is_full(place):
    if POSTGRES:
        raise tap.Skip("the server's disk")
    lane, file = ["--class", "generic"], ["--output-file", "made"]  # which cannot be kept, either
    for n, options in enumerate(([], file, lane, lane + file)):
        runs, go = place.work / f"runs{n}", place.work / f"go{n}"
        os.mkfifo(runs)
        os.mkfifo(go)
        with small_disk(place.state, "4m"):
            child = subprocess.Popen([tap.WRIT, "exec", "--json", *options, "--", "/bin/sh", "-c",
                                      f"echo >{runs}; read go <{go}; echo 1 >made; exit 3"], cwd=place.work, text=True,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=place.environment({}))
            runs.read_text()  # it runs, and is on record
            fill_up(place.state / "filler")
            go.write_text("go\n")
            told = json.loads(child.communicate(timeout=60)[0])
            same(child.returncode, 74, told)
            same((told["exit_code"], told["cause"], len(told["execution_id"])), (3, "exited", 36), told)
            true("it ran (exit 3), but its end could not be recorded: " in told["message"], told)
            run = limited(place, [], "exec", "--json", *options, "--", "/bin/touch", "ran")
            same((run.status, (place.work / "ran").exists()), (74, False), run)
            true("exit_code" not in json.loads(run.out) and "nothing ran: " in json.loads(run.out)["message"], run)


@case
def a_file_that_must_not_grow_is_said_and_leaves_the_ledger_intact(place):
    if POSTGRES:
        raise tap.Skip("the server's files")
    place.base
    limit = ["sh", "-c", 'trap "" XFSZ; ulimit -f 2000; exec "$@"', "sh"]
    events, answers, run = fill(place, limit)
    refused_for_room(run, answers)
    made_good(place, events, answers)


@case
def a_place_that_cannot_be_written_is_said_and_can_still_be_read(place):
    if POSTGRES:
        raise tap.Skip("files")
    place.chain("exec-1", *STATES[:3])
    more = place.put("outside/event", text_of(place.event(execution="exec-2")))
    user = ordinary(place)
    for path in place.state.glob("ledger.db*"):
        path.chmod(0o444)
    place.state.chmod(0o555)
    before = place.file.read_bytes()
    run = limited(place, [], "ledger", "append", more, "--json", **user)
    tap.insist(run.status == 74 and b"ledger" in run.out + run.err, run)
    run = limited(place, [], "ledger", "input", more, **user)
    tap.insist(run.status == 74, run)
    same(place.file.read_bytes() == before, True)
    for verb in (["log"], ["verify"], ["show", "exec-1"]):
        run = limited(place, [], *verb, "--json", **user)
        tap.insist(run.status == 0 and run.out, run)
    place.state.chmod(0o755)
    same(place.verify()["entries"], 4)


@contextlib.contextmanager
def read_only_medium(place, log):
    """The state directory, on something that can only be read; the ledger has a log beside it, or none."""
    if POSTGRES:
        raise tap.Skip("files")
    with small_disk(place.state, "16m"):
        place.chain("covered", *STATES[:3])
        same(place.writ("checkpoint").status, 0)
        place.chain("newer", *STATES[:3])
        if not log:
            with contextlib.closing(sqlite3.connect(place.file)) as db:
                db.execute("SELECT 1 FROM entries").fetchone()  # who leaves last takes it away
            same(sorted(path.name for path in place.state.glob("ledger.db*")), ["ledger.db"])
        subprocess.run(["mount", "-o", "remount,ro", place.state], check=True)
        yield


@case
def a_medium_that_is_read_only_is_said_and_can_be_read(place):
    more = place.put("outside/document.json", "{}")
    for log in (False, True):
        with read_only_medium(place, log):
            for verb in (["ledger", "input", more], ["ledger", "append", more], ["checkpoint"]):
                run = place.writ(*verb)
                same(run.status, 74, run)
                true(b"read-only" in run.err.lower(), run)
            same(len(place.log()), place.verify()["entries"])
        place._bases = {}


@case
def what_a_checkpoint_covers_is_proved_where_nothing_can_be_written(place):
    with read_only_medium(place, log=True):
        for whose in ([], ["--tenant", "t-1"]):
            proof = place.one("prove", "covered", *whose)
            path = place.put("outside/proof", json.dumps(proof))
            same(place.writ("verify", "--proof", path, "--key", proof["key"]).status, 0)
            run = place.writ("prove", "newer", *whose)
            same((run.status, run.out), (74, b""), run)
            true(b"read-only" in run.err, run)


@case
def a_checkpoint_that_comes_by_a_pipe_is_read_once(place):
    place.chain("exec-1", *STATES[:3])
    note = place.writ("checkpoint").out
    place.chain("exec-2", *STATES[:3])
    run = place.writ("prove", "--since", "-", stdin=note)
    same((run.status, json.loads(run.out)["old"]), (0, 4), run)


@case
def a_directory_that_does_not_let_a_ledger_in_is_said(place):
    if POSTGRES:
        raise tap.Skip("files")
    document = place.put("outside/document.json", "{}")
    user = ordinary(place)
    place.state.mkdir(mode=0o555)
    run = limited(place, [], "ledger", "input", document, **user)
    tap.insist(run.status == 74 and str(place.state).encode() in run.err, run)
    same(list(place.state.iterdir()), [])


@case
def what_only_the_owner_can_sweep_is_said_and_he_can(place):
    if not POSTGRES:
        raise tap.Skip("a server's roles")
    id, = place.accept(place.event())
    ledger.databases().sql(place.address, "CREATE ROLE guest LOGIN", "GRANT USAGE ON SCHEMA writ TO guest",
                           "GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA writ TO guest")
    guest = place.address.replace("user=keeper", "user=guest")
    for _ in range(2):
        answer = place.one("ledger", "erase", id, "--reason", "r", "--ledger", guest, status=74)
        true("until the owner of writ.entries erases it again" in answer["message"], answer)
    same(place.one("ledger", "erase", id, "--reason", "r")["again"], True)
    same(place.verify()["erased"], 1)


@case
def a_ledger_that_is_not_there_is_said_and_not_made_by_reading(place):
    for verb in (["log"], ["verify"], ["show", "x"], ["export"], ["prove", "x"], ["ledger", "rejects"]):
        run = place.writ(*verb, env={"WRIT_LEDGER": str(place.state / "none.db")})
        tap.insist(run.status == 69 and run.err, tap.Answer(run.status, run.out, run.err, 0))
        true(not (place.state / "none.db").exists(), verb)


if __name__ == "__main__":
    sys.exit(ledger.main(CASES))
