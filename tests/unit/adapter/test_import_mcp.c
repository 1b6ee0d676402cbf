/* SPDX-License-Identifier: Apache-2.0 */
/* test_import_mcp.c: the tools of a server become an adapter that is right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapter/import_mcp.h"
#include "adapter/mcp.h"
#include "base/doc_read.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "contract/adapter_doc.h"

static const char tools[] =
    "[{\"name\":\"read_file\",\"description\":\"Reads: \\\"it\\\" #1\\n- all\",\"inputSchema\":"
    "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"}}},\"outputSchema\":"
    "{\"type\":\"object\"},\"annotations\":{\"readOnlyHint\":true}},"
    "{\"name\":\"api.users/list\",\"inputSchema\":{\"type\":\"object\"},\"annotations\":"
    "{\"readOnlyHint\":false}},"
    "{\"name\":\"api users list\",\"title\":\"A title\",\"inputSchema\":{\"type\":\"object\"}},"
    "{\"name\":\"--help\",\"inputSchema\":{\"type\":\"object\",\"description\":\"a: b # c\"}}]";

struct made {
    struct arena a;
    struct mcp_imported out;
    struct adapter_doc doc;
    const struct doc *root;
    struct error e;
};

static const struct doc *read_json(const char *text, struct arena *a)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e;

    if (!json_read("tools", str_of(text), &max, a, &document, &e))
        fail_msg("%s", e.msg);
    return &document->root;
}

static void make(struct made *m, struct mcp_import_ask ask)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct report r;

    ask.tools = ask.tools ? ask.tools : read_json(tools, &m->a);
    ask.today = "2026-01-16";
    if (!import_mcp(&ask, &m->a, &m->out, &m->e))
        fail_msg("%s", m->e.msg);
    if (!doc_read("a.yaml", m->out.yaml, &max, &m->a, &document, &m->e))
        fail_msg("%s", m->e.msg);
    m->root = &document->root;
    r = report_new(&m->a, "a.yaml", m->out.yaml);
    assert_true(shape_decode(&adapter_shape, m->root, &r, &m->doc));
    assert_int_equal(r.errors, 0);
}

static struct str mapped(const struct made *m, const char *operation)
{
    return doc_text(doc_get(doc_get(doc_get(m->root, "interface"), "mcp"), "tool_mapping"),
                    operation);
}

static void R_001_100_each_tool_is_an_operation_under_a_good_name(void **state)
{
    struct made m = { 0 };
    struct operation_doc one;
    struct digest digest;
    char text[DIGEST_TEXT];

    (void)state;
    make(&m, (struct mcp_import_ask){ .server = read_json("{\"name\":\"my server\"}", &m.a) });
    assert_string_equal(m.out.adapter_id, "mcp-my-server");
    assert_int_equal(m.out.operations, 4);
    assert_int_equal(m.out.left_count, 0);
    assert_true(str_is(mapped(&m, "read_file"), "read_file"));
    assert_true(str_is(mapped(&m, "api_users_list"), "api.users/list"));
    assert_true(str_is(mapped(&m, "api_users_list_2"), "api users list"));
    assert_true(str_is(mapped(&m, "_-help"), "--help"));
    one = operation_of(m.root, str_of("read_file"), &m.a);
    assert_true(str_is(one.about, "Reads: \"it\" #1 - all"));
    assert_int_equal(one.effect, EFFECT_READ);
    assert_non_null(one.output);
    digest = mcp_tool_digest(read_json(tools, &m.a)->first, &m.a);
    digest_text(&digest, text);
    assert_true(str_is(one.digest, text));
    assert_int_equal(operation_of(m.root, str_of("api_users_list"), &m.a).effect, EFFECT_WRITE);
    one = operation_of(m.root, str_of("api_users_list_2"), &m.a);
    assert_int_equal(one.effect, EFFECT_UNKNOWN);
    assert_true(str_is(one.about, "A title"));
    arena_free(&m.a);
}

static void what_starts_it_or_where_it_is_stands_there(void **state)
{
    static const char *const argv[] = { "node", "a \"b\" {c}", NULL };
    struct made m = { 0 };
    const struct str *words;

    (void)state;
    make(&m, (struct mcp_import_ask){ .argv = argv, .name = "files", .tool = "TL-9" });
    assert_true(str_is(m.doc.adapter_id, "files"));
    assert_true(str_is(m.doc.tool_id, "TL-9"));
    words = m.doc.interface->mcp->command.v;
    assert_int_equal(m.doc.interface->mcp->command.n, 2);
    assert_true(str_is(words[1], argv[1]));
    arena_free(&m.a);
    m = (struct made){ 0 };
    make(&m, (struct mcp_import_ask){ .transport = TRANSPORT_HTTP,
                                      .url = "http://127.0.0.1:8080/mcp" });
    assert_int_equal(m.doc.interface->mcp->transport, TRANSPORT_HTTP);
    assert_true(str_is(m.doc.interface->mcp->url, "http://127.0.0.1:8080/mcp"));
    words = m.doc.sandbox_override->network->allow.v;
    assert_true(str_is(words[0], "127.0.0.1:8080"));
    arena_free(&m.a);
}

/* A tool's own schema is held against parameters before its server is asked. */
static void R_001_104_parameters_are_held_against_the_schemas_of_the_tools(void **state)
{
    static const char odd[] = "[{\"name\":\"odd\",\"inputSchema\":{\"type\":\"no such type\"}},"
                              "{\"name\":\"even\",\"inputSchema\":{\"type\":\"object\"}}]";
    struct made m = { 0 };
    const struct transform *first;

    (void)state;
    make(&m, (struct mcp_import_ask){ .tools = read_json(odd, &m.a) });
    assert_int_equal(m.doc.transforms->input.n, 1);
    first = m.doc.transforms->input.v;
    assert_int_equal(first->type, INPUT_VALIDATE);
    assert_true(str_is(first->spec->text, "json_schema"));
    assert_null(operation_of(m.root, str_of("odd"), &m.a).input);
    assert_non_null(operation_of(m.root, str_of("even"), &m.a).input);
    assert_int_equal(m.out.operations, 2);
    arena_free(&m.a);
}

static void patterns_choose(void **state)
{
    static const char *const include[] = { "api*list*", "read_*", NULL };
    static const char *const exclude[] = { "*_2", NULL };
    static const char *const none[] = { "nothing", NULL };
    struct made m = { 0 };
    struct mcp_import_ask nobody = { .include = none, .today = "2026-01-16" };

    (void)state;
    make(&m, (struct mcp_import_ask){ .include = include, .exclude = exclude });
    assert_int_equal(m.out.operations, 2);
    assert_int_equal(m.out.left_count, 2);
    assert_string_equal(m.out.left[0].operation, "api_users_list_2");
    assert_string_equal(m.out.left[0].why, "it is among those to exclude");
    assert_string_equal(m.out.left[1].operation, "_-help");
    nobody.tools = read_json(tools, &m.a);
    assert_false(import_mcp(&nobody, &m.a, &m.out, &m.e));
    assert_string_equal(m.e.msg, "no tool is left to call");
    arena_free(&m.a);
}

/* Words that YAML takes for something else than a text. */
static void a_tool_may_be_called_by_a_number_or_null(void **state)
{
    static const char *const names[] = { "404", "true", "null", "0x10", "1e3", "yes" };
    struct made m = { 0 };
    _buf_ struct buf list = { .max = 1000 };

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        buf_addf(&list, "%s{\"name\":\"%s\",\"inputSchema\":{\"type\":\"object\"}}", i ? "," : "[",
                 names[i]);
    buf_addc(&list, ']');
    make(&m, (struct mcp_import_ask){ .tools = read_json(arena_text(&m.a, buf_str(&list)), &m.a),
                                      .argv = (const char *const[]){ "server", NULL } });
    assert_int_equal(m.out.operations, COUNT(names));
    for (size_t i = 0; i < COUNT(names); i++)
        assert_non_null(doc_get(doc_get(m.root, "operations"), names[i]));
    arena_free(&m.a);
}

/* A tool is not lost for a bound of 64 bits, or for a character that YAML has no place for. */
static void a_schema_that_cannot_stand_there_leaves_the_tool(void **state)
{
    static const struct {
        const char *schema, *why;
    } rows[] = {
        { "{\"maximum\":18446744073709551615}", "18446744073709551615 cannot be held exactly" },
        { "{\"const\":\"a\\u0000b\"}", "has a NUL byte" },
        { "{\"const\":\"a\\\\u0000b\"}", NULL },
        { "{\"const\":\"a\\u007f\\u202e\\ufeffb\"}", NULL },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct made m = { 0 };
        struct ceilings max = ceilings_answer();
        const struct document *d = NULL;
        const struct doc *input;
        const char *list =
            arena_printf(&m.a, "[{\"name\":\"t\",\"description\":\"\\u202e\",\"inputSchema\":%s}]",
                         rows[i].schema);

        assert_true(json_read("tools", str_of(list), &max, &m.a, &d, &m.e));
        make(&m, (struct mcp_import_ask){ .tools = &d->root,
                                          .argv = (const char *const[]){ "server", NULL } });
        assert_int_equal(m.out.operations, 1);
        input = doc_get(doc_get(doc_get(m.root, "operations"), "t"), "input");
        assert_int_equal(input == NULL, rows[i].why != NULL);
        if (input) {
            _buf_ struct buf before = { .max = 1 << 10 }, after = { .max = 1 << 10 };

            json_doc(&before, doc_get(d->root.first, "inputSchema"));
            json_doc(&after, input);
            assert_string_equal(after.s, before.s);
            assert_null(strstr(m.out.yaml.s, "\xe2\x80\xae"));
        }
        if (rows[i].why && !strstr(m.out.yaml.s, rows[i].why))
            fail_msg("%s does not say %s", m.out.yaml.s, rows[i].why);
        arena_free(&m.a);
    }
}

/* A server may call its tools what it likes; it does not decide how long the import takes. */
static void many_tools_that_come_to_one_name_are_told_apart(void **state)
{
    enum { TOOLS = 1 << 12 };
    _buf_ struct buf list = { .max = 4 << 20 };
    struct made m = { 0 };

    (void)state;
    for (int i = 0; i < TOOLS; i++) {
        buf_addf(&list, "%s{\"inputSchema\":{\"type\":\"object\"},\"name\":\"t", i ? "," : "[");
        for (int bit = 1; bit < TOOLS; bit *= 2)
            buf_addc(&list, i & bit ? '.' : '/');
        buf_adds(&list, "\"}");
    }
    buf_addc(&list, ']');
    make(&m, (struct mcp_import_ask){ .tools = read_json(list.s, &m.a),
                                      .argv = (const char *const[]){ "server", NULL } });
    assert_int_equal(m.out.operations, TOOLS);
    assert_true(str_is(mapped(&m, "t_____________2"), "t.///////////"));
    arena_free(&m.a);
}

static void what_a_tool_is_shown_by_is_not_in_its_digest(void **state)
{
    static const char *const same[] = {
        "{\"name\":\"a\",\"inputSchema\":{\"b\":1,\"a\":2}}",
        "{\"inputSchema\":{\"a\":2,\"b\":1},\"name\":\"a\",\"_meta\":{\"x\":1},\"icons\":[]}",
    };
    _arena_ struct arena a = { 0 };
    struct digest one = mcp_tool_digest(read_json(same[0], &a), &a);
    struct digest two = mcp_tool_digest(read_json(same[1], &a), &a);
    struct digest other = mcp_tool_digest(
        read_json("{\"name\":\"a\",\"description\":\"b\",\"inputSchema\":{\"b\":1,\"a\":2}}", &a),
        &a);

    (void)state;
    assert_memory_equal(&one, &two, sizeof one);
    assert_memory_not_equal(&one, &other, sizeof one);
}

static void a_schema_that_cannot_be_held_to_is_told(void **state)
{
    struct made m = { 0 };

    (void)state;
    make(&m, (struct mcp_import_ask){
                 .tools = read_json("[{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\","
                                    "\"properties\":{\"p\":{\"pattern\":\"(?<!x)y\"}}}},"
                                    "{\"name\":\"b\",\"inputSchema\":{\"type\":\"object\"},"
                                    "\"outputSchema\":{\"type\":7}}]",
                                    &m.a) });
    assert_int_equal(m.out.operations, 2);
    assert_int_equal(m.out.left_count, 2);
    assert_string_equal(m.out.left[0].operation, "a");
    assert_non_null(strstr(m.out.left[0].why,
                           "only the schema of its input, which the server alone holds it to: its "
                           "schema is none: the pattern '(?<!x)y' cannot be used"));
    assert_string_equal(m.out.left[1].operation, "b");
    assert_non_null(strstr(m.out.left[1].why, "only the schema of its output"));
    arena_free(&m.a);
}

/* In YAML they are counted wherever they stand, those of all tools together. */
static void brackets_that_texts_leave_open_are_no_fault_of_other_tools(void **state)
{
    _buf_ struct buf list = { .max = 1 << 20 };
    struct made m = { 0 };
    const struct doc *about;

    (void)state;
    buf_addc(&list, '[');
    for (int i = 0; i < 3; i++) {
        buf_addf(&list,
                 "%s{\"name\":\"t%d\",\"inputSchema\":{\"type\":\"object\","
                 "\"title\":\"\\\"[a] {b}\\\\\",\"description\":\"\\\"",
                 i ? "," : "", i);
        for (int k = 0; k < 6000; k++)
            buf_addc(&list, k % 2 ? '{' : '[');
        buf_adds(&list, "\"}}");
    }
    buf_addc(&list, ']');
    make(&m, (struct mcp_import_ask){ .tools = read_json(buf_str(&list).s, &m.a) });
    assert_int_equal(m.out.operations, 3);
    assert_int_equal(m.out.left_count, 0);
    about = doc_get(doc_get(doc_get(m.root, "operations"), "t2"), "input");
    assert_true(str_is(doc_text(about, "title"), "\"[a] {b}\\"));
    assert_int_equal(doc_text(about, "description").n, 6001);
    assert_true(str_begins(doc_text(about, "description"), "\"[{[{"));
    assert_non_null(
        strstr(m.out.yaml.s, "[a] {b}")); /* what is closed is left for people to read */
    arena_free(&m.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_100_each_tool_is_an_operation_under_a_good_name),
        cmocka_unit_test(what_starts_it_or_where_it_is_stands_there),
        cmocka_unit_test(R_001_104_parameters_are_held_against_the_schemas_of_the_tools),
        cmocka_unit_test(patterns_choose),
        cmocka_unit_test(a_tool_may_be_called_by_a_number_or_null),
        cmocka_unit_test(a_schema_that_cannot_stand_there_leaves_the_tool),
        cmocka_unit_test(many_tools_that_come_to_one_name_are_told_apart),
        cmocka_unit_test(what_a_tool_is_shown_by_is_not_in_its_digest),
        cmocka_unit_test(a_schema_that_cannot_be_held_to_is_told),
        cmocka_unit_test(brackets_that_texts_leave_open_are_no_fault_of_other_tools),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
