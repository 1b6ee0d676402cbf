/* SPDX-License-Identifier: Apache-2.0 */
/* test_call_narrow.c: a caller's limit narrows a call, or is refused: none is silently nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "engine/call.h"

static bool narrows(const char *options, struct arena *a, struct report *r)
{
    struct writ_call ask = { .options = options };
    struct tool_call c = { .ask = &ask, .a = a };
    int status = WRIT_OK;
    bool ok = call_narrow(&c, &status);

    *r = c.report;
    assert_true(ok ? c.kind == NULL : status == WRIT_WRONG && strcmp(c.kind, "options") == 0);
    return ok;
}

static void R_001_116_A01_8_what_narrows_is_taken(void **state)
{
    static const char *const good[] = {
        "{}",
        "{\"sandbox\":{}}",
        "{\"sandbox\":{\"timeout_ms\":1000,\"memory_mb\":4096,\"cpu_cores\":1}}",
        "{\"sandbox\":{\"filesystem\":{\"level\":\"minimal\",\"deny\":[\"a\",\"b\"]}}}",
        "{\"sandbox\":{\"network\":{\"enabled\":false}}}",
        "{\"sandbox\":{\"network\":{\"level\":\"offline\"}}}",
        "{\"sandbox\":{\"network\":{\"allow\":[\"example.org\"],\"deny\":[\"*.example.org\"]}}}",
        "{\"sandbox\":{\"processes\":{\"max_children\":0,\"allow_fork\":false}}}",
    };
    _arena_ struct arena a = { 0 };
    struct report r;

    (void)state;
    for (size_t i = 0; i < COUNT(good); i++)
        if (!narrows(good[i], &a, &r))
            fail_msg("%s: %s", good[i], r.first->msg);
}

static void R_001_116_A01_8_what_a_call_is_not_held_to_is_refused(void **state)
{
    static const struct {
        const char *options, *pointer;
    } bad[] = {
        { "[]", "" },
        { "{\"sandox\":{\"timeout_ms\":5}}", "/sandox" },
        { "{\"sandbox\":[]}", "/sandbox" },
        { "{\"sandbox\":{\"filesystem\":{\"read\":[\"src\"]}}}", "/sandbox/filesystem/read" },
        { "{\"sandbox\":{\"filesystem\":{\"write\":[]}}}", "/sandbox/filesystem/write" },
        { "{\"sandbox\":{\"filesystem\":{\"write_mode\":\"cow\"}}}",
          "/sandbox/filesystem/write_mode" },
        { "{\"sandbox\":{\"filesystem\":{\"level\":\"none\"}}}", "/sandbox/filesystem/level" },
        { "{\"sandbox\":{\"filesystem\":\"minimal\"}}", "/sandbox/filesystem" },
        { "{\"sandbox\":{\"filesystem\":{\"deny\":\"a\"}}}", "/sandbox/filesystem/deny" },
        { "{\"sandbox\":{\"filesystem\":{\"deny\":[1]}}}", "/sandbox/filesystem/deny/0" },
        { "{\"sandbox\":{\"deterministic\":\"fixed\"}}", "/sandbox/deterministic" },
        { "{\"sandbox\":{\"timeout\":5}}", "/sandbox/timeout" },
        { "{\"sandbox\":{\"timeout_ms\":\"5\"}}", "/sandbox/timeout_ms" },
        { "{\"sandbox\":{\"timeout_ms\":0}}", "/sandbox/timeout_ms" },
        { "{\"sandbox\":{\"timeout_ms\":999}}", "/sandbox/timeout_ms" },
        { "{\"sandbox\":{\"timeout_ms\":600001}}", "/sandbox/timeout_ms" },
        { "{\"sandbox\":{\"memory_mb\":-1}}", "/sandbox/memory_mb" },
        { "{\"sandbox\":{\"memory_mb\":63}}", "/sandbox/memory_mb" },
        { "{\"sandbox\":{\"memory_mb\":9999}}", "/sandbox/memory_mb" },
        { "{\"sandbox\":{\"cpu_cores\":5}}", "/sandbox/cpu_cores" },
        { "{\"sandbox\":{\"processes\":{\"max_children\":101}}}",
          "/sandbox/processes/max_children" },
        { "{\"sandbox\":{\"cpu_cores\":1.5}}", "/sandbox/cpu_cores" },
        { "{\"sandbox\":{\"network\":{\"enabled\":\"no\"}}}", "/sandbox/network/enabled" },
        { "{\"sandbox\":{\"network\":{\"raw\":true}}}", "/sandbox/network/raw" },
        { "{\"sandbox\":{\"network\":{\"allow\":[\"http://a\"]}}}", "/sandbox/network/allow/0" },
        { "{\"sandbox\":{\"network\":{\"allow\":\"a\"}}}", "/sandbox/network/allow" },
        { "{\"sandbox\":{\"processes\":{\"max_children\":-1}}}",
          "/sandbox/processes/max_children" },
    };
    _arena_ struct arena a = { 0 };
    struct report r;

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        if (narrows(bad[i].options, &a, &r))
            fail_msg("%s is taken", bad[i].options);
        assert_string_equal(r.first->pointer, bad[i].pointer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_116_A01_8_what_narrows_is_taken),
        cmocka_unit_test(R_001_116_A01_8_what_a_call_is_not_held_to_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
