#!/usr/bin/env python3
"""shipped: the adapters that ship, called as people call them, in a project without a registry of its own.

usage: shipped.py RUN_PLAN WRIT      prints TAP
"""
import pathlib
import re
import shutil
import subprocess
import sys

import toolshed
from toolshed import hold, plans, same, true

SHIPPED = pathlib.Path(__file__).resolve().parents[2] / "adapters"
CASES = []
case = toolshed.collector(CASES)


def needs(program):
    if not shutil.which(program, path="/usr/bin:/bin"):
        raise plans.tap.Skip(f"there is no {program}")


def yaml_tools(path):
    """The operations of each tool in a registry."""
    found = re.findall(r"tool_id: (\S+).*?operations: \[(.*?)\]", path.read_text(), re.DOTALL)
    return {tool_id: operations.split(", ") for tool_id, operations in found}


def bare(place):
    """Plans' places have a registry; a new project has none."""
    (place.repo / ".writ/tools.yaml").unlink(missing_ok=True)


@case
def R_001_121_R_001_123_R_001_124_ripgrep_finds_what_it_is_asked_for(place):
    needs("rg")
    bare(place)
    place.put("work/a.txt", "one TODO\ntwo\n")
    found = [line for line in place.fine("ripgrep-search.search", "pattern=todo", "ignore_case:=true", "max_count:=1")
             if line["type"] == "match"]
    same([(one["data"]["path"]["text"], one["data"]["line_number"]) for one in found], [("a.txt", 1)])
    place.fails(64, "PARAMETER_REFUSED", "ripgrep-search.search", "pattern=--pre=sh", told=["begins with '-'"])
    run = place.fails(1, "command_failed", "ADP-001.search", "pattern=nowhere-to-be-found", told=["nothing matched"])
    hold("error" not in run.record["error"]["message"], run)


@case
def git_is_read_and_never_written(place):
    needs("git")
    bare(place)
    place.put("work/a.txt", "hello\n")
    for words in (["add", "-A"], ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "first"]):
        subprocess.run(["git", "-C", place.repo, *words], check=True, env=plans.tap.ENV | {"HOME": str(place.home)})
    true("first" in str(place.fine("git.log", "max_count:=1")), "the commit")
    true("hello" in str(place.fine("git.show")), "its content")
    run = place.call("git.log", "revision=--output=stolen")
    hold(run.status != 0 and not (place.work / "stolen").exists(), run)
    for words in (["git.diff", "revision=--no-index"], ["git.show", "revision=-p"], ["git.log", "revision=--all"],
                  ["git.blame", "path=a.txt", "at=--contents=a.txt"], ["git.branches", "contains=--all"]):
        run = place.fails(64, "PARAMETER_REFUSED", *words)
        same([attempt for attempt in run.record["attempts"] if "execution_id" in attempt], [])
    place.fails(64, "OPERATION_UNKNOWN", "git.push")


@case
def jq_filters_what_it_is_given(place):
    needs("jq")
    bare(place)
    same(place.fine("jq.filter", "filter=.a", "input:={\"a\": [1]}"), [[1]])
    place.fails(64, "PARAMETER_REFUSED", "jq.filter")
    same(place.fine("jq.filter", "filter=env | length > 20", "null_input:=true"), [False])


@case
def a_function_of_python_is_called(place):
    bare(place)
    same(place.fine("python-statistics.mean", "data:=[1,2,6]"), 3)


@case
def R_001_091_the_rest_template_wants_a_secret_before_anything_is_sent(place):
    bare(place)
    place.fails(77, "SECRET_MISSING", "ADP-002.get_resource", "id=1", told=["api.example.com"])


@case
def what_ships_is_allowed_by_the_registry_that_init_writes(place):
    bare(place)
    hold(place.writ("init", place.repo).status == 0, "init")
    listed = yaml_tools(SHIPPED / "init/tools.yaml")
    for tool_id, operations in yaml_tools(SHIPPED / "tools.yaml").items():
        same(listed.get(tool_id), operations)
    same(place.fine("ADP-012.mean", "data:=[1,2,6]"), 3)
    place.fails(77, "SECRET_MISSING", "ADP-002.get_resource", "id=1", told=["api.example.com"])
    run = place.call("ADP-003.list_directory", "path=.")
    hold((run.record["error"] or {}).get("code") != "OPERATION_NOT_ALLOWED", run)


@case
def what_ships_is_not_allowed_where_a_strict_registry_does_not_list_it(place):
    place.registry()
    place.fails(77, "OPERATION_NOT_ALLOWED", "ripgrep-search.search", "pattern=x", told=["TL-003"])


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
