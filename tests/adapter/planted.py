#!/usr/bin/env python3
"""planted: a .writ that a command could make or change is not obeyed until a person adopts it.

usage: planted.py RUN_PLAN WRIT      prints TAP
"""
import json
import shutil
import subprocess
import sys
import time

import toolshed
from toolshed import hold, plans, same, script, tool, true

CASES = []


class Bare(toolshed.Toolshed):
    """The repository has no .writ; what a command is to plant lies in work/kit."""
    def __init__(self, scratch):
        super().__init__(scratch)
        shutil.rmtree(self.repo / ".writ", ignore_errors=True)
        self.put("work/kit/adapters/evil.yaml", json.dumps(script("evil", "print('planted')")))
        self.registry(tool("evil"), at="work/made")
        (self.work / "made/.writ/tools.yaml").rename(self.work / "kit/tools.yaml")
        shutil.rmtree(self.work / "made")

    def refused(self, at, *words, env=None):
        run = self.call("evil.run", "word=x", at=at, env=env)
        hold(run.status != 0 and "NOT_ADOPTED" in run.out.decode() and b"planted\\n" not in run.out, run)
        for word in words:
            hold(word in run.out.decode(), run)
        return run

    def obeyed(self, at):
        same(self.fine("evil.run", "word=x", at=at), "planted\n")

    def killed(self, script_text, *options):
        """A run whose writ is killed with SIGKILL when the command has done its part."""
        run = self.start(*options, "--", "sh", "-c", f"{script_text}; touch {self.work}/done; sleep 60")
        wait_for(self.work / "done")
        run.kill()
        run.wait()
        (self.work / "done").unlink()


case = plans.ground.collector(CASES, Bare)

PLANT = "cp -r kit ../.writ"
NESTED = "mkdir -p sub/.git; cp -r kit sub/.writ"


def wait_for(path):
    for _ in range(3000):
        if path.exists():
            return
        time.sleep(.01)
    raise AssertionError(f"{path} did not appear")


def top(place):
    """Options for a run that can write the top of the repository."""
    return ("--write", str(place.repo))


@case
def a_registry_that_a_command_makes_is_not_obeyed_while_it_runs(place):
    runs = []
    run = place.exec_while(f"{PLANT}; $wait", lambda: runs.append(place.refused(place.repo)), options=top(place))
    same(run.record["exit_code"], 0)
    true(len(runs) == 1 and run.record["execution_id"] in runs[0].out.decode())
    hold(place.call("evil.run", "word=x", at=place.repo).status != 0 and not (place.repo / ".writ").exists(), run)


@case
def settings_and_adapters_that_a_command_makes_are_not_obeyed_either(place):
    def look():
        for name in ("kit/tools.yaml", "../.writ/tools.yaml"):
            (place.work / name).unlink()
        run = place.call("evil.run", "word=x", at=place.repo)
        hold(run.status != 0 and "NOT_ADOPTED" in run.out.decode(), run)
        place.put(".writ/config.yaml", json.dumps({"fallback": "fail_closed"}))
        run = place.writ("route", "contract", at=place.repo)
        hold(run.status != 0 and b"could make or change" in run.err, run)

    place.exec_while(f"{PLANT}; $wait", look, options=top(place))


@case
def what_a_command_made_whose_writ_was_killed_is_obeyed_once_it_is_adopted(place):
    place.killed(PLANT, *top(place))
    true((place.repo / ".writ/tools.yaml").exists())
    for _ in range(2):
        place.refused(place.repo, "writ adopt")
    hold(place.writ("tools", at=place.repo).status == 65, place.writ("tools", at=place.repo))
    run = place.record_of("--", "true")
    hold(run.status == 65 and "NOT_ADOPTED" in run.out.decode(), run)
    run = place.writ("adopt", at=place.repo)
    hold(run.status == 0 and f"{place.repo}/.writ".encode() in run.out, run)
    place.obeyed(place.repo)
    place.python("", options=top(place))
    place.obeyed(place.repo)


@case
def a_person_makes_their_own_after_a_killed_run(place):
    place.killed("true", *top(place))
    hold(place.writ("tools", at=place.repo).status == 0, place.writ("tools", at=place.repo))
    run = place.writ("init", at=place.repo)
    hold(run.status == 0, run)
    place.fine("example.count", "path=work/kit/tools.yaml", at=place.repo)


@case
def nothing_is_adopted_while_a_run_can_change_it(place):
    def adopt():
        run = place.writ("adopt", "--json", at=place.repo)
        hold(run.status == 77 and json.loads(run.out)["code"] == "NOT_ADOPTED", run)

    place.exec_while(f"{PLANT}; $wait", adopt, options=top(place))


@case
def nothing_is_adopted_below_while_a_run_can_change_it(place):
    def adopt():
        run = place.writ("adopt", "--json", at=place.work / "sub")
        hold(run.status == 77 and json.loads(run.out)["code"] == "NOT_ADOPTED", run)

    place.exec("sh", "-c", NESTED)
    time.sleep(.05)
    place.exec_while("echo >>sub/.writ/tools.yaml; $wait", adopt, options=top(place))


@case
def what_a_command_says_to_have_been_adopted_is_not(place):
    # It writes into a state directory that is not there, and so is not hidden from it.
    home, other, env = place.home, place.outside / "other", {"WRIT_STATE": str(place.outside / "state")}
    shutil.copytree(place.work / "kit", home / "p/kit")
    place.writ("exec", "--write", home, "--", "sh", "-c", NESTED, at=home / "p", env=env)
    same(place.writ("adopt", at=home / "p/sub", env={"WRIT_STATE": str(other)}).status, 0)
    made, = (other / "written/adopted").iterdir()  # its name, as a command can compute it
    (home / ".local/state/writ/written/adopted").mkdir(parents=True, exist_ok=True)
    (home / ".local/state/writ/written/adopted" / made.name).write_text("9999999999999\n")
    place.refused(home / "p/sub", env=env)


@case
def a_project_that_a_command_made_below_is_obeyed_once_it_is_adopted(place):
    place.exec("sh", "-c", NESTED)
    place.registry(tool("other"))
    place.refused(place.work / "sub")
    hold(place.writ("adopt", "sub").status == 0, place.writ("adopt", "sub"))
    place.obeyed(place.work / "sub")
    place.python("open('sub/.writ/adapters/evil.yaml', 'a').write('\\n')")
    place.refused(place.work / "sub")


@case
def a_project_below_is_obeyed_as_long_as_no_command_changes_it(place):
    subprocess.run(["sh", "-c", NESTED], cwd=place.work, check=True)
    time.sleep(.05)
    place.exec("sh", "-c", "echo > sub/file; mkdir sub/dir")
    place.obeyed(place.work / "sub")
    subprocess.run(["sh", "-c", "cp kit/tools.yaml sub/.writ/tools.yaml"], cwd=place.work, check=True)
    place.obeyed(place.work / "sub")
    time.sleep(.05)
    place.exec("sh", "-c", "mv sub/.writ/tools.yaml sub/t; cp kit/tools.yaml sub/.writ/")
    place.refused(place.work / "sub")


@case
def an_older_directory_that_a_command_renames_is_not_obeyed(place):
    time.sleep(.05)
    place.exec("sh", "-c", "mkdir -p sub/.git; mv kit sub/.writ")
    place.refused(place.work / "sub")


@case
def a_directory_around_it_may_have_another_name_by_then(place):
    place.exec("sh", "-c", NESTED)
    place.work.rename(place.repo / "other")
    place.work.mkdir()
    place.refused(place.repo / "other/sub")


@case
def what_a_link_in_a_registry_leads_to_is_held_to_the_same(place):
    place.put("work/conf.yaml", (place.work / "kit/tools.yaml").read_text())
    shutil.copytree(place.work / "kit", place.repo / ".writ")
    (place.repo / ".writ/tools.yaml").unlink()
    (place.repo / ".writ/tools.yaml").symlink_to("../work/conf.yaml")
    time.sleep(.05)
    place.obeyed(place.repo)
    place.python("")
    place.obeyed(place.repo)
    place.python("open('conf.yaml', 'a').write('\\n')")
    place.refused(place.repo)


@case
def the_users_own_settings_are_held_to_the_same(place):
    def look():
        run = place.writ("route", "contract", at=place.repo)
        hold(run.status != 0 and b"could make or change" in run.err, run)

    place.put("home/x", "")
    place.exec_while("mkdir -p ../../home/.config/writ; echo 'fallback: fail_closed' > "
                     "../../home/.config/writ/config.yaml; $wait", look, options=("--write", place.home))


@case
def a_registry_that_was_there_is_obeyed_beside_a_run(place):
    shutil.copytree(place.work / "kit", place.repo / ".writ")
    place.exec_while("$wait", lambda: place.obeyed(place.repo), options=top(place))
    place.obeyed(place.repo)


@case
def one_that_a_person_makes_after_a_run_is_obeyed(place):
    place.exec("true", options=top(place))
    time.sleep(.05)
    shutil.copytree(place.work / "kit", place.repo / ".writ")
    place.obeyed(place.repo)
    place.python("", options=top(place))
    place.obeyed(place.repo)


@case
def notes_of_many_runs_stay_small_and_forget_none(place):
    place.exec("sh", "-c", NESTED)
    notes = [path for path in (place.state / "written").iterdir() if path.is_file()]
    same(len(notes), 1)
    first = notes[0].read_bytes()
    later = first.split(b" ")
    later[0] = later[1] = b"000000000000001"
    with notes[0].open("ab") as note:
        note.write(b" ".join(later) * 600)
    place.exec("true")
    true(notes[0].stat().st_size < len(first) * 330)
    place.refused(place.work / "sub")


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
