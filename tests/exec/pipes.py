#!/usr/bin/env python3
"""pipes: a pipe in the place of a file that writ reads of its own accord is told, never waited for.

usage: pipes.py WRIT      prints TAP
"""
import json
import os
import socket
import subprocess
import sys
import uuid

import ground
from ground import expect, hold

CASES = []
case = ground.collector(CASES)

LIMITS = {"timeout_ms": 2000, "max_payload_bytes": 4096, "max_depth": 8, "max_list_items": 16}


def executor(place):
    """A manifest, and the program that it names."""
    source = place.put("mine.jq", ".")
    return source, place.put("mine.json", json.dumps({
        "executor_id": "mine", "version": "1.0.0", "capabilities": [], "kind": "jq", "source": source.name,
        "limits": LIMITS, "fixtures": [{"payload": None}]}))


def to_pipe(path):
    path.unlink()
    os.mkfifo(path)


@case
def R_001_171_a_pipe_in_the_state_directory_is_not_waited_for(place):
    place.put("work/key", "text")
    deny = ["--deny=key"]
    expect(place.exec("true", options=deny), exit_code=0)
    run = place.exec("touch", "new", options=["--write-mode=cow"]).record["execution_id"]
    verbs = [["verify"], ["checkpoint"], ["log"], ["show", run], ["commit", run], ["diff", run], ["discard", run],
             ["executors"], ["apply", "mine"], ["exec", *deny, "--", "true"], ["doctor"]]
    for verb in (["executors", "add", executor(place)[1]], ["checkpoint"], ["commit", run]):
        done = place.writ(*verb)
        hold(done.status == 0, done)
    running = place.state / "running"
    running.mkdir(exist_ok=True)
    os.mkfifo(running / f"{uuid.uuid4()}@{socket.gethostname()}")
    for path in [path for path in place.state.rglob("*") if path.is_file() and "ledger.db" not in path.name]:
        held = path.read_bytes()
        to_pipe(path)
        for verb in verbs:
            done = place.writ(*verb, stdin=b"null")
            hold(done.status in (0, 1, 65, 69, 74, 77), done)
        path.unlink()
        path.write_bytes(held)
        path.chmod(0o600)


@case
def a_program_of_an_executor_is_an_ordinary_file(place):
    source, manifest = executor(place)
    to_pipe(source)
    done = place.writ("executors", "add", manifest)
    hold(done.status == 65 and b"is no ordinary file" in done.err, done)


@case
def what_the_caller_names_himself_may_be_a_pipe(place):
    manifest = executor(place)[1]
    given = place.outside / "given"
    os.mkfifo(given)
    with subprocess.Popen(["sh", "-c", 'cat "$1" > "$2"', "sh", manifest, given]) as writer:
        done = place.writ("check", given)
        writer.kill()
    hold(done.status == 0, done)


if __name__ == "__main__":
    sys.exit(ground.main(CASES))
