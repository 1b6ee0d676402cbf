#!/usr/bin/env python3
"""nested: writ where others have built walls already: in a sandbox.

usage: nested.py WRIT      prints TAP
"""
import json
import os
import sys

import ground
import tap
from ground import hold

CASES = []
case = ground.collector(CASES)


# ---- in a sandbox ----

@case
def in_a_sandbox_of_writ_the_layer_that_is_missing_is_named(place):
    run = place.exec(tap.WRIT, "exec", "--json", "--", "/usr/bin/true",
                     options=["--read", os.path.dirname(tap.WRIT)])
    said = json.loads(run.record["stdout"]["text"])
    hold(run.status == 125 and said["code"] == "LAYER_MISSING" and "LAYER_MISSING:mount: openat2" in said["message"],
         run)


if __name__ == "__main__":
    sys.exit(ground.main(CASES))
