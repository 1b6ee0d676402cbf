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

static void assert_meets(const char *const *a, const char *const *b, enum bare_port bare,
                         const char *const *expected)
{
    _arena_ struct arena arena = { 0 };
    struct str one[MOST], two[MOST];
    struct items left = items_of(a, one), right = items_of(b, two);
    struct items both = hosts_meet(&left, &right, bare, &arena);
    const struct str *texts = both.v;
    size_t n = 0;

    for (; expected[n]; n++) {
        assert_true(n < both.n);
        assert_true(str_is(texts[n], expected[n]));
    }
    assert_int_equal(both.n, n);
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
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_meets(rows[i].a, rows[i].b, BARE_IS_USUAL, rows[i].both);
}

/* A01-8: who allows a host at every port, and who allows one port of it, allow that port. */
static void where_an_entry_without_a_port_means_every_port_one_port_is_left(void **state)
{
    static const struct {
        const char *a[MOST], *b[MOST], *both[MOST];
    } rows[] = {
        { { "x.org" }, { "x.org" }, { "x.org" } },
        { { "x.org" }, { "x.org:8443" }, { "x.org:8443" } },
        { { "x.org:8443" }, { "x.org" }, { "x.org:8443" } },
        { { "x.org:8443" }, { "x.org:443" }, { NULL } },
        { { "*.x.org" }, { "a.x.org:8443" }, { "a.x.org:8443" } },
        { { "*.x.org:8443" }, { "a.x.org" }, { "a.x.org:8443" } },
        { { "127.0.0.1" }, { "127.0.0.1:9000" }, { "127.0.0.1:9000" } },
        { { "::1" }, { "[::1]:9000" }, { "[::1]:9000" } },
        { { "127.0.0.1" }, { "127.0.0.2:9000" }, { NULL } },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_meets(rows[i].a, rows[i].b, BARE_IS_ANY, rows[i].both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_allowed_is_what_both_allow),
        cmocka_unit_test(where_an_entry_without_a_port_means_every_port_one_port_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
