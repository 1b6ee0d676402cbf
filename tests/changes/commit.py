#!/usr/bin/env python3
"""commit: what comes to the disk, what does not and why, and that it can be taken back.

usage: commit.py [--user] FORGE WRIT      prints TAP
"""
import fcntl
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import threading
import uuid
from concurrent.futures.thread import ThreadPoolExecutor

import forged
import tap
from forged import DIR, Answer, Link, done, hold, refused

CASES = []
case = forged.collector(CASES)

BEFORE = {"a.txt": "a\n", "d.txt": "d\n", "keep.txt": "keep\n", "run.sh": ("#!/bin/sh\n", 0o755), "old": DIR,
          "old/x": "x\n", "old/sub": DIR, "old/sub/y": "y\n", "link": Link("a.txt"), "file": "file\n",
          "dir": DIR, "dir/z": "z\n", "mode": "mode\n"}
AFTER = {"a.txt": "A\n", "d.txt": None, "run.sh": ("#!/bin/sh\necho\n", 0o700), "old": None, "old/x": None,
         "old/sub": None, "old/sub/y": None, "link": Link("elsewhere"), "file": ("directory", 0o750),
         "file/in": "in\n", "dir": "no more\n", "dir/z": None, "mode": ("mode\n", 0o600), "new": DIR,
         "new/deep": ("directory", 0o555), "new/deep/f": ("f\n", 0o640), "new/l": Link("/nowhere"),
         "empty": "", "bin": b"\0\1\2" * 50000}


# ---- all of it ----

@case
def all_changes_come_to_the_disk(g):
    g.forge(BEFORE, AFTER)
    done(g.commit(), len(AFTER))
    g.has(g.after)
    answer = g.commit()
    done(answer, 0)
    hold(answer.answer["already"] == len(AFTER), answer)


@case
def a_commit_is_taken_back(g):
    g.forge(BEFORE, AFTER)
    done(g.commit())
    done(g.undo(), len(AFTER))
    g.has(g.before)
    refused(g, g.undo(), None, "nothing of this run is committed")
    done(g.commit(), len(AFTER))
    g.has(g.after)


@case
def what_is_told_of_a_path_is_what_becomes_of_it(g):
    g.forge({"run.sh": ("x\n", 0o755), "gone": "y\n"}, {"new": "n\n", "run.sh": ("x\n", 0o700), "gone": None})
    there = {"new": {"change": "added"}, "gone": {"change": "deleted"},
             "run.sh": {"change": "changed", "mode": "0700", "before": {"mode": "0755"}}}
    back = {"new": {"change": "deleted"}, "gone": {"change": "added"},
            "run.sh": {"change": "changed", "mode": "0755", "before": {"mode": "0700"}}}
    for undo, told, words in (([], there, "1 changed, 1 added, 1 deleted would be committed\n"),
                              (["--undo"], back, "would be taken back: 1 changed, 1 added, 1 deleted\n")):
        shown = g.writ("commit", g.run, "--dry-run", *undo)
        sign, mode = ("AD", "0755 -> 0700") if not undo else ("DA", "0700 -> 0755")
        hold(all(f"{s} {g.root / name}" in shown.err for s, name in zip(sign, ("new", "gone"))), shown)
        hold(f"{g.root / 'run.sh'}  mode {mode}\n" in shown.err and words in shown.err, shown)
        answer = g.commit(*undo)
        done(answer, 3)
        wanted = {str(g.root / name): row for name, row in told.items()}
        hold({row.pop("path"): row for row in answer.answer["done"]} == wanted, answer)


@case
def path_by_path(g):
    g.forge(BEFORE, AFTER)
    done(g.commit("a.txt"), 1)
    g.has(g.before | {"a.txt": "A\n"})
    done(g.commit("old/sub", "run.sh"), 3)
    g.has(g.before | {"a.txt": "A\n", "old/sub": None, "old/sub/y": None, "run.sh": AFTER["run.sh"]})
    done(g.commit(str(g.root / "new/deep/f"), at=g.outside), 3)  # with the directories it needs
    answer = g.commit("keep.txt")
    hold(answer.status == 1 and "changed nothing at 'keep.txt'" in answer.answer["message"], answer)
    done(g.undo(), 7)
    g.has(g.before)


# A variable that was not set is no word for all that is below.
@case
def a_path_that_is_empty_names_nothing(g):
    g.forge(BEFORE, AFTER)
    for paths in ([""], ["a.txt", ""], ["", "a.txt"]):
        answer = g.commit(*paths, at=g.root)
        hold(answer.status == 1 and "changed nothing at ''" in answer.answer["message"], answer)
    g.has(g.before)
    answer = g.writ("diff", "--json", g.run, "", at=g.root)
    hold(answer.status == 1 and "changed nothing at ''" in answer.answer["message"], answer)
    done(g.commit(".", at=g.root), len(AFTER))


@case
def a_dry_run_changes_nothing(g):
    g.forge(BEFORE, AFTER)
    answer = g.commit("--dry-run")
    done(answer, len(AFTER))
    hold(answer.answer["execution_id"] is None and not g.events(), answer)
    g.has(g.before)
    (g.root / "a.txt").write_text("mine\n")
    refused(g, g.commit("--dry-run"), "a.txt", "somebody changed it", code="CHANGE_CONFLICT")
    told = g.writ("commit", g.run, "--dry-run").err
    hold(f"compare: writ diff {g.run} {g.root / 'a.txt'} shows what the run did to it\n" in told, told)


@case
def who_owns_a_file_does_not_change(g):
    g.forge({"a": "a\n", "dir": DIR}, {"a": "A\n", "dir/new": "n\n"})
    if os.geteuid() != 0:
        raise tap.Skip("only root can give files away")
    os.chown(g.root / "a", 1234, 4321)
    os.chown(g.root / "dir", 77, 78)
    done(g.commit())
    st, new = (g.root / "a").stat(), (g.root / "dir/new").stat()
    hold((st.st_uid, st.st_gid, new.st_uid, new.st_gid) == (1234, 4321, 77, 78), g.commit())


@case
def names_of_any_bytes(g):
    name = os.fsdecode(b"na\xffme\n\"")
    row = g.row("x", None, "odd\n") | {"path": "lost", "path_base64": forged.b64(os.fsencode(g.root / name))}
    g.forge({}, {}, rows=[row])
    done(g.commit(), 1)
    hold((g.root / name).read_text() == "odd\n", g.commit())


@case
def all_names_of_a_file_are_committed_at_once(g):
    for n, (left, mode) in enumerate((("A\n", 0o644), (None, 0o644), ("a\n", 0o600), ("directory", 0o755))):
        ground = forged.Ground(g.outside / str(n))
        names = [f"{where}{name}" for where in ("", "sub/") for name in ("a", "b", "c")]
        ground.forge({"sub": DIR} | {name: ("a\n", 0o644) for name in names},
                     {name: left and (left, mode) for name in names})
        for name in names[1:]:
            (ground.root / name).unlink()
            (ground.root / name).hardlink_to(ground.root / "a")
        done(ground.commit(), len(names))
        ground.has(ground.after)
        done(ground.undo(), len(names))
        ground.has(ground.before)


# ---- trees by chance ----

def grow(chance, real, depth=3, name=""):
    """Files, links and directories, some of them in one another."""
    tree = {}
    for part in "ab":
        path = f"{name}/{part}".lstrip("/")
        kind = chance.choice(["nothing", "file", "link", "directory", "directory"][:5 if depth > 1 else 3])
        if kind == "file":
            tree[path] = (chance.choice("xyz") + "\n", chance.choice((0o644, 0o755)))
        elif kind == "link":
            tree[path] = Link(chance.choice((str(real), "/nowhere", "a")))
        elif kind == "directory":
            tree |= {path: ("directory", chance.choice((0o755, 0o700)))} | grow(chance, real, depth - 1, path)
    return tree


def as_it_is(place):
    """All that is below a directory; nothing behind a link."""
    return {str((pathlib.Path(at) / name).relative_to(place)): forged.seen(pathlib.Path(at) / name)
            for at, directories, files in os.walk(place) for name in directories + files}


@case
def anything_becomes_anything_and_is_taken_back(g):
    chance = random.Random(11)
    real = g.outside / "real"
    for name in ("a", "b/a", "b/b"):
        forged.make(real / name, "not yours\n")
    aside = as_it_is(real)
    for turn in range(40):
        ground = forged.Ground(g.outside / str(turn))
        before, after = grow(chance, real), grow(chance, real)
        ground.forge(before, {name: after.get(name) for name in sorted({*before, *after})})
        wanted = [{name: forged.whole(thing) for name, thing in tree.items()} for tree in (before, after)]
        hold(as_it_is(ground.root) == wanted[0], Answer(turn, before, ""))
        for how, tree in ((ground.commit, wanted[1]), (ground.commit, wanted[1]), (ground.undo, wanted[0])):
            answer = how()
            hold(answer.status == 0 or before == after, answer)
            hold(as_it_is(ground.root) == tree and as_it_is(real) == aside, answer)


@case
def a_directory_and_a_link_change_places(g):
    g.forge({"real": DIR, "real/f": "mine\n", "d": DIR, "d/b": "1\n", "l": Link("real")},
            {"d": Link("/nowhere"), "d/b": None, "l": DIR, "l/f": "1\n", "l/in": DIR, "l/in/g": "2\n"})
    done(g.commit(), 6)
    hold(as_it_is(g.root) == {name: forged.whole(thing) for name, thing in g.after.items() if thing}, g.commit())
    done(g.undo(), 6)
    hold(as_it_is(g.root) == {name: forged.whole(thing) for name, thing in g.before.items()}, g.commit("--dry-run"))


@case
def another_link_in_that_place_is_in_the_way(g):
    g.forge({"real": DIR, "l": Link("real")}, {"l": DIR, "l/f": "1\n"})
    (g.root / "l").unlink()
    (g.root / "l").symlink_to(g.outside)
    refused(g, g.commit(), "l", "somebody", code="CHANGE_CONFLICT")
    refused(g, g.commit(), "l/f", "link")
    hold(not (g.outside / "f").exists(), g.commit())


# ---- conflicts ----

@case
def what_changed_since_is_not_overwritten(g):
    g.forge(BEFORE, AFTER)
    for name, spoil in (("a.txt", lambda p: p.write_text("mine\n")), ("d.txt", lambda p: p.write_text("mine\n")),
                        ("empty", lambda p: p.write_text("")), ("run.sh", lambda p: p.chmod(0o600)),
                        ("link", lambda p: (p.unlink(), p.symlink_to("b"))), ("mode", lambda p: p.unlink())):
        path, there = g.root / name, forged.seen(g.root / name)
        spoil(path)
        mine = forged.seen(path)
        if name != "empty" or mine != forged.whole(AFTER["empty"]):
            refused(g, g.commit(), name, "somebody", code="CHANGE_CONFLICT")
        hold(forged.seen(path) == mine, g.commit("--dry-run"))
        if path.exists() or path.is_symlink():
            path.unlink()
        if there is not None:
            forged.make(path, there)
        g.has(g.before)
    done(g.commit())
    g.has(g.after)


@case
def a_directory_that_is_not_empty_now_stays(g):
    g.forge(BEFORE, AFTER)
    (g.root / "old/sub/mine").write_text("mine\n")
    refused(g, g.commit(), "old/sub", "not empty", code="CHANGE_CONFLICT")
    g.has(g.before)


@case
def what_changed_after_a_commit_is_not_taken_back(g):
    g.forge(BEFORE, AFTER)
    done(g.commit())
    (g.root / "a.txt").write_text("mine\n")
    refused(g, g.undo(), "a.txt", "since it was committed", code="CHANGE_CONFLICT")
    g.has(g.after | {"a.txt": "mine\n"})


@case
def a_directory_that_is_closed_stands_in_the_way_at_once(g):
    g.forge({"a": "a\n", "ro": DIR, "ro/x": "x\n", "ro/m": "m\n"},
            {"a": "A\n", "ro/x": "X\n", "ro/new": "n\n", "ro/m": ("m\n", 0o600)})
    if os.geteuid() == 0:
        raise tap.Skip("root may write everywhere")
    (g.root / "ro").chmod(0o555)
    for answer in (g.commit("--dry-run"), g.commit()):
        refused(g, answer, "ro/x", "cannot be written in")
        refused(g, answer, "ro/new", "cannot be written in")
        hold(len(answer.answer["refused"]) == 2, answer)
    g.has(g.before | {"ro": ("directory", 0o555)})
    done(g.commit("ro/m"), 1)  # that is done where it is
    (g.root / "ro").chmod(0o755)
    done(g.commit(), 3)
    g.has(g.after)


# ---- what may not be ----

@case
def protected_names_are_refused(g):
    for name in (".git/hooks/pre-commit", ".git/config", ".bashrc", ".envrc", ".vscode/tasks.json", ".writ/tools.yaml"):
        ground = forged.Ground(g.outside / name.replace("/", "-"))
        ground.forge({".git": DIR, ".git/HEAD": "ref: x\n", ".git/hooks": DIR},
                     {name: "evil\n", "good": "good\n"} | ({".vscode": DIR} if "vscode" in name else {})
                     | ({".writ": DIR} if ".writ" in name else {}))
        refused(ground, ground.commit(), name, "protected name")
        hold(not (ground.root / name).exists() and not (ground.root / "good").exists(), ground.commit("good"))
        done(ground.commit("good"))


@case
def what_git_runs_is_committed_by_its_name_alone(g):
    hook = {"{}.git": DIR, "{}.git/config": "c\n", "{}.git/hooks": DIR, "{}.git/hooks/pre-commit": "evil\n"}
    g.forge({"old": DIR}, {"good": "good\n", "sub": DIR, "sub/.envrc": "e\n",
                           **{name.format(where): thing for where in ("", "old/", "sub/") for name, thing in hook.items()}})
    for paths in ((), (str(g.root),), (str(g.root / "sub"), str(g.root / "good")), (str(g.root / ".git"), str(g.root))):
        answer = g.commit(*paths)
        refused(g, answer, "sub/.git/config", "git runs", ".git as a PATH")
        refused(g, answer, "sub/.git/hooks/pre-commit", "git runs")
        top = str(g.root / ".git/config") in [row["path"] for row in answer.answer["refused"]]
        hold(top == (paths[:1] in ((), (str(g.root),))), answer)
        g.has(g.before)
    answer = g.commit(str(g.root / "good"), str(g.root / "sub/.envrc"))
    same = {row["path"]: row.get("runs_later", False) for row in answer.answer["done"]}
    hold(same == {str(g.root / name): name == "sub/.envrc" for name in ("good", "sub", "sub/.envrc")}, answer)
    done(g.commit(str(g.root), *(str(g.root / where / ".git") for where in ("", "old", "sub"))))
    g.has(g.after)
    done(g.undo())
    g.has(g.before)


@case
def what_leads_git_elsewhere_is_committed_by_its_name_alone(g):
    g.forge({"old": DIR}, {"old/.git": "gitdir: ../made\n", "link": DIR, "link/.git": Link("../made"), "made": DIR,
                           "made/HEAD": "ref: x\n", "made/config": "c\n"})
    answer = g.commit()
    for name in ("old/.git", "link/.git"):
        refused(g, answer, name, "git runs", ".git as a PATH")
    g.has(g.before)
    done(g.commit(str(g.root), *(str(g.root / name) for name in ("old/.git", "link/.git"))))
    g.has(g.after)


STATE = {"{}": DIR, "{}/HEAD": "ref: refs/heads/x\n", "{}/refs": DIR, "{}/objects": DIR, "{}/config": "old\n"}


def state(where):
    return {name.format(where): thing for name, thing in STATE.items()}


# git finds its state by what is in it: a submodule's, one that a file leads to, a bare one.
@case
def what_git_runs_is_found_wherever_its_state_lies(g):
    there = {"deep": DIR, "deep/.git": DIR, "deep/.git/modules": DIR, **state("deep/.git/modules/sub"), **state("data"),
             "sep": DIR, "sep/.git": "gitdir: ../data\n"}
    worktree = {"HEAD": "ref: x\n", "commondir": "../..\n", "config.worktree": "w\n"}
    g.forge(there, {"deep/.git/modules/sub/config": "new\n", "data/hooks": DIR, "data/hooks/post-checkout": "evil\n",
                    "data/worktrees": DIR, "data/worktrees/w": DIR,
                    **{f"data/worktrees/w/{name}": text for name, text in worktree.items()},
                    "data/refs/x": "sound\n", **state("bare"), "config": "no repository's\n", "good": "good\n"})
    new = [f"data/worktrees/w/{name}" for name in worktree] + [name for name in state("bare") if name != "bare"]
    found = {"deep/.git/modules/sub/config": "deep/.git", "data/hooks/post-checkout": "data", **{name: name for name in new}}
    for paths in ((), (str(g.root),)):
        answer = g.commit(*paths)
        for name, git in found.items():
            refused(g, answer, name, f"name {g.root / git} as a PATH")
        hold(not {str(g.root / name) for name in ("data/refs/x", "config", "good")}
             & {row["path"] for row in answer.answer["refused"]}, answer)
        g.has(g.before)
    for name in new:  # who names a directory means what is in it, and not what it becomes
        refused(g, g.commit(str(g.root / "bare"), str(g.root / "data")), name, "git runs")
    done(g.commit(str(g.root), *(str(g.root / git) for git in found.values())))
    g.has(g.after)
    done(g.undo())
    g.has(g.before)


@case
def what_becomes_gits_state_is_refused_for_what_lay_there_before(g):
    g.forge({"data": DIR, "data/config": "evil\n"}, {"data/HEAD": "ref: x\n", "data/refs": DIR, "data/objects": DIR})
    for name in ("data/HEAD", "data/refs", "data/objects"):
        refused(g, g.commit(), name, f"name {g.root / name} as a PATH")
        refused(g, g.commit(str(g.root / "data")), name, "git runs")
    done(g.commit(str(g.root / "data"), *(str(g.root / "data" / name) for name in ("HEAD", "refs", "objects"))))


@case
def every_git_of_a_path_is_looked_at(g):
    g.forge({}, {"a": DIR, "a/.git": DIR, "a/.git/y": DIR, "a/.git/y/.git": DIR, "a/.git/y/.git/config": "evil\n",
                 "b": DIR, "b/.git": DIR, "b/.git/y": DIR, "b/.git/y/.git": "gitdir: ../../../q\n"})
    answer = g.commit()
    refused(g, answer, "a/.git/y/.git/config", f"name {g.root}/a/.git/y/.git as a PATH")
    refused(g, answer, "b/.git/y/.git", f"name {g.root}/b/.git/y/.git as a PATH")
    g.has(g.before)


@case
def directories_in_each_other_are_looked_at_once(g):
    deep, names = "config", [f"f{n}" for n in range(300)]
    tree = {deep: DIR}
    for _ in range(200):
        deep += "/config"
        tree[deep] = DIR
    g.forge({}, tree | {f"{deep}/{name}": "x\n" for name in names})
    done(g.commit())
    g.has(g.after)


@case
def a_git_above_the_tree_names_nothing_in_it(g):
    ground = forged.Ground(g.outside / ".git/wt")
    ground.forge({"good": "old\n"}, {"good": "new\n", "sub": DIR, "sub/.git": DIR, "sub/.git/config": "c\n"})
    refused(ground, ground.commit(str(ground.root)), "sub/.git/config", f"name {ground.root}/sub/.git as a PATH")
    ground.has(ground.before)


@case
def protected_names_that_are_there_stay(g):
    there = {".git": DIR, ".git/HEAD": "ref: x\n", ".git/config": "c\n", ".git/hooks": DIR, ".bashrc": "b\n"}
    g.forge(there, {".git/config": None, ".git/hooks": None, ".bashrc": None, "good": "good\n"})
    answer = g.commit()
    for name in (".git/config", ".git/hooks", ".bashrc"):
        refused(g, answer, name, "protected name")
    g.has(g.before | {"good": None})
    done(g.commit("good"))


@case
def what_has_a_protected_name_in_it_stays(g):
    there = {".git": DIR, ".git/HEAD": "ref: x\n", ".git/config": "c\n", ".vscode": DIR, ".vscode/tasks.json": "t\n"}
    g.forge(there, {".git": Link("elsewhere"), **{name: None for name in there if name != ".git"}})
    answer = g.commit()
    for name in (".git", ".git/config", ".vscode", ".vscode/tasks.json"):
        refused(g, answer, name, "protected name")
    g.has(g.before)


@case
def what_the_runs_policy_denies_is_refused(g):
    g.forge({"in": DIR, "in/secret": "s\n", "ro": DIR, "ro/x": "x\n", "all": DIR, "all/deep": DIR, "all/deep/s": "s\n"},
            {"in/secret": "S\n", "ro/x": "X\n", "later": "l\n", "all": None, "all/deep": None, "all/deep/s": None},
            paths=[{"path": str(g.root / "all/deep/s"), "access": "denied", "why": "asked for"},
                   {"path": str(g.root / "in/secret"), "access": "denied", "why": "asked for"},
                   {"path": str(g.root / "ro"), "access": "read", "why": "asked for"}],
            kept_out=[{"path": str(g.root / "later"), "rule": "denied", "directory": False}])
    refused(g, g.commit("in"), "in/secret", "denies")
    refused(g, g.commit("ro"), "ro/x", "only read")
    refused(g, g.commit("later"), "later", "denies")
    refused(g, g.commit("all"), "all", "not to be written")
    g.has(g.before)


@case
def what_lies_outside_is_refused(g):
    victim = g.outside / "victim"
    victim.write_text("v\n")
    for path in (str(victim), f"{g.root}/../outside/victim", str(g.state / "ledger.db"), "/etc/writ-was-here"):
        ground = forged.Ground(g.outside / str(abs(hash(path))))
        row = ground.row("x", None, "evil\n") | {"path": path.replace(str(g.root), str(ground.root))}
        ground.forge({}, {}, rows=[row])
        answer = ground.commit()
        hold(answer.status == 77 and answer.answer["refused"], answer)
    hold(victim.read_text() == "v\n", g.commit())


@case
def writs_own_state_is_refused(g):
    g.forge({}, {}, roots=[str(g.root), str(g.state)],
            paths=[{"path": str(g.state), "access": "write", "why": "oops"}],
            rows=[g.row("x", None, "evil\n") | {"path": str(g.state / "evil")}])
    answer = g.commit()
    hold(answer.status == 77 and "writ keeps what it knows" in answer.answer["message"], answer)
    hold(not (g.state / "evil").exists(), answer)


@case
def nothing_goes_through_a_link(g):
    g.forge({"sub": DIR, "sub/a": "a\n"}, {"sub/a": "A\n", "sub/n": "n\n"})
    (g.root / "sub/a").unlink()
    (g.root / "sub").rmdir()
    (g.root / "sub").symlink_to(g.outside)
    (g.outside / "a").write_text("a\n")
    refused(g, g.commit(), "sub/a", "link")
    hold((g.outside / "a").read_text() == "a\n" and not (g.outside / "n").exists(), g.commit())
    (g.root / "sub").unlink()
    g.root.rename(g.outside / "real")
    g.root.symlink_to(g.outside / "real")
    hold(g.commit(at=g.outside).status != 0, g.commit(at=g.outside))


@case
def devices_and_setuid_files_are_refused(g):
    g.forge({}, {"su": ("evil\n", 0o4755), "sg": ("evil\n", 0o2755)}, rows=[g.row("fifo", None, "x") | {"kind": "other"}])
    answer = g.commit()
    refused(g, answer, "su", "setuid")
    refused(g, answer, "sg", "setgid")
    refused(g, answer, "fifo", "no file")
    hold(len(answer.answer["refused"]) == 3, answer)
    hold(not list(g.root.iterdir()), answer)


@case
def what_could_not_be_taken_back_is_refused(g):
    own = f".writ-{g.run}-1"
    gone = {"path": str(g.root / "pipe"), "change": "deleted", "kind": "other",
            "before": {"kind": "other", "mode": "0644"}}
    g.forge({"a": "a\n", "b": "b\n"},
            {"a": ("A\n", 0o200), "b": "B\n", "d": ("directory", 0o300), "d/x": "x\n", own: "mine\n"}, rows=[gone])
    os.mkfifo(g.root / "pipe")
    os.chmod(g.root / "pipe", 0o644)
    answer = g.commit()
    refused(g, answer, "pipe", "no file")
    refused(g, answer, own, "uses such a name itself")
    if os.geteuid() != 0:
        refused(g, answer, "a", "could not read it")
        refused(g, answer, "d", "could not read it")
    hold((g.root / "pipe").exists(), answer)
    g.has(g.before | {"d": None, own: None})
    done(g.commit("b"), 1)
    done(g.undo(), 1)


@case
def what_is_not_all_is_committed_by_name_only(g):
    g.forge({"a": "a\n"}, {"a": None, "b": "b\n"}, cut="there are more")
    answer = g.commit()
    refused(g, answer, None, "not all of its changes are listed: there are more")
    g.has(g.before | {"b": None})
    done(g.commit("b"), 1)
    done(g.commit("."), 1)
    done(g.undo(), 2)


@case
def what_was_begun_by_name_is_finished_and_no_more(g):
    g.forge({"a": "a\n", "b": "b\n"}, {"a": "A\n", "b": "B\n"})
    (g.state / "changes").mkdir()
    (g.state / "changes" / f"{g.run}.json").write_text('{"stage":"begun","rows":[0]}')
    done(g.commit(), 1)
    g.has({"a": "A\n", "b": "b\n"})
    done(g.commit(), 1)
    g.has(g.after)


# ---- evidence ----

@case
def what_a_commit_deletes_is_kept_where_the_evidence_was_removed(g):
    g.forge({"a": "a\n"}, {"a": None})
    shutil.rmtree(g.state / "evidence")
    done(g.commit(), 1)
    g.has(g.after)
    done(g.undo(), 1)
    g.has(g.before)


@case
def bytes_that_are_gone_or_others_are_refused(g):
    g.forge({"a": "a\n"}, {"a": "A\n", "b": "B\n"})
    path = g.keep(b"A\n")
    path.unlink()
    refused(g, g.commit(), "a", "evidence")
    path.write_bytes(b"E\n")  # as long as what belongs there
    refused(g, g.commit(), "a", "evidence")
    g.has(g.before)
    done(g.commit("b"), 1)


@case
def what_is_kept_of_the_old_is_the_old(g):
    g.forge({"a": "a\n"}, {"a": "A\n"})
    path = g.keep(b"a\n")
    path.chmod(0o600)
    path.write_bytes(b"E\n")  # as long as what belongs there, and not that
    done(g.commit(), 1)
    done(g.undo(), 1)
    g.has(g.before)


@case
def a_journal_chooses_only_what_the_record_has(g):
    g.forge({"a": "a\n"}, {"a": "A\n"})
    (g.state / "changes").mkdir()
    journal = g.state / "changes" / f"{g.run}.json"
    for text in ('{"stage":"begun","rows":[1]}', '{"stage":"begun","rows":[-1]}', '{"stage":"x","rows":[]}', "[]", "{"):
        journal.write_text(text)
        answer = g.commit()
        hold(answer.status == 69, answer)
        g.has(g.before)
    journal.unlink()
    done(g.commit(), 1)


# ---- the ledger ----

@case
def what_is_done_is_an_execution_in_the_ledger(g):
    g.forge(BEFORE, AFTER)
    first = g.commit()
    second = g.undo()
    states = g.events()
    for answer in (first, second):
        done(answer)
        hold(states[answer.answer["execution_id"]] == ["planned", "running", "succeeded"], answer)
    shown = g.writ("show", "--json", first.answer["execution_id"])
    hold(any(e["kind"] == "manifest" and e["subject"] == g.run for e in shown.answer["rests_on"]), shown)
    verified = g.writ("verify", "--json")
    hold(verified.status == 0, verified)


@case
def a_refusal_is_among_the_rejects(g):
    g.forge({}, {".bashrc": "evil\n"})
    refused(g, g.commit(), ".bashrc", "protected")
    rejects = g.writ("ledger", "rejects")
    hold("protected" in rejects.err, rejects)


@case
def nothing_is_done_that_cannot_be_recorded(g):
    g.forge({"a": "a\n"}, {"a": "A\n"})
    ledger = g.state / "ledger.db"
    if os.geteuid() == 0:
        raise tap.Skip("root may write every file")
    for path in (ledger, g.state):
        path.chmod(0o500 if path.is_dir() else 0o400)
    answer = g.commit()
    g.state.chmod(0o700)
    hold(answer.status in (69, 74), answer)
    g.has(g.before)


@case
def what_was_discarded_is_not_committed(g):
    g.forge(BEFORE, AFTER)
    done(g.commit("a.txt"), 1)
    answer = g.writ("discard", "--json", g.run)
    hold(answer.status == 0 and answer.answer["verb"] == "discard", answer)
    refused(g, g.commit(), None, "discarded")
    refused(g, g.writ("discard", "--json", g.run), None, "discarded")
    done(g.undo(), 1)
    g.has(g.before)


@case
def a_run_is_named_by_its_beginning(g):
    g.forge({"a": "a\n"}, {"a": "A\n"})
    g.forge({}, {}, run=g.run[:9] + "0000-4000-8000-000000000000"[:27])
    answer = g.writ("commit", "--json", g.run[:8])
    hold(answer.status == 1 and len(answer.answer["candidates"]) == 2, answer)
    hold(g.writ("commit", "--json", "nosuchrun").status == 1, answer)
    done(g.writ("commit", "--json", g.run), 1)


@case
def a_run_that_wrote_to_the_disk_has_nothing_to_commit(g):
    run = "11111111-1111-4111-8111-111111111111"
    path = g.outside / "r.json"
    path.write_text(json.dumps({"execution_id": run, "paths": []}))
    subprocess.run([forged.FORGE, g.state / "ledger.db", run, path], check=True)
    for verb in ("commit", "diff", "discard"):
        answer = g.writ(verb, "--json", run)
        hold(answer.status == 1 and "write mode cow" in answer.answer["message"], answer)


@case
def two_at_once_one_wins(g):
    g.forge({"a": "a\n"}, {"a": "A\n"})
    (g.state / "changes").mkdir()
    with open(g.state / "changes" / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        answer = g.commit()
        hold(answer.status == 77 and "at work" in answer.answer["message"], answer)
        g.has(g.before)
        later = threading.Timer(0.5, fcntl.flock, (lock, fcntl.LOCK_UN))
        later.start()
        done(g.commit(), 1)  # it waits a while
        later.join()


@case
def two_runs_over_the_same_files_do_not_mix(g):
    names = [f"f{n}" for n in range(60)]
    other = str(uuid.uuid4())
    g.forge({name: "old\n" for name in names}, {name: "second\n" for name in names}, run=other)
    g.forge({name: "old\n" for name in names}, {name: "first\n" for name in names})
    with ThreadPoolExecutor() as pool:
        answers = list(pool.map(lambda run: g.writ("commit", "--json", run), (g.run, other)))
    hold(sorted(answer.status for answer in answers) == [0, 77], answers[0])
    won = "first\n" if answers[0].status == 0 else "second\n"
    g.has({name: won for name in names})
    hold(g.writ("discard", "--json", other if won == "first\n" else g.run).status == 0, answers[1])


@case
def what_was_so_before_is_not_taken_back(g):
    g.forge({"a": "a\n", "b": "b\n"}, {"a": "A\n", "b": "B\n"})
    (g.root / "a").write_text("A\n")
    done(g.commit(), 1)
    done(g.undo(), 1)
    g.has({"a": "A\n", "b": "b\n"})


@case
def people_are_told_what_and_why(g):
    g.forge(BEFORE, AFTER)
    (g.root / "a.txt").write_text("mine\n")
    answer = g.writ("commit", g.run)
    hold(answer.status == 77 and "nothing was changed" in answer.err and "a.txt: somebody changed it" in answer.err, answer)
    forged.make(g.root / "a.txt", "a\n")
    answer = g.writ("commit", g.run[:8])
    hold(answer.status == 0 and "6 changed, 7 added, 6 deleted committed" in answer.err, answer)
    answer = g.writ("show", g.run[:8])
    hold("then commit" in answer.err, answer)


if __name__ == "__main__":
    sys.exit(forged.main(CASES))
