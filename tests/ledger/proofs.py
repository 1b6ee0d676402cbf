#!/usr/bin/env python3
"""proofs: checkpoints and proofs hold for what was there, and for nothing else.

usage: proofs.py [--postgres] WRIT      prints TAP

The hashes are computed a second time (tree.py), from the layout of a header alone.
"""
import base64
import itertools
import json
import pathlib
import shutil
import subprocess
import sys

import ledger
import tap
import vault
from ledger import STATES, same, true
from tree import canonical, included, root_of, sha

CASES = []
case = ledger.collector(CASES)

NAMES = itertools.count()


def leaves_of(place):
    return [bytes.fromhex(entry["leaf"].removeprefix("sha256:")) for entry in place.log()]


def note_of(place, **more):
    """A checkpoint as it is printed; and what is in it."""
    run = place.writ("checkpoint", **more)
    same(run.status, 0, run)
    origin, size, root, *_ = run.out.decode().split("\n")
    return run.out, origin, int(size), base64.b64decode(root)


def grown(place, count):
    """More executions, three events each."""
    first = next(NAMES)
    place.accept(*(place.event(state, f"e-{first}-{n}") for n in range(count) for state in STATES[:3]))


def holds(place, proof, *options, status=0):
    path = place.put("proof.json", json.dumps(proof))
    answer = place.one("verify", "--proof", path, *options, status=status)
    same(answer["holds"], status != 1, answer)
    return answer


# ---- what is signed ----

@case
def a_checkpoint_has_the_size_and_root_of_the_tree(place):
    for count in (1, 2, 90):
        grown(place, count)
        note, origin, size, root = note_of(place)
        leaves = leaves_of(place)
        same((size, root.hex()), (len(leaves), root_of(leaves).hex()))
        true(origin.startswith("writ/") and f"\n\n\u2014 {origin} ".encode() in note, note)


@case
def a_checkpoint_that_was_kept_elsewhere_holds_while_the_ledger_grows(place):
    grown(place, 3)
    note = place.put("outside/note", note_of(place)[0])
    for count in (0, 1, 100):
        grown(place, count + 3)
        answer = place.verify("--checkpoint", note)
        given, = (c for c in answer["checkpoints"] if c["kept"] == "given")
        same((given["holds"], given["size"]), (True, 10), answer)


@case
def a_checkpoint_is_held_to_every_character_of_it(place):
    grown(place, 3)
    note = note_of(place)[0]
    lines = note.split(b"\n")
    signature = base64.b64decode(lines[-2].split()[-1])
    for n in range(len(note)):
        changed = note[:n] + bytes([note[n] ^ 1]) + note[n + 1:]
        if changed.split(b"\n")[-2:-1] != lines[-2:-1] and base64_same(changed, signature):
            continue  # only bits of base64 that say nothing
        path = place.put("outside/note", changed)
        run = place.writ("verify", "--checkpoint", path, "--json")
        true(run.status in (1, 65), (n, changed, run))


def base64_same(note, signature):
    try:
        return base64.b64decode(note.split(b"\n")[-2].split()[-1]) == signature
    except (ValueError, IndexError):
        return False


@case
def a_note_that_no_key_ties_to_the_ledger_may_be_the_wrong_one_itself(place):
    grown(place, 1)
    other = place.other("another")
    grown(other, 1)
    note = note_of(place)[0]
    forged = note[:-8] + (b"A" if note[-8:-7] != b"A" else b"B") + note[-7:]
    for given in (note_of(other)[0], forged):
        said = place.writ("verify", "--checkpoint", place.put("outside/note", given))
        words = b" ".join(said.out.split())
        true(said.status == 1 and b"find out which" in words and b"evidence" not in words, said)


@case
def a_checkpoint_of_another_key_is_refused(place):
    grown(place, 1)
    other = place.other("another")
    grown(other, 1)
    note = place.put("outside/note", note_of(other)[0])
    why, = (c["why"] for c in place.verify("--checkpoint", note, status=1)["checkpoints"] if c["kept"] == "given")
    origins = [file.read_bytes().decode().splitlines()[0] for file in (note, place.put("outside/own", note_of(place)[0]))]
    same(why, "it is of another ledger, '{}', and not of '{}'".format(*origins))
    key = other.one("checkpoint")["key"]
    mine = place.put("outside/mine", note_of(place)[0])
    place.verify("--checkpoint", mine, "--key", key, status=1)
    place.verify("--checkpoint", mine, "--key", place.one("checkpoint")["key"])


def another_key(place):
    """The keys of a copy that has no checkpoint yet: the same name, and another key."""
    copy, behind = vault.of(place).copy("anew")
    behind.sql("DELETE FROM checkpoints")
    shutil.rmtree(copy.state / "keys")
    note_of(copy)
    return copy.state / "keys"


@case
def a_key_that_was_lost_is_not_replaced(place):
    grown(place, 1)
    note = place.put("outside/note", note_of(place)[0])
    grown(place, 1)
    first = place.log()[0]["ledger_id"]
    keys, away, other = place.state / "keys", place.scratch / "away", another_key(place)
    shutil.move(keys, away)
    for found in (None, other):
        if found:
            shutil.copytree(found, keys)
        for verb in (["checkpoint"], ["prove", "--since", note], ["prove", first]):
            run = place.writ(*verb)
            same(run.status, 74, run)
            true(b"nothing was signed" in run.err and b"bring that key back" in run.err, run)
        true(found or not keys.exists(), "a key was made")
    shutil.rmtree(keys)
    shutil.move(away, keys)
    note_of(place)
    place.verify("--checkpoint", note)


@case
def a_ledger_that_is_not_what_was_signed_is_not_signed_again(place):
    # An older copy in place of the ledger: what lies beside it is the only trace of what was there.
    grown(place, 2)
    note_of(place)
    older, behind = vault.of(place).copy("older")
    grown(place, 3)
    note = place.put("outside/note", note_of(place)[0])
    beside, = (file for file in (place.state / "checkpoints").iterdir() if not file.name.startswith("at-"))
    last = older.state / "checkpoints" / beside.name
    shutil.copy(beside, last)
    for growth, why in ((0, b"the end is missing"), (1, b"the end is missing"), (20, b"not those it was made for")):
        older.accept(*(place.event(execution=f"fork-{growth}-{n}") for n in range(growth)))
        log, count = older.log(), behind.count("checkpoints")
        verbs = (["checkpoint"], ["prove", "--since", note], ["prove", log[-1]["ledger_id"]])
        for verb in verbs[:3 if growth else 2]:  # what was signed before can still be proved
            run = older.writ(*verb)
            same((run.status, run.out), (1, b""), run)
            true(b"nothing was signed" in run.err and why in run.err, run)
            same(older.one(*verb, status=1)["code"], "LEDGER_DAMAGED")
        same((older.log(), behind.count("checkpoints"), last.read_bytes()), (log, count, beside.read_bytes()))
        true("does not hold" in older.verify(status=1)["problem"]["message"])
    # The same without a trace beside it: then those in the ledger tell.
    fork, behind = vault.of(place).copy("fork")
    shutil.rmtree(fork.state / "checkpoints")
    size = behind.count("entries")
    behind.sql(f"DELETE FROM entries WHERE seq = {size - 1}")
    run = fork.writ("checkpoint")
    same((run.status, b"in the ledger does not hold" in run.err), (1, True), run)
    note_of(place)


@case
def a_block_of_large_bodies_is_verified_part_by_part(place):
    # One chunk of a walk has 16 MiB of bodies: this block is in several.
    place.accept(*(place.event(execution=f"large-{n}", padding="x" * 150_000) for n in range(270)))
    note_of(place)
    place.verify()
    for column, told in (("root", "hash"), ("names", "names")):
        copy, behind = vault.of(place).copy(column)
        behind.change("blocks", column, 0)
        problem = copy.verify(status=1)["problem"]
        same((problem["seq"], told in problem["message"]), (0, True), problem)


@case
def a_checkpoint_that_no_key_can_judge_accuses_nobody(place):
    # Not known is not intact, and not "not intact" either.
    grown(place, 3)
    text, key = note_of(place)[0], place.one("checkpoint")["key"]
    note = place.put("outside/note", text)
    forged = place.put("outside/forged", text.replace(b"\n10\n", b"\n9\n"))
    shutil.rmtree(place.state / "keys")
    for file in (note, forged):
        answer = place.one("verify", "--checkpoint", file, status=69)
        same(answer["code"], "KEY_UNKNOWN", answer)
        run = place.writ("verify", "--checkpoint", file)
        same((run.status, run.out), (69, b""), run)
        true(b"is not known" in run.err and b"--key" in run.err and b"not intact" not in run.err, run)
    answer = place.verify()
    same([c["signed"] for c in answer["checkpoints"]], [False] * len(answer["checkpoints"]), answer)
    true(b"no key is here" in place.writ("verify").out)
    answer = place.verify("--checkpoint", note, "--key", key)
    same([(c["holds"], c["signed"]) for c in answer["checkpoints"]], [(True, True)] * len(answer["checkpoints"]), answer)
    place.verify("--checkpoint", forged, "--key", key, status=1)


@case
def what_lies_in_the_place_of_a_key_is_not_the_lack_of_one(place):
    grown(place, 1)
    note_of(place)
    key, = (place.state / "keys").glob("*.pub")
    for make in (key.mkdir, lambda: key.write_bytes(b"x" * (1 << 20))):
        key.unlink() if key.is_file() else key.rmdir() if key.exists() else None
        make()
        run = place.writ("verify")
        true(run.status in (65, 69) and str(key).encode() in run.err and not run.out, run)
        true(place.writ("prove", place.log()[0]["ledger_id"]).status not in (0, 1))
    key.unlink()
    same(place.verify()["checkpoints"][0]["signed"], False)


@case
def a_ledger_that_is_damaged_is_so_without_a_key(place):
    grown(place, 3)
    note = place.put("outside/note", note_of(place)[0])
    copy, behind = vault.of(place).copy("anew")
    shutil.rmtree(copy.state / "keys")
    behind.sql("UPDATE entries SET subject = 'other' WHERE seq = 2")
    answer = copy.verify("--checkpoint", note, status=1)
    given, = (c for c in answer["checkpoints"] if c["kept"] == "given")
    same((given["holds"], given["signed"], answer["problem"]["seq"]), (None, False, 2), answer)
    run = copy.writ("verify", "--checkpoint", note)
    true(b"not intact" in run.out and b"was not judged" in run.out, run)


@case
def a_checkpoint_of_more_than_there_is_does_not_hold(place):
    # A tail that was cut off is found by a checkpoint that was kept elsewhere.
    grown(place, 5)
    note = place.put("outside/note", note_of(place)[0])
    other = place.other("another")
    other.base
    true(other.one("verify", "--checkpoint", note, status=1)["problem"] is not None)
    cut, behind = vault.of(place).copy("cut")
    size = behind.count("entries")
    behind.sql("DELETE FROM checkpoints", f"DELETE FROM entries WHERE seq = {size - 1}")
    shutil.rmtree(cut.state / "checkpoints")
    cut.verify()
    told = cut.verify("--checkpoint", note, status=1)["problem"]["message"]
    same(told, f"the checkpoint of size {size} does not hold: it was made for {size} entries, and there are only"
         f" {size - 1}: the end is missing")


# ---- one entry is in it ----

@case
def every_entry_can_be_proved(place):
    grown(place, 100)  # more than one block of 256
    entries, leaves = place.log(), leaves_of(place)
    key = place.one("checkpoint")["key"]
    for index in (0, 1, 2, 127, 128, 255, 256, 257, len(entries) - 1):
        proof = place.one("prove", entries[index]["ledger_id"])
        same((proof["proof"], proof["index"], proof["size"]), ("inclusion", index, len(entries)))
        body = sha(bytes.fromhex(proof["salt"]) + canonical(proof["body"]))
        true(body.hex() in json.dumps(proof["header"]), "the header has another body's digest")
        leaf = sha(b"\0" + canonical(proof["header"]))
        same(leaf, leaves[index])
        same(included(leaf, index, len(entries), [bytes.fromhex(step) for step in proof["path"]]), root_of(leaves))
        answer = holds(place, proof, "--key", key)
        same((answer["trusted"], answer["index"]), (True, index), answer)


@case
def a_proof_that_nobody_vouches_for_is_not_judged(place):
    grown(place, 2)
    other = place.other("another")
    grown(other, 2)
    key = place.one("checkpoint")["key"]
    for whose, status in ((place, 0), (other, 1)):
        proof = whose.one("prove", whose.log()[1]["ledger_id"])
        holds(place, proof, status=69)
        said = place.writ("verify", "--proof", place.put("proof.json", json.dumps(proof)))
        same((said.status, said.out.startswith(b"not judged  entry 1 ")), (69, True), said)
        true(proof["key"].encode() in said.out, said)
        holds(place, proof, "--key", key, status=status)


@case
def the_first_entry_behind_a_checkpoint_can_be_proved(place):
    grown(place, 3)
    note_of(place)
    size = len(place.log())
    id, = place.accept(place.event(execution="behind"))
    proof = place.one("prove", id)
    same((proof["index"], proof["size"]), (size, size + 1))
    holds(place, proof, "--key", proof["key"])


@case
def the_deepest_body_that_is_entered_can_be_proved(place):
    place.base

    def entered(depth):
        value = json.loads("[" * depth + "]" * depth)
        event = place.event("succeeded", f"deep-{depth}", result={"deep": value})
        return place.append(place.event("planned", f"deep-{depth}"), place.event("running", f"deep-{depth}"), event)[-1]

    last = next(answer for answer in map(entered, range(128, 1, -1)) if answer["status"] == "appended")
    proof = place.one("prove", last["ledger_id"])
    true(json.dumps(proof).count("[") > 120)
    holds(place, proof, "--key", proof["key"])


@case
def the_end_of_an_execution_is_proved_however_much_came_before_it(place):
    if not ledger.LONG:
        raise tap.Skip("WRIT_LONG=1: it enters 300 MB")
    for attempt in range(1, 11):  # together more than any answer has
        for state in STATES[:2] + ("failed",):
            large = {"large": "x" * (15 << 20)} if state != "planned" else {}
            place.accept(place.event(state, attempt=attempt, **large))
    place.accept(place.event("running", attempt=11))
    end, = place.accept(place.event("succeeded", attempt=11))
    same(place.one("prove", "exec-1")["header"]["id"], end)


def recipes():
    """What writ-ledger(7) has between ``` lines, as it is shown."""
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "man" / "writ-ledger.7.scd"
    return [part.strip("\n").replace("\\\\", "\\") for part in page.read_text().split("```")[1::2]]


@case
def the_recipes_of_the_manual_check_a_proof(place):
    grown(place, 100)
    entries, leaves = place.log(), leaves_of(place)
    python, = (text for text in recipes() if text.startswith("import ") and "proof.json" in text)
    shell = [text for text in recipes() if "openssl dgst" in text]
    same(len(shell), 2)
    for index in (0, 1, 255, 256, len(entries) - 1):
        proof = place.one("prove", entries[index]["ledger_id"])
        at = place.put("proof.json", json.dumps(proof)).parent
        said = subprocess.run([sys.executable, "-c", python], cwd=at, capture_output=True, text=True, timeout=60)
        same(said.stdout.strip(), root_of(leaves).hex(), said.stderr)
        if all(map(shutil.which, ("jq", "xxd", "openssl"))):
            wanted = (leaves[index].hex(), proof["header"]["body_digest"].removeprefix("sha256:"))
            for text, digest in zip(shell, wanted, strict=True):
                said = subprocess.run(["sh", "-c", text], cwd=at, capture_output=True, text=True, timeout=60)
                true(digest in said.stdout, (text, said))


def damaged(value):
    """The same value with one thing changed, in every place there is."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from (value | {name: bad} for bad in damaged(member))
            yield {key: value[key] for key in value if key != name}
    elif isinstance(value, list):
        for n, member in enumerate(value):
            yield from ([*value[:n], bad, *value[n + 1:]] for bad in damaged(member))
            yield value[:n] + value[n + 1:]
        yield value + value[:1]
    elif isinstance(value, bool) or value is None:
        yield 7
    elif isinstance(value, (int, float)):
        yield from (value + 1, value - 1)
    else:
        for n in sorted({0, len(value) // 2, len(value) - 1} - {-1}):
            yield value[:n] + ("0" if value[n] != "0" else "1") + value[n + 1:]
        yield value + "0"


def none_holds(place, proof, *options, spared=()):
    """Whatever is changed in the proof, it does not hold any more."""
    count = 0
    for bad in damaged(proof):
        if any(bad.get(name) != proof[name] for name in spared):
            continue
        path = place.put("proof.json", json.dumps(bad))
        run = place.writ("verify", "--proof", path, *options, "--json")
        true(run.status in (1, 65), (bad, run))
        count += 1
    return count


@case
def a_proof_of_inclusion_is_held_to_everything_in_it(place):
    grown(place, 3)
    proof = place.one("prove", place.log()[4]["ledger_id"])
    true(none_holds(place, proof, "--key", proof["key"], spared=["key"]) > 100)
    holds(place, proof, "--key", proof["key"])
    other = place.other("another")
    grown(other, 3)
    key = other.one("checkpoint")["key"]
    holds(place, proof, "--key", key, status=1)
    foreign = other.one("prove", other.log()[4]["ledger_id"])
    for name in ("path", "header", "body", "salt", "checkpoint"):
        holds(place, proof | {name: foreign[name]}, "--key", proof["key"], status=1)


@case
def a_path_longer_than_any_tree_is_deep_is_no_path(place):
    grown(place, 2)
    note = place.put("outside/note", note_of(place)[0])
    grown(place, 9)
    for proof in (place.one("prove", place.log()[4]["ledger_id"]), place.one("prove", "--since", note)):
        for count in (131, 5000):
            said = holds(place, proof | {"path": ["00" * 32] * count}, "--key", proof["key"], status=1)
            same(said["message"], "its path is no list of hashes", said)


@case
def a_proof_without_its_body_says_so(place):
    grown(place, 1)
    proof = place.one("prove", place.log()[1]["ledger_id"])
    bare = {name: proof[name] for name in proof if name not in ("body", "salt")}
    for given, body in ((proof, True), (bare, False)):
        same(holds(place, given, "--key", proof["key"])["body"], body)
        run = place.writ("verify", "--proof", place.put("proof.json", json.dumps(given)), "--key", proof["key"])
        same((run.status, b", without its body" in b" ".join(run.out.split())), (0, not body), run)
    for part in ("body", "salt"):
        answer = holds(place, bare | {part: proof[part]}, "--key", proof["key"], status=1)
        same(answer["body"], False, answer)


@case
def a_proof_needs_no_ledger(place):
    grown(place, 1)
    proof = place.one("prove", place.log()[1]["ledger_id"])
    path = place.put("outside/proof.json", json.dumps(proof))
    run = place.writ("verify", "--proof", path, "--key", proof["key"],
                     env={"WRIT_LEDGER": None, "WRIT_STATE": str(place.outside / "nothing")})
    same(run.status, 0, run)
    true(not (place.outside / "nothing").exists())


# ---- everything is still in it ----

@case
def a_ledger_that_grew_proves_that_it_kept_what_it_had(place):
    grown(place, 2)
    notes = [note_of(place)]
    for count in (1, 30, 60, 80):
        grown(place, count)
        notes.append(note_of(place))
    for n, (note, _, size, _) in enumerate(notes):
        path = place.put("outside/note", note)
        proof = place.one("prove", "--since", path)
        same((proof["proof"], proof["old"], proof["size"]), ("consistency", size, notes[-1][2]), proof)
        same(holds(place, proof, "--key", proof["key"])["trusted"], True)


@case
def a_proof_of_consistency_is_held_to_everything_in_it(place):
    grown(place, 2)
    path = place.put("outside/note", note_of(place)[0])
    grown(place, 9)
    proof = place.one("prove", "--since", path)
    true(proof["path"], proof)
    true(none_holds(place, proof, "--key", proof["key"], spared=["key"]) > 30)
    holds(place, proof, "--key", proof["key"])


@case
def from_the_empty_ledger_there_is_nothing_to_show_on_the_way(place):
    same(place.writ("ledger", "append", "-", stdin=b"").status, 0)  # which makes a ledger
    note = note_of(place)
    same(note[2], 0)
    path = place.put("outside/note", note[0])
    grown(place, 2)
    proof = place.one("prove", "--since", path)
    same(proof["path"], [])
    holds(place, proof, "--key", proof["key"])
    holds(place, proof | {"path": ["00" * 32]}, "--key", proof["key"], status=1)


@case
def a_history_that_was_written_anew_cannot_prove_the_old_checkpoint(place):
    grown(place, 5)
    old = place.put("outside/note", note_of(place)[0])
    other = place.other("anew")
    shutil.copytree(place.state / "keys", other.state / "keys")  # if the attacker has that, too
    grown(other, 6)
    other.verify()
    other.verify("--checkpoint", old, status=1)
    run = other.writ("prove", "--since", old, "--json")
    if run.status == 0:
        proof = json.loads(run.out)
        holds(place, proof, "--key", proof["key"], status=1)
    else:
        same(run.status, 1, run)


# ---- bodies that were erased ----

SECRET = "a-secret-that-must-not-be-found-anywhere"


@case
def an_erased_body_is_gone_and_every_proof_still_holds(place):
    id, = place.accept(place.event(target=SECRET))
    grown(place, 100)
    note = place.put("outside/note", note_of(place)[0])
    before = place.one("prove", id)
    leaves = leaves_of(place)
    answer = place.one("ledger", "erase", id, "--reason", "asked for by its owner")
    same((answer["erased"], answer["reason"]), (id, "asked for by its owner"), answer)
    entry = place.entry(id)
    same((entry["erased"], entry.get("body")), (True, None), entry)
    same(leaves_of(place)[:len(leaves)], leaves)
    same(place.verify("--checkpoint", note)["erased"], 1)
    after = place.one("prove", id)
    same(after["header"], before["header"])
    same(holds(place, after, "--key", after["key"])["body"], False)
    said = place.log()[-1]
    same((said["kind"], said["ledger_id"], said["erased"]), ("note", answer["ledger_id"], False), said)
    true("asked for by its owner" in json.dumps(said["body"]) and id in json.dumps(said["body"]), said)
    if not ledger.POSTGRES:
        for path in place.state.rglob("*"):
            true(not path.is_file() or SECRET.encode() not in path.read_bytes(), f"{path} still has it")


@case
def an_erased_event_is_still_the_event_it_was(place):
    # Idempotency and order outlive the body.
    event = place.event(target=SECRET)
    id, = place.accept(event)
    place.one("ledger", "erase", id, "--reason", "r")
    answer, = place.append(event)
    same((answer["status"], answer["ledger_id"]), ("duplicate", id), answer)
    answer = place.refuse("IDEMPOTENCY_CONFLICT", place.event(target="other"), "")
    true("its body was erased, so where they differ cannot be told" in answer["message"], answer)
    place.accept(place.event("running"))
    same([e["erased"] for e in place.log("--execution", "exec-1")], [True, False])


@case
def erasing_needs_a_reason_and_an_entry_and_happens_once(place):
    id, = place.accept(place.event())
    size = len(place.log())
    same(place.writ("ledger", "erase", id).status, 64)
    run = place.writ("ledger", "erase", "led-00000000-0000-4000-8000-000000000000", "--reason", "r")
    same((run.status, bool(run.err)), (1, True), run)
    place.one("ledger", "erase", id, "--reason", "first")
    again = place.writ("ledger", "erase", id, "--reason", "second", "--json")
    true(again.status in (0, 1), again)
    same(len(place.log()), size + 1)
    place.verify()


@case
def that_something_was_erased_is_not_erased(place):
    id, = place.accept(place.event())
    note = place.one("ledger", "erase", id, "--reason", "first")["ledger_id"]
    run = place.writ("ledger", "erase", note, "--reason", "second")
    same((run.status, b"note that something was erased" in run.err), (1, True), run)
    same(place.verify()["erased"], 1)


if __name__ == "__main__":
    sys.exit(ledger.main(CASES))
