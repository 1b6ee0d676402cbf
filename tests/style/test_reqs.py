#!/usr/bin/env python3
"""Gives tools/reqs.py small tables and tests and expects it to see every disagreement. Prints TAP."""
import pathlib
import subprocess
import sys
import tempfile

REQS = pathlib.Path(__file__).resolve().parents[2] / "tools" / "reqs.py"


def table(*rows):
    """A table of one contract with three requirements."""
    return "\n".join(["## Contract 007: a test (3)", "", "### Part", "",
                      "| id | status | what | test or reason |", "|---|---|---|---|", *rows, ""])


OPEN = "| R-007-001 | open | One. | |"
DONE = "| R-007-002 | done | Two. | |"
ABSENT = "| R-007-003 | absent | No \\| three. | because |"
C_TWO = {"tests/unit/test_a.c": "    cmocka_unit_test(R_007_002_it_holds),\n"}
C_BOTH = {"tests/unit/test_a.c": "cmocka_unit_test_setup(\n    R_007_001_R_007_002_it_holds, set)"}
PY_TWO = {"tests/exec/a.py": "@case\ndef R_007_002_it_holds(place):\n    pass\n"}

# name, verb, rows, tests, what must be said or written, exit status
CASES = [
    ("agreement", "check", [OPEN, DONE, ABSENT], C_TWO, "3 requirements: 1 done, 0 form, 1 absent, 1 open", 0),
    ("done without a test", "check", [OPEN, DONE, ABSENT], {}, "R-007-002: marked done, but no test names it", 1),
    ("form without a test", "check", [OPEN, DONE.replace("done", "form"), ABSENT], {},
     "R-007-002: marked form, but no test names it", 1),
    ("a form row stays one", "write", [OPEN, DONE.replace("done", "form"), ABSENT], C_TWO,
     "| R-007-002 | form | Two. | `unit/test_a.c: R_007_002_it_holds` |", 0),
    ("a function that is not registered", "check", [OPEN, DONE, ABSENT],
     {"tests/unit/test_a.c": "static void R_007_002_it_holds(void **state)\n"}, "R-007-002: marked done, but no", 1),
    ("a case in Python", "check", [OPEN, DONE, ABSENT], PY_TWO, "1 done", 0),
    ("a test with a setup of its file", "check", [OPEN, DONE, ABSENT],
     {"tests/unit/test_a.c": "    TEST(R_007_002_it_holds),\n"}, "1 done", 0),
    ("a case in Python under another name above it", "check", [OPEN, DONE, ABSENT],
     {"tests/exec/a.py": "@case\n@missing\ndef R_007_002_it_holds(place):\n    pass\n"}, "1 done", 0),
    ("a case in Python of several ids", "check", [OPEN, DONE, ABSENT],
     {"tests/exec/a.py": PY_TWO["tests/exec/a.py"].replace("R_007_002", "R_007_001_R_007_002")},
     "R-007-001: marked open, but proven by exec/a.py: R_007_001_R_007_002_it_holds", 1),
    ("a function in Python that is no case", "check", [OPEN, DONE, ABSENT],
     {"tests/exec/a.py": "def R_007_002_it_holds(place):\n"}, "R-007-002: marked done, but no", 1),
    ("tests of both kinds", "write", [OPEN, DONE, ABSENT], C_TWO | PY_TWO,
     "`exec/a.py: R_007_002_it_holds`; `unit/test_a.c: R_007_002_it_holds` |", 0),
    ("open with a test", "check", [OPEN, DONE, ABSENT], C_BOTH, "R-007-001: marked open, but proven by unit/test_a.c", 1),
    ("a test of nothing", "check", [OPEN, DONE, ABSENT],
     C_TWO | {"tests/unit/test_b.c": "cmocka_unit_test(R_007_009_a)"}, "R-007-009: is in no row, but named by", 1),
    ("a missing id", "check", [OPEN, ABSENT], {}, "R-007-002: listed 0 times", 1),
    ("an id twice", "check", [OPEN, OPEN, DONE, ABSENT], C_TWO, "R-007-001: listed 2 times", 1),
    ("an id too many", "check", [OPEN, DONE, ABSENT, OPEN.replace("001", "004")], C_TWO,
     "R-007-004: is not an id of any contract", 1),
    ("a row that is none", "check", [OPEN, DONE, ABSENT, "| R-007-004 | open |"], C_TWO, "is not a row", 1),
    ("another status", "check", [OPEN.replace("open", "soon"), DONE, ABSENT], C_TWO, "status 'soon', allowed", 1),
    ("absent without a reason", "check", [OPEN, DONE, ABSENT.replace("because", "")], C_TWO,
     "R-007-003: marked absent, with neither", 1),
    ("a done row gets its test", "write", [OPEN, DONE, ABSENT], C_TWO,
     "| R-007-002 | done | Two. | `unit/test_a.c: R_007_002_it_holds` |", 0),
    ("an open row with a test becomes done", "write", [OPEN, DONE, ABSENT], C_BOTH,
     "| R-007-001 | done | One. | `unit/test_a.c: R_007_001_R_007_002_it_holds` |", 0),
    ("an open row without one stays", "write", [OPEN, DONE, ABSENT], C_TWO, OPEN, 0),
    ("an absent row keeps its reason", "write", [OPEN, DONE, ABSENT],
     C_TWO | {"tests/unit/test_b.c": "cmocka_unit_test(R_007_003_a)"}, ABSENT, 0),
]


def said(verb, rows, tests):
    """What it printed and what the table looks like afterwards."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in ({"docs/REQUIREMENTS.md": table(*rows)} | tests).items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, REQS, verb, root], capture_output=True, text=True)
        after = pathlib.Path(root, "docs/REQUIREMENTS.md").read_text()
    return done.returncode, done.stdout + done.stderr + after


def main():
    faults = 0
    print(f"1..{len(CASES)}")
    for n, (name, verb, rows, tests, words, status) in enumerate(CASES, 1):
        got, text = said(verb, rows, tests)
        good = got == status and words in text
        faults += not good
        print(f"{'' if good else 'not '}ok {n} - {name}")
        if not good:
            print("".join(f"# {line}\n" for line in text.splitlines()), end="")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
