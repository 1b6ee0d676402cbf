#!/usr/bin/env python3
"""links: a path is granted by what it is: no link that a command left and no second mount changes that.

usage: links.py WRIT      prints TAP
"""
import json
import os
import subprocess
import sys

import ground
import tap
from ground import TOUCH, expect, hold, printed, refused

CASES = []
case = ground.collector(CASES)


def plant(place, script):
    """What an earlier command did."""
    expect(place.exec("sh", "-c", script), exit_code=0)


def leads_out(place, option, link, target, real):
    """Refused; the message names the link, where it leads, and what to say, which then works."""
    name = option.split("=")[0]
    run = place.exec(*TOUCH, options=[option])
    refused(place, run, 77, "PATH_REFUSED", f"the link {link} leads to {target}, out of ", f"say {real}")
    hold(("the working directory" in run.record["message"]) == (name == "--cwd"), run)
    expect(place.exec("true", options=[f"{name}={real}"]), exit_code=0)


@case
def R_001_008_R_001_014_R_001_015_a_link_that_a_command_left_grants_nothing(place):
    work, private = place.work, place.put("outside/private/key", "text").parent
    (work / "a/data").mkdir(parents=True)
    (place.outside / "data").mkdir()
    plant(place, f"ln -s {private} out; ln -s out hop; mv a a.old; ln -s {place.outside} a")
    leads_out(place, "--write=out", work / "out", private, private)
    leads_out(place, f"--write={work}/out", work / "out", private, private)
    leads_out(place, "--read=out/key", work / "out", private, private / "key")
    leads_out(place, "--read=hop/../data", work / "hop", private, place.outside / "data")
    leads_out(place, "--read=a/data", work / "a", place.outside, place.outside / "data")
    leads_out(place, "--cwd=out", work / "out", private, private)
    hold((private / "key").read_text() == "text", place.exec("true"))


@case
def R_001_015_a_link_in_the_repository_or_in_what_is_written_grants_nothing(place):
    home, data = place.put("home/key", "text").parent, place.outside / "data"
    data.mkdir()
    (place.repo / "lib").mkdir()
    (place.repo / "far").symlink_to(home)
    (data / "far").symlink_to(home)
    (place.work / "lib").symlink_to("../lib")
    leads_out(place, "--read=../far/key", place.repo / "far", home, home / "key")
    leads_out(place, "--write=lib", place.work / "lib", place.repo / "lib", place.repo / "lib")
    expect(place.exec("true", options=["--read=lib"]), exit_code=0)  # the level opens it anyhow
    expect(place.exec("true", options=[f"--read={data}/far/key"]), exit_code=0)
    for option in (f"--read={data}/far/key", f"--cwd={data}/far"):
        run = place.exec(*TOUCH, options=[option, f"--write={data}"])
        refused(place, run, 77, "PATH_REFUSED", f"the link {data}/far leads to {home}, out of {data}")


@case
def R_001_008_R_001_014_R_001_015_links_within_and_links_of_others_are_followed(place):
    deep, data = place.put("work/deep/in", "text").parent, place.put("home/data/in", "text").parent
    (place.work / "within").symlink_to("deep")
    (place.outside / "hop").symlink_to(data)
    (place.outside / "project").symlink_to(place.work)
    project = place.outside / "project"
    for option in ("--read=within/in", "--write=within", f"--write={place.outside}/hop",
                   f"--read={place.outside}/hop/in", f"--write={project}/deep", f"--read={project}/within/in"):
        expect(place.exec("true", options=[option]), exit_code=0)
    for options, at, where in ((["--cwd=within"], place.work, deep), ([], project, place.work),
                               (["--cwd=deep"], project, deep), ([f"--cwd={project}"], project, place.work),
                               ([f"--cwd={project}/deep"], place.work, deep),
                               ([f"--cwd={place.outside}/hop"], place.work, data)):
        printed(place.exec("pwd", options=options, at=at), f"{where}\n")


@case
def R_001_008_R_001_014_R_001_015_a_path_may_end_above_its_last_name(place):
    work, deep = place.work, place.put("work/a/deep/in", "text").parent
    for name, target in (("self", "."), ("up", "..")):
        (work / name).symlink_to(target)
        (deep / name).symlink_to(target)
    for given, at, where in (("..", deep, work / "a"), ("../..", deep, work), (".", deep, deep),
                             ("../deep/..", deep, work / "a"),
                             ("self", deep, deep), ("self/.", deep, deep), ("self/..", deep, work / "a"),
                             ("a/deep/up", work, work / "a"), (f"{deep}/../", place.outside, work / "a")):
        printed(place.exec("pwd", options=["--cwd", given], at=at), f"{where}\n")
    for given in (".", "self", "deep/..", "deep/up", "deep/self/..", "deep/../deep/.."):
        data = place.put("outside/data/deep/in", "text").parent.parent
        for name, target in (("self", "."), ("deep/self", "."), ("deep/up", "..")):
            (data / name).unlink(missing_ok=True)
            (data / name).symlink_to(target)
        printed(place.exec("cat", f"{data}/deep/in", options=["--read", f"../../outside/data/{given}"]), "text")
        expect(place.exec("touch", f"{data}/made", options=["--write", f"{data}/{given}"]), exit_code=0)
        run = place.exec("cat", f"{data}/deep/in", options=["--read", data, "--deny", f"{data}/{given}"])
        hold(run.record["exit_code"] == 1, run)


@case
def R_001_015_a_link_upwards_that_leaves_what_is_written_grants_nothing(place):
    plant(place, "ln -s .. up")
    leads_out(place, "--write=up", place.work / "up", place.repo, place.repo)
    leads_out(place, "--cwd=up", place.work / "up", place.repo, place.repo)


# ---- one file system at two places ----

# The first two are mounted on each other; the rest is run there.
TWICE = 'mount --bind "$1" "$2" && shift 2 && exec "$@"'


def twice(place, real, seen, *args, script=TWICE, **more):
    """`writ exec` where the directory `real` is seen at `seen`, too."""
    for directory in (real, seen):
        os.makedirs(directory, exist_ok=True)
    ask = ["unshare", "--mount", "sh", "-c", script, "sh", real, seen, tap.WRIT, "exec", "--json", *args]
    return subprocess.run([str(word) for word in ask], cwd=place.work, capture_output=True, text=True,
                          env=place.environment(more))


@case
def R_001_016_what_is_denied_is_denied_at_every_place_of_its_file_system(place):
    if not ground.may_everything():
        raise tap.Skip("needs mounts of its own")
    real, seen = place.work / "real", place.work / "seen"
    place.put("work/real/key", "text")
    for denied in ("real/key", "seen/key", "real"):
        for name in ("real/key", "seen/key"):
            done = twice(place, real, seen, f"--deny={denied}", "--", "cat", name)
            hold_twice(json.loads(done.stdout)["stderr"]["text"].endswith("Permission denied\n"), done)
    done = twice(place, real, seen, "--deny=real/new", "--", "touch", "seen/new")
    hold_twice(json.loads(done.stdout)["denials"] and not (real / "new").exists(), done)


@case
def R_001_016_what_is_denied_is_not_granted_by_a_path_below_another_place_of_it(place):
    if not ground.may_everything():
        raise tap.Skip("needs mounts of its own")
    real, seen = place.outside / "real", place.outside / "seen"
    place.put("outside/real/deep/key", "text")
    for granted in (seen, seen / "deep", seen / "deep/key"):
        for way in ("--read", "--write"):
            done = twice(place, real, seen, f"--deny={real}", f"{way}={granted}", "--", *TOUCH)
            said = f"{real} is seen at {seen}, too: {granted} cannot be granted: it is denied"
            hold_twice(said in done.stdout + done.stderr and not (place.work / "ran").exists(), done)
    done = twice(place, real, seen, f"--deny={real}", f"--cwd={seen}/deep", "--", "cat", "key")
    hold_twice(f"lies in {seen}, which is denied" in done.stdout + done.stderr, done)
    done = twice(place, real, seen, f"--deny={real}/deep", f"--read={seen}", "--", "ls", seen)  # a part of it
    hold_twice(json.loads(done.stdout)["stdout"]["text"] == "deep\n", done)


@case
def R_001_016_R_001_171_what_is_mounted_in_what_is_denied_is_denied_where_else_it_is(place):
    if not ground.may_everything():
        raise tap.Skip("needs mounts of its own")
    secret, seen = place.put("work/secret/volume/key", "text").parent, place.work / "seen"
    volume = f"mount -t tmpfs none {secret} && echo text > {secret}/key && {TWICE}"
    done = twice(place, secret, seen, "--deny=secret", "--", "cat", "seen/key", script=volume)
    hold_twice(json.loads(done.stdout)["stderr"]["text"].endswith("Permission denied\n"), done)
    done = twice(place, secret, seen, "--", "rm", "seen/key", script=volume, WRIT_STATE=str(place.work / "secret"))
    hold_twice(json.loads(done.stdout)["exit_code"] == 1, done)
    for more in ((), ("--read=/usr/lib",)):  # as in the root of another system
        done = twice(place, "/usr", secret, "--deny=secret", *more, "--", "true")
        hold_twice(json.loads(done.stdout)["exit_code"] == 0, done)


@case
def R_001_016_a_covered_mount_does_not_tell_where_what_is_denied_is_seen(place):
    if not ground.may_everything():
        raise tap.Skip("needs mounts of its own")
    real, seen, below = place.work / "real", place.work / "seen", place.work / "real/below"
    below.mkdir(parents=True)
    covered = (f"mount -t tmpfs none {below} && mount -t tmpfs none {real} && mkdir {below} && echo text > {below}/key"
               f" && {TWICE}")
    for denied in ("real/below/key", "seen/below/key", "real/below"):
        for name in ("real/below/key", "seen/below/key"):
            done = twice(place, real, seen, f"--deny={denied}", "--", "cat", name, script=covered)
            hold_twice(json.loads(done.stdout)["stderr"]["text"].endswith("Permission denied\n"), done)


@case
def R_001_015_a_protected_name_is_so_at_every_place_of_its_file_system(place):
    if not ground.may_everything():
        raise tap.Skip("needs mounts of its own")
    done = twice(place, place.repo, place.outside / "seen", f"--write={place.outside}", f"--write={place.repo}", "--",
                 "sh", "-c", f"echo evil >> {place.outside}/seen/.git/config")
    hold_twice("evil" not in (place.repo / ".git/config").read_text(), done)
    hold_twice(json.loads(done.stdout)["exit_code"] == 2, done)
    hooks, seen = place.put("work/.git/hooks/deep/on", "text").parents[1], place.outside / "hooks"
    done = twice(place, hooks, seen, f"--write={seen}/deep", "--", *TOUCH)
    hold_twice("deep cannot be written: it lies in" in done.stdout + done.stderr, done)
    done = twice(place, hooks, seen, f"--read={seen}/deep", "--", "cat", f"{seen}/deep/on")
    hold_twice(json.loads(done.stdout)["exit_code"] == 0, done)


@case
def R_001_171_the_ledger_is_out_of_reach_at_every_place_of_its_file_system(place):
    if not ground.may_everything():
        raise tap.Skip("needs mounts of its own")
    real, seen = place.outside / "real", place.work / "seen"
    done = twice(place, real, seen, "--", "sh", "-c", "echo > seen/state/ledger.db", WRIT_STATE=str(real / "state"))
    hold_twice(json.loads(done.stdout)["exit_code"] == 2, done)
    done = twice(place, real, seen, f"--ledger={real}/ledger.db", "--", *TOUCH)
    hold_twice(done.returncode == 77 and "could write the ledger" in done.stdout, done)


def hold_twice(true, done):
    if not true:
        raise AssertionError(f"exit {done.returncode}\n{done.stdout[-1500:]}\n{done.stderr}")


if __name__ == "__main__":
    sys.exit(ground.main(CASES))
