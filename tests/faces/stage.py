"""stage.py: a plan that is played, not run, and a terminal on which it is watched."""
import codecs
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import tap
from tap import WRIT

PATIENCE = 20  # seconds: only a fault waits so long


def too_long(*_):
    raise AssertionError("nobody came to the gate")


signal.signal(signal.SIGALRM, too_long)


# ---- a plan to play ----

def ident(n):
    return f"{n:08x}-0000-4000-8000-{n:012x}"


class Play:
    """A directory for the player: steps are (name, action, after, on_failure)."""

    def __init__(self, where, steps, name="audit"):
        self.where, self.steps, self.lines = where, steps, []
        places = {step[0]: i for i, step in enumerate(steps)}
        plan = {"id": ident(900), "name": name, "timeout_ms": 300000,
                "retry_policy": {"max_attempts": 3, "retryable_error_codes": ["STEP_FAILED"]},
                "metadata": {"writ": {"names": {ident(i): step[0] for i, step in enumerate(steps)}}},
                "steps": [{"id": ident(i), "action": action, "on_failure": fail,
                           "depends_on": [ident(places[a]) for a in after],
                           "payload": {"inputs": {"command": "./probe", "arguments": ["-x"]}}}
                          for i, (_, action, after, fail) in enumerate(steps)]}
        (where / "plan.json").write_text(json.dumps(plan))
        self.gates = self.opened = 0
        self.end("success", len(steps))

    def line(self, event, index, **more):
        line = {"event": event, "step_id": ident(index), "index": index, "attempt": 1,
                "max_attempts": 3, "at": "@NOW"} | more
        self.lines.append(json.dumps(line).replace('"@NOW"', "@NOW"))

    def starts(self, *indexes):
        for index in indexes:
            self.line("step_started", index)

    def completes(self, *indexes, **more):
        for index in indexes:
            self.line("step_completed", index, **({"duration_ms": 38, "note": None} | more))

    def fails(self, index, on_failure="skip", **more):
        self.line("step_failed", index, **({
            "duration_ms": 7, "code": "STEP_FAILED", "message": "exit 6", "severity": "error",
            "on_failure": on_failure, "note": None, "last_words": None} | more))

    def gate(self):
        """Here the player waits."""
        os.mkfifo(self.where / f"gate-{self.gates}")
        self.lines.append(f"!await gate-{self.gates}")
        self.gates += 1

    def raw(self, text):
        self.lines.append(text)

    def end(self, status, done, error=None, **more):
        """What writ_run() answers, and what it returns."""
        result = {"plan_id": ident(900), "execution_id": ident(901), "status": status,
                  "completed_at": 1, "duration_ms": 2400, "steps_executed": done,
                  "steps_total": len(self.steps), "result_payload": {"steps": {}}, "error": error}
        answer = {"result": result, "ledger": ["led-" + ident(902)],
                  "evidence": {"files": 3, "bytes": 41 << 10, "directory": "/home/me/state/evidence"}, "problems": []} | more
        (self.where / "answer.json").write_text(json.dumps(answer))
        self.status = {"success": 0, "failure": 1, "partial": 3}[status]

    def write(self):
        text = "".join(line + "\n" for line in [*self.lines, f"!status {self.status}"])
        (self.where / "progress").write_text(text)

    def open_gate(self):
        """Lets the player go on; it comes to the gate sooner or later."""
        signal.alarm(PATIENCE)
        (self.where / f"gate-{self.opened}").write_bytes(b"x")
        self.opened += 1
        signal.alarm(0)


def error(index, code, message, severity="error", **context):
    return {"error_code": code, "message": message, "severity": severity, "recoverable": True,
            "step_id": None if index is None else ident(index), "cause": None, "context": context}


FOUR = [("find-todos", "json_select", [], "halt"), ("phone-home", "execute", [], "skip"),
        ("flaky", "execute", [], "retry"), ("report", "notify", ["flaky", "find-todos"], "halt")]


# ---- a terminal ----

TOKEN = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|(.)", re.S)


class Terminal:
    """A screen that understands what writ sends, and nothing else: what it does not know is a
    fault."""

    def __init__(self, play, *args, rows=24, columns=80, env=None):
        self.main, side = pty.openpty()
        self.resize(rows, columns)
        self.lines, self.row, self.column = [""], 0, 0
        self.rest, self.hidden, self.all = "", False, ""
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        play.write()
        self.play = play
        self.child = subprocess.Popen(
            [WRIT, "run", "audit.yaml", *args], stdin=side, stdout=side, stderr=side,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            env=tap.ENV | {"TERM": "xterm", "WRIT_PLAY": str(play.where)} | (env or {}))
        os.close(side)

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        fcntl.ioctl(self.main, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def put(self, char):
        line = self.lines[self.row]
        assert self.column < self.columns, f"row {self.row} is too long: {line!r}"
        line = line.ljust(self.column)
        self.lines[self.row] = line[:self.column] + char + line[self.column + 1:]
        self.column += 1

    def obey(self, args, letter):
        if letter == "A":
            self.row -= int(args)
            floor = max(0, len(self.lines) - self.rows)
            assert self.row >= floor, "it went above the screen"
        elif letter == "K":
            self.lines[self.row] = self.lines[self.row][:self.column]
        elif letter == "J":
            self.lines[self.row] = self.lines[self.row][:self.column]
            del self.lines[self.row + 1:]
        elif args == "?25":
            self.hidden = letter == "l"
        else:
            assert letter == "m" or args == "?2026", (args, letter)

    def take(self, text):
        self.all += text
        for args, letter, char in TOKEN.findall(text):
            if letter:
                self.obey(args, letter)
            elif char == "\r":
                self.column = 0
            elif char == "\n":
                self.row += 1
                if self.row == len(self.lines):
                    self.lines.append("")
            else:
                assert char.isprintable(), repr(char)
                self.put(char)

    def read(self, seconds):
        """One read; False at the end."""
        if not select.select([self.main], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.main, 1 << 16)
        except OSError:
            return False
        text = self.rest + self.decoder.decode(data)
        cut = re.search(r"(?:\x1b(?:\[[?0-9;]*)?)?$", text).start()
        self.rest = text[cut:]
        self.take(text[:cut])
        return bool(data)

    def screen(self):
        return "\n".join(line.rstrip() for line in self.lines).rstrip()

    def until(self, *texts):
        """Reads until all of these are on the screen."""
        end = time.monotonic() + PATIENCE
        while not all(text in self.screen() for text in texts):
            assert time.monotonic() < end and self.read(1), f"never {texts} in\n{self.screen()}"
        return self.screen()

    def to_the_end(self):
        end = time.monotonic() + PATIENCE
        while self.read(1):
            assert time.monotonic() < end, f"it does not end\n{self.screen()}"
        self.status = self.child.wait(PATIENCE)
        os.close(self.main)
        return self.screen()


def in_pipe(play, *args, **env):
    play.write()
    return tap.run([WRIT, "run", "audit.yaml", *args], env={"WRIT_PLAY": str(play.where)} | env)


def same(found, wanted):
    assert found == wanted, f"\n{found}\n---- is not\n{wanted}"
