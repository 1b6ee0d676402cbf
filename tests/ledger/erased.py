#!/usr/bin/env python3
"""erased: what is left of a body that was erased, and what may come after it.

usage: erased.py [--postgres] WRIT      prints TAP
"""
import sys

import ledger
from ledger import same

CASES = []
case = ledger.collector(CASES)


@case
def an_input_that_was_erased_can_be_entered_again(place):
    first = place.enter({"a": 7}, subject="mine")["ledger_id"]
    place.enter({"a": 7}, subject="mine", status="duplicate")
    place.one("ledger", "erase", first, "--reason", "r")
    second = place.enter({"a": 7}, subject="mine")
    same(second["ledger_id"] == first, False, second)
    same(place.entry(second["ledger_id"])["body"], {"a": 7})
    same(place.enter({"a": 7}, subject="mine", status="duplicate")["ledger_id"], second["ledger_id"])
    same(place.verify()["erased"], 1)


if __name__ == "__main__":
    sys.exit(ledger.main(CASES))
