/* SPDX-License-Identifier: Apache-2.0 */
/* test_request_sandbox.c: limits, their ranges, and levels that need an approval. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/contract/request_text.h"

#define LIMIT_ROW(value, at, says)                               \
    {                                                            \
        MORE("sandbox: {" value "}"), at, CODE_LIMIT_RANGE, says \
    }

static void R_001_031_R_001_034_R_001_038_R_001_042_limits_left_out_have_their_defaults(
    void **state)
{
    _checked_ struct checked c = { 0 };
    const struct request_doc *request = check_text(&c, &request_shape, least);

    (void)state;
    check_clean(&c);
    assert_int_equal(request->sandbox->timeout_ms, 30000);
    assert_int_equal(request->sandbox->memory_mb, 512);
    assert_int_equal(request->sandbox->cpu_cores, 1);
    assert_int_equal(request->sandbox->processes->max_children, 10);
}

static void R_001_032_R_001_033_timeout_ms_is_1000_to_600000(void **state)
{
    static const struct refusal rows[] = {
        LIMIT_ROW("timeout_ms: 999", "/sandbox/timeout_ms",
                  "timeout_ms is 999, allowed 1000..600000"),
        LIMIT_ROW("timeout_ms: 600001", "/sandbox/timeout_ms",
                  "timeout_ms is 600001, allowed 1000..600000"),
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted(MORE("sandbox: {timeout_ms: 1000}"));
    accepted(MORE("sandbox: {timeout_ms: 600000}"));
}

static void R_001_035_R_001_036_memory_mb_is_64_to_4096(void **state)
{
    static const struct refusal rows[] = {
        LIMIT_ROW("memory_mb: 63", "/sandbox/memory_mb", "memory_mb is 63, allowed 64..4096"),
        LIMIT_ROW("memory_mb: 4097", "/sandbox/memory_mb", "memory_mb is 4097, allowed 64..4096"),
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted(MORE("sandbox: {memory_mb: 64}"));
    accepted(MORE("sandbox: {memory_mb: 4096}"));
}

static void R_001_039_R_001_040_cpu_cores_is_1_to_4(void **state)
{
    static const struct refusal rows[] = {
        LIMIT_ROW("cpu_cores: 0", "/sandbox/cpu_cores", "cpu_cores is 0, allowed 1..4"),
        LIMIT_ROW("cpu_cores: 5", "/sandbox/cpu_cores", "cpu_cores is 5, allowed 1..4"),
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted(MORE("sandbox: {cpu_cores: 1}"));
    accepted(MORE("sandbox: {cpu_cores: 4}"));
}

static void R_001_043_R_001_044_max_children_is_0_to_100(void **state)
{
    static const struct refusal rows[] = {
        LIMIT_ROW("processes: {max_children: -1}", "/sandbox/processes/max_children",
                  "max_children is -1, allowed 0..100"),
        LIMIT_ROW("processes: {max_children: 101}", "/sandbox/processes/max_children",
                  "max_children is 101, allowed 0..100"),
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted(MORE("sandbox: {processes: {max_children: 0}}"));
    accepted(MORE("sandbox: {processes: {max_children: 100}}"));
}

static void R_001_014_R_001_015_R_001_016_R_001_018_R_001_019_no_path_or_host_is_empty(void **state)
{
    static const struct refusal rows[] = {
        { MORE("sandbox: {filesystem: {read: ['']}}"), "/sandbox/filesystem/read/0",
          CODE_VALIDATION_ERROR, "read has 0 characters, allowed 1 or more" },
        { MORE("sandbox: {filesystem: {write: ['']}}"), "/sandbox/filesystem/write/0",
          CODE_VALIDATION_ERROR, "write has 0 characters, allowed 1 or more" },
        { MORE("sandbox: {filesystem: {deny: ['']}}"), "/sandbox/filesystem/deny/0",
          CODE_VALIDATION_ERROR, "deny has 0 characters, allowed 1 or more" },
        { MORE("sandbox: {network: {enabled: true, allow: ['']}}"), "/sandbox/network/allow/0",
          CODE_VALIDATION_ERROR, "allow has 0 characters, allowed 1 or more" },
        { MORE("sandbox: {network: {deny: ['']}}"), "/sandbox/network/deny/0",
          CODE_VALIDATION_ERROR, "deny has 0 characters, allowed 1 or more" },
    };

    (void)state;
    refused(rows, COUNT(rows));
}

static void a_limit_is_a_whole_number(void **state)
{
    static const struct refusal rows[] = {
        { MORE("sandbox: {timeout_ms: 1000.5}"), "/sandbox/timeout_ms", CODE_VALIDATION_ERROR,
          "timeout_ms is 1000.5, must be a whole number, allowed 1000..600000" },
        { MORE("sandbox: {memory_mb: '64'}"), "/sandbox/memory_mb", CODE_VALIDATION_ERROR,
          "memory_mb is '64', must be a whole number, allowed 64..4096" },
        { MORE("sandbox: {cpu_cores: null}"), "/sandbox/cpu_cores", CODE_VALIDATION_ERROR,
          "cpu_cores is null, must be a whole number, allowed 1..4" },
    };

    (void)state;
    refused(rows, COUNT(rows));
}

static void R_001_049_R_001_054_a_level_that_needs_approval_is_refused_without(void **state)
{
    static const struct refusal rows[] = {
        { MORE("sandbox: {filesystem: {level: elevated}}"), "/sandbox/filesystem/level",
          CODE_APPROVAL_MISSING,
          "filesystem level 'elevated' needs a recorded approval, and there is none: --approve REASON, or approval: {reason: ..} in a document" },
        { MORE("sandbox: {network: {enabled: true, level: open}}"), "/sandbox/network/level",
          CODE_APPROVAL_MISSING,
          "network level 'open' needs a recorded approval, and there is none: --approve REASON, or approval: {reason: ..} in a document" },
        { MORE("approval: {}"), "/approval", CODE_VALIDATION_ERROR,
          "a request's approval needs 'reason'" },
        { MORE("approval: {reason: ''}"), "/approval/reason", CODE_VALIDATION_ERROR,
          "reason has 0 characters, allowed 1 or more" },
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted(MORE("sandbox: {filesystem: {level: elevated}, "
                  "network: {enabled: true, level: open}}\n"
                  "approval: {reason: the kernel is measured}"));
    accepted(MORE("sandbox: {filesystem: {level: extended}}"));
    accepted(MORE("sandbox: {network: {enabled: true, level: registry}}"));
}

static void a_level_is_one_of_the_four(void **state)
{
    static const struct refusal rows[] = {
        { MORE("sandbox: {filesystem: {level: elevate}}"), "/sandbox/filesystem/level",
          CODE_VALIDATION_ERROR,
          "'elevate' is not one of minimal, standard, extended, elevated (did you mean 'elevated'?)" },
        { MORE("sandbox: {network: {level: Open}}"), "/sandbox/network/level",
          CODE_VALIDATION_ERROR,
          "'Open' is not one of offline, registry, api, open (did you mean 'open'?)" },
    };

    (void)state;
    refused(rows, COUNT(rows));
}

static void level_and_enabled_agree_about_the_network(void **state)
{
    static const struct refusal rows[] = {
        { MORE("sandbox: {network: {level: api}}"), "/sandbox/network/level", CODE_VALIDATION_ERROR,
          "network level 'api' needs enabled: true" },
        { MORE("sandbox: {network: {enabled: false, level: registry}}"), "/sandbox/network/level",
          CODE_VALIDATION_ERROR, "network level 'registry' needs enabled: true" },
        { MORE("sandbox: {network: {enabled: true, level: offline}}"), "/sandbox/network/level",
          CODE_VALIDATION_ERROR, "network level 'offline' needs enabled: false" },
        { MORE("sandbox: {network: {allow: [x.org]}}"), "/sandbox/network/allow",
          CODE_VALIDATION_ERROR,
          "hosts are allowed, but the network is off; it needs enabled: true, or --net with a level" },
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted(MORE("sandbox: {network: {enabled: true}}"));
    accepted(MORE("sandbox: {network: {enabled: false, level: offline}}"));
}

#define NETWORK(text)  MORE("sandbox: {network: {enabled: true, " text "}}")
#define APPROVED(text) MORE("sandbox: {network: {enabled: true, " text "}}\napproval: {reason: x}")
#define INJECT(text)   NETWORK("allow: [x.org], inject: [{" text "}]")

static void R_001_018_R_001_019_an_entry_is_the_name_of_a_host(void **state)
{
    static const struct refusal rows[] = {
        { NETWORK("allow: ['*']"), "/sandbox/network/allow/0", CODE_VALIDATION_ERROR,
          "'*' is no host: level open is what reaches every host" },
        { NETWORK("allow: ['x.org:99999']"), "/sandbox/network/allow/0", CODE_VALIDATION_ERROR,
          "'x.org:99999' is no host: it is no host, or its port is not 1 to 65535" },
        { NETWORK("deny: [y.org, '0x7f.1']"), "/sandbox/network/deny/1", CODE_VALIDATION_ERROR,
          "'0x7f.1' is no host: its host is an address in an unusual form" },
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted(NETWORK("allow: [x.org, '*.x.org', 'x.org:8443', 192.0.2.1, '[2001:db8::1]:443'], "
                     "deny: [X.ORG]"));
}

static void R_001_053_raw_is_open_and_nothing_is_held_there(void **state)
{
    static const struct refusal rows[] = {
        { NETWORK("raw: true"), "/sandbox/network/raw", CODE_VALIDATION_ERROR,
          "raw is the network of the host; it needs level: open, or --net open" },
        { NETWORK("level: open, raw: true"), "/sandbox/network/level", CODE_APPROVAL_MISSING,
          "network level 'open' needs a recorded approval, and there is none: --approve REASON, or approval: {reason: ..} in a document" },
        { APPROVED("level: open, raw: true, allow: [x.org]"), "/sandbox/network/allow",
          CODE_VALIDATION_ERROR, "'allow' cannot be held where the network is raw" },
        { APPROVED("level: open, raw: true, deny: [x.org]"), "/sandbox/network/deny",
          CODE_VALIDATION_ERROR, "'deny' cannot be held where the network is raw" },
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted(APPROVED("level: open, raw: true"));
}

static void R_001_018_a_secret_is_for_one_host_and_one_header(void **state)
{
    static const struct refusal rows[] = {
        { INJECT("host: '*.x.org', header: Authorization, secret: {env: T}"),
          "/sandbox/network/inject/0/host", CODE_VALIDATION_ERROR,
          "'*.x.org' is no host: a secret is for one host, and this is many" },
        { INJECT("host: x.org, header: 'A: b', secret: {env: T}"),
          "/sandbox/network/inject/0/header", CODE_VALIDATION_ERROR,
          "'A: b' is not the name of a header such as Authorization" },
        { INJECT("host: x.org, header: Content-length, secret: {env: T}"),
          "/sandbox/network/inject/0/header", CODE_VALIDATION_ERROR,
          "the header 'Content-length' says where a message goes or ends, and no secret" },
        { INJECT("host: x.org, header: A, secret: {env: T, variable: T}"),
          "/sandbox/network/inject/0/secret/variable", CODE_VALIDATION_ERROR,
          "'variable' has no meaning here: the secret goes into the header, and nowhere else" },
        { INJECT("host: x.org, header: A, secret: {}"), "/sandbox/network/inject/0/secret",
          CODE_VALIDATION_ERROR,
          "a secret comes from one place: env, file, command or credential; here are 0" },
        { MORE("sandbox: {network: {inject: [{host: x.org, header: A, secret: {env: T}}]}}"),
          "/sandbox/network/inject", CODE_VALIDATION_ERROR,
          "a header is injected, but the network is off; it needs enabled: true, or --net with a level" },
        { MORE("sandbox: {filesystem: {write_mode: cow}, network: {enabled: true, allow: [x.org], "
               "inject: [{host: x.org, header: A, secret: {env: T}}]}}"),
          "/sandbox/network/inject", CODE_VALIDATION_ERROR,
          "a header is injected, and what the command writes would be kept with a secret that came "
          "back; it needs write_mode: direct" },
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted(INJECT("host: 'x.org:8443', header: X-Api-Key, secret: {file: key}, plain: true"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            R_001_031_R_001_034_R_001_038_R_001_042_limits_left_out_have_their_defaults),
        cmocka_unit_test(R_001_032_R_001_033_timeout_ms_is_1000_to_600000),
        cmocka_unit_test(R_001_035_R_001_036_memory_mb_is_64_to_4096),
        cmocka_unit_test(R_001_039_R_001_040_cpu_cores_is_1_to_4),
        cmocka_unit_test(R_001_043_R_001_044_max_children_is_0_to_100),
        cmocka_unit_test(
            R_001_014_R_001_015_R_001_016_R_001_018_R_001_019_no_path_or_host_is_empty),
        cmocka_unit_test(a_limit_is_a_whole_number),
        cmocka_unit_test(R_001_049_R_001_054_a_level_that_needs_approval_is_refused_without),
        cmocka_unit_test(a_level_is_one_of_the_four),
        cmocka_unit_test(level_and_enabled_agree_about_the_network),
        cmocka_unit_test(R_001_018_R_001_019_an_entry_is_the_name_of_a_host),
        cmocka_unit_test(R_001_053_raw_is_open_and_nothing_is_held_there),
        cmocka_unit_test(R_001_018_a_secret_is_for_one_host_and_one_header),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
