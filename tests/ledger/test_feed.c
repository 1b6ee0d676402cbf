/* SPDX-License-Identifier: Apache-2.0 */
/* test_feed.c: events come in batches that memory can hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/feed.h"

/* Lines of JSON, each a text of so many bytes. */
static char *lines_of(size_t lines, size_t each)
{
    char *text = malloc(lines * each);

    assert_non_null(text);
    memset(text, 'x', lines * each);
    for (size_t i = 0; i < lines; i++) {
        text[i * each] = text[i * each + each - 2] = '"';
        text[i * each + each - 1] = '\n';
    }
    return text;
}

/* How many events each batch has; 0 ends them. */
static void cut(const struct writ_input *input, size_t *counts, size_t most)
{
    struct batch batch = { 0 };
    struct fake_world world;
    struct feed feed;
    struct error e;
    size_t n = 0;

    fake_world_init(&world, 1000);
    assert_true(feed_open(&feed, input, &e));
    do {
        assert_true(n < most);
        feed_batch(&feed, POLICY_BLOCK, &world.world, &batch);
        counts[n] = batch.n;
    } while (counts[n++] > 0);
    assert_int_equal(feed.error.code, 0);
    feed_close(&feed);
    arena_free(&batch.a);
}

static void a_batch_of_large_events_has_few(void **state)
{
    enum { EACH = 3 << 20, LINES = 14, FIT = (BATCH_BYTES + EACH - 1) / EACH };
    char *text = lines_of(LINES, EACH), path[] = "/tmp/writ-feed-XXXXXX";
    struct writ_input given = { .name = "lines", .text = text, .len = (size_t)LINES * EACH };
    struct writ_input file = { .name = path };
    size_t counts[8] = { 0 };
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, given.len), given.len);
    for (int i = 0; i < 2; i++) {
        cut(i == 0 ? &given : &file, counts, 8);
        assert_int_equal(counts[0], FIT);
        assert_int_equal(counts[1], FIT);
        assert_int_equal(counts[2], LINES - 2 * FIT);
        assert_int_equal(counts[3], 0);
    }
    (void)close(fd);
    (void)unlink(path);
    free(text);
}

static void a_batch_of_small_events_has_many(void **state)
{
    char *text = lines_of(BATCH_FIRST + 100, 10);
    struct writ_input given = { .name = "lines", .text = text, .len = (BATCH_FIRST + 100) * 10 };
    size_t counts[8] = { 0 };

    (void)state;
    cut(&given, counts, 8);
    assert_int_equal(counts[0], BATCH_FIRST);
    assert_int_equal(counts[1], 100);
    free(text);
}

/* A line that is too long, and one behind it that is not. */
static void hold(const struct writ_input *input, const struct str *line)
{
    struct batch batch = { 0 };
    struct fake_world world;
    struct feed feed;
    struct error e;
    struct digest digest = digest_of(line->s, line->n);
    const struct draft *d;

    fake_world_init(&world, 1000);
    assert_true(feed_open(&feed, input, &e));
    feed_batch(&feed, POLICY_BLOCK, &world.world, &batch);
    assert_int_equal(batch.n, 2);
    d = batch.drafts;
    assert_int_equal(d->verdict, VERDICT_REFUSED);
    assert_int_equal(d->code, CODE_CEILING);
    assert_int_equal(d->long_bytes, line->n);
    assert_memory_equal(&d->long_digest, &digest, sizeof digest);
    assert_int_equal(d->text.n, REJECT_KEPT);
    assert_memory_equal(d->text.s, line->s, REJECT_KEPT);
    assert_int_equal(batch.lines[1], 2);
    assert_int_equal(d[1].long_bytes, 0);
    assert_true(str_is(d[1].text, "7"));
    assert_true(feed.unread.cap < line->n);
    assert_int_equal(feed.error.code, 0);
    feed_close(&feed);
    arena_free(&batch.a);
}

static void of_a_line_that_is_too_long_the_beginning_is_held(void **state)
{
    enum { LINE = 67 << 20 };
    char *text = lines_of(1, LINE + 3), path[] = "/tmp/writ-feed-XXXXXX";
    struct str line = { text, LINE };
    struct writ_input given = { .name = "lines", .text = text, .len = LINE + 3 };
    struct writ_input file = { .name = path };
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    text[LINE - 1] = 'y'; /* its end is not as its beginning */
    text[LINE] = '\n';
    text[LINE + 1] = '7';
    assert_int_equal(write(fd, text, given.len), given.len);
    hold(&given, &line);
    hold(&file, &line);
    (void)close(fd);
    (void)unlink(path);
    free(text);
}

/* The first event of a text, read when it is 2023-11-14T22:13:20.123Z. */
static struct draft read_one(const char *text, struct batch *batch)
{
    struct writ_input given = { .name = "event", .text = text, .len = strlen(text) };
    struct fake_world world;
    struct feed feed;
    struct error e;

    fake_world_init(&world, 1700000000123);
    assert_true(feed_open(&feed, &given, &e));
    feed_batch(&feed, POLICY_BLOCK, &world.world, batch);
    feed_close(&feed);
    assert_int_equal(batch->n, 1);
    return batch->drafts[0];
}

#define SEEN_AT(moment)                                                                                \
    "{\"tenantId\":\"t\",\"robotId\":\"r\",\"module\":\"agent-builder\",\"source\":\"agent-builder\"," \
    "\"type\":\"execution_event\",\"state\":\"planned\",\"payload\":{\"executionId\":\"e\","           \
    "\"workflowVersion\":\"1\",\"agentVersion\":\"1\",\"executionContractVersion\":\"v1\","            \
    "\"attempt\":1,\"target\":\"t\",\"action\":\"a\",\"coherenceStatus\":\"coherent\","                \
    "\"dryRun\":true,\"snapshotAt\":\"" moment                                                         \
    "\"},\"lineage\":{\"dependsOnLedgerIds\":[\"led-1\"]}}"

static void A02_10_R_002_066_a_snapshot_of_this_millisecond_is_not_of_the_future(void **state)
{
    static const struct {
        const char *event, *made; /* made: NULL, it is refused */
    } rows[] = {
        { SEEN_AT("2023-11-14T22:13:20.122999Z"), "2023-11-14T22:13:20.123Z" },
        { SEEN_AT("2023-11-14T22:13:20.123Z"), "2023-11-14T22:13:20.123Z" },
        { SEEN_AT("2023-11-14T22:13:20.1230004Z"), "2023-11-14T22:13:20.123000400Z" },
        { SEEN_AT("2023-11-15T00:13:20.123999999+02:00"), "2023-11-14T22:13:20.123999999Z" },
        { SEEN_AT("2023-11-14T22:13:20.124Z"), NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct batch batch = { 0 };
        struct draft d = read_one(rows[i].event, &batch);

        assert_int_equal(d.verdict, rows[i].made ? VERDICT_NONE : VERDICT_REFUSED);
        if (rows[i].made) {
            assert_true(str_is(d.event.createdAt, rows[i].made));
            assert_int_equal(d.entry.created_ms, 1700000000123);
        }
        arena_free(&batch.a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_of_large_events_has_few),
        cmocka_unit_test(a_batch_of_small_events_has_many),
        cmocka_unit_test(of_a_line_that_is_too_long_the_beginning_is_held),
        cmocka_unit_test(A02_10_R_002_066_a_snapshot_of_this_millisecond_is_not_of_the_future),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
