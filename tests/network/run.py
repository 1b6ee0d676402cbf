#!/usr/bin/env python3
"""run: commands that go out by name, in a network of the test's own.

usage: run.py [--user] AREA HOSTILE RUN_PLAN WRIT [WORD...]      prints TAP

AREA is a module of this folder with CASES. Played as root, or with --user as an ordinary user. A WORD
plays the cases with it in their name. Where no such network can be made, all is skipped.
"""
import importlib
import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"
PR_SET_CHILD_SUBREAPER = 36
sys.path.insert(1, str(HERE.parent / "faces"))
import origin  # noqa: E402
import town  # noqa: E402
import users  # noqa: E402


def public(path):
    """May anybody read what lies there?"""
    return all(os.stat(above).st_mode & 1 for above in pathlib.Path(path).resolve().parents)


def copy(programs, tools):
    """Where anybody may read them, with the neighbours that writ looks for."""
    tools.mkdir()
    beside = [path for path in pathlib.Path(programs[-1]).resolve().parent.glob("writ-*")
              if path.is_file() and os.access(path, os.X_OK)]
    for path in beside:
        shutil.copy(path, tools)
    return [shutil.copy(pathlib.Path(path).resolve(), tools) for path in programs]


def main():
    user = "--user" in sys.argv
    if user and not public(os.__file__) and os.path.realpath(sys.executable) != os.path.realpath(PYTHON):
        os.execv(PYTHON, [PYTHON, *sys.argv])  # it brings in its modules when it needs them, as that user
    area, *programs = [word for word in sys.argv[1:] if word != "--user"]
    only = programs[3:]
    if os.geteuid() != 0 and not user:
        users.skip_all("only root can play what root may do")
    if not users.able():
        users.skip_all("no namespaces on this machine")
    os.umask(0o022)
    base = users.make_base("writ-network-")
    tools = base / "tools"
    sys.argv[1:] = copies = copy(programs[:3], tools)  # there the modules look for run_plan and writ
    import tap
    import visit
    visit.STATE.update(hostile=pathlib.Path(copies[0]), user=user, tools=tools)
    cases = importlib.import_module(area).CASES

    def prepare():
        try:
            origin.certify(town.settle(base))
        except (town.Missing, OSError) as why:
            users.skip_all(f"no network of our own: {why}")

    def play(_):
        tempfile.tempdir = str(base)
        town.libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # who is left behind is found
        visit.STATE["town"] = origin.Town(base)
        why = visit.ground.no_sandbox()
        if why:
            users.skip_all(why)
        return tap.play([one for one in cases if not only or any(word in one.__name__ for word in only)])

    if os.geteuid() == 0 and user:
        return users.as_user(base, play, prepare)
    try:
        prepare()
        return play(base)
    finally:
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
