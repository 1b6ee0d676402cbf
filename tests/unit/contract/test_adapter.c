/* SPDX-License-Identifier: Apache-2.0 */
/* test_adapter.c: the contract's three adapters as they are given, and how they are disclosed.
 *
 * The files are copied from the contract to the letter. TEST_DATA says where they lie.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/json_write.h"
#include "contract/adapter_doc.h"
#include "contract/disclose.h"
#include "unit/contract/check.h"

#ifndef TEST_DATA
#define TEST_DATA "tests/data"
#endif

static const struct adapter_doc *load(struct checked *c, const char *file)
{
    const char *path = arena_printf(&c->a, "%s/contract-001/%s", TEST_DATA, file);
    const struct adapter_doc *adapter;
    struct error e = { 0 };
    struct str text;

    if (!fs_read(path, 1 << 16, &c->a, &text, &e))
        fail_msg("%s", e.msg);
    adapter = check_str(c, &adapter_shape, text);
    check_clean(c);
    return adapter;
}

static void check_head(const struct adapter_doc *adapter, const char *id, const char *name,
                       const char *tool_id)
{
    check_is(adapter->adapter_id, id);
    check_is(adapter->name, name);
    check_is(adapter->version, "1.0.0");
    check_is(adapter->tool_id, tool_id);
    check_is(adapter->metadata->author, "Runtime Agent");
    check_is(adapter->metadata->created, "2026-01-16");
    check_is(adapter->metadata->updated, "2026-01-16");
    assert_null(adapter->errors->fallback);
    assert_null(adapter->tool_version.s);
}

static void check_retry(const struct adapter_doc *adapter, int64_t attempts, int64_t backoff_ms)
{
    assert_int_equal(adapter->errors->retry->max_attempts, attempts);
    assert_int_equal(adapter->errors->retry->backoff_ms, backoff_ms);
}

/* The one output transform of an example. */
static void check_output(const struct adapter_doc *adapter, enum output_transform type,
                         const char *spec)
{
    const struct transform *output = adapter->transforms->output.v;

    assert_int_equal(adapter->transforms->output.n, 1);
    assert_int_equal(output->type, type);
    check_is(output->spec->text, spec);
}

static void R_001_087_R_001_121_R_001_122_R_001_123_R_001_124_adp_001_is_read_as_given(void **state)
{
    static const char *const base_args[] = { "--json", "--no-heading" };
    const struct pair arg_mapping[] = { { str_of("pattern"), str_of("{pattern}") },
                                        { str_of("path"), str_of("{path}") },
                                        { str_of("ignore_case"), str_of("-i") },
                                        { str_of("max_count"), str_of("-m {value}") } };
    _checked_ struct checked c = { 0 };
    const struct adapter_doc *adapter = load(&c, "adp-001.yaml");
    const struct cli_interface *cli = adapter->interface->cli;

    (void)state;
    check_head(adapter, "ADP-001", "ripgrep-search", "TL-003");
    assert_int_equal(adapter->type, ADAPTER_CLI);
    check_is(cli->executable, "rg");
    check_texts(&cli->base_args, base_args, COUNT(base_args));
    check_pairs(&cli->arg_mapping, arg_mapping, COUNT(arg_mapping));
    assert_int_equal(cli->env_mapping.n, 0);
    assert_null(adapter->interface->api);
    assert_null(adapter->interface->sdk);
    assert_null(adapter->interface->mcp);
    assert_int_equal(adapter->transforms->input.n, 0);
    check_output(adapter, OUTPUT_PARSE, "json_lines");
    assert_int_equal(adapter->metadata->status, ADAPTER_ACTIVE);
}

static void R_001_125_R_001_126_adp_001_has_one_attempt_and_its_own_limits(void **state)
{
    _checked_ struct checked c = { 0 };
    const struct adapter_doc *adapter = load(&c, "adp-001.yaml");

    (void)state;
    check_retry(adapter, 1, 0);
    assert_int_equal(adapter->errors->retry->retryable_codes.n, 0);
    assert_int_equal(adapter->sandbox_override->timeout_ms, 60000);
    assert_int_equal(adapter->sandbox_override->memory_mb, 256);
    assert_false(adapter->sandbox_override->network->enabled);
    assert_int_equal(adapter->sandbox_override->network->allow.n, 0);
}

static void R_001_092_R_001_127_R_001_128_R_001_129_R_001_130_adp_002_is_read_as_given(void **state)
{
    const struct pair headers[] = { { str_of("Content-Type"), str_of("application/json") },
                                    { str_of("Accept"), str_of("application/json") } };
    const struct pair endpoints[] = { { str_of("get_resource"), str_of("GET /resources/{id}") },
                                      { str_of("list_resources"), str_of("GET /resources") },
                                      { str_of("create_resource"), str_of("POST /resources") } };
    _checked_ struct checked c = { 0 };
    const struct adapter_doc *adapter = load(&c, "adp-002.yaml");
    const struct api_interface *api = adapter->interface->api;
    const struct transform *input = adapter->transforms->input.v;

    (void)state;
    check_head(adapter, "ADP-002", "rest-api-client", "TL-100");
    assert_int_equal(adapter->type, ADAPTER_API);
    check_is(api->base_url, "https://api.example.com/v1");
    assert_int_equal(api->auth_method, AUTH_BEARER);
    check_pairs(&api->headers, headers, COUNT(headers));
    check_pairs(&api->endpoint_mapping, endpoints, COUNT(endpoints));
    assert_int_equal(adapter->transforms->input.n, 1);
    assert_int_equal(input->type, INPUT_VALIDATE);
    check_is(input->spec->text, "json_schema");
    check_output(adapter, OUTPUT_EXTRACT, "$.data");
    assert_int_equal(adapter->metadata->status, ADAPTER_EXPERIMENTAL);
}

static void R_001_131_R_001_132_adp_002_retries_four_statuses_and_reaches_one_host(void **state)
{
    static const int64_t statuses[] = { 429, 500, 502, 503 };
    static const char *const allow[] = { "api.example.com" };
    _checked_ struct checked c = { 0 };
    const struct adapter_doc *adapter = load(&c, "adp-002.yaml");
    const struct items *retryable = &adapter->errors->retry->retryable_codes;

    (void)state;
    check_retry(adapter, 3, 1000);
    assert_int_equal(retryable->n, COUNT(statuses));
    assert_memory_equal(retryable->v, statuses, sizeof statuses);
    assert_int_equal(adapter->sandbox_override->timeout_ms, 30000);
    assert_int_equal(adapter->sandbox_override->memory_mb, 0); /* not overridden */
    assert_true(adapter->sandbox_override->network->enabled);
    check_texts(&adapter->sandbox_override->network->allow, allow, COUNT(allow));
}

static void R_001_133_R_001_134_R_001_135_adp_003_is_read_as_given(void **state)
{
    const struct pair tools[] = { { str_of("read_file"), str_of("read_file") },
                                  { str_of("write_file"), str_of("write_file") },
                                  { str_of("list_directory"), str_of("list_directory") } };
    _checked_ struct checked c = { 0 };
    const struct adapter_doc *adapter = load(&c, "adp-003.yaml");
    const struct mcp_interface *mcp = adapter->interface->mcp;

    (void)state;
    check_head(adapter, "ADP-003", "mcp-filesystem", "TL-200");
    assert_int_equal(adapter->type, ADAPTER_MCP);
    check_is(mcp->server, "filesystem-server");
    assert_int_equal(mcp->transport, TRANSPORT_STDIO);
    check_pairs(&mcp->tool_mapping, tools, COUNT(tools));
    check_output(adapter, OUTPUT_EXTRACT, "$.content");
    assert_int_equal(adapter->metadata->status, ADAPTER_ACTIVE);
}

static void R_001_136_R_001_137_adp_003_has_two_attempts_and_its_own_limits(void **state)
{
    _checked_ struct checked c = { 0 };
    const struct adapter_doc *adapter = load(&c, "adp-003.yaml");

    (void)state;
    check_retry(adapter, 2, 500);
    assert_int_equal(adapter->errors->retry->retryable_codes.n, 0);
    assert_int_equal(adapter->sandbox_override->timeout_ms, 10000);
    assert_int_equal(adapter->sandbox_override->memory_mb, 128);
    assert_false(adapter->sandbox_override->network->enabled);
}

static void check_shown(const char *file, enum level level, const char *wanted)
{
    _checked_ struct checked c = { 0 };
    _buf_ struct buf shown = { .max = 1 << 16 };

    (void)load(&c, file);
    adapter_disclose(&c.document->root, level, &shown);
    assert_string_equal(shown.s, wanted);
}

static void R_001_138_L0_shows_four_fields(void **state)
{
    (void)state;
    check_shown("adp-001.yaml", L0,
                "{\"adapter_id\":\"ADP-001\",\"name\":\"ripgrep-search\",\"tool_id\":\"TL-003\","
                "\"type\":\"cli\"}");
}

static void R_001_139_L1_adds_the_names_in_the_interface(void **state)
{
    (void)state;
    check_shown("adp-001.yaml", L1,
                "{\"adapter_id\":\"ADP-001\",\"name\":\"ripgrep-search\",\"tool_id\":\"TL-003\","
                "\"type\":\"cli\",\"interface\":{\"cli\":{\"arg_mapping\":[\"pattern\",\"path\","
                "\"ignore_case\",\"max_count\"],\"env_mapping\":[]}}}");
    check_shown("adp-002.yaml", L1,
                "{\"adapter_id\":\"ADP-002\",\"name\":\"rest-api-client\",\"tool_id\":\"TL-100\","
                "\"type\":\"api\",\"interface\":{\"api\":{\"endpoint_mapping\":[\"get_resource\","
                "\"list_resources\",\"create_resource\"]}}}");
    check_shown("adp-003.yaml", L1,
                "{\"adapter_id\":\"ADP-003\",\"name\":\"mcp-filesystem\",\"tool_id\":\"TL-200\","
                "\"type\":\"mcp\",\"interface\":{\"mcp\":{\"tool_mapping\":[\"read_file\","
                "\"write_file\",\"list_directory\"]}}}");
}

/* A01-14: and errors and sandbox_override, which executing needs. */
static void R_001_140_L2_adds_the_whole_interface_and_transforms(void **state)
{
    (void)state;
    check_shown("adp-003.yaml", L2,
                "{\"adapter_id\":\"ADP-003\",\"name\":\"mcp-filesystem\",\"version\":\"1.0.0\","
                "\"tool_id\":\"TL-200\",\"type\":\"mcp\",\"interface\":{\"mcp\":{"
                "\"server\":\"filesystem-server\",\"transport\":\"stdio\",\"tool_mapping\":{"
                "\"read_file\":\"read_file\",\"write_file\":\"write_file\","
                "\"list_directory\":\"list_directory\"}}},\"transforms\":{\"input\":[],\"output\":["
                "{\"type\":\"extract\",\"spec\":\"$.content\"}]},\"errors\":{\"retry\":{"
                "\"max_attempts\":2,\"backoff_ms\":500,\"retryable_codes\":[]},\"fallback\":null},"
                "\"sandbox_override\":{\"timeout_ms\":10000,\"memory_mb\":128,\"network\":{"
                "\"enabled\":false}}}");
}

/* In each example only the metadata, which stands last, waits for L3. */
static void R_001_140_R_001_141_L2_holds_back_the_metadata_alone(void **state)
{
    static const char *const files[] = { "adp-001.yaml", "adp-002.yaml", "adp-003.yaml" };

    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        _checked_ struct checked c = { 0 };
        _buf_ struct buf all = { .max = 1 << 16 };
        const char *metadata;

        (void)load(&c, files[i]);
        json_doc(&all, &c.document->root);
        check_shown(files[i], L3, all.s);
        metadata = strstr(all.s, ",\"metadata\"");
        assert_non_null(metadata);
        check_shown(files[i], L2, arena_printf(&c.a, "%.*s}", (int)(metadata - all.s), all.s));
    }
}

static void R_001_141_L3_shows_everything_with_examples_and_fixtures(void **state)
{
    static const char text[] =
        "{\"adapter_id\":\"a\",\"name\":\"n\",\"version\":\"1.0.0\",\"tool_id\":\"t\","
        "\"tool_version\":\"13+\",\"type\":\"cli\",\"interface\":{\"cli\":{\"executable\":\"rg\"}},"
        "\"metadata\":{\"author\":\"m\",\"created\":\"2026-01-16\",\"updated\":\"2026-01-16\","
        "\"status\":\"active\"},\"examples\":[{\"pattern\":\"x\"}],\"fixtures\":{\"f\":1}}";
    _checked_ struct checked c = { 0 };
    _buf_ struct buf all = { .max = 1 << 16 }, less = { .max = 1 << 16 };

    (void)state;
    (void)check_text(&c, &adapter_shape, text);
    check_clean(&c);
    adapter_disclose(&c.document->root, L3, &all);
    assert_string_equal(all.s, text);
    adapter_disclose(&c.document->root, L2, &less);
    assert_null(strstr(less.s, "metadata"));
    assert_null(strstr(less.s, "examples"));
    assert_null(strstr(less.s, "fixtures"));
}

static void the_examples_survive_being_written(void **state)
{
    static const char *const files[] = { "adp-001.yaml", "adp-002.yaml", "adp-003.yaml" };

    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        _checked_ struct checked c = { 0 }, again = { 0 };
        _buf_ struct buf once = { .max = 1 << 16 }, twice = { .max = 1 << 16 };

        shape_json(&adapter_shape, load(&c, files[i]), &once);
        shape_json(&adapter_shape, check_str(&again, &adapter_shape, buf_str(&once)), &twice);
        check_clean(&again);
        assert_string_equal(once.s, twice.s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            R_001_087_R_001_121_R_001_122_R_001_123_R_001_124_adp_001_is_read_as_given),
        cmocka_unit_test(R_001_125_R_001_126_adp_001_has_one_attempt_and_its_own_limits),
        cmocka_unit_test(
            R_001_092_R_001_127_R_001_128_R_001_129_R_001_130_adp_002_is_read_as_given),
        cmocka_unit_test(R_001_131_R_001_132_adp_002_retries_four_statuses_and_reaches_one_host),
        cmocka_unit_test(R_001_133_R_001_134_R_001_135_adp_003_is_read_as_given),
        cmocka_unit_test(R_001_136_R_001_137_adp_003_has_two_attempts_and_its_own_limits),
        cmocka_unit_test(R_001_138_L0_shows_four_fields),
        cmocka_unit_test(R_001_139_L1_adds_the_names_in_the_interface),
        cmocka_unit_test(R_001_140_L2_adds_the_whole_interface_and_transforms),
        cmocka_unit_test(R_001_140_R_001_141_L2_holds_back_the_metadata_alone),
        cmocka_unit_test(R_001_141_L3_shows_everything_with_examples_and_fixtures),
        cmocka_unit_test(the_examples_survive_being_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
