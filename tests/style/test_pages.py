#!/usr/bin/env python3
"""Every manual page that a text names is one that is made. Prints TAP.

usage: test_pages.py ROOT
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
TEXTS = [path for folder, endings in (("src", ".c .h"), ("include", ".h"), ("tools", ".c"), ("docs", ".md .scd"),
                                      ("adapters", ".yaml"), ("examples", ".md .yaml"), (".", ".md"))
         for path in (ROOT / folder).glob("*" if folder == "." else "**/*") if path.suffix in endings.split()]
NAMED = re.compile(r"\b((?:lib)?writ(?:-[a-z]+)*)\*?\(([1-8])\)")


def made():
    """As docs/meson.build has them: one a verb, two more of the rows, those written by hand."""
    verbs = re.findall(r"^ *&cmd_([a-z]+)", (ROOT / "src/cli/commands.c").read_text(), re.MULTILINE)
    by_hand = (path.name.removesuffix(".scd").rsplit(".", 1) for path in (ROOT / "docs/man").glob("*.scd"))
    return {("writ", "1"), ("writ-documents", "5"), *((f"writ-{verb}", "1") for verb in verbs), *map(tuple, by_hand)}


def main():
    pages, named = made(), set()
    for path in sorted(TEXTS):
        for page in NAMED.findall(path.read_text()):
            named.add((page, str(path.relative_to(ROOT))))
    missing = sorted(f"{name}({section}) in {where}" for (name, section), where in named
                     if (name, section) not in pages)
    print("ok" if len(named) > 30 else "not ok", f"1 - texts name pages: {len(named)}")
    print("not ok" if missing else "ok", "2 - every one of them is made")
    for line in missing:
        print("#", line)
    print("1..2")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
