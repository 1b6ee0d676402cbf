#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""differ.py: documents made by chance, read by writ and by two readers that others wrote.

usage: differ.py EACH [SEED]    EACH is the program of each.c; SEED makes the documents of one seed alone

The others are PyYAML, in Python alone, and the npm package `yaml`; the two share no line. A document that both
read alike, and writ otherwise, is a fault. Where both read alike and writ refuses, its message must be one of
those in OUTSIDE. Plain words are typed here once more, by the core schema. The npm package is asked where
PyYAML and writ disagree; where it is missing, PyYAML is believed, but in what is known of it (PYTHON_ALONE).
WRIT_LONG=1 makes a million documents in place of 20,000.
"""
import collections
import json
import multiprocessing
import os
import re
import subprocess
import sys

try:
    import yaml
except ImportError:
    yaml = None

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faces"))
import documents  # noqa: E402
from tap import Tap  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.environ.get("WRIT_PEERS") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "writ-peers")
OTHER = os.path.join(PEERS, "node_modules", "yaml")
BATCH = 5000
DOCUMENTS = 1_000_000 if os.environ.get("WRIT_LONG") else 20_000
SHOWN = 5

# What writ refuses by decision 051 though others read it.
OUTSIDE = re.compile("|".join([
    "tags are not read", "a key must be text", "a key cannot", "the name of an anchor", "this key reads as", "a value has one anchor",
    "the key .* is given twice", "a second document", "the document is empty", "a key must not hold",
    "a byte order mark", "a carriage return", "a line end of older YAML", "the last line is blanks",
    "a question mark alone", "the alias .* stands inside", "only %YAML 1.2", ".* cannot be held exactly",
    ".* has too many digits", ".* is above 2", ".* is not a number JSON has",
    "this is not YAML: the digits of this escape are no character"]), re.S)

# What PyYAML alone reads in its own way: pairs of \\u, '?' in brackets, and a comment where a text at the root begins.
PYTHON_ALONE = re.compile(rb"\\ud83d|\?|[|>][^\n]*\n\s*#")

WORDS = {"": None, "~": None, "null": None, "Null": None, "NULL": None, "true": True, "True": True, "TRUE": True,
         "false": False, "False": False, "FALSE": False}
NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


def typed(word):
    """What a plain word is, by the core schema of YAML 1.2."""
    if word in WORDS:
        return WORDS[word]
    if re.fullmatch(r"0o[0-7]+", word):
        return int(word[2:], 8)
    if re.fullmatch(r"0x[0-9a-fA-F]+", word):
        return int(word[2:], 16)
    if NUMBER.fullmatch(word):
        return int(word) if re.fullmatch(r"[-+]?[0-9]+", word) else float(word)
    return word


def same(marked, value):
    """Is the value that writ read the one of the others?"""
    kind, what = marked
    if kind == "m":
        return isinstance(value, dict) and len(value) == len(what) and all(
            key[0] in "pt" and key[1] in value and same(member, value[key[1]]) for key, member in what)
    if kind == "l":
        return isinstance(value, list) and len(value) == len(what) and all(map(same, what, value))
    if kind == "p":
        what = typed(what)
    if isinstance(what, float) and what.is_integer() and isinstance(value, int):
        return what == value
    return what == value and isinstance(what, type(value))


def mark(node, above=()):
    """A node of PyYAML in the form of each.mjs."""
    if node is None:
        return ["p", ""]
    if node in above:
        raise ValueError("a cycle")
    below = above + (node,)
    if isinstance(node, yaml.MappingNode):
        return ["m", [[mark(key, below), mark(value, below)] for key, value in node.value]]
    if isinstance(node, yaml.SequenceNode):
        return ["l", [mark(item, below) for item in node.value]]
    return ["t" if node.style else "p", node.value]


def by_python(text):
    """What PyYAML reads, or None."""
    try:
        return mark(yaml.compose(text.decode(), Loader=yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError, AttributeError, OverflowError):
        return None


def ask(command, texts):
    """The lines that a program says of these documents."""
    given = b"".join(b"%d:" % len(text) + text for text in texts)
    return subprocess.run(command, input=given, stdout=subprocess.PIPE, check=True).stdout.decode().split("\n")[:len(texts)]


def agrees(line, marked):
    """Did writ read what another reader did? Where both refuse they agree, too."""
    if marked is None or line[0] != "=":
        return marked is None and line[0] != "="
    return same(marked, json.loads(line[1:]))


def judge(line, first, second):
    """What is wrong with a line of writ, when PyYAML read `first` and the npm package `second`."""
    if first is None or first != second:
        return ""
    if line[0] == "=":
        return "read otherwise"
    return "" if OUTSIDE.match(line.split(" ", 2)[2]) else "refused"


def batch(job):
    """Reads the documents of one seed: what was counted, and what is wrong."""
    each, seed = job
    maker = documents.Maker(seed)
    texts = [maker.document() for _ in range(BATCH)]
    lines = ask([each], texts)
    first = [by_python(text) for text in texts]
    differing = [i for i in range(len(texts)) if first[i] is not None and not agrees(lines[i], first[i])]
    count = collections.Counter(read=sum(line[0] == "=" for line in lines),
                                python=sum(marked is not None for marked in first),
                                both=sum(line[0] == "=" and marked is not None for line, marked in zip(lines, first)))
    if os.path.isdir(OTHER):
        asked = ask(["node", os.path.join(HERE, "each.mjs"), OTHER], [texts[i] for i in differing])
        second = {i: json.loads(line) for i, line in zip(differing, asked)}
    else:
        second = {i: first[i] for i in differing if lines[i][0] == "=" and not PYTHON_ALONE.search(texts[i])}
    faults = []
    for i, other in second.items():
        fault = judge(lines[i], first[i], other)
        count["alike"] += other is not None and other == first[i]
        if fault:
            faults.append((len(texts[i]), f"{fault}: seed {seed}: {texts[i]!r}\nwrit   {lines[i]}\nothers {other}"))
    return count, faults


def main():
    each, seeds = sys.argv[1], range(DOCUMENTS // BATCH)
    if yaml is None:
        print("1..0 # SKIP Python has no module yaml (python3-yaml)")
        return 0
    if len(sys.argv) > 2:
        seeds = [int(sys.argv[2])]
    count, faults, tap = collections.Counter(), [], Tap()
    with multiprocessing.Pool() as pool:
        for counted, found in pool.imap_unordered(batch, [(each, seed) for seed in seeds]):
            count += counted
            faults += found
    print(f"# {len(seeds) * BATCH} documents: writ reads {count['read']}, PyYAML {count['python']}, both {count['both']}; "
          f"{count['alike']} that both others read are refused by decision or at fault")
    if not os.path.isdir(OTHER):
        print(f"# without the npm package yaml, which is not in {PEERS} (tools/setup peers)")
    shown = "\n".join(text for _, text in sorted(faults)[:SHOWN])
    tap.case("what_other_readers_read_alike_writ_reads_alike", faults and f"{len(faults)} documents\n{shown}" or "")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
