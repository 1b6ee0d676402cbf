#!/usr/bin/env python3
"""transform_peers.py: transforms beside what others make of the same: Python's csv, re and json.

usage: transform_peers.py TRANSFORM_ONE
"""
import csv
import io
import json
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "faces"))
from tap import collector, play  # noqa: E402

CASES = []
case = collector(CASES)
PIECES = ["a", "b", "no", "1", " ", ",", ";", "\t", '"', '""', "'", "\n", "\r", "\r\n", "é", "😀", "=", "#", "-"]


class One:
    """The program that transforms: one request, one answer."""

    def __init__(self):
        self.child = subprocess.Popen([sys.argv[-1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      text=True, encoding="utf-8")

    def ask(self, **request):
        self.child.stdin.write(json.dumps(request) + "\n")
        self.child.stdin.flush()
        return json.loads(self.child.stdout.readline())

    def output(self, *transforms, **what):
        return self.ask(output=[{"type": type, "spec": spec} for type, spec in transforms], **what)


ONE = One()


def text(chance, most=6):
    return "".join(chance.choice(PIECES) for _ in range(chance.randrange(most)))


def rows(chance):
    width = chance.randrange(1, 5)
    return [[text(chance) for _ in range(width)] for _ in range(chance.randrange(1, 5))]


def same(found, wanted, about):
    if found != wanted:
        raise AssertionError(f"{about!r}\nfound  {found!r}\nwanted {wanted!r}")


@case
def rows_that_python_writes_are_read(scratch):
    """R-001-105 csv and tsv that Python's csv module writes are read as the rows they were"""
    chance = random.Random(1)
    for _ in range(1500):
        table, delimiter = rows(chance), chance.choice(",;\t|")
        end, quoting = chance.choice([("\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_MINIMAL)])
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(table)
        spec = {"csv": {"header": False, "delimiter": delimiter}}
        same(ONE.output(("parse", spec), text=out.getvalue()), {"value": table}, out.getvalue())


@case
def rows_that_we_write_are_read_by_python(scratch):
    """R-001-107 csv and tsv that we write are read by Python's csv module as the rows they were"""
    chance = random.Random(2)
    for _ in range(1500):
        table, name = rows(chance), chance.choice(["csv", "tsv"])
        spec = {name: {"crlf": chance.random() < 0.5}}
        found = ONE.output(("format", spec), value=table)["text"]
        read = csv.reader(io.StringIO(found, newline=""), strict=True,
                          delimiter="," if name == "csv" else "\t")
        same(list(read), table, found)


def header_names(chance, n):
    return [f"{text(chance)}{i}" for i in range(n)]


@case
def maps_that_python_writes_are_read(scratch):
    """R-001-105 rows with a header are the maps that Python's csv module says"""
    chance = random.Random(3)
    for _ in range(800):
        table = rows(chance)
        names = header_names(chance, len(table[0]))
        out = io.StringIO()
        csv.writer(out).writerows([names, *table])
        wanted = [dict(row) for row in csv.DictReader(io.StringIO(out.getvalue(), newline=""))]
        same(ONE.output(("parse", "csv"), text=out.getvalue()), {"value": wanted}, out.getvalue())


@case
def any_text_is_a_table_or_refused(scratch):
    """R-001-105 text that is no table is refused, or read as Python's csv module reads it"""
    chance, taken = random.Random(4), 0
    for _ in range(4000):
        written = text(chance, 12)
        answer = ONE.output(("parse", {"csv": {"header": False}}), text=written)
        if "error" in answer:
            continue
        taken += 1
        read = [row for row in csv.reader(io.StringIO(written, newline=""), strict=True) if row]
        same(answer["value"], read, written)
    if taken < 1000:
        raise AssertionError(f"only {taken} were taken")


# ---- patterns ----

def pattern(chance, depth, names):
    """A random pattern, in the words that both know alike; what repeats is never empty."""
    kind = chance.randrange(9 if depth else 2)
    if kind < 2:
        return chance.choice(["a", "b", "c", "[ab]", "[^a]", ".", r"\w", "é"])
    if kind < 4:
        return pattern(chance, depth - 1, names) + pattern(chance, depth - 1, names)
    if kind == 4:
        return f"(?:{pattern(chance, depth - 1, names)}|{pattern(chance, depth - 1, names)})"
    if kind == 5:
        atom = chance.choice(["a", "b", ".", "[ab]", "(?:ab|a)", "(?:a|ab|c)"])
        return atom + chance.choice(["*", "+", "?", "{1,2}", "{2}", "{0,3}"]) + chance.choice(["", "?"])
    if kind == 6:
        return chance.choice(["^", "$", r"\b", r"\B"]) + pattern(chance, depth - 1, names)
    names.append(f"g{len(names)}")
    return f"(?P<{names[-1]}>{pattern(chance, depth - 1, names)})"


def all_matches(expression, written, flags):
    """As ECMA-262 goes on: behind a match, and one further where it was empty."""
    program, at = re.compile(expression, flags), 0
    while at <= len(written) and (found := program.search(written, at)):
        yield found.groupdict()
        at = found.end() + (found.end() == found.start())


@case
def groups_match_what_python_says(scratch):
    r"""R-001-105 named groups match what Python's re module says, all of them and the first"""
    chance, matched = random.Random(5), 0
    for _ in range(6000):
        names = []
        expression = f"(?P<all>{pattern(chance, 4, names)})"
        # Not empty: Python finds no \B there.
        written = "".join(chance.choice("aaabbcé \n") for _ in range(chance.randrange(1, 12)))
        multiline = chance.random() < 0.5
        # $ of Python stands before a last line end, too; \Z does not.
        theirs = expression if multiline else expression.replace("$", r"\Z")
        flags = re.ASCII | (re.MULTILINE if multiline else 0)
        wanted = list(all_matches(theirs, written, flags))
        spec = {"regex": expression, "all": True, "multiline": multiline}
        same(ONE.output(("parse", spec), text=written), {"value": wanted}, (expression, written, multiline))
        matched += bool(wanted)
        answer = ONE.output(("parse", spec | {"all": False}), text=written)
        same(answer.get("value"), wanted[0] if wanted else None, (expression, written))
    if matched < 2000:
        raise AssertionError(f"only {matched} matched")


# ---- JSON and YAML ----

@case
def json_is_what_python_says(scratch):
    """R-001-107 json, json_pretty and json_lines are read by Python as the same"""
    chance = random.Random(6)
    for _ in range(500):
        value = [{text(chance): [text(chance), chance.random(), chance.randrange(-9, 9), None]}
                 for _ in range(chance.randrange(4))]
        same(json.loads(ONE.output(("format", "json"), value=value)["text"]), value, value)
        pretty = ONE.output(("format", "json_pretty"), value=value)["text"]
        same(pretty, json.dumps(json.loads(pretty), indent=2, ensure_ascii=False) + "\n", value)
        lines = ONE.output(("format", "json_lines"), value=value)["text"]
        same([json.loads(line) for line in lines.split("\n")[:-1]], value, value)


@case
def yaml_is_what_python_says(scratch):
    """R-001-107 yaml is read by PyYAML, which reads YAML 1.1, as the same"""
    try:
        import yaml
    except ImportError:
        from tap import Skip
        raise Skip("python3-yaml is not installed")
    chance = random.Random(7)
    words = PIECES + ["yes", "On", "0o7", "0x1f", "1_000", "1:30", "1e3", ".5", "~", "null", "2026-01-16",
                      "<<", "=", "- ", "? ", ": ", "[", "{", "%", "@", "`", "!", "&", "*", "|", ">", "\x85"]

    def value(depth):
        kind = chance.randrange(7 if depth else 4)
        if kind == 0:
            return chance.choice([None, True, False, 0, -5, 1.5, 1e30, 1e-9])
        if kind < 4:
            return "".join(chance.choice(words) for _ in range(chance.randrange(4)))
        if kind == 4:
            return {"".join(chance.choice(words) for _ in range(3)): value(depth - 1) for _ in range(3)}
        return [value(depth - 1) for _ in range(chance.randrange(4))]

    wide = {"k" * 2000: [{"l" * 600: {"a": 1}, "b": 2}], "c": 3}  # keys as long are no simple ones
    for turn in range(600):
        wanted = value(3) if turn else wide
        found = ONE.output(("format", "yaml"), value=wanted)["text"]
        same(yaml.safe_load(found), wanted, found)


if __name__ == "__main__":
    sys.exit(play(CASES))
