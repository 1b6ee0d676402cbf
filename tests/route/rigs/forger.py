#!/usr/bin/env python3
"""forger: stands between writ and a real worker, and changes what the worker says.

usage: forger.py FORGERY SEED WRIT ...      the forgeries are the functions at the end; what follows is not looked at

What is sent to the worker goes through as it is.
"""
import json
import os
import random
import subprocess
import sys
import threading
import time

from teller import ECHO, FILE, FILE_END, HEAD, HELLO, OUT, READY, RESULT

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b[31m\r\x9b5m\u202egnirts\x08\x08"
ODD = (-1, 0, 1 << 31, 1 << 53, 1 << 63, 10 ** 30, 1.5, 1e308, True, None, "", "x" * 70000, ESCAPES, [], {}, [[]] * 50,
       "../../../../outside", "/etc/passwd", "a/../../outside", "\0", ".git/hooks/pre-commit", ".")


def pack(kind, errand, body, length=None):
    return HEAD.pack(len(body) if length is None else length, kind, errand) + body


def frames(stream):
    """(kind, errand, body) until its end."""
    while len(head := stream.read(HEAD.size)) == HEAD.size:
        size, kind, errand = HEAD.unpack(head)
        yield kind, errand, stream.read(size)


def write(text):
    while text:
        text = text[os.write(1, text):]


def paths_of(value, path=()):
    """Where the values of a document are."""
    yield path
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from paths_of(inner, (*path, name))


def changed(document, chance):
    """One value of it is another."""
    where = chance.choice([path for path in paths_of(document) if path])
    at = document
    for name in where[:-1]:
        at = at[name]
    at[where[-1]] = chance.choice(ODD)
    return json.dumps(document).encode()


# ---- forgeries: each is given every frame, and gives the bytes that go on ----

def cuts(chance):
    """It ends at any byte."""
    left = chance.randrange(3000)

    def forge(kind, errand, body):
        nonlocal left
        text = pack(kind, errand, body)
        write(text[:left])
        left -= len(text)
        if left <= 0:
            os._exit(0)
        return b""
    return forge


def some(chance, change):
    """Changes one frame of the first few, or more of them."""
    which, also = chance.randrange(6), chance.random() < 0.2
    count = -1

    def forge(kind, errand, body):
        nonlocal count
        count += 1
        return change(kind, errand, body) if count == which or (also and count > which) else pack(kind, errand, body)
    return forge


def flips(chance):
    def change(*frame):
        text = bytearray(pack(*frame))
        for _ in range(chance.choice((1, 1, 1, 5, 50))):
            text[chance.randrange(len(text))] ^= 1 << chance.randrange(8)
        return bytes(text)
    return some(chance, change)


def repeats(chance):
    return some(chance, lambda *frame: pack(*frame) * chance.choice((2, 3, 200)))


def drops(chance):
    return some(chance, lambda *_: b"")


def swaps(chance):
    held = []

    def change(*frame):
        held.append(pack(*frame))
        return b"" if len(held) == 1 else held.pop() + held.pop()
    return some(chance, change)


def lengths(chance):
    return some(chance, lambda kind, errand, body: pack(kind, errand, body, chance.choice(
        (0, 1, len(body) - 1, len(body) + 1, 1 << 24, (1 << 24) + 1, (1 << 32) - 1)) % (1 << 32)))


def kinds(chance):
    return some(chance, lambda kind, errand, body: pack(chance.randrange(256), errand, body))


def numbers(chance):
    return some(chance, lambda kind, errand, body: pack(kind, chance.choice((0, errand + 1, (1 << 32) - 1)), body))


def documents(chance):
    """A value of what it says as a document is another."""
    def forge(kind, errand, body):
        if kind in (HELLO, READY, RESULT) and chance.random() < 0.6:
            body = changed(json.loads(body), chance)
        return pack(kind, errand, body)
    return forge


def results(chance):
    """The end comes before the start, twice, or is another run's."""
    how = chance.choice(("before", "twice", "another", "at once"))

    def forge(kind, errand, body):
        text = pack(kind, errand, body)
        if kind == READY and how in ("before", "at once"):
            said = pack(RESULT, errand, json.dumps({"execution_id": "0", "exit_code": 0, "cause": "exited"}).encode())
            return said + text if how == "before" else text + said
        if kind == RESULT and how == "twice":
            return text + text
        if kind == RESULT and how == "another":
            said = json.loads(body) | {"execution_id": "3b241101-e2bb-4255-8caf-4136c566a962"}
            return pack(kind, errand, json.dumps(said).encode())
        return text
    return forge


def files(chance):
    """Files that nobody asked for, with names that lead elsewhere."""
    def forge(kind, errand, body):
        if kind != RESULT:
            return pack(kind, errand, body)
        said, content = json.loads(body), b"forged\n"
        digest = "sha256:" + __import__("hashlib").sha256(content).hexdigest()
        said[chance.choice(("output_files", "artifacts"))] = [
            {"path": chance.choice([one for one in ODD if isinstance(one, str)]), "bytes": len(content), "digest": digest,
             "state": "collected"}] * chance.choice((1, 2, 5000))
        return pack(FILE, errand, content) + pack(FILE_END, errand, digest.encode()) + pack(
            RESULT, errand, json.dumps(said).encode())
    return forge


def drips(chance):
    """A byte now and then."""
    def forge(kind, errand, body):
        for byte in pack(kind, errand, body)[:800]:
            write(bytes([byte]))
            time.sleep(0.001)
        return pack(kind, errand, body)[800:]
    return forge


def screens(chance):
    """Text that plays with the terminal, on each way it may come."""
    os.write(2, ESCAPES.encode() * 30)

    def forge(kind, errand, body):
        if kind == HELLO and chance.random() < 0.3:
            return ESCAPES.encode()
        if kind == RESULT and chance.random() < 0.5:
            return pack(4 + chance.randrange(2), errand, json.dumps(
                {"status": 77, "code": ESCAPES, "message": ESCAPES}).encode())
        return pack(kind, errand, body)
    return forge


def floods(chance):
    """It never ends: output, echoes, or its own messages."""
    kind_of = chance.choice((OUT, ECHO, 2))

    def forge(kind, errand, body):
        if kind != READY:
            return pack(kind, errand, body)
        write(pack(kind, errand, body))
        while True:
            if kind_of == 2:
                os.write(2, b"x" * 60000)
            else:
                write(pack(kind_of, errand if kind_of == OUT else 0, b"x" * 60000 if kind_of == OUT else b""))
    return forge


FORGERIES = {one.__name__: one for one in (cuts, flips, repeats, drops, swaps, lengths, kinds, numbers, documents,
                                           results, files, drips, screens, floods)}


def pass_in(worker):
    while piece := os.read(0, 65536):
        worker.stdin.write(piece)
        worker.stdin.flush()
    worker.stdin.close()


def main():
    chance = random.Random(int(sys.argv[2]))
    worker = subprocess.Popen([sys.argv[3], "worker", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    threading.Thread(target=pass_in, args=(worker,), daemon=True).start()
    forge = FORGERIES[sys.argv[1]](chance)
    for frame in frames(worker.stdout):
        write(forge(*frame))
    return worker.wait()


if __name__ == "__main__":
    sys.exit(main())
