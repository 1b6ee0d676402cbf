#!/usr/bin/env python3
"""reqs: holds docs/REQUIREMENTS.md against the tests, by requirement id.

usage: tools/reqs.py check|write [ROOT]

A test names its ids in its own name: `cmocka_unit_test(R_004_002_R_004_216_plan_id)` in C, or a macro
in capitals that adds a setup; `@case` above `def R_001_011_it_is_stopped(place)` in Python. `check`
prints one line per disagreement and exits 1 on any; `write` names the tests of done and form rows,
and turns open rows that have a test into done. That a form row is done is for people to say. It
leaves absent rows alone. Both end with a count.
"""
import pathlib
import re
import sys
from typing import NamedTuple

STATUSES = ("done", "form", "absent", "open")
SHOWN = 3  # tests named in a row; beyond that, only how many more

CONTRACT = re.compile(r"^## Contract (\d{3}): .*\((\d+)\)$")
CELL = r" *((?:[^|\\]|\\.)*?) *\|"
ROW = re.compile(r"^\| *(R-\d{3}-\d{3}) *\|" + 3 * CELL + "$")
TESTS = {  # by the ending of a file: what registers a test; a function alone is none
    ".c": re.compile(r"\b(?:cmocka_unit_test\w*|[A-Z][A-Z_]+)\(\s*(\w+)"),
    ".py": re.compile(r"^@case\n(?:@\w+\n)*def (\w+)\(", re.M),
}
ID = re.compile(r"R_(\d{3})_(\d{3})(?!\d)")


class Row(NamedTuple):
    line: int
    id: str
    status: str
    what: str
    proof: str

    def __str__(self):
        return " | ".join(["", self.id, self.status, self.what, self.proof]).strip() + " |"


# ---- reading ----

def rows_of(lines):
    for n, line in enumerate(lines):
        m = ROW.match(line)
        if m:
            yield Row(n, *m.groups())


def tests_of(root):
    """{id: [where a test names it]}, in the order of files."""
    found = {}
    for path in sorted(path for path in (root / "tests").rglob("*") if path.suffix in TESTS):
        for name in TESTS[path.suffix].findall(path.read_text()):
            for id in ID.findall(name):
                found.setdefault("R-" + "-".join(id), []).append((path, f": {name}"))
    return {id: list(dict.fromkeys(f"{path.relative_to(root / 'tests').as_posix()}{name}"
                                   for path, name in places))
            for id, places in found.items()}


# ---- judging ----

def numbering(lines, rows):
    """Each contract's ids run from 001 to the number in its heading, each once."""
    wanted = [f"R-{m[1]}-{n:03}" for m in map(CONTRACT.match, lines) if m
              for n in range(1, int(m[2]) + 1)]
    have = [row.id for row in rows]
    for id in wanted:
        if have.count(id) != 1:
            yield f"{id}: listed {have.count(id)} times, should be once"
    for id in sorted(set(have) - set(wanted)):
        yield f"{id}: is not an id of any contract"
    for n, line in enumerate(lines):
        if line.startswith("| R-") and not ROW.match(line):
            yield f"line {n + 1}: is not a row: {line}"


def disagreements(lines, rows, tests):
    yield from numbering(lines, rows)
    for row in rows:
        if row.status not in STATUSES:
            yield f"{row.id}: status '{row.status}', allowed {', '.join(STATUSES)}"
        elif row.status in ("done", "form") and row.id not in tests:
            yield f"{row.id}: marked {row.status}, but no test names it"
        elif row.status == "open" and row.id in tests:
            yield f"{row.id}: marked open, but proven by {tests[row.id][0]}"
        elif row.status == "absent" and not row.proof and row.id not in tests:
            yield f"{row.id}: marked absent, with neither a test nor a reason"
    for id in sorted(tests.keys() - {row.id for row in rows}):
        yield f"{id}: is in no row, but named by {tests[id][0]}"


# ---- writing ----

def proven(row, tests):
    """The row as the tests would have it."""
    places = tests.get(row.id)
    if row.status == "absent" or not places:
        return row
    more = [f"and {len(places) - SHOWN} more"] if len(places) > SHOWN else []
    status = "form" if row.status == "form" else "done"
    return row._replace(status=status, proof="; ".join([f"`{p}`" for p in places[:SHOWN]] + more))


def count(rows):
    sums = [f"{sum(row.status == status for row in rows)} {status}" for status in STATUSES]
    return f"{len(rows)} requirements: {', '.join(sums)}"


def main(verb, root="."):
    root = pathlib.Path(root)
    table = root / "docs" / "REQUIREMENTS.md"
    lines = table.read_text().splitlines()
    rows, tests = list(rows_of(lines)), tests_of(root)
    if verb == "write":
        rows = [proven(row, tests) for row in rows]
        for row in rows:
            lines[row.line] = str(row)
        table.write_text("\n".join(lines) + "\n")
    found = list(disagreements(lines, rows, tests)) if verb == "check" else []
    print(*found, count(rows), sep="\n")
    return bool(found)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in ("check", "write"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
