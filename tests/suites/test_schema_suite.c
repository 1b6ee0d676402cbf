/* SPDX-License-Identifier: Apache-2.0 */
/* test_schema_suite.c: JSON-Schema-Test-Suite: everything required of 2020-12 and draft-07; the
 * optional parts are counted. */
#include <ftw.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/jsonschema.h"
#include "suites/suite.h"

enum { KNOWN_MAX = 200, STEPS = 10 << 20 };

static struct schema_known known[KNOWN_MAX];
static size_t known_count, remotes_home;
static struct arena remotes;

/* A part of the suite: a directory, its draft, and whether formats are checked in it. */
struct part {
    const char *dir;
    enum schema_draft draft;
    bool formats, optional;
};

static const struct part parts[] = {
    { "draft2020-12", SCHEMA_2020_12, false, false },
    { "draft7", SCHEMA_DRAFT_07, false, false },
    { "draft2020-12/optional", SCHEMA_2020_12, false, true },
    { "draft7/optional", SCHEMA_DRAFT_07, false, true },
    { "draft2020-12/optional/format", SCHEMA_2020_12, true, true },
    { "draft7/optional/format", SCHEMA_DRAFT_07, true, true },
};

static int add_remote(const char *file, const struct stat *st, int type, struct FTW *at)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct str text = { 0 };
    struct error e;

    (void)st;
    (void)at;
    if (type == FTW_F && known_count < KNOWN_MAX && fs_read(file, 1 << 20, &remotes, &text, &e) &&
        json_read(file, text, &max, &remotes, &document, &e))
        known[known_count++] = (struct schema_known){
            arena_printf(&remotes, "http://localhost:1234%s", file + remotes_home), document
        };
    return 0;
}

/* A value of the suite's file as a document of its own. */
static const struct document *alone(const struct doc *d, struct arena *a)
{
    _buf_ struct buf text = { .max = 1 << 20 };
    struct ceilings max = ceilings_default();
    const struct document *document = NULL;
    struct str kept;
    struct error e;

    json_doc(&text, d);
    kept = (struct str){ arena_text(a, buf_str(&text)), text.len };
    if (!json_read("schema", kept, &max, a, &document, &e))
        return NULL;
    return document;
}

static const char *first_problem(const struct report *r)
{
    const struct problem *p = r->first;

    while (p && p->next)
        p = p->next;
    return p ? p->msg : "nothing";
}

/* One row of the suite: true if the verdict is the suite's. Its words are looked for, too. */
static bool one_test(const struct jsonschema *s, const struct doc *test, struct arena *a,
                     const char **why)
{
    const struct document *data = alone(doc_get(test, "data"), a);
    struct report r = report_new(a, "data", data->text);
    struct work quick = { .left = STEPS }, full = { .left = STEPS };
    bool valid = doc_get(test, "valid")->truth;
    bool short_answer = jsonschema_check(s, &data->root, a, &quick, NULL);
    bool answer = jsonschema_check(s, &data->root, a, &full, &r);

    *why = arena_printf(a, "taken: %d, with words: %d, out of work: %d, said: %s", short_answer,
                        answer, quick.over || full.over, first_problem(&r));
    return short_answer == valid && answer == valid && (r.errors > 0) == !valid && !full.over;
}

struct score {
    int right, all;
};

static void one_group(const struct part *part, const char *file, const struct doc *group,
                      struct score *score)
{
    _arena_ struct arena a = { 0 };
    const struct schema_options options = {
        .draft = part->draft, .formats = part->formats, .known = known, .known_count = known_count
    };
    const struct document *schema = alone(doc_get(group, "schema"), &a);
    struct report r = report_new(&a, "schema", schema->text);
    const struct jsonschema *s = NULL;
    bool read = jsonschema_read(schema, &options, &a, &s, &r);

    for (const struct doc *test = doc_first(doc_get(group, "tests"), DOC_LIST); test;
         test = test->next) {
        const char *why = "";
        bool ok = read && one_test(s, test, &a, &why);
        struct str about = doc_text(group, "description"), case_ = doc_text(test, "description");

        score->all++;
        score->right += ok;
        if (!part->optional)
            suite_case(ok,
                       arena_printf(&a, "%s/%s: %.*s: %.*s", part->dir, file, STR_ARG(about),
                                    STR_ARG(case_)),
                       "%s", read ? why : first_problem(&r));
        else if (!ok && getenv("WRIT_LONG"))
            printf("# %s/%s: %.*s: %.*s: %s\n", part->dir, file, STR_ARG(about), STR_ARG(case_),
                   read ? why : first_problem(&r));
    }
}

static void one_file(const struct part *part, const char *dir, const char *name)
{
    _arena_ struct arena a = { 0 };
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct score score = { 0 };
    struct error e;

    if (!json_read(name, suite_file(dir, name, &a), &max, &a, &document, &e)) {
        if (!part->optional)
            suite_case(false, name, "not read: %s", e.msg);
        printf("# %s/%s: not read: %s\n", part->dir, name, e.msg);
        return;
    }
    for (const struct doc *g = doc_first(&document->root, DOC_LIST); g; g = g->next)
        one_group(part, name, g, &score);
    if (part->optional)
        printf("# %s/%s: %d of %d\n", part->dir, name, score.right, score.all);
}

static int only_json(const struct dirent *d)
{
    const char *dot = strrchr(d->d_name, '.');

    return dot && strcmp(dot, ".json") == 0;
}

int main(void)
{
    const char *home = suite_dir("JSON-Schema-Test-Suite");
    _arena_ struct arena a = { 0 };

    if (!home)
        return 0;
    home = arena_text(&a, str_of(home));
    remotes_home = strlen(home) + strlen("/remotes");
    (void)nftw(arena_printf(&a, "%s/remotes", home), add_remote, 16, FTW_PHYS);
    suite_case(known_count > 20, "there are schemas to refer to", "%zu", known_count);
    for (size_t i = 0; i < COUNT(parts); i++) {
        const char *dir = arena_printf(&a, "%s/tests/%s", home, parts[i].dir);
        struct dirent **names;
        int n = scandir(dir, &names, only_json, alphasort);

        for (int f = 0; f < n; f++) {
            one_file(&parts[i], dir, names[f]->d_name);
            free(names[f]);
        }
        if (n >= 0)
            free(names);
    }
    arena_free(&remotes);
    return suite_end();
}
