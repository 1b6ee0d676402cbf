#!/usr/bin/env python3
"""examples: every command of examples/README.md does what it says there, and no file is left out.

usage: examples.py WRIT      prints TAP
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WRIT = pathlib.Path(sys.argv[-1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "examples/README.md").read_text()
ROWS = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:4]]
        for line in PAGE.splitlines() if line.startswith("| ") and "`" in line]


def ends(row, state):
    """The exit status, and those that the row allows."""
    command = row[2].strip("`").replace("\\|", "|")
    env = {**os.environ, "PATH": f"{WRIT.parent}:{os.environ['PATH']}", "WRIT_STATE": state, "XDG_CONFIG_HOME": state}
    run = subprocess.run(["sh", "-c", command], cwd=ROOT, env=env, capture_output=True, timeout=100, check=False)
    said = re.search(r"ends with (\d+)", row[1])
    allowed = {0} if not said else {int(said[1])} | ({0} if "may" in row[1] else set())
    return run.returncode, allowed, run.stderr


left_out = [path.name for path in (ROOT / "examples").iterdir() if path.is_file() and path.name not in PAGE
            and path.name != "README.md"]
print(f"1..{len(ROWS) + 1}")
print(f"{'not ok' if left_out else 'ok'} 1 - every example is listed {left_out}")
with tempfile.TemporaryDirectory() as place:
    for n, row in enumerate(ROWS, 2):
        if "jq " in row[2] and not shutil.which("jq"):
            print(f"ok {n} - {row[0]} # SKIP there is no jq")
            continue
        status, allowed, err = ends(row, f"{place}/state")
        print(f"{'ok' if status in allowed else 'not ok'} {n} - {row[0]}: {status}")
        if status not in allowed:
            print(f"# {err}")
