/* SPDX-License-Identifier: Apache-2.0 */
/* test_adapter_policy.c: an adapter's transforms, retries, fallback, limits and metadata. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/adapter_doc.h"
#include "unit/contract/check.h"

static const char adapter_text[] =
    "adapter_id: A\n"
    "name: n\n"
    "version: '1.2.3'\n"
    "tool_id: T\n"
    "type: cli\n"
    "interface: {cli: {executable: rg}}\n"
    "metadata: {author: me, created: '2026-01-16', updated: '2026-01-17T10:15:30Z', "
    "status: active}\n";

/* The two sides of a swap that add a line. */
#define MORE(more) "tool_id: T\n", "tool_id: T\n" more "\n"

static void refused(const struct refusal *rows, size_t count)
{
    check_refusals(&adapter_shape, adapter_text, rows, count);
}

static void accepted(const char *from, const char *to)
{
    check_accepts(&adapter_shape, adapter_text, from, to);
}

static void
R_001_101_R_001_102_R_001_103_R_001_104_R_001_105_R_001_106_R_001_107_a_transform_is_one_of_seven_with_any_spec(
    void **state)
{
    static const struct refusal rows[] = {
        { MORE("transforms: {input: [{type: parse, spec: json}]}"), "/transforms/input/0/type",
          CODE_VALIDATION_ERROR, "'parse' is not one of rename, map, default, validate" },
        { MORE("transforms: {output: [{type: rename, spec: json}]}"), "/transforms/output/0/type",
          CODE_VALIDATION_ERROR, "'rename' is not one of parse, extract, format" },
        { MORE("transforms: {output: [{type: parse}]}"), "/transforms/output/0",
          CODE_VALIDATION_ERROR, "a transform of output needs 'spec'" },
        { MORE("transforms: {input: [{spec: x}]}"), "/transforms/input/0", CODE_VALIDATION_ERROR,
          "a transform of input needs 'type'" },
        { MORE("transforms: {input: [{type: map}]}"), "/transforms/input/0", CODE_VALIDATION_ERROR,
          "a transform of input needs 'spec'" },
        { MORE("transforms: {output: [{spec: x}]}"), "/transforms/output/0", CODE_VALIDATION_ERROR,
          "a transform of output needs 'type'" },
        { MORE("transforms: {input: [rename]}"), "/transforms/input/0", CODE_VALIDATION_ERROR,
          "input is 'rename', must be a map" },
        { MORE("transforms: {between: []}"), "/transforms/between", CODE_VALIDATION_ERROR,
          "a tool adapter's transforms has no field 'between'; it has input, output" },
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted(MORE("transforms: {input: [{type: rename, spec: {a: b}}, {type: map, spec: [1]}, "
                  "{type: default, spec: 5}, {type: validate, spec: null}]}"));
    accepted(MORE("transforms: {output: [{type: parse, spec: json}, {type: extract, spec: $.a}, "
                  "{type: format, spec: '{a}'}]}"));
}

static void R_001_109_R_001_110_R_001_111_retries_are_bounded_and_codes_are_numbers(void **state)
{
    static const struct refusal rows[] = {
        { MORE("errors: {retry: {max_attempts: 0}}"), "/errors/retry/max_attempts",
          CODE_VALIDATION_ERROR, "max_attempts is 0, allowed 1 or more" },
        { MORE("errors: {retry: {backoff_ms: -1}}"), "/errors/retry/backoff_ms",
          CODE_VALIDATION_ERROR, "backoff_ms is -1, allowed 0 or more" },
        { MORE("errors: {retry: {retryable_codes: [429, timeout]}}"),
          "/errors/retry/retryable_codes/1", CODE_VALIDATION_ERROR,
          "retryable_codes is 'timeout', must be a whole number" },
        { MORE("errors: {retry: {jitter: true}}"), "/errors/retry/jitter", CODE_VALIDATION_ERROR,
          "a retry policy has no field 'jitter'; it has max_attempts, backoff_ms, retryable_codes" },
        { MORE("errors: {retries: 3}"), "/errors/retries", CODE_VALIDATION_ERROR,
          "a tool adapter's errors has no field 'retries' (did you mean 'retry'?)" },
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted(MORE("errors: {retry: {max_attempts: 5, retryable_codes: [-32000, 1]}}"));
}

static void R_001_112_R_001_113_a_fallback_names_another_adapter_and_when(void **state)
{
    static const struct refusal rows[] = {
        { MORE("errors: {fallback: {adapter_id: B}}"), "/errors/fallback", CODE_VALIDATION_ERROR,
          "a fallback needs 'condition'" },
        { MORE("errors: {fallback: {condition: failed}}"), "/errors/fallback",
          CODE_VALIDATION_ERROR, "a fallback needs 'adapter_id'" },
        { MORE("errors: {fallback: {adapter_id: '', condition: failed}}"),
          "/errors/fallback/adapter_id", CODE_VALIDATION_ERROR,
          "adapter_id has 0 characters, allowed 1 or more" },
        { MORE("errors: {fallback: {adapter_id: B, condition: ''}}"), "/errors/fallback/condition",
          CODE_VALIDATION_ERROR, "condition has 0 characters, allowed 1 or more" },
        { MORE("errors: {fallback: {adapter_id: A, condition: failed}}"),
          "/errors/fallback/adapter_id", CODE_VALIDATION_ERROR,
          "'A' is this adapter itself; fall back to another" },
        { MORE("errors: {fallback: {adapter_id: B, condition: 'failed, whenever'}}"),
          "/errors/fallback/condition", CODE_VALIDATION_ERROR,
          "'whenever' is no condition; failed, unavailable, timeout or a number is one" },
        { MORE("errors: {fallback: {adapter_id: B, condition: ' , '}}"),
          "/errors/fallback/condition", CODE_VALIDATION_ERROR, "' , ' names no condition" },
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted(MORE("errors: {fallback: {adapter_id: B, condition: failed}}"));
    accepted(MORE("errors: {fallback: {adapter_id: B, condition: 'timeout, 3 -32000'}}"));
}

/* A01-8: an override has the ranges of the limits, but no default of its own. */
static void R_001_114_R_001_115_R_001_116_an_override_stays_in_the_range_of_its_limit(void **state)
{
    static const struct refusal rows[] = {
        { MORE("sandbox_override: {timeout_ms: 0}"), "/sandbox_override/timeout_ms",
          CODE_LIMIT_RANGE, "timeout_ms is 0, allowed 1000..600000" },
        { MORE("sandbox_override: {timeout_ms: 600001}"), "/sandbox_override/timeout_ms",
          CODE_LIMIT_RANGE, "timeout_ms is 600001, allowed 1000..600000" },
        { MORE("sandbox_override: {memory_mb: 63}"), "/sandbox_override/memory_mb",
          CODE_LIMIT_RANGE, "memory_mb is 63, allowed 64..4096" },
        { MORE("sandbox_override: {memory_mb: 4097}"), "/sandbox_override/memory_mb",
          CODE_LIMIT_RANGE, "memory_mb is 4097, allowed 64..4096" },
        { MORE("sandbox_override: {cpu_cores: 2}"), "/sandbox_override/cpu_cores",
          CODE_VALIDATION_ERROR,
          "a sandbox override has no field 'cpu_cores'; it has timeout_ms, memory_mb, network" },
        { MORE("sandbox_override: {network: {enabled: 'yes'}}"),
          "/sandbox_override/network/enabled", CODE_VALIDATION_ERROR,
          "enabled is 'yes', must be true or false" },
        { MORE("sandbox_override: {network: {enabled: true, allow: ['']}}"),
          "/sandbox_override/network/allow/0", CODE_VALIDATION_ERROR,
          "allow has 0 characters, allowed 1 or more" },
        { MORE("sandbox_override: {network: {enabled: false, allow: [a]}}"),
          "/sandbox_override/network/allow", CODE_VALIDATION_ERROR,
          "hosts are allowed, but the network is off; it needs enabled: true, or --net with a level" },
        { MORE("sandbox_override: {network: {deny: [a]}}"), "/sandbox_override/network/deny",
          CODE_VALIDATION_ERROR,
          "a sandbox override's network has no field 'deny'; it has enabled, allow" },
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted(MORE("sandbox_override: {timeout_ms: 1000, memory_mb: 4096}"));
    accepted(MORE("sandbox_override: {network: {enabled: true, allow: [a.example]}}"));
}

static void R_001_117_R_001_118_R_001_119_R_001_120_metadata(void **state)
{
    static const struct refusal rows[] = {
        { "author: me, ", "", "/metadata", CODE_VALIDATION_ERROR,
          "a tool adapter's metadata needs 'author'" },
        { "author: me", "author: ''", "/metadata/author", CODE_VALIDATION_ERROR,
          "author has 0 characters, allowed 1 or more" },
        { "'2026-01-16'", "'16.1.2026'", "/metadata/created", CODE_VALIDATION_ERROR,
          "'16.1.2026' is not a date or a timestamp such as 2026-01-16" },
        { "created: '2026-01-16', ", "", "/metadata", CODE_VALIDATION_ERROR,
          "a tool adapter's metadata needs 'created'" },
        { "'2026-01-17T10:15:30Z'", "soon", "/metadata/updated", CODE_VALIDATION_ERROR,
          "'soon' is not a date or a timestamp such as 2026-01-16" },
        { "updated: '2026-01-17T10:15:30Z', ", "", "/metadata", CODE_VALIDATION_ERROR,
          "a tool adapter's metadata needs 'updated'" },
        { "status: active", "status: retired", "/metadata/status", CODE_VALIDATION_ERROR,
          "'retired' is not one of active, deprecated, experimental" },
        { "metadata: {author: me, created: '2026-01-16', updated: '2026-01-17T10:15:30Z', "
          "status: active}\n",
          "", "", CODE_VALIDATION_ERROR, "a tool adapter needs 'metadata'" },
        { ", status: active", "", "/metadata", CODE_VALIDATION_ERROR,
          "a tool adapter's metadata needs 'status'" },
    };
    _checked_ struct checked c = { 0 };
    const struct adapter_doc *adapter = check_text(&c, &adapter_shape, adapter_text);

    (void)state;
    check_is(adapter->metadata->created, "2026-01-16");
    check_is(adapter->metadata->updated, "2026-01-17T10:15:30Z");
    refused(rows, COUNT(rows));
    accepted("status: active", "status: deprecated");
    accepted("status: active", "status: experimental");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            R_001_101_R_001_102_R_001_103_R_001_104_R_001_105_R_001_106_R_001_107_a_transform_is_one_of_seven_with_any_spec),
        cmocka_unit_test(R_001_109_R_001_110_R_001_111_retries_are_bounded_and_codes_are_numbers),
        cmocka_unit_test(R_001_112_R_001_113_a_fallback_names_another_adapter_and_when),
        cmocka_unit_test(R_001_114_R_001_115_R_001_116_an_override_stays_in_the_range_of_its_limit),
        cmocka_unit_test(R_001_117_R_001_118_R_001_119_R_001_120_metadata),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
