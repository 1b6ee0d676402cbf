/* SPDX-License-Identifier: Apache-2.0 */
/* lists.c: what is too much to be read is counted. */
#include "cli/run/lists.h"

#include "cli/print.h"

void name_list_add(struct name_list *names, struct str name)
{
    if (names->n++ < LISTS_MOST)
        buf_addf(&names->text, "%s%.*s", names->n > 1 ? ", " : "", STR_ARG(name));
}

void name_list_end(struct name_list *names)
{
    if (names->n > LISTS_MOST)
        buf_addf(&names->text, " and %zu more", names->n - LISTS_MOST);
}

void name_list_show(const char *label, struct name_list *names)
{
    name_list_end(names);
    if (names->n) {
        out(DIM, "%-*s", LISTS_LABEL, label);
        out_folded(PLAIN, buf_str(&names->text), LISTS_LABEL);
    }
    buf_free(&names->text);
}

void line_list_add(struct line_list *lines, struct str text)
{
    if (lines->n++ < LISTS_MOST) {
        out(DIM, "%-*s", LISTS_LABEL, lines->n == 1 ? lines->label : "");
        out_folded(PLAIN, text, LISTS_LABEL);
    }
}

void line_list_end(const struct line_list *lines)
{
    if (lines->n > LISTS_MOST)
        out(DIM, "%*sand %zu more steps, which --json shows\n", LISTS_LABEL, "",
            lines->n - LISTS_MOST);
}
