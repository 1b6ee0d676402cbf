#!/usr/bin/env python3
"""test_plan: what contract 004 says of how an orchestrator is built, held against src/plan.

usage: test_plan.py ROOT
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
QUIET = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
CASES = []


def case(function):
    CASES.append(function)
    return function


def code(path):
    """The code of a file, without comments and texts."""
    return QUIET.sub(" ", (ROOT / path).read_text())


def sources(folder):
    return sorted((ROOT / "src" / folder).glob("*.[ch]"))


def statuses():
    table = (ROOT / "docs/REQUIREMENTS.md").read_text()
    return {int(n): status for n, status in re.findall(r"^\| R-004-(\d{3}) \| (\w+) \|", table, re.M)}


@case
def R_004_208_the_duties_of_an_ended_plan_know_nothing_of_retries_and_policies():
    found = re.findall(r"\b(?:on_failure|ON_FAILURE_\w+|retry\w*|backoff\w*|attempt\w*)\b",
                       code("src/plan/rules.c"))
    assert not found, f"rules.c speaks of {sorted(set(found))}"


@case
def R_004_204_R_004_205_R_004_207_only_the_check_before_a_run_looks_at_actions_and_payloads():
    for path in sources("plan"):
        if path.name in ("handler.c", "handler.h", "template.c"):
            continue
        found = re.findall(r"(?:->|\.)(?:action|payload)\b", code(path))
        assert not found, f"{path.name} looks at {sorted(set(found))}"


@case
def R_004_167_no_step_is_decided_together_with_other_machines():
    for path in sources("plan"):
        found = re.findall(r"\b(?:socket|connect|send|recv|sys/socket|netdb)\b", code(path))
        assert not found, f"{path.name} speaks of {sorted(set(found))}"


@case
def R_004_150_R_004_152_nobody_in_writ_runs_a_plan_a_second_time():
    calls = [(path.name, line.strip()) for path in sorted((ROOT / "src").rglob("*.c"))
             for line in code(path).splitlines() if re.search(r"\bplan_run\(&", line)]
    assert len(calls) == 1, calls
    body = re.search(r"\nstatic bool go\(.*?\n}\n", code("src/engine/plan/go.c"), re.S)
    assert body and not re.search(r"\b(?:for|while|do)\b", body[0]), "the call stands in a loop"


@case
def R_004_209_R_004_210_every_rule_of_section_5_has_a_test_that_passes_or_holds_a_release_up():
    open_rows = [n for n, status in statuses().items() if 85 <= n <= 149 and status != "done"]
    assert not open_rows, f"not done: {open_rows}"


@case
def R_004_211_every_non_goal_of_section_6_is_proven_absent():
    open_rows = [n for n, status in statuses().items()
                 if 150 <= n <= 208 and status not in ("done", "absent")]
    assert not open_rows, f"neither done nor absent: {open_rows}"


@case
def R_004_212_R_004_213_R_004_214_the_version_of_the_contract_is_written_down_where_it_is_read():
    row = re.search(r'"version",[^\n]*\.min = (\d+), \.max = (\d+)', (ROOT / "src/contract/plan_shape.c").read_text())
    assert row and row[1] == row[2] == "1", "the only version that is read is 1"
    rule = (ROOT / "docs/decisions/025-another-version-of-a-contract.md").read_text()
    for words in ("new version", "migration", "docs/decisions"):
        assert words in rule, f"the rule for amendments says nothing of {words}"


def main():
    print(f"1..{len(CASES)}")
    failed = False
    for n, function in enumerate(CASES, 1):
        try:
            function()
            print(f"ok {n} - {function.__name__}")
        except AssertionError as fault:
            failed = True
            print(f"not ok {n} - {function.__name__}\n# {fault}")
    sys.exit(failed)


main()
