#!/usr/bin/env python3
"""refusals: whatever verb could not do its work, a program finds code and message in the same place.

usage: refusals.py WRIT      prints TAP

With --json there is one object on standard output and nothing on standard error, but the words for who typed
a wrong command line; its code is a row of `writ explain codes`. Without --json nothing but `writ check` says on standard output what is wrong.
"""
import json
import os
import pathlib
import sys
import tempfile

import tap

NO, USAGE, WRONG, UNAVAILABLE, DENIED = 1, 64, 65, 69, 77
REFUSALS = [  # what is typed, the exit status, the code
    ("exec -f nosuch", WRONG, "IO"),
    ("run nosuch", WRONG, "IO"),
    ("run - </", WRONG, "IO"),
    ("run a.json", WRONG, "INVALID_PAYLOAD"),
    ("run used.json", DENIED, "EXECUTION_USED"),
    ("run - </dev/zero", WRONG, "CEILING"),
    ("check - </", WRONG, "IO"),
    ("ledger append - </", WRONG, "IO"),
    ("call nosuch.search", USAGE, "ADAPTER_UNKNOWN"),
    ("apply nosuch", USAGE, "EXECUTOR_UNKNOWN"),
    ("apply json_select --payload nosuch", WRONG, "IO"),
    ("plan show nosuch", WRONG, "IO"),
    ("plan graph nosuch", WRONG, "IO"),
    ("check nosuch", WRONG, "IO"),
    ("check a.json", WRONG, "KIND_UNKNOWN"),
    ("check a.json --as nosuch", USAGE, "KIND_UNKNOWN"),
    ("check a.json --schema nosuch", WRONG, "IO"),
    ("canon nosuch", WRONG, "IO"),
    ("digest twice.json", WRONG, "DUPLICATE_KEY"),
    ("query $ nosuch", WRONG, "IO"),
    ("query $[ a.json", USAGE, "SYNTAX"),
    ("explain nosuch", USAGE, "TOPIC_UNKNOWN"),
    ("ledger append nosuch", WRONG, "IO"),
    ("ledger append a.json --policy nosuch", USAGE, "USAGE"),
    ("ledger input nosuch", WRONG, "IO"),
    ("ledger erase led-1 --reason why", USAGE, "ENTRY_UNKNOWN"),
    ("ledger rejects --ledger nosuch", UNAVAILABLE, "LEDGER_MISSING"),
    ("log --ledger nosuch", UNAVAILABLE, "LEDGER_MISSING"),
    ("log --ledger mysql://nosuch", USAGE, "USAGE"),
    ("run a.json --ledger mysql://nosuch", USAGE, "USAGE"),
    ("apply json_select --payload a.json --ledger mysql://nosuch", USAGE, "USAGE"),
    ("call jq.filter --ledger mysql://nosuch", USAGE, "USAGE"),
    ("ledger append a.json --ledger mysql://nosuch", USAGE, "USAGE"),
    ("log --kind nosuch", USAGE, "USAGE"),
    ("show nosuch-one", NO, "ENTRY_UNKNOWN"),
    ("prove nosuch-one", NO, "ENTRY_UNKNOWN"),
    ("prove --since nosuch", WRONG, "IO"),
    ("verify --ledger nosuch", UNAVAILABLE, "LEDGER_MISSING"),
    ("verify --checkpoint nosuch", WRONG, "IO"),
    ("verify --key nosuch", WRONG, "SYNTAX"),
    ("verify --proof nosuch", WRONG, "IO"),
    ("export --ledger nosuch", UNAVAILABLE, "LEDGER_MISSING"),
    ("export --kind nosuch", USAGE, "USAGE"),
    ("executors add nosuch", WRONG, "IO"),
    ("adapters nosuch", USAGE, "ADAPTER_UNKNOWN"),
    ("tools nosuch", USAGE, "USAGE"),
    ("cancel run-nosuch-one", NO, "LANE_NOT_RUNNING"),
    ("golden check nosuch", USAGE, "USAGE"),
    ("cache list --level nosuch", USAGE, "USAGE"),
    ("diff nosuch-one", NO, "ENTRY_UNKNOWN"),
    ("commit nosuch-one", NO, "ENTRY_UNKNOWN"),
    ("exec", USAGE, "USAGE"),
    ("exec --nosuch", USAGE, "USAGE"),
    ("exec --env =x", USAGE, "USAGE"),
    ("run", USAGE, "USAGE"),
    ("run a.json --jobs 0", USAGE, "USAGE"),
    ("run a.json --dry-run --progress json", USAGE, "USAGE"),
    ("log --nosuch", USAGE, "USAGE"),
    ("log --limit x", USAGE, "USAGE"),
    ("plan graph a.json --format nosuch", USAGE, "USAGE"),
    ("digest - -", USAGE, "USAGE"),
    ("ledger rejects --limit x", USAGE, "USAGE"),
    ("ledger erase led-1", USAGE, "USAGE"),
    ("prove", USAGE, "USAGE"),
    ("verify --proof a.json --checkpoint a.json", USAGE, "USAGE"),
    ("route plan", USAGE, "USAGE"),
    ("adapters import openapi", USAGE, "USAGE"),
]


# Where the current directory was removed.
GONE = ["exec {} /bin/true", "exec --class generic {} /bin/true", "call jq.filter {}", "golden check {}", "adapters {}",
        "tools {}", "init {}", "route contract {}", "route plan --class generic {} /bin/true",
        "route advance planned start {}"]


class Desk:
    """A directory with a ledger that has an input, and a plan that was run."""

    def __init__(self, scratch):
        self.scratch = pathlib.Path(scratch)
        (self.scratch / "a.json").write_text('{"a": 1}')
        (self.scratch / "twice.json").write_text('{"a": 1, "a": 1}')
        (self.scratch / "one.json").write_text('{"name": "one", "steps": [{"name": "a", "action": "noop"}]}')
        (self.scratch / "used.json").write_bytes(self.writ("plan show one.json --json").out)
        for once in ("ledger input a.json", "run used.json"):
            self.writ(once)

    @property
    def env(self):
        return {"HOME": str(self.scratch), "WRIT_STATE": str(self.scratch / "state")}

    def writ(self, typed, *more):
        typed, _, stdin = typed.partition(" <")
        fd = os.open(stdin or os.devnull, os.O_RDONLY)
        try:
            return tap.run([tap.WRIT, *typed.split(), *more], stdin=fd, env=self.env, cwd=self.scratch)
        finally:
            os.close(fd)


    def writ_nowhere(self, typed):
        """In a directory that was removed."""
        return tap.run(f"mkdir gone && cd gone && rmdir ../gone && exec {tap.WRIT} {typed}", env=self.env,
                       cwd=self.scratch)


def wrong_answer(answer, status, code, codes):
    """What a program that asked for JSON would stumble over."""
    try:
        told = json.loads(answer.out)
    except ValueError:
        return "not one object"
    if answer.status != status:
        return f"status {answer.status}, expected {status}"
    if answer.err and code != "USAGE":
        return "something on standard error"
    if told.get("code") != code or code not in codes:
        return f"the code is {told.get('code')}, expected {code}"
    return "" if isinstance(told.get("message"), str) and told["message"] else "no message"


def wrong_words(typed, answer, status):
    """What a person would stumble over."""
    if answer.status != status:
        return f"status {answer.status}, expected {status}"
    if typed.startswith("check ") and status == WRONG:  # what is wrong is what it was asked for
        return "" if answer.out else "nothing is said"
    if answer.out:
        return "something on standard output"
    return "" if answer.err else "nothing is said"


def main():
    told = tap.Tap()
    with tempfile.TemporaryDirectory() as scratch:
        desk = Desk(scratch)
        table, = json.loads(desk.writ("explain codes --json").out)["tables"]
        codes = {row["name"] for row in table["rows"]}
        for typed, status, code in REFUSALS:
            answer, said = desk.writ(typed, "--json"), desk.writ(typed)
            fault = wrong_answer(answer, status, code, codes)
            told.case(f"writ {typed} --json", fault and f"{fault}\n{answer}")
            if typed.startswith("run ") and answer.err == b"":  # who follows it by its lines has the same
                lines = desk.writ(typed, "--progress=json")
                told.case(f"writ {typed} --progress=json", "" if answer[:3] == lines[:3] else f"{answer}\n{lines}")
            fault = wrong_words(typed, said, status)
            told.case(f"writ {typed}", fault and f"{fault}\n{said}")
        for typed in GONE:
            answer, said = desk.writ_nowhere(typed.format("--json")), desk.writ_nowhere(typed.format(""))
            fault = wrong_answer(answer, UNAVAILABLE, "IO", codes)
            told.case(f"writ {typed.format('--json')}, where there is no directory", fault and f"{fault}\n{answer}")
            same = said.err.startswith(b"writ: the current directory has no name: No such file or directory")
            told.case(f"writ {typed.format('')}, where there is no directory", "" if same else f"other words\n{said}")
    return told.finish()


if __name__ == "__main__":
    sys.exit(main())
