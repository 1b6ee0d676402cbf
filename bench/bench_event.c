/* SPDX-License-Identifier: Apache-2.0 */
/* bench_event.c: one execution event, read, checked, canonicalised and hashed, against jansson's
 * parse alone. The goal: at least 5 times faster. */
#include <assert.h>
#include <jansson.h>
#include <string.h>

#include "base/digest.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "contract/event_doc.h"
#include "event_text.h"
#include "race.h"

static struct arena arena;
static struct buf canon = { .max = 1 << 20 };
static const struct document *document;

static void run_jansson(void)
{
    json_error_t e;
    json_t *j = json_loadb(event_text, strlen(event_text), JSON_REJECT_DUPLICATES, &e);

    assert(j);
    json_decref(j);
}

static void run_read(void)
{
    struct ceilings max = ceilings_default();
    struct error e;
    bool ok;

    arena_reset(&arena);
    ok = json_read("event", str_of(event_text), &max, &arena, &document, &e);
    assert(ok);
}

static void run_check(void)
{
    struct report r = report_new(&arena, "event", document->text);
    struct event_doc event = { 0 };
    bool ok = shape_decode(&event_shape, &document->root, &r, &event);

    assert(ok && r.warnings == 0);
}

static void run_all(void)
{
    run_read();
    run_check();
    buf_reset(&canon);
    json_canon(&document->root, &arena, &canon);
    (void)digest_of(canon.s, canon.len);
}

static void run_read_and_check(void)
{
    run_read();
    run_check();
}

static void run_read_and_canon(void)
{
    run_read();
    buf_reset(&canon);
    json_canon(&document->root, &arena, &canon);
}

static void run_digest(void)
{
    (void)digest_of(canon.s, canon.len);
}

int main(void)
{
    enum { CALLS = 500 };
    struct runner runners[] = {
        { "jansson: parse", run_jansson },
        { "writ: parse, check, canon, SHA-256", run_all },
        { "writ: parse", run_read },
        { "writ: parse, check", run_read_and_check },
        { "writ: parse, canon", run_read_and_canon },
        { "writ: SHA-256 of the canonical bytes", run_digest },
    };
    char title[100];

    (void)snprintf(title, sizeof title, "one execution event of %zu bytes", strlen(event_text));
    race(title, runners, sizeof runners / sizeof runners[0], CALLS);
    printf("  goal: writ at least 5 x jansson's parse alone\n");
    arena_free(&arena);
    buf_free(&canon);
    return 0;
}
