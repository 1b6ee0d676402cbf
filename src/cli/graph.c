/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c: a plan as a graph, and in the languages that draw graphs. */
#include "cli/graph.h"

#include <stdlib.h>

#include "base/json_write.h"

/* ---- from a plan ---- */

enum { SHORT_ID = 8 };

struct placed {
    struct str id;
    size_t step;
};

static int by_id(const void *a, const void *b)
{
    return str_cmp_letters(((const struct placed *)a)->id, ((const struct placed *)b)->id);
}

static const struct doc *names_of(const struct doc *plan)
{
    const struct doc *metadata = doc_get(plan, "metadata");
    const struct doc *writ = metadata ? doc_get(metadata, "writ") : NULL;

    return writ ? doc_get(writ, "names") : NULL;
}

/* As the template calls it, or the beginning of its id. */
static struct str name_of(const struct doc *names, struct str id, struct arena *a)
{
    struct str name = names ? doc_text(names, arena_text(a, id)) : (struct str){ 0 };

    return name.n ? name : (struct str){ id.s, SHORT_ID };
}

/* The action, and of a command which. */
static const char *what_of(const struct doc *step, struct arena *a)
{
    const struct doc *inputs = doc_get(doc_get(step, "payload"), "inputs");
    struct str action = doc_text(step, "action"), command = { "", 0 };

    if (str_is(action, "execute") && inputs)
        command = doc_text(inputs, "command");
    return arena_printf(a, "%.*s%s%.*s", STR_ARG(action), command.n ? " " : "", STR_ARG(command));
}

static void read_after(const struct doc *step, const struct placed *index, size_t n,
                       struct graph_step *out, struct arena *a)
{
    const struct doc *list = doc_get(step, "depends_on");
    size_t *after = arena_alloc(a, (list ? list->count : 1) * sizeof *after);

    out->after = after;
    for (const struct doc *c = doc_first(list, DOC_LIST); c; c = c->next) {
        const struct placed *found =
            bsearch(&(struct placed){ c->text, 0 }, index, n, sizeof *index, by_id);

        if (found)
            after[out->after_count++] = found->step;
    }
}

struct graph graph_of(const struct doc *plan, struct arena *a)
{
    const struct doc *list = doc_get(plan, "steps"), *names = names_of(plan);
    size_t n = list->count, i = 0;
    struct placed *index = arena_alloc(a, n * sizeof *index);
    struct graph_step *steps = arena_alloc(a, n * sizeof *steps);

    for (const struct doc *s = list->first; s; s = s->next, i++)
        index[i] = (struct placed){ doc_text(s, "id"), i };
    qsort(index, n, sizeof *index, by_id);
    i = 0;
    for (const struct doc *s = list->first; s; s = s->next, i++) {
        steps[i] = (struct graph_step){ .name = name_of(names, doc_text(s, "id"), a),
                                        .on_failure = doc_text(s, "on_failure"),
                                        .what = what_of(s, a) };
        read_after(s, index, n, &steps[i], a);
    }
    return (struct graph){ .name = doc_text(plan, "name"), .steps = steps, .n = n };
}

/* ---- as text of a drawing language ---- */

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

static bool may_skip(const struct graph_step *s)
{
    return !str_is(s->on_failure, "halt");
}

/* Between "": quotes and backslashes would end or steer it, and & begins a character's name. */
static void dot_text(struct str text, struct buf *to)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.s[i];

        if (c == '"' || c == '\\')
            buf_addf(to, "\\%c", c);
        else if (c == '&')
            buf_adds(to, "&amp;");
        else
            buf_addc(to, is_control(c) ? ' ' : c);
    }
}

void graph_dot(const struct graph *g, struct buf *to)
{
    buf_adds(to, "digraph \"");
    dot_text(g->name, to);
    buf_adds(to, "\" {\n    node [shape=box, style=rounded];\n");
    for (size_t i = 0; i < g->n; i++) {
        buf_addf(to, "    s%zu [label=\"", i);
        dot_text(g->steps[i].name, to);
        buf_adds(to, "\\n");
        dot_text(str_of(g->steps[i].what), to);
        buf_adds(to, may_skip(&g->steps[i]) ? "\", style=\"rounded,dashed\"];\n" : "\"];\n");
    }
    for (size_t i = 0; i < g->n; i++)
        for (size_t j = 0; j < g->steps[i].after_count; j++)
            buf_addf(to, "    s%zu -> s%zu;\n", g->steps[i].after[j], i);
    buf_adds(to, "}\n");
}

/* Any sign that could mean something is written by its number. */
static void mermaid_text(struct str text, struct buf *to)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.s[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     is_one_of(c, " .-_/") || (c & 0x80);

        if (is_control(c))
            buf_addc(to, ' ');
        else if (plain)
            buf_addc(to, c);
        else
            buf_addf(to, "#%d;", c);
    }
}

void graph_mermaid(const struct graph *g, struct buf *to)
{
    buf_adds(to, "flowchart TD\n");
    for (size_t i = 0; i < g->n; i++) {
        buf_addf(to, "    s%zu[\"", i);
        mermaid_text(g->steps[i].name, to);
        buf_adds(to, "<br/>");
        mermaid_text(str_of(g->steps[i].what), to);
        buf_adds(to, may_skip(&g->steps[i]) ? "\"]:::skipped\n" : "\"]\n");
    }
    for (size_t i = 0; i < g->n; i++)
        for (size_t j = 0; j < g->steps[i].after_count; j++)
            buf_addf(to, "    s%zu --> s%zu\n", g->steps[i].after[j], i);
    buf_adds(to, "    classDef skipped stroke-dasharray: 4 3\n");
}

/* {"name":..,"steps":[{"name":..,"what":..,"after":[..],"on_failure":..}]} */
void graph_json(const struct graph *g, struct buf *to)
{
    json_open(to, '{');
    json_put_text(to, "name", g->name);
    json_key(to, "steps");
    json_open(to, '[');
    for (size_t i = 0; i < g->n; i++) {
        const struct graph_step *s = &g->steps[i];

        json_open(to, '{');
        json_put_text(to, "name", s->name);
        json_put(to, "what", s->what);
        json_key(to, "after");
        json_open(to, '[');
        for (size_t j = 0; j < s->after_count; j++)
            json_text(to, g->steps[s->after[j]].name);
        json_close(to, ']');
        json_put_text(to, "on_failure", s->on_failure);
        json_close(to, '}');
    }
    json_close(to, ']');
    json_close(to, '}');
    buf_addc(to, '\n');
}
