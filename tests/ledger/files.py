#!/usr/bin/env python3
"""files: a ledger in an SQLite file, and what lies beside it.

usage: files.py WRIT      prints TAP
"""
import sys

import ledger
import vault
from ledger import limited, ordinary, same, true

CASES = []
case = ledger.collector(CASES)


def log_of(place):
    return place.file.with_name(place.file.name + "-wal")


def shut(place):
    """The ledger's directory as one that an ordinary user can read, and cannot lock in. Returns how to be one."""
    user = ordinary(place)
    place.file.with_name(place.file.name + "-shm").unlink(missing_ok=True)
    for path in place.state.glob("ledger.db*"):
        path.chmod(0o444)
    place.state.chmod(0o555)
    return user


# ---- reading what cannot be locked ----

@case
def a_ledger_is_not_read_without_its_log_whatever_path_leads_to_it(place):
    place.accept(place.event())
    true(log_of(place).stat().st_size > 0, "there is no log to miss")
    link = place.scratch / "link.db"
    link.symlink_to(place.file)
    user = shut(place)
    for path in (place.file, link):
        for verb in (["verify"], ["log"]):
            run = limited(place, [], *verb, "--ledger", path, **user)
            same((run.status, run.out), (69, b""), run)
    place.state.chmod(0o755)
    place.verify("--ledger", str(link))


@case
def a_ledger_without_a_log_is_read_whatever_path_leads_to_it(place):
    place.accept(place.event())
    same(vault.of(place).ask("PRAGMA wal_checkpoint(TRUNCATE)")[0][0], 0)
    link = place.scratch / "link.db"
    link.symlink_to(place.file)
    user = shut(place)
    for path in (place.file, link):
        run = limited(place, [], "verify", "--ledger", path, **user)
        same(run.status, 0, run)
    place.state.chmod(0o755)


if __name__ == "__main__":
    sys.exit(ledger.main(CASES))
