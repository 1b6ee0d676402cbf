#!/usr/bin/env python3
"""files: what a command may read and write, at each level and by lists.

usage: files.py WRIT      prints TAP
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import uuid

import ground
import tap
from ground import TOUCH, digest, expect, hold, printed, refused

CASES = []
case = ground.collector(CASES)

# Says of every argument whether it could be read, and tries to change it and to make a name beside it.
PROBE = """
import sys
for path in sys.argv[1:]:
    try: print("r" if open(path).read() == "text" else "-")
    except OSError: print("-")
    for name, how in ((path, "a"), (path + ".new", "w")):
        try: open(name, how).write("more")
        except OSError: pass
"""


def put(place, *names):
    for name in names:
        place.put(name, "text")


def can(place, run, *names):
    """What became of the files that PROBE was given: r as the command saw it, w (changed) and n (a
    new name beside it) as the host sees it. They are put back."""
    expect(run, exit_code=0, stderr__text="")
    answer = []
    for name, read in zip(names, run.record["stdout"]["text"].split(), strict=True):
        path, new = place.path(name), place.path(name + ".new")
        answer.append(read.replace("-", "") + "w" * (path.read_text() != "text") + "n" * new.exists())
        path.write_text("text")
        new.unlink(missing_ok=True)
    return [each or "-" for each in answer]


def probe(place, *names, options=(), **members):
    """PROBE on files of a place, by options, or by a document that has these members."""
    paths = [str(place.path(name)) for name in names]
    run = place.ask_python(PROBE, *paths, **members) if members else \
        place.python(PROBE, *paths, options=options)
    return run, can(place, run, *names)


# in the working directory, beside it, where results go; outside: any file, dependencies, secrets
ALL = ("work/in", "beside", "build/made", "outside/file", "home/.netrc", "home/.cargo/registry/crate",
       "home/.cargo/credentials")


# ---- levels ----

LEVELS = {
    "minimal": ["r", "-", "-", "-", "-", "-", "-"],
    "standard": ["rwn", "r", "r", "-", "-", "-", "-"],
    "extended": ["rwn", "r", "rwn", "-", "-", "r", "-"],
}


def level_holds(place, level):
    put(place, *ALL)
    for run, got in (probe(place, *ALL, options=[f"--fs={level}"]),
                     probe(place, *ALL, sandbox={"filesystem": {"level": level}})):
        expect(run, limits__filesystem=level)
        hold(got == LEVELS[level], run)


@case
def R_001_045_minimal_reads_the_working_directory_and_writes_nothing(place):
    level_holds(place, "minimal")


@case
def R_001_046_standard_reads_the_repository_and_writes_the_working_directory(place):
    level_holds(place, "standard")
    run, got = probe(place, *ALL)
    expect(run, limits__filesystem="standard")
    hold(got == LEVELS["standard"], run)


@case
def R_001_047_extended_reads_dependencies_and_writes_output(place):
    level_holds(place, "extended")


@case
def R_001_049_elevated_without_an_approval_is_refused(place):
    run = place.exec(*TOUCH, options=["--fs=elevated"])
    refused(place, run, 64, "APPROVAL_MISSING", "elevated", "approval")
    run = place.ask(*TOUCH, sandbox={"filesystem": {"level": "elevated"}})
    refused(place, run, 65, "APPROVAL_MISSING", "elevated", "approval")


@case
def R_001_049_a_document_needs_the_approval_of_the_registry_too(place):
    asked = {"sandbox": {"filesystem": {"level": "elevated"}}, "approval": {"reason": "because"}}
    refused(place, place.ask(*TOUCH, **asked), 77, "APPROVAL_MISSING", "elevated", "TL-1")
    place.registry({"tool_id": "TL-1", "approval": {"by": "mara", "at": "2026-01-15", "reason": "x"},
                    "scope": {"commands": ["/usr/bin/touch"], "filesystem": "elevated"}})
    run = place.ask(*TOUCH, sandbox=asked["sandbox"])
    refused(place, run, 65, "APPROVAL_MISSING", "elevated")
    run = place.ask("/usr/bin/touch", "/tmp/ran", **asked)
    expect(run, exit_code=0, approval="because", limits__filesystem="elevated")


@case
def R_001_048_R_001_049_elevated_reads_the_system_and_writes_only_what_is_named(place):
    passwd = pathlib.Path("/etc/passwd").read_bytes()
    run = place.python("import sys; sys.stdout.write(open('/etc/passwd').read())",
                       options=["--fs=elevated", "--approve=to look at the users"])
    expect(run, exit_code=0, approval="to look at the users", limits__filesystem="elevated",
           stdout__digest=digest(passwd))
    names = ("work/in", "work/named", "beside", "outside/file")
    put(place, *names)
    run, got = probe(place, *names, options=["--fs=elevated", "--approve=x", "--write=named"])
    hold(got == ["r", "rw", "r", "-"], run)
    run = place.python("open('/etc/writ-reqs-probe', 'w')", options=["--fs=elevated", "--approve=x"])
    hold(run.record["exit_code"] == 1 and not os.path.exists("/etc/writ-reqs-probe"), run)


@case
def R_001_045_R_001_046_R_001_047_the_system_below_elevated_is_a_stage_set(place):
    look = ("import os, sys\n"
            "print(open('/etc/passwd').read().count('\\n'), *(os.path.exists(p) and sorted(os.listdir(p))\n"
            "      for p in ('/root', '/boot', '/sys', '/var')), os.path.exists('/etc/shadow'))")
    for level in LEVELS:
        printed(place.python(look, options=[f"--fs={level}"]), "1 False False False False False\n")


@case
def R_001_045_R_001_046_R_001_172_tmp_is_its_own_and_gone_afterwards(place):
    for directory in ("/tmp", "/run", "/dev/shm", "/home/writ"):
        mine = pathlib.Path(directory, "writ-reqs-probe")
        run = place.python(f"open('{mine}', 'w').write('x'); print(open('{mine}').read())")
        printed(run, "x\n")
        hold(not mine.exists(), run)
    hold(not pathlib.Path("/home/writ").exists(), run)


# ---- lists ----

LISTED = ("outside/open/a", "outside/one", "outside/openly", "outside/file")


@case
def R_001_014_read_opens_a_path_and_nothing_beside_it(place):
    put(place, *LISTED)
    for level in LEVELS:
        run, got = probe(place, *LISTED, options=[f"--fs={level}", f"--read={place.outside}/open",
                                                  f"--read={place.outside}/one"])
        hold(got == ["r", "r", "-", "-"], run)
        hold({"path": f"{place.outside}/open", "access": "read", "why": "asked for"}
             in run.record["paths"], run)


@case
def R_001_015_write_opens_a_path_and_nothing_beside_it(place):
    put(place, *LISTED, "work/in")
    run, got = probe(place, *LISTED, "work/in", options=["--fs=minimal", f"--write={place.outside}/open",
                                                         f"--write={place.outside}/one"])
    hold(got == ["rwn", "rw", "-", "-", "r"], run)


@case
def R_001_014_R_001_015_lists_of_a_document_stay_in_the_repository(place):
    names = ("lib/a", "out/a", "beside")
    put(place, *names)
    run, got = probe(place, *names, sandbox={"filesystem": {
        "level": "minimal", "read": [str(place.repo / "lib")], "write": [str(place.repo / "out")]}})
    hold(got == ["r", "rwn", "-"], run)
    for access in ("read", "write"):
        run = place.ask(*TOUCH, sandbox={"filesystem": {access: [str(place.outside)]}})
        refused(place, run, 77, "PATH_REFUSED", str(place.outside), "outside of the repository")


@case
def R_001_014_R_001_015_a_list_with_a_missing_path_is_refused(place):
    for option in ("--read", "--write"):
        run = place.exec(*TOUCH, options=[f"{option}={place.outside}/none"])
        refused(place, run, 77, "PATH_REFUSED", f"{option}: {place.outside}/none cannot be opened")
    run = place.exec(*TOUCH, options=["--deny=none/.."])
    refused(place, run, 77, "PATH_REFUSED", "--deny: ")
    run = place.ask(*TOUCH, sandbox={"filesystem": {"read": ["none"]}})
    refused(place, run, 77, "PATH_REFUSED", "filesystem.read: none cannot be opened")


@case
def a_path_of_the_system_is_named_once_and_what_it_really_is_beside_it(place):
    (place.work / "link").symlink_to("/etc/passwd")
    for name, says in (("/etc", "'/etc' needs filesystem level"), ("link", "'link' (/etc/passwd) needs filesystem level")):
        refused(place, place.exec(*TOUCH, options=[f"--read={name}"]), 77, "PATH_REFUSED", says)


SHUT = ("work/in", "work/shut/a", "shut/a", "work/open")


@case
def R_001_016_deny_wins_over_the_level_and_both_lists(place):
    put(place, *SHUT)
    deny = [str(place.path(name)) for name in ("work/in", "work/shut", "shut")]
    lists = [str(place.path(name)) for name in ("work/in", "work/shut", "work/shut/a", "shut")]
    for more in ([], [f"--{access}={path}" for access in ("read", "write") for path in lists]):
        run, got = probe(place, *SHUT, options=[*more, *(f"--deny={path}" for path in deny)])
        hold(got == ["n", "-", "-", "rwn"], run)  # a new name beside it is none of deny
    run, got = probe(place, *SHUT, sandbox={"filesystem": {"read": lists, "write": lists, "deny": deny}})
    hold(got == ["n", "-", "-", "rwn"], run)  # a new name beside it is none of deny


@case
def R_001_016_deny_holds_through_links(place):
    put(place, "work/shut/a", "work/real", "work/hard")
    (place.work / "way").symlink_to("shut")
    (place.work / "name").symlink_to("real")
    (place.work / "other").hardlink_to(place.work / "hard")
    (place.repo / "far").symlink_to(place.work / "shut/a")
    names = ("work/way/a", "work/deep/../shut/a", "far", "work/real", "work/name", "work/hard", "work/other")
    (place.work / "deep").mkdir()
    run, got = probe(place, *names, options=["--deny=shut", "--deny=name", "--deny=hard"])
    hold([each.replace("n", "") or "-" for each in got] == ["-"] * len(names), run)


@case
def R_001_016_deny_holds_by_a_link_on_its_way_over_several_runs(place):
    put(place, "work/dir/secret", "work/real")
    (place.work / "decoy").mkdir()
    for link, to in (("way", "dir"), ("over", "way"), ("name", "next"), ("next", "real")):
        (place.work / link).symlink_to(to)
    asked = ["--deny=over/secret", "--deny=./name"]
    swap = "for l in way over next name; do rm -f $l; ln -sfn decoy $l; done; echo decoy > decoy/secret"
    look = "cat dir/secret way/secret over/secret real next name; true"
    run = place.exec("sh", "-c", swap, options=asked)
    hold([os.readlink(place.work / name) for name in ("way", "over", "name", "next")] ==
         ["dir", "way", "next", "real"], run)
    for change in ("true", swap, "rm decoy/secret"):  # by runs that deny nothing
        expect(place.exec("sh", "-c", change), exit_code=0)
        run = place.exec("sh", "-c", look, options=asked)
        hold("text" not in run.record["stdout"]["text"], run)
    hold(os.readlink(place.work / "way") == "decoy", run)


@case
def R_001_016_deny_holds_for_what_left_its_name_over_several_runs(place):
    put(place, "work/shut", "work/dir/in")
    asked = ["--deny=shut", "--deny=dir"]
    expect(place.exec("true", options=asked), exit_code=0)
    expect(place.exec("sh", "-c", "mv shut other; mv dir far"), exit_code=0)  # a run that denies nothing
    run = place.exec("sh", "-c", "cat other far/in; true", options=asked)
    hold(run.record["stdout"]["text"] == "" and (place.work / "other").read_text() == "text", run)


@case
def R_001_016_of_what_a_denied_name_meant_the_last_is_remembered_and_by_its_birth(place):
    put(place, "work/shut", "work/other")
    asked, number = ["--deny=shut"], (place.work / "other").stat().st_ino
    expect(place.exec("true", options=asked), exit_code=0)
    [memory] = (place.state / "denied").iterdir()
    [line] = memory.read_text().splitlines()
    if line.endswith(" 0"):
        raise tap.Skip("the file system does not know when a file was born")
    earlier = [f"{line.split()[0]} {number} {born}" for born in range(1, 65)]
    memory.write_text("".join(f"{each}\n" for each in earlier))
    run = place.exec("cat", "other", options=asked)  # which has the number of those, and came after them
    expect(run, exit_code=0, stdout__text="text")
    hold(memory.read_text().splitlines() == [*earlier[1:], line], run)


@case
def R_001_016_what_cannot_be_remembered_as_denied_is_refused(place):
    put(place, "work/shut")
    nowhere = {"HOME": None, "WRIT_STATE": None, "XDG_STATE_HOME": None}
    run = place.exec(*TOUCH, options=["--deny=shut"], env=nowhere)
    refused(place, run, 77, "PATH_REFUSED", "shut is denied must be remembered", "WRIT_STATE")


@case
def R_001_016_what_is_denied_cannot_be_moved_or_removed(place):
    put(place, "work/shut/a", "work/deep/er/shut")
    run = place.python("import os\n"
                       "for f, *a in ((os.rename, 'shut', 'other'), (os.rename, 'deep/er/shut', 'other'),\n"
                       "              (os.rename, 'deep/er', 'other'), (os.rename, 'deep', 'other'),\n"
                       "              (os.remove, 'deep/er/shut'), (os.rmdir, 'shut'),\n"
                       "              (os.link, 'deep/er/shut', 'other'), (os.symlink, 'x', 'shut/b'),\n"
                       "              (os.chmod, 'shut', 0o777), (os.chmod, 'deep/er/shut', 0o777)):\n"
                       "    try: f(*a); print('did', f.__name__, a)\n"
                       "    except OSError: pass\n",
                       options=["--deny=shut", "--deny=deep/er/shut"])
    printed(run, "")
    hold((place.work / "shut/a").read_text() == (place.work / "deep/er/shut").read_text() == "text", run)


@case
def R_001_016_R_001_167_a_denied_name_that_is_made_is_moved_and_told(place):
    for name, code in (("none", "open('none', 'w').write('made')"), ("far/none", "os.makedirs('far/none/in')")):
        run = place.python(f"import os\nopen('kept', 'w').close(); {code}",
                           options=["--deny=none", "--deny=far/none", "--artifact=**"])
        aside = f"{place.work}/{name}.writ-{run.record['execution_id'][:8]}"
        expect(run, exit_code=137, cause="violation", state="failed", missing=[], denials=[
            dict(path=f"{place.work}/{name}", act="created", rule="denied", undone=True, moved_to=aside)])
        hold(os.path.exists(aside) and not (place.work / name).exists(), run)
        kept = [row["path"] for row in run.record["artifacts"] if row["state"] == "collected"]
        hold("kept" in kept and not {name, os.path.relpath(aside, place.work)} & set(kept), run)


@case
def R_001_016_a_run_that_makes_a_denied_name_is_ended_at_once(place):
    (place.work / "sub").mkdir()
    for script in ("echo x >none", "ln -s x none", "echo x >y; ln y none", "mkdir none", "echo x >y; mv y none",
                   "echo x >sub/none", "mkdir far; echo x >far/none", "mkdir t; echo x >t/none; mv t far",
                   "mkdir far; sleep .2; mkdir far/none", "mkdir t; ln -s t far",
                   "trap '' TERM; echo x >none"):
        begin = time.monotonic()
        run = place.exec("/bin/sh", "-c", f"{script}; sleep 20; cat none >kept",
                         options=["--deny=none", "--deny=sub/none", "--deny=far/none"])
        expect(run, cause="violation", exit_code=137, state="failed", meaning="a wall or a limit did not hold", missing=[])
        hold(time.monotonic() - begin < 10 and len(run.record["denials"]) == 1, run)
        hold(not any(os.path.lexists(place.work / name) for name in ("none", "sub/none", "far/none", "kept")), run)
        for left in place.work.iterdir():
            if left.name != "sub":
                shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()


@case
def R_001_016_a_directory_on_the_way_that_is_made_twice_hides_nothing(place):
    for again in ("rmdir build", "mv build x"):
        run = place.exec("sh", "-c", f"mkdir build; sleep .2; {again}; mkdir build; touch build/.env; sleep 20",
                         options=["--deny=build/.env"])
        expect(run, exit_code=137, cause="violation")
        hold(not (place.work / "build/.env").exists(), run)
        subprocess.run(["rm", "-rf", place.work / "build", place.work / "x"], check=True)


@case
def R_001_016_one_that_takes_it_away_again_was_ended_for_it_all_the_same(place):
    run = place.exec("/bin/sh", "-c", "echo x >none; rm -f none", options=["--deny=none"])
    expect(run, cause="violation", exit_code=137)
    run = place.exec("/bin/sh", "-c", "mkdir far; echo x >far/other; echo x >nonesuch; mkdir non; rmdir non",
                     options=["--deny=none", "--deny=far/none", "--deny=non/e"])
    expect(run, cause="exited", exit_code=0, denials=[])
    run = place.exec("/bin/sh", "-c", "for i in $(seq 3000); do : >f$i; done; echo x >none; sleep 20",
                     options=["--deny=none"])
    expect(run, cause="violation", exit_code=137)


@case
def R_001_016_what_somebody_else_puts_there_is_not_read(place):
    run = place.exec_while("$wait; sleep 10; cat none", lambda: place.put("work/none", "a secret"), options=["--deny=none"])
    expect(run, cause="violation", exit_code=137, stdout__text="")
    [row] = run.record["denials"]
    hold(pathlib.Path(row["moved_to"]).read_text() == "a secret", run)


@case
def R_001_016_what_is_made_is_moved_also_when_the_command_took_the_name(place):
    id = str(uuid.uuid4())
    run = place.ask_python(f"open('.envrc', 'w').write('made'); open('.envrc.writ-{id[:8]}', 'w').write('mine')",
                           execution_id=id)
    [row] = run.record["denials"]
    hold(row["undone"] and row["moved_to"].startswith(f"{place.work}/.envrc.writ-{id[:8]}-"), run)
    hold(pathlib.Path(row["moved_to"]).read_text() == "made"
         and (place.work / f".envrc.writ-{id[:8]}").read_text() == "mine"
         and not (place.work / ".envrc").exists(), run)


@case
def R_001_016_a_link_on_the_way_to_a_denied_name_is_moved_and_a_file_is_left(place):
    run = place.exec("/bin/sh", "-c", "mkdir own; touch own/none file; ln -s own far",
                     options=["--deny=far/none", "--deny=file/none"])
    aside = place.work / ("far.writ-" + run.record["execution_id"][:8])
    expect(run, exit_code=137, denials=[dict(path=f"{place.work}/far/none", act="led elsewhere", rule="denied",
                                             undone=True, moved_to=str(aside))])
    hold(os.readlink(aside) == "own" and (place.work / "own/none").exists() and (place.work / "file").exists()
         and not os.path.lexists(place.work / "far"), run)


# ---- the working directory and input files ----

@case
def R_001_008_the_working_directory_is_where_it_runs(place):
    place.put("work/deep/in", "text")
    where = "import os; print(os.getcwd(), os.environ['PWD'], open('in').read())"
    deep = place.work / "deep"
    for run in (place.python(where, options=["--cwd=deep"]),
                place.python(where, options=[f"--cwd={deep}"]),
                place.python(where, at=deep),
                place.ask_python(where, inputs={"working_directory": str(deep)})):
        printed(run, f"{deep} {deep} text\n")


@case
def R_001_008_a_working_directory_that_is_none_is_refused(place):
    place.put("work/file", "text")
    for name, says in (("none", "none"), ("file", "no directory"), ("/", "/"), ("/etc", "/etc")):
        run = place.exec(*TOUCH, options=[f"--cwd={name}"])
        refused(place, run, 77, "PATH_REFUSED", "the working directory", says)
        run = place.ask(*TOUCH, inputs={"working_directory": name if name[0] == "/"
                                        else str(place.work / name)})
        refused(place, run, 77, "PATH_REFUSED", "the working directory", says)


@case
def R_001_008_a_working_directory_that_is_denied_is_refused(place):
    (place.work / "deep").mkdir()
    for options in (["--deny=."], ["--deny=/"], [f"--deny={place.work}", "--cwd=deep"]):
        run = place.exec(*TOUCH, options=options)
        refused(place, run, 77, "PATH_REFUSED", "the working directory", "is denied", "--cwd")
    for state, at in ((".", place.work), ("..", place.work / "deep")):
        run = place.exec(*TOUCH, env={"WRIT_STATE": state}, at=at)
        refused(place, run, 77, "PATH_REFUSED", "the working directory", "writ's own state directory", "WRIT_STATE")


@case
def R_001_016_a_denied_name_that_is_not_there_is_told_and_holds(place):
    put(place, "work/there")
    names = [str(place.work / name) for name in ("misspelt", "far/off")]
    asked = ["--deny=there", "--deny=misspelt", "--deny=far/off"]
    run = place.exec("true", options=asked)
    expect(run, exit_code=0, denials=[], **{"checks__IV-03": f"denied, and not there: {names[0]}, {names[1]}"})
    run = place.writ("exec", *asked, "--", "touch", "misspelt")
    [aside] = place.work.glob("misspelt.writ-*")
    said = [line for line in run.err.decode().splitlines() if not line.startswith("touch: ")]
    hold(re.sub("after .* s:", "after 0 s:", said.pop(0))
         == "writ: killed after 0 s: a denied name came into being: `denials` has it (exit 137)", run)
    hold(sorted(said) == sorted([
        f"writ: denied, and not there: {names[0]}, {names[1]}",
        "      look at what it did before running it again",
        f"writ: {names[0]} was created although it is denied: moved to {aside}"]), run)
    hold(not (place.work / "misspelt").exists(), run)
    run = place.exec("true", options=["--deny=there"])
    expect(run, exit_code=0, **{"checks__IV-03": "ok"})
    run = place.exec("true", options=[f"--deny=none{i}" for i in range(20)])
    hold(run.record["checks"]["IV-03"].endswith("none7 and 12 more"), run)


@case
def R_001_015_what_is_protected_is_not_granted_to_be_written(place):
    hook = place.put(".git/hooks/pre-commit", "# the owner's")
    put(place, "work/.envrc", ".vscode/tasks.json", "work/.vscodex/file", "outside/home/.ssh/config")
    for path, name in ((".envrc", ""), ("../.git/hooks", ""), ("../.git/config", ""), ("../.vscode", ""),
                       (hook, hook.parent), (place.repo / ".vscode/tasks.json", place.repo / ".vscode"),
                       (place.outside / "home/.ssh/config", place.outside / "home/.ssh")):
        words = (os.path.realpath(place.work / path), f"it lies in {name}, a" if name else "it is a", "protected name")
        refused(place, place.exec(*TOUCH, options=[f"--write={path}"]), 77, "PATH_REFUSED", *words)
    run = place.ask(*TOUCH, sandbox={"filesystem": {"write": [str(place.repo / ".git/hooks")]}})
    refused(place, run, 77, "PATH_REFUSED", "protected name")
    (place.repo / ".git").rename(place.outside / "kept.git")
    run = place.exec(*TOUCH, options=[f"--write={place.outside}/kept.git/hooks"])
    refused(place, run, 77, "PATH_REFUSED", "kept.git/hooks cannot be written", "it is a protected name")
    for path in (".vscodex", place.outside / "kept.git", place.outside / "kept.git/info"):
        expect(place.exec("/usr/bin/touch", "/tmp/ran", options=[f"--write={path}"]), exit_code=0)


@case
def R_001_008_a_working_directory_that_cannot_be_entered_is_refused(place):
    (place.work / "shut").mkdir(mode=0)
    held = []
    if os.geteuid() == 0:
        held = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
        os.chown(place.work / "shut", 12345, 12345)
    done = subprocess.run([*held, tap.WRIT, "exec", "--json", "--cwd=shut", "--", *TOUCH], cwd=place.work,
                          env=place.environment({}), stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    run = ground.Run(done.returncode, json.loads(done.stdout), done.stdout, done.stderr)
    refused(place, run, 77, "PATH_REFUSED", "the working directory shut cannot be entered: Permission denied")


@case
def R_001_014_a_directory_of_homes_is_not_granted_as_a_whole(place):
    if os.path.exists("/home/writ") or not os.path.isdir("/home"):
        raise tap.Skip("there is a /home/writ, or no /home")
    for option in ("--read=/home", "--write=/home", "--cwd=/home"):
        run = place.exec("/bin/true", options=[option])
        refused(place, run, 77, "PATH_REFUSED", "/home cannot be granted as a whole", "below it")
    expect(place.exec("/bin/true", options=["--deny=/home"]), exit_code=0)


@case
def what_is_no_layer_is_a_mistake_of_the_caller(place):
    for name in ("foo", "cgroup,user"):
        run = place.exec(*TOUCH, options=[f"--allow-weak={name}"])
        refused(place, run, 64, "INVALID_PAYLOAD", f"'{name}' is no layer", "cgroup, landlock, seccomp or user")
        run = place.writ("exec", f"--allow-weak={name}", "--", *TOUCH)
        hold(run.status == 64 and b"doctor" not in run.err, run)
    run = place.exec(*TOUCH, options=["--allow-weak=mount"])
    refused(place, run, 64, "INVALID_PAYLOAD", "no run goes without 'mount'", "cgroup, landlock, seccomp or user")


@case
def R_001_008_a_document_stays_in_the_repository_of_its_caller(place):
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["/usr/bin/touch"]}})
    for directory in (place.outside, place.home, place.repo.parent):
        (directory / ".writ").mkdir()
        (directory / ".writ/tools.yaml").write_bytes((place.repo / ".writ/tools.yaml").read_bytes())
        run = place.ask(*TOUCH, inputs={"working_directory": str(directory)})
        refused(place, run, 77, "PATH_REFUSED", "the working directory", str(directory))
        hold(not (directory / "ran").exists(), run)


@case
def R_001_009_input_files_are_there_and_kept_by_digest(place):
    data = bytes(range(256)) * 41
    place.put("work/in", data)
    place.put("beside", "beside")
    sums = ("import hashlib, sys\n"
            "for p in sys.argv[1:]: print(hashlib.sha256(open(p, 'rb').read()).hexdigest())")
    kept = [{"path": "in", "bytes": len(data), "digest": digest(data)},
            {"path": f"{place.repo}/beside", "bytes": 6, "digest": digest(b"beside")}]
    for run in (place.python(sums, "in", place.repo / "beside",
                             options=["--input-file=in", f"--input-file={place.repo}/beside"]),
                place.ask_python(sums, "in", str(place.repo / "beside"),
                                 inputs={"input_files": ["in", str(place.repo / "beside")]})):
        printed(run, "".join(entry["digest"][7:] + "\n" for entry in kept))
        expect(run, input_files=kept)


@case
def R_001_009_input_files_out_of_reach_are_refused(place):
    place.put("beside", "text")
    place.put("work/in", "text")
    (place.work / "link").symlink_to(place.outside / "secret")
    (place.work / "dir").mkdir()
    rows = [("none", []), ("dir", []), ("link", []), (place.outside / "secret", []), ("/etc/hostname", []),
            (place.repo / "beside", ["--fs=minimal"]), ("in", ["--deny=in"])]
    for name, options in rows:
        run = place.exec(*TOUCH, options=[f"--input-file={name}", *options])
        refused(place, run, 77, "PATH_REFUSED", "input file", str(name))
    for name in ("none", str(place.outside / "secret")):
        run = place.ask(*TOUCH, inputs={"input_files": [name]})
        refused(place, run, 77, "PATH_REFUSED", "input file", name)


if __name__ == "__main__":
    sys.exit(ground.main(CASES))
