#!/usr/bin/env python3
"""protected names: by whatever link or name a command gets there, what runs later stays as it is.

usage: protected.py [--user] WRIT      prints TAP
"""
import json
import os
import shutil
import signal
import subprocess
import sys

import ground
import tap
from ground import expect, hold

CASES = []
case = ground.collector(CASES)

PLANTED = "#!/bin/sh\n# planted\n"


def put(place, name, text="# the owner's\n"):
    return place.put(name, text, 0o755)


def link(place, name, to):
    path = place.repo / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(to)
    return path


def attack(place, script, *names, options=()):
    """Whatever the script does, nothing that it plants is found by these names afterwards."""
    given = f'planted="{PLANTED}"; plant() {{ mkdir -p "$(dirname "$1")"; printf "%s" "$planted" > "$1"; }}; '
    run = place.exec("sh", "-c", f"{given}{script}; : > ran", options=options, at=place.repo)
    if "cow" in str(options):
        for row in run.record["changes"]["list"]:  # what is refused must not keep the rest away
            place.writ("commit", run.record["execution_id"], row["path"], at=place.repo)
    hold((place.repo / "ran").exists(), run)
    for name in names:
        path = place.repo / name
        hold(not path.exists() or "planted" not in path.read_text(), run)
    return run


def in_each_mode(play):
    """The same with both write modes."""
    def both(scratch):
        for name, options in (("direct", ()), ("cow", ("--write-mode=cow",))):
            (scratch / name).mkdir()
            play(ground.Place(scratch / name), options)

    both.__name__ = play.__name__
    CASES.append(both)
    return play


# ---- links on the way ----

@in_each_mode
def links_between_a_protected_name_and_what_it_leads_to_stay(place, options):
    put(place, "v1/hooks/commit-msg")
    os.rename(place.repo / ".git/hooks", place.repo / ".git/unused")
    link(place, "current", "v1")
    link(place, ".git/hooks", "../current/hooks")
    put(place, "conf/first/envrc")
    link(place, "conf/now", "first")
    link(place, "way", "conf/now")
    link(place, ".envrc", "way/envrc")
    link(place, ".husky", "way")
    attack(place, "rm current; plant current/hooks/pre-commit; rm conf/now; plant conf/now/envrc; rm way; "
           "plant way/envrc; plant way/pre-commit; mv conf gone; plant conf/now/envrc; mv v1 v0; plant v1/hooks/pre-commit",
           ".git/hooks/pre-commit", ".envrc", ".husky/pre-commit", options=options)


@in_each_mode
def links_between_git_and_its_state_stay(place, options):
    os.rename(place.repo / ".git", place.repo / "gitv1")
    link(place, "gitcur", "gitv1")
    for lay in (lambda path: path.symlink_to("gitcur"), lambda path: path.write_text("gitdir: gitcur\n")):
        lay(place.repo / ".git")
        attack(place, "rm gitcur; cp -r gitv1 gitcur; plant gitcur/hooks/pre-commit", "gitcur/hooks/pre-commit",
               options=options)
        hold((place.repo / "gitcur").is_symlink(), place.exec("true"))
        (place.repo / ".git").unlink()


@in_each_mode
def links_on_the_way_that_the_file_commondir_tells_stay(place, options):
    os.rename(place.repo / ".git", place.repo / "v1")
    link(place, "shared", "v1")
    put(place, "own/HEAD", "ref: refs/heads/main\n")
    put(place, "own/commondir", "../shared\n")
    put(place, ".git", "gitdir: own\n")
    attack(place, "rm shared; cp -r v1 shared; plant shared/hooks/pre-commit", "shared/hooks/pre-commit",
           options=options)
    hold((place.repo / "shared").is_symlink(), place.exec("true"))


@in_each_mode
def a_directory_that_a_link_goes_through_and_out_of_stays(place, options):
    put(place, "a/b/file")
    put(place, "a/envrc")
    link(place, ".envrc", "a/b/../envrc")
    attack(place, "mkdir -p evil/b; plant evil/envrc; mv a/b a/c; ln -s ../evil/b a/b", ".envrc", options=options)


@in_each_mode
def links_that_lead_round_and_round_stay(place, options):
    link(place, ".envrc", "one")
    link(place, "one", "two")
    link(place, "two", "one")
    attack(place, "rm two; plant two; rm one; plant one", ".envrc", options=options)


# ---- links that lead nowhere ----

@in_each_mode
def what_a_protected_name_leads_to_does_not_come_into_being(place, options):
    os.rename(place.repo / ".git/hooks", place.repo / ".git/unused")
    link(place, ".git/hooks", "../tools/hooks")
    link(place, ".envrc", "conf/envrc")
    link(place, ".profile", "missing/../profile")
    link(place, ".husky", "first")
    link(place, "first", "second")
    os.rename(place.repo / ".git/info", place.repo / ".git/unused2")
    link(place, ".git/info", "../kept")
    run = attack(place, "plant tools/hooks/pre-commit; plant conf/envrc; plant conf/other; plant missing/x; "
                 "plant profile; plant second/pre-commit; plant kept/attributes", ".git/hooks/pre-commit", ".envrc",
                 ".profile", ".husky/pre-commit", ".git/info/attributes", options=options)
    told = {os.path.relpath(row["path"], place.repo) for row in run.record["denials"]}
    hold(told == {"tools/hooks", "conf/envrc", "missing", "second", "kept/attributes"}, run)
    hold((place.repo / "conf/other").exists(), run)


@in_each_mode
def a_link_does_not_come_into_being_on_that_way(place, options):
    link(place, ".envrc", "conf/envrc")
    attack(place, "plant evil/envrc; ln -s evil conf", ".envrc", options=options)


@case
def a_repository_where_git_leads_to_and_there_is_none_is_the_command_s_own(place):
    os.rename(place.repo / ".git", place.repo / "old")
    link(place, ".git", "kept")
    run = place.exec("cp", "-r", "old", "kept", at=place.repo)
    expect(run, exit_code=0, denials=[])
    hold((place.repo / "kept/HEAD").exists(), run)


# ---- the user's own settings ----

CONFIG = ("writ/config.yaml", "git/config", "fish/config.fish", "systemd/user/one.service", "autostart/one.desktop")


def settings_stay(place, script, at, *files, env=None, options=()):
    """None of these files is there afterwards with what the script has put in it."""
    run = place.exec("sh", "-c", f"{script}; : > ran", at=at, env=env, options=options)
    hold((at / "ran").exists(), run)
    for path in files:
        hold(not path.exists() or "planted" not in path.read_text(), run)
    return run


@case
def the_user_s_settings_of_writ_and_git_do_not_come_into_being(place):
    config = place.home / ".config"
    for at in (place.home, config):
        at.mkdir(exist_ok=True)
        script = "; ".join(f"mkdir -p $(dirname {config}/{name}); echo planted > {config}/{name}" for name in CONFIG)
        run = settings_stay(place, f"mkdir -p {config}; {script}", at, *(config / name for name in CONFIG))
        kept = {str(config / name.split("/")[0]) for name in CONFIG}
        hold({row["path"] for row in run.record["denials"]} == kept, run)


@case
def the_user_s_settings_of_writ_and_git_stay(place):
    config = place.home / "dotfiles/config"
    for name in CONFIG:
        put(place, f"home/dotfiles/config/{name}")
    (place.home / "now").symlink_to("dotfiles")
    (place.home / ".config").symlink_to("now/config")
    files = [place.home / ".config" / name for name in CONFIG]
    script = "; ".join(f"echo planted >> {place.home}/.config/{name}; echo planted >> {config}/{name}"
                       for name in CONFIG)
    script += f"; cp -r {config} {config}2; rm {place.home}/now; mkdir -p {place.home}/now/config/git; " \
              f"echo planted > {place.home}/now/config/git/config; mv {config}/git {config}/old; " \
              f"mkdir {config}/git; echo planted > {config}/git/config"
    for at in (place.home, place.home / "dotfiles", config):
        settings_stay(place, script, at, *files)


@case
def settings_elsewhere_stay_and_those_in_the_home_with_them(place):
    env = {"XDG_CONFIG_HOME": str(place.home / "set")}
    files = [place.home / where / name for where in ("set", ".config") for name in CONFIG]
    script = "; ".join(f"mkdir -p {path.parent}; echo planted >> {path}" for path in files)
    for at in (place.home, place.home / "set", place.home / ".config"):
        at.mkdir(exist_ok=True)
        settings_stay(place, script, at, *files, env=env)


@case
def the_user_s_settings_are_granted_to_be_written_by_nothing(place):
    put(place, "home/.config/git/config")
    config = place.home / ".config/git"
    run = place.exec("true", options=[f"--write={config}"])
    hold(run.status == 77 and "a protected name" in run.err.decode() + str(run.record), run)
    env = {"XDG_CONFIG_HOME": str(place.home / "set")}
    put(place, "home/set/writ/adapters/one.yaml")
    for at in (config, place.home / "set/writ", place.home / "set/writ/adapters"):
        run = place.exec("sh", "-c", "echo planted > new", at=at, env=env)
        hold(run.record["exit_code"] == 2 and not (at / "new").exists(), run)
        hold("read-only: the working directory, which" in run.record["checks"]["IV-03"], run)
    run = place.exec("ls", place.home / "set/writ", config, env=env,
                     options=[f"--read={place.home}/set/writ", f"--read={config}"])
    expect(run, exit_code=0)


BUILT = "writ/sdk/00/program"


@case
def what_writ_has_built_and_runs_later_stays(place):
    env = {"XDG_CACHE_HOME": str(place.home / "kept")}
    files = [place.home / where / BUILT for where in ("kept", ".cache")]
    for path in files:
        put(place, f"home/{path.relative_to(place.home)}")
    script = "; ".join(f"echo planted >> {path}; mv {path.parents[2]} {path.parents[3]}/gone; mkdir -p {path.parent}; "
                       f"echo planted > {path}" for path in files)
    for at in (place.home, *(path.parents[n] for path in files for n in (2, 3))):
        settings_stay(place, script, at, *files, env=env)
    for at in (path.parent for path in files):
        run = place.exec("sh", "-c", "echo planted > program", at=at, env=env)
        hold(run.record["exit_code"] == 2 and "planted" not in (at / "program").read_text(), run)


@case
def nothing_comes_to_lie_where_writ_keeps_what_it_builds(place):
    built = place.home / ".cache" / BUILT
    plant = f"mkdir -p {built.parent}; echo planted > {built}"
    other = f"mkdir -p other/writ/sdk/00; echo planted > other/{BUILT}; "
    links = [other + f"ln -s {place.home}/other {place.home}/.cache",
             other + f"mkdir -p {place.home}/.cache; ln -s {place.home}/other/writ {place.home}/.cache/writ",
             other + f"mkdir -p {place.home}/.cache/writ; ln -s {place.home}/other/writ/sdk {built.parents[1]}"]
    for script in (plant, *links):
        run = settings_stay(place, script, place.home, built)
        hold(run.record["denials"], run)
        shutil.rmtree(place.home / ".cache", ignore_errors=True)
        (place.home / ".cache").unlink(missing_ok=True)


# ---- other names of the same file ----

@in_each_mode
def a_protected_file_is_not_written_by_another_of_its_names(place, options):
    put(place, "deep/in/envrc.sample")
    os.link(place.repo / "deep/in/envrc.sample", place.repo / ".envrc")
    put(place, "tools/check")
    (place.repo / ".git/hooks").mkdir(exist_ok=True)
    os.link(place.repo / "tools/check", place.repo / ".git/hooks/pre-commit")
    run = attack(place, "plant deep/in/envrc.sample; plant tools/check; chmod 777 tools/check; mv deep gone; "
                 "plant deep/in/other; mv tools/check tools/gone", ".envrc", ".git/hooks/pre-commit", options=options)
    hold(os.stat(place.repo / ".envrc").st_nlink == 2 and os.stat(place.repo / "tools/check").st_nlink == 2, run)
    hold(os.stat(place.repo / "tools/check").st_mode & 0o777 == 0o755, run)


@case
def another_name_of_a_protected_file_is_not_granted_for_itself(place):
    put(place, ".envrc")
    os.link(place.repo / ".envrc", place.outside / "other")
    run = place.exec("sh", "-c", f"echo planted > {place.outside}/other", at=place.repo,
                     options=[f"--write={place.outside}/other"])
    ground.refused(place, run, 77, "PATH_REFUSED", "a protected name")


@case
def where_another_name_may_be_and_nobody_can_look_nothing_runs(place):
    if os.geteuid() == 0:
        return  # nothing is hidden from root
    put(place, ".envrc")
    put(place, "work/shut/envrc")
    os.unlink(place.repo / "work/shut/envrc")
    os.link(place.repo / ".envrc", place.repo / "work/shut/envrc")
    os.chmod(place.repo / "work/shut", 0)
    run = place.exec(*ground.TOUCH, at=place.repo)
    os.chmod(place.repo / "work/shut", 0o755)
    ground.refused(place, run, 77, "PATH_REFUSED", "something protected has another name")


@in_each_mode
def what_hooks_lead_to_stays(place, options):
    put(place, "scripts/first/check")
    link(place, "scripts/now", "first")
    (place.repo / ".git/hooks").mkdir(exist_ok=True)
    link(place, ".git/hooks/pre-commit", "../../scripts/now/check")
    link(place, ".git/hooks/post-commit", "../../scripts/missing")
    link(place, ".git/hooks/around", "../..")
    put(place, ".githooks/plain")
    link(place, ".githooks/pre-push", "../scripts/first/push")
    put(place, "scripts/first/push")
    run = attack(place, "plant scripts/now/check; plant scripts/missing; plant scripts/first/push; rm scripts/now; "
                 "plant scripts/now/check; plant scripts/first/new", ".git/hooks/pre-commit", ".git/hooks/post-commit",
                 ".githooks/pre-push", options=options)
    hold((place.repo / "scripts/first/new").exists(), run)


@case
def hooks_that_are_too_many_to_be_looked_through_are_told(place):
    (place.repo / ".githooks").mkdir()
    for i in range(300):
        (place.repo / f".githooks/{i}").touch()
    ground.refused(place, place.exec(*ground.TOUCH, at=place.repo), 77, "PATH_REFUSED", ".githooks", "256")


# ---- what takes writ's time before a run ----

@case
def more_names_than_are_looked_through_stay_altogether(place):
    modules = place.repo / ".git/modules"
    modules.mkdir()
    kinds = ("directories", "files", "submodules", "links")
    for kind in kinds:
        (modules / kind).mkdir()
    for i in range(4200):
        (modules / "directories" / str(i)).mkdir()
        (modules / f"files/{i}").touch()
    for i in range(600):
        (modules / f"submodules/{i}/refs").mkdir(parents=True)
        (modules / f"submodules/{i}/HEAD").touch()
        (modules / f"links/{i}").symlink_to(str(i + 1))
    for kind in kinds:
        (modules / kind).rename(place.repo / kind)
    for kind in kinds:
        (place.repo / kind).rename(modules / kind)
        run = place.exec("sh", "-c", f"echo x > .git/modules/{kind}/new; : > ran", at=place.repo)
        hold((place.repo / "ran").exists() and not (modules / kind / "new").exists(), run)
        hold(len(run.record["paths"]) < 50, run)
        (modules / kind).rename(place.repo / kind)
    run = place.exec("sh", "-c", "echo x > .git/modules/new", at=place.repo)
    expect(run, exit_code=0)


@case
def a_link_among_submodules_leads_writ_nowhere(place):
    other = place.outside / "other"
    (other / "tree").mkdir(parents=True)
    state = other / "git/worktrees/tree"
    state.mkdir(parents=True)
    for name, text in (("HEAD", "x"), ("commondir", "../.."), ("gitdir", f"{other}/tree/.git")):
        (state / name).write_text(f"{text}\n")
    (other / "git/refs").mkdir()
    (other / "git/HEAD").touch()
    (other / "tree/.git").write_text(f"gitdir: {state}\n")
    (place.repo / "build").mkdir()
    for to in ("/", "..", str(other), str(other / "git")):
        link(place, ".git/modules", to)
        run = place.exec("sh", "-c", f"! cat {other}/tree/.git && rm .git/modules; echo x > build/new", at=place.repo)
        expect(run, exit_code=0)
        (place.repo / ".git/modules").unlink()
    for to in (str(other / "git"), "../../build/../none"):
        link(place, ".git/modules/one", to)
        run = place.exec("sh", "-c", f"! cat {other}/tree/.git && mv build b && mv b build", at=place.repo)
        expect(run, exit_code=0)
        (place.repo / ".git/modules/one").unlink()


@case
def long_links_among_submodules_take_little_memory(place):
    for i in range(200):
        link(place, f".git/modules/{i}", "x/" * 2040)
    done = subprocess.run(["/bin/sh", "-c", 'ulimit -v 300000; exec "$@"', "sh", tap.WRIT, "exec", *place.always,
                           "--", *ground.TOUCH], cwd=place.repo, env=place.environment({}), capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=ground.SECONDS, check=False)
    assert (place.repo / "ran").exists(), done


@case
def a_protected_link_to_a_name_that_cannot_be_stays(place):
    for name in (".envrc", ".vscode"):
        link(place, name, "a" * 256)
    link(place, ".bashrc", "x/" + "a" * 300)
    run = attack(place, "rm .envrc .vscode; plant .envrc; plant .vscode/tasks.json; mkdir x")
    hold(all((place.repo / name).is_symlink() for name in (".envrc", ".vscode", ".bashrc")), run)
    hold(run.record["denials"] == [], run)


@case
def a_state_directory_that_is_a_link_stays_one(place):
    real = place.outside / "kept"
    real.mkdir()
    state = place.home / ".local/state"
    state.mkdir(parents=True)
    (state / "writ").symlink_to(real)
    run = place.exec("sh", "-c", "rm .local/state/writ; mkdir .local/state/writ", at=place.home)
    hold((state / "writ").is_symlink(), run)


@case
def what_a_stranger_made_to_look_like_git_s_is_not_believed(place):
    if os.geteuid() != 0:
        return  # nobody else's files can be made
    around = place.outside / "everybody"
    at = around / "own"
    at.mkdir(parents=True)
    for name in ("refs", "modules/one/refs", "hooks"):
        (around / name).mkdir(parents=True)
    for name in ("HEAD", "config", "modules/one/HEAD", "modules/one/config"):
        (around / name).touch()
    options = [f"--write={around}"]
    for owner in (ground.USER, 0):
        for path in around.rglob("*"):
            os.chown(path, owner, owner)
        os.chown(at, 0, 0)
        run = place.exec("true", at=at, options=options)
        found = [row["path"] for row in run.record["paths"] if row["access"] == "protected"]
        hold(bool(found) == (owner == 0), run)


def asks_to_end():
    """The signal waits from the very beginning."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    os.kill(os.getpid(), signal.SIGTERM)


@case
def whoever_wants_an_end_before_the_command_started_has_it_never_start(place):
    done = subprocess.run([tap.WRIT, "exec", "--json", *place.always, "--", *ground.TOUCH], cwd=place.work,
                          env=place.environment({}), stdin=subprocess.DEVNULL, capture_output=True,
                          preexec_fn=asks_to_end, timeout=ground.SECONDS, check=False)
    run = ground.Run(done.returncode, json.loads(done.stdout), done.stdout, done.stderr)
    expect(run, cause="cancelled", exit_code=130, state="cancelled", layers=[])
    hold(run.status == 130 and not (place.work / "ran").exists(), run)


# ---- names that people's own tools write ----

TOOLS = (".claude/settings.json", ".cursor/rules/one.mdc", ".codex/config.toml", ".vscode/tasks.json",
         ".idea/workspace.xml", ".mcp.json", "AGENTS.md", "CLAUDE.md", ".github/workflows/ci.yml", ".gitlab-ci.yml",
         ".pre-commit-config.yaml")


def row_of(name):
    """The protected name that a file has or lies in."""
    parts = name.split("/")
    return "/".join(parts[:2]) if parts[0] == ".github" else parts[0]


@case
def what_agents_editors_and_ci_obey_is_not_written_unless_it_is_allowed(place):
    for name in TOOLS[::2]:
        put(place, name)
    run = attack(place, "plant .github/CODEOWNERS; for f in %s; do plant $f; done" % " ".join(TOOLS), *TOOLS)
    told = {os.path.relpath(row["path"], place.repo): row["undone"] for row in run.record["denials"]}
    hold(told == {row_of(name): True for name in TOOLS[1::2]}, run)
    hold((place.repo / ".github/CODEOWNERS").exists(), run)
    hold(all(f"--allow-protected {row_of(name)}" in run.record["hint"] for name in TOOLS[1::2]), run)
    hold("allow_protected" not in run.record["limits"], run)
    names = list(dict.fromkeys(map(row_of, TOOLS)))
    run = place.exec("sh", "-c", "for f in %s; do mkdir -p $(dirname $f); echo own >$f; done" % " ".join(TOOLS),
                     options=[f"--allow-protected={name}" for name in names], at=place.repo)
    expect(run, exit_code=0, denials=[], limits__allow_protected=names)
    hold("hint" not in run.record and all((place.repo / name).read_text() == "own\n" for name in TOOLS), run)


@case
def one_name_that_is_allowed_opens_no_other(place):
    put(place, "AGENTS.md")
    run = attack(place, "plant .vscode/tasks.json; plant AGENTS.md", "AGENTS.md",
                 options=("--allow-protected", ".vscode"))
    hold("planted" in (place.repo / ".vscode/tasks.json").read_text() and run.record["denials"] == [], run)


@case
def what_only_the_owner_decides_can_not_be_allowed(place):
    for name in (".git/config", ".git/hooks", ".git", ".writ", ".config/writ", ".bashrc", ".ssh", "src", ".github"):
        run = place.exec(*ground.TOUCH, options=("--allow-protected", name))
        ground.refused(place, run, 77, "PATH_REFUSED", f"'{name}' is no name that can be allowed", "allow-protected")


@case
def a_document_allows_no_name(place):
    run = place.ask(*ground.TOUCH, sandbox={"filesystem": {"allow_protected": ["AGENTS.md"]}})
    ground.refused(place, run, 77, "PATH_REFUSED", "only a person")


@case
def a_directory_that_is_allowed_may_be_named_and_worked_in(place):
    put(place, ".claude/settings.json")
    at = place.repo / ".claude"
    expect(place.exec("touch", "new", at=at), exit_code=1)
    expect(place.exec("touch", "new", options=("--allow-protected", ".claude"), at=at), exit_code=0)
    run = place.exec("touch", "../.claude/newer", options=("--allow-protected=.claude", f"--write={at}"))
    expect(run, exit_code=0)


@case
def in_write_mode_cow_they_are_committed_by_name(place):
    put(place, "CLAUDE.md")
    script = "for f in %s a; do mkdir -p $(dirname $f); echo own >$f; done" % " ".join(TOOLS)
    run = place.exec("sh", "-c", script, options=("--write-mode=cow",), at=place.repo)
    expect(run, exit_code=0, denials=[])
    shown = place.writ("diff", run.record["execution_id"], at=place.repo).out.decode()
    hold(all(name in shown for name in TOOLS), run)
    told = place.writ("commit", "--json", run.record["execution_id"], at=place.repo)
    refused = {os.path.relpath(row["path"], place.repo): row["message"] for row in json.loads(told.out)["refused"]}
    hold(told.status != 0 and set(TOOLS) <= set(refused) and ".github" not in refused and "a" not in refused, told)
    for name in TOOLS:
        hold("protected name" in refused[name] and refused[name].endswith(f"name {place.repo / row_of(name)} as a PATH"),
             told)
    hold(not (place.repo / "a").exists(), told)
    told = place.writ("commit", run.record["execution_id"], "a", "AGENTS.md", ".github/workflows", ".vscode/tasks.json",
                      at=place.repo)
    hold(told.status == 0 and (place.repo / ".github/workflows/ci.yml").exists(), told)
    hold((place.repo / ".vscode/tasks.json").exists() and not (place.repo / ".claude").exists(), told)
    told = place.writ("commit", run.record["execution_id"], ".", at=place.repo)
    hold(told.status != 0 and not (place.repo / ".claude").exists(), told)


@case
def what_was_allowed_in_write_mode_cow_is_committed_without_more(place):
    run = place.exec("sh", "-c", "echo own >AGENTS.md; echo own >.envrc",
                     options=("--write-mode=cow", "--allow-protected=AGENTS.md", "--allow-protected=.envrc"), at=place.repo)
    expect(run, exit_code=0, denials=[])
    told = place.writ("commit", run.record["execution_id"], at=place.repo)
    hold(told.status == 0 and (place.repo / ".envrc").exists() and (place.repo / "AGENTS.md").exists(), told)


if __name__ == "__main__":
    sys.exit(ground.main_as_either(CASES))
