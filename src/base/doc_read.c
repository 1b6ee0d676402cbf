/* SPDX-License-Identifier: Apache-2.0 */
/* doc_read.c: chooses the reader for a document. */
#include "base/doc_read.h"

#include "base/json_read.h"
#include "base/yaml.h"

static bool ends_in(struct str name, const char *end)
{
    struct str e = str_of(end);

    return name.n > e.n && str_eq((struct str){ name.s + name.n - e.n, e.n }, e);
}

static bool is_json(struct str name, struct str text)
{
    size_t i = 0;

    if (ends_in(name, ".json") || ends_in(name, ".jsonl"))
        return true;
    if (ends_in(name, ".yaml") || ends_in(name, ".yml"))
        return false;
    while (i < text.n && is_one_of(text.s[i], " \t\r\n"))
        i++;
    return i < text.n && (text.s[i] == '{' || text.s[i] == '[');
}

bool doc_read(const char *file, struct str text, const struct ceilings *max, struct arena *a,
              const struct document **out, struct error *e)
{
    /* A byte order mark says nothing. The reader of YAML passes over it by itself. */
    struct str rest =
        str_begins(text, "\xef\xbb\xbf") ? (struct str){ text.s + 3, text.n - 3 } : text;

    if (is_json(str_of(file), rest))
        return json_read(file, rest, max, a, out, e);
    return yaml_read(file, text, max, a, out, e);
}
