#!/usr/bin/env python3
"""worker: `writ worker` as who speaks its protocol to it, frame by frame (src/route/frame.h), sees it.

usage: worker.py FAKE_RCH WRIT      prints TAP

Whom it serves is this file, with nothing between the two: no carrier and no guard ends what the worker
does not end by itself.
"""
import contextlib
import fcntl
import json
import struct
import subprocess
import sys
import termios

import routes
from routes import alive, marker, same, tap, true, until

CASES = []
case = routes.collector(CASES)
HELLO, INPUT, RUN, READY, REFUSED, GO, OUT, ERR, BEAT, ECHO = 1, 2, 3, 4, 5, 6, 8, 9, 13, 14
SECONDS = 60
PIPE_FULL = 50000  # bytes; it holds 65536
HEAD = struct.Struct(">IB3xI")


class Line:
    """A worker, and the two streams that it is spoken to on."""

    def __init__(self, place):
        self.place = place
        self.worker = subprocess.Popen([tap.WRIT, "worker", "--stdio"], cwd=place.work, env=place.environment({}),
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        kind, hello = self.hears()
        same(kind, HELLO)
        self.slots = json.loads(hello)["slots"]

    def says(self, kind, body=b"", errand=1):
        self.worker.stdin.write(HEAD.pack(len(body), kind, 0 if kind == BEAT else errand) + body)
        self.worker.stdin.flush()

    def hears(self):
        size, kind, _ = HEAD.unpack(self.worker.stdout.read(HEAD.size))
        return kind, self.worker.stdout.read(size)

    def awaits(self, wanted):
        kind, body = self.hears()
        same((kind, body if kind != wanted else b""), (wanted, b""))

    def runs(self, script, *arguments):
        """A live errand, which is under way."""
        request = json.loads(self.place.request("/bin/sh", "-c", script, "sh", *arguments).read_text())
        self.says(RUN, json.dumps({"request": request, "person": True, "timeout_ms": 600000, "live": True,
                                   "cwd": str(self.place.work)}).encode())
        self.awaits(READY)
        self.says(GO)

    def closes(self):
        self.worker.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            self.worker.stdin.close()


@contextlib.contextmanager
def serving(place):
    line = Line(place)
    try:
        yield line
    finally:
        line.worker.kill()
        line.worker.wait()


@case
def what_would_be_written_beside_its_disk_is_refused(place):
    request = json.loads(place.request("/usr/bin/touch", "ran").read_text())
    for mode, answer in (("cow", REFUSED), ("direct", READY)):
        request.setdefault("sandbox", {}).setdefault("filesystem", {})["write_mode"] = mode
        with serving(place) as line:
            line.says(RUN, json.dumps({"request": request, "person": True, "timeout_ms": 60000, "live": False,
                                       "cwd": str(place.work)}).encode())
            kind, body = line.hears()
            same((kind, b"LAYER_MISSING" in body), (answer, mode == "cow"), body)


# ---- who is served goes away ----

@case
def a_worker_ends_when_its_caller_goes_away_while_an_errand_prints(place):
    for where, kind in (("1", OUT), ("2", ERR)):
        mark = marker()
        with serving(place) as line:
            line.runs(f'while :; do echo "$1 prints without end"; done >&{where}', mark)
            line.awaits(kind)
            line.closes()
            same(line.worker.wait(SECONDS), 0)
            until(lambda: not alive(mark), "nothing of it is left")


@case
def a_worker_ends_when_its_caller_says_no_more_and_does_not_read(place):
    for where in ("1", "2"):
        mark = marker()
        with serving(place) as line:
            line.runs(f'while :; do echo "$1 prints without end"; done >&{where}', mark)
            until(lambda: waits_for_room(line.worker.stdout), "the line to be full")
            line.worker.stdin.close()
            same(line.worker.wait(SECONDS), 0)
            until(lambda: not alive(mark), "nothing of it is left")


def waits_for_room(pipe):
    """What nobody reads has come to its end, for now."""
    held = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]
    return held > PIPE_FULL


# ---- what it does not take ----

@case
def an_errand_there_is_no_room_for_is_refused_once(place):
    with serving(place) as line:
        true(line.slots > 256, "more than a plan runs at the same time")
        for number in range(1, line.slots + 1):
            line.says(INPUT, b"more", errand=number)
        for kind in (INPUT, INPUT, RUN, BEAT):
            line.says(kind, errand=line.slots + 1)
        kind, body = line.hears()
        same((kind, json.loads(body)["status"]), (REFUSED, 69))
        line.awaits(ECHO)


@case
def a_request_that_asks_for_nothing_is_refused_and_others_go_on(place):
    with serving(place) as line:
        for number, request in enumerate(({}, {"inputs": 1}, {"inputs": {}}), 1):
            asked = {"request": request, "person": True, "timeout_ms": 1, "cwd": "/"}
            line.says(RUN, json.dumps(asked).encode(), errand=number)
            line.awaits(REFUSED)


if __name__ == "__main__":
    sys.exit(routes.main(CASES))
