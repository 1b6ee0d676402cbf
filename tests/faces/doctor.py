#!/usr/bin/env python3
"""doctor: what it says of a machine is what writ exec then does there.

usage: doctor.py WITHOUT WRIT      prints TAP; WITHOUT takes a layer away (tests/hostile/without.c)

Which layers this machine has is its own affair. So each case asks doctor and exec both, and holds
one against the other; where a layer was taken away, both must name it.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import time

import tap
import terminal
from tap import WRIT, insist

CASES = []
case = tap.collector(CASES)

WITHOUT = pathlib.Path(sys.argv[-2]).resolve()
NOBODY = 65534
SPARED = ("cgroup", "landlock", "seccomp")
SPACES = ("mount", "net", "pid", "user")
LAYERS = ("cgroup", "landlock", "mount", "net", "pid", "seccomp", "user")
ROOT = os.geteuid() == 0


class Place:
    """A directory for commands, and the programs where an ordinary user reaches them, too."""

    def __init__(self, scratch, way=None, user=True):
        self.way = way
        self.work, self.state = scratch / "work", scratch / "state"
        self.work.mkdir()
        self.state.mkdir()
        self.env = {"WRIT_STATE": str(self.state)}
        scratch.chmod(0o755)
        self.writ, self.without = (shutil.copy(file, scratch) for file in (WRIT, WITHOUT))
        self.who = {}
        if ROOT and user:
            os.chown(self.work, NOBODY, NOBODY)
            os.chown(self.state, NOBODY, NOBODY)
            self.who = {"user": NOBODY, "group": NOBODY, "extra_groups": []}

    def run(self, *args, below="", before=(), **more):
        before = [*([self.without, self.way, "--"] if self.way else []), *before]
        answer = tap.run([*before, self.writ, *args], cwd=self.work / below, env=self.env, **self.who, **more)
        insist(answer.status != 98, answer)  # the layer could not be taken away
        return answer

    def ask(self, below=""):
        """doctor's answer, of the form that writ.h promises."""
        answer = self.run("doctor", "--json", below=below)
        found = json.loads(answer.out)
        insist(list(found) == ["full", "kernel", "machine", "root", "directory", "findings",
                               "missing", "weak", "spare", "network", "grounds", "routes"], answer)
        insist(found["full"] == (answer.status == 0) and answer.status in (0, 69), answer)
        insist(found["findings"][-1]["what"] == "proof", answer)
        for one in found["findings"]:
            insist(list(one) == ["layer", "what", "part", "state", "detail", "mend"], answer)
            insist(one["state"] in ("pass", "weak", "absent"), answer)
            insist((one["layer"] in LAYERS) == (one["what"] != "proof"), answer)
        absent = {one["layer"] for one in found["findings"][:-1] if one["state"] == "absent"}
        insist({one["layer"] for one in found["missing"]} == absent, answer)
        insist(found["full"] == (found["findings"][-1]["state"] == "pass"), answer)
        return answer, found

    def agree(self):
        """exec runs a command exactly where doctor says so, and names what doctor found."""
        answer, found = self.ask()
        missing = [one["layer"] for one in found["missing"]]
        plain = self.run("exec", "--", "true")
        insist(plain.status == (0 if found["full"] else 125), plain)
        if missing:
            named = re.search(rb"LAYER_MISSING:(\w+)", plain.err)
            insist(named and named[1].decode() in missing, plain)
        spare = [word for one in to_spare(missing) for word in ("--allow-weak", one)]
        weak = self.run("exec", *spare, "--", "true")
        insist(not found["weak"] or [one["layer"] for one in found["spare"]] == to_spare(missing), answer)
        insist((weak.status == 0) == (found["full"] or found["weak"]), weak)
        self.foretells()
        self.foretells(*spare)
        return answer, found

    def foretells(self, *options):
        """A plan with that command, looked at, is refused by the words by which it is then; or it runs."""
        (self.work / ".writ").mkdir()
        (self.work / ".writ/tools.yaml").write_text(
            "tools: [{tool_id: t, name: t, version: 1.0.0, owner: me, status: active, scope: {commands: ['true']}}]\n")
        (self.work / "plan.yaml").write_text("name: t\nsteps: [{name: a, run: ['true']}, {name: b, run: ['true']}]\n")
        looked = self.run("run", "--dry-run", "--json", *options, "plan.yaml")
        done = self.run("run", "--json", *options, "plan.yaml")
        shutil.rmtree(self.work / ".writ")
        error = json.loads(done.out).get("error")
        said = error and (error["error_code"], error["message"])
        for step in json.loads(looked.out)["steps"]:
            refused = step["refused"]
            insist((refused and (refused["code"], refused["message"])) == said, done)


def to_spare(missing):
    """Who does without the layer user does without all namespaces."""
    spare = {one for one in missing if one in SPARED} | ({"user"} if set(missing) & set(SPACES) else set())
    return sorted(spare)


def states(found, layer):
    return {one["state"] for one in found["findings"] if one["layer"] == layer}


# ---- the machine as it is ----

@case
def as_the_caller(scratch):
    """doctor says full where writ exec runs a command, and 69 where it does not"""
    answer, found = Place(scratch, user=False).agree()
    insist(found["root"] == ROOT, answer)


@case
def as_a_user(scratch):
    """the same for an ordinary user, who mostly has no cgroup"""
    answer, found = Place(scratch).agree()
    insist(not found["root"], answer)
    for one in found["findings"]:
        insist(one["layer"] != "cgroup" or one["state"] == "pass" or one["mend"], answer)


@case
def groups_of_root(scratch):
    """where root has to lend a user its groups, doctor's commands do that, as they are printed"""
    place = Place(scratch)
    asks = [one["mend"].split(": ", 1)[1] for one in place.ask()[1]["findings"]
            if one["layer"] == "cgroup" and (one["mend"] or "").startswith("In the shell that runs writ: ")]
    if not ROOT or not asks:
        raise tap.Skip("no group of version 1 is root's here")
    shown = terminal.on_terminal(["doctor"], cwd=place.work, how=place.who | {"executable": place.writ},
                                 NO_COLOR="1", **place.env).decode()
    insist(all("    " + one in shown.splitlines() for one in asks), shown)  # to be pasted
    typed = "; ".join(asks).replace("sudo ", "")
    try:
        done = tap.run(["/bin/sh", "-c", f"exec 3>&1 >/dev/null; {typed}; exec setpriv --reuid {NOBODY} --regid "
                        f"{NOBODY} --clear-groups {place.writ} doctor --json >&3"], cwd=place.work, env=place.env)
        found = json.loads(done.out)
        insist({one["state"] for one in found["findings"] if one["layer"] == "cgroup"} == {"pass"}, done)
    finally:
        for parents in re.findall(r"for d in ([^;]+);", typed):
            for parent in parents.split():
                with contextlib.suppress(FileNotFoundError):  # one of several commands made it
                    pathlib.Path(parent, f"writ-user-{NOBODY}").rmdir()
        for group in re.findall(r"d=(/\S+);", typed):
            pathlib.Path(group).rmdir()


@case
def full(scratch):
    """every layer is named once, and the last line says what it comes to"""
    place = Place(scratch, user=False)
    answer, found = place.run("doctor"), place.ask()[1]
    lines = answer.out.decode().splitlines()
    for what in ("user namespaces", "private root", "process tree", "network of its own",
                 "landlock", "seccomp", "cgroup", "proof"):
        insist(re.search(rf"^  [✓!✗] {what}\b", answer.out.decode(), re.M), answer)
    if found["full"]:
        insist(lines[-1] == "full: every default guarantee holds" and "✗" not in answer.out.decode(),
               answer)
    insist(answer.err == b"", answer)


@case
def nothing_left(scratch):
    """doctor leaves no file and no group behind"""
    place = Place(scratch, user=False)
    child = subprocess.Popen([place.writ, "doctor"], cwd=place.work, stdout=subprocess.DEVNULL)
    child.wait(tap.SECONDS)
    left = [name for _, names, _ in os.walk("/sys/fs/cgroup") for name in names
            if re.match(rf"writ-\d+-{child.pid}-", name)]
    assert left == [] and list(place.work.iterdir()) == [], left


# ---- machines that lack a layer ----

def held_to_it(place, answer, found):
    """What needs namespaces is absent where they are, with the same mend, and refused."""
    mends = {one["mend"] for one in found["findings"] if one["state"] == "absent" and one["layer"] in SPACES}
    insist(not found["network"]["open"] and found["network"]["mend"] in mends, answer)
    if not found["weak"]:
        return
    fixed = [one for one in found["findings"] if one["what"] == "time and chance"]
    insist([(one["state"], one["mend"] in mends) for one in fixed] == [("absent", True)], answer)
    spared = [f"--allow-weak={one['layer']}" for one in found["spare"]]
    for options in (["--deterministic=fixed"], ["--allow-host=example.org"]):
        run = place.run("exec", *spared, *options, "--", "true")
        insist(run.status == 125 and b"LAYER_MISSING:" in run.err, run)


def lacks(layer, way, user):
    who = "a user" if user else "root"

    def check(scratch):
        place = Place(scratch, way, user)
        answer, found = place.agree()
        insist(not found["full"] and "absent" in states(found, layer), answer)
        mends = [one["mend"] for one in found["findings"] if one["layer"] == layer]
        insist(any(mends), answer)
        text = place.run("doctor")
        insist(text.status == 69 and "✗" in text.out.decode(), text)
        insist(b"refuses" in text.out.splitlines()[-1] or found["weak"], text)
        tools = json.loads(place.run("tools", "--json").out)["tools"]
        insist(any("LAYER_MISSING:" in one.get("unasked", "") for one in tools), tools)
        insist(not any(one["installed"] for one in tools), tools)
        insist(b"not asked: no sandbox" in place.run("tools").out, tools)
        if layer in SPARED:
            return
        held_to_it(place, answer, found)
        insist(b"isolation: process" in text.out and b"--allow-weak user" in text.out or not found["weak"], text)
        spared = place.run("exec", *(f"--allow-weak={one}" for one in SPARED), "--", "true")
        insist(spared.status == 125 and f"LAYER_MISSING:{layer}".encode() in spared.err, spared)

    check.__doc__ = f"without {way}, as {who}: doctor and exec name {layer}"
    CASES.append(check)


for one_way, one_layer in {"landlock": "landlock", "landlock-old": "landlock", "seccomp": "seccomp",
                           "user-filter": "user", "user": "user", "mount": "mount", "pid": "pid",
                           "net": "net", "cgroup": "cgroup"}.items():
    lacks(one_layer, one_way, True)
    if one_way in ("landlock", "seccomp", "user-filter", "cgroup"):
        lacks(one_layer, one_way, False)


@case
def weak(scratch):
    """what may be spared is told with the option that does it and what it means"""
    place = Place(scratch, "landlock", False)
    _, found = place.ask()
    text = place.run("doctor").out.decode()
    for one in found["spare"] if found["weak"] else []:
        assert f"--allow-weak {one['layer']}" in text and one["without"] in text, text
    assert found["weak"] or "none: " in text, text


# ---- directories ----

@case
def owners(scratch):
    """root: a file system that cannot map owners is found where exec refuses it"""
    if not ROOT:
        return
    place = Place(scratch, user=False)
    script = 'mount -t ramfs none . && cd "$PWD" && exec "$@"'
    seen = tap.run(["unshare", "-m", "sh", "-c", script, "sh", place.writ, "doctor", "--json"],
                   cwd=place.work)
    ran = tap.run(["unshare", "-m", "sh", "-c", script, "sh", place.writ, "exec", "--", "true"],
                  cwd=place.work, env=place.env)
    if seen.out[:1] != b"{":
        return  # this root may not mount
    mapped = [one for one in json.loads(seen.out)["findings"] if one["what"] == "owners of files"]
    insist(len(mapped) == 1 and (mapped[0]["state"] == "absent") == (ran.status == 125), seen)
    insist(mapped[0]["state"] == "pass" or "chown" in mapped[0]["mend"], seen)
    insist(ran.status == 0 or b"LAYER_MISSING:user" in ran.err, ran)


@case
def somewhere(scratch):
    """where commands may not run, the machine is looked at all the same, and it is said that they may not"""
    place = Place(scratch, user=False)
    here = place.ask()[1]
    answer = tap.run([place.writ, "doctor", "--json"], cwd="/", env=place.env)
    found, refused = json.loads(answer.out), tap.run([place.writ, "exec", "--", "true"], cwd="/", env=place.env)
    insist(found["directory"] is None and found["full"] == here["full"], answer)
    directory = found["grounds"][0]
    insist(answer.status == 69 and directory["what"] == "directory" and not directory["holds"], answer)
    insist(refused.status == 77 and directory["detail"].encode() in refused.err, refused)
    words = tap.run([place.writ, "doctor"], cwd="/", env=place.env)
    insist(words.status == 69 and directory["detail"].encode() in words.out, words)
    insist(not here["full"] or b"yet writ exec refuses every command here" in words.out, words)


@case
def kept_nowhere(scratch):
    """doctor says where a record is kept, or why none can be, and makes nothing"""
    place = Place(scratch, user=False)
    full, made = place.ask()[1]["full"], False
    (scratch / "not-a-ledger").write_text("garbage")
    for env, holds, says in (
            (place.env, True, "the first run begins it"), ({"WRIT_STATE": "/dev/null/x"}, False, "Not a directory"),
            ({"WRIT_STATE": "", "HOME": ""}, False, "no place"),
            (place.env | {"WRIT_LEDGER": str(scratch / "not-a-ledger")}, False, "is not a ledger"),
            (place.env | {"WRIT_LEDGER": "postgres://nowhere/x"}, False, "writ-postgres"),
            *([(place.env | {"WRIT_LEDGER": "postgres://me:secret@127.0.0.1:1/x", "WRIT_LIBEXEC": str(WRIT.parent)},
                False, "me@127.0.0.1:1/x: ")] if (WRIT.parent / "writ-postgres").exists() else [])):
        answer = tap.run([place.writ, "doctor", "--json"], cwd=place.work, env=env)
        ledger = json.loads(answer.out)["grounds"][1]
        insist(ledger["what"] == "ledger" and ledger["holds"] is holds and says in ledger["detail"], answer)
        insist((answer.status == 0) == (full and holds) and b"secret" not in answer.out, answer)
        insist(made or not list(place.state.iterdir()), answer)
        if holds is False:
            insist(ledger["mend"], answer)
            ran, made = tap.run([place.writ, "exec", "--", "true"], cwd=place.work, env=env), True
            insist(ran.status == 74 or not full, ran)
    place.run("exec", "--", "true")
    where = str(place.state / "ledger.db")
    insist(not full or place.ask()[1]["grounds"][1]["detail"] == where, answer)


@case
def no_room(scratch):
    """root: a disk that is full keeps no record, and doctor says so before exec does; it leaves nothing there"""
    if not ROOT:
        return
    place = Place(scratch, user=False)
    for before in (":", '"$1" exec -- true || exit 97'):  # without a ledger, and with one
        script = (f'mount -t tmpfs -o size=1m none "$WRIT_STATE" || exit 98; {before}; '
                  'cat /dev/zero >"$WRIT_STATE/all" 2>/dev/null; ls -A "$WRIT_STATE" >before; '
                  '"$1" doctor --json; echo $?; ls -A "$WRIT_STATE" | diff - before; '
                  '"$1" exec -- true 2>/dev/null; echo $?')
        answer = tap.run(["unshare", "-m", "sh", "-c", script, "sh", place.writ], cwd=place.work, env=place.env)
        if answer.status == 98:
            raise tap.Skip("this root may not mount")
        if answer.status == 97:
            raise tap.Skip("nothing runs here at all")
        told, doctor, ran = answer.out.decode().splitlines()
        ledger = json.loads(told)["grounds"][1]
        insist(not ledger["holds"] and "No space left" in ledger["detail"] and "make room" in ledger["mend"], answer)
        insist((doctor, ran) == ("69", "74"), answer)


@case
def whose_state(scratch):
    """doctor names what of the state directory is shut to its user, or open to everybody, and the command that mends it"""
    if not ROOT:
        raise tap.Skip("only root can give files away")
    place = Place(scratch)
    running, evidence = place.state / "running", place.state / "evidence"

    def told(*parts, **who):
        answer = tap.run([place.writ, "doctor", "--json"], cwd=place.work, env=place.env, **(who or place.who))
        found = json.loads(answer.out)
        state = [one for one in found["grounds"] if one["what"] == "state"]
        insist(len(state) == len(parts) and not any(one["holds"] for one in state), answer)
        for one, part in zip(state, parts):
            insist(part in one["detail"], answer)
        insist(found["grounds"][1]["holds"] and (answer.status == 0) == found["full"], answer)
        return state

    told()
    for folder in (running, evidence):
        folder.mkdir(0o700)
    (running / "one").touch()
    mend = told(f"{evidence} belongs to root", f"{running} belongs to root")[0]["mend"]
    insist(mend == f"sudo chown -R {NOBODY} '{place.state}'", mend)
    subprocess.run(["sh", "-c", mend.removeprefix("sudo ")], check=True)
    told()
    insist((running / "one").stat().st_uid == NOBODY, mend)
    running.chmod(0)
    subprocess.run(["sh", "-c", told("its mode 000")[0]["mend"]], check=True)
    told()
    place.state.chmod(0o777)
    subprocess.run(["sh", "-c", told("everybody may write")[0]["mend"]], check=True)
    told()
    told(f"belongs to the user {NOBODY}", user=0)


@case
def whose_ledger(scratch):
    """a ledger that is shut is told by the file that is, and the command mends it; no second one is begun"""
    if not ROOT:
        raise tap.Skip("only root can give files away")
    place = Place(scratch)
    tap.run([place.writ, "exec", "--", "true"], cwd=place.work, env=place.env)
    subprocess.run(["chown", "-R", str(NOBODY), place.state], check=True)

    def told(**env):
        answer = tap.run([place.writ, "doctor", "--json"], cwd=place.work, env=place.env | env, **place.who)
        found = json.loads(answer.out)["grounds"][1]
        insist((answer.status == 0 or not found["holds"] or not json.loads(answer.out)["full"]), answer)
        return found

    insist(told()["holds"], told())
    files = sorted(place.state.glob("ledger.db*"))
    insist([file.name for file in files] == ["ledger.db", "ledger.db-shm", "ledger.db-wal"], files)
    for file in (*files, place.state):
        for mode in (0o600, 0o644) if file != place.state else (0o700, 0o755):
            os.chown(file, 0, 0)
            file.chmod(mode)
            found = told()
            insist(not found["holds"] and found["detail"] == f"{file} belongs to root and is shut to you", found)
            subprocess.run(["sh", "-c", found["mend"].removeprefix("sudo ")], check=True)
            insist(told()["holds"], (found, told()))
    other = scratch / "other"
    other.mkdir(0o700)
    found = told(WRIT_LEDGER=str(other / "ledger.db"))
    insist(not found["holds"] and "unset it" in found["mend"] and "WRIT_STATE" not in found["mend"], found)


@case
def fast_clock(scratch):
    """a ledger whose last entry lies ahead of this clock is told, since every later one gets its time"""
    place = Place(scratch, user=False)
    place.run("exec", "--", "true")
    with contextlib.closing(sqlite3.connect(place.state / "ledger.db", isolation_level=None)) as db:
        if not db.execute("SELECT count(*) FROM entries").fetchone()[0]:
            raise tap.Skip("nothing runs here at all")
        for (guard,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            db.execute(f'DROP TRIGGER "{guard}"')
        for minutes, told in ((0, 0), (1, 0), (5, 1)):
            db.execute("UPDATE entries SET recorded = ? WHERE seq = (SELECT max(seq) FROM entries)",
                       [int((time.time() + minutes * 60) * 1000)])
            answer = place.run("doctor", "--json")
            clock = [one for one in json.loads(answer.out)["grounds"] if one["what"] == "clock"]
            insist(len(clock) == told and answer.status in (0, 69), answer)
    insist("writ show" in clock[0]["mend"] and "--since" in clock[0]["detail"], clock)


@case
def passed_over(scratch):
    """doctor names what of a project is passed over because of whom it belongs to"""
    if not ROOT:
        raise tap.Skip("only root can give files away")
    place = Place(scratch, user=False)
    above = place.work / "above"
    (above / ".writ").mkdir(parents=True)
    (above / ".writ/config.yaml").write_text("fallback: local\n")
    (above / "below").mkdir()

    def told(*names):
        answer = tap.run([place.writ, "doctor", "--json"], cwd=above / "below", env=place.env)
        over = [one for one in json.loads(answer.out)["grounds"] if one["what"] == "project"]
        insist(len(over) == len(names) and all(one["mend"] for one in over), answer)
        for one, name in zip(over, names):
            insist(one["detail"].startswith(f"{above / name} is passed over: "), answer)

    told()
    os.chown(above / ".writ/config.yaml", NOBODY, NOBODY)
    told(".writ/config.yaml")
    os.chown(above / ".writ", NOBODY, NOBODY)
    told(".writ")
    os.chown(above / "below", NOBODY, NOBODY)  # then it is its owner's project
    told()
    os.chown(above / "below", 0, 0)
    (above / "below/.writ").mkdir()  # a nearer one of our own
    told(".writ/config.yaml")


@case
def opened(scratch):
    """doctor names settings and files of a project that everybody may change, and the command that shuts them"""
    place = Place(scratch, user=False)
    settings, project = scratch / "settings/writ", place.work / ".writ"
    place.env["XDG_CONFIG_HOME"] = str(settings.parent)
    project.mkdir()
    settings.mkdir(parents=True)
    for directory in (settings, project):
        (directory / "config.yaml").write_text("fallback: local\n")
    (project / "tools.yaml").write_text("tools: []\n")

    def told(what, *paths):
        answer = place.run("doctor", "--json")
        found = [one for one in json.loads(answer.out)["grounds"] if one["what"] == what]
        insist([one["detail"].split(", and so ")[0] for one in found]
               == [f"everybody may write in {path}" for path in paths], answer)
        for one in found:
            subprocess.run(["sh", "-c", one["mend"]], check=True)

    for what, directory in (("settings", settings), ("project", project)):
        told(what)
        (directory / "config.yaml").chmod(0o666)
        told(what, directory / "config.yaml")
        told(what)
        for path in directory, *directory.iterdir():
            path.chmod(0o777)
        told(what, directory)
        told(what)
    for name in ("config.yaml", "tools.yaml"):
        (project / name).chmod(0o646)
    told("project", project / "config.yaml", project / "tools.yaml")
    told("project")


# ---- the terminal ----

@case
def looks(scratch):
    """on a terminal it keeps to the width and marks with colours; in a pipe it is plain"""
    os.chdir(scratch)
    for columns in (40, 60, 80, 120):
        plain = terminal.on_terminal(["doctor"], columns, NO_COLOR="1").decode()
        folded = [line for line in plain.splitlines() if not re.match(r" {4}\S", line)]  # not to be pasted
        assert max(len(line) for line in folded) <= columns, plain
    assert b"\x1b[32m  \xe2\x9c\x93 \x1b[0m" in terminal.on_terminal(["doctor"])
    assert b"\x1b" not in tap.run([WRIT, "doctor"]).out
    os.chdir("/")


@case
def typed(scratch):
    """doctor takes nothing but --json"""
    for args in (["x"], ["--jsn"], ["--json", "x"]):
        answer = tap.run([WRIT, "doctor", *args], cwd=scratch)
        insist(answer.status == 64 and (b'"USAGE"' in answer.out if "--json" in args else answer.out == b""), answer)


if __name__ == "__main__":
    sys.exit(tap.play(CASES))
