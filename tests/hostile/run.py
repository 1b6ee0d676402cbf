#!/usr/bin/env python3
"""run: programs that try to break out of writ's sandbox, and what came of it, seen from outside.

usage: run.py [--user] [--process] [--cow] [--long] WRIT HOSTILE WITHOUT [ID...]      prints TAP

Played as root, or with --user as an ordinary user: started by root, it gives that user cgroups of
its own first. HOSTILE is the program that tries (acts.c), WITHOUT takes a layer away (without.c).
--process plays where there are no user namespaces (cases_lists.py), --cow in write mode cow. An ID
(F16, P) plays the cases that begin with it. --long, or WRIT_LONG=1, plays the long forms.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import ground
import users
from users import skip_all
import cases_files  # noqa: F401 - each of them adds its cases
import cases_git  # noqa: F401
import cases_input  # noqa: F401
import cases_kernel  # noqa: F401
import cases_layers  # noqa: F401
import cases_modes  # noqa: F401
import cases_network  # noqa: F401
import cases_outputs  # noqa: F401
import cases_process  # noqa: F401
import cases_resources  # noqa: F401
import cases_streams  # noqa: F401


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
    if not users.able():
        skip_all("no namespaces on this machine")
    os.umask(0o022)
    if args.process:
        import cases_lists

    def play(base):
        tools = base / "tools"
        tools.mkdir()
        copies = [shutil.copy(path.resolve(), tools / path.name)
                  for path in (args.writ, args.hostile, args.without)]
        shutil.copy(args.writ.resolve().parent / "writ-net", tools)
        place = ground.Place(*map(pathlib.Path, copies), base, args.user, args.long, args.process, args.cow)
        if not root:
            probe = subprocess.run([place.writ, "exec", "--", place.hostile], capture_output=True, cwd=base)
            if probe.returncode == 125 and b"LAYER_MISSING:cgroup" in probe.stderr:
                skip_all("no cgroup was given to this user")
        lists = () if not args.process else cases_lists.PLAYED if args.long else cases_lists.DAILY
        return ground.play(place, args.ids or lists)

    base = users.make_base("writ-hostile-")
    if root and args.user:
        return users.as_user(base, play)
    try:
        return play(base)
    finally:
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
