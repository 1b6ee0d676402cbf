#!/usr/bin/env python3
"""tables: what keeps a ledger has to be as writ makes it.

usage: tables.py [--postgres] WRIT      prints TAP
"""
import sys

import ledger
import tap
import vault
from ledger import POSTGRES, same, true
from tamper import filled, found

CASES = []
case = ledger.collector(CASES)


@case
def what_a_file_has_is_as_writ_makes_it(place):
    if POSTGRES:
        raise tap.Skip("a file")
    store = filled(place)
    body = "BEGIN UPDATE entries SET body = 'x' WHERE seq = NEW.seq; END"
    schema = "UPDATE sqlite_schema SET sql = replace(sql, {}) WHERE name = '{}'"
    for n, (name, *statements) in enumerate((
            ("mine", f"CREATE TRIGGER mine AFTER INSERT ON entries {body}"),
            ("mine", f"CREATE TRIGGER mine BEFORE INSERT ON checkpoints WHEN NEW.size > 5 {body}"),
            ("entries_fixed", "DROP TRIGGER entries_fixed",
             f"CREATE TRIGGER entries_fixed AFTER INSERT ON entries {body}"),
            ("blocks_stay", schema.format("'it keeps', 'it had'", "blocks_stay")),
            ("entries", schema.format("'body TEXT', 'body TEXT DEFAULT 1'", "entries")),
            ("runs", schema.format("' STRICT', ''", "runs")),
            ("ledger", "ALTER TABLE ledger ADD COLUMN made INTEGER"),
            ("mine", "CREATE TABLE mine (a, b UNIQUE)"),
            ("seen", "CREATE VIEW seen AS SELECT * FROM entries"),
            ("mine_too", "CREATE INDEX mine_too ON entries (created)"),
            ("inputs", "DROP INDEX inputs"))):
        copy, behind = store.copy(f"schema-{n}")
        behind.ask("PRAGMA writable_schema = ON", *statements)
        same(found(copy)["problem"]["message"], f"the tables are not those that writ makes: {name}")
    copy, behind = store.copy("without-a-trigger")
    behind.ask("DROP TRIGGER blocks_stay")
    copy.verify()


@case
def how_a_database_tells_of_names_does_not_matter(place):
    if not POSTGRES:
        raise tap.Skip("a database")
    filled(place)
    run = place.writ("verify", env={"PGOPTIONS": "-c quote_all_identifiers=on"})
    true(run.status == 0 and run.out.startswith(b"intact"), run)


@case
def a_schema_may_have_a_word_of_sql_for_a_name(place):
    if not POSTGRES:
        raise tap.Skip("a database")
    place.address += "&schema=user"
    filled(place)
    id = place.enter({"secret": 1}, "secret")["ledger_id"]
    same(place.writ("ledger", "erase", id, "--reason", "a test").status, 0)
    same(place.verify()["erased"], 2)


@case
def what_a_database_has_is_as_writ_makes_it(place):
    if not POSTGRES:
        raise tap.Skip("a database")
    store = filled(place)
    mine = "CREATE FUNCTION mine() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NEW.body = 'x'; RETURN NEW; END$$"
    for n, (name, *statements) in enumerate((
            ("mine", mine, "CREATE TRIGGER mine BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION mine()"),
            ("mine", mine, "CREATE TRIGGER mine AFTER INSERT ON checkpoints FOR EACH ROW WHEN (NEW.size > 5)"
                           " EXECUTE FUNCTION mine()"),
            ("only_erase", mine.replace("FUNCTION mine", "OR REPLACE FUNCTION only_erase")),
            ("refuse", "DROP TRIGGER refuse ON blocks", "CREATE TRIGGER refuse BEFORE INSERT ON blocks"
                       " FOR EACH STATEMENT EXECUTE FUNCTION refuse()"),
            ("entries", "CREATE RULE mine AS ON INSERT TO entries DO INSTEAD NOTHING"),
            ("checkpoints", "ALTER TABLE checkpoints ENABLE ROW LEVEL SECURITY"),
            ("ledger", "ALTER TABLE ledger ADD COLUMN made bigint"),
            ("mine", "CREATE TABLE mine (a int)"),
            ("seen", "CREATE VIEW seen AS SELECT * FROM entries"),
            ("mine_too", "CREATE INDEX mine_too ON entries (created)"),
            ("entries", "ALTER TABLE entries SET UNLOGGED"),
            ("checkpoints", "ALTER TABLE checkpoints ADD CHECK (size < 1000)"),
            ("checkpoints", "CREATE TABLE mine () INHERITS (checkpoints)"),
            ("entries", "ALTER TABLE entries ALTER salt SET DEFAULT 'x'"),
            ("entries", "ALTER TABLE entries ALTER tenant DROP NOT NULL"),
            ("entries_input", "DROP INDEX entries_input"),
            ("entries_event", "DROP INDEX entries_event",
             "CREATE INDEX entries_event ON entries (key, place) WHERE kind = 1"))):
        copy, behind = store.copy(f"schema-{n}")
        behind.ask(*statements)
        same(found(copy)["problem"]["message"], f"the tables are not those that writ makes: {name}")
    copy, behind = store.copy("without-a-trigger")
    behind.ask("DROP TRIGGER refuse ON blocks")
    copy.verify()


@case
def a_table_or_a_column_that_is_gone_is_found_and_nothing_is_entered(place):
    store = filled(place)
    event = place.put("outside/event", ledger.text_of(place.event(execution="more")))
    for table in store.tables():
        copy, behind = store.copy(f"without-{table}")
        behind.sql(f"DROP TABLE {table}")
        found(copy)
        answer = copy.one("ledger", "append", event, status=74)
        same(answer["code"], "LEDGER_DAMAGED", answer)
    for table, column in (("entries", "leaf"), ("entries", "body"), ("blocks", "root"), ("checkpoints", "note")):
        copy, behind = store.copy(f"other-{column}")
        behind.sql(f"ALTER TABLE {table} RENAME COLUMN {column} TO other")
        found(copy)


@case
def a_schema_that_is_closed_to_who_asks_is_not_damaged(place):
    if not POSTGRES:
        raise tap.Skip("a database")
    place.accept(place.event())
    vault.of(place).ask("CREATE ROLE stranger LOGIN")
    answer = place.one("verify", "--ledger", place.address.replace("user=keeper", "user=stranger"), status=69)
    same(answer["code"], "IO", answer)
    true("permission denied for schema writ; its owner can grant that" in answer["message"], answer)


@case
def a_schema_with_things_of_somebody_elses_is_left_alone(place):
    if not POSTGRES:
        raise tap.Skip("a database")
    place.accept(place.event())
    event = place.put("outside/event", ledger.text_of(place.event(execution="more")))
    for name, made in (("one", "CREATE TABLE one.entries (a int)"),
                       ("two", "CREATE FUNCTION two.refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN END$$")):
        vault.of(place).ask(f"CREATE SCHEMA {name} AUTHORIZATION keeper", made)
        answer = place.one("ledger", "append", event, "--ledger", f"{place.address}&schema={name}", status=74)
        true("somebody else's; name another with ?schema=NAME" in answer["message"], answer)


@case
def a_ledger_with_two_names_or_none_is_not_intact(place):
    if not POSTGRES:
        raise tap.Skip("a database")
    store = filled(place)
    for name, statement in (("two", "INSERT INTO ledger SELECT gen_random_uuid(), version FROM ledger"),
                            ("none", "DELETE FROM ledger")):
        copy, behind = store.copy(f"ledger-{name}")
        behind.sql(statement)
        true("its table ledger has" in found(copy)["problem"]["message"], name)


@case
def a_block_that_is_missing_hides_no_entry(place):
    place.accept(*(place.event(execution=f"e-{n}", robotId=f"robot-{n // 256}") for n in range(4 * 256)))
    robots = [f"robot-{n}" for n in range(4)]
    before = [len(place.log("--robot", robot)) for robot in robots]
    same(before, [256] * 4)
    vault.of(place).sql("DELETE FROM blocks WHERE level = 0 AND n = 1")
    same([len(place.log("--robot", robot)) for robot in robots], before)
    found(place)


@case
def an_entry_of_a_number_that_none_can_have_is_found(place):
    store = filled(place)
    for n, seq in enumerate((-1, 1 << 48, 1 << 62, (1 << 63) - 1)):
        copy, behind = store.copy(f"seq-{n}")
        rest = [column for column in behind.tables()["entries"] if column not in ("seq", "place")]
        behind.sql(f"INSERT INTO entries (seq, place, {', '.join(rest)}) SELECT {seq}, place + 1000, {', '.join(rest)}"
                   " FROM entries WHERE seq = 100")
        said = found(copy)["problem"]["message"]
        true(str(seq) in said, said)
        for verb in (["log", "--tenant", "none"], ["show", "none"]):
            run = copy.writ(*verb)
            true(seq < 0 or run.status == 69 and str(seq).encode() in run.err, run)


if __name__ == "__main__":
    sys.exit(ledger.main(CASES))
