#!/usr/bin/env python3
"""hand_over: where the ledger is in PostgreSQL, writ-postgres is run in writ's place.

usage: hand_over.py HAND      prints TAP
"""
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faces"))
import tap  # noqa: E402

CASES = []
case = tap.collector(CASES)
HAND = pathlib.Path(sys.argv[1]).resolve()
ADDRESSES = ("postgres://host/db", "postgresql:///db")


def program(path, word):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nprintf "%s\\n" {word} "$@" "$GIVEN"\n')
    path.chmod(0o755)


def hand(scratch, *args, **env):
    """What is said when the program, in bin below scratch, has these arguments."""
    (scratch / "bin").mkdir(exist_ok=True)
    shutil.copy(HAND, scratch / "bin/writ")
    return subprocess.run([scratch / "bin/writ", *args], env={"GIVEN": "environment"} | env, text=True,
                          capture_output=True, check=True, timeout=60).stdout.split("\n")[:-1]


def equal(found, expected):
    if found != expected:
        raise AssertionError(f"{found}, expected {expected}")


@case
def it_is_found_beside_and_in_libexec_and_beside_goes_first(scratch):
    program(scratch / "libexec/writ/writ-postgres", "libexec")
    for address in ADDRESSES:
        equal(hand(scratch, address, "two words"), ["libexec", address, "two words", "environment"])
    program(scratch / "bin/writ-postgres", "beside")
    equal(hand(scratch, ADDRESSES[0]), ["beside", ADDRESSES[0], "environment"])


@case
def what_the_environment_names_goes_before_both_and_alone(scratch):
    program(scratch / "bin/writ-postgres", "beside")
    equal(hand(scratch, ADDRESSES[0], WRIT_LIBEXEC=str(scratch / "given")), ["came back"])
    program(scratch / "given/writ-postgres", "given")
    equal(hand(scratch, ADDRESSES[0], WRIT_LIBEXEC=str(scratch / "given")),
          ["given", ADDRESSES[0], "environment"])
    equal(hand(scratch, ADDRESSES[0], WRIT_LIBEXEC=""), ["beside", ADDRESSES[0], "environment"])


@case
def it_comes_back_where_there_is_none(scratch):
    equal(hand(scratch, ADDRESSES[0]), ["came back"])
    (scratch / "bin/writ-postgres").write_text("no program")
    equal(hand(scratch, ADDRESSES[0]), ["came back"])


@case
def other_ledgers_stay_here(scratch):
    program(scratch / "bin/writ-postgres", "beside")
    for where in ("ledger.db", "postgres:/db", "./postgres://db", "POSTGRES://db", ""):
        equal(hand(scratch, where), ["came back"])
    equal(hand(scratch), ["came back"])


if __name__ == "__main__":
    sys.exit(tap.play(CASES))
