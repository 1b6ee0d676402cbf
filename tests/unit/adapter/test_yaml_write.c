/* SPDX-License-Identifier: Apache-2.0 */
/* test_yaml_write.c: a document as YAML is the same document when it is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapter/import_yaml.h"
#include "base/json_write.h"
#include "base/yaml.h"
#include "unit/adapter/given.h"

static void what_is_written_as_YAML_reads_back_the_same(void **state)
{
    static const char *const rows[] = {
        "{\"a\":[],\"b\":{},\"c\":[[],[[1]],{\"d\":[{\"e\":null}]}]}",
        "[\"\",\" \",\"true\",\"No\",\"null\",\"~\",\"1\",\"-1.5\",\"0x1\",\"1e3\",\".inf\",\"2026-01-16\"]",
        "[\"a: b\",\"# c\",\"- d\",\"&e\",\"*f\",\"!g\",\"|\",\">\",\"%h\",\"@i\",\"`j\",\"{k\",\"[l\",\"?\",\":\"]",
        "[\"a\\nb\",\"\\u0001\\u007f\\u0085\\u2028\\ufeff\\ud83d\\udd11\",\"tab\\t\",\"\\\\\\\"'\",\"/p/{x}\"]",
        "{\"true\":1,\"\":2,\"a: b\":3,\"- x\":4,\"\\n\":5,\"1\":6,\"<<\":7,\"=\":8}",
        "[true,false,null,0,-7,1.5,1e300,9007199254740991]",
        "\"text\"",
        "{}",
        "[[[[\"deep\",{\"x\":{\"y\":[{\"z\":1},{\"w\":2}]}}]]]]",
    };

    (void)state;
    for (size_t k = 0; k < COUNT(rows); k++) {
        _arena_ struct arena a = { 0 };
        _buf_ struct buf out = { .max = 1 << 16 }, again = { .max = 1 << 16 },
                         before = { .max = 1 << 16 };
        struct ceilings max = ceilings_default();
        const struct doc *d = load_params(&a, str_of(rows[k]));
        const struct document *document;
        struct error e = { 0 };

        yaml_write(d, &out);
        if (!yaml_read("out.yaml", buf_str(&out), &max, &a, &document, &e))
            fail_msg("%s: %s in\n%s", rows[k], e.msg, out.s);
        json_doc(&before, d);
        json_doc(&again, &document->root);
        assert_string_equal(again.s, before.s);
    }
}

/* As many as our reader counts, in one text or in many. */
static void brackets_in_texts_do_not_keep_it_from_being_read(void **state)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf json = { .max = 1 << 20 }, out = { .max = 4 << 20 };
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e = { 0 };

    (void)state;
    buf_adds(&json, "[\"/{x}\",\"[a-z]{2}\"");
    for (int i = 0; i < 12000; i++)
        buf_adds(&json, ",\"[0, 1)\"");
    buf_adds(&json, ",\"");
    for (int i = 0; i < 12000; i++)
        buf_addc(&json, '{');
    for (int i = 0; i < 12000; i++)
        buf_addc(&json, '}');
    buf_adds(&json, "\"]");
    yaml_write(load_params(&a, buf_str(&json)), &out);
    assert_non_null(strstr(out.s, "\"/{x}\""));
    assert_non_null(strstr(out.s, "\"[a-z]{2}\""));
    if (!yaml_read("out.yaml", buf_str(&out), &max, &a, &document, &e))
        fail_msg("%s", e.msg);
    buf_reset(&out);
    json_doc(&out, &document->root);
    assert_string_equal(out.s, json.s);
}

/* Who reads an adapter before it is used sees all of it. */
static void what_nobody_would_see_is_escaped(void **state)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = 1 << 10 };

    (void)state;
    yaml_write(load_params(&a, str_of("\"a\\u202e\\u2066\\u200bb\\u061c\"")), &out);
    assert_string_equal(out.s, "\"a\\u202E\\u2066\\u200Bb\\u061C\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brackets_in_texts_do_not_keep_it_from_being_read),
        cmocka_unit_test(what_nobody_would_see_is_escaped),
        cmocka_unit_test(what_is_written_as_YAML_reads_back_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
