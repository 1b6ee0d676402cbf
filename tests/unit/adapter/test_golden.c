/* SPDX-License-Identifier: Apache-2.0 */
/* test_golden.c: golden outputs: recorded, read back, compared, told apart (contract 001). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "adapter/golden.h"
#include "base/fs.h"
#include "base/json_read.h"

struct ground {
    struct arena a;
    char project[64];
    struct golden golden;
};

static const struct doc *read_doc(struct ground *g, const char *text)
{
    struct ceilings max = ceilings_default();
    const struct document *d;
    struct error e;

    assert_true(json_read("x", str_of(text), &max, &g->a, &d, &e));
    return &d->root;
}

static int begin(void **state)
{
    struct ground *g = mem_zeroed(sizeof *g);

    memcpy(g->project, "/tmp/writ-golden-XXXXXX", sizeof "/tmp/writ-golden-XXXXXX");
    assert_non_null(mkdtemp(g->project));
    g->golden = (struct golden){
        .name = str_of("todos"),
        .adapter = str_of("ADP-001"),
        .operation = str_of("search"),
        .params = read_doc(g, "{\"pattern\":\"TODO\",\"path\":\"src\"}"),
        .output = { .doc = read_doc(g, "{\"n\":2,\"lines\":[{\"at\":3},{\"at\":7}],\"a\":[]}") },
        .adapter_version = str_of("1.0.0"),
    };
    *state = g;
    return 0;
}

static int end(void **state)
{
    struct ground *g = *state;
    struct error e;

    assert_true(fs_remove(g->project, &e));
    arena_free(&g->a);
    free(g);
    return 0;
}

static const char *save(struct ground *g, bool replace)
{
    const char *path = NULL;
    struct error e;

    assert_true(golden_save(g->project, &g->golden, replace, &g->a, &path, &e));
    return path;
}

static struct golden only(struct ground *g)
{
    struct goldens all;
    struct error e;

    assert_true(golden_list(g->project, NULL, &g->a, &all, &e));
    assert_int_equal(all.n, 1);
    return all.v[0];
}

static const char *text_of(struct ground *g, const char *path)
{
    struct str text;
    struct error e;

    assert_true(fs_read(path, 1 << 20, &g->a, &text, &e));
    return text.s;
}

/* ---- files ---- */

static void R_001_157_a_golden_output_is_a_file_that_a_review_can_read(void **state)
{
    struct ground *g = *state;
    const char *path = save(g, false);
    struct stat s;

    assert_string_equal(path + strlen(g->project), "/.writ/golden/ADP-001.search.todos.json");
    assert_string_equal(text_of(g, path), "{\n"
                                          "  \"adapter\": \"ADP-001\",\n"
                                          "  \"adapter_version\": \"1.0.0\",\n"
                                          "  \"name\": \"todos\",\n"
                                          "  \"operation\": \"search\",\n"
                                          "  \"output\": {\n"
                                          "    \"a\": [],\n"
                                          "    \"lines\": [\n"
                                          "      {\n"
                                          "        \"at\": 3\n"
                                          "      },\n"
                                          "      {\n"
                                          "        \"at\": 7\n"
                                          "      }\n"
                                          "    ],\n"
                                          "    \"n\": 2\n"
                                          "  },\n"
                                          "  \"params\": {\n"
                                          "    \"path\": \"src\",\n"
                                          "    \"pattern\": \"TODO\"\n"
                                          "  }\n"
                                          "}\n");
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0644);
}

static void R_001_157_what_was_recorded_is_read_back(void **state)
{
    struct ground *g = *state;
    struct golden back;

    g->golden.adapter_digest = str_of("sha256:00");
    g->golden.tool_version = str_of("14.1.0");
    (void)save(g, false);
    back = only(g);
    assert_true(str_is(back.name, "todos"));
    assert_true(str_is(back.adapter, "ADP-001"));
    assert_true(str_is(back.operation, "search"));
    assert_true(str_is(back.adapter_version, "1.0.0"));
    assert_true(str_is(back.adapter_digest, "sha256:00"));
    assert_true(str_is(back.tool_version, "14.1.0"));
    assert_true(str_is(doc_text(back.params, "pattern"), "TODO"));
    assert_true(golden_same(&back, &g->golden.output, &g->a));
}

static void R_001_157_outputs_of_every_kind_come_back_as_they_were(void **state)
{
    static const struct str rows[] = {
        { "", 0 },         { "\n", 1 },   { "one", 3 },        { "one\n", 4 },
        { "a\n\nb\n", 5 }, { "\xff", 1 }, { "a\0b\n\xfe", 5 }, { "tab\tquote\"\n", 11 },
    };
    static const char *const values[] = { "null", "[]", "\"text\"", "0.5", "{\"\":[null,true]}" };
    struct ground *g = *state;
    struct golden back;

    for (size_t i = 0; i < COUNT(rows); i++) {
        g->golden.output = (struct value){ .bytes = rows[i] };
        (void)save(g, i > 0);
        back = only(g);
        assert_null(back.output.doc);
        assert_int_equal(back.output.bytes.n, rows[i].n);
        assert_true(golden_same(&back, &g->golden.output, &g->a));
    }
    for (size_t i = 0; i < COUNT(values); i++) {
        g->golden.output = (struct value){ .doc = read_doc(g, values[i]) };
        (void)save(g, true);
        back = only(g);
        assert_non_null(back.output.doc);
        assert_true(golden_same(&back, &g->golden.output, &g->a));
    }
}

static void R_001_157_one_that_is_there_changes_only_by_force(void **state)
{
    struct ground *g = *state;
    const char *path = save(g, false), *before = text_of(g, path), *again = NULL;
    struct error e;

    g->golden.output.doc = read_doc(g, "1");
    assert_false(golden_save(g->project, &g->golden, false, &g->a, &again, &e));
    assert_non_null(strstr(e.msg, "is there already; --force records it again"));
    assert_string_equal(text_of(g, path), before);
    (void)save(g, true);
    assert_int_equal(only(g).output.doc->whole, 1);
}

static void R_001_157_what_may_differ_is_kept_when_it_is_recorded_again(void **state)
{
    struct ground *g = *state;
    struct str pointer = str_of("/n");
    struct golden back;

    g->golden.may_differ = (struct items){ &pointer, 1 };
    (void)save(g, false);
    g->golden.may_differ = (struct items){ 0 };
    g->golden.output.doc = read_doc(g, "{\"n\":3}");
    (void)save(g, true);
    back = only(g);
    assert_int_equal(back.may_differ.n, 1);
    assert_true(str_is(*(const struct str *)back.may_differ.v, "/n"));
}

static void two_operations_that_share_a_file_name_are_told_apart(void **state)
{
    struct ground *g = *state;
    const char *path;
    struct error e;

    g->golden.operation = str_of("a/b");
    path = save(g, false);
    assert_non_null(strstr(path, "/ADP-001.a_b.todos.json"));
    g->golden.operation = str_of("a.b");
    assert_false(golden_save(g->project, &g->golden, true, &g->a, &path, &e));
    assert_non_null(strstr(e.msg, "is of ADP-001.a/b; give the new one another name"));
}

static void names_are_plain(void **state)
{
    static const char long_one[] =
        "a-name-of-65-characters-which-is-one-more-than-a-case-may-have-aa";
    static const char *const wrong[] = { "", "..", "a/b", "A", "a b", "a.b", "\xc3\xa4", long_one };
    struct error e;

    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_false(golden_name(str_of(wrong[i]), &e));
    assert_int_equal(e.code, CODE_PARAMETER_REFUSED);
    assert_true(golden_name(str_of("no-match-2"), &e));
}

static void a_file_that_is_wrong_is_said_with_its_place(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        { "{", "case.json:1:2" },
        { "{\"adapter\":\"A\",\"name\":\"x\",\"operation\":\"o\",\"params\":{}}",
          "a golden output has one of output, lines and base64" },
        { "{\"adapter\":\"A\",\"name\":\"x\",\"operation\":\"o\",\"params\":{},\"output\":1,"
          "\"base64\":\"\"}",
          "a golden output has one of output, lines and base64" },
        { "{\"adapter\":\"A\",\"name\":\"x\",\"operation\":\"o\",\"params\":{},\"base64\":\"*\"}",
          "base64 is no base64" },
        { "{\"adapter\":\"A\",\"name\":\"x\",\"operation\":\"o\",\"params\":{},\"lines\":[]}",
          "lines" },
        { "{\"adapter\":\"A\",\"name\":\"X\",\"operation\":\"o\",\"params\":{},\"output\":1}",
          "'X' is no name of a golden output" },
        { "{\"adapter\":\"A\",\"name\":\"x\",\"operation\":\"o\",\"params\":[],\"output\":1}",
          "params" },
        { "{\"adapter\":\"A\",\"name\":\"x\",\"operation\":\"o\",\"params\":{},\"output\":1,"
          "\"volatile\":[\"n\"]}",
          "'n'" },
        { "{\"adapter\":\"A\",\"name\":\"x\",\"operation\":\"o\",\"params\":{},\"output\":1,"
          "\"more\":1}",
          "more" },
    };
    struct ground *g = *state;
    const char *path;
    struct goldens all;
    struct error e;

    (void)save(g, false);
    path = arena_printf(&g->a, "%s/.writ/golden/case.json", g->project);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(fs_write(path, str_of(rows[i].text), &e));
        assert_true(golden_list(g->project, NULL, &g->a, &all, &e));
        assert_int_equal(all.n, 2);
        assert_null(all.v[0].wrong); /* the other one is read all the same */
        assert_true(str_is(all.v[1].name, "case"));
        assert_non_null(all.v[1].wrong);
        assert_non_null(strstr(all.v[1].wrong->msg, path));
        assert_non_null(strstr(all.v[1].wrong->msg, rows[i].says));
    }
}

static void no_link_is_followed_to_a_file(void **state)
{
    struct ground *g = *state;
    const char *path = save(g, false), *away = arena_printf(&g->a, "%s/away", g->project);
    struct golden_files files;
    struct golden one;
    struct error e;

    assert_int_equal(rename(path, away), 0);
    assert_int_equal(symlink(away, path), 0);
    one = only(g);
    assert_non_null(one.wrong);
    assert_non_null(strstr(one.wrong->msg, "todos.json: is a link, expected a file"));
    assert_true(golden_files(g->project, &g->a, &files, &e));
    assert_int_equal(files.n, 1);
    assert_non_null(strstr(files.v[0].wrong->msg, "todos.json: is a link, expected a file"));
    assert_false(golden_save(g->project, &g->golden, false, &g->a, &path, &e));
    assert_non_null(strstr(e.msg, "is there already"));
    assert_false(golden_save(g->project, &g->golden, true, &g->a, &path, &e));
    assert_non_null(strstr(e.msg, "is a link, expected a file"));
}

static void no_link_is_followed_to_the_directory(void **state)
{
    static const char *const links[] = { ".writ/golden", ".writ" };
    struct ground *g = *state;
    const char *away = arena_printf(&g->a, "%s/away", g->project), *path;
    struct goldens all;
    struct error e;

    for (size_t i = 0; i < COUNT(links); i++) {
        const char *link = arena_printf(&g->a, "%s/%s", g->project, links[i]);

        (void)save(g, true);
        assert_int_equal(rename(link, away), 0);
        assert_int_equal(symlink(away, link), 0);
        assert_false(golden_list(g->project, NULL, &g->a, &all, &e));
        assert_non_null(strstr(e.msg, "a link is on the way to it"));
        assert_false(golden_save(g->project, &g->golden, true, &g->a, &path, &e));
        assert_non_null(strstr(e.msg, "a link is on the way to it"));
        assert_int_equal(unlink(link), 0);
        assert_true(fs_remove(away, &e));
    }
}

static void there_may_be_none(void **state)
{
    struct ground *g = *state;
    struct goldens all;
    struct error e;

    assert_true(golden_list(g->project, NULL, &g->a, &all, &e));
    assert_int_equal(all.n, 0);
}

/* ---- comparing ---- */

struct pair_row {
    const char *before, *now, *may_differ, *diff; /* diff "": they are the same */
};

static void compare(struct ground *g, const struct pair_row *row, bool json)
{
    _buf_ struct buf diff = { .max = 1 << 20 };
    struct str pointer = str_of(row->may_differ ? row->may_differ : "");
    struct golden golden = g->golden;
    struct value now;

    golden.may_differ = (struct items){ &pointer, row->may_differ ? 1 : 0 };
    if (json) {
        golden.output = (struct value){
            .doc =
                doc_get(read_doc(g, arena_printf(&g->a, "{\"output\":%s}", row->before)), "output")
        };
        now = (struct value){ .doc = read_doc(g, row->now) };
    } else {
        golden.output = (struct value){ .bytes = str_of(row->before) };
        now = (struct value){ .bytes = str_of(row->now) };
    }
    assert_int_equal(golden_same(&golden, &now, &g->a), row->diff[0] == '\0');
    golden_diff(&golden, &now, &g->a, &diff);
    assert_string_equal(diff.len ? diff.s : "", row->diff);
}

static void R_001_157_json_is_compared_by_value_and_told_by_pointer(void **state)
{
    static const struct pair_row rows[] = {
        { "{\"a\":1,\"b\":2}", "{\"b\":2.0,\"a\":1}", NULL, "" },
        { "1", "2", NULL, "- 1\n+ 2\n" },
        { "{\"a\":1}", "{\"a\":2}", NULL, "- /a: 1\n+ /a: 2\n" },
        { "{\"a\":1,\"b\":1}", "{\"b\":1,\"c\":[1]}", NULL, "- /a: 1\n+ /c: [1]\n" },
        { "[1,2,3]", "[0,1,2,3]", NULL, "+ /0: 0\n" },
        { "[1,2,3,4]", "[1,3,4]", NULL, "- /1: 2\n" },
        { "[{\"a\":1,\"b\":1},5]", "[{\"a\":2,\"b\":1},5]", NULL, "- /0/a: 1\n+ /0/a: 2\n" },
        { "[1,2]", "{}", NULL, "- [1,2]\n+ {}\n" },
        { "null", "false", NULL, "- null\n+ false\n" },
        { "{\"a/b\":{\"c~d\":1}}", "{\"a/b\":{\"c~d\":2}}", NULL,
          "- /a~1b/c~0d: 1\n+ /a~1b/c~0d: 2\n" },
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        compare(*state, &rows[i], true);
}

static void R_001_157_what_may_differ_is_left_out(void **state)
{
    static const struct pair_row rows[] = {
        { "{\"a\":1,\"t\":5}", "{\"a\":1,\"t\":6}", "/t", "" },
        { "{\"a\":1,\"t\":5}", "{\"a\":1}", "/t", "" },
        { "{\"a\":1,\"t\":5}", "{\"a\":2,\"t\":6}", "/t", "- /a: 1\n+ /a: 2\n" },
        { "{\"a\":1}", "{\"a\":2}", "/none/there", "- /a: 1\n+ /a: 2\n" },
        { "[1,2,3]", "[1,9,3]", "/1", "" },
        { "[1,2,3]", "[1,9,4]", "/1", "- /2: 3\n+ /2: 4\n" },
        { "[{\"t\":1},{\"t\":2}]", "[{\"t\":3},{\"t\":4}]", "/*/t", "" },
        { "[{\"t\":1},{\"t\":2}]", "[{\"t\":3}]", "/*/t", "- /1: {}\n" },
        { "[1,2]", "[3,4]", "/*", "" },
        { "{\"*\":1,\"a\":1}", "{\"*\":2,\"a\":2}", "/*", "- /a: 1\n+ /a: 2\n" },
        { "1", "2", "", "" },
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        compare(*state, &rows[i], true);
}

static void R_001_157_text_is_compared_by_byte_and_told_as_a_unified_diff(void **state)
{
    static const struct pair_row rows[] = {
        { "a\nb\n", "a\nb\n", NULL, "" },
        { "a\nb\n", "a\nc\n", NULL, "@@ -1,2 +1,2 @@\n a\n-b\n+c\n" },
        { "", "a\n", NULL, "@@ -0,0 +1,1 @@\n+a\n" },
        { "a\n", "", NULL, "@@ -1,1 +0,0 @@\n-a\n" },
        { "a\n", "a", NULL, "@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n" },
        { "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\nx\n", NULL,
          "@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+x\n" },
        { "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "x\n2\n3\n4\n5\n6\n7\n8\ny\n", NULL,
          "@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n" },
        { "1\n2\n3\n4\n5\n6\n7\n8\n", "x\n2\n3\n4\n5\n6\n7\ny\n", NULL,
          "@@ -1,8 +1,8 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n" },
        { "\xff"
          "a",
          "\xff"
          "b",
          NULL, "- 2 bytes\n+ 2 bytes, the same up to byte 1\n" },
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        compare(*state, &rows[i], false);
}

static void a_value_is_not_bytes(void **state)
{
    struct ground *g = *state;
    _buf_ struct buf diff = { .max = 4096 };
    struct value now = { .bytes = str_of("2") };

    g->golden.output.doc = read_doc(g, "2");
    assert_false(golden_same(&g->golden, &now, &g->a));
    golden_diff(&g->golden, &now, &g->a, &diff);
    assert_string_equal(diff.s, "- 2\n+ 1 bytes\n");
}

static void long_lists_of_differences_and_long_values_are_cut(void **state)
{
    struct ground *g = *state;
    _buf_ struct buf before = { .max = 1 << 20 }, diff = { .max = 1 << 20 };
    struct value now = { .doc = read_doc(g, "{}") };

    buf_adds(&before, "{\"a\":\"");
    for (int i = 0; i < 300; i++)
        buf_adds(&before, "\xc3\xa4");
    buf_adds(&before, "\"");
    for (int i = 0; i < 300; i++)
        buf_addf(&before, ",\"k%d\":%d", i, i);
    buf_adds(&before, "}");
    g->golden.output.doc = read_doc(g, before.s);
    golden_diff(&g->golden, &now, &g->a, &diff);
    assert_non_null(strstr(diff.s, "\xc3\xa4…\n"));
    assert_non_null(strstr(diff.s, "… and 101 more\n"));
}

#define ONE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONE(R_001_157_a_golden_output_is_a_file_that_a_review_can_read),
        ONE(R_001_157_what_was_recorded_is_read_back),
        ONE(R_001_157_outputs_of_every_kind_come_back_as_they_were),
        ONE(R_001_157_one_that_is_there_changes_only_by_force),
        ONE(R_001_157_what_may_differ_is_kept_when_it_is_recorded_again),
        ONE(two_operations_that_share_a_file_name_are_told_apart),
        ONE(names_are_plain),
        ONE(a_file_that_is_wrong_is_said_with_its_place),
        ONE(no_link_is_followed_to_a_file),
        ONE(no_link_is_followed_to_the_directory),
        ONE(there_may_be_none),
        ONE(R_001_157_json_is_compared_by_value_and_told_by_pointer),
        ONE(R_001_157_what_may_differ_is_left_out),
        ONE(R_001_157_text_is_compared_by_byte_and_told_as_a_unified_diff),
        ONE(a_value_is_not_bytes),
        ONE(long_lists_of_differences_and_long_values_are_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
