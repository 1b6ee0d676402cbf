#!/usr/bin/env python3
"""crash: PostgreSQL is killed in the middle of commits; nothing that was promised is lost.

usage: crash.py WRITER      prints TAP
"""
import os
import pathlib
import select
import subprocess
import sys

import server

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faces"))
import tap  # noqa: E402

WRITERS, ROUNDS = 2, 200 if os.environ.get("WRIT_LONG") else 20


def hear(writers, enough):
    """What the writers were promised, as text, once each has begun and there are `enough` commits."""
    heard = {w.stdout.fileno(): b"" for w in writers}
    while not all(heard.values()) or b"".join(heard.values()).count(b"\n") < len(writers) + enough:
        ready, _, _ = select.select(list(heard), [], [], server.SECONDS)
        parts = {fd: os.read(fd, 1 << 16) for fd in ready}
        if not parts or not all(parts.values()):
            raise AssertionError("a writer ended before the server did, or nothing was committed")
        for fd, part in parts.items():
            heard[fd] += part
    return heard


def one_round(it, writer, number):
    """Lets them write, kills the server after so many commits, starts it and looks."""
    address = f"{it.address}&answer_timeout=3600"
    writers = [subprocess.Popen([writer, address], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
               for _ in range(WRITERS)]
    try:
        heard = hear(writers, 1 + number * 7 % 31)
        it.kill()
        for w in writers:
            fd = w.stdout.fileno()
            rest, errors = w.communicate(timeout=server.SECONDS)
            heard[fd] += rest
            if w.returncode != 0:
                raise AssertionError(f"a writer says {errors.decode()}")
    finally:
        for w in writers:
            w.kill()
            w.wait()
    promised = max(int(size) for text in heard.values() for size in text.split())
    it.start()
    done = subprocess.run([writer, address, str(promised)], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"after {promised}: {done.stderr}")
    return int(done.stdout)


def main(writer):
    cases, fault, size = tap.Tap(), "", 0
    try:
        with server.server() as it:
            for number in range(ROUNDS):
                size = one_round(it, writer, number)
    except server.Missing as why:
        print(f"1..0 # SKIP {why}")
        return 0
    except Exception as wrong:
        fault = f"{type(wrong).__name__}: {wrong}"
    cases.case(f"killed {ROUNDS} times, nothing that was promised is lost", fault)
    cases.case("there was something to lose", "" if size > ROUNDS else f"{size} entries")
    return cases.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
