/* SPDX-License-Identifier: Apache-2.0 */
/* test_cache_many.c: many processes put, get, list and clear at once; nobody sees half a value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "adapter/cache.h"
#include "base/fs.h"
#include "base/mem.h"

enum { PROCESSES = 16, ROUNDS = 400, KEYS = 4, LARGEST = 300000 };

static const int64_t now_ms = INT64_C(1700000000000);

/* A value is one byte many times over; how often, the byte tells. */
static struct str value_of(int which, char *room)
{
    size_t n = (size_t)(1 + which * which * 7) % LARGEST;

    memset(room, which, n);
    return (struct str){ room, n };
}

static bool whole(struct str got)
{
    size_t n = got.n ? (size_t)(1 + got.s[0] * got.s[0] * 7) % LARGEST : 1;

    for (size_t i = 0; i < got.n; i++)
        if (got.s[i] != got.s[0])
            return false;
    return got.n == n;
}

static struct digest key(int i)
{
    struct str text = str_of(i % KEYS == 0 ? "a" : i % KEYS == 1 ? "b" : i % KEYS == 2 ? "c" : "d");

    return cache_key(&text, 1);
}

enum ending { FINE, PUT_FAILED, HALF_A_VALUE, LIST_FAILED, CLEAR_FAILED };

static enum ending work(const struct cache_place *p, int self)
{
    char *room = mem_zeroed(LARGEST);
    enum ending how = FINE;

    for (int i = 0; i < ROUNDS && how == FINE; i++) {
        _arena_ struct arena a = { 0 };
        struct digest k = key(i);
        struct cache_items items;
        struct error e;
        struct str got;
        size_t removed;

        if (self % 2 == 0 && !cache_put(p, CACHE_RESULTS, &k, value_of((i + self) % 120, room), &e))
            how = PUT_FAILED;
        else if (cache_get(p, CACHE_RESULTS, &k, &a, &got) && !whole(got))
            how = HALF_A_VALUE;
        else if (self == 1 && !cache_list(p, &a, &items, &e))
            how = LIST_FAILED;
        else if (self == 3 && i % 20 == 0 && !cache_clear(p, -1, &removed, &e))
            how = CLEAR_FAILED;
    }
    free(room);
    return how;
}

static void R_001_156_sixteen_processes_never_see_half_a_value(void **state)
{
    char directory[] = "/tmp/writ-cache-XXXXXX";
    struct cache_place p = { NULL, "shared", now_ms };
    _arena_ struct arena a = { 0 };
    pid_t pids[PROCESSES];
    struct digest k = key(0);
    struct error e;
    struct str got;
    char byte = 1;

    (void)state;
    assert_non_null(mkdtemp(directory));
    p.directory = arena_printf(&a, "%s/cache", directory);
    for (int i = 0; i < PROCESSES; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0)
            _exit(work(&p, i));
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;

        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), FINE);
    }
    assert_true(cache_put(&p, CACHE_RESULTS, &k, (struct str){ &byte, 1 }, &e));
    assert_true(cache_get(&p, CACHE_RESULTS, &k, &a, &got));
    assert_true(fs_remove(directory, &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_156_sixteen_processes_never_see_half_a_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
