/* SPDX-License-Identifier: Apache-2.0 */
/* test_adapter_shape.c: what an adapter must say, may say, and may not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/adapter_doc.h"
#include "contract/disclose.h"
#include "unit/contract/check.h"

#define HEAD             \
    "adapter_id: A\n"    \
    "name: n\n"          \
    "version: '1.2.3'\n" \
    "tool_id: T\n"
#define TAIL                                                                          \
    "metadata: {author: me, created: '2026-01-16', updated: '2026-01-17T10:15:30Z', " \
    "status: active}\n"

/* clang-format off */
static const char cli[] = HEAD "type: cli\n"
    "interface: {cli: {executable: /usr/bin/rg, arg_mapping: {p: '{p}'}, env_mapping: {q: QUIET}}}\n" TAIL;
static const char api[] = HEAD "type: api\n"
    "interface: {api: {base_url: 'https://a.example/v1', auth_method: none, headers: {A: b}, endpoint_mapping: {get: 'GET /x/{id}'}}}\n" TAIL;
static const char sdk[] = HEAD "type: sdk\n"
    "interface: {sdk: {language: python, package: requests, import_path: requests.api, function_mapping: {get: get}}}\n" TAIL;
static const char mcp[] = HEAD "type: mcp\n"
    "interface: {mcp: {server: files, transport: stdio, tool_mapping: {read: read_file}}}\n" TAIL;
/* clang-format on */

#define LOGIN                                                                   \
    "the URL has a user name or a password in it; take out what stands before " \
    "the '@', and name it under `secrets` instead"

/* The two sides of a swap that add a line. */
#define MORE(more) "tool_id: T\n", "tool_id: T\n" more "\n"

static void refused(const char *text, const struct refusal *rows, size_t count)
{
    check_refusals(&adapter_shape, text, rows, count);
}

static void accepted(const char *text, const char *from, const char *to)
{
    check_accepts(&adapter_shape, text, from, to);
}

static void what_is_left_out_has_its_default(void **state)
{
    _checked_ struct checked c = { 0 };
    const struct adapter_doc *adapter = check_text(&c, &adapter_shape, cli);

    (void)state;
    check_clean(&c);
    assert_int_equal(adapter->transforms->input.n, 0);
    assert_int_equal(adapter->transforms->output.n, 0);
    assert_int_equal(adapter->errors->retry->max_attempts, 1);
    assert_int_equal(adapter->errors->retry->backoff_ms, 0);
    assert_null(adapter->errors->fallback);
    assert_int_equal(adapter->sandbox_override->timeout_ms, 0);
    assert_int_equal(adapter->sandbox_override->memory_mb, 0);
    assert_null(adapter->sandbox_override->network);
    assert_null(adapter->examples);
    accepted(cli, MORE("transforms: null\nerrors: null\nsandbox_override: null"));
    accepted(cli, MORE("errors: {retry: null, fallback: null}"));
    accepted(cli, MORE("sandbox_override: {timeout_ms: null, memory_mb: null, network: null}"));
}

static void R_001_082_R_001_083_R_001_084_an_adapter_has_name_version_and_tool(void **state)
{
    static const struct refusal rows[] = {
        { "adapter_id: A\n", "", "", CODE_VALIDATION_ERROR, "a tool adapter needs 'adapter_id'" },
        { "adapter_id: A", "adapter_id: ''", "/adapter_id", CODE_VALIDATION_ERROR,
          "adapter_id has 0 characters, allowed 1 or more" },
        { "name: n\n", "", "", CODE_VALIDATION_ERROR, "a tool adapter needs 'name'" },
        { "name: n", "name: ''", "/name", CODE_VALIDATION_ERROR,
          "name has 0 characters, allowed 1 or more" },
        { "version: '1.2.3'\n", "", "", CODE_VALIDATION_ERROR, "a tool adapter needs 'version'" },
        { "'1.2.3'", "'1.2'", "/version", CODE_VALIDATION_ERROR,
          "'1.2' is not a version such as 1.0.0" },
        { "'1.2.3'", "'v1.2.3'", "/version", CODE_VALIDATION_ERROR,
          "'v1.2.3' is not a version such as 1.0.0" },
        { "'1.2.3'", "1.2", "/version", CODE_VALIDATION_ERROR, "version is 1.2, must be text" },
        { "tool_id: T\n", "", "", CODE_VALIDATION_ERROR, "a tool adapter needs 'tool_id'" },
        { "tool_id: T", "tool_id: ''", "/tool_id", CODE_VALIDATION_ERROR,
          "tool_id has 0 characters, allowed 1 or more" },
        { MORE("tool_version: latest"), "/tool_version", CODE_VALIDATION_ERROR,
          "'latest' is not a tool version such as 13+" },
        { MORE("description: x"), "/description", CODE_VALIDATION_ERROR,
          "a tool adapter has no field 'description'" },
    };

    (void)state;
    refused(cli, rows, COUNT(rows));
    accepted(cli, MORE("tool_version: '13+'"));
}

static void R_001_085_type_is_one_of_four(void **state)
{
    static const struct refusal rows[] = {
        { "type: cli", "type: shell", "/type", CODE_VALIDATION_ERROR,
          "'shell' is not one of cli, api, sdk, mcp" },
        { "type: cli", "type: CLI", "/type", CODE_VALIDATION_ERROR,
          "'CLI' is not one of cli, api, sdk, mcp (did you mean 'cli'?)" },
        { "type: cli\n", "", "", CODE_VALIDATION_ERROR, "a tool adapter needs 'type'" },
    };

    (void)state;
    refused(cli, rows, COUNT(rows));
    for (size_t i = 0; i < ADAPTER_TYPE_COUNT; i++) {
        static const char *const texts[] = { cli, api, sdk, mcp };
        _checked_ struct checked c = { 0 };
        const struct adapter_doc *adapter = check_text(&c, &adapter_shape, texts[i]);

        check_clean(&c);
        assert_int_equal(adapter->type, i);
    }
}

static void R_001_085_the_interface_is_the_one_the_type_names(void **state)
{
    static const struct refusal rows[] = {
        { "interface: {cli: {",
          "interface: {mcp: {server: s, transport: http, tool_mapping: {a: b}}, cli: {",
          "/interface/mcp", CODE_VALIDATION_ERROR,
          "an adapter of type 'cli' must not have 'interface.mcp'" },
        { "interface: {cli: {executable: /usr/bin/rg, arg_mapping: {p: '{p}'}, env_mapping: {q: QUIET}}}",
          "interface: {}", "/interface", CODE_VALIDATION_ERROR,
          "an adapter of type 'cli' needs 'interface.cli'" },
        { "interface: {cli: {executable: /usr/bin/rg, arg_mapping: {p: '{p}'}, env_mapping: {q: QUIET}}}\n",
          "", "", CODE_VALIDATION_ERROR, "a tool adapter needs 'interface'" },
        { "interface: {cli: {", "interface: {grpc: {}, cli: {", "/interface/grpc",
          CODE_VALIDATION_ERROR,
          "a tool's interface has no field 'grpc'; it has cli, api, sdk, mcp" },
    };
    _checked_ struct checked c = { 0 };

    (void)state;
    refused(cli, rows, COUNT(rows));
    (void)check_text(&c, &adapter_shape, check_swap(&c.a, cli, "type: cli", "type: api"));
    assert_int_equal(c.report.errors, 2);
    assert_string_equal(c.report.first->msg, "an adapter of type 'api' needs 'interface.api'");
    assert_string_equal(c.report.first->next->msg,
                        "an adapter of type 'api' must not have 'interface.cli'");
}

static void R_001_086_R_001_088_R_001_089_cli(void **state)
{
    static const struct refusal rows[] = {
        { "executable: /usr/bin/rg, ", "", "/interface/cli", CODE_VALIDATION_ERROR,
          "a tool's cli interface needs 'executable'" },
        { "executable: /usr/bin/rg", "executable: ''", "/interface/cli/executable",
          CODE_VALIDATION_ERROR, "executable has 0 characters, allowed 1 or more" },
        { "executable: /usr/bin/rg", "executable: rg, base_args: --json",
          "/interface/cli/base_args", CODE_VALIDATION_ERROR,
          "base_args is '--json', must be a list of texts, as [\"--json\"]" },
        { "arg_mapping: {p: '{p}'}", "arg_mapping: {p: [a]}", "/interface/cli/arg_mapping/p",
          CODE_VALIDATION_ERROR, "arg_mapping is a list of 1, must be text" },
        { "arg_mapping: {p: '{p}'}", "arg_mapping: {p: ''}", "/interface/cli/arg_mapping/p",
          CODE_VALIDATION_ERROR, "arg_mapping has 0 characters, allowed 1 or more" },
        { "arg_mapping: {p: '{p}'}", "arg_mapping: {p: '--x={other}'}",
          "/interface/cli/arg_mapping/p", CODE_VALIDATION_ERROR,
          "'{other}' is no placeholder; there are {value} and {p}" },
        { "arg_mapping: {p: '{p}'}", "arg_mapping: {p: '{value'}", "/interface/cli/arg_mapping/p",
          CODE_VALIDATION_ERROR, "'{value' has no '}'; there are {value} and {p}" },
        { "arg_mapping: {p: '{p}'}", "arg_mapping: {p: '{value,x'}", "/interface/cli/arg_mapping/p",
          CODE_VALIDATION_ERROR, "'{value,x' has no '}'; there are {value} and {p}" },
        { "arg_mapping: {p: '{p}'}", "arg_mapping: {p: '-p={p:x y'}",
          "/interface/cli/arg_mapping/p", CODE_VALIDATION_ERROR,
          "'{p:x y' has no '}'; there are {value} and {p}" },
        { "arg_mapping: {p: '{p}'}", "arg_mapping: {p: '-p {vlaue} {p}'}",
          "/interface/cli/arg_mapping/p", CODE_VALIDATION_ERROR,
          "'{vlaue}' is no placeholder; there are {value} and {p}" },
        { "arg_mapping: {p: '{p}'}", "arg_mapping: [p]", "/interface/cli/arg_mapping",
          CODE_VALIDATION_ERROR, "arg_mapping is a list of 1, must be a map of texts" },
        { "{q: QUIET}", "{q: 1ST}", "/interface/cli/env_mapping/q", CODE_VALIDATION_ERROR,
          "'1ST' is not a variable name such as HTTP_PROXY: it may not begin with a digit" },
        { "{q: QUIET}", "{q: QUIET}, shell: true", "/interface/cli/shell", CODE_VALIDATION_ERROR,
          "a tool's cli interface has no field 'shell'; it has executable, base_args, arg_mapping, env_mapping, stdin_mapping" },
    };
    static const char *const fine[] = { "{value}", "-p {p.q}",     "--format={{.ID}}",
                                        "{{id}}",  "--in=*.{c,h}", "{}",
                                        "x{ y }" };

    (void)state;
    refused(cli, rows, COUNT(rows));
    for (size_t i = 0; i < COUNT(fine); i++) {
        _checked_ struct checked c = { 0 };
        const char *text = arena_printf(
            &c.a,
            HEAD "type: cli\ninterface: {cli: {executable: rg, arg_mapping: {p.q: '%s'}}}\n" TAIL,
            fine[i]);

        (void)check_text(&c, &adapter_shape, text);
        check_clean(&c);
    }
}

static void R_001_090_R_001_091_R_001_092_R_001_093_api(void **state)
{
    static const struct refusal rows[] = {
        { "base_url: 'https://a.example/v1', ", "", "/interface/api", CODE_VALIDATION_ERROR,
          "a tool's api interface needs 'base_url'" },
        { "'https://a.example/v1'", "'ftp://a.example'", "/interface/api/base_url",
          CODE_VALIDATION_ERROR,
          "'ftp://a.example' is not a URL such as https://api.example.com/v1: "
          "it must begin with https:// or http://" },
        { "'https://a.example/v1'", "'https://me:pw@a.example/v1'", "/interface/api/base_url",
          CODE_VALIDATION_ERROR, LOGIN },
        { "'https://a.example/v1'", "'https://me@a.example'", "/interface/api/base_url",
          CODE_VALIDATION_ERROR, LOGIN },
        { "'https://a.example/v1'", "'https://me:p/w@a.example'", "/interface/api/base_url",
          CODE_VALIDATION_ERROR, LOGIN },
        { "auth_method: none", "auth_method: digest", "/interface/api/auth_method",
          CODE_VALIDATION_ERROR, "'digest' is not one of none, api_key, oauth, bearer, basic" },
        { "endpoint_mapping: {get: 'GET /x/{id}'}", "endpoint_mapping: {}",
          "/interface/api/endpoint_mapping", CODE_VALIDATION_ERROR,
          "endpoint_mapping has 0 entries, allowed 1 or more" },
        { ", endpoint_mapping: {get: 'GET /x/{id}'}", "", "/interface/api", CODE_VALIDATION_ERROR,
          "a tool's api interface needs 'endpoint_mapping'" },
        { "'GET /x/{id}'", "'GET /x/{id'", "/interface/api/endpoint_mapping/get",
          CODE_VALIDATION_ERROR,
          "'GET /x/{id' has a brace that is not one of a pair around a name, as {id}" },
        { "'GET /x/{id}'", "'GET /x/{}'", "/interface/api/endpoint_mapping/get",
          CODE_VALIDATION_ERROR,
          "'GET /x/{}' has a brace that is not one of a pair around a name, as {id}" },
        { "'GET /x/{id}'", "'GET /x/id}'", "/interface/api/endpoint_mapping/get",
          CODE_VALIDATION_ERROR,
          "'GET /x/id}' has a brace that is not one of a pair around a name, as {id}" },
        { "'GET /x/{id}'", "'FETCH /x'", "/interface/api/endpoint_mapping/get",
          CODE_VALIDATION_ERROR,
          "'FETCH /x' is not an endpoint such as 'GET /resources/{id}' or '/resources'" },
        { "'GET /x/{id}'", "'GET x'", "/interface/api/endpoint_mapping/get", CODE_VALIDATION_ERROR,
          "'GET x' is not an endpoint such as 'GET /resources/{id}' or '/resources'" },
        { "'GET /x/{id}'", "'GET /x HTTP/1.1'", "/interface/api/endpoint_mapping/get",
          CODE_VALIDATION_ERROR,
          "'GET /x HTTP/1.1' is not an endpoint such as 'GET /resources/{id}' or '/resources'" },
        { "'GET /x/{id}'", "''", "/interface/api/endpoint_mapping/get", CODE_VALIDATION_ERROR,
          "'' is not an endpoint such as 'GET /resources/{id}' or '/resources'" },
        { "{A: b}", "{A: \"b\\r\\nC: d\"}", "/interface/api/headers/A", CODE_VALIDATION_ERROR,
          "the header 'A' must have a plain name, such as X-Page, and one line of text" },
        { "{A: b}", "{'': c}", "/interface/api/headers/", CODE_VALIDATION_ERROR,
          "the header '' must have a plain name, such as X-Page, and one line of text" },
        { "{A: b}", "{'A B': c}", "/interface/api/headers/A B", CODE_VALIDATION_ERROR,
          "the header 'A B' must have a plain name, such as X-Page, and one line of text" },
    };
    static const char *const methods[] = { "none", "api_key", "oauth", "bearer" };
    _checked_ struct checked c = { 0 };
    const struct adapter_doc *bare;

    (void)state;
    refused(api, rows, COUNT(rows));
    for (size_t i = 0; i < COUNT(methods); i++)
        accepted(api, "none", methods[i]);
    bare = check_text(&c, &adapter_shape, check_swap(&c.a, api, "auth_method: none, ", ""));
    check_clean(&c);
    assert_int_equal(bare->interface->api->auth_method, AUTH_NONE);
    accepted(api, "'GET /x/{id}'", "/x");
    accepted(api, "'GET /x/{id}'", "'DELETE /x/{id}?force=true'");
}

static void R_001_094_R_001_095_R_001_096_R_001_097_sdk(void **state)
{
    static const struct refusal rows[] = {
        { "language: python", "language: perl", "/interface/sdk/language", CODE_VALIDATION_ERROR,
          "'perl' is not one of python, node, go, rust" },
        { "language: python, ", "", "/interface/sdk", CODE_VALIDATION_ERROR,
          "a tool's sdk interface needs 'language'" },
        { "package: requests, ", "", "/interface/sdk", CODE_VALIDATION_ERROR,
          "a tool's sdk interface needs 'package'" },
        { "import_path: requests.api, ", "", "/interface/sdk", CODE_VALIDATION_ERROR,
          "a tool's sdk interface needs 'import_path'" },
        { "package: requests", "package: ''", "/interface/sdk/package", CODE_VALIDATION_ERROR,
          "package has 0 characters, allowed 1 or more" },
        { "import_path: requests.api", "import_path: ''", "/interface/sdk/import_path",
          CODE_VALIDATION_ERROR, "import_path has 0 characters, allowed 1 or more" },
        { "{get: get}", "{}", "/interface/sdk/function_mapping", CODE_VALIDATION_ERROR,
          "function_mapping has 0 entries, allowed 1 or more" },
        { "{get: get}", "{get: ''}", "/interface/sdk/function_mapping/get", CODE_VALIDATION_ERROR,
          "function_mapping has 0 characters, allowed 1 or more" },
        { "{get: get}", "{get: 5}", "/interface/sdk/function_mapping/get", CODE_VALIDATION_ERROR,
          "function_mapping is 5, must be text" },
        { ", function_mapping: {get: get}", "", "/interface/sdk", CODE_VALIDATION_ERROR,
          "a tool's sdk interface needs 'function_mapping'" },
    };

    (void)state;
    refused(sdk, rows, COUNT(rows));
    accepted(sdk, "python", "node");
    accepted(sdk, "python", "go");
    accepted(sdk, "python", "rust");
}

/* The contract has no example of one. */
static void R_001_094_R_001_095_R_001_096_R_001_097_sdk_is_read_as_given(void **state)
{
    const struct pair functions[] = { { str_of("get"), str_of("get") } };
    _checked_ struct checked c = { 0 };
    const struct adapter_doc *adapter = check_text(&c, &adapter_shape, sdk);
    _buf_ struct buf names = { .max = 4096 }, all = { .max = 4096 };

    (void)state;
    check_clean(&c);
    assert_int_equal(adapter->interface->sdk->language, SDK_PYTHON);
    check_is(adapter->interface->sdk->package, "requests");
    check_is(adapter->interface->sdk->import_path, "requests.api");
    check_pairs(&adapter->interface->sdk->function_mapping, functions, COUNT(functions));
    adapter_disclose(&c.document->root, L1, &names);
    assert_non_null(strstr(names.s, "\"interface\":{\"sdk\":{\"function_mapping\":[\"get\"]}}"));
    adapter_disclose(&c.document->root, L2, &all);
    assert_non_null(strstr(all.s, "{\"sdk\":{\"language\":\"python\",\"package\":\"requests\","
                                  "\"import_path\":\"requests.api\","
                                  "\"function_mapping\":{\"get\":\"get\"}}}"));
}

static void R_001_098_R_001_099_R_001_100_mcp(void **state)
{
    static const struct refusal rows[] = {
        { "server: files, ", "", "/interface/mcp", CODE_VALIDATION_ERROR,
          "a tool's mcp interface needs 'server'" },
        { "server: files", "server: ''", "/interface/mcp/server", CODE_VALIDATION_ERROR,
          "server has 0 characters, allowed 1 or more" },
        { "transport: stdio, ", "", "/interface/mcp", CODE_VALIDATION_ERROR,
          "a tool's mcp interface needs 'transport'" },
        { "{read: read_file}", "{}", "/interface/mcp/tool_mapping", CODE_VALIDATION_ERROR,
          "tool_mapping has 0 entries, allowed 1 or more" },
        { "transport: stdio", "transport: sse", "/interface/mcp/transport", CODE_VALIDATION_ERROR,
          "'sse' is not one of stdio, http, websocket" },
        { ", tool_mapping: {read: read_file}", "", "/interface/mcp", CODE_VALIDATION_ERROR,
          "a tool's mcp interface needs 'tool_mapping'" },
        { "{read: read_file}", "{read: ''}", "/interface/mcp/tool_mapping/read",
          CODE_VALIDATION_ERROR, "tool_mapping has 0 characters, allowed 1 or more" },
        { "transport: stdio", "transport: http, auth: {secret: t, in: query}",
          "/interface/mcp/auth/in", CODE_VALIDATION_ERROR,
          "a server's auth has no field 'in'; it has secret" },
        { "transport: stdio", "transport: http, url: 'http://me:pw@a.example/mcp'",
          "/interface/mcp/url", CODE_VALIDATION_ERROR, LOGIN },
        { "transport: stdio", "transport: websocket, url: 'ws://me@[::1]:80'", "/interface/mcp/url",
          CODE_VALIDATION_ERROR, LOGIN },
        { "transport: stdio", "transport: http, auth: {}", "/interface/mcp/auth",
          CODE_VALIDATION_ERROR, "a server's auth needs 'secret'" },
    };

    (void)state;
    refused(mcp, rows, COUNT(rows));
    accepted(mcp, "stdio", "http");
    accepted(mcp, "stdio", "http, url: 'http://[::1]:8080/mcp?to=me@a.example'");
    accepted(mcp, "stdio", "http, auth: {secret: token}");
    accepted(mcp, "stdio", "websocket");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_has_its_default),
        cmocka_unit_test(R_001_082_R_001_083_R_001_084_an_adapter_has_name_version_and_tool),
        cmocka_unit_test(R_001_085_type_is_one_of_four),
        cmocka_unit_test(R_001_085_the_interface_is_the_one_the_type_names),
        cmocka_unit_test(R_001_086_R_001_088_R_001_089_cli),
        cmocka_unit_test(R_001_090_R_001_091_R_001_092_R_001_093_api),
        cmocka_unit_test(R_001_094_R_001_095_R_001_096_R_001_097_sdk),
        cmocka_unit_test(R_001_094_R_001_095_R_001_096_R_001_097_sdk_is_read_as_given),
        cmocka_unit_test(R_001_098_R_001_099_R_001_100_mcp),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
