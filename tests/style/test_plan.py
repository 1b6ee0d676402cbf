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
NOT_BUILT = [142]  # an error handler cannot be configured
READ_IN_THE_SOURCE = [152, 167, 208]  # by the cases here: nothing that runs could show them

sys.path.insert(0, str(ROOT / "tools"))
import reqs  # noqa: E402


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


def unproven(first, last):
    """The requirements of contract 004 in this range that no registered test outside of tests/style names. A test that
    is renamed, deleted or no longer built is missed here, whatever the table of requirements says."""
    built = (ROOT / "tests/meson.build").read_text()

    def runs(place):
        path = pathlib.PurePath(place.split(": ")[0])
        return path.parts[0] != "style" and f"'{path.stem.removeprefix('test_')}'" in built
    found = reqs.tests_of(ROOT)
    return [n for n in range(first, last + 1) if not any(map(runs, found.get(f"R-004-{n:03}", [])))]


@case
def R_004_209_R_004_210_every_rule_of_section_5_has_a_test_that_holds_a_release_up():
    assert unproven(85, 149) == NOT_BUILT, unproven(85, 149)
    said = [n for n, status in statuses().items() if 85 <= n <= 149 and status != "done"]
    assert said == NOT_BUILT, f"the table of requirements says of {said} that they are not done"


@case
def R_004_211_every_non_goal_of_section_6_is_looked_for_and_not_found():
    assert unproven(150, 208) == READ_IN_THE_SOURCE, unproven(150, 208)
    here = {int(n) for function in CASES for n in re.findall(r"R_004_(\d{3})", function.__name__)}
    assert here.issuperset(READ_IN_THE_SOURCE), READ_IN_THE_SOURCE
    said = [n for n, status in statuses().items() if 150 <= n <= 208 and status not in ("done", "absent")]
    assert not said, f"neither done nor absent: {said}"


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
