/* SPDX-License-Identifier: Apache-2.0 */
/* review.c: the checks of the review gate, in order. */
#include "executor/review.h"

#include <inttypes.h>
#include <string.h>

#include "base/json_write.h"
#include "base/utf8.h"
#include "contract/semver.h"
#include "executor/builtin.h"
#include "executor/shelf.h"

/* clang-format off */
const struct review_row review_rows[REVIEW_COUNT] = {
    [REVIEW_ID]           = { "id",           "R-003-062", "The id is there and nobody else has it." },
    [REVIEW_VERSION]      = { "version",      "R-003-063", "The version is X.Y.Z and higher than those that are registered." },
    [REVIEW_CAPABILITIES] = { "capabilities", "R-003-064", "The capabilities are declared." },
    [REVIEW_LIMITS]       = { "limits",       "R-003-065", "All four limits are there." },
    [REVIEW_FIXTURES]     = { "fixtures",     "R-003-068", "There is at least one call to try." },
    [REVIEW_OUTPUTS]      = { "outputs",      "R-003-067", "Each fixture comes to what it says." },
    [REVIEW_SAME]         = { "determinism",  "R-003-066", "A second worker, asked twice each in the opposite order, gives the same digests." },
};

static const struct column columns[] = {
    { "name",        COLUMN_TEXT, offsetof(struct review_row, name) },
    { "requirement", COLUMN_TEXT, offsetof(struct review_row, req) },
    { "holds",       COLUMN_TEXT, offsetof(struct review_row, holds) },
};
/* clang-format on */

const struct table review_table = {
    .name = "review",
    .about = "What the review gate checks before an executor is accepted, from contract 003.",
    COLUMNS(columns),
    .keys = 1,
    ROWS(review_rows),
};

enum { TOLD_MOST = 200 }; /* bytes of what an executor returned or said */

/* What a check says: NULL where it could not be made. */
struct said {
    bool ok;
    const char *detail;
};

static struct said yes(const char *detail)
{
    return (struct said){ true, detail };
}

static struct said no(const char *detail)
{
    return (struct said){ false, detail };
}

/* ---- what the manifest says ---- */

static struct said check_id(struct review *r, struct arena *a, struct error *e)
{
    struct str id = r->candidate->id;

    (void)e;
    if (builtin_named(id))
        return no(arena_printf(a, "%.*s ships with writ; choose another id", STR_ARG(id)));
    return yes(arena_printf(a, "%.*s", STR_ARG(id)));
}

static struct said check_version(struct review *r, struct arena *a, struct error *e)
{
    const struct executor *x = r->candidate, *there;
    struct semver own, newest;
    struct error damaged;

    if (!shelf_find(r->shelf, x->id, x->version, a, &there, e))
        return no(NULL);
    if (there)
        return no(arena_printf(a, "%.*s %.*s is registered and stays as it is; raise the version",
                               STR_ARG(x->id), STR_ARG(x->version)));
    if (!shelf_find(r->shelf, x->id, (struct str){ 0 }, a, &there, &damaged))
        there = NULL; /* the newest is not what was approved: the next takes its place */
    if (there && semver_read(x->version, &own) && semver_read(there->version, &newest) &&
        semver_cmp(&own, &newest) < 0)
        return no(arena_printf(a, "%.*s is lower than %.*s, which is registered; raise the version",
                               STR_ARG(x->version), STR_ARG(there->version)));
    return yes(arena_printf(a, "%.*s", STR_ARG(x->version)));
}

static struct said check_capabilities(struct review *r, struct arena *a, struct error *e)
{
    const struct str *all = r->candidate->capabilities.v;
    _buf_ struct buf line = { .max = 1 << 16 };

    (void)e;
    for (size_t i = 0; i < r->candidate->capabilities.n; i++)
        buf_addf(&line, "%s%.*s", i ? " " : "", STR_ARG(all[i]));
    return yes(line.len ? arena_text(a, buf_str(&line)) : "none");
}

static struct said check_limits(struct review *r, struct arena *a, struct error *e)
{
    const struct executor_limits *l = &r->candidate->limits;

    (void)e;
    return yes(
        arena_printf(a, "%" PRId64 " ms, %" PRId64 " bytes, depth %" PRId64 ", lists of %" PRId64,
                     l->timeout_ms, l->max_payload_bytes, l->max_depth, l->max_list_items));
}

static struct said check_fixtures(struct review *r, struct arena *a, struct error *e)
{
    (void)e;
    if (r->fixture_count == 0)
        return no("fixtures has no call; without one nothing can be tried");
    return yes(arena_printf(a, "%zu", r->fixture_count));
}

/* ---- what a trial says ---- */

/* What comes of a trial is in the review, and with it in the ledger. */
static bool heard(void *self, const struct audit_doc *records, size_t n, struct error *e)
{
    (void)self, (void)records, (void)n, (void)e;
    return true;
}

static struct str payload_text(const struct fixture_doc *f, struct arena *a)
{
    _buf_ struct buf text = { .max = OUTPUT_BYTES };

    json_doc(&text, f->payload);
    return (struct str){ arena_text(a, buf_str(&text)), text.len };
}

/* Every fixture in one worker, forwards once or backwards twice in a row each. */
static bool try_all(struct review *r, bool backwards, struct tried *out, struct arena *a,
                    struct error *e)
{
    size_t times = backwards ? 2 : 1;
    static const struct auditor nobody = { heard, NULL };
    struct pipeline p = { .executor = r->candidate,
                          .auditor = &nobody,
                          .world = r->world,
                          .worker = r->worker,
                          .deliver = true };
    bool ok = pipeline_open(&p, e);

    for (size_t i = 0; ok && i < r->fixture_count * times; i++) {
        size_t n = backwards ? r->fixture_count * times - 1 - i : i;
        struct action action = { .payload = payload_text(&r->fixtures[n / times], a) };

        ok = pipeline_apply(&p, &action, 1, a, e);
        out[n] = (struct tried){ action.result.input_digest,
                                 action.result.output_digest,
                                 (enum action_status)action.result.status,
                                 action.detail,
                                 action.output,
                                 action.words };
    }
    pipeline_close(&p);
    return ok;
}

static bool same_text(struct str a, struct str b)
{
    return a.s && b.s ? str_eq(a, b) : !a.s && !b.s;
}

static struct str digest_wanted(const struct fixture_doc *f, struct arena *a)
{
    _buf_ struct buf canon = { .max = OUTPUT_BYTES };
    char *text = arena_alloc(a, DIGEST_TEXT);
    struct digest digest;

    json_canon(f->output, a, &canon);
    digest = digest_of(canon.s, canon.len);
    digest_text(&digest, text);
    return (struct str){ text, DIGEST_TEXT - 1 };
}

/* Behind ": ", where there is something, and not all of something long. */
static const char *told(struct str text, struct arena *a)
{
    bool cut = text.n > TOLD_MOST;

    text.n = cut ? utf8_valid((struct str){ text.s, TOLD_MOST }) : text.n;
    return text.n ? arena_printf(a, ": %.*s%s", STR_ARG(text), cut ? ".." : "") : "";
}

/* Why a fixture is not what it should be, or NULL. */
static const char *fault_of(const struct fixture_doc *f, const struct tried *t, size_t n,
                            struct arena *a)
{
    if ((int)t->status != f->status)
        return arena_printf(a, "fixture %zu came to %s, expected %s%s%s%s%s", n,
                            action_status_names[t->status], action_status_names[f->status],
                            t->detail ? ": " : "", t->detail ? t->detail : "", told(t->words, a),
                            told(t->output, a));
    if (f->nothing && t->output_digest.s)
        return arena_printf(a, "fixture %zu returned an output, expected nothing%s", n,
                            told(t->output, a));
    if (f->output && !t->output_digest.s)
        return arena_printf(a, "fixture %zu returned nothing, expected an output", n);
    if (f->output && !str_eq(t->output_digest, digest_wanted(f, a)))
        return arena_printf(a, "fixture %zu returned another output than it says%s", n,
                            told(t->output, a));
    return NULL;
}

static struct said check_outputs(struct review *r, struct arena *a, struct error *e)
{
    r->tried = arena_alloc(a, r->fixture_count * sizeof *r->tried);
    if (!try_all(r, false, r->tried, a, e))
        return no(NULL);
    for (size_t i = 0; i < r->fixture_count; i++) {
        const char *fault = fault_of(&r->fixtures[i], &r->tried[i], i, a);

        if (fault)
            return no(fault);
    }
    return yes("as the fixtures say");
}

static struct said check_same(struct review *r, struct arena *a, struct error *e)
{
    struct tried *again = arena_alloc(a, 2 * r->fixture_count * sizeof *again);

    if (!try_all(r, true, again, a, e))
        return no(NULL);
    for (size_t i = 0; i < 2 * r->fixture_count; i++)
        if (again[i].status != r->tried[i / 2].status ||
            !same_text(again[i].output_digest, r->tried[i / 2].output_digest))
            return no(arena_printf(a, "fixture %zu gave two different outputs", i / 2));
    return yes("two workers, the same digests");
}

bool review_run(struct review *r, struct arena *a, struct error *e)
{
    static struct said (*const checks[])(struct review *, struct arena *, struct error *) = {
        [REVIEW_ID] = check_id,
        [REVIEW_VERSION] = check_version,
        [REVIEW_CAPABILITIES] = check_capabilities,
        [REVIEW_LIMITS] = check_limits,
        [REVIEW_FIXTURES] = check_fixtures,
        [REVIEW_OUTPUTS] = check_outputs,
        [REVIEW_SAME] = check_same,
    };

    for (r->checked = 0; r->checked < REVIEW_COUNT;) {
        struct said said = checks[r->checked](r, a, e);

        if (!said.detail)
            return false;
        r->detail[r->checked++] = said.detail;
        if (!said.ok)
            return true;
    }
    r->accepted = true;
    return true;
}
