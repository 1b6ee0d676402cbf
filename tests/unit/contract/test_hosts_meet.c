/* SPDX-License-Identifier: Apache-2.0 */
/* test_hosts_meet.c: what two lists of hosts have in common. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/hosts_meet.h"

enum { MOST = 4 };

static struct items items_of(const char *const *texts, struct str *room)
{
    struct items out = { room, 0 };

    for (; texts[out.n]; out.n++)
        room[out.n] = str_of(texts[out.n]);
    return out;
}

/* A01-8: the intersection of what is allowed. */
static void what_is_allowed_is_what_both_allow(void **state)
{
    static const struct {
        const char *a[MOST], *b[MOST], *both[MOST];
    } rows[] = {
        { { "x.org" }, { "x.org" }, { "x.org" } },
        { { "x.org" }, { "X.org" }, { "X.org" } },
        { { "x.org" }, { "y.org" }, { NULL } },
        { { "x.org" }, { NULL }, { NULL } },
        { { "*.x.org" }, { "x.org" }, { NULL } },
        { { "*.x.org" }, { "a.x.org" }, { "a.x.org" } },
        { { "a.x.org" }, { "*.x.org" }, { "a.x.org" } },
        { { "*.x.org" }, { "*.a.x.org" }, { "*.a.x.org" } },
        { { "*.x.org" }, { "*.x.org" }, { "*.x.org" } },
        { { "*.x.org" }, { "*.y.org" }, { NULL } },
        { { "x.org" }, { "x.org:443" }, { "x.org:443" } },
        { { "x.org:443" }, { "x.org" }, { "x.org:443" } },
        { { "x.org:8443" }, { "x.org" }, { NULL } },
        { { "x.org:8443" }, { "x.org:8443" }, { "x.org:8443" } },
        { { "*.x.org:443" }, { "a.x.org" }, { "a.x.org:443" } },
        { { "[::1]:80" }, { "[::1]:80" }, { "[::1]:80" } },
        { { "x.org", "y.org" }, { "y.org", "z.org" }, { "y.org" } },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };
        struct str one[MOST], two[MOST];
        struct items left = items_of(rows[i].a, one), right = items_of(rows[i].b, two);
        struct items both = hosts_meet(&left, &right, &a);
        const struct str *texts = both.v;
        size_t n = 0;

        for (; rows[i].both[n]; n++) {
            assert_true(n < both.n);
            assert_true(str_is(texts[n], rows[i].both[n]));
        }
        assert_int_equal(both.n, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_allowed_is_what_both_allow) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
