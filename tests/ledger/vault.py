"""vault.py: where a ledger is kept, as somebody sees it who goes round writ: as tables.

A vault has tables() and count(), sql() that is stopped by no trigger (and in a file removes them),
change() of one value, and copy() of the whole ledger, so that each attack has a fresh one. While it
is held() it can be read, and whoever would write waits.
"""
import contextlib
import shutil
import sqlite3

import ledger


class File:
    """An SQLite file."""

    def __init__(self, place):
        self.place = place

    def copy(self, name):
        other = ledger.Ledger(self.place.scratch / name)
        shutil.copytree(self.place.state, other.state)
        return other, File(other)

    def ask(self, *statements):
        """The rows of the last statement. A statement is text, or text and its values."""
        connection = sqlite3.connect(self.place.file, isolation_level=None)
        try:
            for statement in statements:
                text, values = (statement, ()) if isinstance(statement, str) else statement
                rows = connection.execute(text, values).fetchall()
            return rows
        finally:
            connection.close()

    def sql(self, *statements):
        triggers = self.ask("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        return self.ask(*(f"DROP TRIGGER {name}" for name, in triggers), *statements)

    @contextlib.contextmanager
    def held(self):
        with contextlib.closing(sqlite3.connect(self.place.file, isolation_level=None)) as lock:
            lock.execute("BEGIN IMMEDIATE")
            yield

    def tables(self):
        names = self.ask("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        return {name: [row[1] for row in self.ask(f"PRAGMA table_info({name})")] for name, in names}

    def count(self, table):
        return self.ask(f"SELECT count(*) FROM {table}")[0][0]

    def change(self, table, column, n):
        """Changes one value: of row n, counted by the first column."""
        columns = self.tables()[table]
        row = self.ask(f"SELECT * FROM {table} ORDER BY 1, 2 LIMIT 1 OFFSET {n}")[0]
        where = " AND ".join(f"{name} IS ?" for name in columns)
        for value in other_values(row[columns.index(column)]):
            try:
                self.sql((f"UPDATE {table} SET {column} = ? WHERE {where}", (value, *row)))
                return
            except sqlite3.IntegrityError:  # a key that is taken, or the wrong type
                continue
        raise AssertionError(f"{table}.{column} takes no other value")


def other_values(value):
    if value is None:
        return [1, "x", b"x" * 32]
    if isinstance(value, int):
        return [value + 1, value + 1000, -1]
    if isinstance(value, str):
        return [value[:-1] + ("x" if value[-1:] != "x" else "y"), value + "x"]
    middle = len(value) // 2
    return [value[:middle] + bytes([value[middle] ^ 1]) + value[middle + 1:] if value else b"x"]


class Database:
    """A PostgreSQL database."""

    OTHER = {  # by type: an expression for another value of column c
        "bigint": "coalesce({c}, 0) + {n}", "integer": "coalesce({c}, 0) + {n}", "smallint": "{c} + {n}",
        "text": "coalesce({c}, '') || 'x'",
        "uuid": "(translate(left({c}::text, 1), '0123456789abcdef', '123456789abcdef0') || substr({c}::text, 2))::uuid",
        "bytea": "CASE WHEN coalesce(octet_length({c}), 0) = 0 THEN '\\x78'::bytea ELSE"
                 " set_byte({c}, octet_length({c}) / 2, get_byte({c}, octet_length({c}) / 2) # 1) END",
    }

    def __init__(self, place):
        self.place = place

    def copy(self, name):
        other = ledger.Ledger(self.place.scratch / name, address=ledger.databases().copy(self.place.address))
        if self.place.state.exists():
            shutil.copytree(self.place.state, other.state)
        return other, Database(other)

    def sql(self, *statements):
        return ledger.databases().sql(self.place.address, "SET session_replication_role = replica", *statements)

    ask = sql

    @contextlib.contextmanager
    def held(self):
        with ledger.databases().session(self.place.address) as psql:
            psql.stdin.write("SELECT 'held' FROM pg_advisory_lock(x'77726974'::int,"
                             " ('writ'::regnamespace::oid::bigint - 2147483648)::int);\n")
            psql.stdin.flush()
            ledger.same(psql.stdout.readline(), "held\n")
            yield

    def tables(self):
        rows = self.ask("SELECT table_name, column_name FROM information_schema.columns WHERE table_schema NOT IN"
                        " ('pg_catalog', 'information_schema') ORDER BY table_name, ordinal_position")
        found = {}
        for table, column in rows:
            found.setdefault(table, []).append(column)
        return found

    def count(self, table):
        return int(self.sql(f"SELECT count(*) FROM {table}")[0][0])

    def change(self, table, column, n):
        kind = self.sql("SELECT data_type FROM information_schema.columns WHERE"
                        f" table_name = '{table}' AND column_name = '{column}'")[0][0]
        keys = {"blocks": "level, n"}.get(table, "1")
        row = f"ctid = (SELECT ctid FROM (SELECT ctid, t.* FROM {table} t ORDER BY {keys.replace('1', '2')}" \
              f" LIMIT 1 OFFSET {n}) x)"
        step = 1000 if column in ("seq", "n", "place") else 1
        self.sql(f"UPDATE {table} SET {column} = {self.OTHER[kind].format(c=column, n=step)} WHERE {row}")


def of(place):
    return Database(place) if ledger.POSTGRES else File(place)
