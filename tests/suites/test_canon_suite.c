/* SPDX-License-Identifier: Apache-2.0 */
/* test_canon_suite.c: the vectors of json-canonicalization (RFC 8785), byte for byte. */
#include "base/json_read.h"
#include "base/json_write.h"
#include "suites/suite.h"

static void hex_of(struct str bytes, struct buf *to)
{
    for (size_t i = 0; i < bytes.n; i++)
        buf_addf(to, "%02x", (unsigned char)bytes.s[i]);
}

/* The hex files have blanks and line ends between the digits. */
static void only_digits(struct str text, struct buf *to)
{
    for (size_t i = 0; i < text.n; i++)
        if (!strchr(" \t\r\n", text.s[i]))
            buf_addc(to, text.s[i]);
}

static void one(const char *dir, const char *name)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf ours = { .max = 1 << 20 }, hex = { .max = 1 << 20 }, want = { .max = 1 << 20 };
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e = { 0 };
    char *input = arena_printf(&a, "%s/input", dir), *output = arena_printf(&a, "%s/output", dir);
    char *outhex = arena_printf(&a, "%s/outhex", dir);
    char *hexname = arena_printf(&a, "%.*s.txt", (int)(strlen(name) - strlen(".json")), name);

    if (!json_read(name, suite_file(input, name, &a), &max, &a, &document, &e)) {
        suite_case(false, name, "refused: %s", e.msg);
        return;
    }
    json_canon(&document->root, &a, &ours);
    suite_case(str_eq(buf_str(&ours), suite_file(output, name, &a)), name, "got %s", ours.s);
    hex_of(buf_str(&ours), &hex);
    only_digits(suite_file(outhex, hexname, &a), &want);
    suite_case(str_eq(buf_str(&hex), buf_str(&want)), hexname, "got %s", hex.s);
}

int main(void)
{
    const char *dir = suite_dir("json-canonicalization/testdata");
    struct dirent **names;
    char inputs[4200];
    int n;

    if (!dir)
        return 0;
    (void)snprintf(inputs, sizeof inputs, "%s/input", dir);
    n = scandir(inputs, &names, suite_no_dots, alphasort);
    for (int i = 0; i < n; i++) {
        one(dir, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    return suite_end();
}
