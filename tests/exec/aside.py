#!/usr/bin/env python3
"""aside: what must not be is put aside when a run has ended, and nothing else is.

usage: aside.py WRIT      prints TAP
"""
import array
import fcntl
import json
import os
import pathlib
import subprocess
import sys
import termios

import ground
import tap
from ground import hold

CASES = []
case = ground.collector(CASES)


@case
def R_001_016_an_id_that_is_a_path_leads_nowhere(place):
    (place.outside / "in").mkdir()
    run = place.ask_python("import os\n"
                           f"os.symlink('{place.outside}/in', '.envrc.writ-ci'); open('.envrc', 'w').write('made')",
                           execution_id="ci/hooks-42")
    [row] = run.record["denials"]
    hold(row["undone"] and pathlib.Path(row["moved_to"]).parent == place.work
         and pathlib.Path(row["moved_to"]).read_text() == "made" and not (place.work / ".envrc").exists()
         and not list((place.outside / "in").iterdir()), run)


@case
def R_001_016_a_name_too_long_for_an_ending_is_moved_all_the_same(place):
    run = place.exec("/usr/bin/touch", "n" * 250, options=["--deny=" + "n" * 250])
    [row] = run.record["denials"]
    hold(row["undone"] and row["moved_to"] == f"{place.work}/.writ-{run.record['execution_id'][:8]}"
         and not (place.work / ("n" * 250)).exists(), run)


@case
def R_001_016_a_link_that_leads_nowhere_is_the_users_own(place):
    (place.work / "conf").symlink_to("nowhere")
    for command in (["/bin/true"], ["nosuchprogram"], ["/bin/sh", "-c", "rm conf; ln -s /tmp conf"]):
        run = place.exec(*command, options=["--deny=conf/key"])
        hold(not run.record["denials"] and os.readlink(place.work / "conf") == "nowhere", run)


@case
def R_001_016_what_is_made_while_nothing_runs_is_somebody_elses(place):
    run = subprocess.Popen([tap.WRIT, "exec", "--json", "--stdin=-", "--timeout-ms=1000", "--", "/bin/cat"],
                           cwd=place.work, env=place.environment({}), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    os.write(run.stdin.fileno(), b"x")
    left = array.array("i", [1])
    while left[0] and run.poll() is None:  # once it reads, it has looked at what is there
        fcntl.ioctl(run.stdin.fileno(), termios.FIONREAD, left)
    place.put("work/.envrc", "mine")
    out, _ = run.stdout.read(), run.stdin.close()
    run.wait()
    hold((place.work / ".envrc").read_text() == "mine" and not json.loads(out)["denials"],
         ground.Run(run.returncode, json.loads(out), out, b""))


# Another name needs room in the directory: here the last block of the disk and of the directory are used up.
FILL = """
import errno, itertools, os
open('.envrc', 'w').close()
def until_full(work):
    try:
        work()
    except OSError as why:
        assert why.errno == errno.ENOSPC, why
with open('data', 'wb', 0) as data:
    until_full(lambda: [data.write(bytes(1024)) for _ in itertools.count()])
until_full(lambda: [os.link('data', chr(97 + i // 26) + chr(97 + i % 26)) for i in range(676)])
"""


@case
def R_001_016_on_a_full_disk_what_must_not_be_is_removed(place):
    if not ground.may_everything():
        raise tap.Skip("needs mounts of its own")
    disk = place.outside / "disk"
    disk.write_bytes(bytes(1 << 20))
    made = subprocess.run(["/sbin/mkfs.ext4", "-q", "-b", "1024", "-O", "^has_journal,^dir_index", "-m", "0", disk],
                          capture_output=True) if os.path.exists("/sbin/mkfs.ext4") else None
    if not made or made.returncode:
        raise tap.Skip("mkfs.ext4 makes no disk")
    script = 'mount -o loop "$1" . || exit 99; cd "$PWD" && shift && "$@"; ls -A >&2'
    run = subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", disk, tap.WRIT, "exec", "--json", "--",
                          ground.PYTHON, "-c", FILL], cwd=place.work, capture_output=True, env=place.environment({}))
    if run.returncode == 99:
        raise tap.Skip("no disk can be mounted")
    record = json.loads(run.stdout)
    left = run.stderr.decode().split()
    told = ground.Run(run.returncode, record, run.stdout, run.stderr)
    hold(record["exit_code"] == 0 and {"data", "aa"} < set(left), told)
    [row] = record["denials"]
    hold(row["undone"] and row.get("moved_to") is None and row["path"] == f"{place.work}/.envrc", told)
    hold(not [name for name in left if "envrc" in name or "writ" in name], told)


if __name__ == "__main__":
    sys.exit(ground.main(CASES))
