#!/usr/bin/env python3
"""names: what is meant by the name or the beginning of a name that somebody gives.

usage: names.py [--postgres] WRIT      prints TAP
"""
import sys

import ledger
import tap
from ledger import POSTGRES, same, true

CASES = []
case = ledger.collector(CASES)


@case
def a_whole_name_wins_over_one_that_begins_with_it(place):
    id = place.enter({"a": 2}, subject="deploy-prod", tenant="t-1")["ledger_id"]
    place.chain("deploy-prod-eu", "planned", "running")
    same(place.entry("deploy-prod")["ledger_id"], id)
    same(place.one("prove", "deploy-prod")["header"]["id"], id)
    same(place.one("show", "deploy-prod-e")["execution"], "deploy-prod-eu")
    # of a robot there are executions alone
    same(place.one("show", "deploy-prod", "--robot", "r-1")["execution"], "deploy-prod-eu")


@case
def a_name_that_is_also_the_beginning_of_an_id_is_a_name(place):
    id = place.base[0]
    named = place.enter({"a": 3}, subject=id[4:14])["ledger_id"]
    same(place.entry(id[4:13])["ledger_id"], id)
    same(place.entry(id[4:14])["ledger_id"], named)


@case
def an_id_and_its_beginning_may_be_in_capitals(place):
    id = place.base[0]
    for n in (40, 30, 12):
        same(place.entry("led-" + id[4:n].upper())["ledger_id"], id)
    same(place.entry(id[4:20].upper())["ledger_id"], id)


@case
def an_execution_may_be_called_like_an_id(place):
    ids = place.chain("led-lamp-42", "planned", "running")
    for name in ("led-lamp-42", "led-lamp"):
        same(place.one("show", name)["execution"], "led-lamp-42")
        same(place.one("prove", name)["header"]["id"], ids[1])
    same(place.one("show", "led-lamp-43", status=1)["code"], "ENTRY_UNKNOWN")
    place.chain(ids[0][:14], "planned")  # an entry's id is that entry's
    same(place.entry(ids[0][:14])["ledger_id"], ids[0])


@case
def of_many_reruns_the_first_are_shown(place):
    place.chain("again", "planned", "running")
    place.accept(*(place.event(execution=f"rerun-{n}", rerunOfExecutionId="again") for n in range(256)))
    shown = place.one("show", "again")
    same((len(shown["reruns"]), shown["lineage_cut"]), (256, False))
    place.accept(place.event(execution="rerun-256", rerunOfExecutionId="again"))
    shown = place.one("show", "again")
    same((shown["reruns"], shown["lineage_cut"]), ([f"rerun-{n}" for n in range(256)], True))


@case
def the_reruns_of_another_tenant_or_robot_are_not_those_of_an_execution_of_that_name(place):
    mine, _, _ = place.accept(place.event(execution="build-7"), place.event(execution="build-7", tenantId="t-2"),
                              place.event(execution="build-7", robotId="r-2"))
    again = {"execution": "build-8", "rerunOfExecutionId": "build-7"}
    ids = place.accept(place.event(**again, tenantId="t-2"), place.event(**again, robotId="r-2"),
                       place.event(**again, robotId="r-3", dependsOnLedgerIds=[mine]))
    for whose, reruns, used_by in (("t-1", [], [ids[2]]), ("t-2", ["build-8"], [])):
        shown = place.one("show", "build-7", "--tenant", whose, "--robot", "r-1")
        same((shown["reruns"], [e["ledger_id"] for e in shown["used_by"]]), (reruns, used_by), whose)
    place.accept(place.event(**again))
    for robot in ("r-1", "r-2"):
        same(place.one("show", "build-7", "--tenant", "t-1", "--robot", robot)["reruns"], ["build-8"])


@case
def a_beginning_of_many_names_is_told_without_what_they_hold(place):
    if POSTGRES:
        raise tap.Skip("libpq holds rows of its own")
    for n in range(24):
        place.enter({"n": n, "text": "x" * (2 << 20)}, subject=f"a-report-{n}")
    env = ["env", "-i", *(f"{k}={v}" for k, v in place.environment({}).items())]
    run = tap.run([*env, tap.WRIT, "show", "a-report"], cwd=place.work)
    true(run.status == 1 and run.peak_mb < 32, run)


if __name__ == "__main__":
    sys.exit(ledger.main(CASES))
