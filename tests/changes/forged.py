"""forged.py: a tree on the disk, a run that is said to have changed it, and `writ commit` upon that.

A tree is a dict: name -> text of a file, bytes, (text, mode), Link(target) or DIR. The run is entered in
the ledger by FORGE, with its bytes among the evidence, as `writ exec --write-mode cow` leaves it.
"""
import base64
import ctypes
import functools
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import uuid
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faces"))
import tap  # noqa: E402

FORGE = pathlib.Path(sys.argv[-2]).resolve()
USER = 12345
DIR = ("directory", 0o755)


class Link(NamedTuple):
    target: str


class Answer(NamedTuple):
    status: int
    answer: dict
    err: str


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def side(thing):
    """What the record says of a thing; its bytes, or None."""
    if isinstance(thing, Link):
        return {"kind": "link", "target": thing.target}, None
    if isinstance(thing, tuple) and thing[0] == "directory":
        return {"kind": "directory", "mode": f"{thing[1]:04o}"}, None
    data, mode = thing if isinstance(thing, tuple) else (thing, 0o644)
    data = data if isinstance(data, bytes) else data.encode()
    return {"kind": "file", "mode": f"{mode:04o}", "bytes": len(data), "digest": digest(data)}, data


def make(path, thing):
    what, data = side(thing)
    path.parent.mkdir(parents=True, exist_ok=True)
    if what["kind"] == "link":
        path.symlink_to(what["target"])
    elif what["kind"] == "directory":
        path.mkdir(exist_ok=True)
    else:
        path.write_bytes(data)
    if what["kind"] != "link":
        path.chmod(int(what["mode"], 8))


def seen(path):
    """The thing at a path, as a tree has it; None: nothing."""
    if path.is_symlink():
        return Link(os.readlink(path))
    if path.is_dir():
        return ("directory", path.stat().st_mode & 0o7777)
    if path.exists():
        return (path.read_bytes(), path.stat().st_mode & 0o7777)
    return None


def whole(thing):
    """A tree's thing in the form that seen() gives."""
    if thing is None or isinstance(thing, Link) or (isinstance(thing, tuple) and thing[0] == "directory"):
        return thing
    data, mode = thing if isinstance(thing, tuple) else (thing, 0o644)
    return (data if isinstance(data, bytes) else data.encode(), mode)


class Ground:
    """root is the writable tree, state where writ keeps what it knows."""

    def __init__(self, scratch):
        self.root, self.state, self.outside = (scratch / name for name in ("root", "state", "outside"))
        for directory in (self.root, self.state / "evidence", self.outside):
            directory.mkdir(parents=True)
        self.run = str(uuid.uuid4())
        self.before, self.after = {}, {}

    # ---- the run ----

    def keep(self, data):
        text = hashlib.sha256(data).hexdigest()
        path = self.state / "evidence" / "sha256" / text[:2] / text[2:]
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(data)
            path.chmod(0o400)
        return path

    def row(self, name, before, after):
        path = str(self.root / name) if isinstance(name, str) else name.decode()
        row = {"path": path, "before": side(before)[0] if before is not None else None,
               "change": "added" if before is None else "deleted" if after is None else "changed"}
        if after is None:
            return row | {"kind": row["before"]["kind"]}
        what, data = side(after)
        if data is not None:
            self.keep(data)
        return row | what

    def forge(self, before, after, paths=(), kept_out=(), roots=None, rows=(), run=None, cut=None):
        """The disk has `before`; the run left `after`, in which None is what it removed."""
        self.before, self.after = before, {**before, **after}
        for name in sorted(before):
            make(self.root / name, before[name])
        listed = [self.row(name, before.get(name), thing) for name, thing in after.items()
                  if whole(before.get(name)) != whole(thing)]
        record = {"execution_id": run or self.run,
                  "paths": [{"path": str(self.root), "access": "write", "why": "here"}, *paths],
                  "changes": {"roots": roots if roots is not None else [str(self.root)],
                              "list": sorted([*listed, *rows], key=lambda r: r["path"].encode()),
                              "diff": None, "truncated": cut, "kept_out": list(kept_out)}}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as text:
            json.dump(record, text)
            text.flush()
            subprocess.run([FORGE, self.state / "ledger.db", run or self.run, text.name], check=True)

    # ---- what is done ----

    def environment(self):
        return tap.ENV | {"WRIT_STATE": str(self.state), "HOME": str(self.outside)}

    def writ(self, *args, at=None):
        run = subprocess.run([tap.WRIT, *map(str, args)], cwd=at or self.root, env=self.environment(),
                             capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
        try:
            answer = json.loads(run.stdout)
        except ValueError:
            answer = {}
        return Answer(run.returncode, answer, (run.stdout + run.stderr).decode(errors="replace")[-6000:])

    def commit(self, *args, **more):
        return self.writ("commit", "--json", self.run, *args, **more)

    def undo(self):
        return self.commit("--undo")

    # ---- what must hold ----

    def has(self, tree, names=None):
        """The disk is as the tree says, of all names that are in question, and nothing was left beside."""
        for name in names or {**self.before, **self.after}:
            if seen(self.root / name) != whole(tree.get(name)):
                raise AssertionError(f"{name} is {seen(self.root / name)!r}, expected {whole(tree.get(name))!r}")
        self.clean()

    def clean(self):
        left = [str(path) for path in self.root.rglob(".writ-*")]
        if left:
            raise AssertionError(f"left behind: {left}")

    def old_or_new(self):
        for name in {**self.before, **self.after}:
            there = seen(self.root / name)
            either = [whole(self.before.get(name)), whole(self.after.get(name))]
            if there in either:
                continue
            if there and there[0] == "directory" and any(
                    e and e[0] == "directory" and e[1] | 0o700 == there[1] for e in either):
                continue  # while it is filled its owner may do everything in it
            raise AssertionError(f"{name} is {there!r}: neither old nor new")

    def events(self):
        """Of each execution in the ledger but the run: its states, in order."""
        states = {}
        run = subprocess.run([tap.WRIT, "log", "--limit", "0", "--json"], env=self.environment(), capture_output=True, check=True)
        for line in run.stdout.splitlines():
            entry = json.loads(line)
            if entry["kind"] == "execution_event" and entry["subject"] != self.run:
                states.setdefault(entry["subject"], []).append((entry["seq"], entry["state"]))
        return {subject: [state for _, state in sorted(rows)] for subject, rows in states.items()}


def hold(truth, answer):
    if not truth:
        raise AssertionError(f"status {answer.status}\nanswer {json.dumps(answer.answer)[:1500]}\n{answer.err}")


def done(answer, n=None):
    hold(answer.status == 0 and (n is None or len(answer.answer["done"]) == n), answer)


def refused(ground, answer, path, *words, code="CHANGE_REFUSED", status=77):
    """It names the path and the reason, and nothing changed."""
    hold(answer.status == status, answer)
    if path is not None:
        rows = {row["path"]: row for row in answer.answer["refused"]}
        hold(str(ground.root / path) in rows, answer)
        row = rows[str(ground.root / path)]
        hold(row["code"] == code and all(word in row["message"] for word in words), answer)
    else:
        hold(answer.answer.get("code") == code and all(w in answer.answer["message"] for w in words), answer)


def collector(cases):
    def case(function):
        @functools.wraps(function)
        def play(scratch):
            function(Ground(scratch))

        cases.append(play)
        return function

    return case


def main(cases):
    """As root, or with --user as an ordinary user."""
    if "--user" in sys.argv[1:-2]:
        if os.geteuid() != 0:
            print("1..0 # SKIP the cases are played by an ordinary user already")
            return 0
        place = tempfile.mkdtemp(prefix="writ-changes-")
        for index, program in ((-1, tap.WRIT), (-2, FORGE)):  # what root has built an ordinary user may not reach
            copy = shutil.copy2(program, place)
            os.chmod(copy, 0o755)
            globals().update(FORGE=pathlib.Path(copy)) if index == -2 else setattr(tap, "WRIT", pathlib.Path(copy))
        os.chmod(place, 0o755)
        pid = os.fork()
        if pid:
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            shutil.rmtree(place)
            return status
        os.setgroups([])
        os.setgid(USER)
        os.setuid(USER)
        ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # may be traced again
        tempfile.tempdir = None
        os._exit(tap.play(cases))
    return tap.play(cases)


def b64(data):
    return base64.b64encode(data).decode()
