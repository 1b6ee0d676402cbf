/* SPDX-License-Identifier: Apache-2.0 */
/* test_tables.c: limits, outputs, levels and caches say what contract 001 says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "contract/codes.h"
#include "contract/levels.h"
#include "contract/limits.h"
#include "contract/repeat.h"
#include "contract/shape.h"

/* ---- limits ---- */

struct one {
    int64_t v;
};

/* Decodes a document through the limit's row; the code of the problem, or CODE_NONE. */
static int decode(enum limit which, const char *json, int64_t *v)
{
    struct field field = { limits[which].name, F_INT, .limit = &limits[which] };
    struct shape shape = { "sandbox", sizeof(struct one), &field, 1 };
    struct ceilings max = ceilings_default();
    _arena_ struct arena a = { 0 };
    const struct document *d;
    struct one one = { 0 };
    struct error e;

    assert_true(json_read("test", str_of(json), &max, &a, &d, &e));
    struct report r = report_new(&a, "test", str_of(json));
    bool ok = shape_decode(&shape, &d->root, &r, &one);

    assert_int_equal(ok, r.errors == 0);
    *v = one.v;
    return r.first ? r.first->code : CODE_NONE;
}

static int decode_value(enum limit which, int64_t value, int64_t *v)
{
    char json[64];

    (void)snprintf(json, sizeof json, "{\"%s\": %" PRId64 "}", limits[which].name, value);
    return decode(which, json, v);
}

static void check_limit(enum limit which, const char *name, int64_t fallback, int64_t min,
                        int64_t max)
{
    int64_t v;

    assert_string_equal(limits[which].name, name);
    assert_int_equal(decode(which, "{}", &v), CODE_NONE);
    assert_int_equal(v, fallback);
    assert_int_equal(decode_value(which, min - 1, &v), CODE_LIMIT_RANGE);
    assert_int_equal(decode_value(which, max + 1, &v), CODE_LIMIT_RANGE);
    assert_int_equal(decode_value(which, min, &v), CODE_NONE);
    assert_int_equal(v, min);
    assert_int_equal(decode_value(which, max, &v), CODE_NONE);
    assert_int_equal(v, max);
}

static void R_001_031_R_001_032_R_001_033_timeout_ms_default_and_range(void **state)
{
    (void)state;
    check_limit(LIMIT_TIMEOUT_MS, "timeout_ms", 30000, 1000, 600000);
}

static void R_001_034_R_001_035_R_001_036_memory_mb_default_and_range(void **state)
{
    (void)state;
    check_limit(LIMIT_MEMORY_MB, "memory_mb", 512, 64, 4096);
}

static void R_001_038_R_001_039_R_001_040_cpu_cores_default_and_range(void **state)
{
    (void)state;
    check_limit(LIMIT_CPU_CORES, "cpu_cores", 1, 1, 4);
}

static void R_001_042_R_001_043_R_001_044_max_children_default_and_range(void **state)
{
    (void)state;
    check_limit(LIMIT_MAX_CHILDREN, "max_children", 10, 0, 100);
}

/* What the column of notes says: of the whole execution, and of logical cores. */
static void R_001_037_R_001_041_limits_say_what_they_count(void **state)
{
    (void)state;
    assert_string_equal(limits[LIMIT_MEMORY_MB].meaning,
                        "Memory of all its processes together, in MiB.");
    assert_string_equal(limits[LIMIT_CPU_CORES].meaning, "Logical cores it may keep busy.");
}

static void
R_001_069_R_001_070_R_001_071_R_001_072_R_001_073_outputs_have_their_sizes_and_are_kept_as_long(
    void **state)
{
    static const struct output_row want[OUTPUT_COUNT] = {
        { "stdout", "stream capture", 1048576, "session" },
        { "stderr", "stream capture", 262144, "session" },
        { "exit_code", "process return", 0, "session" },
        { "output_files", "file collection", 10485760, "evidence" },
        { "artifacts", "structured capture", 10485760, "evidence" },
    };

    (void)state;
    for (size_t i = 0; i < OUTPUT_COUNT; i++) {
        assert_string_equal(outputs[i].name, want[i].name);
        assert_string_equal(outputs[i].method, want[i].method);
        assert_int_equal(outputs[i].bytes, want[i].bytes);
        assert_string_equal(outputs[i].kept, want[i].kept);
    }
}

/* ---- levels ---- */

static void R_001_045_R_001_046_R_001_047_R_001_048_filesystem_levels_are_the_contracts(
    void **state)
{
    static const char *const want[][4] = {
        { "minimal", "working directory only", "none", "read-only analysis" },
        { "standard", "repository root", "working directory", "typical development" },
        { "extended", "repository and dependencies", "working directory and output",
          "build tasks" },
        { "elevated", "system paths", "specific paths", "system tools" },
    };

    (void)state;
    for (int i = 0; i < FS_LEVEL_COUNT; i++) {
        assert_int_equal(fs_levels[i].level, i);
        assert_string_equal(fs_level_names[i], want[i][0]);
        assert_string_equal(fs_levels[i].read, want[i][1]);
        assert_string_equal(fs_levels[i].write, want[i][2]);
        assert_string_equal(fs_levels[i].use, want[i][3]);
        assert_int_equal(fs_levels[i].standard, i == FS_STANDARD);
    }
    assert_null(fs_level_names[FS_LEVEL_COUNT]);
}

static void R_001_050_R_001_051_R_001_052_R_001_053_network_levels_are_the_contracts(void **state)
{
    static const char *const want[][3] = {
        { "offline", "none", "most tasks" },
        { "registry", "package registries only", "dependency install" },
        { "api", "allowlisted APIs", "external integrations" },
        { "open", "any, logged", "research" },
    };

    (void)state;
    for (int i = 0; i < NET_LEVEL_COUNT; i++) {
        assert_int_equal(net_levels[i].level, i);
        assert_string_equal(net_level_names[i], want[i][0]);
        assert_string_equal(net_levels[i].allowed, want[i][1]);
        assert_string_equal(net_levels[i].use, want[i][2]);
        assert_int_equal(net_levels[i].standard, i == NET_OFFLINE);
    }
    assert_null(net_level_names[NET_LEVEL_COUNT]);
}

static void R_001_138_R_001_139_R_001_140_R_001_141_disclosure_levels_are_the_contracts(
    void **state)
{
    static const char *const want[][3] = {
        { "L0", "adapter_id, name, tool_id, type", "listing available adapters" },
        { "L1", "L0 and an interface summary", "selecting an adapter for a task" },
        { "L2", "L1 and the full interface, transforms, errors and sandbox_override",
          "executing an adapter" },
        { "L3", "the full schema, examples and fixtures", "debugging or documentation" },
    };

    (void)state;
    assert_int_equal(COUNT(want), LEVEL_COUNT);
    for (size_t i = 0; i < LEVEL_COUNT; i++) {
        assert_string_equal(levels[i].name, want[i][0]);
        assert_string_equal(levels[i].shown, want[i][1]);
        assert_string_equal(levels[i].use, want[i][2]);
    }
}

static void R_001_049_elevated_needs_an_approval(void **state)
{
    struct error e = { 0 };

    (void)state;
    for (int i = 0; i < FS_LEVEL_COUNT; i++) {
        assert_true(fs_level_granted((enum fs_level)i, true, &e));
        assert_int_equal(fs_level_granted((enum fs_level)i, false, &e), i != FS_ELEVATED);
    }
    assert_int_equal(e.code, CODE_APPROVAL_MISSING);
    assert_non_null(strstr(e.msg, "filesystem level 'elevated'"));
}

static void R_001_054_open_needs_an_approval(void **state)
{
    struct error e = { 0 };

    (void)state;
    for (int i = 0; i < NET_LEVEL_COUNT; i++) {
        assert_true(net_level_granted((enum net_level)i, true, &e));
        assert_int_equal(net_level_granted((enum net_level)i, false, &e), i != NET_OPEN);
    }
    assert_int_equal(e.code, CODE_APPROVAL_MISSING);
    assert_non_null(strstr(e.msg, "network level 'open'"));
}

/* ---- caches ---- */

static void check_cache(enum cache which, const struct cache_row *want)
{
    assert_string_equal(caches[which].name, want->name);
    assert_string_equal(caches[which].scope, want->scope);
    assert_int_equal(caches[which].ttl_ms, want->ttl_ms);
    assert_string_equal(caches[which].until, want->until);
    assert_string_equal(caches[which].invalidation, want->invalidation);
}

static void R_001_154_R_001_155_R_001_156_R_001_157_caches(void **state)
{
    static const struct cache_row want[CACHE_COUNT] = {
        { "adapter schema", "global", INT64_C(24) * 60 * 60 * 1000, "24h", "version change" },
        { "tool metadata", "global", INT64_C(60) * 60 * 1000, "1h", "manual refresh" },
        { "execution results", "session", 0, "session end", "input change" },
        { "golden outputs", "permanent", 0, "never", "manual update" },
    };

    (void)state;
    for (int i = 0; i < CACHE_COUNT; i++)
        check_cache((enum cache)i, &want[i]);
}

static void
R_001_148_R_001_149_R_001_150_R_001_151_R_001_152_R_001_153_determinism_has_its_six_rows(
    void **state)
{
    static const char *const want[REPEAT_COUNT][2] = {
        { "version pinning", "exact tool and adapter versions" },
        { "fixed inputs", "same command, args, env, files" },
        { "controlled randomness", "seed random generators" },
        { "stable filesystem", "consistent file ordering" },
        { "no network variance", "mock or cache external calls" },
        { "timestamp handling", "use fixed or mocked timestamps" },
    };

    (void)state;
    for (size_t i = 0; i < REPEAT_COUNT; i++) {
        assert_string_equal(repeats[i].name, want[i][0]);
        assert_string_equal(repeats[i].how, want[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_031_R_001_032_R_001_033_timeout_ms_default_and_range),
        cmocka_unit_test(R_001_034_R_001_035_R_001_036_memory_mb_default_and_range),
        cmocka_unit_test(R_001_038_R_001_039_R_001_040_cpu_cores_default_and_range),
        cmocka_unit_test(R_001_042_R_001_043_R_001_044_max_children_default_and_range),
        cmocka_unit_test(R_001_037_R_001_041_limits_say_what_they_count),
        cmocka_unit_test(
            R_001_069_R_001_070_R_001_071_R_001_072_R_001_073_outputs_have_their_sizes_and_are_kept_as_long),
        cmocka_unit_test(
            R_001_045_R_001_046_R_001_047_R_001_048_filesystem_levels_are_the_contracts),
        cmocka_unit_test(R_001_050_R_001_051_R_001_052_R_001_053_network_levels_are_the_contracts),
        cmocka_unit_test(
            R_001_138_R_001_139_R_001_140_R_001_141_disclosure_levels_are_the_contracts),
        cmocka_unit_test(R_001_049_elevated_needs_an_approval),
        cmocka_unit_test(R_001_054_open_needs_an_approval),
        cmocka_unit_test(
            R_001_148_R_001_149_R_001_150_R_001_151_R_001_152_R_001_153_determinism_has_its_six_rows),
        cmocka_unit_test(R_001_154_R_001_155_R_001_156_R_001_157_caches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
