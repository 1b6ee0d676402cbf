/* SPDX-License-Identifier: Apache-2.0 */
/* each.c: reads many YAML documents and says in one line what each is, for differ.py.
 *
 * Standard input has documents as netstrings without a comma: the number of bytes, ':', the bytes.
 * A line is '=' and canonical JSON, or '!' and "CODE LINE:COL MESSAGE".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_write.h"
#include "base/yaml.h"

static void say(struct str text, struct arena *a)
{
    _buf_ struct buf canon = { .max = 1 << 26 };
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e = { 0 };

    if (yaml_read("x", text, &max, a, &document, &e)) {
        json_canon(&document->root, a, &canon);
        printf("=%s\n", canon.s);
    } else {
        printf("!%d %d:%d %s\n", e.code, e.at.line, e.at.col, e.msg);
    }
}

int main(void)
{
    _free_ char *number = NULL;
    struct arena a = { 0 };
    size_t room = 0;

    while (getdelim(&number, &room, ':', stdin) > 0) {
        size_t n = strtoul(number, NULL, 10);
        char *text = arena_raw(&a, n + 1);

        if (fread(text, 1, n, stdin) != n)
            return 1;
        say((struct str){ text, n }, &a);
        arena_reset(&a);
    }
    arena_free(&a);
    return 0;
}
