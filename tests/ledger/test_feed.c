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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_of_large_events_has_few),
        cmocka_unit_test(a_batch_of_small_events_has_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
