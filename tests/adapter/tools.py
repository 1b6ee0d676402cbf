#!/usr/bin/env python3
"""tools: which tools are allowed here, which are there, and what ships is safe to be pointed at anything.

usage: tools.py WRIT      prints TAP
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faces"))
import tap  # noqa: E402

CASES = []
case = tap.collector(CASES)
UNBOUND_MB = 1 << 30  # the sandbox maps more than it uses


def ask(scratch, *args):
    return tap.run([tap.WRIT, *args], cwd=scratch, memory_mb=UNBOUND_MB, seconds=60,
                   env={"WRIT_STATE": str(scratch / "state"), "HOME": str(scratch / "home")})


def registry(scratch, *tools):
    """A tool is a dict; what it leaves out is filled in."""
    usual = {"owner": "me", "status": "active", "scope": {"operations": ["*"]}}
    (scratch / ".writ").mkdir(exist_ok=True)
    (scratch / ".writ/tools.yaml").write_text(json.dumps(
        {"tools": [{"tool_id": f"T-{i}", "name": f"tool {i}"} | usual | tool for i, tool in enumerate(tools)]}))


def tools(scratch, *args):
    answer = ask(scratch, "tools", "--json", *args)
    tap.insist(answer.status == 0, answer)
    return {tool["tool_id"]: tool for tool in json.loads(answer.out)["tools"]}


def command(name):
    return {"scope": {"commands": [name], "operations": ["*"]}}


def version_of(name):
    if not shutil.which(name, path="/usr/bin:/bin"):
        raise tap.Skip(f"{name} is not installed")
    said = subprocess.run([name, "--version"], capture_output=True, text=True, check=True, env=tap.ENV).stdout
    return next(word.strip("()") for word in said.split() if word[0].isdigit())


def same(found, should):
    if found != should:
        raise AssertionError(f"{found!r}, should be {should!r}")


@case
def R_001_159_the_installed_version_is_found_and_held_against_the_one_allowed(scratch):
    version = version_of("git")
    major = version.split(".")[0]
    registry(scratch, command("git") | {"version": f"{major}+"}, command("git") | {"version": f"{int(major) + 1}+"},
             command("git"), command("no-such-command"), {})
    found = tools(scratch)
    same([found[f"T-{i}"]["installed"] for i in range(3)], [".".join(version.split(".")[:3])] * 3)
    same([found[f"T-{i}"]["fits"] for i in range(5)], [True, False, True, None, None])
    same([found[f"T-{i}"]["installed"] for i in (3, 4)], [None, None])


@case
def R_001_155_a_version_is_remembered_until_it_is_asked_for_again(scratch):
    version_of("git")
    registry(scratch, command("git"))
    first = tools(scratch)
    kept = list((scratch / "state/cache/tool-metadata").iterdir())
    same(len(kept), 1)
    made = kept[0].read_bytes()
    same(tools(scratch), first)
    same(kept[0].read_bytes(), made)
    same(tools(scratch, "--fresh"), first)
    same(kept[0].read_bytes() == made, False)


@case
def R_001_155_that_a_tool_could_not_be_asked_is_not_remembered(scratch):
    version = ".".join(version_of("git").split(".")[:3])
    registry(scratch, command("git"))
    unknown = 0
    for most in range(10, 40, 2):  # descriptors: somewhere here a sandbox cannot be built
        answer = tap.run(["/bin/sh", "-c", f'ulimit -n {most}; exec "$@"', "sh", tap.WRIT, "tools", "--json"],
                         cwd=scratch, memory_mb=UNBOUND_MB, seconds=60,
                         env={"WRIT_STATE": str(scratch / "state"), "HOME": str(scratch / "home")})
        if answer.status != 0 or json.loads(answer.out)["tools"][0]["installed"] is not None:
            continue
        unknown += 1
        same(tools(scratch)["T-0"]["installed"], version)
        shutil.rmtree(scratch / "state/cache")
    if not unknown:
        raise tap.Skip("it can always be asked")


@case
def a_file_of_the_project_is_not_asked_for_its_version(scratch):
    evil = scratch / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {scratch}/ran\necho 1.0\n")
    evil.chmod(0o755)
    registry(scratch, command("./evil"), command(str(evil)), command("evil"))
    same([tool["installed"] for tool in tools(scratch).values()], [None] * 3)
    same((scratch / "ran").exists(), False)


@case
def R_001_173_reviews_that_are_overdue_and_tools_that_are_out_are_shown(scratch):
    registry(scratch, {"next_review": "2020-01-01"}, {"next_review": "9999-12-31"}, {"status": "blocked"},
             {"status": "deprecated", "next_review": "2020-01-01T00:00:00Z"}, {"provenance": "debian:x"})
    found = tools(scratch)
    same([found[f"T-{i}"]["overdue"] for i in range(5)], [True, False, False, True, False])
    same([found[f"T-{i}"]["status"] for i in (2, 3)], ["blocked", "deprecated"])
    same(found["T-4"]["provenance"], "debian:x")
    lines = ask(scratch, "tools").out.decode().splitlines()
    same("review overdue since 2020-01-01" in lines[0], True)
    same("blocked" in lines[2], True)


@case
def where_no_registry_is_kept_the_one_that_ships_holds(scratch):
    answer = ask(scratch, "tools", "--json")
    same(json.loads(answer.out)["registry"], None)
    found = tools(scratch)
    same(found["TL-003"]["adapters"], ["ADP-001"])
    same({tool["shipped"] for tool in found.values()}, {True})
    same(found["TL-100"]["scope"]["network"], "api")
    same(bool(found["TL-100"]["approval"]), True)


@case
def a_registry_of_somebody_else_further_up_is_not_ours(scratch):
    if os.geteuid() != 0:
        raise tap.Skip("only root can give files away")
    registry(scratch, {"tool_id": "T-theirs"})
    (scratch / "mine").mkdir()
    for path in (scratch / ".writ", scratch / ".writ/tools.yaml"):
        os.chown(path, 12345, 12345)
        answer = tap.run([tap.WRIT, "tools", "--json"], cwd=scratch / "mine", memory_mb=UNBOUND_MB, seconds=60,
                         env={"WRIT_STATE": str(scratch / "state"), "HOME": str(scratch / "home")})
        same(json.loads(answer.out)["registry"], None)
        os.chown(path, 0, 0)
    os.chown(scratch / ".writ", 12345, 12345)
    os.chown(scratch / "mine", 12345, 12345)  # a project of another user, in which root works
    answer = ask(scratch / "mine", "tools", "--json")
    same(list(json.loads(answer.out)["tools"][0].items())[0], ("tool_id", "T-theirs"))


# ---- the git adapter, in a repository that wants to start something ----

def hostile_repository(scratch):
    repo, ran = scratch / "repo", scratch / "ran"
    act = scratch / "act"
    act.write_text(f"#!/bin/sh\necho \"$0 $*\" >> {ran}\ncat \"$1\" 2>/dev/null\n")
    act.chmod(0o755)
    env = tap.ENV | {"HOME": str(scratch), "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*args):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=b", *args], cwd=repo, env=env, check=True,
                       capture_output=True)

    repo.mkdir()
    git("init", "-q", ".")
    (repo / ".gitattributes").write_text("*.txt diff=x\n")
    (repo / "a.txt").write_text("one\n")
    git("add", ".")
    git("commit", "-qm", "one")
    (repo / "a.txt").write_text("one\ntwo\n")
    git("commit", "-qam", "two")
    (repo / "a.txt").write_text("one\ntwo\nthree\n")
    for key in ("core.fsmonitor", "core.pager", "pager.log", "diff.external", "diff.x.command", "diff.x.textconv",
                "gpg.program", "core.editor", "core.sshCommand"):
        git("config", key, str(act))
    git("config", "log.showSignature", "true")
    hooks = repo / ".git/hooks"
    for name in ("post-index-change", "fsmonitor-watchman", "post-checkout"):
        (hooks / name).write_bytes(act.read_bytes())
        (hooks / name).chmod(0o755)
    return repo, ran, env


@case
def the_git_adapter_starts_nothing_that_a_repository_names(scratch):
    version_of("git")
    repo, ran, env = hostile_repository(scratch)
    adapter = json.loads(ask(scratch, "adapters", "git", "--level", "L2", "--json").out)["adapter"]
    cli, tried = adapter["interface"]["cli"], 0
    ends = {"status": ["--", "a.txt"], "log": ["--stat", "--end-of-options", "HEAD", "--", "a.txt"],
            "diff": ["--end-of-options", "HEAD~1", "--", "a.txt"], "show": ["--end-of-options", "HEAD"],
            "blame": ["--", "a.txt", "HEAD"], "branches": ["--contains=HEAD"]}
    same(sorted(adapter["operations"]), sorted(ends))
    for name, operation in adapter["operations"].items():
        for end in ([], ends[name]) if name != "blame" else (ends[name],):
            done = subprocess.run([cli["executable"], *cli["base_args"], *operation["args"], *end], cwd=repo, env=env,
                                  capture_output=True, text=True)
            same((name, done.returncode, done.stderr), (name, 0, ""))
            same(ran.read_text() if ran.exists() else "", "")
            tried += 1
    same(tried, 11)


@case
def the_git_adapter_takes_no_value_for_an_option(scratch):
    version_of("git")
    repo, _, env = hostile_repository(scratch)
    adapter = json.loads(ask(scratch, "adapters", "git", "--level", "L2", "--json").out)["adapter"]
    cli, planted = adapter["interface"]["cli"], scratch / "planted"
    mapping = cli["arg_mapping"]
    for name in ("log", "diff", "show"):
        for parameter, value in (("revision", f"--output={planted}"), ("path", f"--output={planted}"),
                                 ("path", ":(top)a.txt")):
            words = [word.replace("{value}", value) for word in mapping[parameter].split(" ")]
            subprocess.run([cli["executable"], *cli["base_args"], *adapter["operations"][name]["args"], *words],
                           cwd=repo, env=env, capture_output=True)
            same(planted.exists(), False)


if __name__ == "__main__":
    sys.exit(tap.play(CASES))
