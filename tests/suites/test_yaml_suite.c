/* SPDX-License-Identifier: Apache-2.0 */
/* test_yaml_suite.c: yaml-test-suite, every case: the suite's JSON, or a refusal, never another
 * value. What the suite calls an error must be refused. */
#include <sys/stat.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/yaml.h"
#include "suites/suite.h"

static int taken, turned_down;

static bool exists(const char *dir, const char *name, struct arena *a)
{
    struct stat st;

    return stat(arena_printf(a, "%s/%s", dir, name), &st) == 0;
}

/* What the suite's JSON says; empty when it holds no document or several. */
static bool wanted(struct str json, struct arena *a, struct buf *to)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e;

    if (!json_read("in.json", json, &max, a, &document, &e))
        return false;
    json_canon(&document->root, a, to);
    return true;
}

static void one(const char *dir, const char *name)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf ours = { .max = 1 << 20 }, want = { .max = 1 << 20 };
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e = { 0 };
    bool ok = yaml_read(name, suite_file(dir, "in.yaml", &a), &max, &a, &document, &e);

    if (!ok) {
        turned_down++;
        suite_case(e.at.line > 0 && e.msg[0] && e.code, name, "refused without a place");
        return;
    }
    taken++;
    json_canon(&document->root, &a, &ours);
    if (exists(dir, "error", &a))
        suite_case(false, name, "accepted as %s", ours.s);
    else if (exists(dir, "in.json", &a))
        suite_case(wanted(suite_file(dir, "in.json", &a), &a, &want) &&
                       str_eq(buf_str(&ours), buf_str(&want)),
                   name, "got %s, wanted %s", ours.s, want.s ? want.s : "no one document");
    else
        suite_case(true, name, "the suite gives no JSON");
}

/* A case is a directory with in.yaml, or one with such directories in it. */
static void walk(const char *dir, const char *name)
{
    _arena_ struct arena a = { 0 };
    struct dirent **names;
    int n;

    if (exists(dir, "in.yaml", &a)) {
        one(dir, name);
        return;
    }
    n = scandir(dir, &names, suite_no_dots, alphasort);
    for (int i = 0; i < n; i++) {
        if (names[i]->d_type == DT_DIR)
            walk(arena_printf(&a, "%s/%s", dir, names[i]->d_name),
                 arena_printf(&a, "%s/%s", name, names[i]->d_name));
        free(names[i]);
    }
    if (n >= 0)
        free(names);
}

int main(void)
{
    const char *dir = suite_dir("yaml-test-suite");

    if (!dir)
        return 0;
    walk(dir, "yaml");
    printf("# %d taken, %d refused\n", taken, turned_down);
    return suite_end();
}
