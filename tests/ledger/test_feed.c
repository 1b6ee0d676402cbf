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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_of_large_events_has_few),
        cmocka_unit_test(a_batch_of_small_events_has_many),
        cmocka_unit_test(of_a_line_that_is_too_long_the_beginning_is_held),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
