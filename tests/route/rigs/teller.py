#!/usr/bin/env python3
"""teller: a worker that runs nothing, and tells what it was told to (src/route/frame.h).

usage: teller.py MODE ...      the modes are the functions at the end; what follows is not looked at
"""
import hashlib
import json
import os
import struct
import sys
import threading

HELLO, RUN, READY, REFUSED, GO, STOP, OUT, FILE, FILE_END, RESULT, BEAT, ECHO = 1, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14
GREETING = {"protocol": "writ-worker/1", "version": "0", "host": "here", "slots": 8}
HEAD = struct.Struct(">IB3xI")


def say(kind, errand=0, body=b""):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    sys.stdout.buffer.write(HEAD.pack(len(body), kind, errand) + body)
    sys.stdout.buffer.flush()


def hear():
    head = sys.stdin.buffer.read(HEAD.size)
    if len(head) < HEAD.size:
        sys.exit(0)
    size, kind, errand = HEAD.unpack(head)
    return kind, errand, sys.stdin.buffer.read(size)


def printed(text=b""):
    return {"bytes": len(text), "digest": "sha256:" + hashlib.sha256(text).hexdigest()}


def record(execution, **members):
    """That it ended well, and had no walls."""
    return {"execution_id": execution, "exit_code": 0, "signal": None, "cause": "exited", "duration_ms": 5,
            "usage": {"cpu_ms": 1, "memory_peak_bytes": 1, "oom_events": 0, "pids_hits": 0}, "stdout": printed(),
            "stderr": printed(), "layers": [], "assurance": "none", "missing": ["user"], "denials": []} | members


def leave(errand, text=b"made\n"):
    """Sends a file; what a record says of it."""
    whole = printed(text)
    say(FILE, errand, text)
    say(FILE_END, errand, whole["digest"].encode())
    return [whole | {"path": "made", "state": "collected"}]


def answer(body, **greeting):
    """What follows when it is sent something to run; it is given the number and the id of that."""
    say(HELLO, body=GREETING | greeting)
    while True:
        kind, errand, run = hear()
        if kind == BEAT:
            say(ECHO)
        elif kind == RUN:
            body(errand, json.loads(run)["request"]["execution_id"])


def serve(admitted, go, stop=lambda *_: None):
    """Every errand is admitted by these words; `go` is what follows when it may start, `stop` when it is stopped."""
    executions = {}
    say(HELLO, body=GREETING)
    while True:
        kind, errand, body = hear()
        if kind == BEAT:
            say(ECHO)
        elif kind == RUN:
            executions[errand] = json.loads(body)["request"]["execution_id"]
            say(READY, errand, {"command": ["told"], "paths": [], "checks": {}} | admitted)
        elif kind in (GO, STOP):
            (go if kind == GO else stop)(errand, executions[errand])


# ---- modes ----

def prints_and_dies():
    """Nobody knows what came of it."""
    def go(errand, _):
        say(OUT, errand, b"last words\n")
        os._exit(3)
    serve({}, go)


def dies():
    """When it is sent something to run."""
    say(HELLO, body=GREETING)
    while hear()[0] != RUN:
        continue


def never_ready():
    """Nor does it say anything else; `heard` is there when it was sent something."""
    answer(lambda *_: open("heard", "x").close())


def never_ready_for_one():
    """Nor does it take another one meanwhile."""
    answer(lambda *_: open("heard", "x").close(), slots=1)


def refuses_at_stop():
    """It never gets ready, and when it is stopped it says so, as a worker does."""
    say(HELLO, body=GREETING)
    while True:
        kind, errand, _ = hear()
        if kind == BEAT:
            say(ECHO)
        elif kind == RUN:
            open("heard", "x").close()
        elif kind == STOP:
            say(REFUSED, errand, {"status": 125, "code": "EXECUTION_HALTED", "message": "it was stopped"})


def has_one_slot():
    """It takes one at a time, and refuses a second as what must not be. A while goes by before it answers."""
    underway = {}
    say(HELLO, body=GREETING | {"slots": 1})
    while True:
        kind, errand, body = hear()
        if kind == BEAT:
            say(ECHO)
        elif kind == RUN and underway:
            say(REFUSED, errand, {"status": 77, "code": "IO", "message": "a second one"})
        elif kind == RUN:
            underway[errand] = json.loads(body)["request"]["execution_id"]
            say(READY, errand, {"command": ["told"], "paths": [], "checks": {}})
        elif kind == GO:
            threading.Timer(0.3, lambda: say(RESULT, errand, record(underway.pop(errand)))).start()


def has_no_room(times=1 << 30):
    """So many times."""
    refused = {"status": 69, "code": "IO", "message": "the worker runs as much as it can"}
    executions = {}
    say(HELLO, body=GREETING)
    while True:
        kind, errand, body = hear()
        if kind == BEAT:
            say(ECHO)
        elif kind == RUN and times:
            times -= 1
            say(REFUSED, errand, refused)
        elif kind == RUN:
            executions[errand] = json.loads(body)["request"]["execution_id"]
            say(READY, errand, {"command": ["told"], "paths": [], "checks": {}})
        elif kind == GO:
            say(RESULT, errand, record(executions[errand]))


def has_room_later():
    has_no_room(1)


def ends_early():
    """Before it may start."""
    answer(lambda errand, execution: say(RESULT, errand, record(execution)))


def prints_early():
    answer(lambda errand, _: say(OUT, errand, b"early"))


def refuses_in_a_list():
    answer(lambda errand, _: say(REFUSED, errand, [1]))


def refuses_in_no_words():
    answer(lambda errand, _: say(REFUSED, errand, b"{"))


def dies_at_stop():
    serve({}, lambda *_: None, lambda *_: os._exit(3))


def cancels_itself():
    """Nobody stopped it."""
    serve({}, lambda errand, execution: say(RESULT, errand, record(execution, cause="cancelled")))


def is_late_at_once():
    serve({}, lambda errand, execution: say(RESULT, errand, record(execution, cause="timeout", exit_code=143)))


def loses_itself():
    serve({}, lambda errand, execution: say(RESULT, errand, record(execution, cause="lost", exit_code=69)))


def had_no_walls():
    """And tells of a run all the same."""
    serve({}, lambda errand, execution: say(RESULT, errand, record(execution, cause="sandbox_error", exit_code=125)))


def exits_by_a_signal():
    serve({}, lambda errand, execution: say(RESULT, errand, record(execution, signal=9)))


def claims_before():
    """Of the command and its walls, more before it ran than when it had."""
    serve({"command": ["innocent"], "layers": ["cgroup", "landlock", "mount", "net", "pid", "seccomp", "user"],
           "assurance": "full", "missing": [], "executable": {"path": "/bin/innocent", "digest": None},
           "checks": {"IV-01": "allowed: teller"}, "stdin": printed(b"innocent")},
          lambda errand, execution: say(RESULT, errand, record(execution)))


def prints():
    """And ends well."""
    def go(errand, execution):
        say(OUT, errand, b"said\n")
        say(RESULT, errand, record(execution, stdout=printed(b"said\n")))
    serve({}, go)


def leaves_a_file():
    serve({}, lambda errand, execution: say(RESULT, errand, record(execution, output_files=leave(errand))))


def keeps_no_file():
    """And does not say why."""
    files = [{"path": "made", "bytes": 0, "state": "not_kept"}]
    serve({}, lambda errand, execution: say(RESULT, errand, record(execution, artifacts=files)))


def refuses_late(status=125, code="NO_WALLS"):
    """After it was told to go; if nothing else is said, by a code that nobody knows."""
    refusal = {"status": status, "code": code, "message": "there are no walls"}
    serve({}, lambda errand, _: say(REFUSED, errand, refusal))


def finds_a_path_changed():
    refuses_late(77, "PATH_CHANGED")


def forbids_late():
    refuses_late(77, "PATH_REFUSED")


def prints_and_finds_a_path_changed():
    """So it ran."""
    def go(errand, _):
        say(OUT, errand, b"said\n")
        say(REFUSED, errand, {"status": 77, "code": "PATH_CHANGED", "message": "there are no walls"})
    serve({}, go)


def denies_in_part():
    """It does not say whether it was undone."""
    denials = [{"path": "/x", "act": "made", "rule": "denied"}]
    serve({}, lambda errand, execution: say(RESULT, errand, record(execution, denials=denials)))


def denied(names):
    return [{"path": f"/x{i}", "act": "made", "rule": "denied", "undone": True} for i in range(names)]


def denies_many():
    """As many as a list may have."""
    serve({}, lambda errand, execution: say(RESULT, errand, record(execution, denials=denied(1024))))


def denies_too_many():
    serve({}, lambda errand, execution: say(RESULT, errand, record(execution, denials=denied(1025))))


def allows_numbers():
    """And no hosts."""
    network = {"allowed_by_project": [5, None], "connections": [5]}
    serve({}, lambda errand, execution: say(RESULT, errand, record(execution, network=network)))


def refused(hosts):
    return {"connections": [{"verdict": "refused", "host": f"h{i}", "port": 1, "rule": "not allowed"} for i in range(hosts)]}


def reaches_for_many():
    """As many as a list may have."""
    serve({}, lambda errand, execution: say(RESULT, errand, record(execution, network=refused(2048))))


def reaches_for_too_many():
    serve({}, lambda errand, execution: say(RESULT, errand, record(execution, network=refused(2049))))


def leaves(list_, **members):
    """A file that it tells otherwise of than it is."""
    def go(errand, execution):
        files = [one | members for one in leave(errand)]
        say(RESULT, errand, record(execution, **{list_: files}))
    serve({}, go)


def leaves_a_larger_file():
    leaves("output_files", bytes=1 << 40)


def leaves_another_file():
    leaves("output_files", path="another")


def leaves_a_file_of_the_root():
    leaves("artifacts", path="/etc/passwd")


def leaves_a_file_above():
    leaves("artifacts", path="made/../../passwd")


def took_for_ever():
    serve({}, lambda errand, execution: say(RESULT, errand, record(execution, duration_ms=1 << 52)))


def contradicts_itself():
    """It leaves a file, and the record tells of words that never came."""
    def go(errand, execution):
        files = leave(errand)
        say(RESULT, errand, record(execution, stdout=printed(b"never came"), output_files=files, artifacts=files,
                                   files_truncated=True, unkept="the disk is full"))
    serve({}, go)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
