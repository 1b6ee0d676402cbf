#!/usr/bin/env python3
"""checkpoints: how they are made and kept, and what is said of one that cannot be judged.

usage: checkpoints.py [--postgres] WRIT      prints TAP
"""
import concurrent.futures
import contextlib
import ctypes
import os
import select
import shutil
import subprocess
import sys

import ledger
import tap
import vault
from ledger import STATES, same, true

CASES = []
case = ledger.collector(CASES)


def grown(place, name, count):
    place.accept(*(place.event(state, f"{name}-{n}") for n in range(count) for state in STATES[:3]))


@case
def a_checkpoint_that_verify_does_not_come_to_was_not_judged(place):
    for name in ("early", "late"):
        grown(place, name, 3)
        same(place.writ("checkpoint").status, 0)
    vault.of(place).sql("UPDATE entries SET subject = 'other' WHERE seq = 12")
    answer = place.verify(status=1)
    same(answer["problem"]["seq"], 12, answer)
    same([(c["size"], c["holds"]) for c in answer["checkpoints"] if c["kept"] == "ledger"],
         [(10, True), (19, None)], answer)
    run = place.writ("verify")
    true(b"was not judged" in run.out and b"does not hold" not in run.out, run)


IN_CLOSE_NOWRITE = 0x10


@contextlib.contextmanager
def watched(path):
    """A descriptor that can be read once somebody has read this file, or one in this directory."""
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.inotify_init1(0)
    try:
        true(libc.inotify_add_watch(fd, bytes(path), IN_CLOSE_NOWRITE) >= 0, os.strerror(ctypes.get_errno()))
        yield fd
    finally:
        os.close(fd)


def came(read):
    return bool(select.select([read], [], [], 60)[0])


def begun(place):
    return subprocess.Popen([tap.WRIT, "checkpoint"], env=place.environment({}), cwd=place.work,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@case
def of_two_who_sign_first_one_does(place):
    # Both have looked, and found no checkpoint, before either can add one. Each has a key of its own.
    grown(place, "e", 3)
    second = ledger.Ledger(place.scratch / "second", address=str(place.address or place.file))
    with vault.of(place).held(), contextlib.ExitStack() as watches:
        signers = []
        for signer in (place, second):
            (signer.state / "keys").mkdir(parents=True)
            read = watches.enter_context(watched(signer.state / "keys"))
            signers.append(begun(signer))
            true(came(read), "it does not come to its key")
    said = [(*signer.communicate(timeout=60), signer.returncode) for signer in signers]
    winner, loser = (place, second)[::-1 if said[0][2] else 1]
    (note, _, status), (out, err, refused) = sorted(said, key=lambda answer: answer[2])
    same((status, note.split(b"\n")[1], refused, out), (0, b"10", 74, b""), said)
    true(b"nothing was signed" in err and b"bring that key back" in err, err)
    same(vault.of(place).count("checkpoints"), 1)
    same([c["signed"] for c in winner.verify()["checkpoints"]], [True, True])
    same([c["signed"] for c in loser.verify()["checkpoints"]], [False])  # it knows no key


def shut(reader):
    """A checkpoint fails here, as late as it can."""
    if ledger.POSTGRES:
        ledger.databases().sql(reader.address, "CREATE ROLE reader LOGIN", "GRANT USAGE ON SCHEMA writ TO reader",
                               "GRANT SELECT ON ALL TABLES IN SCHEMA writ TO reader")
        reader.address = reader.address.replace("user=keeper", "user=reader")
    else:
        (reader.state / "checkpoints").touch()


@case
def who_could_not_sign_has_no_key_to_judge_by(place):
    grown(place, "e", 3)
    reader = ledger.Ledger(place.scratch / "reader", address=str(place.address or place.file))
    reader.state.mkdir()
    shut(reader)
    for verb in (["checkpoint"], ["prove", place.log()[0]["ledger_id"]]):
        same(reader.writ(*verb).status, 74)
    same(vault.of(place).count("checkpoints"), 0)
    same(place.writ("checkpoint").status, 0)
    same([(c["holds"], c["signed"]) for c in reader.verify()["checkpoints"]], [(True, False)])
    true(b"bring that key back" in reader.writ("checkpoint").err)
    # A public key that was lost comes back with the next checkpoint.
    public, = (place.state / "keys").glob("*.pub")
    key = public.read_bytes()
    public.unlink()
    same(place.writ("checkpoint").status, 0)
    same(public.read_bytes(), key)


@case
def what_is_kept_beside_a_ledger_does_not_go_back(place):
    # One looks, another looks and signs later, and then the first one signs.
    grown(place, "early", 3)
    same(place.writ("checkpoint").status, 0)
    beside, = (place.state / "checkpoints").glob("*-*-*-*-*")
    copy, _ = vault.of(place).copy("later")
    copy.enter({"a": 2}, subject="late")
    same(copy.writ("checkpoint").status, 0)
    later = (copy.state / "checkpoints" / beside.name).read_bytes()
    with vault.of(place).held():
        with watched(place.state / "keys" / beside.name) as read:
            first = begun(place)
            true(came(read), "it does not come to its key")
        beside.write_bytes(later)
    said = first.communicate(timeout=60)[0]
    same((first.returncode, said.split(b"\n")[1]), (0, b"10"), said)
    same(beside.read_bytes(), later)


@case
def after_an_older_copy_was_brought_back_there_is_a_way_on(place):
    grown(place, "early", 3)
    same(place.writ("checkpoint").status, 0)
    older, _ = vault.of(place).copy("older")
    older.address = older.address or str(older.file)
    grown(place, "late", 3)
    same(place.writ("checkpoint").status, 0)
    older.state = place.state
    beside, = (place.state / "checkpoints").glob("*-*-*-*-*")
    same([c["file"] for c in place.verify()["checkpoints"]], [None, str(beside), None])
    said = older.writ("verify").out.decode()
    for words in (f"in '{beside}') does not hold", "older copy", "second copy", "move that file"):
        true(words in " ".join(said.split()), said)
    same(older.writ("checkpoint").status, 1)
    beside.rename(place.scratch / "away")
    same(older.writ("checkpoint").status, 0)
    older.verify()
    older.verify("--checkpoint", place.scratch / "away", status=1)


@case
def a_kept_note_that_cannot_be_read_has_no_size(place):
    grown(place, "e", 3)
    same(place.writ("checkpoint").status, 0)
    beside, = (place.state / "checkpoints").glob("*-*-*-*-*")
    for kept in ("ledger", "file"):
        if kept == "ledger":
            vault.of(place).sql("UPDATE checkpoints SET note = 'x'")
        else:
            beside.write_bytes(b"x")
        answer = place.verify(status=1)
        same([c["size"] for c in answer["checkpoints"] if c["kept"] == kept], [None], answer)
        true("size 0" not in answer["problem"]["message"], answer)
        true(b"0 entries" not in place.writ("verify").out.replace(b"10 entries", b""))
        answer = place.one("checkpoint", status=1)
        true("nothing was signed" in answer["message"] and "size 0" not in answer["message"], answer)


@case
def where_nothing_is_new_the_last_checkpoint_is_told_and_none_is_added(place):
    behind = vault.of(place)
    for count, name in enumerate(("early", "late"), 1):
        grown(place, name, 3)
        note = place.writ("checkpoint").out
        shutil.rmtree(place.state / "checkpoints")  # what is beside the ledger comes back
        same([place.writ("checkpoint").out for _ in range(3)], [note] * 3)
        place.one("prove", "--since", place.put("outside/note", note))
        same(behind.count("checkpoints"), count)
        beside = [c for c in place.verify("--checkpoint", place.outside / "note")["checkpoints"] if c["kept"] == "file"]
        same([(c["holds"], c["size"]) for c in beside], [(True, 1 + 9 * count)])


@case
def a_note_that_was_changed_is_not_held_against_the_ledger(place):
    grown(place, "e", 3)
    note = place.writ("checkpoint").out
    forged = place.put("outside/forged", note.replace(b"\n10\n", b"\n9\n"))
    answer = place.one("prove", "--since", forged, status=1)
    same(answer["code"], "VALIDATION_ERROR", answer)
    true("signature" in answer["message"] and "writ verify" not in answer["message"], answer)
    place.verify()


@case
def a_proof_has_no_more_values_than_two_documents(place):
    for count, status in ((2 << 20, 65), (1 << 20, 1)):
        proof = place.put("proof.json", '{"proof":"inclusion","path":[' + "[]," * (count - 1) + "[]]}")
        answer = place.one("verify", "--proof", proof, status=status)
        same(answer.get("code"), "CEILING" if status == 65 else None, answer)


@case
def a_body_as_long_as_a_ledger_takes_it_is_proved(place):
    id = place.enter({name: name * (15 << 20) for name in "abc"}, subject="long")["ledger_id"]
    proof = place.put("proof.json", place.writ("prove", id).out)
    same(place.one("verify", "--proof", proof, "--key", place.one("checkpoint")["key"])["holds"], True)


@case
def whoever_signs_at_the_same_moment_signs_the_same(place):
    grown(place, "e", 3)
    with concurrent.futures.ThreadPoolExecutor(8) as all:
        runs = [run.result() for run in [all.submit(place.writ, "checkpoint") for _ in range(8)]]
    true(all_ok(runs), runs)
    same(len({run.out for run in runs}), 1, runs)
    same(len(place.verify()["checkpoints"]), 2)  # in the ledger, and beside it


def all_ok(runs):
    return all(run.status == 0 for run in runs)


if __name__ == "__main__":
    sys.exit(ledger.main(CASES))
