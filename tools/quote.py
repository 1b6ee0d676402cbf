#!/usr/bin/env python3
"""quote: files as texts of a C program. usage: tools/quote.py OUT NAME=FILE..."""
import pathlib
import sys


def literal(line):
    return '    "' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"'


def text(name, path):
    lines = pathlib.Path(path).read_text().splitlines()
    return f"extern const char {name}[];\nconst char {name}[] =\n" + "\n".join(map(literal, lines)) + ";\n"


if __name__ == "__main__":
    out, *pairs = sys.argv[1:]
    pathlib.Path(out).write_text("".join(text(*pair.split("=", 1)) for pair in pairs))
