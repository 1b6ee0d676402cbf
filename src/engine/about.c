/* SPDX-License-Identifier: Apache-2.0 */
/* about.c: what a step is about, in a few words. */
#include "engine/about.h"

#include "base/doc.h"
#include "engine/deeds.h"
#include "engine/input.h"
#include "executor/builtin.h"

enum { ABOUT_MAX = 240, DEED_MEANING = 1 };

/* An argument as a person would type it. */
static void add_word(struct str word, struct buf *to)
{
    bool plain = word.n > 0;

    for (size_t i = 0; i < word.n; i++)
        plain &= !is_one_of(word.s[i], " \t\n'\"\\$`*?[]{}()<>|&;#~!");
    if (to->len > 0)
        buf_addc(to, ' ');
    if (!plain)
        buf_addc(to, '\'');
    buf_add(to, word.s, word.n);
    if (!plain)
        buf_addc(to, '\'');
}

static void say_command(const struct request_inputs *inputs, struct buf *to)
{
    const struct str *arguments = inputs->arguments.v;

    add_word(inputs->command, to);
    for (size_t i = 0; i < inputs->arguments.n && to->len < ABOUT_MAX; i++)
        add_word(arguments[i], to);
}

/* The member of a payload that says most about it. */
static const struct {
    const char *action, *member;
} tellers[] = {
    { "execute_plan", "file" },
    { "notify", "text" },
};

static void say_inline(const struct doc *plan, struct buf *to)
{
    if (plan && plan->kind == DOC_MAP && doc_text(plan, "name").n)
        buf_addf(to, "plan %.*s", STR_ARG(doc_text(plan, "name")));
}

static void say_about(const struct step_doc *s, const struct request_doc *request, struct buf *to)
{
    const struct builtin *builtin = builtin_named(s->action);

    if (request)
        say_command(request->inputs, to);
    else if (builtin)
        buf_adds(to, builtin->about);
    for (size_t i = 0; i < COUNT(tellers); i++) {
        struct str told = doc_text(s->payload, tellers[i].member);

        if (str_is(s->action, tellers[i].action))
            buf_add(to, told.s, told.n);
    }
    if (to->len == 0 && str_is(s->action, "execute_plan"))
        say_inline(doc_get(s->payload, "plan"), to);
    for (size_t i = 0; to->len == 0 && i < deeds_table.row_count; i++)
        if (table_row_is(&deeds_table, i, s->action))
            table_cell(&deeds_table, i, DEED_MEANING, to);
}

/* At most so many bytes, and no character cut in two. */
static struct str beginning(struct str text, struct arena *a)
{
    size_t n = ABOUT_MAX;

    if (text.n <= ABOUT_MAX)
        return text;
    while (n > 0 && ((unsigned char)text.s[n] & 0xc0) == 0x80)
        n--;
    return str_of(arena_printf(a, "%.*s…", (int)n, text.s));
}

struct str about_step(const struct step_doc *step, const struct request_doc *request,
                      struct arena *a)
{
    _buf_ struct buf about = { .max = ANSWER_MAX };

    say_about(step, request, &about);
    return beginning((struct str){ arena_text(a, buf_str(&about)), about.len }, a);
}
