"""cases_modes.py: F, modes that keep the owner out, many names of one thing, and grants inside of grants.

Whoever owns a directory may take his own rights away and give them back: what writ cannot look at before or after a
run is not what is not there. Root looks everywhere; these are mostly for --user.
"""
import os
import stat

from ground import case, digest, fault


def shell(world, script, **how):
    return world.run("-c", script, program="/bin/sh", **how)


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def undone(world, run, name):
    """It was made in the run, and is gone; in write mode cow it never was."""
    os.chmod(world.work, 0o755)
    if os.path.lexists(world.work / name):
        fault(f"{name} is there", run)
    if not world.place.cow and [(one["path"], one["undone"]) for one in run["denials"]] != [(f"{world.work}/{name}", True)]:
        fault("it is not told", run)


# ---- afterwards ----

@case("F07 a link in a directory that nobody may change: what it leads to keeps its mode")
def link_locked(world):
    victim = world.outside / "victim"
    victim.write_text("somebody's")
    victim.chmod(0o640)
    run = shell(world, f"ln -s {victim} .envrc && chmod 0555 .").expect()
    if mode(victim) != 0o640:
        fault(f"the mode of what lies outside is {mode(victim):o} now", run)
    if not world.place.cow and mode(world.work) != 0o555:
        fault("the directory has another mode than the command gave it", run)
    undone(world, run, ".envrc")


@case("F07 a name in a directory that nobody may search")
def name_locked(world):
    run = shell(world, "echo evil >.envrc && mkdir .vscode && chmod 0 .").expect()
    os.chmod(world.work, 0o755)
    for name in (".envrc", ".vscode"):
        if (world.work / name).exists():
            fault(f"{name} is there", run)
    if not world.place.cow and not all(one["undone"] for one in run["denials"]):
        fault("it is told as left", run)


@case("F07 a directory full of what may not be removed")
def tree_locked(world):
    run = shell(world, "mkdir -p .vscode/a/b && touch .vscode/a/b/c && chmod 0 .vscode/a/b && chmod 0555 .vscode/a .vscode .").expect()
    undone(world, run, ".vscode")


@case("F07 names in the working directory, when the way to it is shut")
def way_locked(world):
    inner = world.work / "way/in"
    inner.mkdir(parents=True)
    world.expected |= {"work/way"}
    run = shell(world, "echo evil >.envrc && chmod 0 ..", cwd=inner, options=["--write", world.work]).expect()
    os.chmod(inner.parent, 0o755)
    undone(world, run, "way/in/.envrc")


# ---- before ----

@case("F10 a second name of what is denied, in a directory that cannot be listed")
def second_name_hidden(world):
    (world.work / "hid").mkdir()
    os.link(world.work / "deny-file", world.work / "hid/name")
    world.expected |= {"work/hid"}
    world.restless = True
    for bits in (0o311, 0o411, 0o000):
        os.chmod(world.work / "hid", bits)
        run = shell(world, "chmod 0755 hid; cat hid/name", options=world.hidden)
        os.chmod(world.work / "hid", 0o755)
        if run.status == 0:
            fault(f"with mode {bits:o} it was read", run)


@case("F10 a hundred denied files, each by its second name")
def second_names(world):
    for place in ("many", "other"):
        (world.work / place).mkdir()
    options = []
    for i in range(100):
        (world.work / f"many/{i}").write_text(world.token)
        os.link(world.work / f"many/{i}", world.work / f"other/{i}")
        options += ["--deny", world.work / f"many/{i}"]
    world.expected |= {"work/many", "work/other"}
    run = shell(world, "for i in other/*; do cat $i && echo GOT IT; done; exit 0", options=options).expect()
    if b"GOT IT" in run.stream("stdout"):
        fault("a denied file was read", run)


@case("F02 a denied path that cannot be looked at is not taken for one that is missing")
def denied_hidden(world):
    (world.work / "shut").mkdir()
    (world.work / "shut/mine").write_text(world.token)
    os.chmod(world.work / "shut", 0)
    world.restless = True
    world.expected |= {"work/shut"}
    run = shell(world, "chmod 0755 shut; cat shut/mine", options=["--deny", world.work / "shut/mine"])
    os.chmod(world.work / "shut", 0o755)
    if run.status == 0 or not (world.work / "shut/mine").exists():
        fault("it was read, or removed", run)


@case("F38 settings of git behind a mode stay, and stay as they are")
def git_hidden(world):
    state = world.repo / ".git/modules/a/b"
    for path in (state / "hooks", state / "refs"):
        path.mkdir(parents=True)
    (state / "HEAD").write_text("ref: refs/heads/main\n")
    (state / "hooks/pre-commit").write_text("the owner's")
    world.restless = True
    for shut, bits in ((state.parent, 0o311), (state.parent, 0o444), (state.parent, 0), (state, 0), (state.parents[1], 0o311)):
        os.chmod(shut, bits)
        run = shell(world, f"chmod 0755 {shut}; echo evil >{state}/hooks/pre-commit; echo evil >{state}/hooks/update; exit 0",
                    cwd=world.repo)
        os.chmod(shut, 0o755)
        if (state / "hooks/pre-commit").read_text() != "the owner's" or (state / "hooks/update").exists():
            fault(f"{shut} with mode {bits:o} was let into", run)


# ---- grants inside of grants ----

@case("F39 the working directory stays, also where it is granted twice and what is around it, too")
def granted_twice(world):
    for options in (["--write", world.repo, "--write", world.work], ["--write", world.work, "--write", world.repo]):
        shell(world, "cd .. && mv work away && exit 0; exit 5", options=options).expect(5)


@case("F39 a repository that is granted inside of what is granted stays where it is")
def granted_inside(world):
    inner = world.work / "way/inner"
    (inner / ".git/hooks").mkdir(parents=True)
    (inner / ".git/config").write_text("[core]\n\trepositoryformatversion = 0\n")
    world.expected |= {"work/way", "work/build", "work/away"}  # mv copies what it cannot rename
    for path in ("way/inner", "way"):
        run = shell(world, f"mv {path} away && exit 0; exit 5", options=["--write", inner]).expect(5)
        if not (inner / ".git/config").exists():
            fault("it is gone", run)
    (world.work / "build").mkdir(exist_ok=True)
    if not world.place.cow:  # what holds nothing of that kind may go, though it was granted
        shell(world, "rm -r build", options=["--write", world.work / "build"]).expect()


@case("F39 F07 the way to the working directory stays, where what is around it may be written")
def way_stays(world):
    inner, victim = world.work / "way/q/r", world.outside / "victim/r"
    inner.mkdir(parents=True)
    (victim / ".ssh").mkdir(parents=True)
    world.expected |= {"work/way", "work/away"}  # mv copies what it cannot rename
    for script in (f"mv q away && ln -s {victim.parent} q", f"cd .. && mv way away && mkdir way && ln -s {victim.parent} way/q",
                   "mv q away && mkdir -p q/r && echo evil >away/r/.envrc && mkdir away/r/.vscode && echo evil >away/r/.git"):
        run = shell(world, f"cd {inner.parents[1]} && {script} && exit 0; exit 5", cwd=inner, options=["--write", world.work]).expect(5)
        if not (victim / ".ssh").exists() or run["denials"]:
            fault("it was led elsewhere", run)


@case("F39 F02 the way to what is denied stays, also where it lies in what is only read")
def way_through_read(world):
    seen = world.work / "way/q/seen"
    seen.mkdir(parents=True)
    (seen / "shut").write_text(world.token)
    world.expected |= {"work/way", "work/away"}
    run = shell(world, "mv way away && exit 0; exit 5", options=["--read", seen.parent, "--deny", seen / "shut"]).expect(5)
    if not (seen / "shut").exists():
        fault("it is gone", run)


@case("F37 a program that may be started and not read has no digest")
def unread_program(world):
    program = world.work / "only"
    program.write_bytes(world.place.hostile.read_bytes())
    program.chmod(0o111)
    world.expected |= {"work/only"}
    run = world.run(program=str(program))
    seen = digest(world.place.hostile.read_bytes()) if os.geteuid() == 0 else None
    if run["executable"]["digest"] != seen:
        fault(f"wanted {seen}", run)
