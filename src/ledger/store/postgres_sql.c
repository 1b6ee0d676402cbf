/* SPDX-License-Identifier: Apache-2.0 */
/* postgres_sql.c: what is said to PostgreSQL: the tables of a ledger, and each statement. */
#include "ledger/store/postgres.h"

/* The functions of the triggers. Verify knows them by these texts. */
#define REFUSE                                                                         \
    "BEGIN"                                                                            \
    " RAISE EXCEPTION 'a ledger only grows: % of % is refused', TG_OP, TG_TABLE_NAME;" \
    "END"
#define ONLY_ERASE                                                                                  \
    "BEGIN"                                                                                         \
    " IF OLD.erased IS NULL AND octet_length(NEW.erased) = 32"                                      \
    "  AND NEW.body IS NULL AND NEW.salt IS NULL"                                                   \
    "  AND (NEW.seq, NEW.place, NEW.traits, NEW.snapshot, NEW.created, NEW.recorded, NEW.id,"       \
    "   NEW.key, NEW.kind, NEW.subject, NEW.tenant, NEW.robot, NEW.content, NEW.leaf)"              \
    "  IS NOT DISTINCT FROM"                                                                        \
    "  (OLD.seq, OLD.place, OLD.traits, OLD.snapshot, OLD.created, OLD.recorded, OLD.id,"           \
    "   OLD.key, OLD.kind, OLD.subject, OLD.tenant, OLD.robot, OLD.content, OLD.leaf)"              \
    " THEN RETURN NEW; END IF;"                                                                     \
    " RAISE EXCEPTION 'a ledger only grows: UPDATE of entries is refused, but for erasing a body';" \
    "END"
#define LEDGER_TRIGGER                                                    \
    "CREATE TRIGGER refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger" \
    " FOR EACH STATEMENT EXECUTE FUNCTION refuse()"

/* Texts that may hold any character, U+0000 too, are bytea.
 * An index takes texts of 2,700 bytes: `key` stands for tenant, robot and subject in theirs. What
 * is long is not compressed, because everybody else waits meanwhile. The fixed columns come first:
 * so no space is lost between them. */
const char store_postgres_schema[] =
    "CREATE TABLE ledger (name uuid NOT NULL, version int NOT NULL);"
    "CREATE TABLE entries ("
    " seq bigint PRIMARY KEY, place bigint NOT NULL, traits bigint NOT NULL,"
    " snapshot bigint NOT NULL, created bigint NOT NULL, recorded bigint NOT NULL,"
    " id uuid NOT NULL, key uuid NOT NULL, kind smallint NOT NULL,"
    " subject bytea NOT NULL, tenant bytea NOT NULL, robot bytea NOT NULL,"
    " content bytea NOT NULL, leaf bytea NOT NULL, salt bytea, erased bytea, body text);"
    "ALTER TABLE entries ALTER body SET STORAGE EXTERNAL;"
    "CREATE UNIQUE INDEX entries_event ON entries (key, place) WHERE kind = 1;"
    "CREATE INDEX entries_input ON entries (key, created, seq) WHERE kind = 0;"
    "CREATE TABLE blocks (n bigint NOT NULL, level bigint NOT NULL, root bytea NOT NULL,"
    " names bytea NOT NULL, PRIMARY KEY (level, n));"
    "ALTER TABLE blocks ALTER names SET STORAGE PLAIN;"
    "CREATE TABLE checkpoints (size bigint NOT NULL, made bigint NOT NULL, note bytea NOT NULL);"
    "CREATE INDEX checkpoints_size ON checkpoints (size, made);"

    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$" REFUSE "$$;"
    "CREATE FUNCTION only_erase() RETURNS trigger LANGUAGE plpgsql AS $$" ONLY_ERASE "$$;"
    "CREATE TRIGGER refuse BEFORE DELETE OR TRUNCATE ON entries"
    " FOR EACH STATEMENT EXECUTE FUNCTION refuse();"
    "CREATE TRIGGER only_erase BEFORE UPDATE ON entries"
    " FOR EACH ROW EXECUTE FUNCTION only_erase();"
    "CREATE TRIGGER refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON blocks"
    " FOR EACH STATEMENT EXECUTE FUNCTION refuse();"
    "CREATE TRIGGER refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON checkpoints"
    " FOR EACH STATEMENT EXECUTE FUNCTION refuse();" LEDGER_TRIGGER;

/* Version 1 had refusals in a table that no tree covered, and the time when it was made. */
const char store_postgres_renew[] =
    "DROP TABLE rejects; DROP FUNCTION IF EXISTS only_forget(); DROP TRIGGER refuse ON ledger;"
    "UPDATE ledger SET version = 2; ALTER TABLE ledger DROP COLUMN made;" LEDGER_TRIGGER;

const char store_postgres_copy[] =
    "COPY entries (seq, place, traits, snapshot, created, recorded, id, key, kind, subject, tenant,"
    " robot, content, leaf, salt, erased, body) FROM STDIN (FORMAT binary)";

#define MARK  "e.seq, e.id, e.place, e.traits, e.snapshot, e.content, e.tenant, e.robot, e.subject"
#define ASKED "e.seq, e.id, e.kind, e.created, e.tenant, e.subject"
#define ENTRY                                                                                   \
    "SELECT seq, place, traits, snapshot, created, recorded, id, kind, subject, tenant, robot," \
    " content, leaf, salt, erased,"                                                             \
    " CASE WHEN $3 = 1 AND octet_length(body) <= $4 THEN body END,"                             \
    " $3 = 1 AND octet_length(body) > $4 FROM entries"

#define MICROSECONDS(moment) "(extract(epoch FROM " moment ") * 1000000)::bigint"

/* clang-format off */
static const char *const texts[SQL_COUNT] = {
    /* For one transaction: behind a pooler the next may have another session, and this session may
     * serve somebody else next. Plans are made once, when a ledger may still be empty: they are to
     * use the indexes. A writer that stops in the middle does not stop the others for longer than a
     * minute. What is asked of indexes and types is answered as it was written. */
    [SQL_SETTINGS] =
        "SELECT set_config('search_path', $1, true), set_config('synchronous_commit', 'off', true),"
        " set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true),"
        " set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),"
        " set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),"
        " set_config('lock_timeout', '60s', true), set_config('statement_timeout', '0', true),"
        " set_config('quote_all_identifiers', 'off', true),"
        " set_config('transaction_read_only', $2, true),"
        " set_config('idle_in_transaction_session_timeout', $3, true)",
    [SQL_FIND] =
        "SELECT current_setting('server_encoding'), n.oid::bigint, has_schema_privilege(n.oid, 'USAGE'),"
        " count(*) FILTER (WHERE c.relname = 'ledger'), count(c.oid)"
        " FROM (SELECT 1) one LEFT JOIN pg_namespace n ON n.nspname = $1"
        " LEFT JOIN pg_class c ON c.relnamespace = n.oid"
        "  AND c.relname IN ('ledger', 'entries', 'blocks', 'checkpoints') GROUP BY n.oid",
    [SQL_LEDGER] = "INSERT INTO ledger VALUES ($1, $2)",
    [SQL_NAME]   = "SELECT name, version FROM ledger",

    [SQL_BEGIN]    = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
    [SQL_LOCK]     = "SELECT pg_advisory_xact_lock(x'77726974'::int, ($1::bigint - 2147483648)::int)",
    [SQL_TIP]      = "SELECT seq, recorded FROM entries ORDER BY seq DESC LIMIT 1",
    [SQL_COMMIT]   = "COMMIT",
    /* Waits for the disk, once the lock is gone: the next writer works meanwhile. All that was
     * committed before it is in the same log and is durable, too. */
    [SQL_FLUSH]    = "SELECT set_config('synchronous_commit', 'on', true), pg_logical_emit_message(true, 'writ', '')",
    [SQL_ROLLBACK] = "ROLLBACK",
    [SQL_CLOCK]    = "SELECT " MICROSECONDS("clock_timestamp()"),
    /* Of a table and of what it keeps its long values in. */
    [SQL_SWEPT] =
        "SELECT bool_and(s.n_dead_tup = 0 AND " MICROSECONDS("s.last_vacuum") " > $1)"
        " FROM pg_class t JOIN pg_stat_all_tables s ON s.relid IN (t.oid, t.reltoastrelid)"
        " WHERE t.relnamespace = $2::bigint::oid AND t.relname = 'entries'",
    [SQL_LOOK]     = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",

    [SQL_LASTS] =
        "SELECT a.n, " MARK " FROM unnest($1::uuid[]) WITH ORDINALITY a(key, n)"
        " CROSS JOIN LATERAL (SELECT * FROM entries WHERE kind = 1 AND key = a.key"
        "  ORDER BY place DESC LIMIT 1) e",
    [SQL_TWINS] =
        "SELECT a.n, " MARK " FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY a(key, place, n)"
        " JOIN entries e ON e.kind = 1 AND e.key = a.key AND e.place = a.place",
    [SQL_ENTRIES] =
        "SELECT " ASKED " FROM unnest($1::bigint[]) a(seq) JOIN entries e ON e.seq = a.seq ORDER BY e.seq",
    [SQL_NEWEST_INPUT] =
        "SELECT " ASKED " FROM entries e WHERE kind = 0 AND key = $1 AND tenant = $2"
        " AND subject = $3 ORDER BY created DESC, seq DESC LIMIT 1",

    [SQL_ADD_BLOCKS] =
        "INSERT INTO blocks (level, n, root, names)"
        " SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bytea[])",
    [SQL_ADD_CHECKPOINT] = "INSERT INTO checkpoints (size, made, note) VALUES ($1, $2, $3)",
    [SQL_ERASE] =
        "UPDATE entries SET body = NULL, salt = NULL, erased = $2 WHERE seq = $1 AND erased IS NULL",

    [SQL_READ_UP]      = ENTRY " WHERE seq >= $1 AND seq < $2 ORDER BY seq LIMIT $5",
    [SQL_READ_DOWN]    = ENTRY " WHERE seq >= $1 AND seq < $2 ORDER BY seq DESC LIMIT $5",
    [SQL_READ_BODY]    = "SELECT body FROM entries WHERE seq = $1",
    [SQL_READ_BLOCKS]  = "SELECT n, root, names FROM blocks WHERE level = $1 AND n >= $2 AND n < $3 ORDER BY n LIMIT $4",
    [SQL_READ_FORMER_REJECTS] =
        "SELECT n, recorded, bytes, code, pointer, message, tenant, subject, digest, event"
        " FROM rejects WHERE n > $1 ORDER BY n LIMIT $2",
    [SQL_READ_CHECKPOINTS] = "SELECT size, made, note FROM checkpoints ORDER BY size, made OFFSET $1 LIMIT $2",
    [SQL_LAST_CHECKPOINT]  = "SELECT note FROM checkpoints ORDER BY size DESC, made DESC LIMIT 1",

    [SQL_CHECK_ENTRIES] =
        "SELECT count(*), coalesce(min(seq), 0), coalesce(max(seq) + 1, 0),"
        " min(seq) FILTER (WHERE (body IS NULL) <> (erased IS NOT NULL) OR (salt IS NULL) <> (erased IS NOT NULL))"
        " FROM entries",
    [SQL_CHECK_BLOCKS] =
        "SELECT level, count(*), min(n), max(n) + 1 FROM blocks GROUP BY level ORDER BY level",
    [SQL_CHECK_KEYS] =
        "SELECT min(seq) FROM entries WHERE uuid_send(key) <> substring(sha256("
        " int8send(octet_length(tenant)) || tenant"
        " || int8send(CASE kind WHEN 1 THEN octet_length(robot) ELSE 0 END)"
        " || CASE kind WHEN 1 THEN robot ELSE '' END || subject) FOR 16)",
    /* Each is as it is made above: the tables, which the server's log has, with no rule, policy, check,
     * heir or default; the indexes; and there is nothing else, nor another trigger. 2 is BEFORE, 1 FOR EACH ROW,
     * 8 DELETE, 16 UPDATE, 32 TRUNCATE. */
    [SQL_CHECK_TABLES] =
        "SELECT o.name FROM (VALUES"
        "  ('ledger', 'name uuid!, version integer!'),"
        "  ('entries', 'seq bigint!, place bigint!, traits bigint!, snapshot bigint!, created bigint!,"
        " recorded bigint!, id uuid!, key uuid!, kind smallint!, subject bytea!, tenant bytea!, robot bytea!,"
        " content bytea!, leaf bytea!, salt bytea, erased bytea, body text'),"
        "  ('blocks', 'n bigint!, level bigint!, root bytea!, names bytea!'),"
        "  ('checkpoints', 'size bigint!, made bigint!, note bytea!')) o(name, columns)"
        " LEFT JOIN pg_class c ON c.relname = o.name AND c.relnamespace = $1::bigint::oid"
        " WHERE c.oid IS NULL OR c.relkind <> 'r' OR c.relpersistence <> 'p' OR c.relrowsecurity"
        " OR EXISTS (SELECT FROM pg_rewrite r WHERE r.ev_class = c.oid)"
        " OR EXISTS (SELECT FROM pg_inherits i WHERE c.oid IN (i.inhparent, i.inhrelid))"
        " OR EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype NOT IN ('p', 'n'))"
        " OR o.columns IS DISTINCT FROM (SELECT string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod)"
        "   || CASE WHEN a.attnotnull THEN '!' ELSE '' END || CASE WHEN a.atthasdef THEN '=' ELSE '' END,"
        "   ', ' ORDER BY a.attnum)"
        "  FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)"
        " UNION ALL SELECT o.name FROM (VALUES"
        "  ('entries_pkey', 'UNIQUE INDEX entries_pkey ON entries USING btree (seq)'),"
        "  ('entries_event', 'UNIQUE INDEX entries_event ON entries USING btree (key, place) WHERE (kind = 1)'),"
        "  ('entries_input', 'INDEX entries_input ON entries USING btree (key, created, seq) WHERE (kind = 0)'),"
        "  ('blocks_pkey', 'UNIQUE INDEX blocks_pkey ON blocks USING btree (level, n)'),"
        "  ('checkpoints_size', 'INDEX checkpoints_size ON checkpoints USING btree (size, made)')) o(name, made)"
        " WHERE NOT EXISTS (SELECT FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid"
        "  WHERE c.relname = o.name AND c.relnamespace = $1::bigint::oid AND i.indisvalid AND"
        "  replace(pg_get_indexdef(c.oid), ' ON ' || $1::bigint::oid::regnamespace || '.', ' ON ') = 'CREATE ' || o.made)"
        " UNION ALL SELECT t.tgname::text FROM pg_trigger t"
        " JOIN pg_class c ON c.oid = t.tgrelid AND c.relnamespace = $1::bigint::oid"
        " JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_language l ON l.oid = p.prolang"
        " WHERE c.relname IN ('ledger', 'entries', 'blocks', 'checkpoints') AND NOT t.tgisinternal"
        " AND NOT (t.tgqual IS NULL AND t.tgattr::text = '' AND p.pronamespace = c.relnamespace"
        "  AND p.proname = t.tgname AND l.lanname = 'plpgsql'"
        "  AND CASE t.tgname WHEN 'refuse' THEN p.prosrc = $$" REFUSE "$$"
        "    AND t.tgtype = CASE WHEN c.relname = 'entries' THEN 42 ELSE 58 END"
        "   WHEN 'only_erase' THEN p.prosrc = $$" ONLY_ERASE "$$ AND t.tgtype = 19 AND c.relname = 'entries'"
        "   ELSE false END)"
        " UNION ALL SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = $1::bigint::oid AND c.relname NOT IN"
        " ('ledger', 'entries', 'blocks', 'checkpoints', 'entries_pkey', 'entries_event', 'entries_input',"
        " 'blocks_pkey', 'checkpoints_size')"
        " LIMIT 1",
    /* The same by the table and by the indexes that the rules rely on. */
    [SQL_CHECK_PLAIN]   = "SELECT count(*), sum(seq)::text FROM entries WHERE kind = 1",
    [SQL_CHECK_INDEXED] =
        "SELECT count(*), sum(seq)::text FROM (SELECT seq FROM entries WHERE kind = 1 ORDER BY key, place) x",
};
/* clang-format on */

const struct pg_book store_postgres_book = { texts, SQL_COUNT };
