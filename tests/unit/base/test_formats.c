/* SPDX-License-Identifier: Apache-2.0 */
/* test_formats.c: formats are the same whether a plain char has a sign or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/jsonschema/formats.h"
#include "base/own.h"

static void an_address_in_quotes_is_of_ascii_that_prints(void **state)
{
    static const struct {
        const char *text;
        bool fits;
    } cases[] = {
        { "\"\"@example.org", true },
        { "\" ~\"@example.org", true },
        { "\"a@b\"@example.org", true },
        { "\"a\\\"b\\\\\"@example.org", true },
        { "\"a\"b\"@example.org", false },
        { "\"a\\\"@example.org", false },
        { "\"\x1f\"@example.org", false },
        { "\"\x7f\"@example.org", false },
        { "\"\xc3\xbc\"@example.org", false },
        { "\"\xff\"@example.org", false },
        { "\"\\\xc3\xbc\"@example.org", false },
        { "\"\\\x1f\"@example.org", false },
        { "\xc3\xbc@example.org", false },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (format_named(str_of("email"))->fits(str_of(cases[i].text)) != cases[i].fits)
            fail_msg("case %zu", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_in_quotes_is_of_ascii_that_prints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
