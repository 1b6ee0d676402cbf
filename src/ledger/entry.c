/* SPDX-License-Identifier: Apache-2.0 */
/* entry.c: the kinds of entries, their names, headers and leaves. */
#include "ledger/entry.h"

#include <string.h>

#include "base/json_write.h"
#include "base/stamp.h"
#include "base/stir.h"

/* clang-format off */
const char *const entry_kind_names[] = {
    [ENTRY_INPUT]      = "input",
    [ENTRY_EVENT]      = "execution_event",
    [ENTRY_AUDIT]      = "action_audit",
    [ENTRY_MANIFEST]   = "manifest",
    [ENTRY_RESULT]     = "plan_result",
    [ENTRY_APPROVAL]   = "approval",
    [ENTRY_NOTE]       = "note",
    [ENTRY_REFUSAL]    = "refusal",
    [ENTRY_KIND_COUNT] = NULL,
};

static const struct entry_kind_row {
    int kind; /* enum entry_kind */
    const char *holds;
} entry_kinds[ENTRY_KIND_COUNT] = {
    { ENTRY_INPUT,    "A document that executions depend on: a plan, request or adapter, files by digest." },
    { ENTRY_EVENT,    "A state of an execution, with what it rests on; contract 002." },
    { ENTRY_AUDIT,    "A call of an executor, as digests; contract 003." },
    { ENTRY_MANIFEST, "The limits of one run, what it did and what it left behind." },
    { ENTRY_RESULT,   "What became of a plan; contract 004." },
    { ENTRY_APPROVAL, "Who allowed what, and why." },
    { ENTRY_NOTE,     "What was done to the ledger itself, such as erasing a body." },
    { ENTRY_REFUSAL,  "What the ledger refused, and why: the text as it came, or its first 64 KiB." },
};

static const struct column kind_columns[] = {
    { "kind",  COLUMN_NAME, offsetof(struct entry_kind_row, kind), entry_kind_names },
    { "holds", COLUMN_TEXT, offsetof(struct entry_kind_row, holds) },
};
/* clang-format on */

const struct table entry_kinds_table = {
    .name = "entries",
    .about = "The kinds of entries in a ledger.",
    COLUMNS(kind_columns),
    .keys = 1,
    ROWS(entry_kinds),
};

/* ---- traits ---- */

int64_t traits_pack(const struct traits *t)
{
    return (int64_t)t->snapshot_sub << 8 | (int64_t)t->retryable << 5 | (int64_t)t->dry_run << 4 |
           (int64_t)t->policy << 2 | (int64_t)t->coherence;
}

void traits_unpack(int64_t packed, struct traits *t)
{
    t->coherence = (enum coherence)(packed & 3);
    t->policy = (enum policy)(packed >> 2 & 3);
    t->dry_run = packed >> 4 & 1;
    t->retryable = packed >> 5 & 1;
    t->snapshot_sub = (uint32_t)(packed >> 8);
}

bool entry_same_execution(const struct entry *a, const struct entry *b)
{
    return a->kind == b->kind && str_eq(a->subject, b->subject) && str_eq(a->robot, b->robot) &&
           str_eq(a->tenant, b->tenant);
}

bool entry_stands(const struct entry *entry)
{
    const struct traits *t = &entry->traits;

    if ((unsigned)entry->kind >= ENTRY_KIND_COUNT)
        return false;
    if (entry->kind == ENTRY_REFUSAL)
        return entry->place >= 0 && t->snapshot_ms == 0 && traits_pack(t) == 0;
    if (entry->kind != ENTRY_EVENT)
        return entry->robot.n == 0 && entry->place == 0 && t->snapshot_ms == 0 &&
               traits_pack(t) == 0;
    return entry->place >= 0 && place_state(entry->place) < EVENT_STATE_COUNT &&
           (unsigned)t->coherence < COHERENCE_COUNT && (unsigned)t->policy < POLICY_COUNT;
}

/* ---- ids ---- */

static const char prefix[] = "led-";

void entry_id_text(const struct uuid *id, char out[ENTRY_ID_TEXT])
{
    memcpy(out, prefix, sizeof prefix - 1);
    uuid_text(id, out + sizeof prefix - 1);
}

bool entry_id_read(struct str text, struct uuid *out)
{
    size_t n = sizeof prefix - 1;

    if (text.n != ENTRY_ID_TEXT - 1 || memcmp(text.s, prefix, n) != 0)
        return false;
    return uuid_v4((struct str){ text.s + n, text.n - n }, out);
}

/* The random half of an id, stirred: what hides the seq in the other half. */
static uint64_t veil(const struct uuid *id)
{
    uint64_t x = 0;

    for (int i = 8; i < UUID_BYTES; i++)
        x = x << 8 | id->b[i];
    return stir(x + STIR_STEP);
}

enum { SEQ_BYTES = SEQ_BITS / 8 };

void entry_id_make(int64_t seq, struct uuid *id)
{
    uint64_t hidden;

    *id = uuid_of(*id);
    hidden = (uint64_t)seq ^ veil(id);
    for (int i = 0; i < SEQ_BYTES; i++)
        id->b[i] = (uint8_t)(hidden >> 8 * i);
}

int64_t entry_id_seq(const struct uuid *id)
{
    uint64_t hidden = 0;

    for (int i = 0; i < SEQ_BYTES; i++)
        hidden |= (uint64_t)id->b[i] << 8 * i;
    return (int64_t)((hidden ^ veil(id)) & (((uint64_t)1 << 8 * SEQ_BYTES) - 1));
}

/* ---- header and leaf ---- */

/* A header is written for every entry that is appended or verified: what is fixed is copied, and
 * only texts of others go through the writer that escapes. */
static void put_digest(struct buf *to, const char *key, const struct digest *d)
{
    char text[DIGEST_TEXT];

    digest_text(d, text);
    buf_adds(to, key);
    buf_add(to, text, DIGEST_TEXT - 1);
}

static void put_stamp(struct buf *to, const char *key, int64_t ms)
{
    char text[STAMP_TEXT];

    stamp_text(ms, text);
    buf_adds(to, key);
    buf_add(to, text, STAMP_TEXT - 1);
}

static void put_text(struct buf *to, const char *key, struct str text)
{
    buf_adds(to, key);
    json_text(to, text); /* behind a colon it adds no comma */
}

static void put_int(struct buf *to, const char *key, int64_t n)
{
    buf_adds(to, key);
    json_int(to, n);
}

static void put_event(const struct entry *entry, struct buf *to)
{
    put_int(to, ",\"event\":{\"attempt\":", place_attempt(entry->place));
    put_text(to, ",\"robot\":", entry->robot);
    put_int(to, ",\"snapshot\":", entry->traits.snapshot_ms);
    buf_adds(to, ",\"state\":\"");
    buf_adds(to, event_state_names[place_state(entry->place)]);
    put_int(to, "\",\"traits\":", traits_pack(&entry->traits));
    buf_addc(to, '}');
}

/* Code and size stay known when the text is erased. */
static void put_refused(const struct entry *entry, struct buf *to)
{
    put_int(to, ",\"refused\":{\"bytes\":", entry->place);
    put_text(to, ",\"code\":", entry->robot);
    buf_addc(to, '}');
}

/* The members are in the order RFC 8785 sorts them: that makes it canonical. */
void entry_header(const struct entry *entry, struct buf *to)
{
    char id[ENTRY_ID_TEXT];

    put_digest(to, "{\"body_digest\":\"", &entry->body_digest);
    put_digest(to, "\",\"content_digest\":\"", &entry->content);
    put_stamp(to, "\",\"createdAt\":\"", entry->created_ms);
    buf_addc(to, '"');
    if (entry->kind == ENTRY_EVENT)
        put_event(entry, to);
    entry_id_text(&entry->id, id);
    buf_adds(to, ",\"id\":\"");
    buf_add(to, id, ENTRY_ID_TEXT - 1);
    buf_adds(to, "\",\"kind\":\"");
    buf_adds(to, entry_kind_names[entry->kind]);
    put_stamp(to, "\",\"recordedAt\":\"", entry->recorded_ms);
    buf_addc(to, '"');
    if (entry->kind == ENTRY_REFUSAL)
        put_refused(entry, to);
    put_int(to, ",\"seq\":", entry->seq);
    put_text(to, ",\"subject\":", entry->subject);
    put_text(to, ",\"tenant\":", entry->tenant);
    buf_adds(to, ",\"v\":1}");
}

/* A header is longest with the highest seq; all else in it but the names has one length, or less
 * than the FIXED bytes. Each byte of a name may become six. */
bool entry_header_fits(const struct entry *entry)
{
    enum { FIXED = 1024 };
    _buf_ struct buf text = { .max = HEADER_ENTERED };
    struct entry last = *entry;

    if (6 * (entry->subject.n + entry->tenant.n + entry->robot.n) + FIXED <= HEADER_ENTERED)
        return true;
    last.seq = ((int64_t)1 << SEQ_BITS) - 1;
    entry_header(&last, &text);
    return buf_ok(&text);
}

/* So many headers are written, and then hashed together: fewer where they are long. */
enum { AT_ONCE = 64, AT_ONCE_BYTES = 64 << 10 };

/* How many headers there is room for; each ends at its `ends`. */
static size_t put_headers(const struct entry *entries, size_t n, struct buf *to, size_t *ends)
{
    size_t count = 0;

    buf_reset(to);
    while (count < n && count < AT_ONCE && to->len < AT_ONCE_BYTES) {
        buf_addc(to, '\0'); /* the mark of a leaf in RFC 6962 */
        if (entry_stands(&entries[count]))
            entry_header(&entries[count], to);
        if (!buf_ok(to)) /* its beginning alone would say nothing of the rest */
            break;
        ends[count++] = to->len;
    }
    return count;
}

/* A header that has no room behind others gets all of it, as when it was entered alone. */
size_t entry_leaves(const struct entry *entries, size_t n, struct buf *scratch,
                    struct digest *leaves)
{
    size_t ends[AT_ONCE], made = 0, count;
    struct str texts[AT_ONCE];

    while (made < n && (count = put_headers(&entries[made], n - made, scratch, ends)) > 0) {
        for (size_t k = 0, from = 0; k < count; from = ends[k++])
            texts[k] = (struct str){ scratch->s + from, ends[k] - from };
        digest_many(texts, &leaves[made], count);
        made += count;
    }
    return made;
}

struct digest entry_body_digest(const uint8_t salt[SALT_BYTES], struct str body)
{
    struct sha256 sum;

    sha256_begin(&sum);
    sha256_add(&sum, salt, SALT_BYTES);
    sha256_add(&sum, body.s, body.n);
    return sha256_end(&sum);
}
