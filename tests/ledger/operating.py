#!/usr/bin/env python3
"""operating: every command of docs/operating.md works as it stands there.

usage: operating.py WRIT      prints TAP
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/faces"), str(ROOT / "tests/postgres")]
import server  # noqa: E402
import tap  # noqa: E402

CASES = []
case = tap.collector(CASES)
WRIT = pathlib.Path(sys.argv[-1]).resolve()
PAGE = (ROOT / "docs/operating.md").read_text()
BLOCKS = re.findall(r"^```sh( postgres)?\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def shell(scratch, script, **env):
    """What a script says that goes on only while all is well."""
    env = {**os.environ, "PATH": f"{WRIT.parent}:{os.environ['PATH']}", "WRIT_STATE": f"{scratch}/state"} | env
    done = subprocess.run(["sh", "-eu", "-c", script], cwd=scratch, env=env, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{done.returncode}: {done.stdout}\n{script}")
    return done.stdout


def hold(truth, said):
    if not truth:
        raise AssertionError(said)


@case
def a_file_is_backed_up_tried_restored_and_signed_anew(scratch):
    if not shutil.which("sqlite3"):
        raise tap.Skip("there is no sqlite3")
    first = "writ exec -- true; writ exec -- true; writ checkpoint >before.checkpoint\n"
    blocks = [text for postgres, text in BLOCKS if not postgres]
    backup, restore = "".join(blocks[:3]), "".join(blocks[3:])
    lost = "writ exec -- true; writ checkpoint >after.checkpoint\n"
    said = shell(scratch, first + backup + lost + restore + "writ exec -- true; writ verify\n")
    hold(said.count("intact  10 entries") == 2 and "intact  15 entries" in said, said)


@case
def rights_are_enough_and_a_dump_is_whole(scratch):
    if not (WRIT.parent / "writ-postgres").exists():
        raise tap.Skip("writ-postgres was not built")
    try:
        with server.server() as it:
            it.sql("CREATE ROLE writer LOGIN", "CREATE ROLE reader LOGIN", "ALTER ROLE keeper CREATEDB")
            env = {"PGHOST": str(it.home), "PGUSER": "keeper", "WRIT_LEDGER": "postgres:///ledger"}
            blocks = [text for postgres, text in BLOCKS if postgres]
            shell(scratch, "writ exec -- true\n" + blocks[0], **env)
            shell(scratch, "writ exec -- true; writ checkpoint; writ verify", **env | {"PGUSER": "writer"})
            shell(scratch, "writ log; writ verify", **env | {"PGUSER": "reader"})
            said = shell(scratch, "".join(blocks[1:]), **env)
            hold("intact  10 entries" in said, said)
    except server.Missing as why:
        raise tap.Skip(str(why)) from why


if __name__ == "__main__":
    sys.exit(tap.play(CASES))
