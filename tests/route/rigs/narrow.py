#!/usr/bin/env python3
"""narrow: a worker behind a line that takes little of what it says until somebody opens it.

usage: narrow.py GATE BYTES COMMAND...      no more than BYTES of what COMMAND says get through until there is a
                                            file GATE
"""
import os
import pathlib
import subprocess
import sys
import threading
import time

PIECE = 4096


def pass_on(source, sink, may_pass):
    passed = 0
    while piece := os.read(source, PIECE):
        while not may_pass(passed):
            time.sleep(0.02)
        passed += len(piece)
        while piece:
            piece = piece[os.write(sink, piece):]
    os.close(sink)


def main():
    gate, most = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    worker = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    threading.Thread(target=pass_on, args=(0, worker.stdin.fileno(), lambda _: True), daemon=True).start()
    pass_on(worker.stdout.fileno(), 1, lambda passed: passed < most or gate.exists())
    return worker.wait()


sys.exit(main())
