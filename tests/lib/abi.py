#!/usr/bin/env python3
"""abi: the library is what programs were linked with, and tools/abi would notice if it were not.

usage: abi.py LIBRARY      prints TAP
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/faces"))
import tap  # noqa: E402

CASES = []
case = tap.collector(CASES)
LIBRARY = sys.argv[-1]
KEPT = (ROOT / "abi/libwrit.abi").read_text()
FREE = re.search(r" *<elf-symbol name='writ_free'.*\n", KEPT)[0]


def expect(status, words, *dump, path=None):
    """What tools/abi ends with, and what it says."""
    done = subprocess.run([sys.executable, ROOT / "tools/abi", LIBRARY, *dump], text=True, capture_output=True,
                          timeout=120, env=os.environ | ({"PATH": path} if path else {}))
    if done.returncode == 77:
        raise tap.Skip(done.stdout.strip())
    if done.returncode != status or words not in done.stdout:
        raise AssertionError(f"status {done.returncode}, expected {status} and '{words}'\n"
                             f"{done.stdout}{done.stderr}")


def changed(scratch, old, new):
    """The dump, with something in it put differently."""
    if old not in KEPT:
        raise AssertionError(f"{old!r} is not in the dump")
    (scratch / "changed.abi").write_text(KEPT.replace(old, new))
    return scratch / "changed.abi"


def needs_abidiff():
    if not shutil.which("abidiff"):
        raise tap.Skip("abidiff is not installed")


@case
def nothing_was_removed_or_changed(scratch):
    expect(0, "")


@case
def a_function_that_is_gone_is_a_breach(scratch):
    expect(1, "removed writ_gone", changed(scratch, FREE, FREE + FREE.replace("writ_free", "writ_gone")))


@case
def a_function_that_is_new_is_none(scratch):
    expect(0, "added writ_free", changed(scratch, FREE, ""))


@case
def a_struct_of_another_size_is_a_breach(scratch):
    needs_abidiff()
    expect(1, "writ_input", changed(scratch, "name='writ_input' size-in-bits='192'",
                                    "name='writ_input' size-in-bits='128'"))


@case
def another_parameter_is_a_breach(scratch):
    needs_abidiff()
    call = re.search(r"<function-decl name='writ_free'.*?</function-decl>", KEPT, re.S)[0]
    expect(1, "writ_free", changed(scratch, call, re.sub(r" *<parameter [^>]*>\n", "", call)))


@case
def without_abidiff_the_names_are_compared(scratch):
    for tool in ("nm", "readelf"):
        (scratch / tool).symlink_to(shutil.which(tool))
    expect(0, "nothing else", path=str(scratch))
    expect(1, "removed writ_gone", changed(scratch, FREE, FREE + FREE.replace("writ_free", "writ_gone")),
           path=str(scratch))


if __name__ == "__main__":
    sys.exit(tap.play(CASES))
