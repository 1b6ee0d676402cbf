#!/usr/bin/env python3
"""hostile: a PostgreSQL server that lies. Whatever it answers, writ ends, and in order.

usage: hostile.py WRIT      prints TAP; WRIT_LONG=1: twenty times as many lies

A proxy stands before a real server and changes what the server says: numbers, columns, rows, the
order of messages, lengths, texts. writ must neither crash nor hang, nor print a control character of the
server's. WRIT may be a build with sanitizers.
"""
import contextlib
import os
import pathlib
import random
import resource
import socket
import struct
import sys
import tempfile
import threading

for folder in ("faces", "ledger"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / folder))
import ledger  # noqa: E402
import server  # noqa: E402
import tap  # noqa: E402

MEMORY_MOST = 800 << 20  # of a writ that is answered without end
TRIES = 200 if os.environ.get("WRIT_LONG") else 8  # of each lie
ANSWER_SECONDS = 2  # until writ gives the server up
PORT = 7001
INTS = [-1, 0, 1, 2, 7, 255, 1 << 20, 1 << 31, 1 << 32, (1 << 63) - 1, -(1 << 63), 0x4141414141414141]


def message(kind, body=b""):
    return kind + struct.pack("!I", len(body) + 4) + body


def fields(body):
    """The fields of a DataRow."""
    count, at, out = struct.unpack("!H", body[:2])[0], 2, []
    for _ in range(count):
        size = struct.unpack("!i", body[at:at + 4])[0]
        at += 4
        out.append(None if size < 0 else body[at:at + size])
        at += max(size, 0)
    return out


def row(values):
    body = b"".join(b"\xff\xff\xff\xff" if v is None else struct.pack("!i", len(v)) + v for v in values)
    return message(b"D", struct.pack("!H", len(values)) + body)


def numbers(chance, body):
    return row([struct.pack("!q", chance.choice(INTS)) if v is not None and len(v) == 8 else v for v in fields(body)])


def one_number(chance, body):
    values = fields(body)
    wide = [i for i, v in enumerate(values) if v is not None and len(v) == 8]
    if wide:
        values[chance.choice(wide)] = struct.pack("!q", chance.choice(INTS))
    return row(values)


def lengths(chance, body):
    return row([v if v is None or chance.random() < 0.5 else chance.randbytes(chance.choice([0, 1, 3, 9, 40, 5000]))
                for v in fields(body)])


def error(text):
    return message(b"E", b"SFATAL\0VFATAL\0C57P01\0M" + text + b"\0\0")


ESCAPES = b"\x1b]0;owned\x07\x1b[2J \xc2\x9b31m \r\nwrit: verified"

# name: of which messages, what is said in place of one
LIES = {
    "numbers": (b"D", numbers),
    "one number": (b"D", one_number),
    "lengths": (b"D", lengths),
    "nothing but NULL": (b"D", lambda chance, body: row([None for _ in fields(body)])),
    "rows twice": (b"D", lambda chance, body: 2 * message(b"D", body)),
    "a row 5,000 times": (b"D", lambda chance, body: 5000 * message(b"D", body)),
    "no row": (b"D", lambda chance, body: b""),
    "fewer columns": (b"D", lambda chance, body: row(fields(body)[:-1])),
    "fewer columns, as described": (b"T", lambda chance, body: message(b"T", struct.pack("!H", 0))),
    "end of rows before them": (b"D", lambda chance, body: message(b"C", b"SELECT 99999999999999999999999999\0")),
    "a count of rows": (b"C", lambda chance, body: message(b"C", b"COPY 18446744073709551615\0")),
    "copy in": (b"TDC2n", lambda chance, body: message(b"G", b"\1\0\0")),
    "copy out": (b"TDC2n", lambda chance, body: message(b"H", b"\1\0\0")),
    "copy both": (b"TDC2n", lambda chance, body: message(b"W", b"\1\0\0")),
    "an error that plays with the terminal": (b"TDC2n", lambda chance, body: error(ESCAPES)),
    "warnings without end": (b"TDC", lambda chance, body: 3000 * message(
        b"N", b"SWARNING\0VWARNING\0C01000\0M" + ESCAPES + b"\0\0") + message(b"C", b"SELECT 1\0")),
    "an unknown message": (b"TDC12nZ", lambda chance, body: message(b"?", b"what")),
    "noise": (b"TDC12nZ", lambda chance, body: chance.randbytes(64)),
    "a length of 2 GB": (b"TDC12nZ", lambda chance, body: b"D" + struct.pack("!I", (1 << 31) - 8) + b"x" * 1000),
    "another state": (b"Z", lambda chance, body: message(b"Z", chance.choice([b"I", b"T", b"E"]))),
    "ready three times": (b"Z", lambda chance, body: message(b"Z", b"I") * 3),
    "silence": (b"TDC12nZ", None),
    "an end": (b"TDC12nZ", None),
    "rows without end": (b"D", None),
    "notices without end": (b"TDC12nZ", None),
}


class Proxy:
    """Before the server `it`. Of the messages that a lie is about, the one of the given number is changed."""

    def __init__(self, it):
        self.it, self.ears = it, socket.socket(socket.AF_UNIX)
        path = it.home / f".s.PGSQL.{PORT}"
        self.ears.bind(str(path))
        path.chmod(0o777)
        self.ears.listen()
        self.lie, self.number, self.chance, self.sockets, self.told = None, 0, random.Random(), [], False
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def address(self):
        return f"postgres:///ledger?host={self.it.home}&port={PORT}&user=keeper&answer_timeout={ANSWER_SECONDS}"

    def accept(self):
        while True:
            near, _ = self.ears.accept()
            far = socket.socket(socket.AF_UNIX)
            far.connect(str(self.it.home / ".s.PGSQL.5432"))
            self.sockets += [near, far]
            threading.Thread(target=self.pump, args=(near, far), daemon=True).start()
            threading.Thread(target=self.twist, args=(far, near), daemon=True).start()

    def pump(self, near, far):
        with contextlib.suppress(OSError):
            while part := near.recv(1 << 16):
                far.sendall(part)
        with contextlib.suppress(OSError):
            far.shutdown(socket.SHUT_WR)

    def twist(self, far, near):
        had = b""
        with contextlib.suppress(OSError):
            while part := far.recv(1 << 16):
                had += part
                while len(had) >= 5 and len(had) >= (size := 1 + struct.unpack("!I", had[1:5])[0]):
                    one, had = had[:size], had[size:]
                    if not self.say(near, one[:1], one[5:], one):
                        return
        with contextlib.suppress(OSError):
            near.shutdown(socket.SHUT_WR)

    def say(self, near, kind, body, one):
        about, way = LIES.get(self.lie, (b"", None))
        if kind in about:
            self.number -= 1
        if kind not in about or self.number != 0:
            near.sendall(one)
            return True
        self.told = True
        if way:
            near.sendall(way(self.chance, body))
        elif self.lie == "an end":
            near.shutdown(socket.SHUT_RDWR)
        else:  # until writ has gone
            more = one if kind == b"D" and self.lie == "rows without end" else message(
                b"N", b"SNOTICE\0VNOTICE\0C00000\0Mthere is more\0\0")
            while True:
                near.sendall(more * (1 + (1 << 16) // len(more)))
        return way is not None

    def begin(self, lie, number, chance):
        self.lie, self.number, self.chance, self.told = lie, number, chance, False

    def hang_up(self):
        for it in self.sockets:
            with contextlib.suppress(OSError):
                it.shutdown(socket.SHUT_RDWR)
            it.close()
        self.sockets = []


def events(place, number):
    """Those of two executions, one of which has been there before, so that twins are asked for."""
    new = [place.event(state, f"execution {number}") for state in ("planned", "running")]
    return b"".join(map(ledger.text_of, [place.event(), *new, place.event()]))


VERBS = {  # words, and what standard input is
    "exec": (["exec", "--", "/bin/true"], lambda place, number: b""),
    "append": (["ledger", "append", "-"], events),
    "input": (["ledger", "input", "-"], lambda place, number: b'{"number": %d}' % number),
    "rejects": (["ledger", "rejects"], lambda place, number: b""),
    "checkpoint": (["checkpoint"], lambda place, number: b""),
    "prove": (["prove", "0"], lambda place, number: b""),
    "log": (["log"], lambda place, number: b""),
    "verify": (["verify"], lambda place, number: b""),
}


def fault_of(run):
    """What is wrong with an end, whatever the server said; a sanitizer ends a program with SIGABRT or says so."""
    said = run.out + run.err
    if run.status < 0 or run.status >= 128 or b"Sanitizer" in said or b"runtime error" in said:
        return f"status {run.status}: {said.decode(errors='replace')[:3000]}"
    if any(byte < 32 and byte not in b"\n\t" for byte in said) or b"\xc2\x9b" in said:
        return f"control characters: {said[:500]!r}"
    return ""


def play(place, proxy, lie, seed):
    """One lie; whether it was told, and what is wrong with how writ took it."""
    chance = random.Random(f"{lie} {seed}")
    verb = [*VERBS][seed % len(VERBS)]
    words, stdin = VERBS[verb]
    given, number = stdin(place, seed), chance.randint(1, 12)
    proxy.begin(lie, number, chance)
    fault = fault_of(place.writ(*words, stdin=given))
    told = proxy.told
    proxy.begin(None, 0, chance)
    return told, fault and f"{verb}, message {number}, seed {seed}: {fault}"


def main():
    cases = tap.Tap()
    try:
        with server.server() as it, tempfile.TemporaryDirectory() as scratch:
            proxy = Proxy(it)
            place = ledger.Ledger(pathlib.Path(scratch), proxy.address)
            place.chain("exec-1", "planned", "running", "succeeded")
            for verb, (words, stdin) in VERBS.items():
                run = place.writ(*words, stdin=stdin(place, -1))
                cases.case(f"the truth, {verb}", fault_of(run) or (f"{run}" if run.status not in (0, 1) else ""))
            for lie in LIES:
                tries = 4 if "without end" in lie else TRIES
                played = [play(place, proxy, lie, seed) for seed in range(tries)]
                faults = [fault for _, fault in played if fault]
                told = sum(told for told, _ in played)
                cases.case(lie, "\n".join(faults[:3]) or ("" if told else "it was never told"))
            proxy.hang_up()
            used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
            cases.case("none took much memory", f"{used} bytes" if used > MEMORY_MOST else "")
            cases.case("and what was recorded before is intact", fault_of(place.writ("verify")))
    except server.Missing as why:
        print(f"1..0 # SKIP {why}")
        return 0
    return cases.finish()


if __name__ == "__main__":
    sys.exit(main())
