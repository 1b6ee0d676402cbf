#!/usr/bin/env python3
"""git: finds its repository inside, however the working tree leads to it, and commits where it may.

usage: git.py WRIT      prints TAP
"""
import subprocess
import sys

import ground
import tap
from ground import expect, hold

CASES = []
case = ground.collector(CASES)

ME = ("-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=main",
      "-c", "protocol.file.allow=always")


def git(place, at, *args):
    """git outside, as the caller runs it; what it printed."""
    return subprocess.run(["git", *ME, *args], cwd=at, check=True, capture_output=True, text=True,
                          env=tap.ENV | {"HOME": str(place.home)}).stdout


def inside(place, at, *args, options=()):
    return place.exec("git", *ME, *args, options=options, at=at)


@case
def a_link_within_git_stays_and_what_it_leads_to_is_protected(place):
    info = place.repo / "kept"
    (place.repo / ".git/info").rename(info)
    (place.repo / ".git/info").symlink_to("../kept")
    run = place.exec("true", at=place.repo)
    expect(run, exit_code=0, denials=[])
    hold((place.repo / ".git/info").is_symlink(), run)
    run = place.exec("sh", "-c", "echo x > .git/info/attributes; rm .git/info", at=place.repo)
    hold((place.repo / ".git/info").is_symlink() and not (info / "attributes").exists(), run)
    hold([row["path"] for row in run.record["denials"]] == [str(info / "attributes")], run)


if __name__ == "__main__":
    sys.exit(ground.main(CASES))
