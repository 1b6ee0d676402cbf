/* SPDX-License-Identifier: Apache-2.0 */
/* bench_apply.c: a builtin through the whole pipeline (read, bounded, digested, recorded twice,
 * durable), against the bare function with two SHA-256. The goals: 200,000 calls a second, and at
 * least a tenth of the bare function's speed. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include <writ/writ.h>

#include "base/digest.h"
#include "base/fs.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "executor/builtin.h"
#include "race.h"

enum { CALLS = 60000, TURNS = 5 };

static char state[] = "/tmp/writ-bench-XXXXXX";
static struct buf lines = { .max = 64 << 20 };
static struct arena arena;
static const struct builtin *row;
static const struct doc **payloads;

static void make_payloads(void)
{
    struct ceilings max = ceilings_default();
    const char *at;
    size_t n = 0;

    row = builtin_named(str_of("json_merge"));
    for (int i = 0; i < CALLS; i++)
        buf_addf(
            &lines,
            "{\"patch\":{\"b\":null,\"c\":{\"n\":%d}},\"target\":{\"a\":\"text %d\",\"b\":[1,2,3]}}\n",
            i, i);
    payloads = arena_alloc(&arena, CALLS * sizeof *payloads);
    at = lines.s;
    while (n < CALLS) {
        const char *end = strchr(at, '\n');
        const struct document *document;
        struct error e;
        bool ok = json_read("payload", (struct str){ at, (size_t)(end - at) }, &max, &arena,
                            &document, &e);

        assert(ok);
        payloads[n++] = &document->root;
        at = end + 1;
    }
}

/* The function, its output in canonical form, and the digests of both sides. */
static void run_bare(void)
{
    struct arena a = { 0 };
    struct buf canon = { .max = 1 << 20 };
    const char *at = lines.s;

    for (int i = 0; i < CALLS; i++) {
        const char *end = strchr(at, '\n');
        struct work w = { .left = 1 << 30 };
        const struct doc *output;
        struct error e;
        struct str both[2];
        struct digest digests[2];
        bool ok = row->execute(payloads[i], &w, &a, &output, &e);

        assert(ok);
        buf_reset(&canon);
        json_canon(output, &a, &canon);
        both[0] = (struct str){ at, (size_t)(end - at) };
        both[1] = buf_str(&canon);
        digest_many(both, digests, 2);
        at = end + 1;
        arena_reset(&a);
    }
    buf_free(&canon);
    arena_free(&a);
}

static bool heard(void *self, const char *line, size_t len)
{
    int *n = self;

    (void)line, (void)len;
    (*n)++;
    return true;
}

static void run_pipeline(void)
{
    char place[64];
    const char *const environment[] = { place, NULL };
    const struct writ_input payload = { "payloads", lines.s, lines.len };
    const struct writ_action action = {
        .executor = row->id, .payload = &payload, .environment = environment, .lines = true
    };
    int answered = 0, status;

    (void)snprintf(place, sizeof place, "WRIT_STATE=%s", state);
    status = writ_apply(&action, heard, &answered);
    assert(status == WRIT_OK && answered == CALLS);
}

int main(void)
{
    struct runner runners[] = { { .name = "bare function, two SHA-256", .run = run_bare },
                                { .name = "writ apply: the pipeline, recorded",
                                  .run = run_pipeline } };
    struct error e;
    double bare, whole;

    if (!mkdtemp(state))
        return 1;
    make_payloads();
    race_measure(runners, COUNT(runners), TURNS, 1);
    bare = race_median(&runners[0]) / CALLS;
    whole = race_median(&runners[1]) / CALLS;
    printf("a builtin (json_merge), %d calls, recorded in batches of 1,000\n", CALLS);
    printf("  %-44s %9.0f ns\n", runners[0].name, bare);
    printf("  %-44s %9.0f ns %8.2f x (goal 0.10)\n", runners[1].name, whole, bare / whole);
    printf("  calls a second: %.0f (goal 200000)\n", 1e9 / whole);
    (void)!fs_remove(state, &e);
    return 0;
}
