#!/usr/bin/env python3
"""changes: what a run in write mode cow leaves in its record, as a diff, and what becomes of it.

usage: changes.py [--user] WRIT      prints TAP
"""
import base64
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import ground
import tap
from ground import digest, hold

CASES = []
case = ground.collector(CASES)
WEAK = []


def cow(place, script, *options):
    run = place.exec("/bin/sh", "-c", script, options=["--write-mode", "cow", *WEAK, *options])
    hold(run.status == 0 and "changes" in run.record, run)
    return run


def changes_of(run):
    return {row["path"]: row for row in run.record["changes"]["list"]}


def picture(root):
    """Every name below a directory, with what it is."""
    found = {}
    for path in sorted(root.rglob("*")):
        mode = path.lstat().st_mode
        what = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(root))] = (what, None if path.is_symlink() else oct(mode))
    return found


def start(place):
    place.put("work/a.txt", "one\ntwo\nthree\n")
    place.put("work/gone.txt", "gone\n")
    place.put("work/run.sh", "#!/bin/sh\n", 0o644)
    place.put("work/dir/x", "x\n")
    place.put("work/bin", b"\0\1")
    (place.work / "link").symlink_to("a.txt")


WORK = ("sed -i s/two/TWO/ a.txt; rm gone.txt; chmod 755 run.sh; rm -r dir; mkdir -p new/deep; echo f > new/deep/f;"
        "ln -sfn b link; : > empty; printf 'no end' > 'na me'")


def cow_while(place, script, change):
    run = place.exec_while(script, change, options=["--write-mode", "cow", *WEAK])
    hold(run.status == 0 and "changes" in run.record, run)
    return run


def kept_apart(place, run, *names):
    """A commit refuses these for what somebody did while the run lasted, and nothing else."""
    rows = changes_of(run)
    hold({path for path, row in rows.items() if row.get("changed_meanwhile")} ==
         {str(place.work / name) for name in names}, run)
    answer = place.writ("commit", "--json", run.record["execution_id"])
    hold(answer.status == 77, answer)
    refused = {row["path"]: row for row in json.loads(answer.out)["refused"]}
    hold(set(refused) == {str(place.work / name) for name in names}, answer)
    hold(all(row["code"] == "CHANGE_CONFLICT" and "while the run lasted" in row["message"]
             for row in refused.values()), answer)


# ---- what somebody else does while it runs ----

@case
def what_somebody_writes_while_it_runs_is_not_overwritten(place):
    start(place)
    path = place.work / "a.txt"
    run = cow_while(place, "echo tool >> a.txt; echo x > new; sed -i s/x/X/ dir/x; $wait",
                    lambda: path.write_text("an hour of work\n"))
    kept_apart(place, run, "a.txt")
    hold(path.read_text() == "an hour of work\n" and not (place.work / "new").exists(), run)
    diff = place.writ("diff", run.record["execution_id"])
    hold(b"somebody changed it while the run lasted: a.txt\n" in diff.out and b"work" not in diff.out.split(b"a.txt")[1]
         and b"b/dir/x" in diff.out, diff)
    stat = place.writ("diff", "--stat", run.record["execution_id"], "a.txt")
    hold(b"a.txt  changed by somebody while the run lasted" in stat.out, stat)
    answer = place.writ("commit", run.record["execution_id"], "new", "dir")
    hold(answer.status == 0 and (place.work / "dir/x").read_text() == "X\n", answer)
    path.write_text("one\ntwo\nthree\ntool\n")  # by hand, as the run left it: there is nothing left to do
    hold(place.writ("commit", run.record["execution_id"]).status == 0, answer)


@case
def what_somebody_puts_where_it_removes_stays(place):
    start(place)
    precious = place.work / "dir/precious"
    run = cow_while(place, "ls dir; rm -r dir; $wait", lambda: precious.write_text("precious\n"))
    kept_apart(place, run, "dir", "dir/precious")
    hold(precious.read_text() == "precious\n" and (place.work / "dir/x").exists(), run)
    run = cow_while(place, "ls dir; rm -r dir; mkdir dir; $wait", lambda: (place.work / "dir/other").write_text("o\n"))
    kept_apart(place, run, "dir/other")


@case
def what_somebody_does_to_names_while_it_runs_is_seen(place):
    for change, script, seen in (
            (lambda: (place.work / "a.txt").unlink(), "echo tool >> a.txt", "a.txt"),
            (lambda: (place.work / "run.sh").chmod(0o600), "echo tool >> run.sh", "run.sh"),
            (lambda: os.replace(place.work / "gone.txt", place.work / "a.txt"), "echo tool >> a.txt", "a.txt"),
            (lambda: ((place.work / "link").unlink(), (place.work / "link").symlink_to("c")), "ln -sfn b link", "link")):
        shutil.rmtree(place.work)
        start(place)
        kept_apart(place, cow_while(place, f"{script}; $wait", change), seen)


@case
def what_was_made_just_before_is_what_the_run_found(place):
    for turn in range(6):
        place.put("work/a.txt", f"{turn}\n")
        (place.work / "a.txt").stat()
        place.put("work/a.txt", f"again {turn}\n")
        run = cow(place, "echo tool >> a.txt; mv a.txt b.txt")
        hold(not any(row.get("changed_meanwhile") for row in changes_of(run).values()), run)


@case
def what_somebody_does_elsewhere_while_it_runs_is_no_conflict(place):
    start(place)
    run = cow_while(place, "echo tool >> a.txt; echo x > new; cat bin > /dev/null; $wait",
                    lambda: place.put("work/other", "other\n"))
    answer = place.writ("commit", run.record["execution_id"])
    hold(answer.status == 0 and (place.work / "new").exists() and (place.work / "other").exists(), answer)


def swap(place):
    """Another directory takes the place of the one that the command runs in."""
    place.work.rename(place.repo / "aside")
    place.put("work/a.txt", "not yours\n")
    place.put("work/dir/y", "not yours\n")


@case
def another_directory_in_its_place_is_not_taken_for_it(place):
    start(place)
    run = cow_while(place, "echo tool >> a.txt; rm -r dir; echo x > new; $wait", lambda: swap(place))
    rows = changes_of(run)
    hold(set(rows) == {str(place.work / name) for name in ("a.txt", "dir", "dir/x", "new")}, run)
    hold(rows[str(place.work / "a.txt")]["before"]["digest"] == digest(b"one\ntwo\nthree\n"), run)
    hold(b"not yours" not in place.writ("diff", run.record["execution_id"]).out, run)
    answer = place.writ("commit", "--json", run.record["execution_id"])
    hold(answer.status == 77 and b"another directory in the place of the tree" in answer.out, answer)
    hold(sorted(path.name for path in place.work.rglob("*")) == ["a.txt", "dir", "y"], answer)
    place.work.rename(place.repo / "other")
    (place.repo / "aside").rename(place.work)
    answer = place.writ("commit", run.record["execution_id"])
    hold(answer.status == 0 and (place.work / "a.txt").read_text().endswith("tool\n"), answer)


@case
def no_files_are_taken_from_another_directory(place):
    start(place)
    run = place.exec_while("$wait", lambda: swap(place), options=[*WEAK, "--output-file", "a.txt", "--artifact", "*/*"])
    hold(run.status == 74 and "another directory in the place of" in run.record["message"], run)
    kept = {path.read_bytes() for path in (place.state / "evidence").rglob("*") if path.is_file()}
    hold(b"not yours\n" not in kept, run)


@case
def a_directory_that_cannot_be_listed_loses_nothing(place):
    if os.geteuid() == 0:
        raise tap.Skip("root may list everything")
    start(place)
    place.work.chmod(0o300)
    run = cow(place, "echo tool >> a.txt; echo new > new")
    hold({row["change"] for row in changes_of(run).values()} == {"changed", "added"}, run)
    answer = place.writ("commit", run.record["execution_id"])
    hold(answer.status == 77 and b"its directory cannot be opened" in answer.err, answer)
    place.work.chmod(0o700)
    answer = place.writ("commit", run.record["execution_id"])
    hold(answer.status == 0 and (place.work / "new").exists(), answer)


# ---- the record ----

@case
def R_001_015_the_record_lists_what_was_added_changed_and_deleted(place):
    start(place)
    before = picture(place.work)
    run = cow(place, WORK)
    hold(picture(place.work) == before, run)
    rows = {path.removeprefix(f"{place.work}/"): row for path, row in changes_of(run).items()}
    hold(run.record["changes"]["roots"] == [str(place.work)] and not run.record["changes"]["truncated"], run)
    hold({name: row["change"] for name, row in rows.items()} ==
         {"a.txt": "changed", "gone.txt": "deleted", "run.sh": "changed", "dir": "deleted", "dir/x": "deleted",
          "new": "added", "new/deep": "added", "new/deep/f": "added", "link": "changed", "empty": "added",
          "na me": "added"}, run)
    a = rows["a.txt"]
    hold(a["digest"] == digest(b"one\nTWO\nthree\n") and a["bytes"] == 14 and a["mode"] == "0644", run)
    hold(a["before"] == {"kind": "file", "mode": "0644", "bytes": 14, "digest": digest(b"one\ntwo\nthree\n")}, run)
    hold(rows["link"]["target"] == "b" and rows["link"]["before"] == {"kind": "link", "target": "a.txt"}, run)
    hold(rows["run.sh"]["mode"] == "0755" and rows["empty"]["before"] is None, run)
    kept = digest(b"f\n").removeprefix("sha256:")
    hold((place.state / "evidence/sha256" / kept[:2] / kept[2:]).read_bytes() == b"f\n", run)


@case
def names_that_are_no_text_are_exact(place):
    name = b"na\xffme"
    run = place.python("import os; open(b'na\\xffme', 'w').write('x'); os.symlink(b'to\\xfe', b'li\\xffnk')",
                       options=["--write-mode", "cow", *WEAK])
    row = next(row for row in run.record["changes"]["list"] if row["kind"] == "file")
    hold(base64.b64decode(row["path_base64"]) == os.fsencode(place.work) + b"/" + name, run)
    answer = place.writ("commit", run.record["execution_id"])
    hold(answer.status == 0 and (place.work / os.fsdecode(name)).read_text() == "x", answer)
    hold(os.readlink(os.fsencode(place.work) + b"/li\xffnk") == b"to\xfe", answer)


@case
def F31_a_tree_that_its_owner_may_not_enter_is_read(place):
    run = cow(place, "echo x > x; echo y > .envrc; chmod 000 .")
    rows = {path.removeprefix(str(place.work)): row["mode"] for path, row in changes_of(run).items()}
    hold(rows.get("") == "0000" and rows.get("/x") == "0644", run)
    answer = place.writ("commit", run.record["execution_id"], place.work / ".envrc")
    hold(answer.status != 0 and not (place.work / ".envrc").exists(), answer)


@case
def a_run_that_changes_nothing_has_no_changes(place):
    start(place)
    run = cow(place, "cat a.txt > /dev/null; touch a.txt; cp a.txt b; mv b a.txt")
    hold(run.record["changes"]["list"] == [] and run.record["changes"]["diff"] is None, run)
    direct = place.exec("/bin/true", options=WEAK)
    hold("changes" not in direct.record, direct)


@case
def people_are_told_what_to_do_with_it(place):
    start(place)
    run = place.writ("exec", "--write-mode", "cow", *WEAK, "--", "/bin/sh", "-c", WORK)
    said = run.err.decode()
    hold(run.status == 0 and "3 changed, 5 added, 3 deleted; see: writ diff " in said, run)
    short = said.split("writ diff ")[1][:8]
    hold(f"writ commit {short}" in said, run)
    shown = place.writ("show", short)
    hold(b"3 changed, 5 added, 3 deleted" in shown.out, shown)
    hold(place.writ("commit", short).status == 0 and not (place.work / "gone.txt").exists(), run)


# ---- the diff ----

def applied(place, how, diff, before):
    """The tree as it was, with the diff applied by another program."""
    with tempfile.TemporaryDirectory(dir=place.outside) as scratch:
        copy = pathlib.Path(scratch) / "copy"
        shutil.copytree(before, copy, symlinks=True)
        run = subprocess.run(how, cwd=copy, input=diff, capture_output=True,
                             env=tap.ENV | {"GIT_CEILING_DIRECTORIES": scratch, "HOME": scratch})
        assert run.returncode == 0, (how, run.stdout, run.stderr, diff[-2000:])
        return picture(copy)


def files_of(found):
    """Neither git nor patch knows directories, nor permissions but one."""
    return {name: (what, bool(mode and int(mode, 8) & 0o100)) for name, (what, mode) in found.items()
            if what is not None}


def same_by_all(place, run):
    """The diff, applied by git and by patch, is what a commit does."""
    before = place.outside / "before"
    shutil.rmtree(before, ignore_errors=True)
    shutil.copytree(place.work, before, symlinks=True)
    diff = place.writ("diff", run.record["execution_id"])
    hold(diff.status == 0 and len(diff.out) == (run.record["changes"]["diff"] or {"bytes": 0})["bytes"], diff)
    answer = place.writ("commit", run.record["execution_id"])
    hold(answer.status == 0, answer)
    now = files_of(picture(place.work))
    if diff.out:
        for how in (["git", "apply", "-"], ["patch", "-p1", "-s", "--no-backup-if-mismatch"]):
            found = files_of(applied(place, how, diff.out, before))
            assert found == now, (how, found, now, diff.out[-2000:])
    return diff


@case
def the_diff_applies_with_git_and_patch(place):
    start(place)
    (place.work / "kind").write_text("a file\n")
    run = cow(place, WORK + "; rm kind; ln -s x kind; chmod 644 bin; printf 'a\\\\b\\n' > 'back\\slash'; "
              "printf x > 'quo\"te'; printf 'ä\\n' > 'ümlaut'; printf 't\\n' > 'tab\tin'")
    same_by_all(place, run)


# patch takes a blank at the end of a name for none, and knows no end of one that stands in the first line alone.
@case
def the_diff_applies_where_names_have_blanks(place):
    for name in ("of two", "at the end ", " before", "no more"):
        place.put(f"work/{name}", "one\ntwo\n")
    place.put("work/at the end", "one\ntwo\n")
    run = cow(place, "chmod 755 'of two'; echo three >> 'at the end '; rm ' before'; : > 'new and empty'; "
              "mkdir 'a b'; echo x > 'a b/c d '; : > 'no more'")
    same_by_all(place, run)


@case
def the_diff_takes_empty_files_away(place):
    for name in ("empty", "none", "link", "more"):
        place.put(f"work/{name}", "")
    run = cow(place, "rm empty none link; ln -s more link; echo x > more; : > new")
    same_by_all(place, run)


@case
def permissions_that_change_are_shown_before_they_come(place):
    place.put("work/key", "key\n", 0o600)
    place.put("work/text", "one\n", 0o640)
    place.put("work/sub/in", "in\n")
    place.put("work/two\nlines/in", "in\n")
    run = cow(place, "chmod 666 key; chmod 777 sub 'two\nlines'; echo two >> text; chmod 664 text;"
              "umask 0; echo new > new")
    name = run.record["execution_id"]
    diff = place.writ("diff", name)
    for lines in (b"b/key\nold mode 100600\nnew mode 100666\n", b"b/text\nold mode 100640\nnew mode 100664\n--- a/text\n",
                  b"b/new\nnew file mode 100666\n", b"\nwrit: mode 0755 -> 0777 of directory sub\n",
                  b'\nwrit: mode 0755 -> 0777 of directory "two\\012lines"\n'):
        hold(lines in diff.out, diff)
    stat = place.writ("diff", "--stat", name)
    hold(b"/key  mode 0600 -> 0666\n" in stat.out and b"/sub  directory  mode 0755 -> 0777\n" in stat.out, stat)
    hold(b"/text  mode 0640 -> 0664  +1\n" in stat.out and b"/new  +1\n" in stat.out, stat)
    some = place.writ("diff", "--stat", name, "sub", "text")
    hold(b"/sub  directory  mode 0755 -> 0777\n" in some.out and b"/text  mode 0640 -> 0664  +1\n" in some.out, some)
    dry = place.writ("commit", "--dry-run", name)
    hold(b"/key  mode 0600 -> 0666\n" in dry.out and b"/sub  mode 0755 -> 0777\n" in dry.out, dry)
    same_by_all(place, run)
    back = place.writ("commit", "--undo", "--dry-run", name)
    hold(b"/key  mode 0666 -> 0600\n" in back.out and b"/sub  mode 0777 -> 0755\n" in back.out, back)


@case
def texts_by_chance_too(place):
    chance = random.Random(5)

    def text():
        return "".join(chance.choice("abcdef\n") + "\n" * (chance.random() < .8) for _ in range(chance.randrange(30)))

    for turn in range(6):
        for path in place.work.iterdir():
            path.unlink()
        for i in range(8):
            place.put(f"work/f{i}", text())
        after = {f"f{chance.randrange(12)}": text() for _ in range(8)}
        place.put("outside/after.json", json.dumps(after))
        run = place.python("import json, sys, os\n"
                           "for n, t in json.loads(sys.argv[1]).items(): open(n, 'w').write(t)\n"
                           "os.path.exists('f0') and os.remove('f0')", json.dumps(after),
                           options=["--write-mode", "cow", *WEAK])
        hold(run.status == 0, run)
        same_by_all(place, run)


@case
def what_is_no_text_is_said_to_differ(place):
    start(place)
    place.put("work/large", "x" * (1 << 20) + "\n")
    run = cow(place, "printf '\\0new' > bin; printf '\\377' > latin; echo more >> large")
    diff = place.writ("diff", run.record["execution_id"])
    for name in ("a/bin and b/bin", "/dev/null and b/latin", "a/large and b/large"):
        hold(f"Binary files {name} differ\n".encode() in diff.out, diff)


@case
def what_is_no_text_does_not_come_by_the_diff(place):
    """docs/changes.md says what git and patch make of it"""
    start(place)
    before = place.outside / "before"
    shutil.copytree(place.work, before, symlinks=True)
    git, patch = ["git", "apply", "-"], ["patch", "-p1", "-s"]
    changed = cow(place, "printf '\\0new' > bin; echo more >> a.txt").record["execution_id"]
    new = cow(place, "printf '\\0new' > other; echo more >> a.txt").record["execution_id"]
    for name, how, path in ((changed, git, None), (changed, patch, None), (new, patch, None), (new, git, "a.txt")):
        diff = place.writ("diff", name, *([path] if path else []))
        found = applied(place, how, diff.out, before)
        hold(found["a.txt"][0].endswith(b"more\n") and found["bin"][0] == b"\0\1", diff)
        hold(found.get("other", (b"",))[0] == b"", diff)
    diff = place.writ("diff", new)
    try:
        applied(place, git, diff.out, before)
    except AssertionError as why:
        hold("cannot apply binary patch to 'other'" in str(why), diff)
    else:
        hold(False, diff)


@case
def a_diff_is_of_the_paths_that_are_named(place):
    start(place)
    run = cow(place, WORK)
    whole = place.writ("diff", run.record["execution_id"]).out
    some = place.writ("diff", run.record["execution_id"][:8], "new", "a.txt")
    hold(some.out.count(b"diff --git") == 2 and b"b/new/deep/f" in some.out and b"+TWO" in some.out, some)
    hold(all(part in whole for part in some.out.split(b"diff --git")[1:]), some)
    stat = place.writ("diff", "--stat", run.record["execution_id"])
    hold(b"a.txt  +1  -1\n" in stat.out and stat.out.endswith(b"3 changed, 5 added, 3 deleted\n"), stat)
    none = place.writ("diff", run.record["execution_id"], "nothing")
    hold(none.status == 1 and b"changed nothing at 'nothing'" in none.err, none)
    listed = json.loads(place.writ("diff", "--json", run.record["execution_id"]).out)
    hold([row["path"] for row in listed["changes"]] == [row["path"] for row in run.record["changes"]["list"]], some)


@case
def a_diff_of_other_bytes_is_refused(place):
    start(place)
    run = cow(place, WORK)
    text = run.record["changes"]["diff"]["digest"].removeprefix("sha256:")
    path = place.state / "evidence/sha256" / text[:2] / text[2:]
    data = path.read_bytes()
    path.chmod(0o600)
    path.write_bytes(data.replace(b"TWO", b"2wo"))
    answer = place.writ("diff", run.record["execution_id"])
    hold(answer.status == 77 and b"other bytes" in answer.err and b"2wo" not in answer.out, answer)
    path.unlink()
    answer = place.writ("diff", run.record["execution_id"])
    hold(answer.status == 77 and b"not among the evidence" in answer.err and not answer.out, answer)
    listed = place.writ("diff", "--json", run.record["execution_id"])
    told = json.loads(listed.out)
    hold(listed.status == 77 and told["diff"] is None and told["code"] == "CHANGE_REFUSED", listed)
    hold(len(told["changes"]) == len(run.record["changes"]["list"]), listed)
    stat = place.writ("diff", "--stat", run.record["execution_id"])
    hold(stat.status == 0 and stat.out.endswith(b" deleted\n") and b"not among the evidence" in stat.err, stat)
    hold(b"--stat" not in stat.err and place.writ("commit", run.record["execution_id"]).status == 0, stat)


# ---- what a commit does is what direct writing does ----

@case
def a_commit_is_what_writing_to_the_disk_would_have_been(place):
    start(place)
    script = WORK + "; mkdir -m 700 private; chmod 711 .; rm bin; mkdir bin; echo in > bin/in; mv a.txt moved"
    run = cow(place, script)
    copy = place.repo / "copy"
    shutil.copytree(place.work, copy, symlinks=True)
    if os.geteuid() == 0:
        shutil.copystat(place.work, copy)
    answer = place.writ("commit", run.record["execution_id"])
    hold(answer.status == 0, answer)
    direct = place.exec("/bin/sh", "-c", script, options=["--cwd", copy, *WEAK])
    hold(direct.status == 0 and picture(place.work) == picture(copy), direct)
    hold(place.work.stat().st_mode & 0o777 == copy.stat().st_mode & 0o777, direct)
    answer = place.writ("commit", "--undo", run.record["execution_id"])
    hold(answer.status == 0 and (place.work / "gone.txt").exists() and (place.work / "bin").is_file(), answer)


@case
def files_that_are_asked_for_are_kept_beside_it(place):
    start(place)
    run = cow(place, "echo made > out", "--output-file", "out")
    hold(run.record["output_files"][0]["state"] == "collected" and f"{place.work}/out" in changes_of(run), run)
    hold(not (place.work / "out").exists(), run)


@case
def a_step_of_a_plan_has_changes_of_its_own(place):
    start(place)
    if WEAK:
        raise tap.Skip("a plan does without no layer")
    place.registry({"tool_id": "TL-1", "scope": {"commands": [os.path.realpath("/bin/sh")], "filesystem": "standard"}})
    plan = {"id": "11111111-1111-4111-8111-111111111111", "version": 1, "created_at": 1768558530000, "name": "p",
            "context_requirements": ["who"], "steps": [
                {"id": "22222222-2222-4222-8222-222222222222", "action": "execute", "on_failure": "halt",
                 "payload": {"inputs": {"command": "/bin/sh", "arguments": ["-c", "echo step > step"]},
                             "sandbox": {"filesystem": {"write_mode": "cow"}}}}]}
    run = place.writ("run", "--set", "who=me", "--json", place.put("plan.json", json.dumps(plan)))
    hold(run.status == 0, run)
    log = [json.loads(line) for line in place.writ("log", "--limit", "0", "--json").out.splitlines()]
    ids = {e["subject"] for e in log if e["kind"] == "manifest" and "changes" in (e["body"] or {})}
    hold(len(ids) == 1 and not (place.work / "step").exists(), run)
    answer = place.writ("commit", ids.pop())
    hold(answer.status == 0 and (place.work / "step").read_text() == "step\n", answer)


def main():
    if "--user" not in sys.argv[1:-1]:
        return ground.main(CASES)
    return ground.play_as_user(CASES, lambda: WEAK.extend(["--allow-weak", "cgroup"]))


if __name__ == "__main__":
    sys.exit(main())
