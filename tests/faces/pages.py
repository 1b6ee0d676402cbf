#!/usr/bin/env python3
"""Reads the man pages in a terminal of 80 columns. Prints TAP."""
import os
import pathlib
import re
import subprocess
import sys

COLUMNS = 80


def too_long(man, page):
    """The lines that a terminal would fold. A single word, as a digest or a pattern, has nowhere to be divided."""
    env = {**os.environ, "MANWIDTH": str(COLUMNS), "MANPAGER": "cat", "MAN_KEEP_FORMATTING": "", "LC_ALL": "C.UTF-8"}
    shown = subprocess.run([man, "-l", page], env=env, capture_output=True, text=True, check=True).stdout
    return [line for line in re.sub(".\\x08", "", shown).splitlines() if len(line) > COLUMNS and " " in line.strip()]


def main():
    man, pages = sys.argv[1], sys.argv[2:]
    print(f"1..{len(pages)}")
    good = True
    for n, page in enumerate(pages, 1):
        long = too_long(man, page)
        good = good and not long
        print(f"{'not ' if long else ''}ok {n} - {pathlib.Path(page).name} fits in {COLUMNS} columns")
        print("".join(f"# {line}\n" for line in long), end="")
    return not good


if __name__ == "__main__":
    sys.exit(main())
