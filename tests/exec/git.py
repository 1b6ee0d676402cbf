#!/usr/bin/env python3
"""git: finds its repository inside, however the working tree leads to it, and commits where it may.

usage: git.py [--user] WRIT      prints TAP
"""
import os
import shutil
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

def commits(place, at, **how):
    """status, log and commit work there as they do outside."""
    git(place, at, "commit", "-q", "--allow-empty", "-m", "outside")
    (at / "new").write_text("new")
    run = inside(place, at, "status", "--short", "-uall", **how)
    expect(run, exit_code=0, stderr__text="", stdout__text="?? new\n")
    (at / "new").unlink()
    run = inside(place, at, "commit", "-q", "--allow-empty", "-m", "inside", **how)
    expect(run, exit_code=0, stderr__text="", denials=[], **{"checks__IV-03": "ok"})
    run = inside(place, at, "log", "--format=%s", "-2", **how)
    expect(run, exit_code=0, stderr__text="", stdout__text="inside\noutside\n")
    hold(git(place, at, "log", "--format=%s", "-1") == "inside\n", run)


def reads(place, at):
    """status, log and diff work there, and a commit does not."""
    for args in (("status", "--short"), ("log", "--oneline"), ("diff", "--stat")):
        expect(inside(place, at, *args), exit_code=0, stderr__text="")
    run = inside(place, at, "commit", "-q", "--allow-empty", "-m", "below")
    hold(run.record["exit_code"] != 0 and "Read-only file system" in run.record["stderr"]["text"], run)
    hold("below" not in git(place, at, "log", "--oneline"), run)


def finds_nothing(place, at, gitdir):
    """Nothing of it is granted: git finds no repository, and no path of the record lies in it."""
    run = inside(place, at, "log")
    hold(run.record["exit_code"] == 128 and "not a git repository" in run.record["stderr"]["text"], run)
    hold(not any(row["path"].startswith(str(gitdir)) for row in run.record["paths"]), run)
    told = run.record["checks"]["IV-03"]
    hold(told.startswith(f"not granted: {gitdir}, where .git leads: core.worktree there does not name {at};"), run)


def submodule(place, name="libs/one"):
    lib = place.outside / "lib"
    git(place, place.outside, "init", "-q", "lib")
    git(place, lib, "commit", "-q", "--allow-empty", "-m", "lib")
    git(place, place.repo, "submodule", "--quiet", "add", str(lib), name)
    (place.repo / name / "deep").mkdir()
    return place.repo / name


@case
def R_001_046_a_submodule_commits_and_from_below_its_top_is_read(place):
    tree = submodule(place)
    commits(place, tree)
    reads(place, tree / "deep")


@case
def R_001_046_a_linked_working_tree_is_read_from_below_its_top(place):
    git(place, place.repo, "commit", "-q", "--allow-empty", "-m", "first")
    git(place, place.repo, "worktree", "add", "-q", str(place.outside / "tree"))
    (place.outside / "tree/deep").mkdir()
    commits(place, place.outside / "tree")
    reads(place, place.outside / "tree/deep")
    (place.repo / ".git/worktrees/tree/gitdir").write_text("../../../../outside/tree/.git\n")
    commits(place, place.outside / "tree")


def tree_with_work(place):
    """A linked working tree with a commit of its own, and beside it branches, tags and packed refs."""
    tree, me = place.outside / "tree", ("-c", "user.name=other")
    git(place, place.repo, "commit", "-q", "--allow-empty", "-m", "first")
    git(place, place.repo, "worktree", "add", "-q", str(tree))
    for at, name in ((place.repo, "in_main"), (tree, "in_tree")):
        (at / name).write_text(name)
        git(place, at, "add", name)
        git(place, at, *me, "commit", "-q", "-m", name)
    git(place, place.repo, "branch", "gone")
    git(place, place.repo, "branch", "base")
    git(place, place.repo, "tag", "past")
    git(place, place.repo, "branch", "picked", "tree")
    git(place, place.repo, "pack-refs", "--all")
    return tree


@case
def a_linked_working_tree_rewrites_history_and_takes_refs_away(place):
    tree = tree_with_work(place)
    for args in (("rebase", "-q", "base"), ("tag", "-d", "past"), ("reset", "-q", "--hard", "base"),
                 ("cherry-pick", "picked"), ("pack-refs", "--all"), ("gc", "--quiet")):
        expect(inside(place, tree, *args), exit_code=0, stderr__text="", denials=[])
    run = inside(place, tree, "branch", "-D", "gone")  # its settings, of which there are none, stay
    hold(run.record["exit_code"] == 0 and "packed-refs" not in run.record["stderr"]["text"], run)
    refs = git(place, tree, "for-each-ref")
    hold("gone" not in refs and "past" not in refs, run)
    hold(git(place, tree, "log", "--format=%s %an") == "in_tree other\nin_main other\nfirst x\n", run)
    hold(git(place, tree, "status") == "On branch tree\nnothing to commit, working tree clean\n", run)
    git(place, tree, "fsck")


@case
def of_what_working_trees_share_settings_hooks_and_other_trees_stay(place):
    tree, shared = tree_with_work(place), place.repo / ".git"
    git(place, place.repo, "worktree", "add", "-q", str(place.outside / "second"))
    names = ("config", "config.worktree", "hooks/post-checkout", "info/attributes", "commondir",
             "worktrees/tree/gitdir", "worktrees/tree/commondir", "worktrees/tree/config.worktree",
             "worktrees/second/HEAD", "worktrees/second/rebase-merge", "worktrees/third")
    before = {name: (shared / name).read_bytes() if (shared / name).exists() else None for name in names}
    run = place.exec("sh", "-c", 'cd "$1"; shift; for name; do echo x >> "$name"; done; mv hooks h; mv worktrees w; '
                     "mv info i; rm -r worktrees/second; : > packed-refs.new", "sh", shared, *names, at=tree)
    hold((shared / "packed-refs.new").exists(), run)
    after = {name: (shared / name).read_bytes() if (shared / name).exists() else None for name in names}
    hold(before == after and (shared / "info").is_dir() and (shared / "hooks").is_dir(), run)


@case
def a_working_tree_that_is_not_seen_is_not_forgotten(place):
    tree, second = tree_with_work(place), place.outside / "second"
    git(place, place.repo, "worktree", "add", "-q", str(second))
    (second / "staged").write_text("staged")
    git(place, second, "add", "staged")
    for name in ("tree", "second"):  # git forgets after three months
        os.utime(place.repo / ".git/worktrees" / name / "index", (0, 0))
    for args in (("worktree", "prune"), ("gc", "--quiet")):
        expect(inside(place, place.repo, *args, options=("--max-children", "50")), exit_code=0, stderr__text="",
               denials=[])
    run = inside(place, place.repo, "worktree", "add", "-q", "inner")
    expect(run, exit_code=0)
    commits(place, place.repo / "inner")
    hold("prunable" not in inside(place, place.repo, "worktree", "list", "--porcelain").record["stdout"]["text"], run)
    hold(git(place, second, "status", "--short") == "A  staged\n" and git(place, tree, "status", "--short") == "", run)
    run = place.exec("ls", "-A", second, at=place.repo)  # nothing else of it is there
    expect(run, exit_code=0, stdout__text=".git\n")
    git(place, place.repo, "worktree", "prune")
    hold(len(git(place, place.repo, "worktree", "list").splitlines()) == 4, run)


@case
def a_working_tree_that_a_command_made_up_is_not_shown(place):
    other = place.outside / "other"
    git(place, place.outside, "init", "-q", str(other))
    git(place, place.repo, "commit", "-q", "--allow-empty", "-m", "first")
    git(place, place.repo, "worktree", "add", "-q", str(place.outside / "tree"))
    place.put("outside/file/.git", "gitdir: /elsewhere\n")
    (place.outside / "link").mkdir()
    (place.outside / "link/.git").symlink_to(place.outside / "secret")
    for number, target in enumerate((other / ".git", place.outside / "secret", place.outside / "file/.git",
                                     place.outside / "link/.git", place.outside / "tree/.git")):
        place.exec("sh", "-c", 'mkdir "$1"; echo ref: refs/heads/main > "$1/HEAD"; echo ../.. > "$1/commondir"; '
                   'echo "$2" > "$1/gitdir"', "sh", f".git/worktrees/made{number}", target, at=place.repo)
    for written in (f"{place.outside}/tree/.git", "../../../../outside/tree/.git"):
        (place.repo / ".git/worktrees/tree/gitdir").write_text(f"{written}\n")
        run = place.exec("true", at=place.repo)
        shown = {row["path"] for row in run.record["paths"] if row["path"].startswith(str(place.outside))}
        hold(shown == {str(place.outside / "tree/.git")} and (place.repo / ".git/worktrees/made4/gitdir").exists(), run)


@case
def what_working_trees_share_stays_also_where_it_lies_in_the_tree(place):
    tree = tree_with_work(place)
    shared = tree / "kept"
    (place.repo / ".git").rename(shared)
    (tree / ".git").write_text(f"gitdir: {shared}/worktrees/tree\n")
    before = (shared / "config").read_bytes()
    run = place.exec("sh", "-c", "cd kept; echo x >> config; echo x > hooks/post-checkout; echo x > info/attributes; "
                     "mv hooks h; : > packed-refs.new", at=tree)
    hold((shared / "packed-refs.new").exists() and (shared / "config").read_bytes() == before, run)
    hold((shared / "hooks").is_dir() and not (shared / "hooks/post-checkout").exists()
         and not (shared / "info/attributes").exists(), run)


@case
def of_a_repository_around_its_working_trees_the_others_stay(place):
    bare = place.outside / "bare"
    git(place, place.repo, "commit", "-q", "--allow-empty", "-m", "first")
    git(place, place.outside, "clone", "-q", "--bare", str(place.repo), "bare")
    for name in ("one", "two"):
        git(place, bare, "worktree", "add", "-q", name)
    commits(place, bare / "one")
    run = place.exec("touch", "../two/new", "../new", at=bare / "one")
    hold(not (bare / "two/new").exists() and not (bare / "new").exists(), run)


@case
def R_001_046_a_repository_is_read_from_below_its_top_and_written_where_that_is_asked_for(place):
    git(place, place.repo, "commit", "-q", "--allow-empty", "-m", "first")
    reads(place, place.work)
    commits(place, place.work, options=["--write=../.git"])
    run = place.exec("touch", "../.git/config", "../.git/hooks/new", options=["--write=../.git"])
    hold(run.record["stderr"]["text"].count("Read-only file system") == 2, run)


@case
def a_gitdir_elsewhere_is_granted_when_it_names_the_tree(place):
    gitdir = place.outside / "kept.git"
    for lay in ("file", "link"):
        tree = place.outside / lay
        git(place, place.outside, "init", "-q", f"--separate-git-dir={gitdir}", str(tree))
        if lay == "link":
            (tree / ".git").unlink()
            (tree / ".git").symlink_to("../kept.git")
        git(place, tree, "commit", "-q", "--allow-empty", "-m", "first")
        finds_nothing(place, tree, gitdir)
        git(place, tree, "config", "core.worktree", str(place.outside))  # another one
        finds_nothing(place, tree, gitdir)
        git(place, tree, "--work-tree=.", "config", "core.worktree", str(tree))
        commits(place, tree)
        git(place, tree, "config", "--unset", "core.worktree")
        commits(place, tree, options=[f"--write={gitdir}"])


@case
def a_tree_is_found_however_its_name_is_written(place):
    tree = submodule(place)
    config = place.repo / ".git/modules/libs/one/config"
    right = "../../../../libs/one"
    plain = config.read_text().replace(f"\tworktree = {right}\n", "")
    for said in (f"[core]\n worktree={right}\n", f'[CORE] WorkTree = "{right}"\r\n',
                 f"[core]\n worktree = /\n[core]\nworktree\t= {tree}"):
        config.write_text(plain + said)
        expect(inside(place, tree, "log", "--oneline"), exit_code=0)
    hold("worktree" not in plain, ground.Run(0, {}, plain.encode(), b""))
    for said in (f"[other]\n worktree={right}\n", f"[core]\n worktrees={right}\n", f"[core]\n;worktree={right}\n",
                 f'[core "x"]\n worktree={right}\n', f"[core]\n worktree = {right}\n worktree = /\n",
                 f"[core]\n worktree = {right}#/..\n", "[core]\n worktree\n", "[core]\n worktree =", "[core"):
        config.write_text(plain + said)
        run = inside(place, tree, "log", "--oneline")
        hold(run.record["exit_code"] == 128, run)


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


@case
def a_link_within_git_that_leads_back_is_not_followed_for_ever(place):
    submodule(place)
    for name in ("back", "again", "libs/back", "libs/again"):  # each by each, if they were
        (place.repo / ".git/modules" / name).symlink_to(place.repo / ".git")
    before = (place.repo / ".git/config").read_bytes()
    run = place.exec("sh", "-c", "echo x >> .git/modules/back/config; echo x > .git/hooks/pre-commit; : > ran",
                     at=place.repo)
    hold((place.repo / "ran").exists() and (place.repo / ".git/config").read_bytes() == before, run)
    hold(not (place.repo / ".git/hooks/pre-commit").exists(), run)


# ---- what an earlier run may have left ----

def private(place):
    """A directory that nobody grants, with a file."""
    secret = place.outside / "private"
    secret.mkdir()
    (secret / "key").write_text("secret")
    return secret


def stays_private(place, at, secret):
    run = place.exec("sh", "-c", f"cat {secret}/key; echo x > {secret}/new", at=at)
    hold("secret" not in run.record["stdout"]["text"] and not (secret / "new").exists(), run)
    hold(not any(row["path"].startswith(str(secret)) for row in run.record["paths"]), run)


@case
def a_link_among_what_working_trees_share_grants_nothing(place):
    secret, tree = private(place), place.outside / "tree"
    git(place, place.repo, "commit", "-q", "--allow-empty", "-m", "first")
    git(place, place.repo, "worktree", "add", "-q", str(tree))
    run = place.exec("sh", "-c", f"mv .git/logs .git/logs2; ln -s {secret} .git/logs", at=place.repo)
    hold((place.repo / ".git/logs").is_symlink(), run)
    stays_private(place, tree, secret)


@case
def a_repository_that_a_command_made_up_grants_nothing_else(place):
    secret, sub = private(place), place.repo / "sub"
    run = place.exec("sh", "-c", f"mkdir -p sub fake/refs fake/worktrees/w; ln -s {secret} fake/objects; "
                     "echo ref: refs/heads/main | tee fake/HEAD > fake/worktrees/w/HEAD; "
                     f"echo {sub}/.git > fake/worktrees/w/gitdir; echo ../.. > fake/worktrees/w/commondir; "
                     f"echo gitdir: {place.repo}/fake/worktrees/w > sub/.git", at=place.repo)
    hold((sub / ".git").is_file() and (place.repo / "fake/objects").is_symlink(), run)
    stays_private(place, sub, secret)


@case
def R_001_046_a_repository_that_was_broken_does_not_open_the_one_around_it(place):
    place.put("beside", "beside")
    inner = place.repo / "inner"
    for breaks in ("rm .git/HEAD", "mv .git/refs .git/gone", "rm -r kept"):
        git(place, place.repo, "init", "-q", "inner")
        if "kept" in breaks:
            (inner / ".git").rename(inner / "kept")
            (inner / ".git").symlink_to("kept")
        (inner / "deep").mkdir(exist_ok=True)
        run = place.exec("sh", "-c", f"{breaks}; true", at=inner)
        for at in (inner, inner / "deep"):
            run = place.exec("cat", place.repo / "beside", at=at)
            hold(run.record["exit_code"] == 1 and run.record["stdout"]["text"] == "", run)
            hold(not any(row["path"] == str(place.repo) for row in run.record["paths"]), run)
        shutil.rmtree(inner)


@case
def settings_stay_when_HEAD_was_moved_away(place):
    submodule(place)
    module = place.repo / ".git/modules/libs/one"
    before = (module / "config").read_bytes()
    run = place.exec("mv", ".git/modules/libs/one/HEAD", ".git/modules/libs/one/H2", at=place.repo)
    hold((module / "H2").exists(), run)
    run = place.exec("sh", "-c", "cd .git/modules/libs/one; echo '[core] fsmonitor = x' >> config; "
                     "echo x > hooks/post-checkout; mv H2 HEAD", at=place.repo)
    hold((module / "HEAD").exists() and (module / "config").read_bytes() == before, run)
    hold(not (module / "hooks/post-checkout").exists(), run)


@case
def a_tree_that_was_made_to_look_like_git_s_own_directory_has_its_names_protected(place):
    run = place.exec("sh", "-c", "echo ref: refs/heads/main > HEAD; mkdir refs", at=place.repo)
    hold((place.repo / "refs").is_dir(), run)
    before = (place.repo / ".git/config").read_bytes()
    run = place.exec("sh", "-c", "echo x > .git/hooks/pre-commit; echo x > .envrc; echo x >> .git/config",
                     at=place.repo)
    hold([row["path"] for row in run.record["denials"]] == [str(place.repo / ".envrc")], run)
    hold(not (place.repo / ".git/hooks/pre-commit").exists() and not (place.repo / ".envrc").exists(), run)
    hold((place.repo / ".git/config").read_bytes() == before, run)


@case
def a_working_directory_with_a_protected_name_is_only_read(place):
    (place.repo / ".writ/adapters").mkdir(parents=True)
    for name in (".writ", ".writ/adapters", ".git/hooks"):
        at = place.repo / name
        run = place.exec("sh", "-c", "echo x > new", at=at)
        hold(run.record["exit_code"] != 0 and not (at / "new").exists(), run)
        hold("read-only: the working directory, which" in run.record["checks"]["IV-03"], run)


# ---- repositories that a command makes ----

@case
def a_repository_without_git_in_its_name_does_not_come_into_being(place):
    evil = place.outside / "ran"
    below = place.work / "sub"
    below.mkdir()
    make = ("mkdir -p objects refs && printf 'ref: refs/heads/main\n' >HEAD && printf '[core]\n"
            f"repositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = touch {evil}\n' >config")
    for at in (place.work, below):
        run = place.exec("sh", "-c", make, at=at)
        expect(run, exit_code=0)
        denials = [(row["path"], row["act"], row["rule"], row["undone"]) for row in run.record["denials"]]
        hold(denials == [(str(at / "HEAD"), "created", "protected", True)], run)
        hold(not (at / "HEAD").exists() and os.path.exists(run.record["denials"][0]["moved_to"]), run)
        git(place, at, "status", "--ignore-submodules=all")
        hold(not evil.exists(), run)


@case
def what_is_added_to_a_file_head_does_not_make_a_repository(place):
    (place.work / "HEAD").write_text("ref: refs/heads/main\n")
    (place.work / "objects").mkdir()
    run = place.exec("sh", "-c", "mkdir refs; ln -s /nowhere commondir; echo >config")
    hold({row["path"] for row in run.record["denials"]} == {str(place.work / "commondir"), str(place.work / "refs")}, run)
    hold((place.work / "HEAD").exists() and (place.work / "config").exists(), run)


@case
def files_of_these_names_alone_stay(place):
    run = place.exec("sh", "-c", "mkdir objects refs; echo >config; echo >commondir")
    expect(run, denials=[])
    hold(sorted(os.listdir(place.work)) == ["commondir", "config", "objects", "refs"], run)
    for name in ("objects", "refs", "config", "commondir"):
        path = place.work / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    run = place.exec("sh", "-c", "echo >HEAD; mkdir refs")
    expect(run, denials=[])


# ---- trees with files that agents, editors and CI obey ----

def two_branches(place):
    """main and other, with these files in each."""
    git(place, place.repo, "checkout", "-q", "-b", "main")
    files = ("AGENTS.md", ".github/workflows/ci.yml", ".vscode/tasks.json")
    for branch in ("main", "other"):
        if branch == "other":
            git(place, place.repo, "checkout", "-q", "-b", "other")
        for name in files:
            (place.repo / name).parent.mkdir(parents=True, exist_ok=True)
            (place.repo / name).write_text(f"{branch}\n")
        (place.repo / branch).write_text(f"{branch}\n")
        git(place, place.repo, "add", ".")
        git(place, place.repo, "commit", "-q", "-m", branch)
    git(place, place.repo, "checkout", "-q", "main")
    (place.repo / "more").write_text("more\n")
    git(place, place.repo, "add", ".")
    git(place, place.repo, "commit", "-q", "-m", "more")
    return files


ALLOWED = ("--allow-protected=AGENTS.md", "--allow-protected=.github/workflows", "--allow-protected=.vscode")


@case
def git_checks_out_merges_and_rebases_what_is_allowed(place):
    files = two_branches(place)
    for args in (("checkout", "-q", "other"), ("checkout", "-q", "main"), ("merge", "-q", "--no-edit", "other"),
                 ("reset", "-q", "--hard", "HEAD~1"), ("rebase", "-q", "other")):
        run = inside(place, place.repo, *args, options=ALLOWED)
        expect(run, exit_code=0, denials=[])
        hold("hint" not in run.record, run)
    hold(all((place.repo / name).read_text() == "other\n" for name in files), run)
    hold(git(place, place.repo, "status", "--short") == "", run)


@case
def where_it_is_not_allowed_the_record_names_the_option(place):
    files = two_branches(place)
    for args in (("checkout", "other"), ("merge", "--no-edit", "other"), ("rebase", "other")):
        run = inside(place, place.repo, *args)
        hold(all(option.replace("=", " ") in run.record["hint"] for option in ALLOWED), run)
        hold(all((place.repo / name).read_text() == "main\n" for name in files), run)
        git(place, place.repo, "checkout", "-q", "-f", "main")
        git(place, place.repo, "clean", "-fdq")


if __name__ == "__main__":
    sys.exit(ground.main_as_either(CASES))
