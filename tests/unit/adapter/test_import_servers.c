/* SPDX-License-Identifier: Apache-2.0 */
/* test_import_servers.c: which server of an OpenAPI document an adapter calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/adapter/imported.h"

/* Plain http is spoken with this machine alone. */
static void a_server_that_has_https_goes_before_one_that_has_not(void **state)
{
    static const struct {
        const char *servers, *base, *told;
    } rows[] = {
        { "[{url: http://a.org}, {url: https://a.org/v1/}]", "\"https://a.org/v1\"", NULL },
        { "[{url: http://a.org}, {url: 'https://{h}', variables: {h: {default: b.org}}}]",
          "\"https://b.org\"", "that has https, b.org; the first of all, a.org" },
        { "[{url: http://a.org}, {url: http://b.org}]", "\"http://a.org\"", NULL },
        { "[{url: http://127.0.0.1:80}, {url: https://a.org}]", "\"http://127.0.0.1:80\"", NULL },
        { "[{url: http://a.org}, {url: http://localhost}]", "\"http://a.org\"", NULL },
        { "[{url: /}, {url: http://a.org}]", "\"https://api.example.com\"",
          "does not say where the service is" },
        { "[{url: /v1}, {url: https://a.org}]", "\"https://a.org\"", NULL },
        { "[{url: 'https://{h}'}, {url: 'https://a.org?b'}]", "\"https://api.example.com\"",
          "does not say where the service is" },
    };

    (void)state;
    for (size_t k = 0; k < COUNT(rows); k++) {
        _imported_ struct imported i = { 0 };

        import(&i, arena_printf(&i.a, "openapi: 3.0.0\npaths: {/x: {get: {}}}\nservers: %s\n",
                                rows[k].servers));
        assert_string_equal(at(&i, "interface.api.base_url"), rows[k].base);
        assert_int_equal(i.made.warned, rows[k].told ? 1 : 0);
        if (rows[k].told)
            check_says(i.made.warnings[0], rows[k].told);
    }
}

/* Documents that repeat the server at each operation say nothing else by it. */
static void a_server_of_an_operation_may_be_that_of_all(void **state)
{
    static const struct {
        const char *root, *first, *second, *base;
        bool left; /* is the second? */
    } rows[] = {
        { "[{url: https://a.org/}]", "[{url: https://a.org}]", "[{url: https://a.org}]",
          "\"https://a.org\"", false },
        { "[{url: https://a.org}]", "[]", "[{url: https://b.org}, {url: https://a.org}]",
          "\"https://a.org\"", false },
        { "[{url: https://a.org}]", "[]", "[{url: https://b.org}]", "\"https://a.org\"", true },
        { "[{url: //x.org}]", "[{url: https://b.org}]",
          "[{url: 'https://{h}', variables: {h: {default: b.org}}}]", "\"https://b.org\"", false },
        { "[{url: http://a.org}]", "[{url: https://b.org}]", "[{url: https://b.org}]",
          "\"https://b.org\"", false },
        { "[]", "[{url: /v1}]", "[{url: /v1/}]", "\"https://api.example.com/v1\"", false },
        { "[{url: /v1}]", "[]", "[{url: /v1/}]", "\"https://api.example.com/v1\"", false },
        { "[{url: https://a.org}]", "[{url: https://a.org}]", "[{url: https://b.org}]",
          "\"https://a.org\"", true },
    };

    (void)state;
    for (size_t k = 0; k < COUNT(rows); k++) {
        _imported_ struct imported i = { 0 };

        import(&i, arena_printf(&i.a,
                                "openapi: 3.0.0\nservers: %s\npaths:\n"
                                "  /x: {get: {operationId: first, servers: %s}}\n"
                                "  /y: {servers: %s, get: {operationId: second}}\n",
                                rows[k].root, rows[k].first, rows[k].second));
        assert_string_equal(at(&i, "interface.api.base_url"), rows[k].base);
        assert_string_equal(left_out(&i, "second"),
                            rows[k].left ? "it has a server of its own" : "");
        assert_int_equal(i.made.operations, rows[k].left ? 1 : 2);
        assert_int_equal(i.made.warned, strstr(rows[k].base, "example") ? 1 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_that_has_https_goes_before_one_that_has_not),
        cmocka_unit_test(a_server_of_an_operation_may_be_that_of_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
