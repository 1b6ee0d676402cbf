#!/usr/bin/env python3
"""links: a path is granted by what it is, and a link that a command left does not choose that.

usage: links.py WRIT      prints TAP
"""
import sys

import ground
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


if __name__ == "__main__":
    sys.exit(ground.main(CASES))
