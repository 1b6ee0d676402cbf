#!/usr/bin/env python3
"""nested: writ where others have built walls already: in a sandbox, a container, under ulimit.

usage: nested.py WRIT      prints TAP
"""
import ctypes
import json
import os
import subprocess
import sys

import ground
import tap
from ground import Run, hold

CASES = []
case = ground.collector(CASES)

CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000


# ---- in a sandbox ----

@case
def in_a_sandbox_of_writ_the_layer_that_is_missing_is_named(place):
    run = place.exec(tap.WRIT, "exec", "--json", "--", "/usr/bin/true",
                     options=["--read", os.path.dirname(tap.WRIT)])
    said = json.loads(run.record["stdout"]["text"])
    hold(run.status == 125 and said["code"] == "LAYER_MISSING" and "LAYER_MISSING:mount: openat2" in said["message"],
         run)


# ---- in a container without root ----

# Waits until somebody has mapped its ids, and is root then.
INSIDE = """
import ctypes, os, sys
if ctypes.CDLL(None).unshare(%d): sys.exit(99)
print("made", flush=True)
sys.stdin.readline()
os.setgid(0); os.setuid(0)
os.execv("/bin/sh", ["sh", "-c", sys.argv[1], "sh", sys.argv[2]])
""" % (CLONE_NEWNS | CLONE_NEWUSER)
# On a disk of its own, whose owners can be mapped.
TRY = """
"$1" --version >/dev/null || exit 98
mount -t tmpfs none /mnt && mkdir /mnt/work && cd /mnt/work || exit 98
export HOME=/mnt/work WRIT_STATE=/mnt/state
"$1" exec --allow-weak cgroup --json -- /bin/sh -c 'echo made >file; id -u'
status=$?
stat -c %u file 2>/dev/null
exit $status
"""


def in_namespace(place, ids):
    """What comes of TRY for root of a user namespace with so many ids."""
    if not ground.may_everything():
        raise tap.Skip("only root can map ids")
    child = subprocess.Popen([sys.executable, "-c", INSIDE, TRY, tap.WRIT], cwd="/", text=True, env=tap.ENV,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        hold(child.stdout.readline() == "made\n", Run(None, {}, b"", b"no namespace"))
        for name in ("uid_map", "gid_map"):
            with open(f"/proc/{child.pid}/{name}", "w") as file:
                file.write(f"0 100000 {ids}\n")
    finally:
        out, err = child.communicate("go\n", timeout=60)
    if child.returncode == 98:
        raise tap.Skip("writ, or a disk, cannot be had in a user namespace here")
    answer, _, rest = out.partition("\n")
    return Run(child.returncode, json.loads(answer), rest.encode(), err.encode())


@case
def root_of_a_namespace_gives_its_commands_a_number_that_is_mapped_there(place):
    run = in_namespace(place, 65536)
    hold(run.status == 0 and run.record["stdout"]["text"] == "0\n" and run.out == b"0\n", run)


@case
def a_namespace_of_one_id_is_told_as_that(place):
    run = in_namespace(place, 1)
    hold(run.status == 125 and "maps no second id" in run.record["message"], run)


# ---- under ulimit ----

def under(place, limit, *args):
    with open(tap.WRIT, "rb") as program:
        if b"__asan_init" in program.read():
            raise tap.Skip("a sanitizer has its own ways with memory")
    done = subprocess.run(["/bin/sh", "-c", f'ulimit {limit}; exec "$@"', "sh", tap.WRIT, *args], cwd=place.work,
                          env=place.environment({}), stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    return Run(done.returncode, {}, done.stdout, done.stderr)


@case
def a_small_stack_is_made_larger_or_refused(place):
    run = under(place, "-S -s 64", "exec", "--", "/bin/echo", "there")
    hold(run.status == 0 and run.out == b"there\n", run)
    run = under(place, "-s 64", "exec", "--", *ground.TOUCH)
    hold(run.status == 125 and b"ulimit -s" in run.err and not (place.work / "ran").exists(), run)


@case
def no_memory_is_said(place):
    for kilobytes in range(500, 4000, 50):  # the first with which the kernel and the loader start it at all
        if under(place, f"-d {kilobytes}", "--version").status == 0:
            break
    run = under(place, f"-d {kilobytes}", "exec", "--", *ground.TOUCH)
    hold(run.status != 0 and b"no more memory" in run.err and not (place.work / "ran").exists(), run)


if __name__ == "__main__":
    sys.exit(ground.main(CASES))
