/* SPDX-License-Identifier: Apache-2.0 */
/* explain.c: the public function that explains any row of any table. */
#include <writ/writ.h>

#include "base/json_write.h"
#include "contract/kinds.h"
#include "engine/input.h"
#include "engine/tables.h"

enum { PARTS_MOST = 16 };

static void open_answer(const char *topic, struct buf *to)
{
    json_open(to, '{');
    json_key(to, "topic");
    if (topic)
        json_outside(to, str_of(topic));
    else
        json_nil(to);
}

static void open_table(const char *name, const char *about, struct buf *to)
{
    json_open(to, '{');
    json_put(to, "table", name);
    json_put(to, "about", about);
    json_key(to, "rows");
}

static void put_directory(struct buf *to)
{
    open_table("tables",
               "Everything writ can explain. `writ explain NAME` shows a whole table, or "
               "one row of it by its name.",
               to);
    json_open(to, '[');
    for (size_t i = 0; i < tables_count(); i++) {
        const struct table *t = tables_at(i);

        json_open(to, '{');
        json_put(to, "table", t->name);
        json_key(to, "rows");
        json_int(to, (int64_t)t->row_count);
        json_put(to, "about", t->about);
        json_close(to, '}');
    }
    json_close(to, ']');
    json_close(to, '}');
}

/* The rows of t that the topic names; true when there was one. */
static bool put_rows(const struct table *t, struct str topic, struct buf *to)
{
    bool found = false;

    for (size_t i = 0; i < t->row_count; i++) {
        if (!table_row_is(t, i, topic))
            continue;
        if (!found) {
            open_table(t->name, t->about, to);
            json_open(to, '[');
        }
        table_row_json(t, i, to);
        found = true;
    }
    if (found) {
        json_close(to, ']');
        json_close(to, '}');
    }
    return found;
}

/* What documents have inside them under that name, as `operation` of an adapter. What several have
 * is told once. */
static bool put_parts(const char *topic, struct buf *to)
{
    _arena_ struct arena a = { 0 };
    struct shape_part parts[PARTS_MOST];
    size_t n = 0;

    for (size_t i = 0; i < kind_count; i++) {
        size_t had = n;

        n = shape_parts(kinds[i].shape, str_of(topic), &a, parts, n, COUNT(parts));
        for (size_t k = had; k < n; k++) {
            open_table("fields",
                       arena_printf(&a, "What %s of the document '%s' may say.", parts[k].path,
                                    kinds[i].name),
                       to);
            shape_fields(parts[k].shape, to);
            json_close(to, '}');
        }
    }
    return n > 0;
}

static bool put_matches(const char *topic, struct buf *to)
{
    const struct kind_row *kind = kind_named(str_of(topic));
    bool found = false, whole = kind != NULL;

    for (size_t i = 0; i < tables_count(); i++) {
        const struct table *t = tables_at(i);

        if (strcmp(t->name, topic) == 0) {
            table_json(t, to);
            whole = true;
        } else {
            found |= put_rows(t, str_of(topic), to);
        }
    }
    if (kind) {
        open_table("fields", "What such a document may say.", to);
        shape_fields(kind->shape, to);
        json_close(to, '}');
    }
    return whole || put_parts(topic, to) || found;
}

/* The nearest of all names there are, or NULL. */
static const char *find_near(const char *topic, struct arena *a)
{
    const char **names = NULL;
    size_t n = 0, most = 0;

    for (size_t i = 0; i < tables_count(); i++)
        most += tables_at(i)->row_count + 1;
    names = arena_alloc(a, most * sizeof *names);
    for (size_t i = 0; i < tables_count(); i++) {
        const struct table *t = tables_at(i);

        for (size_t row = 0; row < t->row_count; row++) {
            _buf_ struct buf text = { .max = 4096 };

            table_cell(t, row, 0, &text);
            names[n++] = arena_text(a, buf_str(&text));
        }
        names[n++] = t->name;
    }
    return str_nearest(str_of(topic), names, n);
}

int writ_explain(const char *topic, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    bool found = true;

    open_answer(topic, &out);
    json_key(&out, "tables");
    json_open(&out, '[');
    if (topic)
        found = put_matches(topic, &out);
    else
        put_directory(&out);
    json_close(&out, ']');
    if (!found) {
        const char *near = find_near(topic, &a);

        json_put(&out, "code", codes[CODE_TOPIC_UNKNOWN].name);
        json_put(&out, "message", "nothing that writ can explain has this name");
        json_put(&out, "near", near ? near : "");
    }
    json_close(&out, '}');
    return take_answer(&out, found ? WRIT_OK : WRIT_USAGE, answer);
}
