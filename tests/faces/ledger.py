#!/usr/bin/env python3
"""ledger: the verbs of the ledger as people and programs meet them.

usage: ledger.py WRIT      prints TAP
"""
import datetime
import json
import os
import re
import select
import sqlite3
import subprocess
import sys
import unicodedata

import tap
from tap import WRIT, insist
from terminal import COLOUR, STEERS, on_terminal

CASES = []
case = tap.collector(CASES)
STEERING = "\x1b[31mred\x07 \u009b2J \u202eback\nline \x7f"
LONG = "a word and " * 200
WIDE = "\u65e5\u672c\u8a9e" * 40


# ---- a ledger with something in it ----

def stamp(seconds):
    """So many seconds after the inputs were entered."""
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=1, seconds=seconds)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"


class Book:
    """A ledger in a directory of its own."""

    def __init__(self, scratch):
        self.home = scratch
        self.file = scratch / "state" / "ledger.db"
        self.env = {"WRIT_STATE": str(scratch / "state")}
        self.snapshot = stamp(0)

    def writ(self, *args, status=0, **more):
        answer = tap.run([WRIT, *args], env=self.env, cwd=self.home, **more)
        insist(answer.status == status, answer)
        return answer

    def terminal(self, *args, columns=80):
        return on_terminal(args, columns, **self.env)

    def shown(self, *args, columns=80):
        """What a person sees, without its colours."""
        return COLOUR.sub(b"", self.terminal(*args, columns=columns)).decode()

    def lines(self, *args, **more):
        return [json.loads(line) for line in self.writ(*args, **more).out.splitlines()]

    def input(self, text, *args):
        (self.home / "input.yaml").write_text(text)
        return self.writ("ledger", "input", "input.yaml", *args).out.decode().strip()

    def event(self, execution, state, rests_on, seconds=0, **payload):
        return {"tenantId": "acme", "robotId": "robot", "module": "agent-builder",
                "source": "agent-builder", "type": "execution_event", "state": state,
                "createdAt": stamp(seconds),
                "payload": {"executionId": execution, "workflowVersion": "1", "agentVersion": "1",
                            "executionContractVersion": "v1", "attempt": 1, "target": "site",
                            "action": "build", "snapshotAt": self.snapshot,
                            "coherenceStatus": "coherent", "dryRun": True, **payload},
                "lineage": {"dependsOnLedgerIds": [rests_on]}}

    def append(self, *events, status=0):
        (self.home / "events.jsonl").write_text("".join(json.dumps(e) + "\n" for e in events))
        return self.lines("ledger", "append", "events.jsonl", status=status)

    def run(self, execution, end, rests_on, **payload):
        """A whole execution."""
        work = {key: payload[key] for key in ("target", "action") if key in payload}
        return self.append(self.event(execution, "planned", rests_on, **work),
                           self.event(execution, "running", rests_on, 1, **work),
                           self.event(execution, end, rests_on, 4, **payload))


def filled(scratch):
    """One execution of each end, what strangers may write, and a refusal."""
    book = Book(scratch)
    rests_on = book.input("name: audit\n", "--subject", "plan:audit", "--tenant", "acme")
    book.run("good-run", "succeeded", rests_on, durationMs=3000,
             result={"exit_code": 0, "memory_peak_bytes": 222298112, "digest": "sha256:" + "ab" * 32})
    book.run("bad-run", "failed", rests_on, durationMs=90,
             error={"code": "BAD", "message": LONG, "retryable": True})
    book.run("stopped-run", "cancelled", rests_on, cancelReason="by hand")
    book.run(STEERING, "succeeded", rests_on, target=STEERING, action=STEERING,
             result={STEERING: STEERING})
    book.run("wide-run", "succeeded", rests_on, action=WIDE, durationMs=1, result={WIDE: WIDE})
    book.append(book.event("never", "succeeded", rests_on), status=1)
    return book, rests_on


def columns_of(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


# ---- reading ----

@case
def log_in_a_pipe(scratch):
    """log in a pipe has a line for each entry, whole and without colours"""
    book, rests_on = filled(scratch)
    out = book.writ("log", "--limit", "0").out.decode()
    rows = out.splitlines()
    assert len(rows) == 1 + 16, out
    assert not COLOUR.search(out.encode()) and not STEERS.search(out.encode()), out
    assert re.match(r"^ *0  \S+Z  " + rests_on + r" +input +plan:audit  audit$", rows[1]), rows[1]
    assert re.match(r"^ *1  \S+Z  good-run +planned +site build$", rows[2]), rows[2]
    assert re.match(r"^ *3  \S+Z  good-run +succeeded +site build +3.0 s +212 MB$", rows[4]), rows[4]
    assert LONG in rows[7] and "BAD  " in rows[7], rows[7]
    assert rows[10].endswith("cancelled  by hand"), rows[10]
    assert not any(row != row.rstrip() for row in rows), out


@case
def log_with_a_long_id(scratch):
    """in a pipe a long id is whole, and the lines of others are as wide as without it"""
    book, rests_on = filled(scratch)
    before, name = book.writ("log", "--limit", "0").out.decode(), "long" * 4000
    book.append(book.event(name, "planned", rests_on))
    *others, last = book.writ("log", "--limit", "0").out.decode().splitlines()
    assert last.split() == ["17", last.split()[1], name, "planned", *before.splitlines()[2].split()[4:]], last[-100:]
    assert [row.split() for row in others] == [row.split() for row in before.splitlines()], others[1][:200]
    assert max(map(len, others)) <= max(map(len, before.splitlines())) + 60, max(map(len, others))


@case
def log_narrowed(scratch):
    """log shows what was asked for, and the newest 20 otherwise"""
    book, rests_on = filled(scratch)

    def seqs(*args, **more):
        return [entry["seq"] for entry in book.lines("log", "--json", *args, **more)]

    assert seqs() == list(range(16))
    assert seqs("--limit", "3") == [13, 14, 15]
    assert seqs("--state", "failed") == [6]
    assert seqs("--execution", "good-run") == [1, 2, 3]
    assert seqs("--kind", "input") == [0]
    assert seqs("--tenant", "acme", "--robot", "robot", "--state", "cancelled") == [9]
    assert seqs("--since", "1h") == list(range(16)) and seqs("--until", "1h") == []
    assert seqs("--until", "2001-01-01") == []
    # the first moment of the clock, and those before there were years, are moments like any other
    assert seqs("--until", "1970-01-01T00:00:00Z") == [] and seqs("--until", "1000000d") == []
    for since in ("1970-01-01T00:00:00Z", "1960-01-01", "1000000d"):
        assert seqs("--since", since) == list(range(16)), since
    assert seqs("--limit", str((1 << 53) - 1)) == list(range(16))
    for limit in (str(1 << 53), str((1 << 63) - 1), str(1 << 64), "-1", "", "1e3"):
        insist(b"--limit is a whole number up to " in book.writ("log", "--limit", limit, status=64).err, book.writ("log"))
    for _ in range(8):
        book.input(f"n: {_}\n", "--subject", str(_))
    assert seqs() == [*range(4, 16), *range(17, 25)] and len(seqs("--limit", "0")) == 24
    insist(b"no entry" in book.writ("log", "--state", "planned", "--robot", "nobody").err, book.writ("log"))
    insist(b"kind" in book.writ("log", "--kind", "nix", status=64).err, book.writ("log"))
    insist(b"there is no ledger" in book.writ("log", "--ledger", "no.db", status=69).err, book.writ("log"))


@case
def nothing_wraps(scratch):
    """on a terminal no line is longer than it is wide or ends in blanks, and nothing steers it"""
    book, rests_on = filled(scratch)
    ids = [entry["ledger_id"] for entry in book.lines("log", "--json")]
    for columns in (64, 80, 100, 200):
        for args in (["log"], ["show", "good-run"], ["show", "bad-run"], ["show", STEERING],
                     ["show", "wide-run"], ["ledger", "rejects"], ["verify"],
                     *(["show", ids[i]] for i in (0, 3, 6, 12, 15))):
            text = book.terminal(*args, columns=columns)
            assert not STEERS.search(COLOUR.sub(b"", text)), (args, text)
            for line in COLOUR.sub(b"", text).decode().splitlines():
                assert columns_of(line) <= columns, (columns, args, line)
                assert args[-1] in ids or not line.endswith(" "), (columns, args, line)


@case
def json_on_a_terminal(scratch):
    """JSON on a terminal steers nothing, and in a pipe it is exact"""
    book, rests_on = filled(scratch)
    for args in (["log", "--json", "--execution", STEERING], ["show", STEERING, "--json"],
                 ["export", "--execution", STEERING], ["prove", STEERING]):
        assert not STEERS.search(COLOUR.sub(b"", book.terminal(*args))), args
        exact = json.loads(book.writ(*args).out.splitlines()[-1])
        assert STEERING in json.dumps(exact, ensure_ascii=False).encode().decode("unicode_escape") \
            or json.dumps(STEERING)[1:-1] in json.dumps(exact), args


@case
def log_for_people(scratch):
    """log for people has short ids, the day once, and colours for states"""
    book, rests_on = filled(scratch)
    text = book.terminal("log", columns=100)
    plain = COLOUR.sub(b"", text).decode().splitlines()
    assert plain[0].split() == ["seq", "when", "id", "state", "what"], plain[0]
    days = [line for line in plain if re.match(r"^\d{4}-\d\d-\d\d$", line)]
    assert 1 <= len(days) <= 2, plain
    assert any(re.match(rf"^ *0  \d\d:\d\d:\d\d  {rests_on[:12]} +input", line) for line in plain), plain
    for state, colour in (("succeeded", 32), ("failed", 31), ("cancelled", 2), ("running", 36)):
        assert f"\x1b[{colour}m{state}\x1b[0m" in text.decode(), state
    running = [line for line in plain if " running" in line]
    assert all(line.endswith("running") for line in running), running


@case
def show_an_execution(scratch):
    """show tells an execution from plan to end, and what it rests on"""
    book, rests_on = filled(scratch)
    good, bad = book.shown("show", "good-run"), book.shown("show", "bad-run", columns=100)
    assert re.match(r"succeeded  site build\n.* UTC, took 3.0 s, at most 212 MB\n\n", good), good
    bars = [line for line in good.splitlines() if re.match(r"^  led-[0-9a-f]{8}  ", line)]
    assert [bar.split()[1] for bar in bars] == ["planned", "running", "succeeded"], good
    assert "─" in bars[0] and "█" in bars[1] and bars[2].endswith("✓"), bars
    assert bars[1].count("█") > 2 * bars[0].count("─"), bars  # 3 s and 1 s
    assert re.search(rf"\n  rests on +{rests_on[:12]}  input ", good), good
    assert re.search(r"\n +exit_code +0\n", good), good
    assert re.search(r"\n  digests +\S+  sha256:abab", good), good
    assert "writ prove good-run" in good, good
    assert "may be tried again" in bad and "BAD: a word" in bad, bad
    assert "by hand" in book.shown("show", "stopped-run")
    piped = book.writ("show", "good-run").out.decode()
    assert "█" not in piped and rests_on in piped and "writ prove" not in piped, piped
    assert not any(line != line.rstrip() for line in piped.splitlines()), piped
    answer = json.loads(book.writ("show", "good-run", "--json").out)
    assert answer["what"] == "execution" and len(answer["events"]) == 3, answer


@case
def show_a_long_lineage(scratch):
    """show says when there are more entries in a lineage than it tells"""
    book = Book(scratch)
    rests_on = book.input("name: audit\n", "--subject", "plan:audit", "--tenant", "acme")
    book.append(*(book.event(f"run-{n}", "planned", rests_on) for n in range(256)))
    assert "and more" not in book.shown("show", rests_on), "256 are all"
    book.append(book.event("run-256", "planned", rests_on))
    text = book.shown("show", rests_on)
    assert re.search(r"\n +and more: at most 256 of each are shown\n", text), text[-600:]
    assert "and more" in book.writ("show", rests_on).out.decode()


@case
def show_an_entry(scratch):
    """show has an entry's header and its body, or that it was erased"""
    book, rests_on = filled(scratch)
    text = book.shown("show", rests_on[:12], columns=100)
    assert text.startswith("input  plan:audit  audit\n"), text
    assert re.search(rf"\n  id +{rests_on}\n  seq +0\n", text), text
    assert '\n{"name":"audit"}\n' in text, text
    assert re.search(r"\n  used by +led-", text), text
    done = book.writ("ledger", "erase", rests_on, "--reason", "a secret").out.decode()
    assert done.startswith("erased  ") and rests_on in done, done
    assert "the body was erased" in book.shown("show", rests_on)
    assert re.search(r"note .* a secret\n", book.writ("log").out.decode())
    assert re.search(r"input +plan:audit \(erased\)\n", book.writ("log").out.decode())
    assert b" (1 erased), " in book.writ("verify").out
    again = book.writ("ledger", "erase", rests_on, "--reason", "b").out
    insist(b"was before recorded as" in b" ".join(again.split()), book.writ("verify"))


@case
def unknown_ids(scratch):
    """an id that is none, or more than one, is answered with 1"""
    book, rests_on = filled(scratch)
    insist(b"nothing in the ledger" in book.writ("show", "no-such-thing", status=1).err, book.writ("log"))
    insist(b"nothing in the ledger" in book.writ("prove", "no-such-thing", status=1).err, book.writ("log"))
    for short, needs in (("good-r", b"needs 8 characters\n"), (rests_on[:11], b"needs 8 characters after led-\n")):
        for verb in ("show", "prove"):
            insist(needs in book.writ(verb, short, status=1).err, book.writ("log"))
    insist(b"needs 8" not in book.writ("show", "no-such-thing", status=1).err, book.writ("log"))
    nobody = "led-00000000-0000-4000-8000-000000000000"
    for verb, *more in (["show"], ["prove"], ["diff"], ["commit"], ["discard"], ["cancel"],
                        ["ledger", "erase", "--reason", "r"]):
        none = book.writ(verb, *more, nobody, "--json", status=1)
        code = json.loads(none.out)["code"]
        insist(code == ("LANE_NOT_RUNNING" if verb == "cancel" else "ENTRY_UNKNOWN"), none)
    for name in ("same-one-1", "same-one-2"):
        book.append(book.event(name, "planned", rests_on))
    both = book.writ("show", "same-one", status=1)
    insist(b"same-one-1" in both.err and b"same-one-2" in both.err and not both.out, both)
    assert b"give more of its id" in both.err, both
    assert json.loads(book.writ("show", "same-one", "--json", status=1).out)["candidates"]


@case
def a_whole_id_wins(scratch):
    """an id is found whole, however many others begin with it; else 8 characters and more will do"""
    book, rests_on = filled(scratch)
    many = [f"build-77{n:02}" for n in range(20)]
    book.append(*(book.event(name, "planned", rests_on) for name in [*many, "build-77"]))
    assert json.loads(book.writ("show", "build-77", "--json").out)["execution"] == "build-77"
    assert json.loads(book.writ("prove", "build-77").out)["body"]["payload"]["executionId"] == "build-77"
    for typed, found in (("build-77", ["build-77"]), ("build-770", many[:10]), ("build-7713", ["build-7713"]),
                         ("build-7", []), ("build-777", [])):
        for limit in ("0", "10"):
            listed = [line["subject"] for line in book.lines("log", "--json", "--limit", limit, "--execution", typed)]
            assert listed == found, (typed, listed)
    # of one tenant, only what is that tenant's can be meant
    book.append(book.event("build-7700", "planned", rests_on) | {"tenantId": "umbrella"})
    listed = book.lines("log", "--json", "--execution", "build-77", "--tenant", "umbrella")
    assert [line["subject"] for line in listed] == ["build-7700"], listed


@case
def a_checkpoint_tells_its_key(scratch):
    """the key for --key is told where a note goes into a file, and nothing in a script"""
    book, _ = filled(scratch)
    key = json.loads(book.writ("checkpoint", "--json").out)["key"]
    said = COLOUR.sub(b"", on_terminal(["checkpoint"], where=("err",), **book.env)).decode()
    assert said.split() == ["signed", "by", key], said
    assert book.writ("checkpoint").err == b""


@case
def an_empty_name_is_nobodys(scratch):
    """what a script gives whose variable is not set is not everything, nor the only one there is"""
    book, rests_on = filled(scratch)
    for verb in ("log", "export"):
        for option in ("execution", "tenant", "robot", "kind", "state"):
            none = book.writ(verb, f"--{option}", "", status=64)
            insist(f"{option} is empty: ".encode() in none.err and not none.out, none)
    for verb in ("show", "prove"):
        for option in ("tenant", "robot"):
            told = json.loads(book.writ(verb, "good-run", f"--{option}", "", "--json", status=64).out)
            assert told["code"] == "USAGE" and option in told["message"], told
    alone = Book(scratch / "alone")
    alone.home.mkdir()
    rests_on = alone.input("a: 1\n")
    alone.append(alone.event("the-only-one", "planned", rests_on) | {"tenantId": "local"})
    for verb in ("show", "prove", "diff", "commit"):
        none = alone.writ(verb, "", status=1)
        insist(not none.out and b" called " in none.err, none)


@case
def one_id_of_two_tenants(scratch):
    """an execution id that two tenants or two robots use is shown and proved with --tenant and --robot"""
    book, rests_on = filled(scratch)
    owners = [("acme", "robot"), ("acme", "other"), ("umbrella", "robot")]
    for tenant, robot in owners:
        book.append(book.event("shared", "planned", rests_on) | {"tenantId": tenant, "robotId": robot})
    for verb in ("show", "prove"):
        for args, option in (([], b"--tenant"), (["--tenant", "acme"], b"--robot")):
            many = book.writ(verb, "shared", *args, status=1)
            insist(option in many.err and not many.out, many)
            named = [(t, r) for t, r in owners if f"(tenant {t}, robot {r})".encode() in many.err]
            assert named == (owners[:2] if args else owners), many
            told = json.loads(book.writ(verb, "shared", *args, "--json", status=1).out)
            assert told["code"] == "ENTRY_AMBIGUOUS" and len(told["candidates"]) == len(named), told
        none = book.writ(verb, "shared", "--tenant", "nobody", status=1)
        insist(b"nothing of tenant 'nobody' in the ledger is called" in none.err, none)
    for tenant, robot in owners:
        args = ["shared", "--tenant", tenant, "--robot", robot]
        shown = json.loads(book.writ("show", *args, "--json").out)
        assert (shown["tenant"], shown["robot"], len(shown["events"])) == (tenant, robot, 1), shown
        body = json.loads(book.writ("prove", *args).out)["body"]
        assert (body["tenantId"], body["robotId"]) == (tenant, robot), body
        entry = shown["events"][0]["ledger_id"]
        book.writ("show", entry, "--tenant", tenant)
        book.writ("show", entry, "--tenant", "nobody", status=1)
        assert len(book.lines("log", "--json", "--execution", "shared", "--tenant", tenant, "--robot", robot)) == 1
    assert json.loads(book.writ("show", "shared", "--tenant", "umbrella", "--json").out)["robot"] == "robot"
    (book.home / "note").write_bytes(book.writ("checkpoint").out)
    insist(b"--since is about the whole ledger" in
           book.writ("prove", "--since", "note", "--tenant", "acme", status=64).err, book.writ("log"))


# ---- writing ----

@case
def append_answers(scratch):
    """append answers each event as it came: JSON lines in a pipe, words on a terminal"""
    book, rests_on = filled(scratch)
    planned = book.event("x", "planned", rests_on)
    answers = book.append(planned, planned, book.event("x", "succeeded", rests_on), status=1)
    assert [answer["status"] for answer in answers] == ["appended", "duplicate", "refused"], answers
    assert answers[0]["ledger_id"] == answers[1]["ledger_id"] and answers[2]["code"], answers
    text = book.shown("ledger", "append", str(book.home / "events.jsonl"), columns=100)
    assert re.search(r"\n2 duplicate, 1 refused\n$", text), text
    assert re.search(r"✗ refused +line 3\n +/", text), text
    assert book.terminal("ledger", "append", "--json", str(book.home / "events.jsonl")).startswith(b"{")
    for args, status, code, words in ((["events.jsonl", "--policy", "nix"], 64, "USAGE", b"policy is block"),
                                      (["nosuchfile"], 65, "IO", b"'nosuchfile' cannot be read: No such file"),
                                      (["."], 65, "IO", b"'.' is a directory, expected a file"),
                                      (["/proc/self/mem"], 65, "IO", b"the events cannot be read further: ")):
        # why there is no answer is no answer: it is said, and told to programs that ask for it
        said = book.writ("ledger", "append", *args, status=status)
        insist(words in said.err and said.err.startswith(b"writ: ") and not said.out, said)
        told = book.writ("ledger", "append", *args, "--json", status=status)
        insist(set(json.loads(told.out)) == {"code", "message"} and json.loads(told.out)["code"] == code, told)
        insist(not told.err, told)
    rejects = book.lines("ledger", "rejects", "--json")
    assert [r["subject"] for r in rejects] == ["never", "x", "x", "x"], rejects
    assert len(book.lines("ledger", "rejects", "--json", "--limit", "1")) == 1
    assert book.writ("ledger", "rejects").out.count(b"\n") == 4


@case
def append_answers_at_once(scratch):
    """a line that is nothing is answered before the next one comes, and a long one is read once"""
    book, rests_on = filled(scratch)
    child = subprocess.Popen([WRIT, "ledger", "append", "-"], env=tap.ENV | book.env, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    try:
        for line in (b"garbage\n", b'{"a": 1}\n', b'{"a": \n'):
            child.stdin.write(line)
            child.stdin.flush()
            assert select.select([child.stdout], [], [], 10)[0], line
            assert json.loads(child.stdout.readline())["status"] == "refused"
    finally:
        child.kill()
        child.communicate()
    laid_out = json.dumps(book.event("\u65e5\u672c", "planned", rests_on), ensure_ascii=False, indent=1)
    for text in (laid_out, "\n" + laid_out.replace("\n", "\r\n")):
        (book.home / "event.json").write_text(text)
        answer, = book.lines("ledger", "append", "event.json")
        assert answer["execution"] == "\u65e5\u672c", answer
    long = f"head -c 200000000 /dev/zero | tr '\\0' x | {WRIT} ledger append -"
    answer = tap.run(long, env=book.env, cwd=book.home, seconds=60)
    insist(answer.status == 1 and json.loads(answer.out)["code"] == "CEILING", answer)


@case
def inputs(scratch):
    """input prints an id, the same one for the same document"""
    book = Book(scratch)
    first, again = book.input("a: 1\n"), book.input("a: 1\n")
    assert re.match(r"^led-[0-9a-f-]{36}$", first) and first == again, (first, again)
    assert book.input("a: 2\n") != first
    (book.home / "bad.yaml").write_text("a: [\n")
    bad = book.writ("ledger", "input", "bad.yaml", status=65)
    insist(b"bad.yaml:" in bad.err and not bad.out, bad)
    told = json.loads(book.writ("ledger", "input", "input.yaml", "--json").out)
    assert told["status"] == "duplicate" and told["subject"] == "input.yaml", told


@case
def inputs_that_become_too_large(scratch):
    """a document whose canonical form does not fit in an entry is refused, and no part of it is entered"""
    book = Book(scratch)
    (book.home / "many.yaml").write_text(f"a: &a {'x' * 2_000_000}\nb:\n" + "- *a\n" * 140)
    told = json.loads(book.writ("ledger", "input", "many.yaml", "--json", status=65).out)
    assert told["code"] == "CEILING" and "268435456 bytes" in told["message"], told
    assert not book.lines("log", "--json")


@case
def inputs_without_a_name(scratch):
    """what an input is about and whose it is can be found and proved, or it is not entered"""
    book, entries = Book(scratch), 1
    book.input("a: 1\n", "--subject", "ein Plan: \u65e5\u672c")
    (book.home / os.fsdecode(b"a\xff")).write_text("a: 1")
    for args, option in ((["input.yaml", "--subject", ""], "subject"), (["input.yaml", "--tenant", ""], "tenant"),
                         (["input.yaml", "--subject", b"a\xffb"], "subject"), ([b"a\xff"], "subject"),
                         (["input.yaml", "--tenant", b"\xf0\x9f"], "tenant")):
        said = book.writ("ledger", "input", *args, status=64)
        insist(f"give another name with --{option}".encode() in said.err and not said.out, said)
        told = json.loads(book.writ("ledger", "input", *args, "--json", status=64).out)
        assert told["code"] == "USAGE" and told["message"], told
    assert len(book.lines("log", "--json")) == entries
    book.writ("ledger", "input", b"a\xff", "--subject", "a")
    for entry in book.lines("log", "--json"):
        (book.home / "proof.json").write_bytes(book.writ("prove", entry["ledger_id"]).out)
        key = json.loads((book.home / "proof.json").read_bytes())["key"]
        book.writ("verify", "--proof", "proof.json", "--key", key)


# ---- proving ----

@case
def fast_clock(scratch):
    """verify tells that the last entry lies ahead of this clock"""
    book, _ = filled(scratch)
    newest = json.loads(book.writ("verify", "--json").out)["newest"]
    assert newest == json.loads(book.writ("ledger", "rejects", "--limit", "1", "--json").out)["recordedAt"], newest
    db = sqlite3.connect(book.file)
    for (guard,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        db.execute(f"DROP TRIGGER {guard}")
    db.execute("UPDATE entries SET recorded = recorded + 300000 WHERE seq = 16")
    db.commit()
    db.close()
    answer = book.writ("verify", status=1)
    insist(b"ahead of this clock" in b" ".join(answer.out.split()), answer)


@case
def verify_and_checkpoint(scratch):
    """verify: one line when intact, with the checkpoint that was kept elsewhere"""
    book, rests_on = filled(scratch)
    assert re.match(rb"^intact  17 entries, root [0-9a-f]{64}\n$", book.writ("verify").out)
    note = book.writ("checkpoint").out
    assert note.count(b"\n") >= 5 and note.endswith(b"=\n") and b"\n17\n" in note, note
    assert json.loads(book.writ("checkpoint", "--json").out)["size"] == 17
    (book.home / "note").write_bytes(note)
    book.input("b: 1\n")
    start = rb"^intact  18 entries, root [0-9a-f]{64}, checkpoint \S+Z holds"
    some, rest = rb" 17 of 18 entries", rb"; the rest has none yet: writ checkpoint"
    for given in ([], ["--checkpoint", "note"]):
        line = book.writ("verify", *given).out
        assert re.match(start + some + rest + rb"\n$", line), line
    assert json.loads(book.writ("verify", "--json").out)["covered"] == 17
    book.writ("checkpoint")
    for given, then in (([], b""), (["--checkpoint", "note"], some)):
        line = book.writ("verify", *given).out
        assert re.match(start + then + rb"\n$", line), line
    assert json.loads(book.writ("verify", "--json").out)["covered"] == 18
    assert "also shows" in book.shown("verify") and "also shows" not in book.shown(
        "verify", "--checkpoint", str(book.home / "note"))
    book.writ("verify", "--checkpoint", "nix", status=65)
    assert not (book.home / "none.db").exists()
    book.writ("checkpoint", "--ledger", "none.db", status=69)
    book.writ("prove", "x", "--ledger", "none.db", status=69)
    book.writ("ledger", "erase", rests_on, "--reason", "x", "--ledger", "none.db", status=69)
    assert not (book.home / "none.db").exists()


@case
def proofs(scratch):
    """a proof is checked without the ledger, and one that was changed does not hold"""
    book, rests_on = filled(scratch)
    proof = book.writ("prove", "good-run").out
    (book.home / "proof.json").write_bytes(proof)
    key = json.loads(proof)["key"]
    nowhere = tap.run([WRIT, "verify", "--proof", book.home / "proof.json"], cwd=scratch)
    insist(nowhere.status == 69 and nowhere.out.startswith(b"not judged  entry 3 ") and
           b"nobody vouches" in nowhere.out, nowhere)
    sure = book.writ("verify", "--proof", "proof.json", "--key", key).out
    assert b"vouches" not in sure and sure.startswith(b"holds  "), sure
    changed = json.loads(proof)
    changed["body"]["state"] = "failed"
    (book.home / "proof.json").write_text(json.dumps(changed))
    assert book.writ("verify", "--proof", "proof.json", status=1).out.startswith(b"does not hold  ")
    (book.home / "proof.json").write_text("{")
    book.writ("verify", "--proof", "proof.json", status=65)
    (book.home / "note").write_bytes(book.writ("checkpoint").out)
    book.input("c: 1\n")
    (book.home / "since.json").write_bytes(book.writ("prove", "--since", "note").out)
    assert book.writ("verify", "--proof", "since.json", "--key", key).out.startswith(
        b"holds  the first 17 of 18 entries ")


@case
def no_checkpoint_and_no_proof(scratch):
    """a file that is no checkpoint, or no proof, says nothing about the ledger"""
    book, rests_on = filled(scratch)
    note = book.writ("checkpoint").out
    (book.home / "some.json").write_text('{"a":1}')
    (book.home / "short").write_bytes(note[:len(note) // 2])
    for file in ("/dev/null", "some.json", "short"):
        for args in (["verify", "--checkpoint", file], ["prove", "--since", file]):
            answer = book.writ(*args, status=65)
            insist(f"'{file}' is no checkpoint (".encode() in answer.err and not answer.out, answer)
    for file in ("some.json", "input.yaml"):
        answer = book.writ("verify", "--proof", file, status=65)
        insist(f"'{file}' is no proof: ".encode() in answer.err and not answer.out, answer)
    told = json.loads(book.writ("verify", "--proof", "some.json", "--json", status=65).out)
    assert told["code"] == "SYNTAX" and "holds" not in told, told
    book.writ("verify", "--proof", "/dev/null", status=65)
    book.writ("verify")


def change_body(book, seq, was, becomes):
    """What somebody does who can write the file."""
    db = sqlite3.connect(book.file)
    tables = {name: [row[1] for row in db.execute(f"pragma table_info({name})")] for (name,) in
              db.execute("select name from sqlite_master where type = 'table'").fetchall()}
    table = next(name for name, columns in tables.items() if {"seq", "body"} <= set(columns))
    for (name,) in db.execute("select name from sqlite_master where type = 'trigger'").fetchall():
        db.execute(f'drop trigger "{name}"')
    db.execute(f"update {table} set body = replace(cast(body as text), ?, ?) where seq = ?", (was, becomes, seq))
    db.commit()
    db.close()


@case
def no_proof_that_does_not_hold(scratch):
    """what is handed out as a proof holds: of what was changed, and since another's checkpoint, there is none"""
    book, rests_on = filled(scratch)
    other = Book(scratch / "other")
    other.home.mkdir()
    other.input("a: 1\n")
    (book.home / "theirs").write_bytes(other.writ("checkpoint").out)
    none = book.writ("prove", "--since", "theirs", status=1)
    insist(b"'theirs' is of another ledger, writ/" in none.err and not none.out, none)
    assert json.loads(book.writ("prove", "--since", "theirs", "--json", status=1).out)["code"] == "ENTRY_UNKNOWN"
    note = book.writ("checkpoint").out
    (book.home / "forged").write_bytes(note.replace(b"\n17\n", b"\n15\n"))
    none = book.writ("prove", "--since", "forged", status=1)
    insist(b"not as this ledger signed it: " in none.err and not none.out, none)
    entry = book.lines("log", "--json")[9]["ledger_id"]
    book.writ("prove", entry)
    change_body(book, 9, "by hand", "by foot")
    for args in ([entry], ["stopped-run"]):
        none = book.writ("prove", *args, status=1)
        insist(b"it cannot be proved: " in none.err and b"writ verify" in none.err and not none.out, none)
        assert json.loads(book.writ("prove", *args, "--json", status=1).out)["code"] == "LEDGER_DAMAGED"
    book.writ("prove", "good-run")  # its path does not lead there


@case
def not_intact(scratch):
    """verify names the first entry that does not fit, why, and what to do"""
    book, rests_on = filled(scratch)
    change_body(book, 9, "by hand", "by foot")
    told = book.writ("verify", status=1).out.decode()
    assert re.match(r"^not intact  entry 9 \(led-\S+\): .+\n            .*keep this ledger", told), told
    assert json.loads(book.writ("verify", "--json", status=1).out)["problem"]["seq"] == 9


@case
def what_lies_beside(scratch):
    """the checkpoint beside the ledger is held against it, and what lies there instead is no yes"""
    book, rests_on = filled(scratch)
    book.writ("checkpoint")
    beside, = (path for path in (book.home / "state/checkpoints").iterdir() if not path.name.startswith("at-"))
    note = beside.read_bytes()
    for text in (b"", b"garbage", b"x" * 2_000_000):
        beside.write_bytes(text)
        told = book.writ("verify", status=1)
        insist(told.out.startswith(b"not intact  the checkpoint that is kept beside the ledger does not hold: "), told)
    beside.unlink()
    book.writ("verify")  # the ledger has it as well
    beside.mkdir()
    told = json.loads(book.writ("verify", "--json", status=1).out)
    assert "is a directory" in told["problem"]["message"] and str(beside) in told["problem"]["message"], told
    beside.rmdir()
    beside.symlink_to(beside.name)  # cannot be read, by nobody
    told = book.writ("verify", status=69)
    insist(b"kept beside the ledger" in told.err and not told.out, told)
    beside.unlink()
    beside.write_bytes(note)
    book.writ("verify")


@case
def no_ledger_any_more(scratch):
    """verify of a file that cannot be read as a ledger: not intact; of none: there is none"""
    book, rests_on = filled(scratch)
    db = sqlite3.connect(book.file)
    db.execute("pragma wal_checkpoint(truncate)")
    db.close()
    whole = book.file.read_bytes()
    assert len(whole) > 50000, len(whole)
    for left in (whole[:50000], whole[:100], b"", b"garbage " * 1000, whole[:100] + bytes(len(whole) - 100)):
        for beside in book.file.parent.glob("ledger.db-*"):
            beside.unlink()
        book.file.write_bytes(left)
        told = book.writ("verify", status=1)
        insist(re.match(rb"not intact  .*(damaged|not a ledger)", told.out, re.S) and not told.err, told)
        answer = json.loads(book.writ("verify", "--json", status=1).out)
        assert answer["intact"] is False and answer["problem"]["message"], answer
    for status, args in ((69, ["log"]), (69, ["checkpoint"])):
        told = book.writ(*args, status=status)
        insist(b"damaged" in told.err and b"begin one" not in told.err, told)
    os.mkfifo(book.home / "pipe")
    for args in (["log"], ["verify"], ["ledger", "input", "input.yaml"]):
        told = book.writ(*args, "--ledger", "pipe", status={"log": 69, "verify": 1, "ledger": 74}[args[0]])
        insist(b"'pipe' is not a ledger" in told.err + told.out, told)
    for args in (["verify"], ["log"]):
        none = book.writ(*args, "--ledger", "no.db", status=69)
        insist(b"there is no ledger at" in none.err and b"begin one" in none.err, none)


@case
def exports(scratch):
    """export gives every entry, or a statement for each execution that ended"""
    book, rests_on = filled(scratch)
    assert [entry["seq"] for entry in book.lines("export")] == list(range(17))
    statements = book.lines("export", "--format", "in-toto")
    assert len(statements) == 5 and all("predicate" in s for s in statements), statements
    book.append(book.event("begun", "planned", rests_on))
    end = book.lines("log", "--json", "--execution", "good-run")[-1]["ledger_id"]
    book.writ("ledger", "erase", end, "--reason", "a secret")
    for execution, why in (("nope", "no entry is like that"), ("begun", "executions that ended"),
                           ("good-run", "was erased")):
        none = book.writ("export", "--format", "in-toto", "--execution", execution)
        insist(not none.out and "nothing was exported: " in none.err.decode() and why in none.err.decode(), none)
    insist(b"nothing was exported" in book.writ("export", "--execution", "nope").err, none)
    assert not book.writ("export", "--format", "in-toto").err


@case
def show_what_was_erased(scratch):
    """show tells of an erased body when and why, and which note says so"""
    book, rests_on = filled(scratch)
    end = book.lines("log", "--json", "--execution", "good-run")[-1]["ledger_id"]
    for id, of in ((end, "good-run"), (rests_on, rests_on)):
        note = json.loads(book.writ("ledger", "erase", id, "--reason", "a secret", "--json").out)["ledger_id"]
        line = rf"\n  erased +{id}  \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d  a secret \(the note is {note}\)\n"
        for args in ([id], [of]):
            text = book.writ("show", *args).out.decode()
            assert re.search(line, text), text
        told, = json.loads(book.writ("show", of, "--json").out)["erasures"]
        assert (told["erases"], told["ledger_id"], told["reason"]) == (id, note, "a secret"), told
    assert "erased" in book.shown("show", "good-run")
    assert json.loads(book.writ("show", "bad-run", "--json").out)["erasures"] == []


if __name__ == "__main__":
    sys.exit(tap.play(CASES))
