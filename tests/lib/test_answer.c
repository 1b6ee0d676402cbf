/* SPDX-License-Identifier: Apache-2.0 */
/* test_answer.c: an answer is whole, or says that it is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "engine/input.h"

static void what_fits_is_the_answer_with_its_status(void **state)
{
    _buf_ struct buf out = { .max = 64 };
    char *answer = NULL;

    (void)state;
    buf_adds(&out, "{\"ok\":true}");
    assert_int_equal(take_answer(&out, WRIT_PARTIAL, &answer), WRIT_PARTIAL);
    assert_string_equal(answer, "{\"ok\":true}");
    assert_null(out.s);
    free(answer);
}

static void what_does_not_fit_is_no_success(void **state)
{
    const int statuses[] = { WRIT_OK, WRIT_NO, WRIT_WRONG };

    (void)state;
    for (size_t i = 0; i < COUNT(statuses); i++) {
        _buf_ struct buf out = { .max = 8 };
        char *answer = NULL;

        buf_adds(&out, "{\"a\":");
        buf_adds(&out, "\"more than eight\"}");
        assert_int_equal(take_answer(&out, statuses[i], &answer), WRIT_UNRECORDED);
        assert_string_equal(answer,
                            "{\"code\":\"CEILING\",\"message\":\"the answer has more than 256 "
                            "MiB, and is not given\"}");
        free(answer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_is_the_answer_with_its_status),
        cmocka_unit_test(what_does_not_fit_is_no_success),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
