/* SPDX-License-Identifier: Apache-2.0 */
/* postgres.c: a ledger in a schema of a PostgreSQL database: opening it and adding to it.
 *
 * One writer at a time: an advisory lock that the transaction holds. It is let go before the disk
 * is waited for, so that the next writer works meanwhile and one write of the disk serves several.
 */
#include "ledger/store/postgres.h"

#include <stdio.h>
#include <time.h>

#include "base/world.h"
#include "contract/codes.h"

enum { VERSION = 2, FORMER_VERSION = 1, TABLES = 4, SCHEMA_MAX = 63, ADDRESS_MAX = 64 << 10 };

/* How long the server may take to answer, where its address does not say: longer than it may wait
 * for a lock (SQL_SETTINGS). */
enum { ANSWER_S = 75, ANSWER_MOST_S = 3600 };

/* How long a sweep waits for others, and a writer for a server that is started again: between
 * tries, and in all. */
enum { WAIT_FIRST_MS = 10, WAIT_MOST_MS = 1000, SWEEP_ALL_MS = 60000, RETURN_ALL_MS = 30000 };

static struct pg_value text_value(const char *text)
{
    return (struct pg_value){ PG_TEXT, str_of(text) };
}

static void sleep_ms(int64_t ms)
{
    (void)nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* ---- the address ---- */

/* Where it stands in a statement it is quoted: it may be a word of SQL's own, such as "user". */
static bool is_schema(struct str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.s[i];

        if (!(c == '_' || (c >= 'a' && c <= 'z') || (i > 0 && c >= '0' && c <= '9')))
            return false;
    }
    return name.n >= 1 && name.n <= SCHEMA_MAX;
}

/* What of an address is writ's own. */
struct own_options {
    const char *schema;
    int answer_s;
};

static bool read_schema(struct str value, struct own_options *own, struct arena *a, struct error *e)
{
    if (!is_schema(value))
        return error_set(e, CODE_IO,
                         "the schema in the ledger's address is '%.*s', allowed 1 to %d of "
                         "a-z, _ and, not first, 0-9",
                         STR_ARG(value), SCHEMA_MAX);
    own->schema = arena_text(a, value);
    return true;
}

static bool read_answer(struct str value, struct own_options *own, struct arena *a, struct error *e)
{
    int seconds = 0;

    (void)a;
    for (size_t i = 0;
         i < value.n && value.s[i] >= '0' && value.s[i] <= '9' && seconds <= ANSWER_MOST_S; i++)
        seconds = 10 * seconds + (value.s[i] - '0');
    own->answer_s = seconds;
    return (seconds >= 1 && seconds <= ANSWER_MOST_S && strspn(value.s, "0123456789") >= value.n) ||
           error_set(e, CODE_IO,
                     "answer_timeout in the ledger's address is '%.*s', allowed 1 to %d seconds",
                     STR_ARG(value), ANSWER_MOST_S);
}

static const struct {
    const char *begin;
    bool (*read)(struct str value, struct own_options *own, struct arena *a, struct error *e);
} own_readers[] = { { "schema=", read_schema }, { "answer_timeout=", read_answer } };

/* Takes ?schema=NAME and ?answer_timeout=SECONDS out of an address: libpq gets the rest. */
static bool split_address(const char *where, struct arena *a, const char **address,
                          struct own_options *own, struct error *e)
{
    _buf_ struct buf rest = { .max = ADDRESS_MAX };
    size_t n = strcspn(where, "?");
    char before = '?';

    *own = (struct own_options){ "writ", ANSWER_S };
    buf_add(&rest, where, n);
    for (const char *at = where + n; *at; at += strcspn(at, "&")) {
        struct str part = str_of(++at);
        size_t which = 0;

        part.n = strcspn(at, "&");
        while (which < COUNT(own_readers) && !str_begins(part, own_readers[which].begin))
            which++;
        if (which == COUNT(own_readers)) {
            buf_addc(&rest, before);
            buf_add(&rest, part.s, part.n);
            before = '&';
        } else {
            size_t name = strlen(own_readers[which].begin);

            if (!own_readers[which].read((struct str){ at + name, part.n - name }, own, a, e))
                return false;
        }
    }
    *address = arena_text(a, buf_str(&rest));
    return buf_ok(&rest) || error_set(e, CODE_IO, "the ledger's address has %zu bytes, at most %d",
                                      strlen(where), ADDRESS_MAX);
}

/* ---- opening ---- */

static void roll_back(struct store *store)
{
    struct error unheard;

    store->erased = false;
    store->added.size = 0;
    (void)!pg_settle(store->pg, &unheard);
    if (pg_must_end(store->pg))
        (void)!pg_ask(store->pg, SQL_ROLLBACK, NULL, 0, NULL, &unheard);
}

/* Is the ledger there? Its schema's number, 0: there is no such schema. In one that is closed to
 * who asks, nothing has a name; and a table of somebody else's may be called as one of ours, but
 * hardly two. */
static bool find(struct store *store, bool *there, struct error *e)
{
    struct pg_value name = text_value(store->place);
    _rows_ struct pg_rows rows = { 0 };

    if (!pg_ask(store->pg, SQL_FIND, &name, 1, &rows, e))
        return false;
    if (rows.count != 1 || !str_is(pg_bytes(&rows, 0, 0), "UTF8"))
        return error_set(e, CODE_IO, "%s: the database's encoding is %.*s, allowed UTF8",
                         pg_shown(store->pg), STR_ARG(pg_bytes(&rows, 0, 0)));
    store->schema = pg_int(&rows, 0, 1);
    if (store->schema && !pg_int(&rows, 0, 2))
        return error_set(e, CODE_IO,
                         "%s: permission denied for schema %s; its owner can grant that",
                         pg_shown(store->pg), store->place);
    *there = pg_int(&rows, 0, 3);
    store->tables = pg_int(&rows, 0, 4);
    return *there || store->tables < 2 ||
           error_set(e, CODE_LEDGER_DAMAGED, "%s is damaged: its table ledger is gone",
                     pg_shown(store->pg));
}

static bool make_tables(struct store *store, const struct world *world, struct error *e)
{
    struct uuid name = world->new_id(world->self);
    uint8_t version[8];
    struct pg_value row[] = { { PG_UUID, { (const char *)name.b, sizeof name.b } },
                              pg_number(VERSION, version) };

    return pg_script(store->pg, store_postgres_schema, e) &&
           pg_ask(store->pg, SQL_LEDGER, row, COUNT(row), NULL, e);
}

/* Begins a transaction, by SQL_BEGIN or SQL_LOOK, in which the tables have their names. Sent with
 * whatever is asked next. */
static bool enter(struct store *store, enum sql way, struct error *e)
{
    bool reads = store->reads || way == SQL_LOOK;
    struct pg_value settings[] = { text_value(store->place), text_value(reads ? "on" : "off"),
                                   text_value(store->reads ? "0" : "60s") };

    return pg_send(store->pg, way, NULL, 0, e) &&
           pg_send(store->pg, SQL_SETTINGS, settings, COUNT(settings), e);
}

/* Two that find nothing at the same moment make it one after the other. */
static bool make(struct store *store, const struct world *world, struct arena *a, struct error *e)
{
    const char *lock = arena_printf(
        a, "SELECT pg_advisory_xact_lock(x'77726974'::int, hashtext('%s'))", store->place);
    bool there = false;

    if (!enter(store, SQL_BEGIN, e) || !pg_script(store->pg, lock, e) || !find(store, &there, e))
        return false;
    if (store->schema == 0 &&
        !pg_script(store->pg, arena_printf(a, "CREATE SCHEMA \"%s\"", store->place), e))
        return false;
    return (there || make_tables(store, world, e)) && pg_send(store->pg, SQL_COMMIT, NULL, 0, e) &&
           pg_ask(store->pg, SQL_FLUSH, NULL, 0, NULL, e);
}

static bool know(struct store *store, struct error *e)
{
    _rows_ struct pg_rows rows = { 0 };

    if (!pg_ask(store->pg, SQL_NAME, NULL, 0, &rows, e))
        return false;
    if (rows.count != 1)
        return error_set(e, CODE_LEDGER_DAMAGED,
                         "%s is damaged: its table ledger has %d rows, allowed 1",
                         pg_shown(store->pg), rows.count);
    store->version = pg_int(&rows, 0, 1);
    if (store->version != VERSION && store->version != FORMER_VERSION)
        return error_set(e, CODE_IO,
                         "%s: the ledger has version %lld, this writ knows %d; install the writ "
                         "that made it, or a newer one",
                         pg_shown(store->pg), (long long)store->version, VERSION);
    pg_copy(&rows, 0, 0, &store->name, sizeof store->name);
    return true;
}

/* Looks for the ledger in a transaction, which goes on. */
static bool arrive(struct store *store, bool *there, struct error *e)
{
    return enter(store, SQL_LOOK, e) && find(store, there, e);
}

static bool is_missing(const struct store *store, struct error *e)
{
    return error_set(e, CODE_LEDGER_MISSING, "%s: there is no ledger in the schema %s",
                     pg_shown(store->pg), store->place);
}

/* An entry alone touches few tables: that one is missing is to be known before, not by the entry
 * that completes a block. */
static bool lacks_tables(const struct store *store, struct error *e)
{
    return error_set(e, CODE_LEDGER_DAMAGED, "%s is damaged: of its %d tables there are %d",
                     pg_shown(store->pg), TABLES, (int)store->tables);
}

static bool get_ready(struct store *store, const struct store_open *how, struct arena *a,
                      struct error *e)
{
    bool there = false;

    if (!arrive(store, &there, e))
        return false;
    if (!there && store->reads)
        return is_missing(store, e);
    if (!there) {
        roll_back(store);
        if (!make(store, how->world, a, e) || !arrive(store, &there, e))
            return false;
    }
    if (!know(store, e) || !(store->reads || store->tables == TABLES || lacks_tables(store, e)))
        return false;
    roll_back(store);
    return true;
}

static void shut(struct store *store)
{
    pg_close(store->pg);
    buf_free(&store->copy);
}

static bool open_store(const struct store_open *how, struct arena *a, struct store **out,
                       struct error *e)
{
    struct store *store = arena_new(a, struct store);
    const char *address = NULL;
    struct own_options own;

    store->copy.max = PG_BUFFER_MAX;
    store->reads = how->access == STORE_READ;
    store->world = how->world;
    if (!split_address(how->where, a, &address, &own, e) ||
        !pg_open(address, &store_postgres_book, a, &store->pg, e))
        return false;
    store->place = own.schema;
    store->answer_ms = own.answer_s * INT64_C(1000);
    pg_bound(store->pg, how->world, store->answer_ms);
    pg_show_schema(store->pg, store->place, a);
    if (!get_ready(store, how, a, e)) {
        shut(store);
        return false;
    }
    *out = store;
    return true;
}

static bool ledger_name(struct store *store, char out[UUID_TEXT], struct error *e)
{
    (void)e;
    uuid_text(&store->name, out);
    return true;
}

/* ---- coming back ---- */

/* What was committed without waiting for the disk is lost where the server was killed: the next
 * commit may not promise it any more. */
static bool has_swift(struct store *store, struct error *e)
{
    struct asked_entry last = { .seq = store->swift.size - 1 };
    _arena_ struct arena a = { 0 };

    if (store->swift.size == 0)
        return true;
    if (!store_postgres_ask_entries(store, &last, 1, &a, e))
        return false;
    return (last.there && memcmp(&last.id, &store->swift.id, sizeof last.id) == 0) ||
           error_set(e, CODE_IO, "%s: the connection was lost, and what was written last with it",
                     pg_shown(store->pg));
}

/* A server that is started again is waited for by who appends: what is to be recorded has happened.
 * Before it has, the ledger was opened, which waits for nobody. */
static bool connect_again(struct store *store, struct error *e)
{
    const struct world *w = store->world;
    int64_t until = w->mono_ms(w->self) + (store->reads ? 0 : RETURN_ALL_MS);

    for (int64_t ms = WAIT_FIRST_MS; !pg_open_again(store->pg, e); ms *= 2) {
        if (w->mono_ms(w->self) >= until)
            return false;
        ms = ms < WAIT_MOST_MS ? ms : WAIT_MOST_MS;
        sleep_ms(ms);
    }
    return true;
}

/* Another connection to the same ledger, in no transaction. It makes nothing that is missing. Until
 * all of it is well, the connection is lost. */
static bool come_back(struct store *store, struct error *e)
{
    struct uuid name = store->name;
    bool there = false;

    if (!connect_again(store, e))
        return false;
    if (arrive(store, &there, e) && (there || is_missing(store, e)) && know(store, e) &&
        (memcmp(&name, &store->name, sizeof name) == 0 ||
         error_set(e, CODE_IO, "%s: there is another ledger now", pg_shown(store->pg))) &&
        has_swift(store, e)) {
        roll_back(store);
        return true;
    }
    store->name = name;
    pg_lose(store->pg);
    return false;
}

/* ---- transactions ---- */

static bool tip_of(struct store *store, struct tip *tip, struct error *e)
{
    _rows_ struct pg_rows rows = { 0 };

    if (!pg_send(store->pg, SQL_TIP, NULL, 0, e) || !pg_wait(store->pg, &rows, e)) {
        roll_back(store);
        return false;
    }
    *tip = (struct tip){ 0 };
    if (rows.count == 0 || tip_behind(pg_int(&rows, 0, 0), pg_int(&rows, 0, 1), tip))
        return true;
    roll_back(store);
    return error_set(e, CODE_LEDGER_DAMAGED, "%s is damaged: entry %lld is not what was written",
                     pg_shown(store->pg), (long long)pg_int(&rows, 0, 0));
}

/* Each statement sees what was committed before it began: the tip, all that there is. */
static bool try_begin(struct store *store, struct tip *tip, struct error *e)
{
    uint8_t room[8];
    struct pg_value schema = pg_number(store->schema, room);

    if (!enter(store, SQL_BEGIN, e) || !pg_send(store->pg, SQL_LOCK, &schema, 1, e) ||
        !tip_of(store, tip, e))
        return false;
    if (store->version == VERSION || know(store, e)) /* another process may have renewed it */
        return true;
    roll_back(store);
    return false;
}

static bool try_look(struct store *store, struct tip *tip, struct error *e)
{
    return enter(store, SQL_LOOK, e) && tip_of(store, tip, e);
}

/* That a connection was lost since the last transaction is known when the next one is begun, which
 * has then done nothing yet. */
static bool start(struct store *store, bool (*way)(struct store *, struct tip *, struct error *),
                  struct tip *tip, struct error *e)
{
    if (way(store, tip, e))
        return true;
    if (!pg_is_lost(store->pg) || !come_back(store, e) || !way(store, tip, e))
        return false;
    tip->anew = true;
    return true;
}

static bool begin(struct store *store, struct tip *tip, struct error *e)
{
    return start(store, try_begin, tip, e);
}

static bool look(struct store *store, struct tip *tip, struct error *e)
{
    return start(store, try_look, tip, e);
}

/* Are no old versions left? The counts of a table are those of its last vacuum, and with an older
 * server they come late: only those of one after `begun` tell. */
static bool is_swept(struct store *store, struct pg_value begun, bool *swept, struct error *e)
{
    uint8_t room[8];
    struct pg_value values[] = { begun, pg_number(store->schema, room) };
    _rows_ struct pg_rows rows = { 0 };
    char vacuum[64 + SCHEMA_MAX];
    bool done;

    (void)snprintf(vacuum, sizeof vacuum, "VACUUM (SKIP_LOCKED) \"%s\".entries", store->place);
    pg_unbound(store->pg);
    done = pg_order(store->pg, vacuum, e);
    pg_bound(store->pg, store->world, store->answer_ms);
    if (!done || !pg_ask(store->pg, SQL_SWEPT, values, COUNT(values), &rows, e))
        return false;
    *swept = pg_int(&rows, 0, 0);
    return true;
}

/* VACUUM passes over what a transaction, a replica or a slot may still look at, and says nothing;
 * a table that somebody else has locked it leaves for the next try.
 * What was slept is counted: the clock may be set meanwhile. */
static bool vacuum(struct store *store, struct error *e)
{
    _rows_ struct pg_rows rows = { 0 };
    struct pg_value begun = { PG_INT, { "", 0 } };
    bool swept = false;

    if (!pg_ask(store->pg, SQL_CLOCK, NULL, 0, &rows, e))
        return false;
    begun.bytes = pg_bytes(&rows, 0, 0);
    for (int64_t ms = WAIT_FIRST_MS, waited = 0;; waited += ms, ms *= 2) {
        if (!is_swept(store, begun, &swept, e))
            return false;
        if (swept || waited >= SWEEP_ALL_MS)
            break;
        ms = ms < WAIT_MOST_MS ? ms : WAIT_MOST_MS;
        sleep_ms(ms);
    }
    return swept || error_set(e, CODE_IO, "%s: others have kept its old rows for %d seconds",
                              pg_shown(store->pg), SWEEP_ALL_MS / 1000);
}

/* The body's old version stays in the table's file until it is vacuumed, which is for the owner of
 * the table. */
static bool sweep(struct store *store, struct error *e)
{
    store->erased = false;
    if (vacuum(store, e))
        return true;
    return error_wrap(e,
                      "erased, but the bytes may still be there until the owner of %s.entries "
                      "erases it again",
                      store->place);
}

/* A COMMIT of a transaction that has failed is a silent ROLLBACK: not here. */
static bool commit(struct store *store, bool durable, struct error *e)
{
    if (!pg_goes_well(store->pg))
        return error_set(e, CODE_IO, "%s: nothing was kept, because something before it failed",
                         pg_shown(store->pg));
    if (!pg_send(store->pg, SQL_COMMIT, NULL, 0, e) ||
        (durable && !pg_send(store->pg, SQL_FLUSH, NULL, 0, e)) || !pg_wait(store->pg, NULL, e))
        return false;
    if (durable)
        store->swift.size = 0;
    else if (store->added.size)
        store->swift = store->added;
    store->added.size = 0;
    return !store->erased || sweep(store, e);
}

/* ---- version 1 ---- */

static bool is_former(const struct store *store)
{
    return store->version == FORMER_VERSION;
}

static bool renew(struct store *store, struct error *e)
{
    return pg_script(store->pg, store_postgres_renew, e);
}

const struct store_kind store_postgres = {
    .name = "postgres",
    .scheme = "postgres://",
    .open = open_store,
    .close = shut,
    .ledger_name = ledger_name,
    .begin = begin,
    .commit = commit,
    .rollback = roll_back,
    .ask_events = store_postgres_ask_events,
    .ask_entries = store_postgres_ask_entries,
    .add_entries = store_postgres_add_entries,
    .add_blocks = store_postgres_add_blocks,
    .add_checkpoint = store_postgres_add_checkpoint,
    .erase = store_postgres_erase,
    .sweep = sweep,
    .is_former = is_former,
    .read_former_rejects = store_postgres_read_former_rejects,
    .renew = renew,
    .look = look,
    .look_end = roll_back,
    .read_entries = store_postgres_read_entries,
    .read_blocks = store_postgres_read_blocks,
    .read_checkpoints = store_postgres_read_checkpoints,
    .last_checkpoint = store_postgres_last_checkpoint,
    .newest_input = store_postgres_newest_input,
    .check = store_postgres_check,
};
