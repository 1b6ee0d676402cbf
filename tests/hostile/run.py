#!/usr/bin/env python3
"""run: programs that try to break out of writ's sandbox, and what came of it, seen from outside.

usage: run.py [--user] [--process] [--cow] [--long] WRIT HOSTILE WITHOUT [ID...]      prints TAP

Played as root, or with --user as an ordinary user: started by root, it gives that user cgroups of
its own first. HOSTILE is the program that tries (acts.c), WITHOUT takes a layer away (without.c).
--process plays where there are
no user namespaces (cases_lists.py). An ID (F16, P) plays the cases that begin with it. --long, or WRIT_LONG=1, plays the long forms.
"""
import argparse
import contextlib
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import ground
import cases_files  # noqa: F401 - each of them adds its cases
import cases_git  # noqa: F401
import cases_input  # noqa: F401
import cases_kernel  # noqa: F401
import cases_layers  # noqa: F401
import cases_network  # noqa: F401
import cases_outputs  # noqa: F401
import cases_process  # noqa: F401
import cases_resources  # noqa: F401
import cases_streams  # noqa: F401

UID = GID = 12345
GROUPS = pathlib.Path("/sys/fs/cgroup")
CONTROLLERS = ("memory", "pids", "cpu")
CLONE_NEW = 0x10000000 | 0x20000 | 0x20000000 | 0x40000000  # user, mount, pid, net


def skip_all(why):
    print(f"1..0 # SKIP {why}")
    sys.exit(0)


def able():
    """Does this machine have namespaces at all? Where not, writ refuses, and there is nothing to play."""
    pid = os.fork()
    if pid == 0:
        os._exit(ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEW) != 0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


# ---- cgroups for an ordinary user ----

def own_group(controller):
    """The directory of this process's own group, for a controller on version 1; "" is version 2."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        if controller in names.split(","):
            return GROUPS / controller / path.lstrip("/")
    return None


def give(group, files):
    group.mkdir()
    for path in (group, *(group / name for name in files)):
        os.chown(path, UID, GID)


def delegate():
    """Groups that belong to the user, with this process in them. Returns them, for remove()."""
    name, made = f"writ-test-user-{os.getpid()}", []
    if all(own_group(controller) for controller in CONTROLLERS):
        for controller in CONTROLLERS:
            group = own_group(controller) / name
            give(group, ("cgroup.procs", "tasks"))
            made.append(group)
            (group / "cgroup.procs").write_text(str(os.getpid()))
        return made
    if not (GROUPS / "cgroup.controllers").exists():
        skip_all("cgroups are neither all of version 1 nor all of version 2")
    try:
        enabled = " ".join("+" + controller for controller in CONTROLLERS)
        (GROUPS / "cgroup.subtree_control").write_text(enabled)
        give(GROUPS / name, ("cgroup.procs", "cgroup.subtree_control", "cgroup.threads"))
        made.append(GROUPS / name)
        give(GROUPS / name / "leaf", ("cgroup.procs", "cgroup.threads"))
        made.append(GROUPS / name / "leaf")
        (GROUPS / name / "leaf" / "cgroup.procs").write_text(str(os.getpid()))
    except OSError as why:
        remove(made)
        skip_all(f"no cgroup could be given to a user: {why}")
    return made


def remove(made):
    for group in reversed(made):
        with contextlib.suppress(OSError):
            for left in sorted(group.glob("**/"), reverse=True):
                left.rmdir()


def as_user(play):
    """Plays in a child that is an ordinary user; what root made for it is taken away afterwards."""
    base = make_base()
    os.chown(base, UID, GID)
    pid = os.fork()
    if pid == 0:
        made = delegate()
        (base / "groups").write_text("\n".join(map(str, made)))
        os.setgroups([])
        os.setresgid(GID, GID, GID)
        os.setresuid(UID, UID, UID)
        sys.stdout.flush()
        status = play(base)
        sys.stdout.flush()
        os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    names = base / "groups"
    remove([pathlib.Path(name) for name in names.read_text().split()] if names.exists() else [])
    shutil.rmtree(base, ignore_errors=True)
    return status


def make_base():
    """Not below /tmp where that can be helped: every sandbox has a /tmp of its own."""
    place = "/srv" if os.access("/srv", os.W_OK) else None
    base = pathlib.Path(tempfile.mkdtemp(prefix="writ-hostile-", dir=place)).resolve()
    base.chmod(0o755)
    return base


def main():
    reader = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    reader.add_argument("--user", action="store_true")
    reader.add_argument("--process", action="store_true")
    reader.add_argument("--cow", action="store_true")
    reader.add_argument("--long", action="store_true", default=bool(os.environ.get("WRIT_LONG")))
    reader.add_argument("writ", type=pathlib.Path)
    reader.add_argument("hostile", type=pathlib.Path)
    reader.add_argument("without", type=pathlib.Path)
    reader.add_argument("ids", nargs="*")
    args = reader.parse_args()
    root = os.geteuid() == 0

    if not root and not args.user:
        skip_all("only root can play what root may do")
    if not able():
        skip_all("no namespaces on this machine")
    os.umask(0o022)
    if args.process:
        import cases_lists

    def play(base):
        tools = base / "tools"
        tools.mkdir()
        copies = [shutil.copy(path.resolve(), tools / path.name)
                  for path in (args.writ, args.hostile, args.without)]
        place = ground.Place(*map(pathlib.Path, copies), base, args.user, args.long, args.process, args.cow)
        if not root:
            probe = subprocess.run([place.writ, "exec", "--", place.hostile], capture_output=True, cwd=base)
            if probe.returncode == 125 and b"LAYER_MISSING:cgroup" in probe.stderr:
                skip_all("no cgroup was given to this user")
        return ground.play(place, args.ids or (cases_lists.PLAYED if args.process else ()))

    if root and args.user:
        return as_user(play)
    base = make_base()
    try:
        return play(base)
    finally:
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
