/* SPDX-License-Identifier: Apache-2.0 */
/* test_hosts.c: which hosts a run reaches, by its level and its lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "contract/hosts.h"

struct lists {
    const char *allow[4], *deny[4];
};

static size_t list_of(const char *const from[4], struct str to[4])
{
    size_t n = 0;

    for (; n < 4 && from[n]; n++)
        to[n] = str_of(from[n]);
    return n;
}

/* "yes" or "no", and the rule. A text that is no host is "none". */
static const char *judged(enum net_level level, const struct lists *lists, struct str name,
                          uint16_t port)
{
    static char out[300];
    _arena_ struct arena a = { 0 };
    struct str allow[4], deny[4];
    struct hosts hosts = { level, allow, deny, list_of(lists->allow, allow),
                           list_of(lists->deny, deny) };
    struct host host;
    struct host_verdict v;

    if (host_read(name, port, &host))
        return "none";
    v = hosts_judge(&hosts, &host, &a);
    (void)snprintf(out, sizeof out, "%s: %s", v.refused ? host_refusals[v.refused].name : "yes",
                   v.rule);
    return out;
}

static bool passes(enum net_level level, const struct lists *lists, const char *name, uint16_t port)
{
    return strncmp(judged(level, lists, str_of(name), port), "yes", 3) == 0;
}

/* ---- names ---- */

static void N11_a_name_is_compared_in_its_one_form(void **state)
{
    static const struct lists lists = { { "allowed.com", "xn--bcher-kva.example" } };
    static const struct {
        struct str name;
        bool reached;
    } rows[] = {
#define ROW(text, reached) { { text, sizeof text - 1 }, reached }
        ROW("allowed.com", true),
        ROW("ALLOWED.com", true),
        ROW("ALLOWED.com.", true),
        ROW("xn--bcher-kva.example", true),
        ROW("XN--BCHER-KVA.example", true),
        ROW("allowed.com..", false),
        ROW(".allowed.com", false),
        ROW("allowed..com", false),
        ROW("b\xc3\xbc"
            "cher.example",
            false),
        ROW("allowed.com@evil.com", false),
        ROW("evil.com@allowed.com", false),
        ROW("allowed.com\0.evil.com", false),
        ROW("allowed.com\0", false),
        ROW("evil.com#allowed.com", false),
        ROW("evil.com/allowed.com", false),
        ROW("evil.com?allowed.com", false),
        ROW("evil.com\\allowed.com", false),
        ROW("allowed%2ecom", false),
        ROW("allowed%2Ecom", false),
        ROW("allowed.com%00.evil.com", false),
        ROW(" allowed.com", false),
        ROW("allowed.com ", false),
        ROW("allowed.com:443", false),
        ROW("allowed.com\r\n", false),
        ROW("allowed\xe3\x80\x82"
            "com",
            false),
        ROW("\xef\xbd\x81llowed.com", false),
        ROW("notallowed.com", false),
        ROW("allowed.com.evil.com", false),
        ROW("", false),
        ROW(".", false),
#undef ROW
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if ((strncmp(judged(NET_API, &lists, rows[i].name, 443), "yes", 3) == 0) != rows[i].reached)
            fail_msg("%zu: %s", i, rows[i].name.s);
}

static void N15_an_address_is_written_in_its_one_form(void **state)
{
    static const struct lists lists = { { "127.0.0.1", "[::1]:8443", "0x7f.1" } };
    static const char *const odd[] = {
        "0x7f.1",     "2130706433", "0x7f000001",   "0177.0.0.1", "127.1",        "127.0.1",
        "127.0.0.01", "127.0.0.1.", "017700000001", "1.2.3.4.5",  "256.0.0.1",    "[127.0.0.1]",
        "::1%lo",     "[::1",       "::1]",         "[]",         "example.0x7f", "[::1%25lo]",
        "127.9",      "0x7f.9",     "example.9",    "example.0",
    };
    struct host host;

    (void)state;
    for (size_t i = 0; i < COUNT(odd); i++)
        if (!host_read(str_of(odd[i]), 80, &host) || passes(NET_OPEN, &lists, odd[i], 80))
            fail_msg("%s was read", odd[i]);
    assert_true(passes(NET_API, &lists, "127.0.0.1", 80));
    assert_true(passes(NET_API, &lists, "[::1]", 8443));
    assert_true(passes(NET_API, &lists, "0:0:0:0:0:0:0:1", 8443));
    assert_true(passes(NET_API, &lists, "[::ffff:127.0.0.1]", 80));
    assert_false(passes(NET_API, &lists, "127.0.0.2", 80));
    assert_null(host_read(str_of("[0:0::1]"), 80, &host));
    assert_string_equal(host.name, "::1");
}

/* ---- lists ---- */

static void N10_deny_wins(void **state)
{
    static const struct {
        enum net_level level;
        struct lists lists;
        const char *name, *verdict;
        uint16_t port;
    } rows[] = {
        { NET_API, { { "a.org" }, { "a.org" } }, "a.org", "denied: denied by a.org", 443 },
        { NET_API, { { "a.org" }, { "A.ORG." } }, "a.org.", "denied: denied by A.ORG.", 443 },
        { NET_API, { { "x.a.org" }, { "*.a.org" } }, "x.a.org", "denied: denied by *.a.org", 443 },
        { NET_API, { { "*.a.org" }, { "x.a.org" } }, "x.a.org", "denied: denied by x.a.org", 443 },
        { NET_API, { { "*.a.org" }, { "x.a.org" } }, "y.a.org", "yes: *.a.org", 443 },
        { NET_API, { { "a.org:443" }, { "a.org" } }, "a.org", "denied: denied by a.org", 443 },
        { NET_API, { { "a.org" }, { "a.org:80" } }, "a.org", "yes: a.org", 443 },
        { NET_API, { { "a.org" }, { "a.org:80" } }, "a.org", "denied: denied by a.org:80", 80 },
        { NET_API, { { "a.org" }, { "a.org:80" } }, "a.org", "yes: a.org", 0 },
        { NET_OPEN, { { "a.org" }, { "a.org" } }, "a.org", "denied: denied by a.org", 22 },
        { NET_OPEN, { { NULL }, { "192.0.2.1" } }, "192.0.2.1", "denied: denied by 192.0.2.1", 80 },
        { NET_OPEN,
          { { NULL }, { "::ffff:9.9.9.9" } },
          "9.9.9.9",
          "denied: denied by ::ffff:9.9.9.9",
          80 },
        { NET_OPEN,
          { { NULL }, { "::ffff:9.9.9.9" } },
          "::9.9.9.9",
          "denied: denied by ::ffff:9.9.9.9",
          80 },
        { NET_REGISTRY,
          { { NULL }, { "pypi.org" } },
          "pypi.org",
          "denied: denied by pypi.org",
          443 },
        { NET_API,
          { { "10.0.0.1" }, { "10.0.0.1" } },
          "::ffff:10.0.0.1",
          "denied: denied by 10.0.0.1",
          443 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *is = judged(rows[i].level, &rows[i].lists, str_of(rows[i].name), rows[i].port);

        if (strcmp(is, rows[i].verdict) != 0)
            fail_msg("%zu: %s", i, is);
    }
}

static void N12_a_star_means_what_is_below(void **state)
{
    static const struct lists lists = { { "*.x.com" } };

    (void)state;
    assert_true(passes(NET_API, &lists, "a.x.com", 443));
    assert_true(passes(NET_API, &lists, "a.b.x.com", 443));
    assert_true(passes(NET_API, &lists, "A.X.COM.", 80));
    assert_false(passes(NET_API, &lists, "x.com", 443));
    assert_false(passes(NET_API, &lists, "evilx.com", 443));
    assert_false(passes(NET_API, &lists, "a.x.com.evil.com", 443));
    assert_false(passes(NET_API, &lists, "axxcom", 443));
}

static void N18_only_listed_ports_are_reached(void **state)
{
    static const struct lists lists = { { "a.org", "b.org:8443", "*.c.org:22" } };
    static const struct {
        const char *name;
        uint16_t port;
        bool reached;
    } rows[] = {
        { "a.org", 80, true },    { "a.org", 443, true },     { "a.org", 22, false },
        { "a.org", 25, false },   { "a.org", 8443, false },   { "b.org", 8443, true },
        { "b.org", 443, false },  { "b.org", 80, false },     { "x.c.org", 22, true },
        { "x.c.org", 80, false }, { "pypi.org", 443, false }, { "b.org", 0, true },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (passes(NET_API, &lists, rows[i].name, rows[i].port) != rows[i].reached)
            fail_msg("%s:%d", rows[i].name, rows[i].port);
    assert_string_equal(judged(NET_API, &lists, str_of("a.org"), 22),
                        "port: its port is not in the list of hosts");
    assert_false(passes(NET_REGISTRY, &lists, "pypi.org", 22));
}

static void a_level_says_how_far(void **state)
{
    static const struct lists none = { { NULL } }, one = { { "a.org" } };

    (void)state;
    assert_string_equal(judged(NET_OFFLINE, &one, str_of("a.org"), 443), "host: level offline");
    assert_string_equal(judged(NET_API, &none, str_of("a.org"), 443),
                        "host: it is not in the list of hosts");
    assert_string_equal(judged(NET_API, &none, str_of("pypi.org"), 443),
                        "host: it is not in the list of hosts");
    assert_string_equal(judged(NET_REGISTRY, &none, str_of("PyPI.org"), 443),
                        "yes: registry of PyPI");
    assert_string_equal(judged(NET_REGISTRY, &one, str_of("a.org"), 443), "yes: a.org");
    assert_false(passes(NET_REGISTRY, &none, "evil.pypi.org", 443));
    assert_string_equal(judged(NET_OPEN, &none, str_of("any.example"), 8080), "yes: level open");
}

/* ---- addresses ---- */

static enum host_refusal refusal_of(enum net_level level, const struct lists *lists, const char *to)
{
    _arena_ struct arena a = { 0 };
    struct str allow[4], deny[4];
    struct hosts hosts = { level, allow, deny, list_of(lists->allow, allow),
                           list_of(lists->deny, deny) };
    struct address address;
    struct host host;

    assert_null(host_read(str_of("allowed.com"), 443, &host));
    assert_true(address_read(str_of(to), &address));
    return hosts_judge_address(&hosts, &host, &address, &a).refused;
}

static bool connects(enum net_level level, const struct lists *lists, const char *to)
{
    return refusal_of(level, lists, to) == HOST_LET_OUT;
}

static void N13_a_private_address_is_reached_by_its_very_name_only(void **state)
{
    static const char *const private[] = {
        "127.0.0.1",        "10.1.2.3",   "169.254.169.254", "::1",
        "::ffff:127.0.0.1", "100.64.0.1", "192.168.0.1",     "172.16.0.1",
        "fe80::1",          "fd00::1",    "2002:7f00:1::",   "64:ff9b::10.0.0.1",
    };
    static const char *const never[] = { "0.0.0.0", "255.255.255.255", "224.0.0.1", "::" };
    static const struct lists plain = { { "allowed.com" } };

    (void)state;
    assert_true(connects(NET_API, &plain, "93.184.216.34"));
    assert_false(connects(NET_OFFLINE, &plain, "93.184.216.34"));
    for (size_t i = 0; i < COUNT(private); i++) {
        struct lists named = { { "allowed.com", private[i] } };
        struct lists denied = { { "allowed.com", private[i] }, { private[i] } };

        if (refusal_of(NET_API, &plain, private[i]) != HOST_ADDRESS ||
            refusal_of(NET_OPEN, &plain, private[i]) != HOST_ADDRESS)
            fail_msg("%s by a name", private[i]);
        if (!connects(NET_API, &named, private[i]))
            fail_msg("%s is listed", private[i]);
        if (refusal_of(NET_API, &denied, private[i]) != HOST_DENIED)
            fail_msg("%s is denied", private[i]);
    }
    for (size_t i = 0; i < COUNT(never); i++) {
        struct lists named = { { "allowed.com", never[i] } };

        if (refusal_of(NET_OPEN, &named, never[i]) != HOST_REQUEST)
            fail_msg("%s", never[i]);
    }
    assert_false(connects(NET_API, &(struct lists){ { "10.1.2.3:8443" } }, "10.1.2.3"));
    assert_false(
        connects(NET_OPEN, &(struct lists){ .deny = { "93.184.216.34" } }, "93.184.216.34"));
}

/* One that has another in it is another to whoever allows it, and the same to whoever denies it. */
static void N13_an_address_in_another_is_not_listed_with_it(void **state)
{
    static const struct {
        const char *entry, *address;
        bool listed;
    } rows[] = {
        { "10.1.2.3", "10.1.2.3", true },           { "10.1.2.3", "::ffff:10.1.2.3", true },
        { "10.1.2.3", "64:ff9b::10.1.2.3", false }, { "10.1.2.3", "2002:a01:203::5", false },
        { "10.1.2.3", "::10.1.2.3", false },        { "10.1.2.3", "::ffff:0:10.1.2.3", false },
        { "localhost", "127.9.9.9", true },         { "localhost", "::1", true },
        { "localhost", "::ffff:127.0.0.1", true },  { "localhost", "64:ff9b::127.0.0.1", false },
        { "localhost", "2002:7f00:1::1", false },   { "localhost", "::127.0.0.1", false },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct lists named = { { "allowed.com", rows[i].entry } };
        struct lists denied = { { "allowed.com", rows[i].address }, { rows[i].entry } };

        if (connects(NET_API, &named, rows[i].address) != rows[i].listed)
            fail_msg("%s by %s", rows[i].address, rows[i].entry);
        if (connects(NET_API, &denied, rows[i].address))
            fail_msg("%s although %s is denied", rows[i].address, rows[i].entry);
    }
}

/* ---- what people write ---- */

/* The loop is the run's own but for what is listed of it, and by what name it is. */
static void N21_what_is_listed_of_the_loop_is_the_hosts(void **state)
{
    static const struct {
        const char *allow, *address, *host; /* NULL: it is the run's */
        uint16_t port;
    } rows[] = {
        { "localhost:5432", "127.0.0.1", "localhost", 5432 },
        { "localhost:5432", "127.9.9.9", "127.9.9.9", 5432 },
        { "localhost:5432", "127.0.0.1", NULL, 5433 },
        { "localhost", "127.0.0.1", "localhost", 80 },
        { "localhost", "127.0.0.1", NULL, 5432 },
        { "127.0.0.1:5432", "127.0.0.1", "127.0.0.1", 5432 },
        { "127.0.0.1:5432", "127.0.0.2", NULL, 5432 },
        { "example.org:5432", "127.0.0.1", NULL, 5432 },
        { "*.localhost:5432", "127.0.0.1", NULL, 5432 },
        { "192.0.2.1:5432", "192.0.2.1", NULL, 5432 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str allow = str_of(rows[i].allow);
        struct hosts hosts = { NET_API, &allow, NULL, 1, 0 };
        struct host host;

        assert_null(host_read(str_of(rows[i].address), rows[i].port, &host));
        assert_int_equal(hosts_own_loop(&hosts, &host), rows[i].host != NULL);
        assert_string_equal(host.name, rows[i].host ? rows[i].host : rows[i].address);
        assert_int_equal(host.port, rows[i].port);
    }
}

static void an_entry_is_looked_at_before_it_is_used(void **state)
{
    static const char *const right[] = {
        "example.org",   "*.example.org",   "EXAMPLE.org.", "example.org:1", "*.example.org:22",
        "127.0.0.1",     "127.0.0.1:65535", "::1",          "[::1]",         "[::1]:8443",
        "localhost:3000"
    };
    static const char *const wrong[] = { "",
                                         "*",
                                         "*.",
                                         "*:80",
                                         "example..org",
                                         "a b",
                                         "example.org:",
                                         "a.org:0",
                                         "a.org:65536",
                                         "a.org:x",
                                         "127.1",
                                         "*.127.0.0.1",
                                         "a.*.org",
                                         "*a.org",
                                         "http://a.org",
                                         "a.org/x",
                                         "me@a.org",
                                         "b\xc3\xbc.de",
                                         "**.a.org",
                                         "a%2eorg" };

    (void)state;
    for (size_t i = 0; i < COUNT(right); i++)
        if (host_entry_wrong(str_of(right[i])))
            fail_msg("%s: %s", right[i], host_entry_wrong(str_of(right[i])));
    for (size_t i = 0; i < COUNT(wrong); i++)
        if (!host_entry_wrong(str_of(wrong[i])))
            fail_msg("%s is taken", wrong[i]);
}

static void every_registry_is_a_host_in_its_one_form(void **state)
{
    const struct registry_host *rows = registry_hosts_table.rows;
    struct host host;

    (void)state;
    for (size_t i = 0; i < registry_hosts_table.row_count; i++) {
        assert_null(host_read(str_of(rows[i].host), 443, &host));
        assert_string_equal(host.name, rows[i].host);
        assert_true(rows[i].ecosystem[0] != '\0');
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(rows[i].host, rows[j].host);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(N10_deny_wins),
        cmocka_unit_test(N11_a_name_is_compared_in_its_one_form),
        cmocka_unit_test(N12_a_star_means_what_is_below),
        cmocka_unit_test(N13_a_private_address_is_reached_by_its_very_name_only),
        cmocka_unit_test(N13_an_address_in_another_is_not_listed_with_it),
        cmocka_unit_test(N15_an_address_is_written_in_its_one_form),
        cmocka_unit_test(N18_only_listed_ports_are_reached),
        cmocka_unit_test(N21_what_is_listed_of_the_loop_is_the_hosts),
        cmocka_unit_test(a_level_says_how_far),
        cmocka_unit_test(an_entry_is_looked_at_before_it_is_used),
        cmocka_unit_test(every_registry_is_a_host_in_its_one_form),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
