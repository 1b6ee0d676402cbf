#!/usr/bin/env python3
"""places: a ledger is known by where it is, not only by what it calls itself.

usage: places.py [--postgres] WRIT      prints TAP
"""
import shutil
import sys

import ledger
import tap
import vault
from ledger import POSTGRES, same, true

CASES = []
case = ledger.collector(CASES)

OTHER = "0b0e3b9c-8d7a-4c1e-9f52-3a1d5c7e9b10"


def signed(place):
    """A ledger with a checkpoint, and its name."""
    place.accept(*(place.event(execution=f"e-{n}") for n in range(4)))
    same(place.writ("checkpoint").status, 0)
    place.accept(place.event(execution="after"))
    place.verify()
    return name_of(place)


def name_of(place):
    return vault.of(place).ask("SELECT name FROM ledger")[-1][0]


def notes(place):
    """What is kept about places, and what else is beside the ledger."""
    return {file.name: file.read_bytes() for file in (place.state / "checkpoints").iterdir()}


def found(place, old, new):
    """verify and checkpoint tell that another ledger was here; nothing beside it changes."""
    before = notes(place)
    answer = place.verify(status=1)
    said = answer["problem"]["message"]
    true(old in said and new in said and "if you did that yourself, remove at-" in said, said)
    same(place.one("checkpoint", status=1)["code"], "LEDGER_DAMAGED")
    run = place.writ("checkpoint")
    same((run.status, run.out, b"nothing was signed" in run.err), (1, b"", True), run)
    same(notes(place), before)
    return answer


def heed(place, answer):
    """Removes what the message says, as it says it."""
    said = answer["problem"]["message"].split("remove ")[1]
    names, folder = said.removesuffix("'").split(" in '")
    for name in names.split(" and "):
        (place.scratch / folder / name).unlink()


@case
def a_ledger_that_was_renamed_does_not_escape_its_checkpoint(place):
    name = signed(place)
    behind = vault.of(place)
    behind.sql("DELETE FROM checkpoints", f"UPDATE ledger SET name = '{OTHER}'")
    answer = found(place, name, OTHER)
    same([(c["kept"], c["holds"], c["signed"]) for c in answer["checkpoints"]], [("file", True, True)])
    behind.sql(f"UPDATE ledger SET name = '{name}'")
    place.verify()
    same(place.writ("checkpoint").status, 0)


@case
def nor_does_one_whose_history_was_written_anew(place):
    name = signed(place)
    anew = place.other("anew")
    anew.accept(*(anew.event(execution=f"forged-{n}") for n in range(6)))
    if POSTGRES:
        databases = ledger.databases()
        here, there = databases.name(place.address), databases.name(anew.address)
        databases.server.sql(f"ALTER DATABASE {here} RENAME TO {here}_gone", f"ALTER DATABASE {there} RENAME TO {here}")
    else:
        for file in place.state.glob("ledger.db*"):
            file.unlink()
        for file in anew.state.glob("ledger.db*"):
            shutil.copy(file, place.state)
    answer = found(place, name, name_of(place))
    same([(c["kept"], c["holds"]) for c in answer["checkpoints"]], [("file", False)])
    true("not those it was made for" in answer["checkpoints"][0]["why"], answer)


@case
def a_new_ledger_in_the_place_of_one_that_is_gone_is_signed_once_its_owner_says_so(place):
    old = signed(place)
    if POSTGRES:
        vault.of(place).sql("DROP SCHEMA writ CASCADE")
    else:
        for file in place.state.glob("ledger.db*"):
            file.unlink()
    place._bases = {}
    place.accept(place.event())
    answer = found(place, old, name_of(place))
    heed(place, answer)
    place.verify()
    same(place.writ("checkpoint").status, 0)
    place.verify()
    true(old in notes(place), "the old ledger's checkpoint was thrown away")


@case
def a_ledger_in_another_place_is_no_stranger(place):
    signed(place)
    other = place.other("another")
    other.state = place.state
    if not POSTGRES:
        other.address = str(place.scratch / "another.db")
    other.accept(other.event())
    other.verify()
    same(other.writ("checkpoint").status, 0)
    place.verify()
    if POSTGRES:  # how one gets in is no part of where it is
        place.address += "&password=sesame&application_name=mine"
        same(place.writ("checkpoint").status, 0)
        true(all(b"sesame" not in text for text in notes(place).values()))
        vault.of(place).sql(f"UPDATE ledger SET name = '{OTHER}'")
        place.verify(status=1)


@case
def a_file_is_known_by_its_path_and_by_where_that_leads(place):
    if POSTGRES:
        raise tap.Skip("a file")
    true_file, link = place.scratch / "real.db", place.scratch / "link.db"
    link.symlink_to(true_file)
    place.address = str(true_file)
    true(place.base)
    place.address = str(link)
    name = signed(place)
    # The link leads to another ledger now.
    other = place.other("another")
    other.state, other.address = place.state, str(place.scratch / "another.db")
    other.accept(other.event())
    link.unlink()
    link.symlink_to(other.address)
    found(place, name, name_of(other))
    # The same file by another path.
    place.address = str(true_file)
    vault.of(place).sql(f"UPDATE ledger SET name = '{OTHER}'")
    found(place, name, OTHER)


@case
def the_name_of_a_ledger_is_no_path(place):
    if POSTGRES:
        raise tap.Skip("a uuid there")
    signed(place)
    name = "../../" + "x" * 30
    shutil.rmtree(place.state / "checkpoints")
    vault.of(place).sql("DELETE FROM checkpoints", f"UPDATE ledger SET name = '{name}'")
    place.writ("checkpoint")
    left = [str(path) for path in place.scratch.rglob("*xxx*")]
    same(left, [])


if __name__ == "__main__":
    sys.exit(ledger.main(CASES))
