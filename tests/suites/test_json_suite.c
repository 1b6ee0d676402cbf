/* SPDX-License-Identifier: Apache-2.0 */
/* test_json_suite.c: JSONTestSuite, every case, beside jansson. */
#include <jansson.h>

#include "base/json_read.h"
#include "suites/suite.h"

/* Accepted by most readers, refused here on purpose. */
static const char *const refused[] = { "y_object_duplicated_key.json",
                                       "y_object_duplicated_key_and_value.json",
                                       "y_object_escaped_null_in_key.json" };

static bool same(const struct doc *d, const json_t *j)
{
    const struct doc *c = d->first;

    switch (json_typeof(j)) {
    case JSON_NULL: return d->kind == DOC_NULL;
    case JSON_TRUE: return d->kind == DOC_BOOL && d->truth;
    case JSON_FALSE: return d->kind == DOC_BOOL && !d->truth;
    case JSON_INTEGER:
        return d->kind == DOC_INT ? d->whole == json_integer_value(j)
                                  : d->number == (double)json_integer_value(j);
    case JSON_REAL: return d->kind == DOC_NUMBER && d->number == json_real_value(j);
    case JSON_STRING:
        return d->kind == DOC_TEXT &&
               str_eq(d->text, (struct str){ json_string_value(j), json_string_length(j) });
    case JSON_ARRAY:
        if (d->kind != DOC_LIST || d->count != json_array_size(j))
            return false;
        for (size_t i = 0; c; c = c->next, i++)
            if (!same(c, json_array_get(j, i)))
                return false;
        return true;
    case JSON_OBJECT:
        if (d->kind != DOC_MAP || d->count != json_object_size(j))
            return false;
        for (; c; c = c->next) {
            json_t *member = json_object_getn(j, c->key.s, c->key.n);

            if (!member || !same(c, member))
                return false;
        }
        return true;
    }
    return false;
}

static bool must_refuse(const char *name)
{
    for (size_t i = 0; i < COUNT(refused); i++)
        if (strcmp(name, refused[i]) == 0)
            return true;
    return name[0] == 'n';
}

static void one(const char *dir, const char *name)
{
    _arena_ struct arena a = { 0 };
    struct ceilings max = ceilings_default();
    struct str text = suite_file(dir, name, &a);
    const struct document *document = NULL;
    struct error e = { 0 };
    json_error_t je;
    bool ours = json_read(name, text, &max, &a, &document, &e);
    json_t *theirs =
        json_loadb(text.s, text.n, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &je);

    if (must_refuse(name))
        suite_case(!ours && e.at.line > 0, name, "accepted, or refused without a place");
    else if (name[0] == 'y')
        suite_case(ours, name, "refused: %s", e.msg);
    else
        suite_case(true, name, "no crash");
    if (ours && theirs)
        suite_case(same(&document->root, theirs), arena_printf(&a, "%s as jansson", name),
                   "another value than jansson's");
    else if (ours != (theirs != NULL) && name[0] != 'i')
        suite_case(must_refuse(name) != ours, arena_printf(&a, "%s unlike jansson", name),
                   "ours %d: %s; jansson's: %s", ours, e.msg, je.text);
    json_decref(theirs);
}

int main(void)
{
    const char *dir = suite_dir("JSONTestSuite/test_parsing");
    struct dirent **names;
    int n;

    if (!dir)
        return 0;
    n = scandir(dir, &names, suite_no_dots, alphasort);
    for (int i = 0; i < n; i++) {
        one(dir, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    return suite_end();
}
