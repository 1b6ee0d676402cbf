/* SPDX-License-Identifier: Apache-2.0 */
/* test_api_answer.c: what a service answered: its value, and when it wants to be asked again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapter/api_bind.h"

/* In place of writ-http's side: what an answer's header says. */
struct str http_header(const struct http_answer *answer, const char *name)
{
    for (size_t i = 0; i < answer->header_count; i++)
        if (str_cmp_letters(answer->headers[i].name, str_of(name)) == 0)
            return answer->headers[i].value;
    return (struct str){ 0 };
}

static void R_001_110_retry_after_is_seconds_or_a_date(void **state)
{
    enum { MOST = 60000 };
    const int64_t now = INT64_C(784111777000) - 5000; /* five seconds before the date below */
    static const struct {
        const char *said;
        int64_t wait;
    } rows[] = {
        { "0", 0 },
        { "7", 7000 },
        { " 7 ", 7000 },
        { "61", MOST },
        { "99999999999999999999999999", MOST },
        { "-1", -1 },
        { "1.5", -1 },
        { "7s", -1 },
        { "", -1 },
        { "soon", -1 },
        { "Sun, 06 Nov 1994 08:49:37 GMT", 5000 },
        { "Sunday, 06-Nov-94 08:49:37 GMT", 5000 },
        { "Sun Nov  6 08:49:37 1994", 5000 },
        { "Sun, 06 Nov 1994 08:49:30 GMT", 0 },
        { "Sun, 06 Nov 2094 08:49:37 GMT", MOST },
        { "Sun, 31 Feb 1994 08:49:37 GMT", -1 },
        { "Sun, 06 Nov 1994 25:49:37 GMT", -1 },
        { "Sun, 06 Nov 1994 08:49:37 CET", -1 },
        { "Sun, 06 Nov 1994 08:49", -1 },
        { "Sun, 06 Nov 1994 08:49:37 GMT x", -1 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct http_header h = { str_of("retry-after"), str_of(rows[i].said) };
        struct http_answer answer = { .headers = &h, .header_count = 1 };
        int64_t wait = http_retry_after(&answer, now, MOST);

        if (wait != rows[i].wait)
            fail_msg("'%s' is %lld", rows[i].said, (long long)wait);
    }
    assert_int_equal(http_retry_after(&(struct http_answer){ 0 }, now, MOST), -1);
}

static void a_value_is_the_body_without_its_byte_order_mark(void **state)
{
    struct http_answer marked = { .body = str_of("\xef\xbb\xbf{}") }, none = { 0 };

    (void)state;
    assert_true(str_is(api_value(&marked).bytes, "{}"));
    assert_int_equal(api_value(&none).bytes.n, 0);
    assert_null(api_value(&none).doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_110_retry_after_is_seconds_or_a_date),
        cmocka_unit_test(a_value_is_the_body_without_its_byte_order_mark),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
