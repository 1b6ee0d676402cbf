/* SPDX-License-Identifier: Apache-2.0 */
/* test_http_policy.c: which URLs are read, and which hosts and addresses are reached. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapter/http/policy.h"
#include "adapter/http/proxy.h"

static void a_url_has_one_reading(void **state)
{
    static const struct {
        const char *url, *host;
        int port;
        bool tls;
    } rows[] = {
        { "http://example.org", "example.org", 80, false },
        { "https://Example.ORG:8443/a?b=c", "Example.ORG", 8443, true },
        { "ws://127.0.0.1/x", "127.0.0.1", 80, false },
        { "wss://[::1]:9", "::1", 9, true },
        { "https://1password.com/", "1password.com", 443, true },
        { "https://xn--bcher-kva.example?q", "xn--bcher-kva.example", 443, true },
    };
    struct http_place p;

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_null(http_place_read(str_of(rows[i].url), &p));
        assert_true(str_is(p.host, rows[i].host));
        assert_int_equal(p.port, rows[i].port);
        assert_int_equal(p.tls, rows[i].tls);
    }
}

static void what_others_might_read_otherwise_is_refused(void **state)
{
    static const char *const rows[] = {
        "",
        "http:",
        "http://",
        "HTTP://example.org",
        "http:/example.org",
        "//example.org",
        "ftp://example.org",
        "javascript:alert(1)",
        "http:///path",
        "http://:80/",
        "http://me@example.org",
        "http://me:pw@example.org/",
        "http://example.org@127.0.0.1/",
        "http://example.org:80@127.0.0.1/",
        "http://example.org\\@127.0.0.1/",
        "http://example.org#@127.0.0.1/",
        "http://example.org:0/",
        "http://example.org:65536/",
        "http://example.org:080/",
        "http://example.org:/",
        "http://example.org:+80/",
        "http://example.org:8 0/",
        "http://example.org/a b",
        "http://example.org/a\r\nX: y",
        "http://example.org/\xc3\xa9",
        "http://ex\xc3\xa4mple.org/",
        "http://example..org/",
        "http://.example.org/",
        "http://example.org./",
        "http://exa%6dple.org/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.1/",
        "http://127.1/",
        "http://0177.0.0.1/",
        "http://127.0.0.01/",
        "http://127.0.0.1.:80/",
        "http://1.2.3.4.5/",
        "http://256.0.0.1/",
        "http://017700000001/",
        "http://example.0x7f/",
        "http://[::1/",
        "http://[::1%25eth0]/",
        "http://[127.0.0.1]/",
        "http://[]/",
        "http://[::1]x/",
        "http://::1/",
        "http://\xe2\x91\xa0\xe2\x91\xa1/",
    };
    struct http_place p;

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (!http_place_read(str_of(rows[i]), &p))
            fail_msg("'%s' was read", rows[i]);
    assert_non_null(http_place_read((struct str){ "http://a\0b/", 11 }, &p));
}

/* ---- hosts ---- */

static bool reaches_host(const char *entry, const char *url)
{
    struct str host = str_of(entry);
    struct http_policy policy = { { .allow = &host, .allow_count = 1 }, true };
    struct http_place place;

    assert_null(http_place_read(str_of(url), &place));
    return http_refuses_host(&policy, &place) == NULL;
}

static void an_entry_is_a_host_or_what_is_below_one(void **state)
{
    static const struct {
        const char *entry, *url;
        bool reached;
    } rows[] = {
        { "example.org", "https://example.org/", true },
        { "EXAMPLE.org", "https://example.ORG:444/", true },
        { "example.org", "https://a.example.org/", false },
        { "example.org", "https://notexample.org/", false },
        { "example.org", "https://example.org.evil.net/", false },
        { "*.example.org", "https://a.example.org/", true },
        { "*.example.org", "https://a.b.example.org/", true },
        { "*.example.org", "https://example.org/", false },
        { "*.example.org", "https://evilexample.org/", false },
        { "*", "https://example.org/", false },
        { "*.", "https://example.org/", false },
        { "example.org:8443", "https://example.org:8443/", true },
        { "example.org:8443", "https://example.org/", false },
        { "example.org:x", "https://example.org/", false },
        { "example.org:", "https://example.org/", false },
        { "", "https://example.org/", false },
        { "127.0.0.1", "http://127.0.0.1:4010/", true },
        { "127.0.0.1:80", "http://127.0.0.1:4010/", false },
        { "127.0.0.1", "http://localhost/", false },
        { "localhost", "http://localhost:1/", true },
        { "localhost", "http://127.0.0.1/", true },
        { "localhost", "http://[::1]/", true },
        { "localhost:80", "http://[::1]:81/", false },
        { "localhost", "http://10.0.0.1/", false },
        { "::1", "http://[::1]/", true },
        { "[::1]", "http://[0:0:0:0:0:0:0:1]/", true },
        { "[::1]:80", "http://[::1]/", true },
        { "[::1]:81", "http://[::1]/", false },
        { "10.0.0.1", "http://[::ffff:10.0.0.1]/", true },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (reaches_host(rows[i].entry, rows[i].url) != rows[i].reached)
            fail_msg("'%s' and %s", rows[i].entry, rows[i].url);
}

/* ---- addresses ---- */

static bool reaches(const char *entry, const char *address, bool plain)
{
    struct str hosts[] = { str_of("example.org"), str_of(entry) };
    struct http_policy policy = { { .allow = hosts, .allow_count = 2 }, plain };
    struct http_place place;
    struct address a;

    assert_null(
        http_place_read(str_of(plain ? "http://example.org/" : "https://example.org/"), &place));
    if (!address_read(str_of(address), &a))
        fail_msg("%s is no address", address);
    return http_refuses_address(&policy, &place, &a) == NULL;
}

static void only_public_addresses_are_reached_by_a_name(void **state)
{
    static const struct {
        const char *address;
        bool reached, named; /* named: by its very address */
    } rows[] = {
        { "93.184.216.34", true, true },
        { "172.32.0.1", true, true },
        { "100.128.0.1", true, true },
        { "2606:2800:220:1::1", true, true },
        { "127.0.0.1", false, true },
        { "127.255.255.254", false, true },
        { "10.0.0.1", false, true },
        { "172.16.0.1", false, true },
        { "172.31.255.255", false, true },
        { "192.168.1.1", false, true },
        { "169.254.169.254", false, true },
        { "169.254.1.1", false, true },
        { "168.63.129.16", false, true },
        { "100.100.100.200", false, true },
        { "100.64.0.1", false, true },
        { "100.127.255.255", false, true },
        { "192.0.0.192", false, true },
        { "198.18.0.1", false, true },
        { "203.0.113.9", false, true },
        { "0.0.0.0", false, false },
        { "0.1.2.3", false, false },
        { "224.0.0.1", false, false },
        { "239.255.255.250", false, false },
        { "255.255.255.255", false, false },
        { "::", false, false },
        { "::1", false, true },
        { "::2", false, false },
        { "fd00:ec2::254", false, true },
        { "fd12:3456::1", false, true },
        { "fc00::1", false, true },
        { "fe80::1", false, true },
        { "fec0::1", false, true },
        { "ff02::1", false, false },
        { "2001:db8::1", false, true },
        { "2001::1", false, true }, /* Teredo */
        { "::ffff:127.0.0.1", false, true },
        { "::ffff:169.254.169.254", false, true },
        { "::ffff:93.184.216.34", true, true },
        { "::ffff:0:10.0.0.1", false, true },
        { "::127.0.0.1", false, true },
        { "::93.184.216.34", true, true },
        { "64:ff9b::10.0.0.1", false, true },
        { "64:ff9b::169.254.169.254", false, true },
        { "64:ff9b::93.184.216.34", true, true },
        { "64:ff9b:1::1", false, true },
        { "2002:7f00:1::", false, true }, /* 6to4 of 127.0.0.1 */
        { "2002:a9fe:a9fe::1", false, true },
        { "2002:5db8:d822::1", true, true },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (reaches("other.example", rows[i].address, false) != rows[i].reached)
            fail_msg("%s by a name", rows[i].address);
        if (reaches(rows[i].address, rows[i].address, false) != rows[i].named)
            fail_msg("%s by its address", rows[i].address);
    }
    assert_true(reaches("localhost", "127.0.0.1", false));
    assert_true(reaches("localhost", "::1", false));
    assert_true(reaches("localhost", "::ffff:127.0.0.1", false));
    assert_false(reaches("localhost", "10.0.0.1", false));
    assert_true(reaches("10.0.0.1", "::ffff:10.0.0.1", false));
    assert_false(reaches("10.0.0.1:8443", "10.0.0.1", false));
}

/* What is denied has neither another name nor another form. */
static void what_is_denied_is_reached_in_no_form(void **state)
{
    static const struct {
        const char *deny, *url, *address;
        bool host, at; /* reached: by its name; by its address */
    } rows[] = {
        { "93.184.216.34", "https://example.org/", "93.184.216.34", true, false },
        { "93.184.216.34", "https://example.org/", "::ffff:93.184.216.34", true, false },
        { "::ffff:93.184.216.34", "https://example.org/", "93.184.216.34", true, false },
        { "93.184.216.34:443", "https://example.org/", "93.184.216.34", true, false },
        { "93.184.216.34:80", "https://example.org/", "93.184.216.34", true, true },
        { "93.184.216.35", "https://example.org/", "93.184.216.34", true, true },
        { "localhost", "https://example.org/", "127.0.0.1", true, false },
        { "example.org", "https://EXAMPLE.org/", "93.184.216.34", false, true },
        { "example.org:443", "https://example.org/", "93.184.216.34", false, true },
        { "example.org:80", "https://example.org/", "93.184.216.34", true, true },
        { "*.org", "https://example.org/", "93.184.216.34", false, true },
        { "::ffff:127.0.0.1", "http://127.0.0.1/", "127.0.0.1", false, false },
    };
    struct str allow[] = { str_of("example.org"), str_of("127.0.0.1") };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct str deny = str_of(rows[i].deny);
        struct http_policy policy = { { allow, &deny, COUNT(allow), 1 }, false };
        struct http_place place;
        struct address a;

        assert_null(http_place_read(str_of(rows[i].url), &place));
        assert_true(address_read(str_of(rows[i].address), &a));
        if ((http_refuses_host(&policy, &place) == NULL) != rows[i].host ||
            (http_refuses_address(&policy, &place, &a) == NULL) != rows[i].at)
            fail_msg("%s denied, %s at %s", rows[i].deny, rows[i].url, rows[i].address);
    }
}

/* A proxy does not say where a name leads. */
static void a_denied_address_leaves_no_name_to_a_proxy(void **state)
{
    struct str allow = str_of("example.org"), address = str_of("10.0.0.1"), name = str_of("a.org");
    struct http_policy policy = { { &allow, &address, 1, 1 }, false };
    struct http_place place;

    (void)state;
    assert_null(http_place_read(str_of("https://example.org/"), &place));
    assert_non_null(http_refuses_proxy(&policy, &place));
    policy.hosts.deny = &name;
    assert_null(http_refuses_proxy(&policy, &place));
    assert_null(http_place_read(str_of("http://example.org/"), &place));
    assert_non_null(http_refuses_proxy(&policy, &place)); /* it is not this machine */
}

static void plain_http_is_for_this_machine(void **state)
{
    struct str hosts[] = { str_of("example.org"), str_of("127.0.0.1"), str_of("10.0.0.1") };
    struct http_policy policy = { { .allow = hosts, .allow_count = 3 }, false };
    struct http_place place;
    struct address far, near, private;

    (void)state;
    assert_null(http_place_read(str_of("http://example.org/"), &place));
    assert_true(address_read(str_of("93.184.216.34"), &far));
    assert_true(address_read(str_of("127.0.0.1"), &near));
    assert_true(address_read(str_of("10.0.0.1"), &private));
    assert_non_null(http_refuses_address(&policy, &place, &far));
    assert_non_null(http_refuses_address(&policy, &place, &private));
    assert_null(http_refuses_address(&policy, &place, &near));
    policy.plain = true;
    assert_null(http_refuses_address(&policy, &place, &far));
    assert_null(http_refuses_address(&policy, &place, &private));
}

static void an_address_is_written_for_people(void **state)
{
    static const struct {
        const char *address;
        uint16_t port;
        const char *text;
    } rows[] = { { "127.0.0.1", 4010, "127.0.0.1:4010" },
                 { "::1", 0, "[::1]:0" },
                 { "2001:db8:1111:2222:3333:4444:5555:6666", 65535,
                   "[2001:db8:1111:2222:3333:4444:5555:6666]:65535" } };
    char text[ADDRESS_TEXT];
    struct address a;

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(address_read(str_of(rows[i].address), &a));
        address_text(&a, rows[i].port, text);
        assert_string_equal(text, rows[i].text);
    }
}

/* ---- proxies ---- */

static const char *proxy(const char *const *environment, const char *url)
{
    struct http_settings settings;
    struct http_place place;

    http_settings_read(environment, &settings);
    assert_null(http_place_read(str_of(url), &place));
    return http_proxy_for(&settings, &place);
}

static void a_proxy_is_used_where_the_environment_says_so(void **state)
{
    static const char *const one[] = { "PATH=/bin", "HTTPS_PROXY=http://p:1",
                                       "NO_PROXY=a.example, .b.example,10.0.0.1", NULL };
    static const char *const all[] = { "https_proxy=", "ALL_PROXY=http://q:2", "no_proxy=*x",
                                       NULL };
    static const char *const none[] = { "https_proxy=http://p:1", "no_proxy=*", NULL };

    (void)state;
    assert_string_equal(proxy(one, "https://example.org/"), "http://p:1");
    assert_null(proxy(one, "http://example.org/"));
    assert_null(proxy(one, "https://a.example/"));
    assert_null(proxy(one, "https://x.a.example/"));
    assert_null(proxy(one, "https://x.b.example/"));
    assert_string_equal(proxy(one, "https://xa.example/"), "http://p:1");
    assert_null(proxy(one, "https://10.0.0.1/"));
    assert_null(proxy(one, "https://localhost/"));
    assert_null(proxy(one, "https://127.0.0.1/"));
    assert_null(proxy(one, "https://[::1]/"));
    assert_string_equal(proxy(all, "https://example.org/"), "http://q:2");
    assert_string_equal(proxy(all, "http://example.org/"), "http://q:2");
    assert_null(proxy(none, "https://example.org/"));
    assert_null(proxy(NULL, "https://example.org/"));
    assert_int_equal(http_setting_of("LD_PRELOAD=x"), SETTINGS);
    assert_int_equal(http_setting_of("SSL_CERT_FILEX=x"), SETTINGS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_url_has_one_reading),
        cmocka_unit_test(what_others_might_read_otherwise_is_refused),
        cmocka_unit_test(an_entry_is_a_host_or_what_is_below_one),
        cmocka_unit_test(only_public_addresses_are_reached_by_a_name),
        cmocka_unit_test(what_is_denied_is_reached_in_no_form),
        cmocka_unit_test(a_denied_address_leaves_no_name_to_a_proxy),
        cmocka_unit_test(plain_http_is_for_this_machine),
        cmocka_unit_test(an_address_is_written_for_people),
        cmocka_unit_test(a_proxy_is_used_where_the_environment_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
