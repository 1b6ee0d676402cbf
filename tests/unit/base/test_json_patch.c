/* SPDX-License-Identifier: Apache-2.0 */
/* test_json_patch.c: JSON Patch (RFC 6902): what it does, and that it does all or nothing. */
#include "unit/base/trees.h"

#include "base/json_patch.h"

static struct work plenty(void)
{
    return (struct work){ .left = 1 << 26 };
}

/* The examples of appendix A that succeed, and then what the text says besides. */
static const struct {
    const char *document, *patch, *result;
} applied[] = {
    { "{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\"}]",
      "{\"baz\":\"qux\",\"foo\":\"bar\"}" },
    { "{\"foo\":[\"bar\",\"baz\"]}", "[{\"op\":\"add\",\"path\":\"/foo/1\",\"value\":\"qux\"}]",
      "{\"foo\":[\"bar\",\"qux\",\"baz\"]}" },
    { "{\"baz\":\"qux\",\"foo\":\"bar\"}", "[{\"op\":\"remove\",\"path\":\"/baz\"}]",
      "{\"foo\":\"bar\"}" },
    { "{\"foo\":[\"bar\",\"qux\",\"baz\"]}", "[{\"op\":\"remove\",\"path\":\"/foo/1\"}]",
      "{\"foo\":[\"bar\",\"baz\"]}" },
    { "{\"baz\":\"qux\",\"foo\":\"bar\"}",
      "[{\"op\":\"replace\",\"path\":\"/baz\",\"value\":\"boo\"}]",
      "{\"baz\":\"boo\",\"foo\":\"bar\"}" },
    { "{\"foo\":{\"bar\":\"baz\",\"waldo\":\"fred\"},\"qux\":{\"corge\":\"grault\"}}",
      "[{\"op\":\"move\",\"from\":\"/foo/waldo\",\"path\":\"/qux/thud\"}]",
      "{\"foo\":{\"bar\":\"baz\"},\"qux\":{\"corge\":\"grault\",\"thud\":\"fred\"}}" },
    { "{\"foo\":[\"all\",\"grass\",\"cows\",\"eat\"]}",
      "[{\"op\":\"move\",\"from\":\"/foo/1\",\"path\":\"/foo/3\"}]",
      "{\"foo\":[\"all\",\"cows\",\"eat\",\"grass\"]}" },
    { "{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}",
      "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"qux\"},"
      "{\"op\":\"test\",\"path\":\"/foo/1\",\"value\":2}]",
      "{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}" },
    { "{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/child\",\"value\":{\"grandchild\":{}}}]",
      "{\"child\":{\"grandchild\":{}},\"foo\":\"bar\"}" },
    { "{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\",\"xyz\":123}]",
      "{\"baz\":\"qux\",\"foo\":\"bar\"}" },
    { "{\"/\":9,\"~1\":10}", "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":10}]",
      "{\"/\":9,\"~1\":10}" },
    { "{\"foo\":[\"bar\"]}", "[{\"op\":\"add\",\"path\":\"/foo/-\",\"value\":[\"abc\",\"def\"]}]",
      "{\"foo\":[\"bar\",[\"abc\",\"def\"]]}" },

    { "{\"a\":1}", "[]", "{\"a\":1}" },
    { "{\"a\":1}", "[{\"op\":\"add\",\"path\":\"\",\"value\":[2]}]", "[2]" },
    { "{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":null}]", "null" },
    { "{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":null}]", "{\"a\":null}" },
    { "{\"a\":[1]}", "[{\"op\":\"copy\",\"from\":\"\",\"path\":\"/b\"}]",
      "{\"a\":[1],\"b\":{\"a\":[1]}}" },
    { "{\"a\":{\"b\":1}}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/c\"}]",
      "{\"a\":{\"b\":1,\"c\":{\"b\":1}}}" },
    { "{\"a\":{\"b\":1}}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"\"}]", "{\"b\":1}" },
    { "{\"a\":{\"b\":1}}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"\"}]", "{\"b\":1}" },
    { "{\"a\":1}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a\"}]", "{\"a\":1}" },
    { "[1,2,3]", "[{\"op\":\"move\",\"from\":\"/1\",\"path\":\"/1\"}]", "[1,2,3]" },
    { "[1,2,3]", "[{\"op\":\"move\",\"from\":\"/0\",\"path\":\"/-\"}]", "[2,3,1]" },
    { "[1,2,3]", "[{\"op\":\"move\",\"from\":\"\",\"path\":\"\"}]", "[1,2,3]" },
    { "[1,2]",
      "[{\"op\":\"remove\",\"path\":\"/1\"},{\"op\":\"remove\",\"path\":\"/0\"},"
      "{\"op\":\"add\",\"path\":\"/0\",\"value\":7},{\"op\":\"add\",\"path\":\"/1\",\"value\":8},"
      "{\"op\":\"add\",\"path\":\"/-\",\"value\":9}]",
      "[7,8,9]" },
    { "{\"a\":1}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":1.0}]", "{\"a\":1}" },
    { "{\"a\":{\"x\":1,\"y\":2}}",
      "[{\"op\":\"test\",\"path\":\"/a\",\"value\":{\"y\":2,\"x\":1}}]",
      "{\"a\":{\"x\":1,\"y\":2}}" },
    { "{\"0\":1,\"-\":2}",
      "[{\"op\":\"replace\",\"path\":\"/-\",\"value\":3},{\"op\":\"remove\",\"path\":\"/0\"}]",
      "{\"-\":3}" },
    { "{}",
      "[{\"op\":\"add\",\"path\":\"/a\",\"value\":[]},{\"op\":\"copy\",\"from\":\"/a\",\"path\":"
      "\"/b\"},{\"op\":\"add\",\"path\":\"/a/-\",\"value\":1}]",
      "{\"a\":[1],\"b\":[]}" },
};

static void patches_do_what_the_rfc_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(applied); i++) {
        _arena_ struct arena a = { 0 };
        const struct doc *document = tree(applied[i].document, &a);
        const struct doc *patch = tree(applied[i].patch, &a), *out = NULL;
        const char *was = canon(document, &a), *patch_was = canon(patch, &a);
        struct work w = plenty();
        struct error e = { 0 };

        if (!json_patch(document, patch, &w, &a, &out, &e))
            fail_msg("%s: %s", applied[i].patch, e.msg);
        assert_tree(out);
        assert_null(out->up);
        assert_string_equal(canon(out, &a), applied[i].result);
        assert_string_equal(canon(document, &a), was);
        assert_string_equal(canon(patch, &a), patch_was);
    }
}

#define FIRST "operation 1 of the patch "
static const struct {
    const char *document, *patch, *says;
} refused[] = {
    { "{\"baz\":\"qux\"}", "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"bar\"}]",
      FIRST "(test): '/baz' is another value" },
    { "{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz/bat\",\"value\":\"qux\"}]",
      FIRST "(add): nothing can be at '/baz/bat': no list or map is above it" },
    { "{\"/\":9,\"~1\":10}", "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":\"10\"}]",
      FIRST "(test): '/~01' is another value" },
    { "{}", "[{\"op\":\"test\",\"path\":\"\",\"value\":[]}]",
      FIRST "(test): the document is another value" },
    { "{\"a\":1}",
      "[{\"op\":\"add\",\"path\":\"/b\",\"value\":1},{\"op\":\"remove\",\"path\":\"/c\"}]",
      "operation 2 of the patch (remove): nothing is at '/c'" },
    { "{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"\"}]",
      FIRST "(remove): the whole document cannot be removed" },
    { "{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"/b\",\"value\":1}]",
      FIRST "(replace): nothing is at '/b'" },
    { "[1]", "[{\"op\":\"replace\",\"path\":\"/-\",\"value\":1}]",
      FIRST "(replace): nothing is at '/-'" },
    { "[1]", "[{\"op\":\"add\",\"path\":\"/2\",\"value\":1}]",
      FIRST "(add): item 2 of a list of 1: nothing is before it" },
    { "[1]", "[{\"op\":\"add\",\"path\":\"/01\",\"value\":1}]",
      FIRST "(add): '01' is not the number of an item, nor '-'" },
    { "[1]", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":1}]",
      FIRST "(add): 'a' is not the number of an item, nor '-'" },
    { "{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a/b\",\"value\":1}]",
      FIRST "(add): nothing can be at '/a/b': no list or map is above it" },
    { "{\"a\":{}}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a/b\"}]",
      FIRST "(move): '/a' cannot be moved into itself" },
    { "{\"a\":{}}", "[{\"op\":\"move\",\"from\":\"\",\"path\":\"/a\"}]",
      FIRST "(move): '' cannot be moved into itself" },
    { "{\"a\":1}", "[{\"op\":\"copy\",\"from\":\"/b\",\"path\":\"/c\"}]",
      FIRST "(copy): nothing is at '/b'" },
    { "{}", "[{\"op\":\"add\",\"path\":\"/a\"}]", FIRST "(add): it needs a 'value'" },
    { "{}", "[{\"op\":\"move\",\"path\":\"/a\"}]",
      FIRST "(move): it needs 'from', a JSON pointer" },
    { "{}", "[{\"op\":\"remove\"}]", FIRST "(remove): it needs 'path', a JSON pointer" },
    { "{}", "[{\"op\":\"remove\",\"path\":1}]", FIRST "(remove): it needs 'path', a JSON pointer" },
    { "{}", "[{\"op\":\"remove\",\"path\":\"a\"}]",
      FIRST "(remove): 'a' is no JSON pointer: it must begin with '/'" },
    { "{}", "[{\"op\":\"spam\",\"path\":\"\"}]",
      FIRST "has no 'op' that is add, remove, replace, move, copy or test" },
    { "{}", "[{\"path\":\"\"}]",
      FIRST "has no 'op' that is add, remove, replace, move, copy or test" },
    { "{}", "[7]", FIRST "is not a map" },
    { "{}", "{\"op\":\"remove\",\"path\":\"\"}", "a patch must be a list of operations" },
};

static void a_patch_that_fails_changes_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        _arena_ struct arena a = { 0 };
        const struct doc *document = tree(refused[i].document, &a), *out = NULL;
        const char *was = canon(document, &a);
        struct work w = plenty();
        struct error e = { 0 };

        assert_false(json_patch(document, tree(refused[i].patch, &a), &w, &a, &out, &e));
        assert_string_equal(e.msg, refused[i].says);
        assert_null(out);
        assert_string_equal(canon(document, &a), was);
    }
}

/* A list of a list of .. of nothing, and a patch that copies all of it into the innermost. */
static bool copy_into_itself(int depth, struct arena *a, struct error *e)
{
    _buf_ struct buf document = { .max = 1 << 20 }, patch = { .max = 1 << 20 };
    const struct doc *out = NULL;
    struct work w = plenty();
    bool done;

    for (int i = 0; i < 2 * depth; i++)
        buf_addc(&document, i < depth ? '[' : ']');
    buf_adds(&patch, "[{\"op\":\"copy\",\"from\":\"\",\"path\":\"");
    for (int i = 0; i < depth; i++)
        buf_adds(&patch, "/0");
    buf_adds(&patch, "\"}]");
    done = json_patch(tree(document.s, a), tree(patch.s, a), &w, a, &out, e);
    assert_int_equal(done, out != NULL);
    return done;
}

static void nothing_gets_deeper_than_a_reader_takes(void **state)
{
    _arena_ struct arena a = { 0 };
    struct error e = { 0 };

    (void)state;
    assert_true(copy_into_itself(64, &a, &e));
    assert_false(copy_into_itself(65, &a, &e));
    assert_string_equal(e.msg, "operation 1 of the patch (copy): the document would be 130 deep, "
                               "allowed 128");
}

static void copies_of_copies_use_up_the_work(void **state)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf patch = { .max = 1 << 20 };
    struct work w = plenty();
    struct error e = { 0 };
    const struct doc *out = NULL;

    (void)state;
    buf_adds(&patch, "[");
    for (int i = 0; i < 60; i++)
        buf_adds(&patch, "{\"op\":\"copy\",\"from\":\"\",\"path\":\"/-\"},");
    buf_adds(&patch, "{\"op\":\"test\",\"path\":\"/0\",\"value\":1}]");
    assert_false(json_patch(tree("[1]", &a), tree(patch.s, &a), &w, &a, &out, &e));
    assert_true(w.over);
    assert_string_equal(e.msg, "the work of a call is used up");
    assert_null(out);
}

static void work_may_end_at_any_step(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(applied); i++) {
        _arena_ struct arena a = { 0 };
        const struct doc *document = tree(applied[i].document, &a);
        const struct doc *patch = tree(applied[i].patch, &a), *out = NULL;
        const char *was = canon(document, &a);
        struct work w = plenty();
        struct error e = { 0 };
        uint64_t needed;

        assert_true(json_patch(document, patch, &w, &a, &out, &e));
        needed = (1 << 26) - w.left;
        for (uint64_t left = 0; left < needed; left++) {
            out = NULL;
            w = (struct work){ .left = left };
            assert_false(json_patch(document, patch, &w, &a, &out, &e));
            assert_true(w.over);
            assert_null(out);
        }
        assert_string_equal(canon(document, &a), was);
    }
}

/* Chance makes patches, most of which fail somewhere: the document stays as it was, and what comes
 * out is a right tree. */
static void draw_patch(uint64_t *seed, struct doc *patch, struct arena *a)
{
    static const char *const names[] = { "add", "remove", "replace", "move", "copy", "test" };
    static const char *const paths[] = { "",      "/a",   "/b",   "/0",   "/1", "/-",     "/a/0",
                                         "/a~1b", "/a/a", "/b/-", "/0/0", "/",  "/a/b/0", "/m~0n" };

    for (uint32_t n = 1 + draw(seed, 4); n > 0; n--) {
        struct doc *map = doc_add_kind(a, patch, NULL, DOC_MAP);

        doc_add_text(a, map, "op", str_of(names[draw(seed, COUNT(names))]));
        doc_add_text(a, map, "path", str_of(paths[draw(seed, COUNT(paths))]));
        doc_add_text(a, map, "from", str_of(paths[draw(seed, COUNT(paths))]));
        draw_value(seed, 2, doc_add(a, map, str_of("value")), a);
    }
}

static void any_patch_is_applied_wholly_or_not_at_all(void **state)
{
    uint64_t seed = 6902;
    int done = 0;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        _arena_ struct arena a = { 0 };
        const struct doc *document = draw_tree(&seed, 3, &a), *out = NULL;
        struct doc *patch = doc_root(&a, DOC_LIST);
        const char *was = canon(document, &a);
        struct work w = plenty();
        struct error e = { 0 };

        draw_patch(&seed, patch, &a);
        if (json_patch(document, patch, &w, &a, &out, &e)) {
            assert_tree(out);
            assert_null(out->up);
            done++;
        } else {
            assert_null(out);
            assert_int_equal(strncmp(e.msg, "operation ", 10), 0);
        }
        assert_string_equal(canon(document, &a), was);
    }
    assert_in_range(done, 300, 15000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_do_what_the_rfc_says),
        cmocka_unit_test(a_patch_that_fails_changes_nothing),
        cmocka_unit_test(nothing_gets_deeper_than_a_reader_takes),
        cmocka_unit_test(copies_of_copies_use_up_the_work),
        cmocka_unit_test(work_may_end_at_any_step),
        cmocka_unit_test(any_patch_is_applied_wholly_or_not_at_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
