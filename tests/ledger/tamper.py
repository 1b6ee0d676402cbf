#!/usr/bin/env python3
"""tamper: whoever changes a ledger behind writ's back is found, and the entry is named.

usage: tamper.py [--postgres] WRIT      prints TAP
"""
import base64
import json
import os
import random
import shutil
import sys

import ledger
import tap
import vault
from ledger import LONG, POSTGRES, STATES, same, true
from tree import canonical, sha

CASES = []
case = ledger.collector(CASES)

ERASED = 262  # the seq of the entry whose body was erased
EXECUTIONS = 90  # three events each: one block of 256 entries is complete, and some are beyond it
FLIPS = 1000 if LONG else 60
NAMED = ("subject", "tenant", "content", "leaf", "body", "salt")  # then the entry is told
SPARED = {  # what no proof speaks of
    "ledger": {"version"},  # another one is refused when the ledger is opened
    "checkpoints": {"n"},
}


def filled(place):
    """A ledger with inputs, events, a note, an erased body, refusals and checkpoints."""
    place.enter({"n": 1}, "first")
    place.enter({"n": 2}, "second")
    ids = place.accept(*(place.event(state, f"e-{n}") for n in range(EXECUTIONS) for state in STATES[:3]))
    place.one("ledger", "erase", ids[ERASED - 3], "--reason", "asked for")
    place.append(b"{")
    place.note = place.put("outside/note", place.writ("checkpoint").out)
    place.accept(place.event(execution="after"))
    place.verify()
    return vault.of(place)


def found(place, seq=None, *options):
    """The ledger is not intact, and the first entry that does not fit is this one."""
    run = place.writ("verify", *options, "--json")
    true(run.status == 1, (seq, run))
    answer = json.loads(run.out)
    same(answer["intact"], False, answer)
    if seq is not None:
        true(answer["problem"] and answer["problem"]["message"], answer)
        same(answer["problem"]["seq"], seq, answer)
    said = place.writ("verify", *options)
    true(said.status == 1 and said.out + said.err, said)
    return answer


@case
def the_address_of_a_ledger_is_told_without_its_password(place):
    place.accept(place.event())
    if not POSTGRES:
        same(json.loads(place.writ("verify", "--json").out)["ledger"], str(place.file))
        return
    address = place.address + ("&" if "?" in place.address else "?") + "password=sesame"
    run = place.writ("verify", "--json", env={"WRIT_LEDGER": address})
    told = json.loads(run.out)["ledger"]
    true(run.status == 0 and told == place.address.partition("?")[0] and b"sesame" not in run.out + run.err, run)


@case
def a_value_that_was_changed_is_found_whatever_it_is(place):
    store = filled(place)
    tries, missed = 0, []
    for table, columns in store.tables().items():
        count = store.count(table)
        for column in columns:
            if column in SPARED.get(table, ()):
                continue
            for n in sorted({0, 23, count // 2, ERASED, count - 2, count - 1} & set(range(count))):
                copy, behind = store.copy(f"try-{tries}")
                tries += 1
                behind.change(table, column, n)
                run = copy.writ("verify", "--json")
                if run.status != 1 or json.loads(run.out)["intact"]:
                    missed.append(f"{table}.{column} of row {n}: status {run.status}")
                elif table == "entries" and column in NAMED and n != ERASED:
                    same(json.loads(run.out)["problem"]["seq"], n, (column, run.out))
    true(not missed, "\n".join([f"{len(missed)} of {tries} not found", *missed]))
    true(tries > 60, f"only {tries} tries")


@case
def what_was_refused_is_under_the_same_proof_as_entries(place):
    place.accept(place.event())
    place.refuse("IDEMPOTENCY_CONFLICT", place.event(target="refused"))
    place.refuse("VALIDATION_ERROR", place.event(attempt="x"))
    place.accept(place.event(execution="after"))
    place.writ("checkpoint")
    store, refusals = vault.of(place), place.rejects()
    same([(r["code"], place.entry(r["ledger_id"])["kind"]) for r in refusals],
         [("IDEMPOTENCY_CONFLICT", "refusal"), ("VALIDATION_ERROR", "refusal")])
    seq = refusals[0]["seq"]
    for column in ("body", "robot", "place", "tenant", "subject", "content", "recorded", "salt"):
        copy, behind = store.copy(f"changed-{column}")
        behind.change("entries", column, seq)
        found(copy, seq)
    copy, behind = store.copy("removed")
    behind.sql(f"DELETE FROM entries WHERE seq = {seq}")
    found(copy, seq)
    last = store.count("entries") - 1
    rest = ", ".join(column for column in store.tables()["entries"] if column != "seq")
    copy, behind = store.copy("added")
    behind.sql(f"INSERT INTO entries (seq, {rest}) SELECT {last + 1}, {rest} FROM entries WHERE seq = {seq}")
    found(copy, last + 1)


@case
def a_row_that_was_taken_away_is_found(place):
    store = filled(place)
    missed = []
    for table in store.tables():
        count = store.count(table)
        if table in ("ledger", "checkpoints"):  # fewer promises are no breach of one
            continue
        for n in sorted({0, 23, count // 2, count - 2} & set(range(count))):
            copy, behind = store.copy(f"{table}-{n}")
            if POSTGRES:
                row = f"SELECT ctid FROM {table} ORDER BY ctid LIMIT 1 OFFSET {n}"
                behind.sql(f"DELETE FROM {table} WHERE ctid = ({row})")
            else:
                keys = ", ".join(store.tables()[table][:2])
                behind.sql(f"DELETE FROM {table} WHERE ({keys}) IN (SELECT {keys} FROM {table} LIMIT 1 OFFSET {n})")
            same(behind.count(table), count - 1)
            run = copy.writ("verify", "--json")
            if run.status != 1:
                missed.append(f"{table} row {n}: status {run.status} {run.err[:200]}")
    true(not missed, "\n".join(missed))


@case
def a_tail_that_was_cut_off_is_found_by_a_checkpoint(place):
    store = filled(place)
    size = store.count("entries")
    for cut in (2, 5, 30):  # the last entry came after the checkpoint
        copy, behind = store.copy(f"cut-{cut}")
        behind.sql(f"DELETE FROM entries WHERE seq >= {size - cut}", f"DELETE FROM blocks WHERE {size - cut} < 256")
        found(copy)
        found(copy, None, "--checkpoint", place.note)
        behind.sql("DELETE FROM checkpoints")  # then only one that is kept elsewhere tells
        found(copy, None, "--checkpoint", place.note)


@case
def a_tail_that_had_the_note_of_an_erasure_is_told_to_be_missing(place):
    ids = [place.enter({"n": n}, f"subject-{n}")["ledger_id"] for n in range(4)]
    place.one("ledger", "erase", ids[1], "--reason", "asked for")
    size = place.one("checkpoint")["size"]
    copy, behind = vault.of(place).copy("noteless")
    behind.sql(f"DELETE FROM entries WHERE seq = {size - 1}")
    true("the end is missing" in found(copy, None)["problem"]["message"], "it is blamed on the entry that was erased")


@case
def entries_that_changed_places_are_found(place):
    store = filled(place)
    for first, second in ((5, 6), (100, 200), (258, 259), (10, 259)):
        copy, behind = store.copy(f"swap-{first}-{second}")
        behind.sql(f"UPDATE entries SET seq = -1 WHERE seq = {first}",
                   f"UPDATE entries SET seq = {first} WHERE seq = {second}",
                   f"UPDATE entries SET seq = {second} WHERE seq = -1")
        found(copy, first)
        copy, behind = store.copy(f"bodies-{first}-{second}")
        behind.sql("CREATE TEMP TABLE kept AS SELECT seq, body, salt FROM entries",
                   *(f"UPDATE entries SET body = (SELECT body FROM kept WHERE seq = {a}),"
                     f" salt = (SELECT salt FROM kept WHERE seq = {b}) WHERE seq = {b}"
                     for a, b in ((first, second), (second, first))))
        found(copy, first)


def forge(behind, seq, header):
    """Gives an entry another subject and a leaf that fits it."""
    header = header | {"subject": "forged"}
    leaf = sha(b"\0" + canonical(header)).hex()
    if POSTGRES:
        behind.sql(f"UPDATE entries SET subject = 'forged', leaf = '\\x{leaf}' WHERE seq = {seq}")
    else:
        behind.sql(f"UPDATE entries SET subject = 'forged', leaf = x'{leaf}' WHERE seq = {seq}")


@case
def an_entry_that_was_written_anew_with_its_hash_is_found(place):
    # In a block by the block's hash, beyond it by the checkpoint.
    store = filled(place)
    for seq in (1, 2, 100, 255, 258, 260):
        id = place.log()[seq]["ledger_id"]
        header = place.one("prove", id)["header"]
        copy, behind = store.copy(f"forge-{seq}")
        forge(behind, seq, header)
        found(copy)
        found(copy, None, "--checkpoint", place.note)


@case
def an_entry_that_cannot_stand_where_it_stands_is_found_though_its_hash_fits(place):
    ids = [place.enter({"n": n}, f"subject-{n}")["ledger_id"] for n in range(3)]
    header = place.one("prove", ids[2])["header"]
    early = ledger.instant(header["recordedAt"]) - 3600000
    stranger = "led-00000000-0000-4000-8000-000000000000"
    blob = "'\\x{}'" if POSTGRES else "x'{}'"
    id = f"'{stranger[4:]}'" if POSTGRES else blob.format(stranger[4:].replace("-", ""))
    for name, change, column, why in (
            ("id", {"id": stranger}, f"id = {id}", "its id belongs to another place in the ledger"),
            ("early", {"recordedAt": ledger.stamp(early)}, f"recorded = {early}",
             "it was recorded before the entry before it")):
        copy, behind = vault.of(place).copy(name)
        leaf = sha(b"\0" + canonical(header | change)).hex()
        behind.sql(f"UPDATE entries SET {column}, leaf = {blob.format(leaf)} WHERE seq = {header['seq']}")
        same(found(copy, header["seq"])["problem"]["message"], why)


LONGEST = 32 << 20  # bytes of a header


@case
def names_longer_than_any_that_is_entered_hide_nothing_behind_them(place):
    # Leaves of what would be left if a header were hashed as far as there is room for it.
    ids = [place.enter({"n": n}, f"subject-{n}")["ledger_id"] for n in range(5)]
    header = canonical(place.one("prove", ids[1])["header"])
    cut = sha(b"\0" + header[:header.index(b'"subject":') + len(b'"subject":')]).hex()
    copy, behind = vault.of(place).copy("long")
    literal = "'\\x{}'" if POSTGRES else "x'{}'"
    text = f"repeat('x', {LONGEST + 1})::bytea" if POSTGRES else f"replace(hex(zeroblob({LONGEST // 2 + 1})), '0', 'x')"
    behind.sql("DELETE FROM checkpoints", f"UPDATE entries SET subject = {text}, leaf = {literal.format(cut)} WHERE seq = 1",
               f"UPDATE entries SET leaf = {literal.format(sha(b'').hex())} WHERE seq > 1")
    shutil.rmtree(copy.state / "checkpoints")
    same(found(copy, 1)["problem"]["message"], "its names have more than 32 MiB as JSON, which writ does not enter")


@case
def a_body_that_was_taken_away_without_saying_so_is_found(place):
    store = filled(place)
    for seq in (2, 30, 259):
        digest = place.log()[seq]["body_digest"].removeprefix("sha256:")
        copy, behind = store.copy(f"gone-{seq}")
        literal = f"'\\x{digest}'" if POSTGRES else f"x'{digest}'"
        behind.sql(f"UPDATE entries SET body = NULL, salt = NULL, erased = {literal} WHERE seq = {seq}")
        found(copy, seq)
        copy, behind = store.copy(f"null-{seq}")
        behind.sql(f"UPDATE entries SET body = NULL WHERE seq = {seq}")
        found(copy, seq)


@case
def a_note_speaks_of_the_body_that_was_erased_and_of_no_other(place):
    ids = [place.enter({"n": n}, f"subject-{n}")["ledger_id"] for n in range(3)]
    header = place.one("prove", ids[1])["header"]
    place.one("ledger", "erase", ids[1], "--reason", "asked for")
    place.verify()
    copy, behind = vault.of(place).copy("other")
    other = sha(b"other").hex()
    leaf = sha(b"\0" + canonical(header | {"body_digest": f"sha256:{other}"})).hex()
    blob = "'\\x{}'" if POSTGRES else "x'{}'"
    row = f"erased = {blob.format(other)}, leaf = {blob.format(leaf)}"
    behind.sql("DELETE FROM checkpoints", f"UPDATE entries SET {row} WHERE seq = {header['seq']}")
    shutil.rmtree(copy.state / "checkpoints")
    same(found(copy, header["seq"])["problem"]["message"], "its body is gone, and no note says that it was erased")


BLOCK, CHUNK = 256, 1024  # entries that have one hash, and that are read at once


@case
def names_of_a_block_may_be_more_than_its_entries_have_where_one_was_erased_and_never_fewer(place):
    ids = place.accept(*(place.event(execution=f"e-{n}") for n in range(2 * BLOCK)))
    place.one("ledger", "erase", ids[0], "--reason", "asked for")
    place.verify()
    for name, block, byte in (("fewer", 0, "00"), ("more", 1, "ff")):
        copy, behind = vault.of(place).copy(name)
        names = byte * int(behind.ask("SELECT length(names) FROM blocks WHERE level = 0 AND n = 0")[0][0])
        literal = f"'\\x{names}'" if POSTGRES else f"x'{names}'"
        behind.sql(f"UPDATE blocks SET names = {literal} WHERE level = 0 AND n = {block}")
        same(found(copy, block * BLOCK)["problem"]["message"], "the names of the block that begins with it differ")


@case
def as_many_entries_as_are_read_at_once_are_missed(place):
    place.accept(*(place.event(execution=f"e-{n}") for n in range(2 * CHUNK)))
    for first in (0, CHUNK):
        copy, behind = vault.of(place).copy(f"from-{first}")
        behind.sql(f"DELETE FROM entries WHERE seq >= {first} AND seq < {first + CHUNK}")
        same(found(copy, first)["problem"]["message"], "the entry is missing")


@case
def blocks_of_blocks_are_held_to_the_blocks(place):
    if POSTGRES:
        raise tap.Skip("a file: so many entries take a server long")
    place.accept(*(place.event(execution=f"e-{n}") for n in range(BLOCK * BLOCK)))
    place.verify()
    for n, change in enumerate(("UPDATE blocks SET root = zeroblob(32)", f"UPDATE blocks SET n = {1 << 40}",
                                "DELETE FROM blocks")):
        copy, behind = vault.of(place).copy(f"upper-{n}")
        behind.sql(f"{change} WHERE level = 1")
        same(found(copy)["problem"]["message"], "the hashes of its blocks differ")


@case
def a_body_that_is_no_json_any_more_is_shown_as_damaged(place):
    store = filled(place)
    for seq, bad in ((259, "7b22"), (30, "7b2261223a22ff227d")):  # cut; not UTF-8, which PostgreSQL does not take
        if POSTGRES and "ff" in bad:
            continue
        copy, behind = store.copy(f"bad-{seq}")
        literal = "'{\"'" if bad == "7b22" else f"CAST(x'{bad}' AS TEXT)"
        behind.sql(f"UPDATE entries SET body = {literal} WHERE seq = {seq}")
        found(copy, seq)
        entry = copy.log()[seq]
        same((entry["body"], base64.b64decode(entry["damaged_body"]).hex()), (None, bad))
        run = copy.writ("log", "--limit", "0")
        true(run.status == 0 and run.out.count(b"(damaged") == 1, run)
        run = copy.writ("show", entry["ledger_id"])
        true(run.status == 0 and b"the body is damaged" in run.out, run)


@case
def triggers_stop_whoever_means_no_harm(place):
    store = filled(place)
    for table in ("entries", "blocks", "checkpoints"):
        column = store.tables()[table][0]
        for statement in (f"UPDATE {table} SET {column} = {column}", f"DELETE FROM {table}"):
            try:
                if POSTGRES:
                    ledger.databases().sql(place.address, statement, user="keeper")
                else:
                    connection = vault.sqlite3.connect(place.file)
                    with connection:
                        connection.execute(statement)
            except Exception as why:
                true("ledger" in str(why), why)
            else:
                raise AssertionError(f"{statement} was let through")
    place.verify()


@case
def a_row_that_was_put_in_anothers_place_is_found(place):
    # REPLACE deletes without a word to the triggers. To ask at each entry whether its place is taken would
    # cost a fifth of an append: it goes through, and is found.
    store = filled(place)
    if POSTGRES:  # there it is an update, and stopped as one
        return
    columns = store.tables()["entries"]
    for n in (0, 23, 255, store.count("entries") - 1):
        for what in ("subject", "body"):
            copy, behind = store.copy(f"{what}-{n}")
            chosen = ", ".join("'\"other\"'" if name == what else name for name in columns)
            behind.ask(f"REPLACE INTO entries SELECT {chosen} FROM entries WHERE seq = {n}")
            same(behind.ask(f"SELECT {what} FROM entries WHERE seq = {n}"), [('"other"',)])
            found(copy, n)
    copy, behind = store.copy("anothers")
    behind.ask("INSERT OR REPLACE INTO entries SELECT 23, " + ", ".join(columns[1:]) + " FROM entries WHERE seq = 24")
    found(copy, 23)


@case
def a_history_that_was_written_anew_is_found_by_the_checkpoint_of_the_old(place):
    # Another ledger of the same name and key, intact in itself, with one event changed.
    store = filled(place)
    other = place.other("anew")
    shutil.copytree(place.state / "keys", other.state / "keys")
    other.enter({"n": 1}, "first")
    other.enter({"n": 2}, "second")
    other.accept(*(other.event(state, f"e-{n}", target="forged" if n == 40 else "site")
                   for n in range(EXECUTIONS) for state in STATES[:3]))
    name = store.ask("SELECT name FROM ledger")[0][0]
    vault.of(other).sql(f"UPDATE ledger SET name = '{name}'")
    other.verify()
    found(other, None, "--checkpoint", place.note)


# ---- a file's own ways to find things ----

INPUTS = "CREATE INDEX inputs ON entries (tenant, subject, created) WHERE kind = 0"


def beside(behind, index, other, *statements):
    """Runs statements that an index (or a table) does not hear of: its definition is another one meanwhile."""
    text = behind.ask(("SELECT sql FROM sqlite_schema WHERE name = ?", (index,)))[0][0]
    behind.sql("PRAGMA writable_schema = ON",
               ("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (other(text), index)))
    behind.sql(*statements)
    behind.ask("PRAGMA writable_schema = ON",
               ("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (text, index)))


@case
def an_index_that_differs_from_the_entries_is_found(place):
    if POSTGRES:
        raise tap.Skip("a file")
    store = filled(place)
    same(store.ask("SELECT sql FROM sqlite_schema WHERE name = 'inputs'")[0][0], INPUTS)

    def never(text):
        return text.replace("kind = 0", "kind = 99")

    for n, statements in enumerate((
            ["DELETE FROM entries WHERE seq = 1"],  # the index points to nothing
            ["UPDATE entries SET created = created + 1 WHERE seq = 0"],
            ["UPDATE entries SET seq = -1 WHERE seq = 0", "UPDATE entries SET seq = 0 WHERE seq = 1",
             "UPDATE entries SET seq = 1 WHERE seq = -1"])):
        copy, behind = store.copy(f"inputs-{n}")
        beside(behind, "inputs", never, *statements)
        found(copy)
    # The entries are as they were, and the index alone is not: it lacks one, or has another key for it.
    there = store.ask("SELECT * FROM entries WHERE seq = 1")[0]
    lacks, behind = store.copy("lacks")
    behind.sql("DELETE FROM entries WHERE seq = 1")
    beside(behind, "inputs", never, (f"INSERT INTO entries VALUES ({', '.join('?' * len(there))})", there))
    other, behind = store.copy("other")
    behind.sql("UPDATE entries SET subject = 'else' WHERE seq = 0")
    beside(behind, "inputs", never, "UPDATE entries SET subject = 'first' WHERE seq = 0")
    for copy in (lacks, other):
        same(vault.of(copy).ask("SELECT * FROM entries NOT INDEXED"), store.ask("SELECT * FROM entries NOT INDEXED"))
        true("index" in found(copy)["problem"]["message"])


@case
def an_index_of_somebody_else_is_found(place):
    # SQLite may find entries by it, and it need not tell the truth.
    if POSTGRES:
        raise tap.Skip("a file")
    store = filled(place)
    copy, behind = store.copy("true")
    behind.sql("CREATE INDEX mine ON entries (subject, tenant, robot) WHERE kind = 1")
    true("mine" in found(copy)["problem"]["message"])
    row = behind.ask("SELECT * FROM entries WHERE seq = 100")[0]
    behind.sql("DELETE FROM entries WHERE seq = 100")
    beside(behind, "mine", lambda text: text.replace("kind = 1", "kind = 99"),
           (f"INSERT INTO entries VALUES ({', '.join('?' * len(row))})", row))
    true("mine" in found(copy)["problem"]["message"])


@case
def what_the_store_does_not_take_is_not_told_as_appended(place):
    store = filled(place)
    copy, behind = store.copy("swallows")
    if POSTGRES:
        behind.sql("CREATE FUNCTION mine() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN IF NEW.subject = 'lost'::bytea"
                   " THEN RETURN NULL; END IF; RETURN NEW; END$$",
                   "CREATE TRIGGER mine BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION mine()")
    else:
        behind.sql("CREATE TRIGGER mine BEFORE INSERT ON entries WHEN NEW.subject = 'lost'"
                   " BEGIN SELECT RAISE(IGNORE); END")
    run = copy.writ("ledger", "append", copy.put("lost.json", json.dumps(place.event(execution="lost"))))
    same((run.status, b"does not take what is entered" in run.err + run.out), (74, True), run)
    copy.accept(place.event(execution="kept"))
    true("not those that writ makes: mine" in found(copy)["problem"]["message"])
    behind.ask("DROP TRIGGER mine" + (" ON entries" if POSTGRES else ""))
    copy.verify()


@case
def a_value_of_another_type_is_found(place):
    # It reads the same, and compares as something else.
    if POSTGRES:
        raise tap.Skip("a file")
    store = filled(place)
    types = {"TEXT": "BLOB", "BLOB": "TEXT", "INTEGER": "REAL"}
    rows = store.ask("PRAGMA table_info(entries)")
    for _, column, kind, *_ in rows[1:]:
        copy, behind = store.copy(f"type-{column}")
        row = ERASED if column == "erased" else 100
        plain = "(" + ", ".join("seq INTEGER PRIMARY KEY" if name == "seq" else name for _, name, *_ in rows) + ")"
        beside(behind, "entries", lambda text: "CREATE TABLE entries " + plain,
               f"UPDATE entries SET {column} = CAST({column} AS {types[kind]}) WHERE seq = {row}")
        same(behind.ask(f"SELECT typeof({column}) FROM entries WHERE seq = {row}")[0][0], types[kind].lower())
        same(found(copy)["problem"]["seq"], row, column)


def varint(data, at):
    value = 0
    for n in range(1, 10):
        byte = data[at + n - 1]
        value = value << 7 | byte & 127
        if byte < 128:
            return value, n
    raise AssertionError("too long for this test")


@case
def an_entry_that_is_there_but_not_found_by_its_number_is_found(place):
    # The pages above the entries tell which page to look at: each of their keys, one more and one less.
    if POSTGRES:
        raise tap.Skip("a file")
    store = filled(place)
    place.accept(*(place.event(state, f"f-{n}") for n in range(300) for state in STATES[:3]))
    place.verify()
    place.writ("log")
    store.ask("PRAGMA wal_checkpoint(TRUNCATE)")
    data = place.file.read_bytes()
    size = int.from_bytes(data[16:18], "big")
    page = (store.ask("SELECT rootpage FROM sqlite_schema WHERE name = 'entries'")[0][0] - 1) * size
    same(data[page], 5, "no page above the entries")
    count = int.from_bytes(data[page + 3:page + 5], "big")
    true(count > 20, count)
    keys = [page + int.from_bytes(data[page + 12 + 2 * n:page + 14 + 2 * n], "big") + 4 for n in range(count)]
    for n in sorted({0, 1, count // 2, count - 1}):
        key, width = varint(data, keys[n])
        for other in (key - 1, key + 1):
            if not 128 <= other < 1 << 14 or width != 2:
                continue
            copy, _ = store.copy(f"key-{n}-{other}")
            for old in copy.state.glob("ledger.db-*"):
                old.unlink()
            changed = bytearray(data)
            changed[keys[n]:keys[n] + 2] = bytes([other >> 7 | 128, other & 127])
            copy.file.write_bytes(changed)
            true("number" in found(copy)["problem"]["message"], (key, other))


@case
def an_entry_before_the_first_is_found(place):
    store = filled(place)
    copy, behind = store.copy("before")
    columns = ", ".join(store.tables()["entries"][1:])
    if POSTGRES:
        behind.sql("DROP INDEX entries_event")
    behind.sql(f"INSERT INTO entries (seq, {columns}) SELECT -1, {columns} FROM entries WHERE seq = 0")
    found(copy)


# ---- the bytes themselves ----

def dump(place):
    """What a reader of the tables sees of that which is promised: (table, column) -> values."""
    store = vault.File(place)
    return {(table, column): store.ask(f"SELECT {column} FROM {table}")
            for table, columns in store.tables().items() for column in columns
            if table not in SPARED or SPARED[table] is not None and column not in SPARED[table]}


@case
def a_byte_that_was_changed_in_the_file_is_found_or_says_nothing(place):
    if POSTGRES:
        raise tap.Skip("a file")
    seed = int(os.environ.get("WRIT_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"# seed {seed}", flush=True)
    chance, store = random.Random(seed), filled(place)
    place.writ("log")  # whoever comes last leaves one file
    before, hits = dump(place), 0
    for n in range(FLIPS):
        copy, _ = store.copy(f"flip-{n}")
        data = bytearray(copy.file.read_bytes())
        where = chance.randrange(len(data))
        data[where] ^= 1 << chance.randrange(8)
        copy.file.write_bytes(data)
        run = copy.writ("verify", "--json")
        if run.status == 0:
            after = dump(copy)
            same([name for name in before if before[name] != after.get(name)], [], f"byte {where} was not found")
        else:
            hits += 1
            true(run.status in (1, 69, 74) and run.out + run.err, (where, run))
    true(hits > FLIPS // 10, f"{hits} of {FLIPS} found")


@case
def a_file_that_was_cut_off_or_emptied_is_no_ledger(place):
    if POSTGRES:
        raise tap.Skip("a file")
    store = filled(place)
    store.ask("PRAGMA wal_checkpoint(TRUNCATE)")
    pages = int.from_bytes(place.file.read_bytes()[28:32], "big")  # by SQLite's own count
    for n, left in enumerate((0, 1, 100, 4096, pages * 2048, (pages - 1) * 4096, pages * 4096 - 1)):
        copy, _ = store.copy(f"cut-{n}")
        os.truncate(copy.file, left)
        for verb in (["verify"], ["log"], ["ledger", "append", place.put("event", b"{}")]):
            run = copy.writ(*verb, "--json")
            if verb[0] == "verify":
                true(run.status in (1, 69, 74), (left, run))
            true(run.status in (0, 1, 69, 74), (left, verb, run))


if __name__ == "__main__":
    sys.exit(ledger.main(CASES))
