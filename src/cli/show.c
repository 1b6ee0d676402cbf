/* SPDX-License-Identifier: Apache-2.0 */
/* show.c: the parts that `writ show` is made of. */
#include "cli/show.h"

#include <inttypes.h>

#include "cli/entry_line.h"
#include "cli/print.h"

enum { INDENT = 2, LABEL = 11, COLUMN = INDENT + LABEL };

static void show_label(const char *label)
{
    out(DIM, "%*s%-*s", INDENT, "", LABEL, label);
}

void show_text(const char *label, struct str text)
{
    if (text.n == 0)
        return;
    show_label(label);
    out_cut(PLAIN, text, print_room(COLUMN));
    out(PLAIN, "\n");
}

void show_folded(const char *label, struct str text)
{
    if (text.n == 0)
        return;
    show_label(label);
    out_folded(PLAIN, text, COLUMN);
}

void show_number(const char *label, int64_t n)
{
    show_label(label);
    out(PLAIN, "%" PRId64 "\n", n);
}

void show_pair(const char *label, struct str name, size_t width, struct str text)
{
    show_label(label);
    out_cell(CYAN, name, width);
    out(PLAIN, "  ");
    out_cut(PLAIN, text, print_room(COLUMN + width + 2));
    out(PLAIN, "\n");
}

static int show_mentions(const char *label, const struct doc *list)
{
    int n = 0;

    for (const struct doc *entry = doc_first(list, DOC_LIST); entry; entry = entry->next, n++) {
        show_label(n ? "" : label);
        line_mention(entry, COLUMN);
    }
    return n;
}

/* A list that was cut is as long as a list may be. */
void show_lineage(const struct doc *answer)
{
    int below = show_mentions("rests on", doc_get(answer, "rests_on"));
    int above = show_mentions("used by", doc_get(answer, "used_by"));
    const struct doc *cut = doc_get(answer, "lineage_cut");

    if (!cut || cut->kind != DOC_BOOL || !cut->truth)
        return;
    show_label("");
    out(YELLOW, "and more: at most %d of each are shown\n", below > above ? below : above);
}

/* "led-3f0c12ab  2026-11-15 14:00:01  asked for (the note is led-8d2f61aa)" */
void show_erasures(const struct doc *answer)
{
    const char *label = "erased";

    for (const struct doc *x = doc_first(doc_get(answer, "erasures"), DOC_LIST); x; x = x->next) {
        _buf_ struct buf text = { .max = SHOW_MAX };
        struct str at = doc_text(x, "recordedAt");

        buf_addf(&text, "%.*s  %.*s %.*s  %.*s (the note is %.*s)",
                 STR_ARG(line_short(doc_text(x, "erases"))), STR_ARG(line_day(at)),
                 STR_ARG(line_clock(at)), STR_ARG(doc_text(x, "reason")),
                 STR_ARG(line_short(doc_text(x, "ledger_id"))));
        show_folded(label, buf_str(&text));
        label = "";
    }
}

void show_next(const char *typed, struct str id, const char *does)
{
    if (!print_person() || id.n == 0)
        return;
    out(PLAIN, "\n");
    out(CYAN, "  %s ", typed);
    out_cut(CYAN, line_short(id), LINE_ID);
    out(PLAIN, "  ");
    out_folded(DIM, str_of(does), INDENT + strlen(typed) + 1 + line_short(id).n + 2);
}
